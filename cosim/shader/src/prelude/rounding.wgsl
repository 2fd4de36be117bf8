// Parts of a number.

fn ql_copysign(magnitude: f32, sign: f32) -> f32 {
    return bitcast<f32>((bitcast<u32>(magnitude) & 0x7FFFFFFFu) | (bitcast<u32>(sign) & 0x80000000u));
}

// x * 2^n in three factors, each of a normal exponent. Only a subnormal result can be rounded, and that twice if the second product is subnormal already.
fn ql_scale(x: f32, n: i32) -> f32 {
    let m = clamp(n, -300, 300);
    let third = m / 3;
    let rest = m - 2 * third;
    let f = bitcast<f32>(u32(third + 127) << 23u);
    return x * f * f * bitcast<f32>(u32(rest + 127) << 23u);
}

// The exponent of frexp: x = fract * 2^exp with |fract| in [0.5, 1). Zero, infinity and NaN have exponent 0.
fn ql_frexp_exp(x: f32) -> i32 {
    let a = abs(x);
    let tiny = a < 1.1754944e-38;
    let normal = select(a, a * 16777216.0, tiny);
    let e = i32(bitcast<u32>(normal) >> 23u) - select(126, 150, tiny);
    return select(e, 0, a == 0.0 || (bitcast<u32>(x) & 0x7F800000u) == 0x7F800000u);
}

fn ql_frexp_fract(x: f32) -> f32 {
    let a = abs(x);
    let normal = select(x, x * 16777216.0, a < 1.1754944e-38);
    let f = bitcast<f32>((bitcast<u32>(normal) & 0x807FFFFFu) | 0x3F000000u);
    return select(f, x, a == 0.0 || (bitcast<u32>(x) & 0x7F800000u) == 0x7F800000u);
}

