//! What splitting does, in numbers, from the event ports: groups of samples, warps that splits
//! start, and instructions on both sides of the split (MS-40, MS, "What the report must show").
//!
//! A group of n samples that is shaded sample by sample from the start would execute about what its
//! member 0 executes before the split n times, but for MERGE and SPLIT themselves. So `saved` is an
//! estimate from one run. A sample of which all lanes are discarded before the split would end
//! earlier, and a program without a split point is other code. `--compare split=off` measures it.
//!
//! Of two groups that merge before they split (MS-42) each has what its lanes execute, by itself or
//! in the merged warp. An instruction of lanes of both is executed once, and counts for each.
//!
//! Wrong would be to count by the model: these are figures of the machine. A slot's last records
//! may come after the launch of its next warp; then single instructions count for the wrong warp.

use std::collections::HashMap;

use quadlock_isa::{decode, Op};
use serde::Serialize;

use crate::machine::ports::{pixel_of, GraphicsLaunched, Outputs, SplitEvent};

/// Kind of a fragment warp at the launch port.
const FRAGMENT: u8 = 2;

/// What the report says of splitting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SplitFigures {
    /// Groups that have split; of two that merged before each counts.
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
    /// Instructions of the group before the split, without merge and split points.
    work: u64,
    /// It sleeps since that cycle.
    asleep: Option<u64>,
    after: bool,
    partner: Option<Partner>,
}

impl Slot {
    /// Samples of its group.
    fn samples(&self) -> u64 {
        u64::from(self.samples.count_ones()).max(1)
    }

    /// An instruction of those lanes.
    fn works(&mut self, lanes: u8) {
        let Some(second) = &mut self.partner else {
            self.work += 1;
            return;
        };
        let [first, other] = [lanes & !second.lanes, lanes & second.lanes].map(|lanes| u64::from(lanes != 0));
        self.work += first;
        second.work += other;
        second.shared += first & other;
    }
}

