//! A set of small numbers below a fixed bound: virtual registers in liveness and interference.
//!
//! A set of few numbers is a row of words. Where the bound is large, words without a member are
//! left out: there are as many sets as registers or blocks, and a whole row for each would make the
//! time of a long program grow with its square. Members come in ascending order either way. Wrong
//! would be a word without a member that is kept: equal sets would differ.

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitSet {
    /// How many words there is room for.
    capacity: usize,
    words: Words,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Words {
    Every(Vec<u64>),
    /// Those that are not 0, by their ascending number.
    Used(Vec<(usize, u64)>),
}

/// The most words that are all kept.
const EVERY: usize = 16;

impl Default for BitSet {
    fn default() -> BitSet {
        BitSet::new(0)
    }
}

/// The place of a word, or where it would be.
fn find(words: &[(usize, u64)], number: usize) -> Result<usize, usize> {
    // Most sets are filled from one of their ends.
    match (words.first(), words.last()) {
        (Some(first), _) if number < first.0 => Err(0),
        (_, Some(last)) if number > last.0 => Err(words.len()),
        _ => words.binary_search_by_key(&number, |w| w.0),
    }
}

impl BitSet {
    pub fn new(n: usize) -> BitSet {
        let capacity = n.div_ceil(64);
        let words = if capacity <= EVERY { Words::Every(vec![0; capacity]) } else { Words::Used(vec![]) };
        BitSet { capacity, words }
    }
    /// How many numbers there is room for.
    pub fn capacity(&self) -> usize {
        64 * self.capacity
    }
    pub fn insert(&mut self, i: usize) {
        let bit = 1 << (i % 64);
        match &mut self.words {
            Words::Every(words) => words[i / 64] |= bit,
            Words::Used(words) => match find(words, i / 64) {
                Ok(at) => words[at].1 |= bit,
                Err(at) => words.insert(at, (i / 64, bit)),
            },
        }
    }
    pub fn remove(&mut self, i: usize) {
        let bit = 1 << (i % 64);
        match &mut self.words {
            Words::Every(words) => words[i / 64] &= !bit,
            Words::Used(words) => {
                if let Ok(at) = find(words, i / 64) {
                    words[at].1 &= !bit;
                    if words[at].1 == 0 {
                        words.remove(at);
                    }
                }
            }
        }
    }
    pub fn contains(&self, i: usize) -> bool {
        self.word(i / 64) >> (i % 64) & 1 != 0
    }
    fn word(&self, number: usize) -> u64 {
        match &self.words {
            Words::Every(words) => words.get(number).copied().unwrap_or(0),
            Words::Used(words) => find(words, number).map_or(0, |at| words[at].1),
        }
    }
    /// Adds the other set's members; whether this set grew.
    pub fn union(&mut self, other: &BitSet) -> bool {
        let mut grew = false;
        match (&mut self.words, &other.words) {
            (Words::Every(own), Words::Every(theirs)) => {
                for (a, b) in own.iter_mut().zip(theirs) {
                    grew |= *b & !*a != 0;
                    *a |= *b;
                }
            }
            (Words::Used(own), Words::Used(theirs)) => {
                let (mut at, mut new) = (0, vec![]);
                for &(number, b) in theirs {
                    at += own[at..].partition_point(|w| w.0 < number);
                    match own.get_mut(at).filter(|w| w.0 == number) {
                        Some((_, a)) => {
                            grew |= b & !*a != 0;
                            *a |= b;
                        }
                        None => new.push((number, b)),
                    }
                }
                if !new.is_empty() {
                    grew = true;
                    own.extend(new);
                    own.sort_unstable_by_key(|w| w.0);
                }
            }
            _ => {
                for i in other.iter() {
                    grew |= !self.contains(i);
                    self.insert(i);
                }
            }
        }
        grew
    }
    /// Keeps what the other set has too; whether this set shrank.
    pub fn intersect(&mut self, other: &BitSet) -> bool {
        let mut shrank = false;
        match &mut self.words {
            Words::Every(words) => {
                for (number, a) in words.iter_mut().enumerate() {
                    let b = other.word(number);
                    shrank |= *a & !b != 0;
                    *a &= b;
                }
            }
            Words::Used(words) => words.retain_mut(|(number, a)| {
                let b = other.word(*number);
                shrank |= *a & !b != 0;
                *a &= b;
                *a != 0
            }),
        }
        shrank
    }
    pub fn len(&self) -> usize {
        let ones = |w: &u64| w.count_ones() as usize;
        match &self.words {
            Words::Every(words) => words.iter().map(ones).sum(),
            Words::Used(words) => words.iter().map(|w| ones(&w.1)).sum(),
        }
    }
    /// The members, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let (all, some): (&[u64], &[(usize, u64)]) = match &self.words {
            Words::Every(words) => (words, &[]),
            Words::Used(words) => (&[], words),
        };
        let words = all.iter().copied().enumerate().chain(some.iter().copied());
        words.flat_map(|(i, w)| {
            let mut w = w;
            std::iter::from_fn(move || {
                (w != 0).then(|| {
                    let bit = w.trailing_zeros() as usize;
                    w &= w - 1;
                    i * 64 + bit
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use std::collections::BTreeSet;

    #[test]
    fn members_come_back_in_order() {
        let mut s = BitSet::new(130);
        for i in [129, 0, 64, 63] {
            s.insert(i);
        }
        s.remove(63);
        assert_eq!(s.iter().collect::<Vec<_>>(), [0, 64, 129]);
        let mut t = BitSet::new(130);
        t.insert(64);
        assert!(t.union(&s) && !t.union(&s) && t.len() == 3 && t.contains(129));
    }

    /// Small and large sets do what sets of the library do.
    #[test]
    fn random_sets_are_sets() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(3);
        for n in [200, 64 * EVERY, 64 * EVERY + 1, 5000] {
            let mut sets = vec![(BitSet::new(n), BTreeSet::new()); 3];
            for _ in 0..3000 {
                let (a, b, i) = (rng.random_range(0..3), rng.random_range(0..3), rng.random_range(0..n));
                let (other, theirs) = sets[b].clone();
                let (set, own) = &mut sets[a];
                let before = own.clone();
                match rng.random_range(0..40) {
                    0 => {
                        own.extend(&theirs);
                        assert_eq!(set.union(&other), *own != before);
                    }
                    1 => {
                        own.retain(|m| theirs.contains(m));
                        assert_eq!(set.intersect(&other), *own != before);
                    }
                    2..=9 => {
                        set.remove(i);
                        own.remove(&i);
                    }
                    _ => {
                        set.insert(i);
                        own.insert(i);
                    }
                }
                assert_eq!(set.contains(i), own.contains(&i));
                assert_eq!(set.len(), own.len());
                assert!(set.iter().eq(own.iter().copied()));
                assert_eq!(*set == other, *own == theirs);
            }
        }
    }
}
