//! A second merge point, in an arm of a branch that needs no helpers while the other arm does
//! (MS-13).
//!
//! Without it the arm waits for the join behind both, where the only point could be. With it warps
//! that take the arm merge at its start. From there to the join only public registers are used, so
//! everything that lives across is public, and what helpers need as well is moved before the
//! branch. Helpers read 0 in the arm; so an arm with loads or loops is left alone. Wrong if a value
//! gets into the arm or past the join by another way: `merge_check` follows all paths.

use super::super::bits::BitSet;
use super::super::limits::{Class, Limits};
use super::super::liveness::{live_out, walk_back};
use super::super::mir::{MFunc, MInst, Operand, Term, VReg};
use super::classes::{all_behind, early, end_helpers, point_loc, rename, strays, whole_rows, Classed};
use super::needs::{self, is_quad};
use super::place::{size, Flow, Placed};
use super::rules::MergeRules;
use quadlock_isa::abi::PrivateSet;
use quadlock_isa::Op;

/// An arm from its first block to the join, and the block that branches to it.
struct Arm {
    branch: usize,
    first: usize,
    blocks: Vec<bool>,
    /// Instructions that a warp is expected to run in it.
    often: f64,
}

/// The program with points at the start of an arm and at the join, which is the point of `placed`,
/// and how many instructions more are behind a point; none if no arm can have one.
pub fn run(placed: &Placed, flow: &Flow, rules: MergeRules) -> Option<(Classed, f64)> {
    if placed.at != 0 {
        return None;
    }
    let MergeRules { private: set, helpers_end } = rules;
    let join = placed.block;
    let n = placed.f.blocks.len();
    let arms = (0..n).filter_map(|first| find(&placed.f, flow, first, join));
    let arm = arms.max_by(|a, b| a.often.total_cmp(&b.often))?;
    let mut f = placed.f.clone();
    let behind: Vec<bool> = (0..n).map(|b| b == join || flow.reaches(join, b)).collect();
    let before: Vec<bool> = (0..n).map(|b| !behind[b] && !arm.blocks[b]).collect();
    let needs = needs::find(&f, &before, usize::MAX, 0);
    let private = whole_rows(&f, &needs.values);
    let mut across = live_in(&f, arm.first);
    let least = across.len();
    across.union(&live_in(&f, join));
    let (mut public, mut moved) = (vec![], vec![]);
    for r in across.iter().map(|r| VReg(r as u32)) {
        if !private.contains(r.index()) {
            public.push(r);
            continue;
        }
        let copy = rename(&mut f, r, &|b| (arm.blocks[b] || behind[b]).then_some(0));
        let end = &mut f.blocks[arm.branch];
        end.insts.push(MInst::mov(copy, Operand::Reg(r), end.term_loc));
        moved.push(copy);
    }
    for b in f.blocks.iter().zip(&arm.blocks).filter(|b| *b.1).map(|b| b.0) {
        public.extend(b.insts.iter().flat_map(|m| &m.defs).chain(b.copies.iter().map(|c| &c.0)));
    }
    let bare = set == PrivateSet::None;
    let late = if bare { all_behind(&f, &|b| behind[b].then_some(0)) } else { vec![] };
    let mut class = classes(&f, &private, public.iter().chain(&moved).chain(&late))?;
    let mut early = early(&f, &|b| if before[b] { usize::MAX } else { 0 });
    for block in [arm.first, join] {
        let loc = point_loc(&f.blocks[block], 0);
        f.blocks[block].insts.insert(0, MInst::new(Op::Merge, vec![], loc));
    }
    let mut spare: Vec<Class> = (0..n)
        .map(|b| match (before[b], arm.blocks[b]) {
            (true, _) => Class::Private,
            (_, true) => Class::Public,
            _ if bare => Class::Public,
            _ => Class::Either,
        })
        .collect();
    let ends = !helpers_end && (0..n).any(|b| behind[b] && strays(&f.blocks[b]));
    if ends {
        let loc = f.blocks[join].insts[0].loc;
        let flag = end_helpers(&mut f, join, 1, loc, set);
        class.resize(f.vregs as usize, Class::Either);
        class[flag.index()] = if bare { Class::Public } else { Class::Private };
        let its = class[flag.index()];
        spare.splice(join..join, [its, its]);
        early.resize(f.vregs as usize, false);
    }
    let limits = Limits { class, spare, private: set, early, ..Limits::default() };
    let (moves, ends) = (moved.len(), if ends { 2 } else { 0 });
    Some((Classed { f, limits, least, most: usize::MAX, moves, ends, needs: needs.roots }, arm.often))
}

/// The arm that begins at `first` and ends at `join`, if it may have a point.
fn find(f: &MFunc, flow: &Flow, first: usize, join: usize) -> Option<Arm> {
    let &[branch] = &flow.cfg.preds[first][..] else { return None };
    let splits = matches!(f.blocks[branch].term, Term::Branch { .. });
    let whole = first != join && flow.reaches(first, join) && !flow.reaches(join, first);
    if !splits || !whole || !flow.cfg.dominates(branch, join) || flow.cfg.depth[branch] > 0 {
        return None;
    }
    let inside = |b: usize| b != join && (b == first || flow.reaches(first, b)) && !flow.reaches(join, b);
    let blocks: Vec<bool> = (0..f.blocks.len()).map(inside).collect();
    let fits = |b: usize| {
        let data = &f.blocks[b];
        flow.cfg.dominates(first, b) && !strays(data) && !data.insts.iter().any(|m| is_quad(m.op))
    };
    let all = || (0..blocks.len()).filter(|&b| blocks[b]);
    let often = all().map(|b| flow.often[b] * size(&f.blocks[b]) as f64).sum();
    all().all(fits).then_some(Arm { branch, first, blocks, often })
}

/// Values that are live where a block begins.
fn live_in(f: &MFunc, block: usize) -> BitSet {
    let mut live = live_out(f)[block].clone();
    walk_back(&f.blocks[block], &mut live, &mut |_, _| {});
    live
}

/// The class of each value; none if one would have to be in both.
fn classes<'a>(f: &MFunc, private: &BitSet, public: impl Iterator<Item = &'a VReg>) -> Option<Vec<Class>> {
    let mut set = BitSet::new(f.vregs as usize);
    public.for_each(|r| set.insert(r.index()));
    let mut class = vec![Class::Either; f.vregs as usize];
    private.iter().for_each(|r| class[r] = Class::Private);
    for r in whole_rows(f, &set).iter() {
        class[r] = class[r].both(Class::Public)?;
    }
    Some(class)
}
