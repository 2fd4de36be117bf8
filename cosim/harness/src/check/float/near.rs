//! The approximated functions: reference, bound, exact cases. The reference is the real function in
//! f64 (crate `libm`, within 1 ulp of f64, which is 2^-29 ulp of f32): it measures the error and
//! decides nothing about a rounding. Bounds are those of docs/float.md.
//!
//! A maximum in ulp is meaningless where a result may be as near to zero as one likes while its
//! error is absolute: for sin it is taken up to pi/2, for cos up to pi/4; the absolute error is
//! taken everywhere. Whether functions are monotonic is the matter of
//! `cosim/golden/examples/float_exhaustive.rs`, which sees all inputs in order.

/// What a result's error must not exceed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Units in the last place of the real result.
    Ulp(f64),
    /// Absolute, for every finite operand; and [`MOST_ULP`] where a unit means something.
    Absolute(f64),
}

/// Bound of every function in units in the last place, up to [`Function::ulp_up_to`].
const MOST_ULP: f64 = 1.0;

/// A function that is approximated.
#[derive(Debug)]
pub struct Function {
    pub reference: fn(f64) -> f64,
    pub bound: Bound,
    /// Largest magnitude for which an error in ulp means something.
    pub ulp_up_to: f64,
    /// Whether the real result of this operand is an f32 that must be hit.
    pub exact: fn(f64) -> bool,
    /// Ranges of operands, as bits, after which the argument reduction repeats itself
    /// (docs/float.md, Measured); end not included.
    pub reduced: &'static [(u32, u32)],
}

/// A normal power of two of either sign.
fn power_of_two(x: f64) -> bool {
    x.to_bits() & ((1 << 52) - 1) == 0 && x != 0.0 && x.is_finite()
}

pub static RCP: Function = Function {
    reference: |x| 1.0 / x,
    bound: Bound::Ulp(MOST_ULP),
    ulp_up_to: f64::INFINITY,
    exact: power_of_two,
    reduced: &[(0x3F80_0000, 0x4000_0000)],
};

pub static RSQRT: Function = Function {
    reference: |x| 1.0 / libm::sqrt(x),
    bound: Bound::Ulp(MOST_ULP),
    ulp_up_to: f64::INFINITY,
    // An even power: its exponent field is odd.
    exact: |x| x > 0.0 && power_of_two(x) && x.to_bits() >> 52 & 1 == 1,
    reduced: &[(0x3F80_0000, 0x4080_0000)],
};

pub static EXP2: Function = Function {
    reference: libm::exp2,
    bound: Bound::Ulp(MOST_ULP),
    ulp_up_to: f64::INFINITY,
    exact: |x| x == x.floor() && x >= -149.0,
    reduced: &[(0x3180_0000, 0x3F80_0000), (0xB180_0000, 0xBF80_0000)],
};

pub static LOG2: Function = Function {
    reference: libm::log2,
    bound: Bound::Ulp(MOST_ULP),
    ulp_up_to: f64::INFINITY,
    exact: |x| x > 0.0 && power_of_two(x),
    reduced: &[(0x3F00_0000, 0x4080_0000)],
};

/// 2^-24: what the page promises of sin and cos for every finite operand is less.
const ANGLE_BOUND: f64 = 1.0 / (1 << 24) as f64;

pub static SIN: Function = Function {
    reference: libm::sin,
    bound: Bound::Absolute(ANGLE_BOUND),
    ulp_up_to: std::f64::consts::FRAC_PI_2,
    // There sin(x) = x, bit for bit: the cube that is missing is below a fifth of a unit.
    exact: |x| x.abs() < 1.0 / (1 << 12) as f64,
    reduced: &[(0x3980_0000, 0x4049_0FDC), (0xBF00_0000, 0xC049_0FDC)],
};

pub static COS: Function = Function {
    reference: libm::cos,
    bound: Bound::Absolute(ANGLE_BOUND),
    ulp_up_to: std::f64::consts::FRAC_PI_4,
    exact: |x| x == 0.0,
    reduced: &[(0x3980_0000, 0x4049_0FDC)],
};

/// What is said of one result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// Within the bound, exact where that is demanded, special values right.
    pub good: bool,
    /// Error in units in the last place; 0 where it means nothing.
    pub ulp: f64,
    /// Error.
    pub absolute: f64,
}

/// One unit in the last place of an f32 of that magnitude, 2^-149 at least.
fn unit(value: f64) -> f64 {
    let exponent = (value.abs().to_bits() >> 52) as i32 - 1023;
    f64::from_bits(((1023 + exponent.max(-126) - 23) as u64) << 52)
}

impl Function {
    /// The f32 nearest to the real result of the operand `a`, as bits.
    pub fn nearest(&self, a: u32) -> u32 {
        let value = (self.reference)(f32::from_bits(a).into()) as f32;
        if value.is_nan() {
            super::oracle::NAN
        } else {
            value.to_bits()
        }
    }

