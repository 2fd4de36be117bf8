//! Two tile buffers and who fills and empties them: colours, depth and stencil of the tiles that
//! are drawn in, and their way from and to memory (docs/graphics-blocks.md, "Tile buffers").
//!
//! There are two banks of memories, and in each up to four slots: eight tiles at most, a *buffer*
//! each. A tile that is asked for gets a buffer and is cleared there, loaded, or loaded again. It
//! is open then. When it is closed and all of its fragments have committed, it may be written to
//! memory, colours and depth, stored or not: the tile may come again. If the pass keeps tiles, that
//! happens when its place is needed, and a tile that is still here is simply open again. At the end
//! of the pass what was never opened is cleared in memory, where the pass clears it. Then
//! [`super::resolve`] makes one sample of several.
//!
//! The memories of a bank are those of blending and of the depth test as long as a tile of it is
//! open, or quads of it are under way. Filling and writing out take the other bank.
//!
//! One job at a time, one line per cycle while memory takes it, a few cycles between two sections
//! (targets, depth) of a job. At most 16 lines are on their way. Every request is answered, a write
//! too, in order; a job ends when all its answers have come, so what a tile wrote is there before
//! it is loaded again. If tiles are not kept, one that is asked for while a buffer still has it
//! waits until that one is written.
//!
//! It can be wrong in whose memory is whose, in the address of a section, and in a count that lets
//! a tile go while a fragment of it is under way; `tests/tile_buffers.rs` compares all memory.

mod manage;
pub mod memories;
mod ports;
pub mod quad_ram;
mod sequence;
mod stream;
mod target;
pub mod tile_ram;
pub mod walk;

use quadlock_hdl_macros::{QuietBlock, StateWord};
use rust_hdl::prelude::*;

use crate::base::stream::StreamIn;
use crate::base::{vector, Fitted, Parameter, Planted};
use crate::cell::blend::QuadAddress;
use crate::cell::{Mul32, Ram};
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::kernel_of;
use crate::memory::LutRam;
use crate::output::resolve::TileResolve;
use crate::ports::{LineDataIn, LineDataOut, LineRequestOut, PassEdgeIn, QuadReadIn, QuadWriteIn, StateWriteIn};
use memories::TileMemories;
use walk::TileWalk;

/// Buffers: slots of two banks. The bank is bit 0 of a buffer's number.
pub const BUFFERS: usize = 8;
/// Most tiles of a target.
pub const TILES: usize = 4096;

/// What a buffer is at.
#[derive(Copy, Clone, Debug, PartialEq, LogicState, StateWord)]
pub enum BufferState {
    /// No tile is in it.
    Free,
    /// Its tile is cleared or loaded.
    Filling,
    /// Its tile is drawn in.
    Open,
    /// No more quads come, unless it is opened again; fragments may be under way.
    Closed,
    /// It is written to memory.
    Storing,
}

/// What is done with a tile.
#[derive(Copy, Clone, Debug, PartialEq, LogicState, StateWord)]
pub enum TileJob {
    /// A buffer gets the tile's contents.
    Fill,
    /// Memory gets them.
    Store,
    /// A tile that was never opened is cleared in memory.
    Sweep,
    /// Samples become one.
    Resolve,
}

/// Where a job stands.
#[derive(Copy, Clone, Debug, PartialEq, LogicState, StateWord)]
pub enum TileStep {
    /// Nothing to do.
    Idle,
    /// The list of opened tiles becomes empty.
    Wipe,
    /// Number of the tile: its row times tiles of a row.
    Index,
    /// First line of the tile: its row of quads times lines of a row.
    Origin,
    /// Whether it was opened.
    Flag,
    /// What is done with a target, or with depth.
    Section,
    /// Its address.
    Base,
    /// Its clear value, first word.
    Low,
    /// Second word.
    High,
    /// Line by line.
    Walk,
    /// What is on its way comes.
    Drain,
    /// Whether a target is to be resolved.
    Target,
    /// Where its samples are.
    From,
    /// Where it goes.
    Into,
    /// It begins.
    Begin,
    /// It is resolved.
    Resolve,
}

