//! Arithmetic by opcode. What an operation does is the opcode's; operand types are asked for their
//! width only, and for the number of components. Numbers of 8 and 16 bits are kept in words whose
//! upper bits mean nothing: operations that look at those extend their operands first, by the
//! opcode's sign.

use super::lower::{Lower, Operand};
use super::module::Res;
use crate::ssa::Value;
use quadlock_isa::Op as M;
use rspirv::spirv::{Decoration, FPFastMathMode, FPRoundingMode, Op};

/// FPRoundingMode: to the nearest even.
const RTE: u32 = FPRoundingMode::RTE as u32;

/// How an operation reads operands that are narrower than a word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Read {
    Any,
    Signed,
    Unsigned,
}

/// Operations that are one instruction for each component.
fn one(op: Op) -> Option<(M, Read)> {
    use Read::{Any, Signed, Unsigned};
    Some(match op {
        Op::IAdd => (M::IAdd, Any),
        Op::ISub => (M::ISub, Any),
        Op::IMul => (M::IMul, Any),
        Op::FAdd => (M::FAdd, Any),
        Op::FSub => (M::FSub, Any),
        Op::FMul => (M::FMul, Any),
        Op::BitwiseAnd | Op::LogicalAnd => (M::And, Any),
        Op::BitwiseOr | Op::LogicalOr => (M::Or, Any),
        Op::BitwiseXor | Op::LogicalNotEqual => (M::Xor, Any),
        Op::LogicalEqual => (M::ISetEq, Any),
        Op::ShiftLeftLogical => (M::Shl, Any),
        Op::ShiftRightLogical => (M::Shr, Unsigned),
        Op::ShiftRightArithmetic => (M::Sar, Signed),
        Op::IEqual => (M::ISetEq, Unsigned),
        Op::INotEqual => (M::ISetNe, Unsigned),
        Op::ULessThan => (M::USetLt, Unsigned),
        Op::ULessThanEqual => (M::USetLe, Unsigned),
        Op::UGreaterThan => (M::USetGt, Unsigned),
        Op::UGreaterThanEqual => (M::USetGe, Unsigned),
        Op::SLessThan => (M::SSetLt, Signed),
        Op::SLessThanEqual => (M::SSetLe, Signed),
        Op::SGreaterThan => (M::SSetGt, Signed),
        Op::SGreaterThanEqual => (M::SSetGe, Signed),
        Op::FOrdEqual => (M::FSetEq, Any),
        Op::FUnordNotEqual => (M::FSetNe, Any),
        Op::FOrdLessThan => (M::FSetLt, Any),
        Op::FOrdLessThanEqual => (M::FSetLe, Any),
        Op::FOrdGreaterThan => (M::FSetGt, Any),
        Op::FOrdGreaterThanEqual => (M::FSetGe, Any),
        Op::ConvertFToU => (M::F2U, Any),
        Op::ConvertFToS => (M::F2I, Any),
        Op::ConvertSToF => (M::I2F, Signed),
        Op::ConvertUToF => (M::U2F, Unsigned),
        Op::BitReverse => (M::Brev, Any),
        Op::BitCount => (M::Popc, Unsigned),
        _ => return None,
    })
}

/// Comparisons that are true of a NaN: the opposite one, negated.
fn unordered(op: Op) -> Option<M> {
    Some(match op {
        Op::FUnordLessThan => M::FSetGe,
        Op::FUnordLessThanEqual => M::FSetGt,
        Op::FUnordGreaterThan => M::FSetLe,
        Op::FUnordGreaterThanEqual => M::FSetLt,
        _ => return None,
    })
}

/// Whether it takes numbers as bits, so that their format does not matter. Extended instructions
/// say for themselves.
fn moves_bits(op: Op) -> bool {
    matches!(
        op,
        Op::CompositeConstruct
            | Op::CompositeExtract
            | Op::CompositeInsert
            | Op::VectorShuffle
            | Op::VectorExtractDynamic
            | Op::VectorInsertDynamic
            | Op::Select
            | Op::Transpose
            | Op::CopyLogical
            | Op::CopyObject
            | Op::CopyMemory
            | Op::Bitcast
            | Op::FConvert
            | Op::Load
            | Op::Store
            | Op::Undef
            | Op::Variable
            | Op::ConstantNull
            | Op::ExtInst
            | Op::GroupNonUniformBroadcast
            | Op::GroupNonUniformBroadcastFirst
            | Op::GroupNonUniformShuffle
            | Op::GroupNonUniformShuffleXor
            | Op::GroupNonUniformShuffleUp
            | Op::GroupNonUniformShuffleDown
            | Op::GroupNonUniformRotateKHR
            | Op::GroupNonUniformQuadBroadcast
            | Op::GroupNonUniformQuadSwap
    )
}

