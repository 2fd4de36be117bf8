// Exponentials and logarithms of other bases, hyperbolic functions. Polynomials are those of Moshier's Cephes library (single precision), evaluated with fma.

fn ql_exp(x: f32) -> f32 {
    return ql_exp2(x * 1.442695);
}

fn ql_log(x: f32) -> f32 {
    return ql_log2(x) * 0.6931472;
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

