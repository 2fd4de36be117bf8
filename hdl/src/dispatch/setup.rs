//! Set-up of the threads of a list in the order that SE-43 demands. For each thread: a slot is taken (the thread's number is in its messages); its ACQ_MSGs with
//! acknowledge-suppress are sent; when the semaphore entity has said that they have had their effect, the thread is launched; then its other ACQ_MSGs are sent. So no ACK_MSG
//! can come for a thread that does not exist, and no REL_MSG can overtake the ACQ_MSG of its entry.
//!
//! Two stages work on up to eight threads. The first, A, takes slots and sends the suppressed requests; the second, B, launches, strictly in the list's order, and sends the
//! others. While a thread waits for its completions, A is on with the threads behind it. Two things hold A back. (1) A suppressed request does not overtake a request of an
//! earlier thread to the same semaphore: the semaphores of requests that B has still to send are kept as a set modulo 32 per thread, so a request may wait without
//! need, never go wrongly. (2) The threads between A and B never ask for more entries than the pool has (except one thread by itself): otherwise a request at the entity could
//! wait for an entry that only a thread behind it could free. Entries are given in order of arrival
//! (`WaitingRoom`). With that, what is in the entity's way was asked for by threads that are completely set up, and these end. (Entries that running threads ask for by ACS are on top of that and the host's matter.)
//!
//! Throughput, while slots, memory and entity keep up: one thread per cycle without requests; a thread with s suppressed and n other requests takes between max(1 + s, 1 + n, s + n) and 1 + s + n
//! cycles, by how the stages meet at the port (B goes first). A line of requests without any for A costs A a cycle, and B likewise. The ring of the reader bounds it to 16 lines per
//! memory latency and set-up time. Latency: a launch comes 4 cycles after the thread's last suppressed request is at the port, with a bus of one cycle and an idle entity; the first other request is at
//! the port 2 cycles after the launch.
//!
//! A record with no lane in its mask is no thread: it takes no slot, sends nothing, is not launched. Requests in the wrong order in a record do no harm: each stage takes its own.
//!
//! Planted faults: 80 sends all requests before the launch, 81 launches before the completions, 83 skips threads of five to eight requests, 84 lets requests overtake, 85 tells the
//! thread to wait for all of its requests.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use super::RequestLine;
use crate::base::Parameter;
use crate::comment;
use crate::config::GpuConfig;
use crate::memory::LutRam;
use crate::semaphore::waiting_room::{MOST, PLACES_PER_SLOT};

