//! The rules of the SSA form, checked. Run after every pass in debug builds and on everything the
//! front end hands over.
//!
//! Checked: layout without doubles, terminator last and only last, targets in the layout with the
//! right number of arguments, no jump to the entry, every value defined once and before
//! (dominating) each use, operand and result counts of each operation, slots and words that exist,
//! call arguments. Not checked: that the program computes the right thing (the property tests of
//! the passes do that) and that the layout order reconverges lanes well. Code that cannot be
//! reached has to be well formed but may use values freely.

use super::dominance::Dominance;
use super::{AtomicOp, Block, Func, Inst, Kind, MessageOp, Module, Space, Target, Value};
use crate::ops::predicate::{arity, is_cross_lane};
use quadlock_isa::Shape;

/// Checks every function of the module, and the calls between them.
pub fn verify_module(module: &Module) -> Result<(), String> {
    for f in &module.funcs {
        verify(f)?;
        let calls = f.layout.iter().flat_map(|b| &f.blocks[b.index()].insts);
        for inst in calls {
            let Kind::Call { func, args } = &inst.kind else { continue };
            let at = || format!("{}: {inst}", f.name);
            let callee = module.funcs.get(func.index()).ok_or_else(|| format!("{}: no such function", at()))?;
            let params = callee.layout.first().map_or(0, |b| callee.blocks[b.index()].params.len());
            if args.len() != params || inst.results.len() != callee.results {
                return Err(format!("{}: {} takes {params} and gives {}", at(), callee.name, callee.results));
            }
        }
    }
    Ok(())
}

/// Checks one function. The error names the function, the block and the instruction.
pub fn verify(func: &Func) -> Result<(), String> {
    if func.layout.is_empty() {
        return Err(format!("{}: no blocks", func.name));
    }
    let mut listed = vec![false; func.blocks.len()];
    for &b in &func.layout {
        match listed.get_mut(b.index()) {
            Some(l) if !*l => *l = true,
            _ => return Err(format!("{}: {b} is twice in the layout or does not exist", func.name)),
        }
    }
    let checker = Checker { func, listed };
    let defs = checker.definitions()?;
    for &b in &func.layout {
        checker.block(b).map_err(|e| format!("{}: {b}: {e}", func.name))?;
    }
    checker.uses(&defs)
}

struct Checker<'a> {
    func: &'a Func,
    listed: Vec<bool>,
}

/// Where a value is defined: block, and 0 for a parameter or 1 + index of the instruction.
type Definition = Option<(Block, usize)>;

