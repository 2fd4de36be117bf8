//! Planted faults of graphics in model and compiler, each shown by a small scene from the command
//! line. The scene passes without the fault.
//!
//! Of the model: lockstep finds it, by the checker that the row names. Of the compiler: RTL and
//! model run the same wrong program, so the picture must find it. The pictures here are computed
//! from the place of the pixel, by hand. A row can be wrong by a picture that both have; the run
//! without the fault is held to the same picture.

use std::path::Path;
use std::process::Command;

use quadlock::job::picture::encode_rgba;
use quadlock_hdl::fault::Fault;

/// Pixels of the targets' sides.
const SIDE: u32 = 16;

/// A scene of one draw.
#[derive(Clone, Copy)]
struct Scene {
    /// Keys of the target beside its size, of the mesh, of the draw and its state, each as TOML.
    target: &'static str,
    mesh: &'static str,
    draw: &'static str,
    state: &'static str,
    /// Keys of the draw's pass; without any there is no `[[pass]]`.
    pass: &'static str,
    /// The vertex program's parameters and result, and the fragment program's body.
    program: &'static str,
}

/// A triangle over the whole target, in white.
const WHITE: Scene = Scene {
    target: "",
    mesh: "attributes.position = [[-1, -1], [3, -1], [-1, 3]]",
    draw: "",
    state: "",
    pass: "",
    program: "
@vertex fn v(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.5, 1.0); }
@fragment fn f() -> @location(0) vec4f { return vec4f(1.0); }",
};

/// Runs it with these settings: exit status, and what is said.
fn run(scene: &Scene, fault: Option<&str>, picture: Option<&dyn Fn(u32, u32) -> [u8; 4]>) -> (Option<i32>, String) {
    run_with(scene, fault, picture, None)
}

/// The same, with a report.
fn run_with(
    scene: &Scene,
    fault: Option<&str>,
    picture: Option<&dyn Fn(u32, u32) -> [u8; 4]>,
    report: Option<&Path>,
) -> (Option<i32>, String) {
    let dir = tempfile::tempdir().unwrap();
    let mut text = format!(
        "name = \"scene\"\n[target]\nwidth = {SIDE}\nheight = {SIDE}\nclear = [[0, 0, 0, 0]]\n{}\n[mesh.m]\n{}\n[[draw]]\n\
         mesh = \"m\"\nvertex = {{ file = \"a.wgsl\", entry = \"v\" }}\nfragment = {{ file = \"a.wgsl\", entry = \"f\" }}\n{}\n\
         [draw.state]\n{}\n",
        scene.target, scene.mesh, scene.draw, scene.state
    );
    if !scene.program.contains("@fragment") {
        text = text.replacen("fragment = { file = \"a.wgsl\", entry = \"f\" }\n", "", 1);
    }
    if !scene.pass.is_empty() {
        text = text.replacen("[[draw]]", &format!("[[pass]]\n{}\n[[pass.draw]]", scene.pass), 1);
        text = text.replacen("[draw.state]", "[pass.draw.state]", 1);
    }
    if let Some(picture) = picture {
        let pixels: Vec<u8> = (0..SIDE * SIDE).flat_map(|n| picture(n % SIDE, n / SIDE)).collect();
        std::fs::write(dir.path().join("expected.png"), encode_rgba(SIDE, SIDE, &pixels).unwrap()).unwrap();
        text += "[expect]\npng = \"expected.png\"\ntolerance = 1\n";
    }
    std::fs::write(dir.path().join("a.wgsl"), scene.program).unwrap();
    let path = dir.path().join("scene.toml");
    std::fs::write(&path, text).unwrap();
    let out = dir.path().join("out").display().to_string();
    let mut args = vec!["run".to_owned(), path.display().to_string(), "--out".to_owned(), out];
    args.extend(fault.iter().flat_map(|f| ["--set".to_owned(), format!("machine.fault={f}")]));
    args.extend(report.iter().flat_map(|r| ["--report".to_owned(), r.display().to_string()]));
    let done = Command::new(env!("CARGO_BIN_EXE_quadlock")).args(&args).output().expect("quadlock runs");
    let said = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    (done.status.code(), said)
}

