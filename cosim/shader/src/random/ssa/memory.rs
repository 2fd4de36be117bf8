//! Memory of random programs: slots, arrays, an invocation's window of global and shared memory,
//! atomics, and exchange between barriers.
//!
//! An invocation touches its own bytes, or counters on which the order of operations does not
//! matter. Anything else would be a race, and two runs could differ without a mistake.

use super::tables::{ATOMICS, COUNTERS, COUNTER_OPS, INPUT, INPUT_BYTES, SHARED, WIDTHS};
use super::Generator;
use crate::ssa::{AtomicOp, Kind, Slot, Space, Value, Width};
use quadlock_isa::abi::LANES;
use quadlock_isa::{Op, Special};
use rand::Rng;

impl Generator {
    pub(super) fn slot_access(&mut self) {
        let slots = if self.arrays.is_empty() || self.chance(60) { &self.slots } else { &self.arrays };
        let slot = slots[self.rng.random_range(0..slots.len())];
        let words = self.f.slots[slot.index()].words;
        let word = self.rng.random_range(0..words);
        if self.arrays.contains(&slot) && self.chance(60) {
            return self.array_access(slot, words);
        }
        if self.chance(50) {
            let v = self.one(Kind::SlotLoad { slot, word });
            self.pool.push(v);
        } else {
            let value = self.value();
            self.emit(Kind::SlotStore { slot, word, value }, 0);
        }
    }

    pub(super) fn array_access(&mut self, slot: Slot, words: u32) {
        let base = self.one(Kind::SlotAddr(slot));
        let addr = if self.chance(50) {
            let c = self.rng.random_range(0..words) * 4;
            self.with(Op::IAdd, base, c)
        } else {
            let v = self.value();
            let v = self.with(Op::And, v, (words - 1) * 4);
            self.alu(Op::IAdd, &[base, v])
        };
        self.access(Space::Stack, addr, &[Width::W32], 0);
    }

    pub(super) fn access(&mut self, space: Space, addr: Value, widths: &[Width], offset: i32) {
        let width = self.pick(widths);
        if self.chance(50) {
            let v = self.emit(Kind::Load { space, width, addr, offset }, width.words());
            self.pool.extend(v);
        } else {
            let values = self.values(width.words());
            self.emit(Kind::Store { space, width, addr, offset, values }, 0);
        }
    }

    pub(super) fn memory(&mut self) {
        let v = self.value();
        let mixed = self.with(Op::And, v, 0x10);
        match self.rng.random_range(0..10) {
            0..2 => {
                let at = self.with(Op::And, v, INPUT_BYTES - 16);
                let width = self.pick(WIDTHS);
                let load = Kind::Load { space: Space::Global, width, addr: at, offset: INPUT as i32 };
                let v = self.emit(load, width.words());
                self.pool.extend(v);
            }
            2..7 => {
                let addr = if self.chance(50) { self.window } else { self.alu(Op::IAdd, &[self.window, mixed]) };
                let offset = self.rng.random_range(0..8) * 4;
                self.access(Space::Global, addr, WIDTHS, offset);
            }
            7 => {
                let (addr, offset) = (self.shared, self.rng.random_range(0..6) * 4);
                self.access(Space::Shared, addr, &WIDTHS[..7], offset);
            }
            _ => self.atomic(),
        }
    }

    /// Words that are written and read so often that what is behind joins meets what was before.
    pub(super) fn few(&mut self) {
        let (space, addr) = if self.chance(70) { (Space::Global, self.window) } else { (Space::Shared, self.shared) };
        let offset = self.rng.random_range(0..2) * 4;
        self.access(space, addr, &[Width::W32], offset);
    }

    pub(super) fn atomic(&mut self) {
        let value = self.value();
        if self.chance(40) {
            let i = self.rng.random_range(0..COUNTER_OPS.len());
            let addr = self.constant(COUNTERS);
            let kind = Kind::Atomic {
                warp_wide: false,
                space: Space::Global,
                op: COUNTER_OPS[i],
                addr,
                offset: i as i32 * 4,
                values: vec![value],
                expected: vec![],
            };
            self.one(kind);
            return;
        }
        let op = self.pick(ATOMICS);
        let (space, addr) = if self.chance(50) { (Space::Global, self.window) } else { (Space::Shared, self.shared) };
        let offset = self.rng.random_range(0..7) * 4;
        let words = if space == Space::Global && self.chance(30) { 2 } else { 1 };
        let values = [vec![value], self.values(words - 1)].concat();
        let expected = if op == AtomicOp::Cas { self.values(words) } else { vec![] };
        let results = self.emit(Kind::Atomic { warp_wide: false, space, op, addr, offset, values, expected }, words);
        self.pool.extend(results);
    }

    /// Operations for uniform control flow: exchange through shared memory, quad operations.
    pub(super) fn uniform(&mut self) {
        let i = self.one(Kind::Special(Special::LocalIndex));
        let a = self.value();
        let v = match self.rng.random_range(0..3) {
            0 => {
                let by = self.value();
                self.one(Kind::CrossLane { op: Op::QShuf, args: vec![a, by] })
            }
            1 => {
                let op = self.pick(&[Op::Ddx, Op::Ddy]);
                self.alu(op, &[a])
            }
            _ => {
                let at = self.with(Op::Shl, i, 2);
                let own = self.with(Op::IMul, i, SHARED);
                self.emit(Kind::Barrier, 0);
                self.emit(
                    Kind::Store { space: Space::Shared, width: Width::W32, addr: own, offset: 28, values: vec![a] },
                    0,
                );
                self.emit(Kind::Barrier, 0);
                let partner = self.with(Op::Xor, i, LANES as u32 - 1);
                let other = self.with(Op::IMul, partner, SHARED);
                let load = Kind::Load { space: Space::Shared, width: Width::W32, addr: other, offset: 28 };
                let v = self.one(load);
                self.emit(Kind::Barrier, 0);
                self.alu(Op::Xor, &[v, at])
            }
        };
        self.pool.push(v);
    }
}
