//! What comes into the result store: words and ends of fragments, and what the collector tells.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::{
    Arrivals, Choose, Colours, Come, Ended, Execute, Expected, LineLanes, LineWrite, QuadEntry, Registers, ResultName,
    ResultPlace, ResultStore, Succession,
};
use crate::comment;
use crate::ports::StateWriteIn;

#[parts]
impl ResultStore {
    fn registers(&mut self) {
        comment!("module: result_store");
        dff_setup!(self, clock, quads_in, head, committed, blended, room_r, held, held_covered, pending);
        dff_setup!(self, clock, is_end, number, busy, x_end, x_number, x_ticket, x_sample, x_alone, x_lanes, x_count);
        dff_setup!(self, clock, beat_sample, beat_target, valid1, sample1, target1, first1, last1, final1);
        dff_setup!(self, clock, word_row1, sample_row1, name_row1, valid2, name2, place2, sample2, target2);
        dff_setup!(self, clock, first2, last2, late2, coverage2, free, free_place);
        clock!(self, clock, modes, names, places, masks, low_marks, high_marks, seen_write, seen_commit);
        clock!(self, clock, expected_in, expected_head, arrived_take, arrived_head, alones, ended);
        StateWriteIn::link(&mut self.state, &mut self.modes.state);
        for k in 0..4 {
            clock!(self, clock, lines[k], lows[k], highs[k]);
            dff_setup!(self, clock, held_ticket[k], held_sample[k]);
            dff_setup!(self, clock, ticket[k], sample[k]);
            dff_setup!(self, clock, data[k], x_data[k], depth2[k], low2[k]);
            dff_setup!(self, clock, high2[k]);
        }
    }

    fn choose(&mut self) {
        // The first lane that has not gone on.
        self.first.next = bits::<2>(3);
        self.first_mask.next = bits::<4>(8);
        self.first_ticket.next = self.ticket[3].q.val();
        self.first_sample.next = self.sample[3].q.val();
        self.first_data.next = self.data[3].q.val();
        if self.pending.q.val().get_bit(2) {
            self.first.next = bits::<2>(2);
            self.first_mask.next = bits::<4>(4);
            self.first_ticket.next = self.ticket[2].q.val();
            self.first_sample.next = self.sample[2].q.val();
            self.first_data.next = self.data[2].q.val();
        }
        if self.pending.q.val().get_bit(1) {
            self.first.next = bits::<2>(1);
            self.first_mask.next = bits::<4>(2);
            self.first_ticket.next = self.ticket[1].q.val();
            self.first_sample.next = self.sample[1].q.val();
            self.first_data.next = self.data[1].q.val();
        }
        if self.pending.q.val().get_bit(0) {
            self.first.next = bits::<2>(0);
            self.first_mask.next = bits::<4>(1);
            self.first_ticket.next = self.ticket[0].q.val();
            self.first_sample.next = self.sample[0].q.val();
            self.first_data.next = self.data[0].q.val();
        }
        // With it go those of its quad and sample that are in their places of the quad. A lane that
        // is in another place goes alone.
        self.swapped.next =
            (self.first_ticket.val().get_bits::<2>(0) != self.first.val()) && !self.fault_result_swap.val();
        self.own_lane.next = bits::<4>(1) << self.first_ticket.val().get_bits::<2>(0);
        self.group.next = self.first_mask.val();
        self.group_count.next = bits::<3>(0);
        for k in 0..4 {
            if self.pending.q.val().get_bit(k)
                && !self.swapped.val()
                && (self.ticket[k].q.val().get_bits::<6>(2) == self.first_ticket.val().get_bits::<6>(2))
                && (self.sample[k].q.val() == self.first_sample.val())
                && ((self.ticket[k].q.val().get_bits::<2>(0) == k.to_bits::<2>()) || self.fault_result_swap.val())
            {
                self.group.next = self.group.val() | (bits::<4>(1) << k.to_bits::<2>());
            }
            if self.group.val().get_bit(k) {
                self.group_count.next = self.group_count.val() + bits::<3>(1);
            }
        }
        self.rest.next = self.pending.q.val() & !self.group.val();
        self.alones.read_address.next = self.first_ticket.val().get_bits::<6>(2);
        // Who writes a word reads the committer's bits one cycle before.
        self.seen_write.read_address.next = (bit_cast::<12, 2>(self.number.q.val().get_bits::<2>(1)) << 8)
            | (bit_cast::<12, 6>(self.first_ticket.val().get_bits::<6>(2)) << 2)
            | bit_cast::<12, 2>(self.first_sample.val());
        if self._one_sample {
            self.seen_write.read_address.next = (bit_cast::<12, 2>(self.number.q.val().get_bits::<2>(1)) << 6)
                | bit_cast::<12, 6>(self.first_ticket.val().get_bits::<6>(2));
        }
    }

