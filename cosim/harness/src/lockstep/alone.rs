//! What the machine's event ports say of a program when no model runs beside it: whose lock a warp
//! gives back (WW-28), which instruction sent a message that is a protocol error (SE-25), and which
//! thread ended without releasing a semaphore. So the RTL alone ends with the verdict of lockstep.
//! The sequencer brings retirements into the order of the program and transactions into that of the
//! memory port; here nobody checks them. A machine whose events do not add up is not followed any
//! further ([`Alone::warning`]): wrong would be to judge a program by them.

use std::collections::{HashMap, HashSet, VecDeque};

use quadlock_golden::semaphores::{thread_id, Message, MessageKind as Sent, ProtocolError};
use quadlock_golden::Unreleased;
use quadlock_isa::abi::LINE_BYTES;
use quadlock_isa::{decode, Instr, Op};

use super::options::Options;
use super::ownership::{form, By, Form, Holder, Ownership};
use super::sequencer::{Action, Completed, Retired, Sequencer, Step, Transaction};
use super::wrong::{Protocol, Warning, Why};
use crate::machine::lanes::{has_lane, lanes};
use crate::machine::launch::Launch;
use crate::machine::memory::{Memory, WriteRecord};
use crate::machine::ports::{core_of, ListOp, ListOpKind, MessageKind, Outputs, RetireEvent};

/// Writes that may wait for their instruction. A machine that works has a few.
const MOST_WAITING: usize = 4_096;

/// A memory instruction that has retired and not completed.
#[derive(Clone, Debug)]
struct Access {
    instr: Instr,
    event: RetireEvent,
    by: By,
    /// Transactions at the memory port that are still to come.
    left: usize,
}

#[derive(Clone, Debug, Default)]
struct Slot {
    /// Lanes that have not ended.
    lanes: u8,
    launches: u64,
    /// Semaphores acquired without auto-release and not released, in program order.
    holds: Vec<u16>,
}

/// Messages of a thread about one semaphore: the counters of their instructions, in program order.
#[derive(Clone, Debug, Default)]
struct Messages {
    acquires: Vec<u16>,
    releases: Vec<u16>,
    /// Releases that have had their effect.
    released: usize,
    /// Auto-release of acquires that have not had theirs.
    auto: VecDeque<bool>,
}

/// Follows a run of the RTL alone.
#[derive(Clone)]
pub struct Alone {
    sequencer: Sequencer,
    warps: usize,
    any_may_release: bool,
    /// The program has locks to be judged; messages to be followed.
    locks: bool,
    semaphores: bool,
    slots: Vec<Slot>,
    accesses: HashMap<(usize, usize, u64), Access>,
    /// Writes of the load/store pipelines, as the port took them.
    writes: VecDeque<WriteRecord>,
    ownership: Ownership,
    messages: HashMap<(u16, u16), Messages>,
    /// Entries of the pool that go without a release of their own: marked, or acquired with
    /// auto-release.
    passing: HashSet<u16>,
    errors: u64,
    /// The first error: its operation, and how many releases of that thread and semaphore came
    /// before.
    error: Option<(ListOp, usize)>,
    unreleased: Vec<Unreleased>,
    /// The first acquire, and the first release but of `dependencyDone`, of a semaphore of the
    /// graph: instruction, number.
    collisions: [Option<(By, u16)>; 2],
    lost: bool,
}

impl Alone {
    /// `None` if there is nothing in the program that it would follow.
    pub fn new(launch: &Launch, options: &Options) -> Option<Self> {
        let config = &options.config;
        let message = |&word: &u64| decode(word).is_ok_and(|i| matches!(i.op, Op::Acs | Op::Asr | Op::Rls));
        let (locks, semaphores) = (launch.has_locks(), launch.threads.is_some() || launch.code.iter().any(message));
        (locks || semaphores).then(|| Self {
            sequencer: Sequencer::of(config)
                .after(launch.left().map(|left| left.retired.as_slice()).unwrap_or_default()),
            warps: config.most_warps(),
            any_may_release: config.semaphores.any_may_release,
            locks,
            semaphores,
            slots: vec![Slot::default(); config.total_units() * config.most_warps()],
            accesses: HashMap::new(),
            writes: VecDeque::new(),
            ownership: Ownership::default(),
            messages: HashMap::new(),
            passing: HashSet::new(),
            errors: 0,
            error: None,
            unreleased: Vec::new(),
            collisions: [None; 2],
            lost: false,
        })
    }

