//! Fourth stage: what the operation looks up and what it does with that. Every operation is the
//! same
//!
//! ```text
//! y = quadratic(line, offset)     T = (factor * y) >> 28     result = (-1)^sign * |base * 2^30 +- T| * 2^(exponent - 294)
//! ```
//!
//! so that nothing behind this stage knows the operation. Where `docs/float.md` has no product
//! (rcp, rsqrt, exp2) the factor is 1; where it has no quadratic (sin of tiny operands, which is
//! the operand) the line is that of 1; a zero is the factor 0.
//!
//! Latency 1, one operation per cycle. It can be wrong at the seams: sin at 2^-12 and 1/2, log2
//! around 1 and at 1.5, the octants' ends, exp2 of small negative operands. Fault 46 reads a
//! neighbour's line for one interval.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::logarithm::Logarithm;
use super::octant::Octant;
use crate::base::Planted;
use crate::cell::FixedPoint;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// The stage with its registers; inputs as of [`super::unpack::UnpackStage`] and
/// [`super::phase::Phase`].
#[derive(Default, QuietBlock)]
pub struct Reduce {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Operation, see [`super`].
    pub operation: Signal<In, Bits<3>>,
    /// The operand's significand.
    pub significand: Signal<In, Bits<24>>,
    /// The operand's exponent, two's complement.
    pub exponent: Signal<In, Bits<10>>,
    /// The operand is negative.
    pub negative: Signal<In, bool>,
    /// The result is negative, unless the quadrant or the sum turns it.
    pub sign: Signal<In, bool>,
    /// The result is not computed.
    pub special: Signal<In, bool>,
    /// Phase: 2 bits of quadrant, 30 of fraction.
    pub phase: Signal<In, Bits<32>>,
    /// Line of the coefficients.
    pub line: Signal<Out, Bits<10>>,
    /// Place in the interval, two's complement, units of 2^-21.
    pub offset: Signal<Out, Bits<22>>,
    /// Factor of the product.
    pub factor: Signal<Out, Bits<30>>,
    /// What the product is added to or subtracted from, two's complement, units of 2^30.
    pub base: Signal<Out, Bits<9>>,
    /// The product is subtracted.
    pub subtract: Signal<Out, bool>,
    /// The result is negative, unless the sum is.
    pub result_sign: Signal<Out, bool>,
    /// Exponent as [`crate::float::normalize`] has it, for a sum whose bit 39 is the window's top.
    pub window_exponent: Signal<Out, Bits<10>>,
    octant: Octant,
    logarithm: Logarithm,
    fixed: FixedPoint,
    line_r: DFF<Bits<10>>,
    offset_r: DFF<Bits<22>>,
    factor_r: DFF<Bits<30>>,
    base_r: DFF<Bits<9>>,
    subtract_r: DFF<bool>,
    result_sign_r: DFF<bool>,
    window_exponent_r: DFF<Bits<10>>,
    /// The same as `position` of a significand alone.
    significand_position: Signal<Local, Bits<30>>,
    /// Interval in the table, then 22 bits of offset from its beginning.
    position: Signal<Local, Bits<30>>,
    first_line: Signal<Local, Bits<10>>,
    /// 7 - exponent: places that exp2 shifts right; at most 63 of them matter.
    down: Signal<Local, Bits<10>>,
    /// Half the exponent, rounded down.
    half: Signal<Local, Bits<10>>,
    fault_table_line: Planted,
    _active: bool,
}

impl Reduce {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        Self { fault_table_line: Planted::new(config.has(Fault::TableLine)), ..Self::default() }
    }
}

#[kernel]
impl Reduce {
    /// Octant, logarithm and fixed point get the operand.
    fn inputs(&mut self) {
        comment!("module: function_reduce");
        dff_setup!(self, clock, line_r, offset_r, factor_r, base_r, subtract_r, result_sign_r, window_exponent_r);
        self.octant.sine.next = self.operation.val() == bits::<3>(6);
        fan_out!(self.significand => self.octant.significand, self.logarithm.significand);
        fan_out!(self.exponent => self.octant.exponent, self.logarithm.exponent);
        self.octant.phase.next = self.phase.val();
        self.down.next = bits::<10>(7) - self.exponent.val();
        self.fixed.significand.next = self.significand.val();
        self.fixed.negative.next = self.negative.val();
        self.fixed.amount.next = bit_cast::<6, 10>(self.down.val());
        if self.down.val().get_bits::<4>(6).any() {
            self.fixed.amount.next = bits::<6>(63);
        }
        self.half.next = self.exponent.val() >> bits::<1>(1);
        if self.exponent.val().get_bit(9) {
            self.half.next = (self.exponent.val() >> bits::<1>(1)) | bits::<10>(512);
        }
    }

