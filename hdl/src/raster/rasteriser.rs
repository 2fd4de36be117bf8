//! Rasteriser: triangles in tiles become quads with coverage and depth, to the bit as
//! docs/graphics.md says it. Four parts one behind the other, each with registers of its own, so
//! that four triangles can be in it: [start](super::setup), [groups](super::groups),
//! [rows](super::rows), [quads](super::emit).
//!
//! One sample: a quad in every cycle within a triangle, a triangle of one quad every 4 cycles. n
//! samples: n + 1 cycles for a quad. Latency from the first cycle of a triangle to its first beat:
//! 16 cycles, 17 if its part of the tile has more than four groups.
//!
//! Each group of four by four quads may be asked about before it is covered (`query_*`, HZ-24):
//! whether all of it is hidden. The group waits for the answer, which may come in the same cycle;
//! `query` and `query_facts` stay. A group begins at any quad: it touches up to four groups of 8 by
//! 8 pixels. In a machine with Hi-Z it is one of them. One that is hidden goes no further, but what
//! it says of its triangle is said by the next one: that the triangle begins (`headless`), and that
//! it ends.
//!
//! With four levels some of the quads of a group that goes on are hidden, too (`part_*`). They are
//! left out, and rows of quads wait until it is known of which that is so.
//!
//! It can be wrong in each part's own way, and here in a wire and in a group that is hidden.
//! Planted faults: `raster-headless`, `raster-hidden-end`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::{RasterEmit, RasterGroups, RasterRows, RasterSetup};
use crate::base::{vector, Each, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{
    DepthFactsOut, GroupAnswerIn, PartAnswerIn, QuadGroupDataOut, QuadGroupOut, QuadOut, QuadRowOut, StateWriteIn,
    TileIn, TileStartOut, TriangleFactsOut, TriangleIn,
};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct Rasteriser {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state.
    pub state: StateWriteIn,
    /// There is a triangle in a tile; it stays until it is taken.
    pub triangle: TriangleIn,
    /// The tile.
    pub tile: TileIn,
    /// There is a beat.
    pub quad: QuadOut,
    /// Handle of vertex i of its triangle: entry of the attribute store.
    pub quad_vertex: Vec<Signal<Out, Bits<12>>>,
    /// Query whether a group is hidden. Held until the answer is valid and the group is taken.
    pub query: QuadGroupOut,
    /// Facts of its triangle.
    pub query_facts: TriangleFactsOut,
    /// The group is taken; the next query is for another group.
    pub query_taken: Signal<Out, bool>,
    /// Whether a group of quads is hidden.
    pub answer_ports: GroupAnswerIn,
    // With four levels: one each, or none.
    /// The group goes on to be covered in this cycle.
    pub part_begins: Vec<Signal<Out, bool>>,
    /// Which parts of a group are hidden.
    pub part: Each<PartAnswerIn>,
    /// A triangle has given all its quads in a tile, and they have been taken; one pulse for each
    /// triangle in a tile, in order. The binner closes tiles by it.
    pub tile_done: Signal<Out, bool>,
    setup: RasterSetup,
    groups: RasterGroups,
    rows: RasterRows,
    emit: RasterEmit,
    /// The group that began the triangle in the tile was hidden.
    headless: DFF<bool>,
    asks: Signal<Local, bool>,
    /// The group may go on, or is hidden.
    decided: Signal<Local, bool>,
    hides: Signal<Local, bool>,
    /// It goes no further.
    dropped: Signal<Local, bool>,
    begins: Signal<Local, bool>,
    fault_raster_headless: Planted,
    fault_raster_hidden_end: Planted,
    _parts: bool,
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
            quad_vertex: vector(3),
            fault_raster_headless: Planted::new(config.has(Fault::RasterHeadless)),
            fault_raster_hidden_end: Planted::new(config.has(Fault::RasterHiddenEnd)),
            part_begins: vector(usize::from(config.tests_parts())),
            part: Each::new(usize::from(config.tests_parts())),
            _parts: config.tests_parts(),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for Rasteriser {
    #[kernel]
    fn update(&mut self) {
        comment!("module: rasteriser");
        dff_setup!(self, clock, headless);
        clock!(self, clock, setup, groups, rows, emit);
        StateWriteIn::link(&mut self.state, &mut self.setup.state);
        TriangleIn::link(&mut self.triangle, &mut self.setup.triangle);
        TileIn::link(&mut self.tile, &mut self.setup.tile);
        // Start to groups.
        TileStartOut::join(&mut self.setup.start, &mut self.groups.start);
        TriangleFactsOut::join(&mut self.setup.facts, &mut self.groups.in_facts);
        // Groups to rows.
        QuadGroupDataOut::join(&mut self.groups.group, &mut self.rows.group);
        TriangleFactsOut::join(&mut self.groups.facts, &mut self.rows.in_facts);
        QuadGroupDataOut::link(&mut self.query, &mut self.groups.group);
        TriangleFactsOut::link(&mut self.query_facts, &mut self.groups.facts);
        self.asks.next = self.groups.group.valid.val() && self.groups.group.columns.val().any();
        self.query.valid.next = self.asks.val();
        self.decided.next = self.groups.group.valid.val()
            && (!self.groups.group.columns.val().any() || self.answer_ports.answer_valid.val());
        self.hides.next = self.asks.val() && self.answer_ports.answer_valid.val() && self.answer_ports.hidden.val();
        self.dropped.next = self.hides.val() && (!self.groups.group.last.val() || self.fault_raster_hidden_end.val());
        self.begins.next =
            self.groups.group.first.val() || (self.headless.q.val() && !self.fault_raster_headless.val());
        self.rows.group.first.next = self.begins.val();
        if self.hides.val() {
            self.rows.group.columns.next = bits::<8>(0);
        }
        self.rows.group.valid.next = self.decided.val() && !self.dropped.val();
        self.groups.group.ready.next = self.dropped.val() || (self.decided.val() && self.rows.group.ready.val());
        self.query_taken.next = self.dropped.val() || (self.decided.val() && self.rows.group.ready.val());
        if self.dropped.val() {
            self.headless.d.next = self.begins.val();
        } else if self.decided.val() && self.rows.group.ready.val() {
            self.headless.d.next = false;
        }
        // Parts of it.
        if self._parts {
            self.part_begins[0].next = self.decided.val() && !self.dropped.val() && self.rows.group.ready.val();
            PartAnswerIn::link(&mut self.part[0], &mut self.rows.part[0]);
        }
        // Rows to quads.
        QuadRowOut::join(&mut self.rows.row, &mut self.emit.row);
        DepthFactsOut::join(&mut self.rows.facts, &mut self.emit.in_facts);
        self.rows.room.next = self.emit.room.val();
        self.rows.facts_taken.next = self.emit.facts_taken.val();
        QuadOut::link(&mut self.quad, &mut self.emit.quad);
        for k in 0..3 {
            self.quad_vertex[k].next = self.emit.quad_vertex[k].val();
        }
        self.tile_done.next = self.emit.tile_done.val();
    }
}
