//! A machine for testing lockstep without RTL: a second golden model that emits events as a core
//! would, with random issue order, random memory delays and several beats per load; with threads
//! also a dispatcher, a bus and a semaphore entity ([`net`]), with several cores one memory port
//! for all of them. Left alone it must pass; a test changes one event and the right checker must
//! say so.

mod ahead;
mod atomics;
mod frames;
mod net;
mod pairs;
mod splits;
mod tests;
mod threads;

use std::collections::VecDeque;

use quadlock_golden::semaphores::{thread_id, Message, MessageKind};
use quadlock_golden::{Effect, Golden, Grid, Launch as GoldenLaunch, MemEffect, MemKind};
use quadlock_isa::{group_register, ThreadRecord};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::engine::{Engine, EngineError};
use crate::lockstep::{self, Options};
use crate::machine::launch::{host, Launch};
use crate::machine::ports::{
    CompletionEvent, Inputs, LaunchEvent, MemoryRequest, Outputs, RetireEvent, SharedWriteEvent, TrapPlace, UnitOutputs,
};
use crate::machine::signals::SignalTree;

/// Changes the outputs of a cycle.
pub type Mutation = Box<dyn FnMut(&mut Outputs)>;

/// An instruction whose access has been performed and that has still to be shown.
struct Performed {
    effect: Effect,
    writes: VecDeque<(u32, u16, [u32; 4])>,
    beats: VecDeque<CompletionEvent>,
}

#[derive(Default)]
struct Pipeline {
    waiting: VecDeque<(usize, usize, u64)>,
    /// Of several cores: an instruction and its transactions to come, (line, write, byte enables of
    /// the write).
    performing: Option<((usize, usize, u64), Transactions)>,
    current: Option<Performed>,
}

/// (line, write, byte enables of the write).
type Transactions = VecDeque<(u32, bool, u16)>;

/// What the machine does wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flaw {
    #[default]
    None,
    /// Threads are launched before their suppressed requests have their effect (SE-43).
    ThreadEarly,
    /// All requests are sent before the launch (SE-43).
    SemaphoreEarly,
    /// Atomics of several cores do not lock their lines.
    LockIgnored,
    /// The messages of one thread get lost on their way to the bus.
    Lost,
    /// WTS does not wait.
    WaitSkipped,
}

/// The thread that is being set up.
#[derive(Clone, Copy)]
struct SetUp {
    unit: usize,
    warp: usize,
    /// Suppressed requests that have not had their effect.
    left: usize,
}

pub struct Fake {
    golden: Golden,
    grid: Grid,
    rng: ChaCha8Rng,
    outputs: Outputs,
    inputs: Inputs,
    started: bool,
    /// Next group and warp of it to launch.
    next: (u64, u32),
    /// The threads that are still to be launched, if there is a list.
    threads: Option<VecDeque<ThreadRecord>>,
    set_up: Option<SetUp>,
    net: net::Net,
    cycle: u64,
    /// By slot: not to issue before that cycle.
    asleep: Vec<u64>,
    flaw: Flaw,
    cores: usize,
    /// The global ones of the cores, then a shared one per unit, then a function unit per unit.
    pipelines: Vec<Pipeline>,
    pub mutation: Mutation,
}

/// The transactions of an access.
fn transactions(mem: &MemEffect) -> Transactions {
    let mut out: Transactions = VecDeque::new();
    for lane in (0..4).filter(|l| mem.performers >> l & 1 == 1) {
        let base = mem.addr[lane] & !(u32::from(mem.bytes) - 1);
        let line = base & !15;
        let enables = (((1u32 << mem.bytes) - 1) << (base & 15)) as u16;
        match mem.kind {
            MemKind::Atomic(_) => out.extend([(line, false, 0), (line, true, enables)]),
            kind => match out.iter_mut().find(|t| t.0 == line) {
                Some(t) => t.2 |= enables,
                None => out.push_back((line, kind == MemKind::Store, enables)),
            },
        }
    }
    out
}

