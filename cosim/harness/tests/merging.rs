//! Sparse warps that merge, from the command line: pictures stay what they are, pairs do merge, and
//! each planted bug of the machine that merges is found by name.
//!
//! The pictures are those of the model, which draws without pairs; lockstep compares them. It can
//! be wrong by scenes in which no pair merges, so merges are counted.

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

fn scene(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/merging").join(name)
}

/// The report of a run with these settings, which passes.
fn report(file: &Path, more: &[&str]) -> Value {
    let dir = tempfile::tempdir().unwrap();
    let json = dir.path().join("r.json");
    let mut args = vec!["run", file.to_str().unwrap(), "--report", json.to_str().unwrap()];
    args.extend(more);
    let (status, text) = quadlock(&args);
    assert_eq!(status, Some(0), "{args:?}: {text}");
    serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap()
}

/// MS-33, over the options of merging; members that end alone are among them (MS-14).
#[test]
fn pairs_merge_and_change_no_picture() {
    // Random scenes go through all of them (`fuzz --merges`).
    let options: [&[&str]; 8] = [
        &[],
        &["--set", "machine.merge-private=joined", "--set", "machine.merge-queue=32", "--set", "machine.warps=5"],
        &["--set", "machine.merge-private=new", "--set", "machine.register-banks=1"],
        &["--set", "machine.public-registers=bitmap", "--set", "machine.merge-alone=false"],
        &["--set", "machine.public-registers=above", "--set", "machine.merge-triangles=false"],
        &["--set", "machine.merge-group=4", "--set", "machine.merge-queue=3", "--set", "machine.warps=11"],
        &["--set", "machine.merge-group=3", "--set", "machine.merge-flip=false", "--set", "machine.warps=4"],
        &["--set", "machine.merge-limit=1", "--set", "memory.jitter=20", "--set", "memory.stall=30"],
    ];
    // Of lanes that come to different points every third will do.
    let each = [("scene.toml", 1), ("arms.toml", 3)];
    for (name, step) in each {
        for more in tier::first(1, options.into_iter().step_by(step)) {
            let json = report(&scene(name), more);
            let merge = &json["merge"];
            let number = |key: &str| merge[key].as_u64().unwrap_or_else(|| panic!("{name}: no {key}: {merge}"));
            let limited = more.contains(&"machine.merge-limit=1");
            assert!(limited || number("pairs_found") > 0, "{name} {more:?}: {merge}");
            let lost = ["lost_depth", "lost_time", "lost_ended"].map(number);
            let all = number("pairs_found") + lost.iter().sum::<u64>();
            assert_eq!(all, number("pairs_possible"), "{name} {more:?}: {merge}");
            assert!(number("saved_instructions") < number("instructions"), "{name} {more:?}: {merge}");
        }
    }
    let both = report(&scene("scene.toml"), &["--compare", "merge=off"]);
    let useful = |json: &Value| {
        let number = |key: &str| json["merge"][key].as_u64().unwrap() as f64;
        number("lane_slots_useful") / number("lane_slots")
    };
    let (on, off) = (useful(&both[0]), useful(&both[1]));
    assert!(on > off, "lanes do no more: {off} and {on}");
}

/// With windows and with full binning each tile has its triangles from the oldest on. The merges
/// that are possible follow the order of the machine's quads, and no machine finds more.
#[test]
fn a_machine_that_sorts_by_tiles_finds_no_more_than_is_possible() {
    for tbimr in ["off", "window", "full"] {
        let json = report(&scene("woven.toml"), &["--set", "merge=on", "--set", &format!("tbimr={tbimr}")]);
        let number = |key: &str| json["merge"][key].as_u64().unwrap();
        let steps = ["pairs_found", "pairs_launched", "pairs_possible", "pairs_possible_whole"].map(number);
        assert!(steps[0] > 0 && steps.is_sorted(), "{tbimr}: {steps:?}");
        let lost: u64 = ["lost_depth", "lost_time", "lost_ended"].map(number).iter().sum();
        assert_eq!(steps[0] + lost, steps[2], "{tbimr}: {steps:?}");
        // It sorts so that most pairs are of one visit of a tile.
        assert!(tbimr == "off" || 4 * steps[2] >= 3 * steps[3], "{tbimr}: {steps:?}");
    }
}

