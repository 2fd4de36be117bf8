//! Full binning, first phase: a triangle's tiles go into lists, its words into its package. It can
//! be wrong in the line that a full node is written to, which another node names before.

use quadlock_hdl_macros::parts;
use quadlock_isa::records::{pass, state};
use rust_hdl::prelude::*;

use super::{
    CornerRequest, FullBinner, FullList, FullStep, FullTile, LineWrite, ListEntry, Lists, PackageSize, PackageSteps,
    PackageWords, Registers, Setting, Tables, TileDecision, TileIndex, TriangleStart,
};
use crate::comment;

#[parts]
impl FullBinner {
    fn registers(&mut self) {
        comment!("module: full_binner");
        dff_setup!(self, clock, side, width, base, limit, epoch, sweep, named, count, pairs, tiles, used);
        dff_setup!(self, clock, newest, calm, flying, step, resumes, cut, listed, package, words, body, x, y, rows);
        dff_setup!(self, clock, factor, row_number, at, asked, got, corner, word, draining, walk, walked, out_tile);
        dff_setup!(self, clock, list_x, list_y, node, open_node, rest_count, rest, entries, final_node, sent);
        dff_setup!(self, clock, jobs_head, jobs_tail, head_lines, in_body, body_left, body_at, now, now_x, now_y);
        dff_setup!(self, clock, decided, hides, has_slot, slot, edges, live, is_open, at_x, at_y, buffer, inside);
        dff_setup!(self, clock, closing, old_buffer, old_inside);
        clock!(self, clock, store, cache, slots, table, lists, rests, places, varyings, varyings_now, jobs);
        for k in 0..4 {
            dff_setup!(self, clock, got_word[k]);
        }
        for k in 0..3 {
            dff_setup!(self, clock, entry[k]);
        }
        for k in 0..10 {
            dff_setup!(self, clock, head_pair[k], now_pair[k]);
        }
    }

