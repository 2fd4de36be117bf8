//! The whole way of a message: row controllers, message bus, waiting room and semaphore entity
//! wired as in the machine, with model threads in place of warps. Every thread acquires a random
//! semaphore, is acknowledged, works, releases, and again. No two threads own a semaphore (SE-21),
//! nobody is acknowledged who does not wait, a pool far too small for the threads stops nobody for
//! ever (SE-12), and a hand-over takes six cycles from the release at the unit's port to the
//! acknowledgement at the successor's.

use std::collections::VecDeque;

use crate::roomy::Roomy;
use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::bus::MessageBus;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::config::{BusKind, SemaphoreConfig};
use quadlock_hdl::dispatch::RowController;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// Runs without a semaphore for so many cycles.
    Free(u32),
    /// Its acquire, with auto-release or not, is on its way or in the list.
    Waits { sem: u16, auto: bool },
    /// Owns the semaphore and works for so many cycles.
    Owns { sem: u16, left: u32 },
    /// Has nothing more to do.
    Ended,
}

struct Path {
    config: GpuConfig,
    rows: Vec<Bench<RowController>>,
    bus: Bench<MessageBus>,
    entity: Roomy,
    /// By unit of the machine: messages (kind, warp, semaphore), in one queue as in a warp unit.
    queues: Vec<VecDeque<(u64, u64, u64)>>,
    /// Threads (unit, warp) that were acknowledged in the last cycle.
    acknowledged: Vec<(usize, usize)>,
    exhausted: u64,
    cycles: u64,
}

impl Path {
    fn new(config: GpuConfig) -> Self {
        config.check().unwrap();
        let row = |r: usize| {
            let mut bench = Bench::new(RowController::new(&config), |b| &mut b.clock);
            bench.row.next = (r as u64).into();
            bench
        };
        Self {
            rows: (0..config.rows).map(row).collect(),
            bus: Bench::new(MessageBus::of(&config), |b| &mut b.clock),
            entity: Roomy::new(&config),
            queues: vec![VecDeque::new(); config.total_units()],
            acknowledged: Vec::new(),
            exhausted: 0,
            cycles: 0,
            config,
        }
    }

    fn per_row(&self) -> usize {
        self.config.cores * self.config.units
    }

    /// What flows forward, all of it from registers.
    fn forward(&mut self) {
        let n = self.per_row();
        let (acquires, releases) = (self.config.rows, self.config.rows + 1);
        for (r, row) in self.rows.iter_mut().enumerate() {
            for i in 0..n {
                let message = self.queues[r * n + i].front();
                row.sem_msg[i].valid.next = message.is_some();
                if let Some(&(kind, warp, sem)) = message {
                    row.sem_msg[i].kind.next = kind.into();
                    row.sem_msg[i].warp.next = warp.into();
                    row.sem_msg[i].sem.next = sem.into();
                }
            }
            row.ack_valid.next = self.bus.out_valid[r].val();
            row.ack_body.next = self.bus.out_body[r].val();
            row.settle();
            self.bus.in_valid[r].next = row.msg_valid.val();
            self.bus.in_to[r].next = row.msg_to.val();
            self.bus.in_head[r].next = row.msg_head.val();
            self.bus.in_body[r].next = row.msg_body.val();
        }
        let body = |b: &Bench<MessageBus>, r: usize| b.out_body[r].val().to_u64();
        let (head, acquire, release) =
            (self.bus.out_head[acquires].val(), body(&self.bus, acquires), body(&self.bus, releases));
        let entity = &mut self.entity;
        entity.offer(self.bus.out_valid[acquires].val().then_some((head.to_u64(), acquire)));
        entity.entity.rel_valid.next = self.bus.out_valid[releases].val();
        entity.entity.rel_sem.next = (release & 0xFFFF).into();
        entity.entity.rel_thread.next = (release >> 16).into();
        entity.settle();
        let entity = &entity.entity;
        let thread = entity.ack_thread.val().to_u64();
        self.bus.in_valid[releases].next = entity.ack_valid.val();
        self.bus.in_to[releases].next = (thread / 16 / n as u64).into();
        self.bus.in_head[releases].next = 2u64.into();
        self.bus.in_body[releases].next = (thread << 16 | entity.ack_sem.val().to_u64()).into();
    }

