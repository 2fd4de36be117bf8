//! Two-state values of any width, for constants, the reference interpreter, and everything that crosses the API. Little-endian 64-bit limbs; bits
//! at and above the width are always zero (the invariant every operation keeps, and the first thing to suspect when two values that print alike
//! differ). Arithmetic wraps at the width. Division by zero gives zero: Verilog's x, in a two-state world (`docs/rtlsim.md`).

use std::fmt;

/// A two-state value with a width in bits (at least 1).
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bits {
    width: u32,
    limbs: Vec<u64>,
}

/// Number of 64-bit limbs of a value that wide.
pub fn limbs_of(width: u32) -> usize {
    width.div_ceil(64) as usize
}

impl Bits {
    /// All zeros.
    pub fn zero(width: u32) -> Self {
        Self { width, limbs: vec![0; limbs_of(width)] }
    }

    /// All ones.
    pub fn ones(width: u32) -> Self {
        Self::from_limbs(width, &vec![u64::MAX; limbs_of(width)])
    }

    /// The low `width` bits of `value`.
    pub fn new(width: u32, value: u64) -> Self {
        Self::from_limbs(width, &[value])
    }

    /// From limbs, least significant first; missing ones are zero, bits over the width are dropped.
    pub fn from_limbs(width: u32, limbs: &[u64]) -> Self {
        let mut out = Self::zero(width);
        for (o, l) in out.limbs.iter_mut().zip(limbs) {
            *o = *l;
        }
        out.trim();
        out
    }

    /// One bit.
    pub fn bit(value: bool) -> Self {
        Self::new(1, u64::from(value))
    }

    fn trim(&mut self) {
        let used = self.width % 64;
        if used != 0 {
            if let Some(top) = self.limbs.last_mut() {
                *top &= (1u64 << used) - 1;
            }
        }
    }

    /// Width in bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Limbs, least significant first; `limbs_of(width)` of them.
    pub fn limbs(&self) -> &[u64] {
        &self.limbs
    }

    /// The low 64 bits.
    pub fn to_u64(&self) -> u64 {
        self.limbs[0]
    }

    /// The value if it fits 64 bits.
    pub fn small(&self) -> Option<u64> {
        self.limbs[1..].iter().all(|&l| l == 0).then_some(self.limbs[0])
    }

    /// No bit is set.
    pub fn is_zero(&self) -> bool {
        self.limbs.iter().all(|&l| l == 0)
    }

    /// Every bit is set.
    pub fn is_ones(&self) -> bool {
        *self == Self::ones(self.width)
    }

    /// Bit `index`; bits outside are zero.
    pub fn get(&self, index: u32) -> bool {
        index < self.width && self.limbs[(index / 64) as usize] >> (index % 64) & 1 == 1
    }

    /// Sets bit `index` (inside the width).
    pub fn set(&mut self, index: u32, value: bool) {
        let limb = &mut self.limbs[(index / 64) as usize];
        *limb = *limb & !(1 << (index % 64)) | u64::from(value) << (index % 64);
    }

    /// The top bit, as a sign.
    pub fn sign(&self) -> bool {
        self.get(self.width - 1)
    }

    /// Truncated or zero-extended.
    pub fn zext(&self, width: u32) -> Self {
        Self::from_limbs(width, &self.limbs)
    }

    /// Truncated or sign-extended.
    pub fn sext(&self, width: u32) -> Self {
        if width <= self.width || !self.sign() {
            return self.zext(width);
        }
        let low = self.zext(width);
        low.or(&Self::ones(width).shl(u64::from(self.width)))
    }

    /// Bits `lo .. lo + width`; bits past the end are zero.
    pub fn slice(&self, lo: u32, width: u32) -> Self {
        let mut out = Self::zero(width);
        let (skip, shift) = ((lo / 64) as usize, lo % 64);
        for i in 0..out.limbs.len() {
            let low = self.limbs.get(skip + i).copied().unwrap_or(0);
            let high = self.limbs.get(skip + i + 1).copied().unwrap_or(0);
            out.limbs[i] = if shift == 0 { low } else { low >> shift | high << (64 - shift) };
        }
        out.trim();
        out
    }

    /// `self` above, `low` below.
    pub fn concat(&self, low: &Self) -> Self {
        let width = self.width + low.width;
        self.zext(width).shl(u64::from(low.width)).or(&low.zext(width))
    }

    fn map2(&self, other: &Self, f: impl Fn(u64, u64) -> u64) -> Self {
        debug_assert_eq!(self.width, other.width);
        let mut out = self.clone();
        for (o, b) in out.limbs.iter_mut().zip(&other.limbs) {
            *o = f(*o, *b);
        }
        out.trim();
        out
    }

