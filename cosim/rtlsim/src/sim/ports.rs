//! The names of the top module: what a test bench asks for, at hand without the tree of all names.
//! Wrong if it says anything else than the tree would; a test asks both.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::bits::Bits;
use crate::graph::{Graph, ScopeId, SignalId, Value};

/// Signals and inputs of the top module.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Ports {
    /// The top module's name.
    top: String,
    /// By name. Memories are not among them, and of equal names the first counts.
    signals: BTreeMap<String, PortSignal>,
    /// By [`crate::graph::InputId`]: name and width.
    pub inputs: Vec<(String, u32)>,
}

/// A signal of the top module.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct PortSignal {
    pub id: SignalId,
    pub width: u32,
    /// Its value, if it is a constant of at most 64 bits.
    pub constant: Option<u64>,
}

impl Ports {
    /// Those of a graph as it runs.
    pub fn new(graph: &Graph) -> Self {
        let mut signals = BTreeMap::new();
        let own = graph.signals.iter().enumerate().filter(|(_, s)| s.scope == ScopeId(0));
        for (i, signal) in own {
            let constant = match signal.value {
                Value::Node(node) => graph.as_const(node).and_then(Bits::small),
                // Its name is taken: whoever asks for it is told by the tree what it is.
                Value::Memory(_) => continue,
            };
            let port = PortSignal { id: SignalId(i as u32), width: signal.width, constant };
            signals.entry(signal.name.clone()).or_insert(port);
        }
        let top = graph.scopes.first().map(|s| s.name.clone()).unwrap_or_default();
        Self { top, signals, inputs: graph.inputs.iter().map(|i| (i.name.clone(), i.width)).collect() }
    }

    /// A name without the top module's before it.
    pub fn below_top<'a>(&self, name: &'a str) -> &'a str {
        name.strip_prefix(self.top.as_str()).and_then(|n| n.strip_prefix('.')).unwrap_or(name)
    }

    /// The signal of a path that leads nowhere below the top module. Paths with more dots are for
    /// the tree of names, and so are unknown ones.
    pub fn signal(&self, path: &str) -> Option<PortSignal> {
        let name = self.below_top(path);
        if name.contains('.') || name == path && path.contains('.') {
            return None;
        }
        self.signals.get(name).copied()
    }

    /// Whether that signal is a constant, if it is one of the top module's.
    pub fn constant(&self, id: SignalId) -> Option<Option<u64>> {
        self.signals.values().find(|s| s.id == id).map(|s| s.constant)
    }
}
