//! Identical logic that stands four times side by side (the lanes of a warp, the words of a line)
//! is evaluated once, as a vector of four 32-bit numbers. Found from the registers: four whose
//! names differ in one index, with one clock and one enable, are a pack; what computes their next
//! values is one too as long as the operations are the same, and so on towards the sources. What
//! does not fit is gathered from scalars.
//!
//! Members of a pack have the same depth in the graph, so none depends on another and the graph
//! stays without loops when members become one item. A pack that would cost more in gathering and
//! taking apart than it saves is dropped. A wrong pack would be a wrong operation table in the code
//! generator; what is chosen here only decides speed.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::prepare::Next;
use crate::graph::{Graph, NodeId, Op, RegId};

/// Gathers and takings apart (in operations) that a pack may cost. A pack saves three operations
/// and their code; dropping one makes its neighbours cost more, so that a low limit unravels whole
/// chains (measured on the core: 3 keeps 92 of 1,130 packs, 9 keeps 1,118).
const WORTH: i32 = 9;

/// Four nodes, lane 0 first.
pub type Pack = [NodeId; 4];

/// What is evaluated as vectors.
#[derive(Clone, Debug, Default)]
pub struct Packs {
    pub nodes: Vec<Pack>,
    pub registers: Vec<[RegId; 4]>,
}

/// Can four of this operation be one vector operation?
fn supported(graph: &Graph, pack: &Pack) -> bool {
    let first = graph.node(pack[0]);
    let narrow = |n: NodeId| graph.width(n) <= 32;
    if first.width > 32 || !pack.iter().all(|&n| same_operation(graph, pack[0], n)) {
        return false;
    }
    let args = &first.args;
    if !pack.iter().all(|&n| graph.node(n).args.iter().all(|&a| narrow(a))) {
        return false;
    }
    let wide = |k: usize| graph.width(args[k]) > 1;
    match first.op {
        Op::And | Op::Or | Op::Xor | Op::Not | Op::Mux | Op::Slice(_) | Op::ZExt | Op::SExt | Op::Concat => true,
        Op::Eq | Op::Ne => true,
        Op::Add | Op::Sub | Op::Neg => first.width > 1,
        Op::Mul => first.width > 1,
        Op::LtU | Op::LeU | Op::LtS | Op::LeS => wide(0),
        Op::Shl | Op::Shr | Op::Sar => {
            first.width > 1
                && pack.iter().all(|&n| graph.as_const(graph.node(n).args[1]) == graph.as_const(args[1]))
                && graph.as_const(args[1]).is_some()
        }
        _ => false,
    }
}

/// The same operation on arguments of the same widths.
fn same_operation(graph: &Graph, a: NodeId, b: NodeId) -> bool {
    let (x, y) = (graph.node(a), graph.node(b));
    x.op == y.op
        && x.width == y.width
        && x.args.len() == y.args.len()
        && x.args.iter().zip(&y.args).all(|(&p, &q)| graph.width(p) == graph.width(q))
}

/// Longest path from a source, by node.
fn depths(graph: &Graph, order: &[NodeId]) -> Vec<u32> {
    let mut depth = vec![0; graph.nodes.len()];
    for &n in order {
        depth[n.index()] = graph.node(n).args.iter().map(|a| depth[a.index()] + 1).max().unwrap_or(0);
    }
    depth
}

