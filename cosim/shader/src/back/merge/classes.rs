//! Registers around a merge point: which values are public, which private, what is moved (MS-31).
//!
//! A value that helpers need before the point is private. One that lives across it is public. One
//! that is both is moved behind its last computation, just before `MERGE`; a constant is made again
//! behind it instead. A row of registers is of one class. What lives on one side only may have any
//! register. A helper of a warp that is not merged runs on with public registers that read 0, so
//! loads and loops behind the point are only for lanes that are no helpers: these end first. Wrong
//! if a class is too weak: `merge_check` looks at the code.

use super::super::bits::BitSet;
use super::super::limits::{Class, Limits};
use super::super::liveness::{live_out, walk_back, Place};
use super::super::mir::{MBlock, MFunc, MInst, Operand, Term, VReg};
use super::needs::{self, Need};
use super::place::{reads, Flow, Placed};
use super::rules::MergeRules;
use crate::fault::CompilerFault;
use crate::ssa::Loc;
use quadlock_isa::abi::PrivateSet;
use quadlock_isa::{Op, Special};

/// A program with `MERGE` in it and what its registers have to be.
pub struct Classed {
    pub f: MFunc,
    /// Without the cutoff, which the allocation finds.
    pub limits: Limits,
    /// The lowest cutoff that could do.
    pub least: usize,
    /// The highest.
    pub most: usize,
    /// Moves from private to public registers.
    pub moves: usize,
    /// Instructions that end helpers.
    pub ends: usize,
    pub needs: Vec<Need>,
}

/// Puts `MERGE` into the program at its place, for a machine with those rules.
pub fn run(placed: Placed, flow: &Flow, rules: MergeRules, fault: Option<CompilerFault>) -> Classed {
    let MergeRules { private: set, helpers_end } = rules;
    let Placed { mut f, block, at, .. } = placed;
    let n = f.blocks.len();
    let behind: Vec<bool> = (0..n).map(|b| flow.reaches(block, b)).collect();
    let before: Vec<bool> = (0..n).map(|b| b != block && !behind[b]).collect();
    let needs = needs::find(&f, &before, block, at);
    let private = whole_rows(&f, &needs.values);
    let loc = point_loc(&f.blocks[block], at);
    f.blocks[block].insts.insert(at, MInst::new(Op::Merge, vec![], loc));
    let mut point = Point { f, block, at, behind, moves: 0 };
    let mut public = BitSet::new(point.f.vregs as usize);
    let mut moved = vec![];
    let faulty = fault == Some(CompilerFault::MergePrivateLive);
    for r in point.live().iter().map(|r| VReg(r as u32)).collect::<Vec<_>>() {
        if point.made_again(r) || faulty && private.contains(r.index()) {
            continue;
        }
        match private.contains(r.index()) {
            true => moved.push(point.move_up(r)),
            false => public.insert(r.index()),
        }
    }
    // A merged warp without private registers has everything in public ones.
    let bare = set == PrivateSet::None;
    if bare && fault != Some(CompilerFault::MergeNoPrivate) {
        let from = |b: usize| if b == block { Some(point.at) } else { point.behind[b].then_some(0) };
        let mut all = BitSet::new(point.f.vregs as usize);
        all.union(&public);
        all_behind(&point.f, &from).iter().for_each(|r| all.insert(r.index()));
        public = all;
    }
    let public = whole_rows(&point.f, &public);
    let Point { mut f, behind, moves, at, .. } = point;
    let across = !moved.is_empty() || public.len() > 0;
    let mut early = early(&f, &|b| match before[b] {
        true => usize::MAX,
        false if b == block => at,
        false => 0,
    });
    if fault == Some(CompilerFault::MergeBeyond) {
        early.fill(false);
    }
    let mut class = vec![Class::Either; f.vregs as usize];
    let wanted = match fault {
        Some(CompilerFault::MergePublicHelper) => Class::Public,
        _ => Class::Private,
    };
    private.iter().for_each(|r| class[r] = wanted);
    public.iter().for_each(|r| class[r] = Class::Public);
    moved.iter().for_each(|r: &VReg| class[r.index()] = Class::Public);
    let own = f.blocks[block].insts[at..].iter().any(|m| m.op.is_load());
    let late = if bare { Class::Public } else { Class::Either };
    let mut spare: Vec<Class> = before.iter().map(|&b| if b { Class::Private } else { late }).collect();
    let ends = !helpers_end && across && (own || (0..n).any(|b| behind[b] && strays(&f.blocks[b])));
    if ends {
        let flag = end_helpers(&mut f, block, at + 1, loc, set);
        let its = if bare { Class::Public } else { Class::Private };
        class.resize(f.vregs as usize, Class::Either);
        class[flag.index()] = its;
        spare.splice(block..block, [its, its]);
        early.resize(f.vregs as usize, false);
    }
    // Not all that is behind the point lives at once.
    let least = if bare { 1 } else { moved.len() + public.len() };
    let most = if across { usize::MAX } else { 0 };
    let limits = Limits { class, spare, private: set, early, ..Limits::default() };
    Classed { f, limits, least, most, moves, ends: if ends { 2 } else { 0 }, needs: needs.roots }
}

