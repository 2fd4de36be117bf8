//! The arbiters: stated fairness and throughput, routing of responses, nothing lost or doubled. And
//! shared storage: same model as the pipeline's.

use std::collections::VecDeque;

use crate::memory_model::{Memory, Timing};
use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::memory::arbiter::{DISPATCHER_ID, LSA_ID};
use quadlock_hdl::memory::{MemoryArbiter, UnitArbiter};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn config(units: usize) -> GpuConfig {
    GpuConfig { units, ..GpuConfig::default() }
}

/// No request waits for more than n - 1 transfers of others and one cycle of switching, for any
/// pattern of requests.
#[test]
fn unit_arbiter_is_fair() {
    for units in 1..=8 {
        let mut bench = Bench::new(UnitArbiter::new(&config(units)), |b| &mut b.clock);
        let mut rng = ChaCha8Rng::seed_from_u64(units as u64);
        let mut waiting = vec![false; units];
        let mut others = vec![0; units];
        let mut idle = vec![0; units];
        for _ in 0..3000 {
            for (unit, wait) in waiting.iter_mut().enumerate() {
                // Unit 0 asks always, the others now and then.
                *wait |= unit == 0 || rng.random_bool(0.3);
                bench.request[unit].next = *wait;
            }
            let ready = rng.random_bool(0.6);
            bench.ready.next = ready;
            bench.settle();
            let granted = bench.grant.val().index();
            assert!(granted < units);
            let transfer = ready && waiting[granted];
            for unit in 0..units {
                if waiting[unit] && !(transfer && unit == granted) {
                    others[unit] += u32::from(transfer);
                    idle[unit] += u32::from(ready && !transfer);
                    assert!(
                        others[unit] < units as u32,
                        "unit {unit} of {units} waited for {} transfers",
                        others[unit]
                    );
                    assert!(idle[unit] <= 1, "unit {unit} of {units}: more than one cycle of switching");
                }
            }
            if transfer {
                (waiting[granted], others[granted], idle[granted]) = (false, 0, 0);
            }
            bench.cycle();
        }
    }
}

/// A lone requester transfers in every cycle.
#[test]
fn lone_requester_has_the_whole_port() {
    let mut bench = Bench::new(UnitArbiter::new(&config(4)), |b| &mut b.clock);
    bench.request[2].next = true;
    bench.ready.next = true;
    bench.cycle();
    for _ in 0..20 {
        assert_eq!(bench.grant.val().index(), 2);
        bench.cycle();
    }
}

/// What one requester has asked and is still to receive: the address of each line.
#[derive(Default)]
struct Requester {
    next: u32,
    asking: Option<u32>,
    expected: VecDeque<u32>,
    received: u32,
    waited: u32,
}

/// Random requests of all requesters, rough memory: each receives its own lines in order; none
/// waits for more than n transfers of others.
#[test]
fn memory_arbiter_routes_every_response() {
    let slow = Timing { latency: 40, jitter: 0, stall: 20, seed: 3 };
    for (rows, cores, units, timing) in [
        (1, 1, 1, Timing::FAST),
        (1, 1, 2, Timing::rough(1)),
        (1, 1, 8, Timing::rough(2)),
        (1, 1, 8, slow),
        (1, 2, 2, Timing::rough(4)),
        (3, 1, 1, slow),
        (4, 4, 2, Timing::FAST),
    ] {
        route(&GpuConfig { rows, cores, units, ..GpuConfig::default() }, timing);
    }
}

