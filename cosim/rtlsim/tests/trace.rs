//! Waves as `wellen` reads them, against the values that peeks gave at the same time; windows,
//! aliases, and files that come out the same twice.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use quadlock_rtlsim::design::Enumeration;
use quadlock_rtlsim::graph::{Graph, Op, Value};
use quadlock_rtlsim::random_graph::{random_graph, Shape};
use quadlock_rtlsim::trace::{Note, TraceFormat, TraceOptions};
use quadlock_rtlsim::{Bits, Design, Engine, Error, Options, Simulation, Source};
use wellen::simple::Waveform;

/// Value of each signal (by path) at each sampled time.
type Expected = Vec<(u64, HashMap<String, String>)>;

fn digits(value: &Bits) -> String {
    (0..value.width()).rev().map(|i| if value.get(i) { '1' } else { '0' }).collect()
}

fn traced(graph: &Graph) -> Simulation {
    traced_by(Engine::Compiled, graph)
}

fn traced_by(engine: Engine, graph: &Graph) -> Simulation {
    let options = Options::default().verify(true).engine(engine).trace_all().seed(5);
    Design::from_graph(graph.clone()).and_then(|d| d.compile(&options)).expect("compiles")
}

fn peek_all(sim: &mut Simulation) -> HashMap<String, String> {
    let paths: Vec<String> = sim.design().signals().filter(|s| s.depth().is_none()).map(|s| s.path()).collect();
    paths.into_iter().map(|p| (p.clone(), digits(&sim.get_bits(&p).expect("a signal")))).collect()
}

/// Runs with inputs that change in some cycles, and notes the settled values before each edge.
fn run(sim: &mut Simulation, cycles: u64) -> Expected {
    let mut out = Expected::new();
    let names: Vec<String> = sim.graph().inputs.iter().map(|i| i.name.clone()).collect();
    for cycle in 0..cycles {
        for (i, name) in names.iter().enumerate().filter(|n| !n.1.starts_with("clk")) {
            if (cycle + i as u64).is_multiple_of(3) {
                let value = (cycle + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_mul(i as u64 * 2 + 1);
                let input = sim.input(name).expect("an input");
                sim.poke_bits(input, &Bits::from_limbs(200, &[value, !value, value, value]));
            }
        }
        sim.eval().expect("settles");
        out.push((2 * sim.cycle(), peek_all(sim)));
        sim.step().expect("steps");
    }
    out.push((2 * sim.cycle(), peek_all(sim)));
    out
}

/// Values of all variables at a time of a wave file.
fn wave_at(wave: &mut Waveform, time: u64) -> HashMap<String, String> {
    let index = wave.time_table().partition_point(|&t| t <= time) as u32 - 1;
    let vars: Vec<_> = wave.hierarchy().iter_vars().map(|v| (v.full_name(wave.hierarchy()), v.signal_ref())).collect();
    let refs: Vec<_> = vars.iter().map(|v| v.1).filter(|&r| wave.get_signal(r).is_none()).collect();
    wave.load_signals(&refs);
    let value = |r| {
        let signal = wave.get_signal(r)?;
        let offset = signal.get_offset(index)?;
        signal.get_value_at(&offset, 0).to_bit_string()
    };
    vars.into_iter().map(|(name, r)| (name, value(r).unwrap_or_default())).collect()
}

fn compare(path: &Path, expected: &Expected, skip: &[String]) {
    let mut wave = wellen::simple::read(path).expect("wellen reads the file");
    for (time, values) in expected {
        let found = wave_at(&mut wave, *time);
        assert_eq!(found.len(), values.len(), "number of signals in {}", path.display());
        for (name, value) in values.iter().filter(|v| !skip.contains(v.0)) {
            assert_eq!(found.get(name), Some(value), "{name} at {time} in {}", path.display());
        }
    }
}

fn simple_graph(seed: u64) -> Graph {
    let mut graph = random_graph(seed, &Shape { clocks: 1, ..Shape::default() });
    graph.registers.iter_mut().for_each(|r| r.edge.rising = true);
    graph.memories.iter_mut().flat_map(|m| &mut m.writes).for_each(|w| w.edge.rising = true);
    graph
}

#[test]
fn waves_equal_peeks() {
    let folder = tempfile::tempdir().expect("a folder");
    for (seed, engine) in (0..12).flat_map(|s| [(s, Engine::Interpreted), (s, Engine::Compiled)]) {
        for general in [false, true] {
            let graph =
                if general { random_graph(seed, &Shape { clocks: 1, ..Shape::default() }) } else { simple_graph(seed) };
            for format in ["w.vcd", "w.fst"] {
                let path = folder.path().join(format);
                let mut sim = traced_by(engine, &graph);
                sim.start_trace(&path, &TraceOptions::default()).expect("starts");
                let expected = run(&mut sim, 25);
                sim.finish_trace().expect("finishes");
                // a clock that the engine does not move is drawn
                let drawn = |s: &quadlock_rtlsim::design::SignalView<'_>| match graph.signals[s.id().index()].value {
                    Value::Node(n) => sim.single_evaluation() && n == graph.inputs[0].node,
                    Value::Memory(_) => false,
                };
                let skip: Vec<String> = sim.design().signals().filter(drawn).map(|s| s.path()).collect();
                compare(&path, &expected, &skip);
            }
        }
    }
}

