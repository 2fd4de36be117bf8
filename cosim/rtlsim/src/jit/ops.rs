//! Cranelift code of one operation on scalar values. A value of 1 bit is an `i8`, of 2 to 32 bits
//! an `i32`, of 33 to 64 an `i64`, wider ones a list of `i64` limbs, least significant first. Bits
//! at and above the width are zero: every operation here may rely on it and must leave it so.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64, I8};
use cranelift_codegen::ir::{InstBuilder, Type, Value};
use cranelift_frontend::FunctionBuilder;

use crate::bits::Bits;
use crate::graph::Op;

/// A value in machine registers.
#[derive(Clone, Debug)]
pub enum Val {
    Narrow(Value),
    /// More than 64 bits.
    Wide(Vec<Value>),
    /// Four values of up to 32 bits: see [`super::pack`].
    Pack(Value),
}

/// An argument: value, width, and the constant it is if it is one.
#[derive(Clone, Debug)]
pub struct Operand {
    pub val: Val,
    pub width: u32,
    pub constant: Option<Bits>,
}

impl Operand {
    /// The value of up to 64 bits.
    pub fn narrow(&self) -> Value {
        match &self.val {
            Val::Narrow(v) | Val::Pack(v) => *v,
            Val::Wide(l) => l[0],
        }
    }

    fn limbs(&self) -> &[Value] {
        match &self.val {
            Val::Narrow(v) | Val::Pack(v) => std::slice::from_ref(v),
            Val::Wide(l) => l,
        }
    }
}

/// Machine type of a value of up to 64 bits.
pub fn ty(width: u32) -> Type {
    match width {
        1 => I8,
        2..=32 => I32,
        _ => I64,
    }
}

fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width.min(64))
}

/// Emits operations.
pub struct Ops<'a, 'b> {
    pub b: &'a mut FunctionBuilder<'b>,
}

impl Ops<'_, '_> {
    pub fn k(&mut self, t: Type, value: u64) -> Value {
        self.b.ins().iconst(t, (value & mask(t.bits())) as i64)
    }

    pub fn constant(&mut self, value: &Bits) -> Val {
        if value.width() <= 64 {
            return Val::Narrow(self.k(ty(value.width()), value.to_u64()));
        }
        Val::Wide(value.limbs().iter().map(|&l| self.k(I64, l)).collect())
    }

    /// Changes the machine type; zero-extends or drops.
    pub fn cast(&mut self, v: Value, from: Type, to: Type) -> Value {
        match from.bits().cmp(&to.bits()) {
            std::cmp::Ordering::Less => self.b.ins().uextend(to, v),
            std::cmp::Ordering::Equal => v,
            std::cmp::Ordering::Greater => self.b.ins().ireduce(to, v),
        }
    }

    fn trim(&mut self, v: Value, width: u32) -> Value {
        let t = ty(width);
        if width >= t.bits() {
            return v;
        }
        let m = self.k(t, mask(width));
        self.b.ins().band(v, m)
    }

    fn trim_wide(&mut self, mut limbs: Vec<Value>, width: u32) -> Val {
        if !width.is_multiple_of(64) {
            if let Some(top) = limbs.last_mut() {
                let m = self.k(I64, mask(width % 64));
                *top = self.b.ins().band(*top, m);
            }
        }
        Val::Wide(limbs)
    }

    fn bit(&mut self, cc: IntCC, a: Value, b: Value) -> Value {
        self.b.ins().icmp(cc, a, b)
    }

    /// Shifts by a constant within the machine type.
    fn shl_k(&mut self, v: Value, by: u32) -> Value {
        if by == 0 {
            v
        } else {
            self.b.ins().ishl_imm_u(v, i64::from(by))
        }
    }

    fn shr_k(&mut self, v: Value, by: u32) -> Value {
        if by == 0 {
            v
        } else {
            self.b.ins().ushr_imm_u(v, i64::from(by))
        }
    }

    /// Sign-extended to the whole machine type.
    fn signed(&mut self, v: Value, width: u32) -> Value {
        let spare = ty(width).bits() - width;
        if spare == 0 {
            return v;
        }
        let up = self.b.ins().ishl_imm_u(v, i64::from(spare));
        self.b.ins().sshr_imm_u(up, i64::from(spare))
    }

