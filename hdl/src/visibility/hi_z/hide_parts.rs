//! Which parts of a group of 8 by 8 pixels are hidden? A group that is not hidden is subdivided:
//! its blocks of 4 by 4 pixels are tested, then the quads of blocks that are not hidden (HZ-20).
//! The rule is the group's own (`HideTest`): its run, its direction, what counts as behind. The
//! nearest depth of a part is that of the plane at the part's corners, held between the vertices'
//! depths, as depths of samples are. It is compared with the greatest bound of the part's quads.
//!
//! ```text
//! cycle 0     the answer for the group; bounds of its quads, read beside its own, are kept
//! cycle 1     a part: nearest depth, bound
//! cycle 2     hidden? in the next cycle it is known
//! ```
//!
//! One part in each cycle: blocks 0 and 1, their quads, blocks 2 and 3, their quads. Parts outside
//! of the triangle's box are left out. A block with one quad inside the box is not tested, only the
//! quad is. A block whose bounds are all farther than the triangle's farthest vertex is not
//! subdivided. So a group takes 1 to 21 cycles, and nothing if its draw may not be culled.
//!
//! Tests begin while the group still waits for its turn to be covered; then it takes what is known
//! with it (`begins`). The mask of the group that is covered stays until the next one takes its
//! place. Bounds are those of one moment, with the run of that moment. What is hidden by old bounds
//! stays hidden.
//!
//! It can be wrong in a part that is hidden by the bound or at the corners of another, and in a
//! mask that is another group's. Planted faults: `hide-parts-child`, `hide-parts-bound`,
//! `hide-parts-stale`, `hide-parts-early`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::cell::DeepRam;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{CullEventOut, PartAnswerOut, PartBoundIn, QuadGroupDataIn, QuadOwner, TriangleFactsIn};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct HideParts {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    // What Hi-Z knows.
    /// A group is written.
    pub write: Signal<In, bool>,
    /// Its place.
    pub write_group: Signal<In, Bits<13>>,
    /// Bounds of its quads 2 i and 2 i + 1.
    pub part: Vec<Signal<In, Bits<48>>>,
    /// Place of the queried group.
    pub asked: Signal<In, Bits<13>>,
    // The group that is asked about.
    /// It.
    pub query: QuadGroupDataIn,
    /// Facts of its triangle.
    pub facts: TriangleFactsIn,
    /// It is known whether the group is hidden.
    pub answer_valid: Signal<In, bool>,
    /// It is.
    pub answer_hidden: Signal<In, bool>,
    /// It is taken: the next one is another.
    pub query_taken: Signal<In, bool>,
    /// It is taken to be covered.
    pub begins: Signal<In, bool>,
    /// The result of a group's test, for its parts.
    pub test_ports: PartBoundIn,
    // Of the group that is covered.
    /// Which parts of a group are hidden.
    pub answer_ports: PartAnswerOut,
    /// Event: a part is hidden.
    pub cull: CullEventOut,
    /// Of block b: bounds of its upper two quads, of its lower two.
    upper: Vec<DeepRam>,
    lower: Vec<DeepRam>,
    // The group that is tested. It is the one that is asked about; the one that is covered.
    loaded: DFF<bool>,
    covered: DFF<bool>,
    /// Mask of the group that is covered, if another one is tested.
    held: DFF<Bits<16>>,
    mask: DFF<Bits<16>>,
    /// Quads that are not decided.
    open: DFF<Bits<16>>,
    blocks: DFF<Bits<4>>,
    quads: DFF<Bits<16>>,
    /// Bounds, by block: left and right, upper and lower quad.
    bound0: Vec<DFF<Bits<24>>>,
    bound1: Vec<DFF<Bits<24>>>,
    bound2: Vec<DFF<Bits<24>>>,
    bound3: Vec<DFF<Bits<24>>>,
    corner: DFF<Bits<47>>,
    gx: DFF<Bits<47>>,
    gy: DFF<Bits<47>>,
    x: DFF<Bits<11>>,
    y: DFF<Bits<11>>,
    nearest: DFF<Bits<24>>,
    farthest: DFF<Bits<24>>,
    order: DFF<Bits<16>>,
    steady: DFF<bool>,
    is_down: DFF<bool>,
    takes_level: DFF<bool>,
    // Cycle 2.
    tests: DFF<bool>,
    is_block: DFF<bool>,
    part_mask: DFF<Bits<16>>,
    part_x: DFF<Bits<2>>,
    part_y: DFF<Bits<2>>,
    near: DFF<Bits<24>>,
    far: DFF<Bits<24>>,
    least: DFF<Bits<24>>,
    // Named intermediate values.
    loads: Signal<Local, bool>,
    dropped: Signal<Local, bool>,
    columns: Signal<Local, Bits<4>>,
    rest: Signal<Local, Bits<11>>,
    /// By row of quads: its quads inside the triangle's box; all of them.
    inside_row: Vec<Signal<Local, Bits<16>>>,
    inside: Signal<Local, Bits<16>>,
    of_block: Vec<Signal<Local, Bits<16>>>,
    less_one: Vec<Signal<Local, Bits<16>>>,
    many: Signal<Local, Bits<4>>,
    single: Signal<Local, Bits<16>>,
    some: Signal<Local, Bits<4>>,
    x_top: Signal<Local, Bits<9>>,
    y_top: Signal<Local, Bits<9>>,
    fours: Signal<Local, Bits<47>>,
    upper_blocks: Signal<Local, Bits<4>>,
    upper_quads: Signal<Local, Bits<16>>,
    block_now: Signal<Local, bool>,
    first_block: Signal<Local, Bits<4>>,
    first_quad: Signal<Local, Bits<16>>,
    quads_left: Signal<Local, Bits<16>>,
    in_block: Signal<Local, Bits<4>>,
    child: Signal<Local, Bits<16>>,
    child_x: Signal<Local, Bits<2>>,
    child_y: Signal<Local, Bits<2>>,
    reach: Signal<Local, Bits<3>>,
    /// Quads from the group's first corner to the part's; to the corner at which it is nearest.
    part_steps_x: Signal<Local, Bits<3>>,
    part_steps_y: Signal<Local, Bits<3>>,
    steps_x: Signal<Local, Bits<3>>,
    steps_y: Signal<Local, Bits<3>>,
    /// Depth at the corner with one step or none to the right, up to three, up to seven.
    x_one: Signal<Local, Bits<47>>,
    x_three: Signal<Local, Bits<47>>,
    x_part: Signal<Local, Bits<47>>,
    /// What the same steps down add.
    y_one: Signal<Local, Bits<47>>,
    y_three: Signal<Local, Bits<47>>,
    y_part: Signal<Local, Bits<47>>,
    at_corner: Signal<Local, Bits<47>>,
    depth: Signal<Local, Bits<28>>,
    of_plane: Signal<Local, Bits<24>>,
    plane_now: Signal<Local, Bits<24>>,
    near_now: Signal<Local, Bits<24>>,
    bound: Vec<Signal<Local, Bits<24>>>,
    most: Vec<Signal<Local, Bits<24>>>,
    few: Vec<Signal<Local, Bits<24>>>,
    one: Signal<Local, Bits<24>>,
    most_of_all: Signal<Local, Bits<24>>,
    least_of_all: Signal<Local, Bits<24>>,
    quad_x: Signal<Local, Bits<11>>,
    quad_y: Signal<Local, Bits<11>>,
    behind: Signal<Local, bool>,
    hides: Signal<Local, bool>,
    before: Signal<Local, bool>,
    fault_hide_parts_child: Planted,
    fault_hide_parts_bound: Planted,
    fault_hide_parts_stale: Planted,
    fault_hide_parts_early: Planted,
    _active: bool,
}

