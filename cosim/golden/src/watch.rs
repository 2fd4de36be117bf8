//! A log of the changes of lock words when the model runs alone, in the order in which memory has
//! them: what somebody needs who judges whose lock a warp gives back. The model itself has no rule
//! about that, as the instruction set has none. Words are watched that the host names, and every
//! word once the lock form was used on it. It would be wrong to log on the way by which the model
//! follows a machine: there its effects say the same.

use std::collections::BTreeSet;

use quadlock_isa::AtomicOp;

use crate::access::{Access, Outcome};
use crate::effect::MemKind;
use crate::lanes::lanes_of;
use crate::memory::Memory;
use crate::warp::Warp;

/// A store to watched words, or one lane's atomic on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordChange {
    /// Global number of the warp unit.
    pub unit: usize,
    /// Warp slot.
    pub warp: usize,
    /// Number of the warp's launch in its slot, from 1.
    pub launch: u64,
    /// Counter of the instruction.
    pub pc: u16,
    /// The operation of an atomic.
    pub atomic: Option<AtomicOp>,
    /// What it left, ascending by address.
    pub bytes: Vec<(u32, u8)>,
}

/// What is watched, and what has been seen.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    /// (address of the first word, number of words, bytes from one to the next).
    named: Vec<(u32, u32, u32)>,
    locks: BTreeSet<u32>,
    pub log: Vec<WordChange>,
}

impl Watch {
    pub fn new(named: Vec<(u32, u32, u32)>) -> Self {
        Self { named, locks: BTreeSet::new(), log: Vec::new() }
    }

    fn watches(&self, word: u32) -> bool {
        let named = |&(first, count, step): &(u32, u32, u32)| {
            word >= first && (word - first).is_multiple_of(step) && (word - first) / step < count
        };
        self.locks.contains(&word) || self.named.iter().any(named)
    }

    /// An access to global memory that has been performed.
    pub fn note(&mut self, slot: &Warp, pc: u16, access: &Access, memory: &Memory, outcome: &Outcome) {
        let form = access.form;
        let place = |lane: usize| memory.effective(access.addr[lane], form.bytes);
        let change = |atomic, bytes| {
            let (unit, warp) = (slot.launch.unit, slot.launch.warp);
            WordChange { unit, warp, launch: slot.launches, pc, atomic, bytes }
        };
        match form.kind {
            MemKind::Load => {}
            MemKind::Store => {
                let touched = |lane| (place(lane) & !3..place(lane).saturating_add(form.bytes.into())).step_by(4);
                if lanes_of(access.performers).flat_map(touched).any(|word| self.watches(word)) {
                    self.log.push(change(None, access.writes(memory, outcome)));
                }
            }
            MemKind::Atomic(op) => {
                for lane in lanes_of(access.performers) {
                    let (addr, changed) = (place(lane), outcome.old[lane] != outcome.new[lane]);
                    if op == AtomicOp::Lock {
                        self.locks.insert(addr);
                    }
                    let mut words = (addr..addr.saturating_add(form.bytes.into())).step_by(4);
                    if changed && words.any(|word| self.watches(word)) {
                        let value = outcome.new[lane].to_le_bytes();
                        self.log.push(change(Some(op), (addr..).zip(value).take(form.bytes.into()).collect()));
                    }
                }
            }
        }
    }
}
