//! The arbiters: stated fairness and throughput, routing of responses, nothing lost or doubled. And shared storage: same model as the pipeline's.

mod memory_model;

use std::collections::VecDeque;

use memory_model::{Memory, Timing};
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::memory::arbiter::LSA_ID;
use quadlock_hdl::memory::{MemoryArbiter, UnitArbiter};
use quadlock_hdl::testing::Bench;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn config(units: usize) -> GpuConfig {
    GpuConfig { units, ..GpuConfig::default() }
}

/// No request waits for more than n - 1 transfers of others and one cycle of switching, for any pattern of requests.
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

/// Random requests of all requesters, rough memory: each receives its own lines in order; none waits for more than n transfers of others.
#[test]
fn memory_arbiter_routes_every_response() {
    for (units, timing) in [
        (1, Timing::FAST),
        (2, Timing::rough(1)),
        (8, Timing::rough(2)),
        (8, Timing { latency: 40, jitter: 0, stall: 20, seed: 3 }),
    ] {
        route(units, timing);
    }
}

fn route(units: usize, timing: Timing) {
    let mut bench = Bench::new(MemoryArbiter::new(&config(units)), |b| &mut b.clock);
    let mut memory = Memory::new(0x10000, timing);
    for address in (0..0x10000).step_by(4) {
        memory.set_word(address, address);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    // The last one is the load/store/atomic pipeline.
    let mut requesters: Vec<Requester> = (0..=units).map(|_| Requester::default()).collect();
    for _ in 0..4000 {
        for (k, r) in requesters.iter_mut().enumerate() {
            if r.asking.is_none() && rng.random_bool(0.4) {
                r.asking = Some(0x1000 * k as u32 + 16 * (r.next % 256));
                r.next += 1;
            }
        }
        for (k, r) in requesters[..units].iter().enumerate() {
            bench.f_req_valid[k].next = r.asking.is_some();
            bench.f_req_addr[k].next = u64::from(r.asking.unwrap_or(0)).into();
        }
        bench.l_req_valid.next = requesters[units].asking.is_some();
        bench.l_req_addr.next = u64::from(requesters[units].asking.unwrap_or(0)).into();
        bench.l_rsp_ready.next = rng.random_bool(0.7);
        bench.mem_req_ready.next = memory.ready;
        let response = memory.response();
        bench.mem_rsp_valid.next = response.is_some();
        bench.settle();
        let granted: Vec<bool> = (0..=units)
            .map(|k| {
                requesters[k].asking.is_some()
                    && if k == units { bench.l_req_ready.val() } else { bench.f_req_ready[k].val() }
            })
            .collect();
        let transfers = granted.iter().filter(|&&g| g).count() as u32;
        assert!(transfers <= 1);
        for (k, r) in requesters.iter_mut().enumerate() {
            let valid = if k == units { bench.l_rsp_valid.val() } else { bench.f_rsp_valid[k].val() };
            if valid {
                assert_eq!(
                    response.map(|line| line[0]),
                    r.expected.front().copied(),
                    "requester {k}: somebody else's line"
                );
                if k < units || bench.l_rsp_ready.next {
                    r.expected.pop_front();
                    r.received += 1;
                }
            }
            if granted[k] {
                r.expected.push_back(r.asking.take().unwrap());
                r.waited = 0;
            } else if r.asking.is_some() {
                r.waited += transfers;
                assert!(r.waited <= units as u32, "requester {k} waits for {} transfers", r.waited);
            }
        }
        let request = bench
            .mem_req_valid
            .val()
            .then(|| (bench.mem_req_addr.val().to_u32(), bench.mem_req_write.val(), 0, [0; 4]));
        let taken = bench.mem_rsp_ready.val();
        bench.cycle();
        memory.edge(request, taken);
    }
    assert!(
        requesters.iter().all(|r| r.received > 50),
        "{units} units {timing:?}: {:?}",
        requesters.iter().map(|r| r.received).collect::<Vec<_>>()
    );
    assert!(units < LSA_ID as usize + 1);
}

/// The pipeline alone: one request per cycle reaches the memory port.
#[test]
fn pipeline_streams_at_one_request_per_cycle() {
    let mut bench = Bench::new(MemoryArbiter::new(&config(2)), |b| &mut b.clock);
    bench.l_req_valid.next = true;
    bench.mem_req_ready.next = true;
    bench.mem_rsp_valid.next = true;
    bench.l_rsp_ready.next = true;
    for cycle in 0..40 {
        bench.settle();
        assert!(cycle < 2 || bench.mem_req_valid.val(), "bubble in cycle {cycle}");
        bench.cycle();
    }
}
