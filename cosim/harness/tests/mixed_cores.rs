//! SE-3: machines whose cores differ, in lockstep with the model. Who can run a program gets it,
//! and nobody else: work groups that need more slots than a core's units have, programs with
//! function instructions, threads of a list, random programs, on machines that differ in units,
//! warp slots and function units. What cannot run is refused; a function instruction on a core
//! without function unit traps. The dispatcher's planted faults are found by name. Not here:
//! timing.

use std::path::Path;

use quadlock::check::crosscheck::cases::JobCase;
use quadlock::check::crosscheck::{run, EngineName, Settings};
use quadlock::job::Size;
use quadlock::lockstep::{Options, Quiet};
use quadlock::machine::launch::{Launch, ThreadList};
use quadlock::machine::limits::Limits;
use quadlock::machine::memory::MemoryConfig;
use quadlock::peer::workload::Workload;
use quadlock::random::campaign::launch_of;
use quadlock::random::isa;
use quadlock::report::{Report, Verdict};
use quadlock::simulate;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::{build, export_named};
use quadlock_hdl::fault::Fault;
use quadlock_isa::{assemble, ThreadRecord};

/// Each lane stores its thread slot plus its group's number, some time later.
const PLAIN: &str = "
    S2R r1, group_x
    S2R r2, thread_slot
    MOV r4, #30
wait:
    ISUB r4, r4, #1
    BNZ r4, wait
    S2R r3, local_index
    SHL r3, r3, #2
    SHL r5, r1, #7
    IADD r3, r3, r5
    IADD r2, r2, r1
    ST.32 [r3+0x1800], r2
    END";

/// The same with a division on the way.
const DIVIDES: &str = "
    MOV r6, #0x3F800000
    FDIV r7, r6, #0x40400000
    S2R r1, group_x
    MOV r4, #30
wait:
    ISUB r4, r4, #1
    BNZ r4, wait
    S2R r3, local_index
    SHL r3, r3, #2
    SHL r5, r1, #7
    IADD r3, r3, r5
    ST.32 [r3+0x1800], r7
    END";

/// The lanes of a group of several warps hand a word on through shared storage.
const SHARED: &str = "
    S2R r1, local_index
    SHL r2, r1, #2
    S2R r6, shared_base
    IADD r6, r6, r2
    STS.32 [r6+0], r1
    BAR
    LDS.32 r4, [r6+0]
    S2R r5, group_x
    SHL r5, r5, #7
    IADD r2, r2, r5
    ST.32 [r2+0x1800], r4
    END";

/// Two cores of one row, of four warp slots: the second one as the settings say.
fn machine(settings: &[&str]) -> GpuConfig {
    let mut config =
        GpuConfig { cores: 2, units: 1, warps: 4, icache_lines: 32, shared_words: 256, ..GpuConfig::default() };
    for (key, value) in settings.iter().map(|s| s.split_once('=').unwrap()) {
        config.set(key, value).unwrap();
    }
    config.check().unwrap();
    config
}

fn options(config: GpuConfig) -> Options {
    Options {
        config,
        memory: MemoryConfig { latency: 6, jitter: 3, seed: 1, ..MemoryConfig::default() },
        limits: Limits { cycles: 60_000, idle: 2_000 },
        model: true,
        model_fault: None,
    }
}

/// `groups` work groups of so many invocations.
fn launch(text: &str, groups: u32, threads: u32, pinned: bool) -> Launch {
    let code = assemble("mixed", text).unwrap().code;
    let mut launch = Launch::bare("mixed", code, 0x3000);
    (launch.grid, launch.group_size, launch.pinned) = ([groups, 1, 1], [threads, 1, 1], pinned);
    launch.shared_bytes = if pinned { 4 * threads } else { 0 };
    launch
}

fn run_on(launch: &Launch, config: GpuConfig) -> Report {
    simulate::rtl(launch, &options(config), &mut Quiet).unwrap().report
}

