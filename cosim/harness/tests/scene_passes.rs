//! Scenes whose draws have no fragment program, and scenes of several passes, few or so many that
//! their numbers wrap: the machine draws them as the model does, and the figures that a picture
//! must have are reckoned by hand.
//!
//! Wrong would be a scene that passes because machine and model share the harness's reading: so
//! the pixels are counted here, and a lost bit of a record changes a count.

use std::path::Path;
use std::process::Command;

const WGSL: &str = "
@vertex fn vertex(@location(0) p: vec3f) -> @builtin(position) vec4f { return vec4f(p, 1.0); }
@fragment fn red() -> @location(0) vec4f { return vec4f(1.0, 0.0, 0.0, 1.0); }
@fragment fn green() -> @location(0) vec4f { return vec4f(0.0, 1.0, 0.0, 1.0); }
@fragment fn two() -> @location(1) vec4f { return vec4f(0.0, 1.0, 0.0, 1.0); }
";

/// Left half of the target, nearer; and all of it, at depth 0.5.
const HEAD: &str = r#"name = "p"
[target]
width = 32
height = 24
[mesh.left]
attributes.position = [[-1, -1, 0.25], [0, -1, 0.25], [-1, 1, 0.25], [0, 1, 0.25]]
indices = [0, 1, 2, 2, 1, 3]
[mesh.all]
attributes.position = [[-1, -1, 0.5], [3, -1, 0.5], [-1, 3, 0.5]]
"#;

const VERTEX: &str = "vertex = { file = \"a.wgsl\", entry = \"vertex\" }\n";

/// A draw with a fragment program, if one is named.
fn draw(table: &str, mesh: &str, fragment: &str, state: &str) -> String {
    let program = match fragment {
        "" => String::new(),
        entry => format!("fragment = {{ file = \"a.wgsl\", entry = \"{entry}\" }}\n"),
    };
    format!("[[{table}]]\nmesh = \"{mesh}\"\n{VERTEX}{program}state = {{ {state} }}\n")
}

/// Exit status and what is printed of a command in a folder.
fn run(dir: &Path, args: &[&str]) -> (i32, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_quadlock")).args(args).current_dir(dir).output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    (out.status.code().unwrap_or(-1), text)
}

fn folder(scene: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.wgsl"), WGSL).unwrap();
    std::fs::write(dir.path().join("scene.toml"), scene).unwrap();
    dir
}

/// Drawn in lockstep and by the model alone: the report of the first, whose counts are the same.
fn both(scene: &str, more: &[&str]) -> serde_json::Value {
    let dir = folder(scene);
    let reports = ["lockstep", "golden"].map(|engine| {
        let args = ["run", "scene.toml", "--engine", engine, "--report", "r.json", "--png", "o.png"];
        let (code, said) = run(dir.path(), &[&args[..], more].concat());
        assert_eq!(code, 0, "{engine}: {said}{scene}");
        let json: serde_json::Value =
            serde_json::from_slice(&std::fs::read(dir.path().join("r.json")).unwrap()).unwrap();
        (json, std::fs::read(dir.path().join("o.png")).unwrap())
    });
    for key in ["draws", "triangles", "quads", "helper_lanes", "fragments_shaded", "samples_written"] {
        assert_eq!(reports[0].0[key], reports[1].0[key], "{key}: {scene}");
    }
    assert!(reports[0].1 == reports[1].1, "{scene}");
    reports.into_iter().next().unwrap().0
}

/// Pixels of the first target by colour: red, green, black.
fn pixels(scene: &str) -> [usize; 3] {
    let dir = folder(scene);
    let (code, said) = run(dir.path(), &["run", "scene.toml", "--png", "o.png"]);
    assert_eq!(code, 0, "{said}{scene}");
    colours(&dir.path().join("o.png"))
}

/// The same of a picture.
fn colours(path: &Path) -> [usize; 3] {
    let picture = quadlock::job::picture::Picture::decode(&std::fs::read(path).unwrap()).unwrap();
    let all: Vec<[u8; 4]> = picture.rgba8().collect();
    let count = |c: [u8; 4]| all.iter().filter(|p| **p == c).count();
    let found = [count([255, 0, 0, 255]), count([0, 255, 0, 255]), count([0, 0, 0, 0])];
    assert_eq!(found.iter().sum::<usize>(), all.len(), "{}", path.display());
    found
}

/// It is refused, and all of these words are said.
fn refused(scene: &str, says: &[&str]) {
    let dir = folder(scene);
    let (code, said) = run(dir.path(), &["run", "scene.toml", "--engine", "golden"]);
    assert!(code == 2 && !said.contains("panicked"), "{code} {said}{scene}");
    for part in says {
        assert!(said.contains(part), "no `{part}` in {said}{scene}");
    }
}

