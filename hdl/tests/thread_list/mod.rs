//! A machine around the thread dispatcher, for its tests: the real semaphore entity with its
//! waiting room, and in plain Rust memory, bus, rows and threads. A thread releases what it may
//! release at once: requests with acknowledge-suppress as soon as it is launched, others as soon as
//! they are acknowledged. It ends some time after its last acknowledgement. Everything takes random
//! time. Whatever the dispatcher does wrong is an error in words. Wrong if a check is left out by
//! mistake; every planted fault of the dispatcher must give an error.

use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;

use crate::roomy::Roomy;
use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::dispatch::ThreadDispatcher;
use quadlock_isa::thread::{SemaphoreRequest, ThreadRecord};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Byte address of the list.
const LIST: u32 = 0x2000;

/// Times in cycles, chances in 256.
#[derive(Clone, Debug)]
pub struct Timing {
    pub memory: RangeInclusive<u64>,
    pub bus: RangeInclusive<u64>,
    pub release: RangeInclusive<u64>,
    pub run: RangeInclusive<u64>,
    pub ready: u16,
}

/// Nothing waits for anything but the blocks themselves.
pub const FAST: Timing = Timing { memory: 2..=2, bus: 1..=1, release: 4..=4, run: 20..=20, ready: 256 };
/// Everything waits for a random time.
pub const ROUGH: Timing = Timing { memory: 1..=30, bus: 1..=14, release: 1..=9, run: 1..=90, ready: 150 };
/// Releases are on their way when their threads have ended.
pub const LATE: Timing = Timing { memory: 1..=30, bus: 1..=14, release: 30..=60, run: 1..=10, ready: 200 };

/// The words of a record with its requests in the order given.
pub fn words(record: &ThreadRecord) -> Vec<u32> {
    let empty = ThreadRecord { requests: Vec::new(), ..record.clone() };
    let mut words = empty.words();
    words[0] |= (record.requests.len() as u32) << 20;
    words.extend(
        record
            .requests
            .iter()
            .map(|r| u32::from(r.semaphore) | u32::from(r.auto_release) << 16 | u32::from(r.suppress) << 17),
    );
    words.resize(words.len().next_multiple_of(4), 0);
    words
}

/// A thread in its slot.
struct Running {
    index: usize,
    /// Requests whose acknowledgement is to come.
    unacknowledged: Vec<SemaphoreRequest>,
    /// Requests without acknowledge-suppress that have been sent.
    sent: usize,
    ends: u64,
}

/// What a run was like.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Cycle of each launch.
    pub launches: Vec<u64>,
    /// Cycle of each ACQ_MSG at the dispatcher's port.
    pub messages: Vec<u64>,
    pub cycles: u64,
    /// Cycles in which the pool was exhausted.
    pub exhausted: u64,
    /// Unit of each launch.
    pub units: Vec<usize>,
}

pub struct Machine<'a> {
    config: GpuConfig,
    list: &'a [ThreadRecord],
    timing: Timing,
    /// Messages are compared with the records; else only what they lead to is looked at.
    pub strict: bool,
    dispatcher: Bench<ThreadDispatcher>,
    entity: Roomy,
    rng: ChaCha8Rng,
    memory: Vec<u32>,
    now: u64,
    responses: VecDeque<(u64, usize)>,
    acquires: VecDeque<(u64, u64, u64)>,
    releases: VecDeque<(u64, u16, u16)>,
    acks: VecDeque<(u64, u16, u16)>,
    ends: Vec<VecDeque<(usize, usize)>>,
    slots: BTreeMap<(usize, usize), Running>,
    /// Requests sent for a slot whose thread is not launched yet.
    early: BTreeMap<(usize, usize), Vec<SemaphoreRequest>>,
    /// Per semaphore the threads that asked for it, in order: slot and the slot's generation.
    order: BTreeMap<u16, Vec<(usize, usize, usize)>>,
    generations: BTreeMap<(usize, usize), usize>,
    names: BTreeMap<(usize, usize, usize), usize>,
    outcome: Outcome,
}

fn chance(rng: &mut ChaCha8Rng, ready: u16) -> bool {
    rng.random_range(0..256) < ready
}

