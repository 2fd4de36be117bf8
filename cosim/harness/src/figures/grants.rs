//! Which release, if any, an acknowledgement of the semaphore entity follows. Lists are kept as the
//! entity's operations say; a grant is known with the operation that causes it, and is delivered
//! when its message is seen. Report and Perfetto trace both count hand-overs by it, so that they
//! say the same.
//!
//! Releases are queued as they are delivered at the entity's release port. The entity has them take
//! effect in that order, one operation each: the removal of a head, a mark on an entry further
//! back, or an error. So each such operation takes the oldest release. Heads that go because they
//! were released before are removals that take none: whoever they make the owner owes it to the
//! release that removed the first. Acquires are queued too, for their suppress flag; an operation
//! takes the oldest one of its semaphore, since one that needs no entry of the pool may overtake
//! those of other semaphores (SE-12).
//!
//! It can be wrong where events contradict each other (a broken machine, without a model beside it
//! that would tell): such events are counted, and give no grant.

use std::collections::{HashMap, VecDeque};

use crate::machine::ports::{BusEvent, ListOp, ListOpKind, MessageKind, Outputs};

/// A release as its message was delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    pub thread: u16,
    pub semaphore: u16,
    /// How many of the thread came before it.
    pub number: usize,
    /// Cycle of the delivery.
    pub cycle: u64,
}

/// An acknowledgement: the thread owns the semaphore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    pub semaphore: u16,
    pub thread: u16,
    /// The release that made it so; `None` if the semaphore was free.
    pub after: Option<Release>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    thread: u16,
    /// Its number in the pool: a thread may be in a list twice.
    number: u16,
    released: bool,
    suppress: bool,
}

/// The lists, and what is under way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    lists: HashMap<u16, VecDeque<Entry>>,
    /// Messages delivered whose operation has not come, with the cycle of their delivery.
    acquires: VecDeque<(BusEvent, u64)>,
    releases: VecDeque<Release>,
    /// Releases delivered, by thread.
    released: HashMap<u16, usize>,
    /// The next operation removes a head that was released before: of this semaphore, by this
    /// release.
    chain: Option<Release>,
    /// Grants whose message has not been seen, by semaphore and thread.
    coming: HashMap<(u16, u16), VecDeque<Option<Release>>>,
    /// Events that contradict others.
    contradictions: u64,
}

impl Grants {
    /// Takes the events of a cycle; the acknowledgements in it.
    pub fn observe(&mut self, cycle: u64, outputs: &Outputs) -> Vec<Grant> {
        // Messages first: an acquire that waited at the entity for an entry has its effect in the
        // cycle in which it is taken.
        for event in &outputs.bus {
            match event.kind {
                MessageKind::Acquire => self.acquires.push_back((*event, cycle)),
                MessageKind::Release => {
                    let number = self.released.entry(event.thread).or_default();
                    let (thread, semaphore) = (event.thread, event.semaphore);
                    self.releases.push_back(Release { thread, semaphore, number: *number, cycle });
                    *number += 1;
                }
                MessageKind::Acknowledge | MessageKind::Undefined => {}
            }
        }
        if let Some(op) = outputs.list_op {
            if !self.operation(op) {
                self.contradictions += 1;
            }
        }
        let mut grants = Vec::new();
        for event in outputs.bus.iter().filter(|e| e.kind == MessageKind::Acknowledge) {
            let (semaphore, thread) = (event.semaphore, event.thread);
            match self.coming.get_mut(&(semaphore, thread)).and_then(VecDeque::pop_front) {
                Some(after) => grants.push(Grant { semaphore, thread, after }),
                None => self.contradictions += 1,
            }
        }
        grants
    }

    /// Events that contradict others: 0 with a machine that works.
    pub fn contradictions(&self) -> u64 {
        self.contradictions
    }

    /// An operation on a list; false if it cannot be.
    fn operation(&mut self, op: ListOp) -> bool {
        match op.kind {
            ListOpKind::Appended | ListOpKind::Passed => self.acquired(op),
            ListOpKind::Removed => self.removed(op),
            ListOpKind::Marked => self.marked(op),
            ListOpKind::Error => self.failed(op),
            ListOpKind::Undefined => false,
        }
    }

