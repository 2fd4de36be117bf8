//! Variables: buffer layouts, uniforms, arrays and their bounds, pointers, private variables,
//! work-group memory, atomics.

use super::*;
use crate::ssa::{Kind, Width};

fn widths(run: &Run) -> Vec<Width> {
    let entry = &run.lowered.module.funcs[run.lowered.entry.index()];
    let insts = entry.blocks.iter().flat_map(|b| &b.insts);
    insts
        .filter_map(|i| match i.kind {
            Kind::Load { width, .. } | Kind::Store { width, .. } => Some(width),
            _ => None,
        })
        .collect()
}

#[test]
fn struct_layout_and_merged_accesses() {
    let run = Run::wgsl(
        "struct S { a: f32, b: vec3<f32>, c: vec2<u32>, d: array<vec2<f32>, 3>, e: mat3x2<f32>, f: u32 }
         @group(0) @binding(0) var<storage, read> src: array<S>;
         @group(0) @binding(1) var<storage, read_write> dst: array<S>;
         @compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
             dst[1u - i] = src[i];
             dst[1u - i].d[1].y = src[i].b.z + src[i].e[2].x;
         }",
    );
    // a 0, b 16, c 32, d 40 (stride 8), e 64 (columns of 8), f 88; size 96.
    let input: Vec<u32> = (0..48).map(|i| (i as f32).to_bits()).collect();
    let run = run.words(&input).zeros(48).go();
    let used: Vec<usize> = [0, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22].to_vec();
    for i in 0..2 {
        for word in 0..24 {
            let expected = match word {
                13 => ((i * 24 + 6) as f32 + (i * 24 + 20) as f32).to_bits(),
                w if used.contains(&w) => input[i * 24 + w],
                _ => 0,
            };
            assert_eq!(run.buffer(1)[(1 - i) * 24 + word], expected, "element {i} word {word}");
        }
    }
    let widths = widths(&run);
    assert!(widths.contains(&Width::W128) && widths.contains(&Width::W64) && widths.contains(&Width::W32));
    assert_eq!((run.lowered.interface.bindings[0].stride, run.lowered.interface.bindings[0].min_bytes), (96, 0));
}

#[test]
fn uniforms_are_constant_words_and_dynamic_indices_read_memory() {
    let run = Run::wgsl(
        "struct U { scale: vec4<f32>, table: array<vec4<u32>, 4>, n: u32 }
         @group(0) @binding(0) var<uniform> u: U;
         @group(0) @binding(1) var<uniform> k: u32;
         @group(0) @binding(2) var<storage, read_write> b: array<f32>;
         @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
             b[i] = u.scale[2] * f32(u.table[i].y) + f32(u.n + k);
         }",
    );
    let mut words = vec![0u32; 24];
    words[2] = 0.5f32.to_bits();
    for i in 0..4 {
        words[4 + i * 4 + 1] = 100 + i as u32;
    }
    words[20] = 7;
    let run = run.words(&words).words(&[1000]).zeros(4).go();
    assert_eq!(run.float_buffer(2), [1057.0, 1057.5, 1058.0, 1058.5]);
    let b = &run.lowered.interface.bindings;
    assert_eq!((b[0].const_at, b[0].const_words, b[0].kind), (CONST_USER as u32, 24, BindingKind::Uniform));
    assert_eq!((b[1].const_at, b[1].const_words), (CONST_USER as u32 + 24, 1));
}

#[test]
fn indices_are_clamped_to_the_last_element() {
    let source = "@group(0) @binding(0) var<storage, read> idx: array<i32>;
         @group(0) @binding(1) var<storage, read_write> b: array<u32>;
         var<private> p: array<u32, 3> = array<u32, 3>(10u, 20u, 30u);
         @compute @workgroup_size(1) fn main() {
             var l = array<u32, 4>(1u, 2u, 3u, 4u);
             let v = vec3<u32>(5u, 6u, 7u);
             for (var i = 0; i < 4; i++) {
                 let k = idx[i];
                 b[i] = l[k] + 100u * v[k] + 10000u * p[k];
                 l[k] = 9u;
             }
             b[4] = l[3];
             b[100] = 77u;
             b[idx[3]] = 88u;
         }";
    let run = Run::wgsl(source).words(&[1, 3, -1i32 as u32, 1000]).zeros(6).go();
    assert_eq!(run.buffer(1), [200602, 300704, 300709, 300709, 9, 88]);
}

