//! Traces as a viewer sees them: written by a real run of the RTL, loaded by `wellen`. A signal's
//! value in the trace must be the one the run saw, the window and scopes must hold, and the view
//! must name signals that are in the trace.

use std::collections::BTreeSet;
use std::path::Path;

use quadlock::engine::Engine;
use quadlock::lockstep::{self, End, Observer, Options};
use quadlock::machine::launch::Launch;
use quadlock::machine::ports::Inputs;
use quadlock::machine::signals::Window;
use quadlock::observe::gtkw;
use quadlock::observe::wave::{Trace, CYCLE_TIME};
use quadlock::simulate::Simulator;
use quadlock_hdl::config::{GpuConfig, WarpWide, WideLate, WideResult};
use wellen::simple::{read, Waveform};

struct Tracing {
    trace: Trace,
}

impl Observer for Tracing {
    fn cycle(&mut self, cycle: u64, engine: &mut dyn Engine) {
        self.trace.cycle(cycle, engine);
    }
}

fn config() -> GpuConfig {
    GpuConfig { units: 1, warps: 2, icache_lines: 8, shared_words: 64, ..GpuConfig::default() }
}

fn trace(simulator: Simulator, path: &Path, window: Window) -> (quadlock::observe::wave::Traced, lockstep::RunResult) {
    trace_of("S2R r1, lane\nIADD r2, r1, #40\nEND", config(), simulator, path, window)
}

fn trace_of(
    program: &str,
    config: GpuConfig,
    simulator: Simulator,
    path: &Path,
    window: Window,
) -> (quadlock::observe::wave::Traced, lockstep::RunResult) {
    let launch = Launch::bare("t", quadlock_isa::assemble("t", program).unwrap().code, 0x100);
    let options = Options { config, model: true, ..Options::default() };
    let mut engine = simulator.engine(&options.config).unwrap();
    let trace = Trace::create(path, &mut *engine, window).unwrap();
    let mut tracing = Tracing { trace };
    let result = lockstep::run(&mut *engine, &launch, &options, &mut tracing);
    assert!(matches!(result.end, End::Finished), "{:?}", result.end);
    (tracing.trace.finish(&mut *engine).unwrap(), result)
}

/// (time, value) of every change of a signal.
fn changes(wave: &mut Waveform, scope: &[&str], name: &str) -> Vec<(u64, String)> {
    let var = wave.hierarchy().lookup_var(scope, name).unwrap_or_else(|| panic!("no {name}"));
    let signal = wave.hierarchy()[var].signal_ref();
    wave.load_signals(&[signal]);
    let times = wave.time_table().to_vec();
    let signal = wave.get_signal(signal).unwrap();
    signal.iter_changes().map(|(t, v)| (times[t as usize], v.to_bit_string().unwrap())).collect()
}

#[test]
fn a_vcd_trace_loads_and_shows_what_the_run_saw() {
    check_trace(Simulator::Rtlsim, "t.vcd");
}

#[test]
fn an_fst_trace_loads_and_shows_what_the_run_saw() {
    check_trace(Simulator::Rtlsim, "t.fst");
}

#[test]
fn a_trace_of_rust_hdl_shows_the_same_under_the_same_names() {
    check_trace(Simulator::RustHdl, "t.vcd");
}

fn check_trace(simulator: Simulator, name: &str) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    let (traced, result) = trace(simulator, &path, Window::default());
    let mut wave = read(&path).unwrap();
    let clock = changes(&mut wave, &["quadlock"], "clock");
    assert!(clock.len() as u64 >= 2 * result.cycles, "{}", clock.len());
    assert_eq!(&clock[..2], &[(0, "1".to_owned()), (CYCLE_TIME / 2, "0".to_owned())]);
    let busy = changes(&mut wave, &["quadlock"], "busy");
    assert_eq!(busy.iter().map(|b| b.1.as_str()).collect::<Vec<_>>(), ["0", "1", "0"]);
    let retired = changes(&mut wave, &["quadlock"], "ret_valid_0");
    assert!(retired.iter().any(|r| r.1 == "1"));
    let value = changes(&mut wave, &["quadlock"], "ret_value2_0");
    assert!(value.iter().any(|v| v.1 == format!("{:032b}", 42)), "lane 2 of IADD: {value:?}");
    // The view names only what is in the trace, and shows names that say something.
    gtkw::write(&path, &traced, Some(3)).unwrap();
    let view = std::fs::read_to_string(dir.path().join("t.gtkw")).unwrap();
    let all = view_rows(&view);
    assert!(all.len() > 20);
    for (_, shown, path) in &all {
        let parts: Vec<&str> = path.split('.').collect();
        let (leaf, scope) = parts.split_last().unwrap();
        assert!(wave.hierarchy().lookup_var(scope, leaf).is_some(), "{path}");
        let bare = shown.split('[').next().unwrap();
        assert!(bare.len() > 1 && !bare.contains('.'), "row `{shown}` of {path}");
    }
    for file in view.lines().filter_map(|l| l.strip_prefix("^1 ")) {
        assert!(dir.path().join(file).exists(), "{file}");
        let mapped = dir.path().join(gtkw::MAPPINGS).join(file).exists();
        assert!(mapped || file.starts_with("owners") || file.starts_with("entries"), "{file}");
    }
    // An enum of each kind of register is known by name in the view.
    assert!(!traced.enums.is_empty() && traced.signals.iter().any(|s| s.enumeration.is_some()));
    // Reading the header back gives the same signals.
    let again = gtkw::read_traced(&path).unwrap();
    assert_eq!(again.signals.len(), traced.signals.len());
    for (name, states) in &again.enums {
        assert_eq!(traced.enums.get(name), Some(states));
    }
    let enums = |t: &quadlock::observe::wave::Traced| -> BTreeSet<(String, String)> {
        t.signals.iter().filter_map(|s| Some((s.path.clone(), s.enumeration.clone()?))).collect()
    };
    assert_eq!(enums(&again), enums(&traced));
    check_cycles(&mut wave, result.cycles);
}

