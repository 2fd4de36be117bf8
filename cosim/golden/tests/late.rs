//! Lanes that come late to a warp-wide atomic (WW-27): programs of one warp with values written
//! down by hand, instruction by instruction and as a whole run, which take two ways through the
//! model.

use crate::common::{code, launch, MEMORY};
use quadlock_golden::{Config, Golden, Grid, Memory, StepError};

/// The counter, in global memory.
const COUNTER: u32 = 0x1100;

fn machine(text: &str, late_stored: bool) -> Golden {
    let setup = format!("S2R r1, lane\nMOV r2, #{COUNTER}\nMOV r3, #5\nMOV r4, #0\nMOV r5, #0\n");
    let store = "\nSHL r1, r1, #3\nST.64 [r1+0x1200], r8\nEND";
    let config = Config { late_stored, ..Config::default() };
    Golden::new(config, code(&format!("{setup}MOV r8, #0\nMOV r9, #0\n{text}{store}")), vec![], Memory::new(MEMORY))
}

/// Results r8 of the lanes, counter, and late arrivals: as a run, and step by step.
fn results(text: &str, late_stored: bool) -> ([u32; 4], u32, u64) {
    let read = |g: &Golden| {
        let word = |at| g.memory().read32(at);
        ([0, 8, 16, 24].map(|at| word(0x1200 + at)), word(COUNTER))
    };
    let mut whole = machine(text, late_stored);
    let late = whole.run_grid(&Grid::linear(4), 1_000).unwrap_or_else(|e| panic!("{text}: {e}")).late_arrivals;
    let mut steps = machine(text, late_stored);
    steps.launch(&launch(0, 0, 15)).unwrap();
    let mut stored = 0;
    while steps.warp(0, 0).is_running() {
        let effect = steps.step(0, 0).unwrap();
        stored += u64::from(effect.stored);
        if effect.stored {
            let mem = effect.mem.unwrap();
            assert_eq!((mem.performers, mem.lines, mem.writes.len(), mem.performed), (0, 0, 0, false));
        }
    }
    assert_eq!((read(&whole), late), (read(&steps), stored), "{text}");
    (read(&whole).0, read(&whole).1, late)
}

/// The lanes of `far` jump past the atomic and come back to it.
fn shape(branch: &str, inside: &str, far: &str) -> String {
    format!("{branch}, far\nplace: WATOM32.ADD r8, [r2], r3\n{inside}\nBRA end\nfar: {far}\nBRA place\nend:")
}

#[test]
fn ww_27_late_lanes_get_the_kept_result() {
    let late = shape("BNZ r1", "", "MOV r6, #1");
    assert_eq!(results(&late, true), ([0; 4], 5, 1));
    assert_eq!(results(&late, false), ([0, 5, 5, 5], 10, 0));
    let groups = shape("BNZ r1", "", "AND r7, r1, #1\nBNZ r7, odd\nBRA place\nodd: MOV r6, #1");
    assert_eq!(results(&groups, true), ([0; 4], 5, 2));
    assert_eq!(results(&groups, false), ([0, 10, 5, 10], 15, 0));
    // The operands of those that come late are not looked at.
    assert_eq!(results(&shape("BNZ r1", "", "MOV r3, #9\nMOV r2, #0x1180"), true), ([0; 4], 5, 1));
    // They may turn a loop before.
    let turns = shape("BNZ r1", "", "again: IADD r4, r4, #1\nUSETLT r6, r4, #3\nBNZ r6, again");
    assert_eq!(results(&turns, true), ([0; 4], 5, 1));
}

