//! Execution: divergence, barriers, partial warps, traps, launches, deadlock, and the grid runner.

use crate::common::{code, launch, machine, run, MEMORY};
use quadlock_golden::{Config, Fault, Golden, Grid, LaneState, Launch, LaunchError, Memory, RunError, StepError, Trap};
use quadlock_isa::{decode, Undefined, TABLE};

const OUT: u32 = 0x1000;

/// Lowest counter first: the lanes that are behind catch up, and all reconverge.
#[test]
fn lowest_counter_first() {
    let mut g = machine("S2R r1, lane\nBNZ r1, @4\nMOV r2, #1\nMOV r2, #2\nMOV r3, #3\nEND", vec![], None);
    g.launch(&launch(0, 0, 15)).unwrap();
    let trace: Vec<(u16, u8)> = (0..6).map(|_| g.step(0, 0).unwrap()).map(|e| (e.pc, e.mask)).collect();
    assert_eq!(trace, [(0, 15), (1, 15), (2, 1), (3, 1), (4, 15), (5, 15)]);
    assert!(g.warp(0, 0).is_ended());
}

#[test]
fn branches_per_lane() {
    let mut g = machine("BZ r1, @3\nBNZ r2, @2\nBRA @0\nEND", vec![], None);
    g.launch(&launch(0, 0, 0b0111)).unwrap();
    g.warp_mut(0, 0).set_reg(1, 1, 5);
    g.warp_mut(0, 0).set_reg(2, 1, 5);
    g.warp_mut(0, 0).set_reg(2, 2, 1);
    let e = g.step(0, 0).unwrap();
    assert_eq!((e.mask, e.next), (0b0111, [3, 1, 1, 0]));
    let e = g.step(0, 0).unwrap();
    assert_eq!((e.mask, &e.next[..3], e.dest), (0b0110, &[3, 2, 2][..], None));
    let e = g.step(0, 0).unwrap();
    assert_eq!((e.pc, &e.next[..3]), (2, &[3, 0, 0][..]));
}

/// A divergent loop: each lane counts to its own number.
#[test]
fn divergent_loop() {
    let text = "S2R r1, local_index\nloop: IADD r2, r2, #3\nISUB r1, r1, #1\nSSETGE r3, r1, #0\nBNZ r3, loop
        S2R r1, local_index\nSHL r1, r1, #2\nST.32 [r1+0x1000], r2\nEND";
    let g = run(text, 10);
    let out: Vec<u32> = (0..10).map(|i| g.memory().read32(OUT + 4 * i)).collect();
    assert_eq!(out, (0..10).map(|i| 3 * (i + 1)).collect::<Vec<_>>());
}

/// The last warp of a group is partial: lanes without an invocation never run.
#[test]
fn partial_warp() {
    let g = run("S2R r1, local_index\nS2R r2, coverage\nSHL r1, r1, #2\nST.32 [r1+0x1000], r2\nEND", 6);
    let out: Vec<u32> = (0..8).map(|i| g.memory().read32(OUT + 4 * i)).collect();
    assert_eq!(out, [15, 15, 15, 15, 3, 3, 0, 0]);
}

#[test]
fn special_registers() {
    let names = ["lane", "warp", "unit", "local_id", "group_x", "group_y", "group_z", "local_index", "coverage"];
    let text: String = names
        .iter()
        .chain(&["shared_base", "thread_slot", "sr11"])
        .enumerate()
        .map(|(i, n)| format!("S2R r{i}, {n}\n"))
        .collect();
    let mut g = machine(&format!("{text}END"), vec![], None);
    let start = Launch {
        group: [7, 8, 9],
        shared_base: 96,
        local_id: [1, 2, 3, 4],
        local_index: [11, 12, 13, 14],
        first_warp: 4,
        warps_in_group: 3,
        ..launch(1, 5, 0b0111)
    };
    g.launch(&start).unwrap();
    (0..12).for_each(|_| drop(g.step(1, 5).unwrap()));
    let lane2: Vec<u32> = (0..12).map(|r| g.warp(1, 5).reg(2, r)).collect();
    assert_eq!(lane2, [2, 5, 1, 3, 7, 8, 9, 13, 7, 96, (8 + 5) * 4 + 2, 0]);
}

