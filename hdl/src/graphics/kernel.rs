//! The kernel of the graphics pipeline: which block is connected to which ([`super`]). It is a file
//! of its own for its length.
//!
//! It can be wrong in a swapped or forgotten connection, which lockstep finds.

use quadlock_hdl_macros::kernel;
use quadlock_isa::records::pass;
use rust_hdl::prelude::*;

use super::GraphicsPipeline;
use crate::base::{Nothing, Quiet};
use crate::comment;
use crate::ports::*;

#[kernel(wired)]
impl GraphicsPipeline {
    /// Words of state go to all blocks, and to the windows of the constant bank. Full binning
    /// reports what of its triangles is in memory.
    fn states(&mut self) {
        comment!("module: graphics_pipeline");
        dff_setup!(self, clock, side, tile_requested, word_held, word_core, result_held, result_core);
        clock!(self, clock, streamer, front_end, geometry, rasteriser, depth, collector, results);
        clock!(self, clock, dispatcher, blend, tiles);

        // State goes to all.
        fan_out!(StateWriteOut: self.streamer.state =>
            self.geometry.state, self.rasteriser.state, self.depth.state, self.collector.state, self.results.state,
            self.dispatcher.state, self.blend.state, self.tiles.state
        );
        StateWriteOut::link(&mut self.state, &mut self.streamer.state);
        self.window.valid.next = self.streamer.constant_write_valid.val();
        self.window.addr.next = (bit_cast::<13, 5>(self.streamer.constant_write_window.val()) << bits::<13>(8))
            | bit_cast::<13, 8>(self.streamer.constant_write_word.val());
        self.window.data.next = self.streamer.constant_write_data.val();
        if self.streamer.state.pass.val() && (self.streamer.state.word.val() == bits::<6>(pass::KIND)) {
            self.side.d.next = self.streamer.state.data.val().get_bits::<3>(4);
        }
        copy_fields!(self => self.streamer: start, list, memory_idle);
        // Contexts that triangles in memory name are in use.
        self.binned_contexts.next = bits::<16>(0);
        self.stored_busy.next = false;
        self.stored_spent.next = false;
        if self.full_binner.is_built() {
            copy_fields!(self.full_binner => self:
                contexts as binned_contexts, busy as stored_busy, spent as stored_spent
            );
        }
    }

    /// The front end takes entries; without culling it takes draws here.
    fn front_end(&mut self) {
        if !self._config.culls() {
            self.named_contexts.next =
                self.front_end.contexts.val() | self.geometry.contexts.val() | self.binned_contexts.val();
            DrawOut::join(&mut self.streamer.draw, &mut self.front_end.draw);
            self.streamer.pass_done.next = self.tiles.done.val();
            copy_fields!(self.streamer => self: finish, waits as list_waits, busy);
            PassEdgeOut::join(&mut self.streamer.pass_ports, &mut self.tiles.pass_ports);
        }
        FreeEntryOut::join(&mut self.geometry.entry_ports, &mut self.front_end.entry_ports);
        DroppedEntryOut::join(&mut self.front_end.drop, &mut self.geometry.drop);
        self.front_end.drop_ready.next = self.geometry.drop_ready.val();
    }

