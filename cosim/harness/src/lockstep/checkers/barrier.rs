//! Barriers: a lane that the model has blocked must not retire, and a warp may go on only after the last warp of its group has arrived
//! (or ended). The order of records at the retire ports is the witness: the first instruction after a barrier must not retire before the one that
//! opened it.

use std::collections::HashMap;

use quadlock_golden::{Effect, LaneState};
use quadlock_isa::Op;

use super::{lanes, Check, Checker, Compare, Context};
use crate::lockstep::sequencer::Retired;

#[derive(Clone, Default)]
pub struct BarrierChecker {
    /// Latest cycle in which a lane of the group with that first slot stopped: arrived, ended or trapped. By unit and slot, as all here.
    stopped: HashMap<(usize, usize), u64>,
    /// Slots that wait at a barrier, and of those that have gone on, the cycle in which it opened. Empty in programs without barriers.
    waits: HashMap<(usize, usize), Wait>,
}

#[derive(Clone, Copy)]
enum Wait {
    Blocked,
    Opened(u64),
}

impl Checker for BarrierChecker {
    fn name(&self) -> &'static str {
        "barrier"
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
                let text = |cycle: &u64| format!("in cycle {cycle} or later");
                c.field("first instruction after the barrier", cycle, record.cycle, text);
                return c.finish("a warp went on before the rest of its group had arrived at the barrier");
            }
        }
        let warp = cx.golden.warp(key.0, key.1);
        for lane in lanes(record.event.mask).filter(|&l| warp.lane_state(l) == LaneState::Blocked) {
            if warp.next().is_some() {
                c.field(format_args!("lane {lane}"), "blocked at a barrier", "retires", |s| (*s).to_owned());
            }
        }
        c.finish("a lane that is blocked at a barrier retires")
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