/// Depth alone is drawn first; where it is nearer the colour behind it is not.
#[test]
fn a_draw_without_a_fragment_program_writes_depth() {
    for (samples, formats) in [(1, "\"rgba8unorm\""), (2, "\"rgba16float\""), (4, "\"rgba8unorm-srgb\"")] {
        let size = format!("height = 24\nsamples = {samples}\nformats = [{formats}]");
        let scene = HEAD.replacen("height = 24", &size, 1)
            + &draw("draw", "left", "", "depth = \"less\"")
            + &draw("draw", "all", "red", "depth = \"less\"");
        assert_eq!(pixels(&scene), [16 * 24, 0, 16 * 24], "{samples} samples");
        let report = both(&scene, &[]);
        // Only the right half is shaded; both halves are written.
        assert_eq!(report["quads"], 16 * 24 / 4);
        assert_eq!(report["samples_written"], 32 * 24 * samples);
    }
    // Two colour targets, none of which the first draw touches.
    let scene = HEAD.replacen("height = 24", "height = 24\nformats = [\"rgba8unorm\", \"rgba8unorm\"]", 1)
        + &draw("draw", "all", "red", "depth = \"less\", write = [\"rgba\", \"\"]")
        + &draw("draw", "left", "", "depth = \"less\"");
    assert_eq!(pixels(&scene), [32 * 24, 0, 0]);
}

/// Depth only, without a colour target, on several machines; and stencil without depth.
#[test]
fn depth_and_stencil_are_drawn_without_a_program() {
    let bare = HEAD.replacen("height = 24", "height = 24\nformats = []\ndepth = true", 1);
    for samples in [1, 4] {
        for set in ["machine.cores=1", "machine.cores=2", "memory.jitter=20"] {
            let scene = bare.clone()
                + &draw("draw", "left", "", "depth = \"less\"")
                + &draw("draw", "all", "", "depth = \"less\", bias = [2, 1, 0]");
            let dir = folder(&scene);
            let samples = format!("target.samples={samples}");
            let args = ["run", "scene.toml", "--set", set, "--set", &samples, "--report", "r.json"];
            let (code, said) = run(dir.path(), &args);
            assert!(code == 0 && said.contains("verdict                 PASS"), "{said}");
            assert!(said.contains("quads                   0"), "{said}");
        }
    }
    let mark = "stencil = { reference = 3, front = { pass = \"replace\" } }";
    let equal = "stencil = { reference = 3, front = { compare = \"equal\" } }";
    let scene = HEAD.to_owned() + &draw("draw", "left", "", mark) + &draw("draw", "all", "green", equal);
    assert_eq!(pixels(&scene), [0, 16 * 24, 16 * 24]);
}

#[test]
fn colours_without_a_program_are_refused() {
    for state in ["blend = [\"add\"]", "write = [\"r\"]", "alpha-to-coverage = true"] {
        refused(&(HEAD.to_owned() + &draw("draw", "all", "", state)), &["without `fragment` writes no colours"]);
    }
}

/// Quads without a program take no warps: about a cycle each, measured on 1,024 quads.
#[test]
fn a_quad_without_a_program_takes_about_a_cycle() {
    let scene = HEAD.replacen("width = 32\nheight = 24", "width = 64\nheight = 64\nformats = []\ndepth = true", 1)
        + &draw("draw", "all", "", "depth = \"less-equal\"");
    let dir = folder(&scene);
    let cycles = ["1", "6"].map(|n| {
        let set = format!("draw.0.instances={n}");
        let args = ["run", "scene.toml", "--engine", "rtl", "--set", &set, "--report", "r.json"];
        let (code, said) = run(dir.path(), &args);
        assert_eq!(code, 0, "{said}");
        let json: serde_json::Value =
            serde_json::from_slice(&std::fs::read(dir.path().join("r.json")).unwrap()).unwrap();
        json["cycles"].as_u64().unwrap()
    });
    let quads = 5 * 1024;
    let more = cycles[1] - cycles[0];
    assert!((quads..quads + quads / 10).contains(&more), "{more} cycles for {quads} quads");
}

/// A pass with these keys, and its draws.
fn pass(keys: &str, draws: &[String]) -> String {
    format!("[[pass]]\n{keys}\n{}", draws.concat())
}

fn in_pass(mesh: &str, fragment: &str, state: &str) -> String {
    draw("pass.draw", mesh, fragment, state)
}

