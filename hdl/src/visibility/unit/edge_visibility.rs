//! Visibility unit where none knows depths of single tiles: it says of each tile of a triangle's
//! box whether the triangle reaches a sample's place in it (HZ-11). All samples of a tile lie in a
//! square, a little smaller than the tile. An edge is tested at that corner of the square where its
//! value is greatest. If the edge does not take that corner it takes no sample of the tile.
//!
//! ```text
//! cycle 0         the edges' values at the target's corner, less 1 if 0 is outside
//! cycles 1 to 9   plus the way to the first tile, a bit of its place in each; fewer near the corner
//! then            how much more the best corner of a square has
//! then            a bit for each tile, one per cycle
//! ```
//!
//! A box of one row or one column of tiles has only tiles that the triangle meets: all its bits are
//! 1, and the first one is there in cycle 1. In other boxes a bit is 0 exactly if an edge says so.
//! It stays 1 where the triangle covers no sample, but no single edge shows that.
//!
//! Contract: values of edges in the target have 48 bits with sign. So have those in the tiles of a
//! box.
//!
//! It can be wrong in a sign, or in the place of a sample: then a tile is left out that the
//! triangle covers, and lockstep misses its quads. Planted faults: `edges-corner`, `edges-samples`,
//! `edges-rule`, `edges-row`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::pass;
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{CullEventOut, StateWriteIn, TileVisibilityOut, TriangleDataIn, TriangleIn, TriangleOut};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct EdgeVisibility {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state; the tile's side and the number of samples are kept.
    pub state: StateWriteIn,
    /// A triangle is offered. Held until `in_triangle_ready`.
    pub in_triangle: TriangleIn,
    /// There is a triangle for the binner.
    pub triangle: TriangleOut,
    /// Whether a triangle may be seen in a tile.
    pub visible_ports: TileVisibilityOut,
    /// Event: a tile of the box that the triangle does not reach.
    pub cull: CullEventOut,
    side: DFF<Bits<3>>,
    samples: DFF<Bits<2>>,
    /// Every tile of the box is met.
    all: DFF<bool>,
    /// 0 no triangle, 1 the way to its first tile, 2 the best corner, 3 bits.
    step: DFF<Bits<2>>,
    /// Place of the first tile, in units of 8 pixels, shifted out.
    way_x: DFF<Bits<9>>,
    way_y: DFF<Bits<9>>,
    x: DFF<Bits<12>>,
    y: DFF<Bits<12>>,
    /// Slopes per 8 pixels, doubled in each cycle of the way.
    slope_a: Vec<DFF<Bits<48>>>,
    slope_b: Vec<DFF<Bits<48>>>,
    /// Value at the tile, at the first tile of its row; how much more its best corner has.
    value: Vec<DFF<Bits<48>>>,
    row: Vec<DFF<Bits<48>>>,
    reach: Vec<DFF<Bits<48>>>,
    wide_a: Vec<Signal<Local, Bits<48>>>,
    wide_b: Vec<Signal<Local, Bits<48>>>,
    part_a: Vec<Signal<Local, Bits<48>>>,
    part_b: Vec<Signal<Local, Bits<48>>>,
    side_a: Vec<Signal<Local, Bits<48>>>,
    side_b: Vec<Signal<Local, Bits<48>>>,
    near_a: Vec<Signal<Local, Bits<48>>>,
    near_b: Vec<Signal<Local, Bits<48>>>,
    more_a: Vec<Signal<Local, Bits<48>>>,
    more_b: Vec<Signal<Local, Bits<48>>>,
    best: Vec<Signal<Local, Bits<48>>>,
    /// A point on the edge is inside.
    takes: Vec<Signal<Local, bool>>,
    /// Log2 of the way from a tile's corner to its square of samples, in 1/256 pixel.
    border: Signal<Local, Bits<48>>,
    flat: Signal<Local, bool>,
    within: Signal<Local, Bits<12>>,
    begin_x: Signal<Local, Bits<12>>,
    begin_y: Signal<Local, Bits<12>>,
    size: Signal<Local, Bits<12>>,
    width: Signal<Local, Bits<48>>,
    reaches: Signal<Local, bool>,
    row_ends: Signal<Local, bool>,
    reports: Signal<Local, bool>,
    fault_edges_corner: Planted,
    fault_edges_samples: Planted,
    fault_edges_rule: Planted,
    fault_edges_row: Planted,
    _active: bool,
}

