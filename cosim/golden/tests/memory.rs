//! Loads, stores and atomics: sizes, alignment, lane order, merged writes, unmapped addresses.

use crate::common::{launch, machine, run, Bench, MEMORY};
use quadlock_golden::{Fault, MemKind, StepError};
use quadlock_isa::{AtomicOp, Class, Op, Shape, TABLE};

const BASE: u32 = 0x1000;

fn memory_bench(instruction: &str, image: &[u8]) -> Bench {
    let mut bench = Bench::new(instruction);
    assert!(bench.golden.memory_mut().write_slice(BASE, image));
    for (i, &byte) in image.iter().enumerate() {
        bench.golden.shared_mut(0).write(i as u32, byte);
    }
    bench
}

/// Every load, global and shared, of unaligned addresses.
#[test]
fn loads() {
    let image: Vec<u8> = (0..32).map(|i| 0x81 + i).collect();
    for (name, want) in [
        ("U8", vec![0x85]),
        ("S8", vec![0xFFFF_FF85]),
        ("U16", vec![0x8685]),
        ("S16", vec![0xFFFF_8685]),
        ("32", vec![0x8887_8685]),
        ("64", vec![0x8483_8281, 0x8887_8685]),
        ("128", vec![0x8483_8281, 0x8887_8685, 0x8C8B_8A89, 0x908F_8E8D]),
    ] {
        for (prefix, base) in [("LD", BASE), ("LDS", 0)] {
            // r1 + 4 is aligned for 32 bits and less.
            let mut bench = memory_bench(&format!("{prefix}.{name} r4, [r1+3]"), &image);
            let effect = bench.effect(0b0010, [base + 1; 4], [0; 4], [0; 4]);
            assert_eq!(&effect.values[1][..want.len()], &want[..], "{prefix}.{name}");
            assert_eq!(effect.dest, Some((4, want.len() as u8)));
            for (i, &word) in want.iter().enumerate() {
                assert_eq!(bench.golden.warp(0, 0).reg(1, 4 + i), word);
                assert_eq!(bench.golden.warp(0, 0).reg(0, 4 + i), 0, "inactive lane");
            }
            let mem = effect.mem.unwrap();
            assert_eq!((mem.addr[1], mem.kind, mem.shared), (base + 4, MemKind::Load, prefix == "LDS"));
        }
    }
    // The half word at an odd address is the one below it.
    assert_eq!(memory_bench("LD.U16 r0, [r1]", &image).one(BASE + 5, 0, 0), 0x8685);
}

#[test]
fn stores() {
    for (name, bytes) in [("8", 1), ("16", 2), ("32", 4), ("64", 8), ("128", 16u32)] {
        for (prefix, base) in [("ST", BASE), ("STS", 0)] {
            let mut bench = Bench::new(&format!("{prefix}.{name} [r1+0], r2"));
            for (register, value) in [(4, 0x4444_4444), (5, 0x5555_5555)] {
                bench.golden.warp_mut(0, 0).set_reg(2, register, value);
            }
            // Unaligned by bytes - 1: aligned down.
            let effect = bench.effect(0b0100, [base + 16 + bytes - 1; 4], [0x2222_2221; 4], [0x3333_3333; 4]);
            let writes = effect.mem.unwrap().writes;
            let all =
                [0x21, 0x22, 0x22, 0x22, 0x33, 0x33, 0x33, 0x33, 0x44, 0x44, 0x44, 0x44, 0x55, 0x55, 0x55, 0x55u8];
            let want: Vec<(u32, u8)> = (0..bytes).map(|i| (base + 16 + i, all[i as usize])).collect();
            assert_eq!(writes, want, "{prefix}.{name}");
            for &(addr, byte) in &writes {
                let memory = if prefix == "ST" { bench.golden.memory() } else { bench.golden.shared(0) };
                assert_eq!(memory.read(addr), byte);
            }
        }
    }
}

