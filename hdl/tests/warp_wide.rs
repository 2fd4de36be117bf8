//! Warp-wide atomics and cross-lane instructions in the warp unit and in the whole machine (WW-20
//! to WW-36): the same registers and memory whichever way they are executed; what a representative
//! stops and a collective does not; the cost in memory transactions; the lock between warps.

use std::collections::BTreeSet;

use crate::memory_model::core::{Core, Job};
use crate::memory_model::Timing as MemoryTiming;
use crate::warp::bench::{Launch, Machine, Ret, Timing, QUICK};
use quadlock_hdl::config::{GpuConfig, WarpWide};
use quadlock_hdl::fault::Fault;
use quadlock_testkit::tier;

/// The executions by warp unit and load/store/atomic pipeline.
const IN_UNIT: [WarpWide; 2] = [WarpWide::Representative, WarpWide::Collective];
const ROUGH: Timing = Timing { latency: 17, stall: 40, seed: 7 };

fn config(warp_wide: WarpWide) -> GpuConfig {
    GpuConfig { units: 2, warps: 8, warp_wide, ..GpuConfig::default() }
}

/// The thread's own slot of the output area in r1, from its thread slot: unit 1, 8 warps per unit.
/// The lane in r2, and whether it is in the mask c[20] in r9.
const OUT: &str = "S2R r1, thread_slot\nISUB r1, r1, #32\nSHL r1, r1, #2\nS2R r2, lane\nMOV r9, c[20]\nSHR r9, r9, r2\nAND r9, r9, #1\n";

fn row(m: &Machine, warp: u32, at: u32) -> [u32; 4] {
    [0, 1, 2, 3].map(|lane| m.word(at + 4 * (4 * warp + lane)))
}

/// Lane l adds 1 + l to word l and exchanges pair l, if it is in the mask; before and after the
/// registers are 7, 8, 9.
fn atomics(config: &GpuConfig, timing: Timing, mask: u32) -> Machine {
    let program = format!(
        "{OUT}MOV r4, #7\nMOV r6, #8\nMOV r7, #9\nIADD r3, r2, #1\nSHL r10, r2, #2\nSHL r11, r2, #3\nBZ r9, join\n\
         WATOM32.ADD r4, [r10+0x2000], r3\nWATOM64.XCHG r6, [r11+0x2100], r2\nIADD r4, r4, #100\n\
         join: ST.32 [r1+0x1000], r4\nST.32 [r1+0x1100], r6\nST.32 [r1+0x1200], r7\nEND"
    );
    let mut m = Machine::new(config, timing, &program);
    m.constant(20, mask);
    for lane in 0..4 {
        m.set_word(0x2000 + 4 * lane, 10 + lane);
        m.set_word(0x2100 + 8 * lane, 20 + lane);
        m.set_word(0x2104 + 8 * lane, 30 + lane);
    }
    m.launch(Launch::of(2));
    m.run();
    m
}

fn is_wide(ret: &&Ret) -> bool {
    ret.mem && ret.word as u8 >= 0xC0
}

/// What is wrong with a run of [`atomics`].
fn wrong(m: &Machine, mask: u32) -> Option<String> {
    let lead = mask.trailing_zeros();
    let per_lane = |result, kept| [0, 1, 2, 3].map(|lane| if mask >> lane & 1 == 1 { result } else { kept });
    let seen = [0x1000, 0x1100, 0x1200].map(|at| row(m, 2, at));
    let expected = [per_lane(110 + lead, 7), per_lane(20 + lead, 8), per_lane(30 + lead, 9)];
    if seen != expected {
        return Some(format!("registers {seen:?}, wanted {expected:?}"));
    }
    for lane in 0..4 {
        let words = [0x2000 + 4 * lane, 0x2100 + 8 * lane, 0x2104 + 8 * lane].map(|at| m.word(at));
        let expected = if lane == lead { [11 + 2 * lead, lead, lead + 1] } else { [10 + lane, 20 + lane, 30 + lane] };
        if words != expected {
            return Some(format!("memory of lane {lane}: {words:?}, wanted {expected:?}"));
        }
    }
    let rets: Vec<&Ret> = m.rets.iter().filter(is_wide).collect();
    if rets.len() != 2 || rets.iter().any(|r| r.mask != mask as u8 || r.wen) {
        return Some(format!("retirements {rets:x?}"));
    }
    for (ret, count) in rets.iter().zip([1, 2]) {
        let masks: Vec<u8> = m.mrets.iter().filter(|b| b.seq == ret.seq).map(|b| b.mask).collect();
        if masks != vec![mask as u8; count] {
            return Some(format!("beats with lanes {masks:x?}"));
        }
    }
    None
}

/// WW-23, WW-25, WW-36: once, for the lowest lane; the result to every active lane and no other;
/// the same events for both executions.
#[test]
fn results_go_to_the_active_lanes() {
    for (warp_wide, timing) in IN_UNIT.into_iter().flat_map(|w| [(w, QUICK), (w, ROUGH)]) {
        for mask in 1..16 {
            let m = atomics(&config(warp_wide), timing, mask);
            assert_eq!(wrong(&m, mask), None, "{warp_wide:?} {mask:04b}");
        }
    }
}

