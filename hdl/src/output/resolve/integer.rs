//! Means of bytes and of sRGB codes, two pixels at a time, sample by sample.
//!
//! A code becomes 16 bits by the table, a byte by 257. Sums, mean, and back: by the table, or
//! divided by 257. Of bytes that is the mean of the bytes itself, because it is rounded up at a
//! half both times; `tests/tile_buffers.rs` compares with the page's formula.
//!
//! Latency 4 cycles from the last sample to the words, one sample of two pixels per cycle. It can
//! be wrong in which components the table is for: alpha never is.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::cell::blend::{CodeChange, CodePlace};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::output::resolve::component::ResolveComponent;
use crate::output::srgb::{SrgbDecode, SrgbEncode};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct ResolveInteger {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A sample of two pixels comes.
    pub valid: Signal<In, bool>,
    /// Its words are of sRGB codes, else of bytes. It stays while anything is under way.
    pub codes: Signal<In, bool>,
    /// Four samples are averaged, else two. Held with the words.
    pub quarter: Signal<In, bool>,
    /// It is the first of its pixels.
    pub first: Signal<In, bool>,
    /// It is the last.
    pub last: Signal<In, bool>,
    /// They are pixels 2 and 3.
    pub upper: Signal<In, bool>,
    /// The words.
    pub word: Vec<Signal<In, Bits<32>>>,
    /// Two pixels are made.
    pub made_valid: Signal<Out, bool>,
    /// They are pixels 2 and 3.
    pub made_upper: Signal<Out, bool>,
    /// Their words.
    pub made: Vec<Signal<Out, Bits<32>>>,

    decode: Vec<SrgbDecode>,
    /// Component k of pixel p is 4 p + k.
    component: Vec<ResolveComponent>,
    first1: DFF<bool>,
    last1: DFF<bool>,
    upper1: DFF<bool>,
    last2: DFF<bool>,
    upper2: DFF<bool>,
    last3: DFF<bool>,
    upper3: DFF<bool>,
    /// Of codes, which alpha is not: 3 p + k.
    place: Vec<CodePlace>,
    encode: Vec<SrgbEncode>,
    offset4: Vec<DFF<Bits<8>>>,
    change: Vec<CodeChange>,
    last4: DFF<bool>,
    upper4: DFF<bool>,
    code: Vec<Signal<Local, Bits<8>>>,
    fault_resolve_alpha: Planted,
    _active: bool,
}

impl ResolveInteger {
    /// At rest, with the planted faults of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            word: vector(2),
            made: vector(2),
            decode: (0..3).map(|_| SrgbDecode::default()).collect(),
            component: (0..8).map(|_| ResolveComponent::new(config)).collect(),
            place: vector(6),
            encode: (0..3).map(|_| SrgbEncode::default()).collect(),
            offset4: vector(6),
            change: vector(6),
            code: vector(8),
            fault_resolve_alpha: Planted::new(config.has(Fault::ResolveAlpha)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl ResolveInteger {
    /// What is said of a sample moves on with it.
    fn stages(&mut self) {
        comment!("module: resolve_integer");
        dff_setup!(self, clock, first1, last1, upper1, last2, upper2, last3, upper3, last4, upper4);
        self.first1.d.next = self.first.val();
        self.last1.d.next = self.valid.val() && self.last.val();
        self.upper1.d.next = self.upper.val();
        self.last2.d.next = self.last1.q.val();
        self.upper2.d.next = self.upper1.q.val();
        self.last3.d.next = self.last2.q.val();
        self.upper3.d.next = self.upper2.q.val();
        self.last4.d.next = self.last3.q.val();
        self.upper4.d.next = self.upper3.q.val();
    }

    /// Components take samples or their codes' light, and give means.
    fn means(&mut self) {
        // Codes, sums, means.
        for i in 0..8 {
            clock!(self, clock, component[i]);
            self.component[i].codes.next = false;
            self.component[i].light.next = bits::<16>(0);
            self.component[i].first.next = self.first1.q.val();
            self.component[i].quarter.next = self.quarter.val();
            self.code[i].next = self.component[i].code.val();
        }
        for k in 0..4 {
            self.component[k].sample.next = self.word[0].val().get_bits::<8>(8 * k);
            self.component[k + 4].sample.next = self.word[1].val().get_bits::<8>(8 * k);
        }
        for k in 0..3 {
            clock!(self, clock, decode[k]);
            self.decode[k].first_line.next = self.word[0].val().get_bits::<8>(8 * k);
            self.decode[k].second_line.next = self.word[1].val().get_bits::<8>(8 * k);
            fan_out!(self.codes => self.component[k].codes, self.component[k + 4].codes);
            self.component[k].light.next = self.decode[k].first.val();
            self.component[k + 4].light.next = self.decode[k].second.val();
        }
        if self.fault_resolve_alpha.val() {
            self.component[7].codes.next = self.codes.val();
            self.component[7].light.next = self.decode[2].second.val();
        }
    }

    /// The means become codes again, and the pixels' words.
    fn codes(&mut self) {
        for i in 0..6 {
            self.offset4[i].clock.next = self.clock.val();
            self.offset4[i].d.next = self.place[i].offset.val();
            self.change[i].offset.next = self.offset4[i].q.val();
        }
        for k in 0..3 {
            clock!(self, clock, encode[k]);
            self.place[k].value.next = self.component[k].mean.val();
            self.place[k + 3].value.next = self.component[k + 4].mean.val();
            self.encode[k].first_line.next = self.place[k].line.val();
            self.encode[k].second_line.next = self.place[k + 3].line.val();
            self.change[k].word.next = self.encode[k].first.val();
            self.change[k + 3].word.next = self.encode[k].second.val();
            if self.codes.val() {
                self.code[k].next = self.change[k].code.val();
                self.code[k + 4].next = self.change[k + 3].code.val();
            }
        }
        self.made_valid.next = self.last4.q.val();
        self.made_upper.next = self.upper4.q.val();
        self.made[0].next = bit_cast::<32, 8>(self.code[0].val())
            | (bit_cast::<32, 8>(self.code[1].val()) << bits::<5>(8))
            | (bit_cast::<32, 8>(self.code[2].val()) << bits::<5>(16))
            | (bit_cast::<32, 8>(self.code[3].val()) << bits::<5>(24));
        self.made[1].next = bit_cast::<32, 8>(self.code[4].val())
            | (bit_cast::<32, 8>(self.code[5].val()) << bits::<5>(8))
            | (bit_cast::<32, 8>(self.code[6].val()) << bits::<5>(16))
            | (bit_cast::<32, 8>(self.code[7].val()) << bits::<5>(24));
    }
}