fn group_launch(warp: usize, mask: u8) -> Launch {
    Launch { first_warp: 0, warps_in_group: 2, ..launch(0, warp, mask) }
}

/// A barrier holds until the group's last running lane has come, over warps, and also while a warp
/// of the group is still to be launched.
#[test]
fn barrier_across_warps() {
    let mut g = machine("BAR\nMOV r1, #1\nEND", vec![], None);
    g.launch(&group_launch(0, 15)).unwrap();
    g.step(0, 0).unwrap();
    assert_eq!(g.warp(0, 0).lane_state(0), LaneState::Blocked);
    assert!(matches!(g.step(0, 0), Err(StepError::NotRunning { .. })));
    g.launch(&group_launch(1, 3)).unwrap();
    assert!(g.step(0, 0).is_err());
    g.step(0, 1).unwrap();
    assert_eq!(g.warp(0, 0).lane_state(3), LaneState::Running);
    assert_eq!(g.warp(0, 1).lane_state(3), LaneState::Ended);
    assert_eq!(g.step(0, 0).unwrap().pc, 1);
}

/// Lanes that end count as gone: the barrier opens for the rest.
#[test]
fn barrier_opens_when_the_others_end() {
    let mut g = machine("S2R r1, warp\nBNZ r1, @4\nBAR\nMOV r2, #5\nEND", vec![], None);
    g.launch(&group_launch(0, 15)).unwrap();
    g.launch(&group_launch(1, 15)).unwrap();
    (0..3).for_each(|_| drop(g.step(0, 0).unwrap()));
    (0..3).for_each(|_| drop(g.step(0, 1).unwrap()));
    assert!(g.warp(0, 1).is_ended());
    assert_eq!(g.step(0, 0).unwrap().pc, 3);
}

/// Lanes of one warp blocked at different barriers open together.
#[test]
fn divergent_barriers() {
    let g = run("S2R r1, lane\nBNZ r1, @4\nBAR\nBRA @5\nBAR\nMOV r2, #9\nEND", 4);
    assert_eq!((0..4).map(|l| g.warp(0, 0).reg(l, 2)).collect::<Vec<_>>(), [9; 4]);
}

#[test]
fn barrier_planted_bug() {
    let mut g = machine("BAR\nEND", vec![], Some(Fault::BarrierEarly));
    g.launch(&group_launch(0, 15)).unwrap();
    g.launch(&group_launch(1, 15)).unwrap();
    g.step(0, 0).unwrap();
    assert!(g.step(0, 0).is_ok());
}

/// Every undefined opcode number, mode and reserved bit traps: the active lanes end, the others go
/// on.
#[test]
fn undefined_encodings_trap() {
    let mut words: Vec<u64> = (0..256).filter(|c| TABLE.iter().all(|r| u64::from(r.code) != *c)).collect();
    words.extend(TABLE.iter().flat_map(|r| [1u64, 2, 3, 4, 8].map(|top| u64::from(r.code) | top << 28)));
    words.retain(|&w| decode(w).is_err());
    assert!(words.len() > 500);
    for word in words {
        let mut program = code("S2R r1, lane\nBNZ r1, @3");
        program.extend([word, code("END")[0]]);
        let mut g = Golden::new(Config::default(), program, vec![], Memory::new(MEMORY));
        g.launch(&launch(0, 0, 15)).unwrap();
        (0..2).for_each(|_| drop(g.step(0, 0).unwrap()));
        let e = g.step(0, 0).unwrap();
        assert!(matches!(e.trap, Some(Trap::Undefined(_))), "{word:#x}");
        assert_eq!((e.mask, e.dest, e.next[0], e.word), (1, None, 3, word));
        assert_eq!(g.warp(0, 0).lane_state(0), LaneState::Ended);
        assert_eq!(g.step(0, 0).unwrap().mask, 0b1110);
        assert_eq!(g.traps().1, 1);
    }
}

