//! log2: the integral part and the factor |m - 1|, m the significand or from 1.5 on half of it.
//! Where the integral part is 0 the product stands alone and needs relative accuracy: the factor's
//! leading one is then moved to the top.
//!
//! Combinational. It can be wrong next to 1 on either side, where the factor is smallest.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::cell::LeadingZeros;
use crate::comment;

/// Integral part and |m - 1|.
#[derive(Default, QuietBlock)]
pub struct Distance {
    /// The operand's significand.
    pub significand: Signal<In, Bits<24>>,
    /// The operand's exponent, two's complement.
    pub exponent: Signal<In, Bits<10>>,
    /// |m - 1| in units of 2^-24.
    pub distance: Signal<Out, Bits<24>>,
    /// Integral part, two's complement.
    pub whole: Signal<Out, Bits<10>>,
    /// m is below 1.
    pub below: Signal<Out, bool>,
    _active: bool,
}

impl Logic for Distance {
    #[kernel]
    fn update(&mut self) {
        comment!("module: function_distance");
        // In units of 2^-24, modulo 1: the significand is 1/2 + M there, so twice it is 2 M, and
        // minus it is 1/2 - M.
        self.below.next = self.significand.val().get_bit(22);
        self.distance.next = self.significand.val() << bits::<1>(1);
        self.whole.next = self.exponent.val();
        if self.significand.val().get_bit(22) {
            self.distance.next = bits::<24>(0) - self.significand.val();
            self.whole.next = self.exponent.val() + bits::<10>(1);
        }
    }
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct Logarithm {
    /// The operand's significand.
    pub significand: Signal<In, Bits<24>>,
    /// The operand's exponent, two's complement.
    pub exponent: Signal<In, Bits<10>>,
    /// |m - 1| in units of 2^-(30 + raised).
    pub factor: Signal<Out, Bits<30>>,
    /// Places by which the factor was moved up.
    pub raised: Signal<Out, Bits<5>>,
    /// Integral part, two's complement.
    pub whole: Signal<Out, Bits<10>>,
    /// The product is subtracted from the integral part.
    pub subtract: Signal<Out, bool>,
    /// A block of its own, so that what it puts out and what comes back from `zeros` are no loop of
    /// one kernel.
    from_one: Distance,
    zeros: LeadingZeros,
    _active: bool,
}

impl Logic for Logarithm {
    #[kernel]
    fn update(&mut self) {
        comment!("module: function_logarithm");
        self.from_one.significand.next = self.significand.val();
        self.from_one.exponent.next = self.exponent.val();
        self.whole.next = self.from_one.whole.val();
        self.subtract.next = self.from_one.below.val();
        self.zeros.w0.next = bits::<32>(0);
        self.zeros.w1.next = bits::<32>(0);
        self.zeros.w2.next = bit_cast::<32, 24>(self.from_one.distance.val()) << bits::<4>(8);
        self.raised.next = bits::<5>(0);
        if !self.from_one.whole.val().any() {
            // 96 for a distance of 0, cut to 0.
            self.raised.next = bit_cast::<5, 7>(self.zeros.count.val());
        }
        self.factor.next = (bit_cast::<30, 24>(self.from_one.distance.val()) << bits::<3>(6)) << self.raised.val();
    }
}
