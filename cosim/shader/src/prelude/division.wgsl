// f32 division and roots for code without the float unit (see software.wgsl).
//
// Division and square root are correctly rounded. The mantissas are brought to [1, 2) or [1, 4); Newton's method gives the
// reciprocal (root), and a last step with the exact residual rounds as Markstein proved ("Computation of elementary functions on the IBM RISC
// System/6000 processor", 1990), given a correctly rounded reciprocal. The exponent is put back with integer arithmetic.

// a / b for a, b in [1, 2). The start is the minimax parabola, within 1 %. Tried for every mantissa: the reciprocal comes out correctly
// rounded; `max` is for b = 2 - 2^-23, the one case that Newton's method does not round up.
fn ql_div_mantissa(a: f32, b: f32) -> f32 {
    var y = fma(b, fma(b, 0.32323232, -1.4545455), 2.1212122);
    y = fma(y, fma(-b, y, 1.0), y);
    y = fma(y, fma(-b, y, 1.0), y);
    y = fma(y, fma(-b, y, 1.0), y);
    y = max(y, 0.50000006);
    let q = a * y;
    return fma(fma(-b, q, a), y, q);
}

fn ql_div(a: f32, b: f32) -> f32 {
    let ua = bitcast<u32>(a);
    let ub = bitcast<u32>(b);
    let ea = extractBits(ua, 23u, 8u);
    let eb = extractBits(ub, 23u, 8u);
    let e = ea - eb;
    // Both normal and the quotient far from overflow and underflow.
    if ((max(ea - 1u, eb - 1u) < 254u) & (e + 125u < 250u)) {
        let q = ql_div_mantissa(bitcast<f32>(insertBits(ua, 127u, 23u, 9u)), bitcast<f32>(insertBits(ub, 127u, 23u, 9u)));
        return bitcast<f32>((bitcast<u32>(q) + (e << 23u)) ^ ((ua ^ ub) & 0x80000000u));
    }
    return ql_div_slow(a, b);
}

// The rest: zeros, infinities, NaN, subnormal operands and results.
fn ql_div_slow(a: f32, b: f32) -> f32 {
    let sign = (bitcast<u32>(a) ^ bitcast<u32>(b)) & 0x80000000u;
    let inf = ql_infinity();
    let aa = abs(a);
    let ab = abs(b);
    if (a != a || b != b || (aa == inf && ab == inf) || (aa == 0.0 && ab == 0.0)) {
        return ql_nan();
    }
    if (aa == inf || ab == 0.0) {
        return bitcast<f32>(bitcast<u32>(inf) | sign);
    }
    if (aa == 0.0 || ab == inf) {
        return bitcast<f32>(sign);
    }
    var ma = 2.0 * ql_frexp_fract(aa);
    let mb = 2.0 * ql_frexp_fract(ab);
    var e = ql_frexp_exp(aa) - ql_frexp_exp(ab);
    var q = ql_div_mantissa(ma, mb);
    if (q < 1.0) {
        q = 2.0 * q;
        ma = 2.0 * ma;
        e = e - 1;
    }
    if (e > 127) {
        return bitcast<f32>(bitcast<u32>(inf) | sign);
    }
    if (e >= -126) {
        return bitcast<f32>((bitcast<u32>(q) + (u32(e) << 23u)) | sign);
    }
    // Subnormal: q in quarters of its last place, moved by the sign of the exact remainder, then rounded once.
    let rest = fma(-q, mb, ma);
    var v = (bitcast<u32>(q) & 0x7FFFFFu | 0x800000u) << 2u;
    v = v + select(0u, 1u, rest > 0.0) - select(0u, 1u, rest < 0.0);
    let shift = u32(min(-126 - e, 27)) + 2u;
    let low = v & ((1u << shift) - 1u);
    let half = 1u << (shift - 1u);
    var r = v >> shift;
    if (low > half || (low == half && (r & 1u) == 1u)) {
        r = r + 1u;
    }
    return bitcast<f32>(r | sign);
}

fn ql_sqrt(x: f32) -> f32 {
    let tiny = x < 1.1754944e-38;
    let u = bitcast<u32>(select(x, x * 16777216.0, tiny));
    // x = m * 2^(2k), m in [1, 4).
    let odd = (~(u >> 23u)) & 1u;
    let k = i32((u >> 23u) - 127u - odd) >> 1u;
    let um = (u & 0x7FFFFFu) | ((127u + odd) << 23u);
    let m = bitcast<f32>(um);
    // g -> sqrt(m), h -> 1 / (2 sqrt(m)).
    let y = bitcast<f32>(0x5F3759DFu - (um >> 1u));
    var g = m * y;
    var h = 0.5 * y;
    var r = fma(-g, h, 0.5);
    g = fma(g, r, g);
    h = fma(h, r, h);
    r = fma(-g, h, 0.5);
    g = fma(g, r, g);
    h = fma(h, r, h);
    r = fma(-g, h, 0.5);
    g = fma(g, r, g);
    h = fma(h, r, h);
    g = fma(fma(-g, g, m), h, g);
    let s = bitcast<f32>(bitcast<u32>(g) + bitcast<u32>(k << 23u));
    let special = select(ql_nan(), x, x == 0.0 || x == ql_infinity());
    return select(special, select(s, s * 0.000244140625, tiny), x > 0.0 && x < ql_infinity());
}

fn ql_inversesqrt(x: f32) -> f32 {
    let tiny = x < 1.1754944e-38;
    let u = bitcast<u32>(select(x, x * 16777216.0, tiny));
    let odd = (~(u >> 23u)) & 1u;
    let k = i32((u >> 23u) - 127u - odd) >> 1u;
    let um = (u & 0x7FFFFFu) | ((127u + odd) << 23u);
    let m = bitcast<f32>(um);
    var y = bitcast<f32>(0x5F3759DFu - (um >> 1u));
    y = fma(0.5 * y, fma(-m * y, y, 1.0), y);
    y = fma(0.5 * y, fma(-m * y, y, 1.0), y);
    y = fma(0.5 * y, fma(-m * y, y, 1.0), y);
    y = fma(0.5 * y, fma(-m * y, y, 1.0), y);
    let s = bitcast<f32>(bitcast<u32>(y) - bitcast<u32>(k << 23u));
    let zero = bitcast<f32>(bitcast<u32>(ql_infinity()) | (bitcast<u32>(x) & 0x80000000u));
    let special = select(select(ql_nan(), 0.0, x == ql_infinity()), zero, x == 0.0);
    return select(special, select(s, s * 4096.0, tiny), x > 0.0 && x < ql_infinity());
}

