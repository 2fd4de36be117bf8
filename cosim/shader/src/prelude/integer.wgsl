// Integer division. An estimate of 1/b from f32 (Newton's method on a bit-trick start) is refined once in integers to within 2 of
// 2^32/b; the quotient is then at most 2 too small, which two comparisons repair.
fn ql_udiv(a: u32, b: u32) -> u32 {
    let x = f32(b);
    // 0x7EF311C7 - bits(x) is 1/x within 12 %.
    var y = bitcast<f32>(0x7EF311C7u - bitcast<u32>(x));
    y = fma(y, fma(-x, y, 1.0), y);
    y = fma(y, fma(-x, y, 1.0), y);
    y = fma(y, fma(-x, y, 1.0), y);
    // Just below 2^32 / b, so that it cannot overflow.
    var z = u32(y * 4294966784.0);
    z = z + ql_umulhi(z, (0u - b) * z);
    var q = ql_umulhi(a, z);
    var r = a - q * b;
    var over = r >= b;
    q = select(q, q + 1u, over);
    r = select(r, r - b, over);
    over = r >= b;
    q = select(q, q + 1u, over);
    return select(q, a, b == 0u);
}

fn ql_urem(a: u32, b: u32) -> u32 {
    return select(a - ql_udiv(a, b) * b, 0u, b == 0u);
}

// The magnitudes divided, then the sign. The most negative number is its own magnitude as u32, so -2^31 / -1 comes out as -2^31.
fn ql_sdiv(a: i32, b: i32) -> i32 {
    let sign = (a ^ b) >> 31u;
    let q = bitcast<i32>(ql_udiv(bitcast<u32>(abs(a)), bitcast<u32>(abs(b))));
    return (q ^ sign) - sign;
}

fn ql_srem(a: i32, b: i32) -> i32 {
    let sign = a >> 31u;
    let r = bitcast<i32>(ql_urem(bitcast<u32>(abs(a)), bitcast<u32>(abs(b))));
    return (r ^ sign) - sign;
}

