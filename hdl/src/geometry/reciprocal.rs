//! 1 / v as f32, correctly rounded, of any float, as `FDIV` gives it: w of a vertex, which is 0
//! where the near plane cuts an edge at the eye, and twice a triangle's area.
//!
//! Two digits of the quotient per cycle, 26 of them: 24, the bit below, one too many. `value`
//! stands from the fifteenth cycle after `start` until the next division is in its fifteenth. The
//! next `start` may come sixteen cycles after this one. A rest is always left, but for powers of
//! two. There all digits are ones, and the rounding makes a power of two of them. So no tie can
//! come.
//!
//! A subnormal v of at least 2^-128 is shifted before its division, and a subnormal result is cut
//! one or two digits earlier. Of a smaller v the result is infinite, of an infinite one it is 0,
//! and of a NaN the one NaN.
//!
//! It can be wrong in the count of digits, and at the ends of the range.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{Parameter, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::leaf_cell;

leaf_cell! {
    /// Two digits of a quotient.
    ReciprocalStep {
        in
            /// Remainder, at most the divisor.
            remainder: Bits<24>,
            /// Divisor, its highest bit set.
            divisor: Bits<24>;
        out
            /// The next remainder.
            rest: Bits<24>,
            /// The digits.
            digits: Bits<2>
    }
}

