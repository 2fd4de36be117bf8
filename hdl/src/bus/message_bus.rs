//! The message bus (`SE-2`): takes a message from any sender to any receiver, a sender number with
//! it. As a crossbar every receiver can be given a message per cycle, as a shared bus one of them.
//!
//! Latency one cycle: a message taken in cycle 0 is at its receiver's port in cycle 1, from a
//! register per receiver. Throughput one message per cycle and receiver (crossbar) or one per cycle
//! in all (shared); a sender alone has all of it. A receiver that stalls holds back the messages to
//! itself only: others pass, also on the shared bus.
//!
//! Arbitration is round robin in the form "least recently served first": all senders stand in one
//! order, and those that are served go behind all others. Among the messages that could go in a
//! cycle and exclude each other (same receiver; shared: any two) the sender that stands first wins.
//! Who waits is never moved back, and who wins over it stands behind it from then on. **Bound: a
//! message waits for at most `senders - 1` others to its receiver (shared: of all), counted in the
//! cycles in which its receiver could take it.** A pointer per bus would not do: with receivers
//! that stall in step with it, a sender can be passed over for ever.
//!
//! Messages of one sender to one receiver stay in order, because each is taken into the receiver's
//! only register. A sender may replace a message that was not yet taken. A message to a receiver
//! that does not exist is never taken. It can be wrong where two messages are taken into one
//! register, or where the order loses its antisymmetry (then nobody wins, or both). Planted faults:
//! `bus-drop`, `bus-duplicate`, `bus-reorder`, `bus-unfair`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Parameter, Planted};
use crate::comment;
use crate::config::BusKind;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// The most senders or receivers.
pub const MOST: usize = 16;

/// See the module documentation. All vectors are by sender (`in_*`) or by receiver (`out_*`).
#[derive(Default, QuietBlock)]
pub struct MessageBus {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A message is offered.
    pub in_valid: Vec<Signal<In, bool>>,
    /// It is taken in this cycle if valid.
    pub in_ready: Vec<Signal<Out, bool>>,
    /// Its receiver.
    pub in_to: Vec<Signal<In, Bits<4>>>,
    /// Kind and flags: `Head` of `message.rs`.
    pub in_head: Vec<Signal<In, Bits<16>>>,
    /// Semaphore and thread: `Body` of `message.rs`.
    pub in_body: Vec<Signal<In, Bits<32>>>,
    /// A message is there.
    pub out_valid: Vec<Signal<Out, bool>>,
    /// It is taken in this cycle if valid.
    pub out_ready: Vec<Signal<In, bool>>,
    /// Its sender.
    pub out_from: Vec<Signal<Out, Bits<4>>>,
    /// Kind and flags: `Head` of `message.rs`.
    pub out_head: Vec<Signal<Out, Bits<16>>>,
    /// Semaphore and thread: `Body` of `message.rs`.
    pub out_body: Vec<Signal<Out, Bits<32>>>,
    /// No message is inside.
    pub idle: Signal<Out, bool>,
    // The register of each receiver.
    full: Vec<DFF<bool>>,
    from: Vec<DFF<Bits<4>>>,
    head: Vec<DFF<Bits<16>>>,
    body: Vec<DFF<Bits<32>>>,
    /// By sender: bit t: sender t stands before it; as the difference from the order of numbers, in
    /// which they stand after power-up.
    order: Vec<DFF<Bits<16>>>,
    /// The same as it is.
    before: Vec<Signal<Local, Bits<16>>>,
    /// By receiver: its register can take a message; the senders that have one for it; one of them
    /// wins.
    room: Vec<Signal<Local, bool>>,
    asking: Vec<Signal<Local, Bits<16>>>,
    arrives: Vec<Signal<Local, bool>>,
    /// By sender: its message could go; the senders that it competes with, itself too; it wins.
    could: Vec<Signal<Local, bool>>,
    rivals: Vec<Signal<Local, Bits<16>>>,
    wins: Vec<Signal<Local, bool>>,
    all_asking: Signal<Local, Bits<16>>,
    winners: Signal<Local, Bits<16>>,
    /// By sender: the senders of smaller number.
    smaller: Vec<Parameter<16>>,
    everyone: Parameter<16>,
    shared: Parameter<1>,
    fault_bus_drop: Planted,
    fault_bus_duplicate: Planted,
    fault_bus_reorder: Planted,
    fault_bus_unfair: Planted,
    _senders: usize,
    _receivers: usize,
    _active: bool,
}

impl MessageBus {
    /// A bus of 2 to 16 senders and 2 to 16 receivers.
    pub fn new(senders: usize, receivers: usize, kind: BusKind) -> Self {
        Self::with_fault(senders, receivers, kind, None)
    }

    /// The bus of a machine: senders are the row controllers, the thread dispatcher and the
    /// semaphore entity; receivers are the row controllers, the entity's acquire port and its
    /// release port.
    pub fn of(config: &GpuConfig) -> Self {
        Self::with_fault(config.rows + 2, config.rows + 2, config.bus, config.fault)
    }

