//! What an executed instruction did: the record that lockstep compares with the RTL's retire port.

use quadlock_isa::abi::LANES;
use quadlock_isa::{AtomicOp, Undefined};

use crate::semaphores::{Message, ProtocolError};

/// Why an instruction trapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // The message of each variant says what it and its fields mean.
pub enum Trap {
    #[error("{0} is not built into this machine")]
    NotBuilt(&'static str),
    #[error("{0} is not built into this core: it has no function unit")]
    NoFunctionUnit(&'static str),
    #[error("undefined encoding: {0}")]
    Undefined(Undefined),
    #[error("program counter {0} is outside the program")]
    OutsideProgram(u16),
}

/// A trap that has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrapRecord {
    /// Global number of the warp unit.
    pub unit: usize,
    /// Warp slot.
    pub warp: usize,
    /// Counter of the instruction.
    pub pc: u16,
    /// Active lanes, one bit each; they end.
    pub mask: u8,
    /// Why.
    pub trap: Trap,
}

/// One executed warp instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// Global number of the warp unit.
    pub unit: usize,
    /// Warp slot.
    pub warp: usize,
    /// Instructions issued by this warp slot before this one, over all launches.
    pub order: u64,
    /// The same modulo 256: more than that may be in flight at once.
    pub seq: u8,
    /// Counter of the instruction.
    pub pc: u16,
    /// Active lanes.
    pub mask: u8,
    /// Instruction word; 0 for a counter outside the program.
    pub word: u64,
    /// Why it trapped, if it did.
    pub trap: Option<Trap>,
    /// Every lane's counter afterwards (inactive lanes: unchanged).
    pub next: [u16; LANES],
    /// (first register, number of registers) written in the active lanes.
    pub dest: Option<(u8, u8)>,
    /// `values[lane][register of the group]`, zero for inactive lanes and, of a deferred
    /// instruction, before `complete`.
    pub values: [[u32; 4]; LANES],
    /// A memory or function instruction: its registers are written by `complete`.
    pub deferred: bool,
    /// Late lanes get the kept result of a warp-wide atomic (WW-27): nothing is executed.
    pub stored: bool,
    /// Its access, if it has one.
    pub mem: Option<MemEffect>,
    /// What ACS, ASR or RLS sends.
    pub message: Option<Message>,
}

/// A message that had no effect on any list (SE-25).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtocolRecord {
    /// The message.
    pub message: Message,
    /// Why it had no effect.
    pub error: ProtocolError,
    /// Counter of the instruction that sent it; `None`: the dispatcher did.
    pub pc: Option<u16>,
}

/// Where a program first acquired, or released, a semaphore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Global number of the warp unit.
    pub unit: usize,
    /// Warp slot.
    pub warp: usize,
    /// Counter of the instruction.
    pub pc: u16,
}

/// A thread that ended without releasing semaphores: their lists keep its entries for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreleased {
    /// Global number of the warp unit.
    pub unit: usize,
    /// Warp slot.
    pub warp: usize,
    /// Counter of the instruction that ended it.
    pub pc: u16,
    /// Semaphores in whose lists it still is.
    pub semaphores: Vec<u16>,
}

/// What a memory instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemKind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes, with nothing in between.
    Atomic(AtomicOp),
}

/// The memory side of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemEffect {
    /// Shared storage of the unit, else global memory.
    pub shared: bool,
    /// What it does.
    pub kind: MemKind,
    /// Bytes per lane: 1, 2, 4, 8 or 16.
    pub bytes: u8,
    /// A + imm of each active lane, before alignment and wrapping; 0 for inactive lanes.
    pub addr: [u32; LANES],
    /// Lanes that take part: the active ones, without helpers at stores and atomics.
    pub lanes: u8,
    /// Lanes whose accesses are performed: those that take part; of a warp-wide atomic the lowest
    /// of them, of a late arrival (WW-27) none.
    pub performers: u8,
    /// Atomics: operand b and, of compare-and-exchange, c of each active lane.
    pub operand: [u64; LANES],
    /// Compare-and-exchange: what each active lane expects to find.
    pub compare: [u64; LANES],
    /// Distinct 16-byte lines touched.
    pub lines: u8,
    /// Whether the access has been performed; the fields below are empty before.
    pub performed: bool,
    /// Bytes written, in their final form, sorted by address (wrapped address for shared storage).
    /// Includes bytes outside the memory.
    pub writes: Vec<(u32, u8)>,
    /// Atomics: the value found and the value left by each performing lane.
    pub old: [u64; LANES],
    /// What each performing lane leaves.
    pub new: [u64; LANES],
    /// Lanes that accessed bytes outside the memory.
    pub fault: u8,
}

/// A global access outside the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryFault {
    /// Global number of the warp unit.
    pub unit: usize,
    /// Warp slot.
    pub warp: usize,
    /// Lane, 0 to 3.
    pub lane: usize,
    /// Counter of the instruction.
    pub pc: u16,
    /// Aligned address.
    pub addr: u32,
    /// Bytes of the access.
    pub bytes: u8,
    /// A store or an atomic's write, else a read.
    pub write: bool,
}
