//! A warp slot as a member of a pair: lanes that stop at a merge point, the end of waiting if the
//! partner is no more, and the merge itself (MS-11, MS-14).
//!
//! MERGE stops lanes only while the partner has lanes. A partner that ends does so in the cycle of
//! an issue, so the order of issues says which came first. Lanes that have stopped go on when their
//! member has stopped and has no partner: nothing of it is being fetched then.
//!
//! In other forms of the point (MS-10) the same lanes stop, when an instruction issues that carries
//! the event, or when the lowest counter is found and the point beside the program is there.
//! Nothing is fetched for them then.
//!
//! A member that has stopped fetches nothing: the fetch that a change of its counters asks for is
//! dropped, so no instruction can come in after the merge. Lanes that are helpers at the merge end
//! with it (MS-11). In a group of more than two member 0 stays stopped until the last one has come.
//! If the machine is built so (`merge_helpers_end`) they end at the point also in a warp without a
//! partner; and in every machine if the program splits behind it.
//!
//! Planted faults: `event-modifier`, `helpers-stay`, `twin-helpers`.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::{
    HelperEnds, LoneMember, MemberOwners, MergeOutputs, MergePoints, MergeStops, Merging, PairMembers, WarpContext,
};
use crate::warp::words::Kind;

#[parts]
impl WarpContext {
    fn pair_members(&mut self) {
        for k in 0..self._merges {
            self.is_member[k].clock.next = self.clock.val();
            self.lanes_stopped[k].clock.next = self.clock.val();
            self.lanes_owned[k].clock.next = self.clock.val();
            self.lanes_mate[k].clock.next = self.clock.val();
            self.is_member[k].d.next = self.is_member[k].q.val();
            self.lanes_stopped[k].d.next = self.lanes_stopped[k].q.val();
            self.lanes_owned[k].d.next = self.lanes_owned[k].q.val();
            self.lanes_mate[k].d.next = self.lanes_mate[k].q.val();
            // Covered lanes that do something else than stand at a merge point.
            self.busy_lanes[k].next = (self.running.q.val() | self.blocked.q.val()) & self.lanes_covered[k].q.val();
            if self.fault_merge_early[k].val() {
                self.busy_lanes[k].next = bits::<4>(0);
            }
            self.has_stopped[k].next = self.is_member[k].q.val()
                && (self.lanes_stopped[k].q.val() & self.lanes_covered[k].q.val()).any()
                && !self.busy_lanes[k].val().any();
        }
    }

    fn merge_stops(&mut self) {
        for k in 0..self._merges {
            for _i in 0..self._by_instruction {
                // MERGE, opcode 0x08.
                if self.issue.val()
                    && (self.buffer_lo.q.val().get_bits::<8>(0) == bits::<8>(0x08))
                    && !self.buffer_kind.q.val().get_value_traps()
                    && self.is_member[k].q.val()
                    && (self.partner[k].val() || self.fault_pair_waits[k].val())
                {
                    self.running.d.next = self.running.q.val() & !self.lowest_mask.q.val();
                    self.lanes_stopped[k].d.next = self.lanes_stopped[k].q.val() | self.lowest_mask.q.val();
                }
                for e in 0..self._helpers_end {
                    self.meets[e].next = bits::<4>(0);
                    if self.issue.val()
                        && (self.buffer_lo.q.val().get_bits::<8>(0) == bits::<8>(0x08))
                        && !self.buffer_kind.q.val().get_value_traps()
                    {
                        self.meets[e].next = self.lowest_mask.q.val();
                    }
                }
            }
            for f in 0..self._by_modifier {
                // Bits 31:30 are 2: a merge point behind the instruction.
                if self.issue.val()
                    && (self.buffer_lo.q.val().get_bits::<2>(30) == bits::<2>(2))
                    && !self.buffer_kind.q.val().get_value_traps()
                    && self.is_member[k].q.val()
                    && (self.partner[k].val() || self.fault_pair_waits[k].val())
                    && !self.fault_event_modifier[f].val()
                {
                    self.running.d.next = self.running.q.val() & !self.lowest_mask.q.val();
                    self.lanes_stopped[k].d.next = self.lanes_stopped[k].q.val() | self.lowest_mask.q.val();
                }
                for e in 0..self._helpers_end {
                    self.meets[e].next = bits::<4>(0);
                    if self.issue.val()
                        && (self.buffer_lo.q.val().get_bits::<2>(30) == bits::<2>(2))
                        && !self.buffer_kind.q.val().get_value_traps()
                    {
                        self.meets[e].next = self.lowest_mask.q.val();
                    }
                }
            }
        }
    }

