//! A merge point before a split point (MS-42, MS-43): the warps that stand for the pixels of two
//! quads become one, which splits into the samples of both.
//!
//! The split point is placed first. The merge point goes into its gate, or into one before that
//! every lane passes, so that no quad operation can be reached from it. In that gate, up to the
//! split point, quad operations come first with all they depend on. Helpers end at the merge point
//! of such a program, so nothing has to end them.
//!
//! Values on both sides of the merge point are public, of which a private copy may be needed before
//! it. Values on both sides of the split point are public too; what is written behind that is
//! private. A program in which a value would have to be both has no merge point. Wrong if a class
//! is too weak: `merge_check` and `split_check` both read the finished code.

use super::limits::{Class, Limits};
use super::merge::classes as merging;
use super::merge::needs::{is_quad, Need};
use super::merge::place::{self as places, Flow};
use super::merge::{MergeRules, SHARE, WAIT};
use super::mir::{MBlock, MFunc, MInst};
use super::split::classes as splitting;
use super::split::place::{is_passed, Placed};
use crate::fault::CompilerFault;
use crate::ssa::Loc;
use quadlock_isa::abi::PrivateSet;
use quadlock_isa::Op;

/// A program with both points.
pub struct Both {
    pub f: MFunc,
    /// Without the cutoff, which the allocation finds.
    pub limits: Limits,
    /// The lowest cutoff that could do.
    pub least: usize,
    /// Moves to public registers before the merge point.
    pub moves: usize,
    pub needs: Vec<Need>,
    gain: f64,
}

/// The program with the best merge point before the split point of `placed`, or why there is none.
pub fn run(placed: &Placed, flow: &Flow, fault: Option<CompilerFault>) -> Result<Both, (String, Loc)> {
    let split = placed.block;
    let mut f = placed.f.clone();
    let loc = merging::point_loc(&f.blocks[split], placed.at);
    f.blocks[split].insts.insert(placed.at, MInst::new(Op::Split, vec![], loc));
    let gates = flow.gates.iter().copied().filter(|&g| g == split || is_passed(flow, g, split));
    let all = gates.filter_map(|gate| at_gate(&f, placed, gate, flow, fault));
    let Some(best) = all.max_by(|a, b| a.gain.total_cmp(&b.gain)) else {
        return Err(("helper lanes are needed up to the split point or behind it".into(), loc));
    };
    if best.gain <= 0.0 && fault.is_none() {
        let why = format!("merging before the split point gains {:.1} instructions of a warp", best.gain);
        return Err((why, loc));
    }
    Ok(best)
}

/// The program with the merge point in a gate.
fn at_gate(f: &MFunc, placed: &Placed, gate: usize, flow: &Flow, fault: Option<CompilerFault>) -> Option<Both> {
    let mut f = f.clone();
    let split = placed.block;
    let insts = std::mem::take(&mut f.blocks[gate].insts);
    let limit = if gate == split { insts.iter().position(|m| m.op == Op::Split)? } else { insts.len() };
    let mut first = MBlock { insts: insts[..limit].to_vec(), ..f.blocks[gate].clone() };
    let at = places::helpers_first(&mut first, f.vregs);
    let late = first.insts[at..].iter().chain(&insts[limit..]);
    let behind = (0..f.blocks.len()).filter(|&b| flow.reaches(gate, b)).flat_map(|b| &f.blocks[b].insts);
    if late.chain(behind).any(|m| is_quad(m.op)) {
        return None;
    }
    f.blocks[gate].insts = first.insts;
    f.blocks[gate].insts.extend_from_slice(&insts[limit..]);
    let between = flow.behind(&f, gate, at) - flow.behind(&f, split, if gate == split { limit } else { placed.at });
    let point = places::Placed { f, block: gate, at, behind: between };
    let rules = MergeRules { private: PrivateSet::Old, helpers_end: true };
    let merged = merging::run(point, flow, rules, None);
    let mut f = merged.f;
    let at = f.blocks[split].insts.iter().position(|m| m.op == Op::Split)?;
    f.blocks[split].insts.remove(at);
    let splits = splitting::run(Placed { f, block: split, at, again: placed.again }, flow, fault)?;
    let mut f = splits.f;
    if fault == Some(CompilerFault::BothOrder) {
        turn_round(&mut f);
    }
    let of = |class: &[Class], r: usize| class.get(r).copied().unwrap_or_default();
    let both = |a: &[Class], b: &[Class], n: usize| -> Option<Vec<Class>> {
        (0..n).map(|r| of(a, r).both(of(b, r))).collect()
    };
    let class = both(&merged.limits.class, &splits.limits.class, f.vregs as usize)?;
    let spare = both(&merged.limits.spare, &splits.limits.spare, f.blocks.len())?;
    let gain = SHARE / 2.0 * between - SHARE * WAIT - (1 + merged.moves) as f64;
    let limits = Limits { class, spare, ..Limits::default() };
    Some(Both { f, limits, least: merged.least.max(splits.least), moves: merged.moves, needs: merged.needs, gain })
}

/// The mistake of a merge point behind the split point.
fn turn_round(f: &mut MFunc) {
    let find = |f: &MFunc, op: Op| {
        let place = |b: usize| f.blocks[b].insts.iter().position(|m| m.op == op).map(|i| (b, i));
        (0..f.blocks.len()).find_map(place)
    };
    let (Some(merge), Some(split)) = (find(f, Op::Merge), find(f, Op::Split)) else { return };
    f.blocks[merge.0].insts[merge.1].op = Op::Split;
    f.blocks[split.0].insts[split.1].op = Op::Merge;
}
