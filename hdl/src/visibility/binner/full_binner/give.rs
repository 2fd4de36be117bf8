//! Full binning, second phase, second half: packages come, records are written, and triangles go to
//! the rasteriser; tiles are opened and closed as in the plain binner; the window ends. It can be
//! wrong in a triangle that is given before its record is written.

use quadlock_hdl_macros::parts;
use quadlock_isa::records::state;
use rust_hdl::prelude::*;

use super::{
    FlightCount, FullBinner, FullStep, Give, Load, RecordEdges, RecordLines, RecordSlot, StoreReads, Tiles, WindowEnd,
    WindowReset,
};
use crate::ports::{StoreAnswerOut, StoreReadDataIn};

#[parts]
impl FullBinner {
    fn load(&mut self) {
        self.jobs.read_address.next = bit_cast::<6, 3>(self.jobs_head.q.val().get_bits::<3>(0));
        self.job.next = self.jobs.read_data.val();
        // Five lines of the triangle, while the one before is given.
        self.head_full.next = self.head_lines.q.val() == bits::<3>(5);
        self.takes_head.next =
            self.cache.rsp.valid.val() && !self.cache.rsp_node.val() && !self.in_body.q.val() && !self.head_full.val();
        self.line_low.next = bit_cast::<64, 32>(self.cache.rsp.data[0].val())
            | (bit_cast::<64, 32>(self.cache.rsp.data[1].val()) << bits::<64>(32));
        self.line_high.next = bit_cast::<64, 32>(self.cache.rsp.data[2].val())
            | (bit_cast::<64, 32>(self.cache.rsp.data[3].val()) << bits::<64>(32));
        for k in 0..5 {
            if self.takes_head.val() && (self.head_lines.q.val() == k.to_bits::<3>()) {
                self.head_pair[2 * k].d.next = self.line_low.val();
                self.head_pair[2 * k + 1].d.next = self.line_high.val();
            }
        }
        if self.takes_head.val() {
            self.head_lines.d.next = self.head_lines.q.val() + bits::<3>(1);
        }
        self.to_now.next = self.head_full.val() && !self.now.q.val();
        if self.to_now.val() {
            self.head_lines.d.next = bits::<3>(0);
            self.in_body.d.next = true;
            self.body_at.d.next = bits::<6>(0);
            self.body_left.d.next = self.job.val().get_bits::<6>(18);
            self.jobs_head.d.next = self.jobs_head.q.val() + bits::<4>(1);
            self.now.d.next = true;
            self.now_x.d.next = self.job.val().get_bits::<9>(0);
            self.now_y.d.next = self.job.val().get_bits::<9>(9);
            self.decided.d.next = false;
            self.hides.d.next = false;
            self.has_slot.d.next = false;
            self.edges.d.next = bits::<2>(0);
            for k in 0..10 {
                self.now_pair[k].d.next = self.head_pair[k].q.val();
            }
        }
        self.now_context.next = self.now_pair[1].q.val().get_bits::<4>(48);
    }

    fn record_slot(&mut self) {
        self.query_valid.next = self.now.q.val() && !self.decided.q.val();
        self.query_taken.next = self.now.q.val() && !self.decided.q.val() && self.answer_valid.val();
        if self.now.q.val() && !self.decided.q.val() && self.answer_valid.val() {
            self.decided.d.next = true;
            self.hides.d.next = self.hidden.val();
        }
        self.gets_slot.next = self.now.q.val()
            && self.decided.q.val()
            && !self.hides.q.val()
            && !self.has_slot.q.val()
            && self.slots.valid.val();
        self.slots.take.next = self.gets_slot.val();
        self.slots.put.next = self.free_ports.free_valid.val();
        self.slots.put_number.next = bit_cast::<32, 12>(self.free_ports.free_handle.val());
        if self.gets_slot.val() {
            self.has_slot.d.next = true;
            self.slot.d.next = self.slots.number.val().get_bits::<12>(0);
        }
        if self.gets_slot.val() && !self.free_ports.free_valid.val() {
            self.live.d.next = self.live.q.val() + bits::<13>(1);
        }
        if !self.gets_slot.val() && self.free_ports.free_valid.val() {
            self.live.d.next = self.live.q.val() - bits::<13>(1);
        }
    }