    /// The streamer of the cull pipeline leads, and the other one follows. The draws of the
    /// follower look for bits of triangles.
    fn cull_pipeline(&mut self) {
        if self._config.culls() {
            clock!(self, clock, follower, command_lead, cull);
            StateWriteOut::join(&mut self.streamer.state, &mut self.cull.state);
            fan_out!(self.start => self.follower.start, self.command_lead.start);
            copy_fields!(self => self.follower: list, memory_idle);
            copy_fields!(self.streamer => self.command_lead: begins[0] as leads, busy as leader_busy, wrote[0] as _);
            copy_fields!(self.follower => self.command_lead: begins[0] as follows, between[0] as _, takes[0] as _);
            copy_fields!(self.command_lead => self.streamer: may_lead as may_begin[0], met as _[0], state_room as _[0]);
            self.follower.may_begin[0].next = self.command_lead.may_follow.val();
            self.named_contexts.next = self.front_end.contexts.val()
                | self.geometry.contexts.val()
                | self.cull.contexts.val()
                | self.binned_contexts.val();
            self.follower.contexts_busy.next = bits::<16>(0);
            self.streamer.pass_done.next = false;
            self.follower.pass_done.next = self.tiles.done.val();
            self.finish.next = self.follower.finish.val();
            // The one that leads may wait for what was drawn when all was told to be.
            self.list_waits.next =
                self.follower.waits.val() || (self.streamer.waits.val() && self.command_lead.met.val());
            PassEdgeOut::join(&mut self.follower.pass_ports, &mut self.tiles.pass_ports);
            self.busy.next = self.streamer.busy.val() || self.follower.busy.val();
            DrawOut::join(&mut self.streamer.draw, &mut self.cull.draw);
            DrawOut::join(&mut self.follower.draw, &mut self.front_end.draw);
            self.front_end.draw_bypass[0].next = self.follower.draw_bypass[0].val();
            self.front_end.strips[0].next = self.geometry.are_strips[0].val();
            // Bits, and marks of what they leave out.
            copy_fields!(self.cull.cull_bit_ports => self.front_end:
                bit_valid as cull_bit_valid[0], bit_shows as cull_bit_visible[0]
            );
            self.cull.cull_bit_ports.bit_take.next = self.front_end.cull_bit_take[0].val();
            self.geometry.corner_skip[0].next = self.front_end.corner_skip[0].val();
            AheadEventOut::link(&mut self.aheads[0], &mut self.cull.ahead);
            // Its vertices are shaded.
            ShadedEntriesOut::join(&mut self.dispatcher.shaded_ports, &mut self.cull.shaded_ports);
            self.cull.shaded_ports.shaded_valid.next = self.dispatcher.cull_shaded_valid.val();
        }
    }

    /// The cull pipeline has no visibility unit, or the one that there is.
    fn cull_visibility(&mut self) {
        if self._config.culls() {
            if !self._config.culls_depth() {
                self.cull.triangle.ready.next = true;
                Quiet::<CullDoneIn>::join(&mut self.cull.done, &mut Nothing);
                self.streamer.bypass_waits[0].next = false;
                self.streamer.cull_idle[0].next = self.cull.idle.val();
            } else {
                let unit = &mut self.depth_visibility;
                TriangleOut::join(&mut self.cull.triangle, &mut unit.in_triangle);
                self.cull.done.valid.next = unit.triangle.valid.val();
                unit.triangle.ready.next = self.cull.done.ready.val();
                copy_fields!(unit => self.cull.done: triangle.order as order, triangle.handle as handle, seen[0] as shows);
                unit.visible_ports.visible_ready.next = true;
                // All before is drawn: the front end waits for this triangle's bit.
                unit.drained[0].next = self.front_end.cull_bit_waits[0].val()
                    && (self.cull.cull_bit_ports.bit_order.val() == self.cull.triangle.order.val())
                    && self.geometry.settled[0].val()
                    && !self.stored_busy.val();
                self.streamer.bypass_waits[0].next = unit.bypass_waits[0].val();
                self.streamer.cull_idle[0].next = self.cull.idle.val() && unit.idle[0].val();
            }
            if self.depth_visibility.is_built() {
                copy_fields!(self.streamer => self.depth_visibility: draw.context as bypass_context[0], draw_bypasses[0] as bypass[0]);
            }
        }
    }

    /// Geometry takes corners and shaded vertices, and gets its records back.
    fn geometry_ports(&mut self) {
        CornerOut::join(&mut self.front_end.corner, &mut self.geometry.corner);
        ShadedEntriesOut::join(&mut self.dispatcher.shaded_ports, &mut self.geometry.shaded_ports);
        TriangleEventOut::link(&mut self.triangle_event, &mut self.geometry.triangle_event);
        for store in one_of!(self.full_binner, self.geometry if !self._config.bins()) {
            FreedHandleOut::join(&mut self.results.free_ports, &mut store.free_ports);
            StoreAnswerOut::link(&mut self.store_rsp, &mut store.store_rsp);
        }
        // With full binning it is the binner whom cores ask, and who asks geometry.
        if self.full_binner.is_built() {
            self.geometry.stored_busy[0].next = self.full_binner.busy.val();
            copy_fields!(self.full_binner => self.geometry.free_ports:
                record_free_valid as free_valid, record_free_handle as free_handle
            );
            StoreReadOut::join(&mut self.full_binner.geometry_req, &mut self.geometry.store_req);
            StoreAnswerOut::join(&mut self.geometry.store_rsp, &mut self.full_binner.geometry_rsp);
        }
    }