/// What is done with the lines of a section.
#[derive(Copy, Clone, Debug, PartialEq, LogicState, StateWord)]
pub enum TileAction {
    /// The clear value into the buffer.
    Clear,
    /// Memory into the buffer.
    Load,
    /// The buffer into memory.
    Store,
    /// The clear value into memory.
    Wipe,
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct TileBuffers {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of the pass; those of states are of no concern here.
    pub state: StateWriteIn,
    /// A pass begins or ends.
    pub pass_ports: PassEdgeIn,
    /// The pass is in memory.
    pub done: Signal<Out, bool>,
    /// Request to open a tile.
    pub open_valid: Signal<In, bool>,
    /// The request is taken in this cycle if valid.
    pub open_ready: Signal<Out, bool>,
    /// Its column, in tiles.
    pub open_x: Signal<In, Bits<9>>,
    /// Its row.
    pub open_y: Signal<In, Bits<9>>,
    /// The tile requested last is in a buffer.
    pub opened: Signal<Out, bool>,
    /// Number of that buffer.
    pub opened_buffer: Signal<Out, Bits<3>>,
    /// The rasteriser has given all quads of a tile.
    pub close: Signal<In, bool>,
    /// Its buffer.
    pub close_buffer: Signal<In, Bits<3>>,
    /// Buffers of which quads are between rasteriser and collector.
    pub waiting: Signal<In, Bits<8>>,
    /// A quad gets a ticket.
    pub enter: Signal<In, bool>,
    /// Its buffer.
    pub enter_buffer: Signal<In, Bits<3>>,
    /// A quad has committed.
    pub leave: Signal<In, bool>,
    /// Its buffer.
    pub leave_buffer: Signal<In, Bits<3>>,
    /// Blending reads.
    pub colour_read: QuadReadIn,
    /// What stood there a cycle ago.
    pub colour_line: LineDataOut,
    /// Blending writes.
    pub colour_write: QuadWriteIn,
    /// The depth test reads.
    pub depth_read: QuadReadIn,
    /// What stood there a cycle ago.
    pub depth_line: LineDataOut,
    /// The depth test writes.
    pub depth_write: QuadWriteIn,
    /// Request for a line.
    pub m_req: LineRequestOut,
    /// The answer to the oldest request comes, of a write too.
    pub m_rsp: StreamIn<LineDataIn>,
    /// Event: a tile was written to memory.
    pub tile_written: Signal<Out, bool>,
    /// Event: a tile is loaded again.
    pub tile_reloaded: Signal<Out, bool>,
    /// Event: a line is requested from memory.
    pub line_moved: Signal<Out, bool>,
    /// What it is: 0 colours loaded, 1 stored, 2 depth loaded, 3 stored, 4 colours cleared in
    /// memory, 5 depth, 6 samples loaded to resolve, 7 what is resolved stored.
    pub line_kind: Signal<Out, Bits<3>>,
    /// Event: a line is cleared or requested, a word of marks is cleared, or a section begins. A
    /// job has a bounded number of these.
    pub works: Signal<Out, bool>,

    // The pass.
    pass: Ram,
    width: DFF<Bits<13>>,
    height: DFF<Bits<13>>,
    samples: DFF<Bits<2>>,
    side: DFF<Bits<3>>,
    targets: DFF<Bits<3>>,
    has_depth: DFF<bool>,
    /// Log2 of the slots of a bank.
    slots: DFF<Bits<2>>,
    /// Tiles stay until their place is needed.
    keeps: DFF<bool>,
    row_lines: DFF<Bits<28>>,
    plane_lines: DFF<Bits<28>>,
    target: Vec<DFF<Bits<7>>>,
    depth: DFF<Bits<7>>,
    /// Quads of the tile's side less one.
    side_quads: Signal<Local, Bits<4>>,
    /// Tiles of a row, and rows of tiles. Registers in front of the multiplier: nothing is asked
    /// for in the cycle after the pass's words.
    tiles_x: DFF<Bits<10>>,
    tiles_y: DFF<Bits<10>>,
    round_up: Signal<Local, Bits<13>>,
    wide_x: Signal<Local, Bits<13>>,
    wide_y: Signal<Local, Bits<13>>,
    even_x: Signal<Local, Bits<13>>,
    even_y: Signal<Local, Bits<13>>,
    quads_x: Signal<Local, Bits<12>>,
    quads_y: Signal<Local, Bits<12>>,

    // Buffers.
    buffer_state: Vec<DFF<BufferState>>,
    tile_x: Vec<DFF<Bits<9>>>,
    tile_y: Vec<DFF<Bits<9>>>,
    count: Vec<DFF<Bits<7>>>,
    /// The buffer has what memory has not.
    dirty: Vec<DFF<bool>>,
    /// It was opened since the bank's marks were wiped.
    recent: Vec<DFF<bool>>,
    /// Slot that goes if all are in use, of each bank.
    turn: Vec<DFF<Bits<2>>>,
    last_bank: DFF<bool>,
    wanted: DFF<bool>,
    wanted_x: DFF<Bits<9>>,
    wanted_y: DFF<Bits<9>>,
    beginning: DFF<bool>,
    ending: DFF<bool>,
    /// Slots that there are.
    in_range: Signal<Local, Bits<4>>,
    /// Of each bank: a tile is open or quads are under way, a slot is free, one was not used
    /// lately.
    busy: Vec<Signal<Local, bool>>,
    has_free: Vec<Signal<Local, bool>>,
    has_old: Vec<Signal<Local, bool>>,
    /// Slot that would be taken.
    victim: Vec<Signal<Local, Bits<2>>>,
    /// By buffer: its tile is open or quads are under way; a quad of it comes; a quad of it is
    /// done.
    active: Vec<Signal<Local, bool>>,
    enters: Vec<Signal<Local, bool>>,
    leaves: Vec<Signal<Local, bool>>,
    /// Buffers that are closed, and not in memory.
    closed: Signal<Local, Bits<8>>,
    quiet: Signal<Local, Bits<8>>,
    storable: Signal<Local, Bits<8>>,
    /// Buffers of bank 1.
    odd: Signal<Local, Bits<8>>,
    can_store: Signal<Local, bool>,
    store_which: Signal<Local, Bits<3>>,
    /// The tile that is asked for is here.
    hit: Signal<Local, bool>,
    hit_which: Signal<Local, Bits<3>>,
    /// A bank can take a tile, in that slot, which has a tile that memory has not.
    can_take: Signal<Local, bool>,
    take_bank: Signal<Local, bool>,
    take_which: Signal<Local, Bits<3>>,
    take_stores: Signal<Local, bool>,
    /// What the next job is for.
    fills: Signal<Local, bool>,
    stores: Signal<Local, bool>,
    next_buffer: Signal<Local, Bits<3>>,
    engine: Signal<Local, bool>,

    // The job.
    step: DFF<TileStep>,
    job: DFF<TileJob>,
    action: DFF<TileAction>,
    buffer: DFF<Bits<3>>,
    x: DFF<Bits<9>>,
    y: DFF<Bits<9>>,
    section: DFF<Bits<3>>,
    index: DFF<Bits<5>>,
    was_opened: DFF<bool>,
    number: DFF<Bits<12>>,
    product: DFF<Bits<28>>,
    origin: DFF<Bits<28>>,
    base: DFF<Bits<28>>,
    low: DFF<Bits<32>>,
    high: DFF<Bits<32>>,
    columns: DFF<Bits<4>>,
    rows: DFF<Bits<4>>,
    wipe: DFF<Bits<12>>,
    opened_tiles: Ram,
    multiply: Mul32,
    quad_x: Signal<Local, Bits<12>>,
    quad_y: Signal<Local, Bits<12>>,
    rest_x: Signal<Local, Bits<12>>,
    rest_y: Signal<Local, Bits<12>>,
    is_open: Signal<Local, bool>,
    flags: Signal<Local, Bits<7>>,
    is_depth: Signal<Local, bool>,
    present: Signal<Local, bool>,
    wide: Signal<Local, bool>,
    skips: Signal<Local, bool>,
    next_action: Signal<Local, TileAction>,
    planes: Signal<Local, Bits<4>>,
    last_tile: Signal<Local, bool>,
    row_ends: Signal<Local, bool>,
    tile_number: Signal<Local, Bits<12>>,
    row_number: Signal<Local, Bits<12>>,
    tile_bit: Signal<Local, Bits<32>>,
    clear_row: Signal<Local, Bits<12>>,
    tile_ends: Signal<Local, bool>,
    opened_r: DFF<bool>,
    done_r: DFF<bool>,
    written_r: DFF<bool>,
    reloaded_r: DFF<bool>,
    wipe_last: Parameter<12>,

    // Lines.
    walk: TileWalk,
    place: QuadAddress,
    places: LutRam,
    head: DFF<Bits<5>>,
    tail: DFF<Bits<5>>,
    enable: Signal<Local, bool>,
    moves: Signal<Local, bool>,
    asks: Signal<Local, bool>,
    room: Signal<Local, bool>,
    used: Signal<Local, Bits<5>>,
    second: Signal<Local, bool>,
    word_of_plane: Signal<Local, Bits<3>>,
    valid_b: DFF<bool>,
    write_b: DFF<bool>,
    stored_b: DFF<bool>,
    line_b: DFF<Bits<28>>,
    address_b: DFF<Bits<10>>,
    clear_b: DFF<Bits<32>>,
    valid_c: DFF<bool>,
    write_c: DFF<bool>,
    line_c: DFF<Bits<28>>,
    mask_c: DFF<Bits<16>>,
    data_c: Vec<DFF<Bits<32>>>,
    kind_c: DFF<Bits<3>>,
    /// Kind of the line without and with depth: bit 0: it is stored.
    job_kind: Signal<Local, Bits<3>>,
    kind: Signal<Local, Bits<3>>,
    bytes: Signal<Local, Bits<4>>,
    mask: Signal<Local, Bits<16>>,
    rsp_valid: DFF<bool>,
    rsp_data: Vec<DFF<Bits<32>>>,
    clear_word: Signal<Local, Bits<32>>,
    keep: Signal<Local, Bits<32>>,
    fill_word: Signal<Local, Bits<32>>,
    take: Signal<Local, Bits<32>>,

    memories: TileMemories,
    resolve: Fitted<TileResolve>,
    resolving: Signal<Local, bool>,
    /// The target is resolved, or there is nothing to resolve.
    resolved: Signal<Local, bool>,
    fault_tile_count: Planted,
    fault_tile_reload: Planted,
    fault_tile_edge: Planted,
    fault_tile_plane: Planted,
    fault_tile_stencil: Planted,
    fault_tile_sweep: Planted,
    fault_tile_same: Planted,
    fault_tile_room: Planted,
    fault_tile_stall: Planted,
    _active: bool,
}

impl TileBuffers {
    /// Planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            pass: Ram::new(64),
            target: vector(4),
            buffer_state: vector(BUFFERS),
            tile_x: vector(BUFFERS),
            tile_y: vector(BUFFERS),
            count: vector(BUFFERS),
            dirty: vector(BUFFERS),
            recent: vector(BUFFERS),
            turn: vector(2),
            active: vector(BUFFERS),
            enters: vector(BUFFERS),
            leaves: vector(BUFFERS),
            busy: vector(2),
            has_free: vector(2),
            has_old: vector(2),
            victim: vector(2),
            opened_tiles: Ram::new(TILES / 32),
            wipe_last: Parameter::new(TILES as u64 / 32 - 1),
            walk: TileWalk::new(),
            data_c: vector(4),
            rsp_data: vector(4),
            memories: TileMemories::new(),
            resolve: Fitted::new(TileResolve::new(config), config.max_samples > 1),
            fault_tile_count: Planted::new(config.has(Fault::TileCount)),
            fault_tile_reload: Planted::new(config.has(Fault::TileReload)),
            fault_tile_edge: Planted::new(config.has(Fault::TileEdge)),
            fault_tile_plane: Planted::new(config.has(Fault::TilePlane)),
            fault_tile_stencil: Planted::new(config.has(Fault::TileStencil)),
            fault_tile_sweep: Planted::new(config.has(Fault::TileSweep)),
            fault_tile_same: Planted::new(config.has(Fault::TileSame)),
            fault_tile_room: Planted::new(config.has(Fault::TileRoom)),
            fault_tile_stall: Planted::new(config.has(Fault::TileStall)),
            _active: true,
            ..Default::default()
        }
    }
}

