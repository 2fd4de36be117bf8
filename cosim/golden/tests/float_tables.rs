//! The data files of `docs/float.md` against the golden model's generator, and the statements the
//! page makes about them.
//!
//! The RTL reads its ROM from `docs/float/tables.csv`. If the file and the generator differ, one of
//! them was edited without the other: `cargo run -p quadlock-golden --example float_tables` writes
//! the files, and the page must say why.

use crate::float_files;

use num_bigint::BigUint;
use quadlock_golden::float::table::{Table, COEFFICIENT_FRACTION};
use quadlock_golden::float::TWO_OVER_PI;

fn same(name: &str, generated: &str) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/float/").to_string() + name;
    let kept = std::fs::read_to_string(&path).expect("the file is in git");
    assert_eq!(kept.lines().count(), generated.lines().count(), "{name}");
    for (n, (kept, generated)) in kept.lines().zip(generated.lines()).enumerate() {
        assert_eq!(kept, generated, "{name}, line {}", n + 1);
    }
}

#[test]
fn coefficients_are_those_of_the_data_file() {
    same("tables.csv", &float_files::tables());
}

#[test]
fn vectors_are_those_of_the_data_file() {
    same("vectors.csv", &float_files::vectors());
}

/// "No coefficient is closer than 2^-14 of a unit to a tie": what makes the file reproducible by
/// other arithmetic.
#[test]
fn no_coefficient_is_near_a_tie() {
    let unit = 1i128 << (60 - COEFFICIENT_FRACTION);
    let mut nearest = unit;
    for table in Table::ALL {
        for i in 0..table.intervals() {
            for c in table.unrounded(i) {
                nearest = nearest.min((c.rem_euclid(unit) - unit / 2).abs());
            }
        }
    }
    assert!(nearest > unit >> 14, "distance {nearest} of {unit}");
}

/// The widths of the page's table: bits of C0 unsigned, of C1 and C2 signed. One less must not
/// suffice.
#[test]
fn coefficients_have_the_stated_widths() {
    let stated = [(28, 21, 13), (28, 20, 12), (29, 23, 14), (29, 21, 12), (29, 21, 13), (28, 22, 12)];
    for (table, stated) in Table::ALL.into_iter().zip(stated) {
        let bits = |x: i64| 64 - (if x < 0 { !x } else { x }).leading_zeros();
        let widest = |of: fn(&quadlock_golden::float::table::Coefficients) -> i64| {
            table.coefficients().iter().map(|c| bits(of(c))).max().expect("no table is empty")
        };
        assert!(table.coefficients().iter().all(|c| c.c0 > 0), "{}", table.name());
        assert_eq!((widest(|c| c.c0), 1 + widest(|c| c.c1), 1 + widest(|c| c.c2)), stated, "{}", table.name());
    }
}

/// arctangent of 1/n with 256 fraction bits.
fn arctangent(n: u32) -> BigUint {
    let one = BigUint::from(1u32) << 256;
    let (mut power, mut positive, mut negative, mut k) = (one / n, BigUint::ZERO, BigUint::ZERO, 1u32);
    while power != BigUint::ZERO {
        let term = &power / k;
        *(if k % 4 == 1 { &mut positive } else { &mut negative }) += term;
        power /= n * n;
        k += 2;
    }
    positive - negative
}

#[test]
fn two_over_pi_has_the_stated_bits() {
    let pi = arctangent(5) * 16u32 - arctangent(239) * 4u32;
    let expected: BigUint = (BigUint::from(1u32) << (257 + 192)) / pi;
    let stated = TWO_OVER_PI.iter().fold(BigUint::ZERO, |n, &limb| (n << 64) + limb);
    assert_eq!(stated, expected);
}
