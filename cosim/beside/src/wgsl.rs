//! The programs of a draw as one text of WGSL, which both renderers get.
//!
//! `vertex` passes its attributes on. `stage0` to `stage2` give twelve words of a fragment, four a
//! run. `picture` gives each target what it can hold. They compute nothing, so a difference is the
//! renderer's. It can be wrong by an entry point that shows less than `picture` uses.

use std::fmt::Write as _;

use crate::scene::{Draw, Format, Interpolation, Kind, Place};

/// Runs of the stages of a triangle.
pub const STAGES: usize = 3;

/// Words of a fragment in its runs: run and component.
pub mod word {
    /// 2 if it shows the front, else 1; 0 where nothing is covered.
    pub const FACING: usize = 0;
    /// Position: x, y, z.
    pub const POSITION: usize = 1;
    /// Red of the colour; green, blue, alpha follow.
    pub const COLOUR: usize = 4;
    /// First of the pair.
    pub const PAIR: usize = 8;
    /// The flat number.
    pub const NUMBER: usize = 10;
    /// w of the position.
    pub const W: usize = 11;
}

fn attribute(i: Interpolation) -> String {
    let place = |p: Place| match p {
        Place::Centre => "center",
        Place::Centroid => "centroid",
        Place::Sample => "sample",
    };
    match i {
        Interpolation::Perspective(p) => format!("@interpolate(perspective, {})", place(p)),
        Interpolation::Linear(p) => format!("@interpolate(linear, {})", place(p)),
        Interpolation::Flat => "@interpolate(flat)".into(),
    }
}

/// The draw's picture needs a fragment program.
pub fn has_fragments(draw: &Draw, formats: &[Format]) -> bool {
    !(formats.is_empty() && draw.kind == Kind::Plain)
}

/// What a target gets of a fragment.
fn colour(kind: Kind) -> &'static str {
    match kind {
        Kind::Computing(0) => "v.colour * v.colour.wzyx + vec4f(v.pair, v.pair.yx) * 0.5",
        Kind::Computing(1) => "abs(dpdx(v.colour)) * 4.0 + fwidth(v.position.zwzw)",
        Kind::Computing(2) => "vec4f(sin(v.colour.x * 9.0), sqrt(abs(v.colour.y)), fract(v.colour.z * 5.0), 1.0)",
        Kind::Computing(_) => "mix(v.colour, vec4f(v.pair.x), f32(v.number % 3u) * 0.25)",
        _ => "v.colour",
    }
}

/// The text of a draw's programs.
pub fn text(draw: &Draw, formats: &[Format]) -> String {
    let [c, p] = draw.interpolation.map(attribute);
    let mut out = format!(
        "struct V {{
    @builtin(position) position: vec4f,
    @location(0) {c} colour: vec4f,
    @location(1) {p} pair: vec2f,
    @location(2) @interpolate(flat) number: u32,
}}

@vertex fn vertex(@location(0) position: vec4f, @location(1) colour: vec4f, @location(2) pair: vec2f,
    @location(3) number: u32) -> V {{
    return V(position, colour, pair, number);
}}

struct Words {{ @location(0) a: f32, @location(1) b: f32, @location(2) c: f32, @location(3) d: f32 }}

@fragment fn stage0(v: V, @builtin(front_facing) front: bool) -> Words {{
    return Words(select(1.0, 2.0, front), v.position.x, v.position.y, v.position.z);
}}

@fragment fn stage1(v: V) -> Words {{
    return Words(v.colour.x, v.colour.y, v.colour.z, v.colour.w);
}}

@fragment fn stage2(v: V) -> Words {{
    return Words(v.pair.x, v.pair.y, f32(v.number), v.position.w);
}}
"
    );
    if !has_fragments(draw, formats) {
        return out;
    }
    let mut members = String::new();
    let mut values: Vec<String> = vec![];
    for (t, format) in formats.iter().enumerate() {
        let (ty, value) = if *format == Format::Float32 { ("f32", "v.pair.x") } else { ("vec4f", colour(draw.kind)) };
        let _ = writeln!(members, "    @location({t}) t{t}: {ty},");
        values.push(value.into());
    }
    match draw.kind {
        Kind::Depth => {
            members += "    @builtin(frag_depth) depth: f32,\n";
            values.push("v.pair.y".into());
        }
        Kind::Mask => {
            members += "    @builtin(sample_mask) mask: u32,\n";
            values.push("v.number".into());
        }
        _ => {}
    }
    let body = if draw.kind == Kind::Discard { "    if (v.pair.y < 0.5) { discard; }\n" } else { "" };
    if members.is_empty() {
        // Depth alone, and the program may discard.
        let _ = write!(out, "\n@fragment fn picture(v: V) {{\n{body}}}\n");
    } else {
        let _ = write!(
            out,
            "\nstruct Out {{\n{members}}}\n\n@fragment fn picture(v: V) -> Out {{\n{body}    return Out({});\n}}\n",
            values.join(", ")
        );
    }
    out
}
