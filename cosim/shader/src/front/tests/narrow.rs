//! Numbers of 8, 16 and 64 bits in SPIR-V where an operation looks at more than their lower word:
//! indices, group operations, carries, components of vectors. And what is refused of them.

use super::spirv::{buffer, op, Asm, TYPE_FLOAT, TYPE_UINT};
use super::*;
use crate::interface::Stage;

const GLSL: Lang = Lang::Glsl(Stage::Compute);
const USHORT: &[u32] = &[21, 16, 0];
const ULONG: &[u32] = &[21, 64, 0];

fn source(extensions: &str, lanes: u32, body: &str) -> String {
    let lines: String = extensions.split_whitespace().map(|e| format!("#extension {e} : require\n")).collect();
    format!(
        "#version 450\n{lines}layout(local_size_x = {lanes}) in;\n\
         layout(binding = 0, std430) buffer B {{ uint o[]; }};\n{body}"
    )
}

const TYPES: &str = "GL_EXT_shader_explicit_arithmetic_types";

#[test]
fn components_of_64_bits_are_two_words() {
    let body = "void main() {
        u64vec3 v = u64vec3(o[0], o[1], o[2]) + (u64vec3(1, 2, 3) << 32);
        u64vec2 w = v.zx;
        w = mix(w, v.yy, bvec2(o[0] == 5, o[0] == 6));
        v[o[3]] = 9ul;
        o[0] = uint(w.x); o[1] = uint(w.x >> 32); o[2] = uint(w.y); o[3] = uint(w.y >> 32);
        o[4] = uint(v[o[5]]); o[5] = uint(v.z);
    }";
    let run = Run::glsl(&source(TYPES, 1, body)).words(&[5, 6, 7, 2, 0, 1]).go();
    assert_eq!(run.buffer(0), [6, 2, 5, 1, 6, 9]);
}

#[test]
fn an_index_of_16_bits_has_no_upper_bits() {
    let mut a = Asm::new(&[22]);
    let lane = a.input(29);
    let words: Vec<u32> = (5..9).map(|k| a.uint(k)).collect();
    let vector = a.vector(&[21, 32, 0], 4);
    let whole = a.value(80, &vector, &words);
    // 0x8001 + 0x8001 is 2 in 16 bits.
    let half = a.constant(USHORT, 0x8001);
    let none = a.value(113, USHORT, &[lane]);
    let half = a.value(128, USHORT, &[half, none]);
    let two = a.value(128, USHORT, &[half, half]);
    let taken = a.value(77, TYPE_UINT, &[whole, two]);
    a.store(lane, taken);
    let nine = a.uint(99);
    let put = a.value(78, &vector, &[whole, nine, two]);
    let taken = a.value(81, TYPE_UINT, &[put, 2]);
    a.store(lane, taken);
    assert_eq!(buffer(a), [7, 99]);
}

/// IAddCarry and ISubBorrow, UMulExtended and SMulExtended on 16 bits; the first two on 64.
#[test]
fn carries_of_every_width() {
    let mut a = Asm::new(&[22, 11]);
    let lane = a.input(29);
    let none = a.value(113, USHORT, &[lane]);
    let (x, y) = (a.constant(USHORT, 0xFFF0), a.constant(USHORT, 0x0020));
    let x = a.value(128, USHORT, &[x, none]);
    let short = a.global(USHORT);
    let mut expected = vec![];
    for (code, operands, both) in [
        (149, [x, y], [0x10, 1]),
        (149, [y, y], [0x40, 0]),
        (150, [y, x], [0x30, 1]),
        (150, [x, y], [0xFFD0, 0]),
        (151, [x, y], [0xFE00, 0x1F]),
        (152, [x, y], [0xFE00, 0xFFFF]),
    ] {
        let pair = a.value(code, &[30, short, short], &operands);
        for k in 0..2 {
            let part = a.value(81, USHORT, &[pair, k]);
            let word = a.value(113, TYPE_UINT, &[part]);
            a.store(lane, word);
        }
        expected.extend(both);
    }
    let long = a.global(ULONG);
    let wide = |a: &mut Asm, word| {
        let word = a.uint(word);
        let long = a.value(113, ULONG, &[word]);
        let zero = a.value(113, ULONG, &[lane]);
        a.value(128, ULONG, &[long, zero])
    };
    let (x, one) = (wide(&mut a, u32::MAX), wide(&mut a, 1));
    let all = a.value(200, ULONG, &[one]);
    let all = a.value(128, ULONG, &[all, one]);
    for (code, operands, both) in [
        // 2^32, without a carry; 2^64 - 1 and 1; 1 - (2^64 - 1).
        (149, [x, one], [0, 1, 0]),
        (149, [all, one], [0, 0, 1]),
        (150, [one, all], [2, 0, 1]),
        (150, [x, one], [0xFFFF_FFFE, 0, 0]),
    ] {
        let pair = a.value(code, &[30, long, long], &operands);
        for (k, high) in [(0, false), (0, true), (1, false)] {
            let part = a.value(81, ULONG, &[pair, k]);
            let count = a.uint(if high { 32 } else { 0 });
            let part = a.value(194, ULONG, &[part, count]);
            let word = a.value(113, TYPE_UINT, &[part]);
            a.store(lane, word);
        }
        expected.extend(both);
    }
    assert_eq!(buffer(a), expected);
}

