//! Traps: the machine traps exactly where the model does, and its `trapped` output says so afterwards and not before.

use quadlock_golden::Effect;

use super::{Check, Checker, Compare, Context};
use crate::lockstep::sequencer::Retired;

#[derive(Default)]
pub struct TrapChecker {
    trapped: bool,
}

impl Checker for TrapChecker {
    fn name(&self) -> &'static str {
        "trap"
    }

    fn issued(&mut self, record: &Retired, effect: &Effect, _cx: &Context) -> Check {
        self.trapped |= effect.trap.is_some();
        let mut c = Compare::default();
        if effect.pc == record.event.pc {
            c.field("trap", effect.trap.is_some(), record.event.trap, bool::to_string);
        }
        c.finish("an instruction traps on one side only")
    }

    fn end(&mut self, cx: &Context) -> Check {
        let mut c = Compare::default();
        c.field("trapped output", self.trapped, cx.outputs.trapped, bool::to_string);
        c.finish("the trapped output is wrong")
    }
}
