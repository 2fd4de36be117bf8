//! Statements and control flow. Blocks are laid out in source order (then, else, merge; loop body,
//! continuing, exit), which on this machine is what makes diverged lanes meet again: the lowest
//! program counter runs first, so a merge block must lie behind both arms.

use super::cx::{Cx, LoopBlocks, Operand, Res, Ret};
use crate::front::emit::atomics::Wide;
use crate::front::emit::place::{Base, Place};
use crate::front::emit::types::Shape;
use crate::front::text::edit::Mark;
use crate::ssa::{AtomicOp, Block, Kind, Value};
use naga::{AtomicFunction, Barrier, Expression, Handle, Statement, SwitchCase, SwitchValue};
use quadlock_isa::Op;

impl<'a> Cx<'_, 'a> {
    pub fn block(&mut self, block: &'a naga::Block) -> Res<()> {
        for (statement, span) in block.span_iter() {
            self.at(*span);
            self.statement(statement)?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &'a Statement) -> Res<()> {
        match statement {
            Statement::Emit(range) => {
                for expr in range.clone() {
                    self.emit(expr)?;
                }
            }
            Statement::Block(block) => self.block(block)?,
            Statement::If { condition, accept, reject } => self.branch_on(*condition, accept, reject)?,
            Statement::Switch { selector, cases } => self.switch(*selector, cases)?,
            Statement::Loop { body, continuing, break_if } => self.loop_(body, continuing, *break_if)?,
            Statement::Break => match self.f.loops.last() {
                Some(l) => self.e.b.jump(l.exit),
                None => return Err(self.refuse("break outside of a loop")),
            },
            Statement::Continue => match self.f.loops.iter().rev().find_map(|l| l.next) {
                Some(next) => self.b.jump(next),
                None => return Err(self.refuse("continue outside of a loop")),
            },
            Statement::Return { value } => self.return_(*value)?,
            // The invocation goes on, as a helper.
            Statement::Kill => self.demote(),
            Statement::ControlBarrier(flags) => self.control_barrier(*flags)?,
            // Accesses are performed in program order already.
            Statement::MemoryBarrier(_) => {}
            Statement::Store { pointer, value } => {
                let place = self.place(*pointer)?;
                // A variable declared in a loop is cleared in each turn.
                if let (Expression::ZeroValue(_), Expression::LocalVariable(local)) =
                    (&self.f.fun.expressions[*value], &self.f.fun.expressions[*pointer])
                {
                    let slot = self.f.locals[local.index()];
                    self.clear_slot(slot);
                    return Ok(());
                }
                let value = self.words(*value)?;
                self.store(place, &value)?;
            }
            Statement::Atomic { pointer, fun, value, result } => self.atomic(*pointer, fun, *value, *result)?,
            Statement::WorkGroupUniformLoad { pointer, result } => {
                self.barrier();
                let place = self.place(*pointer)?;
                let words = self.load(place)?;
                self.barrier();
                self.f.values[result.index()] = Some(Operand::Words(words));
            }
            Statement::Call { function, arguments, result } => {
                let words = self.call(*function, arguments)?;
                if let Some(result) = result {
                    self.f.values[result.index()] = Some(Operand::Words(words));
                }
            }
            Statement::SubgroupBallot { result, predicate } => {
                let words = self.ballot(*predicate)?;
                self.f.values[result.index()] = Some(Operand::Words(words));
            }
            Statement::SubgroupGather { mode, argument, result } => {
                let words = self.gather(*mode, *argument)?;
                self.f.values[result.index()] = Some(Operand::Words(words));
            }
            Statement::SubgroupCollectiveOperation { op, collective_op, argument, result } => {
                let words = self.collective(*op, *collective_op, *argument)?;
                self.f.values[result.index()] = Some(Operand::Words(words));
            }
            other => return Err(self.refuse(format!("{} not supported", unsupported(other)))),
        }
        Ok(())
    }

    fn control_barrier(&mut self, flags: Barrier) -> Res<()> {
        if flags == Barrier::SUB_GROUP {
            // The lanes of a warp that are together are in step, and their accesses are performed
            // in program order: what the barrier asks for is that the compiler keeps them so.
            self.fence(false);
            return Ok(());
        }
        self.barrier();
        Ok(())
    }

    fn branch_on(
        &mut self,
        condition: Handle<Expression>,
        accept: &'a naga::Block,
        reject: &'a naga::Block,
    ) -> Res<()> {
        let cond = self.word(condition)?;
        let then = self.b.block();
        let merge = self.b.block();
        let other = if reject.is_empty() { merge } else { self.b.block() };
        self.b.branch(cond, then, other);
        self.b.start(then);
        self.block(accept)?;
        self.b.jump(merge);
        if !reject.is_empty() {
            self.b.start(other);
            self.block(reject)?;
            self.b.jump(merge);
        }
        self.b.start(merge);
        Ok(())
    }

    fn loop_(
        &mut self,
        body: &'a naga::Block,
        continuing: &'a naga::Block,
        break_if: Option<Handle<Expression>>,
    ) -> Res<()> {
        let header = self.b.block();
        let next = self.b.block();
        let exit = self.b.block();
        self.b.jump(header);
        self.b.start(header);
        self.f.loops.push(LoopBlocks { exit, next: Some(next) });
        self.block(body)?;
        self.b.jump(next);
        self.b.start(next);
        self.block(continuing)?;
        match break_if {
            Some(cond) => {
                let cond = self.word(cond)?;
                self.b.branch(cond, exit, header);
            }
            None => self.b.jump(header),
        }
        self.f.loops.pop();
        self.b.start(exit);
        Ok(())
    }

    /// A chain of comparisons, then the bodies in order.
    fn switch(&mut self, selector: Handle<Expression>, cases: &'a [SwitchCase]) -> Res<()> {
        let selector = self.word(selector)?;
        let exit = self.b.block();
        let bodies: Vec<Block> = cases.iter().map(|_| self.b.block()).collect();
        let mut default = exit;
        for (case, &body) in cases.iter().zip(&bodies) {
            let value = match case.value {
                SwitchValue::I32(v) => v as u32,
                SwitchValue::U32(v) => v,
                SwitchValue::Default => {
                    default = body;
                    continue;
                }
            };
            let value = self.b.constant(value);
            let hit = self.b.alu2(Op::ISetEq, selector, value);
            let next = self.b.block();
            self.b.branch(hit, body, next);
            self.b.start(next);
        }
        self.b.jump(default);
        self.f.loops.push(LoopBlocks { exit, next: None });
        for (i, case) in cases.iter().enumerate() {
            self.b.start(bodies[i]);
            self.block(&case.body)?;
            let after = match bodies.get(i + 1) {
                Some(&next) if case.fall_through => next,
                _ => exit,
            };
            self.b.jump(after);
        }
        self.f.loops.pop();
        self.b.start(exit);
        Ok(())
    }

    fn return_(&mut self, value: Option<Handle<Expression>>) -> Res<()> {
        let words = match value {
            Some(value) => self.words(value)?,
            None => vec![],
        };
        match self.f.ret {
            Ret::Expanded { slot, exit } => {
                if let Some(slot) = slot {
                    self.b.slot_store_all(slot, &words);
                }
                self.b.jump(exit);
            }
            Ret::Func if self.is_entry() => {
                self.entry_outputs(&words)?;
                self.b.terminate(Kind::Return(vec![]));
            }
            Ret::Func => self.b.terminate(Kind::Return(words)),
        }
        Ok(())
    }

    /// Whether the current naga function is the entry point itself.
    fn is_entry(&self) -> bool {
        self.unit.module.entry_points.iter().any(|e| std::ptr::eq(&e.function, self.f.fun))
    }

    fn atomic(
        &mut self,
        pointer: Handle<Expression>,
        fun: &AtomicFunction,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
    ) -> Res<()> {
        let place = self.place(pointer)?;
        let signed = place.shape.is_signed();
        let value = self.word(value)?;
        let mut expected = vec![];
        let op = match fun {
            AtomicFunction::Add => AtomicOp::Add,
            AtomicFunction::Subtract => AtomicOp::Sub,
            AtomicFunction::And => AtomicOp::And,
            AtomicFunction::ExclusiveOr => AtomicOp::Xor,
            AtomicFunction::InclusiveOr => AtomicOp::Or,
            AtomicFunction::Min if signed => AtomicOp::SMin,
            AtomicFunction::Min => AtomicOp::UMin,
            AtomicFunction::Max if signed => AtomicOp::SMax,
            AtomicFunction::Max => AtomicOp::UMax,
            AtomicFunction::Exchange { compare: None } => AtomicOp::Xchg,
            AtomicFunction::Exchange { compare: Some(compare) } => {
                expected = vec![self.word(*compare)?];
                AtomicOp::Cas
            }
        };
        let wide = wide_of(self.unit.map.mark(self.span));
        let compared = expected.first().copied();
        let mut words = self.atomic_on(place, op, vec![value], expected, wide)?;
        if let Some(result) = result {
            if let (Expression::AtomicResult { comparison: true, .. }, Some(expected)) =
                (&self.f.fun.expressions[result], compared)
            {
                words.push(self.b.alu2(Op::ISetEq, words[0], expected));
            }
            self.f.values[result.index()] = Some(Operand::Words(words));
        }
        Ok(())
    }

    /// A place for a value that has none: its words in a fresh slot.
    pub fn spill(&mut self, words: &[Value], shape: Shape, name: &str) -> Place {
        let slot = self.spill_words(words, name);
        Place { base: Base::Slot { slot, word: 0 }, shape }
    }
}

/// What the mark of a call says of an atomic.
pub fn wide_of(mark: Option<Mark>) -> Wide {
    match mark {
        Some(Mark::Warp | Mark::Wide(_)) => Wide::Warp,
        Some(Mark::Lock(take)) => Wide::Lock { take },
        Some(Mark::Elect) | None => Wide::Lane,
    }
}

fn unsupported(statement: &Statement) -> &'static str {
    match statement {
        Statement::ImageStore { .. } => "textureStore is",
        Statement::ImageAtomic { .. } => "texture atomics are",
        Statement::RayQuery { .. } => "ray queries are",
        Statement::RayPipelineFunction(_) => "ray tracing pipelines are",
        Statement::CooperativeStore { .. } => "cooperative matrices are",
        _ => "this statement is",
    }
}
