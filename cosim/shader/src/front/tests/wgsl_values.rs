//! WGSL that browsers take and naga's validator does not, with the values that the language gives
//! it; and what stays an error.

use super::*;

const HEAD: &str = "
struct S { a: array<vec4<f32>, 4>, n: u32, t: atomic<u32>, g: array<array<u32, 3>, 2> }
@group(0) @binding(0) var<storage, read_write> o: array<u32, 16>;
@group(0) @binding(1) var<storage, read_write> s: S;
@group(0) @binding(2) var<storage, read_write> d: array<u32>;
@group(0) @binding(3) var<uniform> u: vec4<u32>;
@group(0) @binding(4) var<storage, read> r: array<u32, 8>;
var<workgroup> w: array<u32, 8>;
";

/// Buffer 0 and buffer 1 after four invocations `i`; `r[k]` is 10 k, `u` is 7, 8, 9, 10.
fn run(functions: &str, body: &str) -> (Vec<u32>, Vec<u32>) {
    let text = format!(
        "{HEAD}{functions}
        fn touch() {{ d[0] = d[0]; s.n = s.n; w[0] = w[0]; _ = u.x + r[0]; }}
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {{
            if (i == 77u) {{ touch(); }}
            {body}
        }}"
    );
    let tens: Vec<u32> = (0..8).map(|k| 10 * k).collect();
    let run = Run::wgsl(&text).zeros(16).zeros(24).zeros(5).words(&[7, 8, 9, 10]).words(&tens).go();
    (run.buffer(0).to_vec(), run.buffer(1).to_vec())
}

fn check(functions: &str, body: &str, expected: &[u32]) {
    let found = run(functions, body).0;
    assert_eq!(&found[..expected.len()], expected, "{functions}\n{body}");
}

#[test]
fn pointers_to_every_kind_of_memory_are_parameters() {
    check(
        "fn f(p: ptr<storage, array<u32, 16>, read_write>, i: u32) { (*p)[i] = i + 1u; }",
        "f(&o, i);",
        &[1, 2, 3, 4],
    );
    check("fn f(p: ptr<storage, u32, read_write>) { *p += 5u; }", "f(&o[i]); f(&o[2]);", &[5, 5, 25, 5]);
    check("fn f(p: ptr<uniform, vec4<u32>>) -> u32 { return (*p).y; }", "o[i] = f(&u);", &[8, 8]);
    check("fn f(p: ptr<storage, u32>) -> u32 { return *p + 1u; }", "o[i] = f(&r[i]) + f(&r[7]);", &[72, 82, 92, 102]);
    check("fn f(p: ptr<storage, array<u32>, read_write>) -> u32 { return arrayLength(p); }", "o[i] = f(&d);", &[5]);
    let shared = "fn f(p: ptr<workgroup, array<u32, 8>>, k: u32) { (*p)[k] = 3u * k; } fn g(p: ptr<workgroup, u32>) -> u32 { return *p; }";
    check(shared, "f(&w, i); workgroupBarrier(); o[i] = g(&w[3u - i]);", &[9, 6, 3, 0]);
    // Parts of structures, by indices of run time, through a second function.
    let nested = "fn row(p: ptr<storage, array<u32, 3>, read_write>, k: u32) { (*p)[k] = 1u + k; }
        fn all(p: ptr<storage, S, read_write>, k: u32) { row(&(*p).g[k & 1u], k); row(&p.g[1], 2u); p.n = 9u; }";
    let (_, s) = run(nested, "all(&s, i); atomicAdd(&s.t, 1u);");
    assert_eq!(s[16..24], [9, 4, 1, 0, 3, 0, 2, 3]);
    let atomic = "fn f(p: ptr<storage, atomic<u32>, read_write>) -> u32 { return atomicAdd(p, 2u); }";
    check(atomic, "o[i] = f(&s.t);", &[0, 2, 4, 6]);
    // An index is evaluated at the call, once.
    let once = "var<private> calls: u32; fn next() -> u32 { calls += 1u; return calls; }
        fn f(p: ptr<storage, u32, read_write>) { *p = 4u; *p += calls; }";
    check(once, "f(&o[next()]); o[0] = calls;", &[1, 5]);
    // In loops and branches, with results, and of several pointers.
    let two = "fn add(a: ptr<storage, u32, read_write>, b: ptr<storage, u32>, c: ptr<function, u32>) -> u32 { *a += *b; *c = *c + 1u; return *b; }";
    let body = "var n = 0u; var t = 0u; for (var k = 0u; k < 4u; k++) { if (i == 0u) { t += add(&o[k], &r[k + 1u], &n); } } if (i == 0u) { o[4] = t + n; }";
    check(two, body, &[10, 20, 30, 40, 104]);
}

