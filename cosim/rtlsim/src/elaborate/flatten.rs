//! Copies templates for every instance and binds wires to what drives them. Values are demanded by
//! bit range, (instance, net or node, bits), from the roots on, with a stack of its own (a design's
//! chains are longer than the native one). Slices of wires, concatenations and extensions always
//! resolve to the piece that is meant.
//!
//! A demand that meets itself is a loop of words, not yet of bits: the nodes on it are then split
//! finer (first the operands of bitwise operations, muxes and sums are demanded by range, then bit
//! by bit) and the demand is made again from where the loop began. If nothing on the loop can be
//! split, it is real. Each retry makes a node finer, so this ends.

use super::builder::{Builder, Map};
use super::unit::{Declared, Elab, Memory, PieceSource, Result, Template};

use crate::graph::{
    Edge, Graph, Input, InputId, MemId, NodeId, Op, RegId, Register, Scope, ScopeId, Signal, SignalKind, Start,
    TableId, Value, WritePort,
};
use crate::Error;

/// A placed template.
struct Placed {
    template: usize,
    /// Instance it is in, and its number there.
    parent: Option<(u32, u32)>,
    children: Vec<u32>,
    /// Where its nodes, nets, registers and memories begin in the numbering of the whole design.
    nodes: u32,
    nets: u32,
    registers: u32,
    memories: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum What {
    Net(u32),
    Node(NodeId),
}

/// A demand: bits `lo .. lo + width` of that in an instance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Key {
    instance: u32,
    what: What,
    lo: u32,
    width: u32,
}

struct Frame {
    key: Key,
    /// How fine the node is split.
    level: u8,
    /// Next argument to look at.
    next: usize,
    args: Vec<Key>,
    make: Make,
}

/// How the result of a demand is made from its arguments.
enum Shape {
    /// It is there already.
    Done(NodeId),
    /// These arguments, put together by that.
    From(Vec<Key>, Make),
}

enum Make {
    /// The only argument itself.
    Same,
    Concat,
    Op(Op),
    /// Bits from `lo` of the only argument.
    Slice(u32),
    Extend {
        signed: bool,
    },
    /// The operation `width` wide, then bits from `lo`.
    Wider(Op, u32, u32),
}

/// Largest design: unfolding stops before numbers run out.
const MAX_NODES: u32 = 1 << 30;
const MAX_INSTANCES: usize = 1 << 22;

const NONE: u32 = u32::MAX;
const BUSY: u32 = u32::MAX - 1;

struct Flat<'a> {
    elab: &'a Elab<'a>,
    placed: Vec<Placed>,
    b: Builder,
    graph: Graph,
    /// Results for whole nodes and whole nets, by number in the design.
    node_memo: Vec<u32>,
    net_memo: Vec<u32>,
    /// Results for parts.
    part_memo: Map<Key, u32>,
    level: Vec<u8>,
    /// Tables of each template in the graph.
    tables: Vec<Vec<TableId>>,
}

/// The graph of the hierarchy under a template.
pub(super) fn flatten(elab: &Elab<'_>, root: usize) -> Result<Graph> {
    let mut f = Flat {
        elab,
        placed: Vec::new(),
        b: Builder::new(),
        graph: Graph::default(),
        node_memo: Vec::new(),
        net_memo: Vec::new(),
        part_memo: Map::default(),
        level: Vec::new(),
        tables: Vec::new(),
    };
    f.place(root)?;
    f.share_tables();
    f.state();
    f.registers_and_memories()?;
    f.signals()?;
    f.graph.nodes = f.b.nodes;
    f.graph.tables = f.b.tables;
    Ok(f.graph)
}