    fn record_lines(&mut self) {
        self.takes_body.next = self.cache.rsp.valid.val()
            && self.in_body.q.val()
            && (self.has_slot.q.val() || (self.decided.q.val() && self.hides.q.val()));
        if self.takes_body.val() {
            self.body_at.d.next = self.body_at.q.val() + bits::<6>(1);
            self.body_left.d.next = self.body_left.q.val() - bits::<6>(1);
            if self.body_left.q.val() == bits::<6>(1) {
                self.in_body.d.next = false;
            }
        }
        self.cache.take.next = self.takes_node.val() || self.takes_head.val() || self.takes_body.val();
        self.store.record.next = self.slot.q.val();
        self.store.line_write.next = self.takes_body.val() && self.has_slot.q.val();
        self.store.line_number.next = self.body_at.q.val();
        for k in 0..4 {
            self.store.put.data[k].next = self.cache.rsp.data[k].val();
        }
    }

    fn record_edges(&mut self) {
        self.store.edge_write.next = self.has_slot.q.val() && !self.edges.q.val().all();
        self.store.edge_part.next = self.edges.q.val();
        self.store.edge_a.next = self.now_pair[7].q.val().get_bits::<24>(0);
        self.store.edge_b.next = self.now_pair[7].q.val().get_bits::<24>(24);
        self.store.edge_c.next = self.now_pair[0].q.val().get_bits::<48>(0);
        if self.edges.q.val() == bits::<2>(1) {
            self.store.edge_a.next = self.now_pair[8].q.val().get_bits::<24>(0);
            self.store.edge_b.next = self.now_pair[8].q.val().get_bits::<24>(24);
            self.store.edge_c.next = self.now_pair[1].q.val().get_bits::<48>(0);
        }
        if self.edges.q.val() == bits::<2>(2) {
            self.store.edge_a.next = self.now_pair[9].q.val().get_bits::<24>(0);
            self.store.edge_b.next = self.now_pair[9].q.val().get_bits::<24>(24);
            self.store.edge_c.next = self.now_pair[2].q.val().get_bits::<48>(0);
        }
        if self.has_slot.q.val() && !self.edges.q.val().all() {
            self.edges.d.next = self.edges.q.val() + bits::<2>(1);
        }
        // As the other table of varyings.
        self.varyings_now.write_enable.next =
            self.state.valid.val() && !self.state.pass.val() && (self.state.word.val() == bits::<6>(state::VARYINGS));
        self.varyings_now.write_address.next = bit_cast::<6, 4>(self.state.context.val());
        self.varyings_now.write_data.next = bit_cast::<32, 6>(self.state.data.val().get_bits::<6>(0));
        self.varyings_now.read_address.next = bit_cast::<6, 4>(self.now_context.val());
        self.store.count_write.next = self.has_slot.q.val() && !self.edges.q.val().any();
        self.store.count_of.next = self.varyings_now.read_data.val().get_bits::<6>(0);
    }

    fn store_reads(&mut self) {
        self.store_req.ready.next = true;
        self.store.store_req.valid.next = self.store_req.valid.val();
        StoreReadDataIn::link(&mut self.store_req, &mut self.store.store_req);
        StoreAnswerOut::link(&mut self.store_rsp, &mut self.store.store_rsp);
    }

