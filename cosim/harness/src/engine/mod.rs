//! What the harness knows about a simulator of the RTL: the core's ports as plain structures, one clock at a time, and the tree of signals
//! for tracing. Nothing outside an engine's own file knows which simulator runs. A cycle's [`Outputs`] are sampled just before the rising
//! edge that ends it, with that cycle's [`Inputs`] applied and all combinational paths settled; a transfer happens in the cycle in which
//! valid and ready are both seen there. An engine is wrong when it samples on the other side of the edge: every handshake would be off by one.

mod notes;
pub mod record;
mod rtl_ports;
pub mod rtlsim;
pub mod rusthdl;

use std::any::Any;
use std::path::Path;

use quadlock_isa::abi::LANES;

use crate::wave::Window;

/// Input ports of the core in one cycle (`docs/machine.md`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// Write of a host register: (address, data).
    pub host: Option<(u16, u32)>,
    pub mem_req_ready: bool,
    /// Response line.
    pub mem_rsp: Option<[u32; 4]>,
}

/// A request at the memory port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryRequest {
    /// Byte address, a multiple of 16.
    pub addr: u32,
    pub write: bool,
    /// Byte enables of a write, bit i for byte i of the line.
    pub mask: u16,
    pub data: [u32; 4],
}

/// What the sticky trap ports name; meaningful while [`Outputs::trapped`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrapPlace {
    pub unit: u8,
    pub warp: u8,
    pub pc: u16,
}

/// A warp was placed into a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchEvent {
    pub unit: u8,
    pub warp: u8,
    pub mask: u8,
    pub group: [u32; 3],
    pub warp_in_group: u8,
    pub group_slot: u8,
    /// Program counter at which the warp starts.
    pub pc: u16,
    /// Acknowledgements that the warp is to get for requests of its thread record.
    pub wait: u8,
}

/// What a message on the bus says (SE-20, SE-22, SE-24).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MessageKind {
    #[default]
    Acquire,
    Release,
    Acknowledge,
    /// Number 3, which no machine may send.
    Undefined,
}

/// A message was transferred to a receiver of the message bus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BusEvent {
    /// Rows first, then the semaphore entity's acquire port, then its release port.
    pub receiver: u8,
    /// Sender: rows first, then the thread dispatcher, then the semaphore entity.
    pub from: u8,
    pub kind: MessageKind,
    pub auto: bool,
    pub suppress: bool,
    /// The dispatcher wants to know when it has had its effect.
    pub notify: bool,
    pub semaphore: u16,
    pub thread: u16,
}

impl BusEvent {
    /// From the words of a message.
    pub fn of(receiver: u8, from: u8, head: u16, body: u32) -> Self {
        let kind = match head & 3 {
            0 => MessageKind::Acquire,
            1 => MessageKind::Release,
            2 => MessageKind::Acknowledge,
            _ => MessageKind::Undefined,
        };
        let bit = |n: u16| head >> n & 1 == 1;
        let (semaphore, thread) = (body as u16, (body >> 16) as u16);
        Self { receiver, from, kind, auto: bit(2), suppress: bit(3), notify: bit(4), semaphore, thread }
    }
}

/// What the semaphore entity did to a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ListOpKind {
    #[default]
    Appended,
    /// The head was removed.
    Removed,
    /// The release status of an entry behind the head was set.
    Marked,
    /// Acquired and released at once, without an entry.
    Passed,
    /// A protocol error (SE-25); the event's entry is the reason.
    Error,
    /// Numbers 5 to 7, which no machine may show.
    Undefined,
}

/// An operation of the semaphore entity on a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListOp {
    pub kind: ListOpKind,
    pub semaphore: u16,
    /// Thread of the entry; of an error, of the message.
    pub thread: u16,
    /// The entry; of an error, its reason: 1 not in the list (or not the owner), 2 released before, 3 no such semaphore.
    pub entry: u16,
}

impl ListOp {
    /// From the values of the event ports.
    pub fn of(kind: u8, semaphore: u16, thread: u16, entry: u16) -> Self {
        let kind = match kind {
            0 => ListOpKind::Appended,
            1 => ListOpKind::Removed,
            2 => ListOpKind::Marked,
            3 => ListOpKind::Passed,
            4 => ListOpKind::Error,
            _ => ListOpKind::Undefined,
        };
        Self { kind, semaphore, thread, entry }
    }
}

/// An instruction left the lane pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetireEvent {
    pub warp: u8,
    pub seq: u8,
    pub mask: u8,
    pub pc: u16,
    /// The instruction word.
    pub word: u64,
    pub trap: bool,
    /// A memory or function instruction, complete with its last completion beat; of a memory instruction `value` holds addresses.
    pub mem: bool,
    pub wen: bool,
    pub dst: u8,
    pub value: [u32; LANES],
    /// Counter of each active lane afterwards.
    pub next: [u16; LANES],
}

/// One beat of the completion of a memory or function instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompletionEvent {
    pub warp: u8,
    pub seq: u8,
    pub mask: u8,
    pub wen: bool,
    pub dst: u8,
    pub value: [u32; LANES],
    pub last: bool,
    /// From the unit's shared pipeline (else the core's global one).
    pub shared: bool,
    /// From the unit's function unit.
    pub function: bool,
}

