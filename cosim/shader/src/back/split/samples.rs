//! What is the same for all samples of a pixel, and what is not (MS-43).
//!
//! The roots are special registers of samples, values at the centroid or the sample, and what
//! memory that may be written gives. All that is computed of these is per sample too, through
//! instructions and the parameters of blocks; so is a parameter where a branch by such a value may
//! choose. Wrong if a root is missed: `split_check` has a list of its own, and a test compares what
//! the samples of a pixel have at the point.

use super::super::bits::BitSet;
use super::super::merge::place::Flow;
use super::super::mir::{MFunc, MInst, Term, VReg};
use crate::ssa::Loc;
use quadlock_isa::{Op, Special};

/// An operation whose result is the sample's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// What it does.
    pub what: String,
    /// Its source place.
    pub loc: Loc,
}

/// The special registers that all samples of a pixel read alike. Those that tell lanes, warps and
/// threads forbid a point; work groups are none of fragments.
const OF_PIXELS: [Special; 4] = [Special::PixelX, Special::PixelY, Special::Primitive, Special::Facing];

/// What the instruction gives to each sample by itself, if its operands are the pixel's.
pub fn root(m: &MInst) -> Option<String> {
    match m.op {
        Op::S2R if OF_PIXELS.iter().any(|&s| m.imm == s as u32) => None,
        Op::S2R => {
            let row = quadlock_isa::SPECIALS.get(m.imm as usize);
            Some(format!("the special register {}", row.map_or("of that number", |r| r.name)))
        }
        Op::Bary => match m.imm {
            0 => None,
            1 => Some("a value at the centroid".into()),
            _ => Some("a value at the sample".into()),
        },
        op if op.is_load() && !m.read_only => Some("a load of memory that may be written".into()),
        op if op.is_atomic() => Some("an atomic".into()),
        _ => None,
    }
}

/// Whether each sample has to do it, whatever its operands are.
pub fn is_effect(m: &MInst) -> bool {
    m.op.is_store() || m.op.is_atomic() || m.op == Op::Out
}

/// What of a program is per sample.
#[derive(Clone)]
pub struct Samples {
    values: BitSet,
    pub roots: Vec<Root>,
}

impl Samples {
    pub fn find(f: &MFunc, flow: &Flow) -> Samples {
        let (mut s, mut roots) = (Samples { values: BitSet::new(f.vregs as usize), roots: vec![] }, vec![]);
        for m in f.blocks.iter().flat_map(|b| &b.insts) {
            if let Some(what) = root(m) {
                roots.push(Root { what, loc: m.loc });
                m.defs.iter().for_each(|&d| s.add(d));
            }
            // Rows that are stored stay beside the store: a row is on one side of the cutoff.
            let rows = [&m.data, &m.c].into_iter().filter(|row| row.len() > 1);
            rows.flatten().for_each(|&r| s.add(r));
        }
        s.roots = roots;
        while s.grow(f, flow) {}
        s
    }

    fn add(&mut self, r: VReg) {
        self.values.insert(r.index());
    }

    fn grow(&mut self, f: &MFunc, flow: &Flow) -> bool {
        let old = self.values.len();
        for (i, b) in f.blocks.iter().enumerate() {
            for m in &b.insts {
                if self.of_inst(m) {
                    m.defs.iter().for_each(|&d| self.add(d));
                }
            }
            for &(d, s) in &b.copies {
                if s.reg().is_some_and(|r| self.has(r)) {
                    self.add(d);
                }
            }
            // What is chosen behind such a branch. Blocks behind the join count too: the point
            // stands before the branch, and no parameter moves.
            if b.term.cond().is_some_and(|c| self.has(c)) {
                let behind = (0..f.blocks.len()).filter(|&t| flow.reaches(i, t));
                behind.flat_map(|t| &f.blocks[t].copies).for_each(|c| self.values.insert(c.0.index()));
            }
        }
        self.values.len() > old
    }

    pub fn has(&self, r: VReg) -> bool {
        self.values.contains(r.index())
    }

    /// Whether the instruction is one of the part behind the point.
    pub fn of_inst(&self, m: &MInst) -> bool {
        is_effect(m) || root(m).is_some() || m.uses().chain(m.defs.iter().copied()).any(|r| self.has(r))
    }

    /// Whether the end of a block is: a branch, or copies.
    pub fn of_end(&self, copies: &[(VReg, super::super::mir::Operand)], term: Term) -> bool {
        let copied = copies.iter().any(|(d, s)| self.has(*d) || s.reg().is_some_and(|r| self.has(r)));
        copied || term.cond().is_some_and(|c| self.has(c))
    }

    /// Counts the results of an instruction as per sample: it goes behind the point.
    pub fn add_results(&mut self, m: &MInst) {
        m.defs.iter().for_each(|&d| self.add(d));
    }

    /// Values up to that number are known.
    pub fn make_room(&mut self, vregs: u32) {
        let mut more = BitSet::new(vregs as usize);
        more.union(&self.values);
        self.values = more;
    }
}
