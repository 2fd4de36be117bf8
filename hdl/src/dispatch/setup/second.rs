//! Stage B of the set-up of threads: launches a thread when its requests with acknowledge-suppress
//! have had their effect, then sends its others.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::super::records::Handed;
use super::{LateRequests, Launch, Registers, ThreadSetup};
use crate::comment;

#[parts]
impl ThreadSetup {
    fn registers(&mut self) {
        comment!("module: thread_setup");
        dff_setup!(self, clock, todo, a_line, a_body, a_skip, a_lines, a_lines_left, a_left, a_sent);
        dff_setup!(self, clock, a_wait, a_count, a_slot, a_index, b_index);
        dff_setup!(self, clock, inside, b_line, b_body, b_lines_left, b_left, b_sent);
        dff_setup!(self, clock, out_valid, out_head, out_body, outstanding);
        clock!(self, clock, queue);
        self.a_address.next = self.a_line.q.val().get_bits::<4>(0);
        self.b_address.next = self.b_line.q.val().get_bits::<4>(0);
        self.head.next = self.b_line.q.val();
        for k in 0..4 {
            self.a_pick.word[k].next = self.a_word[k].val();
            self.b_pick.word[k].next = self.b_word[k].val();
        }

        // The output register, completions.
        self.room.next =
            (!self.out_valid.q.val() || self.acq.ready.val()) && (self.outstanding.q.val() < self.credit.val());
        if self.acq.ready.val() {
            self.out_valid.d.next = false;
        }
    }

    fn launch(&mut self) {
        // Stage B, first line: the oldest thread that A is through with.
        self.queue.read_address.next = self.b_index.q.val();
        self.entry.next = self.queue.read_data.val();
        self.b_slot.next = self.entry.val().get_value_slot();
        self.b_wait.next = self.entry.val().get_value_wait();
        self.b_lines.next = self.entry.val().get_value_lines();
        self.b_skip.next = self.entry.val().get_value_skip();
        self.requests.next = self.entry.val().get_value_requests();
        self.b_here.next = (self.b_index.q.val() != self.a_index.q.val()) && !self.b_body.q.val();
        // Completions come in any order: acquires of different semaphores overtake each other.
        self.b_place.next = self.b_index.q.val().get_bits::<3>(0);
        self.uncompleted.next = bits::<4>(0);
        for i in 0..8 {
            if self.b_place.val() == i.to_bits::<3>() {
                self.uncompleted.next = self.pending[i].q.val();
            }
        }
        self.complete.next = (self.uncompleted.val() == bits::<4>(0)) || self.fault_dispatch_thread_early.val();
        self.launch.next = self.b_here.val() && self.complete.val() && !self.b_skip.val();
        self.pop_early.next = self.b_here.val() && self.b_skip.val();
        if self.launch.val() {
            self.b_lines_left.d.next = self.b_lines.val();
            self.b_left.d.next = self.requests.val();
            self.b_sent.d.next = bits::<4>(0);
            if (self.b_wait.val() == bits::<4>(0)) || self.fault_dispatch_sem_early.val() {
                self.pop_early.next = true;
            } else {
                self.b_body.d.next = true;
                self.b_line.d.next = self.b_line.q.val() + bits::<5>(1);
            }
        }
        self.pop.next = self.pop_early.val();
        if self.pop_early.val() {
            self.b_line.d.next = self.b_line.q.val() + bits::<5>(1) + bit_cast::<5, 3>(self.b_lines.val());
        }
    }

    fn late_requests(&mut self) {
        // Stage B, further lines: requests without acknowledge-suppress.
        self.b_pick.left.next = self.b_left.q.val();
        self.b_pick.sent.next = self.b_sent.q.val();
        self.b_pick.suppressed.next = false;
        self.b_pick.both.next = false;
        self.b_send.next = self.b_body.q.val() && self.b_pick.some.val();
        if self.b_body.q.val() {
            if self.b_pick.some.val() && self.room.val() {
                self.b_sent.d.next = self.b_sent.q.val() | self.b_pick.chosen.val();
            }
            if !self.b_pick.some.val() || (self.room.val() && !self.b_pick.more.val()) {
                self.b_line.d.next = self.b_line.q.val() + bits::<5>(1);
                self.b_lines_left.d.next = self.b_lines_left.q.val() - bits::<3>(1);
                self.b_left.d.next = self.b_left.q.val() - bits::<4>(4);
                self.b_sent.d.next = bits::<4>(0);
                if self.b_lines_left.q.val() == bits::<3>(1) {
                    self.b_body.d.next = false;
                    self.pop.next = true;
                }
            }
        }
    }
}
