//! Which lanes come late to a warp-wide atomic (WW-27): the block under random instructions of all
//! slots against a plain reading of the table in docs/machine.md, which looks at one instruction at
//! a
//! time. Counters, masks and targets are few, so that everything meets.

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::warp::encounter::Encounters;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// An instruction of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Wide,
    Barrier,
    /// Lanes that take the branch, and its target.
    Branch(u8, u16),
    Other,
}

/// P and L of the page.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    place: u16,
    late: u8,
}

impl Slot {
    /// Row by row of the table; true if it is a late arrival.
    fn instruction(&mut self, pc: u16, mask: u8, what: What) -> bool {
        let all_late = mask & !self.late == 0;
        match what {
            What::Wide if pc == self.place && all_late => {
                self.late &= !mask;
                return true;
            }
            What::Wide => *self = Slot { place: pc, late: 15 & !mask },
            What::Barrier => self.late = 0,
            What::Branch(..) | What::Other => {
                if mask & self.late != 0 && !all_late {
                    self.late &= !mask;
                }
                if let What::Branch(taken, target) = what {
                    if taken & !self.late != 0 && target <= self.place {
                        self.late = 0;
                    }
                }
            }
        }
        false
    }
}

#[derive(Debug, Default)]
struct Seen {
    late: usize,
    again: usize,
    met: usize,
}

/// One instruction every five cycles and slot at most, as the unit has it.
fn random(config: &GpuConfig, seed: u64, cycles: u64) -> Result<Seen, String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut bench = Bench::new(Encounters::new(config), |b| &mut b.clock);
    let mut slots = vec![Slot::default(); config.warps];
    let mut next: Vec<u16> = vec![0; config.warps];
    let mut issued = vec![0u64; config.warps];
    let mut step: Option<(usize, u16, u8, What, bool)> = None;
    let mut seen = Seen::default();
    for cycle in 10..cycles {
        let b = &mut *bench;
        // The instruction of the last cycle moves on.
        b.step.next = step.is_some();
        let (warp, pc, mask, what, was_late) = step.unwrap_or((0, 0, 0, What::Other, false));
        let (taken, target) = if let What::Branch(taken, target) = what { (taken, target) } else { (0, 0) };
        b.step_warp.next = (warp as u64).into();
        b.step_pc.next = u64::from(pc).into();
        b.step_mask.next = u64::from(mask).into();
        b.step_wide.next = what == What::Wide;
        b.step_bar.next = what == What::Barrier;
        b.step_taken.next = u64::from(taken).into();
        b.step_target.next = u64::from(target).into();
        // Another slot is launched.
        let slot = rng.random_range(0..config.warps);
        let launch = rng.random_bool(0.01) && step.is_none_or(|s| s.0 != slot);
        b.launch.next = launch;
        b.launch_warp.next = (slot as u64).into();
        // The next instruction, if its slot may be chosen.
        let warp = rng.random_range(0..config.warps);
        let mask = rng.random_range(1..16u8);
        let what = match rng.random_range(0..8) {
            0..=3 => What::Wide,
            4 if rng.random_bool(0.2) => What::Barrier,
            5 => What::Branch(mask & rng.random_range(0..16u8), rng.random_range(0..4)),
            _ => What::Other,
        };
        let idle = cycle > issued[warp] + 4 && !(launch && slot == warp);
        bench.settle();
        if bench.stored.val() != was_late {
            return Err(format!("cycle {cycle}: stored is not {was_late}"));
        }
        let issue = idle && rng.random_bool(0.9);
        let b = &mut *bench;
        b.issue.next = issue && what == What::Wide;
        b.issue_warp.next = (warp as u64).into();
        b.issue_pc.next = u64::from(next[warp]).into();
        b.issue_mask.next = u64::from(mask).into();
        bench.settle();
        let late = bench.late.val();
        step = None;
        if launch {
            slots[slot].late = 0;
            next[slot] = rng.random_range(0..4);
        }
        if issue {
            let before = slots[warp];
            let wanted = slots[warp].instruction(next[warp], mask, what);
            if late != wanted {
                return Err(format!("cycle {cycle}: {what:?} at {} by {mask:04b}: {late}, {before:?}", next[warp]));
            }
            seen.late += usize::from(wanted);
            seen.again += usize::from(what == What::Wide && !wanted && before.late != 0);
            seen.met += usize::from(what == What::Other && before.late != slots[warp].late);
            step = Some((warp, next[warp], mask, what, wanted));
            issued[warp] = cycle;
            next[warp] = rng.random_range(0..4);
        } else if late {
            return Err(format!("cycle {cycle}: late without an issue"));
        }
        bench.cycle();
    }
    Ok(seen)
}

#[test]
fn ww_27_late_arrivals_are_those_of_the_page() {
    for (seed, warps) in [(1, 2), (2, 3), (3, 8), (4, 16)] {
        let config = GpuConfig { warps, ..GpuConfig::default() };
        let seen = random(&config, seed, 6_000).unwrap_or_else(|e| panic!("{warps} warps: {e}"));
        println!("{warps} warps: {seen:?}");
        assert!(seen.late > 20 && seen.again > 20 && seen.met > 10, "{warps} warps: {seen:?}");
    }
}

#[test]
fn ww_27_planted_faults_of_encounters_are_caught() {
    use Fault::*;
    for fault in [LateForeign, LateAgain, LateMet, LateTurn] {
        let config = GpuConfig { warps: 2, fault: Some(fault), ..GpuConfig::default() };
        assert!(random(&config, 1, 6_000).is_err(), "{fault:?}");
    }
}