    /// Ports for words and questions are idle as long as no core has one.
    fn idle_ports(&mut self) {
        self.geometry.vertex_word.valid.next = false;
        self.results.word.valid.next = false;
        for store in one_of!(self.full_binner, self.geometry if !self._config.bins()) {
            store.store_req.valid.next = false;
            StoreReadDataIn::link(&mut self.store_req[0], &mut store.store_req);
        }
        VertexWordDataIn::link(&mut self.vertex_word[0], &mut self.geometry.vertex_word);
        if self._config.culls() {
            self.cull.vertex_word.valid.next = false;
            VertexWordDataIn::link(&mut self.vertex_word[0], &mut self.cull.vertex_word);
        }
        ResultWordDataIn::link(&mut self.result_word[0], &mut self.results.word);
    }

    /// The lowest core with a word or store read goes first; a waiting word keeps its turn.
    fn core_arbitration(&mut self) {
        // A word may take several cycles; it is not left for another core's meanwhile.
        self.word_held.d.next = false;
        self.result_held.d.next = false;
        self.word_found.next = false;
        self.result_found.next = false;
        self.store_req_found.next = false;
        for c in 0..self._config.total_cores() {
            self.vertex_word[c].ready.next = false;
            self.result_word[c].ready.next = false;
            self.store_req[c].ready.next = false;
            if self.vertex_word[c].valid.val()
                && !self.word_found.val()
                && (!self.word_held.q.val() || (self.word_core.q.val() == c.to_bits::<4>()))
            {
                self.word_found.next = true;
                self.geometry.vertex_word.valid.next = true;
                self.vertex_word[c].ready.next = self.geometry.vertex_word.ready.val();
                self.word_held.d.next = !self.geometry.vertex_word.ready.val();
                self.word_core.d.next = c.to_bits::<4>();
                VertexWordDataIn::link(&mut self.vertex_word[c], &mut self.geometry.vertex_word);
                if self._config.culls() {
                    VertexWordDataIn::link(&mut self.vertex_word[c], &mut self.cull.vertex_word);
                    if self.vertex_word_cull[c].val() {
                        self.geometry.vertex_word.valid.next = false;
                        self.cull.vertex_word.valid.next = true;
                        self.vertex_word[c].ready.next = self.cull.vertex_word.ready.val();
                        self.word_held.d.next = !self.cull.vertex_word.ready.val();
                    }
                }
            }
            if self.result_word[c].valid.val()
                && !self.result_found.val()
                && (!self.result_held.q.val() || (self.result_core.q.val() == c.to_bits::<4>()))
            {
                self.result_found.next = true;
                self.results.word.valid.next = true;
                self.result_word[c].ready.next = self.results.word.ready.val();
                self.result_held.d.next = !self.results.word.ready.val();
                self.result_core.d.next = c.to_bits::<4>();
                ResultWordDataIn::link(&mut self.result_word[c], &mut self.results.word);
            }
            if self.store_req[c].valid.val() && !self.store_req_found.val() {
                self.store_req_found.next = true;
                for store in one_of!(self.full_binner, self.geometry if !self._config.bins()) {
                    store.store_req.valid.next = true;
                    self.store_req[c].ready.next = store.store_req.ready.val();
                    StoreReadDataIn::link(&mut self.store_req[c], &mut store.store_req);
                }
            }
        }
    }

    /// Triangles and quads pass by the visibility units that are left out.
    fn bypass(&mut self) {
        if self.edge_visibility.is_built() {
            clock!(self, clock, edge_visibility);
            StateWriteOut::join(&mut self.streamer.state, &mut self.edge_visibility.state);
        }
        if !self.depth_visibility.is_built() {
            self.tile_done.next = self.rasteriser.tile_done.val();
            QuadDataOut::join(&mut self.rasteriser.quad, &mut self.depth.early_quad);
            self.rastered_last.next = self.rasteriser.quad.last.val() && !self.rasteriser.quad.end.val();
            self.rastered_buffer.next = self.rasteriser.quad.buffer.val();
        }
        if !self._config.hides() || self._config.updates_back() {
            fan_out!(self.rasteriser.quad.valid => self.depth.early_quad.valid, self.rastered);
            self.rasteriser.quad.ready.next = self.depth.early_quad.ready.val();
        }
        if !self._config.hides() {
            // Whoever asks whether something is hidden hears at once that it is not.
            self.rasteriser.answer_ports.answer_valid.next = true;
            self.rasteriser.answer_ports.hidden.next = false;
        }
    }

