//! Directed operands where corners and random bits hardly ever fall: quotients and roots next to a
//! rounding boundary, subnormal ties, sums whose sticky bit decides far below, boundaries of the
//! integer formats. Each list is made by solving for the operands, with integers only, and is the
//! same for a seed. Wrong if a construction misses what it aims at: the tests check every vector's
//! distance from its boundary.

use rand::Rng;

const BITS: u32 = 23;
const SIGN: u32 = 1 << 31;

/// significand * 2^exponent as f32, exactly; the significand has at most 24 bits and the value is
/// in range.
fn float(significand: u64, exponent: i32) -> u32 {
    // A normal number has its leading one at bit 23; a subnormal one has exponent -149.
    let lift = (significand.leading_zeros() as i32 - 40).min(exponent + 149);
    let e = exponent - lift;
    let s = if lift >= 0 { significand << lift } else { significand >> -lift };
    debug_assert!(s < 2 << BITS && (lift >= 0 || s << -lift == significand), "{significand} * 2^{exponent} is no f32");
    // The leading one of a normal number adds 1 to the exponent field.
    (((e + 149) as u32) << BITS) + s as u32
}

fn sign(rng: &mut impl Rng) -> u32 {
    rng.random_range(0..2u32) << 31
}

/// An odd significand of 24 bits.
fn odd(rng: &mut impl Rng) -> u64 {
    rng.random_range(1u64 << 23..1 << 24) | 1
}

/// The inverse of an odd number modulo 2^64: Newton's iteration doubles the correct low bits, 3 to
/// begin with.
fn inverse(b: u64) -> u64 {
    (0..5).fold(b, |x, _| x.wrapping_mul(2u64.wrapping_sub(b.wrapping_mul(x))))
}

/// Quotients at a distance of r/b units of the 25th bit from a boundary: a * 2^25 = q * b + r,
/// where q has 25 bits. Odd r gives an odd q, a midpoint of two f32; even r an f32 itself. For a
/// `b` and an `r` there is one q modulo 2^25, kept if it has 25 bits.
fn quotients(count: usize, rng: &mut impl Rng) -> Vec<[u32; 3]> {
    let mut list = Vec::new();
    while list.len() < count {
        let b = odd(rng);
        for r in [1, -1, 2, -2, 3, -3, 4, -4i64] {
            let q = inverse(b).wrapping_mul(r.wrapping_neg() as u64) & ((1 << 25) - 1);
            let a = (q as i64 * b as i64 + r) >> 25;
            if q >> 24 == 1 {
                // Exponent of the quotient: mostly anywhere, sometimes at an end of the normal
                // range. a/b is at least 1/2.
                let d = match rng.random_range(0..4) {
                    0 => rng.random_range(-125..-122),
                    1 => rng.random_range(126..=128),
                    _ => rng.random_range(-120..120),
                };
                let ea = rng.random_range((-126).max(d - 126)..=127.min(d + 127));
                list.push([float(a as u64, ea - 23) ^ sign(rng), float(b, ea - d - 23) ^ sign(rng), 0]);
            }
        }
    }
    list
}

/// Odd factors: one of `k` bits, and one that makes a product of at most 24 bits.
fn factors(k: u32, rng: &mut impl Rng) -> (u64, u64) {
    (rng.random_range(1u64 << (k - 1)..1 << k) | 1, rng.random_range(0..1u64 << (24 - k)) | 1)
}

/// One of the bits and their neighbours: a tie stays one or not.
fn beside(bits: u32, rng: &mut impl Rng) -> u32 {
    (bits + 1).saturating_sub(rng.random_range(0..3))
}

/// Quotients n * 2^-150 with odd n, ties of two subnormal numbers, and neighbours of such.
fn subnormal_quotient(rng: &mut impl Rng) -> [u32; 3] {
    let k = rng.random_range(1..24);
    let (n, b) = factors(k, rng);
    let e = rng.random_range(1..100);
    [beside(float(n * b, e - 150), rng) ^ sign(rng), float(b, e) ^ sign(rng), 0]
}

/// Products n * 2^-150 with odd n likewise.
fn subnormal_product(rng: &mut impl Rng) -> [u32; 3] {
    let k = rng.random_range(1..24);
    let (a, b) = factors(k, rng);
    let e = rng.random_range(-140..-10);
    [beside(float(a, e), rng) ^ sign(rng), float(b, -150 - e) ^ sign(rng), 0]
}

