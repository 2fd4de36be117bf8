//! The reference interpreter: every node of the graph evaluated in topological order at every
//! settle, with no cleverness, so that what a node means can be read here. Values of up to 64 bits
//! go through [`small`], wider ones through [`wide`], which is plain [`Bits`] arithmetic; a test
//! runs both on the same operands. Tests compare the compiled engine with this one: a wrong
//! operator here is wrong in both only if both misread `graph.rs`.
//!
//! Asynchronous edges are part of settling: where a signal of one is found to have changed, what
//! waits for that edge takes its next value, and the graph is evaluated again until there is none.
//! Rounds are limited: a reset that depends on its own register can oscillate, and is reported.

use crate::backend::{Backend, State, ROUNDS};
use crate::bits::{limbs_of, Bits};
use crate::graph::{Edge, Graph, InputId, MemId, NodeId, Op, RegId, SignalId, Value};
use crate::options::Options;
use crate::start::{start_memory, start_value};
use crate::Error;

/// Runs a graph by walking it.
pub struct Interpreter {
    graph: Graph,
    order: Vec<NodeId>,
    domains: Vec<Edge>,
    asynchronous: Vec<bool>,
    layout: Layout,
    contents: Contents,
    observed: Vec<SignalId>,
    /// Last reported value of each observed signal, end to end; empty before the first report.
    reported: Vec<u64>,
    settles: u64,
}

/// Where each item's limbs start: nodes in `Contents::values`, the others in `Contents::state`.
struct Layout {
    node: Vec<usize>,
    register: Vec<usize>,
    memory: Vec<usize>,
    input: Vec<usize>,
    state_len: usize,
    values_len: usize,
}

/// What changes from cycle to cycle.
#[derive(Clone)]
struct Contents {
    /// Registers, memories, inputs: what a snapshot holds.
    state: Vec<u64>,
    /// Settled values of nodes.
    values: Vec<u64>,
    /// By domain: the level at the last look for asynchronous edges.
    seen: Vec<bool>,
}

impl Layout {
    fn new(graph: &Graph) -> Self {
        fn place(at: &mut usize, limbs: usize) -> usize {
            *at += limbs;
            *at - limbs
        }
        let (mut state, mut values) = (0, 0);
        Self {
            node: graph.nodes.iter().map(|n| place(&mut values, limbs_of(n.width))).collect(),
            register: graph.registers.iter().map(|r| place(&mut state, limbs_of(r.width))).collect(),
            memory: graph.memories.iter().map(|m| place(&mut state, limbs_of(m.width) * m.depth as usize)).collect(),
            input: graph.inputs.iter().map(|i| place(&mut state, limbs_of(i.width))).collect(),
            state_len: state,
            values_len: values,
        }
    }
}

impl Interpreter {
    /// An interpreter of the graph in its start state, not yet settled. Uses `seed` and `trace` of
    /// the options.
    ///
    /// # Errors
    /// [`Error::Loop`] for a combinational loop, [`Error::Internal`] for a graph that breaks its
    /// own rules.
    pub fn new(graph: &Graph, options: &Options) -> Result<Self, Error> {
        graph.check().map_err(Error::Internal)?;
        let order = graph.topological().map_err(|nodes| loop_error(graph, &nodes))?;
        let (domains, asynchronous): (Vec<Edge>, Vec<bool>) =
            graph.domains().iter().map(|d| (d.edge, d.asynchronous)).unzip();
        let layout = Layout::new(graph);
        // As if from x: a signal that is at its active level at the start has had its edge.
        let seen = domains.iter().map(|d| !d.rising).collect();
        let mut contents = Contents { state: vec![0; layout.state_len], values: vec![0; layout.values_len], seen };
        for (r, &at) in graph.registers.iter().zip(&layout.register) {
            store(&mut contents.state, at, start_value(&r.start, r.width, &r.name, options.seed).limbs());
        }
        for (m, &at) in graph.memories.iter().zip(&layout.memory) {
            for (word, value) in start_memory(m, options.seed).iter().enumerate() {
                store(&mut contents.state, at + word * limbs_of(m.width), value.limbs());
            }
        }
        Ok(Self {
            order,
            domains,
            asynchronous,
            layout,
            contents,
            observed: options.observed(graph),
            reported: Vec::new(),
            settles: 0,
            graph: graph.clone(),
        })
    }