/// Threads between the stages.
const THREADS: usize = 8;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct ThreadSetup {
    pub clock: Signal<In, Clock>,
    /// One cycle: a list of `threads` threads begins.
    pub start: Signal<In, bool>,
    /// Threads of the list.
    pub threads: Signal<In, Bits<32>>,
    /// Lines of the list that have come, modulo 32.
    pub tail: Signal<In, Bits<5>>,
    /// Lines of the list that are not needed any more, modulo 32.
    pub head: Signal<Out, Bits<5>>,
    /// Place of A's line.
    pub a_address: Signal<Out, Bits<4>>,
    /// A's line.
    pub a_word: Vec<Signal<In, Bits<32>>>,
    /// Place of B's line.
    pub b_address: Signal<Out, Bits<4>>,
    /// B's line.
    pub b_word: Vec<Signal<In, Bits<32>>>,
    /// There is a free slot, and which.
    pub offer: Signal<In, bool>,
    /// Its unit.
    pub offer_unit: Signal<In, Bits<6>>,
    /// The slot.
    pub offer_warp: Signal<In, Bits<4>>,
    /// The slot is taken.
    pub take: Signal<Out, bool>,
    /// An ACQ_MSG is offered to the bus (registered).
    pub acq_valid: Signal<Out, bool>,
    /// It is taken in this cycle if valid.
    pub acq_ready: Signal<In, bool>,
    /// Auto-release 2, acknowledge-suppress 3, completion wanted 4, place of the thread 7:5.
    pub acq_head: Signal<Out, Bits<16>>,
    /// Semaphore 15:0, thread 31:16.
    pub acq_body: Signal<Out, Bits<32>>,
    /// An ACQ_MSG has had its effect.
    pub done_valid: Signal<In, bool>,
    /// Bits 7:5 of its head.
    pub done_tag: Signal<In, Bits<3>>,
    /// It has acknowledge-suppress.
    pub done_suppress: Signal<In, bool>,
    /// A thread is launched in this cycle.
    pub launch_valid: Signal<Out, bool>,
    /// Its unit.
    pub launch_unit: Signal<Out, Bits<6>>,
    /// Its slot.
    pub launch_warp: Signal<Out, Bits<4>>,
    /// Acknowledgements that will come for it.
    pub launch_wait: Signal<Out, Bits<4>>,
    /// A thread is to be launched, a message to be sent, or a completion to come.
    pub active: Signal<Out, bool>,
    // Stage A: records to go, line, place in the record.
    todo: DFF<Bits<32>>,
    a_line: DFF<Bits<5>>,
    a_body: DFF<bool>,
    a_skip: DFF<bool>,
    a_lines: DFF<Bits<3>>,
    a_lines_left: DFF<Bits<3>>,
    a_left: DFF<Bits<4>>,
    a_sent: DFF<Bits<4>>,
    a_wait: DFF<Bits<4>>,
    a_count: DFF<Bits<4>>,
    a_slot: DFF<Bits<10>>,
    /// Threads that A is through with, and B, modulo 16.
    a_index: DFF<Bits<4>>,
    b_index: DFF<Bits<4>>,
    /// What B must know of a thread: unit 31:26, slot 25:22, acknowledgements 21:18, lines 17:15, skip 14, requests 13:10.
    queue: LutRam,
    /// Semaphores of requests that B has still to send, per thread.
    wanted: Vec<DFF<Bits<32>>>,
    /// Requests of the threads between the stages.
    inside: DFF<Bits<8>>,
    // Stage B.
    b_line: DFF<Bits<5>>,
    b_body: DFF<bool>,
    b_lines_left: DFF<Bits<3>>,
    b_left: DFF<Bits<4>>,
    b_sent: DFF<Bits<4>>,
    // The message at the port; ACQ_MSGs sent and not completed.
    out_valid: DFF<bool>,
    out_head: DFF<Bits<16>>,
    out_body: DFF<Bits<32>>,
    outstanding: DFF<Bits<13>>,
    /// Suppressed ACQ_MSGs sent and not completed, per thread.
    pending: Vec<DFF<Bits<4>>>,
    a_pick: RequestLine,
    b_pick: RequestLine,

    mask: Signal<Local, Bits<4>>,
    count: Signal<Local, Bits<4>>,
    lines: Signal<Local, Bits<3>>,
    skip: Signal<Local, bool>,
    a_has_line: Signal<Local, bool>,
    in_flight: Signal<Local, Bits<4>>,
    sum: Signal<Local, Bits<8>>,
    fits: Signal<Local, bool>,
    admit: Signal<Local, bool>,
    others: Signal<Local, Bits<32>>,
    bit: Signal<Local, Bits<32>>,
    conflict: Signal<Local, bool>,
    room: Signal<Local, bool>,
    a_send: Signal<Local, bool>,
    a_line_done: Signal<Local, bool>,
    waits: Signal<Local, Bits<4>>,
    offered: Signal<Local, Bits<10>>,
    a_place: Signal<Local, Bits<3>>,
    b_place: Signal<Local, Bits<3>>,
    push: Signal<Local, bool>,
    push_wait: Signal<Local, Bits<4>>,
    push_slot: Signal<Local, Bits<10>>,
    push_lines: Signal<Local, Bits<3>>,
    push_skip: Signal<Local, bool>,
    push_requests: Signal<Local, Bits<4>>,
    entry: Signal<Local, Bits<32>>,
    b_slot: Signal<Local, Bits<10>>,
    b_wait: Signal<Local, Bits<4>>,
    b_lines: Signal<Local, Bits<3>>,
    b_skip: Signal<Local, bool>,
    b_here: Signal<Local, bool>,
    uncompleted: Signal<Local, Bits<4>>,
    /// A suppressed ACQ_MSG of the thread at that place is sent, is completed.
    counts: Vec<Signal<Local, bool>>,
    completes: Vec<Signal<Local, bool>>,
    send: Signal<Local, bool>,
    send_place: Signal<Local, Bits<3>>,
    complete: Signal<Local, bool>,
    launch: Signal<Local, bool>,
    b_send: Signal<Local, bool>,
    pop: Signal<Local, bool>,
    requests: Signal<Local, Bits<4>>,
    more_inside: Signal<Local, Bits<8>>,
    request: Signal<Local, Bits<32>>,
    slot: Signal<Local, Bits<10>>,
    message: Signal<Local, Bits<16>>,
    pool: Parameter<8>,
    /// ACQ_MSGs without completion that the entity has room for.
    credit: Parameter<13>,
    fault: Parameter<8>,
    _active: bool,
}

