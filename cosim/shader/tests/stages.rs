//! The interface of a vertex and a fragment program (LP-4): what fits, and what is refused with
//! file, line, column and the fix. The rule is WebGPU's of two WGSL programs, Vulkan's of GLSL and
//! SPIR-V, and of one of each as docs/scenes.md says. Wrong would be a test that only asks whether
//! there is an error: places are asked for, which the test counts in its own text.

use crate::random_spirv::spirv;
use quadlock_shader::front::linkage::{Attribute, AttributeFormat, TargetFormat};
use quadlock_shader::graphics::{compile_pipeline, Pipeline, PipelineRequest, StageSource};
use quadlock_shader::Options;

/// A program: the name of its file decides its language.
type Source = (&'static str, Vec<u8>);

fn wgsl(text: &str) -> Source {
    ("w.wgsl", text.as_bytes().to_vec())
}

fn vert(body: &str) -> Source {
    ("g.vert", format!("#version 450\n{body}").into_bytes())
}

fn frag(body: &str) -> Source {
    ("g.frag", format!("#version 450\n{body}").into_bytes())
}

/// As naga writes it.
fn spv(text: &str) -> Source {
    ("s.spv", spirv(text))
}

fn compile_to(vertex: &Source, fragment: &Source, targets: usize, written: &[bool]) -> Result<Pipeline, String> {
    let attributes = (0..4).map(|location| Attribute {
        location,
        format: AttributeFormat::from_name("float32x4").unwrap(),
        slot: location,
        offset: 0,
        stride: 16,
        per_instance: false,
    });
    compile_pipeline(&PipelineRequest {
        vertex: StageSource { path: vertex.0, source: &vertex.1, entry: None },
        fragment: Some(StageSource { path: fragment.0, source: &fragment.1, entry: None }),
        attributes: attributes.collect(),
        targets: vec![TargetFormat::Rgba8Unorm; targets],
        written: written.to_vec(),
        samples: 4,
        link: None,
        alpha_to_coverage: false,
        options: Options::default(),
    })
    .map_err(|e| e.to_string())
}

fn compile(vertex: &Source, fragment: &Source) -> Result<Pipeline, String> {
    compile_to(vertex, fragment, 1, &[])
}

fn refused(vertex: &Source, fragment: &Source) -> String {
    compile(vertex, fragment).err().unwrap_or_else(|| "is not refused".into())
}

/// Where a text stands in a source, as messages write it.
fn place(source: &Source, what: &str, nth: usize) -> String {
    let text = String::from_utf8_lossy(&source.1).into_owned();
    let (at, _) = text.match_indices(what).nth(nth).unwrap_or_else(|| panic!("no `{what}`"));
    let line = text[..at].matches('\n').count() + 1;
    let column = at - text[..at].rfind('\n').map_or(0, |i| i + 1) + 1;
    format!("{}:{line}:{column}: ", source.0)
}

/// How a varying can be taken, in WGSL, in GLSL, and in messages.
const WAYS: [(&str, &str, &str); 7] = [
    ("flat", "flat", "flat"),
    ("perspective", "", "perspective (at the centre)"),
    ("perspective, centroid", "centroid", "perspective at the centroid"),
    ("perspective, sample", "sample", "perspective at the sample"),
    ("linear", "noperspective", "linear (at the centre)"),
    ("linear, centroid", "noperspective centroid", "linear at the centroid"),
    ("linear, sample", "noperspective sample", "linear at the sample"),
];

fn wgsl_vertex(way: &str) -> String {
    format!(
        "struct V {{ @builtin(position) p: vec4f, @location(0) @interpolate({way}) c: vec4f }}
@vertex fn main(@location(0) a: vec4f) -> V {{ return V(a, a); }}"
    )
}

fn wgsl_fragment(way: &str) -> String {
    format!("@fragment fn main(@location(0) @interpolate({way}) colour: vec4f)\n -> @location(0) vec4f {{ return colour; }}")
}

fn glsl_vertex(way: &str) -> Source {
    vert(&format!(
        "layout(location = 0) in vec4 a;
layout(location = 0) {way} out vec4 c;
void main() {{ gl_Position = a; c = a; }}"
    ))
}

fn glsl_fragment(way: &str) -> Source {
    frag(&format!(
        "layout(location = 0) out vec4 o;
layout(location = 0) {way} in vec4 colour;
void main() {{ o = colour; }}"
    ))
}

#[test]
fn wgsl_programs_say_the_same_of_interpolation() {
    for (output, _, there) in WAYS {
        for (input, _, here) in WAYS {
            let (v, f) = (wgsl(&wgsl_vertex(output)), wgsl(&wgsl_fragment(input)));
            if output == input {
                assert!(compile(&v, &f).is_ok(), "{output}");
                continue;
            }
            let said = refused(&v, &f);
            assert!(said.starts_with(&place(&f, "colour", 0)), "{said}");
            let what =
                format!("input `colour` at location 0 is {here}, and vertex program main (w.wgsl) gives it {there}");
            let fix = format!("(say the same of both: make the input {there}, or the output {here})");
            assert!(said.contains(&what) && said.ends_with(&fix), "{said}");
        }
    }
}

#[test]
fn one_program_of_each_says_the_same_too() {
    for (k, (a, glsl, _)) in WAYS.iter().enumerate() {
        for (n, (b, other, _)) in WAYS.iter().enumerate() {
            let (v, f) = (wgsl(&wgsl_vertex(a)), glsl_fragment(other));
            assert_eq!(compile(&v, &f).is_ok(), k == n, "{a}; {other}");
            if k != n {
                assert!(refused(&v, &f).starts_with(&place(&f, "colour", 0)), "{}", refused(&v, &f));
            }
            let (v, f) = (glsl_vertex(glsl), wgsl(&wgsl_fragment(b)));
            assert_eq!(compile(&v, &f).is_ok(), k == n, "{glsl}; {b}");
        }
    }
}

#[test]
fn between_programs_of_vulkan_the_input_decides() {
    for (_, output, there) in WAYS {
        for (_, input, here) in WAYS {
            for (v, f) in [
                (glsl_vertex(output), glsl_fragment(input)),
                (spv(&wgsl_vertex(of_wgsl(output))), glsl_fragment(input)),
            ] {
                let p = compile(&v, &f).unwrap_or_else(|e| panic!("{e}"));
                assert_eq!(p.flat != 0, here == "flat", "{output}; {input}");
                assert_eq!(p.linear != 0, here.starts_with("linear"), "{output}; {input}");
                // An output that says nothing leaves it to the input.
                let warned = there != here && !output.is_empty();
                let warnings = &p.fragment.as_ref().expect("a fragment program").report.warnings;
                assert_eq!(warnings.len(), usize::from(warned), "{output}; {input}: {warnings:?}");
                assert!(warnings.iter().all(|w| w.starts_with(&place(&f, "colour", 0))), "{warnings:?}");
            }
        }
    }
}

fn of_wgsl(glsl: &str) -> &'static str {
    WAYS.iter().find(|w| w.1 == glsl).map_or("", |w| w.0)
}

