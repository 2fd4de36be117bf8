//! Per-lane atomics that all active lanes do on one word become one warp-wide atomic (WW-41).
//!
//! `old = atomic op (word, v)` in each lane becomes `old = warp-wide op (word, reduction of v)`,
//! and where a lane's own result is read, `op(old, scan of v)`: the exclusive prefix over the
//! active lanes below. Why that is exact: the lanes' atomics of one instruction have no order among
//! themselves, so "lane after lane, in order of their numbers, nothing of other warps between" is
//! one of the legal orders (and it is the order in which the machine performs a per-lane atomic).
//! In that order lane i finds `op` of the old word and the operands of the active lanes below it,
//! and the word ends as `op` of the old word and all operands. Add, and, or, xor, min and max are
//! associative and commutative on 32-bit integers, wrapping included, so prefix and total may be
//! computed first. By operation:
//!
//! - *Subtraction* is addition of the operands: total and prefix are sums, subtracted from the word
//!   and from `old`.
//! - *And, or, min, max* of one uniform operand: doing it twice is doing it once, so the operand is
//!   its own reduction. (Of xor and addition it is not.)
//! - *Exchange* is none of these: lane i finds the datum of the lane below. It is taken only with a
//!   uniform datum: the lowest lane finds the old word, every other one the datum, and the datum
//!   stays.
//! - *Compare and exchange*, and with it floating-point sums made of it, is left alone, as nothing
//!   of it can be known before the word is read. There are no atomics on floats, and none may be
//!   re-associated without permission.
//!
//! The address must be one for all lanes active *in this execution*, which is what [`Divergence`]
//! says; reduction, atomic and scan stand in one block, so their active lanes are the same. What is
//! only a matter of cost: one lane alone gains nothing ([`expected_lanes`] has the rule), nor does
//! a lock that spins on an exchange. The pass runs once, when the others are done, because they may
//! move code to where other lanes are active together. Wrong it would be if the active lanes could
//! change between reduction and atomic, or a rule of the analysis were wrong; the tests run the
//! programs on warps and check that the results are those of some order.

use super::divergence::Divergence;
use super::{use_counts, Options};
use crate::ops::predicate::is_compare;
use crate::ssa::dominance::Dominance;
use crate::ssa::{AtomicOp, Block, Func, Inst, Kind, Loc, Space, Value};
use quadlock_isa::abi::LANES;
use quadlock_isa::Op;

/// Its name for `skip` and in the statistics.
pub const NAME: &str = "warp-aggregate";

/// Costs in cycles of a warp's time. One lane's turn of an atomic at the pipeline: a line read, the
/// arithmetic and a line write, before the next lane's may begin; and the same for a warp-wide one.
const TURN: u32 = 20;
/// The same in shared storage, whose line memory is in the unit.
const SHARED_TURN: u32 = 5;
/// The atomic waits for its operand through the lane pipeline.
const REDUCTION: u32 = 7;
/// The scan runs while the atomic is under way and costs its issue; combining it with the old word
/// comes after.
const SCAN: u32 = 1 + 7;

/// What became of one atomic, for the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Source place of the atomic.
    pub loc: Loc,
    /// It is executed once for the warp.
    pub warp_wide: bool,
    /// Why, or why not.
    pub text: String,
}

/// Rewrites an entry function and says what it did about each of its atomics, in layout order.
pub fn run(func: &mut Func, options: &Options) -> Vec<Note> {
    let atomics: Vec<(Block, usize)> = func
        .layout
        .iter()
        .flat_map(|&b| (0..func.blocks[b.index()].insts.len()).map(move |i| (b, i)))
        .filter(|&(b, i)| matches!(func.blocks[b.index()].insts[i].kind, Kind::Atomic { .. }))
        .collect();
    if atomics.is_empty() {
        return vec![];
    }
    let judge = Judge {
        d: Divergence::new(func, options.group_size),
        dom: Dominance::new(func),
        uses: use_counts(func),
        options,
        func,
    };
    let verdicts: Vec<Result<Plan, Verdict>> = atomics.iter().map(|&(b, i)| judge.atomic(b, i)).collect();
    let mut notes = vec![];
    // From the end, so that the indices of the atomics before stay.
    for (&(b, i), verdict) in atomics.iter().zip(verdicts).rev() {
        let loc = func.blocks[b.index()].insts[i].loc;
        notes.push(match verdict {
            Ok(plan) => {
                rewrite(func, b, i, &plan);
                Note { loc, warp_wide: true, text: plan.to_string() }
            }
            Err(Verdict { warp_wide, text }) => Note { loc, warp_wide, text },
        });
    }
    notes.reverse();
    notes
}

