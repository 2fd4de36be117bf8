//! The scalar execution unit against a plain model (WW-32): random warp-wide operations and
//! ordinary loads and stores, a stand-in for the load/store/atomic pipeline with random stalls and
//! latency, random back-pressure of the results. Every beat must come as the model says, in order
//! of the requests; the pipeline must see a locking load and then the store to the same place, with
//! nothing between. Stated latency and throughput are measured.

use std::collections::VecDeque;

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::memory::ScalarUnit;
use quadlock_isa::{Op, TABLE};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Bytes of memory.
const WINDOW: u32 = 64;

#[derive(Clone, Debug)]
struct Request {
    unit: u8,
    warp: u8,
    seq: u8,
    mask: u8,
    dst: u8,
    op: Op,
    addr: [u32; 4],
    /// words[word][lane]
    words: [[u32; 4]; 4],
}

#[derive(Clone, Debug, PartialEq)]
struct Beat {
    unit: u8,
    warp: u8,
    seq: u8,
    mask: u8,
    dst: u8,
    wen: bool,
    last: bool,
    value: [u32; 4],
}

/// Memory as 32-bit words; an address is aligned to the access and wraps at [`WINDOW`].
#[derive(Clone, PartialEq, Debug)]
struct Words(Vec<u32>);

impl Words {
    fn read(&self, address: u32, wide: bool) -> u64 {
        let at = Self::index(address, wide);
        u64::from(self.0[at]) | if wide { u64::from(self.0[at + 1]) << 32 } else { 0 }
    }

    fn write(&mut self, address: u32, wide: bool, value: u64) {
        let at = Self::index(address, wide);
        self.0[at] = value as u32;
        if wide {
            self.0[at + 1] = (value >> 32) as u32;
        }
    }

    fn index(address: u32, wide: bool) -> usize {
        (address % WINDOW / 4) as usize & if wide { !1 } else { !0 }
    }
}

/// Beats of one register after the other, the same lanes in each.
fn beats(r: &Request, wen: bool, values: &[[u32; 4]]) -> Vec<Beat> {
    let beat = |(k, value): (usize, &[u32; 4])| Beat {
        unit: r.unit,
        warp: r.warp,
        seq: r.seq,
        mask: r.mask,
        dst: (r.dst + k as u8) % 32,
        wen,
        last: k + 1 == values.len(),
        value: *value,
    };
    values.iter().enumerate().map(beat).collect()
}

/// What an ordinary load or store does, and its completion.
fn ordinary(memory: &mut Words, r: &Request) -> Vec<Beat> {
    let wide = matches!(r.op, Op::Ld64 | Op::St64);
    let lanes = || (0..4).filter(|lane| r.mask >> lane & 1 == 1);
    if matches!(r.op, Op::St32 | Op::St64) {
        for lane in lanes() {
            let value = u64::from(r.words[0][lane]) | u64::from(r.words[1][lane]) << 32;
            memory.write(r.addr[lane], wide, value);
        }
        return beats(r, false, &[[0; 4]]);
    }
    let mut values = vec![[0; 4]; 1 + usize::from(wide)];
    for lane in lanes() {
        let value = memory.read(r.addr[lane], wide);
        for (k, register) in values.iter_mut().enumerate() {
            register[lane] = (value >> (32 * k)) as u32;
        }
    }
    beats(r, true, &values)
}

/// What a warp-wide operation does: once, for the lowest active lane; the result is the same for
/// all.
fn warp_wide(memory: &mut Words, r: &Request) -> Vec<Beat> {
    let leader = r.mask.trailing_zeros() as usize;
    let code = r.op as u8;
    let wide = code >= 0xE0;
    let clip = if wide { u64::MAX } else { 0xFFFF_FFFF };
    let pair = |k: usize| (u64::from(r.words[k][leader]) | u64::from(r.words[k + 1][leader]) << 32) & clip;
    let (argument, expected) = (pair(0), pair(2));
    let old = memory.read(r.addr[leader], wide);
    let signed = |v: u64| if wide { v as i64 } else { i64::from(v as u32 as i32) };
    let mut result = old;
    let new = match code & 15 {
        0 => old.wrapping_add(argument),
        1 => old & argument,
        2 => old | argument,
        3 => old ^ argument,
        4 => [old, argument][usize::from(signed(argument) < signed(old))],
        5 => [old, argument][usize::from(signed(argument) > signed(old))],
        6 => old.min(argument),
        7 => old.max(argument),
        8 => argument,
        9 => [old, argument][usize::from(old == expected)],
        10 => old.wrapping_sub(argument),
        11 => {
            let swapped = old == 1 - (argument & 1);
            result = swapped.into();
            [old, argument & 1][usize::from(swapped)]
        }
        other => panic!("operation {other}"),
    };
    memory.write(r.addr[leader], wide, new & clip);
    let values: Vec<[u32; 4]> = (0..1 + usize::from(wide)).map(|k| [(result >> (32 * k)) as u32; 4]).collect();
    beats(r, true, &values)
}