#[test]
fn without_clamping_the_code_has_no_minimum() {
    let source = "@group(0) @binding(0) var<storage, read_write> b: array<u32>;
         @compute @workgroup_size(1) fn main(@builtin(workgroup_id) g: vec3<u32>) { b[g.x] = 1u; }";
    let parsed = parse("t.wgsl", source.as_bytes(), Lang::Wgsl, None).unwrap();
    let count = |clamp_indices| {
        let lowered = lower(&parsed, &Options { clamp_indices, ..Options::default() }).unwrap();
        lowered.module.to_string().matches("umin").count()
    };
    assert_eq!((count(true), count(false)), (1, 0));
}

#[test]
fn functions_with_pointers_private_variables_and_early_returns() {
    let run = Run::wgsl(
        "@group(0) @binding(0) var<storage, read_write> b: array<u32>;
         var<private> counter: u32 = 5u;
         struct P { x: u32, v: array<u32, 4> }
         fn bump(by: u32) -> u32 { counter += by; if counter > 100u { return 1u; } return counter; }
         fn add(p: ptr<function, P>, i: u32, x: u32) { if x == 0u { return; } (*p).v[i] += x; (*p).x += 1u; }
         fn swap(a: ptr<function, u32>, c: ptr<function, u32>) { let t = *a; *a = *c; *c = t; }
         fn sum(p: P) -> u32 { return p.x * 1000u + p.v[0] + 10u * p.v[1] + 100u * p.v[2]; }
         fn pair(x: u32) -> P { var r: P; r.x = x; r.v[2] = x; return r; }
         @compute @workgroup_size(3) fn main(@builtin(local_invocation_index) i: u32) {
             var s: P;
             add(&s, i, 3u); add(&s, 0u, 0u); add(&s, 1u, 2u);
             var x = 1u; var y = 2u;
             swap(&x, &y);
             let q = pair(i + 3u);
             b[i] = sum(s) * 10u + x;
             b[i + 3u] = bump(i) + bump(90u) * 1000u + sum(q) + q.v[i];
         }",
    );
    let run = run.zeros(6).go();
    for i in 0..3u32 {
        let mut v = [0u32; 4];
        v[i as usize] += 3;
        v[1] += 2;
        let s = 2000 + v[0] + 10 * v[1] + 100 * v[2];
        assert_eq!(run.buffer(0)[i as usize], s * 10 + 2);
        let q = i + 3;
        let second = if 5 + i + 90 > 100 { 1 } else { 5 + i + 90 };
        let expected = 5 + i + second * 1000 + q * 1000 + 100 * q + if i == 2 { q } else { 0 };
        assert_eq!(run.buffer(0)[3 + i as usize], expected, "{i}");
    }
    let calls = run.lowered.module.funcs.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.insts);
    assert!(calls.filter(|i| matches!(i.kind, Kind::Call { .. })).count() >= 3, "plain functions are called");
}

#[test]
fn work_group_memory_is_cleared_shared_and_pinned() {
    let run = Run::wgsl(
        "@group(0) @binding(0) var<storage, read_write> b: array<u32>;
         var<workgroup> tile: array<u32, 37>;
         var<workgroup> flags: array<bool, 4>;
         var<workgroup> total: atomic<u32>;
         @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) g: vec3<u32>) {
             let before = tile[36] + tile[i] + select(0u, 1u, flags[i & 3u]);
             workgroupBarrier();
             tile[i] = i * i + g.x;
             flags[i & 3u] = true;
             atomicAdd(&total, i);
             workgroupBarrier();
             b[g.x * 8u + i] = before + tile[7u - i] + 1000u * atomicLoad(&total) + select(0u, 100000u, flags[3]);
         }",
    );
    let run = run.grid(2, 1, 1).zeros(16).go();
    for g in 0..2 {
        for i in 0..8u32 {
            assert_eq!(run.buffer(0)[(g * 8 + i) as usize], (7 - i) * (7 - i) + g + 28_000 + 100_000);
        }
    }
    let i = &run.lowered.interface;
    assert!(i.pinned && i.shared_bytes >= 37 * 4 + 8 && i.shared_bytes.is_multiple_of(16));
}

