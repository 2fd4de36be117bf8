//! What takes long begins early: loads and operations of the function unit move up to a block from
//! which control always comes to theirs.
//!
//! A warp issues in order and stops where an operand is not there yet. The scheduler of the back
//! end puts distance between a load and its use inside a block only. What stands behind a branch or
//! a loop could often begin in front of it, and be under way while the branch is decided and its
//! arms run. So the instruction moves to the end of such a block, with the operations of its own
//! block that make its operands; the scheduler then finds its place there.
//!
//! The two blocks run equally often: the upper one dominates, no path leaves it without coming to
//! the lower one, and none comes to either again in between. So no path executes more, and a load
//! faults if it did before. Nothing is done in vain: lanes that do not need a load would wait for
//! the memory port with those that do. All lanes of the lower block have been in the upper one, so
//! what operations across lanes read is computed with the same lanes or more.
//!
//! A load keeps the version of memory that it sees ([`Numbers`]); nothing moves over a fence, a
//! lock or an operation across lanes, not even what is only read. Nothing moves where it costs
//! registers: live values stay below the limit wherever the result lives longer.
//! And nothing moves where the warp would have to wait for an operand that it did not wait for.
//!
//! It goes up as far as its latency asks for, and comes when all other passes are done. It is left
//! out of fragment programs that may get a merge or split point, behind which instructions run less
//! often. A load that should have seen a store is what `EarlyAcrossStore` plants.

use super::numbers::{Numbers, Versions};
use super::pressure::Pressure;
use super::{def_blocks, use_counts, Options};
use crate::fault::CompilerFault;
use crate::ops::predicate::{cross_lane, latency};
use crate::ssa::dominance::Dominance;
use crate::ssa::{AtomicOp, Block, Func, Inst, Kind, Space, Value};
use quadlock_isa::abi::REGISTERS;
use quadlock_isa::Class;
use std::collections::HashMap;

/// Its name in statistics and for `skip`.
pub const NAME: &str = "move-early";

/// Dominating blocks that are looked at for one block, and blocks between the two.
const WAYS: usize = 16;
const BETWEEN: usize = 64;
/// Registers that are left for what the estimate does not see: constants and addresses that need
/// one, copies and rows. The scheduler, which sees more, leaves six.
const MARGIN: usize = 12;
/// Instructions that move together.
const SLICE: usize = 12;

/// Does it to an entry function; whether anything changed.
pub fn run(func: &mut Func, options: &Options) -> bool {
    let lower = |b: &&Block| func.blocks[b.index()].insts.iter().any(|i| long(&i.kind).is_some());
    let lower: Vec<Block> = func.layout.iter().skip(1).filter(lower).copied().collect();
    if lower.is_empty() {
        return false;
    }
    let dom = Dominance::new(func);
    let ways = |b: Block| ways(func, &dom, b);
    let lower: HashMap<Block, Vec<Way>> = lower.into_iter().map(|b| (b, ways(b))).filter(|l| !l.1.is_empty()).collect();
    if lower.is_empty() {
        return false;
    }
    let Some(numbers) = Numbers::new(func, false) else { return false };
    let mut early = Early {
        pressure: Pressure::new(func, &dom.cfg),
        at: def_blocks(func),
        seen: versions(func, &numbers),
        uses: use_counts(func),
        limit: options.registers.unwrap_or(REGISTERS).saturating_sub(MARGIN),
        blind: options.fault == Some(CompilerFault::EarlyAcrossStore),
        numbers,
    };
    let mut changed = false;
    for b in &dom.cfg.order {
        if let Some(ways) = lower.get(b) {
            changed |= early.block(func, &dom, *b, ways);
        }
    }
    changed
}

/// Cycles until the result of an instruction that may move is there; `None` of all others.
fn long(kind: &Kind) -> Option<u32> {
    let class = match kind {
        Kind::Load { space: Space::Shared, .. } => Class::Shared,
        Kind::Load { .. } => Class::Global,
        Kind::Fetch { .. } => Class::Graphics,
        Kind::Alu(op, _) if op.class() == Class::Function && !cross_lane(*op) => Class::Function,
        _ => return None,
    };
    Some(latency(class))
}

