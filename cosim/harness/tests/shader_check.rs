//! `quadlock shader-check` on small folders: what is found, how it ends, what the report says.
//! Mistakes of a compiler are planted by name: a panic, a hang, the end of the process, all memory.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

const WGSL: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) { o[id.x] = id.x; }
";

/// A vertex and a fragment shader in one file.
const TWO: &str = "@vertex fn v(@location(0) a: vec4<f32>) -> @builtin(position) vec4<f32> { return a; }
@fragment fn f() -> @location(0) vec4<f32> { return vec4<f32>(1.0); }
";

const IMAGE: &str = "@group(0) @binding(0) var t: texture_2d<f32>;
@fragment fn f(@builtin(position) p: vec4<f32>) -> @location(0) vec4<f32> {
    return textureLoad(t, vec2<i32>(p.xy), 0);
}
";

/// `OpCapability Shader`, `OpMemoryModel Logical GLSL450` and nothing else.
const EMPTY_MODULE: [u32; 10] = [0x0723_0203, 0x0001_0500, 0, 1, 0, 2 << 16 | 17, 1, 3 << 16 | 14, 0, 1];

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Exit status and everything printed.
fn check(dir: &Path, args: &[&str]) -> (Option<i32>, String) {
    let program = env!("CARGO_BIN_EXE_quadlock");
    let out = Command::new(program).arg("shader-check").args(args).current_dir(dir).output().unwrap();
    (out.status.code(), String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr))
}

fn write(dir: &Path, files: &[(&str, &[u8])]) {
    for (name, data) in files {
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, data).unwrap();
    }
}

/// A folder of every kind of shader, good and bad.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let module = words(&EMPTY_MODULE);
    write(
        dir.path(),
        &[
            ("s/good.wgsl", WGSL.as_bytes()),
            ("s/two.wgsl", TWO.as_bytes()),
            ("s/image.wgsl", IMAGE.as_bytes()),
            ("s/bad.wgsl", b"fn main( {"),
            ("s/empty.wgsl", b""),
            ("s/bytes.wgsl", b"\xff\xfe"),
            ("s/deep/er/bad.comp", b"#version 450\nvoid main() { x = 1; }\n"),
            ("s/deep/bad.frag", b"}"),
            ("s/deep/bad.vert", b"#version 450\nvoid"),
            ("s/deep/bad.spv", &module),
            ("s/deep/empty.spv", b""),
            ("s/deep/cut.spv", &module[..31]),
            ("s/part.glsl", b"float f();"),
            ("s/readme.md", b"text"),
        ],
    );
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("..", dir.path().join("s/deep/up")).unwrap();
        std::os::unix::fs::symlink("nothing", dir.path().join("s/gone.frag")).unwrap();
    }
    dir
}

fn report(dir: &Path, args: &[&str]) -> (Option<i32>, Value) {
    let (status, text) = check(dir, &[&["s", "--json", "r.json"], args].concat());
    assert!(!text.contains("panicked at"), "{text}");
    (status, serde_json::from_slice(&std::fs::read(dir.join("r.json")).unwrap()).unwrap())
}

fn file<'a>(report: &'a Value, path: &str) -> &'a Value {
    report["files"].as_array().unwrap().iter().find(|f| f["path"] == path).unwrap_or_else(|| panic!("no {path}"))
}

#[test]
fn every_shader_of_a_folder_has_an_outcome_and_a_reason() {
    let dir = folder();
    let (status, mut one) = report(dir.path(), &["--jobs", "1"]);
    assert_eq!(status, Some(0), "{one:#}");
    for (path, reason) in [
        ("image.wgsl", "image"),
        ("bad.wgsl", "source"),
        ("empty.wgsl", "entry-point"),
        ("bytes.wgsl", "not-text"),
        ("deep/bad.spv", "entry-point"),
        ("deep/empty.spv", "not-spirv"),
        ("deep/cut.spv", "not-spirv"),
    ] {
        let file = file(&one, path);
        assert_eq!((&file["outcome"], &file["reason"]), (&"refused".into(), &reason.into()), "{file:#}");
    }
    for path in ["deep/er/bad.comp", "deep/bad.frag", "deep/bad.vert"] {
        assert_eq!(file(&one, path)["outcome"], "refused", "{path}");
    }
    let good = &file(&one, "good.wgsl")["entries"][0];
    assert_eq!((&good["name"], &good["stage"]), (&"main".into(), &"compute".into()));
    assert!(good["instructions"].as_u64().unwrap() > 2);
    let two = file(&one, "two.wgsl")["entries"].as_array().unwrap();
    assert_eq!(two.iter().map(|e| e["stage"].as_str().unwrap()).collect::<Vec<_>>(), ["vertex", "fragment"]);
    assert_eq!(one["counts"]["accepted"], 2);
    assert_eq!(one["ignored"], 2);
    if cfg!(unix) {
        assert_eq!(file(&one, "gone.frag")["outcome"], "unreadable");
    }
    let paths: Vec<&str> = one["files"].as_array().unwrap().iter().map(|f| f["path"].as_str().unwrap()).collect();
    assert!(paths.is_sorted_by_key(|p| Path::new(*p)), "{paths:?}");

    // Whatever the number of workers, everything but the times is the same.
    let (_, mut three) = report(dir.path(), &["--jobs", "3"]);
    for r in [&mut one, &mut three] {
        let times = r.as_object_mut().unwrap().remove("times").unwrap();
        assert!(times["compile"]["median"].as_f64().unwrap() > 0.0);
        assert_eq!(times["entries"].as_array().unwrap().len(), 3);
    }
    assert_eq!(one, three);
}

