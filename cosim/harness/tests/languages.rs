//! Programs of a scene in WGSL, GLSL and both, in lockstep: attributes of several formats, every
//! kind of varying, stores. The picture is computed from the place of the pixel; what the compiler
//! makes of each language is compared in more detail by its own tests.

use std::path::Path;
use std::process::Command;

use quadlock::job::picture::encode_rgba;

const SIDE: u32 = 16;

const WGSL_VERTEX: &str = "struct V {
    @builtin(position) p: vec4f,
    @location(0) colour: vec2f,
    @location(1) @interpolate(flat) number: i32,
    @location(2) @interpolate(linear, centroid) even: f32,
}
@vertex fn main(@location(0) p: vec2f, @location(1) a: vec4f, @location(2) b: vec2f, @location(3) n: vec2i,
                @builtin(vertex_index) v: u32) -> V {
    let w = select(1.0, 4.0, v == 1u);
    return V(vec4f(p, 0.5, 1.0) * w, vec2f(p.x * 0.5 + 0.5, a.w), n.y, b.y);
}
";

// y points down.
const GLSL_VERTEX: &str = "#version 450
layout(location = 0) in vec2 p; layout(location = 1) in vec4 a; layout(location = 2) in vec2 b;
layout(location = 3) in ivec2 n;
layout(location = 0) out vec2 colour; layout(location = 1) flat out int number;
layout(location = 2) noperspective centroid out float even;
void main() {
    float w = gl_VertexIndex == 1 ? 4.0 : 1.0;
    gl_Position = vec4(p.x, -p.y, 0.5, 1.0) * w;
    colour = vec2(p.x * 0.5 + 0.5, a.w); number = n.y; even = b.y;
}
";

const WGSL_FRAGMENT: &str = "@group(0) @binding(0) var<storage, read_write> seen: array<u32, 256>;
@fragment fn main(@builtin(position) p: vec4f, @location(0) colour: vec2f, @location(1) @interpolate(flat) number: i32,
    @location(2) @interpolate(linear, centroid) even: f32) -> @location(0) vec4f {
    seen[u32(p.y) * 16u + u32(p.x)] = u32(-number);
    return vec4f(colour.x, even, colour.y, f32(number) / -255.0);
}
";

const GLSL_FRAGMENT: &str = "#version 450
layout(location = 0) in vec2 colour; layout(location = 1) flat in int number;
layout(location = 2) noperspective centroid in float even;
layout(location = 0) out vec4 result;
layout(binding = 0) buffer B { uint seen[256]; };
void main() {
    seen[uint(gl_FragCoord.y) * 16u + uint(gl_FragCoord.x)] = uint(-number);
    result = vec4(colour.x, even, colour.y, float(number) / -255.0);
}
";

/// From 0 to 255 down the target.
fn ramp(y: u32) -> u8 {
    ((f64::from(y) + 0.5) / f64::from(SIDE) * 255.0).round() as u8
}

/// The same across it, in perspective: the corner at twice its width is four times as far away and
/// has 2, the others 0.
fn receding(x: u32) -> u8 {
    let corner = (f64::from(x) + 0.5) / f64::from(SIDE) / 2.0;
    (2.0 * corner / 4.0 / (1.0 - corner + corner / 4.0) * 255.0).round() as u8
}

fn draw(folder: &Path, vertex: (&str, &str), fragment: (&str, &str)) -> (Option<i32>, String) {
    std::fs::write(folder.join(vertex.0), vertex.1).unwrap();
    std::fs::write(folder.join(fragment.0), fragment.1).unwrap();
    // `even` is 0 at the top and 1 at the bottom.
    let text = format!(
        "name = \"languages\"\n[target]\nwidth = {SIDE}\nheight = {SIDE}\nsamples = 4\n[mesh.m]\n\
         attributes.p = [[-1, 1], [3, 1], [-1, -3]]\n\
         attributes.a = [[0, 0, 0, 0.4], [0, 0, 0, 0.4], [0, 0, 0, 0.4]]\n\
         attributes.b = [[9, 0], [9, 0], [9, 2]]\nattributes.n = [[0, -100], [0, 7], [0, 8]]\n\
         [[draw]]\nmesh = \"m\"\nvertex = \"{}\"\nfragment = \"{}\"\n\
         [draw.attributes]\np = 0\na = {{ location = 1, format = \"unorm8x4\" }}\n\
         b = {{ location = 2, format = \"float16x2\" }}\nn = {{ location = 3, format = \"sint8x2\" }}\n\
         [[draw.binding]]\nbinding = 0\nzero = 1024\n[expect]\npng = \"expected.png\"\ntolerance = 1\n",
        vertex.0, fragment.0
    );
    let pixels: Vec<u8> = (0..SIDE * SIDE).flat_map(|n| [receding(n % SIDE), ramp(n / SIDE), 102, 100]).collect();
    std::fs::write(folder.join("expected.png"), encode_rgba(SIDE, SIDE, &pixels).unwrap()).unwrap();
    let scene = folder.join("scene.toml");
    std::fs::write(&scene, text).unwrap();
    let out = folder.join("out").display().to_string();
    let args = ["run", scene.to_str().unwrap(), "--out", &out];
    let done = Command::new(env!("CARGO_BIN_EXE_quadlock")).args(args).output().expect("quadlock runs");
    (done.status.code(), format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr)))
}

#[test]
fn each_language_with_each_other_in_lockstep() {
    let dir = tempfile::tempdir().unwrap();
    for vertex in [("v.wgsl", WGSL_VERTEX), ("v.vert", GLSL_VERTEX)] {
        for fragment in [("f.wgsl", WGSL_FRAGMENT), ("f.frag", GLSL_FRAGMENT)] {
            let (code, said) = draw(dir.path(), vertex, fragment);
            assert!(
                code == Some(0) && said.contains("verdict                 PASS"),
                "{} {}: {said}",
                vertex.0,
                fragment.0
            );
        }
    }
}

/// The picture would show a wrong conversion or a wrong way of interpolation.
#[test]
fn another_picture_fails() {
    let dir = tempfile::tempdir().unwrap();
    for (from, to) in
        [("colour.x, even", "even, colour.x"), ("colour.y", "colour.x"), ("number) / -", "number) / -2.0 / -")]
    {
        let fragment = WGSL_FRAGMENT.replacen(from, to, 1);
        assert_ne!(fragment, WGSL_FRAGMENT);
        let (code, said) = draw(dir.path(), ("v.wgsl", WGSL_VERTEX), ("f.wgsl", &fragment));
        assert!(code == Some(1) && said.contains("WRONG-OUTPUT"), "{from}: {said}");
    }
}
