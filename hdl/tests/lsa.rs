//! The load/store/atomic pipeline against a byte-wise model: random instructions of every kind, overlapping lanes, random memory timing and completion
//! back-pressure; and the stated costs in transactions and cycles (WW-10). A wrong merge, unpacking or order shows as a differing memory image or register.

mod memory_model;

use memory_model::model::{check, filled, instruction, random_program, Beat, Instruction};
use memory_model::{Memory, Timing};
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::memory::Lsa;
use quadlock_hdl::testing::Bench;
use quadlock_isa::{Class, Op};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

struct Run {
    beats: Vec<(u64, Beat)>,
    /// Cycle in which each instruction was accepted.
    accepted: Vec<u64>,
    memory: Memory,
}

/// Runs the instructions through the pipeline; `ready` is the chance in 256 that a completion is taken in a cycle.
fn run(config: &GpuConfig, program: &[Instruction], mut memory: Memory, ready: u16, cycles: u64) -> Run {
    let mut bench = Bench::new(Lsa::new(config), |b| &mut b.clock);
    let mut rng = ChaCha8Rng::seed_from_u64(99);
    let (mut next, mut beats, mut accepted) = (0, Vec::new(), Vec::new());
    let mut finished = 0;
    while finished < program.len() && memory.cycle < cycles {
        bench.req_valid.next = next < program.len();
        if let Some(i) = program.get(next) {
            present(&mut bench, i, next);
        }
        bench.rsp_ready.next = rng.random_range(0..256) < ready;
        bench.m_req_ready.next = memory.ready;
        let response = memory.response();
        bench.m_rsp_valid.next = response.is_some();
        let line = response.unwrap_or([0xDEAD_BEEF; 4]);
        bench.m_rsp_data0.next = u64::from(line[0]).into();
        bench.m_rsp_data1.next = u64::from(line[1]).into();
        bench.m_rsp_data2.next = u64::from(line[2]).into();
        bench.m_rsp_data3.next = u64::from(line[3]).into();
        bench.settle();
        if bench.req_valid.next && bench.req_ready.val() {
            accepted.push(memory.cycle);
            next += 1;
        }
        if bench.rsp_valid.val() && bench.rsp_ready.next {
            let beat = beat(&bench);
            finished += usize::from(beat.last);
            beats.push((memory.cycle, beat));
        }
        let data = [bench.m_req_data0.val(), bench.m_req_data1.val(), bench.m_req_data2.val(), bench.m_req_data3.val()];
        let request = bench.m_req_valid.val().then(|| {
            (
                bench.m_req_addr.val().to_u32(),
                bench.m_req_write.val(),
                bench.m_req_mask.val().to_u16(),
                data.map(|d| d.to_u32()),
            )
        });
        let taken = bench.m_rsp_ready.val();
        bench.cycle();
        memory.edge(request, taken);
    }
    Run { beats, accepted, memory }
}

fn beats(run: &Run) -> Vec<Beat> {
    run.beats.iter().map(|b| b.1.clone()).collect()
}

fn present(bench: &mut Bench<Lsa>, i: &Instruction, number: usize) {
    bench.req_unit.next = (number as u64 % 8).into();
    bench.req_warp.next = (number as u64 % 16).into();
    bench.req_seq.next = (number as u64 % 256).into();
    bench.req_mask.next = u64::from(i.mask).into();
    bench.req_dst.next = u64::from(i.dst).into();
    bench.req_op.next = (i.op as u64).into();
    let lsa = &mut **bench;
    let addr = [&mut lsa.req_addr0, &mut lsa.req_addr1, &mut lsa.req_addr2, &mut lsa.req_addr3];
    for (port, value) in addr.into_iter().zip(i.addr) {
        port.next = u64::from(value).into();
    }
    let words = [
        &mut lsa.req_w0_0,
        &mut lsa.req_w0_1,
        &mut lsa.req_w0_2,
        &mut lsa.req_w0_3,
        &mut lsa.req_w1_0,
        &mut lsa.req_w1_1,
        &mut lsa.req_w1_2,
        &mut lsa.req_w1_3,
        &mut lsa.req_w2_0,
        &mut lsa.req_w2_1,
        &mut lsa.req_w2_2,
        &mut lsa.req_w2_3,
        &mut lsa.req_w3_0,
        &mut lsa.req_w3_1,
        &mut lsa.req_w3_2,
        &mut lsa.req_w3_3,
    ];
    for (k, port) in words.into_iter().enumerate() {
        port.next = u64::from(i.words[k / 4][k % 4]).into();
    }
}

fn beat(b: &Lsa) -> Beat {
    Beat {
        seq: b.rsp_seq.val().to_u8(),
        warp: b.rsp_warp.val().to_u8(),
        unit: b.rsp_unit.val().to_u8(),
        mask: b.rsp_mask.val().to_u8(),
        dst: b.rsp_dst.val().to_u8(),
        wen: b.rsp_wen.val(),
        last: b.rsp_last.val(),
        value: [b.rsp_value0.val(), b.rsp_value1.val(), b.rsp_value2.val(), b.rsp_value3.val()].map(|v| v.to_u32()),
    }
}

/// Every kind of instruction, overlapping lanes, any timing: registers, order and memory are as the model says (WW-10).
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

/// A coalesced load or store is accepted and sent to memory in every cycle when memory takes one in every cycle.
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

/// Each planted fault of the pipeline is seen by the model.
#[test]
fn planted_faults_are_caught() {
    for fault in [Fault::CoalesceLine, Fault::DropResponse, Fault::StoreMask, Fault::SignExtend, Fault::AtomicLostLane]
    {
        let config = GpuConfig { fault: Some(fault), ..GpuConfig::default() };
        let program = random_program(Class::Global, 8, 120, 256);
        let memory = filled(288, Timing::FAST);
        let start = memory.bytes.clone();
        let run = run(&config, &program, memory, 256, 5_000);
        assert!(check(&program, &beats(&run), &run.memory.bytes, &start).is_err(), "{fault:?} was not caught");
    }
}
