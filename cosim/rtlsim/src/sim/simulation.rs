//! A running design: handles, reading and writing of values, snapshots. Time is in `time.rs`, waves
//! in `waves.rs`.
//!
//! Values are settled when they are read, not when they are written: a write marks the simulation,
//! and the next read, edge or [`Simulation::settle`] computes. That is why reads take `&mut self`.
//! A value wider than its target is refused by name and loses its top bits by handle (the fast
//! path).

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::clocks::Clocks;
use super::ports::Ports;
use crate::backend::{Backend, State};
use crate::design::Design;
use crate::graph::{Graph, InputId, MemId, NodeId, Op, RegId, SignalId, SignalKind, Value};
use crate::interp::Interpreter;
use crate::jit::{Jit, KeptCode};
use crate::kept::{decode, encode, Packed, Place, Stored};
use crate::passes::{optimize, PassOptions};
use crate::trace::Tracer;
use crate::{Bits, Engine, Error, Options};

/// A signal that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SignalHandle {
    id: SignalId,
    width: u32,
}

/// An input of the top module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InputHandle {
    pub(super) id: InputId,
    width: u32,
}

/// A register, for overwriting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegisterHandle {
    id: RegId,
    width: u32,
}

/// A memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryHandle {
    id: MemId,
    width: u32,
    depth: u32,
}

impl SignalHandle {
    /// In bits.
    pub fn width(self) -> u32 {
        self.width
    }

    /// Its id in the design.
    pub fn id(self) -> SignalId {
        self.id
    }
}

impl InputHandle {
    /// In bits.
    pub fn width(self) -> u32 {
        self.width
    }
}

impl RegisterHandle {
    /// In bits.
    pub fn width(self) -> u32 {
        self.width
    }
}

impl MemoryHandle {
    /// Of a word, in bits.
    pub fn width(self) -> u32 {
        self.width
    }

    /// Number of words.
    pub fn depth(self) -> u32 {
        self.depth
    }
}

/// The state at a moment, and the number of the cycle. Fits simulations of the same design with the
/// same options.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    fingerprint: u64,
    cycle: u64,
    clocks: Vec<bool>,
    state: State,
}

impl Snapshot {
    /// The cycle it was taken in.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }
}

/// A running design.
///
/// ```
#[doc = include_str!("../../examples/counter.rs")]
/// ```
pub struct Simulation {
    pub(super) design: Design,
    /// As optimised; signals have the same ids as in the design.
    pub(super) graph: Arc<Stored<Graph>>,
    pub(super) backend: Box<dyn Backend>,
    pub(super) clocks: Clocks,
    pub(super) ports: Ports,
    /// Something was written since the last settle.
    pub(super) dirty: bool,
    /// A settle found asynchronous edges without end: the next step says so.
    pub(super) restless: bool,
    pub(super) cycle: u64,
    pub(super) tracer: Option<Tracer>,
    fingerprint: u64,
}

/// What is kept of a compiled design.
#[derive(Serialize, Deserialize)]
struct Kept {
    clocks: Clocks,
    ports: Ports,
    fingerprint: u64,
    code: KeptCode,
    /// As optimised.
    graph: Packed,
}

/// The kind of the files of compiled designs.
const CODE: &str = "code";

/// Where the code of a design with these options is kept.
fn code_place(design: &Place, options: &Options) -> Result<Place, Error> {
    // Every field is in what `Debug` prints.
    Ok(design.inside("options", format!("{options:?}")).inside("target", Jit::target(options)?))
}

/// Distinguishes designs and options whose states do not fit each other.
fn fingerprint(graph: &Graph, options: &Options) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{options:?}").hash(&mut hasher);
    for r in &graph.registers {
        (&r.name, r.width).hash(&mut hasher);
    }
    for m in &graph.memories {
        (&m.name, m.width, m.depth).hash(&mut hasher);
    }
    for i in &graph.inputs {
        (&i.name, i.width).hash(&mut hasher);
    }
    hasher.finish()
}

type Made = (Box<dyn Backend>, Option<KeptCode>);

fn make_backend(graph: &Arc<Stored<Graph>>, options: &Options, place: Option<Place>) -> Result<Made, Error> {
    Ok(match options.engine {
        Engine::Interpreted => (Box::new(Interpreter::new(graph, options)?), None),
        Engine::Compiled => {
            let (jit, code) = Jit::compile(graph, options, place)?;
            (Box::new(jit), code)
        }
    })
}

