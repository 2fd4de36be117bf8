//! Bounds of draws that bypassed the cull pipeline: the visibility unit, which is ahead, has not
//! seen them. Their quads pass the unit on the way to the depth test, and Hi-Z learns depths there,
//! as of quads of the unit's own rasteriser. Such an update is late: Hi-Z may know of draws that
//! come later in the list. It still holds for them, unless one of them has moved depths back.
//!
//! ```text
//! quads of the rasteriser --+--> depth test
//!                           |
//!                 its draw went past, and updates
//!                           v
//! quads of the unit ---> a beat ---> Hi-Z
//! ```
//!
//! *When.* A state comes to its context with the epoch of that moment. The epoch changes when
//! bounds are forgotten and when a pass begins. A draw that goes past leaves a mark there, and its
//! epoch. A quad of a marked context is learned if the epoch is still the same, and its draw
//! updates. If draws of one state went past or did not, all of them count as late. That is right
//! for each of them: what a quad that is drawn has lowered would be lowered twice.
//!
//! *A query that finds nothing* (HZ-23). If the binner's query of a pair finds no bound, the quads
//! of that triangle are learned, too. Such is a triangle that a clip plane cuts: its draw did not
//! go past, but the cull pipeline has left it to the other one.
//!
//! *Who waits.* A quad that comes while the unit has a triangle of its own is not learned: nobody
//! waits for that triangle. Else Hi-Z has the quad's rules until the quad is in the bounds
//! (`here`). The unit begins no triangle meanwhile (`holds`). A beat goes to the depth test and
//! into a register, and the next one waits while Hi-Z does not take that. One beat per cycle within
//! a group; Hi-Z takes up to 4 cycles for another group. Hi-Z never waits for a quad or a triangle.
//!
//! It can be wrong by learning of a draw whose depths were moved back since, and by learning
//! nothing. Planted faults: `late-update`, `late-sought`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::{pass, state};
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::cell::AsyncRam;
use crate::comment;
use crate::config::{GpuConfig, HiZ};
use crate::fault::Fault;
use crate::ports::{QuadDataIn, QuadIn, QuadOut, StateWriteIn};
use crate::visibility::DrawClasses;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct LateBounds {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state.
    pub state: StateWriteIn,
    /// A draw bypasses the cull pipeline.
    pub past: Signal<In, bool>,
    /// Its context.
    pub past_context: Signal<In, Bits<4>>,
    /// All bounds are forgotten.
    pub forgets: Signal<In, bool>,
    /// The unit has a triangle of its own.
    pub busy: Signal<In, bool>,
    /// Nothing is under way in Hi-Z, and all bounds are written.
    pub calm: Signal<In, bool>,
    // If the binner asks: one each, or none.
    /// It has found no bound for a triangle that it gives.
    pub lacks: Vec<Signal<In, bool>>,
    /// The triangle's number.
    pub lacks_order: Vec<Signal<In, Bits<16>>>,
    /// A quad that is drawn.
    pub in_quad: QuadIn,
    /// It goes on to the depth test.
    pub quad: QuadOut,
    /// A quad of the unit's own rasteriser.
    pub own: QuadIn,
    /// One of both is learned.
    pub learned: QuadOut,
    /// Hi-Z goes by the rules of a late quad.
    pub here: Signal<Out, bool>,
    /// Its context.
    pub context: Signal<Out, Bits<4>>,
    /// The unit may not begin a triangle.
    pub holds: Signal<Out, bool>,
    classes: DrawClasses,
    /// By context: a draw of it went past in 6, epoch in 5:0.
    marks: AsyncRam,
    /// By a number's lowest bits: a triangle for which no bound was found in 15:0, there is one.
    sought: Vec<AsyncRam>,
    epoch: DFF<Bits<6>>,
    /// The register has a beat.
    full: DFF<bool>,
    /// The quad whose beats come is learned.
    within: DFF<bool>,
    learning: DFF<bool>,
    late_context: DFF<Bits<4>>,
    x: DFF<Bits<11>>,
    y: DFF<Bits<11>>,
    sample: DFF<Bits<3>>,
    last: DFF<bool>,
    coverage: DFF<Bits<4>>,
    depth: Vec<DFF<Bits<24>>>,
    epoch_now: Signal<Local, Bits<6>>,
    mark: Signal<Local, Bits<7>>,
    asked: Vec<Signal<Local, Bits<17>>>,
    chosen: Signal<Local, bool>,
    may: Signal<Local, bool>,
    wanted: Signal<Local, bool>,
    taken: Signal<Local, bool>,
    blocked: Signal<Local, bool>,
    passes: Signal<Local, bool>,
    captures: Signal<Local, bool>,
    fault_late_update: Planted,
    fault_late_sought: Planted,
    /// 1: the binner asks.
    _pairs: usize,
    _active: bool,
}

