//! Floating point of a lane against `rustc_apfloat` and native f32: corner values crossed, and
//! random values rich in subnormals, ties and cancellation. Operations run back to back, so each
//! also proves the latency and one operation per cycle.

use crate::common::lane::{canonical, check, fault_shows, random_float, Operation, FLOAT_CORNERS};
use quadlock_hdl::fault::Fault;
use quadlock_isa::Op;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_apfloat::ieee::Single;
use rustc_apfloat::{Float, Round};

const RANDOM: usize = 20_000;

fn single(word: u32) -> Single {
    Single::from_bits(word.into())
}

fn word(value: Single) -> u32 {
    if value.is_nan() {
        0x7FC0_0000
    } else {
        value.to_bits() as u32
    }
}

/// By apfloat, and the same by native arithmetic.
fn reference((op, a, b, c): Operation) -> u32 {
    let (x, y, z) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
    let fma = |x: u32, y: u32, z: u32| word(single(x).mul_add(single(y), single(z)).value);
    let (exact, native) = match op {
        Op::FAdd => (word((single(a) + single(b)).value), canonical(x + y)),
        Op::FSub => (word((single(a) - single(b)).value), canonical(x - y)),
        Op::FMul => (word((single(a) * single(b)).value), canonical(x * y)),
        Op::FFma => (fma(a, b, c), canonical(x.mul_add(y, z))),
        Op::FNma => (fma(a ^ 1 << 31, b, c), canonical((-x).mul_add(y, z))),
        Op::F2I => (single(a).to_i128_r(32, Round::TowardZero, &mut false).value as u32, x as i32 as u32),
        Op::F2U => (single(a).to_u128_r(32, Round::TowardZero, &mut false).value as u32, x as u32),
        Op::I2F => (word(Single::from_i128(i128::from(a as i32)).value), canonical(a as i32 as f32)),
        Op::U2F => (word(Single::from_u128(u128::from(a)).value), canonical(a as f32)),
        _ => unreachable!("no reference for {op:?}"),
    };
    assert_eq!(exact, native, "the references disagree on {op:?} {a:#x} {b:#x} {c:#x}");
    exact
}

/// All pairs of corner values (triples sampled) and random operands.
fn operations(op: Op, seed: u64) -> Vec<Operation> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut all = vec![];
    for a in FLOAT_CORNERS {
        for b in FLOAT_CORNERS {
            all.push((op, a, b, FLOAT_CORNERS[rng.random_range(0..FLOAT_CORNERS.len())]));
        }
    }
    all.extend((0..RANDOM).map(|_| (op, random_float(&mut rng), random_float(&mut rng), random_float(&mut rng))));
    all
}

/// Products with an addend near minus the product, so that nearly everything cancels.
fn cancelling(op: Op, seed: u64) -> Vec<Operation> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..RANDOM / 2)
        .map(|_| {
            let (a, b) = (random_float(&mut rng), random_float(&mut rng));
            let product = (f32::from_bits(a) * f32::from_bits(b)).to_bits();
            let sign = if op == Op::FNma { 0 } else { 1 << 31 };
            (op, a, b, (product ^ sign).wrapping_add(rng.random_range(0..5)).wrapping_sub(2))
        })
        .collect()
}

#[test]
fn fadd_rounds_as_ieee() {
    check(&operations(Op::FAdd, 1), reference);
}

#[test]
fn fsub_rounds_as_ieee() {
    check(&operations(Op::FSub, 2), reference);
}

#[test]
fn fmul_rounds_as_ieee() {
    check(&operations(Op::FMul, 3), reference);
}

#[test]
fn ffma_rounds_once() {
    check(&operations(Op::FFma, 4), reference);
    check(&cancelling(Op::FFma, 5), reference);
}

#[test]
fn fnma_rounds_once() {
    check(&operations(Op::FNma, 6), reference);
    check(&cancelling(Op::FNma, 7), reference);
}

