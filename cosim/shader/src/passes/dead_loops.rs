//! Loops that compute nothing go.
//!
//! A loop without an effect, of whose values none is read outside, does nothing but end: the jump
//! into it goes where it would leave to. All languages that are read say that a program's loops
//! end, or leave undefined what happens otherwise. Wanted: one way in, all ways out to one block
//! with equal arguments that are defined outside. Fences, atomics and stores are effects, so a loop
//! that waits for another invocation stays.
//!
//! Lanes leave such a loop one after the other, and without it they are together behind it. Where
//! that matters, in programs with operations across lanes, no loop goes. In programs that talk to
//! other threads none goes either: there a loop may be meant to take time. A loop whose effect is
//! overlooked would lose it: `Kind::has_effect` decides, as in `dce`, and the property test
//! compares memory. The planted fault is `dead-loops-store`.

use super::{dce, def_blocks, Options};
use crate::fault::CompilerFault;
use crate::ssa::dominance::{Dominance, Loop};
use crate::ssa::{Block, Func, Kind, Target, Value};

/// Does it to a function; whether anything changed.
pub fn run(func: &mut Func, options: &Options) -> bool {
    if func.is_convergent() || talks(func) {
        return false;
    }
    let mut changed = false;
    let stores = options.fault != Some(CompilerFault::DeadLoopsStore);
    loop {
        let dom = Dominance::new(func);
        let loops = dom.loops();
        if loops.is_empty() {
            return changed;
        }
        let (at, readers) = (def_blocks(func), readers(func, &dom));
        // Outer loops first: the inner ones go with them.
        let found = loops.iter().find_map(|l| dead(func, &dom, (&at, &readers), l, stores));
        let Some((from, header, exit)) = found else {
            return changed;
        };
        if let Some(last) = func.blocks[from.index()].insts.last_mut() {
            last.kind.targets_mut().into_iter().filter(|t| t.block == header).for_each(|t| *t = exit.clone());
        }
        dce::remove_unreachable(func);
        changed = true;
    }
}

/// Whether other threads see when the program does something.
fn talks(func: &Func) -> bool {
    let mut insts = func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts);
    insts.any(|i| i.kind.is_fence() && i.kind != Kind::Demote || matches!(i.kind, Kind::Atomic { .. }))
}

/// The block that enters a loop that does nothing, the loop's header, and where it leaves to. A
/// store is something, if `stores`.
fn dead(
    func: &Func,
    dom: &Dominance,
    (at, readers): (&[Option<Block>], &[Vec<Block>]),
    l: &Loop,
    stores: bool,
) -> Option<(Block, Block, Target)> {
    let inside = |v: &Value| at[v.index()].is_some_and(|b| l.body[b.index()]);
    let read_outside = |v: &Value| readers[v.index()].iter().any(|b| !l.body[b.index()]);
    let mut outside = dom.cfg.preds[l.header.index()].iter().filter(|p| !l.body[p.index()]);
    let &from = outside.next()?;
    if outside.next().is_some() {
        return None;
    }
    let mut exit: Option<&Target> = None;
    for &b in func.layout.iter().filter(|b| l.body[b.index()]) {
        let block = &func.blocks[b.index()];
        if block.params.iter().any(read_outside) {
            return None;
        }
        for inst in &block.insts {
            let ignored = !stores && matches!(inst.kind, Kind::Store { .. });
            if inst.kind.has_effect() && !ignored && !matches!(inst.kind, Kind::Jump(_) | Kind::Branch { .. }) {
                return None;
            }
            if inst.results.iter().any(read_outside) {
                return None;
            }
            for t in inst.kind.targets().into_iter().filter(|t| !l.body[t.block.index()]) {
                if exit.is_some_and(|e| e != t) || t.args.iter().any(inside) {
                    return None;
                }
                exit = Some(t);
            }
        }
    }
    Some((from, l.header, exit?.clone()))
}

/// By value: the blocks that read it, of those that can be reached.
fn readers(func: &Func, dom: &Dominance) -> Vec<Vec<Block>> {
    let mut out = vec![vec![]; func.values as usize];
    for &b in func.layout.iter().filter(|b| dom.cfg.reachable(**b)) {
        for v in func.blocks[b.index()].insts.iter().flat_map(|i| i.kind.uses()) {
            let blocks: &mut Vec<Block> = &mut out[v.index()];
            if blocks.last() != Some(&b) {
                blocks.push(b);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::mem2reg;
    use crate::random::ssa::check;
    use crate::ssa::Loc;
    use quadlock_isa::Op;

    /// A loop that counts, perhaps with an effect; the count is given back if `used`.
    fn counting(effect: Option<Kind>, used: bool) -> Func {
        let loc = Loc::default();
        let mut f = Func { name: "f".into(), results: usize::from(used), ..Default::default() };
        let b: Vec<Block> = (0..3).map(|_| f.new_block()).collect();
        let one = f.push(b[0], Kind::Const(1), 1, loc)[0];
        f.push(b[0], Kind::Jump(Target { block: b[1], args: vec![one] }), 0, loc);
        let i = f.new_value();
        f.blocks[1].params = vec![i];
        let next = f.push(b[1], Kind::Alu(Op::IAdd, vec![i, one]), 1, loc)[0];
        effect.into_iter().for_each(|kind| drop(f.push(b[1], kind, 0, loc)));
        let c = f.push(b[1], Kind::ConstWord(3), 1, loc)[0];
        let cond = f.push(b[1], Kind::Alu(Op::USetLt, vec![next, c]), 1, loc)[0];
        let (then, other) = (Target { block: b[1], args: vec![next] }, Target { block: b[2], args: vec![] });
        f.push(b[1], Kind::Branch { cond, then, other }, 0, loc);
        f.push(b[2], Kind::Return(if used { vec![next] } else { vec![] }), 0, loc);
        f
    }

    #[test]
    fn a_loop_goes_only_if_it_does_nothing() {
        let goes = |mut f: Func| {
            let did = run(&mut f, &Options::default());
            crate::ssa::verify::verify(&f).unwrap();
            assert_eq!(did, f.layout.len() == 2, "{f}");
            did
        };
        assert!(goes(counting(None, false)));
        assert!(!goes(counting(None, true)), "its value is read");
        assert!(!goes(counting(Some(Kind::Fence { polling: true }), false)), "it waits for others");
        assert!(!goes(counting(Some(Kind::Barrier), false)));
    }

    #[test]
    fn random_programs_do_the_same() {
        check::same_behaviour(&[mem2reg::run, crate::passes::dce::run], run, 0..600);
    }

    #[test]
    fn the_planted_store_is_found() {
        let options = Options { fault: Some(CompilerFault::DeadLoopsStore), ..Default::default() };
        assert!(check::run(&[mem2reg::run, crate::passes::dce::run], run, 0..600, &options).1.is_some());
    }
}
