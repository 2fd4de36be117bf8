//! The way through the lines of one target in a tile: plane by plane, in each row by row, in each
//! column by column; with the line's address in memory and the word's place in the tile buffer.
//!
//! A register for each number; one line per `step`. It can be wrong at the ends of rows and planes,
//! where an address is not the one before plus one; `tests/tile_buffers.rs` compares all memory.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::comment;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct TileWalk {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A walk begins at `base` and `index`.
    pub start: Signal<In, bool>,
    /// On to the next line.
    pub step: Signal<In, bool>,
    /// Address of the tile's first line in plane 0, in lines.
    pub base: Signal<In, Bits<28>>,
    /// Lines of a row of quads in memory.
    pub row_lines: Signal<In, Bits<28>>,
    /// Lines of a plane in memory.
    pub plane_lines: Signal<In, Bits<28>>,
    /// Plane of the tile buffer with the first line.
    pub first: Signal<In, Bits<5>>,
    /// Planes less one.
    pub planes: Signal<In, Bits<3>>,
    /// Columns less one.
    pub columns: Signal<In, Bits<4>>,
    /// Rows less one.
    pub rows: Signal<In, Bits<4>>,
    /// Address of the line, in lines.
    pub line: Signal<Out, Bits<28>>,
    /// Plane of the tile buffer.
    pub index: Signal<Out, Bits<5>>,
    /// Plane of the target.
    pub plane: Signal<Out, Bits<3>>,
    /// Column of the quad.
    pub x: Signal<Out, Bits<4>>,
    /// Row of the quad.
    pub y: Signal<Out, Bits<4>>,
    /// It is the last line.
    pub last: Signal<Out, bool>,
    line_r: DFF<Bits<28>>,
    row_line: DFF<Bits<28>>,
    plane_line: DFF<Bits<28>>,
    index_r: DFF<Bits<5>>,
    plane_r: DFF<Bits<3>>,
    x_r: DFF<Bits<4>>,
    y_r: DFF<Bits<4>>,
    next_row: Signal<Local, Bits<28>>,
    next_plane: Signal<Local, Bits<28>>,
    row_ends: Signal<Local, bool>,
    plane_ends: Signal<Local, bool>,
    _active: bool,
}

impl TileWalk {
    /// At rest.
    pub fn new() -> Self {
        Self { _active: true, ..Default::default() }
    }
}

impl Logic for TileWalk {
    #[kernel]
    fn update(&mut self) {
        comment!("module: tile_walk");
        dff_setup!(self, clock, line_r, row_line, plane_line, index_r, plane_r, x_r, y_r);
        self.next_row.next = self.row_line.q.val() + self.row_lines.val();
        self.next_plane.next = self.plane_line.q.val() + self.plane_lines.val();
        self.row_ends.next = self.x_r.q.val() == self.columns.val();
        self.plane_ends.next = self.row_ends.val() && (self.y_r.q.val() == self.rows.val());
        if self.step.val() {
            self.x_r.d.next = self.x_r.q.val() + bits::<4>(1);
            self.line_r.d.next = self.line_r.q.val() + bits::<28>(1);
            if self.row_ends.val() {
                self.x_r.d.next = bits::<4>(0);
                self.y_r.d.next = self.y_r.q.val() + bits::<4>(1);
                self.line_r.d.next = self.next_row.val();
                self.row_line.d.next = self.next_row.val();
            }
            if self.plane_ends.val() {
                self.y_r.d.next = bits::<4>(0);
                self.line_r.d.next = self.next_plane.val();
                self.row_line.d.next = self.next_plane.val();
                self.plane_line.d.next = self.next_plane.val();
                self.plane_r.d.next = self.plane_r.q.val() + bits::<3>(1);
                self.index_r.d.next = self.index_r.q.val() + bits::<5>(1);
            }
        }
        if self.start.val() {
            self.line_r.d.next = self.base.val();
            self.row_line.d.next = self.base.val();
            self.plane_line.d.next = self.base.val();
            self.index_r.d.next = self.first.val();
            self.plane_r.d.next = bits::<3>(0);
            self.x_r.d.next = bits::<4>(0);
            self.y_r.d.next = bits::<4>(0);
        }
        self.line.next = self.line_r.q.val();
        self.index.next = self.index_r.q.val();
        self.plane.next = self.plane_r.q.val();
        self.x.next = self.x_r.q.val();
        self.y.next = self.y_r.q.val();
        self.last.next = self.plane_ends.val() && (self.plane_r.q.val() == self.planes.val());
    }
}
