//! Splitting: the covered samples of a quad are a group only as MS-40 lets them, its members are
//! launched one after the other, it splits with exactly the lanes that the model has, and no group
//! is left that has not split. When it splits is the machine's choice. That it has stopped before
//! is the model's own rule, and which sample is which member is compared with the log of the frame.
//!
//! Wrong would be to judge the order of launches when the model makes them: it may hold one back.
//! So they are judged as they come.

use std::collections::BTreeMap;

use quadlock_golden::Split;

use super::checker::{Checker, Context};
use crate::lockstep::finding::{Check, Compare, Concern, Finding, Key, Name, Value, What};
use crate::machine::ports::{GraphicsLaunched, SplitEvent};

/// Kind of a fragment warp at the launch port.
const FRAGMENT: u8 = 2;

/// A group of which members are still to be launched.
#[derive(Clone, Copy)]
struct Open {
    members: u8,
    launched: u8,
}

/// Groups that are not complete, by unit and slot of member 0.
#[derive(Clone, Default)]
pub struct SplitChecker {
    open: BTreeMap<(u8, u8), Open>,
}

fn no_group(why: &'static str, event: &GraphicsLaunched) -> Check {
    let (x, y) = (event.place[0] & 0xFFE, event.place[0] >> 12 & 0xFFE);
    let key = Key { x: Some(x), y: Some(y), ..Key::default() };
    Err(Box::new(Finding { key, ..Finding::new(What::NoGroup { why }) }))
}

impl Checker for SplitChecker {
    fn concern(&self) -> Concern {
        Concern::Split
    }

    fn copy(&self) -> Box<dyn Checker> {
        Box::new(self.clone())
    }

    fn launched_in_frame(&mut self, event: &GraphicsLaunched, cx: &Context) -> Check {
        let why = match () {
            () if event.split == 0 => return Ok(()),
            () if event.kind != FRAGMENT => "a member is no fragment warp",
            () if event.mergeable && !cx.config.twins() => "a member is one of a pair, too",
            () if event.place[0] >> 31 == 0 => "their program does not run once for each sample",
            () if event.flip != 0 && !event.mergeable => "lanes of a member have changed places",
            () if event.mask != 15 => "a lane of a member does not start",
            () => return Ok(()),
        };
        no_group(why, event)
    }

    fn cycle(&mut self, cx: &Context) -> Check {
        let Some(event) = cx.outputs.graphics.launch.filter(|l| l.split != 0) else { return Ok(()) };
        let base = (event.unit, event.warp.wrapping_sub(event.member));
        let before = self.open.remove(&base);
        let members = event.others.saturating_add(1);
        let next = match before {
            None => event.member == 0,
            Some(Open { members: all, launched }) => event.member == launched && members == all,
        };
        if !next {
            return no_group("its members are not launched one after the other", &event);
        }
        let launched = event.member + 1;
        if launched < members {
            self.open.insert(base, Open { members, launched });
        }
        Ok(())
    }

    fn split(&mut self, event: &SplitEvent, split: Split, _cx: &Context) -> Check {
        let mut c = Compare::default();
        c.number("other members", split.others, event.others);
        c.field(Name::Of("lanes that go on"), split.lanes, event.lanes, Value::Mask);
        c.field(Name::Of("covered lanes"), split.covered, event.covered, Value::Mask);
        c.finish(What::SplitLanes)
    }

    fn end(&mut self, cx: &Context) -> Check {
        if let Some(&Open { members, launched }) = self.open.values().next() {
            return Finding::err(What::GroupIncomplete { launched, members });
        }
        match cx.golden.open_groups().find(|group| !group.split) {
            Some(_) => Finding::err(What::NeverSplit),
            None => Ok(()),
        }
    }
}
