//! Blending pixel by pixel, component by component: rgba8unorm-srgb, and rgba16float that blends.
//! Both are too wide to be done for a quad in each cycle.
//!
//! A beat stands in front until all of its covered lanes are done. sRGB goes through the two tables
//! and arithmetic of 16 bits: 7 cycles for a component. Halves go through a lane of their own, with
//! six cycles for each of its operations: 38 to 84 cycles for a component. Three to five cycles
//! more for each pixel read and write its words.
//!
//! It can be wrong in the half or the byte that a component is, and in a factor;
//! `tests/blend.rs` compares with exact arithmetic.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use super::word::Equation;
use crate::base::parts::Part;
use crate::base::{vector, Planted};
use crate::cell::blend::{WordFactor, WordProduct, WordRound, WordSum};
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::output::srgb::{SrgbDecode, SrgbEncode};
use crate::ports::LineIn;
use crate::warp::lane::Lane;
use crate::{comment, kernel_of, state_words};

/// Where the component that is blended stands.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum PixelStep {
    /// The next covered lane; its first word is asked for.
    Lane,
    /// It comes; the second one is asked for.
    First,
    /// That comes.
    Second,
    /// sRGB: the old code is looked up.
    Decode,
    /// The factors.
    Factors,
    /// The products.
    Products,
    /// Their sum.
    Sum,
    /// It is rounded.
    Round,
    /// The new code is looked up.
    Encode,
    /// It is put into the word.
    Code,
    /// Halves: the fragment's component becomes f32.
    Source,
    /// The target's.
    Destination,
    /// What the factor is made of.
    Factor,
    /// One less it.
    Invert,
    /// The fragment's alpha.
    Alpha,
    /// The lesser of both.
    Lesser,
    /// Colour times factor, of the fragment.
    SourceProduct,
    /// Of the target.
    DestinationProduct,
    /// Their sum.
    Combine,
    /// Back to a half.
    Pack,
    /// The first word is written.
    Write,
    /// The second one.
    WriteSecond,
}

