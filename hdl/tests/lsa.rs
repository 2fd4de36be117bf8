//! The load/store/atomic pipeline against a byte-wise model: random instructions of every kind,
//! overlapping lanes, random memory timing and completion back-pressure; and the stated costs in
//! transactions and cycles (WW-10). A wrong merge, unpacking or order shows as a differing memory
//! image or register.

use crate::memory_model::model::{check, filled, instruction, random_program, Beat, Instruction};
use crate::memory_model::ports::{beat, present};
use crate::memory_model::{Memory, Timing};
use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::memory::Lsa;
use quadlock_isa::{Class, Op};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

struct Run {
    beats: Vec<(u64, Beat)>,
    /// Cycle in which each instruction was accepted.
    accepted: Vec<u64>,
    /// For each transaction in the memory's log: it locks its line.
    locks: Vec<bool>,
    memory: Memory,
}

/// Runs the instructions through the pipeline; `ready` is the chance in 256 that a completion is
/// taken in a cycle.
fn run(config: &GpuConfig, program: &[Instruction], memory: Memory, ready: u16, cycles: u64) -> Run {
    run_locking(config, program, memory, ready, cycles, &[])
}

/// The same with loads that lock their line, by their place in the program.
fn run_locking(
    config: &GpuConfig,
    program: &[Instruction],
    mut memory: Memory,
    ready: u16,
    cycles: u64,
    locked: &[usize],
) -> Run {
    let mut locks = Vec::new();
    let mut bench = Bench::new(Lsa::new(config), |b| &mut b.clock);
    let mut rng = ChaCha8Rng::seed_from_u64(99);
    let (mut next, mut beats, mut accepted) = (0, Vec::new(), Vec::new());
    let mut finished = 0;
    while finished < program.len() && memory.cycle < cycles {
        bench.req.valid.next = next < program.len();
        if let Some(i) = program.get(next) {
            present!(&mut *bench, i, next);
            bench.req_lock.next = locked.contains(&next);
        }
        bench.rsp.ready.next = rng.random_range(0..256) < ready;
        bench.m_req.ready.next = memory.ready;
        let response = memory.response();
        bench.m_rsp.valid.next = response.is_some();
        let line = response.unwrap_or([0xDEAD_BEEF; 4]);
        bench.m_rsp.data[0].next = u64::from(line[0]).into();
        bench.m_rsp.data[1].next = u64::from(line[1]).into();
        bench.m_rsp.data[2].next = u64::from(line[2]).into();
        bench.m_rsp.data[3].next = u64::from(line[3]).into();
        bench.settle();
        if bench.req.valid.next && bench.req.ready.val() {
            accepted.push(memory.cycle);
            next += 1;
        }
        if bench.rsp.valid.val() && bench.rsp.ready.next {
            let beat = beat!(&*bench);
            finished += usize::from(beat.last);
            beats.push((memory.cycle, beat));
        }
        let data = bench.m_req.data.each_ref().map(|port| port.val());
        let request = bench.m_req.valid.val().then(|| {
            (
                bench.m_req.addr.val().to_u32(),
                bench.m_req.write.val(),
                bench.m_req.mask.val().to_u16(),
                data.map(|d| d.to_u32()),
            )
        });
        if request.is_some() && memory.ready {
            locks.push(bench.m_req.lock.val());
        }
        let taken = bench.m_rsp.ready.val();
        bench.cycle();
        memory.edge(request, taken);
    }
    Run { beats, accepted, locks, memory }
}

fn beats(run: &Run) -> Vec<Beat> {
    run.beats.iter().map(|b| b.1.clone()).collect()
}

/// Every kind of instruction, overlapping lanes, any timing: registers, order and memory are as the
/// model says (WW-10).
#[test]
fn random_instructions_agree_with_the_model() {
    for (seed, timing, ready) in [
        (1, Timing::FAST, 256),
        (2, Timing::rough(5), 256),
        (3, Timing::rough(6), 100),
        (4, Timing { latency: 30, jitter: 0, stall: 0, seed: 7 }, 200),
    ] {
        let program = random_program(Class::Global, seed, 250, 256);
        let memory = filled(288, timing);
        let start = memory.bytes.clone();
        let run = run(&GpuConfig::default(), &program, memory, ready, 200_000);
        check(&program, &beats(&run), &run.memory.bytes, &start)
            .unwrap_or_else(|e| panic!("seed {seed} {timing:?}: {e}"));
    }
}

