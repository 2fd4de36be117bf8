//! `quadlock regress` loses no result: a case that cannot run has failed, the others run, and the
//! report has them all, also after an interruption.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const PROGRAM: &str = "S2R r1, group_x\nSHL r2, r1, #2\nIADD r2, r2, c[8]\nST.32 [r2], r1\nEND\n";

/// A job that passes, and takes some hundred cycles.
const JOB: &str = "name = \"numbers\"
shader = \"numbers.qasm\"
grid = [8, 1, 1]
[[buffer]]
binding = 0
from = { zero = 32 }
expect = { from = { iota = 8 } }
[program]
group-size = [4, 1, 1]
[claims]
run = [{ name = \"plain\" }, { name = \"golden\", engine = \"golden\" }]
figure = [{ figure = \"retired\", of = [\"plain\"], equal = 40 }]
";

/// A folder `jobs` with those files, and a report of an earlier suite that had nothing to blame.
fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("jobs")).unwrap();
    std::fs::write(dir.path().join("r.json"), "[]\n").unwrap();
    for (name, contents) in [("numbers.qasm", PROGRAM.as_bytes())].iter().chain(files) {
        std::fs::write(dir.path().join("jobs").join(name), contents).unwrap();
    }
    dir
}

fn command(dir: &Path, paths: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadlock"));
    command.arg("regress").args(paths).args(["--report", "r.json"]).current_dir(dir);
    command
}

fn texts(out: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code().unwrap_or(-1), text(&out.stdout), text(&out.stderr))
}

/// Exit status, both outputs, and the report by the jobs' names.
fn regress(files: &[(&str, &[u8])]) -> (i32, String, String, serde_json::Map<String, Value>) {
    let dir = folder(files);
    let (status, out, error) = texts(&command(dir.path(), &["jobs"]).output().unwrap());
    (status, out, error, report(dir.path()))
}

fn report(dir: &Path) -> serde_json::Map<String, Value> {
    let json: Vec<Value> = serde_json::from_slice(&std::fs::read(dir.join("r.json")).unwrap()).unwrap();
    json.into_iter().map(|job| (job["job"].as_str().unwrap().to_owned(), job)).collect()
}

/// The case that today's suite would skip, stop at or crash on, between two that pass.
fn with_neighbours<'a>(file: &'a str, contents: &'a [u8]) -> [(&'a str, &'a [u8]); 3] {
    [("a.toml", JOB.as_bytes()), (file, contents), ("z.toml", JOB.as_bytes())]
}

#[test]
fn a_file_that_is_no_job_is_a_failed_case_and_the_others_run() {
    let cut = &JOB[..JOB.find("[[buffer]]").unwrap() + 5];
    let unknown = JOB.replace("grid", "grids");
    for (contents, place) in [
        (&b""[..], "jobs/m.toml:1:1: error: the file is empty"),
        (&b"# nothing yet\n"[..], "jobs/m.toml:1:1: error: the file is empty"),
        (cut.as_bytes(), "jobs/m.toml:4:"),
        (&b"\xff\xfe"[..], "it is not UTF-8 text"),
        (unknown.as_bytes(), "jobs/m.toml:3:1: error: unknown field `grids`"),
    ] {
        let (status, out, error, report) = regress(&with_neighbours("m.toml", contents));
        assert_eq!(status, 1, "{out}{error}");
        assert!(error.contains(place), "not {place}: {error}");
        assert!(
            out.contains("jobs/m.toml\n  FAIL not read: ") && out.contains("1 CLAIMS FAIL: 3 jobs, 4 runs"),
            "{out}"
        );
        assert_eq!(report.len(), 3, "{report:?}");
        assert_eq!(report["jobs/m.toml"]["claims"][0]["holds"], false);
        assert!(["jobs/a.toml", "jobs/z.toml"].iter().all(|job| report[*job]["runs"]["plain"]["verdict"] == "pass"));
    }
}

#[test]
fn a_job_that_does_not_compile_is_a_failed_case_and_the_others_run() {
    let job = JOB.replace("numbers.qasm", "wrong.qasm");
    let files = [&with_neighbours("m.toml", job.as_bytes())[..], &[("wrong.qasm", &b"FOO r1\n"[..])]].concat();
    let (status, out, error, report) = regress(&files);
    assert_eq!(status, 1, "{out}{error}");
    // Once, although two runs of the job have it.
    assert_eq!(error.matches("jobs/wrong.qasm:1:1: error: unknown instruction").count(), 1, "{error}");
    assert!(out.contains("  FAIL plain: not run: jobs/wrong.qasm:1:1: unknown instruction"), "{out}");
    assert!(out.ends_with("3 CLAIMS FAIL: 3 jobs, 4 runs, 2 not run, 9 claims\n"), "{out}");
    let broken = &report["jobs/m.toml"];
    assert!(broken["runs"].as_object().is_some_and(serde_json::Map::is_empty), "{broken}");
    assert!(broken["not_run"]["golden"].as_str().is_some_and(|why| why.contains("unknown instruction")), "{broken}");
    assert_eq!(report["jobs/z.toml"]["runs"]["golden"]["verdict"], "pass");
}

