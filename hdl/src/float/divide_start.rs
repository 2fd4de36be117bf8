//! What the digit recurrence ([`crate::float::digits`]) starts with: the first remainder behind a
//! leading digit of 1, exponent and special cases.
//!
//! A dividend below the divisor is doubled and the exponent is one less, so that the quotient is in
//! [1, 2) as a root is: its leading digit is subtracted here. A radicand of odd exponent is
//! doubled, which leaves an even one to halve and a root in [1, 2).
//!
//! Combinational. It can be wrong where dividend and divisor are equal, in the halving of negative
//! odd exponents and in the special cases.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::word::Quotient;
use crate::comment;

/// See the module documentation; operands as [`crate::float::unpack_normal`] gives them, of a root
/// only the first.
#[derive(Default, QuietBlock)]
pub struct DivideStart {
    /// A square root, else a division.
    pub root: Signal<In, bool>,
    /// The lane is active; the result is +0 if not.
    pub active: Signal<In, bool>,
    /// Sign of the dividend or radicand.
    pub a_sign: Signal<In, bool>,
    /// Its exponent.
    pub a_exponent: Signal<In, Bits<10>>,
    /// Its significand.
    pub a_significand: Signal<In, Bits<24>>,
    /// It is a zero.
    pub a_zero: Signal<In, bool>,
    /// It is an infinity.
    pub a_infinite: Signal<In, bool>,
    /// It is a NaN.
    pub a_nan: Signal<In, bool>,
    /// Sign of the divisor.
    pub b_sign: Signal<In, bool>,
    /// Its exponent.
    pub b_exponent: Signal<In, Bits<10>>,
    /// Its significand.
    pub b_significand: Signal<In, Bits<24>>,
    /// It is a zero.
    pub b_zero: Signal<In, bool>,
    /// It is an infinity.
    pub b_infinite: Signal<In, bool>,
    /// It is a NaN.
    pub b_nan: Signal<In, bool>,
    /// First remainder, units of 2^-24.
    pub remainder: Signal<Out, Bits<27>>,
    /// First subtrahend, units of 2^-24.
    pub subtrahend: Signal<Out, Bits<26>>,
    /// Weight of the first digit in a root, units of 2^-24; 0 in a division.
    pub place: Signal<Out, Bits<24>>,
    /// Exponent of the result's leading one.
    pub exponent: Signal<Out, Bits<10>>,
    /// Of the result: a `Quotient`.
    pub kind: Signal<Out, Bits<4>>,
    once: Signal<Local, Bits<25>>,
    twice: Signal<Local, Bits<25>>,
    less: Signal<Local, bool>,
    sign: Signal<Local, bool>,
    zero: Signal<Local, bool>,
    infinite: Signal<Local, bool>,
    nan: Signal<Local, bool>,
    odd: Signal<Local, bool>,
    /// Twice the significand of a.
    twice_a: Signal<Local, Bits<25>>,
    /// Root: significand of a, twice that if the exponent is odd.
    radicand: Signal<Local, Bits<25>>,
    rest: Signal<Local, Bits<25>>,
    difference: Signal<Local, Bits<10>>,
    /// Root: half of a's exponent, without and with its sign.
    exponent_moved: Signal<Local, Bits<10>>,
    half: Signal<Local, Bits<10>>,
    _active: bool,
}

impl Logic for DivideStart {
    #[kernel]
    fn update(&mut self) {
        comment!("module: float_divide_start");
        // Division: a - b, or 2a - b where that is negative; units of 2^-23. Twice the one or the
        // other is the remainder.
        self.once.next = bit_cast::<25, 24>(self.a_significand.val()) - bit_cast::<25, 24>(self.b_significand.val());
        self.twice_a.next = bit_cast::<25, 24>(self.a_significand.val()) << bits::<5>(1);
        self.twice.next = self.twice_a.val() - bit_cast::<25, 24>(self.b_significand.val());
        self.less.next = self.once.val().get_bit(24);
        self.difference.next = self.a_exponent.val() - self.b_exponent.val();
        self.remainder.next = bit_cast::<27, 25>(self.once.val()) << bits::<5>(2);
        self.subtrahend.next = bit_cast::<26, 24>(self.b_significand.val()) << bits::<5>(1);
        self.place.next = bits::<24>(0);
        self.exponent.next = self.difference.val();
        if self.less.val() {
            self.remainder.next = bit_cast::<27, 25>(self.twice.val()) << bits::<5>(2);
            self.exponent.next = self.difference.val() - bits::<10>(1);
        }
        self.sign.next = self.a_sign.val() ^ self.b_sign.val();
        self.nan.next = self.a_nan.val()
            || self.b_nan.val()
            || (self.a_zero.val() && self.b_zero.val())
            || (self.a_infinite.val() && self.b_infinite.val());
        self.infinite.next = self.a_infinite.val() || self.b_zero.val();
        self.zero.next = self.a_zero.val() || self.b_infinite.val();
        // Root: twice the radicand less 1.
        self.odd.next = self.a_exponent.val().get_bit(0);
        self.exponent_moved.next = self.a_exponent.val() >> bits::<5>(1);
        self.half.next = self.exponent_moved.val();
        if self.a_exponent.val().get_bit(9) {
            self.half.next = self.exponent_moved.val() | bits::<10>(0x200);
        }
        self.radicand.next = self.twice_a.val();
        if !self.odd.val() {
            self.radicand.next = bit_cast::<25, 24>(self.a_significand.val());
        }
        self.rest.next = bits::<25>(0);
        if self.root.val() {
            self.rest.next = self.radicand.val() - bits::<25>(0x80_0000);
            self.remainder.next = bit_cast::<27, 25>(self.rest.val()) << bits::<5>(2);
            self.subtrahend.next = bits::<26>(0x280_0000);
            self.place.next = bits::<24>(0x80_0000);
            self.exponent.next = self.half.val();
            self.sign.next = self.a_sign.val();
            self.nan.next = self.a_nan.val() || (self.a_sign.val() && !self.a_zero.val());
            self.infinite.next = self.a_infinite.val();
            self.zero.next = self.a_zero.val();
        }
        self.kind.next = bits::<4>(0);
        if self.active.val() {
            self.kind.next.set_value_sign(self.sign.val());
            self.kind.next.set_value_zero(self.zero.val());
            self.kind.next.set_value_infinite(self.infinite.val());
            self.kind.next.set_value_nan(self.nan.val());
        } else {
            self.kind.next.set_value_zero(true);
        }
    }
}
