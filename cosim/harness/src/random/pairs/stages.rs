//! The vertex program and the fragment programs of a random pair: what they take and give, around
//! the statements of their bodies.
//!
//! A fragment program takes each number as the vertex program says, and reads some of them. Wrong
//! would be a derivative behind a branch: it stands first.

use std::fmt::Write;

use super::statements::{Lang, Maker, Plan, COUNTS, UNIFORMS};

/// Ways of interpolation: in WGSL, in GLSL, and the name in the counts.
pub(super) const WAYS: [(&str, &str, &str); 7] = [
    ("", "", "perspective"),
    ("@interpolate(flat) ", "flat ", "flat"),
    ("@interpolate(linear) ", "noperspective ", "linear"),
    ("@interpolate(perspective, centroid) ", "centroid ", "perspective centroid"),
    ("@interpolate(linear, centroid) ", "noperspective centroid ", "linear centroid"),
    ("@interpolate(perspective, sample) ", "sample ", "perspective sample"),
    ("@interpolate(linear, sample) ", "noperspective sample ", "linear sample"),
];
/// The first of them that makes a fragment program run for each sample.
pub(super) const SAMPLE: usize = 5;

/// What goes from the vertex program to the fragment programs.
pub(super) struct Varyings {
    /// Of each float its place in [`WAYS`].
    pub(super) ways: Vec<usize>,
    /// Integers, which are flat, behind the floats.
    pub(super) integers: usize,
}

/// The uniform block and what is between the stages, in WGSL.
pub(super) fn common(varyings: &Varyings, invariant: &str) -> String {
    let members = (0..UNIFORMS).map(|k| format!("f{k}: f32"));
    let members: Vec<String> = members.chain((0..COUNTS).map(|k| format!("n{k}: u32"))).collect();
    let mut out = format!(
        "struct U {{ {} }}\n@group(0) @binding(0) var<uniform> u: U;\n\
        struct V {{ {invariant}@builtin(position) at: vec4f",
        members.join(", ")
    );
    for (k, &way) in varyings.ways.iter().enumerate() {
        let _ = write!(out, ", @location({k}) {}v{k}: f32", WAYS[way].0);
    }
    for k in 0..varyings.integers {
        let _ = write!(out, ", @location({}) @interpolate(flat) k{k}: u32", varyings.ways.len() + k);
    }
    out + " }\nstruct O { @location(0) r: f32, @location(1) g: f32, @location(2) b: f32, @location(3) a: f32 }\n"
}

/// The same in GLSL, for the stage whose varyings are `way` (`in`, `out`); some of them
/// `invariant`.
pub(super) fn common_glsl(varyings: &Varyings, way: &str, invariant: &[bool]) -> String {
    let members = (0..UNIFORMS).map(|k| format!("float f{k};"));
    let members: Vec<String> = members.chain((0..COUNTS).map(|k| format!("uint n{k};"))).collect();
    let mut out = format!(
        "#version 450\n#extension GL_EXT_demote_to_helper_invocation : require\n\
        layout(binding = 0) uniform U {{ {} }} u;\n",
        members.join(" ")
    );
    for (k, &w) in varyings.ways.iter().enumerate() {
        let first = if invariant.get(k) == Some(&true) { "invariant " } else { "" };
        let _ = writeln!(out, "layout(location = {k}) {first}{}{way} float v{k};", WAYS[w].1);
    }
    for k in 0..varyings.integers {
        let _ = writeln!(out, "layout(location = {}) flat {way} uint k{k};", varyings.ways.len() + k);
    }
    out
}

impl Maker {
    /// A variable `x0` that nobody writes later: of each vertex one of two uniforms, or as many
    /// turns of a loop.
    pub(super) fn picked(&mut self) -> String {
        self.count("uniforms that a vertex picks");
        let (one, other) = (self.scalar(1, true), self.scalar(1, true));
        let first = self.declare(&one);
        self.variables.clear();
        let condition = self.pick(&["p.x < 0.0", "w.x < c.r", "(index & 1u) == 1u"]);
        if self.below(2) == 0 {
            return format!("  {first}if ({condition}) {{ x0 = {other}; }}\n");
        }
        let kind = if self.glsl() { "uint" } else { "var" };
        format!("  {first}for ({kind} t = 0u; t < (index & 3u); t++) {{ x0 = x0 + {other}; }}\n")
    }

