//! Queue of memory requests from the operand stage to a load/store/atomic pipeline, and beside it
//! the order of the requests not yet completed, which tells what registers a completion makes
//! available and whether it is the result of a warp-wide atomic.
//!
//! Both are rings in RAM of [`DEPTH`] entries. `credit` is taken from the number of instructions
//! not completed (from their issue to the beat marked last), so neither ring can overflow: it is
//! withdrawn with [`DEPTH`] - 2 outstanding, because the choice of the last cycle and that of this
//! one are not counted yet. The pipeline completes requests in the order in which it takes them, so
//! the oldest entry of the second ring is the one that completes.
//!
//! Latency 3 cycles from `push` to `req_valid`, one request per cycle. All of `req` but `ready` are
//! registers (of the RAMs); they hold until `ready`. A request of two beats brings words 2 and
//! 3 one cycle later (`push_second`), and only then counts as pushed. It can be wrong if something
//! is pushed between the beats: the unit leaves that slot empty.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::vector;
use crate::cell::Ram;
use crate::comment;
use crate::ports::RequestOut;
use crate::warp::words::Request;

/// Requests between issue and completion, per kind of memory.
pub const DEPTH: usize = 16;

/// See the module documentation. Elements of the vectors are lanes.
#[derive(Default, QuietBlock)]
pub struct RequestQueue {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    // Issue and completion.
    /// A memory instruction for this queue issues.
    pub issue: Signal<In, bool>,
    /// Registers it makes pending, one bit each.
    pub issue_sets: Signal<In, Bits<32>>,
    /// It is a warp-wide atomic.
    pub issue_wide: Signal<In, bool>,
    /// The oldest request has completed.
    pub complete: Signal<In, bool>,
    /// Registers of the oldest request not completed.
    pub oldest_sets: Signal<Out, Bits<32>>,
    /// The oldest request not completed is a warp-wide atomic.
    pub oldest_wide: Signal<Out, bool>,
    /// There is room for another instruction.
    pub credit: Signal<Out, bool>,
    // Operand stage.
    /// A request arrives from the operand stage.
    pub push: Signal<In, bool>,
    /// This push has a second beat.
    pub push_two: Signal<In, bool>,
    /// Its second beat arrives: data words 2 and 3.
    pub push_second: Signal<In, bool>,
    /// warp 3:0, seq 11:4, mask 15:12, dst 20:16, opcode 28:21.
    pub push_meta: Signal<In, Bits<32>>,
    /// Address per lane.
    pub push_address: Vec<Signal<In, Bits<32>>>,
    /// Register b per lane: data word 0, or 2 in the second beat.
    pub push_b: Vec<Signal<In, Bits<32>>>,
    /// Register c or b+1 per lane: data word 1, or 3 in the second beat.
    pub push_c: Vec<Signal<In, Bits<32>>>,
    /// The oldest request that the pipeline has not taken.
    pub req: RequestOut,
    ram_sets: Ram,
    ram_meta: Ram,
    ram_address: Vec<Ram>,
    ram_w0: Vec<Ram>,
    ram_w1: Vec<Ram>,
    ram_w2: Vec<Ram>,
    ram_w3: Vec<Ram>,
    head: DFF<Bits<4>>,
    tail: DFF<Bits<4>>,
    /// The tail of the last cycle, which keeps completions behind the retirement of their
    /// instruction.
    old_tail: DFF<Bits<4>>,
    present: DFF<bool>,
    /// Ring of the requests not completed.
    issued: DFF<Bits<4>>,
    completed: DFF<Bits<4>>,
    outstanding: DFF<Bits<5>>,
    /// Bit i: entry i of that ring is a warp-wide atomic.
    wide: DFF<Bits<16>>,
    next_head: Signal<Local, Bits<4>>,
    next_completed: Signal<Local, Bits<4>>,
    _lanes: usize,
    _active: bool,
}

