//! Registers that are constants and registers that are copies of others. Both are found from an
//! optimistic assumption that is refuted step by step, so that groups which hold one another up
//! (two copies of a counter, each fed by its own sum) are found too. What is left when nothing
//! refutes it any more holds by induction over clock edges: it holds at the start, and every edge
//! keeps it. How it can be wrong: an assumption used before it is settled, so both work to a fixed
//! point, or give up and change nothing.

use super::builder::{Builder, Fast, FastMap};
use super::fold::fold_partial;
use super::rebuild::rebuild_with;
use super::state::retain;
use crate::bits::Bits;
use crate::graph::{Edge, Graph, NodeId, Op, RegId, Start};
use std::hash::{Hash, Hasher};

/// Replaces registers that never leave their start value by it.
pub fn constants(graph: &mut Graph) {
    let Ok(order) = graph.topological() else { return };
    let values = constant_registers(graph, &order);
    if values.iter().all(Option::is_none) {
        return;
    }
    rebuild_with(graph, true, |b, _, _, node, args| match node.op {
        Op::Reg(r) => match &values[r.index()] {
            Some(v) => b.constant(v.clone()),
            None => b.op(node.op.clone(), node.width, args),
        },
        _ => b.op(node.op.clone(), node.width, args),
    });
    let keep: Vec<bool> = values.iter().map(Option::is_none).collect();
    let memories = vec![true; graph.memories.len()];
    retain(graph, &keep, &memories);
}

/// For each node its users, as ranges of one list.
struct Users {
    from: Vec<u32>,
    list: Vec<NodeId>,
}

impl Users {
    fn new(graph: &Graph, order: &[NodeId]) -> Self {
        let mut from = vec![0u32; graph.nodes.len() + 1];
        for &n in order {
            for a in &graph.node(n).args {
                from[a.index() + 1] += 1;
            }
        }
        for i in 1..from.len() {
            from[i] += from[i - 1];
        }
        let mut at = from.clone();
        let mut list = vec![NodeId(0); from[from.len() - 1] as usize];
        for &n in order {
            for a in &graph.node(n).args {
                list[at[a.index()] as usize] = n;
                at[a.index()] += 1;
            }
        }
        Self { from, list }
    }

    fn of(&self, n: NodeId) -> &[NodeId] {
        &self.list[self.from[n.index()] as usize..self.from[n.index() + 1] as usize]
    }
}

/// The value of each register that always has it.
fn constant_registers(graph: &Graph, order: &[NodeId]) -> Vec<Option<Bits>> {
    let start = |s: &Start| match s {
        Start::Value(v) => Some(v.clone()),
        Start::Unknown => None,
    };
    let mut registers: Vec<Option<Bits>> = graph.registers.iter().map(|r| start(&r.start)).collect();
    let users = Users::new(graph, order);
    let mut values: Vec<Option<Bits>> = vec![None; graph.nodes.len()];
    let evaluate = |n: NodeId, values: &[Option<Bits>], registers: &[Option<Bits>]| {
        let node = graph.node(n);
        match node.op {
            Op::Input(_) | Op::MemRead(_) => None,
            Op::Reg(r) => registers[r.index()].clone(),
            _ => {
                let args: Vec<Option<&Bits>> = node.args.iter().map(|a| values[a.index()].as_ref()).collect();
                fold_partial(&node.op, node.width, &args, &graph.tables)
            }
        }
    };
    let mut nodes_of = vec![Vec::new(); graph.registers.len()];
    for &n in order {
        if let Op::Reg(r) = graph.node(n).op {
            nodes_of[r.index()].push(n);
        }
        values[n.index()] = evaluate(n, &values, &registers);
    }
    let mut work: Vec<NodeId> = Vec::new();
    loop {
        for (i, r) in graph.registers.iter().enumerate() {
            let Some(v) = &registers[i] else { continue };
            if values[r.next.index()].as_ref() != Some(v) {
                registers[i] = None;
                work.extend(&nodes_of[i]);
            }
        }
        if work.is_empty() {
            return registers;
        }
        // a value is only ever lost, never changed: each node loses it once
        while let Some(n) = work.pop() {
            if values[n.index()].is_some() && evaluate(n, &values, &registers).is_none() {
                values[n.index()] = None;
                work.extend(users.of(n));
            }
        }
    }
}

/// Rounds of refinement before copies are given up: one more than the longest chain of registers
/// that tells two apart.
const ROUNDS: usize = 24;

