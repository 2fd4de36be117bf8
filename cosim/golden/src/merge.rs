//! Merging of fragment warps (MS-11 to MS-14, MS-21 to MS-23): the members of a pair, where they
//! stop, and how two become one. When they do is the machine's choice; that they may, and what is
//! left, is stated here, from docs/isa.md, "Registers: public and private".
//!
//! Public registers of a pair are one physical set, that of member 0's slot. Here each slot has an
//! array of its own. Lanes of member 1 exchange their public registers with that slot when it is
//! launched, and give them back at the merge or at its end. So a register that nobody has written
//! holds what the machine's does.
//!
//! It would be wrong to let a member end in silence: its partner would wait for ever (MS-14). It
//! would be wrong, too, to forget lanes that have ended but cover something: their results count.

use quadlock_isa::abi::{PrivateSet, LANES, REGISTERS};
use quadlock_isa::{group_register, Lanes};

use crate::config::Fault;
use crate::grid::{Launch, Member, Tags};
use crate::lanes::lanes_of;
use crate::model::{Golden, LaunchError, StepError, KEPT};
use crate::program::Decoded;
use crate::warp::{twin_of, LaneState, Misuse, MisuseKind, Pair, Warp};

/// What a merge left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merged {
    /// Lanes of the slot that goes on that were its own.
    pub stayed: u8,
    /// Lanes that came from the other slot.
    pub came: u8,
}

/// Lanes for which something is so.
fn mask_of(lanes: impl Fn(usize) -> bool) -> u8 {
    (0..LANES).filter(|&l| lanes(l)).fold(0, |mask, lane| mask | 1 << lane)
}

fn member_of(launch: &Launch) -> Option<Member> {
    // Of a group that splits the first sample is a member.
    let merges = |tags: &&Tags| !tags.splits || tags.group.is_some_and(|g| g.member == 0);
    launch.graphics.as_deref().filter(merges).and_then(|tags| tags.pair)
}

/// Numbers of the registers that are bits of a word.
pub(crate) fn registers_of(bits: u32) -> impl Iterator<Item = usize> {
    (0..REGISTERS).filter(move |r| bits >> r & 1 == 1)
}

/// The lanes of `mask` exchange their public registers.
fn exchange(one: &mut Warp, other: &mut Warp, public: u32, mask: u8) {
    for register in registers_of(public) {
        lanes_of(mask).for_each(|l| std::mem::swap(&mut one.regs[register][l], &mut other.regs[register][l]));
    }
}

impl Golden {
    /// Number of the pair of slots that a slot belongs to, for sets of private registers: machines
    /// that have those make pairs only.
    fn pair_at(&self, index: usize) -> usize {
        let warps = self.config.warps;
        index / warps * warps.div_ceil(2) + index % warps / 2
    }

    /// The slot beside it, in that pair.
    fn beside(&self, index: usize) -> usize {
        let first = index - index % self.config.warps;
        first + ((index % self.config.warps) ^ 1)
    }

    /// Slot of member 0 of the pair or group that a slot's warp is a member of.
    fn home_of(&self, index: usize) -> usize {
        let launch = &self.warps[index].launch;
        let apart = twin_of(launch).map_or(1, |twin| twin.spacing);
        index - member_of(launch).map_or(0, |m| apart * usize::from(m.member))
    }

    /// A pair or group has that slot, though it may be free: its member is still to be launched, or
    /// it is member 0's, whose public registers others use.
    pub(crate) fn is_reserved(&self, index: usize) -> bool {
        let first = index - index % self.config.warps;
        let alone = |home: &usize| self.twins[*home].is_none();
        let in_pair = (index.saturating_sub(3).max(first)..=index).filter(alone).any(|home| {
            let member = (index - home) as u8;
            self.pairs[home].is_some_and(|p| {
                member <= p.others && (p.launched >> member & 1 == 0 || member == 0 && p.left() & !1 != 0)
            })
        });
        in_pair || self.is_second_groups(index)
    }

