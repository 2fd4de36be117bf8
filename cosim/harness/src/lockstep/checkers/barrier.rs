//! Barriers: a lane that the model has blocked must not retire, and a warp may go on only after the
//! last warp of its group has arrived (or ended). The order of records at the retire ports is the
//! witness: the first instruction after a barrier must not retire before the one that opened it.

use std::collections::HashMap;

use quadlock_golden::{Effect, LaneState};
use quadlock_isa::Op;

use super::checker::{Checker, Context};
use crate::lockstep::finding::{Check, Compare, Concern, Name, Value, What};
use crate::lockstep::sequencer::Retired;
use crate::machine::lanes::lanes;

#[derive(Clone, Default)]
pub struct BarrierChecker {
    /// Latest cycle in which a lane of the group with that first slot stopped: arrived, ended or
    /// trapped. By unit and slot, as all here.
    stopped: HashMap<(usize, usize), u64>,
    /// Slots that wait at a barrier, and of those that have gone on, the cycle in which it opened.
    /// Empty in programs without barriers.
    waits: HashMap<(usize, usize), Wait>,
}

#[derive(Clone, Copy)]
enum Wait {
    Blocked,
    Opened(u64),
}

impl Checker for BarrierChecker {
    fn concern(&self) -> Concern {
        Concern::Barrier
    }

    fn copy(&self) -> Box<dyn Checker> {
        Box::new(self.clone())
    }

    fn before_issue(&mut self, record: &Retired, cx: &Context) -> Check {
        let key = (record.unit, usize::from(record.event.warp));
        let mut c = Compare::default();
        if self.waits.is_empty() {
            return Ok(());
        }
        if let Some(Wait::Opened(cycle)) = self.waits.get(&key).copied() {
            self.waits.remove(&key);
            if record.cycle < cycle {
                let name = Name::Of("first instruction after the barrier");
                c.field(name, cycle, record.cycle, Value::CycleOrLater);
                return c.finish(What::WentOnEarly);
            }
        }
        let warp = cx.golden.warp(key.0, key.1);
        for lane in lanes(record.event.mask).filter(|&l| warp.lane_state(l) == LaneState::Blocked) {
            if warp.next().is_some() {
                c.field(Name::Lane("", lane), Value::Blocked, Value::Retires, |v| v);
            }
        }
        c.finish(What::BlockedRetires)
    }

    fn issued(&mut self, record: &Retired, effect: &Effect, cx: &Context) -> Check {
        let op = cx.op(effect.pc);
        let stops = effect.trap.is_some() || matches!(op, Some(Op::Bar | Op::End | Op::Discard));
        if !stops {
            return Ok(());
        }
        let launch = cx.golden.warp(effect.unit, effect.warp).launch();
        let (first, count) = (launch.first_warp, launch.warps_in_group.max(1));
        let stopped = self.stopped.entry((effect.unit, first)).or_default();
        *stopped = record.cycle.max(*stopped);
        let stopped = *stopped;
        if op == Some(Op::Bar) && effect.trap.is_none() {
            self.waits.insert((effect.unit, effect.warp), Wait::Blocked);
        }
        for slot in first..first + count {
            let warp = cx.golden.warp(effect.unit, slot);
            let blocked = (0..4).any(|l| warp.lane_state(l) == LaneState::Blocked);
            if let Some(wait @ Wait::Blocked) = self.waits.get_mut(&(effect.unit, slot)) {
                if !blocked {
                    *wait = Wait::Opened(stopped);
                }
            }
        }
        Ok(())
    }
}
