//! Group operations of a subgroup, which is a warp: votes, ballots, shuffles, reductions and scans,
//! clusters and quads. Signs are the opcode's.

use super::arith::Read;
use super::lower::Lower;
use super::module::Res;
use crate::front::emit::subgroups::{Collect, Reduction};
use crate::front::emit::types::NumberKind;
use crate::ssa::Value;
use quadlock_isa::abi::LANES;
use quadlock_isa::Op as M;
use rspirv::spirv::{GroupOperation, Op, Scope};

/// The operations that reduce: how, and how numbers are read.
fn reduction(op: Op) -> Option<(Reduction, NumberKind)> {
    use NumberKind::{Bool, Float, Sint, Uint};
    use Reduction::{Add, And, Max, Min, Mul, Or, Xor};
    Some(match op {
        Op::GroupNonUniformIAdd => (Add, Uint),
        Op::GroupNonUniformFAdd => (Add, Float),
        Op::GroupNonUniformIMul => (Mul, Uint),
        Op::GroupNonUniformFMul => (Mul, Float),
        Op::GroupNonUniformSMin => (Min, Sint),
        Op::GroupNonUniformUMin => (Min, Uint),
        Op::GroupNonUniformFMin => (Min, Float),
        Op::GroupNonUniformSMax => (Max, Sint),
        Op::GroupNonUniformUMax => (Max, Uint),
        Op::GroupNonUniformFMax => (Max, Float),
        Op::GroupNonUniformBitwiseAnd => (And, Uint),
        Op::GroupNonUniformBitwiseOr => (Or, Uint),
        Op::GroupNonUniformBitwiseXor => (Xor, Uint),
        Op::GroupNonUniformLogicalAnd => (And, Bool),
        Op::GroupNonUniformLogicalOr => (Or, Bool),
        Op::GroupNonUniformLogicalXor => (Xor, Bool),
        _ => return None,
    })
}

/// Whether it is one of the group operations, of which the scope is the first operand.
fn is_group(op: Op) -> bool {
    let number = op as u32;
    let core = Op::GroupNonUniformElect as u32..=Op::GroupNonUniformQuadSwap as u32;
    core.contains(&number) || matches!(op, Op::GroupNonUniformRotateKHR)
}

impl Lower<'_, '_> {
    /// The operations of SPV_KHR_shader_ballot and SPV_KHR_subgroup_vote, which have no scope.
    fn shader_ballot(&mut self) -> Res<Option<Vec<Value>>> {
        let i = &self.m.insts[self.n];
        let Some(&first) = i.args.first() else { return Ok(None) };
        let words = match i.op {
            Op::SubgroupBallotKHR => {
                let word = self.word(first)?;
                let mask = self.e.mask(Some(word));
                self.e.mask_words(mask)
            }
            Op::SubgroupAllKHR | Op::SubgroupAnyKHR => {
                let operation = if i.op == Op::SubgroupAllKHR { Reduction::And } else { Reduction::Or };
                let words = self.words(first)?;
                self.e.collect(operation, Collect::Reduce, NumberKind::Bool, &words)
            }
            Op::SubgroupAllEqualKHR => {
                let words = self.read(first, Read::Unsigned)?;
                vec![self.e.all_equal(NumberKind::Uint, &words)]
            }
            Op::SubgroupFirstInvocationKHR => {
                let words = self.words(first)?;
                let leader = self.e.leader();
                self.e.of_lane(&words, leader)
            }
            Op::SubgroupReadInvocationKHR => {
                let (words, lane) = (self.words(first)?, self.number(i.args[1])?);
                self.e.of_lane(&words, lane)
            }
            _ => return Ok(None),
        };
        Ok(Some(words))
    }

