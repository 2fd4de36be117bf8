//! Two-state values of any width, for constants, the reference interpreter, and everything that
//! crosses the API. Little-endian 64-bit limbs; bits at and above the width are always zero (the
//! invariant every operation keeps, and the first thing to suspect when two values that print alike
//! differ). Arithmetic wraps at the width. Division by zero gives zero: Verilog's x, in a two-state
//! world (`docs/rtlsim/language.md`).

use std::fmt;

use serde::{Deserialize, Serialize};

/// A two-state value with a width in bits (at least 1).
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

    /// Signed quotient, truncated towards zero, and remainder with the dividend's sign; both zero
    /// for a zero divisor.
    pub fn div_rem_signed(&self, other: &Self) -> (Self, Self) {
        let magnitude = |v: &Self| if v.sign() { v.neg() } else { v.clone() };
        let (q, r) = magnitude(self).div_rem(&magnitude(other));
        let negate = |v: Self, yes: bool| if yes { v.neg() } else { v };
        (negate(q, self.sign() != other.sign()), negate(r, self.sign()))
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(width: u32) -> impl Strategy<Value = Bits> {
        let limb = prop_oneof![any::<u64>(), Just(0), Just(u64::MAX), 0..4u64];
        proptest::collection::vec(limb, limbs_of(width)).prop_map(move |l| Bits::from_limbs(width, &l))
    }

    fn pair() -> impl Strategy<Value = (Bits, Bits)> {
        (1..200u32).prop_flat_map(|w| (value(w), value(w)))
    }

    /// Bit by bit, least significant first.
    fn string(v: &Bits) -> Vec<bool> {
        (0..v.width()).map(|i| v.get(i)).collect()
    }

    proptest! {
        #[test]
        fn arithmetic_of_up_to_128_bits((w, a, b) in (1..128u32, any::<u128>(), any::<u128>())) {
            let mask = u128::MAX >> (128 - w);
            let (a, b) = (a & mask, b & mask);
            let of = |v: u128| Bits::from_limbs(w, &[v as u64, (v >> 64) as u64]);
            prop_assert_eq!(of(a).add(&of(b)), of(a.wrapping_add(b)));
            prop_assert_eq!(of(a).sub(&of(b)), of(a.wrapping_sub(b)));
            prop_assert_eq!(of(a).mul(&of(b)), of(a.wrapping_mul(b)));
            prop_assert_eq!(of(a).div_rem(&of(b)).0, of(a.checked_div(b).unwrap_or(0)));
            prop_assert_eq!(of(a).div_rem(&of(b)).1, of(a.checked_rem(b).unwrap_or(0)));
            let signed = |v: u128| ((v << (128 - w)) as i128) >> (128 - w);
            let (sa, sb) = (signed(a), signed(b));
            let quotient = if b == 0 { 0 } else { sa.wrapping_div(sb) };
            let remainder = if b == 0 { 0 } else { sa.wrapping_rem(sb) };
            prop_assert_eq!(of(a).div_rem_signed(&of(b)), (of(quotient as u128), of(remainder as u128)));
            prop_assert_eq!(of(a).lts(&of(b)), sa < sb);
            prop_assert_eq!(of(a).ltu(&of(b)), a < b);
        }

        #[test]
        fn shifts_and_slices((a, amount) in (1..200u32).prop_flat_map(|w| (value(w), 0..2 * u64::from(w)))) {
            let (bits, n) = (string(&a), amount as usize);
            let at = |i: usize| bits.get(i).copied();
            let left: Vec<bool> = (0..bits.len()).map(|i| i >= n && bits[i - n]).collect();
            let right: Vec<bool> = (0..bits.len()).map(|i| at(i + n).unwrap_or(false)).collect();
            let arithmetic: Vec<bool> = (0..bits.len()).map(|i| at(i + n).unwrap_or(a.sign())).collect();
            prop_assert_eq!(string(&a.shl(amount)), left);
            prop_assert_eq!(string(&a.shr(amount)), right.clone());
            prop_assert_eq!(string(&a.sar(amount)), arithmetic);
            prop_assert_eq!(string(&a.slice(amount as u32, a.width())), right);
        }

        #[test]
        fn logic_and_resizing((a, b) in pair(), more in 1..150u32) {
            let w = a.width() as usize;
            let each = |f: fn(bool, bool) -> bool| -> Vec<bool> { (0..w).map(|i| f(string(&a)[i], string(&b)[i])).collect() };
            prop_assert_eq!(string(&a.and(&b)), each(|a, b| a & b));
            prop_assert_eq!(string(&a.or(&b)), each(|a, b| a | b));
            prop_assert_eq!(string(&a.xor(&b)), each(|a, b| a ^ b));
            prop_assert_eq!(string(&a.not()), each(|a, _| !a));
            prop_assert_eq!(a.add(&a.neg()), Bits::zero(a.width()));
            let joined = a.concat(&b);
            prop_assert_eq!((joined.slice(a.width(), a.width()), joined.slice(0, a.width())), (a.clone(), b.clone()));
            prop_assert_eq!(a.sext(a.width() + more).sar(u64::from(a.width())).is_ones(), a.sign());
            prop_assert_eq!(a.sext(a.width() + more).zext(a.width()), a.clone());
            prop_assert_eq!(a.zext(a.width() + more).small(), a.small());
        }
    }

    #[test]
    fn display() {
        assert_eq!(Bits::new(12, 0x3ff).to_string(), "12'h3ff");
        assert_eq!(Bits::from_limbs(100, &[1, 2]).to_string(), "100'h20000000000000001");
        assert_eq!(Bits::zero(3).to_string(), "3'h0");
    }
}