#[test]
fn integers_have_the_same_sign_and_are_flat() {
    let v = |ty: &str| {
        wgsl(&format!(
            "struct V {{ @builtin(position) p: vec4f, @location(0) @interpolate(flat) c: {ty} }}
@vertex fn main(@location(0) a: vec4f) -> V {{ return V(a, {ty}(a.x)); }}"
        ))
    };
    let f = |ty: &str| {
        wgsl(&format!(
            "@fragment fn main(@location(0) @interpolate(flat) number: {ty}) -> @location(0) vec4f {{
 return vec4f(f32(number)); }}"
        ))
    };
    for (a, b) in [("u32", "i32"), ("i32", "u32"), ("f32", "u32"), ("i32", "f32")] {
        assert!(compile(&v(a), &f(a)).is_ok());
        let said = refused(&v(a), &f(b));
        assert!(said.starts_with(&place(&f(b), "number", 0)) && said.contains("make both the same type"), "{said}");
    }
    let g = |ty: &str| {
        frag(&format!(
            "layout(location = 0) flat in {ty} number; layout(location = 0) out vec4 o;
void main() {{ o = vec4(number); }}"
        ))
    };
    // GLSL need not say of an output that it is flat.
    let h = vert(
        "layout(location = 0) in vec4 a; layout(location = 0) out uint n;\nvoid main() { gl_Position = a; n = 3u; }",
    );
    assert!(compile(&h, &g("uint")).is_ok() && compile(&h, &f("u32")).is_ok());
    for source in [h, spv(&String::from_utf8_lossy(&v("u32").1))] {
        let said = refused(&source, &g("int"));
        assert!(said.starts_with(&place(&g("int"), "number", 0)), "{said}");
        assert!(said.contains("is of signed integers, and its output of") && said.contains("unsigned"), "{said}");
    }
    // A word of the binary, where there is no text.
    let said = refused(&v("i32"), &spv(&String::from_utf8_lossy(&f("u32").1)));
    assert!(said.starts_with("s.spv: word "), "{said}");
}

