//! Chooses the warp that issues: round robin over the warps that can, so a warp that cannot issue
//! costs nothing. Warps that have just been given a semaphore come first, once each, so that a
//! hand-over does not wait for a full unit.
//!
//! The choice is registered. A warp chosen in this cycle still looks ready in the next one (its
//! buffer empties at the end of that), so the choice of the last cycle is left out. Latency 1
//! cycle, one choice per cycle. Fair: after a choice every other ready warp comes before the same
//! one again; a woken warp is preferred for one instruction only.
//!
//! In a cycle without a chosen warp it says why (`stall`, zero unless `trace`).

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::words::Stall;
use crate::base::Parameter;
use crate::comment;
use crate::config::GpuConfig;
use crate::ports::SlotStatesIn;

/// Round-robin arbiter with registered result.
#[derive(Default, QuietBlock)]
pub struct Scheduler {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// What the scheduler chooses from, one bit for each slot.
    pub slot_ports: SlotStatesIn,
    /// Choose nothing in this cycle.
    pub hold: Signal<In, bool>,
    /// A warp was chosen (registered).
    pub valid: Signal<Out, bool>,
    /// Slot of that warp.
    pub warp: Signal<Out, Bits<4>>,
    /// Why no warp was chosen, a `Stall`.
    pub stall: Signal<Out, Bits<5>>,
    chosen: DFF<bool>,
    last: DFF<Bits<4>>,
    /// The last choice was put off.
    held: DFF<bool>,
    /// When it was made every running warp waited for a semaphore.
    all_waited: DFF<bool>,
    /// Running warps that wait for no semaphore.
    awake: Signal<Local, Bits<16>>,
    /// Ready warps but the one that issued last; those that have just woken, if any.
    unissued: Signal<Local, Bits<16>>,
    candidates: Signal<Local, Bits<16>>,
    /// Candidates behind the last choice: they come first.
    above: Signal<Local, Bits<16>>,
    /// Those, or all if there are none.
    first_candidates: Signal<Local, Bits<16>>,
    any: Signal<Local, bool>,
    pick: Signal<Local, Bits<4>>,
    trace: Parameter<1>,
    _warps: usize,
    _active: bool,
}

impl Scheduler {
    /// The scheduler of that configuration (its warps and tracing matter here).
    pub fn new(config: &GpuConfig) -> Self {
        let trace = Parameter::new(u64::from(config.trace));
        Self { trace, _warps: config.warps, _active: true, ..Default::default() }
    }
}

impl Logic for Scheduler {
    #[kernel]
    fn update(&mut self) {
        comment!("module: warp_scheduler");
        dff_setup!(self, clock, chosen, last, held, all_waited);
        self.unissued.next = self.slot_ports.ready.val();
        if self.chosen.q.val() {
            self.unissued.next = self.slot_ports.ready.val() & !(bits::<16>(1) << self.last.q.val());
        }
        self.candidates.next = self.unissued.val();
        if (self.unissued.val() & self.slot_ports.woken.val()).any() {
            self.candidates.next = self.unissued.val() & self.slot_ports.woken.val();
        }
        self.above.next = self.candidates.val() & (bits::<16>(0xFFFE) << self.last.q.val());
        self.first_candidates.next = self.candidates.val();
        if self.above.val().any() {
            self.first_candidates.next = self.above.val();
        }
        self.any.next = false;
        self.pick.next = bits::<4>(0);
        for i in 0..self._warps {
            if !self.any.val() && self.first_candidates.val().get_bit(i) {
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
        // Why not.
        self.held.d.next = self.hold.val();
        self.awake.next = self.slot_ports.running.val() & !self.slot_ports.waits.val();
        self.all_waited.d.next = self.slot_ports.waits.val().any() && !self.awake.val().any();
        self.stall.next = bits::<5>(0);
        if (self.trace.val() == bits::<1>(1)) && !self.chosen.q.val() {
            if self.held.q.val() {
                self.stall.next.set_value_port(true);
            } else if !self.slot_ports.running.val().any() {
                self.stall.next.set_value_no_warp(true);
            } else if self.all_waited.q.val() {
                self.stall.next.set_value_semaphore(true);
            } else if self.slot_ports.occupied.val().any() {
                self.stall.next.set_value_memory(true);
            } else {
                self.stall.next.set_value_fetch(true);
            }
        }
    }
}