fn perform(memory: &mut Words, r: &Request) -> Vec<Beat> {
    if r.op.is_warp_wide() {
        warp_wide(memory, r)
    } else {
        ordinary(memory, r)
    }
}

/// Small numbers, so that locks are taken and compares succeed, and large ones.
fn random_program(rng: &mut ChaCha8Rng, length: usize, share: f64) -> Vec<Request> {
    let wide: Vec<Op> = TABLE.iter().map(|r| r.op).filter(|op| op.is_warp_wide() && !op.is_shared()).collect();
    assert_eq!(wide.len(), 23);
    let others = [Op::Ld32, Op::Ld64, Op::St32, Op::St64];
    (0..length)
        .map(|k| {
            let pick = |rng: &mut ChaCha8Rng| match rng.random_range(0..4) {
                0 => rng.random(),
                1 => 0x8000_0000 | rng.random_range(0..2),
                _ => rng.random_range(0..2),
            };
            let op = if rng.random_bool(share) {
                wide[rng.random_range(0..wide.len())]
            } else {
                others[rng.random_range(0..others.len())]
            };
            Request {
                unit: rng.random_range(0..8),
                warp: rng.random_range(0..16),
                seq: k as u8,
                mask: rng.random_range(1..16),
                dst: rng.random_range(0..32),
                op,
                addr: std::array::from_fn(|_| rng.random_range(0..WINDOW)),
                words: std::array::from_fn(|_| std::array::from_fn(|_| pick(rng))),
            }
        })
        .collect()
}

/// Chances in percent: of the stand-in to refuse a request, of a beat not to be taken, of a cycle
/// without a request; and the most cycles from acceptance to completion (the least is 3).
#[derive(Clone, Copy, Debug)]
struct Timing {
    refuse: u32,
    hold: u32,
    pause: u32,
    latency: u64,
}

const QUICK: Timing = Timing { refuse: 0, hold: 0, pause: 0, latency: 3 };

struct Run {
    /// Cycle in which each request was taken.
    taken: Vec<u64>,
    /// Beats with the cycle in which they were taken.
    beats: Vec<(u64, Beat)>,
    memory: Words,
    /// Requests with and without lock that the stand-in took.
    locks: usize,
    accesses: usize,
    /// Most instructions in the stand-in at the acceptance of a warp-wide operation.
    ahead: usize,
}

fn present(unit: &mut ScalarUnit, r: &Request) {
    unit.req_unit.next = u64::from(r.unit).into();
    unit.req.warp.next = u64::from(r.warp).into();
    unit.req.seq.next = u64::from(r.seq).into();
    unit.req.mask.next = u64::from(r.mask).into();
    unit.req.dst.next = u64::from(r.dst).into();
    unit.req.op.next = u64::from(r.op as u8).into();
    let addresses = unit.req.addr.each_mut();
    for (port, value) in addresses.into_iter().zip(r.addr) {
        port.next = u64::from(value).into();
    }
    let req = &mut *unit.req;
    let words = [req.w0_.each_mut(), req.w1_.each_mut(), req.w2_.each_mut(), req.w3_.each_mut()];
    for (ports, values) in words.into_iter().zip(r.words) {
        for (port, value) in ports.into_iter().zip(values) {
            port.next = u64::from(value).into();
        }
    }
}

/// The request at the pipeline's side: lane 0 from the scalar unit's ports, the rest as it goes
/// past it.
fn at_pipeline(unit: &ScalarUnit, past: &Request) -> Request {
    let mut r = past.clone();
    r.unit = unit.l_req_unit.val().to_u8();
    r.warp = unit.l_req_warp.val().to_u8();
    r.seq = unit.l_req_seq.val().to_u8();
    r.mask = unit.l_req_mask.val().to_u8();
    r.dst = unit.l_req_dst.val().to_u8();
    r.op = Op::from_code(unit.l_req_op.val().to_u8()).unwrap();
    r.addr[0] = unit.l_req_addr0.val().to_u32();
    r.words[0][0] = unit.l_req_w0_0.val().to_u32();
    r.words[1][0] = unit.l_req_w1_0.val().to_u32();
    r
}

