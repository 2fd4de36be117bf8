//! What the symbolic execution of a process knows at a point of it: values of variables, the
//! conditions on the way, and what was overwritten since a branch began. The execution itself is in
//! [`super::process`].

use std::collections::BTreeSet;
use std::rc::Rc;

use super::builder::Map;
use super::cover::Cover;
use crate::ast::Span;
use crate::graph::NodeId;

/// Value of a variable at a point of the process.
#[derive(Clone)]
pub(super) struct Value {
    pub node: NodeId,
    /// Bits assigned on every path to here.
    pub def: Cover,
    /// Bits assigned on some path.
    pub may: Cover,
    pub span: Span,
}

/// The edges that a clocked process waits for.
#[derive(Clone)]
pub(super) struct Edge {
    pub clock: NodeId,
    pub rising: bool,
    /// Further signals whose edge (rising: true) it waits for.
    pub asynchronous: Rc<[(NodeId, bool)]>,
}

/// What a process leaves in a variable of this kind.
pub(super) struct Left {
    pub net: u32,
    pub value: Value,
    /// None: the process is combinational.
    pub edge: Option<Edge>,
}

/// What the conditions on the way to a statement say.
#[derive(Clone)]
pub(super) enum Path {
    Is(NodeId),
    /// None of the first `1` of these.
    NoneOf(Rc<Vec<NodeId>>, usize),
}

/// The execution of one process.
#[derive(Default)]
pub(super) struct Process {
    pub initial: bool,
    pub clocked: bool,
    /// By net: twice its number, plus one for non-blocking.
    pub values: Vec<Option<Value>>,
    /// Values overwritten since the start, for undoing a branch.
    pub journal: Vec<(u32, Option<Value>)>,
    pub path: Vec<Path>,
    /// Memory writes of a clocked process: which, enable, address, data, mask, where.
    pub writes: Vec<(u32, NodeId, NodeId, NodeId, Option<NodeId>, Span)>,
    pub blocking_writes: BTreeSet<u32>,
}

impl Process {
    /// How much was assigned so far: values, memory writes.
    pub fn marks(&self) -> (usize, usize) {
        (self.journal.len(), self.writes.len())
    }

    pub fn get(&self, slot: u32) -> Option<&Value> {
        self.values.get(slot as usize).and_then(Option::as_ref)
    }

    pub fn set(&mut self, slot: u32, value: Value) {
        let at = slot as usize;
        if self.values.len() <= at {
            self.values.resize(at + 1, None);
        }
        let old = self.values[at].replace(value);
        self.journal.push((slot, old));
    }

    /// Takes back everything since `mark` and returns what it had become.
    pub fn undo(&mut self, mark: usize) -> Map<u32, Value> {
        let mut delta = Map::default();
        for (slot, old) in self.journal.drain(mark..).rev() {
            let now = std::mem::replace(&mut self.values[slot as usize], old);
            if let Some(now) = now {
                delta.entry(slot).or_insert(now);
            }
        }
        delta
    }
}
