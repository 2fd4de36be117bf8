//! Vectors, matrices, packing, interpolation, derivatives: whole built-in functions on small
//! values.

use super::*;

#[test]
fn matrices() {
    let run = Run::wgsl(
        "@group(0) @binding(0) var<storage, read> m: mat3x3<f32>;
         @group(0) @binding(1) var<storage, read_write> b: array<f32>;
         fn put(at: u32, v: vec3<f32>) { b[at] = v.x; b[at + 1u] = v.y; b[at + 2u] = v.z; }
         @compute @workgroup_size(1) fn main() {
             let v = vec3<f32>(1.0, 2.0, 3.0);
             put(0u, m * v); put(3u, v * m); put(6u, (m * m)[1]); put(9u, transpose(m)[2]);
             b[12] = determinant(m);
             put(13u, (m * 2.0 + m)[0]);
             var l = m; l[1] = v; l[2].y = 9.0;
             var i = 1u; while i < 2u { l[i].x += 5.0; i++; }
             put(16u, l[1]); put(19u, l[2]);
             b[22] = determinant(mat2x2<f32>(1.0, 2.0, 3.0, 4.0));
             b[23] = determinant(mat4x4<f32>(2.0,0.0,1.0,3.0, 1.0,1.0,0.0,2.0, 0.0,5.0,1.0,1.0, 3.0,1.0,2.0,1.0));
             let r = mat2x3<f32>(vec3(1.0, 2.0, 3.0), vec3(4.0, 5.0, 6.0));
             put(24u, r * vec2(10.0, 1.0));
         }",
    );
    // Columns (1 2 3) (4 5 6) (7 8 10), each padded to four words.
    let m = [1.0, 2.0, 3.0, 0.0, 4.0, 5.0, 6.0, 0.0, 7.0, 8.0, 10.0, 0.0];
    let run = run.floats(&m).zeros(27).go();
    let b = run.float_buffer(1);
    assert_eq!(b[0..3], [30.0, 36.0, 45.0]);
    assert_eq!(b[3..6], [14.0, 32.0, 53.0]);
    assert_eq!(b[6..9], [66.0, 81.0, 102.0]);
    assert_eq!(b[9..12], [3.0, 6.0, 10.0]);
    assert_eq!(b[12..16], [-3.0, 3.0, 6.0, 9.0]);
    assert_eq!(b[16..22], [6.0, 2.0, 3.0, 7.0, 9.0, 10.0]);
    assert_eq!(b[22..24], [-2.0, -25.0]);
    assert_eq!(b[24..27], [14.0, 25.0, 36.0]);
}

#[test]
fn geometry_and_interpolation() {
    let run = Run::wgsl(
        "@group(0) @binding(0) var<storage, read> a: array<vec3<f32>>;
         @group(0) @binding(1) var<storage, read_write> b: array<vec4<f32>>;
         @compute @workgroup_size(1) fn main() {
             let v = a[0]; let w = a[1];
             b[0] = vec4(cross(v, w), dot(v, w));
             b[1] = vec4(normalize(vec3(0.0, 3.0, 4.0) + v * 0.0), length(vec2(v.x * 3.0, 4.0)));
             b[2] = vec4(reflect(v, vec3(0.0, 1.0, 0.0)), distance(v, v + vec3(0.0, 2.0, 0.0)));
             b[3] = vec4(mix(v, w, vec3(0.25)), mix(v.x, w.x, 0.5));
             b[4] = vec4(step(vec3(2.0), v), smoothstep(0.0, 2.0, v.x));
             b[5] = vec4(clamp(v, vec3(1.5), vec3(2.5)), saturate(v.z - 2.5));
             b[6] = vec4(faceForward(v, w, vec3(1.0)), fma(v.x, v.y, v.z));
             b[7] = vec4(sign(vec3(-2.0, 0.0, 3.0) * v), degrees(v.x));
             b[8] = vec4(refract(vec3(0.0, -1.0, 0.0) * v.x, vec3(0.0, 1.0, 0.0), 0.5), abs(-v.x));
             b[9] = vec4(v.zxy % vec3(2.0), -7.5 % (v.y * 1.0));
         }",
    );
    let run = run.floats(&[1.0, 2.0, 3.0, 0.0, 4.0, -5.0, 6.0, 0.0]).zeros(40).go();
    let b = run.float_buffer(1);
    assert_eq!(b[0..4], [27.0, 6.0, -13.0, 12.0]);
    assert_eq!(b[4..8], [0.0, 0.6, 0.8, 5.0]);
    assert_eq!(b[8..12], [1.0, -2.0, 3.0, 2.0]);
    assert_eq!(b[12..16], [1.75, 0.25, 3.75, 2.5]);
    assert_eq!(b[16..20], [0.0, 1.0, 1.0, 0.5]);
    assert_eq!(b[20..24], [1.5, 2.0, 2.5, 0.5]);
    assert_eq!(b[24..28], [-1.0, -2.0, -3.0, 5.0]);
    assert_eq!(b[28..32], [-1.0, 0.0, 1.0, 180.0 / std::f32::consts::PI]);
    assert_eq!(b[32..36], [0.0, -1.0, 0.0, 1.0]);
    assert_eq!(b[36..40], [1.0, 1.0, 0.0, -1.5]);
}

