//! The plan becomes code.
//!
//! Reloads and stores go where the plan has them, and the code of an edge to the end of the block
//! before it or to the start of the one behind it; where neither is possible the edge gets a block
//! of its own, directly behind the one it comes from, as all edge blocks. For each value it is
//! counted what storing it would cost behind its definitions, and where it leaves its register; the
//! cheaper is taken. What nobody reads goes away again.

use super::super::bits::BitSet;
use super::super::liveness::{live_out, walk_back, Place};
use super::super::mir::{MBlock, MFunc, MInst, Operand, Term, VReg};
use super::super::spill::Cheap;
use super::edges::{between, Edge};
use super::walk::{Item, Plan};
use crate::fault::CompilerFault;
use crate::ssa::Loc;
use quadlock_isa::Op;
use std::collections::{BTreeMap, HashMap};

struct Rewrite<'a> {
    f: &'a MFunc,
    plan: &'a Plan,
    cheap: &'a Cheap,
    slots: &'a HashMap<VReg, u32>,
    /// Values that are stored behind their definitions, and not where they leave.
    at_once: BitSet,
    vregs: u32,
    fault: Option<CompilerFault>,
}

/// The program of the plan.
pub struct Rewritten {
    pub f: MFunc,
    /// By block: the copies of before.
    pub copies: Vec<Vec<(VReg, Operand)>>,
}

/// Makes it; none if a value would be nowhere.
pub fn run(
    f: &MFunc,
    plan: &Plan,
    cheap: &Cheap,
    slots: &HashMap<VReg, u32>,
    fault: Option<CompilerFault>,
) -> Option<Rewritten> {
    let mut edges: BTreeMap<(usize, usize), Edge> = BTreeMap::new();
    for (p, b) in f.blocks.iter().enumerate() {
        for t in b.term.targets() {
            edges.insert((p, t), between(f, plan, cheap, p, t)?);
        }
    }
    let at_once = stored_at_once(f, plan, &edges, slots);
    let mut r = Rewrite { f, plan, cheap, slots, at_once, vregs: f.vregs, fault };
    let mut blocks: Vec<MBlock> = (0..f.blocks.len()).map(|b| r.block(b)).collect();
    // Blocks for edges, by the block that they come from.
    let mut more: Vec<Vec<MBlock>> = vec![vec![]; blocks.len()];
    for (&(p, t), edge) in &edges {
        let code = r.edge(p, edge, t <= p);
        match f.blocks[p].term {
            Term::Jump(_) => {
                blocks[p].insts.extend(code);
                blocks[p].copies.clone_from(&edge.copies);
            }
            _ if code.is_empty() => {}
            _ if edges.keys().filter(|e| e.1 == t).count() == 1 => drop(blocks[t].insts.splice(0..0, code)),
            _ => more[p].push(on_edge(f, (p, t), code)),
        }
    }
    let old = f.blocks.iter().zip(&more);
    let copies = old.flat_map(|(b, more)| [b.copies.clone()].into_iter().chain(more.iter().map(|_| vec![]))).collect();
    let blocks = placed(blocks, more);
    let f = MFunc { blocks, vregs: r.vregs, frame: f.frame, stack_pointer: f.stack_pointer };
    Some(Rewritten { f, copies })
}

/// The values that are cheaper to store behind their definitions.
fn stored_at_once(
    f: &MFunc,
    plan: &Plan,
    edges: &BTreeMap<(usize, usize), Edge>,
    slots: &HashMap<VReg, u32>,
) -> BitSet {
    let n = f.vregs as usize;
    let (mut leaving, mut making) = (vec![0u64; n], vec![0u64; n]);
    let weight = |b: usize| 10u64.pow(f.blocks[b].depth.min(8));
    for (b, items) in plan.items.iter().enumerate() {
        for item in items {
            if let Item::Store(v) = item {
                leaving[v.index()] += weight(b);
            }
        }
        f.blocks[b].insts.iter().flat_map(|m| &m.defs).for_each(|d| making[d.index()] += weight(b));
        for d in parameters(f, b).into_iter().filter(|d| plan.start[b].registers.contains(d.index())) {
            making[d.index()] += weight(b);
        }
    }
    for (&(p, t), edge) in edges {
        edge.stores.iter().for_each(|v| leaving[v.index()] += weight(p).min(weight(t)));
    }
    let mut all = BitSet::new(n);
    slots.keys().map(|v| v.index()).filter(|&v| making[v] <= leaving[v]).for_each(|v| all.insert(v));
    all
}

