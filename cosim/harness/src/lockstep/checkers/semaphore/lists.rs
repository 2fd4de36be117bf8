//! What messages do: the model's lists follow the machine's list operations one by one. First in,
//! first out; only heads are removed; an entry of the pool is in one list or free. Releases have
//! their effect in order of arrival, and so have the acquires of a semaphore; entries are given in
//! order of arrival over all semaphores; an acquire that needs no entry may overtake those of other
//! semaphores that wait for one (SE-12), and must not wait while it could go. Each acknowledgement
//! follows from one operation and is sent once, in order per row, to the row of its thread.

use std::collections::{BTreeSet, VecDeque};

use quadlock_golden::semaphores::{Change, Message, MessageKind as Sent, Operation, ProtocolError, Semaphores};
use quadlock_golden::Fault;
use quadlock_hdl::config::GpuConfig;

use super::arrived::{Arrived, Layout};
use crate::lockstep::checkers::checker::Awaited;
use crate::lockstep::finding::{Check, Compare, Finding, Name, Value, What};
use crate::machine::ports::{BusEvent, ListOp, ListOpKind};

#[derive(Clone)]
pub struct Lists {
    model: Semaphores,
    /// Messages at the entity without effect: acquires, releases.
    waiting: [VecDeque<Arrived>; 2],
    /// Operations that the message in hand has still to cause, and that message.
    rest: VecDeque<Operation>,
    current: Option<Arrived>,
    /// By entry number: (semaphore, thread) of the list that it is in.
    entries: Vec<Option<(u16, u16)>>,
    /// By semaphore: its entries, head first.
    order: Vec<VecDeque<u16>>,
    /// By row: acknowledgements to come, (cycle of the operation, semaphore, thread).
    acknowledgements: Vec<VecDeque<(u64, u16, u16)>>,
    /// Cycle of the last operation that took or returned an entry; by semaphore, of its last
    /// operation.
    moved: u64,
    changed: Vec<u64>,
    /// Times in a row that an acquire was said to wait for an entry while none waited.
    idle: u32,
}

/// A message that has had its whole effect, or the error that it was.
pub type Finished = (Arrived, Option<ProtocolError>);

/// The machine's name of a change.
fn kind_of(change: Change) -> ListOpKind {
    match change {
        Change::Appended => ListOpKind::Appended,
        Change::Removed => ListOpKind::Removed,
        Change::Marked => ListOpKind::Marked,
        Change::Passed => ListOpKind::Passed,
        Change::Error(_) => ListOpKind::Error,
    }
}

impl Lists {
    pub fn new(config: &GpuConfig, model_fault: Option<Fault>) -> Self {
        let s = &config.semaphores;
        Self {
            model: Semaphores::new(s.semaphores, s.any_may_release, model_fault),
            waiting: Default::default(),
            rest: VecDeque::new(),
            current: None,
            entries: vec![None; s.pool],
            order: vec![VecDeque::new(); s.semaphores],
            acknowledgements: vec![VecDeque::new(); config.rows],
            moved: 0,
            changed: vec![0; s.semaphores],
            idle: 0,
        }
    }

    pub fn arrive(&mut self, arrived: Arrived) {
        let port = usize::from(arrived.message.kind == Sent::Release);
        self.waiting[port].push_back(arrived);
    }

    /// The message that an operation begins with: of acquires the oldest one of its semaphore, and
    /// if it takes an entry the oldest of all.
    fn begin(&mut self, op: &ListOp) -> Option<Arrived> {
        let asks = |a: &Arrived| (a.message.semaphore, a.message.thread) == (op.semaphore, op.thread);
        let acquire = self.waiting[0].iter().position(|a| a.message.semaphore == op.semaphore);
        let acquire = acquire.filter(|&at| asks(&self.waiting[0][at]));
        let release = self.waiting[1].front().filter(|a| asks(a)).map(|_| 0);
        // An acquire is an error only if there is no such semaphore.
        let missing = usize::from(op.semaphore) >= self.order.len();
        let (port, at) = match op.kind {
            ListOpKind::Appended => (0, acquire.filter(|&at| at == 0)),
            ListOpKind::Passed => (0, acquire),
            ListOpKind::Error if missing && acquire.is_some() => (0, acquire),
            ListOpKind::Removed | ListOpKind::Marked | ListOpKind::Error => (1, release),
            ListOpKind::Undefined => return None,
        };
        self.waiting[port].remove(at?)
    }

