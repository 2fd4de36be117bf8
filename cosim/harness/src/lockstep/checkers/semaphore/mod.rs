//! Semaphores (`SE-2`, `SE-10` to `SE-25`, `SE-43`): every message on the bus and every list
//! operation of the entity, against the model's own lists. `messages` says who may send what: a
//! thread what its program executes, the dispatcher what the thread list says and when SE-43 lets
//! it. `lists` says what a message does: order, heads, entries of the pool, acknowledgements. Which
//! of the messages that wait at the entity has its effect first is the machine's choice and is
//! taken from the list operations.
//!
//! Liveness: no thread waits while its semaphore is free. An acquire is always at one of these
//! places: executed and not on the bus, at the entity and without effect, behind the head of a list
//! (then the semaphore is owned), acknowledged and not at its thread. All but the third have a
//! bound in cycles ([`SemaphoreChecker::overdue`]); at the second, acquires that need an entry are
//! excepted while none is free (SE-12). It would be wrong to bound the third: how long a program
//! owns a semaphore is its own matter.
//!
//! A protocol error (SE-25) on which both sides agree is the program's problem, not a mismatch.

mod arrived;
mod lists;
mod messages;

use std::collections::BTreeMap;

use quadlock_golden::semaphores::{Message, ProtocolError};
use quadlock_golden::{Effect, Fault};
use quadlock_hdl::config::GpuConfig;

use super::checker::{Awaited, Checker, Context, Shortage};
use crate::lockstep::finding::{Check, Concern, Finding, What};
use crate::lockstep::sequencer::Retired;
use crate::lockstep::wrong::{Protocol, Why};
use crate::machine::ports::{BusEvent, LaunchEvent, ListOp, MessageKind};
use arrived::{Arrived, Layout};
use lists::Lists;
use messages::Messages;

/// Protocol errors kept; further ones are only counted.
const KEPT: usize = 64;
/// Messages that may wait for entries, for each warp slot.
const ROOM: usize = 16;

/// A message's way back to the instruction that sent it.
#[derive(Clone, Copy, Default)]
struct Origin {
    /// Known once the model has executed the instruction, which may be later than the message's
    /// effect.
    pc: Option<u16>,
    done: bool,
    error: Option<usize>,
}

#[derive(Clone, Copy)]
struct Error {
    message: Message,
    why: ProtocolError,
    pc: Option<u16>,
}

#[derive(Clone)]
pub struct SemaphoreChecker {
    layout: Layout,
    messages: Messages,
    lists: Lists,
    origins: BTreeMap<u64, Origin>,
    errors: Vec<Error>,
    error_count: u64,
    launches: usize,
    /// Cycles within which the machine must move a message on.
    bound: u64,
}

impl SemaphoreChecker {
    pub fn new(config: &GpuConfig, model_fault: Option<Fault>) -> Self {
        let s = &config.semaphores;
        // The slowest message walks the whole pool; ahead of it may be one of every thread and a
        // few of the dispatcher. In the waiting room all others may be tried before it.
        let slots = config.total_slots();
        let ahead = (slots + 32) as u64;
        Self {
            layout: Layout {
                rows: config.rows,
                ends: std::array::from_fn(|row| config.first_unit((row + 1).min(config.rows) * config.cores)),
            },
            messages: Messages::default(),
            lists: Lists::new(config, model_fault),
            origins: BTreeMap::new(),
            errors: Vec::new(),
            error_count: 0,
            launches: 0,
            bound: 1_000 + ahead * (8 + s.pool as u64) + 16 * (ROOM * slots).min(4096) as u64,
        }
    }

    /// Joins messages seen on the bus with the instructions that sent them.
    fn join(&mut self, matched: Option<(u64, u16)>) {
        let Some((id, pc)) = matched else { return };
        let Some(origin) = self.origins.get_mut(&id) else { return };
        origin.pc = Some(pc);
        if let Some(error) = origin.error {
            self.errors[error].pc = Some(pc);
        }
        if origin.done {
            self.origins.remove(&id);
        }
    }