/// Registers that the copies on the way to a block write.
fn parameters(f: &MFunc, block: usize) -> Vec<VReg> {
    let comes = f.blocks.iter().filter(|b| b.term == Term::Jump(block));
    let mut all: Vec<VReg> = comes.flat_map(|b| b.copies.iter().map(|c| c.0)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn on_edge(f: &MFunc, (p, t): (usize, usize), insts: Vec<MInst>) -> MBlock {
    let (from, to) = (&f.blocks[p], &f.blocks[t]);
    MBlock {
        name: format!("{}_{}", from.name, to.name),
        insts,
        copies: vec![],
        term: Term::Jump(t),
        term_loc: from.term_loc,
        depth: from.depth.min(to.depth),
        polling: from.polling && to.polling,
    }
}

/// All blocks in order, with their new numbers.
fn placed(blocks: Vec<MBlock>, more: Vec<Vec<MBlock>>) -> Vec<MBlock> {
    let mut number = vec![];
    let mut next = 0;
    for extra in &more {
        number.push(next);
        next += 1 + extra.len();
    }
    let mut all = vec![];
    for (b, (mut block, extra)) in blocks.into_iter().zip(more).enumerate() {
        // Where each target is reached: by way of the edge's block, if it has one.
        let via = |t: usize| {
            let at = extra.iter().position(|e| e.term == Term::Jump(t));
            at.map_or(number[t], |at| number[b] + 1 + at)
        };
        block.term = match block.term {
            Term::Jump(t) => Term::Jump(number[t]),
            Term::Branch { cond, negate, then, other } => {
                Term::Branch { cond, negate, then: via(then), other: via(other) }
            }
            stop => stop,
        };
        all.push(block);
        all.extend(extra.into_iter().map(|mut e| {
            if let Term::Jump(t) = e.term {
                e.term = Term::Jump(number[t]);
            }
            e
        }));
    }
    all
}

impl Rewrite<'_> {
    fn reload(&self, v: VReg, to: VReg, loc: Loc) -> MInst {
        match (self.cheap.get(&v), self.slots.get(&v)) {
            (Some(m), _) => MInst { defs: vec![to], spill: true, loc, ..m.clone() },
            (None, slot) => {
                let imm = slot.copied().unwrap_or_default();
                MInst { a: self.f.stack_pointer, imm, spill: true, ..MInst::new(Op::Ld32, vec![to], loc) }
            }
        }
    }

    /// A store to the word of `v`.
    fn store(&self, v: VReg, from: VReg, loc: Loc) -> MInst {
        let imm = self.slots.get(&v).copied().unwrap_or_default();
        let own = MInst { own: true, spill: true, ..MInst::new(Op::St32, vec![], loc) };
        MInst { a: self.f.stack_pointer, imm, data: vec![from], ..own }
    }

    fn block(&mut self, b: usize) -> MBlock {
        let old = &self.f.blocks[b];
        let place = |i: usize| old.insts.get(i).map_or(old.term_loc, |m| m.loc);
        let mut insts = vec![];
        for d in parameters(self.f, b) {
            if self.at_once.contains(d.index()) && self.plan.start[b].registers.contains(d.index()) {
                insts.push(self.store(d, d, place(0)));
            }
        }
        let mut loc = place(0);
        for item in &self.plan.items[b] {
            match *item {
                Item::Reload(v) => insts.push(self.reload(v, v, loc)),
                Item::Store(v) if self.at_once.contains(v.index()) => {}
                Item::Store(v) => insts.push(self.store(v, v, loc)),
                Item::Old(i) => {
                    insts.push(old.insts[i].clone());
                    for &d in old.insts[i].defs.iter().filter(|d| self.at_once.contains(d.index())) {
                        insts.push(self.store(d, d, old.insts[i].loc));
                    }
                    loc = place(i + 1);
                }
            }
        }
        MBlock { insts, copies: vec![], ..old.clone() }
    }

    /// The code of an edge from block `p`; `back` if it goes back.
    fn edge(&mut self, p: usize, edge: &Edge, back: bool) -> Vec<MInst> {
        let loc = self.f.blocks[p].term_loc;
        let end = &self.plan.end[p];
        let is_pinned = |v: VReg| self.plan.pinned == Some(v);
        let mut code = vec![];
        for &v in edge.stores.iter().filter(|v| !self.at_once.contains(v.index())) {
            code.push(self.store(v, v, loc));
        }
        if back && self.fault == Some(CompilerFault::SplitRangeStale) {
            code.extend(edge.reloads.iter().map(|&v| self.reload(v, v, loc)));
            return code;
        }
        // From registers first; then what goes from memory to memory. All words that are read are
        // read before one is written: a parameter may be another one's source.
        let (mut loads, mut stores) = (vec![], vec![]);
        for &(d, s) in &edge.to_memory {
            let in_place = |r: VReg| {
                let same = self.slots.get(&r).is_some_and(|slot| self.slots.get(&d) == Some(slot));
                same && (end.memory.contains(r.index()) || self.at_once.contains(r.index()))
            };
            match s {
                Operand::Reg(r) if in_place(r) => {}
                Operand::Reg(r) if is_pinned(r) || end.registers.contains(r.index()) => {
                    stores.insert(0, self.store(d, r, loc));
                }
                other => {
                    let t = VReg(self.vregs);
                    self.vregs += 1;
                    loads.push(match other {
                        Operand::Reg(r) => self.reload(r, t, loc),
                        value => MInst { spill: true, ..MInst::mov(t, value, loc) },
                    });
                    stores.push(self.store(d, t, loc));
                }
            }
        }
        // The reloads of registers may read such a word, too.
        let reloads: Vec<MInst> = edge.reloads.iter().map(|&v| self.reload(v, v, loc)).collect();
        let written: Vec<u32> = stores.iter().map(|m| m.imm).collect();
        let reads = |m: &MInst| m.op.is_load() && written.contains(&m.imm);
        let (early, late): (Vec<MInst>, Vec<MInst>) = reloads.into_iter().partition(&reads);
        // Where no word that is written is read, each value passes through one register.
        if loads.iter().any(reads) {
            code.extend(early.into_iter().chain(loads).chain(stores));
        } else {
            code.extend(early);
            let (mut pass, rest): (Vec<MInst>, Vec<MInst>) =
                stores.into_iter().partition(|s| loads.iter().any(|l| l.defs == s.data));
            code.extend(rest);
            for l in loads {
                let at = pass.iter().position(|s| s.data == l.defs);
                code.push(l);
                code.extend(at.map(|at| pass.remove(at)));
            }
        }
        code.extend(late);
        code
    }
}

/// Removes what makes a value that nobody reads, and stores of words that nobody loads.
pub fn remove_dead(f: &mut MFunc) {
    while dead_values(f) | dead_stores(f) {}
}

fn dead_values(f: &mut MFunc) -> bool {
    let mut removed = false;
    let live = live_out(f);
    for (block, mut live) in f.blocks.iter_mut().zip(live) {
        let mut dead = vec![];
        walk_back(block, &mut live, &mut |place, live| {
            if let Place::Inst(i) = place {
                let m = &block.insts[i];
                let makes = m.is_cheap() || m.spill && m.op.is_load();
                if makes && !m.defs.iter().any(|d| live.contains(d.index())) {
                    dead.push(i);
                }
            }
        });
        removed |= !dead.is_empty();
        // From the end, so that numbers stay.
        dead.into_iter().for_each(|i| drop(block.insts.remove(i)));
    }
    removed
}

fn dead_stores(f: &mut MFunc) -> bool {
    let n = f.frame as usize / 4 + 1;
    let walk = |block: &MBlock, live: &mut BitSet, dead: &mut Vec<usize>| {
        for (i, m) in block.insts.iter().enumerate().rev().filter(|(_, m)| m.spill && m.op.is_memory()) {
            let word = m.imm as usize / 4;
            if m.op.is_load() {
                live.insert(word);
            } else if live.contains(word) {
                live.remove(word);
            } else {
                dead.push(i);
            }
        }
    };
    let mut live_in = vec![BitSet::new(n); f.blocks.len()];
    let out_of = |live_in: &[BitSet], block: &MBlock| {
        let mut live = BitSet::new(n);
        for t in block.term.targets() {
            live.union(&live_in[t]);
        }
        live
    };
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (b, block) in f.blocks.iter().enumerate().rev() {
            let mut live = out_of(&live_in, block);
            walk(block, &mut live, &mut vec![]);
            changed |= live_in[b].union(&live);
        }
    }
    let mut removed = false;
    for block in &mut f.blocks {
        let (mut live, mut dead) = (out_of(&live_in, block), vec![]);
        walk(block, &mut live, &mut dead);
        removed |= !dead.is_empty();
        dead.into_iter().for_each(|i| drop(block.insts.remove(i)));
    }
    removed
}
