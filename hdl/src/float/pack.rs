//! The other end of [`crate::float::unpack_normal`]: sign, exponent and a significand with guard
//! and sticky bit become an f32, round to nearest even, with gradual underflow rounded once, and
//! overflow to infinity.
//!
//! Latency 2, one result per cycle, no stall: one stage shifts subnormals and puts the word
//! together, the other is [`Round`]. It can be wrong at both ends of the exponents: a shift that
//! loses sticky bits, or the borders of the subnormals and of infinity, which the carry of the
//! rounding may cross. Fault 41 shifts a subnormal one place too few.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{Parameter, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::float::round::Round;

/// See the module documentation. Of `nan`, `infinite` and `zero` the first that is set decides.
#[derive(QuietBlock)]
pub struct Pack {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Sign of the result, zeros and infinities included.
    pub sign: Signal<In, bool>,
    /// Exponent of the leading one, two's complement, -512 to 385.
    pub exponent: Signal<In, Bits<10>>,
    /// Magnitude: bit 24 is the leading one and must be set, bit 1 the last place of a normal
    /// number, bit 0 the guard bit.
    pub significand: Signal<In, Bits<25>>,
    /// The magnitude has more below bit 0.
    pub sticky: Signal<In, bool>,
    /// The result is a zero.
    pub zero: Signal<In, bool>,
    /// The result is an infinity.
    pub infinite: Signal<In, bool>,
    /// The result is the NaN.
    pub nan: Signal<In, bool>,
    /// The f32.
    pub value: Signal<Out, Bits<32>>,
    round: Round,
    unrounded_r: DFF<Bits<32>>,
    guard_r: DFF<bool>,
    sticky_r: DFF<bool>,
    subnormal: Signal<Local, bool>,
    places: Signal<Local, Bits<10>>,
    amount: Signal<Local, Bits<5>>,
    /// The significand after the shift by 16 places, by 8, 4, 2 and 1.
    shifted16: Signal<Local, Bits<25>>,
    shifted8: Signal<Local, Bits<25>>,
    shifted4: Signal<Local, Bits<25>>,
    shifted2: Signal<Local, Bits<25>>,
    shifted: Signal<Local, Bits<25>>,
    /// Some bit was lost until then.
    lost16: Signal<Local, bool>,
    lost8: Signal<Local, bool>,
    lost4: Signal<Local, bool>,
    lost2: Signal<Local, bool>,
    lost: Signal<Local, bool>,
    biased: Signal<Local, Bits<10>>,
    fraction: Signal<Local, Bits<23>>,
    magnitude: Signal<Local, Bits<32>>,
    negative: Signal<Local, bool>,
    exact: Signal<Local, bool>,
    sign_bit: Parameter<32>,
    infinity: Parameter<32>,
    quiet_nan: Parameter<32>,
    fault_divide_subnormal: Planted,
    _active: bool,
}

impl Pack {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            clock: Signal::default(),
            sign: Signal::default(),
            exponent: Signal::default(),
            significand: Signal::default(),
            sticky: Signal::default(),
            zero: Signal::default(),
            infinite: Signal::default(),
            nan: Signal::default(),
            value: Signal::default(),
            round: Round::new(config),
            unrounded_r: DFF::default(),
            guard_r: DFF::default(),
            sticky_r: DFF::default(),
            subnormal: Signal::default(),
            places: Signal::default(),
            amount: Signal::default(),
            shifted: Signal::default(),
            shifted16: Signal::default(),
            shifted8: Signal::default(),
            shifted4: Signal::default(),
            shifted2: Signal::default(),
            lost: Signal::default(),
            lost16: Signal::default(),
            lost8: Signal::default(),
            lost4: Signal::default(),
            lost2: Signal::default(),
            biased: Signal::default(),
            fraction: Signal::default(),
            magnitude: Signal::default(),
            negative: Signal::default(),
            exact: Signal::default(),
            sign_bit: Parameter::new(0x8000_0000),
            infinity: Parameter::new(0x7F80_0000),
            quiet_nan: Parameter::new(0x7FC0_0000),
            fault_divide_subnormal: Planted::new(config.has(Fault::DivideSubnormal)),
            _active: true,
        }
    }
}

/// Without a planted fault.
impl Default for Pack {
    fn default() -> Self {
        Self::new(&GpuConfig::default())
    }
}

