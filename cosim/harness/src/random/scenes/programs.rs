//! Programs of random scenes, in WGSL, GLSL and SPIR-V, for any number of targets: a table of
//! bodies, from which the texts are made.
//!
//! A body is written once, in GLSL, and becomes WGSL word by word: declarations have one variable,
//! and names of functions that differ are few. Wrong would be a body whose result depends on the
//! order of fragments, because the machine may choose that: stores write what only the pixel
//! decides, and nobody uses the result of an atomic. GLSL and SPIR-V need the feature `glsl`.

use std::fmt::Write as _;

use crate::base::error::{bad, Input};

/// A language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lang {
    Wgsl,
    Glsl,
    /// As glslang makes it of the GLSL.
    Spirv,
}

/// Those that this build reads.
pub const LANGUAGES: &[Lang] =
    if cfg!(feature = "glsl") { &[Lang::Wgsl, Lang::Wgsl, Lang::Glsl, Lang::Spirv] } else { &[Lang::Wgsl] };

/// A program of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    pub lang: Lang,
    pub name: &'static str,
}

/// Fragment programs by name, with their bodies. They set `c`, the colour; those with targets only
/// by that. `depth` and `mask` are outputs if they are named; every other name is an input or a
/// buffer.
const BODIES: &[(&str, &str)] = &[
    ("colours", "c = colour;"),
    ("mixture", "c = vec4(colour.rg, float(number & 63u) / 63.0, fract(even.x + even.y));"),
    ("constant", "c = vec4(0.25, 0.5, 0.75, 0.5);"),
    ("beyond", "c = colour * 3.0 - 1.0;"),
    ("flats", "c = vec4(float(number & 255u) / 255.0, float(number >> 8u) / 7.0, colour.b, 1.0);"),
    ("linears", "c = vec4(fract(even), colour.ga);"),
    ("places", "c = vec4(place.xy / 64.0, place.z, fract(place.w));"),
    (
        "discards",
        "float wide = fwidth(colour.r);
    if ((uint(place.x) + 3u * uint(place.y) + number) % 3u == 0u) { demote; }
    c = vec4(wide, dFdxFine(even.x), dFdyCoarse(colour.g), colour.a);",
    ),
    ("behind", "if ((uint(place.x) ^ number) % 2u == 0u) { demote; } c = vec4(dFdx(colour.rg), dFdy(even));"),
    ("kills", "c = colour; if ((uint(place.x) ^ uint(place.y)) % 2u == 1u) { discard; } c.a = 0.5;"),
    ("discards_all", "c = colour; demote;"),
    ("depths", "c = colour; depth = colour.r * 1.25 - 0.125;"),
    ("masks", "c = vec4(colour.rgb, float(covered) / 15.0); mask = (uint(place.x) * 5u + number) % 16u;"),
    (
        "everything",
        "if (colour.g < 0.2) { demote; }
    c = mix(colour.bgra, colour, side); depth = place.z * 0.5; mask = 5u + 10u * uint(side);",
    ),
    ("sides", "c = vec4(1.0 - side, colour.gba);"),
    (
        "loops",
        "float sum = 0.0;
    for (uint n = 0u; n < 1u + (uint(place.x) + uint(place.y)) % 5u; n++) { sum += colour.r * 0.2; }
    c = vec4(sum, colour.gba);",
    ),
    (
        "arrays",
        "float s[12];
    for (uint n = 0u; n < 12u; n++) { s[n] = colour.r * float(n); }
    c = vec4(s[uint(place.x) % 12u], s[(uint(place.y) + number) % 12u], colour.ga);",
    ),
    ("centroids", "c = vec4(near, even);"),
    ("marks", "c = colour; uint k = uint(place.y) * 64u + uint(place.x); marks[k] = k * 3u + 1u;"),
    (
        "counts",
        "c = colour; atomicAdd(counts[uint(place.x) & 31u], (number & 255u) + 1u);
    atomicMax(counts[32u + (uint(place.y) & 15u)], number); atomicOr(counts[48u], 1u << (uint(place.x) & 31u));",
    ),
    (
        "counted",
        "c = colour; float wide = fwidth(colour.r); atomicAdd(counts[49u], 1u);
    if (colour.g < 0.4) { demote; }
    atomicAdd(counts[50u], 1u); uint k = uint(place.y) * 64u + uint(place.x); marks[k] = k ^ 85u; c.r = wide;",
    ),
    ("early", "c = colour; uint k = uint(place.y) * 64u + uint(place.x); marks[k] = k + 9u;"),
    ("early_counts", "c = vec4(even, colour.rg); atomicAdd(counts[uint(place.y) & 63u], 1u);"),
    // For several samples.
    ("samples", "c = vec4(float(which) / 3.0, colour.gba);"),
    ("fines", "c = vec4(fract(fine), colour.gb);"),
    // For several samples, with work of the pixel before that of the sample.
    (
        "split_shades",
        "float wide = dFdx(colour.r) + fwidth(even.x);
    c = sin(colour * 3.0) * cos(colour.gbra * 5.0) + wide;
    c = c * (float(which) * 0.25 + 0.1) + vec4(fract(fine), colour.ga) * 0.5;",
    ),
    (
        "split_ends",
        "if (fract(even.x * 2.0 + even.y) < 0.3) { discard; }
    float part = sqrt(abs(colour.g));
    if (colour.r > colour.b) { part = part / (0.5 + colour.r); }
    c = vec4(part, colour.r * part, fract(even));
    if (fract(fine.x * 3.0) < 0.3) { discard; }
    c = c + float(which) * 0.1;",
    ),
    (
        "split_arms",
        "float sum = 0.0;
    for (uint n = 0u; n < 1u + number % 5u; n++) { sum += colour.r * 0.2; }
    if (sum > 0.5) { demote; }
    float wide = dFdx(fine.x) + fwidth(sum);
    c = vec4(sum, wide, colour.ba);
    if (fract(fine.y * 4.0) > 0.5) { c = c.bgra * 0.5 + fract(fine.x); }
    depth = sum * 0.25 + float(which) * 0.1;",
    ),
    (
        "split_marks",
        "float wave = sin(colour.r * 3.0) + cos(colour.g * 2.0) * sin(colour.b * 4.0);
    c = vec4(wave, colour.gb, float(which) * 0.25);
    uint k = uint(place.y) * 64u + uint(place.x); marks[k] = k * 5u + 2u; atomicAdd(counts[51u], which + 1u);",
    ),
];

