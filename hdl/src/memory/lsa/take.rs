//! Acceptance of the load/store/atomic pipeline: the next instruction comes in as the last
//! transaction of the present one leaves.

use rust_hdl::prelude::*;

use super::{AtomicStep, Decode, Lsa, Take};
use crate::base::parts::Part;

impl Part<Decode> for Lsa {
    #[hdl_gen]
    fn update(&mut self) {
        // Acceptance.
        self.accept.op.next = self.req_op.val();
        self.accept.mask.next = self.req_mask.val();
        self.accept.unit.next = self.req_unit.val();
        self.accept.warp.next = self.req_warp.val();
        self.accept.seq.next = self.req_seq.val();
        self.accept.dst.next = self.req_dst.val();
        self.accept.pointer[0].next = self.req_addr0.val();
        self.accept.pointer[1].next = self.req_addr1.val();
        self.accept.pointer[2].next = self.req_addr2.val();
        self.accept.pointer[3].next = self.req_addr3.val();
        self.accept.w0[0].next = self.req_w0_0.val();
        self.accept.w0[1].next = self.req_w0_1.val();
        self.accept.w0[2].next = self.req_w0_2.val();
        self.accept.w0[3].next = self.req_w0_3.val();
        self.accept.w1[0].next = self.req_w1_0.val();
        self.accept.w1[1].next = self.req_w1_1.val();
        self.accept.w1[2].next = self.req_w1_2.val();
        self.accept.w1[3].next = self.req_w1_3.val();
        self.accept.w2[0].next = self.req_w2_0.val();
        self.accept.w2[1].next = self.req_w2_1.val();
        self.accept.w2[2].next = self.req_w2_2.val();
        self.accept.w2[3].next = self.req_w2_3.val();
        self.accept.w3[0].next = self.req_w3_0.val();
        self.accept.w3[1].next = self.req_w3_1.val();
        self.accept.w3[2].next = self.req_w3_2.val();
        self.accept.w3[3].next = self.req_w3_3.val();
    }
}

impl Part<Take> for Lsa {
    #[hdl_gen]
    fn update(&mut self) {
        self.req_ready.next = !self.valid.q.val() || self.done.val();
        if self.req_valid.val() && (!self.valid.q.val() || self.done.val()) {
            self.valid.d.next = true;
            self.store.d.next = self.accept.store.val();
            self.atomic.d.next = self.accept.atomic.val();
            if self.accept.atomic.val() {
                self.atomic_step.d.next = AtomicStep::Read;
            }
            self.operation.d.next = self.req_op.val().get_bits::<4>(0);
            self.locking.d.next = self.req_lock.val();
            self.remaining.d.next = self.accept.lanes.val();
            self.tag.d.next = self.accept.tag.val();
            for i in 0..4 {
                self.address[i].d.next = self.accept.address[i].val();
            }
            for i in 0..16 {
                self.data[i].d.next = self.accept.data[i].val();
            }
        }
    }
}
