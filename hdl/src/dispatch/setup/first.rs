//! Stage A of the set-up of threads: admits the next thread of the list and sends its requests with
//! acknowledge-suppress.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::super::records::Thread;
use super::{Admit, EarlyRequests, Enter, ThreadSetup};

#[parts]
impl ThreadSetup {
    fn admit(&mut self) {
        // Stage A, first line.
        self.mask.next = self.a_word[0].val().get_value_mask();
        self.count.next = self.a_word[0].val().get_value_count();
        self.full_lines.next = bit_cast::<3, 2>(self.count.val().get_bits::<2>(2));
        self.lines.next = self.full_lines.val();
        if self.count.val().get_bits::<2>(0).any() {
            self.lines.next = self.full_lines.val() + bits::<3>(1);
        }
        self.skip.next = self.mask.val() == bits::<4>(0);
        if self.fault_dispatch_record_skip.val() && (self.lines.val() == bits::<3>(2)) {
            self.skip.next = true;
        }
        self.a_has_line.next = self.a_line.q.val() != self.tail.val();
        self.in_flight.next = self.a_index.q.val() - self.b_index.q.val();
        self.sum.next = self.inside.q.val() + bit_cast::<8, 4>(self.count.val());
        self.fits.next = (self.in_flight.val() == bits::<4>(0))
            || ((self.in_flight.val() < bits::<4>(8)) && (self.sum.val() <= self.pool.val()));
        self.admit.next = self.a_has_line.val()
            && !self.a_body.q.val()
            && (self.todo.q.val() != bits::<32>(0))
            && self.fits.val()
            && (self.offer_ports.offer.val() || self.skip.val());
        self.take.next = self.admit.val() && !self.skip.val();
        self.offered.next = bit_cast::<10, 4>(self.offer_ports.offer_warp.val())
            | (bit_cast::<10, 6>(self.offer_ports.offer_unit.val()) << bits::<10>(4));
    }

    fn early_requests(&mut self) {
        // Stage A, further lines: requests with acknowledge-suppress. The message of B goes first.
        self.a_pick.left.next = self.a_left.q.val();
        self.a_pick.sent.next = self.a_sent.q.val();
        self.a_pick.suppressed.next = true;
        self.a_pick.both.next = self.fault_dispatch_sem_early.val();
        self.a_place.next = self.a_index.q.val().get_bits::<3>(0);
        self.others.next = bits::<32>(0);
        for i in 0..8 {
            if self.a_place.val() != i.to_bits::<3>() {
                self.others.next = self.others.val() | self.wanted[i].q.val();
            }
        }
        self.bit.next = bits::<32>(1) << self.a_pick.request.val().get_bits::<5>(0);
        self.conflict.next = (self.others.val() & self.bit.val()).any() && !self.fault_dispatch_overtake.val();
        self.a_send.next = self.a_body.q.val()
            && self.a_has_line.val()
            && self.a_pick.some.val()
            && !self.a_skip.q.val()
            && !self.conflict.val()
            && self.room.val()
            && !self.b_send.val();
        self.a_line_done.next = self.a_body.q.val()
            && self.a_has_line.val()
            && (self.a_skip.q.val() || !self.a_pick.some.val() || (self.a_send.val() && !self.a_pick.more.val()));
        self.waits.next = self.a_wait.q.val() + bit_cast::<4, 3>(self.a_pick.waits.val());
    }

    fn enter(&mut self) {
        self.push.next = false;
        self.push_wait.next = bits::<4>(0);
        self.push_slot.next = self.offered.val();
        self.push_requests.next = self.count.val();
        self.push_lines.next = bits::<3>(0);
        self.push_skip.next = self.skip.val();
        if self.admit.val() {
            self.a_line.d.next = self.a_line.q.val() + bits::<5>(1);
            self.a_skip.d.next = self.skip.val();
            self.a_lines.d.next = self.lines.val();
            self.a_lines_left.d.next = self.lines.val();
            self.a_left.d.next = self.count.val();
            self.a_sent.d.next = bits::<4>(0);
            self.a_wait.d.next = bits::<4>(0);
            self.a_count.d.next = self.count.val();
            self.a_slot.d.next = self.offered.val();
            self.todo.d.next = self.todo.q.val() - bits::<32>(1);
            if self.lines.val() == bits::<3>(0) {
                self.push.next = true;
            } else {
                self.a_body.d.next = true;
            }
        }
        if self.a_body.q.val() {
            self.push_slot.next = self.a_slot.q.val();
            self.push_requests.next = self.a_count.q.val();
            self.push_lines.next = self.a_lines.q.val();
            self.push_skip.next = self.a_skip.q.val();
            self.push_wait.next = self.waits.val();
            if self.fault_dispatch_wait_count.val() {
                self.push_wait.next = self.a_count.q.val();
            }
        }
        if self.a_send.val() {
            self.a_sent.d.next = self.a_sent.q.val() | self.a_pick.chosen.val();
        }
        if self.a_line_done.val() {
            self.a_line.d.next = self.a_line.q.val() + bits::<5>(1);
            self.a_lines_left.d.next = self.a_lines_left.q.val() - bits::<3>(1);
            self.a_left.d.next = self.a_left.q.val() - bits::<4>(4);
            self.a_sent.d.next = bits::<4>(0);
            self.a_wait.d.next = self.waits.val();
            if self.a_lines_left.q.val() == bits::<3>(1) {
                self.a_body.d.next = false;
                self.push.next = true;
            }
        }
    }
}