#[test]
fn work_group_uniform_load() {
    let run = Run::wgsl(
        "@group(0) @binding(0) var<storage, read_write> b: array<u32>;
         var<workgroup> n: u32;
         @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
             if i == 3u { n = 42u; }
             b[i] = workgroupUniformLoad(&n) + i;
         }",
    );
    assert_eq!(run.zeros(4).go().buffer(0), [42, 43, 44, 45]);
}

#[test]
fn every_atomic() {
    let run = Run::wgsl(
        "struct A { u: atomic<u32>, i: atomic<i32> }
         @group(0) @binding(0) var<storage, read_write> a: array<A, 6>;
         @group(0) @binding(1) var<storage, read_write> b: array<u32>;
         @compute @workgroup_size(1) fn main() {
             b[0] = atomicAdd(&a[0].u, 5u); b[1] = atomicSub(&a[1].u, 7u);
             b[2] = atomicMax(&a[2].u, 9u); b[3] = u32(atomicMax(&a[2].i, -9));
             b[4] = atomicMin(&a[3].u, 9u); b[5] = u32(atomicMin(&a[3].i, -9));
             b[6] = atomicAnd(&a[4].u, 12u); b[7] = u32(atomicOr(&a[4].i, 12)); b[8] = atomicXor(&a[5].u, 255u);
             b[9] = u32(atomicExchange(&a[5].i, 3));
             let r = atomicCompareExchangeWeak(&a[0].i, 10, 77);
             b[10] = u32(r.old_value) + select(0u, 1000u, r.exchanged);
             let s = atomicCompareExchangeWeak(&a[1].i, 11, 78);
             b[11] = u32(s.old_value) + select(0u, 1000u, s.exchanged);
             atomicStore(&a[1].i, 5);
             b[12] = u32(atomicLoad(&a[1].i));
         }",
    );
    let run = run.words(&[10; 12]).zeros(13).go();
    assert_eq!(run.buffer(1), [10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 1010, 10, 5]);
    let m = -9i32 as u32;
    assert_eq!(run.buffer(0), [15, 77, 3, 5, 10, 10, 9, m, 8, 14, 245, 3]);
}

#[test]
fn constant_tables_and_overrides() {
    let run = Run::wgsl(
        "@group(0) @binding(0) var<storage, read_write> b: array<u32>;
         const TABLE = array<u32, 5>(3u, 1u, 4u, 1u, 5u);
         override SIZE: u32 = 4u;
         override TWICE = SIZE * 2u;
         const V = vec3<u32>(7u, 8u, 9u) * 2u;
         @compute @workgroup_size(SIZE) fn main(@builtin(local_invocation_index) i: u32) {
             let x = i * 3u + 1u;
             b[i] = TABLE[(i * 2u) % 5u] + V.y * 10u + TWICE * 1000u + TABLE[i] * 10000u;
         }",
    );
    let run = run.zeros(4).go();
    assert_eq!(run.lowered.interface.group_size, [4, 1, 1]);
    assert_eq!(run.buffer(0), [38163, 18164, 48165, 18161]);
}

#[test]
fn a_value_array_is_indexed_dynamically() {
    let run = Run::wgsl(
        "@group(0) @binding(0) var<storage, read_write> b: array<u32>;
         fn make(x: u32) -> array<u32, 3> { return array<u32, 3>(x, x * 2u, x * 3u); }
         @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { b[i] = make(i + 1u)[i]; }",
    );
    assert_eq!(run.zeros(4).go().buffer(0), [1, 4, 9, 12]);
}
