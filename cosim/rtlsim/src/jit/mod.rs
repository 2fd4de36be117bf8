//! The compiled engine: a plan (`plan/mod.rs`) turned into machine code with Cranelift, and the
//! state it works on. Code comes from a plan or from disk (`kept.rs`), and nothing here tells the
//! two apart. It can be wrong where the interpreter is right: random graphs and random Verilog run
//! on both.

mod call;
mod code;
mod compiled;
mod drain;
mod generate;
mod kept;
mod memory;
mod ops;
mod pack;
mod pieces;
mod program;
mod schedule;
mod verify;

use std::sync::Arc;

use crate::backend::{Backend, State, ROUNDS};
use crate::bits::{limbs_of, Bits};
use crate::graph::{Edge, Graph, InputId, MemId, NodeId, Op, RegId, SignalId, Value};
use crate::interp;
use crate::kept::{Place, Stored};
use crate::options::Options;
use crate::plan::{bytes_of, class, word_bytes, Offset};
use crate::Error;
use compiled::{all_dirty, Compiled};
use generate::isa;
use memory::Memory;
use program::{InputSlot, Level};

pub(crate) use kept::KeptCode;

/// A design as machine code, with its state.
///
/// It is compiled twice. The first code counts how often each region is evaluated; after
/// [`Options::profile`] settles it is replaced by code for which the counts decide: regions that
/// are active most of the time are evaluated without asking, which saves all the bookkeeping about
/// them. Results do not depend on it.
pub struct Jit {
    /// As given; plans are made from it. Not even read where code from disk does.
    graph: Arc<Stored<Graph>>,
    options: Options,
    code: Compiled,
    state: Memory,
    /// Where the second code is looked for and kept.
    place: Option<Place>,
    /// Settles of the first code.
    settles: u32,
    first_changes: bool,
    /// Observed signals, in the order of the first code.
    observed: Vec<SignalId>,
    /// The observed values of the present code.
    places: Vec<drain::Place>,
    /// By domain: the level at the last look for asynchronous edges.
    seen: Vec<bool>,
    /// Reads of values that are not kept and were computed for it.
    walked: u64,
}

impl Jit {
    /// Compiles a graph.
    ///
    /// # Errors
    /// [`Error::Internal`] if code generation fails.
    pub fn new(graph: &Graph, options: &Options) -> Result<Self, Error> {
        Ok(Self::compile(&Arc::new(Stored::new(graph.clone())), options, None)?.0)
    }

    /// Compiles a graph; second code is kept in that place. Also gives what can be kept of it.
    pub(crate) fn compile(
        graph: &Arc<Stored<Graph>>,
        options: &Options,
        place: Option<Place>,
    ) -> Result<(Self, Option<KeptCode>), Error> {
        let (code, pieces) = Compiled::new(graph, options, None)?;
        let kept = place.is_some().then(|| KeptCode::of(&code, &pieces));
        Ok((Self::of(graph, options, code, place), kept))
    }

    /// From code that was kept; second code is kept in that place. `None` if the parts of it do not
    /// fit together.
    pub(crate) fn from_kept(
        graph: &Arc<Stored<Graph>>,
        options: &Options,
        kept: &KeptCode,
        place: Place,
    ) -> Option<Self> {
        Some(Self::of(graph, options, kept.compiled()?, Some(place)))
    }

    /// What code depends on beside the graph: Cranelift, its settings, this machine.
    ///
    /// # Errors
    /// [`Error::Internal`] for a machine that Cranelift does not know.
    pub(crate) fn target(options: &Options) -> Result<String, Error> {
        Ok(generate::target(&isa(verify::wanted(options))?))
    }

    fn of(graph: &Arc<Stored<Graph>>, options: &Options, code: Compiled, place: Option<Place>) -> Self {
        let state = code.state();
        let observed = code.program.observed.clone();
        let places = drain::places(&code.program, &observed);
        // As if from x: a signal that is at its active level at the start has had its edge.
        let seen = code.program.domains.iter().map(|d| !d.rising).collect();
        Self {
            graph: graph.clone(),
            options: options.clone(),
            code,
            state,
            place,
            settles: 0,
            first_changes: true,
            observed,
            places,
            seen,
            walked: 0,
        }
    }

