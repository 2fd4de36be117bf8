//! Who depends on whom, directly or through others: a bit for each pair of threads. Threads are
//! numbered by their place in the order of dispatch, so that a thread's ancestors have lower
//! numbers.

/// The ancestors of every thread.
#[derive(Clone, Debug)]
pub struct Ancestors {
    words: usize,
    bits: Vec<u64>,
}

/// A set of threads.
#[derive(Clone, Debug, Default)]
pub struct Set(Vec<u64>);

impl Set {
    pub fn new(threads: usize) -> Self {
        Self(vec![0; threads.div_ceil(64)])
    }
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    pub fn insert(&mut self, thread: u32) {
        self.0[thread as usize / 64] |= 1 << (thread % 64);
    }
}

impl Ancestors {
    /// From the predecessors of each thread, all of which have lower numbers.
    pub fn new(predecessors: &[Vec<u32>]) -> Self {
        let words = predecessors.len().div_ceil(64);
        let mut bits = vec![0; words * predecessors.len()];
        for (t, from) in predecessors.iter().enumerate() {
            let (earlier, row) = bits.split_at_mut(t * words);
            for &p in from {
                let p = p as usize;
                for (w, &x) in row[..words].iter_mut().zip(&earlier[p * words..(p + 1) * words]) {
                    *w |= x;
                }
                row[p / 64] |= 1 << (p % 64);
            }
        }
        Self { words, bits }
    }

    fn row(&self, thread: u32) -> &[u64] {
        &self.bits[thread as usize * self.words..][..self.words]
    }

    /// Whether `thread` depends on `ancestor`.
    pub fn has(&self, thread: u32, ancestor: u32) -> bool {
        self.row(thread)[ancestor as usize / 64] >> (ancestor % 64) & 1 == 1
    }

    /// Whether `thread` depends on all members of the set that have lower numbers.
    pub fn cover(&self, thread: u32, set: &Set) -> bool {
        let (full, rest) = (thread as usize / 64, thread % 64);
        let row = self.row(thread);
        let below = set.0[..full].iter().zip(row).all(|(s, a)| s & !a == 0);
        below && set.0[full] & ((1 << rest) - 1) & !row[full] == 0
    }

    /// The predecessors without those that another predecessor depends on: waiting for the others
    /// is waiting for them too.
    pub fn reduced(&self, predecessors: &[Vec<u32>]) -> Vec<Vec<u32>> {
        let mut implied = vec![0u64; self.words];
        let needed = |from: &Vec<u32>| {
            implied.fill(0);
            for &p in from {
                implied.iter_mut().zip(self.row(p)).for_each(|(w, x)| *w |= x);
            }
            from.iter().copied().filter(|&p| implied[p as usize / 64] >> (p % 64) & 1 == 0).collect()
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
        let mut set = Set::new(5);
        [0, 1].iter().for_each(|&t| set.insert(t));
        assert!(a.cover(2, &set) && a.cover(4, &set) && !a.cover(3, &set) && a.cover(1, &set));
    }

    #[test]
    fn sets_of_more_than_a_word() {
        let predecessors: Vec<Vec<u32>> = (0..200u32).map(|t| t.checked_sub(1).into_iter().collect()).collect();
        let a = Ancestors::new(&predecessors);
        let mut set = Set::new(200);
        (0..200).for_each(|t| set.insert(t));
        assert!((0..200).all(|t| a.cover(t, &set)));
    }
}