    /// Hi-Z in the rasteriser answers for groups of quads and their parts.
    fn late_hi_z(&mut self) {
        if self.raster_hi_z.is_built() {
            QuadOut::join(&mut self.rasteriser.quad, &mut self.raster_hi_z.in_quad);
            self.raster_hi_z.tile_done.next = self.rasteriser.tile_done.val();
            if self._config.tests_parts() {
                self.raster_hi_z.part_begins[0].next = self.rasteriser.part_begins[0].val();
                PartAnswerOut::join(&mut self.raster_hi_z.part[0], &mut self.rasteriser.part[0]);
            }
            if !self.depth_visibility.is_built() {
                fan_out!(self.raster_hi_z.quad_valid => self.depth.early_quad.valid, self.rastered);
                self.raster_hi_z.quad_ready.next = self.depth.early_quad.ready.val();
                CullEventOut::link(&mut self.culls[0], &mut self.raster_hi_z.cull);
                if self._config.tests_parts() {
                    CullEventOut::link(&mut self.culls[self._cullers - 1], &mut self.raster_hi_z.part_cull[0]);
                }
            }
        }
        if self.edge_visibility.is_built() && !self._config.culls_depth() {
            CullEventOut::link(&mut self.culls[self._edge_culler], &mut self.edge_visibility.cull);
        }
    }

    /// The rasteriser asks its own structure about groups, or that of written depths. Units that
    /// cull have event ports.
    fn hi_z(&mut self) {
        for hi_z in one_of!(self.raster_hi_z, self.back_visibility) {
            hi_z.clock.next = self.clock.val();
            StateWriteOut::join(&mut self.streamer.state, &mut hi_z.state);
            QuadGroupOut::join(&mut self.rasteriser.query, &mut hi_z.query);
            TriangleFactsOut::join(&mut self.rasteriser.query_facts, &mut hi_z.query_facts);
            hi_z.query_taken.next = self.rasteriser.query_taken.val();
            GroupAnswerOut::join(&mut hi_z.answer_ports, &mut self.rasteriser.answer_ports);
        }
        if self.back_visibility.is_built() {
            FreedHandleOut::join(&mut self.results.free_ports, &mut self.back_visibility.free_ports);
            self.depth.update_room[0].next = self.back_visibility.update_room.val();
        }
        for unit in one_of!(self.depth_visibility, self.back_visibility) {
            for c in 0..self._cullers {
                CullEventOut::link(&mut self.culls[c], &mut unit.culls[c]);
            }
        }
    }

