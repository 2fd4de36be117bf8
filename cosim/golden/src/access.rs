//! Performing one memory instruction: the whole of it at once, lane by lane, or transaction by
//! transaction as the machine's memory port takes them, which is what several cores need: between
//! two transactions of one instruction another core's may come.
//!
//! Operands are captured when the instruction issues, so that it can be performed later, when the
//! machine's pipeline has chosen the order. Stores and atomics go in ascending lane order, which is
//! what makes the highest lane win.

use quadlock_isa::abi::{LANES, LINE_BYTES};
use quadlock_isa::{group_register, AtomicOp};

use crate::config::Fault;
use crate::effect::{MemEffect, MemKind};
use crate::lanes::{lanes_of, Lanes};
use crate::memory::Memory;
use crate::program::{atomic_result, lock_succeeds, Decoded, MemForm};

/// A memory instruction with its operand values.
#[derive(Clone, Debug)]
pub struct Access {
    pub form: MemForm,
    /// Active lanes: those that get the result.
    pub mask: u8,
    /// Lanes that access memory: the active ones, of a warp-wide atomic the lowest of them.
    pub performers: u8,
    pub addr: [u32; LANES],
    /// Store data or atomic operand, `[lane][word]`.
    pub data: [[u32; 4]; LANES],
    /// Expected value of compare-and-exchange.
    pub compare: [u64; LANES],
}

/// What performing it gave.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Loaded or old value, `[lane][word]`.
    pub values: [[u32; 4]; LANES],
    pub old: [u64; LANES],
    pub new: [u64; LANES],
    /// Lanes that touched unmapped bytes.
    pub fault: u8,
}

/// How far an access has come that is performed transaction by transaction.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    pub outcome: Outcome,
    /// Lanes performed.
    done: u8,
    /// The line of the atomic whose write is to come.
    open: Option<u32>,
}

fn pair(words: [u32; 4]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}

impl Access {
    /// With the operands as `regs`, which reads a register of the warp, has them now.
    pub fn capture(regs: impl Fn(u8) -> Lanes, i: &Decoded, form: MemForm, mask: u8, fault: Option<Fault>) -> Self {
        let performers = match (form.warp_wide, fault) {
            (true, Some(Fault::WideEveryLane)) | (false, _) => mask,
            (true, Some(Fault::WideLeader)) => lanes_of(mask).next_back().map_or(0, |lane| 1 << lane),
            (true, _) => mask & mask.wrapping_neg(),
        };
        let mut access =
            Access { form, mask, performers, addr: [0; LANES], data: [[0; 4]; LANES], compare: [0; LANES] };
        let base = regs(i.a);
        for lane in lanes_of(mask) {
            access.addr[lane] = base[lane].wrapping_add(i.imm);
        }
        if form.kind == MemKind::Load {
            return access;
        }
        for word in 0..form.words() {
            let source = regs(group_register(i.b, word));
            for lane in lanes_of(mask) {
                access.data[lane][word as usize] = source[lane];
            }
            if matches!(form.kind, MemKind::Atomic(_)) {
                let source = regs(group_register(i.c, word));
                for (compare, value) in access.compare.iter_mut().zip(source) {
                    *compare |= u64::from(value) << (32 * word);
                }
            }
        }
        access
    }

    pub fn perform(&self, memory: &mut Memory, fault: Option<Fault>) -> Outcome {
        let mut outcome = Outcome::default();
        let reversed = match self.form.kind {
            MemKind::Load => false,
            MemKind::Store => fault == Some(Fault::StoreLowest),
            MemKind::Atomic(_) => fault == Some(Fault::AtomicOrder),
        };
        if reversed {
            lanes_of(self.performers).rev().for_each(|lane| self.perform_lane(lane, memory, &mut outcome));
        } else {
            lanes_of(self.performers).for_each(|lane| self.perform_lane(lane, memory, &mut outcome));
        }
        outcome
    }

