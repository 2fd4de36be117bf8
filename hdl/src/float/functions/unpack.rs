//! First stage: the operand taken apart and normalised, and the operations' special cases.
//!
//! Latency 1, one operation per cycle; the registers hold their values while nothing comes in. A
//! result that is not computed is a NaN, an infinity or a zero. Zeros as operands of exp2, sin and
//! cos are not special: their significand 0 gives the right result by itself. It can be wrong in an
//! operand that is special for one operation only; the test drives all of them through all
//! operations.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::super::word::FloatWord;
use crate::cell::LeadingZeros;
use crate::comment;
use crate::float::unpack::Unpack;

/// The stage with its registers.
#[derive(Default, QuietBlock)]
pub struct UnpackStage {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// An operation comes in.
    pub in_valid: Signal<In, bool>,
    /// Operation, see [`super`].
    pub op: Signal<In, Bits<3>>,
    /// Operand.
    pub a: Signal<In, Bits<32>>,
    /// Operation.
    pub operation: Signal<Out, Bits<3>>,
    /// The operand's significand, bit 23 set unless it is 0.
    pub significand: Signal<Out, Bits<24>>,
    /// The operand's exponent: its magnitude is significand * 2^(exponent - 23). Two's complement.
    pub exponent: Signal<Out, Bits<10>>,
    /// The operand is negative.
    pub negative: Signal<Out, bool>,
    /// The result is negative, unless sin, cos or log2 find out otherwise.
    pub sign: Signal<Out, bool>,
    /// The result is a NaN.
    pub nan: Signal<Out, bool>,
    /// The result is an infinity.
    pub infinite: Signal<Out, bool>,
    /// The result is a NaN, an infinity or a zero that is not computed.
    pub special: Signal<Out, bool>,
    fields: Unpack,
    zeros: LeadingZeros,
    operation_r: DFF<Bits<3>>,
    significand_r: DFF<Bits<24>>,
    exponent_r: DFF<Bits<10>>,
    negative_r: DFF<bool>,
    sign_r: DFF<bool>,
    nan_r: DFF<bool>,
    infinite_r: DFF<bool>,
    special_r: DFF<bool>,
    is_negative: Signal<Local, bool>,
    is_zero: Signal<Local, bool>,
    is_infinite: Signal<Local, bool>,
    /// The operand is negative and not a zero.
    below_zero: Signal<Local, bool>,
    /// The operand's magnitude is 128 or more; 150 or more.
    from_128: Signal<Local, bool>,
    from_150: Signal<Local, bool>,
    result_sign: Signal<Local, bool>,
    result_nan: Signal<Local, bool>,
    result_infinite: Signal<Local, bool>,
    result_zero: Signal<Local, bool>,
    _active: bool,
}

#[kernel]
impl UnpackStage {
    /// The operand's fields tell what it is.
    fn operand(&mut self) {
        comment!("module: function_unpack");
        dff_setup!(
            self,
            clock,
            operation_r,
            significand_r,
            exponent_r,
            negative_r,
            sign_r,
            nan_r,
            infinite_r,
            special_r
        );
        self.fields.word.next = self.a.val();
        self.zeros.w0.next = bits::<32>(0);
        self.zeros.w1.next = bits::<32>(0);
        self.zeros.w2.next = bit_cast::<32, 24>(self.fields.significand.val()) << bits::<4>(8);

        self.is_negative.next = self.a.val().get_value_sign();
        self.is_zero.next = self.fields.zero.val();
        self.is_infinite.next = self.fields.infinite.val();
        self.below_zero.next = self.is_negative.val() && !self.is_zero.val();
        self.from_128.next = self.fields.exponent.val() >= bits::<10>(134);
        self.from_150.next = bit_cast::<31, 32>(self.a.val()) >= bits::<31>(0x4316_0000);
    }

    /// The operation decides the sign, and which results are special.
    fn special_cases(&mut self) {
        self.result_sign.next = false;
        self.result_nan.next = self.fields.nan.val();
        self.result_infinite.next = false;
        self.result_zero.next = false;
        if (self.op.val() == bits::<3>(2)) || (self.op.val() == bits::<3>(3)) {
            // rcp, rsqrt.
            self.result_sign.next = self.is_negative.val();
            self.result_nan.next = self.fields.nan.val() || (self.below_zero.val() && (self.op.val() == bits::<3>(3)));
            self.result_infinite.next = self.is_zero.val();
            self.result_zero.next = self.is_infinite.val();
        } else if self.op.val() == bits::<3>(4) {
            // exp2.
            self.result_infinite.next = !self.is_negative.val() && self.from_128.val();
            self.result_zero.next = self.is_negative.val() && self.from_150.val();
        } else if self.op.val() == bits::<3>(5) {
            // log2. The sign of what is computed is that of the sum.
            self.result_sign.next = self.is_zero.val();
            self.result_nan.next = self.fields.nan.val() || self.below_zero.val();
            self.result_infinite.next = self.is_zero.val() || self.is_infinite.val();
        } else {
            // sin, cos.
            self.result_sign.next = self.is_negative.val() && (self.op.val() == bits::<3>(6));
            self.result_nan.next = self.fields.nan.val() || self.is_infinite.val();
        }
    }

    /// The registers take an operation when it comes in, and show it.
    fn results(&mut self) {
        self.operation_r.d.next = self.operation_r.q.val();
        self.significand_r.d.next = self.significand_r.q.val();
        self.exponent_r.d.next = self.exponent_r.q.val();
        self.negative_r.d.next = self.negative_r.q.val();
        self.sign_r.d.next = self.sign_r.q.val();
        self.nan_r.d.next = self.nan_r.q.val();
        self.infinite_r.d.next = self.infinite_r.q.val();
        self.special_r.d.next = self.special_r.q.val();
        if self.in_valid.val() {
            self.operation_r.d.next = self.op.val();
            self.significand_r.d.next = self.fields.significand.val() << self.zeros.count.val();
            self.exponent_r.d.next =
                self.fields.exponent.val() - bits::<10>(127) - bit_cast::<10, 7>(self.zeros.count.val());
            self.negative_r.d.next = self.is_negative.val();
            self.sign_r.d.next = self.result_sign.val();
            self.nan_r.d.next = self.result_nan.val();
            self.infinite_r.d.next = self.result_infinite.val();
            self.special_r.d.next = self.result_nan.val() || self.result_infinite.val() || self.result_zero.val();
        }
        self.operation.next = self.operation_r.q.val();
        self.significand.next = self.significand_r.q.val();
        self.exponent.next = self.exponent_r.q.val();
        self.negative.next = self.negative_r.q.val();
        self.sign.next = self.sign_r.q.val();
        self.nan.next = self.nan_r.q.val();
        self.infinite.next = self.infinite_r.q.val();
        self.special.next = self.special_r.q.val();
    }
}
