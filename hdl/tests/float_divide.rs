//! Division and square root of a warp: right to the last bit, handshake, latency and throughput as
//! its header says.

use crate::common::lane::{random_float, FLOAT_CORNERS};
use crate::common::{icarus_agrees, Port};
use crate::divide::bench::{check, reference, requests, run, wrong_with, Operation, Pace, Request, FULL};
use crate::divide::hard::{quotients, roots, squares};
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::build;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::float::divide::{DIVIDE_INTERVAL, DIVIDE_LATENCY};
use quadlock_testkit::tier;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const RANDOM: usize = 100_000;

/// Corner exponents with corner significands, both signs, as TestFloat's level 1 crosses them.
fn corners() -> Vec<u32> {
    let exponents = [0u32, 1, 2, 24, 103, 125, 126, 127, 128, 129, 150, 230, 253, 254, 255];
    let fractions = [0u32, 1, 2, 0x3F_FFFF, 0x40_0000, 0x40_0001, 0x7F_FFFE, 0x7F_FFFF];
    let magnitudes = exponents.iter().flat_map(|e| fractions.map(|f| e << 23 | f));
    magnitudes.flat_map(|m| [m, m | 1 << 31]).chain(FLOAT_CORNERS).collect()
}

fn random(seed: u64, count: usize) -> Vec<Operation> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| (rng.random(), random_float(&mut rng), random_float(&mut rng))).collect()
}

/// The rows of the statement's vectors.
#[test]
fn stated_vectors() {
    let word = |text: &str| u32::from_str_radix(text, 16).unwrap();
    let mut operations = vec![];
    for line in include_str!("../../docs/float/vectors.csv").lines() {
        let fields: Vec<&str> = line.split(',').collect();
        let operation = match fields[0] {
            "div" => (false, word(fields[1]), word(fields[2])),
            "sqrt" => (true, word(fields[1]), 0),
            _ => continue,
        };
        assert_eq!(reference(operation), word(fields[3]), "{line}");
        operations.push(operation);
    }
    assert!(operations.len() > 100);
    check(&operations);
}

#[test]
fn corner_values_crossed() {
    let corners = corners();
    // By day every third number is divided by all.
    let pairs = corners.iter().step_by(tier::cases(3, 1)).flat_map(|&a| corners.iter().map(move |&b| (false, a, b)));
    let roots = corners.iter().map(|&a| (true, a, 0x3F80_0000));
    check(&pairs.chain(roots).collect::<Vec<_>>());
}

#[test]
fn random_values() {
    check(&random(1, tier::cases(RANDOM / 4, RANDOM)));
}

#[test]
fn quotients_next_to_a_rounding_boundary() {
    check(&quotients(&mut ChaCha8Rng::seed_from_u64(2), 20_000));
}

#[test]
fn roots_next_to_a_rounding_boundary() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut operations = roots(&mut rng);
    assert!(operations.len() > 300, "{}", operations.len());
    operations.extend(squares(&mut rng, 4000));
    check(&operations);
}

/// Subnormal quotients with the leading one at every place: exact ties, a unit beside them, and all
/// ones.
fn subnormal_quotients(seed: u64) -> Vec<Operation> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut operations = vec![];
    for lost in 0..27u32 {
        for _ in 0..24 {
            // a = x * 2^-126 with x in [1, 2), b = 2^lost, or a little more or less.
            let low = rng.random::<u32>() & 0x7F_FFFF & (!0u32).checked_shl(lost.saturating_sub(1)).unwrap_or(0);
            let fraction =
                [low, low ^ (1 << (lost.clamp(1, 23) - 1)), low.wrapping_add(1), 0x7F_FFFF][rng.random_range(0..4)];
            let a = rng.random_range(0..2u32) << 31 | 1 << 23 | fraction & 0x7F_FFFF;
            let b = (127 + lost) << 23;
            operations.extend([b, b + 1, b - 1].map(|b| (false, a, b)));
        }
    }
    operations
}

