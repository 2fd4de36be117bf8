//! Is a triangle hidden in a tile? The binner asks at its output (HZ-13), when triangles of the
//! window that come later are known. The triangle is hidden if it is in every group of 8 by 8
//! pixels in which its bounding box meets the tile. It is hidden in a group if
//!
//! - its draw may be culled and is of an opaque run,
//! - the bound is known, of this pass and of its direction,
//! - the last triangle that changed it is of its own run, and
//! - the triangle's nearest vertex is strictly behind it.
//!
//! If bounds know of what was drawn only (`hi_z_update = back`) runs do not count, and what is
//! level with a bound fails a test by less or greater.
//!
//! The plane's depth at the group's corners would say more (`HideTest`). It needs two products for
//! each tile. Where it counts, in triangles that are much larger than a tile, the rasteriser asks
//! again for each group.
//!
//! ```text
//! cycle 0     the first group's bound is read
//! cycle g     group g is read, the one before is tested
//! answer      after the first group that is seen, or after the last; until the pair is taken
//! ```
//!
//! If the bound that says so is none at all, in a machine of which triangles go past the unit, the
//! pair's triangle is to be learned (HZ-23, `lacks`; `late_bounds.rs`).
//!
//! One group per cycle: a tile of 16 by 16 pixels is answered in the third to the sixth cycle. A
//! draw of no opaque run is answered in the second. The answer is a register.
//!
//! It can be wrong by hiding what is seen: a group that is left out, a bound of another run, and an
//! answer that is the one of the pair before. Planted faults: `tile-test-group`, `tile-test-run`,
//! `tile-test-level`, `tile-test-stale`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::pass;
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{CullEventOut, GroupAskOut, GroupBoundIn, StateWriteIn, TriangleDataIn};
use crate::visibility::DrawClasses;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct TileTest {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state; the tile's side is kept.
    pub state: StateWriteIn,
    /// Query whether a triangle is hidden in a tile. Held until the pair is taken.
    pub query_valid: Signal<In, bool>,
    /// First pixel of the tile in x.
    pub query_x: Signal<In, Bits<12>>,
    /// In y.
    pub query_y: Signal<In, Bits<12>>,
    /// The triangle; its bounding box meets the tile.
    pub triangle: TriangleDataIn,
    /// The pair is taken: the next one is another.
    pub query_taken: Signal<In, bool>,
    /// The answer is there; it stays while the query does.
    pub answer_valid: Signal<Out, bool>,
    /// It: nothing of the triangle can be seen in the tile.
    pub hidden: Signal<Out, bool>,
    /// The group of quads whose bound a test reads.
    pub read: GroupAskOut,
    /// Context of the triangle's run.
    pub read_run: Signal<Out, Bits<6>>,
    /// A cycle later: the triangle's run.
    pub run: Signal<In, Bits<13>>,
    /// The bound of a group of quads in Hi-Z.
    pub bound_ports: GroupBoundIn,
    // With a cull pipeline: one each, or none.
    /// The group that was read in the cycle before has no bound.
    pub unknown: Vec<Signal<In, bool>>,
    /// Pulse: a pair is taken, may be seen, and a group of it has no bound.
    pub lacks: Vec<Signal<Out, bool>>,
    /// Event: the pair is hidden, and taken.
    pub cull: CullEventOut,
    /// The group that said the triangle is seen has no bound.
    lacking: Vec<DFF<bool>>,
    classes: DrawClasses,
    side: DFF<Bits<3>>,
    /// The walk over groups has begun; all of them are read.
    walking: DFF<bool>,
    walked: DFF<bool>,
    x: DFF<Bits<9>>,
    y: DFF<Bits<9>>,
    /// A group's bound is here; it is the last one.
    bound_here: DFF<bool>,
    bound_here_last: DFF<bool>,
    nearest: DFF<Bits<24>>,
    answered: DFF<bool>,
    hides: DFF<bool>,
    within: Signal<Local, Bits<12>>,
    near_x: Signal<Local, Bits<12>>,
    near_y: Signal<Local, Bits<12>>,
    far_x: Signal<Local, Bits<12>>,
    far_y: Signal<Local, Bits<12>>,
    first_x: Signal<Local, Bits<9>>,
    first_y: Signal<Local, Bits<9>>,
    end_x: Signal<Local, Bits<9>>,
    end_y: Signal<Local, Bits<9>>,
    now_x: Signal<Local, Bits<9>>,
    now_y: Signal<Local, Bits<9>>,
    last_x: Signal<Local, bool>,
    last_y: Signal<Local, bool>,
    able: Signal<Local, bool>,
    reads: Signal<Local, bool>,
    behind: Signal<Local, bool>,
    of_run: Signal<Local, bool>,
    group_hidden: Signal<Local, bool>,
    fault_tile_test_group: Planted,
    fault_tile_test_run: Planted,
    fault_tile_test_level: Planted,
    fault_tile_test_stale: Planted,
    /// 1: bounds may be of later triangles; they are not.
    _ahead: usize,
    _earlier: usize,
    /// 1: the visibility unit asks.
    _unit: bool,
    /// 1: triangles come here that the visibility unit has not seen.
    _late: usize,
    _active: bool,
}