impl Checker<'_> {
    fn definitions(&self) -> Result<Vec<Definition>, String> {
        let mut defs = vec![None; self.func.values as usize];
        let mut define = |v: Value, b: Block, i: usize| match defs.get_mut(v.index()) {
            None => Err(format!("{}: {b} defines {v}, but only {} values exist", self.func.name, self.func.values)),
            Some(Some(_)) => Err(format!("{}: {v} is defined twice, again in {b}", self.func.name)),
            Some(d) => {
                *d = Some((b, i));
                Ok(())
            }
        };
        for &b in &self.func.layout {
            let data = &self.func.blocks[b.index()];
            for &p in &data.params {
                define(p, b, 0)?;
            }
            for (i, inst) in data.insts.iter().enumerate() {
                for &r in &inst.results {
                    define(r, b, i + 1)?;
                }
            }
        }
        Ok(defs)
    }

    fn block(&self, b: Block) -> Result<(), String> {
        let insts = &self.func.blocks[b.index()].insts;
        let Some((last, body)) = insts.split_last() else { return Err("is empty".into()) };
        if let Some(i) = body.iter().find(|i| i.kind.is_terminator()) {
            return Err(format!("{i}: terminator before the end"));
        }
        if !last.kind.is_terminator() {
            return Err(format!("{last}: no terminator at the end"));
        }
        for t in last.kind.targets() {
            self.target(t).map_err(|e| format!("{last}: {e}"))?;
        }
        if let Kind::Return(v) = &last.kind {
            if v.len() != self.func.results {
                return Err(format!("{last}: the function returns {} values", self.func.results));
            }
        }
        insts.iter().try_for_each(|i| self.shape(i).map_err(|e| format!("{i}: {e}")))
    }

    fn target(&self, t: &Target) -> Result<(), String> {
        if !self.listed.get(t.block.index()).copied().unwrap_or(false) {
            return Err(format!("{} is not in the layout", t.block));
        }
        if t.block == self.func.entry() {
            return Err("jumps to the entry block".into());
        }
        let params = self.func.blocks[t.block.index()].params.len();
        if params != t.args.len() {
            return Err(format!("{} has {params} parameters", t.block));
        }
        Ok(())
    }

    /// Operand and result counts, slots and words.
    fn shape(&self, inst: &Inst) -> Result<(), String> {
        let results = match &inst.kind {
            Kind::Const(_) | Kind::Special(_) | Kind::Helper | Kind::ConstWord(_) | Kind::Input { .. } => 1,
            Kind::Fetch { op, .. } => match op.shape() {
                Shape::Fetch { words } => usize::from(words),
                _ => return Err("not an instruction that fetches".into()),
            },
            Kind::Alu(op, args) => {
                let n = arity(*op).filter(|_| !is_cross_lane(*op)).ok_or("not an operation of SSA")?;
                if args.len() != n {
                    return Err(format!("takes {n} operands"));
                }
                1
            }
            Kind::CrossLane { op, args } => {
                let n = arity(*op).filter(|_| is_cross_lane(*op)).ok_or("not an operation across lanes")?;
                if args.len() != n {
                    return Err(format!("takes {n} operands"));
                }
                1
            }
            Kind::SlotLoad { slot, word } => self.slot(slot.index(), *word).map(|_| 1)?,
            Kind::SlotStore { slot, word, .. } => self.slot(slot.index(), *word).map(|_| 0)?,
            Kind::SlotAddr(slot) => self.slot(slot.index(), 0).map(|_| 1)?,
            Kind::Load { width, .. } => width.words(),
            Kind::Store { space: Space::ReadOnly, .. } | Kind::Atomic { space: Space::ReadOnly, .. } => {
                return Err("writes what is only read".into());
            }
            Kind::Store { width, values, .. } => {
                if values.len() != width.words() {
                    return Err(format!("stores {} words", width.words()));
                }
                0
            }
            Kind::Atomic { space, warp_wide, op, values, expected, .. } => {
                if !matches!(values.len(), 1 | 2) {
                    return Err("an atomic is on one word or two".into());
                }
                if !matches!(space, Space::Global | Space::Shared) {
                    return Err("an atomic is one of global or shared memory".into());
                }
                if values.len() == 2 && *op == AtomicOp::Lock {
                    return Err("a lock is one word".into());
                }
                if *op == AtomicOp::Lock && !warp_wide {
                    return Err("a lock is warp-wide".into());
                }
                if expected.len() != if *op == AtomicOp::Cas { values.len() } else { 0 } {
                    return Err("an expected value goes with cas, and only with it".into());
                }
                values.len()
            }
            Kind::Message { op, id } => {
                if (*op == MessageOp::Wait) == id.is_some() {
                    return Err("a semaphore goes with all but wait".into());
                }
                0
            }
            Kind::Call { .. } => inst.results.len(),
            _ => 0,
        };
        if inst.results.len() != results {
            return Err(format!("has {results} results"));
        }
        Ok(())
    }

    fn slot(&self, slot: usize, word: u32) -> Result<(), String> {
        match self.func.slots.get(slot) {
            Some(s) if word < s.words => Ok(()),
            Some(s) => Err(format!("the slot has {} words", s.words)),
            None => Err("no such slot".into()),
        }
    }

    fn uses(&self, defs: &[Definition]) -> Result<(), String> {
        let dom = Dominance::new(self.func);
        for &b in &self.func.layout {
            for (i, inst) in self.func.blocks[b.index()].insts.iter().enumerate() {
                for v in inst.kind.uses() {
                    let ok = match defs.get(v.index()).copied().flatten() {
                        None => return Err(format!("{}: {b}: {inst}: {v} is not defined", self.func.name)),
                        Some((d, at)) if d == b => at <= i,
                        Some((d, _)) => dom.dominates(d, b),
                    };
                    if !ok && dom.cfg.reachable(b) {
                        let name = &self.func.name;
                        return Err(format!("{name}: {b}: {inst}: the definition of {v} does not dominate this use"));
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ssa::{FuncId, Loc, Slot, Space, Width};
    use quadlock_isa::Op;

    const LOC: Loc = Loc::at(0, 0, 0);

    fn jump(f: &mut Func, from: Block, to: Block, args: Vec<Value>) {
        f.push(from, Kind::Jump(Target { block: to, args }), 0, LOC);
    }

    /// b0: branch b1, b2; b1: x; b2: y; b3(merge of one parameter): return.
    fn diamond() -> Func {
        let mut f = Func { name: "f".into(), ..Default::default() };
        let b: Vec<Block> = (0..4).map(|_| f.new_block()).collect();
        let cond = f.push(b[0], Kind::Const(1), 1, LOC)[0];
        let t = |block| Target { block, args: vec![] };
        f.push(b[0], Kind::Branch { cond, then: t(b[1]), other: t(b[2]) }, 0, LOC);
        let x = f.push(b[1], Kind::Const(2), 1, LOC)[0];
        jump(&mut f, b[1], b[3], vec![x]);
        let y = f.push(b[2], Kind::Alu(Op::IAdd, vec![cond, cond]), 1, LOC)[0];
        jump(&mut f, b[2], b[3], vec![y]);
        let p = f.new_value();
        f.blocks[3].params.push(p);
        f.push(b[3], Kind::Return(vec![]), 0, LOC);
        f
    }

    fn fails(f: &Func, part: &str) {
        let e = verify(f).expect_err(part);
        assert!(e.contains(part), "{e}");
    }

    #[test]
    fn good_code_passes() {
        verify(&diamond()).unwrap();
    }

    #[test]
    fn each_rule_is_enforced() {
        let mut f = diamond();
        f.blocks[3].params.clear();
        fails(&f, "has 0 parameters");
        let mut f = diamond();
        f.layout.push(Block(3));
        fails(&f, "twice in the layout");
        let mut f = diamond();
        f.layout.pop();
        fails(&f, "not in the layout");
        let mut f = diamond();
        f.blocks[2].insts.pop();
        fails(&f, "no terminator");
        let mut f = diamond();
        f.blocks[1].insts.swap(0, 1);
        fails(&f, "terminator before the end");
        let mut f = diamond();
        f.blocks[3].insts[0].kind = Kind::Return(vec![Value(0)]);
        fails(&f, "returns 0 values");
        let mut f = diamond();
        let x = f.blocks[1].insts[0].results[0];
        f.blocks[2].insts[1].kind = Kind::Jump(Target { block: Block(3), args: vec![x] });
        fails(&f, "does not dominate");
        let mut f = diamond();
        f.blocks[2].insts[0].results[0] = Value(0);
        fails(&f, "defined twice");
        let mut f = diamond();
        f.blocks[2].insts[0].kind = Kind::Alu(Op::IAdd, vec![Value(0)]);
        fails(&f, "takes 2 operands");
        let mut f = diamond();
        f.blocks[2].insts[0].kind = Kind::Alu(Op::Mov, vec![Value(0)]);
        fails(&f, "not an operation of SSA");
        let mut f = diamond();
        f.blocks[2].insts[0].kind = Kind::SlotLoad { slot: Slot(0), word: 0 };
        fails(&f, "no such slot");
        let mut f = diamond();
        f.blocks[2].insts[0].kind = Kind::Load { space: Space::Global, width: Width::W64, addr: Value(0), offset: 0 };
        fails(&f, "has 2 results");
        let mut f = diamond();
        f.blocks[3].insts[0].kind = Kind::Jump(Target { block: Block(0), args: vec![] });
        fails(&f, "jumps to the entry");
    }

    #[test]
    fn calls_match_their_callee() {
        let mut f = diamond();
        f.blocks[2].insts[0].kind = Kind::Call { func: FuncId(1), args: vec![Value(0)] };
        let mut g = Func { name: "g".into(), results: 1, ..Default::default() };
        let b = g.new_block();
        let p = g.new_value();
        g.blocks[0].params.push(p);
        g.push(b, Kind::Return(vec![p]), 0, LOC);
        let mut m = Module { funcs: vec![f, g], files: vec![] };
        verify_module(&m).unwrap();
        m.funcs[0].blocks[2].insts[0].kind = Kind::Call { func: FuncId(1), args: vec![] };
        assert!(verify_module(&m).unwrap_err().contains("takes 1"));
    }
}
