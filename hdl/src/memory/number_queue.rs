//! Numbers in order of arrival: free places of a store, or places that are done with. It begins
//! with the numbers from 0 on, as many as it is built with, which are counted and not stored.
//! Behind them come the numbers that are put in.
//!
//! The ring is a synchronous RAM, so that thousands of numbers cost no logic. The oldest number is
//! read one cycle ahead; one that is put in while the ring is empty goes past the RAM. So a number
//! is there in the cycle after it was put in, as if the RAM were read at once. One in and one out
//! per cycle. Who puts a number in knows that there is room: a store has no more numbers than
//! places.
//!
//! It can be wrong in a number that is put in while the last one is taken; `tests/number_queue.rs`
//! does that, and wraps the ring.
//!
//! Planted fault: `number-stale`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{Parameter, Planted};
use crate::cell::DeepRam;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct NumberQueue {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A number is put in.
    pub put: Signal<In, bool>,
    /// It.
    pub put_number: Signal<In, Bits<32>>,
    /// There is a number.
    pub valid: Signal<Out, bool>,
    /// The oldest one.
    pub number: Signal<Out, Bits<32>>,
    /// It is taken; never without `valid`.
    pub take: Signal<In, bool>,
    memory: DeepRam,
    fresh: DFF<Bits<13>>,
    head: DFF<Bits<13>>,
    tail: DFF<Bits<13>>,
    /// The oldest number was put in a cycle ago, when the RAM was read for it.
    passes: DFF<bool>,
    passed: DFF<Bits<32>>,
    limit: Parameter<13>,
    counts: Signal<Local, bool>,
    next_head: Signal<Local, Bits<13>>,
    fault_number_stale: Planted,
    _active: bool,
}

impl NumberQueue {
    /// A queue of `places` numbers of `width` bits, at most 4,096 and 32; it begins with the
    /// numbers below `first`.
    pub fn new(config: &GpuConfig, places: usize, width: usize, first: usize) -> Self {
        Self {
            memory: DeepRam::new(places, width),
            limit: Parameter::new(first as u64),
            fault_number_stale: Planted::new(config.has(Fault::NumberStale)),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for NumberQueue {
    #[kernel]
    fn update(&mut self) {
        comment!("module: number_queue");
        dff_setup!(self, clock, fresh, head, tail, passes, passed);
        clock!(self, clock, memory);
        self.counts.next = self.fresh.q.val() != self.limit.val();
        self.valid.next = self.counts.val() || (self.head.q.val() != self.tail.q.val());
        self.number.next = self.memory.read_data.val().get_bits::<32>(0);
        if self.passes.q.val() && !self.fault_number_stale.val() {
            self.number.next = self.passed.q.val();
        }
        if self.counts.val() {
            self.number.next = bit_cast::<32, 13>(self.fresh.q.val());
        }
        self.next_head.next = self.head.q.val();
        if self.take.val() {
            if self.counts.val() {
                self.fresh.d.next = self.fresh.q.val() + bits::<13>(1);
            } else {
                self.next_head.next = self.head.q.val() + bits::<13>(1);
            }
        }
        self.head.d.next = self.next_head.val();
        self.memory.read_address.next = self.next_head.val();
        self.memory.write_enable.next = self.put.val();
        self.memory.write_address.next = self.tail.q.val();
        self.memory.write_data.next = bit_cast::<64, 32>(self.put_number.val());
        if self.put.val() {
            self.tail.d.next = self.tail.q.val() + bits::<13>(1);
        }
        self.passes.d.next = self.put.val() && (self.tail.q.val() == self.next_head.val());
        self.passed.d.next = self.put_number.val();
    }
}
