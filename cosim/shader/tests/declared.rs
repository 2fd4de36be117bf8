//! Outputs of stages are there by their declaration (LP-4), whether the program stores to them or
//! not. One that nobody writes is 0, and one with an initialiser has that value where nothing else
//! is stored. Alone and linked.
//!
//! Wrong would be an output whose words are what the machine had before: pictures are drawn here,
//! and each pixel is looked at.

use crate::common::draw::{in_clip_space, pixels, Buffer, Drawing, In, Picture, Source, DEPTH_ALWAYS, SIDE, WHOLE};
use crate::random_spirv::spirv;
use quadlock_shader::front::linkage::{Attribute, AttributeFormat, TargetFormat};
use quadlock_shader::graphics::{compile_pipeline, PipelineRequest, StageSource};
use quadlock_shader::Options;

fn vert(body: &str) -> Source {
    Source::vertex(In::Glsl, "", &format!("layout(location = 0) in vec4 p;\n{body}"))
}

fn frag(body: &str) -> Source {
    Source::fragment(In::Glsl, "", body)
}

/// A triangle over the whole target, to four targets of one float.
fn whole(vertex: Source, fragment: Source) -> Drawing {
    Drawing::new(vertex, fragment, vec![Buffer::vec4(0, &in_clip_space(In::Glsl, WHOLE.to_vec()))], 3)
}

/// The picture, alone and linked, and what the compiler warns of: the same both times.
fn drawn(drawing: Drawing) -> ([Picture; 2], Vec<String>) {
    let pictures = [false, true].map(|linked| Drawing { linked, ..drawing.clone() }.draw());
    let warnings = |p: &Picture| p.pipeline.fragment.as_ref().unwrap().report.warnings.clone();
    assert_eq!(warnings(&pictures[0]), warnings(&pictures[1]));
    let said = warnings(&pictures[0]);
    (pictures, said)
}

/// Number of the first line of a source with that text.
fn line_of(source: &Source, what: &str) -> usize {
    source.text().lines().position(|l| l.contains(what)).unwrap() + 1
}

const FEW: &str = "layout(location = 0) out float x;
layout(location = 1) out vec2 y;
layout(location = 2) flat out uint n;
layout(location = 3) out B { float u; vec2 v; } b;
layout(location = 5) out float many[2];
layout(location = 7) out mat2 m;
layout(location = 9, component = 1) out float part;
void main() { gl_Position = p; x = 2.0; }";

/// Scalars, vectors, integers, blocks, arrays, matrices and components that nobody writes.
#[test]
fn an_output_that_is_never_written_is_zero() {
    let f = frag(
        "layout(location = 0) in float x;
layout(location = 1) in vec2 y;
layout(location = 2) flat in uint n;
layout(location = 3) in B { float u; vec2 v; } b;
layout(location = 5) in float many[2];
layout(location = 7) in mat2 m;
layout(location = 9, component = 1) in float part;
layout(location = 0) out float o0; layout(location = 1) out float o1;
layout(location = 2) out float o2; layout(location = 3) out float o3;
void main() { o0 = x; o1 = y.y + float(n) + b.u; o2 = b.v.x + many[1] + m[1][0]; o3 = part + 1.0; }",
    );
    let (pictures, warnings) = drawn(whole(vert(FEW), f.clone()));
    for (picture, at) in pictures.iter().flat_map(|p| pixels().map(move |at| (p, at))) {
        assert_eq!([0, 1, 2, 3].map(|t| picture.float(t, 0, at)), [2.0, 0.0, 0.0, 1.0], "{at:?}");
    }
    // Those that are read, each once, where the input is declared.
    let names = ["y;", "n;", "u;", "many", "m;", "part;"].map(|name| line_of(&f, name));
    for (line, name) in names.iter().zip(["`y`", "`n`", "`u`", "`many[1]`", "`m[1]`", "`part`"]) {
        let found = warnings.iter().filter(|w| w.starts_with(&format!("f.frag:{line}:")) && w.contains(name));
        assert_eq!(found.count(), 1, "{name}: {warnings:?}");
    }
    assert!(warnings.iter().all(|w| w.contains("is 0: vertex program main (v.vert) declares")), "{warnings:?}");
    assert!(!warnings.iter().any(|w| w.contains("`x`")), "{warnings:?}");
}