impl EdgeVisibility {
    /// With that configuration's planted fault.
    pub fn new(config: &GpuConfig) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        Self {
            slope_a: vector(3),
            slope_b: vector(3),
            value: vector(3),
            row: vector(3),
            reach: vector(3),
            wide_a: vector(3),
            wide_b: vector(3),
            part_a: vector(3),
            part_b: vector(3),
            side_a: vector(3),
            side_b: vector(3),
            near_a: vector(3),
            near_b: vector(3),
            takes: vector(3),
            more_a: vector(3),
            more_b: vector(3),
            best: vector(3),
            fault_edges_corner: planted(Fault::EdgesCorner),
            fault_edges_samples: planted(Fault::EdgesSamples),
            fault_edges_rule: planted(Fault::EdgesRule),
            fault_edges_row: planted(Fault::EdgesRow),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl EdgeVisibility {
    /// The edges' registers have their clock, and keep what they have.
    fn registers(&mut self) {
        comment!("module: edge_visibility");
        dff_setup!(self, clock, side, samples, all, step, way_x, way_y, x, y);
        for k in 0..3 {
            self.slope_a[k].clock.next = self.clock.val();
            self.slope_b[k].clock.next = self.clock.val();
            self.value[k].clock.next = self.clock.val();
            self.row[k].clock.next = self.clock.val();
            self.reach[k].clock.next = self.clock.val();
            self.slope_a[k].d.next = self.slope_a[k].q.val();
            self.slope_b[k].d.next = self.slope_b[k].q.val();
            self.value[k].d.next = self.value[k].q.val();
            self.row[k].d.next = self.row[k].q.val();
            self.reach[k].d.next = self.reach[k].q.val();
        }
    }

    /// The pass tells the side of a tile and how far samples are from its border.
    fn pass_sizes(&mut self) {
        TriangleDataIn::join(&mut self.in_triangle, &mut self.triangle);
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::KIND)) {
            self.side.d.next = self.state.data.val().get_bits::<3>(4);
            self.samples.d.next = self.state.data.val().get_bits::<2>(0);
        }
        self.within.next = bits::<12>(7);
        self.size.next = bits::<12>(8);
        self.width.next = bits::<48>(11);
        if self.side.q.val() == bits::<3>(4) {
            self.within.next = bits::<12>(15);
            self.size.next = bits::<12>(16);
            self.width.next = bits::<48>(12);
        }
        if self.side.q.val() == bits::<3>(5) {
            self.within.next = bits::<12>(31);
            self.size.next = bits::<12>(32);
            self.width.next = bits::<48>(13);
        }
        self.border.next = bits::<48>(7);
        if !self.fault_edges_samples.val() {
            if self.samples.q.val() == bits::<2>(1) {
                self.border.next = bits::<48>(6);
            }
            if self.samples.q.val() == bits::<2>(2) {
                self.border.next = bits::<48>(5);
            }
        }
        self.flat.next = ((self.in_triangle.x0.val() ^ self.in_triangle.x1.val()) <= self.within.val())
            || ((self.in_triangle.y0.val() ^ self.in_triangle.y1.val()) <= self.within.val());
        self.begin_x.next = self.in_triangle.x0.val() & !self.within.val();
        self.begin_y.next = self.in_triangle.y0.val() & !self.within.val();
    }