impl Lower<'_, '_> {
    /// The current instruction's value; none of one that has none.
    pub fn value(&mut self) -> Res<Option<Operand>> {
        let i = &self.m.insts[self.n];
        if !moves_bits(i.op) {
            self.no_half()?;
        }
        if let Some((op, read)) = one(i.op) {
            return self.components(i.op, op, read).map(|w| Some(Operand::Words(w)));
        }
        if let Some(words) = self.arithmetic()? {
            return Ok(Some(Operand::Words(words)));
        }
        if let Some(words) = self.composite()? {
            return Ok(Some(Operand::Words(words)));
        }
        if let Some(words) = self.group()? {
            return Ok((i.id != 0).then_some(Operand::Words(words)));
        }
        self.memory()
    }

    fn components(&mut self, op: Op, machine: M, read: Read) -> Res<Vec<Value>> {
        let i = &self.m.insts[self.n];
        let bits = self.bits_of(i.args[0]);
        if bits == 64 || (self.bits(i.ty) == 64) {
            return self.wide(op);
        }
        let mut args = vec![];
        for &id in &i.args {
            let words = self.read(id, read)?;
            // The count of a shift may have 64 bits: its low words.
            let words = if self.bits_of(id) == 64 { words.into_iter().step_by(2).collect() } else { words };
            args.push(words);
        }
        let exact = self.is_exact();
        // Reversing and counting look at the number's own bits.
        let shift = if op == Op::BitReverse { 32 - bits } else { 0 };
        let count = args.iter().map(Vec::len).min().unwrap_or(0);
        Ok((0..count)
            .map(|k| {
                let operands: Vec<Value> = args.iter().map(|a| a[k]).collect();
                let word = self.e.b.written(machine, &operands, exact);
                self.e.b.alu_imm(M::Shr, word, shift)
            })
            .collect())
    }

    /// Whether the current operation may not be joined with another.
    fn is_exact(&self) -> bool {
        let id = self.m.insts[self.n].id;
        if self.m.is_decorated(id, Decoration::NoContraction) {
            return true;
        }
        match self.m.decoration(id, Decoration::FPFastMathMode) {
            Some(mode) => mode & FPFastMathMode::ALLOW_CONTRACT.bits() == 0,
            None => self.contraction_off,
        }
    }

    /// Bits of the numbers that an id's type has.
    pub fn bits_of(&self, id: u32) -> u32 {
        self.m.def(id).map_or(32, |d| self.bits(d.ty))
    }

    /// The words of a value, each extended to 32 bits.
    pub fn read(&mut self, id: u32, read: Read) -> Res<Vec<Value>> {
        let words = self.words(id)?;
        let bits = self.bits_of(id);
        Ok(match read {
            Read::Any => words,
            _ if bits >= 32 => words,
            _ => words.into_iter().map(|w| self.extend(w, bits, read == Read::Signed)).collect(),
        })
    }

    /// The lower bits of a word as a number of 32.
    pub fn extend(&mut self, word: Value, bits: u32, signed: bool) -> Value {
        if signed {
            let up = self.e.b.alu_imm(M::Shl, word, 32 - bits);
            self.e.b.alu_imm(M::Sar, up, 32 - bits)
        } else {
            self.e.b.alu_imm(M::And, word, (1 << bits) - 1)
        }
    }

    /// The word of a count, a lane or an index that has no sign, whatever its width.
    pub fn number(&mut self, id: u32) -> Res<Value> {
        match self.read(id, Read::Unsigned)?[..] {
            [word] => Ok(word),
            [word, _] if self.bits_of(id) == 64 => Ok(word),
            _ => self.invalid(format!("{} is no scalar", self.m.called(id))),
        }
    }

