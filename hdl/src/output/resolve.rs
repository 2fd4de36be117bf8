//! Resolve: what several samples of a pixel become, from memory to memory, for one target at the
//! end of a pass (docs/graphics.md, "Tests and blending").
//!
//! ```text
//! lines -> ring of 16 -> two pixels  -> tables, sums, means, codes -.-> ring of 16 -> lines
//!                     '-> a component -> sum -> share -> half ------'
//! ```
//!
//! All samples of a line of quads are asked for one behind the other, and wait in a ring of 16
//! lines. Integers go two pixels at a time, sample by sample: bytes as sRGB codes do, by 16 bits,
//! without the table. Floats go component by component through one adder, for each sample all
//! components of the line. At most 16 requests are on their way. Results wait in a second ring,
//! which cannot overflow: while it holds a line none is asked for, and 16 lines of samples make
//! eight.
//!
//! Latency is memory's and at most 40 cycles. Throughput, of n samples that memory gives at once: a
//! line of integers in 2 n cycles, one of floats in 8 n.
//!
//! It can be wrong in the order in which floats are added, in a sample's plane, and in an answer to
//! a write that is taken for one to a read; `tests/tile_buffers.rs` compares all memory. Planted
//! faults: `resolve-*`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::stream::StreamOut;
use crate::base::{vector, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::memory::LutRam;
use crate::ports::{LineDataOut, LineIn};
use float::ResolveFloat;
use integer::ResolveInteger;

pub mod component;
pub mod float;
pub mod integer;

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
    /// Its address, in lines.
    pub req_line: Signal<Out, Bits<28>>,
    /// It is written.
    pub req_write: Signal<Out, bool>,
    /// Request for a line.
    pub req: StreamOut<LineDataOut>,
    /// The answer to the oldest request comes; it is taken.
    pub rsp: LineIn,

    // Requests.
    running: DFF<bool>,
    reads: DFF<bool>,
    upper: DFF<bool>,
    line: DFF<Bits<28>>,
    req_at: DFF<Bits<28>>,
    sample: DFF<Bits<2>>,
    req_left: DFF<Bits<28>>,
    write_at: DFF<Bits<28>>,
    write_left: DFF<Bits<29>>,
    kinds: LutRam,
    kind_head: DFF<Bits<5>>,
    kind_tail: DFF<Bits<5>>,
    ring: Vec<LutRam>,
    /// Lines of samples asked for, come, and used.
    req_count: DFF<Bits<5>>,
    rsp_count: DFF<Bits<5>>,
    used: DFF<Bits<5>>,
    last_sample: Signal<Local, Bits<2>>,
    count: Signal<Local, Bits<3>>,
    writes: Signal<Local, bool>,
    sends_req: Signal<Local, bool>,
    goes: Signal<Local, bool>,
    flight: Signal<Local, Bits<5>>,
    reserved: Signal<Local, Bits<5>>,
    rsp_waiting: Signal<Local, Bits<5>>,
    is_write: Signal<Local, bool>,

    // Steps through a line: integers sample by sample for each pair of pixels, floats component by
    // component for each sample.
    at: DFF<Bits<2>>,
    pair: DFF<bool>,
    component: DFF<Bits<3>>,
    is_float: Signal<Local, bool>,
    is_half: Signal<Local, bool>,
    steps: Signal<Local, bool>,
    sample_ends: Signal<Local, bool>,
    line_ends: Signal<Local, bool>,
    place: Signal<Local, Bits<5>>,
    upper_pair: Signal<Local, bool>,
    word: Vec<Signal<Local, Bits<32>>>,

    integers: ResolveInteger,
    floats: ResolveFloat,

    // Lines that are made.
    out: Vec<LutRam>,
    made: DFF<Bits<5>>,
    written: DFF<Bits<5>>,
    line_made: Signal<Local, bool>,
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
            word: vector(2),
            integers: ResolveInteger::new(config),
            floats: ResolveFloat::new(config),
            out: vector(4),
            fault_resolve_sample: planted(Fault::ResolveSample),
            fault_resolve_plane: planted(Fault::ResolvePlane),
            fault_resolve_order: planted(Fault::ResolveOrder),
            fault_resolve_early: planted(Fault::ResolveEarly),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl TileResolve {
    /// Clocks, and what follows from the target.
    fn facts(&mut self) {
        comment!("module: tile_resolve");
        dff_setup!(
            self, clock, running, reads, upper, line, req_at, sample, req_left, write_at, write_left, kind_head,
            kind_tail, req_count, rsp_count, used
        );
        dff_setup!(self, clock, at, pair, component, made, written);
        clock!(self, clock, kinds, integers, floats);
        for i in 0..4 {
            clock!(self, clock, ring[i], out[i]);
        }
        self.last_sample.next = bits::<2>(3);
        self.count.next = bits::<3>(4);
        if self.samples.val() == bits::<2>(1) {
            self.last_sample.next = bits::<2>(1);
            self.count.next = bits::<3>(2);
        }
        self.is_float.next = self.format.val().get_bit(1);
        self.is_half.next = self.format.val() == bits::<2>(2);
    }

    /// A write goes before a read, and a read only if there is room for its answer.
    fn ask(&mut self) {
        self.flight.next = self.kind_tail.q.val() - self.kind_head.q.val();
        self.reserved.next = self.req_count.q.val() - self.used.q.val();
        self.rsp_waiting.next = self.rsp_count.q.val() - self.used.q.val();
        self.writes.next =
            self.running.q.val() && (self.made.q.val() != self.written.q.val()) && !self.flight.val().get_bit(4);
        self.sends_req.next = self.running.q.val()
            && self.reads.q.val()
            && !self.writes.val()
            && !self.flight.val().get_bit(4)
            && !self.reserved.val().get_bit(4);
        self.req.valid.next = self.writes.val() || self.sends_req.val();
        self.goes.next = (self.writes.val() || self.sends_req.val()) && self.req.ready.val();
        self.req_write.next = self.writes.val();
        self.req_line.next = self.req_at.q.val();
        if self.writes.val() {
            self.req_line.next = self.write_at.q.val();
        }
        self.kinds.write_enable.next = self.goes.val();
        self.kinds.write_address.next = self.kind_tail.q.val().get_bits::<4>(0);
        self.kinds.write_data.next = bits::<32>(0);
        if self.writes.val() {
            self.kinds.write_data.next = bits::<32>(1);
        }
    }

    /// What has gone counts on, and the addresses move to the next line.
    fn progress(&mut self) {
        if self.goes.val() {
            self.kind_tail.d.next = self.kind_tail.q.val() + bits::<5>(1);
            if self.writes.val() {
                self.written.d.next = self.written.q.val() + bits::<5>(1);
                self.write_at.d.next = self.write_at.q.val() + bits::<28>(1);
                self.write_left.d.next = self.write_left.q.val() - bits::<29>(1);
            } else {
                self.req_count.d.next = self.req_count.q.val() + bits::<5>(1);
                self.sample.d.next = self.sample.q.val() + bits::<2>(1);
                self.req_at.d.next = self.req_at.q.val() + self.plane_lines.val();
                if self.sample.q.val() == self.last_sample.val() {
                    self.sample.d.next = bits::<2>(0);
                    self.line.d.next = self.line.q.val() + bits::<28>(1);
                    self.req_at.d.next = self.line.q.val() + bits::<28>(1);
                    self.req_left.d.next = self.req_left.q.val() - bits::<28>(1);
                    if self.req_left.q.val() == bits::<28>(1) {
                        self.reads.d.next = false;
                        // The second words stand behind the first words of all samples.
                        if self.is_half.val() && !self.upper.q.val() {
                            self.reads.d.next = true;
                            self.upper.d.next = true;
                            self.req_left.d.next = self.plane_lines.val();
                            if !self.fault_resolve_plane.val() {
                                self.line.d.next = self.req_at.q.val() + bits::<28>(1);
                                self.req_at.d.next = self.req_at.q.val() + bits::<28>(1);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Answers to reads go into the ring, those to writes are counted.
    fn answers(&mut self) {
        self.kinds.read_address.next = self.kind_head.q.val().get_bits::<4>(0);
        self.is_write.next = self.kinds.read_data.val().get_bit(0);
        if self.rsp.valid.val() {
            self.kind_head.d.next = self.kind_head.q.val() + bits::<5>(1);
            if !self.is_write.val() {
                self.rsp_count.d.next = self.rsp_count.q.val() + bits::<5>(1);
            }
        }
        for i in 0..4 {
            self.ring[i].write_enable.next = self.rsp.valid.val() && !self.is_write.val();
            self.ring[i].write_address.next = self.rsp_count.q.val().get_bits::<4>(0);
            self.ring[i].write_data.next = self.rsp.data[i].val();
        }
    }

    /// A target begins, and is done when all its answers have come.
    fn run(&mut self) {
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
            self.req_at.d.next = self.source.val();
            self.sample.d.next = bits::<2>(0);
            self.req_left.d.next = self.plane_lines.val();
            self.write_at.d.next = self.target.val();
            self.write_left.d.next = bit_cast::<29, 28>(self.plane_lines.val());
            if self.is_half.val() {
                self.write_left.d.next = bit_cast::<29, 28>(self.plane_lines.val()) << bits::<5>(1);
            }
        }
    }

    /// All samples of a line are there while its steps last.
    fn step(&mut self) {
        self.steps.next = self.running.q.val() && (self.rsp_waiting.val() >= bit_cast::<5, 3>(self.count.val()));
        self.sample_ends.next = !self.is_float.val() || self.component.q.val().all();
        self.line_ends.next = self.sample_ends.val() && (self.at.q.val() == self.last_sample.val());
        if !self.is_float.val() && !self.pair.q.val() {
            self.line_ends.next = false;
        }
        if self.steps.val() {
            if self.is_float.val() {
                self.component.d.next = self.component.q.val() + bits::<3>(1);
            }
            if self.sample_ends.val() {
                self.at.d.next = self.at.q.val() + bits::<2>(1);
                if self.at.q.val() == self.last_sample.val() {
                    self.at.d.next = bits::<2>(0);
                    self.pair.d.next = !self.pair.q.val() && !self.is_float.val();
                }
            }
            if self.line_ends.val() {
                self.used.d.next = self.used.q.val() + bit_cast::<5, 3>(self.count.val());
            }
        }
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
    }

    /// The integer and the float unit get the words of the sample.
    fn sum_inputs(&mut self) {
        // Of floats a component is a half of a word; a word is done twice.
        self.upper_pair.next = self.pair.q.val();
        if self.is_float.val() {
            self.upper_pair.next = self.component.q.val().get_bit(2);
        }
        for i in 0..2 {
            self.word[i].next = self.ring[i].read_data.val();
            if self.upper_pair.val() {
                self.word[i].next = self.ring[i + 2].read_data.val();
            }
        }
        self.integers.valid.next = self.steps.val() && !self.is_float.val();
        self.integers.codes.next = self.format.val().get_bit(0);
        self.integers.quarter.next = self.samples.val() != bits::<2>(1);
        self.integers.first.next = !self.at.q.val().any();
        self.integers.last.next = self.at.q.val() == self.last_sample.val();
        self.integers.upper.next = self.pair.q.val();
        for i in 0..2 {
            self.integers.word[i].next = self.word[i].val();
        }
        self.floats.valid.next = self.steps.val() && self.is_float.val();
        self.floats.halves.next = self.is_half.val();
        self.floats.quarter.next = self.samples.val() != bits::<2>(1);
        self.floats.first.next = !self.at.q.val().any();
        self.floats.last.next = self.at.q.val() == self.last_sample.val();
        self.floats.component.next = self.component.q.val();
        self.floats.word.next = self.word[0].val();
        if self.component.q.val().get_bit(1) {
            self.floats.word.next = self.word[1].val();
        }
    }

    /// What they made.
    fn made(&mut self) {
        for i in 0..4 {
            self.out[i].write_address.next = self.made.q.val().get_bits::<4>(0);
            self.out[i].read_address.next = self.written.q.val().get_bits::<4>(0);
            self.out[i].write_data.next = self.floats.made.val();
            self.out[i].write_enable.next =
                self.floats.made_valid.val() && (self.floats.made_lane.val() == i.to_bits::<2>());
        }
        for i in 0..2 {
            if !self.is_float.val() {
                fan_out!(self.integers.made[i] => self.out[i].write_data, self.out[i + 2].write_data);
                self.out[i].write_enable.next = self.integers.made_valid.val() && !self.integers.made_upper.val();
                self.out[i + 2].write_enable.next = self.integers.made_valid.val() && self.integers.made_upper.val();
            }
        }
        self.line_made.next = self.floats.made_valid.val() && self.floats.made_lane.val().all();
        if !self.is_float.val() {
            self.line_made.next = self.integers.made_valid.val() && self.integers.made_upper.val();
        }
        if self.line_made.val() {
            self.made.d.next = self.made.q.val() + bits::<5>(1);
        }
        for i in 0..4 {
            self.req.data[i].next = self.out[i].read_data.val();
        }
    }
}
