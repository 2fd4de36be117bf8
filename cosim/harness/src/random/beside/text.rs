//! A scene as a scene file (docs/scenes.md), whole or for the stages of one draw.

use std::fmt::Write as _;

use quadlock_beside::scene::{
    Compare, Draw, Equation, Factor, Format, Operation, Scene, StencilFace, StencilOp, Vertex,
};
use quadlock_beside::wgsl;

fn format(f: Format) -> &'static str {
    match f {
        Format::Unorm8 => "rgba8unorm",
        Format::Srgb8 => "rgba8unorm-srgb",
        Format::Float16 => "rgba16float",
        Format::Float32 => "r32float",
    }
}

fn compare(c: Compare) -> &'static str {
    ["never", "less", "equal", "less-equal", "greater", "not-equal", "greater-equal", "always"][c as usize]
}

fn stencil_op(op: StencilOp) -> &'static str {
    match op {
        StencilOp::Keep => "keep",
        StencilOp::Zero => "zero",
        StencilOp::Replace => "replace",
        StencilOp::Invert => "invert",
        StencilOp::IncrementClamp => "increment-clamp",
        StencilOp::DecrementClamp => "decrement-clamp",
        StencilOp::IncrementWrap => "increment-wrap",
        StencilOp::DecrementWrap => "decrement-wrap",
    }
}

fn factor(f: Factor) -> &'static str {
    match f {
        Factor::Zero => "zero",
        Factor::One => "one",
        Factor::Src => "src",
        Factor::OneMinusSrc => "one-minus-src",
        Factor::SrcAlpha => "src-alpha",
        Factor::OneMinusSrcAlpha => "one-minus-src-alpha",
        Factor::Dst => "dst",
        Factor::OneMinusDst => "one-minus-dst",
        Factor::DstAlpha => "dst-alpha",
        Factor::OneMinusDstAlpha => "one-minus-dst-alpha",
        Factor::SrcAlphaSaturated => "src-alpha-saturated",
        Factor::Constant => "constant",
        Factor::OneMinusConstant => "one-minus-constant",
    }
}

fn equation(e: Equation) -> String {
    let operation = match e.operation {
        Operation::Add => "add",
        Operation::Subtract => "subtract",
        Operation::ReverseSubtract => "reverse-subtract",
        Operation::Min => "min",
        Operation::Max => "max",
    };
    format!("{{ src = \"{}\", dst = \"{}\", operation = \"{operation}\" }}", factor(e.src), factor(e.dst))
}

fn face(f: StencilFace) -> String {
    format!(
        "{{ compare = \"{}\", fail = \"{}\", depth-fail = \"{}\", pass = \"{}\" }}",
        compare(f.compare),
        stencil_op(f.fail),
        stencil_op(f.depth_fail),
        stencil_op(f.pass)
    )
}

/// Each f32 as the f64 that it is.
fn floats(all: &[f32]) -> Vec<f64> {
    all.iter().map(|&x| f64::from(x)).collect()
}

fn mesh(out: &mut String, number: usize, vertices: &[Vertex]) {
    let lines =
        |of: &dyn Fn(&Vertex) -> String| vertices.iter().map(|v| format!("    {},\n", of(v))).collect::<String>();
    let _ = write!(
        out,
        "\n[mesh.m{number}]\nattributes.position = [\n{}]\nattributes.colour = [\n{}]\nattributes.pair = [\n{}]\n\
         attributes.number = {:?}\n",
        lines(&|v| format!("{:?}", floats(&v.position))),
        lines(&|v| format!("{:?}", floats(&v.colour))),
        lines(&|v| format!("{:?}", floats(&v.pair))),
        vertices.iter().map(|v| v.number).collect::<Vec<_>>()
    );
}

fn target(scene: &Scene, name: &str, formats: &[&str], clear: [f32; 4], depth: u32) -> String {
    let mut out = format!(
        "name = \"{name}\"\n\n[target]\nwidth = {}\nheight = {}\nsamples = {}\nformats = {formats:?}\ndepth = true\n\
         clear-depth = {depth}.0\nclear-stencil = {}\n",
        scene.width, scene.height, scene.samples, scene.clear_stencil
    );
    if !formats.is_empty() {
        let _ = writeln!(out, "clear = {:?}", vec![floats(&clear); formats.len()]);
    }
    out
}

