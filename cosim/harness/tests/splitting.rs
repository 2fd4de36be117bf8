//! Warps that split, from the command line: pictures stay what they are, groups do split, and
//! planted bugs of the machine that splits are found by name. Two have no effect on programs of the
//! compiler (`split-write`) or on a machine that is never late (`split-early`): block tests find
//! those.
//!
//! The pictures are those of the model, which shades each sample from the start; lockstep compares
//! them. It can be wrong by scenes in which no group splits, so groups are counted.

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

fn scene() -> PathBuf {
    named("scene.toml")
}

fn named(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/splitting").join(name)
}

/// The report of a run with these settings, which passes.
fn report(more: &[&str]) -> Value {
    report_of(&scene(), more)
}

fn report_of(file: &Path, more: &[&str]) -> Value {
    let dir = tempfile::tempdir().unwrap();
    let json = dir.path().join("r.json");
    let mut args = vec!["run", file.to_str().unwrap(), "--report", json.to_str().unwrap()];
    args.extend(more);
    let (status, text) = quadlock(&args);
    assert_eq!(status, Some(0), "{args:?}: {text}");
    serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap()
}

/// MS-44, over the options; discards on both sides, and groups that end
/// before their split point are among them.
#[test]
fn groups_split_and_change_no_picture() {
    let options: [&[&str]; 9] = [
        &["--set", "machine.merge=true"],
        &["--set", "target.samples=2"],
        &[],
        &["--set", "machine.warps=4", "--set", "machine.units=1"],
        &["--set", "machine.warps=7", "--set", "machine.register-banks=1", "--set", "machine.cores=2"],
        &["--set", "machine.warps=16", "--set", "memory.jitter=20", "--set", "memory.stall=30"],
        &["--set", "machine.public-registers=above"],
        &["--set", "machine.public-registers=half"],
        &["--set", "machine.public-registers=bitmap"],
    ];
    for more in tier::first(1, options) {
        let json = report(more);
        let number = |key: &str| json["split"][key].as_u64().unwrap_or_else(|| panic!("no {key}: {}", json["split"]));
        for key in ["groups", "warps", "ended", "saved"] {
            assert!(number(key) > 0, "{more:?}, {key}: {}", json["split"]);
        }
        // The second draw is one that merges.
        let pairs = json["merge"]["pairs_found"].as_u64().unwrap();
        assert_eq!(pairs > 0, more.contains(&"machine.merge=true"), "{more:?}: {}", json["merge"]);
    }
    let (on, off) = (report(&[]), report(&["--set", "machine.split=false"]));
    assert!(off["split"].is_null());
    let retired = |json: &Value| json["retired"].as_u64().unwrap();
    assert!(retired(&on) < retired(&off), "{} and {}", retired(&on), retired(&off));
}

/// MS-10, MS-35: in each form groups split, and the picture is that without.
#[test]
fn groups_split_in_every_form() {
    let scenes = [("straight.toml", &["modifier", "counter", "count"][..]), ("scene.toml", &["modifier", "counter"])];
    for (name, forms) in tier::first(1, scenes) {
        let file = named(name);
        let groups = |more: &[&str]| report_of(&file, more)["split"]["groups"].as_u64().unwrap();
        let found = groups(&[]);
        assert!(found > 100, "{name}: {found} groups");
        for form in tier::first(1, forms) {
            let set = format!("machine.event-form={form}");
            // The golden model has no groups: lockstep compares the picture with that without.
            assert_eq!(groups(&["--set", &set]), found, "{name} {form}");
        }
    }
}

/// MS-10: a point that lanes come to late, or never.
#[test]
fn planted_faults_of_forms_are_caught_by_name() {
    let faults = [(Fault::EventCounter, "counter"), (Fault::EventModifier, "modifier")];
    for (fault, form) in tier::first(1, faults) {
        let name = Fault::ALL.iter().find(|f| f.0 == fault).unwrap().1;
        let (set, form) = (format!("machine.fault=rtl:{name}"), format!("machine.event-form={form}"));
        let (status, text) = quadlock(&["run", scene().to_str().unwrap(), "--set", &set, "--set", &form]);
        assert!(status == Some(1) && text.contains("MISMATCH"), "{name}: {text}");
    }
}

