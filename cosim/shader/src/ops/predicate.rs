//! What is true of an operation whatever its operands are. Below `ssa`, which is built from it.
//!
//! A wrong answer here is a wrong rule of several passes at once. The passes' property tests, which
//! run random programs before and after each pass, are what finds one.

use quadlock_isa::{Class, Op, Shape, TABLE};

/// Number of operands of an operation of lane pipeline or function unit; `None` if SSA may not contain it (MOV, S2R and everything else).
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

/// What `Kind::CrossLane` holds and `Kind::Alu` does not. (The derivatives are in `Alu`: they belong to a quad of pixels, whose lanes are always together.)
pub fn is_cross_lane(op: Op) -> bool {
    op == Op::QShuf || op.cross_lane().is_some()
}

/// Whether the operation reads other lanes: it must stay where it is.
pub fn cross_lane(op: Op) -> bool {
    matches!(op, Op::Ddx | Op::Ddy) || is_cross_lane(op)
}

/// Whether the result is the truth, 0 or 1, of a comparison.
pub fn is_compare(op: Op) -> bool {
    swap_compare(op).is_some()
}

/// The comparison with exchanged operands.
pub fn swap_compare(op: Op) -> Option<Op> {
    Some(match op {
        Op::ISetEq | Op::ISetNe | Op::FSetEq | Op::FSetNe => op,
        Op::SSetLt => Op::SSetGt,
        Op::SSetLe => Op::SSetGe,
        Op::SSetGt => Op::SSetLt,
        Op::SSetGe => Op::SSetLe,
        Op::USetLt => Op::USetGt,
        Op::USetLe => Op::USetGe,
        Op::USetGt => Op::USetLt,
        Op::USetGe => Op::USetLe,
        Op::FSetLt => Op::FSetGt,
        Op::FSetLe => Op::FSetGe,
        Op::FSetGt => Op::FSetLt,
        Op::FSetGe => Op::FSetLe,
        _ => return None,
    })
}

/// The comparison that is true where this one is false. The ordered f32 comparisons have none: both are false for a NaN.
pub fn invert_compare(op: Op) -> Option<Op> {
    Some(match op {
        Op::ISetEq => Op::ISetNe,
        Op::ISetNe => Op::ISetEq,
        Op::FSetEq => Op::FSetNe,
        Op::FSetNe => Op::FSetEq,
        Op::SSetLt => Op::SSetGe,
        Op::SSetLe => Op::SSetGt,
        Op::SSetGt => Op::SSetLe,
        Op::SSetGe => Op::SSetLt,
        Op::USetLt => Op::USetGe,
        Op::USetLe => Op::USetGt,
        Op::USetGt => Op::USetLe,
        Op::USetGe => Op::USetLt,
        _ => return None,
    })
}

/// Whether A and B may be exchanged.
pub fn commutative(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        IAdd | IMul
            | UMulHi
            | SMulHi
            | IMad
            | SMin
            | SMax
            | UMin
            | UMax
            | And
            | Or
            | Xor
            | ISetEq
            | ISetNe
            | FSetEq
            | FSetNe
            | FAdd
            | FMul
            | FFma
            | FNma
            | FMin
            | FMax
    )
}

/// Whether the result is integral (or infinite, or NaN).
pub fn rounds_to_integral(op: Op) -> bool {
    matches!(op, Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRne)
}
