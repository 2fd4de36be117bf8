//! Where a split point can be, and the order that puts as much as possible before it (MS-43).
//!
//! It can be in a gate, which every lane that goes on passes once, if no way to it is chosen by a
//! value of samples. What is per sample before the gate moves into it, behind the point: it has to
//! be pure, in a block that every lane passes once on its way to the gate. What is per position in
//! later blocks moves up before the point, if it is pure and all lanes come there. In the gate all
//! that is per position comes first; memory operations and demotions keep their order among
//! themselves. Wrong if an operation moves past one it depends on: pictures are compared.

use super::super::bits::BitSet;
use super::super::merge::needs::is_quad;
use super::super::merge::place::{is_pure, keeps_place, size, Flow};
use super::super::mir::{MFunc, MInst, Term, VReg};
use super::samples::{is_effect, root, Samples};
use crate::ssa::Loc;

/// A program in an order that has a place for a split point.
#[derive(Clone)]
pub struct Placed {
    pub f: MFunc,
    /// The block, and how many of its instructions come before the point.
    pub block: usize,
    pub at: usize,
    /// Constants that are made a second time behind it.
    pub again: usize,
}

/// Why a gate can have no point, and where that is.
pub type Blocked = (String, Loc);

/// What is looked for in all gates.
pub struct Search<'a> {
    pub flow: &'a Flow,
    /// Whether operations of later blocks move up.
    pub up: bool,
}

/// Whether it gives the same wherever it is executed, and does nothing else.
pub fn moves(m: &MInst) -> bool {
    is_pure(m) || m.op.is_load() && m.read_only
}

/// Blocks that are executed before the gate, if at all.
pub fn is_before(flow: &Flow, block: usize, gate: usize) -> bool {
    flow.cfg.idom[block].is_some() && block != gate && !flow.reaches(gate, block)
}

/// Whether each lane that comes to the gate has passed the block once.
pub fn is_passed(flow: &Flow, block: usize, gate: usize) -> bool {
    flow.cfg.dominates(block, gate) && !flow.reaches(block, block)
}