fn offer(unit: &mut ScalarUnit, beat: Option<&Beat>) {
    unit.l_rsp.valid.next = beat.is_some();
    let Some(b) = beat else { return };
    unit.l_rsp_unit.next = u64::from(b.unit).into();
    unit.l_rsp.warp.next = u64::from(b.warp).into();
    unit.l_rsp.seq.next = u64::from(b.seq).into();
    unit.l_rsp.mask.next = u64::from(b.mask).into();
    unit.l_rsp.dst.next = u64::from(b.dst).into();
    unit.l_rsp.wen.next = b.wen;
    unit.l_rsp.last.next = b.last;
    unit.l_rsp.value[0].next = u64::from(b.value[0]).into();
    unit.l_rsp.value[1].next = u64::from(b.value[1]).into();
    unit.l_rsp.value[2].next = u64::from(b.value[2]).into();
    unit.l_rsp.value[3].next = u64::from(b.value[3]).into();
}

fn beat(u: &ScalarUnit) -> Beat {
    Beat {
        unit: u.rsp_unit.val().to_u8(),
        warp: u.rsp.warp.val().to_u8(),
        seq: u.rsp.seq.val().to_u8(),
        mask: u.rsp.mask.val().to_u8(),
        dst: u.rsp.dst.val().to_u8(),
        wen: u.rsp.wen.val(),
        last: u.rsp.last.val(),
        value: u.rsp.value.each_ref().map(|port| port.val()).map(|v| v.to_u32()),
    }
}

fn run(config: &GpuConfig, program: &[Request], memory: &Words, timing: Timing, seed: u64) -> Run {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut bench = Bench::new(ScalarUnit::new(config), |b| &mut b.clock);
    let mut run = Run { taken: vec![], beats: vec![], memory: memory.clone(), locks: 0, accesses: 0, ahead: 0 };
    // The stand-in: beats of what it has accepted, in order, none before its cycle. Accepted
    // requests that are not complete, 18 at most.
    let mut pending: VecDeque<(u64, Beat)> = VecDeque::new();
    let mut locked: Option<u32> = None;
    let (mut next, mut finished, mut inside) = (0, 0, 0);
    let mut offered = false;
    for cycle in 0..40 * (timing.latency + 4) * program.len() as u64 {
        if finished == program.len() {
            break;
        }
        offered = next < program.len() && (offered || rng.random_range(0..100) >= timing.pause);
        bench.req.valid.next = offered;
        if offered {
            present(&mut bench, &program[next]);
        }
        bench.l_req_ready.next = inside < 18 && rng.random_range(0..100) >= timing.refuse;
        bench.rsp.ready.next = rng.random_range(0..100) >= timing.hold;
        let head = pending.front().filter(|(ready, _)| *ready <= cycle).map(|(_, b)| b.clone());
        offer(&mut bench, head.as_ref());
        bench.settle();
        if bench.l_req_valid.val() && bench.l_req_ready.next {
            let past = &program[next.min(program.len() - 1)];
            let r = at_pipeline(&bench, past);
            assert!(!r.op.is_warp_wide(), "cycle {cycle}: a warp-wide operation reached the pipeline");
            run.accesses += 1;
            if let Some(address) = locked.take() {
                assert!(
                    matches!(r.op, Op::St32 | Op::St64) && r.addr[0] == address,
                    "cycle {cycle}: {r:?} between locking load and store"
                );
            }
            if bench.l_req_lock.val() {
                assert!(matches!(r.op, Op::Ld32 | Op::Ld64) && r.mask == 1, "cycle {cycle}: {r:?} locks");
                locked = Some(r.addr[0]);
                run.locks += 1;
            }
            inside += 1;
            let at = cycle + rng.random_range(3..=timing.latency);
            pending.extend(ordinary(&mut run.memory, &r).into_iter().map(|b| (at, b)));
        }
        if bench.l_rsp.valid.next && bench.l_rsp.ready.val() {
            let (_, beat) = pending.pop_front().unwrap();
            inside -= usize::from(beat.last);
        }
        if offered && bench.req.ready.val() {
            if program[next].op.is_warp_wide() {
                run.ahead = run.ahead.max(inside);
            }
            run.taken.push(cycle);
            next += 1;
            offered = false;
        }
        if bench.rsp.valid.val() && bench.rsp.ready.next {
            let beat = beat(&bench);
            finished += usize::from(beat.last);
            run.beats.push((cycle, beat));
        }
        bench.cycle();
    }
    run
}

