//! Second part of the rasteriser: the groups of four by four quads of a tile's part of the bounding
//! box, from its first quad on, one after the other. Rows of groups are walked to the right and to
//! the left in turn, so that each step adds one slope. A group goes on if no edge is negative in
//! all of its square, or if nothing of the tile comes behind it. If there are more than four groups
//! the whole is tested first.
//!
//! A start is taken when nothing is left of the one before. Then one cycle for each group, one more
//! for the test of the whole. One-group triangles: every 3 cycles. The facts of the triangle stay
//! at the port while a group of it waits there.
//!
//! What an edge is in a group needs 32 bits: an edge that is 2^30 or more at the group's first
//! pixel takes all of it, since it changes by less than 2^29; less than -2^29 and the group is
//! empty.
//!
//! It can be wrong by a group that is skipped and by one that is given twice; a group that is given
//! without need costs time only.
//!
//! Planted faults: `raster-reach`, `raster-turn`, `raster-end-dropped`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::stream::StreamOut;
use crate::base::{vector, Planted};
use crate::cell::{DepthStep, EdgeStep, GroupTest};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{QuadGroupDataOut, TileStartIn, TriangleFactsIn, TriangleFactsOut};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct RasterGroups {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// There is a start.
    pub start: TileStartIn,
    /// Facts of its triangle.
    pub in_facts: TriangleFactsIn,
    /// There is a group.
    pub group: StreamOut<QuadGroupDataOut>,
    /// Facts of its triangle.
    pub facts: TriangleFactsOut,
    test: Vec<GroupTest>,
    step: Vec<EdgeStep>,
    depth: DepthStep,
    active: DFF<bool>,
    /// The test of the whole is due.
    whole_due: DFF<bool>,
    /// The tile has given a group.
    sent: DFF<bool>,
    column: DFF<Bits<2>>,
    row: DFF<Bits<2>>,
    /// To the left.
    back: DFF<bool>,
    edge: Vec<DFF<Bits<44>>>,
    z: DFF<Bits<55>>,
    x: DFF<Bits<11>>,
    y: DFF<Bits<11>>,
    // What does not change in the tile.
    reach: Vec<DFF<Bits<31>>>,
    whole: Vec<DFF<Bits<31>>>,
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
    samples: DFF<Bits<2>>,
    mask: DFF<Bits<4>>,
    // The group at the port.
    out_valid: DFF<bool>,
    near: Vec<DFF<Bits<32>>>,
    out_z: DFF<Bits<55>>,
    out_x: DFF<Bits<11>>,
    out_y: DFF<Bits<11>>,
    out_columns: DFF<Bits<8>>,
    out_top: DFF<Bits<3>>,
    first: DFF<bool>,
    final_group: DFF<bool>,
    ends: DFF<bool>,
    idle: Signal<Local, bool>,
    load: Signal<Local, bool>,
    touched: Signal<Local, bool>,
    column_end: Signal<Local, bool>,
    /// The same for the steps; with one signal a process would go from a step to itself.
    turn: Signal<Local, bool>,
    last_group: Signal<Local, bool>,
    /// Nothing of the tile comes behind this.
    final_one: Signal<Local, bool>,
    /// There is something to say.
    wants: Signal<Local, bool>,
    go: Signal<Local, bool>,
    group_count: Signal<Local, Bits<3>>,
    rest: Signal<Local, Bits<12>>,
    shift: Signal<Local, Bits<8>>,
    beyond: Signal<Local, Bits<8>>,
    /// Columns up to the right edge of the box; those within it.
    up_to_right: Signal<Local, Bits<8>>,
    counting: Signal<Local, Bits<8>>,
    fault_raster_reach: Planted,
    fault_raster_turn: Planted,
    fault_raster_end_dropped: Planted,
    _active: bool,
}