    fn merge_points(&mut self) {
        for k in 0..self._merges {
            for b in 0..self._merges_beside {
                self.merge_point[b].next = self.merge_at[b].q.val();
                for f in 0..self._by_counter {
                    if self.fault_event_counter[f].val() && self.merge_at[b].q.val().any() {
                        self.merge_point[b].next = self.merge_at[b].q.val() + bits::<16>(1);
                    }
                }
                self.merge_met[b].next = bits::<4>(0);
                for _c in 0..self._by_counter {
                    if self.low.val() == self.merge_point[b].val() {
                        self.merge_met[b].next = bits::<4>(15);
                    }
                }
                for l in 0..self._counted {
                    if self.executed[l].q.val() == self.merge_point[b].val() {
                        self.merge_met[b].next = self.merge_met[b].val() | (bits::<4>(1) << l.to_bits::<4>());
                    }
                }
                self.merge_here[b].next = self.merge_met[b].val() & self.at_low.val() & self.running.q.val();
                if !self.dirty.q.val() || !self.merge_point[b].val().any() || self.has_stopped[k].val() {
                    self.merge_here[b].next = bits::<4>(0);
                }
                for e in 0..self._helpers_end {
                    self.meets[e].next = self.merge_here[b].val();
                }
                if self.merge_here[b].val().any()
                    && self.is_member[k].q.val()
                    && (self.partner[k].val() || self.fault_pair_waits[k].val())
                {
                    self.running.d.next = self.running.q.val() & !self.merge_here[b].val();
                    self.lanes_stopped[k].d.next = self.lanes_stopped[k].q.val() | self.merge_here[b].val();
                    self.known.d.next = false;
                    self.dirty.d.next = true;
                }
            }
        }
    }

    fn helper_ends(&mut self) {
        for k in 0..self._merges {
            // Lanes that meet the point in a warp without a partner, and cover nothing (MS-35).
            for e in 0..self._helpers_end {
                self.over[e].next = self.meets[e].val() & !self.lanes_covered[k].q.val();
                if self.is_member[k].q.val() && self.partner[k].val() {
                    self.over[e].next = bits::<4>(0);
                }
                if self._only_twins {
                    if !self.is_both[0].q.val() || self.fault_twin_helpers[0].val() {
                        self.over[e].next = bits::<4>(0);
                    }
                }
                if self.over[e].val().any() && !self.fault_helpers_stay[e].val() {
                    self.running.d.next = self.running.q.val() & !self.over[e].val();
                    for _b in 0..self._merges_beside {
                        self.known.d.next = false;
                        self.dirty.d.next = true;
                    }
                }
            }
            if self.dirty.q.val() && self.has_stopped[k].val() {
                self.known.d.next = false;
            }
            // An end of the warp ends lanes that have stopped.
            if self.looks[k].val()
                && !(self.stays[k].val() & self.left[k].val()).any()
                && !self.fault_helpers_run[k].val()
            {
                self.lanes_stopped[k].d.next = bits::<4>(0);
            }
        }
    }

    fn lone_member(&mut self) {
        for k in 0..self._merges {
            self.alone[k].next = self.has_stopped[k].val() && !self.partner[k].val() && !self.fault_pair_waits[k].val();
            if self.alone[k].val() {
                self.is_member[k].d.next = false;
                self.running.d.next = self.running.q.val() | self.lanes_stopped[k].q.val();
                for e in 0..self._helpers_end {
                    if !self.fault_helpers_stay[e].val() {
                        self.running.d.next =
                            self.running.q.val() | (self.lanes_stopped[k].q.val() & self.lanes_covered[k].q.val());
                    }
                    if self._only_twins {
                        if !self.is_both[0].q.val() || self.fault_twin_helpers[0].val() {
                            self.running.d.next = self.running.q.val() | self.lanes_stopped[k].q.val();
                        }
                    }
                }
                self.lanes_stopped[k].d.next = bits::<4>(0);
                self.known.d.next = false;
                self.dirty.d.next = true;
            }
        }
    }

