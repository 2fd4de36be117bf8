//! Intake of corners: they are counted and wait in a queue until their vertices are viewed.
//!
//! Two queues get each corner: all of them wait for assembly, those that name a vertex for the
//! first time also for the view unit. That one takes them in order, each when it is shaded, and is
//! done with them in order. So assembly only counts vertices that are done: a corner that came with
//! a new vertex takes one of them. A later corner of the same vertex is behind it.
//!
//! Vertices that the clipper makes go before those of the queue. While it is at work no vertex of
//! the queue begins, so that the words can be read.
//!
//! It can be wrong in a corner that does not wait for its vertex. Deadlock: the oldest vertex of
//! the view queue is that of the oldest corner which waits.
//!
//! Planted fault: `geometry-unviewed`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::role::GeometryRole;
use crate::base::stream::FlowOut;
use crate::base::{vector, Planted};
use crate::cell::AsyncRam;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{CornerDataOut, CornerIn, MadeVertexIn, ShadedVertexOut};

/// Corners that wait.
const CORNERS: usize = 64;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct GeometryIntake {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A corner comes.
    pub corner: CornerIn,
    /// Behind a cull pipeline: it is none, a triangle is left out. One, or none.
    pub corner_skip: Vec<Signal<In, bool>>,
    /// A reference is to be counted in this cycle.
    pub count: Signal<Out, bool>,
    /// Of that entry.
    pub count_entry: Signal<Out, Bits<12>>,
    /// It is the first that names the vertex.
    pub fresh: Signal<In, bool>,
    /// The first corner of a draw is taken.
    pub opens: Signal<Out, bool>,
    /// Its context.
    pub opens_context: Signal<Out, Bits<4>>,
    /// The vertex that is next for the view unit.
    pub query: Signal<Out, Bits<12>>,
    /// It is shaded.
    pub is_shaded: Signal<In, bool>,
    /// The clipper is at work.
    pub clipping: Signal<In, bool>,
    /// A vertex that clipping has made.
    pub made_ports: MadeVertexIn,
    /// A vertex that was shaded, to be divided and placed.
    pub vertex: ShadedVertexOut,
    /// It is taken in this cycle if valid.
    pub vertex_ready: Signal<In, bool>,
    /// The view unit is done with a vertex of the queue.
    pub done: Signal<In, bool>,
    /// It is taken.
    pub head_take: Signal<In, bool>,
    /// The oldest corner, viewed.
    pub head: FlowOut<CornerDataOut>,
    /// It is none, a triangle is left out.
    pub head_skip: Vec<Signal<Out, bool>>,
    /// No corner waits.
    pub idle: Signal<Out, bool>,
    corners: AsyncRam,
    vertices: AsyncRam,
    ready: DFF<bool>,
    fill: DFF<Bits<6>>,
    at: DFF<Bits<6>>,
    view_fill: DFF<Bits<6>>,
    view_at: DFF<Bits<6>>,
    viewed: DFF<Bits<6>>,
    in_draw: DFF<bool>,
    taken: Signal<Local, bool>,
    /// It names a vertex.
    names: Signal<Local, bool>,
    word: Signal<Local, Bits<32>>,
    size: Signal<Local, Bits<6>>,
    waits: Signal<Local, bool>,
    view_valid: Signal<Local, bool>,
    view_take: Signal<Local, bool>,
    fault_geometry_unviewed: Planted,
    _behind: usize,
    _active: bool,
}

