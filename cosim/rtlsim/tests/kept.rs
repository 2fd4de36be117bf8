//! Designs and code from disk beside those that are made: every signal in every cycle, before and
//! after the second code, with waves; what makes a key; what a damaged store does.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use quadlock_cache::{sources, Key, Store};
use quadlock_rtlsim::fault::Fault;
use quadlock_rtlsim::graph::Graph;
use quadlock_rtlsim::kept::SOURCES;
use quadlock_rtlsim::random_graph::{random_graph, Shape};
use quadlock_rtlsim::trace::{TraceFormat, TraceOptions};
use quadlock_rtlsim::{Bits, Design, Engine, Error, Options, Simulation, Source};

/// A store in memory that counts.
#[derive(Default)]
struct Shelf {
    kept: Mutex<HashMap<(String, Key), Vec<u8>>>,
    hits: AtomicUsize,
    misses: AtomicUsize,
}

impl Store for Shelf {
    fn load(&self, kind: &str, key: Key) -> Option<Vec<u8>> {
        let found = self.kept.lock().unwrap().get(&(kind.to_owned(), key)).cloned();
        if found.is_some() { &self.hits } else { &self.misses }.fetch_add(1, Ordering::Relaxed);
        found
    }

    fn keep(&self, kind: &str, key: Key, bytes: &[u8]) {
        self.kept.lock().unwrap().insert((kind.to_owned(), key), bytes.to_vec());
    }
}

impl Shelf {
    fn new() -> (Arc<Self>, Arc<dyn Store>) {
        let shelf = Arc::new(Self::default());
        (shelf.clone(), shelf)
    }

    /// How many results of a kind it has.
    fn count(&self, kind: &str) -> usize {
        self.kept.lock().unwrap().keys().filter(|k| k.0 == kind).count()
    }

    /// Hits and misses since the last call.
    fn taken(&self) -> (usize, usize) {
        (self.hits.swap(0, Ordering::Relaxed), self.misses.swap(0, Ordering::Relaxed))
    }
}

