//! The kernel of the second half of the attribute unit, in the order of [`super`].

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::{Answers, AttributeBack, Beats, Edges, Gather, Next, Step, Take};
use crate::attribute::words::BeatHead;
use crate::comment;

#[parts]
impl AttributeBack {
    fn answers(&mut self) {
        comment!("module: attribute_back");
        dff_setup!(self, clock, answer_head, answer_tail, beat_head, beat_tail, begun, busy, head, bary, attr);
        dff_setup!(self, clock, words, flat, same, register, todo, equal, complete);
        clock!(self, clock, evaluator, heads);
        self.comes.next = self.store_rsp.valid.val() && (self.store_rsp.source.val() == self.source.val());
        self.high.next = bit_cast::<32, 16>(self.store_rsp.c.val().get_bits::<16>(32));
        for i in 0..self._words {
            clock!(self, clock, answers[i]);
            self.answers[i].write_enable.next = self.comes.val();
            self.answers[i].write_address.next = self.answer_tail.q.val().get_bits::<4>(0);
            self.answers[i].read_address.next = self.answer_head.q.val().get_bits::<4>(0);
        }
        self.answers[0].write_data.next = bit_cast::<32, 24>(self.store_rsp.a.val());
        self.answers[1].write_data.next = bit_cast::<32, 24>(self.store_rsp.b.val());
        self.answers[2].write_data.next = self.store_rsp.c.val().get_bits::<32>(0);
        self.answers[3].write_data.next = self.high.val();
        self.answers[4].write_data.next = self.store_rsp.data.val();
        if self.comes.val() {
            self.answer_tail.d.next = self.answer_tail.q.val() + bits::<5>(1);
        }
        self.answered.next = self.answer_head.q.val() != self.answer_tail.q.val();
    }

    fn take(&mut self) {
        self.job.ready.next = !self.busy.q.val();
        for i in 0..self._lanes {
            self.x[i].clock.next = self.clock.val();
            self.y[i].clock.next = self.clock.val();
            self.x[i].d.next = self.x[i].q.val();
            self.y[i].d.next = self.y[i].q.val();
            if !self.busy.q.val() {
                self.x[i].d.next = self.job.x[i].val();
                self.y[i].d.next = self.job.y[i].val();
            }
        }
        if !self.busy.q.val() {
            self.busy.d.next = self.job.valid.val();
            self.head.d.next = self.job.head.val();
            self.bary.d.next = self.job.bary.val();
            self.attr.d.next = self.job.attr.val();
            self.words.d.next = self.job.words.val();
            self.flat.d.next = self.job.flat.val();
            self.same.d.next = self.job.same.val();
            self.register.d.next = bits::<2>(0);
            self.todo.d.next = self.job.head.val().get_value_mask();
        }
    }

    fn next(&mut self) {
        self.mask.next = self.head.q.val().get_value_mask();
        self.used_places.next = self.begun.q.val() - self.beat_head.q.val();
        self.room.next = !self.used_places.val().get_bit(4);
        self.lowest.next = self.todo.q.val() & (bits::<4>(0) - self.todo.q.val());
        self.left.next = self.todo.q.val() & !self.lowest.val();
        self.lanes.next = self.lowest.val();
        self.comparison.next = self.attr.q.val() && !self.words.q.val() && (self.register.q.val() == bits::<2>(3));
        // A word of all lanes, and the comparison, is one step.
        if !self.bary.q.val() && (self.same.q.val() || self.comparison.val()) {
            self.lanes.next = self.mask.val();
            self.left.next = bits::<4>(0);
        }
        self.last_lane.next = !self.left.val().any();
        self.nothing.next = !self.bary.q.val() && !self.attr.q.val() && !self.flat.q.val();
        self.last_register.next = self.nothing.val()
            || self.flat.q.val()
            || (self.bary.q.val() && (self.register.q.val() == bits::<2>(2)))
            || (self.register.q.val() == bits::<2>(3));
    }

    fn step(&mut self) {
        // Nothing is before what does not go through the evaluator. What only completes pushes its
        // beat itself, so no other beat may be complete.
        self.quiet.next =
            self.bary.q.val() || (!self.evaluator.busy.val() && (!self.nothing.val() || !self.complete.q.val()));
        self.step.next = self.busy.q.val()
            && self.room.val()
            && self.quiet.val()
            && (self.answered.val() || self.comparison.val() || self.nothing.val());
        self.start.next = self.step.val() && self.bary.q.val();
        self.put.next = self.step.val() && !self.bary.q.val() && !self.nothing.val();
        self.finish.next = self.step.val() && self.nothing.val();
        self.push_head.next = self.step.val() && (self.last_lane.val() || self.nothing.val());
        self.used.next = self.step.val()
            && !self.comparison.val()
            && !self.nothing.val()
            && (!self.same.q.val() || self.last_lane.val());
        if self.used.val() {
            self.answer_head.d.next = self.answer_head.q.val() + bits::<5>(1);
        }
        if self.step.val() {
            self.todo.d.next = self.left.val();
            if self.push_head.val() {
                self.todo.d.next = self.mask.val();
                self.register.d.next = self.register.q.val() + bits::<2>(1);
                if self.last_register.val() {
                    self.busy.d.next = false;
                }
            }
        }
    }

