//! The load/store/atomic pipeline against a byte-wise model: random instructions of every kind, overlapping lanes, random memory timing and completion
//! back-pressure; and the stated costs in transactions and cycles (WW-10). A wrong merge, unpacking or order shows as a differing memory image or register.

mod memory_model;

use memory_model::{Memory, Timing};
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::memory::Lsa;
use quadlock_hdl::testing::Bench;
use quadlock_isa::{Class, Op, Shape, TABLE};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[derive(Clone, Debug)]
struct Instruction {
    op: Op,
    mask: u8,
    dst: u8,
    addr: [u32; 4],
    /// words[word][lane]
    words: [[u32; 4]; 4],
}

/// One completion beat.
#[derive(Clone, Debug, PartialEq)]
struct Beat {
    seq: u8,
    warp: u8,
    unit: u8,
    mask: u8,
    dst: u8,
    wen: bool,
    last: bool,
    value: [u32; 4],
}

fn shape(op: Op) -> Shape {
    TABLE.iter().find(|r| r.op == op).unwrap().shape
}

fn bytes_of(op: Op) -> u32 {
    match shape(op) {
        Shape::Load { bytes } | Shape::Store { bytes } | Shape::Atomic { bytes } | Shape::AtomicCas { bytes } => {
            bytes.into()
        }
        other => panic!("{other:?} is not a memory instruction"),
    }
}

/// The model: performs the instruction on `bytes`, returns what each (lane, register) receives.
fn perform(bytes: &mut [u8], instruction: &Instruction) -> Vec<(usize, u8, u32)> {
    let op = instruction.op;
    let n = bytes_of(op) as usize;
    let mut out = Vec::new();
    let read = |bytes: &[u8], at: usize, n: usize| (0..n).fold(0u128, |v, i| v | u128::from(bytes[at + i]) << (8 * i));
    for lane in 0..4 {
        if instruction.mask >> lane & 1 == 0 {
            continue;
        }
        let at = (instruction.addr[lane] as usize) & !(n - 1);
        let word = |k: usize| u128::from(instruction.words[k][lane]);
        match shape(op) {
            Shape::Load { .. } => {
                let mut value = read(bytes, at, n);
                if op == Op::LdS8 {
                    value = u128::from(value as u8 as i8 as i32 as u32);
                }
                if op == Op::LdS16 {
                    value = u128::from(value as u16 as i16 as i32 as u32);
                }
                for k in 0..n.div_ceil(4) {
                    out.push((lane, (instruction.dst + k as u8) % 32, (value >> (32 * k)) as u32));
                }
            }
            Shape::Store { .. } => {
                let value = word(0) | word(1) << 32 | word(2) << 64 | word(3) << 96;
                for i in 0..n {
                    bytes[at + i] = (value >> (8 * i)) as u8;
                }
            }
            _ => {
                let bits = 8 * n as u32;
                let clip = if n == 4 { 0xFFFF_FFFF } else { u128::from(u64::MAX) };
                let old = read(bytes, at, n);
                let arg = (word(0) | word(1) << 32) & clip;
                let expected = (word(2) | word(3) << 32) & clip;
                let signed = |v: u128| (v as i128) << (128 - bits) >> (128 - bits);
                let new = match (op as u8) & 15 {
                    0 => old.wrapping_add(arg),
                    1 => old & arg,
                    2 => old | arg,
                    3 => old ^ arg,
                    4 => {
                        if signed(old) < signed(arg) {
                            old
                        } else {
                            arg
                        }
                    }
                    5 => {
                        if signed(old) > signed(arg) {
                            old
                        } else {
                            arg
                        }
                    }
                    6 => old.min(arg),
                    7 => old.max(arg),
                    8 => arg,
                    9 => {
                        if old == expected {
                            arg
                        } else {
                            old
                        }
                    }
                    10 => old.wrapping_sub(arg),
                    other => panic!("atomic {other}"),
                };
                for i in 0..n {
                    bytes[at + i] = (new >> (8 * i)) as u8;
                }
                for k in 0..n / 4 {
                    out.push((lane, (instruction.dst + k as u8) % 32, (old >> (32 * k)) as u32));
                }
            }
        }
    }
    out
}

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

