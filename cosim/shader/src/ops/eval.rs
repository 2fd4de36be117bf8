//! The arithmetic of every pure operation of the lane pipeline and the function unit, as the
//! compiler understands it.
//!
//! Shared by constant folding and the SSA interpreter and by nothing else: the golden model and the
//! RTL have their own, so a mistake here shows up in lockstep as a program that computes something
//! else than its unfolded form. The exception are the six approximated functions of the float unit
//! ([`super::float_unit`]). The text of each operation is in the instruction table; NaN results are
//! 0x7FC00000, subnormals are kept, rounding is to nearest even (that of Rust's f32, which is IEEE
//! 754 binary32).

use super::float::{canonical, NAN};
use super::float_unit;
use quadlock_isa::{kind, Kind, Op};

/// Result of `op` on operands A, B, C; missing operands read zero. `None` for what is not a pure
/// function of one lane's operands: MOV and S2R (SSA has its own forms), QSHUF, reductions, scans,
/// ballot and the derivatives (other lanes), and everything outside lane pipeline and function
/// unit.
pub fn eval(op: Op, args: &[u32]) -> Option<u32> {
    let arg = |i: usize| args.get(i).copied().unwrap_or(0);
    let (a, b, c) = (arg(0), arg(1), arg(2));
    Some(match op.kind() {
        Kind::Integer(op) => integer(op, a, b, c),
        Kind::Bits(op) => bits(op, a, b, c),
        Kind::Compare(op) => u32::from(compare(op, a, b)),
        Kind::Float(op) => float(op, a, b, c),
        Kind::Format(op) => float_unit::format(op, a, b),
        Kind::Function(op) => float_unit::function(op, a, b),
        Kind::Move(kind::Move::Sel) => [a, b][usize::from(c == 0)],
        Kind::Move(kind::Move::Mov | kind::Move::S2R | kind::Move::QShuf | kind::Move::Ddx | kind::Move::Ddy) => {
            return None
        }
        Kind::Control(_) | Kind::Message(_) | Kind::Across(_) | Kind::Graphics(_) => return None,
        Kind::Load(_) | Kind::Store(_) | Kind::Atomic(_) | Kind::WarpAtomic(_) => return None,
    })
}

fn integer(op: kind::Integer, a: u32, b: u32, c: u32) -> u32 {
    use kind::Integer as Op;
    match op {
        Op::IAdd => a.wrapping_add(b),
        Op::ISub => a.wrapping_sub(b),
        Op::IMul => a.wrapping_mul(b),
        Op::UMulHi => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        Op::SMulHi => ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32,
        Op::IMad => a.wrapping_mul(b).wrapping_add(c),
        Op::SMin => (a as i32).min(b as i32) as u32,
        Op::SMax => (a as i32).max(b as i32) as u32,
        Op::UMin => a.min(b),
        Op::UMax => a.max(b),
    }
}

fn bits(op: kind::Bits, a: u32, b: u32, c: u32) -> u32 {
    use kind::Bits as Op;
    match op {
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Shl => a << (b & 31),
        Op::Shr => a >> (b & 31),
        Op::Sar => ((a as i32) >> (b & 31)) as u32,
        Op::Popc => a.count_ones(),
        Op::Clz => a.leading_zeros(),
        Op::Ctz => a.trailing_zeros(),
        Op::Brev => a.reverse_bits(),
        Op::UBfe => field(a, b),
        Op::SBfe => match bit_field(b).1 {
            0 => 0,
            count => (((field(a, b) << (32 - count)) as i32) >> (32 - count)) as u32,
        },
        Op::Bfi => {
            let (offset, count) = bit_field(b);
            let mask = low_mask(count) << offset;
            (c & !mask) | ((a << offset) & mask)
        }
    }
}

/// Offset and count of the bit-field operand: offset = B[4:0], count = min(B[13:8], 32 - offset).
fn bit_field(b: u32) -> (u32, u32) {
    let offset = b & 31;
    (offset, ((b >> 8) & 63).min(32 - offset))
}

