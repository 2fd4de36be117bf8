//! Shared storage against the byte-wise model: random instructions of every kind, wrapping
//! addresses, back-pressure on the completions; write events; cycles.

use crate::memory_model::model::{check, instruction, random_program, Beat, Instruction};
use crate::memory_model::ports::{beat, present};
use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, WarpWide};
use quadlock_hdl::fault::Fault;
use quadlock_hdl::memory::SharedStorage;
use quadlock_isa::{Class, Op};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

struct Run {
    beats: Vec<Beat>,
    accepted: Vec<u64>,
    /// Storage as the write events say.
    image: Vec<u8>,
    /// Write events.
    writes: usize,
}

fn run(words: usize, program: &[Instruction], ready: u16) -> Run {
    run_with(&GpuConfig { shared_words: words, ..GpuConfig::default() }, program, ready)
}

fn run_with(config: &GpuConfig, program: &[Instruction], ready: u16) -> Run {
    let words = config.shared_words;
    let mut bench = Bench::new(SharedStorage::new(config), |b| &mut b.clock);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut run = Run { beats: Vec::new(), accepted: Vec::new(), image: vec![0; words * 4], writes: 0 };
    let (mut next, mut finished, mut cycle) = (0, 0, 0);
    while finished < program.len() {
        bench.req.valid.next = next < program.len();
        if let Some(i) = program.get(next) {
            present!(&mut *bench, i, next);
        }
        bench.rsp.ready.next = rng.random_range(0..256) < ready;
        bench.settle();
        if bench.req.valid.next && bench.req.ready.val() {
            run.accepted.push(cycle);
            next += 1;
        }
        if bench.rsp.valid.val() && bench.rsp.ready.next {
            let beat = beat!(&*bench);
            finished += usize::from(beat.last);
            run.beats.push(beat);
        }
        if bench.shw.valid.val() {
            run.writes += 1;
            let data = bench.shw.data.each_ref().map(|port| port.val()).map(|v| v.to_u32());
            for byte in (0..16).filter(|&b| bench.shw.mask.val().get_bit(b)) {
                run.image[bench.shw.addr.val().index() + byte] = data[byte / 4].to_le_bytes()[byte % 4];
            }
        }
        bench.cycle();
        cycle += 1;
        assert!(cycle < 50_000, "hang: {finished} of {} done", program.len());
    }
    run
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

/// Warp-wide atomics of shared storage among all its other instructions, executed by the pipeline
/// and by the storage's scalar unit: one result and one end state (WW-26, WW-36). One has one write
/// event, whatever its mask.
#[test]
fn ww26_warp_wide_atomics_agree_with_the_model_however_they_are_executed() {
    for warp_wide in [WarpWide::Collective, WarpWide::Scalar] {
        let config = GpuConfig { shared_words: 64, warp_wide, ..GpuConfig::default() };
        for (seed, ready) in [(4, 256), (5, 100)] {
            let mut program = random_program(Class::Shared, seed, 400, 256);
            program.retain(|i| i.op.is_warp_wide() || seed == 5);
            assert!(program.iter().filter(|i| i.op.is_warp_wide()).count() > 100);
            let run = run_with(&config, &program, ready);
            let start = vec![0; 256];
            check(&program, &run.beats, &run.image, &start)
                .unwrap_or_else(|e| panic!("{warp_wide:?} seed {seed}: {e}"));
            if seed == 4 {
                assert_eq!(run.writes, program.len(), "{warp_wide:?}");
            }
        }
    }
}

/// Planted faults of warp-wide atomics show in shared storage as in global memory.
#[test]
fn ww26_planted_faults_of_warp_wide_atomics_show() {
    let program = random_program(Class::Shared, 6, 300, 256);
    let all = [Fault::WideInactive, Fault::WideOldValue, Fault::WideLockSteals, Fault::LockForeign];
    let collective = [Fault::WideTwice].iter().chain(&all).map(|&fault| (WarpWide::Collective, fault));
    let scalar = [Fault::ScalarWrongWarp].iter().chain(&all).map(|&fault| (WarpWide::Scalar, fault));
    for (warp_wide, fault) in collective.chain(scalar) {
        let config = GpuConfig { shared_words: 64, warp_wide, fault: Some(fault), ..GpuConfig::default() };
        let run = run_with(&config, &program, 256);
        assert!(check(&program, &run.beats, &run.image, &[0; 256]).is_err(), "{warp_wide:?} {fault:?}");
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
