//! Combinational cells on vectors: the Rust `update` against wanted values, and Icarus on the
//! Verilog against the Rust.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

const VECTORS: usize = 4000;

/// Drives a cell with `vectors`, reads its outputs, compares them with `wanted`, then has Icarus do
/// the same.
macro_rules! check_cell {
    ($name:literal, $cell:ty, $vectors:expr, in $($input:ident: $in_width:literal),+; out $($output:ident: $out_width:literal),+; $wanted:expr) => {{
        let vectors: Vec<Vec<u32>> = $vectors;
        let wanted: fn(&[u32]) -> Vec<u32> = $wanted;
        let mut cell = <$cell>::default();
        cell.connect_all();
        let mut expected = vec![];
        for row in &vectors {
            let mut words = row.iter();
            $( $crate::common::cell::set(&mut cell.$input, *words.next().unwrap()); )+
            quadlock_hdl::base::testing::settle(&mut cell);
            let seen = vec![$( $crate::common::cell::get(&cell.$output) ),+];
            assert_eq!(seen, wanted(row), "{}: {row:x?}", $name);
            expected.push(seen.into_iter().map(Some).collect());
        }
        let mut top = <$cell>::default();
        $( top.$input.connect(); )+
        top.connect_all();
        let inputs: &[$crate::common::Port] = &[$( (stringify!($input), $in_width) ),+];
        let outputs: &[$crate::common::Port] = &[$( (stringify!($output), $out_width) ),+];
        $crate::common::icarus_agrees($name, &generate_verilog(&top), false, inputs, outputs, &vectors, &expected);
    }};
}

/// A port value as a word.
pub trait Word: Synth {
    fn from_word(word: u32) -> Self;
    fn to_word(self) -> u32;
}

impl<const N: usize> Word for Bits<N> {
    fn from_word(word: u32) -> Self {
        bits(word.into())
    }
    fn to_word(self) -> u32 {
        self.to_u32()
    }
}

impl Word for bool {
    fn from_word(word: u32) -> Self {
        word != 0
    }
    fn to_word(self) -> u32 {
        self.into()
    }
}

pub fn set<T: Word>(port: &mut Signal<In, T>, word: u32) {
    port.next = T::from_word(word);
}

pub fn get<T: Word>(port: &Signal<Out, T>) -> u32 {
    port.val().to_word()
}

/// Words with long runs of equal bits as well as random ones.
pub fn word(rng: &mut impl Rng) -> u32 {
    match rng.random_range(0..5) {
        0 => 0,
        1 => u32::MAX,
        2 => 1 << rng.random_range(0..32),
        3 => u32::MAX >> rng.random_range(0..32),
        _ => rng.random(),
    }
}

pub fn vectors(seed: u64, mut row: impl FnMut(&mut ChaCha8Rng) -> Vec<u32>) -> Vec<Vec<u32>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..VECTORS).map(|_| row(&mut rng)).collect()
}

pub(crate) use check_cell;
