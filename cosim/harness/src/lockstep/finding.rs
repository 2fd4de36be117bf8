//! What lockstep finds, as data: which checker, what is wrong, and the fields in which machine and
//! model differ. The words are made in one place, [`crate::report::words`]. Wrong would be a
//! finding that carries less than its words need: there is no text here to fall back on.

use quadlock_golden::semaphores::Message;
use quadlock_golden::{LaunchError, StepError};
use quadlock_isa::AtomicOp;

use super::ownership::Holder;
use crate::machine::ports::{ListOp, ListOpKind, MessageKind, TrapPlace};

/// The concern of lockstep that a checker has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concern {
    Launch,
    Barrier,
    Trap,
    Wait,
    WarpWide,
    Retire,
    Semaphore,
    Memory,
    AtomicOrder,
    EndState,
    // Of a frame.
    Vertex,
    Triangle,
    Quad,
    Coverage,
    Colour,
    Depth,
    Stencil,
    SampleOrder,
    Tile,
    Merge,
    Split,
    Stage,
}

impl Concern {
    /// Those of a frame, in the order of the pipeline.
    pub const OF_FRAMES: [Self; 10] = [
        Self::Vertex,
        Self::Triangle,
        Self::Quad,
        Self::Coverage,
        Self::Colour,
        Self::Depth,
        Self::Stencil,
        Self::SampleOrder,
        Self::Tile,
        Self::Stage,
    ];

    /// The checker's name, as in reports and pages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Launch => "launch",
            Self::Barrier => "barrier",
            Self::Trap => "trap",
            Self::Wait => "wait",
            Self::WarpWide => "warp-wide",
            Self::Retire => "retire",
            Self::Semaphore => "semaphore",
            Self::Memory => "memory",
            Self::AtomicOrder => "atomic-order",
            Self::EndState => "end-state",
            Self::Vertex => "vertex",
            Self::Triangle => "triangle",
            Self::Quad => "quad",
            Self::Coverage => "coverage",
            Self::Colour => "colour",
            Self::Depth => "depth",
            Self::Stencil => "stencil",
            Self::SampleOrder => "sample-order",
            Self::Stage => "stage",
            Self::Tile => "tile",
            Self::Merge => "merge",
            Self::Split => "split",
        }
    }

    /// What the checker compares, in one line, as pages have it.
    pub fn about(self) -> &'static str {
        match self {
            Self::Launch => "each warp of each group or list once, with the right lanes, into a slot that exists",
            Self::Barrier => "lanes at a barrier stay, until the last warp of the group has arrived",
            Self::Trap => "the machine traps exactly where the model does",
            Self::Wait => "a warp that waits for semaphores issues nothing (SE-24, SE-30 to SE-32)",
            Self::WarpWide => "one value to exactly the active lanes, one owner of a lock (WW-22, WW-25, WW-27, WW-33)",
            Self::Retire => "counter, mask, instruction, destination, values and next counters of every retirement",
            Self::Semaphore => "messages on the bus and lists of the semaphore entity (SE-2, SE-10 to SE-25, SE-43)",
            Self::Memory => "writes at the memory port and in shared storage, byte for byte",
            Self::AtomicOrder => {
                "values of atomics and the final memory are those of one order of all stores and atomics"
            }
            Self::Vertex => "of a frame: each vertex of a triangle is shaded, and none that no draw names",
            Self::Triangle => "each triangle in order, culled, clipped or set up as the model's",
            Self::Quad => "each quad shaded once, with the model's state and program (HZ-1)",
            Self::Coverage => "pixels, samples and sides of a quad as it is shaded, and what of it commits",
            Self::Colour => "words of samples as they commit, and of targets in memory",
            Self::Depth => "depth of quads, of samples as they commit, and in memory",
            Self::Stencil => "stencil in memory",
            Self::SampleOrder => "samples of one place commit in order of triangles, and all of them (HZ-2)",
            Self::Tile => "tiles written before the end of their pass, read again only as written, and nowhere else",
            Self::Stage => "what waits and which contexts are in use, by the other events of a cycle",
            Self::Merge => "which warps are pairs, when they merge, and with which lanes (MS-3 to MS-14)",
            Self::Split => "which samples are a group, when it splits, and with which lanes (MS-40)",
            Self::EndState => "every warp has ended, nothing is in flight, and all memory is equal",
        }
    }
}

