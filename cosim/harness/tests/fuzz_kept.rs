//! What a campaign of random programs or scenes tells of a failure: when it happens, and with a job
//! that shows it, by a command that a shell takes as it is printed.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn fuzz(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadlock"));
    command.arg("fuzz").args(args).current_dir(dir);
    command
}

fn text(out: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
}

/// A printed command in a shell, with these words left out; its exit status and what it says.
fn in_shell(dir: &Path, command: &str, without: &str) -> (Option<i32>, String) {
    let rest = command.strip_prefix("quadlock ").unwrap_or_else(|| panic!("{command}")).replace(without, "");
    let script = format!("exec '{}' {rest}", env!("CARGO_BIN_EXE_quadlock"));
    let out = Command::new("sh").args(["-c", &script]).current_dir(dir).output().unwrap();
    (out.status.code(), text(&out))
}

/// The rest of the line that begins so.
fn line<'t>(text: &'t str, begins: &str) -> &'t str {
    text.lines().find_map(|l| l.strip_prefix(begins)).unwrap_or_else(|| panic!("no {begins}: {text}"))
}

/// Each kind of program, in a folder whose name has a space.
#[test]
fn a_failing_program_is_kept_as_a_job_that_runs_with_waves() {
    let dir = tempfile::tempdir().unwrap();
    for (kind, seed, fault) in
        [("isa", "3", "rtl:add-carry"), ("wgsl", "1", "compiler:dce-drops-store"), ("graph", "5", "model:wait-skipped")]
    {
        let fault = format!("fault={fault}");
        let args = ["--programs", "8", "--seed", seed, "--kind", kind, "--machines", "1", "--jobs", "1"];
        let out = fuzz(dir.path(), &[&args[..], &["--out", "kept here", "--set", &fault]].concat()).output().unwrap();
        let said = text(&out);
        assert_eq!(out.status.code(), Some(1), "{kind}: {said}");
        let command = line(&said, "kept; with waves: ");
        let folder = format!("'kept here/{kind}-");
        assert!(command.contains(&folder) && command.contains(&format!(" --set {fault}")), "{command}");
        let (status, again) = in_shell(dir.path(), command, "");
        assert_eq!(status, Some(1), "{command}: {again}");
        let seed = command.split(&folder).nth(1).and_then(|rest| rest.split('/').next()).unwrap();
        assert!(dir.path().join(format!("kept here/{kind}-{seed}/waves.fst")).exists(), "{again}");
        // It is the bug that fails, and not the job.
        let (status, healthy) = in_shell(dir.path(), command, &format!(" --set {fault}"));
        assert_eq!(status, Some(0), "{command}: {healthy}");
    }
}

/// A campaign of hours says of its first failure at once.
#[test]
fn a_failure_is_told_when_it_happens() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["--programs", "1000000", "--seed", "3", "--kind", "isa", "--machines", "1", "--jobs", "1"];
    let mut child = fuzz(dir.path(), &[&args[..], &["--set", "fault=rtl:add-carry"]].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let found =
        BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap).find(|l| l.starts_with("again: "));
    let is_running = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(is_running && found.is_some_and(|l| l.contains("fuzz --programs 1 --seed ")));
}

#[test]
fn a_scene_is_drawn_again_by_the_printed_command() {
    let dir = tempfile::tempdir().unwrap();
    let fault = ["--set", "fault=result-mask"];
    let args = ["--scenes", "3", "--seed", "100", "--out", "it's here"];
    let out = fuzz(dir.path(), &[&args[..], &fault].concat()).output().unwrap();
    let said = text(&out);
    assert_eq!(out.status.code(), Some(1), "{said}");
    let command = line(&said, "again: ");
    assert!(command.starts_with(r"quadlock run 'it'\''s here/scene-1"), "{command}");
    let (status, again) = in_shell(dir.path(), command, "");
    assert_eq!(status, Some(1), "{command}: {again}");
}

/// Before, each pair of programs failed for it, and the exit status was 1.
#[test]
fn a_setting_that_is_no_fault_is_bad_input() {
    let dir = tempfile::tempdir().unwrap();
    for (set, says) in
        [("foo=bar", "--set: not fault=NAME"), ("fault=nonsense", "there is no planted fault `nonsense`")]
    {
        for kind in ["--links", "--scenes", "--programs"] {
            let out = fuzz(dir.path(), &[kind, "2", "--set", set]).output().unwrap();
            assert_eq!(out.status.code(), Some(2), "{kind} {set}: {}", text(&out));
            assert!(text(&out).contains(says), "{kind} {set}: {}", text(&out));
        }
    }
    let compiler = ["--atomics", "2", "--set", "fault=compiler:dce-drops-store"];
    let out = fuzz(dir.path(), &compiler).output().unwrap();
    assert!(out.status.code() == Some(2) && text(&out).contains("is in the compiler"), "{}", text(&out));
    let out = fuzz(dir.path(), &["--programs", "2", "--report", "."]).output().unwrap();
    assert!(out.status.code() == Some(2) && text(&out).contains("--report: . is a folder"), "{}", text(&out));
}
