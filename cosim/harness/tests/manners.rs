//! The manners of the command (docs/cli.md): how much it says, in which colours, lists for scripts,
//! completions, scopes; and one report for jobs and scenes.
//!
//! It can be wrong by a terminal: no test has one, so bars are not drawn here.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

const SHADER: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    o[id.x] = id.x * 3u + 1u;
}
";

const JOB: &str = "name = \"three\"
shader = \"three.wgsl\"
grid = [2, 1, 1]
[[buffer]]
name = \"o\"
from = { zero = 32 }
expect = { from = { inline = [1, 4, 7, 10, 13, 16, 19, 22] } }
[machine]
units = 1
warps = 2
";

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("three.wgsl"), SHADER).unwrap();
    std::fs::write(dir.path().join("job.toml"), JOB).unwrap();
    std::fs::write(dir.path().join("wrong.toml"), JOB.replace("[1, 4,", "[1, 5,")).unwrap();
    dir
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// Without what the environment of the test says of colours.
fn quadlock(dir: &Path, args: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadlock"));
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command.args(args).envs(environment.iter().copied()).current_dir(dir).output().unwrap()
}

/// Exit status, standard output, standard error without progress.
fn said(dir: &Path, args: &[&str]) -> (i32, String, String) {
    let out = quadlock(dir, args, &[]);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    // Whether a run lasts so long that it tells how far it is hangs on the host.
    let error: String =
        text(&out.stderr).split_inclusive('\n').filter(|line| !line.starts_with("progress: ")).collect();
    (out.status.code().unwrap(), text(&out.stdout), error)
}

#[test]
fn quiet_prints_failures_only() {
    let dir = folder();
    let golden = ["--engine", "golden"];
    let quiet = |file: &str| said(dir.path(), &[&["run", file, "-q"], &golden[..]].concat());
    assert_eq!(quiet("job.toml"), (0, String::new(), String::new()));
    let (status, out, error) = quiet("wrong.toml");
    assert_eq!((status, error.as_str()), (1, ""));
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].starts_with("problem: buffer `o`: 1 of 8 words differ"), "{out}");
    assert_eq!(lines[1..], ["again: quadlock run wrong.toml --engine golden"], "{out}");
    let (status, out, error) = quiet("nowhere.toml");
    assert!(status == 2 && out.is_empty() && error.contains("cannot read nowhere.toml"), "{out}{error}");
    // A list is what was asked for.
    assert!(said(dir.path(), &["-q", "faults"]).1.contains("rtl:add-carry"));
    assert_eq!(said(dir.path(), &["run", "job.toml", "-q", "-v"]).0, 2);
    assert_eq!(said(dir.path(), &["-q", "faults", "-v"]).0, 2, "wherever they are");
}

#[test]
fn verbose_has_phases_beside_the_report() {
    let dir = folder();
    let (status, out, error) = said(dir.path(), &["run", "job.toml", "-v"]);
    assert_eq!(status, 0, "{out}{error}");
    let mut rest = error.as_str();
    for phase in ["compile", "passes, plan, code", "run"] {
        let line = format!("{phase:<24}");
        let at = rest.find(&line).unwrap_or_else(|| panic!("no {phase} in its place:\n{error}"));
        assert!(rest[at..].lines().next().unwrap().ends_with(" s"), "{error}");
        rest = &rest[at..];
    }
    assert!(out.contains("\n  code bytes"), "{out}");
    let (_, plain, error) = said(dir.path(), &["run", "job.toml"]);
    assert!(error.is_empty() && !plain.contains("code bytes"), "{plain}{error}");
}

