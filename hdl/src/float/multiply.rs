//! Second stage of a lane: product of the significands, alignment of the addend in the window (see
//! [`crate::float`]), sign and special cases. The multiplier also serves the integer products.
//!
//! Latency 1, one operation per cycle. The registers hold their values for [`Path::Integer`], so
//! that nothing downstream moves. It can be wrong in the alignment distance at the two ends of its
//! range and in which infinity wins; `tests/lane_float.rs` crosses corner values.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::word::FloatWord;
use crate::cell::{AlignShift, Mul32, Path};
use crate::comment;
use crate::float::unpack::Unpack;
use crate::ports::{MultiplyOperandsIn, ProductsOut};

/// Exponents, signs, special cases and alignment, combinational.
#[derive(Default, QuietBlock)]
pub struct Align {
    /// Operands of a multiplication with an addend.
    pub operand_ports: MultiplyOperandsIn,
    /// Path that delivers the result: a number of [`Path`].
    pub path: Signal<In, Path>,
    /// Significand of the first factor, or the integer itself.
    pub factor_a: Signal<Out, Bits<32>>,
    /// Significand of the second factor, or the integer itself.
    pub factor_b: Signal<Out, Bits<32>>,
    /// Aligned addend in the window, word 0 the lowest.
    pub z0: Signal<Out, Bits<32>>,
    /// Word 1 of the addend.
    pub z1: Signal<Out, Bits<32>>,
    /// Word 2 of the addend.
    pub z2: Signal<Out, Bits<32>>,
    /// A set bit of the addend lies below the window.
    pub sticky: Signal<Out, bool>,
    /// Exponent of the window, see [`crate::float`].
    pub exponent: Signal<Out, Bits<10>>,
    /// Sign of the product, or of the result if that is infinite.
    pub sign: Signal<Out, bool>,
    /// Product and addend have different signs.
    pub subtract: Signal<Out, bool>,
    /// The result is an infinity.
    pub infinite: Signal<Out, bool>,
    /// The result is the NaN.
    pub nan: Signal<Out, bool>,
    unpack_a: Unpack,
    unpack_b: Unpack,
    unpack_c: Unpack,
    shift: AlignShift,
    /// Sum of the biased exponents of the factors.
    product_exponent: Signal<Local, Bits<10>>,
    /// Bit of the window where the addend's lowest bit belongs, plus 512.
    position: Signal<Local, Bits<10>>,
    distance: Signal<Local, Bits<10>>,
    product_sign: Signal<Local, bool>,
    product_zero: Signal<Local, bool>,
    product_infinite: Signal<Local, bool>,
    invalid: Signal<Local, bool>,
    far: Signal<Local, bool>,
    _active: bool,
}

#[kernel]
impl Align {
    /// The path tells what it multiplies, where the product lies and what it is.
    fn product(&mut self) {
        comment!("module: float_align");
        self.unpack_a.word.next = self.operand_ports.a.val();
        self.unpack_b.word.next = self.operand_ports.b.val();
        self.unpack_c.word.next = self.operand_ports.c.val();
        // What the path multiplies, where the product lies and what it is.
        self.product_sign.next = self.operand_ports.c.val().get_value_sign();
        self.product_zero.next = false;
        self.product_infinite.next = false;
        self.invalid.next = false;
        self.factor_a.next = self.operand_ports.a.val();
        self.factor_b.next = self.operand_ports.b.val();
        self.product_exponent.next = bits::<10>(0);
        match self.path.val() {
            Path::FromInteger => {
                // The integer times one: the product's lowest bit weighs 1, and 2 * 150 = 300.
                self.factor_b.next = bits::<32>(1);
                self.product_exponent.next = bits::<10>(300);
            }
            Path::FromFraction => {
                // The product's lowest bit weighs 2^-48.
                self.product_exponent.next = bits::<10>(252);
            }
            Path::ToSigned => {
                // No product (the factors are 0); 288 puts the addend's bit of weight 1 at bit 32
                // of the window.
                self.product_exponent.next = bits::<10>(288);
            }
            Path::ToUnsigned => {
                self.product_exponent.next = bits::<10>(288);
            }
            // Words multiplied as they are.
            Path::Integer => {}
            Path::MulLow => {}
            Path::MulHigh => {}
            _ => {
                self.factor_a.next = bit_cast::<32, 24>(self.unpack_a.significand.val());
                self.factor_b.next = bit_cast::<32, 24>(self.unpack_b.significand.val());
                self.product_exponent.next = self.unpack_a.exponent.val() + self.unpack_b.exponent.val();
                self.product_sign.next =
                    self.operand_ports.a.val().get_value_sign() ^ self.operand_ports.b.val().get_value_sign();
                self.product_zero.next = self.unpack_a.zero.val() || self.unpack_b.zero.val();
                self.product_infinite.next = self.unpack_a.infinite.val() || self.unpack_b.infinite.val();
                self.invalid.next = self.unpack_a.nan.val()
                    || self.unpack_b.nan.val()
                    || (self.unpack_a.infinite.val() && self.unpack_b.zero.val())
                    || (self.unpack_a.zero.val() && self.unpack_b.infinite.val());
            }
        }
    }

