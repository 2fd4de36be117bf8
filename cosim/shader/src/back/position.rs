//! The position part of a vertex program (HZ-30, HZ-36): what is left of it if only the clip
//! position is asked for.
//!
//! It is cut from the selected program, so every operation that stays is the operation of the full
//! program: no pass looks at it again, nothing is fused, folded or put in another order of
//! evaluation. Live is what feeds output words 0 to 3, and each branch that decides whether that is
//! done (its block is not a post-dominator of the branch). Other branches become jumps to where
//! their ways meet. A program whose positions depend on more than a vertex has no part, and says
//! so. Wrong would be a branch or a copy that is taken for dead: random programs are compared with
//! their parts, bit for bit, on the golden model.

use std::collections::HashMap;

use quadlock_isa::{Class, Lanes, Op, Special};

use super::cfg::Cfg;
use super::mir::{MBlock, MFunc, MInst, Operand, Term, VReg};
use crate::fault::CompilerFault;

/// Output words of the clip position.
const POSITION_WORDS: u32 = 4;

/// The program that gives the position alone.
///
/// # Errors
/// Why there is none, in words.
pub fn cut(full: &MFunc, fault: Option<CompilerFault>) -> Result<MFunc, String> {
    let succ: Vec<Vec<usize>> = full.blocks.iter().map(|b| b.term.targets()).collect();
    let meets = Meets::new(&succ);
    let mut live = Live::new(full);
    live.run(full, &meets);
    if let Some(why) = full.blocks.iter().enumerate().find_map(|(b, block)| {
        let kept = block.insts.iter().enumerate().filter(|(i, _)| live.insts[b][*i]);
        kept.filter_map(|(_, m)| obstacle(m)).next()
    }) {
        return Err(why.into());
    }
    let mut part = rebuilt(full, &succ, &meets, &live);
    if !live.stack {
        (part.stack_pointer, part.frame) = (None, 0);
    }
    if fault == Some(CompilerFault::PositionSplitsFma) {
        split_fma(&mut part);
    }
    Ok(part)
}

/// Loads of a program.
pub fn loads(f: &MFunc) -> usize {
    f.blocks.iter().flat_map(|b| &b.insts).filter(|m| m.op.is_load()).count()
}

/// What makes a position depend on more than its vertex.
fn obstacle(m: &MInst) -> Option<&'static str> {
    let slots = [Special::Lane, Special::Warp, Special::Unit, Special::Coverage].map(|s| s as u32);
    match m.op {
        op if op.is_atomic() || op.is_store() && !m.own => Some("the program writes memory"),
        op if op.class() == Class::Message || op == Op::Bar => Some("the program waits for others"),
        op if op.row().lanes != Lanes::Own => Some("the position depends on other lanes of the warp"),
        Op::S2R if slots.contains(&m.imm) => Some("the position depends on its place in the warp"),
        _ => None,
    }
}

/// Where the ways from a block meet again, and which branches decide whether a block is run.
struct Meets {
    /// The nearest block that every way from a block comes to; the number of blocks: the end.
    next: Vec<Option<usize>>,
    /// Branches that decide whether a block is run.
    deciders: Vec<Vec<usize>>,
}

impl Meets {
    fn new(succ: &[Vec<usize>]) -> Meets {
        let n = succ.len();
        let mut back: Vec<Vec<usize>> = vec![vec![]; n + 1];
        for (b, to) in succ.iter().enumerate() {
            to.iter().for_each(|&t| back[t].push(b));
            if to.is_empty() {
                back[n].push(b);
            }
        }
        let next: Vec<Option<usize>> = Cfg::new(&back, n).idom[..n].to_vec();
        let mut deciders = vec![vec![]; n];
        for (b, to) in succ.iter().enumerate().filter(|(_, to)| to.len() > 1) {
            for &t in to {
                // All that is passed on the way to where the ways meet. Where they never do, as in
                // a loop without an end, the branch decides everything.
                let mut at = Some(t);
                while let Some(x) = at.filter(|&x| x != n && Some(x) != next[b]) {
                    if !deciders[x].contains(&b) {
                        deciders[x].push(b);
                    }
                    at = next[x];
                }
            }
        }
        let ends = |b: usize| next[b].is_some();
        if !(0..n).all(ends) {
            let branches: Vec<usize> = (0..n).filter(|&b| succ[b].len() > 1).collect();
            deciders.iter_mut().for_each(|d| d.clone_from(&branches));
        }
        Meets { next, deciders }
    }
}

