//! Divergence: in which bits a value may differ between the lanes that are active together, and
//! which branches may take lanes apart.
//!
//! *Uniform* here means: whenever the instruction is executed, the lanes active in it compute the
//! same value. That is more than uniform in the work group (an invocation number divided by four is
//! uniform in a warp) and it is about the active lanes only. The sources of difference are lane and
//! invocation numbers, per-lane atomics and private memory; operations pass it on by the rules of
//! [`bits`]. A load from a uniform address is one access whose lanes get the same word; so are a
//! warp-wide atomic and a reduction. Control adds two more:
//!
//! - *Meeting points.* Where lanes that a divergent branch (or the divergent exits of a loop) took
//!   apart meet, a block parameter with different arguments differs.
//! - *Other turns.* A value defined in a loop is, outside of it, that of the turn in which each
//!   lane left. If lanes may leave in different turns it differs there, even if it was uniform in
//!   each turn. Values that are the same whenever they are computed ([`Divergence::fixed`]:
//!   constants, special registers and what is computed from them) are not concerned.
//!
//! All this rests on lanes of one turn being in step ([`crate::ssa::shape`]). In a function of
//! another shape only fixed values are taken for uniform. The analysis is optimistic: everything is
//! uniform until a rule says otherwise, again until nothing changes. It would be wrong if a rule
//! forgot a way to differ: the tests run random programs warp by warp, as the machine does, and
//! compare every value in every block with what is said here.

pub mod bits;
#[cfg(test)]
mod tests;

use super::Defs;
use crate::ops::predicate::cross_lane;
use crate::ssa::shape::{Edge, Range, Shape};
use crate::ssa::{Block, Func, Kind, Space, Value};
use bits::{Bits, ALL};
use quadlock_isa::{CrossLane, Op, Special};

/// The result; valid until the function changes.
pub struct Divergence<'a> {
    func: &'a Func,
    /// Layout and edges that the analysis went by.
    pub shape: Shape,
    defs: Defs<'a>,
    group_size: Option<[u32; 3]>,
    /// By value: bits in which lanes may differ where it is defined, and bits that may be one.
    differ: Vec<u32>,
    ones: Vec<u32>,
    /// By value: position of the defining block.
    at: Vec<usize>,
    /// By value: for each lane the same whenever it is computed.
    fixed: Vec<bool>,
    /// By value: no two active lanes have the same.
    distinct: Vec<bool>,
    /// By position: the branch at the end may take lanes apart.
    divergent: Vec<bool>,
    /// By position: parameters with different arguments differ.
    meets: Vec<bool>,
}

impl<'a> Divergence<'a> {
    /// Analyses an entry function. `group_size`: invocations along x, y, z, if known.
    pub fn new(func: &'a Func, group_size: Option<[u32; 3]>) -> Divergence<'a> {
        let shape = Shape::new(func);
        let n = func.values as usize;
        let mut at = vec![0; n];
        for (p, b) in shape.order.iter().enumerate() {
            let data = &func.blocks[b.index()];
            data.params.iter().chain(data.insts.iter().flat_map(|i| &i.results)).for_each(|v| at[v.index()] = p);
        }
        let positions = shape.order.len();
        let mut d = Divergence {
            func,
            defs: Defs::new(func),
            group_size,
            differ: vec![0; n],
            ones: vec![ALL; n],
            at,
            fixed: vec![false; n],
            distinct: vec![false; n],
            divergent: vec![false; positions],
            meets: vec![false; positions],
            shape,
        };
        d.find_fixed_and_ones();
        d.iterate();
        if d.shape.in_step && !d.barriers_gather() {
            d.shape.in_step = false;
        }
        if !d.shape.in_step {
            (0..n).filter(|&v| !d.fixed[v]).for_each(|v| d.differ[v] = ALL);
            d.iterate();
        }
        d.find_distinct();
        d
    }

    /// Bits of `v` in which lanes that execute `block` together may differ.
    pub fn differs(&self, v: Value, block: Block) -> u32 {
        match self.shape.position[block.index()] {
            Some(at) => self.differs_at(v, at),
            None => ALL,
        }
    }

    /// Whether lanes that execute `block` together have the same `v`.
    pub fn uniform(&self, v: Value, block: Block) -> bool {
        self.differs(v, block) == 0
    }

    /// Whether the branch at the end of the block may take lanes apart.
    pub fn divergent_branch(&self, block: Block) -> bool {
        self.shape.position[block.index()].is_some_and(|at| self.divergent[at])
    }

    /// Whether the lanes that execute `block` together all have different `v`.
    pub fn distinct(&self, v: Value, block: Block) -> bool {
        let Some(at) = self.shape.position[block.index()] else { return false };
        self.distinct[v.index()] && (self.fixed[v.index()] || self.shape.same_turn(self.at[v.index()], at))
    }

    /// Whether the value is, for each lane, the same whenever it is computed.
    pub fn fixed(&self, v: Value) -> bool {
        self.fixed[v.index()]
    }

    /// The constant that a value is, if it is one.
    pub fn constant(&self, v: Value) -> Option<u32> {
        self.defs.constant(v)
    }

    /// The instruction that defines a value; none for block parameters.
    pub fn kind(&self, v: Value) -> Option<&'a Kind> {
        self.defs.kind(v)
    }

