//! Loop-invariant code moves in front of the loop.
//!
//! A pure operation whose operands are all defined outside the loop computes the same in each
//! iteration. It moves to the block that enters the loop, if there is one that only does that. A
//! moved value occupies a register through the whole loop, and a spill costs more than the
//! operation: so constants and constant-bank words, which the machine reads as operands for
//! nothing, count nothing, and moving stops when `LIVE_LIMIT` values live across the loop. Loads
//! move only from the loop's first block (they were going to be executed) and only if nothing in
//! the loop writes their space. Operations across lanes, atomics and barriers stay. A moved load
//! that should have seen a store would be found by the property test.

use super::cfg::speculable;
use super::{def_blocks, Options};
use crate::ssa::dominance::{Dominance, Loop};
use crate::ssa::{Block, Func, Inst, Kind, Space, Value};

/// Values that may live across a loop (of 32 registers; the rest is for the body, addresses and the
/// stack pointer).
const LIVE_LIMIT: usize = 18;

/// Does it to a function; whether anything changed.
pub fn run(func: &mut Func, _: &Options) -> bool {
    let dom = Dominance::new(func);
    let loops = dom.loops();
    if loops.is_empty() {
        return false;
    }
    let mut changed = false;
    let mut values = Values::new(func);
    // Inner loops first: what leaves an inner loop may then leave the outer one.
    for l in loops.iter().rev() {
        changed |= hoist(func, &dom, &mut values, l);
    }
    changed
}

/// By value, for all loops.
struct Values {
    /// The block that makes it.
    at: Vec<Option<Block>>,
    /// The machine reads it as an operand.
    free: Vec<bool>,
    /// The last loop that it was counted for.
    counted: Vec<Option<Block>>,
}

impl Values {
    fn new(func: &Func) -> Values {
        let mut out = vec![false; func.values as usize];
        for inst in func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts) {
            inst.results.iter().for_each(|r| out[r.index()] = free(&inst.kind));
        }
        Values { at: def_blocks(func), free: out, counted: vec![None; func.values as usize] }
    }
}

fn hoist(func: &mut Func, dom: &Dominance, values: &mut Values, l: &Loop) -> bool {
    let Some(preheader) = preheader(func, dom, l) else { return false };
    let inside = |at: &[Option<Block>], v: Value| at[v.index()].is_some_and(|b| l.body[b.index()]);
    let mut live = live_across(func, l, values);
    let at = &mut values.at;
    let written = written(func, l);
    let mut moved: Vec<Inst> = vec![];
    let blocks: Vec<Block> = dom.cfg.order.iter().copied().filter(|b| l.body[b.index()]).collect();
    for b in blocks {
        let mut insts = std::mem::take(&mut func.blocks[b.index()].insts);
        insts.retain(|inst| {
            let movable = match &inst.kind {
                Kind::Load { space, .. } => b == l.header && !written[space.written_as()],
                Kind::SlotLoad { .. } => false,
                kind => speculable(kind),
            };
            if !movable || inst.kind.uses().iter().any(|v| inside(at, *v)) {
                return true;
            }
            let cost = if free(&inst.kind) { 0 } else { inst.results.len() };
            if live + cost > LIVE_LIMIT {
                return true;
            }
            live += cost;
            inst.results.iter().for_each(|r| at[r.index()] = Some(preheader));
            moved.push(inst.clone());
            false
        });
        func.blocks[b.index()].insts = insts;
    }
    // Constants alone are no gain.
    let gain = moved.iter().any(|i| !free(&i.kind));
    let insts = &mut func.blocks[preheader.index()].insts;
    let end = insts.len() - 1;
    let any = !moved.is_empty();
    insts.splice(end..end, moved);
    gain || any
}

/// Read by the machine as an operand.
fn free(kind: &Kind) -> bool {
    matches!(kind, Kind::Const(_) | Kind::ConstWord(_))
}

