//! Retirements: program counter, active mask, instruction word, destination, value of every active
//! lane, next counters; of memory instructions the addresses, and at completion (also of function
//! instructions) the value of every (lane, register), each delivered exactly once. Inactive lanes
//! are covered later: a register wrongly written shows when it is next read.

use quadlock_golden::{Effect, Trap};
use quadlock_isa::abi::LANES;
use quadlock_isa::{decode, group_register, Class};

use super::checker::{Checker, Context};
use crate::lockstep::finding::{Check, Compare, Concern, Finding, Name, Value, What};
use crate::lockstep::sequencer::{Completed, Retired};
use crate::lockstep::witness::Step;
use crate::machine::lanes::{has_lane, lanes};

#[derive(Clone)]
pub struct RetireChecker;

impl Checker for RetireChecker {
    fn concern(&self) -> Concern {
        Concern::Retire
    }

    fn copy(&self) -> Box<dyn Checker> {
        Box::new(self.clone())
    }

    fn issued(&mut self, record: &Retired, effect: &Effect, _cx: &Context) -> Check {
        let e = &record.event;
        let mut c = Compare::default();
        c.number("seq", effect.seq, e.seq);
        c.number("pc", effect.pc, e.pc);
        c.field(Name::Of("mask"), effect.mask, e.mask, Value::Mask);
        if !matches!(effect.trap, Some(Trap::OutsideProgram(_))) {
            c.field(Name::Of("word"), effect.word, e.word(), Value::Word);
        }
        c.flag("completes later", effect.deferred, e.mem);
        let written = effect.dest.filter(|_| !effect.deferred && effect.trap.is_none());
        c.flag("writes", written.is_some(), e.wen);
        if let (Some((first, _)), true) = (written, e.wen) {
            c.field(Name::Of("destination"), first, e.dst, Value::Register);
        }
        let active = effect.mask & e.mask;
        for lane in lanes(active) {
            match (&effect.mem, written) {
                // The address of a helper that stores nothing is nobody's.
                (Some(mem), _) if !has_lane(mem.lanes, lane) => {}
                (Some(mem), _) => c.hex(Name::Lane("address", lane), mem.addr[lane], e.value[lane]),
                (None, Some((first, _))) => {
                    c.hex(Name::Register(first, lane), effect.values[lane][0], e.value[lane]);
                }
                _ if effect.message.is_some() => {
                    c.hex(Name::Lane("operand B", lane), effect.values[lane][0], e.value[lane]);
                }
                _ => {}
            }
        }
        if effect.trap.is_none() {
            for lane in lanes(active) {
                let name = Name::Lane("next pc", lane);
                c.field(name, effect.next[lane], e.next[lane], |v| Value::Number(v.into()));
            }
        }
        c.finish(What::RetirementDiffers)
    }

    fn completed(&mut self, done: &Completed, effect: &Effect, _steps: &[Step], cx: &Context) -> Check {
        let slot = cx.golden.warp(effect.unit, effect.warp);
        let mut seen: [[Option<u32>; 4]; LANES] = Default::default();
        let (first, count) = effect.dest.unwrap_or((0, 0));
        for beat in done.beats.iter().filter(|b| b.wen) {
            let Some(k) = (0..count).find(|&k| group_register(first, k) == beat.dst) else {
                return Finding::err(What::ForeignBeat { register: beat.dst });
            };
            for lane in lanes(beat.mask) {
                if seen[lane][k as usize].replace(beat.value[lane]).is_some() {
                    return Finding::err(What::DeliveredTwice { lane, register: beat.dst });
                }
            }
        }
        let mut c = Compare::default();
        for (lane, seen) in seen.iter().enumerate() {
            for k in 0..count {
                // A helper's atomic is not done, and leaves its register.
                let active = has_lane(effect.mem.as_ref().map_or(effect.mask, |mem| mem.lanes), lane);
                let expected = active.then_some(effect.values[lane][k as usize]);
                let register = group_register(first, k);
                // What is not written may not be shown (MS-21).
                if !slot.writes(register, lane) && seen[k as usize].is_none() {
                    continue;
                }
                let name = Name::Register(register, lane);
                c.field(name, expected, seen[k as usize], |v| v.map_or(Value::NotWritten, Value::Hex));
            }
        }
        // Both together say that it is a kept result (WW-27).
        let shared = effect.stored || effect.mem.as_ref().is_some_and(|m| m.shared);
        c.flag("shared pipeline", shared, done.shared);
        let of_function = decode(effect.word).is_ok_and(|i| i.op.class() == Class::Function);
        let function = effect.stored || effect.deferred && of_function;
        c.flag("function unit", function, done.function);
        c.finish(What::CompletionDiffers)
    }
}