/// Semaphore instructions show operand B; a release is not issued before the warp's stores are
/// performed (SE-33).
#[test]
fn message_instructions() {
    let mut g = machine("S2R r1, lane\nST.32 [r1+4096], r1\nACS r1\nASR #7\nWTS\nRLS r1\nEND", vec![], None);
    g.launch(&launch(0, 0, 15)).unwrap();
    g.step(0, 0).unwrap();
    let store = g.issue(0, 0).unwrap().order;
    let acquire = g.issue(0, 0).unwrap();
    assert_eq!((acquire.dest, acquire.deferred, acquire.next), (None, false, [3; 4]));
    assert_eq!(acquire.values.map(|v| v[0]), [0, 1, 2, 3]);
    g.acknowledge(0).unwrap();
    assert_eq!(g.issue(0, 0).unwrap().values.map(|v| v[0]), [7; 4]);
    g.acknowledge(0).unwrap();
    g.issue(0, 0).unwrap();
    assert!(matches!(g.issue(0, 0), Err(StepError::NotDrained { pc: 5, count: 1, .. })));
    g.complete(0, 0, store).unwrap();
    assert_eq!(g.issue(0, 0).unwrap().values[3][0], 3);
}

#[test]
fn counter_outside_the_program_traps() {
    let mut g = machine("BRA @7\nEND", vec![], None);
    let stats = g.run_grid(&Grid::linear(4), 100).unwrap();
    assert_eq!((stats.traps, stats.warp_instructions), (1, 2));
    assert_eq!(g.traps().0[0].trap, Trap::OutsideProgram(7));
    let mut g = machine(".word 0x0F", vec![], None);
    assert_eq!(g.run_grid(&Grid::linear(4), 100).unwrap().traps, 1);
    assert!(matches!(g.traps().0[0].trap, Trap::Undefined(Undefined::Opcode(0x0F))));
}

#[test]
fn launches_into_occupied_or_missing_slots_are_errors() {
    let mut g = machine("END", vec![], None);
    assert!(matches!(g.launch(&launch(2, 0, 1)), Err(LaunchError::NoSuchSlot { .. })));
    assert!(matches!(g.launch(&launch(0, 0, 0)), Err(LaunchError::NoLanes { .. })));
    assert!(matches!(g.launch(&group_launch(2, 1)), Err(LaunchError::OutsideGroup { .. })));
    g.launch(&launch(0, 0, 1)).unwrap();
    assert!(matches!(g.launch(&launch(0, 0, 1)), Err(LaunchError::Occupied { .. })));
    g.step(0, 0).unwrap();
    g.launch(&launch(0, 0, 1)).unwrap();
    assert!(matches!(g.step(0, 9), Err(StepError::NoSuchSlot { .. })));
}

/// `seq` counts the slot's instructions over launches and never restarts.
#[test]
fn sequence_numbers() {
    let mut g = machine("MOV r1, #1\nEND", vec![], None);
    for i in 0..200u32 {
        g.launch(&launch(0, 0, 1)).unwrap();
        assert_eq!(g.step(0, 0).unwrap().seq, (2 * i) as u8);
        assert_eq!(g.step(0, 0).unwrap().seq, (2 * i + 1) as u8);
    }
}

/// WW-11: a spin lock taken per lane never gets out, because the spinning lanes are at the lowest
/// counter. The model says so instead of running for ever.
#[test]
fn spin_lock_per_lane_is_reported_as_deadlock() {
    let text = "MOV r1, #0x1000\nMOV r2, #1\nMOV r3, #0
        spin: ATOM32.CAS r4, [r1], r2, r3
        BNZ r4, spin
        IADD r5, r5, #1
        ATOM32.XCHG r6, [r1], r3
        END";
    let mut g = machine(text, vec![], None);
    let error = g.run_grid(&Grid::linear(4), 10_000_000).unwrap_err();
    let RunError::Deadlock { report, stats } = &error else { panic!("{error}") };
    assert!(report.contains("lane 0 running at 5, lane 1 running at"), "{report}");
    assert!(stats.warp_instructions < 100_000, "found long before the limit");
}

