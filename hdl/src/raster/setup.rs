//! First part of the rasteriser: where does a triangle begin in a tile, and what are its edges and
//! its depth there? The tile's pixels that lie in the bounding box begin at some quad; a plane's
//! value there is its value at the target's corner, plus slope times place in x and in y.
//!
//! ```text
//! cycle 0     operands of plane p (edges 0, 1, 2, depth: one in each cycle), first quad
//! cycle 1     two products, rounding and top-left rule
//! cycle 2     sum, into the start that waits for the groups
//! ```
//!
//! A triangle is taken in its fourth cycle: until then it stays at the port. Latency 6 from the
//! first cycle to a start that is valid; a triangle every 4 cycles. Everything waits while the
//! start of the tile before is not taken; `triangle_ready` depends on registers only.
//!
//! Contract: a tile is 8, 16 or 32 pixels wide and high, and aligned to that.
//!
//! It can be wrong in the box, in the rule for samples on an edge, and in facts that belong to
//! another triangle than the start: they are written in the fourth cycle, when the start before
//! has just gone.
//!
//! Planted faults: `raster-top-rule`, `raster-left-rule`, `raster-box-right`, `raster-box-top`,
//! `raster-rounding`, `raster-mask-ignored`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::{pass, state};
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::cell::{EdgeReach, PlaneConstant, PlaneFloor, PlaneProduct, PlaneSlope, PlaneStart};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{QuadCorners, QuadOwner, StateWriteIn, TileIn, TileStartOut, TriangleFactsOut, TriangleIn};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct RasterSetup {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state; sample masks, samples and the tile's side are kept.
    pub state: StateWriteIn,
    /// There is a triangle in a tile; it stays until it is taken.
    pub triangle: TriangleIn,
    /// The tile.
    pub tile: TileIn,
    /// There is a start.
    pub start: TileStartOut,
    /// Facts of its triangle.
    pub facts: TriangleFactsOut,
    slope_x: PlaneSlope,
    slope_y: PlaneSlope,
    corner: PlaneConstant,
    rounded: PlaneFloor,
    product_x: PlaneProduct,
    product_y: PlaneProduct,
    reach: EdgeReach,
    begin_sum: PlaneStart,
    /// Sample mask of each context.
    masks: Vec<DFF<Bits<4>>>,
    samples: DFF<Bits<2>>,
    /// Log2 of the tile's side in pixels.
    side: DFF<Bits<3>>,
    /// Plane whose operands are taken.
    phase: DFF<Bits<2>>,
    // Operands of a plane.
    o_valid: DFF<bool>,
    o_plane: DFF<Bits<2>>,
    o_slope_x: DFF<Bits<55>>,
    o_slope_y: DFF<Bits<55>>,
    o_constant: DFF<Bits<60>>,
    o_x: DFF<Bits<11>>,
    o_y: DFF<Bits<11>>,
    // Its products.
    p_valid: DFF<bool>,
    p_plane: DFF<Bits<2>>,
    p_x: DFF<Bits<55>>,
    p_y: DFF<Bits<55>>,
    p_floor: DFF<Bits<55>>,
    p_group: DFF<Bits<31>>,
    p_whole: DFF<Bits<31>>,
    // The start and the facts.
    valid: DFF<bool>,
    edge: Vec<DFF<Bits<44>>>,
    group: Vec<DFF<Bits<31>>>,
    whole: Vec<DFF<Bits<31>>>,
    z: DFF<Bits<55>>,
    x: DFF<Bits<11>>,
    y: DFF<Bits<11>>,
    columns: DFF<Bits<2>>,
    rows: DFF<Bits<2>>,
    left: DFF<Bits<3>>,
    top: DFF<Bits<3>>,
    right: DFF<Bits<12>>,
    bottom: DFF<Bits<12>>,
    void: DFF<bool>,
    last: DFF<bool>,
    a: Vec<DFF<Bits<24>>>,
    b: Vec<DFF<Bits<24>>>,
    gx: DFF<Bits<55>>,
    gy: DFF<Bits<55>>,
    low: DFF<Bits<24>>,
    high: DFF<Bits<24>>,
    owner: DFF<Bits<36>>,
    corners: DFF<Bits<36>>,
    count: DFF<Bits<2>>,
    mask: DFF<Bits<4>>,
    go: Signal<Local, bool>,
    /// The last cycle of a triangle.
    taken: Signal<Local, bool>,
    within: Signal<Local, Bits<12>>,
    far_x: Signal<Local, Bits<12>>,
    far_y: Signal<Local, Bits<12>>,
    min_x: Signal<Local, Bits<12>>,
    min_y: Signal<Local, Bits<12>>,
    max_x: Signal<Local, Bits<12>>,
    max_y: Signal<Local, Bits<12>>,
    /// First quad.
    first_x: Signal<Local, Bits<11>>,
    first_y: Signal<Local, Bits<11>>,
    wide: Signal<Local, Bits<11>>,
    high_quads: Signal<Local, Bits<11>>,
    owner_now: Signal<Local, Bits<36>>,
    corners_now: Signal<Local, Bits<36>>,
    mask_now: Signal<Local, Bits<4>>,
    slope_a: Signal<Local, Bits<24>>,
    slope_b: Signal<Local, Bits<24>>,
    is_left: Signal<Local, bool>,
    is_top: Signal<Local, bool>,
    is_depth: Signal<Local, bool>,
    fault_raster_top_rule: Planted,
    fault_raster_left_rule: Planted,
    fault_raster_box_right: Planted,
    fault_raster_box_top: Planted,
    fault_raster_rounding: Planted,
    fault_raster_mask_ignored: Planted,
    _contexts: usize,
    /// 1: groups begin at multiples of 8 pixels.
    _aligned: bool,
    _active: bool,
}