    fn edges(&mut self) {
        self.evaluator.start.next = self.start.val();
        self.label.next = bit_cast::<5, 4>(self.lowest.val());
        if self.last_lane.val() {
            self.label.next = bit_cast::<5, 4>(self.lowest.val()) | bits::<5>(16);
        }
        self.evaluator.label.next = self.label.val();
        self.evaluator.a.next = self.answers[0].read_data.val().get_bits::<24>(0);
        self.evaluator.b.next = self.answers[1].read_data.val().get_bits::<24>(0);
        self.evaluator.c.next = (bit_cast::<48, 32>(self.answers[3].read_data.val()) << bits::<48>(32))
            | bit_cast::<48, 32>(self.answers[2].read_data.val());
        self.evaluator.x.next = self.x[0].q.val();
        self.evaluator.y.next = self.y[0].q.val();
        for i in 0..self._lanes {
            if self.lowest.val().get_bit(i) {
                self.evaluator.x.next = self.x[i].q.val();
                self.evaluator.y.next = self.y[i].q.val();
            }
        }
    }

    fn gather(&mut self) {
        // A word is compared with the first of its lane.
        self.beat_word.next = self.answers[4].read_data.val();
        self.first_word.next = self.firsts[0].q.val();
        for i in 0..self._lanes {
            if self.lowest.val().get_bit(i) {
                self.first_word.next = self.firsts[i].q.val();
            }
        }
        self.alike.next = (self.beat_word.val() == self.first_word.val())
            || (self.fault_attribute_equal.val() && (self.register.q.val() == bits::<2>(2)));
        self.complete.d.next = (self.put.val() && self.last_lane.val())
            || (self.evaluator.valid.val() && self.evaluator.done.val().get_bit(4));
        if self.put.val() && !self.comparison.val() {
            if self.register.q.val() == bits::<2>(0) {
                self.equal.d.next = self.equal.q.val() | self.lanes.val();
            } else if !self.alike.val() {
                self.equal.d.next = self.equal.q.val() & !self.lanes.val();
            }
        }
        for i in 0..self._lanes {
            self.firsts[i].clock.next = self.clock.val();
            self.beat[i].clock.next = self.clock.val();
            self.firsts[i].d.next = self.firsts[i].q.val();
            self.beat[i].d.next = self.beat[i].q.val();
            if self.put.val() && self.lanes.val().get_bit(i) {
                self.beat[i].d.next = self.beat_word.val();
                if self.register.q.val() == bits::<2>(0) {
                    self.firsts[i].d.next = self.beat_word.val();
                }
                if self.comparison.val() {
                    self.beat[i].d.next = bits::<32>(0);
                    if self.equal.q.val().get_bit(i) {
                        self.beat[i].d.next = bits::<32>(1);
                    }
                }
            }
            if self.evaluator.valid.val() && self.evaluator.done.val().get_bit(i) {
                self.beat[i].d.next = self.evaluator.word.val();
            }
        }
    }

    fn beats(&mut self) {
        self.new_head.next = self.head.q.val();
        self.new_head.next.set_value_dst(self.head.q.val().get_value_dst() + bit_cast::<5, 2>(self.register.q.val()));
        self.new_head.next.set_value_last(self.last_register.val());
        self.heads.write_enable.next = self.push_head.val();
        self.heads.write_address.next = self.begun.q.val().get_bits::<4>(0);
        self.heads.write_data.next = self.new_head.val();
        self.heads.read_address.next = self.beat_head.q.val().get_bits::<4>(0);
        if self.push_head.val() {
            self.begun.d.next = self.begun.q.val() + bits::<5>(1);
        }
        // Values: one cycle behind the last lane.
        if self.complete.q.val() || self.finish.val() {
            self.beat_tail.d.next = self.beat_tail.q.val() + bits::<5>(1);
        }
        for i in 0..self._lanes {
            clock!(self, clock, values[i]);
            self.values[i].write_enable.next = self.complete.q.val();
            self.values[i].write_address.next = self.beat_tail.q.val().get_bits::<4>(0);
            self.values[i].write_data.next = self.beat[i].q.val();
            self.values[i].read_address.next = self.beat_head.q.val().get_bits::<4>(0);
        }
        self.rsp.valid.next = self.beat_head.q.val() != self.beat_tail.q.val();
        self.old_head.next = self.heads.read_data.val();
        self.rsp_unit.next = self.old_head.val().get_value_unit();
        self.rsp.warp.next = self.old_head.val().get_value_warp();
        self.rsp.seq.next = self.old_head.val().get_value_seq();
        self.rsp.mask.next = self.old_head.val().get_value_mask();
        self.rsp.dst.next = self.old_head.val().get_value_dst();
        self.rsp.wen.next = self.old_head.val().get_value_wen();
        self.rsp.last.next = self.old_head.val().get_value_last();
        for i in 0..4 {
            self.rsp.value[i].next = self.values[i].read_data.val();
        }
        if self.rsp.valid.val() && self.rsp.ready.val() {
            self.beat_head.d.next = self.beat_head.q.val() + bits::<5>(1);
        }
    }
}
