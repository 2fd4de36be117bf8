//! Awkward but legal programs: what compilers get wrong when they take shortcuts.

use super::*;

fn one(source: &str, words: usize) -> Vec<u32> {
    let source = format!("@group(0) @binding(0) var<storage, read_write> b: array<u32>;\n{source}");
    Run::wgsl(&source).zeros(words).go().buffers.swap_remove(0)
}

#[test]
fn a_variable_declared_in_a_loop_starts_anew_each_time() {
    let b = one(
        "@compute @workgroup_size(1) fn main() {
             for (var i = 0u; i < 3u; i++) { var x: u32; var a: array<u32, 100>; x += i + 1u; a[i] += x; a[99u - i] += 1u; b[i] = x + a[0] * 10u + a[1] * 100u; }
         }",
        3,
    );
    assert_eq!(b, [11, 202, 3]);
}

#[test]
fn loops_in_loops_with_switches_and_continues() {
    let b = one(
        "@compute @workgroup_size(1) fn main() {
             var n = 0u;
             for (var i = 0u; i < 6u; i++) {
                 switch i {
                     case 1u: { continue; }
                     case 3u: { for (var j = 0u; j < 10u; j++) { switch j { case 4u: { continue; } case 7u: { break; } default: { n += 1u; } } if j == 8u { break; } } }
                     case 5u: { loop { n += 100u; if n > 500u { break; } } }
                     default: { n += 1000u; break; }
                 }
                 n += 10000u;
             }
             b[0] = n;
         }",
        1,
    );
    // i = 0, 2, 4: 11000 each; 1: nothing; 3: j = 0..8 without 4 and 7: 7 + 10000; 5: n stays above
    // 500: one turn, 10100.
    assert_eq!(b, [33_000 + 10_007 + 10_100]);
}

#[test]
fn values_of_the_body_are_used_in_continuing() {
    let b = one(
        "@compute @workgroup_size(1) fn main() {
             var i = 1u; var sum = 0u;
             loop {
                 let step = i * 2u;
                 if sum > 50u { break; }
                 sum += step;
                 continuing { i += step; let stop = i > 1000u; break if stop; }
             }
             b[0] = sum; b[1] = i;
         }",
        2,
    );
    let (mut i, mut sum) = (1u32, 0u32);
    loop {
        let step = i * 2;
        if sum > 50 {
            break;
        }
        sum += step;
        i += step;
        if i > 1000 {
            break;
        }
    }
    assert_eq!(b, [sum, i]);
}

#[test]
fn returns_from_the_middle_of_loops_in_expanded_functions() {
    let b = one(
        "var<private> seen: u32;
         fn find(p: ptr<function, array<u32, 5>>, x: u32) -> i32 {
             for (var i = 0; i < 5; i++) { seen += 1u; if (*p)[i] == x { return i; } }
             return -1;
         }
         fn twice(p: ptr<function, array<u32, 5>>, x: u32) -> i32 { let a = find(p, x); if a < 0 { return a; } return a + find(p, x + 1u); }
         @compute @workgroup_size(1) fn main() {
             var t = array<u32, 5>(9u, 8u, 7u, 6u, 5u);
             for (var i = 0u; i < 12u; i++) { b[i] = u32(twice(&t, i) + 5); }
             b[12] = seen;
         }",
        13,
    );
    let t = [9u32, 8, 7, 6, 5];
    let mut seen = 0;
    let mut find = |x: u32| {
        for (i, &y) in t.iter().enumerate() {
            seen += 1;
            if y == x {
                return i as i32;
            }
        }
        -1
    };
    let mut expected: Vec<u32> = Vec::new();
    for i in 0..12 {
        let a = find(i);
        let r = if a < 0 { a } else { a + find(i + 1) };
        expected.push((r + 5) as u32);
    }
    expected.push(seen);
    assert_eq!(b, expected);
}

#[test]
fn nested_aggregates_by_value_and_by_pointer() {
    let b = one(
        "struct In { v: vec2<u32>, m: array<array<u32, 2>, 3> }
         struct Out { a: array<In, 2>, ok: bool }
         fn touch(p: ptr<function, Out>, i: u32, j: u32) -> u32 {
             let q = &(*p).a[i];
             (*q).m[j][i] += 7u;
             (*q).v[j & 1u] = (*q).m[j][i] + (*q).v.x;
             (*p).ok = !(*p).ok;
             return (*q).m[j][i];
         }
         fn copy(o: Out) -> Out { var r = o; r.a[0] = o.a[1]; r.a[1].v = r.a[0].v.yx; return r; }
         @compute @workgroup_size(1) fn main(@builtin(workgroup_id) g: vec3<u32>) {
             var o: Out;
             b[0] = touch(&o, 1u + g.x, 2u); b[1] = touch(&o, 1u, 2u - g.x); b[2] = touch(&o, 0u, 1u);
             let c = copy(o);
             b[3] = c.a[0].m[2][1]; b[4] = c.a[1].v.x; b[5] = c.a[1].v.y; b[6] = c.a[0].v.x; b[7] = u32(c.ok) + 2u * u32(o.ok);
             let d = c.a[g.x].m[g.x + 2u]; b[8] = d[g.x + 1u];
         }",
        9,
    );
    // touch(1, 2): m = 7, v.x = 7 + 0; again: m = 14, v.x = 14 + 7 = 21; touch(0, 1): m = 7, v.y
    // = 7.
    assert_eq!(b, [7, 14, 7, 14, 0, 21, 21, 3, 14]);
}

#[test]
fn pointers_into_buffers_and_work_group_memory() {
    let b = one(
        "var<workgroup> w: array<vec4<u32>, 4>;
         @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
             let p = &w[i]; (*p)[3u - i] = i + 1u;
             workgroupBarrier();
             let v = w[3u - i];
             b[i] = v.x + v.y * 10u + v.z * 100u + v.w * 1000u;
             let q = &b[i]; *q = *q * 2u + arrayLength(&b);
         }",
        4,
    );
    assert_eq!(b, [4 * 2 + 4, 30 * 2 + 4, 200 * 2 + 4, 1000 * 2 + 4]);
}

#[test]
fn order_of_evaluation_and_loads_before_stores() {
    let b = one(
        "@compute @workgroup_size(1) fn main() {
             b[0] = 1u; b[1] = 2u;
             let x = b[0]; b[0] = b[1]; b[1] = x;
             var v = vec3<u32>(1u, 2u, 3u); v = v.zxy; let old = v; v.x = v.y + v.z; v.y = old.x;
             b[2] = v.x; b[3] = v.y; b[4] = old.x;
             var i = 0u; i++; b[i + 4u] += i; i += b[i]; b[5] += i;
         }",
        6,
    );
    assert_eq!(b, [2, 1, 3, 3, 3, 3]);
}

#[test]
fn limits_are_errors() {
    let refuse = |source: &str, what: &str| {
        let message = refused(source, Lang::Wgsl)[0].clone();
        assert!(message.contains(what), "{message}");
    };
    let main = "@compute @workgroup_size(1) fn main()";
    refuse(&format!("{main} {{ var a: array<u32, 100000>; a[1] = 1u; }}"), "`a` has 100000 words");
    refuse(&format!("var<workgroup> w: array<u32, 20000>; {main} {{ w[1] = 1u; }}"), "more than 65536 bytes");
    let mut deep = String::from("var<private> x: u32; fn f0() { x += 1u; }\n");
    for i in 1..40 {
        deep += &format!("fn f{i}() {{ f{}(); f{}(); }}\n", i - 1, i - 1);
    }
    refuse(&format!("{deep}{main} {{ f39(); }}"), "too large");
}