#[kernel]
impl Pack {
    /// The exponent says whether the result is subnormal, and by how many places.
    fn exponent(&mut self) {
        comment!("module: float_pack");
        dff_setup!(self, clock, unrounded_r, guard_r, sticky_r);
        clock!(self, clock, round);
        // 898 = 1024 - 126: the places by which the leading one misses the smallest normal
        // exponent, negative (bit 9) above it.
        self.places.next = bits::<10>(898) - self.exponent.val();
        // The exponent is below -126: negative, and at least one place misses.
        self.subnormal.next = self.exponent.val().get_bit(9) && (self.exponent.val() < bits::<10>(898));
        self.biased.next = self.exponent.val() + bits::<10>(127);
        self.amount.next = bits::<5>(0);
        if self.subnormal.val() {
            if self.fault_divide_subnormal.val() {
                self.places.next = bits::<10>(897) - self.exponent.val();
            }
            self.biased.next = bits::<10>(0);
            // 31 is enough to make everything sticky.
            self.amount.next = bit_cast::<5, 10>(self.places.val());
            if self.places.val().get_bits::<5>(5).any() {
                self.amount.next = bits::<5>(31);
            }
        }
    }

    /// A subnormal is shifted, and what is lost makes it sticky.
    fn shift(&mut self) {
        self.shifted16.next = self.significand.val();
        self.lost16.next = self.sticky.val();
        if self.amount.val().get_bit(4) {
            self.shifted16.next = self.significand.val() >> bits::<5>(16);
            self.lost16.next = self.sticky.val() || self.significand.val().get_bits::<16>(0).any();
        }
        self.shifted8.next = self.shifted16.val();
        self.lost8.next = self.lost16.val();
        if self.amount.val().get_bit(3) {
            self.shifted8.next = self.shifted16.val() >> bits::<5>(8);
            self.lost8.next = self.lost16.val() || self.shifted16.val().get_bits::<8>(0).any();
        }
        self.shifted4.next = self.shifted8.val();
        self.lost4.next = self.lost8.val();
        if self.amount.val().get_bit(2) {
            self.shifted4.next = self.shifted8.val() >> bits::<5>(4);
            self.lost4.next = self.lost8.val() || self.shifted8.val().get_bits::<4>(0).any();
        }
        self.shifted2.next = self.shifted4.val();
        self.lost2.next = self.lost4.val();
        if self.amount.val().get_bit(1) {
            self.shifted2.next = self.shifted4.val() >> bits::<5>(2);
            self.lost2.next = self.lost4.val() || self.shifted4.val().get_bits::<2>(0).any();
        }
        self.shifted.next = self.shifted2.val();
        self.lost.next = self.lost2.val();
        if self.amount.val().get_bit(0) {
            self.shifted.next = self.shifted2.val() >> bits::<5>(1);
            self.lost.next = self.lost2.val() || self.shifted2.val().get_bit(0);
        }
    }

    /// Sign, exponent and fraction become a word, which is rounded.
    fn assembly(&mut self) {
        // The exponent counts the leading one, so that it is left out here.
        self.fraction.next = self.shifted.val().get_bits::<23>(1);
        self.magnitude.next =
            (bit_cast::<32, 10>(self.biased.val()) << bits::<5>(23)) | bit_cast::<32, 23>(self.fraction.val());
        self.negative.next = self.sign.val();
        self.exact.next = false;
        if self.nan.val() {
            self.magnitude.next = self.quiet_nan.val();
            self.negative.next = false;
            self.exact.next = true;
        } else if self.infinite.val() {
            self.magnitude.next = self.infinity.val();
            self.exact.next = true;
        } else if self.zero.val() {
            self.magnitude.next = bits::<32>(0);
            self.exact.next = true;
        } else if !self.exponent.val().get_bit(9) && self.exponent.val().get_bits::<2>(7).any() {
            // 128 and above.
            self.magnitude.next = self.infinity.val();
            self.exact.next = true;
        }
        self.unrounded_r.d.next = self.magnitude.val();
        if self.negative.val() {
            self.unrounded_r.d.next = self.magnitude.val() | self.sign_bit.val();
        }
        self.guard_r.d.next = self.shifted.val().get_bit(0) && !self.exact.val();
        self.sticky_r.d.next = self.lost.val() && !self.exact.val();
        self.round.rounding_ports.unrounded.next = self.unrounded_r.q.val();
        self.round.rounding_ports.guard.next = self.guard_r.q.val();
        self.round.sticky.next = self.sticky_r.q.val();
        self.round.rounded.next = true;
        self.round.bypass.next = bits::<32>(0);
        self.value.next = self.round.value.val();
    }
}