#[test]
fn packing() {
    let run = Run::wgsl(
        "@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
         @group(0) @binding(1) var<storage, read_write> u: array<u32>;
         @group(0) @binding(2) var<storage, read_write> f: array<vec4<f32>>;
         @compute @workgroup_size(1) fn main() {
             let v = a[0];
             u[0] = pack4x8snorm(v); u[1] = pack4x8unorm(v); u[2] = pack2x16snorm(v.xy); u[3] = pack2x16unorm(v.xy);
             u[4] = pack2x16float(a[1].xy); u[5] = pack2x16float(a[1].zw);
             u[6] = pack4xI8(vec4<i32>(-1, 2, 300, -4)); u[7] = pack4xU8Clamp(vec4<u32>(1u, 300u, 3u, u[9]));
             u[8] = pack4xI8Clamp(vec4<i32>(-500, 500, i32(u[9]), 7));
             f[0] = unpack4x8snorm(u[0]); f[1] = unpack4x8unorm(u[1]);
             f[2] = vec4(unpack2x16snorm(u[2]), unpack2x16unorm(u[3]));
             f[3] = vec4(unpack2x16float(u[4]), unpack2x16float(u[5]));
             f[4] = vec4<f32>(unpack4xI8(u[6])); f[5] = vec4<f32>(unpack4xU8(u[6]));
             f[6] = vec4(quantizeToF16(v.x * 0.1), quantizeToF16(1e-7), 0.0, 0.0);
         }",
    );
    let v = [1.0, -0.5, 0.25, -2.0];
    let run = run.floats(&[v, [1.0, -2.5, 65520.0, 6.1e-5]].concat()).zeros(10).zeros(28).go();
    let u = run.buffer(1);
    let snorm = |x: f32, s: f32| (0.5 + s * x.clamp(-1.0, 1.0)).floor() as i32;
    assert_eq!(u[0], u32::from_le_bytes(v.map(|x| snorm(x, 127.0) as u8)));
    assert_eq!(u[1], u32::from_le_bytes([255, 0, 64, 0]));
    assert_eq!(u[2], 32767 | (snorm(-0.5, 32767.0) as u32) << 16);
    assert_eq!(u[3], 65535);
    assert_eq!((u[4], u[5]), (0xC100_3C00, 0x03FF_7C00));
    assert_eq!((u[6], u[7], u[8]), (0xFC2C_02FF, 0x0003_FF01, 0x0700_7F80));
    let f = run.float_buffer(2);
    let norm = |x: f32, s: f32| (snorm(x, s) as f32 / s).max(-1.0);
    assert_eq!(f[0..4], [1.0, norm(-0.5, 127.0), norm(0.25, 127.0), -1.0]);
    assert_eq!(f[4..8], [1.0, 0.0, 64.0 / 255.0, 0.0]);
    assert_eq!(f[8..12], [1.0, norm(-0.5, 32767.0), 1.0, 0.0]);
    assert_eq!(f[12..16], [1.0, -2.5, f32::INFINITY, 1023.0 / 16_777_216.0]);
    assert_eq!(f[16..20], [-1.0, 2.0, 44.0, -4.0]);
    assert_eq!(f[20..24], [255.0, 2.0, 44.0, 252.0]);
    assert_eq!(f[24..26], [0.099_975_586, 1.192_092_9e-7]);
}

/// Every f16 and values around every rounding boundary between two of them.
#[test]
fn f16_conversion_is_exact_for_all_values() {
    let run = Run::wgsl(
        "@group(0) @binding(0) var<storage, read_write> b: array<u32>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             let h = id.x;
             let x = unpack2x16float(h).x;
             let next = unpack2x16float(h + 1u).x;
             let half = bitcast<u32>((x + next) * 0.5);
             let tie = pack2x16float(vec2(bitcast<f32>(half), 0.0));
             let above = pack2x16float(vec2(bitcast<f32>(half + 1u), 0.0));
             let below = pack2x16float(vec2(bitcast<f32>(half - 1u), 0.0));
             let even = h + (h & 1u);
             b[h] = u32(pack2x16float(vec2(x, 0.0)) == h) + 2u * u32(tie == even) + 4u * u32(above == h + 1u) + 8u * u32(below == h);
         }",
    );
    let run = run.grid(31 * 1024 / 64, 1, 1).zeros(31 * 1024).go();
    // The last finite number rounds up to infinity at 65520, which (65504 + infinity) / 2 is not.
    assert!(run.buffer(0)[..31 * 1024 - 1].iter().all(|&x| x == 15));
}

#[test]
fn derivatives_within_the_quad() {
    let source = "@group(0) @binding(0) var<storage, read_write> b: array<vec4<f32>>;
         @fragment fn main(@location(0) v: vec2<f32>) -> @location(0) vec4<f32> {
             if v.x > 100.0 { discard; }
             return vec4(dpdx(v.x), dpdy(v.y), fwidth(v.x), dpdxCoarse(v.y));
         }";
    let lowered = compile(source, Lang::Wgsl);
    let text = lowered.module.to_string();
    assert_eq!((text.matches("ddx").count(), text.matches("ddy").count()), (3, 2), "{text}");
    assert_eq!(lowered.interface.stage, crate::interface::Stage::Fragment);
    let names: Vec<&str> = lowered.module.funcs[lowered.entry.index()].slots.iter().map(|s| s.name.as_str()).collect();
    assert!(names.contains(&"in.location0") && names.contains(&"out.location0"), "{names:?}");
}