impl<'a> Machine<'a> {
    pub fn new(config: &GpuConfig, list: &'a [ThreadRecord], timing: &Timing, seed: u64) -> Self {
        Self {
            config: config.clone(),
            list,
            timing: timing.clone(),
            strict: true,
            dispatcher: Bench::new(ThreadDispatcher::new(config), |b| &mut b.clock),
            entity: Roomy::new(config),
            rng: ChaCha8Rng::seed_from_u64(seed),
            memory: list.iter().flat_map(words).collect(),
            now: 0,
            responses: VecDeque::new(),
            acquires: VecDeque::new(),
            releases: VecDeque::new(),
            acks: VecDeque::new(),
            ends: vec![VecDeque::new(); config.rows],
            slots: BTreeMap::new(),
            early: BTreeMap::new(),
            order: BTreeMap::new(),
            generations: BTreeMap::new(),
            names: BTreeMap::new(),
            outcome: Outcome::default(),
        }
    }

    fn write(&mut self, address: u64, data: u64) {
        let d = &mut self.dispatcher;
        d.host_valid.next = true;
        d.host_addr.next = address.into();
        d.host_data.next = data.into();
        d.cycle();
        d.host_valid.next = false;
    }

    /// Runs the list once.
    pub fn run(&mut self) -> Result<Outcome, String> {
        self.write(0x100A, 1);
        self.write(0x100E, LIST.into());
        self.write(0x100F, self.list.len() as u64);
        self.write(0x1000, 1);
        self.outcome = Outcome::default();
        self.order.clear();
        self.names.clear();
        let first = self.now;
        let mut quiet = 0;
        while self.dispatcher.busy.val() {
            self.cycle()?;
            // Nothing lasts as long as this.
            quiet = if self.is_idle() { quiet + 1 } else { 0 };
            if quiet > 500 || self.now - first > 400_000 {
                return Err(format!("does not end; {} threads launched", self.outcome.launches.len()));
            }
        }
        self.outcome.cycles = self.now - first;
        if !self.is_idle() || !self.slots.is_empty() || self.entity.busy() {
            return Err("busy fell too early".into());
        }
        let expected = self.list.iter().filter(|r| r.mask != 0).count();
        if self.outcome.launches.len() != expected {
            return Err(format!("{} of {expected} threads launched", self.outcome.launches.len()));
        }
        if self.early.values().any(|e| !e.is_empty()) {
            return Err("requests were sent for a thread that was never launched".into());
        }
        for (semaphore, order) in &self.order {
            let order: Vec<_> = order.iter().map(|k| self.names[k]).collect();
            if self.strict && !order.is_sorted() {
                return Err(format!("semaphore {semaphore} was asked for in the order {order:?}"));
            }
        }
        Ok(std::mem::take(&mut self.outcome))
    }

    fn is_idle(&self) -> bool {
        self.responses.is_empty()
            && self.acquires.is_empty()
            && self.releases.is_empty()
            && self.acks.is_empty()
            && self.ends.iter().all(VecDeque::is_empty)
            && self.slots.values().all(|r| r.ends == u64::MAX)
    }

    fn slot(&self, thread: u16) -> (usize, usize) {
        (usize::from(thread >> 4), usize::from(thread & 15))
    }

    fn cycle(&mut self) -> Result<(), String> {
        self.drive()?;
        self.take_acks()?;
        if self.dispatcher.launch.valid.val() {
            self.launch()?;
        }
        if self.dispatcher.acq.valid.val() && self.dispatcher.acq.ready.next {
            self.message()?;
        }
        let d = &self.dispatcher;
        if d.t_req.valid.val() && d.t_req.ready.next {
            let address = d.t_req.addr.val().to_u32();
            let index = (address.wrapping_sub(LIST) / 4) as usize;
            if !address.is_multiple_of(16) || index + 4 > self.memory.len() {
                return Err(format!("line {address:x} is not of the list"));
            }
            let at = self.now + self.rng.random_range(self.timing.memory.clone());
            self.responses.push_back((at, index));
        }
        let now = self.now;
        let ended: Vec<_> = self.slots.iter().filter(|(_, r)| r.ends <= now).map(|(k, _)| *k).collect();
        for key in ended {
            self.slots.remove(&key);
            *self.generations.entry(key).or_default() += 1;
            let row = key.0 / (self.config.cores * self.config.units);
            self.ends[row].push_back(key);
        }
        let at = now + self.rng.random_range(self.timing.bus.clone());
        if self.entity.taken() {
            self.acquires.pop_front();
        }
        self.outcome.exhausted += u64::from(self.entity.exhausted());
        let e = &mut self.entity.entity;
        if e.rel_valid.next && e.rel_ready.val() {
            self.releases.pop_front();
        }
        if e.ack_valid.val() && e.ack_ready.next {
            self.acks.push_back((at, e.ack_sem.val().to_u64() as u16, e.ack_thread.val().to_u64() as u16));
        }
        self.entity.cycle();
        self.dispatcher.cycle();
        self.now += 1;
        Ok(())
    }

