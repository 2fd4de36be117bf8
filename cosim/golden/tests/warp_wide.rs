//! Operations executed once for a warp (WW-20 to WW-25) against values written down by hand, and
//! the spin lock that deadlocks per lane (WW-11) and completes warp-wide (WW-24).

use crate::common::{code, launch, Bench, MEMORY};
use quadlock_golden::{Config, Golden, Grid, Memory, RunError, StepError, Trap};

const X: u32 = 0xDEAD_BEEF;
const M1: u32 = u32::MAX;

/// Result registers of a cross-lane instruction under a mask; inactive lanes keep [`X`].
fn across(instruction: &str, mask: u8, a: [u32; 4]) -> [u32; 4] {
    let mut bench = Bench::new(instruction);
    bench.effect(mask, a, [0; 4], [0; 4]);
    std::array::from_fn(|lane| bench.golden.warp(0, 0).reg(lane, 0))
}

#[test]
fn ww_21_reductions_take_the_active_lanes_only() {
    let a = [5, 0xFFFF_FFFE, 12, 0x8000_0000];
    // (instruction, of all lanes, of lanes 0 and 2, of lane 3)
    let table: [(&str, u32, u32, u32); 8] = [
        ("ADD", 0x8000_000F, 17, 0x8000_0000),
        ("AND", 0, 4, 0x8000_0000),
        ("OR", M1, 13, 0x8000_0000),
        ("XOR", 0x7FFF_FFF7, 9, 0x8000_0000),
        ("SMIN", 0x8000_0000, 5, 0x8000_0000),
        ("SMAX", 12, 12, 0x8000_0000),
        ("UMIN", 5, 5, 0x8000_0000),
        ("UMAX", 0xFFFF_FFFE, 12, 0x8000_0000),
    ];
    for (name, all, even, last) in table {
        let text = format!("WRED.{name} r0, r1");
        assert_eq!(across(&text, 15, a), [all; 4], "{name}");
        assert_eq!(across(&text, 0b0101, a), [even, X, even, X], "{name}");
        assert_eq!(across(&text, 0b1000, a), [X, X, X, last], "{name}");
    }
}

#[test]
fn ww_21_scans_are_exclusive_and_pass_over_inactive_lanes() {
    let a = [5, 0xFFFF_FFFE, 12, 0x8000_0000];
    let table: [(&str, [u32; 4], [u32; 2]); 8] = [
        ("ADD", [0, 5, 3, 15], [0, 5]),
        ("AND", [M1, 5, 4, 4], [M1, 5]),
        ("OR", [0, 5, M1, M1], [0, 5]),
        ("XOR", [0, 5, 0xFFFF_FFFB, 0xFFFF_FFF7], [0, 5]),
        ("SMIN", [0x7FFF_FFFF, 5, 0xFFFF_FFFE, 0xFFFF_FFFE], [0x7FFF_FFFF, 5]),
        ("SMAX", [0x8000_0000, 5, 5, 12], [0x8000_0000, 5]),
        ("UMIN", [M1, 5, 5, 5], [M1, 5]),
        ("UMAX", [0, 5, 0xFFFF_FFFE, 0xFFFF_FFFE], [0, 5]),
    ];
    for (name, all, [first, second]) in table {
        let text = format!("WSCAN.{name} r0, r1");
        assert_eq!(across(&text, 15, a), all, "{name}");
        assert_eq!(across(&text, 0b1001, a), [first, X, X, second], "{name}");
        assert_eq!(across(&text, 0b0100, a), [X, X, first, X], "{name}");
    }
}

#[test]
fn ww_21_ballot_names_the_active_lanes_that_are_not_zero() {
    assert_eq!(across("WBALLOT r0, r1", 15, [0, 1, 0, 0x8000_0000]), [0b1010; 4]);
    assert_eq!(across("WBALLOT r0, r1", 0b0111, [1, 0, 9, 1]), [0b0101, 0b0101, 0b0101, X]);
    assert_eq!(across("WBALLOT r0, r1", 0b1000, [1, 1, 1, 0]), [X, X, X, 0]);
}

