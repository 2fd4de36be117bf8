//! The warp unit run on assembled programs against hand-made expectations: what lockstep would say
//! only for a whole core.

use crate::warp::bench::{Launch, Machine, Timing, CODE_BASE, QUICK};
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use quadlock_testkit::tier;

const ROUGH: Timing = Timing { latency: 17, stall: 40, seed: 7 };

fn config() -> GpuConfig {
    GpuConfig { units: 2, warps: 8, ..GpuConfig::default() }
}

/// The thread's own slot of the output area in r1, from its thread slot: unit 1, 8 warps per unit.
const OUT: &str = "S2R r1, thread_slot\nISUB r1, r1, #32\nSHL r1, r1, #2\n";

fn out(m: &Machine, warp: usize, lane: usize, at: u32) -> u32 {
    m.word(at + 4 * (4 * warp + lane) as u32)
}

#[test]
fn straight_code_and_special_registers() {
    let program = format!("{OUT}S2R r2, local_id\nS2R r3, group_y\nS2R r4, lane\nS2R r5, coverage\nIADD r2, r2, r3\nIADD r2, r2, r4\nIMAD r2, r5, c[9], r2\nST.32 [r1+0x1000], r2\nEND");
    for timing in [QUICK, ROUGH] {
        let mut m = Machine::new(&config(), timing, &program);
        m.constant(9, 1 << 20);
        m.launch(Launch { mask: 0b1011, group: [1, 700_000, 3], index: 16, ..Launch::of(2) });
        m.run();
        for lane in [0u32, 1, 3] {
            assert_eq!(out(&m, 2, lane as usize, 0x1000), (16 + lane + (5 << 10)) + 700_000 + lane + (11 << 20));
        }
        assert_eq!(out(&m, 2, 2, 0x1000), 0, "lane 2 was not covered");
        assert_eq!(m.rets.len(), 12);
        assert!(m.rets.iter().all(|r| r.mask == 0b1011 && !r.trap));
        let group = m.rets.iter().find(|r| r.pc == 4).unwrap();
        assert_eq!((group.wen, group.mem, group.dst, group.value[3]), (true, false, 3, 700_000));
        let store = m.rets.iter().find(|r| r.mem).unwrap();
        assert_eq!((store.wen, store.value[1]), (false, 0x1000 + 4 * 9), "the address");
    }
}

/// Warps 0 to 7 of eight groups on one program.
fn all_warps(m: &mut Machine) {
    for warp in 0..8 {
        m.launch(Launch::of(warp));
    }
    m.run();
}

/// Issues per cycle from the first cycle in which all eight warps are in the loop to the last.
fn steady_ipc(m: &Machine, from: u64, cycles: u64) -> f64 {
    let issued = m.issues.iter().filter(|&&c| (from..from + cycles).contains(&c)).count();
    issued as f64 / cycles as f64
}

#[test]
fn peak_is_one_instruction_per_cycle() {
    // Independent ALU work, 40 instructions and a branch, eight warps.
    let mut program = String::from("MOV r30, #12\nloop:\n");
    for i in 0..40 {
        program += &format!("IADD r{}, r30, #{i}\n", i % 24);
    }
    program += "ISUB r30, r30, #1\nBNZ r30, loop\nEND\n";
    let mut m = Machine::new(&config(), QUICK, &program);
    all_warps(&mut m);
    let ipc = steady_ipc(&m, 800, 2000);
    println!(
        "steady state {ipc} instructions per cycle; {} passes per cycle",
        m.bench.passes as f64 / m.bench.cycles as f64
    );
    assert!(ipc >= 0.98, "{ipc}");
}