/// Instructions that are alike retire: on either engine the count shows each of them, also where
/// the row of the opcode does not change.
#[test]
fn equal_events_in_a_row_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let program = format!("{}END", "MOV r1, #1\n".repeat(12));
    for (simulator, name) in [(Simulator::Rtlsim, "c.fst"), (Simulator::Rtlsim, "c.vcd"), (Simulator::RustHdl, "r.vcd")]
    {
        let path = dir.path().join(name);
        trace_of(&program, config(), simulator, &path, Window::default());
        let mut wave = read(&path).unwrap();
        let counts = changes(&mut wave, &["quadlock", "events"], "retired_count_0");
        let numbers: Vec<u32> = counts.iter().map(|c| u32::from_str_radix(&c.1, 2).unwrap()).collect();
        assert_eq!(numbers, (0..=13).collect::<Vec<u32>>(), "{name}");
        gtkw::write(&path, &gtkw::read_traced(&path).unwrap(), None).unwrap();
        let view = std::fs::read_to_string(path.with_extension("gtkw")).unwrap();
        let rows = view_rows(&view);
        let row = ("unit 0: retire".to_owned(), "count".to_owned(), "quadlock.events.retired_count_0".to_owned());
        assert!(rows.contains(&row), "{rows:?}");
    }
}

/// The number of the cycle is that of the time, in every cycle.
fn check_cycles(wave: &mut Waveform, cycles: u64) {
    let numbers = changes(wave, &["quadlock", "time"], "cycle");
    assert!(numbers.len() as u64 >= cycles, "{} of {cycles}", numbers.len());
    for (time, number) in numbers {
        assert_eq!(u64::from_str_radix(&number, 2).unwrap(), time / CYCLE_TIME);
    }
}

/// (group, name as GTKWave shows it, path) of every row.
fn view_rows(view: &str) -> Vec<(String, String, String)> {
    let (mut groups, mut rows, mut kind) = (Vec::new(), Vec::new(), "");
    for line in view.lines() {
        if let Some(flags) = line.strip_prefix('@') {
            kind = flags;
        } else if let Some(title) = line.strip_prefix('-') {
            match kind {
                "800200" | "c00200" => groups.push(title.to_owned()),
                _ => assert_eq!(groups.pop().as_deref(), Some(title)),
            }
        } else if let Some((named, rest)) = line.split_once("} ") {
            let path = rest.split(')').next_back().unwrap().split('[').next().unwrap();
            rows.push((groups.join("/"), named[2..].to_owned(), path.to_owned()));
        } else if line.starts_with("quadlock.") {
            let path = line.split('[').next().unwrap();
            rows.push((groups.join("/"), line.rsplit('.').next().unwrap().to_owned(), path.to_owned()));
        }
    }
    rows
}

/// Titles of the groups that are open.
fn open_groups(view: &str) -> Vec<&str> {
    view.split("@800200\n-").skip(1).filter_map(|g| g.lines().next()).collect()
}

