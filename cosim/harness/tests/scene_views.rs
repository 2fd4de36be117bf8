//! Views of what Hi-Z and windows save: visits of tiles, funnel, heat maps of culls and reloads.
//!
//! The scene has triangles that planes cut, two passes and a scissor, so that a triangle has
//! several pieces and boxes are not whole. Tiles are not kept: then each visit again is a reload,
//! which the tile buffers count by themselves. Wrong would be a figure that nothing else counts.

use std::path::Path;
use std::process::Command;

use quadlock::job::picture::Picture;
use serde_json::Value;

const WGSL: &str = "
struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, either) c: f32 }
@vertex fn vertex(@location(0) p: vec4f, @location(1) c: f32) -> V { return V(p, c); }
@fragment fn fragment(v: V) -> @location(0) vec4f { return vec4f(v.c, 0.5, 0.0, 1.0); }
";

const SCENE: &str = r#"name = "clipped"
[target]
width = 40
height = 24
tile = 8
keep-tiles = false
[mesh.one]
attributes.position = [
    [-3, -1, 0.5, 1], [1, -1, 0.5, 1], [1, 9, 0.5, -1],
    [-1, -1, 0.4, 1], [-0.5, -1, 0.4, 1], [-1, 0, 0.4, 1],
    [-1, 1, -0.5, 1], [1, 1, 0.9, 1], [0, -1, 0.3, 1],
    [0, 0, 0.8, 1], [0.5, 0, 0.8, 1], [0, 0.5, 0.8, 1],
    [-4, 3, 0.2, 0.5], [4, 3, 0.2, 0.5], [0, -4, 0.6, 2],
]
attributes.colour = [0, 0, 0, 0.2, 0.2, 0.2, 0.4, 0.4, 0.4, 0.6, 0.6, 0.6, 0.8, 0.8, 0.8]
[[pass]]
[[pass.draw]]
mesh = "one"
vertex = { file = "a.wgsl", entry = "vertex" }
fragment = { file = "a.wgsl", entry = "fragment" }
attributes = { position = { location = 0, format = "float32x4" }, colour = 1 }
instances = 8
state = { depth = "less" }
[[pass]]
load = ["load"]
[[pass.draw]]
mesh = "one"
vertex = { file = "a.wgsl", entry = "vertex" }
fragment = { file = "a.wgsl", entry = "fragment" }
attributes = { position = { location = 0, format = "float32x4" }, colour = 1 }
instances = 3
state = { depth = "less", scissor = [3, 5, 22, 9] }
"#;

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.wgsl"), WGSL).unwrap();
    std::fs::write(dir.path().join("scene.toml"), SCENE).unwrap();
    dir
}

fn run(dir: &Path, args: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadlock"));
    let out = command.args(["run", "scene.toml"]).args(args).current_dir(dir).output().unwrap();
    (out.status.code(), format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr)))
}

/// What a run reports and says, with these settings and options.
fn report(dir: &Path, sets: &[&str], more: &[&str]) -> (Value, String) {
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
    let (status, text) = run(dir, &[&["--report", "r.json"], &sets[..], more].concat());
    assert_eq!(status, Some(0), "{sets:?} {more:?}: {text}");
    (serde_json::from_slice(&std::fs::read(dir.join("r.json")).unwrap()).unwrap(), text)
}

fn number(report: &Value, path: &str) -> u64 {
    path.split('.').fold(report, |value, key| &value[key]).as_u64().unwrap_or_else(|| panic!("{path} in {report}"))
}

/// Pixels of the target.
const PIXELS: f64 = 40.0 * 24.0;

/// HZ-2, HZ-10: whatever ends windows, and with pieces of triangles that are passed over.
#[test]
fn each_visit_again_is_a_reload() {
    let dir = folder();
    let few = ["hi-z=visibility", "tbimr=window", "tbimr-window=16"];
    let pairs = ["hi-z=update-only", "tbimr=window", "tbimr-pairs=64"];
    let mut seen = vec![];
    for sets in [&few[..], &pairs, &few[..1], &[]] {
        let (report, text) = report(dir.path(), sets, &["--heatmap", "reloads=h.png"]);
        let [all, first, open, again] = ["all", "first", "open", "again"].map(|k| number(&report["tile_visits"], k));
        let [reloads, written] = ["tile_reloads", "tiles_written"].map(|k| number(&report, k));
        // Of a window that begins within a cut triangle it is a guess which tile comes first:
        // whether it is the open one may be wrong (docs/blocks/hi-z.md, "Views").
        let guesses = u64::from(sets.contains(&"tbimr-window=16"));
        assert!(again.abs_diff(reloads) <= guesses && (all - open).abs_diff(written) <= guesses, "{sets:?}: {text}");
        assert_eq!((all, again + written), (first + open + again, all - open + reloads), "{sets:?}: {text}");
        // Each reload counts for the 64 pixels of its tile.
        let mean = report["heatmap"]["mean"].as_f64().unwrap();
        assert_eq!((mean * PIXELS).round() as u64, 64 * reloads, "{sets:?}");
        assert_eq!(number(&report, "bytes.tiles"), number(&report, "bytes.colour") + number(&report, "bytes.depth"));
        seen.push(again);
    }
    assert!(seen[0] > 0 && seen[0] < seen[1] && seen[2] < seen[3], "{seen:?}");
    // Kept, a tile may be found in a buffer.
    let (kept, text) = report(dir.path(), &["hi-z=visibility", "target.keep-tiles=true"], &[]);
    assert!(number(&kept, "tile_visits.again") == seen[2] && number(&kept, "tile_reloads") < seen[2], "{text}");
}

