//! The float unit's instructions, for [`super::eval`].
//!
//! Those with one right result (division, root, half precision, normalised integers) are computed
//! here, from `docs/float.md`, with the host's arithmetic and bit operations and not with the
//! golden model's functions: if one of the two is wrong, a folded constant and its unfolded form
//! differ in lockstep. The six approximated ones (FRCP, FRSQ, FEXP2, FLOG2, FSIN, FCOS) are taken
//! from the golden model's `float` module: their result is what a long algorithm with tables gives,
//! and a second copy of that here would be the same text again. So a mistake in one of those six
//! cannot show as a difference between folded and unfolded code; the comparison of the golden model
//! with the RTL and with f64 is what checks them.

use super::float::{canonical, NAN};
use quadlock_golden::float as golden;
use quadlock_isa::kind;

/// The NaN of half precision.
const HALF_NAN: u32 = 0x7E00;

/// Result of an instruction of half precision or normalised integers.
pub fn format(op: kind::Format, a: u32, b: u32) -> u32 {
    use kind::Format as Op;
    let x = f32::from_bits(a);
    match op {
        Op::PkF16 => to_half(a) | to_half(b) << 16,
        Op::UpkF16 => from_half(a),
        Op::F2UN8 => encode(x, 0.0, 255.0),
        Op::F2UN16 => encode(x, 0.0, 65535.0),
        Op::F2SN8 => encode(x, -1.0, 127.0) & 0xFF,
        Op::F2SN16 => encode(x, -1.0, 32767.0) & 0xFFFF,
        Op::UN2F8 => canonical(f32::from(a as u8) / 255.0),
        Op::UN2F16 => canonical(f32::from(a as u16) / 65535.0),
        Op::SN2F8 => canonical((f32::from(a as i8) / 127.0).max(-1.0)),
        Op::SN2F16 => canonical((f32::from(a as i16) / 32767.0).max(-1.0)),
    }
}

/// Result of an instruction of the function unit.
pub fn function(op: kind::Function, a: u32, b: u32) -> u32 {
    use kind::Function as Op;
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    match op {
        Op::FDiv => canonical(x / y),
        Op::FSqrt => canonical(x.sqrt()),
        Op::FRcp => golden::rcp(a),
        Op::FRsq => golden::rsqrt(a),
        Op::FExp2 => golden::exp2(a),
        Op::FLog2 => golden::log2(a),
        Op::FSin => golden::sin(a),
        Op::FCos => golden::cos(a),
    }
}

/// floor(1/2 + scale * x) with x held in [least, 1]; f64 holds the product (24 + 16 bits) and the
/// sum exactly. A NaN stays one and the cast makes it 0.
fn encode(x: f32, least: f64, scale: f64) -> u32 {
    (0.5 + scale * f64::from(x).clamp(least, 1.0)).floor() as i32 as u32
}

/// f32 to f16, round to nearest even.
fn to_half(bits: u32) -> u32 {
    let magnitude = bits & 0x7FFF_FFFF;
    let number = match magnitude {
        0x7F80_0001.. => return HALF_NAN,
        // From 65520 on: infinity.
        0x477F_F000.. => 0x7C00,
        // From 2^-14 on: half a unit less a bit, one more if the unit's bit is odd; the carry runs
        // into the exponent, whose bias becomes 15.
        0x3880_0000.. => (magnitude - (112 << 23) + 0xFFF + (magnitude >> 13 & 1)) >> 13,
        // Below: the sum with 1/2 has the unit 2^-24, which is that of subnormal f16.
        _ => (f32::from_bits(magnitude) + 0.5).to_bits() - 0.5f32.to_bits(),
    };
    number | bits >> 16 & 0x8000
}

/// The f16 in bits 15:0 to f32: its fields in those of an f32, times the difference of the biases.
fn from_half(half: u32) -> u32 {
    let number = match half & 0x7FFF {
        0x7C01.. => return NAN,
        0x7C00 => f32::INFINITY.to_bits(),
        magnitude => (f32::from_bits(magnitude << 13) * 2f32.powi(112)).to_bits(),
    };
    number | (half & 0x8000) << 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::eval::eval;
    use quadlock_isa::Op;

    /// The page's vectors, the exact operations' and the others'.
    #[test]
    fn stated_vectors() {
        let ops = [
            ("div", Op::FDiv),
            ("sqrt", Op::FSqrt),
            ("fract", Op::FFract),
            ("floor", Op::FFloor),
            ("ceil", Op::FCeil),
            ("trunc", Op::FTrunc),
            ("round_even", Op::FRne),
            ("pack2x16float", Op::PkF16),
            ("f32_to_f16", Op::PkF16),
            ("f16_to_f32", Op::UpkF16),
            ("unorm8_encode", Op::F2UN8),
            ("unorm16_encode", Op::F2UN16),
            ("snorm8_encode", Op::F2SN8),
            ("snorm16_encode", Op::F2SN16),
            ("unorm8_decode", Op::UN2F8),
            ("unorm16_decode", Op::UN2F16),
            ("snorm8_decode", Op::SN2F8),
            ("snorm16_decode", Op::SN2F16),
            ("rcp", Op::FRcp),
            ("rsqrt", Op::FRsq),
            ("exp2", Op::FExp2),
            ("log2", Op::FLog2),
            ("sin", Op::FSin),
            ("cos", Op::FCos),
        ];
        let mut counts = [0; 24];
        for line in include_str!("../../../../docs/float/vectors.csv").lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let hex = |i: usize| u32::from_str_radix(fields[i], 16).ok();
            let i = ops.iter().position(|(name, _)| *name == fields[0]).unwrap_or_else(|| panic!("{line}"));
            counts[i] += 1;
            let seen = eval(ops[i].1, &[hex(1).unwrap(), hex(2).unwrap_or(0)]);
            assert_eq!(seen, hex(3), "{line}: {seen:08X?}");
        }
        assert!(counts.iter().all(|&n| n >= 40), "{counts:?}");
    }

    /// All half-precision numbers there and back, and what lies on, below and above the middle
    /// between two neighbours.
    #[test]
    fn half_precision_rounds_to_the_nearest() {
        for half in 0..0x1_0000u32 {
            let x = from_half(half);
            let nan = half & 0x7FFF > 0x7C00;
            assert_eq!(to_half(x), if nan { HALF_NAN } else { half }, "{half:04X}");
            // Finite ones below the largest: the tie with the next magnitude.
            if half & 0x7FFF < 0x7BFF {
                let tie = ((f32::from_bits(x) + f32::from_bits(from_half(half + 1))) * 0.5).to_bits();
                assert_eq!([to_half(tie - 1), to_half(tie), to_half(tie + 1)], [half, half + (half & 1), half + 1]);
            }
        }
    }
}