#[test]
fn se_3_programs_with_function_instructions_go_to_cores_that_have_a_function_unit() {
    let config = machine(&["core.0.1.function-unit=off"]);
    let plain = run_on(&launch(PLAIN, 24, 4, false), config.clone());
    assert_eq!(plain.verdict, Verdict::Pass, "{}", plain.text());
    assert!(plain.warps_per_core.iter().all(|&n| n > 4), "{:?}", plain.warps_per_core);
    let divides = run_on(&launch(DIVIDES, 24, 4, false), config.clone());
    assert_eq!(divides.verdict, Verdict::Pass, "{}", divides.text());
    assert_eq!(divides.warps_per_core, [24, 0]);
    // The other way round: the first core is the one without.
    let first = machine(&["core.0.0.function-unit=off"]);
    let divides = run_on(&launch(DIVIDES, 24, 4, false), first);
    assert_eq!((divides.verdict, divides.warps_per_core), (Verdict::Pass, vec![0, 24]));
    // The model alone keeps to it too.
    let alone = simulate::golden(&launch(DIVIDES, 24, 4, false), &options(config));
    assert_eq!(alone.report.verdict, Verdict::Pass, "{}", alone.report.text());
}

#[test]
fn se_3_work_groups_go_to_units_with_slots_enough() {
    let config = machine(&["core.0.1.warps=2", "core.0.1.units=2"]);
    // Four warps fit the first core only; two fit both, in the first core twice.
    for (threads, both) in [(16, false), (12, false), (8, true), (5, true)] {
        let report = run_on(&launch(SHARED, 12, threads, true), config.clone());
        assert_eq!(report.verdict, Verdict::Pass, "{threads} invocations\n{}", report.text());
        assert_eq!(report.warps_per_core[1] > 0, both, "{threads} invocations: {:?}", report.warps_per_core);
        assert!(report.warps_per_core[0] > 0);
    }
    let free = run_on(&launch(PLAIN, 24, 16, false), config);
    assert_eq!(free.verdict, Verdict::Pass, "{}", free.text());
    assert!(free.warps_per_core.iter().all(|&n| n > 12), "{:?}", free.warps_per_core);
}

#[test]
fn se_3_rows_of_different_size_keep_their_threads_apart() {
    let mut config = machine(&["rows=2", "core.0.0.units=2", "core.0.1.warps=2", "core.1.0.function-unit=off"]);
    config.set("core.1.1.warps", "3").unwrap();
    let code = assemble("mixed", &format!("ACS #5\n{PLAIN}").replace("    END", "RLS #5\n    END")).unwrap().code;
    let mut launch = Launch::bare("mixed", code, 0x4000);
    let thread = |n: u32| ThreadRecord { pc: 0, mask: 15, data: [n, 0, 0], requests: Vec::new() };
    launch.threads = Some(ThreadList { base: 0x3800, threads: (0..40).map(thread).collect() });
    launch.place_threads();
    let report = run_on(&launch, config);
    assert_eq!(report.verdict, Verdict::Pass, "{}", report.text());
    assert!(report.warps_per_core.iter().all(|&n| n > 1), "{:?}", report.warps_per_core);
}

#[test]
fn se_3_what_no_core_can_run_is_refused() {
    let without = machine(&["function-unit=off"]);
    let (what, help) = launch(DIVIDES, 1, 4, false).refuse(&without).unwrap_err();
    assert!(what.contains("instructions of the function unit") && help.contains("function-unit"), "{what}: {help}");
    launch(PLAIN, 1, 4, false).refuse(&without).unwrap();
    // The core with the slots has no function unit.
    let config = machine(&["core.0.1.warps=8", "core.0.1.function-unit=off"]);
    let large = format!("FDIV r9, r9, r9\n{SHARED}");
    let (what, _) = launch(&large, 1, 32, true).refuse(&config).unwrap_err();
    assert!(what.contains("8 warps") && what.contains("that can run the program holds 4"), "{what}");
    launch(SHARED, 1, 32, true).refuse(&config).unwrap();
}