    /// Arithmetic on floats of 16 bits is not the machine's.
    pub fn no_half(&self) -> Res<()> {
        let i = &self.m.insts[self.n];
        let half = |ty| self.m.scalar(ty).is_some_and(|d| d.op == Op::TypeFloat && d.args[0] == 16);
        let of = |id: u32| self.m.def(id).is_some_and(|d| half(d.ty));
        if half(i.ty) || i.args.iter().any(|&a| of(a)) {
            return self.refuse("arithmetic on 16-bit floats is not supported", "convert to 32 bits first");
        }
        Ok(())
    }

    /// Each component by a function of one operand.
    pub fn each(&mut self, id: u32, mut f: impl FnMut(&mut Self, Value) -> Res<Value>) -> Res<Vec<Value>> {
        let words = self.words(id)?;
        words.into_iter().map(|w| f(self, w)).collect()
    }

    /// Each component by a function of two operands.
    pub fn each2(
        &mut self,
        (a, b): (Vec<Value>, Vec<Value>),
        mut f: impl FnMut(&mut Self, Value, Value) -> Res<Value>,
    ) -> Res<Vec<Value>> {
        if a.len() != b.len() {
            return self.invalid("operands of different sizes");
        }
        a.into_iter().zip(b).map(|(a, b)| f(self, a, b)).collect()
    }