    /// Place of the oldest acquire of the operation's semaphore.
    fn oldest(&self, op: ListOp) -> Option<usize> {
        self.acquires.iter().position(|(m, _)| m.semaphore == op.semaphore)
    }

    fn acquired(&mut self, op: ListOp) -> bool {
        let Some((message, _)) = self.oldest(op).and_then(|at| self.acquires.remove(at)) else { return false };
        let list = self.lists.entry(op.semaphore).or_default();
        let free = list.is_empty();
        let passed = op.kind == ListOpKind::Passed;
        if !passed {
            let BusEvent { auto, suppress, .. } = message;
            list.push_back(Entry { thread: op.thread, number: op.entry, released: auto, suppress });
        }
        if free && !message.suppress {
            self.coming.entry((op.semaphore, op.thread)).or_default().push_back(None);
        }
        (message.semaphore, message.thread) == (op.semaphore, op.thread) && (free || !passed)
    }

    /// The oldest release, if it is that of the operation.
    fn take_release(&mut self, op: ListOp) -> Option<Release> {
        self.releases.pop_front().filter(|r| (r.semaphore, r.thread) == (op.semaphore, op.thread))
    }

    fn removed(&mut self, op: ListOp) -> bool {
        let by = self.chain.take().filter(|r| r.semaphore == op.semaphore);
        let Some(by) = by.or_else(|| self.take_release(op)) else { return false };
        let list = self.lists.entry(op.semaphore).or_default();
        let good = list.pop_front().is_some_and(|head| head.thread == op.thread);
        if let Some(&head) = list.front() {
            if !head.suppress {
                self.coming.entry((op.semaphore, head.thread)).or_default().push_back(Some(by));
            }
            self.chain = head.released.then_some(by);
        }
        good
    }

    fn marked(&mut self, op: ListOp) -> bool {
        let taken = self.take_release(op).is_some();
        let list = self.lists.entry(op.semaphore).or_default();
        let this = |e: &&mut Entry| (e.thread, e.number, e.released) == (op.thread, op.entry, false);
        let entry = list.iter_mut().skip(1).find(this);
        entry.map(|e| e.released = true).is_some() && taken
    }

