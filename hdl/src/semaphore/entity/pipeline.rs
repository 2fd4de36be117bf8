//! The semaphore entity's pipeline: what stage 2 does if it steps, and what comes into stages 2, 1
//! and 0. Rows are forwarded to stage 1 from the write of the last cycle, and from stage 2 as a
//! message moves on.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::{Advance, Ports, Ready, Registers, SemaphoreEntity, Step, Take};
use crate::comment;

#[parts]
impl SemaphoreEntity {
    fn registers(&mut self) {
        comment!("module: semaphore_entity");
        dff_setup!(self, clock, v1, release1, probe1, sem1, thread1, auto1, suppress1, notify1, tag1);
        dff_setup!(self, clock, v2, release2, probe2, sem2, thread2, auto2, suppress2, notify2, tag2);
        dff_setup!(self, clock, row_a2, row_b2, skip, walk, place, met);
        dff_setup!(self, clock, wrote, wrote_sem, wrote_a, wrote_b);
        dff_setup!(self, clock, ack0, ack1, ack0_data, ack1_data, turn, clearing, clear_index);
        clock!(self, clock, table_a, table_b, entries, links, backs, pool);
    }

    fn ready(&mut self) {
        self.step.next = self.v2.q.val() && (!self.ack_due.val() || !self.ack1.q.val());
        self.finish.next = self.step.val() && !self.goes_on.val();
    }

    fn step(&mut self) {
        if !self.step.val() || (self.error.val() && self.fault_sem_silent_error.val()) {
            self.op.valid.next = false;
        }
        self.acknowledge.next = self.ack_due.val() && self.step.val();
        if !self.step.val() {
            self.write_row.next = false;
            self.passed.next = false;
            self.entries.write_enable.next = false;
            self.links.write_enable.next = false;
            self.backs.write_enable.next = false;
            self.next_place.next = self.place.q.val();
        }
        self.done.valid.next = self.finish.val()
            && self.notify2.q.val()
            && !self.release2.q.val()
            && (!self.probe2.q.val() || self.passed.val());
        self.done.tag.next = self.tag2.q.val();
        self.done.suppress.next = self.suppress2.q.val();
        self.acq.refused.next = self.finish.val() && self.probe2.q.val() && !self.passed.val();
        self.emptied.next = self.step.val()
            && self.pop.val()
            && self.single.val()
            && !(self.fault_sem_silent_empty.val() && self.skip.q.val());
        self.pool.take.next = self.take.val() && self.step.val();
        self.pool.give.next = self.give.val() && self.step.val();
        self.place.d.next = self.next_place.val();
        if self.step.val() {
            self.skip.d.next = self.pop.val() && self.goes_on.val();
            self.walk.d.next = !self.pop.val() && self.goes_on.val();
            self.met.d.next = self.walk.q.val()
                && self.goes_on.val()
                && (self.met.q.val() || (self.read_thread.val() == self.thread2.q.val()));
            self.row_a2.d.next = self.new_a.val();
            self.row_b2.d.next = self.new_b.val();
        }
        self.wrote.d.next = self.write_row.val();
        self.wrote_sem.d.next = self.sem2.q.val();
        self.wrote_a.d.next = self.new_a.val();
        self.wrote_b.d.next = self.new_b.val();
    }

