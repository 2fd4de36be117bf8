//! Rules of `Not`, `And`, `Or`, `Xor` and the reductions.

use super::{constant_last, is, shift_amount};
use crate::bits::Bits;
use crate::graph::{NodeId, Op};
use crate::passes::builder::Builder;
use crate::passes::known::mask;

pub fn not(b: &mut Builder, a: NodeId) -> Option<NodeId> {
    let n = b.node(a).clone();
    Some(match n.op {
        Op::Not => n.args[0],
        Op::Eq => b.op(Op::Ne, 1, &n.args),
        Op::Ne => b.op(Op::Eq, 1, &n.args),
        Op::LtU => b.op(Op::LeU, 1, &[n.args[1], n.args[0]]),
        Op::LeU => b.op(Op::LtU, 1, &[n.args[1], n.args[0]]),
        Op::LtS => b.op(Op::LeS, 1, &[n.args[1], n.args[0]]),
        Op::LeS => b.op(Op::LtS, 1, &[n.args[1], n.args[0]]),
        Op::Xor => {
            let ones = b.as_const(n.args[1])?.not();
            let c = b.constant(ones);
            b.same(Op::Xor, &[n.args[0], c])
        }
        Op::Mux if b.as_const(n.args[1]).is_some() && b.as_const(n.args[2]).is_some() => {
            let (x, y) = (b.not(n.args[1]), b.not(n.args[2]));
            b.mux(n.args[0], x, y)
        }
        Op::SExt => {
            let x = b.not(n.args[0]);
            b.sext(x, n.width)
        }
        _ => return None,
    })
}

/// Rules that `And` and `Or` share by duality; `op` is the one, `dual` the other, `neutral` the
/// value that changes nothing (else it absorbs).
fn lattice(b: &mut Builder, op: &Op, x: NodeId, y: NodeId) -> Option<NodeId> {
    let w = b.width(x);
    let dual = if *op == Op::And { Op::Or } else { Op::And };
    if x == y {
        return Some(x);
    }
    if b.opposite(x, y) {
        return Some(if *op == Op::And { b.zero(w) } else { b.ones(w) });
    }
    // x op (x dual z) = x; x op (x op z) = x op z; x op (~x dual z) = x op z; x op (~x op z)
    // absorbs
    for (x, y) in [(x, y), (y, x)] {
        let n = b.node(y);
        if n.args.len() != 2 || n.op != *op && n.op != dual {
            continue;
        }
        let (p, q) = (n.args[0], n.args[1]);
        let same = n.op == *op;
        if p == x || q == x {
            return Some(if same { y } else { x });
        }
        for (p, q) in [(p, q), (q, p)] {
            if b.opposite(p, x) {
                return Some(match (same, *op == Op::And) {
                    (true, true) => b.zero(w),
                    (true, false) => b.ones(w),
                    (false, _) => b.same(op.clone(), &[x, q]),
                });
            }
        }
    }
    narrow(b, op, x, y)
}

/// Both extended from one width: the operation is done there.
fn narrow(b: &mut Builder, op: &Op, x: NodeId, y: NodeId) -> Option<NodeId> {
    let w = b.width(x);
    let source = |b: &Builder, n: NodeId| (b.node(n).op.clone(), b.node(n).args.first().copied());
    let ((ox, ax), (oy, ay)) = (source(b, x), source(b, y));
    match (ox, oy) {
        (Op::ZExt, Op::ZExt) | (Op::SExt, Op::SExt) if b.width(ax?) == b.width(ay?) => {
            let inner = b.same(op.clone(), &[ax?, ay?]);
            Some(b.op(b.kind(x).clone(), w, &[inner]))
        }
        (Op::Not, Op::Not) if *op != Op::Xor => {
            let inner = b.same(if *op == Op::And { Op::Or } else { Op::And }, &[ax?, ay?]);
            Some(b.not(inner))
        }
        // in the bits that the narrower one cannot have, And is zero; Or and Xor are the other's
        // bits
        (Op::ZExt, _) | (_, Op::ZExt) if *op == Op::And => {
            let (ext, other) = if is!(b, x, Op::ZExt) { (x, y) } else { (y, x) };
            let inner = b.arg(ext, 0);
            let cut = b.slice(other, 0, b.width(inner));
            let low = b.and(inner, cut);
            Some(b.zext(low, w))
        }
        (Op::ZExt, Op::ZExt) => {
            let wide = b.width(ax?).max(b.width(ay?));
            let (p, q) = (b.zext(ax?, wide), b.zext(ay?, wide));
            let inner = b.same(op.clone(), &[p, q]);
            Some(b.zext(inner, w))
        }
        (Op::ZExt, Op::Const(c)) => {
            let wide = b.width(ax?);
            if c.shr(u64::from(wide)).is_zero() {
                let cut = b.constant(c.zext(wide));
                let inner = b.same(op.clone(), &[ax?, cut]);
                return Some(b.zext(inner, w));
            }
            None
        }
        _ => None,
    }
}

