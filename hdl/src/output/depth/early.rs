//! The early side of depth and stencil: quads that are not yet shaded, in order.
//!
//! A beat is put into two queues of 16. From the first it goes on to the test, or past it: through
//! four stages beside the test unit. Then it leaves from the second, with the coverage that is
//! left. It goes past if nothing is to be tested early: the end of a triangle, the centre's beat, a
//! sample that is not covered, a context that tests late or not at all.
//!
//! A beat to be tested waits while an older quad of its place is still to be tested late. A quad
//! that will be tested late is counted when its last beat goes on, if a sample of it is covered:
//! then it gets a ticket. Throughput one beat per cycle, latency 7 cycles.
//!
//! It can be wrong in what it counts: a place that is counted and never counted down waits forever.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::pending::PendingLate;
use crate::base::{vector, Planted};
use crate::cell::blend::QuadAddress;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::fields;
use crate::memory::LutRam;
use crate::ports::{DepthRequestOut, QuadIn, QuadOut, StateWriteIn};
use crate::raster::modes::ContextModes;

fields! {
    /// A word in bytes. The queues' words have the depth of a lane in bits 23:0, and byte k of
    /// [`Extra`] above that of lane k.
    trait Bytes: 32 {
        /// Byte 0.
        byte0: 8 @ 0,
        /// Byte 1.
        byte1: 8 @ 8,
        /// Byte 2.
        byte2: 8 @ 16,
        /// Byte 3.
        byte3: 8 @ 24,
    }
}

fields! {
    /// What stands beside the lanes, a byte in each of their words.
    trait Extra: 32 {
        /// Number of the context.
        context: 4 @ 0,
        /// Back.
        back: bit @ 4,
        /// Bank of the tile buffer.
        bank: 1 @ 5,
        /// Sample.
        sample: 3 @ 6,
        /// End of a triangle.
        end: bit @ 9,
        /// Last beat.
        last: bit @ 10,
        /// Coverage.
        coverage: 4 @ 11,
        /// Place in y, lowest bits.
        y_low: 4 @ 15,
        /// Place in x.
        x: 11 @ 19,
        /// Slot of the bank.
        slot: 2 @ 30,
    }
}

