//! Constructs of GLSL, each with the value that the language gives it: those that another reader of
//! GLSL refused or got wrong, and evaluation once of what stands once in the text.

use super::*;

/// Declarations, statements, and what the first words of `o` are then.
const CASES: &[(&str, &str, &[u32])] = &[
    // What stands on the left of a compound assignment is evaluated once.
    ("", "int a[2] = {10, 20}; int i = 0; a[i++] += 5; o[0] = a[0]; o[1] = a[1]; o[2] = i;", &[15, 20, 1]),
    (
        "int n = 0; int next() { return n++; }",
        "int a[3] = {10, 20, 30}; a[next()] *= 3; a[next()]++; o[0] = a[0]; o[1] = a[1]; o[2] = a[2]; o[3] = n;",
        &[30, 21, 30, 2],
    ),
    ("", "ivec4 v = ivec4(1, 2, 3, 4); int k = 0; v[k++] -= 7; o[0] = v.y; o[1] = k; o[2] = -v.x;", &[2, 1, 6]),
    ("", "o[atomicAdd(o[2], 1)] += 4;", &[4, 0, 1]),
    ("int d[2], t[2];", "d[0] = 9; int i = 0, k = 0; t[k++] = d[i++]; o[0] = t[0]; o[1] = k + i;", &[9, 2]),
    // `continue` in a `do` goes to the condition.
    ("", "int i = 0; do { i++; if (i == 1) continue; i += 100; } while (i < 1); o[0] = i;", &[1]),
    ("", "int a[2], b = 3; a[0] = 1; o[0] = a[0] + b;", &[4]),
    ("", "int a[2], b[2]; a[0] = 1; b[0] = 2; o[0] = a[0] + b[0];", &[3]),
    // Arrays, structures, matrices.
    ("", "int a[2] = int[2](1, 2); int b[2] = a; o[0] = a == b ? 1 : 0; b[1]++; o[1] = a != b ? 5 : 0;", &[1, 5]),
    ("struct S { int a[2]; };", "S s = S(int[2](1, 2)); o[0] = s.a[1];", &[2]),
    ("struct S { int a; vec2 b; };", "S a = S(1, vec2(2)); S b = a; o[0] = int(a == b); b.b.y = 1.0; o[1] = int(a != b);", &[1, 1]),
    ("", "vec2 v[2]; v[1].x = 3.0; v[0].yx = vec2(1, 2); o[0] = int(v[1].x); o[1] = int(v[0].x);", &[3, 2]),
    ("", "int a[2][2] = int[2][2](int[2](1, 2), int[2](3, 4)); o[0] = a[1][0];", &[3]),
    ("", "int a[] = int[](1, 2, 3); o[0] = a[2] + a.length();", &[6]),
    ("", "mat2 m = mat2(1); m[1].x = 3.0; o[0] = int(m[1].x + m[0][0]);", &[4]),
    ("", "o[0] = int(matrixCompMult(mat2(1, 2, 3, 4), mat2(2))[0][0]);", &[2]),
    ("const mat2 M = mat2(1, 2, 3, 4);", "o[0] = int(M[1][0]);", &[3]),
    // Functions whose last statement is no `return`.
    ("int f(int x) { if (x > 0) return 1; else return 2; }", "o[0] = f(3);", &[1]),
    ("int f(int x) { for (;;) { if (x > 9) return x; x++; } }", "o[0] = f(3);", &[10]),
    ("int f(int x) { switch (x) { case 0: return 1; default: return 2; } }", "o[0] = f(3);", &[2]),
    ("", "switch (o[1]) { case 0: o[0] = 1; break; case 1: }", &[1]),
    // Constants, of which the text may make sizes, labels and other constants.
    ("const bool T = 3 > 2 && 1.0 > 0.5;", "o[0] = int(T);", &[1]),
    ("const int A[3] = int[](4, 5, 6); const int Q = A[1] + 2; int big[A[1]];", "o[0] = Q; o[1] = big.length();", &[7, 5]),
    ("const int A[3] = int[](4, 5, 6); const int L = A.length();", "o[0] = L;", &[3]),
    ("int big[true ? 2 : 3];", "o[0] = big.length();", &[2]),
    ("const int K = 3; int f(int x) { switch (x) { case K: return 1; case K + 1: return 2; } return 0; }", "o[0] = f(4);", &[2]),
    ("const float C = cos(0.0) + pow(2.0, 3.0) + max(1.0, 2.0) + sqrt(16.0);", "o[0] = int(C);", &[15]),
    ("const float C = length(vec2(3, 4)) + float(int(2.9));", "o[0] = int(C);", &[7]),
    ("bool T = true; int S = T ? 7 : 8; int n = 1; int U = n++;", "o[0] = S; o[1] = U; o[2] = n;", &[7, 1, 2]),
    ("const uint U = ~0u >> 28;", "o[0] = int(U);", &[15]),
    ("const ivec3 W = ivec3(1, 2, 3).zyx;", "o[0] = W.x;", &[3]),
    ("const float PI = 3.0; const float TAU = PI > 2.0 ? 2.0 * PI : 0.0;", "o[0] = int(TAU);", &[6]),
    ("int f(int q) { const int S = q > 1 ? 7 : 8; return S; }", "o[0] = f(2);", &[7]),
    ("const vec2 V[2] = vec2[2](vec2(1.5, 2.5), vec2(3.5)); const float R = V[0].y;", "o[0] = int(2.0 * R);", &[5]),
    ("layout(constant_id = 1) const int K = 3; shared int s[K];", "o[0] = K + s.length();", &[6]),
    ("shared int s[gl_WorkGroupSize.x]; const uint W = gl_WorkGroupSize.x;", "o[0] = s.length() + int(W);", &[2]),
    ("", "o[0] = 1 << 31; o[1] = 3 << 31;", &[0x8000_0000, 0x8000_0000]),
    // Functions with several results, and of scalars.
    ("", "int e; float f = frexp(2.5, e); o[0] = e; o[1] = floatBitsToInt(f);", &[2, 0x3F20_0000]),
    ("", "float w; float f = modf(-2.5, w); o[0] = int(-w); o[1] = int(f * -8.0);", &[2, 4]),
    ("", "uint c; uint s = uaddCarry(0xFFFFFFFFu, 2u, c); o[0] = int(s); o[1] = int(c);", &[1, 1]),
    ("", "uint b; uint s = usubBorrow(1u, 2u, b); o[0] = int(s); o[1] = int(b);", &[0xFFFF_FFFF, 1]),
    ("", "uint a, b; umulExtended(0x80000000u, 6u, a, b); o[0] = int(a); o[1] = int(b);", &[3, 0]),
    ("", "int a, b; imulExtended(-2, 3, a, b); o[0] = a; o[1] = b;", &[0xFFFF_FFFF, 0xFFFF_FFFA]),
    ("", "o[0] = int(fma(1.0, 2.0, 3.0)) + int(ldexp(1.0, 3));", &[13]),
    ("", "float f = float(o[1]); o[0] = int(isnan(f / f)) + 2 * int(isinf(1.0 / f));", &[3]),
    ("", "o[0] = int(normalize(2.0) + length(-2.0) + distance(1.0, 2.0) + dot(2.0, 3.0)); o[1] = int(-reflect(2.0, 1.0));", &[10, 2]),
    ("", "precise float f = 1.5; o[0] = int(f * 2.0);", &[3]),
    ("struct S { highp float a; mediump int b; };", "S s; s.a = 1.0; s.b = 2; o[0] = int(s.a) + s.b;", &[3]),
    ("", "memoryBarrierShared(); groupMemoryBarrier(); memoryBarrier(); memoryBarrierBuffer(); barrier(); o[0] = 1;", &[1]),
    ("", "atomicAdd(o[0], 1); atomicExchange(o[1], 3); atomicCompSwap(o[2], 0, 1);", &[1, 3, 1]),
    ("#define CAT(a, b) a ## b\n#define ONE 1 // one", "int xy = ONE; o[0] = CAT(x, y);", &[1]),
];

