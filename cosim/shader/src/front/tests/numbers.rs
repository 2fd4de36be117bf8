//! Exact operations against references, bit for bit: division, square root, rounding, integers.
//! Inputs are fixed corner values and bit patterns from a seeded generator. `accuracy` has the
//! functions that are not exact.

use super::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub(super) const CORNERS: [f32; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1.5,
    2.5,
    -0.49999997,
    3.0,
    8388607.5,
    8388608.0,
    16777216.0,
    -2147483648.0,
    f32::MIN_POSITIVE,
    1.1754942e-38,
    1e-45,
    -1e-45,
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

pub(super) fn random_bits(count: usize, seed: u64) -> Vec<f32> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| f32::from_bits(rng.random())).collect()
}

pub(super) fn uniform(count: usize, low: f32, high: f32, seed: u64) -> Vec<f32> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| low + (high - low) * rng.random::<f32>()).collect()
}

/// `expression` of x (and y) for every pair of inputs.
pub(super) fn apply(expression: &str, x: &[f32], y: &[f32]) -> Vec<f32> {
    let source = format!(
        "@group(0) @binding(0) var<storage, read> a: array<f32>;
         @group(0) @binding(1) var<storage, read> b: array<f32>;
         @group(0) @binding(2) var<storage, read_write> c: array<f32>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
             let i = id.x; if i >= arrayLength(&a) {{ return; }}
             let x = a[i]; let y = b[i]; c[i] = {expression};
         }}"
    );
    let run = Run::wgsl(&source).grid(x.len().div_ceil(64) as u32, 1, 1);
    run.floats(x).floats(y).zeros(x.len()).go().float_buffer(2)
}

pub(super) fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

pub(super) fn exact(expression: &str, x: &[f32], y: &[f32], reference: impl Fn(f32, f32) -> f32) {
    for ((&x, &y), seen) in x.iter().zip(y).zip(apply(expression, x, y)) {
        let expected = reference(x, y);
        assert!(same(seen, expected), "{expression} for x={x:e} y={y:e}: {seen:e}, expected {expected:e}");
    }
}

#[test]
fn division_is_correctly_rounded() {
    let mut x = random_bits(4000, 1);
    let mut y = random_bits(4000, 2);
    for a in CORNERS {
        for b in CORNERS {
            x.push(a);
            y.push(b);
        }
    }
    // Quotients near the subnormal range, and divisors with a mantissa of ones.
    for (i, bits) in random_bits(3000, 3).into_iter().enumerate() {
        let b = f32::from_bits(bits.to_bits() & 0x00FF_FFFF | 0x7E00_0000);
        x.push(f32::from_bits(bits.to_bits() >> 8 | 0x0200_0000));
        y.push(b);
        x.push(bits);
        y.push(f32::from_bits(0x3FFF_FFFF - (i as u32 & 1)));
    }
    exact("x / y", &x, &y, |x, y| x / y);
}

#[test]
fn square_root_is_correctly_rounded() {
    let x = [random_bits(4000, 4).as_slice(), &CORNERS].concat();
    let x: Vec<f32> = x.iter().flat_map(|&x| [x, x.abs()]).collect();
    exact("sqrt(x)", &x, &x, |x, _| x.sqrt());
}

#[test]
fn rounding_is_exact_for_all_magnitudes() {
    let x =
        [random_bits(1000, 5).as_slice(), &uniform(1000, -70000.0, 70000.0, 6), &uniform(500, -3.0, 3.0, 7), &CORNERS]
            .concat();
    exact("floor(x)", &x, &x, |x, _| x.floor());
    exact("ceil(x)", &x, &x, |x, _| x.ceil());
    exact("trunc(x)", &x, &x, |x, _| x.trunc());
    exact("round(x)", &x, &x, |x, _| x.round_ties_even());
    exact("fract(x)", &x, &x, |x, _| x - x.floor());
}

