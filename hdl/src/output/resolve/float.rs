//! Means of floats, component by component: for each sample all eight components of a line, so
//! that the sum of a component is there when its next sample comes.
//!
//! ```text
//! half -> f32 -> sum with the one kept -> kept
//!                                      '-> share -> half
//! ```
//!
//! Of halves a component is one of a word's two; of f32 a word comes twice, and its second time
//! counts. A first sample is added to -0, which changes nothing.
//!
//! Latency 10 cycles from a last sample to the word, one component per cycle. A component must come
//! again after eight cycles, not before. It can be wrong in that distance, and in a share that is
//! subnormal; `tests/tile_buffers.rs` compares with native f32 and `rustc_apfloat`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::cell::blend::{FloatShare, HalfNormal, RoundHalf};
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::memory::LutRam;
use crate::output::sum::FloatSum;
use crate::{comment, fields};

fields! {
    /// What goes along with a component.
    trait FloatTag: 6 {
        /// Its number.
        tag_component: 3 @ 0,
        /// It is there.
        tag_valid: bit @ 3,
        /// It is of the last sample.
        tag_last: bit @ 4,
    }
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct ResolveFloat {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A component of a sample comes.
    pub valid: Signal<In, bool>,
    /// It is a half, else f32. It stays while anything is under way.
    pub halves: Signal<In, bool>,
    /// Four samples are averaged, else two. Held with the words.
    pub quarter: Signal<In, bool>,
    /// It is of the first sample.
    pub first: Signal<In, bool>,
    /// It is of the last.
    pub last: Signal<In, bool>,
    /// Number of the component: the pixel in 2:1, the upper half in 0.
    pub component: Signal<In, Bits<3>>,
    /// Its word.
    pub word: Signal<In, Bits<32>>,
    /// A word is made.
    pub made_valid: Signal<Out, bool>,
    /// Its pixel.
    pub made_lane: Signal<Out, Bits<2>>,
    /// It.
    pub made: Signal<Out, Bits<32>>,

    tag: Signal<Local, Bits<6>>,
    /// What goes along: element i is stage i + 1.
    tag_p: Vec<DFF<Bits<6>>>,
    word1: DFF<Bits<32>>,
    first1: DFF<bool>,
    half: Signal<Local, Bits<16>>,
    normal: HalfNormal,
    exponent: Signal<Local, Bits<8>>,
    wide: Signal<Local, Bits<32>>,
    kept: LutRam,
    a2: DFF<Bits<32>>,
    b2: DFF<Bits<32>>,
    sum: FloatSum,
    share: FloatShare,
    shared8: DFF<Bits<32>>,
    round: RoundHalf,
    rounded: Signal<Local, Bits<16>>,
    is_nan: Signal<Local, bool>,
    half9: DFF<Bits<16>>,
    shared9: DFF<Bits<32>>,
    lower10: DFF<Bits<16>>,
    fault_resolve_share: Planted,
    _active: bool,
}

impl ResolveFloat {
    /// At rest, with the planted faults of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            tag_p: vector(9),
            sum: FloatSum::new(),
            fault_resolve_share: Planted::new(config.has(Fault::ResolveShare)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl ResolveFloat {
    /// Operands.
    fn operands(&mut self) {
        comment!("module: resolve_float");
        dff_setup!(self, clock, word1, first1, a2, b2, shared8, half9, shared9, lower10);
        clock!(self, clock, kept, sum);
        for i in 0..9 {
            self.tag_p[i].clock.next = self.clock.val();
        }
        for i in 0..8 {
            self.tag_p[i + 1].d.next = self.tag_p[i].q.val();
        }
        self.tag.next = bits::<6>(0);
        self.tag.next.set_value_tag_component(self.component.val());
        self.tag.next.set_value_tag_valid(self.valid.val());
        self.tag.next.set_value_tag_last(self.valid.val() && self.last.val());
        self.tag_p[0].d.next = self.tag.val();
        self.word1.d.next = self.word.val();
        self.first1.d.next = self.first.val();
        // A half as f32.
        self.half.next = self.word1.q.val().get_bits::<16>(0);
        if self.tag_p[0].q.val().get_bit(0) {
            self.half.next = self.word1.q.val().get_bits::<16>(16);
        }
        self.normal.half.next = self.half.val();
        // Two's complement of 6 bits; f32 has fields of 8 bits, 112 more than f16's.
        self.exponent.next = bit_cast::<8, 6>(self.normal.exponent.val()) + bits::<8>(112);
        if self.normal.exponent.val().get_bit(5) {
            self.exponent.next = bit_cast::<8, 6>(self.normal.exponent.val()) + bits::<8>(48);
        }
        if self.half.val().get_bits::<5>(10).all() {
            self.exponent.next = bits::<8>(255);
        }
        if !self.normal.significand.val().get_bit(10) {
            self.exponent.next = bits::<8>(0);
        }
        self.wide.next = (bit_cast::<32, 16>(self.half.val() & bits::<16>(0x8000)) << bits::<5>(16))
            | (bit_cast::<32, 8>(self.exponent.val()) << bits::<5>(23))
            | (bit_cast::<32, 11>(self.normal.significand.val() & bits::<11>(0x3FF)) << bits::<5>(13));
        self.b2.d.next = self.word1.q.val();
        if self.halves.val() {
            self.b2.d.next = self.wide.val();
        }
        self.kept.read_address.next = bit_cast::<4, 3>(self.tag_p[0].q.val().get_value_tag_component());
        self.a2.d.next = self.kept.read_data.val();
        if self.first1.q.val() {
            self.a2.d.next = bits::<32>(1) << bits::<5>(31);
        }
    }

    /// The sum, and its share.
    fn means(&mut self) {
        self.sum.a.next = self.a2.q.val();
        self.sum.b.next = self.b2.q.val();
        self.kept.write_address.next = bit_cast::<4, 3>(self.tag_p[6].q.val().get_value_tag_component());
        self.kept.write_data.next = self.sum.sum.val();
        self.kept.write_enable.next = self.tag_p[6].q.val().get_value_tag_valid();
        self.share.magnitude.next = self.sum.sum.val().get_bits::<31>(0);
        self.share.quarter.next = self.quarter.val();
        if self.fault_resolve_share.val() {
            self.share.quarter.next = false;
        }
        self.shared8.d.next = bit_cast::<32, 31>(self.share.share.val());
        if self.sum.sum.val().get_bit(31) {
            self.shared8.d.next = bit_cast::<32, 31>(self.share.share.val()) | (bits::<32>(1) << bits::<5>(31));
        }
        // Numbers below 2^-126 are no halves: nothing is subnormal here, but zero.
        self.round.normal.next = bits::<28>(0);
        if self.shared8.q.val().get_bits::<8>(23).any() {
            self.round.normal.next =
                (bit_cast::<28, 23>(self.shared8.q.val().get_bits::<23>(0)) << bits::<5>(4)) | bits::<28>(0x800_0000);
        }
        self.round.exponent.next = self.shared8.q.val().get_bits::<8>(23) - bits::<8>(1);
        self.round.infinite.next = self.shared8.q.val().get_bits::<8>(23).all();
        self.is_nan.next = self.shared8.q.val().get_bits::<8>(23).all() && self.shared8.q.val().get_bits::<23>(0).any();
        self.round.nan.next = self.is_nan.val();
        self.rounded.next = bit_cast::<16, 15>(self.round.half.val());
        if self.shared8.q.val().get_bit(31) && !self.is_nan.val() {
            self.rounded.next = bit_cast::<16, 15>(self.round.half.val()) | bits::<16>(0x8000);
        }
        self.half9.d.next = self.rounded.val();
        self.shared9.d.next = self.shared8.q.val();
        self.lower10.d.next = self.half9.q.val();
        self.made_valid.next = self.tag_p[8].q.val().get_value_tag_last() && self.tag_p[8].q.val().get_bit(0);
        self.made_lane.next = self.tag_p[8].q.val().get_bits::<2>(1);
        self.made.next = self.shared9.q.val();
        if self.halves.val() {
            self.made.next =
                bit_cast::<32, 16>(self.lower10.q.val()) | (bit_cast::<32, 16>(self.half9.q.val()) << bits::<5>(16));
        }
    }
}
