//! Binner: brings triangles to tiles. Today one after the other: it walks the tiles of a triangle's
//! bounding box in raster order and gives the triangle to the rasteriser in each that may be seen.
//!
//! A tile of the pass that is not the one before is asked for (`open_*`); the tile buffers answer
//! with a buffer's number, as soon as one is free. The one before is closed (`close_*`) when the
//! rasteriser has told that every triangle in it has given its quads (`tile_done`, one pulse for
//! each triangle in a tile, in order). So two tiles are open at most, and quads of a closed one
//! come no more; the tile buffers still wait until those that they know of have committed. At the
//! end of a pass `finish` closes the last one.
//!
//! The visibility unit's bit says whether the triangle may be seen in a tile. Of one that may, the
//! binner asks again at its output (`query_*`, HZ-13), where the window may know more. It waits for
//! the answer, which may come in the same cycle. A tile in which the triangle is hidden is passed
//! over. But the last tile of a box is given: with it comes the triangle's `end`. If it is hidden
//! it says so (`tile_hidden`), and goes to the tile that is open, if one is.
//!
//! A triangle stays at the port until its last tile is taken; then one cycle to let it go and one
//! to begin the next. One cycle for each tile, more if the rasteriser takes more. Every `ready`
//! that leaves the block is made of registers, but `visible_ready`, which is for the unit before.
//!
//! It can be wrong by closing a tile too early, which the counts of triangles in the rasteriser
//! prevent, by a tile that is opened twice at a time, and by an answer that is not waited for.
//!
//! Planted faults: `binner-close-early`, `binner-same-tile`, `binner-row`, `binner-last`,
//! `binner-answer`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::pass;
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{StateWriteIn, TileOut, TileVisibilityIn, TriangleDataIn, TriangleIn, TriangleOut};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct Binner {
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
    /// A triangle or a tile is here.
    pub busy: Signal<Out, bool>,
    /// Log2 of the tile's side.
    side: DFF<Bits<3>>,
    walking: DFF<bool>,
    /// The triangle goes.
    release: DFF<bool>,
    x: DFF<Bits<12>>,
    y: DFF<Bits<12>>,
    // The tile that triangles go to.
    is_open: DFF<bool>,
    at_x: DFF<Bits<12>>,
    at_y: DFF<Bits<12>>,
    buffer: DFF<Bits<3>>,
    /// Triangles in it that the rasteriser has.
    inside: DFF<Bits<6>>,
    // The tile before, to be closed.
    closing: DFF<bool>,
    old_buffer: DFF<Bits<3>>,
    old_inside: DFF<Bits<6>>,
    within: Signal<Local, Bits<12>>,
    step: Signal<Local, Bits<12>>,
    begin_x: Signal<Local, Bits<12>>,
    begin_y: Signal<Local, Bits<12>>,
    far_x: Signal<Local, Bits<12>>,
    far_y: Signal<Local, Bits<12>>,
    last_x: Signal<Local, bool>,
    last_y: Signal<Local, bool>,
    last: Signal<Local, bool>,
    same: Signal<Local, bool>,
    /// It is known whether the triangle shows in the tile; it does not.
    decided: Signal<Local, bool>,
    hides: Signal<Local, bool>,
    /// The tile is passed over.
    skip: Signal<Local, bool>,
    triangle_offered: Signal<Local, bool>,
    triangle_sent: Signal<Local, bool>,
    advance: Signal<Local, bool>,
    ask: Signal<Local, bool>,
    opened: Signal<Local, bool>,
    of_old: Signal<Local, bool>,
    after: Signal<Local, Bits<6>>,
    close_old: Signal<Local, bool>,
    close_last: Signal<Local, bool>,
    fault_binner_close_early: Planted,
    fault_binner_same_tile: Planted,
    fault_binner_row: Planted,
    fault_binner_last: Planted,
    fault_binner_answer: Planted,
    _active: bool,
}

