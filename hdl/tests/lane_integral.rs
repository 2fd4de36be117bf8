//! FFLOOR, FCEIL, FTRUNC, FRNE and FFRACT of a lane against `rustc_apfloat` and the golden model:
//! every exponent with the fractions at which something changes, every tie of the first integers,
//! random values.

use crate::common::lane::{check, fault_shows, random_float, Operation, FLOAT_CORNERS};
use quadlock_golden::float;
use quadlock_hdl::fault::Fault;
use quadlock_isa::Op;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_apfloat::ieee::Single;
use rustc_apfloat::{Float, Round};

const OPS: [Op; 5] = [Op::FFloor, Op::FCeil, Op::FTrunc, Op::FRne, Op::FFract];

fn word(value: Single) -> u32 {
    if value.is_nan() {
        float::NAN
    } else {
        value.to_bits() as u32
    }
}

/// By apfloat, and the same by the golden model.
fn reference((op, a, _, _): Operation) -> u32 {
    let value = Single::from_bits(a.into());
    let round = |mode| value.round_to_integral(mode).value;
    let (exact, golden) = match op {
        Op::FFloor => (round(Round::TowardNegative), float::floor(a)),
        Op::FCeil => (round(Round::TowardPositive), float::ceil(a)),
        Op::FTrunc => (round(Round::TowardZero), float::trunc(a)),
        Op::FRne => (round(Round::NearestTiesToEven), float::round_even(a)),
        Op::FFract => ((value - round(Round::TowardNegative)).value, float::fract(a)),
        _ => unreachable!("no reference for {op:?}"),
    };
    assert_eq!(word(exact), golden, "the references disagree on {op:?} {a:#x}");
    golden
}

/// Every operation on every value of both signs; B and C do not matter.
fn all_of(values: &[u32]) -> Vec<Operation> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let both = values.iter().flat_map(|&a| [a, a ^ 1 << 31]);
    both.flat_map(|a| OPS.map(|op| (op, a, rng.random(), rng.random()))).collect()
}

#[test]
fn corners_and_random_values_round_to_integers() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut values = FLOAT_CORNERS.to_vec();
    values.extend((0..3000).map(|_| random_float(&mut rng)));
    values.extend((0..3000).map(|_| rng.random_range(120..152u32) << 23 | rng.random::<u32>() & 0x7F_FFFF));
    check(&all_of(&values), reference);
}

/// Around each place where the bit of weight 1/2 or of weight 1 begins, for every exponent.
#[test]
fn every_exponent() {
    let mut values = vec![];
    for exponent in 0..256u32 {
        values.extend([0, 1, 2, 0x3F_FFFF, 0x40_0000, 0x40_0001, 0x7F_FFFE, 0x7F_FFFF].map(|f| exponent << 23 | f));
    }
    for exponent in 126..151u32 {
        for bit in 0..23 {
            let fraction = 0x2A_AAAA & !0 << bit;
            values.extend([fraction, fraction | 1 << bit, 0x7F_FFFF & !0 << bit].map(|f| exponent << 23 | f));
        }
    }
    check(&all_of(&values), reference);
}

/// Ties, and one unit in the last place to both sides of them and of the integers.
#[test]
fn ties_and_their_neighbours() {
    let mut values = vec![];
    for twice in (0..600u32).chain((1 << 24) - 300..1 << 24) {
        let tie = (twice as f32 / 2.0).to_bits();
        values.extend([tie.saturating_sub(1), tie, tie + 1]);
    }
    check(&all_of(&values), reference);
}

/// FFRACT is not clamped: just below an integral value it rounds to 1.0 as FSUB after FFLOOR does.
#[test]
fn fract_of_small_negative_numbers_is_one() {
    let mut values = vec![];
    for exponent in 95..110u32 {
        values.extend([0, 1, 2, 0x7F_FFFF].map(|f| exponent << 23 | f));
    }
    check(&all_of(&values), reference);
    check(&[(Op::FFract, 0xB300_0000, 0, 0)], |_| 0x3F80_0000);
    check(&[(Op::FFract, 0xFF80_0000, 0, 0)], |_| float::NAN);
}

#[test]
fn integral_tie_fault_shows() {
    let ties = |op| [(op, 0x4020_0000, 0, 0), (op, 0x3F00_0000, 0, 0)];
    assert!(fault_shows(Fault::IntegralTie, &ties(Op::FRne), reference));
    assert!(!fault_shows(Fault::IntegralTie, &ties(Op::FCeil), reference), "only ties to even are faulty");
}
