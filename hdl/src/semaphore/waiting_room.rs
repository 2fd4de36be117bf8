//! The waiting room before the semaphore entity's acquire port (`SE-12`): acquires that need an entry of the pool while none is free wait here, and hold up no acquire that needs none.
//!
//! While nobody waits, messages go straight through to the [entity](super::SemaphoreEntity), without delay. Else the room takes every message from the bus:
//! one for whose semaphore nobody waits is tried without an entry, which succeeds with auto-release on an empty list (and with a protocol error); all others are put at the room's end. Three
//! things are done in turn, each a step of at most six cycles and the entity's answer: the next message from the bus; the oldest waiting one, if an entry is free; and the next step of a **round**. A round goes
//! over the room from the oldest to the youngest, tries those with auto-release, and closes the gaps that it leaves. It begins when a list has become empty since the last one began.
//!
//! Order. Entries are given in order of arrival, over all semaphores: what holds the entries never arrived later than what waits for one, which the dispatcher's rule against deadlock is built on
//! (`docs/semaphores.md`). Per semaphore acquires have their effect in order of arrival: each has a ticket of its semaphore, and only the ticket that is due is tried. Acquires of different semaphores
//! overtake each other.
//!
//! Size. The room has 16 places per warp slot: one for the own acquire of the slot's thread, which waits for the acknowledgement before it sends another, and 15 for the requests of the
//! dispatcher on its behalf. So there is a place for every message, and the bus never waits for an entry. A round leaves gaps, which are no places until it ends; for so long
//! the room may be full, and messages wait at the port. (Above 256 slots it has 4096 places and the dispatcher sends no more than leaves each
//! slot's own. If a program breaks the rule by ending threads that wait, the room may be full: then messages wait at the port and none is lost.)
//!
//! It can be wrong where a list becomes empty while a round is under way or a message is being tried; a round too many does no harm, one too few leaves a thread
//! asleep. Planted faults: those of the table in `fault.rs` whose names begin with `room-`.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use crate::base::{Parameter, Planted};
use crate::cell::Ram;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::{comment, state_words};

/// Places for each warp slot: its thread's own acquire and the requests of the dispatcher.
pub const PLACES_PER_SLOT: usize = 16;
/// The most places.
pub const MOST: usize = 4096;

/// What the room does.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum RoomState {
    /// Messages go through if nobody waits; else the next step is chosen.
    Open,
    /// The message at the port, for which no entry is free, is taken in.
    Take,
    /// A waiting message comes out of the RAM.
    Read,
    /// The row of its semaphore is there: what is to become of it.
    Judge,
    /// It is offered to the entity.
    Try,
}

