//! Sums of many single bits of one value count its bits: `count = count + x[0]`, `+ x[1]`, ... The
//! sum is made over all bits at once, in fields that double in width (2, 4, 8 bits, then a
//! multiplication that adds the bytes): about fifteen operations whatever the number of bits. How
//! it can be wrong: a bit counted twice, so the bits must be distinct; a sum that wraps, so the
//! result is cut to the sum's width, which is the same modulo.

use super::builder::Builder;
use super::rebuild::rebuild_with;
use crate::bits::Bits;
use crate::graph::{Graph, NodeId, Op};

/// Fewer bits than this are added one by one.
const WORTH: usize = 10;

/// The sum of those bits of `of` that are in `mask`.
struct Sum {
    of: NodeId,
    mask: Bits,
}

/// Replaces sums of bits.
pub fn popcount(graph: &mut Graph) {
    let Ok(order) = graph.topological() else { return };
    let mut users = vec![0u32; graph.nodes.len()];
    let mut in_sum = vec![false; graph.nodes.len()];
    for &n in &order {
        let node = graph.node(n);
        for a in &node.args {
            users[a.index()] += 1;
            in_sum[a.index()] = node.op == Op::Add && graph.width(*a) == node.width;
        }
    }
    for n in graph.roots() {
        users[n.index()] += 1;
    }
    let inner = |n: NodeId| users[n.index()] == 1 && in_sum[n.index()];
    let mut sums: Vec<Option<Sum>> = Vec::new();
    sums.resize_with(graph.nodes.len(), || None);
    let mut any = false;
    for &n in &order {
        if graph.node(n).op == Op::Add && !inner(n) {
            sums[n.index()] = sum_of_bits(graph, n, &inner);
            any |= sums[n.index()].is_some();
        }
    }
    if any {
        rebuild_with(graph, true, |b, map, id, node, args| match &sums[id.index()] {
            Some(sum) => count(b, map[sum.of.index()], &sum.mask, node.width),
            None => b.op(node.op.clone(), node.width, args),
        });
    }
}

/// The sum that `root` is, if all its terms are distinct bits of one value of up to 64 bits.
fn sum_of_bits(graph: &Graph, root: NodeId, inner: &dyn Fn(NodeId) -> bool) -> Option<Sum> {
    let mut stack = graph.node(root).args.clone();
    let mut sum: Option<Sum> = None;
    let mut terms = 0;
    while let Some(n) = stack.pop() {
        let node = graph.node(n);
        if node.op == Op::Add && inner(n) {
            stack.extend(&node.args);
            continue;
        }
        let bit = match node.op {
            Op::ZExt => node.args[0],
            _ => return None,
        };
        let (Op::Slice(at), 1) = (graph.node(bit).op.clone(), graph.width(bit)) else { return None };
        let of = graph.node(bit).args[0];
        let width = graph.width(of);
        let sum = sum.get_or_insert_with(|| Sum { of, mask: Bits::zero(width) });
        if sum.of != of || sum.mask.get(at) || width > 64 {
            return None;
        }
        sum.mask.set(at, true);
        terms += 1;
    }
    sum.filter(|_| terms >= WORTH)
}

/// Number of the bits of `x` that are in `mask`.
fn count(b: &mut Builder, x: NodeId, mask: &Bits, width: u32) -> NodeId {
    let mask = b.constant(mask.clone());
    let x = b.and(x, mask);
    let w = if b.width(x) <= 32 { 32 } else { 64 };
    let x = b.zext(x, w);
    let every = |b: &mut Builder, byte: u64| b.number(w, byte * 0x0101_0101_0101_0101);
    let shr = |b: &mut Builder, x: NodeId, by: u32| {
        let high = b.slice(x, by, w - by);
        b.zext(high, w)
    };
    let (m1, m2, m4, ones) = (every(b, 0x55), every(b, 0x33), every(b, 0x0f), every(b, 0x01));
    // fields of two bits: x - (x >> 1) counts both
    let high = shr(b, x, 1);
    let high = b.and(high, m1);
    let x = b.same(Op::Sub, &[x, high]);
    let (high, low) = (shr(b, x, 2), b.and(x, m2));
    let high = b.and(high, m2);
    let x = b.same(Op::Add, &[low, high]);
    let high = shr(b, x, 4);
    let x = b.same(Op::Add, &[x, high]);
    let x = b.and(x, m4);
    // the top byte of the product is the sum of all bytes
    let x = b.same(Op::Mul, &[x, ones]);
    let x = b.slice(x, w - 8, 8);
    if width <= 8 {
        b.slice(x, 0, width)
    } else {
        b.zext(x, width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Backend;
    use crate::graph::{Input, InputId};
    use crate::interp::Interpreter;
    use crate::Options;

    #[test]
    fn a_loop_over_bits_counts_them() {
        for (width, bits, sum) in [(32, 32, 6), (32, 20, 4), (64, 64, 7), (40, 33, 12), (16, 12, 8)] {
            let mut g = Graph::default();
            let x = g.add(Op::Input(InputId(0)), width, &[]);
            g.inputs.push(Input { name: "x".into(), width, node: x });
            let mut total = g.constant(Bits::zero(sum));
            for i in 0..bits {
                let bit = g.add(Op::Slice(i), 1, &[x]);
                let bit = g.add(Op::ZExt, sum, &[bit]);
                total = if i == 0 { bit } else { g.add(Op::Add, sum, &[total, bit]) };
            }
            g.outputs.push(("n".into(), total));
            let (scope, kind) = (crate::graph::ScopeId(0), crate::graph::SignalKind::Output);
            let value = crate::graph::Value::Node(total);
            g.scopes.push(crate::graph::Scope {
                name: "t".into(),
                module: "t".into(),
                parent: None,
                constants: Vec::new(),
            });
            g.signals.push(crate::graph::Signal {
                name: "n".into(),
                scope,
                kind,
                width: sum,
                signed: false,
                lsb: 0,
                value,
            });
            popcount(&mut g);
            let order = g.topological().expect("no loop");
            assert!(order.len() < 30, "{} nodes for {bits} bits", order.len());
            let mut run = Interpreter::new(&g, &Options::default()).expect("well-formed");
            for v in [0, 1, u64::MAX, 0x8000_0000, 0x1234_5678_9abc_def0, 0xffff_0000_ffff] {
                run.set_input(InputId(0), Bits::new(width, v).to_u64());
                run.settle();
                let expected = Bits::new(width, v).slice(0, bits).count_ones();
                assert_eq!(run.peek(crate::graph::SignalId(0)), Bits::new(sum, u64::from(expected)), "{v:x}");
            }
        }
    }
}
