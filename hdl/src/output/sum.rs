//! Sum of two f32, rounded once: `FADD` of docs/float.md, infinities, NaNs and subnormal numbers
//! too.
//!
//! ```text
//! a, b -> alignment -> difference -> sum -> places to move -> rounding -> sum
//! ```
//!
//! Latency 5 cycles, one sum per cycle; nothing holds it up. It can be wrong in the sign of zero
//! and in a sum of infinities; `tests/tile_buffers.rs` resolves both, `tests/blend_floats.rs`
//! drives the cells.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::vector;
use crate::cell::blend::{SumAlign, SumPack, SumPart, SumPlaces, SumTotal};
use crate::comment;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct FloatSum {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// f32.
    pub a: Signal<In, Bits<32>>,
    /// f32.
    pub b: Signal<In, Bits<32>>,
    /// Their sum, five cycles later.
    pub sum: Signal<Out, Bits<32>>,
    align: SumAlign,
    part: SumPart,
    add: SumTotal,
    places: SumPlaces,
    pack: SumPack,
    a_top: Signal<Local, bool>,
    b_top: Signal<Local, bool>,
    a_nan: Signal<Local, bool>,
    b_nan: Signal<Local, bool>,
    differ: Signal<Local, bool>,
    zero: Signal<Local, bool>,
    field1: DFF<Bits<8>>,
    big1: DFF<Bits<24>>,
    little1: DFF<Bits<27>>,
    places1: DFF<Bits<3>>,
    lessens1: DFF<bool>,
    field2: DFF<Bits<8>>,
    big2: DFF<Bits<24>>,
    part2: DFF<Bits<35>>,
    field3: DFF<Bits<8>>,
    total3: DFF<Bits<28>>,
    field4: DFF<Bits<8>>,
    total4: DFF<Bits<28>>,
    places4: DFF<Bits<5>>,
    negative4: DFF<bool>,
    sum5: DFF<Bits<32>>,
    /// What goes along: element i is cycle i + 1. The greater is negative; both are; NaN; infinity.
    negative_p: Vec<DFF<bool>>,
    below_p: Vec<DFF<bool>>,
    nan_p: Vec<DFF<bool>>,
    infinite_p: Vec<DFF<bool>>,
    _active: bool,
}

impl FloatSum {
    /// Zeros on the way.
    pub fn new() -> Self {
        Self {
            negative_p: vector(3),
            below_p: vector(3),
            nan_p: vector(4),
            infinite_p: vector(4),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl FloatSum {
    /// Alignment, and what goes along with it.
    fn start(&mut self) {
        comment!("module: float_sum");
        dff_setup!(self, clock, field1, big1, little1, places1, lessens1);
        self.a_top.next = self.a.val().get_bits::<8>(23).all();
        self.b_top.next = self.b.val().get_bits::<8>(23).all();
        self.a_nan.next = self.a_top.val() && self.a.val().get_bits::<23>(0).any();
        self.b_nan.next = self.b_top.val() && self.b.val().get_bits::<23>(0).any();
        self.differ.next = self.a.val().get_bit(31) != self.b.val().get_bit(31);
        self.align.a.next = self.a.val().get_bits::<31>(0);
        self.align.b.next = self.b.val().get_bits::<31>(0);
        self.field1.d.next = self.align.field.val();
        self.big1.d.next = self.align.big.val();
        self.little1.d.next = self.align.little.val();
        self.places1.d.next = self.align.places.val();
        self.lessens1.d.next = self.differ.val();
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
        self.negative_p[0].d.next = self.a.val().get_bit(31);
        if self.align.swapped.val() {
            self.negative_p[0].d.next = self.b.val().get_bit(31);
        }
        self.below_p[0].d.next = self.a.val().get_bit(31) && self.b.val().get_bit(31);
        self.nan_p[0].d.next =
            self.a_nan.val() || self.b_nan.val() || (self.a_top.val() && self.b_top.val() && self.differ.val());
        self.infinite_p[0].d.next = self.a_top.val() || self.b_top.val();
    }

    /// Sum.
    fn sum(&mut self) {
        dff_setup!(self, clock, field2, big2, part2, field3, total3, field4, total4, places4, negative4);
        self.part.little.next = self.little1.q.val();
        self.part.places.next = self.places1.q.val();
        self.part.lessens.next = self.lessens1.q.val();
        self.part2.d.next = self.part.part.val();
        self.big2.d.next = self.big1.q.val();
        self.field2.d.next = self.field1.q.val();
        self.add.big.next = self.big2.q.val();
        self.add.part.next = self.part2.q.val();
        self.total3.d.next = self.add.total.val();
        self.field3.d.next = self.field2.q.val();
        self.places.total.next = self.total3.q.val();
        self.places.field.next = self.field3.q.val();
        self.places4.d.next = self.places.places.val();
        self.total4.d.next = self.total3.q.val();
        self.field4.d.next = self.field3.q.val();
        // A sum of 0 is +0, but of two -0 it is -0.
        self.zero.next = !self.total3.q.val().any();
        self.negative4.d.next = self.negative_p[2].q.val();
        if self.zero.val() {
            self.negative4.d.next = self.below_p[2].q.val();
        }
    }

    /// Rounding.
    fn round(&mut self) {
        dff_setup!(self, clock, sum5);
        self.pack.total.next = self.total4.q.val();
        self.pack.field.next = self.field4.q.val();
        self.pack.places.next = self.places4.q.val();
        self.sum5.d.next = bit_cast::<32, 31>(self.pack.magnitude.val());
        if self.infinite_p[3].q.val() {
            self.sum5.d.next = bits::<32>(0x7F80_0000);
        }
        if self.negative4.q.val() {
            self.sum5.d.next = bit_cast::<32, 31>(self.pack.magnitude.val()) | (bits::<32>(1) << bits::<5>(31));
            if self.infinite_p[3].q.val() {
                self.sum5.d.next = bits::<32>(0x1FF) << bits::<5>(23);
            }
        }
        if self.nan_p[3].q.val() {
            self.sum5.d.next = bits::<32>(0x7FC0_0000);
        }
        self.sum.next = self.sum5.q.val();
    }
}
