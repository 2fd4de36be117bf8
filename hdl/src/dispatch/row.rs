//! The controller of a row of cores (`SE-1`, `SE-2`): passes launches to the row's warp units,
//! tells the dispatcher of ended threads, puts the units' messages on the message bus and gives
//! acknowledgements to the unit of their thread.
//!
//! Launches and acknowledgements go through without delay (combinational). An end is at `end_*` one
//! cycle after the slot's bit in `slot_free` rose, if it is the only one; one per cycle, units in
//! turn, in a unit the lowest slot first. A slot ends again only after a launch, and the dispatcher
//! launches into it only after it was told of the end, so none is lost by waiting.
//!
//! Messages. A release taken from a unit in cycle 0 is at `msg_*` in cycle 1, an acquire in
//! cycle 2. Throughput: one of each kind is taken and one message is sent per cycle. Round robin
//! over the units, for acquires and releases separately: one waits for at most n - 1 others of its
//! kind from the row's n units. At `msg_*` releases go first, and a release may take the place of
//! an acquire that was offered and not yet taken; a release that is offered stays.
//!
//! Why acquires have a queue of their own: the waiting room before the entity takes every acquire,
//! also while the pool is exhausted (`SE-12`), unless a program's errors have filled it; then only
//! releases make entries free. If one could stand before a release, in this block or in a unit's
//! queue, the machine would lock up. A warp that acquires issues nothing until the acknowledgement,
//! so there is at most one acquire per warp slot on its way, and the queue has room for all of
//! them: `sem_msg_ready` never waits for the pool. (If a unit breaks that rule its acquires wait,
//! and nothing is lost.) Between acquires and releases no order is kept; they go to different
//! receivers.
//!
//! It can be wrong where two slots end together, and in the arithmetic of unit numbers. Planted
//! faults: `row-lost-end`, `row-lost-acquire`, `row-wrong-unit`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Each, Parameter, Planted};
use crate::bus::message::{Head, Origin};
use crate::cell::Ram;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{SemaphoreMessageIn, WarpEndOut};