#[test]
fn sizes_of_an_input_and_its_output() {
    let v = |ty: &str| {
        wgsl(&format!(
            "struct V {{ @builtin(position) p: vec4f, @location(0) c: {ty} }}
@vertex fn main(@location(0) a: vec4f) -> V {{ return V(a, {ty}()); }}"
        ))
    };
    let f = |ty: &str| {
        let text = format!("struct I {{\n  @location(0) colour: {ty} }}\n@fragment fn main(i: I) -> @location(0) vec4f {{ return vec4f(i.colour[0]); }}");
        wgsl(&text)
    };
    let g = |ty: &str| {
        frag(&format!(
            "layout(location = 0) out vec4 o; layout(location = 0) in {ty} colour;\nvoid main() {{ o = vec4(colour.x); }}"
        ))
    };
    for (given, taken) in [("vec2f", "vec4f"), ("vec3f", "vec4f"), ("vec2f", "vec3f")] {
        let said = refused(&v(given), &f(taken));
        let what = "has more components than vertex program main (w.wgsl) gives";
        assert!(said.starts_with(&place(&f(taken), "colour", 0)) && said.contains(what), "{said}");
        assert!(compile(&v(given), &f(given)).is_ok());
        // WebGPU takes all of an output.
        let said = refused(&v(taken), &f(given));
        assert!(said.starts_with(&place(&f(given), "colour", 0)) && said.contains("make both the same type"), "{said}");
        // Vulkan does not.
        let glsl = taken.replace('f', "");
        let said = refused(&v(given), &g(&glsl));
        assert!(said.starts_with(&place(&g(&glsl), "colour", 0)), "{said}");
        assert!(compile(&v(taken), &g(&given.replace('f', ""))).is_ok());
    }
}

#[test]
fn an_input_without_an_output() {
    let v = glsl_vertex("");
    let f =
        frag("layout(location = 0) out vec4 o; layout(location = 2) in vec2 x,\n   y;\nvoid main() { o = y.xyxy; }");
    let said = refused(&v, &f);
    assert!(said.contains("overlapping") || said.starts_with(&place(&f, "y;", 0)), "{said}");
    let f = frag(
        "layout(location = 0) out vec4 o;\nin B { layout(location = 3) vec2 y; } b;\nvoid main() { o = b.y.xyxy; }",
    );
    let said = refused(&v, &f);
    assert!(said.starts_with(&place(&f, "y;", 0)) && said.contains("no output for input `y` at location 3"), "{said}");
    assert!(said.contains("its outputs have the locations 0"), "{said}");
    let v = vert("layout(location = 9) in vec4 missing;\nvoid main() { gl_Position = missing; }");
    let said = refused(&v, &frag("layout(location = 0) out vec4 o; void main() { o = vec4(1); }"));
    assert!(said.starts_with(&place(&v, "missing", 0)) && said.contains("no vertex buffer has"), "{said}");
}