/// Divisions, roots and table functions, dependent on each other and on memory, against host
/// arithmetic. The square root's operand is overwritten right behind it, its destination is waited
/// for, and the two engines overlap.
#[test]
fn function_instructions_complete_into_their_registers() {
    let program = format!(
        "{OUT}S2R r2, thread_slot\nIADD r2, r2, #1\nU2F r2, r2\nMOV r3, #0x40400000\nFDIV r4, r2, r3\nFRCP r5, r3\nFSQRT r6, r2\nMOV r2, #0x41000000\n\
         FDIV r7, r2, #0x40000000\nFRCP r8, r2\nFEXP2 r9, r3\nFLOG2 r2, r2\nFADD r10, r8, r9\nFADD r10, r10, r2\nFADD r10, r10, r7\n\
         ST.32 [r1+0x1000], r4\nST.32 [r1+0x1200], r6\nST.32 [r1+0x1400], r10\nEND"
    );
    for seed in 0..4 {
        let timing = if seed == 0 { QUICK } else { Timing { seed, ..ROUGH } };
        let mut m = Machine::new(&config(), timing, &program);
        all_warps(&mut m);
        for (warp, lane) in (0..8).flat_map(|w| (0..4).map(move |l| (w, l))) {
            let x = (33 + 4 * warp + lane) as f32;
            let wanted = [x / 3.0, x.sqrt(), 0.125 + 8.0 + 3.0 + 4.0].map(f32::to_bits);
            assert_eq!([0x1000, 0x1200, 0x1400].map(|at| out(&m, warp, lane, at)), wanted, "{warp} {lane}");
        }
        let functions = m.rets.iter().filter(|r| r.word & 0xF0 == 0xF0);
        assert!(functions.clone().all(|r| r.mem && !r.wen), "completion follows");
        assert_eq!(functions.count(), 8 * 7);
    }
}

/// Only active lanes are written, and END waits for the completion.
#[test]
fn function_instructions_write_active_lanes_only() {
    let program = format!(
        "{OUT}S2R r2, lane\nMOV r3, #0x40800000\nMOV r4, #7\nUSETLT r5, r2, #2\nBNZ r5, join\nFSQRT r4, r3\nFRSQ r6, r3\njoin: ST.32 [r1+0x1000], r4\n\
         FDIV r7, r3, r3\nEND"
    );
    let mut m = Machine::new(&config(), ROUGH, &program);
    m.launch(Launch::of(1));
    m.run();
    assert_eq!([0, 1, 2, 3].map(|l| out(&m, 1, l, 0x1000)), [7, 7, 0x4000_0000, 0x4000_0000]);
}

/// More function instructions than the unit has slots: the issue waits for room, and the table
/// functions run at one lane per cycle.
#[test]
fn the_function_unit_is_filled() {
    let mut program = String::from("MOV r30, #0x3FC00000\nMOV r29, #20\nloop:\n");
    for i in 0..20 {
        program += &format!("{} r{i}, r30\n", ["FRCP", "FEXP2", "FSIN", "FLOG2"][i % 4]);
    }
    program += "ISUB r29, r29, #1\nBNZ r29, loop\nEND\n";
    let mut m = Machine::new(&config(), QUICK, &program);
    all_warps(&mut m);
    let functions: Vec<u64> = m.rets.iter().filter(|r| r.word & 0xF0 == 0xF0).map(|r| r.cycle).collect();
    assert_eq!(functions.len(), 8 * 20 * 20);
    let span = functions[2800] - functions[400];
    println!("{} cycles per function instruction of four lanes", span as f64 / 2400.0);
    assert!(span <= 2400 * 4 + 100, "{span}");
}

#[test]
fn divergence_runs_the_lowest_counter_first() {
    let program = format!(
        "{OUT}S2R r2, lane\nMOV r5, #0\nUSETLT r3, r2, #2\nBNZ r3, low\nIADD r5, r5, #100\nBRA join\nlow: IADD r5, r5, #200\nIADD r5, r5, r2\njoin: IADD r5, r5, #1000\nST.32 [r1+0x1000], r5\nEND"
    );
    for timing in [QUICK, ROUGH] {
        let mut m = Machine::new(&config(), timing, &program);
        m.launch(Launch::of(3));
        m.run();
        assert_eq!([0, 1, 2, 3].map(|l| out(&m, 3, l, 0x1000)), [1200, 1201, 1100, 1100]);
        let join: Vec<u8> = m.rets.iter().filter(|r| r.pc == 11).map(|r| r.mask).collect();
        assert_eq!(join, [15], "the lanes are together again at the join");
        let branch = m.rets.iter().find(|r| r.pc == 6).unwrap();
        assert_eq!(branch.next, [9, 9, 7, 7]);
    }
}

#[test]
fn loops_with_a_count_per_lane() {
    let program =
        format!("{OUT}S2R r2, lane\nIADD r2, r2, #1\nMOV r5, #0\nloop: IADD r5, r5, #3\nISUB r2, r2, #1\nBNZ r2, loop\nST.32 [r1+0x1000], r5\nEND");
    let mut m = Machine::new(&config(), ROUGH, &program);
    all_warps(&mut m);
    for warp in 0..8 {
        assert_eq!([0, 1, 2, 3].map(|l| out(&m, warp, l, 0x1000)), [3, 6, 9, 12]);
    }
}

