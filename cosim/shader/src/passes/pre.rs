//! Partial redundancy: what is computed behind a join, and already on some ways to it, becomes a
//! parameter of the join.
//!
//! By value numbers ("GVN-PRE", VanDrunen and Hosking, 2004), one join at a time. An operation of
//! the join's block is translated to each way in: parameters become the way's arguments, memory at
//! the join what it is at the way's end. If a value with that number dominates the way's end, it is
//! passed; if not, the operation is done at the end of that way. So no path executes more than
//! before, and nothing is done that was not going to be done: a way gets an operation only if it
//! leads nowhere else, and the join's block runs to its end. That makes it legal for loads too. A
//! load behind a join gets what was stored or loaded on each way.
//!
//! Ways that lack the value get the operation only if it is dear (a load, the function unit) and
//! only one lacks it: a cheap one is not worth a register and its moves. All lanes at the join have
//! come by a way in, so operations across lanes read what they read before. Memory of the wrong
//! time makes a stale load: `PreStaleWay` plants it.

use super::numbers::{Key, Numbers, Versions};
use super::{dce, keep_exact, Options};
use crate::fault::CompilerFault;
use crate::ops::predicate::cross_lane;
use crate::ssa::{Block, Func, Inst, Kind, Value};
use quadlock_isa::Class;
use std::collections::HashMap;

/// Does it to a function; whether anything changed.
pub fn run(func: &mut Func, options: &Options) -> bool {
    // A block that nothing leads to is no way, and its jump would keep the arguments of before.
    let mut changed = dce::remove_unreachable(func);
    let Some(numbers) = Numbers::new(func, false) else { return changed };
    let mut pre = Pre {
        members: numbers.members(func),
        at_loads: numbers.at_loads(func),
        numbers: &numbers,
        exact: vec![],
        stale: options.fault == Some(CompilerFault::PreStaleWay),
    };
    for &b in &numbers.dom.cfg.order {
        let ways = &numbers.dom.cfg.preds[b.index()];
        let twice = ways.iter().enumerate().any(|(i, w)| ways[..i].contains(w));
        if b != func.entry() && ways.len() > 1 && !twice {
            changed |= pre.join(func, b, ways);
        }
    }
    keep_exact(func, &pre.exact);
    changed
}

struct Pre<'a> {
    numbers: &'a Numbers,
    /// By number: values and the blocks of their definitions.
    members: Vec<Vec<(Value, Block)>>,
    at_loads: HashMap<(Block, usize), Versions>,
    /// Values that now stand for an exact operation.
    exact: Vec<Value>,
    stale: bool,
}

impl Pre<'_> {
    fn join(&mut self, func: &mut Func, b: Block, ways: &[Block]) -> bool {
        // Constants of the block, which may be made anew on a way.
        let mut made: HashMap<Value, Kind> = HashMap::new();
        // The block stays whole meanwhile: it may be a way to itself.
        let (mut i, mut gone) = (0, 0);
        while i < func.blocks[b.index()].insts.len() {
            let inst = func.blocks[b.index()].insts[i].clone();
            if matches!(inst.kind, Kind::Const(_) | Kind::ConstWord(_)) {
                made.insert(inst.results[0], inst.kind.clone());
            }
            let found = match eligible(&inst.kind) {
                true => self.find(func, (b, i + gone), &inst, ways, &made),
                false => None,
            };
            let Some(found) = found else {
                i += 1;
                continue;
            };
            func.blocks[b.index()].insts.remove(i);
            gone += 1;
            for (&way, values) in ways.iter().zip(found) {
                let args = match values {
                    Some(values) => {
                        self.exact.extend(values.iter().filter(|_| inst.exact && matches!(inst.kind, Kind::Alu(..))));
                        values
                    }
                    None => insert(func, way, b, &inst, &made),
                };
                if let Some(last) = func.blocks[way.index()].insts.last_mut() {
                    last.kind.targets_mut().into_iter().filter(|t| t.block == b).for_each(|t| t.args.extend(&args));
                }
            }
            func.blocks[b.index()].params.extend(inst.results);
        }
        gone > 0
    }

    /// For each way the values that it has already, if it pays to take them.
    fn find(
        &self,
        func: &Func,
        at: (Block, usize),
        inst: &Inst,
        ways: &[Block],
        made: &HashMap<Value, Kind>,
    ) -> Option<Vec<Option<Vec<Value>>>> {
        let b = at.0;
        // What is defined in the block itself is known on no way.
        let here = |v: &Value| self.members_of(*v).any(|m| m == (*v, b));
        let params = &func.blocks[b.index()].params;
        if inst.kind.uses().iter().any(|v| !params.contains(v) && !made.contains_key(v) && here(v)) {
            return None;
        }
        if let Kind::Load { space, width, addr, offset } = &inst.kind {
            let s = space.written_as();
            let seen = |v| self.numbers.seen_by(*space, *width, self.numbers.of(*addr), *offset, v);
            let (now, start) = (self.at_loads.get(&at)?[s], self.numbers.start[b.index()][s]);
            if seen(now) != seen(start) {
                return None;
            }
        }
        let found: Vec<Option<Vec<Value>>> =
            ways.iter().map(|&way| self.on_way(func, b, way, &inst.kind).filter(|v| *v != inst.results)).collect();
        let lacking: Vec<Block> = ways.iter().zip(&found).filter(|f| f.1.is_none()).map(|f| *f.0).collect();
        let pays = match lacking.as_slice() {
            [] => true,
            [one] => dear(&inst.kind) && ends_in_jump(func, *one),
            _ => false,
        };
        (pays && lacking.len() < ways.len()).then_some(found)
    }

    fn members_of(&self, v: Value) -> impl Iterator<Item = (Value, Block)> + '_ {
        self.numbers.get(v).into_iter().flat_map(|n| self.members[n as usize].iter().copied())
    }

    /// The values that an operation of `b` gives at the end of a way to it, if they are there.
    fn on_way(&self, func: &Func, b: Block, way: Block, kind: &Kind) -> Option<Vec<Value>> {
        let versions = if self.stale { &self.numbers.start } else { &self.numbers.end };
        let number = |v: Value| self.numbers.get(translate(func, b, way, v));
        let key: Key = self.numbers.key_with(kind, &versions[way.index()], &number)?;
        let there = |&(_, at): &&(Value, Block)| self.numbers.dom.dominates(*at, way);
        let numbers = self.numbers.known(&key)?.iter();
        numbers.map(|&n| self.members[n as usize].iter().find(there).map(|m| m.0)).collect()
    }
}

