//! HZ-25 on whole scenes: draws with a stencil test are culled if what fails its depth test leaves
//! the stencil, and drawn if it marks it. A square in front hides one behind it, which has such a
//! test; a third one shows where the stencil was marked. Wrong would be marks that nobody sees.

use std::process::Command;

use quadlock_hdl::fault::Fault;
use serde_json::Value;

const WGSL: &str = "
struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, either) c: f32 }
@vertex fn vertex(@location(0) p: vec3f, @location(1) c: f32) -> V { return V(vec4f(p, 1.0), c); }
@fragment fn fragment(v: V) -> @location(0) vec4f { return vec4f(v.c, 0.5, 0.0, 1.0); }
";

/// Four triangles that fill the target, at a depth.
fn square(name: &str, z: f32) -> String {
    let corner = |x: i32, y: i32| format!("[{x}, {y}, {z}]");
    let [a, b, c, d, o] = [(-1, -1), (1, -1), (1, 1), (-1, 1), (0, 0)].map(|(x, y)| corner(x, y));
    format!(
        "[mesh.{name}]\nattributes.position = [{a}, {b}, {o}, {b}, {c}, {o}, {c}, {d}, {o}, {d}, {a}, {o}]\n\
         attributes.colour = [{}]\n",
        ["0", "0.2", "0.4", "0.6"].map(|c| [c; 3].join(", ")).join(", ")
    )
}

fn draw(mesh: &str, state: &str) -> String {
    format!(
        "[[draw]]\nmesh = \"{mesh}\"\nvertex = {{ file = \"a.wgsl\", entry = \"vertex\" }}\n\
         fragment = {{ file = \"a.wgsl\", entry = \"fragment\" }}\n\
         attributes = {{ position = {{ location = 0, format = \"float32x3\" }}, colour = 1 }}\nstate = {{ {state} }}\n"
    )
}

/// Exit status, words and report of that scene: `stencil` and `more` of what is hidden.
fn run(stencil: &str, more: &str, sets: &[&str]) -> (Option<i32>, String, Value) {
    let dir = tempfile::tempdir().unwrap();
    let mut text = "name = \"stencil\"\n[target]\nwidth = 32\nheight = 32\n".to_owned();
    text += &[square("near", 0.25), square("far", 0.75), square("nearest", 0.125)].concat();
    text += &draw("near", "depth = \"less\"");
    text += &draw("far", &format!("depth = \"less\", {more}stencil = {{ {stencil}, reference = 1 }}"));
    text += &draw("nearest", "depth = \"less\", stencil = { front = { compare = \"equal\" }, reference = 1 }");
    std::fs::write(dir.path().join("a.wgsl"), WGSL).unwrap();
    std::fs::write(dir.path().join("scene.toml"), text).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_quadlock"))
        .args(["run", "scene.toml", "--report", "r.json"])
        .args(sets.iter().flat_map(|set| ["--set", set]))
        .current_dir(dir.path())
        .output()
        .unwrap();
    let report = std::fs::read(dir.path().join("r.json")).ok();
    let report = report.and_then(|r| serde_json::from_slice(&r).ok()).unwrap_or_default();
    (
        out.status.code(),
        format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr)),
        report,
    )
}

/// Machines, and who culls there.
const MACHINES: [(&[&str], &str); 4] = [
    (&["hi-z=visibility"], "visibility"),
    (&["hi-z=rasteriser"], "rasteriser"),
    (&["hi-z=visibility", "hi-z-update=back"], "visibility"),
    (&["hi-z=visibility", "cull-pipeline=depth"], "cull_pipeline"),
];

/// Pairs that are culled before early tests, and whether the marks are seen: `nearest` is drawn.
fn culls(stencil: &str, more: &str, sets: &[&str]) -> (u64, u64) {
    let (status, text, report) = run(stencil, more, sets);
    assert_eq!(status, Some(0), "{stencil} {sets:?}: {text}");
    assert!(text.contains("PASS (lockstep)"), "{stencil} {sets:?}: {text}");
    let by = |key: &str| report["culls"]["by"][key].as_u64().unwrap();
    let culled = ["cull_pipeline", "visibility", "binner", "rasteriser"].map(by).iter().sum();
    (culled, report["fragments_shaded"].as_u64().unwrap())
}

const KEEPS: &str = "front = { compare = \"always\", pass = \"replace\" }";
const FAIL: &str = "front = { compare = \"equal\", fail = \"replace\" }";
const DEPTH_FAIL: &str = "front = { compare = \"always\", depth-fail = \"increment-clamp\" }";

#[test]
fn hz_25_what_leaves_the_stencil_is_culled() {
    for (sets, who) in MACHINES {
        for (stencil, more) in [
            (KEEPS, ""),
            ("front = { compare = \"less\" }", ""),
            // It never happens.
            ("front = { compare = \"always\", fail = \"invert\" }", ""),
            ("front = { compare = \"never\", depth-fail = \"invert\" }", ""),
            ("front = { compare = \"equal\", fail = \"invert\", depth-fail = \"zero\" }, write = 0", ""),
            // The side that would mark is not drawn.
            (
                "front = { compare = \"always\" }, back = { compare = \"equal\", fail = \"replace\" }",
                "cull = \"back\", ",
            ),
        ] {
            let (culled, shaded) = culls(stencil, more, sets);
            // What is written as it is hidden may come too late for depths that were written.
            let all = !sets.contains(&"hi-z-update=back") && who != "rasteriser";
            assert!(if all { culled >= 16 } else { culled > 0 }, "{stencil} {sets:?}: {culled} culled");
            assert_eq!(shaded, 1024, "{stencil} {sets:?}");
        }
    }
}

#[test]
fn hz_25_what_marks_the_stencil_is_not_culled() {
    for (sets, _) in MACHINES {
        for stencil in
            [FAIL, DEPTH_FAIL, "front = { compare = \"always\" }, back = { compare = \"never\", fail = \"zero\" }"]
        {
            let (culled, shaded) = culls(stencil, "", sets);
            let marks = !stencil.contains("zero");
            assert_eq!((culled, shaded), (0, if marks { 2048 } else { 1024 }), "{stencil} {sets:?}");
        }
    }
}

/// The class that ignores `depth fail`: where it is missed is named.
#[test]
fn a_class_that_ignores_depth_fail_is_caught() {
    let fault = Fault::HiZStencil;
    let name = Fault::ALL.iter().find(|f| f.0 == fault).map_or("", |f| f.1);
    let fault = format!("machine.fault=rtl:{name}");
    for (sets, who) in MACHINES {
        let (status, text, _) = run(DEPTH_FAIL, "", &[sets, &[&fault]].concat());
        let words = match who {
            "cull_pipeline" => "a triangle is skipped of which something is seen",
            _ => "a quad was culled that is seen",
        };
        assert!(status == Some(1) && text.contains(words), "{sets:?}: {text}");
    }
}
