//! Operands of one operation, and runs of them as a warp takes them.

use quadlock_golden::Lanes;
use quadlock_isa::abi::LANES;
use quadlock_isa::Op;

use super::op::{FloatOp, Operands};

/// One operation on operands.
#[derive(Clone, Copy, Debug)]
pub struct Vector {
    pub op: &'static FloatOp,
    pub operands: [u32; 3],
}

impl Vector {
    /// Operands whose result is not zero, to measure the operation with.
    pub fn sample(op: &'static FloatOp) -> Self {
        let operands = match op.operands {
            Operands::Integer | Operands::Low16 => [3; 3],
            Operands::Floats(_) if op.op == Op::FSetEq => [0x4010_0000; 3],
            Operands::Floats(_) if matches!(op.op, Op::FSetLt | Op::FSetLe) => [0x3F40_0000, 0x4010_0000, 0],
            // 2.25 and 0.75.
            Operands::Floats(_) => [0x4010_0000, 0x3F40_0000, 0x3F40_0000],
        };
        Self { op, operands }
    }
}

/// Runs of one operation, cut to the lanes of a warp.
pub fn groups(vectors: &[Vector]) -> impl Iterator<Item = &[Vector]> {
    vectors.chunk_by(|x, y| x.op.op == y.op.op).flat_map(|run| run.chunks(LANES))
}

/// Operand `k` of each lane, 0 beyond the vectors.
pub fn lanes(group: &[Vector], k: usize) -> Lanes {
    std::array::from_fn(|lane| group.get(lane).map_or(0, |v| v.operands[k]))
}