impl HideParts {
    /// For as many groups as that configuration stores, with its planted fault.
    pub fn new(config: &GpuConfig) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        let memory = || (0..4).map(|_| DeepRam::new(config.hi_z_groups, 48)).collect();
        Self {
            part: vector(8),
            upper: memory(),
            lower: memory(),
            bound0: vector(4),
            bound1: vector(4),
            bound2: vector(4),
            bound3: vector(4),
            of_block: vector(4),
            less_one: vector(4),
            bound: vector(4),
            most: vector(2),
            few: vector(2),
            fault_hide_parts_child: planted(Fault::HidePartsChild),
            fault_hide_parts_bound: planted(Fault::HidePartsBound),
            fault_hide_parts_stale: planted(Fault::HidePartsStale),
            fault_hide_parts_early: planted(Fault::HidePartsEarly),
            _active: true,
            inside_row: vector(4),
            ..Default::default()
        }
    }
}

#[kernel]
impl HideParts {
    /// Bounds of quads.
    fn memories(&mut self) {
        comment!("module: hide_parts");
        dff_setup!(self, clock, loaded, covered, held, mask, open, blocks, quads, corner, gx, gy, x, y);
        dff_setup!(self, clock, nearest, farthest, order, steady, is_down, takes_level);
        dff_setup!(self, clock, tests, is_block, part_mask, part_x, part_y, near, far, least);
        for b in 0..4 {
            clock!(self, clock, upper[b], lower[b]);
            fan_out!(self.asked => self.upper[b].read_address, self.lower[b].read_address);
            fan_out!(self.write => self.upper[b].write_enable, self.lower[b].write_enable);
            fan_out!(self.write_group => self.upper[b].write_address, self.lower[b].write_address);
        }
        self.upper[0].write_data.next = bit_cast::<64, 48>(self.part[0].val());
        self.upper[1].write_data.next = bit_cast::<64, 48>(self.part[1].val());
        self.lower[0].write_data.next = bit_cast::<64, 48>(self.part[2].val());
        self.lower[1].write_data.next = bit_cast::<64, 48>(self.part[3].val());
        self.upper[2].write_data.next = bit_cast::<64, 48>(self.part[4].val());
        self.upper[3].write_data.next = bit_cast::<64, 48>(self.part[5].val());
        self.lower[2].write_data.next = bit_cast::<64, 48>(self.part[6].val());
        self.lower[3].write_data.next = bit_cast::<64, 48>(self.part[7].val());
    }

