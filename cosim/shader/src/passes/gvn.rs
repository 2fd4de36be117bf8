//! Global value numbering: a computation whose value a dominating one has is replaced by that one.
//!
//! [`Numbers`] says which values are equal, over block parameters, loops and memory; a walk over
//! the dominator tree replaces every value by the first one with its number that dominates it.
//! Parameters that are equal to a dominating value, or to another parameter of their block, go.
//! It finds what `cse` finds and more; `cse` stays in front of it because it is cheap. Nothing
//! moves, so each lane that reads the new value has computed it: what operations across lanes read
//! is computed with the same lanes or more. If either of two operations is exact the one that stays
//! is (LP-18). A wrong number makes a wrong value: the property test, and `GvnStaleJoin`, by which
//! a load behind a join sees the memory of the first way in only.

use super::copy_prop::remove_columns;
use super::numbers::{Number, Numbers};
use super::{keep_exact, Options, Replace};
use crate::fault::CompilerFault;
use crate::ssa::{Block, Func, Kind, Value};

/// Does it to a function; whether anything changed.
pub fn run(func: &mut Func, options: &Options) -> bool {
    let stale = options.fault == Some(CompilerFault::GvnStaleJoin);
    let Some(numbers) = Numbers::new(func, stale) else { return false };
    let mut walk = Walk {
        leader: vec![None; func.values as usize + 1],
        undo: vec![],
        replace: Replace::default(),
        columns: vec![],
        exact: vec![],
        numbers: &numbers,
    };
    let mut removed = false;
    let mut stack = vec![(func.entry(), None)];
    while let Some((b, leave)) = stack.pop() {
        if let Some(length) = leave {
            walk.leave(length);
            continue;
        }
        stack.push((b, Some(walk.undo.len())));
        if b != func.entry() {
            walk.params(func, b);
        }
        let before = func.blocks[b.index()].insts.len();
        let mut insts = std::mem::take(&mut func.blocks[b.index()].insts);
        insts.retain(|i| walk.inst(&i.kind, &i.results, i.exact));
        removed |= insts.len() != before;
        func.blocks[b.index()].insts = insts;
        stack.extend(numbers.dom.children[b.index()].iter().rev().map(|&c| (c, None)));
    }
    let Walk { replace, mut columns, exact, .. } = walk;
    columns.sort_unstable();
    removed |= !columns.is_empty();
    remove_columns(func, &columns);
    keep_exact(func, &exact);
    replace.apply(func);
    removed
}

struct Walk<'a> {
    /// By number: the value that has it and dominates the current point.
    leader: Vec<Option<Value>>,
    /// Numbers whose leader goes when a subtree is left.
    undo: Vec<Number>,
    replace: Replace,
    /// Parameters that go.
    columns: Vec<(Block, usize)>,
    /// Values that now stand for an exact one.
    exact: Vec<Value>,
    numbers: &'a Numbers,
}

