//! Assembly: corners become triangles, lists or strips, and are culled by what their vertices are
//! outside of. A triangle that a clip plane cuts goes to the clipper; those behind it wait until
//! all its pieces are on their way.
//!
//! A triangle has one reference for each of its corners. In a list they are those of the corners.
//! In a strip the first corner's goes with the triangle, and two more are counted. A triangle that
//! is culled here gives back what it has, and goes on as a mark, so that events stay in order.
//!
//! Behind a cull pipeline there are marks of triangles that are left out: they are counted, and go
//! on as what is culled here does. Corners that are held go back then: behind a mark all corners of
//! a triangle come, in a strip also. A mark may be the first triangle of an instance. In the cull
//! pipeline what is to be clipped is such a mark, too: the pipeline that draws decides about it
//! (HZ-32).
//!
//! A triangle of a list takes four cycles, one of a strip also. It can be wrong in the order of
//! corners of every other triangle of a strip, and in a reference on a way that is rare.
//!
//! Planted faults: `geometry-order`, `geometry-parity`, `cull-crosses`, `cull-mark`, `strip-mark`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::state;
use rust_hdl::prelude::*;

use super::role::GeometryRole;
use crate::base::stream::FlowIn;
use crate::base::{vector, Planted};
use crate::cell::AsyncRam;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{AssembledOut, CornerDataIn, EntryReferenceOut, StateWriteIn};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct GeometryAssembly {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of states: 6, whether it is a strip.
    pub state: StateWriteIn,
    /// It is taken.
    pub head_take: Signal<Out, bool>,
    /// The oldest corner, viewed.
    pub head: FlowIn<CornerDataIn>,
    /// Behind a cull pipeline: it is none, a triangle is left out; its entry is 1 if an instance
    /// begins. One, or none.
    pub head_skip: Vec<Signal<In, bool>>,
    /// The code of a vertex is written.
    pub code_write: Signal<In, bool>,
    /// Entry of the vertex whose code it is.
    pub code_entry: Signal<In, Bits<12>>,
    /// What it is outside of.
    pub code: Signal<In, Bits<8>>,
    /// One reference more to an entry of the vertex store.
    pub ref_add: EntryReferenceOut,
    /// One reference less to an entry of the vertex store.
    pub ref_release: EntryReferenceOut,
    /// A draw has given its last corner.
    pub end_valid: Signal<Out, bool>,
    /// It is counted in this cycle if valid.
    pub end_ready: Signal<In, bool>,
    /// One to be clipped.
    pub clip_valid: Signal<Out, bool>,
    /// It is taken in this cycle if valid.
    pub clip_ready: Signal<In, bool>,
    /// A triangle to set up, or a mark of one that is culled.
    /// The triangle, for both.
    pub triangle: AssembledOut,
    /// A triangle, or a mark, goes on.
    pub triangle_sent: Signal<Out, bool>,
    // Behind a cull pipeline: one each, or none.
    /// One is here.
    pub holds: Vec<Signal<Out, bool>>,
    /// Contexts whose draws are strips.
    pub are_strips: Vec<Signal<Out, Bits<16>>>,
    /// Nothing of a triangle that was clipped is in the clipper any more.
    pub clip_idle: Signal<In, bool>,
    /// No corner is taken: the next triangle's number would be too far from the oldest that lives.
    pub stays: Signal<In, bool>,
    codes: AsyncRam<12, 8>,
    strips: DFF<Bits<16>>,
    held: Vec<DFF<Bits<12>>>,
    held_code: Vec<DFF<Bits<8>>>,
    count: DFF<Bits<2>>,
    parity: DFF<bool>,
    context: DFF<Bits<4>>,
    in_draw: DFF<bool>,
    /// References that are counted or given back of this triangle.
    step: DFF<Bits<2>>,
    order: DFF<Bits<16>>,
    /// What becomes of the triangle by its codes.
    what: DFF<Bits<3>>,
    /// A clip plane cuts it.
    cut: DFF<bool>,
    strip: Signal<Local, bool>,
    chosen: Signal<Local, Bits<16>>,
    strip_bit: Signal<Local, Bits<16>>,
    new_code: Signal<Local, Bits<8>>,
    outside: Signal<Local, bool>,
    all: Signal<Local, Bits<8>>,
    any: Signal<Local, Bits<8>>,
    culled: Signal<Local, bool>,
    full: Signal<Local, bool>,
    flush: Signal<Local, bool>,
    /// The head is a triangle that is left out.
    skips: Signal<Local, bool>,
    goes: Signal<Local, bool>,
    settled: Signal<Local, bool>,
    /// A reference is counted, or given back, of a triangle; all are, and it goes.
    counts: Signal<Local, bool>,
    loses: Signal<Local, bool>,
    passes: Signal<Local, bool>,
    /// It is not to be clipped.
    whole: Signal<Local, bool>,
    held_now: Signal<Local, Bits<12>>,
    fault_geometry_order: Planted,
    fault_geometry_parity: Planted,
    fault_cull_crosses: Vec<Planted>,
    fault_cull_mark: Vec<Planted>,
    fault_strip_mark: Vec<Planted>,
    /// 1: behind a cull pipeline; in it.
    _behind: usize,
    _positions: usize,
    _active: bool,
}

