//! The compiled engine: a plan (`plan/mod.rs`) turned into machine code with Cranelift, and the
//! state it works on. Functions of regions are compiled on all cores; the result does not depend on
//! how many there are. It can be wrong where the interpreter is right: random graphs and random
//! Verilog run on both.

mod call;
mod code;
mod drain;
mod memory;
mod ops;
mod pack;
mod schedule;
mod verify;

use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AbiParam, Function, Signature, UserFuncName};
use cranelift_codegen::isa::{CallConv, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::Context;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module as _, ModuleReloc};
use rayon::prelude::*;

use crate::backend::{Backend, State, ROUNDS};
use crate::bits::{limbs_of, Bits};
use crate::graph::{Edge, Graph, InputId, MemId, NodeId, Op, RegId, SignalId, Value};
use crate::interp;
use crate::options::Options;
use crate::plan::{bytes_of, plan, word_bytes, DomainId, Kind, Offset, Plan, PlanOptions, RegionId};
use crate::start::{start_memory, start_value};
use crate::Error;
use call::Module;
use code::Code;
use memory::{mask, Memory};

/// A design as machine code, with its state.
///
/// It is compiled twice. The first code counts how often each region is evaluated; after
/// [`Options::profile`] settles it is replaced by code for which the counts decide: regions that
/// are active most of the time are evaluated without asking, which saves all the bookkeeping about
/// them. Results do not depend on it.
pub struct Jit {
    /// As given; plans are made from it.
    graph: Graph,
    options: Options,
    code: Compiled,
    state: Memory,
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

/// Machine code and what is needed to use it.
struct Compiled {
    plan: Plan,
    module: Module,
    /// By input: offset, width, marks.
    inputs: Vec<InputSlot>,
    /// By signal: the slot of its value, if it is kept, and the mask of its bytes (at most 8).
    slots: Vec<(Option<Offset>, u64)>,
    /// By register: where its current value is.
    registers: Vec<Option<Offset>>,
    /// By domain: where the level of its signal is.
    levels: Vec<Level>,
    code_bytes: usize,
    counts: bool,
}

/// Where the level of a clock or asynchronous signal is.
#[derive(Clone, Copy)]
enum Level {
    At(Offset),
    Constant(bool),
}

/// Where an input is and what a change of it marks.
struct InputSlot {
    slot: Offset,
    width: u32,
    marks: Vec<(u32, u64)>,
}

fn internal(e: impl std::fmt::Display) -> Error {
    Error::Internal(e.to_string())
}

fn isa(verify: bool) -> Result<OwnedTargetIsa, Error> {
    let mut flags = settings::builder();
    for (name, value) in [
        // Its reordering lengthens live ranges: a third more code, of spills, and a third slower.
        ("opt_level", "none"),
        ("enable_verifier", if verify { "true" } else { "false" }),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
        ("enable_probestack", "false"),
        ("unwind_info", "false"),
    ] {
        flags.set(name, value).map_err(internal)?;
    }
    cranelift_native::builder().map_err(internal)?.finish(settings::Flags::new(flags)).map_err(internal)
}

fn signature(call_conv: CallConv) -> Signature {
    let mut s = Signature::new(call_conv);
    s.params.push(AbiParam::new(I64));
    s
}

/// A compiled function, not yet in memory.
struct Piece {
    bytes: Vec<u8>,
    align: u64,
    relocs: Vec<ModuleReloc>,
}

fn compile(isa: &OwnedTargetIsa, func: Function, id: FuncId) -> Result<Piece, Error> {
    let mut context = Context::for_function(func);
    let dump = std::env::var("RTLSIM_DUMP").ok().is_some_and(|d| d == id.as_u32().to_string());
    context.set_disasm(dump);
    if dump {
        eprintln!("{}", context.func);
    }
    let code = match context.compile(&**isa, &mut ControlPlane::default()) {
        Ok(code) => code,
        Err(e) => return Err(Error::Internal(format!("code generation: {:?}", e.inner))),
    };
    if let Some(text) = &code.vcode {
        eprintln!("{text}");
    }
    let align = u64::from(code.buffer.alignment);
    let bytes = code.buffer.data().to_vec();
    let relocs = code.buffer.relocs().to_vec();
    let relocs = relocs.iter().map(|r| ModuleReloc::from_mach_reloc(r, &context.func, id)).collect();
    Ok(Piece { bytes, align, relocs })
}

impl Compiled {
    fn new(graph: &Graph, options: &Options, activity: Option<&[f32]>) -> Result<Self, Error> {
        let traced = options.observed(graph);
        let choices = PlanOptions {
            gating: options.gating,
            lazy: options.gating,
            simd: options.simd,
            trace: !traced.is_empty(),
            count: options.gating && options.profile != 0 && activity.is_none(),
            ..PlanOptions::default()
        };
        let mut plan = plan(graph, &traced, &choices, activity)?;
        crate::fault::plant(&mut plan, options.fault, activity.is_some());
        let code = Code { plan: &plan, options: &choices };
        let (module, code_bytes) = generate(&code, verify::wanted(options))?;
        let inputs = plan.graph.inputs.iter().map(|input| {
            let item = plan.item_of[input.node.index()];
            let slot = item.and_then(|item| plan.items[item].slot);
            let slot = slot.ok_or_else(|| internal(format!("input {} has no place", input.name)))?;
            Ok(InputSlot { slot, width: input.width, marks: item.map_or_else(Vec::new, |item| code.marks(item)) })
        });
        let inputs = inputs.collect::<Result<_, Error>>()?;
        let mut registers = vec![None; plan.graph.registers.len()];
        for item in plan.items.iter() {
            for (k, r) in (0..).zip(item.kind.registers()) {
                registers[r.index()] = item.slot.map(|slot| slot + 4 * k);
            }
        }
        let slot = |s: &crate::graph::Signal| (slot_of(&plan, &registers, s.value), mask(bytes_of(s.width)));
        let slots = plan.graph.signals.iter().map(slot).collect();
        let levels = levels(&plan, &registers)?;
        let counts = choices.count;
        Ok(Self { plan, module, inputs, slots, registers, levels, code_bytes, counts })
    }
}

impl Jit {
    /// Compiles a graph.
    ///
    /// # Errors
    /// [`Error::Internal`] if code generation fails.
    pub fn new(graph: &Graph, options: &Options) -> Result<Self, Error> {
        let code = Compiled::new(graph, options, None)?;
        let state = Memory::new(code.plan.layout.bytes);
        let (graph, options) = (graph.clone(), options.clone());
        let observed = code.plan.observed.clone();
        let places = drain::places(&code.plan, &code.slots, &observed);
        // As if from x: a signal that is at its active level at the start has had its edge.
        let seen = code.plan.domains.iter().map(|d| !d.rising).collect();
        let mut jit =
            Self { graph, options, code, state, settles: 0, first_changes: true, observed, places, seen, walked: 0 };
        jit.start(jit.options.seed);
        Ok(jit)
    }

