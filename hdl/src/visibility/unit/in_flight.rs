//! What is on its way between the visibility unit and the tile buffers: whether a triangle of it
//! may move depths against bounds of what was drawn (HZ-21). A bound says what was written when it
//! was read. A triangle that comes later in order meets it, or something nearer, unless one between
//! the two writes by another rule, or in the other direction.
//!
//! Each triangle that enters has a mark, one of two, kept by its record. Triangles are counted by
//! their mark, and each mark knows what its triangles may do. When none of the older mark is left
//! (each has been drawn, and its record is free), and all that was written is in the bounds
//! (`settle`, `settled`), that mark forgets. Then the marks change places. So a triangle that
//! raises depths holds answers back until it is through, however many follow it.
//!
//! It can be wrong by forgetting too early. Planted faults: `back-wait`, `back-settle`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::cell::AsyncRam;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct InFlight {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A triangle enters.
    pub enter: Signal<In, bool>,
    /// Place of its record.
    pub enter_handle: Signal<In, Bits<12>>,
    /// It may move depths in any direction.
    pub enter_raises: Signal<In, bool>,
    /// It writes depths that shrink.
    pub enter_shrinks: Signal<In, bool>,
    /// It writes depths that grow.
    pub enter_grows: Signal<In, bool>,
    /// Pulse: a triangle is drawn and its record is free.
    pub free: Signal<In, bool>,
    /// Place of the record.
    pub free_handle: Signal<In, Bits<12>>,
    /// One cycle: what was written up to now is to be brought into the bounds.
    pub settle: Signal<Out, bool>,
    /// One cycle: it is.
    pub settled: Signal<In, bool>,
    /// Something on its way may raise depths, as it was in the cycle before.
    pub may_rise: Signal<Out, bool>,
    /// Something on its way may lower depths, as it was in the cycle before.
    pub may_fall: Signal<Out, bool>,
    marks: AsyncRam<12, 32>,
    /// The mark of those that enter.
    young: DFF<bool>,
    zeros: DFF<Bits<13>>,
    ones: DFF<Bits<13>>,
    zero_rises: DFF<bool>,
    zero_falls: DFF<bool>,
    one_rises: DFF<bool>,
    one_falls: DFF<bool>,
    settles: DFF<bool>,
    rises_r: DFF<bool>,
    falls_r: DFF<bool>,
    mark_freed: Signal<Local, bool>,
    enter_one: Signal<Local, bool>,
    enter_zero: Signal<Local, bool>,
    free_one: Signal<Local, bool>,
    free_zero: Signal<Local, bool>,
    enter_rises: Signal<Local, bool>,
    enter_falls: Signal<Local, bool>,
    old_left: Signal<Local, bool>,
    settle_now: Signal<Local, bool>,
    turns: Signal<Local, bool>,
    fault_back_wait: Planted,
    fault_back_settle: Planted,
    _active: bool,
}

impl InFlight {
    /// For the records of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            marks: AsyncRam::new(config.records(), 1),
            fault_back_wait: Planted::new(config.has(Fault::BackWait)),
            fault_back_settle: Planted::new(config.has(Fault::BackSettle)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl InFlight {
    /// Triangles are counted by the mark that their record has.
    fn mark_counts(&mut self) {
        comment!("module: in_flight");
        dff_setup!(self, clock, young, zeros, ones, zero_rises, zero_falls, one_rises, one_falls);
        dff_setup!(self, clock, settles, rises_r, falls_r);
        clock!(self, clock, marks);
        self.marks.write_enable.next = self.enter.val();
        self.marks.write_address.next = self.enter_handle.val();
        self.marks.write_data.next = bits::<32>(0);
        if self.young.q.val() {
            self.marks.write_data.next = bits::<32>(1);
        }
        self.marks.read_address.next = self.free_handle.val();
        self.mark_freed.next = self.marks.read_data.val().get_bit(0);
        self.enter_one.next = self.enter.val() && self.young.q.val();
        self.enter_zero.next = self.enter.val() && !self.young.q.val();
        self.free_one.next = self.free.val() && self.mark_freed.val();
        self.free_zero.next = self.free.val() && !self.mark_freed.val();
        if self.enter_zero.val() && !self.free_zero.val() {
            self.zeros.d.next = self.zeros.q.val() + bits::<13>(1);
        }
        if !self.enter_zero.val() && self.free_zero.val() {
            self.zeros.d.next = self.zeros.q.val() - bits::<13>(1);
        }
        if self.enter_one.val() && !self.free_one.val() {
            self.ones.d.next = self.ones.q.val() + bits::<13>(1);
        }
        if !self.enter_one.val() && self.free_one.val() {
            self.ones.d.next = self.ones.q.val() - bits::<13>(1);
        }
    }

    /// The older mark forgets when it is through, and marks change places.
    fn old_mark(&mut self) {
        // The older mark is through.
        self.old_left.next = self.zeros.q.val().any();
        if !self.young.q.val() {
            self.old_left.next = self.ones.q.val().any();
        }
        self.settle_now.next = !self.old_left.val() && !self.settles.q.val();
        self.settle.next = self.settle_now.val();
        if self.settle_now.val() {
            self.settles.d.next = true;
        }
        self.turns.next = self.settles.q.val() && (self.settled.val() || self.fault_back_settle.val());
        if self.turns.val() {
            self.settles.d.next = false;
            self.young.d.next = !self.young.q.val();
            if self.young.q.val() {
                self.zero_rises.d.next = false;
                self.zero_falls.d.next = false;
            } else {
                self.one_rises.d.next = false;
                self.one_falls.d.next = false;
            }
        }
    }

    /// Each mark holds what its triangles may do to depths.
    fn directions(&mut self) {
        self.enter_rises.next = self.enter_raises.val() || self.enter_grows.val();
        self.enter_falls.next = self.enter_raises.val() || self.enter_shrinks.val();
        if self.enter_zero.val() && self.enter_rises.val() {
            self.zero_rises.d.next = true;
        }
        if self.enter_zero.val() && self.enter_falls.val() {
            self.zero_falls.d.next = true;
        }
        if self.enter_one.val() && self.enter_rises.val() {
            self.one_rises.d.next = true;
        }
        if self.enter_one.val() && self.enter_falls.val() {
            self.one_falls.d.next = true;
        }
        self.rises_r.d.next = (self.zero_rises.q.val() || self.one_rises.q.val()) && !self.fault_back_wait.val();
        self.falls_r.d.next = (self.zero_falls.q.val() || self.one_falls.q.val()) && !self.fault_back_wait.val();
        self.may_rise.next = self.rises_r.q.val();
        self.may_fall.next = self.falls_r.q.val();
    }
}
