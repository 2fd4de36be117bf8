//! The arithmetic of atomics: the new value of a 32- or 64-bit memory word from the old one, the
//! operand and (compare and exchange) the expected value. Combinational; the pipeline registers
//! both sides. 64-bit values are lo/hi pairs, so a carry or borrow between the halves, or a
//! comparison that forgets one half, is where it can be wrong: `tests/lsa.rs` runs every operation
//! on corner values of both.
//!
//! The lock form (WW-22) is a compare and exchange that makes both values itself: operand bit 0 is
//! the new word, its opposite the expected one.
//!
//! Planted faults: `wide-lock-steals` and `lock-foreign`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// Combinational read-modify-write function. `op` is bits 3:0 of the opcode number (ADD 0 .. SUB
/// 10, LOCK 11 of the instruction table's atomic rows).
#[derive(Default, QuietBlock)]
pub struct AtomicAlu {
    /// Operation, bits 3:0 of the opcode.
    pub op: Signal<In, Bits<4>>,
    /// 64-bit operation; else the high halves are ignored and `new_hi` is don't care.
    pub wide: Signal<In, bool>,
    /// Old value, bits 31:0.
    pub old_lo: Signal<In, Bits<32>>,
    /// Old value, bits 63:32.
    pub old_hi: Signal<In, Bits<32>>,
    /// Operand, bits 31:0.
    pub arg_lo: Signal<In, Bits<32>>,
    /// Operand, bits 63:32.
    pub arg_hi: Signal<In, Bits<32>>,
    /// Expected value of a compare and exchange, bits 31:0.
    pub expect_lo: Signal<In, Bits<32>>,
    /// Expected value of a compare and exchange, bits 63:32.
    pub expect_hi: Signal<In, Bits<32>>,
    /// New value, bits 31:0.
    pub new_lo: Signal<Out, Bits<32>>,
    /// New value, bits 63:32.
    pub new_hi: Signal<Out, Bits<32>>,
    /// The expected value was found: a compare and exchange or lock form writes its operand. Not
    /// defined for other operations.
    pub swapped: Signal<Out, bool>,
    /// What the operation delivers, bits 31:0: the old value, or for the lock form 1 if it swapped,
    /// else 0. Bits 63:32 are the old value's.
    pub result_lo: Signal<Out, Bits<32>>,
    sum_lo: Signal<Local, Bits<32>>,
    carry: Signal<Local, Bits<32>>,
    difference_lo: Signal<Local, Bits<32>>,
    borrow: Signal<Local, Bits<32>>,
    // Top words with the sign bit flipped, so that unsigned comparison orders them as signed.
    old_flipped: Signal<Local, Bits<32>>,
    arg_flipped: Signal<Local, Bits<32>>,
    below: Signal<Local, bool>,
    signed_below: Signal<Local, bool>,
    equal: Signal<Local, bool>,
    take: Signal<Local, bool>,
    // Words of the lock form: the one it swaps in and the one it expects.
    lock_new: Signal<Local, Bits<32>>,
    lock_old: Signal<Local, Bits<32>>,
    lock_free: Signal<Local, bool>,
    fault_wide_lock_steals: Planted,
    fault_lock_foreign: Planted,
    _active: bool,
}