fn run(version: &str, declarations: &str, statements: &str) -> Vec<u32> {
    let text = format!(
        "#version {version}
        #extension GL_EXT_null_initializer : enable
        layout(local_size_x = 1) in;
        layout(set = 0, binding = 0, std430) buffer B {{ int o[8]; }};
        {declarations}
        void main() {{ {statements} }}"
    );
    Run::glsl(&text).zeros(8).go().buffer(0).to_vec()
}

#[test]
fn constructs_have_their_values() {
    for (declarations, statements, expected) in CASES {
        let found = run("450", declarations, statements);
        assert_eq!(&found[..expected.len()], *expected, "{declarations}\n{statements}");
    }
}

#[test]
fn every_version_of_the_language_is_read() {
    for version in ["310 es", "320 es", "430", "440", "450", "460", "460 core"] {
        assert_eq!(run(version, "", "vec2 v = vec2(1, 2); o[0] = int(v.yx.x);")[0], 2, "{version}");
    }
}

/// Layouts of a block, with what its words 0, 1, ... give.
#[test]
fn blocks_are_laid_out_as_they_say() {
    for (block, value, expected) in [
        ("layout(binding = 1, std430) coherent buffer C { int a; };", "a", 0),
        ("layout(binding = 1, std430) volatile buffer C { int a; int b; };", "b", 1),
        ("layout(binding = 1, std430) restrict readonly buffer C { int a; };", "a", 0),
        ("layout(binding = 1, std430) buffer C { layout(offset = 0) int a; layout(offset = 16) int b; };", "a + b", 4),
        ("layout(binding = 1, std430) buffer C { readonly int a; int b; };", "a + 2 * b", 2),
        ("layout(binding = 1, std140) uniform U { mat2 m; };", "floatBitsToInt(m[1][1])", 5),
        ("layout(binding = 1, std430) buffer U { mat2 m; mat3x2 k; };", "floatBitsToInt(k[2][1])", 9),
        ("layout(binding = 1, std430, row_major) buffer U { mat3 m; };", "floatBitsToInt(m[0][1])", 4),
        ("layout(binding = 1) uniform U { highp vec2 u; };", "floatBitsToInt(u.y)", 1),
        ("layout(binding = 1, std430) buffer C { int d[]; };", "d.length()", 16),
        ("layout(binding = 1, std430) buffer C { int n; int d[]; } c;", "int(c.d.length())", 15),
        ("layout(push_constant) uniform PC { layout(offset = 8) int a; } pc;", "pc.a", 2),
    ] {
        let text = format!(
            "#version 450
            layout(local_size_x = 1) in;
            layout(set = 0, binding = 0, std430) buffer B {{ int o[4]; }};
            {block}
            void main() {{ o[0] = {value}; }}"
        );
        let words: Vec<u32> = (0..16).collect();
        assert_eq!(Run::glsl(&text).zeros(4).words(&words).go().buffer(0)[0], expected, "{block}");
    }
}