    /// The operation chooses position, factor, base, sign and exponent.
    fn selection(&mut self) {
        // The 23 bits behind the leading one: 7 of interval, 16 of offset.
        self.significand_position.next =
            (bit_cast::<30, 24>(self.significand.val()) << bits::<3>(6)) & bits::<30>(0x1FFF_FFFF);
        self.position.next = self.significand_position.val();
        self.first_line.next = bits::<10>(0);
        self.factor_r.d.next = bits::<30>(0x1000_0000);
        self.base_r.d.next = bits::<9>(0);
        self.subtract_r.d.next = false;
        self.result_sign_r.d.next = self.sign.val();
        self.window_exponent_r.d.next = bits::<10>(264);
        if self.operation.val() == bits::<3>(2) {
            // rcp.
            self.first_line.next = bits::<10>(256);
            self.window_exponent_r.d.next = bits::<10>(266) - self.exponent.val();
        } else if self.operation.val() == bits::<3>(3) {
            // rsqrt: the upper half of the table for odd exponents.
            self.position.next =
                self.significand_position.val() | (bit_cast::<30, 10>(self.exponent.val()) << bits::<5>(29));
            self.window_exponent_r.d.next = bits::<10>(266) - self.half.val();
        } else if self.operation.val() == bits::<3>(4) {
            // exp2.
            self.position.next = (bit_cast::<30, 27>(self.fixed.fraction.val()) << bits::<1>(1)) | bits::<30>(1);
            self.first_line.next = bits::<10>(512);
            // Widened by its sign.
            self.window_exponent_r.d.next = bits::<10>(266) + bit_cast::<10, 9>(self.fixed.whole.val());
            if self.fixed.whole.val().get_bit(8) {
                self.window_exponent_r.d.next =
                    bits::<10>(266) + (bit_cast::<10, 9>(self.fixed.whole.val()) | bits::<10>(512));
            }
        } else if self.operation.val() == bits::<3>(5) {
            // log2.
            self.first_line.next = bits::<10>(384);
            self.factor_r.d.next = self.logarithm.factor.val();
            self.base_r.d.next = bit_cast::<9, 10>(self.logarithm.whole.val());
            self.subtract_r.d.next = self.logarithm.subtract.val();
            self.window_exponent_r.d.next = bits::<10>(264) - bit_cast::<10, 5>(self.logarithm.raised.val());
        } else {
            // sin, cos.
            self.position.next = bit_cast::<30, 28>(self.octant.position.val());
            self.factor_r.d.next = self.octant.factor.val();
            self.result_sign_r.d.next = self.sign.val() ^ self.octant.turned.val();
            self.first_line.next = bits::<10>(576);
            if self.octant.cosine_table.val() {
                self.first_line.next = bits::<10>(640);
                self.base_r.d.next = bits::<9>(1);
                self.subtract_r.d.next = true;
            }
            if self.octant.relative.val() {
                self.window_exponent_r.d.next = bits::<10>(265) + self.exponent.val();
            }
        }
    }

    /// Line and offset are taken from the position.
    fn line_address(&mut self) {
        // A table's first line is a multiple of its length.
        self.line_r.d.next = self.first_line.val() | bit_cast::<10, 8>(self.position.val().get_bits::<8>(22));
        if self.octant.one.val() && (self.operation.val() == bits::<3>(6)) {
            self.line_r.d.next = bits::<10>(704);
        }
        // Offset from the interval's middle: its top bit inverted.
        self.offset_r.d.next = self.position.val().get_bits::<22>(0) ^ bits::<22>(0x20_0000);
        if self.fault_table_line.val() && (self.position.val().get_bits::<8>(22) == bits::<8>(21)) {
            self.line_r.d.next = self.first_line.val() | bits::<10>(20);
        }
    }

    /// A special result has no product; the registers stand at the ports.
    fn outputs(&mut self) {
        if self.special.val() {
            self.factor_r.d.next = bits::<30>(0);
            self.base_r.d.next = bits::<9>(0);
            self.subtract_r.d.next = false;
            self.result_sign_r.d.next = self.sign.val();
        }
        self.line.next = self.line_r.q.val();
        self.offset.next = self.offset_r.q.val();
        self.factor.next = self.factor_r.q.val();
        self.base.next = self.base_r.q.val();
        self.subtract.next = self.subtract_r.q.val();
        self.result_sign.next = self.result_sign_r.q.val();
        self.window_exponent.next = self.window_exponent_r.q.val();
    }
}