    /// Replaces the first code by one made for the activity it has counted.
    fn specialise(&mut self) {
        let plan = &self.code.plan;
        let mut activity = vec![0f32; plan.clusters.len()];
        for (r, region) in plan.regions.entries() {
            let count = self.state.get(plan.layout.counters + 4 * r.number(), 4);
            for &c in &region.clusters {
                activity[c.index()] = count as f32 / self.settles as f32;
            }
        }
        // The first code is right too, if code generation should fail.
        let Ok(code) = Compiled::new(&self.graph, &self.options, Some(&activity)) else {
            self.code.counts = false;
            return;
        };
        let state = self.save();
        self.state = Memory::new(code.plan.layout.bytes);
        self.places = drain::places(&code.plan, &code.slots, &self.observed);
        self.code = code;
        self.tables();
        self.load(&state);
    }

    fn start(&mut self, seed: u64) {
        for i in 0..self.code.plan.graph.registers.len() {
            let r = &self.code.plan.graph.registers[i];
            let value = start_value(&r.start, r.width, &r.name, seed);
            let (width, next) = (r.width, self.code.plan.next_slots[i]);
            self.put(self.code.registers[i], width, &value);
            self.put(next, width, &value);
        }
        for m in 0..self.code.plan.graph.memories.len() {
            let (base, width) = (self.code.plan.layout.memories[m], self.code.plan.graph.memories[m].width);
            for (w, value) in start_memory(&self.code.plan.graph.memories[m], seed).iter().enumerate() {
                self.put_word(base, width, w as u32, value);
            }
        }
        self.tables();
        self.all_dirty();
    }