impl ThreadSetup {
    pub fn new(config: &GpuConfig) -> Self {
        let slots = config.total_slots();
        let places = (PLACES_PER_SLOT * slots).min(MOST);
        Self {
            a_word: (0..4).map(|_| Signal::default()).collect(),
            b_word: (0..4).map(|_| Signal::default()).collect(),
            counts: (0..THREADS).map(|_| Signal::default()).collect(),
            completes: (0..THREADS).map(|_| Signal::default()).collect(),
            pending: (0..THREADS).map(|_| DFF::default()).collect(),
            wanted: (0..THREADS).map(|_| DFF::default()).collect(),
            a_pick: RequestLine::new(),
            b_pick: RequestLine::new(),
            // Eight threads ask for 120 entries at most.
            pool: Parameter::new(config.semaphores.pool.min(128) as u64),
            // One place of the waiting room is kept for each slot's own acquire.
            credit: Parameter::new((places - slots) as u64),
            fault: Parameter::new(config.fault_code()),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for ThreadSetup {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: thread_setup");
        dff_setup!(
            self,
            clock,
            todo,
            a_line,
            a_body,
            a_skip,
            a_lines,
            a_lines_left,
            a_left,
            a_sent,
            a_wait,
            a_count,
            a_slot,
            a_index,
            b_index
        );
        dff_setup!(
            self,
            clock,
            inside,
            b_line,
            b_body,
            b_lines_left,
            b_left,
            b_sent,
            out_valid,
            out_head,
            out_body,
            outstanding
        );
        self.queue.clock.next = self.clock.val();
        self.a_address.next = self.a_line.q.val().get_bits::<4>(0);
        self.b_address.next = self.b_line.q.val().get_bits::<4>(0);
        self.head.next = self.b_line.q.val();
        for k in 0..4 {
            self.a_pick.word[k].next = self.a_word[k].val();
            self.b_pick.word[k].next = self.b_word[k].val();
        }

        // The output register, completions.
        self.room.next =
            (!self.out_valid.q.val() || self.acq_ready.val()) && (self.outstanding.q.val() < self.credit.val());
        if self.acq_ready.val() {
            self.out_valid.d.next = false;
        }

        // Stage B, first line: the oldest thread that A is through with.
        self.queue.read_address.next = self.b_index.q.val();
        self.entry.next = self.queue.read_data.val();
        self.b_slot.next = self.entry.val().get_bits::<10>(22);
        self.b_wait.next = self.entry.val().get_bits::<4>(18);
        self.b_lines.next = self.entry.val().get_bits::<3>(15);
        self.b_skip.next = self.entry.val().get_bit(14);
        self.requests.next = self.entry.val().get_bits::<4>(10);
        self.b_here.next = (self.b_index.q.val() != self.a_index.q.val()) && !self.b_body.q.val();
        // Completions come in any order: acquires of different semaphores overtake each other.
        self.b_place.next = self.b_index.q.val().get_bits::<3>(0);
        self.uncompleted.next = bits::<4>(0);
        for i in 0..8 {
            if self.b_place.val() == i.to_bits::<3>() {
                self.uncompleted.next = self.pending[i].q.val();
            }
        }
        self.complete.next = (self.uncompleted.val() == bits::<4>(0)) || (self.fault.val() == bits::<8>(81));
        self.launch.next = self.b_here.val() && self.complete.val() && !self.b_skip.val();
        self.pop.next = self.b_here.val() && self.b_skip.val();
        if self.launch.val() {
            self.b_lines_left.d.next = self.b_lines.val();
            self.b_left.d.next = self.requests.val();
            self.b_sent.d.next = bits::<4>(0);
            if (self.b_wait.val() == bits::<4>(0)) || (self.fault.val() == bits::<8>(80)) {
                self.pop.next = true;
            } else {
                self.b_body.d.next = true;
                self.b_line.d.next = self.b_line.q.val() + bits::<5>(1);
            }
        }
        if self.pop.val() {
            self.b_line.d.next = self.b_line.q.val() + bits::<5>(1) + bit_cast::<5, 3>(self.b_lines.val());
        }
        // Stage B, further lines: requests without acknowledge-suppress.
        self.b_pick.left.next = self.b_left.q.val();
        self.b_pick.sent.next = self.b_sent.q.val();
        self.b_pick.suppressed.next = false;
        self.b_pick.both.next = false;
        self.b_send.next = self.b_body.q.val() && self.b_pick.some.val();
        if self.b_body.q.val() {
            if self.b_pick.some.val() && self.room.val() {
                self.b_sent.d.next = self.b_sent.q.val() | self.b_pick.chosen.val();
            }
            if !self.b_pick.some.val() || (self.room.val() && !self.b_pick.more.val()) {
                self.b_line.d.next = self.b_line.q.val() + bits::<5>(1);
                self.b_lines_left.d.next = self.b_lines_left.q.val() - bits::<3>(1);
                self.b_left.d.next = self.b_left.q.val() - bits::<4>(4);
                self.b_sent.d.next = bits::<4>(0);
                if self.b_lines_left.q.val() == bits::<3>(1) {
                    self.b_body.d.next = false;
                    self.pop.next = true;
                }
            }
        }

        // Stage A, first line.
        self.mask.next = self.a_word[0].val().get_bits::<4>(16);
        self.count.next = self.a_word[0].val().get_bits::<4>(20);
        self.lines.next = bit_cast::<3, 2>(self.count.val().get_bits::<2>(2));
        if self.count.val().get_bits::<2>(0).any() {
            self.lines.next = self.lines.val() + bits::<3>(1);
        }
        self.skip.next = self.mask.val() == bits::<4>(0);
        if (self.fault.val() == bits::<8>(83)) && (self.lines.val() == bits::<3>(2)) {
            self.skip.next = true;
        }
        self.a_has_line.next = self.a_line.q.val() != self.tail.val();
        self.in_flight.next = self.a_index.q.val() - self.b_index.q.val();
        self.sum.next = self.inside.q.val() + bit_cast::<8, 4>(self.count.val());
        self.fits.next = (self.in_flight.val() == bits::<4>(0))
            || ((self.in_flight.val() < bits::<4>(8)) && (self.sum.val() <= self.pool.val()));
        self.admit.next = self.a_has_line.val()
            && !self.a_body.q.val()
            && (self.todo.q.val() != bits::<32>(0))
            && self.fits.val()
            && (self.offer.val() || self.skip.val());
        self.take.next = self.admit.val() && !self.skip.val();
        self.offered.next =
            bit_cast::<10, 4>(self.offer_warp.val()) | (bit_cast::<10, 6>(self.offer_unit.val()) << bits::<10>(4));

        // Stage A, further lines: requests with acknowledge-suppress. The message of B goes first.
        self.a_pick.left.next = self.a_left.q.val();
        self.a_pick.sent.next = self.a_sent.q.val();
        self.a_pick.suppressed.next = true;
        self.a_pick.both.next = self.fault.val() == bits::<8>(80);
        self.a_place.next = self.a_index.q.val().get_bits::<3>(0);
        self.others.next = bits::<32>(0);
        for i in 0..8 {
            if self.a_place.val() != i.to_bits::<3>() {
                self.others.next = self.others.val() | self.wanted[i].q.val();
            }
        }
        self.bit.next = bits::<32>(1) << self.a_pick.request.val().get_bits::<5>(0);
        self.conflict.next = (self.others.val() & self.bit.val()).any() && (self.fault.val() != bits::<8>(84));
        self.a_send.next = self.a_body.q.val()
            && self.a_has_line.val()
            && self.a_pick.some.val()
            && !self.a_skip.q.val()
            && !self.conflict.val()
            && self.room.val()
            && !self.b_send.val();
        self.a_line_done.next = self.a_body.q.val()
            && self.a_has_line.val()
            && (self.a_skip.q.val() || !self.a_pick.some.val() || (self.a_send.val() && !self.a_pick.more.val()));
        self.waits.next = self.a_wait.q.val() + bit_cast::<4, 3>(self.a_pick.waits.val());

        self.push.next = false;
        self.push_wait.next = bits::<4>(0);
        self.push_slot.next = self.offered.val();
        self.push_requests.next = self.count.val();
        self.push_lines.next = bits::<3>(0);
        self.push_skip.next = self.skip.val();
        if self.admit.val() {
            self.a_line.d.next = self.a_line.q.val() + bits::<5>(1);
            self.a_skip.d.next = self.skip.val();
            self.a_lines.d.next = self.lines.val();
            self.a_lines_left.d.next = self.lines.val();
            self.a_left.d.next = self.count.val();
            self.a_sent.d.next = bits::<4>(0);
            self.a_wait.d.next = bits::<4>(0);
            self.a_count.d.next = self.count.val();
            self.a_slot.d.next = self.offered.val();
            self.todo.d.next = self.todo.q.val() - bits::<32>(1);
            if self.lines.val() == bits::<3>(0) {
                self.push.next = true;
            } else {
                self.a_body.d.next = true;
            }
        }
        if self.a_body.q.val() {
            self.push_slot.next = self.a_slot.q.val();
            self.push_requests.next = self.a_count.q.val();
            self.push_lines.next = self.a_lines.q.val();
            self.push_skip.next = self.a_skip.q.val();
            self.push_wait.next = self.waits.val();
            if self.fault.val() == bits::<8>(85) {
                self.push_wait.next = self.a_count.q.val();
            }
        }
        if self.a_send.val() {
            self.a_sent.d.next = self.a_sent.q.val() | self.a_pick.chosen.val();
        }
        if self.a_line_done.val() {
            self.a_line.d.next = self.a_line.q.val() + bits::<5>(1);
            self.a_lines_left.d.next = self.a_lines_left.q.val() - bits::<3>(1);
            self.a_left.d.next = self.a_left.q.val() - bits::<4>(4);
            self.a_sent.d.next = bits::<4>(0);
            self.a_wait.d.next = self.waits.val();
            if self.a_lines_left.q.val() == bits::<3>(1) {
                self.a_body.d.next = false;
                self.push.next = true;
            }
        }

        // From A to B.
        self.queue.write_enable.next = self.push.val();
        self.queue.write_address.next = self.a_index.q.val();
        self.queue.write_data.next = (bit_cast::<32, 10>(self.push_slot.val()) << bits::<32>(22))
            | (bit_cast::<32, 4>(self.push_wait.val()) << bits::<32>(18))
            | (bit_cast::<32, 3>(self.push_lines.val()) << bits::<32>(15))
            | (bit_cast::<32, 4>(self.push_requests.val()) << bits::<32>(10));
        if self.push_skip.val() {
            self.queue.write_data.next = (bit_cast::<32, 3>(self.push_lines.val()) << bits::<32>(15))
                | (bit_cast::<32, 4>(self.push_requests.val()) << bits::<32>(10))
                | bits::<32>(0x4000);
        }
        if self.push.val() {
            self.a_index.d.next = self.a_index.q.val() + bits::<4>(1);
        }
        self.more_inside.next = self.inside.q.val();
        if self.admit.val() {
            self.more_inside.next = self.sum.val();
        }
        self.inside.d.next = self.more_inside.val();
        if self.pop.val() {
            self.b_index.d.next = self.b_index.q.val() + bits::<4>(1);
            self.inside.d.next = self.more_inside.val() - bit_cast::<8, 4>(self.requests.val());
        }
        for i in 0..8 {
            self.wanted[i].clock.next = self.clock.val();
            self.wanted[i].d.next = self.wanted[i].q.val();
            if self.a_line_done.val() && !self.a_skip.q.val() && (self.a_place.val() == i.to_bits::<3>()) {
                self.wanted[i].d.next = self.wanted[i].q.val() | self.a_pick.filter.val();
            }
            if self.start.val() || (self.pop.val() && (self.b_place.val() == i.to_bits::<3>())) {
                self.wanted[i].d.next = bits::<32>(0);
            }
        }

        // The message of this cycle.
        self.request.next = self.a_pick.request.val();
        self.slot.next = self.a_slot.q.val();
        self.send_place.next = self.a_place.val();
        if self.b_send.val() {
            self.send_place.next = self.b_place.val();
            self.request.next = self.b_pick.request.val();
            self.slot.next = self.b_slot.val();
        }
        self.message.next = bits::<16>(0x10) | (bit_cast::<16, 3>(self.send_place.val()) << bits::<16>(5));
        if self.request.val().get_bit(16) {
            self.message.next = self.message.val() | bits::<16>(4);
        }
        if self.request.val().get_bit(17) {
            self.message.next = self.message.val() | bits::<16>(8);
        }
        self.send.next = self.a_send.val() || (self.b_send.val() && self.room.val());
        if self.send.val() {
            self.out_valid.d.next = true;
            self.out_head.d.next = self.message.val();
            self.out_body.d.next = (bit_cast::<32, 10>(self.slot.val()) << bits::<32>(16))
                | bit_cast::<32, 16>(self.request.val().get_bits::<16>(0));
        }
        if self.send.val() && !self.done_valid.val() {
            self.outstanding.d.next = self.outstanding.q.val() + bits::<13>(1);
        }
        if !self.send.val() && self.done_valid.val() {
            self.outstanding.d.next = self.outstanding.q.val() - bits::<13>(1);
        }
        for i in 0..8 {
            self.pending[i].clock.next = self.clock.val();
            self.pending[i].d.next = self.pending[i].q.val();
            // With planted fault 80 the launch waits for requests of both kinds, since all are sent before it.
            self.counts[i].next = self.a_send.val()
                && (self.request.val().get_bit(17) || (self.fault.val() == bits::<8>(80)))
                && (self.a_place.val() == i.to_bits::<3>());
            self.completes[i].next = self.done_valid.val()
                && (self.done_suppress.val() || (self.fault.val() == bits::<8>(80)))
                && (self.done_tag.val() == i.to_bits::<3>());
            if self.counts[i].val() && !self.completes[i].val() {
                self.pending[i].d.next = self.pending[i].q.val() + bits::<4>(1);
            }
            if !self.counts[i].val() && self.completes[i].val() {
                self.pending[i].d.next = self.pending[i].q.val() - bits::<4>(1);
            }
            if self.start.val() {
                self.pending[i].d.next = bits::<4>(0);
            }
        }

        self.acq_valid.next = self.out_valid.q.val();
        self.acq_head.next = self.out_head.q.val();
        self.acq_body.next = self.out_body.q.val();
        self.launch_valid.next = self.launch.val();
        self.launch_unit.next = self.b_slot.val().get_bits::<6>(4);
        self.launch_warp.next = self.b_slot.val().get_bits::<4>(0);
        self.launch_wait.next = self.b_wait.val();
        self.active.next = (self.todo.q.val() != bits::<32>(0))
            || self.a_body.q.val()
            || (self.a_index.q.val() != self.b_index.q.val())
            || self.out_valid.q.val()
            || self.outstanding.q.val().any();
        if self.start.val() {
            self.todo.d.next = self.threads.val();
            self.a_line.d.next = bits::<5>(0);
            self.b_line.d.next = bits::<5>(0);
            self.outstanding.d.next = bits::<13>(0);
        }
    }
}
