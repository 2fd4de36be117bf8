//! Loops with a small constant number of iterations are written out.
//!
//! The counter then is a constant: its test, its increment and its branch vanish, indices become
//! offsets, local arrays become registers. The number of iterations is found by running the loop's
//! test on constants: parameters whose first value is constant and whose next value is computed
//! from such parameters alone. What is required: the test stands in the header and is the only
//! branch on the counter, one latch, and values made in the loop are used outside only if they
//! dominate the exit from the header, when there is no other exit. Copies stand one behind the
//! other where the loop stood, so lanes that leave early wait behind the last copy. A wrong count
//! would run an iteration too few or too many: the property test has loops of 0 to 3 iterations.
//!
//! Code grows: at most `ITERATIONS` copies and `GROWTH` instructions, so that the instruction cache
//! (512 by default) keeps holding a shader's loops.

use super::{def_blocks, Options};
use crate::ops::eval::eval;
use crate::ssa::dominance::{Dominance, Loop};
use crate::ssa::{Block, BlockData, Func, Inst, Kind, Target, Value};
use std::collections::HashMap;

const ITERATIONS: usize = 16;
const GROWTH: usize = 160;

/// Does it to a function; whether anything changed.
pub fn run(func: &mut Func, _: &Options) -> bool {
    let dom = Dominance::new(func);
    let loops = dom.loops();
    if loops.is_empty() {
        return false;
    }
    let kinds = kinds(func);
    // Inner loops first, one at a time: the others' facts are stale afterwards. The pipeline comes
    // back for more.
    for l in loops.iter().rev() {
        if let Some(plan) = plan(func, &kinds, &dom, l) {
            unroll(func, l, &plan);
            return true;
        }
    }
    false
}

/// What unrolling needs to know.
struct Plan {
    /// Iterations of the body; the test runs once more.
    iterations: usize,
    /// Arguments of the jump that enters.
    entering: (Block, Vec<Value>),
    latch: Block,
    /// Whether the header's `then` leads out of the loop.
    exit_is_then: bool,
}

/// What makes each value, where an instruction makes one alone.
fn kinds(func: &Func) -> Vec<Option<&Kind>> {
    let mut kinds = vec![None; func.values as usize];
    for inst in func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts) {
        if let [r] = inst.results[..] {
            kinds[r.index()] = Some(&inst.kind);
        }
    }
    kinds
}

fn plan(func: &Func, kinds: &[Option<&Kind>], dom: &Dominance, l: &Loop) -> Option<Plan> {
    let &[latch] = l.latches.as_slice() else { return None };
    let jump = |b: Block| match func.blocks[b.index()].insts.last().map(|i| &i.kind) {
        Some(Kind::Jump(t)) if t.block == l.header => Some(t.args.clone()),
        _ => None,
    };
    let mut outside = dom.cfg.preds[l.header.index()].iter().filter(|p| !l.body[p.index()]);
    let &from = outside.next()?;
    if outside.next().is_some() {
        return None;
    }
    let (first, next) = (jump(from)?, jump(latch)?);
    let Some(Kind::Branch { cond, then, other }) = func.blocks[l.header.index()].insts.last().map(|i| &i.kind) else {
        return None;
    };
    let exit_is_then = match (l.body[then.block.index()], l.body[other.block.index()]) {
        (true, false) => false,
        (false, true) => true,
        _ => return None,
    };
    // Operations that cross lanes or wait belong to one place in the program.
    let body: Vec<&Inst> =
        func.layout.iter().filter(|b| l.body[b.index()]).flat_map(|b| &func.blocks[b.index()].insts).collect();
    if body.iter().any(|i| i.kind.is_convergent() || i.kind.is_fence()) {
        return None;
    }
    let params = &func.blocks[l.header.index()].params;
    let iterations = count(params, kinds, *cond, (&first, &next), exit_is_then)?;
    let size = body.iter().filter(|i| !matches!(i.kind, Kind::Const(_) | Kind::ConstWord(_))).count();
    if size.saturating_sub(4) * iterations > GROWTH || escapes(func, dom, l) {
        return None;
    }
    Some(Plan { iterations, entering: (from, first), latch, exit_is_then })
}

