//! The built-in functions on words. What is one or a few instructions is written here; everything
//! longer is a function of the prelude. Sums of products (dot, matrix products) use fused
//! multiply-add from the second term on.

use super::cx::{Emit, Res};
use crate::ops::float::exact_reciprocal;
use crate::ssa::Value;
use quadlock_isa::Op;

impl Emit<'_> {
    /// Flips the sign of an f32.
    pub fn negate(&mut self, x: Value) -> Value {
        self.b.alu_imm(Op::Xor, x, 0x8000_0000)
    }

    /// Division by a power of two is a multiplication with the same, correctly rounded, result.
    pub fn float_divide(&mut self, a: Value, b: Value) -> Res<Value> {
        if let Some(inverse) = self.b.known(b).and_then(exact_reciprocal) {
            let inverse = self.b.constant(inverse);
            return Ok(self.b.alu2(Op::FMul, a, inverse));
        }
        self.prelude1("ql_div", &[a, b])
    }

    /// `a - b * trunc(a / b)`, or with another rounding of the quotient.
    pub fn float_remainder(&mut self, a: Value, b: Value, whole: &str) -> Res<Value> {
        let quotient = self.float_divide(a, b)?;
        let whole = self.prelude1(whole, &[quotient])?;
        Ok(self.b.alu3(Op::FNma, b, whole, a))
    }

    /// `start * (1 - part) + end * part`.
    pub fn mix(&mut self, start: Value, end: Value, part: Value) -> Value {
        let one = self.b.float(1.0);
        let rest = self.b.alu2(Op::FSub, one, part);
        let start = self.b.alu2(Op::FMul, start, rest);
        self.b.alu3(Op::FFma, end, part, start)
    }

    /// 1 from `edge` on.
    pub fn step(&mut self, edge: Value, x: Value) -> Value {
        let (one, zero) = (self.b.float(1.0), self.b.constant(0));
        let beyond = self.b.alu2(Op::FSetLe, edge, x);
        self.b.select(beyond, one, zero)
    }

    /// The magnitude of a signed integer.
    pub fn magnitude(&mut self, x: Value) -> Value {
        let zero = self.b.constant(0);
        let negated = self.b.alu2(Op::ISub, zero, x);
        self.b.alu2(Op::SMax, x, negated)
    }

    /// Number of the lowest bit that is set; all ones if none is.
    pub fn first_bit(&mut self, x: Value) -> Value {
        let (zero, none) = (self.b.constant(0), self.b.constant(u32::MAX));
        let empty = self.b.alu2(Op::ISetEq, x, zero);
        let bit = self.b.alu1(Op::Ctz, x);
        self.b.select(empty, none, bit)
    }

    /// Number of the highest bit that is set, or that differs from the sign; all ones if none does.
    pub fn last_bit(&mut self, x: Value, signed: bool) -> Value {
        let x = match signed {
            true => {
                let sign = self.b.alu_imm(Op::Sar, x, 31);
                self.b.alu2(Op::Xor, x, sign)
            }
            false => x,
        };
        let zeros = self.b.alu1(Op::Clz, x);
        let top = self.b.constant(31);
        self.b.alu2(Op::ISub, top, zeros)
    }

    /// Sum of the magnitudes of both derivatives.
    pub fn fwidth(&mut self, x: Value) -> Value {
        let (dx, dy) = (self.b.alu1(Op::Ddx, x), self.b.alu1(Op::Ddy, x));
        let (dx, dy) = (self.b.alu_imm(Op::And, dx, 0x7FFF_FFFF), self.b.alu_imm(Op::And, dy, 0x7FFF_FFFF));
        self.b.alu2(Op::FAdd, dx, dy)
    }

    /// Whether f32 is an infinity.
    pub fn is_infinite(&mut self, x: Value) -> Value {
        let magnitude = self.b.alu_imm(Op::And, x, 0x7FFF_FFFF);
        let infinity = self.b.constant(0x7F80_0000);
        self.b.alu2(Op::ISetEq, magnitude, infinity)
    }

    pub fn distance(&mut self, a: &[Value], b: &[Value]) -> Res<Value> {
        let difference: Vec<Value> = a.iter().zip(b).map(|(&x, &y)| self.b.alu2(Op::FSub, x, y)).collect();
        self.length(&difference)
    }

    pub fn normalize(&mut self, a: &[Value]) -> Res<Vec<Value>> {
        let square = self.dot(a, a, true);
        let inverse = self.prelude1("ql_inversesqrt", &[square])?;
        Ok(a.iter().map(|&x| self.b.alu2(Op::FMul, x, inverse)).collect())
    }

    /// Of two vectors of three components.
    pub fn cross(&mut self, a: &[Value], b: &[Value]) -> Vec<Value> {
        (0..3)
            .map(|i| {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                let minus = self.b.alu2(Op::FMul, a[k], b[j]);
                let plus = self.b.alu2(Op::FMul, a[j], b[k]);
                self.b.alu2(Op::FSub, plus, minus)
            })
            .collect()
    }

    /// `a`, turned round unless `incident` comes from the side that `normal` shows to.
    pub fn face_forward(&mut self, a: &[Value], incident: &[Value], normal: &[Value]) -> Vec<Value> {
        let facing = self.dot(normal, incident, true);
        let zero = self.b.constant(0);
        let front = self.b.alu2(Op::FSetLt, facing, zero);
        a.iter()
            .map(|&x| {
                let back = self.negate(x);
                self.b.select(front, x, back)
            })
            .collect()
    }

    pub fn reflect(&mut self, a: &[Value], normal: &[Value]) -> Vec<Value> {
        let dot = self.dot(normal, a, true);
        let twice = self.b.alu2(Op::FAdd, dot, dot);
        a.iter().zip(normal).map(|(&x, &n)| self.b.alu3(Op::FNma, twice, n, x)).collect()
    }

    pub fn times(&mut self, x: Value, factor: f32) -> Value {
        let factor = self.b.float(factor);
        self.b.alu2(Op::FMul, x, factor)
    }

    pub fn saturate(&mut self, x: Value) -> Value {
        let (zero, one) = (self.b.constant(0), self.b.float(1.0));
        let low = self.b.alu2(Op::FMax, x, zero);
        self.b.alu2(Op::FMin, low, one)
    }

    pub fn sign(&mut self, x: Value, float: bool) -> Value {
        if !float {
            let (one, minus) = (self.b.constant(1), self.b.constant(u32::MAX));
            let low = self.b.alu2(Op::SMax, x, minus);
            return self.b.alu2(Op::SMin, low, one);
        }
        let (zero, one, minus) = (self.b.constant(0), self.b.float(1.0), self.b.float(-1.0));
        let above = self.b.alu2(Op::FSetGt, x, zero);
        let below = self.b.alu2(Op::FSetLt, x, zero);
        let rest = self.b.select(below, minus, zero);
        self.b.select(above, one, rest)
    }

    pub fn smooth_step(&mut self, low: Value, high: Value, x: Value) -> Res<Value> {
        let above = self.b.alu2(Op::FSub, x, low);
        let span = self.b.alu2(Op::FSub, high, low);
        let t = self.prelude1("ql_div", &[above, span])?;
        let t = self.saturate(t);
        let (three, minus_two) = (self.b.float(3.0), self.b.float(-2.0));
        let slope = self.b.alu3(Op::FFma, t, minus_two, three);
        let square = self.b.alu2(Op::FMul, t, t);
        Ok(self.b.alu2(Op::FMul, square, slope))
    }

    /// Field operand of UBFE, SBFE and BFI: offset in bits 4:0, count in 13:8. An offset of 32 or
    /// more leaves a count of 0.
    pub fn field(&mut self, offset: Value, count: Value) -> Value {
        if let (Some(offset), Some(count)) = (self.b.known(offset), self.b.known(count)) {
            let offset = offset.min(32);
            return self.b.constant(offset | count.min(32 - offset) << 8);
        }
        let width = self.b.constant(32);
        let offset = self.b.alu2(Op::UMin, offset, width);
        let room = self.b.alu2(Op::ISub, width, offset);
        let count = self.b.alu2(Op::UMin, count, room);
        let high = self.b.alu_imm(Op::Shl, count, 8);
        self.b.alu2(Op::Or, offset, high)
    }

    pub fn dot4(&mut self, extract: Op, a: Value, b: Value) -> Value {
        let mut sum = self.b.constant(0);
        for byte in 0..4 {
            let field = self.b.constant((byte * 8) | (8 << 8));
            let x = self.b.alu2(extract, a, field);
            let y = self.b.alu2(extract, b, field);
            sum = self.b.alu3(Op::IMad, x, y, sum);
        }
        sum
    }

    pub fn dot(&mut self, a: &[Value], b: &[Value], float: bool) -> Value {
        let (first, more) = if float { (Op::FMul, Op::FFma) } else { (Op::IMul, Op::IMad) };
        let mut sum = self.b.alu2(first, a[0], b[0]);
        for (&x, &y) in a.iter().zip(b).skip(1) {
            sum = self.b.alu3(more, x, y, sum);
        }
        sum
    }

    pub fn length(&mut self, v: &[Value]) -> Res<Value> {
        if let [x] = v {
            return Ok(self.b.alu_imm(Op::And, *x, 0x7FFF_FFFF));
        }
        let square = self.dot(v, v, true);
        self.prelude1("ql_sqrt", &[square])
    }

    pub fn refract(&mut self, incident: &[Value], normal: &[Value], eta: Value) -> Res<Vec<Value>> {
        let (zero, one) = (self.b.constant(0), self.b.float(1.0));
        let dot = self.dot(normal, incident, true);
        let sine2 = self.b.alu3(Op::FNma, dot, dot, one);
        let eta2 = self.b.alu2(Op::FMul, eta, eta);
        let k = self.b.alu3(Op::FNma, eta2, sine2, one);
        let total = self.b.alu2(Op::FSetLt, k, zero);
        let root = self.prelude1("ql_sqrt", &[k])?;
        let along = self.b.alu3(Op::FFma, eta, dot, root);
        Ok(incident
            .iter()
            .zip(normal)
            .map(|(&i, &n)| {
                let bent = self.b.alu2(Op::FMul, eta, i);
                let bent = self.b.alu3(Op::FNma, along, n, bent);
                self.b.select(total, zero, bent)
            })
            .collect())
    }

    /// The result struct: fractions, then whole parts.
    pub fn modf(&mut self, x: &[Value]) -> Res<Vec<Value>> {
        let mut fractions = Vec::new();
        let mut wholes = Vec::new();
        for &x in x {
            let whole = self.prelude1("ql_trunc", &[x])?;
            let fraction = self.b.alu2(Op::FSub, x, whole);
            // Both have the sign of x: the difference of -5 and -5 is +0.
            let sign = self.b.alu_imm(Op::And, x, 1 << 31);
            fractions.push(self.b.alu2(Op::Or, fraction, sign));
            wholes.push(whole);
        }
        fractions.extend(wholes);
        Ok(fractions)
    }

    /// The result struct: fractions, then exponents.
    pub fn frexp(&mut self, x: &[Value]) -> Res<Vec<Value>> {
        let mut fractions = Vec::new();
        let mut exponents = Vec::new();
        for &x in x {
            fractions.push(self.prelude1("ql_frexp_fract", &[x])?);
            exponents.push(self.prelude1("ql_frexp_exp", &[x])?);
        }
        fractions.extend(exponents);
        Ok(fractions)
    }
}
