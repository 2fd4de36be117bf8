//! Test operands in the manner of Berkeley TestFloat: every combination of corner exponents and
//! corner significands, mixed with random ones. The counts are TestFloat's, because the lists have
//! its lengths; docs/float-check.md says how they are made and where the contents differ.
//!
//! | operation | level 1 | level 2 |
//! |---|---|---|
//! | one f32 | 3 * 200 = 600 | 2 * 4,400 = 8,800 |
//! | two f32 | 6 * 88^2 = 46,464 | 2 * 1,936^2 = 7,496,192 |
//! | three f32 | 9 * 88^3 = 6,133,248 | not used |
//! | one integer | 3 * 124 = 372 | 2 * 7,750 = 15,500 |
//!
//! Case `i` of a sequence depends on `i` and on the random source only, so that a sequence can be
//! cut anywhere.

use rand::Rng;

/// Exponent fields of operands: subnormal; the smallest; products and sums around 1; around 2^24;
/// the largest; infinity and NaN.
const EXPONENTS: [u32; 11] = [0, 1, 103, 125, 126, 127, 128, 129, 151, 254, 255];
/// More of them where one operand is all there is: the integers' limits too.
const MORE_EXPONENTS: [u32; 25] = [
    0, 1, 2, 103, 123, 124, 125, 126, 127, 128, 129, 130, 131, 151, 156, 157, 158, 159, 188, 189, 190, 191, 253, 254,
    255,
];
/// Bits of a significand after the point.
const BITS: u32 = 23;
const FRACTION: u32 = (1 << BITS) - 1;

/// Corner fractions: nothing, the last bit, and their complements.
const FRACTIONS: [u32; 4] = [0, 1, FRACTION, FRACTION - 1];

/// Words of `bits` bits that are 0, one bit, a run of ones at either end, or all ones but one bit;
/// without repetition.
fn patterns(bits: u32) -> Vec<u32> {
    let all = u32::MAX >> (32 - bits);
    let mut list = vec![0];
    list.extend((0..bits).map(|k| 1 << k));
    list.extend((2..=bits).map(|n| all & !(all >> 1 >> (n - 1))));
    list.extend((2..bits).map(|n| (1 << n) - 1));
    list.extend((1..bits - 1).map(|k| all ^ 1 << k));
    list
}

/// The corner operands.
#[derive(Debug)]
pub struct Corners {
    /// Of one, two or three operands at level 1.
    few: Vec<u32>,
    /// Of two operands at level 2.
    many: Vec<u32>,
    /// Of one operand at level 1 and 2.
    single_few: Vec<u32>,
    single_many: Vec<u32>,
    /// Integers, and their sums in pairs.
    integers: Vec<u32>,
    sums: Vec<u32>,
    fractions: Vec<u32>,
}

fn product(exponents: &[u32], fractions: &[u32]) -> Vec<u32> {
    let of_sign =
        |sign: u32| exponents.iter().flat_map(move |e| fractions.iter().map(move |f| sign << 31 | e << BITS | f));
    of_sign(0).chain(of_sign(1)).collect()
}

/// Which sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// TestFloat's level 1.
    One,
    /// TestFloat's level 2: a hundred times as many cases of two operands.
    Two,
}

impl Default for Corners {
    fn default() -> Self {
        let fractions = patterns(BITS);
        let integers = patterns(32);
        let mut sums = Vec::new();
        for (i, a) in integers.iter().enumerate() {
            sums.extend(integers[..=i].iter().map(|b| a.wrapping_add(*b)));
        }
        Self {
            few: product(&EXPONENTS, &FRACTIONS),
            many: product(&EXPONENTS, &fractions),
            single_few: product(&MORE_EXPONENTS, &FRACTIONS),
            single_many: product(&MORE_EXPONENTS, &fractions),
            integers,
            sums,
            fractions,
        }
    }
}

impl Corners {
    /// Cases of the sequence of `operands` f32.
    pub fn floats(&self, operands: usize, level: Level) -> u64 {
        let power = |list: &[u32], times: u64| times * (list.len() as u64).pow(operands as u32);
        match (operands, level) {
            (1, Level::One) => power(&self.single_few, 3),
            (1, Level::Two) => power(&self.single_many, 2),
            (2, Level::One) => power(&self.few, 6),
            (2, Level::Two) => power(&self.many, 2),
            _ => power(&self.few, 9),
        }
    }

    /// Cases of the sequence of one integer.
    pub fn integers(&self, level: Level) -> u64 {
        match level {
            Level::One => 3 * self.integers.len() as u64,
            Level::Two => 2 * self.sums.len() as u64,
        }
    }

    /// Corner exponent, fraction the sum of two corner fractions.
    fn weighted(&self, rng: &mut impl Rng) -> u32 {
        let fraction = self.pick(&self.fractions, rng).wrapping_add(self.pick(&self.fractions, rng)) & FRACTION;
        let sign = rng.random_range(0..2u32) << 31;
        sign | self.pick(&MORE_EXPONENTS, rng) << BITS | fraction
    }

