//! What messages do: the model's lists follow the machine's list operations one by one. First in, first out; only heads are removed; an entry of the pool is in one list or
//! free; each acknowledgement follows from one operation and is sent once, in order per row, to the row of its thread.

use std::collections::VecDeque;

use quadlock_golden::semaphores::{Change, MessageKind as Sent, Operation, ProtocolError, Semaphores};
use quadlock_golden::Fault;
use quadlock_hdl::config::GpuConfig;

use super::{found, Arrived, Layout};
use crate::engine::{BusEvent, ListOp, ListOpKind};
use crate::lockstep::checkers::{Check, Compare, Finding};

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
    /// Times in a row that the pool was said to be empty with entries left.
    empty: u32,
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
            empty: 0,
        }
    }

    pub fn arrive(&mut self, arrived: Arrived) {
        let port = usize::from(arrived.message.kind == Sent::Release);
        self.waiting[port].push_back(arrived);
    }

    /// The message that an operation begins with.
    fn begin(&mut self, op: &ListOp) -> Option<Arrived> {
        let asks = |a: &&Arrived| (a.message.semaphore, a.message.thread) == (op.semaphore, op.thread);
        let port = match op.kind {
            ListOpKind::Appended | ListOpKind::Passed => 0,
            ListOpKind::Removed | ListOpKind::Marked => 1,
            ListOpKind::Error => usize::from(self.waiting[0].front().filter(asks).is_none()),
            ListOpKind::Undefined => return None,
        };
        self.waiting[port].front().filter(asks)?;
        self.waiting[port].pop_front()
    }

    /// A list operation; the message that had its whole effect with it, and the protocol error that was.
    pub fn operation(&mut self, cycle: u64, op: &ListOp, layout: Layout) -> Result<Option<Finished>, Box<Finding>> {
        if self.rest.is_empty() {
            let Some(arrived) = self.begin(op) else {
                let front = |q: &VecDeque<Arrived>| {
                    q.front().map_or("none".to_owned(), |a| {
                        format!("semaphore {} thread {}", a.message.semaphore, a.message.thread)
                    })
                };
                let what = format!(
                    "{:?} of thread {} in the list of semaphore {}, for which no message is at the entity (next acquire: {}; next release: {})",
                    op.kind, op.thread, op.semaphore, front(&self.waiting[0]), front(&self.waiting[1])
                );
                return Err(Box::new(Finding::new(what)));
            };
            self.rest.extend(self.model.apply(&arrived.message));
            self.current = Some(arrived);
        }
        let (Some(expected), Some(arrived)) = (self.rest.pop_front(), self.current) else { return Ok(None) };
        let mut c = Compare::default();
        c.field("operation", kind_of(expected.change), op.kind, |k| format!("{k:?}"));
        c.field("semaphore", arrived.message.semaphore, op.semaphore, u16::to_string);
        c.field("thread", expected.thread, op.thread, u16::to_string);
        let mut error = None;
        if let Change::Error(why) = expected.change {
            c.field("reason", why.code(), op.entry, u16::to_string);
            error = Some(why);
        }
        c.finish("a list operation differs")?;
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
                None => return found(format!("entry {} is taken from a pool of {}", op.entry, self.entries.len())),
                Some(Some((s, t))) => {
                    return found(format!(
                        "entry {} is taken while it is thread {t}'s in the list of semaphore {s}",
                        op.entry
                    ))
                }
                Some(free) => {
                    *free = Some(own);
                    order.push_back(op.entry);
                }
            },
            ListOpKind::Removed => {
                let head = order.pop_front();
                let text = |e: &Option<u16>| e.map_or("(none)".to_owned(), |e| e.to_string());
                let mut c = Compare::default();
                c.field("entry of the head", head, Some(op.entry), text);
                c.finish("another entry than the head's is removed")?;
                self.entries[usize::from(op.entry)] = None;
            }
            ListOpKind::Marked => {
                let inside = order.iter().skip(1).any(|&e| e == op.entry);
                if !inside || self.entries[usize::from(op.entry)] != Some(own) {
                    return found(format!(
                        "entry {} is marked as released, which is not that of thread {} behind the head",
                        op.entry, op.thread
                    ));
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
        c.field("sender", layout.rows + 1, event.from.into(), usize::to_string);
        c.field("row", row, event.receiver.into(), usize::to_string);
        c.finish("an acknowledgement goes a wrong way")?;
        let seen = (event.semaphore, event.thread);
        let queue = &mut self.acknowledgements[row];
        match queue.front().map(|a| (a.1, a.2)) {
            Some(next) if next == seen => {
                queue.pop_front();
                Ok(())
            }
            next => {
                let text = |a: &Option<(u16, u16)>| {
                    a.map_or("(none)".to_owned(), |(s, t)| format!("semaphore {s} to thread {t}"))
                };
                let mut c = Compare::default();
                c.field("acknowledgement", next, Some(seen), text);
                c.finish("an acknowledgement that is not the next that the lists call for")
            }
        }
    }

    /// Messages at the entity without effect, operations and acknowledgements that do not come.
    pub fn overdue(&self, late: &dyn Fn(u64) -> bool) -> Check {
        if let (Some(a), false) = (self.current.filter(|a| late(a.cycle)), self.rest.is_empty()) {
            return found(format!(
                "a release of semaphore {} by thread {} stopped half-way: released heads stay",
                a.message.semaphore, a.message.thread
            ));
        }
        if let Some(a) = self.waiting.iter().filter_map(VecDeque::front).find(|a| late(a.cycle)) {
            let what = format!(
                "the message of thread {} for semaphore {}, at the entity since cycle {}, has no effect",
                a.message.thread, a.message.semaphore, a.cycle
            );
            return found(what);
        }
        match self.acknowledgements.iter().filter_map(VecDeque::front).find(|a| late(a.0)) {
            Some((cycle, s, t)) => found(format!(
                "thread {t} is at the head of semaphore {s} since cycle {cycle} and gets no acknowledgement"
            )),
            None => Ok(()),
        }
    }

    /// The pool says that no entry is free: then all must be in lists, or reserved for acquires at the entity. `all`: nothing has happened for long.
    pub fn pool(&mut self, exhausted: bool, all: bool) -> Check {
        let used = self.model.entries() + self.waiting[0].len();
        self.empty = if exhausted && used < self.entries.len() { self.empty + 1 } else { 0 };
        // At times an entry is on its way back to the pool; that often in a row it is lost.
        match self.empty {
            0 => Ok(()),
            n if n < 16 && !all => Ok(()),
            _ => found(format!("the pool has no free entry, but only {used} of {} are in lists", self.entries.len())),
        }
    }

    /// At the end every list is empty, unless the program's errors explain it.
    pub fn end(&self, explained: bool) -> Check {
        let used = self.entries.iter().flatten().count();
        if used != self.model.entries() {
            return found(format!(
                "{used} entries are in use at the end, the model's lists have {}",
                self.model.entries()
            ));
        }
        match self.model.in_use().next().filter(|_| !explained) {
            Some((s, list)) => found(format!("the list of semaphore {s} has {} entries at the end", list.len())),
            None => Ok(()),
        }
    }

    pub fn waits_for(&self, thread: u16) -> Vec<(u16, Option<u16>)> {
        self.model.queued(thread).map(|s| (s, self.model.owner(s))).collect()
    }
}