#[test]
fn each_target_that_is_written_has_an_output() {
    let v = wgsl(&wgsl_vertex("perspective"));
    let (w, g) = (wgsl(&wgsl_fragment("perspective")), glsl_fragment(""));
    for (f, at) in [(&w, place(&w, "main", 0)), (&g, place(&g, "main", 0))] {
        let said = compile_to(&v, f, 2, &[]).err().unwrap_or_default();
        assert!(said.starts_with(&at) && said.contains("no output for target 1, which the draw writes"), "{said}");
        assert!(said.contains("\"\" as entry 1 of the state's `write`"), "{said}");
        assert!(compile_to(&v, f, 2, &[true, false]).is_ok());
        assert!(compile_to(&v, f, 2, &[false, true]).is_err());
    }
    let said = compile_to(&v, &wgsl("@fragment fn main() {}"), 1, &[]).err().unwrap_or_default();
    assert!(said.starts_with("w.wgsl:1:14: "), "{said}");
    assert!(compile_to(&v, &wgsl("@fragment fn main() {}"), 1, &[false]).is_ok());
    assert!(compile_to(&v, &wgsl("@fragment fn main() { discard; }"), 0, &[]).is_ok());
    // An output without a target.
    let said = compile_to(&v, &w, 0, &[]).err().unwrap_or_default();
    assert!(said.starts_with(&place(&w, "@location(0) vec4f {", 0)) && said.contains("no such target"), "{said}");
    let said = compile_to(&v, &g, 0, &[]).err().unwrap_or_default();
    assert!(said.starts_with(&place(&g, "o;", 0)) && said.contains("no such target"), "{said}");
}

#[test]
fn distances_that_would_clip_are_refused() {
    let f = glsl_fragment("");
    for name in ["gl_ClipDistance", "gl_CullDistance"] {
        let v = vert(&format!(
            "layout(location = 0) in vec4 a; layout(location = 0) out vec4 c; out float {name}[1];
void main() {{ gl_Position = a; c = a;  {name}[0] = a.x; }}"
        ));
        let said = refused(&v, &f);
        assert!(said.starts_with(&place(&v, name, 1)) && said.contains("discard in the fragment program"), "{said}");
    }
    let v = wgsl(
        "enable clip_distances;
struct V { @builtin(position) p: vec4f, @builtin(clip_distances) clips: array<f32, 1>, @location(0) c: vec4f }
@vertex fn main(@location(0) a: vec4f) -> V { return V(a, array<f32, 1>(a.x), a); }",
    );
    let said = refused(&v, &wgsl(&wgsl_fragment("perspective")));
    assert!(said.starts_with(&place(&v, "clips", 0)) && said.contains("clip_distances"), "{said}");
    // The size of points, which nobody draws.
    let v = vert(
        "layout(location = 0) in vec4 a; layout(location = 0) out vec4 c;
void main() { gl_Position = a; c = a; gl_PointSize = 4.0; }",
    );
    assert!(compile(&v, &f).is_ok());
}