/// Lanes in one line are one transaction; a lane in another line is another.
#[test]
fn coalescing_counts_lines() {
    let cases: [(Op, u8, [u32; 4], usize); 6] = [
        (Op::Ld32, 15, [0, 4, 8, 12], 1),
        (Op::Ld32, 15, [0, 16, 32, 48], 4),
        (Op::St32, 15, [0, 20, 4, 16], 2),
        (Op::Ld128, 15, [64, 64, 64, 79], 1),
        (Op::St8, 0b1010, [0, 5, 99, 200], 2),
        (Op::LdU16, 0b0111, [14, 15, 16, 0], 2),
    ];
    for (op, mask, addr, transactions) in cases {
        let program = [instruction(op, mask, addr)];
        let run = run(&GpuConfig::default(), &program, filled(288, Timing::FAST), 256, 1000);
        assert_eq!(run.memory.log.len(), transactions, "{op:?} {mask:04b} {addr:?}");
    }
}

/// A coalesced load or store is accepted and sent to memory in every cycle when memory takes one in
/// every cycle.
#[test]
fn one_coalesced_instruction_per_cycle() {
    for op in [Op::Ld32, Op::St32] {
        let program: Vec<_> = (0..64)
            .map(|k| instruction(op, 15, [16 * (k % 8), 4 + 16 * (k % 8), 8 + 16 * (k % 8), 12 + 16 * (k % 8)]))
            .collect();
        let run = run(&GpuConfig::default(), &program, filled(288, Timing::FAST), 256, 1000);
        let cycles: Vec<u64> = run.memory.log.iter().map(|t| t.cycle).collect();
        assert_eq!(cycles.len(), 64);
        assert_eq!(cycles[63] - cycles[0], 63, "{op:?}: a bubble in {cycles:?}");
        assert_eq!(run.accepted[63] - run.accepted[0], 63);
    }
}

/// WW-10: n active lanes cost n reads and n writes, whatever lines they are in.
#[test]
fn atomics_cost_one_transaction_pair_per_lane() {
    for mask in 1..16u8 {
        for op in [Op::AAdd, Op::ACas64] {
            let program = [instruction(op, mask, [32, 32, 40, 32])];
            let run = run(&GpuConfig::default(), &program, filled(288, Timing::FAST), 256, 1000);
            let n = mask.count_ones() as usize;
            assert_eq!(run.memory.log.iter().filter(|t| !t.write).count(), n);
            assert_eq!(run.memory.log.iter().filter(|t| t.write).count(), n);
            assert!(
                run.memory.log.chunks(2).all(|c| !c[0].write && c[1].write && c[0].addr == c[1].addr),
                "read, write, read, write"
            );
        }
    }
}

/// WW-20: for any mask a warp-wide atomic is one line read that locks and one line write, and one
/// beat per register for all active lanes.
#[test]
fn warp_wide_atomics_cost_one_transaction_pair() {
    for mask in 1..16u8 {
        for (op, registers) in [(Op::WAAdd, 1), (Op::WALock, 1), (Op::WACas64, 2)] {
            let program = [instruction(op, mask, [32, 48, 64, 80])];
            let run = run(&GpuConfig::default(), &program, filled(288, Timing::FAST), 256, 1000);
            let lead = 32 + 16 * mask.trailing_zeros();
            let log: Vec<_> = run.memory.log.iter().map(|t| (t.addr, t.write)).collect();
            assert_eq!(log, [(lead, false), (lead, true)], "{op:?} {mask:04b}");
            assert_eq!(run.locks, [true, false]);
            assert_eq!(run.beats.len(), registers);
            assert!(run.beats.iter().all(|(_, b)| b.mask == mask && b.wen));
        }
    }
}

/// An atomic costs two memory round trips and the cycle between them, whether for a lane or for the
/// warp: four lanes take four times as long.
#[test]
fn a_warp_wide_atomic_takes_as_long_as_one_lane() {
    let cycles = |op, mask| {
        let memory = filled(288, Timing { latency: 10, jitter: 0, stall: 0, seed: 1 });
        let run = run(&GpuConfig::default(), &[instruction(op, mask, [32, 36, 40, 44])], memory, 256, 1000);
        run.beats.last().unwrap().0 - run.accepted[0]
    };
    let one = cycles(Op::AAdd, 1);
    assert_eq!(cycles(Op::WAAdd, 15), one);
    assert_eq!(cycles(Op::WALock, 15), one);
    assert!(cycles(Op::AAdd, 15) > 4 * 2 * 10);
}

