//! What is true of an operation whatever its operands are. Below `ssa`, which is built from it.
//!
//! A wrong answer here is a wrong rule of several passes at once. The passes' property tests, which
//! run random programs before and after each pass, are what finds one.

use quadlock_isa::kind::Compare;
use quadlock_isa::{Class, Kind, Lanes, Op, Shape, TABLE};

/// Number of operands of an operation of lane pipeline or function unit; `None` if SSA may not
/// contain it (MOV, S2R and everything else).
pub fn arity(op: Op) -> Option<usize> {
    let row = TABLE.iter().find(|r| r.op == op)?;
    match row.shape {
        _ if !matches!(row.class, Class::Alu | Class::Function) => None,
        Shape::DA => Some(1),
        Shape::DAB => Some(2),
        Shape::DABC => Some(3),
        _ => None,
    }
}

/// Cycles from the issue of an instruction to that of one that reads its result, as the compiler
/// takes them for granted. Only their order matters, not their truth.
pub fn latency(class: Class) -> u32 {
    match class {
        // A warp-wide atomic too (WW-43): it is one line read before its result is there, like a
        // load, whatever the number of lanes. It moves among the instructions it does not depend
        // on, loads of read-only buffers among them, and keeps its place among the other accesses
        // to global memory, barriers and messages.
        Class::Global => 40,
        Class::Shared => 12,
        Class::Function => 30,
        Class::Graphics => 16,
        Class::Alu | Class::Control | Class::Message => 5,
    }
}

/// What `Kind::CrossLane` holds and `Kind::Alu` does not. (The derivatives are in `Alu`: they
/// belong to a quad of pixels, whose lanes are always together.)
pub fn is_cross_lane(op: Op) -> bool {
    op == Op::QShuf || op.cross_lane().is_some()
}

/// Whether the operation reads other lanes: it must stay where it is.
pub fn cross_lane(op: Op) -> bool {
    matches!(op.row().lanes, Lanes::Quad | Lanes::Active)
}

/// Whether the result is the truth, 0 or 1, of a comparison.
pub fn is_compare(op: Op) -> bool {
    matches!(op.kind(), Kind::Compare(_))
}

/// The comparison with exchanged operands; of anything else none.
pub fn swap_compare(op: Op) -> Option<Op> {
    let Kind::Compare(op) = op.kind() else { return None };
    Some(match op {
        Compare::ISetEq => Op::ISetEq,
        Compare::ISetNe => Op::ISetNe,
        Compare::FSetEq => Op::FSetEq,
        Compare::FSetNe => Op::FSetNe,
        Compare::SSetLt => Op::SSetGt,
        Compare::SSetLe => Op::SSetGe,
        Compare::SSetGt => Op::SSetLt,
        Compare::SSetGe => Op::SSetLe,
        Compare::USetLt => Op::USetGt,
        Compare::USetLe => Op::USetGe,
        Compare::USetGt => Op::USetLt,
        Compare::USetGe => Op::USetLe,
        Compare::FSetLt => Op::FSetGt,
        Compare::FSetLe => Op::FSetGe,
        Compare::FSetGt => Op::FSetLt,
        Compare::FSetGe => Op::FSetLe,
    })
}

/// The comparison that is true where this one is false. The ordered f32 comparisons have none: both
/// are false for a NaN.
pub fn invert_compare(op: Op) -> Option<Op> {
    let Kind::Compare(op) = op.kind() else { return None };
    Some(match op {
        Compare::ISetEq => Op::ISetNe,
        Compare::ISetNe => Op::ISetEq,
        Compare::FSetEq => Op::FSetNe,
        Compare::FSetNe => Op::FSetEq,
        Compare::SSetLt => Op::SSetGe,
        Compare::SSetLe => Op::SSetGt,
        Compare::SSetGt => Op::SSetLe,
        Compare::SSetGe => Op::SSetLt,
        Compare::USetLt => Op::USetGe,
        Compare::USetLe => Op::USetGt,
        Compare::USetGt => Op::USetLe,
        Compare::USetGe => Op::USetLt,
        Compare::FSetLt | Compare::FSetLe | Compare::FSetGt | Compare::FSetGe => return None,
    })
}

/// Whether the result is integral (or infinite, or NaN).
pub fn rounds_to_integral(op: Op) -> bool {
    matches!(op, Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRne)
}
