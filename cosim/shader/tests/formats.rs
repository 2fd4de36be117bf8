//! Attributes of every format through vertex fetch, in every language: the bits that a fragment
//! writes are those that an exact calculation from the bytes gives. Places of components in packed
//! words are written here once more, from WebGPU's table of vertex formats.
//!
//! A triangle for each of eight elements covers a block of the target, and each component goes by
//! a flat varying to a target of its own, so no rounding but that of the conversion is in it. Wrong
//! would be a value that several conversions give; each list has both ends, the middle, and sign.

use crate::common::draw::{blocks, Buffer, Drawing, In, Source, BLOCKS, LANGUAGES, SIDE};

/// Every name of a format that has components of those.
const KINDS: [(&str, &[u32]); 12] = [
    ("float32", &[1, 2, 3, 4]),
    ("float16", &[1, 2, 4]),
    ("unorm8", &[1, 2, 4]),
    ("snorm8", &[1, 2, 4]),
    ("uint8", &[1, 2, 4]),
    ("sint8", &[1, 2, 4]),
    ("unorm16", &[1, 2, 4]),
    ("snorm16", &[1, 2, 4]),
    ("uint16", &[1, 2, 4]),
    ("sint16", &[1, 2, 4]),
    ("uint32", &[1, 2, 3, 4]),
    ("sint32", &[1, 2, 3, 4]),
];

fn bytes_of(kind: &str) -> usize {
    match kind.trim_start_matches(|c: char| c.is_alphabetic()) {
        "8" => 1,
        "16" => 2,
        _ => 4,
    }
}

/// Raw components of a kind, all that matter and a few more.
fn raw(kind: &str) -> [u32; 8] {
    match (kind, bytes_of(kind)) {
        ("float16", _) => [0, 0x8000, 0x3C00, 0x0001, 0x03FF, 0x7BFF, 0x7C00, 0xC555],
        ("float32", _) => [0.0, -0.0, 1.0, -2.5, 1e-40, 3.4e38, f32::NEG_INFINITY, 0.1].map(f32::to_bits),
        (_, 1) => [0, 1, 127, 128, 129, 200, 254, 255],
        (_, 2) => [0, 1, 0x7FFF, 0x8000, 0x8001, 0xABCD, 0xFFFE, 0xFFFF],
        _ => [0, 1, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xDEAD_BEEF, 0xFFFF_FFFE, 0xFFFF_FFFF],
    }
}

/// The quotient of two integers below 2^16, to the nearest f32: one of f64 that is rounded again is
/// the same, because no such quotient is that near to the middle of two f32 without being it.
fn quotient(a: i64, b: i64) -> u32 {
    ((a as f64 / b as f64) as f32).to_bits()
}

/// Half to float: sign, exponent and fraction as IEEE 754 has them; each half is a float.
fn half(h: u32) -> u32 {
    let (sign, exponent, fraction) = (h >> 15 & 1, h >> 10 & 31, f64::from(h & 0x3FF));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 => f64::INFINITY,
        e => (1024.0 + fraction) * 2f64.powi(e as i32 - 25),
    };
    (magnitude as f32).to_bits() | sign << 31
}

/// What a component of a format is, as the bits of an f32 or an integer.
fn meant(kind: &str, raw: u32) -> u32 {
    let signed = |bits: u32| i64::from(((raw << (32 - bits)) as i32) >> (32 - bits));
    match kind {
        "float16" => half(raw),
        "unorm8" => quotient(raw.into(), 255),
        "unorm16" => quotient(raw.into(), 65_535),
        "snorm8" => quotient(signed(8).max(-127), 127),
        "snorm16" => quotient(signed(16).max(-32_767), 32_767),
        "sint8" => signed(8) as u32,
        "sint16" => signed(16) as u32,
        _ => raw,
    }
}