    /// A free slot cannot be launched into as that member, or as no member, until another warp has
    /// ended: a pair has the slot, or the slot beside it is not free for the partner.
    pub fn awaits_pair(&self, unit: usize, warp: usize, member: Option<Member>) -> bool {
        let tags = Tags { pair: member, ..Tags::default() };
        let launch = Launch { unit, warp, graphics: Some(Box::new(tags)), ..Launch::default() };
        let index = self.index(unit, warp);
        index.is_some_and(|i| matches!(self.check_pair(i, &launch), Err(LaunchError::Occupied { .. })))
    }

    /// A launch must not take what a pair has. The first member of a pair takes both slots (MS-8).
    pub(crate) fn check_pair(&self, index: usize, launch: &Launch) -> Result<(), LaunchError> {
        let Launch { unit, warp, .. } = *launch;
        if !self.config.merge {
            return Ok(());
        }
        let occupied = Err(LaunchError::Occupied { unit, warp });
        if let Some(twin) = twin_of(launch) {
            return self.check_twin(index, launch, twin);
        }
        let Some(m) = member_of(launch) else {
            return if self.is_reserved(index) { occupied } else { Ok(()) };
        };
        let no_pair = |why| Err(LaunchError::NoPair { unit, warp, why });
        if !(1..=3).contains(&m.others) || m.member > m.others {
            return no_pair("a group has two to four members, numbered from 0");
        }
        let even = if m.others == 1 { 2 } else { 4 };
        let Some(base) = warp.checked_sub(m.member.into()).filter(|base| base % even == 0) else {
            return no_pair("member 0 of a pair belongs in an even slot, of more in one that four divides");
        };
        if base + usize::from(m.others) >= self.config.shape(unit).warps {
            return no_pair("there is no slot for each member");
        }
        let home = index - usize::from(m.member);
        let mut slots = home..=home + usize::from(m.others);
        match &self.pairs[home] {
            Some(p) if (p.number, p.others) == (m.pair, m.others) && p.launched >> m.member & 1 == 0 => Ok(()),
            None if slots.all(|i| (self.is_open(i) || i == index) && !self.is_reserved(i)) => Ok(()),
            _ => occupied,
        }
    }

    /// A warp has been launched: what it is in its pair or group.
    pub(crate) fn launch_member(&mut self, index: usize) {
        let Some(m) = member_of(&self.warps[index].launch).filter(|_| self.config.merge) else { return };
        let home = self.home_of(index);
        let Member { pair: number, member, others } = m;
        self.launch_twin(index, home);
        let pair = self.pairs[home].get_or_insert(Pair { number, others, launched: 0, ended: 0 });
        pair.launched |= 1 << member;
        let (paired, over) = (pair.has_partner(member), pair.is_over());
        self.warps[index].paired = paired;
        if member != 0 {
            let [to, slot] = self.both(home, index);
            slot.borrowed = slot.owned;
            exchange(to, slot, slot.public, slot.owned);
        }
        if over {
            // The others have ended before this one began.
            self.pairs[home] = None;
        }
    }

    /// Two slots that are not the same.
    fn both(&mut self, one: usize, other: usize) -> [&mut Warp; 2] {
        let (low, high) = self.warps.split_at_mut(one.max(other));
        match one < other {
            true => [&mut low[one], &mut high[0]],
            false => [&mut high[0], &mut low[other]],
        }
    }

    /// Helpers of that warp end where they meet a merge point, whether it is of a pair or not.
    pub(crate) fn ends_helpers(&self, index: usize) -> bool {
        self.config.merge && (self.config.merge_helpers_end || self.warps[index].both)
    }

    /// The lanes of `mask` have come to a merge point. Whether they stay there or end.
    pub(crate) fn merge_point(&mut self, index: usize, mask: u8) -> bool {
        let ends = self.ends_helpers(index);
        let slot = &mut self.warps[index];
        if slot.paired {
            slot.set_state(mask, LaneState::Merging);
            self.settle_member(index);
            return true;
        }
        let helpers = mask & !slot.covered;
        if !ends || helpers == 0 {
            return false;
        }
        slot.set_state(helpers, LaneState::Ended);
        self.settle_member(index);
        self.settle_split(index);
        self.settle_group(index);
        true
    }

