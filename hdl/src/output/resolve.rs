//! Resolve: what several samples of a pixel become, from memory to memory, for one target at the
//! end of a pass (docs/graphics.md, "Tests and blending").
//!
//! All samples of a line of quads are asked for one behind the other, and wait in a ring of 16
//! lines. Bytes are summed for all pixels at once: n + 2 cycles for a line of n samples. Everything
//! else is made component by component: sRGB by the two tables, floats by a lane of their own with
//! its five cycles for each operation. At most 16 requests are on their way, and a line that is
//! made waits for the port before the next one is.
//!
//! Latency is memory's. Throughput, of lines that memory gives at once: rgba8unorm a line in n + 3
//! cycles; the others as docs/blocks/tile-buffers.md has them.
//!
//! It can be wrong in the order in which floats are added, in a sample's plane, and in an answer to
//! a write that is taken for one to a read; `tests/tile_buffers.rs` compares all memory. Planted
//! faults: `resolve-*`.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use crate::base::parts::Part;
use crate::base::{vector, Planted};
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::memory::LutRam;
use crate::output::srgb::{SrgbDecode, SrgbEncode};
use crate::ports::{LineIn, LineOut};
use crate::warp::lane::Lane;
use crate::{comment, kernel_of, state_words};

/// Where the line that is made stands.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum ResolveStep {
    /// Samples are not there yet.
    Wait,
    /// Bytes of a sample are added.
    Sum,
    /// The mean of bytes is taken.
    Mean,
    /// A component of a sample is looked at: unpacked, or asked of the table.
    Fetch,
    /// It is added.
    Add,
    /// The sum becomes the mean.
    Scale,
    /// Two halves become a word.
    Pack,
    /// The table of codes is asked.
    Look,
    /// It answers.
    Code,
}