/// Nothing was run: that is bad input, and no earlier report is left to say otherwise.
#[test]
fn a_suite_in_which_nothing_runs_is_bad_input_and_says_so_in_its_report() {
    let dir = folder(&[("m.toml", &b""[..])]);
    let (status, out, error) = texts(&command(dir.path(), &["jobs"]).output().unwrap());
    assert!(status == 2 && error.contains("no case could be run"), "{status} {out}{error}");
    assert_eq!(report(dir.path())["jobs/m.toml"]["claims"][0]["holds"], false);
    // A file that is not there costs no other case.
    std::fs::write(dir.path().join("jobs/m.toml"), JOB).unwrap();
    let (status, out, error) = texts(&command(dir.path(), &["jobs", "nowhere.toml"]).output().unwrap());
    assert!(status == 1 && error.contains("cannot read nowhere.toml"), "{status} {out}{error}");
    assert_eq!(report(dir.path())["jobs/m.toml"]["claims"][0]["holds"], true);
}

/// Where outputs cannot be written is known before a run. A fault that nothing runs costs its run.
#[test]
fn what_can_be_known_before_is_said_before() {
    let dir = folder(&[("m.toml", JOB.as_bytes())]);
    let refused = |more: &[&str]| {
        let (status, out, error) = texts(&command(dir.path(), &["jobs"]).args(more).output().unwrap());
        assert!(status == 2 && out.is_empty(), "{more:?}: {status} {out}{error}");
        error
    };
    assert!(refused(&["--out", "r.json"]).contains("--out: r.json is no folder"));
    std::fs::write(
        dir.path().join("jobs/m.toml"),
        JOB.replace("engine = \"golden\"", "engine = \"golden\", set = [\"fault=rtl:add-carry\"]"),
    )
    .unwrap();
    let (status, _, error) = texts(&command(dir.path(), &["jobs"]).output().unwrap());
    assert!(status == 1 && error.contains("the planted fault is in the RTL"), "{error}");
}

/// rust-hdl's machine with graphics is built by value, in more than a thread's usual stack.
#[test]
fn a_scene_on_rust_hdls_engine_runs() {
    let scene = "name = \"one\"\ntarget = { width = 8, height = 8 }
[claims]
run = [{ name = \"slow\", engine = \"rust-hdl\" }]
[mesh.m]
attributes.position = [[-1, -1], [0, -1], [-1, 0]]
[[draw]]
mesh = \"m\"
vertex = { file = \"one.wgsl\", entry = \"corner\" }
fragment = { file = \"one.wgsl\", entry = \"fill\" }
";
    let program = "@vertex fn corner(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.25, 1.0); }
@fragment fn fill() -> @location(0) vec4f { return vec4f(0.5, 0.25, 1.0, 1.0); }\n";
    let (status, out, error, _) = regress(&[("one.toml", scene.as_bytes()), ("one.wgsl", program.as_bytes())]);
    assert_eq!(status, 0, "{out}{error}");
    assert!(out.ends_with("all claims hold: 1 jobs, 1 runs, 1 claims\n"), "{out}");
}

/// The request to end is SIGTERM here, because a job in the background may ignore that of Ctrl-C.
#[cfg(unix)]
#[test]
fn an_interrupted_suite_writes_what_ran() {
    use std::os::unix::process::ExitStatusExt;
    // It ends in some hours.
    let endless = JOB.replace("numbers.qasm", "endless.qasm") + "[limits]\ncycles = 4000000000\nidle = 4000000000\n";
    let dir = folder(&[
        ("a.toml", JOB.as_bytes()),
        ("m.toml", endless.replace(", { name = \"golden\", engine = \"golden\" }", "").as_bytes()),
        ("endless.qasm", &b"again:\nIADD r1, r1, #1\nBRA again\nEND\n"[..]),
        ("z.toml", JOB.as_bytes()),
    ]);
    let mut child = command(dir.path(), &["jobs", "--jobs", "1"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first: Vec<String> = lines.by_ref().take(4).map(Result::unwrap).collect();
    assert_eq!(first[0], "jobs/a.toml", "{first:?}");
    let begun = report(dir.path());
    assert_eq!(begun["jobs/a.toml"]["not_run"]["plain"], "no result", "the earlier report is gone from the start");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(15), "{status} {rest:?}");
    assert!(rest.last().is_some_and(|l| l == "INTERRUPTED: 3 jobs, 2 runs, 3 not run, 8 claims"), "{rest:?}");
    let report = report(dir.path());
    assert_eq!(report["jobs/a.toml"]["runs"]["plain"]["verdict"], "pass");
    for (job, run) in [("jobs/m.toml", "plain"), ("jobs/z.toml", "golden")] {
        assert_eq!(report[job]["not_run"][run], "interrupted", "{report:?}");
        assert_eq!(report[job]["claims"][0]["holds"], false);
    }
}
