//! Set-up of a triangle, second part: both gradients of depth and 1 / S (docs/graphics.md,
//! "Depth"), 57 cycles for a triangle.
//!
//! A gradient is floor(2^18 N / S). Below zero its digits are those of (2^18 (-N) - 1) / S turned
//! over, which needs neither a carry nor a look at the rest: -N - 1 is N turned over, and the 18
//! digits that follow are ones. A gradient has 50 bits with sign if and only if the dividend so far
//! is below 2^49 S. That is a comparison before the division, so that 50 digits are enough, of
//! which the first is 0. If one of both has more bits both become 0.
//!
//! Both divisions go side by side, a digit per cycle. What is the greater one for the bias of depth
//! is seen from the first digits that differ. Meanwhile S becomes a float, and that is inverted.
//!
//! It can be wrong in the range check at its end, which is exact, and in the count of digits.
//!
//! Planted faults: `geometry-gradient`, `geometry-quotient`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::cells::{DivideStep, SteepestSize};
use super::reciprocal::Reciprocal;
use crate::base::Planted;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::FloatAskOut;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct GeometryGradient {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// No triangle is here.
    pub ready: Signal<Out, bool>,
    /// A triangle comes.
    pub start: Signal<In, bool>,
    /// Twice its area, 1 and more.
    pub area: Signal<In, Bits<46>>,
    /// Its context.
    pub context: Signal<In, Bits<4>>,
    /// A numerator, with sign.
    pub numerator: Signal<In, Bits<55>>,
    /// It is that along x.
    pub numerator_x: Signal<In, bool>,
    /// That along y: both divisions begin.
    pub numerator_y: Signal<In, bool>,
    /// Request to the float unit.
    pub float_req: FloatAskOut,
    /// A result of the float unit is valid.
    pub float_rsp_valid: Signal<In, bool>,
    /// The result.
    pub float_rsp: Signal<In, Bits<32>>,
    /// All is known; it stays until it is taken.
    pub done_valid: Signal<Out, bool>,
    /// It is taken in this cycle if valid.
    pub done_ready: Signal<In, bool>,
    /// Context of the triangle.
    pub done_context: Signal<Out, Bits<4>>,
    /// Gradient along x, with sign.
    pub gx: Signal<Out, Bits<50>>,
    /// Along y.
    pub gy: Signal<Out, Bits<50>>,
    /// Magnitude of the greater one.
    pub steepest: Signal<Out, Bits<50>>,
    /// 1 / S.
    pub inverse: Signal<Out, Bits<32>>,
    step_x: DivideStep,
    step_y: DivideStep,
    reciprocal: Reciprocal,
    greater: SteepestSize,
    busy: DFF<bool>,
    context_r: DFF<Bits<4>>,
    divisor: DFF<Bits<46>>,
    // Dividends: what is left, and the digits to come.
    rest_x: DFF<Bits<46>>,
    rest_y: DFF<Bits<46>>,
    digits_x: DFF<Bits<32>>,
    digits_y: DFF<Bits<32>>,
    negative_x: DFF<bool>,
    negative_y: DFF<bool>,
    fits: DFF<bool>,
    running: DFF<bool>,
    left: DFF<Bits<6>>,
    quotient_x: DFF<Bits<50>>,
    quotient_y: DFF<Bits<50>>,
    // The first digits that differ have been, and say that the one along y is the greater.
    differ: DFF<bool>,
    second: DFF<bool>,
    complete: DFF<bool>,
    requesting: DFF<bool>,
    waiting: DFF<bool>,
    inverting: DFF<Bits<4>>,
    positive: Signal<Local, Bits<55>>,
    high: Signal<Local, Bits<46>>,
    in_range: Signal<Local, bool>,
    turned: Signal<Local, bool>,
    ones: Signal<Local, Bits<55>>,
    one_x: Signal<Local, Bits<50>>,
    one_y: Signal<Local, Bits<50>>,
    more: Signal<Local, bool>,
    fault_geometry_gradient: Planted,
    fault_geometry_quotient: Planted,
    _active: bool,
}

