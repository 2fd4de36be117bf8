//! Cells of blending: against quotients of whole numbers, and Icarus on the Verilog.

use crate::common::cell::{check_cell, vectors};
use quadlock_hdl::cell::blend::{
    ByteNarrow, ByteOrder, ByteProduct, ByteRound, ByteSelect, ByteSum, CodeChange, CodePlace, FactorChoice,
    QuadAddress, WordOrder, WordProduct, WordRound, WordSelect, WordSum,
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

/// Every number of a factor, of colour and of alpha.
#[test]
fn a_factor_is_one_colour_or_none() {
    let codes = (0..32).map(|n| vec![n & 15, n >> 4]).collect();
    check_cell!("factor_choice", FactorChoice, codes, in code: 4, alpha: 1; out choice: 7; |row| {
        let saturates = row == [10, 0];
        let colour = match row[0] {
            2 | 3 => 1,
            4 | 5 => 2,
            6 | 7 => 4,
            8 | 9 => 8,
            11 | 12 => 16,
            10 if saturates => 2,
            _ => 0,
        };
        let inverts = (row[0] < 10 && row[0] & 1 == 1) || row[0] == 12 || row == [10, 1];
        vec![colour | u32::from(inverts) << 5 | u32::from(saturates) << 6]
    });
    let row = |rng: &mut rand_chacha::ChaCha8Rng, n: u32| {
        let mut row: Vec<u32> = (0..5).map(|_| end(rng, n)).collect();
        row.push(1 << rng.random_range(0..6) & 31 | rng.random_range(0..4) << 5);
        row
    };
    check_cell!("word_select", WordSelect, vectors(16, |rng| row(rng, 16)), in source: 16, source_alpha: 16,
        destination: 16, destination_alpha: 16, constant: 16, choice: 7; out colour: 16;
        |row| vec![(0..5).filter(|&k| row[5] >> k & 1 == 1).map(|k| row[k]).sum()]);
    // The constant of bytes is there only if it is chosen.
    let bytes = vectors(8, |rng| {
        let mut row = row(rng, 8);
        row[4] *= row[5] >> 4 & 1;
        row
    });
    check_cell!("byte_select", ByteSelect, bytes, in source: 8, source_alpha: 8, destination: 8,
    destination_alpha: 8, constant: 8, choice: 7; out factor: 8; |row| {
        let colour: u32 = (0..5).filter(|&k| row[5] >> k & 1 == 1).map(|k| row[k]).sum();
        vec![if row[5] >> 5 & 1 == 1 { 255 - colour } else { colour }]
    });
}

/// The lesser and the greater of bytes and of fractions, and bytes that are not written.
#[test]
fn some_colours_need_no_rounding() {
    let rows = vectors(6, |rng| {
        let byte = end(rng, 8);
        let other = if rng.random_bool(0.2) { byte } else { end(rng, 8) };
        vec![rng.random_range(0..8), rng.random_range(0..2), byte, other]
    });
    check_cell!("byte_order", ByteOrder, rows, in operation: 3, written: 1, source: 8, destination: 8;
    out direct: 8, rounded: 1; |row| {
        let direct = match (row[1], row[0]) {
            (0, _) => row[3],
            (_, 3) => row[2].min(row[3]),
            (_, 4) => row[2].max(row[3]),
            _ => row[2],
        };
        vec![direct, (row[1] == 1 && row[0] < 3).into()]
    });
    let rows = vectors(7, |rng| {
        let word = end(rng, 16);
        let other = if rng.random_bool(0.2) { word } else { end(rng, 16) };
        vec![word, other, 0, rng.random_range(0..2)]
    });
    check_cell!("word_order", WordOrder, rows, in source: 16, destination: 16, halves: 1, greater: 1;
    out second: 1, nan: 1; |row| {
        let second = if row[3] == 1 { row[1] > row[0] } else { row[1] < row[0] };
        vec![second.into(), 0]
    });
}

/// All fractions of 16 bits, and every word that the table could have.
#[test]
fn codes_and_bytes_of_fractions() {
    let all = || (0..0x1_0000).map(|value| vec![value]).collect::<Vec<_>>();
    check_cell!("byte_narrow", ByteNarrow, all(), in value: 16; out code: 8;
        |row| vec![(510 * row[0] + 65535) / 131_070]);
    check_cell!("code_place", CodePlace, all(), in value: 16; out line: 10, offset: 8; |row| {
        let value = row[0];
        match value {
            0..0x1000 => vec![value >> 4, value & 15],
            0x1000..0x4000 => vec![256 + (value >> 6), value & 63],
            _ => vec![512 + (value >> 8), value & 255],
        }
    });
    check_cell!("code_change", CodeChange, vectors(9, |rng| vec![end(rng, 16), end(rng, 8)]),
        in word: 16, offset: 8; out code: 8;
        |row| vec![((row[0] >> 8) + u32::from(row[1] >= row[0] & 255)) & 255]);
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
