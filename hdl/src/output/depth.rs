//! Depth and stencil, one block for both sides (docs/graphics.md, "Tests and blending"): `Quad`
//! beats on their way to be shaded, and `Commit` beats that come back. Page: docs/blocks/depth.md.
//!
//! Each side has queues and order of its own. They share one test unit, which takes a sample of a
//! quad per cycle and never stops. The late side has precedence there. A beat that is not to be
//! tested on its side goes past the unit and takes nothing from the other side.
//!
//! A quad that is to be tested early waits while an older one of its place is still to be tested
//! late. So a sample's tests are in order of triangles. Samples of one word may be tested in every
//! cycle: the new word is forwarded.
//!
//! Throughput: a beat per cycle on either side, as long as the other does not test. Latency 7
//! cycles early, 6 late.
//!
//! With `hi_z_update = back` each word that is written is told to the visibility unit. If that has
//! no room no request is taken, on either side; up to seven are under way. It waits for nobody, so
//! it has room again.
//!
//! It can be wrong where two tests of one word are near each other, and where early and late quads
//! of one place meet.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::stream::FlowOut;
use crate::base::{vector, Each, Fitted, Nothing, Quiet};
use crate::comment;
use crate::config::GpuConfig;
use crate::ports::{
    CommitIn, CommitOut, DepthRequestDataOut, DepthRequestOut, DepthUpdateOut, LineDataIn, QuadIn, QuadOut,
    QuadReadOut, QuadWriteOut, StateWriteIn, TileOpenedIn,
};

pub mod early;
pub mod lane;
pub mod late;
pub mod pending;
pub mod test_unit;
pub mod written;

use early::EarlySide;
use late::LateSide;
use test_unit::DepthTest;
use written::WrittenDepths;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct DepthStencil {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state: 6 and 21 to 23 of contexts, 1 of the pass.
    pub state: StateWriteIn,
    // Early side.
    /// Beat of a quad from the rasteriser.
    pub early_quad: QuadIn,
    /// A beat goes to the collector.
    /// The beat, with the coverage that is left.
    pub quad: QuadOut,
    // Late side.
    /// Beat of a shaded quad from the result store.
    pub late_commit: CommitIn,
    /// A beat goes to blending.
    /// The beat, with the coverage that is left.
    pub commit: CommitOut,
    // Depth memory of the tile buffers.
    /// The word that is read; any word if none is needed.
    pub read: QuadReadOut,
    /// The word that was read in the last cycle: depth 23:0 and stencil 31:24 of each lane. Whether
    /// it contains a write of that cycle does not matter.
    pub read_line: LineDataIn,
    /// The word that is written.
    pub write: QuadWriteOut,
    // With `hi_z_update = back`: one each, or none.
    /// A tile buffer is open for a tile.
    pub opened_ports: Each<TileOpenedIn>,
    /// The receiver of written depths has room. Without room only tests in flight complete.
    pub update_room: Vec<Signal<In, bool>>,
    /// Depths were written, for the visibility unit (HZ-24): never without them.
    pub update: DepthUpdateOut,
    early_side: EarlySide,
    late_side: LateSide,
    unit: DepthTest,
    written: Fitted<WrittenDepths>,
    /// 1: depths that are written are told; they are not.
    _tells: usize,
    _silent: usize,
    _active: bool,
}

impl DepthStencil {
    /// At rest, with the planted faults of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let tells = usize::from(config.updates_back());
        Self {
            opened_ports: Each::new(tells),
            update_room: vector(tells),
            written: Fitted::new(WrittenDepths::new(config), config.updates_back()),
            _tells: tells,
            _silent: 1 - tells,
            early_side: EarlySide::new(config),
            late_side: LateSide::new(config),
            unit: DepthTest::new(config),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for DepthStencil {
    #[kernel]
    fn update(&mut self) {
        comment!("module: depth_stencil");
        clock!(self, clock, early_side, late_side, unit);
        StateWriteIn::link(&mut self.state, &mut self.early_side.state);
        StateWriteIn::link(&mut self.state, &mut self.late_side.state);
        StateWriteIn::link(&mut self.state, &mut self.unit.state);
        QuadIn::link(&mut self.early_quad, &mut self.early_side.in_quad);
        QuadOut::link(&mut self.quad, &mut self.early_side.quad);
        CommitIn::link(&mut self.late_commit, &mut self.late_side.in_commit);
        CommitOut::link(&mut self.commit, &mut self.late_side.commit);
        // The test unit.
        DepthRequestOut::join(&mut self.early_side.request, &mut self.unit.early_req);
        FlowOut::<DepthRequestDataOut>::join(&mut self.late_side.request, &mut self.unit.late_req);
        fan_out!(self.unit.pass_lanes => self.early_side.pass_lanes, self.late_side.pass_lanes);
        self.early_side.late_done.next = self.late_side.late_done.val();
        self.early_side.late_done_place.next = self.late_side.late_done_place.val();
        // The depth memory.
        QuadReadOut::link(&mut self.read, &mut self.unit.read);
        LineDataIn::link(&mut self.read_line, &mut self.unit.read_line);
        QuadWriteOut::link(&mut self.write, &mut self.unit.write);
        for _k in 0..self._silent {
            Quiet::<DepthUpdateOut>::join(&mut self.update, &mut Nothing);
        }
        for k in 0..self._tells {
            clock!(self, clock, written);
            StateWriteIn::link(&mut self.state, &mut self.written.state);
            QuadWriteOut::join(&mut self.unit.write, &mut self.written.write);
            TileOpenedIn::link(&mut self.opened_ports[k], &mut self.written.opened_ports);
            DepthUpdateOut::link(&mut self.update, &mut self.written.update);
            if !self.update_room[k].val() {
                self.unit.early_req.valid.next = false;
                self.early_side.request.ready.next = false;
                self.late_side.in_commit.valid.next = false;
                self.late_commit.ready.next = false;
            }
        }
    }
}
