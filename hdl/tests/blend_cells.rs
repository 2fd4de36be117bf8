//! Cells of blending: against quotients of whole numbers, and Icarus on the Verilog.

use crate::common::cell::{check_cell, vectors};
use quadlock_hdl::cell::blend::{
    ByteFactor, ByteProduct, ByteRound, ByteSum, QuadAddress, WordFactor, WordProduct, WordRound, WordSum,
};
use rand::{Rng, RngCore};
use rust_hdl::prelude::*;

/// A word of n bits, often at an end.
fn end(rng: &mut impl RngCore, n: u32) -> u32 {
    let most = (1u64 << n) as u32;
    let most = most.wrapping_sub(1);
    match rng.random_range(0..4) {
        0 => [0, 1, most, most - 1][rng.random_range(0..4)],
        _ => rng.random::<u32>() & most,
    }
}

fn factor(row: &[u32], most: u32) -> Vec<u32> {
    let &[code, alpha, s, sa, d, da, c] = row else { panic!("seven inputs") };
    vec![match code {
        0 => 0,
        1 => most,
        2 => s,
        3 => most - s,
        4 => sa,
        5 => most - sa,
        6 => d,
        7 => most - d,
        8 => da,
        9 => most - da,
        10 if alpha == 1 => most,
        10 => sa.min(most - da),
        11 => c,
        12 => most - c,
        _ => 0,
    }]
}

fn factors(n: u32) -> Vec<Vec<u32>> {
    vectors(u64::from(n), |rng| {
        let mut row = vec![rng.random_range(0..16), rng.random_range(0..2)];
        row.extend((0..5).map(|_| end(rng, n)));
        row
    })
}

#[test]
fn factors_are_colours_or_what_is_left_of_one() {
    check_cell!("byte_factor", ByteFactor, factors(8), in code: 4, alpha: 1, source: 8, source_alpha: 8,
        destination: 8, destination_alpha: 8, constant: 8; out factor: 8; |row| factor(row, 255));
    check_cell!("word_factor", WordFactor, factors(16), in code: 4, alpha: 1, source: 16, source_alpha: 16,
        destination: 16, destination_alpha: 16, constant: 16; out factor: 16; |row| factor(row, 65535));
}

fn rounded(sum: u64, most: u64) -> u32 {
    ((2 * sum + most) / (2 * most)).min(most) as u32
}

/// All sums of two products of bytes, and what else 17 bits hold.
#[test]
fn sums_of_bytes_are_rounded_to_the_exact_quotient() {
    check_cell!("byte_product", ByteProduct, vectors(1, |rng| vec![end(rng, 8), end(rng, 8)]), in a: 8, b: 8;
        out product: 16; |row| vec![row[0] * row[1]]);
    check_cell!("byte_sum", ByteSum, vectors(2, |rng| vec![rng.random_range(0..3), end(rng, 16), end(rng, 16)]),
    in operation: 2, source: 16, destination: 16; out sum: 17; |row| vec![match row[0] {
        0 => row[1] + row[2],
        1 => row[1].saturating_sub(row[2]),
        _ => row[2].saturating_sub(row[1]),
    }]);
    check_cell!("byte_round", ByteRound, (0..1 << 17).map(|sum| vec![sum]).collect(), in sum: 17; out value: 8;
        |row| vec![rounded(row[0].into(), 255)]);
}

/// A cell whose operands have more than 32 bits, on rust-hdl's engine.
#[test]
fn sums_of_words_are_rounded_to_the_exact_quotient() {
    check_cell!("word_product", WordProduct, vectors(3, |rng| vec![end(rng, 16), end(rng, 16)]), in a: 16, b: 16;
        out product: 32; |row| vec![row[0] * row[1]]);
    let mut round = WordRound::default();
    round.connect_all();
    let most = 65535u64;
    // On both sides of every border, as far as two products reach and beyond.
    for quotient in 0..=2 * most + 1 {
        let border = (2 * quotient + 1) * most / 2;
        for sum in [border, border + 1].into_iter().filter(|&sum| sum < 1 << 33) {
            round.sum.next = sum.into();
            quadlock_hdl::base::testing::settle(&mut round);
            assert_eq!(round.value.val().to_u32(), rounded(sum, most), "{sum}");
        }
    }
    let mut sum = WordSum::default();
    sum.connect_all();
    for row in vectors(4, |rng| vec![rng.random_range(0..3), rng.random(), rng.random()]) {
        let (s, d) = (u64::from(row[1]), u64::from(row[2]));
        sum.operation.next = u64::from(row[0]).into();
        sum.source.next = s.into();
        sum.destination.next = d.into();
        quadlock_hdl::base::testing::settle(&mut sum);
        let wanted = [s + d, s.saturating_sub(d), d.saturating_sub(s)][row[0] as usize];
        assert_eq!(sum.sum.val().to_u64(), wanted, "{row:?}");
    }
}

#[test]
fn a_quads_word_is_behind_the_samples_in_front() {
    let row = |rng: &mut rand_chacha::ChaCha8Rng| {
        let side = rng.random_range(3..6);
        vec![
            side,
            rng.random_range(0..1024 >> (2 * (side - 1)) as usize).min(31),
            rng.random_range(0..16),
            rng.random_range(0..16),
        ]
    };
    check_cell!("quad_address", QuadAddress, vectors(5, row), in side: 3, index: 5, x: 4, y: 4; out address: 10; |row| {
        let quads = 1 << (row[0] - 1);
        vec![(row[1] * quads * quads + row[3] % quads * quads + row[2] % quads) % 1024]
    });
}
