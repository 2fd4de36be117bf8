//! Stage 2 of the semaphore entity: what a message does to its list. Everything here is what would
//! be written if the stage steps; [`pipeline`](super::pipeline) takes it back if it does not.
//!
//! Exactly one of four things happens: the head goes (`pop`), there is no such semaphore (`bad2`),
//! a thread that is not the head releases (`searches`), or a thread acquires (`acquires`).

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::super::rows::{BackRow, EntryRow, HeadRow, LinkRow, ListRow};
use super::{Acquire, Append, Look, Remove, Rest, Search, SemaphoreEntity};

#[parts]
impl SemaphoreEntity {
    fn look(&mut self) {
        self.nonempty.next = self.row_a2.q.val().get_value_nonempty();
        self.single.next = self.row_a2.q.val().get_value_single();
        self.head.next = self.row_a2.q.val().get_value_head();
        self.tail.next = self.row_a2.q.val().get_value_tail();
        self.behind.next = self.row_b2.q.val().get_value_behind();
        self.owner.next = self.row_b2.q.val().get_value_owner();
        self.link.next = self.links.read_data.val().get_value_link();
        self.more.next = self.links.read_data.val().get_value_more();
        self.read_thread.next = self.entries.read_data.val().get_value_thread();
        self.bad2.next = bit_cast::<17, 16>(self.sem2.q.val()) >= self.sems.val();
        self.found.next =
            (self.read_thread.val() == self.thread2.q.val()) && !self.entries.read_data.val().get_value_released();
        self.last.next = !self.more.val();
        if self.from_tail.val() == bits::<1>(1) {
            self.last.next = self.place.q.val() == self.head.val();
        }
        self.pop.next = self.skip.q.val()
            || (self.release2.q.val()
                && !self.bad2.val()
                && self.nonempty.val()
                && ((self.owner.val() == self.thread2.q.val()) || self.fault_sem_foreign_release.val()));
        self.searches.next = !self.pop.val() && !self.bad2.val() && self.release2.q.val();
        self.acquires.next = !self.pop.val() && !self.bad2.val() && !self.release2.q.val();
    }

    fn rest(&mut self) {
        self.op.valid.next = true;
        self.op.kind.next = bits::<3>(0);
        self.op.sem.next = self.sem2.q.val();
        self.op.thread.next = self.thread2.q.val();
        fan_out!(self.pool.entry => self.op.entry, self.entries.write_address, self.backs.write_address);
        self.error.next = false;
        self.goes_on.next = false;
        self.passed.next = false;
        self.ack_due.next = false;
        self.ack_thread2.next = self.thread2.q.val();
        self.take.next = false;
        self.give.next = false;
        self.append.next = false;
        self.pool.give_entry.next = self.head.val();
        // The row.
        self.write_row.next = false;
        self.new_a.next = self.row_a2.q.val();
        self.new_b.next = self.row_b2.q.val();
        // A new entry.
        self.entries.write_enable.next = false;
        self.entries.write_data.next = bits::<32>(0);
        self.entries.write_data.next.set_value_thread(self.thread2.q.val());
        self.entries.write_data.next.set_value_released(self.auto2.q.val());
        self.entries.write_data.next.set_value_suppress(self.suppress2.q.val());
        // The end of a list.
        self.links.write_enable.next = false;
        self.links.write_address.next = self.head.val();
        self.links.write_data.next = bits::<32>(0);
        self.backs.write_enable.next = false;
        self.backs.write_data.next = bits::<32>(0);
        self.backs.write_data.next.set_value_before(self.tail.val());
        if (self.with_tail.val() == bits::<1>(0)) && !self.single.val() {
            self.backs.write_data.next.set_value_before(self.place.q.val());
        }
        self.next_place.next = self.behind.val();
        if self.from_tail.val() == bits::<1>(1) {
            self.next_place.next = self.tail.val();
        }
    }

    fn remove(&mut self) {
        if self.pop.val() {
            // The entry behind the head is at the RAMs' outputs.
            self.op.kind.next = bits::<3>(1);
            self.op.entry.next = self.head.val();
            self.op.thread.next = self.owner.val();
            self.give.next = !self.fault_sem_lost_entry.val() || !self.single.val();
            self.links.write_enable.next = true;
            self.write_row.next = true;
            self.new_a.next = bits::<32>(0);
            self.new_b.next = bits::<32>(0);
            if !self.single.val() {
                self.new_a.next.set_value_nonempty(true);
                self.new_a.next.set_value_single(!self.more.val());
                self.new_a.next.set_value_head(self.behind.val());
                self.new_a.next.set_value_tail(self.tail.val());
                self.new_b.next.set_value_behind(self.link.val());
                self.new_b.next.set_value_owner(self.read_thread.val());
                self.ack_due.next =
                    !self.entries.read_data.val().get_value_suppress() || self.fault_sem_suppress_ignored.val();
                if (self.fault_sem_released_ack.val() && self.entries.read_data.val().get_value_released())
                    || (self.fault_sem_skipped_ack.val() && self.skip.q.val())
                {
                    self.ack_due.next = false;
                }
                self.ack_thread2.next = self.read_thread.val();
                if self.fault_sem_old_head.val() {
                    self.ack_thread2.next = self.owner.val();
                }
                self.goes_on.next = self.entries.read_data.val().get_value_released();
            }
        } else if self.bad2.val() {
            self.op.kind.next = bits::<3>(4);
            self.error.next = true;
            self.op.entry.next = bits::<12>(3);
            self.passed.next = self.probe2.q.val() && !self.fault_sem_try_refused.val();
        }
    }

