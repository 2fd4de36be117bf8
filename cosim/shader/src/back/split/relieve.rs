//! Fewer values that live across a split point, for programs whose values do not all fit.
//!
//! An operation that only the part behind the point reads can go behind it too. That costs its time
//! once for each sample, and frees the registers of its results, if it does not need as many for
//! its operands. A constant is made again behind the point, even if it is read before it.

use super::super::bits::BitSet;
use super::super::merge::needs::is_quad;
use super::super::merge::place::Flow;
use super::super::mir::{MFunc, MInst, Operand, VReg};
use super::classes::across;
use super::place::{is_before, is_passed, moves, Placed, Search};
use super::samples::Samples;

/// Operations that go behind the point, at most.
const STEPS: usize = 150;

/// Programs with the point in the gate and fewer and fewer registers across it: one with at most as
/// many as each of `wanted` says, as far as that can be had.
pub fn run(
    search: &Search,
    mut f: MFunc,
    samples: &Samples,
    gate: usize,
    wanted: impl Iterator<Item = usize>,
) -> Vec<Placed> {
    let (mut samples, mut made_again, mut found) = (samples.clone(), vec![], vec![]);
    let mut wanted = wanted.peekable();
    for _ in 0..STEPS {
        let Ok(placed) = search.place(&f, &samples, gate) else { break };
        let placed = Placed { again: made_again.len(), ..placed };
        let public = across(&placed);
        let best = best(&placed, search.flow, &public, &made_again);
        let enough = wanted.next_if(|&most| public.len() <= most).is_some();
        while wanted.next_if(|&most| public.len() <= most).is_some() {}
        if enough {
            found.push(placed);
        }
        match best.filter(|_| wanted.peek().is_some()) {
            Some((m, true)) => {
                again(&mut f, search.flow, &mut samples, gate, &m);
                made_again.extend(m.defs);
            }
            Some((m, false)) => samples.add_results(&m),
            None => break,
        }
    }
    found
}

/// The operation that frees most registers if it goes behind the point, and whether it is read
/// before it too. It may free none: then it lets others follow.
fn best(placed: &Placed, flow: &Flow, public: &BitSet, made_again: &[VReg]) -> Option<(MInst, bool)> {
    let (f, gate) = (&placed.f, placed.block);
    let blocks = (0..f.blocks.len()).filter(|&b| b == gate || is_before(flow, b, gate));
    let insts = |b: usize| if b == gate { &f.blocks[b].insts[..placed.at] } else { &f.blocks[b].insts[..] };
    let mut early = BitSet::new(f.vregs as usize);
    for b in blocks.clone() {
        insts(b).iter().flat_map(|m| m.uses()).for_each(|r| early.insert(r.index()));
        if b != gate {
            let copied = f.blocks[b].copies.iter().filter_map(|c| c.1.reg());
            copied.chain(f.blocks[b].term.cond()).for_each(|r| early.insert(r.index()));
        }
    }
    let read = |m: &MInst| m.defs.iter().any(|d| early.contains(d.index()));
    let goes = |m: &&MInst| {
        let across = !m.defs.is_empty() && m.defs.iter().all(|d| public.contains(d.index()));
        let fresh = m.is_cheap() && !m.defs.iter().any(|d| made_again.contains(d));
        across && moves(m) && !is_quad(m.op) && (!read(m) || fresh)
    };
    let frees = |m: &MInst| {
        let mut needs: Vec<VReg> = m.uses().filter(|r| !public.contains(r.index())).collect();
        needs.sort_unstable();
        needs.dedup();
        m.defs.len() as i32 - needs.len() as i32
    };
    let places = blocks.filter(|&b| b == gate || is_passed(flow, b, gate));
    // Of equals the last one: its operands may follow it.
    let best = places.flat_map(insts).filter(goes).max_by_key(|m| frees(m))?;
    Some((best.clone(), read(best)))
}

/// Makes a constant a second time, for what is behind the point.
fn again(f: &mut MFunc, flow: &Flow, samples: &mut Samples, gate: usize, m: &MInst) {
    let Some(&old) = m.defs.first() else { return };
    let new = f.new_vreg();
    let copy = MInst { defs: vec![new], ..m.clone() };
    let to = |u: VReg| if u == old { new } else { u };
    samples.make_room(f.vregs);
    for (i, b) in f.blocks.iter_mut().enumerate() {
        let behind = flow.reaches(gate, i);
        let late = b.insts.iter_mut().filter(|m| behind || samples.of_inst(m));
        late.for_each(|m| m.map_uses(&mut |u| to(u)));
        if behind || i == gate {
            for (_, s) in &mut b.copies {
                *s = s.reg().map_or(*s, |u| Operand::Reg(to(u)));
            }
            b.term.map_cond(&to);
        }
    }
    samples.add_results(&copy);
    let place = f.blocks.iter_mut().find_map(|b| {
        let at = b.insts.iter().position(|m| m.defs == [old])?;
        Some((b, at))
    });
    if let Some((b, at)) = place {
        b.insts.insert(at + 1, copy);
    }
}
