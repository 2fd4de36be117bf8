//! sin and cos: from the phase to the octant's table, the place in it and the factor. Four cases: a
//! phase whose quadrant decides; sin below 1/2, where the phase is a number with its own exponent;
//! sin below 2^-12, which is its operand; each for either table only where it says so.
//!
//! Combinational. It can be wrong where octants meet, and in the shift of the second case.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::comment;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct Octant {
    /// The operation is sin, else cos.
    pub sine: Signal<In, bool>,
    /// The operand's significand.
    pub significand: Signal<In, Bits<24>>,
    /// The operand's exponent, two's complement.
    pub exponent: Signal<In, Bits<10>>,
    /// Phase: 2 bits of quadrant, 30 of fraction; below 1/2 all of it in units of 2^(exponent -
    /// 31).
    pub phase: Signal<In, Bits<32>>,
    /// Factor: distance to the nearer end of the quadrant in units of 2^-30, or of 2^(exponent
    /// - 29) below 1/2.
    pub factor: Signal<Out, Bits<30>>,
    /// The place in the octant, units of 2^-29: interval and offset.
    pub position: Signal<Out, Bits<28>>,
    /// Table of cos, else of sin.
    pub cosine_table: Signal<Out, bool>,
    /// The quadratic is 1.
    pub one: Signal<Out, bool>,
    /// The factor is in units of 2^(exponent - 29), else of 2^-30.
    pub relative: Signal<Out, bool>,
    /// The quadrant turns the sign.
    pub turned: Signal<Out, bool>,
    /// Exponent + 512, which compares as an unsigned number.
    place: Signal<Local, Bits<10>>,
    /// Minus the exponent.
    opposite: Signal<Local, Bits<10>>,
    /// Places from the factor to the position.
    places: Signal<Local, Bits<4>>,
    quadrant: Signal<Local, Bits<2>>,
    fraction: Signal<Local, Bits<30>>,
    upper: Signal<Local, bool>,
    shifted: Signal<Local, Bits<30>>,
    _active: bool,
}

impl Logic for Octant {
    #[kernel]
    fn update(&mut self) {
        comment!("module: function_octant");
        self.place.next = self.exponent.val() ^ bits::<10>(512);
        self.opposite.next = bits::<10>(0) - self.exponent.val();
        self.quadrant.next = self.phase.val().get_bits::<2>(30);
        if !self.sine.val() {
            self.quadrant.next = self.phase.val().get_bits::<2>(30) + bits::<2>(1);
        }
        self.fraction.next = bit_cast::<30, 32>(self.phase.val());
        self.upper.next = self.fraction.val().get_bit(29);

        self.one.next = false;
        self.relative.next = false;
        self.places.next = bits::<4>(1);
        self.turned.next = self.quadrant.val().get_bit(1);
        self.cosine_table.next = self.quadrant.val().get_bit(0) ^ self.upper.val();
        self.factor.next = self.fraction.val();
        if self.upper.val() {
            self.factor.next = !self.fraction.val();
        }
        if self.sine.val() && (self.place.val() < bits::<10>(511)) {
            // Below 1/2.
            self.relative.next = true;
            self.places.next = bit_cast::<4, 10>(self.opposite.val());
            self.turned.next = false;
            self.cosine_table.next = false;
            self.factor.next = self.phase.val().get_bits::<30>(2);
            if self.place.val() < bits::<10>(500) {
                // Below 2^-12.
                self.one.next = true;
                self.factor.next = bit_cast::<30, 24>(self.significand.val()) << bits::<3>(6);
            }
        }
        self.shifted.next = self.factor.val() >> self.places.val();
        self.position.next = bit_cast::<28, 30>(self.shifted.val());
    }
}