#[test]
fn ww_27_both_widths_the_lock_and_shared_storage() {
    let wide = "WATOM64.ADD r8, [r2], r4\nBNZ r1, far\nplace: WATOM64.SUB r8, [r2], r4\nBRA end\nfar: BRA place\nend: MOV r8, r9";
    let wide = format!("MOV r4, #0\nMOV r5, #7\n{wide}");
    assert_eq!(results(&wide, true), ([7; 4], 0, 1), "the high word of what the execution found");
    let lock = "BNZ r1, far\nplace: WATOM32.LOCK r8, [r2], r3\nBRA end\nfar: BRA place\nend:";
    assert_eq!(results(lock, true), ([1; 4], 1, 1));
    assert_eq!(results(lock, false), ([1, 0, 0, 0], 1, 0));
    let shared = shape("BNZ r1", "", "MOV r6, #1").replace("WATOM32.ADD r8, [r2]", "WATOMS32.ADD r8, [r4]");
    assert_eq!(results(&shared, true), ([0; 4], 0, 1));
    assert_eq!(results(&shared, false), ([0, 5, 5, 5], 0, 0));
}

#[test]
fn ww_27_what_ends_an_encounter() {
    // Turns: the others get the last result, then they are late no more.
    let turns = "IADD r4, r4, #1\nUSETLT r6, r4, #2\nBNZ r6, place";
    assert_eq!(results(&shape("BNZ r1", turns, ""), true), ([5, 10, 10, 10], 15, 1));
    // A turn without the operation.
    let skipping = "BNZ r1, far\nturn: BNZ r4, skip\nplace: WATOM32.ADD r8, [r2], r3\nskip: IADD r4, r4, #1\n\
        USETLT r6, r4, #2\nBNZ r6, turn\nBRA end\nfar: BRA place\nend:";
    assert_eq!(results(skipping, true), ([0, 5, 5, 5], 10, 0));
    // Another operation of the warp.
    let other = shape("BNZ r1", "WATOM32.ADD r9, [r2], r3", "");
    assert_eq!(results(&other, true), results(&other, false));
    // Lanes 1 to 3 meet lane 0 and come back.
    let met = "BNZ r1, met\nplace: WATOM32.ADD r8, [r2], r3\nmet: IADD r4, r4, #1\nUSETLT r6, r4, #2\nIMUL r6, r6, r1\nBNZ r6, place";
    assert_eq!(results(met, true), ([0, 5, 5, 5], 10, 0));
    // A barrier.
    let barrier = shape("BNZ r1", "BAR", "");
    assert_eq!(results(&barrier, true), ([0, 5, 5, 5], 10, 0));
    // The end of those that took part ends nothing; nor does their trap.
    for end in ["END", ".word 0x0000000000000008"] {
        let ended = shape("BNZ r1", &format!("BNZ r1, on\n{end}\non:"), "");
        let (seen, counter, late) = results(&ended, true);
        assert_eq!((seen[1..].to_vec(), counter, late), (vec![0; 3], 5, 1), "{end}");
    }
}

/// A slot keeps nothing from one launch to the next.
#[test]
fn ww_27_a_launch_begins_without_an_encounter() {
    let text = "S2R r1, lane\nWATOM32.ADD r8, [r2], r3\nEND";
    let config = Config { late_stored: true, ..Config::default() };
    let mut g = Golden::new(config, code(text), vec![], Memory::new(MEMORY));
    let again = |g: &mut Golden, mask| {
        g.launch(&launch(0, 0, mask)).unwrap();
        (0..4).for_each(|lane| g.warp_mut(0, 0).set_reg(lane, 2, COUNTER));
        (0..3).any(|_| g.step(0, 0).unwrap().stored)
    };
    assert_eq!((again(&mut g, 0b0001), again(&mut g, 0b1110)), (false, false));
}

/// What a machine must not do: take a result that is still on its way.
#[test]
fn ww_27_a_late_arrival_waits_for_the_execution() {
    let mut g = machine(&shape("BNZ r1", "", ""), true);
    g.launch(&launch(0, 0, 15)).unwrap();
    let mut execution = None;
    let early = loop {
        match g.issue(0, 0) {
            Ok(effect) if effect.deferred => execution = Some(effect.order),
            Ok(_) => {}
            Err(e) => break e,
        }
    };
    assert!(matches!(early, StepError::NotKept { unit: 0, warp: 0, pc: 8 }), "{early:?}");
    g.complete(0, 0, execution.unwrap()).unwrap();
    assert!(g.issue(0, 0).unwrap().stored);
}