    fn differs_at(&self, v: Value, at: usize) -> u32 {
        let i = v.index();
        let other_turn = |r: &Range| r.divergent_exit && r.contains(self.at[i]) && !r.contains(at);
        if !self.fixed[i] && self.shape.ranges.iter().any(other_turn) {
            return ALL;
        }
        self.differ[i]
    }

    fn bits(&self, v: Value, at: usize) -> Bits {
        Bits { differ: self.differs_at(v, at), ones: self.ones[v.index()], constant: self.defs.constant(v) }
    }

    fn all_bits(&self, args: &[Value], at: usize) -> Vec<Bits> {
        args.iter().map(|a| self.bits(*a, at)).collect()
    }

    /// What needs no iteration. Positions are not always an order in which definitions come before
    /// their uses, so the dominator tree's order is taken.
    fn find_fixed_and_ones(&mut self) {
        let func = self.func;
        for b in crate::ssa::dominance::Cfg::new(func).order {
            for inst in &func.blocks[b.index()].insts {
                let Some(r) = inst.results.first().map(|r| r.index()) else { continue };
                match &inst.kind {
                    Kind::Const(c) => (self.fixed[r], self.ones[r]) = (true, *c),
                    Kind::ConstWord(_) => self.fixed[r] = true,
                    Kind::Special(s) => {
                        self.fixed[r] = !matches!(s, Special::Coverage | Special::Helper);
                        self.ones[r] = bits::special_ones(*s, self.group_size);
                    }
                    Kind::Alu(op, args) if !cross_lane(*op) => {
                        self.fixed[r] = args.iter().all(|a| self.fixed[a.index()]);
                        self.ones[r] = bits::ones(*op, &self.all_bits(args, self.at[r]));
                    }
                    _ => {}
                }
            }
        }
    }

    /// To the fixed point. Every rule only adds differences, so it ends.
    fn iterate(&mut self) {
        loop {
            let mut changed = false;
            for at in 0..self.shape.order.len() {
                changed |= self.block(at);
            }
            for at in 0..self.shape.order.len() {
                changed |= self.branch(at);
            }
            changed |= self.exits();
            if !changed {
                return;
            }
        }
    }

    fn add(&mut self, v: Value, differ: u32) -> bool {
        let d = &mut self.differ[v.index()];
        let before = *d;
        *d |= differ;
        *d != before
    }

    fn block(&mut self, at: usize) -> bool {
        let func = self.func;
        let block = &func.blocks[self.shape.order[at].index()];
        let mut changed = false;
        for (i, &p) in block.params.iter().enumerate() {
            let differ = self.param(at, i);
            changed |= self.add(p, differ);
        }
        for inst in &block.insts {
            for &r in &inst.results {
                let differ =
                    if self.shape.in_step || self.fixed[r.index()] { self.result(&inst.kind, at) } else { ALL };
                changed |= self.add(r, differ);
            }
        }
        changed
    }

    /// A block parameter: what its arguments differ in, and everything where lanes come with
    /// different arguments.
    fn param(&self, at: usize, i: usize) -> u32 {
        if at == 0 || !self.shape.in_step {
            return ALL;
        }
        let mut differ = 0;
        let mut forward: Vec<Value> = vec![];
        let mut preds = self.shape.preds[at].clone();
        preds.dedup();
        for p in preds {
            let block = self.shape.order[at];
            let last = self.func.blocks[self.shape.order[p].index()].insts.last();
            for t in last.map(|l| l.kind.targets()).unwrap_or_default().into_iter().filter(|t| t.block == block) {
                let arg = t.args[i];
                // The copy is made on the way from `p`; lanes that left an inner loop in different
                // turns have met at the latest here.
                differ |= self.differs_at(arg, p) | self.differs_at(arg, at);
                if p < at {
                    forward.push(arg);
                }
            }
        }
        let same = |x: &Value| {
            *x == forward[0] || self.constant(*x).is_some() && self.constant(*x) == self.constant(forward[0])
        };
        if self.meets[at] && !forward.iter().all(same) {
            return ALL;
        }
        differ
    }