/// See the module documentation. Vectors are by unit of the row; unit i of row r is number r * n +
/// i of the machine, and its slot w is thread 16 * number + w.
#[derive(Default, QuietBlock)]
pub struct RowController {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Number of the row, 0 to 3; constant.
    pub row: Signal<In, Bits<4>>,
    // Launches.
    /// A thread is launched.
    pub launch_valid: Signal<In, bool>,
    /// Number of its unit.
    pub launch_unit: Signal<In, Bits<6>>,
    /// It is for this unit.
    pub unit_launch: Vec<Signal<Out, bool>>,
    // Ends.
    /// Bit w: slot w has no thread.
    pub slot_free: Vec<Signal<In, Bits<16>>>,
    /// A warp has ended.
    pub end: WarpEndOut,
    // Messages of the units.
    /// Messages of the row's units, unit i in element i.
    pub sem_msg: Each<SemaphoreMessageIn>,
    // To the bus.
    /// A message is offered.
    pub msg_valid: Signal<Out, bool>,
    /// It is taken in this cycle if valid.
    pub msg_ready: Signal<In, bool>,
    /// Receiver: the entity's acquire or release port.
    pub msg_to: Signal<Out, Bits<4>>,
    /// Kind and flags.
    pub msg_head: Signal<Out, Bits<16>>,
    /// Semaphore 15:0, thread 31:16.
    pub msg_body: Signal<Out, Bits<32>>,
    // Acknowledgements from the bus.
    /// An ACK_MSG for a thread of this row.
    pub ack_valid: Signal<In, bool>,
    /// Always.
    pub ack_ready: Signal<Out, bool>,
    /// Semaphore 15:0, thread 31:16.
    pub ack_body: Signal<In, Bits<32>>,
    /// It is for a thread of this unit.
    pub unit_ack: Vec<Signal<Out, bool>>,
    /// The thread's slot.
    pub unit_ack_warp: Signal<Out, Bits<4>>,
    /// No message is held or offered by a unit, and no end of a warp is pending.
    pub idle: Signal<Out, bool>,
    // Ends: bits of slots that have a thread; of threads whose end is still to be told; the end at
    // the port.
    taken: Vec<DFF<Bits<16>>>,
    ended: Vec<DFF<Bits<16>>>,
    end_turn: DFF<Bits<6>>,
    end_now: DFF<bool>,
    end_unit_now: DFF<Bits<6>>,
    end_warp_now: DFF<Bits<4>>,
    // Acquires: a queue of `Origin` words of `bus/message.rs`, which are the messages' bodies.
    queue: Ram,
    queue_head: DFF<Bits<12>>,
    queue_tail: DFF<Bits<12>>,
    present: DFF<bool>,
    acquire_turn: DFF<Bits<6>>,
    // Releases: one.
    release: DFF<bool>,
    release_body: DFF<Bits<32>>,
    release_turn: DFF<Bits<6>>,
    // Named intermediate values.
    first: Signal<Local, Bits<6>>,
    waiting: Vec<Signal<Local, Bits<16>>>,
    end_any: Signal<Local, bool>,
    end_any_unit: Signal<Local, Bits<6>>,
    end_after: Signal<Local, bool>,
    end_after_unit: Signal<Local, Bits<6>>,
    end_slots: Signal<Local, Bits<16>>,
    end_slot: Signal<Local, Bits<4>>,
    end_bit: Signal<Local, Bits<16>>,
    room_acquire: Signal<Local, bool>,
    acquire_any: Signal<Local, bool>,
    acquire_any_unit: Signal<Local, Bits<6>>,
    acquire_after: Signal<Local, bool>,
    acquire_after_unit: Signal<Local, Bits<6>>,
    room_release: Signal<Local, bool>,
    release_any: Signal<Local, bool>,
    release_any_unit: Signal<Local, Bits<6>>,
    release_after: Signal<Local, bool>,
    release_after_unit: Signal<Local, Bits<6>>,
    acquire_sem: Signal<Local, Bits<16>>,
    acquire_warp: Signal<Local, Bits<4>>,
    acquire_unit: Signal<Local, Bits<6>>,
    acquire_auto: Signal<Local, bool>,
    acquire_word: Signal<Local, Bits<32>>,
    release_sem: Signal<Local, Bits<16>>,
    release_warp: Signal<Local, Bits<4>>,
    release_unit: Signal<Local, Bits<6>>,
    ack_unit: Signal<Local, Bits<6>>,
    /// Units in the row, counted from its first; others are 32 and more.
    launch_place: Signal<Local, Bits<6>>,
    ack_place: Signal<Local, Bits<6>>,
    next_head: Signal<Local, Bits<12>>,
    used: Signal<Local, Bits<12>>,
    quiet: Signal<Local, bool>,
    /// Units of each row.
    units: Parameter<6>,
    /// Number of the row's first unit, if rows differ in their units; else none, and it follows
    /// from the row's number.
    own_first: Vec<Parameter<6>>,
    /// Places of the queue.
    places: Parameter<12>,
    /// Receiver numbers.
    acquire_port: Parameter<4>,
    release_port: Parameter<4>,
    fault_row_lost_end: Planted,
    fault_row_lost_acquire: Planted,
    fault_row_wrong_unit: Planted,
    _units: usize,
    _apart: bool,
    _active: bool,
}

impl RowController {
    /// The controller of the first row.
    pub fn new(config: &GpuConfig) -> Self {
        Self::of_row(config, 0)
    }