fields! {
    /// The rest, which no test needs.
    trait Rest: 35 {
        /// Handle.
        handle: 12 @ 0,
        /// Order number.
        order: 16 @ 12,
        /// Place in y, other bits.
        y_high: 7 @ 28,
    }
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct EarlySide {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state.
    pub state: StateWriteIn,
    /// A beat comes.
    pub in_quad: QuadIn,
    /// A beat goes.
    pub quad: QuadOut,
    /// A request to the test unit.
    pub request: DepthRequestOut,
    /// Lanes that pass, for the request of four cycles ago.
    pub pass_lanes: Signal<In, Bits<4>>,
    /// A quad of `late_done_place` had its last beat at the late side.
    pub late_done: Signal<In, bool>,
    /// Its place.
    pub late_done_place: Signal<In, Bits<11>>,
    modes: ContextModes,
    place: QuadAddress,
    counts_late: PendingLate,
    /// To go on.
    first: Vec<LutRam>,
    /// To leave.
    second: Vec<LutRam>,
    rest: LutRam,
    /// Its bits from 32 on.
    rest_high: LutRam,
    /// Coverage left.
    lefts: LutRam,
    /// Places, counted on modulo 32: the next to leave, the end of those whose coverage is known,
    /// the next to go on, the next to come.
    head: DFF<Bits<5>>,
    known: DFF<Bits<5>>,
    issue: DFF<Bits<5>>,
    tail: DFF<Bits<5>>,
    inside: DFF<Bits<5>>,
    // The beat that is to go on.
    stage_valid: DFF<bool>,
    needs: DFF<bool>,
    counts: DFF<bool>,
    context: DFF<Bits<4>>,
    back: DFF<bool>,
    stage_place: DFF<Bits<11>>,
    address: DFF<Bits<10>>,
    mode: DFF<Bits<6>>,
    coverage: DFF<Bits<4>>,
    last: DFF<bool>,
    depth: Vec<DFF<Bits<24>>>,
    /// The quad has had coverage.
    some: DFF<bool>,
    // The stages beside the test unit.
    valids: DFF<Bits<4>>,
    tested: DFF<Bits<4>>,
    passing: Vec<DFF<Bits<4>>>,
    extra_in: Signal<Local, Bits<32>>,
    word: Vec<Signal<Local, Bits<32>>>,
    rest_in: Signal<Local, Bits<35>>,
    accept: Signal<Local, bool>,
    leave: Signal<Local, bool>,
    extra: Signal<Local, Bits<32>>,
    extra_out: Signal<Local, Bits<32>>,
    rest_out: Signal<Local, Bits<35>>,
    next: Signal<Local, bool>,
    y: Signal<Local, Bits<4>>,
    x: Signal<Local, Bits<4>>,
    next_place: Signal<Local, Bits<11>>,
    covered: Signal<Local, bool>,
    any: Signal<Local, bool>,
    go: Signal<Local, bool>,
    coverage_left: Signal<Local, Bits<4>>,
    high: Signal<Local, Bits<7>>,
    low: Signal<Local, Bits<4>>,
    bank: Signal<Local, Bits<1>>,
    slot: Signal<Local, Bits<2>>,
    fault_depth_overtakes: Planted,
    _active: bool,
}

impl EarlySide {
    /// At rest, with the planted faults of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            modes: ContextModes::new(config),
            counts_late: PendingLate::new(config),
            first: vector(4),
            second: vector(4),
            word: vector(4),
            depth: vector(4),
            passing: vector(4),
            fault_depth_overtakes: Planted::new(config.has(Fault::DepthOvertakes)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl EarlySide {
    /// A beat comes into the queues.
    fn come(&mut self) {
        comment!("module: early_side");
        dff_setup!(self, clock, tail);
        clock!(self, clock, modes, counts_late, rest, rest_high, lefts);
        StateWriteIn::link(&mut self.state, &mut self.modes.state);
        self.in_quad.ready.next = !self.inside.q.val().get_bit(4);
        self.accept.next = self.in_quad.valid.val() && !self.inside.q.val().get_bit(4);
        self.extra_in.next = bits::<32>(0);
        self.extra_in.next.set_value_context(self.in_quad.context.val());
        self.extra_in.next.set_value_back(self.in_quad.back.val());
        self.bank.next = self.in_quad.buffer.val().get_bits::<1>(0);
        self.slot.next = self.in_quad.buffer.val().get_bits::<2>(1);
        self.extra_in.next.set_value_bank(self.bank.val());
        self.extra_in.next.set_value_slot(self.slot.val());
        self.extra_in.next.set_value_sample(self.in_quad.sample.val());
        self.extra_in.next.set_value_end(self.in_quad.end.val());
        self.extra_in.next.set_value_last(self.in_quad.last.val());
        self.extra_in.next.set_value_coverage(self.in_quad.coverage.val());
        self.low.next = self.in_quad.y.val().get_bits::<4>(0);
        self.extra_in.next.set_value_y_low(self.low.val());
        self.extra_in.next.set_value_x(self.in_quad.x.val());
        self.rest_in.next = bits::<35>(0);
        self.rest_in.next.set_value_handle(self.in_quad.handle.val());
        self.rest_in.next.set_value_order(self.in_quad.order.val());
        self.high.next = self.in_quad.y.val().get_bits::<7>(4);
        self.rest_in.next.set_value_y_high(self.high.val());
        self.word[0].next = bit_cast::<32, 24>(self.in_quad.depth[0].val())
            | (bit_cast::<32, 8>(self.extra_in.val().get_bits::<8>(0)) << 24);
        self.word[1].next = bit_cast::<32, 24>(self.in_quad.depth[1].val())
            | (bit_cast::<32, 8>(self.extra_in.val().get_bits::<8>(8)) << 24);
        self.word[2].next = bit_cast::<32, 24>(self.in_quad.depth[2].val())
            | (bit_cast::<32, 8>(self.extra_in.val().get_bits::<8>(16)) << 24);
        self.word[3].next = bit_cast::<32, 24>(self.in_quad.depth[3].val())
            | (bit_cast::<32, 8>(self.extra_in.val().get_bits::<8>(24)) << 24);
        for k in 0..4 {
            clock!(self, clock, first[k], second[k]);
            self.first[k].write_enable.next = self.accept.val();
            self.first[k].write_address.next = self.tail.q.val().get_bits::<4>(0);
            self.first[k].write_data.next = self.word[k].val();
            self.first[k].read_address.next = self.issue.q.val().get_bits::<4>(0);
            self.second[k].write_enable.next = self.accept.val();
            self.second[k].write_address.next = self.tail.q.val().get_bits::<4>(0);
            self.second[k].write_data.next = self.word[k].val();
            self.second[k].read_address.next = self.head.q.val().get_bits::<4>(0);
        }
        self.rest.write_enable.next = self.accept.val();
        self.rest.write_address.next = self.tail.q.val().get_bits::<4>(0);
        self.rest.write_data.next = self.rest_in.val().get_bits::<32>(0);
        self.rest_high.write_enable.next = self.accept.val();
        self.rest_high.write_address.next = self.tail.q.val().get_bits::<4>(0);
        self.rest_high.write_data.next = bit_cast::<32, 3>(self.rest_in.val().get_bits::<3>(32));
        self.rest_high.read_address.next = self.head.q.val().get_bits::<4>(0);
        self.rest.read_address.next = self.head.q.val().get_bits::<4>(0);
        if self.accept.val() {
            self.tail.d.next = self.tail.q.val() + bits::<5>(1);
        }
    }

    /// The beat that goes on, or waits; what it counts.
    fn go(&mut self) {
        dff_setup!(self, clock, some);
        self.request.valid.next = self.stage_valid.q.val()
            && self.needs.q.val()
            && (!self.counts_late.pending.val() || self.fault_depth_overtakes.val());
        self.go.next = self.stage_valid.q.val()
            && (!self.needs.q.val()
                || (self.request.ready.val() && (!self.counts_late.pending.val() || self.fault_depth_overtakes.val())));
        self.request.context.next = self.context.q.val();
        self.request.back.next = self.back.q.val();
        self.request.buffer.next = self.stage_place.q.val().get_bits::<3>(8);
        self.request.address.next = self.address.q.val();
        self.request.mode.next = self.mode.q.val();
        self.request.coverage.next = self.coverage.q.val();
        for k in 0..4 {
            self.request.depth[k].next = self.depth[k].q.val();
        }
        // Quads that are to be tested late.
        self.any.next = self.coverage.q.val().any();
        self.counts_late.place.next = self.stage_place.q.val();
        self.counts_late.up.next =
            self.go.val() && self.counts.q.val() && self.last.q.val() && (self.any.val() || self.some.q.val());
        if self.go.val() {
            self.some.d.next = (self.some.q.val() || self.any.val()) && !self.last.q.val();
        }
        self.counts_late.down.next = self.late_done.val();
        self.counts_late.down_place.next = self.late_done_place.val();
    }

    /// The next beat comes behind it.
    fn next(&mut self) {
        dff_setup!(self, clock, issue, stage_valid, needs, counts, context, back);
        dff_setup!(self, clock, stage_place, address, mode, coverage, last);
        self.extra.next = bits::<32>(0);
        self.extra.next.set_value_byte0(self.first[0].read_data.val().get_bits::<8>(24));
        self.extra.next.set_value_byte1(self.first[1].read_data.val().get_bits::<8>(24));
        self.extra.next.set_value_byte2(self.first[2].read_data.val().get_bits::<8>(24));
        self.extra.next.set_value_byte3(self.first[3].read_data.val().get_bits::<8>(24));
        self.y.next = self.extra.val().get_value_y_low();
        self.x.next = self.extra.val().get_bits::<4>(19);
        self.place.side.next = self.modes.side.val();
        self.place.x.next = self.x.val();
        self.place.y.next = self.y.val();
        self.place.index.next = bit_cast::<5, 2>(self.extra.val().get_bits::<2>(6));
        self.modes.context.next = self.extra.val().get_value_context();
        self.covered.next = self.extra.val().get_value_coverage().any();
        self.next.next = self.issue.q.val() != self.tail.q.val();
        self.next_place.next = self.stage_place.q.val();
        if self.go.val() {
            self.stage_valid.d.next = false;
        }
        if self.go.val() || !self.stage_valid.q.val() {
            self.next_place.next = bit_cast::<11, 4>(self.x.val())
                | (bit_cast::<11, 4>(self.y.val()) << 4)
                | (bit_cast::<11, 1>(self.extra.val().get_value_bank()) << 8)
                | (bit_cast::<11, 2>(self.extra.val().get_value_slot()) << 9);
            self.stage_place.d.next = self.next_place.val();
            self.stage_valid.d.next = self.next.val();
            self.needs.d.next = self.modes.tests.val()
                && !self.modes.late.val()
                && !self.extra.val().get_value_end()
                && self.covered.val();
            self.counts.d.next = self.modes.tests.val() && self.modes.late.val() && !self.extra.val().get_value_end();
            self.context.d.next = self.extra.val().get_value_context();
            self.back.d.next = self.extra.val().get_value_back();
            self.address.d.next = self.place.address.val();
            self.mode.d.next = self.modes.mode.val();
            self.coverage.d.next = self.extra.val().get_value_coverage();
            self.last.d.next = self.extra.val().get_value_last() || self.extra.val().get_value_end();
            if self.next.val() {
                self.issue.d.next = self.issue.q.val() + bits::<5>(1);
            }
        }
        self.counts_late.next_place.next = self.next_place.val();
        for k in 0..4 {
            dff_setup!(self, clock, depth[k]);
            if self.go.val() || !self.stage_valid.q.val() {
                self.depth[k].d.next = self.first[k].read_data.val().get_bits::<24>(0);
            }
        }
    }

    /// The stages beside the test unit, and the coverage behind them.
    fn beside(&mut self) {
        dff_setup!(self, clock, valids, tested, known);
        self.valids.d.next = self.valids.q.val() << 1;
        self.tested.d.next = self.tested.q.val() << 1;
        if self.go.val() {
            self.valids.d.next = (self.valids.q.val() << 1) | bits::<4>(1);
        }
        if self.needs.q.val() {
            self.tested.d.next = (self.tested.q.val() << 1) | bits::<4>(1);
        }
        for k in 0..4 {
            self.passing[k].clock.next = self.clock.val();
        }
        self.passing[0].d.next = self.coverage.q.val();
        for k in 1..4 {
            self.passing[k].d.next = self.passing[k - 1].q.val();
        }
        self.coverage_left.next = self.passing[3].q.val();
        if self.tested.q.val().get_bit(3) {
            self.coverage_left.next = self.pass_lanes.val();
        }
        self.lefts.write_enable.next = self.valids.q.val().get_bit(3);
        self.lefts.write_address.next = self.known.q.val().get_bits::<4>(0);
        self.lefts.write_data.next = bit_cast::<32, 4>(self.coverage_left.val());
        self.lefts.read_address.next = self.head.q.val().get_bits::<4>(0);
        if self.valids.q.val().get_bit(3) {
            self.known.d.next = self.known.q.val() + bits::<5>(1);
        }
    }

    /// The beat that leaves.
    fn leave(&mut self) {
        dff_setup!(self, clock, head, inside);
        self.extra_out.next = bits::<32>(0);
        self.extra_out.next.set_value_byte0(self.second[0].read_data.val().get_bits::<8>(24));
        self.extra_out.next.set_value_byte1(self.second[1].read_data.val().get_bits::<8>(24));
        self.extra_out.next.set_value_byte2(self.second[2].read_data.val().get_bits::<8>(24));
        self.extra_out.next.set_value_byte3(self.second[3].read_data.val().get_bits::<8>(24));
        for k in 0..4 {
            self.quad.depth[k].next = self.second[k].read_data.val().get_bits::<24>(0);
        }
        self.rest_out.next = bit_cast::<35, 32>(self.rest.read_data.val())
            | (bit_cast::<35, 3>(self.rest_high.read_data.val().get_bits::<3>(0)) << bits::<35>(32));
        self.quad.end.next = self.extra_out.val().get_value_end();
        self.quad.context.next = self.extra_out.val().get_value_context();
        self.quad.handle.next = self.rest_out.val().get_value_handle();
        self.quad.order.next = self.rest_out.val().get_value_order();
        self.quad.back.next = self.extra_out.val().get_value_back();
        self.quad.buffer.next = bit_cast::<3, 1>(self.extra_out.val().get_value_bank())
            | (bit_cast::<3, 2>(self.extra_out.val().get_value_slot()) << 1);
        self.quad.x.next = self.extra_out.val().get_value_x();
        self.quad.y.next = bit_cast::<11, 4>(self.extra_out.val().get_value_y_low())
            | (bit_cast::<11, 7>(self.rest_out.val().get_value_y_high()) << 4);
        self.quad.sample.next = self.extra_out.val().get_value_sample();
        self.quad.last.next = self.extra_out.val().get_value_last();
        self.quad.coverage.next = self.lefts.read_data.val().get_bits::<4>(0);
        self.quad.valid.next = self.head.q.val() != self.known.q.val();
        self.leave.next = (self.head.q.val() != self.known.q.val()) && self.quad.ready.val();
        if self.leave.val() {
            self.head.d.next = self.head.q.val() + bits::<5>(1);
        }
        if self.accept.val() && !self.leave.val() {
            self.inside.d.next = self.inside.q.val() + bits::<5>(1);
        }
        if !self.accept.val() && self.leave.val() {
            self.inside.d.next = self.inside.q.val() - bits::<5>(1);
        }
    }
}
