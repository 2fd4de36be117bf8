//! The semaphore entity, without the waiting room before it, against lists kept in plain Rust:
//! random messages of few threads and semaphores, in every configuration, with stalls on all ports.
//! Every operation on a list, every acknowledgement and every completion signal is compared as it
//! happens (SE-10 to SE-25, SE-43); throughput and latency are those of the header. Each planted
//! fault is found.

use std::collections::VecDeque;

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::config::SemaphoreConfig;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::semaphore::SemaphoreEntity;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Acquire {
    sem: u16,
    thread: u16,
    auto: bool,
    suppress: bool,
    notify: bool,
}

/// An acquire without flags.
const PLAIN: Acquire = Acquire { sem: 0, thread: 0, auto: false, suppress: false, notify: false };

#[derive(Clone, Copy, Debug)]
struct Entry {
    thread: u16,
    released: bool,
    suppress: bool,
}

/// What the entity reports: kind, semaphore, thread; with the completion signal.
type Op = (u64, u64, u64, bool);

/// The lists as they must be. `ops` is what must come next, and `acks` of the operations that have
/// been.
struct Model {
    config: SemaphoreConfig,
    lists: Vec<VecDeque<Entry>>,
    /// With each operation the acknowledgement that follows from it.
    ops: VecDeque<(Op, Option<(u64, u64)>)>,
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

    fn error(&mut self, sem: u16, thread: u16, reason: u64, notify: bool) {
        self.ops.push_back(((4, sem.into(), thread.into(), notify), None));
        self.reasons.push_back(reason);
    }

    fn acknowledge(&mut self, sem: u16, entry: Entry) {
        if !entry.suppress {
            self.ops.back_mut().unwrap().1 = Some((sem.into(), entry.thread.into()));
        }
    }

    fn acquire(&mut self, m: Acquire) {
        let entry = Entry { thread: m.thread, released: m.auto, suppress: m.suppress };
        let Some(list) = self.lists.get_mut(usize::from(m.sem)) else {
            return self.error(m.sem, m.thread, 3, m.notify);
        };
        let empty = list.is_empty();
        if empty && m.auto {
            self.ops.push_back(((3, m.sem.into(), m.thread.into(), m.notify), None));
        } else {
            list.push_back(entry);
            self.ops.push_back(((0, m.sem.into(), m.thread.into(), m.notify), None));
        }
        if empty {
            self.acknowledge(m.sem, entry);
        }
    }

    fn release(&mut self, sem: u16, thread: u16) {
        let any = self.config.any_may_release;
        let Some(list) = self.lists.get_mut(usize::from(sem)) else { return self.error(sem, thread, 3, false) };
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
                    self.ops.push_back(((2, sem.into(), thread.into(), false), None));
                }
                None => self.error(sem, thread, reason, false),
            }
            return;
        }
        while let Some(head) = self.lists[usize::from(sem)].pop_front() {
            self.ops.push_back(((1, sem.into(), head.thread.into(), false), None));
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
    /// Acquires that are to take no entry.
    bare: u16,
}

struct Harness {
    bench: Bench<SemaphoreEntity>,
    model: Model,
    rng: ChaCha8Rng,
    acquires: VecDeque<Acquire>,
    releases: VecDeque<(u16, u16)>,
    offered: (bool, bool),
    /// A release was taken in the last cycle, while the acquire at the port could have been.
    passed_over: bool,
    /// The acquire offered is to take no entry.
    bare: bool,
    refused: u64,
    /// Cycles in which a message was taken, and those in which a message had its effect.
    taken: Vec<u64>,
    ops: Vec<u64>,
    acks: Vec<u64>,
    exhausted: u64,
    /// A fault is planted: the first thing that goes wrong is kept, not panicked with.
    faulty: bool,
    problem: Option<String>,
}

fn bench(config: SemaphoreConfig, fault: Option<Fault>) -> Bench<SemaphoreEntity> {
    let config = GpuConfig { semaphores: config, fault, ..GpuConfig::default() };
    config.check().unwrap();
    Bench::new(SemaphoreEntity::new(&config), |b| &mut b.clock)
}

