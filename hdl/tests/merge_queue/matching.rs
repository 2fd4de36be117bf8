//! Maximum matching of a graph, by Edmonds' blossoms: how many pairs there could be at most. Wrong
//! by a blossom that is not closed, which gives too few: a small graph is compared with all its
//! matchings.

use std::collections::{HashMap, VecDeque};

const NONE: usize = usize::MAX;

/// A search from one vertex that has no mate.
struct Search<'a> {
    near: &'a [Vec<usize>],
    mate: &'a mut [usize],
    /// The vertex from which one was reached.
    from: Vec<usize>,
    /// The base of its blossom.
    base: Vec<usize>,
    seen: Vec<bool>,
    queue: VecDeque<usize>,
}

impl Search<'_> {
    /// The nearest base that the ways of both to the root have in common.
    fn common(&self, mut a: usize, mut b: usize) -> usize {
        let mut on_way = vec![false; self.near.len()];
        loop {
            a = self.base[a];
            on_way[a] = true;
            if self.mate[a] == NONE {
                break;
            }
            a = self.from[self.mate[a]];
        }
        loop {
            b = self.base[b];
            if on_way[b] {
                return b;
            }
            b = self.from[self.mate[b]];
        }
    }

    fn mark(&mut self, in_blossom: &mut [bool], mut v: usize, base: usize, mut child: usize) {
        while self.base[v] != base {
            in_blossom[self.base[v]] = true;
            in_blossom[self.base[self.mate[v]]] = true;
            self.from[v] = child;
            child = self.mate[v];
            v = self.from[self.mate[v]];
        }
    }

    fn close(&mut self, v: usize, to: usize) {
        let base = self.common(v, to);
        let mut in_blossom = vec![false; self.near.len()];
        self.mark(&mut in_blossom, v, base, to);
        self.mark(&mut in_blossom, to, base, v);
        for i in 0..self.near.len() {
            if in_blossom[self.base[i]] {
                self.base[i] = base;
                if !self.seen[i] {
                    self.seen[i] = true;
                    self.queue.push_back(i);
                }
            }
        }
    }

    /// The end of a way on which mates can change, if there is one.
    fn way(&mut self, root: usize) -> Option<usize> {
        self.seen[root] = true;
        self.queue.push_back(root);
        while let Some(v) = self.queue.pop_front() {
            for &to in &self.near[v] {
                if self.base[v] == self.base[to] || self.mate[v] == to {
                    continue;
                }
                if to == root || (self.mate[to] != NONE && self.from[self.mate[to]] != NONE) {
                    self.close(v, to);
                } else if self.from[to] == NONE {
                    self.from[to] = v;
                    if self.mate[to] == NONE {
                        return Some(to);
                    }
                    self.seen[self.mate[to]] = true;
                    self.queue.push_back(self.mate[to]);
                }
            }
        }
        None
    }
}

/// Pairs of a maximum matching of `n` vertices.
pub fn maximum(n: usize, fits: impl Fn(usize, usize) -> bool) -> usize {
    let near: Vec<Vec<usize>> = (0..n).map(|a| (0..n).filter(|&b| a != b && fits(a, b)).collect()).collect();
    let mut mate = vec![NONE; n];
    for root in 0..n {
        if mate[root] != NONE {
            continue;
        }
        let (from, base) = (vec![NONE; n], (0..n).collect());
        let mut search =
            Search { near: &near, mate: &mut mate, from, base, seen: vec![false; n], queue: VecDeque::new() };
        let mut end = search.way(root).unwrap_or(NONE);
        let from = search.from;
        while end != NONE {
            let before = from[end];
            let next = mate[before];
            mate[end] = before;
            mate[before] = end;
            end = next;
        }
    }
    mate.iter().filter(|&&m| m != NONE).count() / 2
}

#[test]
fn small_graphs_agree_with_all_their_matchings() {
    use rand::{Rng, SeedableRng};
    fn most(left: &[usize], fits: &[u32]) -> usize {
        let Some((&a, rest)) = left.split_first() else { return 0 };
        let with = rest.iter().filter(|&&b| fits[a] >> b & 1 != 0).map(|&b| {
            let others: Vec<usize> = rest.iter().copied().filter(|&c| c != b).collect();
            1 + most(&others, fits)
        });
        with.max().unwrap_or(0).max(most(rest, fits))
    }
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(4);
    for _ in 0..300 {
        let n = rng.random_range(1..9);
        let mut fits = vec![0u32; n];
        let dense = rng.random_range(0.1..0.7);
        for a in 0..n {
            for b in 0..a {
                if rng.random_bool(dense) {
                    fits[a] |= 1 << b;
                    fits[b] |= 1 << a;
                }
            }
        }
        let all: Vec<usize> = (0..n).collect();
        assert_eq!(maximum(n, |a, b| fits[a] >> b & 1 != 0), most(&all, &fits), "{fits:?}");
    }
}

/// The fewest warps for quads of these lanes with flips, at most `most` in one: every way is tried.
/// A flip takes one lane to any other, and rows, columns and diagonals to their like.
pub fn warps(lanes: &[u64], most: usize) -> usize {
    const KINDS: [&[u64]; 5] = [&[1, 2, 4, 8], &[3, 12], &[5, 10], &[9, 6], &[7, 11, 13, 14]];
    let mut counts = [0; 5];
    for lanes in lanes {
        counts[KINDS.iter().position(|kind| kind.contains(lanes)).expect("a sparse quad")] += 1;
    }
    fewest(counts, most, &mut HashMap::new())
}

fn fewest(counts: [usize; 5], most: usize, known: &mut HashMap<[usize; 5], usize>) -> usize {
    if counts == [0; 5] {
        return 0;
    }
    if let Some(&least) = known.get(&counts) {
        return least;
    }
    // What one warp can hold: by kind, quads of one lane, of two of each shape, of three.
    let warps: [[usize; 5]; 14] = [
        [1, 0, 0, 0, 0],
        [2, 0, 0, 0, 0],
        [3, 0, 0, 0, 0],
        [4, 0, 0, 0, 0],
        [0, 1, 0, 0, 0],
        [0, 2, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [2, 1, 0, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 0, 2, 0, 0],
        [2, 0, 1, 0, 0],
        [0, 0, 0, 2, 0],
        [2, 0, 0, 1, 0],
        [1, 0, 0, 0, 1],
    ];
    let smaller = [[0, 0, 0, 1, 0], [0, 0, 0, 0, 1], [1, 0, 1, 0, 0], [1, 0, 0, 1, 0]];
    let ways = warps.iter().chain(&smaller).filter(|w| w.iter().sum::<usize>() <= most);
    let ways = ways.filter(|w| (0..5).all(|k| w[k] <= counts[k]));
    let least = ways.map(|w| std::array::from_fn(|k| counts[k] - w[k])).collect::<Vec<_>>();
    let least = least.into_iter().map(|left| 1 + fewest(left, most, known)).min().expect("one alone");
    known.insert(counts, least);
    least
}
