//! The engine of several copies: state of groups of four copies and the code that advances them ([`super::batch`]). In memory a value is one 32-bit word for
//! each copy, limb after limb; a value of 1 bit is a word of zeros or ones. Lanes beyond the last copy repeat the first copy of their group.

use std::collections::HashMap;

use super::batch::generate;
use super::call::Module;
use super::code::Code;
use super::memory::Memory;
use super::vector::{limbs_of, LANES};
use super::{levels, slot_of, InputSlot, Level};
use crate::backend::{Backend, State, ROUNDS};
use crate::bits::Bits;
use crate::fault::Fault;
use crate::graph::{Edge, Graph, InputId, MemId, NodeId, Op, RegId, SignalId, Value};
use crate::interp;
use crate::options::Options;
use crate::plan::{plan, slot_bytes, word_bytes, Kind, Plan, PlanOptions, NONE};
use crate::start::{start_memory, start_value};
use crate::Error;

/// A design as machine code, with the states of several copies. Like the single engine it is compiled a second time, for the activity of the first cycles.
pub struct Batch {
    /// As given; plans are made from it.
    graph: Graph,
    options: Options,
    code: Made,
    /// Four copies each.
    groups: Vec<Memory>,
    copies: usize,
    /// Settles of the first code.
    settles: u32,
    /// Signals whose changes are reported, in the order of the first plan, and by number of the plan in use: the index in that order.
    observed: Vec<SignalId>,
    numbers: Vec<usize>,
    first_changes: bool,
    /// By copy and domain: the level at the last look for asynchronous edges.
    seen: Vec<Vec<bool>>,
    /// Reads of values that are not kept and were computed for it.
    walked: u64,
}

/// Machine code and what is needed to use it.
struct Made {
    plan: Plan,
    module: Module,
    inputs: Vec<InputSlot>,
    /// By signal: the slot of its value, if it is kept, and its width.
    slots: Vec<(u32, u32)>,
    /// By register: the offset of its current value.
    registers: Vec<u32>,
    /// By domain: where the level of its signal is.
    levels: Vec<Level>,
    /// By domain: number of the function for its asynchronous edge in some copies.
    masked: Vec<Option<usize>>,
    code_bytes: usize,
    counts: bool,
}

impl Made {
    fn new(graph: &Graph, options: &Options, activity: Option<&[f32]>) -> Result<Self, Error> {
        let traced = options.observed(graph);
        let choices = PlanOptions {
            gating: options.gating,
            lazy: options.gating,
            trace: !traced.is_empty(),
            copies: LANES,
            count: options.gating && options.profile != 0 && activity.is_none(),
            ..PlanOptions::default()
        };
        let mut plan = plan(graph, &traced, &choices, activity)?;
        crate::fault::plant(&mut plan, options.fault, activity.is_some());
        let code = Code { plan: &plan, options: &choices };
        let (module, code_bytes) = generate(&code)?;
        let inputs = plan.graph.inputs.iter().map(|input| {
            let item = plan.item_of[input.node.index()];
            InputSlot { slot: plan.items[item as usize].slot, width: input.width, marks: code.marks(item) }
        });
        let inputs = inputs.collect();
        let mut registers = vec![NONE; plan.graph.registers.len()];
        for item in &plan.items {
            if let Kind::Register(r) = item.kind {
                registers[r.index()] = item.slot;
            }
        }
        let slots = plan.graph.signals.iter().map(|s| (slot_of(&plan, &registers, s.value), s.width)).collect();
        let levels = levels(&plan, &registers);
        let mut functions = plan.domains.len()..;
        let masked = plan.asynchronous.iter().map(|&a| if a { functions.next() } else { None }).collect();
        Ok(Self { plan, module, inputs, slots, registers, levels, masked, code_bytes, counts: choices.count })
    }
}

impl Batch {
    /// Compiles a graph for `options.copies` copies.
    ///
    /// # Errors
    /// [`Error::Internal`] if code generation fails.
    pub fn new(graph: &Graph, options: &Options) -> Result<Self, Error> {
        let code = Made::new(graph, options, None)?;
        let copies = options.copies.max(1);
        let groups = vec![Memory::new(code.plan.layout.bytes); copies.div_ceil(LANES as usize)];
        let observed = code.plan.observed.clone();
        let numbers = (0..observed.len()).collect();
        let (graph, options, first_changes) = (graph.clone(), options.clone(), true);
        let seen = vec![code.plan.domains.iter().map(|d| !d.rising).collect(); copies];
        let mut batch = Self {
            graph,
            options,
            code,
            groups,
            copies,
            settles: 0,
            observed,
            numbers,
            first_changes,
            seen,
            walked: 0,
        };
        batch.start(batch.options.seed);
        Ok(batch)
    }

