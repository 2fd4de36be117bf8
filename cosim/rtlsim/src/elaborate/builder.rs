//! Makes nodes: the same (operation, width, arguments) is one node, and what is trivially simpler
//! is made simpler at once (constants, `x & 0`, slices of concatenations, shifts by constants, a
//! mux under the same condition). Both halves of elaboration build with it. Every rewrite here must
//! keep the two-state meaning of [`Op`] bit for bit; none may depend on anything but the arguments,
//! or equal nodes stop being one.

use std::hash::{Hash, Hasher};

/// Nodes are small and many, and nobody attacks the table.
pub(super) use rustc_hash::FxHashMap as Map;
use rustc_hash::FxHasher;

use crate::bits::Bits;
use crate::graph::{Node, NodeId, Op, Table, TableId};
use crate::interp;

const EMPTY: u32 = u32::MAX;

/// Node arena with structural hashing.
pub(super) struct Builder {
    pub nodes: Vec<Node>,
    pub tables: Vec<Table>,
    table_ids: Map<Table, TableId>,
    /// Open addressing, a power of two long, at most half full.
    slots: Vec<u32>,
}

fn hash(op: &Op, width: u32, args: &[NodeId]) -> usize {
    let mut h = FxHasher::default();
    op.hash(&mut h);
    h.write_u32(width);
    for a in args {
        h.write_u32(a.0);
    }
    h.finish() as usize
}

fn commutes(op: &Op) -> bool {
    matches!(op, Op::And | Op::Or | Op::Xor | Op::Add | Op::Mul | Op::Eq | Op::Ne)
}

impl Builder {
    pub fn new() -> Self {
        Self { nodes: Vec::new(), tables: Vec::new(), table_ids: Map::default(), slots: vec![EMPTY; 256] }
    }

