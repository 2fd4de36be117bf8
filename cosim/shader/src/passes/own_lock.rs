//! Locks of the warp for which a warp would wait that has them itself: a warning, nothing is
//! changed (WW-28).
//!
//! A lock belongs to the warp, but only lanes that come to it together take it together. Lanes that
//! a divergent branch took apart come one group after the other, the one at the lower place of the
//! program first. If the first group takes the lock and keeps it up to where both meet, it waits
//! there for the second group, and the second waits for the lock. The same happens, also without a
//! branch, where a path leads from a taken lock to a place that waits for it with nothing between
//! that gives it back. So two rules, for a place that takes a lock and a place that waits for the
//! same one (goes round while it does not get it):
//!
//! - *apart*: a divergent branch, or a loop that lanes leave in different turns, leads different
//!   lanes to the two; and from the place further up a path leads past the other, or to the end of
//!   the program, with the lock taken;
//! - *again*: a path leads from the one to the other with the lock taken, and either it is all that
//!   can happen (in a program that gives the lock back only behind taking it: else it is a signal
//!   between warps), or the lanes that took it were not all that had come together before.
//!
//! The same lock is one whose address is computed the same way. Branches that the lock's own result
//! decides are followed as it says, and those by which the place is guarded likewise; of others
//! both ways. So it may warn of a path that the program never takes, and it does not see a lock by
//! two addresses. It would be wrong to warn where all lanes of a warp go the same way:
//! [`Divergence`] says where they do.

use super::divergence::Divergence;
use crate::ops::eval::eval;
use crate::ssa::dominance::Dominance;
use crate::ssa::shape::Edge;
use crate::ssa::{AtomicOp, Block, Func, Inst, Kind, Loc, Space, Value};
use std::collections::BTreeSet;

/// A place that waits for a lock, and the place that has taken it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Source place of the wait.
    pub waits: Loc,
    /// Source place of the taking.
    pub taken: Loc,
    /// Lanes that were taken apart, else the same ones.
    pub apart: bool,
}

/// A place that takes a lock.
#[derive(Clone, Copy)]
struct Site {
    /// Position in the layout, and instruction.
    at: usize,
    inst: usize,
    result: Value,
    lock: (Space, Value, i32),
    loc: Loc,
}

/// Where paths lead from a lock: positions, places that wait for it, whether one gives it back or
/// ends, and whether one ends with the lock taken.
#[derive(Default)]
struct Paths {
    seen: BTreeSet<usize>,
    takes: BTreeSet<(usize, usize)>,
    ends: bool,
    kept: bool,
}

/// Looks at an entry function as it is when the passes are done.
pub fn run(func: &Func, group_size: Option<[u32; 3]>) -> Vec<Warning> {
    let d = Divergence::new(func, group_size);
    let look = Look { func, dom: Dominance::new(func), d };
    let sites = look.sites();
    if !look.d.shape.in_step || sites.is_empty() {
        return vec![];
    }
    let mut out: Vec<Warning> = vec![];
    let apart = look.apart();
    for first in &sites {
        for second in sites.iter().filter(|s| look.same(first.lock, s.lock) && look.waits(s)) {
            let divided = first.at < second.at && look.divided(&apart, first, second);
            if divided || look.again(&apart, first, second) {
                out.push(Warning { waits: second.loc, taken: first.loc, apart: divided });
            }
        }
    }
    out.sort_by_key(|w| (w.waits.line, w.waits.col, w.taken.line, w.taken.col, !w.apart));
    out.dedup_by_key(|w| (w.waits, w.taken));
    out
}

struct Look<'a> {
    func: &'a Func,
    dom: Dominance,
    d: Divergence<'a>,
}