impl Design {
    /// Makes a simulation of it, in its start state at cycle 0.
    ///
    /// # Errors
    /// [`Error::Loop`] for a combinational loop, [`Error::Internal`] for a bug of this crate.
    pub fn compile(&self, options: &Options) -> Result<Simulation, Error> {
        Simulation::new(self, options)
    }
}

impl Simulation {
    fn new(design: &Design, options: &Options) -> Result<Self, Error> {
        // The interpreter is no code that could be kept.
        let place = design.place().filter(|_| options.engine == Engine::Compiled);
        let place = place.map(|p| code_place(p, options)).transpose()?;
        if let Some(simulation) = place.as_ref().and_then(|p| Self::from_kept(design, options, p)) {
            return Ok(simulation);
        }
        let mut graph = design.graph().clone();
        if options.optimize {
            optimize(&mut graph, &PassOptions::default());
        }
        let graph = Arc::new(Stored::new(graph));
        let (backend, code) = make_backend(&graph, options, place.clone())?;
        let (clocks, ports) = (Clocks::new(&graph, &*backend), Ports::new(&graph));
        let fingerprint = fingerprint(&graph, options);
        let made = Self::of(design, graph, backend, clocks, ports, fingerprint);
        if let (Some(place), Some(code)) = (place, code) {
            let kept = Kept {
                clocks: made.clocks.clone(),
                ports: made.ports.clone(),
                fingerprint: made.fingerprint,
                code,
                graph: Packed::of(&encode(&**made.graph)),
            };
            place.keep(CODE, &encode(&kept));
        }
        Ok(made)
    }

    /// The simulation that is kept in that place, if it is.
    fn from_kept(design: &Design, options: &Options, place: &Place) -> Option<Self> {
        let kept: Kept = decode(&place.load(CODE)?)?;
        let graph = Arc::new(Stored::packed(kept.graph));
        let backend = Jit::from_kept(&graph, options, &kept.code, place.clone())?;
        Some(Self::of(design, graph, Box::new(backend), kept.clocks, kept.ports, kept.fingerprint))
    }

    fn of(
        design: &Design,
        graph: Arc<Stored<Graph>>,
        mut backend: Box<dyn Backend>,
        mut clocks: Clocks,
        ports: Ports,
        fingerprint: u64,
    ) -> Self {
        let restless = !backend.settle();
        clocks.look(&*backend);
        let design = design.clone();
        Self { design, graph, backend, clocks, ports, dirty: false, restless, cycle: 0, tracer: None, fingerprint }
    }

    /// The design it runs.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// The graph that runs: after optimisation.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Figures of the engine (name, value).
    pub fn statistics(&self) -> Vec<(&'static str, f64)> {
        self.backend.statistics()
    }

    fn node(&self, path: &str) -> Result<(SignalId, NodeId), Error> {
        let id = self.design.find(path)?.id();
        match self.graph.signals[id.index()].value {
            Value::Node(node) => Ok((id, node)),
            Value::Memory(_) => Err(Error::Name(format!("{path} is a memory: read its words with peek_word"))),
        }
    }

    /// Handle of a signal that is not a memory, by its path (the top module's name may be left
    /// out).
    ///
    /// # Errors
    /// [`Error::Name`] for an unknown name (with like names) and for a memory.
    pub fn signal(&self, path: &str) -> Result<SignalHandle, Error> {
        if let Some(port) = self.ports.signal(path) {
            return Ok(SignalHandle { id: port.id, width: port.width });
        }
        let (id, _) = self.node(path)?;
        Ok(SignalHandle { id, width: self.graph.signals[id.index()].width })
    }

    /// The value of a signal that is a constant of the compiled design, if it is one and has at
    /// most 64 bits.
    pub fn constant(&self, signal: SignalHandle) -> Option<u64> {
        if let Some(constant) = self.ports.constant(signal.id) {
            return constant;
        }
        match self.graph.signals[signal.id.index()].value {
            Value::Node(node) => self.graph.as_const(node).and_then(Bits::small),
            Value::Memory(_) => None,
        }
    }