/// WW-26: the same form on shared storage: the same result for the same lanes, the same word left,
/// once.
fn ww26_the_same_in_shared_storage(
    name: &str,
    mask: u8,
    memory: u64,
    operand: [u64; 4],
    expected: [u64; 4],
) -> ([u64; 4], u64) {
    let name = name.replace("WATOM", "WATOMS");
    let compare = if name.contains("CAS") { ", r6" } else { "" };
    let text = format!("{name} r8, [r1+8], r4{compare}\nEND");
    let mut g = Golden::new(Config::default(), code(&text), vec![], Memory::new(MEMORY));
    g.launch(&launch(0, 0, mask)).unwrap();
    for lane in 0..4 {
        let at = 0x100 + 0x40 * lane as u32;
        g.shared_mut(0).write32(at + 8, memory as u32);
        g.shared_mut(0).write32(at + 12, (memory >> 32) as u32);
        let (o, e) = (operand[lane], expected[lane]);
        let registers = [(1, at), (4, o as u32), (5, (o >> 32) as u32), (6, e as u32), (7, (e >> 32) as u32)];
        for (register, value) in registers.into_iter().chain([(8, X), (9, X)]) {
            g.warp_mut(0, 0).set_reg(lane, register, value);
        }
    }
    let mem = g.step(0, 0).unwrap().mem.unwrap();
    assert_eq!((mem.shared, mem.performers, mem.lines), (true, 1 << mask.trailing_zeros(), 1));
    let result = std::array::from_fn(|l| u64::from(g.warp(0, 0).reg(l, 8)) | u64::from(g.warp(0, 0).reg(l, 9)) << 32);
    let word = |at: u32| u64::from(g.shared(0).read32(at));
    let others = (0..4).filter(|&l| l != mask.trailing_zeros());
    others.for_each(|lane| assert_eq!(word(0x108 + 0x40 * lane), memory & 0xFFFF_FFFF, "{name}: another lane's word"));
    let leader = 0x108 + 0x40 * mask.trailing_zeros();
    (result, word(leader) | word(leader + 4) << 32)
}

/// A warp with one warp-wide atomic: registers r1 address, r4/r5 operand, r6/r7 expected, result
/// r8/r9.
fn atomic(name: &str, mask: u8, memory: u64, operand: [u64; 4], expected: [u64; 4]) -> (Golden, [u64; 4], u64) {
    let compare = if name.contains("CAS") { ", r6" } else { "" };
    let mut g = Golden::new(
        Config::default(),
        code(&format!("{name} r8, [r1+8], r4{compare}\nEND")),
        vec![],
        Memory::new(MEMORY),
    );
    for lane in 0..4u32 {
        let at = 0x1100 + 0x40 * lane;
        g.memory_mut().write32(at + 8, memory as u32);
        g.memory_mut().write32(at + 12, (memory >> 32) as u32);
    }
    g.launch(&launch(0, 0, mask)).unwrap();
    for lane in 0..4 {
        let (o, e) = (operand[lane], expected[lane]);
        let registers = [(1, 0x1100 + 0x40 * lane as u32), (4, o as u32), (5, (o >> 32) as u32), (6, e as u32)];
        for (register, value) in registers.into_iter().chain([(7, (e >> 32) as u32), (8, X), (9, X)]) {
            g.warp_mut(0, 0).set_reg(lane, register, value);
        }
    }
    let effect = g.step(0, 0).unwrap();
    let mem = effect.mem.unwrap();
    assert_eq!((mem.performers, mem.lines), (1 << mask.trailing_zeros(), 1));
    let bytes = if name.contains("64") { 8 } else { 4 };
    assert_eq!(mem.writes.len(), bytes, "one write of one operand");
    let result = std::array::from_fn(|l| {
        let word = |r| u64::from(g.warp(0, 0).reg(l, r));
        word(8) | word(9) << 32
    });
    let leader = 0x1108 + 0x40 * mask.trailing_zeros();
    let left = u64::from(g.memory().read32(leader)) | u64::from(g.memory().read32(leader + 4)) << 32;
    for lane in (0..4).filter(|&l| l != mask.trailing_zeros()) {
        assert_eq!(g.memory().read32(0x1108 + 0x40 * lane), memory as u32, "{name}: another lane's word");
    }
    assert_eq!(ww26_the_same_in_shared_storage(name, mask, memory, operand, expected), (result, left), "{name}");
    (g, result, left)
}

