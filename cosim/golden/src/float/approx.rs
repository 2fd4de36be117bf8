//! rcp, rsqrt, exp2, log2, sin and cos, bit for bit as `docs/float.md` states them.
//!
//! All six are one scheme: reduce the argument to an interval and a signed offset `d`, evaluate the
//! interval's quadratic in fixed point, for log2, sin and cos multiply by the reduced argument, and
//! round once. The final rounding is the host's f64 to f32 conversion: every value here has fewer
//! than 53 significant bits, so it is the IEEE rounding of the stated fixed-point value. Wrong
//! where a width or a truncation differs from the page: the RTL is compared over the whole reduced
//! range.

use super::nan::NAN;
use super::table::Table;

/// Bits of 2/pi after the binary point, most significant first.
pub const TWO_OVER_PI: [u64; 3] = [0xA2F9_836E_4E44_1529, 0xFC27_57D1_F534_DDC0, 0xDB62_9599_3C43_9041];

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7F80_0000;
const ONE: u32 = 0x3F80_0000;

/// A finite f32: (-1)^negative * significand * 2^(exponent - 23), significand in [2^23, 2^24),
/// or 0.
struct Parts {
    negative: bool,
    exponent: i32,
    significand: i64,
}

impl Parts {
    /// The 23 bits after the leading one.
    fn mantissa(&self) -> i64 {
        self.significand & 0x7F_FFFF
    }
}

fn parts(bits: u32) -> Parts {
    let magnitude = bits & !SIGN;
    let (field, mantissa) = ((magnitude >> 23) as i32, i64::from(magnitude & 0x7F_FFFF));
    let negative = bits & SIGN != 0;
    if field != 0 {
        return Parts { negative, exponent: field - 127, significand: mantissa | 1 << 23 };
    }
    // Subnormal: shift the leading one up to bit 23.
    let shift = (mantissa.leading_zeros() as i32 - 40).min(23);
    Parts { negative, exponent: -126 - shift, significand: mantissa << shift }
}

fn is_nan(bits: u32) -> bool {
    bits & !SIGN > INFINITY
}

/// (-1)^negative * magnitude * 2^exponent, rounded to nearest even. The magnitude is below 2^53 and
/// the exponent above -300.
fn round(negative: bool, magnitude: i64, exponent: i32) -> u32 {
    debug_assert!((0..1 << 53).contains(&magnitude) && exponent > -300);
    let scale = f64::from_bits(((1023 + exponent) as u64) << 52);
    let value = (magnitude as f64 * scale) as f32;
    value.to_bits() | u32::from(negative) << 31
}

/// The quadratic of interval `i` at the offset `d`, a signed 22-bit number (delta * 2^21); units of
/// 2^-28.
fn quadratic(table: Table, i: i64, d: i64) -> i64 {
    debug_assert!((-(1 << 21)..1 << 21).contains(&d));
    let c = table.coefficients()[i as usize];
    let top = d >> 5;
    let square = (top * top) >> 16;
    c.c0 + ((c.c1 * d) >> 21) + ((c.c2 * square) >> 16)
}

/// Interval and offset of a 23-bit mantissa: 7 bits of index, 16 bits of offset moved up to 22
/// bits.
fn split_mantissa(mantissa: i64) -> (i64, i64) {
    (mantissa >> 16, ((mantissa & 0xFFFF) << 6) - (1 << 21))
}

/// A times the quadratic, A in units of 2^-30 (or as the caller scales it), truncated to units of
/// 2^-30.
fn multiply(a: i64, y: i64) -> i64 {
    debug_assert!((0..1 << 30).contains(&a) && (0..1 << 30).contains(&y));
    (a * y) >> 28
}

/// 1/x. Exact for powers of two; +-0 gives +-infinity and the reverse.
pub fn rcp(bits: u32) -> u32 {
    let sign = bits & SIGN;
    match bits & !SIGN {
        0 => return sign | INFINITY,
        INFINITY => return sign,
        _ if is_nan(bits) => return NAN,
        _ => {}
    }
    let x = parts(bits);
    let (i, d) = split_mantissa(x.mantissa());
    round(x.negative, quadratic(Table::Rcp, i, d), -28 - x.exponent)
}

/// 1/sqrt(x). Exact for even powers of two; +-0 gives +-infinity, anything else negative is NaN.
pub fn rsqrt(bits: u32) -> u32 {
    match bits {
        0 | SIGN => return bits | INFINITY,
        INFINITY => return 0,
        _ if is_nan(bits) || bits & SIGN != 0 => return NAN,
        _ => {}
    }
    let x = parts(bits);
    let (i, d) = split_mantissa(x.mantissa());
    let odd = x.exponent & 1;
    round(false, quadratic(Table::Rsqrt, i | i64::from(odd) << 7, d), -28 - ((x.exponent - odd) >> 1))
}

