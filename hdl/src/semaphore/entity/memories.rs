//! What the semaphore entity sends and keeps: acknowledgements behind their port, the memories'
//! addresses, and the emptying of all lists.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::super::rows::{Acknowledgement, HeadRow};
use super::{Acknowledge, Memories, SemaphoreEntity, Start};

#[parts]
impl SemaphoreEntity {
    fn acknowledge(&mut self) {
        self.new_ack.next = bits::<32>(0);
        self.new_ack.next.set_value_ack_sem(self.sem2.q.val());
        self.new_ack.next.set_value_ack_thread(self.ack_thread2.val());
        if self.ack0.q.val() && self.ack_ready.val() {
            self.ack0.d.next = self.ack1.q.val();
            self.ack0_data.d.next = self.ack1_data.q.val();
            self.ack1.d.next = false;
        }
        if self.acknowledge.val() {
            if self.ack0.q.val() && !self.ack_ready.val() {
                self.ack1.d.next = true;
                self.ack1_data.d.next = self.new_ack.val();
            } else {
                self.ack0.d.next = true;
                self.ack0_data.d.next = self.new_ack.val();
                if self.fault_sem_double_ack.val() && !self.ack0.q.val() {
                    self.ack1.d.next = true;
                    self.ack1_data.d.next = self.new_ack.val();
                }
            }
        }
        self.ack_valid.next = self.ack0.q.val();
        self.ack_sem.next = self.ack0_data.q.val().get_value_ack_sem();
        self.ack_thread.next = self.ack0_data.q.val().get_value_ack_thread();
    }

    fn memories(&mut self) {
        self.table_a.read_address.next = bit_cast::<12, 16>(self.next_sem.val());
        self.table_b.read_address.next = bit_cast::<12, 16>(self.next_sem.val());
        self.read.next = self.behind.val();
        if self.walk.q.val() || (self.step.val() && self.goes_on.val() && !self.pop.val()) {
            self.read.next = self.next_place.val();
        }
        if self.step.val() && self.goes_on.val() && self.pop.val() {
            self.read.next = self.link.val();
        }
        if self.advance.val() {
            self.read.next = self.row_b1.val().get_value_behind();
        }
        self.entries.read_address.next = self.read.val();
        self.links.read_address.next = self.read.val();
        self.backs.read_address.next = self.read.val();
        self.table_a.write_address.next = bit_cast::<12, 16>(self.sem2.q.val());
        self.table_b.write_address.next = bit_cast::<12, 16>(self.sem2.q.val());
        self.table_a.write_data.next = self.new_a.val();
        self.table_b.write_data.next = self.new_b.val();
        self.table_a.write_enable.next = self.write_row.val();
        self.table_b.write_enable.next = self.write_row.val();
    }

    fn start(&mut self) {
        // Also if the pool says that all is free: an append in this very cycle still writes its
        // row, and a start before may not be through.
        self.clear_now.next = self.start.val()
            && ((self.pool.free.val() != self.pool_size.val())
                || (self.v2.q.val() && !self.fault_sem_start_append.val())
                || self.clearing.q.val());
        self.pool.clear.next = self.start.val();
        if self.clearing.q.val() {
            self.table_a.write_address.next = self.clear_index.q.val();
            self.table_a.write_data.next = bits::<32>(0);
            self.table_a.write_enable.next = true;
            self.links.write_address.next = self.clear_index.q.val();
            self.links.write_data.next = bits::<32>(0);
            self.links.write_enable.next = true;
            self.clear_index.d.next = self.clear_index.q.val() + bits::<12>(1);
            if self.clear_index.q.val() == self.last_index.val() {
                self.clearing.d.next = false;
            }
        }
        if self.start.val() {
            self.v1.d.next = false;
            self.v2.d.next = false;
            self.skip.d.next = false;
            self.walk.d.next = false;
            self.wrote.d.next = false;
            self.ack0.d.next = false;
            self.ack1.d.next = false;
            self.clearing.d.next = self.clear_now.val();
            self.clear_index.d.next = bits::<12>(0);
        }
        self.active.next = self.v1.q.val() || self.v2.q.val() || self.ack0.q.val() || self.clearing.q.val();
        self.busy.next = self.v1.q.val()
            || self.v2.q.val()
            || self.ack0.q.val()
            || self.clearing.q.val()
            || (self.pool.free.val() != self.pool_size.val());
    }
}
