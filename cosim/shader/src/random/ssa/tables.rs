//! What random SSA programs are made of: operand values, operations, and where their memory is.
//!
//! An operation in a list twice is drawn twice as often. A seed draws by place in these lists, so
//! whoever changes one changes the programs of all seeds.

use crate::ssa::{AtomicOp, Width};
use quadlock_isa::Op;

/// Read-only bytes that all invocations share.
pub const INPUT: u32 = 0x1000;
pub const INPUT_BYTES: u32 = 256;
/// Counters that all invocations update, one operation per word, then one per two words.
pub const COUNTERS: u32 = INPUT + INPUT_BYTES;
/// Private windows, one per invocation.
pub const WINDOWS: u32 = COUNTERS + 32 + 8 * WIDE_OPS.len() as u32;
pub const WINDOW: u32 = 128;
/// Private bytes of shared storage per invocation; the last word is for exchange between barriers.
pub const SHARED: u32 = 32;
pub const LARGEST_GROUP: u32 = 12;

/// Operand values where arithmetic changes its behaviour.
pub const CORNERS: &[u32] = &[
    0,
    1,
    2,
    3,
    4,
    5,
    8,
    16,
    31,
    32,
    33,
    255,
    256,
    0xFFFF,
    0x7FFF_FFFF,
    0x8000_0000,
    0x8000_0001,
    0xFFFF_FFFE,
    0xFFFF_FFFF,
    0x0400,
    0x0508,
    0x3F80_0000,
    0xBF80_0000,
    0x4000_0000,
    0x3F00_0000,
    0x4049_0FDB,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0xFFC0_1234,
    0x0080_0000,
    0x007F_FFFF,
    0x7F7F_FFFF,
];

pub const UNARY: &[Op] = &[
    Op::Popc,
    Op::Clz,
    Op::Ctz,
    Op::Brev,
    Op::F2I,
    Op::F2U,
    Op::I2F,
    Op::U2F,
    Op::FFract,
    Op::FFloor,
    Op::FCeil,
    Op::FTrunc,
    Op::FRne,
    Op::UpkF16,
    Op::F2UN8,
    Op::F2UN16,
    Op::F2SN8,
    Op::F2SN16,
    Op::UN2F8,
    Op::UN2F16,
    Op::SN2F8,
    Op::SN2F16,
    Op::FSqrt,
    Op::FRcp,
    Op::FRsq,
    Op::FExp2,
    Op::FLog2,
    Op::FSin,
    Op::FCos,
];
pub const BINARY: &[Op] = &[
    Op::IAdd,
    Op::IAdd,
    Op::ISub,
    Op::ISub,
    Op::IMul,
    Op::UMulHi,
    Op::SMulHi,
    Op::SMin,
    Op::SMax,
    Op::UMin,
    Op::UMax,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Shl,
    Op::Shr,
    Op::Sar,
    Op::UBfe,
    Op::SBfe,
    Op::FAdd,
    Op::FSub,
    Op::FMul,
    Op::FMin,
    Op::FMax,
    Op::PkF16,
    Op::FDiv,
];
pub const TERNARY: &[Op] = &[Op::IMad, Op::Bfi, Op::FFma, Op::FNma, Op::Sel, Op::Sel];
pub const COMPARE: &[Op] = &[
    Op::ISetEq,
    Op::ISetNe,
    Op::SSetLt,
    Op::SSetLe,
    Op::SSetGt,
    Op::SSetGe,
    Op::USetLt,
    Op::USetLe,
    Op::USetGt,
    Op::USetGe,
    Op::FSetEq,
    Op::FSetNe,
    Op::FSetLt,
    Op::FSetLe,
    Op::FSetGt,
    Op::FSetGe,
];
pub const WIDTHS: &[Width] =
    &[Width::U8, Width::S8, Width::U16, Width::S16, Width::W32, Width::W32, Width::W32, Width::W64, Width::W128];
pub const ATOMICS: &[AtomicOp] = &[
    AtomicOp::Add,
    AtomicOp::Sub,
    AtomicOp::And,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::SMin,
    AtomicOp::SMax,
    AtomicOp::UMin,
    AtomicOp::UMax,
    AtomicOp::Xchg,
    AtomicOp::Cas,
];
/// Those of counters of two words, behind the others.
pub const WIDE_OPS: [AtomicOp; 4] = [AtomicOp::Add, AtomicOp::SMin, AtomicOp::UMax, AtomicOp::Xor];
/// Operations whose order does not matter, one per counter.
pub const COUNTER_OPS: &[AtomicOp] = &[
    AtomicOp::Add,
    AtomicOp::And,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::SMax,
    AtomicOp::UMin,
    AtomicOp::SMin,
    AtomicOp::Sub,
];

pub const ACROSS: &[Op] = &[
    Op::WBallot,
    Op::WRedAdd,
    Op::WRedAnd,
    Op::WRedOr,
    Op::WRedXor,
    Op::WRedSMin,
    Op::WRedUMax,
    Op::WScanAdd,
    Op::WScanOr,
    Op::WScanSMax,
    Op::WScanUMin,
];