    /// Takes in a cycle.
    pub fn cycle(&mut self, launch: &Launch, cycle: u64, outputs: &Outputs, memory: &mut Memory) {
        let written = memory.writes.drain(..).filter(|w| w.source.and_then(core_of).is_some());
        match self.locks && !self.lost {
            true => self.writes.extend(written),
            false => drop(written),
        }
        self.list(outputs);
        if self.lost {
            return;
        }
        if let (true, Some(a)) = (self.locks, memory.accepted) {
            if let Some(core) = a.source.and_then(core_of) {
                self.sequencer.transaction(Transaction { cycle, core, line: a.line, write: a.write });
            }
        }
        match self.sequencer.observe(cycle, outputs) {
            Ok(true) => self.follow(launch),
            Ok(false) => {}
            Err(_) => self.lost = true,
        }
        self.lost |= self.writes.len() > MOST_WAITING;
    }

    fn follow(&mut self, launch: &Launch) {
        // The sequencer lends out its records, so it stands aside meanwhile.
        let mut sequencer = std::mem::replace(&mut self.sequencer, Sequencer::new(0, 0, 1));
        let good = sequencer.drain(&mut |action| match action {
            Action::Launch { number, event, .. } => {
                let slot = &mut self.slots[usize::from(event.unit) * self.warps + usize::from(event.warp)];
                if slot.lanes != 0 {
                    return Step::Hold;
                }
                slot.lanes = event.mask & 15;
                slot.launches += 1;
                let record = launch.threads.as_ref().and_then(|list| list.threads.get(*number as usize));
                let kept = record.into_iter().flat_map(|r| &r.requests).filter(|r| !r.auto_release);
                slot.holds = kept.map(|r| r.semaphore).collect();
                Step::Done
            }
            Action::Acknowledge { .. } => Step::Done,
            Action::Merge { event, .. } => {
                let first = usize::from(event.unit) * self.warps;
                self.slots[first + usize::from(event.kept)].lanes = event.stayed | event.came;
                self.slots[first + usize::from(event.gone)].lanes = 0;
                Step::Done
            }
            Action::Split { event, .. } => {
                // Which member has no lane left is not shown; programs that split have neither
                // locks nor messages.
                let first = usize::from(event.unit) * self.warps + usize::from(event.warp);
                self.slots[first..=first + usize::from(event.others)].iter_mut().for_each(|s| s.lanes = event.lanes);
                Step::Done
            }
            Action::Issue(record) => self.issue(launch, record),
            Action::Perform(transaction, done) => self.perform(launch, transaction, done),
            Action::Complete(done) => {
                let key = (done.unit, done.warp, done.order);
                // Late lanes access nothing (WW-27).
                if self.accesses.get(&key).is_some_and(|a| a.left > 0) && !done.kept() {
                    return Step::Hold;
                }
                self.accesses.remove(&key);
                Step::Done
            }
        });
        self.sequencer = sequencer;
        self.lost |= !good;
    }