    /// Inputs of this cycle.
    fn drive(&mut self) -> Result<(), String> {
        let now = self.now;
        self.entity.offer(self.acquires.front().filter(|a| a.0 <= now).map(|a| (a.1, a.2)));
        let e = &mut self.entity.entity;
        e.rel_valid.next = self.releases.front().is_some_and(|r| r.0 <= now);
        if let Some(&(_, semaphore, thread)) = self.releases.front() {
            e.rel_sem.next = u64::from(semaphore).into();
            e.rel_thread.next = u64::from(thread).into();
        }
        e.ack_ready.next = chance(&mut self.rng, self.timing.ready);
        self.entity.settle();
        let busy = self.entity.busy();
        let e = &self.entity.entity;
        let kind = e.op.kind.val().to_u64();
        if e.op.valid.val() && kind == 4 {
            return Err(format!("protocol error {:x} of thread {:x}", e.op.entry.val(), e.op.thread.val()));
        }
        let idle = self.acquires.is_empty() && self.releases.is_empty() && self.acks.is_empty() && !busy;
        let d = &mut self.dispatcher;
        d.done.valid.next = e.done.valid.val();
        d.done.tag.next = e.done.tag.val();
        d.done.suppress.next = e.done.suppress.val();
        d.messages_idle.next = idle;
        d.memory_idle.next = self.responses.is_empty();
        d.acq.ready.next = self.acquires.len() < 2 && chance(&mut self.rng, self.timing.ready);
        d.t_req.ready.next = self.responses.len() < 16 && chance(&mut self.rng, self.timing.ready);
        d.t_rsp_valid.next = false;
        if self.responses.front().is_some_and(|r| r.0 <= now) {
            let (_, at) = self.responses.pop_front().unwrap();
            d.t_rsp_valid.next = true;
            d.t_rsp_data0.next = u64::from(self.memory[at]).into();
            d.t_rsp_data1.next = u64::from(self.memory[at + 1]).into();
            d.t_rsp_data2.next = u64::from(self.memory[at + 2]).into();
            d.t_rsp_data3.next = u64::from(self.memory[at + 3]).into();
        }
        for (row, ends) in self.ends.iter_mut().enumerate() {
            let end = ends.pop_front();
            d.end[row].valid.next = end.is_some();
            if let Some((unit, slot)) = end {
                d.end[row].unit.next = (unit as u64).into();
                d.end[row].warp.next = (slot as u64).into();
            }
        }
        d.settle();
        Ok(())
    }

    fn release(&mut self, semaphore: u16, key: (usize, usize)) {
        let at = self.now + self.rng.random_range(self.timing.release.clone());
        self.releases.push_back((at, semaphore, (key.0 * 16 + key.1) as u16));
    }

    fn take_acks(&mut self) -> Result<(), String> {
        while self.acks.front().is_some_and(|a| a.0 <= self.now) {
            let (_, semaphore, thread) = self.acks.pop_front().unwrap();
            let key = self.slot(thread);
            let runs = self.now + self.rng.random_range(self.timing.run.clone());
            let Some(running) = self.slots.get_mut(&key) else {
                return Err(format!("ACK_MSG of semaphore {semaphore} for {key:?}: there is no such thread"));
            };
            let Some(at) = running.unacknowledged.iter().position(|r| r.semaphore == semaphore) else {
                return Err(format!("ACK_MSG of semaphore {semaphore} for thread {}", running.index));
            };
            let request = running.unacknowledged.remove(at);
            if running.unacknowledged.is_empty() {
                running.ends = runs;
            }
            if !request.auto_release {
                self.release(semaphore, key);
            }
        }
        Ok(())
    }

