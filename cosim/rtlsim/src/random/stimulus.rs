//! The stimulus all simulators get: per step first data change, then the reset, then clocks, and
//! outputs are read after the reset and after the clocks. So no edge, of the reset neither, ever
//! races with the data it samples. Data mixes random bits with runs of zeros and ones, and often
//! keeps parts of the step before.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::module::{CLOCKS, DATA};
use crate::bits::Bits;

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Reset, active high.
    pub reset: bool,
    /// [`DATA`] bits.
    pub data: Bits,
    /// Levels of the clock lines after the data has settled.
    pub clocks: [bool; CLOCKS as usize],
}

/// Levels of the clock lines before the first step.
pub const START: [bool; CLOCKS as usize] = [false, false, true, true];

/// Random steps of a seed.
pub fn stimulus(seed: u64, steps: usize) -> Vec<Step> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5eed_5713);
    let mut clocks = START;
    let mut limbs = vec![0u64; (DATA / 64) as usize];
    (0..steps)
        .map(|n| {
            for limb in &mut limbs {
                for part in 0..4 {
                    let keep = u64::MAX ^ 0xffff << (16 * part);
                    let new: u64 = match rng.random_range(0..8) {
                        0 => 0,
                        1 => 0xffff,
                        2 => rng.random_range(0..16),
                        3 => continue,
                        _ => rng.random_range(0..0x10000),
                    };
                    *limb = *limb & keep | new << (16 * part);
                }
            }
            for c in &mut clocks {
                *c ^= rng.random_bool(0.7);
            }
            // A reset comes first: an engine that starts with all inputs at 0 has seen one if it is
            // active low.
            Step { reset: n == 0 || rng.random_bool(0.1), data: Bits::from_limbs(DATA, &limbs), clocks }
        })
        .collect()
}
