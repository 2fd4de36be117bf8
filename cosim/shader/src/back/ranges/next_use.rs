//! How far the next use of a value is, in instructions, from each place of a program.
//!
//! Backwards over the blocks until nothing changes, the nearer of the paths counts. A way out of a
//! loop adds more than any program is long, so every use inside is nearer than one behind. Sources
//! of copies are used at the end of their block. Wrong distances cost spills only.

use super::super::bits::BitSet;
use super::super::cfg::Cfg;
use super::super::liveness::live_out;
use super::super::mir::MFunc;
use std::collections::HashMap;

/// Not used again.
pub const NEVER: u32 = u32::MAX;
/// What a way out of a loop adds.
const OUT: u32 = 100_000;

pub struct NextUse {
    /// By block: what lives behind it and how far its next use is from the block's end, ascending.
    out: Vec<Vec<(usize, u32)>>,
    /// By block: places at which each register is used, ascending.
    uses: Vec<HashMap<usize, Vec<u32>>>,
    len: Vec<u32>,
}

/// The loops of a program: their first blocks, and the blocks inside.
pub fn loops(f: &MFunc, cfg: &Cfg) -> Vec<(usize, BitSet)> {
    let n = f.blocks.len();
    let mut all = vec![];
    for head in 0..n {
        let latches = cfg.preds[head].iter().copied().filter(|&p| cfg.idom[p].is_some() && cfg.dominates(head, p));
        let mut work: Vec<usize> = latches.collect();
        if work.is_empty() {
            continue;
        }
        let mut inside = BitSet::new(n);
        inside.insert(head);
        while let Some(b) = work.pop() {
            if !inside.contains(b) {
                inside.insert(b);
                work.extend(cfg.preds[b].iter().copied().filter(|&p| cfg.idom[p].is_some()));
            }
        }
        all.push((head, inside));
    }
    all
}

impl NextUse {
    pub fn new(f: &MFunc, loops: &[(usize, BitSet)]) -> NextUse {
        let (n, blocks) = (f.vregs as usize, f.blocks.len());
        let mut uses: Vec<HashMap<usize, Vec<u32>>> = vec![HashMap::new(); blocks];
        let mut defs: Vec<BitSet> = vec![BitSet::new(n); blocks];
        // Values that a block makes before it uses them.
        let mut own: Vec<BitSet> = vec![BitSet::new(n); blocks];
        for (b, block) in f.blocks.iter().enumerate() {
            for (i, m) in block.insts.iter().enumerate() {
                m.uses().for_each(|u| uses[b].entry(u.index()).or_default().push(i as u32));
                for d in &m.defs {
                    defs[b].insert(d.index());
                    if !uses[b].contains_key(&d.index()) {
                        own[b].insert(d.index());
                    }
                }
            }
            let sources = block.copies.iter().filter_map(|c| c.1.reg());
            let end = block.insts.len() as u32;
            sources.chain(block.term.cond()).for_each(|u| uses[b].entry(u.index()).or_default().push(end));
            block.copies.iter().for_each(|c| defs[b].insert(c.0.index()));
        }
        let len = f.blocks.iter().map(|b| b.insts.len() as u32 + 1).collect();
        let unknown = |live: BitSet| live.iter().map(|v| (v, NEVER)).collect();
        let mut all = NextUse { out: live_out(f).into_iter().map(unknown).collect(), uses, len };
        let mut around: Vec<Vec<usize>> = vec![vec![]; blocks];
        for (l, (_, inside)) in loops.iter().enumerate() {
            inside.iter().for_each(|b| around[b].push(l));
        }
        let leaves = |from: usize, to: usize| around[from].iter().any(|&l| !loops[l].1.contains(to));
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (b, block) in f.blocks.iter().enumerate().rev() {
                let mut copied = BitSet::new(n);
                block.copies.iter().for_each(|c| copied.insert(c.0.index()));
                let mut out = std::mem::take(&mut all.out[b]);
                for t in block.term.targets() {
                    let extra = if leaves(b, t) { OUT } else { 0 };
                    for (v, known) in &mut out {
                        let v = *v;
                        let behind = if t == b { *known } else { all.at_end(t, v) };
                        let at_start = match all.uses[t].get(&v) {
                            _ if own[t].contains(v) => NEVER,
                            Some(places) => places[0],
                            None if defs[t].contains(v) || behind == NEVER => NEVER,
                            None => behind.saturating_add(all.len[t]),
                        };
                        if at_start == NEVER || copied.contains(v) {
                            continue;
                        }
                        let far = at_start.saturating_add(extra).min(NEVER - 1);
                        if far < *known {
                            *known = far;
                            changed = true;
                        }
                    }
                }
                all.out[b] = out;
            }
        }
        all
    }

    /// From the end of a block.
    fn at_end(&self, block: usize, v: usize) -> u32 {
        let out = &self.out[block];
        out.binary_search_by_key(&v, |o| o.0).map_or(NEVER, |at| out[at].1)
    }

    /// From instruction `at` of a block, which counts; its length is the place of copies and
    /// branch.
    pub fn from(&self, block: usize, at: usize, v: usize) -> u32 {
        let here = self.uses[block].get(&v).and_then(|places| {
            let next = places.partition_point(|&p| (p as usize) < at);
            places.get(next)
        });
        match here {
            Some(&place) => place - at as u32,
            None => match self.at_end(block, v) {
                NEVER => NEVER,
                far => far.saturating_add(self.len[block].saturating_sub(at as u32)).min(NEVER - 1),
            },
        }
    }
}