fn lines_of(bytes: &[(u32, u8)]) -> VecDeque<(u32, u16, [u32; 4])> {
    let mut out: VecDeque<(u32, u16, [u32; 4])> = VecDeque::new();
    for &(addr, value) in bytes {
        if out.back().is_none_or(|l| l.0 != addr & !15) {
            out.push_back((addr & !15, 0, [0; 4]));
        }
        if let Some(line) = out.back_mut() {
            line.1 |= 1 << (addr & 15);
            line.2[(addr & 15) as usize / 4] |= u32::from(value) << (8 * (addr & 3));
        }
    }
    out
}

impl Fake {
    pub fn new(launch: &Launch, options: &Options, seed: u64) -> Self {
        Self::flawed(launch, options, seed, Flaw::None)
    }

    pub fn flawed(launch: &Launch, options: &Options, seed: u64, flaw: Flaw) -> Self {
        let (units, config) = (options.config.total_units(), &options.config);
        let fault = (flaw == Flaw::WaitSkipped).then_some(quadlock_golden::Fault::WaitSkipped);
        let threads = launch.threads.as_ref().map(|l| l.threads.iter().cloned().collect());
        Self {
            golden: lockstep::golden(launch, config, fault),
            threads,
            set_up: None,
            net: net::Net::new(config),
            cycle: 0,
            asleep: vec![0; units * config.warps],
            flaw,
            cores: config.total_cores(),
            grid: lockstep::grid(launch, config),
            rng: ChaCha8Rng::seed_from_u64(seed),
            outputs: Outputs { units: vec![UnitOutputs::default(); units], ..Outputs::default() },
            inputs: Inputs::default(),
            started: false,
            next: (0, 0),
            pipelines: (0..config.total_cores() + 2 * units).map(|_| Pipeline::default()).collect(),
            mutation: Box::new(|_| {}),
        }
    }

    fn all_launched(&self) -> bool {
        match &self.threads {
            Some(list) => list.is_empty(),
            None => self.next.0 == self.grid.group_count(),
        }
    }

    /// Sends the requests of a thread that are, or are not, suppressed.
    fn send(&mut self, record: &ThreadRecord, place: (usize, usize), suppress: bool) -> usize {
        let wanted: Vec<_> = record.requests.iter().filter(|r| r.suppress == suppress).collect();
        for r in &wanted {
            let kind = MessageKind::Acquire { auto_release: r.auto_release, suppress };
            self.net
                .dispatch(self.cycle, Message { kind, semaphore: r.semaphore, thread: thread_id(place.0, place.1) });
        }
        wanted.len()
    }

    /// The dispatcher of a thread list: one step of SE-43 in a cycle.
    fn dispatch_thread(&mut self) {
        let Some(record) = self.threads.as_ref().and_then(|l| l.front().cloned()) else { return };
        let Some(SetUp { unit, warp, left }) = self.set_up else {
            let config = self.golden.config();
            let slots = config.units * config.warps;
            let (start, warps) = (self.rng.random_range(0..slots), config.warps);
            let places = (0..slots).map(|i| ((start + i) % slots / warps, (start + i) % slots % warps));
            let Some((unit, warp)) = places.into_iter().find(|&(u, w)| self.golden.warp(u, w).is_free()) else {
                return;
            };
            let mut left = self.send(&record, (unit, warp), true);
            if self.flaw == Flaw::ThreadEarly {
                left = 0;
            }
            if self.flaw == Flaw::SemaphoreEarly {
                self.send(&record, (unit, warp), false);
            }
            self.set_up = Some(SetUp { unit, warp, left });
            return;
        };
        let done = self.net.take_done();
        if left > done {
            self.set_up = Some(SetUp { unit, warp, left: left - done });
            return;
        }
        let launch = GoldenLaunch::thread(&record, unit, warp);
        if self.golden.launch(&launch).is_err() {
            return;
        }
        self.outputs.launch = Some(LaunchEvent {
            unit: unit as u8,
            warp: warp as u8,
            mask: record.mask,
            pc: record.pc,
            wait: launch.wait,
            ..LaunchEvent::default().with_group(record.data)
        });
        if self.flaw != Flaw::SemaphoreEarly {
            self.send(&record, (unit, warp), false);
        }
        self.set_up = None;
        if let Some(list) = &mut self.threads {
            list.pop_front();
        }
    }