    fn issue(&mut self, launch: &Launch, record: &Retired) -> Step {
        let event = &record.event;
        let (unit, warp) = (record.unit, usize::from(event.warp));
        let slot = &mut self.slots[unit * self.warps + warp];
        if slot.lanes == 0 && record.before_launch {
            return Step::Hold;
        }
        let by = By { who: Holder { unit, warp, launch: slot.launches }, pc: event.pc };
        let instr = decode(event.word()).ok().filter(|_| !event.trap);
        match instr {
            None => slot.end(by, event.mask, &mut self.unreleased),
            Some(i) if matches!(i.op, Op::End | Op::Discard) => slot.end(by, event.mask, &mut self.unreleased),
            Some(i) if matches!(i.op, Op::Acs | Op::Asr | Op::Rls) => self.sent(launch, i.op, by, event),
            Some(instr) if self.locks && instr.op.is_memory() && !instr.op.is_shared() => {
                let left = transactions(instr.op, event);
                self.accesses.insert((unit, warp, record.order), Access { instr, event: *event, by, left });
            }
            Some(_) => {}
        }
        Step::Done
    }

    /// ACS, ASR or RLS has been executed.
    fn sent(&mut self, launch: &Launch, op: Op, by: By, event: &RetireEvent) {
        let Some(lane) = lanes(event.mask).next() else { return };
        let Holder { unit, warp, .. } = by.who;
        let semaphore = event.value[lane].min(0xFFFF) as u16;
        if launch.collides(op, by.pc, semaphore) {
            self.collisions[usize::from(op == Op::Rls)].get_or_insert((by, semaphore));
        }
        let messages = self.messages.entry((thread_id(unit, warp), semaphore)).or_default();
        let list = if op == Op::Rls { &mut messages.releases } else { &mut messages.acquires };
        list.push(event.pc);
        let holds = &mut self.slots[unit * self.warps + warp].holds;
        match op {
            Op::Acs => holds.push(semaphore),
            Op::Rls => drop(holds.iter().position(|&s| s == semaphore).map(|at| holds.remove(at))),
            _ => {}
        }
    }

    fn perform(&mut self, launch: &Launch, transaction: &Transaction, done: &Completed) -> Step {
        let Some(access) = self.accesses.get_mut(&(done.unit, done.warp, done.order)).filter(|a| a.left > 0) else {
            return Step::Stop;
        };
        access.left -= 1;
        if !transaction.write {
            return Step::Done;
        }
        let Some(write) = self.writes.pop_front().filter(|w| w.addr == transaction.line) else { return Step::Stop };
        let byte = |i: u32| (write.data[i as usize / 4] >> (8 * (i % 4))) as u8;
        let enabled = (0..LINE_BYTES).filter(|i| write.mask >> i & 1 == 1);
        let bytes: Vec<(u32, u8)> = enabled.map(|i| (write.addr + i, byte(i))).collect();
        let op = access.instr.op;
        let form = form(op.atomic(), op.access_bytes());
        if form != Form::Lock {
            self.ownership.write(launch, access.by, form, &bytes);
        } else if let (true, Some(&(addr, new))) = (succeeded(&access.event, done), bytes.first()) {
            self.ownership.lock(launch, access.by, addr, new.into());
        }
        Step::Done
    }

    /// What the entity did, and the acquires that came to it.
    fn list(&mut self, outputs: &Outputs) {
        for m in outputs.bus.iter().filter(|m| m.kind == MessageKind::Acquire && self.semaphores) {
            self.messages.entry((m.thread, m.semaphore)).or_default().auto.push_back(m.auto);
        }
        let Some(op) = outputs.list_op else { return };
        let messages = self.messages.entry((op.thread, op.semaphore)).or_default();
        match op.kind {
            ListOpKind::Appended => {
                if messages.auto.pop_front() == Some(true) {
                    self.passing.insert(op.entry);
                }
            }
            ListOpKind::Passed => drop(messages.auto.pop_front()),
            ListOpKind::Marked => {
                messages.released += 1;
                self.passing.insert(op.entry);
            }
            ListOpKind::Removed if self.passing.remove(&op.entry) => {}
            ListOpKind::Removed => messages.released += 1,
            ListOpKind::Error => {
                self.errors += 1;
                self.error.get_or_insert((op, messages.released));
            }
            ListOpKind::Undefined => {}
        }
    }

