//! Chooses the warp that issues: round robin over the warps that can, so a warp that cannot issue costs nothing.
//!
//! The choice is registered. A warp chosen in this cycle still looks ready in the next one (its buffer empties at the end of that), so the
//! choice of the last cycle is left out. Latency 1 cycle, one choice per cycle. Fair: after a choice every other ready warp comes before the same one again.

use rust_hdl::prelude::*;

use crate::quiet_block;

/// Round-robin arbiter with registered result.
#[derive(Default)]
pub struct Scheduler {
    pub clock: Signal<In, Clock>,
    /// Warps that can issue.
    pub ready: Signal<In, Bits<16>>,
    /// Choose nothing in this cycle.
    pub hold: Signal<In, bool>,
    pub valid: Signal<Out, bool>,
    pub warp: Signal<Out, Bits<4>>,
    chosen: DFF<bool>,
    last: DFF<Bits<4>>,
    candidates: Signal<Local, Bits<16>>,
    above: Signal<Local, bool>,
    any: Signal<Local, bool>,
    pick_above: Signal<Local, Bits<4>>,
    pick: Signal<Local, Bits<4>>,
    _warps: usize,
    _active: bool,
}

quiet_block!(Scheduler {
    inputs: clock, ready, hold;
    inner: valid, warp, chosen, last, candidates, above, any, pick_above, pick
});

impl Scheduler {
    pub fn new(warps: usize) -> Self {
        Self { _warps: warps, _active: true, ..Default::default() }
    }
}

impl Logic for Scheduler {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, chosen, last);
        self.candidates.next = self.ready.val();
        if self.chosen.q.val() {
            self.candidates.next = self.ready.val() & !(bits::<16>(1) << self.last.q.val());
        }
        self.above.next = false;
        self.any.next = false;
        self.pick_above.next = bits::<4>(0);
        self.pick.next = bits::<4>(0);
        for i in 0..self._warps {
            if self.candidates.val().get_bit(i) {
                if !self.above.val() && (self.last.q.val() < i.to_bits::<4>()) {
                    self.above.next = true;
                    self.pick_above.next = i.to_bits::<4>();
                }
                if !self.any.val() {
                    self.any.next = true;
                    self.pick.next = i.to_bits::<4>();
                }
            }
        }
        self.chosen.d.next = false;
        if self.any.val() && !self.hold.val() {
            self.chosen.d.next = true;
            self.last.d.next = self.pick.val();
            if self.above.val() {
                self.last.d.next = self.pick_above.val();
            }
        }
        self.valid.next = self.chosen.q.val();
        self.warp.next = self.last.q.val();
    }
}
