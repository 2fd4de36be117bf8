//! Random graphs for tests: the passes, the interpreter and the compiled engine are compared on
//! them. Every operation, widths from 1 to 200 bits, registers of several clocks, edges and resets,
//! memories with several masked ports, tables, and on purpose much that passes look for (repeated
//! nodes, constants, chains of comparisons, priority chains, registers that are copies). A graph
//! follows from its seed and [`Shape`] alone. Where it can be wrong: a shape that is never made is
//! never tested, so a new rewrite needs its pattern here.

use crate::bits::Bits;
use crate::graph::{
    Edge, Graph, Input, InputId, MemId, Memory, NodeId, Op, RegId, Register, Scope, ScopeId, Signal, SignalKind, Start,
    Table, TableId, Value, WritePort,
};
use crate::passes::remap;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How big a random graph is.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Operations (the nodes that fit widths come on top: about as many again).
    pub ops: usize,
    /// Data inputs (clocks and resets come on top).
    pub inputs: usize,
    /// Registers of random widths, each at an edge of some clock.
    pub registers: usize,
    /// Memories, with none to three write ports.
    pub memories: usize,
    /// Constant tables.
    pub tables: usize,
    /// Clock inputs, at least 1.
    pub clocks: usize,
    /// Widest value in bits.
    pub max_width: u32,
    /// Asynchronous resets and loads, of the reset input and of logic.
    pub resets: bool,
    /// Registers without a start value.
    pub unknown_start: bool,
    /// Put the nodes into random order (arguments may come after their users).
    pub shuffle: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            ops: 120,
            inputs: 6,
            registers: 10,
            memories: 2,
            tables: 2,
            clocks: 2,
            max_width: 200,
            resets: true,
            unknown_start: false,
            shuffle: true,
        }
    }
}

/// The random graph of a seed. The first `shape.clocks` inputs are clocks, then, with
/// `shape.resets`, one reset input; the rest is data.
pub fn random_graph(seed: u64, shape: &Shape) -> Graph {
    let mut maker = Maker { rng: ChaCha8Rng::seed_from_u64(seed), g: Graph::default(), pool: Vec::new(), shape };
    maker.sources();
    for _ in 0..shape.ops {
        maker.operation();
    }
    maker.finish();
    if shape.shuffle {
        shuffle(&mut maker.g, &mut maker.rng);
    }
    maker.g
}

/// A random value: zeros, ones, small, single bits and all-random alike.
pub fn random_bits(rng: &mut impl Rng, width: u32) -> Bits {
    match rng.random_range(0..8) {
        0 => Bits::zero(width),
        1 => Bits::ones(width),
        2 => Bits::new(width, rng.random_range(0..8)),
        3 => Bits::new(width, 1).shl(u64::from(rng.random_range(0..width))),
        4 => Bits::ones(width).shr(u64::from(rng.random_range(0..width))),
        _ => Bits::from_limbs(width, &std::iter::repeat_with(|| rng.random()).take(4).collect::<Vec<u64>>()),
    }
}

struct Maker<'a> {
    rng: ChaCha8Rng,
    g: Graph,
    /// What operations draw arguments from.
    pool: Vec<NodeId>,
    shape: &'a Shape,
}

const BINARY: [Op; 10] = [Op::And, Op::Or, Op::Xor, Op::Add, Op::Sub, Op::Mul, Op::DivU, Op::RemU, Op::DivS, Op::RemS];
const COMPARE: [Op; 6] = [Op::Eq, Op::Ne, Op::LtU, Op::LeU, Op::LtS, Op::LeS];

