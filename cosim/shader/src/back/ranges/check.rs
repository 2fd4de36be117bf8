//! Checks a split program: every register that is read, and every stack word that is loaded, holds
//! the value that it is read for.
//!
//! It follows all paths. A value is the register's name of before the split; a stack word holds the
//! values that were stored to it and those that copies made of them, until they are defined anew.
//! It knows nothing of the plan. Wrong if a definition is missed; the planted faults are its test.

use super::super::bits::BitSet;
use super::super::mir::{MBlock, MFunc, MInst, Operand, VReg};
use super::super::spill::Cheap;
use quadlock_isa::Op;
use std::collections::{BTreeMap, BTreeSet};

/// What holds on all paths to a place.
#[derive(Clone, Default)]
struct State {
    /// Registers that hold the value of their name.
    right: BitSet,
    /// The values that each stack word holds.
    words: BTreeMap<u32, BitSet>,
    /// The same of registers that pass a word on.
    passing: BTreeMap<usize, BitSet>,
    /// Constants that registers pass on, or that words hold until the block's copies.
    constants: BTreeMap<usize, Operand>,
    stored: BTreeMap<u32, Operand>,
}

impl State {
    fn join(&mut self, other: &State) -> bool {
        let mut changed = self.right.intersect(&other.right);
        for (word, held) in &mut self.words {
            match other.words.get(word) {
                Some(theirs) => changed |= held.intersect(theirs),
                None => {
                    changed |= held.len() > 0;
                    *held = BitSet::new(held.capacity());
                }
            }
        }
        changed
    }

    fn held(&mut self) -> impl Iterator<Item = &mut BitSet> {
        self.words.values_mut().chain(self.passing.values_mut())
    }

    fn define(&mut self, v: VReg) {
        self.held().for_each(|h| h.remove(v.index()));
        self.right.insert(v.index());
    }

    fn read(&self, v: VReg, what: &str) -> Result<(), String> {
        match self.right.contains(v.index()) || self.passing.contains_key(&v.index()) {
            true => Ok(()),
            false => Err(format!("{what} reads v{}, whose value is not in its register", v.0)),
        }
    }

    fn inst(&mut self, m: &MInst, n: usize) -> Result<(), String> {
        m.uses().try_for_each(|u| self.read(u, m.op.name()))?;
        if m.spill && m.op.is_store() {
            let v = m.data[0];
            let mut holds = self.passing.get(&v.index()).cloned().unwrap_or_else(|| BitSet::new(n));
            holds.insert(v.index());
            self.stored.remove(&m.imm);
            self.stored.extend(self.constants.get(&v.index()).map(|c| (m.imm, *c)));
            self.words.insert(m.imm, holds);
        } else if m.spill && m.op.is_load() {
            let (d, word) = (m.defs[0], self.words.get(&m.imm).cloned().unwrap_or_else(|| BitSet::new(n)));
            if !word.contains(d.index()) {
                return Err(format!("a reload of v{} reads word {}, which does not hold it", d.0, m.imm));
            }
            self.right.insert(d.index());
        } else if m.spill {
            // Made again: the value is the same as before.
            self.right.insert(m.defs[0].index());
        } else {
            m.defs.iter().for_each(|&d| self.define(d));
            if let (Op::Mov, Operand::Reg(s)) = (m.op, m.b) {
                let d = m.defs[0].index();
                self.held().filter(|h| h.contains(s.index())).for_each(|h| h.insert(d));
            }
        }
        Ok(())
    }

    /// The copies of the program of before happen to the values, those that are left to registers.
    fn copies(&mut self, before: &[(VReg, Operand)], left: &[(VReg, Operand)]) -> Result<(), String> {
        left.iter().filter_map(|c| c.1.reg()).try_for_each(|s| self.read(s, "a copy"))?;
        let constants = std::mem::take(&mut self.stored);
        self.constants.clear();
        self.passing.clear();
        for held in self.words.values_mut() {
            let old = held.clone();
            before.iter().for_each(|(d, _)| held.remove(d.index()));
            let gets = before.iter().filter(|(_, s)| s.reg().is_some_and(|s| old.contains(s.index())));
            gets.for_each(|(d, _)| held.insert(d.index()));
        }
        for (word, constant) in constants {
            let held = self.words.get_mut(&word).into_iter();
            held.for_each(|h| before.iter().filter(|c| c.1 == constant).for_each(|c| h.insert(c.0.index())));
        }
        before.iter().for_each(|(d, _)| self.right.remove(d.index()));
        left.iter().for_each(|(d, _)| self.right.insert(d.index()));
        Ok(())
    }
}

/// What is wrong with `f`. `copies` are those of before the split, by block of `f`; `vregs` are the
/// names of before, and `cheap` those that one instruction makes.
pub fn check(f: &MFunc, copies: &[Vec<(VReg, Operand)>], vregs: usize, cheap: &Cheap) -> Result<(), String> {
    let n = f.vregs as usize;
    let empty = State { right: BitSet::new(n), ..State::default() };
    let mut starts: Vec<Option<State>> = vec![None; f.blocks.len()];
    starts[0] = Some(empty);
    let step = |b: usize, block: &MBlock, mut state: State| -> Result<State, String> {
        for m in &block.insts {
            // A register of the splitter's own takes over what a word holds.
            let own = m.spill && !m.op.is_store() && m.defs[0].index() >= vregs;
            if own {
                let mut held = BitSet::new(n);
                if m.op.is_load() {
                    state.words.get(&m.imm).into_iter().for_each(|word| _ = held.union(word));
                } else {
                    let same = cheap.iter().filter(|(_, c)| (c.op, c.b, c.imm) == (m.op, m.b, m.imm));
                    same.for_each(|(v, _)| held.insert(v.index()));
                    state.constants.insert(m.defs[0].index(), m.b);
                }
                state.passing.insert(m.defs[0].index(), held);
                continue;
            }
            state.inst(m, n).map_err(|e| format!("block {b}: {e}"))?;
        }
        block.term.cond().into_iter().try_for_each(|c| state.read(c, "a branch"))?;
        state.copies(&copies[b], &block.copies).map_err(|e| format!("block {b}: {e}"))?;
        Ok(state)
    };
    // To the least that holds everywhere; what is wrong on the way is wrong in the end as well.
    // The earliest block first, so that ways meet before what is behind them is looked at.
    let mut work = BTreeSet::from([0]);
    while let Some(b) = work.pop_first() {
        let Some(state) = starts[b].clone() else { continue };
        let end = step(b, &f.blocks[b], state)?;
        for t in f.blocks[b].term.targets() {
            match &mut starts[t] {
                Some(old) => {
                    if old.join(&end) {
                        work.insert(t);
                    }
                }
                none => {
                    *none = Some(end.clone());
                    work.insert(t);
                }
            }
        }
    }
    Ok(())
}