#[test]
fn frexp_modf_and_ldexp_are_exact() {
    let x = [random_bits(500, 8).as_slice(), &CORNERS[..19]].concat();
    let x: Vec<f32> = x.into_iter().filter(|x| x.is_finite()).collect();
    exact("frexp(x).fract * 4.0", &x, &x, |x, _| {
        let (mut x, mut n) = (f64::from(x), 0);
        while x != 0.0 && x.abs() < 0.5 {
            x *= 2.0;
            n += 1;
        }
        while x.abs() >= 1.0 {
            x *= 0.5;
            n -= 1;
        }
        let _ = n;
        (x * 4.0) as f32
    });
    exact("ldexp(frexp(x).fract, frexp(x).exp)", &x, &x, |x, _| x);
    let of_both = [-5.0, -0.0, 5.0, 0.0, -0.25, 3.5, -1e9];
    exact("modf(x).fract", &of_both, &of_both, |x, _| x.fract().copysign(x));
    exact("modf(x).whole", &of_both, &of_both, |x, _| x.trunc().copysign(x));
    exact("modf(x).fract + modf(x).whole", &x, &x, |x, _| x.fract().copysign(x) + x.trunc());
    let n = uniform(x.len(), -300.0, 300.0, 9);
    exact("ldexp(x, i32(y))", &x, &n, |x, y| {
        // f64 holds the product exactly down to 2^-450 and rounds once.
        let n = y as i32;
        (f64::from(x) * 2f64.powi(n)) as f32
    });
}

/// `expression` of the u32 values p and q.
fn integers(expression: &str, p: &[u32], q: &[u32]) -> Vec<u32> {
    let source = format!(
        "@group(0) @binding(0) var<storage, read> a: array<u32>;
         @group(0) @binding(1) var<storage, read> b: array<u32>;
         @group(0) @binding(2) var<storage, read_write> c: array<u32>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
             let i = id.x; if i >= arrayLength(&a) {{ return; }}
             let p = a[i]; let q = b[i]; let sp = bitcast<i32>(p); let sq = bitcast<i32>(q); c[i] = u32({expression});
         }}"
    );
    let run = Run::wgsl(&source).grid(p.len().div_ceil(64) as u32, 1, 1);
    run.words(p).words(q).zeros(p.len()).go().buffers.swap_remove(2)
}

const INTEGERS: [u32; 14] =
    [0, 1, 2, 3, 7, 10, 255, 65535, 65536, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF_FFFE, 0xFFFF_FFFF];

fn integer_pairs(seed: u64) -> (Vec<u32>, Vec<u32>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut p, mut q) = (vec![], vec![]);
    for a in INTEGERS {
        for b in INTEGERS {
            p.push(a);
            q.push(b);
        }
    }
    for i in 0..4000u32 {
        let b = rng.random::<u32>() >> (i % 32);
        let multiple = b.wrapping_mul(rng.random::<u32>() >> (i / 32 % 32));
        p.push(if i % 3 == 0 { rng.random() } else { multiple.wrapping_sub(i % 3 - 1) });
        q.push(b);
    }
    (p, q)
}

#[test]
fn integer_division_follows_wgsl() {
    let (p, q) = integer_pairs(40);
    let check = |expression: &str, reference: &dyn Fn(u32, u32) -> u32| {
        for ((&p, &q), seen) in p.iter().zip(&q).zip(integers(expression, &p, &q)) {
            assert_eq!(seen, reference(p, q), "{expression} for {p:#x} {q:#x}");
        }
    };
    check("p / q", &|p, q| p.checked_div(q).unwrap_or(p));
    check("p % q", &|p, q| p.checked_rem(q).unwrap_or(0));
    check("sp / sq", &|p, q| if q == 0 { p } else { (p as i32).wrapping_div(q as i32) as u32 });
    check("sp % sq", &|p, q| if q == 0 { 0 } else { (p as i32).wrapping_rem(q as i32) as u32 });
}

