//! One component of 16 bits, blended: a fraction of sRGB, or a half.
//!
//! ```text
//! colours -> what factors are made of -> factors, products, sum, rounding -> fraction
//!         '-> the lesser, the greater, itself ----------------------------^
//!                                     '-> products, sum ------------------------> half
//! ```
//!
//! Latency 5 cycles from colours to a fraction or to what needs no rounding, 10 to a half; one
//! component per cycle, and nothing holds it up. Both come out of the block, each at its time. It
//! can be wrong in what an operation takes; `tests/blend.rs` draws all of them.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::float::BlendFloat;
use crate::base::{vector, Planted};
use crate::cell::blend::{WordOrder, WordProduct, WordRound, WordSelect, WordSum};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct BlendComponent {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// The fragment's component.
    pub source: Signal<In, Bits<16>>,
    /// The target's.
    pub destination: Signal<In, Bits<16>>,
    /// The constant's.
    pub constant: Signal<In, Bits<16>>,
    /// The target's alpha.
    pub destination_alpha: Signal<In, Bits<16>>,
    /// The fragment's alpha, or what is in its place, of the factors of both products.
    pub alpha: Vec<Signal<In, Bits<16>>>,
    /// Operands that both factors use: bits of [`crate::cell::blend::FactorBits`].
    pub choice: Vec<Signal<In, Bits<7>>>,
    /// What is in place of the fragment's alpha is the target's, and is taken from one.
    pub lesser: Vec<Signal<In, bool>>,
    /// Halves, else fractions.
    pub halves: Signal<In, bool>,
    /// 0 to 2 a sum, 3 the lesser, 4 the greater, 7 the fragment's.
    pub operation: Signal<In, Bits<3>>,
    /// It is written; else it stays the target's.
    pub written: Signal<In, bool>,
    /// The fraction, or what needs no rounding, five cycles later.
    pub word: Signal<Out, Bits<16>>,
    /// It is not that but the half, five cycles later.
    pub is_float: Signal<Out, bool>,
    /// The half, ten cycles later.
    pub half: Signal<Out, Bits<16>>,
    order: WordOrder,
    select: Vec<WordSelect>,
    second: Signal<Local, bool>,
    both_nan: Signal<Local, bool>,
    compares: Signal<Local, bool>,
    // Operands.
    colour1: Vec<DFF<Bits<16>>>,
    factor1: Vec<DFF<Bits<16>>>,
    inverts1: Vec<DFF<bool>>,
    halves1: DFF<bool>,
    operation1: DFF<Bits<2>>,
    direct1: DFF<Bits<16>>,
    is_direct1: DFF<bool>,
    nan1: DFF<bool>,
    // Fractions.
    factor2: Vec<DFF<Bits<16>>>,
    colour2: Vec<DFF<Bits<16>>>,
    product: Vec<WordProduct>,
    product3: Vec<DFF<Bits<32>>>,
    sum: WordSum,
    sum4: DFF<Bits<33>>,
    round: WordRound,
    operation_p: Vec<DFF<Bits<2>>>,
    direct_p: Vec<DFF<Bits<16>>>,
    is_direct_p: Vec<DFF<bool>>,
    is_float_p: Vec<DFF<bool>>,
    word5: DFF<Bits<16>>,
    is_float5: DFF<bool>,
    float: BlendFloat,
    fault_blend_invert: Planted,
    _active: bool,
}

