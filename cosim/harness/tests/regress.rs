//! `quadlock regress` as a user meets it: claims that hold and that fail, their exit statuses and
//! what is printed.

use std::path::Path;
use std::process::{Command, Output};

const PROGRAM: &str = "S2R r1, group_x\nSHL r2, r1, #2\nIADD r2, r2, c[8]\nST.32 [r2], r1\nEND\n";

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
run = [
    { name = \"whole\" },
    { name = \"slow\", set = [\"latency=80\"] },
    { name = \"golden\", engine = \"golden\" },
]
figure = [
    { figure = \"retired\", of = [\"whole\", \"slow\", \"golden\"], equal = 40 },
    { figure = \"cycles\", of = \"slow\", against = \"whole\", at-least = 1.5 },
]
";

fn folder(job: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("jobs")).unwrap();
    std::fs::write(dir.path().join("jobs/numbers.qasm"), PROGRAM).unwrap();
    std::fs::write(dir.path().join("jobs/numbers.toml"), job).unwrap();
    // A folder may hold other tables.
    std::fs::write(dir.path().join("jobs/scene.toml"), "[ball]\nradius = 1\n").unwrap();
    dir
}

fn quadlock(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_quadlock")).args(args).current_dir(dir).output().unwrap()
}

/// Exit status and everything printed.
fn regress(job: &str, args: &[&str]) -> (i32, String) {
    let dir = folder(job);
    let mut all = vec!["regress", "jobs"];
    all.extend(args);
    let out = quadlock(dir.path(), &all);
    let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    (out.status.code().unwrap(), text)
}

#[test]
fn claims_that_hold_are_counted_and_printed_in_order_with_any_number_of_workers() {
    let (status, text) = regress(JOB, &["--jobs", "1"]);
    assert_eq!(status, 0, "{text}");
    assert!(text.ends_with("all claims hold: 1 jobs, 3 runs, 7 claims\n"), "{text}");
    assert_eq!(regress(JOB, &["--jobs", "3"]), (0, text));
}

/// What was measured, what was demanded, and the commands that show it.
#[test]
fn a_claim_that_fails_says_how_to_see_it() {
    let (status, text) = regress(&JOB.replace("at-least = 1.5", "at-least = 99.0"), &[]);
    assert_eq!(status, 1, "{text}");
    let line = text.lines().find(|l| l.contains("FAIL cycles of slow")).unwrap_or_else(|| panic!("{text}"));
    assert!(line.contains("against whole") && line.ends_with("demanded: at least 99"), "{line}");
    let again = "reproduce: quadlock run jobs/numbers.toml --set latency=80; quadlock run jobs/numbers.toml\n";
    assert!(text.contains(again) && text.contains("1 CLAIMS FAIL"), "{text}");
}

#[test]
fn a_verdict_that_is_not_the_demanded_one_fails() {
    let (status, text) = regress(&JOB.replace("iota = 8", "zero = 32"), &[]);
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("FAIL whole: verdict wrong-output") && text.contains("demanded: pass"), "{text}");
    let (status, text) = regress(&JOB.replace("name = \"whole\"", "name = \"whole\", verdict = \"hang\""), &[]);
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("FAIL whole: verdict pass") && text.contains("demanded: hang"), "{text}");
}

/// The job's own settings, no figures, and the verdict of its first run.
#[test]
fn whole_is_one_run_with_the_verdict_of_the_first() {
    let whole = "{ name = \"whole\" }";
    let (status, text) = regress(JOB, &["--whole"]);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("  ok   whole: verdict pass") && text.ends_with("1 jobs, 1 runs, 1 claims\n"), "{text}");
    let slow = JOB.replace(whole, "{ name = \"whole\", set = [\"latency=80\"] }");
    assert_eq!(regress(&slow, &["--whole"]), (0, text));
    let (status, text) = regress(&JOB.replace(whole, "{ name = \"whole\", verdict = \"hang\" }"), &["--whole"]);
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("reproduce: quadlock run jobs/numbers.toml\n"), "{text}");
}

/// A figure that the model alone does not have does not hold by being absent.
#[test]
fn a_figure_that_is_missing_fails() {
    let (status, text) = regress(
        &JOB.replace("of = \"slow\", against = \"whole\", at-least = 1.5", "of = \"golden\", at-least = 0"),
        &[],
    );
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("FAIL cycles of golden; demanded: at least 0"), "{text}");
}

#[test]
fn bad_claims_are_bad_input_with_their_place() {
    // What is wrong with one run costs that run alone.
    for (from, to, at, expected) in [
        ("\"latency=80\"", "\"latencies=80\"", "\"latencies", 1),
        // A value that is no setting's fault alone: the run.
        ("\"latency=80\"", "\"latency=0\"", "{ name = \"slow\"", 1),
        ("\"cycles\"", "\"circles\"", "\"circles", 2),
        ("engine = \"golden\"", "engine = \"silver\"", "\"silver", 2),
    ] {
        let job = JOB.replace(from, to);
        let before = &job[..job.find(at).unwrap()];
        let (line, column) = (before.matches('\n').count() + 1, before.len() - before.rfind('\n').unwrap());
        let (status, text) = regress(&job, &[]);
        assert_eq!(status, expected, "{to}: {text}");
        assert_eq!(text.contains("ok   whole: verdict pass"), expected == 1, "{text}");
        let place = format!("\njobs/numbers.toml:{line}:{column}: error: ");
        assert!(text.contains(&place), "{to}: not {place}: {text}");
    }
    let (status, text) = regress(&JOB.replace("[claims]", "[claims"), &[]);
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("\njobs/numbers.toml:10:"), "{text}");
}