    fn tables(&mut self) {
        for (node, slot) in self.code.plan.layout.constants.clone() {
            if let Some(value) = self.code.plan.graph.as_const(node).cloned() {
                self.put(Some(slot), value.width(), &value);
            }
        }
        for t in 0..self.code.plan.graph.tables.len() {
            let table = self.code.plan.graph.tables[t].clone();
            for (w, value) in table.words.iter().chain([&table.default]).enumerate() {
                self.put_word(self.code.plan.layout.tables[t], table.width, w as u32, value);
            }
        }
    }

    fn all_dirty(&mut self) {
        let l = self.code.plan.layout.clone();
        for w in 0..l.dirty_words {
            self.state.set_word(l.dirty.word(w), u64::MAX);
        }
    }

    fn put(&mut self, offset: Option<Offset>, width: u32, value: &Bits) {
        let Some(offset) = offset else { return };
        if width <= 64 {
            self.state.set(offset, bytes_of(width), value.to_u64());
        } else {
            for (i, l) in value.limbs().iter().enumerate() {
                self.state.set_word(offset.word(i as u32), *l);
            }
        }
    }

    fn take(&self, offset: Offset, width: u32) -> Bits {
        if width <= 64 {
            return Bits::new(width, self.state.get(offset, bytes_of(width)));
        }
        let limbs: Vec<u64> = (0..limbs_of(width) as u32).map(|i| self.state.word(offset.word(i))).collect();
        Bits::from_limbs(width, &limbs)
    }

    fn put_word(&mut self, base: Offset, width: u32, word: u32, value: &Bits) {
        let at = base + word * word_bytes(width);
        self.put(Some(at), width.max(2), &value.zext(width.max(2)));
    }

    fn take_word(&self, base: Offset, width: u32, word: u32) -> Bits {
        self.take(base + word * word_bytes(width), width.max(2)).zext(width)
    }

    fn mark(&mut self, input: usize) {
        let dirty = self.code.plan.layout.dirty;
        for k in 0..self.code.inputs[input].marks.len() {
            let (word, mask) = self.code.inputs[input].marks[k];
            let word = dirty.word(word);
            self.state.set_word(word, self.state.word(word) | mask);
        }
    }

    /// Items whose kept value is not what evaluating everything gives: always empty when settled,
    /// unless gating has forgotten a reader. For tests.
    pub fn stale(&mut self) -> Vec<String> {
        let before = self.state.clone();
        self.all_dirty();
        self.code.module.evaluate(&mut self.state);
        let after = std::mem::replace(&mut self.state, before);
        let mut list = Vec::new();
        for (i, item) in self.code.plan.items.entries() {
            if let (Kind::Node(n), Some(slot)) = (&item.kind, item.slot) {
                let kept = self.take(slot, item.width);
                let current = std::mem::replace(&mut self.state, after.clone());
                let fresh = self.take(slot, item.width);
                self.state = current;
                if kept != fresh {
                    let op = &self.code.plan.graph.node(*n).op;
                    list.push(format!("{i:?}, node {}, {op:?}, {:?}: {kept} should be {fresh}", n.0, item.region));
                }
            }
        }
        list
    }