impl RasterGroups {
    /// The part with that configuration's planted fault.
    pub fn new(config: &GpuConfig) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        Self {
            test: vector(3),
            step: vector(3),
            edge: vector(3),
            reach: vector(3),
            whole: vector(3),
            a: vector(3),
            b: vector(3),
            near: vector(3),
            fault_raster_reach: planted(Fault::RasterReach),
            fault_raster_turn: planted(Fault::RasterTurn),
            fault_raster_end_dropped: planted(Fault::RasterEndDropped),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl RasterGroups {
    /// Registers keep what they have; a start is taken when nothing is left.
    fn registers(&mut self) {
        comment!("module: raster_groups");
        dff_setup!(self, clock, active, whole_due, sent, column, row, back, z, x, y);
        dff_setup!(self, clock, columns, rows, left, top, right, bottom, void, last);
        dff_setup!(self, clock, gx, gy, low, high, owner, corners, samples, mask);
        dff_setup!(self, clock, out_valid, out_z, out_x, out_y, out_columns, out_top, first, final_group, ends);
        for e in 0..3 {
            dff_setup!(self, clock, edge[e], reach[e], whole[e], a[e]);
            dff_setup!(self, clock, b[e], near[e]);
        }
        self.idle.next = !self.active.q.val() && !self.out_valid.q.val();
        self.start.ready.next = self.idle.val();
        self.load.next = self.start.valid.val() && self.idle.val();
    }

    /// The edges test whether the triangle touches the group, or the whole.
    fn touch(&mut self) {
        for e in 0..3 {
            self.test[e].value.next = self.edge[e].q.val();
            self.test[e].reach.next = self.reach[e].q.val();
            if self.whole_due.q.val() {
                self.test[e].reach.next = self.whole[e].q.val();
            }
            if self.fault_raster_reach.val() {
                self.test[e].reach.next = bits::<31>(0);
            }
        }
        self.touched.next = self.test[0].touched.val()
            && self.test[1].touched.val()
            && self.test[2].touched.val()
            && !self.void.q.val();
    }

    /// The place of the walk decides what is last, and whether the walk goes on.
    fn walk_place(&mut self) {
        self.column_end.next = self.column.q.val() == self.columns.q.val();
        self.turn.next = self.column.q.val() == self.columns.q.val();
        if self.back.q.val() {
            self.column_end.next = !self.column.q.val().any();
            self.turn.next = !self.column.q.val().any();
        }
        self.last_group.next = self.void.q.val() || (self.column_end.val() && (self.row.q.val() == self.rows.q.val()));
        self.final_one.next = self.last_group.val();
        self.wants.next = self.touched.val() || self.last_group.val();
        if self.whole_due.q.val() {
            self.final_one.next = !self.touched.val();
            self.wants.next = !self.touched.val();
        }
        self.go.next = self.active.q.val() && (!self.wants.val() || !self.out_valid.q.val() || self.group.ready.val());
    }

    /// Columns of pixels count if they lie in the box and the group is touched.
    fn pixel_columns(&mut self) {
        self.rest.next = self.right.q.val() - (bit_cast::<12, 11>(self.x.q.val()) << bits::<12>(1));
        self.shift.next = bit_cast::<8, 3>(self.rest.val().get_bits::<3>(0));
        self.beyond.next = bits::<8>(0xFE) << self.shift.val();
        self.up_to_right.next = !self.beyond.val();
        if self.rest.val().get_bits::<9>(3).any() {
            self.up_to_right.next = bits::<8>(0xFF);
        }
        self.counting.next = self.up_to_right.val();
        if !self.column.q.val().any() {
            self.counting.next = self.up_to_right.val() & (bits::<8>(0xFF) << bit_cast::<8, 3>(self.left.q.val()));
        }
        if !self.touched.val() {
            self.counting.next = bits::<8>(0);
        }
    }

    /// One step adds a slope to each edge and to the depth.
    fn slopes(&mut self) {
        for e in 0..3 {
            self.step[e].value.next = self.edge[e].q.val();
            self.step[e].a.next = self.a[e].q.val();
            self.step[e].b.next = self.b[e].q.val();
            self.step[e].down.next = self.turn.val();
            self.step[e].back.next = self.back.q.val();
        }
        self.depth.value.next = self.z.q.val();
        self.depth.x.next = self.gx.q.val();
        self.depth.y.next = self.gy.q.val();
        self.depth.down.next = self.turn.val();
        self.depth.back.next = self.back.q.val();
    }

    /// A group goes to the output register, and the walk goes on.
    fn walk_advance(&mut self) {
        if self.group.ready.val() {
            self.out_valid.d.next = false;
        }
        if self.go.val() {
            self.whole_due.d.next = false;
            if self.wants.val() {
                self.out_valid.d.next = true;
                self.sent.d.next = true;
                self.first.d.next = !self.sent.q.val();
                self.final_group.d.next = self.final_one.val();
                self.ends.d.next = self.final_one.val()
                    && self.last.q.val()
                    && (self.touched.val() || !self.fault_raster_end_dropped.val());
                self.out_z.d.next = self.z.q.val();
                self.out_x.d.next = self.x.q.val();
                self.out_y.d.next = self.y.q.val();
                self.out_columns.d.next = self.counting.val();
                self.out_top.d.next = bits::<3>(0);
                if !self.row.q.val().any() {
                    self.out_top.d.next = self.top.q.val();
                }
                for e in 0..3 {
                    self.near[e].d.next = self.test[e].held.val();
                }
            }
            if self.final_one.val() {
                self.active.d.next = false;
            } else if !self.whole_due.q.val() {
                self.z.d.next = self.depth.onward.val();
                for e in 0..3 {
                    self.edge[e].d.next = self.step[e].onward.val();
                }
                if self.column_end.val() {
                    self.row.d.next = self.row.q.val() + bits::<2>(1);
                    self.y.d.next = self.y.q.val() + bits::<11>(4);
                    self.back.d.next = !self.back.q.val();
                    if self.fault_raster_turn.val() {
                        self.x.d.next = self.x.q.val() - bits::<11>(4);
                    }
                } else if self.back.q.val() {
                    self.column.d.next = self.column.q.val() - bits::<2>(1);
                    self.x.d.next = self.x.q.val() - bits::<11>(4);
                } else {
                    self.column.d.next = self.column.q.val() + bits::<2>(1);
                    self.x.d.next = self.x.q.val() + bits::<11>(4);
                }
            }
        }
    }

    /// A new start is loaded with the facts of its triangle.
    fn start_load(&mut self) {
        self.group_count.next = bit_cast::<3, 2>(self.start.columns.val()) + bit_cast::<3, 2>(self.start.rows.val());
        if self.load.val() {
            self.active.d.next = true;
            self.whole_due.d.next = self.group_count.val() >= bits::<3>(3);
            self.sent.d.next = false;
            self.column.d.next = bits::<2>(0);
            self.row.d.next = bits::<2>(0);
            self.back.d.next = false;
            self.z.d.next = self.start.z.val();
            self.x.d.next = self.start.x.val();
            self.y.d.next = self.start.y.val();
            self.columns.d.next = self.start.columns.val();
            self.rows.d.next = self.start.rows.val();
            self.left.d.next = self.start.left.val();
            self.top.d.next = self.start.top.val();
            self.right.d.next = self.start.right.val();
            self.bottom.d.next = self.start.bottom.val();
            self.void.d.next = self.start.void.val();
            self.last.d.next = self.start.last.val();
            self.gx.d.next = self.in_facts.gx.val();
            self.gy.d.next = self.in_facts.gy.val();
            self.low.d.next = self.in_facts.low.val();
            self.high.d.next = self.in_facts.high.val();
            self.owner.d.next = self.in_facts.owner.val();
            self.corners.d.next = self.in_facts.corners.val();
            self.samples.d.next = self.in_facts.samples.val();
            self.mask.d.next = self.in_facts.mask.val();
            for e in 0..3 {
                self.edge[e].d.next = self.start.start[e].val();
                self.reach[e].d.next = self.start.group[e].val();
                self.whole[e].d.next = self.start.whole[e].val();
                self.a[e].d.next = self.in_facts.a[e].val();
                self.b[e].d.next = self.in_facts.b[e].val();
            }
        }
    }

    /// Registers drive the ports.
    fn output_ports(&mut self) {
        self.group.valid.next = self.out_valid.q.val();
        for e in 0..3 {
            self.group.near[e].next = self.near[e].q.val();
            self.facts.a[e].next = self.a[e].q.val();
            self.facts.b[e].next = self.b[e].q.val();
        }
        self.group.z.next = self.out_z.q.val();
        self.group.x.next = self.out_x.q.val();
        self.group.y.next = self.out_y.q.val();
        self.group.columns.next = self.out_columns.q.val();
        self.group.top.next = self.out_top.q.val();
        self.group.bottom.next = self.bottom.q.val();
        self.group.first.next = self.first.q.val();
        self.group.last.next = self.final_group.q.val();
        self.group.end.next = self.ends.q.val();
        self.facts.gx.next = self.gx.q.val();
        self.facts.gy.next = self.gy.q.val();
        self.facts.low.next = self.low.q.val();
        self.facts.high.next = self.high.q.val();
        self.facts.owner.next = self.owner.q.val();
        self.facts.corners.next = self.corners.q.val();
        self.facts.samples.next = self.samples.q.val();
        self.facts.mask.next = self.mask.q.val();
    }
}
