//! The facts that the instruction table states beside encodings, against what the model computes:
//! whether operands may be exchanged, the greatest result, the lanes looked at. The compiler counts
//! on them, and the model has its meanings from elsewhere. A fact that is too timid is found as
//! well, where corner values show it.

use quadlock_golden::{lane_fn, LaneFn};
use quadlock_isa::{Lanes, Op, TABLE};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const TRIES: usize = 20_000;

/// Corner values of integers, shifts, fields and f32, and any others.
fn word(rng: &mut ChaCha8Rng) -> u32 {
    const CORNERS: [u32; 16] = [
        0,
        1,
        2,
        3,
        31,
        32,
        0x0808,
        0x3F00,
        0x7FFF_FFFF,
        0x8000_0000,
        u32::MAX,
        0x3F80_0000,
        0xBF80_0000,
        0x7F80_0000,
        0x7FC0_0000,
        0x4500_0000,
    ];
    match rng.random_range(0..3) {
        0 => rng.random(),
        _ => CORNERS[rng.random_range(0..CORNERS.len())],
    }
}

fn pure() -> impl Iterator<Item = (&'static quadlock_isa::Row, LaneFn)> {
    TABLE.iter().filter_map(|row| Some((row, lane_fn(row.op, None)?)))
}

#[test]
fn operands_may_be_exchanged_where_the_table_says_so() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for (row, f) in pure().filter(|(row, _)| row.shape.uses_b() && row.shape.uses_a()) {
        let same = (0..TRIES).all(|_| {
            let [a, b, c] = [(); 3].map(|()| [(); 4].map(|()| word(&mut rng)));
            f(&a, &b, &c) == f(&b, &a, &c)
        });
        assert_eq!(same, row.commutes, "{}", row.name);
    }
    assert!(pure().filter(|(row, _)| row.commutes).count() == 22);
}

#[test]
fn no_result_is_above_the_greatest_of_the_table() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for (row, f) in pure() {
        let mut most = 0;
        for _ in 0..TRIES {
            let [a, b, c] = [(); 3].map(|()| [(); 4].map(|()| word(&mut rng)));
            most = f(&a, &b, &c).into_iter().fold(most, u32::max);
        }
        assert!(most <= row.greatest, "{}: {most:#x} is above {:#x}", row.name, row.greatest);
        if row.greatest < u32::MAX {
            assert_eq!(most, row.greatest, "{}: the bound is never reached", row.name);
        }
    }
}

#[test]
fn a_lane_looks_at_its_own_operands_where_the_table_says_so() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for (row, f) in pure() {
        let own = (0..TRIES).all(|_| {
            let [a, b, c] = [(); 3].map(|()| [(); 4].map(|()| word(&mut rng)));
            let lane = rng.random_range(0..4);
            let [x, y, z] = [a, b, c].map(|v| {
                let mut other = [(); 4].map(|()| word(&mut rng));
                other[lane] = v[lane];
                other
            });
            f(&a, &b, &c)[lane] == f(&x, &y, &z)[lane]
        });
        assert_eq!(own, row.lanes == Lanes::Own, "{}", row.name);
    }
    let quad: Vec<Op> = TABLE.iter().filter(|r| r.lanes == Lanes::Quad).map(|r| r.op).collect();
    assert_eq!(quad, [Op::QShuf, Op::Ddx, Op::Ddy]);
    for row in TABLE {
        assert_eq!(row.lanes == Lanes::Active, row.op.cross_lane().is_some(), "{}", row.name);
    }
}
