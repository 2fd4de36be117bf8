//! The shape of a function as the machine runs it: layout positions, loops as ranges of the layout,
//! and where paths that lanes take apart meet again.
//!
//! The machine runs the running lanes with the lowest counter. A function is *in step* when every
//! edge back goes from the one last block of a range of the layout to its first, the ranges nest,
//! and a range is entered at its first block only. Then, by induction over what the warp executes:
//! when an edge back is taken, every other running lane has a higher counter, so no lane is left in
//! the range; a lane outside comes in only at the first block, by an edge from before it, and
//! everything before it has run. So all lanes that execute a block together are in the same turn of
//! every range around it, and all lanes that execute it in that turn do so together, once. Code
//! behind a `break` that stands inside the range belongs to the range in this sense although no
//! path leads back from it. Barriers break the argument unless all running lanes of the warp come
//! to them together (`gathers`). Wrong it would be if the back end gave the blocks another order,
//! or let a jump back start from another place than here (`back::emit` keeps both).

use crate::ssa::dominance::Cfg;
use crate::ssa::{Block, Func};

/// A range of layout positions with an edge from its last block to its first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// First position.
    pub first: usize,
    /// Last position, which belongs to it.
    pub last: usize,
    /// Lanes of a warp may leave in different turns.
    pub divergent_exit: bool,
}

impl Range {
    /// Whether a position belongs to it.
    pub fn contains(&self, at: usize) -> bool {
        self.first <= at && at <= self.last
    }
}

/// An edge between layout positions.
pub type Edge = (usize, usize);

/// Positions are those of the reachable blocks in the layout.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The blocks, by position.
    pub order: Vec<Block>,
    /// By block number.
    pub position: Vec<Option<usize>>,
    /// Successors of each position.
    pub succs: Vec<Vec<usize>>,
    /// Predecessors of each position.
    pub preds: Vec<Vec<usize>>,
    /// Loops, as ranges of positions.
    pub ranges: Vec<Range>,
    /// Whether the argument above holds.
    pub in_step: bool,
}

impl Shape {
    /// The shape of a function's layout.
    pub fn new(func: &Func) -> Shape {
        let cfg = Cfg::new(func);
        let order: Vec<Block> = func.layout.iter().copied().filter(|b| cfg.reachable(*b)).collect();
        let mut position = vec![None; func.blocks.len()];
        order.iter().enumerate().for_each(|(i, b)| position[b.index()] = Some(i));
        let succs: Vec<Vec<usize>> =
            order.iter().map(|b| cfg.succs[b.index()].iter().filter_map(|s| position[s.index()]).collect()).collect();
        let mut preds = vec![vec![]; order.len()];
        for (u, s) in succs.iter().enumerate() {
            s.iter().for_each(|&w| preds[w].push(u));
        }
        let mut shape = Shape { order, position, succs, preds, ranges: vec![], in_step: true };
        shape.find_ranges();
        shape
    }

    fn find_ranges(&mut self) {
        for first in 0..self.order.len() {
            let mut latches: Vec<usize> = self.preds[first].iter().copied().filter(|&p| p >= first).collect();
            latches.dedup();
            let Some(&last) = latches.iter().max() else { continue };
            self.in_step &= latches.len() == 1;
            self.ranges.push(Range { first, last, divergent_exit: false });
        }
        for r in &self.ranges {
            let overlaps = |q: &Range| r.first < q.first && q.first <= r.last && r.last < q.last;
            let entered = |&(u, w): &Edge| !r.contains(u) && r.contains(w) && w != r.first;
            // Two ranges with one last block are two edges back from it.
            let shared = self.ranges.iter().any(|q| q.last == r.last && q.first != r.first);
            if shared || self.ranges.iter().any(overlaps) || self.edges().iter().any(entered) {
                self.in_step = false;
            }
        }
    }

    /// All edges.
    pub fn edges(&self) -> Vec<Edge> {
        self.succs.iter().enumerate().flat_map(|(u, s)| s.iter().map(move |&w| (u, w))).collect()
    }