impl RasterSetup {
    /// The part with that configuration's planted fault.
    pub fn new(config: &GpuConfig) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        Self {
            masks: vector(config.contexts),
            edge: vector(3),
            group: vector(3),
            whole: vector(3),
            a: vector(3),
            b: vector(3),
            fault_raster_top_rule: planted(Fault::RasterTopRule),
            fault_raster_left_rule: planted(Fault::RasterLeftRule),
            fault_raster_box_right: planted(Fault::RasterBoxRight),
            fault_raster_box_top: planted(Fault::RasterBoxTop),
            fault_raster_rounding: planted(Fault::RasterRounding),
            fault_raster_mask_ignored: planted(Fault::RasterMaskIgnored),
            _contexts: config.contexts,
            _aligned: config.hides(),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl RasterSetup {
    /// Words of state give the sample masks, the samples and the tile's side.
    fn state_words(&mut self) {
        comment!("module: raster_setup");
        dff_setup!(self, clock, samples, side, phase, o_valid, o_plane, o_slope_x, o_slope_y, o_constant, o_x, o_y);
        dff_setup!(self, clock, p_valid, p_plane, p_x, p_y, p_floor, p_group, p_whole);
        dff_setup!(self, clock, valid, z, x, y, columns, rows, left, top, right, bottom, void, last);
        dff_setup!(self, clock, gx, gy, low, high, owner, corners, count, mask);
        // State.
        for k in 0..self._contexts {
            dff_setup!(self, clock, masks[k]);
            if self.state.valid.val()
                && (self.state.word.val() == bits::<6>(state::SAMPLE_MASK))
                && (self.state.context.val() == k.to_bits::<4>())
            {
                self.masks[k].d.next = self.state.data.val().get_bits::<4>(0);
            }
        }
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::KIND)) {
            self.samples.d.next = self.state.data.val().get_bits::<2>(0);
            self.side.d.next = self.state.data.val().get_bits::<3>(4);
        }
    }

    /// Planes follow each other, and all stands still while a start waits.
    fn phases(&mut self) {
        self.go.next = !self.valid.q.val() || self.start.ready.val();
        self.taken.next = self.go.val() && (self.phase.q.val() == bits::<2>(3));
        self.triangle.ready.next = self.taken.val();
        if self.go.val() && self.triangle.valid.val() {
            self.phase.d.next = self.phase.q.val() + bits::<2>(1);
        }
        if self.go.val() {
            self.o_valid.d.next = self.triangle.valid.val();
            self.p_valid.d.next = self.o_valid.q.val();
            self.valid.d.next = self.p_valid.q.val() && (self.p_plane.q.val() == bits::<2>(3));
        }
    }

    /// The tile's pixels in the bounding box give the first quad and the extent.
    fn tile_box(&mut self) {
        self.within.next = bits::<12>(7);
        if self.side.q.val() == bits::<3>(4) {
            self.within.next = bits::<12>(15);
        }
        if self.side.q.val() == bits::<3>(5) {
            self.within.next = bits::<12>(31);
        }
        self.far_x.next = self.tile.x.val() | self.within.val();
        self.far_y.next = self.tile.y.val() | self.within.val();
        self.min_x.next = self.tile.x.val();
        if self.triangle.x0.val() > self.tile.x.val() {
            self.min_x.next = self.triangle.x0.val();
        }
        self.min_y.next = self.tile.y.val();
        if self.triangle.y0.val() > self.tile.y.val() {
            self.min_y.next = self.triangle.y0.val();
        }
        self.max_x.next = self.far_x.val();
        if self.triangle.x1.val() < self.far_x.val() {
            self.max_x.next = self.triangle.x1.val();
            if self.fault_raster_box_right.val() {
                self.max_x.next = self.triangle.x1.val() + bits::<12>(1);
            }
        }
        self.max_y.next = self.far_y.val();
        if self.triangle.y1.val() < self.far_y.val() {
            self.max_y.next = self.triangle.y1.val();
        }
        self.first_x.next = self.min_x.val().get_bits::<11>(1);
        self.first_y.next = self.min_y.val().get_bits::<11>(1);
        if self._aligned {
            self.first_x.next = self.min_x.val().get_bits::<11>(1) & !bits::<11>(3);
            self.first_y.next = self.min_y.val().get_bits::<11>(1) & !bits::<11>(3);
        }
        self.wide.next = self.max_x.val().get_bits::<11>(1) - self.first_x.val();
        self.high_quads.next = self.max_y.val().get_bits::<11>(1) - self.first_y.val();
    }