#[test]
fn colours_are_asked_for_or_there_is_a_terminal() {
    let dir = folder();
    let coloured = |more: &[&str], environment: &[(&str, &str)]| {
        let out = quadlock(dir.path(), &[&["run", "job.toml", "--engine", "golden"], more].concat(), environment);
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        assert!(text.contains("PASS"), "{text}");
        text.contains("verdict                 \x1b[1;32mPASS\x1b[0m\n")
    };
    assert!(!coloured(&[], &[]));
    assert!(coloured(&["--color", "always"], &[]));
    assert!(coloured(&["--color=always"], &[("NO_COLOR", "1")]));
    assert!(coloured(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(!coloured(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    // An error of bad input, too.
    let error = |more: &[&str]| {
        let out = quadlock(dir.path(), &[&["run", "nowhere.toml"], more].concat(), &[]);
        out.stderr.contains(&0x1b)
    };
    assert!(error(&["--color", "always"]) && !error(&[]));
    // So is one of the arguments, in either spelling.
    for words in [&["--color", "always"][..], &["--colour=always"]] {
        assert!(error(&[words, &["--no-such-option"]].concat()), "{words:?}");
    }
}

/// A disk that is full is no closed pipe.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_quadlock")).arg("faults").stdout(full).output().unwrap();
    let error = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.code() == Some(2) && error.contains("cannot write to standard output"), "{error}");
}

#[test]
fn an_error_says_what_was_being_done() {
    let dir = folder();
    let twice = ["run", "job.toml", "--engine", "golden", "--compare", "skip=thinking"];
    let (status, _, error) = said(dir.path(), &twice);
    assert!(status == 2 && error.contains("no pass `thinking`"), "{error}");
    std::fs::write(dir.path().join("taken"), "").unwrap();
    let blocked = ["run", "job.toml", "--engine", "golden", "--report", "taken/r.json"];
    let (status, out, error) = said(dir.path(), &blocked);
    assert!(status == 2 && out.is_empty() && error.contains("--report: taken is no folder"), "{out}{error}");
    let missing = examples().join("msaa/scene.toml");
    let again = ["run", missing.to_str().unwrap(), "--engine", "golden", "--compare", "machine.skip=all"];
    let (status, out, error) = said(dir.path(), &again);
    let context = "while drawing it again with --compare machine.skip=all\n";
    assert!(status == 2 && out.is_empty() && error.ends_with(context), "{out}{error}");
}

/// The objects of a list.
fn list(dir: &Path, args: &[&str]) -> Vec<Value> {
    let (status, out, error) = said(dir, args);
    assert_eq!(status, 0, "{args:?}: {error}");
    serde_json::from_str(&out).unwrap_or_else(|e| panic!("{args:?}: {e}: {out}"))
}

#[test]
fn lists_are_the_same_for_people_and_scripts() {
    let dir = folder();
    for (args, name) in [(&["faults"][..], "rtl:add-carry"), (&["export", "--list"], "quadlock")] {
        let objects = list(dir.path(), &[args, &["--json"]].concat());
        let text = said(dir.path(), args).1;
        assert_eq!(objects.len(), text.lines().count(), "{args:?}");
        for (object, line) in objects.iter().zip(text.lines()) {
            let [name, what] = ["name", "what"].map(|key| object[key].as_str().unwrap());
            assert!(line.starts_with(name) && line.ends_with(what), "{line}: {object}");
        }
        assert!(objects.iter().any(|o| o["name"] == name), "{args:?}");
    }
    assert_eq!(said(dir.path(), &["export", "--json"]).0, 2, "--json is of the list");
}

#[test]
fn scopes_are_those_that_waves_take() {
    let dir = folder();
    let scopes = list(dir.path(), &["scopes", "job.toml", "--json", "--depth", "99"]);
    let path = |scope: &Value| scope["path"].as_str().unwrap().to_owned();
    let top = &scopes[0];
    assert_eq!((path(top).as_str(), &top["depth"]), ("quadlock", &1.into()));
    // Every signal is in one scope.
    let own: u64 = scopes.iter().map(|s| s["signals"].as_u64().unwrap()).sum();
    assert_eq!(Some(own), top["signals_inside"].as_u64());
    let (status, tree, error) = said(dir.path(), &["scopes", "job.toml", "--depth", "2"]);
    assert_eq!(status, 0, "{error}");
    assert_eq!(tree.lines().count(), scopes.iter().filter(|s| s["depth"].as_u64() < Some(3)).count(), "{tree}");
    assert!(tree.contains("\n  cores_0 "), "{tree}");
    // A scope from the middle is one of a trace, with as many signals.
    let scope = scopes.iter().find(|s| s["name"] == "operands").expect("the operand stage");
    let traced = ["run", "job.toml", "--vcd", "t.vcd", "--scope", &path(scope)];
    let (status, out, error) = said(dir.path(), &traced);
    assert_eq!(status, 0, "{out}{error}");
    let vcd = std::fs::read_to_string(dir.path().join("t.vcd")).unwrap();
    let inside = path(scope).rsplit('.').next().unwrap().to_owned();
    assert!(vcd.contains(&format!("$scope module {inside} $end")), "{inside}");
    for (args, what) in [
        (&["scopes", "job.toml", "--scope", "quadlock.nothing"][..], "there is no such scope"),
        (&["scopes", "nowhere.toml"], "cannot read nowhere.toml"),
        (&["scopes", "job.toml", "--set", "units=99"], "out of range"),
        (&["scopes", "job.toml", "--depth", "0"], "--depth"),
    ] {
        let (status, out, error) = said(dir.path(), args);
        assert!(status == 2 && error.contains(what), "{args:?}: {out}{error}");
    }
}

#[test]
fn every_shell_has_completions() {
    let dir = folder();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let (status, script, error) = said(dir.path(), &["completions", shell]);
        assert_eq!(status, 0, "{shell}: {error}");
        for word in ["float-check", "scope", "completions"] {
            assert!(script.contains(word), "{shell} completes no {word}");
        }
    }
    assert_eq!(said(dir.path(), &["completions", "tcsh"]).0, 2);
    // bash itself takes the script, and completes a command.
    let script = said(dir.path(), &["completions", "bash"]).1;
    let test = format!(
        "{script}\nCOMP_WORDS=(quadlock comp); COMP_CWORD=1; _quadlock quadlock comp quadlock; echo \"${{COMPREPLY[@]}}\""
    );
    match Command::new("bash").args(["--norc", "-c", &test]).output() {
        Ok(out) => {
            let words = String::from_utf8_lossy(&out.stdout).into_owned();
            assert!(words.contains("compile") && words.contains("completions"), "{words}");
        }
        Err(e) => eprintln!("skipped: bash cannot be run: {e}"),
    }
}

/// Names of the rows of a report, in order.
fn rows(text: &str) -> Vec<String> {
    let row = |line: &str| {
        let name = line.get(..24)?;
        (!name.starts_with(' ') && name.ends_with(' ')).then(|| name.trim().to_owned())
    };
    text.lines().filter_map(row).collect()
}

#[test]
fn jobs_and_scenes_have_one_report() {
    let dir = folder();
    let scene = examples().join("msaa/scene.toml");
    let scene = scene.to_str().unwrap();
    let mut all = vec![];
    for (file, more) in [("job.toml", &[][..]), (scene, &["--small"])] {
        let report = ["run", file, "--report", "r.json"];
        let (status, out, error) = said(dir.path(), &[&report[..], more].concat());
        assert_eq!(status, 0, "{out}{error}");
        let json: Value = serde_json::from_slice(&std::fs::read(dir.path().join("r.json")).unwrap()).unwrap();
        assert_eq!(json["engine"], "lockstep (rtlsim + golden)");
        assert!(json["reproduce"].is_null() && json["retired"].as_u64() > Some(0), "{json}");
        all.push((rows(&out), json));
    }
    let [(job_rows, job), (scene_rows, scene)] = &all[..] else { panic!("two reports") };
    for key in job.as_object().unwrap().keys() {
        assert!(scene.as_object().unwrap().contains_key(key), "a scene's report has no {key}");
    }
    // What both have is in one order.
    let both = |one: &[String], other: &[String]| -> Vec<String> {
        one.iter().filter(|name| other.contains(name)).cloned().collect()
    };
    let common = both(job_rows, scene_rows);
    assert_eq!(common, both(scene_rows, job_rows));
    for name in ["engine", "verdict", "cycles", "retired instructions", "IPC", "issue slots used", "simulation"] {
        assert!(common.iter().any(|row| row == name), "no {name} in both: {job_rows:?} {scene_rows:?}");
    }
    assert_eq!((job_rows[0].as_str(), scene_rows[0].as_str()), ("job", "scene"));
}

#[test]
fn a_speed_is_not_shown_as_nothing() {
    let dir = folder();
    let scene = examples().join("msaa/scene.toml");
    let (status, out, error) = said(dir.path(), &["run", scene.to_str().unwrap(), "--small"]);
    assert_eq!(status, 0, "{out}{error}");
    let line = out.lines().find(|l| l.starts_with("simulation")).unwrap();
    let speed = line.split(", ").find(|part| part.ends_with(" fragments/s")).unwrap();
    let number: f64 = speed.split(' ').next().unwrap().parse().unwrap();
    assert!((1.0..1000.0).contains(&number), "{line}");
}
