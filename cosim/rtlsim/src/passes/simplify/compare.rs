//! Rules of comparisons. `Ne` is `Not` of what `Eq` becomes, so that the two can never differ.

use super::{constant_last, is};
use crate::bits::Bits;
use crate::graph::{NodeId, Op};
use crate::passes::builder::Builder;
use crate::passes::known::mask;

pub fn equal(b: &mut Builder, x: NodeId, y: NodeId) -> Option<NodeId> {
    let (x, y) = constant_last(b, x, y);
    let w = b.width(x);
    if x == y {
        return Some(b.ones(1));
    }
    let (kx, ky) = (b.known(x), b.known(y));
    if kx.zeros & ky.ones != 0 || kx.ones & ky.zeros != 0 {
        return Some(b.zero(1));
    }
    if b.opposite(x, y) {
        return Some(b.zero(1));
    }
    if w == 1 {
        let differ = b.same(Op::Xor, &[x, y]);
        return Some(b.not(differ));
    }
    if let Some(c) = b.as_const(y).cloned() {
        return equal_constant(b, x, &c);
    }
    let (nx, ny) = (b.node(x).clone(), b.node(y).clone());
    match (&nx.op, &ny.op) {
        (Op::ZExt, Op::ZExt) | (Op::SExt, Op::SExt) if b.width(nx.args[0]) == b.width(ny.args[0]) => {
            return Some(b.eq(nx.args[0], ny.args[0]));
        }
        (Op::Not, Op::Not) | (Op::Neg, Op::Neg) => return Some(b.eq(nx.args[0], ny.args[0])),
        (Op::Add | Op::Xor, Op::Add | Op::Xor) if nx.op == ny.op && nx.args[1] == ny.args[1] => {
            return Some(b.eq(nx.args[0], ny.args[0]));
        }
        _ => {}
    }
    if is!(b, x, Op::ZExt) || is!(b, y, Op::ZExt) || w > 64 {
        let top = kx.top.max(ky.top);
        if top < w {
            let (p, q) = (b.slice(x, 0, top), b.slice(y, 0, top));
            return Some(b.eq(p, q));
        }
    }
    None
}

/// `x == c`.
fn equal_constant(b: &mut Builder, x: NodeId, c: &Bits) -> Option<NodeId> {
    let n = b.node(x).clone();
    let w = n.width;
    let known = b.known(x);
    let top = crate::passes::known::Known::of(c).top;
    if known.top < top {
        return Some(b.zero(1));
    }
    let arg_const = |b: &Builder, i: usize| n.args.get(i).and_then(|&a| b.as_const(a)).cloned();
    let compare = |b: &mut Builder, x: NodeId, c: Bits| {
        let c = b.constant(c);
        Some(b.eq(x, c))
    };
    match n.op {
        Op::Not => return compare(b, n.args[0], c.not()),
        Op::Neg => return compare(b, n.args[0], c.neg()),
        Op::Add => {
            if let Some(d) = arg_const(b, 1) {
                return compare(b, n.args[0], c.sub(&d));
            }
        }
        Op::Xor => {
            if let Some(d) = arg_const(b, 1) {
                return compare(b, n.args[0], c.xor(&d));
            }
            if c.is_zero() {
                return Some(b.eq(n.args[0], n.args[1]));
            }
        }
        Op::Sub => {
            if c.is_zero() {
                return Some(b.eq(n.args[0], n.args[1]));
            }
            if let Some(d) = arg_const(b, 0) {
                return compare(b, n.args[1], d.sub(c));
            }
        }
        Op::ZExt => return compare(b, n.args[0], c.zext(b.width(n.args[0]))),
        Op::SExt => {
            let cut = c.zext(b.width(n.args[0]));
            return if cut.sext(w) == *c { compare(b, n.args[0], cut) } else { Some(b.zero(1)) };
        }
        Op::Mux => {
            if let Some(n) = equal_mux(b, &n.args, c) {
                return Some(n);
            }
        }
        Op::Concat => return equal_concat(b, &n.args, c),
        // parts that are shifted to their places: each must be 0
        Op::Or if c.is_zero() && n.args.iter().all(|&a| is!(b, a, Op::ZExt | Op::Concat | Op::Shl)) => {
            let zero = b.zero(w);
            let (p, q) = (b.eq(n.args[0], zero), b.eq(n.args[1], zero));
            return Some(b.and(p, q));
        }
        _ => {}
    }
    // one bit can differ: a test of that bit
    if w <= 64 {
        let open = !known.zeros & !known.ones & mask(w);
        if open.count_ones() == 1 {
            let at = open.trailing_zeros();
            let bit = b.slice(x, at, 1);
            return Some(if c.get(at) { bit } else { b.not(bit) });
        }
    }
    None
}

