//! Random scenes in lockstep: all pass, one of many can be drawn alone, and a planted bug is found,
//! shrunk, and drawn again by the command that is printed.

use std::process::{Command, Output};

fn quadlock(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_quadlock")).args(args).output().expect("quadlock runs")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Draws scenes; the output and the report.
fn fuzz(args: &[&str]) -> (Output, serde_json::Value) {
    let dir = tempfile::tempdir().unwrap();
    let report = dir.path().join("report.json");
    let mut all = vec!["fuzz", "--jobs", "2", "--report", report.to_str().unwrap()];
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
    let (out, json) = fuzz(&["--scenes", "12", "--seed", "20"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out));
    assert_eq!((&json["failed"], &json["scenes"]), (&0.into(), &12.into()));
    for key in ["draws", "quads", "fragments_shaded", "samples_written", "cycles"] {
        assert!(json[key].as_u64().is_some_and(|n| n >= 12), "{key}: {json}");
    }
    for key in ["in", "culled", "clipped"] {
        assert!(json["triangles"][key].as_u64().is_some_and(|n| n >= 12), "{key}: {json}");
    }
}

/// Scene 3 of seed 1 is scene 1 of seed 3.
#[test]
fn a_scene_of_many_can_be_drawn_alone() {
    let count = |seed: &str, scenes: &str| fuzz(&["--seed", seed, "--scenes", scenes]).1["cycles"].as_u64().unwrap();
    assert_eq!(count("1", "3"), count("1", "2") + count("3", "1"));
}

#[test]
fn a_planted_bug_is_found_and_small() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().to_str().unwrap();
    let fault = ["--set", "fault=result-mask"];
    let (out, json) = fuzz(&["--scenes", "8", "--seed", "100", "--out", folder, fault[0], fault[1]]);
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
    ] {
        let out = quadlock(&[&["fuzz"], &args[..]].concat());
        assert!(out.status.code() == Some(2) && text(&out).contains(says), "{args:?}: {}", text(&out));
    }
}
