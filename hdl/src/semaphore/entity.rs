//! The semaphore entity (`SE-4`, `SE-10` to `SE-25`): per semaphore a linked list of the threads that want it, the head being the owner. It takes ACQ_MSG and REL_MSG
//! and sends ACK_MSG.
//!
//! Three stages. A message taken in cycle 0 reads the semaphore's row of the table; in cycle 1 the row is there and the entry behind the head is read; in cycle 2
//! everything is decided and written. The row holds head, tail, the entry behind the head and the head's thread, so an append and the release by an owner
//! take one cycle: **one message per cycle is sustained** with tail pointers, except that a release directly behind another message to the same semaphore waits
//! one cycle. Latency from REL_MSG taken to `ack_valid`: 3 cycles. Longer operations stop the pipeline in its last stage: a released head that is followed by n
//! heads already released takes n cycles more; a release by a thread that is not the head (option B) searches the list, one entry per cycle, from the tail if there are previous and tail pointers, else from behind the head; so does an append without tail
//! pointers. The completion signal of an acquire (`SE-43`) comes with its effect, two cycles after it was taken or later.
//!
//! Acquires and releases come at two ports, because an acquire may have to wait for a free entry (`SE-12`) and a release never may: releases are what makes
//! entries free. An acquire is taken only when an entry is reserved for it. One offered as `acq_bare` is to take no entry: it is tried, and taken in the cycle of its
//! effect if it needs none (auto-release on an empty list, or a protocol error); else `acq_refused` comes, the try had no effect and the message stays where it is.
//! Who waits for an entry and in what order is the matter of the [waiting room](super::WaitingRoom) before the acquire port. Acquires, bare ones too, and releases take turns.
//!
//! A list ends at an entry whose link says so; free entries always say so, because a removal clears the link. Invariants: an entry is in one list or free; the release status of a
//! head is clear; a row with one entry has no valid entry behind the head.
//!
//! It can be wrong where two messages to one semaphore meet in the pipeline: rows are forwarded from stage 2 and from the write of the last cycle.
//! Planted faults: 64 to 71, 79.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use super::pool::EntryPool;
use crate::base::Parameter;
use crate::cell::Ram;
use crate::comment;
use crate::config::GpuConfig;

/// See the module documentation. Semaphore and thread ids are 16 bits at the ports; ids beyond the table are errors (`SE-25`).
#[derive(Default, QuietBlock)]
pub struct SemaphoreEntity {
    pub clock: Signal<In, Clock>,
    /// One cycle: every list is emptied, without messages. Takes as many cycles as the larger of table and pool if a list was not empty.
    pub start: Signal<In, bool>,
    // ACQ_MSG.
    /// An ACQ_MSG is offered.
    pub acq_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub acq_ready: Signal<Out, bool>,
    /// Its semaphore.
    pub acq_sem: Signal<In, Bits<16>>,
    /// The thread that wants the semaphore.
    pub acq_thread: Signal<In, Bits<16>>,
    /// The thread's entry goes as soon as it is at the head.
    pub acq_auto: Signal<In, bool>,
    /// The thread is not told when it is at the head.
    pub acq_suppress: Signal<In, bool>,
    /// The sender wants the completion signal.
    pub acq_notify: Signal<In, bool>,
    /// Comes back with the completion signal.
    pub acq_tag: Signal<In, Bits<3>>,
    /// It is tried and takes no entry. Must not change while it is offered.
    pub acq_bare: Signal<In, bool>,
    /// The try of the bare acquire at the port has failed: it needs an entry.
    pub acq_refused: Signal<Out, bool>,
    /// An entry is free and reserved for nobody.
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
    /// An ACQ_MSG with `acq_notify` has its effect in this cycle, or is a protocol error.
    pub done_valid: Signal<Out, bool>,
    /// Its `acq_tag`.
    pub done_tag: Signal<Out, Bits<3>>,
    /// It has acknowledge-suppress.
    pub done_suppress: Signal<Out, bool>,
    /// Event: a message has had its effect, an operation on a list. A released head's successors that go at once are operations of their own.
    pub op_valid: Signal<Out, bool>,
    /// What: 0 appended, 1 head removed, 2 release status set, 3 acquired and released at once, 4 protocol error.
    pub op_kind: Signal<Out, Bits<3>>,
    /// Its semaphore.
    pub op_sem: Signal<Out, Bits<16>>,
    /// Thread of the entry; of an error, of the message.
    pub op_thread: Signal<Out, Bits<16>>,
    /// The entry; of an error, its reason: 1 the thread is not in the list (option A: not the owner), 2 it has released before, 3 no such semaphore.
    pub op_entry: Signal<Out, Bits<12>>,
    /// A list is not empty, or a message is inside.
    pub busy: Signal<Out, bool>,
    /// A message is inside, or lists are being emptied; whether lists are empty does not matter.
    pub active: Signal<Out, bool>,
    // Table: row a is nonempty 25, single 24, head 23:12, tail 11:0; row b is the entry behind the head 27:16, the head's thread 15:0.
    table_a: Ram,
    table_b: Ram,
    /// Thread 15:0, release status 16, acknowledge-suppress 17.
    entries: Ram,
    /// Next entry 11:0, there is one 12.
    links: Ram,
    /// Previous entry.
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
    /// Stage 2 walks a list: the entry it looks at, and whether it has met the thread already released.
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
    pop: Signal<Local, bool>,
    acknowledge: Signal<Local, bool>,
    ack_thread2: Signal<Local, Bits<16>>,
    step: Signal<Local, bool>,
    goes_on: Signal<Local, bool>,
    finish: Signal<Local, bool>,
    advance: Signal<Local, bool>,
    hazard: Signal<Local, bool>,
    room1: Signal<Local, bool>,
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
    flags: Signal<Local, Bits<32>>,
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
    fault: Parameter<8>,
    _active: bool,
}