/// MS-10, MS-35: in each form pairs merge, at the same places.
#[test]
fn pairs_merge_in_every_form() {
    let scenes = [
        ("straight.toml", &["modifier", "counter", "count"][..]),
        ("scene.toml", &["modifier", "counter"]),
        ("arms.toml", &["modifier", "counter"]),
    ];
    for (name, forms) in tier::first(1, scenes) {
        let file = scene(name);
        let pairs = |more: &[&str]| {
            let json = report(&file, more);
            (json["merge"]["pairs_found"].as_u64().unwrap(), json["merge"]["wait_cycles"].as_u64().unwrap())
        };
        let found = pairs(&[]);
        for form in tier::first(1, forms) {
            let set = format!("machine.event-form={form}");
            // The golden model has no pairs: lockstep compares the picture with that without.
            let (merged, waited) = pairs(&["--set", &set]);
            assert!(10 * merged >= 9 * found.0 && waited > 0, "{name} {form}: {merged} pairs instead of {}", found.0);
        }
    }
    // No number of instructions is that of all ways to the point.
    let (status, text) = quadlock(&[
        "compile",
        scene("scene.toml").to_str().unwrap(),
        "--set",
        "machine.event-form=count",
        "--emit",
        "report",
    ]);
    let words = "no merge point: lanes come to it after different numbers of instructions";
    assert!(status == Some(0) && text.contains(words), "{text}");
}

/// MS-35: helpers end in warps without a partner, too. So the program has no instructions that end
/// them before its loop, in which a helper would go round as the model's does not.
#[test]
fn helpers_end_without_a_partner() {
    for form in tier::first(1, ["instruction", "count"]) {
        let form = format!("machine.event-form={form}");
        let of = |ends: &str| {
            let ends = format!("machine.merge-helpers-end={ends}");
            let sets = [form.as_str(), "machine.merge-alone=false", "draw.0.fragment.entry=looped", &ends];
            let all: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
            let file = scene("straight.toml");
            let compile = ["compile", file.to_str().unwrap(), "--emit", "report"];
            let (status, text) = quadlock(&[&compile[..], &all].concat());
            assert_eq!(status, Some(0), "{text}");
            let ending = text.lines().find_map(|line| line.strip_suffix(" instructions to end helpers"));
            let ending = ending.and_then(|line| line.rsplit(' ').next()).unwrap_or_else(|| panic!("{text}"));
            (report(&file, &all)["merge"].clone(), ending.parse::<u64>().unwrap())
        };
        let ((on, none), (off, some)) = (of("true"), of("false"));
        // The counts below fall in any case, since helpers have ended.
        assert!(none == 0 && some > 0, "{form}: {none} instructions end helpers, {some} with the setting off");
        let number = |json: &Value, key: &str| json[key].as_u64().unwrap();
        assert!(number(&on, "pairs_found") > 0, "{form}: {on}");
        assert!(number(&on, "instructions") < number(&off, "instructions"), "{form}: {on}, {off}");
    }
}

/// `--compare` compares the pictures too: a clear colour changes all that no triangle covers.
#[test]
fn a_comparison_tells_pixels() {
    let file = scene("woven.toml");
    let said = |set: &str| quadlock(&["run", file.to_str().unwrap(), "--engine", "rtl", "--compare", set]).1;
    assert!(said("machine.merge=false").contains("pictures: 0 of 2304 pixels differ"));
    let other = said("target.clear=[[1.0, 0.0, 0.0, 1.0]]");
    assert!(other.contains(" of 2304 pixels differ, the first at (0, 0)"), "{other}");
}

/// MS-10, MS-13, MS-33: points in branches and loops, where no compiler puts them, change no
/// picture.
#[test]
fn points_at_random_places_change_no_picture() {
    let dir = tempfile::tempdir().unwrap();
    let drawn = |name: &str, more: &[&str]| {
        let png = dir.path().join(name);
        let all: Vec<&str> = ["--png", png.to_str().unwrap()].iter().chain(more).copied().collect();
        let json = report(&scene("woven.toml"), &all);
        (std::fs::read(png).unwrap(), json["merge"]["pairs_found"].as_u64().unwrap())
    };
    let (plain, none) = drawn("plain.png", &["--set", "machine.merge=false"]);
    assert_eq!(none, 0);
    let mut merged = 0;
    let seeds = tier::cases(3, 8);
    for seed in 0..seeds {
        let set = format!("machine.points={seed}");
        let (woven, pairs) = drawn("woven.png", &["--set", &set]);
        assert!(woven == plain, "points = {seed}: the picture changes");
        merged += u32::from(pairs > 0);
    }
    // Some points are where nobody comes.
    assert!(merged >= seeds - 2, "warps merge in {merged} of {seeds}");
}