/// MS-40, MS-44: split points in branches and loops, to which lanes of a quad come apart, change no
/// picture. Neither does splitting itself, which `--compare` says.
#[test]
fn points_at_random_places_change_no_picture() {
    let dir = tempfile::tempdir().unwrap();
    let drawn = |more: &[&str]| {
        let png = dir.path().join("p.png");
        let json = report(&[&["--png", png.to_str().unwrap()], more].concat());
        (std::fs::read(png).unwrap(), json["split"]["groups"].as_u64().unwrap_or(0))
    };
    let (plain, none) = drawn(&["--set", "machine.split=false"]);
    assert_eq!(none, 0);
    for seed in 0..tier::cases(1, 5) {
        let set = format!("machine.points={seed}");
        let (woven, groups) = drawn(&["--set", &set]);
        assert!(woven == plain, "points = {seed}: the picture changes");
        assert!(groups > 100, "points = {seed}: {groups} groups split");
    }
    let file = scene();
    let (status, text) = quadlock(&["run", file.to_str().unwrap(), "--compare", "machine.split=false"]);
    assert!(status == Some(0) && text.contains("pictures: 0 of 1024 pixels differ"), "{text}");
}

/// MS-40, MS-42: each rule that a program breaks is told of by name, for each warp that breaks it.
#[test]
fn programs_that_break_the_rules_of_registers_are_told_by_name() {
    let kinds = ["holds nothing since a split (MS-42)", "only read behind a split (MS-42)", "split only later (MS-40)"];
    let (mut told, file) = ([0; 3], scene());
    for seed in 0..tier::cases(1, 7) {
        let set = format!("machine.points={seed}");
        let args = ["run", file.to_str().unwrap(), "--set", &set, "--set", "machine.breaks=true"];
        let (status, text) = quadlock(&args);
        assert!(status == Some(1) && text.contains("PROTOCOL-ERROR"), "{seed}: {text}");
        let kind = kinds.iter().position(|words| text.contains(words)).unwrap_or_else(|| panic!("{seed}: {text}"));
        told[kind] += 1;
    }
    assert!(!tier::is_night() || told.iter().all(|&n| n > 0), "{told:?}");
}

/// Each is found with these words.
#[test]
fn planted_faults_of_splits_are_caught_by_name() {
    let faults = [
        (Fault::SplitSleeps, "HANG"),
        (Fault::SplitRank, "checker `split`"),
        (Fault::SplitSlots, "checker `split`"),
        (Fault::SplitUnion, "checker `coverage`"),
        (Fault::SplitHome, "checker `retire`"),
        (Fault::SplitDiscarded, "checker `coverage`"),
        (Fault::SplitFree, "checker `launch`"),
    ];
    for (fault, words) in tier::first(1, faults) {
        let name = Fault::ALL.iter().find(|f| f.0 == fault).unwrap().1;
        let set = format!("machine.fault=rtl:{name}");
        let (status, text) = quadlock(&["run", scene().to_str().unwrap(), "--set", &set]);
        assert_eq!(status, Some(1), "{name}: {text}");
        assert!(text.contains(words), "{name}, not {words}: {text}");
    }
}

