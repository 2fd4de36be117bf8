//! Dot products of integers (SPV_KHR_integer_dot_product): vectors, or four bytes in a word. The
//! opcode says how each operand is read. Sums wrap; the last sum of an accumulating one saturates
//! in the width of the result.

use super::lower::Lower;
use super::module::Res;
use crate::ssa::Value;
use quadlock_isa::Op as M;
use rspirv::spirv::Op;

impl Lower<'_, '_> {
    pub fn integer_dot(&mut self) -> Res<Vec<Value>> {
        let i = &self.m.insts[self.n];
        let (op, a) = (i.op, &i.args);
        let first = matches!(op, Op::SDot | Op::SUDot | Op::SDotAccSat | Op::SUDotAccSat);
        let second = matches!(op, Op::SDot | Op::SDotAccSat);
        let bits = self.bits(i.ty);
        if bits == 64 || a[..2].iter().any(|&x| self.bits_of(x) == 64) {
            return self.refuse("a dot product on 64 bits is not supported", "use 32-bit numbers");
        }
        let (x, y) = (self.factors(a[0], first)?, self.factors(a[1], second)?);
        if x.len() != y.len() || x.is_empty() {
            return self.invalid("operands of different sizes");
        }
        let b = &mut self.e.b;
        let mut sum = b.alu2(M::IMul, x[0], y[0]);
        for (&x, &y) in x.iter().zip(&y).skip(1) {
            sum = b.alu3(M::IMad, x, y, sum);
        }
        if matches!(op, Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat) {
            let more = self.word(a[2])?;
            sum = self.saturating_sum(sum, more, bits, first);
        }
        Ok(vec![sum])
    }

    /// The components of a vector, or the bytes of a word, as numbers of 32 bits.
    fn factors(&mut self, id: u32, signed: bool) -> Res<Vec<Value>> {
        let words = self.words(id)?;
        let (bits, vector) = (self.bits_of(id), words.len() > 1);
        Ok(match (&words[..], bits) {
            (&[word], 32) => (0..4)
                .map(|k| {
                    let byte = self.e.b.alu_imm(M::Shr, word, 8 * k);
                    self.extend(byte, 8, signed)
                })
                .collect(),
            (_, 32) if vector => words,
            _ => words.into_iter().map(|w| self.extend(w, bits, signed)).collect(),
        })
    }

    fn saturating_sum(&mut self, x: Value, y: Value, bits: u32, signed: bool) -> Value {
        if bits < 32 {
            let (x, y) = (self.extend(x, bits, signed), self.extend(y, bits, signed));
            let sum = self.e.b.alu2(M::IAdd, x, y);
            let most = (1 << (bits - u32::from(signed))) - 1;
            let most_word = self.e.b.constant(most);
            if !signed {
                return self.e.b.alu2(M::UMin, sum, most_word);
            }
            let least = self.e.b.constant(!most);
            let low = self.e.b.alu2(M::SMax, sum, least);
            return self.e.b.alu2(M::SMin, low, most_word);
        }
        let b = &mut self.e.b;
        let sum = b.alu2(M::IAdd, x, y);
        if !signed {
            let over = b.alu2(M::USetLt, sum, x);
            let most = b.constant(u32::MAX);
            return b.select(over, most, sum);
        }
        // It overflows if the operands have one sign and the sum the other.
        let (of_x, of_y) = (b.alu2(M::Xor, x, sum), b.alu2(M::Xor, y, sum));
        let both = b.alu2(M::And, of_x, of_y);
        let zero = b.constant(0);
        let over = b.alu2(M::SSetLt, both, zero);
        let sign = b.alu_imm(M::Sar, x, 31);
        let limit = b.alu_imm(M::Xor, sign, i32::MAX as u32);
        b.select(over, limit, sum)
    }
}