    fn merging(&mut self) {
        for k in 0..self._merges {
            self.coming[k].next = bits::<4>(0);
            if self.take[k].val() {
                self.coming[k].next = self.mate_stopped[k].val();
                self.running.d.next =
                    (self.lanes_stopped[k].q.val() & self.lanes_covered[k].q.val()) | self.coming[k].val();
                if self.fault_merge_helpers[k].val() {
                    self.running.d.next = self.lanes_stopped[k].q.val() | self.coming[k].val();
                }
                self.blocked.d.next = bits::<4>(0);
                self.lanes_stopped[k].d.next = bits::<4>(0);
                self.lanes_covered[k].d.next = self.lanes_covered[k].q.val() | self.mate_covered[k].val();
                self.lanes_owned[k].d.next = self.lanes_owned[k].q.val() | self.mate_owned[k].val();
                self.lanes_mate[k].d.next = self.mate_owned[k].val();
                self.is_member[k].d.next = false;
                self.known.d.next = false;
                self.dirty.d.next = true;
                // Of a group it waits until each member has come, or has ended.
                for m in 0..self._threes {
                    self.lanes_mate[k].d.next = self.lanes_mate[k].q.val() & !self.mate_owned[k].val();
                    if self.mate_number[m].val().get_bit(0) {
                        self.lanes_mate[k].d.next = self.lanes_mate[k].q.val() | self.mate_owned[k].val();
                    }
                    if self.more_to_come[m].val() {
                        self.lanes_stopped[k].d.next =
                            (self.lanes_stopped[k].q.val() & self.lanes_covered[k].q.val()) | self.coming[k].val();
                        self.running.d.next = bits::<4>(0);
                        self.is_member[k].d.next = true;
                        self.dirty.d.next = false;
                    }
                }
            }
            if self.coming[k].val().get_bit(0) {
                self.pc0.d.next = self.mate_pc0[k].val();
            }
            if self.coming[k].val().get_bit(1) {
                self.pc1.d.next = self.mate_pc1[k].val();
            }
            if self.coming[k].val().get_bit(2) {
                self.pc2.d.next = self.mate_pc2[k].val();
            }
            if self.coming[k].val().get_bit(3) {
                self.pc3.d.next = self.mate_pc3[k].val();
            }
        }
    }

    fn member_owners(&mut self) {
        for k in 0..self._merges {
            if self.leave[k].val() {
                self.running.d.next = bits::<4>(0);
                self.blocked.d.next = bits::<4>(0);
                self.lanes_stopped[k].d.next = bits::<4>(0);
                self.is_member[k].d.next = false;
                self.known.d.next = false;
            }
            if self.launch.val() {
                self.is_member[k].d.next = self.launch_member[k].val();
                self.lanes_stopped[k].d.next = bits::<4>(0);
                self.lanes_owned[k].d.next = self.launch_covered[k].val();
                self.lanes_mate[k].d.next = bits::<4>(0);
                if self.launch_guest[k].val() {
                    self.lanes_mate[k].d.next = bits::<4>(15);
                }
            }
            for m in 0..self._threes {
                dff_setup!(self, clock, lanes_mate_high[m]);
                if self.take[k].val() {
                    self.lanes_mate_high[m].d.next = self.lanes_mate_high[m].q.val() & !self.mate_owned[k].val();
                    if self.mate_number[m].val().get_bit(1) {
                        self.lanes_mate_high[m].d.next = self.lanes_mate_high[m].q.val() | self.mate_owned[k].val();
                    }
                }
                if self.launch.val() {
                    self.lanes_mate[k].d.next = bits::<4>(0);
                    self.lanes_mate_high[m].d.next = bits::<4>(0);
                    if self.launch_member[k].val() && self.launch_number[m].val().get_bit(0) {
                        self.lanes_mate[k].d.next = bits::<4>(15);
                    }
                    if self.launch_member[k].val() && self.launch_number[m].val().get_bit(1) {
                        self.lanes_mate_high[m].d.next = bits::<4>(15);
                    }
                }
                self.mate_high[m].next = self.lanes_mate_high[m].q.val();
            }
        }
    }

    fn merge_outputs(&mut self) {
        for k in 0..self._merges {
            self.member[k].next = self.is_member[k].q.val();
            self.alive[k].next = (self.running.q.val() | self.blocked.q.val() | self.lanes_stopped[k].q.val()).any();
            self.ready_to_merge[k].next = self.has_stopped[k].val() && (self.in_flight.q.val() == bits::<6>(0));
            self.stopped[k].next = self.lanes_stopped[k].q.val() & self.lanes_covered[k].q.val();
            self.owned[k].next = self.lanes_owned[k].q.val();
            self.mate[k].next = self.lanes_mate[k].q.val();
            self.lane_pc0[k].next = self.pc0.q.val();
            self.lane_pc1[k].next = self.pc1.q.val();
            self.lane_pc2[k].next = self.pc2.q.val();
            self.lane_pc3[k].next = self.pc3.q.val();
        }
    }
}