    /// Replaces the first code by one made for the activity it has counted.
    fn specialise(&mut self) {
        let plan = &self.code.plan;
        let mut activity = vec![0f32; plan.clusters.len()];
        for (r, region) in plan.regions.iter().enumerate() {
            let count: u64 = self.groups.iter().map(|g| g.get(plan.layout.counters + 4 * r as u32, 4)).sum();
            for &c in &region.clusters {
                activity[c as usize] = count as f32 / (self.settles as usize * self.groups.len()) as f32;
            }
        }
        // The first code is right too, if code generation should fail.
        let Ok(code) = Made::new(&self.graph, &self.options, Some(&activity)) else {
            self.code.counts = false;
            return;
        };
        let states: Vec<State> = (0..self.copies).map(|c| self.save(c)).collect();
        self.groups.fill(Memory::new(code.plan.layout.bytes));
        let first: HashMap<SignalId, usize> = self.observed.iter().enumerate().map(|(i, &s)| (s, i)).collect();
        self.numbers = code.plan.observed.iter().map(|s| first[s]).collect();
        self.code = code;
        self.tables();
        for (copy, state) in states.iter().enumerate() {
            self.load(copy, state);
        }
    }

    fn start(&mut self, seed: u64) {
        for i in 0..self.code.plan.graph.registers.len() {
            let r = &self.code.plan.graph.registers[i];
            let value = start_value(&r.start, r.width, &r.name, seed);
            self.put_register(None, i, &value);
        }
        for m in 0..self.code.plan.graph.memories.len() {
            for (w, value) in start_memory(&self.code.plan.graph.memories[m], seed).iter().enumerate() {
                let at = self.word_at(m, w as u32);
                self.put(None, at, value);
            }
        }
        self.tables();
        for group in 0..self.groups.len() {
            self.all_dirty(group);
        }
    }

    fn tables(&mut self) {
        for (node, slot) in self.code.plan.layout.constants.clone() {
            if let Some(value) = self.code.plan.graph.as_const(node).cloned() {
                self.put(None, slot, &value);
            }
        }
        for t in 0..self.code.plan.graph.tables.len() {
            let table = self.code.plan.graph.tables[t].clone();
            for (w, value) in table.words.iter().chain([&table.default]).enumerate() {
                let at = self.code.plan.layout.tables[t] + w as u32 * word_bytes(table.width);
                for group in &mut self.groups {
                    for i in 0..limbs_of(table.width) {
                        group.set(at + 4 * i, 4, word_of(value, i));
                    }
                }
            }
        }
    }

    fn all_dirty(&mut self, group: usize) {
        let l = &self.code.plan.layout;
        for w in 0..l.dirty_words {
            self.groups[group].set_word(l.dirty + 8 * w, u64::MAX);
        }
    }

    /// Does this lane hold the copy, or repeat it?
    fn holds(&self, copy: Option<usize>, group: usize, lane: usize) -> bool {
        let place = group * LANES as usize + lane;
        match copy {
            None => true,
            Some(copy) => place == copy || place >= self.copies && group * LANES as usize == copy,
        }
    }

    /// Writes a value of one copy (`None`: of all); says whether it was another.
    fn put(&mut self, copy: Option<usize>, offset: u32, value: &Bits) -> bool {
        if offset == NONE {
            return false;
        }
        let mut changed = false;
        let groups = copy.map_or(0..self.groups.len(), |c| c / LANES as usize..c / LANES as usize + 1);
        for group in groups {
            for lane in 0..LANES {
                if !self.holds(copy, group, lane as usize) {
                    continue;
                }
                for i in 0..limbs_of(value.width()) {
                    let (at, new) = (offset + 16 * i + 4 * lane, word_of(value, i));
                    changed |= self.groups[group].get(at, 4) != new;
                    self.groups[group].set(at, 4, new);
                }
            }
        }
        changed
    }

