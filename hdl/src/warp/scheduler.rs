//! Chooses the warp that issues: round robin over the warps that can, so a warp that cannot issue costs nothing. Warps that have just been given a semaphore come
//! first, once each, so that a hand-over does not wait for a full unit.
//!
//! The choice is registered. A warp chosen in this cycle still looks ready in the next one (its buffer empties at the end of that), so the
//! choice of the last cycle is left out. Latency 1 cycle, one choice per cycle. Fair: after a choice every other ready warp comes before the same one again;
//! a woken warp is preferred for one instruction only.

use rust_hdl::prelude::*;

use crate::{comment, quiet_block};

/// Round-robin arbiter with registered result.
#[derive(Default)]
pub struct Scheduler {
    pub clock: Signal<In, Clock>,
    /// Warps that can issue.
    pub ready: Signal<In, Bits<16>>,
    /// Warps that come first if they can issue.
    pub woken: Signal<In, Bits<16>>,
    /// Choose nothing in this cycle.
    pub hold: Signal<In, bool>,
    /// A warp was chosen (registered).
    pub valid: Signal<Out, bool>,
    /// Slot of that warp.
    pub warp: Signal<Out, Bits<4>>,
    chosen: DFF<bool>,
    last: DFF<Bits<4>>,
    candidates: Signal<Local, Bits<16>>,
    /// Candidates behind the last choice: they come first.
    above: Signal<Local, Bits<16>>,
    any: Signal<Local, bool>,
    pick: Signal<Local, Bits<4>>,
    _warps: usize,
    _active: bool,
}

quiet_block!(Scheduler {
    inputs: clock, ready, woken, hold;
    inner: valid, warp, chosen, last, candidates, above, any, pick
});

impl Scheduler {
    pub fn new(warps: usize) -> Self {
        Self { _warps: warps, _active: true, ..Default::default() }
    }
}

impl Logic for Scheduler {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: warp_scheduler");
        dff_setup!(self, clock, chosen, last);
        self.candidates.next = self.ready.val();
        if self.chosen.q.val() {
            self.candidates.next = self.ready.val() & !(bits::<16>(1) << self.last.q.val());
        }
        if (self.candidates.val() & self.woken.val()).any() {
            self.candidates.next = self.candidates.val() & self.woken.val();
        }
        self.above.next = self.candidates.val() & (bits::<16>(0xFFFE) << self.last.q.val());
        if self.above.val().any() {
            self.candidates.next = self.above.val();
        }
        self.any.next = false;
        self.pick.next = bits::<4>(0);
        for i in 0..self._warps {
            if !self.any.val() && self.candidates.val().get_bit(i) {
                self.any.next = true;
                self.pick.next = i.to_bits::<4>();
            }
        }
        self.chosen.d.next = false;
        if self.any.val() && !self.hold.val() {
            self.chosen.d.next = true;
            self.last.d.next = self.pick.val();
        }
        self.valid.next = self.chosen.q.val();
        self.warp.next = self.last.q.val();
    }
}
