//! The semaphore entity against lists kept in plain Rust: random messages of few threads and semaphores, in every configuration, with stalls on all ports. Every
//! operation on a list and every acknowledgement is compared as it happens (SE-10 to SE-25); throughput and latency are those of the header.

use std::collections::VecDeque;

use quadlock_hdl::semaphore::{SemaphoreConfig, SemaphoreEntity};
use quadlock_hdl::testing::Bench;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Acquire {
    sem: u16,
    thread: u16,
    auto: bool,
    suppress: bool,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    thread: u16,
    released: bool,
    suppress: bool,
}

/// What the entity reports: kind, semaphore, thread.
type Op = (u64, u64, u64);

/// The lists as they must be. `ops` and `acks` are what must come next.
struct Model {
    config: SemaphoreConfig,
    lists: Vec<VecDeque<Entry>>,
    ops: VecDeque<Op>,
    /// Reason of each error in `ops`, in order.
    reasons: VecDeque<u64>,
    acks: VecDeque<(u64, u64)>,
}

impl Model {
    fn new(config: SemaphoreConfig) -> Self {
        let lists = vec![VecDeque::new(); config.semaphores];
        Self { config, lists, ops: VecDeque::new(), reasons: VecDeque::new(), acks: VecDeque::new() }
    }

    fn used(&self) -> usize {
        self.lists.iter().map(VecDeque::len).sum()
    }

    fn error(&mut self, sem: u16, thread: u16, reason: u64) {
        self.ops.push_back((4, sem.into(), thread.into()));
        self.reasons.push_back(reason);
    }

    fn acknowledge(&mut self, sem: u16, entry: Entry) {
        if !entry.suppress {
            self.acks.push_back((sem.into(), entry.thread.into()));
        }
    }

    fn acquire(&mut self, m: Acquire) {
        let entry = Entry { thread: m.thread, released: m.auto, suppress: m.suppress };
        let Some(list) = self.lists.get_mut(usize::from(m.sem)) else { return self.error(m.sem, m.thread, 3) };
        let empty = list.is_empty();
        if empty && m.auto {
            self.ops.push_back((3, m.sem.into(), m.thread.into()));
        } else {
            list.push_back(entry);
            self.ops.push_back((0, m.sem.into(), m.thread.into()));
        }
        if empty {
            self.acknowledge(m.sem, entry);
        }
    }

    fn release(&mut self, sem: u16, thread: u16) {
        let any = self.config.any_may_release;
        let Some(list) = self.lists.get_mut(usize::from(sem)) else { return self.error(sem, thread, 3) };
        let owner = list.front().is_some_and(|e| e.thread == thread);
        let waiting = list.iter().position(|e| e.thread == thread && !e.released);
        if !owner {
            let reason = match list.iter().any(|e| e.thread == thread) && any && list.len() > 1 {
                true => 2,
                false => 1,
            };
            match waiting.filter(|_| any) {
                Some(at) => {
                    list[at].released = true;
                    self.ops.push_back((2, sem.into(), thread.into()));
                }
                None => self.error(sem, thread, reason),
            }
            return;
        }
        while let Some(head) = self.lists[usize::from(sem)].pop_front() {
            self.ops.push_back((1, sem.into(), head.thread.into()));
            let Some(&next) = self.lists[usize::from(sem)].front() else { break };
            self.acknowledge(sem, next);
            if !next.released {
                break;
            }
        }
    }
}

/// Chances in 256 of the ports.
#[derive(Clone, Copy)]
struct Rates {
    acquire: u16,
    release: u16,
    ready: u16,
}

struct Harness {
    bench: Bench<SemaphoreEntity>,
    model: Model,
    rng: ChaCha8Rng,
    acquires: VecDeque<Acquire>,
    releases: VecDeque<(u16, u16)>,
    offered: (bool, bool),
    /// Cycles in which a message was taken, and those in which a message had its effect.
    taken: Vec<u64>,
    ops: Vec<u64>,
    acks: Vec<u64>,
    exhausted: u64,
}

impl Harness {
    fn new(config: SemaphoreConfig, seed: u64) -> Self {
        Self {
            bench: Bench::new(SemaphoreEntity::new(&config), |b| &mut b.clock),
            model: Model::new(config),
            rng: ChaCha8Rng::seed_from_u64(seed),
            acquires: VecDeque::new(),
            releases: VecDeque::new(),
            offered: (false, false),
            taken: Vec::new(),
            ops: Vec::new(),
            acks: Vec::new(),
            exhausted: 0,
        }
    }