    fn search(&mut self) {
        if self.searches.val() {
            if !self.nonempty.val() || self.single.val() || (self.option_b.val() == bits::<1>(0)) {
                self.op.kind.next = bits::<3>(4);
                self.error.next = true;
                self.op.entry.next = bits::<12>(1);
            } else if !self.walk.q.val() {
                // The search begins in the next cycle, with the entry behind the head or the tail.
                self.op.valid.next = false;
                self.goes_on.next = true;
            } else if self.found.val() {
                self.op.kind.next = bits::<3>(2);
                self.op.entry.next = self.place.q.val();
                self.entries.write_enable.next = true;
                self.entries.write_address.next = self.place.q.val();
                self.entries.write_data.next = self.entries.read_data.val();
                self.entries.write_data.next.set_value_released(true);
            } else if self.last.val() {
                self.op.kind.next = bits::<3>(4);
                self.error.next = true;
                self.op.entry.next = bits::<12>(1);
                if self.met.q.val() || (self.read_thread.val() == self.thread2.q.val()) {
                    self.op.entry.next = bits::<12>(2);
                }
            } else {
                self.op.valid.next = false;
                self.goes_on.next = true;
                self.next_place.next = self.link.val();
                if self.from_tail.val() == bits::<1>(1) {
                    self.next_place.next = self.backs.read_data.val().get_value_before();
                }
            }
        }
    }

    fn acquire(&mut self) {
        if self.acquires.val() {
            if !self.nonempty.val() && self.auto2.q.val() && !self.fault_sem_auto_kept.val() {
                // Acquired and released at once.
                self.op.kind.next = bits::<3>(3);
                self.op.entry.next = bits::<12>(0);
                self.ack_due.next = !self.suppress2.q.val() || self.fault_sem_suppress_ignored.val();
                self.passed.next = self.probe2.q.val();
            } else if self.probe2.q.val() {
                // It needs an entry.
                self.op.valid.next = false;
            } else if !self.nonempty.val()
                || (self.with_tail.val() == bits::<1>(1))
                || self.single.val()
                || (self.walk.q.val() && !self.more.val())
            {
                // The list is empty, or its end is known: the tail, the only entry, or where a walk
                // has come.
                self.append.next = true;
            } else {
                // Without tail pointers the end has to be found.
                self.op.valid.next = false;
                self.goes_on.next = true;
                if self.walk.q.val() {
                    self.next_place.next = self.link.val();
                }
            }
        }
    }

    fn append(&mut self) {
        if self.append.val() {
            self.take.next = true;
            self.entries.write_enable.next = true;
            self.write_row.next = true;
            self.new_a.next = bits::<32>(0);
            self.new_a.next.set_value_nonempty(true);
            self.new_a.next.set_value_tail(self.pool.entry.val());
        }
        if self.append.val() && !self.nonempty.val() {
            self.new_a.next.set_value_single(true);
            self.new_a.next.set_value_head(self.pool.entry.val());
            self.new_b.next = bits::<32>(0);
            self.new_b.next.set_value_owner(self.thread2.q.val());
            self.ack_due.next = !self.suppress2.q.val() || self.fault_sem_suppress_ignored.val();
        }
        if self.append.val() && self.nonempty.val() {
            self.new_a.next.set_value_head(self.head.val());
            self.backs.write_enable.next = true;
            self.links.write_enable.next = true;
            self.links.write_data.next.set_value_link(self.pool.entry.val());
            self.links.write_data.next.set_value_more(true);
            if self.single.val() {
                // The link of the head, whose successor the row has too.
                self.new_b.next = bits::<32>(0);
                self.new_b.next.set_value_owner(self.owner.val());
                self.new_b.next.set_value_behind(self.pool.entry.val());
            } else if self.with_tail.val() == bits::<1>(1) {
                self.links.write_address.next = self.tail.val();
            } else {
                self.links.write_address.next = self.place.q.val();
            }
            if self.fault_sem_fifo_order.val() && !self.single.val() {
                self.links.write_address.next = self.pool.entry.val();
                self.links.write_data.next.set_value_link(self.behind.val());
                self.new_a.next = self.row_a2.q.val();
                self.new_b.next = bits::<32>(0);
                self.new_b.next.set_value_owner(self.owner.val());
                self.new_b.next.set_value_behind(self.pool.entry.val());
            }
            if self.fault_sem_two_owners.val() {
                self.ack_due.next = !self.suppress2.q.val();
            }
        }
    }
}