#[test]
fn a_folder_without_claims_is_bad_input() {
    let (status, text) = regress(&JOB[..JOB.find("[claims]").unwrap()], &[]);
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("jobs: no job or scene with claims"), "{text}");
}

/// A path where nothing is costs no other case, and no report of before stays. A file is run once,
/// by whatever ways there are to it.
#[test]
fn what_is_not_there_costs_no_other_case() {
    let dir = folder(JOB);
    let report = dir.path().join("r.json");
    std::fs::write(&report, "[]").unwrap();
    std::os::unix::fs::symlink(".", dir.path().join("jobs/again")).unwrap();
    let args = ["regress", "jobs", "nothere", "./jobs/numbers.toml", "--report", "r.json"];
    let out = quadlock(dir.path(), &args);
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert_eq!(out.status.code(), Some(1), "{text}");
    assert!(text.contains("nothere\n  FAIL not read: cannot read nothere"), "{text}");
    assert!(text.ends_with("left out: 1 files without [claims]\n1 CLAIMS FAIL: 2 jobs, 3 runs, 8 claims\n"), "{text}");
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    assert_eq!(json[1]["job"], "nothere");
    // What is meant as a job and is none is no table of another kind.
    let (status, text) = regress(&JOB.replace("[claims]", "[claim]"), &[]);
    assert!(status == 2 && text.contains("jobs/numbers.toml:10:") && text.contains("claim"), "{text}");
}

#[test]
fn a_report_does_not_replace_a_job() {
    let (status, text) = regress(JOB, &["--report", "jobs/../jobs/numbers.toml"]);
    assert!(status == 2 && text.contains("is the input") && !text.contains("verdict"), "{text}");
}

const SCENE: &str = "name = \"s\"
[target]
width = 16
height = 16
[claims]
run = [
    { name = \"small\", small = true, set = [\"memory.latency=20\"] },
    { name = \"golden\", engine = \"golden\" },
]
figure = [
    { figure = \"samples_written\", of = \"golden\", equal = 128 },
    { figure = \"triangles.set_up\", of = [\"small\", \"golden\"], equal = 2 },
    { figure = \"bytes.tiles\", of = \"small\", at-least = 1 },
]
[small]
target.width = 8
[mesh.left]
attributes.position = [[-1, -1], [0, -1], [-1, 1], [0, 1]]
indices = [0, 1, 2, 2, 1, 3]
[[draw]]
mesh = \"left\"
vertex = { file = \"a.wgsl\", entry = \"vertex\" }
fragment = { file = \"a.wgsl\", entry = \"fragment\" }
";

/// As [`regress`], of a folder with a scene and the job.
fn regress_scene(scene: &str, args: &[&str]) -> (i32, String) {
    let dir = folder(JOB);
    let program = "@vertex fn vertex(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.0, 1.0); }
@fragment fn fragment() -> @location(0) vec4f { return vec4f(1.0); }\n";
    std::fs::write(dir.path().join("jobs/a.wgsl"), program).unwrap();
    std::fs::write(dir.path().join("jobs/scene.toml"), scene).unwrap();
    let out = quadlock(dir.path(), &[&["regress", "jobs"][..], args].concat());
    (out.status.code().unwrap(), String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned())
}

/// Scenes have claims as jobs do, with the figures of their own report.
#[test]
fn scenes_are_run_beside_jobs() {
    let (status, text) = regress_scene(SCENE, &[]);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("  ok   samples_written of golden: 128"), "{text}");
    assert!(text.ends_with("all claims hold: 2 jobs, 5 runs, 13 claims\n"), "{text}");
    let (status, text) = regress_scene(SCENE, &["--whole"]);
    assert_eq!(status, 0, "{text}");
    assert!(text.ends_with("all claims hold: 2 jobs, 2 runs, 2 claims\n"), "{text}");
    let (status, text) = regress_scene(&SCENE.replace("equal = 128", "equal = 64"), &[]);
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("reproduce: quadlock run jobs/scene.toml --engine golden\n"), "{text}");
}

/// A failed case: the job beside it runs.
#[test]
fn bad_claims_of_scenes_have_their_place() {
    for (from, to, place) in [
        ("\"samples_written\"", "\"warmth\"", "jobs/scene.toml:11:16: "),
        ("\"memory.latency=20\"", "\"memory.late=20\"", "jobs/scene.toml:7:5: "),
        ("\"memory.latency=20\"", "\"machine.cores=20\"", "jobs/scene.toml:7:5: "),
        ("of = \"golden\"", "of = \"silver\"", "jobs/scene.toml:11:5: "),
    ] {
        let (status, text) = regress_scene(&SCENE.replacen(from, to, 1), &[]);
        assert!(status == 1 && text.contains(&format!("\n{place}error: ")), "{to}: not {place}: {status} {text}");
    }
    let small = SCENE.replacen("[small]\ntarget.width = 8\n", "", 1);
    let (status, text) = regress_scene(&small, &[]);
    assert!(status == 1 && text.contains("there is no small size"), "{text}");
}