impl BlendComponent {
    /// At rest, with the planted faults of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            alpha: vector(2),
            choice: vector(2),
            lesser: vector(2),
            select: vector(2),
            colour1: vector(2),
            factor1: vector(2),
            inverts1: vector(2),
            factor2: vector(2),
            colour2: vector(2),
            product: vector(2),
            product3: vector(2),
            operation_p: vector(2),
            direct_p: vector(3),
            is_direct_p: vector(3),
            is_float_p: vector(3),
            float: BlendFloat::new(config),
            fault_blend_invert: Planted::new(config.has(Fault::BlendInvert)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl BlendComponent {
    /// What factors are made of, and what needs none.
    fn select(&mut self) {
        comment!("module: blend_component");
        dff_setup!(self, clock, halves1, operation1, direct1, is_direct1, nan1, sum4, word5, is_float5);
        clock!(self, clock, float);
        for i in 0..2 {
            self.select[i].source.next = self.source.val();
            self.select[i].source_alpha.next = self.alpha[i].val();
            self.select[i].destination.next = self.destination.val();
            self.select[i].destination_alpha.next = self.destination_alpha.val();
            self.select[i].constant.next = self.constant.val();
            self.select[i].choice.next = self.choice[i].val();
            self.factor1[i].clock.next = self.clock.val();
            self.factor1[i].d.next = self.select[i].colour.val();
            self.inverts1[i].clock.next = self.clock.val();
            self.inverts1[i].d.next = self.choice[i].val().get_bit(5) || self.lesser[i].val();
            if self.fault_blend_invert.val() && self.halves.val() && self.choice[i].val().get_bit(4) {
                self.inverts1[i].d.next = false;
            }
            self.colour1[i].clock.next = self.clock.val();
        }
        self.colour1[0].d.next = self.source.val();
        self.colour1[1].d.next = self.destination.val();
        self.order.source.next = self.source.val();
        self.order.destination.next = self.destination.val();
        self.order.halves.next = self.halves.val();
        self.order.greater.next = self.operation.val().get_bit(2);
        self.compares.next = (self.operation.val() == bits::<3>(3)) || (self.operation.val() == bits::<3>(4));
        self.second.next = !self.written.val() || (self.compares.val() && self.order.second.val());
        self.both_nan.next = self.written.val() && self.compares.val() && self.order.nan.val();
        self.direct1.d.next = self.source.val();
        if self.second.val() {
            self.direct1.d.next = self.destination.val();
        }
        // Of two NaNs the result is the one NaN, which the sum makes.
        self.is_direct1.d.next = (!self.written.val() || (self.operation.val() > bits::<3>(2))) && !self.both_nan.val();
        self.nan1.d.next = self.both_nan.val();
        self.halves1.d.next = self.halves.val();
        self.operation1.d.next = self.operation.val().get_bits::<2>(0);
    }

    /// Halves.
    fn halves(&mut self) {
        for i in 0..2 {
            self.float.colour[i].next = self.colour1[i].q.val();
            self.float.factor[i].next = self.factor1[i].q.val();
            self.float.inverts[i].next = self.inverts1[i].q.val();
        }
        self.float.operation.next = self.operation1.q.val();
        self.float.nan.next = self.nan1.q.val();
        self.half.next = self.float.half.val();
    }

    /// Fractions.
    fn fractions(&mut self) {
        for i in 0..2 {
            self.factor2[i].clock.next = self.clock.val();
            self.factor2[i].d.next = self.factor1[i].q.val();
            if self.inverts1[i].q.val() {
                self.factor2[i].d.next = !self.factor1[i].q.val();
            }
            self.colour2[i].clock.next = self.clock.val();
            self.colour2[i].d.next = self.colour1[i].q.val();
            self.product[i].a.next = self.colour2[i].q.val();
            self.product[i].b.next = self.factor2[i].q.val();
            self.product3[i].clock.next = self.clock.val();
            self.product3[i].d.next = self.product[i].product.val();
            self.operation_p[i].clock.next = self.clock.val();
        }
        self.operation_p[0].d.next = self.operation1.q.val();
        self.operation_p[1].d.next = self.operation_p[0].q.val();
        self.sum.operation.next = self.operation_p[1].q.val();
        self.sum.source.next = self.product3[0].q.val();
        self.sum.destination.next = self.product3[1].q.val();
        self.sum4.d.next = self.sum.sum.val();
        self.round.sum.next = self.sum4.q.val();
        for i in 0..3 {
            self.direct_p[i].clock.next = self.clock.val();
            self.is_direct_p[i].clock.next = self.clock.val();
            self.is_float_p[i].clock.next = self.clock.val();
        }
        self.direct_p[0].d.next = self.direct1.q.val();
        self.is_direct_p[0].d.next = self.is_direct1.q.val();
        self.is_float_p[0].d.next = self.halves1.q.val() && !self.is_direct1.q.val();
        for i in 0..2 {
            self.direct_p[i + 1].d.next = self.direct_p[i].q.val();
            self.is_direct_p[i + 1].d.next = self.is_direct_p[i].q.val();
            self.is_float_p[i + 1].d.next = self.is_float_p[i].q.val();
        }
        self.word5.d.next = self.round.value.val();
        if self.is_direct_p[2].q.val() {
            self.word5.d.next = self.direct_p[2].q.val();
        }
        self.is_float5.d.next = self.is_float_p[2].q.val();
        self.word.next = self.word5.q.val();
        self.is_float.next = self.is_float5.q.val();
    }
}
