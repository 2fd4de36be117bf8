//! Rules of `Neg`, `Add`, `Sub`, `Mul`, division and shifts.

use super::{constant_last, is, shift_amount};
use crate::bits::Bits;
use crate::graph::{NodeId, Op};
use crate::passes::builder::Builder;

/// The exponent of a power of two.
fn power(v: &Bits) -> Option<u32> {
    (v.count_ones() == 1).then(|| (0..v.width()).find(|&i| v.get(i)))?
}

pub fn neg(b: &mut Builder, a: NodeId) -> Option<NodeId> {
    let n = b.node(a).clone();
    match n.op {
        Op::Neg => Some(n.args[0]),
        Op::Sub => Some(b.same(Op::Sub, &[n.args[1], n.args[0]])),
        _ if n.width == 1 => Some(a),
        Op::ZExt if b.width(n.args[0]) == 1 => Some(b.sext(n.args[0], n.width)),
        _ => None,
    }
}

pub fn add(b: &mut Builder, x: NodeId, y: NodeId) -> Option<NodeId> {
    let (x, y) = constant_last(b, x, y);
    let w = b.width(x);
    if w == 1 {
        return Some(b.same(Op::Xor, &[x, y]));
    }
    if let Some(c) = b.as_const(y).cloned() {
        if c.is_zero() {
            return Some(x);
        }
        let n = b.node(x).clone();
        if n.op == Op::Add {
            if let Some(d) = b.as_const(n.args[1]) {
                let sum = c.add(d);
                let sum = b.constant(sum);
                return Some(b.same(Op::Add, &[n.args[0], sum]));
            }
        }
        if n.op == Op::Sub {
            if let Some(d) = b.as_const(n.args[0]) {
                let sum = c.add(d);
                let sum = b.constant(sum);
                return Some(b.same(Op::Sub, &[sum, n.args[1]]));
            }
        }
        if n.op == Op::Not {
            // ~x + c = (c - 1) - x
            let less = b.constant(c.sub(&Bits::new(w, 1)));
            return Some(b.same(Op::Sub, &[less, n.args[0]]));
        }
    }
    for (x, y) in [(x, y), (y, x)] {
        match b.kind(y) {
            Op::Neg => return Some(b.same(Op::Sub, &[x, b.arg(y, 0)])),
            // x + (z - x) = z
            Op::Sub if b.arg(y, 1) == x => return Some(b.arg(y, 0)),
            _ => {}
        }
    }
    // wide sums of narrow values: one limb is enough
    let bits = b.known(x).top.max(b.known(y).top) + 1;
    if w > 64 && bits <= 64 {
        let (p, q) = (b.slice(x, 0, 64), b.slice(y, 0, 64));
        let sum = b.same(Op::Add, &[p, q]);
        return Some(b.zext(sum, w));
    }
    None
}

pub fn sub(b: &mut Builder, x: NodeId, y: NodeId) -> Option<NodeId> {
    let w = b.width(x);
    if x == y {
        return Some(b.zero(w));
    }
    if w == 1 {
        return Some(b.same(Op::Xor, &[x, y]));
    }
    if let Some(c) = b.as_const(y).cloned() {
        let minus = b.constant(c.neg());
        return Some(b.same(Op::Add, &[x, minus]));
    }
    if b.is(x, 0) {
        return Some(b.same(Op::Neg, &[y]));
    }
    if is!(b, y, Op::Neg) {
        return Some(b.same(Op::Add, &[x, b.arg(y, 0)]));
    }
    // (x + z) - x = z
    if is!(b, x, Op::Add) {
        for i in 0..2 {
            if b.arg(x, i) == y {
                return Some(b.arg(x, 1 - i));
            }
        }
    }
    None
}

pub fn mul(b: &mut Builder, x: NodeId, y: NodeId) -> Option<NodeId> {
    let (x, y) = constant_last(b, x, y);
    let w = b.width(x);
    if w == 1 {
        return Some(b.and(x, y));
    }
    if let Some(c) = b.as_const(y).cloned() {
        if c.is_zero() {
            return Some(y);
        }
        if c.is_ones() {
            return Some(b.same(Op::Neg, &[x]));
        }
        if let Some(by) = power(&c) {
            let by = b.number(32, u64::from(by));
            return Some(b.same(Op::Shl, &[x, by]));
        }
    }
    // one limb is enough; narrower than that the product stays as wide as it is written (a 32 x
    // 32 -> 64 bit multiply stays one)
    let bits = b.known(x).top + b.known(y).top;
    if w > 64 && bits <= 64 {
        let (p, q) = (b.slice(x, 0, 64), b.slice(y, 0, 64));
        let product = b.same(Op::Mul, &[p, q]);
        return Some(b.zext(product, w));
    }
    for (x, y) in [(x, y), (y, x)] {
        if is!(b, x, Op::ZExt) && b.width(b.arg(x, 0)) == 1 {
            let zero = b.zero(w);
            return Some(b.mux(b.arg(x, 0), y, zero));
        }
    }
    None
}