#[test]
fn waves_stay_right_when_the_engine_replaces_its_code() {
    // in the window the compiled engine makes its second code
    let folder = tempfile::tempdir().expect("a folder");
    for seed in 0..4 {
        let path = folder.path().join("w.fst");
        let graph = simple_graph(seed);
        let options = Options::default().verify(true).trace_all().seed(5).profile(40);
        let mut sim = Design::from_graph(graph.clone()).and_then(|d| d.compile(&options)).expect("compiles");
        sim.start_trace(&path, &TraceOptions::default().cycles(10..140)).expect("starts");
        sim.run(15).expect("runs");
        let expected = run(&mut sim, 60);
        sim.finish_trace().expect("finishes");
        let drawn = |s: &quadlock_rtlsim::design::SignalView<'_>| match graph.signals[s.id().index()].value {
            Value::Node(n) => n == graph.inputs[0].node,
            Value::Memory(_) => false,
        };
        let skip: Vec<String> = sim.design().signals().filter(drawn).map(|s| s.path()).collect();
        compare(&path, &expected, &skip);
    }
}

#[test]
fn the_clock_is_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["w.vcd", "w.fst"] {
        let path = folder.path().join(name);
        let mut sim = traced(&simple_graph(3));
        sim.start_trace(&path, &TraceOptions::default()).expect("starts");
        sim.run(3).expect("runs");
        sim.finish_trace().expect("finishes");
        let mut wave = wellen::simple::read(&path).expect("wellen reads the file");
        let levels: String = (0..8).map(|t| wave_at(&mut wave, t)["top.clk0"].clone()).collect();
        assert_eq!(levels, "10101010");
    }
}

#[test]
fn windows_in_time_and_scope() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["w.vcd", "w.fst"] {
        let path = folder.path().join(name);
        let mut sim = traced(&simple_graph(4));
        sim.start_trace(&path, &TraceOptions::default().scope("top.in*").cycles(10..14)).expect("starts");
        assert!(!path.exists(), "the file has its name only when it is whole");
        let mut expected = run(&mut sim, 25);
        sim.finish_trace().expect("finishes");
        assert!(path.exists());
        expected.retain(|e| (20..28).contains(&e.0));
        for (_, values) in &mut expected {
            values.retain(|name, _| name.starts_with("top.inner."));
        }
        assert!(!expected[0].1.is_empty());
        compare(&path, &expected, &[]);
        let wave = wellen::simple::read(&path).expect("wellen reads the file");
        assert_eq!(wave.time_table().first(), Some(&20));
        assert!(wave.time_table().last().is_some_and(|&t| t < 28));
    }
}

/// By a link to a device: a trace that was finished would take the link's place.
#[cfg(unix)]
#[test]
fn a_device_is_no_file_of_a_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.vcd");
    std::os::unix::fs::symlink("/dev/null", &path).expect("a link");
    let mut sim = traced(&random_graph(6, &Shape { clocks: 1, ..Shape::default() }));
    let error = sim.start_trace(&path, &TraceOptions::default()).expect_err("refused");
    assert!(error.to_string().contains("a device or a pipe"), "{error}");
    assert!(path.is_symlink());
}