/// What asks: fetches of the units, then the pipelines of the cores, then the thread dispatcher.
fn route(config: &GpuConfig, timing: Timing) {
    let (units, cores) = (config.total_units(), config.total_cores());
    let all = units + cores + 1;
    let mut bench = Bench::new(MemoryArbiter::new(config), |b| &mut b.clock);
    let mut memory = Memory::new(0x1000 * all, timing);
    for address in (0..0x1000 * all as u32).step_by(4) {
        memory.set_word(address, address);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut requesters: Vec<Requester> = (0..all).map(|_| Requester::default()).collect();
    let number = |k: usize| match k {
        k if k < units => k as u64,
        k if k < units + cores => LSA_ID + (k - units) as u64,
        _ => DISPATCHER_ID,
    };
    let mut most = 0;
    for _ in 0..3000 + 300 * all {
        for (k, r) in requesters.iter_mut().enumerate() {
            if r.asking.is_none() && rng.random_bool(0.4) {
                r.asking = Some(0x1000 * k as u32 + 16 * (r.next % 256));
                r.next += 1;
            }
        }
        for (k, r) in requesters.iter().enumerate() {
            let (valid, address) = (r.asking.is_some(), u64::from(r.asking.unwrap_or(0)).into());
            if k < units {
                (bench.f_req[k].valid.next, bench.f_req[k].addr.next) = (valid, address);
            } else if k < units + cores {
                (bench.l_req[k - units].valid.next, bench.l_req[k - units].addr.next) = (valid, address);
                bench.l_rsp_ready[k - units].next = rng.random_bool(0.7);
            } else {
                (bench.t_req.valid.next, bench.t_req.addr.next) = (valid, address);
            }
        }
        bench.mem_req.ready.next = memory.ready;
        let response = memory.response();
        bench.mem_rsp_valid.next = response.is_some();
        bench.settle();
        let granted: Vec<bool> = (0..all)
            .map(|k| {
                let ready = match k {
                    k if k < units => bench.f_req[k].ready.val(),
                    k if k < units + cores => bench.l_req[k - units].ready.val(),
                    _ => bench.t_req.ready.val(),
                };
                requesters[k].asking.is_some() && ready
            })
            .collect();
        let transfers = granted.iter().filter(|&&g| g).count() as u32;
        assert!(transfers <= 1);
        for (k, r) in requesters.iter_mut().enumerate() {
            let (valid, ready) = match k {
                k if k < units => (bench.f_rsp_valid[k].val(), true),
                k if k < units + cores => (bench.l_rsp_valid[k - units].val(), bench.l_rsp_ready[k - units].next),
                _ => (bench.t_rsp_valid.val(), true),
            };
            if valid {
                let line = response.map(|line| line[0]);
                assert_eq!(line, r.expected.front().copied(), "requester {k}: somebody else's line");
                if ready {
                    r.expected.pop_front();
                    r.received += 1;
                }
            }
            if granted[k] {
                r.expected.push_back(r.asking.take().unwrap());
                r.waited = 0;
            } else if r.asking.is_some() {
                r.waited += transfers;
                assert!(r.waited < all as u32, "requester {k} waits for {} transfers", r.waited);
            }
        }
        most = most.max(requesters.iter().map(|r| r.expected.len()).sum());
        let request = bench.mem_req.valid.val().then(|| {
            let address = bench.mem_req.addr.val().to_u32();
            assert_eq!(
                bench.mem_req.source.val().to_u64(),
                number((address / 0x1000) as usize),
                "source of {address:#x}"
            );
            (address, bench.mem_req.write.val(), 0, [0; 4])
        });
        let taken = bench.mem_rsp_ready.val();
        bench.cycle();
        memory.edge(request, taken);
    }
    assert!(
        requesters.iter().all(|r| r.received > 50),
        "{units} units {timing:?}: {:?}",
        requesters.iter().map(|r| r.received).collect::<Vec<_>>()
    );
    assert!(most <= 16 * cores.next_power_of_two().min(4), "{most} requests in flight");
}

/// The pipeline alone: one request per cycle reaches the memory port, whatever lines other cores
/// have locked.
#[test]
fn pipeline_streams_at_one_request_per_cycle() {
    for cores in [1, 2] {
        let config = GpuConfig { cores, ..GpuConfig::default() };
        let mut bench = Bench::new(MemoryArbiter::new(&config), |b| &mut b.clock);
        bench.mem_req.ready.next = true;
        bench.mem_rsp_valid.next = true;
        bench.l_rsp_ready.iter_mut().for_each(|ready| ready.next = true);
        if cores == 2 {
            // Core 1 locks line 0 and does not come back.
            bench.l_req[1].valid.next = true;
            bench.l_req[1].lock.next = true;
            bench.cycle();
            bench.settle();
            assert!(bench.l_req[1].ready.val());
            bench.cycle();
            bench.l_req[1].valid.next = false;
        }
        bench.l_req[0].valid.next = true;
        for cycle in 0..40 {
            bench.l_req[0].addr.next = (0x100 + 16 * cycle).into();
            bench.settle();
            assert!(cycle < 3 || bench.mem_req.valid.val(), "bubble in cycle {cycle}");
            bench.cycle();
        }
        assert_eq!(bench.mem_req.source.val().to_u64(), LSA_ID);
    }
}

/// What a core's pipeline does in the tests of the locks.
#[derive(Clone, Copy, PartialEq)]
enum Deed {
    Idle,
    /// A read (false) or write (true) of a line.
    Plain(bool),
    /// The read of an atomic, waiting to be taken.
    Lock,
    /// Waiting for the line.
    Read,
    /// The write with the new word, after some cycles.
    Write(u32, u32),
}

struct Pipeline {
    deed: Deed,
    line: u32,
    /// Reads and writes whose response is still to come; true: the read of an atomic.
    pending: VecDeque<bool>,
    atomics: u32,
    /// Atomics of each other core on the line since the present request came.
    passed: Vec<u32>,
}

struct Locks {
    /// Sum over the lines of what the atomics counted, and what they should have.
    counted: (u32, u32),
    /// Atomics per core.
    atomics: Vec<u32>,
    /// Most atomics of one other core that a request waited for, and of all others.
    most: (u32, u32),
    /// Transfers of others' pipelines while a line was locked.
    beside: u32,
}

/// Cores that count up lines with read-modify-write and now and then read or write them otherwise.
fn contend(config: &GpuConfig, lines: u32, eager: bool, timing: Timing) -> Locks {
    let cores = config.total_cores();
    let mut bench = Bench::new(MemoryArbiter::new(config), |b| &mut b.clock);
    let mut memory = Memory::new(0x1000, timing);
    let mut rng = ChaCha8Rng::seed_from_u64(timing.seed + lines as u64);
    let mut all: Vec<Pipeline> = (0..cores)
        .map(|_| Pipeline { deed: Deed::Idle, line: 0, pending: VecDeque::new(), atomics: 0, passed: vec![0; cores] })
        .collect();
    let mut result = Locks { counted: (0, 0), atomics: Vec::new(), most: (0, 0), beside: 0 };
    let mut holder: Vec<Option<usize>> = vec![None; lines as usize];
    const CYCLES: usize = 6000;
    for cycle in 0..CYCLES + 1000 {
        let draining = cycle >= CYCLES;
        for (c, p) in all.iter_mut().enumerate() {
            // As the pipeline: an atomic begins when nothing is in flight.
            if p.deed == Deed::Idle && !draining && p.pending.is_empty() && (eager || rng.random_bool(0.2)) {
                p.line = rng.random_range(0..lines);
                p.deed = if eager || rng.random_bool(0.7) { Deed::Lock } else { Deed::Plain(rng.random_bool(0.5)) };
                p.passed.fill(0);
            }
            if let Deed::Write(word, wait) = p.deed {
                p.deed = Deed::Write(word, wait.saturating_sub(1));
            }
            let valid = matches!(p.deed, Deed::Plain(_) | Deed::Lock | Deed::Write(_, 0));
            let word = if let Deed::Write(word, _) = p.deed { word } else { 0 };
            bench.l_req[c].valid.next = valid;
            bench.l_req[c].lock.next = p.deed == Deed::Lock;
            bench.l_req[c].write.next = matches!(p.deed, Deed::Plain(true) | Deed::Write(..));
            // Word 0 of a line counts, a plain write goes to word 1.
            bench.l_req[c].mask.next = u64::from(if let Deed::Write(..) = p.deed { 0xFu32 } else { 0xF0 }).into();
            bench.l_req[c].addr.next = u64::from(0x100 + 16 * p.line).into();
            bench.l_req[c].data[0].next = u64::from(word).into();
            bench.l_rsp_ready[c].next = true;
        }
        for f in 0..config.total_units() {
            bench.f_req[f].valid.next |= rng.random_bool(0.3);
        }
        bench.mem_req.ready.next = memory.ready;
        let response = memory.response();
        bench.mem_rsp_valid.next = response.is_some();
        bench.settle();
        for f in 0..config.total_units() {
            bench.f_req[f].valid.next = bench.f_req[f].valid.next && !bench.f_req[f].ready.val();
        }
        for c in 0..cores {
            if bench.l_rsp_valid[c].val() {
                let atomic = all[c].pending.pop_front().expect("a response that nobody asked for");
                if atomic {
                    all[c].deed = Deed::Write(response.unwrap()[0] + 1, rng.random_range(1..4));
                }
            }
            if !bench.l_req[c].valid.next || !bench.l_req[c].ready.val() {
                continue;
            }
            let line = all[c].line as usize;
            result.beside += u32::from(holder.iter().any(|h| h.is_some_and(|h| h != c)));
            if config.fault.is_none() {
                assert!(
                    holder[line].is_none_or(|h| h == c),
                    "core {c} uses line {line}, which {:?} holds",
                    holder[line]
                );
            }
            let atomic = all[c].deed == Deed::Lock;
            all[c].pending.push_back(atomic);
            match all[c].deed {
                Deed::Lock => {
                    holder[line] = Some(c);
                    all[c].deed = Deed::Read;
                    for (d, other) in all.iter_mut().enumerate() {
                        let waits = matches!(other.deed, Deed::Plain(_) | Deed::Lock);
                        if d != c && waits && other.line as usize == line {
                            other.passed[c] += 1;
                            result.most.0 = result.most.0.max(other.passed[c]);
                            result.most.1 = result.most.1.max(other.passed.iter().sum());
                        }
                    }
                }
                Deed::Write(..) => {
                    holder[line] = None;
                    all[c].atomics += 1;
                    all[c].deed = Deed::Idle;
                }
                _ => all[c].deed = Deed::Idle,
            }
        }
        let request = bench.mem_req.valid.val().then(|| {
            let data = [bench.mem_req.data[0].val().to_u32(), 0, 0, 0];
            (bench.mem_req.addr.val().to_u32(), bench.mem_req.write.val(), bench.mem_req.mask.val().to_u16(), data)
        });
        let taken = bench.mem_rsp_ready.val();
        bench.cycle();
        memory.edge(request, taken);
    }
    assert!(all.iter().all(|p| p.deed == Deed::Idle && p.pending.is_empty()), "a request is stuck");
    result.counted.0 = (0..lines).map(|line| memory.word(0x100 + 16 * line)).sum();
    result.atomics = all.iter().map(|p| p.atomics).collect();
    result.counted.1 = result.atomics.iter().sum();
    result
}

/// Read-modify-write of several cores on few lines: none is lost, none waits for more than one
/// atomic of each other core, other lines go on.
#[test]
fn locked_lines_make_atomics_atomic_and_starve_nobody() {
    for (rows, cores) in [(1, 2), (2, 2), (3, 3), (4, 4)] {
        let config = GpuConfig { rows, cores, units: 1, ..GpuConfig::default() };
        for (lines, eager, timing) in [
            (1, false, Timing::rough(5)),
            (3, true, Timing::FAST),
            (1, true, Timing::FAST),
            (2, true, Timing::rough(6)),
        ] {
            let what = format!("{rows}x{cores}, {lines} lines, eager {eager}, {timing:?}");
            let locks = contend(&config, lines, eager, timing);
            assert_eq!(locks.counted.0, locks.counted.1, "{what}: increments are lost");
            assert!(locks.most.0 <= 1, "{what}: passed {} times by one core", locks.most.0);
            assert!(locks.most.1 < (rows * cores) as u32, "{what}: waited for {} atomics", locks.most.1);
            let (least, most) = (locks.atomics.iter().min().unwrap(), locks.atomics.iter().max().unwrap());
            assert!(*least > 5 && (!eager || lines > 1 || most - least <= 1), "{what}: {:?}", locks.atomics);
            assert!(lines == 1 || locks.beside > 100, "{what}: only {} transfers beside a lock", locks.beside);
        }
    }
}

/// The planted fault is what the test above looks for.
#[test]
fn without_locks_increments_are_lost() {
    let fault = Some(Fault::LockIgnored);
    let config = GpuConfig { cores: 2, units: 1, fault, ..GpuConfig::default() };
    let locks = contend(&config, 1, true, Timing::FAST);
    assert!(locks.counted.0 < locks.counted.1, "{:?}", locks.counted);
}