    fn value(&self, node: NodeId) -> Bits {
        self.contents.value(&self.graph, &self.layout, node)
    }

    /// Node of a signal; a memory has none.
    fn node_of(&self, signal: SignalId) -> Option<NodeId> {
        match self.graph.signals[signal.index()].value {
            Value::Node(node) => Some(node),
            Value::Memory(_) => None,
        }
    }

    /// Limbs of a word of a memory in the state, if the word is there.
    fn word(&self, memory: MemId, word: u64) -> Option<std::ops::Range<usize>> {
        word_at(&self.graph, &self.layout, memory, word)
    }

    /// The limbs of an observed signal.
    fn observed_limbs(&self, i: usize) -> &[u64] {
        let Some(node) = self.node_of(self.observed[i]) else { return &[] };
        let at = self.layout.node[node.index()];
        &self.contents.values[at..at + limbs_of(self.graph.width(node))]
    }
}

/// A loop in words: the signal names of its nodes, as far as they have some.
pub(crate) fn loop_error(graph: &Graph, nodes: &[NodeId]) -> Error {
    let mut path: Vec<String> = Vec::new();
    for &node in nodes {
        let named = graph.signals.iter().position(|s| s.value == Value::Node(node));
        if let Some(i) = named {
            path.push(graph.signal_path(SignalId(i as u32)));
        }
    }
    if path.is_empty() {
        path = nodes.iter().map(|n| format!("{:?}", graph.node(*n).op)).collect();
    }
    path.extend(path.first().cloned());
    Error::Loop { path, place: None }
}

fn store(words: &mut [u64], at: usize, limbs: &[u64]) {
    words[at..at + limbs.len()].copy_from_slice(limbs);
}

fn word_at(graph: &Graph, layout: &Layout, memory: MemId, word: u64) -> Option<std::ops::Range<usize>> {
    let m = &graph.memories[memory.index()];
    let limbs = limbs_of(m.width);
    (word < u64::from(m.depth)).then(|| {
        let at = layout.memory[memory.index()] + word as usize * limbs;
        at..at + limbs
    })
}

impl Contents {
    fn value(&self, graph: &Graph, layout: &Layout, node: NodeId) -> Bits {
        let at = layout.node[node.index()];
        let width = graph.width(node);
        Bits::from_limbs(width, &self.values[at..at + limbs_of(width)])
    }

    /// Evaluates every node once.
    fn evaluate(&mut self, graph: &Graph, layout: &Layout, order: &[NodeId]) {
        for &id in order {
            let node = graph.node(id);
            let at = layout.node[id.index()];
            let n = limbs_of(node.width);
            match &node.op {
                Op::Input(i) => {
                    let from = layout.input[i.index()];
                    self.values[at..at + n].copy_from_slice(&self.state[from..from + n]);
                }
                Op::Reg(r) => {
                    let from = layout.register[r.index()];
                    self.values[at..at + n].copy_from_slice(&self.state[from..from + n]);
                }
                Op::Const(v) => store(&mut self.values, at, v.limbs()),
                Op::MemRead(m) => {
                    let addr = self.value(graph, layout, node.args[0]);
                    match addr.small().and_then(|word| word_at(graph, layout, *m, word)) {
                        Some(from) => self.values[at..at + n].copy_from_slice(&self.state[from]),
                        None => self.values[at..at + n].fill(0),
                    }
                }
                Op::Table(t) => {
                    let table = &graph.tables[t.index()];
                    let index = self.value(graph, layout, node.args[0]).small();
                    let word = index.and_then(|i| table.words.get(usize::try_from(i).ok()?)).unwrap_or(&table.default);
                    store(&mut self.values, at, word.limbs());
                }
                op if node.width <= 64 && node.args.len() <= 3 && node.args.iter().all(|&a| graph.width(a) <= 64) => {
                    let mut args = [(0, 0); 3];
                    for (slot, &a) in args.iter_mut().zip(&node.args) {
                        *slot = (self.values[layout.node[a.index()]], graph.width(a));
                    }
                    self.values[at] = small(op, node.width, &args[..node.args.len()]);
                }
                op => {
                    let args: Vec<Bits> = node.args.iter().map(|&a| self.value(graph, layout, a)).collect();
                    store(&mut self.values, at, wide(op, node.width, &args).limbs());
                }
            }
        }
    }