impl Harness {
    fn new(config: SemaphoreConfig, seed: u64) -> Self {
        Self {
            bench: bench(config, None),
            model: Model::new(config),
            rng: ChaCha8Rng::seed_from_u64(seed),
            acquires: VecDeque::new(),
            releases: VecDeque::new(),
            offered: (false, false),
            passed_over: false,
            bare: false,
            refused: 0,
            taken: Vec::new(),
            ops: Vec::new(),
            acks: Vec::new(),
            exhausted: 0,
            faulty: false,
            problem: None,
        }
    }

    fn expect(&mut self, good: bool, what: impl FnOnce() -> String) {
        if !good && self.problem.is_none() {
            let what = what();
            assert!(self.faulty, "{what}");
            self.problem = Some(what);
        }
    }

    fn cycle(&mut self, rates: Rates) {
        let now = self.bench.cycles;
        let mut chance = |rate: u16| self.rng.random_range(0..256) < rate;
        let was_offered = self.offered.0;
        self.offered.0 = !self.acquires.is_empty() && (self.offered.0 || chance(rates.acquire));
        if self.offered.0 && !was_offered {
            self.bare = chance(rates.bare);
        }
        self.offered.1 = !self.releases.is_empty() && (self.offered.1 || chance(rates.release));
        let b = &mut self.bench;
        b.acq.bare.next = self.bare;
        b.acq.valid.next = self.offered.0;
        if let Some(m) = self.acquires.front() {
            b.acq.sem.next = u64::from(m.sem).into();
            b.acq.thread.next = u64::from(m.thread).into();
            b.acq.auto.next = m.auto;
            b.acq.suppress.next = m.suppress;
            b.acq.notify.next = m.notify;
        }
        b.rel_valid.next = self.offered.1;
        if let Some(&(sem, thread)) = self.releases.front() {
            b.rel_sem.next = u64::from(sem).into();
            b.rel_thread.next = u64::from(thread).into();
        }
        b.ack_ready.next = chance(rates.ready);
        b.settle();
        let acquired = self.offered.0 && b.acq.ready.val();
        let released = self.offered.1 && b.rel_ready.val();
        let op_valid = b.op.valid.val();
        let op = (b.op.kind.val().to_u64(), b.op.sem.val().to_u64(), b.op.thread.val().to_u64(), b.done.valid.val());
        let reason = b.op.entry.val().to_u64();
        let exhausted = self.offered.0 && !self.bare && !b.entry_free.val();
        let passed_over = released && self.offered.0 && !self.bare && !exhausted;
        let refused = b.acq.refused.val();
        let ack =
            (b.ack_valid.val() && b.ack_ready.next).then(|| (b.ack_sem.val().to_u64(), b.ack_thread.val().to_u64()));
        let active = b.active.val();
        self.expect(!(acquired && released) || op_valid, || "two messages in a cycle, and no probe".into());
        self.expect(op_valid || !op.3, || format!("completion without effect in cycle {now}"));
        self.expect(active || self.model.ops.is_empty() && self.model.acks.is_empty(), || {
            format!("not active in cycle {now}")
        });
        self.expect(!(passed_over && self.passed_over), || format!("two releases go first in cycle {now}"));
        self.passed_over = passed_over;
        self.exhausted += u64::from(exhausted);
        if acquired || released {
            self.taken.push(now);
        }
        if refused {
            // Only a bare acquire that needs an entry is refused; it comes again, and waits for
            // one.
            let m = *self.acquires.front().unwrap();
            self.refused += 1;
            self.expect(self.bare && !acquired, || format!("refused in cycle {now}"));
            let passes = m.auto && self.model.lists.get(usize::from(m.sem)).is_none_or(VecDeque::is_empty);
            self.expect(!passes || !self.model.ops.is_empty(), || format!("refused without need in cycle {now}"));
            self.bare = false;
        }
        if acquired {
            self.offered.0 = false;
            let m = self.acquires.pop_front().unwrap();
            // One that was tried has its effect in the cycle in which it is taken, before releases
            // taken since the try.
            let tried = op_valid && op.0 >= 3 && self.model.ops.front().is_none_or(|o| o.0 != op);
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
        if op_valid {
            let (expected, ack) = self.model.ops.pop_front().unzip();
            self.model.acks.extend(ack.flatten());
            self.expect(expected == Some(op), || format!("operation in cycle {now}: {op:?}, expected {expected:?}"));
            if op.0 == 4 {
                let expected = self.model.reasons.pop_front();
                self.expect(expected == Some(reason), || {
                    format!("error in cycle {now}: {reason}, expected {expected:?}")
                });
            }
            self.ops.push(now);
        }
        if let Some(ack) = ack {
            let expected = self.model.acks.pop_front();
            self.expect(expected == Some(ack), || {
                format!("acknowledgement in cycle {now}: {ack:?}, expected {expected:?}")
            });
            self.acks.push(now);
        }
        self.bench.cycle();
    }

    fn idle(&mut self) {
        for _ in 0..6000 {
            self.cycle(RATES[0]);
            let empty = self.model.ops.is_empty() && self.model.acks.is_empty();
            if self.releases.is_empty() && self.acquires.is_empty() && empty {
                return;
            }
        }
        let left = format!("{:?} {:?} {:?}", self.acquires.front(), self.releases.front(), self.model.ops);
        self.expect(false, || format!("not idle: {left}"));
    }
}

fn configs() -> Vec<SemaphoreConfig> {
    let mut all = Vec::new();
    for (double_links, tail_pointers) in [(false, true), (true, true), (false, false), (true, false)] {
        for any_may_release in [true, false] {
            all.push(SemaphoreConfig { semaphores: 4, pool: 16, double_links, tail_pointers, any_may_release });
        }
    }
    all
}

/// Random traffic of 6 threads on 3 semaphores and one that does not exist. A thread that is in no
/// list acquires; one that is in a list releases, sometimes too early, twice or where it is not.
fn random_traffic(config: SemaphoreConfig, seed: u64, rates: Rates, cycles: u64) -> Harness {
    let mut h = Harness::new(config, seed);
    h.random_traffic(rates, cycles);
    h
}

impl Harness {
    fn random_traffic(&mut self, rates: Rates, cycles: u64) {
        let h = self;
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
                    let [auto, suppress, notify] = [(); 3].map(|()| h.rng.random_range(0..3) == 0);
                    h.acquires.push_back(Acquire { sem, thread, auto, suppress, notify });
                }
            }
            h.cycle(rates);
            if h.problem.is_some() {
                return;
            }
        }
    }
}