/// A fragment program in another language reads them all the same, and with a position part.
#[test]
fn declared_outputs_are_read_in_every_language() {
    let text = "struct O { @location(0) a: f32, @location(1) b: f32, @location(2) c: f32, @location(3) d: f32 }
@fragment fn main(@location(0) x: f32, @location(1) y: vec2f, @location(2) @interpolate(flat) n: u32) -> O {
    return O(x, y.x, y.y, f32(n)); }";
    for lang in [In::Wgsl, In::Spirv] {
        let f = Source::fragment(lang, text, "");
        let options = Options { position: true, ..Options::default() };
        let (pictures, _) = drawn(Drawing { options, ..whole(vert(FEW), f) });
        for (picture, at) in pictures.iter().flat_map(|p| pixels().map(move |at| (p, at))) {
            assert_eq!([0, 1, 2, 3].map(|t| picture.float(t, 0, at)), [2.0, 0.0, 0.0, 0.0], "{lang:?} {at:?}");
            assert!(picture.pipeline.vertex.binary.interface.position > 0, "{lang:?}");
        }
    }
}

fn op(code: u32, words: &[u32]) -> Vec<u32> {
    [&[(words.len() as u32 + 1) << 16 | code], words].concat()
}

/// A vertex program: `x` has the initialiser 0.75, `y` 0.5, and where p.x > 0, 1 is stored to `y`.
fn initialised() -> Source {
    let [main, pos, x, y, gp, void, function, float, boolean, vec4] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    let [three_quarters, half, zero, one, in4, out4, out1] = [11, 12, 13, 14, 15, 16, 17];
    let [label, p, px, c, then, merge] = [18, 19, 20, 21, 22, 23];
    let name = u32::from_le_bytes(*b"main");
    let constant = |id: u32, value: f32| op(43, &[float, id, value.to_bits()]);
    let module = [
        vec![0x0723_0203, 0x0001_0300, 0, 24, 0],
        op(17, &[1]),
        op(14, &[0, 1]),
        op(15, &[0, main, name, 0, pos, x, y, gp]),
        op(71, &[pos, 30, 0]),
        op(71, &[x, 30, 0]),
        op(71, &[y, 30, 1]),
        op(71, &[gp, 11, 0]),
        op(19, &[void]),
        op(33, &[function, void]),
        op(22, &[float, 32]),
        op(20, &[boolean]),
        op(23, &[vec4, float, 4]),
        constant(three_quarters, 0.75),
        constant(half, 0.5),
        constant(zero, 0.0),
        constant(one, 1.0),
        op(32, &[in4, 1, vec4]),
        op(32, &[out4, 3, vec4]),
        op(32, &[out1, 3, float]),
        op(59, &[in4, pos, 1]),
        op(59, &[out4, gp, 3]),
        op(59, &[out1, x, 3, three_quarters]),
        op(59, &[out1, y, 3, half]),
        op(54, &[void, main, 0, function]),
        op(248, &[label]),
        op(61, &[vec4, p, pos]),
        op(62, &[gp, p]),
        op(81, &[float, px, p, 0]),
        op(186, &[boolean, c, px, zero]),
        op(247, &[merge, 0]),
        op(250, &[c, then, merge]),
        op(248, &[then]),
        op(62, &[y, one]),
        op(249, &[merge]),
        op(248, &[merge]),
        op(253, &[]),
        op(56, &[]),
    ];
    Source::module(module.concat().into_iter().flat_map(u32::to_le_bytes).collect())
}

#[test]
fn an_initialiser_is_enough() {
    let f = frag(
        "layout(location = 0) in float x; layout(location = 1) in float y;
layout(location = 0) out float o0; layout(location = 1) out float o1;
layout(location = 2) out float o2; layout(location = 3) out float o3;
void main() { o0 = x; o1 = y; o2 = 0.0; o3 = 0.0; }",
    );
    let (pictures, warnings) = drawn(whole(initialised(), f));
    assert!(warnings.is_empty(), "{warnings:?}");
    for (picture, at) in pictures.iter().flat_map(|p| pixels().map(move |at| (p, at))) {
        assert_eq!(picture.float(0, 0, at), 0.75);
        // The corner with x = 3 has 1, the others a half: its weight grows from 0 to a half.
        let want = 0.5 + 0.25 * (at.0 as f32 + 0.5) / SIDE as f32;
        assert!((picture.float(1, 0, at) - want).abs() < 1e-6, "{at:?}: {}", picture.float(1, 0, at));
    }
}