    /// The first owned lock that another warp gave back, or protocol error, or thread that kept a
    /// semaphore.
    pub fn problem(&self) -> Option<Protocol> {
        let unreleased = || Protocol::unreleased(&self.unreleased);
        let message = self.error.map(|(op, released)| self.message_error(&op, released));
        Protocol::foreign(&self.ownership).or(message).or_else(unreleased)
    }

    /// What a program did to a semaphore of its job's graph.
    pub fn collision(&self) -> Option<Protocol> {
        let [acquire, release] = self.collisions;
        let (op, (by, semaphore)) = acquire.map(|a| (Op::Acs, a)).or(release.map(|r| (Op::Rls, r)))?;
        Some(Protocol::Collision { op, unit: by.who.unit, warp: by.who.warp, pc: Some(by.pc), semaphore })
    }

    fn message_error(&self, op: &ListOp, released: usize) -> Protocol {
        let known = match op.entry {
            1 if self.any_may_release => Some(ProtocolError::NotInList),
            2 => Some(ProtocolError::DoubleRelease),
            3 => Some(ProtocolError::NoSuchSemaphore),
            _ => None,
        };
        let messages = self.messages.get(&(op.thread, op.semaphore));
        let release = messages.and_then(|m| m.releases.get(released));
        // Every message about a semaphore that does not exist is an error: the first one that the
        // thread sent.
        let acquire = messages.and_then(|m| m.acquires.first()).filter(|_| op.entry == 3);
        let kind = match (acquire, release) {
            (Some(_), None) => Sent::Acquire { auto_release: false, suppress: false },
            (Some(a), Some(r)) if a < r => Sent::Acquire { auto_release: false, suppress: false },
            _ => Sent::Release,
        };
        let pc = if kind == Sent::Release { release } else { acquire };
        let message = Message { kind, semaphore: op.semaphore, thread: op.thread };
        let why = known.map_or(Why::NotOwner, Why::Known);
        match pc {
            Some(&pc) => Protocol::Message { count: self.errors, message, pc: Some(pc), why },
            None => Protocol::Machine { count: self.errors, op: *op },
        }
    }

    pub fn warnings(&self) -> Vec<Warning> {
        let foreign = self.ownership.warning().map(|(count, first)| Warning::Foreign(count, first));
        foreign.into_iter().chain(self.lost.then_some(Warning::Lost)).collect()
    }

    /// The lock words, if they are followed.
    pub fn ownership(&self) -> Option<&Ownership> {
        Some(&self.ownership).filter(|_| self.locks && !self.lost)
    }
}

impl Slot {
    fn end(&mut self, by: By, mask: u8, unreleased: &mut Vec<Unreleased>) {
        self.lanes &= !mask;
        if self.lanes == 0 && !self.holds.is_empty() {
            let Holder { unit, warp, .. } = by.who;
            unreleased.push(Unreleased { unit, warp, pc: by.pc, semaphores: std::mem::take(&mut self.holds) });
        }
    }
}

/// Transactions at the memory port that an instruction makes: a line read or written once; of an
/// atomic a read and a write for each lane, of one for the warp one of each.
fn transactions(op: Op, event: &RetireEvent) -> usize {
    let mask = event.mask & 15;
    if op.is_atomic() {
        return 2 * if op.is_warp_wide() { mask.min(1) as usize } else { mask.count_ones() as usize };
    }
    let mut lines: Vec<u32> = lanes(mask).map(|lane| event.value[lane] & !(LINE_BYTES - 1)).collect();
    lines.sort_unstable();
    lines.dedup();
    lines.len()
}

/// Whether the lock form told its lanes that it did what was asked.
fn succeeded(event: &RetireEvent, done: &Completed) -> bool {
    let Some(lane) = lanes(event.mask).next() else { return false };
    done.beats.iter().any(|b| b.wen && has_lane(b.mask, lane) && b.value[lane] == 1)
}
