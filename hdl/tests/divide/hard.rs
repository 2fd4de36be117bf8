//! Operands whose exact result lies as near to a rounding boundary as it can, by number theory;
//! random ones come within 2^-20 of one at best.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::bench::Operation;

/// Inverse of an odd number modulo 2^64: each step doubles the number of right bits.
fn inverse(b: u64) -> u64 {
    (0..6).fold(b, |x, _| x.wrapping_mul(2u64.wrapping_sub(b.wrapping_mul(x))))
}

/// f32 of a significand with its leading one and the exponent of that.
fn float(significand: u64, exponent: i32) -> u32 {
    (((exponent + 126) as u32) << 23) + significand as u32
}

/// For an odd divisor b and a small `rest`, dividends a with a * 2^t = m * b + rest. m has as many
/// bits as the result and one more, `lost` fewer than a normal one's 25: a subnormal result that
/// loses so many. With odd m that is a tie but for the rest, with even m a result but for the rest.
pub fn quotients(rng: &mut ChaCha8Rng, count: usize) -> Vec<Operation> {
    let mut found = vec![];
    while found.len() < count {
        let b = rng.random_range(1u64 << 23..1 << 24) | 1;
        let rest = rng.random_range(-9i64..=9);
        let lost = if rng.random() { 0 } else { rng.random_range(1..24) };
        let less: u32 = rng.random_range(0..2);
        let t = 24 - lost + less;
        let residue = (rest.wrapping_neg() as u64).wrapping_mul(inverse(b)) & ((1 << t) - 1);
        for m in [residue, residue + (1 << t)] {
            let product = (m * b) as i64 + rest;
            let a = (product >> t) as u64;
            if m >> (24 - lost) != 1 || product < 0 || a >> 23 != 1 {
                continue;
            }
            assert_eq!((a << t) as i64, product);
            // The result's leading one has exponent ea - eb - less; -126 - lost for a subnormal.
            let (ea, eb) = if lost == 0 {
                (rng.random_range(-60..60), rng.random_range(-60..60))
            } else {
                let eb = rng.random_range(0..100);
                (eb - 126 - lost as i32 + less as i32, eb)
            };
            if ea < -126 {
                continue;
            }
            let sign: u32 = rng.random_range(0..2);
            found.push((false, float(a, ea) | sign << 31, float(b, eb)));
        }
    }
    found
}

/// Radicands S with S * 2^t = m^2 - rest for an odd m of 25 bits: the root is half of m, a tie, but
/// for the rest. rest is 1 modulo 8, so that m^2 = rest has four solutions modulo each power of
/// two; they are lifted from m = 1 modulo 8.
pub fn roots(rng: &mut ChaCha8Rng) -> Vec<Operation> {
    let mut found = vec![];
    for rest in (-1599i64..=1601).step_by(8) {
        for odd in 0..2u32 {
            let t = 25 + odd;
            let root = (3..t).fold(1i64, |m, k| if (m * m - rest) >> k & 1 == 1 { m + (1 << (k - 1)) } else { m });
            let half = 1 << (t - 1);
            for m in [root, -root, root + half, half - root].map(|m| m.rem_euclid(1 << t)) {
                let square = m * m - rest;
                assert_eq!(square & ((1 << t) - 1), 0);
                let significand = square >> t;
                // With an odd exponent the radicand is 2S, so that S * 2^26 is the square.
                if m >> 24 == 1 && significand >> 23 == 1 {
                    let exponent = 2 * rng.random_range(-60..60) + odd as i32;
                    found.push((true, float(significand as u64, exponent), rng.random()));
                }
            }
        }
    }
    found
}

/// Squares, whose root is exact, and their neighbours.
pub fn squares(rng: &mut ChaCha8Rng, count: usize) -> Vec<Operation> {
    let square = |rng: &mut ChaCha8Rng| {
        let root = rng.random_range(1u32..1 << 12) as f32;
        let x = root * root * 2f32.powi(2 * rng.random_range(-60..50));
        (true, x.to_bits().wrapping_add(rng.random_range(0..3)) - 1, rng.random())
    };
    (0..count).map(|_| square(rng)).collect()
}
