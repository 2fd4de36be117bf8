//! Eighth and ninth stage: the product of factor and quadratic, truncated as a magnitude, and its
//! sum with or difference from the base. What leaves is a magnitude for
//! [`crate::float::normalize`], its bit 39 at the window's top.
//!
//! Latency 2, one operation per cycle; `factor` and `y` come a cycle before the others. It can be
//! wrong in the sign of a difference.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::cell::{BaseSum, FactorProduct};
use crate::comment;

/// The two stages with their registers.
#[derive(Default, QuietBlock)]
pub struct Combine {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Factor.
    pub factor: Signal<In, Bits<30>>,
    /// Value of the quadratic, units of 2^-28.
    pub y: Signal<In, Bits<30>>,
    /// What the product is added to or subtracted from, two's complement, units of 2^30; one cycle
    /// after `factor`.
    pub base: Signal<In, Bits<9>>,
    /// The product is subtracted; one cycle after `factor`.
    pub subtract: Signal<In, bool>,
    /// The result is negative, unless the sum is; one cycle after `factor`.
    pub sign: Signal<In, bool>,
    /// Word 2 of the window: bits 39:8 of the magnitude.
    pub s2: Signal<Out, Bits<32>>,
    /// Word 1 of the window: bits 7:0 of the magnitude, at the top.
    pub s1: Signal<Out, Bits<32>>,
    /// Sign of the result.
    pub sign_out: Signal<Out, bool>,
    multiplier: FactorProduct,
    sum: BaseSum,
    product_r: DFF<Bits<32>>,
    hi_r: DFF<Bits<32>>,
    lo_r: DFF<Bits<8>>,
    sign_r: DFF<bool>,
    _active: bool,
}

impl Logic for Combine {
    #[kernel]
    fn update(&mut self) {
        comment!("module: function_combine");
        dff_setup!(self, clock, product_r, hi_r, lo_r, sign_r);
        self.multiplier.factor.next = self.factor.val();
        self.multiplier.y.next = self.y.val();
        self.product_r.d.next = self.multiplier.product.val();

        self.sum.base.next = self.base.val();
        self.sum.product.next = self.product_r.q.val();
        self.sum.subtract.next = self.subtract.val();
        self.hi_r.d.next = self.sum.hi.val();
        self.lo_r.d.next = self.sum.lo.val();
        self.sign_r.d.next = self.sign.val() ^ self.sum.negative.val();
        self.s2.next = self.hi_r.q.val();
        self.s1.next = bit_cast::<32, 8>(self.lo_r.q.val()) << bits::<5>(24);
        self.sign_out.next = self.sign_r.q.val();
    }
}
