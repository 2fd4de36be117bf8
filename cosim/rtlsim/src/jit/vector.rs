//! Cranelift code of one operation on four copies of the design at once. A value is a list of 32-bit limbs, least significant first, each an `i32x4` with one
//! lane for each copy; a value of 1 bit is a mask instead, all ones or all zeros, possibly to be read inverted. Limbs of 32 bits and not of 64, because
//! slices, concatenations and extensions, which hardware is made of, then move no lanes. Bits at and above the width are zero (in masks: every bit
//! is the value). What has no vector form (division, products of more than 64 bits) is done lane by lane with [`Ops`].
//!
//! It can be wrong where the scalar code is right: the unit test runs every operation at many widths against the interpreter's arithmetic.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F32X4, I32, I32X4, I64, I64X2, I8, I8X16};
use cranelift_codegen::ir::{ConstantData, InstBuilder, MemFlagsData, Value};
use cranelift_frontend::FunctionBuilder;

use super::ops::{Operand, Ops, Val};
use crate::bits::Bits;
use crate::graph::Op;

/// Copies in a vector.
pub const LANES: u32 = 4;

/// Limbs of 32 bits of a value.
pub fn limbs_of(width: u32) -> u32 {
    width.div_ceil(32)
}

/// A value of all copies.
#[derive(Clone, Debug)]
pub struct Lanes {
    pub limbs: Vec<Value>,
    /// Only of 1 bit: the value is the complement of the mask.
    pub inverted: bool,
}

impl Lanes {
    pub fn new(limbs: Vec<Value>) -> Self {
        Self { limbs, inverted: false }
    }

    fn one(v: Value) -> Self {
        Self::new(vec![v])
    }

    fn mask(v: Value, inverted: bool) -> Self {
        Self { limbs: vec![v], inverted }
    }
}

/// An argument.
#[derive(Clone, Debug)]
pub struct Arg {
    pub val: Lanes,
    pub width: u32,
    pub constant: Option<Bits>,
    /// Bits that can be other than zero.
    pub bits: u32,
}

impl Arg {
    fn is_zero(&self) -> bool {
        self.constant.as_ref().is_some_and(Bits::is_zero)
    }

    fn is_ones(&self) -> bool {
        self.constant.as_ref().is_some_and(Bits::is_ones)
    }
}

/// Bits of the last limb of a value.
fn top_bits(width: u32) -> u32 {
    (width - 1) % 32 + 1
}

fn ones(bits: u32) -> u32 {
    u32::MAX >> (32 - bits)
}

/// Emits operations.
pub struct Vector<'a, 'b> {
    pub b: &'a mut FunctionBuilder<'b>,
}

impl Vector<'_, '_> {
    /// The same 32 bits in each lane.
    pub fn k(&mut self, value: u32) -> Value {
        let bytes: Vec<u8> = std::iter::repeat_n(value.to_le_bytes(), LANES as usize).flatten().collect();
        let constant = self.b.func.dfg.constants.insert(ConstantData::from(bytes));
        self.b.ins().vconst(I32X4, constant)
    }

    /// A constant.
    pub fn constant(&mut self, value: &Bits) -> Lanes {
        if value.width() == 1 {
            let all = if value.is_zero() { 0 } else { u32::MAX };
            return Lanes::one(self.k(all));
        }
        let limb = |i: u32| (value.limbs()[i as usize / 2] >> (i % 2 * 32)) as u32;
        Lanes::new((0..limbs_of(value.width())).map(|i| self.k(limb(i))).collect())
    }

    /// The mask of a value of 1 bit, not inverted.
    pub fn plain(&mut self, val: &Lanes) -> Value {
        if val.inverted {
            self.b.ins().bnot(val.limbs[0])
        } else {
            val.limbs[0]
        }
    }

    /// Limbs as they are kept in memory.
    pub fn stored(&mut self, val: &Lanes) -> Vec<Value> {
        if val.inverted {
            vec![self.plain(val)]
        } else {
            val.limbs.clone()
        }
    }

