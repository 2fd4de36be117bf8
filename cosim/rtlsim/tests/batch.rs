//! Batch mode against as many interpreters as there are copies: different inputs in each copy, every named signal, memory word and clock, registers and memories
//! poked in one copy only, states saved and loaded. A copy that does what its neighbour should do is what these tests look for.

use quadlock_rtlsim::backend::Backend;
use quadlock_rtlsim::fault::Fault;
use quadlock_rtlsim::graph::{
    Graph, Input, InputId, MemId, Op, RegId, Scope, ScopeId, Signal, SignalId, SignalKind, Value,
};
use quadlock_rtlsim::interp::Interpreter;
use quadlock_rtlsim::jit::{compiled, Batch};
use quadlock_rtlsim::random_graph::{random_bits, random_graph, Shape};
use quadlock_rtlsim::{Bits, Options};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// First difference of settled values, in words.
fn differs(graph: &Graph, batch: &mut Batch, single: &mut [Interpreter]) -> Option<String> {
    for (copy, one) in single.iter_mut().enumerate() {
        for (i, s) in graph.signals.iter().enumerate() {
            if let Value::Node(_) = s.value {
                let (x, y) = (batch.peek(copy, SignalId(i as u32)), one.peek(0, SignalId(i as u32)));
                let low = batch.peek_u64(copy, SignalId(i as u32));
                if x != y || low != y.to_u64() {
                    return Some(format!("copy {copy}: {} is {x} (low {low:x}), not {y}", s.name));
                }
            }
        }
        for (m, memory) in graph.memories.iter().enumerate() {
            for word in 0..memory.depth {
                let m = MemId(m as u32);
                let (x, y) = (batch.peek_memory(copy, m, word), one.peek_memory(0, m, word));
                if x != y {
                    return Some(format!("copy {copy}: {}[{word}] is {x}, not {y}", memory.name));
                }
            }
        }
        for domain in 0..batch.domains().len() {
            if batch.clock(copy, domain) != one.clock(0, domain) {
                return Some(format!("copy {copy}: clock of domain {domain}"));
            }
        }
    }
    None
}

/// Settles all; the batch rests when every copy does.
fn settle(batch: &mut Batch, single: &mut [Interpreter]) {
    let rests = single.iter_mut().filter_map(|s| (!s.settle()).then_some(())).count() == 0;
    assert_eq!(batch.settle(), rests);
}

/// Overwrites a random register and a random memory word of one copy.
fn poke(graph: &Graph, batch: &mut Batch, single: &mut [Interpreter], rng: &mut ChaCha8Rng) {
    let copy = rng.random_range(0..single.len());
    if !graph.registers.is_empty() {
        let r = rng.random_range(0..graph.registers.len());
        let value = random_bits(rng, graph.registers[r].width);
        batch.poke_register(copy, RegId(r as u32), &value);
        single[copy].poke_register(0, RegId(r as u32), &value);
    }
    if !graph.memories.is_empty() {
        let m = rng.random_range(0..graph.memories.len());
        let word = rng.random_range(0..graph.memories[m].depth);
        let value = random_bits(rng, graph.memories[m].width);
        batch.poke_memory(copy, MemId(m as u32), word, &value);
        single[copy].poke_memory(0, MemId(m as u32), word, &value);
    }
}

/// Runs both with inputs of their own in each copy.
fn run(graph: &Graph, options: &Options, copies: usize, seed: u64, cycles: u32) -> Option<String> {
    let mut batch = Batch::new(graph, &options.clone().copies(copies)).unwrap();
    assert_eq!(batch.copies(), copies);
    let mut single: Vec<Interpreter> = (0..copies).map(|_| Interpreter::new(graph, options).unwrap()).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut saved = None;
    for cycle in 0..cycles {
        // Sometimes all copies alike, as when the same job is run.
        let same = rng.random_bool(0.2);
        for (i, input) in graph.inputs.iter().enumerate() {
            let common = random_bits(&mut rng, input.width);
            for (copy, one) in single.iter_mut().enumerate() {
                if same || rng.random_bool(0.4) {
                    let value = if same { common.clone() } else { random_bits(&mut rng, input.width) };
                    if input.width <= 64 {
                        batch.set_input(copy, InputId(i as u32), value.to_u64());
                    } else {
                        batch.set_input_wide(copy, InputId(i as u32), &value);
                    }
                    one.set_input_wide(0, InputId(i as u32), &value);
                }
            }
        }
        if cycle % 8 == 5 {
            poke(graph, &mut batch, &mut single, &mut rng);
        }
        settle(&mut batch, &mut single);
        if let Some(what) = differs(graph, &mut batch, &mut single) {
            return Some(format!("cycle {cycle}: {what}"));
        }
        let copy = cycle as usize % copies;
        match saved.take() {
            // Into any copy, not only the one it was taken from.
            Some((a, b)) if cycle % 8 == 7 => {
                batch.load(copy, &a);
                single[copy].load(0, &b);
            }
            None if cycle % 8 == 2 => saved = Some((batch.save(copy), single[copy].save(0))),
            other => saved = other,
        }
        settle(&mut batch, &mut single);
        for domain in 0..batch.domains().len() {
            if rng.random_bool(0.6) {
                batch.commit(domain);
                single.iter_mut().for_each(|s| s.commit(domain));
                if rng.random_bool(0.5) {
                    settle(&mut batch, &mut single);
                }
            }
        }
    }
    None
}

