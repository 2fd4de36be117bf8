//! Splitting of fragment warps (MS-40 to MS-44): the members of a group, where the one that stands
//! for the pixels stops, and how it becomes a warp for each covered sample. When it does is the
//! machine's choice; that it may, and what each member then is, is stated here, from docs/isa.md,
//! "Registers: public and private".
//!
//! Public registers of a group are one physical set, that of member 0's slot. Here each slot has an
//! array of its own. Behind the split nobody writes public registers, so the other members get
//! copies of them then. What their own slots hold is kept aside until they end: those are registers
//! that the machine has left alone. For the same reason member 0's slot is not free before all
//! members have ended.
//!
//! The members may be pixels instead, with their samples as lanes (MS-41). Member i then takes what
//! lane `pixel` of member 0 has: its counter, and its public registers for all lanes.
//!
//! It would be wrong to count a lane as discarded because it has ended: what it covers is written.

use quadlock_isa::abi::{SplitShape, LANES};

use crate::config::Fault;
use crate::grid::{GroupMember, Launch, Tags};
use crate::lanes::lanes_of;
use crate::merge::registers_of;
use crate::model::{Golden, LaunchError, StepError};
use crate::program::{Action, Decoded, GraphicsForm};
use crate::warp::{bits, group_of, twin_of, Group, LaneState, MisuseKind, Warp};

/// What a split left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Members beside member 0.
    pub others: u8,
    /// Lanes that had stopped, and go on; 0 if all had ended.
    pub lanes: u8,
    /// Lanes that cover something, of all members together.
    pub covered: u8,
}

/// A group of which a member has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenGroup {
    /// Global number of the warp unit.
    pub unit: usize,
    /// Slot of member 0.
    pub warp: usize,
    /// Members beside member 0.
    pub others: u8,
    /// Members that have been launched.
    pub launched: u8,
    /// It has split.
    pub split: bool,
}

/// Lanes whose own samples are covered, as they were launched.
fn own_lanes(launch: &Launch) -> u8 {
    let coverage = launch.graphics.as_ref().map_or([0; 4], |tags| tags.coverage);
    (0..coverage.len()).filter(|&l| coverage[l] != 0).fold(0, |mask, lane| mask | 1 << lane)
}

impl Golden {
    /// A slot is free, and no group has reserved it.
    pub(crate) fn is_open(&self, index: usize) -> bool {
        self.warps[index].is_free() && self.warps[index].home.is_none()
    }

    /// A slot cannot be launched into as that member, or as no member, until another warp has
    /// ended or been launched: a group has it, or one of the group's slots is not free.
    pub fn awaits_group(&self, unit: usize, warp: usize, group: Option<GroupMember>) -> bool {
        let tags = Tags { splits: group.is_some(), group, ..Tags::default() };
        let launch = Launch { unit, warp, graphics: Some(Box::new(tags)), ..Launch::default() };
        let index = self.index(unit, warp);
        index.is_some_and(|i| matches!(self.check_group(i, &launch), Err(LaunchError::Occupied { .. })))
    }

    /// A launch must not take what a group has. Member 0 takes the slots of all (MS-8).
    pub(crate) fn check_group(&self, index: usize, launch: &Launch) -> Result<(), LaunchError> {
        let Launch { unit, warp, .. } = *launch;
        let wrong = |why| Err(LaunchError::NoGroup { unit, warp, why });
        let occupied = Err(LaunchError::Occupied { unit, warp });
        let Some(GroupMember { member, others, .. }) = group_of(launch) else {
            return if self.warps[index].home.is_some() { occupied } else { Ok(()) };
        };
        let count = usize::from(others) + 1;
        if !self.config.split {
            return wrong("it is a member of a group, and the machine does not split");
        }
        if !launch.graphics.as_ref().is_some_and(|tags| tags.splits) {
            return wrong("it is a member of a group, and its program has no split point");
        }
        if let Some(why) = self.no_pixel(launch) {
            return wrong(why);
        }
        if member > others || count > 4 {
            return wrong("a group has at most four members, numbered from 0");
        }
        let Some(base) = warp.checked_sub(member.into()).filter(|b| b % count.next_power_of_two() == 0) else {
            return wrong("member 0 of two belongs in a slot whose number is a multiple of 2, of more of 4");
        };
        if base + count > self.config.shape(unit).warps {
            return wrong("there is no slot for each member");
        }
        let home = index - usize::from(member);
        if member == 0 {
            // Those of a second group are reserved for it.
            let second = twin_of(launch).is_some_and(|twin| twin.member == 1);
            let open = |i: usize| self.is_open(i) && (second || !self.is_reserved(i));
            return if (index..index + count).all(open) { Ok(()) } else { occupied };
        }
        match &self.groups[home] {
            Some(group) if self.warps[index].home == Some(home) && group.launched >> member & 1 == 0 => match () {
                () if group.others != others => wrong("the members of a group differ in how many they are"),
                () if group.launched != bits(member) => wrong("members are launched in the order of their numbers"),
                () => Ok(()),
            },
            _ => occupied,
        }
    }

