//! The pipeline of bytes: the lanes, what goes along with them, the write at the end of both.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::beat::CommitTag;
use super::word::{Colour, Equation};
use super::{Blend, Colours, Factors, Pipeline, TargetWrite};
use crate::cell::blend::FactorBits;

#[parts]
impl Blend {
    fn pipeline(&mut self) {
        for i in 0..5 {
            self.lanes_p[i].clock.next = self.clock.val();
            self.place_p[i].clock.next = self.clock.val();
            self.buffer_p[i].clock.next = self.clock.val();
            self.second_p[i].clock.next = self.clock.val();
        }
        for i in 0..4 {
            self.lanes_p[i + 1].d.next = self.lanes_p[i].q.val();
            self.place_p[i + 1].d.next = self.place_p[i].q.val();
            self.buffer_p[i + 1].d.next = self.buffer_p[i].q.val();
            self.second_p[i + 1].d.next = self.second_p[i].q.val();
        }
        self.place_p[0].d.next = self.place.val();
        self.buffer_p[0].d.next = self.tag1.val().get_value_tag_buffer();
        self.second_p[0].d.next = self.second.q.val();
        self.lanes_p[0].d.next = bits::<4>(0);
        if self.issue.val() {
            self.lanes_p[0].d.next = self.lanes.val();
        }
        for i in 0..3 {
            self.operation_p[i].clock.next = self.clock.val();
            self.alpha_operation_p[i].clock.next = self.clock.val();
            self.bytes_p[i].clock.next = self.clock.val();
        }
        for i in 0..2 {
            self.operation_p[i + 1].d.next = self.operation_p[i].q.val();
            self.alpha_operation_p[i + 1].d.next = self.alpha_operation_p[i].q.val();
            self.bytes_p[i + 1].d.next = self.bytes_p[i].q.val();
        }
        self.operation_p[0].d.next = self.operation.val();
        self.alpha_operation_p[0].d.next = self.alpha_operation.val();
        self.bytes_p[0].d.next = self.bytes.val();
        // A quad is done when all its beats are written, whichever way they went: a memory of 16
        // words, all of which are read and written in turn, and a register hold it back.
        self.turn.d.next = self.turn.q.val() + bits::<4>(1);
        self.ended.next = bits::<32>(0);
        self.ended.next.set_value_tag_context(self.tag1.val().get_value_tag_context());
        self.ended.next.set_value_tag_buffer(self.tag1.val().get_value_tag_buffer());
        self.ends.next = self.leave.val() && self.tag1.val().get_value_tag_last();
        if self.fault_blend_done.val() && !self.tag1.val().get_value_tag_coverage().any() {
            self.ends.next = false;
        }
        self.ended.next.set_value_tag_last(self.ends.val());
        self.along.write_enable.next = true;
        self.along.write_address.next = self.turn.q.val();
        self.along.write_data.next = self.ended.val();
        self.along.read_address.next = self.turn.q.val();
        self.ended_r.d.next = self.along.read_data.val();
        self.done_r.d.next = self.ended_r.q.val();
        self.done.next = self.done_r.q.val().get_value_tag_last();
        self.done_buffer.next = self.done_r.q.val().get_value_tag_buffer();
        self.done_context.next = self.done_r.q.val().get_value_tag_context();
    }

    fn factors(&mut self) {
        self.choice[0].code.next = self.equations.read_data.val().get_value_source();
        self.choice[1].code.next = self.equations.read_data.val().get_value_destination();
        self.choice[2].code.next = self.equations.read_data.val().get_value_alpha_source();
        self.choice[3].code.next = self.equations.read_data.val().get_value_alpha_destination();
        for i in 0..2 {
            self.choice[i].alpha.next = false;
            self.choice[i + 2].alpha.next = true;
        }
        for i in 0..4 {
            self.choice2[i].clock.next = self.clock.val();
            self.choice2[i].d.next = self.choice[i].choice.val();
        }
        self.source_constant2.d.next = bits::<32>(0);
        self.destination_constant2.d.next = bits::<32>(0);
        if self.choice[0].choice.val().get_value_of_constant() {
            self.source_constant2.d.next = self.constant_low.read_data.val() & bits::<32>(0xFF_FFFF);
        }
        if self.choice[1].choice.val().get_value_of_constant() {
            self.destination_constant2.d.next = self.constant_low.read_data.val() & bits::<32>(0xFF_FFFF);
        }
        self.alpha.next = self.constant_low.read_data.val().get_bits::<8>(24);
        if self.choice[2].choice.val().get_value_of_constant() {
            self.source_constant2.d.next.set_value_alpha(self.alpha.val());
        }
        if self.choice[3].choice.val().get_value_of_constant() {
            self.destination_constant2.d.next.set_value_alpha(self.alpha.val());
        }
    }

    fn colours(&mut self) {
        for i in 0..4 {
            self.word2[i].clock.next = self.clock.val();
            self.word2[i].d.next = self.queue.word[i].val();
            if self.second.q.val() {
                self.word2[i].d.next = self.queue.word[i + 4].val();
            }
            clock!(self, clock, lane[i]);
            self.lane[i].source_choice.next = self.choice2[0].q.val();
            self.lane[i].destination_choice.next = self.choice2[1].q.val();
            self.lane[i].alpha_source_choice.next = self.choice2[2].q.val();
            self.lane[i].alpha_destination_choice.next = self.choice2[3].q.val();
            self.lane[i].source_constant.next = self.source_constant2.q.val();
            self.lane[i].destination_constant.next = self.destination_constant2.q.val();
            self.lane[i].source.next = self.word2[i].q.val();
            self.lane[i].colour_operation.next = self.operation_p[2].q.val();
            self.lane[i].alpha_operation.next = self.alpha_operation_p[2].q.val();
            self.lane[i].bytes.next = self.bytes_p[2].q.val();
        }
        for i in 0..4 {
            self.lane[i].destination.next = self.read_line.data[i].val();
        }
    }

    fn target_write(&mut self) {
        for i in 0..4 {
            self.write.data[i].next = self.lane[i].word.val();
        }
        self.write.buffer.next = self.buffer_p[4].q.val();
        self.write.address.next = self.place_p[4].q.val();
        self.write.mask.next = self.lanes_p[4].q.val();
        if self.wide.mask.val().any() {
            self.write.buffer.next = self.wide.write_buffer.val();
            self.write.address.next = self.wide.write_address.val();
            self.write.mask.next = self.wide.mask.val();
            for i in 0..2 {
                self.write.data[2 * i].next = self.wide.even.val();
                self.write.data[2 * i + 1].next = self.wide.odd.val();
            }
        }
    }
}
