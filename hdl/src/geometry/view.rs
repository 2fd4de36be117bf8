//! View unit: what a vertex is in the target, and what it is outside of (docs/graphics.md, "Culls
//! and clipping" and "Viewport"). Each vertex once, whatever number of triangles has it.
//!
//! A vertex begins in every sixteenth cycle, and is done 52 cycles later; four are under way. What
//! happens in which cycle is the same for all of them, so it is decided by a counter, the *phase*.
//!
//! | cycle | phase | |
//! | --- | --- | --- |
//! | 0 to 3 | 0 to 3 | w, x, y, z are asked for, and come a cycle later |
//! | 2 | 2 | 1 / w begins |
//! | 2 to 5 | 2 to 5 | x, y, z beside w; 2^-76 beside w |
//! | 5, 6 | 5, 6 | gx w, gy w |
//! | 15, 16 | 15, 0 | x beside gx w, y beside gy w |
//! | 18 to 20 | 2 to 4 | x r, y r, z r; code and r are written |
//! | 29 to 31 | 13 to 15 | times half a side, plus the centre |
//! | 40, 41 | 8, 9 | X and Y: 256 times it plus 1.5 * 2^23, whose lowest bits are the integer |
//! | 44 | 12 | Z is written |
//! | 50, 51 | 2, 3 | X and Y are written |
//!
//! In the six phases that are left others use the float unit.
//!
//! A distance to a clip plane is negative if and only if its two terms compare so: a rounded
//! difference keeps its sign, since numbers go below the normal ones. So nothing is subtracted.
//!
//! It can be wrong in a cycle of the table, and in a plane whose side is mistaken.
//!
//! Planted faults: `geometry-plane`, `geometry-small`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::state;
use rust_hdl::prelude::*;

use super::cells::Outcode;
use super::float::GeometryFloat;
use super::reciprocal::Reciprocal;
use crate::base::{vector, Parameter, Planted};
use crate::cell::Ram;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{FloatAnswerOut, FloatAskDataIn, FloatAskIn, ShadedVertexIn, StateWriteIn};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct GeometryView {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of states.
    pub state: StateWriteIn,
    /// A vertex that was shaded, to be divided and placed.
    pub vertex: ShadedVertexIn,
    /// It is taken in this cycle if valid: every sixteenth.
    pub vertex_ready: Signal<Out, bool>,
    /// A word of a vertex is read: the clipper must not.
    pub read: Signal<Out, bool>,
    /// Which one: entry in 17:6.
    pub read_address: Signal<Out, Bits<18>>,
    /// It, a cycle later.
    pub read_data: Signal<In, Bits<32>>,
    /// Request of another block to the float unit.
    pub float_req: FloatAskIn,
    /// Number of the requester, 1 and up.
    pub float_req_tag: Signal<In, Bits<4>>,
    /// What the float unit of geometry has calculated.
    pub answer_ports: FloatAnswerOut,
    /// Code and r of a vertex are written.
    pub code_write: Signal<Out, bool>,
    /// Entry of the vertex whose code it is.
    pub code_entry: Signal<Out, Bits<12>>,
    /// Outside of a clip plane in bit 0, of x < -w, x > w, y < -w, y > w, z < 0, z > w in 6:1; no
    /// number, or out of range, in bit 7.
    pub code: Signal<Out, Bits<8>>,
    /// 1 / w.
    pub r: Signal<Out, Bits<32>>,
    /// Z is written.
    pub z_write: Signal<Out, bool>,
    /// Entry of the vertex.
    pub z_entry: Signal<Out, Bits<12>>,
    /// Z, 1/64 of a unit.
    pub z: Signal<Out, Bits<30>>,
    /// X is written.
    pub x_write: Signal<Out, bool>,
    /// Y is written; the vertex is done.
    pub y_write: Signal<Out, bool>,
    /// Entry of the vertex.
    pub place_entry: Signal<Out, Bits<12>>,
    /// X or Y, 1/256 pixel, with sign.
    pub place: Signal<Out, Bits<22>>,
    /// The clipper has made the vertex that is done.
    pub made: Signal<Out, bool>,
    factors: Ram,
    offsets: Ram,
    float: GeometryFloat,
    reach: Signal<Local, Bits<10>>,
    reciprocal: Reciprocal,
    outcode: Outcode,
    count: DFF<Bits<4>>,
    // Vertices under way, the youngest first.
    valid: Vec<DFF<bool>>,
    entry: Vec<DFF<Bits<12>>>,
    context: Vec<DFF<Bits<4>>>,
    of_clip: Vec<DFF<bool>>,
    w: DFF<Bits<32>>,
    // x, y, z go through, from element 2 to 0.
    xyz: Vec<DFF<Bits<32>>>,
    delayed: DFF<Bits<32>>,
    compare_v: DFF<Bits<32>>,
    compare_w: DFF<Bits<32>>,
    code_r: DFF<Bits<8>>,
    phase: Signal<Local, Bits<4>>,
    free: Signal<Local, bool>,
    cut: Signal<Local, bool>,
    state_place: Signal<Local, Bits<12>>,
    factor: Signal<Local, Bits<3>>,
    offset: Signal<Local, Bits<3>>,
    early: Signal<Local, Bits<3>>,
    lead: Parameter<4>,
    magic: Parameter<32>,
    least_w: Parameter<32>,
    fault_geometry_plane: Planted,
    fault_geometry_small: Planted,
    _active: bool,
}