impl AtomicAlu {
    /// The arithmetic of that configuration (only its planted fault matters here).
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            fault_wide_lock_steals: Planted::new(config.has(Fault::WideLockSteals)),
            fault_lock_foreign: Planted::new(config.has(Fault::LockForeign)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl AtomicAlu {
    /// The low halves give sum and difference, with carry and borrow.
    fn sums(&mut self) {
        comment!("module: atomic_alu");
        self.sum_lo.next = self.old_lo.val() + self.arg_lo.val();
        self.carry.next = bits::<32>(0);
        if self.sum_lo.val() < self.old_lo.val() {
            self.carry.next = bits::<32>(1);
        }
        self.difference_lo.next = self.old_lo.val() - self.arg_lo.val();
        self.borrow.next = bits::<32>(0);
        if self.old_lo.val() < self.arg_lo.val() {
            self.borrow.next = bits::<32>(1);
        }
    }

    /// The old value is compared with the operand and the expected value.
    fn orders(&mut self) {
        self.below.next = self.old_lo.val() < self.arg_lo.val();
        self.equal.next = self.old_lo.val() == self.expect_lo.val();
        self.old_flipped.next = self.old_lo.val() ^ bits::<32>(0x8000_0000u64);
        self.arg_flipped.next = self.arg_lo.val() ^ bits::<32>(0x8000_0000u64);
        if self.wide.val() {
            self.below.next = (self.old_hi.val() < self.arg_hi.val())
                || ((self.old_hi.val() == self.arg_hi.val()) && (self.old_lo.val() < self.arg_lo.val()));
            self.equal.next =
                (self.old_lo.val() == self.expect_lo.val()) && (self.old_hi.val() == self.expect_hi.val());
            self.old_flipped.next = self.old_hi.val() ^ bits::<32>(0x8000_0000u64);
            self.arg_flipped.next = self.arg_hi.val() ^ bits::<32>(0x8000_0000u64);
        }
        self.signed_below.next = (self.old_flipped.val() < self.arg_flipped.val())
            || ((self.old_flipped.val() == self.arg_flipped.val()) && (self.old_lo.val() < self.arg_lo.val()));
    }

    /// Minimum, maximum, exchange and compare-and-swap take the operand or keep the old value.
    fn replacement(&mut self) {
        self.take.next = true;
        if self.op.val() == bits::<4>(4) {
            self.take.next = !self.signed_below.val();
        }
        if self.op.val() == bits::<4>(5) {
            self.take.next = self.signed_below.val();
        }
        if self.op.val() == bits::<4>(6) {
            self.take.next = !self.below.val();
        }
        if self.op.val() == bits::<4>(7) {
            self.take.next = self.below.val();
        }
        if self.op.val() == bits::<4>(9) {
            self.take.next = self.equal.val();
        }
        self.new_lo.next = self.old_lo.val();
        self.new_hi.next = self.old_hi.val();
        if self.take.val() {
            self.new_lo.next = self.arg_lo.val();
            self.new_hi.next = self.arg_hi.val();
        }
    }

    /// Some operations combine the old value and the operand.
    fn combination(&mut self) {
        if self.op.val() == bits::<4>(0) {
            self.new_lo.next = self.sum_lo.val();
            self.new_hi.next = self.old_hi.val() + self.arg_hi.val() + self.carry.val();
        }
        if self.op.val() == bits::<4>(1) {
            self.new_lo.next = self.old_lo.val() & self.arg_lo.val();
            self.new_hi.next = self.old_hi.val() & self.arg_hi.val();
        }
        if self.op.val() == bits::<4>(2) {
            self.new_lo.next = self.old_lo.val() | self.arg_lo.val();
            self.new_hi.next = self.old_hi.val() | self.arg_hi.val();
        }
        if self.op.val() == bits::<4>(3) {
            self.new_lo.next = self.old_lo.val() ^ self.arg_lo.val();
            self.new_hi.next = self.old_hi.val() ^ self.arg_hi.val();
        }
        if self.op.val() == bits::<4>(10) {
            self.new_lo.next = self.difference_lo.val();
            self.new_hi.next = self.old_hi.val() - self.arg_hi.val() - self.borrow.val();
        }
    }

    /// The lock form makes its words itself, and delivers whether it swapped.
    fn lock_form(&mut self) {
        self.lock_new.next = self.arg_lo.val() & bits::<32>(1);
        self.lock_old.next = self.lock_new.val() ^ bits::<32>(1);
        self.lock_free.next = self.old_lo.val() == self.lock_old.val();
        if self.fault_lock_foreign.val() && !self.arg_lo.val().get_bit(0) {
            self.lock_free.next = true;
        }
        self.swapped.next = self.equal.val();
        if self.op.val() == bits::<4>(11) {
            self.swapped.next = self.lock_free.val();
            self.new_lo.next = self.old_lo.val();
            if self.lock_free.val() {
                self.new_lo.next = self.lock_new.val();
            }
            if self.fault_wide_lock_steals.val() && self.arg_lo.val().get_bit(0) {
                self.swapped.next = true;
            }
        }
        self.result_lo.next = self.old_lo.val();
        if self.op.val() == bits::<4>(11) {
            self.result_lo.next = bits::<32>(0);
            if self.swapped.val() {
                self.result_lo.next = bits::<32>(1);
            }
        }
    }
}
