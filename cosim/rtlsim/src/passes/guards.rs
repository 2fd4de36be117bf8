//! Under which conditions a node matters: what stands only in an arm of a `Mux`, or only feeds a
//! write port, need not be computed while the condition says otherwise. Verilog written as `if` and
//! `case` computes only the branch taken; elaboration turns it into selections, and this analysis
//! finds the branches again, for a backend that may jump over them. The conditions of a node are a
//! path in a tree: each step one condition and the value it must have. A node that matters in
//! several places has the path that these have in common.
//!
//! The condition of a step is itself computed one step further out at most, and never depends on
//! what it guards, so that it can be tested first. How it can be wrong: a use that is not walked (a
//! root that is left out of `roots`), for then a value is thought unneeded that somebody reads.

use super::builder::FastMap;
use crate::graph::{Graph, NodeId, Op};

/// A step of a path of conditions; 0 is the empty path.
pub type GuardId = u32;

/// A step: what it adds to the path of its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The step before; of 0: 0.
    pub parent: GuardId,
    /// Steps from the empty path.
    pub depth: u32,
    /// One bit wide (of 0: without meaning).
    pub condition: NodeId,
    /// What the condition must be.
    pub value: bool,
}

/// Conditions of all nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guards {
    /// A parent comes before its children.
    pub guards: Vec<Guard>,
    /// Of each node; `None`: no root needs it.
    pub of: Vec<Option<GuardId>>,
}

/// Longest path followed; further conditions are left out, which is safe.
const DEEPEST: u32 = 40;

struct Maker {
    guards: Vec<Guard>,
    of: Vec<Option<GuardId>>,
    known: FastMap<(GuardId, NodeId, bool), GuardId>,
}

impl Maker {
    fn step(&mut self, parent: GuardId, condition: NodeId, value: bool) -> GuardId {
        let depth = self.guards[parent as usize].depth + 1;
        if depth > DEEPEST {
            return parent;
        }
        let next = self.guards.len() as GuardId;
        let id = *self.known.entry((parent, condition, value)).or_insert(next);
        if id == next {
            self.guards.push(Guard { parent, depth, condition, value });
        }
        id
    }

    fn needs(&mut self, node: NodeId, guard: GuardId) {
        let old = self.of[node.index()];
        self.of[node.index()] = Some(old.map_or(guard, |old| common(&self.guards, old, guard)));
    }
}

/// The path two paths begin with.
fn common(guards: &[Guard], mut a: GuardId, mut b: GuardId) -> GuardId {
    while a != b {
        // ids grow away from the root
        if a > b {
            a = guards[a as usize].parent;
        } else {
            b = guards[b as usize].parent;
        }
    }
    a
}

/// The conditions of each node that outputs, state or `also` need. A graph with a combinational
/// loop has none.
pub fn guards(graph: &Graph, also: &[NodeId]) -> Guards {
    let none = Guard { parent: 0, depth: 0, condition: NodeId(0), value: true };
    let of = vec![None; graph.nodes.len()];
    let mut m = Maker { guards: vec![none], of, known: FastMap::default() };
    let order = graph.topological().unwrap_or_default();
    roots(graph, &mut m);
    also.iter().for_each(|&n| m.needs(n, 0));
    for &n in order.iter().rev() {
        let Some(here) = m.of[n.index()] else { continue };
        let node = graph.node(n);
        if node.op == Op::Mux {
            let (taken, other) = (m.step(here, node.args[0], true), m.step(here, node.args[0], false));
            m.needs(node.args[0], here);
            m.needs(node.args[1], taken);
            m.needs(node.args[2], other);
        } else {
            node.args.iter().for_each(|&a| m.needs(a, here));
        }
    }
    Guards { guards: m.guards, of: m.of }
}

fn roots(graph: &Graph, m: &mut Maker) {
    graph.inputs.iter().for_each(|i| m.needs(i.node, 0));
    graph.outputs.iter().for_each(|o| m.needs(o.1, 0));
    for r in &graph.registers {
        m.needs(r.next, 0);
        r.edges().for_each(|e| m.needs(e.clock, 0));
    }
    for w in graph.memories.iter().flat_map(|m| &m.writes) {
        let taken = m.step(0, w.enable, true);
        w.edges().for_each(|e| m.needs(e.clock, 0));
        m.needs(w.enable, 0);
        m.needs(w.addr, taken);
        m.needs(w.data, taken);
        w.mask.iter().for_each(|&n| m.needs(n, taken));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::Bits;
    use crate::graph::{Input, InputId};
    use crate::random_graph::{random_graph, Shape};

    fn input(g: &mut Graph, width: u32) -> NodeId {
        let node = g.add(Op::Input(InputId(g.inputs.len() as u32)), width, &[]);
        g.inputs.push(Input { name: format!("i{}", g.inputs.len()), width, node });
        node
    }

    #[test]
    fn an_arm_matters_only_while_it_is_chosen() {
        let mut g = Graph::default();
        let (s, t, a, b) = (input(&mut g, 1), input(&mut g, 1), input(&mut g, 8), input(&mut g, 8));
        let sum = g.add(Op::Add, 8, &[a, b]);
        let both = g.add(Op::Xor, 8, &[a, b]);
        let product = g.add(Op::Mul, 8, &[sum, both]);
        let inner = g.add(Op::Mux, 8, &[t, product, both]);
        let outer = g.add(Op::Mux, 8, &[s, inner, a]);
        g.outputs.push(("o".into(), outer));
        let found = guards(&g, &[]);
        let path = |n: NodeId| {
            let (mut at, mut path) = (found.of[n.index()].expect("needed"), Vec::new());
            while at != 0 {
                let step = found.guards[at as usize];
                path.insert(0, (step.condition, step.value));
                at = step.parent;
            }
            path
        };
        assert_eq!(path(outer), []);
        assert_eq!(path(inner), [(s, true)]);
        assert_eq!(path(t), [], "an input is at hand anyway");
        assert_eq!(path(product), [(s, true), (t, true)]);
        assert_eq!(path(sum), [(s, true), (t, true)]);
        assert_eq!(path(both), [(s, true)], "in both arms of t");
        assert_eq!(guards(&g, &[sum]).of[sum.index()], Some(0), "looked at always");
    }

    /// A condition is needed wherever what it guards is, and is computed further out.
    #[test]
    fn conditions_come_first() {
        for seed in 0..40 {
            let mut g = random_graph(seed, &Shape::default());
            g.constant(Bits::zero(3));
            let found = guards(&g, &[]);
            for step in &found.guards[1..] {
                let outside = found.of[step.condition.index()].expect("a condition is needed");
                assert_eq!(common(&found.guards, outside, step.parent), outside, "seed {seed}");
            }
            for (i, node) in g.nodes.iter().enumerate() {
                let Some(here) = found.of[i] else { continue };
                for a in &node.args {
                    let there = found.of[a.index()].expect("an argument is needed");
                    let ok = node.op == Op::Mux || common(&found.guards, there, here) == there;
                    assert!(ok, "seed {seed}: an argument is needed less often than its user");
                }
            }
        }
    }
}
