//! Between the stages of floating point and integer units: numbers taken apart.

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// A product as two numbers in carry-save form, and the addend.
#[bundle(what = "product to be added")]
pub struct Products {
    /// product, low word
    p0: Bits<32>,
    /// high word of the product
    p1: Bits<32>,
    /// aligned addend, word 0
    z0: Bits<32>,
    /// word 1 of the addend
    z1: Bits<32>,
    /// word 2 of the addend
    z2: Bits<32>,
    /// a set bit of the addend lies below the window
    sticky: bool,
    /// exponent of the window, see [`crate::float`]
    exponent: Bits<10>,
    /// sign of the product, or of the result if that is infinite
    sign: bool,
    /// product and addend have different signs
    subtract: bool,
    /// the result is an infinity
    infinite: bool,
    /// the result is the NaN
    nan: bool,
}

/// A number taken apart, its significand normalised.
#[bundle(what = "unpacked number")]
pub struct Unpacked {
    /// its sign bit
    sign: bool,
    /// exponent of the leading one, two's complement, -149 to 127; without meaning for zero,
    /// infinity and NaN
    exponent: Bits<10>,
    /// significand, bit 23 set; without meaning for zero, infinity and NaN
    significand: Bits<24>,
    /// it is a zero
    zero: bool,
    /// it is an infinity
    infinite: bool,
    /// it is a NaN
    nan: bool,
}

/// Where a division is.
#[bundle(what = "step of a division")]
pub struct DivisionStep {
    /// first remainder, units of 2^-24
    remainder: Bits<27>,
    /// first subtrahend, units of 2^-24
    subtrahend: Bits<26>,
    /// weight of the first digit in a root, units of 2^-24; 0 in a division
    place: Bits<24>,
    /// exponent of the result's leading one
    exponent: Bits<10>,
    /// what the result is: a `Quotient`
    kind: Bits<4>,
}

/// Operands of a multiplication with an addend.
#[bundle(what = "operands")]
pub struct MultiplyOperands {
    /// first factor
    a: Bits<32>,
    /// second factor
    b: Bits<32>,
    /// addend
    c: Bits<32>,
}

/// Operands of the integer side.
#[bundle(what = "operands")]
pub struct ShiftOperands {
    /// operand A
    a: Bits<32>,
    /// operand B
    b: Bits<32>,
    /// operand C
    c: Bits<32>,
}

/// A normalised result that is to be rounded.
#[bundle(what = "unrounded result")]
pub struct Unrounded {
    /// result without rounding
    unrounded: Bits<32>,
    /// the bit below the last place
    guard: bool,
}
