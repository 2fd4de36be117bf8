//! Retirements: program counter, active mask, instruction word, destination, value of every active lane, next counters; of memory instructions the
//! addresses, and at completion (also of function instructions) the value of every (lane, register), each delivered exactly once. Inactive lanes are covered later: a
//! register wrongly written shows when it is next read.

use quadlock_golden::{Effect, Trap};
use quadlock_isa::abi::LANES;
use quadlock_isa::group_register;

use super::{lanes, Check, Checker, Compare, Context, Finding};
use crate::lockstep::sequencer::{Completed, Retired};

#[derive(Clone)]
pub struct RetireChecker;

fn mask_text(mask: &u8) -> String {
    format!("{:04b}", mask & 15)
}

impl Checker for RetireChecker {
    fn name(&self) -> &'static str {
        "retire"
    }

    fn copy(&self) -> Box<dyn Checker> {
        Box::new(self.clone())
    }

    fn issued(&mut self, record: &Retired, effect: &Effect, _cx: &Context) -> Check {
        let e = &record.event;
        let mut c = Compare::default();
        c.field("seq", effect.seq, e.seq, u8::to_string);
        c.field("pc", effect.pc, e.pc, u16::to_string);
        c.field("mask", effect.mask, e.mask, mask_text);
        if !matches!(effect.trap, Some(Trap::OutsideProgram(_))) {
            c.field("word", effect.word, e.word, |w| format!("{w:#018x}"));
        }
        c.field("completes later", effect.deferred, e.mem, bool::to_string);
        let written = effect.dest.filter(|_| !effect.deferred && effect.trap.is_none());
        c.field("writes", written.is_some(), e.wen, bool::to_string);
        if let (Some((first, _)), true) = (written, e.wen) {
            c.field("destination", first, e.dst, |r| format!("r{r}"));
        }
        let active = effect.mask & e.mask;
        for lane in lanes(active) {
            match (&effect.mem, written) {
                (Some(mem), _) => c.hex(format_args!("address, lane {lane}"), mem.addr[lane], e.value[lane]),
                (None, Some((first, _))) => {
                    c.hex(format_args!("r{first}, lane {lane}"), effect.values[lane][0], e.value[lane]);
                }
                _ if effect.message.is_some() => {
                    c.hex(format_args!("operand B, lane {lane}"), effect.values[lane][0], e.value[lane]);
                }
                _ => {}
            }
        }
        if effect.trap.is_none() {
            for lane in lanes(active) {
                c.field(format_args!("next pc, lane {lane}"), effect.next[lane], e.next[lane], u16::to_string);
            }
        }
        c.finish("a retired instruction differs")
    }

    fn completed(&mut self, done: &Completed, effect: &Effect, _cx: &Context) -> Check {
        let mut seen: [[Option<u32>; 4]; LANES] = Default::default();
        let (first, count) = effect.dest.unwrap_or((0, 0));
        for beat in done.beats.iter().filter(|b| b.wen) {
            let Some(k) = (0..count).find(|&k| group_register(first, k) == beat.dst) else {
                let what = format!("a completion beat writes r{}, which the instruction does not write", beat.dst);
                return Err(Box::new(Finding::new(what)));
            };
            for lane in lanes(beat.mask) {
                if seen[lane][k as usize].replace(beat.value[lane]).is_some() {
                    let what = format!("lane {lane} of r{} is delivered twice", beat.dst);
                    return Err(Box::new(Finding::new(what)));
                }
            }
        }
        let mut c = Compare::default();
        for (lane, seen) in seen.iter().enumerate() {
            for k in 0..count {
                let active = effect.mask >> lane & 1 == 1;
                let expected = active.then_some(effect.values[lane][k as usize]);
                c.field(format_args!("r{}, lane {lane}", group_register(first, k)), expected, seen[k as usize], |v| {
                    match v {
                        Some(v) => format!("{v:#010x}"),
                        None => "(not written)".to_owned(),
                    }
                });
            }
        }
        // Both together say that it is a kept result (WW-27).
        let shared = effect.stored || effect.mem.as_ref().is_some_and(|m| m.shared);
        c.field("shared pipeline", shared, done.shared, bool::to_string);
        let function = effect.stored || effect.deferred && effect.mem.is_none();
        c.field("function unit", function, done.function, bool::to_string);
        c.finish("the result of a completed instruction differs")
    }
}