/// The values that are made behind the point: in blocks from the instruction on that `from` gives.
pub fn all_behind(f: &MFunc, from: &dyn Fn(usize) -> Option<usize>) -> Vec<VReg> {
    let mut all = vec![];
    for (i, b) in f.blocks.iter().enumerate() {
        let Some(from) = from(i) else { continue };
        all.extend(b.insts[from..].iter().flat_map(|m| &m.defs));
        all.extend(b.copies.iter().map(|c| c.0));
    }
    all
}

/// By value: it is there before the point, in the first instructions of blocks, as many as `until`
/// says.
pub fn early(f: &MFunc, until: &dyn Fn(usize) -> usize) -> Vec<bool> {
    let mut early = vec![false; f.vregs as usize];
    for (i, b) in f.blocks.iter().enumerate() {
        let until = until(i);
        for m in b.insts.iter().take(until) {
            m.uses().chain(m.defs.iter().copied()).for_each(|r| early[r.index()] = true);
        }
        if until == usize::MAX {
            let copies = b.copies.iter().flat_map(|(d, s)| [Some(*d), s.reg()]).flatten();
            copies.chain(b.term.cond()).for_each(|r| early[r.index()] = true);
        }
    }
    early
}

/// Place of the point in the source: that of the operation before it, else of the one behind.
pub fn point_loc(b: &MBlock, at: usize) -> Loc {
    let before = at.checked_sub(1).and_then(|i| b.insts.get(i));
    before.or(b.insts.get(at)).map_or(b.term_loc, |m| m.loc)
}

/// The registers of all rows that a set touches.
pub fn whole_rows(f: &MFunc, some: &BitSet) -> BitSet {
    let mut all = BitSet::new(f.vregs as usize);
    all.union(some);
    for m in f.blocks.iter().flat_map(|b| &b.insts) {
        for row in [&m.defs, &m.data, &m.c] {
            if row.iter().any(|r| all.contains(r.index())) {
                row.iter().for_each(|r| all.insert(r.index()));
            }
        }
    }
    all
}

/// A program while values that live across its point are given registers that do.
struct Point {
    f: MFunc,
    block: usize,
    /// Number of `MERGE` in the block.
    at: usize,
    behind: Vec<bool>,
    moves: usize,
}

impl Point {
    /// Values that live across the point.
    fn live(&self) -> BitSet {
        let mut live = live_out(&self.f)[self.block].clone();
        let mut across = None;
        walk_back(&self.f.blocks[self.block], &mut live, &mut |place, live| {
            if place == Place::Inst(self.at) {
                across = Some(live.clone());
            }
        });
        across.unwrap_or_else(|| BitSet::new(self.f.vregs as usize))
    }

    /// A constant is made again behind the point.
    fn made_again(&mut self, r: VReg) -> bool {
        let defines = |m: &&MInst| m.defs.contains(&r);
        let all = self.f.blocks.iter().flat_map(|b| &b.insts);
        let Some(m) = all.clone().find(defines).filter(|m| m.is_cheap()).cloned() else { return false };
        let copied = self.f.blocks.iter().any(|b| b.copies.iter().any(|c| c.0 == r));
        if copied || all.filter(defines).count() != 1 {
            return false;
        }
        let again = self.rename_behind(r);
        let b = &mut self.f.blocks[self.block];
        let first = b.insts[self.at..].iter().position(|m| m.uses().any(|u| u == again));
        let at = first.map_or(b.insts.len(), |i| self.at + i);
        b.insts.insert(at, MInst { defs: vec![again], ..m });
        self.drop_unread(r);
        true
    }

