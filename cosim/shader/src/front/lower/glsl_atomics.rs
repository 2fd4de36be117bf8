//! GLSL's atomic functions, which naga's GLSL front end lacks. They are declared to it as ordinary
//! functions with an `inout` first parameter, in text put behind the directives at the head of the
//! source; positions are corrected for it. For an argument in a buffer or in shared memory naga
//! then emits
//!
//! ```text
//! store spill, load(memory);  call atomicAdd(spill, value);  store memory, load(spill)
//! ```
//!
//! with a nameless local `spill`. The lowering remembers what went into a spill, makes the call one
//! atomic on that memory, and leaves the last store out. Wrong it would be if naga changed this
//! pattern; the tests would show it, and a call without a known spill is refused.

use super::cx::{Cx, Res};
use super::stmt::wide_of;
use crate::front::text::atomics::by_name;
use crate::front::text::edit::Mark;
use crate::ssa::{AtomicOp, Value};
use naga::{Expression, Handle, LocalVariable};

impl<'a> Cx<'_, 'a> {
    fn local_of(&self, expr: Handle<Expression>) -> Option<Handle<LocalVariable>> {
        match self.f.fun.expressions[expr] {
            Expression::LocalVariable(local) => Some(local),
            _ => None,
        }
    }

    /// Notes a store; whether it is the write-back of an atomic, which must not be made.
    pub fn note_store(&mut self, pointer: Handle<Expression>, value: Handle<Expression>) -> bool {
        let Expression::Load { pointer: source } = self.f.fun.expressions[value] else { return false };
        if let (Some(write_back), Some(local)) = (self.f.spills.write_back, self.local_of(source)) {
            if write_back == (pointer, local) {
                self.f.spills.write_back = None;
                return true;
            }
        }
        // naga's locals have no names; a variable of the source that was read from a buffer is no
        // word of the buffer.
        let nameless = |l: &Handle<LocalVariable>| self.f.fun.local_variables[*l].name.is_none();
        if let Some(local) = self.local_of(pointer).filter(nameless) {
            self.f.spills.sources.retain(|(l, _)| *l != local);
            self.f.spills.sources.push((local, source));
        }
        false
    }

    /// A call of one of the declared functions: the old words. `None` if `name` is another
    /// function.
    pub fn glsl_atomic(&mut self, name: &str, arguments: &[Handle<Expression>]) -> Res<Option<Vec<Value>>> {
        let Some((op, mark)) = by_name(name) else { return Ok(None) };
        let local = arguments.first().and_then(|&a| self.local_of(a));
        let source = local.and_then(|l| self.f.spills.sources.iter().find(|(s, _)| *s == l).copied());
        let Some((local, source)) = source else {
            let message = format!("{name} on a variable that is not in a buffer or in shared memory is not supported");
            return Err(self.refuse_help(message, "name the word of the buffer itself as the first argument"));
        };
        self.f.spills.write_back = Some((source, local));
        if let Some(Mark::Wide(op)) = mark {
            return self.wide_on(source, op, &arguments[1..]).map(Some);
        }
        let place = self.place(source)?;
        let op = match op {
            AtomicOp::UMin if place.shape.is_signed() => AtomicOp::SMin,
            AtomicOp::UMax if place.shape.is_signed() => AtomicOp::SMax,
            op => op,
        };
        let mut words = Vec::new();
        for &argument in &arguments[1..] {
            words.push(self.word(argument)?);
        }
        let (value, expected) = match words[..] {
            [] if mark.is_some() => (self.b.constant(u32::from(mark == Some(Mark::Lock(true)))), vec![]),
            [value] => (value, vec![]),
            [expected, value] => (value, vec![expected]),
            _ => return Err(self.refuse(format!("internal: arguments of {name}"))),
        };
        self.atomic_on(place, op, vec![value], expected, wide_of(mark)).map(Some)
    }
}
