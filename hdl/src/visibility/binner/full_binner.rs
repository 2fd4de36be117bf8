//! Full binning (HZ-10): a window is all triangles of a pass. Triangles with the words of their
//! corners, and the lists of tiles, are in an area of memory that the pass record names. So neither
//! records nor entries nor places on the chip end a window.
//!
//! ```text
//! collect  triangle -> its tiles -> lists: 3 in a line of memory, the rest of a tile on the chip
//!                   -> its package: 5 lines of the triangle, 1 / w and 1 / S, words of corners
//! drain    tile -> list -> package, through a small cache -> record on the chip -> rasteriser
//! ```
//!
//! The two phases exclude each other. A triangle that is collected is asked for at geometry's port
//! for questions, and gives its record back at once. A triangle that is drawn gets a record in
//! [`FullStore`], in each of its tiles another one, with `end` behind its last quad there. So the
//! one who fragments ask is here, and geometry may stand still while a window drains.
//!
//! A window ends when the list waits and all that was drawn is collected. It ends earlier, as a
//! partial render, if its numbers or its area are used up, if a tile finds no place on the chip, or
//! if a run of Hi-Z waits for it. If a triangle's tile finds no place, its other tiles are in the
//! next window, with a package of its own there. Nothing that drains waits for what a later window
//! holds: records, memory's answers and tiles come by themselves.
//!
//! `limit` lines of the area are for packages and lists, less what one triangle may need at most.
//! Tiles come in the order in which they were touched first, a tile's triangles in their order.
//! A context that a window names stays in use until it is drawn.
//!
//! It can be wrong in a list that is cut where it goes from memory to the chip, in a window that is
//! read before it is written, and in a record that is given back while quads need it. Planted
//! faults: `full-*`.

mod collect;
mod drain;
mod full_cache;
mod full_store;
mod give;

use quadlock_hdl_macros::{QuietBlock, StateWord};
use rust_hdl::prelude::*;

pub use full_cache::{FullCache, CACHE_LINES};
pub use full_store::FullStore;

use crate::base::{vector, Parameter, Planted};
use crate::cell::{AsyncRam, DeepRam};
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::memory::NumberQueue;
use crate::ports::{
    FreedHandleIn, LineIn, LineRequestOut, StateWriteIn, StoreAnswerIn, StoreAnswerOut, StoreReadIn, StoreReadOut,
    TileOut, TileVisibilityIn, TriangleIn, TriangleOut, WindowEventOut,
};
use crate::{fields, kernel_of};

/// Windows after which the table is swept.
const EPOCHS: u64 = (1 << 14) - 1;
/// Lines of the greatest package: 5 of the triangle, 1 of reciprocals, 45 for 3 times 59 words.
const PACKAGE: u64 = 51;

/// What is done with the triangle that comes.
#[derive(Copy, Clone, Debug, PartialEq, LogicState, StateWord)]
pub enum FullStep {
    /// There is none.
    Ready,
    /// The number of its first tile is made, a bit of the row's number per cycle.
    Row,
    /// Its next tile: may it be seen there?
    Tile,
    /// The tile's word of the table is there.
    Find,
    /// Its package is written: what the port says.
    Head,
    /// Geometry is asked for a line of words.
    Ask,
    /// The line is written.
    Line,
    /// Its record is given back.
    Free,
    /// It waits until the window is drawn.
    Drawn,
}

/// Where the list of a tile stands.
#[derive(Copy, Clone, Debug, PartialEq, LogicState, StateWord)]
pub enum FullWalk {
    /// Nothing drains, or all of the window is asked for.
    Idle,
    /// The tile's place is read.
    Place,
    /// The rest of its list is read.
    Rest,
    /// It is there.
    Begin,
    /// A node is asked for.
    Node,
    /// It comes.
    Wait,
    /// Lines of a package are asked for.
    Package,
    /// The next tile.
    Next,
}

fields! {
    /// What the table knows of the tile that has a place.
    trait FullTile: 44 {
        /// The window that it belongs to.
        known_epoch: 14 @ 0,
        /// Place of the tile in x, in units of its side.
        known_x: 9 @ 14,
        /// In y.
        known_y: 9 @ 23,
        /// Its number in the window.
        known_number: 12 @ 32,
    }
}