    /// Replaces the first code by one made for the activity it has counted.
    fn specialise(&mut self) {
        let program = &self.code.program;
        let classes: Vec<u8> = program
            .region_of
            .iter()
            .map(|r| class(self.state.get(program.counters + 4 * r, 4) as f32 / self.settles as f32))
            .collect();
        let Some(code) = self.second(&classes) else {
            // The first code is right too, if code generation should fail.
            self.code.program.counts = false;
            return;
        };
        let state = self.save();
        self.state = code.state();
        self.places = drain::places(&code.program, &self.observed);
        self.code = code;
        self.load(&state);
    }

    /// The second code for these classes, from disk or new.
    fn second(&self, classes: &[u8]) -> Option<Compiled> {
        let place = self.place.as_ref().map(|p| p.inside("second", classes));
        if let Some(code) = place.as_ref().and_then(KeptCode::load) {
            return Some(code);
        }
        let (code, pieces) = Compiled::new(&self.graph, &self.options, Some(classes)).ok()?;
        if let Some(place) = place {
            KeptCode::of(&code, &pieces).keep(&place);
        }
        Some(code)
    }

    fn all_dirty(&mut self) {
        all_dirty(&self.code.program, &mut self.state);
    }

    fn mark(&mut self, input: usize) {
        let dirty = self.code.program.dirty;
        for &(word, mask) in &self.code.program.inputs[input].marks {
            let word = dirty.word(word);
            self.state.set_word(word, self.state.word(word) | mask);
        }
    }

    /// Nodes whose kept value is not what evaluating everything gives: always empty when settled,
    /// unless gating has forgotten a reader. For tests.
    pub fn stale(&mut self) -> Vec<String> {
        let before = self.state.clone();
        self.all_dirty();
        self.code.module.evaluate(&mut self.state);
        let after = std::mem::replace(&mut self.state, before);
        let mut list = Vec::new();
        for (n, (node, slot)) in self.graph.nodes.iter().zip(&self.code.program.nodes).enumerate() {
            let (Some(slot), false) = (*slot, matches!(node.op, Op::Input(_) | Op::Reg(_))) else { continue };
            let (kept, fresh) = (self.state.take(slot, node.width), after.take(slot, node.width));
            if kept != fresh {
                list.push(format!("node {n}, {:?}: {kept} should be {fresh}", node.op));
            }
        }
        list
    }

    /// Value of any node, computed from what is kept.
    fn node(&self, node: NodeId) -> Bits {
        let (g, program) = (&**self.graph, &self.code.program);
        let mut known: rustc_hash::FxHashMap<NodeId, Bits> = rustc_hash::FxHashMap::default();
        let mut path = vec![node];
        while let Some(&n) = path.last() {
            if known.contains_key(&n) {
                path.pop();
                continue;
            }
            let node = g.node(n);
            if let Some(slot) = program.nodes[n.index()] {
                known.insert(n, self.state.take(slot, node.width));
            } else if let Op::Const(v) = &node.op {
                known.insert(n, v.clone());
            } else if let Op::Input(i) = node.op {
                let input = &program.inputs[i.index()];
                known.insert(n, self.state.take(input.slot, input.width));
            } else if let Some(&missing) = node.args.iter().find(|a| !known.contains_key(a)) {
                path.push(missing);
            } else {
                let args: Vec<Bits> = node.args.iter().map(|a| known[a].clone()).collect();
                let index =
                    |depth: u32| args[0].small().filter(|i| *i < u64::from(depth)).unwrap_or(depth.into()) as u32;
                let value = match node.op {
                    Op::MemRead(m) => {
                        let place = program.memories[m.index()];
                        self.state.take_word(place.base, node.width, index(place.depth))
                    }
                    Op::Table(t) => {
                        let table = &g.tables[t.index()];
                        table.words.get(index(table.words.len() as u32) as usize).unwrap_or(&table.default).clone()
                    }
                    _ => interp::wide(&node.op, node.width, &args),
                };
                known.insert(n, value);
            }
        }
        known.remove(&node).unwrap_or_else(|| Bits::zero(g.width(node)))
    }