/// MS-33: the picture with merging is that without, bit for bit.
#[test]
fn the_picture_is_that_without_merging() {
    // In lockstep it is the model's, which knows of no pairs, with all options.
    let runs = [("scene.toml", "machine.merge-private=joined"), ("arms.toml", "machine.public-registers=bitmap")];
    for (name, set) in runs {
        let file = scene(name);
        let (status, text) = quadlock(&["run", file.to_str().unwrap(), "--compare", "merge=off", "--set", set]);
        assert!(status == Some(0) && text.contains("pictures: 0 of 1024 pixels differ"), "{name} {set}: {text}");
    }
}

/// Pictures of Mesa's lavapipe, from machines that merge: on the model each quad is drawn by the
/// program for warps without a partner, in lockstep pairs are drawn by the other one.
#[test]
fn machines_that_merge_draw_what_lavapipe_draws() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let scenes = ["derivatives/scene.toml", "foliage/scene.toml", "foliage/bound.toml", "depth-complexity/scene.toml"];
    for name in scenes {
        for engine in ["golden", "lockstep"] {
            let args = ["--small", "--engine", engine, "--set", "machine.merge=true"];
            let json = report(&examples.join(name), &args);
            assert_eq!(json["verdict"], "pass", "{name} {engine}");
        }
    }
}

/// MS-22: whoever reads a private register behind a merge is told of by name, each such read once,
/// and nothing else is found: no mismatch by colours that are wrong for it.
#[test]
fn programs_that_break_the_rules_of_registers_are_told_by_name() {
    let file = scene("woven.toml");
    let entry = "draw.0.fragment.entry=straight";
    let run = |seed: u32, more: &[&str]| {
        let set = format!("machine.points={seed}");
        let args = ["run", file.to_str().unwrap(), "--set", &set, "--set", "machine.breaks=true"];
        quadlock(&[args.as_slice(), more].concat())
    };
    let mut told = 0;
    let seeds = tier::cases(2, 6);
    for seed in 0..seeds {
        for more in [&[][..], &["--set", entry]] {
            let (status, text) = run(seed, more);
            let named = text.contains("PROTOCOL-ERROR") && text.contains("holds nothing since a merge (MS-22)");
            // Where no warp merges, or nothing is kept in a private register, no rule is broken.
            assert!(named && status == Some(1) || status == Some(0), "{seed} {more:?}: {text}");
            told += u32::from(named);
        }
    }
    assert!(told >= 2 * seeds - 4 && told > 0, "told of {told} in {}", 2 * seeds);
    // The model alone does not merge, so it knows of nothing.
    assert_eq!(run(0, &["--engine", "golden"]).0, Some(0));
}

/// Each cause by which pairs are lost can be seen.
#[test]
fn what_is_lost_is_said_by_cause() {
    let lost = |name: &str, more: &[&str]| {
        let json = report(&scene(name), more);
        let number = |key: &str| json["merge"][key].as_u64().unwrap_or_else(|| panic!("no {key}: {json}"));
        ["lost_depth", "lost_time", "lost_ended"].map(number)
    };
    // Members end before the point, whatever the queue is.
    let [deep, usual, ended] = lost("scene.toml", &[]);
    assert!(deep == 0 && ended > 0, "{deep} {ended}");
    // A quad that waits for one cycle finds less.
    let [_, short, _] = lost("scene.toml", &["--set", "machine.merge-limit=1"]);
    assert!(short > usual + 10, "{short} by time, {usual} without a short limit");
    // A queue of one, without flips, holds what fits with nothing.
    let narrow = ["--set", "machine.merge-flip=false", "--set", "machine.merge-queue=1"];
    let [full, ..] = lost("scene.toml", &narrow);
    assert!(full > 10, "{full} by a queue of one");
}

