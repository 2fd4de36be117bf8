//! The order in which stores and atomics had their effect: one witness for all checkers of atomics,
//! which get the steps with [`completed`](super::checkers::checker::Checker::completed).
//! With one core it is the order of completions; with several the memory port decides, transaction
//! by transaction, and what an instruction did is known only when it has completed: its steps wait
//! for that, and those behind it too. Wrong would be the order of completions with several cores:
//! the core that is told first need not have been the first.

use std::collections::{HashMap, VecDeque};

use quadlock_golden::{Effect, Golden, MemKind};
use quadlock_isa::abi::{LANES, LINE_BYTES};
use quadlock_isa::{group_register, Op};

use super::finding::{Check, Finding, What as Wrong};
use super::sequencer::Completed;
use crate::machine::lanes::{has_lane, lanes};
use crate::machine::ports::LaunchEvent;

/// A store to one line or one lane's atomic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub unit: usize,
    pub warp: usize,
    /// Number of the warp's launch in its slot, from 1. The slot may have been launched again when
    /// the step's turn comes.
    pub launch: u64,
    pub pc: u16,
    /// Unit whose shared storage is accessed; `None`: global memory.
    pub shared: Option<usize>,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Bytes stored, of one line.
    Store(Vec<(u32, u8)>),
    Atomic(Atomic),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Atomic {
    pub op: quadlock_isa::AtomicOp,
    pub lane: usize,
    /// Address as accessed, and bytes.
    pub addr: u32,
    pub bytes: u8,
    pub operand: u64,
    pub compare: u64,
    /// What the model found and left.
    pub old: u64,
    pub new: u64,
    /// What the machine returned, if it did.
    pub returned: Option<u64>,
    /// The access is outside memory.
    pub fault: bool,
}

/// An instruction: unit, warp, order number in its slot.
type Key = (usize, usize, u64);

/// Orders the steps.
#[derive(Clone, Debug, Default)]
pub struct Witness {
    /// The program has atomics; without them there is nothing to order.
    wanted: bool,
    /// The machine has several cores: transactions decide.
    several: bool,
    /// Transactions of several cores: instruction, number of its atomic's read or line of its
    /// store, and what it did if that is known.
    queue: VecDeque<(Key, u32, Option<Step>)>,
    /// Reads of atomics that have been performed, of instructions not complete.
    reads: HashMap<Key, u32>,
    /// By unit and slot.
    launches: HashMap<(usize, usize), u64>,
}

/// What the machine delivered to a lane, low register first.
pub fn returned(done: &Completed, effect: &Effect, lane: usize) -> Option<u64> {
    let (first, count) = effect.dest?;
    (0..count).rev().try_fold(0, |value, k| {
        let register = group_register(first, k);
        let beat = done.beats.iter().find(|b| b.wen && b.dst == register && has_lane(b.mask, lane))?;
        Some(value << 32 | u64::from(beat.value[lane]))
    })
}

fn steps(launch: u64, done: &Completed, effect: &Effect, golden: &Golden) -> Vec<(u32, Step)> {
    let Some(mem) = &effect.mem else { return Vec::new() };
    let step = |what| Step {
        unit: effect.unit,
        warp: effect.warp,
        launch,
        pc: effect.pc,
        shared: mem.shared.then_some(effect.unit),
        what,
    };
    match mem.kind {
        MemKind::Load => Vec::new(),
        MemKind::Store => {
            let mut out: Vec<(u32, Step)> = Vec::with_capacity(LANES);
            for &(addr, value) in &mem.writes {
                let line = addr & !(LINE_BYTES - 1);
                match out.last_mut() {
                    Some((at, Step { what: What::Store(bytes), .. })) if *at == line => bytes.push((addr, value)),
                    _ => out.push((line, step(What::Store(vec![(addr, value)])))),
                }
            }
            out
        }
        MemKind::Atomic(op) => {
            let memory = if mem.shared { golden.shared(effect.unit) } else { golden.memory() };
            let atomic = |lane: usize| Atomic {
                op,
                lane,
                addr: memory.effective(mem.addr[lane], mem.bytes),
                bytes: mem.bytes,
                operand: mem.operand[lane],
                compare: mem.compare[lane],
                old: mem.old[lane],
                new: mem.new[lane],
                returned: returned(done, effect, lane),
                fault: has_lane(mem.fault, lane),
            };
            let all = lanes(mem.performers).map(|lane| step(What::Atomic(atomic(lane))));
            all.enumerate().map(|(n, step)| (n as u32, step)).collect()
        }
    }
}

impl Witness {
    /// For a program of these operations, on a machine of one core or of several.
    pub fn new(ops: &[Option<Op>], cores: usize) -> Self {
        Self { wanted: ops.iter().flatten().any(|op| op.is_atomic()), several: cores > 1, ..Self::default() }
    }

    /// A warp has been launched: all instructions of the slot's last one have completed.
    pub fn launched(&mut self, event: &LaunchEvent) {
        *self.launches.entry((event.unit.into(), event.warp.into())).or_default() += 1;
    }

    /// A transaction of several cores: the read or `write` of a line.
    pub fn performed(&mut self, done: &Completed, (line, write): (u32, bool), atomic: bool) {
        if write == atomic || !self.wanted {
            // Loads, and the writes of atomics: those are performed with their reads.
            return;
        }
        let key = (done.unit, done.warp, done.order);
        let number = match atomic {
            true => {
                let count = self.reads.entry(key).or_default();
                *count += 1;
                *count - 1
            }
            false => line,
        };
        self.queue.push_back((key, number, None));
    }

    /// An instruction has completed: the steps that are known now, in order.
    pub fn completed(&mut self, done: &Completed, effect: &Effect, golden: &Golden) -> Vec<Step> {
        if effect.mem.is_none() || !self.wanted {
            return Vec::new();
        }
        let launch = self.launches.get(&(done.unit, done.warp)).copied().unwrap_or(0);
        let steps = steps(launch, done, effect, golden);
        if done.shared || !self.several {
            return steps.into_iter().map(|s| s.1).collect();
        }
        let key = (done.unit, done.warp, done.order);
        self.reads.remove(&key);
        for (number, step) in steps {
            if let Some(entry) = self.queue.iter_mut().find(|e| (e.0, e.1) == (key, number) && e.2.is_none()) {
                entry.2 = Some(step);
            }
        }
        let known = self.queue.iter().take_while(|e| e.2.is_some()).count();
        self.queue.drain(..known).filter_map(|e| e.2).collect()
    }

    /// To be asked when a run has ended well: one transaction whose instruction never completes
    /// keeps all steps behind it from being judged.
    ///
    /// # Errors
    /// A transaction that waits still.
    pub fn end(&self) -> Check {
        let Some(&((unit, warp, order), number, _)) = self.queue.front() else { return Ok(()) };
        let count = self.queue.len();
        Finding::err(Wrong::Unjudged { count, unit, warp, order, number })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transaction_that_is_left_is_found() {
        let mut witness = Witness::default();
        assert!(witness.end().is_ok());
        witness.queue.push_back(((1, 2, 300), 0x1200, None));
        let left = Wrong::Unjudged { count: 1, unit: 1, warp: 2, order: 300, number: 0x1200 };
        assert_eq!(witness.end().unwrap_err().what, left);
    }
}