/// A lane at a barrier is told with the barrier's place, not with that of what comes behind it.
#[test]
fn a_lane_that_waits_at_a_barrier_is_reported_there() {
    let text = "S2R r1, local_index\nBNZ r1, @4\nBAR\nEND\nspin: BRA spin";
    let grid = Grid { group_size: [8, 1, 1], pinned: true, ..Grid::linear(2) };
    let error = machine(text, vec![], None).run_grid(&grid, 10_000).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("unit 0 warp 0: lane 0 at the barrier at 2, lane 1 running at 4"), "{text}");
    assert!(!text.contains("before"), "{text}");
}

/// A loop that makes progress in memory is not a deadlock; the limit ends it.
#[test]
fn endless_progress_meets_the_limit() {
    let mut g = machine("MOV r1, #0x1000\nMOV r2, #1\nloop: ATOM32.ADD r3, [r1], r2\nBRA loop", vec![], None);
    let error = g.run_grid(&Grid::linear(1), 50_000).unwrap_err();
    assert!(matches!(error, RunError::Limit { limit: 50_000, .. }), "{error}");
}

#[test]
fn a_grid_that_does_not_fit_is_refused() {
    let mut g = machine("END", vec![], None);
    let grid = Grid { pinned: true, ..Grid::linear(64) };
    assert!(matches!(g.run_grid(&grid, 100), Err(RunError::Refused(_))));
}

/// Pinned groups: a reduction through shared storage, more groups than slots, partial last warp.
/// The turn length does not matter.
#[test]
fn pinned_groups_share_storage() {
    let text = "S2R r0, shared_base\nS2R r1, local_index\nS2R r9, group_x\nSHL r2, r1, #2\nIADD r2, r2, r0
        IMAD r3, r9, #100, r1\nSTS.32 [r2], r3\nBAR
        BNZ r1, end
        MOV r4, #10\nMOV r5, #0
        loop: LDS.32 r6, [r0]\nIADD r5, r5, r6\nIADD r0, r0, #4\nISUB r4, r4, #1\nBNZ r4, loop
        SHL r7, r9, #2\nST.32 [r7+0x1000], r5
        end: END";
    for quantum in [1, 3, 64] {
        let mut g = machine(text, vec![], None);
        g.set_quantum(quantum);
        let grid = Grid { groups: [9, 1, 1], group_size: [5, 2, 1], pinned: true, group_slots: 0, shared_bytes: 40 };
        let stats = g.run_grid(&grid, 100_000).unwrap();
        assert_eq!(stats.warps, 27);
        for group in 0..9 {
            assert_eq!(g.memory().read32(OUT + 4 * group), 1000 * group + 45);
        }
    }
}

/// The fast runner and single steps do the same.
#[test]
fn fast_runner_equals_steps() {
    let text = "S2R r1, local_index\nSHL r2, r1, #2\nloop: IMAD r3, r3, #5, r1\nATOM32.XOR r4, [r2+0x1000], r3
        IADD r5, r5, r4\nISUB r1, r1, #1\nSSETGT r6, r1, #0\nBNZ r6, loop\nST.32 [r2+0x2000], r5\nEND";
    let fast = run(text, 8);
    let mut slow = machine(text, vec![], None);
    for warp in 0..2 {
        let ids = Grid::linear(8).launch_ids(0, warp);
        slow.launch(&Launch::new(&Grid::linear(8), &ids, warp as usize, 0, warp, 0)).unwrap();
        while slow.warp(warp as usize, 0).is_running() {
            slow.step(warp as usize, 0).unwrap();
        }
    }
    assert_eq!(fast.memory().bytes(), slow.memory().bytes());
}