    fn arithmetic(&mut self) -> Res<Option<Vec<Value>>> {
        let m = self.m;
        let i = &m.insts[self.n];
        let a = &i.args;
        if let Some(opposite) = unordered(i.op) {
            let pair = (self.words(a[0])?, self.words(a[1])?);
            return self
                .each2(pair, |l, x, y| {
                    let not = l.e.b.alu2(opposite, x, y);
                    Ok(l.e.b.alu_imm(M::Xor, not, 1))
                })
                .map(Some);
        }
        let integer = matches!(
            i.op,
            Op::SNegate | Op::Not | Op::UDiv | Op::SDiv | Op::UMod | Op::SRem | Op::SMod | Op::UConvert | Op::SConvert
        );
        if integer && (self.bits_of(a[0]) == 64 || self.bits(i.ty) == 64) {
            return self.wide(i.op).map(Some);
        }
        let words = match i.op {
            Op::SNegate => self.each(a[0], |l, x| {
                let zero = l.e.b.constant(0);
                Ok(l.e.b.alu2(M::ISub, zero, x))
            })?,
            Op::FNegate => self.each(a[0], |l, x| Ok(l.e.negate(x)))?,
            Op::Not => self.each(a[0], |l, x| Ok(l.e.b.alu_imm(M::Xor, x, u32::MAX)))?,
            Op::LogicalNot => self.each(a[0], |l, x| Ok(l.e.b.alu_imm(M::Xor, x, 1)))?,
            Op::UDiv | Op::SDiv | Op::UMod | Op::SRem | Op::SMod => self.divide(i.op, a[0], a[1])?,
            Op::FDiv => {
                let pair = (self.words(a[0])?, self.words(a[1])?);
                self.each2(pair, |l, x, y| l.e.float_divide(x, y))?
            }
            Op::FRem | Op::FMod => {
                let whole = if i.op == Op::FRem { "ql_trunc" } else { "ql_floor" };
                let pair = (self.words(a[0])?, self.words(a[1])?);
                self.each2(pair, |l, x, y| l.e.float_remainder(x, y, whole))?
            }
            Op::FOrdNotEqual => {
                let pair = (self.words(a[0])?, self.words(a[1])?);
                self.each2(pair, |l, x, y| {
                    let (less, more) = (l.e.b.alu2(M::FSetLt, x, y), l.e.b.alu2(M::FSetGt, x, y));
                    Ok(l.e.b.alu2(M::Or, less, more))
                })?
            }
            Op::FUnordEqual => {
                let pair = (self.words(a[0])?, self.words(a[1])?);
                self.each2(pair, |l, x, y| {
                    let (less, more) = (l.e.b.alu2(M::FSetLt, x, y), l.e.b.alu2(M::FSetGt, x, y));
                    let differ = l.e.b.alu2(M::Or, less, more);
                    Ok(l.e.b.alu_imm(M::Xor, differ, 1))
                })?
            }
            Op::IsNan => self.each(a[0], |l, x| Ok(l.e.b.alu2(M::FSetNe, x, x)))?,
            Op::IsInf => self.each(a[0], |l, x| Ok(l.e.is_infinite(x)))?,
            Op::Any | Op::All => {
                let op = if i.op == Op::Any { M::Or } else { M::And };
                let words = self.words(a[0])?;
                let Some((&first, rest)) = words.split_first() else { return self.invalid("no operands") };
                vec![rest.iter().fold(first, |all, &w| self.e.b.alu2(op, all, w))]
            }
            Op::UConvert | Op::SConvert => {
                let read = if i.op == Op::SConvert { Read::Signed } else { Read::Unsigned };
                self.read(a[0], read)?
            }
            Op::FConvert => self.convert_float(a[0], i.ty)?,
            Op::QuantizeToF16 => self.each(a[0], |l, x| l.e.prelude1("ql_quantizetof16", &[x]))?,
            Op::VectorTimesScalar | Op::MatrixTimesScalar => {
                let (scale, exact) = (self.word(a[1])?, self.is_exact());
                self.each(a[0], |l, x| Ok(l.e.b.written(M::FMul, &[x, scale], exact)))?
            }
            Op::VectorTimesMatrix | Op::MatrixTimesVector | Op::MatrixTimesMatrix => {
                let (left, right) = (self.size_of(a[0]), self.size_of(a[1]));
                let (x, y) = (self.words(a[0])?, self.words(a[1])?);
                if x.len() != left.0 * left.1 || y.len() != right.0 * right.1 {
                    return self.invalid("operands of other types");
                }
                match i.op {
                    Op::VectorTimesMatrix if left.1 == right.1 => self.e.row_product(&x, right, &y),
                    Op::VectorTimesMatrix => return self.invalid("vector and matrix of different sizes"),
                    _ if left.0 == right.1 => self.e.matrix_product(left, &x, right, &y),
                    _ => return self.invalid("operands of different sizes"),
                }
            }
            Op::OuterProduct => {
                let (x, y) = (self.words(a[0])?, self.words(a[1])?);
                self.e.outer(&x, &y)
            }
            Op::Transpose => {
                let size = self.size_of(a[0]);
                let words = self.words(a[0])?;
                if words.len() != size.0 * size.1 {
                    return self.invalid("no matrix is transposed");
                }
                self.e.transpose(size, &words)
            }
            Op::Dot => {
                let (x, y) = (self.words(a[0])?, self.words(a[1])?);
                if x.len() != y.len() || x.is_empty() {
                    return self.invalid("operands of different sizes");
                }
                vec![self.e.dot(&x, &y, true)]
            }
            Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
                self.integer_dot()?
            }
            Op::IAddCarry | Op::ISubBorrow if self.bits_of(a[0]) == 64 => self.wide_carry(i.op, a[0], a[1])?,
            Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => self.extended(i.op, a[0], a[1])?,
            Op::BitFieldInsert => {
                let (offset, count) = (self.number(a[2])?, self.number(a[3])?);
                let field = self.e.field(offset, count);
                let pair = (self.words(a[0])?, self.words(a[1])?);
                self.each2(pair, |l, base, insert| Ok(l.e.b.alu3(M::Bfi, insert, field, base)))?
            }
            Op::BitFieldSExtract | Op::BitFieldUExtract => {
                let op = if i.op == Op::BitFieldSExtract { M::SBfe } else { M::UBfe };
                let (offset, count) = (self.number(a[1])?, self.number(a[2])?);
                let field = self.e.field(offset, count);
                self.each(a[0], |l, x| Ok(l.e.b.alu2(op, x, field)))?
            }
            Op::DPdx | Op::DPdxFine | Op::DPdxCoarse => self.each(a[0], |l, x| Ok(l.e.b.alu1(M::Ddx, x)))?,
            Op::DPdy | Op::DPdyFine | Op::DPdyCoarse => self.each(a[0], |l, x| Ok(l.e.b.alu1(M::Ddy, x)))?,
            Op::Fwidth | Op::FwidthFine | Op::FwidthCoarse => self.each(a[0], |l, x| Ok(l.e.fwidth(x)))?,
            Op::ExtInst => return self.extended_instruction(),
            _ => return Ok(None),
        };
        Ok(Some(words))
    }

    fn divide(&mut self, op: Op, a: u32, b: u32) -> Res<Vec<Value>> {
        let signed = matches!(op, Op::SDiv | Op::SRem | Op::SMod);
        let read = if signed { Read::Signed } else { Read::Unsigned };
        let pair = (self.read(a, read)?, self.read(b, read)?);
        self.each2(pair, |l, x, y| match op {
            Op::UDiv | Op::SDiv => l.e.int_divide(x, y, signed),
            Op::SMod => {
                // The remainder has the dividend's sign; SMod's has the divisor's.
                let rest = l.e.int_remainder(x, y, true)?;
                let zero = l.e.b.constant(0);
                let signs = l.e.b.alu2(M::Xor, rest, y);
                let differ = l.e.b.alu2(M::SSetLt, signs, zero);
                let some = l.e.b.alu2(M::ISetNe, rest, zero);
                let correct = l.e.b.alu2(M::And, differ, some);
                let add = l.e.b.select(correct, y, zero);
                Ok(l.e.b.alu2(M::IAdd, rest, add))
            }
            _ => l.e.int_remainder(x, y, signed),
        })
    }

    /// A struct of two: result and carry, or low and high words.
    fn extended(&mut self, op: Op, a: u32, b: u32) -> Res<Vec<Value>> {
        let bits = self.bits_of(a);
        if bits > 32 {
            return self.refuse(format!("Op{op:?} on 64 bits is not supported"), "use 32-bit numbers");
        }
        let read = if op == Op::SMulExtended { Read::Signed } else { Read::Unsigned };
        let (x, y) = (self.read(a, read)?, self.read(b, read)?);
        let (mut low, mut high) = (vec![], vec![]);
        for (&x, &y) in x.iter().zip(&y) {
            let b = &mut self.e.b;
            let (l, h) = match op {
                Op::IAddCarry if bits < 32 => {
                    let sum = b.alu2(M::IAdd, x, y);
                    (sum, b.alu_imm(M::Shr, sum, bits))
                }
                Op::UMulExtended | Op::SMulExtended if bits < 32 => {
                    let product = b.alu2(M::IMul, x, y);
                    (product, b.alu_imm(M::Shr, product, bits))
                }
                Op::IAddCarry => {
                    let sum = b.alu2(M::IAdd, x, y);
                    (sum, b.alu2(M::USetLt, sum, x))
                }
                Op::ISubBorrow => (b.alu2(M::ISub, x, y), b.alu2(M::USetLt, x, y)),
                Op::UMulExtended => (b.alu2(M::IMul, x, y), b.alu2(M::UMulHi, x, y)),
                _ => (b.alu2(M::IMul, x, y), b.alu2(M::SMulHi, x, y)),
            };
            low.push(l);
            high.push(h);
        }
        low.extend(high);
        Ok(low)
    }

    /// Between floats of 16 and 32 bits.
    fn convert_float(&mut self, from: u32, ty: u32) -> Res<Vec<Value>> {
        match (self.bits_of(from), self.bits(ty)) {
            (16, 32) => self.each(from, |l, x| l.e.prelude1("ql_upkf16", &[x])),
            (32, 16) if !matches!(self.rounding(), None | Some(RTE)) => self
                .refuse("a conversion to 16 bits that does not round to the nearest even", "leave out FPRoundingMode"),
            (32, 16) => self.each(from, |l, x| {
                let zero = l.e.b.constant(0);
                l.e.prelude1("ql_pkf16", &[x, zero])
            }),
            _ => self.words(from),
        }
    }

    /// How the current conversion is to round.
    fn rounding(&self) -> Option<u32> {
        self.m.decoration(self.m.insts[self.n].id, Decoration::FPRoundingMode)
    }

    /// Columns and rows of a matrix; a vector is one column.
    pub fn size_of(&self, id: u32) -> (usize, usize) {
        let ty = self.m.def(id).and_then(|d| self.m.def(d.ty));
        match ty {
            Some(t) if t.op == Op::TypeMatrix => {
                let rows = self.m.def(t.args[0]).and_then(|c| c.args.get(1)).copied().unwrap_or(1);
                (t.args[1] as usize, rows as usize)
            }
            Some(t) if t.op == Op::TypeVector => (1, t.args[1] as usize),
            _ => (1, 1),
        }
    }
}