    fn launch(&mut self) -> Result<(), String> {
        let d = &self.dispatcher;
        let key = (d.place_ports.launch_unit.val().index(), d.launch.warp.val().index());
        let live = self.list.iter().enumerate().filter(|(_, r)| r.mask != 0);
        let Some((index, record)) = live.clone().nth(self.outcome.launches.len()) else {
            return Err("more launches than threads".into());
        };
        let what = format!("thread {index} in {key:?}");
        if key.0 >= self.config.total_units() || key.1 >= self.config.warps || self.slots.contains_key(&key) {
            return Err(format!("{what}: the slot is not free"));
        }
        if self.ends.iter().flatten().any(|e| *e == key) {
            return Err(format!("{what}: the end of the last thread is not known yet"));
        }
        let (early, late): (Vec<_>, Vec<_>) = record.requests.iter().copied().partition(|r| r.suppress);
        let seen = [
            d.launch.pc.val().to_u32(),
            d.launch.mask.val().to_u32(),
            d.launch.wait.val().to_u32(),
            d.launch.group_x.val().to_u32(),
            d.launch.group_y.val().to_u32(),
            d.launch.group_z.val().to_u32(),
            d.place_ports.launch_warp_in_group.val().to_u32(),
            d.place_ports.launch_group_slot.val().to_u32(),
            d.launch.first.val().to_u32(),
            d.launch.warps.val().to_u32(),
            d.launch.shared_base.val().to_u32(),
        ];
        let [x, y, z] = record.data;
        let slot = key.1 as u32;
        let expected = [record.pc.into(), record.mask.into(), late.len() as u32, x, y, z, 0, slot, slot, 1, 0];
        if seen != expected {
            return Err(format!("{what}: launched with {seen:x?} instead of {expected:x?}"));
        }
        let ids = d.launch.local_id.each_ref().map(|port| port.val());
        let indices = d.launch.index.each_ref().map(|port| port.val());
        if (0..4).any(|lane| ids[lane].index() != lane || indices[lane].index() != lane) {
            return Err(format!("{what}: lane numbers {ids:x?} {indices:x?}"));
        }
        let sent = self.early.remove(&key).unwrap_or_default();
        if self.strict && sent != early {
            return Err(format!("{what}: before the launch {sent:?} were asked for instead of {early:?}"));
        }
        let generation = self.generations.get(&key).copied().unwrap_or_default();
        self.names.insert((key.0, key.1, generation), index);
        for request in early.iter().filter(|r| !r.auto_release) {
            self.release(request.semaphore, key);
        }
        let ends = match late.is_empty() {
            true => self.now + self.rng.random_range(self.timing.run.clone()),
            false => u64::MAX,
        };
        self.slots.insert(key, Running { index, unacknowledged: late, sent: 0, ends });
        self.outcome.launches.push(self.now);
        self.outcome.units.push(key.0);
        Ok(())
    }

    /// An ACQ_MSG goes from the dispatcher to the bus.
    fn message(&mut self) -> Result<(), String> {
        let d = &self.dispatcher;
        let (head, body) = (d.acq.head.val().to_u64(), d.acq.body.val().to_u64());
        if head & !0xEC != 0x10 {
            return Err(format!("message head {head:x}"));
        }
        let request =
            SemaphoreRequest { semaphore: body as u16, auto_release: head >> 2 & 1 == 1, suppress: head >> 3 & 1 == 1 };
        let key = self.slot((body >> 16) as u16);
        let generation = self.generations.get(&key).copied().unwrap_or_default();
        self.order.entry(request.semaphore).or_default().push((key.0, key.1, generation));
        match self.slots.get_mut(&key) {
            _ if !self.strict => {}
            None if request.suppress => self.early.entry(key).or_default().push(request),
            Some(running) if !request.suppress => {
                let expected = self.list[running.index].requests.iter().filter(|r| !r.suppress).nth(running.sent);
                if expected != Some(&request) {
                    return Err(format!("thread {}: {request:?} instead of {expected:?}", running.index));
                }
                running.sent += 1;
            }
            None => return Err(format!("{request:?} for {key:?} before the launch")),
            Some(running) => return Err(format!("{request:?} for thread {} behind its launch", running.index)),
        }
        let at = self.now + self.rng.random_range(self.timing.bus.clone());
        self.outcome.messages.push(self.now);
        self.acquires.push_back((at, head, body));
        Ok(())
    }
}

/// Random threads with up to `most` requests to `semaphores` semaphores; every 20th has no lane.
/// Requests are in the order of the records' convention, or in none.
pub fn random_list(seed: u64, threads: usize, most: usize, semaphores: u16, sorted: bool) -> Vec<ThreadRecord> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5EED);
    let thread = |_| {
        let count = rng.random_range(0..=most.min(usize::from(semaphores)));
        let mut requests: Vec<SemaphoreRequest> = Vec::new();
        while requests.len() < count {
            let semaphore = rng.random_range(0..semaphores);
            if requests.iter().all(|r| r.semaphore != semaphore) {
                requests.push(SemaphoreRequest { semaphore, auto_release: rng.random(), suppress: rng.random() });
            }
        }
        if sorted {
            requests.sort_by_key(|r| !r.suppress);
        }
        let mask = if rng.random_range(0..20) == 0 { 0 } else { rng.random_range(1..16) };
        ThreadRecord { pc: rng.random(), mask, data: rng.random(), requests }
    };
    (0..threads).map(thread).collect()
}

/// Runs a list once on a machine.
pub fn run(config: &GpuConfig, list: &[ThreadRecord], timing: &Timing, seed: u64) -> Result<Outcome, String> {
    Machine::new(config, list, timing, seed).run()
}
