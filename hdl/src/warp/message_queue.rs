//! Queue of messages to the semaphore entity, from the operand stage of a warp unit to its row
//! controller: kind, warp slot and semaphore of each ACS, ASR and RLS (SE-30 to SE-33).
//!
//! A ring of [`DEPTH`] entries in LUT RAM behind an output register; a message that finds the queue
//! empty goes into the register at once. `credit` is taken from the number of instructions between
//! issue and hand-over, so nothing is ever pushed into a full ring: it is withdrawn with
//! [`DEPTH`] - 2 outstanding, because the choice of the last cycle and that of this one are not
//! counted yet.
//!
//! Latency 1 cycle from `push` to `valid`, one message per cycle, in order. `valid` and the fields
//! are registers and hold until `ready`. It can be wrong where a push meets a hand-over: in the
//! same cycle the register is refilled from the ring, or from the push if the ring is empty, never
//! the one past the other.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::words::Message;
use crate::base::Planted;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::memory::LutRam;

/// Entries of the ring.
pub const DEPTH: usize = 16;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct MessageQueue {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    // Issue.
    /// An instruction that will push a message issues.
    pub issue: Signal<In, bool>,
    /// There is room for another instruction.
    pub credit: Signal<Out, bool>,
    // Operand stage.
    /// A message arrives.
    pub push: Signal<In, bool>,
    /// Opcode bits 1:0 of the instruction: 0 ACS, 1 ASR, 3 RLS.
    pub push_kind: Signal<In, Bits<2>>,
    /// Its thread's warp slot.
    pub push_warp: Signal<In, Bits<4>>,
    /// Its semaphore.
    pub push_sem: Signal<In, Bits<16>>,
    // Message.
    /// A message is at the output.
    pub valid: Signal<Out, bool>,
    /// It is taken in this cycle if valid.
    pub ready: Signal<In, bool>,
    /// As `push_kind`.
    pub kind: Signal<Out, Bits<2>>,
    /// Warp slot that sends it.
    pub warp: Signal<Out, Bits<4>>,
    /// Semaphore (the full word names a class in SystemVerilog).
    pub sem: Signal<Out, Bits<16>>,
    ring: LutRam,
    head: DFF<Bits<4>>,
    /// Entries in the ring, the output register not counted.
    used: DFF<Bits<5>>,
    outstanding: DFF<Bits<5>>,
    present: DFF<bool>,
    /// Semaphore 15:0, warp 19:16, kind 21:20.
    out: DFF<Bits<22>>,
    word: Signal<Local, Bits<22>>,
    /// `used` modulo [`DEPTH`].
    behind: Signal<Local, Bits<4>>,
    /// The output register can take another message.
    open: Signal<Local, bool>,
    through: Signal<Local, bool>,
    refill: Signal<Local, bool>,
    store: Signal<Local, bool>,
    sent: Signal<Local, bool>,
    fault_message_overflow: Planted,
    _active: bool,
}

impl MessageQueue {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            fault_message_overflow: Planted::new(config.has(Fault::MessageOverflow)),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for MessageQueue {
    #[kernel]
    fn update(&mut self) {
        comment!("module: message_queue");
        dff_setup!(self, clock, head, used, outstanding, present, out);
        clock!(self, clock, ring);
        self.word.next = bits::<22>(0);
        self.word.next.set_value_sem(self.push_sem.val());
        self.word.next.set_value_warp(self.push_warp.val());
        self.word.next.set_value_message_kind(self.push_kind.val());
        self.sent.next = self.present.q.val() && self.ready.val();
        self.open.next = !self.present.q.val() || self.ready.val();
        self.refill.next = self.open.val() && self.used.q.val().any();
        self.through.next = self.push.val() && self.open.val() && !self.used.q.val().any();
        self.store.next = self.push.val() && !self.through.val();
        self.ring.write_enable.next = self.store.val();
        self.behind.next = self.used.q.val().get_bits::<4>(0);
        self.ring.write_address.next = self.head.q.val() + self.behind.val();
        self.ring.write_data.next = bit_cast::<32, 22>(self.word.val());
        self.ring.read_address.next = self.head.q.val();
        if self.open.val() {
            self.present.d.next = self.refill.val() || self.through.val();
        }
        if self.through.val() {
            self.out.d.next = self.word.val();
        }
        if self.refill.val() {
            self.out.d.next = bit_cast::<22, 32>(self.ring.read_data.val());
            self.head.d.next = self.head.q.val() + bits::<4>(1);
        }
        if self.store.val() && !self.refill.val() {
            self.used.d.next = self.used.q.val() + bits::<5>(1);
        }
        if !self.store.val() && self.refill.val() {
            self.used.d.next = self.used.q.val() - bits::<5>(1);
        }
        if self.issue.val() && !self.sent.val() {
            self.outstanding.d.next = self.outstanding.q.val() + bits::<5>(1);
        }
        if !self.issue.val() && self.sent.val() {
            self.outstanding.d.next = self.outstanding.q.val() - bits::<5>(1);
        }
        self.credit.next = self.outstanding.q.val() < bits::<5>(14);
        if self.fault_message_overflow.val() {
            self.credit.next = true;
        }
        self.valid.next = self.present.q.val();
        self.sem.next = self.out.q.val().get_value_sem();
        self.warp.next = self.out.q.val().get_value_warp();
        self.kind.next = self.out.q.val().get_value_message_kind();
    }
}
