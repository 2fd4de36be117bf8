//! The semaphore entity (`SE-4`, `SE-10` to `SE-25`): per semaphore a linked list of the threads
//! that want it, the head being the owner. It takes ACQ_MSG and REL_MSG and sends ACK_MSG.
//!
//! Three stages. A message taken in cycle 0 reads the semaphore's row of the table; in cycle 1 the
//! row is there and the entry behind the head is read; in cycle 2 everything is decided and
//! written. The row holds head, tail, the entry behind the head and the head's thread, so an append
//! and the release by an owner take one cycle: **one message per cycle is sustained** with tail
//! pointers, except that a release directly behind another message to the same semaphore waits one
//! cycle. Latency from REL_MSG taken to `ack_valid`: 3 cycles. Longer operations stop the pipeline
//! in its last stage: a released head that is followed by n heads already released takes n cycles
//! more; a release by a thread that is not the head (option B) searches the list, one entry per
//! cycle, from the tail if there are previous and tail pointers, else from behind the head; so does
//! an append without tail pointers. The completion signal of an acquire (`SE-43`) comes with its
//! effect, two cycles after it was taken or later.
//!
//! Acquires and releases come at two ports, because an acquire may have to wait for a free entry
//! (`SE-12`) and a release never may: releases are what makes entries free. An acquire is taken
//! only when an entry is reserved for it. One offered as `acq_bare` is to take no entry: it is
//! tried, and taken in the cycle of its effect if it needs none (auto-release on an empty list, or
//! a protocol error); else `acq_refused` comes, the try had no effect and the message stays where
//! it is. Who waits for an entry and in what order is the matter of the [waiting
//! room](super::WaitingRoom) before the acquire port. Acquires, bare ones too, and releases take
//! turns.
//!
//! A list ends at an entry whose link says so; free entries always say so, because a removal clears
//! the link. Invariants: an entry is in one list or free; the release status of a head is clear; a
//! row with one entry has no valid entry behind the head.
//!
//! It can be wrong where two messages to one semaphore meet in the pipeline: rows are forwarded
//! from stage 2 and from the write of the last cycle. Planted faults: those of the table in
//! `fault.rs` whose names begin with `sem-`.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

mod decide;
mod memories;
mod pipeline;

use super::pool::EntryPool;
use crate::base::{Parameter, Planted};
use crate::cell::Ram;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::kernel_of;
use crate::ports::{AcquireDoneOut, ListOperationOut, SemaphoreAcquireIn};