fn equal_mux(b: &mut Builder, args: &[NodeId], c: &Bits) -> Option<NodeId> {
    let (s, p, q) = (args[0], args[1], args[2]);
    let hit = |b: &Builder, a: NodeId| b.as_const(a).map(|d| d == c);
    let c = c.clone();
    match (hit(b, p), hit(b, q)) {
        (None, None) => None,
        (Some(hp), Some(hq)) => {
            let (hp, hq) = (b.number(1, u64::from(hp)), b.number(1, u64::from(hq)));
            Some(b.mux(s, hp, hq))
        }
        (Some(hp), None) => {
            let c = b.constant(c);
            let (hp, rest) = (b.number(1, u64::from(hp)), b.eq(q, c));
            Some(b.mux(s, hp, rest))
        }
        (None, Some(hq)) => {
            let c = b.constant(c);
            let (hq, rest) = (b.number(1, u64::from(hq)), b.eq(p, c));
            Some(b.mux(s, rest, hq))
        }
    }
}

/// Constant parts are compared now; a repeated bit and single parts need no concatenation.
fn equal_concat(b: &mut Builder, parts: &[NodeId], c: &Bits) -> Option<NodeId> {
    let mut at = c.width();
    let (mut open, mut want): (Vec<NodeId>, Vec<Bits>) = (Vec::new(), Vec::new());
    for &p in parts {
        at -= b.width(p);
        let expect = c.slice(at, b.width(p));
        match b.as_const(p) {
            Some(v) if *v != expect => return Some(b.zero(1)),
            Some(_) => {}
            None => {
                open.push(p);
                want.push(expect);
            }
        }
    }
    if open.len() == parts.len() && (open.len() != 2 || c.width() <= 64 && b.width(open[0]).min(b.width(open[1])) > 1) {
        return None;
    }
    if open.len() <= 2 {
        let mut all = b.ones(1);
        for (p, v) in open.into_iter().zip(want) {
            let v = b.constant(v);
            let one = b.eq(p, v);
            all = b.and(all, one);
        }
        return Some(all);
    }
    let joined = b.concat(&open);
    let value = want[1..].iter().fold(want[0].clone(), |v, low| v.concat(low));
    let value = b.constant(value);
    Some(b.eq(joined, value))
}

pub fn less_unsigned(b: &mut Builder, x: NodeId, y: NodeId) -> Option<NodeId> {
    let w = b.width(x);
    if x == y || b.is(y, 0) || b.is_ones(x) {
        return Some(b.zero(1));
    }
    if w == 1 {
        let not = b.not(x);
        return Some(b.and(not, y));
    }
    let (kx, ky) = (b.known(x), b.known(y));
    if w <= 64 && kx.max() < ky.ones {
        return Some(b.ones(1));
    }
    if w <= 64 && kx.ones >= ky.max() {
        return Some(b.zero(1));
    }
    if b.is(x, 0) {
        return Some(b.op(Op::Ne, 1, &[y, x]));
    }
    if b.is(y, 1) {
        let zero = b.zero(w);
        return Some(b.eq(x, zero));
    }
    let top = kx.top.max(ky.top);
    if top < w && (is!(b, x, Op::ZExt | Op::Const(_)) && is!(b, y, Op::ZExt | Op::Const(_)) || w > 64 && top <= 64) {
        let (p, q) = (b.slice(x, 0, top), b.slice(y, 0, top));
        return Some(b.op(Op::LtU, 1, &[p, q]));
    }
    // against a power of two only the bits from there on count
    if let Some(c) = b.as_const(y).filter(|c| c.count_ones() == 1) {
        let k = crate::passes::known::Known::of(c).top - 1;
        let high = b.slice(x, k, w - k);
        let zero = b.zero(w - k);
        return Some(b.eq(high, zero));
    }
    if let Some(c) = b.as_const(x).cloned() {
        let k = crate::passes::known::Known::of(&c).top;
        if c == Bits::ones(k).zext(w) {
            let high = b.slice(y, k, w - k);
            let zero = b.zero(w - k);
            return Some(b.op(Op::Ne, 1, &[high, zero]));
        }
    }
    None
}

