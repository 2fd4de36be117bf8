//! Random scenes beside lavapipe: wrong rules that are planted in the model are found, the seeds
//! that find them pass without them, and a judge that does not work is bad input.
//!
//! Without the judge or lavapipe these tests say so and pass, unless QUADLOCK_REQUIRE_PEERS is set.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use quadlock_testkit::{peers, tier};

fn quadlock(args: &[&str], out: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadlock"));
    command.args(["fuzz", "--beside", "lavapipe", "--out"]).arg(out).args(args);
    command.output().expect("quadlock runs")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The judge can draw here.
fn is_there() -> bool {
    let judge = Path::new(env!("CARGO_BIN_EXE_quadlock")).with_file_name("lavapipe-judge");
    let runs = Command::new(&judge).stdin(std::process::Stdio::null()).output().is_ok_and(|o| o.status.success());
    if !runs {
        peers::missing("lavapipe-judge with lavapipe");
    }
    runs
}

/// Wrong rules, and the first scene of the default seeds that finds each: docs/beside.json, which
/// `scripts/beside-rules.py` makes.
fn rules() -> Vec<(String, u64)> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/beside.json");
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let of = |row: &serde_json::Value| (row["rule"].as_str().unwrap().to_owned(), row["scene"].as_u64().unwrap());
    rows.iter().map(of).collect()
}

/// Runs scenes; the exit status and the report.
fn run(args: &[&str]) -> (Option<i32>, serde_json::Value, String) {
    let dir = tempfile::tempdir().unwrap();
    let report = dir.path().join("report.json");
    let all = [args, &["--report", report.to_str().unwrap()]].concat();
    let out = quadlock(&all, dir.path());
    let json = std::fs::read(&report).unwrap_or_else(|e| panic!("{e}: {}", text(&out)));
    (out.status.code(), serde_json::from_slice(&json).unwrap(), text(&out))
}

#[test]
fn planted_rules_are_found_and_the_scenes_are_right() {
    if !is_there() {
        return;
    }
    for (rule, seed) in tier::first(6, rules()) {
        let seed = seed.to_string();
        let set = format!("fault={rule}");
        let (status, json, said) = run(&["--scenes", "1", "--seed", &seed, "--set", &set]);
        assert_eq!((status, &json["failed"]), (Some(1), &1.into()), "{rule}: {said}");
        assert!(said.contains(&format!("--seed {seed} --beside lavapipe --set {set}")), "{said}");
        let (status, json, said) = run(&["--scenes", "1", "--seed", &seed]);
        assert_eq!((status, &json["failed"]), (Some(0), &0.into()), "scene {seed}: {said}");
    }
}

/// Every planted rule has a row, twenty at least, and is found within 300 scenes.
#[test]
fn every_rule_has_its_scene() {
    let rules = rules();
    assert!(rules.len() >= 20 && rules.iter().all(|row| row.1 <= 300), "{rules:?}");
    for (_, name, _) in quadlock_golden::Fault::ALL.iter().filter(|f| f.0.is_of_rules()) {
        assert!(rules.iter().any(|row| row.0 == format!("model:{name}")), "no row for {name}");
    }
}

/// A wrong scene is kept as a file that draws, and is small.
#[test]
fn a_wrong_scene_is_kept_and_small() {
    if !is_there() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (rule, seed) = rules().swap_remove(0);
    let (set, seed) = (format!("fault={rule}"), seed.to_string());
    let out = quadlock(&["--scenes", "1", "--seed", &seed, "--set", &set], dir.path());
    assert_eq!(out.status.code(), Some(1), "{}", text(&out));
    let file = dir.path().join(format!("beside-{seed}/scene.toml"));
    let drawn = Command::new(env!("CARGO_BIN_EXE_quadlock"))
        .args(["run", "--engine", "golden", "--out"])
        .args([dir.path().join("out"), file])
        .output()
        .unwrap();
    assert_eq!(drawn.status.code(), Some(0), "{}", text(&drawn));
}

