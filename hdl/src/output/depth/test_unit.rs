//! The unit that tests and writes: one sample of a quad in a cycle, of either side. It never stops,
//! so nothing in it is ever held.
//!
//! | cycle | what |
//! | --- | --- |
//! | 0 | a request; that of the late side is taken, if there is one |
//! | 1 | the depth memory is asked for its word |
//! | 2 | the word is there; the context's stencil state is read |
//! | 3 | tests and operations of the four lanes |
//! | 4 | `pass_lanes` says what passes; the word is written |
//!
//! A request may name the word of one, two or three requests before it. It gets that one's new word
//! by forwarding: in cycle 3 from the one before, in cycle 2 from the two before that. So every
//! cycle may have the same word. The memory is never trusted with a word that is read and written
//! in one cycle. It can be wrong in these three cases: planted faults `depth-stale` and
//! `depth-stale-three`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::state;
use rust_hdl::prelude::*;

use super::lane::DepthLane;
use crate::base::stream::FlowIn;
use crate::base::{vector, Planted};
use crate::cell::AsyncRam;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::fields;
use crate::ports::{DepthRequestDataIn, DepthRequestIn, LineDataIn, QuadReadOut, QuadWriteOut, StateWriteIn};

fields! {
    /// Words 21 and 22 of a state record.
    trait StencilWord: 32 {
        /// Function.
        word_function: 3 @ 0,
        /// Operation if the stencil test fails.
        word_fails: 3 @ 4,
        /// Operation if depth fails.
        word_depth_fails: 3 @ 8,
        /// Operation if both pass.
        word_passes: 3 @ 12,
    }
}