    /// The phase chooses the operands of a plane.
    fn operands(&mut self) {
        self.slope_x.plane.next = self.phase.q.val();
        self.slope_x.edge0.next = self.triangle.a[0].val();
        self.slope_x.edge1.next = self.triangle.a[1].val();
        self.slope_x.edge2.next = self.triangle.a[2].val();
        self.slope_x.depth.next = self.triangle.gx.val();
        self.slope_y.plane.next = self.phase.q.val();
        self.slope_y.edge0.next = self.triangle.b[0].val();
        self.slope_y.edge1.next = self.triangle.b[1].val();
        self.slope_y.edge2.next = self.triangle.b[2].val();
        self.slope_y.depth.next = self.triangle.gy.val();
        self.corner.plane.next = self.phase.q.val();
        self.corner.edge0.next = self.triangle.c[0].val();
        self.corner.edge1.next = self.triangle.c[1].val();
        self.corner.edge2.next = self.triangle.c[2].val();
        self.corner.depth.next = self.triangle.z.val();
        if self.go.val() {
            self.o_plane.d.next = self.phase.q.val();
            self.o_slope_x.d.next = self.slope_x.slope.val();
            self.o_slope_y.d.next = self.slope_y.slope.val();
            self.o_constant.d.next = self.corner.constant.val();
            self.o_x.d.next = self.first_x.val();
            self.o_y.d.next = self.first_y.val();
        }
    }

    /// Slopes are multiplied by the place, and the constant is rounded.
    fn products(&mut self) {
        // Products. A quad's first centre is 4 q + 1 halves of a pixel from the corner.
        self.product_x.slope.next = self.o_slope_x.q.val();
        self.product_x.place.next = (bit_cast::<13, 11>(self.o_x.q.val()) << bits::<13>(2)) | bits::<13>(1);
        self.product_y.slope.next = self.o_slope_y.q.val();
        self.product_y.place.next = (bit_cast::<13, 11>(self.o_y.q.val()) << bits::<13>(2)) | bits::<13>(1);
        self.slope_a.next = self.o_slope_x.q.val().get_bits::<24>(0);
        self.slope_b.next = self.o_slope_y.q.val().get_bits::<24>(0);
        self.reach.a.next = self.slope_a.val();
        self.reach.b.next = self.slope_b.val();
        self.is_left.next = !self.slope_a.val().get_bit(23) && self.slope_a.val().any();
        self.is_top.next = !self.slope_a.val().any() && !self.slope_b.val().get_bit(23) && self.slope_b.val().any();
        self.is_depth.next = self.o_plane.q.val() == bits::<2>(3);
        self.rounded.constant.next = self.o_constant.q.val();
        self.rounded.depth.next = self.is_depth.val() && !self.fault_raster_rounding.val();
        self.rounded.takes.next = self.is_depth.val()
            || (self.is_left.val() && !self.fault_raster_left_rule.val())
            || (self.is_top.val() && !self.fault_raster_top_rule.val());
        if self.go.val() {
            self.p_plane.d.next = self.o_plane.q.val();
            self.p_x.d.next = self.product_x.product.val();
            self.p_y.d.next = self.product_y.product.val();
            self.p_floor.d.next = self.rounded.floor.val();
            self.p_group.d.next = self.reach.group.val();
            self.p_whole.d.next = self.reach.whole.val();
        }
    }

    /// The sum of a plane goes into the start that waits for the groups.
    fn plane_sum(&mut self) {
        self.begin_sum.x.next = self.p_x.q.val();
        self.begin_sum.y.next = self.p_y.q.val();
        self.begin_sum.floor.next = self.p_floor.q.val();
        for e in 0..3 {
            dff_setup!(self, clock, edge[e], group[e], whole[e]);
            if self.go.val() && (self.p_plane.q.val() == e.to_bits::<2>()) {
                self.edge[e].d.next = self.begin_sum.start.val().get_bits::<44>(0);
                self.group[e].d.next = self.p_group.q.val();
                self.whole[e].d.next = self.p_whole.q.val();
            }
        }
        if self.go.val() && (self.p_plane.q.val() == bits::<2>(3)) {
            self.z.d.next = self.begin_sum.start.val();
        }
    }

