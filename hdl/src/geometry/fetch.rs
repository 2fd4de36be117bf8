//! Fetch: a triangle's corners are read one after the other and given to the set-up that is next,
//! with its box in target and scissor.
//!
//! ```text
//! cycle   0       1            2            3            4           5
//!         entry 0 corner 0     corner 1     corner 2     box held    given
//!                 entry 1      entry 2                   in bounds
//! ```
//!
//! A triangle every four cycles, if there are several set-ups; with one, eight. A mark of a culled
//! triangle takes its turn among them, so that all come out in order again. The context of each is
//! counted when it is taken here.
//!
//! It can be wrong in a box whose corners are those of two triangles.
//!
//! Planted fault: `geometry-box`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::{pass, state};
use rust_hdl::prelude::*;

use super::cells::{BoundsHold, BoundsTrack};
use crate::base::{vector, Parameter, Planted};
use crate::cell::Ram;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{AssembledDataOut, AssembledIn, BoundsOut, StateWriteIn};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct GeometryFetch {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of states: 6 modes, 16 and 17 scissor; 0 of the pass, the size.
    pub state: StateWriteIn,
    /// A triangle comes.
    pub triangle: AssembledIn,
    /// Its context is counted.
    pub count_valid: Signal<Out, bool>,
    /// In this cycle.
    pub count_ready: Signal<In, bool>,
    /// A corner is read: its entry.
    pub entry: Signal<Out, Bits<12>>,
    /// X of the corner, a cycle later.
    pub x: Signal<In, Bits<22>>,
    /// Y of it.
    pub y: Signal<In, Bits<22>>,
    /// The set-up that is next has room.
    pub room: Signal<In, bool>,
    /// It gets corner `number`, whose words are there in this cycle.
    pub load: Signal<Out, bool>,
    /// Which corner.
    pub number: Signal<Out, Bits<2>>,
    /// The set-up takes a triangle.
    pub setup_start: Signal<Out, bool>,
    /// The triangle to set up.
    pub setup_triangle: AssembledDataOut,
    /// Its bounds.
    pub bounds: BoundsOut,
    /// The set-up that is next is another one from the next cycle on. What is given goes to the one
    /// before.
    pub turn: Signal<Out, bool>,
    states: Ram,
    track_x: BoundsTrack,
    track_y: BoundsTrack,
    hold_x: BoundsHold,
    hold_y: BoundsHold,
    size: DFF<Bits<32>>,
    // The triangle that is read.
    active: DFF<bool>,
    beat: DFF<Bits<2>>,
    what: DFF<Bits<3>>,
    clipped: DFF<bool>,
    last: DFF<bool>,
    context: DFF<Bits<4>>,
    order: DFF<Bits<16>>,
    entries: Vec<DFF<Bits<12>>>,
    first: DFF<Bits<12>>,
    extra: DFF<bool>,
    low_x: DFF<Bits<14>>,
    high_x: DFF<Bits<14>>,
    low_y: DFF<Bits<14>>,
    high_y: DFF<Bits<14>>,
    from: DFF<Bits<32>>,
    to: DFF<Bits<32>>,
    modes: DFF<Bits<3>>,
    // The one that is given.
    holding: DFF<bool>,
    giving: DFF<bool>,
    g_what: DFF<Bits<3>>,
    g_clipped: DFF<bool>,
    g_last: DFF<bool>,
    g_context: DFF<Bits<4>>,
    g_order: DFF<Bits<16>>,
    g_entries: Vec<DFF<Bits<12>>>,
    g_first: DFF<Bits<12>>,
    g_extra: DFF<bool>,
    x0: DFF<Bits<12>>,
    y0: DFF<Bits<12>>,
    x1: DFF<Bits<12>>,
    y1: DFF<Bits<12>>,
    empty: DFF<bool>,
    g_modes: DFF<Bits<3>>,
    mark: Signal<Local, bool>,
    ends: Signal<Local, bool>,
    starts: Signal<Local, bool>,
    quiet: Signal<Local, bool>,
    takes: Signal<Local, bool>,
    word: Signal<Local, Bits<2>>,
    stored: Signal<Local, Bits<2>>,
    keeps: Signal<Local, bool>,
    several: Parameter<1>,
    fault_geometry_box: Planted,
    _active: bool,
}

