//! Set-up of a triangle, last part: everything about it comes together, in order of triangles. Its
//! record is written, its depth at the target's corner is made, and it goes to the port.
//!
//! | cycle | |
//! | --- | --- |
//! | 0 | a record is taken; 1 / S is written; corner 0 is asked for; gx x0 begins |
//! | 1 | edge 1; 1 / w of corner 0; its depth gets the bias; corner 1 is asked for; gy y0 |
//! | 2 | edge 2; corner 1; z0 2^18 - gx x0 |
//! | 3 | edge 0, that is S less the others; corner 2; less gy y0 |
//! | 5 | all goes to the port, and the event is told in the next cycle |
//!
//! The next triangle begins in cycle 4. If the port is not free in cycle 5 it stays in its cycle 1.
//! Of a triangle that was culled only the event is told, when nothing is before it.
//!
//! The bias moves the plane of depth and its corners alike, so that a sample's depth is held
//! between the corners' before the bias is added. The least and the greatest depth are held in the
//! range of the state when the triangle goes to the port: this is the clamp of what the bias makes.
//!
//! It can be wrong in a number of the next triangle that comes with this one.
//!
//! Planted faults: `geometry-edge`, `geometry-depth`, `geometry-range`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::state;
use rust_hdl::prelude::*;

use super::cells::{DepthHold, DepthShift, DepthTrack, EdgeSlopes, SlopeProduct};
use crate::base::{vector, Parameter, Planted};
use crate::cell::Ram;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{PlaneBiasIn, RecordWriteOut, SetUpIn, StateWriteIn, TriangleEventOut, TriangleOut};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct GeometryFinish {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of states: 40 and 41.
    pub state: StateWriteIn,
    /// It is taken. The next triangle may be at another set-up.
    pub found_take: Signal<Out, bool>,
    /// What was found of the next triangle.
    pub found: SetUpIn,
    /// Its gradients are known.
    pub known: Signal<In, bool>,
    /// They are taken.
    pub known_take: Signal<Out, bool>,
    /// Gradients of depth, and the bias that follows from them.
    pub bias_ports: PlaneBiasIn,
    /// A corner is read: its entry.
    pub entry: Signal<Out, Bits<12>>,
    /// Its depth, a cycle later.
    pub z: Signal<In, Bits<30>>,
    /// Its 1 / w.
    pub r: Signal<In, Bits<32>>,
    /// A record is free.
    pub handle_valid: Signal<In, bool>,
    /// Its number.
    pub handle: Signal<In, Bits<12>>,
    /// Writes of set-up into the record of a triangle.
    pub record_ports: RecordWriteOut,
    /// A culled triangle names its context no more.
    pub culled: Signal<Out, bool>,
    /// The context.
    pub culled_context: Signal<Out, Bits<4>>,
    /// A triangle is set up.
    pub triangle: TriangleOut,
    /// Event port: result of geometry for a triangle.
    pub triangle_event: TriangleEventOut,
    slopes: EdgeSlopes,
    shift: DepthShift,
    track: DepthTrack,
    leasts: Ram,
    mosts: Ram,
    hold_low: DepthHold,
    hold_high: DepthHold,
    multiply: SlopeProduct,
    beat: DFF<Bits<2>>,
    record: DFF<Bits<12>>,
    // Two beats behind: the corner whose depth has its bias, and whether the triangle is complete.
    late: DFF<Bits<2>>,
    complete: DFF<bool>,
    pending: DFF<bool>,
    slope: DFF<Bits<50>>,
    place: DFF<Bits<22>>,
    product: DFF<Bits<60>>,
    depth: DFF<Bits<32>>,
    plane: DFF<Bits<60>>,
    low: DFF<Bits<26>>,
    high: DFF<Bits<26>>,
    least: DFF<Bits<24>>,
    most: DFF<Bits<24>>,
    // The triangle that comes together.
    a: Vec<DFF<Bits<24>>>,
    b: Vec<DFF<Bits<24>>>,
    c: Vec<DFF<Bits<48>>>,
    gx_r: DFF<Bits<50>>,
    gy_r: DFF<Bits<50>>,
    context: DFF<Bits<4>>,
    order: DFF<Bits<16>>,
    handle_r: DFF<Bits<12>>,
    back: DFF<bool>,
    vertex: Vec<DFF<Bits<12>>>,
    clipped: DFF<bool>,
    last: DFF<bool>,
    bounds: Vec<DFF<Bits<12>>>,
    // The one at the port.
    out: DFF<bool>,
    o_a: Vec<DFF<Bits<24>>>,
    o_b: Vec<DFF<Bits<24>>>,
    o_c: Vec<DFF<Bits<48>>>,
    o_gx: DFF<Bits<50>>,
    o_gy: DFF<Bits<50>>,
    o_z: DFF<Bits<60>>,
    o_low: DFF<Bits<24>>,
    o_high: DFF<Bits<24>>,
    o_context: DFF<Bits<4>>,
    o_order: DFF<Bits<16>>,
    o_handle: DFF<Bits<12>>,
    o_back: DFF<bool>,
    o_vertex: Vec<DFF<Bits<12>>>,
    o_bounds: Vec<DFF<Bits<12>>>,
    // The event.
    e_valid: DFF<bool>,
    e_what: DFF<Bits<3>>,
    e_clipped: DFF<bool>,
    e_last: DFF<bool>,
    e_context: DFF<Bits<4>>,
    e_order: DFF<Bits<16>>,
    e_handle: DFF<Bits<12>>,
    begins: Signal<Local, bool>,
    moves: Signal<Local, bool>,
    mark: Signal<Local, bool>,
    shows: Signal<Local, bool>,
    wide_c1: Signal<Local, Bits<48>>,
    wide_c2: Signal<Local, Bits<48>>,
    wide_area: Signal<Local, Bits<48>>,
    edge_a0: Signal<Local, Bits<24>>,
    edge_b0: Signal<Local, Bits<24>>,
    edge_c0: Signal<Local, Bits<48>>,
    packed: Signal<Local, Bits<64>>,
    depth_high: Signal<Local, Bits<60>>,
    upper: Parameter<48>,
    depth_sign: Parameter<60>,
    fault_geometry_range: Planted,
    fault_geometry_edge: Planted,
    fault_geometry_depth: Planted,
    _active: bool,
}

