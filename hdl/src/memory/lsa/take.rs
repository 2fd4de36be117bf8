//! Acceptance of the load/store/atomic pipeline: the next instruction comes in as the last
//! transaction of the present one leaves.

use quadlock_hdl_macros::parts;

use super::{AtomicStep, Decode, Lsa, Take};

#[parts]
impl Lsa {
    fn decode(&mut self) {
        // Acceptance.
        self.accept.op.next = self.req.op.val();
        self.accept.mask.next = self.req.mask.val();
        self.accept.unit.next = self.req_unit.val();
        self.accept.warp.next = self.req.warp.val();
        self.accept.seq.next = self.req.seq.val();
        self.accept.dst.next = self.req.dst.val();
        for i in 0..4 {
            self.accept.pointer[i].next = self.req.addr[i].val();
            self.accept.w0[i].next = self.req.w0_[i].val();
            self.accept.w1[i].next = self.req.w1_[i].val();
            self.accept.w2[i].next = self.req.w2_[i].val();
            self.accept.w3[i].next = self.req.w3_[i].val();
        }
    }

    fn take(&mut self) {
        self.req.ready.next = !self.valid.q.val() || self.done.val();
        if self.req.valid.val() && (!self.valid.q.val() || self.done.val()) {
            self.valid.d.next = true;
            self.store.d.next = self.accept.store.val();
            self.atomic.d.next = self.accept.atomic.val();
            if self.accept.atomic.val() {
                self.atomic_step.d.next = AtomicStep::Read;
            }
            self.operation.d.next = self.req.op.val().get_bits::<4>(0);
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
