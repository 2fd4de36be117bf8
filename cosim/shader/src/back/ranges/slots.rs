//! Stack words of values that are in memory somewhere.
//!
//! Values whose lives overlap have different words. Values that a copy joins and whose lives do not
//! overlap share one, so a copy from memory to memory is nothing; others share one only to keep the
//! frame small. Lives are those of before splitting, which contain all the time in memory. Wrong if
//! two lives overlap: the planted fault is `spill-slot-clash`.

use super::super::bits::BitSet;
use super::super::interference::met;
use super::super::liveness::{live_out, walk_back, Place};
use super::super::mir::{MFunc, VReg};
use super::super::spill::{self, State};
use super::walk::Plan;
use crate::fault::CompilerFault;
use std::collections::HashMap;

/// Byte offset in the frame of each stored value.
pub fn assign(f: &mut MFunc, plan: &Plan, state: &mut State, fault: Option<CompilerFault>) -> HashMap<VReg, u32> {
    let stored = plan.stored();
    if stored.is_empty() {
        return HashMap::new();
    }
    let mut met = met(f);
    for (a, b) in copied_and_live(f) {
        met[a].insert(b);
    }
    // Groups of values with one word, and what they must not meet, or what must not meet them.
    let mut group: HashMap<VReg, usize> = stored.iter().enumerate().map(|(i, &v)| (v, i)).collect();
    let mut members: Vec<Vec<VReg>> = stored.iter().map(|&v| vec![v]).collect();
    let mut meets: Vec<BitSet> = stored.iter().map(|v| std::mem::take(&mut met[v.index()])).collect();
    let mut copies: Vec<(u32, VReg, VReg)> = vec![];
    for b in &f.blocks {
        copies.extend(b.copies.iter().filter_map(|&(d, s)| Some((b.depth, d, s.reg()?))));
        copies.extend(b.insts.iter().filter_map(|m| m.as_move()).map(|(d, s)| (b.depth, d, s)));
    }
    copies.sort_by_key(|c| std::cmp::Reverse(c.0));
    if fault != Some(CompilerFault::SplitRangeStale) {
        for (_, d, s) in copies {
            let (Some(&a), Some(&b)) = (group.get(&d), group.get(&s)) else { continue };
            let meet = |a: usize, b: usize| members[b].iter().any(|v| meets[a].contains(v.index()));
            if a == b || meet(a, b) || meet(b, a) {
                continue;
            }
            let (gone, other) = (std::mem::take(&mut members[b]), meets[b].clone());
            meets[a].union(&other);
            group.extend(gone.iter().map(|&v| (v, a)));
            members[a].extend(gone);
        }
    }
    // Words of groups that never live together are one word.
    let mut words: Vec<(u32, BitSet)> = vec![];
    let mut word_of: HashMap<usize, usize> = HashMap::new();
    let mut slots = HashMap::new();
    for (own, meets) in members.into_iter().zip(meets).filter(|(m, _)| !m.is_empty()) {
        let mut met = vec![false; words.len()];
        meets.iter().filter_map(|v| word_of.get(&v)).for_each(|&w| met[w] = true);
        let is_free = |w: usize| !met[w] && own.iter().all(|v| !words[w].1.contains(v.index()));
        let at = (0..words.len()).find(|&w| is_free(w)).unwrap_or_else(|| {
            words.push((spill::new_slot(f, state), BitSet::new(f.vregs as usize)));
            words.len() - 1
        });
        words[at].1.union(&meets);
        word_of.extend(own.iter().map(|v| (v.index(), at)));
        slots.extend(own.iter().map(|&v| (v, words[at].0)));
    }
    slots
}

/// Copies whose source lives on: colouring may take one register for both, which hold the same.
fn copied_and_live(f: &MFunc) -> Vec<(usize, usize)> {
    let mut pairs = vec![];
    for (block, mut live) in f.blocks.iter().zip(live_out(f)) {
        walk_back(block, &mut live, &mut |place, live| match place {
            Place::Copies => {
                let both = block.copies.iter().filter_map(|c| Some((c.0.index(), c.1.reg()?.index())));
                pairs.extend(both.filter(|&(d, s)| d != s && live.contains(s)));
            }
            Place::Inst(i) => {
                let both = block.insts[i].as_move().map(|(d, s)| (d.index(), s.index()));
                pairs.extend(both.filter(|&(_, s)| live.contains(s)));
            }
        });
    }
    pairs
}