state_words!(PixelStep {
    Lane,
    First,
    Second,
    Decode,
    Factors,
    Products,
    Sum,
    Round,
    Encode,
    Code,
    Source,
    Destination,
    Factor,
    Invert,
    Alpha,
    Lesser,
    SourceProduct,
    DestinationProduct,
    Combine,
    Pack,
    Write,
    WriteSecond
});

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct BlendPixel {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A beat stands here and stays, with all that follows, until `done`.
    pub go: Signal<In, bool>,
    /// It is of halves, else sRGB.
    pub halves: Signal<In, bool>,
    /// Equation of the target, as word 28 + t of a state record.
    pub equation: Signal<In, Bits<32>>,
    /// Constant colour: red and green.
    pub constant_low: Signal<In, Bits<32>>,
    /// Blue and alpha.
    pub constant_high: Signal<In, Bits<32>>,
    /// Covered lanes.
    pub coverage: Signal<In, Bits<4>>,
    /// Colours of the lanes: first words, then second words.
    pub word: Vec<Signal<In, Bits<32>>>,
    /// The second word of the pixel is read or written, else the first.
    pub second: Signal<Out, bool>,
    /// What stood at the word of the cycle before.
    pub line: LineIn,
    /// Lane that is written, if one is.
    pub mask: Signal<Out, Bits<4>>,
    /// What is written there.
    pub new: Signal<Out, Bits<32>>,
    /// The beat is done.
    pub done: Signal<Out, bool>,
    step: DFF<PixelStep>,
    lane_at: DFF<Bits<3>>,
    component: DFF<Bits<2>>,
    wait: DFF<Bits<3>>,
    /// The factor that is made is the target's.
    of_destination: DFF<bool>,
    old_low: DFF<Bits<32>>,
    old_high: DFF<Bits<32>>,
    new_low: DFF<Bits<32>>,
    new_high: DFF<Bits<32>>,
    // sRGB.
    old16: DFF<Bits<16>>,
    source_factor1: DFF<Bits<16>>,
    destination_factor1: DFF<Bits<16>>,
    source_product1: DFF<Bits<32>>,
    destination_product1: DFF<Bits<32>>,
    sum1: DFF<Bits<33>>,
    value: DFF<Bits<16>>,
    // Halves as f32.
    source: DFF<Bits<32>>,
    destination: DFF<Bits<32>>,
    factor: DFF<Bits<32>>,
    other: DFF<Bits<32>>,
    source_factor: DFF<Bits<32>>,
    destination_factor: DFF<Bits<32>>,
    result: DFF<Bits<32>>,
    covered: Signal<Local, bool>,
    bit: Signal<Local, Bits<4>>,
    low: Signal<Local, Bits<32>>,
    high: Signal<Local, Bits<32>>,
    old: Signal<Local, Bits<32>>,
    is_alpha: Signal<Local, bool>,
    source16: Signal<Local, Bits<16>>,
    source_alpha16: Signal<Local, Bits<16>>,
    destination16: Signal<Local, Bits<16>>,
    constant16: Signal<Local, Bits<16>>,
    pair: Signal<Local, Bits<32>>,
    constant_pair: Signal<Local, Bits<32>>,
    old_pair: Signal<Local, Bits<32>>,
    byte_at: Signal<Local, Bits<5>>,
    shifted: Signal<Local, Bits<32>>,
    byte: Signal<Local, Bits<8>>,
    alpha_byte: Signal<Local, Bits<8>>,
    wide_alpha: Signal<Local, Bits<16>>,
    decoded: Signal<Local, Bits<16>>,
    operation: Signal<Local, Bits<3>>,
    narrowed: Signal<Local, Bits<24>>,
    offset: Signal<Local, Bits<8>>,
    code: Signal<Local, Bits<8>>,
    components: Signal<Local, Bits<4>>,
    written: Signal<Local, bool>,
    keep: Signal<Local, Bits<32>>,
    merged: Signal<Local, Bits<32>>,
    factor_code: Signal<Local, Bits<4>>,
    factor_half: Signal<Local, Bits<16>>,
    inverts: Signal<Local, bool>,
    is_constant: Signal<Local, bool>,
    fixed: Signal<Local, Bits<32>>,
    factor_made: Signal<Local, bool>,
    factor_value: Signal<Local, Bits<32>>,
    component_made: Signal<Local, bool>,
    ripe: Signal<Local, bool>,
    waits: Signal<Local, bool>,
    decode: SrgbDecode,
    encode: SrgbEncode,
    word_factor: Vec<WordFactor>,
    word_product: Vec<WordProduct>,
    word_sum: WordSum,
    word_round: WordRound,
    lane: Lane,
    fault_blend_code: Planted,
    fault_blend_half: Planted,
    fault_blend_invert: Planted,
    fault_blend_second: Planted,
    _active: bool,
}

impl BlendPixel {
    /// At rest, with the planted faults of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        Self {
            word: vector(8),
            word_factor: (0..2).map(|_| WordFactor::default()).collect(),
            word_product: (0..2).map(|_| WordProduct::default()).collect(),
            lane: Lane::new(config),
            fault_blend_code: planted(Fault::BlendCode),
            fault_blend_half: planted(Fault::BlendHalf),
            fault_blend_invert: planted(Fault::BlendInvert),
            fault_blend_second: planted(Fault::BlendSecond),
            _active: true,
            ..Default::default()
        }
    }
}

kernel_of! { BlendPixel:
    /// Clocks, and the lane and its words.
    Words,
    /// Arithmetic of 16 bits and the tables.
    Integers,
    /// Operations of the lane.
    Floats,
    /// The steps.
    Steps,
}