    /// Slopes are sign-extended to 48 bits.
    fn slope_extension(&mut self) {
        self.wide_a[0].next = bit_cast::<48, 24>(self.in_triangle.a[0].val());
        if self.in_triangle.a[0].val().get_bit(23) {
            self.wide_a[0].next =
                bit_cast::<48, 24>(self.in_triangle.a[0].val()) | (bits::<48>(0xFF_FFFF) << bits::<48>(24));
        }
        self.wide_b[0].next = bit_cast::<48, 24>(self.in_triangle.b[0].val());
        if self.in_triangle.b[0].val().get_bit(23) {
            self.wide_b[0].next =
                bit_cast::<48, 24>(self.in_triangle.b[0].val()) | (bits::<48>(0xFF_FFFF) << bits::<48>(24));
        }
        self.wide_a[1].next = bit_cast::<48, 24>(self.in_triangle.a[1].val());
        if self.in_triangle.a[1].val().get_bit(23) {
            self.wide_a[1].next =
                bit_cast::<48, 24>(self.in_triangle.a[1].val()) | (bits::<48>(0xFF_FFFF) << bits::<48>(24));
        }
        self.wide_b[1].next = bit_cast::<48, 24>(self.in_triangle.b[1].val());
        if self.in_triangle.b[1].val().get_bit(23) {
            self.wide_b[1].next =
                bit_cast::<48, 24>(self.in_triangle.b[1].val()) | (bits::<48>(0xFF_FFFF) << bits::<48>(24));
        }
        self.wide_a[2].next = bit_cast::<48, 24>(self.in_triangle.a[2].val());
        if self.in_triangle.a[2].val().get_bit(23) {
            self.wide_a[2].next =
                bit_cast::<48, 24>(self.in_triangle.a[2].val()) | (bits::<48>(0xFF_FFFF) << bits::<48>(24));
        }
        self.wide_b[2].next = bit_cast::<48, 24>(self.in_triangle.b[2].val());
        if self.in_triangle.b[2].val().get_bit(23) {
            self.wide_b[2].next =
                bit_cast::<48, 24>(self.in_triangle.b[2].val()) | (bits::<48>(0xFF_FFFF) << bits::<48>(24));
        }
    }

    /// Slopes give the step per tile, and the offset to the tile's best corner.
    fn tile_offsets(&mut self) {
        for k in 0..3 {
            self.side_a[k].next = self.wide_a[k].val() << self.width.val();
            self.side_b[k].next = self.wide_b[k].val() << self.width.val();
            self.takes[k].next = !self.wide_a[k].val().get_bit(47) && self.wide_a[k].val().any();
            if !self.wide_a[k].val().any() {
                self.takes[k].next = !self.wide_b[k].val().get_bit(47) && self.wide_b[k].val().any();
            }
            if self.fault_edges_rule.val() {
                self.takes[k].next = true;
            }
            self.near_a[k].next = self.wide_a[k].val() << self.border.val();
            self.near_b[k].next = self.wide_b[k].val() << self.border.val();
            self.more_a[k].next = self.side_a[k].val() - self.near_a[k].val();
            if self.wide_a[k].val().get_bit(47) != self.fault_edges_corner.val() {
                self.more_a[k].next = self.near_a[k].val();
            }
            self.more_b[k].next = self.side_b[k].val() - self.near_b[k].val();
            if self.wide_b[k].val().get_bit(47) {
                self.more_b[k].next = self.near_b[k].val();
            }
            self.part_a[k].next = bits::<48>(0);
            if self.way_x.q.val().get_bit(0) {
                self.part_a[k].next = self.slope_a[k].q.val();
            }
            self.part_b[k].next = bits::<48>(0);
            if self.way_y.q.val().get_bit(0) {
                self.part_b[k].next = self.slope_b[k].q.val();
            }
        }
    }