    /// The addend is shifted to its place beside the product.
    fn alignment(&mut self) {
        // Alignment. 682 = 512 + 20 + 150: lowest bit of the product at bit 20, and 150 once more
        // in two exponents than in one.
        self.position.next = self.unpack_c.exponent.val() + bits::<10>(682) - self.product_exponent.val();
        // 584 = 512 + 72: the addend at the top; 488 = 584 - 96: nothing of it left.
        self.far.next =
            !self.unpack_c.zero.val() && (self.product_zero.val() || (self.position.val() >= bits::<10>(584)));
        self.distance.next = bits::<10>(0);
        if !self.far.val() && (self.position.val() < bits::<10>(488)) {
            self.distance.next = bits::<10>(96);
        } else if !self.far.val() && (self.position.val() < bits::<10>(584)) {
            self.distance.next = bits::<10>(584) - self.position.val();
        }
        self.shift.significand.next = self.unpack_c.significand.val();
        self.shift.amount.next = bit_cast::<7, 10>(self.distance.val());
        self.z0.next = self.shift.w0.val();
        self.z1.next = self.shift.w1.val();
        self.z2.next = self.shift.w2.val();
        self.sticky.next = self.shift.sticky.val();
    }

    /// Product and addend give exponent, sign and special cases of the result.
    fn outcome(&mut self) {
        // Bit 95 of the window is 75 above the product's lowest bit: 75 - 300 + 127 + 128 = 30.
        self.exponent.next = self.product_exponent.val() + bits::<10>(30);
        if self.far.val() {
            self.exponent.next = self.unpack_c.exponent.val() + bits::<10>(128);
        }
        self.sign.next = self.product_sign.val();
        if self.unpack_c.infinite.val() && !self.product_infinite.val() {
            self.sign.next = self.operand_ports.c.val().get_value_sign();
        }
        self.subtract.next = self.product_sign.val() ^ self.operand_ports.c.val().get_value_sign();
        self.infinite.next = self.product_infinite.val() || self.unpack_c.infinite.val();
        self.nan.next = self.invalid.val()
            || self.unpack_c.nan.val()
            || (self.product_infinite.val() && self.unpack_c.infinite.val() && self.subtract.val());
    }
}

/// The stage with its registers.
#[derive(Default, QuietBlock)]
pub struct Multiply {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Operands of a multiplication with an addend.
    pub operand_ports: MultiplyOperandsIn,
    /// Path that delivers the result: a number of [`Path`].
    pub path: Signal<In, Path>,
    /// A product as two numbers in carry-save form, and the addend.
    pub sum_ports: ProductsOut,
    align: Align,
    product: Mul32,
    p0_r: DFF<Bits<32>>,
    p1_r: DFF<Bits<32>>,
    z0_r: DFF<Bits<32>>,
    z1_r: DFF<Bits<32>>,
    z2_r: DFF<Bits<32>>,
    sticky_r: DFF<bool>,
    exponent_r: DFF<Bits<10>>,
    sign_r: DFF<bool>,
    subtract_r: DFF<bool>,
    infinite_r: DFF<bool>,
    nan_r: DFF<bool>,
    _active: bool,
}

impl Logic for Multiply {
    #[kernel]
    fn update(&mut self) {
        comment!("module: float_multiply");
        dff_setup!(
            self, clock, p0_r, p1_r, z0_r, z1_r, z2_r, sticky_r, exponent_r, sign_r, subtract_r, infinite_r, nan_r
        );
        MultiplyOperandsIn::link(&mut self.operand_ports, &mut self.align.operand_ports);
        self.align.path.next = self.path.val();
        self.product.a.next = self.align.factor_a.val();
        self.product.b.next = self.align.factor_b.val();
        if self.path.val() != Path::Integer {
            self.p0_r.d.next = self.product.lo.val();
            self.p1_r.d.next = self.product.hi.val();
            self.z0_r.d.next = self.align.z0.val();
            self.z1_r.d.next = self.align.z1.val();
            self.z2_r.d.next = self.align.z2.val();
            self.sticky_r.d.next = self.align.sticky.val();
            self.exponent_r.d.next = self.align.exponent.val();
            self.sign_r.d.next = self.align.sign.val();
            self.subtract_r.d.next = self.align.subtract.val();
            self.infinite_r.d.next = self.align.infinite.val();
            self.nan_r.d.next = self.align.nan.val();
        }
        self.sum_ports.p0.next = self.p0_r.q.val();
        self.sum_ports.p1.next = self.p1_r.q.val();
        self.sum_ports.z0.next = self.z0_r.q.val();
        self.sum_ports.z1.next = self.z1_r.q.val();
        self.sum_ports.z2.next = self.z2_r.q.val();
        self.sum_ports.sticky.next = self.sticky_r.q.val();
        self.sum_ports.exponent.next = self.exponent_r.q.val();
        self.sum_ports.sign.next = self.sign_r.q.val();
        self.sum_ports.subtract.next = self.subtract_r.q.val();
        self.sum_ports.infinite.next = self.infinite_r.q.val();
        self.sum_ports.nan.next = self.nan_r.q.val();
    }
}
