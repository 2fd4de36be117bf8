//! Quotient of any two floats, a digit per cycle, for the clipper. What is special is known at
//! once. Other quotients leave as a number of 27 bits, which the float unit rounds once.
//!
//! Numbers below the normal ones first go up, a place per cycle. 26 digits follow, the first of
//! them of weight 1; bit 0 of the number says that there was a rest. So a quotient of normal
//! numbers takes 28 cycles.
//!
//! It can be wrong in the exponent of numbers that went up, and in a sign.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Parameter;
use crate::comment;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct GeometryQuotient {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// One cycle: a division begins.
    pub start: Signal<In, bool>,
    /// Dividend.
    pub a: Signal<In, Bits<32>>,
    /// Divisor.
    pub b: Signal<In, Bits<32>>,
    /// The division is at its end.
    pub done: Signal<Out, bool>,
    /// The quotient is a special value, or zero.
    pub special: Signal<Out, bool>,
    /// It, if so.
    pub value: Signal<Out, Bits<32>>,
    /// The number, if not.
    pub number: Signal<Out, Bits<27>>,
    /// Its exponent and sign, as the float unit has them.
    pub exponent: Signal<Out, Bits<32>>,
    running: DFF<bool>,
    left: DFF<Bits<5>>,
    exponent_a: DFF<Bits<10>>,
    exponent_b: DFF<Bits<10>>,
    rest: DFF<Bits<25>>,
    divisor: DFF<Bits<24>>,
    digits: DFF<Bits<26>>,
    negative: DFF<bool>,
    special_r: DFF<bool>,
    value_r: DFF<Bits<32>>,
    field_a: Signal<Local, Bits<10>>,
    field_b: Signal<Local, Bits<10>>,
    zero_a: Signal<Local, bool>,
    zero_b: Signal<Local, bool>,
    all_a: Signal<Local, bool>,
    all_b: Signal<Local, bool>,
    bad: Signal<Local, bool>,
    sign: Signal<Local, Bits<32>>,
    difference: Signal<Local, Bits<26>>,
    distance: Signal<Local, Bits<10>>,
    sign_bit: Parameter<32>,
    _active: bool,
}

impl GeometryQuotient {
    /// At rest.
    pub fn new() -> Self {
        Self { sign_bit: Parameter::new(0x8000_0000), _active: true, ..Default::default() }
    }
}

#[kernel]
impl GeometryQuotient {
    /// Operands are normalised first, then the division makes a digit per cycle.
    fn digits(&mut self) {
        comment!("module: geometry_quotient");
        dff_setup!(self, clock, running, left, exponent_a, exponent_b, rest, divisor, digits, negative, special_r);
        dff_setup!(self, clock, value_r);
        self.difference.next = bit_cast::<26, 25>(self.rest.q.val()) - bit_cast::<26, 24>(self.divisor.q.val());
        if self.running.q.val() {
            if !self.divisor.q.val().get_bit(23) {
                self.divisor.d.next = self.divisor.q.val() << bits::<24>(1);
                self.exponent_b.d.next = self.exponent_b.q.val() - bits::<10>(1);
            }
            if self.left.q.val() == bits::<5>(26) {
                // Nothing is subtracted before both are up.
                if !self.rest.q.val().get_bit(23) {
                    self.rest.d.next = self.rest.q.val() << bits::<25>(1);
                    self.exponent_a.d.next = self.exponent_a.q.val() - bits::<10>(1);
                }
            }
            if (self.left.q.val() != bits::<5>(26))
                || (self.divisor.q.val().get_bit(23) && self.rest.q.val().get_bit(23))
            {
                self.left.d.next = self.left.q.val() - bits::<5>(1);
                self.rest.d.next = self.rest.q.val() << bits::<25>(1);
                self.digits.d.next = self.digits.q.val() << bits::<26>(1);
                if !self.difference.val().get_bit(25) {
                    self.rest.d.next = self.difference.val().get_bits::<25>(0) << bits::<25>(1);
                    self.digits.d.next = (self.digits.q.val() << bits::<26>(1)) | bits::<26>(1);
                }
            }
            if self.left.q.val() == bits::<5>(1) {
                self.running.d.next = false;
            }
        }
    }

