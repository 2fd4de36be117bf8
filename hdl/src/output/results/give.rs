//! What leaves the result store: the oldest quad, beat by beat, and triangles that are done with.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::{Beat, Coverage, Ended, Expected, Free, Head, Leave, ResultName, ResultPlace, ResultStore, WrittenFlags};

#[parts]
impl ResultStore {
    fn head(&mut self) {
        self.leave.next = !self.valid2.q.val() || self.commit.ready.val();
        self.advance.next = !self.valid1.q.val() || self.leave.val();
        self.expected_head.read_address.next = self.head.q.val().get_bits::<6>(0);
        self.arrived_head.read_address.next = self.head.q.val().get_bits::<6>(0);
        self.expected_out.next = self.expected_head.read_data.val().get_bits::<6>(0);
        self.ready.next = (self.head.q.val() != self.quads_in.q.val())
            && ((self.expected_out.val().get_value_expected_ends()
                == self.arrived_head.read_data.val().get_bits::<5>(0))
                || self.fault_result_order.val());
        // A pass without targets has a beat for each sample, too.
        self.last_target.next = (bit_cast::<3, 2>(self.beat_target.q.val()) + bits::<3>(1)) >= self.modes.targets.val();
        self.last_sample.next = self.beat_sample.q.val() == self.modes.last_sample.val();
    }

    fn beat(&mut self) {
        self.word_row.next = self.word_row1.q.val();
        self.sample_row.next = self.sample_row1.q.val();
        self.name_row.next = self.name_row1.q.val();
        if self.advance.val() {
            self.name_row.next = bit_cast::<12, 6>(self.head.q.val().get_bits::<6>(0));
            self.sample_row.next = (bit_cast::<12, 6>(self.head.q.val().get_bits::<6>(0)) << 2)
                | bit_cast::<12, 2>(self.beat_sample.q.val());
            self.word_row.next = (bit_cast::<12, 2>(self.beat_target.q.val()) << 8)
                | (bit_cast::<12, 6>(self.head.q.val().get_bits::<6>(0)) << 2);
            // Samples that are shaded together have their words at sample 0.
            if self.expected_out.val().get_value_expected_alone() && !self.fault_result_alone.val() {
                self.word_row.next = (bit_cast::<12, 2>(self.beat_target.q.val()) << 8)
                    | (bit_cast::<12, 6>(self.head.q.val().get_bits::<6>(0)) << 2)
                    | bit_cast::<12, 2>(self.beat_sample.q.val());
            }
            if self._one_sample {
                self.sample_row.next = bit_cast::<12, 6>(self.head.q.val().get_bits::<6>(0));
                self.word_row.next = (bit_cast::<12, 2>(self.beat_target.q.val()) << 6)
                    | bit_cast::<12, 6>(self.head.q.val().get_bits::<6>(0));
            }
            self.valid1.d.next = self.ready.val();
            self.name_row1.d.next = self.name_row.val();
            self.sample_row1.d.next = self.sample_row.val();
            self.word_row1.d.next = self.word_row.val();
            self.sample1.d.next = self.beat_sample.q.val();
            self.target1.d.next = self.beat_target.q.val();
            self.first1.d.next = !self.beat_target.q.val().any();
            self.last1.d.next = self.last_target.val() && self.last_sample.val();
            self.final1.d.next = self.expected_out.val().get_value_expected_alone() || self.last_sample.val();
            if self.ready.val() {
                self.beat_target.d.next = self.beat_target.q.val() + bits::<2>(1);
                if self.last_target.val() || (self.fault_result_target.val() && !self.last_sample.val()) {
                    self.beat_target.d.next = bits::<2>(0);
                    self.beat_sample.d.next = self.beat_sample.q.val() + bits::<2>(1);
                    if self.last_sample.val() {
                        self.beat_sample.d.next = bits::<2>(0);
                        self.head.d.next = self.head.q.val() + bits::<8>(1);
                    }
                }
            }
        }
        self.names.read_address.next = self.name_row.val();
        self.places.read_address.next = self.name_row.val();
        self.masks.read_address.next = self.sample_row.val();
        self.low_marks.read_address.next = self.word_row.val();
        self.high_marks.read_address.next = self.word_row.val();
        self.seen_commit.read_address.next = self.word_row.val();
        for k in 0..4 {
            self.lines[k].read_address.next = self.sample_row.val();
            self.lows[k].read_address.next = self.word_row.val();
            self.highs[k].read_address.next = self.word_row.val();
        }
    }