state_words!(ResolveStep { Wait, Sum, Mean, Fetch, Add, Scale, Pack, Look, Code });

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct TileResolve {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A target is to be resolved. Nothing else may be under way; what follows stays meanwhile.
    pub start: Signal<In, bool>,
    /// Samples: 1 two, 2 four.
    pub samples: Signal<In, Bits<2>>,
    /// Format, as the pass record has it.
    pub format: Signal<In, Bits<2>>,
    /// First line of the samples.
    pub source: Signal<In, Bits<28>>,
    /// First line of what is resolved.
    pub target: Signal<In, Bits<28>>,
    /// Lines of a plane, not 0.
    pub plane_lines: Signal<In, Bits<28>>,
    /// It is resolved, and all answers have come.
    pub done: Signal<Out, bool>,
    /// A line is asked for.
    pub ask_valid: Signal<Out, bool>,
    /// It is taken in this cycle if valid.
    pub ask_ready: Signal<In, bool>,
    /// Its address, in lines.
    pub ask_line: Signal<Out, Bits<28>>,
    /// It is written.
    pub ask_write: Signal<Out, bool>,
    /// With these words.
    pub ask: LineOut,
    /// The answer to the oldest request comes; it is taken.
    pub answer_valid: Signal<In, bool>,
    /// Its words.
    pub answer: LineIn,

    // Requests.
    running: DFF<bool>,
    reads: DFF<bool>,
    upper: DFF<bool>,
    line: DFF<Bits<28>>,
    ask_at: DFF<Bits<28>>,
    sample: DFF<Bits<2>>,
    ask_left: DFF<Bits<28>>,
    write_at: DFF<Bits<28>>,
    write_left: DFF<Bits<29>>,
    kinds: LutRam,
    kind_head: DFF<Bits<5>>,
    kind_tail: DFF<Bits<5>>,
    ring: Vec<LutRam>,
    /// Lines of samples asked for, come, and used.
    asked: DFF<Bits<5>>,
    come: DFF<Bits<5>>,
    used: DFF<Bits<5>>,
    last_sample: Signal<Local, Bits<2>>,
    count: Signal<Local, Bits<3>>,
    writes: Signal<Local, bool>,
    asks: Signal<Local, bool>,
    goes: Signal<Local, bool>,
    flight: Signal<Local, Bits<5>>,
    reserved: Signal<Local, Bits<5>>,
    here: Signal<Local, Bits<5>>,
    is_write: Signal<Local, bool>,

    // The line that is made.
    step: DFF<ResolveStep>,
    at: DFF<Bits<2>>,
    lane_at: DFF<Bits<2>>,
    part: DFF<Bits<2>>,
    wait: DFF<Bits<3>>,
    /// Sums of bytes 0 and 2, and of bytes 1 and 3, 16 bits each, by lane.
    even_sums: Vec<DFF<Bits<32>>>,
    odd_sums: Vec<DFF<Bits<32>>>,
    /// Sum of a component that is no float, and one that is.
    sum: DFF<Bits<18>>,
    float_sum: DFF<Bits<32>>,
    value: DFF<Bits<32>>,
    low_half: DFF<Bits<32>>,
    mean: DFF<Bits<16>>,
    out: Vec<DFF<Bits<32>>>,
    out_valid: DFF<bool>,
    place: Signal<Local, Bits<5>>,
    word: Signal<Local, Bits<32>>,
    evens: Vec<Signal<Local, Bits<32>>>,
    odds: Vec<Signal<Local, Bits<32>>>,
    even_means: Vec<Signal<Local, Bits<32>>>,
    odd_means: Vec<Signal<Local, Bits<32>>>,
    rounding: Signal<Local, Bits<32>>,
    half: Signal<Local, Bits<32>>,
    byte_at: Signal<Local, Bits<5>>,
    shifted: Signal<Local, Bits<32>>,
    byte: Signal<Local, Bits<8>>,
    addend: Signal<Local, Bits<18>>,
    one_half: Signal<Local, Bits<18>>,
    rounded: Signal<Local, Bits<18>>,
    alpha: Signal<Local, Bits<24>>,
    offset: Signal<Local, Bits<8>>,
    code: Signal<Local, Bits<8>>,
    code_word: Signal<Local, Bits<32>>,
    is_float: Signal<Local, bool>,
    is_half: Signal<Local, bool>,
    ripe: Signal<Local, bool>,
    line_begins: Signal<Local, bool>,
    word_made: Signal<Local, bool>,
    line_made: Signal<Local, bool>,
    decode: SrgbDecode,
    encode: SrgbEncode,
    lane: Lane,
    fault_resolve_round: Planted,
    fault_resolve_sample: Planted,
    fault_resolve_plane: Planted,
    fault_resolve_order: Planted,
    fault_resolve_early: Planted,
    _active: bool,
}

impl TileResolve {
    /// At rest, with the planted faults of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        Self {
            ring: vector(4),
            even_sums: vector(4),
            odd_sums: vector(4),
            out: vector(4),
            evens: vector(4),
            odds: vector(4),
            even_means: vector(4),
            odd_means: vector(4),
            lane: Lane::new(config),
            fault_resolve_round: planted(Fault::ResolveRound),
            fault_resolve_sample: planted(Fault::ResolveSample),
            fault_resolve_plane: planted(Fault::ResolvePlane),
            fault_resolve_order: planted(Fault::ResolveOrder),
            fault_resolve_early: planted(Fault::ResolveEarly),
            _active: true,
            ..Default::default()
        }
    }
}

kernel_of! { TileResolve:
    /// Clocks, and what follows from the target.
    Facts,
    /// Requests and their answers.
    Ask,
    /// A component of a sample.
    Component,
    /// The steps of a line.
    Line,
}

