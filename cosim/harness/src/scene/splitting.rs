//! What splitting does, in numbers, from the event ports: groups of samples, warps that splits
//! start, and instructions on both sides of the split (MS-40, MS, "What the report must show").
//!
//! A group of n samples that is shaded sample by sample from the start would execute about what its
//! member 0 executes before the split n times, but for SPLIT itself. So `saved` is an estimate from
//! one run. A sample of which all lanes are discarded before the split would end earlier, and a
//! program without a split point is other code. `--compare split=off` measures it.
//!
//! Wrong would be to count by the model: these are figures of the machine. A slot's last records
//! may come after the launch of its next warp; then single instructions count for the wrong warp.

use std::collections::HashMap;

use quadlock_isa::{decode, Op};
use serde::Serialize;

use crate::machine::ports::{pixel_of, GraphicsLaunched, Outputs};

/// Kind of a fragment warp at the launch port.
const FRAGMENT: u8 = 2;

/// What the report says of splitting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SplitFigures {
    /// Groups that have split.
    pub groups: u64,
    /// Of them into pixels, with their samples as lanes (MS-41).
    pub pixel_groups: u64,
    /// Warps that splits started, beside those that stood for the pixels.
    pub warps: u64,
    /// Groups of which no lane came to a split point.
    pub ended: u64,
    /// Instructions that were executed for the pixels, before a split.
    pub before: u64,
    /// Instructions of warps behind a split.
    pub after: u64,
    /// Instructions that shading each sample from the start would have executed more.
    pub saved: u64,
    /// Cycles in which slots hold members that sleep.
    pub asleep_cycles: u64,
    /// Pairs of groups that merged and then split (MS-42).
    pub merged: u64,
}

/// A member of a group.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    others: u8,
    /// Of member 0: covered samples of the group, as bits; its members are pixels.
    samples: u32,
    pixels: bool,
    /// Instructions before the split, and split points among them.
    before: u64,
    points: u64,
    /// It sleeps since that cycle.
    asleep: Option<u64>,
    after: bool,
    /// Slot of the first sample of the group with which it has merged.
    partner: Option<u8>,
}

/// Counts while a frame runs.
#[derive(Clone, Debug, Default)]
pub struct Splitting {
    figures: SplitFigures,
    slots: HashMap<(u8, u8), Slot>,
}

impl Splitting {
    /// Takes in a cycle.
    pub fn cycle(&mut self, cycle: u64, outputs: &Outputs) {
        for (unit, record) in (0u8..).zip(&outputs.units).filter_map(|(u, o)| Some((u, o.retire.as_ref()?))) {
            let Some(slot) = self.slots.get_mut(&(unit, record.warp)) else { continue };
            if slot.after {
                self.figures.after += 1;
            } else {
                self.figures.before += 1;
                slot.before += 1;
                slot.points += u64::from(decode(record.word()).is_ok_and(|i| i.op == Op::Split));
            }
        }
        for merge in &outputs.graphics.merges {
            // Of pairs of groups the slot that goes sleeps until the split.
            let asleep = self.slots.get_mut(&(merge.unit, merge.gone)).map(|gone| gone.asleep = Some(cycle));
            let kept = self.slots.get_mut(&(merge.unit, merge.kept)).filter(|_| asleep.is_some());
            if let Some(kept) = kept {
                kept.partner = Some(merge.gone);
            }
        }
        for split in &outputs.graphics.splits {
            self.split(cycle, (split.unit, split.warp), split.lanes);
        }
        if let Some(launch) = &outputs.launch {
            self.slots.remove(&(launch.unit, launch.warp));
        }
        if let Some(launch) = outputs.graphics.launch.as_ref().filter(|l| l.kind == FRAGMENT && l.split != 0) {
            self.launched(cycle, launch);
        }
    }

    fn launched(&mut self, cycle: u64, l: &GraphicsLaunched) {
        let asleep = (l.member != 0).then_some(cycle);
        let pixels = pixel_of(l).is_some();
        self.slots.insert((l.unit, l.warp), Slot { others: l.others, pixels, asleep, ..Slot::default() });
        if let Some(home) = self.slots.get_mut(&(l.unit, l.warp.wrapping_sub(l.member))) {
            home.samples |= l.place.iter().fold(0, |all, place| all | place >> 26 & 15);
        }
    }

