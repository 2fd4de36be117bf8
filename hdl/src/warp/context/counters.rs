//! A warp slot's counters: which lanes are at the lowest one, what is fetched for them, and where
//! an instruction's issue or a branch moves them.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::{AtLowest, Counters, Issue, Lowest, WarpContext};
use crate::comment;
use crate::warp::words::Kind;

#[parts]
impl WarpContext {
    fn lowest(&mut self) {
        comment!("module: warp_context");
        dff_setup!(self, clock, pc0, pc1, pc2, pc3, running, blocked, group, dirty, known, lowest_pc, lowest_mask);
        dff_setup!(self, clock, buffered, buffer_lo, buffer_hi, buffer_need, buffer_sets, buffer_kind, pending);
        dff_setup!(self, clock, in_flight, sequence, waiting, awake, wait_count, unsent, masked_now, saved_mask);
        // The lowest counter among the running lanes, and the lanes at it.
        self.lane_pc[0].next = self.pc0.q.val();
        self.lane_pc[1].next = self.pc1.q.val();
        self.lane_pc[2].next = self.pc2.q.val();
        self.lane_pc[3].next = self.pc3.q.val();
        self.low.next = self.pc0.q.val();
        self.found.next = false;
        for i in 0..4 {
            self.less[i].next = self.lane_pc[i].val() < self.low.val();
            if self.fault_lowest_pc.val() {
                self.less[i].next = self.low.val() < self.lane_pc[i].val();
            }
            if self.running.q.val().get_bit(i) {
                if !self.found.val() || self.less[i].val() {
                    self.low.next = self.lane_pc[i].val();
                }
                self.found.next = true;
            }
        }
    }

    fn at_lowest(&mut self) {
        self.at_low.next = bits::<4>(0);
        for i in 0..4 {
            if self.lane_pc[i].val() == self.low.val() {
                self.at_low.next = self.at_low.val() | (bits::<4>(1) << i.to_bits::<4>());
            }
        }
        if self.dirty.q.val() {
            self.dirty.d.next = false;
            self.known.d.next = self.found.val();
            self.lowest_pc.d.next = self.low.val();
            self.lowest_mask.d.next = self.at_low.val() & self.running.q.val();
        }
        if self.fill.val() {
            self.buffered.d.next = true;
            self.buffer_lo.d.next = self.fill_ports.fill_lo.val();
            self.buffer_hi.d.next = self.fill_ports.fill_hi.val();
            self.buffer_need.d.next = self.fill_ports.fill_need.val();
            self.buffer_sets.d.next = self.fill_ports.fill_sets.val();
            self.buffer_kind.d.next = self.fill_ports.fill_kind.val();
        }
    }

    fn issue(&mut self) {
        // Issue and branch: which lanes move, and which of them to the target.
        self.following.next = self.lowest_pc.q.val() + bits::<16>(1);
        self.target.next = bit_cast::<16, 32>(self.buffer_hi.q.val());
        self.advance.next = bits::<4>(0);
        self.taken.next = bits::<4>(0);
        if self.branch.val() {
            self.advance.next = self.lowest_mask.q.val();
            self.taken.next = self.branch_taken.val();
        }
        self.pending.d.next = self.pending.q.val() & !self.clear.val();
        if self.issue.val() {
            self.buffered.d.next = false;
            self.known.d.next = false;
            self.sequence.d.next = self.sequence.q.val() + bits::<8>(1);
            self.pending.d.next = (self.pending.q.val() & !self.clear.val()) | self.buffer_sets.q.val();
            if !self.buffer_kind.q.val().get_value_conditional() {
                self.advance.next = self.lowest_mask.q.val();
            }
            if self.buffer_kind.q.val().get_value_jumps() {
                self.taken.next = self.lowest_mask.q.val();
            }
            if self.buffer_kind.q.val().get_value_barrier() {
                self.running.d.next = self.running.q.val() & !self.lowest_mask.q.val();
                self.blocked.d.next = self.blocked.q.val() | self.lowest_mask.q.val();
            }
            if self.buffer_kind.q.val().get_value_ends() {
                self.running.d.next = self.running.q.val() & !self.lowest_mask.q.val();
            }
        }
    }

    fn counters(&mut self) {
        if self.advance.val().any() {
            self.dirty.d.next = true;
        }
        if self.advance.val().get_bit(0) {
            self.pc0.d.next = self.following.val();
            if self.taken.val().get_bit(0) {
                self.pc0.d.next = self.target.val();
            }
        }
        if self.advance.val().get_bit(1) {
            self.pc1.d.next = self.following.val();
            if self.taken.val().get_bit(1) {
                self.pc1.d.next = self.target.val();
            }
        }
        if self.advance.val().get_bit(2) {
            self.pc2.d.next = self.following.val();
            if self.taken.val().get_bit(2) {
                self.pc2.d.next = self.target.val();
            }
        }
        if self.advance.val().get_bit(3) {
            self.pc3.d.next = self.following.val();
            if self.taken.val().get_bit(3) {
                self.pc3.d.next = self.target.val();
            }
        }
    }
}
