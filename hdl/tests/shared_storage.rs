//! Shared storage against the byte-wise model: random instructions of every kind, wrapping addresses, back-pressure on the completions; write events; cycles.

mod memory_model;

use memory_model::model::{check, instruction, random_program, Beat, Instruction};
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::memory::SharedStorage;
use quadlock_hdl::testing::Bench;
use quadlock_isa::{Class, Op};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

struct Run {
    beats: Vec<Beat>,
    accepted: Vec<u64>,
    /// Storage as the write events say.
    image: Vec<u8>,
}

fn run(words: usize, program: &[Instruction], ready: u16) -> Run {
    let config = GpuConfig { shared_words: words, ..GpuConfig::default() };
    let mut bench = Bench::new(SharedStorage::new(&config), |b| &mut b.clock);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut run = Run { beats: Vec::new(), accepted: Vec::new(), image: vec![0; words * 4] };
    let (mut next, mut finished, mut cycle) = (0, 0, 0);
    while finished < program.len() {
        bench.req_valid.next = next < program.len();
        if let Some(i) = program.get(next) {
            present(&mut bench, i, next);
        }
        bench.rsp_ready.next = rng.random_range(0..256) < ready;
        bench.settle();
        if bench.req_valid.next && bench.req_ready.val() {
            run.accepted.push(cycle);
            next += 1;
        }
        if bench.rsp_valid.val() && bench.rsp_ready.next {
            let beat = beat(&bench);
            finished += usize::from(beat.last);
            run.beats.push(beat);
        }
        if bench.shw_valid.val() {
            let data = [bench.shw_data0.val(), bench.shw_data1.val(), bench.shw_data2.val(), bench.shw_data3.val()]
                .map(|v| v.to_u32());
            for byte in (0..16).filter(|&b| bench.shw_mask.val().get_bit(b)) {
                run.image[bench.shw_addr.val().index() + byte] = data[byte / 4].to_le_bytes()[byte % 4];
            }
        }
        bench.cycle();
        cycle += 1;
        assert!(cycle < 50_000, "hang: {finished} of {} done", program.len());
    }
    run
}

fn present(bench: &mut Bench<SharedStorage>, i: &Instruction, number: usize) {
    bench.req_unit.next = (number as u64 % 8).into();
    bench.req_warp.next = (number as u64 % 16).into();
    bench.req_seq.next = (number as u64 % 256).into();
    bench.req_mask.next = u64::from(i.mask).into();
    bench.req_dst.next = u64::from(i.dst).into();
    bench.req_op.next = (i.op as u64).into();
    let s = &mut **bench;
    let addr = [&mut s.req_addr0, &mut s.req_addr1, &mut s.req_addr2, &mut s.req_addr3];
    for (port, value) in addr.into_iter().zip(i.addr) {
        port.next = u64::from(value).into();
    }
    let words = [
        &mut s.req_w0_0,
        &mut s.req_w0_1,
        &mut s.req_w0_2,
        &mut s.req_w0_3,
        &mut s.req_w1_0,
        &mut s.req_w1_1,
        &mut s.req_w1_2,
        &mut s.req_w1_3,
        &mut s.req_w2_0,
        &mut s.req_w2_1,
        &mut s.req_w2_2,
        &mut s.req_w2_3,
        &mut s.req_w3_0,
        &mut s.req_w3_1,
        &mut s.req_w3_2,
        &mut s.req_w3_3,
    ];
    for (k, port) in words.into_iter().enumerate() {
        port.next = u64::from(i.words[k / 4][k % 4]).into();
    }
}

fn beat(b: &SharedStorage) -> Beat {
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

/// Registers, write events and order are as the model says; addresses wrap at the size.
#[test]
fn random_instructions_agree_with_the_model() {
    for (seed, words, ready) in [(1, 64, 256), (2, 64, 90), (3, 1024, 256)] {
        let program = random_program(Class::Shared, seed, 300, 1 << 16);
        let run = run(words, &program, ready);
        check(&program, &run.beats, &run.image, &vec![0; words * 4]).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
}

/// A load or store within one line takes one cycle.
#[test]
fn one_coalesced_instruction_per_cycle() {
    for op in [Op::Lds32, Op::Sts32] {
        let program: Vec<_> = (0..40)
            .map(|k| instruction(op, 15, [16 * (k % 8), 4 + 16 * (k % 8), 8 + 16 * (k % 8), 12 + 16 * (k % 8)]))
            .collect();
        let run = run(64, &program, 256);
        assert_eq!(run.accepted[39] - run.accepted[0], 39, "{op:?}");
    }
}