const RATES: [Rates; 3] = [
    Rates { acquire: 256, release: 256, ready: 256, bare: 0 },
    Rates { acquire: 100, release: 200, ready: 60, bare: 100 },
    Rates { acquire: 256, release: 40, ready: 256, bare: 60 },
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

/// SE-12: a pool of 4 for 6 threads on 3 semaphores. Acquires wait or are refused, releases pass,
/// nothing is lost.
#[test]
fn an_exhausted_pool_holds_back_acquires_that_need_an_entry() {
    for config in configs() {
        let config = SemaphoreConfig { pool: 4, ..config };
        let (mut waited, mut refused) = (0, 0);
        for (seed, rates) in (1..).zip(RATES) {
            let mut h = random_traffic(config, seed, rates, 3000);
            assert!(h.model.used() <= 4);
            waited += h.exhausted;
            refused += h.refused;
            // Owners release until nothing waits.
            h.acquires.truncate(1);
            for _ in 0..100 {
                h.idle_or_release();
            }
            assert_eq!(h.model.used(), 0);
            assert!(!h.bench.busy.val());
        }
        assert!(waited > 0 && refused > 0, "{config:?}: the pool was never exhausted");
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
        let message = |thread| Acquire { sem: thread % sems, thread, suppress: thread % 2 == 1, ..PLAIN };
        h.acquires.extend((0..60).map(message));
        h.idle();
        assert_eq!(h.taken.last().unwrap() - h.taken[0], 59, "{sems} semaphores");
    }
}

/// Releases by owners of lists with two entries and more, to semaphores in turn: one message per
/// cycle. Acquires between them do not change that.
#[test]
fn one_release_per_cycle() {
    let config = SemaphoreConfig { pool: 64, semaphores: 16, ..SemaphoreConfig::default() };
    for mixed in [false, true] {
        let mut h = Harness::new(config, 1);
        h.acquires.extend((0..48).map(|thread| Acquire { sem: thread % 16, thread, ..PLAIN }));
        h.idle();
        h.taken.clear();
        if mixed {
            h.acquires.extend((100..112).map(|thread| Acquire { sem: thread % 16, thread, ..PLAIN }));
        }
        h.releases.extend((0..48).map(|thread| (thread % 16, thread)));
        h.idle();
        let count = h.taken.len() as u64;
        assert_eq!(h.taken.last().unwrap() - h.taken[0], count - 1, "mixed {mixed}");
    }
}

/// Both ports always have a message, acquires of new threads and releases by owners, for 2,000
/// messages: one per cycle, with the next in turn on one of 16 or of 1,024 semaphores.
#[test]
fn one_message_per_cycle_is_sustained() {
    for semaphores in [16, 1024u16] {
        let pool = 4 * usize::from(semaphores);
        let mut h =
            Harness::new(SemaphoreConfig { pool, semaphores: semaphores.into(), ..SemaphoreConfig::default() }, 1);
        let message = |thread: u16| Acquire {
            sem: thread % semaphores,
            thread,
            suppress: thread.is_multiple_of(3),
            notify: thread.is_multiple_of(5),
            ..PLAIN
        };
        h.acquires.extend((0..2 * semaphores).map(message));
        h.idle();
        h.taken.clear();
        h.acquires.extend((2 * semaphores..2 * semaphores + 1000).map(message));
        // The release that goes with an acquire is for a semaphore half the table away.
        let mut owner: Vec<u16> = (0..semaphores).collect();
        for i in 0..1000 {
            let sem = (i + semaphores / 2) % semaphores;
            h.releases.push_back((sem, owner[usize::from(sem)]));
            owner[usize::from(sem)] += semaphores;
        }
        h.idle();
        assert_eq!(h.taken.len(), 2000);
        assert_eq!(h.taken[1999] - h.taken[0], 1999, "{semaphores} semaphores");
    }
}

/// The exception: releases of one and the same semaphore, one behind the other, go every two
/// cycles; and so does a release directly behind an acquire of its semaphore.
#[test]
fn a_release_behind_a_message_to_its_semaphore_waits_one_cycle() {
    let config = SemaphoreConfig { pool: 64, semaphores: 16, ..SemaphoreConfig::default() };
    let gaps = |h: &Harness| h.ops.windows(2).map(|w| w[1] - w[0]).collect::<Vec<_>>();
    let mut h = Harness::new(config, 1);
    h.acquires.extend((0..21).map(|thread| Acquire { sem: 3, thread, ..PLAIN }));
    h.idle();
    h.ops.clear();
    h.releases.extend((0..20).map(|thread| (3, thread)));
    h.idle();
    assert_eq!(gaps(&h), [2; 19]);
    // In turn with acquires of the same semaphore: those do not wait.
    h.ops.clear();
    h.taken.clear();
    h.acquires.extend((100..110).map(|thread| Acquire { sem: 3, thread, ..PLAIN }));
    h.releases.extend((20..21).chain(100..109).map(|thread| (3, thread)));
    h.idle();
    let waits = gaps(&h);
    assert!(waits.len() == 19 && waits.iter().all(|&g| g == 1 || g == 2), "{waits:?}");
    // Of two messages one is a release.
    assert!(waits.windows(2).all(|w| w[0] + w[1] == 3), "{waits:?}");
}

/// From ACQ_MSG of a free semaphore taken to ACK_MSG at the port.
#[test]
fn acknowledgement_of_a_free_semaphore_takes_three_cycles() {
    for auto in [false, true] {
        let mut h = Harness::new(SemaphoreConfig::default(), 1);
        h.acquires.push_back(Acquire { sem: 63, thread: 0xFFFF, auto, ..PLAIN });
        h.idle();
        assert_eq!(h.acks[0] - h.taken[0], 3);
    }
}

/// A release behind which seven threads with auto-release wait: one acknowledgement per cycle, the
/// first after three.
#[test]
fn released_heads_go_one_per_cycle() {
    let mut h = Harness::new(SemaphoreConfig::default(), 1);
    h.acquires.push_back(PLAIN);
    h.acquires.extend((1..8).map(|thread| Acquire { thread, auto: true, ..PLAIN }));
    h.idle();
    h.acks.clear();
    h.releases.push_back((0, 0));
    h.idle();
    let taken = *h.taken.last().unwrap();
    assert_eq!(h.acks, (3..10).map(|n| taken + n).collect::<Vec<_>>());
}

/// The largest sizes and the smallest, in every configuration of lists: the pool is filled to its
/// last entry, one more acquire waits, all are released in order, twice over.
#[test]
fn every_size_fills_and_empties() {
    for (semaphores, pool) in [(4, 4), (16, 16), (1024, 4096), (1024, 16), (4, 512)] {
        for config in configs() {
            // Walks of long lists take their time.
            if !config.tail_pointers && pool / semaphores > 16 {
                continue;
            }
            let config = SemaphoreConfig { semaphores, pool, ..config };
            let mut h = Harness::new(config, 1);
            let message = |i: usize| Acquire { sem: (i * 7 % semaphores) as u16, thread: (i * 5) as u16, ..PLAIN };
            for round in 0..2 {
                h.acquires.extend((0..=pool).map(message));
                for _ in 0..if config.tail_pointers { pool } else { 8 * pool } + 100 {
                    h.cycle(RATES[0]);
                }
                assert_eq!((h.acquires.len(), h.model.used()), (1, pool), "{config:?} round {round}");
                assert!(h.exhausted > 0);
                h.releases.extend((0..pool).map(message).map(|m| (m.sem, m.thread)));
                let last = message(pool);
                h.idle();
                h.releases.push_back((last.sem, last.thread));
                h.idle();
                (0..8).for_each(|_| h.cycle(RATES[0]));
                assert!(
                    h.model.used() == 0 && !h.bench.busy.val() && !h.bench.active.val(),
                    "{config:?} round {round}"
                );
            }
        }
    }
}

/// SE-25, SE-43: the completion signal comes with the effect of the acquire, also if that is an
/// error; without `acq_notify` never.
#[test]
fn completion_comes_with_the_effect() {
    for (sem, notify) in [(3, true), (3, false), (64, true), (0xFFFF, true)] {
        let mut h = Harness::new(SemaphoreConfig::default(), 1);
        h.acquires.push_back(Acquire { sem, suppress: true, notify, ..PLAIN });
        let mut signals = Vec::new();
        for cycle in 0..8 {
            h.cycle(RATES[0]);
            h.bench.settle();
            if h.bench.done.valid.val() {
                signals.push(cycle + 1);
            }
        }
        assert_eq!(signals, if notify { vec![2] } else { vec![] }, "semaphore {sem}");
    }
}

/// Each fault in the neighbourhood of a requirement is found, by the comparison that is named.
#[test]
fn planted_faults_are_caught() {
    for (fault, rates, message) in [
        (Fault::SemTwoOwners, RATES[0], "acknowledgement in"),
        (Fault::SemLostEntry, RATES[0], "entries are lost"),
        (Fault::SemFifoOrder, RATES[0], "operation in"),
        (Fault::SemDoubleAck, RATES[0], "acknowledgement in"),
        (Fault::SemSuppressIgnored, RATES[0], "acknowledgement in"),
        (Fault::SemAutoKept, RATES[0], "operation in"),
        (Fault::SemForeignRelease, RATES[0], "operation in"),
        (Fault::SemEarlyDone, RATES[0], "completion without effect"),
        (Fault::SemSilentError, RATES[0], "operation in"),
        (Fault::SemOldHead, RATES[0], "acknowledgement in"),
        (Fault::SemReleasedAck, RATES[0], "acknowledgement in"),
        (Fault::SemSkippedAck, RATES[0], "acknowledgement in"),
        (Fault::SemReleaseFirst, RATES[0], "two releases go first"),
        // Stage 1 is full only while acknowledgements wait for their port.
        (Fault::SemOverrun, RATES[1], "operation in"),
        (Fault::SemTryRefused, RATES[1], "operation in"),
    ] {
        let config = SemaphoreConfig { semaphores: 4, pool: 64, ..SemaphoreConfig::default() };
        let mut h = Harness::new(config, 3);
        h.bench = bench(config, Some(fault));
        h.faulty = true;
        h.random_traffic(rates, 1500);
        if h.problem.is_none() {
            h.acquires.clear();
            (0..200).for_each(|_| h.idle_or_release());
            let busy = h.bench.busy.val();
            h.expect(!busy, || "entries are lost".into());
        }
        let problem = h.problem.unwrap_or_else(|| panic!("{fault:?} is not caught"));
        assert!(problem.contains(message), "{fault:?}: {problem}");
    }
}

/// From REL_MSG taken to ACK_MSG at the port.
#[test]
fn hand_over_takes_three_cycles() {
    let mut h = Harness::new(SemaphoreConfig::default(), 1);
    h.acquires.extend((0..2).map(|thread| Acquire { sem: 9, thread, ..PLAIN }));
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
        h.bench.acq.valid.next = false;
        h.bench.rel_valid.next = false;
        h.bench.start.next = true;
        h.bench.cycle();
        h.bench.start.next = false;
        assert!(h.bench.busy.val(), "lists are being emptied");
        let entity = std::mem::replace(&mut h.bench, bench(config, None));
        let mut again = random_traffic_on(entity, config, 6);
        again.idle_or_release();
    }
}

