//! Registers around a split point: what lives across it is public, what is written behind it is
//! private (MS-42).
//!
//! Behind the point a write to a public register does nothing, and private ones hold nothing until
//! they are written. Before it any register will do. Wrong if a class is too weak: `split_check`
//! looks at the code.

use super::super::bits::BitSet;
use super::super::limits::{Class, Limits};
use super::super::liveness::{live_out, walk_back};
use super::super::merge::classes::{point_loc, whole_rows};
use super::super::merge::place::Flow;
use super::super::mir::{MBlock, MFunc, MInst, Operand};
use super::place::Placed;
use crate::fault::CompilerFault;
use quadlock_isa::Op;

/// A program with `SPLIT` in it and what its registers have to be.
pub struct Classed {
    pub f: MFunc,
    /// Without the cutoff, which the allocation finds.
    pub limits: Limits,
    /// The lowest cutoff that could do.
    pub least: usize,
}

/// Values that live across the point, with the rows that they are in.
pub fn across(placed: &Placed) -> BitSet {
    let b = &placed.f.blocks[placed.block];
    let behind = MBlock { insts: b.insts[placed.at..].to_vec(), ..b.clone() };
    let mut live = live_out(&placed.f)[placed.block].clone();
    walk_back(&behind, &mut live, &mut |_, _| {});
    whole_rows(&placed.f, &live)
}

/// Copies behind the point from what lives across it: none of them can vanish. Each counts as often
/// as its block runs.
pub fn moves(placed: &Placed, flow: &Flow, public: &BitSet) -> (usize, f64) {
    let behind = |b: &usize| *b == placed.block || flow.reaches(placed.block, *b);
    let moved = |o: Option<Operand>| o.and_then(Operand::reg).is_some_and(|r| public.contains(r.index()));
    let (mut count, mut often) = (0, 0.0);
    for b in (0..placed.f.blocks.len()).filter(behind) {
        let block = &placed.f.blocks[b];
        let from = if b == placed.block { placed.at } else { 0 };
        let copies = block.copies.iter().filter(|c| moved(Some(c.1))).count();
        let moves = block.insts[from..].iter().filter(|m| m.op == Op::Mov && moved(Some(m.b))).count();
        count += copies + moves;
        often += flow.often[b] * (copies + moves) as f64;
    }
    (count, often)
}

/// Puts `SPLIT` into the program at its place; none if a value would have to be on both sides.
pub fn run(placed: Placed, flow: &Flow, fault: Option<CompilerFault>) -> Option<Classed> {
    let public = across(&placed);
    let Placed { mut f, block, at, .. } = placed;
    let behind = |b: usize| b == block || flow.reaches(block, b);
    let wanted =
        |planted: CompilerFault, right: Class, wrong: Class| if fault == Some(planted) { wrong } else { right };
    let written = wanted(CompilerFault::SplitPublicWrite, Class::Private, Class::Public);
    let lives = wanted(CompilerFault::SplitPrivateLive, Class::Public, Class::Private);
    let mut class = vec![Class::Either; f.vregs as usize];
    for (i, b) in f.blocks.iter().enumerate().filter(|(i, _)| behind(*i)) {
        let from = if i == block { at } else { 0 };
        let defs = b.insts[from..].iter().flat_map(|m| &m.defs).chain(b.copies.iter().map(|c| &c.0));
        defs.for_each(|d| class[d.index()] = written);
    }
    for r in public.iter() {
        class[r] = match class[r].both(lives) {
            Some(side) => side,
            None if fault.is_some() => lives,
            None => return None,
        };
    }
    let loc = point_loc(&f.blocks[block], at);
    f.blocks[block].insts.insert(at, MInst::new(Op::Split, vec![], loc));
    let spare = (0..f.blocks.len()).map(|b| if behind(b) { written } else { Class::Either }).collect();
    let least = if lives == Class::Public { public.len() } else { 0 };
    Some(Classed { f, limits: Limits { class, spare, ..Limits::default() }, least })
}