    /// The next part is a block or a quad.
    fn picks(&mut self) {
        self.upper_blocks.next = self.blocks.q.val() & bits::<4>(3);
        self.upper_quads.next = self.quads.q.val() & bits::<16>(0xFF);
        self.block_now.next =
            self.upper_blocks.val().any() || (!self.upper_quads.val().any() && self.blocks.q.val().any());
        self.first_block.next = self.blocks.q.val() & (bits::<4>(0) - self.blocks.q.val());
        self.first_quad.next = self.quads.q.val() & (bits::<16>(0) - self.quads.q.val());
        self.child.next = self.first_quad.val();
        self.in_block.next = bits::<4>(0);
        if (self.first_quad.val() & bits::<16>(0x0033)).any() {
            self.in_block.next = bits::<4>(1);
        }
        if (self.first_quad.val() & bits::<16>(0x00CC)).any() {
            self.in_block.next = bits::<4>(2);
        }
        if (self.first_quad.val() & bits::<16>(0x3300)).any() {
            self.in_block.next = bits::<4>(4);
        }
        if (self.first_quad.val() & bits::<16>(0xCC00)).any() {
            self.in_block.next = bits::<4>(8);
        }
        self.reach.next = bits::<3>(1);
        if self.block_now.val() {
            self.reach.next = bits::<3>(2);
            self.in_block.next = self.first_block.val();
            self.child.next = bits::<16>(0x0033);
            if self.first_block.val().get_bit(1) {
                self.child.next = bits::<16>(0x00CC);
            }
            if self.first_block.val().get_bit(2) {
                self.child.next = bits::<16>(0x3300);
            }
            if self.first_block.val().get_bit(3) {
                self.child.next = bits::<16>(0xCC00);
            }
        }
        self.tests.d.next = self.blocks.q.val().any() || self.quads.q.val().any();
        self.quads_left.next = self.quads.q.val() & !self.first_quad.val();
        if self.block_now.val() {
            self.quads_left.next = self.quads.q.val();
            self.blocks.d.next = self.blocks.q.val() & !self.first_block.val();
        }
        self.quads.d.next = self.quads_left.val();
        self.is_block.d.next = self.block_now.val();
        self.part_mask.d.next = self.child.val();
    }