/// Odd factors whose product has 25 bits: a tie of two f32.
fn tied_factors(rng: &mut impl Rng) -> (u64, u64) {
    loop {
        let a = odd(rng) >> rng.random_range(0..24) | 1;
        let b = rng.random_range((1 << 24) / a..(1 << 25) / a + 1) | 1;
        if b >> 24 == 0 && (a * b) >> 24 == 1 {
            return (a, b);
        }
    }
}

fn tied_product(rng: &mut impl Rng) -> [u32; 3] {
    let (a, b) = tied_factors(rng);
    let (ea, eb) = (rng.random_range(-60..30), rng.random_range(-60..30));
    [float(a, ea) ^ sign(rng), float(b, eb) ^ sign(rng), 0]
}

/// Sums a * b + c that hang on the last bit: a tied product and a small c or none; a product that
/// all but cancels against c; a product next to half a unit of c.
fn fused(rng: &mut impl Rng) -> [u32; 3] {
    match rng.random_range(0..3) {
        0 => {
            let [a, b, _] = tied_product(rng);
            // Far enough below the product to do nothing but break the tie.
            let exponent = f32::from_bits(a).abs().log2() + f32::from_bits(b).abs().log2();
            let e = (exponent.floor() as i32 - rng.random_range(34..130)).max(-149);
            let c = if rng.random_range(0..8) == 0 { 0 } else { float(1, e) };
            [a, b, c ^ sign(rng)]
        }
        1 => {
            let (a, b, s) = (odd(rng), odd(rng), sign(rng));
            let drop = 64 - (a * b).leading_zeros() - 24;
            let (ea, eb) = (rng.random_range(-60..30), rng.random_range(-60..30));
            let c = beside(float((a * b) >> drop, ea + eb + drop as i32), rng);
            [float(a, ea) ^ s, float(b, eb), c ^ s ^ SIGN]
        }
        _ => {
            let a = odd(rng);
            let b = (1 << 47) / a + rng.random_range(0..2u64);
            let e = rng.random_range(-60..30);
            // a * b is about 2^47; a unit of c's last place is 2^48 then.
            let c = rng.random_range(1u64 << 23..1 << 24);
            [float(a, e) ^ sign(rng), float(b.min((1 << 24) - 1), -9), float(c, 48 + e - 9) ^ sign(rng)]
        }
    }
}

/// Division: boundaries of normal results, ties of subnormal ones.
pub fn division(rng: &mut impl Rng) -> Vec<[u32; 3]> {
    let mut list = quotients(20_000, rng);
    list.extend((0..10_000).map(|_| subnormal_quotient(rng)));
    list
}

/// Multiplication: ties of subnormal and of normal results.
pub fn multiplication(rng: &mut impl Rng) -> Vec<[u32; 3]> {
    (0..20_000).map(|i| if i % 2 == 0 { subnormal_product(rng) } else { tied_product(rng) }).collect()
}

/// Fused multiply-add: what is hard for the sum and what is hard for the product.
pub fn multiply_add(rng: &mut impl Rng) -> Vec<[u32; 3]> {
    (0..30_000).map(|i| if i % 8 == 0 { subnormal_product(rng) } else { fused(rng) }).collect()
}

/// Distance of four times the operand from an odd square, in units of both, that makes a root hard.
const NEAR: i64 = 1 << 15;

/// The operands whose roots are next to a midpoint of two f32, that is 4 * S * 2^t next to (2k +
/// 1)^2, all of them; then squares and their neighbours.
pub fn square_root(rng: &mut impl Rng) -> Vec<[u32; 3]> {
    let mut list = Vec::new();
    for k in 1i64 << 23..1 << 24 {
        let square = (2 * k + 1) * (2 * k + 1);
        // Roots below 2^23.5 belong to an even exponent of S, the others to an odd one.
        let t = if square >> 49 == 0 { 25 } else { 26 };
        let s = (square + (1 << (t - 1))) >> t;
        if ((s << t) - square).abs() < NEAR && s >> 24 == 0 {
            let e = 2 * rng.random_range(-62..=50) + (t & 1) + 1;
            list.push([float(s as u64, e - 23), 0, 0]);
        }
    }
    for k in 1u64..1 << 12 {
        let e = 2 * rng.random_range(-74..40);
        for neighbour in [0, 1, 2] {
            list.push([(float(k * k, e) + 1).saturating_sub(neighbour), 0, 0]);
        }
    }
    list
}