    /// Any operation but reads of sources, memories and tables.
    pub fn op(&mut self, op: &Op, width: u32, args: &[Operand]) -> Val {
        let widest = args.iter().map(|a| a.width).max().unwrap_or(width).max(width);
        if widest > 64 {
            return self.wide(op, width, args);
        }
        Val::Narrow(self.narrow(op, width, args))
    }

    fn narrow(&mut self, op: &Op, width: u32, args: &[Operand]) -> Value {
        let t = ty(width);
        let a = args[0].narrow();
        let b = args.get(1).map(Operand::narrow);
        let b = b.unwrap_or(a);
        let w0 = args[0].width;
        match op {
            Op::Not => {
                let m = self.k(t, mask(width));
                self.b.ins().bxor(a, m)
            }
            Op::Neg => {
                let v = self.b.ins().ineg(a);
                self.trim(v, width)
            }
            Op::And => self.b.ins().band(a, b),
            Op::Or => self.b.ins().bor(a, b),
            Op::Xor => self.b.ins().bxor(a, b),
            Op::Add => {
                let v = self.b.ins().iadd(a, b);
                self.trim(v, width)
            }
            Op::Sub => {
                let v = self.b.ins().isub(a, b);
                self.trim(v, width)
            }
            Op::Mul => {
                let v = if t == I8 { self.b.ins().band(a, b) } else { self.b.ins().imul(a, b) };
                self.trim(v, width)
            }
            Op::DivU | Op::RemU | Op::DivS | Op::RemS => self.divide(op, width, a, b),
            Op::RedAnd => {
                let ones = self.k(ty(w0), mask(w0));
                self.bit(IntCC::Equal, a, ones)
            }
            Op::RedOr => {
                let zero = self.k(ty(w0), 0);
                self.bit(IntCC::NotEqual, a, zero)
            }
            Op::RedXor => {
                let wide = self.cast(a, ty(w0), I64);
                let ones = self.b.ins().popcnt(wide);
                let low = self.b.ins().ireduce(I8, ones);
                self.b.ins().band_imm_u(low, 1)
            }
            Op::Shl | Op::Shr | Op::Sar => self.shift(op, width, &args[0], &args[1]),
            Op::Eq => self.bit(IntCC::Equal, a, b),
            Op::Ne => self.bit(IntCC::NotEqual, a, b),
            Op::LtU => self.bit(IntCC::UnsignedLessThan, a, b),
            Op::LeU => self.bit(IntCC::UnsignedLessThanOrEqual, a, b),
            Op::LtS | Op::LeS => {
                let spare = ty(w0).bits() - w0;
                let (a, b) = (self.shl_k(a, spare), self.shl_k(b, spare));
                let cc = if *op == Op::LtS { IntCC::SignedLessThan } else { IntCC::SignedLessThanOrEqual };
                self.bit(cc, a, b)
            }
            Op::Mux => {
                let c = args[2].narrow();
                self.b.ins().select(a, b, c)
            }
            Op::Slice(lo) => {
                let v = self.shr_k(a, *lo);
                let v = self.cast(v, ty(w0), t);
                if lo + width < w0 {
                    self.trim(v, width)
                } else {
                    v
                }
            }
            Op::Concat => {
                let mut at = 0;
                let mut out = None;
                for arg in args.iter().rev() {
                    let part = self.cast(arg.narrow(), ty(arg.width), t);
                    let part = self.shl_k(part, at);
                    at += arg.width;
                    out = Some(match out {
                        None => part,
                        Some(low) => self.b.ins().bor(part, low),
                    });
                }
                out.unwrap_or(a)
            }
            Op::ZExt => self.cast(a, ty(w0), t),
            Op::SExt => {
                let v = self.cast(a, ty(w0), t);
                let spare = t.bits() - w0;
                let up = self.shl_k(v, spare);
                let v = if spare == 0 { up } else { self.b.ins().sshr_imm_u(up, i64::from(spare)) };
                self.trim(v, width)
            }
            Op::Input(_) | Op::Const(_) | Op::Reg(_) | Op::MemRead(_) | Op::Table(_) => a,
        }
    }

