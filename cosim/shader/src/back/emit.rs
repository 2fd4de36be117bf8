//! Registers into instructions, blocks into a program.
//!
//! The order of the blocks is the source's (then before else before merge; loop header, body,
//! exit), and the machine runs the lowest program counter of a warp first. That is why lanes
//! reconverge: take a two-way branch and the block where its paths meet. The meeting block lies
//! behind both arms, so as long as a lane is in an arm, its counter is lower than that of lanes
//! waiting at the meeting block; it runs first, until it arrives and they continue together. A loop
//! is the same with the exit as meeting block: it lies behind the whole body, so lanes that have
//! left wait for those that iterate. Edge blocks lie directly behind the block that branches to
//! them, before the meeting block. Nothing here moves a block; blocks without instructions vanish,
//! and the copy of a loop's test that replaces a jump back ([`rotate`]) stands where the jump
//! stood.
//!
//! A lane alone follows its own path in any order. But which lanes meet is a matter of results, and
//! not only of speed, where there are operations across lanes: those that were written and the
//! warp-wide atomics that `passes::warp_aggregate` makes; and a lock that one lane holds is given
//! back only if that lane gets its turn. So the loops of the emitted program must be those of the
//! SSA function, each with one jump back, from its end ([`arrive`] and [`leaves_once`] say how that
//! is kept). Wrong would be a second jump back; `tests/loop_shape.rs` looks for one in finished
//! code.

use super::error::BackError;
use super::limits::Limits;
use super::liveness::live_out;
use super::mir::{MFunc, MInst, Operand, Term};
use super::parallel::{sequence, Step};
use super::regalloc::Allocation;
use crate::fault::CompilerFault;
use crate::ops::predicate::cross_lane;
use crate::ssa::Loc;
use quadlock_isa::{abi, BMode, Class, Instr, Op};

/// The longest loop test that is copied to the end of the loop, in instructions.
const ROTATE_LIMIT: usize = 8;

/// A block of instructions with registers; the terminator's condition is a register number.
#[derive(Clone, Debug)]
struct Block {
    name: String,
    insts: Vec<(Instr, Loc)>,
    /// Which of them are releases of `dependencyDone`. They stay at their places ([`rotate`]).
    done: Vec<usize>,
    polling: bool,
    end: End,
    loc: Loc,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Jump(usize),
    /// To `then` where the register is not zero (zero if `negate`).
    Branch {
        cond: u8,
        negate: bool,
        then: usize,
        other: usize,
    },
    Stop(Op),
}

/// The program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Emitted {
    pub code: Vec<u64>,
    pub lines: Vec<Loc>,
    pub labels: Vec<(u32, String)>,
    /// Instructions of polling loops.
    pub polling: Vec<u32>,
    /// Releases of `dependencyDone`.
    pub done: Vec<u32>,
    /// Register moves left, copies of block parameters included.
    pub moves: usize,
    /// Highest register written by the sequencing of copies, plus one; 0 if none was needed.
    pub scratch_registers: usize,
}

/// Emits `f` with the registers of `a`. At most `registers` registers are used.
pub fn run(
    f: &MFunc,
    a: &Allocation,
    registers: usize,
    rotate_loops: bool,
    limits: Option<&Limits>,
    fault: Option<CompilerFault>,
) -> Result<Emitted, BackError> {
    let mut out = Emitted::default();
    let spare = |block: usize, r: usize| limits.is_none_or(|l| l.may_use(block, r));
    let mut blocks = with_registers(f, a, registers, &spare, &mut out);
    thread_jumps(&mut blocks, f.blocks.iter().flat_map(|b| &b.insts).any(|m| convergent(m.op)));
    if rotate_loops {
        rotate(&mut blocks);
    }
    let reachable = reachable(&blocks);
    // After threading, an empty block that is still the target of a jump is an endless loop of its
    // own.
    let order: Vec<usize> = (0..blocks.len()).filter(|&b| reachable[b]).collect();
    link(&blocks, &order, fault, &mut out)?;
    Ok(out)
}

