//! The waiting room with the semaphore entity behind it (SE-12). The reference is lists without a
//! bound, in plain Rust: what needs no entry goes on whatever waits, acquires of a semaphore have
//! their effect in order of arrival, entries are given in order of arrival over all semaphores, and
//! nothing is lost. Each planted fault is found.

use std::collections::VecDeque;

use crate::roomy::Roomy;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::config::SemaphoreConfig;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::semaphore::WaitingRoom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Cycles within which an acquire that needs no entry is acknowledged, whatever waits: three steps
/// of the room, each with a search in a list of four.
const BOUND: usize = 60;

/// Cycles without an event after which the machine is taken to be at rest: many times what it may
/// take for a step.
const QUIET: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Acquire {
    sem: u16,
    thread: u16,
    auto: bool,
    suppress: bool,
}

/// An acquire that is acknowledged.
fn acquire(sem: u16, thread: u16, auto: bool) -> Acquire {
    Acquire { sem, thread, auto, suppress: false }
}

struct Harness {
    roomy: Roomy,
    pool: usize,
    /// At the port, in order.
    acquires: VecDeque<Acquire>,
    releases: VecDeque<(u16, u16)>,
    /// Taken and without effect, in order of arrival.
    inside: VecDeque<Acquire>,
    /// By semaphore: thread, released, suppress.
    lists: Vec<VecDeque<(u16, bool, bool)>>,
    acks: VecDeque<(u16, u16)>,
    /// Acknowledged in the last cycle.
    acknowledged: Option<(u16, u16)>,
    exhausted: u64,
    /// Acquires that needed no entry and went before one that had come earlier.
    passed: u64,
    now: u64,
}

impl Harness {
    fn new(config: &GpuConfig, places: Option<usize>) -> Self {
        config.check().unwrap();
        let room = places.map_or_else(|| WaitingRoom::new(config), |n| WaitingRoom::with_places(n, config));
        Self {
            roomy: Roomy::with_room(room, config),
            pool: config.semaphores.pool,
            acquires: VecDeque::new(),
            releases: VecDeque::new(),
            inside: VecDeque::new(),
            lists: vec![VecDeque::new(); config.semaphores.semaphores],
            acks: VecDeque::new(),
            acknowledged: None,
            exhausted: 0,
            passed: 0,
            now: 0,
        }
    }

    /// An operation on a list: what it must be.
    fn operation(&mut self, kind: u64, sem: u16, thread: u16) -> Result<(), String> {
        let now = self.now;
        let what = format!("operation {kind} of thread {thread}, semaphore {sem}, in cycle {now}");
        if kind == 1 {
            let list = &mut self.lists[usize::from(sem)];
            let head = list.pop_front().ok_or_else(|| format!("{what}: the list is empty"))?;
            if head.0 != thread {
                return Err(format!("{what}: thread {} is the head", head.0));
            }
            if let Some(next) = list.front().filter(|next| !next.2) {
                self.acks.push_back((sem, next.0));
            }
            return match self.roomy.entity.emptied.val() || !list.is_empty() {
                true => Ok(()),
                false => Err(format!("{what}: the list becomes empty without `emptied`")),
            };
        }
        let at = self.inside.iter().position(|a| a.sem == sem).ok_or_else(|| format!("{what}: no such message"))?;
        let oldest = self.inside[at];
        if oldest.thread != thread {
            return Err(format!("{what}: thread {} of the semaphore came before it", oldest.thread));
        }
        let used: usize = self.lists.iter().map(VecDeque::len).sum();
        let list = self.lists.get_mut(usize::from(sem));
        let expected = match &list {
            None => 4,
            Some(list) if list.is_empty() && oldest.auto => 3,
            _ => 0,
        };
        if kind != expected {
            return Err(format!("{what}: operation {expected} is due"));
        }
        if kind == 0 && at != 0 {
            return Err(format!("{what}: the entry is due to {:?}", self.inside[0]));
        }
        if kind == 0 && used == self.pool {
            return Err(format!("{what}: no entry is free"));
        }
        self.inside.remove(at);
        self.passed += u64::from(at != 0);
        if let (Some(list), 0 | 3) = (list, kind) {
            if list.is_empty() && !oldest.suppress {
                self.acks.push_back((sem, thread));
            }
            if kind == 0 {
                list.push_back((thread, oldest.auto, oldest.suppress));
            }
        }
        let done = (self.roomy.entity.done.tag.val().to_u64(), self.roomy.entity.done.suppress.val());
        match self.roomy.entity.done.valid.val() && done == (u64::from(thread % 8), oldest.suppress) {
            true => Ok(()),
            false => Err(format!("{what}: completion {done:?}")),
        }
    }

