//! Set-up of a triangle, first part: area, culls by area, face and box, the numerators of the
//! gradients, two edges at the target's corner (docs/graphics.md, "Set-up and coverage", "Depth").
//! The third edge is what the area leaves.
//!
//! One multiplier goes through ten products:
//!
//! | step | product | |
//! | --- | --- | --- |
//! | 0, 1 | dx1 dy2, dy1 dx2 | area; known in step 4, in which a triangle waits for its divider |
//! | 5, 6 | dz1 dy2, dz2 dy1 | numerator of the gradient along x |
//! | 7, 8 | dz2 dx1, dz1 dx2 | along y |
//! | 9, 10 | dx2 y0, dy2 x0 | edge 1 |
//! | 11, 12 | dy1 x0, dx1 y0 | edge 2 |
//!
//! A difference is complete three steps after its second product was chosen. If the area is below
//! zero 1 and 2 change places from step 5 on. The next triangle begins behind step 12: thirteen
//! cycles later at the earliest. Its corners come in meanwhile.
//!
//! What set-up has found waits in a queue of sixteen places, in order, marks of culled triangles
//! too. A triangle that is culled here gives its references back first.
//!
//! It can be wrong in which corner has changed places, and in a product that is taken a step off.
//!
//! Planted faults: `geometry-swap`, `geometry-face`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::cells::{AreaSize, CornerDistance, ProductDifference, SetupProduct};
use crate::base::{vector, Planted};
use crate::cell::AsyncRam;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{AssembledDataIn, BoundsIn, SetUpOut};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct GeometryEdges {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// There is room for a triangle.
    pub room: Signal<Out, bool>,
    /// A corner comes.
    pub load: Signal<In, bool>,
    /// Which one.
    pub number: Signal<In, Bits<2>>,
    /// X, 1/256 pixel, with sign.
    pub x: Signal<In, Bits<22>>,
    /// Y.
    pub y: Signal<In, Bits<22>>,
    /// Z, 1/64 of a unit.
    pub z: Signal<In, Bits<30>>,
    /// The triangle of the corners is valid.
    pub setup_start: Signal<In, bool>,
    /// The triangle to set up.
    pub setup_triangle: AssembledDataIn,
    /// Its bounds.
    pub bounds: BoundsIn,
    /// A culled triangle releases a reference.
    pub ref_release_valid: Signal<Out, bool>,
    /// It is counted in this cycle if valid.
    pub ref_release_ready: Signal<In, bool>,
    /// Entry of the vertex.
    pub ref_release_entry: Signal<Out, Bits<12>>,
    /// The divider that is next is free.
    pub divider_ready: Signal<In, bool>,
    /// It gets a triangle: its area.
    pub start: Signal<Out, bool>,
    /// Twice the area.
    pub area: Signal<Out, Bits<46>>,
    /// Context of the triangle.
    pub context: Signal<Out, Bits<4>>,
    /// A numerator, with sign.
    pub numerator: Signal<Out, Bits<55>>,
    /// It is that along x.
    pub numerator_x: Signal<Out, bool>,
    /// It is that along y. The divider that is next is another one from the next cycle on.
    pub numerator_y: Signal<Out, bool>,
    /// It is taken.
    pub found_take: Signal<In, bool>,
    /// What was found of the oldest triangle.
    pub found: SetUpOut,
    // Corners and triangle that have come.
    x_in: Vec<DFF<Bits<22>>>,
    y_in: Vec<DFF<Bits<22>>>,
    z_in: Vec<DFF<Bits<30>>>,
    full: DFF<bool>,
    what_in: DFF<Bits<3>>,
    clipped_in: DFF<bool>,
    last_in: DFF<bool>,
    context_in: DFF<Bits<4>>,
    order_in: DFF<Bits<16>>,
    entries_in: Vec<DFF<Bits<12>>>,
    first_in: DFF<Bits<12>>,
    extra_in: DFF<bool>,
    box_in: Vec<DFF<Bits<12>>>,
    empty_in: DFF<bool>,
    modes_in: DFF<Bits<3>>,
    // The triangle at work.
    busy: DFF<bool>,
    step: DFF<Bits<5>>,
    what: DFF<Bits<3>>,
    clipped: DFF<bool>,
    last: DFF<bool>,
    context_now: DFF<Bits<4>>,
    order: DFF<Bits<16>>,
    entries: Vec<DFF<Bits<12>>>,
    first: DFF<Bits<12>>,
    extra: DFF<bool>,
    bounds_now: Vec<DFF<Bits<12>>>,
    empty: DFF<bool>,
    modes: DFF<Bits<3>>,
    x0: DFF<Bits<22>>,
    y0: DFF<Bits<22>>,
    dx1: DFF<Bits<23>>,
    dy1: DFF<Bits<23>>,
    dz1: DFF<Bits<31>>,
    dx2: DFF<Bits<23>>,
    dy2: DFF<Bits<23>>,
    dz2: DFF<Bits<31>>,
    // Factors, product, and the one before; which difference they belong to.
    a: DFF<Bits<31>>,
    b: DFF<Bits<23>>,
    kind_a: DFF<Bits<3>>,
    product: DFF<Bits<54>>,
    kind_p: DFF<Bits<3>>,
    before: DFF<Bits<54>>,
    twice: DFF<Bits<46>>,
    area_r: DFF<Bits<46>>,
    fill: DFF<Bits<4>>,
    at: DFF<Bits<4>>,
    slot: DFF<Bits<4>>,
    way_x1: CornerDistance,
    way_y1: CornerDistance,
    way_x2: CornerDistance,
    way_y2: CornerDistance,
    multiply: SetupProduct,
    less: ProductDifference,
    magnitude: AreaSize,
    // The queue.
    q_marks: AsyncRam,
    /// Corners 0 and 1; corner 2, that of flat words, and whether it has a reference of its own.
    q_entries: AsyncRam,
    q_firsts: AsyncRam,
    q_box0: AsyncRam,
    q_box1: AsyncRam,
    q_x: AsyncRam,
    q_y: AsyncRam,
    q_dx1: AsyncRam,
    q_dy1: AsyncRam,
    q_dx2: AsyncRam,
    q_dy2: AsyncRam,
    q_area0: AsyncRam,
    q_area1: AsyncRam,
    q_c1_0: AsyncRam,
    q_c1_1: AsyncRam,
    q_c2_0: AsyncRam,
    q_c2_1: AsyncRam,
    moves: Signal<Local, bool>,
    negative: Signal<Local, bool>,
    of_depth: Signal<Local, bool>,
    second: Signal<Local, bool>,
    along_y: Signal<Local, bool>,
    depth: Signal<Local, Bits<31>>,
    way: Signal<Local, Bits<23>>,
    b_way: Signal<Local, Bits<23>>,
    place: Signal<Local, Bits<22>>,
    of_place: Signal<Local, bool>,
    b_second: Signal<Local, bool>,
    b_along_y: Signal<Local, bool>,
    kind: Signal<Local, Bits<3>>,
    none: Signal<Local, bool>,
    face: Signal<Local, bool>,
    culled: Signal<Local, bool>,
    queue_fill: Signal<Local, Bits<4>>,
    queue_room: Signal<Local, bool>,
    push: Signal<Local, bool>,
    pushed: Signal<Local, Bits<3>>,
    back: Signal<Local, bool>,
    packed: Signal<Local, Bits<32>>,
    flags: Signal<Local, Bits<4>>,
    flags_last: Signal<Local, Bits<4>>,
    flags_back: Signal<Local, Bits<4>>,
    flags_all: Signal<Local, Bits<4>>,
    second_entry: Signal<Local, Bits<12>>,
    third_entry: Signal<Local, Bits<12>>,
    fault_geometry_swap: Planted,
    fault_geometry_face: Planted,
    _active: bool,
}