#[test]
fn a_pointer_to_something_else_is_an_error_with_its_place() {
    for (function, call) in [
        ("fn f(p: ptr<storage, u32, read_write>) { *p = 1u; }", "f(&s.a[1]);"),
        ("fn f(p: ptr<storage, u32, read_write>) { *p = 1u; }", "f(&w[1]);"),
        ("fn f(p: ptr<storage, u32>) -> u32 { return *p; }", "_ = f(&o[1]);"),
    ] {
        let text = format!("{HEAD}{function}\n@compute @workgroup_size(4) fn main() {{\n{call} }}");
        let message = &refused(&text, Lang::Wgsl)[0];
        assert!(message.contains("t.wgsl:11:"), "{call}: {message}");
    }
}

#[test]
fn a_let_is_a_value_of_run_time() {
    check("", "let b = 0u; let a = 5u; o[0] = a / b; o[1] = a % b; o[2] = i / b;", &[5, 0]);
    check("", "let b = 0; let a = -5; o[0] = u32(a / b); o[1] = u32(a % b);", &[-5i32 as u32, 0]);
    check("", "let m = -2147483647 - 1; let d = -1; o[0] = u32(m / d); o[1] = u32(m % d);", &[0x8000_0000, 0]);
    check("", "let z = vec2<u32>(0u, 2u); let v = vec2(9u, 9u) / z; o[0] = v.x; o[1] = v.y;", &[9, 4]);
    check("const C = 0u;", "let c = C; o[0] = 7u / c; let z = vec2<u32>(); o[1] = (vec2(3u) / z).y;", &[7, 3]);
    check("", "let s = 33u; o[0] = 1u << s; o[1] = 8u >> s;", &[2, 4]);
    check("", "let k = 9u; var a = array<u32, 4>(1u, 2u, 3u, 4u); o[0] = a[k]; let q = 2u; o[1] = a[q];", &[4, 3]);
    for bad in ["o[i] = 5u / 0u;", "o[i] = i / 0u;", "o[i] = i << 33u;", "var a: array<u32, 4>; o[i] = a[9];"] {
        let text =
            format!("{HEAD}@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {{\n{bad} }}");
        let message = &refused(&text, Lang::Wgsl)[0];
        assert!(message.starts_with("t.wgsl:10:"), "{bad}: {message}");
    }
}

#[test]
fn a_function_may_end_in_a_loop_without_a_way_out() {
    for (body, expected) in [
        ("var y = x; loop { if y > 9u { return y; } y++; }", 10),
        ("loop { return x + 2u; }", 2),
        ("for (var k = x;; k++) { if k > 5u { return k; } }", 6),
        ("for (var k = x;; k++) { switch k { case 3u: { break; } default: {} } if k > 5u { return 2u * k; } }", 12),
        ("if x > 1u { return 1u; } else { loop { if x < 9u { return 3u; } } }", 3),
        ("switch x { case 1u { return 1u; } default { loop { for (var k = 0u; k < 2u; k++) { break; } return 5u; } } }", 5),
    ] {
        check(&format!("fn f(x: u32) -> u32 {{ {body} }}"), "if (i == 0u) { o[0] = f(i); }", &[expected]);
    }
    for bad in [
        "loop { if x > 1u { break; } }",
        "while true { if x > 1u { return x; } }",
        "loop { continuing { break if x == 1u; } }",
    ] {
        let text = format!("fn f(x: u32) -> u32 {{ {bad} }} @compute @workgroup_size(1) fn main() {{ _ = f(1u); }}");
        assert!(refused(&text, Lang::Wgsl)[0].contains("return"), "{bad}");
    }
}

