//! Small cache of lines in front of memory, for what full binning reads of a window: nodes of lists
//! and packages of triangles. It answers in the order in which it is asked.
//!
//! Whether a line is here is known when it is asked for. If it is not, memory is asked at once, and
//! the line counts as here from then on. Answers leave in order, so whoever asks for it again finds
//! it written. A line's place is its number's lowest bits.
//!
//! ```text
//! line -> tag -> queue of 16 -> word of the cache, or of memory's answers -> line
//!           \--> memory ------> answers, 16 -------/
//! ```
//!
//! Latency 2 cycles if the line is here; a line per cycle. Memory's answers always have a place. A
//! wipe takes a cycle per line, and nothing is asked meanwhile. It can be wrong in a line that is
//! written while an older answer of its place is still to leave. Planted fault: `full-stale`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::cell::{AsyncRam, DeepRam};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{LineIn, LineOut};

/// Lines of the cache, of 16 bytes.
pub const CACHE_LINES: usize = 256;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct FullCache {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Number of the area's first line in memory.
    pub base: Signal<In, Bits<28>>,
    /// Request for a line.
    pub req_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub req_ready: Signal<Out, bool>,
    /// Its number in the area.
    pub req_line: Signal<In, Bits<24>>,
    /// It is a node of a list; comes back with the line.
    pub req_node: Signal<In, bool>,
    /// Request to memory.
    pub read_valid: Signal<Out, bool>,
    /// It takes that in this cycle.
    pub read_ready: Signal<In, bool>,
    /// Byte address of the line.
    pub read_address: Signal<Out, Bits<32>>,
    /// Memory answers.
    pub m_rsp: LineIn,
    /// It is a node of a list.
    pub rsp_node: Signal<Out, bool>,
    /// Line of the oldest request.
    pub rsp: LineOut,
    /// It is taken; never without `rsp_valid`.
    pub take: Signal<In, bool>,
    /// Pulse: invalidates all lines.
    pub wipe: Signal<In, bool>,
    /// No request is in flight.
    pub idle: Signal<Out, bool>,
    /// Bit 16: the line is here; 15:0 upper bits of its number.
    tags: AsyncRam<8, 32>,
    words: Vec<DeepRam<8, 32>>,
    /// What is asked for: place in 7:0, 8 memory has it, 9 a node.
    req_queue: AsyncRam,
    fill: Vec<AsyncRam>,
    head: DFF<Bits<5>>,
    tail: DFF<Bits<5>>,
    fill_head: DFF<Bits<5>>,
    fill_tail: DFF<Bits<5>>,
    wiping: DFF<bool>,
    wiped: DFF<Bits<8>>,
    // The line that leaves.
    out: DFF<bool>,
    out_node: DFF<bool>,
    out_new: DFF<bool>,
    out_place: DFF<Bits<8>>,
    out_word: Vec<DFF<Bits<32>>>,
    place: Signal<Local, Bits<8>>,
    upper: Signal<Local, Bits<16>>,
    tag: Signal<Local, Bits<32>>,
    hit: Signal<Local, bool>,
    used: Signal<Local, Bits<5>>,
    room: Signal<Local, bool>,
    taken: Signal<Local, bool>,
    oldest: Signal<Local, Bits<32>>,
    is_new: Signal<Local, bool>,
    line: Signal<Local, Bits<28>>,
    moves: Signal<Local, bool>,
    next_place: Signal<Local, Bits<8>>,
    fault_full_stale: Planted,
    _active: bool,
}

