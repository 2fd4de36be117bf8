//! A fixed-size set of small numbers: virtual registers in liveness and interference.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitSet(Vec<u64>);

impl BitSet {
    pub fn new(n: usize) -> BitSet {
        BitSet(vec![0; n.div_ceil(64)])
    }
    /// How many numbers there is room for.
    pub fn capacity(&self) -> usize {
        64 * self.0.len()
    }
    pub fn insert(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }
    pub fn remove(&mut self, i: usize) {
        self.0[i / 64] &= !(1 << (i % 64));
    }
    pub fn contains(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 != 0
    }
    /// Adds the other set's members; whether this set grew.
    pub fn union(&mut self, other: &BitSet) -> bool {
        let mut grew = false;
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            grew |= *b & !*a != 0;
            *a |= *b;
        }
        grew
    }
    /// Keeps what the other set has too; whether this set shrank.
    pub fn intersect(&mut self, other: &BitSet) -> bool {
        let mut shrank = false;
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            shrank |= *a & !*b != 0;
            *a &= *b;
        }
        shrank
    }
    pub fn len(&self) -> usize {
        self.0.iter().map(|w| w.count_ones() as usize).sum()
    }
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(i, &w)| {
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
}