pub fn and(b: &mut Builder, x: NodeId, y: NodeId) -> Option<NodeId> {
    let (x, y) = constant_last(b, x, y);
    let w = b.width(x);
    if let Some(c) = b.as_const(y).cloned() {
        if c.is_zero() {
            return Some(y);
        }
        if c.is_ones() {
            return Some(x);
        }
        if w <= 64 && b.known(x).max() & !c.to_u64() & mask(w) == 0 {
            return Some(x);
        }
        if is!(b, x, Op::And) {
            if let Some(d) = b.as_const(b.arg(x, 1)) {
                let both = c.and(d);
                let both = b.constant(both);
                return Some(b.and(b.arg(x, 0), both));
            }
        }
        // a mask of ones from bit 0: the bits are cut out; leading zeros in any mask: done narrower
        let top = crate::passes::known::Known::of(&c).top;
        if c == Bits::ones(top).zext(w) {
            let low = b.slice(x, 0, top);
            return Some(b.zext(low, w));
        }
        if is!(b, x, Op::Mux) && b.as_const(b.arg(x, 1)).is_some() && b.as_const(b.arg(x, 2)).is_some() {
            let (p, q) = (b.and(b.arg(x, 1), y), b.and(b.arg(x, 2), y));
            return Some(b.mux(b.arg(x, 0), p, q));
        }
    }
    if w <= 64 && b.known(x).max() & b.known(y).max() == 0 {
        return Some(b.zero(w));
    }
    if w == 1 {
        if let Some(n) = both_compare(b, x, y) {
            return Some(n);
        }
    }
    // a bit, repeated, chooses
    for (x, y) in [(x, y), (y, x)] {
        if w > 1 && is!(b, x, Op::SExt) && b.width(b.arg(x, 0)) == 1 {
            let zero = b.zero(w);
            return Some(b.mux(b.arg(x, 0), y, zero));
        }
    }
    lattice(b, &Op::And, x, y)
}

/// `x == c && x == d`, `x == c && x != d`.
fn both_compare(b: &mut Builder, x: NodeId, y: NodeId) -> Option<NodeId> {
    let (nx, ny) = (b.node(x).clone(), b.node(y).clone());
    if nx.args.len() != 2 || ny.args.len() != 2 || nx.args[0] != ny.args[0] || nx.args[1] == ny.args[1] {
        return None;
    }
    let constants = b.as_const(nx.args[1]).is_some() && b.as_const(ny.args[1]).is_some();
    match (nx.op, ny.op) {
        (Op::Eq, Op::Eq) if constants => Some(b.zero(1)),
        (Op::Eq, Op::Ne) if constants => Some(x),
        (Op::Ne, Op::Eq) if constants => Some(y),
        _ => None,
    }
}

/// `x != c || x != d`, `x == c || x != d`.
fn either_compare(b: &mut Builder, x: NodeId, y: NodeId) -> Option<NodeId> {
    let (nx, ny) = (b.node(x), b.node(y));
    if nx.args.len() != 2 || ny.args.len() != 2 || nx.args[0] != ny.args[0] || nx.args[1] == ny.args[1] {
        return None;
    }
    let constants = b.as_const(nx.args[1]).is_some() && b.as_const(ny.args[1]).is_some();
    match (&nx.op, &ny.op) {
        (Op::Ne, Op::Ne) if constants => Some(b.ones(1)),
        (Op::Eq, Op::Ne) if constants => Some(y),
        (Op::Ne, Op::Eq) if constants => Some(x),
        _ => None,
    }
}

