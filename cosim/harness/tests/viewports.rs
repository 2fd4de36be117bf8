//! Viewports of negative height, as Vulkan has them: y is turned around, and with it the sides of
//! triangles. Where clipping ends and which pixels are left goes by the height's magnitude.
//!
//! Coverage and sides are compared with integers that are reckoned here from Vulkan's formula; all
//! else with the same scene under a viewport of positive height, its positions turned around.

use crate::command::run;
use std::fmt::Write;

use quadlock::job::picture::Picture;

const VERTEX: &str = "#version 450
layout(location = 0) in vec4 p; layout(location = 1) in vec4 c;
layout(location = 0) out vec4 v;
void main() { gl_Position = p; v = c; }
";
const FRAGMENT: &str = "#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 r; layout(location = 1) out vec4 place;
void main() {
    r = vec4(v.xyz * (gl_FrontFacing ? 1.0 : 0.5), v.w);
    place = vec4(gl_FragCoord.xyz, dFdy(v.x));
}
";
/// Side and coverage alone.
const PLAIN_VERTEX: &str = "#version 450
layout(location = 0) in vec4 p;
void main() { gl_Position = p; }
";
const PLAIN_FRAGMENT: &str = "#version 450
layout(location = 0) out vec4 r;
void main() { r = gl_FrontFacing ? vec4(1) : vec4(0.2, 0, 0, 1); }
";
const WGSL: &str = "
@vertex fn vertex(@location(0) p: vec4f) -> @builtin(position) vec4f { return p; }
@fragment fn fragment(@builtin(front_facing) front: bool) -> @location(0) vec4f {
    return select(vec4f(0.2, 0.0, 0.0, 1.0), vec4f(1.0), front);
}
";

fn op(code: u32, words: &[u32]) -> Vec<u32> {
    [&[(words.len() as u32 + 1) << 16 | code], words].concat()
}

/// [`PLAIN_VERTEX`] as a module.
fn module() -> Vec<u8> {
    let [main, pos, gp, void, function, float, vec4, input, output, label, p] = std::array::from_fn(|n| n as u32 + 1);
    let words = [
        vec![0x0723_0203, 0x0001_0300, 0, 12, 0],
        op(17, &[1]),
        op(14, &[0, 1]),
        op(15, &[0, main, u32::from_le_bytes(*b"main"), 0, pos, gp]),
        op(71, &[pos, 30, 0]),
        op(71, &[gp, 11, 0]),
        op(19, &[void]),
        op(33, &[function, void]),
        op(22, &[float, 32]),
        op(23, &[vec4, float, 4]),
        op(32, &[input, 1, vec4]),
        op(32, &[output, 3, vec4]),
        op(59, &[input, pos, 1]),
        op(59, &[output, gp, 3]),
        op(54, &[void, main, 0, function]),
        op(248, &[label]),
        op(61, &[vec4, p, pos]),
        op(62, &[gp, p]),
        op(253, &[]),
        op(56, &[]),
    ];
    words.concat().into_iter().flat_map(u32::to_le_bytes).collect()
}

fn folder(scene: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let files =
        [("v.vert", VERTEX), ("f.frag", FRAGMENT), ("plain.vert", PLAIN_VERTEX), ("plain.frag", PLAIN_FRAGMENT)];
    let files = files.into_iter().chain([("a.wgsl", WGSL), ("scene.toml", scene)]);
    files.for_each(|(name, text)| std::fs::write(dir.path().join(name), text).unwrap());
    std::fs::write(dir.path().join("plain.spv"), module()).unwrap();
    dir
}

const SIDE: i64 = 16;
const GLSL: [&str; 2] = ["\"plain.vert\"", "\"plain.frag\""];

/// Two triangles, one of either side, on sixteenths of a pixel: x and y in units of 1/128, so that
/// every step of the viewport's formula is exact.
const CORNERS: [[i64; 2]; 6] = [[-110, -121], [37, -90], [-61, 83], [-13, 15], [29, 101], [117, -44]];

fn plain(programs: [&str; 2], state: &str) -> String {
    let positions = CORNERS.map(|[x, y]| [x as f64 / 128.0, y as f64 / 128.0, 0.5, 1.0]);
    format!(
        "name = \"s\"\n[target]\nwidth = {SIDE}\nheight = {SIDE}\n[mesh.m]\nattributes.position = {positions:?}\n\
         [[draw]]\nmesh = \"m\"\nvertex = {}\nfragment = {}\nstate = {{ {state} }}\n",
        programs[0], programs[1]
    )
}

/// Reds of the target, row by row.
fn reds(scene: &str) -> Vec<u8> {
    let dir = folder(scene);
    let (code, said) = run(dir.path(), &["run", "scene.toml", "--engine", "golden", "--png", "o.png"]);
    assert_eq!(code, 0, "{said}");
    let picture = Picture::decode(&std::fs::read(dir.path().join("o.png")).unwrap()).unwrap();
    picture.rgba8().map(|p| p[0]).collect()
}

