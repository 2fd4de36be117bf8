//! The arena that every pass writes into: equal nodes are made once (value numbering by structural
//! hashing), constants are folded, and each new node goes through the algebraic rules of
//! [`super::simplify`] first. A pass so only says what it changes. Where it can be wrong: a rule
//! that makes a node which another rule turns back would never end, hence the depth limit, past
//! which nodes are made as they are.
//!
//! Canonical forms, on which rules (and code generation) may rely:
//! - a constant argument of a commutative operation, and of `Eq`/`Ne`, is the second; otherwise
//!   arguments are in order of id;
//! - `x - c` is `Add(x, -c)`; `LeU`/`LeS` have no constant argument; `RedOr(x)` is `Ne(x, 0)`,
//!   `RedAnd(x)` is `Eq(x, ones)`;
//! - shifts right by a constant are `ZExt(Slice)` or `SExt(Slice)`; left by a constant `Shl` with a
//!   constant amount up to 64 bits, above `Concat(Slice, 0)`;
//! - `x & low mask` is `ZExt(Slice(0))`; leading zeros of a `Concat` are a `ZExt` around it; there
//!   is no `Concat` in a `Concat`;
//! - a `Mux` of one bit with a constant arm is `And`/`Or`/`Not`; a `Mux` never has a `Not` as its
//!   condition.

use super::fold::fold;
use super::known::{transfer, Known};
use super::simplify;
use crate::bits::Bits;
use crate::graph::{Node, NodeId, Op, Table, TableId};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// A hash that is fast on small integers; the tables here hold only what this program made.
#[derive(Clone, Copy, Default)]
pub struct Fast(u64);

impl Hasher for Fast {
    fn finish(&self) -> u64 {
        // the low bits choose the bucket, and the product's entropy is in the high ones
        self.0 ^ self.0 >> 32
    }
    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.write_u64(u64::from(b));
        }
    }
    fn write_u8(&mut self, v: u8) {
        self.write_u64(u64::from(v));
    }
    fn write_u32(&mut self, v: u32) {
        self.write_u64(u64::from(v));
    }
    fn write_u64(&mut self, v: u64) {
        self.0 = (self.0.rotate_left(5) ^ v).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    fn write_usize(&mut self, v: usize) {
        self.write_u64(v as u64);
    }
    fn write_isize(&mut self, v: isize) {
        self.write_u64(v as u64);
    }
}

/// A map with that hash.
pub type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<Fast>>;

/// Rules applied inside rules at most this deep.
const DEPTH: u32 = 12;
/// A free place of the index.
const FREE: u32 = u32::MAX;

/// New nodes.
#[derive(Debug, Default)]
pub struct Builder {
    nodes: Vec<Node>,
    known: Vec<Known>,
    /// Open addressing by the node's hash; a power of two long.
    index: Vec<u32>,
    pub tables: Vec<Table>,
    table_known: FastMap<u32, Known>,
    table_index: FastMap<Table, TableId>,
    depth: u32,
    /// Apply rules and fold constants; without, only equal nodes are shared.
    pub rules: bool,
}

impl Builder {
    /// An empty arena for about that many nodes.
    pub fn new(tables: Vec<Table>, capacity: usize, rules: bool) -> Self {
        let index = vec![FREE; (capacity * 2).next_power_of_two().max(64)];
        let nodes = Vec::with_capacity(capacity);
        let known = Vec::with_capacity(capacity);
        Self { nodes, known, index, tables, rules, ..Self::default() }
    }

    /// Nodes and tables.
    pub fn finish(self) -> (Vec<Node>, Vec<Table>) {
        (self.nodes, self.tables)
    }

    /// The node of that id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Its operation.
    pub fn kind(&self, id: NodeId) -> &Op {
        &self.nodes[id.index()].op
    }

    /// Its width.
    pub fn width(&self, id: NodeId) -> u32 {
        self.nodes[id.index()].width
    }