/// Every signal, settled, in every cycle of a run with inputs that change.
fn run(sim: &mut Simulation, cycles: u64) -> Vec<Vec<String>> {
    let inputs: Vec<String> = sim.graph().inputs.iter().map(|i| i.name.clone()).collect();
    let paths: Vec<String> = sim.design().signals().filter(|s| s.depth().is_none()).map(|s| s.path()).collect();
    let mut seen = Vec::new();
    for cycle in 0..cycles {
        for (i, name) in inputs.iter().enumerate().filter(|n| !n.1.starts_with("clk")) {
            if (cycle + i as u64).is_multiple_of(3) {
                let value = (cycle + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_mul(i as u64 * 2 + 1);
                let input = sim.input(name).expect("an input");
                sim.poke_bits(input, &Bits::from_limbs(200, &[value, !value, value, value]));
            }
        }
        sim.eval().expect("settles");
        seen.push(paths.iter().map(|p| sim.get_bits(p).expect("a signal").to_string()).collect());
        // Its clocks in turn; a clock that clocks nothing is none.
        let clocks = inputs.iter().filter(|n| n.starts_with("clk")).map(|n| sim.input(n).expect("an input"));
        let clocks: Vec<_> = clocks.collect();
        let _ = sim.step_clock(clocks[cycle as usize % clocks.len()]);
    }
    seen
}

fn compile(store: Option<&Arc<dyn Store>>, graph: &Graph, options: &Options) -> Simulation {
    let design = match store {
        Some(store) => Design::from_graph_in(store, graph.clone()),
        None => Design::from_graph(graph.clone()),
    };
    design.and_then(|d| d.compile(options)).expect("compiles")
}

#[test]
fn code_from_disk_does_what_new_code_does() {
    let mut replaced = 0;
    for seed in 0..24 {
        let graph = random_graph(seed, &Shape::default());
        let (shelf, store) = Shelf::new();
        let options = match seed % 4 {
            0 => Options::default().profile(8).trace_all(),
            1 => Options::default().gating(false),
            _ => Options::default().profile(8).seed(seed),
        };
        let expected = run(&mut compile(None, &graph, &options), 24);
        let interpreted = run(&mut compile(None, &graph, &options.clone().engine(Engine::Interpreted)), 24);
        assert_eq!(expected, interpreted, "graph {seed}");
        // First nothing is there, then all of it.
        for round in 0..2 {
            assert_eq!(run(&mut compile(Some(&store), &graph, &options), 24), expected, "graph {seed}, round {round}");
            let second = usize::from(seed % 4 != 1);
            let all = 1 + second;
            assert_eq!(shelf.taken(), if round == 0 { (0, all) } else { (all, 0) }, "graph {seed}");
            assert_eq!((shelf.count("code"), shelf.count("second")), (1, second), "graph {seed}");
            replaced += second;
        }
    }
    assert!(replaced > 20);
}

#[test]
fn states_fit_both() {
    let graph = random_graph(7, &Shape::default());
    let (_, store) = Shelf::new();
    let options = Options::default().profile(8);
    let mut made = compile(Some(&store), &graph, &options);
    let mut kept = compile(Some(&store), &graph, &options);
    assert_eq!(made.statistics(), kept.statistics());
    let start = made.snapshot();
    assert_eq!(start, kept.snapshot());
    let expected = run(&mut made, 20);
    let later = made.snapshot();
    assert_eq!(run(&mut kept, 20), expected);
    kept.restore(&start).unwrap();
    assert_eq!(run(&mut kept, 20), expected);
    assert_eq!(later, kept.snapshot());
    let mut third = compile(Some(&store), &graph, &options);
    third.restore(&later).unwrap();
    kept.restore(&later).unwrap();
    assert_eq!(run(&mut third, 5), run(&mut kept, 5));
}

#[test]
fn waves_from_disk_are_the_same_bytes() {
    let graph = random_graph(11, &Shape::default());
    let (_, store) = Shelf::new();
    let place = tempfile::tempdir().unwrap();
    let options = Options::default().profile(8).trace_all();
    let write = |store: Option<&Arc<dyn Store>>, name: &str| {
        let path = place.path().join(name);
        let mut sim = compile(store, &graph, &options);
        sim.start_trace(&path, &TraceOptions::default().format(TraceFormat::Vcd)).unwrap();
        run(&mut sim, 24);
        sim.finish_trace().unwrap();
        std::fs::read(path).unwrap()
    };
    let expected = write(None, "none.vcd");
    assert_eq!(write(Some(&store), "made.vcd"), expected);
    assert_eq!(write(Some(&store), "kept.vcd"), expected);
}

const COUNTER: &str = "module top(input clock, input [3:0] step, output [7:0] q);
  reg [7:0] count = 0;
  always @(posedge clock) count <= count + step;
  assign q = count;
endmodule
";

fn counter(store: &Arc<dyn Store>, text: &str, options: &Options) -> Simulation {
    let design = Design::parse_kept(store, &Source::new("top.v", text), Some("top")).unwrap();
    design.compile(options).unwrap()
}

/// Options, text and top module are in the key, each field of the options too. What is missing in
/// this list is an option that changes code and is not in its key.
#[test]
fn whatever_code_depends_on_is_in_its_key() {
    let (shelf, store) = Shelf::new();
    let plain = Options::default;
    let options = [
        plain(),
        plain().optimize(false),
        plain().gating(false),
        plain().simd(false),
        plain().trace_all(),
        plain().trace_scope("top"),
        plain().trace_scope("top.*"),
        plain().seed(1),
        plain().profile(0),
        plain().profile(9),
        plain().verify(true),
        Options { fault: Some(Fault::SwappedArms), ..plain() },
        Options { fault: Some(Fault::LostCommit), ..plain() },
    ];
    let mut expected = 0;
    for text in [COUNTER.to_owned(), COUNTER.replace("count + step", "count - step")] {
        for options in &options {
            expected += 1;
            counter(&store, &text, options);
            assert_eq!(shelf.count("code"), expected, "{options:?}");
            counter(&store, &text, options);
            assert_eq!(shelf.count("code"), expected, "{options:?}");
        }
    }
    assert_eq!(shelf.count("graph"), 2);
    // The interpreter has no code.
    counter(&store, COUNTER, &plain().engine(Engine::Interpreted));
    assert_eq!(shelf.count("code"), expected);
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// As in `build.rs`.
const PLACES: [&str; 4] = ["cosim/rtlsim/src", "cosim/rtlsim/build.rs", "cosim/rtlsim/Cargo.toml", "Cargo.lock"];

/// The sources are in every key ([`SOURCES`]); a changed line of the emitter is another hash, and
/// so a miss.
#[test]
fn a_changed_line_of_the_emitter_is_a_miss() {
    let root = root();
    assert_eq!(sources::hash(&root, &PLACES).unwrap().to_string(), SOURCES, "what was compiled is what is hashed");
    let copy = tempfile::tempdir().unwrap();
    for place in PLACES {
        for file in sources::files(&root.join(place)).unwrap() {
            let to = copy.path().join(file.strip_prefix(&root).unwrap());
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            std::fs::copy(file, to).unwrap();
        }
    }
    assert_eq!(sources::hash(copy.path(), &PLACES).unwrap().to_string(), SOURCES);
    let emitter = copy.path().join("cosim/rtlsim/src/jit/code.rs");
    let text = std::fs::read_to_string(&emitter).unwrap();
    let changed = text.replacen("b.ins().bxor(next, old)", "b.ins().bor(next, old)", 1);
    assert_ne!(text, changed);
    std::fs::write(emitter, changed).unwrap();
    let other = sources::hash(copy.path(), &PLACES).unwrap();
    assert_ne!(other.to_string(), SOURCES);
    // A design is kept under the hash of these sources, and not found under another.
    let (shelf, store) = Shelf::new();
    counter(&store, COUNTER, &Options::default());
    let is_kept = |sources: &str| {
        let text = Key::of(COUNTER.as_bytes()).0.to_le_bytes();
        let key = Key::builder().part("sources", sources).part("text", text).part("top", "top").finish();
        shelf.kept.lock().unwrap().contains_key(&("graph".to_owned(), key))
    };
    assert!(is_kept(SOURCES) && !is_kept(&other.to_string()));
}

/// On a hit the text is not even made.
#[test]
fn a_known_recipe_needs_no_text() {
    let (shelf, store) = Shelf::new();
    let recipe = Key::of(b"a counter");
    let design = |text: &dyn Fn() -> Result<Source, String>, recipe: Key| {
        Design::made_of(&Some(store.clone()), recipe, Some("top"), text)
            .and_then(|d| Ok(d.compile(&Options::default())?))
    };
    let mut sim = design(&|| Ok(Source::new("top.v", COUNTER)), recipe).unwrap();
    assert_eq!((shelf.count("text"), shelf.count("graph"), shelf.count("code")), (1, 1, 1));
    let mut kept = design(&|| panic!("made again"), recipe).unwrap();
    for sim in [&mut sim, &mut kept] {
        sim.set("step", 3).unwrap();
        sim.run(5).unwrap();
        assert_eq!(sim.get("q").unwrap(), 15);
        assert_eq!(sim.get("top.count").unwrap(), 15);
    }
    // A text that differs in nothing finds the code under another recipe.
    design(&|| Ok(Source::new("top.v", COUNTER)), Key::of(b"another")).unwrap();
    assert_eq!((shelf.count("text"), shelf.count("graph"), shelf.count("code")), (2, 1, 1));
    // A text that cannot be made or read is no result.
    assert_eq!(design(&|| Err("no text".into()), Key::of(b"none")).err().unwrap(), "no text");
    let wrong = design(&|| Ok(Source::new("top.v", "module top(input a")), Key::of(b"wrong")).err().unwrap();
    assert!(wrong.starts_with("top.v:1:"), "{wrong}");
    assert_eq!((shelf.count("text"), shelf.count("graph"), shelf.count("code")), (2, 1, 1));
    // A store that has lost the graph makes it again.
    shelf.kept.lock().unwrap().retain(|k, _| k.0 != "graph");
    assert_eq!(design(&|| Err("made again".into()), recipe).err().unwrap(), "made again");
    let without = Design::made_of(&None, recipe, Some("top"), || Ok::<_, Error>(Source::new("top.v", COUNTER)));
    assert!(without.is_ok());
}

/// Bytes that a store gives back changed, cut or exchanged are not taken for code. (A store on disk
/// has a checksum before this.)
#[test]
fn what_does_not_fit_together_is_made_again() {
    let (shelf, store) = Shelf::new();
    let options = Options::default().profile(8);
    let graph = random_graph(3, &Shape::default());
    let expected = run(&mut compile(Some(&store), &graph, &options), 20);
    let whole = shelf.kept.lock().unwrap().clone();
    for kind in ["code", "second"] {
        for cut in [0, 1, 7, 100] {
            let mut kept = shelf.kept.lock().unwrap();
            kept.clone_from(&whole);
            let of_kind = kept.iter_mut().find(|(k, _)| k.0 == kind).unwrap().1;
            of_kind.truncate(of_kind.len() * cut / 128);
            drop(kept);
            assert_eq!(run(&mut compile(Some(&store), &graph, &options), 20), expected, "{kind} cut at {cut}/128");
            assert!(*shelf.kept.lock().unwrap() == whole, "made again");
        }
    }
}

/// Names are the same whether they come from the tree or from the list of the top module's.
#[test]
fn a_kept_design_has_all_names() {
    let text = "module inner(input a, output y);
  assign y = ~a;
endmodule
module top(input clock, input [3:0] step, output [7:0] q, output zero);
  reg [7:0] count = 0;
  reg [3:0] store [0:3];
  wire [3:0] none = 4'd0;
  wire \\odd.name = step[0];
  inner i(.a(step[0]), .y(zero));
  always @(posedge clock) begin count <= count + step; store[step[1:0]] <= step; end
  assign q = count;
endmodule
";
    let (_, store) = Shelf::new();
    let source = Source::new("top.v", text);
    let mut first = Design::parse_kept(&store, &source, Some("top")).unwrap().compile(&Options::default()).unwrap();
    let mut kept = Design::parse_kept(&store, &source, Some("top")).unwrap().compile(&Options::default()).unwrap();
    let plain = Design::parse(&[source], Some("top")).unwrap();
    for path in ["q", "top.q", "count", "top.i.y", "i.y", "none", "odd.name", "top.odd.name", "zero", "clock"] {
        let expected = plain.find(path).unwrap().id();
        for sim in [&mut first, &mut kept] {
            assert_eq!(sim.signal(path).unwrap().id(), expected, "{path}");
        }
    }
    for path in ["store", "nothing", "i.nothing", "top", "i"] {
        let errors = [&first, &kept].map(|s| s.signal(path).unwrap_err().to_string());
        assert_eq!(errors[0], errors[1]);
    }
    let none = kept.signal("none").unwrap();
    assert_eq!((kept.constant(none), first.constant(none)), (Some(0), Some(0)));
    let q = kept.signal("q").unwrap();
    assert_eq!((kept.constant(q), first.constant(q)), (None, None));
    assert!(kept.input("nothing").is_err() && kept.input("top.step").is_ok() && kept.register("count").is_ok());
    assert!(kept.memory("store").is_ok());
}