/// What Vulkan says of a viewport [0, y, SIDE, height]: yf = height / 2 * yd + y + height / 2, in
/// 1/256 pixel; a triangle is counter-clockwise as seen if twice its area is negative there.
fn reckoned(y: i64, height: i64, front: &str, cull: &str) -> Vec<u8> {
    let mut out = vec![0; (SIDE * SIDE) as usize];
    for triangle in CORNERS.chunks(3) {
        let place = |c: &[i64; 2]| [c[0] * SIDE + 128 * SIDE, c[1] * height + 256 * y + 128 * height];
        let mut c: Vec<[i64; 2]> = triangle.iter().map(place).collect();
        let cross =
            |a: [i64; 2], b: [i64; 2], p: [i64; 2]| (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
        let area = cross(c[0], c[1], c[2]);
        assert_ne!(area, 0);
        let is_front = (area < 0) == (front == "ccw");
        if cull == "front" && is_front || cull == "back" && !is_front {
            continue;
        }
        if area < 0 {
            c.swap(1, 2);
        }
        for at in 0..SIDE * SIDE {
            let p = [256 * (at % SIDE) + 128, 256 * (at / SIDE) + 128];
            let inside = (0..3).all(|k| {
                let (a, b) = (c[k], c[(k + 1) % 3]);
                let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
                let takes = dy == 0 && dx > 0 || dy < 0;
                cross(a, b, p) > 0 || cross(a, b, p) == 0 && takes
            });
            if inside {
                out[at as usize] = if is_front { 255 } else { 51 };
            }
        }
    }
    out
}

/// Every language that has them, every side: coverage and facing are Vulkan's, in integers.
#[test]
fn coverage_and_sides_are_vulkans() {
    let sides = [("ccw", "none"), ("ccw", "back"), ("cw", "back"), ("cw", "front")];
    let viewports = [(16, -16), (0, 16), (20, -16), (12, -24), (8, -8), (-4, 24)];
    let mut seen = 0;
    for (n, (y, height)) in viewports.into_iter().enumerate() {
        for (k, (front, cull)) in sides.into_iter().enumerate() {
            let vertex = [GLSL[0], "\"plain.spv\""][(n + k) % 2];
            let state = format!("viewport = [0, {y}, {SIDE}, {height}], front = \"{front}\", cull = \"{cull}\"");
            // Pixels beside the viewport are not drawn.
            let rows = y.min(y + height).max(0)..y.max(y + height).min(SIDE);
            let is_in = |at: usize| rows.contains(&(at as i64 / SIDE));
            let all = reckoned(y, height, front, cull);
            let want: Vec<u8> = all.iter().enumerate().map(|(at, &w)| if is_in(at) { w } else { 0 }).collect();
            assert!(reds(&plain([vertex, GLSL[1]], &state)) == want, "{vertex} {state}");
            seen += want.iter().filter(|&&w| w > 0).count();
        }
    }
    assert!(seen > 1000, "{seen} pixels are drawn");
}

/// A fragment program in WGSL sees the side as it is.
#[test]
fn the_vertex_program_decides_where_y_points() {
    let fragment = "{ file = \"a.wgsl\", entry = \"fragment\" }";
    let state = "viewport = [0, 16, 16, -16], front = \"cw\"";
    assert!(reds(&plain([GLSL[0], fragment], state)) == reckoned(16, -16, "cw", "none"));
    let vertex = "{ file = \"a.wgsl\", entry = \"vertex\" }";
    // y of WGSL points up: the picture of a viewport that is turned around.
    assert!(reds(&plain([vertex, fragment], "front = \"cw\"")) == reckoned(16, -16, "cw", "none"));
    for fragment in [fragment, GLSL[1]] {
        let dir = folder(&plain([vertex, fragment], state));
        let (code, said) = run(dir.path(), &["run", "scene.toml", "--engine", "golden"]);
        let says = "scene.toml:11:11: error: a viewport of negative height, which WGSL and WebGPU do not have";
        let help = "write viewport = [0.0, 0.0, 16.0, 16.0] and negate y of the position";
        assert!(code == 2 && said.contains(says) && said.contains(help), "{code} {said}");
    }
}

#[test]
fn viewports_that_cannot_be_are_refused() {
    for viewport in [
        "[0, 0, 16, 0]",
        "[0, 0, -16, 16]",
        "[0, 0, -16, -16]",
        "[0, 0, 16, nan]",
        "[0, 0, 16, -inf]",
        "[0, -7000, 16, -1001]",
        "[0, 4000, 16, 4001]",
        "[7990, 0, 16, 16]",
        "[0, 1, 16, -1e-50]",
    ] {
        let dir = folder(&plain(GLSL, &format!("viewport = {viewport}")));
        let (code, said) = run(dir.path(), &["run", "scene.toml", "--engine", "golden"]);
        let help = "every edge is at most 8000 pixels from the target's corner";
        let says = "scene.toml:11:11: error: a viewport without area, or too large";
        assert!(code == 2 && said.contains(says) && said.contains(help), "{viewport}: {code} {said}");
    }
}

/// Random triangles, clipped ones among them; the same turned around if `turn` is -1.
fn random(turn: f64, viewport: [f64; 4], seed: u64, state: &str, samples: u32) -> String {
    let mut word = seed;
    let mut next = |least: f64, most: f64| {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        least + (most - least) * (word >> 40) as f64 / (1u64 << 24) as f64
    };
    let (mut positions, mut colours) = (String::new(), String::new());
    for n in 0..45 {
        let w = if n % 7 == 3 { next(-0.5, 0.5) } else { next(0.25, 4.0) };
        // One corner of some triangles is far beyond the guard band, above or below.
        let far = if n % 9 == 4 { next(-3000.0, 3000.0) } else { 1.0 };
        let (x, y, z) = (next(-1.4, 1.4) * w, turn * next(-1.4, 1.4) * far * w, next(-0.1, 1.1) * w);
        let _ = write!(positions, "[{x}, {y}, {z}, {w}], ");
        let _ = write!(colours, "[{}, {}, {}, {}], ", next(0.0, 1.0), next(0.0, 1.0), next(0.0, 1.0), next(0.5, 1.0));
    }
    format!(
        "name = \"s\"\n[target]\nwidth = 24\nheight = 16\nsamples = {samples}\n\
         formats = [\"rgba8unorm\", \"rgba16float\"]\ndepth = true\n\
         [mesh.m]\nattributes.position = [{positions}]\nattributes.c = [{colours}]\n\
         [[draw]]\nmesh = \"m\"\nvertex = \"v.vert\"\nfragment = \"f.frag\"\nattributes = {{ position = 0, c = 1 }}\n\
         state = {{ viewport = {viewport:?}, depth = \"less\", blend = [\"alpha\"], {state} }}\n"
    )
}

/// All pictures of a scene, and the figures of its triangles.
fn pictures(scene: &str, options: &[&str]) -> (Vec<Vec<u8>>, serde_json::Value) {
    let dir = folder(scene);
    let images = ["--image", "0=a.png", "--image", "1=b.png", "--image", "depth=c.png", "--report", "r.json"];
    let (code, said) = run(dir.path(), &[&["run", "scene.toml"][..], &images, options].concat());
    assert_eq!(code, 0, "{said}");
    let read = |name| std::fs::read(dir.path().join(name)).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&read("r.json")).unwrap();
    (["a.png", "b.png", "c.png"].map(read).to_vec(), report["triangles"].clone())
}