/// An event that no machine may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Impossible {
    /// Launch into, retirement of or completion for a slot that does not exist.
    Launch {
        unit: u8,
        warp: u8,
    },
    Merge {
        unit: u8,
        warp: u8,
    },
    Split {
        unit: u8,
        warp: u8,
    },
    Retirement {
        unit: usize,
        warp: u8,
    },
    Completion {
        unit: usize,
        warp: u8,
    },
    Acknowledgement {
        semaphore: u16,
        thread: u16,
    },
    RetiresTwice {
        unit: usize,
        warp: u8,
        seq: u8,
    },
    /// Instruction `seq` completes before `oldest`, which is older and in the same pipeline.
    Overtakes {
        unit: usize,
        warp: u8,
        seq: u8,
        oldest: u8,
    },
}

/// What the model cannot follow yet. In the order in which, of two of one cycle and slot, one is
/// said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Held {
    Acknowledgement,
    /// Completed without having retired.
    Completed {
        seq: u8,
    },
    Launch {
        group: [u32; 3],
    },
    /// Sequence number `missing` never retired, `seen` did.
    NeverRetired {
        missing: u8,
        seen: u8,
    },
    Instruction {
        pc: u16,
    },
    /// A merge with the warp in slot `gone`.
    Merge {
        gone: u8,
    },
    /// A split.
    Split,
    /// A transaction of no instruction.
    Transaction {
        write: bool,
        line: u32,
        core: usize,
    },
}

impl Held {
    /// The checker whose finding it is when it is held for too long.
    pub fn concern(self) -> Concern {
        match self {
            Self::Acknowledgement => Concern::Semaphore,
            Self::Transaction { .. } => Concern::Memory,
            Self::Merge { .. } => Concern::Merge,
            Self::Split => Concern::Split,
            Self::Launch { .. } => Concern::Launch,
            Self::Completed { .. } | Self::NeverRetired { .. } | Self::Instruction { .. } => Concern::Retire,
        }
    }
}

/// Something held: since when, and of which slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HeldSince {
    pub cycle: u64,
    pub unit: usize,
    pub warp: usize,
    pub what: Held,
}