fields! {
    /// The list of a tile, in memory and beyond.
    trait FullList: 50 {
        /// Its first node.
        list_head: 24 @ 0,
        /// The node that is not written yet.
        list_open: 24 @ 24,
        /// Triangles of that one.
        list_count: 2 @ 48,
    }
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct FullBinner {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state; the tile's side, the target's width, the area and counts of words are kept.
    pub state: StateWriteIn,
    /// A triangle is offered. Held until `in_triangle_ready`.
    pub in_triangle: TriangleIn,
    /// Whether a triangle may be seen in a tile.
    pub visible_ports: TileVisibilityIn,
    /// Request to geometry for an edge or a word of the triangle.
    pub geometry_req: StoreReadOut,
    /// Response of geometry.
    pub geometry_rsp: StoreAnswerIn,
    /// Pulse: geometry's record of the triangle is free.
    pub record_free_valid: Signal<Out, bool>,
    /// Its place.
    pub record_free_handle: Signal<Out, Bits<12>>,
    /// Request of a core for an edge or a word of a triangle that is being drawn.
    pub store_req: StoreReadIn,
    /// Response, two cycles after the request.
    pub store_rsp: StoreAnswerOut,
    /// A triangle's record is free: one cycle, without back-pressure.
    pub free_ports: FreedHandleIn,
    /// A line of memory is read or written.
    pub m_req: LineRequestOut,
    /// Memory answers, a write too; always taken.
    pub m_rsp: LineIn,
    /// Query whether the triangle of `triangle` is hidden in a tile.
    pub query_valid: Signal<Out, bool>,
    /// First pixel of that tile in x.
    pub query_x: Signal<Out, Bits<12>>,
    /// First pixel of that tile in y.
    pub query_y: Signal<Out, Bits<12>>,
    /// The answer is taken.
    pub query_taken: Signal<Out, bool>,
    /// The answer is there; it stays while the query does.
    pub answer_valid: Signal<In, bool>,
    /// It: nothing of the triangle can be seen in the tile.
    pub hidden: Signal<In, bool>,
    /// There is a triangle in a tile for the rasteriser.
    pub triangle: TriangleOut,
    /// The tile.
    pub tile: TileOut,
    /// A triangle has given all its quads in a tile; in order.
    pub tile_done: Signal<In, bool>,
    /// Request to open a tile.
    pub open_valid: Signal<Out, bool>,
    /// The tile is open from this cycle on.
    pub open_ready: Signal<In, bool>,
    /// Its first pixel in x.
    pub open_x: Signal<Out, Bits<12>>,
    /// Its first pixel in y.
    pub open_y: Signal<Out, Bits<12>>,
    /// Number of its buffer, if ready.
    pub open_buffer: Signal<In, Bits<3>>,
    /// Pulse: the rasteriser has output all quads of a tile. No back-pressure.
    pub close_valid: Signal<Out, bool>,
    /// Number of its buffer.
    pub close_buffer: Signal<Out, Bits<3>>,
    /// No triangle of the pass comes any more: the last tile is to be closed.
    pub finish: Signal<In, bool>,
    /// A run of Hi-Z waits until the window is drawn.
    pub starved: Signal<In, bool>,
    /// No triangle gets a number until the window is drawn.
    pub unnumbered: Signal<In, bool>,
    /// The command list waits, and all that was drawn has come.
    pub waits: Signal<In, bool>,
    /// A triangle is in the window, or something of it is being drawn.
    pub busy: Signal<Out, bool>,
    /// A window drains, and all its triangles have gone to the rasteriser.
    pub spent: Signal<Out, bool>,
    /// Contexts that the window names.
    pub contexts: Signal<Out, Bits<16>>,
    /// Event: a window ends.
    pub window: WindowEventOut,
    /// Event: a tile of a triangle's box is decided.
    pub decides: Signal<Out, bool>,
    store: FullStore,
    cache: FullCache,
    /// Free records.
    slots: NumberQueue,
    table: DeepRam,
    lists: DeepRam,
    /// Of a list the triangles that are not in memory: two of 32 bits.
    rests: DeepRam,
    /// Of a tile of the window, by its number: place in the table in 11:0, x in 20:12, y in 29:21.
    places: DeepRam,
    /// Words of a corner, of each context.
    varyings: AsyncRam,
    varyings_now: AsyncRam,
    // The pass.
    /// Log2 of the tile's side.
    side: DFF<Bits<3>>,
    width: DFF<Bits<13>>,
    base: DFF<Bits<28>>,
    limit: DFF<Bits<25>>,
    // The window.
    epoch: DFF<Bits<14>>,
    sweep: DFF<Bits<12>>,
    named: DFF<Bits<16>>,
    count: DFF<Bits<16>>,
    pairs: DFF<Bits<24>>,
    tiles: DFF<Bits<13>>,
    /// Lines that are used.
    used: DFF<Bits<24>>,
    newest: DFF<Bits<16>>,
    /// Cycles without a triangle.
    calm: DFF<Bits<7>>,
    /// Requests of memory that are under way.
    flying: DFF<Bits<5>>,
    // The triangle that comes.
    step: DFF<FullStep>,
    /// It was in the window before, and begins in the middle.
    resumes: DFF<bool>,
    /// It goes on in the next window.
    cut: DFF<bool>,
    listed: DFF<bool>,
    package: DFF<Bits<24>>,
    /// Words of a corner.
    words: DFF<Bits<6>>,
    /// Lines of the package behind the first five.
    body: DFF<Bits<6>>,
    x: DFF<Bits<12>>,
    y: DFF<Bits<12>>,
    /// Row of tiles that is still to be multiplied, by what; number of the tile.
    rows: DFF<Bits<9>>,
    factor: DFF<Bits<12>>,
    row_number: DFF<Bits<12>>,
    // Its package: the line, words that are asked for and there, what is asked for next.
    at: DFF<Bits<6>>,
    asked: DFF<Bits<3>>,
    got: DFF<Bits<3>>,
    got_word: Vec<DFF<Bits<32>>>,
    corner: DFF<Bits<2>>,
    word: DFF<Bits<6>>,
    // The window that drains.
    draining: DFF<bool>,
    walk: DFF<FullWalk>,
    walked: DFF<bool>,
    out_tile: DFF<Bits<13>>,
    list_x: DFF<Bits<9>>,
    list_y: DFF<Bits<9>>,
    node: DFF<Bits<24>>,
    open_node: DFF<Bits<24>>,
    rest_count: DFF<Bits<2>>,
    rest: DFF<Bits<64>>,
    /// Triangles of the node that is being asked for, the first in `entry[0]`.
    entry: Vec<DFF<Bits<32>>>,
    entries: DFF<Bits<2>>,
    final_node: DFF<bool>,
    sent: DFF<Bits<6>>,
    // Packages that are asked for: tile, lines behind the first five.
    jobs: AsyncRam,
    jobs_head: DFF<Bits<4>>,
    jobs_tail: DFF<Bits<4>>,
    // The package that comes.
    head_pair: Vec<DFF<Bits<64>>>,
    head_lines: DFF<Bits<3>>,
    in_body: DFF<bool>,
    body_left: DFF<Bits<6>>,
    body_at: DFF<Bits<6>>,
    // The triangle that is given.
    now_pair: Vec<DFF<Bits<64>>>,
    now: DFF<bool>,
    now_x: DFF<Bits<9>>,
    now_y: DFF<Bits<9>>,
    decided: DFF<bool>,
    hides: DFF<bool>,
    has_slot: DFF<bool>,
    slot: DFF<Bits<12>>,
    edges: DFF<Bits<2>>,
    live: DFF<Bits<13>>,
    // The tile that triangles go to.
    is_open: DFF<bool>,
    at_x: DFF<Bits<9>>,
    at_y: DFF<Bits<9>>,
    buffer: DFF<Bits<3>>,
    inside: DFF<Bits<6>>,
    // The tile before, to be closed.
    closing: DFF<bool>,
    old_buffer: DFF<Bits<3>>,
    old_inside: DFF<Bits<6>>,

    within: Signal<Local, Bits<12>>,
    stride: Signal<Local, Bits<12>>,
    tiles_x: Signal<Local, Bits<12>>,
    round: Signal<Local, Bits<13>>,
    far_x: Signal<Local, Bits<12>>,
    far_y: Signal<Local, Bits<12>>,
    last_x: Signal<Local, bool>,
    last_y: Signal<Local, bool>,
    begin_x: Signal<Local, Bits<12>>,
    begin_y: Signal<Local, Bits<12>>,
    start_x: Signal<Local, Bits<12>>,
    start_y: Signal<Local, Bits<12>>,
    wide_x: Signal<Local, Bits<12>>,
    wide_y: Signal<Local, Bits<12>>,
    wide_row: Signal<Local, Bits<12>>,
    column: Signal<Local, Bits<9>>,
    line_of: Signal<Local, Bits<9>>,
    index: Signal<Local, Bits<13>>,
    corner_words: Signal<Local, Bits<8>>,
    triple: Signal<Local, Bits<8>>,
    corner_lines: Signal<Local, Bits<8>>,
    package_lines: Signal<Local, Bits<24>>,
    most_used: Signal<Local, Bits<25>>,
    room: Signal<Local, bool>,
    found: Signal<Local, Bits<44>>,
    list: Signal<Local, Bits<50>>,
    rest_now: Signal<Local, Bits<64>>,
    current: Signal<Local, Bits<14>>,
    known: Signal<Local, bool>,
    conflict: Signal<Local, bool>,
    fills_node: Signal<Local, bool>,
    open_line: Signal<Local, Bits<24>>,
    list_head: Signal<Local, Bits<24>>,
    old_count: Signal<Local, Bits<2>>,
    this_entry: Signal<Local, Bits<32>>,
    word_table: Signal<Local, Bits<64>>,
    word_list: Signal<Local, Bits<64>>,
    word_rest: Signal<Local, Bits<64>>,
    next_used: Signal<Local, Bits<24>>,
    next_open: Signal<Local, Bits<24>>,
    next_count: Signal<Local, Bits<2>>,
    number: Signal<Local, Bits<12>>,
    puts: Signal<Local, bool>,
    advances: Signal<Local, bool>,
    tiles_end: Signal<Local, bool>,
    wants_write: Signal<Local, bool>,
    write_line: Signal<Local, Bits<24>>,
    write_word: Vec<Signal<Local, Bits<32>>>,
    may_write: Signal<Local, bool>,
    writes: Signal<Local, bool>,
    moved: Signal<Local, bool>,
    pair: Vec<Signal<Local, Bits<64>>>,
    real: Signal<Local, bool>,
    all_asked: Signal<Local, bool>,
    context_bit: Signal<Local, Bits<16>>,
    quiet: Signal<Local, bool>,
    wants: Signal<Local, bool>,
    cause: Signal<Local, Bits<4>>,
    ends: Signal<Local, bool>,
    drained: Signal<Local, bool>,
    write_address: Signal<Local, Bits<28>>,
    // Draining.
    place: Signal<Local, Bits<30>>,
    has_node: Signal<Local, bool>,
    sends: Signal<Local, bool>,
    last_line: Signal<Local, bool>,
    job_room: Signal<Local, bool>,
    jobs_used: Signal<Local, Bits<4>>,
    job: Signal<Local, Bits<32>>,
    has_job: Signal<Local, bool>,
    line_of_package: Signal<Local, Bits<24>>,
    takes_head: Signal<Local, bool>,
    takes_body: Signal<Local, bool>,
    takes_node: Signal<Local, bool>,
    head_full: Signal<Local, bool>,
    to_now: Signal<Local, bool>,
    gets_slot: Signal<Local, bool>,
    line_low: Signal<Local, Bits<64>>,
    line_high: Signal<Local, Bits<64>>,
    now_context: Signal<Local, Bits<4>>,
    ready: Signal<Local, bool>,
    open_px: Signal<Local, Bits<12>>,
    open_py: Signal<Local, Bits<12>>,
    same: Signal<Local, bool>,
    ask: Signal<Local, bool>,
    opened: Signal<Local, bool>,
    triangle_offered: Signal<Local, bool>,
    triangle_sent: Signal<Local, bool>,
    passes: Signal<Local, bool>,
    of_old: Signal<Local, bool>,
    after: Signal<Local, Bits<6>>,
    close_old: Signal<Local, bool>,
    close_last: Signal<Local, bool>,
    most_tiles: Parameter<13>,
    margin: Parameter<25>,
    last_epoch: Parameter<14>,
    sweep_from: Parameter<12>,
    wide_index: Parameter<13>,
    fault_full_link: Planted,
    fault_full_rest: Planted,
    fault_full_early: Planted,
    fault_full_cut: Planted,
    fault_full_context: Planted,
    _active: bool,
}

impl FullBinner {
    /// The block of that configuration, with its planted fault.
    pub fn new(config: &GpuConfig) -> Self {
        Self::with_epochs(config, EPOCHS)
    }

    /// The same, but the table is swept after that many windows.
    pub fn with_epochs(config: &GpuConfig, epochs: u64) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        let records = config.records();
        Self {
            store: FullStore::new(config),
            cache: FullCache::new(config),
            slots: NumberQueue::new(config, records, 12, records),
            table: DeepRam::new(config.tbimr_tiles, 44),
            lists: DeepRam::new(config.tbimr_tiles, 50),
            rests: DeepRam::new(config.tbimr_tiles, 64),
            places: DeepRam::new(config.tbimr_tiles, 30),
            varyings: AsyncRam::new(config.contexts, 6),
            varyings_now: AsyncRam::new(config.contexts, 6),
            jobs: AsyncRam::new(8, 24),
            got_word: vector(4),
            entry: vector(3),
            head_pair: vector(10),
            now_pair: vector(10),
            write_word: vector(4),
            pair: vector(10),
            most_tiles: Parameter::new(config.tbimr_tiles as u64),
            margin: Parameter::new(PACKAGE + config.tbimr_tiles as u64),
            last_epoch: Parameter::new(epochs - 1),
            sweep_from: Parameter::new(config.tbimr_tiles as u64),
            wide_index: Parameter::new(config.tbimr_tiles as u64 - 1),
            fault_full_link: planted(Fault::FullLink),
            fault_full_rest: planted(Fault::FullRest),
            fault_full_early: planted(Fault::FullEarly),
            fault_full_cut: planted(Fault::FullCut),
            fault_full_context: planted(Fault::FullContext),
            _active: true,
            ..Default::default()
        }
    }
}

