//! Merging: two warps are a pair only where MS-3 lets them, they merge with exactly the lanes that
//! the model has, and no member is left without its partner. Which quads are paired, and when they
//! merge, is the machine's choice. That both have stopped before is the model's own rule.
//!
//! Wrong would be to compare a launch with what stands in the other slot: that may be an older
//! warp. So members are kept here until the last of their group is launched.

use std::collections::BTreeMap;

use quadlock_golden::{Merged, NO_MERGE_POINT};

use super::checker::{Checker, Context};
use crate::lockstep::finding::{Check, Compare, Concern, Finding, Key, Name, Value, What};
use crate::machine::ports::{GraphicsLaunched, MergeEvent};

/// Kind of a fragment warp at the launch port.
const FRAGMENT: u8 = 2;

/// Members of pairs and groups of which one has not been launched, by unit and member 0's slot.
#[derive(Clone, Default)]
pub struct MergeChecker {
    open: BTreeMap<(u8, u8), Vec<(GraphicsLaunched, usize)>>,
    /// Of pairs of groups of which the second has not been launched: the first sample of the first
    /// group and its program, by unit and slot of the second's first sample.
    twins: BTreeMap<(u8, u8), (GraphicsLaunched, usize)>,
}

fn no_pair(why: &'static str, event: &GraphicsLaunched) -> Check {
    let (x, y) = (event.place[0] & 0xFFE, event.place[0] >> 12 & 0xFFE);
    let key = Key { x: Some(x), y: Some(y), ..Key::default() };
    Err(Box::new(Finding { key, ..Finding::new(What::NoPair { why }) }))
}

/// What a member must be, whoever its partner is.
fn alone(event: &GraphicsLaunched, cx: &Context) -> Option<&'static str> {
    let warp = cx.golden.warp(event.unit.into(), event.warp.into());
    let tags = warp.launch().graphics.as_deref();
    let cutoff = tags.map_or(NO_MERGE_POINT, |t| t.cutoff);
    match () {
        () if !cx.config.merges() => Some("the machine does not merge"),
        () if event.kind != FRAGMENT => Some("one is no fragment warp"),
        () if cutoff == NO_MERGE_POINT => Some("their program has no merge point"),
        () if event.split == 0 && tags.is_some_and(|t| t.splits) => Some("their program splits"),
        () if event.split != 0 && !cx.config.twins() => Some("the machine does not merge what splits"),
        () if event.split != 0 && event.merge == 0 => Some("their program splits, and has no merge point"),
        () if event.covered == 15 => Some("one of them has no inactive lane"),
        () if event.others == 0 => Some("a member has no other member"),
        () if usize::from(event.others) >= cx.config.merge_group => Some("a group has more members than merge-group"),
        () if event.member > event.others || event.member > event.warp => Some("a member's number is too high"),
        () if event.flip != 0 && !cx.config.merge_flip => Some("lanes have changed places, and merge-flip is off"),
        () => None,
    }
}

/// What two members must be to each other (MS-3, MS-4).
fn both(
    one: &(GraphicsLaunched, usize),
    event: &GraphicsLaunched,
    program: usize,
    cx: &Context,
) -> Option<&'static str> {
    let first = &one.0;
    match () {
        () if (first.pair, first.others) != (event.pair, event.others) => {
            Some("the two slots hold members of different pairs")
        }
        () if first.member == event.member => Some("both are the same member"),
        () if first.context != event.context || one.1 != program => Some("they are of different draws"),
        () if first.covered & event.covered != 0 => Some("both cover the same lane"),
        () if first.order != event.order && !cx.config.merge_triangles => {
            Some("they are of different triangles, and merge-triangles is off")
        }
        () => None,
    }
}

impl MergeChecker {
    /// A sample of a pair of groups: the first ones are what merges (MS-42).
    fn sample(&mut self, event: &GraphicsLaunched, cx: &Context) -> Check {
        if event.member != 0 {
            return Ok(());
        }
        let warp = cx.golden.warp(event.unit.into(), event.warp.into());
        let tags = warp.launch().graphics.as_deref();
        let (program, spacing) = tags.map_or((0, 1), |t| (t.program, t.samples.places().len() as u8));
        let member = tags.and_then(|t| t.pair).map_or(0, |p| p.member);
        let event = GraphicsLaunched { member, others: 1, ..*event };
        if let Some(why) = alone(&event, cx) {
            return no_pair(why, &event);
        }
        if member == 0 {
            // Another first group there means that the second of the one before never came.
            return match self.twins.insert((event.unit, event.warp + spacing), (event, program)) {
                Some((left, _)) => Finding::err(What::PartnerMissing { pair: left.pair.into() }),
                None => Ok(()),
            };
        }
        match self.twins.remove(&(event.unit, event.warp)) {
            None => no_pair("the first of the two groups is not there", &event),
            Some(first) => both(&first, &event, program, cx).map_or(Ok(()), |why| no_pair(why, &event)),
        }
    }
}

impl Checker for MergeChecker {
    fn concern(&self) -> Concern {
        Concern::Merge
    }

    fn copy(&self) -> Box<dyn Checker> {
        Box::new(self.clone())
    }

    fn launched_in_frame(&mut self, event: &GraphicsLaunched, cx: &Context) -> Check {
        if !event.mergeable {
            return Ok(());
        }
        if event.split != 0 {
            return self.sample(event, cx);
        }
        if let Some(why) = alone(event, cx) {
            return no_pair(why, event);
        }
        let warp = cx.golden.warp(event.unit.into(), event.warp.into());
        let program = warp.launch().graphics.as_ref().map_or(0, |t| t.program);
        let slots = (event.unit, event.warp - event.member);
        let mut members = self.open.remove(&slots).unwrap_or_default();
        if let Some(why) = members.iter().find_map(|one| both(one, event, program, cx)) {
            return no_pair(why, event);
        }
        members.push((*event, program));
        if members.len() <= event.others.into() {
            self.open.insert(slots, members);
        }
        Ok(())
    }

    fn merged(&mut self, event: &MergeEvent, merged: Merged, _cx: &Context) -> Check {
        let mut c = Compare::default();
        c.field(Name::Of("lanes that stayed"), merged.stayed, event.stayed, Value::Mask);
        c.field(Name::Of("lanes that came"), merged.came, event.came, Value::Mask);
        c.finish(What::MergedLanes)
    }

    fn end(&mut self, _cx: &Context) -> Check {
        match self.open.values().flatten().chain(self.twins.values()).next() {
            Some((event, _)) => Finding::err(What::PartnerMissing { pair: event.pair.into() }),
            None => Ok(()),
        }
    }
}