/// How many of [`BODIES`], those before the last, run once for each sample.
const PER_SAMPLE: usize = 2;
/// How many, the last ones, do so and have work for the pixel. Only scenes that split have them.
const SPLITTING: usize = 4;

/// Names of fragment programs for that number of samples.
pub fn fragments(samples: u32) -> impl Iterator<Item = &'static str> {
    let count = BODIES.len() - SPLITTING - if samples > 1 { 0 } else { PER_SAMPLE };
    BODIES[..count].iter().map(|b| b.0)
}

/// Names of those that have work for the pixel and for the sample.
pub fn splitting() -> impl Iterator<Item = &'static str> {
    BODIES[BODIES.len() - SPLITTING..].iter().map(|b| b.0)
}

/// What a name in a body needs: an argument in WGSL, what is set from it, the same in GLSL.
struct Need {
    word: &'static str,
    argument: &'static str,
    first: &'static str,
    global: &'static str,
    input: &'static str,
    set: &'static str,
}

const NEEDS: &[Need] = &[
    Need {
        word: "place",
        argument: "@builtin(position) place: vec4f, ",
        first: "",
        global: "",
        input: "",
        set: "vec4 place = gl_FragCoord;",
    },
    Need {
        word: "colour",
        argument: "@location(0) colour: vec4f, ",
        first: "",
        global: "",
        input: "layout(location = 0) in vec4 colour;",
        set: "",
    },
    Need {
        word: "number",
        argument: "@location(1) @interpolate(flat) number: u32, ",
        first: "",
        global: "",
        input: "layout(location = 1) flat in uint number;",
        set: "",
    },
    Need {
        word: "even",
        argument: "@location(2) @interpolate(linear) even: vec2f, ",
        first: "",
        global: "",
        input: "layout(location = 2) noperspective in vec2 even;",
        set: "",
    },
    Need {
        word: "near",
        argument: "@location(3) @interpolate(perspective, centroid) near: vec2f, ",
        first: "",
        global: "",
        input: "layout(location = 3) centroid in vec2 near;",
        set: "",
    },
    Need {
        word: "fine",
        argument: "@location(4) @interpolate(linear, sample) fine: vec2f, ",
        first: "",
        global: "",
        input: "layout(location = 4) noperspective sample in vec2 fine;",
        set: "",
    },
    Need {
        word: "side",
        argument: "@builtin(front_facing) front: bool, ",
        first: "var side = select(0.0, 1.0, front);",
        global: "",
        input: "",
        set: "float side = gl_FrontFacing ? 1.0 : 0.0;",
    },
    Need {
        word: "covered",
        argument: "@builtin(sample_mask) covered: u32, ",
        first: "",
        global: "",
        input: "",
        set: "uint covered = uint(gl_SampleMaskIn[0]);",
    },
    Need {
        word: "which",
        argument: "@builtin(sample_index) which: u32, ",
        first: "",
        global: "",
        input: "",
        set: "uint which = uint(gl_SampleID);",
    },
    Need {
        word: "counts",
        argument: "",
        first: "",
        global: "@group(0) @binding(0) var<storage, read_write> counts: array<atomic<u32>, 64>;",
        input: "layout(binding = 0) buffer Counts { uint counts[64]; };",
        set: "",
    },
    Need {
        word: "marks",
        argument: "",
        first: "",
        global: "@group(0) @binding(1) var<storage, read_write> marks: array<u32, 4096>;",
        input: "layout(binding = 1) buffer Marks { uint marks[4096]; };",
        set: "",
    },
];