    fn written_flags(&mut self) {
        self.name1.next = self.names.read_data.val();
        self.place1.next = self.places.read_data.val();
        self.modes.context.next = self.name1.val().get_value_name_context();
        // Even words of the lanes, then odd ones: as the writers have them, and which are written.
        self.marked.next = bits::<8>(0);
        for k in 0..4 {
            if self.low_marks.read_data.val().get_bit(8 * k) {
                self.marked.next = self.marked.val() | (bits::<8>(1) << k.to_bits::<3>());
            }
            if self.high_marks.read_data.val().get_bit(8 * k) {
                self.marked.next = self.marked.val() | (bits::<8>(1) << (k + 4).to_bits::<3>());
            }
        }
        self.written.next = self.marked.val() ^ self.seen_commit.read_data.val().get_bits::<8>(0);
        if self.fault_result_stale.val() {
            self.written.next = bits::<8>(0xFF);
        }
        // The last beat that looks at these words makes the bits equal.
        self.seen_write.write_address.next = self.word_row1.q.val();
        self.seen_write.write_data.next = bit_cast::<32, 8>(self.marked.val());
        self.seen_write.write_enable.next =
            self.valid1.q.val() && self.leave.val() && self.final1.q.val() && !self.fault_result_forget.val();
        self.seen_commit.write_address.next = self.word_row1.q.val();
        self.seen_commit.write_data.next = bit_cast::<32, 8>(self.marked.val());
        self.seen_commit.write_enable.next =
            self.valid1.q.val() && self.leave.val() && self.final1.q.val() && !self.fault_result_forget.val();
    }

    fn coverage(&mut self) {
        self.masked.next = bits::<4>(0);
        for k in 0..4 {
            if self.masks.read_data.val().get_bit(8 * k) {
                self.masked.next = self.masked.val() | (bits::<4>(1) << k.to_bits::<2>());
            }
        }
        self.covered.next = bits::<4>(0);
        for k in 0..4 {
            if self.lines[k].read_data.val().get_bit(24) {
                self.covered.next = self.covered.val() | (bits::<4>(1) << k.to_bits::<2>());
            }
        }
    }

    fn leave(&mut self) {
        if self.leave.val() {
            self.valid2.d.next = self.valid1.q.val();
            self.name2.d.next = self.name1.val();
            self.place2.d.next = self.place1.val();
            self.sample2.d.next = self.sample1.q.val();
            self.target2.d.next = self.target1.q.val();
            self.first2.d.next = self.first1.q.val();
            self.last2.d.next = self.last1.q.val();
            self.late2.d.next = self.modes.late.val() && !self.fault_result_late.val();
            self.coverage2.d.next = self.covered.val() & self.masked.val();
        }
        for k in 0..4 {
            if self.leave.val() {
                self.depth2[k].d.next = self.lines[k].read_data.val().get_bits::<24>(0);
                self.low2[k].d.next = bits::<32>(0);
                if self.written.val().get_bit(k) {
                    self.low2[k].d.next = self.lows[k].read_data.val();
                }
                self.high2[k].d.next = bits::<32>(0);
                if self.written.val().get_bit(k + 4) {
                    self.high2[k].d.next = self.highs[k].read_data.val();
                }
            }
        }
        self.commit.valid.next = self.valid2.q.val();
        self.commit.context.next = self.name2.q.val().get_value_name_context();
        self.commit.order.next = self.name2.q.val().get_value_name_order();
        self.commit.back.next = self.name2.q.val().get_value_name_back();
        self.commit.buffer.next = self.name2.q.val().get_value_name_buffer();
        self.commit.x.next = self.place2.q.val().get_value_place_x();
        self.commit.y.next = self.place2.q.val().get_value_place_y();
        self.commit.sample.next = self.sample2.q.val();
        self.commit.target.next = self.target2.q.val();
        self.commit.first.next = self.first2.q.val();
        self.commit.last.next = self.last2.q.val();
        self.commit.late.next = self.late2.q.val();
        self.commit.coverage.next = self.coverage2.q.val();
        for k in 0..4 {
            self.commit.depth[k].next = self.depth2[k].q.val();
            self.commit.low[k].next = self.low2[k].q.val();
            self.commit.high[k].next = self.high2[k].q.val();
        }
        if self.valid2.q.val() && self.commit.ready.val() && self.last2.q.val() {
            self.committed.d.next = self.committed.q.val() + bits::<8>(1);
        }
        self.inside.next = self.quads_in.q.val() - self.committed.q.val();
        self.room_r.d.next = self.inside.val() < bits::<8>(62);
        self.room.next = self.room_r.q.val();
    }

    fn free(&mut self) {
        // Quads are written in order: all of the triangle's are when as many are as had a ticket at
        // its end. A quad that has committed may still wait for blending, which reads the state of
        // its context. That is kept by the record alone.
        if self.written_quad.val() {
            self.blended.d.next = self.blended.q.val() + bits::<8>(1);
        }
        self.ended_word.next = self.ended.number.val();
        self.since_end.next = self.blended.q.val() - self.ended_word.val().get_value_ended_mark();
        if self.fault_result_early.val() {
            self.since_end.next = self.committed.q.val() - self.ended_word.val().get_value_ended_mark();
        }
        self.frees.next = self.ended.valid.val() && (!self.since_end.val().get_bit(7) || self.fault_result_free.val());
        self.ended.take.next = self.frees.val();
        self.free.d.next = self.frees.val();
        self.free_place.d.next = self.ended_word.val().get_value_ended_handle();
        self.free_ports.free_valid.next = self.free.q.val();
        self.free_ports.free_handle.next = self.free_place.q.val();
        self.idle.next = (self.quads_in.q.val() == self.committed.q.val())
            && !self.ended.valid.val()
            && !self.free.q.val()
            && !self.busy.q.val()
            && !self.pending.q.val().any()
            && !self.held.q.val();
    }
}