    fn setting(&mut self) {
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::SIZE)) {
            self.width.d.next = self.state.data.val().get_bits::<13>(0);
        }
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::KIND)) {
            self.side.d.next = self.state.data.val().get_bits::<3>(4);
        }
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::BIN_AREA)) {
            self.base.d.next = bit_cast::<28, 18>(self.state.data.val().get_bits::<18>(14)) << bits::<28>(10);
            self.limit.d.next = bit_cast::<25, 14>(self.state.data.val().get_bits::<14>(0)) << bits::<25>(10);
        }
        self.varyings.write_enable.next =
            self.state.valid.val() && !self.state.pass.val() && (self.state.word.val() == bits::<6>(state::VARYINGS));
        self.varyings.write_address.next = bit_cast::<6, 4>(self.state.context.val());
        self.varyings.write_data.next = bit_cast::<32, 6>(self.state.data.val().get_bits::<6>(0));
        self.within.next = bits::<12>(7);
        self.stride.next = bits::<12>(8);
        if self.side.q.val() == bits::<3>(4) {
            self.within.next = bits::<12>(15);
            self.stride.next = bits::<12>(16);
        }
        if self.side.q.val() == bits::<3>(5) {
            self.within.next = bits::<12>(31);
            self.stride.next = bits::<12>(32);
        }
        self.round.next =
            (self.width.q.val() + bit_cast::<13, 12>(self.within.val())) >> bit_cast::<13, 3>(self.side.q.val());
        self.tiles_x.next = self.round.val().get_bits::<12>(0);
    }

    fn package_size(&mut self) {
        // Where the triangle begins.
        self.begin_x.next = self.in_triangle.x0.val() & !self.within.val();
        self.begin_y.next = self.in_triangle.y0.val() & !self.within.val();
        self.start_x.next = self.begin_x.val();
        self.start_y.next = self.begin_y.val();
        if self.resumes.q.val() {
            self.start_x.next = self.x.q.val();
            self.start_y.next = self.y.q.val();
        }
        self.wide_row.next = self.start_y.val() >> bit_cast::<12, 3>(self.side.q.val());
        // Its package: 3 times the words of a corner, in whole lines, behind that of reciprocals.
        self.varyings.read_address.next = bit_cast::<6, 4>(self.in_triangle.context.val());
        self.corner_words.next = bit_cast::<8, 6>(self.varyings.read_data.val().get_bits::<6>(0));
        self.triple.next = self.corner_words.val() + self.corner_words.val() + self.corner_words.val();
        self.corner_lines.next = ((self.triple.val() + bits::<8>(3)) >> bits::<8>(2)) + bits::<8>(1);
        self.package_lines.next = bit_cast::<24, 8>(self.corner_lines.val()) + bits::<24>(5);
        // The window has room for any triangle.
        self.most_used.next = bit_cast::<25, 24>(self.used.q.val()) + self.margin.val();
        self.room.next = self.most_used.val() <= self.limit.q.val();
        self.context_bit.next = bits::<16>(1) << bit_cast::<16, 4>(self.in_triangle.context.val());
    }

    fn tile_index(&mut self) {
        self.far_x.next = self.x.q.val() | self.within.val();
        self.far_y.next = self.y.q.val() | self.within.val();
        self.last_x.next = self.far_x.val() >= self.in_triangle.x1.val();
        self.last_y.next = self.far_y.val() >= self.in_triangle.y1.val();
        self.wide_x.next = self.x.q.val() >> bit_cast::<12, 3>(self.side.q.val());
        self.wide_y.next = self.y.q.val() >> bit_cast::<12, 3>(self.side.q.val());
        self.column.next = self.wide_x.val().get_bits::<9>(0);
        self.line_of.next = self.wide_y.val().get_bits::<9>(0);
        self.index.next = (bit_cast::<13, 12>(self.row_number.q.val()) + bit_cast::<13, 12>(self.wide_x.val()))
            & self.wide_index.val();
    }

    fn lists(&mut self) {
        self.place.next = self.places.read_data.val().get_bits::<30>(0);
        self.table.read_address.next = self.index.val();
        self.lists.read_address.next = self.index.val();
        self.rests.read_address.next = self.index.val();
        if self.draining.q.val() {
            self.lists.read_address.next = bit_cast::<13, 12>(self.place.val().get_bits::<12>(0));
            self.rests.read_address.next = bit_cast::<13, 12>(self.place.val().get_bits::<12>(0));
        }
        self.found.next = self.table.read_data.val().get_bits::<44>(0);
        self.list.next = self.lists.read_data.val().get_bits::<50>(0);
        // Number 0 is of no window.
        self.current.next = self.epoch.q.val() + bits::<14>(1);
        self.known.next = self.found.val().get_value_known_epoch() == self.current.val();
        self.conflict.next = (self.known.val()
            && ((self.found.val().get_value_known_x() != self.column.val())
                || (self.found.val().get_value_known_y() != self.line_of.val())))
            || (!self.known.val() && (self.tiles.q.val() == self.most_tiles.val()));
        self.number.next = self.tiles.q.val().get_bits::<12>(0);
        self.open_line.next = self.used.q.val();
        self.list_head.next = self.used.q.val();
        self.old_count.next = bits::<2>(0);
        self.rest_now.next = bits::<64>(0);
        if self.known.val() {
            self.number.next = self.found.val().get_value_known_number();
            self.open_line.next = self.list.val().get_value_list_open();
            self.list_head.next = self.list.val().get_value_list_head();
            self.old_count.next = self.list.val().get_value_list_count();
            self.rest_now.next = self.rests.read_data.val();
        }
        // The third triangle of a node: it is written, and names the next one.
        self.fills_node.next = self.old_count.val() == bits::<2>(2);
        self.this_entry.next =
            bit_cast::<32, 24>(self.package.q.val()) | (bit_cast::<32, 6>(self.body.q.val()) << bits::<32>(24));
        self.next_used.next = self.used.q.val();
        self.next_open.next = self.open_line.val();
        self.next_count.next = self.old_count.val() + bits::<2>(1);
        self.word_rest.next = bit_cast::<64, 32>(self.this_entry.val());
        if self.old_count.val() == bits::<2>(1) {
            self.word_rest.next = self.rest_now.val() | (bit_cast::<64, 32>(self.this_entry.val()) << bits::<64>(32));
        }
        if self.fills_node.val() {
            self.next_open.next = self.used.q.val();
            self.next_count.next = bits::<2>(0);
        }
        if self.fills_node.val() || !self.known.val() {
            self.next_used.next = self.used.q.val() + bits::<24>(1);
        }
        self.word_table.next = bit_cast::<64, 14>(self.current.val())
            | (bit_cast::<64, 9>(self.column.val()) << bits::<64>(14))
            | (bit_cast::<64, 9>(self.line_of.val()) << bits::<64>(23))
            | (bit_cast::<64, 12>(self.number.val()) << bits::<64>(32));
        self.word_list.next = bit_cast::<64, 24>(self.list_head.val())
            | (bit_cast::<64, 24>(self.next_open.val()) << bits::<64>(24))
            | (bit_cast::<64, 2>(self.next_count.val()) << bits::<64>(48));
    }

    fn package_words(&mut self) {
        // What the port says, as `give.rs` reads it.
        self.pair[0].next = bit_cast::<64, 48>(self.in_triangle.c[0].val())
            | (bit_cast::<64, 16>(self.in_triangle.order.val()) << bits::<64>(48));
        self.pair[1].next = bit_cast::<64, 48>(self.in_triangle.c[1].val())
            | (bit_cast::<64, 4>(self.in_triangle.context.val()) << bits::<64>(48))
            | (bit_cast::<64, 12>(self.in_triangle.vertex[0].val()) << bits::<64>(52));
        self.pair[2].next = bit_cast::<64, 48>(self.in_triangle.c[2].val())
            | (bit_cast::<64, 12>(self.in_triangle.x0.val()) << bits::<64>(48));
        self.pair[3].next = bit_cast::<64, 52>(self.in_triangle.z.val().get_bits::<52>(0))
            | (bit_cast::<64, 12>(self.in_triangle.y0.val()) << bits::<64>(52));
        self.pair[4].next = bit_cast::<64, 50>(self.in_triangle.gx.val())
            | (bit_cast::<64, 12>(self.in_triangle.x1.val()) << bits::<64>(50));
        self.pair[5].next = bit_cast::<64, 50>(self.in_triangle.gy.val())
            | (bit_cast::<64, 12>(self.in_triangle.y1.val()) << bits::<64>(50));
        self.pair[6].next = bit_cast::<64, 24>(self.in_triangle.z_low.val())
            | (bit_cast::<64, 24>(self.in_triangle.z_high.val()) << bits::<64>(24))
            | (bit_cast::<64, 8>(self.in_triangle.z.val().get_bits::<8>(52)) << bits::<64>(49));
        if self.in_triangle.back.val() {
            self.pair[6].next = bit_cast::<64, 24>(self.in_triangle.z_low.val())
                | (bit_cast::<64, 24>(self.in_triangle.z_high.val()) << bits::<64>(24))
                | (bit_cast::<64, 8>(self.in_triangle.z.val().get_bits::<8>(52)) << bits::<64>(49))
                | (bits::<64>(1) << bits::<64>(48));
        }
        self.pair[7].next = bit_cast::<64, 24>(self.in_triangle.a[0].val())
            | (bit_cast::<64, 24>(self.in_triangle.b[0].val()) << bits::<64>(24));
        self.pair[8].next = bit_cast::<64, 24>(self.in_triangle.a[1].val())
            | (bit_cast::<64, 24>(self.in_triangle.b[1].val()) << bits::<64>(24))
            | (bit_cast::<64, 12>(self.in_triangle.vertex[1].val()) << bits::<64>(48));
        self.pair[9].next = bit_cast::<64, 24>(self.in_triangle.a[2].val())
            | (bit_cast::<64, 24>(self.in_triangle.b[2].val()) << bits::<64>(24))
            | (bit_cast::<64, 12>(self.in_triangle.vertex[2].val()) << bits::<64>(48));
    }

    fn corner_request(&mut self) {
        self.real.next = self.corner.q.val() != bits::<2>(3);
        self.geometry_req.source.next = bits::<4>(0);
        self.geometry_req.handle.next = self.in_triangle.handle.val();
        self.geometry_req.edge.next = false;
        self.geometry_req.corner.next = self.corner.q.val();
        self.geometry_req.word.next = self.word.q.val() + bits::<6>(4);
        if !self.at.q.val().any() {
            self.real.next = true;
            self.geometry_req.corner.next = self.asked.q.val().get_bits::<2>(0);
            self.geometry_req.word.next = bits::<6>(63);
        }
        self.all_asked.next = self.asked.q.val().get_bit(2) || !self.real.val();
        self.geometry_req.valid.next = (self.step.q.val() == FullStep::Ask) && !self.all_asked.val();
        self.moved.next =
            (self.step.q.val() == FullStep::Ask) && !self.all_asked.val() && self.geometry_req.ready.val();
    }

    fn line_write(&mut self) {
        self.wants_write.next = false;
        self.write_line.next = self.open_line.val();
        self.write_word[0].next = self.rest_now.val().get_bits::<32>(0);
        self.write_word[1].next = self.rest_now.val().get_bits::<32>(32);
        self.write_word[2].next = self.this_entry.val();
        self.write_word[3].next = bit_cast::<32, 24>(self.used.q.val());
        if self.fault_full_link.val() && (self.next_used.val().get_bits::<3>(0) == bits::<3>(0)) {
            self.write_word[3].next = bit_cast::<32, 24>(self.open_line.val());
        }
        if (self.step.q.val() == FullStep::Find) && !self.conflict.val() && self.fills_node.val() {
            self.wants_write.next = true;
        }
        if self.step.q.val() == FullStep::Head {
            self.wants_write.next = true;
            self.write_line.next = self.package.q.val() + bit_cast::<24, 6>(self.at.q.val());
            for k in 0..5 {
                if self.at.q.val() == k.to_bits::<6>() {
                    self.write_word[0].next = self.pair[2 * k].val().get_bits::<32>(0);
                    self.write_word[1].next = self.pair[2 * k].val().get_bits::<32>(32);
                    self.write_word[2].next = self.pair[2 * k + 1].val().get_bits::<32>(0);
                    self.write_word[3].next = self.pair[2 * k + 1].val().get_bits::<32>(32);
                }
            }
        }
        if self.step.q.val() == FullStep::Line {
            self.wants_write.next = true;
            self.write_line.next = self.package.q.val() + bit_cast::<24, 6>(self.at.q.val()) + bits::<24>(5);
            for k in 0..4 {
                self.write_word[k].next = self.got_word[k].q.val();
            }
        }
        self.may_write.next = !self.flying.q.val().get_bit(4);
        self.writes.next = self.wants_write.val() && self.may_write.val() && self.m_req.ready.val();
        self.write_address.next = self.base.q.val() + bit_cast::<28, 24>(self.write_line.val());
    }

    fn triangle_start(&mut self) {
        self.in_triangle.ready.next = false;
        self.record_free_valid.next = false;
        self.record_free_handle.next = self.in_triangle.handle.val();
        self.advances.next = false;
        self.puts.next = false;
        self.tiles_end.next = self.last_x.val() && self.last_y.val();
        if self.step.q.val() == FullStep::Ready {
            self.at.d.next = bits::<6>(0);
            self.asked.d.next = bits::<3>(0);
            self.got.d.next = bits::<3>(0);
            self.corner.d.next = bits::<2>(0);
            self.word.d.next = bits::<6>(0);
            if self.in_triangle.valid.val()
                && !self.draining.q.val()
                && !self.sweep.q.val().any()
                && (!self.tiles.q.val().any() || self.room.val())
            {
                self.step.d.next = FullStep::Row;
                self.listed.d.next = false;
                self.cut.d.next = false;
                self.package.d.next = self.used.q.val();
                self.used.d.next = self.used.q.val() + self.package_lines.val();
                self.words.d.next = self.corner_words.val().get_bits::<6>(0);
                self.body.d.next = self.corner_lines.val().get_bits::<6>(0);
                self.x.d.next = self.start_x.val();
                self.y.d.next = self.start_y.val();
                self.rows.d.next = self.wide_row.val().get_bits::<9>(0);
                self.factor.d.next = self.tiles_x.val();
                self.row_number.d.next = bits::<12>(0);
            }
        }
        if self.step.q.val() == FullStep::Row {
            self.rows.d.next = self.rows.q.val() >> bits::<9>(1);
            self.factor.d.next = self.factor.q.val() << bits::<12>(1);
            if self.rows.q.val().get_bit(0) {
                self.row_number.d.next = self.row_number.q.val() + self.factor.q.val();
            }
            if !self.rows.q.val().any() {
                self.step.d.next = FullStep::Tile;
                // The bit of the tile was taken in the window before.
                if self.resumes.q.val() {
                    self.step.d.next = FullStep::Find;
                }
            }
        }
    }

    fn tile_decision(&mut self) {
        self.visible_ports.visible_ready.next = self.step.q.val() == FullStep::Tile;
        self.decides.next = (self.step.q.val() == FullStep::Tile) && self.visible_ports.visible_valid.val();
        if (self.step.q.val() == FullStep::Tile) && self.visible_ports.visible_valid.val() {
            if self.visible_ports.visible.val() {
                self.step.d.next = FullStep::Find;
            } else {
                self.advances.next = true;
            }
        }
        if self.step.q.val() == FullStep::Find {
            if self.conflict.val() {
                // The rest of its tiles is in the next window.
                self.cut.d.next = !self.fault_full_cut.val();
                self.resumes.d.next = true;
                self.step.d.next = FullStep::Head;
                if !self.listed.q.val() {
                    self.used.d.next = self.package.q.val();
                    self.step.d.next = FullStep::Drawn;
                }
            } else {
                if !self.fills_node.val() || self.writes.val() {
                    self.puts.next = true;
                    self.advances.next = true;
                }
            }
        }
    }

    fn list_entry(&mut self) {
        if self.puts.val() {
            self.listed.d.next = true;
            self.newest.d.next = self.in_triangle.order.val();
            self.used.d.next = self.next_used.val();
            self.pairs.d.next = self.pairs.q.val() + bits::<24>(1);
            if !self.known.val() {
                self.tiles.d.next = self.tiles.q.val() + bits::<13>(1);
            }
            if !self.fault_full_context.val() {
                self.named.d.next = self.named.q.val() | self.context_bit.val();
            }
        }
        if self.advances.val() {
            self.step.d.next = FullStep::Tile;
            self.x.d.next = self.x.q.val() + self.stride.val();
            if self.last_x.val() {
                self.x.d.next = self.begin_x.val();
                self.y.d.next = self.y.q.val() + self.stride.val();
                self.row_number.d.next = self.row_number.q.val() + self.tiles_x.val();
            }
            if self.tiles_end.val() {
                self.step.d.next = FullStep::Head;
                if !self.listed.q.val() && !self.puts.val() {
                    self.used.d.next = self.package.q.val();
                    self.step.d.next = FullStep::Free;
                }
            }
        }
    }

    fn tables(&mut self) {
        self.table.write_enable.next = self.puts.val();
        self.table.write_address.next = self.index.val();
        self.table.write_data.next = self.word_table.val();
        if self.sweep.q.val().any() {
            self.sweep.d.next = self.sweep.q.val() - bits::<12>(1);
            self.table.write_enable.next = true;
            self.table.write_address.next = bit_cast::<13, 12>(self.sweep.q.val());
            self.table.write_data.next = bits::<64>(0);
        }
        self.lists.write_enable.next = self.puts.val();
        self.lists.write_address.next = self.index.val();
        self.lists.write_data.next = self.word_list.val();
        self.rests.write_enable.next = self.puts.val();
        self.rests.write_address.next = self.index.val();
        self.rests.write_data.next = self.word_rest.val();
        self.places.write_enable.next = self.puts.val() && !self.known.val();
        self.places.write_address.next = self.tiles.q.val();
        self.places.write_data.next = bit_cast::<64, 13>(self.index.val())
            | (bit_cast::<64, 9>(self.column.val()) << bits::<64>(12))
            | (bit_cast::<64, 9>(self.line_of.val()) << bits::<64>(21));
    }

    fn package_steps(&mut self) {
        if (self.step.q.val() == FullStep::Head) && self.writes.val() {
            self.at.d.next = self.at.q.val() + bits::<6>(1);
            if self.at.q.val() == bits::<6>(4) {
                self.at.d.next = bits::<6>(0);
                self.step.d.next = FullStep::Ask;
            }
        }
        if self.moved.val() {
            self.asked.d.next = self.asked.q.val() + bits::<3>(1);
            if self.at.q.val().any() {
                self.word.d.next = self.word.q.val() + bits::<6>(1);
                if (self.word.q.val() + bits::<6>(1)) == self.words.q.val() {
                    self.word.d.next = bits::<6>(0);
                    self.corner.d.next = self.corner.q.val() + bits::<2>(1);
                }
            }
        }
        if self.geometry_rsp.valid.val() {
            self.got.d.next = self.got.q.val() + bits::<3>(1);
            for k in 0..4 {
                if self.got.q.val().get_bits::<2>(0) == k.to_bits::<2>() {
                    self.got_word[k].d.next = self.geometry_rsp.data.val();
                }
            }
        }
        if (self.step.q.val() == FullStep::Ask) && self.all_asked.val() && (self.got.q.val() == self.asked.q.val()) {
            self.step.d.next = FullStep::Line;
        }
        if (self.step.q.val() == FullStep::Line) && self.writes.val() {
            self.asked.d.next = bits::<3>(0);
            self.got.d.next = bits::<3>(0);
            self.at.d.next = self.at.q.val() + bits::<6>(1);
            self.step.d.next = FullStep::Ask;
            if (self.at.q.val() + bits::<6>(1)) == self.body.q.val() {
                self.step.d.next = FullStep::Free;
                if self.cut.q.val() {
                    self.step.d.next = FullStep::Drawn;
                }
            }
        }
        if self.step.q.val() == FullStep::Free {
            self.in_triangle.ready.next = true;
            self.record_free_valid.next = true;
            self.resumes.d.next = false;
            self.step.d.next = FullStep::Ready;
            if self.listed.q.val() {
                self.count.d.next = self.count.q.val() + bits::<16>(1);
            }
        }
    }
}