/// Type in WGSL and in GLSL, its vectors' names, and how its bits become a float.
struct Type {
    wgsl: &'static str,
    glsl: [&'static str; 4],
    bits: [&'static str; 2],
    one: u32,
}

fn type_of(kind: &str) -> Type {
    match kind.as_bytes()[0] {
        b'u' if kind.starts_with("uint") => Type {
            wgsl: "u32",
            glsl: ["uint", "uvec2", "uvec3", "uvec4"],
            bits: ["bitcast<f32>", "uintBitsToFloat"],
            one: 1,
        },
        b's' if kind.starts_with("sint") => Type {
            wgsl: "i32",
            glsl: ["int", "ivec2", "ivec3", "ivec4"],
            bits: ["bitcast<f32>", "intBitsToFloat"],
            one: 1,
        },
        _ => Type { wgsl: "f32", glsl: ["float", "vec2", "vec3", "vec4"], bits: ["", ""], one: 1f32.to_bits() },
    }
}

/// Programs whose input has `words` components.
fn programs(lang: In, t: &Type, words: u32) -> (Source, Source) {
    let Type { wgsl, glsl, bits: [b, g], .. } = t;
    let ty = if words == 1 { (*wgsl).to_owned() } else { format!("vec{words}<{wgsl}>") };
    let gl = glsl[words as usize - 1];
    let part = |c: u32, name: &str| match (words, c < words) {
        (1, true) => name.to_owned(),
        (_, true) => format!("{name}.{}", ["x", "y", "z", "w"][c as usize]),
        _ => String::new(),
    };
    let outputs = |f: &str, name: &str| {
        let one = |c: u32| if c < words { format!("{f}({})", part(c, name)) } else { "0.5".into() };
        (0..4).map(one).collect::<Vec<_>>()
    };
    let vertex = Source::vertex(
        lang,
        &format!(
            "struct V {{ @builtin(position) p: vec4f, @location(3) @interpolate(flat) a: {ty} }}
@vertex fn main(@location(0) p: vec4f, @location(5) a: {ty}) -> V {{ return V(p, a); }}"
        ),
        &format!(
            "layout(location = 0) in vec4 p; layout(location = 5) in {gl} a;
layout(location = 3) flat out {gl} b; void main() {{ gl_Position = p; b = a; }}"
        ),
    );
    let fragment =
        Source::fragment(
            lang,
            &format!(
                "struct O {{ @location(0) a: f32, @location(1) b: f32, @location(2) c: f32, @location(3) d: f32 }}
@fragment fn main(@location(3) @interpolate(flat) v: {ty}) -> O {{ return O({}); }}",
                outputs(b, "v").join(", ")
            ),
            &format!(
            "layout(location = 3) flat in {gl} v; layout(location = 0) out float a; layout(location = 1) out float b;
layout(location = 2) out float c; layout(location = 3) out float d;
void main() {{ a = {}; b = {}; c = {}; d = {}; }}",
            outputs(g, "v")[0], outputs(g, "v")[1], outputs(g, "v")[2], outputs(g, "v")[3]
        ),
        );
    (vertex, fragment)
}

/// An element: its bytes, and what its components are.
type Element = (Vec<u8>, Vec<u32>);

/// Draws one format of components next to each other, as [`check_elements`].
fn check(lang: In, kind: &str, count: u32, words: u32, offset: u32) {
    let name: &'static str = Box::leak(match count {
        1 => kind.to_owned().into_boxed_str(),
        n => format!("{kind}x{n}").into_boxed_str(),
    });
    let (each, raw) = (bytes_of(kind), raw(kind));
    let elements = std::array::from_fn(|k| {
        let all: Vec<u32> = (0..count as usize).map(|c| raw[(k + 3 * c) % 8]).collect();
        let bytes = all.iter().flat_map(|w| w.to_le_bytes()[..each].to_vec()).collect();
        (bytes, all.iter().map(|&raw| meant(kind, raw)).collect())
    });
    check_elements(lang, (name, &type_of(kind)), &elements, words, offset);
}