    /// Compares the result `got` of the operand `a`, both as bits.
    pub fn judge(&self, a: u32, got: u32) -> Judgement {
        let x = f64::from(f32::from_bits(a));
        let (expected, value) = ((self.reference)(x), f64::from(f32::from_bits(got)));
        let nearest = expected as f32;
        let only = |good| Judgement { good, ulp: 0.0, absolute: 0.0 };
        if expected.is_nan() || value.is_nan() {
            return only(expected.is_nan() && got == super::oracle::NAN);
        }
        // As bits, so that a zero has its sign.
        if expected == 0.0 || expected.is_infinite() || (self.exact)(x) {
            return only(got == nearest.to_bits());
        }
        // Where the error is absolute, a result next to zero may be on its other side.
        let same = value.is_sign_negative() == expected.is_sign_negative();
        if !same && matches!(self.bound, Bound::Ulp(_)) {
            return only(false);
        }
        if nearest.is_infinite() || value.is_infinite() {
            // Overflow is decided by the rounding: either side is right within an ulp of 2^128.
            let near = expected.abs() < 2f64.powi(128) * (1.0 + 2f64.powi(-23));
            let magnitude = value.abs() >= f64::from(f32::MAX);
            return only(same && magnitude && (near || got == nearest.to_bits()));
        }
        let absolute = (value - expected).abs();
        let ulp = if x.abs() < self.ulp_up_to { absolute / unit(expected) } else { 0.0 };
        let good = match self.bound {
            Bound::Ulp(most) => ulp <= most,
            Bound::Absolute(most) => absolute <= most && ulp <= MOST_ULP,
        };
        Judgement { good, ulp, absolute }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(function: &Function, a: f32, got: f32) -> Judgement {
        function.judge(a.to_bits(), got.to_bits())
    }

    #[test]
    fn errors_are_measured_in_units_of_the_real_result() {
        let third = 1.0f32 / 3.0;
        let good = judged(&RCP, 3.0, third);
        assert!(good.good && (0.3..0.5).contains(&good.ulp), "{good:?}");
        // The real value is between this one and its lower neighbour.
        let worse = judged(&RCP, 3.0, f32::from_bits(third.to_bits() - 1));
        assert!(worse.good && (worse.ulp + good.ulp - 1.0).abs() < 1e-6, "{worse:?}");
        assert!(!judged(&RCP, 3.0, f32::from_bits(third.to_bits() + 1)).good);
    }

    #[test]
    fn exact_cases_and_special_values_are_demanded() {
        assert!(!judged(&EXP2, 3.0, f32::from_bits(8f32.to_bits() - 1)).good);
        assert!(judged(&EXP2, 200.0, f32::INFINITY).good && !judged(&EXP2, 200.0, f32::MAX).good);
        assert!(judged(&RCP, -0.0, f32::NEG_INFINITY).good && !judged(&RCP, -0.0, f32::INFINITY).good);
        assert!(!judged(&RCP, f32::NEG_INFINITY, 0.0).good, "the zero's sign");
        assert!(!judged(&LOG2, -1.0, 0.0).good);
        assert!(!RSQRT.judge(0xBF80_0000, 0x7FC0_0001).good, "another NaN");
        assert!(RSQRT.judge(0xBF80_0000, 0x7FC0_0000).good);
        assert!(judged(&COS, 1e30, libm::cos(f64::from(1e30f32)) as f32).good);
        assert!(!judged(&SIN, 2.0, 0.9).good);
    }

    #[test]
    fn zeros_keep_their_signs() {
        for (function, a, right) in [
            (&SIN, -0.0f32, -0.0f32),
            (&SIN, 0.0, 0.0),
            (&RCP, f32::NEG_INFINITY, -0.0),
            (&RSQRT, f32::INFINITY, 0.0),
            (&LOG2, 1.0, 0.0),
            (&EXP2, f32::NEG_INFINITY, 0.0),
            (&EXP2, -1000.0, 0.0),
            (&EXP2, -152.5, 0.0),
        ] {
            assert!(judged(function, a, right).good, "{a}");
            assert!(!judged(function, a, -right).good, "{a}");
        }
        // Not an exact zero, but the sign is that of the real value.
        assert!(judged(&EXP2, -149.9, f32::from_bits(1)).good && !judged(&EXP2, -149.9, -f32::from_bits(1)).good);
        assert!(!judged(&RCP, f32::NEG_INFINITY, f32::NEG_INFINITY).good);
    }

    #[test]
    fn an_ulp_is_demanded_of_sin_and_cos_too() {
        let next = |x: f32, n: u32| f32::from_bits(x.to_bits() + n);
        // 0.01 has a unit of 2^-30: 2 of them are far below the absolute bound.
        let right = libm::sin(f64::from(0.01f32)) as f32;
        assert!(judged(&SIN, 0.01, right).good && !judged(&SIN, 0.01, next(right, 2)).good);
        let right = libm::cos(f64::from(0.75f32)) as f32;
        assert!(judged(&COS, 0.75, right).good && !judged(&COS, 0.75, next(right, 2)).good);
        let tiny = next(1.0 / 4096.0, 0) - f32::EPSILON / 4096.0;
        for x in [tiny, 1e-20, f32::from_bits(1), -tiny] {
            assert!(judged(&SIN, x, x).good && !judged(&SIN, x, f32::from_bits(x.to_bits() - 1)).good, "{x}");
        }
    }
}