/// Runs the test on constants and counts the iterations; `None` if it depends on anything else or
/// there are too many.
fn count(
    params: &[Value],
    kinds: &[Option<&Kind>],
    cond: Value,
    (first, next): (&[Value], &[Value]),
    exit_is_then: bool,
) -> Option<usize> {
    let nothing = HashMap::new();
    let mut known: HashMap<Value, u32> = HashMap::new();
    for (p, v) in params.iter().zip(first) {
        if let Some(c) = constant(kinds, &nothing, *v, 3) {
            known.insert(*p, c);
        }
    }
    for iteration in 0..=ITERATIONS {
        let truth = constant(kinds, &known, cond, 6)? != 0;
        if truth == exit_is_then {
            return Some(iteration);
        }
        known = params.iter().zip(next).filter_map(|(p, v)| constant(kinds, &known, *v, 6).map(|c| (*p, c))).collect();
    }
    None
}

/// The value as a constant, given those of the header's parameters.
fn constant(kinds: &[Option<&Kind>], known: &HashMap<Value, u32>, v: Value, depth: u32) -> Option<u32> {
    if let Some(c) = known.get(&v) {
        return Some(*c);
    }
    match kinds[v.index()]? {
        Kind::Const(c) => Some(*c),
        Kind::Alu(op, args) if depth > 0 => {
            let args: Option<Vec<u32>> = args.iter().map(|a| constant(kinds, known, *a, depth - 1)).collect();
            eval(*op, &args?)
        }
        _ => None,
    }
}

/// Whether a value of the loop is used outside in a way that copies would break.
fn escapes(func: &Func, dom: &Dominance, l: &Loop) -> bool {
    let at = def_blocks(func);
    let inside = |b: Block| l.body[b.index()];
    let exits_elsewhere = func
        .layout
        .iter()
        .filter(|b| inside(**b) && **b != l.header)
        .any(|b| dom.cfg.succs[b.index()].iter().any(|s| !inside(*s)));
    func.layout.iter().filter(|b| !inside(**b)).any(|b| {
        let uses = func.blocks[b.index()].insts.iter().flat_map(|i| i.kind.uses());
        uses.into_iter().filter_map(|v| at[v.index()]).any(|d| inside(d) && (exits_elsewhere || d != l.header))
    })
}

/// Numbers of one copy.
struct Copy {
    values: HashMap<Value, Value>,
    blocks: HashMap<Block, Block>,
}

impl Copy {
    fn value(&self, v: Value) -> Value {
        self.values.get(&v).copied().unwrap_or(v)
    }
    fn block(&self, b: Block) -> Block {
        self.blocks.get(&b).copied().unwrap_or(b)
    }
}

fn unroll(func: &mut Func, l: &Loop, plan: &Plan) {
    let blocks: Vec<Block> = func.layout.iter().copied().filter(|b| l.body[b.index()]).collect();
    let mut layout = vec![];
    let mut copies: Vec<Copy> = vec![];
    for i in 0..=plan.iterations {
        // The last copy is the header alone: its test fails.
        let part: &[Block] = if i == plan.iterations { &[l.header] } else { &blocks };
        let copy = copy(func, part, &mut layout);
        copies.push(copy);
    }
    for (i, c) in copies.iter().enumerate() {
        let part: Vec<Block> = c.blocks.keys().copied().collect();
        for b in part {
            fill(func, l, plan, b, c, copies.get(i + 1));
        }
    }
    let (from, args) = &plan.entering;
    let first = copies[0].block(l.header);
    if let Some(last) = func.blocks[from.index()].insts.last_mut() {
        last.kind = Kind::Jump(Target { block: first, args: args.clone() });
    }
    let at = func.layout.iter().position(|b| *b == blocks[0]).unwrap_or(func.layout.len());
    func.layout.retain(|b| !l.body[b.index()]);
    func.layout.splice(at..at, layout);
    // Outside, values of the header are those of the last test.
    let last = &copies[plan.iterations];
    for b in func.layout.clone() {
        for inst in &mut func.blocks[b.index()].insts {
            inst.kind.map_uses(&mut |v| last.value(v));
        }
    }
    blocks.iter().for_each(|b| func.blocks[b.index()] = BlockData::default());
    super::dce::remove_unreachable(func);
}