#[test]
fn registers_wait_for_their_writers() {
    // RAW on each port, WAW of load and ALU, load-use, WAR of a store's data, all back to back.
    let program = format!(
        "{OUT}MOV r2, #5\nIADD r3, r2, r2\nIMAD r4, r3, r3, r3\nST.32 [r1+0x1000], r4\nMOV r4, #1\nST.32 [r1+0x1100], r4\n\
         LD.32 r6, [r1+0x1000]\nIADD r7, r6, #1\nMOV r6, #9\nLD.32 r7, [r1+0x1100]\nMOV r7, #77\nIADD r8, r6, r7\nST.32 [r1+0x1200], r8\n\
         ATOM32.ADD r9, [r1+0x1200], r6\nATOM32.CAS r10, [r1+0x1200], r7, r9\nIADD r9, r9, r10\nST.32 [r1+0x1300], r9\nEND"
    );
    for seed in 0..6 {
        let mut m = Machine::new(&config(), Timing { seed, ..ROUGH }, &program);
        all_warps(&mut m);
        for (warp, lane) in (0..8).flat_map(|w| (0..4).map(move |l| (w, l))) {
            assert_eq!([0x1000, 0x1100, 0x1200, 0x1300].map(|at| out(&m, warp, lane, at)), [110, 1, 95, 86 + 95]);
        }
    }
}

#[test]
fn wide_loads_stores_and_exchanges() {
    let program = "S2R r0, thread_slot\nISUB r0, r0, #32\nSHL r1, r0, #4\nLD.128 r4, [r1+0x1000]\nIADD r7, r7, #1\nST.128 [r1+0x2000], r4\nMOV r4, #0\nMOV r7, #0\n\
         LD.64 r30, [r1+0x2008]\nST.64 [r1+0x3000], r30\nLD.64 r8, [r1+0x2000]\nLD.64 r12, [r1+0x2008]\nATOM64.CAS r16, [r1+0x2000], r12, r8\nMOV r12, #0\nMOV r9, #0\nST.64 [r1+0x3008], r16\nEND";
    for timing in [QUICK, ROUGH] {
        let mut m = Machine::new(&config(), timing, program);
        for i in 0..128 {
            m.set_word(0x1000 + 4 * i, 0x100 * i);
        }
        all_warps(&mut m);
        for thread in 0..32 {
            let at = 16 * thread;
            let words = |base: u32| [0, 4, 8, 12].map(|o| m.word(base + at + o));
            let [a, b, c, d] = words(0x1000);
            assert_eq!(words(0x2000), [c, d + 1, c, d + 1], "thread {thread}");
            assert_eq!(words(0x3000), [c, d + 1, a, b], "thread {thread}");
        }
    }
}

#[test]
fn barrier_between_warps() {
    // Each warp writes a word of shared storage, passes the barrier, reads that of the next warp;
    // two rounds.
    let program = format!(
        "{OUT}S2R r2, local_index\nSHL r3, r2, #2\nS2R r9, shared_base\nIADD r3, r3, r9\nIADD r4, r2, #50\nS2R r8, warp\nAND r8, r8, #3\nspin: ISUB r8, r8, #1\nISETEQ r7, r8, #-1\nBZ r7, spin\n\
         STS.32 [r3], r4\nBAR\nIADD r5, r2, #4\nAND r5, r5, #15\nSHL r5, r5, #2\nIADD r5, r5, r9\nLDS.32 r6, [r5]\nST.32 [r1+0x1000], r6\nBAR\nSTS.32 [r5], r2\nBAR\nLDS.32 r6, [r3]\nST.32 [r1+0x1100], r6\nEND"
    );
    for seed in 0..4 {
        let mut m = Machine::new(&config(), Timing { seed, ..ROUGH }, &program);
        for group in 0..2 {
            for warp in 0..4 {
                m.launch(Launch {
                    first: 4 * group,
                    warps: 4,
                    shared_base: 64 * group as u32,
                    index: 4 * warp,
                    ..Launch::of(4 * group + warp as usize)
                });
            }
        }
        m.run();
        for (warp, lane) in (0..8).flat_map(|w| (0..4).map(move |l| (w, l))) {
            let index = (4 * (warp % 4) + lane) as u32;
            assert_eq!(out(&m, warp, lane, 0x1000), 50 + (index + 4) % 16, "warp {warp} lane {lane}");
            assert_eq!(out(&m, warp, lane, 0x1100), (index + 12) % 16, "warp {warp} lane {lane}");
        }
        assert!(!m.shared.is_empty());
    }
}

