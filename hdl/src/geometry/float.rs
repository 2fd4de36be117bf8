//! Float unit of geometry: one fused multiply and add per cycle, rounded once, to the bit what a
//! lane gives; and integers of its results. Every operation of the page is one: a sum is a * 1.0
//! + c, a product one without addend.
//!
//! ```text
//! a, b, c -> unpack -> place,  -> align -> sum -> magni- -> zeros -> coarse -> fine -> round -> value
//!                      product                    tude                                    |
//!                                                                 scale -> coarse -> round -> fixed
//! ```
//!
//! `value` stands ten cycles after the operands, `fixed` thirteen; each with the tag that came with
//! them. With `number` a whole number of up to 50 bits is rounded instead: bits 17:0 of b over a.
//! Bits 9:0 of c are the biased exponent, with sign, that its bit 75 would have (202 if bit 0
//! weighs 1); bit 31 is its sign.
//!
//! A lane does the same in five cycles, at a third of the clock. It can be wrong in what travels
//! beside the numbers, and in what [`super::float_cells`] say.
//!
//! Planted fault: `geometry-round`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::float_cells::{
    FixedCoarse, FixedRound, FixedScale, FusedAlign, FusedCoarse, FusedFine, FusedMagnitude, FusedPlace, FusedProduct,
    FusedRound, FusedSum, FusedUnpack, FusedZeros,
};
use crate::base::{vector, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{FloatAnswerOut, FloatAskDataIn};

/// Cycles from operands to `value`.
pub const FLOAT_LATENCY: usize = 10;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct GeometryFloat {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// What the float unit is to calculate.
    pub ask_ports: FloatAskDataIn,
    /// `fixed` is a depth: 64 (2^24 - 1) times the value held in 0 to 1. Else the magnitude of 64
    /// times it.
    pub depth: Signal<In, bool>,
    /// Number of the requester.
    pub tag: Signal<In, Bits<4>>,
    /// What the float unit of geometry has calculated.
    pub answer_ports: FloatAnswerOut,
    unpack: FusedUnpack,
    multiply: FusedProduct,
    place: FusedPlace,
    align: FusedAlign,
    sum: FusedSum,
    size: FusedMagnitude,
    zeros: FusedZeros,
    coarse: FusedCoarse,
    fine: FusedFine,
    round: FusedRound,
    scale: FixedScale,
    fixed_coarse: FixedCoarse,
    fixed_round: FixedRound,
    // Operands.
    a0: DFF<Bits<32>>,
    b0: DFF<Bits<32>>,
    c0: DFF<Bits<32>>,
    product0: DFF<bool>,
    number0: DFF<bool>,
    // Unpacked.
    a1: DFF<Bits<32>>,
    b1: DFF<Bits<32>>,
    hidden_a1: DFF<bool>,
    hidden_b1: DFF<bool>,
    number1: DFF<bool>,
    addend1: DFF<Bits<24>>,
    top1: DFF<Bits<10>>,
    low1: DFF<Bits<8>>,
    no_addend1: DFF<bool>,
    no_product1: DFF<bool>,
    // Placed, multiplied.
    value2: DFF<Bits<50>>,
    addend2: DFF<Bits<24>>,
    distance2: DFF<Bits<7>>,
    // Aligned.
    value3: DFF<Bits<50>>,
    low3: DFF<Bits<38>>,
    high3: DFF<Bits<38>>,
    lost3: DFF<bool>,
    // Added.
    low4: DFF<Bits<38>>,
    high4: DFF<Bits<38>>,
    below4: DFF<bool>,
    lost4: DFF<bool>,
    // Its magnitude.
    low5: DFF<Bits<38>>,
    high5: DFF<Bits<38>>,
    lost5: DFF<bool>,
    // How far up.
    low6: DFF<Bits<38>>,
    high6: DFF<Bits<38>>,
    lost6: DFF<bool>,
    left6: DFF<Bits<7>>,
    zero6: DFF<bool>,
    upper7: DFF<Bits<40>>,
    sticky7: DFF<bool>,
    left7: DFF<Bits<7>>,
    zero7: DFF<bool>,
    significand8: DFF<Bits<25>>,
    sticky8: DFF<bool>,
    exponent8: DFF<Bits<9>>,
    zero8: DFF<bool>,
    value9: DFF<Bits<32>>,
    product10: DFF<Bits<48>>,
    right10: DFF<Bits<5>>,
    none10: DFF<bool>,
    most10: DFF<bool>,
    upper11: DFF<Bits<32>>,
    sticky11: DFF<bool>,
    right11: DFF<Bits<3>>,
    none11: DFF<bool>,
    most11: DFF<bool>,
    fixed12: DFF<Bits<31>>,
    // What travels beside: signs and specials from the second stage on, exponents from the third.
    negative: Vec<DFF<bool>>,
    subtract: Vec<DFF<bool>>,
    infinite: Vec<DFF<bool>>,
    nan: Vec<DFF<bool>>,
    rest: Vec<DFF<Bits<10>>>,
    tiny: Vec<DFF<bool>>,
    depths: Vec<DFF<bool>>,
    tags: Vec<DFF<Bits<4>>>,
    fault_geometry_round: Planted,
    _active: bool,
}

impl GeometryFloat {
    /// At rest, with that configuration's planted faults.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            negative: vector(8),
            subtract: vector(8),
            infinite: vector(8),
            nan: vector(8),
            rest: vector(6),
            tiny: vector(7),
            depths: vector(10),
            tags: vector(13),
            fault_geometry_round: Planted::new(config.has(Fault::GeometryRound)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl GeometryFloat {
    /// Signs, tags and the like travel beside the numbers.
    fn delays(&mut self) {
        comment!("module: geometry_float");
        dff_setup!(self, clock, a0, b0, c0, product0, number0, a1, b1, hidden_a1, hidden_b1, number1, addend1, top1);
        dff_setup!(self, clock, low1, no_addend1, no_product1, value2, addend2, distance2, value3, low3, high3, lost3);
        dff_setup!(self, clock, low4, high4, below4, lost4, low5, high5, lost5, low6, high6, lost6, left6, zero6);
        dff_setup!(self, clock, upper7, sticky7, left7, zero7, significand8, sticky8, exponent8, zero8, value9);
        dff_setup!(self, clock, product10, right10, none10, most10, upper11, sticky11, right11, none11, most11);
        dff_setup!(self, clock, fixed12);
        // What travels beside.
        for k in 0..8 {
            self.negative[k].clock.next = self.clock.val();
            self.subtract[k].clock.next = self.clock.val();
            self.infinite[k].clock.next = self.clock.val();
            self.nan[k].clock.next = self.clock.val();
        }
        for k in 0..6 {
            self.rest[k].clock.next = self.clock.val();
        }
        for k in 0..7 {
            self.tiny[k].clock.next = self.clock.val();
        }
        for k in 0..10 {
            self.depths[k].clock.next = self.clock.val();
        }
        for k in 0..13 {
            self.tags[k].clock.next = self.clock.val();
        }
        for k in 0..7 {
            self.negative[k + 1].d.next = self.negative[k].q.val();
            self.subtract[k + 1].d.next = self.subtract[k].q.val();
            self.infinite[k + 1].d.next = self.infinite[k].q.val();
            self.nan[k + 1].d.next = self.nan[k].q.val();
        }
        for k in 0..5 {
            self.rest[k + 1].d.next = self.rest[k].q.val();
        }
        for k in 0..6 {
            self.tiny[k + 1].d.next = self.tiny[k].q.val();
        }
        for k in 0..9 {
            self.depths[k + 1].d.next = self.depths[k].q.val();
        }
        for k in 0..12 {
            self.tags[k + 1].d.next = self.tags[k].q.val();
        }
        self.depths[0].d.next = self.depth.val();
        self.tags[0].d.next = self.tag.val();
    }

    /// Operands are unpacked.
    fn operands(&mut self) {
        self.a0.d.next = self.ask_ports.a.val();
        self.b0.d.next = self.ask_ports.b.val();
        self.c0.d.next = self.ask_ports.c.val();
        self.product0.d.next = self.ask_ports.product.val();
        self.number0.d.next = self.ask_ports.number.val();

        self.unpack.a.next = self.a0.q.val();
        self.unpack.b.next = self.b0.q.val();
        self.unpack.c.next = self.c0.q.val();
        self.unpack.product.next = self.product0.q.val();
        self.unpack.number.next = self.number0.q.val();
        self.a1.d.next = self.a0.q.val();
        self.b1.d.next = self.b0.q.val();
        self.number1.d.next = self.number0.q.val();
        self.hidden_a1.d.next = self.unpack.hidden_a.val();
        self.hidden_b1.d.next = self.unpack.hidden_b.val();
        self.addend1.d.next = self.unpack.addend.val();
        self.top1.d.next = self.unpack.top.val();
        self.low1.d.next = self.unpack.low.val();
        self.no_addend1.d.next = self.unpack.no_addend.val();
        self.no_product1.d.next = self.unpack.no_product.val();
        self.negative[0].d.next = self.unpack.negative.val();
        self.subtract[0].d.next = self.unpack.subtract.val();
        self.infinite[0].d.next = self.unpack.infinite.val();
        self.nan[0].d.next = self.unpack.nan.val();
    }

    /// Factors are multiplied, and the addend is aligned with their product.
    fn product(&mut self) {
        self.multiply.a.next = self.a1.q.val();
        self.multiply.b.next = self.b1.q.val().get_bits::<23>(0);
        self.multiply.hidden_a.next = self.hidden_a1.q.val();
        self.multiply.hidden_b.next = self.hidden_b1.q.val();
        self.multiply.number.next = self.number1.q.val();
        self.place.top.next = self.top1.q.val();
        self.place.low.next = self.low1.q.val();
        self.place.no_addend.next = self.no_addend1.q.val();
        self.place.no_product.next = self.no_product1.q.val();
        self.value2.d.next = self.multiply.value.val();
        self.addend2.d.next = self.addend1.q.val();
        self.distance2.d.next = self.place.distance.val();
        self.rest[0].d.next = self.place.rest.val();
        self.tiny[0].d.next = self.place.tiny.val();

        self.align.addend.next = self.addend2.q.val();
        self.align.distance.next = self.distance2.q.val();
        self.value3.d.next = self.value2.q.val();
        self.low3.d.next = self.align.w0.val();
        self.high3.d.next = self.align.w1.val();
        self.lost3.d.next = self.align.lost.val();
    }

    /// The sum is made, and its magnitude.
    fn magnitude(&mut self) {
        self.sum.value.next = self.value3.q.val();
        self.sum.w0.next = self.low3.q.val();
        self.sum.w1.next = self.high3.q.val();
        self.sum.subtract.next = self.subtract[2].q.val();
        self.low4.d.next = self.sum.t0.val();
        self.high4.d.next = self.sum.t1.val();
        self.below4.d.next = self.sum.below.val();
        self.lost4.d.next = self.lost3.q.val();

        self.size.t0.next = self.low4.q.val();
        self.size.t1.next = self.high4.q.val();
        self.size.below.next = self.below4.q.val();
        self.size.subtract.next = self.subtract[3].q.val();
        self.size.lost.next = self.lost4.q.val();
        self.low5.d.next = self.size.m0.val();
        self.high5.d.next = self.size.m1.val();
        self.lost5.d.next = self.lost4.q.val();
        self.negative[4].d.next = self.negative[3].q.val();
        if self.below4.q.val() && !self.infinite[3].q.val() {
            self.negative[4].d.next = !self.negative[3].q.val();
        }
    }

    /// Leading zeros are counted and shifted out in a coarse and a fine step.
    fn normalisation(&mut self) {
        self.zeros.m0.next = self.low5.q.val();
        self.zeros.m1.next = self.high5.q.val();
        self.zeros.rest.next = self.rest[3].q.val();
        self.low6.d.next = self.low5.q.val();
        self.high6.d.next = self.high5.q.val();
        self.lost6.d.next = self.lost5.q.val();
        self.left6.d.next = self.zeros.left.val();
        self.zero6.d.next = self.zeros.zero.val();

        self.coarse.m0.next = self.low6.q.val();
        self.coarse.m1.next = self.high6.q.val();
        self.coarse.left.next = self.left6.q.val().get_bits::<3>(4);
        self.upper7.d.next = self.coarse.upper.val();
        self.sticky7.d.next = self.coarse.sticky.val() || self.lost6.q.val();
        self.left7.d.next = self.left6.q.val();
        self.zero7.d.next = self.zero6.q.val();

        self.fine.upper.next = self.upper7.q.val();
        self.fine.left.next = self.left7.q.val();
        self.fine.rest.next = self.rest[5].q.val();
        self.significand8.d.next = self.fine.significand.val();
        self.sticky8.d.next = self.fine.sticky.val() || self.sticky7.q.val();
        if self.fault_geometry_round.val() {
            self.sticky8.d.next = false;
        }
        self.exponent8.d.next = self.fine.exponent.val();
        self.zero8.d.next = self.zero7.q.val();
    }

    /// The significand is rounded to the value.
    fn rounding(&mut self) {
        // An exact zero of a difference is +0.
        self.round.significand.next = self.significand8.q.val();
        self.round.sticky.next = self.sticky8.q.val();
        self.round.exponent.next = self.exponent8.q.val();
        self.round.negative.next =
            self.negative[7].q.val() && (!self.zero8.q.val() || !self.subtract[7].q.val() || self.infinite[7].q.val());
        self.round.none.next = self.tiny[6].q.val() || self.zero8.q.val();
        self.round.infinite.next = self.infinite[7].q.val();
        self.round.nan.next = self.nan[7].q.val();
        self.value9.d.next = self.round.value.val();
        self.answer_ports.value.next = self.value9.q.val();
        self.answer_ports.value_tag.next = self.tags[9].q.val();
    }

    /// The value is scaled and rounded to an integer.
    fn integers(&mut self) {
        self.scale.value.next = self.value9.q.val();
        self.scale.depth.next = self.depths[9].q.val();
        self.product10.d.next = self.scale.product.val();
        self.right10.d.next = self.scale.right.val();
        self.none10.d.next = self.scale.none.val();
        self.most10.d.next = self.scale.most.val();
        self.fixed_coarse.product.next = self.product10.q.val();
        self.fixed_coarse.right.next = self.right10.q.val().get_bits::<2>(3);
        self.upper11.d.next = self.fixed_coarse.upper.val();
        self.sticky11.d.next = self.fixed_coarse.sticky.val();
        self.right11.d.next = self.right10.q.val().get_bits::<3>(0);
        self.none11.d.next = self.none10.q.val();
        self.most11.d.next = self.most10.q.val();
        self.fixed_round.upper.next = self.upper11.q.val();
        self.fixed_round.sticky.next = self.sticky11.q.val();
        self.fixed_round.right.next = self.right11.q.val();
        self.fixed_round.none.next = self.none11.q.val();
        self.fixed_round.most.next = self.most11.q.val();
        self.fixed12.d.next = self.fixed_round.fixed.val();
        self.answer_ports.fixed.next = self.fixed12.q.val();
        self.answer_ports.fixed_tag.next = self.tags[12].q.val();
    }
}
