//! Waiting threads (`SE-24`, `SE-30` to `SE-32`): a warp that the model has waiting issues nothing,
//! the first instruction after a wait is issued later than the transfer of the acknowledgement that
//! ended it, and a slot gets its next thread only after every acknowledgement for the last one. The
//! cycle of issue is taken from the cycle of the retire record; with another pipeline length
//! [`RETIRE_DELAY`] would be wrong and an early issue missed.
//!
//! The machine's own word for it, the event `waiting`, is compared with the model in every cycle. A
//! slot that waits in the model and to which no acknowledgement is on its way shows it. A slot that
//! shows it waits in the model too, once all that it issued before has retired and is executed in
//! the model. A slot that shows it issues nothing in that cycle.

use std::collections::HashMap;

use quadlock_golden::semaphores::{thread_id, SLOTS_PER_UNIT};
use quadlock_golden::Effect;
use quadlock_isa::Op;

use super::checker::{Checker, Context};
use crate::lockstep::finding::{Check, Compare, Concern, Finding, Name, Value, WaitShown, What};
use crate::lockstep::sequencer::Retired;
use crate::machine::ports::{BusEvent, LaunchEvent, MessageKind};

/// Cycles from an instruction's issue to its retire record (`docs/blocks/warp-unit.md`).
pub const RETIRE_DELAY: u64 = 7;

/// Cycles in a row that a slot may show that it waits before the model must know why: until the
/// instruction has retired, and two to spare.
const KNOWN_AFTER: u64 = RETIRE_DELAY + 3;

/// Cycles of `waiting` that are kept: the last one is that of the issue of what retires now.
const KEPT: usize = RETIRE_DELAY as usize + 1;

#[derive(Clone, Default)]
pub struct WaitChecker {
    /// By unit and warp slot; empty in programs without semaphores.
    slots: HashMap<(usize, usize), Slot>,
    /// By thread identifier; `None` before the first cycle, empty in programs without semaphores.
    watched: Option<Vec<Watch>>,
    /// By unit: which slots waited, by cycle modulo [`KEPT`].
    shown: Vec<[u16; KEPT]>,
    /// By unit: its warp slots.
    warps: Vec<usize>,
}

/// How far the model is behind the machine in a slot, and how long the slot has shown that it
/// waits.
#[derive(Clone, Copy, Default)]
struct Watch {
    /// Acknowledgements transferred on the bus, and those that the model has had.
    transferred: u64,
    applied: u64,
    /// Instructions retired, and those that the model has executed.
    retired: u64,
    executed: u64,
    /// Cycles in a row, since the last acknowledgement.
    shown: u64,
}

impl Watch {
    /// Compares a slot's bit with the model; how it is wrong.
    fn judge(&mut self, shows: bool, model: bool) -> Option<WaitShown> {
        self.shown = if shows { self.shown + 1 } else { 0 };
        let acknowledged = self.transferred == self.applied;
        let executed = self.retired == self.executed;
        if model && !shows && acknowledged {
            return Some(WaitShown::Running);
        }
        let wrong = shows && !model && acknowledged && executed && self.shown > KNOWN_AFTER;
        wrong.then_some(WaitShown::Waiting)
    }
}

impl WaitChecker {
    fn watch(&mut self, unit: usize, warp: usize) -> Option<&mut Watch> {
        self.watched.as_mut()?.get_mut(usize::from(thread_id(unit, warp)))
    }

    /// Whether the program can wait at all.
    fn begin(&mut self, cx: &Context) {
        let waits = cx.ops.iter().any(|op| matches!(op, Some(Op::Acs | Op::Asr | Op::Wts)));
        let units = if waits { cx.config.total_units() } else { 0 };
        self.watched = Some(vec![Watch::default(); units * SLOTS_PER_UNIT]);
        self.shown = vec![[0; KEPT]; units];
        self.warps = cx.config.unit_places().iter().map(|u| u.warps).collect();
    }
}

#[derive(Clone, Copy, Default)]
struct Slot {
    /// Cycle in which the last acknowledgement was transferred on the bus.
    acknowledged: u64,
    /// The next instruction is the first after ACS, ASR or WTS.
    after_wait: bool,
}

