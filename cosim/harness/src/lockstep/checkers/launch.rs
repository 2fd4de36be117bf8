//! Launches: each warp of each group exactly once, with the right lanes, into a slot that exists
//! and where its group belongs. Which free slot and which order of groups is the machine's choice.
//! The threads of a list come strictly in its order, each with what its record says.

use std::collections::HashMap;

use super::checker::{Checker, Context};
use crate::base::bits::BitSet;
use crate::lockstep::finding::{Check, Compare, Concern, Finding, Name, Value, What};
use crate::machine::launch::ThreadList;
use crate::machine::ports::LaunchEvent;

/// Warps launched so far.
#[derive(Clone, Default)]
pub struct LaunchChecker {
    /// (unit, group slot) of each group of which a warp has been launched, and which of its warps
    /// have been.
    groups: HashMap<u64, Group>,
    launched: u64,
}

#[derive(Clone)]
struct Group {
    unit: u8,
    slot: u8,
    warps: BitSet,
}

/// SE-3: the slot's unit has it, and the unit can run the program.
fn able(e: &LaunchEvent, cx: &Context) -> Check {
    let places = cx.config.unit_places();
    let Some(place) = places.get(usize::from(e.unit)) else {
        return Finding::err(What::NoUnit { unit: e.unit, units: places.len() });
    };
    let (row, core) = (place.core / cx.config.cores, place.core % cx.config.cores);
    if usize::from(e.warp) >= place.warps {
        return Finding::err(What::NoSlot { unit: e.unit, warp: e.warp, row, core, slots: place.warps });
    }
    if cx.launch.functions && !place.function_unit {
        return Finding::err(What::NoFunctionUnit { unit: e.unit, row, core });
    }
    Ok(())
}

impl LaunchChecker {
    /// The next thread of a list.
    fn thread(&mut self, e: &LaunchEvent, list: &ThreadList) -> Check {
        let number = self.launched;
        let Some(record) = list.threads.get(number as usize) else {
            return Finding::err(What::AfterAll { threads: number });
        };
        self.launched += 1;
        let mut c = Compare::default();
        let field = |what| Name::Thread(number, what);
        c.field(field("mask"), record.mask, e.mask, Value::Mask);
        c.field(field("pc"), record.pc, e.pc, |v| Value::Number(v.into()));
        for (i, name) in ["x", "y", "z"].into_iter().enumerate() {
            c.hex(field(name), record.data[i], e.group()[i]);
        }
        c.field(field("warp in group"), 0, e.warp_in_group, |v| Value::Number(v.into()));
        let wait = record.requests.iter().filter(|r| !r.suppress).count();
        c.field(field("wait count"), wait, e.wait.into(), |v| Value::Number(v as u64));
        c.finish(What::ThreadDiffers)
    }
}

impl Checker for LaunchChecker {
    fn concern(&self) -> Concern {
        Concern::Launch
    }

    fn copy(&self) -> Box<dyn Checker> {
        Box::new(self.clone())
    }

    fn launch(&mut self, _cycle: u64, e: &LaunchEvent, cx: &Context) -> Check {
        able(e, cx)?;
        if cx.launch.frame.is_some() {
            // Of warps of a frame the log of the frame knows.
            return Ok(());
        }
        if let Some(list) = &cx.launch.threads {
            return self.thread(e, list);
        }
        let [gx, gy, gz] = cx.grid.groups;
        let [x, y, z] = e.group();
        if x >= gx || y >= gy || z >= gz {
            return Finding::err(What::OutsideGrid { group: e.group(), grid: cx.grid.groups });
        }
        let linear = u64::from(x) + u64::from(gx) * (u64::from(y) + u64::from(gy) * u64::from(z));
        let per_group = cx.grid.warps_per_group();
        if u32::from(e.warp_in_group) >= per_group {
            return Finding::err(What::OutsideGroup { warp: e.warp_in_group, per_group });
        }
        let (unit, slot) = (e.unit, e.group_slot);
        let group = self.groups.entry(linear).or_insert_with(|| Group { unit, slot, warps: BitSet::default() });
        if !group.warps.insert(e.warp_in_group.into()) {
            return Finding::err(What::LaunchedTwice { warp: e.warp_in_group, group: e.group() });
        }
        self.launched += 1;
        let mut c = Compare::default();
        let ids = cx.grid.launch_ids(linear, e.warp_in_group.into());
        c.field(Name::Of("mask"), ids.mask, e.mask, Value::Mask);
        if cx.grid.pinned {
            c.number("unit of the group", group.unit, e.unit);
            c.number("group slot", group.slot, e.group_slot);
            let expected = u32::from(e.group_slot) * per_group + u32::from(e.warp_in_group);
            c.number("warp slot", expected, e.warp.into());
            let slots = cx.launch.group_slots(cx.config);
            if u32::from(e.group_slot) >= slots {
                return Finding::err(What::GroupSlot { slot: e.group_slot, allowed: slots });
            }
        }
        c.finish(What::LaunchDiffers)
    }

    fn end(&mut self, cx: &Context) -> Check {
        if cx.launch.frame.is_some() {
            return Ok(());
        }
        let all = cx.launch.warps();
        if self.launched == all {
            return Ok(());
        }
        if cx.launch.threads.is_some() {
            return Finding::err(What::ThreadsMissing { launched: self.launched, all });
        }
        let per_group = cx.grid.warps_per_group() as usize;
        let missing =
            (0..cx.grid.group_count()).find(|g| self.groups.get(g).is_none_or(|g| !g.warps.has_all(per_group)));
        let first = missing.map(|g| cx.grid.launch_ids(g, 0).group);
        Finding::err(What::WarpsMissing { launched: self.launched, all, first })
    }
}
