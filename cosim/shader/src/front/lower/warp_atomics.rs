//! Atomics and locks that the warp performs once, for the lanes that are together (WW-20, WW-22,
//! WW-40; docs/warp-wide.md): `warpAtomicAdd` and so on. WGSL's calls come as naga's atomics with a
//! mark ([`crate::front::text::rewrite`]), GLSL's by name ([`super::glsl_atomics`]). The languages'
//! 64-bit types are no types of this compiler: `warpAtomicAdd64` and so on take two words, the low
//! one first, and come as functions of such a pair in both languages.
//!
//! Without [`Options::warp_wide`](crate::front::Options) the lowest lane does an atomic of its own
//! and the others get its result: an election (the smallest lane number), a branch around the
//! atomic, and a broadcast behind the place where lanes meet again. The branch is never taken back
//! by a lane, so the lanes that were together are together again: the merge block lies behind the
//! arm. Wrong would be a broadcast from a lane that is not there; the elected one always is.

use super::cx::{Base, Cx, Place, Res};
use super::types::Shape;
use crate::front::text::atomics::wide_name;
use crate::front::text::diag::Diagnostic;
use crate::front::text::edit::Mark;
use crate::ssa::{AtomicOp, Kind, Space, Value};
use naga::{Expression, Handle, ScalarKind};
use quadlock_isa::{Op, Special};

impl<'a> Cx<'_, 'a> {
    /// An operation across the lanes that are together.
    pub fn across(&mut self, op: Op, args: &[Value]) -> Value {
        self.b.push(Kind::CrossLane { op, args: args.to_vec() }, 1)[0]
    }

    /// The lowest lane that is here.
    pub fn leader(&mut self) -> Value {
        let lane = self.b.special(Special::Lane);
        self.across(Op::WRedUMin, &[lane])
    }

    /// Whether this lane is the lowest that is here.
    pub fn elected(&mut self) -> Value {
        let lane = self.b.special(Special::Lane);
        let leader = self.leader();
        self.b.alu2(Op::ISetEq, lane, leader)
    }

    /// An atomic on `place`, of each lane, or of the warp if there is a mark: the old words, or
    /// whether the lock changed.
    pub fn atomic_on(
        &mut self,
        place: Place,
        op: AtomicOp,
        values: Vec<Value>,
        expected: Vec<Value>,
        mark: Option<Mark>,
    ) -> Res<Vec<Value>> {
        let (space, addr, offset) = self.atomic_address(place)?;
        let lock = matches!(mark, Some(Mark::Lock(_)));
        let op = if lock { AtomicOp::Lock } else { op };
        let warp_wide = mark.is_some() && self.p.options.warp_wide;
        let words = values.len();
        let kind = |op, expected| Kind::Atomic { space, warp_wide, op, addr, offset: offset as i32, values, expected };
        // A lock may guard memory of either kind, wherever its own word is.
        let fence = Kind::Fence { polling: false };
        if lock {
            self.b.push(fence.clone(), 0);
        }
        if mark.is_none() || warp_wide {
            let old = self.b.push(kind(op, expected), words);
            if lock {
                self.b.push(fence, 0);
            }
            return Ok(old);
        }
        // A lock is a compare-and-exchange of a lane.
        let wanted = match mark {
            Some(Mark::Lock(take)) => Some(u32::from(!take)),
            _ => None,
        };
        let wanted = wanted.map(|w| self.b.constant(w));
        let kind = match wanted {
            Some(w) => kind(AtomicOp::Cas, vec![w]),
            None => kind(op, expected),
        };
        let leader = self.leader();
        let lane = self.b.special(Special::Lane);
        let first = self.b.alu2(Op::ISetEq, lane, leader);
        let result = self.b.slot(words as u32, "warp");
        let [arm, merge] = std::array::from_fn(|_| self.b.block());
        self.b.branch(first, arm, merge);
        self.b.start(arm);
        let old = self.b.push(kind, words);
        self.b.slot_store_all(result, &old);
        self.b.jump(merge);
        self.b.start(merge);
        let own = self.b.slot_load_all(result);
        let old: Vec<Value> = own.into_iter().map(|own| self.across(Op::QShuf, &[own, leader])).collect();
        Ok(match wanted {
            Some(w) => {
                self.b.push(fence, 0);
                vec![self.b.alu2(Op::ISetEq, old[0], w)]
            }
            None => old,
        })
    }

    /// A call of one of [`WIDE`] in WGSL. Its first argument stands behind a `*`, so it is a load,
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
        let pair = matches!(place.shape, Shape::Vector { size: 2, scalar } if scalar.kind == ScalarKind::Uint);
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
        self.atomic_on(place, op, values, expected, Some(Mark::Wide(op)))
    }

    fn not_wide(&self, op: AtomicOp) -> Diagnostic {
        let pair = if self.unit.is_glsl { "a uvec2" } else { "a vec2<u32>" };
        let message =
            format!("{} is on {pair} in a storage buffer that may be written or in work-group memory", wide_name(op));
        self.refuse_help(message, "put the variable there, low word first")
    }
}