fn low_mask(count: u32) -> u32 {
    if count >= 32 {
        u32::MAX
    } else {
        (1 << count) - 1
    }
}

fn field(a: u32, b: u32) -> u32 {
    let (offset, count) = bit_field(b);
    (a >> offset) & low_mask(count)
}

fn compare(op: kind::Compare, a: u32, b: u32) -> bool {
    use kind::Compare as Op;
    let (sa, sb) = (a as i32, b as i32);
    let (fa, fb) = (f32::from_bits(a), f32::from_bits(b));
    match op {
        Op::ISetEq => a == b,
        Op::ISetNe => a != b,
        Op::SSetLt => sa < sb,
        Op::SSetLe => sa <= sb,
        Op::SSetGt => sa > sb,
        Op::SSetGe => sa >= sb,
        Op::USetLt => a < b,
        Op::USetLe => a <= b,
        Op::USetGt => a > b,
        Op::USetGe => a >= b,
        Op::FSetEq => fa == fb,
        Op::FSetNe => fa != fb,
        Op::FSetLt => fa < fb,
        Op::FSetLe => fa <= fb,
        Op::FSetGt => fa > fb,
        Op::FSetGe => fa >= fb,
    }
}

fn float(op: kind::Float, a: u32, b: u32, c: u32) -> u32 {
    use kind::Float as Op;
    let (x, y, z) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
    match op {
        Op::FAdd => canonical(x + y),
        Op::FSub => canonical(x - y),
        Op::FMul => canonical(x * y),
        Op::FFma => canonical(x.mul_add(y, z)),
        Op::FNma => canonical((-x).mul_add(y, z)),
        Op::FMin => extreme(a, b, true),
        Op::FMax => extreme(a, b, false),
        Op::F2I => x as i32 as u32,
        Op::F2U => x as u32,
        Op::I2F => (a as i32 as f32).to_bits(),
        Op::U2F => (a as f32).to_bits(),
        Op::FFract => canonical(x - x.floor()),
        Op::FFloor => canonical(x.floor()),
        Op::FCeil => canonical(x.ceil()),
        Op::FTrunc => canonical(x.trunc()),
        Op::FRne => canonical(x.round_ties_even()),
    }
}