/// Of the unit's planted faults those of the representative are its own; the others are the
/// pipeline's.
#[test]
fn planted_faults_of_the_representative_are_caught() {
    for fault in [Fault::WideInactive, Fault::WideNotBroadcast] {
        let config = GpuConfig { fault: Some(fault), ..config(WarpWide::Representative) };
        assert!(wrong(&atomics(&config, QUICK, 0b0110), 0b0110).is_some(), "{fault:?}");
    }
}

/// Cycles of: the load's completion, the atomic's, the retirement of the instruction behind them
/// that needs neither.
fn order(warp_wide: WarpWide) -> (u64, u64, u64) {
    let program = "MOV r1, #0\nMOV r2, #5\nLD.32 r3, [r1+0x1000]\nWATOM32.ADD r4, [r1+0x1000], r2\nMOV r5, #6\nIADD r6, r3, r4\nEND";
    let mut m = Machine::new(&config(warp_wide), Timing { latency: 60, ..QUICK }, program);
    // A warp before them brings the program into the instruction cache.
    m.launch(Launch::of(2));
    m.run();
    m.launch(Launch::of(0));
    m.launch(Launch::of(1));
    m.run();
    let completion = |seq: u8| m.mrets.iter().find(|b| (b.warp, b.seq) == (0, seq)).expect("it completes").cycle;
    let (load, atomic) = (completion(2), completion(3));
    let atomic_issue = m.rets.iter().find(|r| (r.warp, r.pc) == (0, 3)).unwrap().cycle;
    assert!(m.rets.iter().any(|r| r.warp == 1 && (atomic_issue..atomic).contains(&r.cycle)), "another warp goes on");
    (load, atomic, m.rets.iter().find(|r| (r.warp, r.pc) == (0, 4)).unwrap().cycle)
}

/// WW-30: a masked warp issues nothing until the result of its atomic, and not that of an earlier
/// load, is written.
#[test]
fn a_representative_stops_its_warp() {
    let (load, atomic, behind) = order(WarpWide::Representative);
    assert!(load < atomic);
    assert!(behind > atomic, "retired in {behind}, result in {atomic}");
    // Result written in cycle t; the mask goes in t + 1 and the warp can be chosen in t + 2, which
    // is 8 cycles before its retirement.
    assert_eq!(behind - atomic, 10);
}

/// A load is still on its way when the warp has issued 255 instructions more and then a warp-wide
/// atomic, whose sequence number is that of the load: each result goes to its own register.
#[test]
fn a_result_is_not_known_by_a_number_that_repeats() {
    let program = format!(
        "{OUT}SHL r3, r2, #2\nLD.32 r4, [r3+0x2000]\nMOV r8, #84\nagain: IADD r5, r5, #1\nISUB r8, r8, #1\nBNZ r8, again\n\
         IADD r5, r5, #1\nMOV r7, #3\nWATOM32.ADD r6, [r9+0x2100], r7\nST.32 [r1+0x1000], r4\nST.32 [r1+0x1100], r6\nEND"
    );
    for warp_wide in IN_UNIT {
        let mut m = Machine::new(&config(warp_wide), QUICK, &program);
        m.constant(20, 0);
        for lane in 0..4 {
            m.set_word(0x2000 + 4 * lane, 50 + lane);
        }
        // The first warp brings the program into the instruction cache.
        for (warp, latency) in [(2, 3), (3, 2000)] {
            m.timing.latency = latency;
            m.launch(Launch::of(warp));
            m.run();
            let of = |op: u8| m.rets.iter().find(|r| r.warp == warp && r.mem && r.word as u8 == op).unwrap();
            assert_eq!(of(0x64).seq, of(0xC0).seq, "the numbers repeat");
            let slot = warp as u32;
            let results = [row(&m, slot, 0x1000), row(&m, slot, 0x1100)];
            assert_eq!(results, [[50, 51, 52, 53], [3 * (slot - 2); 4]], "{warp_wide:?} warp {warp}");
        }
    }
}

/// WW-31: nothing is masked, so an instruction that does not need the result goes on.
#[test]
fn a_collective_lets_its_warp_go_on() {
    let (load, atomic, behind) = order(WarpWide::Collective);
    assert!(behind < load && load < atomic, "{behind} {load} {atomic}");
}

