//! Hand-overs of semaphores, from the event ports: how many acknowledgements followed a release,
//! and how long it took from the release to the first instruction of the thread that had waited.
//!
//! Release and first instruction are both timed by their retirement, which comes the same number of
//! cycles after their issue; of the release, the cycles until the warp unit holds its message are
//! taken off. So a latency is the time from "REL_MSG is valid at the warp unit" to "the successor
//! issues", waiting for a busy unit or an operand included. A thread that was acknowledged before
//! it came to its wait is a hand-over without a latency. The retirement of a release may come after
//! its message has reached the semaphore entity: releases of a thread are matched by their number.
//! A first instruction before the release cannot be: it is counted as a contradiction.

use std::collections::HashMap;

use serde::Serialize;

use crate::figures::grants::{Grants, Release};
use crate::machine::ports::{ListOpKind, Outputs};

/// Cycles from issue to retirement in the lane pipeline.
const RETIRE: u64 = 7;
/// Cycles from the issue of a semaphore instruction to its message at the warp unit's port.
const MESSAGE: u64 = 2;
/// Warp slots of a unit in a thread's number.
const SLOTS: usize = 16;

/// Time from a release to the successor's first instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Latency {
    pub median: u64,
    pub max: u64,
}

/// What has been seen so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handovers {
    pub messages: u64,
    pub protocol_errors: u64,
    pub count: u64,
    latencies: Vec<u64>,
    cycle: u64,
    grants: Grants,
    /// First instructions that retired before the release that they follow.
    impossible: u64,
    /// Cycles in which releases retired, by thread.
    retired: HashMap<u16, Vec<u64>>,
    /// Threads that were woken and have not issued an instruction since: by whose release, and in
    /// which cycle the acknowledgement came.
    woken: HashMap<u16, (Release, u64)>,
    /// Woken threads whose first instruction has retired, and when, but the release has not.
    open: Vec<(Release, u64)>,
}

impl Handovers {
    /// Takes the events of a cycle. `is_release` tells whether the instruction word of a retirement
    /// is an RLS.
    pub fn observe(&mut self, outputs: &Outputs, is_release: &mut dyn FnMut(u16, u64) -> bool) {
        self.cycle += 1;
        self.messages += outputs.bus.len() as u64;
        self.protocol_errors += u64::from(outputs.list_op.is_some_and(|op| op.kind == ListOpKind::Error));
        for grant in self.grants.observe(self.cycle, outputs) {
            self.granted(outputs, grant.thread, grant.after);
        }
        for (unit, out) in outputs.units.iter().enumerate() {
            let Some(retire) = out.retire else { continue };
            let thread = (unit * SLOTS + usize::from(retire.warp)) as u16;
            self.retired(thread, is_release(retire.pc, retire.word()));
        }
    }

    /// Events that contradict each other: 0 with a machine that works.
    pub fn contradictions(&self) -> u64 {
        self.grants.contradictions() + self.impossible
    }

    fn granted(&mut self, outputs: &Outputs, thread: u16, after: Option<Release>) {
        self.count += u64::from(after.is_some());
        let (unit, warp) = (usize::from(thread) / SLOTS, usize::from(thread) % SLOTS);
        let waits = outputs.units.get(unit).is_some_and(|u| u.waiting >> warp & 1 == 1);
        match after {
            // Only the last of several acknowledgements wakes it.
            Some(release) if waits => self.woken.insert(thread, (release, self.cycle)),
            _ => self.woken.remove(&thread),
        };
    }

    fn retired(&mut self, thread: u16, is_release: bool) {
        let first = self.woken.get(&thread).filter(|(_, ack)| self.cycle > ack + RETIRE);
        if let Some(&(release, _)) = first {
            self.woken.remove(&thread);
            self.open.push((release, self.cycle));
        }
        if is_release {
            self.retired.entry(thread).or_default().push(self.cycle);
        }
        let (retired, latencies, impossible) = (&self.retired, &mut self.latencies, &mut self.impossible);
        self.open.retain(|&(by, end)| match retired.get(&by.thread).and_then(|r| r.get(by.number)) {
            Some(&start) => {
                match end.checked_sub(start + MESSAGE) {
                    Some(latency) => latencies.push(latency),
                    None => *impossible += 1,
                }
                false
            }
            None => true,
        });
    }