/// `may` says of a block and a register whether the block's copies may use it if it is free.
fn with_registers(
    f: &MFunc,
    a: &Allocation,
    registers: usize,
    may: &dyn Fn(usize, usize) -> bool,
    out: &mut Emitted,
) -> Vec<Block> {
    let reg = |r: super::mir::VReg| a.colour[r.index()].unwrap_or(0);
    let live = live_out(f);
    let mut blocks = Vec::new();
    for (at, (b, live)) in f.blocks.iter().zip(live).enumerate() {
        let mut insts: Vec<(Instr, Loc)> = Vec::new();
        let mut done = Vec::new();
        for m in &b.insts {
            if m.as_move().is_some_and(|(d, s)| reg(d) == reg(s)) {
                continue;
            }
            out.moves += usize::from(m.as_move().is_some());
            done.extend(m.done.then_some(insts.len()));
            insts.push((instruction(m, &reg), m.loc));
        }
        let copies: Vec<(u8, Source)> = b.copies.iter().map(|&(d, s)| (reg(d), Source::new(s, &reg))).collect();
        let mut taken =
            live.iter().filter_map(|r| a.colour[r]).chain(b.term.cond().map(reg)).fold(0u64, |m, r| m | 1 << r);
        for (d, s) in &copies {
            taken |= 1 << d | s.reg().map_or(0, |r| 1 << r);
        }
        let spare = (0..registers as u8).find(|&r| taken >> r & 1 == 0 && may(at, r.into()));
        for step in sequence(&copies, Source::reg, Source::Reg, || spare) {
            if let (Step::Copy(d, _), Some(s)) = (step, spare) {
                out.scratch_registers = out.scratch_registers.max(if d == s { usize::from(s) + 1 } else { 0 });
            }
            for i in step_instructions(step) {
                out.moves += 1;
                insts.push((i, b.term_loc));
            }
        }
        let end = match b.term {
            Term::Jump(t) => End::Jump(t),
            Term::Branch { cond, negate, then, other } => End::Branch { cond: reg(cond), negate, then, other },
            Term::End => End::Stop(Op::End),
            Term::Discard => End::Stop(Op::Discard),
        };
        blocks.push(Block { name: b.name.clone(), insts, done, polling: b.polling, end, loc: b.term_loc });
    }
    blocks
}

/// Source of a copy, with registers.
#[derive(Clone, Copy)]
enum Source {
    Reg(u8),
    Imm(u32),
    Const(u32),
}

impl Source {
    fn new(o: Operand, reg: &dyn Fn(super::mir::VReg) -> u8) -> Source {
        match o {
            Operand::Reg(r) => Source::Reg(reg(r)),
            Operand::Imm(i) => Source::Imm(i),
            Operand::Const(w) => Source::Const(w),
            Operand::None => Source::Imm(0),
        }
    }
    fn reg(self) -> Option<u8> {
        match self {
            Source::Reg(r) => Some(r),
            _ => None,
        }
    }
}

fn step_instructions(step: Step<u8, Source>) -> Vec<Instr> {
    match step {
        Step::Copy(d, s) => {
            let mut i = Instr { d, ..Instr::new(Op::Mov) };
            match s {
                Source::Reg(r) => i.b = r,
                Source::Imm(v) => (i.b_mode, i.imm) = (BMode::Imm, v),
                Source::Const(w) => (i.b_mode, i.imm) = (BMode::Const, w),
            }
            vec![i]
        }
        Step::Swap(x, y) => {
            let xor = |d, a, b| Instr { d, a, b, ..Instr::new(Op::Xor) };
            vec![xor(x, x, y), xor(y, y, x), xor(x, x, y)]
        }
    }
}

fn instruction(m: &MInst, reg: &dyn Fn(super::mir::VReg) -> u8) -> Instr {
    let mut i = Instr { imm: m.imm, ..Instr::new(m.op) };
    i.d = m.defs.first().map_or(0, |&d| reg(d));
    i.a = m.a.map_or(0, reg);
    i.c = m.c.first().map_or(0, |&c| reg(c));
    i.b = m.data.first().map_or(0, |&d| reg(d));
    match m.b {
        Operand::None => {}
        Operand::Reg(r) => i.b = reg(r),
        Operand::Imm(v) => (i.b_mode, i.imm) = (BMode::Imm, v),
        Operand::Const(w) => (i.b_mode, i.imm) = (BMode::Const, w),
    }
    i
}

