//! Calls are replaced by the body of the called function: the machine has no call instruction.
//!
//! Bottom-up, so what is copied contains no calls any more. The calling block is split at the call;
//! the copy of the callee stands between the halves in the layout, which is source order; each
//! `Return` becomes a jump to the second half, whose parameters are the results. Slots are copied
//! with the body; a slot that the callee reads before writing is undefined in the source, so it
//! need not be cleared on each call. Recursion is refused by name. Code grows with the number of
//! calls; the limit of a program is checked by the back end.

use crate::ssa::{Block, Func, FuncId, Inst, Kind, Module, Slot, Target, Value};

/// Functions reachable from `entry` by calls, callees before callers.
pub fn call_order(module: &Module, entry: FuncId) -> Result<Vec<FuncId>, String> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    fn visit(module: &Module, f: FuncId, marks: &mut [Mark], out: &mut Vec<FuncId>) -> Result<(), String> {
        let Some(func) = module.funcs.get(f.index()) else { return Err(format!("call of f{}: no such function", f.0)) };
        match marks[f.index()] {
            Mark::Done => return Ok(()),
            Mark::Open => {
                return Err(format!("function `{}` calls itself: recursion is not supported, use a loop", func.name))
            }
            Mark::New => marks[f.index()] = Mark::Open,
        }
        for inst in func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts) {
            if let Kind::Call { func, .. } = inst.kind {
                visit(module, func, marks, out)?;
            }
        }
        marks[f.index()] = Mark::Done;
        out.push(f);
        Ok(())
    }
    let mut out = vec![];
    visit(module, entry, &mut vec![Mark::New; module.funcs.len()], &mut out)?;
    Ok(out)
}

/// Replaces all calls in `caller` by the callees' bodies, which must be free of calls. True if
/// there was one.
pub fn inline_calls(module: &mut Module, caller: FuncId) -> bool {
    let mut func = std::mem::take(&mut module.funcs[caller.index()]);
    let mut changed = false;
    let mut at = 0;
    while at < func.layout.len() {
        let b = func.layout[at];
        let calls = |i: &Inst| matches!(i.kind, Kind::Call { .. });
        if let Some(i) = func.blocks[b.index()].insts.iter().position(calls) {
            if let Kind::Call { func: callee, args } = func.blocks[b.index()].insts[i].kind.clone() {
                splice(&mut func, at, i, &module.funcs[callee.index()], args);
                changed = true;
            }
        }
        at += 1;
    }
    module.funcs[caller.index()] = func;
    changed
}

/// Splits the block at layout position `at` around its instruction `i`, a call, and puts the callee
/// between.
fn splice(func: &mut Func, at: usize, i: usize, callee: &Func, args: Vec<Value>) {
    let b = func.layout[at];
    let rest = func.new_detached_block();
    let mut tail = func.blocks[b.index()].insts.split_off(i);
    let call = tail.remove(0);
    func.blocks[rest.index()].insts = tail;
    func.blocks[rest.index()].params.clone_from(&call.results);
    let (first_value, first_block, first_slot) = (func.values, func.blocks.len() as u32, func.slots.len() as u32);
    func.values += callee.values;
    let mut copies = Copies { first_value, first_block, first_slot, rest };
    for data in &callee.blocks {
        let params = data.params.iter().map(|v| copies.value(*v)).collect();
        let insts = data.insts.iter().map(|i| copies.inst(i)).collect();
        func.blocks.push(crate::ssa::BlockData { params, insts });
    }
    func.slots.extend(callee.slots.iter().cloned());
    let entry = copies.block(callee.entry());
    let jump = Kind::Jump(Target { block: entry, args });
    func.blocks[b.index()].insts.push(Inst { exact: true, kind: jump, results: vec![], loc: call.loc });
    let body = callee.layout.iter().map(|b| copies.block(*b)).chain([rest]);
    func.layout.splice(at + 1..at + 1, body);
}

/// Renumbering of a callee's body.
struct Copies {
    first_value: u32,
    first_block: u32,
    first_slot: u32,
    rest: Block,
}

impl Copies {
    fn value(&self, v: Value) -> Value {
        Value(v.0 + self.first_value)
    }
    fn block(&self, b: Block) -> Block {
        Block(b.0 + self.first_block)
    }
    fn inst(&mut self, inst: &Inst) -> Inst {
        let mut new = inst.clone();
        new.results.iter_mut().for_each(|r| *r = self.value(*r));
        new.kind.map_uses(&mut |v| self.value(v));
        for t in new.kind.targets_mut() {
            t.block = self.block(t.block);
        }
        match &mut new.kind {
            Kind::SlotLoad { slot, .. } | Kind::SlotStore { slot, .. } | Kind::SlotAddr(slot) => {
                *slot = Slot(slot.0 + self.first_slot);
            }
            Kind::Return(values) => {
                let args = std::mem::take(values);
                new.kind = Kind::Jump(Target { block: self.rest, args });
            }
            _ => {}
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::ssa::generate;
    use crate::ssa::verify::verify_module;
    use crate::ssa::Loc;

    #[test]
    fn random_programs_do_the_same() {
        let mut inlined = 0;
        for seed in 0..300 {
            let program = generate(seed);
            let mut module = program.module.clone();
            for f in call_order(&module, program.entry).unwrap() {
                inlined += usize::from(inline_calls(&mut module, f));
            }
            verify_module(&module).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{module}"));
            let main = &module.funcs[program.entry.index()];
            let mut insts = main.layout.iter().flat_map(|b| &main.blocks[b.index()].insts);
            assert!(!insts.any(|i| matches!(i.kind, Kind::Call { .. })));
            assert_eq!(program.run(&module).unwrap().0, program.run(&program.module).unwrap().0, "seed {seed}");
        }
        assert!(inlined > 50);
    }

    #[test]
    fn recursion_is_refused_by_name() {
        let mut f = Func { name: "again".into(), ..Default::default() };
        let b = f.new_block();
        f.push(b, Kind::Call { func: FuncId(0), args: vec![] }, 0, Loc::default());
        f.push(b, Kind::Return(vec![]), 0, Loc::default());
        let m = Module { funcs: vec![f], files: vec![] };
        assert!(call_order(&m, FuncId(0)).unwrap_err().contains("`again` calls itself"));
    }
}