/// `fault => checker, scene`. Makes the tests.
macro_rules! model {
    ($($fault:ident => $finder:literal, $scene:expr;)+) => {
        #[test]
        fn every_fault_of_the_model_in_graphics_has_a_row() {
            let rows = [$(stringify!($fault)),+].map(|name| name.replace('_', "-"));
            // Those of merging have theirs in `lockstep::fake::pairs`, wrong rules in
            // `tests/beside.rs`.
            let own = |f: quadlock_golden::Fault| f.is_of_graphics() && !f.is_of_rules() && !f.is_of_merging() && !f.is_of_registers() && !f.is_of_splitting() && !f.is_of_twins();
            for (_, name, _) in quadlock_golden::Fault::ALL.iter().filter(|f| own(f.0)) {
                assert!(rows.iter().any(|row| row == name), "no row for {name}");
            }
        }
        $(
            #[test]
            fn $fault() {
                let scene = $scene;
                let healthy = run(&scene, None, None);
                assert_eq!(healthy.0, Some(0), "{}", healthy.1);
                let name = format!("model:{}", stringify!($fault).replace('_', "-"));
                let (code, said) = run(&scene, Some(&name), None);
                let found = format!("mismatch found by checker `{}`", $finder);
                assert!(code == Some(1) && said.contains(&found), "{name}: {code:?} {said}");
            }
        )+
    };
}