    fn cycle(&mut self, rates: Rates) {
        let now = self.bench.cycles;
        let mut chance = |rate: u16| self.rng.random_range(0..256) < rate;
        self.offered.0 = !self.acquires.is_empty() && (self.offered.0 || chance(rates.acquire));
        self.offered.1 = !self.releases.is_empty() && (self.offered.1 || chance(rates.release));
        let b = &mut self.bench;
        b.acq_valid.next = self.offered.0;
        if let Some(m) = self.acquires.front() {
            b.acq_sem.next = u64::from(m.sem).into();
            b.acq_thread.next = u64::from(m.thread).into();
            b.acq_auto.next = m.auto;
            b.acq_suppress.next = m.suppress;
        }
        b.rel_valid.next = self.offered.1;
        if let Some(&(sem, thread)) = self.releases.front() {
            b.rel_sem.next = u64::from(sem).into();
            b.rel_thread.next = u64::from(thread).into();
        }
        b.ack_ready.next = chance(rates.ready);
        b.settle();
        let acquired = self.offered.0 && b.acq_ready.val();
        let released = self.offered.1 && b.rel_ready.val();
        assert!(!(acquired && released) || b.op_valid.val(), "two messages in a cycle, and no probe");
        self.exhausted += u64::from(b.exhausted.val());
        if acquired || released {
            self.taken.push(now);
        }
        if acquired {
            self.offered.0 = false;
            let m = self.acquires.pop_front().unwrap();
            // One that was tried has its effect in the cycle in which it is taken, before releases taken since the try.
            let op = (b.op_kind.val().to_u64(), b.op_sem.val().to_u64(), b.op_thread.val().to_u64());
            let tried = b.op_valid.val() && op.0 >= 3 && self.model.ops.front() != Some(&op);
            let later = if tried { std::mem::take(&mut self.model.ops) } else { VecDeque::new() };
            let reasons = if tried { std::mem::take(&mut self.model.reasons) } else { VecDeque::new() };
            self.model.acquire(m);
            self.model.ops.extend(later);
            self.model.reasons.extend(reasons);
        }
        if released {
            self.offered.1 = false;
            let (sem, thread) = self.releases.pop_front().unwrap();
            self.model.release(sem, thread);
        }
        if b.op_valid.val() {
            let kind = b.op_kind.val().to_u64();
            let op = (kind, b.op_sem.val().to_u64(), b.op_thread.val().to_u64());
            assert_eq!(self.model.ops.pop_front(), Some(op), "operation in cycle {now}");
            if kind == 4 {
                assert_eq!(self.model.reasons.pop_front(), Some(b.op_entry.val().to_u64()), "error in cycle {now}");
            }
            self.ops.push(now);
        }
        if b.ack_valid.val() && b.ack_ready.next {
            let ack = (b.ack_sem.val().to_u64(), b.ack_thread.val().to_u64());
            assert_eq!(self.model.acks.pop_front(), Some(ack), "acknowledgement in cycle {now}");
            self.acks.push(now);
        }
        b.cycle();
    }

    fn idle(&mut self) {
        for _ in 0..6000 {
            self.cycle(Rates { acquire: 256, release: 256, ready: 256 });
            let empty = self.model.ops.is_empty() && self.model.acks.is_empty();
            if self.releases.is_empty() && self.acquires.is_empty() && empty {
                return;
            }
        }
        panic!("not idle: {:?} {:?} {:?}", self.acquires.front(), self.releases.front(), self.model.ops);
    }
}

fn configs() -> Vec<SemaphoreConfig> {
    let mut all = Vec::new();
    for (double_links, tail_pointers) in [(false, true), (true, true), (false, false)] {
        for any_may_release in [true, false] {
            all.push(SemaphoreConfig { semaphores: 4, pool: 16, double_links, tail_pointers, any_may_release });
        }
    }
    all
}

/// Random traffic of 6 threads on 3 semaphores and one that does not exist. A thread that is in no list acquires; one that is in a list releases, sometimes too early, twice or where
/// it is not.
fn random_traffic(config: SemaphoreConfig, seed: u64, rates: Rates, cycles: u64) -> Harness {
    let mut h = Harness::new(config, seed);
    for _ in 0..cycles {
        if h.acquires.len() + h.releases.len() < 3 {
            let sem = if h.rng.random_range(0..60) == 0 { 7 } else { h.rng.random_range(0..3) };
            let thread = h.rng.random_range(0..6);
            let holds = h.model.lists.get(usize::from(sem)).is_some_and(|l| l.iter().any(|e| e.thread == thread));
            let waits = h.acquires.iter().any(|a| a.thread == thread && a.sem == sem);
            let leaves = h.releases.contains(&(sem, thread));
            if (holds || h.rng.random_range(0..20) == 0) && !waits {
                h.releases.push_back((sem, thread));
            } else if !holds && !waits && !leaves {
                let (auto, suppress) = (h.rng.random_range(0..3) == 0, h.rng.random_range(0..3) == 0);
                h.acquires.push_back(Acquire { sem, thread, auto, suppress });
            }
        }
        h.cycle(rates);
    }
    h
}

