//! Launches: each warp of each group exactly once, with the right lanes, into a slot that exists and where its group belongs. Which
//! free slot and which order of groups is the machine's choice. The threads of a list come strictly in its order, each with what its record says.

use std::collections::HashMap;

use super::{Check, Checker, Compare, Context, Finding};
use crate::machine::launch::ThreadList;
use crate::machine::ports::LaunchEvent;

/// Warps launched so far.
#[derive(Clone, Default)]
pub struct LaunchChecker {
    /// (unit, group slot) of each group of which a warp has been launched, and which of its warps have been.
    groups: HashMap<u64, Group>,
    launched: u64,
}

#[derive(Clone)]
struct Group {
    unit: u8,
    slot: u8,
    warps: Vec<bool>,
}

fn found(what: String) -> Check {
    Err(Box::new(Finding::new(what)))
}

/// SE-3: the slot's unit has it, and the unit can run the program.
fn able(e: &LaunchEvent, cx: &Context) -> Check {
    let places = cx.config.unit_places();
    let Some(place) = places.get(usize::from(e.unit)) else {
        return found(format!("a warp is launched on unit {}; the machine has {}", e.unit, places.len()));
    };
    let core = format!("row {} core {}", place.core / cx.config.cores, place.core % cx.config.cores);
    if usize::from(e.warp) >= place.warps {
        let (unit, warp, slots) = (e.unit, e.warp, place.warps);
        return found(format!("a warp is launched into slot {warp} of unit {unit} ({core}), which has {slots} slots"));
    }
    if cx.launch.functions && !place.function_unit {
        let unit = e.unit;
        return found(format!(
            "a program that needs the function unit is launched on unit {unit} ({core}), which has none"
        ));
    }
    Ok(())
}

impl LaunchChecker {
    /// The next thread of a list.
    fn thread(&mut self, e: &LaunchEvent, list: &ThreadList) -> Check {
        let number = self.launched;
        let Some(record) = list.threads.get(number as usize) else {
            return found(format!("a thread is launched after all {number} of the list"));
        };
        self.launched += 1;
        let mut c = Compare::default();
        let field = |what: &str| format!("thread {number}: {what}");
        c.field(field("mask"), record.mask, e.mask, |m| format!("{m:04b}"));
        c.field(field("pc"), record.pc, e.pc, u16::to_string);
        for (i, name) in ["x", "y", "z"].into_iter().enumerate() {
            c.hex(field(name), record.data[i], e.group[i]);
        }
        c.field(field("warp in group"), 0, e.warp_in_group, u8::to_string);
        let wait = record.requests.iter().filter(|r| !r.suppress).count();
        c.field(field("wait count"), wait, e.wait.into(), usize::to_string);
        c.finish("the launch of a thread differs from its record")
    }
}

impl Checker for LaunchChecker {
    fn name(&self) -> &'static str {
        "launch"
    }

    fn copy(&self) -> Box<dyn Checker> {
        Box::new(self.clone())
    }

    fn launch(&mut self, _cycle: u64, e: &LaunchEvent, cx: &Context) -> Check {
        able(e, cx)?;
        if let Some(list) = &cx.launch.threads {
            return self.thread(e, list);
        }
        let [gx, gy, gz] = cx.grid.groups;
        let [x, y, z] = e.group;
        if x >= gx || y >= gy || z >= gz {
            return found(format!("group {:?} is launched, but the grid is {:?}", e.group, cx.grid.groups));
        }
        let linear = u64::from(x) + u64::from(gx) * (u64::from(y) + u64::from(gy) * u64::from(z));
        let per_group = cx.grid.warps_per_group();
        if u32::from(e.warp_in_group) >= per_group {
            return found(format!("warp {} of a group is launched; a group has {per_group}", e.warp_in_group));
        }
        let (unit, slot) = (e.unit, e.group_slot);
        let group =
            self.groups.entry(linear).or_insert_with(|| Group { unit, slot, warps: vec![false; per_group as usize] });
        if std::mem::replace(&mut group.warps[usize::from(e.warp_in_group)], true) {
            return found(format!("warp {} of group {:?} is launched twice", e.warp_in_group, e.group));
        }
        self.launched += 1;
        let mut c = Compare::default();
        let ids = cx.grid.launch_ids(linear, e.warp_in_group.into());
        c.field("mask", ids.mask, e.mask, |m| format!("{m:04b}"));
        if cx.grid.pinned {
            c.field("unit of the group", group.unit, e.unit, u8::to_string);
            c.field("group slot", group.slot, e.group_slot, u8::to_string);
            let expected = u32::from(e.group_slot) * per_group + u32::from(e.warp_in_group);
            c.field("warp slot", expected, e.warp.into(), u32::to_string);
            let slots = cx.launch.group_slots(cx.config);
            if u32::from(e.group_slot) >= slots {
                return found(format!("group slot {} is used; the host allowed {slots}", e.group_slot));
            }
        }
        c.finish("a launch differs")
    }

    fn end(&mut self, cx: &Context) -> Check {
        let all = cx.launch.warps();
        if self.launched == all {
            return Ok(());
        }
        if cx.launch.threads.is_some() {
            return found(format!("{} of {all} threads of the list were launched", self.launched));
        }
        let missing = (0..cx.grid.group_count()).find(|g| self.groups.get(g).is_none_or(|g| g.warps.contains(&false)));
        let group = missing.map(|g| cx.grid.launch_ids(g, 0).group);
        found(format!(
            "{} of {all} warps were launched; the first group not launched wholly is {group:?}",
            self.launched
        ))
    }
}