    /// Handle of an input of the top module.
    ///
    /// # Errors
    /// [`Error::Name`] if there is no such input.
    pub fn input(&self, name: &str) -> Result<InputHandle, Error> {
        let inputs = &self.ports.inputs;
        let short = self.ports.below_top(name);
        match inputs.iter().position(|i| i.0 == short) {
            Some(i) => Ok(InputHandle { id: InputId(i as u32), width: inputs[i].1 }),
            None => {
                let known: Vec<&str> = inputs.iter().map(|i| i.0.as_str()).collect();
                Err(Error::Name(format!("no input {name} of the top module; its inputs are {}", known.join(", "))))
            }
        }
    }

    /// Handle of a register, by the path of a signal that is one.
    ///
    /// # Errors
    /// [`Error::Name`] if the name is unknown or not a register (an optimised design has fewer:
    /// compile without passes to reach all).
    pub fn register(&self, path: &str) -> Result<RegisterHandle, Error> {
        let (_, node) = self.node(path)?;
        match self.graph.node(node).op {
            Op::Reg(id) => Ok(RegisterHandle { id, width: self.graph.width(node) }),
            _ => Err(Error::Name(format!(
                "{path} is not a register of the compiled design: poke an input, or compile with optimize(false)"
            ))),
        }
    }

    /// Handle of a memory.
    ///
    /// # Errors
    /// [`Error::Name`] if the name is unknown or not a memory.
    pub fn memory(&self, path: &str) -> Result<MemoryHandle, Error> {
        let id = self.design.find(path)?.id();
        match self.graph.signals[id.index()].value {
            Value::Memory(id) => {
                let m = &self.graph.memories[id.index()];
                Ok(MemoryHandle { id, width: m.width, depth: m.depth })
            }
            Value::Node(_) => Err(Error::Name(format!("{path} is not a memory: read it with peek"))),
        }
    }

    /// Sets an input to the low bits of `value`.
    pub fn poke(&mut self, input: InputHandle, value: u64) {
        self.backend.set_input(input.id, value);
        self.dirty = true;
    }

    /// Sets an input of any width; truncated or zero-extended.
    pub fn poke_bits(&mut self, input: InputHandle, value: &Bits) {
        self.backend.set_input_wide(input.id, &value.zext(input.width));
        self.dirty = true;
    }

    /// The low 64 bits of a signal.
    pub fn peek(&mut self, signal: SignalHandle) -> u64 {
        self.settle();
        self.backend.peek_u64(signal.id)
    }

    /// The low 64 bits of each of `signals` into `values`, which must be as long: quicker than one
    /// by one.
    pub fn peek_many(&mut self, signals: &[SignalId], values: &mut [u64]) {
        self.settle();
        self.backend.peek_many(signals, values);
    }

    /// A signal, whole.
    pub fn peek_bits(&mut self, signal: SignalHandle) -> Bits {
        self.settle();
        self.backend.peek(signal.id)
    }

    /// Sets an input by name.
    ///
    /// # Errors
    /// [`Error::Name`] for an unknown name, a name that is no input, or a value with more bits than
    /// the input.
    pub fn set(&mut self, name: &str, value: u64) -> Result<(), Error> {
        let input = self.input_for_poke(name)?;
        if input.width < 64 && value >> input.width != 0 {
            return Err(Error::Name(format!("{value} does not fit {name}, which is {} bits wide", input.width)));
        }
        self.poke(input, value);
        Ok(())
    }

    /// Sets an input of any width by name.
    ///
    /// # Errors
    /// As [`Simulation::set`]; the widths must be equal.
    pub fn set_bits(&mut self, name: &str, value: &Bits) -> Result<(), Error> {
        let input = self.input_for_poke(name)?;
        if input.width != value.width() {
            return Err(Error::Name(format!("{value} does not fit {name}, which is {} bits wide", input.width)));
        }
        self.poke_bits(input, value);
        Ok(())
    }

    fn input_for_poke(&self, name: &str) -> Result<InputHandle, Error> {
        self.input(name).map_err(|no_input| match self.design.find(name) {
            Ok(found) if found.kind() != SignalKind::Input || found.scope().parent().is_some() => {
                Error::Name(format!("{name} is not an input of the top module: registers are set with poke_register"))
            }
            _ => no_input,
        })
    }

    /// Reads a signal of up to 64 bits by name.
    ///
    /// # Errors
    /// [`Error::Name`] for an unknown name, a memory, or a wider signal.
    pub fn get(&mut self, path: &str) -> Result<u64, Error> {
        let signal = self.signal(path)?;
        if signal.width > 64 {
            return Err(Error::Name(format!("{path} is {} bits wide: read it with get_bits", signal.width)));
        }
        Ok(self.peek(signal))
    }