impl Search<'_> {
    /// The program with the point in a gate.
    pub fn place(&self, f: &MFunc, samples: &Samples, gate: usize) -> Result<Placed, Blocked> {
        let mut f = f.clone();
        let sunk = self.sink(&mut f, samples, gate)?;
        let (mut early, late) = in_order(&std::mem::take(&mut f.blocks[gate].insts), samples, f.vregs);
        if self.up {
            self.lift(&mut f, samples, gate, &mut early, &late);
        }
        let at = early.len();
        f.blocks[gate].insts = early.into_iter().chain(sunk).chain(late).collect();
        match self.looks_at_absent_lanes(&f, gate, at) {
            Some(loc) => Err(("a derivative behind it looks at lanes that may not be there".into(), loc)),
            None => Ok(Placed { f, block: gate, at, again: 0 }),
        }
    }

    /// Takes out what is per sample before the gate.
    fn sink(&self, f: &mut MFunc, samples: &Samples, gate: usize) -> Result<Vec<MInst>, Blocked> {
        let flow = self.flow;
        let mut sunk = vec![];
        for i in (0..f.blocks.len()).filter(|&b| is_before(flow, b, gate)) {
            let b = &f.blocks[i];
            if samples.of_end(&b.copies, b.term) {
                return Err(("a branch before it goes by a value of samples".into(), b.term_loc));
            }
            let passed = is_passed(flow, i, gate);
            let (late, rest): (Vec<MInst>, _) = b.insts.iter().cloned().partition(|m| samples.of_inst(m));
            for m in &late {
                let why = match root(m) {
                    _ if is_effect(m) => format!("{} is before it, and each sample does it", m.op.name()),
                    Some(what) if !moves(m) => format!("{what} is before it, and stays in its place"),
                    _ if !moves(m) || !passed => "a value of samples is made in a branch or a loop before it".into(),
                    _ => continue,
                };
                return Err((why, m.loc));
            }
            f.blocks[i].insts = rest;
            sunk.extend(late);
        }
        Ok(sunk)
    }

    /// A derivative behind the point that looks at lanes which may not have come there: they ended,
    /// before the point or behind it, or went another way. Such a lane has what was made before the
    /// point. What was made behind it is private, and holds what an earlier warp left.
    fn looks_at_absent_lanes(&self, f: &MFunc, gate: usize, at: usize) -> Option<Loc> {
        let before = || (0..f.blocks.len()).filter(|&b| is_before(self.flow, b, gate));
        let ended = before().any(|b| matches!(f.blocks[b].term, Term::End | Term::Discard));
        let mut made = BitSet::new(f.vregs as usize);
        let early = before().flat_map(|b| &f.blocks[b].insts).chain(&f.blocks[gate].insts[..at]);
        early.flat_map(|m| &m.defs).for_each(|d| made.insert(d.index()));
        before().flat_map(|b| &f.blocks[b].copies).for_each(|c| made.insert(c.0.index()));
        let looks = |m: &&MInst| is_quad(m.op) && m.uses().any(|r| !made.contains(r.index()));
        let found = |insts: &[MInst]| insts.iter().find(looks).map(|m| m.loc);
        let behind = (0..f.blocks.len()).filter(|&b| self.flow.reaches(gate, b));
        let apart = behind.filter(|&b| ended || !self.flow.straight(f, gate, b));
        let own = ended.then(|| found(&f.blocks[gate].insts[at..])).flatten();
        own.or_else(|| apart.filter_map(|b| found(&f.blocks[b].insts)).next())
    }

    /// Moves what is per position in later blocks, to which all lanes come, before the point.
    fn lift(&self, f: &mut MFunc, samples: &Samples, gate: usize, early: &mut Vec<MInst>, late: &[MInst]) {
        let mut behind = BitSet::new(f.vregs as usize);
        late.iter().flat_map(|m| &m.defs).for_each(|d| behind.insert(d.index()));
        let mut moved = BitSet::new(f.vregs as usize);
        for b in (0..f.blocks.len()).filter(|&b| self.flow.reaches(gate, b)) {
            if !self.flow.straight(f, gate, b) {
                continue;
            }
            let insts = std::mem::take(&mut f.blocks[b].insts);
            let (up, rest): (Vec<MInst>, _) = insts.into_iter().partition(|m| {
                let there =
                    |r: usize| moved.contains(r) || !behind.contains(r) && self.flow.available(VReg(r as u32), gate);
                let up = moves(m) && !samples.of_inst(m) && m.uses().all(|r| there(r.index()));
                if up {
                    m.defs.iter().for_each(|d| moved.insert(d.index()));
                }
                up
            });
            f.blocks[b].insts = rest;
            early.extend(up);
        }
    }
}

/// The instructions of the gate before the point, and those behind it.
fn in_order(insts: &[MInst], samples: &Samples, vregs: u32) -> (Vec<MInst>, Vec<MInst>) {
    let mut behind = BitSet::new(vregs as usize);
    let mut ordered = false;
    insts.iter().cloned().partition(|m| {
        let late = samples.of_inst(m) || ordered && keeps_place(m) || m.uses().any(|r| behind.contains(r.index()));
        if late {
            m.defs.iter().for_each(|d| behind.insert(d.index()));
            ordered |= keeps_place(m) || is_effect(m);
        }
        !late
    })
}

/// Instructions that are expected to run before the point, for a warp.
pub fn before(placed: &Placed, flow: &Flow) -> f64 {
    let blocks = (0..placed.f.blocks.len()).filter(|&b| is_before(flow, b, placed.block));
    let all: f64 = blocks.map(|b| flow.often[b] * size(&placed.f.blocks[b]) as f64).sum();
    all + flow.often[placed.block] * placed.at as f64
}
