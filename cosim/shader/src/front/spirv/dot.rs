//! Dot products of integers (OpSDot and its kin), of vectors or of four bytes in a word. The sum is
//! exact modulo 2^32; a saturating one saturates at its last addition only, as SPIR-V says. Wrong
//! would be a byte read with the other operand's sign (OpSUDot has one of each).

use super::arith::Read;
use super::lower::Lower;
use super::module::Res;
use crate::ssa::Value;
use quadlock_isa::Op as M;
use rspirv::spirv::Op;

/// How the operands are read, and whether an accumulator follows.
fn kind(op: Op) -> Option<(Read, Read, bool)> {
    use Read::{Signed, Unsigned};
    Some(match op {
        Op::SDot => (Signed, Signed, false),
        Op::UDot => (Unsigned, Unsigned, false),
        Op::SUDot => (Signed, Unsigned, false),
        Op::SDotAccSat => (Signed, Signed, true),
        Op::UDotAccSat => (Unsigned, Unsigned, true),
        Op::SUDotAccSat => (Signed, Unsigned, true),
        _ => return None,
    })
}

impl Lower<'_, '_> {
    /// The word of such a product; none of another instruction.
    pub fn integer_dot(&mut self) -> Res<Option<Vec<Value>>> {
        let i = &self.m.insts[self.n];
        let Some((first, second, accumulates)) = kind(i.op) else { return Ok(None) };
        let least = 2 + usize::from(accumulates);
        if i.args.len() < least {
            return self.invalid(format!("{:?} has {} operands, not {least}", i.op, i.args.len()));
        }
        let widths = [i.args[0], i.args[1]].map(|id| self.bits_of(id));
        if widths.contains(&64) || self.bits(i.ty) != 32 {
            return self.refuse(format!("Op{:?} of or to this width is not supported", i.op), "use 32 bits");
        }
        // A format is said of words with four bytes each.
        let packed = i.args.len() > least;
        let x = self.numbers(i.args[0], first, packed)?;
        let y = self.numbers(i.args[1], second, packed)?;
        if x.len() != y.len() || x.is_empty() {
            return self.invalid("operands of different sizes");
        }
        let mut sum = self.e.b.alu2(M::IMul, x[0], y[0]);
        for k in 1..x.len() {
            let product = self.e.b.alu2(M::IMul, x[k], y[k]);
            sum = self.e.b.alu2(M::IAdd, sum, product);
        }
        if !accumulates {
            return Ok(Some(vec![sum]));
        }
        let before = self.word(i.args[2])?;
        Ok(Some(vec![self.saturated(sum, before, first == Read::Signed)]))
    }

    fn numbers(&mut self, id: u32, read: Read, packed: bool) -> Res<Vec<Value>> {
        if !packed {
            return self.read(id, read);
        }
        let word = self.word(id)?;
        let byte = |l: &mut Self, k: u32| {
            let low = l.e.b.alu_imm(M::Shr, word, 8 * k);
            l.extend(low, 8, read == Read::Signed)
        };
        Ok((0..4).map(|k| byte(self, k)).collect())
    }

    /// The sum, or the limit that it is beyond.
    fn saturated(&mut self, a: Value, b: Value, signed: bool) -> Value {
        let e = &mut self.e;
        let sum = e.b.alu2(M::IAdd, a, b);
        if !signed {
            let wrapped = e.b.alu2(M::USetLt, sum, a);
            let most = e.b.constant(u32::MAX);
            return e.b.alu(M::Sel, &[most, sum, wrapped]);
        }
        // It overflows if both operands have the sign that the sum has not.
        let (x, y) = (e.b.alu2(M::Xor, a, sum), e.b.alu2(M::Xor, b, sum));
        let both = e.b.alu2(M::And, x, y);
        let zero = e.b.constant(0);
        let over = e.b.alu2(M::SSetLt, both, zero);
        let sign = e.b.alu_imm(M::Sar, a, 31);
        let limit = e.b.alu_imm(M::Xor, sign, 0x7FFF_FFFF);
        e.b.alu(M::Sel, &[limit, sum, over])
    }
}