#[test]
fn barrier_waits_for_warps_not_launched_yet() {
    let mut m = Machine::new(&config(), QUICK, "BAR\nEND");
    m.launch(Launch { first: 0, warps: 2, ..Launch::of(0) });
    for _ in 0..200 {
        m.cycle();
    }
    assert_eq!(m.rets.len(), 1);
    m.launch(Launch { first: 0, warps: 2, ..Launch::of(1) });
    m.run();
    assert_eq!(m.rets.len(), 4);
}

#[test]
fn cross_lane_reads() {
    let program = format!(
        "{OUT}S2R r2, lane\nIMUL r3, r2, #10\nXOR r4, r2, #3\nQSHUF r5, r3, r4\nST.32 [r1+0x1000], r5\nMOV r6, #1.0f\nMOV r7, #4.0f\nSEL r6, r7, r6, r2\nDDX r8, r6\nDDY r9, r6\nST.32 [r1+0x1100], r8\nST.32 [r1+0x1200], r9\nEND"
    );
    let mut m = Machine::new(&config(), QUICK, &program);
    m.launch(Launch::of(1));
    m.run();
    let row = |at| [0, 1, 2, 3].map(|l| out(&m, 1, l, at));
    assert_eq!(row(0x1000), [30, 20, 10, 0]);
    let f = |values: [f32; 4]| values.map(f32::to_bits);
    assert_eq!(row(0x1100), f([3.0, 3.0, 0.0, 0.0]));
    assert_eq!(row(0x1200), f([3.0, 0.0, 3.0, 0.0]));
}

#[test]
fn undefined_words_and_counters_outside_trap() {
    let end = quadlock_isa::assemble("t", "END").unwrap().code[0];
    let mut m = Machine::with_code(&config(), QUICK, &[0x08, end]);
    m.launch(Launch::of(0));
    m.run();
    assert_eq!(m.rets.iter().map(|r| (r.pc, r.word, r.trap)).collect::<Vec<_>>(), [(0, 0x08, true)]);
    let mut m = Machine::new(&config(), QUICK, "BRA @5000");
    m.launch(Launch::of(0));
    m.run();
    assert_eq!(
        m.rets.iter().map(|r| (r.pc, r.trap, r.next[0])).collect::<Vec<_>>(),
        [(0, false, 5000), (5000, true, 5001)]
    );
}

#[test]
fn slots_are_used_again_and_start_forgets_the_program() {
    let program = format!("{OUT}S2R r2, group_x\nLD.32 r3, [r1+0x1000]\nIADD r3, r3, r2\nST.32 [r1+0x1000], r3\nEND");
    let mut m = Machine::new(&config(), ROUGH, &program);
    for group in 1..=20 {
        m.launch(Launch { group: [group, 0, 0], ..Launch::of(5) });
    }
    m.run();
    assert_eq!(out(&m, 5, 2, 0x1000), 210);
    // 70 starts: the epoch of the cache's tags wraps once.
    for round in 0..70u32 {
        m.set_word(CODE_BASE + 8 * 5 + 4, round);
        let imad = quadlock_isa::assemble("t", &format!("IADD r3, r2, #{round}")).unwrap().code[0];
        m.set_word(CODE_BASE + 8 * 5, imad as u32);
        m.bench.start.next = true;
        m.cycle();
        m.bench.start.next = false;
        m.launch(Launch { group: [1, 0, 0], ..Launch::of(0) });
        m.run();
        assert_eq!(out(&m, 0, 0, 0x1000), 1 + round, "round {round}");
    }
}

#[test]
fn lane_results_do_not_starve_completions() {
    let mut program = String::from("S2R r0, warp\nBZ r0, loads\nMOV r30, #20\nloop:\n");
    for i in 0..30 {
        program += &format!("IADD r{}, r30, #{i}\n", i % 24);
    }
    program += "ISUB r30, r30, #1\nBNZ r30, loop\nEND\nloads: MOV r30, #20\nMOV r1, #0x1000\nagain: LD.128 r4, [r1]\nISUB r30, r30, #1\nIADD r31, r7, #0\nBNZ r30, again\nEND";
    let mut m = Machine::new(&config(), QUICK, &program);
    all_warps(&mut m);
    assert!(m.stalls.iter().any(|&(_, s)| s == 8), "no slot was given up for a completion");
    let ends: Vec<u64> = m.rets.iter().filter(|r| r.word as u8 == 2).map(|r| r.cycle).collect();
    assert_eq!(ends.len(), 8);
}