/// When `start` comes: so many cycles after an acquire was taken, and again after each gap.
const STARTS: [(u32, &[u32]); 7] = [(0, &[]), (1, &[]), (2, &[]), (3, &[]), (2, &[1]), (2, &[3, 1]), (2, &[7])];

/// An entity in which an acquire was taken, and `start` came so.
fn started(config: SemaphoreConfig, fault: Option<Fault>, wait: u32, gaps: &[u32]) -> Bench<SemaphoreEntity> {
    let mut b = bench(config, fault);
    b.ack_ready.next = true;
    b.acq.valid.next = true;
    b.acq.sem.next = 2u64.into();
    b.acq.thread.next = 9u64.into();
    b.settle();
    assert!(b.acq.ready.val());
    b.cycle();
    b.acq.valid.next = false;
    for gap in [&[wait], gaps].concat() {
        (0..gap).for_each(|_| b.cycle());
        b.start.next = true;
        b.cycle();
        b.start.next = false;
    }
    (0..40).for_each(|_| b.cycle());
    b.settle();
    b
}

/// Nothing is inside, the whole pool is there and every semaphore is free: of as many acquires as
/// there are entries the first of each semaphore is a head at once.
fn is_empty(b: Bench<SemaphoreEntity>, config: SemaphoreConfig) -> Result<(), String> {
    if b.busy.val() || b.active.val() {
        return Err("an entry survives".into());
    }
    let mut h = Harness::new(SemaphoreConfig { semaphores: 4, ..config }, 1);
    h.bench = b;
    h.faulty = true;
    h.acquires.extend((0..config.pool as u16).map(|n| Acquire { sem: n % 4, thread: 20 + n, ..PLAIN }));
    h.idle();
    let acks = h.acks.len();
    h.expect(acks == 4, || format!("{acks} heads"));
    h.problem.map_or(Ok(()), Err)
}

/// An append that is in its last stage in the very cycle of `start` still writes its row, and a
/// second `start` may come while lists are being emptied: no entry survives either, or a thread
/// that acquires afterwards would stand behind one that is gone.
#[test]
fn start_in_the_cycle_of_an_append_or_of_a_clear_leaves_nothing() {
    for config in configs() {
        for (wait, gaps) in STARTS {
            let what = || format!("{config:?}, start {wait} cycles later, again after {gaps:?}");
            is_empty(started(config, None, wait, gaps), config).unwrap_or_else(|e| panic!("{}: {e}", what()));
        }
    }
}

#[test]
fn an_append_forgotten_at_start_is_caught() {
    for config in configs() {
        let fault = Some(Fault::SemStartAppend);
        let found = STARTS.map(|(wait, gaps)| is_empty(started(config, fault, wait, gaps), config).is_err());
        assert!(found.contains(&true), "{config:?}");
    }
}

fn random_traffic_on(entity: Bench<SemaphoreEntity>, config: SemaphoreConfig, seed: u64) -> Harness {
    let mut h = Harness::new(config, seed);
    h.bench = entity;
    h.acquires.extend((0..16).map(|thread| Acquire { sem: thread % 4, thread, ..PLAIN }));
    h.idle();
    h
}
