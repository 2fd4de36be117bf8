//! The steps of a job: which tile, where it is, what is done with each of its sections.

use quadlock_hdl_macros::parts;
use quadlock_isa::records::pass;
use rust_hdl::prelude::*;

use super::target::TargetFlags;
use super::{
    BufferState, Extent, JobChoice, JobStart, Reports, SectionAction, Sections, Sequence, TileAction, TileBuffers,
    TileJob, TileStep,
};

#[parts]
impl TileBuffers {
    fn extent(&mut self) {
        self.quad_x.next = bit_cast::<12, 9>(self.x.q.val()) << bits::<4>(2);
        self.quad_y.next = bit_cast::<12, 9>(self.y.q.val()) << bits::<4>(2);
        if self.side.q.val() == bits::<3>(4) {
            self.quad_x.next = bit_cast::<12, 9>(self.x.q.val()) << bits::<4>(3);
            self.quad_y.next = bit_cast::<12, 9>(self.y.q.val()) << bits::<4>(3);
        }
        if self.side.q.val() == bits::<3>(5) {
            self.quad_x.next = bit_cast::<12, 9>(self.x.q.val()) << bits::<4>(4);
            self.quad_y.next = bit_cast::<12, 9>(self.y.q.val()) << bits::<4>(4);
        }
        self.rest_x.next = self.quads_x.val() - self.quad_x.val() - bits::<12>(1);
        self.rest_y.next = self.quads_y.val() - self.quad_y.val() - bits::<12>(1);
        self.last_tile.next = (bit_cast::<10, 9>(self.x.q.val()) + bits::<10>(1) == self.tiles_x.q.val())
            && (bit_cast::<10, 9>(self.y.q.val()) + bits::<10>(1) == self.tiles_y.q.val());
        self.row_ends.next = bit_cast::<10, 9>(self.x.q.val()) + bits::<10>(1) == self.tiles_x.q.val();
    }

    fn sections(&mut self) {
        // Section 0 to 3 is a target, 4 depth.
        self.is_depth.next = self.section.q.val() == bits::<3>(4);
        self.flags.next = self.depth.q.val();
        for i in 0..4 {
            if self.section.q.val() == i.to_bits::<3>() {
                self.flags.next = self.target[i].q.val();
            }
        }
        self.present.next = (self.section.q.val() < self.targets.q.val()) && (self.section.q.val() < bits::<3>(4));
        if self.is_depth.val() {
            self.present.next = self.has_depth.q.val();
        }
        self.wide.next = !self.is_depth.val() && (self.flags.val().get_value_format() == bits::<2>(2));
        self.planes.next = bits::<4>(1) << bit_cast::<2, 2>(self.samples.q.val());
        if self.wide.val() {
            self.planes.next = bits::<4>(2) << bit_cast::<2, 2>(self.samples.q.val());
        }
    }

    fn section_action(&mut self) {
        // What is done: `skips` if nothing.
        self.skips.next = !self.present.val();
        self.next_action.next = TileAction::Clear;
        match self.job.q.val() {
            TileJob::Fill => {
                if self.was_opened.q.val()
                    || self.flags.val().get_value_load()
                    || (self.is_depth.val() && self.flags.val().get_value_resolve())
                {
                    self.next_action.next = TileAction::Load;
                }
            }
            TileJob::Store => {
                self.next_action.next = TileAction::Store;
            }
            _ => {
                // Memory has what is loaded; nobody asks for what is neither stored nor resolved.
                self.next_action.next = TileAction::Wipe;
                if self.flags.val().get_value_load() && (!self.is_depth.val() || self.flags.val().get_value_resolve()) {
                    self.skips.next = true;
                }
                if !self.flags.val().get_value_store() && (self.is_depth.val() || !self.flags.val().get_value_resolve())
                {
                    self.skips.next = true;
                }
            }
        }
    }

    fn reports(&mut self) {
        self.opened_r.d.next = false;
        self.done_r.d.next = false;
        self.written_r.d.next = false;
        self.reloaded_r.d.next = false;
        self.opened.next = self.opened_r.q.val();
        self.opened_buffer.next = self.buffer.q.val();
        self.done.next = self.done_r.q.val();
        self.tile_written.next = self.written_r.q.val();
        self.tile_reloaded.next = self.reloaded_r.q.val();
    }

