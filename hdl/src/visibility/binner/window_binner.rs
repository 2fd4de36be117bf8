//! Binner with a window: sorts triangles into tiles (HZ-10). Triangles of a window wait in its
//! memory, each in the list of every tile where it may be seen; then the window is given to the
//! rasteriser, tile by tile, and the next one fills. Tiles come in the order in which the window
//! touched them first, triangles of a tile in the order in which they came.
//!
//! A window ends when it has its number of triangles, when its memory of pairs is full, or when a
//! tile finds no place: places are found by the lowest bits of the tile's number, and another tile
//! of the window may have that place. That happens between two tiles of a triangle, too: the rest
//! of its tiles is in the next window. A window also ends when no triangle has come for 64 cycles
//! and the pipeline before the binner waits for what the window holds (`starved`) or for its end
//! (`waits`), and when none has come for `limit` cycles. So nothing waits for space that only the
//! end of its own window frees.
//!
//! ```text
//! fill    a tile of the walk -> its word of the table -> node, list's end, table
//! drain   place, head and tail of a tile -> node -> triangle -> query -> open -> rasteriser
//! ```
//!
//! Two windows are in the memories, one that fills and one that drains; the highest bit of an
//! address says which. One tile of a triangle per cycle goes in, one triangle of a tile comes out
//! if the rasteriser takes it. A triangle takes four cycles more, a tile four.
//!
//! `end` of a triangle goes with the last tile of its window that has it: the greatest number of
//! its tiles is noted when the triangle is complete. A triangle that is seen in no tile gets a pair
//! that is hidden. Opening and closing of tiles, and the query at the output, are as the plain
//! binner's: a tile of which all triangles are hidden is not opened. Every `ready` that leaves the
//! block is made of registers, but `visible_ready`.
//!
//! It can be wrong in a pair that is lost or doubled when a window ends in the middle of a
//! triangle, and in a triangle whose `end` comes twice or never. A pair's word of the table is
//! never that of the pair in the cycle before: tiles of a triangle differ, and triangles have a
//! cycle between them. Planted faults: `window-*`.

mod window_records;

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::pass;
use rust_hdl::prelude::*;

pub use window_records::WindowRecords;

use crate::base::{Parameter, Planted};
use crate::cell::DeepRam;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{
    StateWriteIn, TileOut, TileVisibilityIn, TriangleDataIn, TriangleDataOut, TriangleIn, TriangleOut, WindowEventOut,
};
use crate::{comment, fields};

/// Windows after which the table is swept.
const EPOCHS: u64 = (1 << 14) - 1;

fields! {
    /// What the table knows of the tile that has a place.
    trait WindowTile: 56 {
        /// The window that it belongs to.
        tile_epoch: 14 @ 0,
        /// Place of the tile in x, in units of its side.
        tile_x: 9 @ 14,
        /// In y.
        tile_y: 9 @ 23,
        /// Its number in the window.
        tile_number: 12 @ 32,
        /// The last node of its list.
        tile_tail: 12 @ 44,
    }
}

