//! The check finds what it must find, and passes where it must. With in-process engines and, if it
//! is installed, Icarus; the Verilator side of the same code runs in `quadlock crosscheck --quick`.

use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;

use super::*;

fn settings(name: &str, peers: bool) -> Settings {
    let dir = std::env::temp_dir().join(format!("quadlock-crosscheck-{name}-{}", std::process::id()));
    let mut settings = Settings::quick(dir);
    settings.cycles = 800;
    settings.engines.retain(|e| !e.is_peer());
    if peers && peer::version(EngineName::Icarus).is_ok() {
        settings.engines.push(EngineName::Icarus);
    }
    settings
}

fn check(names: &[&str], settings: &Settings) -> Outcome {
    let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
    let outcome = run::blocks(&cases::blocks(&names, &GpuConfig::default(), &[]), settings).unwrap();
    let _ = std::fs::remove_dir_all(&settings.dir);
    outcome
}

/// A leaf cell, a cell with memory, a pipeline, and a block with rules, side by side.
#[test]
fn blocks_agree() {
    let settings = settings("agree", true);
    let outcome = check(&["decoder", "lutram", "ram_byte", "request_queue", "memory_arbiter"], &settings);
    assert!(outcome.differences.is_empty(), "{}", outcome.differences[0]);
}

/// A fault planted in one engine only is found, whichever engine it is, and named: block, cycle,
/// signal and every engine's value.
#[test]
fn a_fault_in_one_engine_is_found() {
    for engine in [
        EngineName::Rtlsim,
        EngineName::RtlsimReplanned,
        EngineName::Interpreter,
        EngineName::RustHdl,
        EngineName::Icarus,
    ] {
        let mut settings = settings(&format!("fault-{engine}"), engine == EngineName::Icarus);
        if !settings.engines.contains(&engine) {
            continue;
        }
        settings.fault = Some((engine, Fault::AddCarry));
        let outcome = check(&["compare", "integer_alu"], &settings);
        let [difference] = outcome.differences.as_slice() else { panic!("{engine}: {:?}", outcome.differences) };
        assert_eq!(difference.block, "integer_alu");
        let signal = &difference.signals[0];
        assert_eq!((signal.signal.as_str(), signal.width), ("value", 32));
        let faulty: Vec<_> = signal.values.iter().filter(|v| v.0 == engine).collect();
        let others: Vec<_> = signal.values.iter().filter(|v| v.0 != engine).collect();
        assert!(others.iter().all(|o| o.1 == others[0].1 && o.1 != faulty[0].1), "{difference}");
        let command = format!(
            "quadlock crosscheck --block integer_alu --seed 1 --plant {engine}:add-carry --cycles {}",
            difference.cycle + 1
        );
        assert_eq!(difference.command, command);
        // The command finds it again, in the same cycle.
        settings.cycles = difference.cycle + 1;
        assert_eq!(check(&["integer_alu"], &settings).differences[0].cycle, difference.cycle);
    }
}

/// One block in several options of warp-wide operations beside each other: each is its own circuit,
/// and a fault in one of them is reported with its options.
#[test]
fn options_of_a_block_are_checked_side_by_side() {
    let mut settings = settings("options", true);
    settings.cycles = 200;
    let default = GpuConfig::default();
    let mut blocks = cases::blocks(&["lsa".into()], &default, &[]);
    blocks.extend(cases::other_options("lsa", &default, &[]).unwrap());
    assert_eq!(blocks.len(), 2);
    let outcome = run::blocks(&blocks, &settings).unwrap();
    assert!(outcome.differences.is_empty(), "{}", outcome.differences[0]);
    assert_eq!(outcome.lines[1..], ["of these lsa --set warp-wide=off --set warp-wide-result=per-lane"]);
    settings.fault = Some((EngineName::Interpreter, Fault::AtomicLostLane));
    settings.cycles = 800;
    let outcome = run::blocks(&blocks, &settings).unwrap();
    let _ = std::fs::remove_dir_all(&settings.dir);
    let [_, other] = outcome.differences.as_slice() else { panic!("{:?}", outcome.differences) };
    assert_eq!(other.block, "lsa --set warp-wide=off --set warp-wide-result=per-lane");
    let again = "quadlock crosscheck --block lsa --seed 1 --set warp-wide=off --set warp-wide-result=per-lane --plant interpreter:";
    assert!(other.command.starts_with(again), "{other}");
}