    /// Of all hand-overs to a thread that was waiting; `None` if there was none.
    pub fn latency(&self) -> Option<Latency> {
        let mut sorted = self.latencies.clone();
        sorted.sort_unstable();
        Some(Latency { median: *sorted.get(sorted.len() / 2)?, max: *sorted.last()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::ports::{BusEvent, ListOp, MessageKind, RetireEvent, UnitOutputs};

    const RLS: u64 = 0xD3;

    fn cycle(h: &mut Handovers, change: impl FnOnce(&mut Outputs)) {
        let mut outputs = Outputs { units: vec![UnitOutputs::default(); 2], ..Outputs::default() };
        change(&mut outputs);
        h.observe(&outputs, &mut |_, word| word == RLS);
    }

    fn bus(kind: MessageKind, semaphore: u16, thread: u16) -> BusEvent {
        BusEvent { kind, semaphore, thread, ..BusEvent::default() }
    }

    fn list(kind: ListOpKind, semaphore: u16, thread: u16) -> Option<ListOp> {
        Some(ListOp { kind, semaphore, thread, entry: 0 })
    }

    fn retire(warp: u8, word: u64) -> Option<RetireEvent> {
        Some(RetireEvent { warp, ..RetireEvent::default() }.with_word(word))
    }

    /// Thread 0 of unit 0 has semaphore 5; thread 16 (unit 1) waits for it, and gets it 9 cycles
    /// after the message of the release was there.
    #[test]
    fn a_hand_over_is_timed_from_the_release_to_the_first_instruction() {
        let mut h = Handovers::default();
        for thread in [0, 16] {
            cycle(&mut h, |o| o.bus = vec![bus(MessageKind::Acquire, 5, thread)]);
            cycle(&mut h, |o| o.list_op = list(ListOpKind::Appended, 5, thread));
        }
        cycle(&mut h, |o| o.bus = vec![bus(MessageKind::Acknowledge, 5, 0)]);
        assert_eq!(h.count, 0, "it was free");
        // RLS issues in cycle 20 (retires in 27), its message is there in 22 and at the entity
        // in 25.
        let at = |h: &mut Handovers, end: u64, f: &mut dyn FnMut(u64, &mut Outputs)| {
            while h.cycle < end {
                let now = h.cycle + 1;
                cycle(h, |o| f(now, o));
            }
        };
        at(&mut h, 50, &mut |now, o| {
            o.units[1].waiting = u16::from(now <= 29);
            match now {
                25 => o.bus = vec![bus(MessageKind::Release, 5, 0)],
                26 => o.list_op = list(ListOpKind::Removed, 5, 0),
                27 => {
                    o.bus = vec![bus(MessageKind::Acknowledge, 5, 16)];
                    o.units[0].retire = retire(0, RLS);
                }
                // Its WTS, which issued before.
                30 => o.units[1].retire = retire(0, 0xD2),
                // Issued in 31.
                38 => o.units[1].retire = retire(0, 1),
                39 => o.units[1].retire = retire(0, 2),
                _ => {}
            }
        });
        assert_eq!((h.count, h.messages, h.protocol_errors), (1, 5, 0));
        assert_eq!(h.latency(), Some(Latency { median: 9, max: 9 }));
    }

    #[test]
    fn a_thread_that_does_not_wait_yet_has_no_latency_and_errors_are_counted() {
        let mut h = Handovers::default();
        for thread in [0, 16] {
            cycle(&mut h, |o| o.bus = vec![bus(MessageKind::Acquire, 1, thread)]);
            cycle(&mut h, |o| o.list_op = list(ListOpKind::Appended, 1, thread));
        }
        cycle(&mut h, |o| o.bus = vec![bus(MessageKind::Release, 1, 3)]);
        cycle(&mut h, |o| o.bus = vec![bus(MessageKind::Release, 1, 0)]);
        cycle(&mut h, |o| o.list_op = list(ListOpKind::Error, 1, 3));
        cycle(&mut h, |o| o.list_op = list(ListOpKind::Removed, 1, 0));
        cycle(&mut h, |o| o.bus = vec![bus(MessageKind::Acknowledge, 1, 16)]);
        (0..20).for_each(|_| cycle(&mut h, |o| o.units[1].retire = retire(0, 2)));
        assert_eq!((h.count, h.protocol_errors, h.latency(), h.contradictions()), (1, 1, None, 0));
    }

    /// A thread that waits for two, of which the second was free, was not woken by the first's
    /// release.
    #[test]
    fn the_last_acknowledgement_wakes() {
        let mut h = Handovers::default();
        for (semaphore, thread) in [(1, 0), (1, 16), (2, 16)] {
            cycle(&mut h, |o| o.bus = vec![bus(MessageKind::Acquire, semaphore, thread)]);
            cycle(&mut h, |o| o.list_op = list(ListOpKind::Appended, semaphore, thread));
        }
        cycle(&mut h, |o| o.bus = vec![bus(MessageKind::Release, 1, 0)]);
        cycle(&mut h, |o| {
            o.list_op = list(ListOpKind::Removed, 1, 0);
            o.units[0].retire = retire(0, RLS);
        });
        for semaphore in [1, 2] {
            cycle(&mut h, |o| {
                o.bus = vec![bus(MessageKind::Acknowledge, semaphore, 16)];
                o.units[1].waiting = 1;
            });
        }
        (0..20).for_each(|_| cycle(&mut h, |o| o.units[1].retire = retire(0, 2)));
        assert_eq!((h.count, h.latency(), h.contradictions()), (1, None, 0));
    }

    /// A thread goes on, and the release by which it does so retires afterwards: that is no latency
    /// of 0.
    #[test]
    fn a_first_instruction_before_the_release_is_a_contradiction() {
        let mut h = Handovers::default();
        for thread in [0, 16] {
            cycle(&mut h, |o| o.bus = vec![bus(MessageKind::Acquire, 1, thread)]);
            cycle(&mut h, |o| o.list_op = list(ListOpKind::Appended, 1, thread));
        }
        cycle(&mut h, |o| o.bus = vec![bus(MessageKind::Release, 1, 0)]);
        cycle(&mut h, |o| o.list_op = list(ListOpKind::Removed, 1, 0));
        cycle(&mut h, |o| {
            o.bus = vec![bus(MessageKind::Acknowledge, 1, 16)];
            o.units[1].waiting = 1;
        });
        (0..9).for_each(|_| cycle(&mut h, |o| o.units[1].retire = retire(0, 2)));
        assert_eq!(h.contradictions(), 0);
        cycle(&mut h, |o| o.units[0].retire = retire(0, RLS));
        assert_eq!((h.count, h.latency(), h.contradictions()), (1, None, 1));
    }

    /// A full pool holds an acquire up at the entity; when it is taken it has its effect in that
    /// cycle, on a list that is empty by then: no hand-over.
    #[test]
    fn an_acquire_that_waited_for_an_entry_is_no_hand_over() {
        let mut h = Handovers::default();
        cycle(&mut h, |o| o.bus = vec![bus(MessageKind::Acquire, 5, 0)]);
        cycle(&mut h, |o| o.list_op = list(ListOpKind::Appended, 5, 0));
        cycle(&mut h, |o| o.bus = vec![bus(MessageKind::Release, 5, 0)]);
        cycle(&mut h, |o| o.list_op = list(ListOpKind::Removed, 5, 0));
        cycle(&mut h, |o| {
            o.bus = vec![bus(MessageKind::Acquire, 5, 16)];
            o.list_op = list(ListOpKind::Passed, 5, 16);
        });
        cycle(&mut h, |o| o.bus = vec![bus(MessageKind::Acknowledge, 5, 16)]);
        assert_eq!((h.count, h.contradictions()), (0, 0));
    }
}