/// See the module documentation. Semaphore and thread ids are 16 bits at the ports; ids beyond the
/// table are errors (`SE-25`).
#[derive(Default, QuietBlock)]
pub struct SemaphoreEntity {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// One cycle: every list is emptied, without messages. Takes as many cycles as the larger of
    /// table and pool if a list was not empty.
    pub start: Signal<In, bool>,
    // ACQ_MSG.
    /// A thread acquires a semaphore.
    pub acq: SemaphoreAcquireIn,
    /// An entry is free and not reserved.
    pub entry_free: Signal<Out, bool>,
    /// A list becomes empty in this cycle.
    pub emptied: Signal<Out, bool>,
    // REL_MSG.
    /// A REL_MSG is offered.
    pub rel_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub rel_ready: Signal<Out, bool>,
    /// Its semaphore.
    pub rel_sem: Signal<In, Bits<16>>,
    /// The thread that releases.
    pub rel_thread: Signal<In, Bits<16>>,
    // ACK_MSG.
    /// An ACK_MSG is offered.
    pub ack_valid: Signal<Out, bool>,
    /// It is taken in this cycle if valid.
    pub ack_ready: Signal<In, bool>,
    /// Its semaphore.
    pub ack_sem: Signal<Out, Bits<16>>,
    /// The thread that is at the head now.
    pub ack_thread: Signal<Out, Bits<16>>,
    // Completion signal, for the dispatcher (SE-43), and events.
    /// An acquire of the dispatcher has succeeded.
    pub done: AcquireDoneOut,
    /// Event: an operation on a list.
    pub op: ListOperationOut,
    /// A list is not empty, or a message is inside.
    pub busy: Signal<Out, bool>,
    /// A message is inside, or lists are being emptied; whether lists are empty does not matter.
    pub active: Signal<Out, bool>,
    // Memories; `rows.rs` has their words.
    /// Per semaphore a `ListRow`.
    table_a: Ram,
    /// Per semaphore a `HeadRow`.
    table_b: Ram,
    /// Per entry an `EntryRow`.
    entries: Ram,
    /// Per entry a `LinkRow`.
    links: Ram,
    /// Per entry a `BackRow`.
    backs: Ram,
    pool: EntryPool,
    // Stage 1.
    v1: DFF<bool>,
    release1: DFF<bool>,
    probe1: DFF<bool>,
    sem1: DFF<Bits<16>>,
    thread1: DFF<Bits<16>>,
    auto1: DFF<bool>,
    suppress1: DFF<bool>,
    notify1: DFF<bool>,
    tag1: DFF<Bits<3>>,
    // Stage 2.
    v2: DFF<bool>,
    release2: DFF<bool>,
    probe2: DFF<bool>,
    sem2: DFF<Bits<16>>,
    thread2: DFF<Bits<16>>,
    auto2: DFF<bool>,
    suppress2: DFF<bool>,
    notify2: DFF<bool>,
    tag2: DFF<Bits<3>>,
    row_a2: DFF<Bits<32>>,
    row_b2: DFF<Bits<32>>,
    /// Stage 2 removes heads that were released before.
    skip: DFF<bool>,
    /// Stage 2 walks a list: the entry it looks at, and whether it has met the thread already
    /// released.
    walk: DFF<bool>,
    place: DFF<Bits<12>>,
    met: DFF<bool>,
    // The row written in the last cycle.
    wrote: DFF<bool>,
    wrote_sem: DFF<Bits<16>>,
    wrote_a: DFF<Bits<32>>,
    wrote_b: DFF<Bits<32>>,
    // Acknowledgements: the one at the port and one behind it.
    ack0: DFF<bool>,
    ack1: DFF<bool>,
    ack0_data: DFF<Bits<32>>,
    ack1_data: DFF<Bits<32>>,
    /// An acquire has the next turn when both ports have something.
    turn: DFF<bool>,
    clearing: DFF<bool>,
    clear_index: DFF<Bits<12>>,
    // Named intermediate values.
    row_a1: Signal<Local, Bits<32>>,
    row_b1: Signal<Local, Bits<32>>,
    new_a: Signal<Local, Bits<32>>,
    new_b: Signal<Local, Bits<32>>,
    write_row: Signal<Local, bool>,
    /// Threads of the entry read and of the head.
    read_thread: Signal<Local, Bits<16>>,
    owner: Signal<Local, Bits<16>>,
    bad2: Signal<Local, bool>,
    nonempty: Signal<Local, bool>,
    single: Signal<Local, bool>,
    head: Signal<Local, Bits<12>>,
    tail: Signal<Local, Bits<12>>,
    behind: Signal<Local, Bits<12>>,
    link: Signal<Local, Bits<12>>,
    more: Signal<Local, bool>,
    found: Signal<Local, bool>,
    last: Signal<Local, bool>,
    /// The head goes.
    pop: Signal<Local, bool>,
    /// A thread that is not the head releases.
    searches: Signal<Local, bool>,
    /// A thread acquires.
    acquires: Signal<Local, bool>,
    /// It gets an entry at the end of the list.
    append: Signal<Local, bool>,
    /// An acknowledgement is due if stage 2 steps; it steps and sends one.
    ack_due: Signal<Local, bool>,
    acknowledge: Signal<Local, bool>,
    ack_thread2: Signal<Local, Bits<16>>,
    step: Signal<Local, bool>,
    goes_on: Signal<Local, bool>,
    finish: Signal<Local, bool>,
    advance: Signal<Local, bool>,
    hazard: Signal<Local, bool>,
    room1: Signal<Local, bool>,
    /// Entries that stage 1 may need; stages 1 and 2.
    reserved1: Signal<Local, Bits<13>>,
    reserved: Signal<Local, Bits<13>>,
    vacant: Signal<Local, bool>,
    trying: Signal<Local, bool>,
    acquire_fits: Signal<Local, bool>,
    grant_port: Signal<Local, bool>,
    grant_acquire: Signal<Local, bool>,
    grant_probe: Signal<Local, bool>,
    grant_release: Signal<Local, bool>,
    passed: Signal<Local, bool>,
    clear_now: Signal<Local, bool>,
    /// An acknowledgement on its way to its register.
    new_ack: Signal<Local, Bits<32>>,
    next_place: Signal<Local, Bits<12>>,
    next_sem: Signal<Local, Bits<16>>,
    read: Signal<Local, Bits<12>>,
    take: Signal<Local, bool>,
    give: Signal<Local, bool>,
    error: Signal<Local, bool>,
    sems: Parameter<17>,
    /// Free entries when every list is empty.
    pool_size: Parameter<13>,
    last_index: Parameter<12>,
    with_tail: Parameter<1>,
    /// A search begins at the tail and follows the previous pointers.
    from_tail: Parameter<1>,
    option_b: Parameter<1>,
    fault_sem_two_owners: Planted,
    fault_sem_lost_entry: Planted,
    fault_sem_fifo_order: Planted,
    fault_sem_double_ack: Planted,
    fault_sem_suppress_ignored: Planted,
    fault_sem_auto_kept: Planted,
    fault_sem_foreign_release: Planted,
    fault_sem_early_done: Planted,
    fault_sem_silent_error: Planted,
    fault_sem_old_head: Planted,
    fault_sem_overrun: Planted,
    fault_sem_release_first: Planted,
    fault_sem_try_refused: Planted,
    fault_sem_silent_empty: Planted,
    fault_sem_released_ack: Planted,
    fault_sem_skipped_ack: Planted,
    fault_sem_start_append: Planted,
    _active: bool,
}