    fn dispatch(&mut self) {
        if self.threads.is_some() {
            return self.dispatch_thread();
        }
        let per_group = self.grid.warps_per_group();
        if self.next.0 == self.grid.group_count() {
            return;
        }
        let (group, warp) = self.next;
        let (units, warps) = (self.golden.config().units, self.golden.config().warps);
        let pinned = self.grid.pinned;
        let slots = if pinned { self.grid.group_slots } else { warps };
        for unit in 0..units {
            for slot in 0..slots {
                let target = if pinned { slot * per_group as usize + warp as usize } else { slot };
                let ids = self.grid.launch_ids(group, warp);
                let launch = GoldenLaunch::new(&self.grid, &ids, unit, target, warp, slot);
                // A group's later warps stay where its first one went.
                let follows = !pinned || warp == 0 || {
                    let first = self.golden.warp(unit, slot * per_group as usize).launch();
                    first.group == ids.group
                };
                if follows && self.golden.launch(&launch).is_ok() {
                    self.outputs.launch = Some(LaunchEvent {
                        unit: unit as u8,
                        warp: target as u8,
                        mask: ids.mask,
                        warp_in_group: warp as u8,
                        group_slot: if pinned { slot as u8 } else { 0 },
                        ..LaunchEvent::default().with_group(ids.group)
                    });
                    self.next = if warp + 1 == per_group { (group + 1, 0) } else { (group, warp + 1) };
                    return;
                }
            }
        }
    }

    fn issue(&mut self, unit: usize) {
        let warps = self.golden.config().warps;
        let start = self.rng.random_range(0..warps);
        for i in 0..warps {
            let warp = (start + i) % warps;
            // What has been performed and not yet shown is not in the registers as far as the world
            // can see.
            let hidden =
                |p: &Pipeline| p.current.as_ref().is_some_and(|c| (c.effect.unit, c.effect.warp) == (unit, warp));
            if self.pipelines.iter().any(hidden) || self.cycle < self.asleep[unit * warps + warp] {
                continue;
            }
            let Ok(effect) = self.golden.issue(unit, warp) else { continue };
            if let Some(message) = effect.message.filter(|m| self.flaw != Flaw::Lost || m.thread != 1) {
                self.net.send(self.cycle, message);
            }
            let written = effect.dest.filter(|_| !effect.deferred);
            let value = match &effect.mem {
                Some(mem) => mem.addr,
                None => effect.values.map(|v| v[0]),
            };
            self.outputs.units[unit].retire = Some(RetireEvent {
                warp: warp as u8,
                seq: effect.seq,
                mask: effect.mask,
                pc: effect.pc,
                trap: effect.trap.is_some(),
                mem: effect.deferred,
                wen: written.is_some(),
                dst: written.map_or(0, |d| d.0),
                value,
                next: effect.next,
                ..RetireEvent::default().with_word(effect.word)
            });
            if effect.deferred {
                let units = self.golden.config().units;
                let pipeline = match &effect.mem {
                    None => self.cores + units + unit,
                    Some(mem) if mem.shared => self.cores + unit,
                    Some(_) => unit / (units / self.cores),
                };
                self.pipelines[pipeline].waiting.push_back((unit, warp, effect.order));
            }
            return;
        }
    }

    fn perform(&mut self, pipeline: usize) {
        let idle = self.pipelines[pipeline].current.is_none();
        if !idle || self.rng.random_range(0..3) != 0 {
            return;
        }
        if self.cores > 1 && pipeline < self.cores {
            return self.begin(pipeline);
        }
        let Some(place) = self.pipelines[pipeline].waiting.pop_front() else { return };
        self.complete(pipeline, place);
    }