    /// Performs one transaction of the access: the read or write of the line at byte address
    /// `line`. Lines of a load or store may come in any order; an atomic is, lane by lane (a
    /// warp-wide one once), a read at which it is performed and a write.
    ///
    /// # Errors
    /// The access has no such transaction, or has it later.
    pub fn perform_line(
        &self,
        memory: &mut Memory,
        progress: &mut Progress,
        (line, write): (u32, bool),
        fault: Option<Fault>,
    ) -> Result<(), &'static str> {
        let left = self.performers & !progress.done;
        let here = |lane: &usize| memory.effective(self.addr[*lane], self.form.bytes) & !(LINE_BYTES - 1) == line;
        let lanes = match (self.form.kind, write) {
            (MemKind::Load, true) => return Err("a load writes"),
            (MemKind::Store, false) => return Err("a store reads"),
            (MemKind::Atomic(_), true) => {
                return match progress.open.take() {
                    Some(open) if open == line => Ok(()),
                    _ => Err("an atomic writes another line than it has read"),
                };
            }
            (MemKind::Atomic(_), false) if progress.open.is_some() => return Err("an atomic reads before its write"),
            (MemKind::Atomic(_), false) => {
                let next = match fault {
                    Some(Fault::AtomicOrder) => lanes_of(left).next_back(),
                    _ => lanes_of(left).next(),
                };
                let lane = next.filter(here);
                progress.open = lane.map(|_| line);
                lane.map_or(0, |lane| 1 << lane)
            }
            _ => lanes_of(left).filter(here).fold(0, |mask, lane| mask | 1 << lane),
        };
        if lanes == 0 {
            return Err("no lane accesses that line, or it has done so before");
        }
        progress.done |= lanes;
        if self.form.kind == MemKind::Store && fault == Some(Fault::StoreLowest) {
            lanes_of(lanes).rev().for_each(|lane| self.perform_lane(lane, memory, &mut progress.outcome));
        } else {
            lanes_of(lanes).for_each(|lane| self.perform_lane(lane, memory, &mut progress.outcome));
        }
        Ok(())
    }

    /// Performs every transaction that is still to come.
    pub fn perform_rest(&self, memory: &mut Memory, progress: &mut Progress) {
        progress.open = None;
        let left = self.performers & !progress.done;
        lanes_of(left).for_each(|lane| self.perform_lane(lane, memory, &mut progress.outcome));
        progress.done = self.performers;
    }

    /// Every transaction has been performed.
    pub fn is_done(&self, progress: &Progress) -> bool {
        progress.done == self.performers && progress.open.is_none()
    }

    fn perform_lane(&self, lane: usize, memory: &mut Memory, outcome: &mut Outcome) {
        let (addr, bytes) = (self.addr[lane], self.form.bytes);
        let bad = match self.form.kind {
            MemKind::Load => {
                let (mut value, bad) = memory.load(addr, bytes);
                if self.form.signed {
                    value[0] = if bytes == 1 { value[0] as i8 as u32 } else { value[0] as i16 as u32 };
                }
                outcome.values[lane] = value;
                bad
            }
            MemKind::Store => memory.store(addr, bytes, self.data[lane]),
            MemKind::Atomic(op) => {
                let (found, bad) = memory.load(addr, bytes);
                let old = pair(found);
                let new = atomic_result(op, bytes, old, pair(self.data[lane]), self.compare[lane]);
                memory.store(addr, bytes, [new as u32, (new >> 32) as u32, 0, 0]);
                outcome.values[lane] = match op {
                    AtomicOp::Lock => [u32::from(lock_succeeds(old, pair(self.data[lane]))), 0, 0, 0],
                    _ => found,
                };
                if self.form.warp_wide {
                    // WW-20, WW-25: one result, for the active lanes.
                    lanes_of(self.mask).for_each(|other| outcome.values[other] = outcome.values[lane]);
                }
                outcome.old[lane] = old;
                outcome.new[lane] = new;
                bad
            }
        };
        outcome.fault |= u8::from(bad) << lane;
    }

    /// The record of an access that has not been performed.
    pub fn effect(&self, memory: &Memory) -> MemEffect {
        let line = |lane: usize| memory.effective(self.addr[lane], self.form.bytes) / LINE_BYTES;
        let is_first =
            |lane: &usize| lanes_of(self.performers).take_while(|l| l < lane).all(|l| line(l) != line(*lane));
        let lines = lanes_of(self.performers).filter(is_first).count();
        let atomic = matches!(self.form.kind, MemKind::Atomic(_));
        MemEffect {
            shared: self.form.shared,
            kind: self.form.kind,
            bytes: self.form.bytes,
            addr: self.addr,
            lanes: self.mask,
            performers: self.performers,
            operand: if atomic { self.data.map(pair) } else { [0; LANES] },
            compare: self.compare,
            lines: lines as u8,
            performed: false,
            writes: Vec::new(),
            old: [0; LANES],
            new: [0; LANES],
            fault: 0,
        }
    }

    /// The bytes written, merged: a later lane replaces an earlier one.
    pub fn writes(&self, memory: &Memory, outcome: &Outcome) -> Vec<(u32, u8)> {
        if self.form.kind == MemKind::Load {
            return Vec::new();
        }
        let mut bytes: Vec<(u32, u8)> = Vec::with_capacity(LANES * usize::from(self.form.bytes));
        for lane in lanes_of(self.performers) {
            let words = match self.form.kind {
                MemKind::Atomic(_) => [outcome.new[lane] as u32, (outcome.new[lane] >> 32) as u32, 0, 0],
                _ => self.data[lane],
            };
            let base = memory.effective(self.addr[lane], self.form.bytes);
            for i in 0..u32::from(self.form.bytes) {
                bytes.push((base.wrapping_add(i), (words[i as usize / 4] >> (8 * (i % 4))) as u8));
            }
        }
        // Stable, and the last of equal addresses stays.
        bytes.reverse();
        bytes.sort_by_key(|b| b.0);
        bytes.dedup_by_key(|b| b.0);
        bytes
    }
}