/// MS-41: in each shape and form the picture is that without splitting, as many groups split, and
/// there are as many warps behind as there are covered pixels, or the fewer of both.
#[test]
fn ms_41_groups_split_into_pixels_and_change_no_picture() {
    let dir = tempfile::tempdir().unwrap();
    let scenes = [("straight.toml", &["count"][..]), ("apart.toml", &["instruction", "modifier", "counter"])];
    for (name, forms) in tier::first(1, scenes) {
        let file = named(name);
        let drawn = |more: &[&str]| {
            let png = dir.path().join("p.png");
            let json = report_of(&file, &[&["--png", png.to_str().unwrap()], more].concat());
            let number = |key: &str| json["split"][key].as_u64().unwrap_or(0);
            (std::fs::read(png).unwrap(), ["groups", "pixel_groups", "warps"].map(number))
        };
        let (plain, _) = drawn(&["--set", "machine.split=false"]);
        for form in forms {
            let form = format!("machine.event-form={form}");
            let of = |shape: &str| {
                let (picture, figures) = drawn(&["--set", &format!("machine.split-shape={shape}"), "--set", &form]);
                assert!(picture == plain, "{name}, {form}, {shape}: the picture changes");
                figures
            };
            let [samples, pixels, either] = ["samples", "pixels", "either"].map(of);
            let groups = samples[0];
            assert!(groups > 100, "{name}: {groups} groups");
            assert_eq!((samples[1], pixels[0], pixels[1], either[0]), (0, groups, groups, groups), "{name} {form}");
            assert!(either[1] > 0 && either[1] < groups, "{name} {form}: {either:?}");
            assert!(either[2] < pixels[2] && either[2] < samples[2], "{name} {form}: {either:?}, {pixels:?}");
        }
    }
}

/// MS-41: with two samples, and where a lane looks at another behind the split, warps are those of
/// samples.
#[test]
fn ms_41_other_draws_split_into_samples() {
    let pixels = ["--set", "machine.split-shape=pixels"];
    for (name, more) in [("apart.toml", &["--set", "target.samples=2"][..]), ("scene.toml", &[])] {
        let json = report_of(&named(name), &[&pixels, more].concat());
        let number = |key: &str| json["split"][key].as_u64().unwrap();
        assert!(number("groups") > 100 && number("pixel_groups") == 0, "{name}: {}", json["split"]);
    }
}

/// MS-41: machines of other sizes, and points in branches and loops, of which lanes of a group come
/// to several.
#[test]
fn ms_41_several_points_and_machines_of_pixels() {
    let alone = named("alone.toml");
    for seed in [4, 0] {
        let json = report_of(&alone, &["--set", &format!("machine.points={seed}")]);
        let groups = json["split"]["pixel_groups"].as_u64().unwrap();
        assert!(groups > 100, "{seed}: {groups} groups");
    }
    let options: [&[&str]; 3] = [
        &["--set", "machine.warps=4", "--set", "machine.units=1", "--set", "machine.register-banks=1"],
        &["--set", "machine.warps=7", "--set", "machine.cores=2", "--set", "machine.merge=true"],
        &["--set", "machine.public-registers=bitmap", "--set", "memory.jitter=20", "--set", "memory.stall=30"],
    ];
    for more in options {
        let json = report_of(&named("apart.toml"), more);
        assert!(json["split"]["pixel_groups"].as_u64().unwrap() > 100, "{more:?}: {}", json["split"]);
    }
}

/// Each is found with these words, in the machine and in the model.
#[test]
fn planted_faults_of_pixels_are_caught_by_name() {
    let (apart, alone) = (named("apart.toml"), named("alone.toml"));
    // At some of these points lanes of a group stop apart.
    let points = "machine.points=3";
    let faults = [
        (Fault::ShapeDepth, &apart, "", "checker `depth`"),
        (Fault::ShapeCount, &apart, "", "HANG"),
        (Fault::ShapeChoice, &apart, "machine.split-shape=either", "checker `split`"),
        (Fault::ShapeRead, &apart, "", "checker `retire`"),
        (Fault::ShapeBary, &apart, "", "checker `retire`"),
        (Fault::ShapePlace, &alone, points, "checker `retire`"),
        (Fault::ShapeCounters, &alone, points, "checker `retire`"),
    ];
    let name = |fault| Fault::ALL.iter().find(|f| f.0 == fault).unwrap().1;
    let rtl = faults.map(|(fault, file, more, words)| (format!("rtl:{}", name(fault)), file, more, words));
    let model = [
        ("model:shape-public".into(), &apart, "", "checker `retire`"),
        ("model:shape-place".into(), &apart, "", "checker `retire`"),
        ("model:shape-stops".into(), &alone, points, "checker `retire`"),
    ];
    for (fault, file, more, words) in tier::first(1, rtl).chain(tier::first(1, model)) {
        let set = format!("machine.fault={fault}");
        let mut args = vec!["run", file.to_str().unwrap(), "--set", &set];
        args.extend(Some("--set").filter(|_| !more.is_empty()));
        args.extend(Some(more).filter(|_| !more.is_empty()));
        let (status, text) = quadlock(&args);
        assert_eq!(status, Some(1), "{fault}: {text}");
        assert!(text.contains(words), "{fault}, not {words}: {text}");
    }
}

