//! A warp slot's state beside its counters: what is in flight, semaphores, the lanes that wait for
//! a representative, launch, and the ports.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::{Coverage, InFlight, Launch, Mask, Outputs, Semaphores, WarpContext};
use crate::warp::words::Kind;

#[parts]
impl WarpContext {
    fn in_flight(&mut self) {
        // In flight: 0 to 2 instructions leave in one cycle, at most one enters.
        if self.issue.val() && !self.retire.val() && !self.complete.val() {
            self.in_flight.d.next = self.in_flight.q.val() + bits::<6>(1);
        }
        if !self.issue.val() && (self.retire.val() ^ self.complete.val()) {
            self.in_flight.d.next = self.in_flight.q.val() - bits::<6>(1);
        }
        if self.retire.val() && self.complete.val() {
            self.in_flight.d.next = self.in_flight.q.val() - bits::<6>(2);
            if self.issue.val() {
                self.in_flight.d.next = self.in_flight.q.val() - bits::<6>(1);
            }
        }
        // Barrier: blocked lanes run again when no slot of the group has a running lane.
        self.let_go.next = !(self.group.q.val() & self.running_slots.val()).any();
        if self.fault_barrier_early.val() {
            self.let_go.next = !self.running.q.val().any();
        }
        if self.blocked.q.val().any() && self.let_go.val() {
            self.running.d.next = self.blocked.q.val();
            self.blocked.d.next = bits::<4>(0);
            self.dirty.d.next = true;
        }
    }

    fn semaphores(&mut self) {
        // Semaphores.
        self.more.next = self.issue.val() && self.buffer_kind.q.val().get_value_acquires();
        self.fewer.next = self.acknowledge.val() && self.wait_count.q.val().any();
        if self.fault_ack_lost.val() && !self.waiting.q.val() {
            self.fewer.next = false;
        }
        if self.more.val() && !self.fewer.val() {
            self.wait_count.d.next = self.wait_count.q.val() + bits::<5>(1);
        }
        if !self.more.val() && self.fewer.val() {
            self.wait_count.d.next = self.wait_count.q.val() - bits::<5>(1);
        }
        self.blocked_by_wait.next = self.waiting.q.val() && self.wait_count.q.val().any();
        self.waiting.d.next = self.blocked_by_wait.val();
        // A wait that ends counts from this cycle on, in which the slot can be chosen, to its next
        // issue.
        self.woken.next = self.awake.q.val() || (self.waiting.q.val() && !self.wait_count.q.val().any());
        self.awake.d.next = self.woken.val() && !self.issue.val();
        if self.issue.val() && self.buffer_kind.q.val().get_value_waits() {
            self.waiting.d.next = true;
            if self.fault_wait_ignored.val() && !self.buffer_kind.q.val().get_value_acquires() {
                self.waiting.d.next = false;
            }
        }
        self.sends.next = self.issue.val() && self.buffer_kind.q.val().get_value_message();
        if self.sends.val() && !self.sent.val() {
            self.unsent.d.next = self.unsent.q.val() + bits::<5>(1);
        }
        if !self.sends.val() && self.sent.val() {
            self.unsent.d.next = self.unsent.q.val() - bits::<5>(1);
        }
    }

    fn mask(&mut self) {
        // Representative.
        if self.unmask.val() {
            self.masked_now.d.next = false;
        }
        if self.issue.val() && self.buffer_kind.q.val().get_value_wide() && (self.representative.val() == bits::<1>(1))
        {
            self.masked_now.d.next = true;
            self.saved_mask.d.next = self.lowest_mask.q.val();
            if self.fault_wide_inactive.val() {
                self.saved_mask.d.next = bits::<4>(15);
            }
        }
        self.masked.next = self.masked_now.q.val();
        self.saved.next = self.saved_mask.q.val();
    }

