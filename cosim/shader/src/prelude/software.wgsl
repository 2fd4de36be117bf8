// What the float unit's instructions do, for code without them (pass name `float-unit` left out). Division and roots are in division.wgsl. The roundings
// and half precision are exact, like the instructions; the rest has errors of its own.

// Rounding to whole numbers. From 2^23 on every f32 is whole; below, i32 holds the truncated value.
fn ql_trunc(x: f32) -> f32 {
    let t = ql_copysign(f32(i32(x)), x);
    return select(x, t, abs(x) < 8388608.0);
}

fn ql_floor(x: f32) -> f32 {
    let t = f32(i32(x));
    let f = select(t, t - 1.0, t > x);
    return select(x, ql_copysign(f, x), abs(x) < 8388608.0);
}

fn ql_ceil(x: f32) -> f32 {
    let t = f32(i32(x));
    let c = select(t, t + 1.0, t < x);
    return select(x, ql_copysign(c, x), abs(x) < 8388608.0);
}

// Half to even: adding and taking away 2^23 rounds as the machine rounds.
fn ql_round(x: f32) -> f32 {
    let r = (abs(x) + 8388608.0) - 8388608.0;
    return select(x, ql_copysign(r, x), abs(x) < 8388608.0);
}

fn ql_fract(x: f32) -> f32 {
    return x - ql_floor(x);
}

// Exponential and logarithm. Polynomials are those of Moshier's Cephes library (single precision), evaluated with fma.
fn ql_exp2(x: f32) -> f32 {
    let c = select(clamp(x, -160.0, 160.0), x, x != x);
    let n = ql_round(c);
    let f = c - n;
    let p = fma(fma(fma(fma(fma(fma(1.5353362e-4, f, 1.3398874e-3), f, 9.618437e-3), f, 5.5503325e-2), f, 2.4022648e-1), f, 6.931472e-1), f, 1.0);
    return ql_scale(p, i32(n));
}

// ln(1 + t) - t + t*t/2 for 1 + t in [sqrt(1/2), sqrt(2)).
fn ql_log_tail(t: f32) -> f32 {
    var p = fma(7.0376836e-2, t, -1.1514610e-1);
    p = fma(p, t, 1.1676999e-1);
    p = fma(p, t, -1.2420141e-1);
    p = fma(p, t, 1.4249323e-1);
    p = fma(p, t, -1.6668058e-1);
    p = fma(p, t, 2.0000715e-1);
    p = fma(p, t, -2.4999994e-1);
    p = fma(p, t, 3.3333331e-1);
    return p * t * (t * t);
}

// What logarithms of zero, infinity, negative numbers and NaN are.
fn ql_log_special(x: f32) -> f32 {
    return select(select(ql_nan(), ql_infinity(), x == ql_infinity()), -ql_infinity(), x == 0.0);
}

fn ql_log2(x: f32) -> f32 {
    let tiny = x < 1.1754944e-38;
    let u = bitcast<u32>(select(x, x * 16777216.0, tiny));
    let k = bitcast<i32>(u - 0x3F3504F3u) >> 23u;
    let t = bitcast<f32>(u - bitcast<u32>(k << 23u)) - 1.0;
    let e = f32(k - select(0, 24, tiny));
    let y = fma(-0.5 * t, t, ql_log_tail(t));
    // log2(e) = 1 + 0.44269504, so that the large part of the product is exact.
    let r = e + (t + (y + fma(t, 0.44269504, y * 0.44269504)));
    return select(ql_log_special(x), r, x > 0.0 && x < ql_infinity());
}

// Sine and cosine. The argument is reduced to [-pi/4, pi/4] by three parts of pi/2 (Cody and Waite) with fma, which is exact enough below 2^23; from
// there on the result is some number in [-1, 1], which WGSL allows outside [-pi, pi]. Polynomials as above.
fn ql_reduce(x: f32, k: f32) -> f32 {
    let r = fma(k, 1.7151245e-15, fma(k, 4.371139e-8, fma(k, -1.5707964, x)));
    return clamp(r, -0.9, 0.9);
}

