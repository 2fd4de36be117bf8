// Trigonometry. Polynomials are those of the Cephes library.

fn ql_tan(x: f32) -> f32 {
    return ql_div(ql_sin(x), ql_cos(x));
}

// asin on [-1/2, 1/2].
fn ql_asin_poly(x: f32, z: f32) -> f32 {
    return fma(fma(fma(fma(fma(4.21632e-2, z, 2.4181311e-2), z, 4.5470026e-2), z, 7.4953003e-2), z, 1.6666752e-1) * z, x, x);
}

fn ql_asin(x: f32) -> f32 {
    let a = abs(x);
    let large = a > 0.5;
    let z = select(x * x, 0.5 - 0.5 * a, large);
    let y = select(a, ql_sqrt(z), large);
    let p = ql_asin_poly(y, z);
    return ql_copysign(select(p, fma(-2.0, p, 1.5707964), large), x) + select(0.0, ql_nan(), !(a <= 1.0));
}

fn ql_acos(x: f32) -> f32 {
    let a = abs(x);
    let large = a > 0.5;
    let z = select(x * x, 0.5 - 0.5 * a, large);
    let y = select(x, ql_sqrt(z), large);
    let p = ql_asin_poly(y, z);
    return select(1.5707964 - p, select(2.0 * p, fma(-2.0, p, 3.1415927), x < 0.0), large);
}

// atan on [-tan(pi/8), tan(pi/8)].
fn ql_atan_poly(x: f32) -> f32 {
    let z = x * x;
    return fma(fma(fma(fma(8.0537445e-2, z, -1.3877686e-1), z, 1.9977711e-1), z, -3.333295e-1) * z, x, x);
}

fn ql_atan(x: f32) -> f32 {
    let a = abs(x);
    let large = a > 2.4142137;
    let middle = a > 0.41421357;
    let n = select(select(a, a - 1.0, middle), -1.0, large);
    let d = select(select(1.0, a + 1.0, middle), a, large);
    let base = select(select(0.0, 0.7853982, middle), 1.5707964, large);
    return ql_copysign(base + ql_atan_poly(ql_div(n, d)), x) + select(0.0, x, x != x);
}

fn ql_atan2(y: f32, x: f32) -> f32 {
    let ax = abs(x);
    let ay = abs(y);
    let steep = ay > ax;
    // Halved where the sum of the two could overflow.
    let scale = select(1.0, 0.5, max(ax, ay) > 1.0e38);
    let low = scale * min(ax, ay);
    let high = scale * max(ax, ay);
    let middle = low > 0.41421357 * high;
    let both = ax == ql_infinity() && ay == ql_infinity();
    let n = select(low, low - high, middle);
    let d = select(high, low + high, middle);
    let q = select(ql_div(n, d), 0.0, high == 0.0 || both);
    let a = select(0.0, 0.7853982, middle || both) + ql_atan_poly(q);
    let b = select(a, 1.5707964 - a, steep);
    let c = select(b, 3.1415927 - b, bitcast<i32>(x) < 0);
    return ql_copysign(c, y) + select(0.0, ql_nan(), x != x || y != y);
}