/// A binary that says nothing of its division is dispatched anywhere: an undefined operation there,
/// by name.
#[test]
fn se_3_a_function_instruction_on_a_core_without_function_unit_traps() {
    let mut launch = launch(DIVIDES, 1, 4, false);
    launch.functions = false;
    for config in [machine(&["core.0.0.function-unit=off"]), machine(&["function-unit=off"])] {
        let report = run_on(&launch, config);
        assert_eq!(report.verdict, Verdict::Trap, "{}", report.text());
        assert!(report.problems[0].contains("it has no function unit"), "{:?}", report.problems);
    }
}

#[test]
fn se_3_the_dispatchers_faults_are_found_by_name() {
    let cases = [
        (Fault::DispatchUnable, "core.0.1.function-unit=off", "needs the function unit is launched on unit 1"),
        (Fault::DispatchSlotMissing, "core.0.1.warps=2", "slot 2 of unit 1 (row 0 core 1), which has 2 slots"),
    ];
    for (fault, setting, what) in cases {
        let report = run_on(&launch(DIVIDES, 24, 4, false), GpuConfig { fault: Some(fault), ..machine(&[setting]) });
        let found = report.mismatches.first().unwrap_or_else(|| panic!("{fault:?} is not found:\n{}", report.text()));
        assert_eq!(found.checker, "launch", "{found}");
        assert!(found.to_string().contains(what), "{found}");
    }
}

/// A core without function unit is another module, and the unit is not in it.
#[test]
fn se_3_a_core_without_function_unit_has_none_in_its_verilog() {
    let without = build("core", &GpuConfig { function_unit: false, ..machine(&[]) }).unwrap();
    let with = build("core", &machine(&[])).unwrap();
    let has = |export: &quadlock_hdl::export::Export| {
        export.modules.iter().any(|m| m.name == "function_unit" || m.name == "float_divide")
    };
    assert!(has(&with) && !has(&without));
    assert!(with.text().len() > without.text().len() * 11 / 10);
    let text = export_named("quadlock", &machine(&["core.0.1.function-unit=off"])).unwrap();
    let count = |start: &str| text.lines().filter(|l| l.trim_start().starts_with(start)).count();
    assert_eq!((count("module core("), count("module core_2("), count("module function_unit(")), (1, 1, 1));
}

#[test]
fn se_3_random_programs_pass_on_mixed_machines() {
    for (seed, settings) in (0..24).zip(
        [&["core.0.1.warps=2", "core.0.1.function-unit=off"][..], &["core.0.1.units=2", "core.0.1.warps=3"]]
            .into_iter()
            .cycle(),
    ) {
        let config = machine(settings);
        let options = isa::Options { units: config.total_units(), warps: 4, shared_words: 256, ..Default::default() };
        let launch = launch_of(&isa::generate(seed, &options));
        let report = run_on(&launch, config);
        assert_eq!(report.verdict, Verdict::Pass, "seed {seed} on {settings:?}\n{}", report.text());
    }
}

/// An example on a mixed machine gives what it must, and all engines of this process agree on it in
/// every cycle.
#[test]
fn se_3_examples_run_on_mixed_machines_and_the_engines_agree() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/mandelbrot/job.toml");
    let sets: Vec<String> =
        ["cores=2", "units=1", "warps=4", "core.0.1.warps=2", "core.0.1.function-unit=off"].map(String::from).into();
    let job = JobCase { path: path.clone(), sets: sets.clone() };
    let mut workload = Workload::changed(&path, Size::Small, |c| job.change(c)).unwrap_or_else(|e| panic!("{e}"));
    workload.options.model = true;
    let done = simulate::rtl(&workload.launch, &workload.options, &mut Quiet).unwrap();
    assert_eq!(done.report.verdict, Verdict::Pass, "{}", done.report.text());
    assert!(done.report.warps_per_core.iter().all(|&n| n > 0), "{:?}", done.report.warps_per_core);
    let mut settings = Settings::quick(std::env::temp_dir());
    settings.engines = vec![EngineName::Rtlsim, EngineName::RustHdl];
    settings.job_cycles = 1500;
    let outcome = run::jobs(&[job], &settings).unwrap();
    assert!(outcome.differences.is_empty(), "{}", outcome.differences[0]);
}