    /// The domains of the asynchronous edges since the last look.
    fn asynchronous_edges(&mut self, layout: &Layout, domains: &[Edge], asynchronous: &[bool]) -> Vec<usize> {
        let mut edges = Vec::new();
        for (k, edge) in domains.iter().enumerate().filter(|(k, _)| asynchronous[*k]) {
            let now = self.values[layout.node[edge.clock.index()]] & 1 == 1;
            if now != self.seen[k] && now == edge.rising {
                edges.push(k);
            }
            self.seen[k] = now;
        }
        edges
    }

    /// What waits for an edge takes its new value.
    fn commit(&mut self, graph: &Graph, layout: &Layout, edge: Edge) {
        // new values come from `values` only, which no edge changes: all are from before the edge,
        // whatever the order of registers and domains
        for (i, r) in graph.registers.iter().enumerate().filter(|(_, r)| r.edges().any(|e| e == edge)) {
            let (from, n) = (layout.node[r.next.index()], limbs_of(r.width));
            store(&mut self.state, layout.register[i], &self.values[from..from + n]);
        }
        for (m, memory) in graph.memories.iter().enumerate() {
            for port in memory.writes.iter().filter(|w| w.edges().any(|e| e == edge)) {
                let value = |n: NodeId| self.value(graph, layout, n);
                if !value(port.enable).get(0) {
                    continue;
                }
                let Some(addr) = value(port.addr).small() else { continue };
                let Some(at) = word_at(graph, layout, MemId(m as u32), addr) else { continue };
                let mut data = value(port.data);
                if let Some(mask) = port.mask {
                    let mask = value(mask);
                    let old = Bits::from_limbs(memory.width, &self.state[at.clone()]);
                    data = old.and(&mask.not()).or(&data.and(&mask));
                }
                store(&mut self.state, at.start, data.limbs());
            }
        }
    }
}

/// Ones in the low `width` bits; `width` is at most 64.
fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width.clamp(1, 64))
}

fn signed(value: u64, width: u32) -> i64 {
    ((value << (64 - width)) as i64) >> (64 - width)
}

