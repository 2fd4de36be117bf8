//! Presets of jobs, scenes and commands: which value a key has if several places give it, and what
//! is refused with its place. The machine of a job is read from its options, that of a scene from
//! what the command says. Which machine a scene has is a test beside `[machine]` of scenes.

use std::path::Path;

use quadlock::job::{Job, Size};
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::presets::names;

use super::command::run;

const COMPUTE: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) { o[id.x] = id.x * 2u; }
";

const DRAWN: &str = "
@vertex fn corner(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.25, 1.0); }
@fragment fn fill() -> @location(0) vec4f { return vec4f(1.0); }
";

const JOB: &str = "name = \"j\"
shader = \"j.wgsl\"
entry = \"main\"
grid = [8, 1, 1]
[[buffer]]
binding = 0
from = { zero = 512 }
";

const SCENE: &str = "name = \"s\"
target = { width = 8, height = 8 }
[mesh.m]
attributes.position = [[-1, -1], [1, -1], [-1, 1]]
[[draw]]
mesh = \"m\"
vertex = { file = \"s.wgsl\", entry = \"corner\" }
fragment = { file = \"s.wgsl\", entry = \"fill\" }
";

/// A folder with the job and the scene, each with these lines at its end.
fn folder(machine: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in [("j.wgsl", COMPUTE), ("s.wgsl", DRAWN), ("job.toml", JOB), ("scene.toml", SCENE)] {
        let more = if name.ends_with(".wgsl") { "" } else { machine };
        std::fs::write(dir.path().join(name), format!("{text}{more}")).unwrap();
    }
    dir
}

/// The machine of a job whose file ends so, with these settings.
fn machine(file: &str, sets: &[&str]) -> GpuConfig {
    let job = Job::parse(Path::new("job.toml"), format!("{JOB}{file}"), Size::Whole).unwrap_or_else(|e| panic!("{e}"));
    let sets: Vec<String> = sets.iter().map(|s| (*s).to_owned()).collect();
    job.options(false, &sets, None).unwrap_or_else(|e| panic!("{e}")).0.config
}

#[test]
fn keys_win_over_presets_and_the_command_line_over_the_file() {
    let shape = |file: &str, sets: &[&str]| {
        let config = machine(file, sets);
        (config.units, config.warps, config.semaphores.double_links)
    };
    assert_eq!(shape("", &[]), (2, 8, false), "defaults");
    assert_eq!(shape("[machine]\npreset = \"small\"", &[]), (1, 2, false), "the file's preset");
    assert_eq!(shape("[machine]\npreset = \"small\"", &["preset=compute"]), (1, 8, true), "that of --set replaces it");
    // A key of the file wins over both presets, whatever stands first.
    assert_eq!(shape("[machine]\nwarps = 4\npreset = \"small\"", &[]), (1, 4, false));
    assert_eq!(shape("[machine]\npreset = \"small\"\nwarps = 4", &["preset=compute"]), (1, 4, true));
    assert_eq!(shape("[machine]\nwarps = 4", &["warps=16", "preset=compute"]), (1, 16, true), "--set wins over all");
    assert_eq!(shape("", &["preset=compute", "preset=small"]), (1, 2, false), "the last preset counts");
    // Together they fit, although the file's keys on the preset alone do not.
    assert!(machine("[machine]\ngraphics = true\nsplit = true", &["preset=small", "warps=4"]).splits());
}

#[test]
fn an_unknown_preset_is_refused_with_its_place_and_the_names() {
    let dir = folder("[machine]\nwarps = 4\npreset = \"smal\"\n");
    let all: Vec<&str> = names().collect();
    let all = format!("the presets are {}", all.join(", "));
    for (file, place) in [("job.toml", "job.toml:10:10"), ("scene.toml", "scene.toml:11:1")] {
        let (status, text) = run(dir.path(), &["run", file]);
        let says = format!("{place}: error: there is no preset `smal`; did you mean `small`?");
        assert!(status == 2 && text.contains(&says) && text.contains(&all), "{text}");
    }
    let dir = folder("");
    for (file, set) in [("job.toml", "preset=ful"), ("scene.toml", "preset=ful"), ("scene.toml", "machine.preset=ful")]
    {
        let (status, text) = run(dir.path(), &["run", file, "--set", set]);
        let says = "there is no preset `ful`; did you mean `full`?";
        assert!(status == 2 && text.contains(says) && text.contains(&all), "{text}");
    }
    let (status, text) = run(dir.path(), &["export", "--set", "preset=ful", "--out", "rtl"]);
    assert!(status == 2 && text.contains("there is no preset `ful`") && text.contains(&all), "{text}");
    for command in [&["run", "job.toml"][..], &["run", "scene.toml"], &["export"], &["scopes", "job.toml"]] {
        let (status, text) = run(dir.path(), &[command, &["--preset", "ful"]].concat());
        assert!(status == 2 && names().all(|name| text.contains(name)), "{command:?}: {text}");
    }
    let dir = folder("[machine]\npreset = 1\n");
    for file in ["job.toml", "scene.toml"] {
        let (status, text) = run(dir.path(), &["run", file]);
        assert!(status == 2 && text.contains("preset = 1: not a name in quotes"), "{text}");
    }
}

#[test]
fn a_preset_that_does_not_fit_is_refused() {
    let dir = folder("");
    for name in ["small", "compute"] {
        let (status, text) = run(dir.path(), &["run", "scene.toml", "--preset", name]);
        assert!(status == 2 && text.contains(&format!("the preset `{name}` has no graphics")), "{text}");
    }
    let dir = folder("[machine]\npreset = \"small\"\n");
    let (status, text) = run(dir.path(), &["run", "scene.toml"]);
    let says = "scene.toml:10:1: error: the preset `small` has no graphics";
    assert!(status == 2 && text.contains(says), "{text}");
    let dir = folder("[machine]\ngraphics = true\nsplit = true\n");
    for file in ["job.toml", "scene.toml"] {
        let (status, text) = run(dir.path(), &["run", file, "--preset", "small"]);
        assert!(status == 2 && text.contains("split = on needs the slots of four samples"), "{text}");
    }
}

#[test]
fn the_model_and_the_machine_run_on_a_preset() {
    let dir = folder("");
    let (status, text) = run(dir.path(), &["run", "job.toml", "--preset", "small"]);
    let units = text.split("(per unit ").nth(1).and_then(|rest| rest.split(')').next()).unwrap();
    assert!(status == 0 && !units.contains(','), "one unit: {text}");
    let (status, text) = run(dir.path(), &["run", "scene.toml", "--engine", "golden", "--preset", "full"]);
    assert!(status == 0, "{text}");
    // The command that a failure prints has the preset.
    let (status, text) = run(dir.path(), &["run", "job.toml", "--preset", "small", "--set", "fault=rtl:add-carry"]);
    assert!(status == 1 && text.contains("--set preset=small"), "{text}");
}

#[test]
fn an_export_of_a_preset_names_its_parameters() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["export", "--preset", "small", "--set", "warps=4", "--top", "warp_scheduler", "--out", "rtl"];
    let (status, text) = run(dir.path(), &args);
    assert_eq!(status, 0, "{text}");
    let manifest = std::fs::read(dir.path().join("rtl/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    let value = |name: &str| {
        let rows = manifest["parameters"].as_array().unwrap();
        rows.iter().find(|row| row["name"] == name).unwrap()["value"].clone()
    };
    assert_eq!((value("units"), value("warps"), value("trace")), (1.into(), 4.into(), true.into()));
}

/// Scripts take presets from the list, and shells complete them.
#[test]
fn presets_are_listed_for_scripts_and_shells() {
    let dir = tempfile::tempdir().unwrap();
    let (status, text) = run(dir.path(), &["settings", "--json"]);
    let lists: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rows = lists["presets"].as_array().unwrap();
    let listed: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert!(status == 0 && listed.iter().copied().eq(names()), "{listed:?}");
    assert!(rows[0]["sets"].as_array().unwrap().contains(&"warps=2".into()), "{rows:?}");
    let units = lists["settings"].as_array().unwrap().iter().find(|row| row["key"] == "units").unwrap();
    assert_eq!((units["values"].clone(), units["default"].clone()), ("1 to 8".into(), "2".into()));
    for shell in ["bash", "fish", "zsh"] {
        let (_, script) = run(dir.path(), &["completions", shell]);
        assert!(names().all(|name| script.contains(name)), "{shell}");
    }
    // The help says where the keys are, and does not list them.
    for command in ["run", "export"] {
        let (_, help) = run(dir.path(), &[command, "--help"]);
        assert!(help.contains("quadlock settings") && !help.contains("semaphore-pool"), "{help}");
    }
}