    /// Why a member's lanes cannot be the samples of one pixel, if it says that they are (MS-41).
    fn no_pixel(&self, launch: &Launch) -> Option<&'static str> {
        let tags = launch.graphics.as_deref().filter(|tags| tags.pixel.is_some())?;
        match () {
            () if self.config.split_shape == SplitShape::Samples => {
                Some("its lanes are samples of one pixel, and the machine does not split into pixels")
            }
            () if !tags.apart => {
                Some("its lanes are samples of one pixel, and behind a split point its program looks at other lanes")
            }
            () if tags.sample != [0, 1, 2, 3] => Some("lanes of a member that is a pixel are its four samples"),
            () => None,
        }
    }

    /// A warp has been launched: what it is in its group.
    pub(crate) fn launch_in_group(&mut self, index: usize) {
        let Some(GroupMember { member, others, union }) = group_of(&self.warps[index].launch) else { return };
        let home = index - usize::from(member);
        if member == 0 {
            self.groups[home] = Some(Group { others, launched: 0, split: false, ended: 0 });
            self.warps[home..=home + usize::from(others)].iter_mut().for_each(|w| w.home = Some(home));
            let slot = &mut self.warps[home];
            (slot.lent, slot.covered) = (true, union & 15);
        } else {
            let slot = &mut self.warps[index];
            let lanes = slot.lanes_in(LaneState::Running);
            slot.set_state(lanes, LaneState::Asleep);
        }
        if let Some(group) = &mut self.groups[home] {
            group.launched |= 1 << member;
        }
    }

    /// It is member 0 of a group that has not split.
    pub(crate) fn stands_for_pixels(&self, index: usize) -> bool {
        self.warps[index].home == Some(index) && self.groups[index].is_some_and(|group| !group.split)
    }

    /// The lanes of `mask` have come to a split point. Whether they stay there.
    pub(crate) fn split_point(&mut self, index: usize, mask: u8) -> bool {
        let stays = self.stands_for_pixels(index);
        if stays {
            self.warps[index].set_state(mask, LaneState::Splitting);
        }
        stays
    }

    /// A warp that stands for pixels becomes one for each covered sample (MS-40).
    ///
    /// # Errors
    /// It is no member 0 of a group that has not split, a member is still to be launched, or one of
    /// its lanes runs.
    pub fn split(&mut self, unit: usize, warp: usize) -> Result<Split, StepError> {
        let wrong = |why| StepError::NoSplit { unit, warp, why };
        let index = self.index(unit, warp).ok_or(StepError::NoSuchSlot { unit, warp })?;
        let found = self.groups[index].filter(|group| !group.split);
        let group = found.ok_or(wrong("it is no member 0 of a group that has not split"))?;
        if group.launched != bits(group.others + 1) {
            return Err(wrong("a member has not been launched"));
        }
        let slot = &self.warps[index];
        let other = self.twins[index].map(|twin| (index + twin.spacing, twin));
        if other.is_some_and(|(second, twin)| !twin.second || !self.has_group(second)) {
            return Err(wrong("a member of its partner has not been launched"));
        }
        if slot.is_asleep() || slot.merging() != 0 {
            return Err(wrong("it sleeps, or stands at a merge point"));
        }
        if slot.state.iter().any(|s| matches!(s, LaneState::Running | LaneState::Blocked)) {
            return Err(wrong("one of its lanes has neither reached a split point nor ended"));
        }
        if !slot.in_flight.is_empty() {
            return Err(wrong("its instructions have not all completed"));
        }
        if let Some(group) = &mut self.groups[index] {
            group.split = true;
        }
        let split = Split { others: group.others, lanes: slot.splitting(), covered: slot.covered };
        let from = slot.clone();
        if let Some(tags) = self.warps[index].own_tags.take() {
            self.warps[index].launch.graphics = Some(tags);
        }
        for member in 0..=usize::from(split.others) {
            if split.lanes == 0 && member > 0 && self.config.fault == Some(Fault::SplitDead) {
                break;
            }
            self.wake(index + member, member > 0, &from);
            self.settle_split(index + member);
            self.settle_group(index + member);
        }
        if let Some((second, _)) = other.filter(|(_, twin)| twin.merged) {
            self.wake_second(second, &from);
        }
        // Member 0 may have nothing to do behind the split, and be the last of a pair (MS-14).
        self.settle_member(index);
        Ok(split)
    }

    /// A member begins to stand for its own sample; `from` is the warp that splits, before that.
    /// `copies`: it is another slot's, with the public registers.
    pub(crate) fn wake(&mut self, index: usize, copies: bool, from: &Warp) {
        let fault = self.config.fault;
        let slot = &mut self.warps[index];
        let union = group_of(&from.launch).map_or(0, |g| g.union & 15);
        let left = if fault == Some(Fault::SplitCovered) { union } else { from.covered };
        let mut lanes = from.splitting();
        slot.covered = left & own_lanes(&slot.launch);
        slot.pixel = slot.launch.graphics.as_ref().and_then(|tags| tags.pixel);
        if let Some(pixel) = slot.pixel {
            let of = |mask: u8| if mask >> pixel & 1 == 1 { own_lanes(&slot.launch) } else { 0 };
            // Samples that cover nothing end: no lane looks at them.
            slot.covered = of(left);
            lanes = match fault {
                Some(Fault::ShapeStops) => lanes & own_lanes(&slot.launch),
                _ => of(lanes) & slot.covered,
            };
        }
        let runs = match lanes & slot.covered {
            0 if fault != Some(Fault::SplitEmpty) => 0,
            covered if slot.both || fault == Some(Fault::SplitHelpers) => covered,
            _ => lanes,
        };
        if copies && fault != Some(Fault::SplitPublic) {
            slot.aside = registers_of(slot.public).map(|r| slot.regs[r]).collect();
            registers_of(slot.public).for_each(|r| slot.regs[r] = from.regs[r]);
        }
        slot.behind = fault != Some(Fault::SplitWrite);
        slot.lose_private();
        slot.pc = match slot.pixel.filter(|_| fault != Some(Fault::ShapeStops)) {
            Some(pixel) => [from.pc[usize::from(pixel)]; LANES],
            None => from.pc,
        };
        if fault == Some(Fault::SplitCounters) {
            let lowest = lanes_of(lanes).map(|lane| from.pc[lane]).min().unwrap_or(0);
            lanes_of(lanes).for_each(|lane| slot.pc[lane] = lowest);
        }
        slot.set_state(15, LaneState::Ended);
        slot.set_state(runs, LaneState::Running);
    }

    /// After a lane has stopped running: a member behind the split is no more.
    pub(crate) fn settle_split(&mut self, index: usize) {
        let Some(home) = self.warps[index].home.filter(|_| self.warps[index].is_ended()) else { return };
        let Some(group) = self.groups[home].as_mut().filter(|group| group.split) else { return };
        group.ended |= 1 << (index - home);
        let all = group.ended == bits(group.others + 1);
        let slot = &mut self.warps[index];
        let aside = std::mem::take(&mut slot.aside);
        registers_of(slot.public).zip(aside).for_each(|(r, value)| slot.regs[r] = value);
        slot.home = None;
        if all {
            self.groups[home] = None;
            self.settle_twin(home);
        }
    }

    /// Groups of which a member has not ended, by unit and slot.
    pub fn open_groups(&self) -> impl Iterator<Item = OpenGroup> + '_ {
        let warps = self.config.warps;
        self.groups.iter().enumerate().filter_map(move |(index, group)| {
            let Group { others, launched, split, .. } = (*group)?;
            let launched = launched.count_ones() as u8;
            Some(OpenGroup { unit: index / warps, warp: index % warps, others, launched, split })
        })
    }

    /// Outputs are of samples: those of a warp that stands for pixels would be lost.
    pub(crate) fn note_early_output(&mut self, index: usize, pc: u16, mask: u8, i: &Decoded) {
        if let Action::Graphics(GraphicsForm::Output(word)) = i.action {
            if self.stands_for_pixels(index) {
                self.misuse(index, pc, (MisuseKind::EarlyOutput, word, mask));
            }
        }
    }
}
