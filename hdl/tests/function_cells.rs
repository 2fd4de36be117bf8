//! The cells of the approximated functions: what each computes, in native 64-bit arithmetic, and
//! that its Verilog computes the same.

use crate::common::cell::{check_cell, vectors, word};
use crate::common::icarus_agrees;
use quadlock_golden::float::TWO_OVER_PI;
use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::cell::rom::{FIRST_LINE, LINE_OF_ONE};
use quadlock_hdl::cell::{
    BaseSum, CoefficientRom, FactorProduct, FixedPoint, OffsetSquare, PhaseProduct, PhaseWindow, QuadraticSum,
    QuadraticTerms,
};
use rand::Rng;
use rust_hdl::prelude::*;

/// A word of `width` bits as a two's-complement number.
fn signed(word: u32, width: u32) -> i64 {
    i64::from((word << (32 - width)) as i32 >> (32 - width))
}

/// The low `width` bits.
fn low(value: i64, width: u32) -> u32 {
    value as u32 & (u32::MAX >> (32 - width))
}

/// A 54-bit number as the words of its ports.
fn two(value: u64) -> Vec<u32> {
    vec![(value >> 32) as u32 & 0x3F_FFFF, value as u32]
}

/// Words of `widths` bits.
fn words(rng: &mut impl Rng, widths: &[u32]) -> Vec<u32> {
    widths.iter().map(|width| word(rng) & (u32::MAX >> (32 - width))).collect()
}

/// Every line of the file at its table's place, the line of one, and zeros in between.
#[test]
fn rom_holds_the_lines_of_the_file() {
    let mut wanted = vec![vec![0; 3]; 1024];
    let mut lines = 0;
    for row in include_str!("../../docs/float/tables.csv").lines().skip(1) {
        let fields: Vec<_> = row.split(',').collect();
        let numbers: Vec<i64> = fields[1..].iter().map(|f| f.parse().unwrap()).collect();
        let first = FIRST_LINE.iter().find(|f| f.0 == fields[0]).unwrap().1;
        let address = first + numbers[0] as usize;
        assert_eq!(wanted[address], [0; 3], "{row}: the address is taken");
        wanted[address] = [(1, 29), (2, 23), (3, 14)].map(|(at, width)| low(numbers[at], width)).to_vec();
        assert_eq!([signed(wanted[address][1], 23), signed(wanted[address][2], 14)], numbers[2..], "{row}: too wide");
        lines += 1;
    }
    assert_eq!(lines, 704);
    wanted[LINE_OF_ONE] = vec![1 << 28, 0, 0];

    let mut rom = Bench::new(CoefficientRom::default(), |b| &mut b.clock);
    let mut expected = vec![];
    let addresses: Vec<Vec<u32>> = (0..1024).chain((0..1024).rev()).map(|a| vec![a]).collect();
    for address in &addresses {
        rom.address.next = bits(address[0].into());
        rom.cycle();
        let seen = vec![rom.c0.val().to_u32(), rom.c1.val().to_u32(), rom.c2.val().to_u32()];
        assert_eq!(seen, wanted[address[0] as usize], "address {address:?}");
        expected.push(seen.into_iter().map(Some).collect());
    }
    let mut top = CoefficientRom::default();
    top.clock.connect();
    top.address.connect();
    top.connect_all();
    let outputs = [("c0", 29), ("c1", 23), ("c2", 14)];
    icarus_agrees(
        "coefficient_rom",
        &generate_verilog(&top),
        true,
        &[("address", 10)],
        &outputs,
        &addresses,
        &expected,
    );
}

/// Every offset, against the golden model's constant, which its tests prove by a series.
#[test]
fn windows_of_two_over_pi() {
    let rows = (0..=156).map(|offset| vec![offset]).collect();
    check_cell!("phase_window", PhaseWindow, rows, in offset: 8; out hi: 22, lo: 32; |row| {
        let bit = |weight: i32| match u32::try_from(-1 - weight) {
            Ok(at) => TWO_OVER_PI[at as usize / 64] << (at % 64) >> 63,
            Err(_) => 0,
        };
        // The first bit's weight is 2^(53 - offset).
        two((0..54).fold(0, |window, at| window << 1 | bit(53 - row[0] as i32 - at)))
    });
}

