//! Reader of the thread list (`quadlock_isa::thread`): fetches the lines of the records ahead of
//! their use into a ring of 16 lines, which the two stages of the set-up read.
//!
//! A line is asked for only if it is certain to belong to the list, for behind the list there may
//! be no memory. The length of a record is known with its first line; every record that has not
//! been seen yet has at least that one. So with records without requests, or behind records that
//! have come, a request leaves in every cycle while the ring has room; a list of records with many
//! requests has at least as many lines on their way as records are left.
//!
//! Responses come in order and are always taken: the ring's room is reserved when the request
//! leaves. It can be wrong in the count of a record's lines, after which every record is read
//! askew.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::records::Thread;
use crate::comment;
use crate::memory::LutRam;
use crate::ports::LineFetchOut;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct ListReader {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// One cycle: the list at `base` of `threads` records is to be read. Nothing may be on its way.
    pub start: Signal<In, bool>,
    /// Byte address of the first record, multiple of 16.
    pub base: Signal<In, Bits<32>>,
    /// Records of the list.
    pub threads: Signal<In, Bits<32>>,
    /// A read of a line of memory.
    pub req: LineFetchOut,
    /// The oldest line asked for comes; it is always taken.
    pub rsp_valid: Signal<In, bool>,
    /// Its four words.
    pub rsp_data: Vec<Signal<In, Bits<32>>>,
    /// Lines that the set-up is through with, modulo 32.
    pub head: Signal<In, Bits<5>>,
    /// Lines that have come, modulo 32: those from `head` to here can be read.
    pub tail: Signal<Out, Bits<5>>,
    /// Place in the ring that the first stage reads.
    pub a_address: Signal<In, Bits<4>>,
    /// The line there, in the same cycle.
    pub a_word: Vec<Signal<Out, Bits<32>>>,
    /// Place in the ring that the second stage reads.
    pub b_address: Signal<In, Bits<4>>,
    /// The line there, in the same cycle.
    pub b_word: Vec<Signal<Out, Bits<32>>>,
    ring_a: Vec<LutRam>,
    ring_b: Vec<LutRam>,
    address: DFF<Bits<32>>,
    /// Lines asked for, modulo 32, and those that have come.
    asked: DFF<Bits<5>>,
    come: DFF<Bits<5>>,
    /// Lines that are certain and have not been asked for.
    certain: DFF<Bits<32>>,
    /// Lines of requests that are still to come of the record whose first line has come.
    requests: DFF<Bits<3>>,
    used: Signal<Local, Bits<5>>,
    request: Signal<Local, bool>,
    count: Signal<Local, Bits<4>>,
    /// Lines that are full of requests; all lines.
    full_lines: Signal<Local, Bits<3>>,
    lines: Signal<Local, Bits<3>>,
    less: Signal<Local, Bits<32>>,
    _active: bool,
}

impl ListReader {
    /// The block at rest, before the first edge.
    pub fn new() -> Self {
        Self {
            rsp_data: (0..4).map(|_| Signal::default()).collect(),
            a_word: (0..4).map(|_| Signal::default()).collect(),
            b_word: (0..4).map(|_| Signal::default()).collect(),
            ring_a: (0..4).map(|_| LutRam::default()).collect(),
            ring_b: (0..4).map(|_| LutRam::default()).collect(),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for ListReader {
    #[kernel]
    fn update(&mut self) {
        comment!("module: list_reader");
        dff_setup!(self, clock, address, asked, come, certain, requests);
        // Requests: valid does not go away before it is taken, because the ring only empties and
        // certain lines only become more.
        self.used.next = self.asked.q.val() - self.head.val();
        self.request.next = (self.certain.q.val() != bits::<32>(0)) && (self.used.val() < bits::<5>(16));
        self.req.valid.next = self.request.val();
        self.req.addr.next = self.address.q.val();
        self.less.next = self.certain.q.val();
        if self.request.val() && self.req.ready.val() {
            self.address.d.next = self.address.q.val() + bits::<32>(16);
            self.asked.d.next = self.asked.q.val() + bits::<5>(1);
            self.less.next = self.certain.q.val() - bits::<32>(1);
        }
        // Responses.
        self.count.next = self.rsp_data[0].val().get_value_count();
        self.full_lines.next = bit_cast::<3, 2>(self.count.val().get_bits::<2>(2));
        self.lines.next = self.full_lines.val();
        if self.count.val().get_bits::<2>(0).any() {
            self.lines.next = self.full_lines.val() + bits::<3>(1);
        }
        self.certain.d.next = self.less.val();
        if self.rsp_valid.val() {
            self.come.d.next = self.come.q.val() + bits::<5>(1);
            self.requests.d.next = self.requests.q.val() - bits::<3>(1);
            if self.requests.q.val() == bits::<3>(0) {
                self.requests.d.next = self.lines.val();
                self.certain.d.next = self.less.val() + bit_cast::<32, 3>(self.lines.val());
            }
        }
        self.tail.next = self.come.q.val();
        for k in 0..4 {
            clock!(self, clock, ring_a[k], ring_b[k]);
            fan_out!(self.rsp_valid => self.ring_a[k].write_enable, self.ring_b[k].write_enable);
            self.ring_a[k].write_address.next = self.come.q.val().get_bits::<4>(0);
            fan_out!(self.rsp_data[k] => self.ring_a[k].write_data, self.ring_b[k].write_data);
            self.ring_a[k].read_address.next = self.a_address.val();
            self.a_word[k].next = self.ring_a[k].read_data.val();
            self.ring_b[k].write_address.next = self.come.q.val().get_bits::<4>(0);
            self.ring_b[k].read_address.next = self.b_address.val();
            self.b_word[k].next = self.ring_b[k].read_data.val();
        }
        if self.start.val() {
            self.address.d.next = self.base.val();
            self.certain.d.next = self.threads.val();
            self.asked.d.next = bits::<5>(0);
            self.come.d.next = bits::<5>(0);
            self.requests.d.next = bits::<3>(0);
        }
    }
}
