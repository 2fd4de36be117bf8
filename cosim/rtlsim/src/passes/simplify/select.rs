//! Rules of `Mux`.

use super::is;
use crate::graph::{NodeId, Op};
use crate::passes::builder::Builder;

pub fn mux(b: &mut Builder, s: NodeId, x: NodeId, y: NodeId) -> Option<NodeId> {
    if x == y {
        return Some(x);
    }
    if let Some(c) = b.as_const(s) {
        return Some(if c.is_zero() { y } else { x });
    }
    if is!(b, s, Op::Not) {
        return Some(b.mux(b.arg(s, 0), y, x));
    }
    let w = b.width(x);
    if w == 1 {
        return one_bit(b, s, x, y);
    }
    if let Some(n) = constants(b, s, x, y) {
        return Some(n);
    }
    // what the condition says, inside its arms
    let (p, q) = (given(b, x, s, true), given(b, y, s, false));
    if p != x || q != y {
        return Some(b.mux(s, p, q));
    }
    if let Some(n) = shared_arm(b, s, x, y) {
        return Some(n);
    }
    extended(b, s, x, y).or_else(|| fields(b, s, x, y)).or_else(|| hoisted(b, s, x, y))
}

/// The same operation in both arms, arguments different in one place: that one is chosen.
fn hoisted(b: &mut Builder, s: NodeId, x: NodeId, y: NodeId) -> Option<NodeId> {
    let (nx, ny) = (b.node(x).clone(), b.node(y).clone());
    if nx.op != ny.op || nx.args.len() != ny.args.len() {
        return None;
    }
    let width_of = |b: &Builder, n: NodeId| b.width(n);
    match nx.op {
        Op::Not | Op::Neg | Op::MemRead(_) | Op::Table(_) if width_of(b, nx.args[0]) == width_of(b, ny.args[0]) => {
            let arg = b.mux(s, nx.args[0], ny.args[0]);
            Some(b.op(nx.op, nx.width, &[arg]))
        }
        Op::And | Op::Or | Op::Xor | Op::Add | Op::Mul => {
            for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                if nx.args[i] == ny.args[j] {
                    let other = b.mux(s, nx.args[1 - i], ny.args[1 - j]);
                    return Some(b.op(nx.op, nx.width, &[nx.args[i], other]));
                }
            }
            None
        }
        Op::Sub | Op::Shl | Op::Shr | Op::Sar => {
            let i = (0..2).find(|&i| nx.args[i] == ny.args[i])?;
            let (p, q) = (nx.args[1 - i], ny.args[1 - i]);
            if width_of(b, p) != width_of(b, q) {
                return None;
            }
            let mut args = nx.args.clone();
            args[1 - i] = b.mux(s, p, q);
            Some(b.op(nx.op, nx.width, &args))
        }
        _ => None,
    }
}

fn one_bit(b: &mut Builder, s: NodeId, x: NodeId, y: NodeId) -> Option<NodeId> {
    if b.is(x, 1) || x == s {
        return Some(b.or(s, y));
    }
    if b.is(y, 0) || y == s {
        return Some(b.and(s, x));
    }
    if b.is(x, 0) || b.opposite(x, s) {
        let not = b.not(s);
        return Some(b.and(not, y));
    }
    if b.is(y, 1) || b.opposite(y, s) {
        let not = b.not(s);
        return Some(b.or(not, x));
    }
    if b.opposite(x, y) {
        // s ? x : ~x is ~(s ^ x)
        let differ = b.same(Op::Xor, &[s, x]);
        return Some(b.not(differ));
    }
    let (p, q) = (given(b, x, s, true), given(b, y, s, false));
    if p != x || q != y {
        return Some(b.mux(s, p, q));
    }
    shared_arm(b, s, x, y)
}

/// 1 and 0, all ones and 0, and the other way round.
fn constants(b: &mut Builder, s: NodeId, x: NodeId, y: NodeId) -> Option<NodeId> {
    let w = b.width(x);
    if b.is(x, 0) && (b.is(y, 1) || b.is_ones(y)) {
        let not = b.not(s);
        return Some(if b.is(y, 1) { b.zext(not, w) } else { b.sext(not, w) });
    }
    if b.is(y, 0) && b.is(x, 1) {
        return Some(b.zext(s, w));
    }
    if b.is(y, 0) && b.is_ones(x) {
        return Some(b.sext(s, w));
    }
    None
}

/// `n` where condition `s` is known to be `value`: looks one operation deep.
fn given(b: &mut Builder, n: NodeId, s: NodeId, value: bool) -> NodeId {
    if b.width(n) == 1 {
        if n == s {
            return b.number(1, u64::from(value));
        }
        if b.opposite(n, s) {
            return b.number(1, u64::from(!value));
        }
    }
    let node = b.node(n);
    match node.op {
        Op::Mux => {
            let (t, p, q) = (node.args[0], node.args[1], node.args[2]);
            match implied(b, s, value, t) {
                Some(true) => p,
                Some(false) => q,
                None => n,
            }
        }
        Op::And | Op::Or if node.width == 1 => {
            let (p, q, and) = (node.args[0], node.args[1], node.op == Op::And);
            for (p, q) in [(p, q), (q, p)] {
                match implied(b, s, value, p) {
                    Some(v) if v == and => return q,
                    Some(v) => return b.number(1, u64::from(v)),
                    None => {}
                }
            }
            n
        }
        _ => n,
    }
}