/// Overlapping store bytes: the highest lane wins; lanes in one line are one transaction.
#[test]
fn overlapping_stores() {
    let mut bench = Bench::new("ST.32 [r1+0], r2");
    let effect = bench.effect(15, [BASE, BASE + 4, BASE, BASE + 16], [1, 2, 3, 4], [0; 4]);
    let mem = effect.mem.unwrap();
    assert_eq!(mem.lines, 2);
    assert_eq!(bench.golden.memory().read32(BASE), 3);
    assert_eq!(mem.writes[0], (BASE, 3));
    let mut wrong = Bench::with_fault("ST.32 [r1+0], r2", Some(Fault::StoreLowest));
    wrong.effect(15, [BASE; 4], [1, 2, 3, 4], [0; 4]);
    assert_eq!(wrong.golden.memory().read32(BASE), 1);
}

/// The lock form gives no old value: `warp_wide.rs` has it.
fn atomic_table(kind: AtomicOp) -> (u64, u64, u64, u64, u64) {
    // (old, operand, compare, new for 32 bits, new for 64 bits)
    let old = 0x0000_0001_8000_0000;
    match kind {
        AtomicOp::Add => (old, 0x0000_0001_8000_0001, 0, 1, 0x0000_0003_0000_0001),
        AtomicOp::Sub => (old, 0x0000_0001_8000_0001, 0, 0xFFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF),
        AtomicOp::And => (old, 0x0000_0003_F000_0000, 0, 0x8000_0000, old),
        AtomicOp::Or => (old, 0x0000_0002_0000_0001, 0, 0x8000_0001, 0x0000_0003_8000_0001),
        AtomicOp::Xor => (old, 0x0000_0003_8000_0001, 0, 1, 0x0000_0002_0000_0001),
        AtomicOp::SMin => (old, 0xFFFF_FFFF_0000_0000, 0, 0x8000_0000, 0xFFFF_FFFF_0000_0000),
        AtomicOp::SMax => (old, 0xFFFF_FFFF_0000_0000, 0, 0, old),
        AtomicOp::UMin => (old, 0xFFFF_FFFF_0000_0000, 0, 0, old),
        AtomicOp::UMax => (old, 0xFFFF_FFFF_0000_0000, 0, 0x8000_0000, 0xFFFF_FFFF_0000_0000),
        AtomicOp::Xchg => (old, 0x1111_1111_2222_2222, 0, 0x2222_2222, 0x1111_1111_2222_2222),
        AtomicOp::Cas => (old, 0x1111_1111_2222_2222, old, 0x2222_2222, 0x1111_1111_2222_2222),
        AtomicOp::Lock => unreachable!("has no table"),
    }
}

/// Every atomic of both memories and sizes (WW-10): old value to the destination, new value to
/// memory.
#[test]
fn atomics() {
    for row in TABLE.iter().filter(|r| r.op.is_atomic() && r.op.atomic() != Some(AtomicOp::Lock)) {
        let (kind, bytes) = (row.op.atomic().unwrap(), row.op.access_bytes());
        let shared = row.class == Class::Shared;
        let cas = if matches!(row.shape, Shape::AtomicCas { .. }) { ", r6" } else { "" };
        let mut bench = Bench::new(&format!("{} r8, [r1+1], r4{cas}", row.name));
        let (old, operand, compare, new32, new64) = atomic_table(kind);
        let base = if shared { 0x10 } else { BASE };
        for (i, byte) in old.to_le_bytes().into_iter().enumerate() {
            let addr = base + i as u32;
            if shared {
                bench.golden.shared_mut(0).write(addr, byte)
            } else {
                bench.golden.memory_mut().write(addr, byte)
            }
        }
        for (register, value) in [(4, operand), (6, compare)] {
            bench.golden.warp_mut(0, 0).set_reg(1, register, value as u32);
            bench.golden.warp_mut(0, 0).set_reg(1, register + 1, (value >> 32) as u32);
        }
        let effect = bench.effect(0b0010, [base; 4], [0; 4], [0; 4]);
        let memory = if shared { bench.golden.shared(0) } else { bench.golden.memory() };
        let word = |a| u64::from(memory.read32(a));
        let found = word(base) | word(base + 4) << 32;
        let want = if bytes == 8 { new64 } else { new32 | old & !0xFFFF_FFFF };
        assert_eq!(found, want, "{}", row.name);
        let returned = if bytes == 8 { [old as u32, (old >> 32) as u32, 0, 0] } else { [old as u32, 0, 0, 0] };
        assert_eq!(effect.values[1], returned, "{}", row.name);
        let mem = effect.mem.unwrap();
        assert_eq!((mem.bytes, mem.writes.len()), (bytes, bytes as usize));
        let mask = if bytes == 8 { u64::MAX } else { 0xFFFF_FFFF };
        assert_eq!((mem.old[1], mem.new[1]), (old & mask, want & mask));
    }
}

