//! Four components of 8 bits of one lane, blended: factors, products, sums, rounding. A byte that
//! the write mask leaves out is the old one, taken as it is.
//!
//! Latency 4 cycles from operands to word, one per cycle; nothing holds it up. What decides comes
//! from the block around, in the stage in which it is needed. It can be wrong in a byte that takes
//! another byte's part; `tests/blend.rs` blends four different components in every lane.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::cell::blend::{ByteOrder, ByteProduct, ByteRound, ByteSelect, ByteSum, FactorBits};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct BlendLane {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Operands that the factor of the fragment's colour uses: bits of [`FactorBits`].
    pub source_choice: Signal<In, Bits<7>>,
    /// That of the target's colour.
    pub destination_choice: Signal<In, Bits<7>>,
    /// That of the fragment's alpha.
    pub alpha_source_choice: Signal<In, Bits<7>>,
    /// That of the target's alpha.
    pub alpha_destination_choice: Signal<In, Bits<7>>,
    /// The constant where the fragment's factors use it, else 0.
    pub source_constant: Signal<In, Bits<32>>,
    /// The constant where the target's factors use it, else 0.
    pub destination_constant: Signal<In, Bits<32>>,
    /// The fragment's word.
    pub source: Signal<In, Bits<32>>,
    /// The word in the tile buffer.
    pub destination: Signal<In, Bits<32>>,
    /// Operation of red, green and blue, two cycles later; 7 takes the fragment's byte.
    pub colour_operation: Signal<In, Bits<3>>,
    /// Operation of alpha, two cycles later.
    pub alpha_operation: Signal<In, Bits<3>>,
    /// Bytes that are written, two cycles later.
    pub bytes: Signal<In, Bits<4>>,
    /// The word to be written, four cycles later.
    pub word: Signal<Out, Bits<32>>,
    alphas: Signal<Local, Bits<9>>,
    source_alpha: Signal<Local, Bits<8>>,
    destination_alpha: Signal<Local, Bits<8>>,
    /// The fragment's alpha, or the lesser one of one less the target's, of each product.
    lesser: Vec<Signal<Local, Bits<8>>>,
    source_factor: Vec<ByteSelect>,
    destination_factor: Vec<ByteSelect>,
    source_product: Vec<ByteProduct>,
    destination_product: Vec<ByteProduct>,
    sum: Vec<ByteSum>,
    round: Vec<ByteRound>,
    operation: Vec<Signal<Local, Bits<3>>>,
    own_source: Vec<Signal<Local, Bits<8>>>,
    own_destination: Vec<Signal<Local, Bits<8>>>,
    order: Vec<ByteOrder>,
    chosen: Vec<Signal<Local, Bits<8>>>,
    // Operands and factors.
    source1: DFF<Bits<32>>,
    destination1: DFF<Bits<32>>,
    source_factor1: Vec<DFF<Bits<8>>>,
    destination_factor1: Vec<DFF<Bits<8>>>,
    // Products.
    source2: DFF<Bits<32>>,
    destination2: DFF<Bits<32>>,
    source_product2: Vec<DFF<Bits<16>>>,
    destination_product2: Vec<DFF<Bits<16>>>,
    // Sums; what needs no rounding.
    sum3: Vec<DFF<Bits<17>>>,
    direct3: Vec<DFF<Bits<8>>>,
    rounded3: Vec<DFF<bool>>,
    word4: DFF<Bits<32>>,
    fault_blend_alpha_operation: Planted,
    fault_blend_round: Planted,
    _active: bool,
}

