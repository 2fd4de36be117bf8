//! The message in hand: what it is, whether it is tried, and what the entity is offered.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::super::rows::{TurnRow, WaitingMessage};
use super::{Attempt, Judge, Look, Offer, RoomState, RoomStep, WaitingRoom};

#[parts]
impl WaitingRoom {
    fn look(&mut self) {
        // The message at the port as a word.
        self.word.next = bits::<32>(0);
        self.word.next.set_value_sem(self.in_sem.val().get_bits::<10>(0));
        self.word.next.set_value_thread(self.in_thread.val());
        self.word.next.set_value_tag(self.in_tag.val());
        self.word.next.set_value_notify(self.in_notify.val());
        self.word.next.set_value_auto(self.in_auto.val());
        self.word.next.set_value_suppress(self.in_suppress.val());
        self.next_ticket.next = self.table.read_data.val().get_value_next();
        self.due.next = self.table.read_data.val().get_value_due();
        self.auto.next = self.body.q.val().get_value_auto();
        self.bad.next = bit_cast::<17, 16>(self.sem.q.val()) >= self.sems.val();
        self.park.next = false;
        self.stay.next = false;
        self.gone.next = false;
        self.look.next = bit_cast::<12, 13>(self.head.q.val());
        self.row.next = bit_cast::<12, 16>(self.sem.q.val());
    }

    fn judge(&mut self) {
        if self.state.q.val() == RoomState::Judge {
            self.state.d.next = RoomState::Try;
            self.bare.d.next = true;
            if self.from.q.val() == RoomStep::New {
                // Behind those that wait for the same semaphore; without auto-release an entry is
                // needed.
                if !self.bad.val()
                    && (!self.auto.val()
                        || ((self.next_ticket.val() != self.due.val()) && !self.fault_room_overtake.val()))
                {
                    self.state.d.next = RoomState::Open;
                    self.park.next = true;
                }
            }
            if self.from.q.val() == RoomStep::Oldest {
                self.bare.d.next = false;
                if !self.entry_free.val() {
                    self.state.d.next = RoomState::Open;
                }
            }
            if (self.from.q.val() == RoomStep::Round)
                && (!self.auto.val() || ((self.ticket.q.val() != self.due.val()) && !self.fault_room_overtake.val()))
            {
                self.state.d.next = RoomState::Open;
                self.stay.next = true;
            }
        }
    }

    fn attempt(&mut self) {
        if self.state.q.val() == RoomState::Try {
            if self.acq.ready.val() {
                self.state.d.next = RoomState::Open;
                self.gone.next = self.from.q.val() != RoomStep::New;
            }
            if self.acq.refused.val() {
                self.state.d.next = RoomState::Open;
                self.park.next = self.from.q.val() == RoomStep::New;
                self.stay.next = self.from.q.val() == RoomStep::Round;
            }
        }
    }

    fn offer(&mut self) {
        self.acq.valid.next = self.straight.val() && self.in_valid.val();
        self.acq.sem.next = self.in_sem.val();
        self.acq.thread.next = self.in_thread.val();
        self.acq.auto.next = self.in_auto.val();
        self.acq.suppress.next = self.in_suppress.val();
        self.acq.notify.next = self.in_notify.val();
        self.acq.tag.next = self.in_tag.val();
        self.acq.bare.next = false;
        self.in_ready.next = (self.straight.val() && self.acq.ready.val())
            || (self.state.q.val() == RoomState::Take)
            || self.choose_new.val();
        if !self.straight.val() {
            self.acq.valid.next = self.state.q.val() == RoomState::Try;
            self.acq.sem.next = self.sem.q.val();
            self.acq.thread.next = self.body.q.val().get_value_thread();
            self.acq.auto.next = self.body.q.val().get_value_auto();
            self.acq.suppress.next = self.body.q.val().get_value_suppress();
            self.acq.notify.next = self.body.q.val().get_value_notify();
            self.acq.tag.next = self.body.q.val().get_value_tag();
            self.acq.bare.next = self.bare.q.val() && !(self.fault_room_try_changed.val() && self.entry_free.val());
        }
        self.exhausted.next = self.waiting.val();
        self.active.next = !self.quiet.val() || self.waiting.val();
    }
}