impl Part<Words> for BlendPixel {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: blend_pixel");
        dff_setup!(
            self,
            clock,
            step,
            lane_at,
            component,
            wait,
            of_destination,
            old_low,
            old_high,
            new_low,
            new_high,
            old16,
            source_factor1,
            destination_factor1,
            source_product1,
            destination_product1,
            sum1,
            value
        );
        dff_setup!(self, clock, source, destination, factor, other, source_factor, destination_factor, result);
        clock!(self, clock, decode, encode, lane);
        self.bit.next = bits::<4>(1) << bit_cast::<2, 3>(self.lane_at.q.val());
        self.covered.next = (self.coverage.val() & self.bit.val()).any();
        self.low.next = self.word[0].val();
        self.high.next = self.word[4].val();
        self.old.next = self.line.data[0].val();
        for i in 1..4 {
            if self.lane_at.q.val() == i.to_bits::<3>() {
                self.low.next = self.word[i].val();
                self.high.next = self.word[i + 4].val();
                self.old.next = self.line.data[i].val();
            }
        }
        // Halves of the words: even components are the lower ones.
        self.is_alpha.next = self.component.q.val() == bits::<2>(3);
        self.pair.next = self.low.val();
        self.constant_pair.next = self.constant_low.val();
        self.old_pair.next = self.old_low.q.val();
        if self.component.q.val().get_bit(1) {
            self.pair.next = self.high.val();
            self.constant_pair.next = self.constant_high.val();
            self.old_pair.next = self.old_high.q.val();
        }
        self.source16.next = self.pair.val().get_bits::<16>(0);
        self.constant16.next = self.constant_pair.val().get_bits::<16>(0);
        self.destination16.next = self.old_pair.val().get_bits::<16>(0);
        if self.component.q.val().get_bit(0) {
            self.source16.next = self.pair.val().get_bits::<16>(16);
            self.constant16.next = self.constant_pair.val().get_bits::<16>(16);
            self.destination16.next = self.old_pair.val().get_bits::<16>(16);
        }
        self.source_alpha16.next = self.high.val().get_bits::<16>(16);
        // The mask has a bit for each component.
        self.components.next = self.equation.val().get_value_mask();
        self.written.next = self.components.val().get_bit(3);
        self.operation.next = self.equation.val().get_value_operation();
        if self.component.q.val() == bits::<2>(0) {
            self.written.next = self.components.val().get_bit(0);
        }
        if self.component.q.val() == bits::<2>(1) {
            self.written.next = self.components.val().get_bit(1);
        }
        if self.component.q.val() == bits::<2>(2) {
            self.written.next = self.components.val().get_bit(2);
        }
        if self.is_alpha.val() {
            self.operation.next = self.equation.val().get_value_alpha_operation();
        }
    }
}

