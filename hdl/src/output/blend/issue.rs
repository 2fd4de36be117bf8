//! In front of both pipelines: words of the state, the place of a beat's word, and whether it may
//! go.

use quadlock_hdl_macros::parts;
use quadlock_isa::records::{pass, state};
use rust_hdl::prelude::*;

use super::beat::CommitTag;
use super::word::Equation;
use super::{Blend, Conflicts, Issue, Place, Registers, State, Steps, WriteMask};
use crate::comment;
use crate::ports::{CommitDataIn, LineDataIn};

#[parts]
impl Blend {
    fn registers(&mut self) {
        comment!("module: blend");
        dff_setup!(self, clock, samples, side, targets, valid1, address1, index1, format1, absent1, second);
        dff_setup!(self, clock, phase, source_constant2, destination_constant2, turn);
        dff_setup!(self, clock, ended_r, done_r);
        clock!(self, clock, equations, constant_low, constant_high, queue, wide, along);
        self.tag1.next = self.queue.oldest.val();
        for i in 0..4 {
            dff_setup!(self, clock, format[i]);
        }
    }

    fn state(&mut self) {
        // Word 28 + t is row t of the context, words 24 to 27 two words of integers and of floats.
        self.equations.write_address.next = (bit_cast::<12, 4>(self.state.context.val()) << bits::<4>(2))
            | bit_cast::<12, 2>(self.state.word.val().get_bits::<2>(0));
        fan_out!(self.state.data =>
            self.equations.write_data, self.constant_low.write_data, self.constant_high.write_data
        );
        self.equations.write_enable.next =
            self.state.valid.val() && (self.state.word.val().get_bits::<4>(2) == bits::<4>(state::TARGET_BLEND / 4));
        self.constant_low.write_address.next = (bit_cast::<12, 4>(self.state.context.val()) << bits::<4>(1))
            | bit_cast::<12, 1>(self.state.word.val().get_bits::<1>(1));
        self.constant_low.write_enable.next = self.state.valid.val()
            && (self.state.word.val().get_bits::<4>(2) == bits::<4>(state::BLEND_CONSTANT / 4))
            && !self.state.word.val().get_bit(0);
        self.constant_high.write_address.next = (bit_cast::<12, 4>(self.state.context.val()) << bits::<4>(1))
            | bit_cast::<12, 1>(self.state.word.val().get_bits::<1>(1));
        self.constant_high.write_enable.next = self.state.valid.val()
            && (self.state.word.val().get_bits::<4>(2) == bits::<4>(state::BLEND_CONSTANT / 4))
            && self.state.word.val().get_bit(0);
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::KIND)) {
            self.samples.d.next = self.state.data.val().get_bits::<2>(0);
            self.side.d.next = self.state.data.val().get_bits::<3>(4);
            self.targets.d.next = self.state.data.val().get_bits::<3>(8);
        }
        // Word 5 + 4 t has the format of target t.
        for i in 1..5 {
            if self.state.pass.val()
                && (self.state.word.val().get_bits::<2>(0) == bits::<2>(pass::TARGET_FLAGS % 4))
                && (self.state.word.val().get_bits::<4>(2) == i.to_bits::<4>())
            {
                self.format[i - 1].d.next = self.state.data.val().get_bits::<2>(0);
            }
        }
    }

    fn place(&mut self) {
        self.queue.in_valid.next = self.in_valid.val();
        self.in_ready.next = self.queue.in_ready.val();
        CommitDataIn::link(&mut self.commit, &mut self.queue.commit);
        self.advance.next = !self.valid1.q.val() || self.leave.val();
        self.queue.take.next = self.advance.val();
        self.queue.leave.next = self.leave.val();
        // Targets of two words have two planes.
        self.wide0.next = bits::<3>(0);
        self.format0.next = self.format[0].q.val();
        for i in 0..3 {
            if (self.queue.tag.val().get_value_tag_target() > i.to_bits::<2>())
                && (self.format[i].q.val() == bits::<2>(2))
                && !self.fault_blend_plane.val()
            {
                self.wide0.next = self.wide0.val() + bits::<3>(1);
            }
        }
        for i in 0..4 {
            if self.queue.tag.val().get_value_tag_target() == i.to_bits::<2>() {
                self.format0.next = self.format[i].q.val();
            }
        }
        self.plane0.next = bit_cast::<3, 2>(self.queue.tag.val().get_value_tag_target()) + self.wide0.val();
        self.index0.next = (bit_cast::<5, 3>(self.plane0.val()) << bit_cast::<3, 2>(self.samples.q.val()))
            + bit_cast::<5, 2>(self.queue.tag.val().get_value_tag_sample());
        if self.fault_blend_sample.val() {
            self.index0.next = bit_cast::<5, 3>(self.plane0.val()) << bit_cast::<3, 2>(self.samples.q.val());
        }
        self.address0.side.next = self.side.q.val();
        self.address0.index.next = self.index0.val();
        self.address0.x.next = self.queue.tag.val().get_value_tag_x();
        self.address0.y.next = self.queue.tag.val().get_value_tag_y();
        // The state's memories show the rows of the beat that is in the issue stage next.
        self.row_context.next = self.tag1.val().get_value_tag_context();
        self.row_target.next = self.tag1.val().get_value_tag_target();
        self.row_float.next = self.format1.q.val() == bits::<2>(2);
        if self.advance.val() {
            self.valid1.d.next = self.queue.valid.val();
            self.address1.d.next = self.address0.address.val();
            self.index1.d.next = self.index0.val();
            self.format1.d.next = self.format0.val();
            self.absent1.d.next = self.targets.q.val() == bits::<3>(0);
            self.row_context.next = self.queue.tag.val().get_value_tag_context();
            self.row_target.next = self.queue.tag.val().get_value_tag_target();
            self.row_float.next = self.format0.val() == bits::<2>(2);
        }
        self.equations.read_address.next =
            (bit_cast::<12, 4>(self.row_context.val()) << bits::<4>(2)) | bit_cast::<12, 2>(self.row_target.val());
        self.context_row.next = bit_cast::<12, 4>(self.row_context.val()) << bits::<4>(1);
        if self.fault_blend_constant.val() {
            self.context_row.next = bits::<12>(0);
        }
        self.constant_row.next = self.context_row.val();
        if self.row_float.val() {
            self.constant_row.next = self.context_row.val() | bits::<12>(1);
        }
        self.constant_low.read_address.next = self.constant_row.val();
        self.constant_high.read_address.next = self.constant_row.val();
    }

    fn write_mask(&mut self) {
        self.high_address.side.next = self.side.q.val();
        self.high_address.index.next = self.index1.q.val() + (bits::<5>(1) << bit_cast::<3, 2>(self.samples.q.val()));
        self.high_address.x.next = self.tag1.val().get_value_tag_x();
        self.high_address.y.next = self.tag1.val().get_value_tag_y();
        self.two_words.next = self.format1.q.val() == bits::<2>(2);
        // Which bytes of a word the mask of components means.
        self.equation_mask.next = self.equations.read_data.val().get_value_mask();
        self.mask.next = self.equation_mask.val();
        if self.fault_blend_mask.val() {
            self.mask.next =
                (self.equation_mask.val() & bits::<4>(7)) | ((self.equation_mask.val() & bits::<4>(4)) << bits::<2>(1));
        }
        self.bytes.next = self.mask.val();
        if self.format1.q.val() == bits::<2>(3) {
            self.bytes.next = bits::<4>(0);
            if self.mask.val().get_bit(0) {
                self.bytes.next = bits::<4>(0xF);
            }
        }
        self.low_bytes.next = bits::<4>(0);
        if (self.mask.val().get_bit(0) && !self.second.q.val()) || (self.mask.val().get_bit(2) && self.second.q.val()) {
            self.low_bytes.next = bits::<4>(0x3);
        }
        self.high_bytes.next = bits::<4>(0);
        if (self.mask.val().get_bit(1) && !self.second.q.val()) || (self.mask.val().get_bit(3) && self.second.q.val()) {
            self.high_bytes.next = bits::<4>(0xC);
        }
        if self.two_words.val() {
            self.bytes.next = self.low_bytes.val() | self.high_bytes.val();
        }
        self.operation.next = bits::<3>(7);
        self.alpha_operation.next = bits::<3>(7);
        if self.equations.read_data.val().get_value_blends() && (self.format1.q.val() == bits::<2>(0)) {
            self.operation.next = self.equations.read_data.val().get_value_operation();
            self.alpha_operation.next = self.equations.read_data.val().get_value_alpha_operation();
        }
        self.tag_lanes.next = self.tag1.val().get_value_tag_coverage();
        self.covered.next = self.tag_lanes.val();
        if self.fault_blend_coverage.val() && self.tag_lanes.val().get_bit(0) {
            self.covered.next = bits::<4>(0xF);
        }
        if self.absent1.q.val() || !self.mask.val().any() {
            self.covered.next = bits::<4>(0);
        }
        self.lanes.next = self.covered.val();
        if !self.bytes.val().any() {
            self.lanes.next = bits::<4>(0);
        }
    }

    fn conflicts(&mut self) {
        self.is_first.next = !self.phase.q.val().any();
        self.place.next = self.address1.q.val();
        if self.second.q.val() || (!self.is_first.val() && !self.fault_blend_second.val()) {
            self.place.next = self.high_address.address.val();
        }
        // Whoever reads waits for those of the byte pipeline that have still to write there.
        self.reads.next = self.equations.read_data.val().get_value_blends() || !self.bytes.val().all();
        self.conflict.next = false;
        self.halves_under_way.next = false;
        for i in 0..5 {
            if (self.place_p[i].q.val() == self.place.val())
                && (self.buffer_p[i].q.val() == self.tag1.val().get_value_tag_buffer())
                && (self.lanes_p[i].q.val() & self.covered.val()).any()
            {
                self.conflict.next = true;
            }
            if self.fault_blend_hazard.val() && (i.to_bits::<3>() == bits::<3>(4)) {
                self.conflict.next = false;
            }
            if self.second_p[i].q.val() && self.lanes_p[i].q.val().any() {
                self.halves_under_way.next = true;
            }
        }
    }

    fn issue(&mut self) {
        // Beats of 16 bits: a step for each pixel, or for each component. Second words that go the
        // other way are few: they all must have been written.
        self.is_wide.next = self.covered.val().any()
            && ((self.format1.q.val() == bits::<2>(1))
                || (self.two_words.val() && self.equations.read_data.val().get_value_blends()));
        self.begins.next = self.valid1.q.val()
            && self.is_wide.val()
            && !self.conflict.val()
            && !self.halves_under_way.val()
            && !self.wide.conflict.val()
            && !self.wide.full.val();
        self.is_last.next = self.phase.q.val() == self.last_phase.val();
        self.step.next = !self.is_first.val() || self.begins.val();
        if self.step.val() {
            self.phase.d.next = self.phase.q.val() + bits::<4>(1);
            if self.is_last.val() {
                self.phase.d.next = bits::<4>(0);
            }
        }
        // Beats of bytes. Both ways have one port to write by.
        self.clash.next = self.wide.writes_soon.val() && self.lanes.val().any() && !self.fault_blend_clash.val();
        self.issue.next = self.valid1.q.val()
            && !(self.is_wide.val()
                || self.clash.val()
                || (self.reads.val() && self.conflict.val())
                || (self.wide.conflict.val() && self.lanes.val().any()));
        self.leave.next = (self.issue.val() && (!self.two_words.val() || self.second.q.val()))
            || (self.step.val() && self.is_last.val());
        if self.issue.val() {
            self.second.d.next = self.two_words.val() && !self.second.q.val();
        }
        self.read.buffer.next = self.tag1.val().get_value_tag_buffer();
        self.read.address.next = self.place.val();
    }

    fn steps(&mut self) {
        self.wide.step.next = self.step.val();
        self.wide.first.next = self.is_first.val();
        self.wide.last.next = self.is_last.val();
        self.wide.lane.next = self.phase.q.val().get_bits::<2>(0);
        self.wide.component.next = bits::<2>(0);
        if self.last_phase.val().get_bit(3) {
            self.wide.lane.next = self.phase.q.val().get_bits::<2>(2);
            self.wide.component.next = self.phase.q.val().get_bits::<2>(0);
        }
        self.wide.halves.next = self.two_words.val();
        self.wide.equation.next = self.equations.read_data.val();
        self.wide.constant_low.next = self.constant_low.read_data.val();
        self.wide.constant_high.next = self.constant_high.read_data.val();
        self.wide.buffer.next = self.tag1.val().get_value_tag_buffer();
        self.wide.low_address.next = self.address1.q.val();
        self.wide.high_address.next = self.high_address.address.val();
        self.wide.lanes.next = self.covered.val();
        for i in 0..8 {
            self.wide.word[i].next = self.queue.word[i].val();
        }
        LineDataIn::link(&mut self.read_line, &mut self.wide.line);
    }
}
