//! Warps that merge and then split, from the command line (MS-42, MS-43): pictures stay what they
//! are, pairs of groups do merge and split, and planted bugs of theirs are found by name. Two have
//! no effect on a machine that is never late: block tests find those.
//!
//! It can be wrong by scenes in which no group merges, so they are counted.

use std::path::{Path, PathBuf};
use std::process::Command;

use quadlock_hdl::fault::Fault;
use quadlock_testkit::tier;
use serde_json::Value;

/// In a folder of its own: other tests draw scenes of the same name at the same time.
fn quadlock(args: &[&str]) -> (Option<i32>, String) {
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadlock"));
    let out = command.args(args).current_dir(dir.path()).output().expect("quadlock runs");
    (out.status.code(), format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr)))
}

fn named(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/both").join(name)
}

/// The report of a run with these settings, which passes, and its picture.
fn drawn(file: &str, more: &[&str]) -> (Value, Vec<u8>) {
    let dir = tempfile::tempdir().unwrap();
    let (json, png, file) = (dir.path().join("r.json"), dir.path().join("p.png"), named(file));
    let mut args = vec!["run", file.to_str().unwrap(), "--report", json.to_str().unwrap()];
    args.extend(["--png", png.to_str().unwrap()]);
    args.extend(more);
    let (status, text) = quadlock(&args);
    assert_eq!(status, Some(0), "{args:?}: {text}");
    (serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap(), std::fs::read(png).unwrap())
}

fn merged(report: &Value) -> u64 {
    report["split"]["merged"].as_u64().unwrap_or_else(|| panic!("{}", report["split"]))
}

/// MS-42, MS-44: with two samples and four, in units of different sizes, in each form.
#[test]
fn two_quads_merge_and_split_and_change_no_picture() {
    let instances = ["--set", "draw.0.instances=70"];
    let of = |more: &[&str]| drawn("scene.toml", &[&instances[..], more].concat());
    for samples in tier::first(1, ["target.samples=4", "target.samples=2"]) {
        let on = ["--set", samples];
        let (report, picture) = of(&on);
        assert!(merged(&report) > 20, "{}", report["split"]);
        for off in tier::first(1, ["machine.split=false", "machine.merge=false", "machine.merge-split=false"]) {
            let (report, without) = of(&[&on[..], &["--set", off]].concat());
            assert!(picture == without, "{off} changes the picture");
            assert_eq!(report["split"]["merged"].as_u64().unwrap_or(0), 0, "{off}");
        }
    }
    let options: [&[&str]; 4] = [
        &["--set", "machine.warps=8", "--set", "machine.units=1"],
        &["--set", "machine.event-form=counter", "--set", "machine.public-registers=above"],
        &["--set", "machine.event-form=modifier", "--set", "memory.jitter=20", "--set", "memory.stall=30"],
        &["--set", "machine.merge-flip=false", "--set", "machine.merge-helpers-end=true"],
    ];
    let picture = of(&[]).1;
    for more in tier::first(1, options) {
        let (report, same) = of(more);
        assert!(merged(&report) > 5 && same == picture, "{more:?}: {}", report["split"]);
    }
    let (count, _) = drawn("straight.toml", &[&instances[..], &["--set", "machine.event-form=count"]].concat());
    assert!(merged(&count) > 20, "{}", count["split"]);
}

/// Machines that have too few slots, or other merged warps, do one of the two.
#[test]
fn machines_without_pairs_of_groups_only_split() {
    let instances = ["--set", "draw.0.instances=30"];
    let (report, picture) = drawn("scene.toml", &instances);
    assert!(merged(&report) > 0, "{}", report["split"]);
    for set in ["machine.warps=7", "machine.merge-group=4", "machine.merge-private=none"] {
        let (report, same) = drawn("scene.toml", &[&instances[..], &["--set", set]].concat());
        assert!(picture == same, "{set} changes the picture");
        assert_eq!(merged(&report), 0, "{set}");
        assert!(report["split"]["groups"].as_u64().unwrap() > 20, "{set}: {}", report["split"]);
    }
}

