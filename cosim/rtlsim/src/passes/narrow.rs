//! Bits that nobody looks at are not computed. Going from users to arguments, it is found which
//! bits of each node are looked at; then operations wider than a machine word whose high part is
//! not are done in fewer bits, constants that only mask what is not looked at go, and sign
//! extensions nobody sees become zero extensions. Up to 64 bits an operation stays as wide as it is
//! unless its arguments get narrower for free: to cut them would cost more than it saves.
//!
//! The narrowed node differs from the original in bits that nobody looks at. A named signal does
//! look at all bits of its node: unless it is to block narrowing, it gets its own, unchanged copy
//! of what was narrowed, which no root reaches. How it can be wrong: an operation that passes
//! influence from high bits to low ones and is not listed as doing so in [`Demand::of_arguments`].

use super::builder::Builder;
use super::known::mask;
use super::rebuild::{remap_signals_apart, signal_nodes};
use crate::graph::{Graph, Node, NodeId, Op, Table};

/// Bits that are looked at: of the low 64 those in `low`, and none from `top` on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Demand {
    low: u64,
    top: u32,
}

impl Demand {
    fn all(width: u32) -> Self {
        Self { low: mask(width), top: width }
    }

    fn with(self, other: Self) -> Self {
        Self { low: self.low | other.low, top: self.top.max(other.top) }
    }

    /// Only bits below `width`.
    fn below(self, width: u32) -> Self {
        let low = self.low & mask(width);
        let top = self.top.min(width);
        Self { low, top: if top <= 64 { 64 - low.leading_zeros() } else { top } }
    }

    /// What looking at these bits of a part `lo` bits up looks at in the whole.
    fn up(self, lo: u32) -> Self {
        if self.top == 0 {
            return self;
        }
        Self { low: if lo < 64 { self.low << lo } else { 0 }, top: self.top + lo }
    }

    /// The reverse of [`Demand::up`] for a part `width` wide.
    fn down(self, lo: u32, width: u32) -> Self {
        let top = self.top.saturating_sub(lo).min(width);
        // what is shifted in from above the low 64 may be looked at
        let low = if lo == 0 {
            self.low
        } else if lo < 64 {
            self.low >> lo | if self.top > 64 { !(u64::MAX >> lo) } else { 0 }
        } else {
            u64::MAX
        };
        Self { low: low & mask(top), top }.below(width)
    }

    /// All bits up to the highest: carries come from below.
    fn carried(self) -> Self {
        Self::all(self.top)
    }

    /// What is looked at in each argument of a node of which `self` is.
    fn of_arguments(self, g: &Graph, node: &Node, mut f: impl FnMut(NodeId, Self)) {
        let width = |i: usize| g.width(node.args[i]);
        let constant = |i: usize| node.args.get(i).and_then(|&a| g.as_const(a));
        match &node.op {
            Op::And | Op::Or => {
                let mut first = self;
                if let Some(c) = constant(1) {
                    let open = if node.op == Op::And { c.to_u64() } else { !c.to_u64() };
                    first.low &= open;
                    first = first.below(node.width);
                }
                f(node.args[0], first);
                f(node.args[1], self);
            }
            Op::Not | Op::Xor => node.args.iter().for_each(|&a| f(a, self)),
            Op::Add | Op::Sub | Op::Mul | Op::Neg => node.args.iter().for_each(|&a| f(a, self.carried())),
            Op::Mux => {
                f(node.args[0], Self::all(1));
                f(node.args[1], self);
                f(node.args[2], self);
            }
            Op::Shl => {
                f(node.args[1], Self::all(width(1)));
                let by = constant(1).and_then(|c| c.small()).map(|c| c.min(u64::from(node.width)) as u32);
                f(node.args[0], by.map_or(self.carried(), |by| self.down(by, node.width)));
            }
            Op::Slice(lo) => f(node.args[0], self.up(*lo)),
            Op::Concat => {
                let mut at = node.width;
                for (i, &a) in node.args.iter().enumerate() {
                    at -= width(i);
                    f(a, self.down(at, width(i)));
                }
            }
            Op::ZExt => f(node.args[0], self.below(width(0))),
            Op::SExt => {
                let from = width(0);
                let sign = if self.top > from { Self::all(1).up(from - 1) } else { Self::default() };
                f(node.args[0], self.below(from).with(sign));
            }
            _ => {
                for (i, &a) in node.args.iter().enumerate() {
                    f(a, Self::all(width(i)));
                }
            }
        }
    }
}