/// What a pass loads is what the one before stored; what it clears is not.
#[test]
fn passes_load_and_clear() {
    let left = [in_pass("left", "red", "")];
    let all = [in_pass("all", "green", "scissor = [8, 0, 8, 24]")];
    let load = HEAD.to_owned() + &pass("", &left) + &pass("load = [\"load\"]", &all);
    let clear = HEAD.to_owned() + &pass("", &left) + &pass("clear = [[1, 0, 0, 1]]", &all);
    let bare = HEAD.to_owned() + &pass("", &left) + &pass("load = [\"load\"]", &[]);
    for samples in ["samples = 1", "samples = 4"] {
        let with = |scene: &str| scene.replacen("height = 24", &format!("height = 24\n{samples}"), 1);
        assert_eq!(pixels(&with(&load)), [8 * 24, 8 * 24, 16 * 24], "{samples}");
        assert_eq!(pixels(&with(&clear)), [24 * 24, 8 * 24, 0], "{samples}");
        assert_eq!(pixels(&with(&bare)), [16 * 24, 0, 16 * 24], "{samples}");
        both(&with(&load), &[]);
    }
    // The first pass loads what nobody has written: zeros. A second frame loads the first's.
    let first = HEAD.to_owned() + &pass("load = [\"load\"]", &left);
    assert_eq!(pixels(&first), [16 * 24, 0, 16 * 24]);
    let add = HEAD.to_owned() + &pass("load = [\"load\"]", &left) + &pass("load = [\"load\"]", &all);
    assert_eq!(pixels(&add.replacen("height = 24", "height = 24\nframes = 2", 1)), [8 * 24, 8 * 24, 16 * 24]);
}

/// A pass of depth alone, and one of colours that loads it; clears of depth between draws.
#[test]
fn depth_goes_from_pass_to_pass() {
    let before = pass("targets = []", &[in_pass("left", "", "depth = \"less\"")]);
    let red = [in_pass("all", "red", "depth = \"less\"")];
    let load = HEAD.to_owned() + &before + &pass("depth-load = \"load\"", &red);
    assert_eq!(pixels(&load), [16 * 24, 0, 16 * 24]);
    let clear = HEAD.to_owned() + &before + &pass("", &red);
    assert_eq!(pixels(&clear), [32 * 24, 0, 0]);
    let near = HEAD.to_owned() + &before + &pass("clear-depth = 0.3", &red);
    assert_eq!(pixels(&near), [0, 0, 32 * 24]);
    // Depth is kept and stencil is cleared, and the other way round.
    let mark = "depth = \"less\", stencil = { reference = 3, front = { pass = \"replace\" } }";
    let equal = "depth = \"less\", stencil = { reference = 3, front = { compare = \"equal\" } }";
    let marked = pass("targets = []", &[in_pass("left", "", mark)]);
    let green = [in_pass("all", "green", equal)];
    let stencil = HEAD.to_owned() + &marked + &pass("stencil-load = \"load\"", &green);
    assert_eq!(pixels(&stencil), [0, 16 * 24, 16 * 24]);
    let depth = HEAD.to_owned() + &marked + &pass("depth-load = \"load\"\nclear-stencil = 3", &green);
    assert_eq!(pixels(&depth), [0, 16 * 24, 16 * 24]);
    both(&load, &["--set", "memory.jitter=20", "--set", "memory.stall=20"]);
    both(&stencil, &["--set", "machine.cores=2", "--set", "target.samples=4"]);
}

/// What is discarded is nobody's; resolved pixels are kept.
#[test]
fn discarded_samples_are_not_compared() {
    let draws = [in_pass("left", "red", "depth = \"less\"")];
    let keys = "store = [\"discard\"]\ndepth-store = \"discard\"";
    let scene = HEAD.replacen("height = 24", "height = 24\nsamples = 4\ntile = 8", 1) + &pass(keys, &draws);
    assert_eq!(pixels(&scene), [16 * 24, 0, 16 * 24]);
    both(&scene, &["--set", "target.keep-tiles=false"]);
    let dir = folder(&scene);
    let sizes = [&[][..], &["--set", "pass.0.store=[\"store\"]", "--set", "pass.0.depth-store=store"]].map(|more| {
        let args = ["run", "scene.toml", "--engine", "rtl", "--report", "r.json"];
        let (code, said) = run(dir.path(), &[&args[..], more].concat());
        assert_eq!(code, 0, "{said}");
        let json: serde_json::Value =
            serde_json::from_slice(&std::fs::read(dir.path().join("r.json")).unwrap()).unwrap();
        json["bytes"]["tiles"].as_u64().unwrap()
    });
    // Less is written; samples of colours are, because they are resolved from memory.
    assert!(sizes[0] < sizes[1], "{sizes:?}");
}

