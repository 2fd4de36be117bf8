//! Rewrites of the graph that the compiled engine wants and nobody else: "hold" multiplexers around
//! a register become an enable. A register whose next value is `c ? v : q` needs no work in a cycle
//! in which `c` is 0; with the enable known, everything that only `v` needs can be skipped too.
//! Wrong here means wrong in the compiled engine only: the comparison with the interpreter finds
//! it.

use rustc_hash::FxHashMap as HashMap;

use crate::bits::Bits;
use crate::graph::{Graph, NodeId, Op, RegId};

/// What a register takes at an edge: `enable ? data : q`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next {
    pub enable: Option<NodeId>,
    pub data: NodeId,
}

/// Longest chain of multiplexers that is searched for the register itself.
const DEPTH: u32 = 24;

/// Adds nodes with sharing.
struct Builder<'a> {
    graph: &'a mut Graph,
    known: HashMap<(Op, Vec<NodeId>), NodeId>,
    /// Results of `split` for the register in hand: multiplexers share arms.
    splits: HashMap<NodeId, Option<(NodeId, NodeId)>>,
}

impl Builder<'_> {
    fn add(&mut self, op: Op, width: u32, args: &[NodeId]) -> NodeId {
        let graph = &mut *self.graph;
        *self.known.entry((op.clone(), args.to_vec())).or_insert_with(|| graph.add(op, width, args))
    }

    fn bit(&mut self, value: bool) -> NodeId {
        self.add(Op::Const(Bits::bit(value)), 1, &[])
    }

    fn not(&mut self, a: NodeId) -> NodeId {
        if let Some(v) = self.graph.as_const(a) {
            let v = v.is_zero();
            return self.bit(v);
        }
        if self.graph.node(a).op == Op::Not {
            return self.graph.node(a).args[0];
        }
        self.add(Op::Not, 1, &[a])
    }

    fn and(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.graph.as_const(a).map(Bits::is_zero), self.graph.as_const(b).map(Bits::is_zero)) {
            (Some(true), _) | (_, Some(false)) => a,
            (Some(false), _) | (_, Some(true)) => b,
            _ => self.add(Op::And, 1, &[a, b]),
        }
    }

    fn or(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.graph.as_const(a).map(Bits::is_zero), self.graph.as_const(b).map(Bits::is_zero)) {
            (Some(false), _) | (_, Some(true)) => a,
            (Some(true), _) | (_, Some(false)) => b,
            _ => self.add(Op::Or, 1, &[a, b]),
        }
    }

    /// (enable, data) with `node == enable ? data : q` whenever that says anything.
    fn split(&mut self, node: NodeId, q: RegId, depth: u32) -> Option<(NodeId, NodeId)> {
        if let Some(&known) = self.splits.get(&node) {
            return known;
        }
        let result = self.split_new(node, q, depth);
        self.splits.insert(node, result);
        result
    }

    fn split_new(&mut self, node: NodeId, q: RegId, depth: u32) -> Option<(NodeId, NodeId)> {
        let n = self.graph.node(node);
        match n.op {
            Op::Reg(r) if r == q => {
                let never = self.bit(false);
                Some((never, node))
            }
            Op::Mux if depth > 0 => {
                let (c, t, e, width) = (n.args[0], n.args[1], n.args[2], n.width);
                let (then, other) = (self.split(t, q, depth - 1), self.split(e, q, depth - 1));
                if then.is_none() && other.is_none() {
                    return None;
                }
                let one = self.bit(true);
                let (te, td) = then.unwrap_or((one, t));
                let (ee, ed) = other.unwrap_or((one, e));
                let not_c = self.not(c);
                let (when_t, when_e) = (self.and(c, te), self.and(not_c, ee));
                // Simplest form of c & te | !c & ee when one side is always on.
                let enable = if te == one {
                    self.or(c, ee)
                } else if ee == one {
                    self.or(not_c, te)
                } else {
                    self.or(when_t, when_e)
                };
                let zero = |g: &Graph, x: NodeId| g.as_const(x).is_some_and(Bits::is_zero);
                let data = if zero(self.graph, te) {
                    ed
                } else if zero(self.graph, ee) || td == ed {
                    td
                } else {
                    self.add(Op::Mux, width, &[c, td, ed])
                };
                Some((enable, data))
            }
            _ => None,
        }
    }
}

/// Prepares a graph; the second value says for each register what it takes.
pub fn prepare(mut graph: Graph, enables: bool) -> (Graph, Vec<Next>) {
    let mut builder = Builder { graph: &mut graph, known: HashMap::default(), splits: HashMap::default() };
    let mut nexts = Vec::with_capacity(builder.graph.registers.len());
    for i in 0..builder.graph.registers.len() {
        let next = builder.graph.registers[i].next;
        builder.splits.clear();
        let split = if enables { builder.split(next, RegId(i as u32), DEPTH) } else { None };
        nexts.push(match split {
            Some((enable, data)) if builder.graph.as_const(enable).is_none_or(Bits::is_zero) => {
                Next { enable: Some(enable), data }
            }
            _ => Next { enable: None, data: next },
        });
    }
    (graph, nexts)
}
