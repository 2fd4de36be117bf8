//! The machine's float operations on bits, for formulas that docs/graphics.md writes with them. It
//! is the host's IEEE arithmetic with the machine's one NaN, as of the lanes.

use crate::float::bits;
pub use crate::float::div;

/// FADD.
pub fn add(a: u32, b: u32) -> u32 {
    bits(f32::from_bits(a) + f32::from_bits(b))
}

/// FSUB.
pub fn sub(a: u32, b: u32) -> u32 {
    bits(f32::from_bits(a) - f32::from_bits(b))
}

/// FMUL.
pub fn mul(a: u32, b: u32) -> u32 {
    bits(f32::from_bits(a) * f32::from_bits(b))
}

/// FFMA.
pub fn fma(a: u32, b: u32, c: u32) -> u32 {
    bits(f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c)))
}

/// Whether a < b as floats.
pub fn less(a: u32, b: u32) -> bool {
    f32::from_bits(a) < f32::from_bits(b)
}