    /// One cycle: ready flows back, then the clock.
    fn cycle(&mut self) {
        self.forward();
        let (n, rows) = (self.per_row(), self.config.rows);
        for r in 0..rows {
            self.bus.out_ready[r].next = self.rows[r].ack_ready.val();
        }
        self.bus.out_ready[rows].next = self.entity.taken();
        self.bus.out_ready[rows + 1].next = self.entity.entity.rel_ready.val();
        self.bus.settle();
        self.entity.entity.ack_ready.next = self.bus.in_ready[rows + 1].val();
        self.entity.settle();
        let entity = &self.entity.entity;
        assert!(!(entity.op.valid.val() && entity.op.kind.val().to_u64() == 4), "protocol error");
        self.exhausted += u64::from(self.entity.exhausted());
        self.acknowledged.clear();
        for (r, row) in self.rows.iter_mut().enumerate() {
            row.msg_ready.next = self.bus.in_ready[r].val();
            row.settle();
            for i in 0..n {
                if row.sem_msg[i].valid.next && row.sem_msg[i].ready.val() {
                    self.queues[r * n + i].pop_front();
                }
                if row.unit_ack[i].val() {
                    self.acknowledged.push((r * n + i, row.unit_ack_warp.val().index()));
                }
            }
            row.cycle();
        }
        self.bus.cycle();
        self.entity.cycle();
        self.cycles += 1;
    }
}

/// All threads through `rounds` acquires each; the cycles it took.
fn run(config: GpuConfig, sems: u16, rounds: u32, seed: u64) -> Path {
    let mut path = Path::new(config);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (units, warps) = (path.queues.len(), path.config.warps);
    let mut threads = vec![vec![(State::Free(0), rounds); warps]; units];
    let mut owner: Vec<Option<(usize, usize)>> = vec![None; sems.into()];
    while threads.iter().flatten().any(|t| t.0 != State::Ended) {
        for (u, unit) in threads.iter_mut().enumerate() {
            for (w, (state, rounds)) in unit.iter_mut().enumerate() {
                *state = match *state {
                    State::Free(0) if *rounds == 0 => State::Ended,
                    State::Free(0) => {
                        *rounds -= 1;
                        let (sem, auto) = (rng.random_range(0..sems), rng.random_bool(0.3));
                        path.queues[u].push_back((auto.into(), w as u64, sem.into()));
                        State::Waits { sem, auto }
                    }
                    State::Free(left) => State::Free(left - 1),
                    State::Owns { sem, left: 0 } => {
                        owner[usize::from(sem)] = None;
                        path.queues[u].push_back((3, w as u64, sem.into()));
                        State::Free(rng.random_range(0..20))
                    }
                    State::Owns { sem, left } => State::Owns { sem, left: left - 1 },
                    other => other,
                };
            }
        }
        path.cycle();
        assert!(path.cycles < 60_000, "threads do not end: {threads:?}");
        for &(u, w) in &path.acknowledged {
            let State::Waits { sem, auto } = threads[u][w].0 else { panic!("unit {u} warp {w} does not wait") };
            let owner = &mut owner[usize::from(sem)];
            assert_eq!(*owner, None, "semaphore {sem} has two owners");
            threads[u][w].0 = if auto {
                State::Free(3)
            } else {
                *owner = Some((u, w));
                State::Owns { sem, left: rng.random_range(0..12) }
            };
        }
    }
    path
}

fn config(rows: usize, cores: usize, pool: usize, bus: BusKind) -> GpuConfig {
    let semaphores = SemaphoreConfig { semaphores: 16, pool, ..SemaphoreConfig::default() };
    GpuConfig { rows, cores, warps: 8, semaphores, bus, ..GpuConfig::default() }
}

#[test]
fn threads_take_turns_and_all_end() {
    for bus in [BusKind::Crossbar, BusKind::Shared] {
        for (rows, cores) in [(1, 1), (2, 2), (3, 2)] {
            for sems in [1, 5, 16] {
                run(config(rows, cores, 256, bus), sems, 12, 7);
            }
        }
    }
}

/// SE-12: up to 96 threads want entries of a pool of 4, and units hold releases behind acquires in
/// one queue.
#[test]
fn an_exhausted_pool_locks_nothing_up() {
    for bus in [BusKind::Crossbar, BusKind::Shared] {
        for (rows, cores) in [(1, 1), (2, 2), (3, 2)] {
            let path = run(config(rows, cores, 4, bus), 16, 8, 3);
            assert!(path.exhausted > 100, "{rows}x{cores}: exhausted in {} cycles", path.exhausted);
        }
    }
}

/// From a release at the port of one unit to the acknowledgement at the port of another, in another
/// row: row 1, bus 1, entity 3, bus 1 cycles, and none in the row.
#[test]
fn a_hand_over_takes_six_cycles() {
    for bus in [BusKind::Crossbar, BusKind::Shared] {
        let mut path = Path::new(config(2, 2, 16, bus));
        for unit in [0, 7] {
            path.queues[unit].push_back((0, 5, 9));
            (0..20).for_each(|_| path.cycle());
        }
        path.queues[0].push_back((3, 5, 9));
        let released = path.cycles;
        while path.acknowledged.is_empty() && path.cycles < released + 50 {
            path.cycle();
        }
        assert_eq!(path.acknowledged, [(7, 5)]);
        // The cycle of the release counts as 0.
        assert_eq!(path.cycles - released - 1, 6, "{bus:?}");
    }
}