/// A fault of the scalar unit in one engine is found on the job of warp-wide operations, and only
/// where there is a scalar unit; the command has the options.
#[test]
fn options_of_a_job_are_in_the_command() {
    let mut settings = settings("job", false);
    settings.engines = vec![EngineName::Rtlsim, EngineName::Interpreter];
    settings.job_cycles = 400;
    settings.fault = Some((EngineName::Interpreter, Fault::ScalarWrongWarp));
    let path = std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/wide.toml"));
    let jobs = ["collective", "scalar"]
        .map(|execution| cases::JobCase { path: path.clone(), sets: vec![format!("warp-wide={execution}")] });
    let outcome = run::jobs(&jobs, &settings).unwrap();
    let _ = std::fs::remove_dir_all(&settings.dir);
    let [difference] = outcome.differences.as_slice() else { panic!("{:?}", outcome.differences) };
    assert_eq!(difference.block, format!("quadlock on {} --set warp-wide=scalar", path.display()));
    let command = format!(
        "quadlock crosscheck --job {} --set warp-wide=scalar --plant interpreter:scalar-wrong-warp --cycles {}",
        path.display(),
        difference.cycle + 1
    );
    assert_eq!(difference.command, command);
    assert_eq!((outcome.lines.len(), outcome.job_cycles), (2, 800));
}

/// Every register and memory of every block's Verilog is compared, and nothing is compared that it
/// does not have.
#[test]
fn the_names_of_every_block_are_complete() {
    let all = || {
        let config = GpuConfig::default();
        for name in cases::all_blocks() {
            let subject = subject::Subject::new(&name, &config).unwrap();
            let text = quadlock_hdl::export::export_named(&name, &config).unwrap();
            let source = quadlock_rtlsim::Source::new(name.as_str(), text);
            let design = quadlock_rtlsim::Design::parse(&[source], Some(&name)).unwrap();
            subject.covers(&design).unwrap();
        }
    };
    // The pipeline of graphics is made on the stack, in more than a test's 2 MiB.
    std::thread::Builder::new().stack_size(64 << 20).spawn(all).unwrap().join().unwrap();
}

/// A register that nobody compares is an error.
#[test]
fn a_missing_register_is_noticed() {
    let config = GpuConfig::default();
    let mut subject = subject::Subject::new("request_queue", &config).unwrap();
    let text = quadlock_hdl::export::export_named("request_queue", &config).unwrap();
    let source = quadlock_rtlsim::Source::new("request_queue", text);
    let design = quadlock_rtlsim::Design::parse(&[source], None).unwrap();
    subject.covers(&design).unwrap();
    let last = subject.signals.pop().unwrap();
    assert!(subject.covers(&design).unwrap_err().contains(&last.name));
}

/// Without event ports the Verilog has less than the Rust structs: what is left is the same on all
/// engines.
#[test]
fn a_core_without_event_ports_agrees_with_its_kernels() {
    let mut settings = settings("untraced", false);
    settings.cycles = 300;
    let config = GpuConfig { units: 1, warps: 2, trace: false, ..GpuConfig::default() };
    let outcome = run::blocks(&cases::blocks(&["core".into()], &config, &[]), &settings).unwrap();
    assert!(outcome.differences.is_empty(), "{}", outcome.differences[0]);
    let subject = subject::Subject::new("core", &config).unwrap();
    assert!(subject.outputs < subject::Subject::new("core", &GpuConfig { trace: true, ..config }).unwrap().outputs);
}

/// A scene is a job of the whole machine, with graphics.
#[test]
fn a_scene_runs_on_the_whole_machine() {
    let mut settings = settings("scene", false);
    settings.engines = vec![EngineName::Rtlsim, EngineName::Interpreter];
    settings.job_cycles = 800;
    let path = std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/msaa/scene.toml"));
    let job = |sets: &[&str]| [cases::JobCase { path: path.clone(), sets: sets.iter().map(|s| (*s).into()).collect() }];
    let run = |jobs: &[cases::JobCase], settings: &Settings| {
        let (jobs, settings) = (jobs.to_vec(), settings.clone());
        // The pipeline of graphics is made on the stack, in more than a test's 2 MiB.
        let run = move || run::jobs(&jobs, &settings);
        std::thread::Builder::new().stack_size(64 << 20).spawn(run).unwrap().join().unwrap()
    };
    let little = ["units=1", "warps=2"];
    let outcome = run(&job(&little), &settings).unwrap();
    assert!(outcome.differences.is_empty() && outcome.job_cycles == 800, "{:?}", outcome.differences);
    let refused = run(&job(&["graphics=off"]), &settings).unwrap_err();
    assert!(refused.contains("graphics=off draws nothing"), "{refused}");
    settings.fault = Some((EngineName::Interpreter, Fault::CommandWindow));
    let outcome = run(&job(&little), &settings).unwrap();
    let _ = std::fs::remove_dir_all(&settings.dir);
    assert_eq!(outcome.differences.len(), 1);
}
