//! Rules of `Slice`, `Concat`, extensions, and the index of tables and memories: nodes that only
//! move bits.

use super::{is, shift_amount};
use crate::bits::Bits;
use crate::graph::{NodeId, Op};
use crate::passes::builder::Builder;

pub fn slice(b: &mut Builder, a: NodeId, lo: u32, w: u32) -> Option<NodeId> {
    let n = b.node(a).clone();
    if w == n.width {
        return Some(a);
    }
    if b.known(a).top <= lo {
        return Some(b.zero(w));
    }
    match n.op {
        Op::Slice(from) => Some(b.slice(n.args[0], from + lo, w)),
        Op::ZExt => {
            let from = b.width(n.args[0]);
            if lo + w <= from {
                return Some(b.slice(n.args[0], lo, w));
            }
            let inner = b.slice(n.args[0], lo, from - lo);
            Some(b.zext(inner, w))
        }
        Op::SExt => {
            let from = b.width(n.args[0]);
            if lo + w <= from {
                return Some(b.slice(n.args[0], lo, w));
            }
            let lo = lo.min(from - 1);
            let inner = b.slice(n.args[0], lo, from - lo);
            Some(b.sext(inner, w))
        }
        Op::Concat => slice_concat(b, &n.args, lo, w),
        Op::Shl => {
            let by = shift_amount(b, a)?;
            if lo >= by {
                return Some(b.slice(n.args[0], lo - by, w));
            }
            if lo + w <= by {
                return Some(b.zero(w));
            }
            let (high, zero) = (b.slice(n.args[0], 0, lo + w - by), b.zero(by - lo));
            Some(b.concat(&[high, zero]))
        }
        Op::And | Op::Or | Op::Xor => {
            if !n.args.iter().any(|&x| cuts_well(b, x)) {
                return None;
            }
            let (p, q) = (b.slice(n.args[0], lo, w), b.slice(n.args[1], lo, w));
            Some(b.same(n.op, &[p, q]))
        }
        Op::Not if cuts_well(b, n.args[0]) => {
            let p = b.slice(n.args[0], lo, w);
            Some(b.not(p))
        }
        Op::Mux if cuts_well(b, n.args[1]) && cuts_well(b, n.args[2]) => {
            let (p, q) = (b.slice(n.args[1], lo, w), b.slice(n.args[2], lo, w));
            Some(b.mux(n.args[0], p, q))
        }
        _ => None,
    }
}

/// Slices of it are slices of something smaller, or constants.
fn cuts_well(b: &Builder, x: NodeId) -> bool {
    is!(b, x, Op::Const(_) | Op::Concat | Op::ZExt | Op::SExt | Op::Slice(_))
}

fn slice_concat(b: &mut Builder, args: &[NodeId], lo: u32, w: u32) -> Option<NodeId> {
    let mut at = 0;
    let mut parts = Vec::new();
    for &p in args.iter().rev() {
        let (from, to) = (at.max(lo), (at + b.width(p)).min(lo + w));
        if from < to {
            parts.push(b.slice(p, from - at, to - from));
        }
        at += b.width(p);
    }
    parts.reverse();
    Some(b.concat(&parts))
}

pub fn concat(b: &mut Builder, args: &[NodeId]) -> Option<NodeId> {
    if args.len() == 1 {
        return Some(args[0]);
    }
    let mut parts: Vec<NodeId> = Vec::with_capacity(args.len());
    for &a in args {
        push_part(b, &mut parts, a);
    }
    if parts.len() == 1 {
        return Some(parts[0]);
    }
    let width = args.iter().map(|&a| b.width(a)).sum();
    if b.as_const(parts[0]).is_some_and(Bits::is_zero) {
        let rest = b.concat(&parts[1..]);
        return Some(b.zext(rest, width));
    }
    if let Some(n) = sign_extension(b, &parts, width) {
        return Some(n);
    }
    (parts != args).then(|| b.concat(&parts))
}

