//! Logic that depends on one narrow value becomes a lookup in its truth table: chains of
//! comparisons of an opcode with constants, decoders, small state machines. One bit out of up to 64
//! entries is a shift of a constant; anything else is a load from a [`Table`](crate::graph::Table).
//! Found from the sources on: each node either depends on no value, on one narrow value (its
//! subject), or on more. Where a node that depends on one meets a user that depends on more, it is
//! replaced if that saves enough nodes. How it can be wrong: a subject that is thought the only
//! source of a node that has another one.

use super::builder::Builder;
use super::fold::fold;
use super::rebuild::rebuild_with;
use crate::bits::Bits;
use crate::graph::{Graph, NodeId, Op, Table};

/// Widest subject in bits.
const WIDEST: u32 = 8;
/// Widest subject whose one-bit functions are shifts of a constant.
const SHIFTED: u32 = 6;
/// Nodes that a lookup must replace: a shift costs two, a load somewhat more.
const SAVES: usize = 4;

/// What a node depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Support {
    /// Nothing: a constant.
    Nothing,
    /// That value alone.
    One(NodeId),
    /// More, or something wide.
    Many,
}

fn supports(graph: &Graph, order: &[NodeId]) -> Vec<Support> {
    let mut out = vec![Support::Many; graph.nodes.len()];
    for &n in order {
        let node = graph.node(n);
        let state = matches!(node.op, Op::Input(_) | Op::Reg(_) | Op::MemRead(_));
        let joined = if state {
            Support::Many
        } else {
            node.args.iter().fold(Support::Nothing, |s, a| match (s, out[a.index()]) {
                (s, Support::Nothing) => s,
                (Support::Nothing, s) => s,
                (Support::One(x), Support::One(y)) if x == y => s,
                _ => Support::Many,
            })
        };
        // what depends on more may be the subject of what follows
        let narrow = (2..=WIDEST).contains(&node.width);
        out[n.index()] = if joined == Support::Many && narrow { Support::One(n) } else { joined };
    }
    out
}

/// Nodes that go when `root` no longer needs its cone, up to `SAVES`: those that only the cone
/// uses. The subject stays.
fn saved(graph: &Graph, root: NodeId, subject: NodeId, users: &[u32], left: &mut Vec<(NodeId, u32)>) -> usize {
    left.clear();
    let (mut stack, mut count) = (vec![root], 0);
    while let Some(n) = stack.pop() {
        if !matches!(graph.node(n).op, Op::Const(_)) {
            count += 1;
        }
        if count >= SAVES {
            break;
        }
        for &a in &graph.node(n).args {
            if a == subject {
                continue;
            }
            let at = left.iter().position(|l| l.0 == a).unwrap_or_else(|| {
                left.push((a, users[a.index()]));
                left.len() - 1
            });
            left[at].1 -= 1;
            if left[at].1 == 0 {
                stack.push(a);
            }
        }
    }
    count
}

/// Replaces logic of one narrow value by lookups.
pub fn lookup(graph: &mut Graph) {
    let Ok(order) = graph.topological() else { return };
    let support = supports(graph, &order);
    let mut users = vec![0u32; graph.nodes.len()];
    // a user that depends on more, or a root
    let mut border = vec![false; graph.nodes.len()];
    for &n in &order {
        let mine = support[n.index()];
        for a in &graph.node(n).args {
            users[a.index()] += 1;
            border[a.index()] |= mine != support[a.index()];
        }
    }
    for n in graph.roots() {
        users[n.index()] += 1;
        border[n.index()] = true;
    }
    let mut left = Vec::new();
    let mut chosen = vec![None; graph.nodes.len()];
    for &n in &order {
        if let Support::One(s) = support[n.index()] {
            let pays = s != n && border[n.index()] && saved(graph, n, s, &users, &mut left) >= SAVES;
            if pays {
                chosen[n.index()] = truth_table(graph, n, s);
            }
        }
    }
    if chosen.iter().all(Option::is_none) {
        return;
    }
    rebuild_with(graph, true, |b, map, id, node, args| match (&chosen[id.index()], support[id.index()]) {
        (Some(words), Support::One(s)) => look_up(b, map[s.index()], words),
        _ => b.op(node.op.clone(), node.width, args),
    });
}

/// The node that looks up `words` by `subject`.
fn look_up(b: &mut Builder, subject: NodeId, words: &[Bits]) -> NodeId {
    let width = words[0].width();
    if width == 1 && b.width(subject) <= SHIFTED {
        let mut all = Bits::zero(words.len() as u32);
        for (i, w) in (0u32..).zip(words) {
            all.set(i, !w.is_zero());
        }
        let all = b.constant(all);
        let found = b.same(Op::Shr, &[all, subject]);
        return b.slice(found, 0, 1);
    }
    let table = b.table(Table { width, words: words.to_vec(), default: Bits::zero(width) });
    b.op(Op::Table(table), width, &[subject])
}

/// Values of `root` for each value of `subject`; `None` if the cone between is too large to be
/// worth the time.
fn truth_table(graph: &Graph, root: NodeId, subject: NodeId) -> Option<Vec<Bits>> {
    const LARGEST: usize = 200;
    // arguments first
    let (mut cone, mut stack): (Vec<NodeId>, _) = (Vec::new(), vec![(root, false)]);
    while let Some((n, done)) = stack.pop() {
        if done {
            cone.push(n);
            continue;
        }
        if n == subject || cone.contains(&n) {
            continue;
        }
        if cone.len() + stack.len() > LARGEST {
            return None;
        }
        stack.push((n, true));
        stack.extend(graph.node(n).args.iter().map(|&a| (a, false)));
    }
    let width = graph.width(subject);
    let mut values: Vec<(NodeId, Bits)> = Vec::with_capacity(cone.len() + 1);
    let mut words = Vec::with_capacity(1 << width);
    // where each argument is in `values`
    let place = |n: NodeId| if n == subject { 0 } else { 1 + cone.iter().position(|&c| c == n).unwrap_or(0) };
    let args: Vec<Vec<usize>> = cone.iter().map(|&n| graph.node(n).args.iter().map(|&a| place(a)).collect()).collect();
    for v in 0..1u64 << width {
        values.clear();
        values.push((subject, Bits::new(width, v)));
        for (&n, args) in cone.iter().zip(&args) {
            let node = graph.node(n);
            let args: Vec<&Bits> = args.iter().map(|&i| &values[i].1).collect();
            let value = fold(&node.op, node.width, &args, &graph.tables)?;
            values.push((n, value));
        }
        words.push(values[place(root)].1.clone());
    }
    Some(words)
}
