//! Calls of our own functions ([`super::functions`]).

use super::functions::{by_number, Function};
use super::lower::{Lower, Operand};
use super::module::Res;
use crate::front::emit::atomics::Wide;
use crate::front::emit::place::Base;
use crate::front::emit::semaphores;
use crate::ssa::{AtomicOp, Space, Value};
use rspirv::spirv::Op;

impl Lower<'_, '_> {
    /// An instruction of our set.
    pub fn quadlock(&mut self, number: u32, args: &[u32]) -> Res<Vec<Value>> {
        match by_number(number) {
            Some(function) => self.perform(function, args),
            None => self.refuse(format!("Quadlock.1 has no instruction {number}"), "docs/glsl.md has the list"),
        }
    }

    /// A call of a function that stands for one of ours.
    pub fn ours(&mut self, function: Function, callee: u32, args: &[u32]) -> Res<()> {
        let m = self.m;
        // Its body would never run.
        let plain = |n: usize| {
            matches!(m.insts[n].op, Op::Return | Op::ReturnValue | Op::Load | Op::Variable | Op::Line | Op::NoLine)
                || matches!(m.insts[n].op, Op::Undef | Op::ExtInst | Op::Unreachable)
        };
        let body = m.functions.get(&callee).map(|f| &f.blocks);
        if body.is_some_and(|blocks| blocks.iter().any(|b| b.insts.clone().any(|n| !plain(n)))) {
            let message = format!("{} is a function of the compiler, and has no body", m.called(callee));
            return self.refuse(message, "give yours another name, or leave out its body");
        }
        let words = self.perform(function, args)?;
        let i = &m.insts[self.n];
        if !words.is_empty() {
            self.define(i.id, Operand::Words(words));
        }
        Ok(())
    }

    fn perform(&mut self, function: Function, args: &[u32]) -> Res<Vec<Value>> {
        match (function, args) {
            (Function::Semaphore(call), args) if args.len() == usize::from(call.takes_id()) => {
                // A compiler of GLSL gives a parameter by a variable.
                let id = match args.first() {
                    Some(&id) => Some(self.by_value(id)?),
                    None => None,
                };
                let name = semaphores::FUNCTIONS.iter().find(|f| f.1 == call).map_or("", |f| f.0);
                self.e.semaphore_call(call, id, name)?;
                Ok(vec![])
            }
            (Function::Lock { take }, &[pointer]) => {
                let value = self.e.b.constant(u32::from(take));
                self.of_warp(pointer, AtomicOp::Lock, (vec![value], vec![]), Wide::Lock { take })
            }
            (Function::Atomic { op, words }, &[pointer, ref values @ ..]) => {
                let mut operands = vec![];
                for &value in values {
                    operands.push(self.words_by_value(value)?);
                }
                let expected = if op == AtomicOp::Cas { 2 } else { 1 };
                if operands.len() != expected || operands.iter().any(|o| o.len() != words as usize) {
                    return self.refuse("a function of the compiler with other arguments", "docs/warp-wide.md");
                }
                let value = operands.pop().unwrap_or_default();
                let compared = operands.pop().unwrap_or_default();
                self.of_warp(pointer, op, (value, compared), Wide::Warp)
            }
            _ => self.refuse("a function of the compiler with other arguments", "docs/warp-wide.md has the list"),
        }
    }

    fn of_warp(&mut self, pointer: u32, op: AtomicOp, values: (Vec<Value>, Vec<Value>), wide: Wide) -> Res<Vec<Value>> {
        let place = self.place(pointer)?;
        let words = self.counted(place.shape)? as usize;
        let written = matches!(place.base, Base::Memory { space: Space::Global | Space::Shared, .. });
        if !written || words != values.0.len() {
            let message = "an atomic of the warp on a variable that is neither in a storage buffer that may be \
                           written nor in work-group memory";
            return self.refuse(message, "put the variable there; one of 64 bits is two words, the low one first");
        }
        if words == 2 && place.alignment() < 8 {
            let message = "an atomic on 64 bits is at a multiple of 8 bytes";
            return self.refuse(message, "move the variable in its buffer");
        }
        self.e.atomic_on(place, op, values.0, values.1, wide)
    }

    fn words_by_value(&mut self, id: u32) -> Res<Vec<Value>> {
        match self.operand(id)? {
            Operand::Place(place) => self.e.load(place),
            _ => self.words(id),
        }
    }

    fn by_value(&mut self, id: u32) -> Res<Value> {
        match self.words_by_value(id)?[..] {
            [word] => Ok(word),
            _ => self.invalid("an argument of another type"),
        }
    }
}