#[test]
fn stores_of_vertices_are_refused_where_they_are() {
    let f = frag("layout(location = 0) out vec4 o; void main() { o = vec4(1); }");
    for (text, at) in [
        ("b.n[gl_VertexIndex] = 7u;", "b.n[gl"),
        ("uint x = 1u;  atomicAdd(b.n[0], x);", "atomicAdd"),
        ("put(3u);", "b.n[i]"),
    ] {
        let v = vert(&format!(
            "layout(location = 0) in vec4 a;
layout(binding = 0) buffer B {{ uint n[]; }} b;
void put(uint i) {{ if (a.x > 2.0)   b.n[i] = i; }}
void main() {{ gl_Position = a;
    {text} }}"
        ));
        let said = refused(&v, &f);
        assert!(said.starts_with(&place(&v, at, 0)) && said.contains("may not write memory"), "{said}");
        assert!(said.contains("write from fragments"), "{said}");
    }
    for (text, at) in [("data[3] = 7u;", "data[3]"), ("let x = 1u; atomicMax(&sum, x);", "atomicMax")] {
        let v = wgsl(&format!(
            "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> sum: atomic<u32>;
@vertex fn main(@location(0) a: vec4f) -> @builtin(position) vec4f {{
    {text}
    return a; }}"
        ));
        let said = refused(&v, &f);
        assert!(said.starts_with(&place(&v, at, 0)) && said.contains("may not write memory"), "{said}");
        let said = refused(&spv(&String::from_utf8_lossy(&v.1)), &f);
        assert!(said.starts_with("s.spv: word "), "{said}");
    }
}

#[test]
fn what_is_not_there_is_refused_at_its_word() {
    let v = glsl_vertex("");
    for (text, at) in [
        ("o = a + vec4(gl_PrimitiveID);", "gl_PrimitiveID"),
        ("o = a + vec4(gl_PointCoord, 0, 1);", "gl_PointCoord"),
        ("o = a +  interpolateAtCentroid(a);", "interpolateAtCentroid"),
        ("o = a;   o += texture(image, a.xy);", "image, "),
        ("o = a;   o = vec4(nothing);", "nothing"),
        ("o = a; int i =    1.5 +   foo(2);", "foo"),
    ] {
        let f = frag(&format!(
            "layout(location = 0) in vec4 a; layout(location = 0) out vec4 o; layout(binding = 0) uniform sampler2D image;
void main() {{
  {text}
}}"
        ));
        let said = refused(&v, &f);
        assert!(said.starts_with(&place(&f, at, 0)), "{}: {said}", place(&f, at, 0));
    }
}

/// Halves of words are neither interpolated nor fetched nor blended as floats of 32 bits.
#[test]
fn floats_of_16_bits_are_no_input_and_no_output() {
    const HALVES: &str = "#extension GL_EXT_shader_explicit_arithmetic_types : enable\n";
    let v = |given: &str| {
        vert(&format!(
            "{HALVES}layout(location = 0) in vec4 a; layout(location = 0) out {given} colour;
void main() {{ gl_Position = a; colour = {given}(a.xy); }}"
        ))
    };
    let f = |taken: &str, colour: &str| {
        frag(&format!(
            "{HALVES}layout(location = 0) in {taken} a; layout(location = 0) out {colour} o;
void main() {{ o = {colour}(a, a); }}"
        ))
    };
    assert!(compile(&v("vec2"), &f("vec2", "vec4")).is_ok());
    let fetched = vert(&format!(
        "{HALVES}layout(location = 0) in f16vec4 colour;\nvoid main() {{ gl_Position = vec4(colour); }}"
    ));
    for (v, f, wrong) in [
        (v("f16vec2"), f("vec2", "vec4"), "colour"),
        (v("vec2"), f("f16vec2", "vec4"), "a;"),
        (v("vec2"), f("vec2", "f16vec4"), "o;"),
        (fetched, frag("layout(location = 0) out vec4 o; void main() { o = vec4(1); }"), "colour"),
    ] {
        let at = if wrong == "colour" { place(&v, wrong, 0) } else { place(&f, wrong, 0) };
        let said = refused(&v, &f);
        assert!(said.starts_with(&at) && said.contains("16-bit floats"), "{at}: {said}");
    }
}