    fn give(&mut self) {
        for k in 0..3 {
            self.triangle.c[k].next = self.now_pair[k].q.val().get_bits::<48>(0);
            self.triangle.a[k].next = self.now_pair[7 + k].q.val().get_bits::<24>(0);
            self.triangle.b[k].next = self.now_pair[7 + k].q.val().get_bits::<24>(24);
        }
        self.triangle.vertex[0].next = self.now_pair[1].q.val().get_bits::<12>(52);
        self.triangle.vertex[1].next = self.now_pair[8].q.val().get_bits::<12>(48);
        self.triangle.vertex[2].next = self.now_pair[9].q.val().get_bits::<12>(48);
        self.triangle.order.next = self.now_pair[0].q.val().get_bits::<16>(48);
        self.triangle.context.next = self.now_context.val();
        self.triangle.handle.next = self.slot.q.val();
        self.triangle.x0.next = self.now_pair[2].q.val().get_bits::<12>(48);
        self.triangle.z.next = bit_cast::<60, 52>(self.now_pair[3].q.val().get_bits::<52>(0))
            | (bit_cast::<60, 8>(self.now_pair[6].q.val().get_bits::<8>(49)) << bits::<60>(52));
        self.triangle.y0.next = self.now_pair[3].q.val().get_bits::<12>(52);
        self.triangle.gx.next = self.now_pair[4].q.val().get_bits::<50>(0);
        self.triangle.x1.next = self.now_pair[4].q.val().get_bits::<12>(50);
        self.triangle.gy.next = self.now_pair[5].q.val().get_bits::<50>(0);
        self.triangle.y1.next = self.now_pair[5].q.val().get_bits::<12>(50);
        self.triangle.z_low.next = self.now_pair[6].q.val().get_bits::<24>(0);
        self.triangle.z_high.next = self.now_pair[6].q.val().get_bits::<24>(24);
        self.triangle.back.next = self.now_pair[6].q.val().get_bit(48);
        self.open_px.next = bit_cast::<12, 9>(self.now_x.q.val()) << bit_cast::<12, 3>(self.side.q.val());
        self.open_py.next = bit_cast::<12, 9>(self.now_y.q.val()) << bit_cast::<12, 3>(self.side.q.val());
        // All of its record is written.
        self.ready.next =
            self.now.q.val() && self.has_slot.q.val() && self.edges.q.val().all() && !self.in_body.q.val();
        self.passes.next = self.now.q.val() && self.decided.q.val() && self.hides.q.val() && !self.in_body.q.val();
        self.same.next = self.is_open.q.val()
            && (self.at_x.q.val() == self.now_x.q.val())
            && (self.at_y.q.val() == self.now_y.q.val());
        // The tile is opened while the record is written.
        self.ask.next = self.has_slot.q.val() && self.now.q.val() && !self.same.val() && !self.closing.q.val();
        self.opened.next = self.ask.val() && self.open_ready.val();
        self.triangle_offered.next = self.ready.val() && self.same.val() && !self.inside.q.val().all();
        self.triangle_sent.next = self.triangle_offered.val() && self.triangle.ready.val();
        if self.triangle_sent.val() || self.passes.val() {
            self.now.d.next = false;
            self.has_slot.d.next = false;
        }
        self.triangle.valid.next = self.triangle_offered.val();
        self.tile.buffer.next = self.buffer.q.val();
        self.tile.x.next = self.open_px.val();
        self.tile.y.next = self.open_py.val();
        self.tile.last.next = true;
        self.tile.hidden.next = false;
        self.query_x.next = self.open_px.val();
        self.query_y.next = self.open_py.val();
        self.open_valid.next = self.ask.val();
        self.open_x.next = self.open_px.val();
        self.open_y.next = self.open_py.val();
    }

    fn tiles(&mut self) {
        // Triangles that the rasteriser has. What is done first was given first.
        self.of_old.next = self.old_inside.q.val().any();
        if self.tile_done.val() && self.of_old.val() {
            self.old_inside.d.next = self.old_inside.q.val() - bits::<6>(1);
        }
        self.after.next = self.inside.q.val();
        if self.tile_done.val() && !self.of_old.val() {
            self.after.next = self.inside.q.val() - bits::<6>(1);
        }
        self.inside.d.next = self.after.val();
        if self.triangle_sent.val() {
            self.inside.d.next = self.after.val() + bits::<6>(1);
        }
        self.close_old.next = self.closing.q.val() && !self.of_old.val();
        self.close_last.next = self.finish.val()
            && self.is_open.q.val()
            && !self.closing.q.val()
            && !self.draining.q.val()
            && !self.tiles.q.val().any()
            && !self.in_triangle.valid.val()
            && !self.inside.q.val().any();
        if self.close_old.val() {
            self.closing.d.next = false;
        }
        if self.close_last.val() {
            self.is_open.d.next = false;
        }
        if self.opened.val() {
            self.is_open.d.next = true;
            self.at_x.d.next = self.now_x.q.val();
            self.at_y.d.next = self.now_y.q.val();
            self.buffer.d.next = self.open_buffer.val();
            self.closing.d.next = self.is_open.q.val();
            self.old_buffer.d.next = self.buffer.q.val();
            self.old_inside.d.next = self.after.val();
            self.inside.d.next = bits::<6>(0);
        }
        self.close_valid.next = self.close_old.val() || self.close_last.val();
        self.close_buffer.next = self.buffer.q.val();
        if self.closing.q.val() {
            self.close_buffer.next = self.old_buffer.q.val();
        }
    }