impl CompletionEvent {
    /// The kept result of a warp-wide atomic, for lanes that come late to it (WW-27): from neither
    /// pipeline.
    pub fn kept(&self) -> bool {
        self.shared && self.function
    }
}

/// A line written in a unit's shared storage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SharedWriteEvent {
    pub addr: u16,
    pub mask: u16,
    pub data: [u32; 4],
}

/// Event ports of one warp unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitOutputs {
    pub retire: Option<RetireEvent>,
    pub completion: Option<CompletionEvent>,
    pub shared_write: Option<SharedWriteEvent>,
    /// An issue slot was used.
    pub issue: bool,
    /// Why it was not, bits as in [`STALL_REASONS`].
    pub stall: u8,
    /// Warp slots that wait for a semaphore, by bit.
    pub waiting: u16,
}

/// Names of the bits of [`UnitOutputs::stall`].
pub const STALL_REASONS: [&str; 5] = ["no_warp", "memory", "fetch", "port_conflict", "semaphore"];

/// Output ports of the core in one cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    pub busy: bool,
    pub trapped: bool,
    pub trap: TrapPlace,
    pub mem_req: Option<MemoryRequest>,
    pub mem_rsp_ready: bool,
    /// Who makes the request at the memory port: the fetch of that unit, 32 + core for its load/store pipeline, 63 the thread dispatcher.
    pub mem_source: Option<u8>,
    pub launch: Option<LaunchEvent>,
    /// Messages transferred in this cycle, at most one per receiver.
    pub bus: Vec<BusEvent>,
    pub list_op: Option<ListOp>,
    /// An acquire waits because no entry of the pool is free (SE-12).
    pub pool_exhausted: bool,
    pub units: Vec<UnitOutputs>,
}

/// A simulator that cannot go on.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{engine}: {message} in cycle {cycle}")]
pub struct EngineError {
    pub engine: &'static str,
    pub cycle: u64,
    pub message: String,
}

/// How the value of a signal is to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignalKind {
    Bits,
    /// All clocks are one clock: a trace writes it once.
    Clock,
    /// Names of the states, by value.
    Enum {
        type_name: String,
        states: Vec<String>,
    },
}

/// Receives the tree of signals: scopes nest, signals come in a fixed order.
pub trait SignalTree {
    fn enter(&mut self, scope: &str);
    fn leave(&mut self);
    fn signal(&mut self, name: &str, width: u32, kind: SignalKind);
}

/// A saved state of an engine; only engines look inside.
pub struct EngineState(pub Box<dyn Any>);

/// A simulator of the core.
pub trait Engine {
    fn name(&self) -> &'static str;

    /// Begins a clock cycle: applies its inputs and settles every path. What is returned is what the rising edge at the end of the cycle sees.
    ///
    /// # Errors
    /// The simulator cannot compute the cycle (no convergence).
    fn settle(&mut self, inputs: &Inputs) -> Result<&Outputs, EngineError>;

    /// What the last [`Engine::settle`] returned.
    fn outputs(&self) -> &Outputs;

    /// Ends the cycle: the rising edge of the clock.
    ///
    /// # Errors
    /// As [`Engine::settle`].
    fn tick(&mut self) -> Result<(), EngineError>;

    /// Describes every signal, in the order of [`Engine::sample`]'s indices, counted from 0; last in the top scope the lists of the semaphores ([`crate::list_view`]), the cycle and its events ([`crate::event_view`]).
    fn describe(&self, tree: &mut dyn SignalTree);

    /// Reads the signals `i` with `wanted[i]`; called between [`Engine::settle`] and [`Engine::tick`], and only if [`Engine::start_trace`] said no.
    fn sample(&self, wanted: &[bool], value: &mut dyn FnMut(usize, u128));

    /// Begins waves that the engine writes itself, in the format that the file's extension names, with `comments` in its header where the format
    /// has such. False: this engine has none; sample its signals.
    ///
    /// # Errors
    /// The file cannot be made, or no signal is in the window's scopes, in words.
    fn start_trace(&mut self, _path: &Path, _window: &Window, _comments: &[String]) -> Result<bool, String> {
        Ok(false)
    }

    /// Ends the waves: until then the file's name has `.part` at its end.
    ///
    /// # Errors
    /// The file cannot be written, in words.
    fn stop_trace(&mut self) -> Result<(), String> {
        Ok(())
    }

    /// The whole state, for [`Engine::restore`]; `None` if the engine cannot.
    fn save(&self) -> Option<EngineState> {
        None
    }

    /// Puts a state back that [`Engine::save`] gave, of an engine of the same kind and configuration.
    ///
    /// # Errors
    /// The state is of another engine, in words.
    fn restore(&mut self, _state: &EngineState) -> Result<(), String> {
        Err(format!("the engine {} cannot go back", self.name()))
    }

    /// Another engine in the same state, whose signals in `window` can be traced; `None` if there is no such.
    ///
    /// # Errors
    /// It cannot be made, in words.
    fn traced_twin(&mut self, _window: &Window) -> Result<Option<Box<dyn Engine>>, String> {
        Ok(None)
    }

    /// Figures of the simulator itself (name, value), for the report.
    fn statistics(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
}