impl Part<Facts> for TileResolve {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: tile_resolve");
        dff_setup!(
            self, clock, running, reads, upper, line, ask_at, sample, ask_left, write_at, write_left, kind_head,
            kind_tail, asked, come, used
        );
        dff_setup!(self, clock, step, at, lane_at, part, wait, sum, float_sum, value, low_half, mean, out_valid);
        clock!(self, clock, kinds, decode, encode, lane);
        for i in 0..4 {
            self.ring[i].clock.next = self.clock.val();
            self.even_sums[i].clock.next = self.clock.val();
            self.even_sums[i].d.next = self.even_sums[i].q.val();
            self.odd_sums[i].clock.next = self.clock.val();
            self.odd_sums[i].d.next = self.odd_sums[i].q.val();
            self.out[i].clock.next = self.clock.val();
            self.out[i].d.next = self.out[i].q.val();
            self.ask.data[i].next = self.out[i].q.val();
        }
        self.last_sample.next = bits::<2>(3);
        self.count.next = bits::<3>(4);
        self.rounding.next = bits::<32>(0x0002_0002);
        if self.samples.val() == bits::<2>(1) {
            self.last_sample.next = bits::<2>(1);
            self.count.next = bits::<3>(2);
            self.rounding.next = bits::<32>(0x0001_0001);
        }
        if self.fault_resolve_round.val() {
            self.rounding.next = bits::<32>(0);
        }
        self.is_float.next = self.format.val().get_bit(1);
        self.is_half.next = self.format.val() == bits::<2>(2);
    }
}

impl Part<Ask> for TileResolve {
    #[hdl_gen]
    fn update(&mut self) {
        self.flight.next = self.kind_tail.q.val() - self.kind_head.q.val();
        self.reserved.next = self.asked.q.val() - self.used.q.val();
        self.here.next = self.come.q.val() - self.used.q.val();
        self.writes.next = self.running.q.val() && self.out_valid.q.val() && !self.flight.val().get_bit(4);
        self.asks.next = self.running.q.val()
            && self.reads.q.val()
            && !self.writes.val()
            && !self.flight.val().get_bit(4)
            && !self.reserved.val().get_bit(4);
        self.ask_valid.next = self.writes.val() || self.asks.val();
        self.goes.next = (self.writes.val() || self.asks.val()) && self.ask_ready.val();
        self.ask_write.next = self.writes.val();
        self.ask_line.next = self.ask_at.q.val();
        if self.writes.val() {
            self.ask_line.next = self.write_at.q.val();
        }
        self.kinds.write_enable.next = self.goes.val();
        self.kinds.write_address.next = self.kind_tail.q.val().get_bits::<4>(0);
        self.kinds.write_data.next = bits::<32>(0);
        if self.writes.val() {
            self.kinds.write_data.next = bits::<32>(1);
        }
        if self.goes.val() {
            self.kind_tail.d.next = self.kind_tail.q.val() + bits::<5>(1);
            if self.writes.val() {
                self.out_valid.d.next = false;
                self.write_at.d.next = self.write_at.q.val() + bits::<28>(1);
                self.write_left.d.next = self.write_left.q.val() - bits::<29>(1);
            } else {
                self.asked.d.next = self.asked.q.val() + bits::<5>(1);
                self.sample.d.next = self.sample.q.val() + bits::<2>(1);
                self.ask_at.d.next = self.ask_at.q.val() + self.plane_lines.val();
                if self.sample.q.val() == self.last_sample.val() {
                    self.sample.d.next = bits::<2>(0);
                    self.line.d.next = self.line.q.val() + bits::<28>(1);
                    self.ask_at.d.next = self.line.q.val() + bits::<28>(1);
                    self.ask_left.d.next = self.ask_left.q.val() - bits::<28>(1);
                    if self.ask_left.q.val() == bits::<28>(1) {
                        self.reads.d.next = false;
                        // The second words stand behind the first words of all samples.
                        if self.is_half.val() && !self.upper.q.val() {
                            self.reads.d.next = true;
                            self.upper.d.next = true;
                            self.ask_left.d.next = self.plane_lines.val();
                            if !self.fault_resolve_plane.val() {
                                self.line.d.next = self.ask_at.q.val() + bits::<28>(1);
                                self.ask_at.d.next = self.ask_at.q.val() + bits::<28>(1);
                            }
                        }
                    }
                }
            }
        }
        // Answers.
        self.kinds.read_address.next = self.kind_head.q.val().get_bits::<4>(0);
        self.is_write.next = self.kinds.read_data.val().get_bit(0);
        if self.answer_valid.val() {
            self.kind_head.d.next = self.kind_head.q.val() + bits::<5>(1);
            if !self.is_write.val() {
                self.come.d.next = self.come.q.val() + bits::<5>(1);
            }
        }
        for i in 0..4 {
            self.ring[i].write_enable.next = self.answer_valid.val() && !self.is_write.val();
            self.ring[i].write_address.next = self.come.q.val().get_bits::<4>(0);
            self.ring[i].write_data.next = self.answer.data[i].val();
        }
        self.done.next = self.running.q.val()
            && !self.write_left.q.val().any()
            && (!self.flight.val().any() || self.fault_resolve_early.val());
        if self.done.val() {
            self.running.d.next = false;
        }
        if self.start.val() {
            self.running.d.next = true;
            self.reads.d.next = true;
            self.upper.d.next = false;
            self.line.d.next = self.source.val();
            self.ask_at.d.next = self.source.val();
            self.sample.d.next = bits::<2>(0);
            self.ask_left.d.next = self.plane_lines.val();
            self.write_at.d.next = self.target.val();
            self.write_left.d.next = bit_cast::<29, 28>(self.plane_lines.val());
            if self.is_half.val() {
                self.write_left.d.next = bit_cast::<29, 28>(self.plane_lines.val()) << bits::<5>(1);
            }
        }
    }
}

