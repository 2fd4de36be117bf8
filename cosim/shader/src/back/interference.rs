//! The interference graph over cells, with coalescing.
//!
//! A *cell* is a set of virtual registers that get one register. A *class* is a row of cells that
//! get consecutive registers, because a wide load, store or atomic names them together. Two
//! registers interfere if one is written while the other is live behind that place, unless the
//! write is a copy from the other (Chaitin). Merging the two ends of a copy makes the copy vanish;
//! it merges their classes, which have to fit onto each other position by position. Wrong if an
//! edge is missed when rows merge: [`Graph::check`] tests the finished colouring against edges
//! built afresh.

use super::bits::BitSet;
use super::groups::Kept;
use super::limits::{Limits, Side};
use super::liveness::{live_out, walk_back, Place};
use super::mir::{MFunc, Operand, VReg};

/// The longest row of consecutive registers that coalescing makes.
const MAX_ROW: usize = 8;

pub struct Graph<'a> {
    /// Union-find parent of each virtual register.
    parent: Vec<u32>,
    /// Cells that interfere, by cell. Cells that were merged into others are not in here.
    edges: Vec<BitSet>,
    /// (class, position in it) of each cell.
    seat: Vec<(usize, usize)>,
    /// Cells of each class by position; empty for a class that was merged away.
    pub classes: Vec<Vec<Option<usize>>>,
    /// The side of the cutoff of each class, and where that is; none without a merge point.
    sides: Option<(Vec<Side>, &'a Limits)>,
}

/// Interference of the virtual registers themselves.
pub fn edges(f: &MFunc) -> Vec<BitSet> {
    let met = met(f);
    let mut edges = met.clone();
    for (d, others) in met.iter().enumerate() {
        others.iter().for_each(|l| edges[l].insert(d));
    }
    edges
}

/// What each register meets where it is written: of two that interfere one has the other at least.
/// Where many are live this is much less work than both ways.
pub fn met(f: &MFunc) -> Vec<BitSet> {
    let n = f.vregs as usize;
    let mut met = vec![BitSet::new(n); n];
    let mut connect = |d: VReg, live: &BitSet, except: Option<VReg>, defs: &[VReg]| {
        let mut others = live.clone();
        defs.iter().for_each(|d| others.insert(d.index()));
        others.remove(d.index());
        except.into_iter().for_each(|s| others.remove(s.index()));
        met[d.index()].union(&others);
    };
    for (block, out) in f.blocks.iter().zip(live_out(f)) {
        let mut live = out;
        walk_back(block, &mut live, &mut |place, live| match place {
            Place::Copies => {
                let defs: Vec<VReg> = block.copies.iter().map(|c| c.0).collect();
                for (d, s) in &block.copies {
                    connect(*d, live, s.reg(), &defs);
                }
            }
            Place::Inst(i) => {
                let m = &block.insts[i];
                for d in &m.defs {
                    connect(*d, live, m.as_move().map(|(_, s)| s), &m.defs);
                }
            }
        });
    }
    met
}