    /// Hi-Z before the binner answers the rasteriser, and receives its quads.
    fn early_hi_z(&mut self) {
        if self.depth_visibility.is_built() {
            let unit = &mut self.depth_visibility;
            clock!(self, clock, depth_visibility);
            StateWriteOut::join(&mut self.streamer.state, &mut unit.state);
            QuadGroupDataOut::join(&mut self.rasteriser.query, &mut unit.query);
            TriangleFactsOut::join(&mut self.rasteriser.query_facts, &mut unit.query_facts);
            if self.raster_hi_z.is_built() {
                // The rasteriser asks its own structure.
                unit.raster_quad_valid.next = self.raster_hi_z.quad_valid.val();
                self.raster_hi_z.quad_ready.next = unit.raster_quad_ready.val();
                CullEventOut::join(&mut self.raster_hi_z.cull, &mut unit.raster_cull[0]);
                if self._config.tests_parts() {
                    CullEventOut::join(&mut self.raster_hi_z.part_cull[0], &mut unit.raster_part_cull[0]);
                }
            } else {
                copy_fields!(self.rasteriser => unit: query.valid as query_valid[0], query_taken as query_taken[0]);
                GroupAnswerOut::join(&mut unit.answer_ports[0], &mut self.rasteriser.answer_ports);
                unit.raster_quad_valid.next = self.rasteriser.quad.valid.val();
                self.rasteriser.quad.ready.next = unit.raster_quad_ready.val();
                if self._config.tests_parts() {
                    unit.part_begins[0].next = self.rasteriser.part_begins[0].val();
                    PartAnswerOut::join(&mut unit.part[0], &mut self.rasteriser.part[0]);
                }
            }
            QuadDataOut::join(&mut self.rasteriser.quad, &mut unit.raster_quad);
            unit.raster_done.next = self.rasteriser.tile_done.val();
            self.tile_done.next = unit.tile_done.val();
            QuadOut::join(&mut unit.quad, &mut self.depth.early_quad);
            self.rastered.next = unit.quad.valid.val();
            self.rastered_last.next = unit.quad.last.val() && !unit.quad.end.val();
            self.rastered_buffer.next = unit.quad.buffer.val();
            // The unit is the cull pipeline's, and says nothing of single tiles.
            if self._config.culls_depth() {
                CullEventOut::join(&mut self.edge_visibility.cull, &mut unit.edge_cull[0]);
            }
        }
    }

    /// Triangles go from geometry through the one visibility unit to the binner, with the bits of
    /// their tiles.
    fn before_binner(&mut self) {
        for unit in one_of!(
            self.visibility,
            self.edge_visibility,
            self.depth_visibility if self._config.knows_ahead() && !self._config.culls_depth(),
            self.back_visibility
        ) {
            TriangleOut::join(&mut self.geometry.triangle, &mut unit.in_triangle);
            self.stage.set_up.next = self.geometry.triangle.valid.val() && !unit.in_triangle.ready.val();
            for binner in one_of!(self.binner, self.window_binner, self.full_binner) {
                TriangleOut::join(&mut unit.triangle, &mut binner.in_triangle);
                self.stage.seen.next = unit.triangle.valid.val() && !binner.in_triangle.ready.val();
                TileVisibilityOut::join(&mut unit.visible_ports, &mut binner.visible_ports);
            }
        }
        for unit in one_of!(self.visibility, self.back_visibility) {
            DepthUpdateOut::join(&mut self.depth.update, &mut unit.update);
        }
    }

    /// The binner may ask whether a triangle is hidden in its tile.
    fn binner_questions(&mut self) {
        for binner in one_of!(self.binner, self.window_binner, self.full_binner) {
            binner.clock.next = self.clock.val();
            StateWriteOut::join(&mut self.streamer.state, &mut binner.state);
            if self._config.binner_asks() {
                for unit in one_of!(self.depth_visibility, self.back_visibility) {
                    unit.pair[0].valid.next = binner.query_valid.val();
                    copy_fields!(binner => unit: query_x as pair_x[0], query_y as pair_y[0]);
                    unit.pair_taken[0].next = binner.query_taken.val();
                    TriangleDataOut::join(&mut binner.triangle, &mut unit.pair[0]);
                    copy_fields!(unit => binner: pair_answer[0] as answer_valid, pair_hidden[0] as hidden);
                }
            } else {
                binner.answer_valid.next = true;
                binner.hidden.next = false;
            }
        }
    }