/// WW-22: acquires and releases of few lock words, with other stores to them between: words other
/// than 0 and 1 are neither free nor taken.
#[test]
fn locks_swap_only_what_they_expect() {
    let mut rng = ChaCha8Rng::seed_from_u64(22);
    let program: Vec<Instruction> = (0..400)
        .map(|k| {
            let op = if k % 5 == 4 { Op::St32 } else { Op::WALock };
            let addr = std::array::from_fn(|_| 4 * rng.random_range(0..4));
            let words = std::array::from_fn(|_| std::array::from_fn(|_| rng.random_range(0..4)));
            Instruction { op, mask: rng.random_range(1..16), dst: rng.random_range(0..32), addr, words }
        })
        .collect();
    let run = run(&GpuConfig::default(), &program, Memory::new(288, Timing::rough(3)), 200, 100_000);
    check(&program, &beats(&run), &run.memory.bytes, &[0; 288]).unwrap();
    let taken = run.beats.iter().filter(|(_, b)| b.wen && b.value[b.mask.trailing_zeros() as usize] == 1).count();
    assert!((50..270).contains(&taken), "both outcomes: {taken} swapped");
}

/// A load that locks is sent alone, when nothing is in flight; its line's lock is left to the store
/// that follows.
#[test]
fn a_locking_load_goes_alone() {
    let mut program: Vec<_> = (0..6).map(|k| instruction(Op::Ld32, 1, [16 * k; 4])).collect();
    program.extend([instruction(Op::Ld64, 2, [40; 4]), instruction(Op::St64, 2, [40; 4])]);
    let timing = Timing { latency: 12, jitter: 0, stall: 0, seed: 1 };
    let memory = filled(288, timing);
    let start = memory.bytes.clone();
    let run = run_locking(&GpuConfig::default(), &program, memory, 256, 1000, &[6]);
    check(&program, &beats(&run), &run.memory.bytes, &start).unwrap();
    assert_eq!(run.locks, [false, false, false, false, false, false, true, false]);
    let cycles: Vec<u64> = run.memory.log.iter().map(|t| t.cycle).collect();
    assert_eq!(cycles[5] - cycles[0], 5, "the loads before it follow each other");
    assert!(cycles[6] - cycles[5] >= 12, "the load that locks waits for their lines: {cycles:?}");
}

/// Each planted fault of the pipeline is seen by the model.
#[test]
fn planted_faults_are_caught() {
    for fault in [
        Fault::CoalesceLine,
        Fault::DropResponse,
        Fault::StoreMask,
        Fault::SignExtend,
        Fault::AtomicLostLane,
        Fault::WideInactive,
        Fault::WideTwice,
        Fault::WideOldValue,
    ] {
        let config = GpuConfig { fault: Some(fault), ..GpuConfig::default() };
        let program = random_program(Class::Global, 8, 250, 256);
        let memory = filled(288, Timing::FAST);
        let start = memory.bytes.clone();
        let run = run(&config, &program, memory, 256, 10_000);
        assert!(check(&program, &beats(&run), &run.memory.bytes, &start).is_err(), "{fault:?} was not caught");
    }
}

/// The faults of the lock form show where locks meet free and taken words.
#[test]
fn planted_faults_of_locks_are_caught() {
    let lock = |value: u32, word| Instruction { words: [[value; 4]; 4], ..instruction(Op::WALock, 15, [word; 4]) };
    let program = [lock(1, 0), lock(1, 0), lock(0, 0), lock(0, 0), lock(0, 4)];
    let verdict = |fault| {
        let mut memory = Memory::new(288, Timing::FAST);
        memory.set_word(4, 7);
        let start = memory.bytes.clone();
        let config = GpuConfig { fault, ..GpuConfig::default() };
        let run = run(&config, &program, memory, 256, 5_000);
        check(&program, &beats(&run), &run.memory.bytes, &start)
    };
    verdict(None).unwrap();
    for fault in [Fault::WideLockSteals, Fault::LockForeign] {
        assert!(verdict(Some(fault)).is_err(), "{fault:?} was not caught");
    }
}