state_words!(RoomState { Open, Take, Read, Judge, Try });

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct WaitingRoom {
    pub clock: Signal<In, Clock>,
    /// One cycle: everything is forgotten.
    pub start: Signal<In, bool>,
    // ACQ_MSG from the bus.
    /// An ACQ_MSG is offered; it stays until it is taken.
    pub in_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub in_ready: Signal<Out, bool>,
    /// Its semaphore.
    pub in_sem: Signal<In, Bits<16>>,
    /// The thread that wants it.
    pub in_thread: Signal<In, Bits<16>>,
    /// With auto-release.
    pub in_auto: Signal<In, bool>,
    /// With acknowledge-suppress.
    pub in_suppress: Signal<In, bool>,
    /// The sender wants the completion signal.
    pub in_notify: Signal<In, bool>,
    /// Comes back with it.
    pub in_tag: Signal<In, Bits<3>>,
    // To the entity, as its ports of that name, and what it tells.
    /// An ACQ_MSG is offered to the entity.
    pub acq_valid: Signal<Out, bool>,
    /// It is taken in this cycle if valid.
    pub acq_ready: Signal<In, bool>,
    /// Its semaphore.
    pub acq_sem: Signal<Out, Bits<16>>,
    /// The thread that wants it.
    pub acq_thread: Signal<Out, Bits<16>>,
    /// With auto-release.
    pub acq_auto: Signal<Out, bool>,
    /// With acknowledge-suppress.
    pub acq_suppress: Signal<Out, bool>,
    /// The sender wants the completion signal.
    pub acq_notify: Signal<Out, bool>,
    /// Comes back with it.
    pub acq_tag: Signal<Out, Bits<3>>,
    /// It is tried and takes no entry: it has its effect if it needs none, else it is refused.
    pub acq_bare: Signal<Out, bool>,
    /// The one that was tried needs an entry; it had no effect.
    pub acq_refused: Signal<In, bool>,
    /// An entry of the pool is free.
    pub entry_free: Signal<In, bool>,
    /// A list becomes empty in this cycle.
    pub emptied: Signal<In, bool>,
    /// An acquire waits here for an entry (`SE-12`).
    pub exhausted: Signal<Out, bool>,
    /// A message is inside, or the table is being cleared.
    pub active: Signal<Out, bool>,
    /// By place: suppress 31, auto-release 30, notify 29, tag 28:26, thread 25:10, semaphore 9:0.
    bodies: Ram,
    /// By place: the message's ticket.
    tickets: Ram,
    /// By semaphore: the next ticket 25:13, the ticket that is due 12:0. Nobody waits if they are the same.
    table: Ram,
    state: DFF<RoomState>,
    // Places, counted on without end: the oldest message; while a round is under way, the end of those that it has passed, and its next one; the end.
    head: DFF<Bits<13>>,
    keep: DFF<Bits<13>>,
    scan: DFF<Bits<13>>,
    tail: DFF<Bits<13>>,
    /// A round is under way.
    round: DFF<bool>,
    /// A list has become empty since the last round began.
    again: DFF<bool>,
    /// The last step: 0 a new message, 1 the oldest, 2 a step of the round.
    last: DFF<Bits<2>>,
    // The message in hand: whence (as `last`), body, ticket, its whole semaphore.
    from: DFF<Bits<2>>,
    body: DFF<Bits<32>>,
    ticket: DFF<Bits<13>>,
    sem: DFF<Bits<16>>,
    /// It is tried without an entry.
    bare: DFF<bool>,
    clearing: DFF<bool>,
    clear_index: DFF<Bits<12>>,
    // Named intermediate values.
    word: Signal<Local, Bits<32>>,
    waiting: Signal<Local, bool>,
    kept: Signal<Local, bool>,
    used: Signal<Local, Bits<13>>,
    quiet: Signal<Local, bool>,
    straight: Signal<Local, bool>,
    want_new: Signal<Local, bool>,
    want_oldest: Signal<Local, bool>,
    want_round: Signal<Local, bool>,
    choose_new: Signal<Local, bool>,
    choose_oldest: Signal<Local, bool>,
    choose_round: Signal<Local, bool>,
    at_scan: Signal<Local, bool>,
    next_ticket: Signal<Local, Bits<13>>,
    due: Signal<Local, Bits<13>>,
    ticket_after: Signal<Local, Bits<13>>,
    due_after: Signal<Local, Bits<13>>,
    bad: Signal<Local, bool>,
    auto: Signal<Local, bool>,
    /// The message in hand goes to the room's end; stays, in its round; has gone.
    park: Signal<Local, bool>,
    stay: Signal<Local, bool>,
    gone: Signal<Local, bool>,
    place: Signal<Local, Bits<13>>,
    look: Signal<Local, Bits<12>>,
    row: Signal<Local, Bits<12>>,
    sems: Parameter<17>,
    last_sem: Parameter<12>,
    places: Parameter<13>,
    fault_room_overtake: Planted,
    fault_room_asleep: Planted,
    fault_room_blocks: Planted,
    fault_room_lost: Planted,
    fault_room_straight: Planted,
    fault_room_oldest_last: Planted,
    fault_room_gaps: Planted,
    fault_room_try_changed: Planted,
    _active: bool,
}

impl WaitingRoom {
    /// The room of a machine of that configuration, which must have been checked.
    pub fn new(config: &GpuConfig) -> Self {
        let slots = config.total_slots();
        Self::with_places((PLACES_PER_SLOT * slots).min(MOST), config)
    }