    /// The binner gives triangles to the rasteriser, and opens and closes tiles. A tile is
    /// requested once, and open when the tile buffers report it.
    fn binner_output(&mut self) {
        for binner in one_of!(self.binner, self.window_binner, self.full_binner) {
            binner.finish.next = self.finish.val();
            binner.tile_done.next = self.tile_done.val();
            TriangleOut::join(&mut binner.triangle, &mut self.rasteriser.triangle);
            self.stage.binned.next = binner.triangle.valid.val() && !self.rasteriser.triangle.ready.val();
            self.stage.opening.next = binner.open_valid.val() && !self.tiles.opened.val();
            self.stage.sorts.next = binner.busy.val();
            self.work.rastered.next = binner.triangle.valid.val() && self.rasteriser.triangle.ready.val();
            TileOut::join(&mut binner.tile, &mut self.rasteriser.tile);
            self.tile_x.next = binner.open_x.val() >> bit_cast::<12, 3>(self.side.q.val());
            self.tile_y.next = binner.open_y.val() >> bit_cast::<12, 3>(self.side.q.val());
            self.tiles.open_valid.next = binner.open_valid.val() && !self.tile_requested.q.val();
            if binner.open_valid.val() && self.tiles.open_ready.val() {
                self.tile_requested.d.next = true;
            }
            copy_fields!(self.tiles => binner: opened as open_ready, opened_buffer as open_buffer);
            copy_fields!(binner => self.tiles: close_valid as close, close_buffer);
        }
        self.tiles.open_x.next = self.tile_x.val().get_bits::<9>(0);
        self.tiles.open_y.next = self.tile_y.val().get_bits::<9>(0);
        if self.tiles.opened.val() {
            self.tile_requested.d.next = false;
        }
        if self.back_visibility.is_built() {
            copy_fields!(self.tiles => self.depth.opened_ports[0]: opened, opened_buffer);
            self.depth.opened_ports[0].opened_x.next = self.tile_x.val().get_bits::<9>(0);
            self.depth.opened_ports[0].opened_y.next = self.tile_y.val().get_bits::<9>(0);
        }
    }

    /// Binners with windows report them, and wait for the list and for geometry.
    fn window_waits(&mut self) {
        self.run_waits.next = false;
        if self.depth_visibility.is_built() {
            self.run_waits.next = self.depth_visibility.holds.val();
        }
        if self.window_binner.is_built() {
            WindowEventOut::link(&mut self.windows[0], &mut self.window_binner.window);
            copy_fields!(self.geometry => self.window_binner: starved[0] as starved, unnumbered[0] as unnumbered);
            self.window_binner.held.next = self.run_waits.val();
            self.window_binner.contextless.next = self.streamer.contextless.val();
            // While a draw is read more triangles come, however long its vertices take.
            self.window_binner.waits.next = self.list_waits.val() && self.front_end.idle.val();
        }
        if self.full_binner.is_built() {
            WindowEventOut::link(&mut self.windows[0], &mut self.full_binner.window);
            // A run of Hi-Z waits until what was collected is drawn.
            self.full_binner.unnumbered.next = self.geometry.unnumbered[0].val();
            self.full_binner.starved.next = self.run_waits.val();
            // What geometry has comes, however long it takes.
            self.full_binner.waits.next =
                self.list_waits.val() && self.front_end.idle.val() && self.geometry.idle.val();
            if self.depth_visibility.is_built() && !self._config.culls_depth() {
                self.depth_visibility.binner_busy[0].next = self.full_binner.busy.val();
            }
        }
    }

    /// Each client has its port of memory. Ports without a client are idle.
    fn memory_clients(&mut self) {
        LineReadOut::link(&mut self.mem_req[0], &mut self.streamer.m_req);
        LineReadOut::link(&mut self.mem_req[1], &mut self.front_end.m_req);
        LineRequestOut::link(&mut self.mem_req[2], &mut self.tiles.m_req);
        if self._config.culls() {
            LineReadOut::link(&mut self.mem_req[3], &mut self.follower.m_req);
            LineReadOut::link(&mut self.mem_req[4], &mut self.cull.m_req);
        } else {
            for m in 3..self.mem_req.len().min(5) {
                Quiet::<LineRequestOut>::join(&mut self.mem_req[m], &mut Nothing);
            }
        }
        if self.full_binner.is_built() {
            LineRequestOut::link(&mut self.mem_req[5], &mut self.full_binner.m_req);
        } else {
            for m in 5..self.mem_req.len().min(6) {
                Quiet::<LineRequestOut>::join(&mut self.mem_req[m], &mut Nothing);
            }
        }
        // The place in the list is the client's number.
        for (m, client) in each_of!(
            self.streamer if true, self.front_end if true, self.tiles if true,
            self.follower, self.cull, self.full_binner
        ) {
            client.m_rsp.valid.next = self.mem_rsp_valid[m].val();
            LineDataIn::link(&mut self.mem_rsp, &mut client.m_rsp);
        }
        if self._config.spills() {
            LineRequestOut::link(&mut self.mem_req[6], &mut self.depth_visibility.m_req[0]);
            self.depth_visibility.m_rsp[0].valid.next = self.mem_rsp_valid[6].val();
            LineDataIn::link(&mut self.mem_rsp, &mut self.depth_visibility.m_rsp[0]);
        }
    }