impl FullCache {
    /// Empty, with that configuration's planted fault.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            tags: AsyncRam::new(CACHE_LINES, 17),
            words: (0..4).map(|_| DeepRam::new(CACHE_LINES, 32)).collect(),
            req_queue: AsyncRam::new(16, 10),
            fill: (0..4).map(|_| AsyncRam::new(16, 32)).collect(),
            out_word: vector(4),
            fault_full_stale: Planted::new(config.has(Fault::FullStale)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl FullCache {
    /// The tag says whether the line is here, and memory is asked if not.
    fn tag_compare(&mut self) {
        comment!("module: full_cache");
        dff_setup!(self, clock, head, tail, fill_head, fill_tail, wiping, wiped, out, out_node, out_new, out_place);
        clock!(self, clock, tags, req_queue);
        for k in 0..4 {
            self.words[k].clock.next = self.clock.val();
            clock!(self, clock, fill[k]);
            dff_setup!(self, clock, out_word[k]);
        }
        // Whether the line is here.
        self.place.next = self.req_line.val().get_bits::<8>(0);
        self.upper.next = self.req_line.val().get_bits::<16>(8);
        self.tags.read_address.next = self.place.val();
        self.tag.next = self.tags.read_data.val();
        self.hit.next = self.tag.val().get_bit(16) && (self.tag.val().get_bits::<16>(0) == self.upper.val());
        self.used.next = self.tail.q.val() - self.head.q.val();
        self.room.next = !self.used.val().get_bit(4) && !self.wiping.q.val() && !self.wipe.val();
        self.read_valid.next = self.req_valid.val() && self.room.val() && !self.hit.val();
        self.line.next = self.base.val() + bit_cast::<28, 24>(self.req_line.val());
        self.read_address.next = bit_cast::<32, 28>(self.line.val()) << bits::<32>(4);
        self.req_ready.next = self.room.val() && (self.hit.val() || self.read_ready.val());
        self.taken.next = self.req_valid.val() && self.room.val() && (self.hit.val() || self.read_ready.val());
        self.req_queue.write_enable.next = self.taken.val();
        self.req_queue.write_address.next = bit_cast::<6, 4>(self.tail.q.val().get_bits::<4>(0));
        self.req_queue.write_data.next = bit_cast::<32, 8>(self.place.val());
        if !self.hit.val() {
            self.req_queue.write_data.next = bit_cast::<32, 8>(self.place.val()) | bits::<32>(0x100);
        }
        if self.req_node.val() {
            self.req_queue.write_data.next = bit_cast::<32, 8>(self.place.val()) | bits::<32>(0x200);
            if !self.hit.val() {
                self.req_queue.write_data.next = bit_cast::<32, 8>(self.place.val()) | bits::<32>(0x300);
            }
        }
        if self.taken.val() {
            self.tail.d.next = self.tail.q.val() + bits::<5>(1);
        }
        self.tags.write_enable.next = self.taken.val() && !self.hit.val();
        self.tags.write_address.next = self.place.val();
        self.tags.write_data.next = bit_cast::<32, 16>(self.upper.val()) | bits::<32>(0x1_0000);
    }

    /// A wipe clears a tag per cycle.
    fn wipe(&mut self) {
        if self.wipe.val() && !self.fault_full_stale.val() {
            self.wiping.d.next = true;
            self.wiped.d.next = bits::<8>(0);
        }
        if self.wiping.q.val() {
            self.tags.write_enable.next = true;
            self.tags.write_address.next = self.wiped.q.val();
            self.tags.write_data.next = bits::<32>(0);
            self.wiped.d.next = self.wiped.q.val() + bits::<8>(1);
            if self.wiped.q.val().all() {
                self.wiping.d.next = false;
            }
        }
    }

    /// Answers of memory wait in a queue.
    fn answers(&mut self) {
        for k in 0..4 {
            self.fill[k].write_enable.next = self.m_rsp.valid.val();
            self.fill[k].write_address.next = bit_cast::<6, 4>(self.fill_tail.q.val().get_bits::<4>(0));
            self.fill[k].write_data.next = self.m_rsp.data[k].val();
            self.fill[k].read_address.next = bit_cast::<6, 4>(self.fill_head.q.val().get_bits::<4>(0));
        }
        if self.m_rsp.valid.val() {
            self.fill_tail.d.next = self.fill_tail.q.val() + bits::<5>(1);
        }
    }

    /// The oldest line leaves, out of the cache or of memory's answers.
    fn oldest_line(&mut self) {
        self.req_queue.read_address.next = bit_cast::<6, 4>(self.head.q.val().get_bits::<4>(0));
        self.oldest.next = self.req_queue.read_data.val();
        self.is_new.next = self.oldest.val().get_bit(8);
        self.moves.next = (self.head.q.val() != self.tail.q.val())
            && (!self.out.q.val() || self.take.val())
            && (!self.is_new.val() || (self.fill_head.q.val() != self.fill_tail.q.val()));
        if self.take.val() {
            self.out.d.next = false;
        }
        self.next_place.next = self.out_place.q.val();
        if self.moves.val() {
            self.head.d.next = self.head.q.val() + bits::<5>(1);
            self.out.d.next = true;
            self.out_node.d.next = self.oldest.val().get_bit(9);
            self.out_new.d.next = self.is_new.val();
            self.next_place.next = self.oldest.val().get_bits::<8>(0);
            if self.is_new.val() {
                self.fill_head.d.next = self.fill_head.q.val() + bits::<5>(1);
            }
        }
        self.out_place.d.next = self.next_place.val();
        for k in 0..4 {
            self.words[k].read_address.next = self.next_place.val();
            self.words[k].write_enable.next = self.moves.val() && self.is_new.val();
            self.words[k].write_address.next = self.oldest.val().get_bits::<8>(0);
            self.words[k].write_data.next = self.fill[k].read_data.val();
            if self.moves.val() {
                self.out_word[k].d.next = self.fill[k].read_data.val();
            }
            self.rsp.data[k].next = self.words[k].read_data.val();
            if self.out_new.q.val() {
                self.rsp.data[k].next = self.out_word[k].q.val();
            }
        }
        self.rsp.valid.next = self.out.q.val();
        self.rsp_node.next = self.out_node.q.val();
        self.idle.next = !self.out.q.val() && (self.head.q.val() == self.tail.q.val());
    }
}