fn compare(seeds: std::ops::Range<u64>, options: &Options, copies: usize) {
    for seed in seeds {
        let graph = random_graph(seed, &Shape::default());
        if let Some(what) = run(&graph, options, copies, seed, 24) {
            panic!("random graph {seed}, {copies} copies, {options:?}: {what}");
        }
    }
}

#[test]
fn four_copies_agree() {
    compare(0..30, &Options::default(), 4);
}

/// After some thousand cycles the code is replaced by one made for the activity that was seen: nothing may be lost there.
#[test]
fn the_second_code_agrees() {
    for (seed, copies) in [(500, 4), (501, 5)] {
        let shape = Shape { ops: 40, registers: 6, resets: seed == 501, ..Shape::default() };
        let graph = random_graph(seed, &shape);
        let options = Options::default();
        let mut batch = Batch::new(&graph, &options.clone().copies(copies)).unwrap();
        let mut single: Vec<Interpreter> = (0..copies).map(|_| Interpreter::new(&graph, &options).unwrap()).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for cycle in 0..8400 {
            for (i, input) in graph.inputs.iter().enumerate() {
                if rng.random_bool(0.2) {
                    let (copy, value) = (rng.random_range(0..copies), random_bits(&mut rng, input.width));
                    batch.set_input_wide(copy, InputId(i as u32), &value);
                    single[copy].set_input_wide(0, InputId(i as u32), &value);
                }
            }
            settle(&mut batch, &mut single);
            if cycle % 256 == 0 || cycle > 8150 {
                if let Some(what) = differs(&graph, &mut batch, &mut single) {
                    panic!("seed {seed}, cycle {cycle}: {what}");
                }
            }
            let domain = rng.random_range(0..batch.domains().len());
            batch.commit(domain);
            single.iter_mut().for_each(|s| s.commit(domain));
        }
    }
}

/// The same on more graphs, with pokes and snapshots, the code replaced early.
#[test]
fn replanned_agrees() {
    compare(30..40, &Options::default().profile(8), 4);
    compare(40..44, &Options::default().profile(8).trace_all(), 5);
}

#[test]
fn five_copies_and_two_copies_agree() {
    compare(100..110, &Options::default(), 5);
    compare(110..116, &Options::default(), 2);
}

#[test]
fn without_gating_too() {
    compare(200..208, &Options::default().gating(false), 4);
}

#[test]
fn with_tracing_too() {
    compare(300..306, &Options::default().trace_all(), 5);
}

#[test]
fn every_operation_agrees() {
    for seed in 0..30 {
        if let Some(what) = run(&all_operations(seed), &Options::default().gating(seed % 2 == 0), 4, seed, 30) {
            panic!("operations of seed {seed}: {what}");
        }
    }
}

#[test]
fn changes_of_the_first_copy_are_reported() {
    assert_eq!(missed_change(&Options::default()), None);
}

/// Faults of the mechanisms, found by the checks that their rows in `Fault::ALL` name.
#[test]
fn planted_faults_are_found() {
    assert!(missed_change(&Options { fault: Some(Fault::LostChange), ..Options::default() }).is_some());
    for fault in [Fault::SwappedArms, Fault::SharedEdge, Fault::LostTrigger] {
        let options = Options { fault: Some(fault), ..Options::default() };
        let differs = |seed| {
            let graph = random_graph(seed, &Shape::default());
            // Singles are interpreted, where no fault is; one that never rests is found by the
            // comparison of that.
            std::panic::catch_unwind(|| run(&graph, &options, 4, seed, 24)).map_or(true, |what| what.is_some())
        };
        assert!((0..30).any(differs), "{fault:?} is not found");
    }
}

fn missed_change(options: &Options) -> Option<String> {
    let graph = random_graph(7, &Shape { resets: false, ..Shape::default() });
    let mut batch = Batch::new(&graph, &options.clone().trace_all().copies(4)).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut kept: Vec<Vec<u64>> = vec![Vec::new(); batch.observed().len()];
    for cycle in 0..30 {
        for (i, input) in graph.inputs.iter().enumerate() {
            let copy = rng.random_range(0..4);
            batch.set_input_wide(copy, InputId(i as u32), &random_bits(&mut rng, input.width));
        }
        batch.settle();
        let mut changed = Vec::new();
        batch.changes(&mut |i| changed.push(i));
        for i in changed {
            let mut limbs = Vec::new();
            batch.observe(i, &mut limbs);
            kept[i] = limbs;
        }
        for (i, kept) in kept.iter().enumerate() {
            let signal = batch.observed()[i];
            if kept != batch.peek(0, signal).limbs() {
                return Some(format!("cycle {cycle}: change of {} missed", graph.signals[signal.index()].name));
            }
        }
        (0..batch.domains().len()).for_each(|d| batch.commit(d));
    }
    assert!(!kept.is_empty());
    None
}