#[test]
fn phase_is_a_product_modulo_four() {
    let rows = vectors(31, |rng| words(rng, &[24, 22, 32]));
    check_cell!("phase_product", PhaseProduct, rows, in significand: 24, window_hi: 22, window_lo: 32; out phase: 32; |row| {
        let window = u128::from(row[1]) << 32 | u128::from(row[2]);
        vec![((u128::from(row[0]) * window) >> 22) as u32]
    });
}

/// Rounded down: small negative numbers give -1 and a fraction of ones.
#[test]
fn fixed_point_rounds_down() {
    let rows = vectors(32, |rng| words(rng, &[24, 1, 6]));
    check_cell!("fixed_point", FixedPoint, rows, in significand: 24, negative: 1, amount: 6; out whole: 9, fraction: 27; |row| {
        let number = i64::from(row[0]) * if row[1] != 0 { -1 } else { 1 };
        let fixed = (number << 11).div_euclid(1 << row[2].min(62));
        vec![low(fixed >> 27, 9), low(fixed, 27)]
    });
}

#[test]
fn square_of_an_offset() {
    let mut rows = vectors(33, |rng| words(rng, &[22]));
    rows.extend([0x20_0000, 0x20_001F, 0x1F_FFFF, 0x3F_FFFF].map(|d| vec![d]));
    check_cell!("offset_square", OffsetSquare, rows, in offset: 22; out square: 17; |row| {
        let upper = signed(row[0], 22).div_euclid(32);
        vec![low(upper * upper / 65536, 17)]
    });
}

/// All coefficients and offsets; squares up to 2^16.
#[test]
fn products_of_the_quadratic_are_truncated_each() {
    let mut rows = vectors(34, |rng| {
        let mut row = words(rng, &[23, 22, 14, 17]);
        row[3] = row[3].min(1 << 16);
        row
    });
    rows.push(vec![0x40_0000, 0x20_0000, 0x2000, 0x1_0000]);
    check_cell!("quadratic_terms", QuadraticTerms, rows, in c1: 23, offset: 22, c2: 14, square: 17; out linear: 24, curved: 16; |row| {
        let linear = (signed(row[0], 23) * signed(row[1], 22)).div_euclid(1 << 21);
        let curved = (signed(row[2], 14) * i64::from(row[3])).div_euclid(1 << 16);
        vec![low(linear, 24), low(curved, 16)]
    });
}

#[test]
fn sum_of_the_quadratic() {
    let rows = vectors(35, |rng| words(rng, &[29, 24, 16]));
    check_cell!("quadratic_sum", QuadraticSum, rows, in c0: 29, linear: 24, curved: 16; out y: 30; |row| {
        vec![low(i64::from(row[0]) + signed(row[1], 24) + signed(row[2], 16), 30)]
    });
}

#[test]
fn product_with_the_quadratic() {
    let rows = vectors(36, |rng| words(rng, &[30, 30]));
    check_cell!("factor_product", FactorProduct, rows, in factor: 30, y: 30; out product: 32; |row| {
        vec![(u64::from(row[0]) * u64::from(row[1]) / (1 << 28)) as u32]
    });
}

/// Any base with any product, and sums next to zero.
#[test]
fn magnitude_of_the_sum() {
    let mut rows = vectors(37, |rng| words(rng, &[9, 32, 1]));
    rows.extend((0..9).flat_map(|i| [vec![1, (1 << 30) - 4 + i, 1], vec![0x1FF, (1 << 30) - 4 + i, 0]]));
    check_cell!("base_sum", BaseSum, rows, in base: 9, product: 32, subtract: 1; out hi: 32, lo: 8, negative: 1; |row| {
        let product = i64::from(row[1]) * if row[2] != 0 { -1 } else { 1 };
        let sum = signed(row[0], 9) * (1 << 30) + product;
        vec![low(sum.abs() >> 8, 32), low(sum.abs(), 8), u32::from(sum < 0)]
    });
}
