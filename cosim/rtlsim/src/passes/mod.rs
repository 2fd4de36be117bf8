//! Optimising passes: a graph goes in, a smaller one that means the same comes out. Each pass is
//! one file, can be switched off alone, and is tested on random graphs against the interpreter. All
//! passes but those on registers write through [`builder::Builder`], which shares equal nodes and
//! applies the algebraic rules, so every pass cleans up after itself. Cost: linear in the graph but
//! for the hashing and the few rounds of register merging.
//!
//! What is kept: values of outputs, of memories and registers that stay, and of every named signal
//! that stays, for every sequence of inputs. Ids of nodes, registers, memories and tables change;
//! ids of signals do not, unless [`PassOptions::keep_state`] is off.

mod builder;
mod fold;
pub mod guards;
mod known;
mod lookup;
mod narrow;
mod popcount;
mod rebuild;
mod registers;
mod simplify;
mod state;

#[cfg(feature = "random")]
pub(crate) use rebuild::remap;

use crate::graph::{Graph, NodeId, ScopeId, SignalKind, Value};
use rustc_hash::FxHashMap as HashMap;
use std::time::{Duration, Instant};

/// Which passes run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassOptions {
    /// Named values stay as they are where outputs and state need them, so that a backend has them
    /// at hand. Without it, a named value may get logic of its own, that no output needs and that
    /// is evaluated when the signal is asked for.
    pub keep_signals: bool,
    /// State that only named signals show is kept. Without it, it goes, and the signals that show
    /// it too: ids of signals change.
    pub keep_state: bool,
    /// Equal nodes are shared and constants folded, by the algebraic rules.
    pub rules: bool,
    /// Registers that never change become constants.
    pub constant_registers: bool,
    /// Registers that are always equal become one.
    pub register_copies: bool,
    /// State that no output (or kept signal) needs goes.
    pub unused_state: bool,
    /// Memories that are never written become tables.
    pub memories: bool,
    /// Logic of one narrow value becomes a lookup.
    pub lookup: bool,
    /// Sums of single bits are counted at once.
    pub popcount: bool,
    /// Bits that nothing looks at are not computed.
    pub narrow: bool,
}

impl Default for PassOptions {
    fn default() -> Self {
        Self {
            keep_signals: true,
            keep_state: true,
            rules: true,
            constant_registers: true,
            register_copies: true,
            unused_state: true,
            memories: true,
            lookup: true,
            popcount: true,
            narrow: true,
        }
    }
}

impl PassOptions {
    /// Every pass off: the graph is only put into topological order.
    pub fn none() -> Self {
        Self {
            keep_signals: true,
            keep_state: true,
            rules: false,
            constant_registers: false,
            register_copies: false,
            unused_state: false,
            memories: false,
            lookup: false,
            popcount: false,
            narrow: false,
        }
    }
}

/// The graph after a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Name of the pass.
    pub pass: &'static str,
    /// Nodes that outputs and state need.
    pub nodes: usize,
    /// Nodes that only named signals need.
    pub signal_nodes: usize,
    /// Registers that are left.
    pub registers: usize,
    /// Memories that are left.
    pub memories: usize,
    /// Of the pass alone.
    pub time: Duration,
}

/// What the passes did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The graph as it came, then after each pass.
    pub steps: Vec<Step>,
}

impl Report {
    fn add(&mut self, pass: &'static str, time: Duration, graph: &Graph) {
        let (nodes, all) = (reachable(graph, false), reachable(graph, true));
        let (registers, memories) = (graph.registers.len(), graph.memories.len());
        self.steps.push(Step { pass, nodes, signal_nodes: all - nodes, registers, memories, time });
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(
            f,
            "{:<24}{:>10}{:>12}{:>11}{:>10}{:>8}",
            "pass", "nodes", "for signals", "registers", "memories", "ms"
        )?;
        for s in &self.steps {
            let Step { pass, nodes, signal_nodes, registers, memories, time } = s;
            let ms = time.as_secs_f64() * 1e3;
            writeln!(f, "{pass:<24}{nodes:>10}{signal_nodes:>12}{registers:>11}{memories:>10}{ms:>8.1}")?;
        }
        Ok(())
    }
}

/// Number of nodes that outputs and state (and signals) need.
fn reachable(graph: &Graph, signals: bool) -> usize {
    let mut seen = vec![false; graph.nodes.len()];
    let mut stack = graph.roots();
    if signals {
        stack.extend(rebuild::signal_nodes(graph));
    }
    let mut count = 0;
    while let Some(n) = stack.pop() {
        if !std::mem::replace(&mut seen[n.index()], true) {
            count += 1;
            stack.extend(&graph.node(n).args);
        }
    }
    count
}

/// Makes the graph smaller. A graph with a combinational loop is left as it is.
pub fn optimize(graph: &mut Graph, options: &PassOptions) {
    passes(graph, options, &mut |_, _, _| ());
}

/// The same, and says what each pass did. To count what is left takes as long as a pass.
pub fn optimize_reported(graph: &mut Graph, options: &PassOptions) -> Report {
    let mut report = Report::default();
    report.add("input", Duration::ZERO, graph);
    passes(graph, options, &mut |pass, time, graph| report.add(pass, time, graph));
    report
}

/// Runs the passes; `each` gets the name of one, its time, and the graph behind it.
fn passes(graph: &mut Graph, options: &PassOptions, each: &mut dyn FnMut(&'static str, Duration, &Graph)) {
    let mut run = |name: &'static str, on: bool, graph: &mut Graph, pass: &mut dyn FnMut(&mut Graph)| {
        if on {
            let start = Instant::now();
            pass(graph);
            each(name, start.elapsed(), graph);
        }
    };
    run("rules", options.rules, graph, &mut |g| rebuild::rebuild(g, true));
    run("memories", options.memories, graph, &mut state::memories);
    run("constant registers", options.constant_registers, graph, &mut registers::constants);
    run("register copies", options.register_copies, graph, &mut registers::copies);
    run("unused state", options.unused_state, graph, &mut |g| state::unused(g, options.keep_state));
    run("popcount", options.popcount, graph, &mut popcount::popcount);
    run("lookup", options.lookup, graph, &mut lookup::lookup);
    run("narrow", options.narrow, graph, &mut |g| narrow::narrow(g, options.keep_signals));
    name_outputs(graph);
    rebuild::rebuild(graph, false);
}

/// The signal of an output port is the node that the port is: passes may have left it a copy of its
/// own, which nothing computes.
fn name_outputs(graph: &mut Graph) {
    let outputs: HashMap<&str, NodeId> = graph.outputs.iter().map(|(name, node)| (name.as_str(), *node)).collect();
    let ports = graph.signals.iter_mut().filter(|s| s.kind == SignalKind::Output && s.scope == ScopeId(0));
    for signal in ports {
        if let (Value::Node(node), Some(&output)) = (&mut signal.value, outputs.get(signal.name.as_str())) {
            *node = output;
        }
    }
}
