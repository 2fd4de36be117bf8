//! Which step the waiting room takes next, and how it begins. The new message, the oldest one and
//! the round have turns: the one behind the last step comes first, if there is something to do.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::super::rows::{TicketRow, WaitingMessage};
use super::{Begin, Choose, Read, Registers, RoomState, RoomStep, WaitingRoom, Waits};
use crate::comment;

#[parts]
impl WaitingRoom {
    fn registers(&mut self) {
        comment!("module: waiting_room");
        dff_setup!(self, clock, state, head, keep, scan, tail, round, again);
        dff_setup!(self, clock, last, from, body, ticket, sem, bare, clearing, clear_index);
        clock!(self, clock, bodies, tickets, table);
    }

    fn waits(&mut self) {
        self.kept.next = self.head.q.val() != self.keep.q.val();
        self.waiting.next = self.head.q.val() != self.tail.q.val();
        if self.round.q.val() {
            self.waiting.next = self.kept.val() || (self.scan.q.val() != self.tail.q.val());
        }
        self.used.next = self.tail.q.val() - self.head.q.val();
        self.quiet.next = (self.state.q.val() == RoomState::Open) && !self.clearing.q.val();
        self.straight.next = self.quiet.val()
            && ((!self.waiting.val() && !self.round.q.val())
                || (self.fault_room_straight.val() && self.entry_free.val()));
    }

    fn choose(&mut self) {
        self.want_new.next = self.in_valid.val() && (self.used.val() != self.places.val());
        if self.fault_room_blocks.val() && self.waiting.val() {
            // What needs no entry waits behind what does.
            self.want_new.next = false;
        }
        self.want_oldest.next = self.waiting.val() && self.entry_free.val();
        self.want_round.next = self.round.q.val() || (self.again.q.val() && !self.fault_room_asleep.val());
        self.choose_new.next = self.want_new.val();
        self.choose_oldest.next = self.want_oldest.val() && !self.want_new.val();
        self.choose_round.next = self.want_round.val() && !self.want_new.val() && !self.want_oldest.val();
        if self.last.q.val() == RoomStep::New {
            self.choose_oldest.next =
                self.want_oldest.val() && !(self.fault_room_oldest_last.val() && self.want_round.val());
            self.choose_round.next = self.want_round.val() && !self.want_oldest.val();
            self.choose_new.next = self.want_new.val() && !self.want_oldest.val() && !self.want_round.val();
        }
        if self.last.q.val() == RoomStep::Oldest {
            self.choose_round.next = self.want_round.val();
            self.choose_new.next = self.want_new.val() && !self.want_round.val();
            self.choose_oldest.next = self.want_oldest.val() && !self.want_new.val() && !self.want_round.val();
        }
        if !self.quiet.val() || self.straight.val() {
            self.choose_new.next = false;
            self.choose_oldest.next = false;
            self.choose_round.next = false;
        }
        self.at_scan.next = self.round.q.val() && !self.kept.val();
        if self.emptied.val() {
            self.again.d.next = true;
        }
    }

    fn begin(&mut self) {
        if self.straight.val() && self.in_valid.val() && !self.acq.ready.val() && !self.entry_free.val() {
            self.state.d.next = RoomState::Take;
        }
        if (self.state.q.val() == RoomState::Take) || self.choose_new.val() {
            self.state.d.next = RoomState::Judge;
            self.last.d.next = RoomStep::New;
            self.from.d.next = RoomStep::New;
            self.body.d.next = self.word.val();
            self.sem.d.next = self.in_sem.val();
            self.row.next = bit_cast::<12, 16>(self.in_sem.val());
        }
        if self.choose_oldest.val() {
            self.state.d.next = RoomState::Read;
            self.last.d.next = RoomStep::Oldest;
            self.from.d.next = RoomStep::Oldest;
            if self.at_scan.val() {
                self.look.next = bit_cast::<12, 13>(self.scan.q.val());
            }
        }
        if self.choose_round.val() {
            self.last.d.next = RoomStep::Round;
            self.from.d.next = RoomStep::Round;
            self.look.next = bit_cast::<12, 13>(self.scan.q.val());
            if !self.round.q.val() {
                // A round begins.
                self.round.d.next = true;
                self.again.d.next = self.emptied.val();
                self.keep.d.next = self.head.q.val();
                self.scan.d.next = self.head.q.val();
            } else if self.scan.q.val() == self.tail.q.val() {
                // It ends; no message lies behind those that it kept.
                self.round.d.next = false;
                if !self.fault_room_gaps.val() {
                    self.tail.d.next = self.keep.q.val();
                }
            } else {
                self.state.d.next = RoomState::Read;
            }
        }
        if self.straight.val() {
            self.again.d.next = false;
        }
    }

    fn read(&mut self) {
        if self.state.q.val() == RoomState::Read {
            self.state.d.next = RoomState::Judge;
            self.body.d.next = self.bodies.read_data.val();
            self.ticket.d.next = self.tickets.read_data.val().get_value_ticket();
            self.sem.d.next = bit_cast::<16, 10>(self.bodies.read_data.val().get_value_sem());
            self.row.next = bit_cast::<12, 10>(self.bodies.read_data.val().get_value_sem());
        }
    }
}
