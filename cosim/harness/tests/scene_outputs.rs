//! What comes out of a scene: pictures of any target, of depth, stencil and single samples, and
//! buffers that programs wrote; and constants that programs leave open.
//!
//! Wrong would be an expectation that nobody compares: each is broken once here, and must fail.

use std::path::Path;
use std::process::Command;

use quadlock::job::picture::{encode_rgba, Picture};

const WGSL: &str = "
override level: f32 = 0.5;
@id(7) override lift: u32 = 0;
@group(0) @binding(1) var<storage, read_write> seen: array<atomic<u32>>;
@vertex fn vertex(@location(0) p: vec3f) -> @builtin(position) vec4f { return vec4f(p.xy, p.z, 1.0); }
@fragment fn red() -> @location(0) vec4f { return vec4f(level, 0.0, 0.0, 1.0); }
struct Two { @location(0) a: vec4f, @location(1) b: vec4f }
@fragment fn two() -> Two { return Two(vec4f(1.0, 0.0, 0.0, 1.0), vec4f(0.0, level, 0.0, 1.0)); }
@fragment fn count(@builtin(position) p: vec4f) -> @location(0) vec4f {
    atomicAdd(&seen[u32(p.x) / 8u], 1u + lift);
    return vec4f(1.0);
}
";

const HEAD: &str = r#"name = "p"
[target]
width = 32
height = 16
[mesh.left]
attributes.position = [[-1, -1, 0.25], [0, -1, 0.25], [-1, 1, 0.25], [0, 1, 0.25]]
indices = [0, 1, 2, 2, 1, 3]
[[draw]]
mesh = "left"
vertex = { file = "a.wgsl", entry = "vertex" }
fragment = { file = "a.wgsl", entry = "red" }
"#;

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

/// On the model: exit status and what is said.
fn drawn(dir: &Path, scene: &str, more: &[&str]) -> (i32, String) {
    std::fs::write(dir.join("scene.toml"), scene).unwrap();
    run(dir, &[&["run", "scene.toml", "--engine", "golden"][..], more].concat())
}

fn refused(dir: &Path, scene: &str, more: &[&str], says: &[&str]) {
    let (code, said) = drawn(dir, scene, more);
    assert!(code == 2 && !said.contains("panicked"), "{code} {said}{scene}");
    for part in says {
        assert!(said.contains(part), "no `{part}` in {said}{scene}");
    }
}

fn pixel(path: &Path, x: u32, y: u32) -> [u8; 4] {
    let picture = Picture::decode(&std::fs::read(path).unwrap()).unwrap();
    let found = picture.rgba8().nth((y * picture.width + x) as usize);
    found.unwrap()
}

/// Each kind of picture from machine and model, with its values reckoned by hand.
#[test]
fn pictures_of_every_target() {
    let mark = "state = { depth = \"less\", stencil = { reference = 9, front = { pass = \"replace\" } } }\n";
    let formats = "height = 16\nsamples = 2\nformats = [\"rgba8unorm\", \"rgba16float\"]";
    let scene = HEAD.replacen("height = 16", formats, 1).replacen("\"red\"", "\"two\"", 1) + mark;
    let images = ["0=0.png", "1=1.png", "1.1=s.png", "depth=d.png", "depth.1=e.png", "stencil=t.png"];
    for engine in ["lockstep", "golden"] {
        let dir = folder(&scene);
        let mut args = vec!["run", "scene.toml", "--engine", engine];
        images.iter().for_each(|i| args.extend(["--image", *i]));
        let (code, said) = run(dir.path(), &args);
        assert_eq!(code, 0, "{said}");
        let at = |name: &str, x| pixel(&dir.path().join(name), x, 5);
        assert_eq!((at("0.png", 3), at("0.png", 20)), ([255, 0, 0, 255], [0; 4]));
        assert_eq!((at("1.png", 3), at("s.png", 3)), ([0, 128, 0, 255], [0, 128, 0, 255]));
        // A quarter of 2^24 - 1, and what depth is cleared to.
        let quarter = [0x40, 0, 0, 255];
        assert_eq!((at("d.png", 3), at("d.png", 20)), (quarter, [255; 4]));
        assert_eq!((at("e.png", 3), at("t.png", 3), at("t.png", 20)), (quarter, [9, 9, 9, 255], [0, 0, 0, 255]));
        let images = [0, 1].map(|n| std::fs::read(dir.path().join(format!("{n}.png"))).unwrap());
        assert!(images[0] != images[1]);
    }
}