    fn cycle(&mut self) -> Result<(), String> {
        let message = self.acquires.front().map(|a| {
            let head = u64::from(a.auto) << 2 | u64::from(a.suppress) << 3 | 0x10 | u64::from(a.thread % 8) << 5;
            (head, u64::from(a.thread) << 16 | u64::from(a.sem))
        });
        self.roomy.offer(message);
        let e = &mut self.roomy.entity;
        e.rel_valid.next = !self.releases.is_empty();
        if let Some(&(sem, thread)) = self.releases.front() {
            e.rel_sem.next = u64::from(sem).into();
            e.rel_thread.next = u64::from(thread).into();
        }
        e.ack_ready.next = true;
        self.roomy.settle();
        let e = &self.roomy.entity;
        let op =
            e.op.valid
                .val()
                .then(|| (e.op.kind.val().to_u64(), e.op.sem.val().to_u64() as u16, e.op.thread.val().to_u64() as u16));
        let ack = e.ack_valid.val().then(|| (e.ack_sem.val().to_u64() as u16, e.ack_thread.val().to_u64() as u16));
        let released = !self.releases.is_empty() && e.rel_ready.val();
        self.exhausted += u64::from(self.roomy.exhausted());
        if self.roomy.taken() {
            self.inside.extend(self.acquires.pop_front());
        }
        if released {
            self.releases.pop_front();
        }
        if let Some((kind, sem, thread)) = op {
            self.operation(kind, sem, thread)?;
        }
        if let Some(ack) = ack {
            let due = self.acks.pop_front();
            if due != Some(ack) {
                return Err(format!("acknowledgement {ack:?} in cycle {}, {due:?} is due", self.now));
            }
        }
        self.acknowledged = ack;
        self.roomy.cycle();
        self.now += 1;
        Ok(())
    }

    /// Runs until that acknowledgement, at most so many cycles.
    fn until(&mut self, ack: (u16, u16), cycles: usize) -> Result<usize, String> {
        for cycle in 0..cycles {
            self.cycle()?;
            if self.acknowledged == Some(ack) {
                return Ok(cycle);
            }
        }
        Err(format!("{ack:?} is not acknowledged in {cycles} cycles"))
    }

    /// Runs until nothing happens any more; then what has no effect yet must wait for an entry, and
    /// the pool be exhausted. That is what lists say in which nobody is held back by another
    /// semaphore's message.
    fn settle(&mut self) -> Result<(), String> {
        let mut quiet = 0;
        while quiet < QUIET {
            let before = (self.acquires.len(), self.releases.len(), self.inside.len(), self.lists.clone());
            self.cycle()?;
            let now = (self.acquires.len(), self.releases.len(), self.inside.len());
            let same = now == (before.0, before.1, before.2) && self.lists == before.3;
            quiet = if same { quiet + 1 } else { 0 };
        }
        // Also what the room has left at the port.
        let waiting: Vec<Acquire> = self.inside.iter().chain(&self.acquires).copied().collect();
        let first = |at: usize, a: &Acquire| waiting.iter().position(|b| b.sem == a.sem) == Some(at);
        let needs_none = |a: &Acquire| self.lists.get(usize::from(a.sem)).is_none_or(|l| l.is_empty() && a.auto);
        let mut heads = waiting.iter().enumerate().filter(|(at, a)| first(*at, a)).map(|(_, a)| a);
        if let Some(held) = heads.find(|a| needs_none(a)) {
            return Err(format!("{held:?} needs no entry and is held back; {:?} came first", waiting[0]));
        }
        match waiting.first() {
            Some(a) if self.lists.iter().map(VecDeque::len).sum::<usize>() < self.pool => {
                Err(format!("{a:?} waits and an entry is free"))
            }
            _ => Ok(()),
        }
    }