#[test]
fn a_second_trace_starts_with_all_values() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["w.vcd", "w.fst"] {
        let mut sim = traced(&random_graph(6, &Shape { clocks: 1, ..Shape::default() }));
        sim.start_trace(folder.path().join("first.fst"), &TraceOptions::default()).expect("starts");
        run(&mut sim, 5);
        let saved = sim.snapshot();
        // finishes the first
        let path = folder.path().join(name);
        sim.start_trace(&path, &TraceOptions::default()).expect("starts");
        let expected = run(&mut sim, 5);
        sim.finish_trace().expect("finishes");
        compare(&path, &expected, &[]);
        // after a step back in time only later samples are written
        sim.restore(&saved).expect("fits");
        sim.start_trace(&path, &TraceOptions::default()).expect("starts");
        run(&mut sim, 3);
        sim.restore(&saved).expect("fits");
        run(&mut sim, 5);
        sim.finish_trace().expect("finishes");
        let wave = wellen::simple::read(&path).expect("wellen reads the file");
        assert!(wave.time_table().windows(2).all(|w| w[0] < w[1]));
        assert!(folder.path().join("first.fst").exists());
    }
}

#[test]
fn names_of_one_node_share_a_variable() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut graph = simple_graph(7);
    let inner = graph.signals.iter().find(|s| s.scope.index() == 1 && matches!(s.value, Value::Node(_))).cloned();
    let mut alias = inner.expect("a signal of the inner scope");
    let original = alias.name.clone();
    alias.name = "alias".into();
    graph.signals.push(alias);
    for name in ["w.vcd", "w.fst"] {
        let path = folder.path().join(name);
        let mut sim = traced(&graph);
        sim.start_trace(&path, &TraceOptions::default()).expect("starts");
        sim.run(2).expect("runs");
        sim.finish_trace().expect("finishes");
        let wave = wellen::simple::read(&path).expect("wellen reads the file");
        let signal_of = |n: &str| {
            let h = wave.hierarchy();
            h.iter_vars().find(|v| v.full_name(h) == format!("top.inner.{n}")).map(|v| v.signal_ref())
        };
        assert!(signal_of("alias").is_some());
        assert_eq!(signal_of("alias"), signal_of(&original));
    }
}

#[test]
fn files_are_the_same_from_run_to_run() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["w.vcd", "w.fst"] {
        let bytes = [0, 1].map(|_| {
            let path = folder.path().join(name);
            let mut sim = traced(&simple_graph(8));
            sim.start_trace(&path, &TraceOptions::default()).expect("starts");
            run(&mut sim, 200);
            sim.finish_trace().expect("finishes");
            std::fs::read(&path).expect("the file")
        });
        assert_eq!(bytes[0], bytes[1]);
    }
}

#[test]
fn constants_are_written_once_and_errors_are_typed() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut graph = simple_graph(9);
    let node = graph.constant(Bits::new(12, 0xabc));
    let mut signal = graph.signals[0].clone();
    (signal.name, signal.width, signal.value) = ("magic".into(), 12, Value::Node(node));
    graph.signals.push(signal);
    assert!(matches!(graph.node(node).op, Op::Const(_)));
    let path = folder.path().join("w.vcd");
    let mut sim = traced(&graph);
    sim.start_trace(&path, &TraceOptions::default().format(TraceFormat::Vcd)).expect("starts");
    run(&mut sim, 20);
    sim.finish_trace().expect("finishes");
    let text = std::fs::read_to_string(&path).expect("text");
    let id = text.lines().find(|l| l.contains(" magic ")).and_then(|l| l.split(' ').nth(3)).expect("declared");
    assert_eq!(text.lines().filter(|l| *l == format!("b101010111100 {id}")).count(), 1);

    let nowhere = folder.path().join("no such folder").join("w.fst");
    assert!(matches!(sim.start_trace(&nowhere, &TraceOptions::default()), Err(Error::Io { .. })));
    assert!(matches!(sim.start_trace(&path, &TraceOptions::default().scope("elsewhere")), Err(Error::Name(_))));
    let untraced = Options::default().verify(true);
    let mut sim = Design::from_graph(graph).and_then(|d| d.compile(&untraced)).expect("compiles");
    let error = sim.start_trace(&path, &TraceOptions::default()).expect_err("not compiled for it");
    assert!(error.to_string().contains("trace_all"), "{error}");
}