/// A fragment program that stores nothing: four colours, a depth of 0.25 and, for SampleMask, a
/// mask of 0 are the initialisers of its outputs.
fn initialised_built_ins(mask: bool) -> Source {
    let [main, colour, built_in, void, function, float, vec4, out4, out1] = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    let [quarter, zero, all, label, int, ints, two, out_ints] = [10, 11, 12, 13, 14, 15, 16, 17];
    let colours = [colour, 18, 19, 20];
    let name = u32::from_le_bytes(*b"main");
    let (what, pointer, value) = if mask { (20, out_ints, zero) } else { (22, out1, quarter) };
    let own = match mask {
        true => vec![],
        false => op(16, &[main, 12]),
    };
    let module = [
        vec![0x0723_0203, 0x0001_0300, 0, 21, 0],
        op(17, &[1]),
        op(14, &[0, 1]),
        op(15, &[&[4, main, name, 0, built_in], &colours[..]].concat()),
        op(16, &[main, 7]),
        own,
        (0..4).flat_map(|n| op(71, &[colours[n as usize], 30, n])).collect(),
        op(71, &[built_in, 11, what]),
        op(19, &[void]),
        op(33, &[function, void]),
        op(22, &[float, 32]),
        op(21, &[int, 32, 1]),
        op(43, &[int, two, 1]),
        op(28, &[ints, int, two]),
        op(23, &[vec4, float, 4]),
        op(43, &[float, quarter, 0.25f32.to_bits()]),
        op(46, &[ints, zero]),
        op(44, &[vec4, all, quarter, quarter, quarter, quarter]),
        op(32, &[out4, 3, vec4]),
        op(32, &[out1, 3, float]),
        op(32, &[out_ints, 3, ints]),
        colours.iter().flat_map(|&c| op(59, &[out4, c, 3, all])).collect(),
        op(59, &[pointer, built_in, 3, value]),
        op(54, &[void, main, 0, function]),
        op(248, &[label]),
        op(253, &[]),
        op(56, &[]),
    ];
    Source::module(module.concat().into_iter().flat_map(u32::to_le_bytes).collect())
}

/// Depth and sample mask have initialisers as colours have.
#[test]
fn built_in_outputs_have_initialisers() {
    let vertex = || vert("void main() { gl_Position = p; }");
    let tested = |drawing: Drawing| Drawing { flags: DEPTH_ALWAYS, ..drawing };
    let (depths, _) = drawn(tested(whole(vertex(), initialised_built_ins(false))));
    let quarter = (0.25f32 * 16_777_215.0).round() as u32;
    for (picture, at) in depths.iter().flat_map(|p| pixels().map(move |at| (p, at))) {
        assert_eq!((picture.float(0, 0, at), picture.depth(0, at)), (0.25, quarter), "{at:?}");
    }
    let (masked, _) = drawn(whole(vertex(), initialised_built_ins(true)));
    for (picture, at) in masked.iter().flat_map(|p| pixels().map(move |at| (p, at))) {
        assert_ne!(picture.float(0, 0, at), 0.25, "{at:?}: a sample of the mask 0 is written");
    }
}

/// Of a fragment program: each component that is declared is 0, others as docs/scenes.md says.
#[test]
fn a_colour_that_is_never_written_is_zero() {
    let f = frag(
        "layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
layout(location = 2) out vec3 c;
layout(location = 3) out float d[1];
layout(location = 5) out ivec4 nowhere;
void main() { a = vec4(1); }",
    );
    let targets = vec![TargetFormat::Rgba8Unorm; 4];
    let (pictures, warnings) = drawn(Drawing { targets, ..whole(vert("void main() { gl_Position = p; }"), f) });
    for (picture, at) in pictures.iter().flat_map(|p| pixels().map(move |at| (p, at))) {
        let all = [0, 1, 2, 3].map(|t| picture.resolved(t, at));
        assert_eq!(all, [[255; 4], [0; 4], [0, 0, 0, 255], [0, 0, 0, 255]], "{at:?}");
    }
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    for (warning, line) in warnings.iter().zip(3..) {
        assert!(warning.starts_with(&format!("f.frag:{line}:")), "{warning}");
        assert!(warning.contains("is 0: it is declared and never written"), "{warning}");
    }
}

