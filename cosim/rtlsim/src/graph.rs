//! The word-level graph: what a design means once hierarchy, processes and names are gone. Made by
//! [`crate::elaborate`], rewritten by [`crate::passes`], run by the interpreter and by the compiled
//! engine. All arenas are indexed by small typed ids.
//!
//! Meaning of a node: a pure function of its arguments, `width` bits wide, two-state. There are no
//! combinational loops: arguments of a node may have any id (elaboration binds names late), so
//! users walk [`Graph::topological`]. State is in registers and memories; both change only at an
//! edge of their clock, all from values before the edge. Invariants are what [`Graph::check`]
//! tests; a pass that breaks one is a bug of the pass.

use serde::{Deserialize, Serialize};

use crate::bits::Bits;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(pub u32);
        impl $name {
            /// As an index of its arena.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A node.
    NodeId,
    /// A register.
    RegId,
    /// A memory.
    MemId,
    /// A top-level input.
    InputId,
    /// A constant table.
    TableId,
    /// A named signal of the source.
    SignalId,
    /// A scope (module instance or named block) of the source.
    ScopeId,
}

/// What a node computes. `a`, `b`, `c` are its arguments in order; `w` its width.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Op {
    /// A top-level input (a clock too).
    Input(InputId),
    /// A constant.
    Const(Bits),
    /// The current value of a register.
    Reg(RegId),
    /// Word `a` of a memory as it is before the edge; outside the depth: zero. `a` may have any
    /// width.
    MemRead(MemId),
    /// Entry `a` of a constant table; past its end: the table's default.
    Table(TableId),
    /// Arguments and result have one width.
    Not,
    /// Two's complement negation, modulo `2^w`.
    Neg,
    /// Bit by bit.
    And,
    /// Bit by bit.
    Or,
    /// Bit by bit.
    Xor,
    /// Modulo `2^w`.
    Add,
    /// `a - b` modulo `2^w`.
    Sub,
    /// The low `w` bits of the product; signed and unsigned agree in them.
    Mul,
    /// Unsigned; by zero: zero.
    DivU,
    /// Unsigned remainder; by zero: zero.
    RemU,
    /// Truncating towards zero; by zero: zero; the remainder takes the dividend's sign.
    DivS,
    /// Remainder of [`Op::DivS`]; by zero: zero.
    RemS,
    /// Reductions of `a` to one bit.
    RedAnd,
    /// One bit: any bit of `a` is 1.
    RedOr,
    /// One bit: the parity of `a`.
    RedXor,
    /// Shift of `a` (as wide as the result) by `b` (unsigned, any width); amounts of `w` and more
    /// shift everything out.
    Shl,
    /// As [`Op::Shl`], to the right, filled with zeros.
    Shr,
    /// As [`Op::Shr`], filled with the sign of `a`.
    Sar,
    /// One bit; `a` and `b` of one width. `>` and `>=` are written with arguments exchanged.
    Eq,
    /// One bit: `a` and `b` differ.
    Ne,
    /// One bit: `a < b`, both unsigned.
    LtU,
    /// One bit: `a <= b`, both unsigned.
    LeU,
    /// One bit: `a < b`, both two's complement.
    LtS,
    /// One bit: `a <= b`, both two's complement.
    LeS,
    /// `a ? b : c`, `a` one bit.
    Mux,
    /// Bits `lo .. lo + w` of `a`, all inside `a`.
    Slice(u32),
    /// Arguments from the most significant down; widths add up to `w`.
    Concat,
    /// `w` is at least the argument's width.
    ZExt,
    /// As [`Op::ZExt`], with copies of the argument's highest bit.
    SExt,
}

/// One node.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Node {
    /// What it computes.
    pub op: Op,
    /// Of its value, in bits, at least 1.
    pub width: u32,
    /// As many as the operation takes; each has a smaller number once the graph is in order.
    pub args: Vec<NodeId>,
}