impl LateBounds {
    /// For the contexts of that configuration, with its planted faults.
    pub fn new(config: &GpuConfig) -> Self {
        let pairs = usize::from(config.hi_z == HiZ::VisibilityBinner);
        Self {
            classes: DrawClasses::new(config),
            marks: AsyncRam::new(config.contexts, 7),
            lacks: vector(pairs),
            lacks_order: vector(pairs),
            sought: (0..pairs).map(|_| AsyncRam::new(64, 17)).collect(),
            asked: vector(pairs),
            _pairs: pairs,
            depth: vector(4),
            fault_late_update: Planted::new(config.has(Fault::LateUpdate)),
            fault_late_sought: Planted::new(config.has(Fault::LateSought)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl LateBounds {
    /// Contexts of draws that went past are marked.
    fn marks(&mut self) {
        comment!("module: late_bounds");
        dff_setup!(self, clock, epoch, full, within, learning, late_context, x, y, sample, last, coverage);
        clock!(self, clock, classes, marks);
        StateWriteIn::link(&mut self.state, &mut self.classes.state);
        self.epoch_now.next = self.epoch.q.val();
        if self.forgets.val() || (self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::KIND))) {
            self.epoch_now.next = self.epoch.q.val() + bits::<6>(1);
        }
        self.epoch.d.next = self.epoch_now.val();
        self.marks.write_enable.next = self.past.val()
            || (self.state.valid.val()
                && !self.state.pass.val()
                && (self.state.word.val() == bits::<6>(state::UNPAIRED_FIRST)));
        self.marks.write_address.next = bit_cast::<6, 4>(self.state.context.val());
        self.marks.write_data.next = bit_cast::<32, 6>(self.epoch_now.val());
        if self.past.val() {
            self.marks.write_address.next = bit_cast::<6, 4>(self.past_context.val());
            self.marks.write_data.next = bit_cast::<32, 6>(self.epoch_now.val()) | bits::<32>(64);
        }
    }

    /// A quad of a marked context is learned from its first beat to its last.
    fn choice(&mut self) {
        self.classes.context.next = self.in_quad.context.val();
        self.marks.read_address.next = bit_cast::<6, 4>(self.in_quad.context.val());
        self.mark.next = self.marks.read_data.val().get_bits::<7>(0);
        self.chosen.next = self.mark.val().get_bit(6);
        for p in 0..self._pairs {
            clock!(self, clock, sought[p]);
            self.sought[p].write_enable.next = self.lacks[p].val() && !self.fault_late_sought.val();
            self.sought[p].write_address.next = self.lacks_order[p].val().get_bits::<6>(0);
            self.sought[p].write_data.next = bit_cast::<32, 16>(self.lacks_order[p].val()) | bits::<32>(0x1_0000);
            self.sought[p].read_address.next = self.in_quad.order.val().get_bits::<6>(0);
            self.asked[p].next = self.sought[p].read_data.val().get_bits::<17>(0);
            if self.asked[p].val().get_bit(16) && (self.asked[p].val().get_bits::<16>(0) == self.in_quad.order.val()) {
                self.chosen.next = true;
            }
        }
        self.may.next = self.chosen.val()
            && ((self.mark.val().get_bits::<6>(0) == self.epoch.q.val()) || self.fault_late_update.val())
            && self.classes.class_ports.updates.val()
            && !self.busy.val();
        // Not by whether the beat is valid: `ready` must not follow `valid`, since the sender's
        // `valid` may follow `ready`.
        self.wanted.next = !self.in_quad.end.val() && self.may.val();
        if self.in_quad.sample.val().any() {
            self.wanted.next = !self.in_quad.end.val() && self.within.q.val();
        }
    }

    /// A beat goes on, and into the register if it is learned.
    fn beats(&mut self) {
        self.taken.next = self.full.q.val() && self.learned.ready.val();
        self.blocked.next = self.wanted.val()
            && ((self.full.q.val() && !self.learned.ready.val())
                || (self.learning.q.val() && (self.late_context.q.val() != self.in_quad.context.val())));
        QuadDataIn::join(&mut self.in_quad, &mut self.quad);
        self.quad.valid.next = self.in_quad.valid.val() && !self.blocked.val();
        self.in_quad.ready.next = self.quad.ready.val() && !self.blocked.val();
        self.passes.next = self.in_quad.valid.val() && self.quad.ready.val() && !self.blocked.val();
        self.captures.next =
            self.in_quad.valid.val() && self.wanted.val() && self.quad.ready.val() && !self.blocked.val();
        if self.taken.val() {
            self.full.d.next = false;
        }
        for k in 0..4 {
            self.depth[k].clock.next = self.clock.val();
            self.depth[k].d.next = self.depth[k].q.val();
            if self.captures.val() {
                self.depth[k].d.next = self.in_quad.depth[k].val();
            }
        }
        if self.captures.val() {
            self.full.d.next = true;
            self.learning.d.next = true;
            self.late_context.d.next = self.in_quad.context.val();
            self.x.d.next = self.in_quad.x.val();
            self.y.d.next = self.in_quad.y.val();
            self.sample.d.next = self.in_quad.sample.val();
            self.last.d.next = self.in_quad.last.val();
            self.coverage.d.next = self.in_quad.coverage.val();
        }
        if self.passes.val() && !self.in_quad.end.val() {
            self.within.d.next = self.wanted.val() && !self.in_quad.last.val();
        }
        // All of it is in the bounds.
        if self.learning.q.val()
            && !self.full.q.val()
            && !self.within.q.val()
            && self.calm.val()
            && !self.captures.val()
        {
            self.learning.d.next = false;
        }
        self.here.next = self.learning.q.val();
        self.holds.next = self.learning.q.val() || self.captures.val();
        self.context.next = self.late_context.q.val();
    }

    /// Hi-Z gets the beat of the register, or the unit's own.
    fn learned(&mut self) {
        QuadDataIn::join(&mut self.own, &mut self.learned);
        if self.full.q.val() {
            self.learned.end.next = false;
            self.learned.context.next = self.late_context.q.val();
            self.learned.x.next = self.x.q.val();
            self.learned.y.next = self.y.q.val();
            self.learned.sample.next = self.sample.q.val();
            self.learned.last.next = self.last.q.val();
            self.learned.coverage.next = self.coverage.q.val();
            for k in 0..4 {
                self.learned.depth[k].next = self.depth[k].q.val();
            }
        }
        self.learned.valid.next = self.own.valid.val() || self.full.q.val();
        self.own.ready.next = self.learned.ready.val() && !self.full.q.val();
    }
}