    fn execute(&mut self) {
        self.colour.next = self.busy.q.val() && !self.x_end.q.val() && !self.x_number.q.val().get_bit(3);
        // Lanes that ended without coverage.
        self.lost.next = bits::<4>(0);
        for k in 0..4 {
            if self.x_end.q.val()
                && self.x_lanes.q.val().get_bit(k)
                && !self.x_data[k].q.val().get_bit(0)
                && !self.fault_result_helper.val()
            {
                self.lost.next = self.lost.val() | (bits::<4>(1) << k.to_bits::<2>());
            }
        }
        self.line_write.next = self.busy.q.val()
            && !self.collected.sample.val()
            && ((!self.x_end.q.val() && self.x_number.q.val().get_bit(3)) || self.lost.val().any());
        self.last_write.next = self.x_alone.q.val()
            || (self.x_sample.q.val() == self.modes.last_sample.val())
            || (self.fault_result_depth.val() && (self.x_number.q.val() == bits::<4>(8)));
        self.done.next = self.colour.val()
            || (self.busy.q.val() && self.x_end.q.val() && !self.lost.val().any())
            || (self.line_write.val() && self.last_write.val());
        self.moves.next = !self.busy.q.val() || self.done.val();
    }

    fn colours(&mut self) {
        self.colour_row.next = (bit_cast::<12, 2>(self.x_number.q.val().get_bits::<2>(1)) << 8)
            | (bit_cast::<12, 6>(self.x_ticket.q.val()) << 2)
            | bit_cast::<12, 2>(self.x_sample.q.val());
        if self._one_sample {
            self.colour_row.next = (bit_cast::<12, 2>(self.x_number.q.val().get_bits::<2>(1)) << 6)
                | bit_cast::<12, 6>(self.x_ticket.q.val());
        }
        self.even_lanes.next = bits::<4>(0);
        self.odd_lanes.next = bits::<4>(0);
        self.seen_bits.next = self.seen_write.read_data.val().get_bits::<4>(0);
        if self.colour.val() && !self.x_number.q.val().get_bit(0) {
            self.even_lanes.next = self.x_lanes.q.val();
        }
        if self.x_number.q.val().get_bit(0) {
            self.seen_bits.next = self.seen_write.read_data.val().get_bits::<4>(4);
            if self.colour.val() {
                self.odd_lanes.next = self.x_lanes.q.val();
            }
        }
        self.mark_word.next = bits::<32>(0);
        for k in 0..4 {
            if !self.seen_bits.val().get_bit(k) {
                self.mark_word.next = self.mark_word.val() | (bits::<32>(1) << (8 * k).to_bits::<5>());
            }
        }
        self.low_marks.write_address.next = self.colour_row.val();
        self.low_marks.write_data.next = self.mark_word.val();
        self.low_marks.write_mask.next = self.even_lanes.val();
        self.high_marks.write_address.next = self.colour_row.val();
        self.high_marks.write_data.next = self.mark_word.val();
        self.high_marks.write_mask.next = self.odd_lanes.val();
        for k in 0..4 {
            self.lows[k].write_address.next = self.colour_row.val();
            self.lows[k].write_data.next = self.x_data[k].q.val();
            self.lows[k].write_enable.next = self.even_lanes.val().get_bit(k);
            self.highs[k].write_address.next = self.colour_row.val();
            self.highs[k].write_data.next = self.x_data[k].q.val();
            self.highs[k].write_enable.next = self.odd_lanes.val().get_bit(k);
        }
    }

