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
use crate::ports::{DivisionStepOut, UnpackedIn};

/// See the module documentation; operands as [`crate::float::unpack_normal`] gives them, of a root
/// only the first.
#[derive(Default, QuietBlock)]
pub struct DivideStart {
    /// A square root, else a division.
    pub root: Signal<In, bool>,
    /// The lane is active; the result is +0 if not.
    pub active: Signal<In, bool>,
    /// Dividend, or operand of a root.
    pub a: UnpackedIn,
    /// Divisor.
    pub b: UnpackedIn,
    /// Where a division is.
    pub step_ports: DivisionStepOut,
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
        self.once.next = bit_cast::<25, 24>(self.a.significand.val()) - bit_cast::<25, 24>(self.b.significand.val());
        self.twice_a.next = bit_cast::<25, 24>(self.a.significand.val()) << bits::<5>(1);
        self.twice.next = self.twice_a.val() - bit_cast::<25, 24>(self.b.significand.val());
        self.less.next = self.once.val().get_bit(24);
        self.difference.next = self.a.exponent.val() - self.b.exponent.val();
        self.step_ports.remainder.next = bit_cast::<27, 25>(self.once.val()) << bits::<5>(2);
        self.step_ports.subtrahend.next = bit_cast::<26, 24>(self.b.significand.val()) << bits::<5>(1);
        self.step_ports.place.next = bits::<24>(0);
        self.step_ports.exponent.next = self.difference.val();
        if self.less.val() {
            self.step_ports.remainder.next = bit_cast::<27, 25>(self.twice.val()) << bits::<5>(2);
            self.step_ports.exponent.next = self.difference.val() - bits::<10>(1);
        }
        self.sign.next = self.a.sign.val() ^ self.b.sign.val();
        self.nan.next = self.a.nan.val()
            || self.b.nan.val()
            || (self.a.zero.val() && self.b.zero.val())
            || (self.a.infinite.val() && self.b.infinite.val());
        self.infinite.next = self.a.infinite.val() || self.b.zero.val();
        self.zero.next = self.a.zero.val() || self.b.infinite.val();
        // Root: twice the radicand less 1.
        self.odd.next = self.a.exponent.val().get_bit(0);
        self.exponent_moved.next = self.a.exponent.val() >> bits::<5>(1);
        self.half.next = self.exponent_moved.val();
        if self.a.exponent.val().get_bit(9) {
            self.half.next = self.exponent_moved.val() | bits::<10>(0x200);
        }
        self.radicand.next = self.twice_a.val();
        if !self.odd.val() {
            self.radicand.next = bit_cast::<25, 24>(self.a.significand.val());
        }
        self.rest.next = bits::<25>(0);
        if self.root.val() {
            self.rest.next = self.radicand.val() - bits::<25>(0x80_0000);
            self.step_ports.remainder.next = bit_cast::<27, 25>(self.rest.val()) << bits::<5>(2);
            self.step_ports.subtrahend.next = bits::<26>(0x280_0000);
            self.step_ports.place.next = bits::<24>(0x80_0000);
            self.step_ports.exponent.next = self.half.val();
            self.sign.next = self.a.sign.val();
            self.nan.next = self.a.nan.val() || (self.a.sign.val() && !self.a.zero.val());
            self.infinite.next = self.a.infinite.val();
            self.zero.next = self.a.zero.val();
        }
        self.step_ports.kind.next = bits::<4>(0);
        if self.active.val() {
            self.step_ports.kind.next.set_value_sign(self.sign.val());
            self.step_ports.kind.next.set_value_zero(self.zero.val());
            self.step_ports.kind.next.set_value_infinite(self.infinite.val());
            self.step_ports.kind.next.set_value_nan(self.nan.val());
        } else {
            self.step_ports.kind.next.set_value_zero(true);
        }
    }
}