impl Maker<'_> {
    /// Mostly up to 64 bits, often 1, sometimes at a limb's border, sometimes wide.
    fn some_width(&mut self) -> u32 {
        let w = match self.rng.random_range(0..12) {
            0..=2 => 1,
            3..=5 => self.rng.random_range(2..=9),
            6..=8 => self.rng.random_range(10..=64),
            9 => *[8, 16, 32, 64, 32, 33, 63, 65, 128].choose_in(&mut self.rng),
            10 => 32,
            _ => self.rng.random_range(65..=200),
        };
        w.clamp(1, self.shape.max_width)
    }

    fn input(&mut self, name: String, width: u32) -> NodeId {
        let id = InputId(self.g.inputs.len() as u32);
        let node = self.g.add(Op::Input(id), width, &[]);
        self.g.inputs.push(Input { name, width, node });
        node
    }

    fn edge(&mut self) -> Edge {
        let clock = self.g.inputs[self.rng.random_range(0..self.shape.clocks)].node;
        Edge { clock, rising: self.rng.random_range(0..4) != 0 }
    }

    fn start(&mut self, width: u32) -> Start {
        if self.shape.unknown_start && self.rng.random_range(0..4) == 0 {
            Start::Unknown
        } else {
            Start::Value(random_bits(&mut self.rng, width))
        }
    }

    fn sources(&mut self) {
        for i in 0..self.shape.clocks {
            self.input(format!("clk{i}"), 1);
        }
        if self.shape.resets {
            self.input("rst".into(), 1);
        }
        for i in 0..self.shape.inputs {
            let width = self.some_width();
            let node = self.input(format!("in{i}"), width);
            self.pool.push(node);
        }
        for i in 0..self.shape.registers {
            let width = self.some_width();
            let (start, edge) = (self.start(width), self.edge());
            let next = NodeId(0);
            self.g.registers.push(Register {
                name: format!("r{i}"),
                width,
                start,
                edge,
                next,
                asynchronous: Vec::new(),
            });
            let node = self.g.add(Op::Reg(RegId(i as u32)), width, &[]);
            self.pool.push(node);
        }
        for i in 0..self.shape.memories {
            let (width, depth) = (self.some_width(), self.rng.random_range(1..=40));
            let words = self.rng.random_range(0..=depth as usize);
            let init = (0..words).map(|_| Some(random_bits(&mut self.rng, width))).collect();
            let start = self.start(width);
            self.g.memories.push(Memory { name: format!("m{i}"), width, depth, init, start, writes: Vec::new() });
        }
        for _ in 0..self.shape.tables {
            let (width, words) = (self.some_width(), self.rng.random_range(1..=40));
            let words = (0..words).map(|_| random_bits(&mut self.rng, width)).collect();
            let default = random_bits(&mut self.rng, width);
            self.g.tables.push(Table { width, words, default });
        }
    }

    /// Any value made so far, recent ones preferred (so that graphs get deep); sometimes a
    /// constant.
    fn any(&mut self) -> NodeId {
        if self.pool.is_empty() || self.rng.random_range(0..10) == 0 {
            let width = self.some_width();
            let value = random_bits(&mut self.rng, width);
            return self.g.constant(value);
        }
        let n = self.pool.len();
        let from = if self.rng.random_bool(0.5) { n.saturating_sub(12) } else { 0 };
        self.pool[self.rng.random_range(from..n)]
    }

    /// A value of that width: an old one, cut or extended.
    fn arg(&mut self, width: u32) -> NodeId {
        if self.rng.random_range(0..10) == 0 {
            let value = random_bits(&mut self.rng, width);
            return self.g.constant(value);
        }
        let id = self.any();
        self.fit(id, width)
    }

    fn fit(&mut self, id: NodeId, width: u32) -> NodeId {
        let have = self.g.width(id);
        if have > width {
            let lo = if self.rng.random_bool(0.5) { 0 } else { self.rng.random_range(0..=have - width) };
            return self.g.add(Op::Slice(lo), width, &[id]);
        }
        if have == width {
            return id;
        }
        match self.rng.random_range(0..4) {
            0 => self.g.add(Op::SExt, width, &[id]),
            1 => {
                let rest = width - have;
                let high = self.any();
                let high =
                    if self.g.width(high) >= rest { self.fit(high, rest) } else { self.g.add(Op::ZExt, rest, &[high]) };
                self.g.add(Op::Concat, width, &[high, id])
            }
            _ => self.g.add(Op::ZExt, width, &[id]),
        }
    }

    /// A value that counts or indexes: narrow, so that it is often in range.
    fn small(&mut self, below: u32) -> NodeId {
        let bits = 32 - below.leading_zeros() + self.rng.random_range(0..2);
        match self.rng.random_range(0..4) {
            0 => self.any(),
            1 => {
                let value = Bits::new(bits.max(1), self.rng.random_range(0..=u64::from(below)));
                self.g.constant(value)
            }
            _ => self.arg(bits.clamp(1, 32)),
        }
    }

    fn operation(&mut self) {
        let w = self.some_width();
        let node = match self.rng.random_range(0..26) {
            0..=1 => {
                let op = if self.rng.random_bool(0.7) { Op::Not } else { Op::Neg };
                let a = self.arg(w);
                self.g.add(op, w, &[a])
            }
            2..=8 => self.binary(w),
            9 => {
                let op = [Op::RedAnd, Op::RedOr, Op::RedXor].choose_in(&mut self.rng).clone();
                let a = self.any();
                self.g.add(op, 1, &[a])
            }
            10..=11 => {
                let op = [Op::Shl, Op::Shr, Op::Sar].choose_in(&mut self.rng).clone();
                let (a, b) = (self.arg(w), self.small(w));
                self.g.add(op, w, &[a, b])
            }
            12..=14 => {
                let op = COMPARE.choose_in(&mut self.rng).clone();
                let (a, b) = (self.arg(w), self.arg(w));
                self.g.add(op, 1, &[a, b])
            }
            15..=17 => {
                let (s, a, b) = (self.arg(1), self.arg(w), self.arg(w));
                self.g.add(Op::Mux, w, &[s, a, b])
            }
            18 => self.concat(),
            19 => self.arg(w),
            20 if !self.g.memories.is_empty() => {
                let m = self.rng.random_range(0..self.g.memories.len());
                let (width, depth) = (self.g.memories[m].width, self.g.memories[m].depth);
                let a = self.small(depth);
                self.g.add(Op::MemRead(MemId(m as u32)), width, &[a])
            }
            21 if !self.g.tables.is_empty() => {
                let t = self.rng.random_range(0..self.g.tables.len());
                let (width, words) = (self.g.tables[t].width, self.g.tables[t].words.len());
                let a = self.small(words as u32);
                self.g.add(Op::Table(TableId(t as u32)), width, &[a])
            }
            22 => self.repeat(),
            23 => self.selection(w),
            24 if self.rng.random_bool(0.3) => self.bit_count(),
            24 => self.priority(),
            _ => self.binary(w),
        };
        self.pool.push(node);
    }

    fn binary(&mut self, w: u32) -> NodeId {
        let op = BINARY
            [if self.rng.random_bool(0.9) { self.rng.random_range(0..6) } else { self.rng.random_range(0..10) }]
        .clone();
        let (a, b) = (self.arg(w), self.arg(w));
        let b = if self.rng.random_range(0..16) == 0 { a } else { b };
        self.g.add(op, w, &[a, b])
    }

    fn concat(&mut self) -> NodeId {
        let mut args = vec![self.any()];
        let mut width = self.g.width(args[0]);
        for _ in 0..self.rng.random_range(0..4) {
            // now and then the slices of one value, side by side
            let a = if self.rng.random_range(0..3) == 0 {
                let last = args[args.len() - 1];
                let (op, from) = (self.g.node(last).op.clone(), self.g.node(last).args.clone());
                match op {
                    Op::Slice(lo) if lo > 0 => self.g.add(Op::Slice(lo - 1), 1, &from),
                    _ => self.arg(1),
                }
            } else {
                self.any()
            };
            if width + self.g.width(a) <= self.shape.max_width {
                width += self.g.width(a);
                args.push(a);
            }
        }
        self.g.add(Op::Concat, width, &args)
    }

    /// A copy of an earlier node, arguments exchanged where that means the same.
    fn repeat(&mut self) -> NodeId {
        let old = self.any();
        let mut node = self.g.node(old).clone();
        if matches!(node.op, Op::Input(_)) {
            return old;
        }
        if matches!(node.op, Op::And | Op::Or | Op::Xor | Op::Add | Op::Mul | Op::Eq | Op::Ne) {
            node.args.reverse();
        }
        self.g.add(node.op, node.width, &node.args)
    }

    /// `s == c1 ? v1 : s == c2 ? v2 : ...`
    fn selection(&mut self, w: u32) -> NodeId {
        let sw = self.rng.random_range(2..=7);
        let subject = self.arg(sw);
        let constants = self.rng.random_bool(0.5);
        let mut out = self.arg(w);
        for _ in 0..self.rng.random_range(2..14) {
            let case = Bits::new(sw, self.rng.random());
            let case = self.g.constant(case);
            let hit = self.g.add(Op::Eq, 1, &[subject, case]);
            let arm = if constants {
                let value = random_bits(&mut self.rng, w);
                self.g.constant(value)
            } else {
                self.arg(w)
            };
            out = self.g.add(Op::Mux, w, &[hit, arm, out]);
        }
        out
    }

    /// `if (~any && bits[i]) begin any = 1; pick = i; end` for every bit.
    fn priority(&mut self) -> NodeId {
        let n = self.rng.random_range(2..=12);
        let bits = self.arg(n);
        let (zero, one) = (self.g.constant(Bits::zero(1)), self.g.constant(Bits::ones(1)));
        let mut any = zero;
        let mut pick = self.g.constant(Bits::zero(4));
        for i in 0..n {
            let bit = self.g.add(Op::Slice(i), 1, &[bits]);
            let none = self.g.add(Op::Not, 1, &[any]);
            let hit = self.g.add(Op::And, 1, &[none, bit]);
            any = self.g.add(Op::Mux, 1, &[hit, one, any]);
            let i = self.g.constant(Bits::new(4, u64::from(i)));
            pick = self.g.add(Op::Mux, 4, &[hit, i, pick]);
        }
        self.pool.push(any);
        pick
    }

    /// `n = n + x[i]` for most bits.
    fn bit_count(&mut self) -> NodeId {
        let bits = self.rng.random_range(8..=64);
        let x = self.arg(bits);
        let w = self.rng.random_range(4..=9);
        let mut sum = None;
        for i in 0..bits {
            if self.rng.random_range(0..16) != 0 {
                let bit = self.g.add(Op::Slice(i), 1, &[x]);
                let bit = self.g.add(Op::ZExt, w, &[bit]);
                sum = Some(sum.map_or(bit, |s| self.g.add(Op::Add, w, &[s, bit])));
            }
        }
        sum.unwrap_or(x)
    }

    /// Next values, resets, write ports, outputs, signals.
    fn finish(&mut self) {
        for i in 0..self.g.registers.len() {
            self.register(i);
        }
        for m in 0..self.g.memories.len() {
            let (width, depth) = (self.g.memories[m].width, self.g.memories[m].depth);
            for _ in 0..self.rng.random_range(0..=3) {
                let (edge, enable, addr, data) = (self.edge(), self.arg(1), self.small(depth), self.arg(width));
                let mask = if self.rng.random_bool(0.4) { Some(self.arg(width)) } else { None };
                let asynchronous = if self.asynchronous(6) { vec![self.asynchronous_edge()] } else { Vec::new() };
                self.g.memories[m].writes.push(WritePort { edge, enable, addr, data, mask, asynchronous });
            }
        }
        for (i, name) in ["top", "inner"].iter().enumerate() {
            let parent = (i > 0).then_some(ScopeId(0));
            let constants = Vec::new();
            self.g.scopes.push(Scope { name: (*name).into(), module: (*name).into(), parent, constants });
        }
        for i in 0..self.shape.ops / 12 + 2 {
            let node = self.any();
            self.g.outputs.push((format!("out{i}"), node));
        }
        self.signals();
    }

    fn register(&mut self, i: usize) {
        let width = self.g.registers[i].width;
        if i > 0 && self.rng.random_range(0..8) == 0 {
            // a copy of the register before
            let other = self.g.registers[i - 1].clone();
            if other.width == width {
                self.g.registers[i] = Register { name: format!("r{i}"), ..other };
                return;
            }
        }
        let next = if self.rng.random_range(0..8) == 0 {
            let itself = NodeId((self.g.inputs.len() + i) as u32);
            let enable = self.arg(1);
            let start = match &self.g.registers[i].start {
                Start::Value(v) => v.clone(),
                Start::Unknown => Bits::zero(width),
            };
            let same = self.g.constant(start);
            self.g.add(Op::Mux, width, &[enable, itself, same])
        } else {
            self.arg(width)
        };
        self.g.registers[i].next = next;
        while self.asynchronous(3) {
            self.reset(i);
        }
    }

    fn asynchronous(&mut self, one_in: u32) -> bool {
        self.shape.resets && self.rng.random_range(0..one_in) == 0
    }

    /// Of the reset input, or of logic: then it may follow from what it resets.
    fn asynchronous_edge(&mut self) -> Edge {
        let rst = self.g.inputs[self.shape.clocks].node;
        let clock = if self.rng.random_bool(0.6) { rst } else { self.arg(1) };
        Edge { clock, rising: self.rng.random() }
    }

    /// One more asynchronous edge: mostly a reset or load as text makes it, which looks at the
    /// level of its signal.
    fn reset(&mut self, i: usize) {
        let width = self.g.registers[i].width;
        let edge = self.asynchronous_edge();
        if self.rng.random_range(0..8) != 0 {
            let level = if edge.rising { edge.clock } else { self.g.add(Op::Not, 1, &[edge.clock]) };
            let value = if self.rng.random_bool(0.7) {
                let value = random_bits(&mut self.rng, width);
                self.g.constant(value)
            } else {
                self.arg(width)
            };
            self.g.registers[i].next = self.g.add(Op::Mux, width, &[level, value, self.g.registers[i].next]);
        }
        self.g.registers[i].asynchronous.push(edge);
    }

    fn signals(&mut self) {
        let mut named: Vec<(String, SignalKind, Value, u32)> = Vec::new();
        for i in &self.g.inputs {
            named.push((i.name.clone(), SignalKind::Input, Value::Node(i.node), i.width));
        }
        for (name, node) in &self.g.outputs {
            named.push((name.clone(), SignalKind::Output, Value::Node(*node), self.g.width(*node)));
        }
        let first = self.g.inputs.len();
        for (i, r) in self.g.registers.iter().enumerate() {
            named.push((r.name.clone(), SignalKind::Reg, Value::Node(NodeId((first + i) as u32)), r.width));
        }
        for (i, m) in self.g.memories.iter().enumerate() {
            named.push((m.name.clone(), SignalKind::Reg, Value::Memory(MemId(i as u32)), m.width));
        }
        for (i, &n) in self.pool.iter().enumerate().skip(2).step_by(5) {
            named.push((format!("w{i}"), SignalKind::Wire, Value::Node(n), self.g.width(n)));
        }
        for (k, (name, kind, value, width)) in named.into_iter().enumerate() {
            let scope = ScopeId(if kind == SignalKind::Wire { k as u32 % 2 } else { 0 });
            self.g.signals.push(Signal { name, scope, kind, width, signed: false, lsb: 0, value });
        }
    }
}

