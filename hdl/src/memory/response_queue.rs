//! Responses of the memory port that a core's load/store/atomic pipeline cannot take yet. The port
//! answers in order, for all cores: a core that held up its response (a wide load takes a cycle per
//! register) would hold up the others' behind it. Here every line has a place before it is asked
//! for, so a response is always taken.
//!
//! Up to 16 requests of the core are in flight. A response passes through in its cycle while
//! nothing is queued before it; otherwise it waits in order. Latency 0 or its place in the queue,
//! one line per cycle in and out. Requests are held back (`req_ready` low) while 16 are unanswered
//! or not taken. It can be wrong only by its count: a request that is not counted is a line without
//! a place.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::LutRam;
use crate::base::stream::StreamOut;
use crate::comment;
use crate::ports::{LineDataIn, LineDataOut, LineIn};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct ResponseQueue {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// The pipeline has a request.
    pub req_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub req_ready: Signal<Out, bool>,
    /// The request goes to the memory port.
    pub m_req_valid: Signal<Out, bool>,
    /// The memory port takes it.
    pub m_req_ready: Signal<In, bool>,
    /// A response line arrives; it is always taken.
    /// Data of the response that comes in.
    pub m_rsp: LineIn,
    /// A response for the pipeline.
    /// Data of the response that goes out.
    pub rsp: StreamOut<LineDataOut>,
    word0: LutRam,
    word1: LutRam,
    word2: LutRam,
    word3: LutRam,
    head: DFF<Bits<5>>,
    tail: DFF<Bits<5>>,
    /// Requests that are unanswered, or whose response is not taken.
    in_flight: DFF<Bits<5>>,
    empty: Signal<Local, bool>,
    room: Signal<Local, bool>,
    accept: Signal<Local, bool>,
    taken: Signal<Local, bool>,
    keep: Signal<Local, bool>,
    _active: bool,
}

impl ResponseQueue {
    /// The block at rest, before the first edge.
    pub fn new() -> Self {
        Self { _active: true, ..Default::default() }
    }
}

impl Logic for ResponseQueue {
    #[kernel]
    fn update(&mut self) {
        comment!("module: response_queue");
        dff_setup!(self, clock, head, tail, in_flight);
        clock!(self, clock, word0, word1, word2, word3);
        // Requests, while there is a place.
        self.room.next = self.in_flight.q.val() != bits::<5>(16);
        self.m_req_valid.next = self.req_valid.val() && self.room.val();
        self.req_ready.next = self.m_req_ready.val() && self.room.val();
        self.accept.next = self.req_valid.val() && self.room.val() && self.m_req_ready.val();
        // Responses.
        self.empty.next = self.head.q.val() == self.tail.q.val();
        self.word0.read_address.next = self.head.q.val().get_bits::<4>(0);
        self.word1.read_address.next = self.head.q.val().get_bits::<4>(0);
        self.word2.read_address.next = self.head.q.val().get_bits::<4>(0);
        self.word3.read_address.next = self.head.q.val().get_bits::<4>(0);
        self.rsp.valid.next = !self.empty.val() || self.m_rsp.valid.val();
        self.rsp.data[0].next = self.word0.read_data.val();
        self.rsp.data[1].next = self.word1.read_data.val();
        self.rsp.data[2].next = self.word2.read_data.val();
        self.rsp.data[3].next = self.word3.read_data.val();
        if self.empty.val() {
            LineDataIn::join(&mut self.m_rsp, &mut self.rsp);
        }
        self.taken.next = self.rsp.ready.val() && (!self.empty.val() || self.m_rsp.valid.val());
        self.keep.next = self.m_rsp.valid.val() && !(self.empty.val() && self.rsp.ready.val());
        self.word0.write_enable.next = self.keep.val();
        self.word1.write_enable.next = self.keep.val();
        self.word2.write_enable.next = self.keep.val();
        self.word3.write_enable.next = self.keep.val();
        self.word0.write_address.next = self.tail.q.val().get_bits::<4>(0);
        self.word1.write_address.next = self.tail.q.val().get_bits::<4>(0);
        self.word2.write_address.next = self.tail.q.val().get_bits::<4>(0);
        self.word3.write_address.next = self.tail.q.val().get_bits::<4>(0);
        self.word0.write_data.next = self.m_rsp.data[0].val();
        self.word1.write_data.next = self.m_rsp.data[1].val();
        self.word2.write_data.next = self.m_rsp.data[2].val();
        self.word3.write_data.next = self.m_rsp.data[3].val();
        if self.keep.val() {
            self.tail.d.next = self.tail.q.val() + bits::<5>(1);
        }
        if self.taken.val() && !self.empty.val() {
            self.head.d.next = self.head.q.val() + bits::<5>(1);
        }
        if self.accept.val() && !self.taken.val() {
            self.in_flight.d.next = self.in_flight.q.val() + bits::<5>(1);
        }
        if !self.accept.val() && self.taken.val() {
            self.in_flight.d.next = self.in_flight.q.val() - bits::<5>(1);
        }
    }
}
