//! Control flow: if-conversion, jump threading, merging of blocks.
//!
//! *If-conversion* matters most on a machine with four lanes: a branch whose arms are short and
//! have no effect costs two control instructions and, when lanes disagree, both arms anyway. The
//! arms' operations move in front of the branch and `Sel` picks the results. Loads are never
//! executed on speculation (an address may be outside the memory, which fails the job), operations
//! across lanes never move.
//!
//! Lanes reconverge because a merge stands behind its arms in the layout and lower counters run
//! first. So: blocks are merged only with their neighbour in the layout (moving a loop's exit up
//! into the loop would let each lane run it alone), and an empty block is skipped only if that does
//! not let a lane jump *backwards* past others that wait there (the `continue` point of a loop
//! gathers the lanes of an iteration). Neither changes results, only speed, except where an
//! operation across lanes is in the function, which then keeps all such points. The results are
//! what the property test checks.

use super::{dce, use_counts, Options, Replace};
use crate::ops::predicate::cross_lane;
use crate::ssa::dominance::Cfg;
use crate::ssa::shape::Shape;
use crate::ssa::{Block, Func, Inst, Kind, Target, Value};
use quadlock_isa::{Class, Op};

/// Operations (speculated ones and SELs) that a removed branch may cost.
const IF_CONVERSION_LIMIT: usize = 10;
/// The function unit is shared by the lanes and takes them one after another; a branch that jumps
/// over two of its operations is better kept.
const FUNCTION_COST: usize = 6;

/// Does it to a function; whether anything changed.
pub fn run(func: &mut Func, _: &Options) -> bool {
    let mut changed = dce::remove_unreachable(func);
    loop {
        let mut step = false;
        for rewrite in [same_target, if_conversion, thread, thread_known, merge] {
            if rewrite(func) {
                step = true;
                dce::remove_unreachable(func);
            }
        }
        if !step {
            return changed;
        }
        changed = true;
    }
}

/// A branch with one destination is a jump; arguments that differ are selected.
fn same_target(func: &mut Func) -> bool {
    let mut changed = false;
    for b in func.layout.clone() {
        let Some(Kind::Branch { cond, then, other }) = func.blocks[b.index()].insts.last().map(|i| i.kind.clone())
        else {
            continue;
        };
        if then.block == other.block {
            select_and_jump(func, b, cond, then, other);
            changed = true;
        }
    }
    changed
}

/// Replaces the branch at the end of `b` by a jump to the common destination.
fn select_and_jump(func: &mut Func, b: Block, cond: Value, then: Target, other: Target) {
    let Some(branch) = func.blocks[b.index()].insts.pop() else { return };
    let args = then.args.iter().zip(&other.args).map(|(&x, &y)| match x == y {
        true => x,
        false => func.push(b, Kind::Alu(Op::Sel, vec![x, y, cond]), 1, branch.loc)[0],
    });
    let args = args.collect();
    func.push(b, Kind::Jump(Target { block: then.block, args }), 0, branch.loc);
}

fn if_conversion(func: &mut Func) -> bool {
    let mut changed = false;
    // How many ways lead to each block; no block here is unreachable.
    let mut ways: Vec<usize> = Cfg::new(func).preds.iter().map(Vec::len).collect();
    let mut gone = vec![false; func.blocks.len()];
    // Inner ones first: they stand later in the layout than the branch around them.
    for b in func.layout.clone().into_iter().rev() {
        let Some(Kind::Branch { cond, then, other }) = func.blocks[b.index()].insts.last().map(|i| i.kind.clone())
        else {
            continue;
        };
        let (t, o) = (arm(func, &ways, &then), arm(func, &ways, &other));
        let (t, o) = match (t, o) {
            (Some(t), Some(o)) if t.exit.block == o.exit.block => (t, o),
            (Some(t), _) if t.exit.block == other.block => (t, Arm::direct(&other)),
            (_, Some(o)) if o.exit.block == then.block => (Arm::direct(&then), o),
            _ => continue,
        };
        let selects = t.exit.args.iter().zip(&o.exit.args).filter(|(x, y)| x != y).count();
        if t.cost + o.cost + selects > IF_CONVERSION_LIMIT {
            continue;
        }
        for from in [t.block, o.block].into_iter().flatten() {
            let mut body = std::mem::take(&mut func.blocks[from.index()].insts);
            body.pop();
            let at = func.blocks[b.index()].insts.len() - 1;
            func.blocks[b.index()].insts.splice(at..at, body);
            gone[from.index()] = true;
        }
        // Both arms went there, and now the block itself does.
        ways[t.exit.block.index()] -= 1;
        select_and_jump(func, b, cond, t.exit, o.exit);
        changed = true;
    }
    func.layout.retain(|b| !gone[b.index()]);
    changed
}

