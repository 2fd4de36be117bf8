//! Pixels of a beat, one after the other, as four components of 16 bits of the fragment's and of
//! the target's colour: the words of the tile buffer, the table of sRGB.
//!
//! | cycle | what |
//! | --- | --- |
//! | 0 | a step: the fragment's words of its pixel. The first one asks for the first words |
//! | 1 | the first words come; the second ones are asked for |
//! | 2 | the second words come; of the first ones that of the pixel, and its codes are looked up |
//! | 3 | of the second words that of the pixel, and what the table has |
//! | 4 | both colours stand at the ports |
//!
//! A beat follows the one before in the cycle after its last step: a word of the tile buffer is
//! kept until the last step has had it, and not longer. One step per cycle, which is a pixel, or
//! one of the four steps of a pixel. It can be wrong in that time, and in the lane;
//! `tests/blend.rs` blends beats without a pause.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::output::srgb::SrgbDecode;
use crate::ports::LineDataIn;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct BlendFeed {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// The first step of a beat, which reads its first words.
    pub first: Signal<In, bool>,
    /// The pixel of the step.
    pub lane: Signal<In, Bits<2>>,
    /// The last step of its pixel.
    pub ends: Signal<In, bool>,
    /// The beat is of halves, else of sRGB.
    pub halves: Signal<In, bool>,
    /// The fragments' words: first words of the lanes, then second words.
    pub word: Vec<Signal<In, Bits<32>>>,
    /// The word of the tile buffer that was read a cycle before.
    pub line: LineDataIn,
    /// The fragment's components, four cycles after the step.
    pub source: Vec<Signal<Out, Bits<16>>>,
    /// The target's.
    pub destination: Vec<Signal<Out, Bits<16>>>,
    // Pairs of components: red and green, blue and alpha.
    side: Vec<Signal<Local, Bits<32>>>,
    pair: Vec<Signal<Local, Bits<32>>>,
    pair_p: Vec<DFF<Bits<32>>>,
    first1: DFF<bool>,
    first2: DFF<bool>,
    ends_p: Vec<DFF<bool>>,
    halves_p: Vec<DFF<bool>>,
    /// Words of the tile buffer; those of the pixel are in front.
    low: Vec<DFF<Bits<32>>>,
    high: Vec<DFF<Bits<32>>>,
    low3: DFF<Bits<32>>,
    decode: Vec<SrgbDecode>,
    alpha: Signal<Local, Bits<8>>,
    red: Signal<Local, Bits<8>>,
    colour: Vec<Signal<Local, Bits<16>>>,
    colour4: Vec<DFF<Bits<16>>>,
    fault_blend_code: Planted,
    /// 1 if a pixel takes several steps.
    #[size]
    _single: usize,
    _active: bool,
}

impl BlendFeed {
    /// At rest, with the planted faults of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            word: vector(8),
            source: vector(4),
            destination: vector(4),
            side: vector(4),
            pair: vector(2),
            pair_p: vector(8),
            ends_p: vector(3),
            halves_p: vector(3),
            low: vector(4),
            high: vector(4),
            decode: (0..2).map(|_| SrgbDecode::default()).collect(),
            colour: vector(4),
            colour4: vector(4),
            fault_blend_code: Planted::new(config.has(Fault::BlendCode)),
            _single: 1 - config.blend_lanes / 4,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel(wired)]
impl BlendFeed {
    /// The lane chooses the fragment's colour, which comes four cycles later.
    fn source_colour(&mut self) {
        comment!("module: blend_feed");
        dff_setup!(self, clock, first1, first2, low3);
        // The fragment's colour. Bit 0 of the lane chooses in each half of the quad, bit 1 the
        // half.
        for w in 0..2 {
            for i in 0..2 {
                self.side[2 * w + i].next = self.word[4 * w + 2 * i].val();
                if self.lane.val().get_bit(0) {
                    self.side[2 * w + i].next = self.word[4 * w + 2 * i + 1].val();
                }
            }
            self.pair[w].next = self.side[2 * w].val();
            if self.lane.val().get_bit(1) {
                self.pair[w].next = self.side[2 * w + 1].val();
            }
        }
        // Element 4 i + k is pair i, k + 1 cycles later.
        for i in 0..8 {
            self.pair_p[i].clock.next = self.clock.val();
        }
        for i in 0..3 {
            self.pair_p[i + 1].d.next = self.pair_p[i].q.val();
            self.pair_p[i + 5].d.next = self.pair_p[i + 4].q.val();
        }
        self.pair_p[0].d.next = self.pair[0].val();
        self.pair_p[4].d.next = self.pair[1].val();
        self.source[0].next = self.pair_p[3].q.val().get_bits::<16>(0);
        self.source[1].next = self.pair_p[3].q.val().get_bits::<16>(16);
        self.source[2].next = self.pair_p[7].q.val().get_bits::<16>(0);
        self.source[3].next = self.pair_p[7].q.val().get_bits::<16>(16);
    }