    /// The older of the messages that the error may be of.
    fn failed(&mut self, op: ListOp) -> bool {
        let same = |semaphore, thread| (semaphore, thread) == (op.semaphore, op.thread);
        let oldest = self.oldest(op).filter(|&at| same(op.semaphore, self.acquires[at].0.thread));
        let acquire = oldest.map(|at| self.acquires[at].1);
        let release = self.releases.front().filter(|r| same(r.semaphore, r.thread)).map(|r| r.cycle);
        match (acquire, release) {
            (Some(a), Some(r)) if a < r => oldest.and_then(|at| self.acquires.remove(at)).is_some(),
            (Some(_), None) => oldest.and_then(|at| self.acquires.remove(at)).is_some(),
            (_, Some(_)) => self.releases.pop_front().is_some(),
            (None, None) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds one event each cycle.
    #[derive(Default)]
    struct Feed {
        grants: Grants,
        cycle: u64,
    }

    impl Feed {
        fn bus(&mut self, kind: MessageKind, thread: u16, auto: bool, suppress: bool) -> Vec<Grant> {
            self.cycle += 1;
            let event = BusEvent { kind, semaphore: 5, thread, auto, suppress, ..BusEvent::default() };
            self.grants.observe(self.cycle, &Outputs { bus: vec![event], ..Outputs::default() })
        }

        fn op(&mut self, kind: ListOpKind, thread: u16) {
            self.cycle += 1;
            let op = ListOp { kind, semaphore: 5, thread, entry: 0 };
            self.grants.observe(self.cycle, &Outputs { list_op: Some(op), ..Outputs::default() });
        }

        fn acquire(&mut self, thread: u16, auto: bool, suppress: bool) {
            self.bus(MessageKind::Acquire, thread, auto, suppress);
            self.op(ListOpKind::Appended, thread);
        }

        fn release(&mut self, thread: u16) -> u64 {
            self.bus(MessageKind::Release, thread, false, false);
            self.cycle
        }

        /// Cycle and thread of the release that the acknowledgement follows.
        fn acknowledged(&mut self, thread: u16) -> Option<(u64, u16)> {
            let grants = self.bus(MessageKind::Acknowledge, thread, false, false);
            assert_eq!((grants.len(), grants[0].thread, grants[0].semaphore), (1, thread, 5));
            grants[0].after.map(|r| (r.cycle, r.thread))
        }
    }

    /// Between the release and the acknowledgement another entry is marked, and a release that is
    /// an error arrives: neither is what the acknowledgement follows.
    #[test]
    fn a_mark_and_an_error_in_between_do_not_take_the_release_s_place() {
        let mut f = Feed::default();
        f.acquire(1, false, false);
        assert_eq!(f.acknowledged(1), None, "it was free");
        [2, 3, 4].into_iter().for_each(|t| f.acquire(t, false, false));
        let by = f.release(1);
        f.release(3);
        f.release(9);
        f.op(ListOpKind::Removed, 1);
        f.op(ListOpKind::Marked, 3);
        f.op(ListOpKind::Error, 9);
        assert_eq!(f.acknowledged(2), Some((by, 1)));
        // What was marked goes with the next head, by that head's release.
        let by = f.release(2);
        f.op(ListOpKind::Removed, 2);
        f.op(ListOpKind::Removed, 3);
        assert_eq!(f.acknowledged(3), Some((by, 2)));
        assert_eq!(f.acknowledged(4), Some((by, 2)));
        let by = f.release(4);
        f.op(ListOpKind::Removed, 4);
        // The list is empty: what was released before does not matter to the next.
        f.acquire(6, false, false);
        assert_eq!(f.acknowledged(6), None, "{by}");
        assert_eq!(f.grants.contradictions(), 0);
    }

    /// 1:N: one release, behind which threads with auto-release wait; a suppressed one among them
    /// gets no message.
    #[test]
    fn a_release_is_good_for_the_whole_chain() {
        let mut f = Feed::default();
        f.acquire(1, false, true);
        f.acquire(2, true, false);
        f.acquire(3, true, true);
        f.acquire(4, true, false);
        let by = f.release(1);
        [1, 2, 3, 4].into_iter().for_each(|t| f.op(ListOpKind::Removed, t));
        assert_eq!((f.acknowledged(2), f.acknowledged(4)), (Some((by, 1)), Some((by, 1))));
        // A free semaphore, acquired and released at once; and an acquire that is an error.
        f.bus(MessageKind::Acquire, 7, true, false);
        f.op(ListOpKind::Passed, 7);
        assert_eq!(f.acknowledged(7), None);
        f.bus(MessageKind::Acquire, 8, false, false);
        f.op(ListOpKind::Error, 8);
        assert_eq!(f.grants.contradictions(), 0);
    }

    /// SE-12: an acquire of a free semaphore passes while one of another semaphore waits for an
    /// entry.
    #[test]
    fn acquires_of_different_semaphores_overtake_each_other() {
        let mut f = Feed::default();
        let other = BusEvent { kind: MessageKind::Acquire, semaphore: 6, thread: 1, ..BusEvent::default() };
        f.grants.observe(1, &Outputs { bus: vec![other], ..Outputs::default() });
        f.bus(MessageKind::Acquire, 7, true, false);
        f.op(ListOpKind::Passed, 7);
        assert_eq!(f.acknowledged(7), None);
        let op = ListOp { kind: ListOpKind::Appended, semaphore: 6, thread: 1, entry: 0 };
        f.grants.observe(9, &Outputs { list_op: Some(op), ..Outputs::default() });
        assert_eq!(f.grants.contradictions(), 0);
    }

    #[test]
    fn contradicting_events_are_counted_and_grant_nothing() {
        let mut f = Feed::default();
        assert!(f.bus(MessageKind::Acknowledge, 1, false, false).is_empty());
        f.op(ListOpKind::Removed, 1);
        f.op(ListOpKind::Appended, 1);
        f.op(ListOpKind::Marked, 1);
        f.op(ListOpKind::Error, 1);
        f.op(ListOpKind::Undefined, 1);
        assert_eq!(f.grants.contradictions(), 6);
    }
}
