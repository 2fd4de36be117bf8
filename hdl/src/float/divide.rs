//! Division and square root of a warp, correctly rounded. The lanes of a request pass one per cycle
//! through a shared front (unpack, normalise, leading digit), each to a digit recurrence of its
//! own, and from there one per cycle through a shared back (subnormals, rounding):
//!
//! ```text
//! cycle   0       1       2               3 .. 14                  15      16            17
//! lane 0  unpack, unpack, leading digit,  2 digits in each cycle,  shift,  round,        value register
//! lane k  the same k cycles later
//! ```
//!
//! Latency 21: the response is valid in the 21st cycle after the one in which the request came to
//! an idle block. Throughput: a request every 15 cycles, because the next one enters when the first
//! lane leaves; a response that is not taken holds the next one in its recurrences.
//!
//! Contract: a request stays as it is while it is not taken. It is taken in its fourth cycle at the
//! earliest, when its last lane has entered. An inactive lane's value is +0.
//!
//! It can be wrong in what [`crate::float::divide_start`] and [`crate::float::digits`] say, and
//! here where two requests overlap: a lane must leave its recurrence before the next request's lane
//! enters, and the values before the next ones are written. Fault 40 forgets the remainder when it
//! rounds.
//!

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::word::Quotient;
use crate::base::Planted;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::float::digits::Digits;
use crate::float::divide_start::DivideStart;
use crate::float::pack::Pack;
use crate::float::unpack_normal::UnpackNormal;
use crate::ports::{DivisionStepOut, UnpackedOut};

/// Cycles from the one in which a request comes to the idle block to the one in which its response
/// is valid.
pub const DIVIDE_LATENCY: usize = 21;
/// Cycles between the responses to requests without a pause, if they are taken at once.
pub const DIVIDE_INTERVAL: usize = 15;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct Divide {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// There is a request; it stays until it is taken.
    pub req_valid: Signal<In, bool>,
    /// The request is taken in this cycle.
    pub req_ready: Signal<Out, bool>,
    /// Square roots of `a0` to `a3`, else quotients.
    pub root: Signal<In, bool>,
    /// Active lanes.
    pub mask: Signal<In, Bits<4>>,
    /// Dividend or radicand of each lane.
    pub a0: Signal<In, Bits<32>>,
    /// Dividend or radicand of lane 1.
    pub a1: Signal<In, Bits<32>>,
    /// Dividend or radicand of lane 2.
    pub a2: Signal<In, Bits<32>>,
    /// Dividend or radicand of lane 3.
    pub a3: Signal<In, Bits<32>>,
    /// Divisor of each lane.
    pub b0: Signal<In, Bits<32>>,
    /// Divisor of lane 1.
    pub b1: Signal<In, Bits<32>>,
    /// Divisor of lane 2.
    pub b2: Signal<In, Bits<32>>,
    /// Divisor of lane 3.
    pub b3: Signal<In, Bits<32>>,
    /// There is a response; it stays until it is taken.
    pub rsp_valid: Signal<Out, bool>,
    /// The response is taken in this cycle if there is one.
    pub rsp_ready: Signal<In, bool>,
    /// Result of each lane, +0 of an inactive one.
    pub value0: Signal<Out, Bits<32>>,
    /// Result of lane 1, +0 if inactive.
    pub value1: Signal<Out, Bits<32>>,
    /// Result of lane 2, +0 if inactive.
    pub value2: Signal<Out, Bits<32>>,
    /// Result of lane 3, +0 if inactive.
    pub value3: Signal<Out, Bits<32>>,
    unpack_a: UnpackNormal,
    unpack_b: UnpackNormal,
    front: DivideStart,
    recurrence: Vec<Digits>,
    pack: Pack,
    /// Where lane 0 is: 0 not there (or entering), 15 done and waiting, else the cycle of the table
    /// above.
    phase: DFF<Bits<4>>,
    root1: DFF<bool>,
    root2: DFF<bool>,
    active1: DFF<bool>,
    active2: DFF<bool>,
    /// Element k: lane k + 1 enters its recurrence.
    load_r: Vec<DFF<bool>>,
    /// Element k: lane k + 1 calculates digits.
    step_r: Vec<DFF<bool>>,
    /// Element k: lane 0 left its recurrence k + 1 cycles ago.
    leave_r: Vec<DFF<bool>>,
    valid: DFF<bool>,
    value0_r: DFF<Bits<32>>,
    value1_r: DFF<Bits<32>>,
    value2_r: DFF<Bits<32>>,
    value3_r: DFF<Bits<32>>,
    idle: Signal<Local, bool>,
    done: Signal<Local, bool>,
    leave: Signal<Local, bool>,
    lane: Signal<Local, Bits<2>>,
    a: Signal<Local, Bits<32>>,
    b: Signal<Local, Bits<32>>,
    active: Signal<Local, bool>,
    load: Signal<Local, bool>,
    step: Signal<Local, bool>,
    leaving: Signal<Local, Bits<2>>,
    digits: Signal<Local, Bits<24>>,
    kind: Signal<Local, Bits<4>>,
    fault_divide_sticky: Planted,
    _lanes: usize,
    _delays: usize,
    _active: bool,
}