/// MS-13, MS-32: the compiler says where it puts two points, and why it puts none.
#[test]
fn the_compiler_says_where_it_merges_and_why_not() {
    let said = |file: &Path| {
        let (status, text) =
            quadlock(&["compile", file.to_str().unwrap(), "--set", "machine.merge=true", "--emit", "report"]);
        assert_eq!(status, Some(0), "{text}");
        text
    };
    let two = said(&scene("arms.toml"));
    assert_eq!(two.matches("merge point at instruction").count(), 2, "{two}");
    let outline = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/outline/scene.toml");
    let none = said(&outline);
    assert!(none.contains("no merge point: merging gains about"), "{none}");
}

/// Where no quad is sparse the mechanism costs under 0.5 % (MS-12). With MERGE for all warps it
/// does.
#[test]
fn a_triangle_that_covers_the_target_pays_nothing() {
    let cycles = |more: &[&str]| {
        let all: Vec<&str> = ["--small"].iter().chain(more).copied().collect();
        report(&scene("covering.toml"), &all)["cycles"].as_u64().unwrap()
    };
    let off = cycles(&["--set", "machine.merge=false"]);
    let on = cycles(&["--set", "machine.merge=true"]);
    let both = cycles(&["--set", "machine.merge=true", "--set", "machine.merge-alone=false"]);
    assert!(on * 1000 <= off * 1005, "{on} cycles instead of {off}");
    assert!(both * 1000 > off * 1005, "{both} cycles instead of {off}: the test sees nothing");
}

/// Pieces of a clipped triangle share quads, and may be launched in any order. Seeds that once
/// failed for it.
#[test]
fn pieces_of_one_triangle_wait_for_partners() {
    for seed in ["1026", "1091", "1116"] {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().to_str().unwrap();
        let (status, text) = quadlock(&["fuzz", "--merges", "1", "--seed", seed, "--out", out]);
        assert_eq!(status, Some(0), "{seed}: {text}");
    }
}

/// Each is found with these words.
#[test]
fn planted_faults_of_pairs_are_caught_by_name() {
    let faults = [
        (Fault::PairWaits, "scene.toml", "HANG"),
        (Fault::PairEnd, "scene.toml", "HANG"),
        // Lanes of a quad come to different points here.
        (Fault::MergeEarly, "woven.toml", "MISMATCH"),
        (Fault::MergeHelpers, "scene.toml", "checker `retire`"),
        (Fault::FlipDerivative, "scene.toml", "DDX"),
        (Fault::PairTags, "scene.toml", "S2R"),
        (Fault::PairAttributes, "scene.toml", "the result of a completed instruction differs"),
        (Fault::PairSlots, "scene.toml", "member 0 of a pair belongs in an even slot"),
        (Fault::PairAlone, "scene.toml", "a warp starts at another instruction than its program"),
        (Fault::PairFree, "scene.toml", "checker `retire`"),
        (Fault::PairLanes, "scene.toml", "checker `coverage`"),
        (Fault::GroupTags, "scene.toml", "HANG"),
        (Fault::GroupFree, "scene.toml", "into a slot that is not free"),
    ];
    for (fault, file, words) in tier::first(1, faults) {
        let name = Fault::ALL.iter().find(|f| f.0 == fault).unwrap().1;
        let set = format!("machine.fault=rtl:{name}");
        let path = scene(file);
        let mut args = vec!["run", path.to_str().unwrap(), "--set", &set];
        if file == "woven.toml" {
            args.extend(["--set", "machine.points=40"]);
        }
        match fault {
            Fault::GroupTags => args.extend(["--set", "machine.merge-group=4"]),
            // With slots that are no multiple of four.
            Fault::GroupFree => args.extend(["--set", "machine.merge-group=3", "--set", "machine.warps=6"]),
            _ => {}
        }
        let (status, text) = quadlock(&args);
        assert_eq!(status, Some(1), "{name}: {text}");
        assert!(text.contains(words), "{name}, not {words}: {text}");
    }
}