impl GeometryView {
    /// At rest. A vertex begins in the cycles that are 16 - `lead` after a multiple of sixteen.
    pub fn new(config: &GpuConfig, lead: u64) -> Self {
        Self {
            factors: Ram::new(8 * config.contexts),
            offsets: Ram::new(8 * config.contexts),
            float: GeometryFloat::new(config),
            reciprocal: Reciprocal::new(config),
            valid: vector(4),
            entry: vector(4),
            context: vector(2),
            of_clip: vector(4),
            xyz: vector(3),
            lead: Parameter::new(lead),
            // 1.5 * 2^23 and 2^-76.
            magic: Parameter::new(0x4B40_0000),
            least_w: Parameter::new(0x1980_0000),
            fault_geometry_plane: Planted::new(config.has(Fault::GeometryPlane)),
            fault_geometry_small: Planted::new(config.has(Fault::GeometrySmall)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl GeometryView {
    /// Registers keep what they have, and a counter gives the phase.
    fn phase(&mut self) {
        comment!("module: geometry_view");
        dff_setup!(self, clock, count, w, delayed, compare_v, compare_w, code_r);
        clock!(self, clock, factors, offsets, float, reciprocal);
        for k in 0..4 {
            self.valid[k].clock.next = self.clock.val();
            self.entry[k].clock.next = self.clock.val();
            self.of_clip[k].clock.next = self.clock.val();
            self.valid[k].d.next = self.valid[k].q.val();
            self.entry[k].d.next = self.entry[k].q.val();
            self.of_clip[k].d.next = self.of_clip[k].q.val();
        }
        for k in 0..2 {
            dff_setup!(self, clock, context[k]);
        }
        for k in 0..3 {
            dff_setup!(self, clock, xyz[k]);
        }
        self.count.d.next = self.count.q.val() + bits::<4>(1);
        self.phase.next = self.count.q.val() + self.lead.val();
    }

    /// Vertices begin and move on.
    fn advance(&mut self) {
        self.vertex_ready.next = self.phase.val() == bits::<4>(15);
        if self.phase.val() == bits::<4>(15) {
            self.valid[0].d.next = self.vertex.valid.val();
            self.entry[0].d.next = self.vertex.entry.val();
            self.context[0].d.next = self.vertex.context.val();
            self.of_clip[0].d.next = self.vertex.made.val();
            for k in 0..3 {
                self.valid[k + 1].d.next = self.valid[k].q.val();
                self.entry[k + 1].d.next = self.entry[k].q.val();
                self.of_clip[k + 1].d.next = self.of_clip[k].q.val();
            }
            self.context[1].d.next = self.context[0].q.val();
        }
    }

    /// The w, x, y and z of a vertex come, and 1 / w begins.
    fn vertex_words(&mut self) {
        self.read.next = self.valid[0].q.val() && (self.phase.val() < bits::<4>(4));
        self.early.next = bits::<3>(3);
        if self.phase.val() == bits::<4>(1) {
            self.early.next = bits::<3>(0);
        }
        if self.phase.val() == bits::<4>(2) {
            self.early.next = bits::<3>(1);
        }
        if self.phase.val() == bits::<4>(3) {
            self.early.next = bits::<3>(2);
        }
        self.read_address.next =
            (bit_cast::<18, 12>(self.entry[0].q.val()) << bits::<18>(6)) | bit_cast::<18, 3>(self.early.val());
        if self.phase.val() == bits::<4>(1) {
            self.w.d.next = self.read_data.val();
        }
        if (self.phase.val() == bits::<4>(2))
            || (self.phase.val() == bits::<4>(3))
            || (self.phase.val() == bits::<4>(4))
        {
            self.xyz[2].d.next = self.read_data.val();
            self.xyz[1].d.next = self.xyz[2].q.val();
            self.xyz[0].d.next = self.xyz[1].q.val();
        }
        self.reciprocal.start.next = self.phase.val() == bits::<4>(2);
        self.reciprocal.operand.next = self.w.q.val();
    }

    /// What a vertex is outside of.
    fn compare(&mut self) {
        // x, y, z and 2^-76 beside w, then x and y beside w times the guard band.
        self.compare_v.d.next = self.read_data.val();
        self.compare_w.d.next = self.w.q.val();
        if self.phase.val() == bits::<4>(5) {
            self.compare_v.d.next = self.least_w.val();
        }
        if self.phase.val() == bits::<4>(15) {
            self.compare_v.d.next = self.xyz[0].q.val();
            self.compare_w.d.next = self.float.answer_ports.value.val();
        }
        if self.phase.val() == bits::<4>(0) {
            self.compare_v.d.next = self.xyz[1].q.val();
            self.compare_w.d.next = self.float.answer_ports.value.val();
        }
        self.outcode.v.next = self.compare_v.q.val();
        self.outcode.w.next = self.compare_w.q.val();
        self.cut.next = self.outcode.code.val().get_bit(0) || self.outcode.code.val().get_bit(1);
        if self.phase.val() == bits::<4>(3) {
            self.code_r.d.next = bit_cast::<8, 2>(self.outcode.code.val().get_bits::<2>(0)) << bits::<8>(1);
            if self.outcode.code.val().get_bit(2) || self.outcode.code.val().get_bit(3) {
                self.code_r.d.next =
                    (bit_cast::<8, 2>(self.outcode.code.val().get_bits::<2>(0)) << bits::<8>(1)) | bits::<8>(0x80);
            }
        }
        if self.phase.val() == bits::<4>(4) {
            self.code_r.d.next = self.code_r.q.val()
                | (bit_cast::<8, 2>(self.outcode.code.val().get_bits::<2>(0)) << bits::<8>(3))
                | (bit_cast::<8, 1>(self.outcode.code.val().get_bits::<1>(2)) << bits::<8>(7));
        }
        if self.phase.val() == bits::<4>(5) {
            self.code_r.d.next = self.code_r.q.val()
                | (bit_cast::<8, 1>(self.outcode.code.val().get_bits::<1>(4)) << bits::<8>(5))
                | (bit_cast::<8, 1>(self.outcode.code.val().get_bits::<1>(1)) << bits::<8>(6))
                | (bit_cast::<8, 1>(self.outcode.code.val().get_bits::<1>(2)) << bits::<8>(7))
                | bit_cast::<8, 1>(self.outcode.code.val().get_bits::<1>(4))
                | bit_cast::<8, 1>(self.outcode.code.val().get_bits::<1>(1));
        }
        // w below 2^-76 is outside of plane 0, and above 0 out of range.
        if self.phase.val() == bits::<4>(6) {
            self.code_r.d.next = self.code_r.q.val() | bit_cast::<8, 1>(self.outcode.code.val().get_bits::<1>(1));
            if self.outcode.code.val().get_bit(1) && self.outcode.code.val().get_bit(5) {
                self.code_r.d.next = self.code_r.q.val() | bits::<8>(0x81);
                if self.fault_geometry_small.val() {
                    self.code_r.d.next = self.code_r.q.val() | bits::<8>(1);
                }
            }
        }
        if (self.phase.val() == bits::<4>(0)) && self.cut.val() {
            self.code_r.d.next = self.code_r.q.val() | bits::<8>(1);
        }
        if (self.phase.val() == bits::<4>(1)) && self.cut.val() {
            self.code_r.d.next = self.code_r.q.val() | bits::<8>(1);
            if self.fault_geometry_plane.val() && !self.outcode.code.val().get_bit(1) {
                self.code_r.d.next = self.code_r.q.val();
            }
        }
    }

    /// Words 8 to 15 of a state are kept twice: factors and what is added.
    fn factors(&mut self) {
        self.state_place.next = (bit_cast::<12, 4>(self.state.context.val()) << bits::<12>(3))
            | bit_cast::<12, 3>(self.state.word.val().get_bits::<3>(0));
        self.factors.write_enable.next = self.state.valid.val()
            && !self.state.pass.val()
            && (self.state.word.val().get_bits::<3>(3) == bits::<3>(state::VIEWPORT_X / 8));
        self.factors.write_address.next = self.state_place.val();
        fan_out!(self.state.data => self.factors.write_data, self.offsets.write_data);
        self.offsets.write_enable.next = self.state.valid.val()
            && !self.state.pass.val()
            && (self.state.word.val().get_bits::<3>(3) == bits::<3>(state::VIEWPORT_X / 8));
        self.offsets.write_address.next = self.state_place.val();
        // gx, gy a cycle before their products; hx, hy, dz and cx, cy, z0 before the sums.
        self.factor.next = bits::<3>(6);
        self.offset.next = bits::<3>(0);
        if self.phase.val() == bits::<4>(5) {
            self.factor.next = bits::<3>(7);
        }
        if self.phase.val() == bits::<4>(12) {
            self.factor.next = bits::<3>(2);
        }
        if self.phase.val() == bits::<4>(13) {
            self.factor.next = bits::<3>(3);
            self.offset.next = bits::<3>(1);
        }
        if self.phase.val() == bits::<4>(14) {
            self.factor.next = bits::<3>(5);
            self.offset.next = bits::<3>(4);
        }
        self.factors.read_address.next =
            (bit_cast::<12, 4>(self.context[1].q.val()) << bits::<12>(3)) | bit_cast::<12, 3>(self.factor.val());
        if self.phase.val() < bits::<4>(8) {
            self.factors.read_address.next =
                (bit_cast::<12, 4>(self.context[0].q.val()) << bits::<12>(3)) | bit_cast::<12, 3>(self.factor.val());
        }
        self.offsets.read_address.next =
            (bit_cast::<12, 4>(self.context[1].q.val()) << bits::<12>(3)) | bit_cast::<12, 3>(self.offset.val());
    }

    /// The float unit calculates for the view in its phases, else for who asks.
    fn calculate(&mut self) {
        self.free.next = false;
        FloatAskDataIn::link(&mut self.float_req, &mut self.float.ask_ports);
        self.float.ask_ports.number.next = false;
        self.float.depth.next = false;
        self.float.tag.next = bits::<4>(0);
        if (self.phase.val() == bits::<4>(5)) || (self.phase.val() == bits::<4>(6)) {
            self.float.ask_ports.a.next = self.w.q.val();
            self.float.ask_ports.b.next = self.factors.read_data.val();
            self.float.ask_ports.product.next = true;
        } else if (self.phase.val() == bits::<4>(2))
            || (self.phase.val() == bits::<4>(3))
            || (self.phase.val() == bits::<4>(4))
        {
            self.float.ask_ports.a.next = self.xyz[0].q.val();
            self.float.ask_ports.b.next = self.reciprocal.value.val();
            self.float.ask_ports.product.next = true;
        } else if (self.phase.val() == bits::<4>(13))
            || (self.phase.val() == bits::<4>(14))
            || (self.phase.val() == bits::<4>(15))
        {
            self.float.ask_ports.a.next = self.delayed.q.val();
            self.float.ask_ports.b.next = self.factors.read_data.val();
            self.float.ask_ports.c.next = self.offsets.read_data.val();
            self.float.ask_ports.product.next = false;
            self.float.depth.next = self.phase.val() == bits::<4>(15);
        } else if (self.phase.val() == bits::<4>(8)) || (self.phase.val() == bits::<4>(9)) {
            self.float.ask_ports.a.next = self.delayed.q.val();
            self.float.ask_ports.b.next = bits::<32>(0x4380_0000);
            self.float.ask_ports.c.next = self.magic.val();
            self.float.ask_ports.product.next = false;
        } else {
            self.free.next = true;
            self.float.ask_ports.number.next = self.float_req.number.val();
            if self.float_req.valid.val() {
                self.float.tag.next = self.float_req_tag.val();
            }
        }
        self.float_req.ready.next = self.free.val();
        self.delayed.d.next = self.float.answer_ports.value.val();
        FloatAnswerOut::link(&mut self.answer_ports, &mut self.float.answer_ports);
    }

    /// What is written.
    fn give(&mut self) {
        self.code_write.next = self.valid[1].q.val() && (self.phase.val() == bits::<4>(2));
        self.code_entry.next = self.entry[1].q.val();
        self.code.next = self.code_r.q.val();
        self.r.next = self.reciprocal.value.val();
        self.z_write.next = self.valid[2].q.val() && (self.phase.val() == bits::<4>(12));
        self.z_entry.next = self.entry[2].q.val();
        self.z.next = self.float.answer_ports.fixed.val().get_bits::<30>(0);
        self.x_write.next = self.valid[3].q.val() && (self.phase.val() == bits::<4>(2));
        self.y_write.next = self.valid[3].q.val() && (self.phase.val() == bits::<4>(3));
        self.place_entry.next = self.entry[3].q.val();
        // Exponent and two bits of a sum of 1.25 * 2^23 up to 1.75 * 2^23; others are beyond 22
        // bits.
        self.reach.next = self.float.answer_ports.value.val().get_bits::<10>(21);
        self.place.next = self.float.answer_ports.value.val().get_bits::<22>(0);
        if self.reach.val() > bits::<10>(602) {
            self.place.next = bits::<22>(0x1F_FFFF);
        }
        if (self.reach.val() < bits::<10>(601)) || self.float.answer_ports.value.val().get_bit(31) {
            self.place.next = bits::<22>(0x20_0000);
        }
        self.made.next = self.of_clip[3].q.val();
    }
}
