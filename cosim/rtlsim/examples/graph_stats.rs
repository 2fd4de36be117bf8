//! What a design is made of, before and after the passes: node counts per pass, per operation and
//! width class, and per module. Usage:
//! `graph_stats FILE TOP [--raw] [--state-only] [--show REGISTER] [--check CYCLES]`; `--raw` shows
//! the graph as elaborated, `--state-only` lets passes remove state that no output needs, `--check`
//! runs both in the interpreter on random inputs and compares every signal.

use quadlock_rtlsim::backend::Backend;
use quadlock_rtlsim::elaborate::elaborate;
use quadlock_rtlsim::graph::{Graph, InputId, Op, ScopeId, SignalId, Value};
use quadlock_rtlsim::interp::Interpreter;
use quadlock_rtlsim::parse::parse;
use quadlock_rtlsim::passes::guards::guards;
use quadlock_rtlsim::passes::{optimize_reported, PassOptions};
use quadlock_rtlsim::random_graph::random_bits;
use quadlock_rtlsim::{Options, Source};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, top, flags @ ..] = &args[..] else { return Err("usage: graph_stats FILE TOP [flags]".into()) };
    let has = |flag: &str| flags.iter().any(|f| f == flag);
    let sources = [Source::new(file.clone(), std::fs::read_to_string(file)?)];
    let start = Instant::now();
    let ast = parse(&sources)?;
    let parsed = start.elapsed();
    let raw = elaborate(&ast, &sources, Some(top))?;
    println!("parse {parsed:?}, elaborate {:?}", start.elapsed() - parsed);
    let mut graph = raw.clone();
    let options = PassOptions { keep_signals: false, keep_state: !has("--state-only"), ..PassOptions::default() };
    let start = Instant::now();
    let report = optimize_reported(&mut graph, &options);
    println!("passes {:?}\n{report}", start.elapsed());
    statistics(if has("--raw") { &raw } else { &graph });
    if let Some(i) = flags.iter().position(|f| f == "--show") {
        show(&graph, flags.get(i + 1).map_or("", String::as_str));
    }
    if let Some(i) = flags.iter().position(|f| f == "--check") {
        check(&raw, &graph, flags.get(i + 1).and_then(|n| n.parse().ok()).unwrap_or(100))?;
    }
    Ok(())
}

/// The next values of registers whose names contain `pattern`, as nested text.
fn show(graph: &Graph, pattern: &str) {
    let mut names: BTreeMap<u32, String> = BTreeMap::new();
    for i in (0..graph.signals.len() as u32).map(SignalId) {
        if let Value::Node(n) = graph.signals[i.index()].value {
            let path = graph.signal_path(i);
            let old = names.entry(n.0).or_insert_with(|| path.clone());
            if path.len() < old.len() {
                *old = path;
            }
        }
    }
    for r in graph.registers.iter().filter(|r| r.name.contains(pattern)) {
        println!("{}:", r.name);
        print(graph, &names, r.next, 1);
    }
}

fn print(graph: &Graph, names: &BTreeMap<u32, String>, n: quadlock_rtlsim::graph::NodeId, depth: usize) {
    let node = graph.node(n);
    let name = names.get(&n.0).map_or("", String::as_str);
    println!("{}n{} {:?} {} {name}", "  ".repeat(depth), n.0, node.op, node.width);
    if depth < 12 && !matches!(node.op, Op::Table(_)) {
        node.args.iter().for_each(|&a| print(graph, names, a, depth + 1));
    }
}

/// Name of an operation without its details.
fn name(op: &Op) -> String {
    let text = format!("{op:?}");
    text.split('(').next().unwrap_or_default().to_owned()
}

fn statistics(graph: &Graph) {
    let order = graph.topological().unwrap_or_default();
    let mut live = vec![false; graph.nodes.len()];
    let mut stack = graph.roots();
    while let Some(n) = stack.pop() {
        if !std::mem::replace(&mut live[n.index()], true) {
            stack.extend(&graph.node(n).args);
        }
    }
    let mut kinds: BTreeMap<String, [usize; 5]> = BTreeMap::new();
    for n in order.iter().filter(|n| live[n.index()]) {
        let class = match graph.width(*n) {
            1 => 0,
            2..=32 => 1,
            33..=64 => 2,
            _ => 3,
        };
        let row = kinds.entry(name(&graph.node(*n).op)).or_default();
        row[class] += 1;
        row[4] += 1;
    }
    println!("{:<10}{:>8}{:>8}{:>8}{:>8}{:>8}", "op", "1", "2-32", "33-64", "65-", "all");
    let mut rows: Vec<_> = kinds.into_iter().collect();
    rows.sort_by_key(|r| std::cmp::Reverse(r.1[4]));
    for (op, [a, b, c, d, all]) in rows {
        println!("{op:<10}{a:>8}{b:>8}{c:>8}{d:>8}{all:>8}");
    }
    conditional(graph);
    modules(graph, &order, &live);
}