    fn result(&self, kind: &Kind, at: usize) -> u32 {
        let one_address = |addr: Value| if self.differs_at(addr, at) == 0 { 0 } else { ALL };
        match kind {
            Kind::Const(_) | Kind::ConstWord(_) => 0,
            Kind::Special(s) => bits::special_differ(*s, self.group_size),
            // Each lane may choose; the register of one lane is the same whoever reads it.
            Kind::CrossLane { op: Op::QShuf, args } => one_address(args[1]),
            Kind::CrossLane { op, .. } if matches!(op.cross_lane(), Some(CrossLane::Reduce(_) | CrossLane::Ballot)) => {
                0
            }
            Kind::Atomic { warp_wide: true, .. } => 0,
            // Derivatives read lanes that are not active.
            Kind::Alu(op, _) if cross_lane(*op) => ALL,
            Kind::Alu(op, args) => bits::differ(*op, &self.all_bits(args, at)),
            Kind::Load { space: Space::Global | Space::Shared | Space::ReadOnly, addr, .. } => one_address(*addr),
            _ => ALL,
        }
    }

    fn branch(&mut self, at: usize) -> bool {
        let Some(Kind::Branch { cond, .. }) =
            self.func.blocks[self.shape.order[at].index()].insts.last().map(|i| &i.kind)
        else {
            return false;
        };
        if self.divergent[at] || self.differs_at(*cond, at) == 0 {
            return false;
        }
        self.divergent[at] = true;
        self.meet(&self.ways(at));
        true
    }

    fn meet(&mut self, starts: &[Edge]) {
        let labels = self.shape.labels(starts);
        self.meets.iter_mut().zip(labels.meets).for_each(|(m, l)| *m |= l);
    }

    fn exits(&mut self) -> bool {
        let mut changed = false;
        for i in 0..self.shape.ranges.len() {
            let r = self.shape.ranges[i].clone();
            let differs = |d: usize| self.divergent[d] && self.shape.exit_differs(&r, d);
            if !r.divergent_exit && (r.first..=r.last).any(differs) {
                self.shape.ranges[i].divergent_exit = true;
                let exits = self.shape.exits(&r);
                self.meet(&exits);
                changed = true;
            }
        }
        changed
    }

    /// Whether all running lanes of a warp come to each barrier together.
    fn barriers_gather(&self) -> bool {
        let insts = |p: usize| &self.func.blocks[self.shape.order[p].index()].insts;
        let stops = |p: usize| matches!(insts(p)[..], [ref only] if only.kind.targets().is_empty());
        // Lanes are apart behind a divergent branch and, if they leave a loop in different turns,
        // behind its exits: one exit may lead past a barrier to which another leads.
        let branches = (0..self.divergent.len()).filter(|&d| self.divergent[d]).map(|d| self.ways(d));
        let ragged = self.shape.ranges.iter().filter(|r| r.divergent_exit).map(|r| self.shape.exits(r));
        let apart: Vec<Vec<Edge>> = branches.chain(ragged).collect();
        (0..self.shape.order.len()).filter(|&p| insts(p).iter().any(|i| i.kind == Kind::Barrier)).all(|p| {
            let left = self.shape.around(p).any(|r| self.shape.ranges[r].divergent_exit);
            !left && apart.iter().all(|starts| self.shape.gathers(p, starts, &stops))
        })
    }

    /// The edges from a position.
    fn ways(&self, at: usize) -> Vec<Edge> {
        self.shape.succs[at].iter().map(|&w| (at, w)).collect()
    }

    fn find_distinct(&mut self) {
        let func = self.func;
        for b in crate::ssa::dominance::Cfg::new(func).order {
            for inst in &func.blocks[b.index()].insts {
                let [r] = inst.results[..] else { continue };
                self.distinct[r.index()] = match &inst.kind {
                    Kind::Special(s) => {
                        matches!(s, Special::Lane | Special::LocalId | Special::LocalIndex | Special::ThreadSlot)
                    }
                    Kind::Alu(op, args) => self.keeps_distinct(*op, args, b),
                    _ => false,
                };
            }
        }
    }

    fn keeps_distinct(&self, op: Op, args: &[Value], block: Block) -> bool {
        let Some(at) = self.shape.position[block.index()] else { return false };
        let mut args = args.to_vec();
        // A number of its own plus a product that is the same for all.
        if op == Op::IMad && self.distinct(args[2], block) {
            return args[..2].iter().all(|a| self.differs_at(*a, at) == 0);
        }
        if op.row().commutes && !self.distinct(args[0], block) {
            args.swap(0, 1);
        }
        self.distinct(args[0], block) && bits::keeps_distinct(op, &self.all_bits(&args, at))
    }
}