/// Reductions, scans and ballot by lane and mask, each used by the next instruction.
#[test]
fn cross_lane_instructions_run_beside_the_lanes() {
    let program = format!(
        "{OUT}IMUL r3, r2, #10\nIADD r3, r3, #5\nMOV r4, #0\nMOV r5, #0\nMOV r6, #0\nBZ r9, join\n\
         WRED.ADD r4, r3\nIADD r4, r4, #1000\nWSCAN.ADD r5, r3\nISUB r8, r2, #1\nWBALLOT r6, r8\nWRED.UMAX r7, r5\nIADD r5, r5, r7\n\
         join: ST.32 [r1+0x1000], r4\nST.32 [r1+0x1100], r5\nST.32 [r1+0x1200], r6\nEND"
    );
    for mask in 1..16u32 {
        let mut m = Machine::new(&config(WarpWide::Collective), ROUGH, &program);
        m.constant(20, mask);
        for warp in 0..8 {
            m.launch(Launch::of(warp));
        }
        m.run();
        let active = |lane: &u32| mask >> lane & 1 == 1;
        let sum = |lanes: std::ops::Range<u32>| lanes.filter(active).map(|lane| 10 * lane + 5).sum::<u32>();
        let top = 31 - mask.leading_zeros();
        for warp in 0..8 {
            for lane in (0..4).filter(active) {
                let seen = [0x1000, 0x1100, 0x1200].map(|at| row(&m, warp, at)[lane as usize]);
                assert_eq!(seen, [1000 + sum(0..4), sum(0..lane) + sum(0..top), mask & !2], "{mask:04b} lane {lane}");
            }
            assert_eq!([0, 1, 2, 3].iter().filter(|l| active(l)).count(), mask.count_ones() as usize);
        }
    }
}

/// Built without them the opcodes are undefined; the cross-lane instructions are always there.
#[test]
fn switched_off_they_trap() {
    let mut m = Machine::new(&config(WarpWide::Off), QUICK, "WRED.ADD r1, r0\nWATOM32.ADD r1, [r0], r0\nEND");
    m.launch(Launch::of(0));
    m.run();
    assert_eq!(m.rets.iter().map(|r| (r.pc, r.trap)).collect::<Vec<_>>(), [(0, false), (1, true)]);
}

fn machine(warp_wide: WarpWide, cores: usize) -> GpuConfig {
    GpuConfig { cores, ..config(warp_wide) }
}

/// Each warp takes a number from a counter and stores it in all lanes.
fn numbers(config: &GpuConfig) -> Core {
    let program =
        "S2R r1, group_x\nSHL r1, r1, #4\nS2R r2, lane\nSHL r2, r2, #2\nIADD r1, r1, r2\nMOV r3, #1\nMOV r5, #0\n\
                   WATOM32.ADD r4, [r5+0x10000], r3\nST.32 [r1+0x11000], r4\nEND";
    let mut core = Core::new(config, MemoryTiming::rough(4));
    core.run(program, &Job::free([40, 1, 1], [4, 1, 1]), &[], 40_000);
    core
}

/// Each warp takes one number, and it costs one line read and one line write.
#[test]
fn each_warp_takes_one_number() {
    for (warp_wide, cores) in tier::first(2, IN_UNIT.into_iter().flat_map(|w| [(w, 1), (w, 2)])) {
        let core = numbers(&machine(warp_wide, cores));
        assert_eq!(core.memory.word(0x10000), 40);
        let numbers: BTreeSet<u32> = (0..40).map(|group| core.memory.word(0x11000 + 16 * group)).collect();
        assert_eq!(numbers, (0..40).collect(), "{warp_wide:?}");
        for group in 0..40 {
            let lanes = core.memory.line(0x11000 + 16 * group);
            assert_eq!(lanes, [lanes[0]; 4], "all lanes get the same");
        }
        let counter = core.memory.log.iter().filter(|t| t.addr == 0x10000);
        let writes: Vec<bool> = counter.map(|t| t.write).collect();
        assert_eq!(writes, [false, true].repeat(40), "{warp_wide:?}, {cores} cores");
    }
}

/// Performed for every lane the counter counts lanes.
#[test]
fn planted_fault_counts_lanes() {
    for warp_wide in tier::first(1, IN_UNIT) {
        let config = GpuConfig { fault: Some(Fault::WideTwice), ..machine(warp_wide, 1) };
        assert_ne!(numbers(&config).memory.word(0x10000), 40, "{warp_wide:?}");
    }
}

/// WW-22, WW-24: every warp spins for the lock, adds one to a word with a plain load and store, and
/// gives the lock back. No sum is lost.
#[test]
fn the_lock_excludes_warps() {
    let program = "MOV r1, #0\nMOV r2, #1\nMOV r3, #0\n\
                   spin: WATOM32.LOCK r4, [r1+0x10000], r2\nBZ r4, spin\n\
                   LD.32 r5, [r1+0x10100]\nIADD r5, r5, #1\nST.32 [r1+0x10100], r5\n\
                   WATOM32.LOCK r6, [r1+0x10000], r3\nWRED.ADD r7, r6\nST.32 [r1+0x10200], r7\nEND";
    for (warp_wide, cores) in tier::first(1, IN_UNIT.into_iter().flat_map(|w| [(w, 1), (w, 2)])) {
        let mut core = Core::new(&machine(warp_wide, cores), MemoryTiming::rough(9));
        core.run(program, &Job::free([24, 1, 1], [4, 1, 1]), &[], 200_000);
        assert_eq!(core.memory.word(0x10100), 24, "{warp_wide:?}, {cores} cores");
        assert_eq!(core.memory.word(0x10000), 0, "the lock is free");
        assert_eq!(core.memory.word(0x10200), 4, "the holder's release succeeds in all lanes");
    }
}