    /// Quads go from early tests to the collector, and may wait for partners.
    fn quads(&mut self) {
        QuadOut::join(&mut self.depth.quad, &mut self.collector.quad);
        self.collector.rastered.next =
            self.rastered.val() && self.rastered_last.val() && self.depth.early_quad.ready.val();
        self.collector.rastered_buffer.next = self.rastered_buffer.val();
        self.collector.room.next = self.results.room.val();
        CollectedOut::join(&mut self.collector.collected, &mut self.results.collected);
        for queue in one_of!(self.merge, self.merge_passage) {
            queue.clock.next = self.clock.val();
            StateWriteOut::join(&mut self.streamer.state, &mut queue.state);
            ShadeOut::join(&mut self.collector.shade, &mut queue.in_quad);
            // Without merging no quad waits for a partner; the merge queue's own values follow.
            queue.drain.next = false;
            queue.limit.next = bits::<16>(0);
            ShadeOut::join(&mut queue.shade, &mut self.dispatcher.shade);
            self.stage.shade.next = queue.shade.valid.val() && !self.dispatcher.shade.ready.val();
            PairingOut::join(&mut queue.pairing, &mut self.dispatcher.pairing);
            self.unpaired.next = queue.idle.val();
        }
        if self.merge.is_built() {
            // When the list waits for what was drawn, and no quad has come for a while, none waits
            // for a partner.
            dff_setup!(self, clock, gap[0]);
            if !self.gap[0].q.val().get_bit(4) {
                self.gap[0].d.next = self.gap[0].q.val() + bits::<5>(1);
            }
            if self.collector.shade.valid.val() {
                self.gap[0].d.next = bits::<5>(0);
            }
            self.merge.drain.next = ((self.list_waits.val() && self.front_end.idle.val()) || self.stored_spent.val())
                && self.gap[0].q.val().get_bit(4);
            self.merge.limit.next = self.merge_limit[0].val();
        }
    }

    /// The dispatcher launches warps, and receives their ends.
    fn warps(&mut self) {
        self.dispatcher.start.next = self.start.val();
        VertexBatchOut::join(&mut self.front_end.batch, &mut self.dispatcher.batch);
        if self._config.culls() {
            VertexBatchOut::join(&mut self.cull.batch, &mut self.dispatcher.cull);
        } else {
            // The cull pipeline's seat is empty.
            Quiet::<VertexBatchIn>::join(&mut self.dispatcher.cull, &mut Nothing);
        }
        GraphicsStartOut::link(&mut self.launch, &mut self.dispatcher.launch);
        TagsOut::link(&mut self.tags, &mut self.dispatcher.tags);
        copy_fields!(for k in 0..self.launch_twin.len(); self.dispatcher => self: launch_twin[k]);
        for r in 0..self._config.rows {
            WarpEndIn::link(&mut self.end[r], &mut self.dispatcher.end[r]);
        }
        copy_fields!(for u in 0..self.covered.len(); self => self.dispatcher: covered[u]);
        copy_fields!(for u in 0..self.mates.len(); self => self.dispatcher: mates[u]);
        copy_fields!(for u in 0..self.mates_high.len(); self => self.dispatcher: mates_high[u]);
        FragmentEndOut::join(&mut self.dispatcher.fragment, &mut self.results.end);
    }

    /// Results go through late tests and blending into the tile buffers.
    fn commits(&mut self) {
        CommitOut::join(&mut self.results.commit, &mut self.depth.late_commit);
        self.blend.in_valid.next = self.depth.commit.valid.val();
        self.depth.commit.ready.next = self.blend.in_ready.val();
        CommitDataOut::join(&mut self.depth.commit, &mut self.blend.commit);
        self.commit.valid.next = self.depth.commit.valid.val() && self.blend.in_ready.val();
        CommitDataOut::link(&mut self.commit, &mut self.depth.commit);
        QuadReadOut::join(&mut self.blend.read, &mut self.tiles.colour_read);
        LineDataOut::join(&mut self.tiles.colour_line, &mut self.blend.read_line);
        QuadWriteOut::join(&mut self.blend.write, &mut self.tiles.colour_write);
        QuadReadOut::join(&mut self.depth.read, &mut self.tiles.depth_read);
        LineDataOut::join(&mut self.tiles.depth_line, &mut self.depth.read_line);
        QuadWriteOut::join(&mut self.depth.write, &mut self.tiles.depth_write);
        copy_fields!(self.collector => self.tiles: waiting, tile_enter as enter, tile_enter_buffer as enter_buffer);
        copy_fields!(self.blend => self.tiles: done as leave, done_buffer as leave_buffer);
        self.results.written_quad.next = self.blend.done.val();
        copy_fields!(self.tiles => self: tile_written, tile_reloaded);
    }