/// Jobs decide nothing.
#[test]
fn results_do_not_depend_on_threads() {
    if !is_there() {
        return;
    }
    let of = |jobs| {
        let (_, mut json, _) = run(&["--scenes", "8", "--seed", "40", "--jobs", jobs]);
        // The folder is a temporary one.
        (json["seconds"], json["files"]) = (0.into(), 0.into());
        json
    };
    assert_eq!(of("1"), of("2"));
}

/// A program that a shell makes of this text.
fn script(dir: &Path, name: &str, body: &str) -> PathBuf {
    let path = dir.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// "Ready" of the wire's version 1, with the name x.
const READY: &str = r"printf '\004\000\000\000\000\001\001x'";

/// Each is exit status 2 with a word of what is wrong: no panic, and no endless wait.
#[test]
fn a_judge_that_does_not_work_is_bad_input() {
    let dir = tempfile::tempdir().unwrap();
    let judges = [
        ("no-judge", None, "mesa-vulkan-drivers"),
        ("ends", Some("exit 0".to_owned()), "has ended"),
        ("babbles", Some("echo this is no message; sleep 5".to_owned()), "the judge: a message of"),
        ("says-why", Some("echo out of luck >&2; exit 3".to_owned()), "out of luck"),
        ("has-no-vulkan", Some(r"printf '\005\000\000\000\001\003why'; sleep 5".to_owned()), "cannot draw: why"),
        ("is-old", Some(r"printf '\004\000\000\000\000\002\001x'; sleep 5".to_owned()), "version 2"),
        ("hangs", Some("exec sleep 60".to_owned()), "no answer within 1 s"),
        ("hangs-later", Some(format!("{READY}; exec sleep 60")), "no answer within 1 s"),
        ("ends-later", Some(format!("{READY}; head -c 100 >/dev/null")), "has ended"),
        ("is-cut-off", Some(format!("{READY}; printf '\\100\\000\\000\\000abc'")), "the judge"),
        // An empty picture: no targets, no depth, no stencil.
        (
            "is-empty",
            Some(format!("{READY}; printf '\\004\\000\\000\\000\\002\\000\\000\\000'; sleep 5")),
            "another size",
        ),
    ];
    for (name, body, wanted) in judges {
        let judge = body.map_or(dir.path().join(name), |body| script(dir.path(), name, &body));
        // A judge that says something has time for it, whatever else the machine does.
        let seconds = if wanted.contains("1 s") { "1" } else { "10" };
        let args = ["--scenes", "2", "--judge", judge.to_str().unwrap(), "--judge-seconds", seconds];
        let out = quadlock(&args, dir.path());
        let said = text(&out);
        assert_eq!(out.status.code(), Some(2), "{name}: {said}");
        assert!(said.contains(wanted) && !said.contains("panicked"), "{name}: {said}");
    }
}

#[test]
fn settings_that_cannot_be_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    for args in [
        &["--programs", "2"][..],
        &["--scenes", "2", "--rtl", "rust-hdl"],
        &["--scenes", "2", "--set", "fault=rtl:fma-rounding"],
        &["--scenes", "2", "--machines", "3"],
        &["--scenes", "2", "--small"],
        &["--scenes", "2", "--seed", "18446744073709551615"],
    ] {
        let out = quadlock(args, dir.path());
        assert_eq!(out.status.code(), Some(2), "{args:?}: {}", text(&out));
    }
}

/// Without Vulkan the package is named.
#[test]
fn without_vulkan_the_package_is_named() {
    if !is_there() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_quadlock"))
        .args(["fuzz", "--scenes", "1", "--beside", "lavapipe", "--out"])
        .arg(dir.path())
        .env("VK_ICD_FILENAMES", "/dev/null")
        .env("VK_DRIVER_FILES", "/dev/null")
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(2), "{}", text(&out));
    assert!(text(&out).contains("mesa-vulkan-drivers"), "{}", text(&out));
}