    /// Begins a global instruction of one of several cores, or ends it when all its transactions
    /// have been performed.
    fn begin(&mut self, core: usize) {
        if let Some((place, left)) = &self.pipelines[core].performing {
            if left.is_empty() {
                let place = *place;
                self.pipelines[core].performing = None;
                self.complete(core, place);
            }
            return;
        }
        let Some(place @ (unit, warp, order)) = self.pipelines[core].waiting.pop_front() else { return };
        let effect = self.golden.warp(unit, warp).effect_in_flight(order);
        let left = effect.and_then(|e| e.mem.as_ref().map(transactions));
        self.pipelines[core].performing = left.map(|left| (place, left));
    }

    /// One transaction of some core at the memory port.
    fn port(&mut self) {
        if self.cores == 1 || !self.inputs.mem_req_ready {
            return;
        }
        let start = self.rng.random_range(0..self.cores);
        // An atomic of which only the write is left has its line locked.
        let locked: Vec<Option<u32>> = (0..self.cores)
            .map(|c| {
                let (_, left) = self.pipelines[c].performing.as_ref()?;
                let next = left.front()?;
                (next.1 && self.is_atomic(c)).then_some(next.0)
            })
            .collect();
        for core in (0..self.cores).map(|i| (start + i) % self.cores) {
            let Some(((unit, warp, order), left)) = &mut self.pipelines[core].performing else { continue };
            let Some(&(line, write, enables)) = left.front() else { continue };
            let other = (0..self.cores).any(|c| c != core && locked[c] == Some(line));
            if other && self.flaw != Flaw::LockIgnored {
                continue;
            }
            left.pop_front();
            let performed = self.golden.perform(*unit, *warp, *order, line, write);
            assert_eq!(performed, Ok(()));
            let (data, _) = self.golden.memory().load(line, 16);
            self.outputs.mem_req = Some(MemoryRequest { addr: line, write, mask: enables, data });
            self.outputs.mem_source = Some(32 + core as u8);
            return;
        }
    }

    fn is_atomic(&self, core: usize) -> bool {
        let Some(((unit, warp, order), _)) = &self.pipelines[core].performing else { return false };
        let effect = self.golden.warp(*unit, *warp).effect_in_flight(*order);
        effect.and_then(|e| e.mem.as_ref()).is_some_and(|m| matches!(m.kind, MemKind::Atomic(_)))
    }

    fn complete(&mut self, pipeline: usize, (unit, warp, order): (usize, usize, u64)) {
        let Ok(effect) = self.golden.complete(unit, warp, order) else { return };
        let performers = effect.mem.as_ref().map_or(0, |m| m.performers);
        let lanes = (0..4).filter(|l| performers >> l & 1 == 1);
        let shown = self.cores > 1 && pipeline < self.cores;
        let writes = match &effect.mem {
            None => VecDeque::new(),
            Some(_) if shown => VecDeque::new(),
            Some(mem) if matches!(mem.kind, MemKind::Atomic(_)) => {
                let memory = if mem.shared { self.golden.shared(unit) } else { self.golden.memory() };
                lanes
                    .flat_map(|lane| {
                        let base = memory.effective(mem.addr[lane], mem.bytes);
                        let byte = |i: u32| (base + i, (mem.new[lane] >> (8 * i)) as u8);
                        lines_of(&(0..u32::from(mem.bytes)).map(byte).collect::<Vec<_>>())
                    })
                    .collect()
            }
            Some(mem) => lines_of(&mem.writes),
        };
        let event = CompletionEvent {
            warp: warp as u8,
            seq: effect.seq,
            mask: effect.mask,
            wen: false,
            dst: 0,
            value: [0; 4],
            last: false,
            shared: effect.stored || effect.mem.as_ref().is_some_and(|m| m.shared),
            function: effect.stored || effect.mem.is_none(),
        };
        let (first, count) = effect.dest.unwrap_or((0, 0));
        let mut beats: VecDeque<CompletionEvent> = VecDeque::new();
        for k in 0..count {
            let value = effect.values.map(|v| v[k as usize]);
            let mut beat = CompletionEvent { wen: true, dst: group_register(first, k), value, ..event };
            // Two beats per register: lower and upper lanes.
            for half in [3, 12] {
                beat.mask = effect.mask & half;
                if beat.mask != 0 {
                    beats.push_back(beat);
                }
            }
        }
        if beats.is_empty() {
            beats.push_back(event);
        }
        if let Some(last) = beats.back_mut() {
            last.last = true;
        }
        self.pipelines[pipeline].current = Some(Performed { effect, writes, beats });
    }