/// What may move with it: it takes a cycle, and depends on its operands only.
fn short(kind: &Kind) -> bool {
    match kind {
        Kind::Alu(op, _) => op.class() == Class::Alu && !cross_lane(*op),
        Kind::Const(_) | Kind::ConstWord(_) | Kind::SlotAddr(_) | Kind::Special(_) => true,
        _ => false,
    }
}

/// Nothing moves over it.
fn closed(kind: &Kind) -> bool {
    let lock = matches!(kind, Kind::Atomic { op: AtomicOp::Lock, .. });
    lock || kind.is_fence() || kind.is_convergent() || matches!(kind, Kind::Call { .. })
}

/// A block above another one that runs as often.
struct Way {
    to: Block,
    /// Blocks that may run between the two.
    between: Vec<Block>,
    /// Instructions between the two at least.
    distance: usize,
}

/// The blocks above `b` from which nothing closes the way, the nearest first.
fn ways(func: &Func, dom: &Dominance, b: Block) -> Vec<Way> {
    let mut out = vec![];
    let mut above = dom.idom[b.index()];
    for _ in 0..WAYS {
        let Some(to) = above else { break };
        let polls = func.blocks[to.index()].insts.iter().any(|i| matches!(i.kind, Kind::Fence { polling: true }));
        match between(func, dom, to, b) {
            _ if polls => break,
            Between::Blocks(between) => {
                let distance = distance(func, dom, to, b, &between);
                out.push(Way { to, between, distance });
            }
            Between::OtherTurns => {}
            Between::No => break,
        }
        above = dom.idom[to.index()];
    }
    out
}

enum Between {
    Blocks(Vec<Block>),
    /// They do not run equally often; others above may.
    OtherTurns,
    No,
}

/// Blocks that run between `to` and `b`, which it dominates.
fn between(func: &Func, dom: &Dominance, to: Block, b: Block) -> Between {
    let mut out: Vec<Block> = vec![];
    let mut work = vec![to];
    let mut turns = false;
    while let Some(from) = work.pop() {
        let ways = &dom.cfg.succs[from.index()];
        if ways.is_empty() || out.len() > BETWEEN {
            return Between::No;
        }
        for &s in ways.iter().filter(|s| **s != b) {
            turns |= s == to;
            if s != to && !out.contains(&s) {
                if func.blocks[s.index()].insts.iter().any(|i| closed(&i.kind)) {
                    return Between::No;
                }
                out.push(s);
                work.push(s);
            }
        }
    }
    // A way in from elsewhere comes from a turn of a loop that `to` is not in.
    let inside = |p: &Block| *p == to || out.contains(p);
    let turns = turns || out.iter().chain([&b]).any(|b| !dom.cfg.preds[b.index()].iter().all(inside));
    if turns {
        Between::OtherTurns
    } else {
        Between::Blocks(out)
    }
}

/// Instructions on the shortest path between two blocks.
fn distance(func: &Func, dom: &Dominance, to: Block, b: Block, between: &[Block]) -> usize {
    let place = |b: &Block| dom.cfg.position[b.index()];
    let mut order: Vec<Block> = between.to_vec();
    order.sort_by_key(place);
    let mut at: HashMap<Block, usize> = HashMap::from([(to, 0)]);
    let shortest = |at: &HashMap<Block, usize>, b: Block| {
        dom.cfg.preds[b.index()].iter().filter_map(|p| at.get(p)).min().copied().unwrap_or(0)
    };
    for b in order {
        let size = func.blocks[b.index()].insts.iter().filter(|i| !is_operand(&i.kind)).count();
        at.insert(b, shortest(&at, b) + size);
    }
    shortest(&at, b)
}

/// The machine reads it as an operand.
fn is_operand(kind: &Kind) -> bool {
    matches!(kind, Kind::Const(_) | Kind::ConstWord(_) | Kind::SlotAddr(_))
}