/// Products at the border of the subnormals, from exact to all rounded away, with addends of the
/// same size.
#[test]
fn underflow_is_gradual() {
    let mut rng = ChaCha8Rng::seed_from_u64(15);
    let float = |exponent: u32, rng: &mut ChaCha8Rng| {
        let fraction = rng.random::<u32>() & 0x7F_FFFF & !0 << rng.random_range(0..24);
        rng.random_range(0..2u32) << 31 | exponent << 23 | fraction
    };
    let operations: Vec<Operation> = (0..RANDOM)
        .map(|_| {
            let exponent = rng.random_range(0..=127);
            // Biased exponent of the product: -30 to 5; of the addend: 0 to 11.
            let other = 127 - exponent + rng.random_range(0..36);
            let a = float(exponent, &mut rng);
            let b = float(other.saturating_sub(30), &mut rng);
            let c = rng.random_range(0..12);
            ([Op::FFma, Op::FNma, Op::FMul][rng.random_range(0..3)], a, b, float(c, &mut rng))
        })
        .collect();
    check(&operations, reference);
}

/// Sums of neighbours: massive cancellation, and ties one and two places below the last.
#[test]
fn fadd_and_fsub_cancel_exactly() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let operations: Vec<Operation> = (0..RANDOM)
        .map(|_| {
            let a = random_float(&mut rng);
            let b = a.wrapping_add(rng.random_range(0..9)).wrapping_sub(4).wrapping_sub(rng.random_range(0..30) << 23);
            if rng.random() {
                (Op::FSub, a, b, rng.random())
            } else {
                (Op::FAdd, a, b ^ 1 << 31, rng.random())
            }
        })
        .collect();
    check(&operations, reference);
}

#[test]
fn float_to_integer_truncates_and_saturates() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut values = FLOAT_CORNERS.to_vec();
    for exponent in 0..=255u32 {
        for fraction in [0, 1, 0x40_0000, 0x7F_FFFF] {
            values.extend([exponent << 23 | fraction, 1 << 31 | exponent << 23 | fraction]);
        }
    }
    values.extend((0..RANDOM).map(|_| rng.random_range(110..165u32) << 23 | rng.random::<u32>() & 0x807F_FFFF));
    let operations: Vec<Operation> = values
        .iter()
        .flat_map(|&a| [(Op::F2I, a, rng.random(), rng.random()), (Op::F2U, a, rng.random(), rng.random())])
        .collect();
    check(&operations, reference);
}

#[test]
fn integer_to_float_rounds_to_even() {
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    let mut values = crate::common::lane::INTEGER_CORNERS.to_vec();
    values.extend((0..RANDOM).map(|_| rng.random::<u32>() >> rng.random_range(0..32)));
    // Ties: 25 significant bits, the lowest set.
    values.extend((0..2000).map(|_| (1 << 24 | rng.random::<u32>() & 0xFF_FFFF | 1) << rng.random_range(0..8)));
    values.extend(values.clone().iter().map(|v| v.wrapping_neg()));
    let operations: Vec<Operation> = values
        .iter()
        .flat_map(|&a| [(Op::I2F, a, rng.random(), rng.random()), (Op::U2F, a, rng.random(), rng.random())])
        .collect();
    check(&operations, reference);
}

/// A planted fault shows on the vectors that the healthy lane passes.
#[test]
fn float_faults_show() {
    let sample = |op, seed| operations(op, seed).into_iter().step_by(8).collect::<Vec<_>>();
    assert!(fault_shows(Fault::FmaRounding, &sample(Op::FFma, 11), reference));
    assert!(fault_shows(Fault::FmaRounding, &sample(Op::FAdd, 12), reference));
    assert!(fault_shows(Fault::FmaSticky, &sample(Op::FFma, 13), reference));
    assert!(fault_shows(Fault::FmaSticky, &sample(Op::FAdd, 14), reference));
    let conversions: Vec<Operation> =
        FLOAT_CORNERS.iter().flat_map(|&a| [(Op::F2I, a, 0, 0), (Op::F2U, a, 0, 0)]).collect();
    assert!(fault_shows(Fault::ConvertSaturate, &conversions, reference));
}
