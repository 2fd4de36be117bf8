//! The row controller against a model of its units: threads start and end at random, messages come
//! from all units, the bus and the entity's ports stall. Every end is told once, every message
//! arrives once and in order of its kind, acknowledgements and launches reach their unit only;
//! waits are within the bounds of the header and the latencies are those of the header (SE-1,
//! SE-2). Acquires that are stuck for ever do not stop a release (SE-12). Each planted fault is
//! found.

use std::collections::{BTreeSet, VecDeque};

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::dispatch::RowController;
use quadlock_hdl::fault::Fault;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const ACQUIRE: u64 = 0;
const RELEASE: u64 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Message {
    kind: u64,
    warp: u64,
    sem: u64,
}

fn config(rows: usize, cores: usize, units: usize, fault: Option<Fault>) -> GpuConfig {
    let config = GpuConfig { rows, cores, units, fault, ..GpuConfig::default() };
    config.check().unwrap();
    config
}

struct Run {
    bench: Bench<RowController>,
    config: GpuConfig,
    row: usize,
    n: usize,
    /// Slots with a thread, by unit.
    busy: Vec<u16>,
    /// (unit of the machine, slot) of threads that have ended and were not told.
    ended: BTreeSet<(usize, usize)>,
    /// Messages that the units offer, oldest first.
    queues: Vec<VecDeque<Message>>,
    /// Messages taken and not sent, by unit: acquires, releases.
    acquires: VecDeque<(usize, Message)>,
    releases: VecDeque<(usize, Message)>,
    /// Others of the same kind that went before the message at the unit's port.
    waits: Vec<usize>,
    waited: usize,
    sent: usize,
    told: usize,
}

impl Run {
    fn new(config: GpuConfig, row: usize) -> Self {
        let n = config.cores * config.units;
        let mut bench = Bench::new(RowController::new(&config), |b| &mut b.clock);
        bench.row.next = (row as u64).into();
        for port in &mut bench.slot_free {
            port.next = 0xFFFFu64.into();
        }
        Self {
            bench,
            config,
            row,
            n,
            busy: vec![0; n],
            ended: BTreeSet::new(),
            queues: vec![VecDeque::new(); n],
            acquires: VecDeque::new(),
            releases: VecDeque::new(),
            waits: vec![0; n],
            waited: 0,
            sent: 0,
            told: 0,
        }
    }

    fn number(&self, unit: usize) -> usize {
        self.row * self.n + unit
    }

    fn body(&self, unit: usize, m: Message) -> u64 {
        m.sem | (m.warp << 16) | ((self.number(unit) as u64) << 20)
    }

    /// One cycle. `acquires`, `releases`: the bus takes such a message.
    fn cycle(&mut self, acquires: bool, releases: bool) -> Result<(), String> {
        let now = self.bench.cycles;
        for (i, queue) in self.queues.iter().enumerate() {
            self.bench.sem_msg[i].valid.next = !queue.is_empty();
            if let Some(m) = queue.front() {
                self.bench.sem_msg[i].kind.next = m.kind.into();
                self.bench.sem_msg[i].warp.next = m.warp.into();
                self.bench.sem_msg[i].sem.next = m.sem.into();
            }
            self.bench.slot_free[i].next = u64::from(!self.busy[i]).into();
        }
        self.bench.settle();
        let to = self.bench.msg_to.val().index();
        let ready = if to == self.config.rows { acquires } else { releases };
        self.bench.msg_ready.next = ready;
        self.bench.settle();
        self.end(now)?;
        if self.bench.msg_valid.val() {
            self.message(to, ready).map_err(|e| format!("cycle {now}: {e}"))?;
        }
        self.take(now)?;
        self.bench.cycle();
        Ok(())
    }

    fn end(&mut self, now: u64) -> Result<(), String> {
        if self.bench.end.valid.val() {
            let end = (self.bench.end.unit.val().index(), self.bench.end.warp.val().index());
            if !self.ended.remove(&end) {
                return Err(format!("cycle {now}: the end of {end:?} is told and was not, or was told before"));
            }
            self.told += 1;
        }
        Ok(())
    }

    fn message(&mut self, to: usize, ready: bool) -> Result<(), String> {
        let got = (to, self.bench.msg_head.val().to_u64(), self.bench.msg_body.val().to_u64());
        let release = to == self.config.rows + 1;
        let queue = if release { &self.releases } else { &self.acquires };
        let Some(&(unit, m)) = queue.front() else { return Err(format!("{got:x?} is sent and was not")) };
        let head = if release { 1 } else { (m.kind & 1) << 2 };
        let expected = (self.config.rows + usize::from(release), head, self.body(unit, m));
        if got != expected {
            return Err(format!("{got:x?} is sent, expected {expected:x?}"));
        }
        if !release && !self.releases.is_empty() {
            return Err("an acquire is offered before a release".into());
        }
        if ready {
            let queue = if release { &mut self.releases } else { &mut self.acquires };
            queue.pop_front();
            self.sent += 1;
        }
        Ok(())
    }

