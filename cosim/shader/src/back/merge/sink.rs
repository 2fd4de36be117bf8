//! Operations before a merge point that only the part behind it needs move behind it (MS-30).
//!
//! They are pure, helpers do not need them, and all their readers stand behind the point. What they
//! read has to live across instead, so it may be dearer: both programs are weighed. Wrong if a
//! reader is missed; a value read before it is made is found by comparing pictures.

use super::super::mir::{MBlock, MFunc, MInst, VReg};
use super::needs::{self, is_quad};
use super::place::{is_pure, Flow};

/// Moves them behind the first `at` instructions of block `gate`; whether there were any.
pub fn run(f: &mut MFunc, flow: &Flow, gate: usize, at: usize) -> bool {
    let n = f.blocks.len();
    let before: Vec<bool> = (0..n).map(|b| b != gate && !flow.reaches(gate, b)).collect();
    let needs = needs::find(f, &before, gate, at);
    let (mut early, mut late) = (vec![0u32; f.vregs as usize], vec![0u32; f.vregs as usize]);
    for (i, b) in f.blocks.iter().enumerate() {
        let count = if before[i] { &mut early } else { &mut late };
        readers(b).for_each(|r| count[r.index()] += 1);
    }
    let mut sunk: Vec<MInst> = vec![];
    for b in (0..n).rev().filter(|&b| before[b]) {
        for i in (0..f.blocks[b].insts.len()).rev() {
            let m = &f.blocks[b].insts[i];
            let free = m.defs.iter().all(|d| early[d.index()] == 0 && !needs.values.contains(d.index()));
            let wanted = m.defs.iter().any(|d| late[d.index()] > 0);
            if !is_pure(m) || is_quad(m.op) || !free || !wanted {
                continue;
            }
            for r in m.uses() {
                early[r.index()] -= 1;
                late[r.index()] += 1;
            }
            sunk.push(f.blocks[b].insts.remove(i));
        }
    }
    let any = sunk.iter().any(|m| !m.is_cheap());
    f.blocks[gate].insts.splice(at..at, sunk.into_iter().rev());
    any
}

/// The values that a block reads, once for each time.
fn readers(b: &MBlock) -> impl Iterator<Item = VReg> + '_ {
    let insts = b.insts.iter().flat_map(|m| m.uses());
    insts.chain(b.copies.iter().filter_map(|c| c.1.reg())).chain(b.term.cond())
}