    fn pick(&self, list: &[u32], rng: &mut impl Rng) -> u32 {
        list[rng.random_range(0..list.len())]
    }

    /// Case `i` of the sequence of `operands` f32.
    pub fn float_case(&self, operands: usize, level: Level, i: u64, rng: &mut impl Rng) -> [u32; 3] {
        match (operands, level) {
            (1, Level::One) => [self.one(&self.single_few, i, 3, rng), 0, 0],
            (1, Level::Two) => [self.one(&self.single_many, i, 2, rng), 0, 0],
            (2, Level::One) => self.two(i, rng),
            (2, Level::Two) => self.two_many(i, rng),
            _ => self.three(i, rng),
        }
    }

    /// Of every `per` cases one is the next corner, one of three weighted, one any bits.
    fn one(&self, list: &[u32], i: u64, per: u64, rng: &mut impl Rng) -> u32 {
        match (i % per, per) {
            (0, _) => list[(i / per) as usize],
            (1, 3) => self.weighted(rng),
            _ => rng.random(),
        }
    }

    /// Of six cases one is the next pair of corners, two have one of the pair, the others none.
    fn two(&self, i: u64, rng: &mut impl Rng) -> [u32; 3] {
        let (n, pair) = (self.few.len(), (i / 6) as usize);
        let (a, b) = (self.few[pair / n], self.few[pair % n]);
        match i % 6 {
            0 => [a, b, 0],
            1 => [a, self.weighted(rng), 0],
            2 => [self.weighted(rng), b, 0],
            3 => [self.weighted(rng), self.weighted(rng), 0],
            4 => [self.weighted(rng), rng.random(), 0],
            _ => [rng.random(), rng.random(), 0],
        }
    }

    fn two_many(&self, i: u64, rng: &mut impl Rng) -> [u32; 3] {
        let (n, pair) = (self.many.len(), (i / 2) as usize);
        match i % 4 {
            0 | 2 => [self.many[pair / n], self.many[pair % n], 0],
            1 => [self.weighted(rng), self.weighted(rng), 0],
            _ => [rng.random(), rng.random(), 0],
        }
    }

    /// Of nine cases one is the next triple of corners, six have one or two of it, one is weighted,
    /// one any bits.
    fn three(&self, i: u64, rng: &mut impl Rng) -> [u32; 3] {
        let (n, triple) = (self.few.len(), (i / 9) as usize);
        let mut case = [self.few[triple / (n * n)], self.few[triple / n % n], self.few[triple % n]];
        match i % 9 {
            8 => case = rng.random(),
            // The bits of 0 to 7 say which operands are replaced.
            which => {
                for (k, operand) in case.iter_mut().enumerate() {
                    if which >> k & 1 == 1 {
                        *operand = self.weighted(rng);
                    }
                }
            }
        }
        case
    }

    /// Case `i` of the sequence of one integer.
    pub fn integer_case(&self, level: Level, i: u64, rng: &mut impl Rng) -> u32 {
        match (level, i % 3) {
            (Level::One, 0) => self.integers[(i / 3) as usize],
            (Level::One, 1) => self.pick(&self.sums, rng),
            (Level::Two, _) if i.is_multiple_of(2) => self.sums[(i / 2) as usize],
            // Every magnitude alike.
            _ => rng.random::<u32>() >> rng.random_range(0..32),
        }
    }

    /// Corner fractions with every exponent, both signs: 512 * 88 operands.
    pub fn every_exponent(&self, i: u64) -> u32 {
        let n = self.fractions.len();
        let i = i as usize;
        ((i / n) as u32) << BITS | self.fractions[i % n]
    }

    /// How many those are.
    pub fn exponents(&self) -> u64 {
        512 * self.fractions.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_counts_are_testfloats() {
        let corners = Corners::default();
        let floats = |n, level| corners.floats(n, level);
        assert_eq!([1, 2, 3].map(|n| floats(n, Level::One)), [600, 46_464, 6_133_248]);
        assert_eq!([1, 2].map(|n| floats(n, Level::Two)), [8_800, 7_496_192]);
        assert_eq!([Level::One, Level::Two].map(|l| corners.integers(l)), [372, 15_500]);
    }

    #[test]
    fn patterns_do_not_repeat() {
        for (bits, count) in [(23, 88), (32, 124)] {
            let list = patterns(bits);
            assert_eq!((list.len(), list.iter().collect::<BTreeSet<_>>().len()), (count, count));
            assert!(list.iter().all(|p| bits == 32 || p >> bits == 0));
        }
    }

    #[test]
    fn every_combination_of_corners_comes() {
        use rand::SeedableRng;
        let corners = Corners::default();
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let pairs: BTreeSet<[u32; 3]> = (0..46_464).map(|i| corners.float_case(2, Level::One, i, &mut rng)).collect();
        for a in &corners.few {
            assert!(corners.few.iter().all(|b| pairs.contains(&[*a, *b, 0])), "{a:08x}");
        }
        let all: BTreeSet<u32> = (0..corners.exponents()).map(|i| corners.every_exponent(i)).collect();
        assert_eq!(all.len(), 512 * 88);
    }
}