/// What the position needs.
struct Live {
    regs: Vec<bool>,
    /// By block and instruction, by block and copy, by block its branch.
    insts: Vec<Vec<bool>>,
    copies: Vec<Vec<bool>>,
    branches: Vec<bool>,
    blocks: Vec<bool>,
    /// Some load is of the thread's stack: all stores to it count.
    stack: bool,
    /// By register where it is written: block, and instruction or copy.
    writers: HashMap<VReg, Vec<(usize, Writer)>>,
    work: Vec<VReg>,
}

#[derive(Clone, Copy)]
enum Writer {
    Inst(usize),
    Copy(usize),
}

impl Live {
    fn new(f: &MFunc) -> Live {
        let mut writers: HashMap<VReg, Vec<(usize, Writer)>> = HashMap::new();
        for (b, block) in f.blocks.iter().enumerate() {
            let insts = block.insts.iter().enumerate();
            let insts = insts.flat_map(|(i, m)| m.defs.iter().map(move |&d| (d, Writer::Inst(i))));
            let copies = block.copies.iter().enumerate().map(|(i, c)| (c.0, Writer::Copy(i)));
            insts.chain(copies).for_each(|(d, w)| writers.entry(d).or_default().push((b, w)));
        }
        Live {
            regs: vec![false; f.vregs as usize],
            insts: f.blocks.iter().map(|b| vec![false; b.insts.len()]).collect(),
            copies: f.blocks.iter().map(|b| vec![false; b.copies.len()]).collect(),
            branches: vec![false; f.blocks.len()],
            blocks: vec![false; f.blocks.len()],
            stack: false,
            writers,
            work: vec![],
        }
    }

    fn run(&mut self, f: &MFunc, meets: &Meets) {
        let of_stack = on_stack(f);
        let all = || f.blocks.iter().enumerate().flat_map(|(b, block)| (0..block.insts.len()).map(move |i| (b, i)));
        for (b, i) in all() {
            let m = &f.blocks[b].insts[i];
            if m.op == Op::Out && m.imm < POSITION_WORDS {
                self.inst(f, meets, b, i);
            }
        }
        loop {
            while let Some(r) = self.work.pop() {
                for (b, writer) in self.writers.get(&r).cloned().unwrap_or_default() {
                    match writer {
                        Writer::Inst(i) => self.inst(f, meets, b, i),
                        Writer::Copy(i) => {
                            self.copies[b][i] = true;
                            f.blocks[b].copies[i].1.reg().into_iter().for_each(|r| self.reg(r));
                            self.block(f, meets, b);
                        }
                    }
                }
            }
            let reads = |m: &MInst| m.op.is_load() && m.a.is_some_and(|a| of_stack[a.index()]);
            if self.stack || !all().any(|(b, i)| self.insts[b][i] && reads(&f.blocks[b].insts[i])) {
                break;
            }
            self.stack = true;
            for (b, i) in all().filter(|&(b, i)| f.blocks[b].insts[i].own) {
                self.inst(f, meets, b, i);
            }
        }
    }

    fn reg(&mut self, r: VReg) {
        if !std::mem::replace(&mut self.regs[r.index()], true) {
            self.work.push(r);
        }
    }

    fn inst(&mut self, f: &MFunc, meets: &Meets, b: usize, i: usize) {
        if !std::mem::replace(&mut self.insts[b][i], true) {
            f.blocks[b].insts[i].uses().for_each(|r| self.reg(r));
            self.block(f, meets, b);
        }
    }