/// An operation whose result and operands (value, width) are at most 64 bits wide; operands are
/// within their widths, and so is the result.
pub fn small(op: &Op, width: u32, args: &[(u64, u32)]) -> u64 {
    let arg = |k: usize| args.get(k).map_or(0, |a| a.0);
    let aw = args.first().map_or(width, |a| a.1);
    let (a, b) = (arg(0), arg(1));
    let (sa, sb) = (signed(a, aw), signed(b, args.get(1).map_or(aw, |b| b.1)));
    let in_range = b < u64::from(width);
    let value = match op {
        Op::Not => !a,
        Op::Neg => a.wrapping_neg(),
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::DivU => a.checked_div(b).unwrap_or(0),
        Op::RemU => a.checked_rem(b).unwrap_or(0),
        Op::DivS if b == 0 => 0,
        Op::RemS if b == 0 => 0,
        Op::DivS => sa.wrapping_div(sb) as u64,
        Op::RemS => sa.wrapping_rem(sb) as u64,
        Op::RedAnd => u64::from(a == mask(aw)),
        Op::RedOr => u64::from(a != 0),
        Op::RedXor => u64::from(a.count_ones() & 1),
        Op::Shl => {
            if in_range {
                a << b
            } else {
                0
            }
        }
        Op::Shr => {
            if in_range {
                a >> b
            } else {
                0
            }
        }
        Op::Sar => (sa >> b.min(63)) as u64,
        Op::Eq => u64::from(a == b),
        Op::Ne => u64::from(a != b),
        Op::LtU => u64::from(a < b),
        Op::LeU => u64::from(a <= b),
        Op::LtS => u64::from(sa < sb),
        Op::LeS => u64::from(sa <= sb),
        Op::Mux => {
            if a & 1 == 1 {
                b
            } else {
                arg(2)
            }
        }
        Op::Slice(lo) => a >> lo,
        Op::Concat => args.iter().fold(0, |high, &(v, w)| if w == 64 { v } else { high << w | v }),
        Op::ZExt => a,
        Op::SExt => sa as u64,
        // leaves have no operands: the caller reads them from the state
        Op::Input(_) | Op::Const(_) | Op::Reg(_) | Op::MemRead(_) | Op::Table(_) => 0,
    };
    value & mask(width)
}

/// The same for any width.
pub fn wide(op: &Op, width: u32, args: &[Bits]) -> Bits {
    let (a, b) = (&args[0], args.get(1).unwrap_or(&args[0]));
    // a shift amount that does not fit 64 bits is over any width
    let amount = || b.small().unwrap_or(u64::MAX);
    match op {
        Op::Not => a.not(),
        Op::Neg => a.neg(),
        Op::And => a.and(b),
        Op::Or => a.or(b),
        Op::Xor => a.xor(b),
        Op::Add => a.add(b),
        Op::Sub => a.sub(b),
        Op::Mul => a.mul(b),
        Op::DivU => a.div_rem(b).0,
        Op::RemU => a.div_rem(b).1,
        Op::DivS => a.div_rem_signed(b).0,
        Op::RemS => a.div_rem_signed(b).1,
        Op::RedAnd => Bits::bit(a.is_ones()),
        Op::RedOr => Bits::bit(!a.is_zero()),
        Op::RedXor => Bits::bit(a.count_ones() & 1 == 1),
        Op::Shl => a.shl(amount()),
        Op::Shr => a.shr(amount()),
        Op::Sar => a.sar(amount()),
        Op::Eq => Bits::bit(a == b),
        Op::Ne => Bits::bit(a != b),
        Op::LtU => Bits::bit(a.ltu(b)),
        Op::LeU => Bits::bit(!b.ltu(a)),
        Op::LtS => Bits::bit(a.lts(b)),
        Op::LeS => Bits::bit(!b.lts(a)),
        Op::Mux => {
            if a.get(0) {
                b.clone()
            } else {
                args[2].clone()
            }
        }
        Op::Slice(lo) => a.slice(*lo, width),
        Op::Concat => args[1..].iter().fold(a.clone(), |high, low| high.concat(low)),
        Op::ZExt => a.zext(width),
        Op::SExt => a.sext(width),
        Op::Input(_) | Op::Const(_) | Op::Reg(_) | Op::MemRead(_) | Op::Table(_) => Bits::zero(width),
    }
}

impl Backend for Interpreter {
    fn domains(&self) -> &[Edge] {
        &self.domains
    }

    fn clock(&self, domain: usize) -> bool {
        self.value(self.domains[domain].clock).get(0)
    }

    fn set_input(&mut self, input: InputId, value: u64) {
        let width = self.graph.inputs[input.index()].width;
        self.set_input_wide(input, &Bits::new(width, value));
    }

    fn set_input_wide(&mut self, input: InputId, value: &Bits) {
        let value = value.zext(self.graph.inputs[input.index()].width);
        store(&mut self.contents.state, self.layout.input[input.index()], value.limbs());
    }

    fn evaluate(&mut self) {
        self.settles += 1;
        self.contents.evaluate(&self.graph, &self.layout, &self.order);
    }