    /// After a lane of a member has stopped running: the member has stopped, or has ended.
    pub(crate) fn settle_member(&mut self, index: usize) {
        let fault = self.config.fault;
        self.settle_merged(index);
        let slot = &mut self.warps[index];
        let Some(m) = member_of(&slot.launch).filter(|_| slot.paired || slot.borrowed != 0) else { return };
        if slot.is_ended() {
            return self.member_ended(index, m);
        }
        let merging = slot.merging() & slot.covered;
        let runs = mask_of(|l| !matches!(slot.state[l], LaneState::Ended | LaneState::Merging)) & slot.covered;
        slot.stopped = slot.paired && merging != 0 && (runs == 0 || fault == Some(Fault::MergeStop));
    }

    /// A member is no more, and has not merged: who has no partner left is a warp like others
    /// (MS-14).
    fn member_ended(&mut self, index: usize, m: Member) {
        let home = self.home_of(index);
        let apart = twin_of(&self.warps[index].launch).map_or(1, |twin| twin.spacing);
        self.give_back(index);
        self.warps[index].paired = false;
        let Some(pair) = &mut self.pairs[home] else { return };
        pair.ended |= 1 << m.member;
        let pair = *pair;
        if pair.is_over() {
            self.pairs[home] = None;
        }
        if self.config.fault == Some(Fault::MergeAlone) {
            return;
        }
        for other in (0..=pair.others).filter(|&o| (pair.launched & pair.left()) >> o & 1 != 0 && !pair.has_partner(o))
        {
            self.resume(home + apart * usize::from(other));
        }
    }

    /// A member whose partner has ended: it waits for nobody. Lanes at a merge point go on at once
    /// if nothing else of it runs; else when the machine says so ([`Golden::go_on`]).
    fn resume(&mut self, index: usize) {
        let slot = &mut self.warps[index];
        slot.paired = false;
        if slot.stopped {
            self.resume_lanes(index);
        }
    }

    fn resume_lanes(&mut self, index: usize) {
        let slot = &mut self.warps[index];
        let merging = slot.merging();
        slot.stopped = false;
        slot.set_state(merging, LaneState::Running);
        if self.config.merge_helpers_end || slot.both {
            slot.set_state(merging & !slot.covered, LaneState::Ended);
        }
        self.settle_events(index);
    }

    /// The lanes of a warp that stand at a merge point go on, since its partner has ended. A
    /// machine may do that while others of its lanes run; it says so by what it executes next.
    pub fn go_on(&mut self, unit: usize, warp: usize) {
        if let Some(index) = self.index(unit, warp).filter(|&i| !self.warps[i].paired) {
            self.resume_lanes(index);
        }
    }

    /// Another member than 0 gives public registers back to the slot in which they stand.
    fn give_back(&mut self, index: usize) {
        let home = self.home_of(index);
        let lanes = std::mem::take(&mut self.warps[index].borrowed);
        if lanes != 0 {
            let [to, slot] = self.both(home, index);
            exchange(to, slot, slot.public, lanes);
        }
    }