impl SemaphoreEntity {
    /// An entity of that configuration, which must have been checked.
    pub fn new(config: &GpuConfig) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        let config = &config.semaphores;
        Self {
            table_a: Ram::new(config.semaphores),
            table_b: Ram::new(config.semaphores),
            entries: Ram::new(config.pool),
            links: Ram::new(config.pool),
            backs: Ram::new(config.pool),
            pool: EntryPool::new(config),
            sems: Parameter::new(config.semaphores as u64),
            pool_size: Parameter::new(config.pool as u64),
            last_index: Parameter::new(config.pool.max(config.semaphores) as u64 - 1),
            with_tail: Parameter::new(u64::from(config.tail_pointers)),
            from_tail: Parameter::new(u64::from(config.double_links && config.tail_pointers)),
            option_b: Parameter::new(u64::from(config.any_may_release)),
            fault_sem_two_owners: planted(Fault::SemTwoOwners),
            fault_sem_lost_entry: planted(Fault::SemLostEntry),
            fault_sem_fifo_order: planted(Fault::SemFifoOrder),
            fault_sem_double_ack: planted(Fault::SemDoubleAck),
            fault_sem_suppress_ignored: planted(Fault::SemSuppressIgnored),
            fault_sem_auto_kept: planted(Fault::SemAutoKept),
            fault_sem_foreign_release: planted(Fault::SemForeignRelease),
            fault_sem_early_done: planted(Fault::SemEarlyDone),
            fault_sem_silent_error: planted(Fault::SemSilentError),
            fault_sem_old_head: planted(Fault::SemOldHead),
            fault_sem_overrun: planted(Fault::SemOverrun),
            fault_sem_release_first: planted(Fault::SemReleaseFirst),
            fault_sem_try_refused: planted(Fault::SemTryRefused),
            fault_sem_silent_empty: planted(Fault::SemSilentEmpty),
            fault_sem_released_ack: planted(Fault::SemReleasedAck),
            fault_sem_skipped_ack: planted(Fault::SemSkippedAck),
            fault_sem_start_append: planted(Fault::SemStartAppend),
            _active: true,
            ..Default::default()
        }
    }
}

// From the last stage to the first, because a stage looks at what the one behind it does.
kernel_of! { SemaphoreEntity:
    /// The registers, which keep what they have unless a later part says otherwise.
    Registers,
    /// The row's fields, what stands behind the head (or at the place of a walk), and which case it
    /// is.
    Look,
    /// What holds unless a case says otherwise: nothing is written.
    Rest,
    /// The head goes, and its successor owns the semaphore.
    Remove,
    /// Messages without effect on a list, and releases by other threads than the head's (SE-22).
    Search,
    /// Which way an acquire goes.
    Acquire,
    /// An entry is taken from the pool and put into the list.
    Append,
    /// Stage 2 steps, unless an acknowledgement has no room.
    Ready,
    /// If it does not, nothing that it decided is written.
    Step,
    /// Stage 1: the row of a message, which moves on when stage 2 is free and no message to the
    /// same semaphore is in its way.
    Advance,
    /// Stage 0: which of the two ports has its message taken, if any. An acquire that is inside and
    /// may need an entry has one reserved.
    Ports,
    /// The message taken comes into stage 1.
    Take,
    /// ACK_MSG: one at the port, one behind it.
    Acknowledge,
    /// Reads of the row of what comes into stage 1 and of the entry behind the head of what comes
    /// into stage 2; the write of the row.
    Memories,
    /// Start: nothing is inside, and what lists there are is forgotten.
    Start,
}
