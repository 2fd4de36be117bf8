//! Bus and semaphore entity of the fake machine: random delays, random choice among what waits,
//! lists by a second copy of the model's, entries from a pool.

use std::collections::VecDeque;

use quadlock_golden::semaphores::{Change, Message, MessageKind as Sent, Operation, Semaphores, SLOTS_PER_UNIT};
use quadlock_hdl::config::GpuConfig;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::machine::ports::{BusEvent, ListOp, ListOpKind, MessageKind, Outputs};

pub struct Net {
    rows: usize,
    units_per_row: usize,
    semaphores: Semaphores,
    free: Vec<u16>,
    /// Entries of each semaphore, head first: (entry, thread).
    order: Vec<VecDeque<(u16, u16)>>,
    /// By row, acquires and releases: (not before that cycle, message).
    outgoing: Vec<[VecDeque<(u64, Message)>; 2]>,
    dispatcher: VecDeque<(u64, Message)>,
    /// At the entity: acquires (with whether the dispatcher sent it), releases.
    waiting: [VecDeque<(Message, bool)>; 2],
    /// Operations of the message in hand.
    rest: VecDeque<Operation>,
    semaphore: u16,
    notify: bool,
    acknowledgements: VecDeque<(u16, u16)>,
    done: usize,
}

impl Net {
    pub fn new(config: &GpuConfig) -> Self {
        let s = &config.semaphores;
        Self {
            rows: config.rows,
            units_per_row: config.cores * config.units,
            semaphores: Semaphores::new(s.semaphores, s.any_may_release, None),
            free: (0..s.pool as u16).collect(),
            order: vec![VecDeque::new(); s.semaphores],
            outgoing: vec![Default::default(); config.rows],
            dispatcher: VecDeque::new(),
            waiting: Default::default(),
            rest: VecDeque::new(),
            semaphore: 0,
            notify: false,
            acknowledgements: VecDeque::new(),
            done: 0,
        }
    }

    fn row(&self, thread: u16) -> usize {
        usize::from(thread) / SLOTS_PER_UNIT / self.units_per_row
    }

    pub fn send(&mut self, cycle: u64, message: Message) {
        let row = self.row(message.thread);
        self.outgoing[row][usize::from(message.kind == Sent::Release)].push_back((cycle + 3, message));
    }

    pub fn dispatch(&mut self, cycle: u64, message: Message) {
        self.dispatcher.push_back((cycle + 1, message));
    }

    /// Completion signals of suppressed acquires since the last call.
    pub fn take_done(&mut self) -> usize {
        std::mem::take(&mut self.done)
    }

    pub fn is_idle(&self) -> bool {
        self.outgoing.iter().flatten().all(VecDeque::is_empty)
            && self.dispatcher.is_empty()
            && self.waiting.iter().all(VecDeque::is_empty)
            && self.rest.is_empty()
            && self.acknowledgements.is_empty()
    }

    /// A cycle; the threads that get an acknowledgement in it.
    pub fn cycle(&mut self, cycle: u64, rng: &mut ChaCha8Rng, outputs: &mut Outputs) -> Vec<u16> {
        let mut reached = Vec::new();
        if rng.random_range(0..2) == 0 {
            if let Some((semaphore, thread)) = self.acknowledgements.pop_front() {
                let (receiver, from) = (self.row(thread) as u8, self.rows as u8 + 1);
                let kind = MessageKind::Acknowledge;
                outputs.bus.push(BusEvent { receiver, from, kind, semaphore, thread, ..BusEvent::default() });
                reached.push(thread);
            }
        }
        self.operate(rng, outputs);
        self.transfer(cycle, rng, outputs);
        reached
    }

    /// To the entity: at most one message per port.
    fn transfer(&mut self, cycle: u64, rng: &mut ChaCha8Rng, outputs: &mut Outputs) {
        let start = rng.random_range(0..=self.rows);
        for port in 0..2 {
            for sender in (0..=self.rows).map(|i| (start + i) % (self.rows + 1)) {
                let first = match sender == self.rows {
                    true if port == 0 => self.dispatcher.front(),
                    true => None,
                    false => self.outgoing[sender][port].front(),
                };
                let Some(&(_, message)) = first.filter(|m| m.0 <= cycle) else { continue };
                let dispatched = sender == self.rows;
                match dispatched {
                    true => drop(self.dispatcher.pop_front()),
                    false => drop(self.outgoing[sender][port].pop_front()),
                }
                self.waiting[port].push_back((message, dispatched));
                let (kind, auto, suppress) = match message.kind {
                    Sent::Acquire { auto_release, suppress } => (MessageKind::Acquire, auto_release, suppress),
                    Sent::Release => (MessageKind::Release, false, false),
                };
                let Message { semaphore, thread, .. } = message;
                let (receiver, from, notify) = ((self.rows + port) as u8, sender as u8, dispatched && suppress);
                outputs.bus.push(BusEvent { receiver, from, kind, auto, suppress, notify, semaphore, thread });
                break;
            }
        }
    }

    /// The acquire that has its effect next: the oldest while an entry is free, else the oldest
    /// that needs none, if nobody waits for its semaphore before it.
    fn next_acquire(&self) -> Option<usize> {
        if !self.free.is_empty() {
            return Some(0);
        }
        let waiting = &self.waiting[0];
        (0..waiting.len()).find(|&at| {
            let Message { kind, semaphore, .. } = waiting[at].0;
            let first = waiting.iter().position(|(m, _)| m.semaphore == semaphore) == Some(at);
            let auto = matches!(kind, Sent::Acquire { auto_release: true, .. });
            first && auto && self.semaphores.owner(semaphore).is_none()
        })
    }

    /// One operation on a list.
    fn operate(&mut self, rng: &mut ChaCha8Rng, outputs: &mut Outputs) {
        outputs.pool_exhausted = self.free.is_empty() && !self.waiting[0].is_empty();
        if self.rest.is_empty() {
            let port = rng.random_range(0..2);
            let at = if port == 0 { self.next_acquire() } else { Some(0) };
            let Some((message, dispatched)) = at.and_then(|at| self.waiting[port].remove(at)) else { return };
            self.rest.extend(self.semaphores.apply(&message));
            self.semaphore = message.semaphore;
            self.notify = dispatched && matches!(message.kind, Sent::Acquire { suppress: true, .. });
        }
        let Some(operation) = self.rest.pop_front() else { return };
        let (semaphore, thread) = (self.semaphore, operation.thread);
        let order = self.order.get_mut(usize::from(semaphore));
        let (kind, entry) = match (operation.change, order) {
            (Change::Appended, Some(order)) => {
                let entry = self.free.swap_remove(rng.random_range(0..self.free.len()));
                order.push_back((entry, thread));
                (ListOpKind::Appended, entry)
            }
            (Change::Removed, Some(order)) => {
                let entry = order.pop_front().map_or(0, |e| e.0);
                self.free.push(entry);
                (ListOpKind::Removed, entry)
            }
            (Change::Marked, Some(order)) => {
                (ListOpKind::Marked, order.iter().find(|e| e.1 == thread).map_or(0, |e| e.0))
            }
            (Change::Error(why), _) => (ListOpKind::Error, why.code()),
            _ => (ListOpKind::Passed, 0),
        };
        outputs.list_op = Some(ListOp { kind, semaphore, thread, entry });
        if let Some(thread) = operation.acknowledge {
            self.acknowledgements.push_back((semaphore, thread));
        }
        if self.rest.is_empty() && std::mem::take(&mut self.notify) {
            self.done += 1;
        }
    }
}
