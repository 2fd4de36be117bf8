//! Who may send what. A thread's messages must be those that its program executes, each once and in
//! order (per receiver of the bus: an acquire may wait for a free entry while a later release goes
//! on). A message is seen before the retire record of its instruction, so the two streams are
//! joined as they come. The dispatcher's messages must be the requests of the thread list: per
//! semaphore in its order, with acknowledge-suppress before the launch of their thread, without it
//! after it (SE-43).

use std::collections::{BTreeMap, VecDeque};

use quadlock_golden::semaphores::{thread_id, Message, MessageKind as Sent};

use super::arrived::{Arrived, Layout};
use crate::lockstep::finding::{Check, Compare, Finding, Name, Value, What};
use crate::machine::launch::ThreadList;
use crate::machine::ports::{BusEvent, LaunchEvent, MessageKind};

/// One thread's messages to one port of the entity.
#[derive(Clone, Default)]
struct Stream {
    /// Seen on the bus: (cycle, id, message).
    seen: VecDeque<(u64, u64, Message)>,
    /// Executed by the model: (cycle of the record, message, counter).
    executed: VecDeque<(u64, Message, u16)>,
}

/// The (id, counter) of a message and an instruction that belong together, if there are both.
type Joined = Option<(u64, u16)>;

/// A thread of the list.
#[derive(Clone, Copy, Default)]
struct Thread {
    /// Its id, once a message or its launch has shown it.
    id: Option<u16>,
    launched: Option<u64>,
    /// Requests with acknowledge-suppress that have not had their effect.
    before: usize,
    /// Requests without it that have not been sent.
    after: usize,
}

#[derive(Clone, Default)]
pub struct Messages {
    /// By thread id and whether it is the release port.
    streams: BTreeMap<(u16, bool), Stream>,
    next_id: u64,
    threads: Vec<Thread>,
    /// Per semaphore the requests that are to come: (thread of the list, auto-release,
    /// acknowledge-suppress).
    requests: BTreeMap<u16, VecDeque<(usize, bool, bool)>>,
}

/// The message of a bus event to the entity.
fn message_of(event: &BusEvent) -> Message {
    let BusEvent { auto, suppress, semaphore, thread, .. } = *event;
    let kind = match event.kind {
        MessageKind::Release => Sent::Release,
        _ => Sent::Acquire { auto_release: auto, suppress },
    };
    Message { kind, semaphore, thread }
}

impl Messages {
    fn arrived(&mut self, cycle: u64, event: &BusEvent, request: Option<usize>) -> Arrived {
        self.next_id += 1;
        Arrived { cycle, id: self.next_id, message: message_of(event), request }
    }

    /// Takes over the thread list when it is first needed.
    fn prepare(&mut self, list: &ThreadList) {
        if !self.threads.is_empty() {
            return;
        }
        for (n, record) in list.threads.iter().enumerate() {
            let before = record.requests.iter().filter(|r| r.suppress).count();
            self.threads.push(Thread { before, after: record.requests.len() - before, ..Thread::default() });
            for r in &record.requests {
                self.requests.entry(r.semaphore).or_default().push_back((n, r.auto_release, r.suppress));
            }
        }
    }

    /// A message from a row controller; also what it joins.
    pub fn of_thread(
        &mut self,
        cycle: u64,
        event: &BusEvent,
        layout: Layout,
    ) -> Result<(Arrived, Joined), Box<Finding>> {
        let row = layout.row_of(event.thread);
        if usize::from(event.from) != row {
            return Finding::err(What::WrongSender { from: event.from, thread: event.thread, row });
        }
        if event.notify || event.suppress {
            return Finding::err(What::DispatchersFlags { thread: event.thread });
        }
        let arrived = self.arrived(cycle, event, None);
        let key = (event.thread, event.kind == MessageKind::Release);
        let stream = self.streams.entry(key).or_default();
        stream.seen.push_back((cycle, arrived.id, arrived.message));
        Ok((arrived, join(stream)?))
    }

    /// The model has executed an instruction that sends.
    pub fn executed(&mut self, cycle: u64, message: Message, pc: u16) -> Result<Joined, Box<Finding>> {
        let stream = self.streams.entry((message.thread, message.kind == Sent::Release)).or_default();
        stream.executed.push_back((cycle, message, pc));
        join(stream)
    }

