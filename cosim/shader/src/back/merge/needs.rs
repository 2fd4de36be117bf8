//! What needs helper lanes before a merge point, and what forbids one.
//!
//! A derivative or a quad shuffle looks at the operand of every lane of the quad, so helpers have
//! to compute it, and all that it depends on. So is it with what a branch tests and with addresses:
//! a helper with a wrong one would go astray (MS-31). The set is closed over operands and copies.
//! Wrong if a way to a helper's value is missed: `merge_check` follows wrong values forwards in the
//! finished code.

use super::super::bits::BitSet;
use super::super::mir::{MFunc, MInst, VReg};
use crate::ssa::Loc;
use quadlock_isa::{Class, Lanes, Op, Special};

/// Why helpers need a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// An operation looks at the lane's neighbours.
    Neighbours,
    /// A branch tests it.
    Branch,
    /// It is an address.
    Address,
}

/// An operation before the merge point that needs helper lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// The operation.
    pub op: Op,
    /// Its source place.
    pub loc: Loc,
    /// What it needs them for.
    pub why: Why,
}

/// Whether the operation looks at all lanes of the quad.
pub fn is_quad(op: Op) -> bool {
    op.row().lanes == Lanes::Quad
}

/// Why the program may have no merge point at all (MS-32), if so, and where.
pub fn forbidden(f: &MFunc) -> Option<(String, Loc)> {
    if f.frame > 0 || f.stack_pointer.is_some() {
        return Some(("it uses its stack".into(), Loc::default()));
    }
    f.blocks.iter().flat_map(|b| &b.insts).find_map(|m| Some((forbids(m)?, m.loc)))
}

fn forbids(m: &MInst) -> Option<String> {
    let special = |n: Special| m.op == Op::S2R && m.imm == n as u32;
    let numbers = [Special::Lane, Special::Warp, Special::Unit, Special::Coverage, Special::ThreadSlot];
    if m.own {
        return Some("it uses its stack".into());
    }
    if m.op.class() == Class::Message || m.op == Op::Bar {
        return Some(format!("{} lets other threads in", m.op.name()));
    }
    if m.op.is_warp_wide() || matches!(m.op.row().lanes, Lanes::Active | Lanes::Lowest) {
        return Some(format!("{} is an operation of the whole warp", m.op.name()));
    }
    numbers.into_iter().find(|&n| special(n)).map(|n| format!("it reads the special register {}", n.row().name))
}

/// Where values of helpers are asked for before the point, and all that these depend on.
pub struct Needs {
    /// Values that helpers have to compute.
    pub values: BitSet,
    pub roots: Vec<Need>,
}

/// Looks at what is executed before the point: whole blocks where `before` says so, and the first
/// `at` instructions of block `block`.
pub fn find(f: &MFunc, before: &[bool], block: usize, at: usize) -> Needs {
    let mut feeds: Vec<Vec<VReg>> = vec![vec![]; f.vregs as usize];
    let (mut roots, mut work) = (vec![], vec![]);
    for (i, b) in f.blocks.iter().enumerate().filter(|(i, _)| before[*i] || *i == block) {
        let insts = if i == block { &b.insts[..at] } else { &b.insts[..] };
        for m in insts {
            m.defs.iter().for_each(|d| feeds[d.index()].extend(m.uses()));
            let why = match m.op {
                op if is_quad(op) => Why::Neighbours,
                op if op.is_memory() => Why::Address,
                _ => continue,
            };
            roots.push(Need { op: m.op, loc: m.loc, why });
            work.extend(m.a);
        }
        if i == block {
            continue;
        }
        b.copies.iter().for_each(|(d, s)| feeds[d.index()].extend(s.reg()));
        if let Some(cond) = b.term.cond() {
            roots.push(Need { op: Op::Bnz, loc: b.term_loc, why: Why::Branch });
            work.push(cond);
        }
    }
    let mut values = BitSet::new(f.vregs as usize);
    while let Some(r) = work.pop() {
        if !values.contains(r.index()) {
            values.insert(r.index());
            work.extend(&feeds[r.index()]);
        }
    }
    Needs { values, roots }
}