impl Walk<'_> {
    fn leave(&mut self, length: usize) {
        for n in self.undo.drain(length..) {
            self.leader[n as usize] = None;
        }
    }

    fn lead(&mut self, v: Value) {
        let leader = &mut self.leader[self.numbers.of(v) as usize];
        if leader.is_none() {
            *leader = Some(v);
            self.undo.push(self.numbers.of(v));
        }
    }

    fn params(&mut self, func: &Func, b: Block) {
        for (i, &p) in func.blocks[b.index()].params.iter().enumerate() {
            match self.leader[self.numbers.of(p) as usize] {
                Some(v) => {
                    self.replace.add(p, v);
                    self.columns.push((b, i));
                }
                None => self.lead(p),
            }
        }
    }

    /// False if the instruction is redundant.
    fn inst(&mut self, kind: &Kind, results: &[Value], exact: bool) -> bool {
        let pure = matches!(
            kind,
            Kind::Const(_)
                | Kind::Alu(..)
                | Kind::Special(_)
                | Kind::ConstWord(_)
                | Kind::SlotAddr(_)
                | Kind::Load { .. }
        );
        let leaders: Option<Vec<Value>> = results.iter().map(|r| self.leader[self.numbers.of(*r) as usize]).collect();
        match leaders {
            Some(leaders) if pure && !results.is_empty() => {
                for (r, &l) in results.iter().zip(&leaders) {
                    self.replace.add(*r, l);
                    if exact && matches!(kind, Kind::Alu(..)) {
                        self.exact.push(l);
                    }
                }
                false
            }
            _ => {
                results.iter().for_each(|r| self.lead(*r));
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::mem2reg;
    use crate::random::ssa::check;
    use crate::ssa::{Loc, Space, Target, Width};
    use quadlock_isa::Op;

    const LOC: Loc = Loc::at(0, 0, 0);

    fn to(block: Block, args: &[Value]) -> Target {
        Target { block, args: args.to_vec() }
    }

    fn optimised(mut f: Func) -> Func {
        crate::ssa::verify::verify(&f).unwrap();
        assert!(run(&mut f, &Options::default()));
        crate::ssa::verify::verify(&f).unwrap();
        f
    }

    /// Two counters of a loop that always hold the same.
    #[test]
    fn counters_that_step_alike_are_one() {
        let mut f = Func { name: "f".into(), results: 1, ..Default::default() };
        let b: Vec<Block> = (0..3).map(|_| f.new_block()).collect();
        let zero = f.push(b[0], Kind::Const(0), 1, LOC)[0];
        let one = f.push(b[0], Kind::Const(1), 1, LOC)[0];
        f.push(b[0], Kind::Jump(to(b[1], &[zero, zero])), 0, LOC);
        let (i, j) = (f.new_value(), f.new_value());
        f.blocks[1].params = vec![i, j];
        let next_i = f.push(b[1], Kind::Alu(Op::IAdd, vec![i, one]), 1, LOC)[0];
        let next_j = f.push(b[1], Kind::Alu(Op::IAdd, vec![one, j]), 1, LOC)[0];
        let c = f.push(b[1], Kind::ConstWord(3), 1, LOC)[0];
        let back = to(b[1], &[next_i, next_j]);
        f.push(b[1], Kind::Branch { cond: c, then: back, other: to(b[2], &[]) }, 0, LOC);
        let sum = f.push(b[2], Kind::Alu(Op::IMul, vec![i, j]), 1, LOC)[0];
        f.push(b[2], Kind::Return(vec![sum]), 0, LOC);
        let f = optimised(f);
        assert_eq!(f.blocks[1].params, [i], "{f}");
        assert_eq!(f.blocks[2].insts[0].kind.uses(), [i, i]);
    }

    /// A load before and behind a branch, of which one arm may store to `place` of `space`.
    fn diamond(space: Space, place: Option<(Space, i32)>) -> Func {
        let mut f = Func { name: "f".into(), results: 2, ..Default::default() };
        let b: Vec<Block> = (0..4).map(|_| f.new_block()).collect();
        let a = f.push(b[0], Kind::ConstWord(8), 1, LOC)[0];
        let load = |f: &mut Func, b| f.push(b, Kind::Load { space, width: Width::W32, addr: a, offset: 4 }, 1, LOC)[0];
        let x = load(&mut f, b[0]);
        f.push(b[0], Kind::Branch { cond: x, then: to(b[1], &[]), other: to(b[2], &[]) }, 0, LOC);
        if let Some((space, offset)) = place {
            f.push(b[1], Kind::Store { space, width: Width::W32, addr: a, offset, values: vec![a] }, 0, LOC);
        }
        f.push(b[1], Kind::Jump(to(b[3], &[])), 0, LOC);
        f.push(b[2], Kind::Jump(to(b[3], &[])), 0, LOC);
        let y = load(&mut f, b[3]);
        f.push(b[3], Kind::Return(vec![x, y]), 0, LOC);
        f
    }

    #[test]
    fn loads_are_the_same_behind_a_join_if_no_way_writes() {
        let loads = |f: &Func| f.blocks[3].insts.len() - 1;
        for (space, place, left) in [
            (Space::Global, None, 0),
            (Space::Global, Some((Space::Shared, 4)), 0),
            (Space::Global, Some((Space::Global, 8)), 1),
            (Space::Global, Some((Space::Global, 4)), 1),
            (Space::ReadOnly, Some((Space::Global, 4)), 0),
        ] {
            let mut f = diamond(space, place);
            assert_eq!(run(&mut f, &Options::default()), left == 0);
            assert_eq!(loads(&f), left, "{space:?} {place:?}\n{f}");
        }
    }

    #[test]
    fn a_store_beside_a_load_does_not_hide_it() {
        let mut f = Func { name: "f".into(), results: 2, ..Default::default() };
        let b = f.new_block();
        let a = f.push(b, Kind::ConstWord(8), 1, LOC)[0];
        let mut values = vec![];
        for offset in [0, 4] {
            values
                .push(f.push(b, Kind::Load { space: Space::Global, width: Width::W32, addr: a, offset: 8 }, 1, LOC)[0]);
            let store = Kind::Store { space: Space::Global, width: Width::W32, addr: a, offset, values: vec![a] };
            f.push(b, store, 0, LOC);
        }
        f.push(b, Kind::Return(values), 0, LOC);
        let f = optimised(f);
        assert_eq!(f.blocks[0].insts.len(), 5, "{f}");
    }

    #[test]
    fn what_stands_for_an_exact_operation_is_exact() {
        let mut f = Func { name: "f".into(), results: 2, ..Default::default() };
        let b = f.new_block();
        let a = f.push(b, Kind::ConstWord(8), 1, LOC)[0];
        let x = f.push(b, Kind::Alu(Op::FAdd, vec![a, a]), 1, LOC)[0];
        let y = f.push(b, Kind::Alu(Op::FAdd, vec![a, a]), 1, LOC)[0];
        f.push(b, Kind::Return(vec![x, y]), 0, LOC);
        f.blocks[0].insts[1].exact = false;
        let f = optimised(f);
        assert!(f.blocks[0].insts[1].exact);
    }

    #[test]
    fn random_programs_do_the_same() {
        check::same_behaviour(&[mem2reg::run], run, 0..400);
    }

    #[test]
    fn the_planted_fault_is_found() {
        let options = Options { fault: Some(CompilerFault::GvnStaleJoin), ..Default::default() };
        assert!(check::run(&[mem2reg::run], run, 0..400, &options).1.is_some());
    }
}
