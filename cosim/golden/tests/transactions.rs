//! Memory instructions performed transaction by transaction: any order of an instruction's lines
//! gives what the whole gives, and what is not one of its transactions is refused.

use crate::common::{launch, machine};
use quadlock_golden::{Effect, Golden, StepError};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const BASE: u32 = 0x1000;

fn bench(instruction: &str, rng: &mut ChaCha8Rng) -> Golden {
    let mut g = machine(&format!("{instruction}\nEND"), vec![], None);
    let image: Vec<u8> = (0..96).map(|_| rng.random()).collect();
    assert!(g.memory_mut().write_slice(BASE, &image));
    g.launch(&launch(0, 0, rng.random_range(1..16))).unwrap();
    for lane in 0..4 {
        g.warp_mut(0, 0).set_reg(lane, 1, BASE + rng.random_range(0..80));
        (2..12).for_each(|r| g.warp_mut(0, 0).set_reg(lane, r, rng.random()));
        // Compare-and-exchange shall hit sometimes.
        let word = g.memory().read32(g.warp(0, 0).reg(lane, 1) & !3);
        g.warp_mut(0, 0).set_reg(lane, 6, word);
    }
    g
}

fn line(effect: &Effect, lane: usize) -> u32 {
    effect.mem.as_ref().map_or(0, |m| m.addr[lane] & !15)
}

#[test]
fn any_order_of_transactions_gives_what_the_whole_gives() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let loads = ["LD.U8 r8, [r1]", "LD.S16 r8, [r1]", "LD.32 r8, [r1]", "LD.64 r8, [r1]", "LD.128 r8, [r1]"];
    let stores = ["ST.8 [r1], r4", "ST.16 [r1], r4", "ST.32 [r1], r4", "ST.64 [r1], r4", "ST.128 [r1], r4"];
    let atomics = [
        "ATOM32.ADD r8, [r1], r4",
        "ATOM32.XCHG r8, [r1], r4",
        "ATOM32.CAS r8, [r1], r4, r6",
        "ATOM64.ADD r8, [r1], r4",
        "WATOM32.ADD r8, [r1], r4",
        "WATOM32.CAS r8, [r1], r4, r6",
        "WATOM32.LOCK r8, [r1], r4",
        "WATOM64.ADD r8, [r1], r4",
    ];
    for text in loads.iter().chain(&stores).chain(&atomics) {
        for _ in 0..100 {
            let mut whole = bench(text, &mut rng);
            let mut parts = whole.clone();
            let expected = whole.step(0, 0).unwrap();
            let effect = parts.issue(0, 0).unwrap();
            let lanes: Vec<usize> = (0..4).filter(|l| effect.mask >> l & 1 == 1).collect();
            let mut lines: Vec<(u32, bool)> = Vec::new();
            if atomics.contains(text) {
                let once = if text.starts_with('W') { 1 } else { 4 };
                lines.extend(
                    lanes.iter().take(once).flat_map(|&l| [(line(&effect, l), false), (line(&effect, l), true)]),
                );
            } else {
                let mut all: Vec<u32> = lanes.iter().map(|&l| line(&effect, l)).collect();
                all.sort_unstable();
                all.dedup();
                while !all.is_empty() {
                    lines.push((all.swap_remove(rng.random_range(0..all.len())), stores.contains(text)));
                }
            }
            for (n, (line, write)) in lines.into_iter().enumerate() {
                // Before the first transaction a completion performs the whole.
                if n > 0 {
                    assert!(matches!(parts.complete(0, 0, effect.order), Err(StepError::NotPerformed { .. })));
                }
                assert!(parts.is_unperformed(0, 0, effect.order));
                parts.perform(0, 0, effect.order, line, write).unwrap();
            }
            assert!(!parts.is_unperformed(0, 0, effect.order));
            assert_eq!(parts.complete(0, 0, effect.order).unwrap(), expected, "{text}");
            assert_eq!(parts.memory().bytes(), whole.memory().bytes(), "{text}");
            (0..4).for_each(|l| assert_eq!(parts.warp(0, 0).reg(l, 8), whole.warp(0, 0).reg(l, 8), "{text}"));
        }
    }
}

#[test]
fn what_is_no_transaction_of_the_instruction_is_refused() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for (text, write) in [("LD.32 r8, [r1]", true), ("ST.32 [r1], r4", false), ("ATOM32.ADD r8, [r1], r4", true)] {
        let mut g = bench(text, &mut rng);
        let effect = g.issue(0, 0).unwrap();
        let first = (0..4).find(|l| effect.mask >> l & 1 == 1).unwrap();
        let line = line(&effect, first);
        let mut refused = |line, write| {
            matches!(g.perform(0, 0, effect.order, line, write), Err(StepError::NoSuchTransaction { .. }))
        };
        assert!(refused(line, write), "{text}: wrong direction");
        assert!(refused(0x3000, !write), "{text}: wrong line");
    }
    let mut g = bench("ST.32 [r1], r4", &mut rng);
    let effect = g.issue(0, 0).unwrap();
    let first = (0..4).find(|l| effect.mask >> l & 1 == 1).unwrap();
    g.perform(0, 0, effect.order, line(&effect, first), true).unwrap();
    assert!(g.perform(0, 0, effect.order, line(&effect, first), true).is_err(), "twice");
    assert!(matches!(g.perform(0, 0, 99, 0, true), Err(StepError::NotInFlight { .. })));
}

/// Between the transactions of one instruction another's may come; an atomic is one with its own
/// write only.
#[test]
fn another_instruction_comes_between_the_transactions() {
    let mut g = machine("LD.32 r8, [r1]\nST.32 [r1], r4\nEND", vec![], None);
    g.launch(&launch(0, 0, 3)).unwrap();
    g.launch(&launch(1, 0, 3)).unwrap();
    for (lane, addr) in [(0, 0x1000), (1, 0x1010)] {
        (0..2).for_each(|u| g.warp_mut(u, 0).set_reg(lane, 1, addr));
        g.warp_mut(1, 0).set_reg(lane, 4, 9);
    }
    let load = g.issue(0, 0).unwrap().order;
    g.step(1, 0).unwrap();
    let store = g.issue(1, 0).unwrap().order;
    g.perform(0, 0, load, 0x1000, false).unwrap();
    g.perform(1, 0, store, 0x1000, true).unwrap();
    g.perform(1, 0, store, 0x1010, true).unwrap();
    g.perform(0, 0, load, 0x1010, false).unwrap();
    let effect = g.complete(0, 0, load).unwrap();
    assert_eq!((effect.values[0][0], effect.values[1][0]), (0, 9));
}
