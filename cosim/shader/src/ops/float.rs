//! What the arithmetic of f32 shares: the one NaN, and when a reciprocal is exact.

/// The one NaN that arithmetic produces.
pub const NAN: u32 = 0x7FC0_0000;

/// The bits of an arithmetic result. Rust leaves a computed NaN's bits open and may drop the
/// replacement; behind the barrier it may not.
pub fn canonical(x: f32) -> u32 {
    let bits = std::hint::black_box(x.to_bits());
    if f32::from_bits(bits).is_nan() {
        NAN
    } else {
        bits
    }
}

/// `1 / c` if c is a power of two whose reciprocal is one as well: x / c and x * (1 / c) are then
/// the same real number, rounded once.
pub fn exact_reciprocal(c: u32) -> Option<u32> {
    let r = 1.0 / f32::from_bits(c);
    let power_of_two = |x: f32| {
        let (field, mantissa) = (x.to_bits() >> 23 & 0xFF, x.to_bits() & 0x7F_FFFF);
        (field == 0 && mantissa.is_power_of_two()) || (mantissa == 0 && (1..255).contains(&field))
    };
    (power_of_two(f32::from_bits(c)) && power_of_two(r)).then_some(r.to_bits())
}