    /// A room of so many places, rounded up to a power of two.
    pub fn with_places(places: usize, config: &GpuConfig) -> Self {
        // A RAM wraps at a power of two, and so must the count of its words.
        let places = places.next_power_of_two();
        Self {
            bodies: Ram::new(places),
            tickets: Ram::new(places),
            table: Ram::new(config.semaphores.semaphores),
            sems: Parameter::new(config.semaphores.semaphores as u64),
            last_sem: Parameter::new(config.semaphores.semaphores as u64 - 1),
            places: Parameter::new(places as u64),
            fault_room_overtake: Planted::new(config.has(Fault::RoomOvertake)),
            fault_room_asleep: Planted::new(config.has(Fault::RoomAsleep)),
            fault_room_blocks: Planted::new(config.has(Fault::RoomBlocks)),
            fault_room_lost: Planted::new(config.has(Fault::RoomLost)),
            fault_room_straight: Planted::new(config.has(Fault::RoomStraight)),
            fault_room_oldest_last: Planted::new(config.has(Fault::RoomOldestLast)),
            fault_room_gaps: Planted::new(config.has(Fault::RoomGaps)),
            fault_room_try_changed: Planted::new(config.has(Fault::RoomTryChanged)),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for WaitingRoom {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: waiting_room");
        dff_setup!(
            self,
            clock,
            state,
            head,
            keep,
            scan,
            tail,
            round,
            again,
            last,
            from,
            body,
            ticket,
            sem,
            bare,
            clearing,
            clear_index
        );
        clock!(self, clock, bodies, tickets, table);
        // Who waits: in a round those that it has passed and those that it has not.
        self.kept.next = self.head.q.val() != self.keep.q.val();
        self.waiting.next = self.head.q.val() != self.tail.q.val();
        if self.round.q.val() {
            self.waiting.next = self.kept.val() || (self.scan.q.val() != self.tail.q.val());
        }
        self.used.next = self.tail.q.val() - self.head.q.val();
        self.quiet.next = (self.state.q.val() == RoomState::Open) && !self.clearing.q.val();
        self.straight.next = self.quiet.val()
            && ((!self.waiting.val() && !self.round.q.val())
                || (self.fault_room_straight.val() && self.entry_free.val()));
        // The choice of the next step, in turn. The oldest message stands at the round's place if the round has kept none before it.
        self.want_new.next = self.in_valid.val() && (self.used.val() != self.places.val());
        if self.fault_room_blocks.val() && self.waiting.val() {
            // What needs no entry waits behind what does.
            self.want_new.next = false;
        }
        self.want_oldest.next = self.waiting.val() && self.entry_free.val();
        self.want_round.next = self.round.q.val() || (self.again.q.val() && !self.fault_room_asleep.val());
        self.choose_new.next = self.want_new.val();
        self.choose_oldest.next = self.want_oldest.val() && !self.want_new.val();
        self.choose_round.next = self.want_round.val() && !self.want_new.val() && !self.want_oldest.val();
        if self.last.q.val() == bits::<2>(0) {
            self.choose_oldest.next =
                self.want_oldest.val() && !(self.fault_room_oldest_last.val() && self.want_round.val());
            self.choose_round.next = self.want_round.val() && !self.want_oldest.val();
            self.choose_new.next = self.want_new.val() && !self.want_oldest.val() && !self.want_round.val();
        }
        if self.last.q.val() == bits::<2>(1) {
            self.choose_round.next = self.want_round.val();
            self.choose_new.next = self.want_new.val() && !self.want_round.val();
            self.choose_oldest.next = self.want_oldest.val() && !self.want_new.val() && !self.want_round.val();
        }
        if !self.quiet.val() || self.straight.val() {
            self.choose_new.next = false;
            self.choose_oldest.next = false;
            self.choose_round.next = false;
        }
        self.at_scan.next = self.round.q.val() && !self.kept.val();
        if self.emptied.val() {
            self.again.d.next = true;
        }
        // The message at the port as a word.
        self.word.next = bit_cast::<32, 10>(self.in_sem.val().get_bits::<10>(0))
            | (bit_cast::<32, 16>(self.in_thread.val()) << bits::<32>(10))
            | (bit_cast::<32, 3>(self.in_tag.val()) << bits::<32>(26));
        if self.in_notify.val() {
            self.word.next = self.word.val() | bits::<32>(0x2000_0000);
        }
        if self.in_auto.val() {
            self.word.next = self.word.val() | bits::<32>(0x4000_0000);
        }
        if self.in_suppress.val() {
            self.word.next = self.word.val() | bits::<32>(0x8000_0000u64);
        }
        // The message in hand.
        self.next_ticket.next = self.table.read_data.val().get_bits::<13>(13);
        self.due.next = self.table.read_data.val().get_bits::<13>(0);
        self.auto.next = self.body.q.val().get_bit(30);
        self.bad.next = bit_cast::<17, 16>(self.sem.q.val()) >= self.sems.val();
        self.park.next = false;
        self.stay.next = false;
        self.gone.next = false;
        self.look.next = bit_cast::<12, 13>(self.head.q.val());
        self.row.next = bit_cast::<12, 16>(self.sem.q.val());
        if self.straight.val() && self.in_valid.val() && !self.acq_ready.val() && !self.entry_free.val() {
            self.state.d.next = RoomState::Take;
        }
        if (self.state.q.val() == RoomState::Take) || self.choose_new.val() {
            self.state.d.next = RoomState::Judge;
            self.last.d.next = bits::<2>(0);
            self.from.d.next = bits::<2>(0);
            self.body.d.next = self.word.val();
            self.sem.d.next = self.in_sem.val();
            self.row.next = bit_cast::<12, 16>(self.in_sem.val());
        }
        if self.choose_oldest.val() {
            self.state.d.next = RoomState::Read;
            self.last.d.next = bits::<2>(1);
            self.from.d.next = bits::<2>(1);
            if self.at_scan.val() {
                self.look.next = bit_cast::<12, 13>(self.scan.q.val());
            }
        }
        if self.choose_round.val() {
            self.last.d.next = bits::<2>(2);
            self.from.d.next = bits::<2>(2);
            self.look.next = bit_cast::<12, 13>(self.scan.q.val());
            if !self.round.q.val() {
                // A round begins.
                self.round.d.next = true;
                self.again.d.next = self.emptied.val();
                self.keep.d.next = self.head.q.val();
                self.scan.d.next = self.head.q.val();
            } else if self.scan.q.val() == self.tail.q.val() {
                // It ends; no message lies behind those that it kept.
                self.round.d.next = false;
                if !self.fault_room_gaps.val() {
                    self.tail.d.next = self.keep.q.val();
                }
            } else {
                self.state.d.next = RoomState::Read;
            }
        }
        if self.straight.val() {
            self.again.d.next = false;
        }
        if self.state.q.val() == RoomState::Read {
            self.state.d.next = RoomState::Judge;
            self.body.d.next = self.bodies.read_data.val();
            self.ticket.d.next = self.tickets.read_data.val().get_bits::<13>(0);
            self.sem.d.next = bit_cast::<16, 10>(self.bodies.read_data.val().get_bits::<10>(0));
            self.row.next = bit_cast::<12, 10>(self.bodies.read_data.val().get_bits::<10>(0));
        }
        if self.state.q.val() == RoomState::Judge {
            self.state.d.next = RoomState::Try;
            self.bare.d.next = true;
            if self.from.q.val() == bits::<2>(0) {
                // Behind those that wait for the same semaphore; without auto-release an entry is needed.
                if !self.bad.val()
                    && (!self.auto.val()
                        || ((self.next_ticket.val() != self.due.val()) && !self.fault_room_overtake.val()))
                {
                    self.state.d.next = RoomState::Open;
                    self.park.next = true;
                }
            }
            if self.from.q.val() == bits::<2>(1) {
                self.bare.d.next = false;
                if !self.entry_free.val() {
                    self.state.d.next = RoomState::Open;
                }
            }
            if (self.from.q.val() == bits::<2>(2))
                && (!self.auto.val() || ((self.ticket.q.val() != self.due.val()) && !self.fault_room_overtake.val()))
            {
                self.state.d.next = RoomState::Open;
                self.stay.next = true;
            }
        }
        if self.state.q.val() == RoomState::Try {
            if self.acq_ready.val() {
                self.state.d.next = RoomState::Open;
                self.gone.next = self.from.q.val() != bits::<2>(0);
            }
            if self.acq_refused.val() {
                self.state.d.next = RoomState::Open;
                self.park.next = self.from.q.val() == bits::<2>(0);
                self.stay.next = self.from.q.val() == bits::<2>(2);
            }
        }
        // What becomes of it.
        self.place.next = self.tail.q.val();
        if self.stay.val() {
            self.place.next = self.keep.q.val();
            self.keep.d.next = self.keep.q.val() + bits::<13>(1);
            self.scan.d.next = self.scan.q.val() + bits::<13>(1);
        }
        if self.park.val() && !(self.fault_room_lost.val() && self.round.q.val()) {
            self.tail.d.next = self.tail.q.val() + bits::<13>(1);
        }
        if self.gone.val() {
            if (self.from.q.val() == bits::<2>(2)) || self.at_scan.val() {
                self.scan.d.next = self.scan.q.val() + bits::<13>(1);
            } else {
                self.head.d.next = self.head.q.val() + bits::<13>(1);
            }
        }
        self.bodies.read_address.next = self.look.val();
        self.bodies.write_address.next = bit_cast::<12, 13>(self.place.val());
        self.bodies.write_data.next = self.body.q.val();
        self.bodies.write_enable.next = self.park.val() || self.stay.val();
        self.tickets.read_address.next = self.look.val();
        self.tickets.write_address.next = bit_cast::<12, 13>(self.place.val());
        self.tickets.write_data.next = bit_cast::<32, 13>(self.ticket.q.val());
        if self.park.val() {
            self.tickets.write_data.next = bit_cast::<32, 13>(self.next_ticket.val());
        }
        self.tickets.write_enable.next = self.park.val() || self.stay.val();
        self.table.read_address.next = self.row.val();
        self.table.write_address.next = bit_cast::<12, 16>(self.sem.q.val());
        self.ticket_after.next = self.next_ticket.val();
        self.due_after.next = self.due.val();
        if self.park.val() {
            self.ticket_after.next = self.next_ticket.val() + bits::<13>(1);
        }
        if self.gone.val() {
            self.due_after.next = self.due.val() + bits::<13>(1);
        }
        self.table.write_data.next =
            bit_cast::<32, 13>(self.due_after.val()) | (bit_cast::<32, 13>(self.ticket_after.val()) << bits::<32>(13));
        self.table.write_enable.next = self.park.val() || self.gone.val();
        // To the entity.
        self.acq_valid.next = self.straight.val() && self.in_valid.val();
        self.acq_sem.next = self.in_sem.val();
        self.acq_thread.next = self.in_thread.val();
        self.acq_auto.next = self.in_auto.val();
        self.acq_suppress.next = self.in_suppress.val();
        self.acq_notify.next = self.in_notify.val();
        self.acq_tag.next = self.in_tag.val();
        self.acq_bare.next = false;
        self.in_ready.next = (self.straight.val() && self.acq_ready.val())
            || (self.state.q.val() == RoomState::Take)
            || self.choose_new.val();
        if !self.straight.val() {
            self.acq_valid.next = self.state.q.val() == RoomState::Try;
            self.acq_sem.next = self.sem.q.val();
            self.acq_thread.next = self.body.q.val().get_bits::<16>(10);
            self.acq_auto.next = self.body.q.val().get_bit(30);
            self.acq_suppress.next = self.body.q.val().get_bit(31);
            self.acq_notify.next = self.body.q.val().get_bit(29);
            self.acq_tag.next = self.body.q.val().get_bits::<3>(26);
            self.acq_bare.next = self.bare.q.val() && !(self.fault_room_try_changed.val() && self.entry_free.val());
        }
        self.exhausted.next = self.waiting.val();
        self.active.next = !self.quiet.val() || self.waiting.val();
        // Start.
        if self.clearing.q.val() {
            self.table.write_address.next = self.clear_index.q.val();
            self.table.write_data.next = bits::<32>(0);
            self.table.write_enable.next = true;
            self.clear_index.d.next = self.clear_index.q.val() + bits::<12>(1);
            if self.clear_index.q.val() == self.last_sem.val() {
                self.clearing.d.next = false;
            }
        }
        if self.start.val() {
            self.clearing.d.next =
                self.waiting.val() || (self.state.q.val() != RoomState::Open) || self.clearing.q.val();
            self.clear_index.d.next = bits::<12>(0);
            self.state.d.next = RoomState::Open;
            self.head.d.next = bits::<13>(0);
            self.tail.d.next = bits::<13>(0);
            self.round.d.next = false;
            self.again.d.next = false;
        }
    }
}