model! {
    frame_strip => "triangle", Scene {
        mesh: "attributes.position = [[-1, -1], [1, -1], [-1, 1], [1, 1]]",
        state: "topology = \"strip\"\ncull = \"back\"", ..WHITE };
    frame_base => "quad", Scene {
        mesh: "attributes.position = [[9, 9], [-1, -1], [3, -1], [-1, 3]]\nindices = [0, 1, 2]",
        draw: "base-vertex = 1", ..WHITE };
    frame_instance => "quad", Scene {
        draw: "instances = 1\nfirst-instance = 1", program: "
@vertex fn v(@location(0) p: vec2f, @builtin(instance_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(p + vec2f(f32(i) * 0.5), 0.5, 1.0); }
@fragment fn f() -> @location(0) vec4f { return vec4f(1.0); }", ..WHITE };
    frame_scissor => "quad", Scene { state: "scissor = [2, 2, 6, 6]", ..WHITE };
    frame_sample_mask => "coverage", Scene { target: "samples = 4", state: "sample-mask = 5", ..WHITE };
    frame_facing => "coverage", Scene { program: "
@vertex fn v(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.5, 1.0); }
@fragment fn f(@builtin(front_facing) front: bool) -> @location(0) vec4f { return vec4f(select(0.0, 1.0, front)); }",
        ..WHITE };
    frame_discard => "coverage", Scene { program: DISCARD, ..WHITE };
    frame_depth => "depth", Scene { state: "depth = \"less\"", program: DEPTH, ..WHITE };
    frame_mask => "coverage", Scene { program: MASK, ..WHITE };
    frame_late => "coverage", Scene { target: "clear-depth = 0.6", state: "depth = \"less\"", program: DEPTH, ..WHITE };
    frame_twice => "colour", Scene { state: "blend = [\"add\"]", program: "
@vertex fn v(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.5, 1.0); }
@fragment fn f() -> @location(0) vec4f { return vec4f(0.25); }", ..WHITE };
    // The second frame adds to the first.
    frame_load => "colour", Scene {
        target: "frames = 2", pass: "load = [\"load\"]", state: "blend = [\"add\"]", program: "
@vertex fn v(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.5, 1.0); }
@fragment fn f() -> @location(0) vec4f { return vec4f(0.25); }", ..WHITE };
    // What the first frame drew hides the second.
    frame_load_depth => "quad", Scene {
        target: "frames = 2\nclear-depth = 0.6", pass: "depth-load = \"load\"", state: "depth = \"greater\"", ..WHITE };
    frame_bypass => "sample-order", Scene { state: "depth = \"less\"", program: "
@vertex fn v(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.5, 1.0); }", ..WHITE };
}

/// A triangle that leaves pixels on all sides.
const SLANTED: &str = "attributes.position = [[-0.9, -0.8], [0.93, -0.4], [-0.3, 0.85]]";

/// Faults of the RTL, one at least for each checker of frames: `fault => checker, keys of the
/// report's mismatch, scene`. That commits are in order is shown by made-up commits
/// (`lockstep/frame.rs`): no planted fault changes only that.
#[test]
fn faults_of_the_machine_are_found_by_name() {
    let instances = "
@vertex fn v(@location(0) p: vec2f, @builtin(instance_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(p, 0.5 - 0.1 * f32(i), 1.0); }
@fragment fn f() -> @location(0) vec4f { return vec4f(0.25); }";
    let slope = "
@vertex fn v(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, p.x * 0.3 + 0.4, 1.0); }
@fragment fn f() -> @location(0) vec4f { return vec4f(1.0); }";
    let base = "attributes.position = [[9, 9], [-1, -1], [3, -1], [-1, 3]]\nindices = [0, 1, 2]";
    let clamp = "stencil = { front = { compare = \"always\", pass = \"increment-clamp\" } }";
    let rows: [(&str, &str, &[&str], Scene); 8] = [
        (
            "front-base",
            "vertex",
            &["draw", "instance", "vertex"],
            Scene { mesh: base, draw: "base-vertex = 1", ..WHITE },
        ),
        ("geometry-face", "triangle", &["draw", "triangle", "expected"], Scene { state: "cull = \"back\"", ..WHITE }),
        (
            "collector-drop",
            "quad",
            &["draw", "triangle", "x", "y"],
            Scene { target: "samples = 4", mesh: SLANTED, ..WHITE },
        ),
        (
            "raster-sample-place",
            "coverage",
            &["x", "y", "sample"],
            Scene { target: "samples = 4", mesh: SLANTED, ..WHITE },
        ),
        ("result-order", "colour", &["triangle", "x", "y", "target", "source"], Scene { program: instances, ..WHITE }),
        (
            "raster-rounding",
            "depth",
            &["triangle", "x", "y", "expected", "actual"],
            Scene { mesh: SLANTED, state: "depth = \"less\"", program: slope, ..WHITE },
        ),
        (
            "stencil-clamp",
            "stencil",
            &["x", "y", "sample", "expected"],
            Scene { target: "clear-stencil = 255", state: clamp, ..WHITE },
        ),
        (
            "tile-count",
            "tile",
            &["draw", "triangle", "x", "y", "sample"],
            Scene {
                target: "tile = 8\nkeep-tiles = false",
                draw: "instances = 4",
                state: "blend = [\"add\"]",
                program: instances,
                ..WHITE
            },
        ),
    ];
    for (fault, finder, keys, scene) in quadlock_testkit::tier::first(4, rows) {
        let (code, said) = run(&scene, None, None);
        assert_eq!(code, Some(0), "{fault}: {said}");
        let dir = tempfile::tempdir().unwrap();
        let report = dir.path().join("report.json");
        let (code, said) = run_with(&scene, Some(fault), None, Some(&report));
        assert_eq!(code, Some(1), "{fault}: {said}");
        let json: serde_json::Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
        let mismatch = &json["mismatches"][0];
        assert_eq!(mismatch["checker"], finder, "{fault}: {said}");
        for key in keys {
            assert!(!mismatch[key].is_null(), "{fault}: no `{key}` in {mismatch}");
        }
    }
}

/// The account of a frame is made from an event that must fit the others of its cycle.
#[test]
fn contradictions_of_the_account_are_found_by_name() {
    for fault in [Fault::StageCommit, Fault::StageContexts] {
        let name = Fault::ALL.iter().find(|f| f.0 == fault).map(|f| f.1);
        let (code, said) = run(&WHITE, name, None);
        assert!(code == Some(1) && said.contains("checker `stage`"), "{fault:?}: {said}");
    }
}

/// Whose result an atomic gives depends on an order that the machine may choose.
#[test]
fn colours_that_depend_on_the_order_of_fragments_are_not_compared() {
    let program = "
@group(0) @binding(0) var<storage, read_write> count: atomic<u32>;
@vertex fn v(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.5, 1.0); }
@fragment fn f() -> @location(0) vec4f { return vec4f(f32(atomicAdd(&count, 1u)) / 255.0); }";
    let scene = Scene { mesh: SLANTED, draw: "[[draw.binding]]\nbinding = 0\nzero = 16", program, ..WHITE };
    let (code, said) = run(&scene, None, None);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("warning: colours of some quads are not compared") && said.contains("a.wgsl:4:"), "{said}");
    // What the atomic counts is still compared.
    let (code, said) = run(&scene, Some("helper-stores"), None);
    assert_eq!(code, Some(1), "{said}");
}