    /// Its argument of that number.
    pub fn arg(&self, id: NodeId, i: usize) -> NodeId {
        self.nodes[id.index()].args[i]
    }

    /// What is known of its bits.
    pub fn known(&self, id: NodeId) -> Known {
        self.known[id.index()]
    }

    /// The constant that it is.
    pub fn as_const(&self, id: NodeId) -> Option<&Bits> {
        match self.kind(id) {
            Op::Const(v) => Some(v),
            _ => None,
        }
    }

    /// It is the constant of that (small) value.
    pub fn is(&self, id: NodeId, value: u64) -> bool {
        self.as_const(id).is_some_and(|v| v.small() == Some(value))
    }

    /// It is a constant of ones only.
    pub fn is_ones(&self, id: NodeId) -> bool {
        self.as_const(id).is_some_and(Bits::is_ones)
    }

    /// `a` is `Not(b)` or the reverse, or they are comparisons with opposite outcome.
    pub fn opposite(&self, a: NodeId, b: NodeId) -> bool {
        let not = |x: NodeId, y: NodeId| matches!(self.kind(x), Op::Not) && self.arg(x, 0) == y;
        if not(a, b) || not(b, a) {
            return true;
        }
        let (na, nb) = (self.node(a), self.node(b));
        match (&na.op, &nb.op) {
            (Op::Eq, Op::Ne) | (Op::Ne, Op::Eq) => na.args == nb.args,
            (Op::LtU, Op::LeU) | (Op::LeU, Op::LtU) | (Op::LtS, Op::LeS) | (Op::LeS, Op::LtS) => {
                na.args[0] == nb.args[1] && na.args[1] == nb.args[0]
            }
            _ => false,
        }
    }

    /// A table, shared with equal ones.
    pub fn table(&mut self, table: Table) -> TableId {
        if self.table_index.is_empty() {
            let all = self.tables.iter().enumerate();
            self.table_index = all.map(|(i, t)| (t.clone(), TableId(i as u32))).collect();
        }
        if let Some(&id) = self.table_index.get(&table) {
            return id;
        }
        let id = TableId(self.tables.len() as u32);
        self.tables.push(table.clone());
        self.table_index.insert(table, id);
        id
    }

    fn table_known(&mut self, id: TableId) -> Known {
        let tables = &self.tables;
        *self.table_known.entry(id.0).or_insert_with(|| {
            let t = &tables[id.index()];
            t.words.iter().fold(Known::of(&t.default), |k, w| k.either(Known::of(w)))
        })
    }

    /// The node for an operation: an equal or simpler one that is there, or a new one.
    pub fn op(&mut self, op: Op, width: u32, args: &[NodeId]) -> NodeId {
        if !self.rules || self.depth >= DEPTH {
            return self.share(op, width, args);
        }
        let constants: Vec<&Bits> = args.iter().map_while(|&a| self.as_const(a)).collect();
        if constants.len() == args.len() && !matches!(op, Op::Const(_)) {
            if let Some(value) = fold(&op, width, &constants, &self.tables) {
                return self.constant(value);
            }
        }
        self.depth += 1;
        let simpler = simplify::simplify(self, &op, width, args);
        self.depth -= 1;
        simpler.unwrap_or_else(|| self.share(op, width, args))
    }

