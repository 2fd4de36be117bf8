//! The approximated functions against `docs/float/vectors.csv` and the golden model, which was
//! written from the same page and shares nothing with the RTL: special cases, corner exponents
//! crossed with corner significands, the seams of the reductions, random words. Operations run back
//! to back and mixed, so that every result also proves the latency, one operation per cycle, and
//! the lengths of the delays.

use crate::common::lane::FLOAT_CORNERS;
use quadlock_golden::float::{cos, exp2, log2, rcp, rsqrt, sin};
use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::float::functions::{Functions, FUNCTIONS_LATENCY};
use quadlock_testkit::tier;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

/// Operation number, name in the vectors, reference.
type Row = (u8, &'static str, fn(u32) -> u32);

const OPERATIONS: [Row; 6] =
    [(2, "rcp", rcp), (3, "rsqrt", rsqrt), (4, "exp2", exp2), (5, "log2", log2), (6, "sin", sin), (7, "cos", cos)];

const RANDOM: usize = 200_000;

/// Operation number and operand.
type Operation = (u8, u32);

fn reference((op, a): Operation) -> u32 {
    OPERATIONS.iter().find(|o| o.0 == op).unwrap().2(a)
}

/// Runs a stream of operations and idle cycles, tags counting up; what leaves in each cycle, from
/// the cycle of the first operation's result on.
fn run(config: &GpuConfig, stream: &[Option<Operation>]) -> Vec<Option<(u8, u32)>> {
    let mut uut = Bench::new(Functions::new(config), |b| &mut b.clock);
    let mut out = vec![];
    for at in 0..stream.len() + FUNCTIONS_LATENCY - 1 {
        let operation = stream.get(at).copied().flatten();
        uut.in_valid.next = operation.is_some();
        if let Some((op, a)) = operation {
            uut.op.next = bits(op.into());
            uut.a.next = bits(a.into());
        }
        // Tags travel with idle cycles too.
        uut.tag.next = bits(at as u64 & 0xFF);
        uut.cycle();
        out.push(uut.out_valid.val().then(|| (uut.out_tag.val().to_u8(), uut.value.val().to_u32())));
    }
    assert!(out[..FUNCTIONS_LATENCY - 1].iter().all(Option::is_none), "a result came early");
    out.split_off(FUNCTIONS_LATENCY - 1)
}

/// Runs operations back to back; `wanted` gives each one's result.
fn check(operations: &[Operation], wanted: impl Fn(Operation) -> u32) {
    let stream: Vec<_> = operations.iter().copied().map(Some).collect();
    let seen = run(&GpuConfig::default(), &stream);
    assert_eq!(seen.len(), operations.len());
    for (at, (seen, &operation)) in seen.iter().zip(operations).enumerate() {
        let wanted = (at as u8, wanted(operation));
        assert_eq!(*seen, Some(wanted), "{operation:x?}: seen {seen:x?}, wanted {wanted:x?} (tag, value)");
    }
}

/// Every operation on each of the words.
fn all(words: &[u32]) -> Vec<Operation> {
    words.iter().flat_map(|&a| OPERATIONS.map(|o| (o.0, a))).collect()
}

#[test]
fn vectors_of_the_page() {
    let mut rows = vec![];
    for line in include_str!("../../docs/float/vectors.csv").lines().skip(1) {
        let mut fields = line.split(',');
        let name = fields.next().unwrap();
        let words: Vec<_> = fields.map(|f| u32::from_str_radix(f, 16).ok()).collect();
        if let Some(operation) = OPERATIONS.iter().find(|o| o.1 == name) {
            rows.push(((operation.0, words[0].unwrap()), words[2].unwrap()));
        }
    }
    for (op, name, _) in OPERATIONS {
        assert!(rows.iter().filter(|r| r.0 .0 == op).count() >= 50, "vectors of {name}");
    }
    let operations: Vec<_> = rows.iter().map(|r| r.0).collect();
    check(&operations, |o| rows.iter().find(|r| r.0 == o).unwrap().1);
}

/// Zeros, infinities, NaNs of both signs, limits of exp2, and what else the lanes' tests call
/// corners.
#[test]
fn special_cases() {
    let mut words = FLOAT_CORNERS.to_vec();
    for limit in
        [0x4300_0000, 0x4316_0000, 0x3F80_0000, 0x3980_0000, 0x3F00_0000, 0x7F80_0000, 0x7EFF_FFFF, 0x0020_0000u32]
    {
        words.extend((0..9).flat_map(|i| [limit + i - 4, (limit + i - 4) | 1 << 31]));
    }
    check(&all(&words), reference);
}

/// Every exponent with significands at the ends and around the middle, and with single bits.
#[test]
fn every_exponent_with_corner_significands() {
    let mut words = vec![];
    for exponent in 0..=255u32 {
        for fraction in [0, 1, 2, 0x3F_FFFF, 0x40_0000, 0x40_0001, 0x7F_FFFE, 0x7F_FFFF, 0x2A_AAAA, 0x55_5555] {
            words.extend([exponent << 23 | fraction, 1 << 31 | exponent << 23 | fraction]);
        }
    }
    words.extend((0..23).flat_map(|bit| [1 << bit, 1 << 31 | 1 << bit]));
    check(&all(&words), reference);
}

/// First, last and middle operand of every interval of every table, in two binades.
#[test]
fn every_line_of_the_tables() {
    let mut operations = vec![];
    for line in 0..128u32 {
        for low in [0, 1, 0x7FFF, 0x8000, 0xFFFF] {
            for exponent in [126, 127, 128] {
                let word = exponent << 23 | line << 16 | low;
                operations.extend([(2, word), (3, word), (5, word), (4, word), (4, word | 1 << 31)]);
            }
        }
        // The circle by the 128 intervals of a quadrant, both octants.
        for quadrant in 0..5 {
            let phase = f64::from(quadrant) + f64::from(line) / 128.0;
            for step in [-1i32, 0, 1] {
                let word = ((phase * std::f64::consts::FRAC_PI_2) as f32).to_bits().wrapping_add_signed(step);
                operations.extend([(6, word), (7, word), (6, word ^ 1 << 31), (7, word ^ 1 << 31)]);
            }
        }
    }
    check(&operations, reference);
}

fn random(op: u8) {
    let mut rng = ChaCha8Rng::seed_from_u64(op.into());
    let operations: Vec<_> = (0..tier::cases(RANDOM / 5, RANDOM))
        .map(|_| {
            let word: u32 = rng.random();
            // One half any word, the other half where the functions are not constant.
            let near = rng.random_range(112..136u32) << 23;
            (op, if rng.random() { word } else { word & 0x807F_FFFF | near })
        })
        .collect();
    check(&operations, reference);
}

#[test]
fn random_words_rcp() {
    random(2);
}

#[test]
fn random_words_rsqrt() {
    random(3);
}

#[test]
fn random_words_exp2() {
    random(4);
}

#[test]
fn random_words_log2() {
    random(5);
}

#[test]
fn random_words_sin() {
    random(6);
}

#[test]
fn random_words_cos() {
    random(7);
}

/// Every pair of neighbouring operations, with special and with ordinary operands, so that nothing
/// of one reaches the other.
#[test]
fn operations_mix_back_to_back() {
    let mut rng = ChaCha8Rng::seed_from_u64(20);
    let mut operations = vec![];
    for _ in 0..100 {
        let mut ops: Vec<u8> = OPERATIONS.iter().flat_map(|o| [o.0; 6]).collect();
        ops.shuffle(&mut rng);
        operations.extend(ops.into_iter().map(|op| {
            let corner = FLOAT_CORNERS[rng.random_range(0..FLOAT_CORNERS.len())];
            (
                op,
                if rng.random_range(0..3) == 0 {
                    corner
                } else {
                    rng.random_range(100..150u32) << 23 | rng.random::<u32>() & 0x807F_FFFF
                },
            )
        }));
    }
    check(&operations, reference);
}

/// Gaps of any length: results leave exactly FUNCTIONS_LATENCY cycles after they came, and in no
/// other cycle.
#[test]
fn gaps_stay_gaps() {
    let mut rng = ChaCha8Rng::seed_from_u64(21);
    let stream: Vec<_> = (0..5000)
        .map(|at| {
            let busy = rng.random_range(0..4) > at / 500 % 5;
            busy.then(|| {
                (rng.random_range(2..8), rng.random_range(100..150u32) << 23 | rng.random::<u32>() & 0x807F_FFFF)
            })
        })
        .collect();
    let seen = run(&GpuConfig::default(), &stream);
    for (at, (seen, operation)) in seen.iter().zip(&stream).enumerate() {
        assert_eq!(*seen, operation.map(|o| (at as u8, reference(o))), "cycle {at}, {operation:x?}");
    }
}

/// The results that a planted fault makes wrong.
fn wrong(fault: Fault, operations: &[Operation]) -> Vec<Operation> {
    let config = GpuConfig { fault: Some(fault), ..GpuConfig::default() };
    let stream: Vec<_> = operations.iter().copied().map(Some).collect();
    let seen = run(&config, &stream);
    seen.iter().zip(operations).filter(|(s, &o)| s.unwrap().1 != reference(o)).map(|(_, &o)| o).collect()
}

/// Only sin and cos, only from 2^30 on.
#[test]
fn fault_range_reduction_shows() {
    let operations: Vec<_> = (60..254u32).flat_map(|e| all(&[e << 23 | 0x12_3456])).collect();
    let wrong = wrong(Fault::RangeReduction, &operations);
    assert!(wrong.len() > 100, "{} wrong", wrong.len());
    assert!(wrong.iter().all(|&(op, a)| op >= 6 && a >> 23 >= 127 + 30), "{wrong:x?}");
    assert!(wrong.contains(&(6, 0x4E80_0000 | 0x12_3456)), "the smallest operand");
}

/// Every function has an operand in interval 21, and others have the right result.
#[test]
fn fault_table_line_shows() {
    let operations = all(&(0..128).map(|line| 0x3F80_8000 | line << 16).collect::<Vec<u32>>());
    let wrong = wrong(Fault::TableLine, &operations);
    assert!(wrong.contains(&(2, 0x3F95_8000)), "rcp in the middle of the interval");
    for (op, name, _) in OPERATIONS {
        let count = wrong.iter().filter(|w| w.0 == op).count();
        assert!((1..=4).contains(&count), "{name}: {count} wrong");
    }
}

/// About half of the results of every function.
#[test]
fn fault_function_rounding_shows() {
    let mut rng = ChaCha8Rng::seed_from_u64(22);
    let mut operations = all(&(0..200).map(|_| rng.random_range(0x3F00_0000..0x4080_0000)).collect::<Vec<u32>>());
    operations.push((2, 0x4040_0000));
    let wrong = wrong(Fault::FunctionRounding, &operations);
    assert!(wrong.contains(&(2, 0x4040_0000)), "1/3 is rounded up");
    for (op, name, _) in OPERATIONS {
        let count = wrong.iter().filter(|w| w.0 == op).count();
        assert!((60..140).contains(&count), "{name}: {count} of 200 wrong");
    }
}
