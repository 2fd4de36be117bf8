//! Two products of halves and their sum, as a half: `FMUL`, `FMUL`, `FADD` or `FSUB`, `PK.F16` of
//! docs/graphics.md, "Tests and blending", each rounded as it stands there.
//!
//! ```text
//! colour, factor -> product -> alignment -> difference -> sum -> leading bit -> f32, f16
//! colour, factor -> product ----^
//! ```
//!
//! Latency 9 cycles, one result per cycle; nothing holds it up. It can be wrong in the sign of a
//! zero or of an infinity, and in two roundings that are one; `tests/blend.rs` compares with
//! `rustc_apfloat`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::product::BlendProduct;
use crate::base::{vector, Planted};
use crate::cell::blend::{RoundHalf, SumAlign, SumNormal, SumPart, SumTotal};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct BlendFloat {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// The fragment's colour and the target's, halves.
    pub colour: Vec<Signal<In, Bits<16>>>,
    /// What their factors are made of, halves.
    pub factor: Vec<Signal<In, Bits<16>>>,
    /// One less that.
    pub inverts: Vec<Signal<In, bool>>,
    /// 0 the sum, 1 the fragment's less the target's, 2 the target's less the fragment's.
    pub operation: Signal<In, Bits<2>>,
    /// The result is a NaN whatever comes.
    pub nan: Signal<In, bool>,
    /// The half, nine cycles later.
    pub half: Signal<Out, Bits<16>>,
    product: Vec<BlendProduct>,
    /// Operation, 1:0, and NaN, 2: element i is a cycle later.
    along: Signal<Local, Bits<3>>,
    along_p: Vec<DFF<Bits<3>>>,
    source_negative: Signal<Local, bool>,
    destination_negative: Signal<Local, bool>,
    differ: Signal<Local, bool>,
    align: SumAlign,
    part: SumPart,
    add: SumTotal,
    normal: SumNormal,
    round: RoundHalf,
    zero: Signal<Local, bool>,
    field5: DFF<Bits<8>>,
    big5: DFF<Bits<24>>,
    little5: DFF<Bits<27>>,
    places5: DFF<Bits<3>>,
    lessens5: DFF<bool>,
    field6: DFF<Bits<8>>,
    big6: DFF<Bits<24>>,
    part6: DFF<Bits<35>>,
    field7: DFF<Bits<8>>,
    total7: DFF<Bits<28>>,
    normal8: DFF<Bits<28>>,
    exponent8: DFF<Bits<8>>,
    negative8: DFF<bool>,
    half9: DFF<Bits<16>>,
    /// What goes along: element i is cycle i + 5. The result's sign if it is not 0; both are
    /// negative; NaN; infinity.
    negative_p: Vec<DFF<bool>>,
    below_p: Vec<DFF<bool>>,
    nan_p: Vec<DFF<bool>>,
    infinite_p: Vec<DFF<bool>>,
    fault_blend_zero: Planted,
    _active: bool,
}