/// A pass has some of the targets, in an order of its own.
#[test]
fn a_pass_chooses_its_targets() {
    let head = HEAD.replacen("height = 24", "height = 24\nformats = [\"rgba8unorm\", \"rgba16float\"]", 1);
    let first = pass("targets = [0]", &[in_pass("left", "red", "")]);
    let second = pass(
        "targets = [1, 0]\nload = [\"clear\", \"load\"]",
        &[in_pass("all", "two", "scissor = [8, 0, 24, 12], write = [\"\", \"rgba\"]")],
    );
    let scene = head + &first + &second;
    assert_eq!(pixels(&scene), [16 * 24 - 8 * 12, 24 * 12, 16 * 12], "{scene}");
    both(&scene, &[]);
}

#[test]
fn passes_that_cannot_be_are_refused_with_their_place() {
    let draws = [in_pass("all", "red", "")];
    let with = |keys: &str| HEAD.to_owned() + &pass(keys, &draws);
    refused(&with("load = [\"clear\", \"load\"]"), &["scene.toml:10:1", "`load` has 2 entries"]);
    refused(&with("store = [\"keep\"]"), &["scene.toml:11:", "unknown variant `keep`"]);
    refused(&with("targets = [1]"), &["scene.toml:10:1", "target 1, and there are 1"]);
    refused(&with("targets = [0, 0]"), &["has a target twice"]);
    refused(&with("targets = []"), &["a pass without targets"]);
    refused(&with("depth = true"), &["the pass has depth, and the target none"]);
    refused(&with("clear-depth = 2.0"), &["clear-depth 2"]);
    refused(&with("stores = 1"), &["unknown field `stores`"]);
    refused(
        &(with("store = [\"discard\"]") + &pass("load = [\"load\"]", &draws)),
        &["pass 1 loads target 0, which pass 0 discards"],
    );
    let again = with("store = [\"discard\"]\nload = [\"load\"]").replacen("height = 24", "height = 24\nframes = 2", 1);
    refused(&again, &["pass 0 loads target 0, which pass 0 discards"]);
    refused(&(with("") + &draw("draw", "all", "red", "")), &["a [[draw]] outside of the passes"]);
    let tested = HEAD.to_owned() + &pass("depth = false", &[in_pass("all", "red", "depth = \"less\"")]);
    refused(&tested, &["scene.toml:12:1", "a draw tests depth or stencil"]);
}

/// HZ-35: more passes, states, contexts and windows than their numbers have
/// (docs/graphics-blocks.md, "Numbers that wrap"). A stale number would hide what is seen, or draw
/// a window's triangle twice.
#[test]
fn numbers_of_passes_states_and_windows_wrap() {
    let head = |frames: u32| {
        let size = format!("width = 8\nheight = 8\nframes = {frames}\ndepth = true");
        HEAD.replacen("width = 32\nheight = 24", &size, 1)
    };
    // Records of Hi-Z's bounds are cleared every 1,023 passes.
    let first =
        draw("pass.draw", "left", "red", "depth = \"less\"") + &draw("pass.draw", "all", "green", "depth = \"less\"");
    let second = draw("pass.draw", "all", "green", "depth = \"less\"");
    let passes = head(550) + &format!("[[pass]]\n{first}[[pass]]\nload = [\"load\"]\n{second}");
    // Each draw has another state than the one before, which ends a window.
    let mut states = head(166);
    for k in 0..100 {
        let (mesh, colour, depth) = [("left", "red", "less"), ("all", "green", "less-equal")][k % 2];
        states += &draw("draw", mesh, colour, &format!("depth = \"{depth}\""));
    }
    // The second pass clears depth, and covers all.
    for (scene, more, triangles, seen) in
        [(passes, "machine.tbimr=off", 550 * 4, [0, 64, 0]), (states, "machine.tbimr=window", 166 * 150, [32, 32, 0])]
    {
        let dir = folder(&scene);
        let sets = ["--set", "machine.hi-z=visibility", "--set", more];
        let files = ["run", "scene.toml", "--png", "o.png", "--report", "r.json"];
        let (code, said) = run(dir.path(), &[&files[..], &sets[..]].concat());
        assert_eq!(code, 0, "{more}: {said}");
        assert_eq!(colours(&dir.path().join("o.png")), seen, "{more}");
        let report: serde_json::Value =
            serde_json::from_slice(&std::fs::read(dir.path().join("r.json")).unwrap()).unwrap();
        assert_eq!(report["triangles"]["in"], triangles, "{more}");
        if more.ends_with("window") {
            assert!(report["windows"]["all"].as_u64().unwrap() > 1 << 14, "{}", report["windows"]);
        }
    }
}