/// Each stage has what the one before left, less its culls; the last two are fragments.
#[test]
fn a_funnel_and_a_heat_map_of_culls() {
    let dir = folder();
    let sets = ["hi-z=visibility", "tbimr=window", "tbimr-window=16"];
    let (report, text) = report(dir.path(), &sets, &["--heatmap", "culls=h.png", "--funnel", "f.svg"]);
    let by = |key: &str| number(&report, &format!("culls.by.{key}"));
    let funnel = report["funnel"].as_array().unwrap();
    let names: Vec<&str> = funnel.iter().filter_map(|s| s["stage"].as_str()).collect();
    let expected =
        ["submitted", "cull pipeline", "visibility unit", "binner", "rasteriser", "early Z", "shaded", "visible"];
    assert_eq!(names, expected);
    let mut left = number(&report, "culls.submitted");
    let culled = [0, by("cull_pipeline"), by("visibility"), by("binner"), by("rasteriser"), by("early_z")];
    for (stage, culled) in funnel.iter().zip(culled) {
        left -= culled;
        assert_eq!(number(stage, "groups"), left, "{text}");
        assert!(stage["triangles"].is_u64() && stage["fragments"].is_null(), "{stage}");
    }
    assert_eq!(number(&funnel[6], "fragments"), number(&report, "fragments_shaded"));
    assert_eq!(number(&funnel[7], "fragments"), number(&report, "visible_samples"));
    assert!(
        by("visibility") > 0 && by("rasteriser") > 0 && text.contains("funnel                  submitted"),
        "{text}"
    );
    let svg = std::fs::read_to_string(dir.path().join("f.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains(&format!("({} fewer)", by("visibility"))), "{svg}");
    // Each pair that was culled before the depth test counts for the 64 pixels of its group.
    let mean = report["heatmap"]["mean"].as_f64().unwrap();
    let before = culled[..5].iter().sum::<u64>();
    assert_eq!((mean * PIXELS).round() as u64, 64 * before, "{text}");
    let picture = Picture::decode(&std::fs::read(dir.path().join("h.png")).unwrap()).unwrap();
    assert_eq!((picture.width, picture.height), (40, 24));
    assert_eq!(report["heatmap"]["of"], "culled triangles");
}

/// HZ-13: what the oracle allows does not depend on the machine, its windows, or whether there is
/// one.
#[test]
fn hz_13_the_oracle_does_not_follow_the_machine() {
    let dir = folder();
    let (model, text) = report(dir.path(), &[], &["--engine", "golden", "--oracle"]);
    let allowed = number(&model, "ideal.allowed");
    assert!(allowed > 0 && number(&model, "ideal.found") == 0, "{text}");
    assert!(text.contains(&format!("{allowed} groups of 8 by 8 pixels could be culled")), "{text}");
    let machines: [&[&str]; 4] = [
        &["hi-z=visibility"],
        &["hi-z=visibility+binner", "tbimr=window", "tbimr-window=16"],
        &["hi-z=visibility", "tbimr=full"],
        &["hi-z=visibility+binner", "tbimr=window", "cull-pipeline=depth"],
    ];
    for sets in machines {
        let (report, text) = report(dir.path(), sets, &[]);
        let [found, same] = ["ideal.found", "ideal.allowed"].map(|key| number(&report, key));
        assert_eq!(same, allowed, "{sets:?}: {text}");
        assert!(found > 0 && found <= allowed, "{sets:?}: {text}");
        let culls = number(&report, "culls.found") + number(&report, "culls.beyond");
        assert_eq!(culls, found + number(&report, "ideal.beyond"), "{sets:?}: {text}");
    }
}

/// 24 draws of two triangles, in turn in two states.
fn many_draws(states: [&str; 2]) -> tempfile::TempDir {
    let dir = folder();
    let (head, _) = SCENE.split_once("[[pass]]").unwrap();
    let mut text = head.to_owned();
    for n in 0..24 {
        text += &format!(
            "[[draw]]\nmesh = \"one\"\nvertex = {{ file = \"a.wgsl\", entry = \"vertex\" }}\n\
             fragment = {{ file = \"a.wgsl\", entry = \"fragment\" }}\n\
             attributes = {{ position = {{ location = 0, format = \"float32x4\" }}, colour = 1 }}\n\
             state = {{ depth = \"{}\" }}\n",
            states[n % 2]
        );
    }
    std::fs::write(dir.path().join("scene.toml"), text).unwrap();
    dir
}

/// HZ-10: a window has the cause for which it ended: a run that waits, or a context that is
/// lacking, and not geometry's stores, which are full meanwhile.
#[test]
fn hz_10_windows_have_their_true_cause() {
    let hides = ["hi-z=visibility+binner", "tbimr=window"];
    let changes = many_draws(["less", "less-equal"]);
    let (report_of_runs, text) = report(changes.path(), &hides, &[]);
    assert!(number(&report_of_runs, "windows.run") > 0, "{text}");
    assert_eq!(number(&report_of_runs, "windows.starved"), 0, "{text}");
    assert!(number(&report_of_runs, "account.held") > 0, "{text}");
    let same = many_draws(["less", "less"]);
    let (report_of_contexts, text) = report(same.path(), &hides[1..], &[]);
    assert!(number(&report_of_contexts, "windows.contexts") > 0, "{text}");
    assert_eq!(number(&report_of_contexts, "windows.starved"), 0, "{text}");
    assert_eq!(number(&report_of_contexts, "account.contexts_most"), 8, "{text}");
}

/// Every cycle of a run has its stage, with and without windows.
#[test]
fn each_cycle_belongs_to_one_stage() {
    let dir = folder();
    for sets in [&[][..], &["hi-z=visibility+binner", "tbimr=window", "cull-pipeline=depth", "merge=on"]] {
        let (report, text) = report(dir.path(), sets, &[]);
        let stages =
            ["list", "geometry", "held", "cull_pipeline", "visibility", "binner", "rasteriser", "back_end", "memory"];
        let shading = ["issue", "memory", "fetch", "port_conflict", "no_warp", "other"];
        let account = |key: &str| number(&report["account"], key);
        let of_shading: u64 = shading.map(|key| account(&format!("shading.{key}"))).iter().sum();
        assert_eq!(stages.map(account).iter().sum::<u64>() + of_shading, account("cycles"), "{text}");
        let cycles = number(&report, "cycles");
        assert!(account("cycles") <= cycles && account("cycles") + 100 > cycles, "{text}");
        assert!(text.contains("cycles by limit") && account("geometry") > 0, "{text}");
    }
}

#[test]
fn views_of_what_is_not_there_are_refused() {
    let dir = folder();
    let hides = ["--set", "hi-z=visibility"];
    let bad: [(&[&str], &str, &str); 10] = [
        (&["--oracle"], "--oracle: the machine has no Hi-Z", "--set hi-z=visibility"),
        (&[hides[0], hides[1], "--engine", "rtl", "--oracle"], "beside the model only", "leave --engine out"),
        (&["--heatmap", "culls=h.png"], "--heatmap culls: the machine has no Hi-Z", "--set hi-z=visibility"),
        (&["--funnel", "f.svg"], "--funnel: the machine has no Hi-Z", "--set hi-z=visibility"),
        (&[hides[0], hides[1], "--engine", "rtl", "--funnel", "f.svg"], "beside the model only", "leave --engine out"),
        (
            &["--engine", "golden", "--funnel", "f.svg"],
            "--funnel: the model culls nothing",
            "leave --engine golden out",
        ),
        (&["--engine", "golden", "--heatmap", "culls=h.png"], "no culled triangles", "leave --engine golden out"),
        (&["--engine", "golden", "--heatmap", "reloads=h.png"], "no reloads of tiles", "leave --engine golden out"),
        (&["--heatmap", "culls"], "--heatmap culls: no file", "--heatmap culls=culls.png"),
        (&[hides[0], hides[1], "--funnel", "f.png"], "f.png: a funnel is written as SVG", "ends with .svg"),
    ];
    for (args, says, help) in bad {
        let (status, text) = run(dir.path(), args);
        assert_eq!(status, Some(2), "{args:?}: {text}");
        assert!(text.contains(says) && text.contains(help), "{args:?}: {text}");
    }
}