    /// Shows what the pipeline has performed: first its writes, then its beats.
    fn show(&mut self, pipeline: usize) {
        let Some(current) = &mut self.pipelines[pipeline].current else { return };
        let unit = current.effect.unit;
        if let Some(&(addr, mask, data)) = current.writes.front() {
            if pipeline < self.cores {
                self.outputs.mem_req = Some(MemoryRequest { addr, write: true, mask, data });
                if self.inputs.mem_req_ready {
                    current.writes.pop_front();
                }
            } else if self.outputs.units[unit].shared_write.is_none() {
                self.outputs.units[unit].shared_write = Some(SharedWriteEvent { addr: addr as u16, mask, data });
                current.writes.pop_front();
            }
        } else if self.outputs.units[unit].completion.is_none() {
            self.outputs.units[unit].completion = current.beats.pop_front();
            if current.beats.is_empty() {
                self.pipelines[pipeline].current = None;
            }
        }
    }
}

impl Engine for Fake {
    fn name(&self) -> &'static str {
        "fake"
    }

    fn settle(&mut self, inputs: &Inputs) -> Result<&Outputs, EngineError> {
        self.inputs = inputs.clone();
        let units = self.outputs.units.len();
        self.outputs =
            Outputs { units: vec![UnitOutputs::default(); units], mem_rsp_ready: true, ..Outputs::default() };
        let all = self.all_launched() && self.net.is_idle();
        let free = |p: &Pipeline| p.waiting.is_empty() && p.performing.is_none() && p.current.is_none();
        let drained = self.pipelines.iter().all(free);
        self.outputs.busy = self.started && !(all && drained && self.golden.is_idle());
        if self.started {
            (0..units).for_each(|u| self.issue(u));
            // After the issue: a warp's first record is later than its launch. Before the
            // acknowledgements: they are earlier than a slot's next launch.
            self.dispatch();
            for thread in self.net.cycle(self.cycle, &mut self.rng, &mut self.outputs) {
                let (unit, warp) = quadlock_golden::semaphores::place_of(thread);
                let awaited = self.golden.acknowledge(thread);
                assert!(awaited.is_ok() || self.flaw != Flaw::None, "{awaited:?}");
                // As long as a pipeline from the bus to a retire record.
                self.asleep[unit * self.golden.config().warps + warp] = self.cycle + 8;
            }
            for unit in 0..units {
                let waits = |w: &usize| self.golden.warp(unit, *w).is_waiting();
                self.outputs.units[unit].waiting =
                    (0..self.golden.config().warps).filter(waits).fold(0, |bits, w| bits | 1 << w);
            }
            self.port();
            for pipeline in 0..self.pipelines.len() {
                self.show(pipeline);
                self.perform(pipeline);
            }
        }
        if let Some(t) = self.golden.traps().0.first() {
            self.outputs.trapped = true;
            self.outputs.trap = TrapPlace { unit: t.unit as u8, warp: t.warp as u8, pc: t.pc };
        }
        (self.mutation)(&mut self.outputs);
        Ok(&self.outputs)
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn tick(&mut self) -> Result<(), EngineError> {
        self.cycle += 1;
        self.started |= self.inputs.host == Some((host::START, 1));
        Ok(())
    }

    fn describe(&self, _tree: &mut dyn SignalTree) {}

    fn sample(&self, _wanted: &[bool], _value: &mut dyn FnMut(usize, u128)) {}
}
