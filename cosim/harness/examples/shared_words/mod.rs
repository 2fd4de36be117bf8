//! What the examples with atomics on shared words must leave: reduction, compaction and hash table.
//! None depends on an order: the list of bright pixels and the table's keys are compared as
//! multisets, and which slots of a table with linear probing are taken, and how many were passed,
//! is the same for every order of insertion.
//!
//! It can be wrong if that last claim were: the keys are put in twice here, forwards and backwards,
//! and must agree.

use std::collections::HashSet;

use super::{csv_rows, words, Grey};

/// Brighter than this is kept.
const THRESHOLD: u8 = 127;

fn reduction(picture: &Grey) -> Vec<u8> {
    let pixels = || picture.pixels.iter().map(|&p| u32::from(p));
    csv_rows(&[pixels().sum::<u32>(), pixels().min().unwrap_or(u32::MAX), pixels().max().unwrap_or(0)], 3)
}

/// Places of the bright pixels, counted from 1.
fn bright(picture: &Grey) -> Vec<usize> {
    (0..picture.pixels.len()).filter(|&i| picture.pixels[i] > THRESHOLD).map(|i| i + 1).collect()
}

/// Different keys, none 0, from a 32-bit linear congruential generator.
fn keys(count: usize) -> Vec<u32> {
    let mut state = 7u32;
    let mut known = HashSet::from([0]);
    let mut out = Vec::new();
    while out.len() < count {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let key = state ^ state >> 15;
        if known.insert(key) {
            out.push(key);
        }
    }
    out
}

/// Slots that are taken, and slots that were passed on the way.
fn table<'a>(keys: impl Iterator<Item = &'a u32>, bits: u32) -> (Vec<u32>, u32) {
    let mut taken = vec![0; 1 << bits];
    let mut passed = 0;
    for key in keys {
        // Multiplicative hashing by 2^32 / golden ratio (Knuth, volume 3, 6.4).
        let mut slot = (key.wrapping_mul(2_654_435_769) >> (32 - bits)) as usize;
        while taken[slot] == 1 {
            slot = (slot + 1) % taken.len();
            passed += 1;
        }
        taken[slot] = 1;
    }
    (taken, passed)
}

/// Keys, taken slots, counters.
fn hash_table(count: usize, bits: u32) -> [Vec<u8>; 3] {
    let keys = keys(count);
    let (taken, passed) = table(keys.iter(), bits);
    assert_eq!((&taken, passed), (&table(keys.iter().rev(), bits).0, table(keys.iter().rev(), bits).1));
    [words(keys), csv_rows(&taken, 64), csv_rows(&[count as u32, passed], 2)]
}

pub fn files(picture: &Grey) -> Vec<(&'static str, Vec<u8>)> {
    let crop = picture.crop(32, 24, 64, 48);
    let (full, small) = (bright(picture), bright(&crop));
    let [keys_full, taken_full, counters_full] = hash_table(10_000, 14);
    let [keys_small, taken_small, counters_small] = hash_table(1_000, 11);
    vec![
        ("reduction/expected-full.csv", reduction(picture)),
        ("reduction/expected-small.csv", reduction(&crop)),
        ("compaction/count-full.csv", csv_rows(&[full.len()], 1)),
        ("compaction/count-small.csv", csv_rows(&[small.len()], 1)),
        ("compaction/bright-full.csv", csv_rows(&full, 16)),
        ("compaction/bright-small.csv", csv_rows(&small, 16)),
        ("hash-table/keys.raw", keys_full),
        ("hash-table/keys-small.raw", keys_small),
        ("hash-table/taken-full.csv", taken_full),
        ("hash-table/taken-small.csv", taken_small),
        ("hash-table/counters-full.csv", counters_full),
        ("hash-table/counters-small.csv", counters_small),
    ]
}