#[test]
fn group_operations_look_at_16_bits_only() {
    let extensions = "GL_EXT_shader_explicit_arithmetic_types GL_EXT_shader_subgroup_extended_types_int16 \
                      GL_KHR_shader_subgroup_arithmetic GL_KHR_shader_subgroup_vote";
    // Twice 0x8005 is 10 and a carry; twice 0x4001 is -32766.
    let body = "void main() {
        uint i = gl_LocalInvocationIndex;
        uint16_t k = uint16_t(o[i]); k = k + k;
        uint16_t n = uint16_t(o[4 + i]); n = n + n;
        o[i] = uint(subgroupAllEqual(k)) + 2u * uint(subgroupMin(k));
        o[4 + i] = uint(int(subgroupMin(int16_t(n))));
    }";
    let words = [0x8005, 5, 0x8005, 5, 0x4001, 1, 2, 3];
    let run = Run::glsl(&source(extensions, 4, body)).words(&words).go();
    assert_eq!(run.buffer(0), [21, 21, 21, 21, 0xFFFF_8002, 0xFFFF_8002, 0xFFFF_8002, 0xFFFF_8002]);
}

/// Blocks of work-group memory are one memory.
#[test]
fn shared_blocks_alias() {
    let body = "shared A { uint a[4]; }; shared C { uvec2 c[2]; };
        void main() { a[1] = o[1]; c[0].x = 7u; o[0] = a[0]; o[2] = c[0].y; }";
    let run = Run::glsl(&source("GL_EXT_shared_memory_block", 1, body)).words(&[1, 2, 0, 0]).go();
    assert_eq!(run.buffer(0), [7, 2, 2, 0]);
}

#[test]
fn what_would_be_wrong_is_refused() {
    let half = "GL_EXT_shader_explicit_arithmetic_types";
    let group = "GL_EXT_shader_explicit_arithmetic_types GL_EXT_shader_subgroup_extended_types_float16 \
                 GL_KHR_shader_subgroup_arithmetic";
    let one = "float16_t h = float16_t(o[0]); ";
    for (extensions, body, why) in [
        (half, "h = -h;", "arithmetic on 16-bit floats"),
        (half, "h = h / float16_t(3);", "arithmetic on 16-bit floats"),
        (half, "h = dot(f16vec2(h), f16vec2(h));", "arithmetic on 16-bit floats"),
        (half, "o[1] = uint(isnan(h));", "arithmetic on 16-bit floats"),
        (half, "h = (f16mat2(h) * f16vec2(h)).x;", "arithmetic on 16-bit floats"),
        (group, "h = subgroupAdd(h);", "arithmetic on 16-bit floats"),
        ("GL_NV_compute_shader_derivatives GL_EXT_shader_explicit_arithmetic_types", "", "two by two"),
    ] {
        let quads = if body.is_empty() { "layout(derivative_group_quadsNV) in;" } else { "" };
        let text = source(extensions, if body.is_empty() { 4 } else { 1 }, "");
        let text = format!("{text}{quads}\nvoid main() {{ {one}{body} o[0] = uint(float(h)); }}");
        let text =
            if body.is_empty() { text.replace("local_size_x = 4", "local_size_x = 2, local_size_y = 2") } else { text };
        let message = refused(&text, GLSL)[0].clone();
        assert!(message.contains(why), "{body}: {message}");
    }
}

/// Rounding to the nearest may be asked for; no other.
#[test]
fn a_conversion_rounds_to_the_nearest_or_is_refused() {
    for (mode, accepted) in [(None, true), (Some(0), true), (Some(1), false), (Some(2), false), (Some(3), false)] {
        let mut a = Asm::new(&[9]);
        let lane = a.input(29);
        let float = a.value(112, TYPE_FLOAT, &[lane]);
        let half = a.value(115, &[22, 16], &[float]);
        let back = a.value(115, TYPE_FLOAT, &[half]);
        let bits = a.bits(back);
        a.store(lane, bits);
        let decorated = mode.map_or(vec![], |mode| op(71, &[half, 39, mode]));
        let bytes = a.with(&decorated).finish();
        let result = parse("a.spv", &bytes, Lang::Spirv, None).and_then(|p| lower(&p, &Options::default()));
        assert_eq!(result.is_ok(), accepted, "{mode:?}");
    }
}

/// A vector of itself is an error, not a search without end.
#[test]
fn a_type_of_itself_ends() {
    let mut a = Asm::new(&[]);
    let lane = a.input(29);
    let vector = a.vector(&[21, 32, 0], 4);
    let whole = a.value(80, &vector, &[lane; 4]);
    let sum = a.value(128, &vector, &[whole, whole]);
    let part = a.value(81, TYPE_UINT, &[sum, 1]);
    a.store(lane, part);
    let mut words: Vec<u32> = a.finish().chunks(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    let at = words.windows(4).position(|w| w[0] == 4 << 16 | 23 && w[3] == 4).unwrap();
    words[at + 2] = words[at + 1];
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let result = parse("a.spv", &bytes, Lang::Spirv, None).and_then(|p| lower(&p, &Options::default()));
    assert!(result.is_err());
}
