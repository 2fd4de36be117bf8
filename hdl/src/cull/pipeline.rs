//! The cull pipeline behind its command streamer: a vertex front end and geometry of its own, small
//! ones, and the visibility record (HZ-30 to HZ-32).
//!
//! ```text
//! draws -> vertex front end -> position programs on the warp units -> geometry -> [visibility unit]
//!                                                                       | event        | seen?
//!                                                                       +--> record <--+ -> replay
//! ```
//!
//! Its vertices have entries of a store of their own; only words 0 to 3 come. Geometry culls what
//! is outside, has no area, or shows its culled face. It has no clipper: what a clip plane cuts may
//! be seen. Triangles that are left go to the visibility unit, with `cull_pipeline = depth`, and
//! their records are free when that one is done with them.
//!
//! Corners are held back while the record is full. It can be wrong in a connection, and by waiting
//! for a record that waits for it: the reader never waits for anything here but its own bit.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::VisibilityRecord;
use crate::comment;
use crate::config::{GpuConfig, Tbimr};
use crate::geometry::{Geometry, GeometryRole};
use crate::ports::{
    AheadEventOut, CornerDataOut, CullDoneIn, DrawIn, DroppedEntryOut, FreeEntryOut, LineFetchOut, LineIn,
    ShadedEntriesIn, StateWriteIn, TriangleBitOut, TriangleDataOut, TriangleEventOut, TriangleOut, VertexBatchOut,
    VertexWordIn,
};
use crate::vertex::{FrontRole, VertexFrontEnd};

/// Entries of its attribute store, and records of triangles.
const STORE: usize = 64;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct CullPipeline {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of states and of the pass.
    pub state: StateWriteIn,
    /// There is a draw.
    pub draw: DrawIn,
    /// A read of a line of memory.
    pub m_req: LineFetchOut,
    /// The answer to the oldest request comes; it is always taken.
    pub m_rsp: LineIn,
    /// There is a batch of vertices.
    /// Vertices for a warp.
    pub batch: VertexBatchOut,
    /// Word of vertices, written by a vertex warp.
    pub vertex_word: VertexWordIn,
    /// A warp of vertices has ended.
    pub shaded_ports: ShadedEntriesIn,
    /// With depth: a triangle is set up.
    pub triangle: TriangleOut,
    /// What the visibility unit says of a triangle.
    pub done: CullDoneIn,
    /// Whether a triangle is to be drawn, in order.
    pub cull_bit_ports: TriangleBitOut,
    /// Contexts that something here names.
    pub contexts: Signal<Out, Bits<16>>,
    /// Nothing is here but bits.
    pub idle: Signal<Out, bool>,
    /// Event: what was found of a triangle.
    pub ahead: AheadEventOut,
    front_end: VertexFrontEnd,
    geometry: Geometry,
    record: VisibilityRecord,
    /// 1: the visibility unit takes triangles.
    #[size]
    _depth: bool,
    _active: bool,
}

impl CullPipeline {
    /// For the contexts of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let small = GpuConfig {
            tbimr: Tbimr::Off,
            store_triangles: Some(STORE),
            store_vertices: Some(STORE),
            ..config.clone()
        };
        Self {
            front_end: VertexFrontEnd::new(&small, FrontRole::Plain),
            geometry: Geometry::new(&small, GeometryRole::Positions),
            record: VisibilityRecord::new(config),
            _depth: config.culls_depth(),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel(wired)]
impl CullPipeline {
    /// Draws become vertices, and their positions and corners go to geometry.
    fn vertices(&mut self) {
        comment!("module: cull_pipeline");
        clock!(self, clock, front_end, geometry, record);
        StateWriteIn::link(&mut self.state, &mut self.geometry.state);
        // Vertices.
        DrawIn::link(&mut self.draw, &mut self.front_end.draw);
        LineFetchOut::link(&mut self.m_req, &mut self.front_end.m_req);
        LineIn::link(&mut self.m_rsp, &mut self.front_end.m_rsp);
        FreeEntryOut::join(&mut self.geometry.entry_ports, &mut self.front_end.entry_ports);
        DroppedEntryOut::join(&mut self.front_end.drop, &mut self.geometry.drop);
        self.front_end.drop_ready.next = self.geometry.drop_ready.val();
        VertexBatchOut::link(&mut self.batch, &mut self.front_end.batch);
        // Positions, corners.
        VertexWordIn::link(&mut self.vertex_word, &mut self.geometry.vertex_word);
        ShadedEntriesIn::link(&mut self.shaded_ports, &mut self.geometry.shaded_ports);
        self.geometry.corner.valid.next = self.front_end.corner.valid.val() && self.record.room.val();
        self.front_end.corner.ready.next = self.geometry.corner.ready.val() && self.record.room.val();
        CornerDataOut::join(&mut self.front_end.corner, &mut self.geometry.corner);
        // No fragment asks here.
        self.geometry.store_req.valid.next = false;
        self.geometry.store_req.source.next = bits::<4>(0);
        self.geometry.store_req.handle.next = bits::<12>(0);
        self.geometry.store_req.edge.next = false;
        self.geometry.store_req.corner.next = bits::<2>(0);
        self.geometry.store_req.word.next = bits::<6>(0);
    }

    /// Triangles go to the visibility unit, or their records are free at once.
    fn triangles(&mut self) {
        // Triangles.
        TriangleEventOut::join(&mut self.geometry.triangle_event, &mut self.record.triangle_event);
        TriangleDataOut::link(&mut self.triangle, &mut self.geometry.triangle);
        self.triangle.valid.next = false;
        self.geometry.triangle.ready.next = true;
        self.geometry.free_ports.free_valid.next = self.geometry.triangle.valid.val();
        self.geometry.free_ports.free_handle.next = self.geometry.triangle.handle.val();
        self.record.done_valid.next = false;
        self.done.ready.next = self.record.done_ready.val();
        self.record.done_order.next = self.done.order.val();
        self.record.done_shows.next = self.done.shows.val();
        if self._depth {
            self.triangle.valid.next = self.geometry.triangle.valid.val();
            self.geometry.triangle.ready.next = self.triangle.ready.val();
            self.geometry.free_ports.free_valid.next = self.done.valid.val() && self.record.done_ready.val();
            self.geometry.free_ports.free_handle.next = self.done.handle.val();
            self.record.done_valid.next = self.done.valid.val();
        }
    }

    /// The record gives a bit for each triangle.
    fn record(&mut self) {
        TriangleBitOut::link(&mut self.cull_bit_ports, &mut self.record.cull_bit_ports);
        AheadEventOut::link(&mut self.ahead, &mut self.record.ahead);
        self.contexts.next = self.front_end.contexts.val() | self.geometry.contexts.val();
        self.idle.next = self.front_end.idle.val() && self.geometry.idle.val();
    }
}