/// An edge of a clock: one bit going to 1 (`rising`) or to 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Edge {
    /// One bit, mostly an input.
    pub clock: NodeId,
    /// Going to 1; otherwise going to 0.
    pub rising: bool,
}

/// A value at the start.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Start {
    /// From an initial value or an `initial` process; as wide as the register or word.
    Value(Bits),
    /// No initial value in the source: from the seed of the simulation.
    Unknown,
}

/// A distinct edge of a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Domain {
    /// Its clock and direction.
    pub edge: Edge,
    /// Something takes its value at it beside its clock: it is looked for whenever logic settles.
    pub asynchronous: bool,
}

/// A register: takes `next` at each edge of its clock, and at each of the asynchronous edges (of
/// resets, sets and loads: from the second edge in the sensitivity list on). What it takes at which
/// of them is told by the levels that `next` looks at, as in the text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Register {
    /// Full name from the top scope on: with the seed, it makes an unknown start value.
    pub name: String,
    /// In bits.
    pub width: u32,
    /// Its value before the first edge.
    pub start: Start,
    /// The edge of its clock.
    pub edge: Edge,
    /// As wide as the register; read just before the edge.
    pub next: NodeId,
    /// Of resets, sets and loads; most registers have none.
    pub asynchronous: Vec<Edge>,
}

impl Register {
    /// Every edge at which it takes `next`, the clock's first.
    pub fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        std::iter::once(self.edge).chain(self.asynchronous.iter().copied())
    }
}

/// A memory of `depth` words of `width` bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Full name from the top scope on: with the seed, it makes unknown start values.
    pub name: String,
    /// Of a word, in bits.
    pub width: u32,
    /// In words.
    pub depth: u32,
    /// Start values by word; missing words and `None` are as `start`.
    pub init: Vec<Option<Bits>>,
    /// Of the words without a value in `init`.
    pub start: Start,
    /// At an edge of its clock, in this order (the last one wins): write port.
    pub writes: Vec<WritePort>,
}

/// `if (enable) mem[addr] = mem[addr] & ~mask | data & mask`; an address outside the depth writes
/// nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WritePort {
    /// The edge of its clock.
    pub edge: Edge,
    /// One bit.
    pub enable: NodeId,
    /// Any width.
    pub addr: NodeId,
    /// As wide as a word.
    pub data: NodeId,
    /// As wide as a word; `None`: all bits.
    pub mask: Option<NodeId>,
    /// Further edges at which it writes, as those of a register.
    pub asynchronous: Vec<Edge>,
}

impl WritePort {
    /// Every edge at which it writes, the clock's first.
    pub fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        std::iter::once(self.edge).chain(self.asynchronous.iter().copied())
    }
}

/// A constant table of words of one width.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Table {
    /// Of a word, in bits.
    pub width: u32,
    /// By entry.
    pub words: Vec<Bits>,
    /// What is read past the end.
    pub default: Bits,
}

/// A top-level input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// As the port is named.
    pub name: String,
    /// In bits.
    pub width: u32,
    /// The node that is this input.
    pub node: NodeId,
}

/// What a named signal is in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SignalKind {
    /// A port into its module.
    Input,
    /// A port out of its module.
    Output,
    /// A net inside its module.
    Wire,
    /// A variable, whether or not it became a register.
    Reg,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Value {
    /// A signal: the node that has its value, of the same width.
    Node(NodeId),
    /// An array of words.
    Memory(MemId),
}

/// A named signal of the source. Many names may stand for one node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Signal {
    /// Within its scope.
    pub name: String,
    /// The scope that declares it.
    pub scope: ScopeId,
    /// As declared.
    pub kind: SignalKind,
    /// In bits; of a memory: of one word.
    pub width: u32,
    /// Declared signed: waves show it so.
    pub signed: bool,
    /// Bit number of the least significant bit in the source (`[7:4]`: 4), for waves.
    pub lsb: i32,
    /// Where its value is.
    pub value: Value,
}