#[test]
fn ww_23_the_32_bit_forms_execute_once_and_give_the_old_value_to_the_active_lanes() {
    const OLD: u64 = 0xFFFF_FFF0;
    let operand = [3, 0x10, 0x8000_0001, 0x1234];
    // (name, what the lowest lane's operand leaves: lane 0's, lane 1's, lane 2's)
    let table: [(&str, [u64; 3]); 9] = [
        ("ADD", [0xFFFF_FFF3, 0, 0x7FFF_FFF1]),
        ("SUB", [0xFFFF_FFED, 0xFFFF_FFE0, 0x7FFF_FFEF]),
        ("AND", [0, 0x10, 0x8000_0000]),
        ("OR", [0xFFFF_FFF3, 0xFFFF_FFF0, 0xFFFF_FFF1]),
        ("XOR", [0xFFFF_FFF3, 0xFFFF_FFE0, 0x7FFF_FFF1]),
        ("SMIN", [OLD, OLD, 0x8000_0001]),
        ("SMAX", [3, 0x10, OLD]),
        ("UMIN", [3, 0x10, 0x8000_0001]),
        ("XCHG", [3, 0x10, 0x8000_0001]),
    ];
    let keep = u64::from(X) << 32;
    for (name, new) in table {
        for (leader, mask) in [(0usize, 15u8), (1, 0b1010), (2, 0b0100)] {
            let (_, result, left) = atomic(&format!("WATOM32.{name}"), mask, OLD, operand, [0; 4]);
            assert_eq!(left, new[leader], "{name} {mask:04b}");
            for (lane, value) in result.iter().enumerate() {
                let active = mask >> lane & 1 == 1;
                let expected = if active { keep | OLD } else { keep | u64::from(X) };
                assert_eq!(*value, expected, "{name} {mask:04b} lane {lane}: WW-25");
            }
        }
    }
    let (_, result, left) = atomic("WATOM32.UMAX", 15, 7, [9, 100, 0, 0], [0; 4]);
    assert_eq!((result, left), ([keep | 7; 4], 9), "not the largest of the lanes: the lowest lane's");
}

#[test]
fn ww_21_compare_and_exchange_uses_the_lowest_lane() {
    let keep = u64::from(X) << 32;
    let (_, result, left) = atomic("WATOM32.CAS", 0b1110, 40, [1, 2, 3, 4], [40, 41, 40, 40]);
    assert_eq!((result[1..].to_vec(), left), (vec![keep | 40; 3], 40), "lane 1 expects 41");
    let (_, _, left) = atomic("WATOM32.CAS", 0b1110, 40, [1, 2, 3, 4], [41, 40, 41, 41]);
    assert_eq!(left, 2);
    let wide = 0x1_0000_0028;
    let (_, result, left) = atomic("WATOM64.CAS", 0b1100, wide, [0, 0, 0xA_0000_000B, 1], [0, 0, wide, 1]);
    assert_eq!((result[2], result[3], left), (wide, wide, 0xA_0000_000B));
    let (_, _, left) = atomic("WATOM64.CAS", 0b1100, wide, [0, 0, 5, 1], [0, 0, 0x28, wide]);
    assert_eq!(left, wide, "the upper word counts");
}

#[test]
fn ww_21_the_64_bit_forms() {
    const OLD: u64 = 0xFFFF_FFFF_8000_0000;
    let operand = [0x1_8000_0001, 1, 1, 1];
    let table: [(&str, u64); 10] = [
        ("ADD", 0x1_0000_0001),
        ("SUB", 0xFFFF_FFFD_FFFF_FFFF),
        ("AND", 0x1_8000_0000),
        ("OR", 0xFFFF_FFFF_8000_0001),
        ("XOR", 0xFFFF_FFFE_0000_0001),
        ("SMIN", OLD),
        ("SMAX", 0x1_8000_0001),
        ("UMIN", 0x1_8000_0001),
        ("UMAX", OLD),
        ("XCHG", 0x1_8000_0001),
    ];
    for (name, new) in table {
        let (_, result, left) = atomic(&format!("WATOM64.{name}"), 0b0111, OLD, operand, [0; 4]);
        let inactive = u64::from(X) << 32 | u64::from(X);
        assert_eq!((result, left), ([OLD, OLD, OLD, inactive], new), "{name}");
    }
}

