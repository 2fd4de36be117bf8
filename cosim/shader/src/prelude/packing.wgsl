// Packing and unpacking. f16 is made with integer arithmetic, rounded to nearest even.

fn ql_pack4x8snorm(e: vec4<f32>) -> u32 {
    let v = vec4<i32>(ql_snorm(e.x, 127.0), ql_snorm(e.y, 127.0), ql_snorm(e.z, 127.0), ql_snorm(e.w, 127.0));
    return ql_pack4xi8(v);
}

fn ql_snorm(x: f32, scale: f32) -> i32 {
    return i32(ql_floor(0.5 + scale * min(max(x, -1.0), 1.0)));
}

fn ql_unorm(x: f32, scale: f32) -> u32 {
    return u32(0.5 + scale * min(max(x, 0.0), 1.0));
}

fn ql_pack4x8unorm(e: vec4<f32>) -> u32 {
    return ql_unorm(e.x, 255.0) | (ql_unorm(e.y, 255.0) << 8u) | (ql_unorm(e.z, 255.0) << 16u) | (ql_unorm(e.w, 255.0) << 24u);
}

fn ql_pack2x16snorm(e: vec2<f32>) -> u32 {
    return insertBits(u32(ql_snorm(e.x, 32767.0)), u32(ql_snorm(e.y, 32767.0)), 16u, 16u);
}

fn ql_pack2x16unorm(e: vec2<f32>) -> u32 {
    return ql_unorm(e.x, 65535.0) | (ql_unorm(e.y, 65535.0) << 16u);
}

fn ql_unpack4x8snorm(e: u32) -> vec4<f32> {
    let i = bitcast<i32>(e);
    return vec4<f32>(ql_from_norm(f32(extractBits(i, 0u, 8u)), 127.0), ql_from_norm(f32(extractBits(i, 8u, 8u)), 127.0),
        ql_from_norm(f32(extractBits(i, 16u, 8u)), 127.0), ql_from_norm(f32(extractBits(i, 24u, 8u)), 127.0));
}

fn ql_unpack4x8unorm(e: u32) -> vec4<f32> {
    return vec4<f32>(ql_from_norm(f32(e & 255u), 255.0), ql_from_norm(f32(extractBits(e, 8u, 8u)), 255.0),
        ql_from_norm(f32(extractBits(e, 16u, 8u)), 255.0), ql_from_norm(f32(e >> 24u), 255.0));
}

fn ql_unpack2x16snorm(e: u32) -> vec2<f32> {
    let i = bitcast<i32>(e);
    return vec2<f32>(ql_from_norm(f32(extractBits(i, 0u, 16u)), 32767.0), ql_from_norm(f32(extractBits(i, 16u, 16u)), 32767.0));
}

fn ql_unpack2x16unorm(e: u32) -> vec2<f32> {
    return vec2<f32>(ql_from_norm(f32(e & 65535u), 65535.0), ql_from_norm(f32(e >> 16u), 65535.0));
}

fn ql_from_norm(n: f32, scale: f32) -> f32 {
    return max(ql_div(n, scale), -1.0);
}

fn ql_pack4xi8(e: vec4<i32>) -> u32 {
    return ql_pack4xu8(bitcast<vec4<u32>>(e));
}

fn ql_pack4xu8(e: vec4<u32>) -> u32 {
    return insertBits(insertBits(insertBits(e.x, e.y, 8u, 8u), e.z, 16u, 8u), e.w, 24u, 8u);
}

fn ql_pack4xi8clamp(e: vec4<i32>) -> u32 {
    return ql_pack4xi8(clamp(e, vec4<i32>(-128), vec4<i32>(127)));
}

fn ql_pack4xu8clamp(e: vec4<u32>) -> u32 {
    return ql_pack4xu8(min(e, vec4<u32>(255u)));
}

fn ql_unpack4xi8(e: u32) -> vec4<i32> {
    let i = bitcast<i32>(e);
    return vec4<i32>(extractBits(i, 0u, 8u), extractBits(i, 8u, 8u), extractBits(i, 16u, 8u), extractBits(i, 24u, 8u));
}

fn ql_unpack4xu8(e: u32) -> vec4<u32> {
    return vec4<u32>(e & 255u, extractBits(e, 8u, 8u), extractBits(e, 16u, 8u), e >> 24u);
}

fn ql_to_f16(x: f32) -> u32 {
    let u = bitcast<u32>(x);
    let a = u & 0x7FFFFFFFu;
    // Adding 1/2 rounds to multiples of 2^-24, the step of subnormal f16.
    let small = bitcast<u32>(abs(x) + 0.5) - 0x3F000000u;
    let normal = (a - 0x38000000u + 0xFFFu + ((a >> 13u) & 1u)) >> 13u;
    let number = select(select(normal, small, a < 0x38800000u), 0x7C00u, a >= 0x477FF000u);
    return select(number, 0x7E00u, a > 0x7F800000u) | ((u >> 16u) & 0x8000u);
}

fn ql_from_f16(h: u32) -> f32 {
    let u = (h & 0x7FFFu) << 13u;
    // 2^112 moves the exponent; subnormals come out normal.
    let finite = bitcast<u32>(bitcast<f32>(u) * 5.192297e33);
    return bitcast<f32>(select(finite, u | 0x7F800000u, u >= 0x0F800000u) | ((h & 0x8000u) << 16u));
}

fn ql_pack2x16float(e: vec2<f32>) -> u32 {
    return ql_to_f16(e.x) | (ql_to_f16(e.y) << 16u);
}

fn ql_unpack2x16float(e: u32) -> vec2<f32> {
    return vec2<f32>(ql_from_f16(e & 0xFFFFu), ql_from_f16(e >> 16u));
}

fn ql_quantizetof16(x: f32) -> f32 {
    return ql_from_f16(ql_to_f16(x));
}