/// Left as it is, and why.
struct Verdict {
    warp_wide: bool,
    text: String,
}

/// How an atomic is done once.
struct Plan {
    op: AtomicOp,
    reduce: bool,
    scan: bool,
    /// In sixteenths.
    lanes: u32,
}

impl std::fmt::Display for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let with = match (self.reduce, self.scan) {
            (true, true) => ", reduction and scan",
            (true, false) => ", reduction; no scan, the result is not used",
            (false, true) => ", scan; no reduction, one operand for all lanes",
            (false, false) => "; no reduction, one operand for all lanes; no scan, the result is not used",
        };
        write!(f, "warp-wide: {}{with} ({} lanes expected)", name(self.op), quantity(self.lanes))
    }
}

/// Sixteenths as a decimal number.
fn quantity(sixteenths: u32) -> String {
    format!("{}", f64::from(sixteenths) / 16.0)
}

fn name(op: AtomicOp) -> &'static str {
    match op {
        AtomicOp::Add => "add",
        AtomicOp::Sub => "subtract",
        AtomicOp::And => "and",
        AtomicOp::Or => "or",
        AtomicOp::Xor => "xor",
        AtomicOp::SMin | AtomicOp::UMin => "min",
        AtomicOp::SMax | AtomicOp::UMax => "max",
        AtomicOp::Xchg => "exchange",
        AtomicOp::Cas => "compare and exchange",
        AtomicOp::Lock => "lock",
    }
}

/// Reduction, scan, and the operation that combines the old word with the scan; none for exchanges.
fn operations(op: AtomicOp) -> Option<(Op, Op, Op)> {
    Some(match op {
        AtomicOp::Add => (Op::WRedAdd, Op::WScanAdd, Op::IAdd),
        AtomicOp::Sub => (Op::WRedAdd, Op::WScanAdd, Op::ISub),
        AtomicOp::And => (Op::WRedAnd, Op::WScanAnd, Op::And),
        AtomicOp::Or => (Op::WRedOr, Op::WScanOr, Op::Or),
        AtomicOp::Xor => (Op::WRedXor, Op::WScanXor, Op::Xor),
        AtomicOp::SMin => (Op::WRedSMin, Op::WScanSMin, Op::SMin),
        AtomicOp::SMax => (Op::WRedSMax, Op::WScanSMax, Op::SMax),
        AtomicOp::UMin => (Op::WRedUMin, Op::WScanUMin, Op::UMin),
        AtomicOp::UMax => (Op::WRedUMax, Op::WScanUMax, Op::UMax),
        AtomicOp::Xchg | AtomicOp::Cas | AtomicOp::Lock => return None,
    })
}

struct Judge<'a> {
    func: &'a Func,
    d: Divergence<'a>,
    dom: Dominance,
    uses: Vec<u32>,
    options: &'a Options,
}

/// A branch that a block stands behind: it is reached only with `cond` not zero (`truth`) or zero.
struct Guard {
    branch: Block,
    cond: Value,
    truth: bool,
    /// Where the branch goes otherwise.
    otherwise: Block,
}

