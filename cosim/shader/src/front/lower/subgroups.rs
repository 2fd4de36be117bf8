//! naga's subgroup operations, and GLSL's, which come as calls of functions by name
//! ([`crate::front::text::subgroups`]): what they are of `emit`'s.

use super::cx::{Cx, Res};
use super::types::number_kind;
use crate::front::emit::subgroups::{Collect as Lanes, Reduction};
use crate::front::emit::types::NumberKind;
use crate::front::text::edit::Mark;
use crate::front::text::subgroups::{by_name, Call};
use crate::ssa::Value;
use naga::{CollectiveOperation as Collect, Direction, Expression, Function, GatherMode, Handle};
use naga::{SubgroupOperation as Operation, TypeInner};
use quadlock_isa::abi::LANES;
use quadlock_isa::Op;

fn reduction(operation: Operation) -> Reduction {
    match operation {
        Operation::Add => Reduction::Add,
        Operation::Mul => Reduction::Mul,
        Operation::Min => Reduction::Min,
        Operation::Max => Reduction::Max,
        Operation::And | Operation::All => Reduction::And,
        Operation::Or | Operation::Any => Reduction::Or,
        Operation::Xor => Reduction::Xor,
    }
}

fn lanes(collect: Collect) -> Lanes {
    match collect {
        Collect::Reduce => Lanes::Reduce,
        Collect::InclusiveScan => Lanes::Inclusive,
        Collect::ExclusiveScan => Lanes::Exclusive,
    }
}

impl<'a> Cx<'_, 'a> {
    pub fn ballot(&mut self, predicate: Option<Handle<Expression>>) -> Res<Vec<Value>> {
        let predicate = predicate.map(|p| self.word(p)).transpose()?;
        let mask = self.mask(predicate);
        Ok(self.mask_words(mask))
    }

    pub fn gather(&mut self, mode: GatherMode, argument: Handle<Expression>) -> Res<Vec<Value>> {
        let words = self.words(argument)?;
        let from = match mode {
            GatherMode::BroadcastFirst => self.leader(),
            GatherMode::Broadcast(lane) | GatherMode::Shuffle(lane) | GatherMode::QuadBroadcast(lane) => {
                self.word(lane)?
            }
            GatherMode::ShuffleDown(by) => {
                let by = self.word(by)?;
                self.relative(Op::IAdd, by)
            }
            GatherMode::ShuffleUp(by) => {
                let by = self.word(by)?;
                self.relative(Op::ISub, by)
            }
            GatherMode::ShuffleXor(mask) => {
                let mask = self.word(mask)?;
                self.relative(Op::Xor, mask)
            }
            GatherMode::QuadSwap(direction) => {
                let mask = match direction {
                    Direction::X => 1,
                    Direction::Y => 2,
                    Direction::Diagonal => 3,
                };
                let mask = self.b.constant(mask);
                self.relative(Op::Xor, mask)
            }
        };
        Ok(self.of_lane(&words, from))
    }

    pub fn collective(
        &mut self,
        operation: Operation,
        collect: Collect,
        argument: Handle<Expression>,
    ) -> Res<Vec<Value>> {
        if self.unit.map.mark(self.span) == Some(Mark::Elect) {
            return Ok(vec![self.elected()]);
        }
        let Some(scalar) = self.shape(argument)?.scalar() else {
            return Err(self.refuse("a subgroup operation on this type is not supported"));
        };
        let words = self.words(argument)?;
        Ok(self.collect(reduction(operation), lanes(collect), scalar.kind, &words))
    }

    /// A call of a function of [`FUNCTIONS`] or [`VARIABLES`]; `None` if `name` is another.
    pub fn glsl_subgroup(
        &mut self,
        name: &str,
        handle: Handle<Function>,
        arguments: &[Handle<Expression>],
    ) -> Res<Option<Vec<Value>>> {
        let Some(call) = by_name(name) else { return Ok(None) };
        let fun = &self.unit.module.functions[handle];
        let inner = fun.arguments.first().map(|a| &self.unit.module.types[a.ty].inner);
        let kind = match inner {
            Some(TypeInner::Scalar(s) | TypeInner::Vector { scalar: s, .. }) => number_kind(s.kind),
            _ => NumberKind::Uint,
        };
        let mut args = vec![];
        for &a in arguments {
            args.push(self.words(a)?);
        }
        let words = args.first().cloned().unwrap_or_default();
        let second = args.get(1).and_then(|w| w.first()).copied();
        let second = second.unwrap_or_else(|| self.b.constant(0));
        Ok(Some(match call {
            Call::Elect => vec![self.elected()],
            Call::Collective(operation, collect) => self.collect(reduction(operation), lanes(collect), kind, &words),
            Call::Clustered(operation) => self.clustered(reduction(operation), kind, &words, second)?,
            Call::AllEqual => vec![self.all_equal(kind, &words)],
            Call::BroadcastFirst => {
                let leader = self.leader();
                self.of_lane(&words, leader)
            }
            Call::Lane => self.of_lane(&words, second),
            Call::Relative(op) => {
                let from = self.relative(op, second);
                self.of_lane(&words, from)
            }
            Call::Swap(mask) => {
                let mask = self.b.constant(mask);
                let from = self.relative(Op::Xor, mask);
                self.of_lane(&words, from)
            }
            Call::Ballot => {
                let mask = self.mask(words.first().copied());
                self.mask_words(mask)
            }
            Call::Barrier => {
                self.fence(false);
                vec![]
            }
            Call::LaneNumber => vec![self.lane()],
            Call::Number => vec![self.subgroup_id()],
            Call::Count => vec![self.subgroup_count()],
            Call::Mask(op) => {
                let bits = self.lanes_that(op);
                self.mask_words(bits)
            }
            of_mask => vec![self.of_mask(of_mask, words[0], second)],
        }))
    }

    /// Functions of a ballot's first word, the only one with lanes in it.
    fn of_mask(&mut self, call: Call, mask: Value, bit: Value) -> Value {
        let lanes = self.b.alu_imm(Op::And, mask, (1 << LANES) - 1);
        match call {
            Call::InverseBallot => {
                let lane = self.lane();
                let bit = self.b.alu2(Op::Shr, lanes, lane);
                self.b.alu_imm(Op::And, bit, 1)
            }
            Call::BallotBit => {
                let shifted = self.b.alu2(Op::Shr, lanes, bit);
                self.b.alu_imm(Op::And, shifted, 1)
            }
            Call::BallotEnd(Op::Ctz) => self.b.alu1(Op::Ctz, lanes),
            Call::BallotEnd(_) => {
                let zeros = self.b.alu1(Op::Clz, lanes);
                let top = self.b.constant(31);
                self.b.alu2(Op::ISub, top, zeros)
            }
            Call::BallotCount(Collect::Reduce) => self.b.alu1(Op::Popc, lanes),
            Call::BallotCount(collect) => {
                let op = if collect == Collect::InclusiveScan { Op::USetLe } else { Op::USetLt };
                let counted = self.lanes_that(op);
                let lanes = self.b.alu2(Op::And, lanes, counted);
                self.b.alu1(Op::Popc, lanes)
            }
            _ => lanes,
        }
    }
}
