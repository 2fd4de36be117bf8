//! Local variables become SSA values.
//!
//! Every word of every slot whose address is never taken is a variable. Block parameters ("phis")
//! are placed at the iterated dominance frontier of its stores (Cytron et al., 1991), but only
//! where it is live ("pruned"), then a walk over the dominator tree replaces loads by the value
//! last stored. A word that is read before it was written is undefined in the source languages
//! unless the front end stored a zero; here it reads zero. Slots that keep a `SlotAddr` are left
//! alone. The danger is a parameter that is missing or filled with a value of the wrong path: the
//! property test runs nested branches and loops, and `Mem2RegWrongPhi` plants it.

use super::{dce, Options};
use crate::fault::CompilerFault;
use crate::ssa::dominance::Dominance;
use crate::ssa::{Block, Func, Inst, Kind, Loc, Slot, Value};

/// Does it to a function; whether anything changed.
pub fn run(func: &mut Func, options: &Options) -> bool {
    let vars = Variables::new(func);
    if !vars.used {
        return false;
    }
    dce::remove_unreachable(func);
    let dom = Dominance::new(func);
    let phis = place(func, &vars, &dom);
    let first_new: Vec<usize> = func.blocks.iter().map(|b| b.params.len()).collect();
    for (b, list) in phis.iter().enumerate() {
        for _ in list {
            let v = func.new_value();
            func.blocks[b].params.push(v);
        }
    }
    let zero = func.new_value();
    let mut r = Renamer {
        func,
        vars: &vars,
        phis: &phis,
        first_new,
        current: vec![zero; vars.count],
        undo: vec![],
        wrong: options.fault == Some(CompilerFault::Mem2RegWrongPhi),
        replace: Default::default(),
    };
    r.walk(&dom);
    let replace = r.replace;
    replace.apply(func);
    let entry = func.entry().index();
    func.blocks[entry]
        .insts
        .insert(0, Inst { exact: true, kind: Kind::Const(0), results: vec![zero], loc: Loc::default() });
    true
}

/// Numbers of the promotable words.
struct Variables {
    /// First number of each slot; `None` if it stays in memory.
    first: Vec<Option<usize>>,
    count: usize,
    /// Whether any of them is read or written at all.
    used: bool,
}

impl Variables {
    fn new(func: &Func) -> Variables {
        let mut taken = vec![false; func.slots.len()];
        let mut used = vec![false; func.slots.len()];
        for inst in func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts) {
            match &inst.kind {
                Kind::SlotAddr(s) => taken[s.index()] = true,
                Kind::SlotLoad { slot, .. } | Kind::SlotStore { slot, .. } => used[slot.index()] = true,
                _ => {}
            }
        }
        let mut count = 0;
        let mut first = vec![None; taken.len()];
        for (i, s) in func.slots.iter().enumerate() {
            if used[i] && !taken[i] {
                first[i] = Some(count);
                count += s.words as usize;
            }
        }
        Variables { first, count, used: count > 0 }
    }

    fn number(&self, slot: Slot, word: u32) -> Option<usize> {
        self.first[slot.index()].map(|f| f + word as usize)
    }
}

/// For each block the variables that get a parameter there.
fn place(func: &Func, vars: &Variables, dom: &Dominance) -> Vec<Vec<usize>> {
    let mut stores: Vec<Vec<Block>> = vec![vec![]; vars.count];
    let mut exposed: Vec<Vec<Block>> = vec![vec![]; vars.count];
    for &b in &func.layout {
        for inst in &func.blocks[b.index()].insts {
            match &inst.kind {
                Kind::SlotLoad { slot, word } => {
                    if let Some(v) = vars.number(*slot, *word) {
                        if stores[v].last() != Some(&b) && exposed[v].last() != Some(&b) {
                            exposed[v].push(b);
                        }
                    }
                }
                Kind::SlotStore { slot, word, .. } => {
                    if let Some(v) = vars.number(*slot, *word) {
                        if stores[v].last() != Some(&b) {
                            stores[v].push(b);
                        }
                    }
                }
                _ => {}
            }
        }
    }
    let frontier = dom.frontier();
    let mut phis = vec![Vec::new(); func.blocks.len()];
    for v in 0..vars.count {
        let live = live_in(func.blocks.len(), &stores[v], &exposed[v], dom);
        let mut work = stores[v].clone();
        let mut has = vec![false; func.blocks.len()];
        while let Some(b) = work.pop() {
            for &f in &frontier[b.index()] {
                if live[f.index()] && !has[f.index()] {
                    has[f.index()] = true;
                    phis[f.index()].push(v);
                    work.push(f);
                }
            }
        }
    }
    phis
}

