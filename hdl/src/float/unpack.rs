//! An f32 taken apart: exponent (1 for zeros and subnormals, whose hidden bit is 0) and significand
//! with its hidden bit, and what it is. Combinational.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::word::FloatWord;
use crate::comment;

/// The fields of one f32; the value of a finite one is significand * 2^(exponent - 150).
#[derive(Default, QuietBlock)]
pub struct Unpack {
    /// The f32.
    pub word: Signal<In, Bits<32>>,
    /// Biased exponent; 1 for zeros and subnormals.
    pub exponent: Signal<Out, Bits<10>>,
    /// Significand with its hidden bit.
    pub significand: Signal<Out, Bits<24>>,
    /// It is a zero.
    pub zero: Signal<Out, bool>,
    /// It is an infinity.
    pub infinite: Signal<Out, bool>,
    /// It is a NaN.
    pub nan: Signal<Out, bool>,
    field: Signal<Local, Bits<8>>,
    fraction: Signal<Local, Bits<23>>,
    _active: bool,
}

impl Logic for Unpack {
    #[kernel]
    fn update(&mut self) {
        comment!("module: float_unpack");
        self.field.next = self.word.val().get_value_exponent_field();
        self.fraction.next = self.word.val().get_value_fraction();
        self.exponent.next = bits::<10>(1);
        self.significand.next = bit_cast::<24, 23>(self.fraction.val());
        if self.field.val().any() {
            self.exponent.next = bit_cast::<10, 8>(self.field.val());
            self.significand.next = bit_cast::<24, 23>(self.fraction.val()) | bits::<24>(0x80_0000);
        }
        self.zero.next = !self.field.val().any() && !self.fraction.val().any();
        self.infinite.next = self.field.val().all() && !self.fraction.val().any();
        self.nan.next = self.field.val().all() && self.fraction.val().any();
    }
}