fn head(out: &mut String, number: usize, entry: Option<&str>) {
    let _ = write!(
        out,
        "\n[[draw]]\nmesh = \"m{number}\"\nvertex = {{ file = \"draw{number}.wgsl\", entry = \"vertex\" }}\n\
         attributes = {{ position = 0, colour = 1, pair = 2, number = {{ location = 3, format = \"uint32\" }} }}\n"
    );
    if let Some(entry) = entry {
        let _ = writeln!(out, "fragment = {{ file = \"draw{number}.wgsl\", entry = \"{entry}\" }}");
    }
}

/// State of the picture and of the stages alike.
fn common(out: &mut String, draw: &Draw) {
    let s = &draw.state;
    let front = if s.front_clockwise { "cw" } else { "ccw" };
    let _ = write!(
        out,
        "\n[draw.state]\nfront = \"{front}\"\nbias = {:?}\nviewport = {:?}\ndepth-range = {:?}\nscissor = {:?}\n",
        floats(&s.bias),
        floats(&s.viewport),
        floats(&s.range),
        s.scissor
    );
}

fn state(out: &mut String, scene: &Scene, draw: &Draw) {
    let s = &draw.state;
    common(out, draw);
    if draw.strip {
        out.push_str("topology = \"strip\"\n");
        let _ = writeln!(out, "restart = {}", draw.restart);
    }
    if let Some(front) = s.cull {
        let _ = writeln!(out, "cull = \"{}\"", if front { "front" } else { "back" });
    }
    if let Some(c) = s.depth {
        let _ = writeln!(out, "depth = \"{}\"\ndepth-write = {}", compare(c), s.depth_write);
    }
    if let Some(st) = s.stencil {
        let (front, back) = (face(st.front), face(st.back));
        let _ = writeln!(
            out,
            "stencil = {{ front = {front}, back = {back}, read = {}, write = {}, reference = {} }}",
            st.read, st.write, st.reference
        );
    }
    let _ = writeln!(out, "sample-mask = {}", s.mask);
    if scene.formats.is_empty() {
        return;
    }
    let blend = |b: Option<[Equation; 2]>| match b {
        Some([c, a]) => format!("{{ color = {}, alpha = {} }}", equation(c), equation(a)),
        None => "\"none\"".to_owned(),
    };
    let blends: Vec<String> = s.writes.iter().map(|w| blend(w.blend)).collect();
    let letters = |mask: u8| (0..4).filter(|k| mask >> k & 1 == 1).map(|k| &"rgba"[k..=k]).collect::<String>();
    let masks: Vec<String> = s.writes.iter().map(|w| letters(w.mask)).collect();
    let _ = writeln!(out, "blend = [{}]\nwrite = {masks:?}", blends.join(", "));
    let _ = writeln!(out, "blend-constant = {:?}", floats(&s.constant));
}

/// The programs of a scene's draws: file and text.
pub(super) fn programs(scene: &Scene) -> Vec<(String, String)> {
    let of = |(k, draw): (usize, &Draw)| (format!("draw{k}.wgsl"), wgsl::text(draw, &scene.formats));
    scene.draws.iter().enumerate().map(of).collect()
}

/// The scene file.
pub(super) fn whole(scene: &Scene, name: &str) -> String {
    let formats: Vec<&str> = scene.formats.iter().map(|f| format(*f)).collect();
    let mut out = target(scene, name, &formats, scene.clear, scene.clear_depth);
    let mut draws = String::new();
    for (k, draw) in scene.draws.iter().enumerate() {
        mesh(&mut out, k, &draw.vertices);
        if let Some(indices) = &draw.indices {
            let _ = writeln!(out, "indices = {:?}\nindex-bytes = {}", indices.values, indices.bytes);
        }
        head(&mut draws, k, wgsl::has_fragments(draw, &scene.formats).then_some("picture"));
        let _ = writeln!(draws, "first = {}\nbase-vertex = {}", draw.first, draw.base_vertex);
        state(&mut draws, scene, draw);
    }
    out + &draws
}

/// A scene file whose only draw has every triangle of a draw as a list, for one run of the stages.
pub(super) fn stage(scene: &Scene, number: usize, run: usize) -> String {
    let draw = &scene.draws[number];
    let mut out = target(scene, "stage", &["r32float"; 4], [0.0; 4], 0);
    let corners: Vec<Vertex> = draw.triangles().iter().flatten().map(|&v| draw.vertices[v as usize]).collect();
    mesh(&mut out, number, &corners);
    head(&mut out, number, Some(&format!("stage{run}")));
    common(&mut out, draw);
    out.push_str("depth = \"always\"\ndepth-write = true\n");
    out
}
