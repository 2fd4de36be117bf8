//! Waiting threads (`SE-24`, `SE-30` to `SE-32`): a warp that the model has waiting issues nothing, the first instruction after a wait is issued later than the transfer of
//! the acknowledgement that ended it, and a slot gets its next thread only after every acknowledgement for the last one. The cycle of issue is taken from
//! the cycle of the retire record; with another pipeline length [`RETIRE_DELAY`] would be wrong and an early issue missed.

use std::collections::HashMap;

use quadlock_golden::Effect;
use quadlock_isa::Op;

use super::{Check, Checker, Compare, Context, Finding};
use crate::engine::LaunchEvent;
use crate::lockstep::sequencer::Retired;

/// Cycles from an instruction's issue to its retire record (`docs/blocks/warp-unit.md`).
pub const RETIRE_DELAY: u64 = 7;

#[derive(Clone, Default)]
pub struct WaitChecker {
    /// By unit and warp slot; empty in programs without semaphores.
    slots: HashMap<(usize, usize), Slot>,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    /// Cycle in which the last acknowledgement was transferred on the bus.
    acknowledged: u64,
    /// The next instruction is the first after ACS, ASR or WTS.
    after_wait: bool,
}

impl Checker for WaitChecker {
    fn name(&self) -> &'static str {
        "wait"
    }

    fn copy(&self) -> Box<dyn Checker> {
        Box::new(self.clone())
    }

    fn acknowledged(&mut self, cycle: u64, unit: usize, warp: usize) {
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
        let text = |cycle: &u64| format!("cycle {cycle}");
        c.field("launch, after the last thread's acknowledgement in", slot.acknowledged, cycle, text);
        c.finish("a slot is launched into before every acknowledgement for its last thread has come")
    }

    fn before_issue(&mut self, record: &Retired, cx: &Context) -> Check {
        let key = (record.unit, usize::from(record.event.warp));
        let warp = cx.golden.warp(key.0, key.1);
        if warp.is_waiting() {
            let what =
                format!("a thread executes while it waits for {} acknowledgement(s) of a semaphore", warp.wait_count());
            return Err(Box::new(Finding::new(what)));
        }
        let Some(slot) = self.slots.get(&key).filter(|s| s.after_wait) else { return Ok(()) };
        if record.cycle > slot.acknowledged + RETIRE_DELAY || slot.acknowledged == 0 {
            return Ok(());
        }
        let mut c = Compare::default();
        let issued = record.cycle.saturating_sub(RETIRE_DELAY);
        let text = |cycle: &u64| format!("cycle {cycle}");
        c.field("issued after the acknowledgement in", slot.acknowledged, issued, text);
        c.finish("a thread goes on before the acknowledgement that it waits for")
    }

    fn issued(&mut self, record: &Retired, effect: &Effect, cx: &Context) -> Check {
        let key = (record.unit, usize::from(record.event.warp));
        let waits = effect.trap.is_none() && matches!(cx.op(effect.pc), Some(Op::Acs | Op::Asr | Op::Wts));
        if waits {
            self.slots.entry(key).or_default().after_wait = true;
        } else if let Some(slot) = self.slots.get_mut(&key) {
            slot.after_wait = false;
        }
        Ok(())
    }
}