impl SemaphoreEntity {
    /// An entity of that configuration, which must have been checked.
    pub fn new(config: &GpuConfig) -> Self {
        let fault = config.fault_code();
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
            fault: Parameter::new(fault),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for SemaphoreEntity {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: semaphore_entity");
        dff_setup!(
            self,
            clock,
            v1,
            release1,
            probe1,
            sem1,
            thread1,
            auto1,
            suppress1,
            notify1,
            tag1,
            v2,
            release2,
            probe2,
            sem2,
            thread2,
            auto2,
            suppress2,
            notify2,
            tag2,
            row_a2,
            row_b2,
            skip,
            walk,
            place,
            met,
            wrote,
            wrote_sem,
            wrote_a,
            wrote_b,
            ack0,
            ack1,
            ack0_data,
            ack1_data,
            turn,
            clearing,
            clear_index
        );
        clock!(self, clock, table_a, table_b, entries, links, backs, pool);
        // Stage 2: the row and what stands behind the head (or at the place of a walk).
        self.nonempty.next = self.row_a2.q.val().get_bit(25);
        self.single.next = self.row_a2.q.val().get_bit(24);
        self.head.next = self.row_a2.q.val().get_bits::<12>(12);
        self.tail.next = self.row_a2.q.val().get_bits::<12>(0);
        self.behind.next = self.row_b2.q.val().get_bits::<12>(16);
        self.link.next = self.links.read_data.val().get_bits::<12>(0);
        self.more.next = self.links.read_data.val().get_bit(12);
        self.read_thread.next = bit_cast::<16, 32>(self.entries.read_data.val());
        self.owner.next = bit_cast::<16, 32>(self.row_b2.q.val());
        self.bad2.next = bit_cast::<17, 16>(self.sem2.q.val()) >= self.sems.val();
        self.found.next = (self.read_thread.val() == self.thread2.q.val()) && !self.entries.read_data.val().get_bit(16);
        self.last.next = !self.more.val();
        if self.from_tail.val() == bits::<1>(1) {
            self.last.next = self.place.q.val() == self.head.val();
        }
        // What happens, if the acknowledgement has room.
        self.pop.next = self.skip.q.val()
            || (self.release2.q.val()
                && !self.bad2.val()
                && self.nonempty.val()
                && ((self.owner.val() == self.thread2.q.val()) || (self.fault.val() == bits::<8>(70))));
        self.op_valid.next = true;
        self.op_kind.next = bits::<3>(0);
        self.op_sem.next = self.sem2.q.val();
        self.op_thread.next = self.thread2.q.val();
        self.op_entry.next = self.pool.entry.val();
        self.new_a.next = self.row_a2.q.val();
        self.new_b.next = self.row_b2.q.val();
        self.write_row.next = false;
        self.acknowledge.next = false;
        self.ack_thread2.next = self.thread2.q.val();
        self.error.next = false;
        self.goes_on.next = false;
        self.passed.next = false;
        self.take.next = false;
        self.give.next = false;
        self.pool.give_entry.next = self.head.val();
        self.flags.next = bit_cast::<32, 16>(self.thread2.q.val());
        if self.auto2.q.val() {
            self.flags.next = self.flags.val() | bits::<32>(0x1_0000);
        }
        if self.suppress2.q.val() {
            self.flags.next = self.flags.val() | bits::<32>(0x2_0000);
        }
        self.entries.write_enable.next = false;
        self.entries.write_address.next = self.pool.entry.val();
        self.entries.write_data.next = self.flags.val();
        self.links.write_enable.next = false;
        self.links.write_address.next = self.head.val();
        self.links.write_data.next = bits::<32>(0);
        self.backs.write_enable.next = false;
        self.backs.write_address.next = self.pool.entry.val();
        self.backs.write_data.next = bit_cast::<32, 12>(self.tail.val());
        if (self.with_tail.val() == bits::<1>(0)) && !self.single.val() {
            self.backs.write_data.next = bit_cast::<32, 12>(self.place.q.val());
        }
        self.next_place.next = self.behind.val();
        if self.from_tail.val() == bits::<1>(1) {
            self.next_place.next = self.tail.val();
        }
        if self.pop.val() {
            // The head goes; the entry behind it is at the RAMs' outputs.
            self.op_kind.next = bits::<3>(1);
            self.op_entry.next = self.head.val();
            self.op_thread.next = self.owner.val();
            self.write_row.next = true;
            self.give.next = (self.fault.val() != bits::<8>(65)) || !self.single.val();
            self.links.write_enable.next = true;
            self.new_a.next = bits::<32>(0);
            self.new_b.next = bits::<32>(0);
            if !self.single.val() {
                self.new_a.next = bits::<32>(0x0200_0000)
                    | (bit_cast::<32, 12>(self.behind.val()) << bits::<32>(12))
                    | bit_cast::<32, 12>(self.tail.val());
                if !self.more.val() {
                    self.new_a.next = bits::<32>(0x0300_0000)
                        | (bit_cast::<32, 12>(self.behind.val()) << bits::<32>(12))
                        | bit_cast::<32, 12>(self.tail.val());
                }
                self.new_b.next = bit_cast::<32, 16>(self.read_thread.val())
                    | (bit_cast::<32, 12>(self.link.val()) << bits::<32>(16));
                self.acknowledge.next =
                    !self.entries.read_data.val().get_bit(17) || (self.fault.val() == bits::<8>(68));
                self.ack_thread2.next = self.read_thread.val();
                self.goes_on.next = self.entries.read_data.val().get_bit(16);
            }
        } else if self.bad2.val() {
            self.op_kind.next = bits::<3>(4);
            self.error.next = true;
            self.op_entry.next = bits::<12>(3);
            self.passed.next = self.probe2.q.val();
        } else if self.release2.q.val() {
            if !self.nonempty.val() || self.single.val() || (self.option_b.val() == bits::<1>(0)) {
                self.op_kind.next = bits::<3>(4);
                self.error.next = true;
                self.op_entry.next = bits::<12>(1);
            } else if !self.walk.q.val() {
                // The search begins in the next cycle, with the entry behind the head or the tail.
                self.op_valid.next = false;
                self.goes_on.next = true;
            } else if self.found.val() {
                self.op_kind.next = bits::<3>(2);
                self.op_entry.next = self.place.q.val();
                self.entries.write_enable.next = true;
                self.entries.write_address.next = self.place.q.val();
                self.entries.write_data.next = self.entries.read_data.val() | bits::<32>(0x1_0000);
            } else if self.last.val() {
                self.op_kind.next = bits::<3>(4);
                self.error.next = true;
                self.op_entry.next = bits::<12>(1);
                if self.met.q.val() || (self.read_thread.val() == self.thread2.q.val()) {
                    self.op_entry.next = bits::<12>(2);
                }
            } else {
                self.op_valid.next = false;
                self.goes_on.next = true;
                self.next_place.next = self.link.val();
                if self.from_tail.val() == bits::<1>(1) {
                    self.next_place.next = bit_cast::<12, 32>(self.backs.read_data.val());
                }
            }
        } else if !self.nonempty.val() && self.auto2.q.val() && (self.fault.val() != bits::<8>(69)) {
            self.op_kind.next = bits::<3>(3);
            self.op_entry.next = bits::<12>(0);
            self.acknowledge.next = !self.suppress2.q.val() || (self.fault.val() == bits::<8>(68));
            self.passed.next = self.probe2.q.val();
        } else if self.probe2.q.val() {
            // It needs an entry.
            self.op_valid.next = false;
        } else if !self.nonempty.val() {
            self.take.next = true;
            self.entries.write_enable.next = true;
            self.write_row.next = true;
            self.new_a.next = bits::<32>(0x0300_0000)
                | (bit_cast::<32, 12>(self.pool.entry.val()) << bits::<32>(12))
                | bit_cast::<32, 12>(self.pool.entry.val());
            self.new_b.next = bit_cast::<32, 16>(self.thread2.q.val());
            self.acknowledge.next = !self.suppress2.q.val() || (self.fault.val() == bits::<8>(68));
        } else if (self.with_tail.val() == bits::<1>(1)) || self.single.val() || (self.walk.q.val() && !self.more.val())
        {
            // Behind the tail; without tail pointers that is the head, or the end that a walk has found.
            self.take.next = true;
            self.entries.write_enable.next = true;
            self.backs.write_enable.next = true;
            self.write_row.next = true;
            self.links.write_enable.next = true;
            self.links.write_data.next = bit_cast::<32, 12>(self.pool.entry.val()) | bits::<32>(0x1000);
            self.new_a.next = bits::<32>(0x0200_0000)
                | (bit_cast::<32, 12>(self.head.val()) << bits::<32>(12))
                | bit_cast::<32, 12>(self.pool.entry.val());
            if self.single.val() {
                self.new_b.next = bit_cast::<32, 16>(self.owner.val())
                    | (bit_cast::<32, 12>(self.pool.entry.val()) << bits::<32>(16));
            } else if self.with_tail.val() == bits::<1>(1) {
                self.links.write_address.next = self.tail.val();
            } else {
                self.links.write_address.next = self.place.q.val();
            }
            if (self.fault.val() == bits::<8>(66)) && !self.single.val() {
                self.links.write_address.next = self.pool.entry.val();
                self.links.write_data.next = bit_cast::<32, 12>(self.behind.val()) | bits::<32>(0x1000);
                self.new_a.next = self.row_a2.q.val();
                self.new_b.next = bit_cast::<32, 16>(self.owner.val())
                    | (bit_cast::<32, 12>(self.pool.entry.val()) << bits::<32>(16));
            }
            if self.fault.val() == bits::<8>(64) {
                self.acknowledge.next = !self.suppress2.q.val();
            }
        } else {
            self.op_valid.next = false;
            self.goes_on.next = true;
            if self.walk.q.val() {
                self.next_place.next = self.link.val();
            }
        }
        self.step.next = self.v2.q.val() && (!self.acknowledge.val() || !self.ack1.q.val());
        self.finish.next = self.step.val() && !self.goes_on.val();
        if !self.step.val() || (self.error.val() && (self.fault.val() == bits::<8>(79))) {
            self.op_valid.next = false;
        }
        if !self.step.val() {
            self.write_row.next = false;
            self.acknowledge.next = false;
            self.passed.next = false;
            self.entries.write_enable.next = false;
            self.links.write_enable.next = false;
            self.backs.write_enable.next = false;
            self.next_place.next = self.place.q.val();
        }
        self.done_valid.next = self.finish.val()
            && self.notify2.q.val()
            && !self.release2.q.val()
            && (!self.probe2.q.val() || self.passed.val());
        self.done_tag.next = self.tag2.q.val();
        self.done_suppress.next = self.suppress2.q.val();
        self.acq_refused.next = self.finish.val() && self.probe2.q.val() && !self.passed.val();
        self.emptied.next = self.step.val() && self.pop.val() && self.single.val();
        self.pool.take.next = self.take.val() && self.step.val();
        self.pool.give.next = self.give.val() && self.step.val();
        self.place.d.next = self.next_place.val();
        if self.step.val() {
            self.skip.d.next = self.pop.val() && self.goes_on.val();
            self.walk.d.next = !self.pop.val() && self.goes_on.val();
            self.met.d.next = self.walk.q.val()
                && self.goes_on.val()
                && (self.met.q.val() || (self.read_thread.val() == self.thread2.q.val()));
            self.row_a2.d.next = self.new_a.val();
            self.row_b2.d.next = self.new_b.val();
        }
        self.wrote.d.next = self.write_row.val();
        self.wrote_sem.d.next = self.sem2.q.val();
        self.wrote_a.d.next = self.new_a.val();
        self.wrote_b.d.next = self.new_b.val();
        // Stage 1: the row, with what was written since it was read.
        self.row_a1.next = self.table_a.read_data.val();
        self.row_b1.next = self.table_b.read_data.val();
        if self.wrote.q.val() && (self.wrote_sem.q.val() == self.sem1.q.val()) {
            self.row_a1.next = self.wrote_a.q.val();
            self.row_b1.next = self.wrote_b.q.val();
        }
        self.hazard.next = self.v2.q.val()
            && (self.sem2.q.val() == self.sem1.q.val())
            && (self.release1.q.val() || (self.with_tail.val() == bits::<1>(0)));
        self.advance.next = self.v1.q.val() && (!self.v2.q.val() || self.finish.val()) && !self.hazard.val();
        if self.finish.val() {
            self.v2.d.next = false;
        }
        if self.advance.val() {
            self.v2.d.next = true;
            self.release2.d.next = self.release1.q.val();
            self.probe2.d.next = self.probe1.q.val();
            self.sem2.d.next = self.sem1.q.val();
            self.thread2.d.next = self.thread1.q.val();
            self.auto2.d.next = self.auto1.q.val();
            self.suppress2.d.next = self.suppress1.q.val();
            self.notify2.d.next = self.notify1.q.val();
            self.tag2.d.next = self.tag1.q.val();
            self.row_a2.d.next = self.row_a1.val();
            self.row_b2.d.next = self.row_b1.val();
            if self.write_row.val() && (self.sem2.q.val() == self.sem1.q.val()) {
                self.row_a2.d.next = self.new_a.val();
                self.row_b2.d.next = self.new_b.val();
            }
            self.v1.d.next = false;
        }
        // Stage 0: the ports. An acquire that is inside and may need an entry has one reserved.
        self.room1.next = (!self.v1.q.val() || self.advance.val()) && !self.clearing.q.val();
        self.reserved.next = bits::<13>(0);
        if self.v1.q.val() && !self.release1.q.val() && !self.probe1.q.val() {
            self.reserved.next = bits::<13>(1);
        }
        if self.v2.q.val() && !self.release2.q.val() && !self.probe2.q.val() {
            self.reserved.next = self.reserved.val() + bits::<13>(1);
        }
        self.vacant.next = self.pool.free.val() > self.reserved.val();
        self.entry_free.next = self.vacant.val();
        // A try that is inside may yet take the message at the port.
        self.trying.next = (self.v1.q.val() && self.probe1.q.val()) || (self.v2.q.val() && self.probe2.q.val());
        self.acquire_fits.next =
            self.acq_valid.val() && (self.vacant.val() || self.acq_bare.val()) && !self.trying.val();
        self.grant_port.next =
            self.room1.val() && self.acquire_fits.val() && (self.turn.q.val() || !self.rel_valid.val());
        self.grant_acquire.next = self.grant_port.val() && !self.acq_bare.val();
        self.grant_probe.next = self.grant_port.val() && self.acq_bare.val();
        self.grant_release.next = self.room1.val() && self.rel_valid.val() && !self.grant_port.val();
        self.acq_ready.next = self.grant_acquire.val() || self.passed.val();
        self.rel_ready.next = self.grant_release.val();
        if self.acquire_fits.val() && self.rel_valid.val() && self.room1.val() {
            self.turn.d.next = !self.turn.q.val();
        }
        self.next_sem.next = self.sem1.q.val();
        if self.grant_acquire.val() || self.grant_release.val() || self.grant_probe.val() {
            self.v1.d.next = true;
            self.release1.d.next = self.grant_release.val();
            self.probe1.d.next = self.grant_probe.val();
            self.next_sem.next = self.acq_sem.val();
            self.thread1.d.next = self.acq_thread.val();
            self.auto1.d.next = self.acq_auto.val();
            self.suppress1.d.next = self.acq_suppress.val();
            self.notify1.d.next = self.acq_notify.val();
            self.tag1.d.next = self.acq_tag.val();
            if self.grant_release.val() {
                self.next_sem.next = self.rel_sem.val();
                self.thread1.d.next = self.rel_thread.val();
            }
        }
        self.sem1.d.next = self.next_sem.val();
        if self.fault.val() == bits::<8>(71) {
            self.done_valid.next = self.grant_acquire.val() && self.acq_notify.val();
            self.done_tag.next = self.acq_tag.val();
            self.done_suppress.next = self.acq_suppress.val();
        }
        // Acknowledgements.
        if self.ack0.q.val() && self.ack_ready.val() {
            self.ack0.d.next = self.ack1.q.val();
            self.ack0_data.d.next = self.ack1_data.q.val();
            self.ack1.d.next = false;
        }
        if self.acknowledge.val() {
            self.flags.next =
                bit_cast::<32, 16>(self.sem2.q.val()) | (bit_cast::<32, 16>(self.ack_thread2.val()) << bits::<32>(16));
            if self.ack0.q.val() && !self.ack_ready.val() {
                self.ack1.d.next = true;
                self.ack1_data.d.next = self.flags.val();
            } else {
                self.ack0.d.next = true;
                self.ack0_data.d.next = self.flags.val();
                if (self.fault.val() == bits::<8>(67)) && !self.ack0.q.val() {
                    self.ack1.d.next = true;
                    self.ack1_data.d.next = self.flags.val();
                }
            }
        }
        self.ack_valid.next = self.ack0.q.val();
        self.ack_sem.next = bit_cast::<16, 32>(self.ack0_data.q.val());
        self.ack_thread.next = self.ack0_data.q.val().get_bits::<16>(16);
        // Addresses of the reads: the row of what comes into stage 1, the entry behind the head of what comes into stage 2.
        self.table_a.read_address.next = bit_cast::<12, 16>(self.next_sem.val());
        self.table_b.read_address.next = bit_cast::<12, 16>(self.next_sem.val());
        self.read.next = self.behind.val();
        if self.walk.q.val() || (self.step.val() && self.goes_on.val() && !self.pop.val()) {
            self.read.next = self.next_place.val();
        }
        if self.step.val() && self.goes_on.val() && self.pop.val() {
            self.read.next = self.link.val();
        }
        if self.advance.val() {
            self.read.next = self.row_b1.val().get_bits::<12>(16);
        }
        self.entries.read_address.next = self.read.val();
        self.links.read_address.next = self.read.val();
        self.backs.read_address.next = self.read.val();
        self.table_a.write_address.next = bit_cast::<12, 16>(self.sem2.q.val());
        self.table_b.write_address.next = bit_cast::<12, 16>(self.sem2.q.val());
        self.table_a.write_data.next = self.new_a.val();
        self.table_b.write_data.next = self.new_b.val();
        self.table_a.write_enable.next = self.write_row.val();
        self.table_b.write_enable.next = self.write_row.val();
        // Start: nothing is inside; what lists there are is forgotten.
        // Also if the pool says that all is free: an append in this very cycle still writes its row, and a start before may not be through.
        self.clear_now.next = self.start.val()
            && ((self.pool.free.val() != self.pool_size.val()) || self.v2.q.val() || self.clearing.q.val());
        self.pool.clear.next = self.start.val();
        if self.clearing.q.val() {
            self.table_a.write_address.next = self.clear_index.q.val();
            self.table_a.write_data.next = bits::<32>(0);
            self.table_a.write_enable.next = true;
            self.links.write_address.next = self.clear_index.q.val();
            self.links.write_data.next = bits::<32>(0);
            self.links.write_enable.next = true;
            self.clear_index.d.next = self.clear_index.q.val() + bits::<12>(1);
            if self.clear_index.q.val() == self.last_index.val() {
                self.clearing.d.next = false;
            }
        }
        if self.start.val() {
            self.v1.d.next = false;
            self.v2.d.next = false;
            self.skip.d.next = false;
            self.walk.d.next = false;
            self.wrote.d.next = false;
            self.ack0.d.next = false;
            self.ack1.d.next = false;
            self.clearing.d.next = self.clear_now.val();
            self.clear_index.d.next = bits::<12>(0);
        }
        self.active.next = self.v1.q.val() || self.v2.q.val() || self.ack0.q.val() || self.clearing.q.val();
        self.busy.next = self.v1.q.val()
            || self.v2.q.val()
            || self.ack0.q.val()
            || self.clearing.q.val()
            || (self.pool.free.val() != self.pool_size.val());
    }
}