/// One side of a branch: a block of its own (or none) that ends with a jump to `exit`.
struct Arm {
    block: Option<Block>,
    exit: Target,
    cost: usize,
}

impl Arm {
    fn direct(to: &Target) -> Arm {
        Arm { block: None, exit: to.clone(), cost: 0 }
    }
}

/// The target as an arm that may be executed on speculation.
fn arm(func: &Func, ways: &[usize], target: &Target) -> Option<Arm> {
    let block = target.block;
    let data = &func.blocks[block.index()];
    if ways[block.index()] != 1 || !data.params.is_empty() {
        return None;
    }
    let (last, body) = data.insts.split_last()?;
    let Kind::Jump(exit) = &last.kind else { return None };
    if exit.block == block || !body.iter().all(|i| speculable(&i.kind)) {
        return None;
    }
    let cost = body.iter().map(|i| cost(&i.kind)).sum();
    Some(Arm { block: Some(block), exit: exit.clone(), cost })
}

/// What an operation costs that is executed in vain, in lane operations.
fn cost(kind: &Kind) -> usize {
    match kind {
        Kind::Alu(op, _) if op.class() == Class::Function => FUNCTION_COST,
        Kind::Alu(..) | Kind::Special(_) | Kind::SlotLoad { .. } => 1,
        _ => 0,
    }
}

/// Whether the instruction may be executed where it was not asked for.
pub(crate) fn speculable(kind: &Kind) -> bool {
    match kind {
        Kind::Alu(op, _) => !cross_lane(*op),
        Kind::Const(_) | Kind::Special(_) | Kind::ConstWord(_) | Kind::SlotAddr(_) | Kind::SlotLoad { .. } => true,
        _ => false,
    }
}

/// Facts of a function, each found when first asked for. They hold until the function changes.
#[derive(Default)]
struct Facts {
    uses: Option<Vec<u32>>,
    cfg: Option<Cfg>,
}

impl Facts {
    fn uses(&mut self, func: &Func) -> &[u32] {
        self.uses.get_or_insert_with(|| use_counts(func))
    }

    fn cfg(&mut self, func: &Func) -> &Cfg {
        self.cfg.get_or_insert_with(|| Cfg::new(func))
    }
}

/// Jumps to a block that only jumps on go to its destination.
fn thread(func: &mut Func) -> bool {
    let mut changed = false;
    let mut facts = Facts::default();
    let mut place = vec![0; func.blocks.len()];
    func.layout.iter().enumerate().for_each(|(i, b)| place[b.index()] = i);
    for b in func.layout.clone().into_iter().skip(1) {
        let Some(to) = skippable(func, b, &place, &mut facts) else { continue };
        let params = func.blocks[b.index()].params.clone();
        let backwards = place[to.block.index()] <= place[b.index()];
        let mut did = false;
        let before = (backwards && Shape::new(func).in_step).then(|| func.clone());
        for from in func.layout.clone() {
            if from == b {
                continue;
            }
            let Some(last) = func.blocks[from.index()].insts.last_mut() else { continue };
            for t in last.kind.targets_mut().into_iter().filter(|t| t.block == b) {
                let arg = |v: &Value| params.iter().position(|p| p == v).map_or(*v, |i| t.args[i]);
                *t = Target { block: to.block, args: to.args.iter().map(arg).collect() };
                did = true;
            }
        }
        // A lane that left an inner loop would go ahead of those that are still in it.
        match before.filter(|_| !Shape::new(func).in_step) {
            Some(before) => *func = before,
            None if did => {
                changed = true;
                facts = Facts::default();
            }
            None => {}
        }
    }
    changed
}