/// Merges registers that always have the same value.
pub fn copies(graph: &mut Graph) {
    let Ok(order) = graph.topological() else { return };
    let Some(class) = classes(graph, &order) else { return };
    // the first of a class stands for it
    let mut first: FastMap<u32, u32> = FastMap::default();
    let stands: Vec<u32> = (0u32..).zip(&class).map(|(i, &c)| *first.entry(c).or_insert(i)).collect();
    if (0u32..).zip(&stands).all(|(i, &s)| i == s) {
        return;
    }
    rebuild_with(graph, true, |b, _, _, node, args| match node.op {
        Op::Reg(r) => b.op(Op::Reg(RegId(stands[r.index()])), node.width, args),
        _ => b.op(node.op.clone(), node.width, args),
    });
    let keep: Vec<bool> = (0u32..).zip(&stands).map(|(i, &s)| i == s).collect();
    let memories = vec![true; graph.memories.len()];
    retain(graph, &keep, &memories);
}

/// Gives equal keys equal numbers.
fn number<K: Hash + Eq>(keys: impl Iterator<Item = K>) -> (Vec<u32>, usize) {
    let mut seen: FastMap<K, u32> = FastMap::default();
    let mut out = Vec::new();
    for k in keys {
        let next = seen.len() as u32;
        out.push(*seen.entry(k).or_insert(next));
    }
    (out, seen.len())
}

/// The class of each register: registers of one class are always equal. Starts from what has the
/// same start value and clock and splits until every class has one next value, as far as classes
/// tell. Rounds compare hashes of whole cones of logic; the last one compares the logic itself, so
/// that a collision cannot merge what differs. `None`: not settled in time.
fn classes(graph: &Graph, order: &[NodeId]) -> Option<Vec<u32>> {
    let (mut class, mut count) = number(graph.registers.iter().enumerate().map(|(i, r)| {
        let start = match &r.start {
            Start::Value(v) => Ok(v),
            // differs from register to register
            Start::Unknown => Err(i),
        };
        let edges: Vec<Edge> = r.edges().collect();
        (start, edges)
    }));
    let own: Vec<u64> = graph.nodes.iter().map(|n| own_hash(&n.op, n.width)).collect();
    let mut hashes = vec![0u128; graph.nodes.len()];
    for _ in 0..ROUNDS {
        if count == graph.registers.len() {
            return Some(class);
        }
        for &n in order {
            hashes[n.index()] = hash(graph, n, own[n.index()], &class, &hashes);
        }
        let (new, new_count) = split(graph, &class, &hashes);
        if new_count == count {
            let (exact, exact_count) = split(graph, &class, &numbers(graph, order, &class));
            return (exact_count == count).then_some(exact);
        }
        (class, count) = (new, new_count);
    }
    None
}

fn own_hash(op: &Op, width: u32) -> u64 {
    let mut hasher = Fast::default();
    op.hash(&mut hasher);
    width.hash(&mut hasher);
    hasher.finish()
}

fn mix(a: u128, b: u128) -> u128 {
    let x = (a ^ b.rotate_left(59)).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    x ^ x >> 67
}

/// Hash of the logic of a node, registers by their class.
fn hash(graph: &Graph, n: NodeId, own: u64, class: &[u32], hashes: &[u128]) -> u128 {
    let node = graph.node(n);
    match (&node.op, &node.args[..]) {
        (Op::Reg(r), _) => mix(u128::from(class[r.index()]) + 1, 1 << 64),
        (Op::And | Op::Or | Op::Xor | Op::Add | Op::Mul | Op::Eq | Op::Ne, &[a, b]) => {
            let (a, b) = (hashes[a.index()], hashes[b.index()]);
            mix(mix(mix(u128::from(own), 2), a.min(b)), a.max(b))
        }
        (_, args) => args.iter().fold(mix(u128::from(own), 3), |h, a| mix(h, hashes[a.index()])),
    }
}

/// Classes split by what their members take next, as told by one number per node.
fn split<T: Copy + Eq + Hash>(graph: &Graph, class: &[u32], of: &[T]) -> (Vec<u32>, usize) {
    let at = |n: NodeId| of[n.index()];
    number(graph.registers.iter().zip(class).map(|(r, c)| {
        let clocks: Vec<T> = r.edges().map(|e| at(e.clock)).collect();
        (*c, at(r.next), clocks)
    }))
}

/// Equal numbers for nodes of equal logic, registers by their class.
fn numbers(graph: &Graph, order: &[NodeId], class: &[u32]) -> Vec<NodeId> {
    let mut map = vec![NodeId(0); graph.nodes.len()];
    let mut b = Builder::new(Vec::new(), order.len(), false);
    let mut args = Vec::new();
    for &n in order {
        let node = graph.node(n);
        args.clear();
        args.extend(node.args.iter().map(|a| map[a.index()]));
        map[n.index()] = match node.op {
            // which register stands for a class does not matter, only that it is one number per
            // class
            Op::Reg(r) => b.op(Op::Reg(RegId(class[r.index()])), node.width, &[]),
            _ => b.op(node.op.clone(), node.width, &args),
        };
    }
    map
}
