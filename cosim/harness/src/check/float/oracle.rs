//! The exact results. Arithmetic, comparison, conversion and rounding are `rustc_apfloat`'s; it has
//! no square root and no normalised formats, which are done here in integers, from their
//! definitions in docs/float.md. Nothing here uses the host's float arithmetic, the golden model or
//! the RTL. Wrong where `rustc_apfloat` is, or where a rule of the machine (the one NaN, signs of
//! zero in min and max) was misread.

use std::cmp::Ordering;

use rustc_apfloat::ieee::{Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

/// The one NaN of the machine.
pub const NAN: u32 = 0x7FC0_0000;
const NAN16: u32 = 0x7E00;
const INFINITY: u32 = 0x7F80_0000;
const SIGN: u32 = 0x8000_0000;
const FRACTION: u32 = 0x007F_FFFF;

fn single(bits: u32) -> Single {
    Single::from_bits(bits.into())
}

/// The bits, with the machine's one NaN.
fn bits(value: Single) -> u32 {
    match value.is_nan() {
        true => NAN,
        false => value.to_bits() as u32,
    }
}

fn compare([a, b, _]: [u32; 3], holds: fn(Option<Ordering>) -> bool) -> u32 {
    holds(single(a).partial_cmp(&single(b))).into()
}

pub(crate) fn equal(v: [u32; 3]) -> u32 {
    compare(v, |o| o == Some(Ordering::Equal))
}

pub(crate) fn not_equal(v: [u32; 3]) -> u32 {
    compare(v, |o| o != Some(Ordering::Equal))
}

pub(crate) fn less(v: [u32; 3]) -> u32 {
    compare(v, |o| o == Some(Ordering::Less))
}

pub(crate) fn less_equal(v: [u32; 3]) -> u32 {
    compare(v, |o| matches!(o, Some(Ordering::Less | Ordering::Equal)))
}

pub(crate) fn greater(v: [u32; 3]) -> u32 {
    compare(v, |o| o == Some(Ordering::Greater))
}

pub(crate) fn greater_equal(v: [u32; 3]) -> u32 {
    compare(v, |o| matches!(o, Some(Ordering::Greater | Ordering::Equal)))
}

pub(crate) fn add([a, b, _]: [u32; 3]) -> u32 {
    bits((single(a) + single(b)).value)
}

pub(crate) fn sub([a, b, _]: [u32; 3]) -> u32 {
    bits((single(a) - single(b)).value)
}

pub(crate) fn mul([a, b, _]: [u32; 3]) -> u32 {
    bits((single(a) * single(b)).value)
}

pub(crate) fn div([a, b, _]: [u32; 3]) -> u32 {
    bits((single(a) / single(b)).value)
}

pub(crate) fn fma([a, b, c]: [u32; 3]) -> u32 {
    bits(single(a).mul_add(single(b), single(c)).value)
}

pub(crate) fn fnma([a, b, c]: [u32; 3]) -> u32 {
    fma([a ^ SIGN, b, c])
}

/// A NaN loses against a number; -0 is below +0.
fn extreme([a, b, _]: [u32; 3], choose: fn(Single, Single) -> Single) -> u32 {
    let (x, y) = (single(a), single(b));
    match (x.is_nan(), y.is_nan()) {
        (true, _) => bits(y),
        (_, true) => bits(x),
        _ => bits(choose(x, y)),
    }
}

pub(crate) fn min(v: [u32; 3]) -> u32 {
    extreme(v, Single::minimum)
}

pub(crate) fn max(v: [u32; 3]) -> u32 {
    extreme(v, Single::maximum)
}

fn integral(a: u32, round: Round) -> Single {
    single(a).round_to_integral(round).value
}

pub(crate) fn floor([a, ..]: [u32; 3]) -> u32 {
    bits(integral(a, Round::TowardNegative))
}

pub(crate) fn ceil([a, ..]: [u32; 3]) -> u32 {
    bits(integral(a, Round::TowardPositive))
}

pub(crate) fn trunc([a, ..]: [u32; 3]) -> u32 {
    bits(integral(a, Round::TowardZero))
}

pub(crate) fn round_even([a, ..]: [u32; 3]) -> u32 {
    bits(integral(a, Round::NearestTiesToEven))
}

pub(crate) fn fract([a, ..]: [u32; 3]) -> u32 {
    bits((single(a) - integral(a, Round::TowardNegative)).value)
}

/// `rustc_apfloat` saturates and gives 0 for a NaN, as the machine does.
pub(crate) fn to_signed([a, ..]: [u32; 3]) -> u32 {
    single(a).to_i128_r(32, Round::TowardZero, &mut true).value as u32
}

pub(crate) fn to_unsigned([a, ..]: [u32; 3]) -> u32 {
    single(a).to_u128_r(32, Round::TowardZero, &mut true).value as u32
}

pub(crate) fn from_signed([a, ..]: [u32; 3]) -> u32 {
    bits(Single::from_i128((a as i32).into()).value)
}

pub(crate) fn from_unsigned([a, ..]: [u32; 3]) -> u32 {
    bits(Single::from_u128(a.into()).value)
}

fn half(a: u32) -> u32 {
    let half: Half = single(a).convert(&mut false).value;
    match half.is_nan() {
        true => NAN16,
        false => half.to_bits() as u32,
    }
}

pub(crate) fn pack_half([a, b, _]: [u32; 3]) -> u32 {
    half(a) | half(b) << 16
}

pub(crate) fn unpack_half([a, ..]: [u32; 3]) -> u32 {
    bits(Half::from_bits((a & 0xFFFF).into()).convert(&mut false).value)
}

/// A finite f32 as (significand, exponent): significand * 2^exponent, sign apart.
fn parts(a: u32) -> (u64, i32) {
    let (exponent, fraction) = ((a >> 23 & 0xFF) as i32, u64::from(a & FRACTION));
    match exponent {
        0 => (fraction, -149),
        e => (fraction | 1 << 23, e - 150),
    }
}

/// The root of an integer with 25 bits, of which the last is the rounding bit. There are no ties:
/// an exact root with that bit set would be an odd number with an even square.
pub(crate) fn sqrt([a, ..]: [u32; 3]) -> u32 {
    match a & !SIGN {
        0 => return a,
        m if m > INFINITY || a & SIGN != 0 => return NAN,
        INFINITY => return a,
        _ => {}
    }
    let (mut m, mut e) = parts(a);
    // To 25 or 26 bits with an even exponent.
    while m < 1 << 24 || e % 2 != 0 {
        m <<= 1;
        e -= 1;
    }
    let root = (m << 24).isqrt();
    let (significand, exponent) = ((root >> 1) + (root & 1), (e - 24) / 2 + 1);
    // A significand rounded up to 2^24 carries into the exponent.
    (((exponent + 150 - 1) as u32) << 23) + significand as u32
}

/// floor(1/2 + scale * clamp(a)), zero for a NaN.
fn encode(a: u32, scale: i128, signed: bool) -> u32 {
    let negative = a & SIGN != 0;
    if a & !SIGN > INFINITY || negative && !signed {
        return 0;
    }
    let sign = if negative { -1 } else { 1 };
    if a & !SIGN >= 0x3F80_0000 {
        return (sign * scale) as u32;
    }
    let (m, e) = parts(a);
    // Below 2^-60 the value only decides the sign of something smaller than 1/2.
    if e < -100 {
        return 0;
    }
    ((sign * i128::from(m) * scale * 2 + (1 << -e)) >> (1 - e)) as u32
}

pub(crate) fn unorm8_encode([a, ..]: [u32; 3]) -> u32 {
    encode(a, 255, false)
}

pub(crate) fn unorm16_encode([a, ..]: [u32; 3]) -> u32 {
    encode(a, 65535, false)
}

pub(crate) fn snorm8_encode([a, ..]: [u32; 3]) -> u32 {
    encode(a, 127, true) & 0xFF
}

pub(crate) fn snorm16_encode([a, ..]: [u32; 3]) -> u32 {
    encode(a, 32767, true) & 0xFFFF
}

/// The f32 nearest to n / scale, ties to even, for |n| up to scale.
fn decode(n: i64, scale: u64) -> u32 {
    let magnitude = n.unsigned_abs().min(scale);
    if magnitude == 0 {
        return 0;
    }
    let mut shift = 0;
    while (magnitude << shift) / scale < 1 << 23 {
        shift += 1;
    }
    let (quotient, rest) = ((magnitude << shift) / scale, (magnitude << shift) % scale);
    let up = match (2 * rest).cmp(&scale) {
        Ordering::Less => 0,
        Ordering::Equal => quotient & 1,
        Ordering::Greater => 1,
    };
    let sign = if n < 0 { SIGN } else { 0 };
    sign | (((150 - 1 - shift) << 23) + (quotient + up) as u32)
}

pub(crate) fn unorm8_decode([a, ..]: [u32; 3]) -> u32 {
    decode((a & 0xFF).into(), 255)
}

pub(crate) fn unorm16_decode([a, ..]: [u32; 3]) -> u32 {
    decode((a & 0xFFFF).into(), 65535)
}

pub(crate) fn snorm8_decode([a, ..]: [u32; 3]) -> u32 {
    decode((a as i8).into(), 127)
}

pub(crate) fn snorm16_decode([a, ..]: [u32; 3]) -> u32 {
    decode((a as i16).into(), 32767)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(oracle: fn([u32; 3]) -> u32, a: f32) -> u32 {
        oracle([a.to_bits(), 0, 0])
    }

    #[test]
    fn roots_of_squares_and_their_neighbours() {
        for (a, root) in [(4.0, 2.0f32), (2.0, std::f32::consts::SQRT_2), (0.25, 0.5)] {
            assert_eq!(one(sqrt, a), root.to_bits(), "{a}");
        }
        assert_eq!(sqrt([1, 0, 0]), 0x1A35_04F3, "the smallest subnormal: 2^-74.5");
        assert_eq!(sqrt([0x3F7F_FFFF, 0, 0]), 0x3F7F_FFFF);
        assert_eq!(sqrt([0x7F7F_FFFF, 0, 0]), 0x5F7F_FFFF);
        assert_eq!((sqrt([SIGN, 0, 0]), sqrt([0x8000_0001, 0, 0]), sqrt([INFINITY, 0, 0])), (SIGN, NAN, INFINITY));
    }

    #[test]
    fn normalised_formats() {
        assert_eq!((one(unorm8_encode, 0.5), one(unorm8_encode, 2.0), one(unorm8_encode, -1.0)), (128, 255, 0));
        assert_eq!((one(snorm8_encode, -0.5), one(snorm8_encode, -9.0)), (-63i32 as u32 & 0xFF, 0x81));
        assert_eq!(one(snorm16_encode, f32::NAN), 0);
        assert_eq!((unorm8_decode([255, 0, 0]), snorm8_decode([0x80, 0, 0])), (0x3F80_0000, 0xBF80_0000));
        assert_eq!(unorm8_decode([0xFF33, 0, 0]), 0.2f32.to_bits(), "51/255, bits above ignored");
        assert_eq!(snorm16_decode([1, 0, 0]), (1.0f32 / 32767.0).to_bits());
    }

    #[test]
    fn numbers_win_in_min_and_max() {
        let (nan, one, zero) = (0xFFFF_FFFF, 0x3F80_0000, 0);
        assert_eq!((min([nan, one, 0]), max([one, nan, 0]), min([nan, nan, 0])), (one, one, NAN));
        assert_eq!((min([zero, SIGN, 0]), max([SIGN, zero, 0])), (SIGN, zero));
    }
}