    fn line_lanes(&mut self) {
        self.depth_lanes.next = bits::<4>(0);
        self.mask_lanes.next = bits::<4>(0);
        self.lost_lanes.next = bits::<4>(0);
        if self.line_write.val() {
            self.lost_lanes.next = self.lost.val();
            if !self.x_end.q.val() && (self.x_number.q.val() == bits::<4>(8)) {
                self.depth_lanes.next = self.x_lanes.q.val();
            }
            if !self.x_end.q.val() && (self.x_number.q.val() == bits::<4>(9)) && !self.fault_result_mask.val() {
                self.mask_lanes.next = self.x_lanes.q.val();
            }
        }
        for k in 0..4 {
            self.shifted[k].next = self.x_data[k].q.val() >> self.x_sample.q.val();
        }
        self.mask_word.next = (self.shifted[0].val() & bits::<32>(1))
            | ((self.shifted[1].val() & bits::<32>(1)) << 8)
            | ((self.shifted[2].val() & bits::<32>(1)) << 16)
            | ((self.shifted[3].val() & bits::<32>(1)) << 24);
        self.line_row.next = (bit_cast::<12, 6>(self.x_ticket.q.val()) << 2) | bit_cast::<12, 2>(self.x_sample.q.val());
        if self._one_sample {
            self.line_row.next = bit_cast::<12, 6>(self.x_ticket.q.val());
        }
    }

    fn arrivals(&mut self) {
        self.arrived_take.read_address.next = self.x_ticket.q.val();
        self.arrived_new.next =
            self.arrived_take.read_data.val().get_bits::<5>(0) + bit_cast::<5, 3>(self.x_count.q.val());
        self.arrived_take.write_address.next = self.x_ticket.q.val();
        self.arrived_take.write_data.next = bit_cast::<32, 5>(self.arrived_new.val());
        self.arrived_take.write_enable.next = self.x_end.q.val() && self.done.val();
        self.arrived_head.write_address.next = self.x_ticket.q.val();
        self.arrived_head.write_data.next = bit_cast::<32, 5>(self.arrived_new.val());
        self.arrived_head.write_enable.next = self.x_end.q.val() && self.done.val();
    }

    fn succession(&mut self) {
        if self.line_write.val() {
            self.x_sample.d.next = self.x_sample.q.val() + bits::<2>(1);
        }
        if self.moves.val() {
            self.busy.d.next = self.pending.q.val().any();
            self.x_end.d.next = self.is_end.q.val();
            self.x_number.d.next = self.number.q.val();
            self.x_ticket.d.next = self.first_ticket.val().get_bits::<6>(2);
            self.x_sample.d.next = self.first_sample.val();
            self.x_alone.d.next = self.alones.read_data.val().get_bit(0);
            self.x_count.d.next = self.group_count.val();
            self.x_lanes.d.next = self.group.val();
            if self.swapped.val() {
                self.x_lanes.d.next = self.own_lane.val();
            }
            for k in 0..4 {
                self.x_data[k].d.next = self.data[k].q.val();
                if self.swapped.val() {
                    self.x_data[k].d.next = self.first_data.val();
                }
            }
        }
    }

    fn line_write(&mut self) {
        if self.collected.sample.val() {
            self.line_row.next =
                (bit_cast::<12, 6>(self.collected.ticket.val()) << 2) | bit_cast::<12, 2>(self.collected.number.val());
            if self._one_sample {
                self.line_row.next = bit_cast::<12, 6>(self.collected.ticket.val());
            }
            self.mask_word.next = bits::<32>(0x0101_0101);
            self.mask_lanes.next = bits::<4>(15);
            self.depth_lanes.next = bits::<4>(15);
            self.lost_lanes.next = bits::<4>(15);
        }
        self.masks.write_address.next = self.line_row.val();
        self.masks.write_data.next = self.mask_word.val();
        self.masks.write_mask.next = self.mask_lanes.val();
        self.depth_word[0].next = bit_cast::<32, 24>(self.collected.depth[0].val());
        self.depth_word[1].next = bit_cast::<32, 24>(self.collected.depth[1].val());
        self.depth_word[2].next = bit_cast::<32, 24>(self.collected.depth[2].val());
        self.depth_word[3].next = bit_cast::<32, 24>(self.collected.depth[3].val());
        for k in 0..4 {
            self.lines[k].write_address.next = self.line_row.val();
            self.lines[k].write_data.next = self.x_data[k].q.val() & bits::<32>(0xFF_FFFF);
            if self.collected.sample.val() {
                self.lines[k].write_data.next = self.depth_word[k].val();
                if self.collected.lanes.val().get_bit(k) {
                    self.lines[k].write_data.next = self.depth_word[k].val() | bits::<32>(0x100_0000);
                }
            }
            self.lines[k].write_mask.next = bits::<4>(0);
            if self.depth_lanes.val().get_bit(k) {
                self.lines[k].write_mask.next = bits::<4>(7);
            }
            if self.lost_lanes.val().get_bit(k) {
                self.lines[k].write_mask.next = bits::<4>(8);
            }
            if self.depth_lanes.val().get_bit(k) && self.lost_lanes.val().get_bit(k) {
                self.lines[k].write_mask.next = bits::<4>(15);
            }
        }
    }