    /// A list operation; the message that had its whole effect with it, and the protocol error that
    /// was.
    pub fn operation(&mut self, cycle: u64, op: &ListOp, layout: Layout) -> Result<Option<Finished>, Box<Finding>> {
        if self.rest.is_empty() {
            let Some(arrived) = self.begin(op) else {
                let front = |q: &VecDeque<Arrived>| q.front().map(|a| (a.message.semaphore, a.message.thread));
                let [acquire, release] = [0, 1].map(|port| front(&self.waiting[port]));
                return Finding::err(What::NoMessage { op: *op, acquire, release });
            };
            self.rest.extend(self.model.apply(&arrived.message));
            self.current = Some(arrived);
        }
        let (Some(expected), Some(arrived)) = (self.rest.pop_front(), self.current) else { return Ok(None) };
        if let Some(changed) = self.changed.get_mut(usize::from(op.semaphore)) {
            *changed = cycle;
        }
        if matches!(op.kind, ListOpKind::Appended | ListOpKind::Removed) {
            self.moved = cycle;
        }
        let mut c = Compare::default();
        c.field(Name::Of("operation"), kind_of(expected.change), op.kind, Value::Operation);
        c.number("semaphore", arrived.message.semaphore, op.semaphore);
        c.number("thread", expected.thread, op.thread);
        let mut error = None;
        if let Change::Error(why) = expected.change {
            c.number("reason", why.code(), op.entry);
            error = Some(why);
        }
        c.finish(What::OperationDiffers)?;
        self.entry(op)?;
        if let Some(thread) = expected.acknowledge {
            let row = layout.row_of(thread);
            if let Some(queue) = self.acknowledgements.get_mut(row) {
                queue.push_back((cycle, op.semaphore, thread));
            }
        }
        Ok(self.rest.is_empty().then_some((arrived, error)))
    }