impl Judge<'_> {
    fn atomic(&self, b: Block, i: usize) -> Result<Plan, Verdict> {
        let inst = &self.func.blocks[b.index()].insts[i];
        let left = |text: &str| Err(Verdict { warp_wide: false, text: format!("per lane: {text}") });
        let Kind::Atomic { space, warp_wide, op, addr, values, .. } = &inst.kind else { return left("no atomic") };
        let (space, warp_wide, op, addr, value) = (*space, *warp_wide, *op, *addr, values[0]);
        let wide = values.len() == 2;
        let size: Option<u32> = self.options.group_size.map(|s| s.iter().product());
        let uniform = self.d.uniform(value, b);
        let used = inst.results.iter().any(|r| self.uses[r.index()] > 0);
        if warp_wide {
            let bits = if wide { " of 64 bits" } else { "" };
            return Err(Verdict { warp_wide: true, text: format!("warp-wide: {}{bits}, as written", name(op)) });
        } else if !self.options.warp_wide && self.by_lowest(b, inst.loc) {
            let text = "once, by the lowest lane: no warp-wide instructions".into();
            return Err(Verdict { warp_wide: false, text });
        } else if !self.options.warp_wide || self.options.skip.iter().any(|s| s == NAME) {
            return left("the automatic form is switched off");
        } else if op == AtomicOp::Cas {
            return left("compare and exchange");
        } else if size == Some(1) {
            return left("one invocation in a work group");
        } else if self.options.helper_lanes {
            return left("helper lanes may be active, and take no part in atomics");
        } else if self.one_lane(b) {
            return left("one lane only comes here");
        } else if self.options.late_stored && self.in_loop(b) {
            return left("in a loop, where lanes that come late would get a kept result (warp-wide-late=stored)");
        } else if wide {
            return left("64 bits, which have no reductions and scans");
        } else if !self.d.uniform(addr, b) && !self.d.shape.in_step {
            return left("lanes of different turns of a loop may meet, so the address may differ between lanes");
        } else if !self.d.uniform(addr, b) {
            return left("the address differs between lanes");
        } else if op == AtomicOp::Xchg && !uniform {
            return left("an exchange of data that differ between lanes");
        } else if op == AtomicOp::Xchg && self.decides_loop(b, inst.results[0]) {
            return left("an exchange whose result decides whether a loop goes on (a lock)");
        }
        let idempotent = !matches!(op, AtomicOp::Add | AtomicOp::Sub | AtomicOp::Xor);
        let plan = Plan { op, reduce: !(uniform && idempotent), scan: used, lanes: self.expected_lanes(b) };
        let turn = if space == Space::Shared { SHARED_TURN } else { TURN };
        let cost = turn + u32::from(plan.reduce) * REDUCTION + u32::from(plan.scan) * SCAN;
        if plan.lanes * turn <= 16 * cost {
            return left(&format!("too few lanes expected to gain ({})", quantity(plan.lanes)));
        }
        Ok(plan)
    }

    /// Whether a lane can come to `b` by a jump back: only so can it be late (WW-27).
    fn in_loop(&self, b: Block) -> bool {
        let position = self.d.shape.position[b.index()].unwrap_or(0);
        self.d.shape.around(position).next().is_some()
    }

    /// The branches that must have gone a certain way for lanes to be in `b`, inner ones first.
    fn guards(&self, b: Block) -> Vec<Guard> {
        let mut out = vec![];
        let mut at = b;
        while let Some(branch) = self.dom.idom[at.index()] {
            if let Some(Kind::Branch { cond, then, other }) =
                self.func.blocks[branch.index()].insts.last().map(|i| &i.kind)
            {
                let only = self.dom.cfg.preds[at.index()].len() == 1 && then.block != other.block;
                if only && then.block == at {
                    out.push(Guard { branch, cond: *cond, truth: true, otherwise: other.block });
                } else if only && other.block == at {
                    out.push(Guard { branch, cond: *cond, truth: false, otherwise: then.block });
                }
            }
            at = branch;
        }
        out
    }

    /// Whether no two lanes of a warp can be in `b` together: behind
    /// `lane number == uniform value`, as `elect` and `id == constant` are.
    fn one_lane(&self, b: Block) -> bool {
        let position = |b: Block| self.d.shape.position[b.index()].unwrap_or(0);
        self.guards(b).iter().any(|g| {
            let same_turn = self.d.shape.in_step && self.d.shape.same_turn(position(g.branch), position(b));
            self.single(g.cond, g.truth, g.branch, same_turn, 4)
        })
    }

    /// Whether this is how the front end does an atomic of the whole warp without instructions for
    /// it (`front::lower::warp_atomics`): behind an election that comes from the same place of the
    /// source.
    fn by_lowest(&self, b: Block, loc: Loc) -> bool {
        let lowest = |v: &Value| matches!(self.d.kind(*v), Some(Kind::CrossLane { op: Op::WRedUMin, .. }));
        self.guards(b).iter().any(|g| {
            let branch = self.func.blocks[g.branch.index()].insts.last();
            let elects = matches!(self.d.kind(g.cond), Some(Kind::Alu(Op::ISetEq, args)) if args.iter().any(lowest));
            g.truth && elects && branch.is_some_and(|i| i.loc == loc)
        })
    }

    /// Whether at most one lane can find `cond` so. Lanes that came in another turn found it with
    /// another value, unless the values are always the same.
    fn single(&self, cond: Value, truth: bool, at: Block, same_turn: bool, depth: u32) -> bool {
        let own = |v: Value| self.d.distinct(v, at) && (same_turn || self.d.fixed(v));
        let common = |v: Value| self.d.uniform(v, at) && (same_turn || self.d.fixed(v));
        if !truth && own(cond) {
            return true;
        }
        let Some(Kind::Alu(op, args)) = self.d.kind(cond).filter(|_| depth > 0) else { return false };
        let deeper = |v: Value, truth: bool| self.single(v, truth, at, same_turn, depth - 1);
        let constant = |v: Value| self.d.constant(v);
        let boolean = |v: Value| matches!(self.d.kind(v), Some(Kind::Alu(op, _)) if is_compare(*op));
        match (*op, truth) {
            (Op::ISetEq, true) | (Op::ISetNe, false) => {
                let pair = |x: Value, y: Value| own(x) && common(y);
                pair(args[0], args[1])
                    || pair(args[1], args[0])
                    || constant(args[1]) == Some(0) && deeper(args[0], false)
            }
            (Op::ISetEq, false) | (Op::ISetNe, true) => constant(args[1]) == Some(0) && deeper(args[0], true),
            (Op::USetLt, true) | (Op::USetGe, false) => constant(args[1]) == Some(1) && own(args[0]),
            // Both are not zero; both are zero.
            (Op::And, true) | (Op::Or, false) => args.iter().any(|a| deeper(*a, truth)),
            (Op::Xor, _) => constant(args[1]) == Some(1) && boolean(args[0]) && deeper(args[0], !truth),
            _ => false,
        }
    }

    /// How many lanes are active in `b`, in sixteenths of a lane: a guess that decides nothing but
    /// whether the rewriting pays. A loop that lanes leave in different turns has half of them on
    /// average; of what else stands in the way, [`Judge::share`] says.
    fn expected_lanes(&self, b: Block) -> u32 {
        let size: u32 = self.options.group_size.map_or(LANES as u32, |s| s.iter().product());
        let lanes = 16 * size.min(LANES as u32);
        let shape = &self.d.shape;
        let position = |b: Block| shape.position[b.index()].unwrap_or(0);
        let ragged: Vec<_> = shape.around(position(b)).map(|r| &shape.ranges[r]).filter(|r| r.divergent_exit).collect();
        // The branch that leaves such a loop counts with the loop.
        let leaves =
            |g: &Guard| ragged.iter().any(|r| r.contains(position(g.branch)) && !r.contains(position(g.otherwise)));
        let guards = self.guards(b).into_iter().filter(|g| self.d.divergent_branch(g.branch) && !leaves(g));
        guards.fold(lanes, |lanes, g| self.share(&g, lanes, 4)) >> ragged.len().min(8)
    }

    /// Of `lanes` at a divergent branch, those that go on to the block behind it. A comparison for
    /// equality leaves a quarter where they are equal and all where they are not; a bound on the
    /// lanes' own numbers leaves all, because it splits one warp of many, unless it is below a
    /// warp; any other branch leaves half. Of `a && b` it is what `a` leaves of what `b` does, of
    /// `a || b` where it is false likewise.
    fn share(&self, g: &Guard, lanes: u32, depth: u32) -> u32 {
        if let Some((from, last)) = self.last_operand(g.cond, g.truth).filter(|_| depth > 0) {
            let common: Vec<Block> = self.guards(g.branch).iter().map(|g| g.branch).collect();
            let first = self.guards(from).into_iter().filter(|f| !common.contains(&f.branch));
            let own = Guard { branch: from, cond: last, ..*g };
            return first
                .chain([own])
                .filter(|f| !self.d.uniform(f.cond, f.branch))
                .fold(lanes, |lanes, f| self.share(&f, lanes, depth - 1));
        }
        match self.d.kind(g.cond) {
            Some(Kind::Alu(op @ (Op::ISetEq | Op::ISetNe), _)) if (*op == Op::ISetEq) == g.truth => lanes / 4,
            Some(Kind::Alu(Op::ISetEq | Op::ISetNe, _)) => lanes,
            Some(Kind::Alu(op, args)) if self.is_bound(*op, args, g.branch) => {
                let small = |a: &Value| self.d.constant(*a).is_some_and(|c| c < LANES as u32);
                lanes >> u32::from(args.iter().any(small))
            }
            _ => lanes / 2,
        }
    }

    /// Of a condition that a block gets by one way only if it is to be `truth`, because all others
    /// bring the constant that is not: that way, and what it brings. So `a && b` looks if `b` is
    /// evaluated behind `a` alone.
    fn last_operand(&self, cond: Value, truth: bool) -> Option<(Block, Value)> {
        let shape = &self.d.shape;
        let place = |b: &Block| self.func.blocks[b.index()].params.iter().position(|p| *p == cond);
        let (to, i) = shape.order.iter().find_map(|b| place(b).map(|i| (*b, i)))?;
        let mut ways = vec![];
        for from in &self.dom.cfg.preds[to.index()] {
            let last = &self.func.blocks[from.index()].insts.last()?.kind;
            let brought = last.targets().into_iter().filter(|t| t.block == to).map(|t| (*from, t.args[i]));
            ways.extend(brought.filter(|w| self.d.constant(w.1).is_none_or(|c| (c != 0) == truth)));
        }
        match ways[..] {
            [way] => Some(way),
            _ => None,
        }
    }

    /// A comparison of the lanes' own numbers with a value that is the same for all.
    fn is_bound(&self, op: Op, args: &[Value], at: Block) -> bool {
        use Op::*;
        let own = |v: Value| self.d.distinct(v, at);
        let common = |v: Value| self.d.uniform(v, at);
        matches!(op, USetLt | USetLe | USetGt | USetGe | SSetLt | SSetLe | SSetGt | SSetGe)
            && (own(args[0]) && common(args[1]) || own(args[1]) && common(args[0]))
    }

    /// Whether `v` goes, without memory, into what decides if a loop around `b` goes on: the
    /// condition of a branch out of the loop, or of one inside that such a branch stands behind.
    fn decides_loop(&self, b: Block, v: Value) -> bool {
        let shape = &self.d.shape;
        let Some(at) = shape.position[b.index()] else { return true };
        let cond = |b: Block| match self.func.blocks[b.index()].insts.last().map(|i| &i.kind) {
            Some(Kind::Branch { cond, .. }) => Some(*cond),
            _ => None,
        };
        shape.around(at).map(|r| &shape.ranges[r]).any(|r| {
            shape.exits(r).iter().any(|&(u, _)| {
                let leaves = shape.order[u];
                let inside = |g: &Guard| shape.position[g.branch.index()].is_some_and(|p| r.contains(p));
                let guards = self.guards(leaves).into_iter().filter(inside).map(|g| g.cond);
                self.computed_from(cond(leaves).into_iter().chain(guards).collect(), v)
            })
        })
    }

    /// Whether one of the values `work` is computed from `v`: by arithmetic, as an argument of a
    /// block, or because `v` decides by which way, with which argument, a block is come to.
    fn computed_from(&self, mut work: Vec<Value>, v: Value) -> bool {
        let mut seen = vec![false; self.func.values as usize];
        while let Some(x) = work.pop() {
            if x == v {
                return true;
            }
            if std::mem::replace(&mut seen[x.index()], true) {
                continue;
            }
            match self.d.kind(x) {
                Some(Kind::Alu(_, args)) => work.extend(args),
                Some(_) => {}
                None => work.extend(self.sources(x)),
            }
        }
        false
    }

    /// What the parameter of a block is made of: its arguments, and the conditions of branches
    /// whose ways meet there.
    fn sources(&self, param: Value) -> Vec<Value> {
        let shape = &self.d.shape;
        let of = |b: &Block| self.func.blocks[b.index()].params.iter().position(|p| *p == param);
        let Some((to, i)) = shape.order.iter().find_map(|b| of(b).map(|i| (*b, i))) else { return vec![] };
        let mut out = vec![];
        for (at, b) in shape.order.iter().enumerate() {
            let Some(last) = self.func.blocks[b.index()].insts.last() else { continue };
            out.extend(last.kind.targets().into_iter().filter(|t| t.block == to).map(|t| t.args[i]));
            if let Kind::Branch { cond, .. } = last.kind {
                let ways: Vec<_> = shape.succs[at].iter().map(|&w| (at, w)).collect();
                let meets = shape.position[to.index()].is_some_and(|p| shape.labels(&ways).meets[p]);
                out.extend(meets.then_some(cond));
            }
        }
        out
    }
}