/// Warp-wide operations in the view: the step of pipeline and scalar unit by name, who is masked,
/// where a shared result goes. What a row names moves in the trace.
#[test]
fn the_view_shows_warp_wide_operations() {
    let program = "MOV r0, #0x1080\nS2R r1, lane\nWATOM32.ADD r2, [r0], r1\nIADD r3, r2, r1\nEND";
    let representative = GpuConfig { warp_wide: WarpWide::Representative, ..config() };
    let scalar = GpuConfig { warp_wide: WarpWide::Scalar, warp_wide_result: WideResult::Shared, ..config() };
    for (config, moving) in [
        (
            representative,
            &[
                ("core 0: states", "lsa: atomic_step", 5),
                ("unit 0 warp 0: counters and masks", "masked_now", 2),
                ("unit 0 warp 0: counters and masks", "saved_mask", 2),
            ][..],
        ),
        (
            scalar,
            &[
                ("core 0: states", "scalar_0: step", 5),
                ("core 0: scalar unit", "mask", 2),
                ("core 0: scalar unit", "rsp_mask", 2),
                ("unit 0: shared results", "share", 2),
                ("unit 0: shared results", "set", 2),
            ],
        ),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("w.vcd");
        let (traced, _) = trace_of(program, config, Simulator::Rtlsim, &path, Window::default());
        gtkw::write(&path, &traced, None).unwrap();
        let view = std::fs::read_to_string(dir.path().join("w.gtkw")).unwrap();
        let mut wave = read(&path).unwrap();
        let rows = view_rows(&view);
        let open = open_groups(&view);
        for &(group, row, values) in moving {
            let found = rows.iter().find(|r| r.0 == group && r.1 == row);
            let (_, _, path) = found.unwrap_or_else(|| panic!("{group}: no {row} in {rows:?}"));
            let parts: Vec<&str> = path.split('.').collect();
            let (leaf, scope) = parts.split_last().unwrap();
            let seen: BTreeSet<String> = changes(&mut wave, scope, leaf).into_iter().map(|c| c.1).collect();
            assert!(seen.len() >= values, "{path}: {seen:?}");
            assert!(open.contains(&group), "{group} is closed: {open:?}");
        }
        // What the job did not use is closed.
        for used in ["unit 0: retire", "unit 0: completions", "launches", "memory port"] {
            assert!(open.contains(&used), "{used} is closed: {open:?}");
        }
        for closed in ["machine", "semaphores", "lists", "messages", "unit 0 warp 1: counters and masks"] {
            assert!(!open.contains(&closed) && view.contains(&format!("@c00200\n-{closed}\n")), "{closed}: {open:?}");
        }
        assert!(view.contains("^1 state-AtomicStep.txt\n"));
    }
}

/// Lanes 1 to 3 come late to an atomic (WW-27): place, lanes and kept result have rows by name, and
/// what a row names moves.
#[test]
fn ww_27_the_view_shows_late_lanes() {
    let program = "MOV r0, #0x1080\nS2R r1, lane\nMOV r3, #5\nBNZ r1, far\nplace: WATOM32.ADD r2, [r0], r3\nBRA end\nfar: BRA place\nend: END";
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("late.vcd");
    let config = GpuConfig { warp_wide_late: WideLate::Stored, ..config() };
    let (traced, _) = trace_of(program, config, Simulator::Rtlsim, &path, Window::default());
    gtkw::write(&path, &traced, None).unwrap();
    let view = std::fs::read_to_string(dir.path().join("late.gtkw")).unwrap();
    let mut wave = read(&path).unwrap();
    let (rows, open) = (view_rows(&view), open_groups(&view));
    for (group, row, wanted) in [
        ("unit 0: late lanes", "stored", 2),
        ("unit 0: late lanes", "place_0", 2),
        ("unit 0: late lanes", "late_lanes_0", 3),
        ("unit 0: kept results", "write", 2),
        ("unit 0: kept results", "mask", 2),
    ] {
        let found = rows.iter().find(|r| r.0 == group && r.1 == row);
        let (_, _, path) = found.unwrap_or_else(|| panic!("{group}: no {row} in {rows:?}"));
        let parts: Vec<&str> = path.split('.').collect();
        let (leaf, scope) = parts.split_last().unwrap();
        let seen: BTreeSet<String> = changes(&mut wave, scope, leaf).into_iter().map(|c| c.1).collect();
        // A register is 0 at first, which a trace says once.
        assert!(seen.len() >= wanted.min(2), "{path}: {seen:?}");
        assert!(open.contains(&group), "{group} is closed: {open:?}");
    }
}

