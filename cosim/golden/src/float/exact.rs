//! Division, square root and the roundings to an integral value: the host's IEEE operation, with
//! the machine's one NaN.
//!
//! There is nothing to choose but the NaN and `fract`. Wrong if the host's f32 is not IEEE 754 with
//! subnormals (every target of this project is); `tests/float_exact.rs` compares with
//! `rustc_apfloat`.

use super::nan::NAN;

/// The bits of a result, with the machine's one NaN. The barrier is needed: LLVM takes the sign and
/// payload of a computed NaN for arbitrary, and where this function is inlined it removes the
/// replacement (seen with `sqrt`, Rust 1.95, x86-64).
pub(crate) fn bits(value: f32) -> u32 {
    let bits = std::hint::black_box(value.to_bits());
    if bits & 0x7FFF_FFFF > 0x7F80_0000 {
        NAN
    } else {
        bits
    }
}

/// a / b, round to nearest even.
pub fn div(a: u32, b: u32) -> u32 {
    bits(f32::from_bits(a) / f32::from_bits(b))
}

/// Square root, round to nearest even; sqrt(-0) is -0.
pub fn sqrt(a: u32) -> u32 {
    bits(f32::from_bits(a).sqrt())
}

/// Largest integral value not above a; keeps the sign of zero.
pub fn floor(a: u32) -> u32 {
    bits(f32::from_bits(a).floor())
}

/// Smallest integral value not below a; -0 for a in (-1, -0].
pub fn ceil(a: u32) -> u32 {
    bits(f32::from_bits(a).ceil())
}

/// Integral part; keeps the sign, also of a zero result.
pub fn trunc(a: u32) -> u32 {
    bits(f32::from_bits(a).trunc())
}

/// Nearest integral value, ties to even; keeps the sign, also of a zero result.
pub fn round_even(a: u32) -> u32 {
    bits(f32::from_bits(a).round_ties_even())
}

/// a - floor(a), rounded to nearest even: in [0, 1], and 1 for a in [-2^-25, 0). Zero results
/// are +0, infinities give NaN.
pub fn fract(a: u32) -> u32 {
    let value = f32::from_bits(a);
    bits(value - value.floor())
}
