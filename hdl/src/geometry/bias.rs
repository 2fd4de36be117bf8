//! Set-up of a triangle, third part: the bias of depth (docs/graphics.md, "Depth"). Without one a
//! triangle passes in five cycles, with one in some 45.
//!
//! Rounding to an integer keeps the order of numbers. So the limit is rounded too, and bias and
//! limit are compared as integers. What is 2^30 and more moves every depth to an end, and is 2^30
//! here. m is scaled by 2^-16 in its exponent: it is 0 or at least 1.
//!
//! It can be wrong where bias and limit have different signs.
//!
//! Planted fault: `geometry-bias`.

use quadlock_hdl_macros::{kernel, QuietBlock, StateWord};
use quadlock_isa::records::state;
use rust_hdl::prelude::*;

use super::cells::BiasHold;
use crate::base::Planted;
use crate::cell::Ram;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{FloatAskOut, PlaneBiasOut, StateWriteIn};

/// What the bias is at.
#[derive(Copy, Clone, Debug, PartialEq, LogicState, StateWord)]
pub enum BiasStep {
    /// No triangle.
    Idle,
    /// The constant is read.
    Constant,
    /// The slope is read.
    Slope,
    /// Is there a bias?
    Look,
    /// The limit is to be rounded.
    Limit,
    /// The steepest gradient is to be rounded.
    Steepest,
    /// Both are.
    Wait,
    /// The sum is to be made.
    Sum,
    /// It is.
    Last,
    /// The bias is known.
    Done,
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct GeometryBias {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of states: 18 to 20.
    pub state: StateWriteIn,
    /// A triangle is offered.
    pub in_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub in_ready: Signal<Out, bool>,
    /// Its context.
    pub context: Signal<In, Bits<4>>,
    /// Its gradient along x.
    pub gx_in: Signal<In, Bits<50>>,
    /// Along y.
    pub gy_in: Signal<In, Bits<50>>,
    /// Magnitude of the greater one.
    pub steepest: Signal<In, Bits<50>>,
    /// 1 / S.
    pub inverse_in: Signal<In, Bits<32>>,
    /// Request to the float unit.
    pub float_req: FloatAskOut,
    /// A result of the float unit is valid.
    pub float_rsp_valid: Signal<In, bool>,
    /// The result.
    pub float_rsp: Signal<In, Bits<32>>,
    /// An integer result of the float unit is valid.
    pub fixed_rsp_valid: Signal<In, bool>,
    /// It.
    pub fixed: Signal<In, Bits<31>>,
    /// All is known; it stays until it is taken.
    pub done_valid: Signal<Out, bool>,
    /// It is taken.
    pub done_take: Signal<In, bool>,
    /// Gradients of depth, and the bias that follows from them.
    pub bias_ports: PlaneBiasOut,
    states: Ram,
    hold: BiasHold,
    step: DFF<BiasStep>,
    context_r: DFF<Bits<4>>,
    gx_r: DFF<Bits<50>>,
    gy_r: DFF<Bits<50>>,
    steepest_r: DFF<Bits<50>>,
    inverse_r: DFF<Bits<32>>,
    constant: DFF<Bits<32>>,
    scaled: DFF<Bits<32>>,
    limit: DFF<Bits<31>>,
    limited: DFF<bool>,
    limit_down: DFF<bool>,
    bias_r: DFF<Bits<31>>,
    down_r: DFF<bool>,
    values: DFF<Bits<2>>,
    integers: DFF<Bits<2>>,
    word: Signal<Local, Bits<2>>,
    keeps: Signal<Local, bool>,
    number: Signal<Local, bool>,
    fault_geometry_bias: Planted,
    _active: bool,
}

impl GeometryBias {
    /// At rest, with that configuration's planted faults.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            states: Ram::new(4 * config.contexts),
            fault_geometry_bias: Planted::new(config.has(Fault::GeometryBias)),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for GeometryBias {
    #[kernel]
    fn update(&mut self) {
        comment!("module: geometry_bias");
        dff_setup!(self, clock, step, context_r, gx_r, gy_r, steepest_r, inverse_r, constant, scaled, limit);
        dff_setup!(self, clock, limited, limit_down, bias_r, down_r, values, integers);
        clock!(self, clock, states);
        // Words 18 to 20 of each context: constant, slope, clamp.
        self.keeps.next = (self.state.word.val() >= bits::<6>(state::BIAS_CONSTANT))
            && (self.state.word.val() < bits::<6>(state::BIAS_CLAMP + 1));
        self.states.write_enable.next = self.state.valid.val() && !self.state.pass.val() && self.keeps.val();
        self.states.write_address.next = (bit_cast::<12, 4>(self.state.context.val()) << bits::<12>(2))
            | bit_cast::<12, 2>(self.state.word.val().get_bits::<2>(0));
        self.states.write_data.next = self.state.data.val();
        // 18 is 2, 19 is 3, 20 is 0.
        self.word.next = bits::<2>(3);
        if (self.step.q.val() == BiasStep::Constant) || (self.step.q.val() == BiasStep::Idle) {
            self.word.next = bits::<2>(2);
        }
        if (self.step.q.val() == BiasStep::Look) || (self.step.q.val() == BiasStep::Limit) {
            self.word.next = bits::<2>(0);
        }
        self.states.read_address.next =
            (bit_cast::<12, 4>(self.context_r.q.val()) << bits::<12>(2)) | bit_cast::<12, 2>(self.word.val());

        self.in_ready.next = self.step.q.val() == BiasStep::Idle;
        self.float_req.valid.next = false;
        self.float_req.a.next = self.states.read_data.val();
        self.float_req.b.next = bits::<32>(0x3F80_0000);
        self.float_req.c.next = self.constant.q.val();
        self.float_req.product.next = true;
        self.float_req.number.next = false;
        // A limit of 0, or that is no number, is none.
        self.number.next = self.states.read_data.val().get_bits::<31>(0).any()
            && (self.states.read_data.val().get_bits::<31>(0) <= bits::<31>(0x7F80_0000));
        self.hold.bias.next = self.fixed.val();
        self.hold.limit.next = self.limit.q.val();
        self.hold.limited.next = self.limited.q.val() && (self.down_r.q.val() == self.limit_down.q.val());
        if self.fault_geometry_bias.val() {
            self.hold.limited.next = self.limited.q.val();
        }
        // Answers in the order of what was asked: the limit, the steepest gradient, the sum.
        if self.float_rsp_valid.val() {
            self.values.d.next = self.values.q.val() + bits::<2>(1);
            if self.values.q.val() == bits::<2>(1) {
                self.scaled.d.next = bits::<32>(0);
                if self.float_rsp.val().any() {
                    self.scaled.d.next = self.float_rsp.val() - bits::<32>(0x0800_0000);
                }
            }
            if self.values.q.val() == bits::<2>(2) {
                self.down_r.d.next = self.float_rsp.val().get_bit(31);
            }
        }
        if self.fixed_rsp_valid.val() {
            self.integers.d.next = self.integers.q.val() + bits::<2>(1);
            if self.integers.q.val() == bits::<2>(0) {
                self.limit.d.next = self.fixed.val();
            }
            if self.integers.q.val() == bits::<2>(2) {
                self.bias_r.d.next = self.hold.held.val();
            }
        }
        match self.step.q.val() {
            BiasStep::Idle => {
                if self.in_valid.val() {
                    self.step.d.next = BiasStep::Constant;
                    self.context_r.d.next = self.context.val();
                    self.gx_r.d.next = self.gx_in.val();
                    self.gy_r.d.next = self.gy_in.val();
                    self.steepest_r.d.next = self.steepest.val();
                    self.inverse_r.d.next = self.inverse_in.val();
                    self.bias_r.d.next = bits::<31>(0);
                    self.down_r.d.next = false;
                    self.values.d.next = bits::<2>(0);
                    self.integers.d.next = bits::<2>(0);
                }
            }
            BiasStep::Constant => {
                self.step.d.next = BiasStep::Slope;
            }
            BiasStep::Slope => {
                self.constant.d.next = self.states.read_data.val();
                self.step.d.next = BiasStep::Look;
            }
            BiasStep::Look => {
                self.step.d.next = BiasStep::Done;
                if self.constant.q.val().any() || self.states.read_data.val().any() {
                    self.step.d.next = BiasStep::Limit;
                }
            }
            BiasStep::Limit => {
                self.float_req.valid.next = true;
                self.limited.d.next = self.number.val();
                self.limit_down.d.next = self.states.read_data.val().get_bit(31);
                if self.float_req.ready.val() {
                    self.step.d.next = BiasStep::Steepest;
                }
            }
            BiasStep::Steepest => {
                self.float_req.valid.next = true;
                self.float_req.a.next = self.steepest_r.q.val().get_bits::<32>(0);
                self.float_req.b.next = bit_cast::<32, 18>(self.steepest_r.q.val().get_bits::<18>(32));
                self.float_req.c.next = bits::<32>(202);
                self.float_req.product.next = false;
                self.float_req.number.next = true;
                if self.float_req.ready.val() {
                    self.step.d.next = BiasStep::Wait;
                }
            }
            BiasStep::Wait => {
                if self.values.q.val() == bits::<2>(2) {
                    self.step.d.next = BiasStep::Sum;
                }
            }
            BiasStep::Sum => {
                self.float_req.valid.next = true;
                self.float_req.a.next = self.scaled.q.val();
                self.float_req.b.next = self.states.read_data.val();
                self.float_req.product.next = false;
                if self.float_req.ready.val() {
                    self.step.d.next = BiasStep::Last;
                }
            }
            BiasStep::Last => {
                if self.integers.q.val() == bits::<2>(3) {
                    self.step.d.next = BiasStep::Done;
                }
            }
            BiasStep::Done => {
                if self.done_take.val() {
                    self.step.d.next = BiasStep::Idle;
                }
            }
        }
        self.done_valid.next = self.step.q.val() == BiasStep::Done;
        self.bias_ports.gx.next = self.gx_r.q.val();
        self.bias_ports.gy.next = self.gy_r.q.val();
        self.bias_ports.inverse.next = self.inverse_r.q.val();
        self.bias_ports.bias.next = self.bias_r.q.val();
        self.bias_ports.down.next = self.down_r.q.val();
    }
}
