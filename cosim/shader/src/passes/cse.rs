//! Common subexpressions: a pure operation that a dominating one has already computed is replaced
//! by its result.
//!
//! Value numbering in scopes of the dominator tree. Loads take part with a *version* of their
//! memory space: it changes at every store, atomic or barrier, and at the start of every block that
//! is not entered from one place only, so that two loads are equal only when no write can lie
//! between them on any path; what a store has written is known to a following load of the same
//! width and place. Another invocation may write in between, but then the program has a race, and
//! atomic accesses are never merged. Operations across lanes are left alone: what they read depends
//! on which lanes are there. What stays in the place of an exact operation is exact. A version that
//! is not changed makes a stale load, which `CseLoadAcrossStore` plants.

use super::{keep_exact, Options, Replace};
use crate::fault::CompilerFault;
use crate::ops::predicate::cross_lane;
use crate::ssa::dominance::Dominance;
use crate::ssa::{Block, Func, How, Inst, Kind, Slot, Space, Value, Width};
use quadlock_isa::{Op, Special};
use std::collections::HashMap;

/// Does it to a function; whether anything changed.
pub fn run(func: &mut Func, options: &Options) -> bool {
    let dom = Dominance::new(func);
    let mut n = Numbering {
        known: HashMap::new(),
        undo: vec![],
        replace: Replace::default(),
        version: [0; 3],
        next: 1,
        at_end: vec![[0; 3]; func.blocks.len()],
        changed: false,
        stale: options.fault == Some(CompilerFault::CseLoadAcrossStore),
        exact: vec![],
    };
    let mut stack = vec![(func.entry(), None)];
    while let Some((b, leave)) = stack.pop() {
        if let Some(length) = leave {
            n.leave(length);
            continue;
        }
        stack.push((b, Some(n.undo.len())));
        n.enter(b, &dom);
        let mut insts = std::mem::take(&mut func.blocks[b.index()].insts);
        insts.retain_mut(|i| n.inst(i));
        func.blocks[b.index()].insts = insts;
        n.at_end[b.index()] = n.version;
        stack.extend(dom.children[b.index()].iter().rev().map(|&c| (c, None)));
    }
    n.replace.apply(func);
    keep_exact(func, &n.exact);
    n.changed
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Const(u32),
    Alu(Op, Vec<Value>),
    Special(Special),
    ConstWord(u32),
    Input(u32, How),
    SlotAddr(Slot),
    Load(Space, Width, Value, i32, u32),
}

struct Numbering {
    known: HashMap<Key, Vec<Value>>,
    /// Entries to restore when a subtree is left.
    undo: Vec<(Key, Option<Vec<Value>>)>,
    replace: Replace,
    /// Version of each space, by `Space::written_as`, at the current point and at the end of each
    /// block.
    version: [u32; Space::WRITTEN],
    next: u32,
    at_end: Vec<[u32; Space::WRITTEN]>,
    changed: bool,
    stale: bool,
    /// Results of what stays in the place of an exact operation.
    exact: Vec<Value>,
}

impl Numbering {
    fn enter(&mut self, b: Block, dom: &Dominance) {
        match dom.cfg.preds[b.index()].as_slice() {
            [p] => self.version = self.at_end[p.index()],
            _ => [Space::Global, Space::Shared, Space::Stack].into_iter().for_each(|s| self.write(s)),
        }
    }
    fn leave(&mut self, length: usize) {
        for (key, old) in self.undo.drain(length..).rev() {
            match old {
                Some(v) => self.known.insert(key, v),
                None => self.known.remove(&key),
            };
        }
    }
    fn write(&mut self, space: Space) {
        if !self.stale {
            self.version[space.written_as()] = self.next;
            self.next += 1;
        }
    }
    fn define(&mut self, key: Key, values: Vec<Value>) {
        let old = self.known.insert(key.clone(), values);
        self.undo.push((key, old));
    }

    /// False if the instruction is redundant.
    fn inst(&mut self, inst: &mut Inst) -> bool {
        inst.kind.map_uses(&mut |v| self.replace.get(v));
        match &inst.kind {
            Kind::Store { space, width, addr, offset, values } => {
                self.write(*space);
                if matches!(width, Width::W32 | Width::W64 | Width::W128) {
                    let key = Key::Load(*space, *width, *addr, *offset, self.version[space.written_as()]);
                    self.define(key, values.clone());
                }
            }
            Kind::SlotStore { .. } => self.write(Space::Stack),
            Kind::Atomic { space, .. } => self.write(*space),
            k if k.is_fence() || matches!(k, Kind::Call { .. }) => {
                self.write(Space::Global);
                self.write(Space::Shared);
                self.write(Space::Stack);
            }
            _ => {}
        }
        let Some(key) = self.key(&inst.kind) else { return true };
        if let Some(old) = self.known.get(&key) {
            inst.results.iter().zip(old).for_each(|(r, o)| self.replace.add(*r, *o));
            if inst.exact {
                self.exact.extend(old);
            }
            self.changed = true;
            return false;
        }
        self.define(key, inst.results.clone());
        true
    }

