//! Integers of 64 bits as two words, the low one first: what programs do with the results of 64-bit
//! atomics and with carries. Products, sums, bits, shifts, comparisons and conversions are here;
//! division is not.

use super::lower::Lower;
use super::module::Res;
use crate::ssa::Value;
use quadlock_isa::Op as M;
use rspirv::spirv::Op;

type Pair = (Value, Value);

impl Lower<'_, '_> {
    /// The current instruction, whose operands or result have 64 bits.
    pub fn wide(&mut self, op: Op) -> Res<Vec<Value>> {
        let i = &self.m.insts[self.n];
        if matches!(op, Op::UConvert | Op::SConvert) {
            return self.resized(op);
        }
        let a = self.pairs(i.args[0])?;
        let b = match i.args.get(1) {
            // A shift's count may have another width.
            Some(&b) if self.bits_of(b) != 64 => self.words(b)?.into_iter().map(|w| (w, w)).collect(),
            Some(&b) => self.pairs(b)?,
            None => a.clone(),
        };
        if a.len() != b.len() {
            return self.invalid("operands of different sizes");
        }
        let mut out = vec![];
        for (&a, &b) in a.iter().zip(&b) {
            out.extend(self.wide1(op, a, b)?);
        }
        Ok(out)
    }

    fn pairs(&mut self, id: u32) -> Res<Vec<Pair>> {
        let words = self.words(id)?;
        if self.bits_of(id) != 64 {
            return self.refuse("an operation on 64 and on 32 bits together", "convert first");
        }
        Ok(words.chunks_exact(2).map(|w| (w[0], w[1])).collect())
    }

    fn resized(&mut self, op: Op) -> Res<Vec<Value>> {
        let i = &self.m.insts[self.n];
        let signed = op == Op::SConvert;
        if self.bits_of(i.args[0]) == 64 {
            let pairs = self.pairs(i.args[0])?;
            return Ok(pairs.into_iter().map(|p| p.0).collect());
        }
        let read = if signed { super::arith::Read::Signed } else { super::arith::Read::Unsigned };
        let words = self.read(i.args[0], read)?;
        let high = |l: &mut Self, w| if signed { l.e.b.alu_imm(M::Sar, w, 31) } else { l.e.b.constant(0) };
        Ok(words.into_iter().flat_map(|w| [w, high(self, w)]).collect())
    }

    fn wide1(&mut self, op: Op, a: Pair, b: Pair) -> Res<Vec<Value>> {
        let both = |l: &mut Self, op| vec![l.e.b.alu2(op, a.0, b.0), l.e.b.alu2(op, a.1, b.1)];
        Ok(match op {
            Op::IAdd => self.sum(a, b),
            Op::ISub => self.difference(a, b),
            Op::SNegate => {
                let zero = self.e.b.constant(0);
                self.difference((zero, zero), a)
            }
            Op::IMul => {
                let low = self.e.b.alu2(M::IMul, a.0, b.0);
                let high = self.e.b.alu2(M::UMulHi, a.0, b.0);
                let high = self.e.b.alu3(M::IMad, a.0, b.1, high);
                vec![low, self.e.b.alu3(M::IMad, a.1, b.0, high)]
            }
            Op::BitwiseAnd => both(self, M::And),
            Op::BitwiseOr => both(self, M::Or),
            Op::BitwiseXor => both(self, M::Xor),
            Op::Not => {
                vec![self.e.b.alu_imm(M::Xor, a.0, u32::MAX), self.e.b.alu_imm(M::Xor, a.1, u32::MAX)]
            }
            Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => self.shifted(op, a, b.0),
            Op::IEqual | Op::INotEqual => {
                let differ = both(self, M::Xor);
                let any = self.e.b.alu2(M::Or, differ[0], differ[1]);
                let zero = self.e.b.constant(0);
                vec![self.e.b.alu2(if op == Op::IEqual { M::ISetEq } else { M::ISetNe }, any, zero)]
            }
            Op::ULessThan | Op::UGreaterThanEqual => self.less(a, b, false, op == Op::UGreaterThanEqual),
            Op::UGreaterThan | Op::ULessThanEqual => self.less(b, a, false, op == Op::ULessThanEqual),
            Op::SLessThan | Op::SGreaterThanEqual => self.less(a, b, true, op == Op::SGreaterThanEqual),
            Op::SGreaterThan | Op::SLessThanEqual => self.less(b, a, true, op == Op::SLessThanEqual),
            op => return self.refuse(format!("Op{op:?} on 64 bits is not supported"), "use 32-bit numbers"),
        })
    }