#[test]
fn ww_22_the_lock_is_taken_where_it_is_0_and_given_back_where_it_is_1() {
    let keep = u64::from(X) << 32;
    // (word, operand of the lowest lane, result, word afterwards); only bit 0 of the operand
    // counts.
    for (word, operand, result, left) in
        [(0, 1, 1, 1), (1, 1, 0, 1), (1, 0, 1, 0), (0, 0, 0, 0), (2, 1, 0, 2), (0, 0xF1, 1, 1), (1, 0x10, 1, 0)]
    {
        let (_, got, after) = atomic("WATOM32.LOCK", 0b0110, word, [1 - operand % 2, operand, 0, 0], [0; 4]);
        assert_eq!((got[1], got[2], after), (keep | result, keep | result, left), "{word} {operand}");
        assert_eq!((got[0], got[3]), (keep | u64::from(X), keep | u64::from(X)));
    }
}

/// Diverged lanes take part in none of it; each encounter is one execution.
#[test]
fn ww_25_lanes_that_diverged_execute_their_own() {
    let text = "
        S2R r1, lane
        MOV r2, #0x1200
        MOV r3, #1
        MOV r5, #99
        BZ r1, alone
        WATOM32.ADD r5, [r2], r3
        BRA join
    alone:
        MOV r4, #2
    join:
        SHL r6, r1, #2
        ST.32 [r6+0x1300], r5
        WATOM32.ADD r7, [r2], r3
        ST.32 [r6+0x1310], r7
        END";
    let g = crate::common::run(text, 4);
    let row = |at: u32| -> Vec<u32> { (0..4).map(|l| g.memory().read32(at + 4 * l)).collect() };
    assert_eq!(g.memory().read32(0x1200), 2, "once for three lanes, once for all four");
    assert_eq!((row(0x1300), row(0x1310)), (vec![99, 0, 0, 0], vec![1; 4]));
}

#[test]
fn transactions_are_one_read_and_one_write() {
    let mut g = Golden::new(Config::default(), code("WATOM32.ADD r8, [r1], r4\nEND"), vec![], Memory::new(MEMORY));
    g.launch(&launch(0, 0, 0b1100)).unwrap();
    for lane in 0..4 {
        g.warp_mut(0, 0).set_reg(lane, 1, 0x1000 + 0x100 * lane as u32);
        g.warp_mut(0, 0).set_reg(lane, 4, 5);
    }
    let order = g.issue(0, 0).unwrap().order;
    assert!(g.clone().perform(0, 0, order, 0x1300, false).is_err(), "the highest lane's line");
    g.perform(0, 0, order, 0x1200, false).unwrap();
    assert!(matches!(g.complete(0, 0, order), Err(StepError::NotPerformed { .. })));
    g.perform(0, 0, order, 0x1200, true).unwrap();
    assert!(!g.is_unperformed(0, 0, order));
    assert!(g.perform(0, 0, order, 0x1300, false).is_err(), "once");
    let effect = g.complete(0, 0, order).unwrap();
    assert_eq!((effect.mask, effect.values[2][0], effect.values[3][0]), (12, 0, 0));
    assert_eq!((g.memory().read32(0x1200), g.memory().read32(0x1300)), (5, 0));
}

#[test]
fn a_machine_without_warp_wide_atomics_traps() {
    let config = Config { warp_wide: false, ..Config::default() };
    for name in ["WATOM32.ADD r0, [r1], r2", "WATOM32.LOCK r0, [r1], r2", "WATOM64.CAS r0, [r2], r4, r6"] {
        let mut g = Golden::new(config.clone(), code(&format!("{name}\nEND")), vec![], Memory::new(MEMORY));
        g.launch(&launch(0, 0, 15)).unwrap();
        let effect = g.step(0, 0).unwrap();
        assert!(matches!(effect.trap, Some(Trap::NotBuilt(_))), "{name}");
        assert_eq!((effect.dest, effect.mem), (None, None));
        assert!(g.warp(0, 0).is_ended());
    }
    let mut g = Golden::new(config, code("WRED.ADD r0, r1\nWSCAN.UMAX r0, r1\nEND"), vec![], Memory::new(MEMORY));
    assert_eq!(g.run_grid(&Grid::linear(4), 100).unwrap().traps, 0, "reductions are always there");
}

/// `while (!try_lock()); counter += 1; unlock();` with a lock per lane: the loop stands before the
/// work.
const PER_LANE: &str = "
        MOV r2, #0x1200
        MOV r3, #1
        MOV r4, #0
    again:
        ATOM32.CAS r5, [r2], r3, r4
        BNZ r5, again
        LD.32 r6, [r2+0x40]
        IADD r6, r6, #1
        ST.32 [r2+0x40], r6
        ATOM32.XCHG r5, [r2], r4
        END";