/// A scope of the source. Scope 0 is the top module; a scope's parent has a smaller id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scope {
    /// Instance name (the module's name for the top).
    pub name: String,
    /// Name of the module that it is an instance of.
    pub module: String,
    /// `None` for the top.
    pub parent: Option<ScopeId>,
    /// Local parameters of the module that give names to values of a signal are found here:
    /// (parameter name, value).
    pub constants: Vec<(String, Bits)>,
}

/// A design.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Graph {
    /// By [`NodeId`]; arguments come first once a pass has run.
    pub nodes: Vec<Node>,
    /// By [`InputId`].
    pub inputs: Vec<Input>,
    /// Top-level outputs: name and node.
    pub outputs: Vec<(String, NodeId)>,
    /// By [`RegId`].
    pub registers: Vec<Register>,
    /// By [`MemId`].
    pub memories: Vec<Memory>,
    /// By [`TableId`].
    pub tables: Vec<Table>,
    /// By [`SignalId`], with those that only waves want.
    pub signals: Vec<Signal>,
    /// By [`ScopeId`]; the top is the first.
    pub scopes: Vec<Scope>,
}

impl Graph {
    /// Adds a node.
    pub fn add(&mut self, op: Op, width: u32, args: &[NodeId]) -> NodeId {
        self.nodes.push(Node { op, width, args: args.to_vec() });
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// Adds a constant.
    pub fn constant(&mut self, value: Bits) -> NodeId {
        let width = value.width();
        self.add(Op::Const(value), width, &[])
    }

    /// The node of that id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Width of a node in bits.
    pub fn width(&self, id: NodeId) -> u32 {
        self.nodes[id.index()].width
    }

    /// The constant that a node is.
    pub fn as_const(&self, id: NodeId) -> Option<&Bits> {
        match &self.node(id).op {
            Op::Const(v) => Some(v),
            _ => None,
        }
    }

    /// Every node that state, outputs or clocks need directly (signals excepted): what dead-logic
    /// removal must keep.
    pub fn roots(&self) -> Vec<NodeId> {
        let mut roots: Vec<NodeId> = self.outputs.iter().map(|o| o.1).collect();
        roots.extend(self.inputs.iter().map(|i| i.node));
        for r in &self.registers {
            roots.push(r.next);
            roots.extend(r.edges().map(|e| e.clock));
        }
        for w in self.memories.iter().flat_map(|m| &m.writes) {
            roots.extend([w.enable, w.addr, w.data]);
            roots.extend(w.mask);
            roots.extend(w.edges().map(|e| e.clock));
        }
        roots
    }

    /// The distinct edges of registers and write ports: clocks first, in the order of their users,
    /// then edges that are asynchronous only.
    pub fn domains(&self) -> Vec<Domain> {
        let ports = || self.memories.iter().flat_map(|m| &m.writes);
        let mut domains: Vec<Domain> = Vec::new();
        for edge in self.registers.iter().map(|r| r.edge).chain(ports().map(|w| w.edge)) {
            if !domains.iter().any(|d| d.edge == edge) {
                domains.push(Domain { edge, asynchronous: false });
            }
        }
        for &edge in self.registers.iter().flat_map(|r| &r.asynchronous).chain(ports().flat_map(|w| &w.asynchronous)) {
            match domains.iter_mut().find(|d| d.edge == edge) {
                Some(domain) => domain.asynchronous = true,
                None => domains.push(Domain { edge, asynchronous: true }),
            }
        }
        domains
    }

    /// Every reachable node (from roots and signals), arguments first; a loop, as the nodes on it
    /// in order, if there is one.
    ///
    /// # Errors
    /// The nodes of a combinational loop.
    pub fn topological(&self) -> Result<Vec<NodeId>, Vec<NodeId>> {
        let mut order = Vec::with_capacity(self.nodes.len());
        // 0 not seen, 1 on the path, 2 done
        let mut state = vec![0u8; self.nodes.len()];
        let mut path: Vec<(NodeId, usize)> = Vec::new();
        let signals = self.signals.iter().filter_map(|s| match s.value {
            Value::Node(n) => Some(n),
            Value::Memory(_) => None,
        });
        for root in self.roots().into_iter().chain(signals) {
            if state[root.index()] != 0 {
                continue;
            }
            state[root.index()] = 1;
            path.push((root, 0));
            while let Some((node, next)) = path.last_mut() {
                match self.nodes[node.index()].args.get(*next) {
                    Some(&arg) => {
                        *next += 1;
                        match state[arg.index()] {
                            0 => {
                                state[arg.index()] = 1;
                                path.push((arg, 0));
                            }
                            1 => {
                                let from = path.iter().position(|p| p.0 == arg).unwrap_or(0);
                                return Err(path[from..].iter().map(|p| p.0).collect());
                            }
                            _ => {}
                        }
                    }
                    None => {
                        state[node.index()] = 2;
                        order.push(*node);
                        path.pop();
                    }
                }
            }
        }
        Ok(order)
    }

    /// Full hierarchical name of a scope, dots between.
    pub fn scope_path(&self, scope: ScopeId) -> String {
        let s = &self.scopes[scope.index()];
        match s.parent {
            Some(parent) => format!("{}.{}", self.scope_path(parent), s.name),
            None => s.name.clone(),
        }
    }

    /// Full hierarchical name of a signal.
    pub fn signal_path(&self, signal: SignalId) -> String {
        let s = &self.signals[signal.index()];
        format!("{}.{}", self.scope_path(s.scope), s.name)
    }

    /// Tests the width rules of every node.
    ///
    /// # Errors
    /// The first node that breaks one, in words.
    pub fn check(&self) -> Result<(), String> {
        for (i, n) in self.nodes.iter().enumerate() {
            let w = |k: usize| n.args.get(k).map_or(0, |&a| self.width(a));
            let ok = match &n.op {
                Op::Input(id) => n.args.is_empty() && self.inputs[id.index()].width == n.width,
                Op::Const(v) => n.args.is_empty() && v.width() == n.width,
                Op::Reg(r) => n.args.is_empty() && self.registers[r.index()].width == n.width,
                Op::MemRead(m) => n.args.len() == 1 && self.memories[m.index()].width == n.width,
                Op::Table(t) => n.args.len() == 1 && self.tables[t.index()].width == n.width,
                Op::Not | Op::Neg => n.args.len() == 1 && w(0) == n.width,
                Op::And
                | Op::Or
                | Op::Xor
                | Op::Add
                | Op::Sub
                | Op::Mul
                | Op::DivU
                | Op::RemU
                | Op::DivS
                | Op::RemS => n.args.len() == 2 && w(0) == n.width && w(1) == n.width,
                Op::RedAnd | Op::RedOr | Op::RedXor => n.args.len() == 1 && n.width == 1,
                Op::Shl | Op::Shr | Op::Sar => n.args.len() == 2 && w(0) == n.width,
                Op::Eq | Op::Ne | Op::LtU | Op::LeU | Op::LtS | Op::LeS => {
                    n.args.len() == 2 && n.width == 1 && w(0) == w(1)
                }
                Op::Mux => n.args.len() == 3 && w(0) == 1 && w(1) == n.width && w(2) == n.width,
                Op::Slice(lo) => n.args.len() == 1 && lo + n.width <= w(0),
                Op::Concat => !n.args.is_empty() && n.args.iter().map(|&a| self.width(a)).sum::<u32>() == n.width,
                Op::ZExt | Op::SExt => n.args.len() == 1 && w(0) <= n.width,
            };
            if !ok || n.width == 0 {
                return Err(format!("node {i} breaks the rules of its operation: {n:?}"));
            }
        }
        Ok(())
    }
}