fn refused(vertex: &StageSource, fragment: &StageSource, written: bool) -> String {
    let format = AttributeFormat::from_name("float32x4").unwrap();
    let attribute = Attribute { location: 0, format, slot: 0, offset: 0, stride: 16, per_instance: false };
    let request = PipelineRequest {
        vertex: *vertex,
        fragment: Some(*fragment),
        attributes: vec![attribute],
        targets: vec![TargetFormat::Rgba8Unorm],
        written: vec![written],
        samples: 1,
        link: None,
        alpha_to_coverage: false,
        options: Options::default(),
    };
    compile_pipeline(&request).err().map_or_else(|| "is not refused".into(), |e| e.to_string())
}

/// A colour of integers has no target; where the draw writes none, nobody minds.
#[test]
fn a_declared_colour_has_to_fit_a_target_that_is_written() {
    let v = vert("void main() { gl_Position = p; }");
    let f = frag("layout(location = 0) out ivec4 colour;\nvoid main() {}");
    assert_eq!(refused(&v.stage(), &f.stage(), false), "is not refused");
    let said = refused(&v.stage(), &f.stage(), true);
    assert!(said.starts_with("f.frag:2:32: ") && said.contains("`colour` is no float"), "{said}");
}

/// Built-in outputs are there by their stores: a position that nobody writes stays an error, and
/// depth stays that of the triangle.
#[test]
fn a_built_in_output_is_there_by_its_store() {
    let f = frag("layout(location = 0) out vec4 o; void main() { o = vec4(1); }");
    let v =
        vert("out gl_PerVertex { vec4 gl_Position; };\nlayout(location = 0) out float x;\nvoid main() { x = p.x; }");
    let said = refused(&v.stage(), &f.stage(), true);
    assert!(said.starts_with("v.vert:") && said.contains("gives no position"), "{said}");
    let f = frag(
        "layout(depth_any) out float gl_FragDepth;\nlayout(location = 0) out vec4 o; void main() { o = vec4(1); }",
    );
    let drawing = whole(vert("void main() { gl_Position = p; }"), f);
    let pipeline = Drawing { targets: vec![TargetFormat::Rgba8Unorm], ..drawing }.compile().unwrap();
    assert!(!pipeline.writes_depth);
}

/// An input that the fragment program does not read asks for no output, and an output of another
/// entry point is none of this one.
#[test]
fn declarations_of_others_do_not_count() {
    let v = vert("layout(location = 0) out float x;\nvoid main() { gl_Position = p; x = 1.0; }");
    let f = frag("layout(location = 9) in float unread; layout(location = 0) out vec4 o; void main() { o = vec4(1); }");
    assert_eq!(refused(&v.stage(), &f.stage(), true), "is not refused");
    let module = spirv(
        "struct A { @builtin(position) p: vec4f, @location(0) x: f32, @location(1) y: f32 }
struct B { @builtin(position) p: vec4f, @location(0) x: f32 }
@vertex fn first(@location(0) p: vec4f) -> A { return A(p, 1.0, 2.0); }
@vertex fn second(@location(0) p: vec4f) -> B { return B(p, 3.0); }",
    );
    let f = frag("layout(location = 1) in float y; layout(location = 0) out vec4 o; void main() { o = vec4(y); }");
    let entry = |name| StageSource { path: "s.spv", source: &module, entry: Some(name) };
    assert_eq!(refused(&entry("first"), &f.stage(), true), "is not refused");
    let said = refused(&entry("second"), &f.stage(), true);
    assert!(said.starts_with("f.frag:2:31: ") && said.contains("gives no output for input `y`"), "{said}");
}

/// A program that never ends has the outputs that it declares.
#[test]
fn a_program_that_never_ends_has_its_outputs() {
    let v = vert(
        "layout(location = 0) out float x;
void main() { gl_Position = p; x = 1.0; for (;;) { gl_Position.x += 1.0; } }",
    );
    let f = frag("layout(location = 0) in float x; layout(location = 0) out vec4 o; void main() { o = vec4(x); }");
    assert_eq!(refused(&v.stage(), &f.stage(), true), "is not refused");
}
