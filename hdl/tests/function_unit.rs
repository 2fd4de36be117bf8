//! The function unit against the golden model's functions: random requests of all operations with
//! gaps and back-pressure; completions in order with the fields of their requests; every slot used
//! again and again; the latency and throughput that its header states.

use quadlock_golden::float;
use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::float::divide::{DIVIDE_INTERVAL, DIVIDE_LATENCY};
use quadlock_hdl::float::functions::FUNCTIONS_LATENCY;
use quadlock_hdl::warp::function_unit::{FunctionUnit, SLOTS};
use quadlock_isa::{Class, Op, TABLE};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[derive(Clone, Debug)]
struct Request {
    op: Op,
    mask: u8,
    dst: u8,
    a: [u32; 4],
    b: [u32; 4],
}

fn wanted(op: Op, a: u32, b: u32) -> u32 {
    match op {
        Op::FDiv => float::div(a, b),
        Op::FSqrt => float::sqrt(a),
        Op::FRcp => float::rcp(a),
        Op::FRsq => float::rsqrt(a),
        Op::FExp2 => float::exp2(a),
        Op::FLog2 => float::log2(a),
        Op::FSin => float::sin(a),
        Op::FCos => float::cos(a),
        other => panic!("{other:?}"),
    }
}

fn random_requests(seed: u64, count: usize, ops: &[Op]) -> Vec<Request> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let special = [0, 0x8000_0000, 0x7F80_0000, 0xFF80_0000, 0x7FC0_0001, 1, 0x3F80_0000];
    let mut word = move || match rand::Rng::random_range(&mut rng, 0..8) {
        0 => special[rng.random_range(0..special.len())],
        1..=3 => rng.random(),
        _ => (0x3000_0000 + rng.random_range(0..0x1800_0000)) | (u32::from(rng.random_range(0..4) == 0) << 31),
    };
    (0..count)
        .map(|_| Request {
            op: ops[word() as usize % ops.len()],
            mask: (word() % 15) as u8 + 1,
            dst: word() as u8 % 32,
            a: std::array::from_fn(|_| word()),
            b: std::array::from_fn(|_| word()),
        })
        .collect()
}

fn all_ops() -> Vec<Op> {
    TABLE.iter().filter(|row| row.class == Class::Function).map(|row| row.op).collect()
}

/// Runs the requests; (cycle of acceptance, cycle of completion) of each. `offer` and `ready` are
/// chances in 256.
fn run(requests: &[Request], seed: u64, offer: u16, ready: u16) -> Vec<(u64, u64)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut bench = Bench::new(FunctionUnit::new(&GpuConfig::default()), |b| &mut b.clock);
    let (mut accepted, mut times, mut offered) = (Vec::new(), Vec::new(), false);
    while times.len() < requests.len() {
        let next: usize = accepted.len();
        offered = next < requests.len() && (offered || rng.random_range(0..256) < offer);
        bench.req.valid.next = offered;
        if let Some(r) = requests.get(next) {
            bench.req.op.next = (r.op as u64).into();
            bench.req.warp.next = (next as u64 % 16).into();
            bench.req.seq.next = (next as u64 % 256).into();
            bench.req.mask.next = u64::from(r.mask).into();
            bench.req.dst.next = u64::from(r.dst).into();
            let s = &mut *bench;
            let a = s.req.a.each_mut();
            a.into_iter().zip(r.a).for_each(|(port, value)| port.next = u64::from(value).into());
            let b = s.req.b.each_mut();
            b.into_iter().zip(r.b).for_each(|(port, value)| port.next = u64::from(value).into());
        }
        bench.rsp.ready.next = rng.random_range(0..256) < ready;
        bench.settle();
        let now = bench.cycles;
        if offered && bench.req.ready.val() {
            accepted.push(now);
            offered = false;
        }
        if bench.rsp.valid.val() && bench.rsp.ready.next {
            let n = times.len();
            let r = &requests[n];
            assert_eq!(bench.rsp.warp.val().to_u64(), n as u64 % 16, "warp of {n}");
            assert_eq!(bench.rsp.seq.val().to_u64(), n as u64 % 256, "seq of {n}");
            assert_eq!((bench.rsp.mask.val().to_u8(), bench.rsp.dst.val().to_u8()), (r.mask, r.dst));
            let values = bench.rsp.value.each_ref().map(|v| v.val());
            for lane in (0..4).filter(|lane| r.mask >> lane & 1 == 1) {
                let (a, b) = (r.a[lane], r.b[lane]);
                let want = wanted(r.op, a, b);
                assert_eq!(values[lane].to_u32(), want, "request {n} lane {lane}: {:?} {a:#010x} {b:#010x}", r.op);
            }
            times.push((accepted[n], now));
        }
        bench.cycle();
        assert!(bench.cycles < 100_000, "hang: {} of {} done", times.len(), requests.len());
    }
    times
}

#[test]
fn random_requests_complete_in_order() {
    for (seed, offer, ready) in [(1, 256, 256), (2, 256, 60), (3, 40, 256), (4, 128, 128)] {
        run(&random_requests(seed, 400, &all_ops()), seed, offer, ready);
    }
}

fn full(op: Op) -> Request {
    Request { op, mask: 15, dst: 3, a: [0x4040_0000; 4], b: [0x4000_0000; 4] }
}

/// One request alone: the header's latency.
#[test]
fn latency_of_a_table_function() {
    for (mask, lanes) in [(1, 1), (15, 4), (10, 2)] {
        let times = run(&[Request { mask, ..full(Op::FExp2) }], 1, 256, 256);
        assert_eq!(times[0].1 - times[0].0, FUNCTIONS_LATENCY as u64 + lanes + 2, "{lanes} lanes");
    }
}

/// A division alone, and divisions in a row.
#[test]
fn time_of_divisions() {
    for op in [Op::FDiv, Op::FSqrt] {
        let times = run(&[full(op)], 1, 256, 256);
        assert_eq!(times[0].1 - times[0].0, DIVIDE_LATENCY as u64 + 3, "{op:?}");
        let times = run(&vec![full(op); 40], 1, 256, 256);
        assert_eq!(times[39].1 - times[19].1, 20 * DIVIDE_INTERVAL as u64, "{op:?}");
    }
}

/// Full warps: a table function every four cycles; single lanes: one every cycle.
#[test]
fn one_lane_per_cycle() {
    for (mask, cycles) in [(15, 4), (1, 1)] {
        let requests = vec![Request { mask, ..full(Op::FSin) }; 60];
        let times = run(&requests, 1, 256, 256);
        assert_eq!(times[59].1 - times[19].1, 40 * cycles, "mask {mask}");
    }
}

/// Requests are refused only when every slot is taken.
#[test]
fn all_slots_are_used() {
    let mut bench = Bench::new(FunctionUnit::new(&GpuConfig::default()), |b| &mut b.clock);
    let mut taken = 0;
    for _ in 0..200 {
        bench.req.valid.next = true;
        bench.req.op.next = (Op::FRcp as u64).into();
        bench.req.mask.next = 15u64.into();
        bench.rsp.ready.next = false;
        bench.settle();
        taken += usize::from(bench.req.ready.val());
        bench.cycle();
    }
    assert_eq!(taken, SLOTS + 1, "one in the output register, which nobody takes");
}
