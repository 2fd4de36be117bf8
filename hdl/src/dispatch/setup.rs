//! Set-up of the threads of a list in the order that SE-43 demands. For each thread: a slot is
//! taken (the thread's number is in its messages); its ACQ_MSGs with acknowledge-suppress are sent;
//! when the semaphore entity has said that they have had their effect, the thread is launched; then
//! its other ACQ_MSGs are sent. So no ACK_MSG can come for a thread that does not exist, and no
//! REL_MSG can overtake the ACQ_MSG of its entry.
//!
//! Two stages work on up to eight threads. The first, A, takes slots and sends the suppressed
//! requests; the second, B, launches, strictly in the list's order, and sends the others. While a
//! thread waits for its completions, A is on with the threads behind it. Two things hold A back.
//! (1) A suppressed request does not overtake a request of an earlier thread to the same semaphore:
//! the semaphores of requests that B has still to send are kept as a set modulo 32 per thread, so a
//! request may wait without need, never go wrongly. (2) The threads between A and B never ask for
//! more entries than the pool has (except one thread by itself): otherwise a request at the entity
//! could wait for an entry that only a thread behind it could free. Entries are given in order of
//! arrival (`WaitingRoom`). With that, what is in the entity's way was asked for by threads that
//! are completely set up, and these end. (Entries that running threads ask for by ACS are on top of
//! that and the host's matter.)
//!
//! Throughput, while slots, memory and entity keep up: one thread per cycle without requests; a
//! thread with s suppressed and n other requests takes between max(1 + s, 1 + n, s + n) and 1 + s +
//! n cycles, by how the stages meet at the port (B goes first). A line of requests without any for
//! A costs A a cycle, and B likewise. The ring of the reader bounds it to 16 lines per memory
//! latency and set-up time. Latency: a launch comes 4 cycles after the thread's last suppressed
//! request is at the port, with a bus of one cycle and an idle entity; the first other request is
//! at the port 2 cycles after the launch.
//!
//! A record with no lane in its mask is no thread: it takes no slot, sends nothing, is not
//! launched. Requests in the wrong order in a record do no harm: each stage takes its own.
//!
//! Planted faults: `dispatch-sem-early` sends all requests before the launch,
//! `dispatch-thread-early` launches before the completions, `dispatch-record-skip` skips threads of
//! five to eight requests, `dispatch-overtake` lets requests overtake, `dispatch-wait-count` tells
//! the thread to wait for all of its requests.

use quadlock_hdl_macros::QuietBlock;
mod between;
mod first;
mod second;
use rust_hdl::prelude::*;

use super::RequestLine;
use crate::base::{Parameter, Planted};
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::kernel_of;
use crate::memory::LutRam;
use crate::ports::{AcquireDoneIn, SlotOfferIn, ThreadAcquireOut};
use crate::semaphore::waiting_room::{MOST, PLACES_PER_SLOT};

/// Threads between the stages.
const THREADS: usize = 8;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct ThreadSetup {
    /// Clock; everything happens at its rising edge.
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
    /// A warp slot that is free for a group.
    pub offer_ports: SlotOfferIn,
    /// The slot is taken.
    pub take: Signal<Out, bool>,
    /// The dispatcher acquires a semaphore on behalf of a thread.
    pub acq: ThreadAcquireOut,
    /// An acquire of the dispatcher has succeeded.
    pub done: AcquireDoneIn,
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
    /// What B must know of a thread: `Handed` of `records.rs`.
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
    /// Lines that are full of requests; all lines.
    full_lines: Signal<Local, Bits<3>>,
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
    /// The record leaves stage B without a body, or after it.
    pop_early: Signal<Local, bool>,
    pop: Signal<Local, bool>,
    requests: Signal<Local, Bits<4>>,
    more_inside: Signal<Local, Bits<8>>,
    request: Signal<Local, Bits<32>>,
    slot: Signal<Local, Bits<10>>,
    message: Signal<Local, Bits<16>>,
    pool: Parameter<8>,
    /// ACQ_MSGs without completion that the entity has room for.
    credit: Parameter<13>,
    fault_dispatch_sem_early: Planted,
    fault_dispatch_thread_early: Planted,
    fault_dispatch_record_skip: Planted,
    fault_dispatch_overtake: Planted,
    fault_dispatch_wait_count: Planted,
    _active: bool,
}

impl ThreadSetup {
    /// Sizes, options and planted faults as that configuration has them.
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
            fault_dispatch_sem_early: Planted::new(config.has(Fault::DispatchSemEarly)),
            fault_dispatch_thread_early: Planted::new(config.has(Fault::DispatchThreadEarly)),
            fault_dispatch_record_skip: Planted::new(config.has(Fault::DispatchRecordSkip)),
            fault_dispatch_overtake: Planted::new(config.has(Fault::DispatchOvertake)),
            fault_dispatch_wait_count: Planted::new(config.has(Fault::DispatchWaitCount)),
            _active: true,
            ..Default::default()
        }
    }
}

kernel_of! { ThreadSetup:
    /// Registers keep what they have; the lines come from the list; whether a message fits.
    Registers,
    /// B, first line: the oldest thread that A is through with is launched, or passed over.
    Launch,
    /// B, further lines: requests without acknowledge-suppress.
    LateRequests,
    /// A, first line: whether a thread may come in.
    Admit,
    /// A, further lines: requests with acknowledge-suppress. The message of B goes first.
    EarlyRequests,
    /// A takes a line, and what B must know of a thread that A is through with.
    Enter,
    /// From A to B: the queue, and what counts for the threads between them.
    HandOver,
    /// The message of this cycle.
    Message,
    /// ACQ_MSGs with acknowledge-suppress that are sent and not completed, per thread.
    Pending,
    /// The ports, and the beginning of a list.
    Outputs,
}
