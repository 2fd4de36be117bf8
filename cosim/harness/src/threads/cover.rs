//! Least vertex covers of bipartite graphs: König's theorem. A largest matching is found by
//! Hopcroft and Karp's method; the cover is the left vertices that cannot be reached from an
//! unmatched left vertex along alternating paths, and the right ones that can. Here an edge is a
//! dependency, a left vertex in the cover a semaphore "those who wait for this thread" and a right
//! one "those that this thread waits for".

use std::collections::VecDeque;

const NONE: u32 = u32::MAX;

/// Left and right vertices of a least cover, by flags. `edges[l]` are the right neighbours of left
/// vertex l.
pub fn least(edges: &[Vec<u32>], right: usize) -> (Vec<bool>, Vec<bool>) {
    let mut m = Matching { edges, of_left: vec![NONE; edges.len()], of_right: vec![NONE; right] };
    while m.grow() {}
    m.cover()
}

struct Matching<'a> {
    edges: &'a [Vec<u32>],
    of_left: Vec<u32>,
    of_right: Vec<u32>,
}

impl Matching<'_> {
    /// One phase: distances from the unmatched left vertices, then disjoint shortest augmenting
    /// paths. False if there are none.
    fn grow(&mut self) -> bool {
        let mut level = vec![NONE; self.edges.len()];
        let mut queue = VecDeque::new();
        for (l, level) in level.iter_mut().enumerate().filter(|(l, _)| self.of_left[*l] == NONE) {
            *level = 0;
            queue.push_back(l);
        }
        while let Some(l) = queue.pop_front() {
            for &r in &self.edges[l] {
                let back = self.of_right[r as usize];
                if back != NONE && level[back as usize] == NONE {
                    level[back as usize] = level[l] + 1;
                    queue.push_back(back as usize);
                }
            }
        }
        let mut next = vec![0; self.edges.len()];
        let mut grown = false;
        for l in 0..self.edges.len() {
            if self.of_left[l] == NONE {
                grown |= self.augment(l, &mut level, &mut next);
            }
        }
        grown
    }

    /// Depth-first along rising levels, without recursion: paths can be as long as the graph.
    fn augment(&mut self, start: usize, level: &mut [u32], next: &mut [usize]) -> bool {
        let mut path: Vec<(usize, u32)> = Vec::new();
        let mut l = start;
        loop {
            let Some(&r) = self.edges[l].get(next[l]) else {
                level[l] = NONE;
                match path.pop() {
                    Some((previous, _)) => l = previous,
                    None => return false,
                }
                continue;
            };
            next[l] += 1;
            let back = self.of_right[r as usize];
            if back == NONE {
                path.push((l, r));
                for (l, r) in path {
                    self.of_left[l] = r;
                    self.of_right[r as usize] = l as u32;
                }
                return true;
            }
            if level[l] != NONE && level[back as usize] == level[l] + 1 {
                path.push((l, r));
                l = back as usize;
            }
        }
    }

    fn cover(&self) -> (Vec<bool>, Vec<bool>) {
        let (mut left, mut right) = (vec![false; self.of_left.len()], vec![false; self.of_right.len()]);
        let mut work: Vec<usize> = (0..left.len()).filter(|&l| self.of_left[l] == NONE).collect();
        work.iter().for_each(|&l| left[l] = true);
        while let Some(l) = work.pop() {
            for &r in &self.edges[l] {
                if std::mem::replace(&mut right[r as usize], true) {
                    continue;
                }
                let back = self.of_right[r as usize];
                if back != NONE && !std::mem::replace(&mut left[back as usize], true) {
                    work.push(back as usize);
                }
            }
        }
        (left.iter().map(|reached| !reached).collect(), right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};

    /// Against all subsets of small graphs.
    #[test]
    fn covers_are_covers_and_none_is_smaller() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        for _ in 0..300 {
            let (l, r) = (rng.random_range(1..6usize), rng.random_range(1..6usize));
            let edges: Vec<Vec<u32>> =
                (0..l).map(|_| (0..r as u32).filter(|_| rng.random_range(0..3) == 0).collect()).collect();
            let covers = |left: &dyn Fn(usize) -> bool, right: &dyn Fn(usize) -> bool| {
                edges.iter().enumerate().all(|(a, to)| to.iter().all(|&b| left(a) || right(b as usize)))
            };
            let (left, right) = least(&edges, r);
            assert!(covers(&|a| left[a], &|b| right[b]), "{edges:?}");
            let size = left.iter().chain(&right).filter(|x| **x).count() as u32;
            let smallest = (0..1u32 << (l + r)).filter(|s| covers(&|a| s >> a & 1 == 1, &|b| s >> (l + b) & 1 == 1));
            assert_eq!(Some(size), smallest.map(u32::count_ones).min(), "{edges:?}");
        }
    }
}