    /// The controller of that row.
    pub fn of_row(config: &GpuConfig, row: usize) -> Self {
        let n = config.row_units(row);
        let apart = (0..config.rows).any(|r| config.row_units(r) != n);
        let first = config.first_unit(row * config.cores) as u64;
        // A RAM wraps at a power of two, and so must the count of its words.
        let places = (16 * n).next_power_of_two();
        Self {
            unit_launch: vector(n),
            slot_free: vector(n),
            sem_msg: Each::new(n),
            unit_ack: vector(n),
            taken: vector(n),
            ended: vector(n),
            waiting: vector(n),
            queue: Ram::new(places),
            units: Parameter::new(n as u64),
            own_first: (0..usize::from(apart)).map(|_| Parameter::new(first)).collect(),
            _apart: apart,
            places: Parameter::new(places as u64),
            acquire_port: Parameter::new(config.rows as u64),
            release_port: Parameter::new(config.rows as u64 + 1),
            fault_row_lost_end: Planted::new(config.has(Fault::RowLostEnd)),
            fault_row_lost_acquire: Planted::new(config.has(Fault::RowLostAcquire)),
            fault_row_wrong_unit: Planted::new(config.has(Fault::RowWrongUnit)),
            _units: n,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl RowController {
    /// The row's number gives the number of its first unit.
    fn row_base(&mut self) {
        comment!("module: row_controller");
        dff_setup!(
            self,
            clock,
            end_turn,
            end_now,
            end_unit_now,
            end_warp_now,
            queue_head,
            queue_tail,
            present,
            acquire_turn,
            release,
            release_body,
            release_turn
        );
        clock!(self, clock, queue);
        // Number of the row's first unit.
        self.first.next = bits::<6>(0);
        if self.row.val() == bits::<4>(1) {
            self.first.next = self.units.val();
        }
        if self.row.val() == bits::<4>(2) {
            self.first.next = self.units.val() + self.units.val();
        }
        if self.row.val() == bits::<4>(3) {
            self.first.next = self.units.val() + self.units.val() + self.units.val();
        }
        if self._apart {
            self.first.next = self.own_first[0].val();
        }
    }

    /// Launches and acknowledgements go to their units.
    fn routing(&mut self) {
        self.ack_ready.next = true;
        self.unit_ack_warp.next = self.ack_body.val().get_value_warp();
        self.ack_unit.next = self.ack_body.val().get_value_unit();
        self.launch_place.next = self.launch_unit.val() - self.first.val();
        self.ack_place.next = self.ack_unit.val() - self.first.val();
        for i in 0..self._units {
            self.unit_launch[i].next = self.launch_valid.val() && (self.launch_place.val() == i.to_bits::<6>());
            self.unit_ack[i].next = self.ack_valid.val() && (self.ack_place.val() == i.to_bits::<6>());
        }
    }

    /// Slots that become free are noted, and the next unit with one is chosen in turn.
    fn end_choice(&mut self) {
        self.quiet.next = !self.end_now.q.val();
        self.end_any.next = false;
        self.end_any_unit.next = bits::<6>(0);
        self.end_after.next = false;
        self.end_after_unit.next = bits::<6>(0);
        for i in 0..self._units {
            self.taken[i].clock.next = self.clock.val();
            self.taken[i].d.next = !self.slot_free[i].val();
            self.ended[i].clock.next = self.clock.val();
            self.waiting[i].next = self.ended[i].q.val() | (self.slot_free[i].val() & self.taken[i].q.val());
            if self.waiting[i].val().any() {
                self.quiet.next = false;
                if !self.end_any.val() {
                    self.end_any.next = true;
                    self.end_any_unit.next = i.to_bits::<6>();
                }
                if !self.end_after.val() && (self.end_turn.q.val() < i.to_bits::<6>()) {
                    self.end_after.next = true;
                    self.end_after_unit.next = i.to_bits::<6>();
                }
            }
        }
        if self.end_after.val() {
            self.end_any_unit.next = self.end_after_unit.val();
        }
    }

    /// The lowest slot of the unit goes to the port, and its report is no longer pending.
    fn end_report(&mut self) {
        self.end_slots.next = bits::<16>(0);
        for i in 0..self._units {
            if self.end_any_unit.val() == i.to_bits::<6>() {
                self.end_slots.next = self.waiting[i].val();
            }
        }
        self.end_slot.next = bits::<4>(0);
        self.end_bit.next = bits::<16>(0);
        for w in 0..16 {
            if self.end_slots.val().get_bit(w) && !self.end_bit.val().any() {
                self.end_slot.next = w.to_bits::<4>();
                self.end_bit.next = bits::<16>(1) << w.to_bits::<4>();
            }
        }
        for i in 0..self._units {
            self.ended[i].d.next = self.waiting[i].val();
            if self.end_any_unit.val() == i.to_bits::<6>() {
                self.ended[i].d.next = self.waiting[i].val() & !self.end_bit.val();
                if self.fault_row_lost_end.val() {
                    // Of two ends together one is lost.
                    self.ended[i].d.next = bits::<16>(0);
                }
            }
        }
        self.end_now.d.next = self.end_any.val();
        if self.end_any.val() {
            self.end_turn.d.next = self.end_any_unit.val();
            self.end_unit_now.d.next = self.first.val() + self.end_any_unit.val();
            self.end_warp_now.d.next = self.end_slot.val();
        }
        self.end.valid.next = self.end_now.q.val();
        self.end.unit.next = self.end_unit_now.q.val();
        self.end.warp.next = self.end_warp_now.q.val();
    }

    /// The next acquire and the next release are chosen, units in turn.
    fn arbitration(&mut self) {
        self.used.next = self.queue_tail.q.val() - self.queue_head.q.val();
        self.room_acquire.next = self.used.val() != self.places.val();
        self.room_release.next = !self.release.q.val() || self.msg_ready.val();
        self.acquire_any.next = false;
        self.acquire_any_unit.next = bits::<6>(0);
        self.acquire_after.next = false;
        self.acquire_after_unit.next = bits::<6>(0);
        self.release_any.next = false;
        self.release_any_unit.next = bits::<6>(0);
        self.release_after.next = false;
        self.release_after_unit.next = bits::<6>(0);
        for i in 0..self._units {
            if self.sem_msg[i].valid.val() {
                self.quiet.next = false;
                if self.sem_msg[i].kind.val() == bits::<2>(3) {
                    if !self.release_any.val() {
                        self.release_any.next = true;
                        self.release_any_unit.next = i.to_bits::<6>();
                    }
                    if !self.release_after.val() && (self.release_turn.q.val() < i.to_bits::<6>()) {
                        self.release_after.next = true;
                        self.release_after_unit.next = i.to_bits::<6>();
                    }
                } else {
                    if !self.acquire_any.val() {
                        self.acquire_any.next = true;
                        self.acquire_any_unit.next = i.to_bits::<6>();
                    }
                    if !self.acquire_after.val() && (self.acquire_turn.q.val() < i.to_bits::<6>()) {
                        self.acquire_after.next = true;
                        self.acquire_after_unit.next = i.to_bits::<6>();
                    }
                }
            }
        }
        if self.acquire_after.val() {
            self.acquire_any_unit.next = self.acquire_after_unit.val();
        }
        if self.release_after.val() {
            self.release_any_unit.next = self.release_after_unit.val();
        }
        if self.acquire_any.val() && self.room_acquire.val() {
            self.acquire_turn.d.next = self.acquire_any_unit.val();
        }
        if self.release_any.val() && self.room_release.val() {
            self.release_turn.d.next = self.release_any_unit.val();
        }
    }

    /// A message that was sent leaves, a release before acquires.
    fn queue_head(&mut self) {
        if self.msg_ready.val() {
            self.release.d.next = false;
        }
        self.next_head.next = self.queue_head.q.val();
        if self.present.q.val() && self.msg_ready.val() && !self.release.q.val() {
            self.next_head.next = self.queue_head.q.val() + bits::<12>(1);
        }
        if self.fault_row_lost_acquire.val() && self.present.q.val() && self.msg_ready.val() {
            // A release that passes an acquire takes it along.
            self.next_head.next = self.queue_head.q.val() + bits::<12>(1);
        }
    }

    /// The acquire goes into the queue, the release into its register.
    fn intake(&mut self) {
        self.acquire_sem.next = bits::<16>(0);
        self.acquire_warp.next = bits::<4>(0);
        self.acquire_auto.next = false;
        self.release_sem.next = bits::<16>(0);
        self.release_warp.next = bits::<4>(0);
        for i in 0..self._units {
            self.sem_msg[i].ready.next = false;
            if self.sem_msg[i].kind.val() == bits::<2>(3) {
                if self.release_any_unit.val() == i.to_bits::<6>() {
                    self.sem_msg[i].ready.next = self.room_release.val();
                    self.release_sem.next = self.sem_msg[i].sem.val();
                    self.release_warp.next = self.sem_msg[i].warp.val();
                }
            } else if self.acquire_any_unit.val() == i.to_bits::<6>() {
                self.sem_msg[i].ready.next = self.room_acquire.val();
                self.acquire_sem.next = self.sem_msg[i].sem.val();
                self.acquire_warp.next = self.sem_msg[i].warp.val();
                self.acquire_auto.next = self.sem_msg[i].kind.val().get_bit(0);
            }
        }
        self.release_unit.next = self.first.val() + self.release_any_unit.val();
        if self.release_any.val() && self.room_release.val() {
            self.release.d.next = true;
            self.release_body.d.next = bits::<32>(0);
            self.release_body.d.next.set_value_sem(self.release_sem.val());
            self.release_body.d.next.set_value_warp(self.release_warp.val());
            self.release_body.d.next.set_value_unit(self.release_unit.val());
        }
        self.acquire_unit.next = self.first.val() + self.acquire_any_unit.val();
        if self.fault_row_wrong_unit.val() {
            // The unit's number in the row for that in the machine.
            self.acquire_unit.next = self.acquire_any_unit.val();
        }
        self.acquire_word.next = bits::<32>(0);
        self.acquire_word.next.set_value_sem(self.acquire_sem.val());
        self.acquire_word.next.set_value_warp(self.acquire_warp.val());
        self.acquire_word.next.set_value_unit(self.acquire_unit.val());
        self.acquire_word.next.set_value_queued_auto(self.acquire_auto.val());
        self.queue.write_address.next = self.queue_tail.q.val();
        self.queue.write_data.next = self.acquire_word.val();
        self.queue.write_enable.next = self.acquire_any.val() && self.room_acquire.val();
        if self.acquire_any.val() && self.room_acquire.val() {
            self.queue_tail.d.next = self.queue_tail.q.val() + bits::<12>(1);
        }
    }

    /// A release is offered before the oldest acquire.
    fn offer(&mut self) {
        self.queue_head.d.next = self.next_head.val();
        // A word is read in the cycle after its write at the earliest, so the old word is never
        // seen.
        self.queue.read_address.next = self.next_head.val();
        self.present.d.next = self.next_head.val() != self.queue_tail.q.val();
        self.msg_valid.next = self.release.q.val() || self.present.q.val();
        self.msg_to.next = self.acquire_port.val();
        // ACQ_MSG.
        self.msg_head.next = bits::<16>(0);
        self.msg_head.next.set_value_auto(self.queue.read_data.val().get_value_queued_auto());
        self.msg_body.next = bits::<32>(0);
        self.msg_body.next.set_value_sem(self.queue.read_data.val().get_value_sem());
        self.msg_body.next.set_value_warp(self.queue.read_data.val().get_value_warp());
        self.msg_body.next.set_value_unit(self.queue.read_data.val().get_value_unit());
        if self.release.q.val() {
            self.msg_to.next = self.release_port.val();
            // REL_MSG.
            self.msg_head.next = bits::<16>(0);
            self.msg_head.next.set_value_message(bits::<2>(1));
            self.msg_body.next = self.release_body.q.val();
        }
        self.idle.next = self.quiet.val() && !self.release.q.val() && (self.used.val() == bits::<12>(0));
    }
}