    fn level(&self, domain: usize) -> bool {
        match self.code.program.levels[domain] {
            Level::At(slot) => self.state.get(slot, 1) != 0,
            Level::Constant(level) => level,
        }
    }

    /// The domains of the asynchronous edges since the last look.
    fn asynchronous_edges(&mut self) -> Vec<usize> {
        let mut edges = Vec::new();
        let program = &self.code.program;
        let Some(trigger) = program.trigger.filter(|&t| self.state.word(t) != 0) else { return edges };
        self.state.set_word(trigger, 0);
        for k in (0..program.domains.len()).filter(|&k| program.asynchronous[k]) {
            let now = self.level(k);
            if now != self.seen[k] && now == program.domains[k].rising {
                edges.push(k);
            }
            self.seen[k] = now;
        }
        edges
    }
}

impl Backend for Jit {
    fn domains(&self) -> &[Edge] {
        &self.code.program.domains
    }

    fn clock(&self, domain: usize) -> bool {
        self.level(domain)
    }

    fn set_input(&mut self, input: InputId, value: u64) {
        let InputSlot { slot, width, .. } = self.code.program.inputs[input.index()];
        if width > 64 {
            self.set_input_wide(input, &Bits::new(width, value));
            return;
        }
        let value = value & u64::MAX >> (64 - width);
        let bytes = bytes_of(width);
        if self.state.get(slot, bytes) != value {
            self.state.set(slot, bytes, value);
            self.mark(input.index());
        }
    }

    fn set_input_wide(&mut self, input: InputId, value: &Bits) {
        let InputSlot { slot, width, .. } = self.code.program.inputs[input.index()];
        let value = value.zext(width);
        if self.state.take(slot, width) != value {
            self.state.put(slot, width, &value);
            self.mark(input.index());
        }
    }

    fn evaluate(&mut self) {
        if self.code.program.counts {
            self.settles += 1;
            if self.settles == self.options.profile {
                self.specialise();
            }
        }
        self.code.module.evaluate(&mut self.state);
    }

    fn settle(&mut self) -> bool {
        self.evaluate();
        for _ in 0..ROUNDS {
            if !self.edges(&[]) {
                return true;
            }
            self.code.module.evaluate(&mut self.state);
        }
        false
    }

    fn edges(&mut self, clocks: &[usize]) -> bool {
        let asynchronous = self.asynchronous_edges();
        clocks.iter().chain(&asynchronous).for_each(|&domain| self.commit(domain));
        !clocks.is_empty() || !asynchronous.is_empty()
    }

    fn levels(&self) -> Vec<bool> {
        self.seen.clone()
    }

    fn set_levels(&mut self, levels: &[bool]) {
        self.seen.copy_from_slice(levels);
    }

    fn commit(&mut self, domain: usize) {
        self.code.module.commit(domain, &mut self.state);
    }

    fn peek(&mut self, signal: SignalId) -> Bits {
        let s = self.code.program.signals[signal.index()];
        if let Some(slot) = s.slot {
            return self.state.take(slot, s.width);
        }
        match self.graph.signals[signal.index()].value {
            Value::Node(n) => {
                self.walked += 1;
                self.node(n)
            }
            Value::Memory(_) => Bits::zero(s.width),
        }
    }

    fn peek_u64(&mut self, signal: SignalId) -> u64 {
        let s = self.code.program.signals[signal.index()];
        match s.slot {
            Some(slot) => self.state.get(slot, bytes_of(s.width).min(8)),
            None => self.peek(signal).to_u64(),
        }
    }

    fn peek_many(&mut self, signals: &[SignalId], out: &mut [u64]) {
        for (value, &signal) in out.iter_mut().zip(signals) {
            *value = self.peek_u64(signal);
        }
    }

    fn peek_memory(&self, memory: MemId, word: u32) -> Bits {
        let m = self.code.program.memories[memory.index()];
        self.state.take_word(m.base, m.width, word.min(m.depth))
    }

