//! Who depends on whom, directly or through others: a bit for each pair of threads. Threads are
//! numbered by their place in the order of dispatch, so that a thread's ancestors have lower
//! numbers.

use bitvec::prelude::{bitvec, BitVec};

use crate::base::bits::{is_within, BitSet};

/// The ancestors of every thread.
#[derive(Clone, Debug)]
pub struct Ancestors(Vec<BitVec>);

impl Ancestors {
    /// From the predecessors of each thread, all of which have lower numbers.
    pub fn new(predecessors: &[Vec<u32>]) -> Self {
        let mut rows: Vec<BitVec> = Vec::with_capacity(predecessors.len());
        for from in predecessors {
            let mut row = bitvec![0; predecessors.len()];
            for &p in from {
                row |= rows[p as usize].as_bitslice();
                row.set(p as usize, true);
            }
            rows.push(row);
        }
        Self(rows)
    }

    /// Whether `thread` depends on `ancestor`.
    pub fn has(&self, thread: u32, ancestor: u32) -> bool {
        self.0[thread as usize][ancestor as usize]
    }

    /// Whether `thread` depends on all members of the set that have lower numbers.
    pub fn cover(&self, thread: u32, set: &BitSet) -> bool {
        is_within(set.below(thread as usize), &self.0[thread as usize])
    }

    /// The predecessors without those that another predecessor depends on: waiting for the others
    /// is waiting for them too.
    pub fn reduced(&self, predecessors: &[Vec<u32>]) -> Vec<Vec<u32>> {
        let mut implied = bitvec![0; self.0.len()];
        let needed = |from: &Vec<u32>| {
            implied.fill(false);
            from.iter().for_each(|&p| implied |= self.0[p as usize].as_bitslice());
            from.iter().copied().filter(|&p| !implied[p as usize]).collect()
        };
        predecessors.iter().map(needed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ancestors_go_through_others_and_shortcuts_are_not_needed() {
        let predecessors = vec![vec![], vec![0], vec![0, 1], vec![], vec![2, 3]];
        let a = Ancestors::new(&predecessors);
        assert!(a.has(4, 0) && a.has(2, 0) && !a.has(3, 0) && !a.has(0, 4));
        assert_eq!(a.reduced(&predecessors), [vec![], vec![0], vec![1], vec![], vec![2, 3]]);
        let mut set = BitSet::default();
        assert!(set.insert(0) && set.insert(1));
        assert!(a.cover(2, &set) && a.cover(4, &set) && !a.cover(3, &set) && a.cover(1, &set));
    }

    #[test]
    fn sets_of_more_than_a_word() {
        let predecessors: Vec<Vec<u32>> = (0..200u32).map(|t| t.checked_sub(1).into_iter().collect()).collect();
        let a = Ancestors::new(&predecessors);
        let mut set = BitSet::default();
        assert!((0..200).all(|t| set.insert(t)));
        assert!((0..200).all(|t| a.cover(t, &set)));
    }
}
