//! What is in a file: scopes, variables (several names of one node are aliases of one variable),
//! tables of the names of values.

use std::collections::HashMap;

use super::options::Note;
use crate::bits::Bits;
use crate::design::{Design, Enumeration};
use crate::graph::{Graph, NodeId, Op, SignalId, SignalKind, Value};
use crate::options::TraceScope;
use crate::Error;

/// A line of a file's header, in order.
pub(super) enum Item<'a> {
    Scope { name: &'a str, module: &'a str },
    Up,
    Var(Var<'a>),
}

/// A declared name.
pub(super) struct Var<'a> {
    pub name: &'a str,
    pub width: u32,
    pub lsb: i32,
    pub kind: SignalKind,
    /// Variable: names with one number are aliases.
    pub number: u32,
    /// Number of its table of names.
    pub table: Option<u32>,
}

/// What is in a file.
pub(super) struct Plan<'a> {
    pub items: Vec<Item<'a>>,
    /// Variable of each observed signal, then of each of `constants`.
    pub variable: Vec<Option<u32>>,
    /// Values that no engine observes because they never change.
    pub constants: Vec<Bits>,
    /// Width of each variable. The last ones are those of the notes.
    pub widths: Vec<u32>,
    /// Tables of names that variables refer to.
    pub tables: Tables<'a>,
}

/// Tables of names, each once.
#[derive(Default)]
pub(super) struct Tables<'a> {
    pub list: Vec<&'a Enumeration>,
    pub numbers: HashMap<&'a Enumeration, u32>,
}

impl<'a> Tables<'a> {
    pub fn number(&mut self, table: &'a Enumeration) -> u32 {
        *self.numbers.entry(table).or_insert_with(|| {
            self.list.push(table);
            self.list.len() as u32 - 1
        })
    }
}

impl<'a> Plan<'a> {
    pub fn new(
        graph: &'a Graph,
        design: &'a Design,
        observed: &[SignalId],
        scopes: &TraceScope,
    ) -> Result<Self, Error> {
        let mut plan = Self {
            items: Vec::new(),
            variable: vec![None; observed.len()],
            constants: Vec::new(),
            widths: Vec::new(),
            tables: Tables::default(),
        };
        let same = same_source(graph);
        // observed signal of each node
        let mut of_node = vec![None; graph.nodes.len()];
        for (i, &signal) in observed.iter().enumerate() {
            if let Value::Node(node) = graph.signals[signal.index()].value {
                of_node[same[node.index()].index()] = Some(i);
            }
        }
        let inside = scopes.scopes(graph);
        let mut wanted = inside.clone();
        let mut children = vec![Vec::new(); graph.scopes.len()];
        for (i, scope) in graph.scopes.iter().enumerate().rev() {
            if let Some(parent) = scope.parent {
                wanted[parent.index()] |= wanted[i];
                children[parent.index()].push(i);
            }
        }
        let mut signals = vec![Vec::new(); graph.scopes.len()];
        for (i, s) in graph.signals.iter().enumerate() {
            signals[s.scope.index()].push(SignalId(i as u32));
        }
        // children are in reverse order, which is what a stack wants; None: go up
        let mut todo: Vec<Option<usize>> =
            (0..graph.scopes.len()).rev().filter(|&i| graph.scopes[i].parent.is_none()).map(Some).collect();
        while let Some(next) = todo.pop() {
            let Some(i) = next else {
                plan.items.push(Item::Up);
                continue;
            };
            if !wanted[i] {
                continue;
            }
            plan.items.push(Item::Scope { name: &graph.scopes[i].name, module: &graph.scopes[i].module });
            if inside[i] {
                for &signal in &signals[i] {
                    let names = design.enumeration_number(signal).and_then(|n| design.enumerations_found().get(n));
                    plan.declare(graph, &same, &mut of_node, (signal, names))?;
                }
            }
            todo.push(None);
            todo.extend(children[i].iter().map(|&c| Some(c)));
        }
        Ok(plan)
    }

    fn declare(
        &mut self,
        graph: &'a Graph,
        same: &[NodeId],
        of_node: &mut [Option<usize>],
        (id, names): (SignalId, Option<&'a Enumeration>),
    ) -> Result<(), Error> {
        let signal = &graph.signals[id.index()];
        let Value::Node(node) = signal.value else { return Ok(()) };
        let node = same[node.index()];
        if let (None, Op::Const(value)) = (of_node[node.index()], &graph.node(node).op) {
            of_node[node.index()] = Some(self.variable.len());
            self.variable.push(None);
            self.constants.push(value.clone());
        }
        let Some(i) = of_node[node.index()] else {
            return Err(Error::Name(format!(
                "signals of {} cannot be traced: compile with Options::trace_all or trace_scope",
                graph.scope_path(signal.scope)
            )));
        };
        let number = *self.variable[i].get_or_insert_with(|| {
            self.widths.push(graph.width(node));
            self.widths.len() as u32 - 1
        });
        let Some(&width) = self.widths.get(number as usize) else { return Ok(()) };
        let table = names.map(|names| self.tables.number(names));
        self.items.push(Item::Var(Var {
            name: &signal.name,
            width,
            lsb: signal.lsb,
            kind: signal.kind,
            number,
            table,
        }));
        Ok(())
    }

    /// Declares notes at the end of the top scope, which is there even if no signal is traced.
    pub fn declare_notes(&mut self, graph: &'a Graph, notes: &'a [Note]) {
        let Some(top) = graph.scopes.iter().find(|s| s.parent.is_none()).filter(|_| !notes.is_empty()) else { return };
        if self.items.is_empty() {
            self.items.extend([Item::Scope { name: &top.name, module: &top.module }, Item::Up]);
        }
        let mut items = Vec::new();
        for (i, note) in notes.iter().enumerate() {
            if i == 0 || notes[i - 1].scope != note.scope {
                items.push(Item::Scope { name: &note.scope, module: "" });
            }
            let number = self.widths.len() as u32;
            self.widths.push(note.width);
            let table = note.names.as_deref().map(|names| self.tables.number(names));
            let (name, width, kind) = (&note.name, note.width, SignalKind::Wire);
            items.push(Item::Var(Var { name, width, lsb: 0, kind, number, table }));
            if notes.get(i + 1).is_none_or(|next| next.scope != note.scope) {
                items.push(Item::Up);
            }
        }
        let mut depth = 0;
        let end = self.items.iter().position(|item| {
            match item {
                Item::Scope { .. } => depth += 1,
                Item::Up => depth -= 1,
                Item::Var(_) => {}
            }
            depth == 0
        });
        let end = end.unwrap_or(self.items.len());
        self.items.splice(end..end, items);
    }
}

/// Several nodes may be one input or register, and an engine observes one of them: the first stands
/// for all.
fn same_source(graph: &Graph) -> Vec<NodeId> {
    let mut first: HashMap<&Op, NodeId> = HashMap::new();
    let ids = (0..graph.nodes.len()).map(|i| NodeId(i as u32));
    ids.map(|id| match &graph.node(id).op {
        op @ (Op::Input(_) | Op::Reg(_)) => *first.entry(op).or_insert(id),
        _ => id,
    })
    .collect()
}
