//! The core's ports in one clock cycle as plain structures, whoever simulates it
//! (`docs/machine.md`). A cycle's [`Outputs`] are sampled just before the rising edge that ends it,
//! with that cycle's [`Inputs`] applied and all combinational paths settled. A transfer happens in
//! the cycle in which valid and ready are both seen there. Wrong would be a field that means one
//! thing to an engine and another to a checker: each is defined here alone.

use quadlock_hdl::ports::ListOperation;
pub use quadlock_hdl::ports::{
    AheadEvent, CommitEvent, CullEvent, GraphicsLaunched, MergeEvent, SplitEvent, StageEvent, StateEvent, TileEvent,
    TriangleEvent, WindowEvent, WorkEvent,
};
pub use quadlock_hdl::ports::{
    Completion as CompletionEvent, Launched as LaunchEvent, Retire as RetireEvent, SharedWrite as SharedWriteEvent,
};
use quadlock_isa::abi::LANES;

use super::lanes::mask_of;

/// Lanes that cover something for what the warp itself is launched for. Member 0 of a group that
/// splits runs for all samples of its quad, but stands for one of them.
pub fn own_lanes(launch: &GraphicsLaunched) -> u8 {
    match launch.split {
        0 => launch.covered,
        _ => mask_of((0..LANES).filter(|&k| launch.place[k] >> 26 & 15 != 0)),
    }
}

/// Of a member of a group that splits into pixels: which one of its quad its lanes are samples of.
/// Lanes of one sample have one number.
pub fn pixel_of(launch: &GraphicsLaunched) -> Option<u8> {
    let sample = |k: usize| launch.place[k] >> 24 & 3;
    (launch.split != 0 && sample(0) != sample(1)).then_some((launch.depth[0] >> 24 & 3) as u8)
}

/// Input ports of the core in one cycle (`docs/machine.md`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// Write of a host register: (address, data).
    pub host: Option<(u16, u32)>,
    /// The memory takes a request that is offered in this cycle.
    pub mem_req_ready: bool,
    /// Response line.
    pub mem_rsp: Option<[u32; 4]>,
}

/// A request at the memory port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryRequest {
    /// Byte address, a multiple of 16.
    pub addr: u32,
    /// A write; otherwise a read of the whole line.
    pub write: bool,
    /// Byte enables of a write, bit i for byte i of the line.
    pub mask: u16,
    /// Data of a write, word 0 at the lowest address.
    pub data: [u32; 4],
}

/// What the sticky trap ports name; meaningful while [`Outputs::trapped`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrapPlace {
    /// Number of the unit in the machine.
    pub unit: u8,
    /// Warp slot in the unit.
    pub warp: u8,
    /// Of the instruction that trapped.
    pub pc: u16,
}

/// What a message on the bus says (SE-20, SE-22, SE-24).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// A thread asks for a semaphore.
    #[default]
    Acquire,
    /// A thread gives a semaphore back.
    Release,
    /// The entity tells a thread that it has got what it asked for.
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
    /// What it says.
    pub kind: MessageKind,
    /// Of an acquire: the thread releases as soon as it has got it (auto-release).
    pub auto: bool,
    /// Of an acquire: no acknowledgement is wanted.
    pub suppress: bool,
    /// The dispatcher wants to know when it has had its effect.
    pub notify: bool,
    /// Number of the semaphore.
    pub semaphore: u16,
    /// Number of the thread's slot in the machine.
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
    /// A thread was put at the end.
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
    /// What happened.
    pub kind: ListOpKind,
    /// The list's semaphore.
    pub semaphore: u16,
    /// Thread of the entry; of an error, of the message.
    pub thread: u16,
    /// The entry; of an error, its reason: 1 not in the list (or not the owner), 2 released before,
    /// 3 no such semaphore.
    pub entry: u16,
}