/// Colours, places, derivatives, depth, sides and clipping: a negative height draws what positions
/// with their y turned around draw.
#[test]
fn a_negative_height_is_y_turned_around() {
    let states = [
        "cull = \"none\"",
        "cull = \"back\"",
        "cull = \"front\", front = \"cw\", scissor = [2, 1, 20, 12]",
        "cull = \"back\", front = \"cw\", bias = [100, 1.5, 0], depth-range = [1.0, 0.25]",
    ];
    let viewports = [[0.0, 16.0, 24.0, -16.0], [3.0, 14.0, 15.0, -9.0], [-2.5, 19.25, 30.0, -21.5]];
    let model = ["--engine", "golden"];
    let mut clipped = 0;
    for (seed, state) in (1..).zip(states) {
        for (n, [x, y, width, height]) in (seed..).zip(viewports) {
            let samples = [1, 4][n as usize % 2];
            let turned = random(1.0, [x, y, width, height], seed, state, samples);
            let plain = random(-1.0, [x, y + height, width, -height], seed, state, samples);
            let (got, want) = (pictures(&turned, &model), pictures(&plain, &model));
            assert!(got.0 == want.0, "seed {seed}, {state}, {height}, {samples} samples: another picture");
            assert_eq!(got.1, want.1);
            clipped += got.1["clipped"].as_u64().unwrap();
        }
        let [x, y, width, height] = viewports[0];
        let [turned, other] =
            [(y, height), (y + height, -height)].map(|(y, height)| random(1.0, [x, y, width, height], seed, state, 1));
        assert!(pictures(&turned, &model).0 != pictures(&other, &model).0, "nothing is turned around");
    }
    assert!(clipped > 50, "{clipped}");
}

/// Machine and model in lockstep, positions shaded ahead.
#[test]
fn the_machine_draws_a_negative_height() {
    let scene = random(1.0, [3.0, 14.0, 15.0, -9.0], 5, "cull = \"back\"", 1);
    let model = pictures(&scene, &["--engine", "golden"]).0;
    assert!(pictures(&scene, &["--set", "machine.cull-pipeline=positions"]).0 == model);
}
