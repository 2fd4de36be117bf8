//! Half precision and the normalised integer formats (`pack2x16float`, unorm, snorm), written from
//! their definitions.
//!
//! Every step below is exact in f64 except the one rounding that the definition has, so the code
//! reads like the definition: scale by a power of two and round to an integer (f16),
//! `floor(0.5 + scale * clamp(x))` (encode), divide (decode). Wrong if a product needed more than
//! 53 bits: the widest is 24 + 16. A NaN encodes as 0.

use super::nan::{NAN, NAN16};

/// f32 to f16, round to nearest even, in the low 16 bits: subnormals kept, overflow (from 65520 on)
/// to infinity.
pub fn f32_to_f16(bits: u32) -> u32 {
    let value = f64::from(f32::from_bits(bits));
    if value.is_nan() {
        return NAN16;
    }
    let sign = bits >> 16 & 0x8000;
    let magnitude = value.abs();
    if magnitude >= 65520.0 {
        return sign | 0x7C00;
    }
    // The unit in the last place: 2^(exponent - 10), no less than 2^-24.
    let exponent = (bits >> 23 & 0xFF) as i32 - 127;
    let log2_unit = (exponent - 10).max(-24);
    let units = (magnitude * 2f64.powi(-log2_unit)).round_ties_even() as u32;
    // Numbers of a sign are consecutive integers; 1024 units begin the next binade (or the first
    // normal one).
    sign + ((log2_unit + 24) as u32) * 1024 + units
}

/// f16 in the low 16 bits to f32, exact; the upper 16 bits are ignored.
pub fn f16_to_f32(bits: u32) -> u32 {
    let (exponent, mantissa) = (bits >> 10 & 31, f64::from(bits & 0x3FF));
    let magnitude = match exponent {
        31 if mantissa != 0.0 => return NAN,
        31 => f64::INFINITY,
        0 => mantissa * 2f64.powi(-24),
        e => (1024.0 + mantissa) * 2f64.powi(e as i32 - 25),
    };
    (magnitude as f32).to_bits() | (bits & 0x8000) << 16
}

/// Two f32 to two f16: `low` in bits 15 to 0, `high` in bits 31 to 16.
pub fn pack2x16float(low: u32, high: u32) -> u32 {
    f32_to_f16(low) | f32_to_f16(high) << 16
}

/// floor(0.5 + scale * clamp(x, least, 1)) of the real numbers, NaN as 0.
fn encode(bits: u32, scale: f64, least: f64) -> i32 {
    let value = f64::from(f32::from_bits(bits));
    if value.is_nan() {
        return 0;
    }
    (0.5 + scale * value.clamp(least, 1.0)).floor() as i32
}

/// f32 to 8-bit unorm: floor(0.5 + 255 * clamp(x, 0, 1)).
pub fn unorm8_encode(bits: u32) -> u32 {
    encode(bits, 255.0, 0.0) as u32
}

/// f32 to 16-bit unorm: floor(0.5 + 65535 * clamp(x, 0, 1)).
pub fn unorm16_encode(bits: u32) -> u32 {
    encode(bits, 65535.0, 0.0) as u32
}

/// f32 to 8-bit snorm, two's complement in the low 8 bits, zeros above: floor(0.5 + 127 *
/// clamp(x, -1, 1)).
pub fn snorm8_encode(bits: u32) -> u32 {
    encode(bits, 127.0, -1.0) as u32 & 0xFF
}

/// f32 to 16-bit snorm, two's complement in the low 16 bits, zeros above: floor(0.5 + 32767 *
/// clamp(x, -1, 1)).
pub fn snorm16_encode(bits: u32) -> u32 {
    encode(bits, 32767.0, -1.0) as u32 & 0xFFFF
}

/// x/255 of the low 8 bits, rounded to nearest even.
pub fn unorm8_decode(bits: u32) -> u32 {
    ((bits & 0xFF) as f32 / 255.0).to_bits()
}

/// x/65535 of the low 16 bits, rounded to nearest even.
pub fn unorm16_decode(bits: u32) -> u32 {
    ((bits & 0xFFFF) as f32 / 65535.0).to_bits()
}

/// max(x/127, -1) of the low 8 bits as two's complement, rounded to nearest even.
pub fn snorm8_decode(bits: u32) -> u32 {
    (f32::from(bits as u8 as i8) / 127.0).max(-1.0).to_bits()
}

/// max(x/32767, -1) of the low 16 bits as two's complement, rounded to nearest even.
pub fn snorm16_decode(bits: u32) -> u32 {
    (f32::from(bits as u16 as i16) / 32767.0).max(-1.0).to_bits()
}