/// The step of the atomic says that nothing happens while nothing does: Idle before the first,
/// after the last, and in all of a program without atomics.
#[test]
fn the_step_of_an_atomic_is_idle_unless_one_is_performed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("i.fst");
    let step = |program: &str| -> Vec<String> {
        let (traced, _) = trace_of(program, config(), Simulator::Rtlsim, &path, Window::default());
        let mut wave = read(&path).unwrap();
        let scope = ["quadlock", "cores_0", "lsa", "atomic_step"];
        let states = &traced.enums["AtomicStep"];
        let name = |bits: &String| states[usize::from_str_radix(bits, 2).unwrap()].clone();
        changes(&mut wave, &scope, "q").iter().map(|c| name(&c.1)).collect()
    };
    assert_eq!(step("MOV r0, #0x1080\nLD.32 r2, [r0]\nST.32 [r0+4], r2\nEND"), ["Idle"]);
    let once = ["Read", "Wait", "Modify", "Write"];
    let lanes = "S2R r1, lane\nMOV r0, #0x1080\nATOM32.ADD r2, [r0], r1\nEND";
    let expected: Vec<&str> = ["Idle"].into_iter().chain(once.into_iter().cycle().take(16)).chain(["Idle"]).collect();
    assert_eq!(step(lanes), expected);
}

#[test]
fn window_and_scope_limit_the_trace() {
    let dir = tempfile::tempdir().unwrap();
    for (simulator, name) in [(Simulator::Rtlsim, "w.vcd"), (Simulator::Rtlsim, "w.fst"), (Simulator::RustHdl, "r.vcd")]
    {
        let path = dir.path().join(name);
        let window = Window { from: 5, to: Some(8), scopes: vec!["quadlock.cores_0.units_0".to_owned()], limit: None };
        let (traced, _) = trace(simulator, &path, window);
        let (time, inside): (Vec<_>, Vec<_>) = traced.signals.iter().partition(|s| s.path == "quadlock.time.cycle");
        assert!(time.len() == 1 && inside.iter().all(|s| s.path.starts_with("quadlock.cores_0.units_0.")));
        let wave = read(&path).unwrap();
        assert_eq!(wave.time_table().first(), Some(&(5 * CYCLE_TIME)), "{name}");
        let last = *wave.time_table().last().unwrap();
        assert!((8 * CYCLE_TIME..=9 * CYCLE_TIME).contains(&last), "{name}: {last}");
        let mut wave = wave;
        check_cycles(&mut wave, 4);
    }
}

#[test]
fn a_full_trace_ends_at_its_limit_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    for simulator in [Simulator::Rtlsim, Simulator::RustHdl] {
        let path = dir.path().join("l.vcd");
        let (traced, result) = trace(simulator, &path, Window { limit: Some(1), ..Window::default() });
        assert!(traced.full.unwrap() < result.cycles);
        read(&path).unwrap();
    }
}

#[test]
fn an_unknown_scope_is_refused_with_the_known_ones() {
    let dir = tempfile::tempdir().unwrap();
    for simulator in [Simulator::Rtlsim, Simulator::RustHdl] {
        let window = Window { scopes: vec!["quadlock.nothing".to_owned()], ..Window::default() };
        let mut engine = simulator.engine(&config()).unwrap();
        let e = Trace::create(&dir.path().join("x.vcd"), &mut *engine, window).err().unwrap();
        assert!(e.to_string().contains("quadlock.nothing"));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}

#[test]
fn rust_hdl_writes_no_fst_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let mut engine = Simulator::RustHdl.engine(&config()).unwrap();
    let e = Trace::create(&dir.path().join("x.fst"), &mut *engine, Window::default()).err().unwrap();
    assert!(e.to_string().contains("no FST"));
}

#[test]
fn a_core_that_is_not_started_stays_idle() {
    for simulator in [Simulator::Rtlsim, Simulator::RustHdl] {
        let mut engine = simulator.engine(&config()).unwrap();
        for _ in 0..20 {
            let outputs = engine.settle(&Inputs { mem_req_ready: true, ..Inputs::default() }).unwrap();
            assert!(!outputs.busy && !outputs.trapped && outputs.mem_req.is_none() && outputs.launch.is_none());
            engine.tick().unwrap();
        }
    }
}

/// The traces kept in git, as a viewer opens them: both formats hold the same signals and times.
#[test]
fn the_reference_traces_load_and_agree() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../traces"));
    let mut seen = Vec::new();
    for name in ["mandelbrot.vcd", "mandelbrot.fst"] {
        let mut wave = read(folder.join(name)).unwrap();
        let operands = ["quadlock", "cores_0", "units_0", "operands"];
        let word = changes(&mut wave, &operands, "lo");
        let value = changes(&mut wave, &operands, "a_1");
        let times = wave.time_table();
        assert_eq!((times.first(), times.last()), (Some(&(3000 * CYCLE_TIME)), Some(&(3061 * CYCLE_TIME - 1))));
        seen.push((word, value));
    }
    assert!(seen[0].0.len() > 2 && seen[0].1.len() > 2);
    assert!(seen[0] == seen[1]);
}