    fn job_choice(&mut self) {
        self.fills.next = false;
        self.stores.next = false;
        self.next_buffer.next = self.take_which.val();
        if self.step.q.val() == TileStep::Idle {
            self.section.d.next = bits::<3>(0);
            self.index.d.next = bits::<5>(0);
            if self.beginning.q.val() {
                self.beginning.d.next = false;
                self.wipe.d.next = bits::<12>(0);
                self.step.d.next = TileStep::Wipe;
                for i in 0..8 {
                    self.buffer_state[i].d.next = BufferState::Free;
                }
            } else if self.wanted.q.val() && self.hit.val() && self.keeps.q.val() {
                self.wanted.d.next = false;
                self.opened_r.d.next = true;
                self.buffer.d.next = self.hit_which.val();
                self.last_bank.d.next = self.hit_which.val().get_bit(0);
                for i in 0..8 {
                    if self.hit_which.val() == i.to_bits::<3>() {
                        self.buffer_state[i].d.next = BufferState::Open;
                        self.recent[i].d.next = true;
                    }
                }
            } else if self.can_store.val() && (self.ending.q.val() || !self.keeps.q.val()) {
                self.stores.next = true;
                self.next_buffer.next = self.store_which.val();
            } else if self.wanted.q.val() && self.can_take.val() && !self.hit.val() {
                self.stores.next = self.take_stores.val();
                self.fills.next = !self.take_stores.val();
            } else if self.ending.q.val()
                && !self.wanted.q.val()
                && !self.busy[0].val()
                && !self.busy[1].val()
                && !self.closed.val().any()
            {
                self.step.d.next = TileStep::Index;
                self.job.d.next = TileJob::Sweep;
                self.x.d.next = bits::<9>(0);
                self.y.d.next = bits::<9>(0);
            }
        }
    }

    fn job_start(&mut self) {
        if self.stores.val() {
            self.step.d.next = TileStep::Index;
            self.job.d.next = TileJob::Store;
            self.buffer.d.next = self.next_buffer.val();
            for i in 0..8 {
                if self.next_buffer.val() == i.to_bits::<3>() {
                    self.buffer_state[i].d.next = BufferState::Storing;
                    self.x.d.next = self.tile_x[i].q.val();
                    self.y.d.next = self.tile_y[i].q.val();
                }
            }
        }
        if self.fills.val() {
            self.step.d.next = TileStep::Index;
            self.job.d.next = TileJob::Fill;
            self.wanted.d.next = false;
            self.buffer.d.next = self.next_buffer.val();
            self.last_bank.d.next = self.take_bank.val();
            self.x.d.next = self.wanted_x.q.val();
            self.y.d.next = self.wanted_y.q.val();
            // All were used lately: the marks begin anew.
            if !self.take_bank.val() && !self.has_free[0].val() && !self.has_old[0].val() {
                self.turn[0].d.next = self.turn[0].q.val() + bits::<2>(1);
                for s in 0..4 {
                    self.recent[2 * s].d.next = false;
                }
            }
            if self.take_bank.val() && !self.has_free[1].val() && !self.has_old[1].val() {
                self.turn[1].d.next = self.turn[1].q.val() + bits::<2>(1);
                for s in 0..4 {
                    self.recent[2 * s + 1].d.next = false;
                }
            }
            for i in 0..8 {
                if self.next_buffer.val() == i.to_bits::<3>() {
                    self.buffer_state[i].d.next = BufferState::Filling;
                    self.tile_x[i].d.next = self.wanted_x.q.val();
                    self.tile_y[i].d.next = self.wanted_y.q.val();
                    self.dirty[i].d.next = false;
                    self.recent[i].d.next = true;
                }
            }
        }
    }

