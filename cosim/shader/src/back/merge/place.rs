//! Where a merge point can be, and the order that puts it as early as possible (MS-30).
//!
//! A block is a *gate* if it lies in no loop and everything that can be reached from it is reached
//! through it only: behind such a block each lane that comes there has passed it once. A merge
//! point in a gate is right if no operation that needs helpers can be reached from it. Such
//! operations in later gates move up into it with what they depend on, if that is pure and no lane
//! ends between the two. Inside the gate they come first, with what they depend on, then `MERGE`.
//! Wrong if an operation moves past one it depends on: the order keeps definitions before uses, and
//! memory operations and demotions in their order.

use super::super::bits::BitSet;
use super::super::cfg::Cfg;
use super::super::mir::{MBlock, MFunc, MInst, Operand, Term, VReg};
use super::needs::is_quad;
use crate::fault::CompilerFault;
use quadlock_isa::{Class, Op, Special};

/// How often a loop is expected to turn.
const TURNS: f64 = 8.0;
/// How often lanes go to a block that only ends them, for once that they go on.
const ENDS: f64 = 0.1;

/// The flow of a program.
pub struct Flow {
    pub cfg: Cfg,
    /// Blocks reached from the end of each block.
    reach: Vec<BitSet>,
    /// How often each block is expected to run for a warp.
    pub often: Vec<f64>,
    /// Blocks that may hold a merge point.
    pub gates: Vec<usize>,
    /// Block in which each value is there first; none if nothing defines it.
    def: Vec<Option<usize>>,
}

impl Flow {
    pub fn new(f: &MFunc) -> Flow {
        let succ: Vec<Vec<usize>> = f.blocks.iter().map(|b| b.term.targets()).collect();
        let cfg = Cfg::new(&succ, 0);
        let n = f.blocks.len();
        let mut reach = vec![BitSet::new(n); n];
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for b in (0..n).rev() {
                for &t in &succ[b] {
                    let mut more = reach[t].clone();
                    more.insert(t);
                    changed |= reach[b].union(&more);
                }
            }
        }
        let mut often = vec![0.0; n];
        often[0] = 1.0;
        for b in 0..n {
            let ahead: Vec<usize> = succ[b].iter().copied().filter(|&t| t > b).collect();
            let ends = |t: usize| f.blocks[t].insts.is_empty() && f.blocks[t].term.targets().is_empty();
            let part = |t: usize| if ends(t) { ENDS } else { 1.0 };
            let all: f64 = ahead.iter().map(|&t| part(t)).sum();
            ahead.iter().for_each(|&t| often[t] += often[b] * part(t) / all);
        }
        for (b, o) in often.iter_mut().enumerate() {
            *o *= TURNS.powi(cfg.depth[b].min(4) as i32);
        }
        let gate = |b: &usize| {
            let b = *b;
            let reachable = cfg.idom[b].is_some();
            reachable && !reach[b].contains(b) && reach[b].iter().all(|t| cfg.dominates(b, t))
        };
        let gates = (0..n).filter(gate).collect();
        let def = definitions(f);
        Flow { cfg, reach, often, gates, def }
    }

    /// Whether a block can be reached from the end of another one.
    pub fn reaches(&self, from: usize, to: usize) -> bool {
        self.reach[from].contains(to)
    }

    /// Instructions expected behind the first `at` of the gate, for a warp.
    pub fn behind(&self, f: &MFunc, gate: usize, at: usize) -> f64 {
        let own = self.often[gate] * (size(&f.blocks[gate]).saturating_sub(at)) as f64;
        self.reach[gate].iter().fold(own, |sum, b| sum + self.often[b] * size(&f.blocks[b]) as f64)
    }

    /// Whether a value is there at the start of the gate, or made in it.
    pub fn available(&self, r: VReg, gate: usize) -> bool {
        self.def[r.index()].is_some_and(|d| self.cfg.dominates(d, gate))
    }

    /// The instructions to move to the end of `gate` so that no quad operation is reached from it,
    /// each as (block, number), in order; none if one cannot move.
    fn movers(&self, f: &MFunc, gate: usize) -> Option<Vec<(usize, usize)>> {
        let mut place = vec![None; f.vregs as usize];
        for b in self.reach[gate].iter() {
            for (i, m) in f.blocks[b].insts.iter().enumerate() {
                m.defs.iter().for_each(|d| place[d.index()] = Some((b, i)));
            }
        }
        let mut movers = vec![];
        for b in self.reach[gate].iter() {
            let quads = (0..f.blocks[b].insts.len()).filter(|&i| is_quad(f.blocks[b].insts[i].op));
            let mut work: Vec<(usize, usize)> = quads.map(|i| (b, i)).collect();
            if !work.is_empty() && !self.straight(f, gate, b) {
                return None;
            }
            while let Some((b, i)) = work.pop() {
                if movers.contains(&(b, i)) {
                    continue;
                }
                let m = &f.blocks[b].insts[i];
                if !is_pure(m) {
                    return None;
                }
                for r in m.uses().filter(|&r| !self.available(r, gate)) {
                    work.push(place[r.index()]?);
                }
                movers.push((b, i));
            }
        }
        movers.sort_unstable();
        Some(movers)
    }

    /// Whether every lane that leaves `gate` comes to `b`, once.
    pub fn straight(&self, f: &MFunc, gate: usize, b: usize) -> bool {
        let between = |&x: &usize| x != b && !self.reach[b].contains(x);
        let goes_on = |x: usize| !matches!(f.blocks[x].term, Term::End | Term::Discard);
        self.gates.contains(&b) && self.reach[gate].iter().filter(between).chain([gate]).all(goes_on)
    }
}

