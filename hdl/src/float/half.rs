//! An f32 rounded to a half-precision number: nearest, ties to even, subnormals kept, overflow
//! (from 65520 on) to infinity, a NaN to `7E00`.
//!
//! Combinational; a lane has two, in its second stage. The significand is shifted right to f16's
//! last place, 13 bits for normal results and up to 24 for subnormal ones; the carry of the
//! rounding makes the next binade, the smallest normal number and infinity by itself. It can be
//! wrong in what the shift loses and at 2^-25, the tie between zero and the smallest subnormal.
//! Fault 7 loses the sticky bits of subnormal results.
//!
//! Latency and throughput are the lane's: 5 cycles, one per cycle.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::word::FloatWord;
use crate::base::Planted;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// f32 to f16.
#[derive(QuietBlock)]
pub struct ToHalf {
    /// The f32.
    pub word: Signal<In, Bits<32>>,
    /// The f16.
    pub value: Signal<Out, Bits<16>>,
    field: Signal<Local, Bits<8>>,
    fraction: Signal<Local, Bits<23>>,
    significand: Signal<Local, Bits<32>>,
    /// Biased exponent of the result; 0 for subnormals.
    exponent: Signal<Local, Bits<8>>,
    distance: Signal<Local, Bits<8>>,
    /// Bits below the guard bit.
    amount: Signal<Local, Bits<5>>,
    /// Fraction of the result with the guard bit behind it.
    kept: Signal<Local, Bits<11>>,
    lost: Signal<Local, Bits<32>>,
    sticky: Signal<Local, bool>,
    fraction10: Signal<Local, Bits<10>>,
    /// Exponent and fraction before rounding, and after it.
    unrounded: Signal<Local, Bits<16>>,
    magnitude: Signal<Local, Bits<16>>,
    ones: Constant<Bits<32>>,
    fault_f16_subnormal: Planted,
    _active: bool,
}

impl ToHalf {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            word: Signal::default(),
            value: Signal::default(),
            field: Signal::default(),
            fraction: Signal::default(),
            significand: Signal::default(),
            exponent: Signal::default(),
            distance: Signal::default(),
            amount: Signal::default(),
            kept: Signal::default(),
            lost: Signal::default(),
            sticky: Signal::default(),
            fraction10: Signal::default(),
            magnitude: Signal::default(),
            unrounded: Signal::default(),
            ones: Constant::new(bits(0xFFFF_FFFF)),
            fault_f16_subnormal: Planted::new(config.has(Fault::F16Subnormal)),
            _active: true,
        }
    }
}

impl Logic for ToHalf {
    #[kernel]
    fn update(&mut self) {
        comment!("module: float_to_half");
        self.field.next = self.word.val().get_value_exponent_field();
        self.fraction.next = self.word.val().get_value_fraction();
        // With the hidden bit; subnormals of f32 need none, all that is shifted out of them is
        // below a quarter of f16's last place.
        self.significand.next = bit_cast::<32, 23>(self.fraction.val()) | bits::<32>(0x80_0000);
        // f16's smallest normal number 2^-14 has field 113; its last place 2^-24 then lies 13 bits
        // above f32's, one more for each field below.
        self.exponent.next = bits::<8>(0);
        self.distance.next = bits::<8>(125) - self.field.val();
        self.amount.next = bit_cast::<5, 8>(self.distance.val());
        if self.field.val() >= bits::<8>(113) {
            self.exponent.next = self.field.val() - bits::<8>(112);
            self.amount.next = bits::<5>(12);
        } else if self.field.val() < bits::<8>(102) {
            self.amount.next = bits::<5>(24);
        }
        self.kept.next = bit_cast::<11, 32>(self.significand.val() >> self.amount.val());
        self.lost.next = self.significand.val() & !(self.ones.val() << self.amount.val());
        self.sticky.next = self.lost.val().any();
        if self.fault_f16_subnormal.val() && (self.field.val() < bits::<8>(113)) {
            self.sticky.next = false;
        }
        // Without the hidden bit, which the exponent stands for.
        self.fraction10.next = self.kept.val().get_bits::<10>(1);
        self.unrounded.next =
            (bit_cast::<16, 8>(self.exponent.val()) << bits::<4>(10)) | bit_cast::<16, 10>(self.fraction10.val());
        self.magnitude.next = self.unrounded.val();
        if self.kept.val().get_bit(0) && (self.sticky.val() || self.kept.val().get_bit(1)) {
            self.magnitude.next = self.unrounded.val() + bits::<16>(1);
        }
        if self.field.val() >= bits::<8>(143) {
            self.magnitude.next = bits::<16>(0x7C00);
        }
        if self.field.val().all() && self.fraction.val().any() {
            self.value.next = bits::<16>(0x7E00);
        } else if self.word.val().get_value_sign() {
            self.value.next = self.magnitude.val() | bits::<16>(0x8000);
        } else {
            self.value.next = self.magnitude.val();
        }
    }
}