impl Part<Component> for TileResolve {
    #[hdl_gen]
    fn update(&mut self) {
        self.place.next = self.used.q.val() + bit_cast::<5, 2>(self.at.q.val());
        if self.fault_resolve_sample.val() {
            self.place.next = self.used.q.val();
        }
        if self.fault_resolve_order.val() {
            self.place.next =
                self.used.q.val() + bit_cast::<5, 2>(self.last_sample.val()) - bit_cast::<5, 2>(self.at.q.val());
        }
        for i in 0..4 {
            self.ring[i].read_address.next = self.place.val().get_bits::<4>(0);
        }
        self.word.next = self.ring[0].read_data.val();
        for i in 1..4 {
            if self.lane_at.q.val() == i.to_bits::<2>() {
                self.word.next = self.ring[i].read_data.val();
            }
        }
        self.half.next = self.word.val() & bits::<32>(0xFFFF);
        if self.part.q.val().get_bit(0) {
            self.half.next = self.word.val() >> bits::<5>(16);
        }
        self.byte_at.next = bit_cast::<5, 2>(self.part.q.val()) << bits::<5>(3);
        self.shifted.next = self.word.val() >> self.byte_at.val();
        self.byte.next = self.shifted.val().get_bits::<8>(0);
        self.decode.address.next = self.byte.val();
        self.addend.next = bit_cast::<18, 16>(self.decode.data.val());
        if self.part.q.val() == bits::<2>(3) {
            self.addend.next =
                bit_cast::<18, 8>(self.byte.val()) | (bit_cast::<18, 8>(self.byte.val()) << bits::<5>(8));
        }
        self.one_half.next = bits::<18>(2);
        if self.samples.val() == bits::<2>(1) {
            self.one_half.next = bits::<18>(1);
        }
        if self.fault_resolve_round.val() {
            self.one_half.next = bits::<18>(0);
        }
        self.rounded.next = self.sum.q.val() + self.one_half.val();
        // Sums of bytes, of all lanes at once.
        for i in 0..4 {
            self.evens[i].next = self.ring[i].read_data.val() & bits::<32>(0x00FF_00FF);
            self.odds[i].next = (self.ring[i].read_data.val() >> bits::<5>(8)) & bits::<32>(0x00FF_00FF);
            self.even_means[i].next = self.even_sums[i].q.val() + self.rounding.val();
            self.odd_means[i].next = self.odd_sums[i].q.val() + self.rounding.val();
        }
        // The code of 16 bits: that before the change in their interval, or the next one.
        self.encode.address.next = bit_cast::<10, 8>(self.mean.q.val().get_bits::<8>(8)) + bits::<10>(512);
        self.offset.next = self.mean.q.val().get_bits::<8>(0);
        if !self.mean.q.val().get_bits::<2>(14).any() {
            self.encode.address.next = bit_cast::<10, 8>(self.mean.q.val().get_bits::<8>(6)) + bits::<10>(256);
            self.offset.next = self.mean.q.val().get_bits::<8>(0) & bits::<8>(0x3F);
        }
        if !self.mean.q.val().get_bits::<4>(12).any() {
            self.encode.address.next = bit_cast::<10, 8>(self.mean.q.val().get_bits::<8>(4));
            self.offset.next = self.mean.q.val().get_bits::<8>(0) & bits::<8>(0x0F);
        }
        self.code.next = self.encode.data.val().get_bits::<8>(8);
        if self.offset.val() >= self.encode.data.val().get_bits::<8>(0) {
            self.code.next = self.encode.data.val().get_bits::<8>(8) + bits::<8>(1);
        }
        // Alpha: divided by 257, to the nearest.
        self.alpha.next = (bit_cast::<24, 16>(self.mean.q.val()) << bits::<5>(8))
            - bit_cast::<24, 16>(self.mean.q.val())
            + bits::<24>(32895);
        if self.part.q.val() == bits::<2>(3) {
            self.code.next = self.alpha.val().get_bits::<8>(16);
        }
        self.code_word.next = bit_cast::<32, 8>(self.code.val()) << self.byte_at.val();
        // The lane.
        self.ripe.next = self.wait.q.val() == bits::<3>(5);
        self.lane.op.next = bits::<8>(0x40);
        self.lane.a.next = self.float_sum.q.val();
        self.lane.b.next = self.value.q.val();
        self.lane.c.next = bits::<32>(0);
        match self.step.q.val() {
            ResolveStep::Fetch => {
                self.lane.op.next = bits::<8>(0x57);
                self.lane.a.next = self.half.val();
            }
            ResolveStep::Scale => {
                self.lane.op.next = bits::<8>(0x42);
                self.lane.b.next = bits::<32>(0x3E80_0000);
                if self.samples.val() == bits::<2>(1) {
                    self.lane.b.next = bits::<32>(0x3F00_0000);
                }
            }
            ResolveStep::Pack => {
                self.lane.op.next = bits::<8>(0x56);
                self.lane.a.next = self.low_half.q.val();
                self.lane.b.next = self.float_sum.q.val();
            }
            _ => {}
        }
    }
}