/// Versions of memory in front of each load, by its first result.
fn versions(func: &Func, numbers: &Numbers) -> HashMap<Value, Versions> {
    let result = |b: Block, i: usize| func.blocks[b.index()].insts[i].results.first().copied();
    numbers.at_loads(func).into_iter().filter_map(|((b, i), v)| Some((result(b, i)?, v))).collect()
}

struct Early {
    numbers: Numbers,
    pressure: Pressure,
    /// By value: block of its definition.
    at: Vec<Option<Block>>,
    seen: HashMap<Value, Versions>,
    /// By value: how often it is read.
    uses: Vec<u32>,
    /// Values that may be live where a result lives longer.
    limit: usize,
    /// The planted fault.
    blind: bool,
}

/// What moves where.
struct Plan<'a> {
    /// Places in the lower block, ascending.
    slice: Vec<usize>,
    way: &'a Way,
    /// Registers in use more, from the upper block on.
    more: i64,
}

impl Early {
    /// Moves what may move out of `b`.
    fn block(&mut self, func: &mut Func, dom: &Dominance, b: Block, ways: &[Way]) -> bool {
        let mut changed = false;
        let mut i = 0;
        while let Some(inst) = func.blocks[b.index()].insts.get(i).filter(|i| !closed(&i.kind)) {
            match long(&inst.kind).and_then(|latency| self.plan(func, dom, (b, i), latency, ways)) {
                Some(plan) => {
                    i = i + 1 - plan.slice.len();
                    self.carry_out(func, b, &plan);
                    changed = true;
                }
                None => i += 1,
            }
        }
        changed
    }

