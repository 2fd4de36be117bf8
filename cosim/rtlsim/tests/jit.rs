//! The compiled engine against the interpreter on random graphs: every output, every named signal, every register and memory word, in every cycle, with all
//! clock domains and random inputs. A planted difference is caught: the last test compares two graphs that differ in one operator.

use quadlock_rtlsim::backend::Backend;
use quadlock_rtlsim::graph::{Graph, InputId, MemId, Op, SignalId, Value};
use quadlock_rtlsim::interp::Interpreter;
use quadlock_rtlsim::jit::Jit;
use quadlock_rtlsim::random_graph::{random_bits, random_graph, Shape};
use quadlock_rtlsim::Options;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// First difference in `cycles` cycles, in words.
fn difference(a: &mut dyn Backend, b: &mut dyn Backend, graph: &Graph, seed: u64, cycles: u32) -> Option<String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for cycle in 0..cycles {
        for (i, input) in graph.inputs.iter().enumerate() {
            if rng.random_bool(0.4) {
                let value = random_bits(&mut rng, input.width);
                a.set_input_wide(0, InputId(i as u32), &value);
                b.set_input_wide(0, InputId(i as u32), &value);
            }
        }
        a.settle();
        b.settle();
        for (i, s) in graph.signals.iter().enumerate() {
            if let Value::Node(_) = s.value {
                let (x, y) = (a.peek(0, SignalId(i as u32)), b.peek(0, SignalId(i as u32)));
                if x != y {
                    return Some(format!("cycle {cycle}: {} is {x} and {y}", s.name));
                }
            }
        }
        for (m, memory) in graph.memories.iter().enumerate() {
            for word in 0..memory.depth {
                let (x, y) = (a.peek_memory(0, MemId(m as u32), word), b.peek_memory(0, MemId(m as u32), word));
                if x != y {
                    return Some(format!("cycle {cycle}: {}[{word}] is {x} and {y}", memory.name));
                }
            }
        }
        assert_eq!(a.domains(), b.domains());
        for domain in 0..a.domains().len() {
            if rng.random_bool(0.6) {
                a.commit(domain);
                b.commit(domain);
                if rng.random_bool(0.5) {
                    a.settle();
                    b.settle();
                }
            }
        }
    }
    None
}

fn compare(seed: u64, options: &Options) {
    let graph = random_graph(seed, &Shape::default());
    let mut interpreted = Interpreter::new(&graph, options).unwrap();
    let mut compiled = Jit::new(&graph, options).unwrap();
    if let Some(what) = difference(&mut interpreted, &mut compiled, &graph, seed, 24) {
        panic!("random graph {seed}, {options:?}: {what}");
    }
}

#[test]
fn compiled_agrees_with_interpreted() {
    for seed in 0..60 {
        compare(seed, &Options::default());
    }
}

#[test]
fn without_gating_too() {
    for seed in 100..120 {
        compare(seed, &Options::default().gating(false));
    }
}

#[test]
fn with_tracing_too() {
    for seed in 200..220 {
        compare(seed, &Options::default().trace_all());
    }
}

#[test]
fn a_wrong_operator_is_caught() {
    let mut caught = 0;
    for seed in 300..310 {
        let graph = random_graph(seed, &Shape::default());
        let mut wrong = graph.clone();
        let Some(node) = wrong.nodes.iter_mut().rev().find(|n| n.op == Op::Add && n.width <= 64) else { continue };
        node.op = Op::Sub;
        let mut a = Interpreter::new(&graph, &Options::default()).unwrap();
        let mut b = Jit::new(&wrong, &Options::default()).unwrap();
        caught += u32::from(difference(&mut a, &mut b, &graph, seed, 24).is_some());
    }
    assert!(caught >= 3, "only {caught} planted differences were seen");
}
