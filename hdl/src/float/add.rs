//! Third stage: sum or difference of product and aligned addend as sign and magnitude.
//!
//! Latency 1, one operation per cycle. It can be wrong in the borrow of the sticky bit: the true
//! difference is then between two window values, so one more is subtracted and the sticky bit stays
//! set. That happens only where the product is the larger.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::cell::WideAddSub;
use crate::comment;
use crate::ports::ProductsIn;

/// The stage with its registers; ports as of [`crate::float::multiply::Multiply`].
#[derive(Default, QuietBlock)]
pub struct Add {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A product as two numbers in carry-save form, and the addend.
    pub sum_ports: ProductsIn,
    /// Magnitude of the sum.
    pub s0: Signal<Out, Bits<32>>,
    /// Word 1 of the magnitude.
    pub s1: Signal<Out, Bits<32>>,
    /// Word 2 of the magnitude.
    pub s2: Signal<Out, Bits<32>>,
    /// `sticky` of this sum.
    pub sticky_out: Signal<Out, bool>,
    /// `exponent` of this sum.
    pub exponent_out: Signal<Out, Bits<10>>,
    /// Sign of the result, except of an exact zero from a subtraction.
    pub sign_out: Signal<Out, bool>,
    /// `subtract` of this sum.
    pub subtract_out: Signal<Out, bool>,
    /// The result is an infinity.
    pub infinite_out: Signal<Out, bool>,
    /// The result is the NaN.
    pub nan_out: Signal<Out, bool>,
    sum: WideAddSub,
    s0_r: DFF<Bits<32>>,
    s1_r: DFF<Bits<32>>,
    s2_r: DFF<Bits<32>>,
    sticky_r: DFF<bool>,
    exponent_r: DFF<Bits<10>>,
    sign_r: DFF<bool>,
    subtract_r: DFF<bool>,
    infinite_r: DFF<bool>,
    nan_r: DFF<bool>,
    _active: bool,
}

impl Logic for Add {
    #[kernel]
    fn update(&mut self) {
        comment!("module: float_add");
        dff_setup!(self, clock, s0_r, s1_r, s2_r, sticky_r, exponent_r, sign_r, subtract_r, infinite_r, nan_r);
        self.sum.p0.next = self.sum_ports.p0.val();
        self.sum.p1.next = self.sum_ports.p1.val();
        self.sum.b0.next = self.sum_ports.z0.val();
        self.sum.b1.next = self.sum_ports.z1.val();
        self.sum.b2.next = self.sum_ports.z2.val();
        self.sum.subtract.next = self.sum_ports.subtract.val();
        self.sum.borrow.next = self.sum_ports.subtract.val() && self.sum_ports.sticky.val();
        self.s0_r.d.next = self.sum.w0.val();
        self.s1_r.d.next = self.sum.w1.val();
        self.s2_r.d.next = self.sum.w2.val();
        self.sticky_r.d.next = self.sum_ports.sticky.val();
        self.exponent_r.d.next = self.sum_ports.exponent.val();
        self.sign_r.d.next = self.sum_ports.sign.val();
        if self.sum.negative.val() && !self.sum_ports.infinite.val() {
            self.sign_r.d.next = !self.sum_ports.sign.val();
        }
        self.subtract_r.d.next = self.sum_ports.subtract.val();
        self.infinite_r.d.next = self.sum_ports.infinite.val();
        self.nan_r.d.next = self.sum_ports.nan.val();
        self.s0.next = self.s0_r.q.val();
        self.s1.next = self.s1_r.q.val();
        self.s2.next = self.s2_r.q.val();
        self.sticky_out.next = self.sticky_r.q.val();
        self.exponent_out.next = self.exponent_r.q.val();
        self.sign_out.next = self.sign_r.q.val();
        self.subtract_out.next = self.subtract_r.q.val();
        self.infinite_out.next = self.infinite_r.q.val();
        self.nan_out.next = self.nan_r.q.val();
    }
}