    /// The target's words come for all pixels, and move up with each pixel.
    fn target_words(&mut self) {
        self.first1.d.next = self.first.val();
        self.first2.d.next = self.first1.q.val();
        for i in 0..3 {
            self.ends_p[i].clock.next = self.clock.val();
            self.halves_p[i].clock.next = self.clock.val();
        }
        self.ends_p[0].d.next = self.ends.val();
        self.halves_p[0].d.next = self.halves.val();
        for i in 0..2 {
            self.ends_p[i + 1].d.next = self.ends_p[i].q.val();
            self.halves_p[i + 1].d.next = self.halves_p[i].q.val();
        }
        for i in 0..4 {
            self.low[i].clock.next = self.clock.val();
            self.high[i].clock.next = self.clock.val();
        }
        self.low[3].d.next = self.line.data[3].val();
        self.high[3].d.next = self.line.data[3].val();
        for i in 0..3 {
            self.low[i].d.next = self.low[i + 1].q.val();
            self.high[i].d.next = self.high[i + 1].q.val();
        }
        for k in 0..self._single {
            for i in 0..4 {
                if !self.ends_p[k + 1].q.val() {
                    self.low[i].d.next = self.low[i].q.val();
                }
                if !self.ends_p[k + 2].q.val() {
                    self.high[i].d.next = self.high[i].q.val();
                }
            }
            if self.first1.q.val() {
                self.low[k + 3].d.next = self.line.data[3].val();
            }
            if self.first2.q.val() {
                self.high[k + 3].d.next = self.line.data[3].val();
            }
        }
        for i in 0..3 {
            if self.first1.q.val() {
                self.low[i].d.next = self.line.data[i].val();
            }
            if self.first2.q.val() {
                self.high[i].d.next = self.line.data[i].val();
            }
        }
    }

    /// The table or the halves give the target's colour.
    fn target_colour(&mut self) {
        self.low3.d.next = self.low[0].q.val();
        for i in 0..2 {
            clock!(self, clock, decode[i]);
        }
        self.decode[0].first_line.next = self.low[0].q.val().get_bits::<8>(0);
        self.decode[0].second_line.next = self.low[0].q.val().get_bits::<8>(8);
        self.decode[1].first_line.next = self.low[0].q.val().get_bits::<8>(16);
        self.decode[1].second_line.next = bits::<8>(0);
        self.colour[0].next = self.decode[0].first.val();
        self.colour[1].next = self.decode[0].second.val();
        self.colour[2].next = self.decode[1].first.val();
        self.alpha.next = self.low3.q.val().get_bits::<8>(24);
        self.red.next = self.low3.q.val().get_bits::<8>(0);
        self.colour[3].next =
            bit_cast::<16, 8>(self.alpha.val()) | (bit_cast::<16, 8>(self.alpha.val()) << bits::<4>(8));
        if self.fault_blend_code.val() {
            self.colour[0].next =
                bit_cast::<16, 8>(self.red.val()) | (bit_cast::<16, 8>(self.red.val()) << bits::<4>(8));
        }
        if self.halves_p[2].q.val() {
            self.colour[0].next = self.low3.q.val().get_bits::<16>(0);
            self.colour[1].next = self.low3.q.val().get_bits::<16>(16);
            self.colour[2].next = self.high[0].q.val().get_bits::<16>(0);
            self.colour[3].next = self.high[0].q.val().get_bits::<16>(16);
        }
        for i in 0..4 {
            self.colour4[i].clock.next = self.clock.val();
            self.colour4[i].d.next = self.colour[i].val();
            self.destination[i].next = self.colour4[i].q.val();
        }
    }
}
