//! Operations executed once for a warp: a completed one delivers one value, to the active lanes and
//! to nobody else (WW-25, WW-33), and a lock has one owner (WW-22): it is not taken while a warp
//! holds it nor given back while nobody does. Whose it is to give back is the job's matter
//! ([`Ownership`], WW-28): machine and model agree on what happened, so what is against the job's
//! declaration is the program's problem and no mismatch. The order is that of the
//! [witness](crate::lockstep::witness).

use quadlock_golden::Effect;
use quadlock_isa::abi::LANES;
use quadlock_isa::{group_register, AtomicOp};

use super::checker::{Checker, Context};
use crate::lockstep::finding::{Check, Compare, Concern, Field, Finding, Name, Value, What as Wrong};
use crate::lockstep::ownership::{form, By, Form, Holder, Ownership};
use crate::lockstep::sequencer::Completed;
use crate::lockstep::witness::{Atomic, Step, What};
use crate::lockstep::wrong::Protocol;
use crate::machine::lanes::{lanes, mask_of};
use crate::machine::launch::Launch;

#[derive(Clone, Default)]
pub struct WarpWideChecker {
    ownership: Ownership,
}

/// One value, for the active lanes, in every register of the result.
fn delivery(done: &Completed, effect: &Effect) -> Check {
    let (first, count) = effect.dest.unwrap_or((0, 0));
    let mut c = Compare::default();
    for register in (0..count).map(|k| group_register(first, k)) {
        let mut values = [None; LANES];
        for beat in done.beats.iter().filter(|b| b.wen && b.dst == register) {
            lanes(beat.mask).for_each(|lane| values[lane] = Some(beat.value[lane]));
        }
        let given = mask_of((0..LANES).filter(|&l| values[l].is_some()));
        c.field(Name::LanesOf(register), effect.mask & 15, given, Value::Mask);
        let one = values.iter().flatten().next().copied().unwrap_or(0);
        for (lane, value) in values.iter().enumerate().filter_map(|(l, v)| Some((l, (*v)?))) {
            c.hex(Name::AsLowest(register, lane), one, value);
        }
    }
    c.finish(Wrong::Delivery)
}

/// Late lanes get the kept result, and nobody else does (WW-27).
fn arrival(done: &Completed, effect: &Effect) -> Check {
    let mut c = Compare::default();
    c.field(Name::Of("what the lanes get"), effect.stored, done.kept(), Value::Kept);
    c.finish(Wrong::Arrival)
}

/// What the lock form said must be what it found.
fn honest(a: &Atomic, me: Holder, owner: Option<By>) -> Check {
    let what = match (a.operand & 1 == 1, a.returned == Some(1), a.old) {
        (true, true, old) if old != 0 => Wrong::TwoOwners { addr: a.addr },
        (false, true, old) if old != 1 => Wrong::NobodysLock { addr: a.addr },
        _ => return Ok(()),
    };
    let owner = owner.map_or(Value::Nobody, |owner| Value::Holder(owner.who));
    let field = |name, expected, seen| Field { name: Name::Of(name), expected, seen };
    let fields = vec![field("result", Value::Hex(0), Value::Hex(1)), field("owner", owner, Value::Holder(me))];
    Err(Box::new(Finding { fields, ..Finding::new(what) }))
}

impl WarpWideChecker {
    fn step(&mut self, step: &Step, launch: &Launch) -> Check {
        let who = Holder { unit: step.unit, warp: step.warp, launch: step.launch };
        if step.shared.is_some() {
            // The storage's content outlives the work group, and with it what a group left taken:
            // only what a lock says is judged.
            return match &step.what {
                What::Atomic(a) if a.op == AtomicOp::Lock => honest(a, who, None),
                _ => Ok(()),
            };
        }
        let by = By { who, pc: step.pc };
        match &step.what {
            What::Store(bytes) => self.ownership.write(launch, by, Form::Other, bytes),
            What::Atomic(a) if a.op == AtomicOp::Lock => {
                honest(a, who, self.ownership.owner(a.addr))?;
                if a.old != a.new {
                    self.ownership.lock(launch, by, a.addr, a.new as u32);
                }
            }
            What::Atomic(a) => {
                let bytes: Vec<(u32, u8)> = (a.addr..).zip(a.new.to_le_bytes()).take(a.bytes.into()).collect();
                self.ownership.write(launch, by, form(Some(a.op), a.bytes), &bytes);
            }
        }
        Ok(())
    }
}

impl Checker for WarpWideChecker {
    fn concern(&self) -> Concern {
        Concern::WarpWide
    }

    fn copy(&self) -> Box<dyn Checker> {
        Box::new(self.clone())
    }

    fn completed(&mut self, done: &Completed, effect: &Effect, steps: &[Step], cx: &Context) -> Check {
        if effect.mem.is_some() && cx.op(effect.pc).is_some_and(|op| op.is_warp_wide()) {
            arrival(done, effect)?;
            delivery(done, effect)?;
        }
        steps.iter().try_for_each(|step| self.step(step, cx.launch))
    }

    fn problem(&self) -> Option<Protocol> {
        Protocol::foreign(&self.ownership)
    }

    fn ownership(&self) -> Option<&Ownership> {
        Some(&self.ownership)
    }
}