    fn settle(&mut self) -> bool {
        self.evaluate();
        for _ in 0..ROUNDS {
            if !self.edges(&[]) {
                return true;
            }
            self.evaluate();
        }
        false
    }

    fn edges(&mut self, clocks: &[usize]) -> bool {
        let asynchronous = self.contents.asynchronous_edges(&self.layout, &self.domains, &self.asynchronous);
        clocks.iter().chain(&asynchronous).for_each(|&domain| self.commit(domain));
        !clocks.is_empty() || !asynchronous.is_empty()
    }

    fn levels(&self) -> Vec<bool> {
        self.contents.seen.clone()
    }

    fn set_levels(&mut self, levels: &[bool]) {
        self.contents.seen.copy_from_slice(levels);
    }

    fn commit(&mut self, domain: usize) {
        self.contents.commit(&self.graph, &self.layout, self.domains[domain]);
    }

    fn peek(&mut self, signal: SignalId) -> Bits {
        let Some(node) = self.node_of(signal) else { return Bits::zero(self.graph.signals[signal.index()].width) };
        match self.graph.node(node).op {
            Op::Reg(r) => {
                let at = self.layout.register[r.index()];
                let width = self.graph.width(node);
                Bits::from_limbs(width, &self.contents.state[at..at + limbs_of(width)])
            }
            _ => self.value(node),
        }
    }

    fn peek_memory(&self, memory: MemId, word: u32) -> Bits {
        let width = self.graph.memories[memory.index()].width;
        match self.word(memory, u64::from(word)) {
            Some(at) => Bits::from_limbs(width, &self.contents.state[at]),
            None => Bits::zero(width),
        }
    }

    fn poke_memory(&mut self, memory: MemId, word: u32, value: &Bits) {
        let value = value.zext(self.graph.memories[memory.index()].width);
        if let Some(at) = self.word(memory, u64::from(word)) {
            store(&mut self.contents.state, at.start, value.limbs());
        }
    }

    fn poke_register(&mut self, register: RegId, value: &Bits) {
        let value = value.zext(self.graph.registers[register.index()].width);
        store(&mut self.contents.state, self.layout.register[register.index()], value.limbs());
    }

    fn save(&self) -> State {
        let mut words = self.contents.state.clone();
        words.extend(self.contents.seen.iter().map(|&level| u64::from(level)));
        State { words }
    }

    fn load(&mut self, state: &State) {
        let Contents { state: own, seen, .. } = &mut self.contents;
        let (words, levels) = state.words.split_at(own.len());
        own.copy_from_slice(words);
        seen.iter_mut().zip(levels).for_each(|(level, &word)| *level = word != 0);
    }

    fn observed(&self) -> &[SignalId] {
        &self.observed
    }

    fn changes(&mut self, f: &mut dyn FnMut(usize)) {
        let first = self.reported.is_empty();
        let mut reported = std::mem::take(&mut self.reported);
        let mut at = 0;
        for i in 0..self.observed.len() {
            let now = self.observed_limbs(i);
            if first {
                reported.extend_from_slice(now);
                f(i);
            } else if reported[at..at + now.len()] != *now {
                store(&mut reported, at, now);
                f(i);
            }
            at += now.len();
        }
        self.reported = reported;
    }

    fn drain_changes(&mut self, out: &mut Vec<u64>) {
        let mut changed = Vec::new();
        self.changes(&mut |i| changed.push(i));
        for i in changed {
            out.push(i as u64);
            out.extend_from_slice(self.observed_limbs(i));
        }
    }

    fn observe(&mut self, i: usize, limbs: &mut Vec<u64>) {
        limbs.clear();
        limbs.extend_from_slice(self.observed_limbs(i));
    }

    fn statistics(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("nodes", self.order.len() as f64),
            ("settles", self.settles as f64),
            ("state bytes", self.layout.state_len as f64 * 8.0),
        ]
    }
}
