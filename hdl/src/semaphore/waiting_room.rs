//! The waiting room before the semaphore entity's acquire port (`SE-12`): acquires that need an
//! entry of the pool while none is free wait here, and hold up no acquire that needs none.
//!
//! While nobody waits, messages go straight through to the [entity](super::SemaphoreEntity),
//! without delay. Else the room takes every message from the bus: one for whose semaphore nobody
//! waits is tried without an entry, which succeeds with auto-release on an empty list (and with a
//! protocol error); all others are put at the room's end. Three things are done in turn, each a
//! step of at most six cycles and the entity's answer: the next message from the bus; the oldest
//! waiting one, if an entry is free; and the next step of a **round**. A round goes over the room
//! from the oldest to the youngest, tries those with auto-release, and closes the gaps that it
//! leaves. It begins when a list has become empty since the last one began.
//!
//! Order. Entries are given in order of arrival, over all semaphores: what holds the entries never
//! arrived later than what waits for one, which the dispatcher's rule against deadlock is built on
//! (`docs/semaphores.md`). Per semaphore acquires have their effect in order of arrival: each has a
//! ticket of its semaphore, and only the ticket that is due is tried. Acquires of different
//! semaphores overtake each other.
//!
//! Size. The room has 16 places per warp slot: one for the own acquire of the slot's thread, which
//! waits for the acknowledgement before it sends another, and 15 for the requests of the dispatcher
//! on its behalf. So there is a place for every message, and the bus never waits for an entry. A
//! round leaves gaps, which are no places until it ends; for so long the room may be full, and
//! messages wait at the port. (Above 256 slots it has 4096 places and the dispatcher sends no more
//! than leaves each slot's own. If a program breaks the rule by ending threads that wait, the room
//! may be full: then messages wait at the port and none is lost.)
//!
//! It can be wrong where a list becomes empty while a round is under way or a message is being
//! tried; a round too many does no harm, one too few leaves a thread asleep. Planted faults: those
//! of the table in `fault.rs` whose names begin with `room-`.

use quadlock_hdl_macros::{QuietBlock, StateWord};
use rust_hdl::prelude::*;

mod choose;
mod message;
mod places;

use crate::base::{Parameter, Planted};
use crate::cell::Ram;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::kernel_of;
use crate::ports::SemaphoreAcquireOut;

/// Places for each warp slot: its thread's own acquire and the requests of the dispatcher.
pub const PLACES_PER_SLOT: usize = 16;
/// The most places.
pub const MOST: usize = 4096;

/// What the room does.
#[derive(Copy, Clone, Debug, PartialEq, LogicState, StateWord)]
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

/// What the room does one of, in turn.
#[derive(Copy, Clone, Debug, PartialEq, LogicState, StateWord)]
pub enum RoomStep {
    /// The next message from the bus is taken in.
    New,
    /// The oldest one that waits is offered for an entry.
    Oldest,
    /// The round goes on.
    Round,
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct WaitingRoom {
    /// Clock; everything happens at its rising edge.
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
    /// A thread acquires a semaphore.
    pub acq: SemaphoreAcquireOut,
    /// An entry of the pool is free.
    pub entry_free: Signal<In, bool>,
    /// A list becomes empty in this cycle.
    pub emptied: Signal<In, bool>,
    /// An acquire waits here for an entry (`SE-12`).
    pub exhausted: Signal<Out, bool>,
    /// A message is inside, or the table is being cleared.
    pub active: Signal<Out, bool>,
    // Memories; `rows.rs` has their words.
    /// Per place a `WaitingMessage`.
    bodies: Ram,
    /// Per place a `TicketRow`.
    tickets: Ram,
    /// Per semaphore a `TurnRow`.
    table: Ram,
    state: DFF<RoomState>,
    // Places, counted on without end: the oldest message; while a round is under way, the end of
    // those that it has passed, and its next one; the end.
    head: DFF<Bits<13>>,
    keep: DFF<Bits<13>>,
    scan: DFF<Bits<13>>,
    tail: DFF<Bits<13>>,
    /// A round is under way.
    round: DFF<bool>,
    /// A list has become empty since the last round began.
    again: DFF<bool>,
    /// The last step.
    last: DFF<RoomStep>,
    // The message in hand: the step that took it up, body, ticket, its whole semaphore.
    from: DFF<RoomStep>,
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

kernel_of! { WaitingRoom:
    /// The registers, which keep what they have unless a later part says otherwise.
    Registers,
    /// Who waits: in a round those that it has passed and those that it has not.
    Waits,
    /// The choice of the next step, in turn.
    Choose,
    /// The message at the port and the one in hand, and what holds unless a case says otherwise.
    Look,
    /// The chosen step begins: a message comes to hand, or is read from its place.
    Begin,
    /// A message comes out of the RAM.
    Read,
    /// The row of its semaphore is there: it is tried, put at the end, or stays.
    Judge,
    /// The entity's answer.
    Attempt,
    /// What becomes of the message in hand: its place, and the counts of places.
    Place,
    /// Reads and writes of messages, tickets and the semaphores' rows.
    Memories,
    /// What is offered to the entity, and what the room tells.
    Offer,
    /// Start: nobody waits, and the semaphores' rows are cleared.
    Start,
}