/// Registers whose names differ in one number, counted from a multiple of four. A register is in
/// one group at most: `w0_1` could be lane 1 of word 0 or word 0 of lane 1, and a register with two
/// places would keep its value in one of them only when a state is loaded.
fn candidates(graph: &Graph, nexts: &[Next]) -> Vec<[RegId; 4]> {
    let mut by_name: HashMap<&str, RegId> = HashMap::default();
    for (i, r) in graph.registers.iter().enumerate() {
        by_name.insert(&r.name, RegId(i as u32));
    }
    let mut found = Vec::new();
    let mut taken = vec![false; graph.registers.len()];
    for (i, r) in graph.registers.iter().enumerate() {
        if r.width > 32 {
            continue;
        }
        // The innermost index that gives a group, from the right.
        let bytes = r.name.as_bytes();
        for at in (0..bytes.len()).rev() {
            let alone = at > 0 && !bytes[at - 1].is_ascii_digit() && !bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
            if !alone || (bytes[at] != b'0' && bytes[at] != b'4') {
                continue;
            }
            let member = |k: u8| {
                let name = format!("{}{}{}", &r.name[..at], char::from(bytes[at] + k), &r.name[at + 1..]);
                by_name.get(name.as_str()).copied()
            };
            let (Some(b), Some(c), Some(d)) = (member(1), member(2), member(3)) else { continue };
            let group = [RegId(i as u32), b, c, d];
            let same = group.iter().all(|&x| {
                let (o, n) = (&graph.registers[x.index()], nexts[x.index()]);
                let alike = o.width == r.width && o.edges().eq(r.edges()) && n.enable == nexts[i].enable;
                alike && !taken[x.index()]
            });
            if same {
                group.iter().for_each(|x| taken[x.index()] = true);
                found.push(group);
                break;
            }
        }
    }
    found
}

struct Finder<'g> {
    graph: &'g Graph,
    depth: Vec<u32>,
    /// By node: the pack it is in.
    of: HashMap<NodeId, usize>,
    packs: Vec<Pack>,
    /// Tuples of one operation that no vector operation does; what computes their arguments may
    /// still be packs.
    passed: HashSet<Pack>,
}

impl Finder<'_> {
    fn packed(&self, pack: &Pack) -> bool {
        self.of.get(&pack[0]).is_some_and(|&p| self.packs[p] == *pack)
    }

    /// Takes a tuple as a pack, and its arguments, as far as they go.
    fn grow(&mut self, pack: Pack) {
        let mut todo = vec![pack];
        while let Some(pack) = todo.pop() {
            let distinct = (0..4).all(|i| (0..i).all(|k| pack[i] != pack[k]));
            if !distinct || pack.iter().any(|n| self.of.contains_key(n)) {
                continue;
            }
            if supported(self.graph, &pack) {
                for &n in &pack {
                    self.of.insert(n, self.packs.len());
                }
                self.packs.push(pack);
            } else if !pack.iter().all(|&n| same_operation(self.graph, pack[0], n)) || !self.passed.insert(pack) {
                continue;
            }
            for k in 0..self.graph.node(pack[0]).args.len() {
                todo.push(pack.map(|n| self.graph.node(n).args[k]));
            }
        }
    }

    /// Members on different levels can make a loop when they become one item: drops packs that are
    /// on one. Packs of one level cannot make a loop among themselves.
    fn break_loops(&mut self, order: &[NodeId]) {
        loop {
            let on_loop = self.on_loops(order);
            let dropped: Vec<usize> = (0..self.packs.len())
                .filter(|&p| {
                    let pack = self.packs[p];
                    let level = pack.iter().all(|n| self.depth[n.index()] == self.depth[pack[0].index()]);
                    !level && on_loop.contains(&pack[0]) && self.packed(&pack)
                })
                .collect();
            if dropped.is_empty() {
                return;
            }
            for p in dropped {
                for n in self.packs[p] {
                    self.of.remove(&n);
                }
            }
        }
    }

    /// Nodes (of a pack the first) that are on a loop, or between two, when packs are one item
    /// each.
    fn on_loops(&self, order: &[NodeId]) -> HashSet<NodeId> {
        let first = |n: NodeId| self.of.get(&n).map_or(n, |&p| self.packs[p][0]);
        let mut edges: Vec<(NodeId, NodeId)> = Vec::new();
        for &n in order {
            edges.extend(self.graph.node(n).args.iter().map(|&a| (first(a), first(n))));
        }
        let mut left: HashSet<NodeId> = order.iter().map(|&n| first(n)).collect();
        // What has no argument left, or no user left, is on no loop.
        for backwards in [false, true] {
            let mut waits: HashMap<NodeId, usize> = HashMap::default();
            let mut after: HashMap<NodeId, Vec<NodeId>> = HashMap::default();
            for &(a, n) in edges.iter().filter(|(a, n)| left.contains(a) && left.contains(n)) {
                let (from, to) = if backwards { (n, a) } else { (a, n) };
                *waits.entry(to).or_default() += 1;
                after.entry(from).or_default().push(to);
            }
            let mut free: Vec<NodeId> = left.iter().copied().filter(|n| !waits.contains_key(n)).collect();
            while let Some(n) = free.pop() {
                left.remove(&n);
                for &to in after.get(&n).map_or(&[][..], |t| t) {
                    let count = waits.entry(to).or_default();
                    *count -= 1;
                    if *count == 0 {
                        free.push(to);
                    }
                }
            }
        }
        left
    }

    /// Argument `k` of the members of a pack.
    fn argument(&self, pack: &Pack, k: usize) -> Pack {
        pack.map(|n| self.graph.node(n).args[k])
    }
}

