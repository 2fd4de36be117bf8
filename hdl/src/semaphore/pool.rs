//! The free list of the semaphore entity's buffer pool (`SE-10`): which entries no list uses.
//!
//! Entries that were never used are handed out by counting, returned ones through a ring in RAM, so
//! nothing has to be written before the first use. One entry can be taken and one returned in a
//! cycle. `entry` is valid in the cycle of `take`. A returned entry can be taken three cycles
//! later; `free` counts it one cycle after its return, so whoever takes must need two cycles or
//! more from seeing `free` to `take`, as the entity's pipeline does.
//!
//! It can be wrong by giving one entry twice: that needs `take` without a free one, which is the
//! requester's contract.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Parameter;
use crate::cell::Ram;
use crate::comment;
use crate::config::SemaphoreConfig;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct EntryPool {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// All entries become free.
    pub clear: Signal<In, bool>,
    /// The entry at `entry` is taken.
    pub take: Signal<In, bool>,
    /// A free entry, if `free` was not 0 two cycles ago.
    pub entry: Signal<Out, Bits<12>>,
    /// An entry is returned.
    pub give: Signal<In, bool>,
    /// The entry returned.
    pub give_entry: Signal<In, Bits<12>>,
    /// Free entries.
    pub free: Signal<Out, Bits<13>>,
    ring: Ram,
    /// Entries handed out for the first time.
    fresh: DFF<Bits<13>>,
    /// Entries not free.
    used: DFF<Bits<13>>,
    head: DFF<Bits<12>>,
    tail: DFF<Bits<12>>,
    all_fresh: Signal<Local, bool>,
    /// The same for the parts that depend on `take`. With one signal for both the kernel does not
    /// fall apart into what goes to `entry` and what comes from `take`, and a simulator that looks
    /// at whole processes sees a loop through the block around.
    ring_serves: Signal<Local, bool>,
    next_head: Signal<Local, Bits<12>>,
    size: Parameter<13>,
    _active: bool,
}

impl EntryPool {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &SemaphoreConfig) -> Self {
        Self {
            ring: Ram::new(config.pool),
            size: Parameter::new(config.pool as u64),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for EntryPool {
    #[kernel]
    fn update(&mut self) {
        comment!("module: entry_pool");
        dff_setup!(self, clock, fresh, used, head, tail);
        clock!(self, clock, ring);
        self.all_fresh.next = self.fresh.q.val() == self.size.val();
        self.free.next = self.size.val() - self.used.q.val();
        self.entry.next = bit_cast::<12, 13>(self.fresh.q.val());
        if self.all_fresh.val() {
            self.entry.next = bit_cast::<12, 32>(self.ring.read_data.val());
        }
        self.ring_serves.next = self.fresh.q.val() == self.size.val();
        // The RAM wraps at its depth, so the pointers may run on.
        self.next_head.next = self.head.q.val();
        if self.take.val() && self.ring_serves.val() {
            self.next_head.next = self.head.q.val() + bits::<12>(1);
        }
        self.head.d.next = self.next_head.val();
        self.ring.read_address.next = self.next_head.val();
        self.ring.write_address.next = self.tail.q.val();
        self.ring.write_data.next = bit_cast::<32, 12>(self.give_entry.val());
        self.ring.write_enable.next = self.give.val();
        if self.take.val() && !self.ring_serves.val() {
            self.fresh.d.next = self.fresh.q.val() + bits::<13>(1);
        }
        if self.give.val() {
            self.tail.d.next = self.tail.q.val() + bits::<12>(1);
        }
        if self.take.val() && !self.give.val() {
            self.used.d.next = self.used.q.val() + bits::<13>(1);
        }
        if !self.take.val() && self.give.val() {
            self.used.d.next = self.used.q.val() - bits::<13>(1);
        }
        if self.clear.val() {
            self.fresh.d.next = bits::<13>(0);
            self.used.d.next = bits::<13>(0);
            self.head.d.next = bits::<12>(0);
            self.tail.d.next = bits::<12>(0);
        }
    }
}