/// How a slot's `waiting` is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitShown {
    /// It waits, and is shown as running.
    Running,
    /// It waits for nothing, and is shown as waiting.
    Waiting,
    /// It issues, and is shown as waiting.
    IssuesWaiting,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    // Launch.
    NoUnit {
        unit: u8,
        units: usize,
    },
    NoSlot {
        unit: u8,
        warp: u8,
        row: usize,
        core: usize,
        slots: usize,
    },
    NoFunctionUnit {
        unit: u8,
        row: usize,
        core: usize,
    },
    /// A thread is launched after all of the list: as many.
    AfterAll {
        threads: u64,
    },
    AfterLast,
    OutsideGrid {
        group: [u32; 3],
        grid: [u32; 3],
    },
    OutsideGroup {
        warp: u8,
        per_group: u32,
    },
    LaunchedTwice {
        warp: u8,
        group: [u32; 3],
    },
    GroupSlot {
        slot: u8,
        allowed: u32,
    },
    ThreadDiffers,
    LaunchDiffers,
    ThreadsMissing {
        launched: u64,
        all: u64,
    },
    WarpsMissing {
        launched: u64,
        all: u64,
        first: Option<[u32; 3]>,
    },
    Launch(LaunchError),
    // Barrier.
    WentOnEarly,
    BlockedRetires,
    // Trap.
    TrapsOnOneSide,
    TrapOutputs,
    // Wait.
    Shown {
        unit: usize,
        warp: usize,
        how: WaitShown,
    },
    LaunchedUnacknowledged,
    ExecutesWaiting {
        acknowledgements: u8,
    },
    GoesOnUnacknowledged,
    // Warp-wide operations and locks.
    Delivery,
    Arrival,
    TwoOwners {
        addr: u32,
    },
    NobodysLock {
        addr: u32,
    },
    /// Transactions left unjudged: how many, and of the first the instruction and its number.
    Unjudged {
        count: usize,
        unit: usize,
        warp: usize,
        order: u64,
        number: u32,
    },
    // Retirement and completion.
    RetirementDiffers,
    CompletionDiffers,
    ForeignBeat {
        register: u8,
    },
    DeliveredTwice {
        lane: usize,
        register: u8,
    },
    Step(StepError),
    Impossible(Impossible),
    /// Held for too long; `blocked`: its lanes are at a barrier.
    Held {
        what: Held,
        blocked: bool,
    },
    // Memory.
    BytesDiffer,
    WritesMissing {
        seen: usize,
        expected: usize,
    },
    Locked {
        core: usize,
        line: u32,
        other: usize,
    },
    /// A write that no instruction made; to shared storage of `unit`, else to memory.
    ForeignWrite {
        unit: Option<usize>,
        addr: u32,
        cycle: u64,
    },
    AtomicValue,
    AtomicMemory,
    /// The machine is idle, the model not: where it is, in the model's own listing.
    ModelRuns {
        standing: String,
    },
    EndMemory,
    // Of a frame.
    /// A warp of a context that has no state.
    NoState {
        context: u8,
    },
    /// A warp that is none of graphics.
    NoGraphics,
    WarpStart,
    VertexUnknown,
    VertexMissing,
    /// The cull pipeline shades one of a draw that it must not look at.
    VertexBypassed,
    /// The cull pipeline's position is not that of the vertex.
    PositionDiffers,
    /// The cull pipeline says something of a triangle that no draw has.
    AheadUnknown,
    AheadFate,
    /// A triangle is skipped: of a draw that bypasses the cull pipeline; though that says that it
    /// may be seen; though something of it is seen.
    SkipBypassed,
    SkipVisible,
    SkipWrong,
    TriangleNext,
    TriangleClipped,
    TriangleFate,
    TrianglePieces,
    TrianglesMissing,
    /// It is shaded, and the model does not or has already.
    QuadUnknown,
    QuadMissing,
    /// Something is not drawn that is seen.
    CullWrong {
        kind: u8,
    },
    QuadState,
    QuadPlace,
    QuadDepth,
    /// Of the quad's place the model has no samples left.
    CommitUnknown,
    CommitOrder,
    CommitMissing,
    CommitLanes,
    Colour,
    CommitDepth,
    TileUnwritten {
        line: u32,
    },
    TileStale {
        line: u32,
    },
    TileElsewhere {
        line: u32,
    },
    TargetWord,
    // Merging.
    /// A pair that must not be, and why.
    NoPair {
        why: &'static str,
    },
    /// Lanes of a merge.
    MergedLanes,
    /// A member's partner was never launched.
    PartnerMissing {
        pair: u32,
    },
    /// A member that has stopped at a merge point executes.
    StoppedRetires,
    /// The account of a cycle contradicts another event of it, and how.
    StageSays {
        what: &'static str,
    },
    // Splitting.
    /// A group that must not be, and why.
    NoGroup {
        why: &'static str,
    },
    /// What a warp is in the group of its quad's covered samples.
    GroupMember,
    /// Lanes of a split.
    SplitLanes,
    /// Members of a group were never launched.
    GroupIncomplete {
        launched: u8,
        members: u8,
    },
    /// A group was launched and has not split.
    NeverSplit,
    /// A member executes before the split: it sleeps, or has stopped at its split point.
    UnsplitRetires {
        asleep: bool,
    },
    // Semaphores: the bus.
    NoReceiver {
        receiver: usize,
    },
    ReceiverKind {
        receiver: usize,
        seen: MessageKind,
        takes: MessageKind,
    },
    WrongSender {
        from: u8,
        thread: u16,
        row: usize,
    },
    DispatchersFlags {
        thread: u16,
    },
    DispatcherSends {
        kind: MessageKind,
    },
    NoRequest {
        semaphore: u16,
    },
    RequestDiffers {
        semaphore: u16,
        thread: usize,
    },
    RequestAfterLaunch {
        thread: usize,
        launched: u64,
        semaphore: u16,
    },
    RequestBeforeLaunch {
        semaphore: u16,
        thread: usize,
    },
    ThreadSlot {
        thread: usize,
    },
    LaunchBeforeRequests {
        thread: usize,
        requests: usize,
    },
    NotExecuted {
        thread: u16,
        message: Message,
        cycle: u64,
    },
    NotSent {
        thread: u16,
        message: Message,
        pc: u16,
        cycle: u64,
    },
    RequestsNotSent {
        thread: usize,
        requests: usize,
    },
    RequestsLeft {
        requests: usize,
        semaphore: u16,
    },
    MessageDiffers {
        pc: u16,
    },
    AcknowledgementsWay,
    AcknowledgementsOrder,
    // Semaphores: the lists. The oldest acquire and the next release are (semaphore, thread).
    NoMessage {
        op: ListOp,
        acquire: Option<(u16, u16)>,
        release: Option<(u16, u16)>,
    },
    OperationDiffers,
    EntryOutside {
        entry: u16,
        pool: usize,
    },
    EntryTaken {
        entry: u16,
        semaphore: u16,
        thread: u16,
    },
    EntryNotHead,
    EntryMarked {
        entry: u16,
        thread: u16,
    },
    HalfReleased {
        semaphore: u16,
        thread: u16,
    },
    NoEffect {
        semaphore: u16,
        thread: u16,
        cycle: u64,
    },
    NotAcknowledged {
        semaphore: u16,
        thread: u16,
        cycle: u64,
    },
    PoolNotExhausted {
        used: usize,
        pool: usize,
        waiting: usize,
    },
    EntriesLeft {
        used: usize,
        model: usize,
    },
    ListLeft {
        semaphore: u16,
        entries: usize,
    },
}