    /// A message has had its effect.
    fn finish(&mut self, arrived: &Arrived, error: Option<ProtocolError>) {
        let mut known = None;
        let mut index = None;
        if error.is_some() {
            index = (self.errors.len() < KEPT).then_some(self.errors.len());
            self.error_count += 1;
        }
        if let Some(origin) = self.origins.get_mut(&arrived.id) {
            (origin.done, origin.error) = (true, index);
            known = origin.pc;
            if known.is_some() {
                self.origins.remove(&arrived.id);
            }
        }
        if let (Some(why), Some(_)) = (error, index) {
            self.errors.push(Error { message: arrived.message, why, pc: known });
        }
    }
}

impl Checker for SemaphoreChecker {
    fn concern(&self) -> Concern {
        Concern::Semaphore
    }

    fn copy(&self) -> Box<dyn Checker> {
        Box::new(self.clone())
    }

    fn launch(&mut self, cycle: u64, event: &LaunchEvent, cx: &Context) -> Check {
        let Some(list) = &cx.launch.threads else { return Ok(()) };
        let number = self.launches;
        self.launches += 1;
        self.messages.launch(cycle, number, event, list)
    }

    fn bus(&mut self, cycle: u64, event: &BusEvent, cx: &Context) -> Check {
        let Layout { rows, .. } = self.layout;
        let (receiver, from) = (usize::from(event.receiver), usize::from(event.from));
        let kind = match receiver {
            r if r < rows => MessageKind::Acknowledge,
            r if r == rows => MessageKind::Acquire,
            r if r == rows + 1 => MessageKind::Release,
            _ => return Finding::err(What::NoReceiver { receiver }),
        };
        if event.kind != kind {
            return Finding::err(What::ReceiverKind { receiver, seen: event.kind, takes: kind });
        }
        if kind == MessageKind::Acknowledge {
            return self.lists.acknowledge(event, self.layout);
        }
        let arrived = if from == rows {
            self.messages.of_dispatcher(cycle, event, cx.launch.threads.as_ref())?
        } else {
            let (arrived, matched) = self.messages.of_thread(cycle, event, self.layout)?;
            self.origins.insert(arrived.id, Origin::default());
            self.join(matched);
            arrived
        };
        self.lists.arrive(arrived);
        Ok(())
    }

    fn list_op(&mut self, cycle: u64, op: &ListOp, _cx: &Context) -> Check {
        if let Some((arrived, error)) = self.lists.operation(cycle, op, self.layout)? {
            self.finish(&arrived, error);
            self.messages.effect(&arrived);
        }
        Ok(())
    }

    fn issued(&mut self, record: &Retired, effect: &Effect, _cx: &Context) -> Check {
        let Some(message) = effect.message else { return Ok(()) };
        let matched = self.messages.executed(record.cycle, message, effect.pc)?;
        self.join(matched);
        Ok(())
    }

    fn overdue(&mut self, all: bool, cx: &Context) -> Check {
        let limit = if all { 0 } else { self.bound };
        let late = |cycle: u64| cycle + limit < cx.cycle;
        self.lists.overdue(&late)?;
        self.lists.pool(cx.outputs.pool_exhausted, all, &late)?;
        self.messages.overdue(&late)
    }

    fn end(&mut self, cx: &Context) -> Check {
        self.lists.overdue(&|_| true)?;
        self.messages.overdue(&|_| true)?;
        self.messages.end()?;
        let explained = self.error_count > 0 || !cx.golden.unreleased().is_empty();
        self.lists.end(explained)
    }

    fn problem(&self) -> Option<Protocol> {
        let Error { message, why, pc } = *self.errors.first()?;
        Some(Protocol::Message { count: self.error_count, message, pc, why: Why::Known(why) })
    }

    fn waits_for(&self, thread: u16) -> Vec<Awaited> {
        self.lists.waits_for(thread)
    }

    fn shortage(&self) -> Option<Shortage> {
        let (waiting, holders) = self.lists.shortage()?;
        let not_begun = holders.iter().filter(|&&t| self.messages.not_begun(t)).count();
        Some(Shortage { waiting, holders: holders.len(), not_begun })
    }
}