/// Every exponent with a random fraction cut off at each bit, as a tie and next to it on both
/// sides: roundings, conversions, half precision.
pub fn ties(rng: &mut impl Rng) -> Vec<[u32; 3]> {
    let mut list = Vec::new();
    for exponent in 0..512u32 {
        for bit in 0..BITS {
            let fraction = rng.random::<u32>() & ((1 << BITS) - 1) & !0 << bit | 1 << bit;
            let word = exponent << BITS | fraction;
            list.extend([word.wrapping_sub(1), word, word.wrapping_add(1)].map(|w| [w, 0, 0]));
        }
    }
    list
}

/// The f32 on both sides of each step of an integer format, of both signs: (2n + 1) / (2 * scale).
pub fn steps(scale: u32) -> Vec<[u32; 3]> {
    let mut list = Vec::new();
    for n in 0..scale {
        let near = (((f64::from(n) + 0.5) / f64::from(scale)) as f32).to_bits();
        for word in [near - 1, near, near + 1] {
            list.extend([[word, 0, 0], [word | SIGN, 0, 0]]);
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn rng() -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(3)
    }

    /// Distance of a value from the nearest midpoint of two normal f32, in units of the last place
    /// of an f32.
    fn from_midpoint(value: f64) -> f64 {
        let scaled = value / 2f64.powi(value.log2().floor() as i32 - 23);
        (scaled.fract() - 0.5).abs()
    }

    fn value(bits: u32) -> f64 {
        f64::from(f32::from_bits(bits)).abs()
    }

    #[test]
    fn numbers_are_made_exactly() {
        for bits in [1, 0x7F_FFFF, 0x80_0000, 0x80_0001, 0x3F80_0000, 0x7F7F_FFFF, 0x0100_0000] {
            let exponent: u32 = bits >> 23;
            let (s, e) = match exponent {
                0 => (bits, -149),
                n => (bits & 0x7F_FFFF | 1 << 23, n as i32 - 150),
            };
            assert_eq!(float(s.into(), e), bits, "{bits:08x}");
            assert_eq!(float(u64::from(s) << 4 >> 4, e), bits);
        }
        assert_eq!(float(6, -150), 3, "trailing zeros go");
    }

    #[test]
    fn quotients_are_next_to_boundaries() {
        for [a, b, _] in quotients(2_000, &mut rng()) {
            let distance = from_midpoint(value(a) / value(b));
            assert!(!(1e-6..=0.5 - 1e-6).contains(&distance), "{a:08x} / {b:08x}: {distance}");
        }
    }

    #[test]
    fn subnormal_results_are_ties_or_beside_them() {
        let mut rng = rng();
        let ties = |values: Vec<f64>| {
            let ties = values.iter().filter(|v| (*v * 2f64.powi(149)).fract() == 0.5).count();
            assert!(ties * 4 > values.len(), "{ties} of {}", values.len());
        };
        // In f64 a power of two keeps them exact until they are scaled back.
        ties((0..3_000).map(|_| subnormal_product(&mut rng)).map(|[a, b, _]| value(a) * value(b)).collect());
        ties((0..3_000).map(|_| subnormal_quotient(&mut rng)).map(|[a, b, _]| value(a) / value(b)).collect());
    }

    #[test]
    fn tied_products_are_ties() {
        let mut rng = rng();
        for _ in 0..2_000 {
            let [a, b, _] = tied_product(&mut rng);
            assert_eq!(from_midpoint(value(a) * value(b)), 0.0, "{a:08x} * {b:08x}");
        }
    }

    #[test]
    fn fused_sums_are_next_to_boundaries_or_cancel() {
        let mut rng = rng();
        for _ in 0..2_000 {
            let [a, b, c] = fused(&mut rng).map(|w| f64::from(f32::from_bits(w)));
            let (product, sum) = (a * b, a * b + c);
            let small = sum.abs() < product.abs() * 1e-6;
            let distance = from_midpoint(sum.abs());
            assert!(small || !(1e-3..0.499).contains(&distance), "{a:e} * {b:e} + {c:e}: {distance}");
        }
    }

    #[test]
    fn roots_are_next_to_midpoints() {
        let list = square_root(&mut rng());
        let hard = &list[..list.len() - 3 * 4095];
        assert!(hard.len() > 8_000, "{}", hard.len());
        for [a, ..] in hard {
            assert!(from_midpoint(value(*a).sqrt()) < 0.01, "{a:08x}");
        }
    }
}
