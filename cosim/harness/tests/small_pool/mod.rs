//! Programs on a machine whose pool has 4 entries (SE-12), through the command: what needs no entry
//! goes on whatever waits for one, and a program that needs more entries than there are ends as a
//! hang that names the true cause. The jobs lie beside this file.

use std::path::{Path, PathBuf};
use std::process::Command;

fn job(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/small_pool").join(name)
}

/// Exit status, everything printed, and the directory of the outputs.
fn run(name: &str, set: &[&str]) -> (i32, String, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let sets = set.iter().flat_map(|s| ["--set", *s]);
    let out = Command::new(env!("CARGO_BIN_EXE_quadlock"))
        .arg("run")
        .arg(job(name))
        .args(["--report", "r.json"])
        .args(sets)
        .current_dir(dir.path())
        .output()
        .unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    (out.status.code().unwrap(), text, dir)
}

/// All entries are held until a flag is up; who raises it acquires a free semaphore first, behind
/// one that waits for an entry.
#[test]
fn se_12_an_acquire_that_waits_for_an_entry_does_not_stop_the_one_that_frees_it() {
    for set in [vec![], vec!["rows=2", "cores=2", "units=1", "warps=2"], vec!["semaphore-tail=off"]] {
        let (status, text, _dir) = run("flag.toml", &set);
        assert_eq!(status, 0, "{set:?}: {text}");
    }
}

/// Group 5 passes a free semaphore long before the four holders release; group 4 waits for an
/// entry.
#[test]
fn se_12_a_free_semaphore_is_passed_while_others_wait_for_entries() {
    let (status, text, dir) = run("overtaken.toml", &[]);
    assert_eq!(status, 0, "{text}");
    let csv = find(dir.path(), "got.csv").unwrap_or_else(|| panic!("no got.csv: {text}"));
    let csv = std::fs::read_to_string(csv).unwrap();
    let tickets: Vec<u32> = csv.split([',', '\n']).filter_map(|t| t.trim().parse().ok()).collect();
    assert_eq!(tickets[5], 1, "{tickets:?}");
    // Group 4 got its entry when a holder released.
    assert!(tickets[4] > 2, "{tickets:?}");
}

fn find(dir: &Path, name: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(dir).ok()?.filter_map(Result::ok).map(|e| e.path());
    let (dirs, files): (Vec<_>, Vec<_>) = entries.partition(|p| p.is_dir());
    let here = files.into_iter().find(|p| p.file_name().is_some_and(|n| n == name));
    here.or_else(|| dirs.iter().find_map(|d| find(d, name)))
}

/// The owner of one semaphore wants a second one, and those in line for the first have the other
/// entries: nobody who has not begun is to blame.
#[test]
fn se_12_a_pool_too_small_for_a_program_is_a_hang_that_names_who_holds_the_entries() {
    let (status, text, dir) = run("line.toml", &[]);
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("the pool of 4 entries is exhausted"), "{text}");
    assert!(text.contains("threads that run hold all 4"), "{text}");
    assert!(!text.contains("not begun"), "{text}");
    let report = std::fs::read(dir.path().join("r.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    let report = if report.is_array() { &report[0] } else { &report };
    assert_eq!(report["hang"]["pool_shortage"]["not_begun"], 0);
    assert!(!report["hang"]["pool_shortage"]["waiting"].as_array().unwrap().is_empty());
    let (status, text, _dir) = run("line.toml", &["semaphore-pool=64"]);
    assert_eq!(status, 0, "{text}");
}
