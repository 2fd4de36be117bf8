//! The waiting room's places: who goes where, the memories' addresses and words, and `start`.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::super::rows::{TicketRow, TurnRow};
use super::{Memories, Place, RoomState, RoomStep, Start, WaitingRoom};

#[parts]
impl WaitingRoom {
    fn place(&mut self) {
        self.place.next = self.tail.q.val();
        if self.stay.val() {
            self.place.next = self.keep.q.val();
            self.keep.d.next = self.keep.q.val() + bits::<13>(1);
            self.scan.d.next = self.scan.q.val() + bits::<13>(1);
        }
        if self.park.val() && !(self.fault_room_lost.val() && self.round.q.val()) {
            self.tail.d.next = self.tail.q.val() + bits::<13>(1);
        }
        if self.gone.val() {
            if (self.from.q.val() == RoomStep::Round) || self.at_scan.val() {
                self.scan.d.next = self.scan.q.val() + bits::<13>(1);
            } else {
                self.head.d.next = self.head.q.val() + bits::<13>(1);
            }
        }
    }

    fn memories(&mut self) {
        self.bodies.read_address.next = self.look.val();
        self.bodies.write_address.next = bit_cast::<12, 13>(self.place.val());
        self.bodies.write_data.next = self.body.q.val();
        self.bodies.write_enable.next = self.park.val() || self.stay.val();
        self.tickets.read_address.next = self.look.val();
        self.tickets.write_address.next = bit_cast::<12, 13>(self.place.val());
        self.tickets.write_data.next = bits::<32>(0);
        self.tickets.write_data.next.set_value_ticket(self.ticket.q.val());
        if self.park.val() {
            self.tickets.write_data.next.set_value_ticket(self.next_ticket.val());
        }
        self.tickets.write_enable.next = self.park.val() || self.stay.val();
        self.table.read_address.next = self.row.val();
        self.table.write_address.next = bit_cast::<12, 16>(self.sem.q.val());
        self.ticket_after.next = self.next_ticket.val();
        self.due_after.next = self.due.val();
        if self.park.val() {
            self.ticket_after.next = self.next_ticket.val() + bits::<13>(1);
        }
        if self.gone.val() {
            self.due_after.next = self.due.val() + bits::<13>(1);
        }
        self.table.write_data.next = bits::<32>(0);
        self.table.write_data.next.set_value_due(self.due_after.val());
        self.table.write_data.next.set_value_next(self.ticket_after.val());
        self.table.write_enable.next = self.park.val() || self.gone.val();
    }

    fn start(&mut self) {
        if self.clearing.q.val() {
            self.table.write_address.next = self.clear_index.q.val();
            self.table.write_data.next = bits::<32>(0);
            self.table.write_enable.next = true;
            self.clear_index.d.next = self.clear_index.q.val() + bits::<12>(1);
            if self.clear_index.q.val() == self.last_sem.val() {
                self.clearing.d.next = false;
            }
        }
        if self.start.val() {
            self.clearing.d.next =
                self.waiting.val() || (self.state.q.val() != RoomState::Open) || self.clearing.q.val();
            self.clear_index.d.next = bits::<12>(0);
            self.state.d.next = RoomState::Open;
            self.head.d.next = bits::<13>(0);
            self.tail.d.next = bits::<13>(0);
            self.round.d.next = false;
            self.again.d.next = false;
        }
    }
}
