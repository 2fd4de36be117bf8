//! The arithmetic: one function per instruction, over the four lanes of a warp at once.
//!
//! The functions compute all lanes, active or not (a value of an inactive lane is dropped by the
//! caller); only QSHUF, DDX and DDY look across lanes. Floating point uses the host's IEEE
//! operations, which are exact for + - * and fma, and replaces every NaN by the one the machine
//! has.

use quadlock_isa::{kind, Kind, Op};

use crate::config::Fault;
use crate::float as unit;
use crate::lanes::Lanes;

/// Operands A, B, C to result.
pub type LaneFn = fn(&Lanes, &Lanes, &Lanes) -> Lanes;

/// The one NaN of the machine.
const NAN: u32 = 0x7FC0_0000;

macro_rules! lanes {
    (|$a:ident| $e:expr) => {
        |a: &Lanes, _: &Lanes, _: &Lanes| {
            std::array::from_fn(|i| {
                let $a = a[i];
                $e
            })
        }
    };
    (|$a:ident, $b:ident| $e:expr) => {
        |a: &Lanes, b: &Lanes, _: &Lanes| {
            std::array::from_fn(|i| {
                let ($a, $b) = (a[i], b[i]);
                $e
            })
        }
    };
    (|$a:ident, $b:ident, $c:ident| $e:expr) => {
        |a: &Lanes, b: &Lanes, c: &Lanes| {
            std::array::from_fn(|i| {
                let ($a, $b, $c) = (a[i], b[i], c[i]);
                $e
            })
        }
    };
}

/// The function of an `Alu` or `Function` instruction other than S2R and those across the active
/// lanes, with the planted bug if it concerns this instruction.
pub fn lane_fn(op: Op, fault: Option<Fault>) -> Option<LaneFn> {
    if let Some(f) = fault.and_then(|f| faulty(op, f)) {
        return Some(f);
    }
    Some(match op.kind() {
        Kind::Integer(op) => integer(op),
        Kind::Bits(op) => bits(op),
        Kind::Compare(op) => compare(op),
        Kind::Float(op) => float(op),
        Kind::Format(op) => format(op),
        Kind::Function(op) => function(op),
        Kind::Move(op) => return movement(op),
        Kind::Control(_) | Kind::Message(_) | Kind::Across(_) | Kind::Graphics(_) => return None,
        Kind::Load(_) | Kind::Store(_) | Kind::Atomic(_) | Kind::WarpAtomic(_) => return None,
    })
}