/// Whether all lanes of a quad are there, once, at each of its quad operations. Else a neighbour's
/// value may be what a register holds by chance, which two programs for one shader need not agree
/// about (the languages say that it is undefined).
pub fn all_together(f: &MFunc) -> bool {
    let flow = Flow::new(f);
    let there = |b: usize| if b == 0 { flow.gates.contains(&0) } else { flow.straight(f, 0, b) };
    (0..f.blocks.len()).all(|b| there(b) || !f.blocks[b].insts.iter().any(|m| is_quad(m.op)))
}

/// Instructions of a block, with its end.
pub fn size(b: &MBlock) -> usize {
    b.insts.len() + b.copies.len() + 1
}

/// Block in which each value is there first: where an instruction defines it, or the block whose
/// parameter it is.
fn definitions(f: &MFunc) -> Vec<Option<usize>> {
    let mut def = vec![None; f.vregs as usize];
    for (i, b) in f.blocks.iter().enumerate() {
        b.insts.iter().flat_map(|m| &m.defs).for_each(|d| def[d.index()] = Some(i));
        if let Term::Jump(t) = b.term {
            b.copies.iter().for_each(|(d, _)| def[d.index()] = Some(t));
        }
    }
    def
}

/// Whether it computes the same anywhere and has no effect.
pub fn is_pure(m: &MInst) -> bool {
    let helper = m.op == Op::S2R && m.imm == Special::Helper as u32;
    let fetch = matches!(m.op, Op::Bary | Op::Attr | Op::AttrFlat);
    !helper && (matches!(m.op.class(), Class::Alu | Class::Function) || fetch)
}

/// Moves what it can of a program behind the first instructions of a gate; whether it moved any.
pub type Sink = fn(&mut MFunc, &Flow, usize, usize) -> bool;

/// A program in an order that has a place for a merge point.
pub struct Placed {
    pub f: MFunc,
    /// The block, and how many of its instructions come before the point.
    pub block: usize,
    pub at: usize,
    /// Instructions that are expected behind it, for a warp.
    pub behind: f64,
}

/// The orders with a point: each with the point in another gate, or with as little as possible
/// before it, which `sink` is for.
pub fn candidates(f: &MFunc, flow: &Flow, sink: Sink, fault: Option<CompilerFault>) -> Vec<Placed> {
    let mut all: Vec<Placed> = vec![];
    for &gate in &flow.gates {
        let Some(placed) = place(f, flow, gate) else { continue };
        let mut less = placed.f.clone();
        if sink(&mut less, flow, gate, placed.at) {
            let behind = flow.behind(&less, gate, placed.at);
            all.push(Placed { f: less, behind, ..placed });
        }
        all.push(placed);
    }
    match fault {
        Some(CompilerFault::MergeTooEarly) => {
            for p in &mut all {
                let early = p.f.blocks[p.block].insts[..p.at].iter().rposition(|m| is_quad(m.op));
                p.at = early.unwrap_or(p.at);
            }
        }
        Some(CompilerFault::MergeInLoop) => {
            let block = (0..f.blocks.len()).find(|&b| f.blocks[b].depth > 0);
            all.extend(block.map(|block| Placed { f: f.clone(), block, at: 0, behind: f64::MAX }));
        }
        _ => {}
    }
    all
}

fn place(f: &MFunc, flow: &Flow, gate: usize) -> Option<Placed> {
    let movers = flow.movers(f, gate)?;
    let mut f = f.clone();
    let moved: Vec<MInst> = movers.iter().map(|&(b, i)| f.blocks[b].insts[i].clone()).collect();
    for &(b, i) in movers.iter().rev() {
        f.blocks[b].insts.remove(i);
    }
    f.blocks[gate].insts.extend(moved);
    let at = helpers_first(&mut f.blocks[gate], f.vregs);
    let behind = flow.behind(&f, gate, at);
    Some(Placed { f, block: gate, at, behind })
}

/// Puts the block's quad operations, and what they depend on, first. Returns how many these are.
pub fn helpers_first(b: &mut MBlock, vregs: u32) -> usize {
    let mut wanted = BitSet::new(vregs as usize);
    let mut first = vec![false; b.insts.len()];
    // From the last to the first: a memory operation or demotion that comes first takes the earlier
    // ones with it.
    let mut ordered = false;
    for (i, m) in b.insts.iter().enumerate().rev() {
        first[i] = is_quad(m.op) || m.defs.iter().any(|d| wanted.contains(d.index())) || ordered && keeps_place(m);
        if first[i] {
            m.uses().for_each(|r| wanted.insert(r.index()));
            ordered |= keeps_place(m);
        }
    }
    let old = std::mem::take(&mut b.insts);
    let (early, late): (Vec<_>, Vec<_>) = old.into_iter().zip(first).partition(|(_, first)| *first);
    let at = early.len();
    b.insts = early.into_iter().chain(late).map(|(m, _)| m).collect();
    at
}

/// Whether its place among its like counts.
pub fn keeps_place(m: &MInst) -> bool {
    let helper = m.op == Op::S2R && m.imm == Special::Helper as u32;
    helper || m.op == Op::Demote || m.op.is_memory() && !m.read_only
}

/// Whether the value is a source of a copy or a branch, or of an instruction.
pub fn reads(b: &MBlock, from: usize, r: VReg) -> bool {
    b.insts[from..].iter().any(|m| m.uses().any(|u| u == r))
        || b.copies.iter().any(|c| c.1 == Operand::Reg(r))
        || b.term.cond() == Some(r)
}