#[test]
fn integer_division_by_constants() {
    let (p, q) = integer_pairs(41);
    for d in [1u32, 2, 3, 5, 7, 10, 16, 641, 1000, 65537, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF] {
        for (op, f) in [("/", u32::wrapping_div as fn(u32, u32) -> u32), ("%", u32::wrapping_rem)] {
            let expression = format!("p {op} {d}u");
            for (&p, seen) in p.iter().zip(integers(&expression, &p, &q)) {
                assert_eq!(seen, f(p, d), "{p} {op} {d}");
            }
        }
    }
    for d in [1i32, -1, 2, -2, 3, -7, 10, 1000, -65536, i32::MAX] {
        for (op, f) in [("/", i32::wrapping_div as fn(i32, i32) -> i32), ("%", i32::wrapping_rem)] {
            let expression = format!("sp {op} ({d})");
            for (&p, seen) in p.iter().zip(integers(&expression, &p, &q)) {
                assert_eq!(seen as i32, f(p as i32, d), "{} {op} {d}", p as i32);
            }
        }
    }
}

#[test]
fn bit_functions() {
    let (p, q) = integer_pairs(42);
    let check = |expression: &str, reference: &dyn Fn(u32, u32) -> u32| {
        for ((&p, &q), seen) in p.iter().zip(&q).zip(integers(expression, &p, &q)) {
            assert_eq!(seen, reference(p, q), "{expression} for {p:#x} {q:#x}");
        }
    };
    check("countOneBits(p)", &|p, _| p.count_ones());
    check("countLeadingZeros(p)", &|p, _| p.leading_zeros());
    check("countTrailingZeros(p)", &|p, _| p.trailing_zeros());
    check("reverseBits(p)", &|p, _| p.reverse_bits());
    check("firstLeadingBit(p)", &|p, _| 31u32.wrapping_sub(p.leading_zeros()));
    check("firstLeadingBit(sp)", &|p, _| {
        let p = p ^ ((p as i32) >> 31) as u32;
        31u32.wrapping_sub(p.leading_zeros())
    });
    check("firstTrailingBit(p)", &|p, _| if p == 0 { u32::MAX } else { p.trailing_zeros() });
    let extract = |x: u64, q: u32| {
        let offset = (q & 63).min(32);
        let count = (q >> 8 & 63).min(32 - offset);
        (x >> offset & ((1u64 << count) - 1), count)
    };
    check("extractBits(p, q & 63u, (q >> 8u) & 63u)", &|p, q| extract(u64::from(p), q).0 as u32);
    check("extractBits(sp, q & 63u, (q >> 8u) & 63u)", &|p, q| {
        let (field, count) = extract(u64::from(p), q);
        if count == 0 {
            0
        } else {
            ((field << (64 - count)) as i64 >> (64 - count)) as u32
        }
    });
    check("insertBits(p, ~q, q & 63u, (q >> 8u) & 63u)", &|p, q| {
        let offset = (q & 63).min(32);
        let count = (q >> 8 & 63).min(32 - offset);
        let mask = ((1u64 << count) - 1) << offset;
        (u64::from(p) & !mask | u64::from(!q) << offset & mask) as u32
    });
    check("extractBits(p, 3u, 7u) + insertBits(p, q, 30u, 9u)", &|p, q| {
        (p >> 3 & 127).wrapping_add(p & 0x3FFF_FFFF | q << 30)
    });
    check("p << (q & 31u) ^ p >> (q & 31u) ^ u32(sp >> (q & 31u))", &|p, q| {
        let n = q & 31;
        p << n ^ p >> n ^ ((p as i32) >> n) as u32
    });
    check(
        "min(p, q) ^ max(sp, sq) ^ clamp(sp, -5, 5) ^ abs(sp) ^ sign(sp)"
            .replace("min(p, q)", "i32(min(p, q))")
            .as_str(),
        &|p, q| {
            let (sp, sq) = (p as i32, q as i32);
            p.min(q) ^ (sp.max(sq) ^ sp.clamp(-5, 5) ^ sp.wrapping_abs() ^ sp.signum()) as u32
        },
    );
    check("dot4I8Packed(p, q) + i32(dot4U8Packed(p, q))", &|p, q| {
        let (a, b) = (p.to_le_bytes(), q.to_le_bytes());
        let s: i32 = a.iter().zip(b).map(|(&x, y)| i32::from(x as i8) * i32::from(y as i8)).sum();
        let u: u32 = a.iter().zip(b).map(|(&x, y)| u32::from(x) * u32::from(y)).sum();
        (s as u32).wrapping_add(u)
    });
}