fields! {
    /// A tile of a window, by its number.
    trait WindowPlace: 30 {
        /// Place of the tile in x, in units of its side.
        place_x: 9 @ 0,
        /// In y.
        place_y: 9 @ 9,
        /// The first node of its list.
        place_head: 12 @ 18,
    }
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct WindowBinner {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state; the tile's side is kept.
    pub state: StateWriteIn,
    /// A triangle is offered. Held until `in_triangle_ready`.
    pub in_triangle: TriangleIn,
    /// Whether a triangle may be seen in a tile.
    pub visible_ports: TileVisibilityIn,
    /// Query whether the triangle of `triangle` is hidden in a tile.
    pub query_valid: Signal<Out, bool>,
    /// First pixel of that tile in x.
    pub query_x: Signal<Out, Bits<12>>,
    /// First pixel of that tile in y.
    pub query_y: Signal<Out, Bits<12>>,
    /// The queried pair is taken; the next query is for another pair.
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
    /// Geometry has no free entry or record for what it makes.
    pub starved: Signal<In, bool>,
    /// Geometry gives no number until no triangle lives.
    pub unnumbered: Signal<In, bool>,
    /// An opaque run of Hi-Z waits until all triangles before it are drawn.
    pub held: Signal<In, bool>,
    /// The command list waits until what was drawn is done, or until a context is free, and no draw
    /// is left to be read.
    pub waits: Signal<In, bool>,
    /// What the list waits for is a context.
    pub contextless: Signal<In, bool>,
    /// A triangle or a tile is here.
    pub busy: Signal<Out, bool>,
    /// Event: a window ends.
    pub window: WindowEventOut,
    records: WindowRecords,
    table: DeepRam,
    /// Triangle of a node, and whether the pair is hidden in bit 12.
    nodes: DeepRam,
    /// The node behind it.
    links: DeepRam,
    places: DeepRam,
    tails: DeepRam,
    /// The greatest number of a triangle's tiles; 4,095: the triangle goes on in the next window.
    ends: DeepRam,
    /// Log2 of the tile's side.
    side: DFF<Bits<3>>,
    // The window that fills.
    bank: DFF<bool>,
    epoch: DFF<Bits<14>>,
    count: DFF<Bits<13>>,
    /// Number in the frame of the triangle that came last.
    newest: DFF<Bits<16>>,
    pairs: DFF<Bits<13>>,
    tiles: DFF<Bits<13>>,
    /// The table is swept: every word is of no window.
    sweep: DFF<Bits<14>>,
    /// Cycles without a triangle.
    calm: DFF<Bits<12>>,
    // The walk through the tiles of a triangle.
    walking: DFF<bool>,
    walked: DFF<bool>,
    release: DFF<bool>,
    /// The triangle is in a list.
    listed: DFF<bool>,
    x: DFF<Bits<12>>,
    y: DFF<Bits<12>>,
    /// The greatest number of its tiles in this window.
    greatest: DFF<Bits<12>>,
    // The pair whose word of the table is there.
    pair: DFF<bool>,
    pair_hidden: DFF<bool>,
    pair_x: DFF<Bits<9>>,
    pair_y: DFF<Bits<9>>,
    /// The tile that a pair was put into last.
    newest_x: DFF<Bits<9>>,
    newest_y: DFF<Bits<9>>,
    // The window that drains.
    draining: DFF<bool>,
    out_bank: DFF<bool>,
    out_tiles: DFF<Bits<13>>,
    out_tile: DFF<Bits<13>>,
    /// 0: the tile is read, 1: its words are there, 2: its triangles come.
    out_step: DFF<Bits<2>>,
    tail: DFF<Bits<12>>,
    /// A node of the list is read.
    node: DFF<bool>,
    node_at: DFF<Bits<12>>,
    /// A triangle is read.
    read_valid: DFF<bool>,
    read_at: DFF<Bits<12>>,
    read_hidden: DFF<bool>,
    // The tile that triangles go to.
    is_open: DFF<bool>,
    at_x: DFF<Bits<12>>,
    at_y: DFF<Bits<12>>,
    buffer: DFF<Bits<3>>,
    inside: DFF<Bits<6>>,
    // The tile before, to be closed.
    closing: DFF<bool>,
    old_buffer: DFF<Bits<3>>,
    old_inside: DFF<Bits<6>>,
    within: Signal<Local, Bits<12>>,
    step: Signal<Local, Bits<12>>,
    far_x: Signal<Local, Bits<12>>,
    far_y: Signal<Local, Bits<12>>,
    last_x: Signal<Local, bool>,
    last_y: Signal<Local, bool>,
    full: Signal<Local, bool>,
    begins: Signal<Local, bool>,
    advance: Signal<Local, bool>,
    walk_x: Signal<Local, Bits<12>>,
    walk_y: Signal<Local, Bits<12>>,
    end_x: Signal<Local, Bits<12>>,
    end_y: Signal<Local, Bits<12>>,
    orphan: Signal<Local, bool>,
    asked_x: Signal<Local, Bits<9>>,
    asked_y: Signal<Local, Bits<9>>,
    index: Signal<Local, Bits<13>>,
    table_index: Signal<Local, Bits<13>>,
    found: Signal<Local, Bits<56>>,
    current: Signal<Local, Bits<14>>,
    known: Signal<Local, bool>,
    taken: Signal<Local, bool>,
    fresh: Signal<Local, bool>,
    blocked: Signal<Local, bool>,
    puts: Signal<Local, bool>,
    number: Signal<Local, Bits<12>>,
    word: Signal<Local, Bits<64>>,
    /// Where the window's triangles, pairs and tiles begin.
    top: Signal<Local, Bits<13>>,
    top_pairs: Signal<Local, Bits<13>>,
    top_tiles: Signal<Local, Bits<13>>,
    completes: Signal<Local, bool>,
    still: Signal<Local, bool>,
    impatient: Signal<Local, bool>,
    wants: Signal<Local, bool>,
    swaps: Signal<Local, bool>,
    out_top: Signal<Local, Bits<13>>,
    out_top_pairs: Signal<Local, Bits<13>>,
    out_top_tiles: Signal<Local, Bits<13>>,
    place: Signal<Local, Bits<30>>,
    open_px: Signal<Local, Bits<12>>,
    open_py: Signal<Local, Bits<12>>,
    same: Signal<Local, bool>,
    ask: Signal<Local, bool>,
    opened: Signal<Local, bool>,
    goes: Signal<Local, bool>,
    next_node: Signal<Local, Bits<12>>,
    ends_list: Signal<Local, bool>,
    read_next: Signal<Local, Bits<12>>,
    node_moves: Signal<Local, bool>,
    read_moves: Signal<Local, bool>,
    last: Signal<Local, bool>,
    decided: Signal<Local, bool>,
    hides: Signal<Local, bool>,
    skip: Signal<Local, bool>,
    triangle_offered: Signal<Local, bool>,
    triangle_sent: Signal<Local, bool>,
    of_old: Signal<Local, bool>,
    after: Signal<Local, Bits<6>>,
    close_old: Signal<Local, bool>,
    close_last: Signal<Local, bool>,
    most: Parameter<13>,
    most_pairs: Parameter<13>,
    most_tiles: Parameter<13>,
    limit: Parameter<12>,
    last_epoch: Parameter<14>,
    fault_window_place: Planted,
    fault_window_split: Planted,
    fault_window_end: Planted,
    fault_window_starved: Planted,
    fault_window_lost: Planted,
    _active: bool,
}

impl WindowBinner {
    /// The block of that configuration, with its planted fault.
    pub fn new(config: &GpuConfig) -> Self {
        Self::with_epochs(config, EPOCHS)
    }

    /// The same, but the table is swept after that many windows.
    pub fn with_epochs(config: &GpuConfig, epochs: u64) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        Self {
            records: WindowRecords::new(config),
            table: DeepRam::new(config.tbimr_tiles, 56),
            nodes: DeepRam::new(2 * config.tbimr_pairs, 13),
            links: DeepRam::new(2 * config.tbimr_pairs, 12),
            places: DeepRam::new(2 * config.tbimr_tiles, 30),
            tails: DeepRam::new(2 * config.tbimr_tiles, 12),
            ends: DeepRam::new(2 * config.tbimr_window, 12),
            most: Parameter::new(config.tbimr_window as u64),
            most_pairs: Parameter::new(config.tbimr_pairs as u64),
            most_tiles: Parameter::new(config.tbimr_tiles as u64),
            limit: Parameter::new(config.tbimr_limit as u64),
            last_epoch: Parameter::new(epochs - 1),
            fault_window_place: planted(Fault::WindowPlace),
            fault_window_split: planted(Fault::WindowSplit),
            fault_window_end: planted(Fault::WindowEnd),
            fault_window_starved: planted(Fault::WindowStarved),
            fault_window_lost: planted(Fault::WindowLost),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl WindowBinner {
    /// A word of state gives the tile's side, and so where the walk's tile ends.
    fn tile_side(&mut self) {
        comment!("module: window_binner");
        dff_setup!(
            self, clock, side, bank, epoch, count, newest, pairs, tiles, sweep, calm, walking, walked, release, listed
        );
        dff_setup!(self, clock, x, y, greatest, pair, pair_hidden, pair_x, pair_y, newest_x);
        dff_setup!(self, clock, newest_y, draining, out_bank, out_tiles, out_tile, out_step, tail, node, node_at);
        dff_setup!(self, clock, read_valid, read_at, read_hidden, is_open, at_x, at_y, buffer, inside, closing);
        dff_setup!(self, clock, old_buffer, old_inside);
        clock!(self, clock, records, table, nodes, links, places, tails, ends);
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::KIND)) {
            self.side.d.next = self.state.data.val().get_bits::<3>(4);
        }
        self.within.next = bits::<12>(7);
        self.step.next = bits::<12>(8);
        if self.side.q.val() == bits::<3>(4) {
            self.within.next = bits::<12>(15);
            self.step.next = bits::<12>(16);
        }
        if self.side.q.val() == bits::<3>(5) {
            self.within.next = bits::<12>(31);
            self.step.next = bits::<12>(32);
        }
        self.far_x.next = self.x.q.val() | self.within.val();
        self.far_y.next = self.y.q.val() | self.within.val();
        self.last_x.next = self.far_x.val() >= self.in_triangle.x1.val();
        self.last_y.next = self.far_y.val() >= self.in_triangle.y1.val();
    }

    /// A pair is blocked if another tile has its place, or if nothing is free.
    fn blocking(&mut self) {
        self.full.next = self.count.q.val() == self.most.val();
        // The word of the table is there, and may keep its pair from going on.
        self.found.next = self.table.read_data.val().get_bits::<56>(0);
        // Number 0 is of no window.
        self.current.next = self.epoch.q.val() + bits::<14>(1);
        self.known.next = self.found.val().get_value_tile_epoch() == self.current.val();
        self.taken.next = self.known.val()
            && ((self.found.val().get_value_tile_x() != self.pair_x.q.val())
                || (self.found.val().get_value_tile_y() != self.pair_y.q.val()))
            && !self.fault_window_place.val();
        self.fresh.next = !self.known.val();
        self.blocked.next = self.pair.q.val()
            && (self.taken.val()
                || self.sweep.q.val().any()
                || (self.pairs.q.val() == self.most_pairs.val())
                || (self.fresh.val() && (self.tiles.q.val() == self.most_tiles.val())));
        self.puts.next = self.pair.q.val() && !self.blocked.val();
    }

    /// The walk goes from tile to tile until the triangle is complete.
    fn walk(&mut self) {
        self.advance.next = self.walking.q.val()
            && !self.walked.q.val()
            && self.visible_ports.visible_valid.val()
            && !self.blocked.val();
        self.walk_x.next = self.x.q.val() >> bit_cast::<12, 3>(self.side.q.val());
        self.walk_y.next = self.y.q.val() >> bit_cast::<12, 3>(self.side.q.val());
        self.end_x.next = self.in_triangle.x1.val() >> bit_cast::<12, 3>(self.side.q.val());
        self.end_y.next = self.in_triangle.y1.val() >> bit_cast::<12, 3>(self.side.q.val());
        self.begins.next = !self.walking.q.val()
            && !self.release.q.val()
            && self.in_triangle.valid.val()
            && !self.full.val()
            && !self.sweep.q.val().any();
        self.release.d.next = false;
        if self.begins.val() {
            self.newest.d.next = self.in_triangle.order.val();
            self.walking.d.next = true;
            self.walked.d.next = false;
            self.listed.d.next = false;
            self.greatest.d.next = bits::<12>(0);
            self.x.d.next = self.in_triangle.x0.val() & !self.within.val();
            self.y.d.next = self.in_triangle.y0.val() & !self.within.val();
        }
        if self.advance.val() {
            self.x.d.next = self.x.q.val() + self.step.val();
            if self.last_x.val() {
                self.x.d.next = self.in_triangle.x0.val() & !self.within.val();
                self.y.d.next = self.y.q.val() + self.step.val();
                if self.last_y.val() {
                    self.walked.d.next = true;
                }
            }
        }
        // A triangle that is in no list gets one, for its `end`.
        self.orphan.next = self.walking.q.val() && self.walked.q.val() && !self.pair.q.val() && !self.listed.q.val();
        self.completes.next = self.walking.q.val() && self.walked.q.val() && !self.pair.q.val() && self.listed.q.val();
        if self.completes.val() {
            self.walking.d.next = false;
            self.release.d.next = true;
            self.count.d.next = self.count.q.val() + bits::<13>(1);
        }
    }

    /// The tile's word of the table is read, and its pair waits for it.
    fn table_read(&mut self) {
        self.asked_x.next = self.walk_x.val().get_bits::<9>(0);
        self.asked_y.next = self.walk_y.val().get_bits::<9>(0);
        if self.orphan.val() && self.tiles.q.val().any() {
            self.asked_x.next = self.newest_x.q.val();
            self.asked_y.next = self.newest_y.q.val();
        }
        if self.orphan.val() && !self.tiles.q.val().any() {
            self.asked_x.next = self.end_x.val().get_bits::<9>(0);
            self.asked_y.next = self.end_y.val().get_bits::<9>(0);
        }
        if !self.blocked.val() {
            self.pair.d.next = (self.advance.val() && self.visible_ports.visible.val()) || self.orphan.val();
            self.pair_hidden.d.next = self.orphan.val();
            self.pair_x.d.next = self.asked_x.val();
            self.pair_y.d.next = self.asked_y.val();
        } else {
            self.asked_x.next = self.pair_x.q.val();
            self.asked_y.next = self.pair_y.q.val();
        }
        self.index.next = bit_cast::<13, 5>(self.asked_x.val().get_bits::<5>(0))
            | (bit_cast::<13, 5>(self.asked_y.val().get_bits::<5>(0)) << bits::<13>(5));
        self.table.read_address.next = self.index.val();
        self.in_triangle.ready.next = self.release.q.val();
        self.visible_ports.visible_ready.next = self.advance.val();
    }

    /// The tile's word of the table is written, or the table is swept.
    fn table_write(&mut self) {
        self.top.next = bits::<13>(0);
        self.top_pairs.next = bits::<13>(0);
        self.top_tiles.next = bits::<13>(0);
        if self.bank.q.val() {
            self.top.next = self.most.val();
            self.top_pairs.next = self.most_pairs.val();
            self.top_tiles.next = self.most_tiles.val();
        }
        self.number.next = self.found.val().get_value_tile_number();
        if self.fresh.val() {
            self.number.next = self.tiles.q.val().get_bits::<12>(0);
        }
        // The table's word of the tile.
        self.word.next = bit_cast::<64, 14>(self.current.val())
            | (bit_cast::<64, 9>(self.pair_x.q.val()) << bits::<64>(14))
            | (bit_cast::<64, 9>(self.pair_y.q.val()) << bits::<64>(23))
            | (bit_cast::<64, 12>(self.number.val()) << bits::<64>(32))
            | (bit_cast::<64, 12>(self.pairs.q.val().get_bits::<12>(0)) << bits::<64>(44));
        self.table_index.next = bit_cast::<13, 5>(self.pair_x.q.val().get_bits::<5>(0))
            | (bit_cast::<13, 5>(self.pair_y.q.val().get_bits::<5>(0)) << bits::<13>(5));
        self.table.write_enable.next = self.puts.val();
        self.table.write_address.next = self.table_index.val();
        self.table.write_data.next = self.word.val();
        if self.sweep.q.val().any() {
            self.sweep.d.next = self.sweep.q.val() - bits::<14>(1);
            self.table.write_enable.next = true;
            self.table.write_address.next = self.sweep.q.val().get_bits::<13>(0);
            self.table.write_data.next = bits::<64>(0);
        }
    }

    /// A pair writes its node, the link to it, the tile's place and its list's end.
    fn lists(&mut self) {
        self.nodes.write_enable.next = self.puts.val();
        self.nodes.write_address.next = self.top_pairs.val() | self.pairs.q.val();
        self.nodes.write_data.next = bit_cast::<64, 12>(self.count.q.val().get_bits::<12>(0));
        if self.pair_hidden.q.val() {
            self.nodes.write_data.next = bit_cast::<64, 12>(self.count.q.val().get_bits::<12>(0)) | bits::<64>(0x1000);
        }
        self.links.write_enable.next = self.puts.val() && !self.fresh.val();
        self.links.write_address.next =
            self.top_pairs.val() | bit_cast::<13, 12>(self.found.val().get_value_tile_tail());
        self.links.write_data.next = bit_cast::<64, 12>(self.pairs.q.val().get_bits::<12>(0));
        self.places.write_enable.next = self.puts.val() && self.fresh.val();
        self.places.write_address.next = self.top_tiles.val() | self.tiles.q.val();
        self.places.write_data.next = bit_cast::<64, 9>(self.pair_x.q.val())
            | (bit_cast::<64, 9>(self.pair_y.q.val()) << bits::<64>(9))
            | (bit_cast::<64, 12>(self.pairs.q.val().get_bits::<12>(0)) << bits::<64>(18));
        self.tails.write_enable.next = self.puts.val();
        self.tails.write_address.next = self.top_tiles.val() | bit_cast::<13, 12>(self.number.val());
        self.tails.write_data.next = bit_cast::<64, 12>(self.pairs.q.val().get_bits::<12>(0));
        if self.puts.val() {
            self.listed.d.next = true;
            self.pairs.d.next = self.pairs.q.val() + bits::<13>(1);
            self.newest_x.d.next = self.pair_x.q.val();
            self.newest_y.d.next = self.pair_y.q.val();
            if self.fresh.val() {
                self.tiles.d.next = self.tiles.q.val() + bits::<13>(1);
            }
            if (self.number.val() > self.greatest.q.val()) || self.fault_window_end.val() {
                self.greatest.d.next = self.number.val();
            }
        }
    }

    /// The triangle is written, and at its end the greatest number of its tiles.
    fn triangle_record(&mut self) {
        self.records.write_enable.next = self.walking.q.val();
        self.records.write_address.next = self.top.val() | self.count.q.val();
        TriangleDataIn::link(&mut self.in_triangle, &mut self.records.in_triangle);
        self.ends.write_enable.next = self.completes.val();
        self.ends.write_address.next = self.top.val() | self.count.q.val();
        self.ends.write_data.next = bit_cast::<64, 12>(self.greatest.q.val());
    }

    /// A window ends when it is full or blocked, or when nothing comes any more.
    fn window_end(&mut self) {
        if self.in_triangle.valid.val() || self.walking.q.val() {
            self.calm.d.next = bits::<12>(0);
        } else if !self.calm.q.val().all() {
            self.calm.d.next = self.calm.q.val() + bits::<12>(1);
        }
        self.still.next = !self.walking.q.val() && !self.release.q.val();
        // 64 cycles.
        self.impatient.next = self.calm.q.val().get_bits::<6>(6).any()
            && (((self.starved.val() || self.unnumbered.val() || self.held.val()) && !self.fault_window_starved.val())
                || self.waits.val());
        self.wants.next = (self.full.val() && self.still.val())
            || (self.blocked.val() && !self.sweep.q.val().any())
            || (self.tiles.q.val().any()
                && self.still.val()
                && !self.in_triangle.valid.val()
                && (self.impatient.val() || (self.calm.q.val() >= self.limit.val())));
        self.swaps.next = self.wants.val() && !self.draining.q.val() && !self.sweep.q.val().any();
    }

    /// The event says what the window holds and why it ends.
    fn end_event(&mut self) {
        self.window.valid.next = self.swaps.val();
        self.window.triangles.next = bit_cast::<16, 13>(self.count.q.val());
        self.window.pairs.next = bit_cast::<24, 13>(self.pairs.q.val());
        self.window.order.next = self.newest.q.val();
        self.window.cause.next = bits::<4>(5);
        if self.waits.val() && self.impatient.val() {
            self.window.cause.next = bits::<4>(4);
            if self.contextless.val() {
                self.window.cause.next = bits::<4>(7);
            }
        }
        if self.starved.val() && self.impatient.val() {
            self.window.cause.next = bits::<4>(3);
        }
        if self.unnumbered.val() && self.impatient.val() {
            self.window.cause.next = bits::<4>(8);
        }
        // Geometry may be full as well, because nobody takes its triangles meanwhile.
        if self.held.val() && self.impatient.val() {
            self.window.cause.next = bits::<4>(6);
        }
        if self.blocked.val() {
            self.window.cause.next = bits::<4>(2);
        }
        if self.blocked.val() && (self.pairs.q.val() == self.most_pairs.val()) {
            self.window.cause.next = bits::<4>(1);
        }
        if self.full.val() {
            self.window.cause.next = bits::<4>(0);
        }
    }

    /// The window begins to drain, and the other one begins to fill.
    fn swap(&mut self) {
        if self.swaps.val() {
            self.draining.d.next = true;
            self.out_bank.d.next = self.bank.q.val();
            self.out_tiles.d.next = self.tiles.q.val();
            self.out_tile.d.next = bits::<13>(0);
            self.out_step.d.next = bits::<2>(0);
            self.bank.d.next = !self.bank.q.val();
            self.count.d.next = bits::<13>(0);
            self.pairs.d.next = bits::<13>(0);
            self.tiles.d.next = bits::<13>(0);
            self.greatest.d.next = bits::<12>(0);
            self.epoch.d.next = self.epoch.q.val() + bits::<14>(1);
            if self.epoch.q.val() == self.last_epoch.val() {
                self.epoch.d.next = bits::<14>(0);
                self.sweep.d.next = bits::<14>(1024);
            }
            // A triangle whose tiles are not all in this window has its `end` in the next one.
            if self.walking.q.val() {
                self.ends.write_enable.next = true;
                self.ends.write_data.next = bits::<64>(4095);
                if self.fault_window_split.val() {
                    self.ends.write_data.next = bit_cast::<64, 12>(self.greatest.q.val());
                }
            }
        }
    }

    /// Place and tail of the tile that drains are read.
    fn place_read(&mut self) {
        self.out_top.next = bits::<13>(0);
        self.out_top_pairs.next = bits::<13>(0);
        self.out_top_tiles.next = bits::<13>(0);
        if self.out_bank.q.val() {
            self.out_top.next = self.most.val();
            self.out_top_pairs.next = self.most_pairs.val();
            self.out_top_tiles.next = self.most_tiles.val();
        }
        // The tile's place.
        self.places.read_address.next = self.out_top_tiles.val() | self.out_tile.q.val();
        self.tails.read_address.next = self.out_top_tiles.val() | self.out_tile.q.val();
        self.place.next = self.places.read_data.val().get_bits::<30>(0);
        self.open_px.next =
            bit_cast::<12, 9>(self.place.val().get_value_place_x()) << bit_cast::<12, 3>(self.side.q.val());
        self.open_py.next =
            bit_cast::<12, 9>(self.place.val().get_value_place_y()) << bit_cast::<12, 3>(self.side.q.val());
        self.goes.next = self.draining.q.val() && (self.out_step.q.val() == bits::<2>(1));
        if self.draining.q.val() && !self.out_step.q.val().any() {
            self.out_step.d.next = bits::<2>(1);
        }
        if self.goes.val() {
            self.out_step.d.next = bits::<2>(2);
            self.tail.d.next = self.tails.read_data.val().get_bits::<12>(0);
        }
    }

    /// A triangle that was read is given, or passed over.
    fn decision(&mut self) {
        self.last.next = self.ends.read_data.val().get_bits::<12>(0) == self.out_tile.q.val().get_bits::<12>(0);
        self.query_valid.next = self.read_valid.q.val() && !self.read_hidden.q.val();
        self.decided.next = self.read_hidden.q.val() || self.answer_valid.val();
        self.hides.next = self.read_hidden.q.val() || (self.answer_valid.val() && self.hidden.val());
        self.skip.next = self.read_valid.q.val() && self.hides.val() && !self.last.val();
        // The tile is opened when a triangle shows in it. An end goes to any open tile.
        self.same.next = self.is_open.q.val()
            && (self.hides.val()
                || ((self.at_x.q.val() == self.open_px.val()) && (self.at_y.q.val() == self.open_py.val())));
        self.ask.next = self.read_valid.q.val()
            && self.decided.val()
            && !self.skip.val()
            && !self.same.val()
            && !self.closing.q.val();
        self.opened.next = self.ask.val() && self.open_ready.val();
        self.triangle_offered.next = self.read_valid.q.val()
            && self.decided.val()
            && !self.skip.val()
            && self.same.val()
            && !self.inside.q.val().all();
        self.triangle_sent.next = self.triangle_offered.val() && self.triangle.ready.val();
        self.query_taken.next = self.query_valid.val() && (self.skip.val() || self.triangle_sent.val());
        self.read_moves.next = !self.read_valid.q.val() || self.skip.val() || self.triangle_sent.val();
    }

    /// Nodes of the list are read, then their triangles.
    fn list_read(&mut self) {
        self.node_moves.next = self.node.q.val() && self.read_moves.val();
        self.next_node.next = self.node_at.q.val();
        if self.goes.val() {
            self.next_node.next = self.place.val().get_value_place_head();
            self.node.d.next = true;
        }
        self.ends_list.next = self.node_at.q.val() == self.tail.q.val();
        if self.node_moves.val() {
            self.next_node.next = self.links.read_data.val().get_bits::<12>(0);
            if self.ends_list.val()
                || (self.fault_window_lost.val() && (self.links.read_data.val().get_bits::<12>(0) == self.tail.q.val()))
            {
                self.node.d.next = false;
            }
        }
        self.node_at.d.next = self.next_node.val();
        self.nodes.read_address.next = self.out_top_pairs.val() | bit_cast::<13, 12>(self.next_node.val());
        self.links.read_address.next = self.out_top_pairs.val() | bit_cast::<13, 12>(self.next_node.val());
        self.read_next.next = self.read_at.q.val();
        if self.read_moves.val() {
            self.read_valid.d.next = self.node.q.val();
            self.read_next.next = self.nodes.read_data.val().get_bits::<12>(0);
            self.read_hidden.d.next = self.nodes.read_data.val().get_bit(12);
        }
        self.read_at.d.next = self.read_next.val();
        self.records.read_address.next = self.out_top.val() | bit_cast::<13, 12>(self.read_next.val());
        self.ends.read_address.next = self.out_top.val() | bit_cast::<13, 12>(self.read_next.val());
        TriangleDataOut::link(&mut self.triangle, &mut self.records.triangle);
    }

    /// A tile that has given all makes room for the next one.
    fn drain(&mut self) {
        if (self.out_step.q.val() == bits::<2>(2)) && !self.node.q.val() && !self.read_valid.q.val() {
            self.out_step.d.next = bits::<2>(0);
            self.out_tile.d.next = self.out_tile.q.val() + bits::<13>(1);
            if (self.out_tile.q.val() + bits::<13>(1)) == self.out_tiles.q.val() {
                self.draining.d.next = false;
            }
        }
    }

    /// Counters hold how many triangles of a tile the rasteriser has.
    fn inside(&mut self) {
        // Triangles that the rasteriser has. What is done first was given first.
        self.of_old.next = self.old_inside.q.val().any();
        if self.tile_done.val() && self.of_old.val() {
            self.old_inside.d.next = self.old_inside.q.val() - bits::<6>(1);
        }
        self.after.next = self.inside.q.val();
        if self.tile_done.val() && !self.of_old.val() {
            self.after.next = self.inside.q.val() - bits::<6>(1);
        }
        self.inside.d.next = self.after.val();
        if self.triangle_sent.val() {
            self.inside.d.next = self.after.val() + bits::<6>(1);
        }
    }

    /// Tiles are opened and closed.
    fn tiles(&mut self) {
        self.close_old.next = self.closing.q.val() && !self.of_old.val();
        self.close_last.next = self.finish.val()
            && self.is_open.q.val()
            && !self.closing.q.val()
            && !self.draining.q.val()
            && !self.tiles.q.val().any()
            && !self.walking.q.val()
            && !self.in_triangle.valid.val()
            && !self.inside.q.val().any();
        if self.close_old.val() {
            self.closing.d.next = false;
        }
        if self.close_last.val() {
            self.is_open.d.next = false;
        }
        if self.opened.val() {
            self.is_open.d.next = true;
            self.at_x.d.next = self.open_px.val();
            self.at_y.d.next = self.open_py.val();
            self.buffer.d.next = self.open_buffer.val();
            self.closing.d.next = self.is_open.q.val();
            self.old_buffer.d.next = self.buffer.q.val();
            self.old_inside.d.next = self.after.val();
            self.inside.d.next = bits::<6>(0);
        }
    }

    /// The open tile, its triangle and its query go to the ports.
    fn output_ports(&mut self) {
        self.triangle.valid.next = self.triangle_offered.val();
        self.tile.buffer.next = self.buffer.q.val();
        self.tile.x.next = self.open_px.val();
        self.tile.y.next = self.open_py.val();
        self.tile.last.next = self.last.val();
        self.tile.hidden.next = self.hides.val();
        self.query_x.next = self.open_px.val();
        self.query_y.next = self.open_py.val();
        self.open_valid.next = self.ask.val();
        self.open_x.next = self.open_px.val();
        self.open_y.next = self.open_py.val();
        self.close_valid.next = self.close_old.val() || self.close_last.val();
        self.close_buffer.next = self.buffer.q.val();
        if self.closing.q.val() {
            self.close_buffer.next = self.old_buffer.q.val();
        }
        self.busy.next = self.walking.q.val()
            || self.in_triangle.valid.val()
            || self.tiles.q.val().any()
            || self.draining.q.val()
            || self.is_open.q.val()
            || self.closing.q.val();
    }
}
