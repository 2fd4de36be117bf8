//! naga's subgroup operations: what they are of `emit`'s.

use super::cx::{Cx, Res};
use crate::front::emit::subgroups::{Collect as Lanes, Reduction};
use crate::front::text::edit::Mark;
use crate::ssa::Value;
use naga::SubgroupOperation as Operation;
use naga::{CollectiveOperation as Collect, Direction, Expression, GatherMode, Handle};
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
}