    /// The current instruction if it is a group operation.
    pub fn group(&mut self) -> Res<Option<Vec<Value>>> {
        let i = &self.m.insts[self.n];
        let a = &i.args;
        if let Some(words) = self.shader_ballot()? {
            return Ok(Some(words));
        }
        if !is_group(i.op) {
            return Ok(None);
        }
        let scope = self.constant_word(a[0])?;
        if scope != Scope::Subgroup as u32 {
            return self.refuse(
                format!("{} is the scope of a group operation, and is not Subgroup", self.m.called(a[0])),
                "use the scope Subgroup",
            );
        }
        if a.get(1).is_some_and(|&v| self.bits_of(v) == 64) || self.bits(i.ty) == 64 {
            return self.refuse("a group operation on 64 bits is not supported", "use 32-bit numbers");
        }
        if let Some((operation, kind)) = reduction(i.op) {
            return self.reduced(operation, kind).map(Some);
        }
        let words = match i.op {
            Op::GroupNonUniformElect => vec![self.e.elected()],
            Op::GroupNonUniformAll | Op::GroupNonUniformAny => {
                let operation = if i.op == Op::GroupNonUniformAll { Reduction::And } else { Reduction::Or };
                let words = self.words(a[1])?;
                self.e.collect(operation, Collect::Reduce, NumberKind::Bool, &words)
            }
            Op::GroupNonUniformAllEqual => {
                let float = self.is_float(a[1]);
                let words = self.read(a[1], Read::Unsigned)?;
                vec![self.e.all_equal(if float { NumberKind::Float } else { NumberKind::Uint }, &words)]
            }
            Op::GroupNonUniformBroadcastFirst => {
                let words = self.words(a[1])?;
                let leader = self.e.leader();
                self.e.of_lane(&words, leader)
            }
            Op::GroupNonUniformBroadcast | Op::GroupNonUniformShuffle | Op::GroupNonUniformQuadBroadcast => {
                let (words, lane) = (self.words(a[1])?, self.number(a[2])?);
                self.e.of_lane(&words, lane)
            }
            Op::GroupNonUniformShuffleXor | Op::GroupNonUniformShuffleUp | Op::GroupNonUniformShuffleDown => {
                let op = match i.op {
                    Op::GroupNonUniformShuffleXor => M::Xor,
                    Op::GroupNonUniformShuffleUp => M::ISub,
                    _ => M::IAdd,
                };
                let (words, by) = (self.words(a[1])?, self.number(a[2])?);
                let from = self.e.relative(op, by);
                self.e.of_lane(&words, from)
            }
            // Within clusters of a power of two; the whole subgroup without a size.
            Op::GroupNonUniformRotateKHR => {
                let (words, by) = (self.words(a[1])?, self.number(a[2])?);
                let size = a.get(3).map(|&id| self.constant_word(id)).transpose()?.unwrap_or(LANES as u32);
                if !size.is_power_of_two() {
                    return self.refuse(format!("{size} is no size of a cluster"), "use a power of two");
                }
                let size = size.min(LANES as u32);
                let lane = self.e.lane();
                let first = self.e.b.alu_imm(M::And, lane, !(size - 1));
                let sum = self.e.b.alu2(M::IAdd, lane, by);
                let within = self.e.b.alu_imm(M::And, sum, size - 1);
                let from = self.e.b.alu2(M::Or, first, within);
                self.e.of_lane(&words, from)
            }
            Op::GroupNonUniformQuadSwap => {
                let words = self.words(a[1])?;
                let mask = self.constant_word(a[2])?.min(2) + 1;
                let mask = self.e.b.constant(mask);
                let from = self.e.relative(M::Xor, mask);
                self.e.of_lane(&words, from)
            }
            Op::GroupNonUniformBallot => {
                let word = self.word(a[1])?;
                let mask = self.e.mask(Some(word));
                self.e.mask_words(mask)
            }
            Op::GroupNonUniformInverseBallot
            | Op::GroupNonUniformBallotBitExtract
            | Op::GroupNonUniformBallotBitCount
            | Op::GroupNonUniformBallotFindLSB
            | Op::GroupNonUniformBallotFindMSB => vec![self.of_ballot()?],
            op => return self.refuse(format!("Op{op:?} is not supported"), "use another group operation"),
        };
        Ok(Some(words))
    }

    fn is_float(&self, id: u32) -> bool {
        let ty = self.m.def(self.type_of(id));
        let scalar = match ty {
            Some(t) if t.op == Op::TypeVector => self.m.def(t.args[0]),
            other => other,
        };
        scalar.is_some_and(|t| t.op == Op::TypeFloat)
    }

    fn reduced(&mut self, operation: Reduction, kind: NumberKind) -> Res<Vec<Value>> {
        let a = &self.m.insts[self.n].args;
        let words = self.read(a[2], if kind == NumberKind::Sint { Read::Signed } else { Read::Unsigned })?;
        let collect = match GroupOperation::from_u32(a[1]) {
            Some(GroupOperation::Reduce) => Collect::Reduce,
            Some(GroupOperation::InclusiveScan) => Collect::Inclusive,
            Some(GroupOperation::ExclusiveScan) => Collect::Exclusive,
            Some(GroupOperation::ClusteredReduce) => {
                let Some(&size) = a.get(3) else { return self.invalid("a cluster without a size") };
                let size = self.word(size)?;
                return self.e.clustered(operation, kind, &words, size);
            }
            _ => return self.refuse("this group operation is not supported", "reduce or scan"),
        };
        Ok(self.e.collect(operation, collect, kind, &words))
    }

    /// Functions of a ballot's first word, the only one with lanes in it.
    fn of_ballot(&mut self) -> Res<Value> {
        let i = &self.m.insts[self.n];
        let a = &i.args;
        let at = if i.op == Op::GroupNonUniformBallotBitCount { 2 } else { 1 };
        let Some(&first) = self.words(a[at])?.first() else { return self.invalid("a ballot without words") };
        let lanes = self.e.b.alu_imm(M::And, first, (1 << LANES) - 1);
        Ok(match i.op {
            Op::GroupNonUniformInverseBallot | Op::GroupNonUniformBallotBitExtract => {
                let bit = match i.op {
                    Op::GroupNonUniformInverseBallot => self.e.lane(),
                    _ => self.number(a[2])?,
                };
                let shifted = self.e.b.alu2(M::Shr, lanes, bit);
                self.e.b.alu_imm(M::And, shifted, 1)
            }
            Op::GroupNonUniformBallotFindLSB => self.e.b.alu1(M::Ctz, lanes),
            Op::GroupNonUniformBallotFindMSB => {
                let zeros = self.e.b.alu1(M::Clz, lanes);
                let top = self.e.b.constant(31);
                self.e.b.alu2(M::ISub, top, zeros)
            }
            _ => {
                let counted = match GroupOperation::from_u32(a[1]) {
                    Some(GroupOperation::InclusiveScan) => Some(M::USetLe),
                    Some(GroupOperation::ExclusiveScan) => Some(M::USetLt),
                    _ => None,
                };
                let lanes = match counted {
                    Some(op) => {
                        let counted = self.e.lanes_that(op);
                        self.e.b.alu2(M::And, lanes, counted)
                    }
                    None => lanes,
                };
                self.e.b.alu1(M::Popc, lanes)
            }
        })
    }
}
