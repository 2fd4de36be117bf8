//! Sum of two f32, rounded once: `FADD` of docs/float.md, infinities, NaNs and subnormal numbers
//! too.
//!
//! ```text
//! a, b -> alignment -> sum -> places to move -> rounding -> sum
//! ```
//!
//! Latency 4 cycles, one sum per cycle; nothing holds it up. It can be wrong in the sign of zero
//! and in a sum of infinities; `tests/tile_buffers.rs` resolves both, `tests/blend_floats.rs`
//! drives the cells.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use crate::cell::blend::{SumAlign, SumPack, SumPlaces, SumTotal};
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
    /// Their sum, four cycles later.
    pub sum: Signal<Out, Bits<32>>,
    align: SumAlign,
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
    part1: DFF<Bits<27>>,
    lessens1: DFF<bool>,
    negative1: DFF<bool>,
    /// Both are negative.
    below1: DFF<bool>,
    nan1: DFF<bool>,
    infinite1: DFF<bool>,
    field2: DFF<Bits<8>>,
    total2: DFF<Bits<28>>,
    negative2: DFF<bool>,
    below2: DFF<bool>,
    nan2: DFF<bool>,
    infinite2: DFF<bool>,
    field3: DFF<Bits<8>>,
    total3: DFF<Bits<28>>,
    places3: DFF<Bits<5>>,
    negative3: DFF<bool>,
    nan3: DFF<bool>,
    infinite3: DFF<bool>,
    sum4: DFF<Bits<32>>,
    _active: bool,
}

impl FloatSum {
    /// Zeros on the way.
    pub fn new() -> Self {
        Self { _active: true, ..Default::default() }
    }
}

impl Logic for FloatSum {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: float_sum");
        dff_setup!(self, clock, field1, big1, part1, lessens1, negative1, below1, nan1, infinite1);
        dff_setup!(self, clock, field2, total2, negative2, below2, nan2, infinite2);
        dff_setup!(self, clock, field3, total3, places3, negative3, nan3, infinite3, sum4);
        // Alignment.
        self.a_top.next = self.a.val().get_bits::<8>(23).all();
        self.b_top.next = self.b.val().get_bits::<8>(23).all();
        self.a_nan.next = self.a_top.val() && self.a.val().get_bits::<23>(0).any();
        self.b_nan.next = self.b_top.val() && self.b.val().get_bits::<23>(0).any();
        self.differ.next = self.a.val().get_bit(31) != self.b.val().get_bit(31);
        self.align.a.next = self.a.val().get_bits::<31>(0);
        self.align.b.next = self.b.val().get_bits::<31>(0);
        self.align.lessens.next = self.differ.val();
        self.field1.d.next = self.align.field.val();
        self.big1.d.next = self.align.big.val();
        self.part1.d.next = self.align.part.val();
        self.lessens1.d.next = self.differ.val();
        self.negative1.d.next = self.a.val().get_bit(31);
        if self.align.swapped.val() {
            self.negative1.d.next = self.b.val().get_bit(31);
        }
        self.below1.d.next = self.a.val().get_bit(31) && self.b.val().get_bit(31);
        self.nan1.d.next =
            self.a_nan.val() || self.b_nan.val() || (self.a_top.val() && self.b_top.val() && self.differ.val());
        self.infinite1.d.next = self.a_top.val() || self.b_top.val();
        // Sum.
        self.add.big.next = self.big1.q.val();
        self.add.part.next = self.part1.q.val();
        self.add.lessens.next = self.lessens1.q.val();
        self.total2.d.next = self.add.total.val();
        self.field2.d.next = self.field1.q.val();
        self.negative2.d.next = self.negative1.q.val();
        self.below2.d.next = self.below1.q.val();
        self.nan2.d.next = self.nan1.q.val();
        self.infinite2.d.next = self.infinite1.q.val();
        // Places.
        self.places.total.next = self.total2.q.val();
        self.places.field.next = self.field2.q.val();
        self.places3.d.next = self.places.places.val();
        self.total3.d.next = self.total2.q.val();
        self.field3.d.next = self.field2.q.val();
        // A sum of 0 is +0, but of two -0 it is -0.
        self.zero.next = !self.total2.q.val().any();
        self.negative3.d.next = self.negative2.q.val();
        if self.zero.val() {
            self.negative3.d.next = self.below2.q.val();
        }
        self.nan3.d.next = self.nan2.q.val();
        self.infinite3.d.next = self.infinite2.q.val();
        // Rounding.
        self.pack.total.next = self.total3.q.val();
        self.pack.field.next = self.field3.q.val();
        self.pack.places.next = self.places3.q.val();
        self.sum4.d.next = bit_cast::<32, 31>(self.pack.magnitude.val());
        if self.infinite3.q.val() {
            self.sum4.d.next = bits::<32>(0x7F80_0000);
        }
        if self.negative3.q.val() {
            self.sum4.d.next = bit_cast::<32, 31>(self.pack.magnitude.val()) | (bits::<32>(1) << bits::<5>(31));
            if self.infinite3.q.val() {
                self.sum4.d.next = bits::<32>(0x1FF) << bits::<5>(23);
            }
        }
        if self.nan3.q.val() {
            self.sum4.d.next = bits::<32>(0x7FC0_0000);
        }
        self.sum.next = self.sum4.q.val();
    }
}