    fn take(&mut self, now: u64) -> Result<(), String> {
        let fronts: Vec<Option<Message>> = self.queues.iter().map(|q| q.front().copied()).collect();
        let is_release = |i: usize| fronts[i].is_some_and(|m| m.kind == RELEASE);
        let taken: Vec<usize> =
            (0..self.n).filter(|&i| fronts[i].is_some() && self.bench.sem_msg[i].ready.val()).collect();
        for class in [false, true] {
            if taken.iter().filter(|&&i| is_release(i) == class).count() > 1 {
                return Err(format!("cycle {now}: two messages of a kind are taken"));
            }
        }
        for i in (0..self.n).filter(|&i| fronts[i].is_some()) {
            if taken.contains(&i) {
                self.waits[i] = 0;
                let m = self.queues[i].pop_front().expect("it was offered");
                if m.kind == RELEASE { &mut self.releases } else { &mut self.acquires }.push_back((i, m));
            } else {
                self.waits[i] += taken.iter().filter(|&&k| is_release(k) == is_release(i)).count();
                self.waited = self.waited.max(self.waits[i]);
                if self.waits[i] >= self.n {
                    return Err(format!("cycle {now}: unit {i} has waited for {} others", self.waits[i]));
                }
                if !is_release(i) && !taken.iter().any(|&k| !is_release(k)) {
                    return Err(format!("cycle {now}: unit {i} waits with an acquire although there is room"));
                }
            }
        }
        Ok(())
    }

    fn random(mut self, seed: u64, cycles: u64, acquire_rate: f64) -> Result<Self, String> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for cycle in 0..cycles {
            for i in 0..self.n {
                let number = self.number(i);
                // A slot that has ended is free again only after that was told.
                let untold = (0..16).filter(|&w| self.ended.contains(&(number, w))).fold(0u16, |m, w| m | 1 << w);
                let starts = rng.random::<u16>() & rng.random::<u16>() & rng.random::<u16>() & !self.busy[i] & !untold;
                let ends = if rng.random_bool(0.1) { rng.random::<u16>() & self.busy[i] } else { 0 };
                self.busy[i] = (self.busy[i] | starts) & !ends;
                self.ended.extend((0..16).filter(|w| ends >> w & 1 == 1).map(|w| (number, w)));
                let mine = |q: &VecDeque<(usize, Message)>, warp: u64| q.iter().any(|(u, m)| *u == i && m.warp == warp);
                if self.queues[i].len() < 3 && rng.random_bool(0.3) {
                    let warp = rng.random_range(0..16);
                    let kind = [ACQUIRE, ACQUIRE + 1, RELEASE][rng.random_range(0..3)];
                    // A warp has at most one acquire on its way.
                    let waits = mine(&self.acquires, warp)
                        || self.queues[i].iter().any(|m| m.warp == warp && m.kind != RELEASE);
                    if kind == RELEASE || !waits {
                        self.queues[i].push_back(Message { kind, warp, sem: rng.random_range(0..0x1_0000) });
                    }
                }
            }
            let stall = cycle / 100 % 3 == 0;
            self.cycle(!stall && rng.random_bool(acquire_rate), rng.random_bool(if stall { 0.3 } else { 0.9 }))?;
        }
        for _ in 0..16 * self.n + 200 {
            self.cycle(true, true)?;
        }
        let left = self.acquires.len() + self.releases.len() + self.queues.iter().map(VecDeque::len).sum::<usize>();
        if left > 0 || !self.ended.is_empty() {
            return Err(format!("{left} messages are never sent, the ends {:?} never told", self.ended));
        }
        if !self.bench.idle.val() {
            return Err("not idle at the end".into());
        }
        Ok(self)
    }
}

const SHAPES: [(usize, usize, usize); 5] = [(1, 1, 1), (1, 1, 2), (2, 2, 2), (3, 2, 5), (4, 1, 8)];

#[test]
fn everything_arrives_once_within_the_bounds() {
    for (rows, cores, units) in SHAPES {
        for row in [0, rows - 1] {
            for (seed, rate) in [(1, 0.9), (2, 0.2)] {
                let run = Run::new(config(rows, cores, units, None), row).random(seed, 1200, rate);
                let run = run.unwrap_or_else(|e| panic!("{rows}x{cores}x{units}, row {row}, seed {seed}: {e}"));
                assert!(
                    run.sent > 150 && run.told > 150,
                    "{rows}x{cores}x{units}: {} messages, {} ends",
                    run.sent,
                    run.told
                );
                assert!(run.n < 4 || rate < 0.5 || run.waited > run.n / 2, "{} others at most", run.waited);
            }
        }
    }
}