    fn quad_entry(&mut self) {
        // A quad.
        self.name.next = bits::<32>(0);
        self.name.next.set_value_name_context(self.collected.context.val());
        self.name.next.set_value_name_order(self.collected.order.val());
        self.name.next.set_value_name_back(self.collected.back.val());
        self.name.next.set_value_name_buffer(self.collected.buffer.val());
        self.place.next = bits::<32>(0);
        self.place.next.set_value_place_x(self.collected.x.val());
        self.place.next.set_value_place_y(self.collected.y.val());
        self.names.write_address.next = bit_cast::<12, 6>(self.collected.ticket.val());
        self.names.write_data.next = self.name.val();
        fan_out!(self.collected.keep =>
            self.names.write_enable, self.places.write_enable, self.expected_in.write_enable,
            self.expected_head.write_enable, self.alones.write_enable
        );
        self.places.write_address.next = bit_cast::<12, 6>(self.collected.ticket.val());
        self.places.write_data.next = self.place.val();
        fan_out!(self.collected.ticket =>
            self.expected_in.read_address, self.expected_in.write_address, self.expected_head.write_address,
            self.alones.write_address
        );
        self.expected_now.next = self.expected_in.read_data.val().get_bits::<6>(0);
        self.expected_new.next = bits::<6>(0);
        self.expected_new.next.set_value_expected_ends(
            self.expected_now.val().get_value_expected_ends() + (bit_cast::<5, 3>(self.collected.warps.val()) << 2),
        );
        self.expected_new.next.set_value_expected_alone(self.collected.alone.val());
        self.expected_in.write_data.next = bit_cast::<32, 6>(self.expected_new.val());
        self.expected_head.write_data.next = bit_cast::<32, 6>(self.expected_new.val());
        self.alones.write_data.next = bits::<32>(0);
        if self.collected.alone.val() {
            self.alones.write_data.next = bits::<32>(1);
        }
        if self.collected.keep.val() {
            self.quads_in.d.next = self.quads_in.q.val() + bits::<8>(1);
        }
        // The end of a triangle.
        self.ended_new.next = bits::<32>(0);
        self.ended_new.next.set_value_ended_handle(self.collected.handle.val());
        self.ended_new.next.set_value_ended_mark(self.quads_in.q.val());
        self.ended.put_number.next = self.ended_new.val();
        self.ended.put.next = self.collected.end.val();
    }

    fn come(&mut self) {
        self.empty.next = !self.pending.q.val().any() || (self.moves.val() && !self.rest.val().any());
        if self.moves.val() {
            self.pending.d.next = self.rest.val();
        }
        // An end waits in a place of its own, and goes before the next word.
        self.welcome.next = self.empty.val() && !self.held.q.val();
        if self.fault_result_waits.val()
            && (self.word.ticket[0].val().get_bits::<6>(2) != self.head.q.val().get_bits::<6>(0))
        {
            self.welcome.next = false;
        }
        self.word.ready.next = self.welcome.val();
        self.load.next = self.welcome.val() && self.word.valid.val();
        self.end.ready.next = !self.held.q.val();
        if self.load.val() {
            self.pending.d.next = self.word.mask.val();
            self.is_end.d.next = false;
            self.number.d.next = self.word.word.val();
        }
        if self.empty.val() && self.held.q.val() {
            self.pending.d.next = bits::<4>(15);
            self.is_end.d.next = true;
            self.held.d.next = false;
        }
        for k in 0..4 {
            if self.load.val() {
                self.ticket[k].d.next = self.word.ticket[k].val();
                self.sample[k].d.next = self.word.sample[k].val();
                self.data[k].d.next = self.word.data[k].val();
            }
            if self.empty.val() && self.held.q.val() {
                self.ticket[k].d.next = self.held_ticket[k].q.val();
                self.sample[k].d.next = self.held_sample[k].q.val();
                self.data[k].d.next = bits::<32>(0);
                if self.held_covered.q.val().get_bit(k) {
                    self.data[k].d.next = bits::<32>(1);
                }
            }
        }
        if self.end.valid.val() && !self.held.q.val() {
            self.held.d.next = true;
            self.held_covered.d.next = self.end.covered.val();
            for k in 0..4 {
                self.held_ticket[k].d.next = self.end.ticket[k].val();
                self.held_sample[k].d.next = self.end.sample[k].val();
            }
        }
    }
}
