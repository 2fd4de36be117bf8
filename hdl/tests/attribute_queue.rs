//! The queue of beats between attribute unit and warp unit: what comes out is what went in, in
//! order, whoever pauses, and it takes and gives a beat in every cycle.

use std::collections::VecDeque;

use quadlock_hdl::attribute::queue::BeatQueue;
use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

/// Everything that a beat carries.
type Beat = ([u64; 6], [u64; 4]);

/// Runs for that many cycles; the sides pause in so many of a hundred. How many beats went through.
fn run(fault: Option<Fault>, pauses: [u32; 2], cycles: u32, seed: u64) -> Result<usize, String> {
    let config = GpuConfig { fault, ..GpuConfig::default() };
    let mut bench = Bench::new(BeatQueue::new(&config), |b| &mut b.clock);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut inside: VecDeque<Beat> = VecDeque::new();
    let mut offered: Option<Beat> = None;
    let mut through = 0;
    for cycle in 0..cycles {
        if offered.is_none() && rng.random_range(0..100) >= pauses[0] {
            let [warp, seq, mask, dst] = [16, 256, 16, 32].map(|n| rng.random_range(0..n));
            let words = std::array::from_fn(|_| u64::from(rng.random::<u32>()));
            offered = Some(([warp, seq, mask, dst, rng.random_range(0..2), rng.random_range(0..2)], words));
        }
        bench.in_valid.next = offered.is_some();
        if let Some(([warp, seq, mask, dst, wen, last], values)) = offered {
            bench.beat.warp.next = bits(warp);
            bench.beat.seq.next = bits(seq);
            bench.beat.mask.next = bits(mask);
            bench.beat.dst.next = bits(dst);
            bench.beat.wen.next = wen == 1;
            bench.beat.last.next = last == 1;
            for (lane, value) in values.into_iter().enumerate() {
                bench.beat.value[lane].next = bits(value);
            }
        }
        let takes = rng.random_range(0..100) >= pauses[1];
        bench.out_ready.next = takes;
        bench.settle();
        if bench.out_valid.val() == inside.is_empty() {
            return Err(format!("cycle {cycle}: {} inside, valid is {}", inside.len(), bench.out_valid.val()));
        }
        if takes && bench.out_valid.val() {
            let o = &bench.oldest;
            let [warp, mask] = [o.warp.val(), o.mask.val()].map(|b| b.to_u64());
            let head =
                [warp, o.seq.val().to_u64(), mask, o.dst.val().to_u64(), o.wen.val().into(), o.last.val().into()];
            let beat = (head, std::array::from_fn(|lane| o.value[lane].val().to_u64()));
            if inside.pop_front() != Some(beat) {
                return Err(format!("cycle {cycle}: {beat:x?} comes"));
            }
            through += 1;
        }
        if bench.in_ready.val() {
            inside.extend(offered.take());
        }
        bench.cycle();
    }
    Ok(through)
}

#[test]
fn beats_come_out_as_they_went_in() {
    for (seed, pauses) in [[0, 0], [50, 0], [0, 50], [10, 90], [90, 10], [30, 30]].into_iter().enumerate() {
        run(None, pauses, 2000, seed as u64).unwrap();
    }
}

#[test]
fn a_beat_goes_through_in_each_cycle() {
    assert_eq!(run(None, [0, 0], 1000, 1).unwrap(), 999);
}

#[test]
fn a_beat_too_many_is_caught() {
    assert!(run(Some(Fault::BeatsFull), [0, 50], 2000, 1).is_err());
}