impl Part<Line> for TileResolve {
    #[hdl_gen]
    fn update(&mut self) {
        self.wait.d.next = bits::<3>(0);
        self.line_begins.next =
            self.running.q.val() && !self.out_valid.q.val() && (self.here.val() >= bit_cast::<5, 3>(self.count.val()));
        self.word_made.next = false;
        self.line_made.next = false;
        match self.step.q.val() {
            ResolveStep::Wait => {
                self.at.d.next = bits::<2>(0);
                self.lane_at.d.next = bits::<2>(0);
                self.part.d.next = bits::<2>(0);
                if self.line_begins.val() {
                    self.step.d.next = ResolveStep::Fetch;
                    if !self.format.val().any() {
                        self.step.d.next = ResolveStep::Sum;
                    }
                }
            }
            ResolveStep::Sum => {
                for i in 0..4 {
                    self.even_sums[i].d.next = self.even_sums[i].q.val() + self.evens[i].val();
                    self.odd_sums[i].d.next = self.odd_sums[i].q.val() + self.odds[i].val();
                    if !self.at.q.val().any() {
                        self.even_sums[i].d.next = self.evens[i].val();
                        self.odd_sums[i].d.next = self.odds[i].val();
                    }
                }
                self.at.d.next = self.at.q.val() + bits::<2>(1);
                if self.at.q.val() == self.last_sample.val() {
                    self.step.d.next = ResolveStep::Mean;
                }
            }
            ResolveStep::Mean => {
                for i in 0..4 {
                    self.out[i].d.next = ((self.even_means[i].val() >> bits::<5>(2)) & bits::<32>(0x00FF_00FF))
                        | (((self.odd_means[i].val() >> bits::<5>(2)) & bits::<32>(0x00FF_00FF)) << bits::<5>(8));
                    if self.samples.val() == bits::<2>(1) {
                        self.out[i].d.next = ((self.even_means[i].val() >> bits::<5>(1)) & bits::<32>(0x00FF_00FF))
                            | (((self.odd_means[i].val() >> bits::<5>(1)) & bits::<32>(0x00FF_00FF)) << bits::<5>(8));
                    }
                }
                self.line_made.next = true;
            }
            ResolveStep::Fetch => {
                self.value.d.next = self.word.val();
                self.step.d.next = ResolveStep::Add;
                if self.is_half.val() {
                    self.value.d.next = self.lane.value.val();
                    if !self.ripe.val() {
                        self.wait.d.next = self.wait.q.val() + bits::<3>(1);
                        self.step.d.next = ResolveStep::Fetch;
                    }
                }
            }
            ResolveStep::Add => {
                self.step.d.next = ResolveStep::Fetch;
                self.at.d.next = self.at.q.val() + bits::<2>(1);
                if self.at.q.val() == self.last_sample.val() {
                    self.at.d.next = bits::<2>(0);
                    self.step.d.next = ResolveStep::Scale;
                }
                self.sum.d.next = self.sum.q.val() + self.addend.val();
                self.float_sum.d.next = self.lane.value.val();
                if !self.at.q.val().any() {
                    self.sum.d.next = self.addend.val();
                    self.float_sum.d.next = self.value.q.val();
                } else if self.is_float.val() && !self.ripe.val() {
                    self.wait.d.next = self.wait.q.val() + bits::<3>(1);
                    self.at.d.next = self.at.q.val();
                    self.float_sum.d.next = self.float_sum.q.val();
                    self.step.d.next = ResolveStep::Add;
                }
            }
            ResolveStep::Scale => {
                self.mean.d.next = self.rounded.val().get_bits::<16>(2);
                if self.samples.val() == bits::<2>(1) {
                    self.mean.d.next = self.rounded.val().get_bits::<16>(1);
                }
                self.step.d.next = ResolveStep::Look;
                if self.is_float.val() {
                    self.step.d.next = ResolveStep::Scale;
                    self.wait.d.next = self.wait.q.val() + bits::<3>(1);
                    if self.ripe.val() {
                        self.wait.d.next = bits::<3>(0);
                        self.float_sum.d.next = self.lane.value.val();
                        if !self.is_half.val() {
                            self.word_made.next = true;
                        } else if self.part.q.val().get_bit(0) {
                            self.step.d.next = ResolveStep::Pack;
                        } else {
                            self.low_half.d.next = self.lane.value.val();
                            self.part.d.next = bits::<2>(1);
                            self.step.d.next = ResolveStep::Fetch;
                        }
                    }
                }
            }
            ResolveStep::Pack => {
                self.wait.d.next = self.wait.q.val() + bits::<3>(1);
                if self.ripe.val() {
                    self.wait.d.next = bits::<3>(0);
                    self.word_made.next = true;
                }
            }
            ResolveStep::Look => {
                self.step.d.next = ResolveStep::Code;
            }
            ResolveStep::Code => {
                self.part.d.next = self.part.q.val() + bits::<2>(1);
                self.step.d.next = ResolveStep::Fetch;
                if self.part.q.val() == bits::<2>(3) {
                    self.word_made.next = true;
                }
                for i in 0..4 {
                    if self.lane_at.q.val() == i.to_bits::<2>() {
                        self.out[i].d.next = self.out[i].q.val() | self.code_word.val();
                        if !self.part.q.val().any() {
                            self.out[i].d.next = self.code_word.val();
                        }
                    }
                }
            }
        }
        if self.word_made.val() {
            self.part.d.next = bits::<2>(0);
            self.lane_at.d.next = self.lane_at.q.val() + bits::<2>(1);
            self.step.d.next = ResolveStep::Fetch;
            for i in 0..4 {
                if self.is_float.val() && (self.lane_at.q.val() == i.to_bits::<2>()) {
                    self.out[i].d.next = self.lane.value.val();
                }
            }
            if self.lane_at.q.val() == bits::<2>(3) {
                self.line_made.next = true;
            }
        }
        if self.line_made.val() {
            self.step.d.next = ResolveStep::Wait;
            self.out_valid.d.next = true;
            self.used.d.next = self.used.q.val() + bit_cast::<5, 3>(self.count.val());
        }
    }
}
