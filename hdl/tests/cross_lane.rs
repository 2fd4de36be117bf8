//! The cross-lane unit against the definitions of the instructions (WW-21): every operation with
//! every mask, back to back so that a stage that takes its neighbour's operation shows, corner and
//! random words; values of inactive lanes are not looked at.

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, LANE_LATENCY};
use quadlock_hdl::fault::Fault;
use quadlock_hdl::warp::cross_lane::CrossLane;
use quadlock_isa::{AtomicOp, CrossLane as Kind, Op, TABLE};
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

#[derive(Clone, Copy, Debug)]
struct Operation {
    op: Op,
    mask: u8,
    a: [u32; 4],
}

/// Runs the operations one per cycle; the results of each, in order.
fn run(config: &GpuConfig, operations: &[Operation]) -> Vec<[u32; 4]> {
    let mut unit = Bench::new(CrossLane::new(config), |b| &mut b.clock);
    let idle = [Operation { op: Op::IAdd, mask: 15, a: [!0; 4] }; LANE_LATENCY - 1];
    let mut results = vec![];
    for operation in operations.iter().chain(&idle) {
        unit.op.next = bits(operation.op as u64);
        unit.mask.next = bits(operation.mask.into());
        for (port, value) in unit.a.iter_mut().zip(operation.a) {
            port.next = bits(value.into());
        }
        unit.cycle();
        results.push([0, 1, 2, 3].map(|lane| unit.value[lane].val().to_u32()));
    }
    results.split_off(LANE_LATENCY - 1)
}

fn combine(kind: AtomicOp, a: u32, b: u32) -> u32 {
    match kind {
        AtomicOp::Add => a.wrapping_add(b),
        AtomicOp::And => a & b,
        AtomicOp::Or => a | b,
        AtomicOp::Xor => a ^ b,
        AtomicOp::SMin => (a as i32).min(b as i32) as u32,
        AtomicOp::SMax => (a as i32).max(b as i32) as u32,
        AtomicOp::UMin => a.min(b),
        AtomicOp::UMax => a.max(b),
        other => panic!("{other:?}"),
    }
}

/// What the lowest active lane of a scan gets.
fn identity(kind: AtomicOp) -> u32 {
    match kind {
        AtomicOp::And | AtomicOp::UMin => u32::MAX,
        AtomicOp::SMin => i32::MAX as u32,
        AtomicOp::SMax => i32::MIN as u32,
        _ => 0,
    }
}

/// The result of each active lane.
fn wanted(operation: &Operation) -> [Option<u32>; 4] {
    let active = |lane: &usize| operation.mask >> lane & 1 == 1;
    let values = |lanes: std::ops::Range<usize>| lanes.filter(active).map(|lane| operation.a[lane]);
    [0, 1, 2, 3].map(|lane| {
        active(&lane).then(|| match operation.op.cross_lane() {
            Some(Kind::Reduce(kind)) => values(0..4).reduce(|a, b| combine(kind, a, b)).unwrap(),
            Some(Kind::Scan(kind)) => values(0..lane).reduce(|a, b| combine(kind, a, b)).unwrap_or(identity(kind)),
            Some(Kind::Ballot) => (0..4).filter(active).map(|l| u32::from(operation.a[l] != 0) << l).sum(),
            None => 0,
        })
    })
}

fn differs(seen: [u32; 4], wanted: [Option<u32>; 4]) -> bool {
    (0..4).any(|lane| wanted[lane].is_some_and(|value| value != seen[lane]))
}

/// Every opcode of the table, so those of other units too (they give 0), with every mask, in random
/// order.
fn operations() -> Vec<Operation> {
    const CORNERS: [u32; 7] = [0, 1, 2, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF_FFFF];
    let mut rng = ChaCha8Rng::seed_from_u64(21);
    let mut all = vec![];
    // Bit 30 of the word is not in the opcode number; it is set for operations on memory only.
    for row in TABLE.iter().filter(|row| !row.in_shared) {
        let rounds = if row.op.cross_lane().is_some() { 20 } else { 1 };
        for mask in (0..rounds).flat_map(|_| 1..16u8) {
            let a = std::array::from_fn(|_| match rng.random_range(0..3) {
                0 => rng.random(),
                _ => CORNERS[rng.random_range(0..CORNERS.len())],
            });
            all.push(Operation { op: row.op, mask, a });
        }
    }
    all.shuffle(&mut rng);
    all
}

/// WW-21, with the latency of the lanes and one operation per cycle.
#[test]
fn reductions_scans_and_ballot_are_what_they_say() {
    let operations = operations();
    assert!(operations.iter().filter(|o| o.op.cross_lane().is_some()).count() >= 17 * 15 * 20);
    for (operation, seen) in operations.iter().zip(run(&GpuConfig::default(), &operations)) {
        let wanted = wanted(operation);
        assert!(!differs(seen, wanted), "{operation:x?}: seen {seen:x?}, wanted {wanted:x?}");
        assert!(operation.op.cross_lane().is_some() || seen == [0; 4], "{operation:x?} is not the unit's: {seen:x?}");
    }
}

#[test]
fn planted_fault_is_caught() {
    let operations = operations();
    let config = GpuConfig { fault: Some(Fault::ReduceInactive), ..GpuConfig::default() };
    let wrong: Vec<&Operation> = operations
        .iter()
        .zip(run(&config, &operations))
        .filter_map(|(operation, seen)| differs(seen, wanted(operation)).then_some(operation))
        .collect();
    assert!(wrong.len() > 500 && wrong.iter().all(|o| o.op.name().starts_with("WRED") && o.mask != 15));
}