    fn and(&mut self, a: Value, b: Value) -> Value {
        self.b.ins().band(a, b)
    }

    fn or(&mut self, a: Value, b: Value) -> Value {
        self.b.ins().bor(a, b)
    }

    /// `a & ~b`.
    fn and_not(&mut self, a: Value, b: Value) -> Value {
        let n = self.b.ins().bnot(b);
        self.b.ins().band(a, n)
    }

    fn and_k(&mut self, v: Value, mask: u32) -> Value {
        let m = self.k(mask);
        self.and(v, m)
    }

    fn shl(&mut self, v: Value, by: u32) -> Value {
        if by == 0 {
            v
        } else {
            self.b.ins().ishl_imm_u(v, i64::from(by))
        }
    }

    fn shr(&mut self, v: Value, by: u32) -> Value {
        if by == 0 {
            v
        } else {
            self.b.ins().ushr_imm_u(v, i64::from(by))
        }
    }

    fn sar(&mut self, v: Value, by: u32) -> Value {
        if by == 0 {
            v
        } else {
            self.b.ins().sshr_imm_u(v, i64::from(by))
        }
    }

    fn equal(&mut self, a: Value, b: Value) -> Value {
        self.b.ins().icmp(IntCC::Equal, a, b)
    }

    /// Mask of `a >= b`, unsigned: one instruction fewer than any of the others.
    fn at_least(&mut self, a: Value, b: Value) -> Value {
        self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, a, b)
    }

    /// `c ? a : b`; the top bit of each lane of `c` decides.
    fn blend(&mut self, c: Value, a: Value, b: Value) -> Value {
        self.b.ins().blendv(c, a, b)
    }

    /// Clears bits at and above the width.
    fn trim(&mut self, mut limbs: Vec<Value>, width: u32) -> Lanes {
        limbs.truncate(limbs_of(width) as usize);
        if width % 32 != 0 {
            if let Some(top) = limbs.last_mut() {
                *top = self.and_k(*top, ones(width % 32));
            }
        }
        Lanes::new(limbs)
    }

    /// Result of `width` bits from limbs that have nothing above it; of 1 bit: from the low bit of the limb.
    fn fit(&mut self, mut limbs: Vec<Value>, width: u32) -> Lanes {
        limbs.truncate(limbs_of(width) as usize);
        if width == 1 {
            return self.bit(limbs[0], 0);
        }
        while limbs.len() < limbs_of(width) as usize {
            limbs.push(self.k(0));
        }
        Lanes::new(limbs)
    }

    /// One bit of a limb as a mask.
    fn bit(&mut self, limb: Value, bit: u32) -> Lanes {
        let up = self.shl(limb, 31 - bit);
        Lanes::one(self.sar(up, 31))
    }

    /// Limbs of numbers: a mask becomes 0 or 1.
    fn numbers(&mut self, arg: &Arg) -> Vec<Value> {
        if arg.width > 1 {
            return arg.val.limbs.clone();
        }
        if arg.val.inverted {
            let one = self.k(1);
            return vec![self.b.ins().iadd(arg.val.limbs[0], one)];
        }
        vec![self.shr(arg.val.limbs[0], 31)]
    }

    /// Any operation but reads of sources, memories and tables.
    pub fn op(&mut self, op: &Op, width: u32, args: &[Arg]) -> Lanes {
        if width == 1 && args.iter().all(|a| a.width == 1) {
            if let Some(v) = self.logic(op, args) {
                return v;
            }
        }
        match op {
            Op::Not => {
                let limbs: Vec<Value> = args[0].val.limbs.clone();
                let last = limbs.len() - 1;
                let flip = |s: &mut Self, i: usize, v: Value| {
                    let m = s.k(if i == last { ones(top_bits(width)) } else { u32::MAX });
                    s.b.ins().bxor(v, m)
                };
                Lanes::new(limbs.into_iter().enumerate().map(|(i, v)| flip(self, i, v)).collect())
            }
            Op::And => self.each(args, |s, x, y| s.b.ins().band(x, y)),
            Op::Or => self.each(args, |s, x, y| s.b.ins().bor(x, y)),
            Op::Xor => self.each(args, |s, x, y| s.b.ins().bxor(x, y)),
            Op::Neg => {
                let zeros: Vec<Value> = args[0].val.limbs.iter().map(|_| self.k(0)).collect();
                let l = self.subtract(&zeros, &args[0].val.limbs);
                self.trim(l, width)
            }
            Op::Add => {
                let l = self.sum(&args[0].val.limbs, &args[1].val.limbs);
                self.trim(l, width)
            }
            Op::Sub => {
                let l = self.subtract(&args[0].val.limbs, &args[1].val.limbs);
                self.trim(l, width)
            }
            Op::Mul if width <= 64 => self.product(width, args),
            Op::Mul | Op::DivU | Op::RemU | Op::DivS | Op::RemS => self.by_lane(op, width, args),
            Op::RedAnd => {
                let all = self.constant(&Bits::ones(args[0].width));
                let same = self.same(&args[0].val.limbs, &all.limbs);
                Lanes::one(same)
            }
            Op::RedOr => {
                let any = self.join(&args[0].val.limbs, |s, x, y| s.b.ins().bor(x, y));
                let zero = self.k(0);
                Lanes::mask(self.equal(any, zero), true)
            }
            Op::RedXor => {
                let mut v = self.join(&args[0].val.limbs, |s, x, y| s.b.ins().bxor(x, y));
                for by in [16, 8, 4, 2, 1] {
                    if by < args[0].width {
                        let high = self.shr(v, by);
                        v = self.b.ins().bxor(v, high);
                    }
                }
                self.bit(v, 0)
            }
            Op::Shl | Op::Shr | Op::Sar => self.shift(op, width, &args[0], &args[1]),
            Op::Eq | Op::Ne => {
                let same = self.same(&args[0].val.limbs, &args[1].val.limbs);
                Lanes::mask(same, *op == Op::Ne)
            }
            Op::LtU | Op::LtS => self.less(&args[0], &args[1], *op == Op::LtS),
            Op::LeU | Op::LeS => {
                let mut greater = self.less(&args[1], &args[0], *op == Op::LeS);
                greater.inverted = !greater.inverted;
                greater
            }
            Op::Mux => self.select(args),
            Op::Slice(lo) => self.slice(&args[0], *lo, width),
            Op::Concat => self.concat(width, args),
            Op::ZExt => {
                let l = self.numbers(&args[0]);
                self.fit(l, width)
            }
            Op::SExt => {
                let l = self.signed(&args[0], limbs_of(width));
                self.trim(l, width)
            }
            Op::Input(_) | Op::Const(_) | Op::Reg(_) | Op::MemRead(_) | Op::Table(_) => args[0].val.clone(),
        }
    }

    /// Operations on masks; inversions are carried along as far as possible.
    fn logic(&mut self, op: &Op, args: &[Arg]) -> Option<Lanes> {
        let (a, x) = (args[0].val.limbs[0], args[0].val.inverted);
        let same = |inverted| Lanes::mask(a, inverted);
        if let Op::Not = op {
            return Some(same(!x));
        }
        if let Op::Neg | Op::RedAnd | Op::RedOr | Op::RedXor | Op::Slice(_) | Op::Concat | Op::ZExt | Op::SExt = op {
            return (args.len() == 1).then(|| same(x));
        }
        if args.len() != 2 {
            return None;
        }
        let (b, y) = (args[1].val.limbs[0], args[1].val.inverted);
        Some(match op {
            Op::And | Op::Mul => self.both(a, x, b, y),
            Op::Or => self.either(a, x, b, y),
            Op::Xor | Op::Add | Op::Sub | Op::Ne => Lanes::mask(self.b.ins().bxor(a, b), x != y),
            Op::Eq => Lanes::mask(self.b.ins().bxor(a, b), x == y),
            Op::LtU => self.both(a, !x, b, y),
            Op::LeU => self.either(a, !x, b, y),
            // 1 is -1.
            Op::LtS => self.both(a, x, b, !y),
            Op::LeS => self.either(a, x, b, !y),
            Op::Shl | Op::Shr => self.both(a, x, b, !y),
            Op::Sar => same(x),
            _ => return None,
        })
    }

    fn both(&mut self, a: Value, x: bool, b: Value, y: bool) -> Lanes {
        match (x, y) {
            (false, false) => Lanes::mask(self.and(a, b), false),
            (false, true) => Lanes::mask(self.and_not(a, b), false),
            (true, false) => Lanes::mask(self.and_not(b, a), false),
            (true, true) => Lanes::mask(self.or(a, b), true),
        }
    }

    fn either(&mut self, a: Value, x: bool, b: Value, y: bool) -> Lanes {
        let mut v = self.both(a, !x, b, !y);
        v.inverted = !v.inverted;
        v
    }

    /// `a & b` of two conditions, for paths of branches.
    pub fn both_of(&mut self, a: &Lanes, b: &Lanes) -> Lanes {
        self.both(a.limbs[0], a.inverted, b.limbs[0], b.inverted)
    }

    /// Is the bit 1 in any copy? (`i8`)
    pub fn any(&mut self, val: &Lanes) -> Value {
        let v = self.plain(val);
        self.b.ins().vany_true(v)
    }

    fn each(&mut self, args: &[Arg], f: impl Fn(&mut Self, Value, Value) -> Value) -> Lanes {
        let (a, b) = (&args[0].val.limbs, &args[1].val.limbs);
        Lanes::new(a.iter().zip(b).map(|(&x, &y)| f(self, x, y)).collect())
    }

    fn join(&mut self, limbs: &[Value], f: impl Fn(&mut Self, Value, Value) -> Value) -> Value {
        let mut it = limbs.iter().copied();
        let first = it.next().unwrap_or_else(|| self.k(0));
        it.fold(first, |x, y| f(self, x, y))
    }

    /// Mask of equality.
    fn same(&mut self, a: &[Value], b: &[Value]) -> Value {
        let masks: Vec<Value> = a.iter().zip(b).map(|(&x, &y)| self.equal(x, y)).collect();
        self.join(&masks, |s, x, y| s.b.ins().band(x, y))
    }

    fn sum(&mut self, a: &[Value], b: &[Value]) -> Vec<Value> {
        // Mask that is -1 where there is no carry into the limb.
        let mut none: Option<Value> = None;
        let mut out = Vec::with_capacity(a.len());
        for (i, (&x, &y)) in a.iter().zip(b).enumerate() {
            let s = self.b.ins().iadd(x, y);
            let mut t = s;
            if let Some(none) = none {
                let one = self.k(1);
                let with = self.b.ins().iadd(s, none);
                t = self.b.ins().iadd(with, one);
            }
            if i + 1 < a.len() {
                let first = self.at_least(s, x);
                none = Some(match none {
                    Some(_) => {
                        let second = self.at_least(t, s);
                        self.and(first, second)
                    }
                    None => first,
                });
            }
            out.push(t);
        }
        out
    }

    fn subtract(&mut self, a: &[Value], b: &[Value]) -> Vec<Value> {
        // Mask that is -1 where nothing is borrowed from the limb.
        let mut none: Option<Value> = None;
        let mut out = Vec::with_capacity(a.len());
        for (i, (&x, &y)) in a.iter().zip(b).enumerate() {
            let d = self.b.ins().isub(x, y);
            let mut t = d;
            if let Some(none) = none {
                let one = self.k(1);
                let with = self.b.ins().isub(d, none);
                t = self.b.ins().isub(with, one);
            }
            if i + 1 < a.len() {
                let first = self.at_least(x, y);
                none = Some(match none {
                    Some(_) => {
                        let second = self.at_least(d, t);
                        self.and(first, second)
                    }
                    None => first,
                });
            }
            out.push(t);
        }
        out
    }

    /// Product of up to 64 bits.
    fn product(&mut self, width: u32, args: &[Arg]) -> Lanes {
        let (a, b) = (&args[0].val.limbs, &args[1].val.limbs);
        if width <= 32 {
            let v = self.b.ins().imul(a[0], b[0]);
            return self.trim(vec![v], width);
        }
        let (x, y) = (self.b.ins().uwiden_low(a[0]), self.b.ins().uwiden_low(b[0]));
        let p01 = self.b.ins().imul(x, y);
        let (x, y) = (self.b.ins().uwiden_high(a[0]), self.b.ins().uwiden_high(b[0]));
        let p23 = self.b.ins().imul(x, y);
        let low = self.pick(p01, p23, 0);
        let mut high = self.pick(p01, p23, 1);
        for (p, q, needed) in [(a[0], b[1], args[1].bits > 32), (a[1], b[0], args[0].bits > 32)] {
            if needed {
                let v = self.b.ins().imul(p, q);
                high = self.b.ins().iadd(high, v);
            }
        }
        self.trim(vec![low, high], width)
    }

    /// The even (`odd` 0) or odd 32-bit lanes of two `i64x2`.
    fn pick(&mut self, a: Value, b: Value, odd: u8) -> Value {
        let flags = MemFlagsData::new().with_endianness(cranelift_codegen::ir::Endianness::Little);
        let (a, b) = (self.b.ins().bitcast(I8X16, flags, a), self.b.ins().bitcast(I8X16, flags, b));
        let bytes: Vec<u8> = [0, 8, 16, 24].iter().flat_map(|l| (0..4).map(move |i| l + 4 * odd + i)).collect();
        let lanes = self.b.func.dfg.immediates.push(ConstantData::from(bytes));
        let v = self.b.ins().shuffle(a, b, lanes);
        self.b.ins().bitcast(I32X4, flags, v)
    }

    /// `a < b`.
    fn less(&mut self, a: &Arg, b: &Arg, signed: bool) -> Lanes {
        let n = limbs_of(a.width) as usize;
        let mut result: Option<Lanes> = None;
        for i in 0..n {
            let (x, y) = (a.val.limbs[i], b.val.limbs[i]);
            let bits = if i + 1 == n { top_bits(a.width) } else { 32 };
            let here = if i + 1 == n && signed {
                let (x, y) = (self.shl(x, 32 - bits), self.shl(y, 32 - bits));
                Lanes::mask(self.b.ins().icmp(IntCC::SignedGreaterThan, y, x), false)
            } else if bits < 32 {
                Lanes::mask(self.b.ins().icmp(IntCC::SignedGreaterThan, y, x), false)
            } else {
                Lanes::mask(self.at_least(x, y), true)
            };
            result = Some(match result {
                None => here,
                Some(low) => {
                    let equal = self.equal(x, y);
                    let low = self.both(low.limbs[0], low.inverted, equal, false);
                    self.either(low.limbs[0], low.inverted, here.limbs[0], here.inverted)
                }
            });
        }
        result.unwrap_or_else(|| a.val.clone())
    }

    fn select(&mut self, args: &[Arg]) -> Lanes {
        let c = args[0].val.limbs[0];
        let (mut t, mut e) = (&args[1], &args[2]);
        if args[0].val.inverted {
            (t, e) = (e, t);
        }
        if t.width == 1 && t.val.inverted && e.val.inverted {
            return Lanes::mask(self.blend(c, t.val.limbs[0], e.val.limbs[0]), true);
        }
        if t.width == 1 && (t.is_ones() || e.is_ones()) {
            let (v, x) = if t.is_ones() { (e, false) } else { (t, true) };
            return self.either(c, x, v.val.limbs[0], v.val.inverted);
        }
        let (x, y) = (self.stored(&t.val), self.stored(&e.val));
        let limbs = x.iter().zip(&y).map(|(&x, &y)| {
            if e.is_zero() {
                self.and(x, c)
            } else if t.is_zero() {
                self.and_not(y, c)
            } else if x == y {
                x
            } else {
                self.blend(c, x, y)
            }
        });
        Lanes::new(limbs.collect())
    }

    /// Limbs shifted down by `by`; `fill` comes in from above. Bits of the source above its width are those of `fill`.
    fn down(&mut self, limbs: &[Value], by: u32, fill: Option<Value>) -> Vec<Value> {
        let (skip, shift) = ((by / 32) as usize, by % 32);
        (0..limbs.len())
            .map(|i| {
                let Some(&low) = limbs.get(i + skip) else { return fill.unwrap_or_else(|| self.k(0)) };
                let next = limbs.get(i + skip + 1).copied().or(fill);
                match next {
                    Some(next) if shift != 0 => {
                        let (low, high) = (self.shr(low, shift), self.shl(next, 32 - shift));
                        self.or(low, high)
                    }
                    _ => self.shr(low, shift),
                }
            })
            .collect()
    }

    /// Limbs shifted up, in the same number of limbs.
    fn up(&mut self, limbs: &[Value], by: u32) -> Vec<Value> {
        let (skip, shift) = ((by / 32) as usize, by % 32);
        (0..limbs.len())
            .map(|i| {
                if i < skip {
                    return self.k(0);
                }
                let high = self.shl(limbs[i - skip], shift);
                if shift != 0 && i > skip {
                    let low = self.shr(limbs[i - skip - 1], 32 - shift);
                    self.or(high, low)
                } else {
                    high
                }
            })
            .collect()
    }

    fn slice(&mut self, a: &Arg, lo: u32, width: u32) -> Lanes {
        let source = a.val.limbs.clone();
        if a.width == 1 {
            return a.val.clone();
        }
        if width == 1 {
            return self.bit(source[(lo / 32) as usize], lo % 32);
        }
        let (skip, shift) = ((lo / 32) as usize, lo % 32);
        let limbs = (0..limbs_of(width)).map(|k| {
            let want = (width - 32 * k).min(32);
            let at = skip + k as usize;
            let mut v = self.shr(source[at], shift);
            // Bits that are there after the shift, of those that the source has.
            let mut have = (a.width - 32 * at as u32).min(32) - shift;
            if want > have && shift != 0 {
                let high = self.shl(source[at + 1], 32 - shift);
                v = self.or(v, high);
                have = (a.width - 32 * at as u32 - shift).min(32);
            }
            if want < have {
                v = self.and_k(v, ones(want));
            }
            v
        });
        Lanes::new(limbs.collect())
    }

    fn concat(&mut self, width: u32, args: &[Arg]) -> Lanes {
        let mut out: Vec<Option<Value>> = vec![None; limbs_of(width) as usize];
        let mut at = 0;
        for arg in args.iter().rev() {
            let (limb, shift) = ((at / 32) as usize, at % 32);
            at += arg.width;
            if arg.is_zero() {
                continue;
            }
            let mut put = |s: &mut Self, limb: usize, v: Value| {
                out[limb] = Some(match out[limb] {
                    Some(old) => s.b.ins().bor(old, v),
                    None => v,
                });
            };
            if arg.width == 1 {
                let bit = self.k(1 << shift);
                let v = arg.val.limbs[0];
                let v = if arg.val.inverted { self.and_not(bit, v) } else { self.and(v, bit) };
                put(self, limb, v);
                continue;
            }
            for (i, &v) in arg.val.limbs.iter().enumerate() {
                let low = self.shl(v, shift);
                put(self, limb + i, low);
                let bits = (arg.width - 32 * i as u32).min(32);
                if shift + bits > 32 {
                    let high = self.shr(v, 32 - shift);
                    put(self, limb + i + 1, high);
                }
            }
        }
        let limbs = out.into_iter().map(|v| v.unwrap_or_else(|| self.k(0))).collect();
        self.fit(limbs, width)
    }

    /// Sign-extended to whole limbs, `n` of them at least; bits above the width are copies of the sign.
    fn signed(&mut self, a: &Arg, n: u32) -> Vec<Value> {
        if a.width == 1 {
            let v = self.plain(&a.val);
            return vec![v; n as usize];
        }
        let mut l = a.val.limbs.clone();
        let last = l.len() - 1;
        let spare = 32 - top_bits(a.width);
        let up = self.shl(l[last], spare);
        l[last] = self.sar(up, spare);
        if l.len() < n as usize {
            let fill = self.sar(up, 31);
            l.resize(n as usize, fill);
        }
        l
    }

    fn shift(&mut self, op: &Op, width: u32, value: &Arg, amount: &Arg) -> Lanes {
        let n = limbs_of(width);
        let (v, fill) = if *op == Op::Sar {
            let v = self.signed(value, n);
            let fill = self.sar(v[n as usize - 1], 31);
            (v, Some(fill))
        } else {
            (self.numbers(value), None)
        };
        let moved = |s: &mut Self, v: &[Value], by: u32| match op {
            Op::Shl => s.up(v, by),
            Op::Sar if v.len() == 1 => vec![s.sar(v[0], by.min(31))],
            _ => s.down(v, by, fill),
        };
        let out = if let Some(by) = &amount.constant {
            let by = by.small().unwrap_or(u64::MAX).min(u64::from(width)) as u32;
            if by == width {
                (0..n).map(|_| fill.unwrap_or_else(|| self.k(0))).collect()
            } else {
                moved(self, &v, by)
            }
        } else if n == 1 && *op == Op::Shl && amount.width <= 32 {
            vec![self.power(v[0], amount)]
        } else {
            self.steps((op, width), v, fill, amount, moved)
        };
        if width == 1 {
            return self.fit(out, 1);
        }
        if *op == Op::Shr {
            Lanes::new(out)
        } else {
            self.trim(out, width)
        }
    }

    /// `v << amount` as a product with a power of two, which is made as a floating-point number.
    fn power(&mut self, v: Value, amount: &Arg) -> Value {
        let by = self.numbers(amount)[0];
        let exponent = self.shl(by, 23);
        let bias = self.k(127 << 23);
        let float = self.b.ins().iadd(exponent, bias);
        let flags = MemFlagsData::new().with_endianness(cranelift_codegen::ir::Endianness::Little);
        let float = self.b.ins().bitcast(F32X4, flags, float);
        // 2^31 does not fit and becomes 0x8000_0000, which is what is wanted.
        let power = self.b.ins().x86_cvtt2dq(I32X4, float);
        let shifted = self.b.ins().imul(v, power);
        if amount.width <= 5 {
            return shifted;
        }
        let limit = self.k(32);
        let outside = self.at_least(by, limit);
        self.and_not(shifted, outside)
    }

    /// Shift by an amount that is not known: one step for each bit of it that can matter; any higher bit shifts everything out.
    fn steps(
        &mut self,
        (op, width): (&Op, u32),
        mut v: Vec<Value>,
        fill: Option<Value>,
        amount: &Arg,
        moved: impl Fn(&mut Self, &[Value], u32) -> Vec<Value>,
    ) -> Vec<Value> {
        let by = self.numbers(amount);
        let steps = 32 - (width - 1).leading_zeros();
        for k in 0..steps.min(amount.width) {
            let bit = if amount.width == 1 { self.plain(&amount.val) } else { self.shl(by[0], 31 - k) };
            let m = moved(self, &v, 1 << k);
            v = v.iter().zip(&m).map(|(&x, &y)| self.blend(bit, y, x)).collect();
        }
        if amount.width > steps {
            let mut high = self.shr(by[0], steps);
            for &l in &by[1..] {
                high = self.or(high, l);
            }
            let zero = self.k(0);
            let inside = self.equal(high, zero);
            v = v
                .iter()
                .map(|&x| match fill {
                    Some(fill) if *op == Op::Sar => self.blend(inside, x, fill),
                    _ => self.and(x, inside),
                })
                .collect();
        }
        v
    }

    /// One lane of a value in scalar form.
    fn lane(&mut self, arg: &Arg, lane: u8) -> Operand {
        let limbs = self.stored(&arg.val);
        let words: Vec<Value> = limbs.iter().map(|&l| self.b.ins().extractlane(l, lane)).collect();
        let val = if arg.width == 1 {
            let v = self.b.ins().ireduce(I8, words[0]);
            Val::Narrow(self.b.ins().band_imm_u(v, 1))
        } else if arg.width <= 32 {
            Val::Narrow(words[0])
        } else {
            let whole: Vec<Value> = words
                .chunks(2)
                .map(|pair| {
                    let low = self.b.ins().uextend(I64, pair[0]);
                    let Some(&high) = pair.get(1) else { return low };
                    let high = self.b.ins().uextend(I64, high);
                    let high = self.b.ins().ishl_imm_u(high, 32);
                    self.b.ins().bor(low, high)
                })
                .collect();
            if arg.width <= 64 {
                Val::Narrow(whole[0])
            } else {
                Val::Wide(whole)
            }
        };
        Operand { val, width: arg.width, constant: arg.constant.clone() }
    }

    /// A vector of four scalars.
    pub fn gather(&mut self, lanes: &[Value]) -> Value {
        let mut v = self.b.ins().scalar_to_vector(I32X4, lanes[0]);
        for (i, &lane) in lanes.iter().enumerate().skip(1) {
            v = self.b.ins().insertlane(v, lane, i as u8);
        }
        v
    }

    /// An operation done on each copy by itself.
    fn by_lane(&mut self, op: &Op, width: u32, args: &[Arg]) -> Lanes {
        let mut words: Vec<Vec<Value>> = vec![Vec::new(); limbs_of(width) as usize];
        for lane in 0..LANES as u8 {
            let scalars: Vec<Operand> = args.iter().map(|a| self.lane(a, lane)).collect();
            let whole = match (Ops { b: self.b }).op(op, width, &scalars) {
                Val::Narrow(v) if width == 1 => vec![self.b.ins().uextend(I32, v)],
                Val::Narrow(v) | Val::Pack(v) => vec![v],
                Val::Wide(l) => l,
            };
            for (i, out) in words.iter_mut().enumerate() {
                out.push(if width <= 32 {
                    whole[0]
                } else {
                    let v = self.shr(whole[i / 2], i as u32 % 2 * 32);
                    self.b.ins().ireduce(I32, v)
                });
            }
        }
        let limbs = words.iter().map(|w| self.gather(w)).collect();
        self.fit(limbs, width)
    }

    /// The four word indices of an address, each an `i64` of at most `depth`, times `scale`.
    pub fn indices(&mut self, address: &Arg, depth: u32, scale: u32) -> [Value; LANES as usize] {
        let limbs = self.numbers(address);
        let mut v = limbs[0];
        if address.width >= 32 || (1u64 << address.width) > u64::from(depth) + 1 {
            let limit = self.k(depth);
            v = self.b.ins().umin(v, limit);
            if limbs.len() > 1 {
                let high = self.join(&limbs[1..], |s, x, y| s.b.ins().bor(x, y));
                let zero = self.k(0);
                let inside = self.equal(high, zero);
                v = self.blend(inside, v, limit);
            }
        }
        if scale.is_power_of_two() {
            v = self.shl(v, scale.trailing_zeros());
        } else {
            let scale = self.k(scale);
            v = self.b.ins().imul(v, scale);
        }
        let (low, high) = (self.b.ins().uwiden_low(v), self.b.ins().uwiden_high(v));
        debug_assert_eq!(self.b.func.dfg.value_type(low), I64X2);
        [(low, 0), (low, 1), (high, 0), (high, 1)].map(|(pair, lane)| self.b.ins().extractlane(pair, lane))
    }
}
