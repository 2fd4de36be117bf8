//! Words of the pass, requests for tiles, and what each buffer is at.

use rust_hdl::prelude::*;

use super::{BufferState, Manage, Pass, Registers, TileBuffers};
use crate::base::parts::Part;
use crate::comment;

impl Part<Registers> for TileBuffers {
    #[hdl_gen]
    fn update(&mut self) {
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
            row_lines,
            plane_lines,
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
        clock!(self, clock, pass, opened_tiles, walk, places, memories, resolve);
        for i in 0..4 {
            self.target[i].clock.next = self.clock.val();
            self.target[i].d.next = self.target[i].q.val();
            self.data_c[i].clock.next = self.clock.val();
            self.data_c[i].d.next = self.data_c[i].q.val();
            self.rsp_data[i].clock.next = self.clock.val();
        }
        for i in 0..2 {
            self.buffer_state[i].clock.next = self.clock.val();
            self.buffer_state[i].d.next = self.buffer_state[i].q.val();
            self.tile_x[i].clock.next = self.clock.val();
            self.tile_x[i].d.next = self.tile_x[i].q.val();
            self.tile_y[i].clock.next = self.clock.val();
            self.tile_y[i].d.next = self.tile_y[i].q.val();
            self.count[i].clock.next = self.clock.val();
            self.count[i].d.next = self.count[i].q.val();
        }
    }
}

impl Part<Pass> for TileBuffers {
    #[hdl_gen]
    fn update(&mut self) {
        self.pass.write_address.next = bit_cast::<12, 6>(self.state.word.val());
        self.pass.write_data.next = self.state.data.val();
        self.pass.write_enable.next = self.state.pass.val();
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(0)) {
            self.width.d.next = self.state.data.val().get_bits::<13>(0);
            self.height.d.next = self.state.data.val().get_bits::<13>(16);
        }
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(1)) {
            self.samples.d.next = self.state.data.val().get_bits::<2>(0);
            self.side.d.next = self.state.data.val().get_bits::<3>(4);
            self.targets.d.next = self.state.data.val().get_bits::<3>(8);
            self.has_depth.d.next = self.state.data.val().get_bit(12);
        }
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(2)) {
            self.row_lines.d.next = self.state.data.val().get_bits::<28>(0);
        }
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(3)) {
            self.plane_lines.d.next = self.state.data.val().get_bits::<28>(0);
        }
        // Word 5 + 4 t has the flags of target t.
        for i in 1..5 {
            if self.state.pass.val()
                && (self.state.word.val().get_bits::<2>(0) == bits::<2>(1))
                && (self.state.word.val().get_bits::<4>(2) == i.to_bits::<4>())
            {
                self.target[i - 1].d.next = self.state.data.val().get_bits::<7>(0);
            }
        }
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(21)) {
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
        self.tiles_x.next = bit_cast::<10, 13>(self.wide_x.val() >> bit_cast::<4, 3>(self.side.q.val()));
        self.tiles_y.next = bit_cast::<10, 13>(self.wide_y.val() >> bit_cast::<4, 3>(self.side.q.val()));
        self.even_x.next = self.width.q.val() + bits::<13>(1);
        self.even_y.next = self.height.q.val() + bits::<13>(1);
        self.quads_x.next = self.even_x.val().get_bits::<12>(1);
        self.quads_y.next = self.even_y.val().get_bits::<12>(1);
    }
}

impl Part<Manage> for TileBuffers {
    #[hdl_gen]
    fn update(&mut self) {
        // A request waits here until a buffer is free.
        self.open_ready.next = !self.wanted.q.val();
        if self.open_valid.val() && !self.wanted.q.val() {
            self.wanted.d.next = true;
            self.wanted_x.d.next = self.open_x.val();
            self.wanted_y.d.next = self.open_y.val();
        }
        if self.begin_pass.val() {
            self.beginning.d.next = true;
        }
        if self.end_pass.val() {
            self.ending.d.next = true;
        }
        self.can_store.next = false;
        self.store_which.next = bits::<1>(0);
        self.any_free.next = false;
        self.all_free.next = true;
        self.free_which.next = bits::<1>(0);
        self.held.next = false;
        for i in 0..2 {
            if (self.buffer_state[i].q.val() == BufferState::Open)
                && ((self.close.val() && (self.close_buffer.val() == i.to_bits::<1>())) || self.ending.q.val())
            {
                self.buffer_state[i].d.next = BufferState::Closed;
            }
            if (self.buffer_state[i].q.val() == BufferState::Closed)
                && (!self.count[i].q.val().any() || self.fault_tile_count.val())
            {
                self.can_store.next = true;
                self.store_which.next = i.to_bits::<1>();
            }
            if self.buffer_state[i].q.val() == BufferState::Free {
                self.any_free.next = true;
                self.free_which.next = i.to_bits::<1>();
            } else {
                self.all_free.next = false;
                // What a buffer still has is not in memory yet.
                if (self.tile_x[i].q.val() == self.wanted_x.q.val())
                    && (self.tile_y[i].q.val() == self.wanted_y.q.val())
                    && !self.fault_tile_same.val()
                {
                    self.held.next = true;
                }
            }
            self.enters.next = self.enter.val() && (self.enter_buffer.val() == i.to_bits::<1>());
            self.leaves.next = self.leave.val() && (self.leave_buffer.val() == i.to_bits::<1>());
            if self.enters.val() && !self.leaves.val() {
                self.count[i].d.next = self.count[i].q.val() + bits::<12>(1);
            }
            if !self.enters.val() && self.leaves.val() {
                self.count[i].d.next = self.count[i].q.val() - bits::<12>(1);
            }
        }
    }
}
