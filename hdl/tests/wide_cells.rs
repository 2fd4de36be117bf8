//! The wide-arithmetic cells: what each computes, in 128-bit native arithmetic, and that its
//! Verilog computes the same.

use crate::common::cell::{check_cell, vectors, word};
use quadlock_hdl::cell::{AlignShift, BitCount, LeadingZeros, Mul32, NormalShift, WideAddSub};
use rand::Rng;
use rust_hdl::prelude::*;

const WINDOW: u128 = (1 << 96) - 1;

fn wide(words: &[u32]) -> u128 {
    words.iter().enumerate().map(|(at, &w)| u128::from(w) << (32 * at)).sum()
}

fn three(value: u128) -> [u32; 3] {
    [value as u32, (value >> 32) as u32, (value >> 64) as u32]
}

#[test]
fn product_is_64_bits() {
    let rows = vectors(1, |rng| vec![word(rng), word(rng)]);
    check_cell!("mul32", Mul32, rows, in a: 32, b: 32; out lo: 32, hi: 32; |row| {
        let product = u64::from(row[0]) * u64::from(row[1]);
        vec![product as u32, (product >> 32) as u32]
    });
}

#[test]
fn alignment_shift_keeps_what_it_loses() {
    let rows = vectors(2, |rng| vec![word(rng) & 0xFF_FFFF, rng.random_range(0..=96)]);
    check_cell!("align_shift", AlignShift, rows, in significand: 24, amount: 7; out w0: 32, w1: 32, w2: 32, sticky: 1; |row| {
        let exact = u128::from(row[0]) << 72;
        let shifted = exact >> row[1];
        let [w0, w1, w2] = three(shifted);
        vec![w0, w1, w2, u32::from(shifted << row[1] != exact)]
    });
}

/// Sums, differences of either sign, equal operands, and a borrow wherever the product is the
/// larger.
#[test]
fn sum_or_magnitude_of_the_difference() {
    let rows = vectors(3, |rng| {
        let (p0, p1) = (word(rng), word(rng) & 0xFFFF);
        let near = rng.random_range(0..3) == 0;
        let b = if near {
            (wide(&[p0, p1]) << 20) + rng.random_range(0..3)
        } else {
            wide(&[word(rng), word(rng), word(rng)])
        };
        let subtract = rng.random();
        let borrow = subtract && rng.random() && (wide(&[p0, p1]) << 20) > b;
        let [b0, b1, b2] = three(b);
        vec![p0, p1, b0, b1, b2, u32::from(subtract), u32::from(borrow)]
    });
    check_cell!("wide_add_sub", WideAddSub, rows,
        in p0: 32, p1: 32, b0: 32, b1: 32, b2: 32, subtract: 1, borrow: 1; out w0: 32, w1: 32, w2: 32, negative: 1; |row| {
        let (a, b) = (wide(&row[..2]) << 20, wide(&row[2..5]));
        let (total, negative) = match (row[5] != 0, a < b) {
            (false, _) => ((a + b) & WINDOW, false),
            (true, negative) => (a.abs_diff(b + u128::from(row[6])), negative),
        };
        let [w0, w1, w2] = three(total);
        vec![w0, w1, w2, u32::from(negative)]
    });
}

#[test]
fn leading_zeros_of_96_bits() {
    let rows = vectors(4, |rng| {
        three((wide(&[word(rng), word(rng), word(rng)]) & WINDOW) >> rng.random_range(0..=96)).to_vec()
    });
    check_cell!("leading_zeros", LeadingZeros, rows, in w0: 32, w1: 32, w2: 32; out count: 7; |row| {
        vec![wide(row).leading_zeros() - 32]
    });
}

#[test]
fn normalisation_shift_left_or_right() {
    let rows = vectors(5, |rng| {
        let (left, right) = if rng.random() { (rng.random_range(0..=96), 0) } else { (0, rng.random_range(0..128)) };
        vec![word(rng), word(rng), word(rng), left, right]
    });
    check_cell!("normal_shift", NormalShift, rows,
        in w0: 32, w1: 32, w2: 32, left: 7, right: 7; out significand: 24, guard: 1, sticky: 1; |row| {
        let upper = (wide(&row[..3]) << row[3]) & WINDOW;
        let shifted = upper >> row[4];
        let sticky = shifted << row[4] != upper || shifted & ((1 << 71) - 1) != 0;
        vec![(shifted >> 72) as u32, (shifted >> 71 & 1) as u32, u32::from(sticky)]
    });
}

#[test]
fn bit_counts() {
    let rows = vectors(6, |rng| vec![word(rng)]);
    check_cell!("bit_count", BitCount, rows, in a: 32; out popc: 6, clz: 6, ctz: 6, brev: 32; |row| {
        vec![row[0].count_ones(), row[0].leading_zeros(), row[0].trailing_zeros(), row[0].reverse_bits()]
    });
}