pub fn div(b: &mut Builder, op: &Op, x: NodeId, y: NodeId) -> Option<NodeId> {
    let w = b.width(x);
    if b.is(x, 0) || b.is(y, 0) {
        return Some(b.zero(w));
    }
    let unsigned = matches!(op, Op::DivU | Op::RemU);
    if let Some(by) = b.as_const(y).and_then(power) {
        // as a signed divisor, the top bit alone is negative
        if unsigned && *op == Op::DivU {
            let by = b.number(32, u64::from(by));
            return Some(b.same(Op::Shr, &[x, by]));
        }
        if unsigned {
            let rest = b.constant(Bits::ones(by).zext(w));
            return Some(b.and(x, rest));
        }
    }
    let bits = b.known(x).top.max(b.known(y).top);
    if !unsigned && bits < w {
        // no sign on either side
        let op = if *op == Op::DivS { Op::DivU } else { Op::RemU };
        return Some(b.same(op, &[x, y]));
    }
    let narrow = if bits <= 32 { 32 } else { 64 };
    if unsigned && w > narrow && bits <= narrow {
        let (p, q) = (b.slice(x, 0, narrow), b.slice(y, 0, narrow));
        let out = b.same(op.clone(), &[p, q]);
        return Some(b.zext(out, w));
    }
    None
}

pub fn shift(b: &mut Builder, op: &Op, x: NodeId, by: NodeId) -> Option<NodeId> {
    let w = b.width(x);
    if b.is(x, 0) {
        return Some(x);
    }
    if let Some(amount) = b.as_const(by).cloned() {
        return shift_by(b, op, x, &amount);
    }
    let top = b.known(x).top;
    if *op == Op::Sar && top < w {
        return Some(b.same(Op::Shr, &[x, by]));
    }
    if *op == Op::Sar && w == 1 {
        return Some(x);
    }
    // leading zeros of the amount mean nothing
    let useful = b.known(by).top;
    if useful < b.width(by) {
        let by = b.slice(by, 0, useful.max(1));
        return Some(b.same(op.clone(), &[x, by]));
    }
    if *op == Op::Shr && is!(b, x, Op::ZExt) {
        let inner = b.arg(x, 0);
        let cut = b.same(Op::Shr, &[inner, by]);
        return Some(b.zext(cut, w));
    }
    if w == 1 {
        // any amount but 0 shifts the bit out
        let zero = b.zero(b.width(by));
        let stays = b.eq(by, zero);
        return Some(b.and(x, stays));
    }
    None
}

fn shift_by(b: &mut Builder, op: &Op, x: NodeId, amount: &Bits) -> Option<NodeId> {
    let w = b.width(x);
    let by = amount.small().map_or(w, |a| a.min(u64::from(w)) as u32);
    if by == 0 {
        return Some(x);
    }
    match op {
        Op::Shr | Op::Shl if by == w => Some(b.zero(w)),
        Op::Shr => {
            let high = b.slice(x, by, w - by);
            Some(b.zext(high, w))
        }
        Op::Sar => {
            let by = by.min(w - 1);
            let high = b.slice(x, by, w - by);
            Some(b.sext(high, w))
        }
        _ => shift_left_by(b, x, by, amount.width() == 32),
    }
}

fn shift_left_by(b: &mut Builder, x: NodeId, by: u32, canonical: bool) -> Option<NodeId> {
    let w = b.width(x);
    if w > 64 || is!(b, x, Op::Concat | Op::ZExt) {
        let (low, zero) = (b.slice(x, 0, w - by), b.zero(by));
        return Some(b.concat(&[low, zero]));
    }
    if is!(b, x, Op::Shl) {
        if let Some(first) = shift_amount(b, x) {
            let sum = b.number(32, u64::from(first + by));
            return Some(b.same(Op::Shl, &[b.arg(x, 0), sum]));
        }
    }
    if canonical {
        return None;
    }
    let by = b.number(32, u64::from(by));
    Some(b.same(Op::Shl, &[x, by]))
}
