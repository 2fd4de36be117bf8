//! Which lanes come late to a warp-wide atomic, and when (WW-27; the meaning is in
//! docs/machine.md).
//! Built with `warp-wide-late = stored`. Per warp slot: the place of the last execution, and the
//! lanes that are still to come to it.
//!
//! In the cycle of an issue `late` says that the instruction is a late arrival: it goes to no
//! memory, its lanes get the kept result ([`super::late_results`]). One cycle later, with the
//! operands and the outcome of a branch, the state moves on. A warp issues at most every fifth
//! cycle, so its state is settled when its next instruction is chosen.
//!
//! That the kept result is there when late lanes come needs nothing here: their instruction is the
//! one that was executed, and the scoreboard holds it while its destination is pending.
//!
//! `late` is combinational from the issuing slot; everything else follows flip-flops. It can be
//! wrong in an event that should end an encounter; `tests/encounters.rs` compares it with the words
//! of the page.
//!
//! Planted faults: `late-foreign` (any arrival at the place gets the kept result), `late-again`
//! (none does), `late-met` (lanes that have met others stay late), `late-turn` (a turn of a loop
//! does not end the encounter).

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// See the module documentation. Element i of a vector is warp slot i.
#[derive(Default, QuietBlock)]
pub struct Encounters {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    // Launch.
    /// A warp is launched in this cycle.
    pub launch: Signal<In, bool>,
    /// Its slot.
    pub launch_warp: Signal<In, Bits<4>>,
    // Issue.
    /// A warp-wide atomic issues.
    pub issue: Signal<In, bool>,
    /// Slot that issues it.
    pub issue_warp: Signal<In, Bits<4>>,
    /// Its counter.
    pub issue_pc: Signal<In, Bits<16>>,
    /// Its active lanes.
    pub issue_mask: Signal<In, Bits<4>>,
    /// It is a late arrival.
    pub late: Signal<Out, bool>,
    // One cycle later.
    /// The same, of the instruction that issued in the last cycle.
    pub stored: Signal<Out, bool>,
    /// An instruction issued in the last cycle.
    pub step: Signal<In, bool>,
    /// Its slot.
    pub step_warp: Signal<In, Bits<4>>,
    /// Its counter.
    pub step_pc: Signal<In, Bits<16>>,
    /// Its active lanes.
    pub step_mask: Signal<In, Bits<4>>,
    /// It is a warp-wide atomic.
    pub step_wide: Signal<In, bool>,
    /// It is a barrier.
    pub step_bar: Signal<In, bool>,
    /// Lanes that take its branch.
    pub step_taken: Signal<In, Bits<4>>,
    /// Target of its branch.
    pub step_target: Signal<In, Bits<16>>,
    /// Counter of the slot's last executed warp-wide atomic.
    place: Vec<DFF<Bits<16>>>,
    /// Lanes that are still to come to it.
    late_lanes: Vec<DFF<Bits<4>>>,
    stored_now: DFF<bool>,
    // Named intermediate values.
    issue_slot_place: Signal<Local, Bits<16>>,
    issue_slot_late: Signal<Local, Bits<4>>,
    was_place: Signal<Local, Bits<16>>,
    was_late: Signal<Local, Bits<4>>,
    /// Late lanes when those that are met are late no more; behind the instruction.
    met_late: Signal<Local, Bits<4>>,
    next_late: Signal<Local, Bits<4>>,
    executes: Signal<Local, bool>,
    fault_late_foreign: Planted,
    fault_late_again: Planted,
    fault_late_met: Planted,
    fault_late_turn: Planted,
    _warps: usize,
    _active: bool,
}

impl Encounters {
    /// For the warp slots of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            place: vector(config.warps),
            late_lanes: vector(config.warps),
            fault_late_foreign: Planted::new(config.has(Fault::LateForeign)),
            fault_late_again: Planted::new(config.has(Fault::LateAgain)),
            fault_late_met: Planted::new(config.has(Fault::LateMet)),
            fault_late_turn: Planted::new(config.has(Fault::LateTurn)),
            _warps: config.warps,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl Encounters {
    /// Late lanes that come to their place are told from others.
    fn arrival(&mut self) {
        comment!("module: encounters");
        dff_setup!(self, clock, stored_now);
        // The state of the slot that issues, and of the one that issued in the last cycle.
        self.issue_slot_place.next = bits::<16>(0);
        self.issue_slot_late.next = bits::<4>(0);
        self.was_place.next = bits::<16>(0);
        self.was_late.next = bits::<4>(0);
        for i in 0..self._warps {
            if self.issue_warp.val() == i.to_bits::<4>() {
                self.issue_slot_place.next = self.place[i].q.val();
                self.issue_slot_late.next = self.late_lanes[i].q.val();
            }
            if self.step_warp.val() == i.to_bits::<4>() {
                self.was_place.next = self.place[i].q.val();
                self.was_late.next = self.late_lanes[i].q.val();
            }
        }
        // An arrival of late lanes only, at the place.
        self.late.next = self.issue.val()
            && (self.issue_slot_place.val() == self.issue_pc.val())
            && (!(self.issue_mask.val() & !self.issue_slot_late.val()).any() || self.fault_late_foreign.val())
            && !self.fault_late_again.val();
        self.stored_now.d.next = self.late.val();
        self.stored.next = self.stored_now.q.val();
        self.executes.next = self.step_wide.val() && !self.stored_now.q.val();
    }

    /// Lanes stay late until they meet others, turn a loop, or stop at a barrier.
    fn late_lanes(&mut self) {
        // Late lanes that meet others; a turn of a loop by those that took part; a barrier.
        self.met_late.next = self.was_late.val();
        if (self.step_mask.val() & !self.was_late.val()).any() && !self.fault_late_met.val() {
            self.met_late.next = self.was_late.val() & !self.step_mask.val();
        }
        self.next_late.next = self.met_late.val();
        if (self.step_taken.val() & !self.met_late.val()).any()
            && (self.step_target.val() <= self.was_place.val())
            && !self.fault_late_turn.val()
        {
            self.next_late.next = bits::<4>(0);
        }
        if self.step_bar.val() {
            self.next_late.next = bits::<4>(0);
        }
        if self.stored_now.q.val() {
            self.next_late.next = self.was_late.val() & !self.step_mask.val();
        }
        if self.executes.val() {
            self.next_late.next = !self.step_mask.val();
        }
    }

    /// The slot that issued keeps its place and its late lanes.
    fn slot_state(&mut self) {
        for i in 0..self._warps {
            self.place[i].clock.next = self.clock.val();
            self.late_lanes[i].clock.next = self.clock.val();
            self.place[i].d.next = self.place[i].q.val();
            self.late_lanes[i].d.next = self.late_lanes[i].q.val();
            if self.step.val() && (self.step_warp.val() == i.to_bits::<4>()) {
                self.late_lanes[i].d.next = self.next_late.val();
                if self.executes.val() {
                    self.place[i].d.next = self.step_pc.val();
                }
            }
            if self.launch.val() && (self.launch_warp.val() == i.to_bits::<4>()) {
                self.late_lanes[i].d.next = bits::<4>(0);
            }
        }
    }
}