#[test]
fn lanes_may_have_signed_numbers() {
    let body = "let v = i + 1u; o[i] = subgroupShuffle(v, 3 - i32(i)); o[4u + i] = subgroupBroadcast(v, 2) + 16u * quadBroadcast(v, 1);
        o[8u + i] = subgroupShuffleXor(v, 1) + 16u * subgroupShuffle(v, u32(0));";
    check("", body, &[4, 3, 2, 1, 35, 35, 35, 35, 18, 17, 20, 19]);
}

#[test]
fn abstract_matrices_meet_values_of_run_time() {
    let body = "let x = f32(i); o[0] = u32(transpose(mat2x2(1, 2, 3, 4))[0][1] + x * 0);
        o[1] = u32((transpose(mat2x2(1.0, 2.0, 3.0, 4.0)) * vec2(1 + x * 0)).x); o[2] = u32(determinant(mat2x2(1, 2, 3, 8)) + x * 0);
        o[3] = u32(mix(0.0, 8.0, 0.25 + x * 0)); o[4] = u32(clamp(x * 0 + 7, 0, 5)); o[5] = u32(pow(2, x * 0 + 3));";
    check("", &format!("if (i == 0u) {{ {body} }}"), &[3, 3, 2, 2, 5, 8]);
}

#[test]
fn directives_for_what_is_there_may_stand() {
    for head in [
        "enable subgroups; requires unrestricted_pointer_parameters;",
        "requires readonly_and_readwrite_storage_textures, unrestricted_pointer_parameters , pointer_composite_access;",
        "diagnostic(off, derivative_uniformity); requires packed_4x8_integer_dot_product, subgroup_id;",
    ] {
        let text = format!("{head} @group(0) @binding(0) var<storage, read_write> o: array<u32>; @compute @workgroup_size(1) fn main() {{ o[0] = subgroupAdd(3u); }}");
        assert_eq!(Run::wgsl(&text).zeros(1).go().buffer(0), [3], "{head}");
    }
    let message = &refused("requires nonsense;\n@compute @workgroup_size(1) fn main() {}", Lang::Wgsl)[0];
    assert!(message.starts_with("t.wgsl:1:10:") && message.contains("nonsense"), "{message}");
}

/// What other entry points use is not in the way, and a uniform buffer is laid out like any other.
#[test]
fn variables_are_those_of_the_entry_point() {
    let text = "@group(0) @binding(0) var picture: texture_2d<f32>;
        @group(0) @binding(0) var<storage, read_write> o: array<u32>;
        struct U { a: array<u32, 3>, b: array<vec2<u32>, 2>, c: u32 }
        @group(0) @binding(1) var<uniform> other: vec4<f32>;
        @group(0) @binding(1) var<uniform> u: U;
        var<immediate> now: vec2<u32>;
        @fragment fn draw() -> @location(0) vec4<f32> { return textureLoad(picture, vec2(0), 0) + other; }
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
            o[i] = u.a[i] + 100u * u.b[i & 1u].y + 10000u * u.c + 1000000u * now.y;
        }";
    let parsed = parse("t.wgsl", text.as_bytes(), Lang::Wgsl, Some("main")).unwrap_or_else(|e| panic!("{e}"));
    let lowered = lower(&parsed, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let run = Run { lowered, grid: [1; 3], buffers: vec![] };
    let run = run.zeros(4).words(&[1, 2, 3, 0, 4, 5, 6, 7, 8]).words(&[8, 9]).go();
    assert_eq!(run.buffer(0), [9080501, 9080702, 9080503, 9080703]);
    let drawn = parse("t.wgsl", text.as_bytes(), Lang::Wgsl, Some("draw")).and_then(|p| lower(&p, &Options::default()));
    assert!(drawn.unwrap_err().to_string().contains("picture"));
}

/// The workgroup is counted through: x first, four to a subgroup.
#[test]
fn a_lane_has_its_number_in_groups_of_two_dimensions() {
    let text = "enable subgroups; @group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(2, 4) fn main(@builtin(local_invocation_index) i: u32,
            @builtin(local_invocation_id) at: vec3<u32>, @builtin(subgroup_invocation_id) lane: u32) {
            o[i] = lane + 10u * at.x + 100u * at.y;
        }";
    assert_eq!(Run::wgsl(text).zeros(8).go().buffer(0), [0, 11, 102, 113, 200, 211, 302, 313]);
}