impl GeometryIntake {
    /// At rest, with that configuration's planted faults.
    pub fn new(config: &GpuConfig, role: GeometryRole) -> Self {
        let behind = usize::from(role == GeometryRole::Behind);
        Self {
            corner_skip: vector(behind),
            head_skip: vector(behind),
            _behind: behind,
            corners: AsyncRam::new(CORNERS, 19 + behind),
            vertices: AsyncRam::new(CORNERS, 16),
            fault_geometry_unviewed: Planted::new(config.has(Fault::GeometryUnviewed)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl GeometryIntake {
    /// A corner comes, and its word is made.
    fn arrival(&mut self) {
        comment!("module: geometry_intake");
        dff_setup!(self, clock, ready, fill, at, view_fill, view_at, viewed, in_draw);
        clock!(self, clock, corners, vertices);
        // A corner comes. Two places are left for those that are on their way while it is told.
        self.size.next = self.fill.q.val() - self.at.q.val();
        self.ready.d.next = self.size.val() < bits::<6>(60);
        self.corner.ready.next = self.ready.q.val();
        self.taken.next = self.corner.valid.val() && self.ready.q.val();
        self.names.next = !self.corner.end.val();
        for k in 0..self._behind {
            if self.corner_skip[k].val() {
                self.names.next = false;
            }
        }
        self.count.next = self.taken.val() && self.names.val();
        self.count_entry.next = self.corner.entry.val();
        self.opens.next = self.taken.val() && !self.corner.end.val() && !self.in_draw.q.val();
        self.opens_context.next = self.corner.context.val();
        self.word.next = bit_cast::<32, 12>(self.corner.entry.val())
            | (bit_cast::<32, 4>(self.corner.context.val()) << bits::<32>(12));
        if self.corner.end.val() {
            self.word.next = (bit_cast::<32, 4>(self.corner.context.val()) << bits::<32>(12)) | bits::<32>(0x4_0000);
        }
        if self.corner.restart.val() && !self.corner.end.val() {
            self.word.next = bit_cast::<32, 12>(self.corner.entry.val())
                | (bit_cast::<32, 4>(self.corner.context.val()) << bits::<32>(12))
                | bits::<32>(0x1_0000);
        }
        for k in 0..self._behind {
            if self.corner_skip[k].val() {
                // Of a mark the entry says whether an instance begins.
                self.word.next = bit_cast::<32, 12>(self.corner.entry.val())
                    | (bit_cast::<32, 4>(self.corner.context.val()) << bits::<32>(12))
                    | bits::<32>(0x8_0000);
            }
            self.head_skip[k].next = self.corners.read_data.val().get_bit(19);
        }
    }

    /// Both queues are written.
    fn queues(&mut self) {
        self.corners.write_enable.next = self.taken.val();
        self.corners.write_address.next = self.fill.q.val();
        self.corners.write_data.next = self.word.val();
        if self.fresh.val() && self.names.val() {
            self.corners.write_data.next = self.word.val() | bits::<32>(0x2_0000);
        }
        self.vertices.write_enable.next = self.count.val() && self.fresh.val();
        self.vertices.write_address.next = self.view_fill.q.val();
        self.vertices.write_data.next = self.word.val();
        if self.taken.val() {
            self.fill.d.next = self.fill.q.val() + bits::<6>(1);
            self.in_draw.d.next = !self.corner.end.val();
        }
        if self.count.val() && self.fresh.val() {
            self.view_fill.d.next = self.view_fill.q.val() + bits::<6>(1);
        }
    }

    /// The view unit is offered a vertex of the queue, or one of the clipper.
    fn view_offer(&mut self) {
        self.vertices.read_address.next = self.view_at.q.val();
        self.query.next = self.vertices.read_data.val().get_bits::<12>(0);
        self.view_valid.next =
            (self.view_at.q.val() != self.view_fill.q.val()) && self.is_shaded.val() && !self.clipping.val();
        self.vertex.valid.next = self.view_valid.val() || self.made_ports.made_valid.val();
        self.vertex.entry.next = self.vertices.read_data.val().get_bits::<12>(0);
        self.vertex.context.next = self.vertices.read_data.val().get_bits::<4>(12);
        self.vertex.made.next = self.made_ports.made_valid.val();
        if self.made_ports.made_valid.val() {
            self.vertex.entry.next = self.made_ports.made_entry.val();
            self.vertex.context.next = self.made_ports.made_context.val();
        }
        self.made_ports.made_ready.next = self.vertex_ready.val();
        self.view_take.next = self.view_valid.val() && !self.made_ports.made_valid.val() && self.vertex_ready.val();
        if self.view_take.val() {
            self.view_at.d.next = self.view_at.q.val() + bits::<6>(1);
        }
    }

    /// Assembly is offered the oldest corner when its vertex is viewed.
    fn assembly_offer(&mut self) {
        self.corners.read_address.next = self.at.q.val();
        self.waits.next = self.corners.read_data.val().get_bit(17)
            && !self.viewed.q.val().any()
            && !self.fault_geometry_unviewed.val();
        self.head.valid.next = (self.at.q.val() != self.fill.q.val()) && !self.waits.val();
        self.head.entry.next = self.corners.read_data.val().get_bits::<12>(0);
        self.head.context.next = self.corners.read_data.val().get_bits::<4>(12);
        self.head.end.next = self.corners.read_data.val().get_bit(18);
        self.head.restart.next = self.corners.read_data.val().get_bit(16);
        if self.head_take.val() {
            self.at.d.next = self.at.q.val() + bits::<6>(1);
        }
        if self.done.val() && !(self.head_take.val() && self.corners.read_data.val().get_bit(17)) {
            self.viewed.d.next = self.viewed.q.val() + bits::<6>(1);
        }
        if !self.done.val() && self.head_take.val() && self.corners.read_data.val().get_bit(17) {
            self.viewed.d.next = self.viewed.q.val() - bits::<6>(1);
        }
        self.idle.next = self.at.q.val() == self.fill.q.val();
    }
}
