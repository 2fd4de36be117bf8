//! A half times a factor, rounded once to f32: `FMUL` of a colour and of a half or one less a half.
//!
//! ```text
//! half   -> normalised -----------------> product -> rounding -> f32
//! factor -> itself or one less it -> f32 -^
//! ```
//!
//! Latency 4 cycles, one product per cycle; nothing holds it up. Infinities and NaNs go beside the
//! number. It can be wrong in what infinity times zero is; `tests/blend.rs` blends all kinds.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::cell::blend::{FactorNormal, FactorStart, HalfNormal, HalfProduct, ProductRound};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct BlendProduct {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// The colour, a half.
    pub colour: Signal<In, Bits<16>>,
    /// What the factor is made of, a half.
    pub factor: Signal<In, Bits<16>>,
    /// One less it.
    pub inverts: Signal<In, bool>,
    /// f32 without its sign, four cycles later; undefined if it is not finite.
    pub magnitude: Signal<Out, Bits<31>>,
    /// Its sign.
    pub negative: Signal<Out, bool>,
    /// It is infinite.
    pub infinite: Signal<Out, bool>,
    /// It is a NaN.
    pub nan: Signal<Out, bool>,
    normal: HalfNormal,
    start: FactorStart,
    factor_normal: FactorNormal,
    multiply: HalfProduct,
    round: ProductRound,
    colour_top: Signal<Local, bool>,
    factor_top: Signal<Local, bool>,
    colour_rest: Signal<Local, bool>,
    factor_rest: Signal<Local, bool>,
    exponent1: DFF<Bits<6>>,
    significand1: DFF<Bits<11>>,
    sum1: DFF<Bits<27>>,
    factor_exponent1: DFF<Bits<5>>,
    negative1: DFF<bool>,
    colour_infinite1: DFF<bool>,
    factor_infinite1: DFF<bool>,
    nan1: DFF<bool>,
    factor_zero: Signal<Local, bool>,
    undefined: Signal<Local, bool>,
    colour_exponent: Signal<Local, Bits<7>>,
    factor_exponent: Signal<Local, Bits<7>>,
    exponent2: DFF<Bits<7>>,
    significand2: DFF<Bits<11>>,
    factor2: DFF<Bits<24>>,
    negative2: DFF<bool>,
    infinite2: DFF<bool>,
    nan2: DFF<bool>,
    exponent3: DFF<Bits<7>>,
    product3: DFF<Bits<35>>,
    negative3: DFF<bool>,
    infinite3: DFF<bool>,
    nan3: DFF<bool>,
    magnitude4: DFF<Bits<31>>,
    negative4: DFF<bool>,
    infinite4: DFF<bool>,
    nan4: DFF<bool>,
    fault_blend_infinite: Planted,
    _active: bool,
}

impl BlendProduct {
    /// At rest, with the planted faults of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let fault_blend_infinite = Planted::new(config.has(Fault::BlendInfinite));
        Self { fault_blend_infinite, _active: true, ..Default::default() }
    }
}

#[kernel]
impl BlendProduct {
    /// Both operands are unpacked.
    fn operands(&mut self) {
        comment!("module: blend_product");
        dff_setup!(self, clock, exponent1, significand1, sum1, factor_exponent1, negative1);
        dff_setup!(self, clock, colour_infinite1, factor_infinite1, nan1);
        dff_setup!(self, clock, exponent2, significand2, factor2, negative2, infinite2, nan2);
        dff_setup!(self, clock, exponent3, product3, negative3, infinite3, nan3);
        dff_setup!(self, clock, magnitude4, negative4, infinite4, nan4);
        // Both operands.
        self.normal.half.next = self.colour.val();
        self.start.half.next = self.factor.val();
        self.start.inverts.next = self.inverts.val();
        self.colour_top.next = self.colour.val().get_bits::<5>(10).all();
        self.factor_top.next = self.factor.val().get_bits::<5>(10).all();
        self.colour_rest.next = self.colour.val().get_bits::<10>(0).any();
        self.factor_rest.next = self.factor.val().get_bits::<10>(0).any();
        self.exponent1.d.next = self.normal.exponent.val();
        self.significand1.d.next = self.normal.significand.val();
        self.sum1.d.next = self.start.sum.val();
        self.factor_exponent1.d.next = self.start.exponent.val();
        self.negative1.d.next = self.colour.val().get_bit(15) != self.start.negative.val();
        self.colour_infinite1.d.next = self.colour_top.val();
        self.factor_infinite1.d.next = self.factor_top.val();
        self.nan1.d.next =
            (self.colour_top.val() && self.colour_rest.val()) || (self.factor_top.val() && self.factor_rest.val());
    }

    /// The factor becomes an f32, and infinity times zero a NaN.
    fn factor(&mut self) {
        self.factor_normal.sum.next = self.sum1.q.val();
        self.factor_normal.exponent.next = self.factor_exponent1.q.val();
        self.factor_zero.next = self.factor_normal.zero.val() && !self.factor_infinite1.q.val();
        self.undefined.next = (self.colour_infinite1.q.val() && self.factor_zero.val())
            || (self.factor_infinite1.q.val() && !self.significand1.q.val().get_bit(10));
        if self.fault_blend_infinite.val() {
            self.undefined.next = false;
        }
        // Both exponents are two's complement.
        self.colour_exponent.next = bit_cast::<7, 6>(self.exponent1.q.val());
        if self.exponent1.q.val().get_bit(5) {
            self.colour_exponent.next = bit_cast::<7, 6>(self.exponent1.q.val()) | bits::<7>(64);
        }
        self.factor_exponent.next = bit_cast::<7, 6>(self.factor_normal.field.val());
        if self.factor_normal.field.val().get_bit(5) {
            self.factor_exponent.next = bit_cast::<7, 6>(self.factor_normal.field.val()) | bits::<7>(64);
        }
        self.exponent2.d.next = self.colour_exponent.val() + self.factor_exponent.val();
        self.significand2.d.next = self.significand1.q.val();
        self.factor2.d.next = self.factor_normal.significand.val();
        self.negative2.d.next = self.negative1.q.val();
        self.infinite2.d.next = self.colour_infinite1.q.val() || self.factor_infinite1.q.val();
        self.nan2.d.next = self.nan1.q.val() || self.undefined.val();
    }

    /// Significands are multiplied, and their product is rounded.
    fn product(&mut self) {
        self.multiply.half.next = self.significand2.q.val();
        self.multiply.factor.next = self.factor2.q.val();
        self.product3.d.next = self.multiply.product.val();
        self.exponent3.d.next = self.exponent2.q.val();
        self.negative3.d.next = self.negative2.q.val();
        self.infinite3.d.next = self.infinite2.q.val();
        self.nan3.d.next = self.nan2.q.val();
        // Rounding.
        self.round.product.next = self.product3.q.val();
        self.round.exponent.next = self.exponent3.q.val();
        self.magnitude4.d.next = self.round.magnitude.val();
        self.negative4.d.next = self.negative3.q.val();
        self.infinite4.d.next = self.infinite3.q.val();
        self.nan4.d.next = self.nan3.q.val();
        self.magnitude.next = self.magnitude4.q.val();
        self.negative.next = self.negative4.q.val();
        self.infinite.next = self.infinite4.q.val();
        self.nan.next = self.nan4.q.val();
    }
}