impl Part<Integers> for BlendPixel {
    #[hdl_gen]
    fn update(&mut self) {
        self.byte_at.next = bit_cast::<5, 2>(self.component.q.val()) << bits::<5>(3);
        self.shifted.next = self.old_low.q.val() >> self.byte_at.val();
        self.byte.next = self.shifted.val().get_bits::<8>(0);
        self.alpha_byte.next = self.old_low.q.val().get_bits::<8>(24);
        self.wide_alpha.next =
            bit_cast::<16, 8>(self.alpha_byte.val()) | (bit_cast::<16, 8>(self.alpha_byte.val()) << bits::<5>(8));
        self.decode.first_line.next = self.byte.val();
        // The second ports are for resolving.
        self.decode.second_line.next = bits::<8>(0);
        self.encode.second_line.next = bits::<10>(0);
        self.decoded.next = self.decode.first.val();
        if self.is_alpha.val() {
            self.decoded.next = self.wide_alpha.val();
        }
        if self.fault_blend_code.val() {
            self.decoded.next =
                bit_cast::<16, 8>(self.byte.val()) | (bit_cast::<16, 8>(self.byte.val()) << bits::<5>(8));
        }
        for i in 0..2 {
            self.word_factor[i].alpha.next = self.is_alpha.val();
            self.word_factor[i].source.next = self.source16.val();
            self.word_factor[i].source_alpha.next = self.source_alpha16.val();
            self.word_factor[i].destination.next = self.decoded.val();
            self.word_factor[i].destination_alpha.next = self.wide_alpha.val();
            self.word_factor[i].constant.next = self.constant16.val();
        }
        self.word_factor[0].code.next = self.equation.val().get_value_source();
        self.word_factor[1].code.next = self.equation.val().get_value_destination();
        if self.is_alpha.val() {
            self.word_factor[0].code.next = self.equation.val().get_value_alpha_source();
            self.word_factor[1].code.next = self.equation.val().get_value_alpha_destination();
        }
        self.word_product[0].a.next = self.source16.val();
        self.word_product[0].b.next = self.source_factor1.q.val();
        self.word_product[1].a.next = self.old16.q.val();
        self.word_product[1].b.next = self.destination_factor1.q.val();
        self.word_sum.operation.next = self.operation.val().get_bits::<2>(0);
        self.word_sum.source.next = self.source_product1.q.val();
        self.word_sum.destination.next = self.destination_product1.q.val();
        self.word_round.sum.next = self.sum1.q.val();
        // The code of 16 bits: that before the change in their interval, or the next one.
        self.encode.first_line.next = bit_cast::<10, 8>(self.value.q.val().get_bits::<8>(8)) + bits::<10>(512);
        self.offset.next = self.value.q.val().get_bits::<8>(0);
        if !self.value.q.val().get_bits::<2>(14).any() {
            self.encode.first_line.next = bit_cast::<10, 8>(self.value.q.val().get_bits::<8>(6)) + bits::<10>(256);
            self.offset.next = self.value.q.val().get_bits::<8>(0) & bits::<8>(0x3F);
        }
        if !self.value.q.val().get_bits::<4>(12).any() {
            self.encode.first_line.next = bit_cast::<10, 8>(self.value.q.val().get_bits::<8>(4));
            self.offset.next = self.value.q.val().get_bits::<8>(0) & bits::<8>(0x0F);
        }
        self.code.next = self.encode.first.val().get_bits::<8>(8);
        if self.offset.val() >= self.encode.first.val().get_bits::<8>(0) {
            self.code.next = self.encode.first.val().get_bits::<8>(8) + bits::<8>(1);
        }
        // Alpha: divided by 257, to the nearest.
        self.narrowed.next = (bit_cast::<24, 16>(self.value.q.val()) << bits::<5>(8))
            - bit_cast::<24, 16>(self.value.q.val())
            + bits::<24>(32895);
        if self.is_alpha.val() {
            self.code.next = self.narrowed.val().get_bits::<8>(16);
        }
        self.keep.next = bits::<32>(0xFF) << self.byte_at.val();
        self.merged.next =
            (self.new_low.q.val() & !self.keep.val()) | (bit_cast::<32, 8>(self.code.val()) << self.byte_at.val());
    }
}