#[test]
fn paths_with_one_outcome_or_reason_are_listed() {
    let dir = folder();
    assert_eq!(check(dir.path(), &["s", "--list", "accepted"]), (Some(0), "good.wgsl\ntwo.wgsl\n".into()));
    assert_eq!(check(dir.path(), &["s", "--list", "image"]), (Some(0), "image.wgsl\n".into()));
    assert_eq!(check(dir.path(), &["s", "--list", "slow"]), (Some(0), String::new()));
}

#[test]
fn what_goes_wrong_in_the_compiler_is_found_and_the_run_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let names = ["a.wgsl", "plant-abort.wgsl", "plant-hang.wgsl", "plant-memory.wgsl", "plant-panic.wgsl", "z.wgsl"];
    write(dir.path(), &names.map(|n| (n, WGSL.as_bytes())));
    let args = [".", "--planted", "--seconds", "3", "--jobs", "2", "--json", "r.json"];
    let (status, text) = check(dir.path(), &args);
    assert_eq!(status, Some(1), "{text}");
    let report: Value = serde_json::from_slice(&std::fs::read(dir.path().join("r.json")).unwrap()).unwrap();
    let of =
        |name: &str| (file(&report, name)["outcome"].as_str().unwrap(), file(&report, name)["message"].to_string());
    assert_eq!([of("a.wgsl").0, of("z.wgsl").0], ["accepted"; 2], "{text}");
    assert_eq!(of("plant-hang.wgsl").0, "slow");
    for (name, words) in [("abort", "the process ended"), ("memory", "the process ended"), ("panic", "planted")] {
        let (outcome, message) = of(&format!("plant-{name}.wgsl"));
        assert!(outcome == "panicked" && message.contains(words), "{name}: {outcome}: {message}");
    }
    // Without what is planted the names mean nothing.
    assert_eq!(check(dir.path(), &["."]).0, Some(0));
}

/// Our shaders, changed at random: the short form of `make fuzz-shaders`.
#[test]
fn changed_shaders_are_compiled_or_refused_in_time() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let dir = tempfile::tempdir().unwrap();
    let args = [examples, "--mutate", "900", "--seed", "2", "--seconds", "20"];
    let (status, text) = check(dir.path(), &args);
    assert_eq!(status, Some(0), "{text}");
    for language in ["spirv", "glsl", "wgsl"] {
        for outcome in ["accepted", "refused"] {
            let row = text.lines().any(|l| l.split_whitespace().take(2).eq([language, outcome]));
            assert!(row, "no {language} {outcome}:\n{text}");
        }
    }
}

/// What fails is told and kept, with the number that says which input it was.
#[test]
fn a_changed_shader_that_hangs_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &[("s/plant-hang.wgsl", WGSL.as_bytes())]);
    let args = ["s", "--planted", "--mutate", "2", "--seconds", "1", "--keep", "kept"];
    let (status, text) = check(dir.path(), &args);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("slow kept/000001.plant-hang.wgsl, from plant-hang.wgsl: longer than 1 s"), "{text}");
    assert!(dir.path().join("kept/000000.plant-hang.wgsl").exists());
}

/// The bench of the compiler measures compute shaders, and says so if there are none.
#[test]
fn the_compiler_is_measured_on_a_folder() {
    let dir = folder();
    let bench = |args: &[&str]| {
        let program = env!("CARGO_BIN_EXE_quadlock");
        let out = Command::new(program).args(["bench", "shaders", "s"]).args(args).current_dir(dir.path()).output();
        let out = out.unwrap();
        (out.status.code(), String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned())
    };
    let (status, text) = bench(&["--ending", "wgsl", "--rounds", "2", "--json", "b.json"]);
    assert!(status.is_some_and(|s| s < 2) && text.contains("1 compute entry points"), "{text}");
    let row: Value = serde_json::from_slice(&std::fs::read(dir.path().join("b.json")).unwrap()).unwrap();
    assert!(row["median"].as_f64().unwrap() > 0.0 && row["instructions"].as_f64().unwrap() > 2.0, "{row}");
    let (status, text) = bench(&[]);
    assert!(status == Some(2) && text.contains("no compute shader .spv"), "{text}");
}

#[test]
fn wrong_arguments_are_status_2() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &[("a.wgsl", WGSL.as_bytes()), ("none/readme.md", b"")]);
    for (args, says) in [
        (&["gone"][..], "cannot read gone"),
        (&["a.wgsl"], "is no folder"),
        (&["none"], "no shaders, and 1 other files"),
        (&[".", "--seconds", "0"], "out of range"),
        (&[".", "--list", "foo"], "no outcome or reason"),
        (&[".", "--json", "a.wgsl/x"], "cannot"),
        (&[".", "--jobs", "0"], "0 is not in"),
    ] {
        let (status, text) = check(dir.path(), args);
        assert!(status == Some(2) && text.contains(says), "{args:?}: {status:?} {text}");
    }
}
