//! Traps: the machine traps exactly where the model does, and its `trapped` output says so
//! afterwards and not before; the sticky ports beside it name the first trap. Of traps that retire
//! in the same cycle in several units any may be named.

use quadlock_golden::Effect;

use super::checker::{Checker, Context};
use crate::lockstep::finding::{Check, Compare, Concern, Name, Value, What};
use crate::lockstep::sequencer::Retired;
use crate::machine::ports::TrapPlace;

#[derive(Clone, Default)]
pub struct TrapChecker {
    trapped: bool,
    /// Cycle of the earliest trap's record, and the traps of that cycle.
    first: (u64, Vec<TrapPlace>),
}

impl Checker for TrapChecker {
    fn concern(&self) -> Concern {
        Concern::Trap
    }

    fn copy(&self) -> Box<dyn Checker> {
        Box::new(self.clone())
    }

    fn issued(&mut self, record: &Retired, effect: &Effect, _cx: &Context) -> Check {
        if effect.trap.is_some() {
            let place = TrapPlace { unit: record.unit as u8, warp: record.event.warp, pc: effect.pc };
            // The model may follow units out of the order of their records.
            if !self.trapped || record.cycle < self.first.0 {
                self.first = (record.cycle, vec![place]);
            } else if record.cycle == self.first.0 {
                self.first.1.push(place);
            }
            self.trapped = true;
        }
        let mut c = Compare::default();
        if effect.pc == record.event.pc {
            c.flag("trap", effect.trap.is_some(), record.event.trap);
        }
        c.finish(What::TrapsOnOneSide)
    }

    fn end(&mut self, cx: &Context) -> Check {
        let mut c = Compare::default();
        c.flag("trapped output", self.trapped, cx.outputs.trapped);
        if let (true, Some(&first)) = (self.trapped && cx.outputs.trapped, self.first.1.first()) {
            let seen = cx.outputs.trap;
            let expected = if self.first.1.contains(&seen) { seen } else { first };
            c.field(Name::Of("trap ports"), expected, seen, Value::Trap);
        }
        c.finish(What::TrapOutputs)
    }
}