impl GeometryEdges {
    /// At rest, with that configuration's planted faults.
    pub fn new(config: &GpuConfig) -> Self {
        let queue = |width| AsyncRam::new(16, width);
        Self {
            x_in: vector(3),
            y_in: vector(3),
            z_in: vector(3),
            entries_in: vector(3),
            box_in: vector(4),
            entries: vector(3),
            bounds_now: vector(4),
            q_marks: queue(27),
            q_entries: queue(24),
            q_firsts: queue(25),
            q_box0: queue(24),
            q_box1: queue(24),
            q_x: queue(22),
            q_y: queue(22),
            q_dx1: queue(23),
            q_dy1: queue(23),
            q_dx2: queue(23),
            q_dy2: queue(23),
            q_area0: queue(32),
            q_area1: queue(14),
            q_c1_0: queue(32),
            q_c1_1: queue(14),
            q_c2_0: queue(32),
            q_c2_1: queue(14),
            fault_geometry_swap: Planted::new(config.has(Fault::GeometrySwap)),
            fault_geometry_face: Planted::new(config.has(Fault::GeometryFace)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl GeometryEdges {
    /// Corners and triangles come in.
    fn arrival(&mut self) {
        comment!("module: geometry_edges");
        dff_setup!(self, clock, full, what_in, clipped_in, last_in, context_in, order_in, first_in, extra_in);
        dff_setup!(self, clock, empty_in, modes_in, empty);
        dff_setup!(self, clock, busy, step, what, clipped, last, context_now, order, first, extra, modes, x0, y0, dx1);
        dff_setup!(self, clock, dy1, dz1, dx2, dy2, dz2, a, b, kind_a, product, kind_p, before, twice, area_r, fill);
        dff_setup!(self, clock, at, slot);
        clock!(
            self, clock, q_marks, q_entries, q_firsts, q_box0, q_box1, q_x, q_y, q_dx1, q_dy1, q_dx2, q_dy2, q_area0
        );
        clock!(self, clock, q_area1, q_c1_0, q_c1_1, q_c2_0, q_c2_1);
        for k in 0..3 {
            self.x_in[k].clock.next = self.clock.val();
            self.y_in[k].clock.next = self.clock.val();
            self.z_in[k].clock.next = self.clock.val();
            self.entries_in[k].clock.next = self.clock.val();
            self.entries[k].clock.next = self.clock.val();
            self.x_in[k].d.next = self.x_in[k].q.val();
            self.y_in[k].d.next = self.y_in[k].q.val();
            self.z_in[k].d.next = self.z_in[k].q.val();
            self.entries_in[k].d.next = self.entries_in[k].q.val();
            self.entries[k].d.next = self.entries[k].q.val();
            if self.load.val() && (self.number.val() == k.to_bits::<2>()) {
                self.x_in[k].d.next = self.x.val();
                self.y_in[k].d.next = self.y.val();
                self.z_in[k].d.next = self.z.val();
            }
        }
        for k in 0..4 {
            self.box_in[k].clock.next = self.clock.val();
            self.bounds_now[k].clock.next = self.clock.val();
            self.box_in[k].d.next = self.box_in[k].q.val();
            self.bounds_now[k].d.next = self.bounds_now[k].q.val();
        }
        self.room.next = !self.full.q.val();
        if self.setup_start.val() {
            self.what_in.d.next = self.setup_triangle.what.val();
            self.clipped_in.d.next = self.setup_triangle.clipped.val();
            self.last_in.d.next = self.setup_triangle.last.val();
            self.context_in.d.next = self.setup_triangle.context.val();
            self.order_in.d.next = self.setup_triangle.order.val();
            self.first_in.d.next = self.setup_triangle.first.val();
            self.extra_in.d.next = self.setup_triangle.extra.val();
            self.entries_in[0].d.next = self.setup_triangle.entry[0].val();
            self.entries_in[1].d.next = self.setup_triangle.entry[1].val();
            self.entries_in[2].d.next = self.setup_triangle.entry[2].val();
            self.box_in[0].d.next = self.bounds.x0.val();
            self.box_in[1].d.next = self.bounds.y0.val();
            self.box_in[2].d.next = self.bounds.x1.val();
            self.box_in[3].d.next = self.bounds.y1.val();
            self.empty_in.d.next = self.bounds.empty.val();
            self.modes_in.d.next = self.bounds.modes.val();
        }
    }

    /// A triangle begins when the last product of the one before is under way.
    fn begin(&mut self) {
        self.moves.next = self.full.q.val() && (!self.busy.q.val() || (self.step.q.val() == bits::<5>(12)));
        self.way_x1.a.next = self.x_in[1].q.val();
        self.way_x1.b.next = self.x_in[0].q.val();
        self.way_y1.a.next = self.y_in[1].q.val();
        self.way_y1.b.next = self.y_in[0].q.val();
        self.way_x2.a.next = self.x_in[2].q.val();
        self.way_x2.b.next = self.x_in[0].q.val();
        self.way_y2.a.next = self.y_in[2].q.val();
        self.way_y2.b.next = self.y_in[0].q.val();
        if self.step.q.val() == bits::<5>(12) {
            self.busy.d.next = false;
        }
        if self.moves.val() {
            self.full.d.next = false;
            self.busy.d.next = true;
            self.what.d.next = self.what_in.q.val();
            self.clipped.d.next = self.clipped_in.q.val();
            self.last.d.next = self.last_in.q.val();
            self.context_now.d.next = self.context_in.q.val();
            self.order.d.next = self.order_in.q.val();
            self.first.d.next = self.first_in.q.val();
            self.extra.d.next = self.extra_in.q.val();
            for k in 0..3 {
                self.entries[k].d.next = self.entries_in[k].q.val();
            }
            for k in 0..4 {
                self.bounds_now[k].d.next = self.box_in[k].q.val();
            }
            self.empty.d.next = self.empty_in.q.val();
            self.modes.d.next = self.modes_in.q.val();
            self.x0.d.next = self.x_in[0].q.val();
            self.y0.d.next = self.y_in[0].q.val();
            self.dx1.d.next = self.way_x1.distance.val();
            self.dy1.d.next = self.way_y1.distance.val();
            self.dx2.d.next = self.way_x2.distance.val();
            self.dy2.d.next = self.way_y2.distance.val();
            self.dz1.d.next = bit_cast::<31, 30>(self.z_in[1].q.val()) - bit_cast::<31, 30>(self.z_in[0].q.val());
            self.dz2.d.next = bit_cast::<31, 30>(self.z_in[2].q.val()) - bit_cast::<31, 30>(self.z_in[0].q.val());
        }
        if self.setup_start.val() {
            self.full.d.next = true;
        }
    }

    /// The step chooses which differences of corners are multiplied.
    fn factor_choice(&mut self) {
        // Which way: 2 or 1, in y or x, or of depth. From step 5 on they may have changed places.
        self.negative.next = self.twice.q.val().get_bit(45) && (self.step.q.val() >= bits::<5>(5));
        self.of_depth.next = (self.step.q.val() >= bits::<5>(5)) && (self.step.q.val() < bits::<5>(9));
        self.second.next = (self.step.q.val() == bits::<5>(6))
            || (self.step.q.val() == bits::<5>(7))
            || (self.step.q.val() == bits::<5>(9))
            || (self.step.q.val() == bits::<5>(10));
        self.along_y.next = (self.step.q.val() == bits::<5>(1))
            || (self.step.q.val() == bits::<5>(10))
            || (self.step.q.val() == bits::<5>(11));
        self.b_second.next = (self.step.q.val() == bits::<5>(0))
            || (self.step.q.val() == bits::<5>(1))
            || (self.step.q.val() == bits::<5>(5))
            || (self.step.q.val() == bits::<5>(8));
        self.b_along_y.next = (self.step.q.val() == bits::<5>(0))
            || (self.step.q.val() == bits::<5>(5))
            || (self.step.q.val() == bits::<5>(6))
            || (self.step.q.val() == bits::<5>(9))
            || (self.step.q.val() == bits::<5>(12));
        self.of_place.next = self.step.q.val() >= bits::<5>(9);
    }

    /// The first factor is a difference of two corners' places or depths.
    fn first_factor(&mut self) {
        self.depth.next = self.dz1.q.val();
        if self.second.val() ^ (self.negative.val() && !self.fault_geometry_swap.val()) {
            self.depth.next = self.dz2.q.val();
        }
        self.way.next = self.dx1.q.val();
        if self.second.val() ^ self.negative.val() {
            self.way.next = self.dx2.q.val();
        }
        if self.along_y.val() {
            self.way.next = self.dy1.q.val();
            if self.second.val() ^ self.negative.val() {
                self.way.next = self.dy2.q.val();
            }
        }
        self.a.d.next = bit_cast::<31, 23>(self.way.val());
        if self.way.val().get_bit(22) {
            self.a.d.next = bit_cast::<31, 23>(self.way.val()) | bits::<31>(0x7F80_0000);
        }
        if self.of_depth.val() {
            self.a.d.next = self.depth.val();
        }
    }

    /// The second factor is a difference of two corners' places, or corner 0's place.
    fn second_factor(&mut self) {
        self.b_way.next = self.dx1.q.val();
        if self.b_second.val() ^ self.negative.val() {
            self.b_way.next = self.dx2.q.val();
        }
        if self.b_along_y.val() {
            self.b_way.next = self.dy1.q.val();
            if self.b_second.val() ^ self.negative.val() {
                self.b_way.next = self.dy2.q.val();
            }
        }
        self.place.next = self.x0.q.val();
        if self.b_along_y.val() {
            self.place.next = self.y0.q.val();
        }
        self.b.d.next = self.b_way.val();
        if self.of_place.val() {
            self.b.d.next = bit_cast::<23, 22>(self.place.val());
            if self.place.val().get_bit(21) {
                self.b.d.next = bit_cast::<23, 22>(self.place.val()) | bits::<23>(0x40_0000);
            }
        }
    }

    /// Differences of products.
    fn subtract(&mut self) {
        // Which difference its second product completes: 1 the area, 2 and 3 numerators along x and
        // y, 4 and 5 edges 1 and 2.
        self.kind.next = bits::<3>(0);
        if self.step.q.val() == bits::<5>(1) {
            self.kind.next = bits::<3>(1);
        }
        if self.step.q.val() == bits::<5>(6) {
            self.kind.next = bits::<3>(2);
        }
        if self.step.q.val() == bits::<5>(8) {
            self.kind.next = bits::<3>(3);
        }
        if self.step.q.val() == bits::<5>(10) {
            self.kind.next = bits::<3>(4);
        }
        if self.step.q.val() == bits::<5>(12) {
            self.kind.next = bits::<3>(5);
        }
        self.kind_a.d.next = bits::<3>(0);
        if self.busy.q.val() {
            self.kind_a.d.next = self.kind.val();
        }
        self.kind_p.d.next = self.kind_a.q.val();
        self.multiply.a.next = self.a.q.val();
        self.multiply.b.next = self.b.q.val();
        self.product.d.next = self.multiply.product.val();
        self.before.d.next = self.product.q.val();
        self.less.a.next = self.before.q.val();
        self.less.b.next = self.product.q.val();
        if self.kind_p.q.val() == bits::<3>(1) {
            self.twice.d.next = self.less.difference.val().get_bits::<46>(0);
        }
        self.magnitude.value.next = self.twice.q.val();
        self.area_r.d.next = self.magnitude.size.val();
        self.numerator.next = self.less.difference.val();
        self.numerator_x.next = self.kind_p.q.val() == bits::<3>(2);
        self.numerator_y.next = self.kind_p.q.val() == bits::<3>(3);
        self.area.next = self.area_r.q.val();
        self.context.next = self.context_now.q.val();
    }

    /// In step 4 the area is known: no area, the face, no pixel, in this order.
    fn verdict(&mut self) {
        self.none.next = !self.twice.q.val().any();
        self.face.next = self.modes.q.val().get_bit(0);
        if self.twice.q.val().get_bit(45) ^ self.fault_geometry_face.val() {
            self.face.next = self.modes.q.val().get_bit(1);
        }
        self.pushed.next = bits::<3>(0);
        if self.empty.q.val() {
            self.pushed.next = bits::<3>(5);
        }
        if self.face.val() {
            self.pushed.next = bits::<3>(4);
        }
        if self.none.val() {
            self.pushed.next = bits::<3>(3);
        }
        if self.what.q.val().any() {
            self.pushed.next = self.what.q.val();
        }
        self.queue_fill.next = self.fill.q.val() - self.at.q.val();
        self.queue_room.next = self.queue_fill.val() != bits::<4>(15);
        self.culled.next = self.none.val() || self.face.val() || self.empty.q.val();
    }

    /// Signals are idle by default; the step chooses which reference is given back.
    fn returned_reference(&mut self) {
        self.start.next = false;
        self.push.next = false;
        self.ref_release_valid.next = false;
        self.ref_release_entry.next = self.entries[0].q.val();
        if self.step.q.val() == bits::<5>(17) {
            self.ref_release_entry.next = self.entries[1].q.val();
        }
        if self.step.q.val() == bits::<5>(18) {
            self.ref_release_entry.next = self.entries[2].q.val();
        }
        if self.step.q.val() == bits::<5>(19) {
            self.ref_release_entry.next = self.first.q.val();
        }
    }

    /// The triangle goes through its steps, and into the queue.
    fn steps(&mut self) {
        if self.busy.q.val() {
            self.step.d.next = self.step.q.val() + bits::<5>(1);
            if (self.step.q.val() == bits::<5>(0)) && self.what.q.val().any() {
                self.step.d.next = bits::<5>(20);
            }
            if self.step.q.val() == bits::<5>(4) {
                self.step.d.next = bits::<5>(4);
                if self.culled.val() {
                    self.step.d.next = bits::<5>(16);
                } else if self.divider_ready.val() && self.queue_room.val() {
                    self.step.d.next = bits::<5>(5);
                }
            }
            // What a culled one holds.
            if (self.step.q.val() >= bits::<5>(16)) && (self.step.q.val() < bits::<5>(20)) {
                self.ref_release_valid.next = (self.step.q.val() != bits::<5>(19)) || self.extra.q.val();
                if !self.ref_release_ready.val() {
                    self.step.d.next = self.step.q.val();
                }
            }
            if self.step.q.val() == bits::<5>(20) {
                self.push.next = self.queue_room.val();
                self.step.d.next = bits::<5>(20);
                if self.queue_room.val() {
                    self.busy.d.next = false;
                }
            }
            if self.step.q.val() == bits::<5>(5) {
                self.start.next = true;
                self.push.next = true;
                self.slot.d.next = self.fill.q.val();
            }
        }
        if self.moves.val() {
            self.step.d.next = bits::<5>(0);
        }
        if self.push.val() {
            self.fill.d.next = self.fill.q.val() + bits::<4>(1);
        }
        if self.found_take.val() {
            self.at.d.next = self.at.q.val() + bits::<4>(1);
        }
    }

    /// Corners are put in order, and marks say what the triangle is.
    fn marks(&mut self) {
        // Clockwise shows the front if the state says so.
        self.back.next = self.twice.q.val().get_bit(45) == self.modes.q.val().get_bit(2);
        self.second_entry.next = self.entries[1].q.val();
        self.third_entry.next = self.entries[2].q.val();
        if self.twice.q.val().get_bit(45) {
            self.second_entry.next = self.entries[2].q.val();
            self.third_entry.next = self.entries[1].q.val();
        }
        self.flags.next = bits::<4>(0);
        if self.clipped.q.val() {
            self.flags.next = bits::<4>(1);
        }
        self.flags_last.next = self.flags.val();
        if self.last.q.val() {
            self.flags_last.next = self.flags.val() | bits::<4>(2);
        }
        self.flags_back.next = self.flags_last.val();
        if self.back.val() {
            self.flags_back.next = self.flags_last.val() | bits::<4>(4);
        }
        self.flags_all.next = self.flags_back.val();
        if self.twice.q.val().get_bit(45) {
            self.flags_all.next = self.flags_back.val() | bits::<4>(8);
        }
    }

    /// What was found is packed into words of the queue.
    fn queue_words(&mut self) {
        self.q_marks.write_data.next = bit_cast::<32, 16>(self.order.q.val())
            | (bit_cast::<32, 4>(self.context_now.q.val()) << bits::<32>(16))
            | (bit_cast::<32, 3>(self.pushed.val()) << bits::<32>(20))
            | (bit_cast::<32, 4>(self.flags_all.val()) << bits::<32>(23));
        self.q_entries.write_data.next = bit_cast::<32, 12>(self.entries[0].q.val())
            | (bit_cast::<32, 12>(self.second_entry.val()) << bits::<32>(12));
        self.packed.next =
            bit_cast::<32, 12>(self.third_entry.val()) | (bit_cast::<32, 12>(self.first.q.val()) << bits::<32>(12));
        self.q_firsts.write_data.next = self.packed.val();
        if self.extra.q.val() {
            self.q_firsts.write_data.next = self.packed.val() | bits::<32>(0x100_0000);
        }
        self.q_box0.write_data.next = bit_cast::<32, 12>(self.bounds_now[0].q.val())
            | (bit_cast::<32, 12>(self.bounds_now[1].q.val()) << bits::<32>(12));
        self.q_box1.write_data.next = bit_cast::<32, 12>(self.bounds_now[2].q.val())
            | (bit_cast::<32, 12>(self.bounds_now[3].q.val()) << bits::<32>(12));
        self.q_x.write_data.next = bit_cast::<32, 22>(self.x0.q.val());
        self.q_y.write_data.next = bit_cast::<32, 22>(self.y0.q.val());
        self.q_dx1.write_data.next = bit_cast::<32, 23>(self.dx1.q.val());
        self.q_dy1.write_data.next = bit_cast::<32, 23>(self.dy1.q.val());
        self.q_dx2.write_data.next = bit_cast::<32, 23>(self.dx2.q.val());
        self.q_dy2.write_data.next = bit_cast::<32, 23>(self.dy2.q.val());
        self.q_area0.write_data.next = self.area_r.q.val().get_bits::<32>(0);
        self.q_area1.write_data.next = bit_cast::<32, 14>(self.area_r.q.val().get_bits::<14>(32));
        self.q_c1_0.write_data.next = self.less.difference.val().get_bits::<32>(0);
        self.q_c1_1.write_data.next = bit_cast::<32, 14>(self.less.difference.val().get_bits::<14>(32));
        self.q_c2_0.write_data.next = self.less.difference.val().get_bits::<32>(0);
        self.q_c2_1.write_data.next = bit_cast::<32, 14>(self.less.difference.val().get_bits::<14>(32));
    }

    /// Words are written at the newest place, two products later; the oldest is read.
    fn queue_addresses(&mut self) {
        self.q_marks.write_enable.next = self.push.val();
        self.q_marks.write_address.next = bit_cast::<6, 4>(self.fill.q.val());
        self.q_marks.read_address.next = bit_cast::<6, 4>(self.at.q.val());
        self.q_entries.write_enable.next = self.push.val();
        self.q_entries.write_address.next = bit_cast::<6, 4>(self.fill.q.val());
        self.q_entries.read_address.next = bit_cast::<6, 4>(self.at.q.val());
        self.q_firsts.write_enable.next = self.push.val();
        self.q_firsts.write_address.next = bit_cast::<6, 4>(self.fill.q.val());
        self.q_firsts.read_address.next = bit_cast::<6, 4>(self.at.q.val());
        self.q_box0.write_enable.next = self.push.val();
        self.q_box0.write_address.next = bit_cast::<6, 4>(self.fill.q.val());
        self.q_box0.read_address.next = bit_cast::<6, 4>(self.at.q.val());
        self.q_box1.write_enable.next = self.push.val();
        self.q_box1.write_address.next = bit_cast::<6, 4>(self.fill.q.val());
        self.q_box1.read_address.next = bit_cast::<6, 4>(self.at.q.val());
        self.q_x.write_enable.next = self.push.val();
        self.q_x.write_address.next = bit_cast::<6, 4>(self.fill.q.val());
        self.q_x.read_address.next = bit_cast::<6, 4>(self.at.q.val());
        self.q_y.write_enable.next = self.push.val();
        self.q_y.write_address.next = bit_cast::<6, 4>(self.fill.q.val());
        self.q_y.read_address.next = bit_cast::<6, 4>(self.at.q.val());
        self.q_dx1.write_enable.next = self.push.val();
        self.q_dx1.write_address.next = bit_cast::<6, 4>(self.fill.q.val());
        self.q_dx1.read_address.next = bit_cast::<6, 4>(self.at.q.val());
        self.q_dy1.write_enable.next = self.push.val();
        self.q_dy1.write_address.next = bit_cast::<6, 4>(self.fill.q.val());
        self.q_dy1.read_address.next = bit_cast::<6, 4>(self.at.q.val());
        self.q_dx2.write_enable.next = self.push.val();
        self.q_dx2.write_address.next = bit_cast::<6, 4>(self.fill.q.val());
        self.q_dx2.read_address.next = bit_cast::<6, 4>(self.at.q.val());
        self.q_dy2.write_enable.next = self.push.val();
        self.q_dy2.write_address.next = bit_cast::<6, 4>(self.fill.q.val());
        self.q_dy2.read_address.next = bit_cast::<6, 4>(self.at.q.val());
        self.q_area0.write_enable.next = self.push.val();
        self.q_area0.write_address.next = bit_cast::<6, 4>(self.fill.q.val());
        self.q_area0.read_address.next = bit_cast::<6, 4>(self.at.q.val());
        self.q_area1.write_enable.next = self.push.val();
        self.q_area1.write_address.next = bit_cast::<6, 4>(self.fill.q.val());
        self.q_area1.read_address.next = bit_cast::<6, 4>(self.at.q.val());
        self.q_c1_0.write_enable.next = self.kind_p.q.val() == bits::<3>(4);
        self.q_c1_0.write_address.next = bit_cast::<6, 4>(self.slot.q.val());
        self.q_c1_0.read_address.next = bit_cast::<6, 4>(self.at.q.val());
        self.q_c1_1.write_enable.next = self.kind_p.q.val() == bits::<3>(4);
        self.q_c1_1.write_address.next = bit_cast::<6, 4>(self.slot.q.val());
        self.q_c1_1.read_address.next = bit_cast::<6, 4>(self.at.q.val());
        self.q_c2_0.write_enable.next = self.kind_p.q.val() == bits::<3>(5);
        self.q_c2_0.write_address.next = bit_cast::<6, 4>(self.slot.q.val());
        self.q_c2_0.read_address.next = bit_cast::<6, 4>(self.at.q.val());
        self.q_c2_1.write_enable.next = self.kind_p.q.val() == bits::<3>(5);
        self.q_c2_1.write_address.next = bit_cast::<6, 4>(self.slot.q.val());
        self.q_c2_1.read_address.next = bit_cast::<6, 4>(self.at.q.val());
    }

    /// The oldest triangle of the queue stands at the port.
    fn oldest(&mut self) {
        self.found.valid.next = self.at.q.val() != self.fill.q.val();
        self.found.order.next = self.q_marks.read_data.val().get_bits::<16>(0);
        self.found.context.next = self.q_marks.read_data.val().get_bits::<4>(16);
        self.found.what.next = self.q_marks.read_data.val().get_bits::<3>(20);
        self.found.clipped.next = self.q_marks.read_data.val().get_bit(23);
        self.found.last.next = self.q_marks.read_data.val().get_bit(24);
        self.found.back.next = self.q_marks.read_data.val().get_bit(25);
        self.found.swapped.next = self.q_marks.read_data.val().get_bit(26);
        self.found.entry[0].next = self.q_entries.read_data.val().get_bits::<12>(0);
        self.found.entry[1].next = self.q_entries.read_data.val().get_bits::<12>(12);
        self.found.entry[2].next = self.q_firsts.read_data.val().get_bits::<12>(0);
        self.found.first.next = self.q_firsts.read_data.val().get_bits::<12>(12);
        self.found.extra.next = self.q_firsts.read_data.val().get_bit(24);
        self.found.x0.next = self.q_box0.read_data.val().get_bits::<12>(0);
        self.found.y0.next = self.q_box0.read_data.val().get_bits::<12>(12);
        self.found.x1.next = self.q_box1.read_data.val().get_bits::<12>(0);
        self.found.y1.next = self.q_box1.read_data.val().get_bits::<12>(12);
        self.found.x.next = self.q_x.read_data.val().get_bits::<22>(0);
        self.found.y.next = self.q_y.read_data.val().get_bits::<22>(0);
        self.found.dx1.next = self.q_dx1.read_data.val().get_bits::<23>(0);
        self.found.dy1.next = self.q_dy1.read_data.val().get_bits::<23>(0);
        self.found.dx2.next = self.q_dx2.read_data.val().get_bits::<23>(0);
        self.found.dy2.next = self.q_dy2.read_data.val().get_bits::<23>(0);
        self.found.area.next = bit_cast::<46, 32>(self.q_area0.read_data.val())
            | (bit_cast::<46, 14>(self.q_area1.read_data.val().get_bits::<14>(0)) << bits::<46>(32));
        self.found.c1.next = bit_cast::<46, 32>(self.q_c1_0.read_data.val())
            | (bit_cast::<46, 14>(self.q_c1_1.read_data.val().get_bits::<14>(0)) << bits::<46>(32));
        self.found.c2.next = bit_cast::<46, 32>(self.q_c2_0.read_data.val())
            | (bit_cast::<46, 14>(self.q_c2_1.read_data.val().get_bits::<14>(0)) << bits::<46>(32));
    }
}
