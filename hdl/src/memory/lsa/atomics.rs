//! The atomic in progress in the load/store/atomic pipeline: one lane at a time, line read, modify,
//! line write.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::flight::Flight;
use super::{AtomicStep, Lsa, Operands, Steps};

#[parts]
impl Lsa {
    fn operands(&mut self) {
        // Atomics: operands of the leader, old value out of the line.
        self.alu.op.next = self.operation.q.val();
        self.alu.wide.next = self.tag.q.val().get_value_size() == bits::<3>(3);
        self.alu.old_lo.next = self.old_lo.q.val();
        self.alu.old_hi.next = self.old_hi.q.val();
        self.alu.arg_lo.next = self.cut.lead_word[0].val();
        self.alu.arg_hi.next = self.cut.lead_word[1].val();
        self.alu.expect_lo.next = self.cut.lead_word[2].val();
        self.alu.expect_hi.next = self.cut.lead_word[3].val();
        if self.pop.val() && (self.head_kind.val() == bits::<2>(2)) {
            self.old_lo.d.next = self.m_rsp.data[0].val();
            self.old_hi.d.next = self.m_rsp.data[1].val();
            if self.cut.lead_address.val().get_bits::<2>(2) == bits::<2>(1) {
                self.old_lo.d.next = self.m_rsp.data[1].val();
            }
            if self.cut.lead_address.val().get_bits::<2>(2) == bits::<2>(2) {
                self.old_lo.d.next = self.m_rsp.data[2].val();
                self.old_hi.d.next = self.m_rsp.data[3].val();
            }
            if self.cut.lead_address.val().get_bits::<2>(2) == bits::<2>(3) {
                self.old_lo.d.next = self.m_rsp.data[3].val();
            }
            self.atomic_step.d.next = AtomicStep::Modify;
        }
    }

    fn steps(&mut self) {
        if self.atomic.q.val() && self.fire.val() {
            if self.atomic_step.q.val() == AtomicStep::Read {
                self.atomic_step.d.next = AtomicStep::Wait;
            } else {
                self.atomic_step.d.next = AtomicStep::Read;
            }
            if self.done.val() {
                self.atomic_step.d.next = AtomicStep::Idle;
            }
        }
        if self.atomic_step.q.val() == AtomicStep::Modify {
            self.new_lo.d.next = self.alu.new_lo.val();
            self.new_hi.d.next = self.alu.new_hi.val();
            self.result_lo.d.next = self.alu.result_lo.val();
            self.result_hi.d.next = self.old_hi.q.val();
            if self.fault_wide_old_value.val() && self.tag.q.val().get_value_mask().any() {
                self.result_lo.d.next = self.alu.new_lo.val();
                self.result_hi.d.next = self.alu.new_hi.val();
            }
            self.atomic_step.d.next = AtomicStep::Write;
        }
    }
}