    /// A private value that lives across gets a public copy, made just before the point.
    fn move_up(&mut self, r: VReg) -> VReg {
        let copy = self.rename_behind(r);
        let b = &mut self.f.blocks[self.block];
        let loc = b.insts[self.at].loc;
        b.insts.insert(self.at, MInst::mov(copy, Operand::Reg(r), loc));
        self.at += 1;
        self.moves += 1;
        copy
    }

    /// A fresh name for the value behind the point.
    fn rename_behind(&mut self, r: VReg) -> VReg {
        let (block, at, behind) = (self.block, self.at, &self.behind);
        rename(&mut self.f, r, &|b| if b == block { Some(at) } else { behind[b].then_some(0) })
    }

    /// Takes a definition away that nothing reads any more.
    fn drop_unread(&mut self, r: VReg) {
        if self.f.blocks.iter().any(|b| reads(b, 0, r)) {
            return;
        }
        for (i, b) in self.f.blocks.iter_mut().enumerate() {
            let Some(at) = b.insts.iter().position(|m| m.defs == [r]) else { continue };
            b.insts.remove(at);
            if i == self.block && at < self.at {
                self.at -= 1;
            }
        }
    }
}

/// A fresh name for a value where it is read: in the blocks for which `from` gives the first
/// instruction that counts, and at their ends.
pub fn rename(f: &mut MFunc, r: VReg, from: &dyn Fn(usize) -> Option<usize>) -> VReg {
    let new = f.new_vreg();
    let mut to = |u: VReg| if u == r { new } else { u };
    for (i, b) in f.blocks.iter_mut().enumerate() {
        let Some(from) = from(i) else { continue };
        b.insts[from..].iter_mut().for_each(|m| m.map_uses(&mut to));
        for (_, s) in &mut b.copies {
            if let Operand::Reg(u) = s {
                *u = to(*u);
            }
        }
        if let Term::Branch { cond, .. } = &mut b.term {
            *cond = to(*cond);
        }
    }
    new
}

/// Whether helpers whose public registers read 0 could go astray in the block: by an address, or
/// for ever round a loop.
pub fn strays(b: &MBlock) -> bool {
    b.depth > 0 || b.insts.iter().any(|m| m.op.is_load())
}

/// Splits the block behind the point: helpers end there. Returns the register that tells them. If
/// it has to be a public one, it is 1 for lanes that own it, and others read 0.
pub fn end_helpers(f: &mut MFunc, block: usize, at: usize, loc: Loc, set: PrivateSet) -> VReg {
    let flag = f.new_vreg();
    let shift = |t: &mut usize| *t += if *t > block { 2 } else { 0 };
    for b in &mut f.blocks {
        match &mut b.term {
            Term::Jump(t) => shift(t),
            Term::Branch { then, other, .. } => [then, other].into_iter().for_each(shift),
            Term::End | Term::Discard => {}
        }
    }
    let first = &mut f.blocks[block];
    let rest = MBlock {
        name: format!("{}.merged", first.name),
        insts: first.insts.split_off(at),
        copies: std::mem::take(&mut first.copies),
        ..first.clone()
    };
    let bare = set == PrivateSet::None;
    first.insts.push(match bare {
        true => MInst::mov(flag, Operand::Imm(1), loc),
        false => MInst { imm: Special::Helper as u32, ..MInst::new(Op::S2R, vec![flag], loc) },
    });
    first.term = Term::Branch { cond: flag, negate: bare, then: block + 1, other: block + 2 };
    first.term_loc = loc;
    let end = MBlock {
        name: format!("{}.helpers", first.name),
        insts: vec![],
        copies: vec![],
        term: Term::End,
        ..first.clone()
    };
    f.blocks.splice(block + 1..block + 1, [end, rest]);
    flag
}