    fn put_register(&mut self, copy: Option<usize>, r: usize, value: &Bits) -> bool {
        let changed = self.put(copy, self.code.registers[r], value);
        self.put(copy, self.code.plan.next_slots[r], value);
        changed
    }

    #[inline]
    fn small(&self, copy: usize, offset: u32, width: u32) -> u64 {
        small(&self.groups[copy / LANES as usize], copy as u32 % LANES, offset, width)
    }

    fn take(&self, copy: usize, offset: u32, width: u32) -> Bits {
        if width <= 64 {
            return Bits::new(width, self.small(copy, offset, width));
        }
        let last = limbs_of(width) - 1;
        let limb = |i: u32| self.small(copy, offset + 32 * i, if 2 * i == last { 32 } else { 64 });
        Bits::from_limbs(width, &(0..width.div_ceil(64)).map(limb).collect::<Vec<u64>>())
    }

    fn word_at(&self, memory: usize, word: u32) -> u32 {
        self.code.plan.layout.memories[memory] + word * slot_bytes(self.code.plan.graph.memories[memory].width, LANES)
    }

    fn take_word(&self, copy: usize, memory: usize, word: u32) -> Bits {
        self.take(copy, self.word_at(memory, word), self.code.plan.graph.memories[memory].width)
    }

