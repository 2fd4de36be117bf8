//! Words of the pass, requests for tiles, and what each buffer is at.

use quadlock_hdl_macros::parts;
use quadlock_isa::records::pass;
use rust_hdl::prelude::*;

use super::{BankChoice, BufferState, BufferStates, Pass, Registers, Requests, Storable, TileBuffers, Victims};
use crate::comment;

#[parts]
impl TileBuffers {
    fn registers(&mut self) {
        comment!("module: tile_buffers");
        dff_setup!(
            self,
            clock,
            width,
            height,
            samples,
            side,
            targets,
            has_depth,
            slots,
            keeps,
            last_bank,
            row_lines,
            plane_lines,
            tiles_x,
            tiles_y,
            depth,
            wanted,
            wanted_x,
            wanted_y,
            beginning,
            ending,
            step,
            job,
            action,
            buffer,
            x,
            y,
            section,
            index,
            was_opened,
            number,
            product,
            origin,
            base,
            low,
            high,
            columns,
            rows,
            wipe,
            opened_r,
            done_r,
            written_r,
            reloaded_r,
            head,
            tail,
            valid_b,
            write_b,
            stored_b,
            line_b,
            address_b,
            clear_b,
            valid_c,
            write_c,
            line_c,
            mask_c,
            kind_c,
            rsp_valid
        );
        clock!(self, clock, pass, opened_tiles, walk, places, memories);
        if self.resolve.is_built() {
            clock!(self, clock, resolve);
        }
        for i in 0..4 {
            dff_setup!(self, clock, target[i], data_c[i]);
            self.rsp_data[i].clock.next = self.clock.val();
        }
        for i in 0..8 {
            dff_setup!(self, clock, dirty[i], recent[i]);
            dff_setup!(self, clock, buffer_state[i], tile_x[i]);
            dff_setup!(self, clock, tile_y[i], count[i]);
        }
    }

