//! The late side of depth and stencil: shaded quads in order of tickets.
//!
//! A beat is put into a queue of 16 and goes on in the next cycle, always: to the test unit if it
//! is the first of its sample, its context tests late and a lane is covered; else past it, through
//! four stages. Then it leaves with the coverage that is left. The beats of further targets get
//! what was left of the first. Throughput one beat per cycle, latency 6 cycles.
//!
//! It can be wrong if a further target's beat does not come directly behind the sample's first.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::stream::FlowOut;
use crate::base::{vector, Planted};
use crate::cell::blend::QuadAddress;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::fields;
use crate::memory::LutRam;
use crate::ports::{CommitIn, CommitOut, DepthRequestDataOut, StateWriteIn};
use crate::raster::modes::ContextModes;

fields! {
    /// A word in bytes. The queue's words have the depth of a lane in bits 23:0, and byte k of
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
        sample: 2 @ 6,
        /// Target.
        target: 2 @ 8,
        /// Place in y.
        y: 11 @ 10,
        /// Place in x.
        x: 11 @ 21,
    }
}

fields! {
    /// The rest.
    trait Rest: 32 {
        /// Order number.
        order: 16 @ 0,
        /// Last beat.
        last: bit @ 16,
        /// Still to be tested.
        late: bit @ 17,
        /// Slot of the bank.
        slot: 2 @ 18,
        /// First beat of the sample.
        first: bit @ 20,
    }
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct LateSide {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state.
    pub state: StateWriteIn,
    /// A beat comes.
    pub in_commit: CommitIn,
    /// A beat goes.
    pub commit: CommitOut,
    /// A request to the test unit, which takes it.
    pub request: FlowOut<DepthRequestDataOut>,
    /// Lanes that pass, for the request of four cycles ago.
    pub pass_lanes: Signal<In, Bits<4>>,
    /// The last beat of a quad of `late_done_place` that was to be tested is here.
    pub late_done: Signal<Out, bool>,
    /// Its place.
    pub late_done_place: Signal<Out, Bits<11>>,
    modes: ContextModes,
    place: QuadAddress,
    words: Vec<LutRam>,
    rest: LutRam,
    low: Vec<LutRam>,
    high: Vec<LutRam>,
    /// Coverage left.
    lefts: LutRam,
    /// Places, counted on modulo 32: the next to leave, the end of those whose coverage is known,
    /// the next to come.
    head: DFF<Bits<5>>,
    known: DFF<Bits<5>>,
    tail: DFF<Bits<5>>,
    inside: DFF<Bits<5>>,
    // The beat that goes on.
    stage_valid: DFF<bool>,
    context: DFF<Bits<4>>,
    back: DFF<bool>,
    stage_place: DFF<Bits<11>>,
    address: DFF<Bits<10>>,
    coverage: DFF<Bits<4>>,
    first: DFF<bool>,
    last: DFF<bool>,
    to_test: DFF<bool>,
    depth: Vec<DFF<Bits<24>>>,
    // The stages beside the test unit.
    valids: DFF<Bits<4>>,
    tested: DFF<Bits<4>>,
    firsts: DFF<Bits<4>>,
    passing: Vec<DFF<Bits<4>>>,
    /// What was left of the sample's first beat.
    held: DFF<Bits<4>>,
    extra_in: Signal<Local, Bits<32>>,
    bank: Signal<Local, Bits<1>>,
    slot: Signal<Local, Bits<2>>,
    rest_in: Signal<Local, Bits<32>>,
    extra_out: Signal<Local, Bits<32>>,
    rest_out: Signal<Local, Bits<32>>,
    accept: Signal<Local, bool>,
    leave: Signal<Local, bool>,
    tests: Signal<Local, bool>,
    coverage_left: Signal<Local, Bits<4>>,
    fault_depth_further: Planted,
    _active: bool,
}

impl LateSide {
    /// At rest, with the planted faults of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            modes: ContextModes::new(config),
            words: vector(4),
            low: vector(4),
            high: vector(4),
            depth: vector(4),
            passing: vector(4),
            fault_depth_further: Planted::new(config.has(Fault::DepthFurther)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl LateSide {
    /// A beat comes into the queue, and goes on in the next cycle.
    fn come(&mut self) {
        comment!("module: late_side");
        dff_setup!(self, clock, stage_valid, context, back, stage_place, address, coverage, first, last, to_test);
        clock!(self, clock, modes);
        StateWriteIn::link(&mut self.state, &mut self.modes.state);
        self.in_commit.ready.next = !self.inside.q.val().get_bit(4);
        self.accept.next = self.in_commit.valid.val() && !self.inside.q.val().get_bit(4);
        self.place.side.next = self.modes.side.val();
        self.place.x.next = self.in_commit.x.val().get_bits::<4>(0);
        self.place.y.next = self.in_commit.y.val().get_bits::<4>(0);
        self.place.index.next = bit_cast::<5, 2>(self.in_commit.sample.val());
        self.stage_valid.d.next = self.accept.val();
        self.context.d.next = self.in_commit.context.val();
        self.back.d.next = self.in_commit.back.val();
        self.stage_place.d.next = bit_cast::<11, 4>(self.in_commit.x.val().get_bits::<4>(0))
            | (bit_cast::<11, 4>(self.in_commit.y.val().get_bits::<4>(0)) << 4)
            | (bit_cast::<11, 3>(self.in_commit.buffer.val()) << 8);
        self.address.d.next = self.place.address.val();
        self.coverage.d.next = self.in_commit.coverage.val();
        self.first.d.next = self.in_commit.first.val();
        self.last.d.next = self.in_commit.last.val();
        self.to_test.d.next = self.in_commit.late.val();
        for k in 0..4 {
            self.depth[k].clock.next = self.clock.val();
            self.depth[k].d.next = self.in_commit.depth[k].val();
        }
    }

    /// What it waits in.
    fn queue(&mut self) {
        dff_setup!(self, clock, tail);
        clock!(self, clock, rest);
        self.extra_in.next = bits::<32>(0);
        self.extra_in.next.set_value_context(self.in_commit.context.val());
        self.extra_in.next.set_value_back(self.in_commit.back.val());
        self.bank.next = self.in_commit.buffer.val().get_bits::<1>(0);
        self.slot.next = self.in_commit.buffer.val().get_bits::<2>(1);
        self.extra_in.next.set_value_bank(self.bank.val());
        self.extra_in.next.set_value_sample(self.in_commit.sample.val());
        self.extra_in.next.set_value_target(self.in_commit.target.val());
        self.extra_in.next.set_value_y(self.in_commit.y.val());
        self.extra_in.next.set_value_x(self.in_commit.x.val());
        self.rest_in.next = bits::<32>(0);
        self.rest_in.next.set_value_order(self.in_commit.order.val());
        self.rest_in.next.set_value_last(self.in_commit.last.val());
        self.rest_in.next.set_value_late(self.in_commit.late.val());
        self.rest_in.next.set_value_slot(self.slot.val());
        self.rest_in.next.set_value_first(self.in_commit.first.val());
        self.rest.write_enable.next = self.accept.val();
        self.rest.write_address.next = self.tail.q.val().get_bits::<4>(0);
        self.rest.write_data.next = self.rest_in.val();
        self.rest.read_address.next = self.head.q.val().get_bits::<4>(0);
        self.words[0].write_data.next = bit_cast::<32, 24>(self.in_commit.depth[0].val())
            | (bit_cast::<32, 8>(self.extra_in.val().get_bits::<8>(0)) << 24);
        self.words[1].write_data.next = bit_cast::<32, 24>(self.in_commit.depth[1].val())
            | (bit_cast::<32, 8>(self.extra_in.val().get_bits::<8>(8)) << 24);
        self.words[2].write_data.next = bit_cast::<32, 24>(self.in_commit.depth[2].val())
            | (bit_cast::<32, 8>(self.extra_in.val().get_bits::<8>(16)) << 24);
        self.words[3].write_data.next = bit_cast::<32, 24>(self.in_commit.depth[3].val())
            | (bit_cast::<32, 8>(self.extra_in.val().get_bits::<8>(24)) << 24);
        for k in 0..4 {
            clock!(self, clock, words[k], low[k], high[k]);
            self.words[k].write_enable.next = self.accept.val();
            self.words[k].write_address.next = self.tail.q.val().get_bits::<4>(0);
            self.words[k].read_address.next = self.head.q.val().get_bits::<4>(0);
            self.low[k].write_enable.next = self.accept.val();
            self.low[k].write_address.next = self.tail.q.val().get_bits::<4>(0);
            self.low[k].write_data.next = self.in_commit.low[k].val();
            self.low[k].read_address.next = self.head.q.val().get_bits::<4>(0);
            self.high[k].write_enable.next = self.accept.val();
            self.high[k].write_address.next = self.tail.q.val().get_bits::<4>(0);
            self.high[k].write_data.next = self.in_commit.high[k].val();
            self.high[k].read_address.next = self.head.q.val().get_bits::<4>(0);
        }
        if self.accept.val() {
            self.tail.d.next = self.tail.q.val() + bits::<5>(1);
        }
    }

    /// It goes to the test unit or past it.
    fn go(&mut self) {
        self.modes.context.next = self.context.q.val();
        self.tests.next = self.stage_valid.q.val() && self.to_test.q.val() && self.modes.tests.val();
        self.request.valid.next = self.tests.val() && self.first.q.val() && self.coverage.q.val().any();
        self.late_done.next = self.tests.val() && self.last.q.val();
        self.late_done_place.next = self.stage_place.q.val();
        self.request.context.next = self.context.q.val();
        self.request.back.next = self.back.q.val();
        self.request.buffer.next = self.stage_place.q.val().get_bits::<3>(8);
        self.request.address.next = self.address.q.val();
        self.request.mode.next = self.modes.mode.val();
        self.request.coverage.next = self.coverage.q.val();
        for k in 0..4 {
            self.request.depth[k].next = self.depth[k].q.val();
        }
    }

    /// The stages beside the test unit, and the coverage behind them.
    fn beside(&mut self) {
        dff_setup!(self, clock, valids, tested, firsts, held, known);
        clock!(self, clock, lefts);
        self.valids.d.next = self.valids.q.val() << 1;
        self.tested.d.next = self.tested.q.val() << 1;
        self.firsts.d.next = self.firsts.q.val() << 1;
        if self.stage_valid.q.val() {
            self.valids.d.next = (self.valids.q.val() << 1) | bits::<4>(1);
        }
        if self.tests.val() && self.first.q.val() && self.coverage.q.val().any() {
            self.tested.d.next = (self.tested.q.val() << 1) | bits::<4>(1);
        }
        if self.first.q.val() {
            self.firsts.d.next = (self.firsts.q.val() << 1) | bits::<4>(1);
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
        if !self.firsts.q.val().get_bit(3) && !self.fault_depth_further.val() {
            self.coverage_left.next = self.passing[3].q.val() & self.held.q.val();
        }
        self.lefts.write_enable.next = self.valids.q.val().get_bit(3);
        self.lefts.write_address.next = self.known.q.val().get_bits::<4>(0);
        self.lefts.write_data.next = bit_cast::<32, 4>(self.coverage_left.val());
        self.lefts.read_address.next = self.head.q.val().get_bits::<4>(0);
        if self.valids.q.val().get_bit(3) {
            self.known.d.next = self.known.q.val() + bits::<5>(1);
            self.held.d.next = self.coverage_left.val();
        }
    }

    /// The beat that leaves.
    fn leave(&mut self) {
        dff_setup!(self, clock, head, inside);
        self.extra_out.next = bits::<32>(0);
        self.extra_out.next.set_value_byte0(self.words[0].read_data.val().get_bits::<8>(24));
        self.extra_out.next.set_value_byte1(self.words[1].read_data.val().get_bits::<8>(24));
        self.extra_out.next.set_value_byte2(self.words[2].read_data.val().get_bits::<8>(24));
        self.extra_out.next.set_value_byte3(self.words[3].read_data.val().get_bits::<8>(24));
        for k in 0..4 {
            self.commit.depth[k].next = self.words[k].read_data.val().get_bits::<24>(0);
            self.commit.low[k].next = self.low[k].read_data.val();
            self.commit.high[k].next = self.high[k].read_data.val();
        }
        self.rest_out.next = self.rest.read_data.val();
        self.commit.context.next = self.extra_out.val().get_value_context();
        self.commit.order.next = self.rest_out.val().get_value_order();
        self.commit.back.next = self.extra_out.val().get_value_back();
        self.commit.buffer.next = bit_cast::<3, 1>(self.extra_out.val().get_value_bank())
            | (bit_cast::<3, 2>(self.rest_out.val().get_value_slot()) << 1);
        self.commit.x.next = self.extra_out.val().get_value_x();
        self.commit.y.next = self.extra_out.val().get_value_y();
        self.commit.sample.next = self.extra_out.val().get_value_sample();
        self.commit.target.next = self.extra_out.val().get_value_target();
        self.commit.first.next = self.rest_out.val().get_value_first();
        self.commit.last.next = self.rest_out.val().get_value_last();
        self.commit.late.next = self.rest_out.val().get_value_late();
        self.commit.coverage.next = self.lefts.read_data.val().get_bits::<4>(0);
        self.commit.valid.next = self.head.q.val() != self.known.q.val();
        self.leave.next = (self.head.q.val() != self.known.q.val()) && self.commit.ready.val();
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