    fn flight_count(&mut self) {
        if (self.m_req.valid.val() && self.m_req.ready.val()) && !self.m_rsp.valid.val() {
            self.flying.d.next = self.flying.q.val() + bits::<5>(1);
        }
        if !(self.m_req.valid.val() && self.m_req.ready.val()) && self.m_rsp.valid.val() {
            self.flying.d.next = self.flying.q.val() - bits::<5>(1);
        }
    }

    fn window_end(&mut self) {
        // 64 cycles.
        self.quiet.next = (self.step.q.val() == FullStep::Ready) && !self.in_triangle.valid.val();
        self.calm.d.next = bits::<7>(0);
        if self.quiet.val() && !self.draining.q.val() {
            self.calm.d.next = self.calm.q.val() + bits::<7>(1);
            if self.calm.q.val().get_bit(6) {
                self.calm.d.next = self.calm.q.val();
            }
        }
        // It ends: without numbers, without lines, at a place that is taken, or because somebody
        // waits.
        self.wants.next = false;
        self.cause.next = bits::<4>(4);
        if self.quiet.val()
            && self.calm.q.val().get_bit(6)
            && (self.waits.val() || self.starved.val() || self.unnumbered.val())
        {
            self.wants.next = true;
            if !self.waits.val() {
                self.cause.next = bits::<4>(6);
                if self.unnumbered.val() {
                    self.cause.next = bits::<4>(8);
                }
            }
        }
        if (self.step.q.val() == FullStep::Ready) && self.in_triangle.valid.val() && !self.room.val() {
            self.wants.next = true;
            self.cause.next = bits::<4>(1);
        }
        if self.step.q.val() == FullStep::Drawn {
            self.wants.next = true;
            self.cause.next = bits::<4>(2);
        }
        self.ends.next = self.wants.val() && self.tiles.q.val().any() && !self.draining.q.val();
        if self.ends.val() {
            self.draining.d.next = true;
            self.walked.d.next = false;
        }
        self.window.valid.next = self.ends.val();
        self.window.cause.next = self.cause.val();
        self.window.triangles.next = self.count.q.val();
        self.window.pairs.next = self.pairs.q.val();
        self.window.order.next = self.newest.q.val();
    }

    fn window_reset(&mut self) {
        // All is with the rasteriser; all is drawn.
        self.spent.next = self.draining.q.val()
            && self.walked.q.val()
            && self.cache.idle.val()
            && !self.has_job.val()
            && !self.in_body.q.val()
            && !self.now.q.val();
        self.drained.next = self.draining.q.val()
            && self.walked.q.val()
            && self.cache.idle.val()
            && !self.has_job.val()
            && !self.in_body.q.val()
            && !self.now.q.val()
            && !self.live.q.val().any();
        self.cache.wipe.next = self.drained.val();
        if self.drained.val() {
            self.draining.d.next = false;
            self.walked.d.next = false;
            self.count.d.next = bits::<16>(0);
            self.pairs.d.next = bits::<24>(0);
            self.tiles.d.next = bits::<13>(0);
            self.used.d.next = bits::<24>(0);
            self.named.d.next = bits::<16>(0);
            self.epoch.d.next = self.epoch.q.val() + bits::<14>(1);
            if self.epoch.q.val() == self.last_epoch.val() {
                self.epoch.d.next = bits::<14>(0);
                self.sweep.d.next = self.sweep_from.val();
            }
            if self.step.q.val() == FullStep::Drawn {
                self.step.d.next = FullStep::Ready;
            }
        }
        self.contexts.next = self.named.q.val();
        self.busy.next = (self.step.q.val() != FullStep::Ready)
            || self.in_triangle.valid.val()
            || self.tiles.q.val().any()
            || self.draining.q.val();
    }
}