/// Of the forms of merge and split points. Straight programs have a point in every form.
#[test]
fn planted_faults_of_forms_are_caught_by_name() {
    let faults = [
        (Fault::EventCounter, "straight.toml", "counter", "MISMATCH"),
        // Points may be in branches and loops here.
        (Fault::EventCount, "woven.toml", "count", "MISMATCH"),
        (Fault::EventModifier, "straight.toml", "modifier", "MISMATCH"),
        (Fault::HelpersStay, "straight.toml", "instruction", "MISMATCH"),
        (Fault::HelpersStay, "straight.toml", "counter", "MISMATCH"),
    ];
    for (fault, file, form, words) in tier::first(1, faults) {
        let name = Fault::ALL.iter().find(|f| f.0 == fault).unwrap().1;
        let (set, form) = (format!("machine.fault=rtl:{name}"), format!("machine.event-form={form}"));
        let path = scene(file);
        let mut args = vec!["run", path.to_str().unwrap(), "--set", &set, "--set", &form];
        if file == "woven.toml" {
            args.extend(["--set", "machine.points=1"]);
        }
        if fault == Fault::HelpersStay {
            args.extend(["--set", "machine.merge-alone=false", "--set", "machine.merge-helpers-end=true"]);
        }
        let (status, text) = quadlock(&args);
        assert_eq!(status, Some(1), "{name}: {text}");
        assert!(text.contains(words), "{name}, not {words}: {text}");
    }
}

/// Of the options of public and private registers.
#[test]
fn planted_faults_of_registers_are_caught_by_name() {
    let faults = [
        (Fault::PublicBitmap, "public-registers=bitmap"),
        (Fault::MergedNew, "merge-private=new"),
        (Fault::PairJoined, "merge-private=joined"),
    ];
    for (fault, option) in tier::first(1, faults) {
        let name = Fault::ALL.iter().find(|f| f.0 == fault).unwrap().1;
        let (option, set) = (format!("machine.{option}"), format!("machine.fault=rtl:{name}"));
        let (status, text) = quadlock(&["run", scene("scene.toml").to_str().unwrap(), "--set", &option, "--set", &set]);
        assert_eq!(status, Some(1), "{name}: {text}");
        assert!(text.contains("checker `retire`"), "{name}: {text}");
    }
}

/// Of the queue, in the whole machine.
#[test]
fn planted_faults_of_the_queue_show_in_the_machine() {
    let faults = [("merge-overlap", "both cover the same lane"), ("merge-place", "checker `quad`")];
    for (name, words) in tier::first(1, faults) {
        let set = format!("machine.fault=rtl:{name}");
        let (status, text) = quadlock(&["run", scene("scene.toml").to_str().unwrap(), "--set", &set]);
        assert_eq!(status, Some(1), "{name}: {text}");
        assert!(text.contains(words), "{name}, not {words}: {text}");
    }
}

/// Values that cannot be are told with their range.
#[test]
fn settings_of_merging_are_checked() {
    let file = scene("scene.toml");
    for (set, words) in [
        ("machine.merge-queue=33", "merge-queue = 33 is out of range: 1 to 32"),
        ("machine.merge-limit=0", "merge-limit = 0 is out of range: 1 to 4095"),
        ("machine.merge=maybe", "write on or off"),
        ("machine.icache-lines=-1", "icache-lines=-1: `-1` is not a whole number"),
        ("machine.points=-1", "`-1` is no seed: write a whole number from 0 up"),
        ("machine.points=on", "`on` is no seed: write a whole number from 0 up"),
        ("machine.public-registers=upper", "write one of below, above, half, bitmap"),
        ("machine.merge-private=both", "write one of old, none, joined, new"),
        ("machine.event-form=opcode", "write one of instruction, modifier, counter, count"),
        ("machine.merge-helpers-end=maybe", "write on or off"),
        ("machine.core=3", "write [[machine.core]]"),
        ("machine.breaks=true", "rules are broken at points: write points = SEED, too"),
        ("machine.warp-wide-result=shared", "merge = on with warp-wide-result = shared: not built"),
    ] {
        let (status, text) = quadlock(&["run", file.to_str().unwrap(), "--set", set]);
        let seen = text.split_whitespace().filter(|w| *w != "│").collect::<Vec<_>>().join(" ");
        assert_eq!(status, Some(2), "{set}: {text}");
        assert!(seen.contains(words), "{set}: {seen}");
    }
}