/// What cannot be is told.
#[test]
fn settings_of_splitting_are_checked() {
    for (set, words) in [
        ("machine.split=maybe", "write on or off"),
        ("machine.split-shape=quads", "write one of samples, pixels, either"),
        ("machine.warps=3", "split = on needs the slots of four samples in a unit"),
        ("machine.warp-wide-result=shared", "split = on with warp-wide-result = shared: not built"),
    ] {
        let (status, text) = quadlock(&["run", scene().to_str().unwrap(), "--set", set]);
        assert_eq!(status, Some(2), "{set}: {text}");
        assert!(text.contains(words), "{set}: {text}");
    }
}

/// The view names what each slot is to its group, and the Chrome trace has the groups.
#[test]
fn waves_show_members_and_groups() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (wave, trace, file) = (at("w.fst"), at("t.json"), scene());
    let args = ["run", file.to_str().unwrap(), "--set", "merge=on", "--to", "6000"];
    let (status, text) = quadlock(&[args.as_slice(), &["--fst", &wave]].concat());
    assert_eq!(status, Some(0), "{text}");
    let view = std::fs::read_to_string(at("w.gtkw")).unwrap();
    let slots = ["core 0 unit 0 slot 0: stands for the pixels", "core 0 unit 1 slot 3: asleep until a split"];
    for row in ["warps that merge or split", "core 0 unit 0 slot 1: member of a pair"].iter().chain(&slots) {
        assert!(view.contains(row), "{row}");
    }
    let (status, text) = quadlock(&[args.as_slice(), &["--perfetto", &trace]].concat());
    assert_eq!(status, Some(0), "{text}");
    assert!(std::fs::read_to_string(trace).unwrap().contains("\"group at ("), "no group in the trace");
}

/// `--heatmap split=FILE` counts lanes behind splits; the model alone has none.
#[test]
fn a_heat_map_of_splits() {
    let dir = tempfile::tempdir().unwrap();
    let (png, file) = (dir.path().join("h.png"), scene());
    let heat = format!("split={}", png.display());
    let (status, text) = quadlock(&["run", file.to_str().unwrap(), "--heatmap", &heat]);
    assert_eq!(status, Some(0), "{text}");
    assert!(png.exists() && text.contains("split lanes"), "{text}");
    for (set, words) in [("merged=", "no file"), ("heat=h.png", "nothing is called heat")] {
        let (status, text) = quadlock(&["run", file.to_str().unwrap(), "--heatmap", set]);
        assert_eq!(status, Some(2), "{text}");
        assert!(text.contains(words), "{text}");
    }
    let (status, text) = quadlock(&["run", file.to_str().unwrap(), "--engine", "golden", "--heatmap", &heat]);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("the model has no split lanes"), "{text}");
}

/// MS-43: what became of the split point, and why there is none, can be read.
#[test]
fn the_compiler_says_where_it_splits() {
    let file = scene();
    let compile = |more: &[&str]| quadlock(&[&["compile", file.to_str().unwrap()], more].concat());
    let (status, text) = compile(&["--emit", "report"]);
    assert_eq!(status, Some(0), "{text}");
    for words in
        ["draw 0, fragment program", "split point at instruction", "no split point: it runs once for each pixel"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    let (status, text) = compile(&["--emit", "asm", "--set", "split=off"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("draw 1, vertex program") && !text.contains("SPLIT"), "{text}");
    let (status, text) = compile(&[]);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("a scene has several programs"), "{text}");
}