    fn split(&mut self, cycle: u64, (unit, warp): (u8, u8), lanes: u8) {
        let Some(slot) = self.slots.get_mut(&(unit, warp)) else { return };
        slot.after = true;
        let others = slot.others;
        let samples = u64::from(slot.samples.count_ones()).max(1);
        self.figures.saved += (samples - 1) * (slot.before - slot.points);
        self.figures.pixel_groups += u64::from(lanes != 0 && slot.pixels);
        self.figures.groups += u64::from(lanes != 0);
        self.figures.ended += u64::from(lanes == 0);
        self.figures.warps += if lanes == 0 { 0 } else { others.into() };
        let partner = slot.partner.take();
        let more = partner.and_then(|p| Some((p, self.slots.get(&(unit, p))?.others)));
        self.figures.merged += u64::from(more.is_some() && lanes != 0);
        let second = more.map_or(0..0, |(p, others)| p..p + others + 1);
        if !second.is_empty() {
            self.figures.warps += if lanes == 0 { 0 } else { second.len() as u64 };
        }
        for slot in (warp + 1..warp + others + 1).chain(second) {
            if let Some(slot) = self.slots.get_mut(&(unit, slot)) {
                slot.after = true;
                self.figures.asleep_cycles += slot.asleep.take().map_or(0, |since| cycle - since);
            }
        }
    }

    /// What it adds up to.
    pub fn figures(&self) -> SplitFigures {
        self.figures
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::ports::{GraphicsOutputs, LaunchEvent, RetireEvent, SplitEvent, UnitOutputs};

    fn launch(s: &mut Splitting, cycle: u64, member: u8, others: u8) {
        let warp = 4 + member;
        let place = [1 << 31 | u32::from(member) << 24 | 1 << (26 + u32::from(member)); 4];
        let launch = GraphicsLaunched { warp, kind: FRAGMENT, split: 1, member, others, place, ..Default::default() };
        let graphics = GraphicsOutputs { launch: Some(launch), ..Default::default() };
        let launch = Some(LaunchEvent { warp, ..LaunchEvent::default() });
        s.cycle(cycle, &Outputs { graphics, launch, ..Outputs::default() });
    }

    fn retire(s: &mut Splitting, cycle: u64, warp: u8, text: &str) {
        let word = quadlock_isa::assemble("", text).unwrap().code[0];
        let retire = RetireEvent { warp, mask: 15, ..RetireEvent::default() }.with_word(word);
        let unit = UnitOutputs { retire: Some(retire), ..UnitOutputs::default() };
        s.cycle(cycle, &Outputs { units: vec![unit], ..Outputs::default() });
    }

    fn split(s: &mut Splitting, cycle: u64, others: u8, lanes: u8) {
        let splits = vec![SplitEvent { unit: 0, warp: 4, others, lanes, covered: 15 }];
        s.cycle(cycle, &Outputs { graphics: GraphicsOutputs { splits, ..Default::default() }, ..Outputs::default() });
    }

    #[test]
    fn a_group_of_three_that_splits() {
        let mut s = Splitting::default();
        (0..3).for_each(|m| launch(&mut s, m.into(), m, 2));
        retire(&mut s, 3, 4, "MOV r0, #1");
        retire(&mut s, 4, 4, "MOV r1, #1");
        retire(&mut s, 5, 4, "SPLIT");
        split(&mut s, 8, 2, 15);
        for warp in 4..7 {
            retire(&mut s, 9, warp, "END");
        }
        let f = s.figures();
        assert_eq!((f.groups, f.warps, f.ended), (1, 2, 0));
        assert_eq!((f.before, f.after, f.saved), (3, 3, 4));
        // From cycle 1 and 2 to 8.
        assert_eq!(f.asleep_cycles, 13);
    }

    #[test]
    fn a_group_that_ends_before_its_split_point() {
        let mut s = Splitting::default();
        (0..2).for_each(|m| launch(&mut s, m.into(), m, 1));
        retire(&mut s, 3, 4, "DISCARD");
        split(&mut s, 5, 1, 0);
        let f = s.figures();
        assert_eq!((f.groups, f.warps, f.ended, f.before, f.saved), (0, 0, 1, 1, 1));
    }
}
