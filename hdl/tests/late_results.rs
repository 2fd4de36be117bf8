//! Kept results of warp-wide atomics (WW-27): random results of both memories and widths, and late
//! arrivals one behind the other, against a plain table of words. The low word comes as many cycles
//! behind
//! an arrival as a lane needs from its operands to its retirement, the high word one later.

use std::collections::VecDeque;

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, LANE_LATENCY};
use quadlock_hdl::fault::Fault;
use quadlock_hdl::warp::late_results::LateResults;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What is written in a cycle: slot, seq, lanes, register, value, registers of the instruction,
/// last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Write {
    warp: u64,
    seq: u64,
    mask: u64,
    register: u64,
    value: u64,
    sets: u64,
    last: bool,
}

/// Returns how many words were written.
fn random(config: &GpuConfig, seed: u64, cycles: usize) -> Result<usize, String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut bench = Bench::new(LateResults::new(config), |b| &mut b.clock);
    // By slot, memory and word.
    let mut words = vec![[[0u64; 2]; 2]; config.warps];
    // Each memory delivers one result after the other, low word first.
    let mut coming: [Option<(usize, bool)>; 2] = [None; 2];
    // What the next cycles write.
    let mut due: VecDeque<Option<(Write, usize, usize, usize)>> = VecDeque::from(vec![None; LANE_LATENCY + 3]);
    let mut freed: Option<u64> = None;
    let (mut written, mut behind_two) = (0, false);
    for cycle in 0..cycles {
        let b = &mut *bench;
        let shared = rng.random_range(0..2usize);
        let (warp, high) = coming[shared].unwrap_or_else(|| (rng.random_range(0..config.warps), false));
        let last = high || rng.random_bool(0.5);
        let value = u64::from(rng.random::<u32>());
        let two = rng.random_bool(0.5);
        let (late_warp, late_shared) = (rng.random_range(0..config.warps), rng.random_range(0..2usize));
        // Nothing of a slot's own is on the way while it comes late; the slot behind a 64-bit
        // arrival is empty.
        let waits = due.iter().flatten().any(|d| d.1 == warp) || late_warp == warp;
        let keep = rng.random_bool(0.6) && !waits;
        b.keep.next = keep;
        b.keep_warp.next = (warp as u64).into();
        b.keep_shared.next = shared == 1;
        b.keep_last.next = last;
        b.keep_value.next = value.into();
        let push = !behind_two && rng.random_bool(0.7) && coming.iter().flatten().all(|c| c.0 != late_warp);
        let [seq, mask, register] = [rng.random_range(0..256u64), rng.random_range(1..16), rng.random_range(0..32)];
        b.push.next = push;
        b.push_two.next = two;
        b.push_shared.next = late_shared == 1;
        let meta = late_warp as u64 | seq << 4 | mask << 12 | register << 16 | rng.random_range(0..256u64) << 21;
        b.push_meta.next = meta.into();
        bench.settle();
        let b = &*bench;
        let seen = b.write.val().then(|| Write {
            warp: b.warp.val().to_u64(),
            seq: b.seq.val().to_u64(),
            mask: b.mask.val().to_u64(),
            register: b.dst.val().to_u64(),
            value: b.value.val().to_u64(),
            sets: b.sets.val().to_u64(),
            last: b.last.val(),
        });
        let freed_now = b.freed.val().then(|| b.freed_warp.val().to_u64());
        if freed_now != freed {
            return Err(format!("cycle {cycle}: freed {freed_now:?} instead of {freed:?}"));
        }
        let wanted =
            due.pop_front().flatten().map(|(w, warp, shared, word)| Write { value: words[warp][shared][word], ..w });
        due.push_back(None);
        if seen != wanted {
            return Err(format!("cycle {cycle}: {seen:x?} instead of {wanted:x?}"));
        }
        freed = wanted.filter(|w| w.last).map(|w| w.warp);
        written += usize::from(wanted.is_some());
        if keep {
            words[warp][shared][usize::from(high)] = value;
            coming[shared] = (!last).then_some((warp, true));
        }
        behind_two = push && two;
        if push {
            let second = (register + 1) % 32;
            let sets = 1 << register | if two { 1 << second } else { 0 };
            let low = Write { warp: late_warp as u64, seq, mask, register, value: 0, sets: 1 << register, last: !two };
            due[LANE_LATENCY] = Some((low, late_warp, late_shared, 0));
            if two {
                let high = Write { register: second, sets, last: true, ..low };
                due[LANE_LATENCY + 1] = Some((high, late_warp, late_shared, 1));
            }
        }
        bench.cycle();
    }
    Ok(written)
}

#[test]
fn ww_27_late_arrivals_get_the_last_words() {
    for (seed, warps) in [(1, 2), (2, 5), (3, 16)] {
        let config = GpuConfig { warps, ..GpuConfig::default() };
        let written = random(&config, seed, 4_000).unwrap_or_else(|e| panic!("{warps} warps: {e}"));
        assert!(written > 1_000, "{warps} warps: {written}");
    }
}

#[test]
fn ww_27_planted_faults_of_kept_results_are_caught() {
    for fault in [Fault::LateLanes, Fault::LateMemory] {
        let config = GpuConfig { fault: Some(fault), ..GpuConfig::default() };
        assert!(random(&config, 1, 400).is_err(), "{fault:?}");
    }
}