/// `choose` without the option: the slices here are constants and not empty.
trait ChooseIn<T> {
    fn choose_in(&self, rng: &mut ChaCha8Rng) -> &T;
}

impl<T, const N: usize> ChooseIn<T> for [T; N] {
    fn choose_in(&self, rng: &mut ChaCha8Rng) -> &T {
        &self[rng.random_range(0..N)]
    }
}

/// Puts the nodes into random order.
fn shuffle(g: &mut Graph, rng: &mut ChaCha8Rng) {
    let mut order: Vec<usize> = (0..g.nodes.len()).collect();
    order.shuffle(rng);
    let mut to = vec![NodeId(0); order.len()];
    for (new, &old) in order.iter().enumerate() {
        to[old] = NodeId(new as u32);
    }
    let old = std::mem::take(&mut g.nodes);
    g.nodes = order.iter().map(|&i| old[i].clone()).collect();
    for n in &mut g.nodes {
        n.args.iter_mut().for_each(|a| *a = to[a.index()]);
    }
    remap(g, |n| to[n.index()]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn graphs_are_well_formed_and_follow_from_the_seed() {
        let mut ops = HashSet::new();
        for seed in 0..60 {
            let g = random_graph(seed, &Shape::default());
            g.check().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            assert!(g.topological().is_ok(), "seed {seed}");
            assert_eq!(g, random_graph(seed, &Shape::default()));
            ops.extend(g.nodes.iter().map(|n| std::mem::discriminant(&n.op)));
        }
        assert_eq!(ops.len(), 34, "every operation is made");
    }
}