    /// Entries: conservation, order, and whose they are.
    fn entry(&mut self, op: &ListOp) -> Check {
        let own = (op.semaphore, op.thread);
        let Some(order) = self.order.get_mut(usize::from(op.semaphore)) else { return Ok(()) };
        match op.kind {
            ListOpKind::Appended => match self.entries.get_mut(usize::from(op.entry)) {
                None => return Finding::err(What::EntryOutside { entry: op.entry, pool: self.entries.len() }),
                Some(&mut Some((semaphore, thread))) => {
                    return Finding::err(What::EntryTaken { entry: op.entry, semaphore, thread })
                }
                Some(free) => {
                    *free = Some(own);
                    order.push_back(op.entry);
                }
            },
            ListOpKind::Removed => {
                let head = order.pop_front();
                let value = |e: Option<u16>| e.map_or(Value::Nothing, |e| Value::Number(e.into()));
                let mut c = Compare::default();
                c.field(Name::Of("entry of the head"), head, Some(op.entry), value);
                c.finish(What::EntryNotHead)?;
                self.entries[usize::from(op.entry)] = None;
            }
            ListOpKind::Marked => {
                let inside = order.iter().skip(1).any(|&e| e == op.entry);
                if !inside || self.entries[usize::from(op.entry)] != Some(own) {
                    return Finding::err(What::EntryMarked { entry: op.entry, thread: op.thread });
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// An ACK_MSG was transferred.
    pub fn acknowledge(&mut self, event: &BusEvent, layout: Layout) -> Check {
        let row = layout.row_of(event.thread);
        let mut c = Compare::default();
        let number = |v: usize| Value::Number(v as u64);
        c.field(Name::Of("sender"), layout.rows + 1, event.from.into(), number);
        c.field(Name::Of("row"), row, event.receiver.into(), number);
        c.finish(What::AcknowledgementsWay)?;
        let seen = (event.semaphore, event.thread);
        let queue = &mut self.acknowledgements[row];
        match queue.front().map(|a| (a.1, a.2)) {
            Some(next) if next == seen => {
                queue.pop_front();
                Ok(())
            }
            next => {
                let value = |a: Option<(u16, u16)>| a.map_or(Value::Nothing, |(s, t)| Value::Acknowledgement(s, t));
                let mut c = Compare::default();
                c.field(Name::Of("acknowledgement"), next, Some(seen), value);
                c.finish(What::AcknowledgementsOrder)
            }
        }
    }

    /// Messages at the entity without effect, operations and acknowledgements that do not come.
    pub fn overdue(&self, late: &dyn Fn(u64) -> bool) -> Check {
        if let (Some(a), false) = (self.current.filter(|a| late(a.cycle)), self.rest.is_empty()) {
            let Message { semaphore, thread, .. } = a.message;
            return Finding::err(What::HalfReleased { semaphore, thread });
        }
        if let Some(a) = self.stuck(late) {
            let Message { semaphore, thread, .. } = a.message;
            return Finding::err(What::NoEffect { semaphore, thread, cycle: a.cycle });
        }
        match self.acknowledgements.iter().filter_map(VecDeque::front).find(|a| late(a.0)) {
            Some(&(cycle, semaphore, thread)) => Finding::err(What::NotAcknowledged { semaphore, thread, cycle }),
            None => Ok(()),
        }
    }

    /// A message at the entity that could have its effect, and for too long has not: a release; the
    /// oldest acquire, while an entry is free; the oldest of a semaphore, if it needs none (SE-12).
    fn stuck(&self, late: &dyn Fn(u64) -> bool) -> Option<&Arrived> {
        let release = self.waiting[1].front().filter(|a| late(a.cycle));
        let entry_free = self.model.entries() < self.entries.len();
        let oldest = self.waiting[0].front().filter(|a| entry_free && late(a.cycle.max(self.moved)));
        let mut seen = BTreeSet::new();
        let needs_none = |a: &&Arrived| {
            let s = a.message.semaphore;
            let auto = matches!(a.message.kind, Sent::Acquire { auto_release: true, .. });
            let changed = self.changed.get(usize::from(s)).copied();
            seen.insert(s)
                && late(a.cycle.max(changed.unwrap_or_default()))
                && (changed.is_none() || auto && self.model.owner(s).is_none())
        };
        release.or(oldest).or_else(|| self.waiting[0].iter().find(needs_none))
    }

    /// The machine says that an acquire waits for an entry: then one must wait, and all entries be
    /// in lists for some time. `all`: nothing has happened for long.
    pub fn pool(&mut self, exhausted: bool, all: bool, late: &dyn Fn(u64) -> bool) -> Check {
        let used = self.model.entries();
        let free = used < self.entries.len() && (all || late(self.moved));
        self.idle = if exhausted && self.waiting[0].is_empty() { self.idle + 1 } else { 0 };
        if !exhausted || !free && self.idle < 16 {
            return Ok(());
        }
        let (pool, waiting) = (self.entries.len(), self.waiting[0].len());
        Finding::err(What::PoolNotExhausted { used, pool, waiting })
    }

    /// At the end every list is empty, unless the program's errors explain it.
    pub fn end(&self, explained: bool) -> Check {
        let used = self.entries.iter().flatten().count();
        if used != self.model.entries() {
            return Finding::err(What::EntriesLeft { used, model: self.model.entries() });
        }
        match self.model.in_use().next().filter(|_| !explained) {
            Some((semaphore, list)) => Finding::err(What::ListLeft { semaphore, entries: list.len() }),
            None => Ok(()),
        }
    }

    /// What a thread has asked for and is not acknowledged for.
    pub fn waits_for(&self, thread: u16) -> Vec<Awaited> {
        let asks = |a: &&Arrived| {
            a.message.thread == thread && !matches!(a.message.kind, Sent::Acquire { suppress: true, .. })
        };
        let outside = self.waiting[0].iter().filter(asks).map(|a| a.message.semaphore);
        let awaited = |semaphore, entry| Awaited { semaphore, owner: self.model.owner(semaphore), entry };
        let inside = self.model.queued(thread).map(|s| awaited(s, false));
        inside.chain(outside.map(|s| awaited(s, true))).collect()
    }

    /// If acquires wait at the entity while no entry is free: their threads, and those of the
    /// entries.
    pub fn shortage(&self) -> Option<(Vec<u16>, Vec<u16>)> {
        let waiting: Vec<u16> = self.waiting[0].iter().map(|a| a.message.thread).collect();
        let holders: Vec<u16> = self.entries.iter().flatten().map(|e| e.1).collect();
        (!waiting.is_empty() && holders.len() == self.entries.len()).then_some((waiting, holders))
    }
}