    /// The entry function of the vertices.
    pub(super) fn vertex(&mut self, lang: Lang, varyings: &Varyings) -> String {
        self.starts(lang, false);
        self.atoms = ["p.x", "p.y", "w.x", "w.y", "c.r", "c.g"].map(String::from).into();
        self.atoms.push(self.as_float("instance"));
        self.integers = vec!["instance".into(), "index".into()];
        self.floats = varyings.ways.len();
        let picked = if self.chance(40) { self.picked() } else { String::new() };
        let mut plans = vec![];
        for _ in 0..self.floats {
            if self.below(4) == 0 && !picked.is_empty() {
                plans.push(Plan::Always("x0".into()));
                continue;
            }
            // Some are uniform, some equal, some of the vertex.
            let depth = self.below(3);
            plans.push(match self.below(6) {
                0 => Plan::Always(self.scalar(depth, true)),
                1 => Plan::First,
                2 => Plan::Always(self.scalar(depth, false)),
                _ => Plan::Any,
            });
        }
        for _ in 0..varyings.integers {
            let depth = self.below(2);
            let uniform = format!("(u.n{} ^ 1u)", self.below(COUNTS));
            plans.push(match self.below(4) {
                0 => Plan::Always(uniform),
                1 => Plan::Always(self.integer(depth)),
                _ => Plan::Any,
            });
        }
        let names = (0..self.floats).map(|k| format!("v{k}"));
        let names: Vec<String> = names.chain((0..varyings.integers).map(|k| format!("k{k}"))).collect();
        self.outputs = names.into_iter().zip(plans).collect();
        // Some are drawn in the plane of the target, some at a distance that is uniform.
        let count = self.as_float("u.n0 & 3u");
        let w = match self.below(4) {
            0 => "1.0".into(),
            1 => format!("1.0 + 0.25 * {count}"),
            _ => "1.0 + 0.5 * p.x * p.x".to_owned(),
        };
        match lang {
            Lang::Wgsl => {
                self.opens = format!("V(vec4f(p, 0.25, {w}), ");
                format!(
                    "@vertex fn vertex(@location(0) p: vec2f, @location(1) w: vec2f, @location(2) c: vec2f, \
                    @builtin(instance_index) instance: u32, @builtin(vertex_index) index: u32) -> V {{\n{picked}{}}}\n",
                    self.body()
                )
            }
            Lang::Glsl => {
                self.opens = format!("gl_Position = vec4(p, 0.25, {w}); ");
                let invariant: Vec<bool> = varyings.ways.iter().map(|_| self.chance(15)).collect();
                let position = self.chance(30);
                if position || invariant.contains(&true) {
                    self.count("invariant");
                }
                format!(
                    "{}layout(location = 0) in vec2 p;\nlayout(location = 1) in vec2 w;\n\
                    layout(location = 2) in vec2 c;\n{}void main() {{\n  uint instance = uint(gl_InstanceIndex);\n  \
                    uint index = uint(gl_VertexIndex);\n{picked}{}}}\n",
                    common_glsl(varyings, "out", &invariant),
                    if position { "invariant gl_Position;\n" } else { "" },
                    self.body()
                )
            }
        }
    }

    /// The entry function of fragments, of that name in WGSL; it may run for each sample.
    pub(super) fn fragment(&mut self, lang: Lang, name: &str, varyings: &Varyings, per_sample: bool) -> String {
        self.starts(lang, true);
        let of = |k: String| if lang == Lang::Wgsl { format!("v.{k}") } else { k };
        // A reader does not read all.
        for k in 0..varyings.ways.len() {
            if self.below(4) > 0 {
                self.atoms.push(of(format!("v{k}")));
                self.count(WAYS[varyings.ways[k]].2);
            }
        }
        self.integers = (0..varyings.integers).map(|k| of(format!("k{k}"))).collect();
        self.integers.push("x".into());
        let derivative = match self.atoms.first().cloned() {
            Some(v) if self.below(4) == 0 => {
                self.count("derivative");
                let way = self.pick(&["x", "y"]);
                self.declare(&format!("{}{way}({v})", if lang == Lang::Wgsl { "dpd" } else { "dFd" }))
            }
            _ => String::new(),
        };
        self.atoms.push(of("at.x".into()));
        let sample = if per_sample {
            self.count("sample index");
            self.integers.push("which".into());
            self.atoms.push(self.as_float("which"));
            true
        } else {
            false
        };
        self.floats = 4;
        self.outputs = ["r", "g", "b", "a"].map(|n| (n.to_owned(), Plan::Any)).into();
        match lang {
            Lang::Wgsl => {
                self.opens = "O(".into();
                let argument = if sample { ", @builtin(sample_index) which: u32" } else { "" };
                format!(
                    "@fragment fn {name}(v: V{argument}) -> O {{\n  let x = u32(v.at.x);\n  {derivative}\n{}}}\n",
                    self.body()
                )
            }
            Lang::Glsl => {
                self.opens.clear();
                let mut out = common_glsl(varyings, "in", &[]);
                for (k, name) in ["r", "g", "b", "a"].iter().enumerate() {
                    let precise = self.chance(10);
                    if precise {
                        self.count("precise");
                    }
                    let _ = writeln!(
                        out,
                        "layout(location = {k}) {}out float {name};",
                        if precise { "precise " } else { "" }
                    );
                }
                let which = if sample { "  uint which = uint(gl_SampleID);\n" } else { "" };
                format!(
                    "{out}void main() {{\n  vec4 at = gl_FragCoord;\n  uint x = uint(at.x);\n{which}  {derivative}\n{}}}\n",
                    self.body()
                )
            }
        }
    }
}