/// Each unit's message waits for exactly the n - 1 others when all offer at once, acquires and
/// releases.
#[test]
fn the_bound_is_met() {
    for kind in [ACQUIRE, RELEASE] {
        let mut run = Run::new(config(1, 2, 4, None), 0);
        for cycle in 0..200 {
            for (i, queue) in run.queues.iter_mut().enumerate() {
                if queue.is_empty() {
                    queue.push_back(Message { kind, warp: (cycle + i as u64) % 16, sem: cycle });
                }
            }
            run.cycle(true, true).unwrap();
        }
        assert_eq!(run.waited, 7);
        // One message per cycle.
        assert!(run.sent >= 198, "{} messages", run.sent);
    }
}

/// A release is at the bus port one cycle after it was taken, an acquire two; an end one cycle
/// after the slot became free.
#[test]
fn latencies_are_those_of_the_header() {
    for (kind, latency) in [(RELEASE, 1), (ACQUIRE, 2), (ACQUIRE + 1, 2)] {
        let mut run = Run::new(config(2, 1, 2, None), 1);
        (0..3).for_each(|_| run.cycle(true, true).unwrap());
        run.queues[1].push_back(Message { kind, warp: 5, sem: 77 });
        let mut cycles = 0;
        while run.sent == 0 {
            run.cycle(true, true).unwrap();
            cycles += 1;
        }
        // The cycle in which it was taken, and those after it.
        assert_eq!(cycles, 1 + latency, "kind {kind}");
    }
    let mut run = Run::new(config(2, 1, 2, None), 1);
    run.busy[1] = 0x40;
    (0..3).for_each(|_| run.cycle(true, true).unwrap());
    run.busy[1] = 0;
    run.ended.insert((3, 6));
    run.cycle(true, true).unwrap();
    assert_eq!(run.told, 0);
    run.cycle(true, true).unwrap();
    assert_eq!(run.told, 1);
}

/// SE-12: all warps of all units have an acquire on its way and the entity takes none; releases go
/// through all the same, at one per cycle. Later nothing is missing.
#[test]
fn releases_pass_acquires_that_are_stuck() {
    let mut run = Run::new(config(1, 1, 4, None), 0);
    for queue in &mut run.queues {
        queue.extend((0..16).map(|warp| Message { kind: ACQUIRE, warp, sem: warp }));
        queue.extend((0..16).map(|warp| Message { kind: RELEASE, warp, sem: warp }));
    }
    for _ in 0..64 + 64 + 1 {
        run.cycle(false, true).unwrap();
    }
    assert_eq!(run.sent, 64);
    assert_eq!(run.acquires.len(), 64);
    for _ in 0..64 {
        run.cycle(true, true).unwrap();
    }
    assert_eq!(run.sent, 128);
    run.bench.settle();
    assert!(run.bench.idle.val());
}

/// A launch and an acknowledgement reach one unit, in the same cycle; those of other rows reach
/// none.
#[test]
fn launches_and_acknowledgements_reach_their_unit() {
    for (rows, cores, units) in SHAPES {
        for row in 0..rows {
            let run = Run::new(config(rows, cores, units, None), row);
            let (first, n, mut bench) = (run.number(0), run.n, run.bench);
            for number in 0..rows * n {
                for valid in [true, false] {
                    bench.launch_valid.next = valid;
                    bench.launch_unit.next = (number as u64).into();
                    bench.ack_valid.next = valid;
                    bench.ack_body.next = ((number as u64) << 20 | 11 << 16 | 0xFFFF).into();
                    bench.settle();
                    assert!(bench.ack_ready.val());
                    assert_eq!(bench.unit_ack_warp.val().index(), 11);
                    for i in 0..n {
                        let mine = valid && first + i == number;
                        assert_eq!(
                            (bench.unit_launch[i].val(), bench.unit_ack[i].val()),
                            (mine, mine),
                            "unit {i} of row {row}, {number}"
                        );
                    }
                    bench.cycle();
                }
            }
        }
    }
}

#[test]
fn planted_faults_are_caught() {
    for (fault, message) in [
        (Fault::RowLostEnd, "never told"),
        (Fault::RowLostAcquire, "is sent, expected"),
        (Fault::RowWrongUnit, "is sent, expected"),
    ] {
        let run = Run::new(config(2, 2, 2, Some(fault)), 1).random(4, 800, 0.6);
        let problem = run.err().unwrap_or_else(|| panic!("{fault:?} is not caught"));
        assert!(problem.contains(message), "{fault:?}: {problem}");
    }
}