    fn advance(&mut self) {
        self.row_a1.next = self.table_a.read_data.val();
        self.row_b1.next = self.table_b.read_data.val();
        if self.wrote.q.val() && (self.wrote_sem.q.val() == self.sem1.q.val()) {
            self.row_a1.next = self.wrote_a.q.val();
            self.row_b1.next = self.wrote_b.q.val();
        }
        self.hazard.next = self.v2.q.val()
            && (self.sem2.q.val() == self.sem1.q.val())
            && (self.release1.q.val() || (self.with_tail.val() == bits::<1>(0)));
        self.advance.next = self.v1.q.val() && (!self.v2.q.val() || self.finish.val()) && !self.hazard.val();
        if self.finish.val() {
            self.v2.d.next = false;
        }
        if self.advance.val() {
            self.v2.d.next = true;
            self.release2.d.next = self.release1.q.val();
            self.probe2.d.next = self.probe1.q.val();
            self.sem2.d.next = self.sem1.q.val();
            self.thread2.d.next = self.thread1.q.val();
            self.auto2.d.next = self.auto1.q.val();
            self.suppress2.d.next = self.suppress1.q.val();
            self.notify2.d.next = self.notify1.q.val();
            self.tag2.d.next = self.tag1.q.val();
            self.row_a2.d.next = self.row_a1.val();
            self.row_b2.d.next = self.row_b1.val();
            if self.write_row.val() && (self.sem2.q.val() == self.sem1.q.val()) {
                self.row_a2.d.next = self.new_a.val();
                self.row_b2.d.next = self.new_b.val();
            }
            self.v1.d.next = false;
        }
    }

    fn ports(&mut self) {
        self.room1.next =
            (!self.v1.q.val() || self.advance.val() || self.fault_sem_overrun.val()) && !self.clearing.q.val();
        self.reserved1.next = bits::<13>(0);
        if self.v1.q.val() && !self.release1.q.val() && !self.probe1.q.val() {
            self.reserved1.next = bits::<13>(1);
        }
        self.reserved.next = self.reserved1.val();
        if self.v2.q.val() && !self.release2.q.val() && !self.probe2.q.val() {
            self.reserved.next = self.reserved1.val() + bits::<13>(1);
        }
        self.vacant.next = self.pool.free.val() > self.reserved.val();
        self.entry_free.next = self.vacant.val();
        // A try that is inside may yet take the message at the port.
        self.trying.next = (self.v1.q.val() && self.probe1.q.val()) || (self.v2.q.val() && self.probe2.q.val());
        self.acquire_fits.next =
            self.acq.valid.val() && (self.vacant.val() || self.acq.bare.val()) && !self.trying.val();
        self.grant_port.next =
            self.room1.val() && self.acquire_fits.val() && (self.turn.q.val() || !self.rel_valid.val());
        self.grant_acquire.next = self.grant_port.val() && !self.acq.bare.val();
        self.grant_probe.next = self.grant_port.val() && self.acq.bare.val();
        self.grant_release.next = self.room1.val() && self.rel_valid.val() && !self.grant_port.val();
        self.acq.ready.next = self.grant_acquire.val() || self.passed.val();
        self.rel_ready.next = self.grant_release.val();
        if self.acquire_fits.val() && self.rel_valid.val() && self.room1.val() && !self.fault_sem_release_first.val() {
            self.turn.d.next = !self.turn.q.val();
        }
    }

    fn take(&mut self) {
        self.next_sem.next = self.sem1.q.val();
        if self.grant_acquire.val() || self.grant_release.val() || self.grant_probe.val() {
            self.v1.d.next = true;
            self.release1.d.next = self.grant_release.val();
            self.probe1.d.next = self.grant_probe.val();
            self.next_sem.next = self.acq.sem.val();
            self.thread1.d.next = self.acq.thread.val();
            self.auto1.d.next = self.acq.auto.val();
            self.suppress1.d.next = self.acq.suppress.val();
            self.notify1.d.next = self.acq.notify.val();
            self.tag1.d.next = self.acq.tag.val();
            if self.grant_release.val() {
                self.next_sem.next = self.rel_sem.val();
                self.thread1.d.next = self.rel_thread.val();
            }
        }
        self.sem1.d.next = self.next_sem.val();
        if self.fault_sem_early_done.val() {
            self.done.valid.next = self.grant_acquire.val() && self.acq.notify.val();
            self.done.tag.next = self.acq.tag.val();
            self.done.suppress.next = self.acq.suppress.val();
        }
    }
}
