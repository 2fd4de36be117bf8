//! The engine of several copies: state of groups of four copies and the code that advances them ([`super::batch`]). In memory a value is one 32-bit word for
//! each copy, limb after limb; a value of 1 bit is a word of zeros or ones. Lanes beyond the last copy repeat the first copy of their group.

use std::collections::HashMap;

use super::batch::generate;
use super::call::Module;
use super::code::Code;
use super::memory::Memory;
use super::slot_of;
use super::vector::{limbs_of, LANES};
use crate::backend::{Backend, State};
use crate::bits::Bits;
use crate::graph::{Edge, Graph, InputId, MemId, NodeId, Op, RegId, SignalId, Value};
use crate::interp;
use crate::options::Options;
use crate::plan::{plan, slot_bytes, word_bytes, Kind, Plan, PlanOptions, NONE};
use crate::start::{start_memory, start_value};
use crate::Error;

/// A design as machine code, with the states of several copies.
pub struct Batch {
    plan: Plan,
    module: Module,
    /// Four copies each.
    groups: Vec<Memory>,
    copies: usize,
    /// By input: offset, width, marks.
    inputs: Vec<(u32, u32, Vec<(u32, u64)>)>,
    /// By signal: the slot of its value, if it is kept.
    slots: Vec<u32>,
    /// By register: the offset of its current value.
    registers: Vec<u32>,
    asynchronous: Vec<usize>,
    code_bytes: usize,
    first_changes: bool,
}

impl Batch {
    /// Compiles a graph for `options.copies` copies.
    ///
    /// # Errors
    /// [`Error::Internal`] if code generation fails.
    pub fn new(graph: &Graph, options: &Options) -> Result<Self, Error> {
        let traced = options.observed(graph);
        let choices =
            PlanOptions { gating: options.gating, trace: !traced.is_empty(), copies: LANES, ..PlanOptions::default() };
        let plan = plan(graph, &traced, &choices)?;
        let mut source_of = vec![NONE; plan.graph.registers.len()];
        let mut registers = source_of.clone();
        for (i, item) in plan.items.iter().enumerate() {
            match item.kind {
                Kind::Source(n) => {
                    if let Op::Reg(r) = plan.graph.node(n).op {
                        source_of[r.index()] = i as u32;
                    }
                }
                Kind::Register(r) => registers[r.index()] = item.slot,
                _ => {}
            }
        }
        let code = Code { plan: &plan, options: &choices, source_of: &source_of };
        let (module, code_bytes) = generate(&code)?;
        let mut inputs = Vec::new();
        for input in &plan.graph.inputs {
            let item = plan.item_of[input.node.index()];
            inputs.push((plan.items[item as usize].slot, input.width, code.marks(item)));
        }
        let slots = plan.graph.signals.iter().map(|s| slot_of(&plan, &registers, s.value)).collect();
        let asynchronous =
            (0..plan.graph.registers.len()).filter(|&r| plan.graph.registers[r].reset.is_some()).collect();
        let copies = options.copies.max(1);
        let groups = vec![Memory::new(plan.layout.bytes); copies.div_ceil(LANES as usize)];
        let first_changes = true;
        let mut batch =
            Self { plan, module, groups, copies, inputs, slots, registers, asynchronous, code_bytes, first_changes };
        batch.start(options.seed);
        Ok(batch)
    }

    fn start(&mut self, seed: u64) {
        for i in 0..self.plan.graph.registers.len() {
            let r = &self.plan.graph.registers[i];
            let value = start_value(&r.start, r.width, &r.name, seed);
            self.put_register(None, i, &value);
        }
        for m in 0..self.plan.graph.memories.len() {
            for (w, value) in start_memory(&self.plan.graph.memories[m], seed).iter().enumerate() {
                let at = self.word_at(m, w as u32);
                self.put(None, at, value);
            }
        }
        for t in 0..self.plan.graph.tables.len() {
            let table = self.plan.graph.tables[t].clone();
            for (w, value) in table.words.iter().chain([&table.default]).enumerate() {
                let at = self.plan.layout.tables[t] + w as u32 * word_bytes(table.width);
                for group in &mut self.groups {
                    for i in 0..limbs_of(table.width) {
                        group.set(at + 4 * i, 4, word_of(value, i));
                    }
                }
            }
        }
        for group in 0..self.groups.len() {
            self.all_dirty(group);
        }
    }