fn instruction(op: Op, mask: u8, addr: [u32; 4]) -> Instruction {
    let words = std::array::from_fn(|w| std::array::from_fn(|l| 0x1000_0001 * (w as u32 + 1) + 0x0101_0101 * l as u32));
    Instruction { op, mask, dst: 3, addr, words }
}

fn random_program(seed: u64, length: usize, window: u32) -> Vec<Instruction> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let ops: Vec<Op> = TABLE.iter().filter(|r| r.class == Class::Global).map(|r| r.op).collect();
    let corners = [0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x80];
    (0..length)
        .map(|_| {
            let near = rng.random_range(0..window);
            let mut value =
                || if rng.random_bool(0.5) { corners[rng.random_range(0..corners.len())] } else { rng.random() };
            let words = std::array::from_fn(|_| std::array::from_fn(|_| value()));
            Instruction {
                op: ops[rng.random_range(0..ops.len())],
                mask: rng.random_range(1..16),
                dst: rng.random_range(0..28),
                addr: std::array::from_fn(|_| {
                    if rng.random_bool(0.7) {
                        near + rng.random_range(0..16)
                    } else {
                        rng.random_range(0..window)
                    }
                }),
                words,
            }
        })
        .collect()
}

/// Compares a finished run with the model.
fn check(program: &[Instruction], run: &Run, start: &[u8]) -> Result<(), String> {
    let mut bytes = start.to_vec();
    let mut beats = run.beats.iter().map(|b| &b.1).peekable();
    for (number, i) in program.iter().enumerate() {
        let mut expected = perform(&mut bytes, i);
        loop {
            let beat = beats.next().ok_or(format!("instruction {number} {i:?}: completion missing"))?;
            if (beat.seq, beat.warp, beat.unit) != (number as u8, (number % 16) as u8, (number % 8) as u8) {
                return Err(format!("instruction {number}: beat of another one {beat:?}"));
            }
            if beat.wen == matches!(shape(i.op), Shape::Store { .. }) {
                return Err(format!("instruction {number}: wen {beat:?}"));
            }
            for lane in (0..4).filter(|l| beat.wen && beat.mask >> l & 1 == 1) {
                let at = expected.iter().position(|e| *e == (lane, beat.dst, beat.value[lane]));
                expected.swap_remove(at.ok_or(format!(
                    "instruction {number} {i:x?}: unexpected lane {lane} of {beat:x?}, expected {expected:x?}"
                ))?);
            }
            if beat.last {
                break;
            }
        }
        if !expected.is_empty() {
            return Err(format!("instruction {number} {i:?}: not delivered {expected:x?}"));
        }
    }
    if bytes != run.memory.bytes {
        let at = (0..bytes.len()).find(|&k| bytes[k] != run.memory.bytes[k]).unwrap();
        return Err(format!("memory differs at {at:#x}: {:#x} instead of {:#x}", run.memory.bytes[at], bytes[at]));
    }
    Ok(())
}

fn filled(size: usize, timing: Timing) -> Memory {
    let mut memory = Memory::new(size, timing);
    for (i, byte) in memory.bytes.iter_mut().enumerate() {
        *byte = (i as u8).wrapping_mul(37).wrapping_add(0x90);
    }
    memory
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
        let program = random_program(seed, 250, 256);
        let memory = filled(288, timing);
        let start = memory.bytes.clone();
        let run = run(&GpuConfig::default(), &program, memory, ready, 200_000);
        check(&program, &run, &start).unwrap_or_else(|e| panic!("seed {seed} {timing:?}: {e}"));
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
        let program = random_program(8, 120, 256);
        let memory = filled(288, Timing::FAST);
        let start = memory.bytes.clone();
        let run = run(&config, &program, memory, 256, 5_000);
        assert!(check(&program, &run, &start).is_err(), "{fault:?} was not caught");
    }
}