/// 2^x. Exact for integers; 128 and above give infinity, -150 and below +0.
pub fn exp2(bits: u32) -> u32 {
    match bits {
        _ if is_nan(bits) => return NAN,
        0 | SIGN => return ONE,
        _ => {}
    }
    let value = f32::from_bits(bits);
    if value >= 128.0 {
        return INFINITY;
    }
    if value <= -150.0 {
        return 0;
    }
    let x = parts(bits);
    let signed = if x.negative { -x.significand } else { x.significand };
    // floor(x * 2^27): 9 bits of signed integer, 27 of fraction.
    let shift = x.exponent + 4;
    let fixed = if shift >= 0 { signed << shift } else { signed >> (-shift).min(63) };
    let fraction = fixed & ((1 << 27) - 1);
    // The offset ends in a constant 1, half of what the floor may have dropped.
    let d = ((fraction & ((1 << 21) - 1)) << 1 | 1) - (1 << 21);
    round(false, quadratic(Table::Exp2, fraction >> 21, d), (fixed >> 27) as i32 - 28)
}

/// log2(x). Exact for powers of two; +-0 gives -infinity, anything else negative is NaN.
pub fn log2(bits: u32) -> u32 {
    match bits {
        0 | SIGN => return SIGN | INFINITY,
        INFINITY => return INFINITY,
        _ if is_nan(bits) || bits & SIGN != 0 => return NAN,
        _ => {}
    }
    let x = parts(bits);
    let (i, d) = split_mantissa(x.mantissa());
    // Above 1.5 the mantissa is halved, so that the logarithm of the remaining factor is at most
    // 0.585 either way.
    let upper = i >= 64;
    let exponent = x.exponent + i32::from(upper);
    // |m - 1| in units of 2^-30.
    let distance = if upper { ((1 << 23) - x.mantissa()) << 6 } else { x.mantissa() << 7 };
    let y = quadratic(Table::Log2, i, d);
    if exponent == 0 && distance != 0 {
        // Alone, the product needs relative accuracy: move the factor's leading one to bit 29.
        let shift = distance.leading_zeros() as i32 - 34;
        return round(upper, multiply(distance << shift, y), -30 - shift);
    }
    let product = multiply(distance, y);
    let sum = (i64::from(exponent) << 30) + if upper { -product } else { product };
    round(sum < 0, sum.abs(), -30)
}

/// 54 bits of 2/pi from the bit of weight 2^-first on; bits of weight 1 and above are zero.
fn window(first: i32) -> i64 {
    // A limb of zeros stands before the binary point.
    let [a, b, c] = TWO_OVER_PI;
    let limbs = [0, a, b, c, 0];
    let Ok(offset) = usize::try_from(first + 63) else {
        return 0;
    };
    let pair = u128::from(limbs[offset / 64]) << 64 | u128::from(limbs[offset / 64 + 1]);
    (pair << (offset % 64) >> 74) as i64
}

/// sin(x), x in radians. NaN for an infinity; x itself below 2^-12.
pub fn sin(bits: u32) -> u32 {
    if bits & !SIGN >= INFINITY {
        return NAN;
    }
    let exponent = ((bits & !SIGN) >> 23) as i32 - 127;
    if exponent < -12 {
        return bits;
    }
    let x = parts(bits);
    if exponent >= -1 {
        return octants(&x, 0, x.negative);
    }
    // Below 1/2: the phase as a 30-bit number with its own exponent, which keeps relative accuracy.
    let a = (x.significand * window(-23)) >> 24;
    let u = a >> -exponent;
    round(x.negative, multiply(a, circle(Table::Sin, u)), exponent - 29)
}

/// cos(x), x in radians. NaN for an infinity.
pub fn cos(bits: u32) -> u32 {
    if bits & !SIGN >= INFINITY {
        return NAN;
    }
    octants(&parts(bits), 1, false)
}

/// The sine of |x| plus `turn` quadrants, negated if `negative`.
fn octants(x: &Parts, turn: i64, negative: bool) -> u32 {
    // 2 bits of quadrant, 52 of fraction; the product is taken modulo 2^54.
    let phase = x.significand.wrapping_mul(window(x.exponent - 24)) & ((1 << 54) - 1);
    let quadrant = (phase >> 52) + turn;
    let fraction = phase >> 22 & ((1 << 30) - 1);
    let upper = fraction >> 29;
    let a = if upper == 1 { fraction ^ ((1 << 30) - 1) } else { fraction };
    let sum = if (quadrant & 1) ^ upper == 0 {
        multiply(a, circle(Table::Sin, a >> 1))
    } else {
        (1 << 30) - multiply(a, circle(Table::Cos, a >> 1))
    };
    round(negative ^ (quadrant & 2 != 0), sum, -30)
}

/// A table of the circle at u, 29 fraction bits, u < 1/2.
fn circle(table: Table, u: i64) -> i64 {
    quadratic(table, u >> 22, (u & ((1 << 22) - 1)) - (1 << 21))
}