/// The same with the warp's lock.
const WARP_WIDE: &str = concat!(include_str!("programs/warp_lock.asm"), "END");

/// The source put so that the lane that has the lock is the one that goes on: it works and unlocks
/// inside the loop.
const REORDERED: &str = "
        MOV r2, #0x1200
        MOV r3, #1
        MOV r4, #0
    again:
        ATOM32.CAS r5, [r2], r3, r4
        BNZ r5, next
        LD.32 r6, [r2+0x40]
        IADD r6, r6, #1
        ST.32 [r2+0x40], r6
        ATOM32.XCHG r7, [r2], r4
    next:
        BNZ r5, again
        END";

fn run(text: &str, threads: u32) -> (Golden, Result<(), RunError>) {
    let mut g = Golden::new(Config::default(), code(text), vec![], Memory::new(MEMORY));
    g.set_quantum(1);
    let result = g.run_grid(&Grid::linear(threads), 2_000_000).map(drop);
    (g, result)
}

#[test]
fn ww_11_a_lock_per_lane_deadlocks_and_the_report_names_warp_lanes_and_lock() {
    let (g, result) = run(PER_LANE, 4);
    let Err(RunError::Deadlock { report, .. }) = result else { panic!("{result:?}") };
    assert!(report.contains("unit 0 warp 0: lane 0 running at 5, lane 1 running at 3"), "{report}");
    let spin =
        "spins: the atomic at pc 3 polls 0x00001200, which holds 0x1 (lanes 1, 2, 3); lane 0 at higher counters is not";
    assert!(report.contains(spin), "{report}");
    let spin = g.spin(0, 0).unwrap();
    assert_eq!((spin.pc, spin.mask, spin.addr[1], spin.behind), (3, 0b1110, 0x1200, 1));
    assert_eq!(g.memory().read32(0x1240), 0);
    // With one lane per warp nobody waits for its own warp.
    assert_eq!(run(PER_LANE, 1).1, Ok(()));
}

#[test]
fn ww_24_the_lock_of_the_warp_completes_for_any_number_of_warps_and_any_lane_mask() {
    for threads in (1..=20).chain([63, 64, 67, 128, 255, 256]) {
        let (g, result) = run(WARP_WIDE, threads);
        result.unwrap_or_else(|e| panic!("{threads} threads: {e}"));
        assert_eq!((g.memory().read32(0x1240), g.memory().read32(0x1200)), (threads, 0), "{threads} threads");
        assert_eq!(g.spin(0, 0), None);
    }
    for mask in 1..16 {
        let mut g = Golden::new(Config::default(), code(WARP_WIDE), vec![], Memory::new(MEMORY));
        g.launch(&launch(0, 0, mask)).unwrap();
        while !g.warp(0, 0).is_ended() {
            g.step(0, 0).unwrap();
        }
        assert_eq!(g.memory().read32(0x1240), mask.count_ones(), "{mask:04b}");
    }
}

#[test]
fn ww_11_reordered_source_avoids_the_deadlock() {
    for threads in [1, 4, 7, 32, 100] {
        let (g, result) = run(REORDERED, threads);
        result.unwrap_or_else(|e| panic!("{threads} threads: {e}"));
        assert_eq!(g.memory().read32(0x1240), threads);
    }
}

#[test]
fn a_warp_that_waits_for_another_warp_spins_on_its_load() {
    let text = "MOV r2, #0x1200\nwait:\nLD.32 r3, [r2+4]\nIADD r4, r4, #0\nBZ r3, wait\nEND";
    let mut g = Golden::new(Config::default(), code(text), vec![], Memory::new(MEMORY));
    g.launch(&launch(1, 2, 15)).unwrap();
    (0..5).for_each(|_| drop(g.step(1, 2).unwrap()));
    let spin = g.spin(1, 2).unwrap();
    assert_eq!((spin.pc, spin.atomic, spin.mask, spin.addr, spin.behind), (1, false, 15, [0x1204; 4], 0));
    g.memory_mut().write32(0x1204, 1);
    assert_eq!(g.spin(1, 2), None, "it goes on now");
}