    fn divide(&mut self, op: &Op, width: u32, a: Value, b: Value) -> Value {
        // In 64 bits: no narrow division instruction is worth its special cases.
        let t = ty(width);
        let signed = matches!(op, Op::DivS | Op::RemS);
        let (mut x, mut y) = (a, b);
        if signed {
            (x, y) = (self.signed(x, width), self.signed(y, width));
        }
        if t != I64 {
            (x, y) = if signed {
                (self.b.ins().sextend(I64, x), self.b.ins().sextend(I64, y))
            } else {
                (self.b.ins().uextend(I64, x), self.b.ins().uextend(I64, y))
            };
        }
        let (zero, one) = (self.k(I64, 0), self.k(I64, 1));
        let by_zero = self.bit(IntCC::Equal, y, zero);
        let mut divisor = self.b.ins().select(by_zero, one, y);
        let mut result;
        if signed {
            // -1 apart: the smallest number divided by it traps.
            let minus = self.k(I64, u64::MAX);
            let by_minus = self.bit(IntCC::Equal, y, minus);
            divisor = self.b.ins().select(by_minus, one, divisor);
            if *op == Op::DivS {
                result = self.b.ins().sdiv(x, divisor);
                let negated = self.b.ins().ineg(x);
                result = self.b.ins().select(by_minus, negated, result);
            } else {
                result = self.b.ins().srem(x, divisor);
            }
        } else if *op == Op::DivU {
            result = self.b.ins().udiv(x, divisor);
        } else {
            result = self.b.ins().urem(x, divisor);
        }
        result = self.b.ins().select(by_zero, zero, result);
        let v = self.cast(result, I64, t);
        self.trim(v, width)
    }

    fn shift(&mut self, op: &Op, width: u32, value: &Operand, amount: &Operand) -> Value {
        let t = ty(width);
        let a = value.narrow();
        if let Some(by) = &amount.constant {
            let by = by.small().unwrap_or(u64::MAX).min(u64::from(width)) as u32;
            return match op {
                Op::Shl | Op::Shr if by >= width => self.k(t, 0),
                Op::Shl => {
                    let v = self.shl_k(a, by);
                    self.trim(v, width)
                }
                Op::Shr => self.shr_k(a, by),
                _ => {
                    let s = self.signed(a, width);
                    let v = self.b.ins().sshr_imm_u(s, i64::from(by.min(width - 1)));
                    self.trim(v, width)
                }
            };
        }
        let (amt, at) = (amount.narrow(), ty(amount.width));
        let bits = t.bits();
        let fits = amount.width < 7 && (1 << amount.width) <= bits;
        if *op == Op::Sar {
            let s = self.signed(a, width);
            let amt = if fits {
                amt
            } else {
                let limit = self.k(at, u64::from(width - 1).min(mask(at.bits() - 1)));
                self.b.ins().umin(amt, limit)
            };
            let v = self.b.ins().sshr(s, amt);
            return self.trim(v, width);
        }
        let v = if *op == Op::Shl { self.b.ins().ishl(a, amt) } else { self.b.ins().ushr(a, amt) };
        let v = if fits {
            v
        } else {
            let limit = self.k(at, u64::from(bits).min(mask(at.bits())));
            let inside = self.bit(IntCC::UnsignedLessThan, amt, limit);
            let zero = self.k(t, 0);
            self.b.ins().select(inside, v, zero)
        };
        if *op == Op::Shl {
            self.trim(v, width)
        } else {
            v
        }
    }

    /// Limbs of an operand zero-extended to `n` limbs.
    fn extended(&mut self, arg: &Operand, n: usize) -> Vec<Value> {
        let mut limbs: Vec<Value> = match &arg.val {
            Val::Narrow(v) | Val::Pack(v) => vec![self.cast(*v, ty(arg.width), I64)],
            Val::Wide(l) => l.clone(),
        };
        limbs.truncate(n);
        while limbs.len() < n {
            let zero = self.k(I64, 0);
            limbs.push(zero);
        }
        limbs
    }

    /// Result of `width` bits out of limbs that may have more.
    fn result(&mut self, mut limbs: Vec<Value>, width: u32) -> Val {
        let n = width.div_ceil(64) as usize;
        while limbs.len() < n {
            let zero = self.k(I64, 0);
            limbs.push(zero);
        }
        limbs.truncate(n);
        if width <= 64 {
            let v = self.cast(limbs[0], I64, ty(width));
            return Val::Narrow(self.trim(v, width));
        }
        self.trim_wide(limbs, width)
    }