impl GeometryFinish {
    /// At rest, with that configuration's planted faults.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            leasts: Ram::new(config.contexts),
            mosts: Ram::new(config.contexts),
            a: vector(3),
            b: vector(3),
            c: vector(3),
            bounds: vector(4),
            vertex: vector(3),
            o_vertex: vector(3),
            o_a: vector(3),
            o_b: vector(3),
            o_c: vector(3),
            o_bounds: vector(4),
            upper: Parameter::new(0xC000_0000_0000),
            depth_sign: Parameter::new(0x3FF << 50),
            fault_geometry_range: Planted::new(config.has(Fault::GeometryRange)),
            fault_geometry_edge: Planted::new(config.has(Fault::GeometryEdge)),
            fault_geometry_depth: Planted::new(config.has(Fault::GeometryDepth)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl GeometryFinish {
    /// The registers have their clock, and keep what they have.
    fn registers(&mut self) {
        comment!("module: geometry_finish");
        dff_setup!(self, clock, beat, record, late, complete, pending, slope, place, product, depth, plane, low, high);
        dff_setup!(self, clock, least, most);
        clock!(self, clock, leasts, mosts);
        dff_setup!(self, clock, gx_r, gy_r, context, order, handle_r, back, clipped, last, out, o_gx, o_gy, o_z, o_low);
        dff_setup!(self, clock, o_high, o_context, o_order, o_handle, o_back, e_valid, e_what, e_clipped, e_last);
        dff_setup!(self, clock, e_context, e_order, e_handle);
        for k in 0..3 {
            dff_setup!(self, clock, vertex[k], o_vertex[k]);
            self.a[k].clock.next = self.clock.val();
            self.b[k].clock.next = self.clock.val();
            self.c[k].clock.next = self.clock.val();
            self.o_a[k].clock.next = self.clock.val();
            self.o_b[k].clock.next = self.clock.val();
            self.o_c[k].clock.next = self.clock.val();
            self.a[k].d.next = self.a[k].q.val();
            self.b[k].d.next = self.b[k].q.val();
            self.c[k].d.next = self.c[k].q.val();
            self.o_a[k].d.next = self.o_a[k].q.val();
            self.o_b[k].d.next = self.o_b[k].q.val();
            self.o_c[k].d.next = self.o_c[k].q.val();
        }
        for k in 0..4 {
            self.bounds[k].clock.next = self.clock.val();
            self.o_bounds[k].clock.next = self.clock.val();
            self.bounds[k].d.next = self.bounds[k].q.val();
            self.o_bounds[k].d.next = self.o_bounds[k].q.val();
        }
    }

    /// A triangle goes through its cycles, and asks for its corners.
    fn beats(&mut self) {
        // A triangle is complete two cycles after its last beat, and waits for the port.
        self.shows.next = self.pending.q.val() && (!self.out.q.val() || self.triangle.ready.val());
        self.begins.next = self.found.valid.val()
            && !self.found.what.val().any()
            && !self.beat.q.val().any()
            && self.known.val()
            && self.handle_valid.val();
        self.mark.next = self.found.valid.val()
            && self.found.what.val().any()
            && !self.beat.q.val().any()
            && !self.complete.q.val()
            && !self.pending.q.val();
        self.moves.next = self.beat.q.val().any();
        if (self.beat.q.val() == bits::<2>(1)) && self.pending.q.val() && !self.shows.val() {
            self.moves.next = false;
        }
        if self.begins.val() || self.moves.val() {
            self.beat.d.next = self.beat.q.val() + bits::<2>(1);
        }
        self.record_ports.handle_take.next = self.begins.val();
        if self.begins.val() {
            self.record.d.next = self.handle.val();
        }
        self.known_take.next = self.beat.q.val() == bits::<2>(3);
        self.found_take.next = (self.beat.q.val() == bits::<2>(3)) || self.mark.val();
        self.culled.next = self.mark.val();
        self.culled_context.next = self.found.context.val();
        self.complete.d.next = self.beat.q.val() == bits::<2>(3);
        if self.shows.val() {
            self.pending.d.next = false;
        }
        if self.complete.q.val() {
            self.pending.d.next = true;
        }
        // Corners are read in the order of the triangle.
        self.entry.next = self.found.entry[0].val();
        if (self.beat.q.val() == bits::<2>(1)) && self.moves.val() {
            self.entry.next = self.found.entry[1].val();
        }
        if self.beat.q.val() == bits::<2>(2) {
            self.entry.next = self.found.entry[2].val();
        }
    }

    /// Edge 1, edge 2, and what the area leaves, go into the record.
    fn edges(&mut self) {
        self.wide_c1.next = bit_cast::<48, 46>(self.found.c1.val());
        if self.found.c1.val().get_bit(45) {
            self.wide_c1.next = bit_cast::<48, 46>(self.found.c1.val()) | self.upper.val();
        }
        self.wide_c2.next = bit_cast::<48, 46>(self.found.c2.val());
        if self.found.c2.val().get_bit(45) {
            self.wide_c2.next = bit_cast::<48, 46>(self.found.c2.val()) | self.upper.val();
        }
        self.wide_area.next = bit_cast::<48, 46>(self.found.area.val());
        self.slopes.x1.next = self.found.dx1.val();
        self.slopes.y1.next = self.found.dy1.val();
        self.slopes.x2.next = self.found.dx2.val();
        self.slopes.y2.next = self.found.dy2.val();
        self.slopes.one.next = self.beat.q.val() == bits::<2>(1);
        self.slopes.swapped.next = self.found.swapped.val();
        self.edge_a0.next = bits::<24>(0) - self.a[1].q.val() - self.a[2].q.val();
        self.edge_b0.next = bits::<24>(0) - self.b[1].q.val() - self.b[2].q.val();
        self.edge_c0.next = self.wide_area.val() - self.c[1].q.val() - self.c[2].q.val();
        if self.fault_geometry_edge.val() {
            self.edge_c0.next = self.wide_area.val() - self.c[1].q.val() - self.c[2].q.val() - bits::<48>(1);
        }
        self.record_ports.record_handle.next = self.record.q.val();
        if self.begins.val() {
            self.record_ports.record_handle.next = self.handle.val();
        }
        self.record_ports.edge_write.next = self.moves.val();
        self.record_ports.edge_part.next = self.beat.q.val();
        self.record_ports.edge_a.next = self.slopes.a.val();
        self.record_ports.edge_b.next = self.slopes.b.val();
        self.record_ports.edge_c.next = self.wide_c1.val();
        if self.beat.q.val() == bits::<2>(2) {
            self.record_ports.edge_c.next = self.wide_c2.val();
        }
        if self.beat.q.val() == bits::<2>(3) {
            self.record_ports.edge_part.next = bits::<2>(0);
            self.record_ports.edge_a.next = self.edge_a0.val();
            self.record_ports.edge_b.next = self.edge_b0.val();
            self.record_ports.edge_c.next = self.edge_c0.val();
        }
    }

    /// Registers take edges, bounds and corners of the triangle, beat by beat.
    fn triangle_registers(&mut self) {
        if (self.beat.q.val() == bits::<2>(1)) && self.moves.val() {
            self.a[1].d.next = self.slopes.a.val();
            self.b[1].d.next = self.slopes.b.val();
            self.c[1].d.next = self.wide_c1.val();
            self.gx_r.d.next = self.bias_ports.gx.val();
            self.gy_r.d.next = self.bias_ports.gy.val();
            self.context.d.next = self.found.context.val();
            self.order.d.next = self.found.order.val();
            self.handle_r.d.next = self.record.q.val();
            self.back.d.next = self.found.back.val();
            for k in 0..3 {
                self.vertex[k].d.next = self.found.entry[k].val();
            }
            self.clipped.d.next = self.found.clipped.val();
            self.last.d.next = self.found.last.val();
            self.bounds[0].d.next = self.found.x0.val();
            self.bounds[1].d.next = self.found.y0.val();
            self.bounds[2].d.next = self.found.x1.val();
            self.bounds[3].d.next = self.found.y1.val();
        }
        if self.beat.q.val() == bits::<2>(2) {
            self.a[2].d.next = self.slopes.a.val();
            self.b[2].d.next = self.slopes.b.val();
            self.c[2].d.next = self.wide_c2.val();
        }
        if self.beat.q.val() == bits::<2>(3) {
            self.a[0].d.next = self.edge_a0.val();
            self.b[0].d.next = self.edge_b0.val();
            self.c[0].d.next = self.edge_c0.val();
        }
    }

    /// 1 / S goes into the record, then 1 / w of the corners as they come.
    fn record(&mut self) {
        self.record_ports.word_write.next = self.begins.val() || self.moves.val();
        self.record_ports.word_part.next = self.beat.q.val() - bits::<2>(1);
        self.record_ports.word_data.next = self.r.val();
        if self.begins.val() {
            self.record_ports.word_part.next = bits::<2>(3);
            self.record_ports.word_data.next = self.bias_ports.inverse.val();
        }
        self.record_ports.entries_write.next = self.begins.val();
        self.packed.next = bit_cast::<64, 12>(self.found.entry[0].val())
            | (bit_cast::<64, 12>(self.found.entry[1].val()) << bits::<64>(12))
            | (bit_cast::<64, 12>(self.found.entry[2].val()) << bits::<64>(24))
            | (bit_cast::<64, 12>(self.found.first.val()) << bits::<64>(36))
            | (bit_cast::<64, 4>(self.found.context.val()) << bits::<64>(48));
        self.record_ports.entries_data.next = self.packed.val();
        if self.found.extra.val() {
            self.record_ports.entries_data.next = self.packed.val() | (bits::<64>(1) << bits::<64>(52));
        }
    }

    /// The triangle's least and greatest depth are clamped to the context's range.
    fn depth_clamp(&mut self) {
        // What a depth is at least and at most, of the context that comes together.
        self.leasts.write_enable.next = self.state.valid.val()
            && !self.state.pass.val()
            && (self.state.word.val() == bits::<6>(state::DEPTH_LEAST));
        self.leasts.write_address.next = bit_cast::<12, 4>(self.state.context.val());
        fan_out!(self.state.data => self.leasts.write_data, self.mosts.write_data);
        self.mosts.write_enable.next =
            self.state.valid.val() && !self.state.pass.val() && (self.state.word.val() == bits::<6>(state::DEPTH_MOST));
        self.mosts.write_address.next = bit_cast::<12, 4>(self.state.context.val());
        self.leasts.read_address.next = bit_cast::<12, 4>(self.found.context.val());
        self.mosts.read_address.next = bit_cast::<12, 4>(self.found.context.val());
        if self.beat.q.val() == bits::<2>(2) {
            self.least.d.next = self.leasts.read_data.val().get_bits::<24>(0);
            self.most.d.next = self.mosts.read_data.val().get_bits::<24>(0);
        }
        self.hold_low.unit.next = self.low.q.val();
        self.hold_low.least.next = self.least.q.val();
        self.hold_low.most.next = self.most.q.val();
        self.hold_high.unit.next = self.high.q.val();
        self.hold_high.least.next = self.least.q.val();
        self.hold_high.most.next = self.most.q.val();
    }

    /// The depth of the corner that has come gets its bias.
    fn corner_depth(&mut self) {
        self.shift.z.next = self.z.val();
        self.shift.bias.next = self.bias_ports.bias.val();
        self.shift.down.next = self.bias_ports.down.val();
        self.late.d.next = bits::<2>(0);
        if self.moves.val() {
            self.late.d.next = self.beat.q.val();
            self.depth.d.next = self.shift.shifted.val();
        }
        self.track.first.next = self.late.q.val() == bits::<2>(1);
        self.track.z.next = self.depth.q.val();
        self.track.low.next = self.low.q.val();
        self.track.high.next = self.high.q.val();
        if self.late.q.val().any() {
            self.low.d.next = self.track.low_out.val();
            self.high.d.next = self.track.high_out.val();
        }
    }

    /// The plane gives the depth at the target's corner.
    fn plane_depth(&mut self) {
        if self.begins.val() {
            self.slope.d.next = self.bias_ports.gx.val();
            self.place.d.next = self.found.x.val();
        }
        if (self.beat.q.val() == bits::<2>(1)) && self.moves.val() {
            self.slope.d.next = self.bias_ports.gy.val();
            self.place.d.next = self.found.y.val();
        }
        self.multiply.slope.next = self.slope.q.val();
        self.multiply.place.next = self.place.q.val();
        self.product.d.next = self.multiply.product.val();
        self.depth_high.next = bit_cast::<60, 32>(self.depth.q.val()) << bits::<60>(18);
        if self.depth.q.val().get_bit(31) {
            self.depth_high.next = (bit_cast::<60, 32>(self.depth.q.val()) << bits::<60>(18)) | self.depth_sign.val();
        }
        if self.late.q.val() == bits::<2>(1) {
            self.plane.d.next = self.depth_high.val() - self.product.q.val();
        }
        if (self.late.q.val() == bits::<2>(2)) && !self.fault_geometry_depth.val() {
            self.plane.d.next = self.plane.q.val() - self.product.q.val();
        }
    }

    /// The event port tells of a triangle that is culled or goes to the output.
    fn event_port(&mut self) {
        self.e_valid.d.next = self.mark.val() || self.shows.val();
        self.e_what.d.next = bits::<3>(0);
        self.e_clipped.d.next = self.clipped.q.val();
        self.e_last.d.next = self.last.q.val();
        self.e_context.d.next = self.context.q.val();
        self.e_order.d.next = self.order.q.val();
        self.e_handle.d.next = self.handle_r.q.val();
        if self.mark.val() {
            self.e_what.d.next = self.found.what.val();
            self.e_clipped.d.next = self.found.clipped.val();
            self.e_last.d.next = self.found.last.val();
            self.e_context.d.next = self.found.context.val();
            self.e_order.d.next = self.found.order.val();
        }
        self.triangle_event.valid.next = self.e_valid.q.val();
        self.triangle_event.what.next = self.e_what.q.val();
        self.triangle_event.clipped.next = self.e_clipped.q.val();
        self.triangle_event.last.next = self.e_last.q.val();
        self.triangle_event.context.next = self.e_context.q.val();
        self.triangle_event.order.next = self.e_order.q.val();
        self.triangle_event.handle.next = self.e_handle.q.val();
    }

    /// The triangle stands at the port until it is taken.
    fn show(&mut self) {
        if self.triangle.ready.val() {
            self.out.d.next = false;
        }
        if self.shows.val() {
            self.out.d.next = true;
            for k in 0..3 {
                self.o_a[k].d.next = self.a[k].q.val();
                self.o_b[k].d.next = self.b[k].q.val();
                self.o_c[k].d.next = self.c[k].q.val();
                self.o_vertex[k].d.next = self.vertex[k].q.val();
            }
            for k in 0..4 {
                self.o_bounds[k].d.next = self.bounds[k].q.val();
            }
            self.o_gx.d.next = self.gx_r.q.val();
            self.o_gy.d.next = self.gy_r.q.val();
            self.o_z.d.next = self.plane.q.val();
            self.o_low.d.next = self.hold_low.held.val();
            self.o_high.d.next = self.hold_high.held.val();
            if self.fault_geometry_range.val() {
                self.o_high.d.next = self.high.q.val().get_bits::<24>(0);
            }
            self.o_context.d.next = self.context.q.val();
            self.o_order.d.next = self.order.q.val();
            self.o_handle.d.next = self.handle_r.q.val();
            self.o_back.d.next = self.back.q.val();
        }
        self.triangle.valid.next = self.out.q.val();
        self.triangle.context.next = self.o_context.q.val();
        self.triangle.handle.next = self.o_handle.q.val();
        self.triangle.order.next = self.o_order.q.val();
        self.triangle.back.next = self.o_back.q.val();
        self.triangle.x0.next = self.o_bounds[0].q.val();
        self.triangle.y0.next = self.o_bounds[1].q.val();
        self.triangle.x1.next = self.o_bounds[2].q.val();
        self.triangle.y1.next = self.o_bounds[3].q.val();
        self.triangle.z.next = self.o_z.q.val();
        self.triangle.gx.next = self.o_gx.q.val();
        self.triangle.gy.next = self.o_gy.q.val();
        self.triangle.z_low.next = self.o_low.q.val();
        self.triangle.z_high.next = self.o_high.q.val();
        for k in 0..3 {
            self.triangle.a[k].next = self.o_a[k].q.val();
            self.triangle.b[k].next = self.o_b[k].q.val();
            self.triangle.c[k].next = self.o_c[k].q.val();
            self.triangle.vertex[k].next = self.o_vertex[k].q.val();
        }
    }
}