    fn key(&self, kind: &Kind) -> Option<Key> {
        Some(match kind {
            Kind::Const(c) => Key::Const(*c),
            Kind::Alu(op, _) if cross_lane(*op) => return None,
            Kind::Alu(op, args) => {
                let mut args = args.clone();
                if op.row().commutes && args[0] > args[1] {
                    args.swap(0, 1);
                }
                Key::Alu(*op, args)
            }
            Kind::Special(s) => Key::Special(*s),
            Kind::ConstWord(w) => Key::ConstWord(*w),
            Kind::Input { word, how } => Key::Input(*word, *how),
            Kind::SlotAddr(s) => Key::SlotAddr(*s),
            Kind::Load { space, width, addr, offset } => {
                Key::Load(*space, *width, *addr, *offset, self.version[space.written_as()])
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::mem2reg;
    use crate::random::ssa::check;
    use crate::ssa::Loc;

    fn block(build: &dyn Fn(&mut Func, Block, Value)) -> Func {
        let mut f = Func { name: "f".into(), ..Default::default() };
        let b = f.new_block();
        let a = f.push(b, Kind::ConstWord(8), 1, Loc::default())[0];
        build(&mut f, b, a);
        f.push(b, Kind::Return(vec![]), 0, Loc::default());
        f
    }
    fn count(build: &dyn Fn(&mut Func, Block, Value)) -> usize {
        let mut f = block(build);
        run(&mut f, &Options::default());
        crate::ssa::verify::verify(&f).unwrap();
        f.blocks[0].insts.len() - 2
    }
    const LOC: Loc = Loc::at(0, 0, 0);
    fn load(f: &mut Func, b: Block, addr: Value) {
        f.push(b, Kind::Load { space: Space::Global, width: Width::W32, addr, offset: 4 }, 1, LOC);
    }
    fn store(f: &mut Func, b: Block, space: Space, addr: Value) {
        f.push(b, Kind::Store { space, width: Width::W32, addr, offset: 4, values: vec![addr] }, 0, LOC);
    }

    #[test]
    fn loads_are_merged_only_when_nothing_was_written() {
        let twice = |between: &'static dyn Fn(&mut Func, Block, Value)| {
            count(&move |f, b, a| {
                load(f, b, a);
                between(f, b, a);
                load(f, b, a);
            })
        };
        assert_eq!(twice(&|_, _, _| ()), 1);
        assert_eq!(twice(&|f, b, a| store(f, b, Space::Shared, a)), 2, "another space");
        assert_eq!(twice(&|f, b, a| store(f, b, Space::Global, a)), 2, "the load takes the stored value");
        assert_eq!(
            twice(&|f, b, _| {
                f.push(b, Kind::Barrier, 0, LOC);
            }),
            3
        );
        let alias = |f: &mut Func, b: Block, _: Value| {
            let other = f.push(b, Kind::ConstWord(9), 1, LOC)[0];
            store(f, b, Space::Global, other);
        };
        assert_eq!(
            count(&|f, b, a| {
                load(f, b, a);
                alias(f, b, a);
                load(f, b, a);
            }),
            4
        );
    }

    #[test]
    fn operands_may_be_exchanged_where_the_operation_allows() {
        let two = |op: Op| {
            count(&move |f, b, a| {
                let c = f.push(b, Kind::Const(3), 1, LOC)[0];
                f.push(b, Kind::Alu(op, vec![a, c]), 1, LOC);
                f.push(b, Kind::Alu(op, vec![c, a]), 1, LOC);
            })
        };
        assert_eq!((two(Op::IAdd), two(Op::ISub)), (2, 3));
        let across = count(&|f, b, a| {
            for _ in 0..2 {
                f.push(b, Kind::CrossLane { op: Op::WRedAdd, args: vec![a] }, 1, LOC);
            }
        });
        assert_eq!(across, 2, "who is there is not known");
    }

    /// Whichever comes first: both results are rounded as the exact one's.
    #[test]
    fn what_stays_of_an_exact_operation_is_exact() {
        for exact in [[true, false], [false, true], [false, false]] {
            let mut f = block(&|f, b, a| {
                for exact in exact {
                    f.push(b, Kind::Alu(Op::FMul, vec![a, a]), 1, LOC);
                    f.blocks[0].insts.last_mut().unwrap().exact = exact;
                }
            });
            run(&mut f, &Options::default());
            assert_eq!(f.blocks[0].insts.len(), 3);
            assert_eq!(f.blocks[0].insts[1].exact, exact != [false, false]);
        }
    }

    #[test]
    fn random_programs_do_the_same() {
        check::same_behaviour(&[mem2reg::run], run, 0..300);
    }

    #[test]
    fn the_planted_fault_is_found() {
        let options = Options { fault: Some(CompilerFault::CseLoadAcrossStore), ..Default::default() };
        assert!(check::run(&[mem2reg::run], run, 0..300, &options).1.is_some());
    }
}
