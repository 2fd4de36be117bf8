//! The coefficient tables of rcp, rsqrt, exp2, log2, sin and cos, computed as `docs/float.md`
//! ("Coefficients") defines them.
//!
//! Every function is cut into intervals; on each, `C0 + C1*delta + C2*delta^2` with `delta` in
//! [-1, 1) meets the function at the three Chebyshev nodes 0 and +-sqrt(3)/2, which is within a few
//! percent of the best quadratic. All arithmetic is fixed point with 60 fraction bits and series
//! without cancellation, so a value is good to about 2^-55 before it is rounded to units of 2^-28.
//! Wrong if a series stops early or a rounding falls on a tie: `tests/float_tables.rs` compares the
//! result with `docs/float/tables.csv`, which the RTL reads and which is the definition, and
//! asserts the distance to ties.

use std::sync::LazyLock;

/// Fraction bits of the generator's arithmetic.
const Q: u32 = 60;
/// 1.0 in the generator's arithmetic.
const ONE: i128 = 1 << Q;
/// Fraction bits of a coefficient.
pub const COEFFICIENT_FRACTION: u32 = 28;

/// A table: one per tabulated function. `Sin` and `Cos` are two octants, shared by the operations
/// sin and cos.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// 1/m, m = 1 + (i + (1 + delta)/2)/128, 128 intervals.
    Rcp,
    /// 1/sqrt(m) for i < 128 and 1/sqrt(2m) for i >= 128, m as for `Rcp` with i mod 128, 256
    /// intervals.
    Rsqrt,
    /// 2^f, f = (i + (1 + delta)/2)/64, 64 intervals.
    Exp2,
    /// log2(m)/(m - 1), m as for `Rcp` if i < 64 and half of that if i >= 64, 128 intervals.
    Log2,
    /// sin(pi/2 u)/u, u = (i + (1 + delta)/2)/128, 64 intervals.
    Sin,
    /// (1 - cos(pi/2 u))/u, u as for `Sin`, 64 intervals.
    Cos,
}

impl Table {
    /// All tables, in the order of the data file.
    pub const ALL: [Table; 6] = [Table::Rcp, Table::Rsqrt, Table::Exp2, Table::Log2, Table::Sin, Table::Cos];

    /// The name in the data file.
    pub fn name(self) -> &'static str {
        match self {
            Table::Rcp => "rcp",
            Table::Rsqrt => "rsqrt",
            Table::Exp2 => "exp2",
            Table::Log2 => "log2",
            Table::Sin => "sin",
            Table::Cos => "cos",
        }
    }

    /// Number of intervals.
    pub fn intervals(self) -> usize {
        match self {
            Table::Rcp | Table::Log2 => 128,
            Table::Rsqrt => 256,
            Table::Exp2 | Table::Sin | Table::Cos => 64,
        }
    }

    /// The rounded coefficients, one entry per interval; computed at the first use.
    pub fn coefficients(self) -> &'static [Coefficients] {
        &TABLES[self as usize]
    }

    /// The coefficients of interval `i` before they are rounded: C0 (with its bias of one unit),
    /// C1, C2, 60 fraction bits.
    pub fn unrounded(self, i: usize) -> [i128; 3] {
        let constants = &*CONSTANTS;
        let at = |delta: i128| self.value(constants, i as i128, delta);
        let (low, mid, high) = (at(-constants.node), at(0), at(constants.node));
        let bias = 1 << (Q - COEFFICIENT_FRACTION);
        [mid + bias, div(high - low, 2 * constants.node), (high + low - 2 * mid) * 2 / 3]
    }

    fn value(self, k: &Constants, i: i128, delta: i128) -> i128 {
        let position = |i: i128, log2_intervals: u32| ((2 * i + 1) * ONE + delta) >> (log2_intervals + 1);
        match self {
            Table::Rcp => div(ONE, ONE + position(i, 7)),
            Table::Rsqrt => div(ONE, sqrt((ONE + position(i % 128, 7)) << (i / 128))),
            Table::Exp2 => exp(mul(position(i, 6), k.ln2)),
            Table::Log2 => {
                let m = (ONE + position(i, 7)) >> (i / 64);
                div(ln_ratio(m - ONE), k.ln2)
            }
            Table::Sin => mul(k.half_pi, trigonometric(mul(k.half_pi, position(i, 7)), 1)),
            Table::Cos => {
                let x = mul(k.half_pi, position(i, 7));
                mul(mul(k.half_pi, x), trigonometric(x, 2))
            }
        }
    }
}