/// Three words of two samples in all colours, one in depth. Every tile is written once; of colours
/// all samples are read again and one is written when they are resolved.
#[test]
fn bytes_of_tiles_are_those_of_colours_and_of_depth() {
    let formats = "height = 16\nsamples = 2\nformats = [\"rgba8unorm\", \"rgba16float\"]";
    let scene = HEAD.replacen("height = 16", formats, 1).replacen("\"red\"", "\"two\"", 1);
    let scene = scene + "state = { depth = \"less\" }\n";
    let samples = 32 * 16 * 2 * 4;
    for engine in ["lockstep", "rtl"] {
        let dir = folder(&scene);
        let (code, said) = run(dir.path(), &["run", "scene.toml", "--engine", engine, "--report", "r.json"]);
        assert_eq!(code, 0, "{said}");
        let report: serde_json::Value =
            serde_json::from_slice(&std::fs::read(dir.path().join("r.json")).unwrap()).unwrap();
        let bytes = |client: &str| report["bytes"][client].as_u64().unwrap();
        let colour = 3 * samples + 3 * samples + 3 * samples / 2;
        assert_eq!((bytes("colour"), bytes("depth")), (colour, samples), "{said}");
        assert_eq!(bytes("tiles"), colour + samples, "{said}");
        assert!(said.contains(&format!("tiles {} (colour {colour}, depth {samples})", colour + samples)), "{said}");
    }
}

#[test]
fn pictures_of_targets_are_expected() {
    let dir = folder("");
    let scene = HEAD.to_owned() + "state = { depth = \"less\" }\n";
    let (code, said) = drawn(dir.path(), &scene, &["--image", "depth=d.png", "--png", "c.png"]);
    assert_eq!(code, 0, "{said}");
    let image = |target: &str, png: &str, more: &str| {
        format!("{scene}[[expect.image]]\ntarget = {target}\npng = \"{png}\"\n{more}\n")
    };
    for (target, png) in [("\"depth\"", "d.png"), ("0", "c.png"), ("\"0\"", "c.png")] {
        let (code, said) = drawn(dir.path(), &image(target, png, ""), &[]);
        assert_eq!(code, 0, "{said}");
    }
    let other = ["--set", "mesh.left.attributes.position.0=[-1, -1, 0.26]"];
    let (code, said) = drawn(dir.path(), &image("\"depth\"", "d.png", ""), &other);
    assert!(code == 1 && said.contains("pixels of depth differ from"), "{code} {said}");
    // One hundredth of depth is 167,772 of its units.
    let (code, said) = drawn(dir.path(), &image("\"depth\"", "d.png", "tolerance = 168000"), &other);
    assert_eq!(code, 0, "{said}");
    // A file of another size, and targets that are not there.
    std::fs::write(dir.path().join("x.png"), encode_rgba(1, 1, &[0; 4]).unwrap()).unwrap();
    refused(dir.path(), &image("0", "x.png", ""), &[], &["scene.toml:13:1", "it has 1 x 1 pixels, the target 32 x 16"]);
    refused(dir.path(), &image("1", "c.png", ""), &[], &["scene.toml:13:1", "the scene has no target 1"]);
    refused(dir.path(), &image("\"1.x\"", "c.png", ""), &[], &["scene.toml:14:10", "`1.x` is not a target's number"]);
    refused(dir.path(), &image("\"0.1\"", "c.png", ""), &[], &["1 samples, and no target 0, sample 1"]);
    refused(dir.path(), HEAD, &["--image", "depth=d.png"], &["the scene has no depth"]);
    refused(dir.path(), HEAD, &["--image", "d.png"], &["--image d.png: not TARGET=FILE"]);
    let bare = HEAD.replacen("[[draw]]", "[[pass]]\nstore = [\"discard\"]\n[[pass.draw]]", 1);
    refused(dir.path(), &bare, &["--png", "c.png"], &["the last pass with target 0 discards it"]);
}

const BINDING: &str = "[[draw.binding]]\nbinding = 1\n";