    /// Value of any node, computed from what is kept.
    fn node(&self, copy: usize, node: NodeId) -> Bits {
        let g = &self.code.plan.graph;
        let mut known: HashMap<NodeId, Bits> = HashMap::new();
        let mut path = vec![node];
        while let Some(&n) = path.last() {
            if known.contains_key(&n) {
                path.pop();
                continue;
            }
            let slot = slot_of(&self.code.plan, &self.code.registers, Value::Node(n));
            let node = g.node(n);
            if slot != NONE {
                known.insert(n, self.take(copy, slot, node.width));
            } else if let Op::Const(v) = &node.op {
                known.insert(n, v.clone());
            } else if let Some(&missing) = node.args.iter().find(|a| !known.contains_key(a)) {
                path.push(missing);
            } else {
                let args: Vec<Bits> = node.args.iter().map(|a| known[a].clone()).collect();
                let index = |n: u32| args[0].small().filter(|i| *i < u64::from(n)).unwrap_or(n.into()) as u32;
                let value = match node.op {
                    Op::MemRead(m) => self.take_word(copy, m.index(), index(g.memories[m.index()].depth)),
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

    fn level(&self, copy: usize, domain: usize) -> bool {
        match self.code.levels[domain] {
            Level::At(slot) => self.small(copy, slot, 1) != 0,
            Level::Constant(level) => level,
        }
    }

    /// The domains of the asynchronous edges of a group since the last look, and the copies that
    /// have them. Lanes without a copy do as the first does.
    fn asynchronous_edges(&mut self, group: usize) -> Vec<(usize, [bool; LANES as usize])> {
        let mut edges = Vec::new();
        let trigger = self.code.plan.layout.trigger;
        if trigger == NONE || self.groups[group].word(trigger) == 0 {
            return edges;
        }
        self.groups[group].set_word(trigger, 0);
        let first = group * LANES as usize;
        for k in (0..self.code.plan.domains.len()).filter(|&k| self.code.plan.asynchronous[k]) {
            let mut lanes = [false; LANES as usize];
            for copy in first..self.copies.min(first + LANES as usize) {
                let now = self.level(copy, k);
                lanes[copy - first] = now != self.seen[copy][k] && now == self.code.plan.domains[k].rising;
                self.seen[copy][k] = now;
            }
            let held = self.copies - first;
            let of_first = lanes[0];
            lanes.iter_mut().skip(held).for_each(|lane| *lane = of_first);
            if lanes.contains(&true) {
                if self.options.fault == Some(Fault::SharedEdge) {
                    lanes = [true; LANES as usize];
                }
                edges.push((k, lanes));
            }
        }
        edges
    }
}

/// 32 bits of a value as they are kept: a value of 1 bit is all ones or zeros.
fn word_of(value: &Bits, i: u32) -> u64 {
    if value.width() == 1 {
        return if value.is_zero() { 0 } else { 0xffff_ffff };
    }
    value.limbs()[i as usize / 2] >> (i % 2 * 32) & 0xffff_ffff
}

impl Backend for Batch {
    fn copies(&self) -> usize {
        self.copies
    }

    fn domains(&self) -> &[Edge] {
        &self.code.plan.domains
    }

    fn clock(&self, copy: usize, domain: usize) -> bool {
        self.level(copy, domain)
    }

    fn set_input(&mut self, copy: usize, input: InputId, value: u64) {
        let InputSlot { slot, width, .. } = self.code.inputs[input.index()];
        let value = value & u64::MAX >> (64 - width.min(64));
        if width > 64 || self.small(copy, slot, width) != value {
            self.set_input_wide(copy, input, &Bits::new(width, value));
        }
    }

    fn set_input_wide(&mut self, copy: usize, input: InputId, value: &Bits) {
        let InputSlot { slot, width, .. } = self.code.inputs[input.index()];
        if self.put(Some(copy), slot, &value.zext(width)) {
            let dirty = self.code.plan.layout.dirty;
            let group = &mut self.groups[copy / LANES as usize];
            for &(word, mask) in &self.code.inputs[input.index()].marks {
                let at = dirty + 8 * word;
                group.set_word(at, group.word(at) | mask);
            }
        }
    }

    fn evaluate(&mut self) {
        if self.code.counts {
            self.settles += 1;
            if self.settles == self.options.profile {
                self.specialise();
            }
        }
        self.groups.iter_mut().for_each(|group| self.code.module.evaluate(group));
    }

    fn settle(&mut self) -> bool {
        self.evaluate();
        for _ in 0..ROUNDS {
            if !self.edges(&[]) {
                return true;
            }
            self.groups.iter_mut().for_each(|group| self.code.module.evaluate(group));
        }
        false
    }

    fn edges(&mut self, clocks: &[usize]) -> bool {
        let mut any = !clocks.is_empty();
        for group in 0..self.groups.len() {
            let asynchronous = self.asynchronous_edges(group);
            for &domain in clocks {
                self.code.module.commit(domain, &mut self.groups[group]);
            }
            for (domain, lanes) in asynchronous {
                any = true;
                let Some(function) = self.code.masked[domain] else { continue };
                for (lane, set) in (0..).zip(lanes) {
                    let mask = if set { 0xffff_ffff } else { 0 };
                    self.groups[group].set(self.code.plan.layout.asynchronous_mask + 4 * lane, 4, mask);
                }
                self.code.module.commit(function, &mut self.groups[group]);
            }
        }
        any
    }

    fn levels(&self, copy: usize) -> Vec<bool> {
        self.seen[copy].clone()
    }

    fn set_levels(&mut self, copy: usize, levels: &[bool]) {
        self.seen[copy].copy_from_slice(levels);
    }

    fn commit(&mut self, domain: usize) {
        for group in &mut self.groups {
            self.code.module.commit(domain, group);
        }
    }

    fn peek(&mut self, copy: usize, signal: SignalId) -> Bits {
        let s = &self.code.plan.graph.signals[signal.index()];
        let (slot, _) = self.code.slots[signal.index()];
        if slot != NONE {
            return self.take(copy, slot, s.width);
        }
        match s.value {
            Value::Node(n) => {
                self.walked += 1;
                self.node(copy, n)
            }
            Value::Memory(_) => Bits::zero(s.width),
        }
    }

    fn peek_u64(&mut self, copy: usize, signal: SignalId) -> u64 {
        match self.code.slots[signal.index()] {
            (NONE, _) => self.peek(copy, signal).to_u64(),
            (slot, width) => self.small(copy, slot, width),
        }
    }

    fn peek_many(&mut self, copy: usize, signals: &[SignalId], out: &mut [u64]) {
        let (group, lane) = (copy / LANES as usize, copy as u32 % LANES);
        for (value, &signal) in out.iter_mut().zip(signals) {
            *value = match self.code.slots[signal.index()] {
                (NONE, _) => self.peek(copy, signal).to_u64(),
                (slot, width) => small(&self.groups[group], lane, slot, width),
            };
        }
    }

    fn peek_memory(&self, copy: usize, memory: MemId, word: u32) -> Bits {
        self.take_word(copy, memory.index(), word.min(self.code.plan.graph.memories[memory.index()].depth))
    }

    fn poke_memory(&mut self, copy: usize, memory: MemId, word: u32, value: &Bits) {
        let m = &self.code.plan.graph.memories[memory.index()];
        if word < m.depth {
            let value = value.zext(m.width);
            let at = self.word_at(memory.index(), word);
            self.put(Some(copy), at, &value);
            self.all_dirty(copy / LANES as usize);
        }
    }

    fn poke_register(&mut self, copy: usize, register: RegId, value: &Bits) {
        let value = value.zext(self.code.plan.graph.registers[register.index()].width);
        self.put_register(Some(copy), register.index(), &value);
        self.all_dirty(copy / LANES as usize);
    }

    fn save(&self, copy: usize) -> State {
        let g = &self.code.plan.graph;
        let mut words = Vec::new();
        let mut keep = |value: Bits| words.extend_from_slice(value.limbs());
        for (i, r) in g.registers.iter().enumerate() {
            keep(self.take(copy, self.code.registers[i], r.width));
        }
        for (m, memory) in g.memories.iter().enumerate() {
            (0..memory.depth).for_each(|w| keep(self.take_word(copy, m, w)));
        }
        for &InputSlot { slot, width, .. } in &self.code.inputs {
            keep(self.take(copy, slot, width));
        }
        words.extend(self.seen[copy].iter().map(|&level| u64::from(level)));
        State { words }
    }

    fn load(&mut self, copy: usize, state: &State) {
        let mut words = &state.words[..];
        let mut next = |width: u32| {
            let (value, rest) = words.split_at(width.div_ceil(64) as usize);
            words = rest;
            Bits::from_limbs(width, value)
        };
        for i in 0..self.code.registers.len() {
            let value = next(self.code.plan.graph.registers[i].width);
            self.put_register(Some(copy), i, &value);
        }
        for m in 0..self.code.plan.graph.memories.len() {
            let (depth, width) = (self.code.plan.graph.memories[m].depth, self.code.plan.graph.memories[m].width);
            for w in 0..depth {
                let at = self.word_at(m, w);
                self.put(Some(copy), at, &next(width));
            }
        }
        for i in 0..self.code.inputs.len() {
            let InputSlot { slot, width, .. } = self.code.inputs[i];
            self.put(Some(copy), slot, &next(width));
        }
        self.seen[copy].iter_mut().zip(words).for_each(|(level, &word)| *level = word != 0);
        self.all_dirty(copy / LANES as usize);
        self.first_changes |= copy == 0;
    }

    fn observed(&self) -> &[SignalId] {
        &self.observed
    }

    fn changes(&mut self, f: &mut dyn FnMut(usize)) {
        let l = &self.code.plan.layout;
        let first = std::mem::take(&mut self.first_changes);
        for w in l.region_words..l.dirty_words {
            let bits = self.groups[0].word(l.dirty + 8 * w);
            self.groups[0].set_word(l.dirty + 8 * w, 0);
            let mut bits = if first { u64::MAX } else { bits };
            let base = (w - l.region_words) as usize * 64;
            while bits != 0 {
                let i = base + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if let Some(&number) = self.numbers.get(i) {
                    f(number);
                }
            }
        }
    }

    fn observe(&mut self, i: usize, limbs: &mut Vec<u64>) {
        let signal = self.observed[i];
        limbs.clear();
        limbs.extend_from_slice(self.peek(0, signal).limbs());
    }

    fn statistics(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("regions", self.code.plan.regions.len() as f64),
            ("items", self.code.plan.items.len() as f64),
            ("code_bytes", self.code.code_bytes as f64),
            ("state_bytes", f64::from(self.code.plan.layout.bytes)),
            ("walked_reads", self.walked as f64),
        ]
    }
}

/// The low 64 bits of a value of a copy; a limb (32 bits) of all copies is one unit of the state.
#[inline]
fn small(group: &Memory, lane: u32, offset: u32, width: u32) -> u64 {
    let limbs: &[u32] = bytemuck::cast_slice(&group.units);
    let at = (offset / 4 + lane) as usize;
    match width {
        1 => u64::from(limbs[at] & 1),
        2..=32 => u64::from(limbs[at]),
        _ => u64::from(limbs[at]) | u64::from(limbs[at + LANES as usize]) << 32,
    }
}
