//! Values of random programs: arithmetic, sums of products, comparisons, and operations across
//! lanes.
//!
//! What is computed goes to the pool of values that later operations draw from. What an operation
//! across lanes gives depends on which lanes are together there, so only programs that ask for such
//! operations have them.

use super::tables::{ACROSS, BINARY, COMPARE, COUNTERS, COUNTER_OPS, TERNARY, UNARY, WIDE_OPS};
use super::{Floats, Generator};
use crate::ssa::{Kind, Space, Value};
use quadlock_isa::Op;
use rand::Rng;

impl Generator {
    /// An operation across the lanes that are together, whichever they are: a reduction, a scan, a
    /// ballot, or an atomic of the warp on a counter.
    pub(super) fn across(&mut self) {
        let value = self.value();
        if self.chance(25) {
            let i = self.rng.random_range(0..COUNTER_OPS.len());
            let addr = self.constant(COUNTERS);
            let space = Space::Global;
            if let (true, Some(&op)) = (self.chance(40), WIDE_OPS.get(i)) {
                let (values, offset) = (vec![value, self.value()], 32 + i as i32 * 8);
                self.emit(Kind::Atomic { space, warp_wide: true, op, addr, offset, values, expected: vec![] }, 2);
                return;
            }
            let (op, offset) = (COUNTER_OPS[i], i as i32 * 4);
            self.one(Kind::Atomic { space, warp_wide: true, op, addr, offset, values: vec![value], expected: vec![] });
            return;
        }
        let op = self.pick(ACROSS);
        let v = self.one(Kind::CrossLane { op, args: vec![value] });
        self.pool.push(v);
    }

    /// An operation of the quad on a value that all its lanes have.
    pub(super) fn quad(&mut self) {
        if !self.is_entry || self.top == 0 {
            return;
        }
        let any = self.pool[self.rng.random_range(0..self.top)];
        let a = self.fresh.filter(|_| self.chance(50)).unwrap_or(any);
        let v = match self.rng.random_range(0..3) {
            0 => {
                let by = self.value();
                self.one(Kind::CrossLane { op: Op::QShuf, args: vec![a, by] })
            }
            1 => self.alu(Op::Ddx, &[a]),
            _ => self.alu(Op::Ddy, &[a]),
        };
        self.pool.push(v);
    }

    pub(super) fn arithmetic(&mut self) {
        if self.across && self.chance(10) {
            return self.across();
        }
        if self.floats != Floats::Few && self.chance(60) {
            return self.product_and_sum();
        }
        if self.quads && self.chance(20) {
            return self.quad();
        }
        let v = match self.rng.random_range(0..10) {
            0 => {
                let op = self.pick(UNARY);
                let a = self.values(1);
                self.alu(op, &a)
            }
            1..6 => {
                let op = self.pick(BINARY);
                let a = self.values(2);
                self.alu(op, &a)
            }
            6..8 => self.condition(),
            8 => {
                let op = self.pick(TERNARY);
                let a = self.values(3);
                self.alu(op, &a)
            }
            _ => {
                let w = self.rng.random_range(0..16);
                self.one(Kind::ConstWord(w))
            }
        };
        self.pool.push(v);
    }

    /// A product, and a sum or difference with it; sometimes two, or another product beside it.
    pub(super) fn product_and_sum(&mut self) {
        let [a, b, c, d] = std::array::from_fn(|_| self.number());
        let product = self.float(Op::FMul, [a, b]);
        let other = match self.rng.random_range(0..4) {
            0 => self.float(Op::FMul, [c, d]),
            1 => {
                let c = self.pick(&[0x3F00_0000, 0xBE4C_CCCD, 0x3DCC_CCCD]);
                self.constant(c)
            }
            2 => self.one(Kind::ConstWord(3)),
            _ => c,
        };
        for _ in 0..self.rng.random_range(1..3) {
            let op = self.pick(&[Op::FAdd, Op::FSub]);
            let args = if self.chance(50) { [product, other] } else { [other, product] };
            let v = self.float(op, args);
            self.pool.push(v);
        }
        if self.chance(20) {
            self.pool.push(product);
        }
    }
    /// A float between 1 and 2 or -1 and -2, or any word.
    pub(super) fn number(&mut self) -> Value {
        let v = self.value();
        if self.chance(20) {
            return v;
        }
        let bits = self.with(Op::And, v, 0x807F_FFFF);
        let x = self.with(Op::Or, bits, 0x3F80_0000);
        if self.chance(20) {
            return self.with(Op::Xor, x, 0x8000_0000);
        }
        x
    }
    pub(super) fn float(&mut self, op: Op, args: [Value; 2]) -> Value {
        let v = self.alu(op, &args);
        let exact = self.floats == Floats::Exact || self.chance(30);
        if let Some(last) = self.f.blocks[self.block.index()].insts.last_mut() {
            last.exact = exact;
        }
        v
    }

    pub(super) fn condition(&mut self) -> Value {
        let op = self.pick(COMPARE);
        let a = self.values(2);
        let c = self.alu(op, &a);
        match self.rng.random_range(0..4) {
            0 => self.with(Op::ISetEq, c, 0),
            1 => self.with(Op::Xor, c, 1),
            _ => c,
        }
    }
}
