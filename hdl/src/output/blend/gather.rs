//! Results of pixels, put together to words of the tile buffer: codes of fractions, halves in
//! pairs, and two pixels for each write.
//!
//! | cycle | what |
//! | --- | --- |
//! | 0 | what needs no more rounding comes; codes are looked up |
//! | 1 | what the table has |
//! | 5 | halves come: the pixel is complete |
//! | 5 | of the second pixel of a pair: the first words of both are written |
//! | 6 | their second words, of halves |
//!
//! Four components come at once, or one: then the first three wait for the last. It can be wrong
//! in a component that takes another's place; `tests/blend.rs` blends four different ones.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::cell::blend::{ByteNarrow, CodeChange, CodePlace};
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::output::srgb::SrgbEncode;
use crate::{comment, fields};

fields! {
    /// Two halves of a pixel.
    trait HalvesWord: 32 {
        /// Red, or blue.
        lower: 16 @ 0,
        /// Green, or alpha.
        upper: 16 @ 16,
    }
}

fields! {
    /// Codes of a pixel.
    trait CodesWord: 32 {
        /// Code of red.
        red: 8 @ 0,
        /// Code of green.
        green: 8 @ 8,
        /// Code of blue.
        blue: 8 @ 16,
        /// Byte of alpha.
        alpha: 8 @ 24,
    }
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct BlendGather {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// The step is of halves.
    pub halves: Signal<In, bool>,
    /// Its component, if one comes at a time.
    pub component: Signal<In, Bits<2>>,
    /// A component's fraction or what needs no rounding.
    pub word: Vec<Signal<In, Bits<16>>>,
    /// It is not that but a half.
    pub is_float: Vec<Signal<In, bool>>,
    /// The half, five cycles later.
    pub half: Vec<Signal<In, Bits<16>>>,
    /// The step that is complete is the last of a pixel, the first one of its pair.
    pub keeps: Signal<In, bool>,
    /// The second words are written, those of the cycle before.
    pub second: Signal<In, bool>,
    /// Words of the pair's pixels, even and odd.
    pub even: Signal<Out, Bits<32>>,
    /// The odd pixel's.
    pub odd: Signal<Out, Bits<32>>,
    place: Vec<CodePlace>,
    encode: Vec<SrgbEncode>,
    change: Vec<CodeChange>,
    narrow: ByteNarrow,
    offset1: Vec<DFF<Bits<8>>>,
    byte1: DFF<Bits<8>>,
    halves_p: Vec<DFF<bool>>,
    component_p: Vec<DFF<Bits<2>>>,
    is_float_p: Vec<DFF<bool>>,
    word1: Vec<DFF<Bits<16>>>,
    word2: Vec<DFF<Bits<16>>>,
    word3: Vec<DFF<Bits<16>>>,
    word4: Vec<DFF<Bits<16>>>,
    word5: Vec<DFF<Bits<16>>>,
    code: Vec<Signal<Local, Bits<8>>>,
    code2: Vec<DFF<Bits<8>>>,
    code3: Vec<DFF<Bits<8>>>,
    code4: Vec<DFF<Bits<8>>>,
    code5: Vec<DFF<Bits<8>>>,
    result: Vec<Signal<Local, Bits<16>>>,
    /// Components of the pixel; of one at a time those before the last.
    pixel: Vec<Signal<Local, Bits<16>>>,
    pixel_code: Vec<Signal<Local, Bits<8>>>,
    held: Vec<DFF<Bits<16>>>,
    held_code: Vec<DFF<Bits<8>>>,
    low: Signal<Local, Bits<32>>,
    high: Signal<Local, Bits<32>>,
    even_low: DFF<Bits<32>>,
    even_high1: DFF<Bits<32>>,
    even_high: DFF<Bits<32>>,
    odd_high: DFF<Bits<32>>,
    fault_blend_half: Planted,
    #[size]
    _lanes: usize,
    /// 1 if these are a pixel.
    #[size]
    _pixel: usize,
    /// 1 if they are one component.
    #[size]
    _single: usize,
    /// Those that have a table.
    #[size]
    _codes: usize,
    _active: bool,
}

impl BlendGather {
    /// At rest, with the planted faults of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let (lanes, codes) = (config.blend_lanes, if config.blend_lanes == 4 { 3 } else { 1 });
        Self {
            word: vector(lanes),
            is_float: vector(lanes),
            half: vector(lanes),
            place: vector(codes),
            encode: (0..codes.div_ceil(2)).map(|_| SrgbEncode::default()).collect(),
            change: vector(codes),
            offset1: vector(codes),
            halves_p: vector(5),
            component_p: vector(5),
            is_float_p: vector(5 * lanes),
            word1: vector(lanes),
            word2: vector(lanes),
            word3: vector(lanes),
            word4: vector(lanes),
            word5: vector(lanes),
            code: vector(lanes),
            code2: vector(lanes),
            code3: vector(lanes),
            code4: vector(lanes),
            code5: vector(lanes),
            result: vector(lanes),
            pixel: vector(4),
            pixel_code: vector(4),
            held: vector(3),
            held_code: vector(3),
            fault_blend_half: Planted::new(config.has(Fault::BlendHalf)),
            _lanes: lanes,
            _pixel: lanes / 4,
            _single: 1 - lanes / 4,
            _codes: codes,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel(wired)]
impl BlendGather {
    /// The kind and the component of a step go along with it for five cycles.
    // A condition on numbers is decided by itself.
    #[allow(clippy::collapsible_if)]
    fn step_delay(&mut self) {
        comment!("module: blend_gather");
        dff_setup!(self, clock, byte1, even_low, even_high1, even_high, odd_high);
        for i in 0..5 {
            self.halves_p[i].clock.next = self.clock.val();
            self.component_p[i].clock.next = self.clock.val();
        }
        self.halves_p[0].d.next = self.halves.val();
        self.component_p[0].d.next = self.component.val();
        for i in 0..4 {
            self.halves_p[i + 1].d.next = self.halves_p[i].q.val();
            self.component_p[i + 1].d.next = self.component_p[i].q.val();
        }
    }

    /// The table gives codes of colours; alpha is divided by 257.
    fn codes(&mut self) {
        self.narrow.value.next = self.word[self._lanes - 1].val();
        self.byte1.d.next = self.narrow.code.val();
        for k in 0..self._codes {
            self.place[k].value.next = self.word[k].val();
            self.offset1[k].clock.next = self.clock.val();
            self.offset1[k].d.next = self.place[k].offset.val();
            self.change[k].offset.next = self.offset1[k].q.val();
            self.code[k].next = self.change[k].code.val();
        }
        clock!(self, clock, encode[0]);
        self.encode[0].first_line.next = self.place[0].line.val();
        self.encode[0].second_line.next = bits::<10>(0);
        self.change[0].word.next = self.encode[0].first.val();
        for k in 0..self._pixel {
            self.encode[0].second_line.next = self.place[k + 1].line.val();
            self.change[k + 1].word.next = self.encode[0].second.val();
            clock!(self, clock, encode[k + 1]);
            self.encode[k + 1].first_line.next = self.place[k + 2].line.val();
            self.encode[k + 1].second_line.next = bits::<10>(0);
            self.change[k + 2].word.next = self.encode[k + 1].first.val();
            self.code[k + 3].next = self.byte1.q.val();
        }
        for k in 0..self._single {
            if self.component_p[0].q.val().all() {
                self.code[k].next = self.byte1.q.val();
            }
        }
    }

    /// The words and codes of a lane wait until its half comes.
    fn lane_delay(&mut self) {
        for i in 0..self._lanes {
            self.word1[i].clock.next = self.clock.val();
            self.word2[i].clock.next = self.clock.val();
            self.word3[i].clock.next = self.clock.val();
            self.word4[i].clock.next = self.clock.val();
            self.word5[i].clock.next = self.clock.val();
            self.word1[i].d.next = self.word[i].val();
            self.word2[i].d.next = self.word1[i].q.val();
            self.word3[i].d.next = self.word2[i].q.val();
            self.word4[i].d.next = self.word3[i].q.val();
            self.word5[i].d.next = self.word4[i].q.val();
            self.code2[i].clock.next = self.clock.val();
            self.code3[i].clock.next = self.clock.val();
            self.code4[i].clock.next = self.clock.val();
            self.code5[i].clock.next = self.clock.val();
            self.code2[i].d.next = self.code[i].val();
            self.code3[i].d.next = self.code2[i].q.val();
            self.code4[i].d.next = self.code3[i].q.val();
            self.code5[i].d.next = self.code4[i].q.val();
            for k in 0..5 {
                self.is_float_p[5 * i + k].clock.next = self.clock.val();
            }
            self.is_float_p[5 * i].d.next = self.is_float[i].val();
            for k in 0..4 {
                self.is_float_p[5 * i + k + 1].d.next = self.is_float_p[5 * i + k].q.val();
            }
            self.result[i].next = self.word5[i].q.val();
            if self.is_float_p[5 * i + 4].q.val() {
                self.result[i].next = self.half[i].val();
            }
        }
    }

    /// A pixel's components stand together when its last one comes.
    fn components(&mut self) {
        for k in 0..3 {
            dff_setup!(self, clock, held[k], held_code[k]);
            self.pixel[k].next = self.held[k].q.val();
            self.pixel_code[k].next = self.held_code[k].q.val();
            for i in 0..self._pixel {
                self.pixel[k].next = self.result[i + k].val();
                self.pixel_code[k].next = self.code5[i + k].q.val();
            }
            for i in 0..self._single {
                if self.component_p[4].q.val() == k.to_bits::<2>() {
                    self.held[k].d.next = self.result[i].val();
                    self.held_code[k].d.next = self.code5[i].q.val();
                }
            }
        }
        self.pixel[3].next = self.result[self._lanes - 1].val();
        self.pixel_code[3].next = self.code5[self._lanes - 1].q.val();
        if self.fault_blend_half.val() && self.halves_p[4].q.val() {
            self.pixel[1].next = self.pixel[0].val();
        }
    }

    /// Two pixels become the words of a write.
    fn pixel_pair(&mut self) {
        self.low.next = bits::<32>(0);
        self.high.next = bits::<32>(0);
        self.high.next.set_value_lower(self.pixel[2].val());
        self.high.next.set_value_upper(self.pixel[3].val());
        if self.halves_p[4].q.val() {
            self.low.next.set_value_lower(self.pixel[0].val());
            self.low.next.set_value_upper(self.pixel[1].val());
        } else {
            self.low.next.set_value_red(self.pixel_code[0].val());
            self.low.next.set_value_green(self.pixel_code[1].val());
            self.low.next.set_value_blue(self.pixel_code[2].val());
            self.low.next.set_value_alpha(self.pixel_code[3].val());
        }
        // The even pixel of a pair is the one before.
        self.even_low.d.next = self.low.val();
        self.even_high1.d.next = self.high.val();
        self.even_high.d.next = self.even_high1.q.val();
        if self._single == 1 {
            if !self.keeps.val() {
                self.even_low.d.next = self.even_low.q.val();
                self.even_high1.d.next = self.even_high1.q.val();
            }
        }
        self.odd_high.d.next = self.high.val();
        self.even.next = self.even_low.q.val();
        self.odd.next = self.low.val();
        if self.second.val() {
            self.even.next = self.even_high.q.val();
            self.odd.next = self.odd_high.q.val();
        }
    }
}