    /// Value of any node, computed from what is kept.
    fn node(&self, node: NodeId) -> Bits {
        let g = &self.code.plan.graph;
        let mut known: std::collections::HashMap<NodeId, Bits> = std::collections::HashMap::new();
        let mut path = vec![node];
        while let Some(&n) = path.last() {
            if known.contains_key(&n) {
                path.pop();
                continue;
            }
            let slot = slot_of(&self.code.plan, &self.code.registers, Value::Node(n));
            let node = g.node(n);
            if let Some(slot) = slot {
                known.insert(n, self.take(slot, node.width));
            } else if let Op::Const(v) = &node.op {
                known.insert(n, v.clone());
            } else if let Op::Input(i) = node.op {
                let input = &self.code.inputs[i.index()];
                known.insert(n, self.take(input.slot, input.width));
            } else if let Some(&missing) = node.args.iter().find(|a| !known.contains_key(a)) {
                path.push(missing);
            } else {
                let args: Vec<Bits> = node.args.iter().map(|a| known[a].clone()).collect();
                let index =
                    |depth: u32| args[0].small().filter(|i| *i < u64::from(depth)).unwrap_or(depth.into()) as u32;
                let value = match node.op {
                    Op::MemRead(m) => self.take_word(
                        self.code.plan.layout.memories[m.index()],
                        node.width,
                        index(g.memories[m.index()].depth),
                    ),
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
        match self.code.levels[domain] {
            Level::At(slot) => self.state.get(slot, 1) != 0,
            Level::Constant(level) => level,
        }
    }

    /// The domains of the asynchronous edges since the last look.
    fn asynchronous_edges(&mut self) -> Vec<usize> {
        let mut edges = Vec::new();
        let plan = &self.code.plan;
        let Some(trigger) = plan.layout.trigger.filter(|&t| self.state.word(t) != 0) else { return edges };
        self.state.set_word(trigger, 0);
        for k in (0..plan.domains.len()).filter(|&k| plan.asynchronous[k]) {
            let now = self.level(k);
            if now != self.seen[k] && now == plan.domains[k].rising {
                edges.push(k);
            }
            self.seen[k] = now;
        }
        edges
    }
}

/// Where the levels of all domains are.
fn levels(plan: &Plan, registers: &[Option<Offset>]) -> Result<Vec<Level>, Error> {
    let level = |d: &Edge| match plan.graph.as_const(d.clock) {
        Some(v) => Ok(Level::Constant(!v.is_zero())),
        None => match slot_of(plan, registers, Value::Node(d.clock)) {
            Some(slot) => Ok(Level::At(slot)),
            None => Err(internal("a clock has no place")),
        },
    };
    plan.domains.iter().map(level).collect()
}

/// Where the value of a signal is kept, if it is.
fn slot_of(plan: &Plan, registers: &[Option<Offset>], value: Value) -> Option<Offset> {
    let Value::Node(n) = value else { return None };
    if let Op::Reg(r) = plan.graph.node(n).op {
        return registers[r.index()];
    }
    match plan.item_of[n.index()] {
        None => plan.layout.constants.get(&n).copied(),
        Some(item) => plan.items[item].slot.map(|slot| slot + 4 * u32::from(plan.lane_of[n.index()].unwrap_or(0))),
    }
}

/// Compiles every function of a plan; also says how many bytes of code there are.
fn generate(code: &Code, verify: bool) -> Result<(Module, usize), Error> {
    let isa = isa(verify)?;
    let mut module = JITModule::new(JITBuilder::with_isa(isa.clone(), cranelift_module::default_libcall_names()));
    let call_conv = isa.default_call_conv();
    let declare = |module: &mut JITModule, name: String| {
        module.declare_function(&name, Linkage::Local, &signature(call_conv)).map_err(internal)
    };
    let regions: Vec<RegionId> = code.plan.regions.ids().collect();
    let ids: Vec<FuncId> =
        regions.iter().map(|r| declare(&mut module, format!("region{}", r.number()))).collect::<Result<_, _>>()?;
    let new = |id: FuncId| Function::with_name_signature(UserFuncName::user(0, id.as_u32()), signature(call_conv));
    let build = |mut func: Function, f: &dyn Fn(&mut FunctionBuilder)| {
        let mut context = FunctionBuilderContext::new();
        let mut builder = FunctionBuilder::new(&mut func, &mut context);
        f(&mut builder);
        builder.seal_all_blocks();
        builder.finalize(isa.frontend_config());
        func
    };
    let compiled: Vec<Piece> = regions
        .par_iter()
        .zip(&ids)
        .map(|(&r, &id)| {
            let func = build(new(id), &|b| code.region(b, r));
            compile(&isa, func, id)
        })
        .collect::<Result<_, _>>()?;
    let mut size = 0;
    let mut define = |module: &mut JITModule, id, c: &Piece| {
        size += c.bytes.len();
        module.define_function_bytes(id, c.align, &c.bytes, &c.relocs).map_err(internal)
    };
    for (id, c) in ids.iter().zip(&compiled) {
        define(&mut module, *id, c)?;
    }
    let evaluate = declare(&mut module, "evaluate".into())?;
    let mut func = new(evaluate);
    let refs: Vec<_> = ids.iter().map(|&id| module.declare_func_in_func(id, &mut func)).collect();
    let func = build(func, &|b| code.evaluate(b, &refs));
    define(&mut module, evaluate, &compile(&isa, func, evaluate)?)?;
    let mut commits = Vec::new();
    for domain in 0..code.plan.domains.len() {
        let id = declare(&mut module, format!("commit{domain}"))?;
        let func = build(new(id), &|b| code.commit(b, DomainId::new(domain as u32)));
        define(&mut module, id, &compile(&isa, func, id)?)?;
        commits.push(id);
    }
    module.finalize_definitions().map_err(internal)?;
    if let Ok(path) = std::env::var("RTLSIM_PERF_MAP") {
        let mut map = String::new();
        for ((r, region), (id, c)) in code.plan.regions.entries().zip(ids.iter().zip(&compiled)) {
            let items = || region.clusters.iter().flat_map(|&c| &code.plan.clusters[c].items);
            let name =
                items().last().map(|&i| code.plan.graph.scope_path(code.plan.items[i].scope)).unwrap_or_default();
            let (r, n) = (r.number(), items().count());
            map += &format!(
                "{:x} {:x} region{r}_{name}_n{n}\n",
                module.get_finalized_function(*id) as usize,
                c.bytes.len()
            );
        }
        map += &format!("{:x} {:x} evaluate\n", module.get_finalized_function(evaluate) as usize, 60000);
        map += &format!("{:x} {:x} commit\n", module.get_finalized_function(commits[0]) as usize, 60000);
        let _ = std::fs::write(path, map);
    }
    Ok((Module::new(module, evaluate, &commits, code.plan.layout.bytes), size))
}

impl Backend for Jit {
    fn domains(&self) -> &[Edge] {
        &self.code.plan.domains
    }

    fn clock(&self, domain: usize) -> bool {
        self.level(domain)
    }

    fn set_input(&mut self, input: InputId, value: u64) {
        let InputSlot { slot, width, .. } = self.code.inputs[input.index()];
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
        let InputSlot { slot, width, .. } = self.code.inputs[input.index()];
        let value = value.zext(width);
        if self.take(slot, width) != value {
            self.put(Some(slot), width, &value);
            self.mark(input.index());
        }
    }

    fn evaluate(&mut self) {
        if self.code.counts {
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
        let s = &self.code.plan.graph.signals[signal.index()];
        let (slot, _) = self.code.slots[signal.index()];
        if let Some(slot) = slot {
            return self.take(slot, s.width);
        }
        match s.value {
            Value::Node(n) => {
                self.walked += 1;
                self.node(n)
            }
            Value::Memory(_) => Bits::zero(s.width),
        }
    }

    fn peek_u64(&mut self, signal: SignalId) -> u64 {
        match self.code.slots[signal.index()] {
            (Some(slot), mask) => self.state.masked(slot, mask),
            (None, _) => self.peek(signal).to_u64(),
        }
    }

    fn peek_many(&mut self, signals: &[SignalId], out: &mut [u64]) {
        for (value, &signal) in out.iter_mut().zip(signals) {
            *value = self.peek_u64(signal);
        }
    }

    fn peek_memory(&self, memory: MemId, word: u32) -> Bits {
        let m = &self.code.plan.graph.memories[memory.index()];
        self.take_word(self.code.plan.layout.memories[memory.index()], m.width, word.min(m.depth))
    }

    fn poke_memory(&mut self, memory: MemId, word: u32, value: &Bits) {
        let m = &self.code.plan.graph.memories[memory.index()];
        if word < m.depth {
            let width = m.width;
            self.put_word(self.code.plan.layout.memories[memory.index()], width, word, &value.zext(width));
            self.all_dirty();
        }
    }

    fn poke_register(&mut self, register: RegId, value: &Bits) {
        let (r, width) = (register.index(), self.code.plan.graph.registers[register.index()].width);
        let value = value.zext(width);
        self.put(self.code.registers[r], width, &value);
        self.put(self.code.plan.next_slots[r], width, &value);
        self.all_dirty();
    }

    fn save(&self) -> State {
        let plan = &self.code.plan;
        let mut words = Vec::new();
        let mut push = |slot: Option<Offset>, width: u32| match (slot, width) {
            (None, _) => words.push(0),
            (Some(slot), 1..=64) => words.push(self.state.get(slot, bytes_of(width))),
            (Some(slot), _) => words.extend((0..limbs_of(width) as u32).map(|i| self.state.word(slot.word(i)))),
        };
        for (r, &slot) in plan.graph.registers.iter().zip(&self.code.registers) {
            push(slot, r.width);
        }
        for i in &self.code.inputs {
            push(Some(i.slot), i.width);
        }
        for (m, &base) in plan.graph.memories.iter().zip(&plan.layout.memories) {
            let bytes = word_bytes(m.width) * m.depth;
            words.extend((0..bytes.div_ceil(8)).map(|i| self.state.word(base.word(i))));
        }
        words.extend(self.seen.iter().map(|&level| u64::from(level)));
        State { words }
    }

    fn load(&mut self, state: &State) {
        let Self { code, state: memory, seen, .. } = self;
        let plan = &code.plan;
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
        for (i, r) in plan.graph.registers.iter().enumerate() {
            pull([code.registers[i], plan.next_slots[i]], r.width);
        }
        for i in &code.inputs {
            pull([Some(i.slot), None], i.width);
        }
        for (m, &base) in plan.graph.memories.iter().zip(&plan.layout.memories) {
            let bytes = word_bytes(m.width) * m.depth;
            for i in 0..bytes.div_ceil(8) {
                let word = next();
                if bytes - 8 * i >= 8 {
                    memory.set_word(base.word(i), word);
                } else {
                    memory.set(base.word(i), 4, word);
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
        drain::changed(&self.code.plan, &self.places, &mut self.state, all, |_, place| f(place.number as usize));
    }

    fn drain_changes(&mut self, out: &mut Vec<u64>) {
        let all = std::mem::take(&mut self.first_changes);
        let append = |state: &Memory, place| drain::append(state, place, out);
        drain::changed(&self.code.plan, &self.places, &mut self.state, all, append);
    }

    fn observe(&mut self, i: usize, limbs: &mut Vec<u64>) {
        let signal = self.observed[i];
        let width = self.code.plan.graph.signals[signal.index()].width;
        limbs.clear();
        if width <= 64 {
            limbs.push(self.peek_u64(signal));
        } else {
            limbs.extend_from_slice(self.peek(signal).limbs());
        }
    }

    fn statistics(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("regions", self.code.plan.regions.len() as f64),
            ("items", self.code.plan.items.len() as f64),
            ("packs", self.code.plan.items.iter().filter(|i| matches!(i.kind, Kind::Pack(_))).count() as f64),
            ("code_bytes", self.code.code_bytes as f64),
            ("state_bytes", f64::from(self.code.plan.layout.bytes)),
            ("walked_reads", self.walked as f64),
        ]
    }
}
