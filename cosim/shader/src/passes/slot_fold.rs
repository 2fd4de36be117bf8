//! Stack accesses at a known place become slot accesses.
//!
//! The front end reads and writes an array with a computed index through `SlotAddr` and
//! `Space::Stack`. Once folding has made the index a constant, the address is
//! `SlotAddr + constant`, and a word of the slot is read or written: with the last `SlotAddr` gone,
//! mem2reg can put the slot into registers. Only whole words that lie inside the slot and are
//! aligned are touched; slots are aligned to 16 bytes, so alignment inside the slot is alignment in
//! memory. A wrong offset would read another word of the slot, which the property test sees.

use super::{Defs, Options};
use crate::ssa::{Block, Func, Inst, Kind, Slot, Space, Value, Width};
use quadlock_isa::Op;

/// Does it to a function; whether anything changed.
pub fn run(func: &mut Func, _: &Options) -> bool {
    let mut changes: Vec<(Block, Vec<Inst>)> = vec![];
    // Addresses are made of operations that stay.
    let defs = Defs::new(func);
    for &b in &func.layout {
        let mut out: Option<Vec<Inst>> = None;
        let insts = &func.blocks[b.index()].insts;
        for (i, inst) in insts.iter().enumerate() {
            match fold(func, &defs, inst) {
                Some(new) => out.get_or_insert_with(|| insts[..i].to_vec()).extend(new),
                None => out.iter_mut().for_each(|o| o.push(inst.clone())),
            }
        }
        changes.extend(out.map(|insts| (b, insts)));
    }
    let changed = !changes.is_empty();
    changes.into_iter().for_each(|(b, insts)| func.blocks[b.index()].insts = insts);
    changed
}

/// The slot accesses that replace a stack access, one per word.
fn fold(func: &Func, defs: &Defs, inst: &Inst) -> Option<Vec<Inst>> {
    let (width, addr, offset) = match inst.kind {
        Kind::Load { space: Space::Stack, width, addr, offset } => (width, addr, offset),
        Kind::Store { space: Space::Stack, width, addr, offset, .. } => (width, addr, offset),
        _ => return None,
    };
    if !matches!(width, Width::W32 | Width::W64 | Width::W128) {
        return None;
    }
    let (slot, base) = slot_address(defs, addr)?;
    let at = base.wrapping_add(offset as u32);
    let words = width.words() as u32;
    if at % width.bytes() != 0 || at / 4 + words > func.slots[slot.index()].words {
        return None;
    }
    let loc = inst.loc;
    let word = |i: usize| at / 4 + i as u32;
    Some(match &inst.kind {
        Kind::Store { values, .. } => {
            let store = |(i, &value)| Inst {
                exact: true,
                kind: Kind::SlotStore { slot, word: word(i), value },
                results: vec![],
                loc,
            };
            values.iter().enumerate().map(store).collect()
        }
        _ => {
            let load =
                |(i, &r)| Inst { exact: true, kind: Kind::SlotLoad { slot, word: word(i) }, results: vec![r], loc };
            inst.results.iter().enumerate().map(load).collect()
        }
    })
}

/// `v` as slot and constant byte offset.
pub(crate) fn slot_address(defs: &Defs, v: Value) -> Option<(Slot, u32)> {
    match defs.kind(v)? {
        Kind::SlotAddr(s) => Some((*s, 0)),
        Kind::Alu(Op::IAdd, args) => {
            let (x, c) = match (defs.constant(args[0]), defs.constant(args[1])) {
                (_, Some(c)) => (args[0], c),
                (Some(c), None) => (args[1], c),
                _ => return None,
            };
            let (s, base) = slot_address(defs, x)?;
            Some((s, base.wrapping_add(c)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::{const_fold, mem2reg};
    use crate::random::ssa::check;
    use crate::ssa::Loc;

    fn program(width: Width, offset: i32) -> Func {
        let loc = Loc::default();
        let mut f = Func { name: "f".into(), ..Default::default() };
        let s = f.new_slot(6, "a");
        let b = f.new_block();
        let base = f.push(b, Kind::SlotAddr(s), 1, loc)[0];
        let four = f.push(b, Kind::Const(8), 1, loc)[0];
        let addr = f.push(b, Kind::Alu(Op::IAdd, vec![base, four]), 1, loc)[0];
        f.push(b, Kind::Load { space: Space::Stack, width, addr, offset }, width.words(), loc);
        f.push(b, Kind::Return(vec![]), 0, loc);
        f
    }

    #[test]
    fn a_wide_load_becomes_one_load_per_word() {
        let mut f = program(Width::W64, 8);
        assert!(run(&mut f, &Options::default()));
        let kinds: Vec<&Kind> = f.blocks[0].insts[3..5].iter().map(|i| &i.kind).collect();
        assert_eq!(kinds, [&Kind::SlotLoad { slot: Slot(0), word: 4 }, &Kind::SlotLoad { slot: Slot(0), word: 5 }]);
    }

    #[test]
    fn unaligned_outside_and_narrow_accesses_stay() {
        for (width, offset) in [(Width::W64, 4), (Width::W32, 16), (Width::W32, -12), (Width::U8, 0), (Width::W32, 2)] {
            assert!(!run(&mut program(width, offset), &Options::default()), "{width} {offset}");
        }
    }

    #[test]
    fn random_programs_do_the_same() {
        check::same_behaviour(&[], run, 0..150);
        check::same_behaviour(&[mem2reg::run, const_fold::run], run, 150..250);
    }
}