/// A second colour of one target would be taken for the first.
#[test]
fn two_colours_of_one_target_are_refused() {
    let f = frag(
        "layout(location = 0, index = 0) out vec4 c;
layout(location = 0, index = 1) out vec4 d;\nvoid main() { c = vec4(1); d = vec4(0.5); }",
    );
    let v = vert("layout(location = 0) in vec4 a; void main() { gl_Position = a; }");
    let said = refused(&v, &f);
    assert!(said.starts_with(&place(&f, "d;", 0)) && said.contains("has index 1"), "{said}");
}

/// Vectors of three or four 64-bit numbers take two locations.
#[test]
fn wide_vectors_take_two_locations() {
    const WIDE: &str = "#extension GL_EXT_shader_explicit_arithmetic_types : enable\n";
    let v = vert(&format!(
        "{WIDE}layout(location = 0) in vec4 a; layout(location = 0) flat out u64vec3 q[2]; layout(location = 4) out vec2 r;
void main() {{ gl_Position = a; q[0] = u64vec3(1, 2, 3); q[1] = u64vec3(floatBitsToUint(a.x)); r = a.xy; }}"
    ));
    let f = frag(&format!(
        "{WIDE}layout(location = 0) flat in u64vec3 q[2]; layout(location = 4) in vec2 r; layout(location = 0) out vec4 o;
void main() {{ o = vec4(r, uint(q[0].z), uint(q[1].z)); }}"
    ));
    let given = compile(&v, &f).unwrap().vertex.binary.interface.graphics.unwrap().varyings;
    let locations: std::collections::BTreeSet<u32> = given.iter().map(|v| v.location).collect();
    assert_eq!((locations.into_iter().collect(), given.len()), (vec![0, 1, 2, 3, 4], 14));
}

