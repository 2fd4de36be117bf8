//! The exact float operations against `rustc_apfloat`, and the normalised formats against rational
//! arithmetic.
//!
//! Operands are every combination of corner exponents and mantissas plus seeded random bits. Wrong
//! if `rustc_apfloat` and the host err alike; they have no code in common.

use quadlock_golden::float as f;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_apfloat::ieee::{Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

type Function = fn(u32) -> u32;

/// Corner exponents and mantissas of both signs, then random bits.
fn operands(random: usize) -> Vec<u32> {
    let exponents = [
        0, 1, 2, 64, 101, 102, 103, 112, 113, 114, 125, 126, 127, 128, 141, 142, 143, 149, 150, 151, 190, 253, 254, 255,
    ];
    let mantissas = [
        0, 1, 2, 0xFFF, 0x1000, 0x1001, 0x2000, 0x3000, 0x3FFFFF, 0x400000, 0x400001, 0x7FEFFF, 0x7FF000, 0x7FFFFE,
        0x7FFFFF,
    ];
    let mut all = Vec::new();
    for exponent in exponents {
        for mantissa in mantissas {
            all.extend([exponent << 23 | mantissa, 1 << 31 | exponent << 23 | mantissa]);
        }
    }
    let mut rng = ChaCha8Rng::seed_from_u64(0xF10A7);
    all.extend((0..random).map(|_| rng.random::<u32>()));
    all
}

fn single(bits: u32) -> Single {
    Single::from_bits(bits.into())
}

/// The bits, with the machine's one NaN.
fn bits(value: Single) -> u32 {
    if value.is_nan() {
        f::NAN
    } else {
        value.to_bits() as u32
    }
}

#[test]
fn division_is_correctly_rounded() {
    let corners = operands(0);
    let check = |a, b| assert_eq!(f::div(a, b), bits((single(a) / single(b)).value), "{a:08x} / {b:08x}");
    for &a in &corners {
        for &b in &corners {
            check(a, b);
        }
    }
    let random = operands(400_000);
    random.chunks_exact(2).for_each(|pair| check(pair[0], pair[1]));
    for (a, b) in near_ties(100_000) {
        check(a, b);
    }
}

/// Divisions whose quotient is as near to a tie as can be: a * 2^25 = q * b + r with q odd of 25
/// bits (24 and a half) and r = +-1 or +-3. For an odd b and an r there is one q modulo 2^25; it is
/// kept if its top bit is set.
fn near_ties(tries: usize) -> Vec<(u32, u32)> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut pairs = Vec::new();
    for _ in 0..tries {
        let b = rng.random_range(1i64 << 23..1 << 24) | 1;
        // Newton's iteration doubles the correct low bits of 1/b: 3, 6, 12, 24, 48.
        let inverse = (0..4).fold(b, |x, _| x.wrapping_mul(2 - b.wrapping_mul(x)));
        for r in [1, -1, 3, -3] {
            let q = inverse.wrapping_mul(-r) & ((1 << 25) - 1);
            if q >> 24 == 1 {
                let a = (q * b + r) >> 25;
                pairs.push(((a as f32).to_bits(), (b as f32).to_bits()));
            }
        }
    }
    assert!(pairs.len() > tries, "about half of the candidates are of use");
    pairs
}

/// rustc_apfloat has no square root: the candidate r is right if x lies between the squares of its
/// rounding boundaries.
#[test]
fn square_root_is_correctly_rounded() {
    for x in operands(200_000) {
        let r = f::sqrt(x);
        if x & 0x7FFF_FFFF > 0x7F80_0000 || x >> 31 == 1 && x != 0x8000_0000 {
            assert_eq!(r, f::NAN, "{x:08x}");
        } else if x & 0x7FFF_FFFF == 0 || x == 0x7F80_0000 {
            assert_eq!(r, x);
        } else {
            // Results are normal numbers: significand s, boundaries (2s - 1)/2 and (2s + 1)/2. All
            // in integers, scaled alike.
            let (s, k) = (u128::from(r & 0x7F_FFFF | 1 << 23), (r >> 23) as i32 - 150);
            let (m, e) = if x >> 23 == 0 { (x, -149) } else { (x & 0x7F_FFFF | 1 << 23, (x >> 23) as i32 - 150) };
            // x = m * 2^e against ((2s +- 1) * 2^(k - 1))^2.
            let shift = e - (2 * k - 2);
            assert!((0..60).contains(&shift), "{x:08x}: {r:08x} is of another magnitude");
            let scaled = u128::from(m) << shift;
            assert!((2 * s - 1).pow(2) < scaled && scaled < (2 * s + 1).pow(2), "{x:08x}: {r:08x}");
        }
    }
}