    /// A message from the dispatcher.
    pub fn of_dispatcher(
        &mut self,
        cycle: u64,
        event: &BusEvent,
        list: Option<&ThreadList>,
    ) -> Result<Arrived, Box<Finding>> {
        if event.kind != MessageKind::Acquire {
            return Finding::err(What::DispatcherSends { kind: event.kind });
        }
        if let Some(list) = list {
            self.prepare(list);
        }
        let next = self.requests.get_mut(&event.semaphore).and_then(VecDeque::pop_front);
        let Some((n, auto_release, suppress)) = next else {
            return Finding::err(What::NoRequest { semaphore: event.semaphore });
        };
        let mut c = Compare::default();
        let thread = &mut self.threads[n];
        let id = *thread.id.get_or_insert(event.thread);
        c.number("thread id", id, event.thread);
        c.flag("auto-release", auto_release, event.auto);
        c.flag("acknowledge-suppress", suppress, event.suppress);
        if suppress {
            c.flag("completion wanted", true, event.notify);
        }
        c.finish(What::RequestDiffers { semaphore: event.semaphore, thread: n })?;
        match (suppress, thread.launched) {
            (true, Some(launched)) => {
                return Finding::err(What::RequestAfterLaunch { thread: n, launched, semaphore: event.semaphore })
            }
            (false, at) if at.is_none_or(|at| at >= cycle) => {
                return Finding::err(What::RequestBeforeLaunch { semaphore: event.semaphore, thread: n });
            }
            (false, _) => thread.after -= 1,
            _ => {}
        }
        Ok(self.arrived(cycle, event, Some(n)))
    }

    /// A message has had its effect.
    pub fn effect(&mut self, arrived: &Arrived) {
        let suppress = matches!(arrived.message.kind, Sent::Acquire { suppress: true, .. });
        if let Some(n) = arrived.request.filter(|_| suppress) {
            self.threads[n].before -= 1;
        }
    }

    /// The launch of thread `number` of the list.
    pub fn launch(&mut self, cycle: u64, number: usize, event: &LaunchEvent, list: &ThreadList) -> Check {
        self.prepare(list);
        let Some(thread) = self.threads.get_mut(number) else { return Ok(()) };
        thread.launched = Some(cycle);
        let id = thread_id(event.unit.into(), event.warp.into());
        let mut c = Compare::default();
        c.number("thread id", *thread.id.get_or_insert(id), id);
        c.finish(What::ThreadSlot { thread: number })?;
        match thread.before {
            0 => Ok(()),
            n => Finding::err(What::LaunchBeforeRequests { thread: number, requests: n }),
        }
    }

    /// The id is that of a thread of the list that has not been launched.
    pub fn not_begun(&self, id: u16) -> bool {
        self.threads.iter().any(|t| t.id == Some(id) && t.launched.is_none())
    }

    /// What has been on its way for too long. The entity takes every message, also while no entry
    /// of the pool is free.
    pub fn overdue(&self, late: &dyn Fn(u64) -> bool) -> Check {
        for (&(thread, _), stream) in &self.streams {
            if let Some(&(cycle, _, message)) = stream.seen.front().filter(|s| late(s.0)) {
                return Finding::err(What::NotExecuted { thread, message, cycle });
            }
            if let Some(&(cycle, message, pc)) = stream.executed.front().filter(|s| late(s.0)) {
                return Finding::err(What::NotSent { thread, message, pc, cycle });
            }
        }
        let slow = |t: &Thread| t.after > 0 && t.launched.is_some_and(late);
        match self.threads.iter().position(slow) {
            Some(n) => Finding::err(What::RequestsNotSent { thread: n, requests: self.threads[n].after }),
            None => Ok(()),
        }
    }

    pub fn end(&self) -> Check {
        match self.requests.iter().find(|(_, left)| !left.is_empty()) {
            Some((&semaphore, left)) => Finding::err(What::RequestsLeft { requests: left.len(), semaphore }),
            None => Ok(()),
        }
    }
}

/// Joins the oldest message seen with the oldest one executed.
fn join(stream: &mut Stream) -> Result<Joined, Box<Finding>> {
    let (Some(&(_, id, seen)), Some(&(_, expected, pc))) = (stream.seen.front(), stream.executed.front()) else {
        return Ok(None);
    };
    stream.seen.pop_front();
    stream.executed.pop_front();
    let mut c = Compare::default();
    c.field(Name::Of("message"), expected, seen, Value::Message);
    c.finish(What::MessageDiffers { pc })?;
    Ok(Some((id, pc)))
}
