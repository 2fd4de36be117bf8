//! Rasteriser: triangles in tiles become quads with coverage and depth, to the bit as
//! docs/graphics.md says it. Four parts one behind the other, each with registers of its own, so
//! that four triangles can be in it: [start](super::setup), [groups](super::groups),
//! [rows](super::rows), [quads](super::emit).
//!
//! One sample: a quad in every cycle within a triangle, a triangle of one quad every 4 cycles. n
//! samples: n + 1 cycles for a quad. Latency from the first cycle of a triangle to its first beat:
//! 16 cycles, 17 if its part of the tile has more than four groups.
//!
//! It can be wrong in each part's own way, and here in a wire.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use super::{RasterEmit, RasterGroups, RasterRows, RasterSetup};
use crate::comment;
use crate::config::GpuConfig;
use crate::ports::{
    DepthFactsOut, QuadGroupOut, QuadOut, QuadRowOut, StateWriteIn, TileIn, TileStartOut, TriangleFactsOut, TriangleIn,
};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct Rasteriser {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state.
    pub state: StateWriteIn,
    /// There is a triangle in a tile; it stays until it is taken.
    pub triangle_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub triangle_ready: Signal<Out, bool>,
    /// The triangle.
    pub triangle: TriangleIn,
    /// The tile.
    pub tile: TileIn,
    /// There is a beat.
    pub quad_valid: Signal<Out, bool>,
    /// The beat is taken in this cycle if valid.
    pub quad_ready: Signal<In, bool>,
    /// The beat.
    pub quad: QuadOut,
    /// A triangle has given all its quads in a tile, and they have been taken; one pulse for each
    /// triangle in a tile, in order. The binner closes tiles by it.
    pub tile_done: Signal<Out, bool>,
    setup: RasterSetup,
    groups: RasterGroups,
    rows: RasterRows,
    emit: RasterEmit,
    _active: bool,
}

impl Rasteriser {
    /// The block with that configuration's planted fault.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            setup: RasterSetup::new(config),
            groups: RasterGroups::new(config),
            rows: RasterRows::new(config),
            emit: RasterEmit::new(config),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for Rasteriser {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: rasteriser");
        clock!(self, clock, setup, groups, rows, emit);
        StateWriteIn::link(&mut self.state, &mut self.setup.state);
        TriangleIn::link(&mut self.triangle, &mut self.setup.triangle);
        TileIn::link(&mut self.tile, &mut self.setup.tile);
        self.setup.triangle_valid.next = self.triangle_valid.val();
        self.triangle_ready.next = self.setup.triangle_ready.val();
        // Start to groups.
        TileStartOut::join(&mut self.setup.start, &mut self.groups.start);
        TriangleFactsOut::join(&mut self.setup.facts, &mut self.groups.told);
        self.groups.start_valid.next = self.setup.start_valid.val();
        self.setup.start_ready.next = self.groups.start_ready.val();
        // Groups to rows.
        QuadGroupOut::join(&mut self.groups.group, &mut self.rows.group);
        TriangleFactsOut::join(&mut self.groups.facts, &mut self.rows.told);
        self.rows.group_valid.next = self.groups.group_valid.val();
        self.groups.group_ready.next = self.rows.group_ready.val();
        // Rows to quads.
        QuadRowOut::join(&mut self.rows.row, &mut self.emit.row);
        DepthFactsOut::join(&mut self.rows.facts, &mut self.emit.told);
        self.emit.row_valid.next = self.rows.row_valid.val();
        self.rows.room.next = self.emit.room.val();
        self.rows.facts_taken.next = self.emit.facts_taken.val();
        self.quad_valid.next = self.emit.quad_valid.val();
        self.emit.quad_ready.next = self.quad_ready.val();
        QuadOut::link(&mut self.quad, &mut self.emit.quad);
        self.tile_done.next = self.emit.tile_done.val();
    }
}