kernel_of! { TileBuffers:
    /// Clocks, and registers that keep what they have.
    Registers,
    /// Words of the pass, and what follows from them.
    Pass,
    /// A request waits here until its tile is in a buffer.
    Requests,
    /// Each buffer counts its quads, closes on request, and may hold the wanted tile.
    BufferStates,
    /// A closed buffer can be written if nothing is drawn in its bank.
    Storable,
    /// Each bank has a free slot, else one not used lately, else one in turn.
    Victims,
    /// A tile takes a quiet bank: one with a free slot, else the banks in turn.
    BankChoice,
    /// The tile's first quad is calculated, and the quads left to the target's edge.
    Extent,
    /// A section is a target or depth, with its flags and planes.
    Sections,
    /// The job and the flags decide what is done, or that nothing is.
    SectionAction,
    /// The walk makes a step if there is room for its request.
    WalkStep,
    /// A mask says which bytes are written, and which bits of a fill are cleared.
    ByteMask,
    /// A request goes through two stages, and the ring keeps its word's place.
    LineStages,
    /// The request of the walk or of the resolver stands at the memory port.
    LinePort,
    /// Answers fill the words that the ring names.
    LineAnswers,
    /// An output reports for one cycle what a job has done.
    Reports,
    /// An idle engine takes its next job by fixed priority.
    JobChoice,
    /// A store or a fill begins with its buffer and its tile.
    JobStart,
    /// The job's steps.
    Sequence,
    /// Who has which memory.
    Memories,
}