fn integer(op: kind::Integer) -> LaneFn {
    use kind::Integer as Op;
    match op {
        Op::IAdd => lanes!(|a, b| a.wrapping_add(b)),
        Op::ISub => lanes!(|a, b| a.wrapping_sub(b)),
        Op::IMul => lanes!(|a, b| a.wrapping_mul(b)),
        Op::UMulHi => lanes!(|a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32),
        Op::SMulHi => lanes!(|a, b| ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32),
        Op::IMad => lanes!(|a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        Op::SMin => lanes!(|a, b| (a as i32).min(b as i32) as u32),
        Op::SMax => lanes!(|a, b| (a as i32).max(b as i32) as u32),
        Op::UMin => lanes!(|a, b| a.min(b)),
        Op::UMax => lanes!(|a, b| a.max(b)),
    }
}

fn bits(op: kind::Bits) -> LaneFn {
    use kind::Bits as Op;
    match op {
        Op::And => lanes!(|a, b| a & b),
        Op::Or => lanes!(|a, b| a | b),
        Op::Xor => lanes!(|a, b| a ^ b),
        Op::Shl => lanes!(|a, b| a << (b & 31)),
        Op::Shr => lanes!(|a, b| a >> (b & 31)),
        Op::Sar => lanes!(|a, b| (a as i32 >> (b & 31)) as u32),
        Op::Popc => lanes!(|a| a.count_ones()),
        Op::Clz => lanes!(|a| a.leading_zeros()),
        Op::Ctz => lanes!(|a| a.trailing_zeros()),
        Op::Brev => lanes!(|a| a.reverse_bits()),
        Op::UBfe => lanes!(|a, b| {
            let (offset, count) = field(b);
            a >> offset & low_mask(count)
        }),
        Op::SBfe => lanes!(|a, b| signed_field(a, b)),
        Op::Bfi => lanes!(|a, b, c| {
            let (offset, count) = field(b);
            let mask = low_mask(count) << offset;
            c & !mask | a << offset & mask
        }),
    }
}

/// (offset, count) of a bit-field descriptor.
fn field(b: u32) -> (u32, u32) {
    let offset = b & 31;
    (offset, (b >> 8 & 63).min(32 - offset))
}

/// The low `count` bits set, `count` up to 32.
fn low_mask(count: u32) -> u32 {
    ((1u64 << count) - 1) as u32
}

fn signed_field(a: u32, b: u32) -> u32 {
    let (offset, count) = field(b);
    match count {
        0 => 0,
        n => ((a >> offset << (32 - n)) as i32 >> (32 - n)) as u32,
    }
}

fn compare(op: kind::Compare) -> LaneFn {
    use kind::Compare as Op;
    match op {
        Op::ISetEq => lanes!(|a, b| u32::from(a == b)),
        Op::ISetNe => lanes!(|a, b| u32::from(a != b)),
        Op::SSetLt => lanes!(|a, b| u32::from((a as i32) < b as i32)),
        Op::SSetLe => lanes!(|a, b| u32::from(a as i32 <= b as i32)),
        Op::SSetGt => lanes!(|a, b| u32::from(a as i32 > b as i32)),
        Op::SSetGe => lanes!(|a, b| u32::from(a as i32 >= b as i32)),
        Op::USetLt => lanes!(|a, b| u32::from(a < b)),
        Op::USetLe => lanes!(|a, b| u32::from(a <= b)),
        Op::USetGt => lanes!(|a, b| u32::from(a > b)),
        Op::USetGe => lanes!(|a, b| u32::from(a >= b)),
        Op::FSetEq => lanes!(|a, b| u32::from(f32::from_bits(a) == f32::from_bits(b))),
        Op::FSetNe => lanes!(|a, b| u32::from(f32::from_bits(a) != f32::from_bits(b))),
        Op::FSetLt => lanes!(|a, b| u32::from(f32::from_bits(a) < f32::from_bits(b))),
        Op::FSetLe => lanes!(|a, b| u32::from(f32::from_bits(a) <= f32::from_bits(b))),
        Op::FSetGt => lanes!(|a, b| u32::from(f32::from_bits(a) > f32::from_bits(b))),
        Op::FSetGe => lanes!(|a, b| u32::from(f32::from_bits(a) >= f32::from_bits(b))),
    }
}

/// The bits of a result, with the one NaN. The compiler treats all NaNs as one value, so it may
/// undo `if nan { the NaN } else { bits }` written on floats; behind the barrier it sees integers
/// and has to keep the choice.
fn canonical(x: f32) -> u32 {
    let bits = std::hint::black_box(x.to_bits());
    if is_nan(bits) {
        NAN
    } else {
        bits
    }
}

fn sub(a: u32, b: u32) -> u32 {
    canonical(f32::from_bits(a) - f32::from_bits(b))
}

fn fma(a: u32, b: u32, c: u32) -> u32 {
    canonical(f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c)))
}

fn is_nan(bits: u32) -> bool {
    bits << 1 > 0xFF00_0000
}

/// Orders numbers as integers do, -0 below +0.
fn order(bits: u32) -> i32 {
    let bits = bits as i32;
    if bits < 0 {
        i32::MIN.wrapping_sub(bits).wrapping_sub(1)
    } else {
        bits
    }
}

fn min_max(a: u32, b: u32, larger: bool) -> u32 {
    match (is_nan(a), is_nan(b)) {
        (true, true) => NAN,
        (true, false) => b,
        (false, true) => a,
        _ if (order(a) < order(b)) == larger => b,
        _ => a,
    }
}

fn float(op: kind::Float) -> LaneFn {
    use kind::Float as Op;
    match op {
        Op::FAdd => lanes!(|a, b| canonical(f32::from_bits(a) + f32::from_bits(b))),
        Op::FSub => lanes!(|a, b| sub(a, b)),
        Op::FMul => lanes!(|a, b| canonical(f32::from_bits(a) * f32::from_bits(b))),
        Op::FFma => lanes!(|a, b, c| fma(a, b, c)),
        Op::FNma => lanes!(|a, b, c| fma(a ^ 1 << 31, b, c)),
        Op::FMin => lanes!(|a, b| min_max(a, b, false)),
        Op::FMax => lanes!(|a, b| min_max(a, b, true)),
        Op::FFract => lanes!(|a| unit::fract(a)),
        Op::FFloor => lanes!(|a| unit::floor(a)),
        Op::FCeil => lanes!(|a| unit::ceil(a)),
        Op::FTrunc => lanes!(|a| unit::trunc(a)),
        Op::FRne => lanes!(|a| unit::round_even(a)),
        Op::F2I => lanes!(|a| f32::from_bits(a) as i32 as u32),
        Op::F2U => lanes!(|a| f32::from_bits(a) as u32),
        Op::I2F => lanes!(|a| (a as i32 as f32).to_bits()),
        Op::U2F => lanes!(|a| (a as f32).to_bits()),
    }
}