impl GeometryFetch {
    /// At rest, for that configuration's set-ups and with its planted faults.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            states: Ram::new(4 * config.contexts),
            several: Parameter::new(u64::from(config.setup_rate.setups() > 1)),
            entries: vector(3),
            g_entries: vector(3),
            fault_geometry_box: Planted::new(config.has(Fault::GeometryBox)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl GeometryFetch {
    /// Words of states are kept, and read for the triangle that is here.
    fn state_words(&mut self) {
        comment!("module: geometry_fetch");
        dff_setup!(self, clock, size, active, beat, what, clipped, last, context, order, first, extra, low_x, high_x);
        dff_setup!(self, clock, low_y, high_y, from, to, modes, holding, giving, g_what, g_clipped, g_last, g_context);
        dff_setup!(self, clock, g_order, g_first, g_extra, x0, y0, x1, y1, empty, g_modes);
        clock!(self, clock, states);
        for k in 0..3 {
            self.entries[k].clock.next = self.clock.val();
            self.g_entries[k].clock.next = self.clock.val();
            self.entries[k].d.next = self.entries[k].q.val();
            self.g_entries[k].d.next = self.g_entries[k].q.val();
        }
        // State: word 16 in cycle 0, 17, 6.
        self.stored.next = bits::<2>(0);
        self.keeps.next = self.state.word.val() == bits::<6>(state::SCISSOR_START);
        if self.state.word.val() == bits::<6>(state::SCISSOR_END) {
            self.stored.next = bits::<2>(1);
            self.keeps.next = true;
        }
        if self.state.word.val() == bits::<6>(state::MODES) {
            self.stored.next = bits::<2>(2);
            self.keeps.next = true;
        }
        self.states.write_enable.next = self.state.valid.val() && !self.state.pass.val() && self.keeps.val();
        self.states.write_address.next =
            (bit_cast::<12, 4>(self.state.context.val()) << bits::<12>(2)) | bit_cast::<12, 2>(self.stored.val());
        self.states.write_data.next = self.state.data.val();
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::SIZE)) {
            self.size.d.next = self.state.data.val();
        }
        self.word.next = self.beat.q.val();
        self.states.read_address.next =
            (bit_cast::<12, 4>(self.context.q.val()) << bits::<12>(2)) | bit_cast::<12, 2>(self.word.val());
    }

    /// The corners are read one by one, and a mark has none.
    fn corners(&mut self) {
        // The corners, one by one; a mark has none. A set-up that is alone gets none while another
        // triangle is to be given to it, and what is given stays for two cycles.
        self.mark.next = self.what.q.val().any();
        self.quiet.next = (!self.holding.q.val() && !self.giving.q.val())
            || (self.several.val().any() && (!self.mark.val() || !self.holding.q.val()));
        self.starts.next = self.active.q.val() && !self.beat.q.val().any() && self.room.val() && self.quiet.val();
        self.ends.next = (self.starts.val() && self.mark.val()) || (self.beat.q.val() == bits::<2>(3));
        self.triangle.ready.next = (!self.active.q.val() || self.ends.val()) && self.count_ready.val();
        self.count_valid.next = self.triangle.valid.val() && (!self.active.q.val() || self.ends.val());
        self.takes.next =
            self.triangle.valid.val() && (!self.active.q.val() || self.ends.val()) && self.count_ready.val();
        self.entry.next = self.entries[0].q.val();
        if self.beat.q.val() == bits::<2>(1) {
            self.entry.next = self.entries[1].q.val();
        }
        if self.beat.q.val() == bits::<2>(2) {
            self.entry.next = self.entries[2].q.val();
        }
        if (self.starts.val() && !self.mark.val()) || self.beat.q.val().any() {
            self.beat.d.next = self.beat.q.val() + bits::<2>(1);
        }
        self.load.next = self.beat.q.val().any();
        self.number.next = self.beat.q.val() - bits::<2>(1);
        if self.ends.val() {
            self.active.d.next = false;
        }
        if self.takes.val() {
            self.active.d.next = true;
            self.what.d.next = self.triangle.what.val();
            self.clipped.d.next = self.triangle.clipped.val();
            self.last.d.next = self.triangle.last.val();
            self.context.d.next = self.triangle.context.val();
            self.order.d.next = self.triangle.order.val();
            self.first.d.next = self.triangle.first.val();
            self.extra.d.next = self.triangle.extra.val();
            self.entries[0].d.next = self.triangle.entry[0].val();
            self.entries[1].d.next = self.triangle.entry[1].val();
            self.entries[2].d.next = self.triangle.entry[2].val();
        }
    }

