//! The pipeline: the lanes, what goes along with them, the write at its end.

use rust_hdl::prelude::*;

use super::beat::CommitTag;
use super::{Blend, Colours, Pipeline};
use crate::base::parts::Part;

impl Part<Pipeline> for Blend {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..5 {
            self.lanes_p[i].clock.next = self.clock.val();
            self.place_p[i].clock.next = self.clock.val();
            self.buffer_p[i].clock.next = self.clock.val();
            self.last_p[i].clock.next = self.clock.val();
            self.handle_p[i].clock.next = self.clock.val();
            self.context_p[i].clock.next = self.clock.val();
        }
        for i in 0..4 {
            self.lanes_p[i + 1].d.next = self.lanes_p[i].q.val();
            self.place_p[i + 1].d.next = self.place_p[i].q.val();
            self.buffer_p[i + 1].d.next = self.buffer_p[i].q.val();
            self.last_p[i + 1].d.next = self.last_p[i].q.val();
            self.handle_p[i + 1].d.next = self.handle_p[i].q.val();
            self.context_p[i + 1].d.next = self.context_p[i].q.val();
        }
        self.place_p[0].d.next = self.place.val();
        self.buffer_p[0].d.next = self.tag1.q.val().get_value_tag_buffer();
        self.handle_p[0].d.next = self.tag1.q.val().get_value_tag_handle();
        self.context_p[0].d.next = self.tag1.q.val().get_value_tag_context();
        self.last_p[0].d.next = self.leave.val() && self.tag1.q.val().get_value_tag_last();
        if self.fault_blend_done.val() && !self.tag1.q.val().get_value_tag_coverage().any() {
            self.last_p[0].d.next = false;
        }
        self.lanes_p[0].d.next = bits::<4>(0);
        if self.issue.val() {
            self.lanes_p[0].d.next = self.lanes.val();
        }
        for i in 0..3 {
            self.operation_p[i].clock.next = self.clock.val();
            self.alpha_operation_p[i].clock.next = self.clock.val();
        }
        for i in 0..4 {
            self.bytes_p[i].clock.next = self.clock.val();
        }
        for i in 0..2 {
            self.operation_p[i + 1].d.next = self.operation_p[i].q.val();
            self.alpha_operation_p[i + 1].d.next = self.alpha_operation_p[i].q.val();
        }
        for i in 0..3 {
            self.bytes_p[i + 1].d.next = self.bytes_p[i].q.val();
        }
        self.operation_p[0].d.next = self.operation.val();
        self.alpha_operation_p[0].d.next = self.alpha_operation.val();
        self.bytes_p[0].d.next = self.bytes.val();
        // Behind the write.
        self.done_r.d.next = self.last_p[4].q.val();
        self.done_buffer_r.d.next = self.buffer_p[4].q.val();
        self.done_handle_r.d.next = self.handle_p[4].q.val();
        self.done_context_r.d.next = self.context_p[4].q.val();
        self.done.next = self.done_r.q.val();
        self.done_buffer.next = self.done_buffer_r.q.val();
        self.done_handle.next = self.done_handle_r.q.val();
        self.done_context.next = self.done_context_r.q.val();
    }
}

impl Part<Colours> for Blend {
    #[hdl_gen]
    fn update(&mut self) {
        self.equation2.d.next = self.equations.read_data.val();
        self.constant2.d.next = self.constant_low.read_data.val();
        for i in 0..4 {
            self.word2[i].clock.next = self.clock.val();
            self.word2[i].d.next = self.word1[i].q.val();
            if self.second.q.val() {
                self.word2[i].d.next = self.word1[i + 4].q.val();
            }
            self.lane[i].clock.next = self.clock.val();
            self.lane[i].equation.next = self.equation2.q.val();
            self.lane[i].source.next = self.word2[i].q.val();
            self.lane[i].constant.next = self.constant2.q.val();
            self.lane[i].colour_operation.next = self.operation_p[2].q.val();
            self.lane[i].alpha_operation.next = self.alpha_operation_p[2].q.val();
            self.lane[i].bytes.next = self.bytes_p[3].q.val();
        }
        for i in 0..4 {
            self.lane[i].destination.next = self.read_line.data[i].val();
        }
        for i in 0..4 {
            self.write.data[i].next = self.lane[i].word.val();
        }
        self.write.buffer.next = self.buffer_p[4].q.val();
        self.write.address.next = self.place_p[4].q.val();
        self.write.mask.next = self.lanes_p[4].q.val();
        if self.pixel.mask.val().any() {
            self.write.buffer.next = self.tag1.q.val().get_value_tag_buffer();
            self.write.address.next = self.place.val();
            self.write.mask.next = self.pixel.mask.val();
            for i in 0..4 {
                self.write.data[i].next = self.pixel.new.val();
            }
        }
    }
}
