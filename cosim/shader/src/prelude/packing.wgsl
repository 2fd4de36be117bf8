// Packing and unpacking. What converts one number is an instruction (or its stand-in in software.wgsl), which ignores or clears the other bits.

fn ql_pack4x8snorm(e: vec4<f32>) -> u32 {
    return ql_pack4xu8(vec4<u32>(ql_f2sn8(e.x), ql_f2sn8(e.y), ql_f2sn8(e.z), ql_f2sn8(e.w)));
}

fn ql_pack2x16snorm(e: vec2<f32>) -> u32 {
    return insertBits(ql_f2sn16(e.x), ql_f2sn16(e.y), 16u, 16u);
}

fn ql_unpack4x8snorm(e: u32) -> vec4<f32> {
    return vec4<f32>(ql_sn2f8(e), ql_sn2f8(e >> 8u), ql_sn2f8(e >> 16u), ql_sn2f8(e >> 24u));
}

fn ql_unpack2x16snorm(e: u32) -> vec2<f32> {
    return vec2<f32>(ql_sn2f16(e), ql_sn2f16(e >> 16u));
}

fn ql_pack4x8unorm(e: vec4<f32>) -> u32 {
    return ql_pack4xu8(vec4<u32>(ql_f2un8(e.x), ql_f2un8(e.y), ql_f2un8(e.z), ql_f2un8(e.w)));
}

fn ql_pack2x16unorm(e: vec2<f32>) -> u32 {
    return insertBits(ql_f2un16(e.x), ql_f2un16(e.y), 16u, 16u);
}

fn ql_unpack4x8unorm(e: u32) -> vec4<f32> {
    return vec4<f32>(ql_un2f8(e), ql_un2f8(e >> 8u), ql_un2f8(e >> 16u), ql_un2f8(e >> 24u));
}

fn ql_unpack2x16unorm(e: u32) -> vec2<f32> {
    return vec2<f32>(ql_un2f16(e), ql_un2f16(e >> 16u));
}

fn ql_pack2x16float(e: vec2<f32>) -> u32 {
    return ql_pkf16(e.x, e.y);
}

fn ql_unpack2x16float(e: u32) -> vec2<f32> {
    return vec2<f32>(ql_upkf16(e), ql_upkf16(e >> 16u));
}

fn ql_quantizetof16(x: f32) -> f32 {
    return ql_upkf16(ql_pkf16(x, 0.0));
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

