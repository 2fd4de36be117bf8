//! Live-range splitting: a value is in a register where its uses are near, and in memory elsewhere.
//!
//! Spilling by next use, after Braun and Hack ("Register Spilling and Live-Range Splitting for
//! SSA-Form Programs", CC 2009, which brings Belady's rule to control flow). Before registers are
//! given, the number of live values is brought down to what there is room for at every place
//! ([`walk`]). Where room is needed, the value whose next use is farthest leaves its register. A
//! use behind a loop counts as far, so what only lives through a loop is spilled around it. A value
//! comes back once for each stretch of uses, and not at each use. Where two paths meet with
//! different values in registers, code on the edge makes them alike ([`edges`]).
//!
//! A value is stored behind its definition or where it leaves, whichever runs less often. What one
//! instruction makes again is not stored. A parameter of a block that has no register at the
//! block's start lives in memory on both sides of the copy; values that copies join share a stack
//! word where they can ([`slots`]). In the end each stretch gets a name of its own ([`webs`]), so
//! the colouring may put it anywhere.
//!
//! Groups (the results of wide loads) count whole. Pressure that fits may still not colour, for
//! groups need neighbours; the allocator then asks again for less. Wrong if a reload reads a word
//! that does not hold the value: [`check`] follows all paths of the result, and the planted fault
//! is `split-range-stale`.

pub mod check;
mod edges;
mod next_use;
mod rewrite;
mod slots;
#[cfg(test)]
mod tests;
mod walk;
mod webs;

use super::cfg::Cfg;
use super::mir::{MFunc, VReg};
use super::spill::{self, State};
use crate::fault::CompilerFault;

/// A program with at most `room` values in registers at each place, and how many values it has in
/// memory or makes again. None where nothing has to be done, or where it cannot be.
pub fn split(f: &MFunc, room: usize, fault: Option<CompilerFault>) -> Option<(MFunc, usize)> {
    let copies_branch = |b: &super::mir::MBlock| b.term.targets().len() > 1 && !b.copies.is_empty();
    if super::liveness::pressure(f) <= room || f.blocks.iter().any(copies_branch) {
        return None;
    }
    let mut g = f.clone();
    let cheap = spill::cheap(&g);
    // A program without a frame may do with what can be made again.
    let alone = match g.stack_pointer {
        None => walk::run(&g, &cfg(&g), &cheap, None, room),
        Some(_) => None,
    };
    let mut state = State::new(fault);
    let plan = match alone.filter(|plan| plan.stored().is_empty()) {
        Some(plan) => plan,
        None => {
            // The frame's address is in a register all the time.
            spill::make_stack_pointer(&mut g, &mut state);
            walk::run(&g, &cfg(&g), &cheap, g.stack_pointer, room.checked_sub(1)?)?
        }
    };
    let slots = slots::assign(&mut g, &plan, &mut state, fault);
    let names = g.vregs as usize;
    let rewrite::Rewritten { f: mut g, copies } = rewrite::run(&g, &plan, &cheap, &slots, fault)?;
    rewrite::remove_dead(&mut g);
    if let (None, Err(e)) = (fault, check::check(&g, &copies, names, &cheap)) {
        debug_assert!(false, "{e}");
        return None;
    }
    // Values that are in memory somewhere, or made again. Registers of the splitter's own pass on.
    let spills = g.blocks.iter().flat_map(|b| &b.insts).filter(|m| m.spill);
    let mut values: Vec<VReg> = spills.flat_map(|m| m.defs.iter().chain(&m.data)).copied().collect();
    values.retain(|v| v.index() < names);
    values.sort_unstable();
    values.dedup();
    webs::rename(&mut g, &values);
    Some((g, values.len()))
}

fn cfg(f: &MFunc) -> Cfg {
    let succ: Vec<Vec<usize>> = f.blocks.iter().map(|b| b.term.targets()).collect();
    Cfg::new(&succ, 0)
}
