//! The exact results of the operations of one operand once more, quickly enough for all 2^32
//! operands: by shifts and masks of the bits. PK.F16 is among them, its second operand being made
//! from the first ([`second`]). A test compares every vector of level 1 with [`super::oracle`],
//! which takes up to a thousand times as long. Nothing is shared with it, the golden model or the
//! RTL. Wrong where a case of bits was forgotten: at the ends of exponents, where level 1 has
//! corners.
//!
//! The square root is the host's f64 root, rounded to f32. Both roundings together are one: a
//! format of 2 * 24 + 2 = 50 bits or more holds enough of the root of a 24-bit number that no
//! rounding to it can make a tie of 24 bits that is none (Figueroa 1995); f64 has 53.

use quadlock_isa::Op;

use super::op::{FloatOp, Meaning, OPS};
use super::oracle::NAN;

const NAN16: u32 = 0x7E00;
const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7F80_0000;
const ONE: u32 = 0x3F80_0000;
const HALF: u32 = 0x3F00_0000;

/// The second operand that PK.F16 gets beside `a` where all of `a` are run.
pub fn second(op: Op, a: u32) -> u32 {
    match op {
        Op::PkF16 => a.rotate_left(16),
        _ => 0,
    }
}

/// Whether all operands can be run: one, or the second made from it.
pub fn one_operand(op: &FloatOp) -> bool {
    op.operands.count() == 1 || op.op == Op::PkF16
}

