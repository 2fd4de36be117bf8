//! What is done how often and for whom: operands that are not to be evaluated, calls that are
//! statements, and texts whose heads or names stand in the compiler's way.

use super::*;
use crate::interface::Stage;

const GLSL: Lang = Lang::Glsl(Stage::Compute);

fn glsl(body: &str) -> String {
    format!(
        "#version 450
#extension GL_KHR_shader_subgroup_arithmetic : enable
layout(local_size_x = 4) in; layout(std430, binding = 0) buffer B {{ uint c[16]; }};
bool bump(uint k) {{ c[k] += 1u; return c[k] > 1u; }}
{body}"
    )
}

/// The buffer after a run of four invocations `i`.
fn after(functions: &str, body: &str) -> Vec<u32> {
    let source = glsl(&format!("{functions}\nvoid main() {{ uint i = gl_LocalInvocationIndex;\n{body}\n}}"));
    Run::glsl(&source).zeros(16).go().buffer(0).to_vec()
}

#[test]
fn the_right_operand_of_and_and_or_is_evaluated_only_where_it_decides() {
    let body = "
        bool a = i > 1u && atomicAdd(c[0], 1u) < 100u;
        bool b = i > 1u || atomicAdd(c[1], 1u) < 100u;
        uint x = i > 2u ? atomicAdd(c[2], 1u) : atomicAdd(c[3], 1u);
        if (i > 2u && warpAtomicAdd(c[5], 1u) == 0u) c[4] = 7u;
        if (i < 3u || i > 9u && warpAtomicAdd(c[6], 1u) == 0u || atomicAdd(c[6], 16u) == 0u) atomicAdd(c[7], 1u);
        bool d = i == 3u && subgroupAdd(1u) == 1u;
        if (d) c[8] = 5u;
        if (a && b) atomicAdd(c[9], 1u);";
    assert_eq!(after("", body)[..10], [2, 2, 1, 3, 7, 1, 16, 4, 5, 2]);
}

#[test]
fn so_in_loops_macros_and_calls_of_functions() {
    let functions = "
        #define BOTH(x, y) (x && y)
        #define TAKE atomicAdd(c[3], 1u)
        bool no(bool x) { return !x && bump(5u); }";
    let body = "
        uint k = 0u;
        while (k < i && atomicAdd(c[0], 1u) < 100u) k++;
        for (uint n = 0u; n < 9u && (n < i || atomicAdd(c[1], 1u) > 90u); n++) {}
        do { k--; } while (k < 9u && k > 0u && atomicAdd(c[2], 1u) < 100u);
        if (i == 2u && TAKE == 0u) atomicAdd(c[4], 1u);
        if (i == 1u && no(i == 1u)) c[6] = 1u;
        if (BOTH(i == 3u, bump(7u))) c[8] = 1u;
        if (i == 0u && k++ == 0xFFFFFFFFu) c[9] = k + 3u;
        if (i == 1u && k++ == 0u) c[10] = k;
        if (i == 2u && false && k++ == 0u || k == 0u) atomicAdd(c[11], 1u);";
    // Of `while`: 0 + 1 + 2 + 3 turns. Of `do`: k goes from i to 0, tested where it is not 0 (and
    // not below).
    assert_eq!(after(functions, body)[..12], [6, 4, 3, 1, 1, 0, 0, 1, 0, 3, 1, 3]);
}

#[test]
fn so_it_is_in_wgsl() {
    let run = Run::wgsl(
        "@group(0) @binding(0) var<storage, read_write> c: array<atomic<u32>, 8>;
         @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
             let a = i > 1u && atomicAdd(&c[0], 1u) < 100u;
             let b = i > 0u || warpAtomicAdd(&c[1], 1u) < 100u;
             if (a && b) { atomicAdd(&c[2], 1u); }
         }",
    );
    assert_eq!(run.zeros(8).go().buffer(0)[..3], [2, 1, 2]);
}

#[test]
fn a_directive_may_stand_in_the_middle_of_such_an_expression() {
    let body = "c[0] = 3u; bool b = c[0] > 1u\n#ifdef X\n&& c[1] > 1u\n#endif\n&& bump(2u); c[3] = uint(b);";
    assert_eq!(after("", &format!("if (i == 0u) {{ {body} }}"))[..4], [3, 0, 1, 0]);
}

#[test]
fn a_compare_and_exchange_of_the_warp_may_be_a_statement() {
    let run = Run::wgsl(
        "@group(0) @binding(0) var<storage, read_write> c: array<atomic<u32>, 4>;
         @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
             warpAtomicCompareExchange(&c[0], 0u, 5u);
             for (var k = 0u; k < 2u; k++) { warpAtomicCompareExchange(&c[1], k, k + 1u); }
             atomicStore(&c[2], warpAtomicCompareExchange(&c[0], 0u, 6u));
         }",
    );
    assert_eq!(run.zeros(4).go().buffer(0)[..3], [5, 2, 5]);
}

/// A variable that was read from a buffer is not the buffer.
#[test]
fn atomics_on_variables_of_the_function_are_refused() {
    for body in ["uint t = c[0]; uint o = atomicAdd(t, 1u); c[1] = o;", "uint t = c[0]; warpAtomicAdd(t, 1u);"] {
        let source = glsl(&format!("void main() {{\n{body}\n}}"));
        let message = &refused(&source, GLSL)[0];
        assert!(message.starts_with("t.wgsl:6:"), "{message}");
        assert!(message.contains("storage"), "{message}");
    }
}

#[test]
fn comments_may_stand_before_the_version_and_do_not_nest() {
    let source = "/* licence\n text */ // and more\n#version 450
#define ONE 1u
        #extension GL_KHR_shader_subgroup_arithmetic : enable
        /* see /* here */
        layout(local_size_x = 4) in;
        layout(std430, binding = 0) buffer B { uint c[4]; };
        void main() { warpAtomicAdd(c[0], subgroupAdd(1u)); while (warpLock(c[1]) == 0u) {} c[2] = 3u; }";
    assert_eq!(Run::glsl(source).zeros(4).go().buffer(0), [4, 1, 3, 0]);
}

#[test]
fn functions_with_the_compilers_names_are_refused_in_glsl() {
    let source = glsl("uint warpLock(uint a) { return a + 1u; }\nvoid main() { c[1] = warpLock(3u); }");
    let message = &refused(&source, GLSL)[0];
    assert!(message.starts_with("t.wgsl:6:22: ") && message.contains("give yours another name"), "{message}");
}

#[test]
fn wrong_numbers_of_arguments_are_said_of_the_function_that_was_written() {
    let source = "@group(0) @binding(0) var<storage, read_write> c: array<atomic<u32>>;
@compute @workgroup_size(4) fn main() {
  let old = warpLock(&c[0], 7u);
}";
    let message = &refused(source, Lang::Wgsl)[0];
    assert!(message.starts_with("t.wgsl:3:13: `warpLock` has 1 argument, not 2"), "{message}");
}

#[test]
fn subgroups_may_be_enabled_in_any_spelling() {
    for directive in [
        "enable subgroups;",
        "enable subgroups, f16;",
        "enable f16, subgroups;",
        "enable /* x */ subgroups ,;",
        "enable\nf16 ,\n subgroups\n;",
    ] {
        let source = format!(
            "// enable subgroups
{directive}
@group(0) @binding(0) var<storage, read_write> c: array<u32>;
@compute @workgroup_size(4) fn main() {{ c[0] = subgroupAdd(1u); }}"
        );
        assert_eq!(Run::wgsl(&source).zeros(1).go().buffer(0), [4], "{directive}");
    }
}