impl Binner {
    /// The block with that configuration's planted fault.
    pub fn new(config: &GpuConfig) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        Self {
            fault_binner_close_early: planted(Fault::BinnerCloseEarly),
            fault_binner_same_tile: planted(Fault::BinnerSameTile),
            fault_binner_row: planted(Fault::BinnerRow),
            fault_binner_last: planted(Fault::BinnerLast),
            fault_binner_answer: planted(Fault::BinnerAnswer),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl Binner {
    /// The pass says how large a tile is.
    fn tile_size(&mut self) {
        comment!("module: binner");
        dff_setup!(self, clock, side, walking, release, x, y, is_open, at_x, at_y, buffer, inside);
        dff_setup!(self, clock, closing, old_buffer, old_inside);
        TriangleDataIn::join(&mut self.in_triangle, &mut self.triangle);
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
    }

    /// The walk is at a tile of the box, which may be the last or the open one.
    fn walk_place(&mut self) {
        self.begin_x.next = self.in_triangle.x0.val() & !self.within.val();
        self.begin_y.next = self.in_triangle.y0.val() & !self.within.val();
        self.far_x.next = self.x.q.val() | self.within.val();
        self.far_y.next = self.y.q.val() | self.within.val();
        self.last_x.next = self.far_x.val() >= self.in_triangle.x1.val();
        self.last_y.next = self.far_y.val() >= self.in_triangle.y1.val();
        self.last.next = self.last_x.val() && self.last_y.val();
        self.same.next = self.is_open.q.val()
            && (self.at_x.q.val() == self.x.q.val())
            && ((self.at_y.q.val() == self.y.q.val()) || self.fault_binner_same_tile.val());
    }

    /// The tile is passed over, asked for, or given.
    fn tile_choice(&mut self) {
        self.query_valid.next =
            self.walking.q.val() && self.visible_ports.visible_valid.val() && self.visible_ports.visible.val();
        self.decided.next = self.visible_ports.visible_valid.val()
            && (!self.visible_ports.visible.val() || self.answer_valid.val() || self.fault_binner_answer.val());
        self.hides.next = self.visible_ports.visible_valid.val()
            && (!self.visible_ports.visible.val()
                || ((self.answer_valid.val() || self.fault_binner_answer.val()) && self.hidden.val()));
        self.skip.next = self.walking.q.val() && self.hides.val();
        if self.last.val() && !self.fault_binner_last.val() {
            self.skip.next = false;
        }
        // The end goes to the open tile, whichever that is.
        if self.is_open.q.val() && self.hides.val() {
            self.same.next = true;
        }
        self.ask.next =
            self.walking.q.val() && self.decided.val() && !self.skip.val() && !self.same.val() && !self.closing.q.val();
        self.opened.next = self.ask.val() && self.open_ready.val();
        self.triangle_offered.next = self.walking.q.val()
            && self.decided.val()
            && !self.skip.val()
            && self.same.val()
            && !self.inside.q.val().all();
        self.triangle_sent.next = self.triangle_offered.val() && self.triangle.ready.val();
        self.advance.next = self.skip.val() || self.triangle_sent.val();
    }

    /// The walk begins with a triangle, and goes from tile to tile.
    fn walk_step(&mut self) {
        self.release.d.next = false;
        if !self.walking.q.val() && !self.release.q.val() && self.in_triangle.valid.val() {
            self.walking.d.next = true;
            self.x.d.next = self.begin_x.val();
            self.y.d.next = self.begin_y.val();
        }
        if self.advance.val() {
            self.x.d.next = self.x.q.val() + self.step.val();
            if self.last_x.val() {
                if !self.fault_binner_row.val() {
                    self.x.d.next = self.begin_x.val();
                }
                self.y.d.next = self.y.q.val() + self.step.val();
            }
            if self.last.val() {
                self.walking.d.next = false;
                self.release.d.next = true;
            }
        }
    }

    /// The triangles that the rasteriser has are counted for each tile.
    fn inside_count(&mut self) {
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

    /// A tile is opened, and the one before is closed.
    fn open_tile(&mut self) {
        self.close_old.next = self.closing.q.val() && (!self.of_old.val() || self.fault_binner_close_early.val());
        self.close_last.next = self.finish.val()
            && self.is_open.q.val()
            && !self.closing.q.val()
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
            self.at_x.d.next = self.x.q.val();
            self.at_y.d.next = self.y.q.val();
            self.buffer.d.next = self.open_buffer.val();
            self.closing.d.next = self.is_open.q.val();
            self.old_buffer.d.next = self.buffer.q.val();
            self.old_inside.d.next = self.after.val();
            self.inside.d.next = bits::<6>(0);
        }
    }

    /// The ports have what was decided.
    fn port_wires(&mut self) {
        self.in_triangle.ready.next = self.release.q.val();
        self.visible_ports.visible_ready.next = self.advance.val();
        self.triangle.valid.next = self.triangle_offered.val();
        self.tile.buffer.next = self.buffer.q.val();
        self.tile.x.next = self.x.q.val();
        self.tile.y.next = self.y.q.val();
        self.tile.last.next = self.last.val();
        self.tile.hidden.next = self.hides.val();
        self.query_taken.next = self.advance.val();
        self.query_x.next = self.x.q.val();
        self.query_y.next = self.y.q.val();
        self.open_valid.next = self.ask.val();
        self.open_x.next = self.x.q.val();
        self.open_y.next = self.y.q.val();
        self.close_valid.next = self.close_old.val() || self.close_last.val();
        self.close_buffer.next = self.buffer.q.val();
        if self.closing.q.val() {
            self.close_buffer.next = self.old_buffer.q.val();
        }
        self.busy.next =
            self.walking.q.val() || self.in_triangle.valid.val() || self.is_open.q.val() || self.closing.q.val();
    }
}
