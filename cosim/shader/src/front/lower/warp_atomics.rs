//! Atomics and locks that the warp performs once, for the lanes that are together (WW-20, WW-22,
//! WW-40; docs/warp-wide.md): `warpAtomicAdd` and so on. The calls come as naga's atomics with a
//! mark ([`crate::front::text::rewrite`]). 64-bit types are no types of this compiler:
//! `warpAtomicAdd64` and so on take two words, the low one first, and come as functions of such a
//! pair.

use super::cx::{Cx, Res};
use crate::front::diag::Diagnostic;
use crate::front::emit::atomics::Wide;
use crate::front::emit::place::Base;
use crate::front::emit::types::{NumberKind, Shape};
use crate::front::text::atomics::wide_name;
use crate::ssa::{AtomicOp, Space, Value};
use naga::{Expression, Handle};

impl<'a> Cx<'_, 'a> {
    /// A call of one of [`WIDE`]. Its first argument stands behind a `*`, so it is a load,
    /// which is not made.
    pub fn wgsl_wide(&mut self, op: AtomicOp, arguments: &[Handle<Expression>]) -> Res<Vec<Value>> {
        let Some((&first, rest)) = arguments.split_first() else { return Err(self.refuse("a call without arguments")) };
        match self.f.fun.expressions[first] {
            Expression::Load { pointer } => self.wide_on(pointer, op, rest),
            _ => Err(self.not_wide(op)),
        }
    }

    /// An atomic of the warp on the two words that `pointer` leads to; `arguments` are the value,
    /// or what is expected and the value.
    pub fn wide_on(
        &mut self,
        pointer: Handle<Expression>,
        op: AtomicOp,
        arguments: &[Handle<Expression>],
    ) -> Res<Vec<Value>> {
        let place = self.place(pointer)?;
        let pair = matches!(place.shape, Shape::Vector { size: 2, scalar, .. } if scalar.kind == NumberKind::Uint);
        // One that may be written: the other ones are `Space::ReadOnly`.
        let in_memory = matches!(place.base, Base::Memory { space: Space::Global | Space::Shared, .. });
        if !pair || !in_memory {
            return Err(self.not_wide(op));
        }
        if place.alignment() < 8 {
            let message = format!("{} is on 64 bits at a multiple of 8 bytes", wide_name(op));
            return Err(self.refuse_help(message, "move the variable in its buffer"));
        }
        let mut operands = vec![];
        for &a in arguments {
            operands.push(self.words(a)?);
        }
        let Some(values) = operands.pop() else { return Err(self.refuse("a call without a value")) };
        let expected = operands.pop().unwrap_or_default();
        self.atomic_on(place, op, values, expected, Wide::Warp)
    }

    fn not_wide(&self, op: AtomicOp) -> Diagnostic {
        let name = wide_name(op);
        let message =
            format!("{name} is on a vec2<u32> in a storage buffer that may be written or in work-group memory");
        self.refuse_help(message, "put the variable there, low word first")
    }
}