/// The group with which a group has merged.
#[derive(Clone, Copy, Debug)]
struct Partner {
    /// Slot of its first sample.
    slot: u8,
    /// Its lanes in the merged warp.
    lanes: u8,
    /// Instructions of the merged warp with such lanes, as [`Slot::work`].
    work: u64,
    /// Those of them with lanes of the other group, too.
    shared: u64,
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
                if !decode(record.word()).is_ok_and(|i| matches!(i.op, Op::Merge | Op::Split)) {
                    slot.works(record.mask);
                }
            }
        }
        for merge in &outputs.graphics.merges {
            // Of pairs of groups the slot that goes sleeps until the split.
            let asleep = self.slots.get_mut(&(merge.unit, merge.gone)).map(|gone| gone.asleep = Some(cycle));
            let kept = self.slots.get_mut(&(merge.unit, merge.kept)).filter(|_| asleep.is_some());
            if let Some(kept) = kept {
                kept.partner = Some(Partner { slot: merge.gone, lanes: merge.came, work: 0, shared: 0 });
            }
        }
        for split in &outputs.graphics.splits {
            self.split(cycle, split);
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

    fn split(&mut self, cycle: u64, event: &SplitEvent) {
        let SplitEvent { unit, warp, lanes, .. } = *event;
        let Some(slot) = self.slots.get_mut(&(unit, warp)) else { return };
        let partner = slot.partner.take();
        let first = *slot;
        let second = partner.and_then(|p| Some((p, *self.slots.get(&(unit, p.slot))?)));
        self.figures.saved += (first.samples() - 1) * first.work;
        match second {
            None => self.group(&first, lanes, first.others),
            Some((partner, second)) => {
                self.figures.saved += (second.samples() - 1) * (second.work + partner.work) + partner.shared;
                // Of a quad that is demoted as a whole, lanes come to the point beside the other's.
                let left = lanes & event.covered;
                self.group(&first, left & !partner.lanes, first.others);
                self.group(&second, left & partner.lanes, second.others + 1);
                self.figures.merged += u64::from(lanes != 0);
            }
        }
        let behind = second.map_or(0..0, |(partner, second)| partner.slot..partner.slot + second.others + 1);
        for slot in (warp..warp + first.others + 1).chain(behind) {
            if let Some(slot) = self.slots.get_mut(&(unit, slot)) {
                slot.after = true;
                self.figures.asleep_cycles += slot.asleep.take().map_or(0, |since| cycle - since);
            }
        }
    }

    /// A group splits with those lanes of its quad, or it ends there. `started` warps are new.
    fn group(&mut self, group: &Slot, lanes: u8, started: u8) {
        if lanes == 0 {
            self.figures.ended += 1;
            return;
        }
        self.figures.groups += 1;
        self.figures.pixel_groups += u64::from(group.pixels);
        self.figures.warps += u64::from(started);
    }

    /// What it adds up to.
    pub fn figures(&self) -> SplitFigures {
        self.figures
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::ports::{GraphicsOutputs, LaunchEvent, MergeEvent, RetireEvent, UnitOutputs};

    fn launch(s: &mut Splitting, cycle: u64, member: u8, others: u8) {
        launch_from(s, cycle, 4, member, others);
    }

    /// Of a group whose first sample is in slot `home`.
    fn launch_from(s: &mut Splitting, cycle: u64, home: u8, member: u8, others: u8) {
        let warp = home + member;
        let place = [1 << 31 | u32::from(member) << 24 | 1 << (26 + u32::from(member)); 4];
        let launch = GraphicsLaunched { warp, kind: FRAGMENT, split: 1, member, others, place, ..Default::default() };
        let graphics = GraphicsOutputs { launch: Some(launch), ..Default::default() };
        let launch = Some(LaunchEvent { warp, ..LaunchEvent::default() });
        s.cycle(cycle, &Outputs { graphics, launch, ..Outputs::default() });
    }

    fn retire(s: &mut Splitting, cycle: u64, warp: u8, text: &str) {
        retire_lanes(s, cycle, warp, 15, text);
    }

    fn retire_lanes(s: &mut Splitting, cycle: u64, warp: u8, mask: u8, text: &str) {
        let word = quadlock_isa::assemble("", text).unwrap().code[0];
        let retire = RetireEvent { warp, mask, ..RetireEvent::default() }.with_word(word);
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
    /// Three samples merge with two. Points apart, 2 and 1 instructions are of each alone. Behind
    /// the merge 2 are of both, and one is of each. `lanes` come to the split.
    fn pair_of_groups(lanes: u8, covered: u8) -> SplitFigures {
        let mut s = Splitting::default();
        (0..3).for_each(|m| launch_from(&mut s, 0, 0, m, 2));
        (0..2).for_each(|m| launch_from(&mut s, 1, 4, m, 1));
        for (warp, text) in [(0, "MOV r0, #1"), (0, "MOV r1, #1"), (4, "MOV r0, #1"), (0, "MERGE"), (4, "MERGE")] {
            retire(&mut s, 2, warp, text);
        }
        let merges = vec![MergeEvent { unit: 0, kept: 0, gone: 4, stayed: 0b0011, came: 0b0100 }];
        s.cycle(3, &Outputs { graphics: GraphicsOutputs { merges, ..Default::default() }, ..Outputs::default() });
        for mask in [0b0111, 0b0101, 0b0011, 0b0100] {
            retire_lanes(&mut s, 4, 0, mask, "MOV r2, #1");
        }
        retire_lanes(&mut s, 5, 0, 0b0111, "SPLIT");
        let splits = vec![SplitEvent { unit: 0, warp: 0, others: 2, lanes, covered }];
        s.cycle(7, &Outputs { graphics: GraphicsOutputs { splits, ..Default::default() }, ..Outputs::default() });
        for warp in [0, 1, 2, 4, 5] {
            retire(&mut s, 8, warp, "END");
        }
        s.figures()
    }

    /// MS-42: what lanes of both quads execute would be executed for all five samples.
    #[test]
    fn two_groups_that_merge_and_then_split() {
        let f = pair_of_groups(0b0111, 0b0111);
        assert_eq!((f.groups, f.merged, f.warps, f.ended), (2, 1, 4, 0));
        assert_eq!((f.before, f.after), (10, 5));
        // By themselves, together, and in the merged warp by themselves.
        assert_eq!(f.saved, 2 * 2 + 1 + 2 * 4 + 2 + 1);
        // Samples 1 and 2 from cycle 0 on, the other quad's second one from 1, its first from 3.
        assert_eq!(f.asleep_cycles, 7 + 7 + 6 + 4);
    }

    /// The lanes of the split say whose quad has ended or is demoted before it.
    #[test]
    fn one_of_two_groups_ends_between_merge_and_split() {
        let of = |lanes, covered| {
            let f = pair_of_groups(lanes, covered);
            (f.groups, f.merged, f.warps, f.ended)
        };
        assert_eq!(of(0b0011, 0b0011), (1, 1, 2, 1));
        assert_eq!(of(0b0100, 0b0111), (1, 1, 2, 1));
        assert_eq!(of(0b0111, 0b0011), (1, 1, 2, 1));
        assert_eq!(of(0, 0), (0, 0, 0, 2));
    }
}