    fn pass(&mut self) {
        self.pass.write_address.next = bit_cast::<12, 6>(self.state.word.val());
        self.pass.write_data.next = self.state.data.val();
        self.pass.write_enable.next = self.state.pass.val();
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::SIZE)) {
            self.width.d.next = self.state.data.val().get_bits::<13>(0);
            self.height.d.next = self.state.data.val().get_bits::<13>(16);
        }
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::KIND)) {
            self.samples.d.next = self.state.data.val().get_bits::<2>(0);
            self.side.d.next = self.state.data.val().get_bits::<3>(4);
            self.targets.d.next = self.state.data.val().get_bits::<3>(8);
            self.has_depth.d.next = self.state.data.val().get_bit(12);
            self.slots.d.next = self.state.data.val().get_bits::<2>(16);
            self.keeps.d.next = self.state.data.val().get_bit(18);
        }
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::ROW_LINES)) {
            self.row_lines.d.next = self.state.data.val().get_bits::<28>(0);
        }
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::PLANE_LINES)) {
            self.plane_lines.d.next = self.state.data.val().get_bits::<28>(0);
        }
        // Word 5 + 4 t has the flags of target t.
        for i in 1..5 {
            if self.state.pass.val()
                && (self.state.word.val().get_bits::<2>(0) == bits::<2>(pass::TARGET_FLAGS % 4))
                && (self.state.word.val().get_bits::<4>(2) == i.to_bits::<4>())
            {
                self.target[i - 1].d.next = self.state.data.val().get_bits::<7>(0);
            }
        }
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::DEPTH_FLAGS)) {
            self.depth.d.next = self.state.data.val().get_bits::<7>(0);
        }
        // Sizes in tiles and in quads, rounded up.
        self.side_quads.next = bits::<4>(3);
        self.round_up.next = bits::<13>(7);
        if self.side.q.val() == bits::<3>(4) {
            self.side_quads.next = bits::<4>(7);
            self.round_up.next = bits::<13>(15);
        }
        if self.side.q.val() == bits::<3>(5) {
            self.side_quads.next = bits::<4>(15);
            self.round_up.next = bits::<13>(31);
        }
        self.wide_x.next = self.width.q.val() + self.round_up.val();
        self.wide_y.next = self.height.q.val() + self.round_up.val();
        self.tiles_x.d.next = bit_cast::<10, 13>(self.wide_x.val() >> bit_cast::<4, 3>(self.side.q.val()));
        self.tiles_y.d.next = bit_cast::<10, 13>(self.wide_y.val() >> bit_cast::<4, 3>(self.side.q.val()));
        self.even_x.next = self.width.q.val() + bits::<13>(1);
        self.even_y.next = self.height.q.val() + bits::<13>(1);
        self.quads_x.next = self.even_x.val().get_bits::<12>(1);
        self.quads_y.next = self.even_y.val().get_bits::<12>(1);
    }

    fn requests(&mut self) {
        self.open_ready.next = !self.wanted.q.val();
        if self.open_valid.val() && !self.wanted.q.val() {
            self.wanted.d.next = true;
            self.wanted_x.d.next = self.open_x.val();
            self.wanted_y.d.next = self.open_y.val();
        }
        if self.pass_ports.begin_pass.val() {
            self.beginning.d.next = true;
        }
        if self.pass_ports.end_pass.val() {
            self.ending.d.next = true;
        }
    }

    fn buffer_states(&mut self) {
        self.odd.next = bits::<8>(0xAA);
        self.busy[0].next = false;
        self.busy[1].next = false;
        self.hit.next = false;
        self.hit_which.next = bits::<3>(0);
        self.closed.next = bits::<8>(0);
        for i in 0..8 {
            self.enters[i].next = self.enter.val() && (self.enter_buffer.val() == i.to_bits::<3>());
            self.leaves[i].next = self.leave.val() && (self.leave_buffer.val() == i.to_bits::<3>());
            if self.enters[i].val() && !self.leaves[i].val() {
                self.count[i].d.next = self.count[i].q.val() + bits::<7>(1);
            }
            if !self.enters[i].val() && self.leaves[i].val() {
                self.count[i].d.next = self.count[i].q.val() - bits::<7>(1);
            }
            // What has quads may have changed, even if none of them was shaded.
            if self.enters[i].val() || self.waiting.val().get_bit(i) {
                self.dirty[i].d.next = true;
            }
            self.active[i].next = (self.count[i].q.val().any() && !self.fault_tile_count.val())
                || self.enters[i].val()
                || self.waiting.val().get_bit(i)
                || (self.buffer_state[i].q.val() == BufferState::Open);
            if self.active[i].val() && !self.odd.val().get_bit(i) {
                self.busy[0].next = true;
            }
            if self.active[i].val() && self.odd.val().get_bit(i) {
                self.busy[1].next = true;
            }
            if (self.buffer_state[i].q.val() == BufferState::Open)
                && ((self.close.val() && (self.close_buffer.val() == i.to_bits::<3>())) || self.ending.q.val())
            {
                self.buffer_state[i].d.next = BufferState::Closed;
            }
            // Without keeping, every tile goes to memory.
            if (self.buffer_state[i].q.val() == BufferState::Closed) && (self.dirty[i].q.val() || !self.keeps.q.val()) {
                self.closed.next = self.closed.val() | (bits::<8>(1) << i.to_bits::<3>());
            }
            if (self.buffer_state[i].q.val() != BufferState::Free)
                && (self.tile_x[i].q.val() == self.wanted_x.q.val())
                && (self.tile_y[i].q.val() == self.wanted_y.q.val())
                && !self.fault_tile_same.val()
            {
                self.hit.next = true;
                self.hit_which.next = i.to_bits::<3>();
            }
        }
    }

    fn storable(&mut self) {
        self.quiet.next = bits::<8>(0);
        for b in 0..2 {
            if !self.busy[b].val() {
                self.quiet.next = self.quiet.val() | (bits::<8>(0x55) << b.to_bits::<1>());
            }
        }
        self.storable.next = self.closed.val() & self.quiet.val();
        self.can_store.next = false;
        self.store_which.next = bits::<3>(0);
        for i in 0..8 {
            if self.storable.val().get_bit(i) {
                self.can_store.next = true;
                self.store_which.next = i.to_bits::<3>();
            }
        }
    }

    fn victims(&mut self) {
        self.in_range.next = bits::<4>(1);
        if self.slots.q.val() == bits::<2>(1) {
            self.in_range.next = bits::<4>(3);
        }
        if self.slots.q.val() == bits::<2>(2) {
            self.in_range.next = bits::<4>(15);
        }
        // Of each bank a free slot, else one that was not used lately, else one in turn.
        for b in 0..2 {
            dff_setup!(self, clock, turn[b]);
            self.victim[b].next = self.turn[b].q.val() & self.in_range.val().get_bits::<2>(1);
            self.has_old[b].next = false;
            for s in 0..4 {
                if self.in_range.val().get_bit(s)
                    && (self.buffer_state[2 * s + b].q.val() != BufferState::Free)
                    && !self.recent[2 * s + b].q.val()
                    && !self.has_old[b].val()
                {
                    self.has_old[b].next = true;
                    self.victim[b].next = s.to_bits::<2>();
                }
            }
            self.has_free[b].next = false;
            for s in 0..4 {
                if self.in_range.val().get_bit(s)
                    && (self.buffer_state[2 * s + b].q.val() == BufferState::Free)
                    && !self.has_free[b].val()
                {
                    self.has_free[b].next = true;
                    self.victim[b].next = s.to_bits::<2>();
                }
            }
        }
    }

    fn bank_choice(&mut self) {
        self.can_take.next = !self.busy[0].val() || !self.busy[1].val();
        self.take_bank.next = !self.last_bank.q.val();
        if self.has_free[0].val() && !self.has_free[1].val() {
            self.take_bank.next = false;
        }
        if self.has_free[1].val() && !self.has_free[0].val() {
            self.take_bank.next = true;
        }
        if self.busy[0].val() {
            self.take_bank.next = true;
        }
        if self.busy[1].val() {
            self.take_bank.next = false;
        }
        self.take_which.next = bit_cast::<3, 2>(self.victim[0].val()) << bits::<3>(1);
        if self.take_bank.val() {
            self.take_which.next = (bit_cast::<3, 2>(self.victim[1].val()) << bits::<3>(1)) | bits::<3>(1);
        }
        self.take_stores.next = false;
        for i in 0..8 {
            if (self.take_which.val() == i.to_bits::<3>()) && self.closed.val().get_bit(i) {
                self.take_stores.next = true;
            }
        }
    }
}