/// `fault => scene, pixel at x, y`. Makes the tests.
macro_rules! compiler {
    ($($fault:ident => $scene:expr, $pixel:expr;)+) => {
        #[test]
        fn every_fault_of_the_compiler_in_graphics_has_a_row() {
            let rows = [$(stringify!($fault)),+].map(|name| name.replace('_', "-"));
            let all = quadlock_shader::fault::CompilerFault::ALL;
            for (_, name, _) in all.iter().filter(|f| f.0.is_of_graphics()) {
                assert!(rows.iter().any(|row| row == name), "no row for {name}");
            }
        }
        $(
            #[test]
            fn $fault() {
                let (scene, pixel): (Scene, fn(u32, u32) -> [u8; 4]) = ($scene, $pixel);
                let healthy = run(&scene, None, Some(&pixel));
                assert_eq!(healthy.0, Some(0), "{}", healthy.1);
                let name = format!("compiler:{}", stringify!($fault).replace('_', "-"));
                let (code, said) = run(&scene, Some(&name), Some(&pixel));
                assert!(code == Some(1) && said.contains("WRONG-OUTPUT"), "{name}: {code:?} {said}");
            }
        )+
    };
}

const DISCARD: &str = "
@vertex fn v(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.5, 1.0); }
@fragment fn f(@builtin(position) p: vec4f) -> @location(0) vec4f { if (p.x < 8.0) { discard; } return vec4f(1.0); }";

const DEPTH: &str = "
struct O { @location(0) c: vec4f, @builtin(frag_depth) d: f32 }
@vertex fn v(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.5, 1.0); }
@fragment fn f() -> O { return O(vec4f(1.0), 0.75); }";

const MASK: &str = "
struct O { @location(0) c: vec4f, @builtin(sample_mask) m: u32 }
@vertex fn v(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.5, 1.0); }
@fragment fn f(@builtin(position) p: vec4f) -> O { return O(vec4f(1.0), select(0u, 1u, p.x < 8.0)); }";

/// Whether a pixel is white or what was cleared.
fn white(is: bool) -> [u8; 4] {
    [if is { 255 } else { 0 }; 4]
}

/// From left to right across the target, of 255.
fn ramp(x: u32) -> u8 {
    ((f64::from(x) + 0.5) / f64::from(SIDE) * 255.0).round() as u8
}