impl Look<'_> {
    fn insts(&self, at: usize) -> &[Inst] {
        &self.func.blocks[self.d.shape.order[at].index()].insts
    }

    fn sites(&self) -> Vec<Site> {
        let site = |at: usize, inst: usize, i: &Inst| match &i.kind {
            Kind::Atomic { op: AtomicOp::Lock, space, addr, offset, values, .. } => {
                let takes = self.d.constant(values[0]).is_some_and(|v| v & 1 == 1);
                let lock = (*space, *addr, *offset);
                takes.then(|| Site { at, inst, result: i.results[0], lock, loc: i.loc })
            }
            _ => None,
        };
        let all = (0..self.d.shape.order.len())
            .flat_map(|at| self.insts(at).iter().enumerate().map(move |(n, i)| (at, n, i)));
        all.filter_map(|(at, n, i)| site(at, n, i)).collect()
    }

    /// The sets of ways by which lanes that were together go apart.
    fn apart(&self) -> Vec<Vec<Edge>> {
        let shape = &self.d.shape;
        let divergent = (0..shape.order.len()).filter(|&at| self.d.divergent_branch(shape.order[at]));
        let branches = divergent.map(|at| shape.succs[at].iter().map(|&to| (at, to)).collect());
        let ragged = shape.ranges.iter().filter(|r| r.divergent_exit).map(|r| shape.exits(r));
        branches.chain(ragged).collect()
    }

    fn same(&self, a: (Space, Value, i32), b: (Space, Value, i32)) -> bool {
        (a.0, a.2) == (b.0, b.2) && self.same_value(a.1, b.1, 8)
    }

    /// Whether two values are computed in the same way.
    fn same_value(&self, a: Value, b: Value, depth: u32) -> bool {
        a == b
            || match (self.d.kind(a), self.d.kind(b)) {
                (Some(Kind::Alu(x, p)), Some(Kind::Alu(y, q))) if depth > 0 && x == y && p.len() == q.len() => {
                    p.iter().zip(q).all(|(p, q)| self.same_value(*p, *q, depth - 1))
                }
                (Some(x @ (Kind::Const(_) | Kind::ConstWord(_) | Kind::Special(_))), Some(y)) => x == y,
                _ => false,
            }
    }

    /// What `v` is if `known` is `truth`.
    fn value(&self, v: Value, known: &[(Value, u32)], depth: u32) -> Option<u32> {
        if let Some(k) = known.iter().find(|k| k.0 == v) {
            return Some(k.1);
        }
        match self.d.kind(v)? {
            Kind::Const(c) => Some(*c),
            Kind::Alu(op, args) if depth > 0 => {
                let args: Option<Vec<u32>> = args.iter().map(|a| self.value(*a, known, depth - 1)).collect();
                eval(*op, &args?)
            }
            _ => None,
        }
    }

    /// Conditions that decided that `at` was come to, and stay what they are.
    fn guards(&self, at: usize) -> Vec<(Value, u32)> {
        let mut out = vec![];
        let mut here: Block = self.d.shape.order[at];
        while let Some(branch) = self.dom.idom[here.index()] {
            let last = self.func.blocks[branch.index()].insts.last().map(|i| &i.kind);
            let only = self.dom.cfg.preds[here.index()].len() == 1;
            if let Some(Kind::Branch { cond, then, other }) = last.filter(|_| only) {
                // Of a condition that is not 0 or 1 only "0" is known.
                let truth = then.block == here && other.block != here;
                let known = self.d.fixed(*cond) && then.block != other.block;
                out.extend(known.then_some((*cond, u32::from(truth))));
            }
            here = branch;
        }
        out
    }

    /// Follows the paths from behind `site`, if its result is `result`, as long as the lock is not
    /// given back. Behind `limit` none is followed.
    fn paths(&self, site: &Site, result: u32, limit: usize) -> Paths {
        let mut known = self.guards(site.at);
        known.push((site.result, result));
        let mut paths = Paths::default();
        let mut work = vec![(site.at, site.inst + 1)];
        while let Some((at, from)) = work.pop() {
            let mut open = true;
            for (n, i) in self.insts(at).iter().enumerate().skip(from) {
                let (lock, takes) = match &i.kind {
                    Kind::Atomic { op: AtomicOp::Lock, space, addr, offset, values, .. } => {
                        ((*space, *addr, *offset), self.d.constant(values[0]).is_some_and(|v| v & 1 == 1))
                    }
                    Kind::Atomic { space, addr, offset, .. } | Kind::Store { space, addr, offset, .. } => {
                        ((*space, *addr, *offset), false)
                    }
                    Kind::Return(_) | Kind::Discard => {
                        (paths.ends, paths.kept) = (true, true);
                        continue;
                    }
                    _ => continue,
                };
                if !self.same(lock, site.lock) {
                    continue;
                }
                open = false;
                if takes {
                    paths.takes.insert((at, n));
                } else {
                    paths.ends = true;
                }
                break;
            }
            if !open {
                continue;
            }
            for to in self.ways(at, &known) {
                if paths.seen.insert(to) && to <= limit {
                    work.push((to, 0));
                }
            }
        }
        paths
    }

    /// Where lanes go from the end of a block, by what is known.
    fn ways(&self, at: usize, known: &[(Value, u32)]) -> Vec<usize> {
        if let Some(Kind::Branch { cond, then, other }) = self.insts(at).last().map(|i| &i.kind) {
            if let Some(value) = self.value(*cond, known, 8) {
                let target = if value != 0 { then } else { other };
                return self.d.shape.position[target.block.index()].into_iter().collect();
            }
        }
        self.d.shape.succs[at].clone()
    }

    /// Whether the place tries again while it does not get the lock.
    fn waits(&self, site: &Site) -> bool {
        self.paths(site, 0, usize::MAX).takes.contains(&(site.at, site.inst))
    }

    fn divided(&self, apart: &[Vec<Edge>], first: &Site, second: &Site) -> bool {
        let different = |starts: &Vec<Edge>| {
            let labels = self.d.shape.labels(starts);
            let (Some(a), Some(b)) = (labels.of[first.at], labels.of[second.at]) else { return false };
            // Not behind a place where the lanes of the first have met the others again.
            a != b && (b < starts.len() || b - starts.len() <= first.at)
        };
        let past = || {
            let paths = self.paths(first, 1, second.at - 1);
            paths.seen.range(second.at + 1..).next().is_some() || (paths.kept && !self.signals(first))
        };
        apart.iter().any(different) && past()
    }

    fn again(&self, apart: &[Vec<Edge>], first: &Site, second: &Site) -> bool {
        let paths = self.paths(first, 1, usize::MAX);
        // On one of several ways that meet further down: others are under way.
        let some = |starts: &Vec<Edge>| {
            let labels = self.d.shape.labels(starts);
            labels.of[first.at].is_some_and(|way| way < starts.len()) && labels.meets[first.at..].contains(&true)
        };
        // Or in a loop that others have left already.
        let ragged = self.d.shape.ranges.iter().any(|r| r.divergent_exit && r.contains(first.at));
        let some = ragged || apart.iter().any(some);
        let certain = || !paths.ends && !self.signals(first);
        paths.takes.contains(&(second.at, second.inst)) && (some || certain())
    }

    /// Whether a path gives the lock back without having taken it: then it is a signal from warp to
    /// warp, and who waits for it may wait for another one's.
    fn signals(&self, site: &Site) -> bool {
        let mut seen = BTreeSet::from([0]);
        let mut work = vec![0];
        while let Some(at) = work.pop() {
            let uses = |i: &&Inst| match &i.kind {
                Kind::Atomic { op: AtomicOp::Lock, space, addr, offset, .. } => {
                    self.same((*space, *addr, *offset), site.lock)
                }
                _ => false,
            };
            match self.insts(at).iter().find(uses).map(|i| &i.kind) {
                Some(Kind::Atomic { values, .. }) if self.d.constant(values[0]).is_none_or(|v| v & 1 == 0) => {
                    return true
                }
                Some(_) => {}
                None => work.extend(self.d.shape.succs[at].iter().copied().filter(|&to| seen.insert(to))),
            }
        }
        false
    }
}