    /// It is known whether an operand is zero, infinite or no number.
    fn operands(&mut self) {
        self.field_a.next = bit_cast::<10, 8>(self.a.val().get_bits::<8>(23));
        self.field_b.next = bit_cast::<10, 8>(self.b.val().get_bits::<8>(23));
        self.zero_a.next = !self.a.val().get_bits::<31>(0).any();
        self.zero_b.next = !self.b.val().get_bits::<31>(0).any();
        self.all_a.next = self.a.val().get_bits::<8>(23).all();
        self.all_b.next = self.b.val().get_bits::<8>(23).all();
        self.bad.next = (self.all_a.val() && self.a.val().get_bits::<23>(0).any())
            || (self.all_b.val() && self.b.val().get_bits::<23>(0).any())
            || (self.all_a.val() && self.all_b.val())
            || (self.zero_a.val() && self.zero_b.val());
        self.sign.next = (self.a.val() ^ self.b.val()) & self.sign_bit.val();
    }

    /// A division begins, and a special quotient ends at once.
    fn begin(&mut self) {
        if self.start.val() {
            self.running.d.next = true;
            self.left.d.next = bits::<5>(26);
            self.negative.d.next = self.sign.val().get_bit(31);
            self.rest.d.next = bit_cast::<25, 23>(self.a.val().get_bits::<23>(0)) | bits::<25>(0x80_0000);
            self.exponent_a.d.next = self.field_a.val();
            if !self.field_a.val().any() {
                self.rest.d.next = bit_cast::<25, 23>(self.a.val().get_bits::<23>(0));
                self.exponent_a.d.next = bits::<10>(1);
            }
            self.divisor.d.next = bit_cast::<24, 23>(self.b.val().get_bits::<23>(0)) | bits::<24>(0x80_0000);
            self.exponent_b.d.next = self.field_b.val();
            if !self.field_b.val().any() {
                self.divisor.d.next = bit_cast::<24, 23>(self.b.val().get_bits::<23>(0));
                self.exponent_b.d.next = bits::<10>(1);
            }
            self.special_r.d.next = false;
            if self.zero_a.val() || self.all_b.val() {
                self.special_r.d.next = true;
                self.running.d.next = false;
                self.value_r.d.next = self.sign.val();
            }
            if self.zero_b.val() || self.all_a.val() {
                self.special_r.d.next = true;
                self.running.d.next = false;
                self.value_r.d.next = self.sign.val() | bits::<32>(0x7F80_0000);
            }
            if self.bad.val() {
                self.special_r.d.next = true;
                self.running.d.next = false;
                self.value_r.d.next = bits::<32>(0x7FC0_0000);
            }
        }
    }

    /// The quotient leaves as a number with exponent and sign, or as a special value.
    fn quotient(&mut self) {
        self.done.next = !self.running.q.val();
        self.special.next = self.special_r.q.val();
        self.value.next = self.value_r.q.val();
        self.number.next = bit_cast::<27, 26>(self.digits.q.val()) << bits::<27>(1);
        if self.rest.q.val().any() {
            self.number.next = (bit_cast::<27, 26>(self.digits.q.val()) << bits::<27>(1)) | bits::<27>(1);
        }
        // Bit 26 weighs 1 before the exponents: 127 + 75 - 26 = 176.
        self.distance.next = self.exponent_a.q.val() - self.exponent_b.q.val() + bits::<10>(176);
        self.exponent.next = bit_cast::<32, 10>(self.distance.val());
        if self.negative.q.val() {
            self.exponent.next = bit_cast::<32, 10>(self.distance.val()) | self.sign_bit.val();
        }
    }
}
