//! rcp, rsqrt, exp2, log2, sin and cos: special values, exact cases, and a sample of what
//! `examples/float_exhaustive.rs` checks for every input (error against f64 functions, order of
//! neighbours).
//!
//! The sample can miss a single bad input; the exhaustive run is the proof, this is the alarm.

use quadlock_golden::float as f;
use quadlock_golden::float::table::Table;

type Function = fn(u32) -> u32;
type Reference = fn(f64) -> f64;
/// Name, function, inputs with their results.
type Cases = (&'static str, Function, &'static [(u32, u32)]);
/// Name, function, reference, bound in ulp.
type Bounded = (&'static str, Function, Reference, f64);

const INFINITY: u32 = 0x7F80_0000;
const SIGN: u32 = 1 << 31;
const NANS: [u32; 4] = [0x7F80_0001, 0x7FC0_0000, 0xFFFF_FFFF, 0xFF80_0001];

fn value(bits: u32) -> f64 {
    f64::from(f32::from_bits(bits))
}

#[test]
fn nan_gives_the_one_nan() {
    for function in [f::rcp, f::rsqrt, f::exp2, f::log2, f::sin, f::cos] as [Function; 6] {
        for nan in NANS {
            assert_eq!(function(nan), f::NAN);
        }
    }
}

#[test]
fn special_values() {
    let cases: [Cases; 6] = [
        (
            "rcp",
            f::rcp,
            &[
                (0, INFINITY),
                (SIGN, SIGN | INFINITY),
                (INFINITY, 0),
                (SIGN | INFINITY, SIGN),
                (0x0020_0000, INFINITY),
                (0x0020_0001, 0x7F7F_FFF8),
                (1, INFINITY),
                (0x7F00_0000, 0x0040_0000),
            ],
        ),
        (
            "rsqrt",
            f::rsqrt,
            &[
                (0, INFINITY),
                (SIGN, SIGN | INFINITY),
                (INFINITY, 0),
                (SIGN | INFINITY, f::NAN),
                (SIGN | 1, f::NAN),
                (0xBF80_0000, f::NAN),
            ],
        ),
        (
            "exp2",
            f::exp2,
            &[
                (0, 0x3F80_0000),
                (SIGN, 0x3F80_0000),
                (1, 0x3F80_0000),
                (SIGN | 1, 0x3F80_0000),
                (INFINITY, INFINITY),
                (SIGN | INFINITY, 0),
                (0x4300_0000, INFINITY),
                (0xC316_0000, 0),
                (0xC315_FFFF, 1),
                (0xC315_0000, 1),
            ],
        ),
        (
            "log2",
            f::log2,
            &[
                (0, SIGN | INFINITY),
                (SIGN, SIGN | INFINITY),
                (INFINITY, INFINITY),
                (SIGN | INFINITY, f::NAN),
                (SIGN | 1, f::NAN),
                (0x3F80_0000, 0),
            ],
        ),
        (
            "sin",
            f::sin,
            &[(0, 0), (SIGN, SIGN), (INFINITY, f::NAN), (SIGN | INFINITY, f::NAN), (1, 1), (SIGN | 1, SIGN | 1)],
        ),
        (
            "cos",
            f::cos,
            &[
                (0, 0x3F80_0000),
                (SIGN, 0x3F80_0000),
                (INFINITY, f::NAN),
                (SIGN | INFINITY, f::NAN),
                (SIGN | 1, 0x3F80_0000),
            ],
        ),
    ];
    for (name, function, pairs) in cases {
        for &(x, expected) in pairs {
            assert_eq!(function(x), expected, "{name}({x:08x})");
        }
    }
}

#[test]
fn powers_of_two_are_exact() {
    for e in -149..=127 {
        let power = |e: i32| (2f64.powi(e) as f32).to_bits();
        let x = power(e);
        assert_eq!(f::rcp(x), power(-e), "rcp 2^{e}");
        assert_eq!(f::rcp(SIGN | x), SIGN | power(-e), "rcp -2^{e}");
        assert_eq!(f::log2(x), (e as f32).to_bits(), "log2 2^{e}");
        assert_eq!(f::exp2((e as f32).to_bits()), x, "exp2 {e}");
        if e % 2 == 0 {
            assert_eq!(f::rsqrt(x), power(-e / 2), "rsqrt 2^{e}");
        }
    }
}

/// Error in ulp of the reference (at least the subnormal unit), absolute error.
fn errors(result: u32, expected: f64) -> (f64, f64) {
    let exponent = (expected.abs().to_bits() >> 52) as i32 - 1023;
    let absolute = (value(result) - expected).abs();
    (absolute / 2f64.powi(exponent.max(-126) - 23), absolute)
}

/// A sample of all finite inputs whose results are finite: a stride that is odd, so that low
/// mantissa bits vary.
#[test]
fn error_is_below_one_ulp() {
    let functions: [Bounded; 4] = [
        ("rcp", f::rcp, |x| 1.0 / x, 0.832),
        ("rsqrt", f::rsqrt, |x| 1.0 / x.sqrt(), 0.673),
        ("exp2", f::exp2, libm::exp2, 0.706),
        ("log2", f::log2, libm::log2, 0.627),
    ];
    for (name, function, reference, bound) in functions {
        let mut worst = 0f64;
        for x in (0..=u32::MAX).step_by(4099) {
            let expected = reference(value(x));
            if expected.is_finite() && (expected as f32).is_finite() {
                let (ulp, _) = errors(function(x), expected);
                assert!(ulp <= bound, "{name}({x:08x}): {ulp} ulp");
                worst = worst.max(ulp);
            }
        }
        assert!(worst > 0.55, "{name}: a maximum of {worst} ulp is too good; is the sample alive?");
    }
}

#[test]
fn sine_and_cosine_everywhere() {
    for x in (0..=u32::MAX).step_by(4099).filter(|x| x & 0x7FFF_FFFF < INFINITY) {
        for (name, function, reference) in
            [("sin", f::sin as Function, libm::sin as Reference), ("cos", f::cos, libm::cos)]
        {
            let (_, absolute) = errors(function(x), reference(value(x)));
            assert!(absolute <= 2f64.powi(-24), "{name}({x:08x}): {absolute:e}");
        }
        assert_eq!(f::sin(x ^ SIGN), f::sin(x) ^ SIGN, "sin is odd");
        assert_eq!(f::cos(x ^ SIGN), f::cos(x), "cos is even");
    }
}

/// Neighbours around each interval boundary of the tables, where two quadratics meet.
#[test]
fn monotonic_where_intervals_meet() {
    let check = |name: &str, function: Function, rising: bool, from: u32, to: u32| {
        for boundary in (from..to).step_by(1 << 16) {
            for x in boundary.max(65)..boundary + 64 {
                let (a, b) = (value(function(x - 1)), value(function(x)));
                assert!(if rising { a <= b } else { a >= b }, "{name}({x:08x})");
            }
        }
    };
    check("rcp", f::rcp, false, 0x3F80_0000, 0x4000_0000);
    check("rsqrt", f::rsqrt, false, 0x3F80_0000, 0x4080_0000);
    check("exp2", f::exp2, true, 0x3D80_0000, 0x4300_0000);
    check("log2", f::log2, true, 0x3F00_0000, 0x4080_0000);
    check("sin", f::sin, true, 0x3980_0000, 0x3FC9_0000);
    check("cos", f::cos, false, 0x3980_0000, 0x4049_0000);
}

/// The page's quadratic, once more: the tests below look at values before they are rounded.
fn quadratic(table: Table, i: usize, d: i64) -> i64 {
    let c = table.coefficients()[i];
    let top = d >> 5;
    c.c0 + ((c.c1 * d) >> 21) + ((c.c2 * ((top * top) >> 16)) >> 16)
}

/// The quadratic at a 23-bit mantissa.
fn at_mantissa(table: Table, half: usize, m: i64) -> i64 {
    quadratic(table, half | (m >> 16) as usize, ((m & 0xFFFF) << 6) - (1 << 21))
}

const MANTISSAS: i64 = 1 << 23;

/// Asserts the order of all neighbours and gives the last value.
fn ordered(name: &str, mut values: impl Iterator<Item = i64>, rising: bool) -> i64 {
    let mut previous = values.next().expect("no range is empty");
    for (n, y) in values.enumerate() {
        assert!(if rising { previous <= y } else { previous >= y }, "{name}, step {n}");
        previous = y;
    }
    previous
}

/// If no unrounded value is out of order, no exponent and no rounding position can bring a reversal
/// about: this covers all 2^32 inputs of rcp, rsqrt and exp2.
#[test]
fn unrounded_values_are_monotonic() {
    let rcp = |m| at_mantissa(Table::Rcp, 0, m);
    assert!(ordered("rcp", (0..MANTISSAS).map(rcp), false) >= rcp(0) / 2);
    let rsqrt = |m: i64| at_mantissa(Table::Rsqrt, (m >> 23 << 7) as usize, m % MANTISSAS);
    assert!(ordered("rsqrt", (0..2 * MANTISSAS).map(rsqrt), false) >= rsqrt(0) / 2);
    let exp2 = |f: i64| quadratic(Table::Exp2, (f >> 21) as usize, ((f & 0x1F_FFFF) << 1 | 1) - (1 << 21));
    assert!(ordered("exp2", (0..1 << 27).map(exp2), true) <= 2 * exp2(0));
}

/// The same for log2: the product T, alone (E = 0) and beside an integer, and the seam at 1.5.
#[test]
fn unrounded_logarithms_are_monotonic() {
    let half = MANTISSAS / 2;
    let distance = |m: i64| if m < half { m << 7 } else { (MANTISSAS - m) << 6 };
    let beside = |m: i64| (distance(m) * at_mantissa(Table::Log2, 0, m)) >> 28;
    // Alone: scaled back to units of 2^-60.
    let alone = |m: i64| {
        let shift = distance(m).leading_zeros() as i64 - 34;
        (((distance(m) << shift) * at_mantissa(Table::Log2, 0, m)) >> 28) << (30 - shift)
    };
    for m in 2..half {
        assert!(beside(m - 1) <= beside(m) && alone(m - 1) <= alone(m), "{m:x}");
    }
    for m in half + 1..MANTISSAS {
        assert!(beside(m - 1) >= beside(m) && alone(m - 1) >= alone(m), "{m:x}");
    }
    assert!(beside(half - 1) <= (1 << 30) - beside(half), "log2 just below 1.5, and at 1.5 as 1 - T");
    assert!(alone(half - 1) >> 30 <= (1 << 30) - beside(half), "the same from E = 0 to E = 1");
    assert!(beside(half - 1) - (1 << 30) <= -(alone(half) >> 30), "and from E = -1 to E = 0");
}

/// What the page says of y: not negative, below 2^29 + 2, and within 3 units of 2^28 where the
/// result is exact.
#[test]
fn quadratic_stays_in_its_width() {
    for table in Table::ALL {
        for i in 0..table.intervals() {
            for d in (-(1 << 21)..1 << 21).step_by(511).chain([(1 << 21) - 1]) {
                let y = quadratic(table, i, d);
                assert!((0..(1 << 29) + 2).contains(&y), "{table:?} {i} {d}: {y}");
            }
        }
        if matches!(table, Table::Rcp | Table::Rsqrt | Table::Exp2) {
            let y = quadratic(table, 0, i64::from(table == Table::Exp2) - (1 << 21));
            assert!((y - (1 << 28)).abs() <= 3, "{table:?}: {y}");
        }
    }
}