    /// Two members become one warp (MS-11): that in slot `kept` goes on, that in `gone` is no more.
    /// If it has other partners still, it waits on at its merge point.
    ///
    /// # Errors
    /// They are not the members of a pair or group, member 0 first, or one of them has not stopped
    /// at a merge point.
    pub fn merge(&mut self, unit: usize, kept: usize, gone: usize) -> Result<Merged, StepError> {
        let wrong = |why| StepError::NoMerge { unit, kept, gone, why };
        let at = |warp| self.index(unit, warp).ok_or(StepError::NoSuchSlot { unit, warp });
        let (index, other) = (at(kept)?, at(gone)?);
        let twin = self.twins[index];
        let number = match (twin, gone.wrapping_sub(kept)) {
            (Some(twin), apart) => usize::from(apart == twin.spacing),
            (None, apart) => apart,
        };
        let fault = self.config.fault;
        if twin.is_some() && [index, other].iter().any(|&i| !self.is_launched(i)) {
            return Err(wrong("a sample of one of the two quads has not been launched"));
        }
        let here = |p: &Pair| (1..=p.others.into()).contains(&number) && (p.launched & p.left()) >> number & 1 != 0;
        let Some(mut pair) = self.pairs[index].filter(here) else {
            return Err(wrong("the slots are not those of two members, that of member 0 first"));
        };
        let [to, from] = [&self.warps[index], &self.warps[other]];
        if !to.paired || !from.paired {
            return Err(wrong("they are no members of a pair that run"));
        }
        if !to.stopped || !from.stopped {
            return Err(wrong("a covered lane has not reached a merge point"));
        }
        let stay = |w: &Warp| w.merging() & if fault == Some(Fault::MergeHelpers) { 15 } else { w.covered };
        let came = stay(from) & !to.owned;
        let merged = Merged { stayed: stay(to), came };
        if fault == Some(Fault::MergePublic) {
            self.warps[other].borrowed = 0;
        }
        self.give_back(other);
        let [to, from] = self.both(index, other);
        if twin.is_some() && fault != Some(Fault::SplitTwin) {
            to.own_tags = to.launch.graphics.clone();
        }
        if fault != Some(Fault::MergeTags) {
            take_tags(to, from);
        }
        for lane in lanes_of(from.owned & !to.owned) {
            to.outputs.iter_mut().zip(&from.outputs).for_each(|(to, from)| to[lane] = from[lane]);
        }
        lanes_of(came).for_each(|lane| to.pc[lane] = from.pc[lane]);
        to.set_state(15, LaneState::Ended);
        pair.ended |= 1 << number;
        let more = pair.has_partner(0);
        let state = if more { LaneState::Merging } else { LaneState::Running };
        to.set_state(merged.stayed | came, state);
        to.owned |= from.owned;
        to.sees |= from.owned;
        to.covered |= from.covered & !to.covered;
        (to.paired, to.stopped) = (more, more);
        to.merged = fault != Some(Fault::MergeNoPrivate);
        to.lose_private();
        (from.paired, from.stopped) = (false, false);
        from.set_state(15, if twin.is_some() { LaneState::Asleep } else { LaneState::Ended });
        // Registers of the other slot are the merged warp's.
        from.lent = to.private == PrivateSet::Joined;
        let moves = match to.private {
            PrivateSet::Old | PrivateSet::None => false,
            PrivateSet::Joined => fault != Some(Fault::MergeJoined),
            PrivateSet::New => fault != Some(Fault::MergeNew),
        };
        if moves {
            to.moved = Some(to.private);
            self.exchange_private(index);
        }
        self.pairs[index] = (!pair.is_over()).then_some(pair);
        if let Some(twin) = &mut self.twins[index] {
            twin.merged = true;
        }
        self.settle_group(other);
        Ok(merged)
    }

    /// A merged warp's private registers stand where they do (MS-22), or again where they did. Here
    /// each slot has an array of its own, so they change places.
    fn exchange_private(&mut self, index: usize) {
        let (beside, pair) = (self.beside(index), self.pair_at(index));
        match self.warps[index].moved {
            Some(PrivateSet::Joined) => {
                let [to, from] = self.both(index, beside);
                let (first, part) = (to.public.count_ones() as usize, usize::from(to.part()));
                for r in first + part..REGISTERS {
                    std::mem::swap(&mut to.regs[r], &mut from.regs[r - part]);
                }
            }
            Some(_) => {
                let to = &mut self.warps[index];
                for r in registers_of(!to.public) {
                    std::mem::swap(&mut to.regs[r], &mut self.spare[pair][r]);
                }
            }
            None => {}
        }
    }