#[test]
fn underflow_is_gradual() {
    check(&subnormal_quotients(4));
}

/// The latency and the interval that the block's header states.
#[test]
fn latency_and_throughput() {
    let requests = requests(&random(5, 200));
    let one = run(&GpuConfig::default(), &requests[..1], FULL);
    assert_eq!(one.cycles, [DIVIDE_LATENCY]);
    let many = run(&GpuConfig::default(), &requests, FULL);
    let expected: Vec<usize> = (0..requests.len()).map(|n| DIVIDE_LATENCY + n * DIVIDE_INTERVAL).collect();
    assert_eq!(many.cycles, expected);
}

/// Requests of both kinds with random masks.
fn mixed(seed: u64, count: usize) -> Vec<Request> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let four = |rng: &mut ChaCha8Rng| [(); 4].map(|()| random_float(rng));
    (0..count)
        .map(|_| Request { root: rng.random(), mask: rng.random_range(0..16), a: four(&mut rng), b: four(&mut rng) })
        .collect()
}

/// Whatever the gaps between requests and the responses left waiting: every response comes once, in
/// order, right, with +0 in inactive lanes.
#[test]
fn handshake_with_gaps_and_back_pressure() {
    for (request, response) in [(1.0, 1.0), (1.0, 0.5), (1.0, 0.05), (0.1, 1.0), (0.05, 0.05), (0.5, 0.2)] {
        let requests = mixed(6, 400);
        let seen = run(&GpuConfig::default(), &requests, Pace { request, response });
        for (r, values) in requests.iter().zip(seen.values) {
            for (k, value) in values.into_iter().enumerate() {
                let wanted = if r.mask >> k & 1 == 1 { reference((r.root, r.a[k], r.b[k])) } else { 0 };
                assert_eq!(value, wanted, "lane {k} of {r:x?}");
            }
        }
    }
}

/// The exported Verilog does in every cycle what rust-hdl's engine does.
#[test]
fn verilog_agrees() {
    let config = GpuConfig::default();
    let mut requests = mixed(7, 150);
    requests.extend(self::requests(&quotients(&mut ChaCha8Rng::seed_from_u64(8), 400)));
    requests.extend(self::requests(&subnormal_quotients(9)[..400]));
    let seen = run(&config, &requests, Pace { request: 0.7, response: 0.5 });
    let inputs: &[Port] = &[
        ("req_valid", 1),
        ("root", 1),
        ("mask", 4),
        ("rsp_ready", 1),
        ("a0", 32),
        ("a1", 32),
        ("a2", 32),
        ("a3", 32),
        ("b0", 32),
        ("b1", 32),
        ("b2", 32),
        ("b3", 32),
    ];
    let outputs: &[Port] =
        &[("req_ready", 1), ("rsp_valid", 1), ("value0", 32), ("value1", 32), ("value2", 32), ("value3", 32)];
    let verilog = build("float_divide", &config).unwrap().text().replace("module float_divide(", "module top(");
    icarus_agrees("float_divide", &verilog, true, inputs, outputs, &seen.inputs, &seen.outputs);
}

/// A planted fault shows on the vectors that the healthy block passes, and only where it should.
#[test]
fn faults_show() {
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    let mut operations = quotients(&mut rng, 2000);
    operations.extend(roots(&mut rng));
    operations.extend(subnormal_quotients(11));
    let sticky = wrong_with(Fault::DivideSticky, &operations);
    assert!(sticky.len() > 50, "{}", sticky.len());
    let subnormal = wrong_with(Fault::DivideSubnormal, &operations);
    assert!(subnormal.len() > 50, "{}", subnormal.len());
    assert!(subnormal.iter().all(|&(o, _)| f32::from_bits(reference(o)).abs() <= f32::MIN_POSITIVE));
    let root = wrong_with(Fault::SqrtRounding, &operations);
    assert!(root.len() > 50, "{}", root.len());
    assert!(root.iter().all(|r| r.0 .0));
}