    fn run(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.cycle().unwrap());
    }
}

fn config(double_links: bool, tail_pointers: bool, any_may_release: bool) -> GpuConfig {
    let semaphores = SemaphoreConfig { semaphores: 64, pool: 4, double_links, tail_pointers, any_may_release };
    GpuConfig { semaphores, ..GpuConfig::default() }
}

fn configs() -> impl Iterator<Item = GpuConfig> {
    let lists = [(false, true), (true, true), (false, false), (true, false)];
    lists.into_iter().flat_map(|(d, t)| [true, false].map(|any| config(d, t, any)))
}

/// Four threads hold all entries; `waiting` more acquires, to one semaphore or to different ones,
/// wait for one.
fn exhausted(config: &GpuConfig, waiting: u16, one: bool) -> Harness {
    let mut h = Harness::new(config, None);
    h.acquires.extend((0..4).map(|t| acquire(t, t, false)));
    h.acquires.extend((0..waiting).map(|n| acquire(if one { 20 } else { 20 + n % 40 }, 4 + n, false)));
    h.run(20 + 8 * usize::from(waiting));
    assert_eq!((h.acquires.len(), h.inside.len()), (0, usize::from(waiting)));
    h
}

/// SE-12: the pool is exhausted and others wait for an entry, one or as many as there may be; an
/// acquire with auto-release of a free semaphore passes, and one of a semaphore that does not exist
/// is an error, as if nobody waited.
#[test]
fn se_12_an_acquire_that_needs_no_entry_is_held_up_by_none_that_does() {
    for config in configs() {
        for (waiting, one) in [(0, false), (1, false), (2, true), (17, false), (200, false), (200, true)] {
            let mut h = exhausted(&config, waiting, one);
            for sem in [10, 11, 10] {
                h.acquires.push_back(acquire(sem, 300, true));
                h.until((sem, 300), BOUND).unwrap_or_else(|e| panic!("{config:?}, {waiting} wait: {e}"));
            }
            h.acquires.push_back(acquire(99, 301, false));
            h.run(BOUND);
            assert_eq!(h.inside.len(), usize::from(waiting), "the error waits too");
        }
    }
}

/// An acquire with auto-release behind the owner of its semaphore waits for an entry like any
/// other; when the semaphore becomes free it needs none, and goes before those that came earlier.
#[test]
fn se_12_an_acquire_that_waits_passes_when_its_semaphore_becomes_free() {
    for config in configs() {
        let mut h = exhausted(&config, 9, false);
        h.acquires.extend([
            acquire(0, 300, true),
            acquire(0, 301, true),
            acquire(0, 302, false),
            acquire(0, 303, true),
        ]);
        h.run(60);
        assert_eq!(h.inside.len(), 13);
        h.releases.push_back((0, 0));
        // The entry is the oldest one's; the two behind the owner pass; the next needs an entry,
        // and what is behind it waits.
        h.run(200);
        let left: Vec<u16> = h.inside.iter().map(|a| a.thread).collect();
        assert_eq!(left, [5, 6, 7, 8, 9, 10, 11, 12, 302, 303], "{config:?}");
    }
}

/// Entries go to those that wait in order of arrival; per semaphore acquires with and without
/// auto-release keep their order.
#[test]
fn se_12_entries_are_given_in_order_of_arrival() {
    for config in configs() {
        let mut h = exhausted(&config, 30, false);
        for thread in 0..30 {
            let owner = (0..64).find_map(|s| h.lists[s].front().map(|e| (s as u16, e.0)));
            h.releases.extend(owner);
            h.run(40);
            assert!(h.inside.iter().all(|a| a.thread > 4 + thread), "thread {} has no entry", 4 + thread);
        }
        assert!(h.inside.is_empty());
    }
}