/// `split.saved` says what shading each sample from the start would execute more. So with what was
/// executed it is about one sum, whether quads merge before the split or not. Before the split the
/// program that merges has 7 instructions more than the other's 136, MERGE and moves: 5 %.
#[test]
fn what_is_saved_counts_both_quads() {
    let of = |set: &str| {
        let (report, _) = drawn("scene.toml", &["--set", "draw.0.instances=40", "--set", set]);
        let number = |key: &str| report["split"][key].as_u64().unwrap_or_else(|| panic!("{}", report["split"]));
        let sum = number("before") + number("after") + number("saved");
        (sum, number("groups"), number("ended"), number("merged"))
    };
    let (on, off) = (of("machine.merge-split=true"), of("machine.merge-split=false"));
    assert!(on.3 > 20 && off.3 == 0, "{on:?} {off:?}");
    // The same quads are shaded, and the same ones end before the split.
    assert_eq!((on.1, on.2), (off.1, off.2));
    assert!(on.0.abs_diff(off.0) * 100 <= 5 * off.0, "{on:?} {off:?}");
}

/// Each is found with these words.
#[test]
fn planted_faults_of_both_points_are_caught_by_name() {
    let faults = [
        (Fault::TwinSlots, "checker `merge`"),
        (Fault::TwinFree, "checker `launch`"),
        (Fault::TwinHome, "checker `retire`"),
        (Fault::TwinSleeps, "HANG"),
        (Fault::TwinHelpers, "checker `retire`"),
        (Fault::TwinTags, "checker `retire`"),
        (Fault::TwinAttributes, "checker `retire`"),
        (Fault::TwinDepth, "checker `depth`"),
    ];
    for (fault, words) in tier::first(1, faults) {
        let name = Fault::ALL.iter().find(|f| f.0 == fault).unwrap().1;
        found(&format!("rtl:{name}"), "scene.toml", 70, words);
    }
    found("model:split-twin", "scene.toml", 70, "checker `retire`");
}

/// MS-3, MS-4: the merge queue pairs groups that must not be a pair.
#[test]
fn planted_faults_of_the_queue_are_caught_in_pairs_of_groups() {
    let faults = [
        ("rtl:merge-context", "draws.toml", "they are of different draws"),
        ("rtl:merge-overlap", "scene.toml", "both cover the same lane"),
    ];
    for (fault, file, words) in tier::first(1, faults) {
        let text = found(fault, file, 30, "checker `merge`");
        assert!(text.contains(words), "{fault}, not {words}: {text}");
    }
    let (report, _) = drawn("draws.toml", &[]);
    assert!(merged(&report) > 0, "{}", report["split"]);
}

/// What the run says, with these words in it.
fn found(fault: &str, file: &str, instances: u32, words: &str) -> String {
    let (set, file) = (format!("machine.fault={fault}"), named(file));
    let instances = format!("draw.0.instances={instances}");
    let args = ["run", file.to_str().unwrap(), "--set", &set, "--set", "limits.idle=4000", "--set", &instances];
    let (status, text) = quadlock(&args);
    assert_eq!(status, Some(1), "{fault}: {text}");
    assert!(text.contains(words), "{fault}, not {words}: {text}");
    text
}

/// MS-43: both points can be read, and why there is no merge point.
#[test]
fn the_compiler_says_where_both_points_are() {
    let file = named("scene.toml");
    let compile = |more: &[&str]| quadlock(&[&["compile", file.to_str().unwrap()], more].concat());
    let (status, text) = compile(&["--emit", "report"]);
    assert_eq!(status, Some(0), "{text}");
    for words in ["merge point at instruction", "split point at instruction"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let (status, text) = compile(&["--emit", "report", "--set", "merge-split=off"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("no merge point: it splits"), "{text}");
}