/// Blocks at whose start the variable may still be read.
fn live_in(blocks: usize, stores: &[Block], exposed: &[Block], dom: &Dominance) -> Vec<bool> {
    let mut kills = vec![false; blocks];
    stores.iter().for_each(|b| kills[b.index()] = true);
    let mut live = vec![false; blocks];
    let mut work = exposed.to_vec();
    while let Some(b) = work.pop() {
        if !std::mem::replace(&mut live[b.index()], true) {
            work.extend(dom.cfg.preds[b.index()].iter().filter(|p| !kills[p.index()]));
        }
    }
    live
}

struct Renamer<'a> {
    func: &'a mut Func,
    vars: &'a Variables,
    phis: &'a [Vec<usize>],
    /// Number of parameters each block had before.
    first_new: Vec<usize>,
    /// Value of each variable at the current point.
    current: Vec<Value>,
    /// (variable, value before), to restore on the way up the tree.
    undo: Vec<(usize, Value)>,
    wrong: bool,
    replace: super::Replace,
}

impl Renamer<'_> {
    fn set(&mut self, var: usize, v: Value) {
        self.undo.push((var, self.current[var]));
        self.current[var] = v;
    }

    fn walk(&mut self, dom: &Dominance) {
        // (block, None) enters it, (_, Some(length of the undo list)) leaves it.
        let mut stack = vec![(self.func.entry(), None)];
        while let Some((b, leave)) = stack.pop() {
            if let Some(length) = leave {
                for (var, v) in self.undo.drain(length..).rev() {
                    self.current[var] = v;
                }
                continue;
            }
            stack.push((b, Some(self.undo.len())));
            self.block(b);
            stack.extend(dom.children[b.index()].iter().rev().map(|&c| (c, None)));
        }
    }

    fn block(&mut self, b: Block) {
        let phis = self.phis;
        let first = self.first_new[b.index()];
        for (i, &var) in phis[b.index()].iter().enumerate() {
            let v = self.func.blocks[b.index()].params[first + i];
            self.set(var, v);
        }
        let at_start = self.wrong.then(|| self.current.clone());
        let mut insts = std::mem::take(&mut self.func.blocks[b.index()].insts);
        insts.retain_mut(|inst| {
            inst.kind.map_uses(&mut |v| self.replace.get(v));
            let (var, value) = match &inst.kind {
                Kind::SlotLoad { slot, word } => (self.vars.number(*slot, *word), None),
                Kind::SlotStore { slot, word, value } => (self.vars.number(*slot, *word), Some(*value)),
                _ => (None, None),
            };
            let Some(var) = var else { return true };
            match value {
                Some(v) => self.set(var, v),
                None => self.replace.add(inst.results[0], self.current[var]),
            }
            false
        });
        if let Some(last) = insts.last_mut() {
            for t in last.kind.targets_mut() {
                let list = &phis[t.block.index()];
                for (i, &var) in list.iter().enumerate() {
                    let stale = at_start.as_ref().filter(|_| i == 0 && list.len() > 1);
                    t.args.push(stale.map_or(self.current[var], |s| s[var]));
                }
            }
        }
        self.func.blocks[b.index()].insts = insts;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::ssa::check;
    use crate::ssa::Target;

    /// s = 1; if c { s = 2 }; s
    #[test]
    fn a_merge_gets_one_parameter() {
        let loc = Loc::default();
        let mut f = Func { name: "f".into(), results: 1, ..Default::default() };
        let s = f.new_slot(2, "s");
        let b: Vec<Block> = (0..3).map(|_| f.new_block()).collect();
        let one = f.push(b[0], Kind::Const(1), 1, loc)[0];
        for word in 0..2 {
            f.push(b[0], Kind::SlotStore { slot: s, word, value: one }, 0, loc);
        }
        let t = |b| Target { block: b, args: vec![] };
        f.push(b[0], Kind::Branch { cond: one, then: t(b[1]), other: t(b[2]) }, 0, loc);
        let two = f.push(b[1], Kind::Const(2), 1, loc)[0];
        for word in 0..2 {
            f.push(b[1], Kind::SlotStore { slot: s, word, value: two }, 0, loc);
        }
        f.push(b[1], Kind::Jump(t(b[2])), 0, loc);
        let x = f.push(b[2], Kind::SlotLoad { slot: s, word: 0 }, 1, loc)[0];
        f.push(b[2], Kind::Return(vec![x]), 0, loc);
        assert!(run(&mut f, &Options::default()));
        crate::ssa::verify::verify(&f).unwrap();
        assert_eq!(f.blocks[2].params.len(), 1, "the second word is dead: no parameter\n{f}");
        assert_eq!(f.blocks[1].insts[1].kind.uses(), [two]);
        assert_eq!(f.blocks[2].insts[0].kind.uses(), f.blocks[2].params);
        assert!(!run(&mut f, &Options::default()));
    }

    #[test]
    fn random_programs_do_the_same() {
        check::same_behaviour(&[], run, 0..300);
    }

    #[test]
    fn the_planted_fault_is_found() {
        let options = Options { fault: Some(CompilerFault::Mem2RegWrongPhi), ..Default::default() };
        assert!(check::run(&[], run, 0..300, &options).1.is_some());
    }
}
