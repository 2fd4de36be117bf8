//! The compiled engine against the interpreter on random graphs: every output, every named signal,
//! every register and memory word, in every cycle, with all clock domains and random inputs. A
//! planted difference is caught: the last test compares two graphs that differ in one operator.

use quadlock_rtlsim::backend::Backend;
use quadlock_rtlsim::fault::Fault;
use quadlock_rtlsim::graph::{
    Edge, Graph, Input, InputId, MemId, NodeId, Op, Scope, ScopeId, Signal, SignalId, SignalKind, Value, WritePort,
};
use quadlock_rtlsim::interp::Interpreter;
use quadlock_rtlsim::jit::Jit;
use quadlock_rtlsim::random_graph::{random_bits, random_graph, Shape};
use quadlock_rtlsim::{Bits, Design, Options, Source};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// First difference in `cycles` cycles, in words.
fn difference(a: &mut dyn Backend, b: &mut dyn Backend, graph: &Graph, seed: u64, cycles: u32) -> Option<String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for cycle in 0..cycles {
        for (i, input) in graph.inputs.iter().enumerate() {
            if rng.random_bool(0.4) {
                let value = random_bits(&mut rng, input.width);
                a.set_input_wide(InputId(i as u32), &value);
                b.set_input_wide(InputId(i as u32), &value);
            }
        }
        if a.settle() != b.settle() {
            return Some(format!("cycle {cycle}: only one comes to rest"));
        }
        for (i, s) in graph.signals.iter().enumerate() {
            if let Value::Node(_) = s.value {
                let (x, y) = (a.peek(SignalId(i as u32)), b.peek(SignalId(i as u32)));
                if x != y {
                    return Some(format!("cycle {cycle}: {} is {x} and {y}", s.name));
                }
            }
        }
        for (m, memory) in graph.memories.iter().enumerate() {
            for word in 0..memory.depth {
                let (x, y) = (a.peek_memory(MemId(m as u32), word), b.peek_memory(MemId(m as u32), word));
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
        compare(seed, &Options::default().verify(true));
    }
}

/// The code that is made for the activity of the first 8 settles is compared in most of the cycles.
#[test]
fn replanned_agrees() {
    for seed in 0..30 {
        compare(seed, &Options::default().verify(true).profile(8));
    }
    for seed in 220..226 {
        compare(seed, &Options::default().verify(true).profile(8).trace_all());
    }
}

#[test]
fn without_gating_too() {
    for seed in 100..120 {
        compare(seed, &Options::default().verify(true).gating(false));
    }
}

#[test]
fn with_tracing_too() {
    for seed in 200..220 {
        compare(seed, &Options::default().verify(true).trace_all());
    }
}

#[test]
fn a_wrong_operator_is_caught() {
    let mut caught = 0;
    for seed in 300..310 {
        let graph = random_graph(seed, &Shape::default());
        let mut wrong = graph.clone();
        let (width, old) = (wrong.width(wrong.outputs[0].1), wrong.outputs[0].1);
        let one = wrong.constant(Bits::new(width, 1));
        let off = wrong.add(Op::Add, width, &[old, one]);
        for s in wrong.signals.iter_mut().filter(|s| s.value == Value::Node(old)) {
            s.value = Value::Node(off);
        }
        let mut a = Interpreter::new(&graph, &Options::default()).unwrap();
        let mut b = Jit::new(&wrong, &Options::default().verify(true)).unwrap();
        caught += u32::from(difference(&mut a, &mut b, &graph, seed, 24).is_some());
    }
    assert_eq!(caught, 10, "planted differences that were seen");
}

/// One graph with every operation at random widths, on random and corner operands.
#[test]
fn every_operation_agrees() {
    for seed in 0..40 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut g = Graph::default();
        let input = |g: &mut Graph, rng: &mut ChaCha8Rng, width: u32| {
            let constant = rng.random_bool(0.15);
            if constant {
                let value = if rng.random_bool(0.5) {
                    Bits::new(width, rng.random_range(0..80))
                } else {
                    random_bits(rng, width)
                };
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
        let options = Options::default().verify(true).gating(seed % 2 == 0);
        let mut a = Interpreter::new(&g, &options).unwrap();
        let mut b = Jit::new(&g, &options).unwrap();
        if let Some(what) = difference(&mut a, &mut b, &g, seed, 60) {
            panic!("seed {seed}: {what}");
        }
    }
}

#[test]
fn nothing_is_stale() {
    stale(0..60, &Options::default().verify(true));
}

#[test]
fn nothing_is_stale_in_replanned_code() {
    stale(0..30, &Options::default().verify(true).profile(8));
}

fn stale(seeds: std::ops::Range<u64>, options: &Options) {
    assert_eq!(first_stale(seeds, options), None);
}

fn first_stale(seeds: std::ops::Range<u64>, options: &Options) -> Option<String> {
    for seed in seeds {
        let graph = random_graph(seed, &Shape::default());
        let mut jit = Jit::new(&graph, options).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for cycle in 0..40 {
            for (i, input) in graph.inputs.iter().enumerate() {
                if rng.random_bool(0.4) {
                    jit.set_input_wide(InputId(i as u32), &random_bits(&mut rng, input.width));
                }
            }
            jit.settle();
            let stale = jit.stale();
            if !stale.is_empty() {
                return Some(format!("seed {seed}, cycle {cycle}: {}", stale.join("\n")));
            }
            for domain in 0..jit.domains().len() {
                if rng.random_bool(0.6) {
                    jit.commit(domain);
                    if rng.random_bool(0.5) {
                        jit.settle();
                        let s = jit.stale();
                        if !s.is_empty() {
                            return Some(format!("seed {seed}, cycle {cycle}, domain {domain}: {}", s.join("\n")));
                        }
                    }
                }
            }
        }
    }
    None
}

fn faulty(fault: Fault) -> Options {
    Options { fault: Some(fault), ..Options::default().verify(true) }
}

#[test]
fn changes_are_reported() {
    for profile in [0, 8] {
        assert_eq!(missed_change(&Options::default().verify(true).profile(profile)), None);
    }
}

/// First observed value that changed without a report, in words.
fn missed_change(options: &Options) -> Option<String> {
    let graph = random_graph(7, &Shape { resets: false, ..Shape::default() });
    let mut compiled = Jit::new(&graph, &options.clone().trace_all()).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut kept: Vec<Vec<u64>> = vec![Vec::new(); compiled.observed().len()];
    for cycle in 0..30 {
        for (i, input) in graph.inputs.iter().enumerate() {
            compiled.set_input_wide(InputId(i as u32), &random_bits(&mut rng, input.width));
        }
        compiled.settle();
        let mut changed = Vec::new();
        compiled.changes(&mut |i| changed.push(i));
        for i in changed {
            let mut limbs = Vec::new();
            compiled.observe(i, &mut limbs);
            kept[i] = limbs;
        }
        for (i, kept) in kept.iter().enumerate() {
            let signal = compiled.observed()[i];
            if kept != compiled.peek(signal).limbs() {
                return Some(format!("cycle {cycle}: change of {} missed", graph.signals[signal.index()].name));
            }
        }
        (0..compiled.domains().len()).for_each(|d| compiled.commit(d));
    }
    assert!(!kept.is_empty());
    None
}

/// Faults of the mechanisms themselves, each found by the check that its row in `Fault::ALL` names.
#[test]
fn planted_faults_are_found() {
    for (fault, options) in [
        (Fault::LostReader, faulty(Fault::LostReader)),
        (Fault::LostMemoryReader, faulty(Fault::LostMemoryReader)),
        (Fault::LostReaderReplanned, faulty(Fault::LostReaderReplanned).profile(8)),
    ] {
        assert!(first_stale(0..30, &options).is_some(), "{fault:?}: nothing is stale");
    }
    // Without the second code its fault does nothing.
    assert_eq!(first_stale(0..4, &faulty(Fault::LostReaderReplanned)), None);
    assert!(missed_change(&faulty(Fault::LostChange)).is_some());
    let graphs = [Fault::LostCommit, Fault::ShortClamp, Fault::WrongLane, Fault::LostTrigger, Fault::SwappedArms];
    for fault in graphs {
        let found = (400..420).find_map(|seed| {
            let one = random_graph(seed, &Shape::default());
            let clocks: Vec<NodeId> = one.registers.iter().map(|r| r.edge.clock).collect();
            let four = |g: &Graph| four_times(g, |i| i % 2 == 0 || clocks.contains(&g.inputs[i].node));
            let graph = if fault == Fault::WrongLane { four(&one) } else { one.clone() };
            let mut right = Interpreter::new(&graph, &Options::default()).unwrap();
            let mut wrong = Jit::new(&graph, &faulty(fault)).unwrap();
            difference(&mut right, &mut wrong, &graph, seed, 24)
        });
        assert!(found.is_some(), "{fault:?} is not found");
    }
}

/// A graph four times side by side, with some inputs in common: what packs are made of.
fn four_times(graph: &Graph, shared: impl Fn(usize) -> bool) -> Graph {
    let mut out = Graph { tables: graph.tables.clone(), scopes: graph.scopes.clone(), ..Graph::default() };
    let mut common: Vec<Option<(InputId, NodeId)>> = vec![None; graph.inputs.len()];
    for lane in 0..4u32 {
        let base = out.nodes.len() as u32;
        let (registers, memories) = (out.registers.len() as u32, out.memories.len() as u32);
        let move_node = |n: NodeId| NodeId(n.0 + base);
        let move_edge = |e: Edge| Edge { clock: move_node(e.clock), ..e };
        for (k, node) in graph.nodes.iter().enumerate() {
            let mut node = node.clone();
            node.args.iter_mut().for_each(|a| *a = move_node(*a));
            match &mut node.op {
                Op::Reg(r) => r.0 += registers,
                Op::MemRead(m) => m.0 += memories,
                Op::Input(i) => {
                    let at = i.index();
                    let id = match common[at] {
                        Some((id, _)) => id,
                        None => {
                            let id = InputId(out.inputs.len() as u32);
                            let name = format!("{}_{lane}", graph.inputs[at].name);
                            out.inputs.push(Input { name, width: node.width, node: NodeId(base + k as u32) });
                            if shared(at) {
                                common[at] = Some((id, NodeId(base + k as u32)));
                            }
                            id
                        }
                    };
                    *i = id;
                }
                _ => {}
            }
            out.nodes.push(node);
        }
        for r in &graph.registers {
            let mut r = r.clone();
            r.name = format!("lane_{lane}.{}", r.name);
            r.edge = move_edge(r.edge);
            r.next = move_node(r.next);
            r.asynchronous.iter_mut().for_each(|e| *e = move_edge(*e));
            out.registers.push(r);
        }
        for m in &graph.memories {
            let mut m = m.clone();
            m.name = format!("lane_{lane}.{}", m.name);
            for w in &mut m.writes {
                *w = WritePort {
                    edge: move_edge(w.edge),
                    enable: move_node(w.enable),
                    addr: move_node(w.addr),
                    data: move_node(w.data),
                    mask: w.mask.map(move_node),
                    asynchronous: w.asynchronous.iter().map(|&e| move_edge(e)).collect(),
                };
            }
            out.memories.push(m);
        }
        for (name, n) in &graph.outputs {
            out.outputs.push((format!("{name}_{lane}"), move_node(*n)));
        }
        for s in &graph.signals {
            let mut s = s.clone();
            s.name = format!("{}_{lane}", s.name);
            s.value = match s.value {
                Value::Node(n) => Value::Node(move_node(n)),
                Value::Memory(m) => Value::Memory(MemId(m.0 + memories)),
            };
            out.signals.push(s);
        }
    }
    // All edges on the clock nodes of the first copy, as elaboration would have it.
    let mut clocks = std::collections::HashMap::new();
    for i in 0..out.nodes.len() {
        if let Op::Input(id) = out.nodes[i].op {
            clocks.entry(id).or_insert(NodeId(i as u32));
        }
    }
    let nodes = out.nodes.clone();
    let one = |e: &mut Edge| {
        if let Op::Input(id) = nodes[e.clock.index()].op {
            e.clock = clocks[&id];
        }
    };
    for r in &mut out.registers {
        r.asynchronous.iter_mut().chain([&mut r.edge]).for_each(one);
    }
    for w in out.memories.iter_mut().flat_map(|m| &mut m.writes) {
        w.asynchronous.iter_mut().chain([&mut w.edge]).for_each(one);
    }
    out
}

#[test]
fn identical_logic_side_by_side_agrees() {
    let mut packs = 0;
    for seed in 400..440 {
        let one = random_graph(seed, &Shape::default());
        let clocks: Vec<NodeId> = one.registers.iter().map(|r| r.edge.clock).collect();
        let graph = four_times(&one, |i| i % 2 == 0 || clocks.contains(&one.inputs[i].node));
        assert_eq!(graph.check(), Ok(()));
        let options = Options::default().verify(true);
        let mut interpreted = Interpreter::new(&graph, &options).unwrap();
        let mut compiled = Jit::new(&graph, &options).unwrap();
        packs += compiled.statistics().iter().find(|s| s.0 == "packs").map_or(0, |s| s.1 as u32);
        if let Some(what) = difference(&mut interpreted, &mut compiled, &graph, seed, 24) {
            panic!("four times random graph {seed}: {what}");
        }
        let mut replanned = Jit::new(&graph, &options.clone().profile(8)).unwrap();
        let mut interpreted = Interpreter::new(&graph, &options).unwrap();
        assert_eq!(difference(&mut interpreted, &mut replanned, &graph, seed, 24), None, "seed {seed}, replanned");
        let mut scalar = Jit::new(&graph, &options.clone().simd(false)).unwrap();
        let mut interpreted = Interpreter::new(&graph, &options).unwrap();
        assert_eq!(difference(&mut interpreted, &mut scalar, &graph, seed, 8), None);
    }
    assert!(packs > 100, "only {packs} packs: the test tests nothing");
}

/// After the profile the code is another one: nothing that can be seen changes, and snapshots stay
/// good.
#[test]
fn specialised_code_agrees() {
    for seed in 500..506 {
        let graph = random_graph(seed, &Shape::default());
        let mut interpreted = Interpreter::new(&graph, &Options::default()).unwrap();
        let mut compiled = Jit::new(&graph, &Options::default().verify(true)).unwrap();
        let early = compiled.save();
        for _ in 0..8200 {
            compiled.settle();
        }
        compiled.load(&early);
        if let Some(what) = difference(&mut interpreted, &mut compiled, &graph, seed, 24) {
            panic!("random graph {seed}, specialised: {what}");
        }
    }
}

/// Registers `w0_0` to `w3_3` are four lanes of four words either way round. Each has one place all
/// the same: held values come back from a snapshot, and into the second code.
#[test]
fn registers_with_two_indices_have_one_place() {
    let names = || (0..4).flat_map(|k| (0..4).map(move |i| format!("w{k}_{i}")));
    let mut text = "module top(input clock, input enable, input [31:0] d, output [31:0] sum);\n".to_owned();
    names().for_each(|n| text += &format!("reg [31:0] {n};\n"));
    text += "always @(posedge clock) if (enable) begin\n";
    names().enumerate().for_each(|(at, n)| text += &format!("{n} <= d + 32'd{};\n", 1 << at));
    let terms: Vec<String> = names().enumerate().map(|(at, n)| format!("({n} ^ 32'd{at})")).collect();
    text += &format!("end\nassign sum = {};\nendmodule\n", terms.join(" + "));
    let design = Design::parse(&[Source::new("top.v", text)], Some("top")).unwrap();
    let graph = design.graph();
    let mut interpreted = Interpreter::new(graph, &Options::default()).unwrap();
    let mut compiled = Jit::new(graph, &Options::default().verify(true).profile(8)).unwrap();
    let places: Vec<SignalId> = (0..graph.signals.len())
        .filter(|&s| graph.signals[s].name.starts_with('w'))
        .map(|s| SignalId(s as u32))
        .collect();
    assert_eq!(places.len(), 16);
    for cycle in 0..40u64 {
        for backend in [&mut interpreted as &mut dyn Backend, &mut compiled] {
            for (i, input) in graph.inputs.iter().enumerate() {
                let value = if input.width == 1 { u64::from(cycle % 16 == 3) } else { cycle * 77 };
                backend.set_input(InputId(i as u32), value);
            }
            backend.settle();
        }
        for &s in &places {
            let name = &graph.signals[s.index()].name;
            assert_eq!(interpreted.peek(s), compiled.peek(s), "{name} in cycle {cycle}");
        }
        interpreted.commit(0);
        compiled.commit(0);
        let state = compiled.save();
        compiled.load(&state);
    }
}
