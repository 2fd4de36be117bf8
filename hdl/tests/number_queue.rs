//! The queue of free numbers, beside a list: the first numbers in order, then those that were put
//! in, in their order, each in the cycle after it was put in at the latest. Rings of several sizes
//! wrap many times; they are empty often, and full.

use std::collections::VecDeque;

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::memory::NumberQueue;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Takes and gives back at random for so many cycles; how often the queue was empty.
fn run(config: &GpuConfig, places: usize, first: usize, cycles: usize) -> Result<u64, String> {
    let mut rng = ChaCha8Rng::seed_from_u64(places as u64);
    let mut b = Bench::new(NumberQueue::new(config, places, 12, first), |q| &mut q.clock);
    let mut waiting: VecDeque<u64> = (0..first as u64).collect();
    let mut out: Vec<u64> = (first as u64..places as u64).collect();
    let mut empty = 0;
    for cycle in 0..cycles {
        // Mostly more are taken than given, then the other way round.
        let (take, put) = if (cycle / (3 * places)).is_multiple_of(2) { (0.9, 0.5) } else { (0.5, 0.9) };
        b.settle();
        let seen = b.valid.val().then(|| b.number.val().to_u64());
        if seen != waiting.front().copied() {
            return Err(format!("cycle {cycle}: {seen:?} is the oldest, not {:?}", waiting.front()));
        }
        empty += u64::from(seen.is_none());
        let takes = seen.is_some() && rng.random_bool(take);
        let given = (!out.is_empty() && rng.random_bool(put)).then(|| out.swap_remove(rng.random_range(0..out.len())));
        b.take.next = takes;
        b.put.next = given.is_some();
        b.put_number.next = given.unwrap_or_else(|| rng.random_range(0..4096)).into();
        b.cycle();
        out.extend(if takes { waiting.pop_front() } else { None });
        waiting.extend(given);
    }
    Ok(empty)
}

#[test]
fn numbers_come_in_order_each_once() {
    for (places, first) in [(64, 64), (64, 0), (256, 256), (4096, 4096)] {
        let empty = run(&GpuConfig::default(), places, first, 30 * places).unwrap_or_else(|e| panic!("{places}: {e}"));
        assert!(empty > 0, "{places} places are never all taken");
    }
}

#[test]
fn planted_faults_are_caught() {
    let config = GpuConfig { fault: Some(Fault::NumberStale), ..GpuConfig::default() };
    let problem = run(&config, 64, 64, 2_000).expect_err("not caught");
    assert!(problem.contains("is the oldest"), "{problem}");
}