impl<'a> Flat<'a> {
    fn template(&self, instance: u32) -> &'a Template {
        &self.elab.templates[self.placed[instance as usize].template]
    }

    /// Numbers all instances, parents first.
    fn place(&mut self, root: usize) -> Result<()> {
        let (mut nodes, mut nets, mut registers, mut memories) = (0, 0, 0, 0);
        let mut waiting = std::collections::VecDeque::from([(root, None, 0u32)]);
        while let Some((template, parent, number)) = waiting.pop_front() {
            let id = self.placed.len() as u32;
            let t = &self.elab.templates[template];
            if nodes > MAX_NODES || self.placed.len() > MAX_INSTANCES {
                return Err(Error::Top(format!(
                    "{} unfolds to more instances than can be simulated",
                    self.template(0).module
                )));
            }
            let parent = parent.map(|p| (p, number));
            self.placed.push(Placed { template, parent, children: Vec::new(), nodes, nets, registers, memories });
            nodes += t.nodes.len() as u32;
            nets += t.nets.len() as u32;
            registers += t.registers.len() as u32;
            memories += t.memories.len() as u32;
            let name = match parent {
                Some((p, n)) => {
                    self.placed[p as usize].children.push(id);
                    self.template(p).instances[n as usize].name.clone()
                }
                None => t.module.clone(),
            };
            let scope = parent.map(|p| ScopeId(p.0));
            self.graph.scopes.push(Scope {
                name,
                module: t.module.clone(),
                parent: scope,
                constants: t.constants.clone(),
            });
            for (k, i) in t.instances.iter().enumerate() {
                waiting.push_back((i.template, Some(id), k as u32));
            }
        }
        self.node_memo = vec![NONE; nodes as usize];
        self.level = vec![0; nodes as usize];
        self.net_memo = vec![NONE; nets as usize];
        Ok(())
    }

    fn share_tables(&mut self) {
        for t in &self.elab.templates {
            let ids = t.tables.iter().map(|x| self.b.table(x.clone())).collect();
            self.tables.push(ids);
        }
    }

    /// Inputs, registers and memories exist before anything reads them.
    fn state(&mut self) {
        for &net in &self.template(0).ports {
            let n = &self.template(0).nets[net as usize];
            if n.kind == SignalKind::Input {
                let id = InputId(self.graph.inputs.len() as u32);
                let node = self.b.intern(Op::Input(id), n.width, &[]);
                self.net_memo[net as usize] = node.0;
                self.graph.inputs.push(Input { name: n.name.clone(), width: n.width, node });
            }
        }
        let clock = self.b.zero(1);
        for i in 0..self.placed.len() as u32 {
            let t = self.template(i);
            let path = self.graph.scope_path(ScopeId(i));
            for r in &t.registers {
                let net = &t.nets[r.net as usize];
                let mut name = format!("{path}.{}", net.name);
                if r.width != net.width {
                    name.push_str(&format!("[{}:{}]", r.lo + r.width - 1, r.lo));
                }
                let edge = Edge { clock, rising: r.rising };
                self.graph.registers.push(Register {
                    name,
                    width: r.width,
                    start: r.start.clone(),
                    edge,
                    next: clock,
                    asynchronous: Vec::new(),
                });
            }
            for m in &t.memories {
                let (width, depth, init) = (m.width, m.depth, m.init.clone());
                let name = format!("{path}.{}", m.name);
                self.graph.memories.push(crate::graph::Memory {
                    name,
                    width,
                    depth,
                    init,
                    start: Start::Unknown,
                    writes: Vec::new(),
                });
            }
        }
    }

    fn registers_and_memories(&mut self) -> Result<()> {
        for i in 0..self.placed.len() as u32 {
            let t = self.template(i);
            let (first, memory) = (self.placed[i as usize].registers, self.placed[i as usize].memories);
            for (k, r) in t.registers.iter().enumerate() {
                let clock = self.node(i, r.clock)?;
                let next = self.node(i, r.next)?;
                let asynchronous = self.asynchronous(i, &r.asynchronous)?;
                let out = &mut self.graph.registers[first as usize + k];
                (out.edge.clock, out.next, out.asynchronous) = (clock, next, asynchronous);
            }
            for (k, m) in t.memories.iter().enumerate() {
                self.writes(i, m, memory as usize + k)?;
            }
        }
        Ok(())
    }

    fn asynchronous(&mut self, instance: u32, edges: &[(NodeId, bool)]) -> Result<Vec<Edge>> {
        edges.iter().map(|&(signal, rising)| Ok(Edge { clock: self.node(instance, signal)?, rising })).collect()
    }

    fn writes(&mut self, instance: u32, m: &Memory, at: usize) -> Result<()> {
        for w in &m.writes {
            let edge = Edge { clock: self.node(instance, w.clock)?, rising: w.rising };
            let enable = self.node(instance, w.enable)?;
            let addr = self.node(instance, w.addr)?;
            let data = self.node(instance, w.data)?;
            let mask = w.mask.map(|m| self.node(instance, m)).transpose()?;
            let asynchronous = self.asynchronous(instance, &w.asynchronous)?;
            self.graph.memories[at].writes.push(WritePort { edge, enable, addr, data, mask, asynchronous });
        }
        Ok(())
    }

    /// Every named net and memory, and the outputs.
    fn signals(&mut self) -> Result<()> {
        for i in 0..self.placed.len() as u32 {
            let t = self.template(i);
            let memories = self.placed[i as usize].memories;
            for d in &t.order {
                let signal = match *d {
                    Declared::Net(net) => {
                        let n = &t.nets[net as usize];
                        let key = Key { instance: i, what: What::Net(net), lo: 0, width: n.width };
                        let value = Value::Node(self.demand(key)?);
                        let lsb = n.right as i32;
                        let (name, kind, width, signed) = (n.name.clone(), n.kind, n.width, n.signed);
                        Signal { name, scope: ScopeId(i), kind, width, signed, lsb, value }
                    }
                    Declared::Memory(k) => {
                        let m = &t.memories[k as usize];
                        let value = Value::Memory(MemId(memories + k));
                        let (name, width, signed) = (m.name.clone(), m.width, m.signed);
                        let lsb = m.right as i32;
                        Signal { name, scope: ScopeId(i), kind: SignalKind::Reg, width, signed, lsb, value }
                    }
                };
                self.graph.signals.push(signal);
            }
        }
        for &net in &self.template(0).ports {
            let n = &self.template(0).nets[net as usize];
            if n.kind == SignalKind::Output {
                let key = Key { instance: 0, what: What::Net(net), lo: 0, width: n.width };
                let node = self.demand(key)?;
                self.graph.outputs.push((n.name.clone(), node));
            }
        }
        Ok(())
    }

    fn node(&mut self, instance: u32, node: NodeId) -> Result<NodeId> {
        let width = self.template(instance).nodes[node.index()].width;
        self.demand(Key { instance, what: What::Node(node), lo: 0, width })
    }

    fn total(&self, key: Key) -> u32 {
        let t = self.template(key.instance);
        match key.what {
            What::Net(n) => t.nets[n as usize].width,
            What::Node(n) => t.nodes[n.index()].width,
        }
    }

    fn memo(&self, key: Key) -> u32 {
        let p = &self.placed[key.instance as usize];
        if self.total(key) != key.width {
            return self.part_memo.get(&key).copied().unwrap_or(NONE);
        }
        match key.what {
            What::Net(n) => self.net_memo[(p.nets + n) as usize],
            What::Node(n) => self.node_memo[(p.nodes + n.0) as usize],
        }
    }

    fn remember(&mut self, key: Key, value: u32) {
        let p = &self.placed[key.instance as usize];
        if self.total(key) != key.width {
            self.part_memo.insert(key, value);
            return;
        }
        match key.what {
            What::Net(n) => self.net_memo[(p.nets + n) as usize] = value,
            What::Node(n) => self.node_memo[(p.nodes + n.0) as usize] = value,
        }
    }

    /// Begins a demand, unless it is answered at once.
    fn open(&mut self, key: Key) -> Option<Frame> {
        let level = match key.what {
            What::Node(n) => self.level[(self.placed[key.instance as usize].nodes + n.0) as usize],
            What::Net(_) => 0,
        };
        match self.shape(key, level) {
            Shape::Done(node) => {
                self.remember(key, node.0);
                None
            }
            Shape::From(args, make) => {
                self.remember(key, BUSY);
                Some(Frame { key, level, next: 0, args, make })
            }
        }
    }

    /// The node of a demand.
    fn demand(&mut self, key: Key) -> Result<NodeId> {
        let known = self.memo(key);
        if known < BUSY {
            return Ok(NodeId(known));
        }
        let mut stack: Vec<Frame> = self.open(key).into_iter().collect();
        while let Some(top) = stack.last() {
            let missing = (top.next..top.args.len()).find(|&i| self.memo(top.args[i]) >= BUSY);
            let Some(i) = missing else {
                let Some(done) = stack.pop() else { break };
                let nodes: Vec<NodeId> = done.args.iter().map(|&a| NodeId(self.memo(a))).collect();
                let node = self.build(done.make, done.key.width, &nodes);
                self.remember(done.key, node.0);
                continue;
            };
            let arg = top.args[i];
            if self.memo(arg) == BUSY {
                self.split(&mut stack, arg)?;
                if stack.is_empty() {
                    stack.extend(self.open(key));
                }
                continue;
            }
            if let Some(top) = stack.last_mut() {
                top.next = i;
            }
            stack.extend(self.open(arg));
        }
        Ok(NodeId(self.memo(key)))
    }

    fn build(&mut self, make: Make, width: u32, args: &[NodeId]) -> NodeId {
        match make {
            Make::Same => args[0],
            Make::Concat => self.b.concat(args),
            Make::Op(op) => self.b.make(op, width, args),
            Make::Slice(lo) => self.b.slice(args[0], lo, width),
            Make::Extend { signed } => self.b.resize(args[0], width, signed),
            Make::Wider(op, wide, lo) => {
                let node = self.b.make(op, wide, args);
                self.b.slice(node, lo, width)
            }
        }
    }

    /// Arguments of a demand, and what to do with them. The same each time it is asked, for one
    /// level.
    fn shape(&mut self, key: Key, level: u8) -> Shape {
        match key.what {
            What::Net(net) => self.net_shape(key, net),
            What::Node(node) => self.node_shape(key, node, level),
        }
    }

    fn net_shape(&mut self, key: Key, net: u32) -> Shape {
        let t = self.template(key.instance);
        let n = &t.nets[net as usize];
        if n.kind == SignalKind::Input {
            let Some((parent, number)) = self.placed[key.instance as usize].parent else {
                let whole = Key { lo: 0, width: n.width, ..key };
                return Shape::From(vec![whole], Make::Slice(key.lo));
            };
            return match self.template(parent).instances[number as usize].inputs.get(&net) {
                Some(&node) => {
                    let from = Key { instance: parent, what: What::Node(node), ..key };
                    Shape::From(vec![from], Make::Same)
                }
                None => Shape::Done(self.b.zero(key.width)),
            };
        }
        let end = key.lo + key.width;
        let first = n.pieces.partition_point(|p| p.lo + p.width <= key.lo);
        let covering = n.pieces[first..].iter().take_while(|p| p.lo < end).count();
        if covering > 1 {
            let parts = n.pieces[first..first + covering].iter().rev().map(|p| {
                let (lo, hi) = (p.lo.max(key.lo), (p.lo + p.width).min(end));
                Key { lo, width: hi - lo, ..key }
            });
            return Shape::From(parts.collect(), Make::Concat);
        }
        let p = &n.pieces[first];
        let lo = key.lo - p.lo;
        match &p.source {
            PieceSource::Constant(v) => Shape::Done(self.b.constant(v.slice(lo, key.width))),
            PieceSource::Register(r) => {
                let id = RegId(self.placed[key.instance as usize].registers + r);
                let whole = self.b.intern(Op::Reg(id), p.width, &[]);
                Shape::Done(self.b.slice(whole, lo, key.width))
            }
            PieceSource::Node(node) => Shape::From(vec![Key { what: What::Node(*node), lo, ..key }], Make::Same),
            PieceSource::Child { instance, net } => {
                let instance = self.placed[key.instance as usize].children[*instance as usize];
                Shape::From(vec![Key { instance, what: What::Net(*net), lo, width: key.width }], Make::Same)
            }
        }
    }

    fn node_shape(&mut self, key: Key, id: NodeId, level: u8) -> Shape {
        let t = self.template(key.instance);
        let n = &t.nodes[id.index()];
        let arg = |k: usize, lo: u32, width: u32| Key { what: What::Node(n.args[k]), lo, width, ..key };
        let arg_width = |k: usize| t.nodes[n.args[k].index()].width;
        let whole_args = || (0..n.args.len()).map(|k| arg(k, 0, arg_width(k))).collect::<Vec<_>>();
        let end = key.lo + key.width;
        match &n.op {
            Op::Const(v) => return Shape::Done(self.b.constant(v.slice(key.lo, key.width))),
            Op::Input(net) => {
                return Shape::From(vec![Key { what: What::Net(net.0), ..key }], Make::Same);
            }
            Op::Slice(l) => return Shape::From(vec![arg(0, l + key.lo, key.width)], Make::Same),
            Op::Concat => {
                let mut parts = Vec::new();
                let mut top = n.width;
                for k in 0..n.args.len() {
                    let bottom = top - arg_width(k);
                    let (lo, hi) = (key.lo.max(bottom), end.min(top));
                    if lo < hi {
                        parts.push(arg(k, lo - bottom, hi - lo));
                    }
                    top = bottom;
                }
                return Shape::From(parts, Make::Concat);
            }
            Op::ZExt | Op::SExt => {
                let (signed, have) = (n.op == Op::SExt, arg_width(0));
                if key.lo < have {
                    let inside = end.min(have) - key.lo;
                    return Shape::From(vec![arg(0, key.lo, inside)], Make::Extend { signed });
                }
                if signed {
                    return Shape::From(vec![arg(0, have - 1, 1)], Make::Extend { signed });
                }
                return Shape::Done(self.b.zero(key.width));
            }
            _ => {}
        }
        let bitwise = matches!(n.op, Op::Not | Op::And | Op::Or | Op::Xor | Op::Mux);
        if bitwise && level >= 2 && key.width > 1 {
            let bits = (key.lo..end).rev().map(|lo| Key { lo, width: 1, ..key }).collect();
            return Shape::From(bits, Make::Concat);
        }
        if key.width != n.width {
            if bitwise && level >= 1 {
                let first = usize::from(n.op == Op::Mux);
                let mut args: Vec<Key> = (first..n.args.len()).map(|k| arg(k, key.lo, key.width)).collect();
                if first == 1 {
                    args.insert(0, arg(0, 0, 1));
                }
                return Shape::From(args, Make::Op(n.op.clone()));
            }
            if level >= 1 && end < n.width && matches!(n.op, Op::Add | Op::Sub | Op::Mul | Op::Neg) {
                let args = (0..n.args.len()).map(|k| arg(k, 0, end)).collect();
                return Shape::From(args, Make::Wider(n.op.clone(), end, key.lo));
            }
            let whole = Key { lo: 0, width: n.width, ..key };
            return Shape::From(vec![whole], Make::Slice(key.lo));
        }
        let placed = &self.placed[key.instance as usize];
        let op = match &n.op {
            Op::MemRead(m) => Op::MemRead(MemId(placed.memories + m.0)),
            Op::Table(t) => Op::Table(self.tables[placed.template][t.index()]),
            op => op.clone(),
        };
        Shape::From(whole_args(), Make::Op(op))
    }

    /// The demand `again` is on the stack already: makes the nodes between finer and goes back to
    /// it, or reports the loop.
    fn split(&mut self, stack: &mut Vec<Frame>, again: Key) -> Result<()> {
        let from = stack.iter().position(|f| f.key == again).unwrap_or(0);
        let mut finer = false;
        for frame in &stack[from..] {
            let What::Node(node) = frame.key.what else { continue };
            let at = self.placed[frame.key.instance as usize].nodes as usize + node.index();
            let most = match self.template(frame.key.instance).nodes[node.index()].op {
                Op::Not | Op::And | Op::Or | Op::Xor | Op::Mux => 2,
                Op::Add | Op::Sub | Op::Mul | Op::Neg => 1,
                _ => 0,
            };
            // a node that was made finer while this demand waited
            finer |= frame.level < self.level[at];
            if self.level[at] < most && self.template(frame.key.instance).nodes[node.index()].width > 1 {
                self.level[at] += 1;
                finer = true;
            }
        }
        if !finer {
            return Err(self.loop_error(&stack[from..]));
        }
        for frame in stack.drain(from..).collect::<Vec<_>>() {
            self.remember(frame.key, NONE);
        }
        Ok(())
    }

    /// Names along a loop, in the direction of the data.
    fn loop_error(&self, frames: &[Frame]) -> Error {
        let mut path: Vec<String> = Vec::new();
        let mut place = None;
        for f in frames.iter().rev() {
            let What::Net(net) = f.key.what else { continue };
            let n = &self.template(f.key.instance).nets[net as usize];
            if n.name.is_empty() {
                continue;
            }
            let name = format!("{}.{}", self.graph.scope_path(ScopeId(f.key.instance)), n.name);
            if path.last() != Some(&name) {
                path.push(name);
            }
            if let Some(p) = n.pieces.iter().find(|p| p.lo <= f.key.lo && f.key.lo < p.lo + p.width) {
                place.get_or_insert_with(|| self.elab.place(p.span));
            }
        }
        if path.len() > 1 && path.first() == path.last() {
            path.pop();
        }
        path.extend(path.first().cloned());
        Error::Loop { path, place }
    }
}