impl ListOp {
    /// From the event port.
    pub fn of(event: &ListOperation) -> Self {
        let ListOperation { kind, sem: semaphore, thread, entry } = *event;
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

/// Event ports of one warp unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitOutputs {
    /// An instruction retired.
    pub retire: Option<RetireEvent>,
    /// A beat of a memory or function instruction completed.
    pub completion: Option<CompletionEvent>,
    /// A line of shared storage was written.
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
    /// A run has not ended.
    pub busy: bool,
    /// An instruction has trapped since the last start.
    pub trapped: bool,
    /// Where; without meaning unless `trapped`.
    pub trap: TrapPlace,
    /// What is offered at the memory port.
    pub mem_req: Option<MemoryRequest>,
    /// The machine takes a response line in this cycle.
    pub mem_rsp_ready: bool,
    /// Who makes the request at the memory port: the fetch of that unit, 32 + core for its
    /// load/store pipeline, [`GRAPHICS`] on of graphics, 63 the thread dispatcher.
    pub mem_source: Option<u8>,
    /// A warp was launched.
    pub launch: Option<LaunchEvent>,
    /// Messages transferred in this cycle, at most one per receiver.
    pub bus: Vec<BusEvent>,
    /// The semaphore entity changed a list.
    pub list_op: Option<ListOp>,
    /// An acquire waits because no entry of the pool is free (SE-12).
    pub pool_exhausted: bool,
    /// By number of the unit in the machine.
    pub units: Vec<UnitOutputs>,
    /// Of a machine with graphics.
    pub graphics: GraphicsOutputs,
}

/// Event ports of graphics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphicsOutputs {
    /// The warp of [`Outputs::launch`] is one of graphics.
    pub launch: Option<GraphicsLaunched>,
    /// What became of a triangle.
    pub triangle: Option<TriangleEvent>,
    /// A sample of a quad goes to blending.
    pub commit: Option<CommitEvent>,
    /// A context has a new state.
    pub state: Option<StateEvent>,
    /// A tile was written or is loaded again.
    pub tile: Option<TileEvent>,
    /// Pairs of warps that have become one, at most one per port.
    pub merges: Vec<MergeEvent>,
    /// Groups whose member 0 has become a warp for each sample, at most one per port.
    pub splits: Vec<SplitEvent>,
    /// What is not drawn, at most one of each who says so.
    pub culls: Vec<CullEvent>,
    /// A window of triangles ends.
    pub window: Option<WindowEvent>,
    /// What the cull pipeline has found of a triangle.
    pub ahead: Option<AheadEvent>,
    /// Who makes a step of long work.
    pub work: Option<WorkEvent>,
    /// What waits for what, while a list is run. It says nothing of progress.
    pub stage: Option<StageEvent>,
}

impl GraphicsOutputs {
    /// Something happened: a machine that does not stand still shows one of these, a message, a
    /// retirement or a transaction every few thousand cycles, if memory answers.
    pub fn any(&self) -> bool {
        let drawn = self.triangle.is_some() || self.commit.is_some() || self.launch.is_some();
        let told = self.tile.is_some() || self.state.is_some() || self.window.is_some() || self.ahead.is_some();
        let merged = !self.merges.is_empty() || !self.splits.is_empty();
        drawn || told || merged || !self.culls.is_empty() || self.work.is_some()
    }
}

/// The replay pipeline skips the triangle: its bit of the visibility record is 0.
pub fn is_skipped(event: &TriangleEvent) -> bool {
    event.what == 7
}

/// The first requester of graphics ([`Outputs::mem_source`]): command streamer, then index fetch,
/// then tile buffers.
pub const GRAPHICS: u8 = 48;

/// The tile buffers among them.
pub const TILES: u8 = GRAPHICS + 2;
/// The client of full binning.
pub const BINS: u8 = GRAPHICS + 5;
/// The client of Hi-Z.
pub const HI_Z: u8 = GRAPHICS + 6;

/// The core whose load/store pipeline has that number at the memory port ([`Outputs::mem_source`]).
pub fn core_of(source: u8) -> Option<usize> {
    (32..GRAPHICS).contains(&source).then(|| usize::from(source) - 32)
}