pub fn or(b: &mut Builder, x: NodeId, y: NodeId) -> Option<NodeId> {
    let (x, y) = constant_last(b, x, y);
    let w = b.width(x);
    if let Some(c) = b.as_const(y).cloned() {
        if c.is_zero() {
            return Some(x);
        }
        if c.is_ones() {
            return Some(y);
        }
        if is!(b, x, Op::Or) {
            if let Some(d) = b.as_const(b.arg(x, 1)) {
                let both = c.or(d);
                let both = b.constant(both);
                return Some(b.or(b.arg(x, 0), both));
            }
        }
        if w <= 64 && c.to_u64() & !b.known(x).ones == 0 {
            return Some(x);
        }
    }
    if w == 1 {
        if let Some(n) = either_compare(b, x, y) {
            return Some(n);
        }
    }
    if let Some(n) = side_by_side(b, x, y) {
        return Some(n);
    }
    lattice(b, &Op::Or, x, y)
}

/// `high << n | low` where the two share no bits: a concatenation.
fn side_by_side(b: &mut Builder, x: NodeId, y: NodeId) -> Option<NodeId> {
    let w = b.width(x);
    for (x, y) in [(x, y), (y, x)] {
        let n = b.node(x).clone();
        let at = match n.op {
            Op::Shl => shift_amount(b, x).unwrap_or(0),
            Op::Concat => {
                let last = n.args[n.args.len() - 1];
                match b.as_const(last) {
                    Some(c) if c.is_zero() => b.width(last),
                    _ => continue,
                }
            }
            _ => continue,
        };
        if at == 0 || at >= w || b.known(y).top > at {
            continue;
        }
        let (high, low) = (b.slice(x, at, w - at), b.slice(y, 0, at));
        return Some(b.concat(&[high, low]));
    }
    None
}

pub fn xor(b: &mut Builder, x: NodeId, y: NodeId) -> Option<NodeId> {
    let (x, y) = constant_last(b, x, y);
    let w = b.width(x);
    if x == y {
        return Some(b.zero(w));
    }
    if b.opposite(x, y) {
        return Some(b.ones(w));
    }
    if let Some(c) = b.as_const(y).cloned() {
        if c.is_zero() {
            return Some(x);
        }
        if c.is_ones() {
            return Some(b.not(x));
        }
        if is!(b, x, Op::Xor) {
            if let Some(d) = b.as_const(b.arg(x, 1)) {
                let both = c.xor(d);
                let both = b.constant(both);
                return Some(b.same(Op::Xor, &[b.arg(x, 0), both]));
            }
        }
        if is!(b, x, Op::Not) {
            let c = b.constant(c.not());
            return Some(b.same(Op::Xor, &[b.arg(x, 0), c]));
        }
    }
    match (is!(b, x, Op::Not), is!(b, y, Op::Not)) {
        (true, true) => return Some(b.same(Op::Xor, &[b.arg(x, 0), b.arg(y, 0)])),
        (true, false) => {
            let n = b.same(Op::Xor, &[b.arg(x, 0), y]);
            return Some(b.not(n));
        }
        (false, true) => {
            let n = b.same(Op::Xor, &[x, b.arg(y, 0)]);
            return Some(b.not(n));
        }
        (false, false) => {}
    }
    narrow(b, &Op::Xor, x, y)
}

pub fn reduce(b: &mut Builder, op: &Op, a: NodeId) -> Option<NodeId> {
    let w = b.width(a);
    if w == 1 {
        return Some(a);
    }
    match op {
        Op::RedOr => {
            let zero = b.zero(w);
            Some(b.op(Op::Ne, 1, &[a, zero]))
        }
        Op::RedAnd => {
            let ones = b.ones(w);
            Some(b.eq(a, ones))
        }
        _ if is!(b, a, Op::ZExt) => Some(b.op(Op::RedXor, 1, &[b.arg(a, 0)])),
        _ => None,
    }
}