/// Locations and components that no stage has, as a module may say them.
#[test]
fn numbers_of_locations_and_components_have_an_end() {
    let v = spv("struct V { @builtin(position) p: vec4f, @location(0) c: vec2f }
@vertex fn main(@location(0) a: vec4f) -> V { return V(a, a.xy); }");
    let f = spv("@fragment fn main(@location(0) c: vec2f) -> @location(0) vec4f { return c.xyxy; }");
    assert!(compile(&v, &f).is_ok());
    for (component, program) in [(3, &v), (u32::MAX, &v), (3, &f), (u32::MAX, &f)] {
        let wrong = (program.0, decorated(&program.1, |inst| inst.extend([4 << 16 | 71, inst[1], 31, component])));
        let said = if program == &v { refused(&wrong, &f) } else { refused(&v, &wrong) };
        assert!(said.contains("a location has components 0 to 3"), "{component}: {said}");
        assert!(said.starts_with("s.spv: word "), "{said}");
    }
    let far = ("s.spv", decorated(&v.1, |inst| inst[3] = u32::MAX));
    let said = refused(&far, &f);
    assert!(said.contains("there is no location 4294967295"), "{said}");
}

/// The module with each instruction changed that gives a variable its location.
fn decorated(module: &[u8], change: impl Fn(&mut Vec<u32>)) -> Vec<u8> {
    let words: Vec<u32> = module.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    let mut out = words[..5].to_vec();
    let mut at = 5;
    while let Some(&first) = words.get(at) {
        let mut inst = words[at..at + (first >> 16) as usize].to_vec();
        at += inst.len();
        if first == 4 << 16 | 71 && inst[2] == 30 {
            change(&mut inst);
        }
        out.extend(inst);
    }
    out.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Push constants have a name in any case, for that alone chooses them; and no buffer has their
/// numbers.
#[test]
fn push_constants_have_a_name_and_no_number() {
    let text = "struct P { a: vec4f }
var<immediate> pc: P;
@vertex fn main(@location(0) a: vec4f) -> @builtin(position) vec4f { return a * pc.a; }";
    let f = frag("layout(location = 0) out vec4 o; void main() { o = vec4(1); }");
    let glsl = vert(
        "layout(push_constant) uniform P { vec4 a; } pc; layout(location = 0) in vec4 a;
void main() { gl_Position = a * pc.a; }",
    );
    // naga writes no names.
    for (v, name) in [(wgsl(text), "pc"), (glsl, "pc"), (spv(text), "push_constants")] {
        let pipeline = compile(&v, &f).unwrap_or_else(|e| panic!("{e}"));
        let all = pipeline.vertex.binary.interface.bindings;
        assert_eq!(all.iter().map(|b| b.key()).collect::<Vec<_>>(), [format!("name = {name:?}")], "{}", v.0);
    }
    let far = "layout(set = 4294967295, binding = 0) uniform U { vec4 u; };\nlayout(location = 0) in vec4 a;";
    let far = vert(&format!("{far}\nvoid main() {{ gl_Position = a + u; }}"));
    assert_ne!(refused(&far, &f), "is not refused");
    let group = wgsl(
        "@group(4294967295) @binding(0) var<uniform> u: vec4f;
@vertex fn main(@location(0) a: vec4f) -> @builtin(position) vec4f { return a * u; }",
    );
    assert!(refused(&group, &f).contains("there is no group 4294967295"), "{}", refused(&group, &f));
}

/// A literal of one entry point may be the id of another one's variable.
#[test]
fn an_entry_point_has_no_variables_of_another_one() {
    const LENGTH: usize = 400;
    let values: Vec<String> = (0..LENGTH).map(|n| format!("{n}.0 * x.x")).collect();
    let module = |index: usize| {
        spirv(&format!(
            "struct V {{ @builtin(position) p: vec4f, @location(0) x: vec4f }}
             @fragment fn second(@location(0) x: vec4f, @location(9) y: vec4f,
                                 @builtin(sample_index) s: u32) -> @location(0) vec4f {{
                 return x + y * f32(s);
             }}
             @fragment fn first(@location(0) x: vec4f) -> @location(0) vec4f {{
                 let all = array<f32, {LENGTH}>({});
                 return vec4f(all[{index}]);
             }}",
            values.join(", ")
        ))
    };
    // The ids of the second one's interface: behind model, function and name of its OpEntryPoint.
    let interface = |bytes: &[u8]| {
        let words: Vec<u32> = bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
        let (mut at, mut found) = (5, vec![]);
        while at < words.len() {
            let count = (words[at] >> 16) as usize;
            let name = &bytes[4 * (at + 3).min(words.len())..];
            if words[at] & 0xFFFF == 15 && name.starts_with(b"second\0") {
                found = words[at + 5..at + count].to_vec();
            }
            at += count;
        }
        found
    };
    let ids = interface(&module(0));
    assert!(ids.len() >= 3, "{ids:?}");
    for id in ids {
        let bytes = module(id as usize);
        assert!(interface(&bytes).contains(&id), "the ids have moved");
        let vertex = wgsl(
            "struct V { @builtin(position) p: vec4f, @location(0) x: vec4f }
             @vertex fn v(@location(0) a: vec4f) -> V { return V(a, a); }",
        );
        let request = PipelineRequest {
            vertex: StageSource { path: vertex.0, source: &vertex.1, entry: None },
            fragment: Some(StageSource { path: "s.spv", source: &bytes, entry: Some("first") }),
            attributes: vec![Attribute {
                location: 0,
                format: AttributeFormat::from_name("float32x4").unwrap(),
                slot: 0,
                offset: 0,
                stride: 16,
                per_instance: false,
            }],
            targets: vec![TargetFormat::Rgba8Unorm],
            written: vec![],
            samples: 4,
            link: None,
            alpha_to_coverage: false,
            options: Options::default(),
        };
        let pipeline = compile_pipeline(&request).unwrap_or_else(|e| panic!("literal {id}: {e}"));
        assert!(!pipeline.per_sample, "literal {id}");
    }
}