    fn plan<'a>(
        &self,
        func: &Func,
        dom: &Dominance,
        (b, i): (Block, usize),
        latency: u32,
        ways: &'a [Way],
    ) -> Option<Plan<'a>> {
        let slice = self.slice(func, b, i)?;
        let insts: Vec<&Inst> = slice.iter().map(|&k| &func.blocks[b.index()].insts[k]).collect();
        let more = self.more(&insts);
        let mut best = None;
        for way in ways {
            if !self.sees_the_same(&insts, way.to) || !self.has_room(b, way, more, &insts) {
                break;
            }
            let Some(early) = self.ready(func, dom, &insts, way.to) else { break };
            best = Some(Plan { slice: slice.clone(), way, more });
            if early + way.distance >= latency as usize {
                break;
            }
        }
        best
    }

    /// The instruction and those of its block that make its operands.
    fn slice(&self, func: &Func, b: Block, i: usize) -> Option<Vec<usize>> {
        let insts = &func.blocks[b.index()].insts;
        let mut out = vec![i];
        let mut work = insts[i].kind.uses();
        while let Some(v) = work.pop() {
            if self.at[v.index()] != Some(b) {
                continue;
            }
            // A parameter has no place.
            let k = insts[..i].iter().position(|i| i.results.contains(&v))?;
            if out.contains(&k) {
                continue;
            }
            if !short(&insts[k].kind) || out.len() == SLICE {
                return None;
            }
            out.push(k);
            work.extend(insts[k].kind.uses());
        }
        out.sort_unstable();
        Some(out)
    }

    /// Registers in use more, between the blocks.
    fn more(&self, insts: &[&Inst]) -> i64 {
        let inside = |v: Value| insts.iter().flat_map(|i| i.kind.uses()).filter(|u| *u == v).count() as u32;
        let counts = |v: &Value| !self.pressure.is_free(*v);
        let results = || insts.iter().flat_map(|i| i.results.iter().copied()).filter(counts);
        let longer = results().filter(|v| inside(*v) < self.uses[v.index()]).count();
        let mut operands: Vec<Value> = insts.iter().flat_map(|i| i.kind.uses()).filter(counts).collect();
        operands.sort_unstable();
        operands.dedup();
        let made: Vec<Value> = results().collect();
        let ended = operands.iter().filter(|v| !made.contains(v) && inside(**v) == self.uses[v.index()]).count();
        longer as i64 - ended as i64
    }

    /// Whether loads see the same memory at the end of `to`.
    fn sees_the_same(&self, insts: &[&Inst], to: Block) -> bool {
        let same = |i: &&Inst| match &i.kind {
            Kind::Load { space, width, addr, offset } => {
                let s = space.written_as();
                let seen = |v| self.numbers.seen_by(*space, *width, self.numbers.of(*addr), *offset, v);
                let now = i.results.first().and_then(|r| self.seen.get(r));
                now.is_some_and(|now| seen(now[s]) == seen(self.numbers.end[to.index()][s]))
            }
            _ => true,
        };
        self.blind || insts.iter().all(same)
    }

    /// Whether live values stay below the limit, or become no more.
    fn has_room(&self, b: Block, way: &Way, more: i64, insts: &[&Inst]) -> bool {
        let results = insts.last().map_or(0, |i| i.results.len());
        let fits = |live: usize, more: i64| more <= 0 || live as i64 + more <= self.limit as i64;
        let through = way.between.iter().chain([&b]).all(|b| fits(self.pressure.most[b.index()], more));
        through && fits(self.pressure.end[way.to.index()], more.max(results as i64))
    }

    /// How many instructions of `to` stand behind the last one that makes an operand; `None` if an
    /// operand is not there, or the warp would have to wait for it.
    fn ready(&self, func: &Func, dom: &Dominance, insts: &[&Inst], to: Block) -> Option<usize> {
        let made: Vec<Value> = insts.iter().flat_map(|i| i.results.iter().copied()).collect();
        let operands = insts.iter().flat_map(|i| i.kind.uses()).filter(|v| !made.contains(v));
        if !operands.clone().all(|v| self.at[v.index()].is_some_and(|d| dom.dominates(d, to))) {
            return None;
        }
        let above = &func.blocks[to.index()].insts;
        let waited = waited_for(above);
        let places = operands.filter_map(|v| above.iter().position(|i| i.results.contains(&v)));
        let mut early = above.len();
        for k in places {
            let behind = above[k + 1..].iter().filter(|i| !is_operand(&i.kind)).count();
            let hidden = long(&above[k].kind).is_none_or(|latency| behind >= latency as usize);
            if !hidden && waited.is_none_or(|w| w < k) {
                return None;
            }
            early = early.min(behind);
        }
        Some(early)
    }

    fn carry_out(&mut self, func: &mut Func, b: Block, plan: &Plan) {
        let insts = &mut func.blocks[b.index()].insts;
        let mut moved: Vec<Inst> = plan.slice.iter().rev().map(|&k| insts.remove(k)).collect();
        moved.reverse();
        let to = plan.way.to;
        moved.iter().flat_map(|i| &i.results).for_each(|r| self.at[r.index()] = Some(to));
        let above = &mut func.blocks[to.index()].insts;
        let last = above.len().saturating_sub(1);
        above.splice(last..last, moved);
        let longer = |live: &mut usize| *live = live.saturating_add_signed(plan.more as isize);
        plan.way.between.iter().chain([&b]).for_each(|b| longer(&mut self.pressure.most[b.index()]));
        longer(&mut self.pressure.end[to.index()]);
        let most = &mut self.pressure.most[to.index()];
        *most = (*most).max(self.pressure.end[to.index()]);
    }
}

/// The last instruction of a block that takes long and that its terminator waits for.
fn waited_for(insts: &[Inst]) -> Option<usize> {
    let mut wanted: Vec<Value> = vec![];
    for (k, inst) in insts.iter().enumerate().rev() {
        let terminator = matches!(inst.kind, Kind::Branch { .. });
        if !terminator && !inst.results.iter().any(|r| wanted.contains(r)) {
            continue;
        }
        match (&inst.kind, long(&inst.kind)) {
            (_, Some(_)) => return Some(k),
            (Kind::Branch { cond, .. }, _) => wanted.push(*cond),
            (kind, _) => wanted.extend(kind.uses()),
        }
    }
    None
}