    /// Reads a signal of any width by name.
    ///
    /// # Errors
    /// [`Error::Name`] for an unknown name or a memory.
    pub fn get_bits(&mut self, path: &str) -> Result<Bits, Error> {
        let signal = self.signal(path)?;
        Ok(self.peek_bits(signal))
    }

    /// Overwrites a register; truncated or zero-extended.
    pub fn poke_register(&mut self, register: RegisterHandle, value: &Bits) {
        self.backend.poke_register(register.id, &value.zext(register.width));
        self.dirty = true;
    }

    /// A word of a memory; zero outside the depth.
    pub fn peek_word(&self, memory: MemoryHandle, word: u32) -> Bits {
        if word >= memory.depth {
            return Bits::zero(memory.width);
        }
        self.backend.peek_memory(memory.id, word)
    }

    /// Overwrites a word of a memory; nothing outside the depth.
    pub fn poke_word(&mut self, memory: MemoryHandle, word: u32, value: &Bits) {
        if word < memory.depth {
            self.backend.poke_memory(memory.id, word, &value.zext(memory.width));
            self.dirty = true;
        }
    }

    /// Takes over cycle, registers and memories of a simulation of the same design that was
    /// compiled otherwise, for example without tracing. Inputs are to be set anew. Slower than
    /// [`Simulation::restore`], which fits equal options only.
    ///
    /// # Errors
    /// [`Error::Name`] if the two do not have the same registers and memories (compile both with or
    /// without passes), or a register has no name.
    pub fn take_state(&mut self, other: &mut Simulation) -> Result<(), Error> {
        let same = |a: &Graph, b: &Graph| {
            let registers = a.registers.iter().map(|r| (&r.name, r.width));
            let memories = a.memories.iter().map(|m| (&m.name, m.width, m.depth));
            registers.eq(b.registers.iter().map(|r| (&r.name, r.width)))
                && memories.eq(b.memories.iter().map(|m| (&m.name, m.width, m.depth)))
        };
        if !same(&self.graph, &other.graph) {
            return Err(Error::Name("the state is of a simulation with other registers or memories".into()));
        }
        let mut named = vec![None; self.graph.registers.len()];
        for (i, signal) in other.graph.signals.iter().enumerate() {
            if let Value::Node(node) = signal.value {
                if let Op::Reg(r) = other.graph.node(node).op {
                    named[r.index()] = Some(SignalId(i as u32));
                }
            }
        }
        other.settle();
        for (r, signal) in named.iter().enumerate() {
            let Some(signal) = signal else {
                return Err(Error::Name(format!("register {} has no signal", self.graph.registers[r].name)));
            };
            let value = other.backend.peek(*signal);
            self.backend.poke_register(RegId(r as u32), &value);
        }
        for (m, memory) in self.graph.memories.iter().enumerate() {
            for word in 0..memory.depth {
                let value = other.backend.peek_memory(MemId(m as u32), word);
                self.backend.poke_memory(MemId(m as u32), word, &value);
            }
        }
        self.cycle = other.cycle;
        self.clocks.set_levels(other.clocks.levels());
        self.backend.set_levels(&other.backend.levels());
        self.dirty = true;
        Ok(())
    }

    /// The state: a copy of memory.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            fingerprint: self.fingerprint,
            cycle: self.cycle,
            clocks: self.clocks.levels().to_vec(),
            state: self.backend.save(),
        }
    }

    /// Puts a snapshot back, the number of the cycle included. Waves go on from there: samples that
    /// are not later than the last one written are left out.
    ///
    /// # Errors
    /// [`Error::Name`] for a snapshot of another design or of other options.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), Error> {
        if snapshot.fingerprint != self.fingerprint {
            return Err(Error::Name("the snapshot is of another design or of other options".into()));
        }
        self.backend.load(&snapshot.state);
        self.cycle = snapshot.cycle;
        self.clocks.set_levels(&snapshot.clocks);
        self.dirty = true;
        Ok(())
    }

    /// Puts a snapshot back, and the number of the cycle goes on: to begin anew behind what ran
    /// before, in the same waves.
    ///
    /// # Errors
    /// As [`Simulation::restore`].
    pub fn restart(&mut self, snapshot: &Snapshot) -> Result<(), Error> {
        let cycle = self.cycle;
        self.restore(snapshot)?;
        self.cycle = cycle;
        Ok(())
    }
}
