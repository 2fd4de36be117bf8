//! A program's own semaphores beside those of its job's graph: what collides is refused before the
//! run, or found by name when it happens (SE-52). Of six threads that others depend on each adds to
//! a sum under a semaphore whose number the job chooses.

use std::process::Command;

/// `ID` is the number: a word of a uniform buffer, which the host knows, or of a storage buffer,
/// which it does not.
const SHADER: &str = "struct P { id: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read_write> sum: array<u32>;
@group(0) @binding(2) var<storage, read> numbers: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(workgroup_id) d: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    if d.x < 6u + UNUSED / 100u {
        let id = ID;
        semaphoreAcquire(id);
        let o = sum[0];
        if lane == 0u { sum[0] = o + d.x + 1u; }
        semaphoreRelease(id);
        dependencyDone();
    } else {
        dependencyWait();
        if lane == 0u { sum[1] = sum[0]; }
    }
}
";

/// Exit status and all that was said, and the report if there is one. The graph's one semaphore is
/// the first that is free.
fn run(uniform: bool, id: u32, reserve: &str, args: &[&str]) -> (i32, String, serde_json::Value) {
    run_shader(SHADER, uniform, id, reserve, args)
}

/// The same with another shader.
fn run_shader(shader: &str, uniform: bool, id: u32, reserve: &str, args: &[&str]) -> (i32, String, serde_json::Value) {
    let dir = tempfile::tempdir().unwrap();
    let (id_is, unused) = if uniform { ("p.id", "numbers[0]") } else { ("numbers[0]", "p.id") };
    let shader = shader.replace("= ID", &format!("= {id_is}")).replace("UNUSED", unused);
    let job = format!(
        "name = \"own\"
shader = \"own.wgsl\"
[graph]
pattern = \"fan-in\"
count = 6
{reserve}
[[uniform]]
name = \"p\"
values = [{id}]
[[buffer]]
name = \"numbers\"
from = {{ inline = [{id}] }}
[[buffer]]
name = \"sum\"
from = {{ zero = 8 }}
expect = {{ from = {{ inline = [21, 21] }} }}
[limits]
idle = 2000
"
    );
    std::fs::write(dir.path().join("own.wgsl"), shader).unwrap();
    std::fs::write(dir.path().join("own.toml"), job).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_quadlock"))
        .args(["run", "own.toml", "--report", "r.json"])
        .args(args)
        .current_dir(dir.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    let report = std::fs::read(dir.path().join("r.json")).ok().and_then(|r| serde_json::from_slice(&r).ok());
    (out.status.code().unwrap(), said, report.unwrap_or_default())
}

#[test]
fn a_known_number_that_the_graph_uses_is_refused_before_the_run() {
    let (status, said, _) = run(true, 0, "", &[]);
    assert_eq!(status, 2, "{said}");
    for part in ["own.toml:3:1: ", "the program acquires semaphore 0 at own.wgsl:9", "add reserve = [0] to [graph]"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_known_number_that_the_graph_does_not_use_runs() {
    for id in [1, 63] {
        let (status, said, report) = run(true, id, "", &[]);
        assert_eq!((status, &report["graph"]["semaphore_numbers"]), (0, &"0".into()), "{said}");
    }
}

#[test]
fn a_reserved_number_is_left_to_the_program() {
    let (status, said, report) = run(true, 0, "reserve = [0, \"1-4\"]", &[]);
    assert_eq!((status, &report["graph"]["semaphore_numbers"]), (0, &"5".into()), "{said}");
    assert!(said.contains("7, with 1 semaphores, numbers 5"), "{said}");
}

#[test]
fn a_computed_number_needs_a_reservation() {
    let (status, said, _) = run(false, 5, "", &[]);
    assert_eq!(status, 2, "{said}");
    for part in ["own.toml:3:1: ", "the program computes the number of a semaphore at own.wgsl:9", "reserve = [7]"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let (status, said, _) = run(false, 5, "reserve = [5]", &[]);
    assert_eq!(status, 0, "{said}");
}

#[test]
fn a_computed_number_that_the_graph_uses_is_a_problem_by_name_on_every_engine() {
    for engine in ["lockstep", "golden", "rtl", "rust-hdl"] {
        let (status, said, report) = run(false, 0, "reserve = [5]", &["--engine", engine]);
        // The hang is what followed.
        assert_eq!((status, &report["verdict"]), (1, &"protocol-error".into()), "{said}");
        assert!(!report["hang"].is_null() && said.contains("what followed: hang"), "{said}");
        let problems = report["problems"].to_string();
        assert!(problems.contains("acquires semaphore 0, which the job's graph uses"), "{engine}: {problems}");
        assert!(problems.contains(" (own.wgsl:9:"), "{engine}: {problems}");
    }
}

/// The graph's semaphore by a computed number in `dependencyDone`'s place; the sum's is number 5.
/// Nothing else is wrong: every thread ends, and the sum is right because the release is behind it.
fn released_by_number() -> String {
    SHADER.replace("= ID", "= 5u").replace("dependencyDone();", "semaphoreRelease(numbers[0]);")
}

#[test]
fn a_release_of_a_computed_number_needs_a_reservation() {
    let shader = released_by_number();
    for (reserve, status) in [("", 2), ("reserve = [5]", 1)] {
        let (found, said, _) = run_shader(&shader, true, 0, reserve, &[]);
        assert_eq!(found, status, "{said}");
    }
    let (_, said, _) = run_shader(&shader, true, 0, "", &[]);
    for part in ["own.toml:3:1: ", "the program computes the number of a semaphore at own.wgsl:13", "reserve = [7]"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_release_of_a_computed_number_that_the_graph_uses_is_a_problem_by_name_on_every_engine() {
    let early = released_by_number();
    for engine in ["lockstep", "golden", "rtl", "rust-hdl"] {
        let args = ["--engine", engine];
        let (status, said, report) = run_shader(&early, true, 0, "reserve = [5]", &args);
        assert_eq!((status, &report["verdict"]), (1, &"protocol-error".into()), "{engine}: {said}");
        let problem = report["problems"][0].as_str().unwrap();
        assert!(problem.starts_with("unit ") && problem.contains(" (own.wgsl:13:"), "{engine}: {problem}");
        assert!(problem.contains("releases semaphore 0, which the job's graph uses"), "{engine}: {problem}");
        assert!(problem.contains("reserve = [0] in [graph] keeps it for the program"), "{engine}: {problem}");
        // A reserved number, and `dependencyDone` with the graph's own.
        let (status, said, _) = run_shader(SHADER, false, 5, "reserve = [5]", &args);
        assert_eq!(status, 0, "{engine}: {said}");
    }
}

/// Locks and flags have words of their own in memory: no number of one is a number of the other.
#[test]
fn with_polling_nothing_collides() {
    for (uniform, id) in [(true, 0), (false, 0), (true, 63)] {
        let (status, said, report) = run(uniform, id, "", &["--set", "semaphores=polling"]);
        assert_eq!((status, &report["graph"]["semaphore_numbers"]), (0, &"".into()), "{said}");
    }
}

#[test]
fn what_cannot_be_reserved_is_refused() {
    for (reserve, what) in [
        ("reserve = [64]", "semaphore 64 is reserved; the machine has 64"),
        ("reserve = [\"9-8\"]", "no range of semaphores"),
        ("reserve = [\"0-63\"]", "all semaphores are reserved"),
        ("reserve = [-1]", "own.toml:6:"),
    ] {
        let (status, said, _) = run(true, 1, reserve, &[]);
        assert!(status == 2 && said.contains(what), "{reserve}: {said}");
    }
}