/// Threads that acquire random semaphores of a few, one at a time, with a pool of 4: everything is
/// compared, and all come to their end.
fn random(config: &GpuConfig, places: Option<usize>, seed: u64, rounds: u32) -> Result<Harness, String> {
    #[derive(Clone, Copy)]
    enum State {
        Free,
        Waits(Acquire),
        Owns(u16),
    }
    let mut h = Harness::new(config, places);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut threads = [(State::Free, rounds); 14];
    let sems = 3 + (seed % 6) as u16;
    let mut quiet = 0;
    while threads.iter().any(|t| t.1 > 0 || !matches!(t.0, State::Free)) {
        for (number, (state, rounds)) in (0..).zip(&mut threads) {
            match *state {
                State::Free if *rounds > 0 && rng.random_range(0..12) == 0 => {
                    *rounds -= 1;
                    let sem = if rng.random_range(0..40) == 0 { 70 } else { rng.random_range(0..sems) };
                    let a = acquire(sem, number, rng.random());
                    h.acquires.push_back(a);
                    // Nobody is told of an error.
                    *state = if sem == 70 { State::Free } else { State::Waits(a) };
                }
                State::Owns(sem) if rng.random_range(0..20) == 0 => {
                    h.releases.push_back((sem, number));
                    *state = State::Free;
                }
                _ => {}
            }
        }
        h.cycle()?;
        quiet += 1;
        if let Some((sem, thread)) = h.acknowledged {
            quiet = 0;
            let state = &mut threads[usize::from(thread)].0;
            let State::Waits(a) = *state else { return Err(format!("thread {thread} does not wait")) };
            if a.sem != sem {
                return Err(format!("thread {thread} is acknowledged for semaphore {sem}"));
            }
            *state = if a.auto { State::Free } else { State::Owns(sem) };
        }
        if quiet > 3000 {
            return Err(format!("threads do not end: {:?} wait", h.inside));
        }
    }
    h.run(40);
    match h.roomy.busy() {
        true => Err("something is left".into()),
        false => Ok(h),
    }
}

#[test]
fn random_threads_with_a_small_pool_end_in_the_order_that_is_promised() {
    for (seed, config) in (0..).zip(configs()) {
        let h = random(&config, None, seed, 40).unwrap_or_else(|e| panic!("{config:?}: {e}"));
        assert!(h.exhausted > 200, "{config:?}: the pool was exhausted in {} cycles", h.exhausted);
    }
}

/// Random acquires and releases in turns. Between two turns the machine comes to rest: what then
/// waits is compared with what must wait. In [`random`] owners release soon, so an acquire that is
/// held back without need goes on when the next entry is free.
fn in_turns(config: &GpuConfig, seed: u64, turns: u32) -> Result<Harness, String> {
    let mut h = Harness::new(config, None);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let sems = 6 + (seed % 6) as u16;
    for _ in 0..turns {
        for thread in 0..14 {
            let owns = h.lists.iter().flatten().any(|e| e.0 == thread);
            let waits = h.inside.iter().chain(&h.acquires).any(|a| a.thread == thread);
            if !owns && !waits && rng.random_range(0..3) == 0 {
                let sem = if rng.random_range(0..40) == 0 { 70 } else { rng.random_range(0..sems) };
                h.acquires.push_back(acquire(sem, thread, rng.random()));
            }
        }
        let heads = (0..).zip(&h.lists).filter_map(|(s, l)| Some((s, l.front()?.0)));
        let released: Vec<(u16, u16)> = heads.filter(|_| rng.random_range(0..4) == 0).collect();
        h.releases.extend(released);
        h.settle()?;
    }
    while let Some((sem, list)) = (0..).zip(&h.lists).find(|(_, l)| !l.is_empty()) {
        h.releases.push_back((sem, list[0].0));
        h.settle()?;
    }
    match h.roomy.busy() || !h.inside.is_empty() {
        true => Err("something is left".into()),
        false => Ok(h),
    }
}