impl<'a> Graph<'a> {
    pub fn new(f: &MFunc, limits: Option<&'a Limits>) -> Graph<'a> {
        let n = f.vregs as usize;
        let mut g = Graph {
            parent: (0..n as u32).collect(),
            edges: edges(f),
            seat: (0..n).map(|i| (i, 0)).collect(),
            classes: (0..n).map(|i| vec![Some(i)]).collect(),
            sides: limits.map(|l| ((0..n as u32).map(|r| l.side(VReg(r))).collect(), l)),
        };
        for m in f.blocks.iter().flat_map(|b| &b.insts) {
            for row in [&m.defs, &m.data, &m.c] {
                for (i, r) in row.iter().enumerate().skip(1) {
                    g.join_rows(row[0].index(), r.index(), i);
                }
            }
        }
        g
    }

    /// Puts the class of `b` (a fresh register of a wide operation) `distance` behind `a`.
    fn join_rows(&mut self, a: usize, b: usize, distance: usize) {
        let ((ca, pa), (cb, pb)) = (self.seat[a], self.seat[b]);
        debug_assert!(ca != cb && pb == 0, "a register belongs to two wide operations");
        let side = self.side(ca, cb);
        debug_assert!(side.is_some(), "a row on both sides of the cutoff");
        self.set_side(ca, side.unwrap_or_default());
        let row = std::mem::take(&mut self.classes[cb]);
        let need = pa + distance + row.len();
        if self.classes[ca].len() < need {
            self.classes[ca].resize(need, None);
        }
        for (i, cell) in row.into_iter().enumerate() {
            if let Some(c) = cell {
                self.classes[ca][pa + distance + i] = Some(c);
                self.seat[c] = (ca, pa + distance + i);
            }
        }
    }

    /// The side that the two classes have as one, if they can be one.
    fn side(&self, a: usize, b: usize) -> Option<Side> {
        self.sides.as_ref().map_or(Some(Side::default()), |(side, _)| side[a].both(side[b]))
    }

    fn set_side(&mut self, class: usize, side: Side) {
        if let Some((sides, _)) = &mut self.sides {
            sides[class] = side;
        }
    }

    /// Whether the class may begin at register `base`.
    pub fn allows(&self, class: usize, base: usize) -> bool {
        let row = self.classes[class].len();
        self.sides.as_ref().is_none_or(|(side, limits)| limits.allows(side[class], base, row))
    }

    /// The register from which on places for the class are tried first.
    pub fn first(&self, class: usize) -> usize {
        self.sides.as_ref().map_or(0, |(side, limits)| limits.first(side[class]))
    }

    /// How many of `registers` registers there are for the class.
    pub fn room(&self, class: usize, registers: usize) -> usize {
        self.sides.as_ref().map_or(registers, |(side, limits)| limits.room(side[class], registers))
    }

    pub fn cell(&self, r: VReg) -> usize {
        let mut x = r.index();
        while self.parent[x] as usize != x {
            x = self.parent[x] as usize;
        }
        x
    }

    pub fn seat(&self, r: VReg) -> (usize, usize) {
        self.seat[self.cell(r)]
    }

    pub fn interfere(&self, a: usize, b: usize) -> bool {
        self.edges[a].contains(b)
    }

    /// Cells that interfere with a cell.
    pub fn neighbours(&self, cell: usize) -> impl Iterator<Item = usize> + '_ {
        self.edges[cell].iter()
    }

    /// Makes both registers one if that is possible, and, if `registers` is given, if the new cell
    /// is certain not to make colouring harder (Briggs).
    pub fn merge(&mut self, a: VReg, b: VReg, registers: Option<usize>) -> bool {
        let (a, b) = (self.cell(a), self.cell(b));
        if a == b {
            return true;
        }
        let ((ca, pa), (cb, pb)) = (self.seat[a], self.seat[b]);
        if ca == cb {
            return false;
        }
        // Row b begins `shift` behind row a; make it non-negative by exchanging the rows.
        if pb > pa {
            return self.fit(cb, ca, pb - pa, registers);
        }
        self.fit(ca, cb, pa - pb, registers)
    }

