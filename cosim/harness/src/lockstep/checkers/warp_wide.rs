//! Operations executed once for a warp: a completed one delivers one value, to the active lanes and to nobody else (WW-25, WW-33), and a lock has one owner (WW-22): it is
//! not taken while a warp holds it nor given back while nobody does. A program that gives back a lock of another warp is wrong although machine and model agree; that is
//! reported as its problem. Words that per-lane exchanges take from 0 to 1 count as locks too for the hand-overs. Ownership follows the order of [`Witness`].

use std::collections::BTreeMap;

use quadlock_golden::Effect;
use quadlock_isa::abi::LANES;
use quadlock_isa::{group_register, AtomicOp};

use super::{lanes, Check, Checker, Compare, Context, Finding};
use crate::engine::LaunchEvent;
use crate::launch::Launch;
use crate::lockstep::sequencer::Completed;
use crate::lockstep::witness::{Atomic, Step, What, Witness};

/// A warp: unit, slot, number of its launch in that slot.
type Holder = (usize, usize, u64);

#[derive(Clone, Copy, Debug, Default)]
struct Lock {
    owner: Option<Holder>,
    /// The warp that took it last, whether or not it still has it.
    last: Option<Holder>,
}

/// A release by a warp that is not the owner: who, where, whose lock.
#[derive(Clone, Copy, Debug)]
struct Foreign {
    unit: usize,
    warp: usize,
    pc: u16,
    addr: u32,
    owner: Holder,
}

#[derive(Clone, Default)]
pub struct WarpWideChecker {
    witness: Witness,
    /// By address of the word.
    locks: BTreeMap<u32, Lock>,
    handovers: u64,
    foreign: (u64, Option<Foreign>),
}

fn mask_text(mask: &u8) -> String {
    format!("{:04b}", mask & 15)
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
        let given = (0..LANES).filter(|&l| values[l].is_some()).fold(0, |mask, l| mask | 1 << l);
        c.field(format_args!("lanes that get r{register}"), effect.mask & 15, given, mask_text);
        let one = values.iter().flatten().next().copied().unwrap_or(0);
        for (lane, value) in values.iter().enumerate().filter_map(|(l, v)| Some((l, (*v)?))) {
            c.hex(format_args!("r{register}, lane {lane}, as in the lowest lane"), one, value);
        }
    }
    c.finish("the result of a warp-wide operation is not one value for exactly the active lanes")
}

fn warp_text((unit, warp, _): Holder) -> String {
    format!("unit {unit} warp {warp}")
}

fn holder(step: &Step) -> Holder {
    (step.unit, step.warp, step.launch)
}

impl WarpWideChecker {
    fn step(&mut self, step: &Step) -> Check {
        match &step.what {
            _ if step.shared.is_some() => Ok(()),
            What::Store(bytes) => {
                let (Some(&(first, _)), Some(&(last, _))) = (bytes.first(), bytes.last()) else { return Ok(()) };
                for (addr, lock) in self.locks.range_mut(first.saturating_sub(3)..=last) {
                    if bytes.iter().any(|b| (*addr..addr + 4).contains(&b.0)) {
                        lock.owner = None;
                    }
                }
                Ok(())
            }
            What::Atomic(a) if a.op == AtomicOp::Lock => self.lock(step, a),
            What::Atomic(a) => {
                let exchange = matches!(a.op, AtomicOp::Cas | AtomicOp::Xchg) && a.bytes == 4;
                if exchange && (a.old, a.new) == (0, 1) {
                    self.taken(step, a);
                } else if a.old != a.new {
                    for (_, lock) in self.locks.range_mut(a.addr..a.addr + u32::from(a.bytes)) {
                        lock.owner = None;
                    }
                }
                Ok(())
            }
        }
    }

    fn taken(&mut self, step: &Step, a: &Atomic) {
        let me = holder(step);
        let lock = self.locks.entry(a.addr).or_default();
        self.handovers += u64::from(lock.last.is_some_and(|last| last != me));
        *lock = Lock { owner: Some(me), last: Some(me) };
    }

    fn lock(&mut self, step: &Step, a: &Atomic) -> Check {
        let me = holder(step);
        let (take, said) = (a.operand & 1 == 1, a.returned == Some(1));
        let owner = self.locks.get(&a.addr).and_then(|l| l.owner);
        let wrong = |what: &str| {
            let owner = owner.map_or("nobody that is known".to_owned(), warp_text);
            let mut finding = Finding::new(format!("{what}: the lock word at {:#010x}", a.addr));
            let field = |name: &str, expected: String, seen: String| super::Field { name: name.into(), expected, seen };
            finding.fields.push(field("result", "0x00000000".into(), "0x00000001".into()));
            finding.fields.push(field("owner", owner, warp_text(me)));
            Err(Box::new(finding))
        };
        match (take, said, a.old) {
            (true, true, old) if old != 0 => return wrong("lock has two owners"),
            (false, true, old) if old != 1 => return wrong("a lock is given back that nobody holds"),
            (true, _, 0) => self.taken(step, a),
            (false, _, 1) => {
                if let Some(owner) = owner.filter(|&owner| owner != me) {
                    self.foreign.0 += 1;
                    let Step { unit, warp, pc, .. } = *step;
                    self.foreign.1.get_or_insert(Foreign { unit, warp, pc, addr: a.addr, owner });
                }
                self.locks.entry(a.addr).or_default().owner = None;
            }
            _ => {}
        }
        Ok(())
    }
}

impl Checker for WarpWideChecker {
    fn name(&self) -> &'static str {
        "warp-wide"
    }

    fn copy(&self) -> Box<dyn Checker> {
        Box::new(self.clone())
    }

    fn launched(&mut self, _cycle: u64, event: &LaunchEvent, _cx: &Context) -> Check {
        self.witness.launched(event);
        Ok(())
    }

    fn performed(
        &mut self,
        (_, line, write): (usize, u32, bool),
        done: &Completed,
        atomic: bool,
        cx: &Context,
    ) -> Check {
        self.witness.performed(done, (line, write), atomic, cx);
        Ok(())
    }

    fn completed(&mut self, done: &Completed, effect: &Effect, cx: &Context) -> Check {
        if effect.mem.is_some() && cx.op(effect.pc).is_some_and(|op| op.is_warp_wide()) {
            delivery(done, effect)?;
        }
        self.witness.completed(done, effect, cx).iter().try_for_each(|step| self.step(step))
    }

    fn end(&mut self, _cx: &Context) -> Check {
        self.witness.end()
    }

    fn problem(&self, launch: &Launch) -> Option<String> {
        let (count, Some(f)) = self.foreign else { return None };
        let at = launch.position(f.pc).map_or(String::new(), |p| format!(" ({p})"));
        Some(format!(
            "{count} lock(s) released by another warp; the first: unit {} warp {} pc {}{at} releases the lock at {:#010x}, which {} owns",
            f.unit,
            f.warp,
            f.pc,
            f.addr,
            warp_text(f.owner)
        ))
    }

    fn lock_handovers(&self) -> Option<u64> {
        Some(self.handovers)
    }
}