impl TileTest {
    /// For the contexts of that configuration, with its planted fault.
    pub fn new(config: &GpuConfig) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        let late = usize::from(config.culls_depth());
        Self {
            classes: DrawClasses::new(config),
            fault_tile_test_group: planted(Fault::TileTestGroup),
            fault_tile_test_run: planted(Fault::TileTestRun),
            fault_tile_test_level: planted(Fault::TileTestLevel),
            fault_tile_test_stale: planted(Fault::TileTestStale),
            unknown: vector(late),
            lacks: vector(late),
            lacking: vector(late),
            _late: late,
            _ahead: 1,
            _active: true,
            ..Default::default()
        }
    }

    /// For bounds that know of no later triangle. The visibility unit asks, or else the binner.
    pub fn earlier(config: &GpuConfig, unit: bool) -> Self {
        Self { _ahead: 0, _earlier: 1, _unit: unit, ..Self::new(config) }
    }
}

#[kernel]
impl TileTest {
    /// The bounding box of the triangle is cut to the tile.
    fn tile_box(&mut self) {
        comment!("module: tile_test");
        dff_setup!(self, clock, side, walking, walked, x, y, bound_here, bound_here_last, nearest, answered, hides);
        clock!(self, clock, classes);
        StateWriteIn::link(&mut self.state, &mut self.classes.state);
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::KIND)) {
            self.side.d.next = self.state.data.val().get_bits::<3>(4);
        }
        self.within.next = bits::<12>(7);
        if self.side.q.val() == bits::<3>(4) {
            self.within.next = bits::<12>(15);
        }
        if self.side.q.val() == bits::<3>(5) {
            self.within.next = bits::<12>(31);
        }
        // The box in the tile.
        self.near_x.next = self.query_x.val();
        if self.triangle.x0.val() > self.query_x.val() {
            self.near_x.next = self.triangle.x0.val();
        }
        self.near_y.next = self.query_y.val();
        if self.triangle.y0.val() > self.query_y.val() {
            self.near_y.next = self.triangle.y0.val();
        }
        self.far_x.next = self.query_x.val() | self.within.val();
        if self.triangle.x1.val() < (self.query_x.val() | self.within.val()) {
            self.far_x.next = self.triangle.x1.val();
        }
        self.far_y.next = self.query_y.val() | self.within.val();
        if self.triangle.y1.val() < (self.query_y.val() | self.within.val()) {
            self.far_y.next = self.triangle.y1.val();
        }
        self.first_x.next = self.near_x.val().get_bits::<9>(3);
        self.first_y.next = self.near_y.val().get_bits::<9>(3);
        self.end_x.next = self.far_x.val().get_bits::<9>(3);
        self.end_y.next = self.far_y.val().get_bits::<9>(3);
    }

    /// One group in each cycle is read, line by line.
    fn group_walk(&mut self) {
        self.now_x.next = self.first_x.val();
        self.now_y.next = self.first_y.val();
        if self.walking.q.val() {
            self.now_x.next = self.x.q.val();
            self.now_y.next = self.y.q.val();
        }
        self.last_x.next = (self.now_x.val() == self.end_x.val()) || self.fault_tile_test_group.val();
        self.last_y.next = self.now_y.val() == self.end_y.val();
        self.reads.next = self.query_valid.val() && !self.walked.q.val() && !self.answered.q.val();
        self.read.x.next = self.now_x.val();
        self.read.y.next = self.now_y.val();
        self.read_run.next = bit_cast::<6, 4>(self.triangle.context.val());
        self.bound_here.d.next = self.reads.val();
        self.bound_here_last.d.next = self.last_x.val() && self.last_y.val();
        if self.reads.val() {
            self.walking.d.next = true;
            self.x.d.next = self.now_x.val() + bits::<9>(1);
            self.y.d.next = self.now_y.val();
            if self.last_x.val() {
                self.x.d.next = self.first_x.val();
                self.y.d.next = self.now_y.val() + bits::<9>(1);
                self.walked.d.next = self.last_y.val();
            }
        }
    }

    /// The group that is here hides the triangle, or does not.
    fn group_test(&mut self) {
        // Of depths that grow everything is inverted: nearer is less.
        self.classes.context.next = self.triangle.context.val();
        self.nearest.d.next = self.triangle.z_low.val();
        if self.classes.class_ports.down.val() {
            self.nearest.d.next = !self.triangle.z_high.val();
        }
        self.able.next = self.classes.culls.val();
        for _k in 0..self._ahead {
            self.able.next = self.classes.opaque.val() && self.classes.culls.val();
        }
        // The group that is here.
        self.behind.next = (self.nearest.q.val() > self.bound_ports.bound.val())
            || ((self.nearest.q.val() == self.bound_ports.bound.val()) && self.fault_tile_test_level.val());
        self.of_run.next = (self.bound_ports.bound_run.val() == self.run.val()) || self.fault_tile_test_run.val();
        for _k in 0..self._earlier {
            // Less, or greater: what is level fails, too.
            self.behind.next = (self.nearest.q.val() > self.bound_ports.bound.val())
                || ((self.nearest.q.val() == self.bound_ports.bound.val())
                    && ((self.classes.class_ports.function.val() == bits::<3>(1))
                        || (self.classes.class_ports.function.val() == bits::<3>(4))
                        || self.fault_tile_test_level.val()));
            self.of_run.next = true;
        }
        self.group_hidden.next = self.bound_ports.known.val()
            && (self.bound_ports.bound_down.val() == self.classes.class_ports.down.val())
            && self.of_run.val()
            && self.behind.val();
    }

    /// The answer is kept until the pair is taken.
    fn answer(&mut self) {
        if self.bound_here.q.val() && !self.answered.q.val() {
            self.hides.d.next = self.group_hidden.val();
            self.answered.d.next = !self.group_hidden.val() || self.bound_here_last.q.val();
        }
        if self.reads.val() && !self.able.val() {
            self.answered.d.next = true;
            self.hides.d.next = false;
        }
        if (self.query_taken.val() && !self.fault_tile_test_stale.val()) || !self.query_valid.val() {
            self.walking.d.next = false;
            self.walked.d.next = false;
            self.bound_here.d.next = false;
            self.answered.d.next = false;
        }
        self.answer_valid.next = self.answered.q.val();
        self.hidden.next = self.hides.q.val();
    }

    /// A pair that found no bound is to be learned.
    fn lacking(&mut self) {
        for l in 0..self._late {
            dff_setup!(self, clock, lacking[l]);
            if self.bound_here.q.val() && !self.answered.q.val() {
                self.lacking[l].d.next = self.unknown[l].val();
            }
            if self.query_taken.val() || !self.query_valid.val() {
                self.lacking[l].d.next = false;
            }
            self.lacks[l].next = self.query_valid.val()
                && self.query_taken.val()
                && self.answered.q.val()
                && !self.hides.q.val()
                && self.lacking[l].q.val();
        }
    }

    /// The event tells that the triangle is hidden in the tile.
    fn cull_event(&mut self) {
        self.cull.valid.next =
            self.query_valid.val() && self.query_taken.val() && self.answered.q.val() && self.hides.q.val();
        self.cull.kind.next = bits::<2>(2);
        if self._unit {
            self.cull.kind.next = bits::<2>(1);
        }
        self.cull.order.next = self.triangle.order.val();
        self.cull.x.next = self.query_x.val();
        self.cull.y.next = self.query_y.val();
        self.cull.side.next = self.side.q.val();
    }
}