    /// The edges' values at the first tile come from its place, bit by bit.
    fn first_tile(&mut self) {
        if (self.step.q.val() == bits::<2>(0)) && self.in_triangle.valid.val() {
            self.step.d.next = bits::<2>(1);
            if self.flat.val() {
                self.step.d.next = bits::<2>(3);
            }
            self.all.d.next = self.flat.val();
            self.way_x.d.next = self.begin_x.val().get_bits::<9>(3);
            self.way_y.d.next = self.begin_y.val().get_bits::<9>(3);
            self.x.d.next = self.begin_x.val();
            self.y.d.next = self.begin_y.val();
            for k in 0..3 {
                self.value[k].d.next = self.in_triangle.c[k].val();
                if !self.takes[k].val() {
                    self.value[k].d.next = self.in_triangle.c[k].val() - bits::<48>(1);
                }
                self.slope_a[k].d.next = self.wide_a[k].val() << bits::<48>(11);
                self.slope_b[k].d.next = self.wide_b[k].val() << bits::<48>(11);
            }
        }
        if self.step.q.val() == bits::<2>(1) {
            self.way_x.d.next = self.way_x.q.val() >> bits::<9>(1);
            self.way_y.d.next = self.way_y.q.val() >> bits::<9>(1);
            for k in 0..3 {
                self.value[k].d.next = self.value[k].q.val() + (self.part_a[k].val() + self.part_b[k].val());
                self.slope_a[k].d.next = self.slope_a[k].q.val() << bits::<48>(1);
                self.slope_b[k].d.next = self.slope_b[k].q.val() << bits::<48>(1);
            }
            if (self.way_x.q.val() <= bits::<9>(1)) && (self.way_y.q.val() <= bits::<9>(1)) {
                self.step.d.next = bits::<2>(2);
            }
        }
        if self.step.q.val() == bits::<2>(2) {
            self.step.d.next = bits::<2>(3);
            for k in 0..3 {
                self.row[k].d.next = self.value[k].q.val();
                self.reach[k].d.next = self.more_a[k].val() + self.more_b[k].val();
            }
        }
    }

    /// The tiles of the box get their bits row by row, then the triangle passes.
    fn box_walk(&mut self) {
        self.reaches.next = true;
        for k in 0..3 {
            self.best[k].next = self.value[k].q.val() + self.reach[k].q.val();
            if self.best[k].val().get_bit(47) && !self.all.q.val() {
                self.reaches.next = false;
            }
        }
        self.visible_ports.visible_valid.next = self.step.q.val() == bits::<2>(3);
        self.visible_ports.visible.next = self.reaches.val();
        self.reports.next = (self.step.q.val() == bits::<2>(3)) && self.visible_ports.visible_ready.val();
        self.row_ends.next = (self.x.q.val() | self.within.val()) >= self.in_triangle.x1.val();
        if self.reports.val() {
            self.x.d.next = self.x.q.val() + self.size.val();
            if self.row_ends.val() {
                self.x.d.next = self.begin_x.val();
                self.y.d.next = self.y.q.val() + self.size.val();
            }
            for k in 0..3 {
                self.value[k].d.next = self.value[k].q.val() + self.side_a[k].val();
                if self.row_ends.val() {
                    if !self.fault_edges_row.val() {
                        self.value[k].d.next = self.row[k].q.val() + self.side_b[k].val();
                    }
                    self.row[k].d.next = self.row[k].q.val() + self.side_b[k].val();
                }
            }
        }
        self.triangle.valid.next = self.in_triangle.valid.val() && (self.step.q.val() == bits::<2>(3));
        self.in_triangle.ready.next = self.triangle.ready.val();
        if self.in_triangle.valid.val() && self.triangle.ready.val() {
            self.step.d.next = bits::<2>(0);
        }
    }

    /// The event tells of a tile that no part of the triangle reaches.
    fn cull_event(&mut self) {
        self.cull.valid.next = self.reports.val() && !self.reaches.val();
        self.cull.kind.next = bits::<2>(1);
        self.cull.order.next = self.in_triangle.order.val();
        self.cull.x.next = self.x.q.val();
        self.cull.y.next = self.y.q.val();
        self.cull.side.next = self.side.q.val();
    }
}
