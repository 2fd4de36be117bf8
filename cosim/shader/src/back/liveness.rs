//! Which virtual registers hold a value that is still needed, at the end of each block.
//!
//! Per thread: a lane that waits while others run another path keeps its own registers, which
//! nobody else can write, so the control flow of one thread is all that counts. Cross-lane reads
//! take a register of lanes that are not active; the source language allows them only in uniform
//! control flow. The copies of a block read all their sources, then write. Wrong if a use is
//! missed; the allocator's check of its own result rests on the same sets, so the compiled random
//! programs are the real test.

use super::bits::BitSet;
use super::mir::{MBlock, MFunc};

/// Live-out sets, by block.
pub fn live_out(f: &MFunc) -> Vec<BitSet> {
    let n = f.vregs as usize;
    let mut out = vec![BitSet::new(n); f.blocks.len()];
    let mut live_in = vec![BitSet::new(n); f.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (b, block) in f.blocks.iter().enumerate().rev() {
            for t in block.term.targets() {
                // Split borrow: a block may be its own successor.
                let from = std::mem::replace(&mut live_in[t], BitSet::new(0));
                changed |= out[b].union(&from);
                live_in[t] = from;
            }
            let mut live = out[b].clone();
            walk_back(block, &mut live, &mut |_, _| {});
            changed |= live_in[b].union(&live);
        }
    }
    out
}

/// A place in a block, as [`walk_back`] passes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Copies,
    Inst(usize),
}

/// Walks from the end of the block (where `live` holds the live-out set) to its start. `visit` sees
/// each place with the set live behind it.
pub fn walk_back(block: &MBlock, live: &mut BitSet, visit: &mut dyn FnMut(Place, &BitSet)) {
    if let Some(c) = block.term.cond() {
        live.insert(c.index());
    }
    if !block.copies.is_empty() {
        visit(Place::Copies, live);
        for (d, _) in &block.copies {
            live.remove(d.index());
        }
        for s in block.copies.iter().filter_map(|(_, s)| s.reg()) {
            live.insert(s.index());
        }
    }
    for (i, m) in block.insts.iter().enumerate().rev() {
        visit(Place::Inst(i), live);
        for d in &m.defs {
            live.remove(d.index());
        }
        for u in m.uses() {
            live.insert(u.index());
        }
    }
}

/// The most registers that are in use at one place. All results of an instruction count, needed or
/// not, and all that copies write.
pub fn pressure(f: &MFunc) -> usize {
    let mut most = 0;
    for (block, mut live) in f.blocks.iter().zip(live_out(f)) {
        walk_back(block, &mut live, &mut |place, live| {
            let dead = |d: &&super::mir::VReg| !live.contains(d.index());
            let unused = match place {
                Place::Copies => block.copies.iter().map(|c| &c.0).filter(dead).count(),
                Place::Inst(i) => block.insts[i].defs.iter().filter(dead).count(),
            };
            most = most.max(live.len() + unused);
        });
        most = most.max(live.len());
    }
    most
}