#[test]
fn se_12_random_acquires_that_need_no_entry_are_never_held_back() {
    for (seed, config) in (0..).zip(configs()) {
        let h = in_turns(&config, seed, 60).unwrap_or_else(|e| panic!("{config:?}: {e}"));
        assert!(h.passed > 10, "{config:?}: {} acquires passed another", h.passed);
    }
}

/// A room too small for the threads, which the machine does not have: messages wait at the port and
/// none is lost.
#[test]
fn a_full_room_loses_nothing() {
    for seed in 0..3 {
        random(&config(false, true, true), Some(4), seed, 40).unwrap();
    }
}

/// `start` forgets those that wait.
#[test]
fn start_empties_the_room() {
    for wait in 0..12 {
        let config = config(false, true, true);
        let mut h = exhausted(&config, 9, false);
        h.releases.push_back((0, 0));
        h.run(wait);
        h.releases.clear();
        h.roomy.offer(None);
        h.roomy.room.start.next = true;
        h.roomy.entity.start.next = true;
        h.roomy.settle();
        h.roomy.cycle();
        h.roomy.room.start.next = false;
        h.roomy.entity.start.next = false;
        let fresh = Harness::new(&config, None);
        let mut h = Harness { roomy: h.roomy, ..fresh };
        h.run(200);
        assert!(!h.roomy.busy(), "start {wait} cycles after a release");
        h.acquires.extend((20..24).map(|s| acquire(s, s, false)));
        h.acquires.extend((20..30).map(|s| acquire(s, 100 + s, true)));
        h.run(400);
        assert_eq!(h.inside.len(), 4);
    }
}

#[test]
fn planted_faults_are_caught() {
    for (fault, message) in [
        (Fault::RoomOvertake, "came before it"),
        (Fault::RoomAsleep, "does not pass"),
        (Fault::RoomBlocks, "is not acknowledged"),
        (Fault::RoomLost, "came before it"),
        (Fault::RoomStraight, "came before it"),
        (Fault::RoomOldestLast, "threads do not end"),
        (Fault::RoomGaps, "came before it"),
        (Fault::RoomTryChanged, "the entry is due to"),
        // A fault of the entity that only the room suffers from.
        (Fault::SemSilentEmpty, "without `emptied`"),
    ] {
        let config = GpuConfig { fault: Some(fault), ..config(false, true, true) };
        let problem = match fault {
            Fault::RoomBlocks => exhausted(&config, 1, false).blocked(),
            Fault::RoomAsleep => {
                let mut h = exhausted(&config, 9, false);
                h.acquires.push_back(acquire(0, 300, true));
                h.run(30);
                h.releases.push_back((0, 0));
                h.until((0, 300), 300).err().map(|_| "does not pass".to_owned())
            }
            _ => (0..12).find_map(|seed| random(&config, None, seed, 60).err()),
        };
        let problem = problem.unwrap_or_else(|| panic!("{fault:?} is not caught"));
        assert!(problem.contains(message), "{fault:?}: {problem}");
    }
}

/// The random search finds by itself that acquires that need no entry are held back, and does so on
/// every seed.
#[test]
fn the_random_search_finds_a_room_that_holds_back() {
    for seed in 0..4 {
        let config = GpuConfig { fault: Some(Fault::RoomBlocks), ..config(false, true, true) };
        let problem = in_turns(&config, seed, 60).err().unwrap_or_else(|| panic!("seed {seed} finds nothing"));
        assert!(problem.contains("needs no entry and is held back"), "{problem}");
    }
}

impl Harness {
    fn blocked(&mut self) -> Option<String> {
        self.acquires.push_back(acquire(10, 300, true));
        self.until((10, 300), BOUND).err()
    }
}
