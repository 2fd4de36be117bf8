//! The thread view against a table in plain Rust: random launches, ends, requests and waits, of
//! this unit and of others. Without trace ports it shows nothing.

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::semaphore::ThreadView;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

const UNIT: u64 = 5;
const WARPS: usize = 8;

fn bench(trace: bool) -> Bench<ThreadView> {
    let config = GpuConfig { warps: WARPS, trace, ..GpuConfig::default() };
    let mut bench = Bench::new(ThreadView::new(&config), |b| &mut b.clock);
    bench.unit.next = bits(UNIT);
    bench
}

#[test]
fn states_and_semaphores_follow_the_events() {
    let mut b = bench(true);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut occupied = [false; WARPS];
    let mut semaphore = [0u64; WARPS];
    let mut seen = [0u32; 3];
    for cycle in 0..2_000 {
        let mut event =
            || (rng.random_bool(0.3), if rng.random_bool(0.6) { UNIT } else { 4 }, rng.random_range(0..WARPS as u64));
        let (launch, end, acq) = (event(), event(), event());
        let sem = rng.random_range(0..1024u64);
        let waiting = rng.random_range(0..0x100u64);
        b.launch_valid.next = launch.0;
        b.launch_unit.next = bits(launch.1);
        b.launch_warp.next = bits(launch.2);
        b.end_valid.next = end.0;
        b.end_unit.next = bits(end.1);
        b.end_warp.next = bits(end.2);
        b.acq_valid.next = acq.0;
        b.acq_thread.next = bits(acq.1 << 4 | acq.2);
        b.acq_sem.next = bits(sem);
        b.waiting.next = bits(waiting);
        b.cycle();
        if end.0 && end.1 == UNIT {
            occupied[end.2 as usize] = false;
        }
        if launch.0 && launch.1 == UNIT {
            occupied[launch.2 as usize] = true;
            semaphore[launch.2 as usize] = 0;
        }
        if acq.0 && acq.1 == UNIT {
            semaphore[acq.2 as usize] = sem;
        }
        for slot in 0..WARPS {
            let expected = match (occupied[slot], waiting >> slot & 1 == 1) {
                (false, _) => 0,
                (true, false) => 0x400,
                (true, true) => 0x800 | semaphore[slot],
            };
            seen[(expected >> 10) as usize] += 1;
            assert_eq!(b.thread[slot].val().to_u64(), expected, "slot {slot} in cycle {cycle}");
        }
    }
    assert!(seen.iter().all(|&n| n > 500), "{seen:?}");
}

#[test]
fn without_trace_ports_it_shows_nothing() {
    let mut b = bench(false);
    b.launch_valid.next = true;
    b.launch_unit.next = bits(UNIT);
    b.acq_valid.next = true;
    b.acq_thread.next = bits(UNIT << 4);
    b.acq_sem.next = bits(7);
    for _ in 0..4 {
        b.cycle();
        assert_eq!(b.thread[0].val().to_u64(), 0);
    }
}