/// Draws elements of one format, at an offset of larger ones, and compares every component of every
/// block.
fn check_elements(
    lang: In,
    (name, t): (&'static str, &Type),
    elements: &[Element; BLOCKS as usize],
    words: u32,
    offset: u32,
) {
    let size = elements[0].0.len() as u32;
    let stride = (offset + size).next_multiple_of(4) + offset;
    let mut bytes = vec![];
    for k in 0..3 * BLOCKS as usize {
        let start = bytes.len();
        // The first corner's value is the triangle's; the others have another one.
        let k = if k % 3 == 0 { k / 3 } else { k / 3 + 1 };
        bytes.resize(start + offset as usize, 0xA5);
        bytes.extend(&elements[k % BLOCKS as usize].0);
        bytes.resize(start + stride as usize, 0x5A);
    }
    let buffer = Buffer { attributes: vec![(5, name, offset)], stride, per_instance: false, bytes };
    let (vertex, fragment) = programs(lang, t, words);
    let picture = Drawing::new(vertex, fragment, vec![Buffer::vec4(0, &blocks(lang)), buffer], 3 * BLOCKS).draw();
    for (k, (_, components)) in (0..).zip(elements) {
        for c in 0..words {
            let missing = if c == 3 { t.one } else { 0 };
            let want = components.get(c as usize).copied().unwrap_or(missing);
            for at in [(2 * k, 0), (2 * k + 1, SIDE - 1)] {
                let got = picture.sample(c, 0, 0, at);
                assert_eq!(got, want, "{lang:?} {name} to {words} words, block {k}, component {c}: {got:#x} {want:#x}");
            }
        }
    }
}

/// A word of `unorm10-10-10-2`: red in the lowest ten bits, alpha in the highest two.
fn ten([r, g, b, a]: [u32; 4]) -> Element {
    let word = r | g << 10 | b << 20 | a << 30;
    let meant = [(r, 1023), (g, 1023), (b, 1023), (a, 3)].map(|(n, most)| quotient(n.into(), most));
    (word.to_le_bytes().to_vec(), meant.to_vec())
}

/// A word of `unorm8x4-bgra`: the first byte is blue.
fn bgra([r, g, b, a]: [u8; 4]) -> Element {
    (vec![b, g, r, a], [r, g, b, a].map(|n| quotient(n.into(), 255)).to_vec())
}

#[test]
fn every_format_in_every_language() {
    for lang in LANGUAGES {
        for (kind, counts) in KINDS {
            for &count in counts {
                check(lang, kind, count, 4, 0);
            }
        }
    }
}

#[test]
fn formats_at_offsets_and_of_fewer_words() {
    for (kind, counts) in KINDS {
        for &count in counts {
            check(In::Wgsl, kind, count, count, 4);
            check(In::Glsl, kind, count, 1 + count % 3, 8);
            check(In::Spirv, kind, count, 3, bytes_of(kind) as u32);
        }
    }
}

#[test]
fn packed_words_in_every_language() {
    let t = type_of("unorm8");
    let tens = [0, 1, 2, 511, 512, 544, 1022, 1023];
    let bytes = [0, 1, 127, 128, 129, 200, 254, 255];
    let tens = std::array::from_fn(|k| ten([tens[k], tens[(k + 3) % 8], tens[(k + 5) % 8], k as u32 % 4]));
    let bytes = std::array::from_fn(|k| bgra([0, 3, 5, 6].map(|c| bytes[(k + c) % 8])));
    for lang in LANGUAGES {
        for (words, offset) in [(4, 0), (3, 4), (1, 8), (2, 4)] {
            check_elements(lang, ("unorm10-10-10-2", &t), &tens, words, offset);
            check_elements(lang, ("unorm8x4-bgra", &t), &bytes, words, offset);
        }
    }
}

/// Every number of ten bits and every one of two, in each of its places.
#[test]
fn every_component_of_ten_and_two_bits() {
    let t = type_of("unorm8");
    for first in (0..1024).step_by(BLOCKS as usize) {
        let elements = std::array::from_fn(|k| {
            let n = first + k as u32;
            ten([n, 1023 - n, (n + 341) % 1024, n % 4])
        });
        check_elements(In::Wgsl, ("unorm10-10-10-2", &t), &elements, 4, 0);
    }
}

#[test]
fn names_that_are_no_formats() {
    use quadlock_shader::front::linkage::AttributeFormat;
    for name in [
        "unorm10-10-10-2x2",
        "unorm8x4-rgba",
        "unorm8-bgra",
        "snorm10-10-10-2",
        "float16x3",
        "uint8x3",
        "float32x5",
        "float64",
        "unorm32",
        "uint8x1",
        "",
        "float32x",
    ] {
        assert_eq!(AttributeFormat::from_name(name), None, "{name}");
    }
}
