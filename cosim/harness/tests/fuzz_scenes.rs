//! Random scenes in lockstep: all pass, one of many can be drawn alone, and a planted bug is found,
//! shrunk, and drawn again by the command that is printed.

use std::process::{Command, Output};

use quadlock_testkit::tier;

fn quadlock(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_quadlock")).args(args).output().expect("quadlock runs")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Draws scenes; the output and the report.
fn fuzz(args: &[&str]) -> (Output, serde_json::Value) {
    fuzz_with("2", args)
}

fn fuzz_with(jobs: &str, args: &[&str]) -> (Output, serde_json::Value) {
    let dir = tempfile::tempdir().unwrap();
    let report = dir.path().join("report.json");
    let mut all = vec!["fuzz", "--jobs", jobs, "--report", report.to_str().unwrap()];
    all.extend(args);
    if !args.contains(&"--out") {
        all.extend(["--out", dir.path().to_str().unwrap()]);
    }
    let out = quadlock(&all);
    let json = std::fs::read(&report).unwrap_or_else(|e| panic!("{e}: {}", text(&out)));
    (out, serde_json::from_slice(&json).unwrap())
}

#[test]
fn random_scenes_are_the_models() {
    let count = 12;
    let (out, json) = fuzz(&["--scenes", &count.to_string(), "--seed", "20"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out));
    assert_eq!((&json["failed"], &json["scenes"]), (&0.into(), &count.into()));
    for key in ["draws", "quads", "fragments_shaded", "samples_written", "cycles"] {
        assert!(json[key].as_u64().is_some_and(|n| n >= count), "{key}: {json}");
    }
    for key in ["in", "culled", "clipped"] {
        assert!(json["triangles"][key].as_u64().is_some_and(|n| n >= count), "{key}: {json}");
    }
}

/// Scene 3 of seed 1 is scene 1 of seed 3.
#[test]
fn a_scene_of_many_can_be_drawn_alone() {
    let count = |seed: &str, scenes: &str| fuzz(&["--seed", seed, "--scenes", scenes]).1["cycles"].as_u64().unwrap();
    assert_eq!(count("1", "3"), count("1", "2") + count("3", "1"));
}

/// With --options each scene has these options, and the jobs decide nothing.
#[test]
fn scenes_are_drawn_with_a_set_of_options() {
    let of = |kind: &str, set: &str, jobs: &str| {
        let (out, json) = fuzz_with(jobs, &[kind, "3", "--seed", "3", "--options", set]);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out));
        assert_eq!(json["options"], set);
        let keys = ["pairs", "merges", "splits", "quads", "cycles"];
        keys.map(|key| json[key].as_u64().unwrap_or_else(|| panic!("no {key}: {json}")))
    };
    let [free, ..] = of("--merges", "queue-16", "2");
    let [kept, ..] = of("--merges", "flips-off", "2");
    assert_eq!(of("--merges", "queue-16", "1")[0], free);
    assert!(kept < free, "{kept} pairs without flips, {free} with: the option does nothing");
    let [_, merges, splits, ..] = of("--splits", "samples-4", "2");
    assert!(merges == 0 && splits > 0);
}

/// Hi-Z and windows of triangles: the same fragments are seen, and some groups are culled.
#[test]
fn hz_35_scenes_are_drawn_on_machines_that_hide() {
    for set in ["both", "window-16"] {
        let (out, json) = fuzz(&["--hides", "5", "--seed", "1", "--options", set]);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out));
        assert_eq!(json["hidden"].as_u64().is_some_and(|n| n > 0), set != "window-16", "{set}: {json}");
    }
}

/// Programs that break rules of registers: each run tells of it, or the campaign fails. In the
/// first two a colour and a stencil that were wrong for it were once told as mismatches.
#[test]
fn broken_rules_are_told_of() {
    for seed in ["529", "559"] {
        let (out, json) = fuzz(&["--merges", "1", "--seed", seed, "--options", "broken"]);
        assert_eq!((out.status.code(), &json["told"]), (Some(0), &1.into()), "{seed}: {}", text(&out));
    }
    for kind in ["--splits", "--merges"] {
        let (out, json) = fuzz(&[kind, "6", "--seed", "500", "--options", "broken"]);
        assert_eq!(out.status.code(), Some(0), "{kind}: {}", text(&out));
        let of = |key: &str| json[key].as_u64().unwrap_or_else(|| panic!("no {key}: {json}"));
        assert!(of("told") >= 2 && of("told") <= of("broken"), "{kind}: {json}");
    }
}

/// With --machines 1 all scenes are on one machine, whichever seed they have.
#[test]
fn scenes_share_a_machine() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().to_str().unwrap();
    let fault = ["--set", "fault=rtl:geometry-depth"];
    let machine = ["--machines", "1", "--machine-seed", "7"];
    let (_, json) = fuzz(&[&["--hides", "4", "--seed", "100", "--out", folder], &fault[..], &machine[..]].concat());
    assert_eq!(json["machines"], 1);
    let files = json["files"].as_array().unwrap();
    let table = |file: &serde_json::Value| {
        let text = std::fs::read_to_string(file.as_str().unwrap()).unwrap();
        toml::from_str::<toml::Table>(&text).unwrap()["machine"].to_string()
    };
    assert!(files.len() > 1 && files.iter().all(|f| table(f) == table(&files[0])), "{json}");
}

#[test]
fn a_planted_bug_is_found_and_small() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().to_str().unwrap();
    let fault = ["--set", "fault=result-mask"];
    let count = tier::cases("3", "8");
    let (out, json) = fuzz(&["--scenes", count, "--seed", "100", "--out", folder, fault[0], fault[1]]);
    assert_eq!(out.status.code(), Some(1), "{}", text(&out));
    let said = text(&out);
    let found = json["files"].as_array().unwrap();
    assert!(!found.is_empty() && said.contains("1 draws and 1 triangles after shrinking"), "{said}");
    let line = said.lines().find_map(|l| l.strip_prefix("again: quadlock ")).expect("a command");
    assert!(line.ends_with(" --set machine.fault=result-mask"), "{line}");
    let command: Vec<&str> = line.split(' ').collect();
    assert_eq!(quadlock(&command).status.code(), Some(1), "{line}");
    // Without the bug the same scene passes.
    let healthy = quadlock(&command[..2]);
    assert_eq!(healthy.status.code(), Some(0), "{}", text(&healthy));
}

#[test]
fn what_cannot_be_is_refused() {
    for (args, says) in [
        (["--scenes", "1", "--set", "fault=model:shift-mask"], "not in the RTL"),
        (["--scenes", "1", "--set", "fault=none-such"], "no planted fault"),
        (["--scenes", "1", "--programs", "2"], "cannot be used with"),
        (["--scenes", "0", "--seed", "2"], "0 is not in 1.."),
        (["--merges", "1", "--options", "samples-4"], "no such set"),
        (["--scenes", "1", "--options", "all"], "cannot be used with"),
        (["--splits", "1", "--options", "3/2"], "a share of all as 2/6"),
        (["--scenes", "1", "--machines", "0"], "0 is not in 1.."),
        (["--links", "1", "--machines", "2"], "cannot be used with"),
        (["--scenes", "1", "--machine-seed", "2"], "--machines"),
    ] {
        let out = quadlock(&[&["fuzz"], &args[..]].concat());
        assert!(out.status.code() == Some(2) && text(&out).contains(says), "{args:?}: {}", text(&out));
    }
}
