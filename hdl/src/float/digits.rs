//! Digit recurrence of one lane: 24 digits of a quotient or square root behind a leading digit of
//! 1, two in each cycle, restoring.
//!
//! Both operations keep one remainder and one trial subtrahend with 24 fraction bits. With q the
//! digits so far and w the weight of the next one, the remainder is r = (dividend - q * divisor) /
//! w and the subtrahend the divisor; or r = (radicand - q^2) / w and the subtrahend 2q + w. A digit
//! is 1 if the difference is not negative; then the difference, else the remainder, is doubled.
//! `place` is w as one set bit, and zero in a division, whose subtrahend so stays what it is.
//!
//! Invariant: r < 2 * divisor < 4, r < 4 * (q + w) < 8: three integer bits. A remainder left at the
//! end says that the result is not exact.
//!
//! Latency 12 cycles of `step` after `load`; result and remainder stay until the next load. It can
//! be wrong in the bits of 2q + w that two digits in one cycle change. Fault 42 loses the last
//! digit of a root.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::DivisionStepIn;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct Digits {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Takes the three values below and what is known of the result.
    pub load: Signal<In, bool>,
    /// Calculates two digits; not together with `load`.
    pub step: Signal<In, bool>,
    /// Where a division is.
    pub step_ports: DivisionStepIn,
    /// The 24 digits behind the leading one.
    pub digits: Signal<Out, Bits<24>>,
    /// The remainder is not zero.
    pub inexact: Signal<Out, bool>,
    /// `exponent` as loaded.
    pub exponent_out: Signal<Out, Bits<10>>,
    /// `kind` as loaded.
    pub kind_out: Signal<Out, Bits<4>>,
    remainder_r: DFF<Bits<27>>,
    subtrahend_r: DFF<Bits<26>>,
    place_r: DFF<Bits<24>>,
    digits_r: DFF<Bits<24>>,
    exponent_r: DFF<Bits<10>>,
    kind_r: DFF<Bits<4>>,
    first: Signal<Local, Bits<28>>,
    second: Signal<Local, Bits<28>>,
    first_rest: Signal<Local, Bits<27>>,
    second_rest: Signal<Local, Bits<27>>,
    between: Signal<Local, Bits<27>>,
    after: Signal<Local, Bits<27>>,
    /// 2q + w without w, then with the first digit.
    cleared: Signal<Local, Bits<26>>,
    digited: Signal<Local, Bits<26>>,
    /// The same with the next w: it is tried for the second digit.
    trial: Signal<Local, Bits<26>>,
    /// 2q + w for the next pair, without the second digit and with it.
    next_cleared: Signal<Local, Bits<26>>,
    next_trial: Signal<Local, Bits<26>>,
    here: Signal<Local, Bits<26>>,
    digit1: Signal<Local, bool>,
    digit2: Signal<Local, bool>,
    /// Digits with two places for new ones; with the first; with both.
    digits_moved: Signal<Local, Bits<24>>,
    digits_first: Signal<Local, Bits<24>>,
    pair: Signal<Local, Bits<24>>,
    fault_sqrt_rounding: Planted,
    _active: bool,
}

impl Digits {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        Self { fault_sqrt_rounding: Planted::new(config.has(Fault::SqrtRounding)), ..Default::default() }
    }
}

impl Logic for Digits {
    #[kernel]
    fn update(&mut self) {
        comment!("module: float_digits");
        dff_setup!(self, clock, remainder_r, subtrahend_r, place_r, digits_r, exponent_r, kind_r);
        // First digit. 2q + w has a 0 where the digit will stand doubled.
        self.first.next = bit_cast::<28, 27>(self.remainder_r.q.val()) - bit_cast::<28, 26>(self.subtrahend_r.q.val());
        self.first_rest.next = bit_cast::<27, 28>(self.first.val());
        self.digit1.next = !self.first.val().get_bit(27);
        self.between.next = self.remainder_r.q.val() << bits::<5>(1);
        if self.digit1.val() {
            self.between.next = self.first_rest.val() << bits::<5>(1);
        }
        // 2q + w with the new digit and the next w, then the same once more.
        self.here.next = bit_cast::<26, 24>(self.place_r.q.val());
        self.cleared.next = self.subtrahend_r.q.val() & !self.here.val();
        self.digited.next = self.cleared.val();
        if self.digit1.val() {
            self.digited.next = self.cleared.val() | (self.here.val() << bits::<5>(1));
        }
        self.trial.next = self.digited.val() | (self.here.val() >> bits::<5>(1));
        self.second.next = bit_cast::<28, 27>(self.between.val()) - bit_cast::<28, 26>(self.trial.val());
        self.second_rest.next = bit_cast::<27, 28>(self.second.val());
        self.digit2.next = !self.second.val().get_bit(27);
        if self.fault_sqrt_rounding.val() && self.place_r.q.val().get_bit(1) {
            self.digit2.next = false;
        }
        self.after.next = self.between.val() << bits::<5>(1);
        self.next_cleared.next = self.digited.val() | (self.here.val() >> bits::<5>(2));
        self.next_trial.next = self.next_cleared.val();
        self.digits_moved.next = self.digits_r.q.val() << bits::<5>(2);
        self.digits_first.next = self.digits_moved.val();
        if self.digit1.val() {
            self.digits_first.next = self.digits_moved.val() | bits::<24>(2);
        }
        self.pair.next = self.digits_first.val();
        if self.digit2.val() {
            self.after.next = self.second_rest.val() << bits::<5>(1);
            self.next_trial.next = self.next_cleared.val() | self.here.val();
            self.pair.next = self.digits_first.val() | bits::<24>(1);
        }
        if self.load.val() {
            self.remainder_r.d.next = self.step_ports.remainder.val();
            self.subtrahend_r.d.next = self.step_ports.subtrahend.val();
            self.place_r.d.next = self.step_ports.place.val();
            self.exponent_r.d.next = self.step_ports.exponent.val();
            self.kind_r.d.next = self.step_ports.kind.val();
        } else if self.step.val() {
            self.remainder_r.d.next = self.after.val();
            self.subtrahend_r.d.next = self.next_trial.val();
            self.place_r.d.next = self.place_r.q.val() >> bits::<5>(2);
            self.digits_r.d.next = self.pair.val();
        }
        self.digits.next = self.digits_r.q.val();
        self.inexact.next = self.remainder_r.q.val().any();
        self.exponent_out.next = self.exponent_r.q.val();
        self.kind_out.next = self.kind_r.q.val();
    }
}