/// One interval, in units of 2^-28.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coefficients {
    /// Value at the middle of the interval plus one unit, which centres the error of the two
    /// truncated products.
    pub c0: i64,
    /// Factor of delta.
    pub c1: i64,
    /// Factor of delta squared.
    pub c2: i64,
}

struct Constants {
    ln2: i128,
    half_pi: i128,
    /// sqrt(3)/2, the outer Chebyshev node.
    node: i128,
}

static CONSTANTS: LazyLock<Constants> = LazyLock::new(|| Constants {
    ln2: 2 * odd_series(3, 1),
    half_pi: 8 * odd_series(5, -1) - 2 * odd_series(239, -1),
    node: sqrt(3 * ONE) / 2,
});

static TABLES: LazyLock<[Vec<Coefficients>; 6]> = LazyLock::new(|| Table::ALL.map(generate));

fn generate(table: Table) -> Vec<Coefficients> {
    let round = |x: i128| {
        let drop = Q - COEFFICIENT_FRACTION;
        ((x + (1 << (drop - 1))) >> drop) as i64
    };
    let interval = |i| {
        let [c0, c1, c2] = table.unrounded(i).map(round);
        Coefficients { c0, c1, c2 }
    };
    (0..table.intervals()).map(interval).collect()
}

fn mul(a: i128, b: i128) -> i128 {
    (a * b) >> Q
}

fn div(a: i128, b: i128) -> i128 {
    (a << Q) / b
}

fn sqrt(a: i128) -> i128 {
    (a << Q).isqrt()
}

/// atanh(1/n) for sign 1, atan(1/n) for sign -1: 1/n + sign/(3 n^3) + 1/(5 n^5) + ...
fn odd_series(n: i128, sign: i128) -> i128 {
    // 32 more fraction bits than the rest, because the results are multiplied by up to 8.
    let (mut power, mut sum, mut k, mut s) = ((ONE << 32) / n, 0, 1, 1);
    while power != 0 {
        sum += s * power / k;
        power /= n * n;
        k += 2;
        s *= sign;
    }
    (sum + (1 << 31)) >> 32
}

/// e^x for x in [0, 1).
fn exp(x: i128) -> i128 {
    let (mut term, mut sum, mut k) = (ONE, ONE, 1);
    while term != 0 {
        term = mul(term, x) / k;
        sum += term;
        k += 1;
    }
    sum
}

/// ln(1 + z)/z for z in [-1/4, 1/2): with w = z/(2 + z) it is 2/(2 + z) * (1 + w^2/3 + w^4/5 +
/// ...).
fn ln_ratio(z: i128) -> i128 {
    let w = div(z, 2 * ONE + z);
    let (square, mut power, mut sum, mut k) = (mul(w, w), ONE, 0, 1);
    while power != 0 {
        sum += power / k;
        power = mul(power, square);
        k += 2;
    }
    mul(div(2 * ONE, 2 * ONE + z), sum)
}

/// sin(x)/x for n = 1, (1 - cos(x))/x^2 for n = 2: 1/n! - x^2/(n + 2)! + x^4/(n + 4)! - ...
fn trigonometric(x: i128, n: i128) -> i128 {
    let square = mul(x, x);
    let (mut term, mut sum, mut k) = (ONE / n, 0, n);
    while term != 0 {
        sum += term;
        term = -mul(term, square) / ((k + 1) * (k + 2));
        k += 2;
    }
    sum
}
