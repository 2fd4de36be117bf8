//! Integer division and remainder. The machine has no integer divider: a constant divisor becomes a
//! multiplication by its scaled reciprocal (Granlund and Montgomery, "Division by invariant
//! integers using multiplication", 1994), any other one a call of the prelude's `ql_udiv` and
//! relatives. WGSL's rules: x / 0 = x, x % 0 = 0, and the most negative number / -1 = itself.

use super::cx::{Emit, Res};
use crate::ssa::Value;
use quadlock_isa::Op;

impl Emit<'_> {
    /// `x / divisor`, both unsigned; `divisor` 0 gives x.
    pub fn udiv_constant(&mut self, x: Value, divisor: u32) -> Value {
        if let Some(x) = self.b.known(x) {
            return self.b.constant(x.checked_div(divisor).unwrap_or(x));
        }
        if divisor <= 1 {
            return x;
        }
        if divisor.is_power_of_two() {
            return self.b.alu_imm(Op::Shr, x, divisor.trailing_zeros());
        }
        if divisor > 1 << 31 {
            let d = self.b.constant(divisor);
            return self.b.alu2(Op::USetGe, x, d);
        }
        // m = ceil(2^(32+l) / d) has at most 33 bits, and floor(x * m / 2^(32+l)) = floor(x / d)
        // for l = ceil(log2 d).
        let l = 32 - (divisor - 1).leading_zeros();
        let m = ((1u128 << (32 + l)).div_ceil(u128::from(divisor))) as u64;
        let low = self.b.constant(m as u32);
        let high = self.b.alu2(Op::UMulHi, x, low);
        // The 33rd bit: (x + high) >> l without losing the carry.
        let rest = self.b.alu2(Op::ISub, x, high);
        let half = self.b.alu_imm(Op::Shr, rest, 1);
        let sum = self.b.alu2(Op::IAdd, half, high);
        self.b.alu_imm(Op::Shr, sum, l - 1)
    }

    /// Signed quotient by a constant, rounded towards zero.
    fn sdiv_constant(&mut self, x: Value, divisor: i32) -> Value {
        if divisor == 0 || divisor == 1 {
            return x;
        }
        let sign = self.b.alu_imm(Op::Sar, x, 31);
        let flipped = self.b.alu2(Op::Xor, x, sign);
        let magnitude = self.b.alu2(Op::ISub, flipped, sign);
        let quotient = self.udiv_constant(magnitude, divisor.unsigned_abs());
        let sign = if divisor < 0 { self.b.alu_imm(Op::Xor, sign, u32::MAX) } else { sign };
        let flipped = self.b.alu2(Op::Xor, quotient, sign);
        self.b.alu2(Op::ISub, flipped, sign)
    }

    pub fn int_divide(&mut self, a: Value, b: Value, signed: bool) -> Res<Value> {
        match self.b.known(b) {
            Some(d) if signed => Ok(self.sdiv_constant(a, d as i32)),
            Some(d) => Ok(self.udiv_constant(a, d)),
            None => self.prelude1(if signed { "ql_sdiv" } else { "ql_udiv" }, &[a, b]),
        }
    }

    pub fn int_remainder(&mut self, a: Value, b: Value, signed: bool) -> Res<Value> {
        let Some(d) = self.b.known(b) else {
            return self.prelude1(if signed { "ql_srem" } else { "ql_urem" }, &[a, b]);
        };
        if d == 0 || d == 1 {
            return Ok(self.b.constant(0));
        }
        if !signed && d.is_power_of_two() {
            return Ok(self.b.alu_imm(Op::And, a, d - 1));
        }
        let quotient = if signed { self.sdiv_constant(a, d as i32) } else { self.udiv_constant(a, d) };
        let negated = self.b.constant(d.wrapping_neg());
        Ok(self.b.alu3(Op::IMad, quotient, negated, a))
    }
}