/// An included text, and what is wrong in it.
#[test]
fn includes_are_relative_to_the_file_that_names_them() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("parts")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("parts/a.glsl", "#include \"b.glsl\"\nint two() { return ONE + 1; }\n");
    write("parts/b.glsl", "#define ONE 1\n");
    write("parts/bad.glsl", "\nint two() { return nowhere; }\n");
    let text = |name: &str| {
        format!(
            "#version 450\n#extension GL_GOOGLE_include_directive : enable\n#include \"{name}\"
            layout(local_size_x = 1) in; layout(binding = 0) buffer B {{ int o[]; }};
            void main() {{ o[0] = two(); }}"
        )
    };
    let path = folder.path().join("main.comp");
    let path = path.to_str().unwrap();
    let read = |name: &str| parse(path, text(name).as_bytes(), Lang::Glsl(crate::interface::Stage::Compute), None);
    assert!(lower(&read("parts/a.glsl").unwrap(), &Options::default()).is_ok());
    let error = read("parts/bad.glsl").unwrap_err().0.remove(0);
    assert!(error.file.ends_with("parts/bad.glsl") && error.line == 2, "{error}");
    assert!(read("parts/none.glsl").unwrap_err().0[0].message.contains("none.glsl"));
    // What stands behind an included file is in the file itself.
    let text = text("parts/a.glsl").replace("two();", "two();\n  double d = o[0]; o[0] = int(d); ");
    let parsed = parse(path, text.as_bytes(), Lang::Glsl(crate::interface::Stage::Compute), None).unwrap();
    let error = lower(&parsed, &Options::default()).unwrap_err().0.remove(0);
    assert!(error.file == path && (error.line, error.column) == (6, 10), "{error}");
}

#[test]
fn buffers_in_arrays_of_arrays_are_counted_through() {
    let text = "#version 450
        layout(local_size_x = 4) in;
        layout(binding = 0, std430) buffer B { uint o[8]; };
        layout(binding = 1, std430) readonly buffer U { uint a; } u[2][3];
        void main() {
            uint i = gl_LocalInvocationIndex;
            o[i] = u[i & 1][i >> 1].a;
            if (i == 0u) { o[4] = u[1][2].a; o[5] = u[0][1].a; o[6] = u[o[7]][2].a; }
        }";
    let mut run = Run::glsl(text).words(&[0, 0, 0, 0, 0, 0, 0, 1]);
    for k in 0..6 {
        run = run.words(&[10 + k, 0, 0, 0]);
    }
    assert_eq!(run.go().buffer(0)[..7], [10, 13, 11, 14, 15, 11, 15]);
}

#[test]
fn lanes_rotate_in_their_cluster() {
    let text = "#version 450
        #extension GL_KHR_shader_subgroup_rotate : require
        layout(local_size_x = 4) in;
        layout(binding = 0, std430) buffer B { uint o[]; };
        void main() {
            uint i = gl_LocalInvocationIndex;
            o[i] = subgroupRotate(i, 1) + 16u * subgroupRotate(i, 7) + 256u * subgroupClusteredRotate(i, 1, 2);
        }";
    assert_eq!(Run::glsl(text).zeros(4).go().buffer(0), [0x131, 0x002, 0x313, 0x220]);
}
