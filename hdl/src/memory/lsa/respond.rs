//! Responses of the load/store/atomic pipeline: what a line from memory is for, and the completion
//! beat made from it.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::flight::Flight;
use super::{Deliver, Lsa, Registers, Respond, Unpacking};
use crate::comment;

#[parts]
impl Lsa {
    fn registers(&mut self) {
        comment!("module: lsa");
        dff_setup!(self, clock, valid, tag, store, atomic, locking, operation, remaining, atomic_step);
        dff_setup!(self, clock, old_lo, old_hi, result_lo, result_hi, new_lo, new_hi);
        dff_setup!(self, clock, head, tail, beat, out_valid, out_tag, drop_count);
        for i in 0..4 {
            dff_setup!(self, clock, address[i], out_value[i]);
        }
        for i in 0..16 {
            dff_setup!(self, clock, data[i]);
        }
        clock!(self, clock, flight_tag, flight_offset);
    }

    fn respond(&mut self) {
        // Responses. The head of the queue says what the line on the response port is for.
        self.flight_tag.read_address.next = self.head.q.val().get_bits::<4>(0);
        self.flight_offset.read_address.next = self.head.q.val().get_bits::<4>(0);
        self.present.next = (self.head.q.val() != self.tail.q.val()) && self.m_rsp.valid.val();
        self.head_tag.next = self.flight_tag.read_data.val();
        self.head_size.next = self.head_tag.val().get_value_size();
        self.head_kind.next = self.head_tag.val().get_value_kind();
        self.free.next = !self.out_valid.q.val() || self.rsp.ready.val();
        self.final_beat.next = true;
        if (self.head_size.val() == bits::<3>(3)) && (self.head_kind.val() != bits::<2>(1)) {
            self.final_beat.next = self.beat.q.val() == bits::<2>(1);
        }
        if (self.head_size.val() == bits::<3>(4)) && (self.head_kind.val() != bits::<2>(1)) {
            self.final_beat.next = self.beat.q.val() == bits::<2>(3);
        }
        self.can_emit.next = self.present.val() && self.free.val();
        self.emit.next = self.can_emit.val();
        self.pop.next = self.can_emit.val() && self.final_beat.val();
        if (self.head_kind.val() == bits::<2>(1)) && !self.head_tag.val().get_value_last() {
            // A store's earlier transactions are counted off silently.
            self.emit.next = false;
            self.pop.next = self.present.val();
        }
        if self.head_kind.val() == bits::<2>(2) {
            self.emit.next = false;
            self.pop.next = self.present.val();
        }
        self.m_rsp.ready.next = self.pop.val();
        if self.pop.val() {
            self.head.d.next = self.head.q.val() + bits::<5>(1);
        }
        if self.emit.val() {
            self.beat.d.next = self.beat.q.val() + bits::<2>(1);
            if self.final_beat.val() {
                self.beat.d.next = bits::<2>(0);
            }
        }
        self.dropped.next = false;
        if self.fault_drop_response.val() {
            if self.emit.val() {
                self.drop_count.d.next = self.drop_count.q.val() + bits::<6>(1);
            }
            self.dropped.next = self.drop_count.q.val() == bits::<6>(63);
        }
    }

    fn unpacking(&mut self) {
        // One register per lane out of the line; a store delivers none.
        for i in 0..4 {
            self.unpack.line[i].next = self.m_rsp.data[i].val();
        }
        self.unpack.offsets.next = self.flight_offset.read_data.val().get_bits::<16>(0);
        self.unpack.size.next = self.head_size.val();
        self.unpack.sign.next = self.head_tag.val().get_value_sign();
        self.unpack.mask.next = self.head_tag.val().get_value_mask();
        if self.head_kind.val() == bits::<2>(1) {
            self.unpack.mask.next = bits::<4>(0);
        }
        self.unpack.beat.next = self.beat.q.val();
        self.unpack.atomic.next = self.head_kind.val() == bits::<2>(3);
        self.unpack.result_lo.next = self.result_lo.q.val();
        self.unpack.result_hi.next = self.result_hi.q.val();
    }

    fn deliver(&mut self) {
        // Completion register.
        self.beat_dst.next = self.head_tag.val().get_value_dst() + bit_cast::<5, 2>(self.beat.q.val());
        self.beat_tag.next = bits::<32>(0);
        self.beat_tag.next.set_value_unit(self.head_tag.val().get_value_unit());
        self.beat_tag.next.set_value_warp(self.head_tag.val().get_value_warp());
        self.beat_tag.next.set_value_seq(self.head_tag.val().get_value_seq());
        self.beat_tag.next.set_value_dst(self.beat_dst.val());
        self.beat_tag.next.set_value_mask(self.head_tag.val().get_value_mask());
        self.beat_tag.next.set_value_last(self.head_tag.val().get_value_last() && self.final_beat.val());
        self.beat_tag.next.set_value_wen(self.head_kind.val() != bits::<2>(1));
        if self.rsp.ready.val() {
            self.out_valid.d.next = false;
        }
        if self.emit.val() {
            self.out_valid.d.next = !self.dropped.val();
            self.out_tag.d.next = self.beat_tag.val();
            for i in 0..4 {
                self.out_value[i].d.next = self.unpack.value[i].val();
            }
        }
        self.rsp.valid.next = self.out_valid.q.val();
        self.rsp_unit.next = self.out_tag.q.val().get_value_unit();
        self.rsp.warp.next = self.out_tag.q.val().get_value_warp();
        self.rsp.seq.next = self.out_tag.q.val().get_value_seq();
        self.rsp.dst.next = self.out_tag.q.val().get_value_dst();
        self.rsp.mask.next = self.out_tag.q.val().get_value_mask();
        self.rsp.last.next = self.out_tag.q.val().get_value_last();
        self.rsp.wen.next = self.out_tag.q.val().get_value_wen();
        for i in 0..4 {
            self.rsp.value[i].next = self.out_value[i].q.val();
        }
    }
}