fn ql_sin_poly(r: f32) -> f32 {
    let z = r * r;
    return fma(fma(fma(-1.9515296e-4, z, 8.332161e-3), z, -1.6666655e-1) * z, r, r);
}

fn ql_cos_poly(r: f32) -> f32 {
    let z = r * r;
    return fma(fma(fma(2.4433157e-5, z, -1.3887316e-3), z, 4.1666646e-2), z * z, fma(-0.5, z, 1.0));
}

// sin(r + quadrant * pi/2); NaN for infinite and NaN arguments.
fn ql_sin_quadrant(x: f32, r: f32, quadrant: i32) -> f32 {
    let v = select(ql_sin_poly(r), ql_cos_poly(r), (quadrant & 1) == 1);
    let s = bitcast<f32>(bitcast<u32>(v) ^ (u32(quadrant & 2) << 30u));
    return select(ql_nan(), s, abs(x) < ql_infinity());
}

fn ql_sin(x: f32) -> f32 {
    let k = ql_round(x * 0.63661975);
    return ql_sin_quadrant(x, ql_reduce(x, k), i32(k));
}

fn ql_cos(x: f32) -> f32 {
    let k = ql_round(x * 0.63661975);
    return ql_sin_quadrant(x, ql_reduce(x, k), i32(k) + 1);
}

// Normalised integers. The scaled number is rounded before the floor, so that a result next to a tie may differ from the instruction's.
fn ql_snorm(x: f32, scale: f32) -> i32 {
    return i32(ql_floor(0.5 + scale * min(max(select(x, 0.0, x != x), -1.0), 1.0)));
}

fn ql_unorm(x: f32, scale: f32) -> u32 {
    return u32(0.5 + scale * min(max(x, 0.0), 1.0));
}

fn ql_from_norm(n: f32, scale: f32) -> f32 {
    return max(ql_div(n, scale), -1.0);
}

fn ql_f2un8(x: f32) -> u32 { return ql_unorm(x, 255.0); }
fn ql_un2f8(n: u32) -> f32 { return ql_from_norm(f32(n & 255u), 255.0); }

fn ql_f2un16(x: f32) -> u32 { return ql_unorm(x, 65535.0); }
fn ql_un2f16(n: u32) -> f32 { return ql_from_norm(f32(n & 65535u), 65535.0); }

fn ql_f2sn8(x: f32) -> u32 { return u32(ql_snorm(x, 127.0)) & 255u; }
fn ql_sn2f8(n: u32) -> f32 { return ql_from_norm(f32(extractBits(bitcast<i32>(n), 0u, 8u)), 127.0); }

fn ql_f2sn16(x: f32) -> u32 { return u32(ql_snorm(x, 32767.0)) & 65535u; }
fn ql_sn2f16(n: u32) -> f32 { return ql_from_norm(f32(extractBits(bitcast<i32>(n), 0u, 16u)), 32767.0); }

// Half precision, made with integer arithmetic, rounded to nearest even.
fn ql_to_f16(x: f32) -> u32 {
    let u = bitcast<u32>(x);
    let a = u & 0x7FFFFFFFu;
    // Adding 1/2 rounds to multiples of 2^-24, the step of subnormal f16.
    let small = bitcast<u32>(abs(x) + 0.5) - 0x3F000000u;
    let normal = (a - 0x38000000u + 0xFFFu + ((a >> 13u) & 1u)) >> 13u;
    let number = select(select(normal, small, a < 0x38800000u), 0x7C00u, a >= 0x477FF000u);
    return select(number | ((u >> 16u) & 0x8000u), 0x7E00u, a > 0x7F800000u);
}

fn ql_upkf16(h: u32) -> f32 {
    let u = (h & 0x7FFFu) << 13u;
    // 2^112 moves the exponent; subnormals come out normal.
    let finite = bitcast<u32>(bitcast<f32>(u) * 5.192297e33);
    let number = select(finite, 0x7F800000u, u == 0x0F800000u) | ((h & 0x8000u) << 16u);
    return bitcast<f32>(select(number, 0x7FC00000u, u > 0x0F800000u));
}

fn ql_pkf16(a: f32, b: f32) -> u32 {
    return ql_to_f16(a) | (ql_to_f16(b) << 16u);
}
