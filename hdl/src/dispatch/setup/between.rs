//! What the two stages of the set-up of threads share: the queue between them, the message port,
//! the requests on their way.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::super::records::{Handed, ListRequest};
use super::{HandOver, Message, Outputs, Pending, ThreadSetup};
use crate::bus::message::{Body, Head};

#[parts]
impl ThreadSetup {
    fn hand_over(&mut self) {
        // From A to B.
        self.queue.write_enable.next = self.push.val();
        self.queue.write_address.next = self.a_index.q.val();
        self.queue.write_data.next = bits::<32>(0);
        self.queue.write_data.next.set_value_requests(self.push_requests.val());
        self.queue.write_data.next.set_value_skip(self.push_skip.val());
        self.queue.write_data.next.set_value_lines(self.push_lines.val());
        if !self.push_skip.val() {
            self.queue.write_data.next.set_value_wait(self.push_wait.val());
            self.queue.write_data.next.set_value_slot(self.push_slot.val());
        }
        if self.push.val() {
            self.a_index.d.next = self.a_index.q.val() + bits::<4>(1);
        }
        self.more_inside.next = self.inside.q.val();
        if self.admit.val() {
            self.more_inside.next = self.sum.val();
        }
        self.inside.d.next = self.more_inside.val();
        if self.pop.val() {
            self.b_index.d.next = self.b_index.q.val() + bits::<4>(1);
            self.inside.d.next = self.more_inside.val() - bit_cast::<8, 4>(self.requests.val());
        }
        for i in 0..8 {
            dff_setup!(self, clock, wanted[i]);
            if self.a_line_done.val() && !self.a_skip.q.val() && (self.a_place.val() == i.to_bits::<3>()) {
                self.wanted[i].d.next = self.wanted[i].q.val() | self.a_pick.filter.val();
            }
            if self.start.val() || (self.pop.val() && (self.b_place.val() == i.to_bits::<3>())) {
                self.wanted[i].d.next = bits::<32>(0);
            }
        }
    }

    fn message(&mut self) {
        // The message of this cycle.
        self.request.next = self.a_pick.request.val();
        self.slot.next = self.a_slot.q.val();
        self.send_place.next = self.a_place.val();
        if self.b_send.val() {
            self.send_place.next = self.b_place.val();
            self.request.next = self.b_pick.request.val();
            self.slot.next = self.b_slot.val();
        }
        // ACQ_MSG.
        self.message.next = bits::<16>(0);
        self.message.next.set_value_auto(self.request.val().get_value_auto());
        self.message.next.set_value_suppress(self.request.val().get_value_suppress());
        self.message.next.set_value_notify(true);
        self.message.next.set_value_tag(self.send_place.val());
        self.send.next = self.a_send.val() || (self.b_send.val() && self.room.val());
        if self.send.val() {
            self.out_valid.d.next = true;
            self.out_head.d.next = self.message.val();
            self.out_body.d.next = bits::<32>(0);
            self.out_body.d.next.set_value_sem(self.request.val().get_value_wanted());
            self.out_body.d.next.set_value_thread(bit_cast::<16, 10>(self.slot.val()));
        }
        if self.send.val() && !self.done.valid.val() {
            self.outstanding.d.next = self.outstanding.q.val() + bits::<13>(1);
        }
        if !self.send.val() && self.done.valid.val() {
            self.outstanding.d.next = self.outstanding.q.val() - bits::<13>(1);
        }
    }

    fn pending(&mut self) {
        for i in 0..8 {
            dff_setup!(self, clock, pending[i]);
            // With planted fault `dispatch-sem-early` the launch waits for requests of both kinds,
            // since all are sent before it.
            self.counts[i].next = self.a_send.val()
                && (self.request.val().get_value_suppress() || self.fault_dispatch_sem_early.val())
                && (self.a_place.val() == i.to_bits::<3>());
            self.completes[i].next = self.done.valid.val()
                && (self.done.suppress.val() || self.fault_dispatch_sem_early.val())
                && (self.done.tag.val() == i.to_bits::<3>());
            if self.counts[i].val() && !self.completes[i].val() {
                self.pending[i].d.next = self.pending[i].q.val() + bits::<4>(1);
            }
            if !self.counts[i].val() && self.completes[i].val() {
                self.pending[i].d.next = self.pending[i].q.val() - bits::<4>(1);
            }
            if self.start.val() {
                self.pending[i].d.next = bits::<4>(0);
            }
        }
    }

    fn outputs(&mut self) {
        self.acq.valid.next = self.out_valid.q.val();
        self.acq.head.next = self.out_head.q.val();
        self.acq.body.next = self.out_body.q.val();
        self.launch_valid.next = self.launch.val();
        self.launch_unit.next = self.b_slot.val().get_bits::<6>(4);
        self.launch_warp.next = self.b_slot.val().get_bits::<4>(0);
        self.launch_wait.next = self.b_wait.val();
        self.active.next = (self.todo.q.val() != bits::<32>(0))
            || self.a_body.q.val()
            || (self.a_index.q.val() != self.b_index.q.val())
            || self.out_valid.q.val()
            || self.outstanding.q.val().any();
        if self.start.val() {
            self.todo.d.next = self.threads.val();
            self.a_line.d.next = bits::<5>(0);
            self.b_line.d.next = bits::<5>(0);
            self.outstanding.d.next = bits::<13>(0);
        }
    }
}