impl GeometryGradient {
    /// At rest, with that configuration's planted faults.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            reciprocal: Reciprocal::new(config),
            fault_geometry_gradient: Planted::new(config.has(Fault::GeometryGradient)),
            fault_geometry_quotient: Planted::new(config.has(Fault::GeometryQuotient)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl GeometryGradient {
    /// A numerator below zero is turned over, and its range is checked.
    fn numerator(&mut self) {
        comment!("module: geometry_gradient");
        dff_setup!(self, clock, busy, context_r, divisor, rest_x, rest_y, digits_x, digits_y, negative_x, negative_y);
        dff_setup!(
            self, clock, fits, running, left, quotient_x, quotient_y, differ, second, complete, requesting, waiting
        );
        dff_setup!(self, clock, inverting);
        clock!(self, clock, reciprocal);
        // A numerator that is below zero is turned over. Its upper bits are the first remainder.
        self.ones.next = bits::<55>(0) - bits::<55>(1);
        self.turned.next = self.numerator.val().get_bit(54);
        self.positive.next = self.numerator.val();
        if self.turned.val() {
            self.positive.next = self.numerator.val() ^ self.ones.val();
        }
        self.high.next = bit_cast::<46, 24>(self.positive.val().get_bits::<24>(31));
        self.in_range.next = self.high.val() < self.divisor.q.val();
    }

    /// Both divisions go on by a digit per cycle.
    fn digits(&mut self) {
        self.step_x.remainder.next = self.rest_x.q.val();
        self.step_x.digit.next = self.digits_x.q.val().get_bit(31);
        self.step_x.divisor.next = self.divisor.q.val();
        self.step_y.remainder.next = self.rest_y.q.val();
        self.step_y.digit.next = self.digits_y.q.val().get_bit(31);
        self.step_y.divisor.next = self.divisor.q.val();
        self.one_x.next = bits::<50>(0);
        if (self.step_x.quotient.val() ^ self.negative_x.q.val()) && self.fits.q.val() {
            self.one_x.next = bits::<50>(1);
        }
        self.one_y.next = bits::<50>(0);
        if (self.step_y.quotient.val() ^ self.negative_y.q.val()) && self.fits.q.val() {
            self.one_y.next = bits::<50>(1);
        }
        if self.running.q.val() {
            self.left.d.next = self.left.q.val() - bits::<6>(1);
            self.rest_x.d.next = self.step_x.rest.val();
            self.rest_y.d.next = self.step_y.rest.val();
            self.digits_x.d.next = self.digits_x.q.val() << bits::<32>(1);
            if self.negative_x.q.val() {
                self.digits_x.d.next = (self.digits_x.q.val() << bits::<32>(1)) | bits::<32>(1);
            }
            self.digits_y.d.next = self.digits_y.q.val() << bits::<32>(1);
            if self.negative_y.q.val() {
                self.digits_y.d.next = (self.digits_y.q.val() << bits::<32>(1)) | bits::<32>(1);
            }
            self.quotient_x.d.next = (self.quotient_x.q.val() << bits::<50>(1)) | self.one_x.val();
            self.quotient_y.d.next = (self.quotient_y.q.val() << bits::<50>(1)) | self.one_y.val();
            if (self.step_x.quotient.val() ^ self.step_y.quotient.val()) && !self.differ.q.val() {
                self.differ.d.next = true;
                self.second.d.next = self.step_y.quotient.val();
            }
            if (self.left.q.val() == bits::<6>(1))
                || (self.fault_geometry_quotient.val() && (self.left.q.val() == bits::<6>(2)))
            {
                self.running.d.next = false;
                self.complete.d.next = true;
            }
        }
    }

    /// A numerator becomes a dividend; with that along y both divisions begin.
    fn dividends(&mut self) {
        if self.numerator_x.val() {
            self.rest_x.d.next = bit_cast::<46, 23>(self.positive.val().get_bits::<23>(32));
            self.digits_x.d.next = self.positive.val().get_bits::<32>(0);
            self.negative_x.d.next = self.turned.val();
            self.fits.d.next = self.in_range.val();
        }
        if self.numerator_y.val() {
            self.rest_y.d.next = bit_cast::<46, 23>(self.positive.val().get_bits::<23>(32));
            self.digits_y.d.next = self.positive.val().get_bits::<32>(0);
            self.negative_y.d.next = self.turned.val();
            self.fits.d.next = self.fits.q.val() && self.in_range.val();
            self.running.d.next = true;
            self.left.d.next = bits::<6>(50);
            self.differ.d.next = false;
            self.second.d.next = false;
        }
    }

    /// The digits that differ first say which gradient is the greater one.
    fn steepest(&mut self) {
        // Of equal digits the one below zero is greater by one; of others it does not matter.
        self.more.next =
            !self.differ.q.val() && self.fits.q.val() && self.negative_y.q.val() && !self.negative_x.q.val();
        self.greater.x.next = self.quotient_x.q.val();
        self.greater.y.next = self.quotient_y.q.val();
        self.greater.second.next = self.second.q.val();
        self.greater.more.next = self.more.val();
    }

    /// The float unit makes a float of S, and the reciprocal inverts it.
    fn inverse(&mut self) {
        self.float_req.valid.next = self.requesting.q.val();
        self.float_req.a.next = self.divisor.q.val().get_bits::<32>(0);
        self.float_req.b.next = bit_cast::<32, 14>(self.divisor.q.val().get_bits::<14>(32));
        self.float_req.c.next = bits::<32>(202);
        self.float_req.product.next = false;
        self.float_req.number.next = true;
        if self.float_req.ready.val() {
            self.requesting.d.next = false;
        }
        self.reciprocal.start.next = self.float_rsp_valid.val();
        self.reciprocal.operand.next = self.float_rsp.val();
        if self.inverting.q.val().any() {
            self.inverting.d.next = self.inverting.q.val() - bits::<4>(1);
        }
        if self.float_rsp_valid.val() {
            self.waiting.d.next = false;
            self.inverting.d.next = bits::<4>(15);
        }
    }

    /// A triangle is taken when the unit is idle, and given when all results are there.
    fn handshake(&mut self) {
        self.ready.next = !self.busy.q.val();
        if self.start.val() {
            self.busy.d.next = true;
            self.context_r.d.next = self.context.val();
            self.divisor.d.next = self.area.val();
            self.requesting.d.next = true;
            self.waiting.d.next = true;
            self.complete.d.next = false;
        }
        self.done_valid.next =
            self.busy.q.val() && self.complete.q.val() && !self.waiting.q.val() && !self.inverting.q.val().any();
        if self.busy.q.val()
            && self.complete.q.val()
            && !self.waiting.q.val()
            && !self.inverting.q.val().any()
            && self.done_ready.val()
        {
            self.busy.d.next = false;
        }
        self.done_context.next = self.context_r.q.val();
        self.gx.next = self.quotient_x.q.val();
        if self.fault_geometry_gradient.val() && self.negative_x.q.val() {
            self.gx.next = self.quotient_x.q.val() + bits::<50>(1);
        }
        self.gy.next = self.quotient_y.q.val();
        self.steepest.next = self.greater.size.val();
        self.inverse.next = self.reciprocal.value.val();
    }
}