    /// Sums with carries, or differences with borrows, as 64-bit numbers.
    pub fn wide_carry(&mut self, op: Op, a: u32, b: u32) -> Res<Vec<Value>> {
        let (a, b) = (self.pairs(a)?, self.pairs(b)?);
        let (mut results, mut carries) = (vec![], vec![]);
        for (&a, &b) in a.iter().zip(&b) {
            let carry = if op == Op::IAddCarry {
                let sum = self.sum(a, b);
                results.extend(&sum);
                self.less((sum[0], sum[1]), a, false, false)
            } else {
                results.extend(self.difference(a, b));
                self.less(a, b, false, false)
            };
            carries.extend([carry[0], self.e.b.constant(0)]);
        }
        results.extend(carries);
        Ok(results)
    }

    fn sum(&mut self, a: Pair, b: Pair) -> Vec<Value> {
        let low = self.e.b.alu2(M::IAdd, a.0, b.0);
        let carry = self.e.b.alu2(M::USetLt, low, a.0);
        let high = self.e.b.alu2(M::IAdd, a.1, b.1);
        vec![low, self.e.b.alu2(M::IAdd, high, carry)]
    }

    fn difference(&mut self, a: Pair, b: Pair) -> Vec<Value> {
        let low = self.e.b.alu2(M::ISub, a.0, b.0);
        let borrow = self.e.b.alu2(M::USetLt, a.0, b.0);
        let high = self.e.b.alu2(M::ISub, a.1, b.1);
        vec![low, self.e.b.alu2(M::ISub, high, borrow)]
    }

    /// Whether `a` is less, or with `not` whether it is not.
    fn less(&mut self, a: Pair, b: Pair, signed: bool, not: bool) -> Vec<Value> {
        let high = self.e.b.alu2(if signed { M::SSetLt } else { M::USetLt }, a.1, b.1);
        let same = self.e.b.alu2(M::ISetEq, a.1, b.1);
        let low = self.e.b.alu2(M::USetLt, a.0, b.0);
        let low = self.e.b.alu2(M::And, same, low);
        let less = self.e.b.alu2(M::Or, high, low);
        vec![if not { self.e.b.alu_imm(M::Xor, less, 1) } else { less }]
    }

    /// By 0 to 63 places; the count's lower six bits.
    fn shifted(&mut self, op: Op, a: Pair, by: Value) -> Vec<Value> {
        let left = op == Op::ShiftLeftLogical;
        let shift = match op {
            Op::ShiftLeftLogical => M::Shl,
            Op::ShiftRightLogical => M::Shr,
            _ => M::Sar,
        };
        // The word that gives bits to the other one, and that one.
        let (from, to) = if left { a } else { (a.1, a.0) };
        let by = self.e.b.alu_imm(M::And, by, 63);
        let (zero, width) = (self.e.b.constant(0), self.e.b.constant(32));
        let far = self.e.b.alu2(M::USetGe, by, width);
        let rest = self.e.b.alu2(M::ISub, width, by);
        let none = self.e.b.alu2(M::ISetEq, by, zero);
        let moved = self.e.b.alu2(shift, from, by);
        let own = self.e.b.alu2(if left { M::Shl } else { M::Shr }, to, by);
        let over = self.e.b.alu2(if left { M::Shr } else { M::Shl }, from, rest);
        let over = self.e.b.select(none, zero, over);
        let near = self.e.b.alu2(M::Or, own, over);
        // From 32 places on, the machine's shift by the count's lower five bits is the other
        // word's.
        let fill = if op == Op::ShiftRightArithmetic { self.e.b.alu_imm(M::Sar, from, 31) } else { zero };
        let first = self.e.b.select(far, fill, moved);
        let second = self.e.b.select(far, moved, near);
        if left {
            vec![first, second]
        } else {
            vec![second, first]
        }
    }
}