/// What `s == value` says of condition `t`.
fn implied(b: &Builder, s: NodeId, value: bool, t: NodeId) -> Option<bool> {
    if t == s {
        return Some(value);
    }
    if b.opposite(t, s) {
        return Some(!value);
    }
    let (ns, nt) = (b.node(s), b.node(t));
    match (&ns.op, value) {
        // p & q: each holds; ~(p | q): neither does
        (Op::And, true) | (Op::Or, false) => {
            for &p in &ns.args {
                if p == t {
                    return Some(value);
                }
                if b.opposite(p, t) {
                    return Some(!value);
                }
            }
        }
        // x == c: not another constant
        (Op::Eq, true) | (Op::Ne, false) if matches!(nt.op, Op::Eq | Op::Ne) => {
            let constants = b.as_const(ns.args[1]).is_some() && b.as_const(nt.args[1]).is_some();
            return (constants && ns.args[0] == nt.args[0]).then(|| (ns.args[1] == nt.args[1]) == (nt.op == Op::Eq));
        }
        _ => {}
    }
    // t is p & q with ~p known, or p | q with p known
    let (and, or) = (nt.op == Op::And, nt.op == Op::Or);
    if and || or {
        for &p in &nt.args {
            let known = if p == s {
                Some(value)
            } else if b.opposite(p, s) {
                Some(!value)
            } else {
                None
            };
            if known == Some(or) {
                return known;
            }
        }
    }
    None
}

/// An arm that is a mux with an arm in common: the conditions join.
fn shared_arm(b: &mut Builder, s: NodeId, x: NodeId, y: NodeId) -> Option<NodeId> {
    let w = b.width(x);
    // one-bit muxes cost no more than the gates they would become
    if w > 1 && is!(b, y, Op::Mux) {
        let (t, p, q) = (b.arg(y, 0), b.arg(y, 1), b.arg(y, 2));
        if p == x {
            let either = b.or(s, t);
            return Some(b.mux(either, x, q));
        }
        if q == x {
            let not = b.not(s);
            let both = b.and(not, t);
            return Some(b.mux(both, p, x));
        }
    }
    if w > 1 && is!(b, x, Op::Mux) {
        let (t, p, q) = (b.arg(x, 0), b.arg(x, 1), b.arg(x, 2));
        if q == y {
            let both = b.and(s, t);
            return Some(b.mux(both, p, y));
        }
        if p == y {
            let not = b.not(t);
            let both = b.and(s, not);
            return Some(b.mux(both, q, y));
        }
    }
    None
}

/// Both arms extended, or one and a constant that fits.
fn extended(b: &mut Builder, s: NodeId, x: NodeId, y: NodeId) -> Option<NodeId> {
    let w = b.width(x);
    let (zx, zy) = (is!(b, x, Op::ZExt), is!(b, y, Op::ZExt));
    let fits = |b: &Builder, n: NodeId| is!(b, n, Op::ZExt | Op::Const(_));
    if (zx || zy) && fits(b, x) && fits(b, y) {
        let top = b.known(x).top.max(b.known(y).top).max(1);
        if top < w {
            let (p, q) = (b.slice(x, 0, top), b.slice(y, 0, top));
            let inner = b.mux(s, p, q);
            return Some(b.zext(inner, w));
        }
    }
    if is!(b, x, Op::SExt) && is!(b, y, Op::SExt) && b.width(b.arg(x, 0)) == b.width(b.arg(y, 0)) {
        let inner = b.mux(s, b.arg(x, 0), b.arg(y, 0));
        return Some(b.sext(inner, w));
    }
    None
}

/// `s ? {a, n, c} : x` where `a` and `c` are the same bits of `x` (a field is written), or both
/// arms are concatenations alike: only parts that differ are chosen.
fn fields(b: &mut Builder, s: NodeId, x: NodeId, y: NodeId) -> Option<NodeId> {
    let (cx, cy) = (is!(b, x, Op::Concat), is!(b, y, Op::Concat));
    if !cx && !cy {
        return None;
    }
    let shape = if cx { b.node(x).args.clone() } else { b.node(y).args.clone() };
    let other = if cx { y } else { x };
    let mut at = b.width(x);
    let mut parts = Vec::with_capacity(shape.len());
    let mut equal = 0;
    if cy && cx {
        let ny = b.node(y).args.clone();
        let alike = ny.len() == shape.len() && ny.iter().zip(&shape).all(|(&p, &q)| b.width(p) == b.width(q));
        if !alike {
            return None;
        }
    } else if !slices_of(b, &shape, other) {
        return None;
    }
    for &p in &shape {
        at -= b.width(p);
        let q = b.slice(other, at, b.width(p));
        equal += usize::from(p == q);
        parts.push((p, q));
    }
    if equal == 0 {
        return None;
    }
    let parts: Vec<NodeId> = parts.into_iter().map(|(p, q)| if cx { b.mux(s, p, q) } else { b.mux(s, q, p) }).collect();
    Some(b.concat(&parts))
}

/// Some part is the slice of `whole` at its place.
fn slices_of(b: &Builder, parts: &[NodeId], whole: NodeId) -> bool {
    let mut at = b.width(whole);
    parts.iter().any(|&p| {
        at -= b.width(p);
        matches!(b.kind(p), Op::Slice(lo) if *lo == at && b.arg(p, 0) == whole)
    })
}