kernel_of! { FullBinner:
    /// Every register keeps what it has.
    Registers,
    /// The pass says where the area is, and how large tiles and target are.
    Setting,
    /// A triangle has a first tile, and needs lines for its package.
    PackageSize,
    /// The tile has a place in the table.
    TileIndex,
    /// A tile of the triangle: its word of the table, its list.
    Lists,
    /// The triangle's words stand in pairs, as lines of its package.
    PackageWords,
    /// Geometry is asked for words of a line: reciprocals, then words of corners.
    CornerRequest,
    /// A full node or a line of the package is written.
    LineWrite,
    /// A triangle begins, gets its package, and finds the row of its first tile.
    TriangleStart,
    /// A tile is passed over, listed, or left for the next window.
    TileDecision,
    /// The triangle enters the tile's list, and goes to its next tile.
    ListEntry,
    /// The tables of tiles and lists are written, or swept.
    Tables,
    /// The package is written line by line, and then the triangle is let go.
    PackageSteps,
    /// The walk goes to a tile and begins its list.
    WalkTile,
    /// The walk has the open node in registers, and reads the others from memory.
    WalkNode,
    /// A package is asked for, line by line.
    WalkPackage,
    /// Behind its list the walk leaves the tile.
    WalkNext,
    /// Reads of the cache and writes of packages share the memory port.
    DrainPort,
    /// The next triangle's lines come while the one before is given.
    Load,
    /// A triangle that may be seen gets a record.
    RecordSlot,
    /// The other lines go into the record, or nowhere.
    RecordLines,
    /// Edges are written one per cycle, the first with the number of a corner's words.
    RecordEdges,
    /// Reads by fragments go to the store of records.
    StoreReads,
    /// The triangle that is given.
    Give,
    /// Tiles are opened and closed.
    Tiles,
    /// Requests of memory that have no answer yet are counted.
    FlightCount,
    /// A window ends when somebody waits for 64 cycles, or something is used up.
    WindowEnd,
    /// A window that is drawn is wiped, and the next one begins.
    WindowReset,
}