    fn all_dirty(&mut self, group: usize) {
        let l = &self.plan.layout;
        for w in 0..l.dirty_words {
            *self.groups[group].word_mut(l.dirty + 8 * w) = u64::MAX;
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
        let changed = self.put(copy, self.registers[r], value);
        self.put(copy, self.plan.next_slots[r], value);
        changed
    }

    fn small(&self, copy: usize, offset: u32, width: u32) -> u64 {
        let (group, lane) = (&self.groups[copy / LANES as usize], copy as u32 % LANES);
        let low = group.get(offset + 4 * lane, 4);
        match width {
            1 => low & 1,
            2..=32 => low,
            _ => low | group.get(offset + 16 + 4 * lane, 4) << 32,
        }
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
        self.plan.layout.memories[memory] + word * slot_bytes(self.plan.graph.memories[memory].width, LANES)
    }

    fn take_word(&self, copy: usize, memory: usize, word: u32) -> Bits {
        self.take(copy, self.word_at(memory, word), self.plan.graph.memories[memory].width)
    }

    /// Value of any node, computed from what is kept.
    fn node(&self, copy: usize, node: NodeId) -> Bits {
        let g = &self.plan.graph;
        let mut known: HashMap<NodeId, Bits> = HashMap::new();
        let mut path = vec![node];
        while let Some(&n) = path.last() {
            if known.contains_key(&n) {
                path.pop();
                continue;
            }
            let slot = slot_of(&self.plan, &self.registers, Value::Node(n));
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

    /// Registers under asynchronous reset take their reset values; did that change anything in the group?
    fn resets(&mut self, group: usize) -> bool {
        let first = group * LANES as usize;
        let mut changed = false;
        for copy in first..self.copies.min(first + LANES as usize) {
            for k in 0..self.asynchronous.len() {
                let r = self.asynchronous[k];
                let Some((when, value)) = self.plan.graph.registers[r].reset else { continue };
                if !self.node(copy, when).is_zero() {
                    let value = self.node(copy, value);
                    changed |= self.put_register(Some(copy), r, &value);
                }
            }
        }
        if changed {
            self.all_dirty(group);
        }
        changed
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
        &self.plan.domains
    }

    fn clock(&self, copy: usize, domain: usize) -> bool {
        !self.node(copy, self.plan.domains[domain].clock).is_zero()
    }

    fn set_input(&mut self, copy: usize, input: InputId, value: u64) {
        let (slot, width, _) = self.inputs[input.index()];
        let value = value & u64::MAX >> (64 - width.min(64));
        if width > 64 || self.small(copy, slot, width) != value {
            self.set_input_wide(copy, input, &Bits::new(width, value));
        }
    }

    fn set_input_wide(&mut self, copy: usize, input: InputId, value: &Bits) {
        let (slot, width, _) = self.inputs[input.index()];
        if self.put(Some(copy), slot, &value.zext(width)) {
            let dirty = self.plan.layout.dirty;
            let group = &mut self.groups[copy / LANES as usize];
            for &(word, mask) in &self.inputs[input.index()].2 {
                *group.word_mut(dirty + 8 * word) |= mask;
            }
        }
    }

    fn settle(&mut self) {
        for group in 0..self.groups.len() {
            self.module.evaluate(&mut self.groups[group]);
            // Each further pass resets at least one more register of one copy.
            for _ in 0..self.asynchronous.len() * LANES as usize {
                if !self.resets(group) {
                    break;
                }
                self.module.evaluate(&mut self.groups[group]);
            }
        }
    }

    fn commit(&mut self, domain: usize) {
        for group in &mut self.groups {
            self.module.commit(domain, group);
        }
    }

    fn peek(&mut self, copy: usize, signal: SignalId) -> Bits {
        let s = &self.plan.graph.signals[signal.index()];
        let slot = self.slots[signal.index()];
        if slot != NONE {
            return self.take(copy, slot, s.width);
        }
        match s.value {
            Value::Node(n) => self.node(copy, n),
            Value::Memory(_) => Bits::zero(s.width),
        }
    }

    fn peek_u64(&mut self, copy: usize, signal: SignalId) -> u64 {
        match self.slots[signal.index()] {
            NONE => self.peek(copy, signal).to_u64(),
            slot => self.small(copy, slot, self.plan.graph.signals[signal.index()].width),
        }
    }

    fn peek_memory(&self, copy: usize, memory: MemId, word: u32) -> Bits {
        self.take_word(copy, memory.index(), word.min(self.plan.graph.memories[memory.index()].depth))
    }

    fn poke_memory(&mut self, copy: usize, memory: MemId, word: u32, value: &Bits) {
        let m = &self.plan.graph.memories[memory.index()];
        if word < m.depth {
            let value = value.zext(m.width);
            let at = self.word_at(memory.index(), word);
            self.put(Some(copy), at, &value);
            self.all_dirty(copy / LANES as usize);
        }
    }

    fn poke_register(&mut self, copy: usize, register: RegId, value: &Bits) {
        let value = value.zext(self.plan.graph.registers[register.index()].width);
        self.put_register(Some(copy), register.index(), &value);
        self.all_dirty(copy / LANES as usize);
    }

    fn save(&self, copy: usize) -> State {
        let g = &self.plan.graph;
        let mut words = Vec::new();
        let mut keep = |value: Bits| words.extend_from_slice(value.limbs());
        for (i, r) in g.registers.iter().enumerate() {
            keep(self.take(copy, self.registers[i], r.width));
        }
        for (m, memory) in g.memories.iter().enumerate() {
            (0..memory.depth).for_each(|w| keep(self.take_word(copy, m, w)));
        }
        for &(slot, width, _) in &self.inputs {
            keep(self.take(copy, slot, width));
        }
        State { words }
    }

    fn load(&mut self, copy: usize, state: &State) {
        let mut words = &state.words[..];
        let mut next = |width: u32| {
            let (value, rest) = words.split_at(width.div_ceil(64) as usize);
            words = rest;
            Bits::from_limbs(width, value)
        };
        for i in 0..self.registers.len() {
            let value = next(self.plan.graph.registers[i].width);
            self.put_register(Some(copy), i, &value);
        }
        for m in 0..self.plan.graph.memories.len() {
            let (depth, width) = (self.plan.graph.memories[m].depth, self.plan.graph.memories[m].width);
            for w in 0..depth {
                let at = self.word_at(m, w);
                self.put(Some(copy), at, &next(width));
            }
        }
        for i in 0..self.inputs.len() {
            let (slot, width, _) = self.inputs[i];
            self.put(Some(copy), slot, &next(width));
        }
        self.all_dirty(copy / LANES as usize);
        self.first_changes |= copy == 0;
    }

    fn observed(&self) -> &[SignalId] {
        &self.plan.observed
    }

    fn changes(&mut self, f: &mut dyn FnMut(usize)) {
        let l = &self.plan.layout;
        let first = std::mem::take(&mut self.first_changes);
        for w in l.region_words..l.dirty_words {
            let bits = std::mem::take(self.groups[0].word_mut(l.dirty + 8 * w));
            let mut bits = if first { u64::MAX } else { bits };
            let base = (w - l.region_words) as usize * 64;
            while bits != 0 {
                let i = base + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if i < self.plan.observed.len() {
                    f(i);
                }
            }
        }
    }

    fn observe(&mut self, i: usize, limbs: &mut Vec<u64>) {
        let signal = self.plan.observed[i];
        limbs.clear();
        limbs.extend_from_slice(self.peek(0, signal).limbs());
    }

    fn statistics(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("regions", self.plan.regions.len() as f64),
            ("items", self.plan.items.len() as f64),
            ("code_bytes", self.code_bytes as f64),
            ("state_bytes", f64::from(self.plan.layout.bytes)),
        ]
    }
}
