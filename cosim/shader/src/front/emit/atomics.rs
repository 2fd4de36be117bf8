//! Atomics: of each lane, or performed once for the lanes that are together (WW-20, WW-22, WW-40;
//! docs/warp-wide.md).
//!
//! Without [`Options::warp_wide`](crate::front::Options) the lowest lane does an atomic of its own
//! and the others get its result: an election (the smallest lane number), a branch around the
//! atomic, and a broadcast behind the place where lanes meet again. The branch is never taken back
//! by a lane, so the lanes that were together are together again: the merge block lies behind the
//! arm. Wrong would be a broadcast from a lane that is not there; the elected one always is.

use super::cx::{Emit, Res};
use super::place::Place;
use crate::ssa::{AtomicOp, Kind, Value};
use quadlock_isa::{Op, Special};

/// Who performs an atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wide {
    /// Each lane.
    Lane,
    /// The warp, once.
    Warp,
    /// The warp takes or gives back a lock.
    Lock { take: bool },
}

impl Emit<'_> {
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

    /// An atomic on `place`, of each lane, or of the warp: the old words, or
    /// whether the lock changed.
    pub fn atomic_on(
        &mut self,
        place: Place,
        op: AtomicOp,
        values: Vec<Value>,
        expected: Vec<Value>,
        scope: Wide,
    ) -> Res<Vec<Value>> {
        let (space, addr, offset) = self.atomic_address(place)?;
        let lock = matches!(scope, Wide::Lock { .. });
        let op = if lock { AtomicOp::Lock } else { op };
        let warp_wide = scope != Wide::Lane && self.p.options.warp_wide;
        let words = values.len();
        let kind = |op, expected| Kind::Atomic { space, warp_wide, op, addr, offset: offset as i32, values, expected };
        // A lock may guard memory of either kind, wherever its own word is.
        let fence = Kind::Fence { polling: false };
        if lock {
            self.b.push(fence.clone(), 0);
        }
        if scope == Wide::Lane || warp_wide {
            let old = self.b.push(kind(op, expected), words);
            if lock {
                self.b.push(fence, 0);
            }
            return Ok(old);
        }
        // A lock is a compare-and-exchange of a lane.
        let wanted = match scope {
            Wide::Lock { take } => Some(u32::from(!take)),
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
}