impl Part<Floats> for BlendPixel {
    #[hdl_gen]
    fn update(&mut self) {
        self.factor_code.next = self.word_factor[0].code.val();
        if self.of_destination.q.val() {
            self.factor_code.next = self.word_factor[1].code.val();
        }
        // What the factor is made of, and how.
        self.factor_half.next = self.source16.val();
        self.inverts.next = false;
        self.is_constant.next = false;
        self.fixed.next = bits::<32>(0);
        if (self.factor_code.val() == bits::<4>(4)) || (self.factor_code.val() == bits::<4>(5)) {
            self.factor_half.next = self.source_alpha16.val();
        }
        if (self.factor_code.val() == bits::<4>(6)) || (self.factor_code.val() == bits::<4>(7)) {
            self.factor_half.next = self.destination16.val();
        }
        if (self.factor_code.val() == bits::<4>(8))
            || (self.factor_code.val() == bits::<4>(9))
            || (self.factor_code.val() == bits::<4>(10))
        {
            self.factor_half.next = self.old_high.q.val().get_bits::<16>(16);
        }
        if (self.factor_code.val() == bits::<4>(11)) || (self.factor_code.val() == bits::<4>(12)) {
            self.factor_half.next = self.constant16.val();
        }
        if (self.factor_code.val() == bits::<4>(3))
            || (self.factor_code.val() == bits::<4>(5))
            || (self.factor_code.val() == bits::<4>(7))
            || (self.factor_code.val() == bits::<4>(9))
            || (self.factor_code.val() == bits::<4>(10))
            || ((self.factor_code.val() == bits::<4>(12)) && !self.fault_blend_invert.val())
        {
            self.inverts.next = true;
        }
        if !self.factor_code.val().get_bits::<3>(1).any() {
            self.is_constant.next = true;
        }
        if (self.factor_code.val() == bits::<4>(1))
            || ((self.factor_code.val() == bits::<4>(10)) && self.is_alpha.val())
        {
            self.is_constant.next = true;
            self.fixed.next = bits::<32>(0x3F80_0000);
        }
        self.ripe.next = self.wait.q.val() == bits::<3>(5);
        self.lane.op.next = bits::<8>(0x57);
        self.lane.a.next = bits::<32>(0);
        self.lane.b.next = bits::<32>(0);
        self.lane.c.next = bits::<32>(0);
        self.waits.next = true;
        match self.step.q.val() {
            PixelStep::Source => {
                self.lane.a.next = bit_cast::<32, 16>(self.source16.val());
            }
            PixelStep::Destination => {
                self.lane.a.next = bit_cast::<32, 16>(self.destination16.val());
            }
            PixelStep::Factor => {
                self.lane.a.next = bit_cast::<32, 16>(self.factor_half.val());
            }
            PixelStep::Alpha => {
                self.lane.a.next = bit_cast::<32, 16>(self.source_alpha16.val());
            }
            PixelStep::Invert => {
                self.lane.op.next = bits::<8>(0x41);
                self.lane.a.next = bits::<32>(0x3F80_0000);
                self.lane.b.next = self.factor.q.val();
            }
            PixelStep::Lesser => {
                self.lane.op.next = bits::<8>(0x45);
                self.lane.a.next = self.other.q.val();
                self.lane.b.next = self.factor.q.val();
            }
            PixelStep::SourceProduct => {
                self.lane.op.next = bits::<8>(0x42);
                self.lane.a.next = self.source.q.val();
                self.lane.b.next = self.source_factor.q.val();
            }
            PixelStep::DestinationProduct => {
                self.lane.op.next = bits::<8>(0x42);
                self.lane.a.next = self.destination.q.val();
                self.lane.b.next = self.destination_factor.q.val();
            }
            PixelStep::Combine => {
                self.lane.op.next = bits::<8>(0x40);
                self.lane.a.next = self.factor.q.val();
                self.lane.b.next = self.other.q.val();
                if self.operation.val() == bits::<3>(1) {
                    self.lane.op.next = bits::<8>(0x41);
                }
                if self.operation.val() == bits::<3>(2) {
                    self.lane.op.next = bits::<8>(0x41);
                    self.lane.a.next = self.other.q.val();
                    self.lane.b.next = self.factor.q.val();
                }
                if self.operation.val() == bits::<3>(3) {
                    self.lane.op.next = bits::<8>(0x45);
                    self.lane.a.next = self.source.q.val();
                    self.lane.b.next = self.destination.q.val();
                }
                if self.operation.val() == bits::<3>(4) {
                    self.lane.op.next = bits::<8>(0x46);
                    self.lane.a.next = self.source.q.val();
                    self.lane.b.next = self.destination.q.val();
                }
            }
            PixelStep::Pack => {
                self.lane.op.next = bits::<8>(0x56);
                self.lane.a.next = self.result.q.val();
            }
            _ => {
                self.waits.next = false;
            }
        }
        self.wait.d.next = bits::<3>(0);
        if self.waits.val() && !self.ripe.val() {
            self.wait.d.next = self.wait.q.val() + bits::<3>(1);
        }
    }
}