/// How much stands under conditions: nodes that compute something, by how many conditions they
/// have, and the largest branches.
fn conditional(graph: &Graph) {
    let found = guards(graph, &[]);
    let mut own = vec![0usize; found.guards.len()];
    for (node, guard) in graph.nodes.iter().zip(&found.of) {
        let free = matches!(node.op, Op::Const(_) | Op::Reg(_) | Op::Input(_));
        if let (Some(g), false) = (guard, free) {
            own[*g as usize] += 1;
        }
    }
    let mut depths = [0usize; 8];
    for (g, n) in found.guards.iter().zip(&own) {
        depths[(g.depth as usize).min(7)] += n;
    }
    println!("nodes under 0, 1, ... conditions: {depths:?}");
    let mut all = own.clone();
    for i in (1..all.len()).rev() {
        all[found.guards[i].parent as usize] += all[i];
    }
    let mut large: Vec<usize> = (1..all.len()).filter(|&i| found.guards[i].parent == 0).collect();
    large.sort_by_key(|&i| std::cmp::Reverse(all[i]));
    let big: usize = large.iter().filter(|&&i| all[i] >= 8).map(|&i| all[i]).sum();
    println!("in outermost branches of 8 and more nodes: {big}");
    for &i in large.iter().take(12) {
        let g = found.guards[i];
        println!("  {:>6} nodes while n{} is {}", all[i], g.condition.0, g.value);
    }
}

/// A node belongs to the scope of a signal that names it (the deepest), else to that of one of its
/// users.
fn modules(graph: &Graph, order: &[quadlock_rtlsim::graph::NodeId], live: &[bool]) {
    let mut owner: Vec<Option<ScopeId>> = vec![None; graph.nodes.len()];
    for s in &graph.signals {
        if let Value::Node(n) = s.value {
            let here = &mut owner[n.index()];
            *here = (*here).max(Some(s.scope));
        }
    }
    for &n in order.iter().rev() {
        let mine = owner[n.index()];
        for a in &graph.node(n).args {
            owner[a.index()] = owner[a.index()].or(mine);
        }
    }
    let mut per: BTreeMap<String, (usize, BTreeMap<String, usize>)> = BTreeMap::new();
    for n in order.iter().filter(|n| live[n.index()]) {
        let module = owner[n.index()].map_or("?".into(), |s| graph.scopes[s.index()].module.clone());
        let row = per.entry(module).or_default();
        row.0 += 1;
        *row.1.entry(name(&graph.node(*n).op)).or_default() += 1;
    }
    let mut rows: Vec<_> = per.into_iter().collect();
    rows.sort_by_key(|r| std::cmp::Reverse(r.1 .0));
    for (module, (count, ops)) in rows.into_iter().take(24) {
        let mut ops: Vec<_> = ops.into_iter().collect();
        ops.sort_by_key(|o| std::cmp::Reverse(o.1));
        let ops: Vec<String> = ops.iter().take(6).map(|(o, n)| format!("{o} {n}")).collect();
        println!("{module:<28}{count:>8}  {}", ops.join(", "));
    }
}

/// Runs both on the same random inputs.
fn check(before: &Graph, after: &Graph, cycles: u32) -> Result<(), Box<dyn std::error::Error>> {
    let (mut a, mut b) =
        (Interpreter::new(before, &Options::default())?, Interpreter::new(after, &Options::default())?);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut theirs: BTreeMap<String, SignalId> = BTreeMap::new();
    for i in (0..after.signals.len() as u32).map(SignalId) {
        theirs.insert(after.signal_path(i), i);
    }
    for cycle in 0..cycles {
        for (i, input) in before.inputs.iter().enumerate() {
            if rng.random_range(0..3) == 0 {
                let value = random_bits(&mut rng, input.width);
                a.set_input_wide(InputId(i as u32), &value);
                b.set_input_wide(InputId(i as u32), &value);
            }
        }
        a.settle();
        b.settle();
        for i in (0..before.signals.len() as u32).map(SignalId) {
            let path = before.signal_path(i);
            let (Value::Node(_), Some(&j)) = (before.signals[i.index()].value, theirs.get(&path)) else { continue };
            let (x, y) = (a.peek(i), b.peek(j));
            if x != y {
                return Err(format!("cycle {cycle}: {path} is {x} before and {y} after the passes").into());
            }
        }
        for edge in 0..a.domains().len() {
            let find = b.domains().iter().position(|d| d.rising == a.domains()[edge].rising);
            a.commit(edge);
            if let Some(d) = find {
                b.commit(d);
            }
        }
    }
    println!("equal for {cycles} cycles");
    Ok(())
}