#[test]
fn roundings_to_integral_values() {
    let pairs: [(Function, Round); 4] = [
        (f::floor, Round::TowardNegative),
        (f::ceil, Round::TowardPositive),
        (f::trunc, Round::TowardZero),
        (f::round_even, Round::NearestTiesToEven),
    ];
    for a in operands(200_000) {
        for (function, round) in pairs {
            assert_eq!(function(a), bits(single(a).round_to_integral(round).value), "{a:08x} {round:?}");
        }
        let floor = single(a).round_to_integral(Round::TowardNegative).value;
        assert_eq!(f::fract(a), bits((single(a) - floor).value), "fract {a:08x}");
    }
}

#[test]
fn fract_reaches_one_below_zero_and_nowhere_else() {
    assert_eq!(f::fract(0xB300_0000), 0x3F80_0000, "-2^-25");
    assert_eq!(f::fract(0x8000_0001), 0x3F80_0000, "the smallest negative number");
    assert_eq!(f::fract(0xB300_0001), 0x3F7F_FFFF, "just below -2^-25");
    for zero in [0x8000_0000, 0xBF80_0000, 0x4B00_0001] {
        assert_eq!(f::fract(zero), 0, "{zero:08x}");
    }
}

#[test]
fn half_precision_both_ways() {
    for a in operands(500_000) {
        let half: Half = single(a).convert(&mut false).value;
        let expected = if half.is_nan() { f::NAN16 } else { half.to_bits() as u32 };
        assert_eq!(f::f32_to_f16(a), expected, "{a:08x}");
    }
    for a in 0..1 << 16 {
        let wide: Single = Half::from_bits(a.into()).convert(&mut false).value;
        assert_eq!(f::f16_to_f32(a), bits(wide), "{a:04x}");
        assert_eq!(f::f16_to_f32(a | 0xABCD_0000), bits(wide), "the upper half is ignored");
    }
    assert_eq!(f::pack2x16float(0x3F80_0000, 0xC000_0000), 0xC000_3C00);
}

/// floor(1/2 + scale * clamp(x)) in integers: x = +-m * 2^-t.
fn encoded(x: u32, scale: i128, signed: bool) -> i128 {
    let (negative, exponent, mantissa) = (x >> 31 == 1, (x >> 23 & 255) as i32, i128::from(x & 0x7F_FFFF));
    let nan = exponent == 255 && mantissa != 0;
    if nan || negative && !signed {
        return 0;
    }
    let sign = if negative { -1 } else { 1 };
    if exponent >= 127 {
        return sign * scale;
    }
    let m = if exponent == 0 { mantissa } else { mantissa | 1 << 23 };
    let t = 150 - exponent.max(1);
    // Below 2^-60 only the sign could matter, and 1/2 hides it.
    if t > 90 {
        return 0;
    }
    (sign * m * scale * 2 + (1 << t)) >> (t + 1)
}

#[test]
fn normalised_formats_encode_as_defined() {
    for x in operands(500_000) {
        assert_eq!(i128::from(f::unorm8_encode(x)), encoded(x, 255, false), "{x:08x}");
        assert_eq!(i128::from(f::unorm16_encode(x)), encoded(x, 65535, false), "{x:08x}");
        assert_eq!(f::snorm8_encode(x), encoded(x, 127, true) as u32 & 0xFF, "{x:08x}");
        assert_eq!(f::snorm16_encode(x), encoded(x, 32767, true) as u32 & 0xFFFF, "{x:08x}");
    }
    // Ties go up: -1/254 is not an f32, -1/2 is, and 127 * -1/2 + 1/2 = -63 exactly.
    assert_eq!(f::snorm8_encode((-0.5f32).to_bits()), (-63i32 & 0xFF) as u32);
    assert_eq!(f::unorm8_encode(0.5f32.to_bits()), 128);
}

#[test]
fn normalised_formats_decode_and_return() {
    let quotient = |n: i128, d: i128| bits((Single::from_i128(n).value / Single::from_i128(d).value).value);
    for n in 0..1u32 << 16 {
        let (n8, n16) = (i128::from(n as i8), i128::from(n as i16));
        assert_eq!(f::unorm8_decode(n), quotient(i128::from(n & 255), 255), "{n}");
        assert_eq!(f::unorm16_decode(n), quotient(i128::from(n), 65535), "{n}");
        assert_eq!(f::snorm8_decode(n), quotient(n8.max(-127), 127), "{n}");
        assert_eq!(f::snorm16_decode(n), quotient(n16.max(-32767), 32767), "{n}");
        assert_eq!(f::unorm8_encode(f::unorm8_decode(n)), n & 255, "decode then encode is the identity");
        assert_eq!(f::unorm16_encode(f::unorm16_decode(n)), n);
        assert_eq!(f::snorm8_encode(f::snorm8_decode(n)), n8.max(-127) as u32 & 255);
        assert_eq!(f::snorm16_encode(f::snorm16_decode(n)), n16.max(-32767) as u32 & 0xFFFF);
    }
}