/// The first difference between a run and the model.
fn check(program: &[Request], memory: &Words, run: &Run) -> Result<(), String> {
    let mut memory = memory.clone();
    let mut got = run.beats.iter();
    for (k, request) in program.iter().enumerate() {
        for expected in perform(&mut memory, request) {
            let beat = got.next().ok_or(format!("request {k} {request:x?}: no completion"))?;
            if beat.1 != expected {
                return Err(format!("request {k} {request:x?}:\n{:x?} instead of\n{expected:x?}", beat.1));
            }
        }
    }
    match got.next() {
        Some(beat) => Err(format!("a beat too many: {beat:?}")),
        None if run.memory != memory => Err(format!("memory: {:x?} instead of {:x?}", run.memory, memory)),
        None => Ok(()),
    }
}

fn start() -> Words {
    Words((0..WINDOW / 4).map(|k| if k % 2 == 0 { 0 } else { 0x9E37_79B9u32.wrapping_mul(k) }).collect())
}

/// Every operation, every mask, between ordinary instructions, any timing: beats, order and memory
/// are as the model says (WW-20 to WW-25, WW-32).
#[test]
fn random_operations_agree_with_the_model() {
    let slow = Timing { refuse: 30, hold: 30, pause: 20, latency: 40 };
    let deep = Timing { refuse: 0, hold: 80, pause: 0, latency: 60 };
    for (seed, timing, share) in [(1, QUICK, 0.5), (2, slow, 0.5), (3, slow, 0.1), (4, deep, 0.05), (5, QUICK, 1.0)] {
        let program = random_program(&mut ChaCha8Rng::seed_from_u64(seed), 1500, share);
        let run = run(&GpuConfig::default(), &program, &start(), timing, seed + 100);
        check(&program, &start(), &run).unwrap_or_else(|e| panic!("seed {seed} {timing:?}: {e}"));
        let wide = program.iter().filter(|r| r.op.is_warp_wide()).count();
        assert_eq!((run.locks, run.accesses), (wide, program.len() + wide), "a load and a store per operation");
        // With so few operations the stand-in fills up before them.
        assert!(seed != 4 || run.ahead >= 17, "{}", run.ahead);
    }
}

/// The stated latency and throughput: 2 cycles and the pipeline's load and store, each 3 cycles
/// here (a 64-bit load has a beat more), and the next operation in the cycle after the last beat.
#[test]
fn an_operation_costs_two_cycles_and_a_load_and_a_store() {
    for (op, first, last) in [(Op::WAAdd, 8, 8), (Op::WALock, 8, 8), (Op::WAAdd64, 9, 10)] {
        let mut program = random_program(&mut ChaCha8Rng::seed_from_u64(7), 20, 1.0);
        program.iter_mut().for_each(|r| r.op = op);
        let run = run(&GpuConfig::default(), &program, &start(), QUICK, 8);
        check(&program, &start(), &run).unwrap();
        for (k, taken) in run.taken.iter().enumerate() {
            let of = || run.beats.iter().filter(|(_, b)| b.seq == k as u8).map(|(cycle, _)| cycle - taken);
            assert_eq!((of().min().unwrap(), of().max().unwrap()), (first, last), "{op:?}");
            if k > 0 {
                assert_eq!(taken - run.taken[k - 1], last + 1, "{op:?}");
            }
        }
    }
}

/// What is not warp-wide passes in its cycle, one request per cycle.
#[test]
fn ordinary_instructions_are_not_delayed() {
    let program = random_program(&mut ChaCha8Rng::seed_from_u64(9), 64, 0.0);
    let mut bench = Bench::new(ScalarUnit::new(&GpuConfig::default()), |b| &mut b.clock);
    bench.req.valid.next = true;
    bench.l_req_ready.next = true;
    bench.rsp.ready.next = true;
    for (k, request) in program.iter().enumerate() {
        present(&mut bench, request);
        // The completion of the one before.
        let done = k.checked_sub(1).map(|before| beats(&program[before], false, &[[0; 4]])[0].clone());
        offer(&mut bench, done.as_ref());
        bench.settle();
        assert!(bench.l_req_valid.val() && bench.req.ready.val() && !bench.l_req_lock.val());
        assert_eq!(at_pipeline(&bench, request).op, request.op);
        assert_eq!(bench.rsp.valid.val().then(|| beat(&bench)), done);
        bench.cycle();
    }
}

/// Each planted fault of the unit is seen by the model.
#[test]
fn planted_faults_are_caught() {
    for fault in
        [Fault::ScalarWrongWarp, Fault::WideInactive, Fault::WideOldValue, Fault::WideLockSteals, Fault::LockForeign]
    {
        let config = GpuConfig { fault: Some(fault), ..GpuConfig::default() };
        let program = random_program(&mut ChaCha8Rng::seed_from_u64(11), 300, 0.8);
        let run = run(&config, &program, &start(), QUICK, 12);
        assert!(check(&program, &start(), &run).is_err(), "{fault:?} was not caught");
    }
}
