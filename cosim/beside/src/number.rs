//! Numbers of the arbiter. A formula is written once, over [`Number`]. It is first evaluated with
//! [`Enclosure`]s, which are fast and certain to hold the result. Where an enclosure does not
//! decide, it is evaluated again with [`Exact`] rationals.
//!
//! It can be wrong by an operation whose enclosure misses the result; the tests compare both.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

/// What a formula needs.
pub trait Number: Clone {
    /// A finite f64, exact.
    fn of(x: f64) -> Self;
    /// Sum.
    fn add(&self, other: &Self) -> Self;
    /// Difference.
    fn sub(&self, other: &Self) -> Self;
    /// Product.
    fn mul(&self, other: &Self) -> Self;
    /// Quotient; `None` if the divisor is 0, or may be.
    fn div(&self, other: &Self) -> Option<Self>;
    /// How it compares with 0; `None` if that is not known.
    fn sign(&self) -> Option<Ordering>;
    /// Two f64 that hold it between them.
    fn bounds(&self) -> [f64; 2];
}

/// The next f64 below.
pub fn below(x: f64) -> f64 {
    if x.is_nan() || x == f64::NEG_INFINITY {
        return x;
    }
    if x == 0.0 {
        return -f64::from_bits(1);
    }
    let bits = x.to_bits();
    f64::from_bits(if x > 0.0 { bits - 1 } else { bits + 1 })
}

/// The next f64 above.
pub fn above(x: f64) -> f64 {
    -below(-x)
}

/// Two bounds that hold a number between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Enclosure {
    /// Not above it.
    pub lo: f64,
    /// Not below it.
    pub hi: f64,
}

impl Enclosure {
    /// Between these.
    pub fn new([lo, hi]: [f64; 2]) -> Self {
        if lo.is_nan() || hi.is_nan() {
            return Self { lo: f64::NEG_INFINITY, hi: f64::INFINITY };
        }
        Self { lo, hi }
    }

    /// Of all of these, one unit further out.
    fn around(all: &[f64]) -> Self {
        if all.iter().any(|x| x.is_nan()) {
            return Self::new([f64::NAN; 2]);
        }
        let lo = all.iter().copied().fold(f64::INFINITY, f64::min);
        let hi = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self { lo: below(lo), hi: above(hi) }
    }

    /// Its magnitude.
    pub fn abs(self) -> Self {
        if self.lo >= 0.0 {
            self
        } else if self.hi <= 0.0 {
            Self { lo: -self.hi, hi: -self.lo }
        } else {
            Self { lo: 0.0, hi: self.hi.max(-self.lo) }
        }
    }

    /// The greater of two numbers.
    pub fn max(self, other: Self) -> Self {
        Self { lo: self.lo.max(other.lo), hi: self.hi.max(other.hi) }
    }

    /// The lesser of two numbers.
    pub fn min(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.min(other.hi) }
    }

    /// The root; of what is below 0 that of 0.
    pub fn sqrt(self) -> Self {
        Self { lo: below(self.lo.max(0.0).sqrt()).max(0.0), hi: above(self.hi.max(0.0).sqrt()) }
    }

    /// The least that holds both.
    pub fn hull(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }
}

impl Number for Enclosure {
    fn of(x: f64) -> Self {
        Self { lo: x, hi: x }
    }

    fn add(&self, other: &Self) -> Self {
        Self::new([below(self.lo + other.lo), above(self.hi + other.hi)])
    }

    fn sub(&self, other: &Self) -> Self {
        Self::new([below(self.lo - other.hi), above(self.hi - other.lo)])
    }

    fn mul(&self, other: &Self) -> Self {
        if self.lo == self.hi && other.lo == other.hi && (self.lo == 0.0 || other.lo == 0.0) {
            return Self::of(0.0);
        }
        Self::around(&[self.lo * other.lo, self.lo * other.hi, self.hi * other.lo, self.hi * other.hi])
    }

    fn div(&self, other: &Self) -> Option<Self> {
        if other.lo <= 0.0 && other.hi >= 0.0 {
            return None;
        }
        Some(Self::around(&[self.lo / other.lo, self.lo / other.hi, self.hi / other.lo, self.hi / other.hi]))
    }