/// Lanes on one address are served in lane order, with nothing between (WW-10).
#[test]
fn atomics_in_lane_order() {
    let mut bench = Bench::new("ATOM32.ADD r0, [r1], r2");
    assert_eq!(bench.lanes([BASE; 4], [1, 10, 100, 1000], [0; 4]), [0, 1, 11, 111]);
    assert_eq!(bench.golden.memory().read32(BASE), 1111);
    let mut cas = Bench::new("ATOM32.CAS r0, [r1], r2, r3");
    assert_eq!(cas.lanes([BASE; 4], [5, 6, 7, 8], [0, 0, 5, 9]), [0, 5, 5, 7]);
    assert_eq!(cas.golden.memory().read32(BASE), 7);
    let mut wrong = Bench::with_fault("ATOM32.ADD r0, [r1], r2", Some(Fault::AtomicOrder));
    assert_ne!(wrong.lanes([BASE; 4], [1, 10, 100, 1000], [0; 4]), [0, 1, 11, 111]);
}

#[test]
fn a_failed_compare_writes_the_old_value_back() {
    let mut cas = Bench::new("ATOM32.CAS r0, [r1], r2, r3");
    let mem = cas.effect(1, [BASE; 4], [5; 4], [9; 4]).mem.unwrap();
    assert_eq!(mem.writes, (0..4).map(|i| (BASE + i, 0)).collect::<Vec<_>>());
}

/// Accesses below 0x1000 and beyond the end read zero, write nothing and are remembered.
#[test]
fn unmapped_accesses() {
    let mut bench = Bench::new("LD.32 r0, [r1]");
    assert_eq!(bench.lanes([0xFFC, BASE, MEMORY, 0xFFFF_FFFF], [0; 4], [0; 4]), [0; 4]);
    let (faults, count) = bench.golden.memory_faults();
    assert_eq!(count, 3);
    assert_eq!(
        faults.iter().map(|f| (f.lane, f.addr, f.write)).collect::<Vec<_>>(),
        [(0, 0xFFC, false), (2, MEMORY, false), (3, 0xFFFF_FFFC, false)]
    );
    let mut store = Bench::new("ST.128 [r1], r2");
    let mem = store.effect(3, [MEMORY - 8, MEMORY, 0, 0], [1; 4], [1; 4]).mem.unwrap();
    assert_eq!(mem.fault, 0b10, "the first is aligned down into memory");
    assert_eq!(mem.writes.len(), 32, "dropped bytes are in the record");
}

/// Shared storage wraps at its size.
#[test]
fn shared_addresses_wrap() {
    let golden = run("MOV r1, #4104\nMOV r2, #7\nSTS.32 [r1], r2\nLDS.32 r3, [r1-4096]\nEND", 1);
    assert_eq!(golden.shared(0).read32(8), 7);
    assert_eq!(golden.warp(0, 0).reg(0, 3), 7);
}

/// A group that runs over r31 goes on at r0, and a load may overwrite its own address register.
#[test]
fn register_groups_wrap() {
    let mut g = machine("MOV r31, #0x1000\nLD.128 r30, [r31]\nST.64 [r1+0x1000], r31\nEND", vec![], None);
    g.memory_mut().write_slice(BASE, &(1..=16).collect::<Vec<u8>>());
    g.launch(&launch(0, 0, 1)).unwrap();
    (0..2).for_each(|_| drop(g.step(0, 0).unwrap()));
    let regs = [30, 31, 0, 1].map(|r| g.warp(0, 0).reg(0, r));
    assert_eq!(regs, [0x0403_0201, 0x0807_0605, 0x0C0B_0A09, 0x100F_0E0D]);
}