    /// Before a launch into a slot: the registers of a merged warp of these two slots stand again
    /// where they stood before. Until then an instruction in flight may write them.
    pub(crate) fn return_private(&mut self, index: usize) {
        let home = index - index % self.config.warps % 2;
        if self.warps[home].is_ended() {
            self.exchange_private(home);
            self.warps[home].moved = None;
        }
    }

    /// After a lane has stopped running: the slot of member 1 is free when the merged warp is no
    /// more.
    fn settle_merged(&mut self, index: usize) {
        let slot = &self.warps[index];
        if slot.merged && slot.private == PrivateSet::Joined && slot.is_ended() {
            let beside = self.beside(index);
            self.warps[beside].lent = false;
        }
    }

    /// The first wrong uses of registers, and how many there were.
    pub fn misuses(&self) -> (&[Misuse], u64) {
        (&self.misuses, self.misuse_count)
    }

    /// Notes what an instruction does with registers that it must not.
    pub(crate) fn note_misuse(&mut self, index: usize, pc: u16, mask: u8, i: &Decoded) {
        let slot = &self.warps[index];
        let joined = slot.private == PrivateSet::Joined && (slot.paired || slot.merged);
        let Some(instr) = i.instr.filter(|_| slot.behind || joined || slot.stale != [0; REGISTERS]) else { return };
        let (behind, public, stale) = (slot.behind, slot.public, slot.stale);
        let kind = match slot.private {
            _ if behind => MisuseKind::StaleAfterSplit,
            PrivateSet::None => MisuseKind::NoPrivate,
            _ => MisuseKind::StaleAfterMerge,
        };
        if slot.pixel.is_some() && instr.op.row().lanes != Lanes::Own {
            self.misuse(index, pc, (MisuseKind::AcrossPixel, 0, mask));
        }
        let slot = &self.warps[index];
        let parts = if slot.merged { 2 } else { 1 };
        let end = slot.public.count_ones() as u8 + parts * slot.part();
        // Behind a split a derivative looks at all lanes of the quad, those that have ended too.
        let looked_at = if behind && instr.op.row().lanes == Lanes::Quad { 15 } else { mask };
        for register in instr.source_regs().iter().copied() {
            self.misuse(index, pc, (kind, register, stale[usize::from(register)] & looked_at));
        }
        let (first, count) = instr.dest_regs().filter(|_| behind || joined).unwrap_or((0, 0));
        let written = (0..count).map(|n| group_register(first, n));
        for register in written.clone().filter(|r| behind && public >> r & 1 == 1) {
            self.misuse(index, pc, (MisuseKind::PublicWrite, register, mask));
        }
        let sources = instr.source_regs();
        let named = sources.iter().copied().chain(written);
        for register in named.filter(|&r| joined && r >= end) {
            self.misuse(index, pc, (MisuseKind::Beyond, register, mask));
        }
    }

    /// Keeps a wrong use of a register by those lanes, if there are any.
    pub(crate) fn misuse(&mut self, index: usize, pc: u16, (kind, register, lanes): (MisuseKind, u8, u8)) {
        if lanes == 0 {
            return;
        }
        let Launch { unit, warp, .. } = self.warps[index].launch;
        self.misuse_count += 1;
        if self.misuses.len() < KEPT {
            self.misuses.push(Misuse { kind, unit, warp, pc, register, lanes });
        }
    }
}

/// What a lane's special registers say comes with it.
fn take_tags(to: &mut Warp, from: &Warp) {
    let (Some(tags), Some(others)) = (to.launch.graphics.as_deref_mut(), from.launch.graphics.as_deref()) else {
        return;
    };
    let Tags { x, y, sample, coverage, primitive, facing, ticket, depth, .. } = tags;
    let (of, o) = ([x, y, sample, coverage, primitive, facing, ticket, depth], others);
    let from_other = [&o.x, &o.y, &o.sample, &o.coverage, &o.primitive, &o.facing, &o.ticket, &o.depth];
    for (to, values) in of.into_iter().zip(from_other) {
        lanes_of(from.owned).for_each(|lane| to[lane] = values[lane]);
    }
}