fn extreme(a: u32, b: u32, min: bool) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    match (x.is_nan(), y.is_nan()) {
        (true, true) => NAN,
        (true, false) => b,
        (false, true) => a,
        // Zeros of different sign compare equal; the sign decides.
        _ if x == y => {
            if min {
                a | b
            } else {
                a & b
            }
        }
        _ => {
            if (x < y) == min {
                a
            } else {
                b
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::predicate::{arity, cross_lane};
    use quadlock_isa::TABLE;

    fn bits(x: f32) -> u32 {
        x.to_bits()
    }

    #[test]
    fn every_pure_operation_of_the_table_is_here() {
        for row in TABLE {
            let want = arity(row.op).is_some() && !cross_lane(row.op);
            assert_eq!(eval(row.op, &[1, 2, 3]).is_some(), want, "{:?}", row.op);
        }
    }

    #[test]
    fn integer_corner_cases() {
        let e = |op, a, b, c| eval(op, &[a, b, c]).unwrap();
        assert_eq!(e(Op::ISub, 0, 1, 0), u32::MAX);
        assert_eq!(e(Op::SMulHi, 0x8000_0000, 0x8000_0000, 0), 0x4000_0000);
        assert_eq!(e(Op::UMulHi, u32::MAX, u32::MAX, 0), u32::MAX - 1);
        assert_eq!(e(Op::Shl, 1, 33, 0), 2);
        assert_eq!(e(Op::Sar, 0x8000_0000, 31, 0), u32::MAX);
        assert_eq!(e(Op::Clz, 0, 0, 0), 32);
        assert_eq!(e(Op::Ctz, 0, 0, 0), 32);
        assert_eq!(e(Op::UBfe, 0xABCD_1234, 4 | 8 << 8, 0), 0x23);
        assert_eq!(e(Op::UBfe, 0xABCD_1234, 0, 0), 0);
        assert_eq!(e(Op::UBfe, 0xABCD_1234, 63 << 8, 0), 0xABCD_1234);
        assert_eq!(e(Op::SBfe, 0x80, 4 | 4 << 8, 0), 0xFFFF_FFF8);
        assert_eq!(e(Op::SBfe, 0xF000_0000, 28 | 63 << 8, 0), u32::MAX);
        assert_eq!(e(Op::Bfi, 0xFF, 8 | 4 << 8, 0), 0x0F00);
        assert_eq!(e(Op::Bfi, 0x1234_5678, 63 << 8, 7), 0x1234_5678);
        assert_eq!(e(Op::Bfi, 0xFF, 8, 7), 7);
        assert_eq!(e(Op::Sel, 5, 6, 0), 6);
        assert_eq!(e(Op::Sel, 5, 6, 9), 5);
    }

    #[test]
    fn float_corner_cases() {
        let e = |op, a, b, c| eval(op, &[a, b, c]).unwrap();
        assert_eq!(e(Op::FSub, bits(f32::INFINITY), bits(f32::INFINITY), 0), NAN);
        assert_eq!(e(Op::FAdd, 0xFFC0_1234, 0, 0), NAN);
        assert_eq!(e(Op::FMul, 1, bits(0.5), 0), 0, "the tie goes to even");
        assert_eq!(e(Op::FMul, 3, bits(0.5), 0), 2, "subnormals are kept");
        assert_eq!(e(Op::FMin, bits(0.0), bits(-0.0), 0), bits(-0.0));
        assert_eq!(e(Op::FMax, bits(-0.0), bits(0.0), 0), bits(0.0));
        assert_eq!(e(Op::FMin, 0xFFC0_0001, bits(3.0), 0), bits(3.0));
        assert_eq!(e(Op::FMax, bits(3.0), NAN, 0), bits(3.0));
        assert_eq!(e(Op::FMax, 0xFFC0_0001, 0x7F80_0001, 0), NAN);
        assert_eq!(e(Op::F2I, bits(3e9), 0, 0), i32::MAX as u32);
        assert_eq!(e(Op::F2I, bits(-1.9), 0, 0), u32::MAX);
        assert_eq!(e(Op::F2I, NAN, 0, 0), 0);
        assert_eq!(e(Op::F2U, bits(-5.0), 0, 0), 0);
        assert_eq!(e(Op::F2U, bits(5e9), 0, 0), u32::MAX);
        assert_eq!(e(Op::U2F, 0x0100_0001, 0, 0), bits(16_777_216.0));
        assert_eq!(e(Op::FSetEq, 0, 0x8000_0000, 0), 1);
        assert_eq!(e(Op::FSetNe, NAN, NAN, 0), 1);
        assert_eq!(e(Op::FSetLe, NAN, 0, 0), 0);
        assert_eq!(e(Op::FDiv, bits(1.0), bits(-0.0), 0), bits(f32::NEG_INFINITY));
        assert_eq!(e(Op::FSqrt, bits(-1.0), 0, 0), NAN);
        assert_eq!(e(Op::FExp2, bits(-149.0), 0, 0), 1);
        assert_eq!(e(Op::FRne, bits(2.5), 0, 0), bits(2.0));
        assert_eq!(e(Op::FFract, bits(-1e-9), 0, 0), bits(1.0), "not clamped");
        assert_eq!(e(Op::PkF16, bits(1.0), bits(65520.0), 0), 0x7C00_3C00);
        assert_eq!(e(Op::F2SN8, bits(-2.0), 0, 0), 0x81);
        assert_eq!(e(Op::SN2F8, 0x80, 0, 0), bits(-1.0));
        // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: only one rounding keeps the last term.
        let x = 1.0 + f32::powi(2.0, -12);
        assert_eq!(e(Op::FFma, bits(x), bits(x), bits(-1.0 - f32::powi(2.0, -11))), bits(f32::powi(2.0, -24)));
        assert_eq!(e(Op::FNma, bits(2.0), bits(3.0), bits(7.0)), bits(1.0));
    }
}