#[test]
fn signed_loads_planted_bug() {
    for name in ["LD.S8", "LD.S16", "LDS.S8", "LDS.S16"] {
        assert!(Op::from_name(name).unwrap().sign_extends());
    }
    let mut wrong = Bench::with_fault("LD.S8 r0, [r1]", Some(Fault::SubWordSign));
    wrong.golden.memory_mut().write(BASE, 0x80);
    assert_eq!(wrong.one(BASE, 0, 0), 0x80);
}

/// Issue and completion apart: operands are taken at issue, global and shared may complete in
/// either order, and the hazards that a scoreboard has to prevent are errors.
#[test]
fn split_steps() {
    let text = "LD.64 r4, [r1]\nLDS.32 r8, [r2]\nIADD r1, r1, #4\nIADD r9, r5, #1\nEND";
    let mut g = machine(text, vec![], None);
    g.memory_mut().write32(BASE + 4, 41);
    g.shared_mut(0).write32(0, 9);
    g.launch(&launch(0, 0, 1)).unwrap();
    g.warp_mut(0, 0).set_reg(0, 1, BASE);
    let load = g.issue(0, 0).unwrap();
    assert!(!load.mem.as_ref().unwrap().performed);
    let shared = g.issue(0, 0).unwrap();
    g.issue(0, 0).unwrap();
    assert_eq!(g.warp(0, 0).in_flight(), 2);
    assert!(matches!(g.issue(0, 0), Err(StepError::Hazard { register: 5, pc: 3, .. })));
    assert_eq!(g.complete(0, 0, shared.order).unwrap().values[0][0], 9);
    assert!(matches!(g.complete(0, 0, shared.order), Err(StepError::NotInFlight { .. })));
    assert_eq!(g.complete(0, 0, load.order).unwrap().values[0], [0, 41, 0, 0]);
    assert_eq!(g.issue(0, 0).unwrap().values[0][0], 42);
    g.issue(0, 0).unwrap();
    assert!(g.is_idle());
}

/// A function instruction: operands at issue, registers of its lanes at completion, the hazards of
/// a load, no memory effect.
#[test]
fn function_instructions_complete_later() {
    let mut g = machine("FDIV r4, r1, #0x40000000\nMOV r1, #0\nIADD r5, r4, #1\nEND", vec![], None);
    g.launch(&launch(0, 0, 0b0101)).unwrap();
    for lane in 0..4 {
        g.warp_mut(0, 0).set_reg(lane, 1, 0x4040_0000);
        g.warp_mut(0, 0).set_reg(lane, 4, 99);
    }
    let issued = g.issue(0, 0).unwrap();
    assert_eq!((issued.deferred, issued.mem.is_none(), issued.dest), (true, true, Some((4, 1))));
    assert_eq!((issued.values, issued.next), ([[0; 4]; 4], [1, 0, 1, 0]));
    g.issue(0, 0).unwrap();
    assert!(matches!(g.issue(0, 0), Err(StepError::Hazard { register: 4, pc: 2, .. })));
    let done = g.complete(0, 0, issued.order).unwrap();
    assert_eq!(done.values.map(|v| v[0]), [0x3FC0_0000, 0, 0x3FC0_0000, 0]);
    assert_eq!([0, 1, 2, 3].map(|l| g.warp(0, 0).reg(l, 4)), [0x3FC0_0000, 99, 0x3FC0_0000, 99]);
    assert_eq!(g.issue(0, 0).unwrap().values[2][0], 0x3FC0_0001);
}

#[test]
fn end_and_barrier_wait_for_completions() {
    for (first, last) in
        ["ST.32 [r1+0x1000], r2", "FSQRT r2, r1"].into_iter().flat_map(|f| ["END", "BAR", "DISCARD"].map(|l| (f, l)))
    {
        let mut g = machine(&format!("{first}\n{last}\nEND"), vec![], None);
        g.launch(&launch(0, 0, 15)).unwrap();
        let deferred = g.issue(0, 0).unwrap();
        assert!(matches!(g.issue(0, 0), Err(StepError::NotDrained { count: 1, .. })));
        g.complete(0, 0, deferred.order).unwrap();
        g.issue(0, 0).unwrap();
    }
}