    /// The part has a first column and row.
    fn position(&mut self) {
        self.child_x.next = bits::<2>(3);
        if (self.child.val() & bits::<16>(0x4444)).any() {
            self.child_x.next = bits::<2>(2);
        }
        if (self.child.val() & bits::<16>(0x2222)).any() {
            self.child_x.next = bits::<2>(1);
        }
        if (self.child.val() & bits::<16>(0x1111)).any() {
            self.child_x.next = bits::<2>(0);
        }
        self.child_y.next = bits::<2>(3);
        if (self.child.val() & bits::<16>(0x0F00)).any() {
            self.child_y.next = bits::<2>(2);
        }
        if (self.child.val() & bits::<16>(0x00F0)).any() {
            self.child_y.next = bits::<2>(1);
        }
        if (self.child.val() & bits::<16>(0x000F)).any() {
            self.child_y.next = bits::<2>(0);
        }
        self.part_x.d.next = self.child_x.val();
        self.part_y.d.next = self.child_y.val();
    }

    /// The plane is followed to the corner of the part at which it is nearest.
    fn plane_steps(&mut self) {
        // Quads from the group's first corner to the corner at which it is nearest.
        self.part_steps_x.next = bit_cast::<3, 2>(self.child_x.val());
        self.part_steps_y.next = bit_cast::<3, 2>(self.child_y.val());
        if self.fault_hide_parts_child.val() {
            self.part_steps_x.next = bits::<3>(0);
            self.part_steps_y.next = bits::<3>(0);
        }
        self.steps_x.next = self.part_steps_x.val();
        self.steps_y.next = self.part_steps_y.val();
        if self.gx.q.val().get_bit(46) != self.is_down.q.val() {
            self.steps_x.next = self.part_steps_x.val() + self.reach.val();
        }
        if self.gy.q.val().get_bit(46) != self.is_down.q.val() {
            self.steps_y.next = self.part_steps_y.val() + self.reach.val();
        }
        self.x_one.next = self.corner.q.val();
        self.y_one.next = bits::<47>(0);
        if self.steps_x.val().get_bit(0) {
            self.x_one.next = self.corner.q.val() + (self.gx.q.val() << bits::<47>(4));
        }
        if self.steps_y.val().get_bit(0) {
            self.y_one.next = self.gy.q.val() << bits::<47>(4);
        }
        self.x_three.next = self.x_one.val();
        self.y_three.next = self.y_one.val();
        if self.steps_x.val().get_bit(1) {
            self.x_three.next = self.x_one.val() + (self.gx.q.val() << bits::<47>(5));
        }
        if self.steps_y.val().get_bit(1) {
            self.y_three.next = self.y_one.val() + (self.gy.q.val() << bits::<47>(5));
        }
        self.x_part.next = self.x_three.val();
        self.y_part.next = self.y_three.val();
        if self.steps_x.val().get_bit(2) {
            self.x_part.next = self.x_three.val() + (self.gx.q.val() << bits::<47>(6));
        }
        if self.steps_y.val().get_bit(2) {
            self.y_part.next = self.y_three.val() + (self.gy.q.val() << bits::<47>(6));
        }
        self.at_corner.next = self.x_part.val() + self.y_part.val();
    }