    // An arm of a kernel has no guard.
    #[allow(clippy::collapsible_match)]
    fn sequence(&mut self) {
        // A machine for one sample has nothing to resolve.
        self.resolved.next = true;
        if self.resolve.is_built() {
            self.resolved.next = self.resolve.done.val();
        }
        self.multiply.a.next = bit_cast::<32, 9>(self.y.q.val());
        self.multiply.b.next = bit_cast::<32, 10>(self.tiles_x.q.val());
        if self.step.q.val() != TileStep::Index {
            self.multiply.a.next = bit_cast::<32, 12>(self.quad_y.val());
            self.multiply.b.next = bit_cast::<32, 28>(self.row_lines.q.val());
        }
        self.product.d.next = self.multiply.lo.val().get_bits::<28>(0);
        self.row_number.next = bit_cast::<12, 28>(self.product.q.val());
        self.tile_number.next = self.row_number.val() + bit_cast::<12, 9>(self.x.q.val());
        self.opened_tiles.read_address.next = bit_cast::<12, 7>(self.tile_number.val().get_bits::<7>(5));
        self.tile_bit.next = bits::<32>(1) << self.number.q.val().get_bits::<5>(0);
        self.is_open.next = (self.opened_tiles.read_data.val() & self.tile_bit.val()).any();
        self.opened_tiles.write_enable.next = false;
        self.opened_tiles.write_address.next = bit_cast::<12, 7>(self.number.q.val().get_bits::<7>(5));
        self.opened_tiles.write_data.next = self.opened_tiles.read_data.val() | self.tile_bit.val();
        // The words of a section follow each other: address, two words of the clear value.
        self.pass.read_address.next =
            (bit_cast::<12, 3>(self.section.q.val()) << bits::<4>(2)) + bits::<12>(pass::TARGET_ADDRESS);
        self.clear_row.next =
            (bit_cast::<12, 3>(self.section.q.val()) << bits::<4>(1)) + bits::<12>(pass::CLEAR_COLOUR);
        if self.is_depth.val() {
            self.clear_row.next = bits::<12>(pass::DEPTH_CLEAR);
        }
        self.walk.start.next = false;
        self.tile_ends.next = false;
        match self.step.q.val() {
            TileStep::Wipe => {
                self.opened_tiles.write_enable.next = true;
                self.opened_tiles.write_address.next = self.wipe.q.val();
                self.opened_tiles.write_data.next = bits::<32>(0);
                self.wipe.d.next = self.wipe.q.val() + bits::<12>(1);
                if self.wipe.q.val() == self.wipe_last.val() {
                    self.step.d.next = TileStep::Idle;
                }
            }
            TileStep::Index => {
                self.step.d.next = TileStep::Origin;
            }
            TileStep::Origin => {
                self.number.d.next = self.tile_number.val();
                self.step.d.next = TileStep::Flag;
            }
            TileStep::Flag => {
                self.origin.d.next = self.product.q.val() + bit_cast::<28, 12>(self.quad_x.val());
                self.was_opened.d.next = self.is_open.val() && !self.fault_tile_reload.val();
                self.columns.d.next = self.side_quads.val();
                if (self.rest_x.val() < bit_cast::<12, 4>(self.side_quads.val())) && !self.fault_tile_edge.val() {
                    self.columns.d.next = self.rest_x.val().get_bits::<4>(0);
                }
                self.rows.d.next = self.side_quads.val();
                if self.rest_y.val() < bit_cast::<12, 4>(self.side_quads.val()) {
                    self.rows.d.next = self.rest_y.val().get_bits::<4>(0);
                }
                self.step.d.next = TileStep::Section;
                if self.job.q.val() == TileJob::Fill {
                    self.opened_tiles.write_enable.next = true;
                    self.reloaded_r.d.next = self.is_open.val();
                }
                if (self.job.q.val() == TileJob::Sweep)
                    && (self.is_open.val() || (self.fault_tile_sweep.val() && self.last_tile.val()))
                {
                    self.tile_ends.next = true;
                }
            }
            TileStep::Section => {
                self.action.d.next = self.next_action.val();
                self.step.d.next = TileStep::Base;
                if self.skips.val() {
                    self.step.d.next = TileStep::Section;
                    self.section.d.next = self.section.q.val() + bits::<3>(1);
                    if self.present.val() {
                        self.index.d.next = self.index.q.val() + bit_cast::<5, 4>(self.planes.val());
                    }
                    if self.section.q.val() == bits::<3>(3) {
                        self.index.d.next = bits::<5>(0);
                    }
                }
                if self.section.q.val() == bits::<3>(5) {
                    self.tile_ends.next = true;
                }
            }
            TileStep::Base => {
                self.base.d.next = self.pass.read_data.val().get_bits::<28>(4) + self.origin.q.val();
                self.pass.read_address.next = self.clear_row.val();
                self.step.d.next = TileStep::Low;
            }
            TileStep::Low => {
                self.low.d.next = self.pass.read_data.val();
                self.pass.read_address.next = self.clear_row.val() + bits::<12>(1);
                self.step.d.next = TileStep::High;
            }
            TileStep::High => {
                self.high.d.next = self.pass.read_data.val();
                self.walk.start.next = true;
                self.step.d.next = TileStep::Walk;
            }
            TileStep::Target => {
                self.step.d.next = TileStep::From;
                if !self.flags.val().get_value_resolve() || !self.samples.q.val().any() {
                    self.step.d.next = TileStep::Target;
                    self.section.d.next = self.section.q.val() + bits::<3>(1);
                }
                // Section 4 is depth: the same flag says that its stencil is loaded.
                if !self.present.val() || self.is_depth.val() {
                    self.step.d.next = TileStep::Idle;
                    self.ending.d.next = false;
                    self.done_r.d.next = true;
                }
            }
            TileStep::From => {
                self.base.d.next = self.pass.read_data.val().get_bits::<28>(4);
                self.pass.read_address.next =
                    (bit_cast::<12, 3>(self.section.q.val()) << bits::<4>(2)) + bits::<12>(pass::RESOLVE_ADDRESS);
                self.step.d.next = TileStep::Into;
            }
            TileStep::Into => {
                self.origin.d.next = self.pass.read_data.val().get_bits::<28>(4);
                self.step.d.next = TileStep::Begin;
            }
            TileStep::Begin => {
                self.step.d.next = TileStep::Resolve;
            }
            TileStep::Resolve => {
                if self.resolved.val() {
                    self.section.d.next = self.section.q.val() + bits::<3>(1);
                    self.step.d.next = TileStep::Target;
                }
            }
            _ => {}
        }
        if (self.step.q.val() == TileStep::Walk) && self.moves.val() && self.walk.last.val() {
            self.step.d.next = TileStep::Drain;
        }
        if (self.step.q.val() == TileStep::Drain) && (self.head.q.val() == self.tail.q.val()) {
            self.step.d.next = TileStep::Section;
            self.section.d.next = self.section.q.val() + bits::<3>(1);
            self.index.d.next = self.index.q.val() + bit_cast::<5, 4>(self.planes.val());
            if self.section.q.val() == bits::<3>(3) {
                self.index.d.next = bits::<5>(0);
            }
        }
        self.works.next = self.moves.val()
            || (self.step.q.val() == TileStep::Wipe)
            || (self.step.q.val() == TileStep::Flag)
            || (self.step.q.val() == TileStep::Section);
        self.walk.base.next = self.base.q.val();
        self.walk.first.next = self.index.q.val();
        self.walk.row_lines.next = self.row_lines.q.val();
        self.walk.plane_lines.next = self.plane_lines.q.val();
        if self.fault_tile_plane.val() {
            self.walk.plane_lines.next = self.plane_lines.q.val() + self.row_lines.q.val();
        }
        self.walk.planes.next = bit_cast::<3, 4>(self.planes.val() - bits::<4>(1));
        self.walk.columns.next = self.columns.q.val();
        self.walk.rows.next = self.rows.q.val();
        if self.tile_ends.val() {
            self.step.d.next = TileStep::Idle;
            match self.job.q.val() {
                TileJob::Fill => {
                    self.opened_r.d.next = true;
                    for i in 0..8 {
                        if self.buffer.q.val() == i.to_bits::<3>() {
                            self.buffer_state[i].d.next = BufferState::Open;
                            // What was cleared is not in memory.
                            self.dirty[i].d.next = !self.was_opened.q.val();
                        }
                    }
                }
                TileJob::Store => {
                    self.written_r.d.next = true;
                    for i in 0..8 {
                        if self.buffer.q.val() == i.to_bits::<3>() {
                            self.buffer_state[i].d.next = BufferState::Free;
                        }
                    }
                }
                _ => {
                    self.step.d.next = TileStep::Index;
                    self.section.d.next = bits::<3>(0);
                    self.index.d.next = bits::<5>(0);
                    self.x.d.next = self.x.q.val() + bits::<9>(1);
                    if self.row_ends.val() {
                        self.x.d.next = bits::<9>(0);
                        self.y.d.next = self.y.q.val() + bits::<9>(1);
                    }
                    if self.last_tile.val() {
                        self.job.d.next = TileJob::Resolve;
                        self.step.d.next = TileStep::Target;
                    }
                }
            }
        }
        if self.resolve.is_built() {
            self.resolve.start.next = self.step.q.val() == TileStep::Begin;
            self.resolve.samples.next = self.samples.q.val();
            self.resolve.format.next = self.flags.val().get_value_format();
            self.resolve.source.next = self.base.q.val();
            self.resolve.target.next = self.origin.q.val();
            self.resolve.plane_lines.next = self.plane_lines.q.val();
        }
    }
}