impl BlendFloat {
    /// At rest, with the planted faults of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            colour: vector(2),
            factor: vector(2),
            inverts: vector(2),
            product: (0..2).map(|_| BlendProduct::new(config)).collect(),
            along_p: vector(4),
            negative_p: vector(3),
            below_p: vector(3),
            nan_p: vector(4),
            infinite_p: vector(4),
            fault_blend_zero: Planted::new(config.has(Fault::BlendZero)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl BlendFloat {
    /// The products.
    fn products(&mut self) {
        comment!("module: blend_float");
        for i in 0..2 {
            clock!(self, clock, product[i]);
            self.product[i].colour.next = self.colour[i].val();
            self.product[i].factor.next = self.factor[i].val();
            self.product[i].inverts.next = self.inverts[i].val();
        }
        self.along.next = bit_cast::<3, 2>(self.operation.val());
        if self.nan.val() {
            self.along.next = bits::<3>(4);
        }
        for i in 0..4 {
            self.along_p[i].clock.next = self.clock.val();
        }
        self.along_p[0].d.next = self.along.val();
        for i in 0..3 {
            self.along_p[i + 1].d.next = self.along_p[i].q.val();
        }
    }

    /// Their sum.
    fn sum(&mut self) {
        dff_setup!(self, clock, field5, big5, little5, places5, lessens5, field6, big6, part6, field7, total7);
        for i in 0..3 {
            self.negative_p[i].clock.next = self.clock.val();
            self.below_p[i].clock.next = self.clock.val();
        }
        for i in 0..4 {
            self.nan_p[i].clock.next = self.clock.val();
            self.infinite_p[i].clock.next = self.clock.val();
        }
        for i in 0..2 {
            self.negative_p[i + 1].d.next = self.negative_p[i].q.val();
            self.below_p[i + 1].d.next = self.below_p[i].q.val();
        }
        for i in 0..3 {
            self.nan_p[i + 1].d.next = self.nan_p[i].q.val();
            self.infinite_p[i + 1].d.next = self.infinite_p[i].q.val();
        }
        self.source_negative.next = self.product[0].negative.val() != self.along_p[3].q.val().get_bit(1);
        self.destination_negative.next = self.product[1].negative.val() != self.along_p[3].q.val().get_bit(0);
        self.differ.next = self.source_negative.val() != self.destination_negative.val();
        self.align.a.next = self.product[0].magnitude.val();
        self.align.b.next = self.product[1].magnitude.val();
        self.field5.d.next = self.align.field.val();
        self.big5.d.next = self.align.big.val();
        self.little5.d.next = self.align.little.val();
        self.places5.d.next = self.align.places.val();
        self.lessens5.d.next = self.differ.val();
        // The sign is that of an infinity, else of what is greater.
        self.negative_p[0].d.next = self.source_negative.val();
        if (self.align.swapped.val() && !self.product[0].infinite.val()) || self.product[1].infinite.val() {
            self.negative_p[0].d.next = self.destination_negative.val();
        }
        self.below_p[0].d.next = self.source_negative.val() && self.destination_negative.val();
        self.infinite_p[0].d.next = self.product[0].infinite.val() || self.product[1].infinite.val();
        self.nan_p[0].d.next = self.product[0].nan.val()
            || self.product[1].nan.val()
            || self.along_p[3].q.val().get_bit(2)
            || (self.product[0].infinite.val() && self.product[1].infinite.val() && self.differ.val());
        self.part.little.next = self.little5.q.val();
        self.part.places.next = self.places5.q.val();
        self.part.lessens.next = self.lessens5.q.val();
        self.part6.d.next = self.part.part.val();
        self.big6.d.next = self.big5.q.val();
        self.field6.d.next = self.field5.q.val();
        self.add.big.next = self.big6.q.val();
        self.add.part.next = self.part6.q.val();
        self.total7.d.next = self.add.total.val();
        self.field7.d.next = self.field6.q.val();
    }

    /// As a half.
    fn round(&mut self) {
        dff_setup!(self, clock, normal8, exponent8, negative8, half9);
        self.normal.total.next = self.total7.q.val();
        self.normal.field.next = self.field7.q.val();
        self.normal8.d.next = self.normal.normal.val();
        self.exponent8.d.next = self.normal.exponent.val();
        // A sum of 0 is +0, but of two -0 it is -0.
        self.zero.next = !self.normal.normal.val().get_bit(27) && !self.infinite_p[2].q.val();
        self.negative8.d.next = self.negative_p[2].q.val();
        if self.zero.val() && !self.fault_blend_zero.val() {
            self.negative8.d.next = self.below_p[2].q.val();
        }
        if self.nan_p[2].q.val() {
            self.negative8.d.next = false;
        }
        self.round.normal.next = self.normal8.q.val();
        self.round.exponent.next = self.exponent8.q.val();
        self.round.infinite.next = self.infinite_p[3].q.val();
        self.round.nan.next = self.nan_p[3].q.val();
        self.half9.d.next = bit_cast::<16, 15>(self.round.half.val());
        if self.negative8.q.val() {
            self.half9.d.next = bit_cast::<16, 15>(self.round.half.val()) | bits::<16>(0x8000);
        }
        self.half.next = self.half9.q.val();
    }
}