    /// A unit that can work long reports each step.
    fn progress(&mut self) {
        self.work.decided.next = false;
        for binner in one_of!(self.binner, self.window_binner) {
            self.work.decided.next = binner.visible_ports.visible_ready.val();
        }
        if self.full_binner.is_built() {
            self.work.decided.next = self.full_binner.decides.val();
        }
        if self._config.culls_depth() && self.depth_visibility.visible_ports.visible_valid.val() {
            self.work.decided.next = true;
        }
        self.work.cleared.next = false;
        for unit in one_of!(self.depth_visibility, self.back_visibility) {
            self.work.cleared.next = unit.sweeps.val();
        }
        if self.raster_hi_z.is_built() && self.raster_hi_z.sweeps.val() {
            self.work.cleared.next = true;
        }
        self.work.tiled.next = self.tiles.works.val();
        self.work.clipped.next = self.geometry.clips.val();
        self.work.valid.next = self.work.decided.val()
            || self.work.rastered.val()
            || self.work.tiled.val()
            || self.work.clipped.val()
            || self.work.cleared.val();
    }

    /// What waits for what, for the account of a frame.
    fn account(&mut self) {
        self.streamer.contexts_busy.next = self.named_contexts.val();
        self.stage.contexts.next = self.named_contexts.val();
        if self.fault_stage_contexts.val() {
            self.stage.contexts.next = self.front_end.contexts.val();
        }
        self.lacks_bits.next = false;
        self.stage.held.next = self.run_waits.val();
        if self._config.culls() {
            // The unit that holds is that of the cull pipeline. The other one draws meanwhile.
            self.lacks_bits.next = self.front_end.cull_bit_waits[0].val() && !self.geometry.works[0].val();
            self.stage.held.next = self.run_waits.val() && self.front_end.cull_bit_waits[0].val();
        }
        self.stage.ahead.next = self.lacks_bits.val();
        self.stage.rastered.next = self.rastered.val() && !self.depth.early_quad.ready.val();
        self.stage.tested.next = self.depth.quad.valid.val() && !self.collector.quad.ready.val();
        self.stage.result.next = self.results.commit.valid.val() && !self.depth.late_commit.ready.val();
        self.stage.commit.next = self.depth.commit.valid.val() && !self.blend.in_ready.val();
        if self.fault_stage_commit.val() {
            self.stage.commit.next = self.depth.commit.valid.val();
        }
        self.stage.geometry.next = !self.front_end.idle.val() || self.geometry.works[0].val();
        self.stage.places.next = self.geometry.lacks_places[0].val();
        self.stage.quads.next = !self.collector.idle.val() || !self.results.idle.val();
        self.stage.tiles.next = self.tiles.works.val();
        self.stage.valid.next = self.streamer.busy.val();
        if self._config.culls() {
            self.stage.valid.next = self.streamer.busy.val() || self.follower.busy.val();
        }
    }

    /// The streamers hear when nothing is under way.
    fn idleness(&mut self) {
        self.quiet.next = self.front_end.idle.val()
            && !self.stored_busy.val()
            && self.geometry.idle.val()
            && self.collector.idle.val()
            && self.unpaired.val()
            && self.results.idle.val()
            && self.dispatcher.idle.val()
            && !self.depth.commit.valid.val();
        if self._config.culls() {
            self.streamer.pipe_idle.next = self.quiet.val() && self.cull.idle.val();
            self.follower.pipe_idle.next = self.quiet.val();
        } else {
            self.streamer.pipe_idle.next = self.quiet.val();
        }
    }
}