/// Name of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    Of(&'static str),
    /// Of a lane; without a name the lane itself.
    Lane(&'static str, usize),
    Register(u8, usize),
    /// A register, lane by lane, compared with the lowest lane.
    AsLowest(u8, usize),
    LanesOf(u8),
    Thread(u64, &'static str),
    Byte(u32),
    Word(u32),
    Atomic {
        op: AtomicOp,
        addr: u32,
        lane: usize,
    },
}

/// Where in a frame something is, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Key {
    /// Numbers of the draw in the list and of the triangle in the frame.
    pub draw: Option<usize>,
    pub triangle: Option<usize>,
    /// Pixel.
    pub x: Option<u32>,
    pub y: Option<u32>,
    pub sample: Option<u32>,
    pub target: Option<u32>,
    /// Of a vertex.
    pub instance: Option<u32>,
    pub index: Option<u32>,
    /// The instruction of the program that gave the value.
    pub pc: Option<u16>,
}

/// Value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Number(u64),
    /// 32 bits, 8 bits, an instruction word; a value of an atomic's width.
    Hex(u32),
    Byte(u8),
    Word(u64),
    Wide(u64),
    Mask(u8),
    Flag(bool),
    Register(u8),
    Cycle(u64),
    CycleOrLater(u64),
    /// What became of a triangle, as of its event.
    Fate(u8),
    /// The same, as the cull pipeline has found it.
    FateAhead(u8),
    Operation(ListOpKind),
    Message(Message),
    /// Of a semaphore to a thread.
    Acknowledgement(u16, u16),
    Trap(TrapPlace),
    Holder(Holder),
    Nobody,
    Nothing,
    NotWritten,
    Blocked,
    Retires,
    /// The kept result of a warp-wide atomic, or its execution.
    Kept(bool),
}

/// A field in which machine and model differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: Name,
    pub expected: Value,
    pub seen: Value,
}

/// What a checker found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub what: What,
    pub fields: Vec<Field>,
    /// Of a frame.
    pub key: Key,
}

/// A finding, or none. Boxed: the good case is the one that happens.
pub type Check = Result<(), Box<Finding>>;

impl Finding {
    pub fn new(what: What) -> Self {
        Self { what, fields: Vec::new(), key: Key::default() }
    }

    /// Adds a field that differs.
    pub fn differ(&mut self, name: Name, expected: Value, seen: Value) {
        self.fields.push(Field { name, expected, seen });
    }

    /// It, as the result of a check.
    ///
    /// # Errors
    /// Always: it is the error.
    pub fn err<T>(what: What) -> Result<T, Box<Self>> {
        Err(Box::new(Self::new(what)))
    }
}

/// Collects differing fields.
#[derive(Debug, Default)]
pub struct Compare {
    fields: Vec<Field>,
}

impl Compare {
    /// Values are made only when they differ: this runs for every retired instruction.
    pub fn field<T: PartialEq + Copy>(&mut self, name: Name, expected: T, seen: T, value: impl Fn(T) -> Value) {
        if expected != seen {
            self.fields.push(Field { name, expected: value(expected), seen: value(seen) });
        }
    }

    pub fn number<T: PartialEq + Copy + Into<u64>>(&mut self, name: &'static str, expected: T, seen: T) {
        self.field(Name::Of(name), expected, seen, |v| Value::Number(v.into()));
    }

    pub fn flag(&mut self, name: &'static str, expected: bool, seen: bool) {
        self.field(Name::Of(name), expected, seen, Value::Flag);
    }

    pub fn hex(&mut self, name: Name, expected: u32, seen: u32) {
        self.field(name, expected, seen, Value::Hex);
    }

    /// # Errors
    /// Fields differ.
    pub fn finish(self, what: What) -> Check {
        if self.fields.is_empty() {
            return Ok(());
        }
        Err(Box::new(Finding { fields: self.fields, ..Finding::new(what) }))
    }
}
