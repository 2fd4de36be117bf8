//! The cull pipeline in lockstep: a scene in which everything that it can do happens, and planted
//! bugs of it, in the RTL and in the compiler, that are named.

use std::path::Path;
use std::process::Command;

use quadlock_hdl::fault::Fault;
use quadlock_testkit::tier;

/// HZ-36: the checker names the vertex and the line of its program.
#[test]
fn hz_36_a_split_multiply_add_is_named_in_lockstep() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/teapot/scene.toml");
    let out = Command::new(env!("CARGO_BIN_EXE_quadlock"))
        .args(["run", path.to_str().unwrap(), "--small", "--set", "machine.cull-pipeline=positions"])
        .args(["--set", "machine.fault=compiler:position-splits-fma"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(said.contains("the cull pipeline's position of a vertex is not the vertex's"), "{said}");
    assert!(said.contains("teapot.wgsl:13") && said.contains("draw 0, instance 0, vertex "), "{said}");
}

const WGSL: &str = r"
struct Out { @builtin(position) position: vec4f, @location(0) colour: vec3f }
@vertex fn vertex(@location(0) position: vec4f, @location(1) colour: f32, @builtin(instance_index) instance: u32) -> Out {
    let depth = 0.02 * f32(instance);
    return Out(position + vec4f(0.1 * f32(instance), 0.0, -depth, 0.0), vec3f(colour, fract(0.3 * f32(instance)), 1.0 - colour));
}
@fragment fn fragment(in: Out) -> @location(0) vec4f { return vec4f(in.colour, 1.0); }
";

/// Triangles that are cut, hidden, outside and seen; their mesh.
const HEAD: &str = r#"name = "ahead"
[target]
width = 40
height = 24
tile = 8
[mesh.one]
attributes.position = [
    [-3, -1, 0.9, 1], [1, -1, 0.9, 1], [1, 9, 0.9, -1],
    [-1, -1, 0.6, 1], [1, -1, 0.6, 1], [-1, 1, 0.6, 1],
    [1, -1, 0.7, 1], [1, 1, 0.7, 1], [-1, 1, 0.7, 1],
    [0, 0, 0.8, 1], [0.5, 0, 0.8, 1], [0, 0.5, 0.8, 1],
    [-0.5, -0.5, 0.85, 1], [0, -0.5, 0.85, 1], [-0.5, 0, 0.85, 1],
    [2, 2, 0.5, 1], [3, 2, 0.5, 1], [2, 3, 0.5, 1],
]
attributes.colour = [0, 0, 0, 0.2, 0.2, 0.2, 0.4, 0.4, 0.4, 0.6, 0.6, 0.6, 0.8, 0.8, 0.8, 1, 1, 1]
"#;

fn draw(depth: &str, instances: u32, scissor: &str) -> String {
    format!(
        "[[pass.draw]]\nmesh = \"one\"\nvertex = {{ file = \"a.wgsl\", entry = \"vertex\" }}\n\
         fragment = {{ file = \"a.wgsl\", entry = \"fragment\" }}\n\
         attributes = {{ position = {{ location = 0, format = \"float32x4\" }}, colour = 1 }}\n\
         instances = {instances}\nstate = {{ depth = \"{depth}\", scissor = [{scissor}] }}\n"
    )
}

/// Two passes; a draw goes past, and moves depth; lists and strips; more states than contexts.
fn scene() -> String {
    let whole = "0, 0, 40, 24";
    let mut text = format!("{HEAD}[[pass]]\n");
    for (depth, instances) in [("less", 4), ("less", 2), ("always", 1), ("less", 3), ("less-equal", 3)] {
        text += &draw(depth, instances, if depth == "always" { "0, 0, 30, 20" } else { whole });
    }
    let strip = |draw: String, more: &str| draw.replace("depth = ", &format!("topology = \"strip\", {more}depth = "));
    text += &strip(draw("less", 2, whole), "");
    text += &strip(draw("less", 3, whole), "cull = \"back\", ");
    text += "[[pass]]\nload = [\"load\"]\n";
    for k in 0..12 {
        let draw = draw(["less-equal", "less"][k % 2], 2, &format!("{k}, 0, 20, 20"));
        text += &if k % 3 == 0 { strip(draw, "") } else { draw };
    }
    text + &draw("less", 60, whole)
}

/// A wall that goes past and what is behind it; a draw that goes past and moves depth back, and
/// what shows before that; a run in two parts.
fn walls() -> String {
    let mut text = String::from(
        "name = \"walls\"\n[target]\nwidth = 40\nheight = 24\ntile = 8\n[mesh.wall]\nattributes.position = [\n",
    );
    let corners = |text: &mut String, x: [f32; 2], y: [f32; 2], z: f32| {
        for k in [[0, 0], [1, 0], [0, 1], [1, 0], [1, 1], [0, 1]] {
            *text += &format!("    [{}, {}, {z}, 1],\n", x[k[0]], y[k[1]]);
        }
    };
    corners(&mut text, [-1.0, 1.0], [-1.0, 1.0], 0.5);
    text += "]\nattributes.colour = [0, 0.2, 0.4, 0.6, 0.8, 1]\n[mesh.one]\nattributes.position = [\n";
    for k in 0..12u8 {
        let (x, y) = (-1.0 + 0.5 * f32::from(k % 4), -1.0 + 0.6 * f32::from(k / 4));
        corners(&mut text, [x, x + 0.4], [y, y + 0.5], 0.75);
    }
    text += &format!("]\nattributes.colour = [{}]\n[[pass]]\n", "0.1, 0.5, 0.9, ".repeat(24));
    let of = |mesh: &str, keys: &str, state: &str, more: f32| {
        let drawn = draw(state, 1, "0, 0, 40, 24").replace("mesh = \"one\"", &format!("mesh = \"{mesh}\"\n{keys}"));
        drawn.replace("state = {", &format!("state = {{ depth-range = [{more:?}, {:?}],", 0.1 + more))
    };
    let past = "bypass = true";
    text += &of("wall", past, "less", 0.4);
    // What is behind the wall is seen by this test, and does not wait until the wall is drawn.
    text += &of("one", "", "greater", 0.6).replace("depth = ", "depth-write = false, depth = ");
    text += &of("one", "", "less", 0.5);
    text += &of("wall", past, "less", 0.3);
    text += &of("wall", past, "always", 0.8);
    text += &of("one", "", "less", 0.6);
    text += "[[pass]]\n";
    text += &of("one", "", "less", 0.8);
    text += &of("one", past, "less", 0.7);
    text + &of("wall", "", "less", 0.3)
}

/// Exit status and words of a run with these settings.
fn run(sets: &[&str]) -> (Option<i32>, String) {
    run_of(&scene(), sets)
}

fn run_of(scene: &str, sets: &[&str]) -> (Option<i32>, String) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.wgsl"), WGSL).unwrap();
    std::fs::write(dir.path().join("scene.toml"), scene).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_quadlock"))
        .args(["run", "scene.toml"])
        .args(sets.iter().flat_map(|set| ["--set", set]))
        .current_dir(dir.path())
        .output()
        .unwrap();
    (out.status.code(), format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr)))
}