impl GeometryAssembly {
    /// At rest, with that configuration's planted faults.
    pub fn new(config: &GpuConfig, role: GeometryRole) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        let behind = usize::from(role == GeometryRole::Behind);
        let positions = usize::from(role == GeometryRole::Positions);
        Self {
            head_skip: vector(behind),
            holds: vector(behind),
            are_strips: vector(behind),
            fault_strip_mark: (0..behind).map(|_| planted(Fault::StripMark)).collect(),
            fault_cull_crosses: (0..positions).map(|_| planted(Fault::CullCrosses)).collect(),
            fault_cull_mark: (0..behind).map(|_| planted(Fault::CullMark)).collect(),
            _behind: behind,
            _positions: positions,
            codes: AsyncRam::new(config.vertices(), 8),
            held: vector(3),
            held_code: vector(3),
            fault_geometry_order: Planted::new(config.has(Fault::GeometryOrder)),
            fault_geometry_parity: Planted::new(config.has(Fault::GeometryParity)),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for GeometryAssembly {
    #[kernel]
    fn update(&mut self) {
        comment!("module: geometry_assembly");
        dff_setup!(self, clock, strips, count, parity, context, in_draw, step, order, what, cut);
        clock!(self, clock, codes);
        for k in 0..3 {
            self.held[k].clock.next = self.clock.val();
            self.held_code[k].clock.next = self.clock.val();
            self.held[k].d.next = self.held[k].q.val();
            self.held_code[k].d.next = self.held_code[k].q.val();
        }
        self.strip_bit.next = bits::<16>(1) << bit_cast::<16, 4>(self.state.context.val());
        if self.state.valid.val() && !self.state.pass.val() && (self.state.word.val() == bits::<6>(state::MODES)) {
            self.strips.d.next = self.strips.q.val() & (self.strip_bit.val() ^ bits::<16>(0xFFFF));
            if self.state.data.val().get_bit(0) {
                self.strips.d.next = self.strips.q.val() | self.strip_bit.val();
            }
        }
        self.chosen.next = self.strips.q.val() >> bit_cast::<16, 4>(self.context.q.val());
        self.strip.next = self.chosen.val().get_bit(0);
        self.codes.write_enable.next = self.code_write.val();
        self.codes.write_address.next = self.code_entry.val();
        self.codes.write_data.next = self.code.val();
        self.codes.read_address.next = self.head.entry.val();

        // What the three vertices are outside of, when the third one comes.
        self.new_code.next = self.codes.read_data.val();
        self.any.next = self.held_code[0].q.val() | self.held_code[1].q.val() | self.new_code.val();
        self.all.next = self.held_code[0].q.val() & self.held_code[1].q.val() & self.new_code.val();
        self.outside.next = self.all.val().get_bits::<6>(1).any();
        self.culled.next = self.what.q.val().any();
        self.triangle.what.next = self.what.q.val();
        self.triangle.clipped.next = false;
        self.triangle.last.next = true;
        self.triangle.context.next = self.context.q.val();
        self.triangle.order.next = self.order.q.val();
        self.triangle.entry[0].next = self.held[0].q.val();
        self.triangle.entry[1].next = self.held[1].q.val();
        self.triangle.entry[2].next = self.held[2].q.val();
        self.triangle.first.next = self.held[0].q.val();
        if self.parity.q.val() && !self.fault_geometry_parity.val() {
            self.triangle.entry[1].next = self.held[2].q.val();
            self.triangle.entry[2].next = self.held[1].q.val();
        }
        self.triangle.extra.next = false;

        // Corners that are left when assembly begins anew go back, the latest first.
        self.full.next = self.count.q.val() == bits::<2>(3);
        self.skips.next = false;
        for k in 0..self._behind {
            self.skips.next = self.head_skip[k].val();
        }
        self.flush.next = self.head.valid.val()
            && (self.head.restart.val() || self.head.end.val() || self.skips.val())
            && !self.full.val()
            && self.count.q.val().any();
        self.held_now.next = self.held[0].q.val();
        if self.count.q.val() == bits::<2>(2) {
            self.held_now.next = self.held[1].q.val();
        }
        self.head_take.next = false;
        self.end_valid.next = false;
        self.ref_add.entry.next = self.held[1].q.val();
        if self.step.q.val().get_bit(0) {
            self.ref_add.entry.next = self.held[2].q.val();
        }
        // A strip counts two; one that is culled gives back one, of a list three.
        self.settled.next = !self.strip.val();
        if self.strip.val() && !self.culled.val() {
            self.settled.next = self.step.q.val() == bits::<2>(2);
        }
        if self.culled.val() {
            self.settled.next =
                (self.step.q.val() == bits::<2>(3)) || (self.strip.val() && (self.step.q.val() == bits::<2>(1)));
        }
        // Of three corners. Whether one more is there comes late, and these do not wait for it.
        self.counts.next = self.full.val() && !self.culled.val() && !self.settled.val();
        self.loses.next = self.full.val() && self.culled.val() && !self.settled.val();
        self.passes.next =
            self.full.val() && self.settled.val() && (self.clip_idle.val() || self.fault_geometry_order.val());
        self.whole.next = self.culled.val() || !self.cut.q.val();
        self.ref_add.valid.next = self.counts.val();
        self.triangle.valid.next = self.passes.val() && self.whole.val();
        self.clip_valid.next = self.passes.val() && !self.whole.val();
        self.goes.next = self.passes.val()
            && ((self.whole.val() && self.triangle.ready.val()) || (!self.whole.val() && self.clip_ready.val()));
        self.triangle_sent.next = self.goes.val();
        for k in 0..self._behind {
            self.holds[k].next = self.full.val();
            self.are_strips[k].next = self.strips.q.val();
        }
        self.ref_release.valid.next = self.flush.val() || self.loses.val();
        self.ref_release.entry.next = self.held_now.val();
        if self.full.val() {
            self.ref_release.entry.next = self.held[0].q.val();
            if self.step.q.val() == bits::<2>(1) {
                self.ref_release.entry.next = self.held[1].q.val();
            }
            if self.step.q.val() == bits::<2>(2) {
                self.ref_release.entry.next = self.held[2].q.val();
            }
        }
        if (self.loses.val() && self.ref_release.ready.val()) || (self.counts.val() && self.ref_add.ready.val()) {
            self.step.d.next = self.step.q.val() + bits::<2>(1);
        }
        if self.flush.val() {
            if self.ref_release.ready.val() {
                self.count.d.next = self.count.q.val() - bits::<2>(1);
            }
        } else if !self.full.val() && self.head.valid.val() && self.head.end.val() {
            self.end_valid.next = self.in_draw.q.val() && self.clip_idle.val();
            if (self.end_ready.val() && self.clip_idle.val()) || !self.in_draw.q.val() {
                self.head_take.next = true;
                self.in_draw.d.next = false;
                self.parity.d.next = false;
            }
        } else if !self.full.val() && self.head.valid.val() && self.skips.val() && !self.stays.val() {
            // It has no references that would have to go back.
            self.head_take.next = true;
            self.in_draw.d.next = true;
            self.context.d.next = self.head.context.val();
            // It has the winding of its turn.
            if self.head.entry.val().get_bit(0) {
                self.parity.d.next = false;
            }
            self.cut.d.next = false;
            self.what.d.next = bits::<3>(7);
            self.step.d.next = bits::<2>(3);
            self.count.d.next = bits::<2>(3);
            for k in 0..self._behind {
                if self.fault_cull_mark[k].val() {
                    self.count.d.next = bits::<2>(0);
                    self.step.d.next = bits::<2>(0);
                }
            }
        } else if !self.full.val() && self.head.valid.val() && !self.skips.val() && !self.stays.val() {
            self.head_take.next = true;
            self.in_draw.d.next = true;
            self.context.d.next = self.head.context.val();
            if self.head.restart.val() {
                self.parity.d.next = false;
            }
            self.held[2].d.next = self.head.entry.val();
            self.held_code[2].d.next = self.new_code.val();
            self.cut.d.next = self.any.val().get_bit(0);
            self.what.d.next = bits::<3>(0);
            if self.outside.val() {
                self.what.d.next = bits::<3>(2);
            }
            if self.any.val().get_bit(7) {
                self.what.d.next = bits::<3>(1);
            }
            for k in 0..self._positions {
                self.cut.d.next = false;
                if self.any.val().get_bit(0) && !self.outside.val() && !self.any.val().get_bit(7) {
                    self.what.d.next = bits::<3>(7);
                    if self.fault_cull_crosses[k].val() {
                        self.what.d.next = bits::<3>(2);
                    }
                }
            }
            if self.count.q.val() == bits::<2>(0) {
                self.held[0].d.next = self.head.entry.val();
                self.held_code[0].d.next = self.new_code.val();
            }
            if self.count.q.val() == bits::<2>(1) {
                self.held[1].d.next = self.head.entry.val();
                self.held_code[1].d.next = self.new_code.val();
            }
            self.count.d.next = self.count.q.val() + bits::<2>(1);
        }
        if self.goes.val() {
            self.step.d.next = bits::<2>(0);
            self.order.d.next = self.order.q.val() + bits::<16>(1);
            self.count.d.next = bits::<2>(0);
            if self.strip.val() {
                self.count.d.next = bits::<2>(2);
                self.parity.d.next = !self.parity.q.val();
                self.held[0].d.next = self.held[1].q.val();
                self.held[1].d.next = self.held[2].q.val();
                self.held_code[0].d.next = self.held_code[1].q.val();
                self.held_code[1].d.next = self.held_code[2].q.val();
            }
            for k in 0..self._behind {
                // A mark leaves no corners.
                if self.what.q.val().all() {
                    self.count.d.next = bits::<2>(0);
                    if self.fault_strip_mark[k].val() {
                        self.parity.d.next = false;
                    }
                }
            }
        }
    }
}
