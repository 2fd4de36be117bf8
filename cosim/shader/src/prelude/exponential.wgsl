// Exponentials and logarithms. Polynomials are those of Moshier's Cephes library (single precision), evaluated with fma.

fn ql_exp2(x: f32) -> f32 {
    let c = select(clamp(x, -160.0, 160.0), x, x != x);
    let n = ql_round(c);
    let f = c - n;
    let p = fma(fma(fma(fma(fma(fma(1.5353362e-4, f, 1.3398874e-3), f, 9.618437e-3), f, 5.5503325e-2), f, 2.4022648e-1), f, 6.931472e-1), f, 1.0);
    return ql_scale(p, i32(n));
}

fn ql_exp(x: f32) -> f32 {
    let c = select(clamp(x, -110.0, 110.0), x, x != x);
    let n = ql_round(c * 1.442695);
    // ln 2 in two parts; n times the first is exact.
    let r = fma(n, 2.1219444e-4, fma(n, -0.693359375, c));
    let p = fma(fma(fma(fma(fma(1.9875692e-4, r, 1.3981999e-3), r, 8.333452e-3), r, 4.1665796e-2), r, 1.6666665e-1), r, 5.0e-1);
    return ql_scale(fma(p, r * r, r) + 1.0, i32(n));
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

fn ql_log(x: f32) -> f32 {
    let tiny = x < 1.1754944e-38;
    let u = bitcast<u32>(select(x, x * 16777216.0, tiny));
    // x = (1 + t) * 2^k; 0x3F3504F3 is sqrt(1/2).
    let k = bitcast<i32>(u - 0x3F3504F3u) >> 23u;
    let t = bitcast<f32>(u - bitcast<u32>(k << 23u)) - 1.0;
    let e = f32(k - select(0, 24, tiny));
    let y = fma(e, -2.1219444e-4, ql_log_tail(t));
    let r = fma(e, 0.693359375, t + fma(-0.5 * t, t, y));
    return select(ql_log_special(x), r, x > 0.0 && x < ql_infinity());
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

// WGSL: exp2(y * log2(x)). A negative x gives NaN; y = 0 gives 1.
fn ql_pow(x: f32, y: f32) -> f32 {
    return select(ql_exp2(y * ql_log2(x)), 1.0, y == 0.0);
}

fn ql_ldexp(x: f32, n: i32) -> f32 {
    return ql_scale(ql_frexp_fract(x), ql_frexp_exp(x) + clamp(n, -1000, 1000));
}

fn ql_sinh(x: f32) -> f32 {
    let a = abs(x);
    let z = x * x;
    if (a < 1.0) {
        return fma(fma(fma(2.0372191e-4, z, 8.330284e-3), z, 1.6666716e-1) * z, x, x);
    }
    // Half the argument, so that the result overflows only where sinh does.
    let t = ql_exp(0.5 * a);
    let u = ql_exp(-a);
    return ql_copysign(fma(0.5 * t, t, -0.5 * u), x);
}

fn ql_cosh(x: f32) -> f32 {
    let a = abs(x);
    let t = ql_exp(0.5 * a);
    return fma(0.5 * t, t, 0.5 * ql_exp(-a));
}

fn ql_tanh(x: f32) -> f32 {
    let a = abs(x);
    let z = x * x;
    if (a < 0.625) {
        let p = fma(fma(fma(fma(-5.7049887e-3, z, 2.0639089e-2), z, -5.3739716e-2), z, 1.3331442e-1), z, -3.3333282e-1);
        return fma(p * z, x, x);
    }
    return ql_copysign(1.0 - ql_div(2.0, ql_exp(2.0 * a) + 1.0), select(x, 0.0, x != x)) + select(0.0, x, x != x);
}

fn ql_asinh(x: f32) -> f32 {
    let a = abs(x);
    let z = x * x;
    if (a < 0.5) {
        return fma(fma(fma(fma(2.0122003e-2, z, -4.2699341e-2), z, 7.4847586e-2), z, -1.6666288e-1) * z, x, x);
    }
    if (a > 1500.0) {
        return ql_copysign(ql_log(a) + 0.6931472, x);
    }
    return ql_copysign(ql_log(a + ql_sqrt(z + 1.0)), x);
}

fn ql_acosh(x: f32) -> f32 {
    let t = x - 1.0;
    if (t < 0.5) {
        let p = fma(fma(fma(fma(1.7596881e-3, t, -7.5272887e-3), t, 2.6454905e-2), t, -1.1784742e-1), t, 1.4142135);
        return p * ql_sqrt(t);
    }
    if (x > 1500.0) {
        return ql_log(x) + 0.6931472;
    }
    return ql_log(x + ql_sqrt((x + 1.0) * t));
}

fn ql_atanh(x: f32) -> f32 {
    let z = x * x;
    if (abs(x) < 0.5) {
        let p = fma(fma(fma(fma(1.8174008e-1, z, 8.243703e-2), z, 1.4669143e-1), z, 1.9978216e-1), z, 3.3333730e-1);
        return fma(p * z, x, x);
    }
    return 0.5 * ql_log(ql_div(1.0 + x, 1.0 - x));
}