/// What target t gets of the colour.
const COLOURS: [&str; 4] = ["c", "c.gbra * 0.5", "vec4(1.0) - c", "c.abgr"];

/// GLSL and WGSL of words that differ; declarations of one variable.
const WORDS: &[(&str, &str)] = &[
    ("float s[12];", "var s = array<f32, 12>();"),
    ("vec4(", "vec4f("),
    ("float(", "f32("),
    ("uint(", "u32("),
    ("float ", "var "),
    ("uint ", "var "),
    ("dFd", "dpd"),
    ("demote", "discard"),
    ("(counts[", "(&counts["),
];

fn wgsl_of(glsl: &str) -> String {
    WORDS.iter().fold(glsl.to_owned(), |text, (from, to)| text.replace(from, to))
}

fn has(body: &str, word: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    body.match_indices(word).any(|(at, _)| !body[..at].ends_with(part) && !body[at + word.len()..].starts_with(part))
}

const VERTEX_WGSL: &str = "struct V {
    @builtin(position) place: vec4f,
    @location(0) colour: vec4f,
    @location(1) @interpolate(flat) number: u32,
    @location(2) @interpolate(linear) even: vec2f,
    @location(3) @interpolate(perspective, centroid) near: vec2f,
    @location(4) @interpolate(linear, sample) fine: vec2f,
}
@vertex fn main(@location(0) position: vec4f, @location(1) colour: vec4f, @builtin(vertex_index) v: u32,
                @builtin(instance_index) i: u32) -> V {
";

const VERTEX_GLSL: &str = "#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 tint;
layout(location = 0) out vec4 colour;
layout(location = 1) flat out uint number;
layout(location = 2) noperspective out vec2 even;
layout(location = 3) centroid out vec2 near;
layout(location = 4) noperspective sample out vec2 fine;
void main() {
    uint v = uint(gl_VertexIndex);
    uint i = uint(gl_InstanceIndex);
";

/// Each instance is a bit beside the one before. `endless` is beyond the floats: infinite, and not
/// a number where a coordinate is 0.
fn vertex(lang: Lang, name: &str) -> String {
    let endless = name == "endless";
    if lang == Lang::Wgsl {
        let body = match endless {
            false => {
                "    let moved = position + vec4f(f32(i) * 0.11 * position.w, 0.0, 0.0, 0.0);
    return V(moved, colour, v * 37u + i * 101u, moved.xy * 0.25, colour.rb * 0.5, moved.yx * 0.3);
}
"
            }
            true => {
                "    let far = select(1.0, 3e38, v % 5u == 4u);
    return V(position * far * far, colour, v, position.xy, position.xy, position.yx);
}
"
            }
        };
        return format!("{VERTEX_WGSL}{body}");
    }
    let body = match endless {
        false => {
            "    vec4 moved = position + vec4(float(i) * 0.11 * position.w, 0.0, 0.0, 0.0);
    gl_Position = moved;
    colour = tint;
    number = v * 37u + i * 101u;
    even = moved.xy * 0.25;
    near = tint.rb * 0.5;
    fine = moved.yx * 0.3;
}
"
        }
        true => {
            "    float far = v % 5u == 4u ? 3e38 : 1.0;
    gl_Position = position * far * far;
    colour = tint;
    number = v;
    even = position.xy;
    near = position.xy;
    fine = position.yx;
}
"
        }
    };
    format!("{VERTEX_GLSL}{body}")
}

/// Adds lines, those that are empty left out.
fn lines(out: &mut String, indent: &str, all: impl Iterator<Item = &'static str>) {
    for line in all.filter(|line| !line.is_empty()) {
        let _ = writeln!(out, "{indent}{line}");
    }
}