    /// Ranges around a position, by number.
    pub fn around(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.ranges.len()).filter(move |&r| self.ranges[r].contains(at))
    }

    /// Whether every range around `inner` is around `outer` too: a lane at `outer` is in the same
    /// turn as it was when it was at `inner`.
    pub fn same_turn(&self, inner: usize, outer: usize) -> bool {
        self.ranges.iter().all(|r| !r.contains(inner) || r.contains(outer))
    }

    /// The edges that leave a range.
    pub fn exits(&self, r: &Range) -> Vec<Edge> {
        let edges = (r.first..=r.last).flat_map(|u| self.succs[u].iter().map(move |&w| (u, w)));
        edges.filter(|&(_, w)| !r.contains(w)).collect()
    }

    /// Follows lanes that take different ones of `starts` along the edges forward: which start, or
    /// which meeting point, the lanes at each position come from last.
    pub fn labels(&self, starts: &[Edge]) -> Labels {
        let n = starts.len();
        let mut of: Vec<Option<usize>> = vec![None; self.order.len()];
        let mut meets = vec![false; self.order.len()];
        for at in 0..self.order.len() {
            let mut seen: Option<usize> = None;
            let mut differ = false;
            let from_starts = starts.iter().enumerate().filter(|(_, s)| s.1 == at && s.1 > s.0).map(|(i, _)| i);
            let started = |u: usize| starts.contains(&(u, at));
            let passed = self.preds[at].iter().filter(|&&u| u < at && !started(u)).filter_map(|&u| of[u]);
            for label in from_starts.chain(passed) {
                differ |= seen.is_some_and(|s| s != label);
                seen = Some(label);
            }
            meets[at] = differ;
            of[at] = if differ { Some(n + at) } else { seen };
        }
        Labels { of, meets }
    }

    /// Whether lanes that go different ways at `d`, inside `r`, may leave the range by different
    /// edges or in different turns. Lanes that end do not count.
    pub fn exit_differs(&self, r: &Range, d: usize) -> bool {
        let free = self.sinks(r, d, None);
        if !free.1 {
            return false;
        }
        // A block that lies on every way out and every way back gathers them first; but not one
        // that lanes may come to in different turns of an inner range.
        let inner = |x: usize| {
            self.around(d)
                .any(|q| self.ranges[q] != *r && r.contains(self.ranges[q].first) && self.ranges[q].contains(x))
        };
        let gathers = |x: usize| x != d && !inner(x) && self.sinks(r, d, Some(x)) == (false, false, vec![]);
        !free.2.iter().any(|&x| gathers(x))
    }

    /// From the successors of `d` inside one turn of `r`, without passing `not`: whether the edge
    /// back and whether an exit is reached, and the blocks on the way (none if neither is).
    fn sinks(&self, r: &Range, d: usize, not: Option<usize>) -> (bool, bool, Vec<usize>) {
        let mut seen = vec![false; self.order.len()];
        let (mut back, mut exit, mut way) = (false, false, vec![]);
        let mut work = vec![d];
        while let Some(u) = work.pop() {
            for &w in &self.succs[u] {
                if !r.contains(w) {
                    exit = true;
                } else if u == r.last && w == r.first {
                    back = true;
                } else if Some(w) != not && !std::mem::replace(&mut seen[w], true) {
                    way.push(w);
                    work.push(w);
                }
            }
        }
        if back || exit {
            (back, exit, way)
        } else {
            (false, false, vec![])
        }
    }

    /// Whether the lanes that come to `at` are all the running lanes of the warp, as far as those
    /// go that take different ones of `starts`: the ways from a divergent branch, or the ways out
    /// of a loop that lanes leave in different turns. `stops`: blocks that only end the lane.
    pub fn gathers(&self, at: usize, starts: &[Edge], stops: &dyn Fn(usize) -> bool) -> bool {
        let labels = self.labels(starts);
        let Some(own) = labels.of[at] else { return true };
        let own_future = self.forward(at);
        let waits = |&(u, w): &Edge| {
            let label = starts.iter().position(|s| *s == (u, w)).or(labels.of[u]);
            let crosses = u < at && at < w && label.is_some_and(|l| l != own);
            crosses && self.forward(w).iter().any(|&x| !stops(x) && own_future.contains(&x))
        };
        !self.edges().iter().any(waits)
    }

    /// Positions reached by edges forward, the start included.
    fn forward(&self, from: usize) -> Vec<usize> {
        let mut seen = vec![false; self.order.len()];
        seen[from] = true;
        for u in from..self.order.len() {
            if seen[u] {
                self.succs[u].iter().filter(|&&w| w > u).for_each(|&w| seen[w] = true);
            }
        }
        (0..seen.len()).filter(|&i| seen[i]).collect()
    }
}

/// What [`Shape::labels`] found, by position.
#[derive(Clone, Debug)]
pub struct Labels {
    /// The way by which lanes come here: the number of a start, or one of its own where ways meet.
    pub of: Vec<Option<usize>>,
    /// Lanes from different ways meet here.
    pub meets: Vec<bool>,
}
