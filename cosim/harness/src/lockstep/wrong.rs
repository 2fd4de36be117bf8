//! What a program did wrong, on which machine and model agree: accesses outside memory, traps,
//! semaphores (SE-25) and owned locks (WW-28); of each kind the first, and how many there were.
//! Data only: [`crate::report::problems`] makes the words and the verdict. Wrong would be to say
//! "first" of what only came first in one unit: the model counts in its own order, the machine in
//! the order of cycles.

use quadlock_golden::semaphores::{Message, ProtocolError};
use quadlock_golden::{Golden, MemoryFault, Misuse, Trap, Unreleased};
use quadlock_isa::Op;

use super::ownership::{Foreign, Ownership};
use crate::machine::launch::Launch;
use crate::machine::ports::ListOp;

/// What a program did wrong, of each kind the first.
#[derive(Clone, Debug, Default)]
pub struct Wrong {
    pub memory_fault: Option<Faults>,
    pub trap: Option<Traps>,
    pub protocol_error: Option<Protocol>,
}

/// What is unusual, and not known to be wrong.
#[derive(Clone, Debug)]
pub enum Warning {
    /// Locks that nobody declared, given back by another warp than took them: how many, and the
    /// first time.
    Foreign(u64, Foreign),
    /// Colours of a frame were not compared, because of that instruction.
    Unordered(u16),
    /// Without a model: the machine's events do not add up.
    Lost,
}

/// Accesses outside memory.
#[derive(Clone, Copy, Debug)]
pub struct Faults {
    /// The model's: how many, and the first one; of a machine's run one to the line that the port
    /// saw first.
    pub model: Option<(u64, MemoryFault)>,
    /// At the memory port.
    pub port: Option<PortFaults>,
}

/// Transactions outside memory at the memory port.
#[derive(Clone, Copy, Debug)]
pub struct PortFaults {
    pub count: usize,
    pub write: bool,
    /// Byte address of the first one.
    pub addr: u32,
    pub cycle: u64,
}

/// Traps.
#[derive(Clone, Copy, Debug)]
pub struct Traps {
    pub count: u64,
    pub unit: usize,
    pub warp: usize,
    pub pc: u16,
    pub by: TrapOf,
}

/// Who says that something trapped.
#[derive(Clone, Copy, Debug)]
pub enum TrapOf {
    Model(Trap),
    /// With the word that it retired with, if that is known.
    Machine(Option<u64>),
}

/// Why a message had no effect.
#[derive(Clone, Copy, Debug)]
pub enum Why {
    Known(ProtocolError),
    /// Not in the list, or not its owner: the machine says no more.
    NotOwner,
}

/// A wrong use of semaphores, owned locks or registers.
#[derive(Clone, Debug)]
pub enum Protocol {
    /// A message without effect. `pc`: of the instruction that sent it; `None`: the dispatcher did,
    /// or it is not known.
    Message { count: u64, message: Message, pc: Option<u16>, why: Why },
    /// An error that the machine showed, of which no instruction is known.
    Machine { count: u64, op: ListOp },
    /// An acquire or a release by an instruction of a semaphore of the job's graph.
    Collision { op: Op, unit: usize, warp: usize, pc: Option<u16>, semaphore: u16 },
    /// Threads that ended without releasing a semaphore.
    Unreleased { count: usize, first: Unreleased },
    /// Owned locks that another warp changed.
    Foreign { count: u64, first: Foreign },
    /// Wrong uses of public and private registers (MS-22, MS-42).
    Registers { count: u64, first: Misuse },
}

impl Traps {
    /// The model's.
    pub fn of_model(golden: &Golden) -> Option<Self> {
        let (traps, count) = golden.traps();
        let t = traps.first()?;
        Some(Self { count, unit: t.unit, warp: t.warp, pc: t.pc, by: TrapOf::Model(t.trap) })
    }
}

/// The model's accesses outside memory: how many and the first; one to the line of `near` before
/// any other.
pub fn faults_of_model(golden: &Golden, near: Option<u32>) -> Option<(u64, MemoryFault)> {
    let (faults, count) = golden.memory_faults();
    let same = near.and_then(|near| faults.iter().find(|f| f.addr / 16 == near / 16));
    same.or(faults.first()).map(|&first| (count, first))
}

impl Protocol {
    /// The first protocol error of the model alone.
    pub fn of_model(golden: &Golden) -> Option<Self> {
        let (errors, count) = golden.protocol_errors();
        let e = errors.first()?;
        Some(Self::Message { count, message: e.message, pc: e.pc, why: Why::Known(e.error) })
    }

    /// An acquire of a semaphore that keeps the graph's dependencies: the thread then waits in a
    /// line for others of the graph, or for itself. Or a release of one that is not
    /// `dependencyDone`'s: a thread that waits for this one then begins too early, which no list of
    /// the machine shows.
    pub fn collision_of_model(launch: &Launch, golden: &Golden) -> Option<Self> {
        let acquired = golden.acquired().iter().map(|(&s, a)| (Op::Acs, s, a));
        let released = golden.released().iter().map(|(&(s, _), a)| (Op::Rls, s, a));
        let (op, semaphore, a) = acquired.chain(released).find(|&(op, s, a)| launch.collides(op, a.pc, s))?;
        Some(Self::Collision { op, unit: a.unit, warp: a.warp, pc: Some(a.pc), semaphore })
    }

    /// Wrong uses of public and private registers.
    pub fn registers(golden: &Golden) -> Option<Self> {
        let (misuses, count) = golden.misuses();
        misuses.first().map(|&first| Self::Registers { count, first })
    }

    /// Owned locks that another warp changed.
    pub fn foreign(locks: &Ownership) -> Option<Self> {
        locks.problem().map(|(count, first)| Self::Foreign { count, first })
    }

    /// Threads that ended without releasing what they had acquired.
    pub fn unreleased(all: &[Unreleased]) -> Option<Self> {
        Some(Self::Unreleased { count: all.len(), first: all.first()?.clone() })
    }
}