/// A fragment program in WGSL.
fn fragment_wgsl(name: &str, body: &str, targets: usize) -> String {
    let mut out = String::new();
    let needs: Vec<&Need> = NEEDS.iter().filter(|n| has(body, n.word)).collect();
    lines(&mut out, "", needs.iter().map(|n| n.global));
    let mut members: Vec<(String, String)> =
        (0..targets).map(|t| (format!("@location({t}) c{t}: vec4f"), wgsl_of(COLOURS[t]))).collect();
    let [depth, mask] = ["depth", "mask"].map(|word| has(body, word));
    if depth {
        members.push(("@builtin(frag_depth) depth: f32".into(), "depth".into()));
    }
    if mask {
        members.push(("@builtin(sample_mask) mask: u32".into(), "mask".into()));
    }
    let (types, values): (Vec<String>, Vec<String>) = members.into_iter().unzip();
    if !types.is_empty() {
        let _ = writeln!(out, "struct Out {{ {} }}", types.join(", "));
    }
    if name.starts_with("early") {
        out.push_str("@early_depth_test(force)\n");
    }
    let arguments: String = needs.iter().map(|n| n.argument).collect();
    let result = if types.is_empty() { "" } else { "-> Out " };
    let _ = writeln!(out, "@fragment fn main({arguments}) {result}{{\n    var c = vec4f();");
    let _ = writeln!(
        out,
        "{}{}",
        if depth { "    var depth = 0.0;\n" } else { "" },
        if mask { "    var mask = 0u;" } else { "" }
    );
    lines(&mut out, "    ", needs.iter().map(|n| n.first));
    let _ = writeln!(out, "    {}", wgsl_of(body));
    if !types.is_empty() {
        let _ = writeln!(out, "    return Out({});", values.join(", "));
    }
    out + "}\n"
}

/// The same in GLSL.
fn fragment_glsl(name: &str, body: &str, targets: usize) -> String {
    let mut out = "#version 450\n#extension GL_EXT_demote_to_helper_invocation : require\n".to_owned();
    if name.starts_with("early") {
        out.push_str("layout(early_fragment_tests) in;\n");
    }
    let needs: Vec<&Need> = NEEDS.iter().filter(|n| has(body, n.word)).collect();
    lines(&mut out, "", needs.iter().map(|n| n.input));
    for t in 0..targets {
        let _ = writeln!(out, "layout(location = {t}) out vec4 c{t};");
    }
    out.push_str("void main() {\n    vec4 c = vec4(0.0);\n");
    lines(&mut out, "    ", needs.iter().map(|n| n.set));
    let [depth, mask] = ["depth", "mask"].map(|word| has(body, word));
    out.push_str(if depth { "    float depth = 0.0;\n" } else { "" });
    out.push_str(if mask { "    uint mask = 0u;\n" } else { "" });
    let _ = writeln!(out, "    {body}");
    for (t, colour) in COLOURS.iter().enumerate().take(targets) {
        let _ = writeln!(out, "    c{t} = {colour};");
    }
    out.push_str(if depth { "    gl_FragDepth = depth;\n" } else { "" });
    out.push_str(if mask { "    gl_SampleMask[0] = int(mask);\n" } else { "" });
    out + "}\n"
}

impl Program {
    /// Name of its file, as a vertex program, or as a fragment program for that many targets.
    pub fn file(self, targets: Option<usize>) -> String {
        let Self { lang, name } = self;
        let stage = if targets.is_some() { "frag" } else { "vert" };
        let whole = targets.map_or(name.to_owned(), |t| format!("{name}-{t}"));
        match lang {
            Lang::Wgsl => format!("{whole}-{stage}.wgsl"),
            Lang::Glsl => format!("{whole}.{stage}"),
            Lang::Spirv => format!("{whole}-{stage}.spv"),
        }
    }

    /// Contents of that file, or why glslang did not make them.
    pub fn contents(self, targets: Option<usize>) -> Input<Vec<u8>> {
        let body = BODIES.iter().find(|b| b.0 == self.name).map_or("", |b| b.1);
        let text = match (targets, self.lang) {
            (None, lang) => vertex(lang, self.name),
            (Some(targets), Lang::Wgsl) => fragment_wgsl(self.name, body, targets),
            (Some(targets), _) => fragment_glsl(self.name, body, targets),
        };
        match self.lang {
            Lang::Spirv => spirv(&self.file(targets), &text, targets.is_some()),
            _ => Ok(text.into_bytes()),
        }
    }

    /// As a fragment program it uses the buffer of that name.
    pub fn uses(self, buffer: &str) -> bool {
        has(BODIES.iter().find(|b| b.0 == self.name).map_or("", |b| b.1), buffer)
    }
}

#[cfg(feature = "glsl")]
fn spirv(file: &str, text: &str, fragment: bool) -> Input<Vec<u8>> {
    let stage = if fragment { quadlock_glsl::Stage::Fragment } else { quadlock_glsl::Stage::Vertex };
    match quadlock_glsl::compile(file, text, stage, &|_, _| None) {
        Ok(words) => Ok(words.iter().flat_map(|w| w.to_le_bytes()).collect()),
        Err(errors) => {
            let said: Vec<&str> = errors.iter().map(|e| e.message.as_str()).collect();
            bad(format!("{file}: {}", said.join("; ")), "report it: random programs have no errors")
        }
    }
}

#[cfg(not(feature = "glsl"))]
fn spirv(file: &str, _: &str, _: bool) -> Input<Vec<u8>> {
    bad(format!("{file}: this build has no glslang"), "build with the feature `glsl`")
}