/// Half precision and normalised integers.
fn format(op: kind::Format) -> LaneFn {
    use kind::Format as Op;
    match op {
        Op::PkF16 => lanes!(|a, b| unit::pack2x16float(a, b)),
        Op::UpkF16 => lanes!(|a| unit::f16_to_f32(a)),
        Op::F2UN8 => lanes!(|a| unit::unorm8_encode(a)),
        Op::F2UN16 => lanes!(|a| unit::unorm16_encode(a)),
        Op::F2SN8 => lanes!(|a| unit::snorm8_encode(a)),
        Op::F2SN16 => lanes!(|a| unit::snorm16_encode(a)),
        Op::UN2F8 => lanes!(|a| unit::unorm8_decode(a)),
        Op::UN2F16 => lanes!(|a| unit::unorm16_decode(a)),
        Op::SN2F8 => lanes!(|a| unit::snorm8_decode(a)),
        Op::SN2F16 => lanes!(|a| unit::snorm16_decode(a)),
    }
}

/// The function unit's operations.
fn function(op: kind::Function) -> LaneFn {
    use kind::Function as Op;
    match op {
        Op::FDiv => lanes!(|a, b| unit::div(a, b)),
        Op::FSqrt => lanes!(|a| unit::sqrt(a)),
        Op::FRcp => lanes!(|a| unit::rcp(a)),
        Op::FRsq => lanes!(|a| unit::rsqrt(a)),
        Op::FExp2 => lanes!(|a| unit::exp2(a)),
        Op::FLog2 => lanes!(|a| unit::log2(a)),
        Op::FSin => lanes!(|a| unit::sin(a)),
        Op::FCos => lanes!(|a| unit::cos(a)),
    }
}

fn movement(op: kind::Move) -> Option<LaneFn> {
    use kind::Move as Op;
    Some(match op {
        Op::Mov => |_, b, _| *b,
        Op::Sel => lanes!(|a, b, c| if c != 0 { a } else { b }),
        Op::QShuf => |a, b, _| b.map(|lane| a[(lane & 3) as usize]),
        // Lanes 0 1 are the upper row, 2 3 the lower.
        Op::Ddx => |a, _, _| {
            let (upper, lower) = (sub(a[1], a[0]), sub(a[3], a[2]));
            [upper, upper, lower, lower]
        },
        Op::Ddy => |a, _, _| {
            let (left, right) = (sub(a[2], a[0]), sub(a[3], a[1]));
            [left, right, left, right]
        },
        Op::S2R => return None,
    })
}

/// The wrong function of a planted bug, for the instructions that the bug concerns.
fn faulty(op: Op, fault: Fault) -> Option<LaneFn> {
    fn either_nan(a: u32, b: u32, larger: bool) -> u32 {
        if is_nan(a) || is_nan(b) {
            NAN
        } else {
            min_max(a, b, larger)
        }
    }
    fn twice(a: u32, b: u32, c: u32) -> u32 {
        canonical(f32::from_bits(a) * f32::from_bits(b) + f32::from_bits(c))
    }
    Some(match (fault, op) {
        (Fault::FminNan, Op::FMin) => lanes!(|a, b| either_nan(a, b, false)),
        (Fault::FminNan, Op::FMax) => lanes!(|a, b| either_nan(a, b, true)),
        (Fault::ShiftMask, Op::Shl) => lanes!(|a, b| a.checked_shl(b).unwrap_or(0)),
        (Fault::ShiftMask, Op::Shr) => lanes!(|a, b| a.checked_shr(b).unwrap_or(0)),
        (Fault::ShiftMask, Op::Sar) => lanes!(|a, b| (a as i32).checked_shr(b).unwrap_or(0) as u32),
        (Fault::SbfeZero, Op::SBfe) => lanes!(|a, b| if field(b).1 == 0 { a } else { signed_field(a, b) }),
        (Fault::FmaTwice, Op::FFma) => lanes!(|a, b, c| twice(a, b, c)),
        (Fault::FmaTwice, Op::FNma) => lanes!(|a, b, c| twice(a ^ 1 << 31, b, c)),
        _ => return None,
    })
}