    pub fn width(&self, id: NodeId) -> u32 {
        self.nodes[id.index()].width
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub fn as_const(&self, id: NodeId) -> Option<&Bits> {
        match &self.node(id).op {
            Op::Const(v) => Some(v),
            _ => None,
        }
    }

    pub fn table(&mut self, table: Table) -> TableId {
        if let Some(&id) = self.table_ids.get(&table) {
            return id;
        }
        let id = TableId(self.tables.len() as u32);
        self.tables.push(table.clone());
        self.table_ids.insert(table, id);
        id
    }

    /// The node as it stands, shared.
    pub fn intern(&mut self, op: Op, width: u32, args: &[NodeId]) -> NodeId {
        if self.nodes.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut at = hash(&op, width, args) & mask;
        while self.slots[at] != EMPTY {
            let n = &self.nodes[self.slots[at] as usize];
            if n.width == width && n.op == op && n.args == args {
                return NodeId(self.slots[at]);
            }
            at = (at + 1) & mask;
        }
        let id = self.nodes.len() as u32;
        self.slots[at] = id;
        self.nodes.push(Node { op, width, args: args.to_vec() });
        NodeId(id)
    }

    fn grow(&mut self) {
        let len = self.slots.len() * 2;
        self.slots = vec![EMPTY; len];
        for (id, n) in self.nodes.iter().enumerate() {
            let mut at = hash(&n.op, n.width, &n.args) & (len - 1);
            while self.slots[at] != EMPTY {
                at = (at + 1) & (len - 1);
            }
            self.slots[at] = id as u32;
        }
    }

    pub fn constant(&mut self, value: Bits) -> NodeId {
        let width = value.width();
        self.intern(Op::Const(value), width, &[])
    }

    pub fn zero(&mut self, width: u32) -> NodeId {
        self.constant(Bits::zero(width))
    }

    pub fn bit(&mut self, value: bool) -> NodeId {
        self.constant(Bits::bit(value))
    }

    /// The node, simplified where that is trivial.
    pub fn make(&mut self, op: Op, width: u32, args: &[NodeId]) -> NodeId {
        if !args.is_empty() && args.iter().all(|&a| matches!(self.nodes[a.index()].op, Op::Const(_))) {
            if let Some(v) = self.fold(&op, width, args) {
                return self.constant(v);
            }
        }
        match op {
            Op::Slice(lo) => self.slice(args[0], lo, width),
            Op::Concat => self.concat(args),
            Op::ZExt => self.zext(args[0], width),
            Op::SExt => self.sext(args[0], width),
            Op::Mux => self.mux(args[0], args[1], args[2]),
            Op::Not | Op::RedAnd | Op::RedOr | Op::RedXor => self.unary(op, width, args[0]),
            Op::Shl | Op::Shr | Op::Sar => self.shift(op, args[0], args[1]),
            _ if args.len() == 2 => self.binary(op, width, args[0], args[1]),
            _ => self.intern(op, width, args),
        }
    }

    fn fold(&self, op: &Op, width: u32, args: &[NodeId]) -> Option<Bits> {
        if let Op::Table(t) = op {
            let table = &self.tables[t.index()];
            let index = self.as_const(args[0])?.small().and_then(|i| usize::try_from(i).ok());
            return Some(index.and_then(|i| table.words.get(i)).unwrap_or(&table.default).clone());
        }
        if matches!(op, Op::MemRead(_)) {
            return None;
        }
        let values: Vec<Bits> = args.iter().filter_map(|&a| self.as_const(a).cloned()).collect();
        Some(interp::wide(op, width, &values))
    }

    fn unary(&mut self, op: Op, width: u32, a: NodeId) -> NodeId {
        if op == Op::Not {
            let inner = self.node(a);
            if inner.op == Op::Not {
                return inner.args[0];
            }
            // comparisons have a complement of their own
            let swapped = match inner.op {
                Op::Eq => Some(Op::Ne),
                Op::Ne => Some(Op::Eq),
                _ => None,
            };
            if let Some(op) = swapped {
                let args = inner.args.clone();
                return self.intern(op, 1, &args);
            }
        } else if self.width(a) == 1 {
            return a;
        } else if op != Op::RedAnd && self.node(a).op == Op::ZExt {
            let inner = self.node(a).args[0];
            return self.unary(op, width, inner);
        }
        self.intern(op, width, &[a])
    }

    fn binary(&mut self, op: Op, width: u32, mut a: NodeId, mut b: NodeId) -> NodeId {
        if commutes(&op) && (self.as_const(a).is_some() || (self.as_const(b).is_none() && a > b)) {
            std::mem::swap(&mut a, &mut b);
        }
        if a == b {
            match op {
                Op::And | Op::Or => return a,
                Op::Xor | Op::Sub => return self.zero(width),
                Op::Eq | Op::LeU | Op::LeS => return self.bit(true),
                Op::Ne | Op::LtU | Op::LtS => return self.bit(false),
                _ => {}
            }
        }
        if let Some(n) = self.with_constant(&op, width, a, b) {
            return n;
        }
        self.intern(op, width, &[a, b])
    }

    /// Simplifications by a constant second argument.
    fn with_constant(&mut self, op: &Op, width: u32, a: NodeId, b: NodeId) -> Option<NodeId> {
        let v = self.as_const(b)?;
        let (zero, ones, one) = (v.is_zero(), v.is_ones(), v.small() == Some(1));
        Some(match op {
            Op::And if zero => b,
            Op::And if ones => a,
            Op::Or if zero => a,
            Op::Or if ones => b,
            Op::Xor | Op::Add | Op::Sub if zero => a,
            Op::Xor if ones => self.unary(Op::Not, width, a),
            Op::Mul if zero => b,
            Op::Mul | Op::DivU if one => a,
            Op::Mul if v.count_ones() == 1 => {
                let by = (0..width).find(|&i| v.get(i)).unwrap_or(0);
                let by = self.constant(Bits::new(32, u64::from(by)));
                self.shift(Op::Shl, a, by)
            }
            Op::LtU if zero => self.bit(false),
            Op::Eq | Op::Ne => return self.equal_constant(op, a, v.clone()),
            _ => return None,
        })
    }

    fn equal_constant(&mut self, op: &Op, a: NodeId, v: Bits) -> Option<NodeId> {
        let n = self.node(a);
        if n.width == 1 {
            let positive = (*op == Op::Eq) != v.is_zero();
            return Some(if positive { a } else { self.unary(Op::Not, 1, a) });
        }
        if n.op == Op::ZExt {
            let inner = n.args[0];
            let width = self.width(inner);
            if v.zext(width).zext(v.width()) != v {
                return Some(self.bit(*op == Op::Ne));
            }
            let low = self.constant(v.zext(width));
            return Some(self.binary(op.clone(), 1, inner, low));
        }
        None
    }

    fn shift(&mut self, op: Op, a: NodeId, by: NodeId) -> NodeId {
        let width = self.width(a);
        let Some(by_value) = self.as_const(by) else { return self.intern(op, width, &[a, by]) };
        let by = by_value.small().map_or(width, |n| n.min(u64::from(width)) as u32);
        if by == 0 {
            return a;
        }
        match op {
            Op::Sar => {
                let by = by.min(width - 1);
                let high = self.slice(a, by, width - by);
                self.sext(high, width)
            }
            _ if by == width => self.zero(width),
            Op::Shr => {
                let high = self.slice(a, by, width - by);
                self.zext(high, width)
            }
            _ => {
                let low = self.slice(a, 0, width - by);
                let zeros = self.zero(by);
                self.concat(&[low, zeros])
            }
        }
    }

    pub fn mux(&mut self, c: NodeId, a: NodeId, b: NodeId) -> NodeId {
        if let Some(v) = self.as_const(c) {
            return if v.is_zero() { b } else { a };
        }
        let (mut c, mut a, mut b) = (c, a, b);
        if self.node(c).op == Op::Not {
            c = self.node(c).args[0];
            std::mem::swap(&mut a, &mut b);
        }
        // an arm that asks the same question again
        if self.node(a).op == Op::Mux && self.node(a).args[0] == c {
            a = self.node(a).args[1];
        }
        if self.node(b).op == Op::Mux && self.node(b).args[0] == c {
            b = self.node(b).args[2];
        }
        if a == b {
            return a;
        }
        let width = self.width(a);
        if width == 1 {
            match (self.as_const(a).map(Bits::is_zero), self.as_const(b).map(Bits::is_zero)) {
                (Some(false), Some(true)) => return c,
                (Some(true), Some(false)) => return self.unary(Op::Not, 1, c),
                _ => {}
            }
        }
        self.intern(Op::Mux, width, &[c, a, b])
    }

    pub fn zext(&mut self, a: NodeId, width: u32) -> NodeId {
        if self.width(a) == width {
            return a;
        }
        if let Some(v) = self.as_const(a) {
            let v = v.zext(width);
            return self.constant(v);
        }
        let inner = if self.node(a).op == Op::ZExt { self.node(a).args[0] } else { a };
        self.intern(Op::ZExt, width, &[inner])
    }

    pub fn sext(&mut self, a: NodeId, width: u32) -> NodeId {
        let n = self.node(a);
        if n.width == width {
            return a;
        }
        match &n.op {
            Op::Const(v) => {
                let v = v.sext(width);
                self.constant(v)
            }
            Op::ZExt => self.zext(a, width),
            Op::SExt => {
                let inner = n.args[0];
                self.intern(Op::SExt, width, &[inner])
            }
            _ => self.intern(Op::SExt, width, &[a]),
        }
    }

    /// Extended, or cut to the low bits.
    pub fn resize(&mut self, a: NodeId, width: u32, signed: bool) -> NodeId {
        let have = self.width(a);
        if have >= width {
            self.slice(a, 0, width)
        } else if signed {
            self.sext(a, width)
        } else {
            self.zext(a, width)
        }
    }

    pub fn slice(&mut self, a: NodeId, lo: u32, width: u32) -> NodeId {
        let (mut a, mut lo) = (a, lo);
        loop {
            let n = &self.nodes[a.index()];
            if lo == 0 && n.width == width {
                return a;
            }
            match &n.op {
                Op::Const(v) => {
                    let v = v.slice(lo, width);
                    return self.constant(v);
                }
                Op::Slice(l) => {
                    lo += l;
                    a = n.args[0];
                }
                Op::ZExt | Op::SExt => {
                    let inner = n.args[0];
                    let have = self.width(inner);
                    if lo + width <= have {
                        a = inner;
                    } else if n.op == Op::ZExt && lo >= have {
                        return self.zero(width);
                    } else if lo < have {
                        let op = n.op.clone();
                        let part = self.slice(inner, lo, have - lo);
                        return if op == Op::ZExt { self.zext(part, width) } else { self.sext(part, width) };
                    } else {
                        let sign = self.slice(inner, have - 1, 1);
                        return self.sext(sign, width);
                    }
                }
                Op::Concat => {
                    let mut top = n.width;
                    let mut parts = Vec::new();
                    for &p in &n.args {
                        let w = self.nodes[p.index()].width;
                        let bottom = top - w;
                        let (from, to) = (lo.max(bottom), (lo + width).min(top));
                        if from < to {
                            parts.push((p, from - bottom, to - from));
                        }
                        top = bottom;
                    }
                    if let [(p, l, _)] = parts[..] {
                        (a, lo) = (p, l);
                        continue;
                    }
                    let parts: Vec<NodeId> = parts.into_iter().map(|(p, l, w)| self.slice(p, l, w)).collect();
                    return self.concat(&parts);
                }
                _ => return self.intern(Op::Slice(lo), width, &[a]),
            }
        }
    }

    /// What a node is a slice of, and from where.
    fn origin(&self, id: NodeId) -> (NodeId, u32) {
        match self.node(id).op {
            Op::Slice(lo) => (self.node(id).args[0], lo),
            _ => (id, 0),
        }
    }

    /// Most significant first; neighbours that belong together are joined.
    pub fn concat(&mut self, parts: &[NodeId]) -> NodeId {
        let mut flat: Vec<NodeId> = Vec::with_capacity(parts.len());
        for &p in parts {
            let inner = if self.node(p).op == Op::Concat { self.node(p).args.clone() } else { vec![p] };
            for q in inner {
                match flat.last().and_then(|&above| self.join(above, q)) {
                    Some(joined) => {
                        flat.pop();
                        flat.push(joined);
                    }
                    None => flat.push(q),
                }
            }
        }
        let width = flat.iter().map(|&p| self.width(p)).sum();
        match flat[..] {
            [only] => only,
            [high, low] if self.as_const(high).is_some_and(Bits::is_zero) => self.zext(low, width),
            _ => self.intern(Op::Concat, width, &flat),
        }
    }

    fn join(&mut self, high: NodeId, low: NodeId) -> Option<NodeId> {
        if let (Some(h), Some(l)) = (self.as_const(high), self.as_const(low)) {
            let v = h.concat(l);
            return Some(self.constant(v));
        }
        let (wl, wh) = (self.width(low), self.width(high));
        let ((a, la), (b, lb)) = (self.origin(high), self.origin(low));
        (a == b && la == lb + wl && a != high).then(|| self.slice(a, lb, wl + wh))
    }

    pub fn not(&mut self, a: NodeId) -> NodeId {
        let width = self.width(a);
        self.make(Op::Not, width, &[a])
    }

    pub fn and(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let width = self.width(a);
        self.make(Op::And, width, &[a, b])
    }

    pub fn or(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let width = self.width(a);
        self.make(Op::Or, width, &[a, b])
    }

    /// One bit: is it not zero?
    pub fn truth(&mut self, a: NodeId) -> NodeId {
        self.make(Op::RedOr, 1, &[a])
    }
}