/// Buffers that fragments write, compared and written as those of jobs.
#[test]
fn buffers_are_compared_and_written() {
    let count = HEAD.replacen("\"red\"", "\"count\"", 1) + BINDING;
    let of = |keys: &str| format!("{count}{keys}\n");
    let good = of("zero = 16\nexpect = { from = { inline = [128, 128, 0, 0] } }\nout = { csv = \"seen.csv\" }");
    for engine in ["lockstep", "golden", "rtl"] {
        let dir = folder(&good);
        let (code, said) = run(dir.path(), &["run", "scene.toml", "--engine", engine, "--out", "o"]);
        assert_eq!(code, 0, "{said}");
        assert_eq!(std::fs::read_to_string(dir.path().join("o/seen.csv")).unwrap(), "128,128,0,0\n");
    }
    let dir = folder("");
    let wrong = good.replacen("[128, 128, 0, 0]", "[128, 127, 0, 0]", 1);
    let (code, said) = drawn(dir.path(), &wrong, &[]);
    assert!(code == 1 && said.contains("WRONG-OUTPUT") && said.contains("binding 1 of draw 0"), "{code} {said}");
    let any = "from = { inline = [5, 0, 0, 7] }\nexpect = { from = { inline = [128, 133, 7] }, any-order = true }";
    let (code, said) = drawn(dir.path(), &of(any), &[]);
    assert_eq!(code, 0, "{said}");
    refused(dir.path(), &of("zero = 16\nfrom = { zero = 16 }"), &[], &["scene.toml:12:1", "a binding with `from` and"]);
    refused(dir.path(), &of(""), &[], &["a binding without contents"]);
    refused(dir.path(), &of("zero = 16\nout = { raw = \"../x\" }"), &[], &["scene.toml:12:1"]);
    refused(dir.path(), &of("from = { csv = \"none.csv\" }"), &[], &["scene.toml:14:1", "none.csv"]);
    refused(dir.path(), &of("zero = 16\nexpect = { from = { zero = 32 } }"), &[], &["scene.toml:12:1", "`expect`"]);
    let twice = of("zero = 16") + BINDING + "zero = 16\n";
    refused(dir.path(), &twice, &[], &["scene.toml:15:1", "binding 1 of draw 0 is given twice"]);
    let useless = of("zero = 16") + "[[draw.binding]]\nbinding = 2\nzero = 16\n";
    refused(dir.path(), &useless, &[], &["scene.toml:15:1", "no program of the draw has group 0 binding 2"]);
}

#[test]
fn constants_go_to_the_programs_that_have_them() {
    let scene = |table: &str| HEAD.replacen("[target]", &format!("[constants]\n{table}\n[target]"), 1);
    let dir = folder("");
    let red = |scene: &str, more: &[&str]| {
        let (code, said) = drawn(dir.path(), scene, &[&["--png", "c.png"][..], more].concat());
        assert_eq!(code, 0, "{said}");
        pixel(&dir.path().join("c.png"), 3, 3)[0]
    };
    assert_eq!(red(HEAD, &[]), 128);
    assert_eq!(red(&scene("level = 1.0"), &[]), 255);
    assert_eq!(red(&scene("level = 1.0"), &["--constant", "level=0.25"]), 64);
    assert_eq!(red(HEAD, &["--constant", "level=0"]), 0);
    assert_eq!(red(&scene("7 = 3"), &["--set", "target.height=8"]), 128);
    refused(dir.path(), &scene("levels = 1.0"), &[], &["scene.toml:3:1", "no program has a constant `levels`"]);
    refused(dir.path(), &scene("level = true"), &[], &["scene.toml:3:1", "not a value of the constant"]);
    refused(dir.path(), HEAD, &["--constant", "7=0.5"], &["--constant 7=0.5", "whole number"]);
    refused(dir.path(), HEAD, &["--constant", "level"], &["--constant level: not NAME=VALUE"]);
    let lift = HEAD.replacen("\"red\"", "\"count\"", 1)
        + BINDING
        + "zero = 16\nexpect = { from = { inline = [384, 384, 0, 0] } }\n";
    let (code, said) = drawn(dir.path(), &lift, &["--constant", "7=2"]);
    assert_eq!(code, 0, "{said}");
}

/// The view has groups for what happens between the event ports, and the Chrome trace its draws.
#[test]
fn waves_show_draws_tiles_and_quads() {
    let scene = HEAD.to_owned() + "state = { depth = \"less\" }\n";
    let draw = &scene[scene.find("[[draw]]").unwrap()..];
    let dir = folder(&format!("{scene}{draw}"));
    let (code, said) = run(dir.path(), &["run", "scene.toml", "--fst", "w.fst"]);
    assert_eq!(code, 0, "{said}");
    let view = std::fs::read_to_string(dir.path().join("w.gtkw")).unwrap();
    for title in [
        "tiles that are opened and closed",
        "quads out of the rasteriser",
        "quads behind the early tests",
        "places of tiles",
    ] {
        assert!(view.contains(title), "{title}");
    }
    for row in
        ["asked for", "closed buffer", "covered lanes 3210", "lanes left 3210, 0 if culled", "place 7: tile column"]
    {
        assert!(view.contains(row), "{row}");
    }
    for title in ["windows of triangles", "what is culled", "merge queue", "bounds of groups and quads (Hi-Z)"] {
        assert!(!view.contains(&format!("-{title}\n")), "a machine without has {title}");
    }
    for title in [
        "launches",
        "memory port",
        "tiles that are opened and closed",
        "quads out of the rasteriser",
        "quads behind the early tests",
    ] {
        assert!(view.contains(&format!("@800200\n-{title}\n")), "{title} is closed");
    }
    let (code, said) = run(dir.path(), &["run", "scene.toml", "--perfetto", "t.json"]);
    assert_eq!(code, 0, "{said}");
    let trace = std::fs::read_to_string(dir.path().join("t.json")).unwrap();
    assert!(trace.contains("\"draw 0\"") && trace.contains("\"draw 1\"") && !trace.contains("\"draw 2\""));
}