    /// [`MessageBus::new`] with a planted fault.
    pub fn with_fault(senders: usize, receivers: usize, kind: BusKind, fault: Option<Fault>) -> Self {
        assert!((2..=MOST).contains(&senders) && (2..=MOST).contains(&receivers), "2 to {MOST} senders and receivers");
        Self {
            in_valid: vector(senders),
            in_ready: vector(senders),
            in_to: vector(senders),
            in_head: vector(senders),
            in_body: vector(senders),
            out_valid: vector(receivers),
            out_ready: vector(receivers),
            out_from: vector(receivers),
            out_head: vector(receivers),
            out_body: vector(receivers),
            full: vector(receivers),
            from: vector(receivers),
            head: vector(receivers),
            body: vector(receivers),
            order: vector(senders),
            before: vector(senders),
            room: vector(receivers),
            asking: vector(receivers),
            arrives: vector(receivers),
            could: vector(senders),
            rivals: vector(senders),
            wins: vector(senders),
            smaller: (0..senders).map(|s| Parameter::new((1 << s) - 1)).collect(),
            everyone: Parameter::new((1 << senders) - 1),
            shared: Parameter::new(u64::from(kind == BusKind::Shared)),
            fault_bus_drop: Planted::new(fault == Some(Fault::BusDrop)),
            fault_bus_duplicate: Planted::new(fault == Some(Fault::BusDuplicate)),
            fault_bus_reorder: Planted::new(fault == Some(Fault::BusReorder)),
            fault_bus_unfair: Planted::new(fault == Some(Fault::BusUnfair)),
            _senders: senders,
            _receivers: receivers,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl MessageBus {
    /// All registers get the clock; those of receivers keep their messages.
    fn registers(&mut self) {
        comment!("module: message_bus");
        for r in 0..self._receivers {
            dff_setup!(self, clock, full[r], from[r], head[r], body[r]);
        }
        for s in 0..self._senders {
            self.order[s].clock.next = self.clock.val();
        }
    }

    /// A sender asks for its receiver if that has room.
    fn requests(&mut self) {
        // Who asks for which receiver that has room.
        self.all_asking.next = bits::<16>(0);
        for r in 0..self._receivers {
            self.room[r].next = !self.full[r].q.val() || self.out_ready[r].val();
            self.asking[r].next = bits::<16>(0);
            self.arrives[r].next = false;
        }
        for s in 0..self._senders {
            self.could[s].next = false;
            for r in 0..self._receivers {
                if self.in_valid[s].val() && (self.in_to[s].val() == r.to_bits::<4>()) && self.room[r].val() {
                    self.could[s].next = true;
                    self.asking[r].next = self.asking[r].val() | (bits::<16>(1) << s.to_bits::<4>());
                    self.all_asking.next = self.all_asking.val() | (bits::<16>(1) << s.to_bits::<4>());
                }
            }
        }
    }

    /// Who stands before all its rivals wins, and goes behind all others.
    fn arbitration(&mut self) {
        // Who wins: nobody that it competes with stands before it.
        self.winners.next = bits::<16>(0);
        for s in 0..self._senders {
            self.before[s].next = self.order[s].q.val() ^ self.smaller[s].val();
            if self.fault_bus_unfair.val() {
                self.before[s].next = self.smaller[s].val();
            }
            self.rivals[s].next = self.all_asking.val();
            if self.shared.val() == bits::<1>(0) {
                for r in 0..self._receivers {
                    if self.in_to[s].val() == r.to_bits::<4>() {
                        self.rivals[s].next = self.asking[r].val();
                    }
                }
            }
            self.wins[s].next = self.could[s].val() && !(self.before[s].val() & self.rivals[s].val()).any();
            self.in_ready[s].next = self.wins[s].val();
            if self.wins[s].val() {
                self.winners.next = self.winners.val() | (bits::<16>(1) << s.to_bits::<4>());
            }
        }
        // Those that are served go behind all others and keep their places among themselves.
        for s in 0..self._senders {
            self.order[s].d.next = (self.before[s].val() & !self.winners.val()) ^ self.smaller[s].val();
            if self.wins[s].val() {
                self.order[s].d.next =
                    (self.before[s].val() | (self.everyone.val() & !self.winners.val())) ^ self.smaller[s].val();
            }
        }
    }

    /// A receiver's register shows its message, and takes that of the winner.
    fn delivery(&mut self) {
        // The registers.
        self.idle.next = true;
        for r in 0..self._receivers {
            self.out_valid[r].next = self.full[r].q.val();
            self.out_from[r].next = self.from[r].q.val();
            self.out_head[r].next = self.head[r].q.val();
            self.out_body[r].next = self.body[r].q.val();
            if self.full[r].q.val() {
                self.idle.next = false;
            }
            if self.out_ready[r].val() {
                self.full[r].d.next = false;
            }
            for s in 0..self._senders {
                if self.wins[s].val() && (self.in_to[s].val() == r.to_bits::<4>()) {
                    self.arrives[r].next = true;
                    self.full[r].d.next = true;
                    if self.fault_bus_reorder.val() && self.full[r].q.val() {
                        // The message that arrives overtakes the one in the register.
                        self.out_from[r].next = s.to_bits::<4>();
                        self.out_head[r].next = self.in_head[s].val();
                        self.out_body[r].next = self.in_body[s].val();
                    } else {
                        self.from[r].d.next = s.to_bits::<4>();
                        self.head[r].d.next = self.in_head[s].val();
                        self.body[r].d.next = self.in_body[s].val();
                    }
                }
            }
            if self.fault_bus_drop.val() && self.arrives[r].val() && self.full[r].q.val() {
                // A message that arrives as another leaves is lost.
                self.full[r].d.next = false;
            }
            if self.fault_bus_duplicate.val() && self.full[r].q.val() && !self.arrives[r].val() {
                // A message stays after it was taken.
                self.full[r].d.next = true;
            }
        }
    }
}
