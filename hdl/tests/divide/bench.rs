//! Running the divider on requests of four lanes, with whatever gaps and back-pressure, and
//! reference semantics that share nothing with it.

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::float::divide::Divide;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use rustc_apfloat::ieee::Single;
use rustc_apfloat::Float;

pub const NAN: u32 = 0x7FC0_0000;

/// One operation: square root of the first, or quotient of the two.
pub type Operation = (bool, u32, u32);

/// One instruction of a warp.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub root: bool,
    pub mask: u32,
    pub a: [u32; 4],
    pub b: [u32; 4],
}

/// Probability that a new request comes, and that a response is taken, in a cycle.
#[derive(Clone, Copy)]
pub struct Pace {
    pub request: f64,
    pub response: f64,
}

pub const FULL: Pace = Pace { request: 1.0, response: 1.0 };

/// What a run has seen: values of each response and the cycle in which it was first valid; ports of
/// each cycle.
#[derive(Default)]
pub struct Seen {
    pub values: Vec<[u32; 4]>,
    pub cycles: Vec<usize>,
    pub inputs: Vec<Vec<u32>>,
    pub outputs: Vec<Vec<Option<u32>>>,
}

fn outputs(bench: &Divide) -> Vec<u32> {
    let mut all = vec![bench.req_ready.val().into(), bench.rsp_valid.val().into()];
    all.extend([&bench.value0, &bench.value1, &bench.value2, &bench.value3].map(|v| v.val().to_u32()));
    all
}

/// Runs the requests in order until all have their response.
///
/// # Panics
/// When a response changes while it waits, or none comes for a hundred cycles in which it would be
/// taken.
pub fn run(config: &GpuConfig, requests: &[Request], pace: Pace) -> Seen {
    let mut bench = Bench::new(Divide::new(config), |b| &mut b.clock);
    let mut rng = ChaCha8Rng::seed_from_u64(requests.len() as u64);
    let mut seen = Seen::default();
    let (mut next, mut offered) = (0, false);
    let mut waiting: Option<[u32; 4]> = None;
    let mut idle = 0;
    while seen.values.len() < requests.len() {
        offered |= next < requests.len() && rng.random_bool(pace.request);
        let request = requests[next.min(requests.len() - 1)];
        let taken = rng.random_bool(pace.response);
        let mut row = vec![offered.into(), request.root.into(), request.mask, taken.into()];
        row.extend(request.a.into_iter().chain(request.b));
        let word = |at: usize| -> Bits<32> { bits(row[at].into()) };
        bench.req_valid.next = offered;
        bench.root.next = request.root;
        bench.mask.next = bits(request.mask.into());
        bench.rsp_ready.next = taken;
        (bench.a0.next, bench.a1.next, bench.a2.next, bench.a3.next) = (word(4), word(5), word(6), word(7));
        (bench.b0.next, bench.b1.next, bench.b2.next, bench.b3.next) = (word(8), word(9), word(10), word(11));
        bench.settle();
        if offered && bench.req_ready.val() {
            (next, offered) = (next + 1, false);
        }
        idle += 1;
        if bench.rsp_valid.val() {
            let values: [u32; 4] = outputs(&bench)[2..].try_into().unwrap();
            if waiting.is_none() {
                seen.cycles.push(seen.inputs.len());
            }
            assert_eq!(*waiting.get_or_insert(values), values, "a response changes while it waits");
            if taken {
                seen.values.push(values);
                waiting = None;
            }
            idle = 0;
        }
        assert!(idle < 100 || pace.request < 1.0, "no response");
        bench.cycle();
        seen.inputs.push(row);
        seen.outputs.push(outputs(&bench).into_iter().map(Some).collect());
    }
    seen
}

/// Four operations of a kind to a request, all lanes active; the last ones are repeated where lanes
/// are left.
pub fn requests(operations: &[Operation]) -> Vec<Request> {
    let of = |root: bool| {
        let all: Vec<_> = operations.iter().copied().filter(|o| o.0 == root).collect();
        let quad = |quad: &[Operation]| {
            let lane = |k: usize| quad[k.min(quad.len() - 1)];
            Request { root, mask: 15, a: [0, 1, 2, 3].map(|k| lane(k).1), b: [0, 1, 2, 3].map(|k| lane(k).2) }
        };
        all.chunks(4).map(quad).collect::<Vec<_>>()
    };
    of(false).into_iter().chain(of(true)).collect()
}

/// Runs the operations without a pause; each with its result.
pub fn results(config: &GpuConfig, operations: &[Operation]) -> Vec<(Operation, u32)> {
    let requests = requests(operations);
    let seen = run(config, &requests, FULL).values;
    let lanes = |(r, v): (&Request, [u32; 4])| [0, 1, 2, 3].map(|k| ((r.root, r.a[k], r.b[k]), v[k]));
    requests.iter().zip(seen).flat_map(lanes).collect()
}

/// Runs the operations and compares with [`reference`].
pub fn check(operations: &[Operation]) {
    for ((root, a, b), seen) in results(&GpuConfig::default(), operations) {
        let wanted = reference((root, a, b));
        let name = if root { "sqrt" } else { "div" };
        assert_eq!(seen, wanted, "{name} {a:#010x} {b:#010x}: seen {seen:#010x}, wanted {wanted:#010x}");
    }
}

/// The operations on which a divider with a planted fault is wrong.
pub fn wrong_with(fault: Fault, operations: &[Operation]) -> Vec<(Operation, u32)> {
    let config = GpuConfig { fault: Some(fault), ..GpuConfig::default() };
    results(&config, operations).into_iter().filter(|&(o, seen)| seen != reference(o)).collect()
}

/// The one NaN for any NaN. The compiler takes all NaNs for equal and removes the replacement where
/// it sees the operation (a root, Rust 1.95).
fn canonical(value: f32) -> u32 {
    let value = std::hint::black_box(value);
    if value.is_nan() {
        NAN
    } else {
        value.to_bits()
    }
}

/// By native arithmetic, and the same by apfloat or, of a root, by integers.
pub fn reference((root, a, b): Operation) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    if root {
        let native = canonical(x.sqrt());
        assert_eq!(native, integer_root(x), "the references disagree on sqrt {a:#x}");
        native
    } else {
        let native = canonical(x / y);
        let quotient = (Single::from_bits(a.into()) / Single::from_bits(b.into())).value;
        let exact = if quotient.is_nan() { NAN } else { quotient.to_bits() as u32 };
        assert_eq!(native, exact, "the references disagree on {a:#x} / {b:#x}");
        native
    }
}

/// Root of the significand as an integer of at least 27 bits, the rest as one more bit, and one
/// rounding by the conversion to f32.
fn integer_root(x: f32) -> u32 {
    if x == 0.0 || x == f32::INFINITY {
        return x.to_bits();
    }
    if x.is_nan() || x < 0.0 {
        return NAN;
    }
    let fraction = u64::from(x.to_bits() & 0x7F_FFFF);
    let (significand, exponent) = match x.to_bits() >> 23 {
        0 => (fraction, -149),
        field => (fraction | 0x80_0000, field as i32 - 150),
    };
    let shift = significand.leading_zeros() as i32 - 3;
    let shift = shift - ((exponent - shift) & 1);
    let radicand = significand << shift;
    let root = radicand.isqrt();
    let sticky = u64::from(root * root != radicand);
    (((root << 1 | sticky) as f64 * 2f64.powi((exponent - shift) / 2 - 1)) as f32).to_bits()
}