/// Whether it matters which lanes execute it together.
fn convergent(op: Op) -> bool {
    op.is_warp_wide() || cross_lane(op)
}

fn is_empty(b: &Block) -> bool {
    b.insts.is_empty() && matches!(b.end, End::Jump(_))
}

/// Where a jump from block `from` to block `t` really arrives. With `gather` (operations across
/// lanes) no empty block that jumps back is passed. A cycle of empty blocks (an endless loop) stays
/// where it is entered.
///
/// An empty block that jumps back is where the lanes of a turn gather before the next one. It is
/// passed only if nobody else comes to it and nothing but copies stands between: else lanes would
/// go back past others that wait, and the divergence analysis (`passes::divergence`) counts on it
/// that they do not.
fn arrive(blocks: &[Block], from: usize, t: usize, gather: bool) -> usize {
    let (mut at, mut alone) = (t, true);
    for _ in 0..blocks.len() {
        let End::Jump(next) = blocks[at].end else { return at };
        if !is_empty(&blocks[at]) {
            return at;
        }
        alone &= jumps_to(blocks, at) == 1;
        let copies = |b: &Block| b.insts.iter().all(|(i, _)| i.op == Op::Mov);
        if next <= at && (gather || !alone || from >= at || !blocks[from + 1..at].iter().all(copies)) {
            return at;
        }
        at = next;
    }
    t
}

/// How many ends of blocks name `t`.
fn jumps_to(blocks: &[Block], t: usize) -> usize {
    let ends = blocks.iter().map(|b| match b.end {
        End::Jump(x) => usize::from(x == t),
        End::Branch { then, other, .. } => usize::from(then == t) + usize::from(other == t),
        End::Stop(_) => 0,
    });
    ends.sum()
}

/// Jumps go past empty blocks; a jump to a block that only stops, stops; a branch with one
/// destination is a jump. A block may become empty by that, so again until nothing changes.
fn thread_jumps(blocks: &mut [Block], gather: bool) {
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for b in 0..blocks.len() {
            let end = threaded(blocks, b, gather);
            changed |= end != blocks[b].end;
            blocks[b].end = end;
        }
    }
}

/// The end of block `b` with its jumps threaded.
fn threaded(blocks: &[Block], b: usize, gather: bool) -> End {
    match blocks[b].end {
        End::Jump(t) => {
            let t = arrive(blocks, b, t, gather);
            match blocks[t].end {
                End::Stop(op) if blocks[t].insts.is_empty() => End::Stop(op),
                _ => End::Jump(t),
            }
        }
        End::Branch { cond, negate, then, other } => {
            let (then, other) = (arrive(blocks, b, then, gather), arrive(blocks, b, other, gather));
            if then == other {
                End::Jump(then)
            } else {
                End::Branch { cond, negate, then, other }
            }
        }
        stop => stop,
    }
}

/// Replaces a jump back to a short loop test by the test itself: one instruction fewer each time
/// round. The registers are the same, so the copy means the same.
fn rotate(blocks: &mut [Block]) {
    for b in 0..blocks.len() {
        let End::Jump(head) = blocks[b].end else { continue };
        if !leaves_once(blocks, head, b) {
            continue;
        }
        // Semaphore instructions stay at their one place, so do those of which it matters which
        // lanes meet there, and polling is told by the block that it is in.
        let one_place = |op: Op| op.class() == Class::Message || convergent(op);
        let stays = blocks[head].polling || blocks[head].insts.iter().any(|(i, _)| one_place(i.op));
        if stays {
            continue;
        }
        if blocks[head].insts.len() > ROTATE_LIMIT {
            continue;
        }
        let (test, end, loc) = (blocks[head].insts.clone(), blocks[head].end, blocks[head].loc);
        blocks[b].insts.extend(test);
        blocks[b].end = end;
        blocks[b].loc = loc;
    }
}

