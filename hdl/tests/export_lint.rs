//! The exported text of several configurations and of every block passes
//! `verilator --lint-only -Wall` with the waivers of `scripts/lint-rtl.vlt`, and is the same when
//! written twice. Skipped, with a message, without verilator. (Latches, loops and synthesis:
//! `scripts/lint-rtl.sh`.)
//!
//! A text is not linted again if `lint/hashes` has it with this version of Verilator.
//! `make lint-rtl` lints all of them (`QUADLOCK_LINT_PASSED`) and writes those lines;
//! `make lint-missing` lints what has no line (`QUADLOCK_LINT_KNOWN` too). It can be wrong by a
//! hash of too little: so the text, the waivers and the options are in it.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use quadlock_cache::Key;

use quadlock_hdl::config::{
    BusKind, CullPipeline, EventForm, GpuConfig, HiZ, HiZLevels, HiZStructures, HiZUpdate, PrivateSet, PublicRegisters,
    SemaphoreConfig, SplitShape, Tbimr,
};
use quadlock_hdl::config::{WarpWide, WideLate, WideResult};
use quadlock_hdl::export::{build, export_named, write_folder, FILE_LIST, MANIFEST, TOPS};
use quadlock_hdl::fault::Fault;

/// A file of the workspace.
fn file(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

/// Verilator's version; nothing without it.
fn verilator() -> Option<&'static str> {
    static VERSION: OnceLock<Option<String>> = OnceLock::new();
    let ask = || {
        let said = quadlock_testkit::peers::installed("verilator")
            .then(|| Command::new("verilator").arg("--version").output().unwrap().stdout)?;
        Some(String::from_utf8_lossy(&said).split(' ').nth(1)?.to_owned())
    };
    VERSION.get_or_init(ask).as_deref()
}

/// Lines of `lint/hashes`.
fn known() -> &'static HashSet<String> {
    static KNOWN: OnceLock<HashSet<String>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        std::fs::read_to_string(file("lint/hashes")).unwrap_or_default().lines().map(str::to_owned).collect()
    })
}

/// The line of a lint that has passed: what decides its result, as a hash. The heads of files say
/// parameters and no Verilog.
fn line(top: &str, name: &str, version: &str, files: &[(String, String)]) -> String {
    let mut key = Key::builder()
        .part("options", format!("--lint-only -Wall --top-module {top}"))
        .part("waivers", std::fs::read(file("scripts/lint-rtl.vlt")).unwrap());
    for (name, text) in files.iter().filter(|f| f.0 != MANIFEST) {
        let verilog: Vec<&str> = text.lines().skip_while(|line| line.starts_with("//")).collect();
        key = key.part(name, verilog.join("\n"));
    }
    format!("{} verilator verilator-{version} block:{name} passed", key.finish())
}