    /// The nearest depth is held between the vertices' depths.
    fn nearest(&mut self) {
        self.depth.next = self.at_corner.val().get_bits::<28>(19);
        self.of_plane.next = self.depth.val().get_bits::<24>(0);
        if !self.depth.val().get_bit(27) && self.depth.val().get_bits::<3>(24).any() {
            self.of_plane.next = bits::<24>(0xFF_FFFF);
        }
        if self.depth.val().get_bit(27) {
            self.of_plane.next = bits::<24>(0);
        }
        self.plane_now.next = self.of_plane.val();
        if self.is_down.q.val() {
            self.plane_now.next = !self.of_plane.val();
        }
        self.near_now.next = self.nearest.q.val();
        if self.steady.q.val() && (self.plane_now.val() > self.nearest.q.val()) {
            self.near_now.next = self.plane_now.val();
        }
        // No covered sample is beyond the farthest vertex, whatever the plane says.
        self.near.d.next = self.near_now.val();
        if self.near_now.val() > self.farthest.q.val() {
            self.near.d.next = self.farthest.q.val();
        }
    }

    /// The part has its bound, and the least of its quads' bounds.
    fn limits(&mut self) {
        for p in 0..4 {
            self.bound[p].next = bits::<24>(0);
        }
        for b in 0..4 {
            if self.in_block.val().get_bit(b) {
                self.bound[0].next = self.bound0[b].q.val();
                self.bound[1].next = self.bound1[b].q.val();
                self.bound[2].next = self.bound2[b].q.val();
                self.bound[3].next = self.bound3[b].q.val();
            }
        }
        self.most[0].next = self.bound[0].val();
        self.few[0].next = self.bound[1].val();
        if self.bound[1].val() > self.bound[0].val() {
            self.most[0].next = self.bound[1].val();
            self.few[0].next = self.bound[0].val();
        }
        self.most[1].next = self.bound[2].val();
        self.few[1].next = self.bound[3].val();
        if self.bound[3].val() > self.bound[2].val() {
            self.most[1].next = self.bound[3].val();
            self.few[1].next = self.bound[2].val();
        }
        self.most_of_all.next = self.most[0].val();
        if self.most[1].val() > self.most[0].val() {
            self.most_of_all.next = self.most[1].val();
        }
        self.least_of_all.next = self.few[0].val();
        if self.few[1].val() < self.few[0].val() {
            self.least_of_all.next = self.few[1].val();
        }
        if self.fault_hide_parts_bound.val() {
            self.most_of_all.next = self.bound[0].val();
        }
        self.one.next = self.bound[0].val();
        if self.child_x.val().get_bit(0) {
            self.one.next = self.bound[1].val();
        }
        if self.child_y.val().get_bit(0) {
            self.one.next = self.bound[2].val();
            if self.child_x.val().get_bit(0) {
                self.one.next = self.bound[3].val();
            }
        }
        self.far.d.next = self.one.val();
        if self.block_now.val() {
            self.far.d.next = self.most_of_all.val();
        }
        self.least.d.next = self.least_of_all.val();
    }

