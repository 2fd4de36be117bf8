//! Atomics and locks that the warp performs once, for the lanes that are together (WW-20, WW-22, WW-40; docs/warp-wide.md): `warpAtomicAdd` and so on. WGSL's calls come as
//! naga's atomics with a mark ([`super::rewrite`]), GLSL's by name ([`super::glsl_atomics`]).
//!
//! Without [`Options::warp_wide`](super::Options) the lowest lane does an atomic of its own and the others get its result: an election (the smallest lane number), a branch around
//! the atomic, and a broadcast behind the place where lanes meet again. The branch is never taken back by a lane, so the lanes that were together are together again: the merge
//! block lies behind the arm. Wrong would be a broadcast from a lane that is not there; the elected one always is.

use super::lower::{Cx, Res};
use super::place::Place;
use super::rewrite::Mark;
use crate::ssa::{AtomicOp, Kind, Space, Value};
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

    /// An atomic on `place`, of each lane, or of the warp if there is a mark: the old value, or whether the lock changed.
    pub fn atomic_on(
        &mut self,
        place: Place,
        op: AtomicOp,
        value: Value,
        expected: Option<Value>,
        mark: Option<Mark>,
    ) -> Res<Value> {
        let (space, addr, offset) = self.atomic_address(place)?;
        let lock = matches!(mark, Some(Mark::Lock(_)));
        if mark.is_some() && space != Space::Global {
            let message = "an operation of the whole warp is on a storage buffer, not on work-group memory";
            return Err(self.refuse_help(
                message,
                "put the variable in a storage buffer, or use the atomic function of each lane",
            ));
        }
        let op = if lock { AtomicOp::Lock } else { op };
        let warp_wide = mark.is_some() && self.p.options.warp_wide;
        let kind = |op, expected| Kind::Atomic { space, warp_wide, op, addr, offset: offset as i32, value, expected };
        if mark.is_none() || warp_wide {
            return Ok(self.b.push(kind(op, expected), 1)[0]);
        }
        // A lock is a compare-and-exchange of a lane.
        let wanted = match mark {
            Some(Mark::Lock(take)) => Some(u32::from(!take)),
            _ => None,
        };
        let wanted = wanted.map(|w| self.b.constant(w));
        let kind = match wanted {
            Some(w) => kind(AtomicOp::Cas, Some(w)),
            None => kind(op, expected),
        };
        let leader = self.leader();
        let lane = self.b.special(Special::Lane);
        let first = self.b.alu2(Op::ISetEq, lane, leader);
        let result = self.b.slot(1, "warp");
        let [arm, merge] = std::array::from_fn(|_| self.b.block());
        self.b.branch(first, arm, merge);
        self.b.start(arm);
        let old = self.b.push(kind, 1)[0];
        self.b.slot_store(result, 0, old);
        self.b.jump(merge);
        self.b.start(merge);
        let own = self.b.slot_load(result, 0);
        let old = self.across(Op::QShuf, &[own, leader]);
        Ok(match wanted {
            Some(w) => self.b.alu2(Op::ISetEq, old, w),
            None => old,
        })
    }
}
