//! Atomics have a legal order: from the initial memory, the stores and atomics are repeated one
//! after the other in the order of the [witness](crate::lockstep::witness), with arithmetic of this
//! file's own and without the model's memory. Every value that the machine returned must be the one
//! found at that moment, and memory must end as the order leaves it; then this order is one that
//! explains everything observed, per lane and warp-wide. Operands are the model's, whose registers
//! lockstep compares. What shared storage holds at the beginning is not known: the first value
//! returned is believed, and of a lock form what the model found.

use std::collections::HashMap;

use quadlock_golden::Effect;
use quadlock_isa::abi::LINE_BYTES;
use quadlock_isa::AtomicOp;

use super::checker::{Checker, Context};
use crate::lockstep::finding::{Check, Compare, Concern, Name, Value, What as Wrong};
use crate::lockstep::sequencer::Completed;
use crate::lockstep::witness::{Atomic, Step, What};

/// A line with the bytes of it that are known.
#[derive(Clone, Copy, Default)]
struct Line {
    bytes: [u8; LINE_BYTES as usize],
    known: u16,
    /// An atomic has accessed it.
    atomic: bool,
}

#[derive(Clone, Default)]
pub struct AtomicOrderChecker {
    /// By unit of the shared storage (none: global memory) and address.
    lines: HashMap<(Option<usize>, u32), Line>,
}

/// What an operation leaves where it finds `old`, and what it returns. Values of 32 bits stand
/// zero-extended.
pub fn apply(a: &Atomic, old: u64) -> (u64, u64) {
    let narrow = a.bytes == 4;
    let mask = if narrow { u64::from(u32::MAX) } else { u64::MAX };
    let (b, c) = (a.operand & mask, a.compare & mask);
    // The sign bit flipped: signed order is then unsigned order.
    let sign = if narrow { 1 << 31 } else { 1 << 63 };
    let less = |x: u64, y: u64| (x ^ sign) < (y ^ sign);
    let swapped = |condition: bool, new: u64| if condition { new } else { old };
    let new = match a.op {
        AtomicOp::Add => old.wrapping_add(b),
        AtomicOp::Sub => old.wrapping_sub(b),
        AtomicOp::And => old & b,
        AtomicOp::Or => old | b,
        AtomicOp::Xor => old ^ b,
        AtomicOp::SMin => swapped(less(b, old), b),
        AtomicOp::SMax => swapped(less(old, b), b),
        AtomicOp::UMin => swapped(b < old, b),
        AtomicOp::UMax => swapped(old < b, b),
        AtomicOp::Xchg => b,
        AtomicOp::Cas => swapped(old == c, b),
        AtomicOp::Lock => {
            let done = old != b & 1 && old < 2;
            return (swapped(done, b & 1), u64::from(done));
        }
    };
    (new & mask, old)
}

impl AtomicOrderChecker {
    fn line(&mut self, shared: Option<usize>, addr: u32, cx: &Context) -> &mut Line {
        let base = addr & !(LINE_BYTES - 1);
        self.lines.entry((shared, base)).or_insert_with(|| {
            let mut line = Line::default();
            if shared.is_none() {
                let image = &cx.launch.image;
                for (i, byte) in line.bytes.iter_mut().enumerate() {
                    let at = (base as usize + i).checked_sub(image.base as usize);
                    *byte = at.and_then(|at| image.bytes.get(at)).copied().unwrap_or(0);
                }
                line.known = u16::MAX;
            }
            line
        })
    }

    fn step(&mut self, step: &Step, cx: &Context) -> Check {
        match &step.what {
            What::Store(bytes) => {
                for &(addr, value) in bytes {
                    let line = self.line(step.shared, addr, cx);
                    let i = (addr % LINE_BYTES) as usize;
                    line.bytes[i] = value;
                    line.known |= 1 << i;
                }
                Ok(())
            }
            What::Atomic(a) => self.atomic(step, a, cx),
        }
    }

    fn atomic(&mut self, step: &Step, a: &Atomic, cx: &Context) -> Check {
        if a.fault {
            return Ok(());
        }
        let line = self.line(step.shared, a.addr, cx);
        line.atomic = true;
        let first = (a.addr % LINE_BYTES) as usize;
        let places = first..first + usize::from(a.bytes);
        // What a lock form returns is not what it found; the model's word is believed then.
        let found = if a.op == AtomicOp::Lock { a.old } else { a.returned.unwrap_or(0) };
        for i in places.clone().filter(|i| line.known >> i & 1 == 0).collect::<Vec<_>>() {
            line.bytes[i] = (found >> (8 * (i - first))) as u8;
            line.known |= 1 << i;
        }
        let old = line.bytes[places.clone()].iter().rev().fold(0, |value, &b| value << 8 | u64::from(b));
        let (new, result) = apply(a, old);
        for (k, byte) in line.bytes[places].iter_mut().enumerate() {
            *byte = (new >> (8 * k)) as u8;
        }
        let mut c = Compare::default();
        if let Some(returned) = a.returned {
            c.field(Name::Atomic { op: a.op, addr: a.addr, lane: a.lane }, result, returned, Value::Wide);
        }
        c.finish(Wrong::AtomicValue)
    }
}

impl Checker for AtomicOrderChecker {
    fn concern(&self) -> Concern {
        Concern::AtomicOrder
    }

    fn copy(&self) -> Box<dyn Checker> {
        Box::new(self.clone())
    }

    fn completed(&mut self, _done: &Completed, _effect: &Effect, steps: &[Step], cx: &Context) -> Check {
        steps.iter().try_for_each(|step| self.step(step, cx))
    }

    fn end(&mut self, cx: &Context) -> Check {
        let mut c = Compare::default();
        let mut lines: Vec<_> = self.lines.iter().filter(|(key, line)| key.0.is_none() && line.atomic).collect();
        lines.sort_unstable_by_key(|l| *l.0);
        for ((_, base), line) in lines {
            let Some(seen) = cx.image.slice(*base, LINE_BYTES as usize) else { continue };
            for (i, (&e, &s)) in line.bytes.iter().zip(seen).enumerate() {
                c.field(Name::Byte(base + i as u32), e, s, Value::Byte);
            }
        }
        c.finish(Wrong::AtomicMemory)
    }
}