#[test]
fn options_choose_the_engine() {
    let graph = random_graph(1, &Shape::default());
    for copies in [1, 3, 6] {
        assert_eq!(compiled(&graph, &Options::default().copies(copies)).unwrap().copies(), copies);
    }
}

#[test]
fn a_wrong_operator_is_caught() {
    let mut caught = 0;
    for seed in 400..404 {
        let graph = random_graph(seed, &Shape::default());
        let mut wrong = graph.clone();
        let (width, old) = (wrong.width(wrong.outputs[0].1), wrong.outputs[0].1);
        let one = wrong.constant(Bits::new(width, 1));
        let off = wrong.add(Op::Add, width, &[old, one]);
        for s in wrong.signals.iter_mut().filter(|s| s.value == Value::Node(old)) {
            s.value = Value::Node(off);
        }
        let mut batch = Batch::new(&wrong, &Options::default().copies(4)).unwrap();
        let mut single: Vec<Interpreter> =
            (0..4).map(|_| Interpreter::new(&graph, &Options::default()).unwrap()).collect();
        settle(&mut batch, &mut single);
        caught += u32::from(differs(&graph, &mut batch, &mut single).is_some());
    }
    assert_eq!(caught, 4, "planted differences that were seen");
}

/// One graph with every operation at random widths, on random and corner operands.
fn all_operations(seed: u64) -> Graph {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut g = Graph::default();
    let input = |g: &mut Graph, rng: &mut ChaCha8Rng, width: u32| {
        let constant = rng.random_bool(0.15);
        if constant {
            let value =
                if rng.random_bool(0.5) { Bits::new(width, rng.random_range(0..80)) } else { random_bits(rng, width) };
            return g.constant(value);
        }
        let node = g.add(Op::Input(InputId(g.inputs.len() as u32)), width, &[]);
        g.inputs.push(Input { name: format!("i{}", g.inputs.len()), width, node });
        node
    };
    let width = |rng: &mut ChaCha8Rng| match rng.random_range(0..8) {
        0 => 1,
        1 => rng.random_range(2..32),
        2 => 32,
        3 => rng.random_range(33..64),
        4 => 64,
        5 => rng.random_range(65..128),
        6 => 128,
        _ => rng.random_range(2..200),
    };
    let ops = [
        Op::Not,
        Op::Neg,
        Op::And,
        Op::Or,
        Op::Xor,
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::DivU,
        Op::RemU,
        Op::DivS,
        Op::RemS,
        Op::RedAnd,
        Op::RedOr,
        Op::RedXor,
        Op::Shl,
        Op::Shr,
        Op::Sar,
        Op::Eq,
        Op::Ne,
        Op::LtU,
        Op::LeU,
        Op::LtS,
        Op::LeS,
        Op::Mux,
        Op::Slice(0),
        Op::Concat,
        Op::ZExt,
        Op::SExt,
    ];
    for op in &ops {
        let w = width(&mut rng);
        let a = input(&mut g, &mut rng, w);
        let (op, out, args) = match op {
            Op::Not | Op::Neg => (op.clone(), w, vec![a]),
            Op::RedAnd | Op::RedOr | Op::RedXor => (op.clone(), 1, vec![a]),
            Op::Shl | Op::Shr | Op::Sar => {
                let by = width(&mut rng).min(rng.random_range(1..12));
                let b = input(&mut g, &mut rng, by);
                (op.clone(), w, vec![a, b])
            }
            Op::Mux => {
                let (s, b) = (input(&mut g, &mut rng, 1), input(&mut g, &mut rng, w));
                (op.clone(), w, vec![s, a, b])
            }
            Op::Slice(_) => {
                let lo = rng.random_range(0..w);
                (Op::Slice(lo), rng.random_range(1..=w - lo), vec![a])
            }
            Op::Concat => {
                let v = width(&mut rng);
                let b = input(&mut g, &mut rng, v);
                (op.clone(), w + v + w, vec![a, b, a])
            }
            Op::ZExt | Op::SExt => (op.clone(), w + rng.random_range(0..70), vec![a]),
            Op::Eq | Op::Ne | Op::LtU | Op::LeU | Op::LtS | Op::LeS => {
                (op.clone(), 1, vec![a, input(&mut g, &mut rng, w)])
            }
            _ => (op.clone(), w, vec![a, input(&mut g, &mut rng, w)]),
        };
        let node = g.add(op.clone(), out, &args);
        let name = format!("{op:?}_{w}_{out}");
        g.outputs.push((name.clone(), node));
        g.signals.push(Signal {
            name,
            scope: ScopeId(0),
            kind: SignalKind::Output,
            width: out,
            signed: false,
            lsb: 0,
            value: Value::Node(node),
        });
    }
    g.scopes.push(Scope { name: "top".into(), module: "top".into(), parent: None, constants: vec![] });
    g
}