fn lint(top: &str, name: &str, config: &GpuConfig) {
    let files = build(top, config).unwrap_or_else(|e| panic!("{name}: {e}")).files();
    let Some(version) = verilator() else { return };
    let line = line(top, name, version, &files);
    let passed = std::env::var_os("QUADLOCK_LINT_PASSED");
    let again = passed.is_some() && std::env::var_os("QUADLOCK_LINT_KNOWN").is_none();
    if !again && known().contains(&line) {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lint-folders").join(name);
    write_folder(&folder, &files).unwrap();
    let output = Command::new("verilator")
        .args(["--lint-only", "-Wall", "--top-module", top])
        .arg(file("scripts/lint-rtl.vlt"))
        .args(["-F", FILE_LIST])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    if let Some(passed) = passed {
        // One write, so that lines of several processes do not mix.
        let mut to = std::fs::File::options().create(true).append(true).open(passed).unwrap();
        to.write_all(format!("{line}\n").as_bytes()).unwrap();
    }
}

/// A text that differs in one character has another hash, and the head of a file decides nothing.
#[test]
fn a_lint_is_known_by_the_text_alone() {
    let files = |text: &str| vec![("a.v".to_owned(), text.to_owned()), (MANIFEST.to_owned(), text.to_owned())];
    let of = |top: &str, text: &str| line(top, "a", "5", &files(text));
    assert_eq!(of("a", "// head\nmodule a;"), of("a", "// another\nmodule a;"));
    assert_ne!(of("a", "module a;"), of("a", "module b;"));
    assert_ne!(of("a", "module a;"), of("b", "module a;"));
}

#[test]
fn every_block_is_lint_clean() {
    for (top, _) in TOPS {
        lint(top, top, &GpuConfig::default());
    }
}

#[test]
fn other_configurations_are_lint_clean() {
    let default = GpuConfig::default();
    lint(
        "quadlock",
        "smallest",
        &GpuConfig { units: 1, warps: 2, icache_lines: 8, shared_words: 64, ..default.clone() },
    );
    lint(
        "quadlock",
        "odd",
        &GpuConfig { units: 3, warps: 5, icache_lines: 1024, shared_words: 4096, ..default.clone() },
    );
    lint("quadlock", "graphics-machine", &GpuConfig { graphics: true, units: 2, ..default.clone() });
    let graphics = GpuConfig { graphics: true, ..default.clone() };
    lint("quadlock", "graphics-untraced", &GpuConfig { trace: false, ..graphics.clone() });
    let window = GpuConfig { tbimr: Tbimr::Window, units: 1, hi_z_groups: 16, ..graphics.clone() };
    lint("quadlock", "graphics-window", &window);
    let full = GpuConfig { tbimr: Tbimr::Full, ..window.clone() };
    lint("quadlock", "graphics-full", &full);
    lint("quadlock", "graphics-full-binner", &GpuConfig { hi_z: HiZ::VisibilityBinner, ..full.clone() });
    for (name, hi_z) in [
        ("visibility", HiZ::Visibility),
        ("update-only", HiZ::UpdateOnly),
        ("visibility+binner", HiZ::VisibilityBinner),
        ("rasteriser", HiZ::Rasteriser),
    ] {
        lint("quadlock", &format!("graphics-window-{name}"), &GpuConfig { hi_z, ..window.clone() });
        let plain = GpuConfig { tbimr: Tbimr::Off, hi_z, ..window.clone() };
        lint("quadlock", &format!("graphics-hi-z-{name}"), &plain);
    }
    let two = GpuConfig { hi_z_structures: HiZStructures::Two, hi_z: HiZ::VisibilityBinner, ..window.clone() };
    lint("quadlock", "graphics-two-structures", &two);
    let levels = GpuConfig { hi_z_levels: HiZLevels::Four, hi_z: HiZ::VisibilityBinner, ..window.clone() };
    lint("quadlock", "graphics-hi-z-levels", &levels);
    let memory = GpuConfig { hi_z_memory: true, hi_z: HiZ::VisibilityBinner, ..window.clone() };
    lint("quadlock", "graphics-hi-z-memory", &memory);
    let full_memory = GpuConfig { tbimr: Tbimr::Full, hi_z: HiZ::Visibility, ..memory.clone() };
    lint("quadlock", "graphics-hi-z-memory-full", &full_memory);
    let depth_memory = GpuConfig { cull_pipeline: CullPipeline::Depth, ..memory };
    lint("quadlock", "graphics-hi-z-memory-depth", &depth_memory);
    lint("quadlock", "graphics-hi-z-levels-update-only", &GpuConfig { hi_z: HiZ::UpdateOnly, ..levels.clone() });
    let alone = GpuConfig { hi_z: HiZ::Rasteriser, tbimr: Tbimr::Off, ..levels };
    lint("quadlock", "graphics-hi-z-levels-rasteriser", &alone);
    let back = GpuConfig { hi_z_update: HiZUpdate::Back, hi_z: HiZ::VisibilityBinner, ..window.clone() };
    lint("quadlock", "graphics-window-back", &back);
    lint("quadlock", "graphics-back", &GpuConfig { tbimr: Tbimr::Off, hi_z: HiZ::Rasteriser, ..back.clone() });
    lint("quadlock", "graphics-back-positions", &GpuConfig { cull_pipeline: CullPipeline::Depth, ..back });
    let depth = GpuConfig { cull_pipeline: CullPipeline::Depth, ..window.clone() };
    lint("quadlock", "graphics-cull-positions", &GpuConfig { tbimr: Tbimr::Off, ..depth.clone() });
    lint("quadlock", "graphics-cull-depth", &GpuConfig { hi_z: HiZ::Visibility, tbimr: Tbimr::Off, ..depth.clone() });
    lint(
        "quadlock",
        "graphics-cull-two",
        &GpuConfig { hi_z: HiZ::Visibility, cull_pipeline: depth.cull_pipeline, ..two },
    );
    lint("quadlock", "graphics-cull-depth-window", &GpuConfig { hi_z: HiZ::VisibilityBinner, ..depth });
    lint("quadlock", "graphics-2x2", &GpuConfig { rows: 2, cores: 2, units: 1, ..graphics });
    lint("quadlock", "largest", &GpuConfig { units: 8, warps: 16, ..default.clone() });
    lint("quadlock", "2x2", &GpuConfig { rows: 2, cores: 2, bus: BusKind::Shared, ..default.clone() });
    lint("quadlock", "3x3", &GpuConfig { rows: 3, cores: 3, units: 1, ..default.clone() });
    let mut mixed = GpuConfig { rows: 2, cores: 2, units: 1, ..default.clone() };
    for (key, value) in [("core.0.1.function-unit", "off"), ("core.1.0.warps", "4"), ("core.1.1.units", "2")] {
        mixed.set(key, value).unwrap();
    }
    lint("quadlock", "mixed", &mixed);
    lint("quadlock", "mixed-untraced", &GpuConfig { trace: false, ..mixed });
    lint("core", "graphics", &GpuConfig { graphics: true, units: 1, warps: 2, ..default.clone() });
    lint("blend", "blend-small", &GpuConfig { blend_lanes: 1, ..default.clone() });
    lint("quadlock", "untraced", &GpuConfig { trace: false, ..default.clone() });
    lint("quadlock", "faulty", &GpuConfig { fault: Some(Fault::CoalesceLine), ..default });
}

/// Blocks that options of merging and splitting change, on their own and in a core.
#[test]
fn options_of_merging_are_lint_clean() {
    let on = GpuConfig { graphics: true, merge: true, split: true, units: 1, warps: 4, ..GpuConfig::default() };
    let private = |merge_private| GpuConfig { merge_private, ..on.clone() };
    let form = |event_form| GpuConfig { event_form, ..on.clone() };
    // Pairs of groups need eight slots.
    let both = GpuConfig { warps: 8, ..on.clone() };
    assert!(both.twins() && !on.twins());
    for top in ["warp_twins", "attribute_front"] {
        lint(top, &format!("merging-{top}-both"), &both);
    }
    for (name, config) in [
        ("on", on.clone()),
        ("both", both),
        ("groups", GpuConfig { merge_group: 4, ..on.clone() }),
        ("groups-only", GpuConfig { merge_group: 3, split: false, merge_flip: false, ..on.clone() }),
        ("unordered", GpuConfig { merge_ordered: false, ..on.clone() }),
        ("none", private(PrivateSet::None)),
        ("joined", private(PrivateSet::Joined)),
        ("new", private(PrivateSet::New)),
        ("bitmap", GpuConfig { public_registers: PublicRegisters::Bitmap, ..on.clone() }),
        ("modifier", form(EventForm::Modifier)),
        ("counter", form(EventForm::Counter)),
        ("count", form(EventForm::Count)),
        ("helpers-end", GpuConfig { merge_helpers_end: true, ..on.clone() }),
        ("shape", GpuConfig { split_shape: SplitShape::Either, ..on.clone() }),
        ("shape-only", GpuConfig { split_shape: SplitShape::Pixels, merge: false, ..on.clone() }),
    ] {
        for top in ["core", "merge_queue", "graphics_dispatcher", "collector"] {
            lint(top, &format!("merging-{top}-{name}"), &config);
        }
    }
}

/// Without merging its options leave no trace: the Verilog is the same but for its first lines,
/// which say them. So the machine is, cycle for cycle, the one without merging.
#[test]
fn without_merging_its_options_change_nothing() {
    let plain = GpuConfig { graphics: true, ..GpuConfig::default() };
    let options = GpuConfig {
        merge_queue: 5,
        merge_group: 4,
        merge_limit: 7,
        merge_flip: false,
        merge_triangles: false,
        merge_ordered: false,
        merge_alone: false,
        merge_helpers_end: true,
        merge_private: PrivateSet::None,
        public_registers: PublicRegisters::Above,
        split_shape: SplitShape::Pixels,
        merge_split: false,
        ..plain.clone()
    };
    let text = |config: &GpuConfig| {
        let files = build("quadlock", config).unwrap().files();
        let code = |text: &str| text.lines().filter(|l| !l.starts_with("//")).collect::<Vec<_>>().join("\n");
        let verilog = files.into_iter().filter(|f| f.0.ends_with(".v"));
        verilog.map(|(name, text)| (name.to_string(), code(&text))).collect::<Vec<_>>()
    };
    let (plain, options) = (text(&plain), text(&options));
    assert!(plain.len() > 50 && plain == options, "an option of merging changes a machine that does not merge");
    let merging = GpuConfig { graphics: true, merge: true, ..GpuConfig::default() };
    assert!(text(&merging) != plain, "the test sees nothing");
}

#[test]
fn other_configurations_of_the_semaphore_blocks_are_lint_clean() {
    let default = GpuConfig::default();
    let sizes = |semaphores, pool| SemaphoreConfig { semaphores, pool, ..default.semaphores };
    let largest =
        GpuConfig { semaphores: SemaphoreConfig { double_links: true, ..sizes(1024, 4096) }, ..default.clone() };
    lint("semaphore_entity", "entity-largest", &largest);
    let semaphores = SemaphoreConfig { tail_pointers: false, any_may_release: false, ..sizes(4, 4) };
    lint("semaphore_entity", "entity-smallest", &GpuConfig { semaphores, ..default.clone() });
    let semaphores = SemaphoreConfig { tail_pointers: false, double_links: true, ..sizes(16, 64) };
    lint("semaphore_entity", "entity-double", &GpuConfig { semaphores, ..default.clone() });
    lint("waiting_room", "room-largest", &GpuConfig { rows: 4, cores: 4, units: 2, warps: 16, ..largest.clone() });
    let many = GpuConfig { rows: 4, cores: 4, units: 2, bus: BusKind::Shared, ..default.clone() };
    lint("row_controller", "row-largest", &many);
    lint("message_bus", "bus-largest", &many);
    for (top, fault) in [
        ("semaphore_entity", Fault::SemFifoOrder),
        ("message_bus", Fault::BusReorder),
        ("row_controller", Fault::RowLostAcquire),
        ("waiting_room", Fault::RoomLost),
    ] {
        lint(top, &format!("{top}-faulty"), &GpuConfig { fault: Some(fault), ..default.clone() });
    }
}

#[test]
fn every_combination_of_warp_wide_options_is_lint_clean() {
    for (warp_wide, execution) in WarpWide::ALL {
        for (warp_wide_result, result) in WideResult::ALL {
            let config = GpuConfig { warp_wide, warp_wide_result, ..GpuConfig::default() };
            lint("core", &format!("core-{execution}-{result}"), &config);
        }
    }
}

/// WW-27, with and without what the others of its options add; untraced too.
#[test]
fn ww_27_late_lanes_are_lint_clean() {
    let late = GpuConfig { warp_wide_late: WideLate::Stored, ..GpuConfig::default() };
    lint("core", "core-late", &late);
    let (warp_wide, warp_wide_result) = (WarpWide::Representative, WideResult::Shared);
    lint("quadlock", "late-untraced", &GpuConfig { warp_wide, warp_wide_result, trace: false, ..late });
}

/// The option is not in the text of a machine that does not have it, nor of one without the
/// operations.
#[test]
fn ww_27_without_the_option_there_is_nothing_of_it() {
    let text = |warp_wide, warp_wide_late| {
        export_named("core", &GpuConfig { warp_wide, warp_wide_late, ..GpuConfig::default() }).unwrap()
    };
    for (execution, late, there) in [
        (WarpWide::Collective, WideLate::Again, false),
        (WarpWide::Off, WideLate::Stored, false),
        (WarpWide::Collective, WideLate::Stored, true),
    ] {
        let text = text(execution, late);
        for module in ["module encounters(", "module late_results("] {
            assert_eq!(text.contains(module), there, "{execution:?} {late:?} {module}");
        }
    }
}

/// Byte for byte the same, and every core, row controller and warp unit is the same module.
#[test]
fn text_is_reproducible_and_units_share_one_module() {
    let config = GpuConfig { rows: 2, cores: 2, units: 4, warps: 3, ..GpuConfig::default() };
    let text = export_named("quadlock", &config).unwrap();
    assert_eq!(text, export_named("quadlock", &config).unwrap());
    let count = |start: &str| text.lines().filter(|l| l.trim_start().starts_with(start)).count();
    assert_eq!(count("module core("), 1);
    assert_eq!(count("core cores_"), 4);
    assert_eq!(count("module row_controller("), 1);
    assert_eq!(count("row_controller rows_"), 2);
    assert_eq!(count("module warp_unit"), 1);
    assert_eq!(count("warp_unit units_"), 4);
    assert_eq!(count("module lane("), 1);
}