// An arm of a kernel has no guard.
#[allow(clippy::collapsible_match)]
impl Part<Steps> for BlendPixel {
    #[hdl_gen]
    fn update(&mut self) {
        self.second.next = false;
        self.mask.next = bits::<4>(0);
        self.new.next = self.new_low.q.val();
        self.done.next = false;
        self.factor_made.next = false;
        self.factor_value.next = self.lane.value.val();
        self.component_made.next = false;
        match self.step.q.val() {
            PixelStep::Lane => {
                self.component.d.next = bits::<2>(0);
                self.of_destination.d.next = false;
                if self.go.val() {
                    if self.lane_at.q.val().get_bit(2) {
                        self.lane_at.d.next = bits::<3>(0);
                        self.done.next = true;
                    } else if self.covered.val() {
                        self.step.d.next = PixelStep::First;
                    } else {
                        self.lane_at.d.next = self.lane_at.q.val() + bits::<3>(1);
                    }
                }
            }
            PixelStep::First => {
                self.second.next = !self.fault_blend_second.val();
                self.old_low.d.next = self.old.val();
                self.new_low.d.next = self.old.val();
                self.step.d.next = PixelStep::Decode;
                if self.halves.val() {
                    self.step.d.next = PixelStep::Second;
                }
            }
            PixelStep::Second => {
                self.old_high.d.next = self.old.val();
                self.new_high.d.next = self.old.val();
                self.step.d.next = PixelStep::Source;
            }
            PixelStep::Decode => {
                self.step.d.next = PixelStep::Factors;
            }
            PixelStep::Factors => {
                self.old16.d.next = self.decoded.val();
                self.source_factor1.d.next = self.word_factor[0].factor.val();
                self.destination_factor1.d.next = self.word_factor[1].factor.val();
                self.step.d.next = PixelStep::Products;
            }
            PixelStep::Products => {
                self.source_product1.d.next = self.word_product[0].product.val();
                self.destination_product1.d.next = self.word_product[1].product.val();
                self.step.d.next = PixelStep::Sum;
            }
            PixelStep::Sum => {
                self.sum1.d.next = self.word_sum.sum.val();
                self.step.d.next = PixelStep::Round;
            }
            PixelStep::Round => {
                self.value.d.next = self.word_round.value.val();
                if self.operation.val() == bits::<3>(3) {
                    self.value.d.next = self.old16.q.val();
                    if self.source16.val() < self.old16.q.val() {
                        self.value.d.next = self.source16.val();
                    }
                }
                if self.operation.val() == bits::<3>(4) {
                    self.value.d.next = self.source16.val();
                    if self.source16.val() < self.old16.q.val() {
                        self.value.d.next = self.old16.q.val();
                    }
                }
                if !self.equation.val().get_value_blends() {
                    self.value.d.next = self.source16.val();
                }
                self.step.d.next = PixelStep::Encode;
            }
            PixelStep::Encode => {
                self.step.d.next = PixelStep::Code;
            }
            PixelStep::Code => {
                if self.written.val() {
                    self.new_low.d.next = self.merged.val();
                }
                self.component_made.next = true;
            }
            PixelStep::Source => {
                if self.ripe.val() {
                    self.source.d.next = self.lane.value.val();
                    self.step.d.next = PixelStep::Destination;
                }
            }
            PixelStep::Destination => {
                if self.ripe.val() {
                    self.destination.d.next = self.lane.value.val();
                    self.step.d.next = PixelStep::Factor;
                }
            }
            PixelStep::Factor => {
                if self.is_constant.val() {
                    self.wait.d.next = bits::<3>(0);
                    self.factor_value.next = self.fixed.val();
                    self.factor_made.next = true;
                } else if self.ripe.val() {
                    self.factor.d.next = self.lane.value.val();
                    self.factor_made.next = !self.inverts.val();
                    self.step.d.next = PixelStep::Invert;
                }
            }
            PixelStep::Invert => {
                if self.ripe.val() {
                    self.factor.d.next = self.lane.value.val();
                    self.factor_made.next = self.factor_code.val() != bits::<4>(10);
                    self.step.d.next = PixelStep::Alpha;
                }
            }
            PixelStep::Alpha => {
                if self.ripe.val() {
                    self.other.d.next = self.lane.value.val();
                    self.step.d.next = PixelStep::Lesser;
                }
            }
            PixelStep::Lesser => {
                if self.ripe.val() {
                    self.factor_made.next = true;
                }
            }
            PixelStep::SourceProduct => {
                if self.ripe.val() {
                    self.factor.d.next = self.lane.value.val();
                    self.step.d.next = PixelStep::DestinationProduct;
                }
            }
            PixelStep::DestinationProduct => {
                if self.ripe.val() {
                    self.other.d.next = self.lane.value.val();
                    self.step.d.next = PixelStep::Combine;
                }
            }
            PixelStep::Combine => {
                if self.ripe.val() {
                    self.result.d.next = self.lane.value.val();
                    self.step.d.next = PixelStep::Pack;
                }
            }
            PixelStep::Pack => {
                if self.ripe.val() {
                    self.component_made.next = true;
                    if self.written.val() {
                        if self.component.q.val() == bits::<2>(0) {
                            self.new_low.d.next = (self.new_low.q.val() & (bits::<32>(0xFFFF) << bits::<5>(16)))
                                | (self.lane.value.val() & bits::<32>(0xFFFF));
                        }
                        if (self.component.q.val() == bits::<2>(1)) && !self.fault_blend_half.val() {
                            self.new_low.d.next =
                                (self.new_low.q.val() & bits::<32>(0xFFFF)) | (self.lane.value.val() << bits::<5>(16));
                        }
                        if self.component.q.val() == bits::<2>(2) {
                            self.new_high.d.next = (self.new_high.q.val() & (bits::<32>(0xFFFF) << bits::<5>(16)))
                                | (self.lane.value.val() & bits::<32>(0xFFFF));
                        }
                        if self.component.q.val() == bits::<2>(3) {
                            self.new_high.d.next =
                                (self.new_high.q.val() & bits::<32>(0xFFFF)) | (self.lane.value.val() << bits::<5>(16));
                        }
                    }
                }
            }
            PixelStep::Write => {
                self.mask.next = self.bit.val();
                self.step.d.next = PixelStep::WriteSecond;
                if !self.halves.val() {
                    self.step.d.next = PixelStep::Lane;
                    self.lane_at.d.next = self.lane_at.q.val() + bits::<3>(1);
                }
            }
            PixelStep::WriteSecond => {
                self.second.next = true;
                self.mask.next = self.bit.val();
                self.new.next = self.new_high.q.val();
                self.step.d.next = PixelStep::Lane;
                self.lane_at.d.next = self.lane_at.q.val() + bits::<3>(1);
            }
        }
        if self.factor_made.val() {
            self.of_destination.d.next = true;
            self.step.d.next = PixelStep::Factor;
            if self.of_destination.q.val() {
                self.destination_factor.d.next = self.factor_value.val();
                self.of_destination.d.next = false;
                self.step.d.next = PixelStep::SourceProduct;
            } else {
                self.source_factor.d.next = self.factor_value.val();
            }
        }
        if self.component_made.val() {
            self.component.d.next = self.component.q.val() + bits::<2>(1);
            self.step.d.next = PixelStep::Decode;
            if self.halves.val() {
                self.step.d.next = PixelStep::Source;
            }
            if self.is_alpha.val() {
                self.step.d.next = PixelStep::Write;
            }
        }
    }
}
