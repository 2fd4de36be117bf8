//! Variables that count loops, and locals that a combinational process assigns on some paths only.
//! Whether they have a value outside of their process is known only when all processes are
//! executed.
//!
//! | variable | becomes |
//! | --- | --- |
//! | assigned by one clocked process | a register, as any other variable |
//! | assigned by one combinational process on every path | a combinational value |
//! | anything else that nothing reads | the value of its first process, for waves alone |
//! | anything else that something reads | an error: a latch, or a value of several processes |
//!
//! A variable is read if a node that has an effect depends on the net itself and not on a value
//! that its process gave it before. It can be wrong by overlooking such a node: then a loop's
//! counter loses its value between edges.

use std::collections::{BTreeMap, BTreeSet};

use super::cover::runs;
use super::execution::{Edge, Left, Value};
use super::unit::{Net, PieceSource, RawRegister, Result, Unit};
use crate::graph::{InputId, NodeId, Op, SignalKind};

impl Unit<'_, '_> {
    /// Stores the value that a process leaves in a variable whose driver is decided later.
    pub fn leave(&mut self, net: u32, value: &Value, edge: Option<&Edge>) -> bool {
        let n = &self.nets[net as usize];
        let partial = n.scratch && edge.is_none() && value.def != value.may;
        if !n.counter && !partial {
            return false;
        }
        self.left.push(Left { net, value: value.clone(), edge: edge.cloned() });
        true
    }

    /// Drives the variables, when all processes are executed.
    pub fn drive_left(&mut self) -> Result<()> {
        // A process before the first loop did not know that its variable counts one.
        let (counted, raw) = std::mem::take(&mut self.raw).into_iter().partition(|r| self.nets[r.net as usize].counter);
        self.raw = raw;
        let counted: Vec<RawRegister> = counted;
        self.left.extend(counted.into_iter().map(|r| Left {
            net: r.net,
            value: Value { node: r.next, def: r.may.clone(), may: r.may, span: r.span },
            edge: Some(Edge { clock: r.clock, rising: r.rising, asynchronous: r.asynchronous }),
        }));
        let mut of_net: BTreeMap<u32, Vec<Left>> = BTreeMap::new();
        for left in std::mem::take(&mut self.left) {
            of_net.entry(left.net).or_default().push(left);
        }
        let mut open = Vec::new();
        for (net, left) in of_net {
            let n = &self.nets[net as usize];
            let plain = |l: &Left| l.edge.is_some() || l.value.def == l.value.may;
            if left.iter().all(plain) && (left.len() == 1 || !n.pieces.is_empty() || !n.counter) {
                // `tile` reports bits with two drivers.
                left.iter().for_each(|l| self.drive_variable(l));
            } else {
                open.push((net, left));
            }
        }
        let read = self.nets_read();
        for (net, left) in open {
            let counter = self.nets[net as usize].counter;
            if read.contains(&net) {
                let latch = left.iter().find(|l| l.edge.is_none() && l.value.def != l.value.may);
                let name = self.nets[net as usize].name.clone();
                return match (latch, &left[..]) {
                    (_, [_, second, ..]) if counter => self.error(
                        second.value.span,
                        format!("{name} counts loops of several processes and is read outside of them: declare a variable for each process"),
                    ),
                    (Some(l), _) => self.error(
                        l.value.span,
                        format!("{name} is not assigned on every path and would be a latch: give it a value at the start of the process"),
                    ),
                    _ => Ok(()),
                };
            }
            let shown = if counter { 1 } else { left.len() };
            left.iter().take(shown).for_each(|l| self.drive_variable(l));
        }
        Ok(())
    }

    fn drive_variable(&mut self, left: &Left) {
        let Left { net, value, edge } = left;
        let (net, next, may, span) = (*net, value.node, value.may.clone(), value.span);
        if let Some(Edge { clock, rising, asynchronous }) = edge.clone() {
            self.raw.push(RawRegister { net, span, clock, rising, next, may, asynchronous });
            return;
        }
        let width = self.nets[net as usize].width;
        for (lo, len) in runs(width, |bit| may.get(bit).then_some(())) {
            let node = self.b.slice(next, lo, len);
            self.drive(net, lo, len, PieceSource::Node(node), span);
        }
    }

    /// Nets on which anything depends that has an effect.
    fn nets_read(&self) -> BTreeSet<u32> {
        let mut seen = vec![false; self.b.nodes.len()];
        let mut stack: Vec<NodeId> = Vec::new();
        for raw in &self.raw {
            stack.extend([raw.next, raw.clock]);
            stack.extend(raw.asynchronous.iter().map(|e| e.0));
        }
        for write in self.memories.iter().flat_map(|m| &m.writes) {
            stack.extend([write.clock, write.enable, write.addr, write.data]);
            stack.extend(write.mask);
            stack.extend(write.asynchronous.iter().map(|e| e.0));
        }
        for piece in self.nets.iter().flat_map(|n| &n.pieces) {
            if let PieceSource::Node(node) = piece.source {
                stack.push(node);
            }
        }
        stack.extend(self.instances.iter().flat_map(|i| i.inputs.values()));
        let mut nets = BTreeSet::new();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut seen[node.index()], true) {
                continue;
            }
            let n = self.b.node(node);
            if let Op::Input(InputId(net)) = n.op {
                nets.insert(net);
            }
            stack.extend(&n.args);
        }
        // A port is read from outside.
        let port = |n: &Net| n.kind == SignalKind::Output;
        nets.extend(self.nets.iter().enumerate().filter(|(_, n)| port(n)).map(|(id, _)| id as u32));
        nets
    }
}