/// Notes of 1, 12 and 144 bits.
fn notes() -> Vec<Note> {
    let note = |scope: &str, name: &str, width| Note { scope: scope.into(), name: name.into(), width, names: None };
    vec![note("notes", "flag", 1), note("notes", "short", 12), note("more", "wide", 144)]
}

/// What a run of the test sets in a cycle: in most cycles not all of the notes.
fn note_values(cycle: u64) -> [Option<[u64; 3]>; 3] {
    let mixed = (cycle + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    [
        cycle.is_multiple_of(2).then_some([cycle >> 1 & 1, 0, 0]),
        (cycle % 5 == 1).then_some([mixed & 0xfff, 0, 0]),
        (cycle % 3 == 1).then_some([mixed, !mixed, mixed >> 48]),
    ]
}

/// Runs with a note set before the edge of each cycle; the values that hold in each.
fn run_noted(sim: &mut Simulation, cycles: u64, open_at: u64, path: &Path, options: &TraceOptions) -> Expected {
    let mut now = [[0; 3]; 3];
    let mut out = Expected::new();
    for cycle in 0..cycles {
        if cycle == open_at {
            sim.start_trace(path, options).expect("starts");
            now = [[0; 3]; 3];
        }
        for (i, value) in note_values(cycle).into_iter().enumerate() {
            if let Some(value) = value.filter(|_| cycle >= open_at) {
                now[i] = value;
                sim.note(i, &value);
            }
        }
        let text = |i: usize, width| digits(&Bits::from_limbs(width, &now[i]));
        let names = [("top.notes.flag", text(0, 1)), ("top.notes.short", text(1, 12)), ("top.more.wide", text(2, 144))];
        out.push((2 * cycle, names.into_iter().map(|(n, v)| (n.to_owned(), v)).collect()));
        sim.step().expect("steps");
    }
    sim.finish_trace().expect("finishes");
    out
}

#[test]
fn notes_are_written_with_the_samples_of_their_cycles() {
    let folder = tempfile::tempdir().expect("a folder");
    // all signals or none of them beside the notes; from the start, from a later start, and a
    // window whose first sample has to know what was set before it
    for (scope, open_at, from) in [(None, 0, 0), (None, 4, 4), (Some("elsewhere"), 0, 0), (Some("elsewhere"), 2, 9)] {
        for (name, general) in [("w.vcd", false), ("w.fst", false), ("g.vcd", true), ("g.fst", true)] {
            let path = folder.path().join(name);
            let graph =
                if general { random_graph(3, &Shape { clocks: 1, ..Shape::default() }) } else { simple_graph(3) };
            let mut sim = traced(&graph);
            let mut options = TraceOptions::default().cycles(from..30);
            options.notes = notes();
            if let Some(scope) = scope {
                options = options.scope(scope);
            }
            let expected = run_noted(&mut sim, 40, open_at, &path, &options);
            let mut wave = wellen::simple::read(&path).expect("wellen reads the file");
            for (time, values) in expected.iter().filter(|e| (2 * from..60).contains(&e.0)) {
                let found = wave_at(&mut wave, *time);
                assert_eq!(found.len() > 3, scope.is_none());
                for (variable, value) in values {
                    assert_eq!(found.get(variable), Some(value), "{variable} at {time} in {name}");
                }
            }
        }
    }
}

#[test]
fn a_note_is_cut_to_its_width_and_may_be_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.vcd");
    let mut sim = traced(&simple_graph(3));
    sim.note(0, &[1]);
    let options = TraceOptions { notes: notes(), ..TraceOptions::default() };
    sim.start_trace(&path, &options).expect("starts");
    sim.note(1, &[0xffff_f123]);
    sim.note(2, &[5]);
    sim.note(3, &[1]);
    sim.step().expect("steps");
    sim.finish_trace().expect("finishes");
    let found = wave_at(&mut wellen::simple::read(&path).expect("wellen reads the file"), 0);
    assert_eq!((&found["top.notes.short"][..], &found["top.notes.flag"][..]), ("000100100011", "0"));
    assert_eq!(found["top.more.wide"], format!("{:0144b}", 5));
}

const TYPED: &str = "
module cell_(input wire clock, input wire [1:0] d, output reg [1:0] q);
  localparam Step_Idle = 0;
  localparam Step_Run = 1;
  localparam Step_Drain = 2;
  always @(posedge clock) q <= d;