const RATES: [Rates; 3] = [
    Rates { acquire: 256, release: 256, ready: 256 },
    Rates { acquire: 100, release: 200, ready: 60 },
    Rates { acquire: 256, release: 40, ready: 256 },
];

#[test]
fn lists_are_as_the_requirements_say() {
    for config in configs() {
        for (seed, rates) in (1..).zip(RATES) {
            let h = random_traffic(config, seed, rates, 3000);
            assert!(h.ops.len() > 150, "{config:?}: {} operations", h.ops.len());
        }
    }
}

/// SE-12: a pool of 4 for 6 threads on 3 semaphores. Acquires wait, releases pass, nothing is lost.
#[test]
fn an_exhausted_pool_holds_acquires_back_and_nothing_else() {
    for config in configs() {
        let config = SemaphoreConfig { pool: 4, ..config };
        let mut waited = 0;
        for (seed, rates) in (1..).zip(RATES) {
            let mut h = random_traffic(config, seed, rates, 3000);
            assert!(h.model.used() <= 4);
            waited += h.exhausted;
            // Owners release until nothing waits.
            h.acquires.truncate(1);
            for _ in 0..100 {
                h.idle_or_release();
            }
            assert_eq!(h.model.used(), 0);
            assert!(!h.bench.busy.val());
        }
        assert!(waited > 0, "{config:?}: the pool was never exhausted");
    }
}

impl Harness {
    fn idle_or_release(&mut self) {
        for sem in 0..self.model.lists.len() {
            if let Some(head) = self.model.lists[sem].front().copied() {
                if self.releases.is_empty() {
                    self.releases.push_back((sem as u16, head.thread));
                }
            }
        }
        (0..12).for_each(|_| self.cycle(RATES[0]));
    }
}

/// Acquires of many threads, to semaphores in turn or all to one: one message per cycle.
#[test]
fn one_acquire_per_cycle() {
    for sems in [1, 4] {
        let mut h = Harness::new(SemaphoreConfig { pool: 64, semaphores: 4, ..SemaphoreConfig::default() }, 1);
        let message = |thread| Acquire { sem: thread % sems, thread, auto: false, suppress: thread % 2 == 1 };
        h.acquires.extend((0..60).map(message));
        h.idle();
        assert_eq!(h.taken.last().unwrap() - h.taken[0], 59, "{sems} semaphores");
    }
}

/// Releases by owners of lists with two entries and more, to semaphores in turn: one message per cycle. Acquires between them do not change that.
#[test]
fn one_release_per_cycle() {
    let config = SemaphoreConfig { pool: 64, semaphores: 16, ..SemaphoreConfig::default() };
    for mixed in [false, true] {
        let mut h = Harness::new(config, 1);
        h.acquires.extend((0..48).map(|thread| Acquire { sem: thread % 16, thread, auto: false, suppress: false }));
        h.idle();
        h.taken.clear();
        if mixed {
            h.acquires.extend((100..112).map(|thread| Acquire {
                sem: thread % 16,
                thread,
                auto: false,
                suppress: false,
            }));
        }
        h.releases.extend((0..48).map(|thread| (thread % 16, thread)));
        h.idle();
        let count = h.taken.len() as u64;
        assert_eq!(h.taken.last().unwrap() - h.taken[0], count - 1, "mixed {mixed}");
    }
}

/// From REL_MSG taken to ACK_MSG at the port.
#[test]
fn hand_over_takes_three_cycles() {
    let mut h = Harness::new(SemaphoreConfig::default(), 1);
    h.acquires.extend((0..2).map(|thread| Acquire { sem: 9, thread, auto: false, suppress: false }));
    h.idle();
    h.releases.push_back((9, 0));
    h.idle();
    (0..5).for_each(|_| h.cycle(RATES[0]));
    assert_eq!(h.acks.last().unwrap() - h.taken.last().unwrap(), 3);
}

/// `start` forgets all lists, and the pool is whole again.
#[test]
fn start_empties_the_lists() {
    for config in configs() {
        let mut h = random_traffic(config, 5, RATES[2], 400);
        assert!(h.model.used() > 0);
        h.bench.acq_valid.next = false;
        h.bench.rel_valid.next = false;
        h.bench.start.next = true;
        h.bench.cycle();
        h.bench.start.next = false;
        assert!(h.bench.busy.val(), "lists are being emptied");
        let bench = std::mem::replace(&mut h.bench, Bench::new(SemaphoreEntity::new(&config), |b| &mut b.clock));
        let mut again = random_traffic_on(bench, config, 6);
        again.idle_or_release();
    }
}

fn random_traffic_on(bench: Bench<SemaphoreEntity>, config: SemaphoreConfig, seed: u64) -> Harness {
    let mut h = Harness::new(config, seed);
    h.bench = bench;
    h.acquires.extend((0..16).map(|thread| Acquire { sem: thread % 4, thread, auto: false, suppress: false }));
    h.idle();
    h
}