/// What a value of block `b` is on a way to it.
fn translate(func: &Func, b: Block, way: Block, v: Value) -> Value {
    let Some(i) = func.blocks[b.index()].params.iter().position(|p| *p == v) else { return v };
    let targets = func.blocks[way.index()].insts.last().map(|l| l.kind.targets()).unwrap_or_default();
    targets.iter().find(|t| t.block == b).and_then(|t| t.args.get(i)).copied().unwrap_or(v)
}

/// Does an operation of `b` at the end of a way to it.
fn insert(func: &mut Func, way: Block, b: Block, inst: &Inst, made: &HashMap<Value, Kind>) -> Vec<Value> {
    let Some(last) = func.blocks[way.index()].insts.pop() else { return vec![] };
    func.blocks[way.index()].insts.push(last.clone());
    let mut kind = inst.kind.clone();
    let mut new: Vec<(Value, Kind)> = vec![];
    let uses = kind.uses();
    for v in uses.into_iter().filter(|v| made.contains_key(v)) {
        if let Some(k) = made.get(&v).filter(|_| new.iter().all(|n| n.0 != v)) {
            new.push((v, k.clone()));
        }
    }
    let old: Vec<Value> = new.iter().map(|n| n.0).collect();
    kind.map_uses(&mut |v| if old.contains(&v) { v } else { translate(func, b, way, v) });
    func.blocks[way.index()].insts.pop();
    let fresh: Vec<Value> = new.into_iter().map(|(_, k)| func.push(way, k, 1, inst.loc)[0]).collect();
    kind.map_uses(&mut |v| old.iter().position(|o| *o == v).map_or(v, |i| fresh[i]));
    let results = func.push(way, kind, inst.results.len(), inst.loc);
    if let Some(done) = func.blocks[way.index()].insts.last_mut() {
        done.exact = inst.exact;
    }
    func.blocks[way.index()].insts.push(last);
    results
}

/// What may become a parameter: not what costs nothing.
fn eligible(kind: &Kind) -> bool {
    match kind {
        Kind::Alu(op, _) => !cross_lane(*op),
        Kind::Load { .. } => true,
        _ => false,
    }
}

/// Worth a register through the ways that have it.
fn dear(kind: &Kind) -> bool {
    match kind {
        Kind::Alu(op, _) => op.class() == Class::Function,
        Kind::Load { .. } => true,
        _ => false,
    }
}