    /// The box holds the corners, and is cut to target and scissor.
    fn corner_box(&mut self) {
        self.track_x.first.next = self.beat.q.val() == bits::<2>(1);
        self.track_y.first.next = self.beat.q.val() == bits::<2>(1);
        self.track_x.pixel.next = self.x.val().get_bits::<14>(8);
        self.track_y.pixel.next = self.y.val().get_bits::<14>(8);
        self.track_x.low.next = self.low_x.q.val();
        self.track_x.high.next = self.high_x.q.val();
        self.track_y.low.next = self.low_y.q.val();
        self.track_y.high.next = self.high_y.q.val();
        if self.beat.q.val().any() {
            self.low_x.d.next = self.track_x.low_out.val();
            self.high_x.d.next = self.track_x.high_out.val();
            self.low_y.d.next = self.track_y.low_out.val();
            self.high_y.d.next = self.track_y.high_out.val();
        }
        if self.fault_geometry_box.val() && (self.beat.q.val() == bits::<2>(3)) {
            self.high_x.d.next = self.high_x.q.val();
        }
        if self.beat.q.val() == bits::<2>(1) {
            self.from.d.next = self.states.read_data.val();
        }
        if self.beat.q.val() == bits::<2>(2) {
            self.to.d.next = self.states.read_data.val();
        }
        if self.beat.q.val() == bits::<2>(3) {
            self.modes.d.next = self.states.read_data.val().get_bits::<3>(2);
        }
        self.hold_x.low.next = self.low_x.q.val();
        self.hold_x.high.next = self.high_x.q.val();
        self.hold_x.from.next = self.from.q.val().get_bits::<16>(0);
        self.hold_x.to.next = self.to.q.val().get_bits::<16>(0);
        self.hold_x.size.next = self.size.q.val().get_bits::<13>(0);
        self.hold_y.low.next = self.low_y.q.val();
        self.hold_y.high.next = self.high_y.q.val();
        self.hold_y.from.next = self.from.q.val().get_bits::<16>(16);
        self.hold_y.to.next = self.to.q.val().get_bits::<16>(16);
        self.hold_y.size.next = self.size.q.val().get_bits::<13>(16);
    }

    /// The triangle is given two cycles after its last corner.
    fn given(&mut self) {
        self.holding.d.next = self.ends.val();
        self.giving.d.next = self.holding.q.val();
        if self.ends.val() {
            self.g_what.d.next = self.what.q.val();
            self.g_clipped.d.next = self.clipped.q.val();
            self.g_last.d.next = self.last.q.val();
            self.g_context.d.next = self.context.q.val();
            self.g_order.d.next = self.order.q.val();
            self.g_first.d.next = self.first.q.val();
            self.g_extra.d.next = self.extra.q.val();
            for k in 0..3 {
                self.g_entries[k].d.next = self.entries[k].q.val();
            }
        }
        self.x0.d.next = self.hold_x.least.val();
        self.x1.d.next = self.hold_x.most.val();
        self.y0.d.next = self.hold_y.least.val();
        self.y1.d.next = self.hold_y.most.val();
        self.empty.d.next = self.hold_x.empty.val() || self.hold_y.empty.val();
        self.g_modes.d.next = self.modes.q.val();
        self.setup_start.next = self.giving.q.val();
        self.turn.next = self.ends.val();
        self.setup_triangle.what.next = self.g_what.q.val();
        self.setup_triangle.clipped.next = self.g_clipped.q.val();
        self.setup_triangle.last.next = self.g_last.q.val();
        self.setup_triangle.context.next = self.g_context.q.val();
        self.setup_triangle.order.next = self.g_order.q.val();
        self.setup_triangle.first.next = self.g_first.q.val();
        self.setup_triangle.extra.next = self.g_extra.q.val();
        for k in 0..3 {
            self.setup_triangle.entry[k].next = self.g_entries[k].q.val();
        }
        self.bounds.x0.next = self.x0.q.val();
        self.bounds.y0.next = self.y0.q.val();
        self.bounds.x1.next = self.x1.q.val();
        self.bounds.y1.next = self.y1.q.val();
        self.bounds.empty.next = self.empty.q.val();
        self.bounds.modes.next = self.g_modes.q.val();
    }
}