    /// Is it hidden?
    fn decides(&mut self) {
        self.behind.next = self.near.q.val() > self.far.q.val();
        self.hides.next = self.tests.q.val()
            && (self.behind.val() || (self.takes_level.q.val() && (self.near.q.val() == self.far.q.val())));
        // Nothing of it can be hidden.
        self.before.next = (self.farthest.q.val() < self.least.q.val())
            || (!self.takes_level.q.val() && (self.farthest.q.val() == self.least.q.val()));
        if self.hides.val() {
            self.mask.d.next = self.mask.q.val() | self.part_mask.q.val();
        }
        if self.tests.q.val() {
            if self.is_block.q.val() && !self.hides.val() && !self.before.val() {
                self.quads.d.next = self.quads_left.val() | (self.open.q.val() & self.part_mask.q.val());
            } else {
                self.open.d.next = self.open.q.val() & !self.part_mask.q.val();
            }
        }
        self.cull.valid.next = self.hides.val();
        self.cull.kind.next = bits::<2>(3);
        self.cull.order.next = self.order.q.val();
        self.quad_x.next = self.x.q.val() | bit_cast::<11, 2>(self.part_x.q.val());
        self.quad_y.next = self.y.q.val() | bit_cast::<11, 2>(self.part_y.q.val());
        self.cull.x.next = bit_cast::<12, 11>(self.quad_x.val()) << bits::<12>(1);
        self.cull.y.next = bit_cast::<12, 11>(self.quad_y.val()) << bits::<12>(1);
        self.cull.side.next = bits::<3>(1);
        if self.is_block.q.val() {
            self.cull.side.next = bits::<3>(2);
        }
    }

    /// Registers of bounds keep what they have.
    fn registers(&mut self) {
        for b in 0..4 {
            self.bound0[b].clock.next = self.clock.val();
            self.bound1[b].clock.next = self.clock.val();
            self.bound2[b].clock.next = self.clock.val();
            self.bound3[b].clock.next = self.clock.val();
            self.bound0[b].d.next = self.bound0[b].q.val();
            self.bound1[b].d.next = self.bound1[b].q.val();
            self.bound2[b].d.next = self.bound2[b].q.val();
            self.bound3[b].d.next = self.bound3[b].q.val();
        }
    }

    /// Quads inside the triangle's box are tested, and blocks of several of them.
    fn inside(&mut self) {
        self.columns.next = bits::<4>(0);
        for c in 0..4 {
            if self.query.columns.val().get_bits::<2>(2 * c).any() {
                self.columns.next = self.columns.val() | (bits::<4>(1) << c.to_bits::<4>());
            }
        }
        self.rest.next = self.query.bottom.val().get_bits::<11>(1) - self.query.y.val();
        for r in 0..4 {
            self.inside_row[r].next = bits::<16>(0);
        }
        if !self.query.top.val().get_bits::<2>(1).any() {
            self.inside_row[0].next = bit_cast::<16, 4>(self.columns.val());
        }
        if !self.query.top.val().get_bit(2) && self.rest.val().any() {
            self.inside_row[1].next = bit_cast::<16, 4>(self.columns.val()) << bits::<16>(4);
        }
        if !self.query.top.val().get_bits::<2>(1).all() && (self.rest.val() >= bits::<11>(2)) {
            self.inside_row[2].next = bit_cast::<16, 4>(self.columns.val()) << bits::<16>(8);
        }
        if self.rest.val() >= bits::<11>(3) {
            self.inside_row[3].next = bit_cast::<16, 4>(self.columns.val()) << bits::<16>(12);
        }
        self.inside.next =
            self.inside_row[0].val() | self.inside_row[1].val() | self.inside_row[2].val() | self.inside_row[3].val();
        self.of_block[0].next = self.inside.val() & bits::<16>(0x0033);
        self.of_block[1].next = self.inside.val() & bits::<16>(0x00CC);
        self.of_block[2].next = self.inside.val() & bits::<16>(0x3300);
        self.of_block[3].next = self.inside.val() & bits::<16>(0xCC00);
        self.many.next = bits::<4>(0);
        self.single.next = bits::<16>(0);
        for b in 0..4 {
            self.less_one[b].next = self.of_block[b].val() & (self.of_block[b].val() - bits::<16>(1));
            if self.less_one[b].val().any() {
                self.many.next = self.many.val() | (bits::<4>(1) << b.to_bits::<4>());
            } else {
                self.single.next = self.single.val() | self.of_block[b].val();
            }
        }
    }