endmodule
module top(input wire clock, input wire [1:0] go, output wire [1:0] now);
  localparam Step_Idle = 0;
  localparam Step_Run = 1;
  localparam Step_Drain = 2;
  cell_ step(.clock(clock), .d(go), .q(now));
endmodule";

/// (type, [(bits, name)]) of a variable of a wave file.
fn names_of(wave: &Waveform, path: &[&str], name: &str) -> Option<(String, Vec<(String, String)>)> {
    let hierarchy = wave.hierarchy();
    let var = &hierarchy[hierarchy.lookup_var(path, name).expect("a variable")];
    let own = |pairs: Vec<(&str, &str)>| pairs.into_iter().map(|(v, n)| (v.to_owned(), n.to_owned())).collect();
    var.enum_type(hierarchy).map(|(name, values)| (name.to_owned(), own(values)))
}

/// FST files have the names of values: of the design's types and of notes. A table that readers
/// have no room for is left out, with its references.
#[test]
fn value_names_are_tables_of_an_fst_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let design = Design::parse(&[Source::new("typed.v", TYPED)], Some("top")).expect("parses");
    let mut sim = design.compile(&Options::default().verify(true).trace_all()).expect("compiles");
    let table = |name: &str, width, values: Vec<(String, u64)>| {
        Some(Arc::new(Enumeration { name: name.to_owned(), width, values }))
    };
    let long = (0..6000).map(|v| (format!("entry_{v}"), v)).collect();
    let note = |name: &str, width, names| Note { scope: "notes".into(), name: name.into(), width, names };
    let odd = vec![("-".to_owned(), 0), ("two words \\ \u{e9}".to_owned(), 5)];
    let notes = vec![note("odd", 3, table("Odd one", 3, odd)), note("long", 13, table("Long", 13, long))];
    for name in ["w.fst", "w.vcd"] {
        let path = folder.path().join(name);
        sim.start_trace(&path, &TraceOptions { notes: notes.clone(), ..TraceOptions::default() }).expect("starts");
        sim.note(0, &[5]);
        sim.step().expect("steps");
        sim.finish_trace().expect("finishes");
        let mut wave = wellen::simple::read(&path).expect("wellen reads the file");
        assert_eq!(wave_at(&mut wave, u64::MAX)["top.notes.odd"], "101");
        if name == "w.vcd" {
            assert_eq!(names_of(&wave, &["top"], "now"), None);
            continue;
        }
        let pair = |bits: &str, name: &str| (bits.to_owned(), name.to_owned());
        let step = ("Step".to_owned(), vec![pair("00", "Idle"), pair("01", "Run"), pair("10", "Drain")]);
        assert_eq!(names_of(&wave, &["top"], "now"), Some(step.clone()));
        assert_eq!(names_of(&wave, &["top", "step"], "d"), Some(step));
        assert_eq!(names_of(&wave, &["top"], "clock"), None);
        let odd = ("Odd_one".to_owned(), vec![pair("000", "-"), pair("101", "two_words____")]);
        assert_eq!(names_of(&wave, &["top", "notes"], "odd"), Some(odd));
        assert_eq!(names_of(&wave, &["top", "notes"], "long"), None);
    }
}

/// Two simulations that write waves to one path: neither disturbs the other, the last to finish
/// gives the file, and one that does not finish leaves nothing.
#[test]
fn runs_with_one_path_have_files_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.fst");
    let graph = random_graph(7, &Shape { clocks: 1, ..Shape::default() });
    let start = || {
        let mut sim = traced(&graph);
        sim.start_trace(&path, &TraceOptions::default()).unwrap();
        sim
    };
    let files = || std::fs::read_dir(dir.path()).unwrap().count();
    let (mut one, mut other, lost) = (start(), start(), start());
    assert_eq!(files(), 3);
    assert!(one.trace_part().is_some() && one.trace_part() != other.trace_part());
    run(&mut one, 40);
    run(&mut other, 20);
    drop(lost);
    other.finish_trace().unwrap();
    let short = std::fs::read(&path).unwrap();
    one.finish_trace().unwrap();
    let long = std::fs::read(&path).unwrap();
    assert!(files() == 1 && short != long && one.trace_part().is_none());
    // As alone.
    let mut alone = start();
    run(&mut alone, 40);
    alone.finish_trace().unwrap();
    assert!(std::fs::read(&path).unwrap() == long);
}
