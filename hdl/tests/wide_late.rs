//! Lanes that come late to a warp-wide atomic (WW-27) on the whole machine: one program of every
//! width, of the lock form and of both memories, on every combination of execution and result
//! option. What
//! its lanes and memory hold, and how many line transactions it makes, is worked out by hand here,
//! for both values of `warp-wide-late`.

use crate::memory_model::core::{Core, Job};
use crate::memory_model::Timing;
use quadlock_hdl::config::{GpuConfig, WarpWide, WideLate, WideResult};
use quadlock_hdl::fault::Fault;
use quadlock_testkit::tier;

/// 64 bytes per warp, 64 bytes per invocation from 0x1000 on; the job of crosscheck and lockstep
/// runs it too.
const PROGRAM: &str = include_str!("../../cosim/harness/jobs/late.qasm");
/// Where the buffer lies.
const BASE: u32 = 0x12000;
const LOW: u32 = 0xFFFF_FFFE;

/// Registers 16 to 31 of a lane: results of shared storage, of the two groups (and the lane), of 64
/// bits, of the locks; of turns, meeting, turn without the operation, barrier.
fn lane(lane: u32, late: WideLate) -> [u32; 16] {
    let odd = lane % 2 == 1;
    let ends = |executes_again: u32| if odd { executes_again } else { 0 };
    match late {
        // Late lanes have what the others have. Of three turns they get the last one's result, then
        // they execute at 15 and at 20.
        WideLate::Stored => {
            [0, 0, LOW, 1, lane, 0, LOW, 1, 1, 0, if odd { 20 } else { 10 }, ends(5), ends(5), ends(5), 1, 0]
        }
        WideLate::Again => {
            let first = if lane < 2 { (5, LOW - 1, 2) } else { (0, LOW, 1) };
            let group = [0, 5, 0, 10][lane as usize] + lane;
            let turns = if odd { 25 } else { 10 };
            [
                first.0,
                0,
                first.1,
                first.2,
                group,
                0,
                first.1,
                first.2,
                u32::from(odd),
                0,
                turns,
                ends(5),
                ends(5),
                ends(5),
                1,
                0,
            ]
        }
    }
}

/// The words of a warp with so many lanes.
fn memory(lanes: u32, late: WideLate) -> [u32; 16] {
    let (stored, shared, turns) = match late {
        WideLate::Stored => (5, (5, LOW - 1), 25),
        WideLate::Again => (if lanes == 4 { 15 } else { 10 }, (10, LOW - 2), 30),
    };
    let high = if late == WideLate::Stored { 2 } else { 3 };
    [stored, 1, shared.1, high, 0, 0, turns, 10, 10, 10, 0, 0, shared.0, 0, shared.1, high]
}

/// Line reads of a warp at its words: its executions.
fn executions(lanes: u32, late: WideLate) -> usize {
    // Two groups of late lanes; 64 bits; two locks; turns; then 2 executions for each of what ends
    // an encounter.
    let stored = 1 + 3 + 1 + 1 + 5 + 3 * 2;
    match late {
        WideLate::Stored => stored,
        WideLate::Again => stored + if lanes == 4 { 2 } else { 1 } + 1 + 2 + 1,
    }
}

fn run(config: &GpuConfig, timing: Timing) -> Result<(), String> {
    let late = config.warp_wide_late;
    let job = Job { pinned: true, shared_bytes: 32, group_slots: 2, ..Job::free([3, 1, 1], [7, 1, 1]) };
    let mut core = Core::new(config, timing);
    core.run(PROGRAM, &job, &[(8, BASE)], 60_000);
    for warp in 0..6u32 {
        let (at, lanes) = (BASE + 64 * warp, if warp % 2 == 0 { 4 } else { 3 });
        let words: [u32; 16] = std::array::from_fn(|k| core.memory.word(at + 4 * k as u32));
        if words != memory(lanes, late) {
            return Err(format!("memory of warp {warp}: {words:x?} instead of {:x?}", memory(lanes, late)));
        }
        for l in 0..lanes {
            let at = BASE + 0x1000 + 64 * (4 * warp + l);
            let seen: [u32; 16] = std::array::from_fn(|k| core.memory.word(at + 4 * k as u32));
            if seen != lane(l, late) {
                return Err(format!("warp {warp} lane {l}: {seen:x?} instead of {:x?}", lane(l, late)));
            }
        }
        let own = |write: bool| {
            core.memory.log.iter().filter(|t| t.write == write && (at..at + 64).contains(&t.addr)).count()
        };
        // The copy of the words of shared storage is one write more.
        let seen = (own(false), own(true) - 1);
        let wanted = executions(lanes, late);
        if seen != (wanted, wanted) {
            return Err(format!("warp {warp}: {seen:?} reads and writes instead of {wanted}"));
        }
    }
    Ok(())
}

fn combinations(warp_wide_late: WideLate) -> impl Iterator<Item = GpuConfig> {
    [WarpWide::Representative, WarpWide::Collective, WarpWide::Scalar].into_iter().flat_map(move |warp_wide| {
        [WideResult::PerLane, WideResult::Shared].map(|warp_wide_result| GpuConfig {
            warps: 4,
            warp_wide,
            warp_wide_result,
            warp_wide_late,
            ..GpuConfig::default()
        })
    })
}

fn all(late: WideLate) {
    // By day three, which cover each execution and each result, with one setting each.
    let chosen = combinations(late).enumerate().filter(|(n, _)| tier::is_night() || [0, 3, 5].contains(n));
    for (n, config) in chosen {
        let settings = [(Timing::FAST, 1), (Timing::rough(4), 2)];
        for (timing, cores) in settings.into_iter().cycle().skip(n).take(tier::cases(1, 2)) {
            let config = GpuConfig { cores, ..config.clone() };
            let name = format!("{} {}, {cores} cores", config.warp_wide.name(), config.warp_wide_result.name());
            run(&config, timing).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
    }
}

#[test]
fn ww_27_late_lanes_get_the_kept_result_on_every_combination() {
    all(WideLate::Stored);
}

#[test]
fn ww_27_late_lanes_execute_again_by_default() {
    all(WideLate::Again);
}

#[test]
fn ww_27_planted_faults_are_caught() {
    let healthy = GpuConfig { warps: 4, warp_wide_late: WideLate::Stored, ..GpuConfig::default() };
    // With a slow memory the result is still on the way when the first lanes could come.
    let slow = Timing { latency: 80, ..Timing::FAST };
    run(&healthy, Timing::FAST).unwrap();
    run(&healthy, slow).unwrap();
    use Fault::*;
    for fault in tier::first(1, [LateForeign, LateAgain, LateLanes, LateMemory, LateMet, LateTurn]) {
        let config = GpuConfig { fault: Some(fault), ..healthy.clone() };
        assert!(run(&config, Timing::FAST).is_err(), "{fault:?}");
    }
}
