//! Which inputs are clocks, which domains their edges commit, and whether a cycle of the design can
//! be one evaluation ([`super::time`]).

use serde::{Deserialize, Serialize};

use crate::backend::Backend;
use crate::graph::{Edge, Graph, InputId, NodeId, Op};

/// What the clocks of a design are.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Clocks {
    /// Levels of the domains' clocks at the last look (of asynchronous domains: without meaning).
    pub levels: Vec<bool>,
    /// By domain: the backend looks for its edges.
    pub asynchronous: Vec<bool>,
    /// For each input: the domain that its rising edge commits; all `None` unless the design is of
    /// the simple kind.
    pub cycle_domain: Vec<Option<usize>>,
    /// Inputs that are, or that lead to, clocks.
    pub inputs: Vec<InputId>,
    pub simple: bool,
}

impl Clocks {
    pub fn new(graph: &Graph, backend: &dyn Backend) -> Self {
        let domains = backend.domains();
        let asynchronous: Vec<bool> = graph.domains().iter().map(|d| d.asynchronous).collect();
        let of_input = |node: NodeId| match graph.node(node).op {
            Op::Input(i) => Some(i),
            _ => None,
        };
        let mut as_data = vec![false; graph.nodes.len()];
        let order = graph.topological().unwrap_or_default();
        for &id in &order {
            for arg in &graph.node(id).args {
                as_data[arg.index()] = true;
            }
        }
        let state = graph.registers.iter().map(|r| Some(r.next));
        let writes = || graph.memories.iter().flat_map(|m| &m.writes);
        let ports = writes().flat_map(|w| [Some(w.enable), Some(w.addr), Some(w.data), w.mask]);
        for node in state.chain(ports).flatten().chain(graph.outputs.iter().map(|o| o.1)) {
            as_data[node.index()] = true;
        }
        let is_clock = |edge: Edge| graph.registers.iter().any(|r| r.edge == edge) || writes().any(|w| w.edge == edge);
        let clocks: Vec<(usize, Edge)> = domains.iter().copied().enumerate().filter(|d| is_clock(d.1)).collect();
        let simple = clocks.iter().all(|(k, d)| {
            d.rising
                && !asynchronous[*k]
                && of_input(d.clock).is_some()
                && !as_data[d.clock.index()]
                && domains.iter().filter(|e| e.clock == d.clock).count() == 1
        });
        let mut cycle_domain = vec![None; graph.inputs.len()];
        if simple {
            for (k, d) in &clocks {
                if let Some(i) = of_input(d.clock) {
                    cycle_domain[i.index()] = Some(*k);
                }
            }
        }
        let mut inputs: Vec<InputId> = Vec::new();
        for (_, d) in &clocks {
            inputs.extend(clock_inputs(graph, d.clock));
        }
        inputs.sort_unstable();
        inputs.dedup();
        let levels = (0..domains.len()).map(|k| backend.clock(k)).collect();
        Self { levels, asynchronous, cycle_domain, inputs, simple }
    }

    /// Takes the levels from the backend.
    pub fn look(&mut self, backend: &dyn Backend) {
        self.levels = (0..self.levels.len()).map(|k| backend.clock(k)).collect();
    }

    pub fn levels(&self) -> &[bool] {
        &self.levels
    }

    pub fn set_levels(&mut self, levels: &[bool]) {
        self.levels.copy_from_slice(levels);
    }
}

/// The inputs that a clock depends on without a register between, if it is one input or few of
/// them: candidates for "the" clock.
fn clock_inputs(graph: &Graph, clock: NodeId) -> Vec<InputId> {
    let mut found = Vec::new();
    let mut seen = vec![false; graph.nodes.len()];
    let mut todo = vec![clock];
    while let Some(node) = todo.pop() {
        if std::mem::replace(&mut seen[node.index()], true) {
            continue;
        }
        match graph.node(node).op {
            Op::Input(i) if graph.width(node) == 1 => found.push(i),
            _ => todo.extend(&graph.node(node).args),
        }
    }
    // a gated clock depends on its enable too; a name that says clock decides
    if found.len() > 1 {
        let named = |i: &InputId| {
            let name = graph.inputs[i.index()].name.to_ascii_lowercase();
            name.contains("clk") || name.contains("clock")
        };
        if found.iter().any(named) {
            found.retain(named);
        }
    }
    found
}