/// Where the empty block `b` goes, if it can be left out.
fn skippable(func: &Func, b: Block, place: &[usize], facts: &mut Facts) -> Option<Target> {
    let data = &func.blocks[b.index()];
    let [only] = data.insts.as_slice() else { return None };
    let Kind::Jump(to) = &only.kind else { return None };
    if to.block == b {
        return None;
    }
    let own: Vec<u32> = data.params.iter().map(|p| to.args.iter().filter(|a| *a == p).count() as u32).collect();
    if data.params.iter().zip(own).any(|(p, n)| facts.uses(func)[p.index()] != n) {
        return None;
    }
    let cfg = facts.cfg(func);
    let preds = cfg.preds[b.index()].len();
    // The block in front of a loop costs nothing, and invariants move there.
    let is_header = cfg.preds[to.block.index()].iter().any(|p| place[p.index()] >= place[to.block.index()]);
    if is_header && place[to.block.index()] == place[b.index()] + 1 {
        return None;
    }
    let backwards = place[to.block.index()] <= place[b.index()];
    (!backwards || (preds < 2 && !func.is_convergent())).then(|| to.clone())
}

/// A jump to a block that only branches on one of its parameters, with a constant for it, goes
/// where the branch will: the second test of `a && b` when `a` is false.
fn thread_known(func: &mut Func) -> bool {
    let mut place = vec![0; func.blocks.len()];
    func.layout.iter().enumerate().for_each(|(i, b)| place[b.index()] = i);
    let mut changed = false;
    let mut facts = Facts::default();
    for b in func.layout.clone().into_iter().skip(1) {
        let data = &func.blocks[b.index()];
        let [only] = data.insts.as_slice() else { continue };
        let Kind::Branch { cond, then, other } = only.kind.clone() else { continue };
        let Some(at) = data.params.iter().position(|p| *p == cond) else { continue };
        let own = only.kind.uses();
        let uses = facts.uses(func);
        let local = |p: &Value| uses[p.index()] as usize == own.iter().filter(|u| *u == p).count();
        // Lanes gather at a block before they go back to a loop's header.
        let backwards = [&then, &other].iter().any(|t| place[t.block.index()] <= place[b.index()]);
        if backwards || !data.params.iter().all(local) {
            continue;
        }
        let params = data.params.clone();
        let known: Vec<Option<u32>> = {
            let defs = super::Defs::new(func);
            (0..func.values).map(|v| defs.constant(Value(v))).collect()
        };
        for from in func.layout.clone() {
            let Some(last) = func.blocks[from.index()].insts.last_mut() else { continue };
            for t in last.kind.targets_mut().into_iter().filter(|t| t.block == b) {
                let Some(c) = known[t.args[at].index()] else { continue };
                let to = if c != 0 { &then } else { &other };
                let arg = |v: &Value| params.iter().position(|p| p == v).map_or(*v, |i| t.args[i]);
                *t = Target { block: to.block, args: to.args.iter().map(arg).collect() };
                changed = true;
                facts = Facts::default();
            }
        }
    }
    changed
}