impl ReciprocalStep {
    const VERILOG: &'static str = "\
// module: reciprocal_step
reg [25:0] first;
reg [23:0] between;
reg [25:0] second;
always @(*) begin
   first = {1'b0, remainder, 1'b0} - {2'b00, divisor};
   digits[1] = !first[25];
   between = first[25] ? {remainder[22:0], 1'b0} : first[23:0];
   second = {1'b0, between, 1'b0} - {2'b00, divisor};
   digits[0] = !second[25];
   rest = second[25] ? {between[22:0], 1'b0} : second[23:0];
end
";

    fn compute(&mut self) {
        let divisor = self.divisor.val().to_u64();
        let step =
            |r: u64| if 2 * r >= divisor { ((2 * r - divisor) & 0xFF_FFFF, 1) } else { ((2 * r) & 0xFF_FFFF, 0) };
        let (between, one) = step(self.remainder.val().to_u64());
        let (rest, two) = step(between);
        self.rest.next = bits(rest);
        self.digits.next = bits(2 * one + two);
    }
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct Reciprocal {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// One cycle: a division begins.
    pub start: Signal<In, bool>,
    /// The float.
    pub operand: Signal<In, Bits<32>>,
    /// Its reciprocal.
    pub value: Signal<Out, Bits<32>>,
    step: ReciprocalStep,
    left: DFF<Bits<4>>,
    last: DFF<bool>,
    divisor: DFF<Bits<24>>,
    remainder: DFF<Bits<24>>,
    digits: DFF<Bits<26>>,
    exponent: DFF<Bits<8>>,
    negative: DFF<bool>,
    /// Of a subnormal result: digits that it has less, 1 or 2.
    cut_more: DFF<Bits<2>>,
    /// The result is not of a division, but this.
    special: DFF<bool>,
    special_value: DFF<Bits<32>>,
    value_r: DFF<Bits<32>>,
    operand_exponent: Signal<Local, Bits<8>>,
    operand_fraction: Signal<Local, Bits<23>>,
    /// Without the sign and before it is rounded; it is rounded up.
    magnitude: Signal<Local, Bits<32>>,
    up: Signal<Local, bool>,
    rounded: Signal<Local, Bits<32>>,
    sign_bit: Parameter<32>,
    fault_geometry_digit: Planted,
    _active: bool,
}

impl Reciprocal {
    /// At rest, with that configuration's planted faults.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            sign_bit: Parameter::new(0x8000_0000),
            fault_geometry_digit: Planted::new(config.has(Fault::GeometryDigit)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl Reciprocal {
    /// Two digits in a cycle.
    fn digits(&mut self) {
        comment!("module: reciprocal");
        dff_setup!(self, clock, left, last, divisor, remainder, digits, exponent, negative, value_r);
        dff_setup!(self, clock, cut_more, special, special_value);
        self.step.remainder.next = self.remainder.q.val();
        self.step.divisor.next = self.divisor.q.val();
        if self.left.q.val().any() {
            self.left.d.next = self.left.q.val() - bits::<4>(1);
            self.remainder.d.next = self.step.rest.val();
            self.digits.d.next = (self.digits.q.val() << bits::<26>(2)) | bit_cast::<26, 2>(self.step.digits.val());
        }
        self.last.d.next = self.left.q.val() == bits::<4>(1);
    }

    /// A division begins; at the ends of the range it is another one, or none.
    fn start(&mut self) {
        self.operand_exponent.next = self.operand.val().get_bits::<8>(23);
        self.operand_fraction.next = self.operand.val().get_bits::<23>(0);
        if self.start.val() {
            self.left.d.next = bits::<4>(13);
            if self.fault_geometry_digit.val() {
                self.left.d.next = bits::<4>(12);
            }
            self.divisor.d.next = bit_cast::<24, 23>(self.operand_fraction.val()) | bits::<24>(0x80_0000);
            self.remainder.d.next = bits::<24>(0x80_0000);
            self.exponent.d.next = bits::<8>(253) - self.operand_exponent.val();
            self.negative.d.next = self.operand.val().get_bit(31);
            self.cut_more.d.next = bits::<2>(0);
            self.special.d.next = false;
            self.special_value.d.next = bits::<32>(0);
            if self.operand_exponent.val() == bits::<8>(253) {
                self.cut_more.d.next = bits::<2>(1);
            }
            if self.operand_exponent.val() == bits::<8>(254) {
                self.cut_more.d.next = bits::<2>(2);
            }
            if self.operand_exponent.val() == bits::<8>(255) {
                self.special.d.next = true;
                if self.operand_fraction.val().any() {
                    self.negative.d.next = false;
                    self.special_value.d.next = bits::<32>(0x7FC0_0000);
                }
            }
            if self.operand_exponent.val() == bits::<8>(0) {
                if self.operand_fraction.val().get_bit(22) {
                    self.divisor.d.next = bit_cast::<24, 23>(self.operand_fraction.val()) << bits::<24>(1);
                } else if self.operand_fraction.val().get_bit(21) {
                    self.divisor.d.next = bit_cast::<24, 23>(self.operand_fraction.val()) << bits::<24>(2);
                    self.exponent.d.next = bits::<8>(254);
                } else {
                    self.special.d.next = true;
                    self.special_value.d.next = bits::<32>(0x7F80_0000);
                }
            }
        }
    }

    /// The quotient is rounded. Its highest digit is a one, and is written if it is subnormal.
    fn result(&mut self) {
        self.magnitude.next = (bit_cast::<32, 8>(self.exponent.q.val()) << bits::<32>(23))
            | bit_cast::<32, 23>(self.digits.q.val().get_bits::<23>(2));
        self.up.next = self.digits.q.val().get_bit(1);
        if self.cut_more.q.val() == bits::<2>(1) {
            self.magnitude.next = bit_cast::<32, 23>(self.digits.q.val().get_bits::<23>(3));
            self.up.next = self.digits.q.val().get_bit(2);
        }
        if self.cut_more.q.val() == bits::<2>(2) {
            self.magnitude.next = bit_cast::<32, 22>(self.digits.q.val().get_bits::<22>(4));
            self.up.next = self.digits.q.val().get_bit(3);
        }
        self.rounded.next = self.magnitude.val();
        if self.up.val() {
            self.rounded.next = self.magnitude.val() + bits::<32>(1);
        }
        if self.special.q.val() {
            self.rounded.next = self.special_value.q.val();
        }
        if self.last.q.val() {
            self.value_r.d.next = self.rounded.val();
            if self.negative.q.val() {
                self.value_r.d.next = self.rounded.val() | self.sign_bit.val();
            }
        }
        self.value.next = self.value_r.q.val();
    }
}
