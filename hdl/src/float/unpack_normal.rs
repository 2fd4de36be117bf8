//! An f32 taken apart with its leading one at the top, subnormals too: for operations that go on
//! with the significand as a number in [1, 2).
//!
//! Latency 2, one operand per cycle, no stall. It can be wrong in the exponent of a subnormal (a
//! place for each leading zero) and in telling zero, infinity and NaN apart.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::word::FloatWord;
use crate::comment;
use crate::ports::UnpackedOut;

/// Sign, exponent and significand of one f32; a finite one that is not zero is significand *
/// 2^(exponent - 23).
#[derive(Default, QuietBlock)]
pub struct UnpackNormal {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// The f32.
    pub word: Signal<In, Bits<32>>,
    /// A number taken apart, its significand normalised.
    pub number_ports: UnpackedOut,
    field: Signal<Local, Bits<8>>,
    fraction: Signal<Local, Bits<23>>,
    coarse: Signal<Local, Bits<24>>,
    /// The significand after the shift by 4 places, by 2 and 1.
    fine4: Signal<Local, Bits<24>>,
    fine2: Signal<Local, Bits<24>>,
    fine: Signal<Local, Bits<24>>,
    /// Places that it was shifted by until then.
    places4: Signal<Local, Bits<10>>,
    places2: Signal<Local, Bits<10>>,
    places: Signal<Local, Bits<10>>,
    coarse_r: DFF<Bits<24>>,
    base_r: DFF<Bits<10>>,
    sign1_r: DFF<bool>,
    zero1_r: DFF<bool>,
    infinite1_r: DFF<bool>,
    nan1_r: DFF<bool>,
    exponent_r: DFF<Bits<10>>,
    significand_r: DFF<Bits<24>>,
    sign_r: DFF<bool>,
    zero_r: DFF<bool>,
    infinite_r: DFF<bool>,
    nan_r: DFF<bool>,
    _active: bool,
}

#[kernel]
impl UnpackNormal {
    /// The first stage takes the fields, and shifts a subnormal by 16 or 8 places.
    fn coarse_shift(&mut self) {
        comment!("module: float_unpack_normal");
        dff_setup!(
            self,
            clock,
            coarse_r,
            base_r,
            sign1_r,
            zero1_r,
            infinite1_r,
            nan1_r,
            exponent_r,
            significand_r,
            sign_r,
            zero_r,
            infinite_r,
            nan_r
        );
        // First stage: the fields; a subnormal is shifted by 16 or 8 places.
        self.field.next = self.word.val().get_value_exponent_field();
        self.fraction.next = self.word.val().get_value_fraction();
        self.coarse.next = bit_cast::<24, 23>(self.fraction.val());
        // 1024 - 126 - places.
        self.base_r.d.next = bits::<10>(898);
        if self.field.val().any() {
            self.coarse.next = bit_cast::<24, 23>(self.fraction.val()) | bits::<24>(0x80_0000);
            self.base_r.d.next = bit_cast::<10, 8>(self.field.val()) + bits::<10>(897);
        } else if !self.fraction.val().get_bits::<15>(8).any() {
            self.coarse.next = bit_cast::<24, 23>(self.fraction.val()) << bits::<5>(16);
            self.base_r.d.next = bits::<10>(882);
        } else if !self.fraction.val().get_bits::<7>(16).any() {
            self.coarse.next = bit_cast::<24, 23>(self.fraction.val()) << bits::<5>(8);
            self.base_r.d.next = bits::<10>(890);
        }
        self.coarse_r.d.next = self.coarse.val();
        self.sign1_r.d.next = self.word.val().get_value_sign();
        self.zero1_r.d.next = !self.field.val().any() && !self.fraction.val().any();
        self.infinite1_r.d.next = self.field.val().all() && !self.fraction.val().any();
        self.nan1_r.d.next = self.field.val().all() && self.fraction.val().any();
    }

    /// The second stage shifts by the other places.
    fn fine_shift(&mut self) {
        self.fine4.next = self.coarse_r.q.val();
        self.places4.next = bits::<10>(0);
        if !self.coarse_r.q.val().get_bits::<4>(20).any() {
            self.fine4.next = self.coarse_r.q.val() << bits::<5>(4);
            self.places4.next = bits::<10>(4);
        }
        self.fine2.next = self.fine4.val();
        self.places2.next = self.places4.val();
        if !self.fine4.val().get_bits::<2>(22).any() {
            self.fine2.next = self.fine4.val() << bits::<5>(2);
            self.places2.next = self.places4.val() | bits::<10>(2);
        }
        self.fine.next = self.fine2.val();
        self.places.next = self.places2.val();
        if !self.fine2.val().get_bit(23) {
            self.fine.next = self.fine2.val() << bits::<5>(1);
            self.places.next = self.places2.val() | bits::<10>(1);
        }
        self.significand_r.d.next = self.fine.val();
        self.exponent_r.d.next = self.base_r.q.val() - self.places.val();
        self.sign_r.d.next = self.sign1_r.q.val();
        self.zero_r.d.next = self.zero1_r.q.val();
        self.infinite_r.d.next = self.infinite1_r.q.val();
        self.nan_r.d.next = self.nan1_r.q.val();
        self.number_ports.sign.next = self.sign_r.q.val();
        self.number_ports.exponent.next = self.exponent_r.q.val();
        self.number_ports.significand.next = self.significand_r.q.val();
        self.number_ports.zero.next = self.zero_r.q.val();
        self.number_ports.infinite.next = self.infinite_r.q.val();
        self.number_ports.nan.next = self.nan_r.q.val();
    }
}