    fn coverage(&mut self) {
        for k in 0..self._graphics {
            self.lanes_covered[k].clock.next = self.clock.val();
            dff_setup!(self, clock, window_now[k]);
            // DISCARD is END with bit 0 set. An instruction that traps is none of them.
            self.demotes[k].next = (self.buffer_lo.q.val().get_bits::<8>(0) == bits::<8>(0x0A))
                && !self.buffer_lo.q.val().get_bit(30)
                && !self.buffer_kind.q.val().get_value_traps();
            self.looks[k].next = self.issue.val()
                && (self.demotes[k].val()
                    || (self.buffer_kind.q.val().get_value_ends() && !self.buffer_kind.q.val().get_value_traps()));
            self.uncovers[k].next = self.looks[k].val()
                && ((self.demotes[k].val() && !self.fault_demote_kept[k].val())
                    || (!self.demotes[k].val()
                        && self.buffer_lo.q.val().get_bit(0)
                        && !self.fault_discard_covers[k].val()));
            self.left[k].next = self.lanes_covered[k].q.val();
            if self.uncovers[k].val() {
                self.left[k].next = self.lanes_covered[k].q.val() & !self.lowest_mask.q.val();
            }
            self.lanes_covered[k].d.next = self.left[k].val();
            self.stands[k].next = self.running.q.val() | self.blocked.q.val();
            if self.buffer_kind.q.val().get_value_ends() {
                self.stands[k].next = (self.running.q.val() | self.blocked.q.val()) & !self.lowest_mask.q.val();
            }
            self.with_stopped[k].next = self.stands[k].val();
            for m in 0..self._merges {
                self.with_stopped[k].next = self.stands[k].val() | self.lanes_stopped[m].q.val();
            }
            self.stays[k].next = self.with_stopped[k].val();
            for m in 0..self._splits {
                self.stays[k].next = self.with_stopped[k].val() | self.lanes_split[m].q.val();
            }
            if self.looks[k].val()
                && self.window_now[k].q.val().get_bit(5)
                && self.window_now[k].q.val().get_bit(0)
                && !(self.stays[k].val() & self.left[k].val()).any()
                && !self.fault_helpers_run[k].val()
            {
                self.running.d.next = bits::<4>(0);
                self.blocked.d.next = bits::<4>(0);
            }
            if self.launch.val() {
                self.lanes_covered[k].d.next = self.launch_covered[k].val();
                self.window_now[k].d.next = self.launch_window[k].val();
            }
            self.covered[k].next = self.lanes_covered[k].q.val();
            self.window[k].next = self.window_now[k].q.val();
        }
    }

    fn launch(&mut self) {
        if self.launch.val() {
            self.pc0.d.next = self.launch_ports.launch_pc.val();
            self.pc1.d.next = self.launch_ports.launch_pc.val();
            self.pc2.d.next = self.launch_ports.launch_pc.val();
            self.pc3.d.next = self.launch_ports.launch_pc.val();
            self.wait_count.d.next = bit_cast::<5, 4>(self.launch_ports.launch_wait.val());
            self.waiting.d.next = false;
            self.awake.d.next = false;
            self.running.d.next = self.launch_ports.launch_mask.val();
            self.group.d.next = self.launch_group.val();
            self.known.d.next = false;
            self.dirty.d.next = true;
        }
    }

    fn outputs(&mut self) {
        // MERGE of a warp that is no member waits for nothing (MS-12), nor does SPLIT.
        self.passes_merge.next = false;
        for k in 0..self._merges {
            self.passes_merge.next = (self.buffer_lo.q.val().get_bits::<8>(0) == bits::<8>(0x08))
                && !self.buffer_kind.q.val().get_value_traps()
                && !self.is_member[k].q.val();
        }
        for k in 0..self._splits {
            if (self.buffer_lo.q.val().get_bits::<8>(0) == bits::<8>(0x09))
                && !self.buffer_kind.q.val().get_value_traps()
                && !self.is_unsplit[k].q.val()
            {
                self.passes_merge.next = true;
            }
        }
        self.free.next = !self.running.q.val().any()
            && !self.blocked.q.val().any()
            && (self.in_flight.q.val() == bits::<6>(0))
            && !self.unsent.q.val().any()
            && (!self.wait_count.q.val().any() || self.fault_free_while_waiting.val());
        for m in 0..self._merges {
            if self.lanes_stopped[m].q.val().any() {
                self.free.next = false;
            }
        }
        for m in 0..self._splits {
            if self.is_asleep[m].q.val() || self.is_unsplit[m].q.val() || self.members[m].q.val().any() {
                self.free.next = false;
            }
        }
        for t in 0..self._twins {
            if self.twin_held[t].val() {
                self.free.next = false;
            }
        }
        self.waits.next = self.blocked_by_wait.val();
        self.any_running.next = self.running.q.val().any();
        self.need_fetch.next = self.known.q.val() && !self.buffered.q.val();
        self.next_pc.next = self.lowest_pc.q.val();
        self.occupied.next = self.buffered.q.val();
        self.ready.next = self.buffered.q.val()
            && !self.blocked_by_wait.val()
            && !self.masked_now.q.val()
            && !(self.pending.q.val() & self.buffer_need.q.val()).any()
            && (!self.buffer_kind.q.val().get_value_drains()
                || (self.in_flight.q.val() == bits::<6>(0))
                || self.passes_merge.val());
        self.lo.next = self.buffer_lo.q.val();
        self.hi.next = self.buffer_hi.q.val();
        self.sets.next = self.buffer_sets.q.val();
        self.kind.next = self.buffer_kind.q.val();
        self.mask.next = self.lowest_mask.q.val();
        self.seq.next = self.sequence.q.val();
    }
}