/// HZ-30 to HZ-33, HZ-35: with the cull pipeline memory at the end is the model's. What it can, it
/// culls.
#[test]
fn hz_35_the_cull_pipeline_changes_no_picture() {
    let depth = ["cull-pipeline=depth", "hi-z=visibility", "cull-record=256"];
    let window = ["cull-pipeline=depth", "hi-z=visibility+binner", "tbimr=window"];
    let runs = [
        (&depth[..], "516 culled (18 by face, 186 hidden), 108 left alone"),
        (&window, "516 culled (18 by face, 186 hidden), 108 left alone"),
        (&["cull-pipeline=positions"], "330 culled (18 by face, 0 hidden), 108 left alone"),
    ];
    for (sets, words) in tier::first(1, runs) {
        let (status, text) = run(sets);
        assert_eq!(status, Some(0), "{sets:?}: {text}");
        assert!(text.contains(words) && text.contains("verdict                 PASS"), "{sets:?}: {text}");
        assert!(text.contains("bypassed                draw 2: ") && !text.contains(": draw 5: "), "{sets:?}: {text}");
    }
}

const WALLS: [&str; 3] = ["cull-pipeline=depth", "hi-z=visibility+binner", "tbimr=window"];

/// HZ-33, HZ-24: a wall that goes past hides what comes behind it, until a draw moves depths back.
#[test]
fn hz_33_a_wall_that_goes_past_hides() {
    let (status, text) = run_of(&walls(), &WALLS);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("verdict                 PASS"), "{text}");
    assert!(text.contains("98 triangles in, 24 culled (0 by face, 24 hidden)"), "{text}");
}

/// Late updates: each is found, by its checker.
#[test]
fn planted_faults_of_late_bounds_are_caught() {
    let faults = [
        (Fault::LateUpdate, "a triangle is skipped of which something is seen"),
        (Fault::LateWay, "a triangle is skipped of which something is seen"),
        (Fault::LateRun, "a quad was culled that is seen"),
    ];
    for (fault, words) in tier::first(1, faults) {
        let name = Fault::ALL.iter().find(|f| f.0 == fault).map_or("", |f| f.1);
        let fault = format!("machine.fault=rtl:{name}");
        let (status, text) = run_of(&walls(), &[&WALLS[..], &[&fault]].concat());
        assert_eq!(status, Some(1), "{fault}: {text}");
        assert!(text.contains(words), "{fault}: {text}");
    }
}

/// Each is found, by its checker.
#[test]
fn planted_faults_of_the_cull_pipeline_are_caught() {
    let faults = [
        (Fault::FrontBit, "a triangle is skipped that the cull pipeline has left visible"),
        (Fault::CullCrosses, "the cull pipeline finds another fate of a triangle than the model"),
        (Fault::StripMark, "checker `coverage`"),
        (Fault::CullMark, "checker `triangle`"),
        (Fault::EdgesCorner, "a quad was culled that is seen"),
        (Fault::CullForget, "a triangle is skipped of which something is seen"),
    ];
    for (fault, words) in tier::first(1, faults) {
        let name = Fault::ALL.iter().find(|f| f.0 == fault).map_or("", |f| f.1);
        let fault = format!("machine.fault=rtl:{name}");
        let (status, text) = run(&["cull-pipeline=depth", "hi-z=visibility", "cull-record=256", &fault]);
        assert_eq!(status, Some(1), "{fault}: {text}");
        assert!(text.contains(words), "{fault}: {text}");
    }
}