/// The operation with the quick result in place of the oracle's, where there is one.
pub fn quick(op: &'static FloatOp) -> &'static FloatOp {
    static QUICK: std::sync::LazyLock<Vec<FloatOp>> = std::sync::LazyLock::new(|| {
        let with = |op: &FloatOp| result(op.op).map(|f| FloatOp { meaning: Meaning::Exact(f), ..*op });
        OPS.iter().filter_map(with).collect()
    });
    QUICK.iter().find(|q| q.op == op.op).unwrap_or(op)
}

type Result3 = fn([u32; 3]) -> u32;

fn result(op: Op) -> Option<Result3> {
    let f: Result3 = match op {
        Op::FFract => |[a, ..]| fract(a),
        Op::F2I => |[a, ..]| to_signed(a),
        Op::F2U => |[a, ..]| to_unsigned(a),
        Op::I2F => |[a, ..]| a & SIGN | round((a as i32).unsigned_abs().into(), 0),
        Op::U2F => |[a, ..]| round(a.into(), 0),
        Op::FFloor => |[a, ..]| integral(a, |negative, rest, _, _| negative && rest != 0),
        Op::FCeil => |[a, ..]| integral(a, |negative, rest, _, _| !negative && rest != 0),
        Op::FTrunc => |[a, ..]| integral(a, |_, _, _, _| false),
        Op::FRne => |[a, ..]| integral(a, |_, rest, half, odd| rest > half || rest == half && odd),
        Op::PkF16 => |[a, b, _]| to_half(a) | to_half(b) << 16,
        Op::UpkF16 => |[a, ..]| from_half(a & 0xFFFF),
        Op::F2UN8 => |[a, ..]| encode(a, 255, false),
        Op::F2UN16 => |[a, ..]| encode(a, 65535, false),
        Op::F2SN8 => |[a, ..]| encode(a, 127, true) & 0xFF,
        Op::F2SN16 => |[a, ..]| encode(a, 32767, true) & 0xFFFF,
        Op::UN2F8 => |[a, ..]| decode((a & 0xFF).into(), 255),
        Op::UN2F16 => |[a, ..]| decode((a & 0xFFFF).into(), 65535),
        Op::SN2F8 => |[a, ..]| decode((a as i8).into(), 127),
        Op::SN2F16 => |[a, ..]| decode((a as i16).into(), 32767),
        Op::FSqrt => |[a, ..]| root(a),
        _ => return None,
    };
    Some(f)
}

/// n * 2^exponent to the nearest f32, ties to even; zero, or a normal number in range.
fn round(n: u64, exponent: i32) -> u32 {
    if n == 0 {
        return 0;
    }
    // The leading one at bit 63: 40 bits below the last place.
    let zeros = n.leading_zeros() as i32;
    let top = n << zeros;
    let (kept, rest) = ((top >> 40) as u32, top & ((1 << 40) - 1));
    let up = rest > 1 << 39 || rest == 1 << 39 && kept & 1 == 1;
    // The leading one of `kept` adds the 1 that the exponent lacks; a carry makes the next binade.
    (((exponent + 63 - zeros + 126) as u32) << 23) + kept + u32::from(up)
}

/// `up`: whether to go to the next magnitude, by sign, what is cut off, half a unit of it, and
/// whether the integer is odd.
fn integral(a: u32, up: impl Fn(bool, u32, u32, bool) -> bool) -> u32 {
    let (negative, m, exponent) = (a & SIGN != 0, a & !SIGN, a >> 23 & 0xFF);
    match exponent {
        _ if m > INFINITY => NAN,
        150.. => a,
        // Numbers are in order as their bits are, so m stands for what is cut off.
        ..127 if up(negative, m, HALF, false) => a & SIGN | ONE,
        ..127 => a & SIGN,
        _ => {
            let unit = 1 << (150 - exponent);
            let rest = a & (unit - 1);
            // The exponent of 1 is odd, as is the hidden bit.
            let odd = a & unit != 0;
            a - rest + if up(negative, rest, unit / 2, odd) { unit } else { 0 }
        }
    }
}

/// Significand with its hidden bit; the number is it * 2^(max(exponent, 1) - 150).
fn significand(a: u32) -> u64 {
    let hidden = if a & INFINITY == 0 { 0 } else { 1 << 23 };
    u64::from(a & 0x007F_FFFF | hidden)
}

fn fract(a: u32) -> u32 {
    let (negative, m, exponent) = (a & SIGN != 0, a & !SIGN, a >> 23 & 0xFF);
    match (negative, exponent) {
        (_, 255) => NAN,
        (_, 150..) => 0,
        (false, ..127) => m,
        _ if m == 0 => 0,
        // Below 2^-25 nearer to 1 than to its neighbour; 2^-25 is a tie, for the rounding.
        (true, ..=101) => ONE,
        (true, ..127) => round((1 << (150 - exponent)) - significand(a), exponent as i32 - 150),
        _ => {
            let unit = 1 << (150 - exponent);
            let rest = u64::from(a & (unit - 1));
            let above = if negative && rest != 0 { u64::from(unit) - rest } else { rest };
            round(above, exponent as i32 - 150)
        }
    }
}

/// Magnitude, cut off; above 2^32 - 1 any number that is.
fn magnitude(a: u32) -> u64 {
    match a >> 23 & 0xFF {
        ..127 => 0,
        e @ 127..150 => significand(a) >> (150 - e),
        e @ 150..160 => significand(a) << (e - 150),
        _ => u64::MAX,
    }
}

fn to_signed(a: u32) -> u32 {
    match a & !SIGN > INFINITY {
        true => 0,
        false if a & SIGN != 0 => (magnitude(a).min(1 << 31) as u32).wrapping_neg(),
        false => magnitude(a).min((1 << 31) - 1) as u32,
    }
}

fn to_unsigned(a: u32) -> u32 {
    match a & !SIGN > INFINITY || a & SIGN != 0 {
        true => 0,
        false => magnitude(a).min(u32::MAX.into()) as u32,
    }
}

fn to_half(a: u32) -> u32 {
    let (sign, m) = (a >> 16 & 0x8000, a & !SIGN);
    let exponent = m >> 23;
    match m {
        _ if m > INFINITY => NAN16,
        // 65520.
        0x477F_F000.. => sign | 0x7C00,
        // 2^-14: normal. Exponents are 112 apart.
        0x3880_0000.. => {
            let moved = m - (112 << 23);
            sign | (moved + 0xFFF + (moved >> 13 & 1)) >> 13
        }
        // Less than half of the smallest, 2^-24.
        _ if exponent < 102 => sign,
        _ => {
            let shift = 126 - exponent;
            let n = significand(a);
            sign | ((n + (1 << (shift - 1)) - 1 + (n >> shift & 1)) >> shift) as u32
        }
    }
}

fn from_half(h: u32) -> u32 {
    let (sign, exponent, fraction) = ((h & 0x8000) << 16, h >> 10 & 31, h & 0x3FF);
    match (exponent, fraction) {
        (31, 0) => sign | INFINITY,
        (31, _) => NAN,
        (0, _) => sign | round(fraction.into(), -24),
        _ => sign | (exponent + 112) << 23 | fraction << 13,
    }
}

fn encode(a: u32, scale: i64, signed: bool) -> u32 {
    let (negative, m) = (a & SIGN != 0, a & !SIGN);
    let sign = if negative { -1 } else { 1 };
    match m {
        _ if m > INFINITY || negative && !signed => 0,
        ONE.. => (sign * scale) as u32,
        // Below 2^-18 less than half a step of any format.
        ..0x3680_0000 => 0,
        _ => {
            let places = 150 - (m >> 23);
            ((sign * significand(a) as i64 * scale * 2 + (1 << places)) >> (places + 1)) as u32
        }
    }
}

fn decode(n: i64, scale: u64) -> u32 {
    let magnitude = n.unsigned_abs().min(scale) << 47;
    // 30 digits or more and one that says whether the rest is zero.
    let (digits, rest) = (magnitude / scale, magnitude % scale);
    let sign = if n < 0 { SIGN } else { 0 };
    sign | round(digits << 1 | u64::from(rest != 0), -48)
}

fn root(a: u32) -> u32 {
    match a {
        SIGN => a,
        ..=INFINITY => (f64::from(f32::from_bits(a)).sqrt() as f32).to_bits(),
        _ => NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::super::cases::{Corners, Level};
    use super::super::plan::{Plan, CHUNK};
    use super::*;

    fn compare(op: &FloatOp, operands: [u32; 3]) {
        let (Meaning::Exact(oracle), Some(quick)) = (op.meaning, result(op.op)) else { panic!("{}", op.name()) };
        assert_eq!(quick(operands), oracle(operands), "{} {operands:08x?}", op.name());
    }

    #[test]
    fn every_vector_of_level_1_is_as_the_oracle_says() {
        let (corners, mut vectors) = (Corners::default(), Vec::new());
        let ops: Vec<_> = OPS.iter().filter(|o| one_operand(o) && matches!(o.meaning, Meaning::Exact(_))).collect();
        assert_eq!(ops.len(), 20);
        for op in ops {
            let plan = Plan::of(op, Level::One, 1);
            for part in 0..plan.parts.len() {
                for chunk in 0..plan.part_len(part, &corners).div_ceil(CHUNK) {
                    plan.fill(part, chunk, 1, &corners, &mut vectors);
                    vectors.iter().for_each(|v| compare(op, v.operands));
                }
            }
            // Both sides of every exponent's ends, and of integers.
            for a in (0..512u32).flat_map(|e| (0..65u32).map(move |k| (e << 23).wrapping_add(k).wrapping_sub(32))) {
                compare(op, [a, second(op.op, a), 0]);
            }
        }
    }

    #[test]
    fn the_quick_results_are_used() {
        let op = FloatOp::by_name("FCEIL").unwrap();
        let (Meaning::Exact(f), Meaning::Exact(oracle)) = (quick(op).meaning, op.meaning) else { panic!() };
        assert!(!std::ptr::fn_addr_eq(f, oracle));
        assert_eq!(quick(FloatOp::by_name("FADD").unwrap()).op, Op::FAdd);
    }
}