/// Joins a block with the next one of the layout if nothing else comes between or goes there.
fn merge(func: &mut Func) -> bool {
    let cfg = Cfg::new(func);
    let mut replace = Replace::default();
    let mut changed = false;
    let mut i = 0;
    while i + 1 < func.layout.len() {
        let (b, next) = (func.layout[i], func.layout[i + 1]);
        let args = match func.blocks[b.index()].insts.last().map(|i| &i.kind) {
            Some(Kind::Jump(t)) if t.block == next && cfg.preds[next.index()].len() == 1 && cfg.reachable(b) => {
                t.args.clone()
            }
            _ => {
                i += 1;
                continue;
            }
        };
        let data = std::mem::take(&mut func.blocks[next.index()]);
        data.params.iter().zip(args).for_each(|(p, a)| replace.add(*p, a));
        let insts: &mut Vec<Inst> = &mut func.blocks[b.index()].insts;
        insts.pop();
        insts.extend(data.insts);
        func.layout.remove(i + 1);
        changed = true;
    }
    replace.apply(func);
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::{const_fold, copy_prop, mem2reg};
    use crate::random::ssa::check;
    use crate::ssa::{Loc, Space, Width};

    const LOC: Loc = Loc::at(0, 0, 0);

    /// if c { x = 1 + c } else { x = 2 }; return x, where `effect` puts a load into the first arm.
    fn diamond(effect: bool) -> Func {
        let mut f = Func { name: "f".into(), results: 1, ..Default::default() };
        let b: Vec<Block> = (0..4).map(|_| f.new_block()).collect();
        let t = |b, args| Target { block: b, args };
        let cond = f.push(b[0], Kind::ConstWord(1), 1, LOC)[0];
        f.push(b[0], Kind::Branch { cond, then: t(b[1], vec![]), other: t(b[2], vec![]) }, 0, LOC);
        let one = f.push(b[1], Kind::Const(1), 1, LOC)[0];
        let mut x = f.push(b[1], Kind::Alu(Op::IAdd, vec![one, cond]), 1, LOC)[0];
        if effect {
            x = f.push(b[1], Kind::Load { space: Space::Global, width: Width::W32, addr: x, offset: 0 }, 1, LOC)[0];
        }
        f.push(b[1], Kind::Jump(t(b[3], vec![x])), 0, LOC);
        let two = f.push(b[2], Kind::Const(2), 1, LOC)[0];
        f.push(b[2], Kind::Jump(t(b[3], vec![two])), 0, LOC);
        let p = f.new_value();
        f.blocks[3].params.push(p);
        f.push(b[3], Kind::Return(vec![p]), 0, LOC);
        f
    }

    #[test]
    fn a_small_diamond_becomes_a_select() {
        let mut f = diamond(false);
        assert!(run(&mut f, &Options::default()));
        crate::ssa::verify::verify(&f).unwrap();
        assert_eq!(f.layout.len(), 1, "{f}");
        assert!(f.blocks[0].insts.iter().any(|i| matches!(i.kind, Kind::Alu(Op::Sel, _))));
    }

    #[test]
    fn loads_are_not_speculated() {
        let mut f = diamond(true);
        run(&mut f, &Options::default());
        assert_eq!(f.layout.len(), 4, "{f}");
    }

    /// t = c ? load : false; if t { .. }: the arm that knows t skips the test.
    #[test]
    fn a_known_condition_is_not_tested() {
        let mut f = Func { name: "f".into(), ..Default::default() };
        let b: Vec<Block> = (0..5).map(|_| f.new_block()).collect();
        let t = |b, args| Target { block: b, args };
        let cond = f.push(b[0], Kind::ConstWord(1), 1, LOC)[0];
        let zero = f.push(b[0], Kind::Const(0), 1, LOC)[0];
        f.push(b[0], Kind::Branch { cond, then: t(b[1], vec![]), other: t(b[2], vec![zero]) }, 0, LOC);
        let load = Kind::Load { space: Space::Global, width: Width::W32, addr: cond, offset: 0 };
        let x = f.push(b[1], load, 1, LOC)[0];
        f.push(b[1], Kind::Jump(t(b[2], vec![x])), 0, LOC);
        let p = f.new_value();
        f.blocks[2].params.push(p);
        f.push(b[2], Kind::Branch { cond: p, then: t(b[3], vec![]), other: t(b[4], vec![]) }, 0, LOC);
        f.push(b[3], Kind::Barrier, 0, LOC);
        f.push(b[3], Kind::Jump(t(b[4], vec![])), 0, LOC);
        f.push(b[4], Kind::Return(vec![]), 0, LOC);
        assert!(run(&mut f, &Options::default()));
        crate::ssa::verify::verify(&f).unwrap();
        let Kind::Branch { other, .. } = &f.blocks[0].insts.last().unwrap().kind else { panic!("{f}") };
        assert_eq!(other.block, b[4], "{f}");
    }

    /// A loop with `continue`: the latch is empty but gathers lanes, so it stays.
    #[test]
    fn the_continue_point_of_a_loop_stays() {
        let mut f = Func { name: "f".into(), ..Default::default() };
        let b: Vec<Block> = (0..5).map(|_| f.new_block()).collect();
        let t = |b| Target { block: b, args: vec![] };
        let cond = f.push(b[0], Kind::ConstWord(1), 1, LOC)[0];
        f.push(b[0], Kind::Jump(t(b[1])), 0, LOC);
        f.push(b[1], Kind::Branch { cond, then: t(b[3]), other: t(b[2]) }, 0, LOC);
        f.push(b[2], Kind::Barrier, 0, LOC);
        f.push(b[2], Kind::Branch { cond, then: t(b[4]), other: t(b[3]) }, 0, LOC);
        f.push(b[3], Kind::Jump(t(b[1])), 0, LOC);
        f.push(b[4], Kind::Return(vec![]), 0, LOC);
        run(&mut f, &Options::default());
        assert!(f.layout.contains(&b[3]), "{f}");
    }

    #[test]
    fn random_programs_do_the_same() {
        check::same_behaviour(&[], run, 0..100);
        check::same_behaviour(&[mem2reg::run, const_fold::run, copy_prop::run], run, 0..300);
    }
}