/// Adds a part below the others; nested concatenations are opened, neighbours joined.
fn push_part(b: &mut Builder, parts: &mut Vec<NodeId>, a: NodeId) {
    let n = b.node(a).clone();
    match n.op {
        Op::Concat => {
            for p in n.args {
                push_part(b, parts, p);
            }
            return;
        }
        // opened, so that zeros join their neighbours
        Op::ZExt => {
            let zero = b.zero(n.width - b.width(n.args[0]));
            push_part(b, parts, zero);
            push_part(b, parts, n.args[0]);
            return;
        }
        Op::Shl => {
            if let Some(by) = shift_amount(b, a).filter(|&by| by < n.width) {
                let (high, zero) = (b.slice(n.args[0], 0, n.width - by), b.zero(by));
                push_part(b, parts, high);
                push_part(b, parts, zero);
                return;
            }
        }
        _ => {}
    }
    let Some(&above) = parts.last() else {
        parts.push(a);
        return;
    };
    let joined = match (b.node(above).op.clone(), n.op) {
        (Op::Const(high), Op::Const(low)) => Some(b.constant(high.concat(&low))),
        (Op::Slice(high), Op::Slice(low)) if b.arg(above, 0) == n.args[0] && high == low + n.width => {
            let width = b.width(above) + n.width;
            Some(b.slice(n.args[0], low, width))
        }
        _ => None,
    };
    match joined {
        Some(j) => {
            parts.pop();
            // a joined slice may be the whole value, which may be a concatenation
            push_part(b, parts, j);
        }
        None => parts.push(a),
    }
}

/// One bit over and over, and below it perhaps a value whose sign it is.
fn sign_extension(b: &mut Builder, parts: &[NodeId], width: u32) -> Option<NodeId> {
    let first = parts[0];
    // a repeated bit may already be an extension of it
    let bit = match b.kind(first) {
        Op::SExt if b.width(b.arg(first, 0)) == 1 => b.arg(first, 0),
        _ if b.width(first) == 1 => first,
        _ => return None,
    };
    let repeats = |b: &Builder, p: NodeId| p == bit || is!(b, p, Op::SExt) && b.arg(p, 0) == bit;
    let n = parts.iter().take_while(|&&p| repeats(b, p)).count();
    if n == parts.len() {
        return Some(b.sext(bit, width));
    }
    let below = parts[n];
    let sign = match b.node(bit).op {
        Op::Slice(at) => {
            let from = b.arg(bit, 0);
            from == below && at == b.width(below) - 1
                || matches!(b.kind(below), Op::Slice(lo) if b.arg(below, 0) == from && lo + b.width(below) - 1 == at)
        }
        _ => false,
    };
    if sign {
        let wide = parts[..=n].iter().map(|&p| b.width(p)).sum();
        let mut all = vec![b.sext(below, wide)];
        all.extend(&parts[n + 1..]);
        return Some(b.concat(&all));
    }
    if n > 1 {
        let wide = parts[..n].iter().map(|&p| b.width(p)).sum();
        let mut all = vec![b.sext(bit, wide)];
        all.extend(&parts[n..]);
        return Some(b.concat(&all));
    }
    None
}

pub fn zext(b: &mut Builder, a: NodeId, w: u32) -> Option<NodeId> {
    if b.width(a) == w {
        return Some(a);
    }
    if is!(b, a, Op::ZExt) {
        return Some(b.zext(b.arg(a, 0), w));
    }
    None
}

pub fn sext(b: &mut Builder, a: NodeId, w: u32) -> Option<NodeId> {
    let from = b.width(a);
    if from == w {
        return Some(a);
    }
    if is!(b, a, Op::SExt) {
        return Some(b.sext(b.arg(a, 0), w));
    }
    if b.known(a).top < from {
        return Some(b.zext(a, w));
    }
    None
}

/// An index without the zeros it was extended by.
pub fn index(b: &mut Builder, a: NodeId) -> Option<NodeId> {
    is!(b, a, Op::ZExt).then(|| b.arg(a, 0))
}

pub fn table(b: &mut Builder, op: &Op, width: u32, a: NodeId) -> Option<NodeId> {
    if let Some(a) = index(b, a) {
        return Some(b.op(op.clone(), width, &[a]));
    }
    None
}