    fn poke_memory(&mut self, memory: MemId, word: u32, value: &Bits) {
        let m = self.code.program.memories[memory.index()];
        if word < m.depth {
            self.state.put_word(m.base, m.width, word, &value.zext(m.width));
            self.all_dirty();
        }
    }

    fn poke_register(&mut self, register: RegId, value: &Bits) {
        let slots = self.code.program.registers[register.index()];
        let value = value.zext(slots.width);
        for slot in [slots.current, slots.next].into_iter().flatten() {
            self.state.put(slot, slots.width, &value);
        }
        self.all_dirty();
    }

    fn save(&self) -> State {
        let program = &self.code.program;
        let mut words = Vec::new();
        let mut push = |slot: Option<Offset>, width: u32| match (slot, width) {
            (None, _) => words.push(0),
            (Some(slot), 1..=64) => words.push(self.state.get(slot, bytes_of(width))),
            (Some(slot), _) => words.extend((0..limbs_of(width) as u32).map(|i| self.state.word(slot.word(i)))),
        };
        program.registers.iter().for_each(|r| push(r.current, r.width));
        program.inputs.iter().for_each(|i| push(Some(i.slot), i.width));
        for m in &program.memories {
            let bytes = word_bytes(m.width) * m.depth;
            words.extend((0..bytes.div_ceil(8)).map(|i| self.state.word(m.base.word(i))));
        }
        words.extend(self.seen.iter().map(|&level| u64::from(level)));
        State { words }
    }

    fn load(&mut self, state: &State) {
        let Self { code, state: memory, seen, .. } = self;
        let program = &code.program;
        let mut words = state.words.iter().copied();
        let mut next = || words.next().unwrap_or(0);
        let mut pull = |slots: [Option<Offset>; 2], width: u32| {
            for i in 0..limbs_of(width) as u32 {
                let word = next();
                for slot in slots.into_iter().flatten() {
                    if width <= 64 {
                        memory.set(slot, bytes_of(width), word);
                    } else {
                        memory.set_word(slot.word(i), word);
                    }
                }
            }
        };
        program.registers.iter().for_each(|r| pull([r.current, r.next], r.width));
        program.inputs.iter().for_each(|i| pull([Some(i.slot), None], i.width));
        for m in &program.memories {
            let bytes = word_bytes(m.width) * m.depth;
            for i in 0..bytes.div_ceil(8) {
                let word = next();
                if bytes - 8 * i >= 8 {
                    memory.set_word(m.base.word(i), word);
                } else {
                    memory.set(m.base.word(i), 4, word);
                }
            }
        }
        seen.iter_mut().for_each(|level| *level = next() != 0);
        self.all_dirty();
        self.first_changes = true;
    }

    fn observed(&self) -> &[SignalId] {
        &self.observed
    }

    fn changes(&mut self, f: &mut dyn FnMut(usize)) {
        let all = std::mem::take(&mut self.first_changes);
        drain::changed(&self.code.program, &self.places, &mut self.state, all, |_, place| f(place.number as usize));
    }

    fn drain_changes(&mut self, out: &mut Vec<u64>) {
        let all = std::mem::take(&mut self.first_changes);
        let append = |state: &Memory, place| drain::append(state, place, out);
        drain::changed(&self.code.program, &self.places, &mut self.state, all, append);
    }

    fn observe(&mut self, i: usize, limbs: &mut Vec<u64>) {
        let signal = self.observed[i];
        let width = self.code.program.signals[signal.index()].width;
        limbs.clear();
        if width <= 64 {
            limbs.push(self.peek_u64(signal));
        } else {
            limbs.extend_from_slice(self.peek(signal).limbs());
        }
    }

    fn statistics(&self) -> Vec<(&'static str, f64)> {
        let program = &self.code.program;
        vec![
            ("regions", f64::from(program.figures.regions)),
            ("items", f64::from(program.figures.items)),
            ("packs", f64::from(program.figures.packs)),
            ("code_bytes", program.figures.code_bytes as f64),
            ("state_bytes", f64::from(program.bytes)),
            ("walked_reads", self.walked as f64),
        ]
    }
}