    /// Bitwise complement.
    pub fn not(&self) -> Self {
        self.map2(self, |a, _| !a)
    }

    /// Bitwise and.
    pub fn and(&self, other: &Self) -> Self {
        self.map2(other, |a, b| a & b)
    }

    /// Bitwise or.
    pub fn or(&self, other: &Self) -> Self {
        self.map2(other, |a, b| a | b)
    }

    /// Bitwise exclusive or.
    pub fn xor(&self, other: &Self) -> Self {
        self.map2(other, |a, b| a ^ b)
    }

    /// Sum, wrapping.
    pub fn add(&self, other: &Self) -> Self {
        let mut out = self.clone();
        let mut carry = false;
        for (o, b) in out.limbs.iter_mut().zip(&other.limbs) {
            let (s, c1) = o.overflowing_add(*b);
            let (s, c2) = s.overflowing_add(u64::from(carry));
            *o = s;
            carry = c1 | c2;
        }
        out.trim();
        out
    }

    /// Two's complement.
    pub fn neg(&self) -> Self {
        self.not().add(&Self::new(self.width, 1))
    }

    /// Difference, wrapping.
    pub fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }

    /// Product, wrapping.
    pub fn mul(&self, other: &Self) -> Self {
        let n = self.limbs.len();
        let mut out = Self::zero(self.width);
        for i in 0..n {
            let mut carry = 0u128;
            for j in 0..n - i {
                let t = u128::from(self.limbs[i]) * u128::from(other.limbs[j]) + u128::from(out.limbs[i + j]) + carry;
                out.limbs[i + j] = t as u64;
                carry = t >> 64;
            }
        }
        out.trim();
        out
    }

    /// Unsigned quotient and remainder; both zero for a zero divisor.
    pub fn div_rem(&self, other: &Self) -> (Self, Self) {
        let (mut q, mut r) = (Self::zero(self.width), Self::zero(self.width + 1));
        if other.is_zero() {
            return (q, Self::zero(self.width));
        }
        let divisor = other.zext(self.width + 1);
        for i in (0..self.width).rev() {
            r = r.shl(1);
            r.set(0, self.get(i));
            if !r.ltu(&divisor) {
                r = r.sub(&divisor);
                q.set(i, true);
            }
        }
        (q, r.zext(self.width))
    }

    /// Shifted left by `amount` bits, zeros in; everything is shifted out from the width on.
    pub fn shl(&self, amount: u64) -> Self {
        let mut out = Self::zero(self.width);
        if amount >= u64::from(self.width) {
            return out;
        }
        let (skip, shift) = ((amount / 64) as usize, amount % 64);
        for i in skip..out.limbs.len() {
            let low = if i > skip { self.limbs[i - skip - 1] } else { 0 };
            let high = self.limbs[i - skip];
            out.limbs[i] = if shift == 0 { high } else { high << shift | low >> (64 - shift) };
        }
        out.trim();
        out
    }

    /// Shifted right, zeros in.
    pub fn shr(&self, amount: u64) -> Self {
        if amount >= u64::from(self.width) {
            return Self::zero(self.width);
        }
        self.slice(amount as u32, self.width)
    }

    /// Shifted right, copies of the sign in.
    pub fn sar(&self, amount: u64) -> Self {
        let amount = amount.min(u64::from(self.width));
        let low = self.shr(amount);
        if self.sign() {
            low.or(&Self::ones(self.width).shl(u64::from(self.width) - amount))
        } else {
            low
        }
    }

    /// Unsigned order.
    pub fn ltu(&self, other: &Self) -> bool {
        self.limbs.iter().rev().lt(other.limbs.iter().rev())
    }

    /// Two's complement order.
    pub fn lts(&self, other: &Self) -> bool {
        match (self.sign(), other.sign()) {
            (true, false) => true,
            (false, true) => false,
            _ => self.ltu(other),
        }
    }

    /// Number of bits set.
    pub fn count_ones(&self) -> u32 {
        self.limbs.iter().map(|l| l.count_ones()).sum()
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// As a Verilog literal: `12'h3ff`.
impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}'h", self.width)?;
        let mut leading = true;
        for (i, limb) in self.limbs.iter().enumerate().rev() {
            if !leading {
                write!(f, "{limb:016x}")?;
            } else if *limb != 0 || i == 0 {
                write!(f, "{limb:x}")?;
                leading = false;
            }
        }
        Ok(())
    }
}