    /// The node as it is, shared with an equal one (or a constant, where all its bits are known).
    fn share(&mut self, op: Op, width: u32, args: &[NodeId]) -> NodeId {
        debug_assert!(!matches!(op, Op::ZExt | Op::SExt) || self.width(args[0]) <= width, "{op:?} to fewer bits");
        let mut args = args.to_vec();
        let commutes =
            matches!(op, Op::And | Op::Or | Op::Xor | Op::Add | Op::Mul | Op::Eq | Op::Ne) && args.len() == 2;
        if commutes && self.order(args[0]) > self.order(args[1]) {
            args.swap(0, 1);
        }
        let node = Node { op, width, args };
        let mut at = self.find(&node);
        if self.index[at] != FREE {
            return NodeId(self.index[at]);
        }
        let known = match &node.op {
            _ if !self.rules => Known::nothing(width),
            Op::Table(t) => self.table_known(*t),
            _ => transfer(&node, &self.nodes, &self.known),
        };
        if self.rules && !matches!(node.op, Op::Const(_)) {
            if let Some(value) = known.value(width) {
                return self.constant(value);
            }
        }
        if (self.nodes.len() + 1) * 2 > self.index.len() {
            self.grow();
            at = self.find(&node);
        }
        let id = NodeId(self.nodes.len() as u32);
        self.index[at] = id.0;
        self.nodes.push(node);
        self.known.push(known);
        id
    }

    /// Constants last, otherwise by id.
    fn order(&self, id: NodeId) -> u32 {
        if self.as_const(id).is_some() {
            u32::MAX
        } else {
            id.0
        }
    }

    fn find(&self, node: &Node) -> usize {
        let mut hash = Fast::default();
        node.hash(&mut hash);
        let last = self.index.len() - 1;
        let mut at = hash.finish() as usize & last;
        while self.index[at] != FREE && self.nodes[self.index[at] as usize] != *node {
            at = (at + 1) & last;
        }
        at
    }

    fn grow(&mut self) {
        self.index = vec![FREE; self.index.len() * 2];
        for i in 0..self.nodes.len() {
            let at = self.find(&self.nodes[i]);
            self.index[at] = i as u32;
        }
    }

    /// A constant.
    pub fn constant(&mut self, value: Bits) -> NodeId {
        let width = value.width();
        self.share(Op::Const(value), width, &[])
    }

    /// A constant of that value.
    pub fn number(&mut self, width: u32, value: u64) -> NodeId {
        self.constant(Bits::new(width, value))
    }

    /// All zeros.
    pub fn zero(&mut self, width: u32) -> NodeId {
        self.constant(Bits::zero(width))
    }

    /// All ones.
    pub fn ones(&mut self, width: u32) -> NodeId {
        self.constant(Bits::ones(width))
    }

    /// An operation whose result is as wide as its first argument.
    pub fn same(&mut self, op: Op, args: &[NodeId]) -> NodeId {
        let width = self.width(args[0]);
        self.op(op, width, args)
    }

    /// Complement.
    pub fn not(&mut self, a: NodeId) -> NodeId {
        self.same(Op::Not, &[a])
    }

    /// Bitwise and.
    pub fn and(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.same(Op::And, &[a, b])
    }

    /// Bitwise or.
    pub fn or(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.same(Op::Or, &[a, b])
    }

    /// Equal.
    pub fn eq(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.op(Op::Eq, 1, &[a, b])
    }

    /// `s ? a : b`.
    pub fn mux(&mut self, s: NodeId, a: NodeId, b: NodeId) -> NodeId {
        let width = self.width(a);
        self.op(Op::Mux, width, &[s, a, b])
    }

    /// Bits `lo .. lo + width`.
    pub fn slice(&mut self, a: NodeId, lo: u32, width: u32) -> NodeId {
        self.op(Op::Slice(lo), width, &[a])
    }

    /// Zero-extended (not cut) to `width`.
    pub fn zext(&mut self, a: NodeId, width: u32) -> NodeId {
        self.op(Op::ZExt, width, &[a])
    }

    /// Sign-extended.
    pub fn sext(&mut self, a: NodeId, width: u32) -> NodeId {
        self.op(Op::SExt, width, &[a])
    }

    /// From the most significant down.
    pub fn concat(&mut self, parts: &[NodeId]) -> NodeId {
        let width = parts.iter().map(|&p| self.width(p)).sum();
        self.op(Op::Concat, width, parts)
    }
}