    /// A group that is not hidden is loaded.
    fn loads(&mut self) {
        self.x_top.next = self.facts.gx.val().get_bits::<9>(38);
        self.y_top.next = self.facts.gy.val().get_bits::<9>(38);
        self.fours.next = (self.facts.gx.val().get_bits::<47>(0) << bits::<47>(2))
            + (self.facts.gy.val().get_bits::<47>(0) << bits::<47>(2));
        self.loads.next =
            self.answer_valid.val() && !self.answer_hidden.val() && !self.loaded.q.val() && !self.open.q.val().any();
        self.dropped.next = self.query_taken.val() && !self.begins.val();
        if self.loads.val() {
            self.loaded.d.next = true;
            self.covered.d.next = false;
            if self.covered.q.val() {
                self.held.d.next = self.mask.q.val();
            }
            if !self.fault_hide_parts_stale.val() {
                self.mask.d.next = bits::<16>(0);
            }
            if self.test_ports.may.val() {
                self.open.d.next = self.inside.val();
                self.blocks.d.next = self.many.val();
                self.quads.d.next = self.single.val();
            }
            // From the centre of the first pixel to its corner.
            self.corner.d.next = self.query.z.val().get_bits::<47>(0) - self.fours.val();
            self.gx.d.next = self.facts.gx.val().get_bits::<47>(0);
            self.gy.d.next = self.facts.gy.val().get_bits::<47>(0);
            self.x.d.next = self.query.x.val();
            self.y.d.next = self.query.y.val();
            self.nearest.d.next = self.facts.low.val();
            self.farthest.d.next = self.facts.high.val();
            if self.test_ports.down.val() {
                self.nearest.d.next = !self.facts.high.val();
                self.farthest.d.next = !self.facts.low.val();
            }
            self.order.d.next = self.facts.owner.val().get_value_order();
            self.steady.d.next = (self.x_top.val().all() || !self.x_top.val().any())
                && (self.y_top.val().all() || !self.y_top.val().any());
            self.is_down.d.next = self.test_ports.down.val();
            self.takes_level.d.next = self.test_ports.level.val();
            for b in 0..4 {
                self.bound0[b].d.next = self.upper[b].read_data.val().get_bits::<24>(0);
                self.bound1[b].d.next = self.upper[b].read_data.val().get_bits::<24>(24);
                self.bound2[b].d.next = self.lower[b].read_data.val().get_bits::<24>(0);
                self.bound3[b].d.next = self.lower[b].read_data.val().get_bits::<24>(24);
            }
        }
    }

    /// The rasteriser begins a group, or a hidden group is dropped.
    fn group_begin(&mut self) {
        if self.begins.val() {
            self.loaded.d.next = false;
            self.covered.d.next = self.loaded.q.val() || self.loads.val();
            if !self.loaded.q.val() && !self.loads.val() {
                self.held.d.next = bits::<16>(0);
            }
        }
        // A group that is hidden after all.
        if self.dropped.val() && self.loaded.q.val() {
            self.loaded.d.next = false;
            self.open.d.next = bits::<16>(0);
            self.blocks.d.next = bits::<4>(0);
            self.quads.d.next = bits::<16>(0);
            self.tests.d.next = false;
        }
    }

    /// The ports say which quads are hidden, and which rows are tested.
    fn answer_port(&mut self) {
        self.answer_ports.hidden.next = self.held.q.val();
        self.some.next = bits::<4>(0);
        if self.covered.q.val() {
            self.answer_ports.hidden.next = self.mask.q.val();
            for r in 0..4 {
                if self.open.q.val().get_bits::<4>(4 * r).any() {
                    self.some.next = self.some.val() | (bits::<4>(1) << r.to_bits::<4>());
                }
            }
        }
        self.answer_ports.known.next = !self.some.val();
        if self.fault_hide_parts_early.val() {
            self.answer_ports.known.next = bits::<4>(15);
        }
    }
}
