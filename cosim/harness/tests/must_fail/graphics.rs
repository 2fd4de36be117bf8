//! Planted faults of graphics in model and compiler, each shown by a small scene from the command
//! line. The scene passes without the fault.
//!
//! Of the model: lockstep finds it, by the checker that the row names. Of the compiler: RTL and
//! model run the same wrong program, so the picture must find it. The pictures here are computed
//! from the place of the pixel, by hand. A row can be wrong by a picture that both have; the run
//! without the fault is held to the same picture.

use std::process::Command;

use quadlock::job::picture::encode_rgba;

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
            for (_, name, _) in quadlock_golden::Fault::ALL.iter().filter(|f| f.0.is_of_graphics()) {
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
    frame_strip => "frame", Scene {
        mesh: "attributes.position = [[-1, -1], [1, -1], [-1, 1], [1, 1]]",
        state: "topology = \"strip\"\ncull = \"back\"", ..WHITE };
    frame_base => "frame", Scene {
        mesh: "attributes.position = [[9, 9], [-1, -1], [3, -1], [-1, 3]]\nindices = [0, 1, 2]",
        draw: "base-vertex = 1", ..WHITE };
    frame_instance => "frame", Scene {
        draw: "instances = 1\nfirst-instance = 1", program: "
@vertex fn v(@location(0) p: vec2f, @builtin(instance_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(p + vec2f(f32(i) * 0.5), 0.5, 1.0); }
@fragment fn f() -> @location(0) vec4f { return vec4f(1.0); }", ..WHITE };
    frame_scissor => "frame", Scene { state: "scissor = [2, 2, 6, 6]", ..WHITE };
    frame_sample_mask => "frame", Scene { target: "samples = 4", state: "sample-mask = 5", ..WHITE };
    frame_facing => "frame", Scene { program: "
@vertex fn v(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.5, 1.0); }
@fragment fn f(@builtin(front_facing) front: bool) -> @location(0) vec4f { return vec4f(select(0.0, 1.0, front)); }",
        ..WHITE };
    frame_discard => "frame", Scene { program: DISCARD, ..WHITE };
    frame_depth => "frame", Scene { state: "depth = \"less\"", program: DEPTH, ..WHITE };
    frame_mask => "frame", Scene { program: MASK, ..WHITE };
    frame_late => "frame", Scene { target: "clear-depth = 0.6", state: "depth = \"less\"", program: DEPTH, ..WHITE };
    frame_twice => "end-state", Scene { state: "blend = [\"add\"]", program: "
@vertex fn v(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.5, 1.0); }
@fragment fn f() -> @location(0) vec4f { return vec4f(0.25); }", ..WHITE };
    // The second frame adds to the first.
    frame_load => "end-state", Scene {
        target: "frames = 2", pass: "load = [\"load\"]", state: "blend = [\"add\"]", program: "
@vertex fn v(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.5, 1.0); }
@fragment fn f() -> @location(0) vec4f { return vec4f(0.25); }", ..WHITE };
    // What the first frame drew hides the second.
    frame_load_depth => "frame", Scene {
        target: "frames = 2\nclear-depth = 0.6", pass: "depth-load = \"load\"", state: "depth = \"greater\"", ..WHITE };
    frame_bypass => "frame", Scene { state: "depth = \"less\"", program: "
@vertex fn v(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.5, 1.0); }", ..WHITE };
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
    mask_lost => Scene { program: MASK, ..WHITE }, |x, _| white(x < 8);
    // floor(1/2 + 4 * 0.3) is one sample of four, and its colour is mixed with three that are
    // clear.
    alpha_mask => Scene { target: "samples = 4", state: "alpha-to-coverage = true", program: "
@vertex fn v(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.5, 1.0); }
@fragment fn f() -> @location(0) vec4f { return vec4f(1.0, 1.0, 1.0, 0.3); }", ..WHITE }, |_, _| [64, 64, 64, 19];
    demote_lost => Scene { program: DISCARD, ..WHITE }, |x, _| white(x >= 8);
}