fields! {
    /// What a lane is told of them.
    trait LaneStencil: 12 {
        /// Function.
        function: 3 @ 0,
        /// Operation if the stencil test fails.
        fails: 3 @ 3,
        /// Operation if depth fails.
        depth_fails: 3 @ 6,
        /// Operation if both pass.
        passes: 3 @ 9,
    }
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct DepthTest {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state.
    pub state: StateWriteIn,
    /// A request of the early side.
    pub early_req: DepthRequestIn,
    /// A request of the late side; it is taken.
    pub late_req: FlowIn<DepthRequestDataIn>,
    /// Lanes that pass, for the request that was taken four cycles ago.
    pub pass_lanes: Signal<Out, Bits<4>>,
    /// The word that is read.
    pub read: QuadReadOut,
    /// The word that was read in the last cycle.
    pub read_line: LineDataIn,
    /// The word that is written.
    pub write: QuadWriteOut,
    lanes: Vec<DepthLane>,
    fronts: AsyncRam,
    backs: AsyncRam,
    masks: AsyncRam,
    // Cycle 1.
    valid1: DFF<bool>,
    context1: DFF<Bits<4>>,
    back1: DFF<bool>,
    key1: DFF<Bits<13>>,
    mode1: DFF<Bits<6>>,
    coverage1: DFF<Bits<4>>,
    depth1: Vec<DFF<Bits<24>>>,
    // Cycle 2.
    valid2: DFF<bool>,
    context2: DFF<Bits<4>>,
    back2: DFF<bool>,
    key2: DFF<Bits<13>>,
    mode2: DFF<Bits<6>>,
    coverage2: DFF<Bits<4>>,
    depth2: Vec<DFF<Bits<24>>>,
    /// The word is that of the request one, two, three before.
    one2: DFF<bool>,
    two2: DFF<bool>,
    three2: DFF<bool>,
    // Cycle 3.
    valid3: DFF<bool>,
    key3: DFF<Bits<13>>,
    mode3: DFF<Bits<6>>,
    coverage3: DFF<Bits<4>>,
    depth3: Vec<DFF<Bits<24>>>,
    one3: DFF<bool>,
    stencil3: DFF<Bits<12>>,
    masks3: DFF<Bits<24>>,
    word3: Vec<DFF<Bits<32>>>,
    // Cycle 4.
    valid4: DFF<bool>,
    key4: DFF<Bits<13>>,
    coverage4: DFF<Bits<4>>,
    pass_lanes4: DFF<Bits<4>>,
    word4: Vec<DFF<Bits<32>>>,
    /// The cycle behind it.
    word5: Vec<DFF<Bits<32>>>,
    buffer: Signal<Local, Bits<3>>,
    address: Signal<Local, Bits<10>>,
    of_state: Signal<Local, bool>,
    front: Signal<Local, Bits<32>>,
    passed: Signal<Local, Bits<4>>,
    old: Vec<Signal<Local, Bits<32>>>,
    new: Vec<Signal<Local, Bits<32>>>,
    fault_depth_stale: Planted,
    fault_depth_stale_three: Planted,
    fault_stencil_front: Planted,
    _active: bool,
}

impl DepthTest {
    /// At rest, with the planted faults of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        Self {
            lanes: (0..4).map(|_| DepthLane::new(config)).collect(),
            fronts: AsyncRam::new(config.contexts, 15),
            backs: AsyncRam::new(config.contexts, 15),
            masks: AsyncRam::new(config.contexts, 24),
            depth1: vector(4),
            depth2: vector(4),
            depth3: vector(4),
            word3: vector(4),
            word4: vector(4),
            word5: vector(4),
            old: vector(4),
            new: vector(4),
            fault_depth_stale: planted(Fault::DepthStale),
            fault_depth_stale_three: planted(Fault::DepthStaleThree),
            fault_stencil_front: planted(Fault::StencilFront),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl DepthTest {
    /// Stencil state.
    fn state(&mut self) {
        comment!("module: depth_test");
        clock!(self, clock, fronts, backs, masks);
        self.of_state.next = self.state.valid.val() && !self.state.pass.val();
        self.fronts.write_enable.next =
            self.of_state.val() && (self.state.word.val() == bits::<6>(state::STENCIL_FRONT));
        self.backs.write_enable.next = self.of_state.val() && (self.state.word.val() == bits::<6>(state::STENCIL_BACK));
        self.masks.write_enable.next =
            self.of_state.val() && (self.state.word.val() == bits::<6>(state::STENCIL_MASKS));
        self.fronts.write_address.next = bit_cast::<6, 4>(self.state.context.val());
        self.backs.write_address.next = bit_cast::<6, 4>(self.state.context.val());
        self.masks.write_address.next = bit_cast::<6, 4>(self.state.context.val());
        fan_out!(self.state.data => self.fronts.write_data, self.backs.write_data, self.masks.write_data);
        self.fronts.read_address.next = bit_cast::<6, 4>(self.context2.q.val());
        self.backs.read_address.next = bit_cast::<6, 4>(self.context2.q.val());
        self.masks.read_address.next = bit_cast::<6, 4>(self.context2.q.val());
    }

    /// Cycle 0: the request that is taken.
    fn take(&mut self) {
        dff_setup!(self, clock, valid1, context1, back1, key1, mode1, coverage1);
        self.early_req.ready.next = !self.late_req.valid.val();
        self.valid1.d.next = self.early_req.valid.val() || self.late_req.valid.val();
        self.context1.d.next = self.early_req.context.val();
        self.back1.d.next = self.early_req.back.val();
        self.mode1.d.next = self.early_req.mode.val();
        self.coverage1.d.next = self.early_req.coverage.val();
        self.buffer.next = self.early_req.buffer.val();
        self.address.next = self.early_req.address.val();
        if self.late_req.valid.val() {
            self.context1.d.next = self.late_req.context.val();
            self.back1.d.next = self.late_req.back.val();
            self.mode1.d.next = self.late_req.mode.val();
            self.coverage1.d.next = self.late_req.coverage.val();
            self.buffer.next = self.late_req.buffer.val();
            self.address.next = self.late_req.address.val();
        }
        self.key1.d.next = bit_cast::<13, 10>(self.address.val()) | (bit_cast::<13, 3>(self.buffer.val()) << 10);
        for k in 0..4 {
            self.depth1[k].clock.next = self.clock.val();
            self.depth1[k].d.next = self.early_req.depth[k].val();
            if self.late_req.valid.val() {
                self.depth1[k].d.next = self.late_req.depth[k].val();
            }
        }
    }

    /// Cycle 1: the memory is asked, and the requests before are compared.
    fn ask(&mut self) {
        dff_setup!(self, clock, valid2, context2, back2, key2, mode2, coverage2, one2, two2, three2);
        self.read.buffer.next = self.key1.q.val().get_bits::<3>(10);
        self.read.address.next = self.key1.q.val().get_bits::<10>(0);
        self.valid2.d.next = self.valid1.q.val();
        self.context2.d.next = self.context1.q.val();
        self.back2.d.next = self.back1.q.val();
        self.key2.d.next = self.key1.q.val();
        self.mode2.d.next = self.mode1.q.val();
        self.coverage2.d.next = self.coverage1.q.val();
        for k in 0..4 {
            self.depth2[k].clock.next = self.clock.val();
            self.depth2[k].d.next = self.depth1[k].q.val();
        }
        self.one2.d.next =
            self.valid2.q.val() && (self.key2.q.val() == self.key1.q.val()) && !self.fault_depth_stale.val();
        self.two2.d.next = self.valid3.q.val() && (self.key3.q.val() == self.key1.q.val());
        self.three2.d.next =
            self.valid4.q.val() && (self.key4.q.val() == self.key1.q.val()) && !self.fault_depth_stale_three.val();
    }

    /// Cycle 2: the word and the stencil state.
    fn fetch(&mut self) {
        dff_setup!(self, clock, valid3, key3, mode3, coverage3, one3, stencil3, masks3);
        self.valid3.d.next = self.valid2.q.val();
        self.key3.d.next = self.key2.q.val();
        self.mode3.d.next = self.mode2.q.val();
        self.coverage3.d.next = self.coverage2.q.val();
        self.one3.d.next = self.one2.q.val();
        self.front.next = self.fronts.read_data.val();
        if self.back2.q.val() && !self.fault_stencil_front.val() {
            self.front.next = self.backs.read_data.val();
        }
        self.stencil3.d.next = bits::<12>(0);
        self.stencil3.d.next.set_value_function(self.front.val().get_value_word_function());
        self.stencil3.d.next.set_value_fails(self.front.val().get_value_word_fails());
        self.stencil3.d.next.set_value_depth_fails(self.front.val().get_value_word_depth_fails());
        self.stencil3.d.next.set_value_passes(self.front.val().get_value_word_passes());
        self.masks3.d.next = self.masks.read_data.val().get_bits::<24>(0);
        for k in 0..4 {
            self.depth3[k].clock.next = self.clock.val();
            self.depth3[k].d.next = self.depth2[k].q.val();
            self.word3[k].clock.next = self.clock.val();
            self.word3[k].d.next = self.read_line.data[k].val();
            if self.three2.q.val() {
                self.word3[k].d.next = self.word5[k].q.val();
            }
            if self.two2.q.val() {
                self.word3[k].d.next = self.word4[k].q.val();
            }
        }
    }

    /// Cycle 3: the lanes.
    fn lanes(&mut self) {
        dff_setup!(self, clock, valid4, key4, coverage4, pass_lanes4);
        self.valid4.d.next = self.valid3.q.val();
        self.key4.d.next = self.key3.q.val();
        self.coverage4.d.next = self.coverage3.q.val();
        self.passed.next = bits::<4>(0);
        for k in 0..4 {
            self.old[k].next = self.word3[k].q.val();
            if self.one3.q.val() {
                self.old[k].next = self.word4[k].q.val();
            }
            self.lanes[k].covered.next = self.coverage3.q.val().get_bit(k);
            self.lanes[k].depth.next = self.depth3[k].q.val();
            self.lanes[k].old.next = self.old[k].val();
            self.lanes[k].mode.next = self.mode3.q.val();
            self.lanes[k].stencil.next = self.stencil3.q.val();
            self.lanes[k].masks.next = self.masks3.q.val();
            if self.lanes[k].passes.val() {
                self.passed.next = self.passed.val() | (bits::<4>(1) << k.to_bits::<4>());
            }
            self.new[k].next = self.old[k].val();
            if self.coverage3.q.val().get_bit(k) {
                self.new[k].next = self.lanes[k].new.val();
            }
            self.word4[k].clock.next = self.clock.val();
            self.word4[k].d.next = self.new[k].val();
        }
        self.pass_lanes4.d.next = self.passed.val();
    }

    /// Cycle 4: the write.
    fn write(&mut self) {
        self.pass_lanes.next = self.pass_lanes4.q.val();
        self.write.buffer.next = self.key4.q.val().get_bits::<3>(10);
        self.write.address.next = self.key4.q.val().get_bits::<10>(0);
        self.write.mask.next = bits::<4>(0);
        if self.valid4.q.val() {
            self.write.mask.next = self.coverage4.q.val();
        }
        for k in 0..4 {
            self.write.data[k].next = self.word4[k].q.val();
            self.word5[k].clock.next = self.clock.val();
            self.word5[k].d.next = self.word4[k].q.val();
        }
    }
}
