//! Passes change nothing that can be seen: random graphs run in the interpreter before and after
//! each pass alone and all together, on random inputs and clock edges; outputs, memories and every
//! named signal that stays are compared. A pass that does nothing would pass here: what each one
//! achieves is tested in its own file.

use quadlock_rtlsim::backend::Backend;
use quadlock_rtlsim::graph::{Graph, InputId, SignalId, Value};
use quadlock_rtlsim::interp::Interpreter;
use quadlock_rtlsim::passes::{optimize_reported, PassOptions};
use quadlock_rtlsim::random_graph::{random_bits, random_graph, Shape};
use quadlock_rtlsim::Options;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;

/// (name, value) of all that can be seen of a graph, in the order of `names`.
struct Watch<'a> {
    graph: &'a Graph,
    run: Interpreter,
    signals: HashMap<String, SignalId>,
}

impl<'a> Watch<'a> {
    fn new(graph: &'a Graph, seed: u64) -> Self {
        let run = Interpreter::new(graph, &Options::default().seed(seed)).expect("a well-formed graph");
        let ids = (0..graph.signals.len() as u32).map(SignalId);
        Self { graph, run, signals: ids.map(|s| (graph.signal_path(s), s)).collect() }
    }

    /// The edge of a clock input.
    fn edge(&mut self, clock: usize, rising: bool) {
        let node = self.graph.inputs[clock].node;
        let found = self.run.domains().iter().position(|d| d.clock == node && d.rising == rising);
        if let Some(domain) = found {
            self.run.commit(domain);
        }
    }

    fn compare(&mut self, other: &mut Watch, what: &str) {
        for (name, &id) in &self.signals {
            let Some(&theirs) = other.signals.get(name) else { continue };
            match (self.graph.signals[id.index()].value, other.graph.signals[theirs.index()].value) {
                (Value::Memory(m), Value::Memory(n)) => {
                    for word in 0..self.graph.memories[m.index()].depth {
                        let (a, b) = (self.run.peek_memory(m, word), other.run.peek_memory(n, word));
                        assert_eq!(a, b, "{what}: {name}[{word}]");
                    }
                }
                _ => assert_eq!(self.run.peek(id), other.run.peek(theirs), "{what}: {name}"),
            }
        }
    }
}

/// Runs both on the same random inputs.
fn compare(before: &Graph, after: &Graph, seed: u64, cycles: u32, what: &str) {
    after.check().unwrap_or_else(|e| panic!("{what}: {e}"));
    let names = |g: &Graph| g.outputs.iter().map(|o| o.0.clone()).collect::<Vec<_>>();
    assert_eq!(names(before), names(after), "{what}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut a, mut b) = (Watch::new(before, seed), Watch::new(after, seed));
    let clocks = before.inputs.iter().filter(|i| i.name.starts_with("clk")).count();
    for cycle in 0..cycles {
        for (i, input) in before.inputs.iter().enumerate() {
            let rare = input.name == "rst" && rng.random_range(0..4) != 0;
            if cycle == 0 || rng.random_range(0..3) == 0 {
                let value = if rare { quadlock_rtlsim::Bits::zero(1) } else { random_bits(&mut rng, input.width) };
                a.run.set_input_wide(InputId(i as u32), &value);
                b.run.set_input_wide(InputId(i as u32), &value);
            }
        }
        a.run.settle();
        b.run.settle();
        a.compare(&mut b, &format!("{what}, cycle {cycle}"));
        let (clock, rising) = (rng.random_range(0..clocks), rng.random_range(0..4) != 0);
        a.edge(clock, rising);
        b.edge(clock, rising);
    }
}

fn shapes(seed: u64) -> Shape {
    let shape = Shape::default();
    match seed % 4 {
        0 => shape,
        1 => Shape { max_width: 64, ops: 200, ..shape },
        2 => Shape { max_width: 8, ops: 60, inputs: 3, registers: 16, memories: 1, unknown_start: true, ..shape },
        _ => Shape { max_width: 12, ops: 40, inputs: 2, clocks: 1, resets: false, ..shape },
    }
}

fn all_seeds(name: &str, options: &PassOptions, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let before = random_graph(seed, &shapes(seed));
        let mut after = before.clone();
        let report = optimize_reported(&mut after, options);
        if options.keep_state {
            assert_eq!(before.signals.len(), after.signals.len());
        }
        compare(&before, &after, seed, 24, &format!("{name}, seed {seed}\n{report}"));
    }
}

#[test]
fn no_pass() {
    all_seeds("none", &PassOptions::none(), 0..40);
}

#[test]
fn rules() {
    all_seeds("rules", &PassOptions { rules: true, ..PassOptions::none() }, 0..300);
}

#[test]
fn constant_registers() {
    all_seeds("constants", &PassOptions { constant_registers: true, ..PassOptions::none() }, 0..200);
}

#[test]
fn register_copies() {
    all_seeds("copies", &PassOptions { register_copies: true, ..PassOptions::none() }, 0..200);
}

#[test]
fn unused_state() {
    all_seeds("unused", &PassOptions { unused_state: true, keep_state: false, ..PassOptions::none() }, 0..200);
    all_seeds("unused, signals kept", &PassOptions { unused_state: true, ..PassOptions::none() }, 0..40);
}

#[test]
fn memories() {
    all_seeds("memories", &PassOptions { memories: true, ..PassOptions::none() }, 0..200);
}

#[test]
fn narrow() {
    all_seeds("narrow", &PassOptions { narrow: true, ..PassOptions::none() }, 0..200);
    all_seeds("narrow", &PassOptions { narrow: true, keep_signals: false, ..PassOptions::none() }, 200..400);
}

#[test]
fn lookup() {
    all_seeds("lookup", &PassOptions { lookup: true, ..PassOptions::none() }, 0..200);
}

#[test]
fn popcount() {
    all_seeds("popcount", &PassOptions { popcount: true, ..PassOptions::none() }, 0..100);
}

#[test]
fn all_passes() {
    all_seeds("all", &PassOptions::default(), 0..400);
    all_seeds("all, signals not kept", &PassOptions { keep_signals: false, ..PassOptions::default() }, 400..800);
}