impl Checker for WaitChecker {
    fn concern(&self) -> Concern {
        Concern::Wait
    }

    fn copy(&self) -> Box<dyn Checker> {
        Box::new(self.clone())
    }

    fn bus(&mut self, _cycle: u64, event: &BusEvent, _cx: &Context) -> Check {
        let watched = self.watched.as_mut().and_then(|all| all.get_mut(usize::from(event.thread)));
        if let Some(watch) = watched.filter(|_| event.kind == MessageKind::Acknowledge) {
            watch.transferred += 1;
            watch.shown = 0;
        }
        Ok(())
    }

    fn cycle(&mut self, cx: &Context) -> Check {
        if self.watched.is_none() {
            self.begin(cx);
        }
        let now = (cx.cycle % KEPT as u64) as usize;
        let issued = (now + 1) % KEPT;
        for (unit, shown) in self.shown.iter_mut().enumerate() {
            let Some(out) = cx.outputs.units.get(unit) else { continue };
            shown[now] = out.waiting;
            let all = self.watched.iter_mut().flatten().skip(unit * SLOTS_PER_UNIT);
            for (warp, watch) in all.take(self.warps[unit]).enumerate() {
                if out.retire.is_some_and(|r| usize::from(r.warp) == warp) {
                    watch.retired += 1;
                    if shown[issued] >> warp & 1 == 1 {
                        return Finding::err(What::Shown { unit, warp, how: WaitShown::IssuesWaiting });
                    }
                }
                let model = cx.golden.warp(unit, warp).is_waiting();
                if let Some(how) = watch.judge(out.waiting >> warp & 1 == 1, model) {
                    return Finding::err(What::Shown { unit, warp, how });
                }
            }
        }
        Ok(())
    }

    fn acknowledged(&mut self, cycle: u64, unit: usize, warp: usize) {
        if let Some(watch) = self.watch(unit, warp) {
            watch.applied += 1;
        }
        self.slots.entry((unit, warp)).or_default().acknowledged = cycle;
    }

    fn launched(&mut self, cycle: u64, event: &LaunchEvent, _cx: &Context) -> Check {
        let key = (usize::from(event.unit), usize::from(event.warp));
        let Some(slot) = self.slots.get_mut(&key) else { return Ok(()) };
        slot.after_wait = false;
        if slot.acknowledged < cycle {
            return Ok(());
        }
        let mut c = Compare::default();
        let name = Name::Of("launch, after the last thread's acknowledgement in");
        c.field(name, slot.acknowledged, cycle, Value::Cycle);
        c.finish(What::LaunchedUnacknowledged)
    }

    fn before_issue(&mut self, record: &Retired, cx: &Context) -> Check {
        let key = (record.unit, usize::from(record.event.warp));
        let warp = cx.golden.warp(key.0, key.1);
        if warp.is_waiting() {
            return Finding::err(What::ExecutesWaiting { acknowledgements: warp.wait_count() });
        }
        let Some(slot) = self.slots.get(&key).filter(|s| s.after_wait) else { return Ok(()) };
        if record.cycle > slot.acknowledged + RETIRE_DELAY || slot.acknowledged == 0 {
            return Ok(());
        }
        let mut c = Compare::default();
        let issued = record.cycle.saturating_sub(RETIRE_DELAY);
        c.field(Name::Of("issued after the acknowledgement in"), slot.acknowledged, issued, Value::Cycle);
        c.finish(What::GoesOnUnacknowledged)
    }

    fn issued(&mut self, record: &Retired, effect: &Effect, cx: &Context) -> Check {
        let key = (record.unit, usize::from(record.event.warp));
        if let Some(watch) = self.watch(key.0, key.1) {
            watch.executed += 1;
        }
        let waits = effect.trap.is_none() && matches!(cx.op(effect.pc), Some(Op::Acs | Op::Asr | Op::Wts));
        if waits {
            self.slots.entry(key).or_default().after_wait = true;
        } else if let Some(slot) = self.slots.get_mut(&key) {
            slot.after_wait = false;
        }
        Ok(())
    }
}