impl Divide {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        let flags = |n: usize| (0..n).map(|_| DFF::default()).collect();
        Self {
            recurrence: (0..4).map(|_| Digits::new(config)).collect(),
            pack: Pack::new(config),
            load_r: flags(3),
            step_r: flags(3),
            leave_r: flags(5),
            fault_divide_sticky: Planted::new(config.has(Fault::DivideSticky)),
            _lanes: 4,
            _delays: 5,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl Divide {
    /// The phase says where lane 0 is, and the others follow it.
    fn control(&mut self) {
        comment!("module: float_divide");
        dff_setup!(self, clock, phase, root1, root2, active1, active2, valid, value0_r, value1_r, value2_r, value3_r);
        clock!(self, clock, unpack_a, unpack_b, pack);
        for i in 0..self._lanes {
            clock!(self, clock, recurrence[i]);
        }
        // Control: lane 0 here, the others one cycle later each.
        self.idle.next = !self.phase.q.val().any();
        self.done.next = self.phase.q.val().all();
        self.leave.next = self.done.val() && (!self.valid.q.val() || self.rsp_ready.val());
        if (self.idle.val() || self.leave.val()) && self.req_valid.val() {
            self.phase.d.next = bits::<4>(1);
        } else if self.leave.val() {
            self.phase.d.next = bits::<4>(0);
        } else if !self.idle.val() && !self.done.val() {
            self.phase.d.next = self.phase.q.val() + bits::<4>(1);
        }
        self.req_ready.next = self.phase.q.val() == bits::<4>(3);
        self.load.next = self.phase.q.val() == bits::<4>(2);
        self.step.next = (self.phase.q.val() >= bits::<4>(3)) && !self.done.val();
        for i in 0..3 {
            self.load_r[i].clock.next = self.clock.val();
            self.step_r[i].clock.next = self.clock.val();
        }
        self.load_r[0].d.next = self.load.val();
        self.step_r[0].d.next = self.step.val();
        for i in 1..3 {
            self.load_r[i].d.next = self.load_r[i - 1].q.val();
            self.step_r[i].d.next = self.step_r[i - 1].q.val();
        }
    }

    /// One lane in each cycle is unpacked and gets its leading digit.
    fn front(&mut self) {
        self.lane.next = bit_cast::<2, 4>(self.phase.q.val());
        if self.done.val() {
            self.lane.next = bits::<2>(0);
        }
        self.a.next = self.a0.val();
        self.b.next = self.b0.val();
        self.active.next = self.mask.val().get_bit(0);
        if self.lane.val() == bits::<2>(1) {
            self.a.next = self.a1.val();
            self.b.next = self.b1.val();
            self.active.next = self.mask.val().get_bit(1);
        } else if self.lane.val() == bits::<2>(2) {
            self.a.next = self.a2.val();
            self.b.next = self.b2.val();
            self.active.next = self.mask.val().get_bit(2);
        } else if self.lane.val() == bits::<2>(3) {
            self.a.next = self.a3.val();
            self.b.next = self.b3.val();
            self.active.next = self.mask.val().get_bit(3);
        }
        self.unpack_a.word.next = self.a.val();
        self.unpack_b.word.next = self.b.val();
        self.root1.d.next = self.root.val();
        self.root2.d.next = self.root1.q.val();
        self.active1.d.next = self.active.val();
        self.active2.d.next = self.active1.q.val();
        self.front.root.next = self.root2.q.val();
        self.front.active.next = self.active2.q.val();
        UnpackedOut::join(&mut self.unpack_a.number_ports, &mut self.front.a);
        UnpackedOut::join(&mut self.unpack_b.number_ports, &mut self.front.b);
    }

    /// Each lane calculates digits in a recurrence of its own.
    fn recurrences(&mut self) {
        self.recurrence[0].load.next = self.load.val();
        self.recurrence[0].step.next = self.step.val();
        for i in 1..4 {
            self.recurrence[i].load.next = self.load_r[i - 1].q.val();
            self.recurrence[i].step.next = self.step_r[i - 1].q.val();
        }
        for i in 0..self._lanes {
            DivisionStepOut::join(&mut self.front.step_ports, &mut self.recurrence[i].step_ports);
        }
    }

    /// The lane that leaves its recurrence is rounded.
    fn rounding(&mut self) {
        for i in 0..self._delays {
            self.leave_r[i].clock.next = self.clock.val();
        }
        self.leave_r[0].d.next = self.leave.val();
        for i in 1..self._delays {
            self.leave_r[i].d.next = self.leave_r[i - 1].q.val();
        }
        self.leaving.next = bits::<2>(0);
        for i in 1..4 {
            if self.leave_r[i - 1].q.val() {
                self.leaving.next = i.to_bits::<2>();
            }
        }
        self.digits.next = self.recurrence[0].digits.val();
        self.kind.next = self.recurrence[0].kind_out.val();
        self.pack.exponent.next = self.recurrence[0].exponent_out.val();
        self.pack.sticky.next = self.recurrence[0].inexact.val();
        for i in 1..4 {
            if self.leaving.val() == i.to_bits::<2>() {
                self.digits.next = self.recurrence[i].digits.val();
                self.kind.next = self.recurrence[i].kind_out.val();
                self.pack.exponent.next = self.recurrence[i].exponent_out.val();
                self.pack.sticky.next = self.recurrence[i].inexact.val();
            }
        }
        if self.fault_divide_sticky.val() {
            self.pack.sticky.next = false;
        }
        self.pack.significand.next = bit_cast::<25, 24>(self.digits.val()) | bits::<25>(0x100_0000);
        self.pack.sign.next = self.kind.val().get_value_sign();
        self.pack.zero.next = self.kind.val().get_value_zero();
        self.pack.infinite.next = self.kind.val().get_value_infinite();
        self.pack.nan.next = self.kind.val().get_value_nan();
    }

    /// Values of the lanes are kept until the response is taken.
    fn response(&mut self) {
        if self.leave_r[1].q.val() {
            self.value0_r.d.next = self.pack.value.val();
        }
        if self.leave_r[2].q.val() {
            self.value1_r.d.next = self.pack.value.val();
        }
        if self.leave_r[3].q.val() {
            self.value2_r.d.next = self.pack.value.val();
        }
        if self.leave_r[4].q.val() {
            self.value3_r.d.next = self.pack.value.val();
        }
        self.valid.d.next = self.leave_r[4].q.val() || (self.valid.q.val() && !self.rsp_ready.val());
        self.rsp_valid.next = self.valid.q.val();
        self.value0.next = self.value0_r.q.val();
        self.value1.next = self.value1_r.q.val();
        self.value2.next = self.value2_r.q.val();
        self.value3.next = self.value3_r.q.val();
    }
}