    fn sign(&self) -> Option<Ordering> {
        match (self.lo, self.hi) {
            (lo, _) if lo > 0.0 => Some(Ordering::Greater),
            (_, hi) if hi < 0.0 => Some(Ordering::Less),
            (lo, hi) if lo == 0.0 && hi == 0.0 => Some(Ordering::Equal),
            _ => None,
        }
    }

    fn bounds(&self) -> [f64; 2] {
        [self.lo, self.hi]
    }
}

/// A rational.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exact(pub BigRational);

impl Number for Exact {
    fn of(x: f64) -> Self {
        Self(BigRational::from_float(x).unwrap_or_else(|| BigRational::from(BigInt::zero())))
    }

    fn add(&self, other: &Self) -> Self {
        Self(&self.0 + &other.0)
    }

    fn sub(&self, other: &Self) -> Self {
        Self(&self.0 - &other.0)
    }

    fn mul(&self, other: &Self) -> Self {
        Self(&self.0 * &other.0)
    }

    fn div(&self, other: &Self) -> Option<Self> {
        (!other.0.is_zero()).then(|| Self(&self.0 / &other.0))
    }

    fn sign(&self) -> Option<Ordering> {
        let (zero, negative) = (self.0.is_zero(), self.0.is_negative());
        Some(if zero {
            Ordering::Equal
        } else if negative {
            Ordering::Less
        } else {
            Ordering::Greater
        })
    }

    fn bounds(&self) -> [f64; 2] {
        match self.0.to_f64() {
            Some(x) if x.is_finite() && BigRational::from_float(x).as_ref() == Some(&self.0) => [x, x],
            // The conversion rounds; two units hold its error.
            Some(x) if x.is_finite() => [below(below(x)), above(above(x))],
            _ if self.0.is_negative() => [f64::NEG_INFINITY, f64::MIN],
            _ => [f64::MAX, f64::INFINITY],
        }
    }
}

/// The unit in the last place of an f32 of that magnitude.
pub fn ulp32(x: f64) -> f64 {
    let x = x.abs().max(f64::from(f32::MIN_POSITIVE));
    2f64.powi((x.log2().floor() as i32).clamp(-126, 127) - 23)
}

/// That of an f16.
pub fn ulp16(x: f64) -> f64 {
    let x = x.abs().max(2f64.powi(-14));
    2f64.powi((x.log2().floor() as i32).clamp(-14, 15) - 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![-4f64..4.0, -1e30f64..1e30, -1e-30f64..1e-30, Just(0.0), Just(1.0), Just(1.0 / 3.0)]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        /// (a b + c) / (d - a), both ways.
        #[test]
        fn an_enclosure_holds_the_exact_number(a in number(), b in number(), c in number(), d in number()) {
            fn formula<N: Number>([a, b, c, d]: [f64; 4]) -> Option<N> {
                let [a, b, c, d] = [a, b, c, d].map(N::of);
                a.mul(&b).add(&c).div(&d.sub(&a))
            }
            let (Some(near), Some(exact)) = (formula::<Enclosure>([a, b, c, d]), formula::<Exact>([a, b, c, d])) else {
                return Ok(());
            };
            let [lo, hi] = exact.bounds();
            prop_assert!(near.lo <= hi && lo <= near.hi, "{near:?} {lo} {hi}");
            if let Some(sign) = near.sign() {
                prop_assert_eq!(Some(sign), exact.sign());
            }
        }
    }

    #[test]
    fn neighbours_and_units() {
        assert!(below(1.0) < 1.0 && above(1.0) > 1.0 && above(0.0) > 0.0 && below(0.0) < 0.0);
        assert_eq!((ulp32(1.0), ulp32(1.5), ulp32(0.75)), (2f64.powi(-23), 2f64.powi(-23), 2f64.powi(-24)));
        assert_eq!((ulp16(1.0), ulp16(0.0)), (2f64.powi(-10), 2f64.powi(-24)));
    }
}