    /// Owner, corners and sample mask of the triangle are put together.
    fn owner(&mut self) {
        self.owner_now.next = bits::<36>(0);
        self.corners_now.next = bits::<36>(0);
        self.owner_now.next.set_value_context(self.triangle.context.val());
        self.owner_now.next.set_value_handle(self.triangle.handle.val());
        self.owner_now.next.set_value_order(self.triangle.order.val());
        self.owner_now.next.set_value_back(self.triangle.back.val());
        self.owner_now.next.set_value_buffer(self.tile.buffer.val());
        self.corners_now.next.set_value_vertex0(self.triangle.vertex[0].val());
        self.corners_now.next.set_value_vertex1(self.triangle.vertex[1].val());
        self.corners_now.next.set_value_vertex2(self.triangle.vertex[2].val());
        self.mask_now.next = self.masks[0].q.val();
        for k in 1..self._contexts {
            if self.triangle.context.val() == k.to_bits::<4>() {
                self.mask_now.next = self.masks[k].q.val();
            }
        }
        if self.fault_raster_mask_ignored.val() {
            self.mask_now.next = bits::<4>(15);
        }
    }

    /// Registers take the box and the slopes when the triangle leaves.
    fn triangle_registers(&mut self) {
        for e in 0..3 {
            dff_setup!(self, clock, a[e], b[e]);
            if self.taken.val() {
                self.a[e].d.next = self.triangle.a[e].val();
                self.b[e].d.next = self.triangle.b[e].val();
            }
        }
        if self.taken.val() {
            self.x.d.next = self.first_x.val();
            self.y.d.next = self.first_y.val();
            self.columns.d.next = self.wide.val().get_bits::<2>(2);
            self.rows.d.next = self.high_quads.val().get_bits::<2>(2);
            self.left.d.next = self.min_x.val().get_bits::<3>(0) & bits::<3>(1);
            self.top.d.next = self.min_y.val().get_bits::<3>(0) & bits::<3>(1);
            if self._aligned {
                self.left.d.next = self.min_x.val().get_bits::<3>(0);
                self.top.d.next = self.min_y.val().get_bits::<3>(0);
            }
            if self.fault_raster_box_top.val() {
                self.top.d.next = bits::<3>(0);
            }
            self.right.d.next = self.max_x.val();
            self.bottom.d.next = self.max_y.val();
            self.void.d.next = (self.min_x.val() > self.max_x.val())
                || (self.min_y.val() > self.max_y.val())
                || self.tile.hidden.val();
            self.last.d.next = self.tile.last.val();
            // Plane 3 is that of the depth.
            self.gx.d.next = self.slope_x.slope.val();
            self.gy.d.next = self.slope_y.slope.val();
            self.low.d.next = self.triangle.z_low.val();
            self.high.d.next = self.triangle.z_high.val();
            self.owner.d.next = self.owner_now.val();
            self.corners.d.next = self.corners_now.val();
            self.count.d.next = self.samples.q.val();
            self.mask.d.next = self.mask_now.val();
        }
    }

    /// Registers drive the ports.
    fn output_ports(&mut self) {
        self.start.valid.next = self.valid.q.val();
        for e in 0..3 {
            self.start.start[e].next = self.edge[e].q.val();
            self.start.group[e].next = self.group[e].q.val();
            self.start.whole[e].next = self.whole[e].q.val();
            self.facts.a[e].next = self.a[e].q.val();
            self.facts.b[e].next = self.b[e].q.val();
        }
        self.start.z.next = self.z.q.val();
        self.start.x.next = self.x.q.val();
        self.start.y.next = self.y.q.val();
        self.start.columns.next = self.columns.q.val();
        self.start.rows.next = self.rows.q.val();
        self.start.left.next = self.left.q.val();
        self.start.top.next = self.top.q.val();
        self.start.right.next = self.right.q.val();
        self.start.bottom.next = self.bottom.q.val();
        self.start.void.next = self.void.q.val();
        self.start.last.next = self.last.q.val();
        self.facts.gx.next = self.gx.q.val();
        self.facts.gy.next = self.gy.q.val();
        self.facts.low.next = self.low.q.val();
        self.facts.high.next = self.high.q.val();
        self.facts.owner.next = self.owner.q.val();
        self.facts.corners.next = self.corners.q.val();
        self.facts.samples.next = self.count.q.val();
        self.facts.mask.next = self.mask.q.val();
    }
}