    /// `limbs` shifted down by a constant.
    fn down(&mut self, limbs: &[Value], by: u32) -> Vec<Value> {
        let (skip, shift) = ((by / 64) as usize, by % 64);
        (skip..limbs.len())
            .map(|i| {
                let low = self.shr_k(limbs[i], shift);
                match limbs.get(i + 1) {
                    Some(&next) if shift != 0 => {
                        let high = self.shl_k(next, 64 - shift);
                        self.b.ins().bor(low, high)
                    }
                    _ => low,
                }
            })
            .collect()
    }

    /// `limbs` shifted up by a constant, in the same number of limbs.
    fn up(&mut self, limbs: &[Value], by: u32) -> Vec<Value> {
        let (skip, shift) = ((by / 64) as usize, by % 64);
        (0..limbs.len())
            .map(|i| {
                if i < skip {
                    return self.k(I64, 0);
                }
                let high = self.shl_k(limbs[i - skip], shift);
                if shift != 0 && i > skip {
                    let low = self.shr_k(limbs[i - skip - 1], 64 - shift);
                    self.b.ins().bor(high, low)
                } else {
                    high
                }
            })
            .collect()
    }

    fn add_limbs(&mut self, a: &[Value], b: &[Value], carry_in: bool) -> (Vec<Value>, Value) {
        let mut carry = self.k(I64, u64::from(carry_in));
        let mut out = Vec::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            let s = self.b.ins().iadd(x, y);
            let c1 = self.bit(IntCC::UnsignedLessThan, s, x);
            let s2 = self.b.ins().iadd(s, carry);
            let c2 = self.bit(IntCC::UnsignedLessThan, s2, s);
            let c = self.b.ins().bor(c1, c2);
            carry = self.b.ins().uextend(I64, c);
            out.push(s2);
        }
        (out, carry)
    }

    fn not_limbs(&mut self, a: &[Value]) -> Vec<Value> {
        a.iter().map(|&x| self.b.ins().bnot(x)).collect()
    }

    /// 1 where `a < b`, unsigned.
    fn less(&mut self, a: &[Value], b: &[Value]) -> Value {
        // a + ~b + 1 carries out exactly if a >= b.
        let nb = self.not_limbs(b);
        let (_, carry) = self.add_limbs(a, &nb, true);
        let zero = self.k(I64, 0);
        self.bit(IntCC::Equal, carry, zero)
    }

    fn reduce(&mut self, limbs: &[Value], f: impl Fn(&mut Self, Value, Value) -> Value) -> Value {
        let mut it = limbs.iter().copied();
        let first = it.next().unwrap_or_else(|| self.k(I64, 0));
        it.fold(first, |x, y| f(self, x, y))
    }

    fn wide(&mut self, op: &Op, width: u32, args: &[Operand]) -> Val {
        let w0 = args[0].width;
        let n = args.iter().map(|a| a.width).max().unwrap_or(width).max(width).div_ceil(64) as usize;
        let a = if matches!(op, Op::Concat) { Vec::new() } else { self.extended(&args[0], n) };
        let two = matches!(
            op,
            Op::And
                | Op::Or
                | Op::Xor
                | Op::Add
                | Op::Sub
                | Op::Mul
                | Op::DivU
                | Op::DivS
                | Op::RemU
                | Op::RemS
                | Op::Eq
                | Op::Ne
                | Op::LtU
                | Op::LeU
                | Op::LtS
                | Op::LeS
        );
        let b = if two { self.extended(&args[1], n) } else { Vec::new() };
        let zip = |s: &mut Self, f: fn(&mut Self, Value, Value) -> Value| -> Vec<Value> {
            a.iter().zip(&b).map(|(&x, &y)| f(s, x, y)).collect()
        };
        match op {
            Op::Not => {
                let l = self.not_limbs(&a);
                self.result(l, width)
            }
            Op::Neg => {
                let zeros: Vec<Value> = a.iter().map(|_| self.k(I64, 0)).collect();
                let na = self.not_limbs(&a);
                let (l, _) = self.add_limbs(&zeros, &na, true);
                self.result(l, width)
            }
            Op::And => {
                let l = zip(self, |s, x, y| s.b.ins().band(x, y));
                self.result(l, width)
            }
            Op::Or => {
                let l = zip(self, |s, x, y| s.b.ins().bor(x, y));
                self.result(l, width)
            }
            Op::Xor => {
                let l = zip(self, |s, x, y| s.b.ins().bxor(x, y));
                self.result(l, width)
            }
            Op::Add => {
                let (l, _) = self.add_limbs(&a, &b, false);
                self.result(l, width)
            }
            Op::Sub => {
                let nb = self.not_limbs(&b);
                let (l, _) = self.add_limbs(&a, &nb, true);
                self.result(l, width)
            }
            Op::Mul => {
                let l = self.multiply(&a, &b);
                self.result(l, width)
            }
            Op::DivU | Op::RemU | Op::DivS | Op::RemS => self.divide_wide(op, width, &a, &b),
            Op::RedAnd => {
                let ones = self.constant(&Bits::ones(w0));
                let Val::Wide(ones) = ones else { return Val::Narrow(a[0]) };
                let same: Vec<Value> = a.iter().zip(&ones).map(|(&x, &y)| self.b.ins().bxor(x, y)).collect();
                let any = self.reduce(&same, |s, x, y| s.b.ins().bor(x, y));
                let zero = self.k(I64, 0);
                Val::Narrow(self.bit(IntCC::Equal, any, zero))
            }
            Op::RedOr => {
                let any = self.reduce(&a, |s, x, y| s.b.ins().bor(x, y));
                let zero = self.k(I64, 0);
                Val::Narrow(self.bit(IntCC::NotEqual, any, zero))
            }
            Op::RedXor => {
                let all = self.reduce(&a, |s, x, y| s.b.ins().bxor(x, y));
                let ones = self.b.ins().popcnt(all);
                let low = self.b.ins().ireduce(I8, ones);
                Val::Narrow(self.b.ins().band_imm_u(low, 1))
            }
            Op::Shl | Op::Shr | Op::Sar => self.shift_wide(op, width, a, &args[1]),
            Op::Eq | Op::Ne => {
                let d = zip(self, |s, x, y| s.b.ins().bxor(x, y));
                let any = self.reduce(&d, |s, x, y| s.b.ins().bor(x, y));
                let zero = self.k(I64, 0);
                let cc = if *op == Op::Eq { IntCC::Equal } else { IntCC::NotEqual };
                Val::Narrow(self.bit(cc, any, zero))
            }
            Op::LtU | Op::LeU | Op::LtS | Op::LeS => {
                let (mut a, mut b) = (a, b);
                if matches!(op, Op::LtS | Op::LeS) {
                    // Signed order is unsigned order with the sign flipped.
                    for l in [&mut a, &mut b] {
                        let flip = self.k(I64, 1 << ((w0 - 1) % 64));
                        let top = ((w0 - 1) / 64) as usize;
                        l[top] = self.b.ins().bxor(l[top], flip);
                    }
                }
                Val::Narrow(if matches!(op, Op::LtU | Op::LtS) {
                    self.less(&a, &b)
                } else {
                    let greater = self.less(&b, &a);
                    self.b.ins().bxor_imm_u(greater, 1)
                })
            }
            Op::Mux => {
                let c = args[0].narrow();
                let (t, e) = (self.extended(&args[1], n), self.extended(&args[2], n));
                let l = t.iter().zip(&e).map(|(&x, &y)| self.b.ins().select(c, x, y)).collect();
                self.result(l, width)
            }
            Op::Slice(lo) => {
                let l = self.down(&a, *lo);
                self.result(l, width)
            }
            Op::Concat => {
                // Only the limbs that a part has bits in: with all limbs for each part, a wide
                // replication would be quadratic.
                let mut out: Vec<Option<Value>> = vec![None; n];
                let mut at = 0;
                for arg in args.iter().rev() {
                    let (first, shift) = ((at / 64) as usize, at % 64);
                    let part = self.extended(arg, (shift + arg.width).div_ceil(64) as usize);
                    let part = self.up(&part, shift);
                    for (limb, v) in out[first..].iter_mut().zip(part) {
                        *limb = Some(limb.map_or(v, |low| self.b.ins().bor(low, v)));
                    }
                    at += arg.width;
                }
                let out = out.into_iter().map(|limb| limb.unwrap_or_else(|| self.k(I64, 0))).collect();
                self.result(out, width)
            }
            Op::ZExt => self.result(a, width),
            Op::SExt => {
                let top = ((w0 - 1) / 64) as usize;
                let spare = 63 - (w0 - 1) % 64;
                let up = self.shl_k(a[top], spare);
                let signed = if spare == 0 { up } else { self.b.ins().sshr_imm_u(up, i64::from(spare)) };
                let fill = self.b.ins().sshr_imm_u(up, 63);
                let mut l = a.clone();
                l[top] = signed;
                for high in l.iter_mut().skip(top + 1) {
                    *high = fill;
                }
                self.result(l, width)
            }
            Op::Input(_) | Op::Const(_) | Op::Reg(_) | Op::MemRead(_) | Op::Table(_) => Val::Wide(a),
        }
    }

    /// Product in as many limbs as `a` has.
    fn multiply(&mut self, a: &[Value], b: &[Value]) -> Vec<Value> {
        let n = a.len();
        let mut out: Vec<Value> = (0..n).map(|_| self.k(I64, 0)).collect();
        for i in 0..n {
            let mut carry = self.k(I64, 0);
            for j in 0..n - i {
                let low = self.b.ins().imul(a[i], b[j]);
                let high = self.b.ins().umulhi(a[i], b[j]);
                let zero = self.k(I64, 0);
                let (s, _) = self.add_limbs(&[low, high], &[out[i + j], zero], false);
                let (s, _) = self.add_limbs(&s, &[carry, zero], false);
                out[i + j] = s[0];
                carry = s[1];
            }
        }
        out
    }

    fn shift_wide(&mut self, op: &Op, width: u32, value: Vec<Value>, amount: &Operand) -> Val {
        let n = width.div_ceil(64) as usize;
        let mut v = value[..n].to_vec();
        let fill = if *op == Op::Sar {
            let top = ((width - 1) / 64) as usize;
            let spare = 63 - (width - 1) % 64;
            let up = self.shl_k(v[top], spare);
            v[top] = if spare == 0 { up } else { self.b.ins().sshr_imm_u(up, i64::from(spare)) };
            self.b.ins().sshr_imm_u(up, 63)
        } else {
            self.k(I64, 0)
        };
        let shift = |s: &mut Self, v: &[Value], by: u32| -> Vec<Value> {
            if *op == Op::Shl {
                return s.up(v, by);
            }
            let mut extended = v.to_vec();
            extended.push(fill);
            let mut out = s.down(&extended, by.min(64 * n as u32));
            out.truncate(n);
            while out.len() < n {
                out.push(fill);
            }
            out
        };
        if let Some(by) = &amount.constant {
            let by = by.small().unwrap_or(u64::MAX).min(64 * n as u64) as u32;
            let l = if by >= 64 * n as u32 {
                vec![if *op == Op::Shl { self.k(I64, 0) } else { fill }; n]
            } else {
                shift(self, &v, by)
            };
            return self.result(l, width);
        }
        // One step for each bit of the amount that can matter; any higher bit shifts everything
        // out.
        let limbs = amount.limbs().to_vec();
        let at = if amount.width <= 64 { ty(amount.width) } else { I64 };
        let steps = 32 - (64 * n as u32 - 1).leading_zeros();
        for k in 0..steps.min(amount.width) {
            let bit = self.shr_k(limbs[0], k);
            let bit = self.cast(bit, at, I8);
            let bit = self.b.ins().band_imm_u(bit, 1);
            let moved = shift(self, &v, 1 << k);
            v = v.iter().zip(&moved).map(|(&x, &y)| self.b.ins().select(bit, y, x)).collect();
        }
        if amount.width > steps {
            let mut high = self.shr_k(limbs[0], steps);
            high = self.cast(high, at, I64);
            for &l in &limbs[1..] {
                high = self.b.ins().bor(high, l);
            }
            let zero = self.k(I64, 0);
            let out = self.bit(IntCC::NotEqual, high, zero);
            v = v.iter().map(|&x| self.b.ins().select(out, fill, x)).collect();
        }
        self.result(v, width)
    }

    /// Division of more than 64 bits: a loop, one quotient bit a time.
    fn divide_wide(&mut self, op: &Op, width: u32, a: &[Value], b: &[Value]) -> Val {
        let signed = matches!(op, Op::DivS | Op::RemS);
        let n = a.len();
        let sign = |s: &mut Self, l: &[Value]| -> Value {
            let v = s.shr_k(l[((width - 1) / 64) as usize], (width - 1) % 64);
            let v = s.b.ins().ireduce(I8, v);
            s.b.ins().band_imm_u(v, 1)
        };
        let negate_if = |s: &mut Self, c: Value, l: &[Value]| -> Vec<Value> {
            let zeros: Vec<Value> = l.iter().map(|_| s.k(I64, 0)).collect();
            let nl = s.not_limbs(l);
            let (neg, _) = s.add_limbs(&zeros, &nl, true);
            let picked: Vec<Value> = neg.iter().zip(l).map(|(&x, &y)| s.b.ins().select(c, x, y)).collect();
            match s.trim_wide(picked, width) {
                Val::Wide(l) => l,
                Val::Narrow(v) | Val::Pack(v) => vec![v],
            }
        };
        let (mut x, mut y) = (a.to_vec(), b.to_vec());
        let (sa, sb) = (sign(self, a), sign(self, b));
        if signed {
            x = negate_if(self, sa, a);
            y = negate_if(self, sb, b);
        }
        let any = self.reduce(&y, |s, p, q| s.b.ins().bor(p, q));
        let zero = self.k(I64, 0);
        let by_zero = self.bit(IntCC::Equal, any, zero);

        // Loop over (count, x, r): r:x shifts left, quotient bits enter x from below.
        let (head, done) = (self.b.create_block(), self.b.create_block());
        for _ in 0..=2 * n {
            self.b.append_block_param(head, I64);
        }
        let total = 64 * n as u64;
        let mut start = vec![self.k(I64, total)];
        start.extend(&x);
        start.extend((0..n).map(|_| zero));
        let to_args = |v: &[Value]| v.iter().map(|&x| x.into()).collect::<Vec<cranelift_codegen::ir::BlockArg>>();
        let jump = to_args(&start);
        self.b.ins().jump(head, &jump);
        self.b.switch_to_block(head);
        let params = self.b.block_params(head).to_vec();
        let (count, q, r) = (params[0], &params[1..=n], &params[n + 1..]);
        let carry = self.shr_k(q[n - 1], 63);
        let r_top = self.shr_k(r[n - 1], 63);
        let r_up = self.up(r, 1);
        let mut r1 = r_up;
        r1[0] = self.b.ins().bor(r1[0], carry);
        let q1 = self.up(q, 1);
        let below = self.less(&r1, &y);
        let below = self.b.ins().bxor_imm_u(below, 1);
        let over = self.b.ins().ireduce(I8, r_top);
        let fits = self.b.ins().bor(below, over);
        let ny = self.not_limbs(&y);
        let (diff, _) = self.add_limbs(&r1, &ny, true);
        let r2: Vec<Value> = diff.iter().zip(&r1).map(|(&d, &o)| self.b.ins().select(fits, d, o)).collect();
        let mut q2 = q1;
        let fit64 = self.b.ins().uextend(I64, fits);
        q2[0] = self.b.ins().bor(q2[0], fit64);
        let left = self.b.ins().iadd_imm_s(count, -1);
        let mut again = vec![left];
        again.extend(&q2);
        again.extend(&r2);
        let again = to_args(&again);
        self.b.ins().brif(left, head, &again, done, &[]);
        self.b.seal_block(head);
        self.b.switch_to_block(done);
        self.b.seal_block(done);

        let mut out = if matches!(op, Op::DivU | Op::DivS) { q2 } else { r2 };
        if signed {
            let flip = if *op == Op::DivS { self.b.ins().bxor(sa, sb) } else { sa };
            out = negate_if(self, flip, &out);
        }
        let out = out.iter().map(|&v| self.b.ins().select(by_zero, zero, v)).collect();
        self.result(out, width)
    }
}
