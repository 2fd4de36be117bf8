//! Each stretch of a split value gets a name of its own.
//!
//! A stretch is a set of definitions and reloads that some use may see together. They are found by
//! joining, over every edge, what a value is at the end of one block and at the start of the next,
//! where it is live there. Wrong if two definitions that a use sees are not joined: the compiled
//! random programs are the test.

use super::super::liveness::{live_out, walk_back};
use super::super::mir::{MFunc, Operand, VReg};
use std::collections::{BTreeMap, HashMap};

struct Sets(Vec<usize>);

impl Sets {
    fn new_set(&mut self) -> usize {
        self.0.push(self.0.len());
        self.0.len() - 1
    }
    fn root(&self, mut x: usize) -> usize {
        while self.0[x] != x {
            x = self.0[x];
        }
        x
    }
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
}

/// Renames the stretches of `values`.
pub fn rename(f: &mut MFunc, values: &[VReg]) {
    let mut split = vec![false; f.vregs as usize];
    values.iter().for_each(|v| split[v.index()] = true);
    let mut live_in = live_out(f);
    for (b, live) in f.blocks.iter().zip(&mut live_in) {
        walk_back(b, live, &mut |_, _| {});
    }
    let mut sets = Sets(vec![]);
    let mut start: Vec<BTreeMap<usize, usize>> = vec![];
    for live in &live_in {
        start.push(live.iter().filter(|&v| split[v]).map(|v| (v, sets.new_set())).collect());
    }
    // Every register that is named becomes the number of its set; sets become names in the end.
    let mut end = vec![];
    let mut places: Vec<Vec<usize>> = vec![];
    for (b, block) in f.blocks.iter().enumerate() {
        let mut now: HashMap<usize, usize> = start[b].iter().map(|(&v, &s)| (v, s)).collect();
        let mut named = vec![];
        let mut used = |now: &mut HashMap<usize, usize>, sets: &mut Sets, v: VReg| {
            if split[v.index()] {
                named.push(*now.entry(v.index()).or_insert_with(|| sets.new_set()));
            }
        };
        for m in &block.insts {
            m.uses().for_each(|u| used(&mut now, &mut sets, u));
            for d in m.defs.iter().filter(|d| split[d.index()]) {
                now.insert(d.index(), sets.new_set());
                used(&mut now, &mut sets, *d);
            }
        }
        block.copies.iter().filter_map(|c| c.1.reg()).for_each(|s| used(&mut now, &mut sets, s));
        block.term.cond().into_iter().for_each(|c| used(&mut now, &mut sets, c));
        for (d, _) in block.copies.iter().filter(|c| split[c.0.index()]) {
            now.insert(d.index(), sets.new_set());
            used(&mut now, &mut sets, *d);
        }
        places.push(named);
        end.push(now);
    }
    for (b, block) in f.blocks.iter().enumerate() {
        for t in block.term.targets() {
            for (v, &s) in &start[t] {
                if let Some(&e) = end[b].get(v) {
                    sets.join(e, s);
                }
            }
        }
    }
    let mut names: HashMap<usize, VReg> = HashMap::new();
    let mut vregs = f.vregs;
    for (block, named) in f.blocks.iter_mut().zip(places) {
        let mut named = named.into_iter();
        let mut name = |v: VReg| match split[v.index()] {
            false => v,
            true => {
                let set = sets.root(named.next().unwrap_or_default());
                *names.entry(set).or_insert_with(|| {
                    vregs += 1;
                    VReg(vregs - 1)
                })
            }
        };
        for m in &mut block.insts {
            m.map_uses(&mut name);
            m.defs.iter_mut().for_each(|d| *d = name(*d));
        }
        for (_, s) in &mut block.copies {
            if let Operand::Reg(r) = *s {
                *s = Operand::Reg(name(r));
            }
        }
        if let Some(c) = block.term.cond() {
            let c = name(c);
            block.term.map_cond(&|_| c);
        }
        block.copies.iter_mut().for_each(|c| c.0 = name(c.0));
    }
    f.vregs = vregs;
}
