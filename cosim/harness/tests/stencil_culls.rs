//! HZ-25 on whole scenes: draws with a stencil test are culled if what fails its depth test leaves
//! the stencil, and drawn if it marks it. A square in front hides one behind it, which has such a
//! test; a third one shows where the stencil was marked. Wrong would be marks that nobody sees.

use std::process::Command;

use quadlock_hdl::fault::Fault;
use serde_json::Value;
use tempfile::TempDir;

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
         attributes = {{ position = {{ location = 0, format = \"float32x3\" }}, colour = 1 }}\nbypass = false\nstate = {{ {state} }}\n"
    )
}

/// Exit status and words of a scene in a folder, where its report is left: what is hidden is drawn
/// with each of these stencils, and states.
fn run(dir: &TempDir, hidden: &[(&str, &str)], sets: &[&str]) -> (Option<i32>, String) {
    let mut text = "name = \"stencil\"\n[target]\nwidth = 16\nheight = 16\n".to_owned();
    text += &[square("near", 0.25), square("far", 0.75), square("nearest", 0.125)].concat();
    text += &draw("near", "depth = \"less\"");
    for (stencil, more) in hidden {
        text += &draw("far", &format!("depth = \"less\", {more}stencil = {{ {stencil}, reference = 1 }}"));
    }
    text += &draw("nearest", "depth = \"less\", stencil = { front = { compare = \"equal\" }, reference = 1 }");
    std::fs::write(dir.path().join("a.wgsl"), WGSL).unwrap();
    std::fs::write(dir.path().join("scene.toml"), text).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_quadlock"))
        .args(["run", "scene.toml", "--report", "r.json"])
        .args(sets.iter().flat_map(|set| ["--set", set]))
        .current_dir(dir.path())
        .output()
        .unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    (out.status.code(), text)
}

/// Machines, by who culls there.
const MACHINES: [(&str, &[&str]); 3] = [
    ("visibility", &["hi-z=visibility"]),
    ("cull_pipeline", &["hi-z=visibility", "cull-pipeline=depth"]),
    ("rasteriser", &["hi-z=rasteriser"]),
];

/// Pairs of a triangle and a group that somebody culls, and fragments: 256 of each square.
fn culls(hidden: &[(&str, &str)], (who, sets): (&str, &[&str])) -> (u64, u64) {
    let dir = tempfile::tempdir().unwrap();
    let (status, text) = run(&dir, hidden, sets);
    assert!(status == Some(0) && text.contains("verdict                 PASS"), "{sets:?}: {text}");
    let report: Value = serde_json::from_slice(&std::fs::read(dir.path().join("r.json")).unwrap()).unwrap();
    let by = |key: &str| report["culls"]["by"][key].as_u64().unwrap();
    for other in ["cull_pipeline", "visibility", "binner", "rasteriser"].into_iter().filter(|&other| other != who) {
        assert!(by(other) == 0 || who == "visibility" && other == "rasteriser", "{sets:?}: {text}");
    }
    (by(who), report["fragments_shaded"].as_u64().unwrap())
}

/// What hides is drawn long before, so that each pair is culled: 12 groups of each square, of which
/// triangles cover a sample. One draw for each way to leave the stencil.
#[test]
fn hz_25_what_leaves_the_stencil_is_culled() {
    let hidden = [
        ("front = { compare = \"always\", pass = \"replace\" }", ""),
        ("front = { compare = \"less\" }", ""),
        // It never happens.
        ("front = { compare = \"always\", fail = \"invert\" }", ""),
        ("front = { compare = \"never\", depth-fail = \"invert\" }", ""),
        ("front = { compare = \"equal\", fail = \"invert\", depth-fail = \"zero\" }, write = 0", ""),
        // The side that would mark is not drawn.
        ("front = { compare = \"always\" }, back = { compare = \"equal\", fail = \"invert\" }", "cull = \"back\", "),
    ];
    for machine in MACHINES {
        let (culled, shaded) = culls(&hidden, machine);
        assert!(if machine.0 == "rasteriser" { culled > 0 } else { culled >= 6 * 8 }, "{machine:?}: {culled}");
        assert_eq!(shaded, 256, "{machine:?}: the last square fails its stencil test");
    }
}

/// Each has an effect, so nobody culls; what is drawn last shows the marks.
#[test]
fn hz_25_what_marks_the_stencil_is_not_culled() {
    let hidden = [
        ("front = { compare = \"equal\", fail = \"replace\" }", ""),
        ("front = { compare = \"always\" }, back = { compare = \"never\", fail = \"zero\" }", ""),
        ("front = { compare = \"always\", depth-fail = \"invert\" }", ""),
        ("front = { compare = \"less\", depth-fail = \"replace\" }", ""),
    ];
    for machine in MACHINES {
        let (culled, shaded) = culls(&hidden, machine);
        assert_eq!((culled, shaded), (0, 512), "{machine:?}");
    }
}

/// The class that ignores `depth fail`: where it is missed is named. The rasteriser has the same.
#[test]
fn a_class_that_ignores_depth_fail_is_caught() {
    let fault = Fault::HiZStencil;
    let name = Fault::ALL.iter().find(|f| f.0 == fault).map_or("", |f| f.1);
    let fault = format!("machine.fault=rtl:{name}");
    let all = MACHINES.into_iter().zip([
        "a quad was culled that is seen; by the visibility unit: draw 1",
        "a triangle is skipped of which something is seen; by the cull pipeline: draw 1",
    ]);
    for ((_, sets), words) in quadlock_testkit::tier::first(1, all) {
        let hidden = [("front = { compare = \"always\", depth-fail = \"increment-clamp\" }", "")];
        let (status, text) = run(&tempfile::tempdir().unwrap(), &hidden, &[sets, &[&fault]].concat());
        assert!(status == Some(1) && text.contains(words), "{sets:?}: {text}");
    }
}