/// The one block that enters the loop, if it goes nowhere else.
fn preheader(func: &Func, dom: &Dominance, l: &Loop) -> Option<Block> {
    let mut outside = dom.cfg.preds[l.header.index()].iter().filter(|p| !l.body[p.index()]);
    let p = *outside.next()?;
    let only = outside.next().is_none() && matches!(func.blocks[p.index()].insts.last()?.kind, Kind::Jump(_));
    only.then_some(p)
}

/// How many registers the loop's outside values and its own parameters need.
fn live_across(func: &Func, l: &Loop, values: &mut Values) -> usize {
    let Values { at, free, counted } = values;
    let mut count = func.blocks[l.header.index()].params.len();
    for b in func.layout.iter().filter(|b| l.body[b.index()]) {
        for v in func.blocks[b.index()].insts.iter().flat_map(|i| i.kind.uses()) {
            let outside = at[v.index()].is_some_and(|d| !l.body[d.index()]);
            if outside && !free[v.index()] && counted[v.index()].replace(l.header) != Some(l.header) {
                count += 1;
            }
        }
    }
    count
}

/// By `Space::written_as`: whether the loop may write the space.
fn written(func: &Func, l: &Loop) -> [bool; Space::WRITTEN] {
    let mut out = [false; Space::WRITTEN];
    for inst in func.layout.iter().filter(|b| l.body[b.index()]).flat_map(|b| &func.blocks[b.index()].insts) {
        match &inst.kind {
            Kind::Store { space, .. } | Kind::Atomic { space, .. } => out[space.written_as()] = true,
            Kind::SlotStore { .. } => out[Space::Stack.written_as()] = true,
            k if k.is_fence() || matches!(k, Kind::Call { .. }) => return [true; Space::WRITTEN],
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::mem2reg;
    use crate::random::ssa::check;
    use crate::ssa::{Loc, Target, Width};
    use quadlock_isa::Op;

    /// loop { x = load c[8]; y = x * x; store y if `store` } while z, in a block after the header
    /// for the multiplication.
    fn program(store: bool) -> Func {
        let loc = Loc::default();
        let mut f = Func { name: "f".into(), ..Default::default() };
        let b: Vec<Block> = (0..4).map(|_| f.new_block()).collect();
        let t = |b| Target { block: b, args: vec![] };
        f.push(b[0], Kind::Jump(t(b[1])), 0, loc);
        let addr = f.push(b[1], Kind::ConstWord(8), 1, loc)[0];
        let x = f.push(b[1], Kind::Load { space: Space::Global, width: Width::W32, addr, offset: 0 }, 1, loc)[0];
        f.push(b[1], Kind::Branch { cond: x, then: t(b[2]), other: t(b[3]) }, 0, loc);
        let y = f.push(b[2], Kind::Alu(Op::IMul, vec![x, x]), 1, loc)[0];
        if store {
            let kind = Kind::Store { space: Space::Global, width: Width::W32, addr, offset: 64, values: vec![y] };
            f.push(b[2], kind, 0, loc);
        }
        f.push(b[2], Kind::Load { space: Space::Shared, width: Width::W32, addr, offset: 0 }, 1, loc);
        f.push(b[2], Kind::Jump(t(b[1])), 0, loc);
        f.push(b[3], Kind::Return(vec![]), 0, loc);
        f
    }

    #[test]
    fn invariants_leave_the_loop() {
        let mut f = program(false);
        assert!(run(&mut f, &Options::default()));
        crate::ssa::verify::verify(&f).unwrap();
        assert_eq!(f.blocks[0].insts.len(), 4, "{f}");
        assert_eq!(f.blocks[2].insts.len(), 2, "a load that may not be executed stays\n{f}");
    }

    #[test]
    fn a_load_stays_when_the_loop_stores() {
        let mut f = program(true);
        run(&mut f, &Options::default());
        assert_eq!(f.blocks[0].insts.len(), 2, "only the constant word leaves\n{f}");
    }

    #[test]
    fn random_programs_do_the_same() {
        check::same_behaviour(&[mem2reg::run], run, 0..400);
    }
}