impl BlendLane {
    /// Planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            lesser: vector(2),
            source_factor: vector(4),
            destination_factor: vector(4),
            source_product: vector(4),
            destination_product: vector(4),
            sum: vector(4),
            round: vector(4),
            operation: vector(4),
            own_source: vector(4),
            own_destination: vector(4),
            order: vector(4),
            chosen: vector(4),
            source_factor1: vector(4),
            destination_factor1: vector(4),
            source_product2: vector(4),
            destination_product2: vector(4),
            sum3: vector(4),
            direct3: vector(4),
            rounded3: vector(4),
            fault_blend_alpha_operation: Planted::new(config.has(Fault::BlendAlphaOperation)),
            fault_blend_round: Planted::new(config.has(Fault::BlendRound)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl BlendLane {
    /// First stage.
    fn factors(&mut self) {
        comment!("module: blend_lane");
        dff_setup!(self, clock, source1, destination1, source2, destination2, word4);
        self.source_alpha.next = self.source.val().get_bits::<8>(24);
        self.destination_alpha.next = self.destination.val().get_bits::<8>(24);
        // One less the target's alpha is the lesser if both are more than 1.
        self.alphas.next = bit_cast::<9, 8>(self.source_alpha.val()) + bit_cast::<9, 8>(self.destination_alpha.val());
        self.lesser[0].next = self.source_alpha.val();
        self.lesser[1].next = self.source_alpha.val();
        if self.alphas.val().get_bit(8) && self.source_choice.val().get_value_saturates() {
            self.lesser[0].next = !self.destination_alpha.val();
        }
        if self.alphas.val().get_bit(8) && self.destination_choice.val().get_value_saturates() {
            self.lesser[1].next = !self.destination_alpha.val();
        }
        for k in 0..4 {
            self.source_factor[k].choice.next = self.source_choice.val();
            self.source_factor[k].source.next = self.source.val().get_bits::<8>(8 * k);
            self.source_factor[k].source_alpha.next = self.lesser[0].val();
            self.source_factor[k].destination.next = self.destination.val().get_bits::<8>(8 * k);
            self.source_factor[k].destination_alpha.next = self.destination_alpha.val();
            self.source_factor[k].constant.next = self.source_constant.val().get_bits::<8>(8 * k);
            self.destination_factor[k].choice.next = self.destination_choice.val();
            self.destination_factor[k].source.next = self.source.val().get_bits::<8>(8 * k);
            self.destination_factor[k].source_alpha.next = self.lesser[1].val();
            self.destination_factor[k].destination.next = self.destination.val().get_bits::<8>(8 * k);
            self.destination_factor[k].destination_alpha.next = self.destination_alpha.val();
            self.destination_factor[k].constant.next = self.destination_constant.val().get_bits::<8>(8 * k);
            self.source_factor1[k].clock.next = self.clock.val();
            self.source_factor1[k].d.next = self.source_factor[k].factor.val();
            self.destination_factor1[k].clock.next = self.clock.val();
            self.destination_factor1[k].d.next = self.destination_factor[k].factor.val();
        }
        self.source_factor[3].choice.next = self.alpha_source_choice.val();
        self.source_factor[3].source_alpha.next = self.source_alpha.val();
        self.destination_factor[3].choice.next = self.alpha_destination_choice.val();
        self.destination_factor[3].source_alpha.next = self.source_alpha.val();
        self.source1.d.next = self.source.val();
        self.destination1.d.next = self.destination.val();
    }

    /// Second stage.
    fn products(&mut self) {
        for k in 0..4 {
            self.source_product[k].a.next = self.source1.q.val().get_bits::<8>(8 * k);
            self.source_product[k].b.next = self.source_factor1[k].q.val();
            self.destination_product[k].a.next = self.destination1.q.val().get_bits::<8>(8 * k);
            self.destination_product[k].b.next = self.destination_factor1[k].q.val();
            self.source_product2[k].clock.next = self.clock.val();
            self.source_product2[k].d.next = self.source_product[k].product.val();
            self.destination_product2[k].clock.next = self.clock.val();
            self.destination_product2[k].d.next = self.destination_product[k].product.val();
        }
        self.source2.d.next = self.source1.q.val();
        self.destination2.d.next = self.destination1.q.val();
    }

    /// Third stage.
    fn sums(&mut self) {
        for k in 0..3 {
            self.operation[k].next = self.colour_operation.val();
        }
        self.operation[3].next = self.alpha_operation.val();
        if self.fault_blend_alpha_operation.val() {
            self.operation[3].next = self.colour_operation.val();
        }
        for k in 0..4 {
            self.sum[k].operation.next = self.operation[k].val().get_bits::<2>(0);
            self.sum[k].source.next = self.source_product2[k].q.val();
            self.sum[k].destination.next = self.destination_product2[k].q.val();
            self.sum3[k].clock.next = self.clock.val();
            self.sum3[k].d.next = self.sum[k].sum.val();
            // What is not written, the lesser (operation 3), the greater (4), or the source (7).
            self.own_source[k].next = self.source2.q.val().get_bits::<8>(8 * k);
            self.own_destination[k].next = self.destination2.q.val().get_bits::<8>(8 * k);
            self.order[k].operation.next = self.operation[k].val();
            self.order[k].written.next = self.bytes.val().get_bit(k);
            self.order[k].source.next = self.own_source[k].val();
            self.order[k].destination.next = self.own_destination[k].val();
            self.direct3[k].clock.next = self.clock.val();
            self.direct3[k].d.next = self.order[k].direct.val();
            self.rounded3[k].clock.next = self.clock.val();
            self.rounded3[k].d.next = self.order[k].rounded.val();
        }
    }

    /// Fourth stage.
    fn merge(&mut self) {
        for k in 0..4 {
            self.round[k].sum.next = self.sum3[k].q.val();
            if self.fault_blend_round.val() {
                self.round[k].sum.next = self.sum3[k].q.val() & bits::<17>(0x1_FFFE);
            }
            self.chosen[k].next = self.direct3[k].q.val();
            if self.rounded3[k].q.val() {
                self.chosen[k].next = self.round[k].value.val();
            }
        }
        self.word4.d.next = bit_cast::<32, 8>(self.chosen[0].val())
            | (bit_cast::<32, 8>(self.chosen[1].val()) << bits::<5>(8))
            | (bit_cast::<32, 8>(self.chosen[2].val()) << bits::<5>(16))
            | (bit_cast::<32, 8>(self.chosen[3].val()) << bits::<5>(24));
        self.word.next = self.word4.q.val();
    }
}