pub fn at_most_unsigned(b: &mut Builder, x: NodeId, y: NodeId) -> Option<NodeId> {
    let w = b.width(x);
    if x == y || b.is(x, 0) || b.is_ones(y) {
        return Some(b.ones(1));
    }
    if w == 1 {
        let not = b.not(x);
        return Some(b.or(not, y));
    }
    if let Some(c) = b.as_const(y).cloned() {
        let next = b.constant(c.add(&Bits::new(w, 1)));
        return Some(b.op(Op::LtU, 1, &[x, next]));
    }
    if let Some(c) = b.as_const(x).cloned() {
        let before = b.constant(c.sub(&Bits::new(w, 1)));
        return Some(b.op(Op::LtU, 1, &[before, y]));
    }
    not_of(b, Op::LtU, y, x)
}

/// `x <= y` is `!(y < x)`; what the strict comparison says, where it says something simpler.
fn not_of(b: &mut Builder, strict: Op, y: NodeId, x: NodeId) -> Option<NodeId> {
    let less = match strict {
        Op::LtU => less_unsigned(b, y, x)?,
        _ => less_signed(b, y, x)?,
    };
    Some(b.not(less))
}

pub fn less_signed(b: &mut Builder, x: NodeId, y: NodeId) -> Option<NodeId> {
    let w = b.width(x);
    if x == y {
        return Some(b.zero(1));
    }
    if w == 1 {
        // as signed numbers 1 is -1
        let not = b.not(y);
        return Some(b.and(x, not));
    }
    let (kx, ky) = (b.known(x), b.known(y));
    if kx.top < w && ky.top < w {
        return Some(b.op(Op::LtU, 1, &[x, y]));
    }
    if b.is(y, 0) {
        return Some(b.slice(x, w - 1, 1));
    }
    if b.is_ones(x) {
        let sign = b.slice(y, w - 1, 1);
        return Some(b.not(sign));
    }
    let least = Bits::new(1, 1).zext(w).shl(u64::from(w - 1));
    if b.as_const(y) == Some(&least) || b.as_const(x) == Some(&least.not()) {
        return Some(b.zero(1));
    }
    let (nx, ny) = (b.node(x).clone(), b.node(y).clone());
    if nx.op == Op::SExt && ny.op == Op::SExt && b.width(nx.args[0]) == b.width(ny.args[0]) {
        return Some(b.op(Op::LtS, 1, &[nx.args[0], ny.args[0]]));
    }
    None
}

pub fn at_most_signed(b: &mut Builder, x: NodeId, y: NodeId) -> Option<NodeId> {
    let w = b.width(x);
    if x == y {
        return Some(b.ones(1));
    }
    let least = Bits::new(1, 1).zext(w).shl(u64::from(w - 1));
    if b.as_const(x) == Some(&least) || b.as_const(y) == Some(&least.not()) {
        return Some(b.ones(1));
    }
    if w > 1 {
        if let Some(c) = b.as_const(y).cloned() {
            let next = b.constant(c.add(&Bits::new(w, 1)));
            return Some(b.op(Op::LtS, 1, &[x, next]));
        }
        if let Some(c) = b.as_const(x).cloned() {
            let before = b.constant(c.sub(&Bits::new(w, 1)));
            return Some(b.op(Op::LtS, 1, &[before, y]));
        }
    }
    not_of(b, Op::LtS, y, x)
}
