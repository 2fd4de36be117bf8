//! Pairs of groups (MS-42, MS-43): two quads of a program that merges and then splits. The samples
//! of each are a group. The first sample of each stands for the pixels, and these two merge. What
//! they are then splits into the samples of both quads, each in its own slot.
//!
//! The second group stands as many slots behind the first as the pass has samples. Public registers
//! of both are one physical set, in the slot of the first sample of the first quad: so that slot is
//! not free before all have ended.
//!
//! It would be wrong to forget whose tags a lane has: behind the split those of its own slot.

use quadlock_isa::abi::LANES;

use crate::graphics::samples::Samples;
use crate::grid::{GroupMember, Launch, Member, Tags};
use crate::model::{Golden, LaunchError};
use crate::warp::{bits, group_of, twin_of, Twin, TwinMember, Warp};

impl Golden {
    /// The slot is to be that of a second group whose first sample has not been launched.
    pub(crate) fn is_second_groups(&self, index: usize) -> bool {
        let first = index - index % self.config.warps;
        (index.saturating_sub(2 * LANES - 1).max(first)..index).any(|home| {
            let waits = |t: &Twin| !t.second && (t.spacing..2 * t.spacing).contains(&(index - home));
            self.twins[home].as_ref().is_some_and(waits)
        })
    }

    /// A slot cannot be launched into as that sample of a pair of groups until another warp has
    /// ended or been launched.
    pub fn awaits_twin(&self, (unit, warp): (usize, usize), pair: Member, group: GroupMember, of: Samples) -> bool {
        let tags = Tags { splits: true, pair: Some(pair), group: Some(group), samples: of, ..Tags::default() };
        let launch = Launch { unit, warp, graphics: Some(Box::new(tags)), ..Launch::default() };
        let occupied = |e| matches!(e, Err(LaunchError::Occupied { .. }));
        let index = self.index(unit, warp);
        index.is_some_and(|i| occupied(self.check_pair(i, &launch)) || occupied(self.check_group(i, &launch)))
    }

    /// All samples of the group from that slot on have been launched.
    pub(crate) fn has_group(&self, home: usize) -> bool {
        self.groups[home].is_none_or(|group| group.launched == bits(group.others + 1))
    }

    /// The same of a slot that stands for pixels.
    pub(crate) fn is_launched(&self, index: usize) -> bool {
        self.warps.get(index).is_some_and(|_| self.groups[index].is_some() && self.has_group(index))
    }

    /// Slots of both groups are taken before the first sample is launched.
    pub(crate) fn check_twin(&self, index: usize, launch: &Launch, twin: TwinMember) -> Result<(), LaunchError> {
        let Launch { unit, warp, .. } = *launch;
        let no_pair = |why| Err(LaunchError::NoPair { unit, warp, why });
        let TwinMember { number, member, rank, spacing } = twin;
        if !self.config.merge_split {
            return no_pair("the machine does not merge what splits");
        }
        let pair = launch.graphics.as_ref().and_then(|tags| tags.pair);
        if member > 1 || pair.is_some_and(|pair| pair.others != 1) {
            return no_pair("a pair of groups has two, 0 and 1");
        }
        if spacing < 2 || group_of(launch).is_some_and(|g| usize::from(g.others) >= spacing) {
            return no_pair("a group has more samples than the pass");
        }
        let before = usize::from(rank) + usize::from(member) * spacing;
        let Some(base) = warp.checked_sub(before).filter(|base| base % (2 * spacing) == 0) else {
            return no_pair("two groups of two samples begin where four divides the slot, of four where eight does");
        };
        if base + 2 * spacing > self.config.shape(unit).warps {
            return no_pair("there is no slot for each sample of both groups");
        }
        let home = index - before;
        let mut slots = home..home + 2 * spacing;
        let fits = match (rank, member, self.twins[home]) {
            (0, 0, None) => slots.all(|i| (self.is_open(i) || i == index) && !self.is_reserved(i)),
            (0, 0, Some(_)) => false,
            (0, _, Some(t)) => (t.number, t.spacing, t.second) == (number, spacing, false) && self.has_group(home),
            (_, _, Some(t)) => (t.number, t.spacing) == (number, spacing),
            (_, _, None) => false,
        };
        if fits {
            Ok(())
        } else {
            Err(LaunchError::Occupied { unit, warp })
        }
    }

    /// The first sample of a group has been launched into `index`; `home` is that of its pair.
    pub(crate) fn launch_twin(&mut self, index: usize, home: usize) {
        let Some(TwinMember { number, member, spacing, .. }) = twin_of(&self.warps[index].launch) else { return };
        match (member, &mut self.twins[home]) {
            (0, twin) => *twin = Some(Twin { number, spacing, second: false, merged: false }),
            (_, Some(twin)) => twin.second = true,
            (_, None) => {}
        }
    }

    /// Samples of a second group wake with the merged warp.
    pub(crate) fn wake_second(&mut self, second: usize, from: &Warp) {
        let Some(group) = &mut self.groups[second] else { return };
        group.split = true;
        for index in second..=second + usize::from(group.others) {
            self.wake(index, true, from);
            self.settle_split(index);
            self.settle_group(index);
        }
    }

    /// All samples of the group from `home` on have ended: whose public registers nobody reads.
    pub(crate) fn settle_twin(&mut self, home: usize) {
        let first = home - home % self.config.warps;
        let is_its = |h: &usize| self.twins[*h].is_some_and(|t| t.second && *h + t.spacing == home);
        match (first..home).find(is_its) {
            Some(h) => {
                self.twins[h] = None;
                self.warps[home].lent = false;
                self.warps[h].lent = self.groups[h].is_some();
            }
            None => self.warps[home].lent = self.twins[home].is_some(),
        }
    }
}
