//! Requests of the load/store/atomic pipeline: the next transaction of the instruction in progress.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::flight::{Flight, Offsets};
use super::{AtomicStep, Cutting, Enqueue, Lsa, Request, Send};

#[parts]
impl Lsa {
    fn cutting(&mut self) {
        // Cutting and merging.
        self.cut.remaining.next = self.remaining.q.val();
        self.cut.atomic.next = self.atomic.q.val();
        self.cut.store.next = self.store.q.val();
        self.cut.size.next = self.tag.q.val().get_value_size();
        self.cut.new_lo.next = self.new_lo.q.val();
        self.cut.new_hi.next = self.new_hi.q.val();
        for i in 0..4 {
            self.cut.address[i].next = self.address[i].q.val();
        }
        for i in 0..16 {
            self.cut.data[i].next = self.data[i].q.val();
        }
    }

    fn request(&mut self) {
        // The request.
        self.used.next = self.tail.q.val() - self.head.q.val();
        self.room.next = self.used.val() != bits::<5>(16);
        self.request.next = self.valid.q.val() && self.room.val();
        self.write.next = self.store.q.val();
        self.kind.next = bits::<2>(0);
        if self.store.q.val() {
            self.kind.next = bits::<2>(1);
        }
        if self.locking.q.val() && self.used.val().any() {
            self.request.next = false;
        }
        self.last.next = !self.cut.left.val().any();
        if self.atomic.q.val() {
            self.request.next = false;
            self.write.next = false;
            self.kind.next = bits::<2>(2);
            if self.atomic_step.q.val() == AtomicStep::Read {
                self.request.next = self.valid.q.val() && !self.used.val().any();
                self.last.next = false;
            }
            if self.atomic_step.q.val() == AtomicStep::Write {
                self.request.next = self.valid.q.val();
                self.write.next = true;
                self.kind.next = bits::<2>(3);
            }
        }
    }

    fn send(&mut self) {
        self.fire.next = self.request.val() && self.m_req.ready.val();
        self.done.next = self.fire.val() && self.last.val();
        self.m_req.valid.next = self.request.val();
        self.m_req.addr.next = self.cut.lead_address.val() & bits::<32>(0xFFFF_FFF0u64);
        self.m_req.write.next = self.write.val();
        self.m_req.lock.next = (self.atomic.q.val() && !self.write.val()) || self.locking.q.val();
        self.m_req.mask.next = bits::<16>(0);
        if self.write.val() {
            self.m_req.mask.next = self.cut.enable.val();
            if self.fault_atomic_lost_lane.val() && self.atomic.q.val() && self.last.val() {
                self.m_req.mask.next = bits::<16>(0);
            }
        }
        for i in 0..4 {
            self.m_req.data[i].next = self.cut.line[i].val();
        }
    }

    fn enqueue(&mut self) {
        self.flight_tag.write_enable.next = self.fire.val();
        self.flight_tag.write_address.next = self.tail.q.val().get_bits::<4>(0);
        // The transaction's own fields, and the instruction's. The mask is in both: that of a
        // warp-wide atomic is whole from the beginning, that of any other instruction empty.
        self.entry.next = bits::<32>(0);
        self.entry.next.set_value_mask(self.cut.group.val());
        self.entry.next.set_value_kind(self.kind.val());
        self.entry.next.set_value_last(self.last.val());
        self.flight_tag.write_data.next = self.entry.val() | self.tag.q.val();
        self.flight_offset.write_enable.next = self.fire.val();
        self.flight_offset.write_address.next = self.tail.q.val().get_bits::<4>(0);
        self.flight_offset.write_data.next = bits::<32>(0);
        self.flight_offset.write_data.next.set_value_offset0(self.address[0].q.val().get_bits::<4>(0));
        self.flight_offset.write_data.next.set_value_offset1(self.address[1].q.val().get_bits::<4>(0));
        self.flight_offset.write_data.next.set_value_offset2(self.address[2].q.val().get_bits::<4>(0));
        self.flight_offset.write_data.next.set_value_offset3(self.address[3].q.val().get_bits::<4>(0));
        if self.fire.val() {
            self.tail.d.next = self.tail.q.val() + bits::<5>(1);
            if !self.atomic.q.val() || (self.atomic_step.q.val() == AtomicStep::Write) {
                self.remaining.d.next = self.cut.left.val();
            }
        }
        if self.done.val() {
            self.valid.d.next = false;
        }
    }
}