/// Which bits of each node roots (and signals, where they block) look at.
fn demands(graph: &Graph, order: &[NodeId], keep_signals: bool) -> Vec<Demand> {
    let mut out = vec![Demand::default(); graph.nodes.len()];
    let mut roots = graph.roots();
    if keep_signals {
        roots.extend(signal_nodes(graph));
    }
    for r in roots {
        out[r.index()] = Demand::all(graph.width(r));
    }
    for &n in order.iter().rev() {
        let mine = out[n.index()];
        if mine.top > 0 {
            mine.of_arguments(graph, graph.node(n), |a, d| out[a.index()] = out[a.index()].with(d));
        }
    }
    out
}

/// Narrows what is not looked at.
pub fn narrow(graph: &mut Graph, keep_signals: bool) {
    let Ok(order) = graph.topological() else { return };
    let demand = demands(graph, &order, keep_signals);
    let mut shown = vec![false; graph.nodes.len()];
    signal_nodes(graph).for_each(|n| shown[n.index()] = true);
    for &n in order.iter().rev() {
        if shown[n.index()] {
            graph.node(n).args.iter().for_each(|a| shown[a.index()] = true);
        }
    }
    let mut b = Builder::new(std::mem::take(&mut graph.tables), order.len(), true);
    // for roots and for signals; the same where no bit was given up on the way
    let (mut live, mut full) = (vec![NodeId(0); graph.nodes.len()], vec![NodeId(0); graph.nodes.len()]);
    let mut exact = vec![true; graph.nodes.len()];
    let mut args = Vec::new();
    for &n in &order {
        let (node, i) = (graph.node(n), n.index());
        let looked_at = demand[i].top > 0;
        if looked_at {
            args.clear();
            args.extend(node.args.iter().map(|a| live[a.index()]));
            let narrower = narrower(&mut b, node, &args, demand[i]);
            exact[i] = narrower.is_none() && node.args.iter().all(|a| exact[a.index()]);
            live[i] = narrower.unwrap_or_else(|| b.op(node.op.clone(), node.width, &args));
            debug_assert_eq!(b.width(live[i]), node.width);
            full[i] = live[i];
        } else {
            // users that look at none of its bits still name it
            live[i] = b.zero(node.width);
            exact[i] = false;
        }
        if shown[i] && !(looked_at && exact[i]) {
            args.clear();
            args.extend(node.args.iter().map(|a| full[a.index()]));
            full[i] = b.op(node.op.clone(), node.width, &args);
        }
    }
    (graph.nodes, graph.tables) = b.finish();
    remap_signals_apart(graph, |n| live[n.index()], |n| full[n.index()]);
}

/// A node that agrees with the given one on the bits looked at, if a cheaper one is known.
fn narrower(b: &mut Builder, node: &Node, args: &[NodeId], demand: Demand) -> Option<NodeId> {
    let w = node.width;
    match node.op {
        // a constant that changes only what is not looked at
        Op::And | Op::Or | Op::Xor if w <= 64 => {
            let c = b.as_const(args[1]).map(|c| c.to_u64());
            let idle = |c: u64| if node.op == Op::And { demand.low & !c == 0 } else { demand.low & c == 0 };
            if c.is_some_and(idle) {
                return Some(args[0]);
            }
        }
        Op::SExt if demand.top <= b.width(args[0]) => return Some(b.zext(args[0], w)),
        _ => {}
    }
    let k = demand.top;
    if k >= w {
        return None;
    }
    match &node.op {
        Op::Not | Op::Neg | Op::And | Op::Or | Op::Xor | Op::Add | Op::Sub | Op::Mul => {}
        Op::Mux | Op::Shl => {}
        Op::Table(t) => {
            let old = &b.tables[t.index()];
            let words = old.words.iter().map(|v| v.zext(k)).collect();
            let table = Table { width: k, words, default: old.default.zext(k) };
            let t = b.table(table);
            let cut = b.op(Op::Table(t), k, args);
            return Some(b.zext(cut, w));
        }
        _ => return None,
    }
    let (first, last) = match node.op {
        Op::Mux => (1, 3),
        Op::Shl => (0, 1),
        _ => (0, args.len()),
    };
    // fewer machine words, or cut for free
    let fewer = w > 64 && k.div_ceil(64) < w.div_ceil(64);
    if !fewer && !args[first..last].iter().all(|&a| cuts_free(b, a, k)) {
        return None;
    }
    let mut cut = args.to_vec();
    for a in &mut cut[first..last] {
        *a = b.slice(*a, 0, k);
    }
    let low = b.op(node.op.clone(), k, &cut);
    Some(b.zext(low, w))
}

/// Its low `k` bits are there without work.
fn cuts_free(b: &Builder, a: NodeId, k: u32) -> bool {
    match b.kind(a) {
        Op::Const(_) => true,
        Op::ZExt => b.width(b.arg(a, 0)) <= k,
        _ => false,
    }
}
