//! Values, control flow, memory layouts, built-in inputs.

use super::*;

#[test]
fn global_ids_and_arithmetic() {
    let run = Run::wgsl(
        "@group(0) @binding(0) var<storage, read> a: array<u32>;
         @group(0) @binding(1) var<storage, read_write> b: array<u32>;
         @compute @workgroup_size(4, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             let i = id.y * 8u + id.x;
             b[i] = a[i] * 3u + (i << 1u) - 1u;
         }",
    );
    let input: Vec<u32> = (0..32).map(|i| i * 77).collect();
    let run = run.grid(2, 2, 1).words(&input).zeros(32).go();
    let expected: Vec<u32> = (0..32u32).map(|i| (i * 77 * 3 + 2 * i).wrapping_sub(1)).collect();
    assert_eq!(run.buffer(1), expected);
    let i = &run.lowered.interface;
    assert_eq!((i.group_size, i.pinned, i.shared_bytes), ([4, 2, 1], false, 0));
    assert_eq!((i.bindings[0].kind, i.bindings[0].stride), (BindingKind::StorageRead, 4));
    assert_eq!((i.bindings[1].kind, i.bindings[1].name.as_str()), (BindingKind::StorageReadWrite, "b"));
}

#[test]
fn every_built_in_input() {
    let run = Run::wgsl(
        "@group(0) @binding(0) var<storage, read_write> b: array<vec4<u32>>;
         @compute @workgroup_size(2, 3, 2) fn main(@builtin(global_invocation_id) g: vec3<u32>, @builtin(local_invocation_id) l: vec3<u32>,
             @builtin(local_invocation_index) i: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
             let at = (i + 12u * (w.x + n.x * (w.y + n.y * w.z))) * 4u;
             b[at] = vec4(g, i); b[at + 1u] = vec4(l, 0u); b[at + 2u] = vec4(w, 0u); b[at + 3u] = vec4(n, 0u);
         }",
    );
    let run = run.grid(2, 2, 2).zeros(8 * 12 * 16).go();
    let words = run.buffer(0);
    for wz in 0..2u32 {
        for wy in 0..2u32 {
            for wx in 0..2u32 {
                for i in 0..12u32 {
                    let l = [i % 2, i / 2 % 3, i / 6];
                    let w = [wx, wy, wz];
                    let at = ((i + 12 * (wx + 2 * (wy + 2 * wz))) * 16) as usize;
                    let g = [w[0] * 2 + l[0], w[1] * 3 + l[1], w[2] * 2 + l[2], i];
                    assert_eq!(words[at..at + 4], g);
                    assert_eq!(words[at + 4..at + 7], l);
                    assert_eq!(words[at + 8..at + 11], w);
                    assert_eq!(words[at + 12..at + 15], [2, 2, 2]);
                }
            }
        }
    }
}

#[test]
fn loops_breaks_switches_and_early_returns() {
    let run = Run::wgsl(
        "@group(0) @binding(0) var<storage, read_write> b: array<u32>;
         fn classify(x: u32) -> u32 {
             if x > 90u { return 1000u; }
             switch x % 5u {
                 case 0u: { return 7u; }
                 case 1u, 2u: { }
                 case 3u: { if x > 50u { break; } return 9u; }
                 default: { return 11u; }
             }
             return x;
         }
         @compute @workgroup_size(100) fn main(@builtin(local_invocation_index) i: u32) {
             var sum = 0u;
             for (var k = 0u; k < 50u; k++) {
                 if k == i { continue; }
                 if k > i + 20u { break; }
                 var j = k;
                 loop {
                     if j == 0u { break; }
                     sum += j & 3u;
                     continuing { j = j >> 1u; break if sum > 1000u; }
                 }
             }
             while sum > 60u { sum -= 7u; }
             b[i] = sum + classify(i) * 1000u;
         }",
    );
    let run = run.zeros(100).go();
    let classify = |x: u32| match x {
        91.. => 1000,
        _ => match x % 5 {
            0 => 7,
            1 | 2 => x,
            3 if x > 50 => x,
            3 => 9,
            _ => 11,
        },
    };
    for i in 0..100u32 {
        let mut sum = 0;
        for k in 0..50 {
            if k == i {
                continue;
            }
            if k > i + 20 {
                break;
            }
            let mut j = k;
            loop {
                if j == 0 {
                    break;
                }
                sum += j & 3;
                j >>= 1;
                if sum > 1000 {
                    break;
                }
            }
        }
        while sum > 60 {
            sum -= 7;
        }
        assert_eq!(run.buffer(0)[i as usize], sum + classify(i) * 1000, "{i}");
    }
}

#[test]
fn vectors_swizzles_selects_and_conversions() {
    let run = Run::wgsl(
        "@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
         @group(0) @binding(1) var<storage, read_write> b: array<vec4<f32>>;
         @group(0) @binding(2) var<storage, read_write> c: array<vec4<i32>>;
         @compute @workgroup_size(1) fn main() {
             let v = a[0]; let w = a[1];
             b[0] = v.wzyx + vec4(w.xy, 2.0 * w.zz);
             b[1] = select(v, w, v < w);
             b[2] = -v * 2.0;
             var m = v; m.y = 5.0; m[2] += 1.0; m.x += m.y;
             b[3] = m;
             b[4] = vec4<f32>(vec4<bool>(true, false, v.x == 1.0, any(v > w) && !all(v > w)));
             c[0] = vec4<i32>(v * 1.75);
             c[1] = vec4<i32>(vec4<u32>(v));
             c[2] = bitcast<vec4<i32>>(v);
             c[3] = vec4<i32>(i32(1e20), i32(-1e20), i32(u32(-3.0)), i32(u32(1e20)));
         }",
    );
    let v = [1.0f32, -2.5, 3.0, 1e9];
    let w = [4.0f32, -3.0, 8.5, 2.0];
    let run = run.floats(&[v, w].concat()).zeros(20).zeros(16).go();
    let b = run.float_buffer(1);
    assert_eq!(b[0..4], [1e9 + 4.0, 0.0, 14.5, 18.0]);
    assert_eq!(b[4..8], [4.0, -2.5, 8.5, 1e9]);
    assert_eq!(b[8..12], [-2.0, 5.0, -6.0, -2e9]);
    assert_eq!(b[12..16], [6.0, 5.0, 4.0, 1e9]);
    assert_eq!(b[16..20], [1.0, 0.0, 1.0, 1.0]);
    let c: Vec<i32> = run.buffer(2).iter().map(|&x| x as i32).collect();
    assert_eq!(c[0..4], [1, -4, 5, 1_750_000_000]);
    assert_eq!(c[4..8], [1, 0, 3, 1_000_000_000]);
    assert_eq!(c[8..12], v.map(|x| x.to_bits() as i32));
    assert_eq!(c[12..16], [i32::MAX, i32::MIN, 0, -1]);
}
