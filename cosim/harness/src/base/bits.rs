//! Sets of small numbers, as a row of bits: triangles of a frame, threads, warps of a group. A set
//! of these is a fraction of a hash table, and two of them are compared by words. Wrong would be a
//! number so large that its bit costs more than the set; numbers here count things that exist.

use bitvec::field::BitField;
use bitvec::prelude::{BitSlice, BitVec};

/// Bits that are looked at together.
const WORD: usize = 64;

/// A set of numbers from 0 up. It grows with what is put into it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitSet(BitVec);

impl BitSet {
    /// Puts a number in; whether it was not there.
    pub fn insert(&mut self, number: usize) -> bool {
        if number >= self.0.len() {
            self.0.resize(number + 1, false);
        }
        !self.0.replace(number, true)
    }

    /// The number is in it.
    pub fn contains(&self, number: usize) -> bool {
        self.0.get(number).is_some_and(|bit| *bit)
    }

    /// Nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.0.not_any()
    }

    /// The numbers below `end`, or as many bits of them as there are.
    pub fn below(&self, end: usize) -> &BitSlice {
        &self.0[..end.min(self.0.len())]
    }

    /// All numbers below `end` are in it.
    pub fn has_all(&self, end: usize) -> bool {
        self.0.len() >= end && self.below(end).all()
    }
}

/// All that is in the first is in the second; what the second does not reach is not in it.
pub fn is_within(some: &BitSlice, all: &BitSlice) -> bool {
    let (near, far) = some.split_at(some.len().min(all.len()));
    let inside = |(some, all): (&BitSlice, &BitSlice)| some.load::<u64>() & !all.load::<u64>() == 0;
    near.chunks(WORD).zip(all.chunks(WORD)).all(inside) && far.not_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_grows_and_knows_what_is_new() {
        let mut set = BitSet::default();
        assert!(set.is_empty() && !set.contains(7));
        assert!(set.insert(70) && !set.insert(70) && set.insert(0));
        assert!(set.contains(70) && set.contains(0) && !set.contains(69) && !set.contains(71));
        assert!(!set.is_empty() && set.has_all(1) && !set.has_all(2) && set.has_all(0));
        assert_eq!((set.below(70).count_ones(), set.below(900).count_ones()), (1, 2));
    }

    #[test]
    fn one_set_is_within_another() {
        let of = |numbers: &[usize]| {
            let mut set = BitSet::default();
            for &n in numbers {
                set.insert(n);
            }
            set
        };
        let (some, all) = (of(&[1, 130]), of(&[0, 1, 2, 130, 131]));
        assert!(is_within(some.below(999), all.below(999)));
        assert!(!is_within(all.below(999), some.below(999)));
        // The second ends before a number of the first.
        assert!(!is_within(some.below(999), all.below(130)) && is_within(some.below(130), all.below(130)));
        assert!(is_within(of(&[]).below(9), of(&[]).below(9)));
    }
}