compiler! {
    // -0.5 is the code -64 or -63 of 127.
    attribute_sign => Scene {
        mesh: "attributes.position = [[-1, -1], [3, -1], [-1, 3]]\nattributes.a = [[-0.5, 0, 0, 0], [-0.5, 0, 0, 0], [-0.5, 0, 0, 0]]",
        draw: "attributes = { position = 0, a = { location = 1, format = \"snorm8x4\" } }", program: "
struct V { @builtin(position) p: vec4f, @location(0) a: f32 }
@vertex fn v(@location(0) p: vec2f, @location(1) a: vec4f) -> V { return V(vec4f(p, 0.5, 1.0), -a.x); }
@fragment fn f(@location(0) a: f32) -> @location(0) vec4f { return vec4f(a); }", ..WHITE }, |_, _| [128; 4];
    attribute_integer => Scene {
        mesh: "attributes.position = [[-1, -1], [3, -1], [-1, 3]]\nattributes.a = [[-3, 0], [-3, 0], [-3, 0]]",
        draw: "attributes = { position = 0, a = { location = 1, format = \"sint16x2\" } }", program: "
struct V { @builtin(position) p: vec4f, @location(0) a: f32 }
@vertex fn v(@location(0) p: vec2f, @location(1) a: vec2i) -> V { return V(vec4f(p, 0.5, 1.0), f32(-a.x) / 15.0); }
@fragment fn f(@location(0) a: f32) -> @location(0) vec4f { return vec4f(a); }", ..WHITE }, |_, _| [51; 4];
    varying_corner => Scene { program: "
struct V { @builtin(position) p: vec4f, @location(0) a: vec2f }
@vertex fn v(@location(0) p: vec2f) -> V { return V(vec4f(p, 0.5, 1.0), p * 0.5 + 0.5); }
@fragment fn f(v: V) -> @location(0) vec4f { return vec4f(v.a.x, 1.0 - v.a.y, 0.0, 1.0); }", ..WHITE },
        |x, y| [ramp(x), ramp(y), 0, 255];
    // The second corner is twice as far away.
    varying_linear => Scene { program: "
struct V { @builtin(position) p: vec4f, @location(0) @interpolate(linear) a: f32 }
@vertex fn v(@location(0) p: vec2f) -> V { let w = select(1.0, 2.0, p.x > 1.0); return V(vec4f(p, 0.5, 1.0) * w, p.x * 0.5 + 0.5); }
@fragment fn f(v: V) -> @location(0) vec4f { return vec4f(v.a); }", ..WHITE }, |x, _| [ramp(x); 4];
    position_corner => Scene { program: "
@vertex fn v(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.5, 1.0); }
@fragment fn f(@builtin(position) p: vec4f) -> @location(0) vec4f { return vec4f(p.x / 16.0, p.y / 16.0, p.z, p.w); }",
        ..WHITE }, |x, y| [ramp(x), ramp(y), 128, 255];
    output_order => Scene { program: "
@vertex fn v(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.5, 1.0); }
@fragment fn f() -> @location(0) vec4f { return vec4f(0.2, 0.4, 0.6, 0.8); }", ..WHITE }, |_, _| [51, 102, 153, 204];
    // 0.75 is behind the 0.6 that was cleared; half of it is not.
    depth_scale => Scene { target: "clear-depth = 0.6", state: "depth = \"less\"", program: DEPTH, ..WHITE },
        |_, _| white(false);
    // 0.75 is held in the viewport's range, whose greatest depth is 0.5: before the 0.6.
    depth_range => Scene { target: "clear-depth = 0.6", state: "depth = \"less\"\ndepth-range = [0.0, 0.5]",
        program: DEPTH, ..WHITE }, |_, _| white(true);
    mask_lost => Scene { program: MASK, ..WHITE }, |x, _| white(x < 8);
    // floor(1/2 + 4 * 0.3) is one sample of four, and its colour is mixed with three that are
    // clear.
    alpha_mask => Scene { target: "samples = 4", state: "alpha-to-coverage = true", program: "
@vertex fn v(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.5, 1.0); }
@fragment fn f() -> @location(0) vec4f { return vec4f(1.0, 1.0, 1.0, 0.3); }", ..WHITE }, |_, _| [64, 64, 64, 19];
    demote_lost => Scene { program: DISCARD, ..WHITE }, |x, _| white(x >= 8);
}
