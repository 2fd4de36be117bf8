//! Operand values at which arithmetic goes wrong: ends of integer ranges, single bits, bit-field
//! descriptors, and floating-point numbers around every boundary (zero, subnormal, one, rounding
//! ties, 2^23, 2^31, 2^32, overflow, infinity, NaN).

use rand::Rng;

/// The values; each also occurs with its sign bit flipped, see [`operand`].
pub const CORNERS: &[u32] = &[
    0,
    1,
    2,
    3,
    4,
    7,
    8,
    15,
    16,
    31,
    32,
    33,
    63,
    64,
    0xFF,
    0x100,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x0001_0000,
    0x0001_0001,
    0x00FF_00FF,
    0x5555_5555,
    0x7FFF_FFFE,
    0x7FFF_FFFF,
    // Bit-field descriptors: offset in 4:0, count in 13:8.
    0x0100,
    0x0808,
    0x0810,
    0x101F,
    0x2000,
    0x2001,
    0x3F1F,
    // f32: subnormals.
    0x0000_0001,
    0x0040_0000,
    0x007F_FFFF,
    // Smallest normals, small numbers whose products are subnormal.
    0x0080_0000,
    0x0080_0001,
    0x00FF_FFFF,
    0x1F80_0000,
    0x2000_0001,
    // 2^-25, 2^-24, 2^-23: half units in the last place of one.
    0x3300_0000,
    0x3380_0000,
    0x3380_0001,
    0x3400_0000,
    0x3EAA_AAAB,
    0x3F00_0000,
    0x3F7F_FFFF,
    0x3F80_0000,
    0x3F80_0001,
    0x3F80_0002,
    0x3FC0_0000,
    0x4000_0000,
    0x4040_0000,
    0x4049_0FDB,
    // 2^23 and 2^24: the last fraction bit.
    0x4AFF_FFFF,
    0x4B00_0000,
    0x4B00_0001,
    0x4B7F_FFFF,
    0x4B80_0000,
    // 2^31, 2^32: conversion limits.
    0x4EFF_FFFF,
    0x4F00_0000,
    0x4F7F_FFFF,
    0x4F80_0000,
    0x5F00_0000,
    0x7F00_0000,
    0x7F7F_FFFE,
    0x7F7F_FFFF,
    0x7F80_0000,
    // NaNs: signalling, quiet, with payload.
    0x7F80_0001,
    0x7FBF_FFFF,
    0x7FC0_0000,
    0x7FC1_2345,
];

/// A value to compute with: mostly a corner of either sign, else random bits, a small number or a
/// float of moderate size.
pub fn operand(rng: &mut impl Rng) -> u32 {
    match rng.random_range(0..10) {
        0..=5 => CORNERS[rng.random_range(0..CORNERS.len())] ^ if rng.random_bool(0.4) { 1 << 31 } else { 0 },
        6 => rng.random(),
        7 => rng.random_range(0..64),
        8 => 1 << rng.random_range(0..32),
        _ => (rng.random::<u32>() & 0x807F_FFFF) | rng.random_range(115..140) << 23,
    }
}