/// Memory, and (counter, mask) of each of warp 0's retirements.
type Outcome = (Vec<u8>, Vec<(u16, u8)>);

/// Runs a program that exercises what the faults of the warp unit break: masks, branches, hazards,
/// barrier, wide loads. `None`: it does not finish.
fn outcome(fault: Option<Fault>) -> Option<Outcome> {
    let program = format!(
        "{OUT}S2R r2, local_index\nMOV r5, #0\nS2R r12, lane\nSHL r9, r2, #2\nS2R r10, shared_base\nIADD r9, r9, r10\n\
         loop: IADD r5, r5, #7\nIMAD r6, r5, #2, r5\nISUB r12, r12, #1\nISETEQ r13, r12, #-1\nBZ r13, loop\n\
         LD.64 r14, [r1+0x1000]\nIADD r15, r15, r6\nLD.32 r16, [r1+0x1000]\nIMAD r17, r5, r6, r16\nIADD r15, r15, r17\n\
         S2R r20, warp\nSHL r20, r20, #6\nslow: ISETEQ r21, r20, #0\nBNZ r21, go\nISUB r20, r20, #1\nBRA slow\n\
         go: STS.32 [r9], r15\nBAR\nXOR r9, r9, #16\nLDS.32 r18, [r9]\nST.32 [r1+0x2000], r18\nST.32 [r1+0x2100], r17\nEND"
    );
    std::panic::catch_unwind(|| {
        let mut m =
            Machine::new(&GpuConfig { fault, ..config() }, Timing { latency: 30, stall: 20, seed: 3 }, &program);
        for i in 0..64 {
            m.set_word(0x1000 + 4 * i, 3 * i + 1);
        }
        for warp in 0..2 {
            m.launch(Launch { first: 0, warps: 2, index: 4 * warp as u32, ..Launch::of(warp) });
        }
        m.run();
        let steps = m.rets.iter().filter(|r| r.warp == 0).map(|r| (r.pc, r.mask)).collect();
        (m.memory[0x2000..0x2200].to_vec(), steps)
    })
    .ok()
}

#[test]
fn planted_faults_change_the_outcome() {
    let good = outcome(None).expect("runs without a fault");
    use Fault::*;
    let faults = [WriteMask, StaleOperand, BranchMask, LowestPc, BarrierEarly, StaleBypass, WideDestination];
    for fault in tier::first(2, faults) {
        assert!(outcome(Some(fault)).as_ref() != Some(&good), "{fault:?} shows nothing");
    }
}

#[test]
fn without_trace_the_same_happens_and_the_events_are_silent() {
    let program = format!("{OUT}MOV r3, #3\nIMAD r3, r3, r3, r1\nST.32 [r1+0x1000], r3\nEND");
    let mut m = Machine::new(&GpuConfig { trace: false, ..config() }, QUICK, &program);
    m.launch(Launch::of(6));
    m.run();
    assert_eq!(out(&m, 6, 1, 0x1000), 9 + 100);
    assert!(m.rets.is_empty() && m.issues.is_empty());
}

#[test]
fn any_number_of_warps() {
    for warps in [2, 3, 16] {
        let mut m = Machine::new(&GpuConfig { warps, icache_lines: 8, ..config() }, ROUGH, "S2R r2, warp\nSHL r3, r2, #4\nS2R r4, lane\nSHL r5, r4, #2\nIADD r3, r3, r5\nMOV r6, #5\nl: IADD r7, r7, #0\nIADD r7, r7, #0\nIADD r7, r7, #0\nIADD r7, r7, #0\nIADD r7, r7, #0\nIADD r7, r7, #0\nIADD r7, r7, #0\nIADD r7, r7, #0\nIADD r7, r7, #0\nIADD r7, r7, #0\nIADD r7, r7, #0\nIADD r7, r7, #0\nISUB r6, r6, #1\nBNZ r6, l\nST.32 [r3+0x1000], r2\nEND");
        for warp in 0..warps {
            m.launch(Launch::of(warp));
        }
        m.run();
        for warp in 0..warps {
            assert_eq!([0, 1, 2, 3].map(|l| out(&m, warp, l, 0x1000)), [warp as u32; 4]);
        }
    }
}