/// Whether the loop from `head` to the jump back in `last` is left at its head by exactly one way,
/// to behind the loop, and the other way leads to a block to which no other jump goes back.
///
/// Then the copy of the head's branch at the end of `last` is one jump back and one way out, and
/// the loop is, in the sense of `ssa::shape`, that of before without its first
/// block: from the block that the head goes on to (nothing comes to those between the two but
/// through the head, or the loop would be entered in its middle) to `last`. It is entered at this
/// first block only, from the head, which stands before it, and has one edge back, from its last
/// block; what nested with the loop of before nests with this one. If both ways stayed in the loop,
/// as where its body begins with an `if`, the copy would be two jumps back, and lanes of one turn
/// would go different ways to the next; if the block were the head of an inner loop, both loops
/// would go back to one block.
fn leaves_once(blocks: &[Block], head: usize, last: usize) -> bool {
    let End::Branch { then, other, .. } = blocks[head].end else { return false };
    let (inside, outside) = (then.min(other), then.max(other));
    head < inside && inside <= last && last < outside && !goes_back_to(blocks, inside)
}

/// Whether a block behind `t`, or `t` itself, goes to `t`.
fn goes_back_to(blocks: &[Block], t: usize) -> bool {
    blocks[t..].iter().any(|b| match b.end {
        End::Jump(x) => x == t,
        End::Branch { then, other, .. } => then == t || other == t,
        End::Stop(_) => false,
    })
}

fn reachable(blocks: &[Block]) -> Vec<bool> {
    let mut seen = vec![false; blocks.len()];
    let mut work = vec![0];
    while let Some(b) = work.pop() {
        if std::mem::replace(&mut seen[b], true) {
            continue;
        }
        match blocks[b].end {
            End::Jump(t) => work.push(t),
            End::Branch { then, other, .. } => work.extend([then, other]),
            End::Stop(_) => {}
        }
    }
    seen
}

/// Lays the blocks one behind the other and fills in the targets.
fn link(blocks: &[Block], order: &[usize], fault: Option<CompilerFault>, out: &mut Emitted) -> Result<(), BackError> {
    // Instructions with the block they jump to, then addresses.
    let mut code: Vec<(Instr, Option<usize>, Loc)> = Vec::new();
    let mut address = vec![0u32; blocks.len()];
    for (i, &b) in order.iter().enumerate() {
        let block = &blocks[b];
        let next = order.get(i + 1).copied();
        address[b] = code.len() as u32;
        out.labels.push((address[b], block.name.clone()));
        out.done.extend(block.done.iter().map(|&i| address[b] + i as u32));
        code.extend(block.insts.iter().map(|&(i, loc)| (i, None, loc)));
        let mut jump = |op, a, target| code.push((Instr { a, ..Instr::new(op) }, Some(target), block.loc));
        match block.end {
            End::Jump(t) if next == Some(t) => {}
            End::Jump(t) => jump(Op::Bra, 0, t),
            End::Branch { cond, negate, then, other } => {
                let op = |n: bool| if n { Op::Bz } else { Op::Bnz };
                if next == Some(then) {
                    let wrong = fault == Some(CompilerFault::WrongBranchLayout);
                    jump(op(negate == wrong), cond, other);
                } else {
                    jump(op(negate), cond, then);
                    if next != Some(other) {
                        jump(Op::Bra, 0, other);
                    }
                }
            }
            End::Stop(op) => code.push((Instr::new(op), None, block.loc)),
        }
        if block.polling {
            out.polling.extend(address[b]..code.len() as u32);
        }
    }
    if code.len() > abi::MAX_PROGRAM {
        let message = format!("the program has {} instructions, {} are possible", code.len(), abi::MAX_PROGRAM);
        return Err(BackError { message, loc: Loc::default() });
    }
    for (mut i, target, loc) in code {
        if let Some(t) = target {
            i.imm = address[t];
        }
        out.code.push(quadlock_isa::encode(&i));
        out.lines.push(loc);
    }
    Ok(())
}
