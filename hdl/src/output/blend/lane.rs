//! Four components of 8 bits of one lane, blended: factors, products, sums, rounding, and the write
//! mask's choice between the new byte and the old one.
//!
//! Latency 4 cycles from operands to word, one per cycle; nothing holds it up. What decides comes
//! from the block around, in the stage in which it is needed. It can be wrong in a byte that takes
//! another byte's part; `tests/blend.rs` blends four different components in every lane.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use super::word::Equation;
use crate::base::parts::Part;
use crate::base::{vector, Planted};
use crate::cell::blend::{ByteFactor, ByteProduct, ByteRound, ByteSum};
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::{comment, kernel_of};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct BlendLane {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Equation of the target, as word 28 + t of a state record: of the operands.
    pub equation: Signal<In, Bits<32>>,
    /// The fragment's word.
    pub source: Signal<In, Bits<32>>,
    /// The word in the tile buffer.
    pub destination: Signal<In, Bits<32>>,
    /// The constant colour.
    pub constant: Signal<In, Bits<32>>,
    /// Operation of red, green and blue, two cycles later.
    pub colour_operation: Signal<In, Bits<3>>,
    /// Operation of alpha, two cycles later.
    pub alpha_operation: Signal<In, Bits<3>>,
    /// Bytes that are written, three cycles later.
    pub bytes: Signal<In, Bits<4>>,
    /// The word to be written, four cycles later.
    pub word: Signal<Out, Bits<32>>,
    source_factor: Vec<ByteFactor>,
    destination_factor: Vec<ByteFactor>,
    source_product: Vec<ByteProduct>,
    destination_product: Vec<ByteProduct>,
    sum: Vec<ByteSum>,
    round: Vec<ByteRound>,
    operation: Vec<Signal<Local, Bits<3>>>,
    own_source: Vec<Signal<Local, Bits<8>>>,
    own_destination: Vec<Signal<Local, Bits<8>>>,
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
    destination3: DFF<Bits<32>>,
    word4: DFF<Bits<32>>,
    fault_blend_alpha_operation: Planted,
    fault_blend_round: Planted,
    _active: bool,
}

impl BlendLane {
    /// Planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            source_factor: vector(4),
            destination_factor: vector(4),
            source_product: vector(4),
            destination_product: vector(4),
            sum: vector(4),
            round: vector(4),
            operation: vector(4),
            own_source: vector(4),
            own_destination: vector(4),
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

kernel_of! { BlendLane:
    /// First stage.
    Factors,
    /// Second stage.
    Products,
    /// Third stage.
    Sums,
    /// Fourth stage.
    Merge,
}

impl Part<Factors> for BlendLane {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: blend_lane");
        dff_setup!(self, clock, source1, destination1, source2, destination2, destination3, word4);
        for k in 0..4 {
            self.source_factor[k].code.next = self.equation.val().get_value_source();
            self.destination_factor[k].code.next = self.equation.val().get_value_destination();
            self.source_factor[k].alpha.next = false;
            self.source_factor[k].source.next = self.source.val().get_bits::<8>(8 * k);
            self.source_factor[k].source_alpha.next = self.source.val().get_bits::<8>(24);
            self.source_factor[k].destination.next = self.destination.val().get_bits::<8>(8 * k);
            self.source_factor[k].destination_alpha.next = self.destination.val().get_bits::<8>(24);
            self.source_factor[k].constant.next = self.constant.val().get_bits::<8>(8 * k);
            self.destination_factor[k].alpha.next = false;
            self.destination_factor[k].source.next = self.source.val().get_bits::<8>(8 * k);
            self.destination_factor[k].source_alpha.next = self.source.val().get_bits::<8>(24);
            self.destination_factor[k].destination.next = self.destination.val().get_bits::<8>(8 * k);
            self.destination_factor[k].destination_alpha.next = self.destination.val().get_bits::<8>(24);
            self.destination_factor[k].constant.next = self.constant.val().get_bits::<8>(8 * k);
            self.source_factor1[k].clock.next = self.clock.val();
            self.source_factor1[k].d.next = self.source_factor[k].factor.val();
            self.destination_factor1[k].clock.next = self.clock.val();
            self.destination_factor1[k].d.next = self.destination_factor[k].factor.val();
        }
        self.source_factor[3].code.next = self.equation.val().get_value_alpha_source();
        self.destination_factor[3].code.next = self.equation.val().get_value_alpha_destination();
        self.source_factor[3].alpha.next = true;
        self.destination_factor[3].alpha.next = true;
        self.source1.d.next = self.source.val();
        self.destination1.d.next = self.destination.val();
    }
}

impl Part<Products> for BlendLane {
    #[hdl_gen]
    fn update(&mut self) {
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
}

impl Part<Sums> for BlendLane {
    #[hdl_gen]
    fn update(&mut self) {
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
            // The lesser (operation 3), the greater (4), or the source as it is (7).
            self.own_source[k].next = self.source2.q.val().get_bits::<8>(8 * k);
            self.own_destination[k].next = self.destination2.q.val().get_bits::<8>(8 * k);
            self.direct3[k].clock.next = self.clock.val();
            self.direct3[k].d.next = self.own_source[k].val();
            if (self.operation[k].val() != bits::<3>(7))
                && ((self.own_source[k].val() < self.own_destination[k].val())
                    == (self.operation[k].val() == bits::<3>(4)))
            {
                self.direct3[k].d.next = self.own_destination[k].val();
            }
            self.rounded3[k].clock.next = self.clock.val();
            self.rounded3[k].d.next = self.operation[k].val() < bits::<3>(3);
        }
        self.destination3.d.next = self.destination2.q.val();
    }
}

impl Part<Merge> for BlendLane {
    #[hdl_gen]
    fn update(&mut self) {
        for k in 0..4 {
            self.round[k].sum.next = self.sum3[k].q.val();
            if self.fault_blend_round.val() {
                self.round[k].sum.next = self.sum3[k].q.val() & bits::<17>(0x1_FFFE);
            }
            self.chosen[k].next = self.destination3.q.val().get_bits::<8>(8 * k);
            if self.bytes.val().get_bit(k) {
                self.chosen[k].next = self.direct3[k].q.val();
                if self.rounded3[k].q.val() {
                    self.chosen[k].next = self.round[k].value.val();
                }
            }
        }
        self.word4.d.next = bit_cast::<32, 8>(self.chosen[0].val())
            | (bit_cast::<32, 8>(self.chosen[1].val()) << bits::<5>(8))
            | (bit_cast::<32, 8>(self.chosen[2].val()) << bits::<5>(16))
            | (bit_cast::<32, 8>(self.chosen[3].val()) << bits::<5>(24));
        self.word.next = self.word4.q.val();
    }
}