    /// What decides whether a block is run counts.
    fn block(&mut self, f: &MFunc, meets: &Meets, b: usize) {
        let mut left = vec![b];
        while let Some(b) = left.pop() {
            if std::mem::replace(&mut self.blocks[b], true) {
                continue;
            }
            for &decider in &meets.deciders[b] {
                self.branches[decider] = true;
                f.blocks[decider].term.cond().into_iter().for_each(|r| self.reg(r));
                left.push(decider);
            }
        }
    }
}

/// Registers that hold an address in the thread's stack.
fn on_stack(f: &MFunc) -> Vec<bool> {
    let mut of = vec![false; f.vregs as usize];
    let Some(base) = f.stack_pointer else { return of };
    of[base.index()] = true;
    let mut changed = true;
    while changed {
        changed = false;
        let mut derive = |of: &mut Vec<bool>, d: VReg| changed |= !std::mem::replace(&mut of[d.index()], true);
        for block in &f.blocks {
            for m in block.insts.iter().filter(|m| !m.op.is_memory()) {
                if m.uses().any(|r| of[r.index()]) {
                    m.defs.iter().for_each(|&d| derive(&mut of, d));
                }
            }
            for (d, s) in &block.copies {
                if s.reg().is_some_and(|r| of[r.index()]) {
                    derive(&mut of, *d);
                }
            }
        }
    }
    of
}

/// The program without what is not live, and without blocks that nobody comes to.
fn rebuilt(full: &MFunc, succ: &[Vec<usize>], meets: &Meets, live: &Live) -> MFunc {
    let n = full.blocks.len();
    let to = |b: usize| -> Vec<usize> {
        match succ[b].len() > 1 && !live.branches[b] {
            true => meets.next[b].into_iter().filter(|&t| t != n).collect(),
            false => succ[b].clone(),
        }
    };
    let mut reached = vec![false; n];
    let mut left = vec![0];
    while let Some(b) = left.pop() {
        if !std::mem::replace(&mut reached[b], true) {
            left.extend(to(b));
        }
    }
    let number: Vec<usize> = (0..n).map(|b| reached[..b].iter().filter(|r| **r).count()).collect();
    let mut blocks: Vec<MBlock> = vec![];
    for b in (0..n).filter(|&b| reached[b]) {
        let old = &full.blocks[b];
        let insts = old.insts.iter().zip(&live.insts[b]).filter(|(_, live)| **live).map(|(m, _)| m.clone());
        let copies = old.copies.iter().zip(&live.copies[b]).filter(|(_, live)| **live).map(|(c, _)| *c);
        let term = match old.term {
            Term::Branch { cond, negate, then, other } if live.branches[b] => {
                Term::Branch { cond, negate, then: number[then], other: number[other] }
            }
            Term::Branch { .. } | Term::Jump(_) => to(b).first().map_or(Term::End, |&t| Term::Jump(number[t])),
            term => term,
        };
        blocks.push(MBlock { insts: insts.collect(), copies: copies.collect(), term, ..old.clone() });
    }
    MFunc { blocks, ..full.clone() }
}

/// The planted fault.
fn split_fma(f: &mut MFunc) {
    for b in 0..f.blocks.len() {
        let old = std::mem::take(&mut f.blocks[b].insts);
        for m in old {
            let addend = m.c.first().copied().filter(|_| m.op == Op::FFma);
            let Some(addend) = addend else {
                f.blocks[b].insts.push(m);
                continue;
            };
            let product = f.new_vreg();
            let (a, b_of_sum) = (Some(product), Operand::Reg(addend));
            let sum = MInst { op: Op::FAdd, a, b: b_of_sum, c: vec![], ..m.clone() };
            f.blocks[b].insts.extend([MInst { op: Op::FMul, defs: vec![product], c: vec![], ..m }, sum]);
        }
    }
}