    fn fit(&mut self, first: usize, second: usize, shift: usize, registers: Option<usize>) -> bool {
        let length = self.classes[first].len().max(self.classes[second].len() + shift);
        if length > MAX_ROW.max(self.classes[first].len()) {
            return false;
        }
        let pairs: Vec<(usize, usize)> = (0..self.classes[second].len())
            .filter_map(|i| Some((*self.classes[first].get(i + shift)?.as_ref()?, self.classes[second][i]?)))
            .collect();
        if pairs.iter().any(|&(x, y)| self.interfere(x, y)) {
            return false;
        }
        let Some(side) = self.side(first, second) else { return false };
        if let Some(k) = registers {
            if length > 1 || pairs.iter().any(|&(x, y)| !self.is_conservative(x, y, k)) {
                return false;
            }
        }
        self.set_side(first, side);
        let row = std::mem::take(&mut self.classes[second]);
        self.classes[first].resize(length, None);
        for (i, cell) in row.into_iter().enumerate() {
            let Some(c) = cell else { continue };
            match self.classes[first][i + shift] {
                Some(x) => self.unite(x, c),
                None => {
                    self.classes[first][i + shift] = Some(c);
                    self.seat[c] = (first, i + shift);
                }
            }
        }
        true
    }

    fn is_conservative(&self, x: usize, y: usize, k: usize) -> bool {
        let mut all = self.edges[x].clone();
        all.union(&self.edges[y]);
        // Counting ends at `k`: a cell may have as many neighbours as there are registers.
        let most = k.saturating_sub(1);
        let significant = |n: &usize| self.neighbours(*n).nth(most).is_some();
        let hard = all.iter().filter(significant).nth(most).is_some();
        !hard
    }

    fn unite(&mut self, keep: usize, gone: usize) {
        self.parent[gone] = keep as u32;
        let theirs = std::mem::take(&mut self.edges[gone]);
        for n in theirs.iter() {
            self.edges[n].remove(gone);
            self.edges[n].insert(keep);
        }
        self.edges[keep].union(&theirs);
    }

    /// Merges the ends of all copies that can be merged, those in the deepest loops first. Returns
    /// how many copies vanish. Those of `kept` stay, if they are all that joins their ends.
    pub fn coalesce(&mut self, f: &MFunc, registers: Option<usize>, kept: &Kept) -> usize {
        let mut copies: Vec<(u32, VReg, VReg)> = Vec::new();
        for b in &f.blocks {
            copies.extend(b.insts.iter().filter_map(|m| m.as_move()).map(|(d, s)| (b.depth, d, s)));
            copies.extend(b.copies.iter().filter_map(|&(d, s)| Some((b.depth, d, s.reg()?))));
        }
        copies.sort_by_key(|c| std::cmp::Reverse(c.0));
        let tried = copies.into_iter().filter(|&(_, d, s)| !kept.contains(&(d, s)));
        tried.filter(|&(_, d, s)| self.merge(d, s, registers)).count()
    }
}

/// Whether `colour` gives different registers to all that interfere and rows to all wide
/// operations. Built afresh from the code.
pub fn check(f: &MFunc, colour: &[Option<u8>]) -> Result<(), String> {
    for (a, row) in met(f).iter().enumerate() {
        for b in row.iter() {
            if colour[a].is_some() && colour[a] == colour[b] {
                return Err(format!("v{a} and v{b} interfere and share r{}", colour[a].unwrap_or(0)));
            }
        }
    }
    for m in f.blocks.iter().flat_map(|b| &b.insts) {
        for row in [&m.defs, &m.data, &m.c] {
            let first = row.first().and_then(|r| colour[r.index()]);
            for (i, r) in row.iter().enumerate() {
                if first.map(|c| usize::from(c) + i) != colour[r.index()].map(usize::from) {
                    return Err(format!("{:?} of {:?} is not consecutive", row, m.op));
                }
            }
        }
    }
    Ok(())
}

/// The registers that appear at all.
pub fn mentioned(f: &MFunc) -> BitSet {
    let mut seen = BitSet::new(f.vregs as usize);
    for b in &f.blocks {
        let regs = b.insts.iter().flat_map(|m| m.uses().chain(m.defs.iter().copied()).collect::<Vec<_>>());
        let copies = b.copies.iter().flat_map(|&(d, s)| [Operand::Reg(d), s]).filter_map(Operand::reg);
        for r in regs.chain(copies).chain(b.term.cond()) {
            seen.insert(r.index());
        }
    }
    seen
}
