//! An f32 rounded to an integral f32: below, above, towards zero, or nearest with ties to even. The
//! fraction's bits are cut off the word and, to round away from zero, one unit is added to it; the
//! carry runs into the exponent, which is right there too. A zero result keeps the sign.
//!
//! Combinational, in the first stage of a lane, because FFRACT subtracts the result from the
//! operand in the stages behind. It can be wrong below 1, where the exponent is not that of the
//! unit (the cases of magnitude 1/2 and less), and in a tie's odd bit, which is the hidden bit of
//! numbers from 1 to 2: the lowest bit of the exponent field 127 stands for it. Fault 6 rounds ties
//! up.
//!
//! Latency and throughput are the lane's: 5 cycles, one per cycle.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::word::FloatWord;
use crate::base::Planted;
use crate::cell::Route;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// Rounding to an integral value.
#[derive(QuietBlock)]
pub struct Integral {
    /// The f32.
    pub word: Signal<In, Bits<32>>,
    /// Which rounding: `Floor`, `Ceil`, `RoundEven` or `Fraction` (as `Floor`) of [`Route`]; any
    /// other truncates.
    pub route: Signal<In, Route>,
    /// The integral f32.
    pub value: Signal<Out, Bits<32>>,
    magnitude: Signal<Local, Bits<32>>,
    field: Signal<Local, Bits<8>>,
    distance: Signal<Local, Bits<8>>,
    /// The bit of weight 1/2.
    half: Signal<Local, Bits<32>>,
    /// The bit of weight 1.
    unit: Signal<Local, Bits<32>>,
    /// What rounding away from zero adds: the unit, or nothing.
    increment: Signal<Local, Bits<32>>,
    /// The bit of weight 1/2 and all above it.
    above: Signal<Local, Bits<32>>,
    truncated: Signal<Local, Bits<32>>,
    odd: Signal<Local, bool>,
    guard: Signal<Local, bool>,
    sticky: Signal<Local, bool>,
    negative: Signal<Local, bool>,
    up: Signal<Local, bool>,
    one_bit: Constant<Bits<32>>,
    ones: Constant<Bits<32>>,
    magnitude_mask: Constant<Bits<32>>,
    sign_bit: Constant<Bits<32>>,
    one: Constant<Bits<32>>,
    quiet_nan: Constant<Bits<32>>,
    fault_integral_tie: Planted,
    _active: bool,
}

impl Integral {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            word: Signal::default(),
            route: Signal::default(),
            value: Signal::default(),
            magnitude: Signal::default(),
            field: Signal::default(),
            distance: Signal::default(),
            half: Signal::default(),
            unit: Signal::default(),
            increment: Signal::default(),
            above: Signal::default(),
            truncated: Signal::default(),
            odd: Signal::default(),
            guard: Signal::default(),
            sticky: Signal::default(),
            negative: Signal::default(),
            up: Signal::default(),
            one_bit: Constant::new(bits(1)),
            ones: Constant::new(bits(0xFFFF_FFFF)),
            magnitude_mask: Constant::new(bits(0x7FFF_FFFF)),
            sign_bit: Constant::new(bits(0x8000_0000)),
            one: Constant::new(bits(0x3F80_0000)),
            quiet_nan: Constant::new(bits(0x7FC0_0000)),
            fault_integral_tie: Planted::new(config.has(Fault::IntegralTie)),
            _active: true,
        }
    }
}

impl Logic for Integral {
    #[kernel]
    fn update(&mut self) {
        comment!("module: float_integral");
        self.magnitude.next = self.word.val() & self.magnitude_mask.val();
        self.negative.next = self.word.val().get_value_sign();
        self.field.next = self.word.val().get_value_exponent_field();
        // From 1 (field 127) to below 2^23 (149) the bit of weight 1/2 is bit 149 - field of the
        // word, 0 to 22.
        self.distance.next = bits::<8>(149) - self.field.val();
        self.half.next = self.one_bit.val() << bit_cast::<5, 8>(self.distance.val());
        self.unit.next = self.half.val() << bits::<1>(1);
        self.above.next = self.ones.val() << bit_cast::<5, 8>(self.distance.val());
        self.increment.next = self.unit.val();
        self.odd.next = (self.magnitude.val() & self.unit.val()).any();
        self.guard.next = (self.magnitude.val() & self.half.val()).any();
        self.sticky.next = (self.magnitude.val() & !self.above.val()).any();
        self.truncated.next = self.magnitude.val() & (self.above.val() << bits::<1>(1));
        if self.field.val() < bits::<8>(127) {
            // Below 1: the unit is the word 1.0, and 1/2 (field 126) and more is the guard bit.
            self.increment.next = self.one.val();
            self.odd.next = false;
            self.guard.next = self.field.val() == bits::<8>(126);
            self.sticky.next = self.magnitude.val().any();
            if self.guard.val() {
                self.sticky.next = self.word.val().get_value_fraction().any();
            }
            self.truncated.next = bits::<32>(0);
        }
        self.up.next = false;
        match self.route.val() {
            Route::Floor => self.up.next = self.negative.val() && (self.guard.val() || self.sticky.val()),
            Route::Fraction => self.up.next = self.negative.val() && (self.guard.val() || self.sticky.val()),
            Route::Ceil => self.up.next = !self.negative.val() && (self.guard.val() || self.sticky.val()),
            Route::RoundEven => {
                self.up.next = self.guard.val() && (self.sticky.val() || self.odd.val());
                if self.fault_integral_tie.val() {
                    self.up.next = self.guard.val() && (self.sticky.val() || !self.negative.val());
                }
            }
            _ => {}
        }
        if !self.up.val() {
            self.increment.next = bits::<32>(0);
        }
        self.value.next = (self.truncated.val() + self.increment.val()) | (self.word.val() & self.sign_bit.val());
        if self.field.val().all() && self.word.val().get_value_fraction().any() {
            self.value.next = self.quiet_nan.val();
        } else if self.field.val() >= bits::<8>(150) {
            self.value.next = self.word.val();
        }
    }
}