impl RequestQueue {
    /// The block at rest, before the first edge.
    pub fn new() -> Self {
        let rams = || (0..4).map(|_| Ram::new(DEPTH)).collect();
        Self {
            push_address: vector(4),
            push_b: vector(4),
            push_c: vector(4),
            ram_sets: Ram::new(DEPTH),
            ram_meta: Ram::new(DEPTH),
            ram_address: rams(),
            ram_w0: rams(),
            ram_w1: rams(),
            ram_w2: rams(),
            ram_w3: rams(),
            _lanes: 4,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl RequestQueue {
    /// Requests go through the ring to the pipeline.
    fn ring(&mut self) {
        comment!("module: request_queue");
        dff_setup!(self, clock, head, tail, old_tail, present, issued, completed, outstanding, wide);
        clock!(self, clock, ram_sets, ram_meta);
        // Requests to the pipeline. The tail of the last cycle decides, so a word is never read in
        // the cycle in which it is written.
        self.next_head.next = self.head.q.val();
        if self.present.q.val() && self.req.ready.val() {
            self.next_head.next = self.head.q.val() + bits::<4>(1);
        }
        self.head.d.next = self.next_head.val();
        self.old_tail.d.next = self.tail.q.val();
        self.present.d.next = self.next_head.val() != self.old_tail.q.val();
        if (self.push.val() && !self.push_two.val()) || self.push_second.val() {
            self.tail.d.next = self.tail.q.val() + bits::<4>(1);
        }
        self.req.valid.next = self.present.q.val();
        self.ram_meta.read_address.next = bit_cast::<12, 4>(self.next_head.val());
        self.ram_meta.write_address.next = bit_cast::<12, 4>(self.tail.q.val());
        self.ram_meta.write_data.next = self.push_meta.val();
        self.ram_meta.write_enable.next = self.push.val();
        self.req.warp.next = self.ram_meta.read_data.val().get_value_warp();
        self.req.seq.next = self.ram_meta.read_data.val().get_value_seq();
        self.req.mask.next = self.ram_meta.read_data.val().get_value_mask();
        self.req.dst.next = self.ram_meta.read_data.val().get_value_dst();
        self.req.op.next = self.ram_meta.read_data.val().get_value_op();
    }

    /// Words of the lanes are in the ring.
    fn lane_words(&mut self) {
        for i in 0..self._lanes {
            clock!(self, clock, ram_address[i], ram_w0[i], ram_w1[i], ram_w2[i], ram_w3[i]);
            self.ram_address[i].read_address.next = bit_cast::<12, 4>(self.next_head.val());
            self.ram_w0[i].read_address.next = bit_cast::<12, 4>(self.next_head.val());
            self.ram_w1[i].read_address.next = bit_cast::<12, 4>(self.next_head.val());
            self.ram_w2[i].read_address.next = bit_cast::<12, 4>(self.next_head.val());
            self.ram_w3[i].read_address.next = bit_cast::<12, 4>(self.next_head.val());
            self.ram_address[i].write_address.next = bit_cast::<12, 4>(self.tail.q.val());
            self.ram_w0[i].write_address.next = bit_cast::<12, 4>(self.tail.q.val());
            self.ram_w1[i].write_address.next = bit_cast::<12, 4>(self.tail.q.val());
            self.ram_w2[i].write_address.next = bit_cast::<12, 4>(self.tail.q.val());
            self.ram_w3[i].write_address.next = bit_cast::<12, 4>(self.tail.q.val());
            self.ram_address[i].write_data.next = self.push_address[i].val();
            self.ram_w0[i].write_data.next = self.push_b[i].val();
            fan_out!(self.push_c[i] => self.ram_w1[i].write_data, self.ram_w2[i].write_data, self.ram_w3[i].write_data);
            if self.push_second.val() {
                self.ram_w2[i].write_data.next = self.push_b[i].val();
            }
            fan_out!(self.push =>
                self.ram_address[i].write_enable, self.ram_w0[i].write_enable, self.ram_w1[i].write_enable
            );
            self.ram_w2[i].write_enable.next = self.push.val() || self.push_second.val();
            self.ram_w3[i].write_enable.next = self.push.val() || self.push_second.val();
            self.req.addr[i].next = self.ram_address[i].read_data.val();
            self.req.w0_[i].next = self.ram_w0[i].read_data.val();
            self.req.w1_[i].next = self.ram_w1[i].read_data.val();
            self.req.w2_[i].next = self.ram_w2[i].read_data.val();
            self.req.w3_[i].next = self.ram_w3[i].read_data.val();
        }
    }

    /// Requests not completed are counted, and the oldest one is known.
    fn outstanding(&mut self) {
        self.next_completed.next = self.completed.q.val();
        if self.complete.val() {
            self.next_completed.next = self.completed.q.val() + bits::<4>(1);
        }
        self.completed.d.next = self.next_completed.val();
        if self.issue.val() {
            self.issued.d.next = self.issued.q.val() + bits::<4>(1);
            self.wide.d.next = self.wide.q.val() & !(bits::<16>(1) << self.issued.q.val());
            if self.issue_wide.val() {
                self.wide.d.next = self.wide.q.val() | (bits::<16>(1) << self.issued.q.val());
            }
        }
        if self.issue.val() && !self.complete.val() {
            self.outstanding.d.next = self.outstanding.q.val() + bits::<5>(1);
        }
        if !self.issue.val() && self.complete.val() {
            self.outstanding.d.next = self.outstanding.q.val() - bits::<5>(1);
        }
        self.credit.next = self.outstanding.q.val() < bits::<5>(14);
        self.ram_sets.read_address.next = bit_cast::<12, 4>(self.next_completed.val());
        self.ram_sets.write_address.next = bit_cast::<12, 4>(self.issued.q.val());
        self.ram_sets.write_data.next = self.issue_sets.val();
        self.ram_sets.write_enable.next = self.issue.val();
        self.oldest_sets.next = self.ram_sets.read_data.val();
        self.oldest_wide.next = (self.wide.q.val() & (bits::<16>(1) << self.completed.q.val())).any();
    }
}