/// Cost of making a vector of four nodes that are not a pack: nothing for one node four times or
/// constants.
fn gather(finder: &Finder, sources: &HashMap<NodeId, usize>, tuple: &Pack) -> i32 {
    let uniform = tuple.iter().all(|n| n == &tuple[0]);
    let constant = tuple.iter().all(|&n| finder.graph.as_const(n).is_some());
    if finder.packed(tuple)
        || constant
        || sources.get(&tuple[0]).is_some() && sources.get(&tuple[0]) == sources.get(&tuple[3])
    {
        0
    } else if uniform {
        1
    } else {
        5
    }
}

/// Finds packs in a prepared graph (`order`: its nodes, arguments first).
pub fn find(graph: &Graph, nexts: &[Next], order: &[NodeId]) -> Packs {
    let registers = candidates(graph, nexts);
    let mut finder = Finder {
        graph,
        depth: depths(graph, order),
        of: HashMap::default(),
        packs: Vec::new(),
        passed: HashSet::default(),
    };
    for group in &registers {
        finder.grow(group.map(|r| nexts[r.index()].data));
    }
    finder.break_loops(order);
    // Nodes that are the current values of packed registers.
    let mut sources: HashMap<NodeId, usize> = HashMap::default();
    let group_of: HashMap<RegId, usize> =
        registers.iter().enumerate().flat_map(|(g, rs)| rs.iter().map(move |&r| (r, g))).collect();
    // A register with two places would keep its value in one of them only when a state is loaded.
    debug_assert_eq!(group_of.len(), 4 * registers.len(), "a register is in two packs");
    for &n in order {
        if let Op::Reg(r) = graph.node(n).op {
            if let Some(&g) = group_of.get(&r) {
                sources.insert(n, g);
            }
        }
    }
    let mut users: HashMap<NodeId, Vec<NodeId>> = HashMap::default();
    for &n in order {
        for &a in &graph.node(n).args {
            users.entry(a).or_default().push(n);
        }
    }
    // Drop what does not pay, until nothing changes.
    loop {
        let bad: Vec<usize> = (0..finder.packs.len())
            .filter(|&p| {
                let pack = finder.packs[p];
                if !finder.packed(&pack) {
                    return false;
                }
                let n = graph.node(pack[0]).args.len();
                let gathers: i32 = (0..n).map(|k| gather(&finder, &sources, &finder.argument(&pack, k))).sum();
                let taken: i32 = pack
                    .iter()
                    .map(|m| {
                        let all = users.get(m).map_or(&[][..], |u| u);
                        i32::from(all.iter().any(|u| !finder.of.contains_key(u)))
                    })
                    .sum();
                gathers + taken > WORTH
            })
            .collect();
        if bad.is_empty() {
            break;
        }
        for p in bad {
            for n in finder.packs[p] {
                finder.of.remove(&n);
            }
        }
    }
    let nodes = finder.packs.iter().filter(|p| finder.packed(p)).copied().collect();
    Packs { nodes, registers }
}