/// Fresh blocks and values for a copy of `part`.
fn copy(func: &mut Func, part: &[Block], layout: &mut Vec<Block>) -> Copy {
    let mut c = Copy { values: HashMap::new(), blocks: HashMap::new() };
    for &b in part {
        let new = func.new_detached_block();
        layout.push(new);
        c.blocks.insert(b, new);
        let data = &func.blocks[b.index()];
        let defs: Vec<Value> = data.params.iter().chain(data.insts.iter().flat_map(|i| &i.results)).copied().collect();
        for v in defs {
            let new = func.new_value();
            c.values.insert(v, new);
        }
    }
    c
}

/// Writes the copy of block `b`; `next` is the following copy.
fn fill(func: &mut Func, l: &Loop, plan: &Plan, b: Block, c: &Copy, next: Option<&Copy>) {
    let mut data = func.blocks[b.index()].clone();
    data.params.iter_mut().for_each(|p| *p = c.value(*p));
    for inst in &mut data.insts {
        inst.results.iter_mut().for_each(|r| *r = c.value(*r));
        inst.kind.map_uses(&mut |v| c.value(v));
        for t in inst.kind.targets_mut() {
            t.block = match next {
                Some(n) if b == plan.latch && t.block == l.header => n.block(l.header),
                _ => c.block(t.block),
            };
        }
    }
    if b == l.header {
        if let Some(Inst { kind, .. }) = data.insts.last_mut() {
            if let Kind::Branch { then, other, .. } = kind.clone() {
                // The test's outcome is known: it goes on in all copies but the last.
                *kind = Kind::Jump(if next.is_none() == plan.exit_is_then { then } else { other });
            }
        }
    }
    let new = c.block(b);
    func.blocks[new.index()] = data;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::{const_fold, copy_prop, cse, mem2reg};
    use crate::random::ssa::check;
    use crate::ssa::Loc;
    use quadlock_isa::Op;

    /// sum = 0; for i in 0..n { sum += i }; return sum
    fn program(n: u32) -> Func {
        let loc = Loc::default();
        let mut f = Func { name: "f".into(), results: 1, ..Default::default() };
        let b: Vec<Block> = (0..4).map(|_| f.new_block()).collect();
        let t = |b, args| Target { block: b, args };
        let constants: Vec<Value> = [0, 1, n].map(|c| f.push(b[0], Kind::Const(c), 1, loc)[0]).to_vec();
        f.push(b[0], Kind::Jump(t(b[1], vec![constants[0]; 2])), 0, loc);
        let (i, sum) = (f.new_value(), f.new_value());
        f.blocks[1].params = vec![i, sum];
        let cond = f.push(b[1], Kind::Alu(Op::USetLt, vec![i, constants[2]]), 1, loc)[0];
        f.push(b[1], Kind::Branch { cond, then: t(b[2], vec![]), other: t(b[3], vec![]) }, 0, loc);
        let s = f.push(b[2], Kind::Alu(Op::IAdd, vec![sum, i]), 1, loc)[0];
        let j = f.push(b[2], Kind::Alu(Op::IAdd, vec![i, constants[1]]), 1, loc)[0];
        f.push(b[2], Kind::Jump(t(b[1], vec![j, s])), 0, loc);
        f.push(b[3], Kind::Return(vec![sum]), 0, loc);
        f
    }

    #[test]
    fn a_sum_over_a_constant_range_is_a_constant() {
        for n in [0, 1, 5, 16] {
            let mut f = program(n);
            assert!(run(&mut f, &Options::default()));
            crate::ssa::verify::verify(&f).unwrap();
            for _ in 0..20 {
                crate::passes::cfg::run(&mut f, &Options::default());
                const_fold::run(&mut f, &Options::default());
            }
            let insts = &f.blocks[f.entry().index()].insts;
            let Kind::Return(r) = &insts.last().unwrap().kind else { panic!("{f}") };
            let sum = insts.iter().find(|i| i.results == *r).map(|i| i.kind.clone());
            assert_eq!(sum, Some(Kind::Const(n * n.saturating_sub(1) / 2)), "{f}");
        }
        assert!(!run(&mut program(17), &Options::default()), "too many iterations");
    }

    #[test]
    fn random_programs_do_the_same() {
        check::same_behaviour(&[mem2reg::run, const_fold::run, copy_prop::run, cse::run], run, 0..400);
    }
}
