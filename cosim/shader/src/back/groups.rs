//! Load groups: the results of a wide load, which stand in consecutive registers, come apart.
//!
//! A row of registers that lives as long as its longest value, and a coalesced one as long as all
//! that copies join to it, is hard to place among others: a program may fit in number and not in
//! rows. So each group's values are copied to registers of their own behind the load ([`apart`]).
//! Coalescing joins them again, and the copies vanish; where a class finds no place, its copies are
//! kept and the colouring begins again (optimistic coalescing, undone where it hurts: Park and
//! Moon, "Optimistic Register Coalescing", PACT 1998). A copy is cheaper than a store and a load.
//! Wrong if a value is copied from a neighbour's register: the planted fault is `group-clobber`.

use super::mir::{MFunc, MInst, Operand, VReg};
use crate::fault::CompilerFault;
use std::collections::BTreeSet;

/// Copies that stay: destination and source.
pub type Kept = BTreeSet<(VReg, VReg)>;

/// The program with every value of a group in a register of its own; none if it has no group.
pub fn apart(f: &MFunc, fault: Option<CompilerFault>) -> Option<MFunc> {
    let mut g = f.clone();
    let mut found = false;
    for b in 0..g.blocks.len() {
        let old = std::mem::take(&mut g.blocks[b].insts);
        let mut insts = Vec::with_capacity(old.len());
        for mut m in old {
            let values = m.defs.clone();
            if values.len() < 2 {
                insts.push(m);
                continue;
            }
            found = true;
            m.defs = values.iter().map(|_| g.new_vreg()).collect();
            let mut row = m.defs.clone();
            if fault == Some(CompilerFault::GroupClobber) {
                row.swap(0, 1);
            }
            let loc = m.loc;
            insts.push(m);
            insts.extend(values.into_iter().zip(row).map(|(v, r)| MInst::mov(v, Operand::Reg(r), loc)));
        }
        g.blocks[b].insts = insts;
    }
    found.then_some(g)
}

/// The copies between registers of `members`, which is one class.
pub fn copies_of(f: &MFunc, members: &[VReg]) -> Kept {
    let inside: BTreeSet<VReg> = members.iter().copied().collect();
    let moves = f.blocks.iter().flat_map(|b| b.insts.iter().filter_map(MInst::as_move));
    let copies = f.blocks.iter().flat_map(|b| b.copies.iter().filter_map(|&(d, s)| Some((d, s.reg()?))));
    moves.chain(copies).filter(|(d, s)| inside.contains(d) && inside.contains(s)).collect()
}
