//! Value numbering: every node is made anew, arguments first, through the builder, which shares
//! equal nodes and applies the rules. What no root and no signal needs is not walked and so goes.
//! Also the frame in which other passes change single nodes. Where it can be wrong: a place that
//! names a node and is not remapped ([`remap`] lists them all).

use super::builder::Builder;
use crate::graph::{Graph, Node, NodeId, Value};

/// Makes the graph anew; without `rules`, nodes only come into topological order, equal ones
/// shared.
pub fn rebuild(graph: &mut Graph, rules: bool) {
    rebuild_with(graph, rules, |b, _, _, node, args| b.op(node.op.clone(), node.width, args));
}

/// Makes the graph anew, each node by `make` from what became of the nodes before it, its id,
/// itself and its new arguments.
pub fn rebuild_with(
    graph: &mut Graph,
    rules: bool,
    mut make: impl FnMut(&mut Builder, &[NodeId], NodeId, &Node, &[NodeId]) -> NodeId,
) {
    let Ok(order) = graph.topological() else { return };
    let mut b = Builder::new(std::mem::take(&mut graph.tables), order.len(), rules);
    let mut map = vec![NodeId(0); graph.nodes.len()];
    let mut args = Vec::new();
    for id in order {
        let node = graph.node(id);
        args.clear();
        args.extend(node.args.iter().map(|a| map[a.index()]));
        let new = make(&mut b, &map, id, node, &args);
        debug_assert_eq!(b.width(new), node.width);
        map[id.index()] = new;
    }
    (graph.nodes, graph.tables) = b.finish();
    remap(graph, |n| map[n.index()]);
}

/// Puts `to(node)` for every node that inputs, outputs, registers, memories and signals name
/// (arguments of nodes excepted).
pub fn remap(graph: &mut Graph, to: impl Fn(NodeId) -> NodeId) {
    let put = |n: &mut NodeId| *n = to(*n);
    graph.inputs.iter_mut().for_each(|i| put(&mut i.node));
    graph.outputs.iter_mut().for_each(|o| put(&mut o.1));
    for r in &mut graph.registers {
        put(&mut r.next);
        put(&mut r.edge.clock);
        r.asynchronous.iter_mut().for_each(|e| put(&mut e.clock));
    }
    for w in graph.memories.iter_mut().flat_map(|m| &mut m.writes) {
        put(&mut w.edge.clock);
        put(&mut w.enable);
        put(&mut w.addr);
        put(&mut w.data);
        w.mask.iter_mut().for_each(put);
        w.asynchronous.iter_mut().for_each(|e| put(&mut e.clock));
    }
    for s in &mut graph.signals {
        if let Value::Node(n) = &mut s.value {
            put(n);
        }
    }
}

/// As [`remap`], signals by a map of their own.
pub fn remap_signals_apart(graph: &mut Graph, to: impl Fn(NodeId) -> NodeId, signals: impl Fn(NodeId) -> NodeId) {
    let named = std::mem::take(&mut graph.signals);
    remap(graph, to);
    graph.signals = named;
    for s in &mut graph.signals {
        if let Value::Node(n) = &mut s.value {
            *n = signals(*n);
        }
    }
}

/// Nodes that signals name.
pub fn signal_nodes(graph: &Graph) -> impl Iterator<Item = NodeId> + '_ {
    graph.signals.iter().filter_map(|s| match s.value {
        Value::Node(n) => Some(n),
        Value::Memory(_) => None,
    })
}