fn ends_in_jump(func: &Func, b: Block) -> bool {
    matches!(func.blocks[b.index()].insts.last().map(|i| &i.kind), Some(Kind::Jump(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::{gvn, mem2reg};
    use crate::random::ssa::check;
    use crate::ssa::{Loc, Space, Target, Width};
    use quadlock_isa::Op;

    const LOC: Loc = Loc::at(0, 0, 0);

    fn to(block: Block) -> Target {
        Target { block, args: vec![] }
    }

    fn load(f: &mut Func, b: Block, addr: Value, offset: i32) -> Value {
        f.push(b, Kind::Load { space: Space::Global, width: Width::W32, addr, offset }, 1, LOC)[0]
    }

    /// Two ways to a join, which computes what `build` makes there; each way may make it too.
    fn diamond(build: &dyn Fn(&mut Func, Block, Value) -> Value, first: bool, second: bool) -> Func {
        let mut f = Func { name: "f".into(), results: 1, ..Default::default() };
        let b: Vec<Block> = (0..4).map(|_| f.new_block()).collect();
        let a = f.push(b[0], Kind::ConstWord(8), 1, LOC)[0];
        f.push(b[0], Kind::Branch { cond: a, then: to(b[1]), other: to(b[2]) }, 0, LOC);
        for (way, has) in [(b[1], first), (b[2], second)] {
            if has {
                let value = build(&mut f, way, a);
                let store =
                    Kind::Store { space: Space::Shared, width: Width::W32, addr: a, offset: 0, values: vec![value] };
                f.push(way, store, 0, LOC);
            }
            f.push(way, Kind::Jump(to(b[3])), 0, LOC);
        }
        let x = build(&mut f, b[3], a);
        f.push(b[3], Kind::Return(vec![x]), 0, LOC);
        f
    }

    /// Instructions of the two ways and the join afterwards, without terminators.
    fn sizes(mut f: Func) -> [usize; 3] {
        crate::ssa::verify::verify(&f).unwrap();
        run(&mut f, &Options::default());
        crate::ssa::verify::verify(&f).unwrap();
        [1, 2, 3].map(|b| f.blocks[b].insts.len() - 1)
    }

    #[test]
    fn what_is_dear_moves_to_the_one_way_that_lacks_it() {
        let root = |f: &mut Func, b: Block, a: Value| f.push(b, Kind::Alu(Op::FSqrt, vec![a]), 1, LOC)[0];
        let sum = |f: &mut Func, b: Block, a: Value| f.push(b, Kind::Alu(Op::FAdd, vec![a, a]), 1, LOC)[0];
        let memory = |f: &mut Func, b: Block, a: Value| load(f, b, a, 4);
        assert_eq!(sizes(diamond(&root, true, false)), [2, 1, 0]);
        assert_eq!(sizes(diamond(&memory, true, false)), [2, 1, 0]);
        assert_eq!(sizes(diamond(&sum, true, false)), [2, 0, 1], "cheap");
        assert_eq!(sizes(diamond(&sum, true, true)), [2, 2, 0]);
        assert_eq!(sizes(diamond(&root, false, false)), [0, 0, 1], "no way has it");
    }

    #[test]
    fn a_load_behind_a_join_gets_what_each_way_stored() {
        let mut f = Func { name: "f".into(), results: 1, ..Default::default() };
        let b: Vec<Block> = (0..4).map(|_| f.new_block()).collect();
        let a = f.push(b[0], Kind::ConstWord(8), 1, LOC)[0];
        let c = f.push(b[0], Kind::ConstWord(9), 1, LOC)[0];
        f.push(b[0], Kind::Branch { cond: a, then: to(b[1]), other: to(b[2]) }, 0, LOC);
        for (way, value) in [(b[1], a), (b[2], c)] {
            let store =
                Kind::Store { space: Space::Global, width: Width::W32, addr: a, offset: 4, values: vec![value] };
            f.push(way, store, 0, LOC);
            f.push(way, Kind::Jump(to(b[3])), 0, LOC);
        }
        let x = load(&mut f, b[3], a, 4);
        f.push(b[3], Kind::Return(vec![x]), 0, LOC);
        run(&mut f, &Options::default());
        crate::ssa::verify::verify(&f).unwrap();
        assert_eq!(f.blocks[3].params, [x], "{f}");
        assert_eq!(f.blocks[2].insts[1].kind.uses(), [c]);
    }

    /// `const-fold` leaves such a block where it made a branch a jump (random program 1328).
    #[test]
    fn a_block_without_a_way_to_it_is_no_way() {
        let mut f = diamond(&|f: &mut Func, b, a| load(f, b, a, 4), true, false);
        let lost = f.new_block();
        f.push(lost, Kind::Jump(to(Block(3))), 0, LOC);
        assert_eq!(sizes(f), [2, 1, 0]);
    }

    #[test]
    fn random_programs_do_the_same() {
        check::same_behaviour(&[mem2reg::run], run, 0..400);
        check::same_behaviour(&[mem2reg::run, gvn::run], run, 400..800);
    }

    #[test]
    fn the_planted_fault_is_found() {
        let options = Options { fault: Some(CompilerFault::PreStaleWay), ..Default::default() };
        assert!(check::run(&[mem2reg::run], run, 0..800, &options).1.is_some());
    }
}