/// Puts the reduction and the scan before the atomic and the combination behind it. The last
/// instruction takes over the atomic's result.
fn rewrite(func: &mut Func, b: Block, i: usize, plan: &Plan) {
    let mut atomic = func.blocks[b.index()].insts[i].clone();
    let loc = atomic.loc;
    let Kind::Atomic { warp_wide, values, .. } = &mut atomic.kind else { return };
    let operand = &mut values[0];
    let value = *operand;
    *warp_wide = true;
    let mut before: Vec<Inst> = vec![];
    let mut after: Vec<Inst> = vec![];
    let add = |list: &mut Vec<Inst>, kind: Kind, result: Value| {
        list.push(Inst { exact: true, kind, results: vec![result], loc });
        result
    };
    if let (true, Some((reduction, _, _))) = (plan.reduce, operations(plan.op)) {
        let total = func.new_value();
        *operand = add(&mut before, Kind::CrossLane { op: reduction, args: vec![value] }, total);
    }
    if plan.scan {
        let (prefix, old) = (func.new_value(), func.new_value());
        let result = std::mem::replace(&mut atomic.results[0], old);
        match operations(plan.op) {
            Some((_, scan, combine)) => {
                add(&mut before, Kind::CrossLane { op: scan, args: vec![value] }, prefix);
                add(&mut after, Kind::Alu(combine, vec![old, prefix]), result);
            }
            // An exchange: whether an active lane stands below, and if so its datum.
            None => {
                let one = func.new_value();
                add(&mut before, Kind::Const(1), one);
                add(&mut before, Kind::CrossLane { op: Op::WScanOr, args: vec![one] }, prefix);
                add(&mut after, Kind::Alu(Op::Sel, vec![value, old, prefix]), result);
            }
        }
    }
    let all = before.into_iter().chain([atomic]).chain(after);
    func.blocks[b.index()].insts.splice(i..=i, all);
}

#[cfg(test)]
#[path = "warp_aggregate_tests.rs"]
mod tests;
