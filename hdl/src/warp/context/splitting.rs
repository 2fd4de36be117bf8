//! A warp slot as a member of a group that splits: member 0, which runs for all of them up to
//! SPLIT, and those that sleep until then (MS-40 to MS-42).
//!
//! SPLIT stops the lanes of member 0. When none of its lanes runs any more, nothing of it is in
//! flight and all members are launched, the group is ready. The table lets one group of a unit
//! split in a cycle. Then each member covers what its own sample covers of what is still covered.
//! It goes on with the lanes that had stopped and with their counters. If none of them covers
//! anything for it, it has ended. So a group whose lanes have all ended before a split point ends
//! by the same way.
//!
//! Of a member that is a pixel (MS-41) all lanes go on with the counter of that pixel's lane of
//! member 0, if it had stopped and covers something. Its samples that cover nothing end: behind
//! the split no lane looks at another.
//!
//! In other forms of the point (MS-10) the same lanes stop, as `merging.rs` says of merges.
//!
//! The public registers of all members stand in the slot of member 0. So that slot is free only
//! when every member has ended: bit m - 1 of `members` stands for member m until its slot is free.
//!
//! It can be wrong in a member that wakes before it is launched, and in one that is never woken.
//!
//! Planted faults: `split-early`, `split-sleeps`, `split-discarded`, `split-free`,
//! `shape-counters`, `twin-sleeps`.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::{
    PixelLane, PixelTurn, SplitBeside, SplitLanes, SplitMembers, SplitOutputs, SplitPoint, SplitReady, SplitRegisters,
    SplitTwins, Splitting, WarpContext,
};
use crate::warp::words::Kind;

#[parts]
impl WarpContext {
    fn split_registers(&mut self) {
        for k in 0..self._splits {
            self.is_asleep[k].clock.next = self.clock.val();
            self.is_unsplit[k].clock.next = self.clock.val();
            self.to_come[k].clock.next = self.clock.val();
            self.members[k].clock.next = self.clock.val();
            self.group_others[k].clock.next = self.clock.val();
            self.lanes_split[k].clock.next = self.clock.val();
            self.lanes_after[k].clock.next = self.clock.val();
            self.is_locked[k].clock.next = self.clock.val();
            self.is_asleep[k].d.next = self.is_asleep[k].q.val();
            self.is_unsplit[k].d.next = self.is_unsplit[k].q.val();
            self.to_come[k].d.next = self.to_come[k].q.val();
            self.members[k].d.next = self.members[k].q.val();
            self.group_others[k].d.next = self.group_others[k].q.val();
            self.lanes_split[k].d.next = self.lanes_split[k].q.val();
            self.lanes_after[k].d.next = self.lanes_after[k].q.val();
            self.is_locked[k].d.next = self.is_locked[k].q.val();
        }
    }

    fn split_point(&mut self) {
        for k in 0..self._splits {
            for _i in 0..self._by_instruction {
                // SPLIT, opcode 0x09.
                if self.issue.val()
                    && (self.buffer_lo.q.val().get_bits::<8>(0) == bits::<8>(0x09))
                    && !self.buffer_kind.q.val().get_value_traps()
                    && self.is_unsplit[k].q.val()
                {
                    self.running.d.next = self.running.q.val() & !self.lowest_mask.q.val();
                    self.lanes_split[k].d.next = self.lanes_split[k].q.val() | self.lowest_mask.q.val();
                }
            }
            for f in 0..self._by_modifier {
                // Bits 31:30 are 3: a split point behind the instruction.
                if self.issue.val()
                    && (self.buffer_lo.q.val().get_bits::<2>(30) == bits::<2>(3))
                    && !self.buffer_kind.q.val().get_value_traps()
                    && self.is_unsplit[k].q.val()
                    && !self.fault_event_modifier[f].val()
                {
                    self.running.d.next = self.running.q.val() & !self.lowest_mask.q.val();
                    self.lanes_split[k].d.next = self.lanes_split[k].q.val() | self.lowest_mask.q.val();
                }
            }
        }
    }

    fn split_beside(&mut self) {
        for k in 0..self._splits {
            for b in 0..self._splits_beside {
                self.split_point[b].next = self.split_at[b].q.val();
                for f in 0..self._by_counter {
                    if self.fault_event_counter[f].val() && self.split_at[b].q.val().any() {
                        self.split_point[b].next = self.split_at[b].q.val() + bits::<16>(1);
                    }
                }
                self.split_met[b].next = bits::<4>(0);
                for _c in 0..self._by_counter {
                    if self.low.val() == self.split_point[b].val() {
                        self.split_met[b].next = bits::<4>(15);
                    }
                }
                for l in 0..self._counted {
                    if self.executed[l].q.val() == self.split_point[b].val() {
                        self.split_met[b].next = self.split_met[b].val() | (bits::<4>(1) << l.to_bits::<4>());
                    }
                }
                self.split_here[b].next = self.split_met[b].val() & self.at_low.val() & self.running.q.val();
                if self.dirty.q.val()
                    && self.split_point[b].val().any()
                    && self.split_here[b].val().any()
                    && self.is_unsplit[k].q.val()
                {
                    self.running.d.next = self.running.q.val() & !self.split_here[b].val();
                    self.lanes_split[k].d.next = self.lanes_split[k].q.val() | self.split_here[b].val();
                    self.known.d.next = false;
                    self.dirty.d.next = true;
                }
            }
        }
    }

    fn split_ready(&mut self) {
        for k in 0..self._splits {
            // An end of the warp ends lanes that have stopped.
            if self.looks[k].val()
                && !(self.stays[k].val() & self.left[k].val()).any()
                && !self.fault_helpers_run[k].val()
            {
                self.lanes_split[k].d.next = bits::<4>(0);
            }
            self.ready_to_split[k].next = self.is_unsplit[k].q.val()
                && (!self.to_come[k].q.val().any() || self.fault_split_early[k].val())
                && !self.running.q.val().any()
                && !self.blocked.q.val().any()
                && (self.in_flight.q.val() == bits::<6>(0));
            // A group that has a partner splits when that is there; lanes at a merge point go on
            // first.
            for t in 0..self._twins {
                for m in 0..self._merges {
                    if self.twin_open[t].val() || self.lanes_stopped[m].q.val().any() {
                        self.ready_to_split[k].next = false;
                    }
                }
            }
        }
    }

    fn split_lanes(&mut self) {
        for k in 0..self._splits {
            self.covers[k].next = self.lanes_covered[k].q.val() & self.lanes_after[k].q.val();
            self.goes_on[k].next = self.lanes_split[k].q.val();
            if self.wake[k].val() {
                self.covers[k].next = self.wake_covered[k].val() & self.lanes_after[k].q.val();
                if self.fault_split_discarded[k].val() {
                    self.covers[k].next = self.lanes_after[k].q.val();
                }
                self.goes_on[k].next = self.wake_lanes[k].val();
                self.pc0.d.next = self.wake_pc0[k].val();
                self.pc1.d.next = self.wake_pc1[k].val();
                self.pc2.d.next = self.wake_pc2[k].val();
                self.pc3.d.next = self.wake_pc3[k].val();
            }
        }
    }

    fn pixel_lane(&mut self) {
        for k in 0..self._splits {
            for t in 0..self._turns {
                self.is_turned[t].clock.next = self.clock.val();
                self.pixel[t].clock.next = self.clock.val();
                self.is_turned[t].d.next = self.is_turned[t].q.val();
                self.pixel[t].d.next = self.pixel[t].q.val();
                self.pixel_covered[t].next = (self.lanes_covered[k].q.val() >> self.pixel[t].q.val()) & bits::<4>(1);
                self.pixel_stopped[t].next = (self.lanes_split[k].q.val() >> self.pixel[t].q.val()) & bits::<4>(1);
                self.pixel_pc[t].next = self.pc0.q.val();
                if self.pixel[t].q.val() == bits::<2>(1) {
                    self.pixel_pc[t].next = self.pc1.q.val();
                }
                if self.pixel[t].q.val() == bits::<2>(2) {
                    self.pixel_pc[t].next = self.pc2.q.val();
                }
                if self.pixel[t].q.val() == bits::<2>(3) {
                    self.pixel_pc[t].next = self.pc3.q.val();
                }
                if self.wake[k].val() {
                    self.pixel_covered[t].next = (self.wake_covered[k].val() >> self.pixel[t].q.val()) & bits::<4>(1);
                    self.pixel_stopped[t].next = (self.wake_lanes[k].val() >> self.pixel[t].q.val()) & bits::<4>(1);
                    self.pixel_pc[t].next = self.wake_pc0[k].val();
                    if self.pixel[t].q.val() == bits::<2>(1) {
                        self.pixel_pc[t].next = self.wake_pc1[k].val();
                    }
                    if self.pixel[t].q.val() == bits::<2>(2) {
                        self.pixel_pc[t].next = self.wake_pc2[k].val();
                    }
                    if self.pixel[t].q.val() == bits::<2>(3) {
                        self.pixel_pc[t].next = self.wake_pc3[k].val();
                    }
                }
            }
        }
    }

    fn pixel_turn(&mut self) {
        for k in 0..self._splits {
            for t in 0..self._turns {
                if self.is_turned[t].q.val() && (self.split[k].val() || self.wake[k].val()) {
                    self.covers[k].next = bits::<4>(0);
                    if self.pixel_covered[t].val().any() || self.fault_split_discarded[k].val() {
                        self.covers[k].next = self.lanes_after[k].q.val();
                    }
                    self.goes_on[k].next = bits::<4>(0);
                    if self.pixel_stopped[t].val().any() {
                        self.goes_on[k].next = self.covers[k].val();
                    }
                    if !self.fault_shape_counters[t].val() {
                        self.pc0.d.next = self.pixel_pc[t].val();
                        self.pc1.d.next = self.pixel_pc[t].val();
                        self.pc2.d.next = self.pixel_pc[t].val();
                        self.pc3.d.next = self.pixel_pc[t].val();
                    }
                }
                self.whole[t].next = self.is_turned[t].q.val() && self.is_unsplit[k].q.val();
                if self.launch.val() {
                    self.is_turned[t].d.next = self.launch_turned[t].val();
                    self.pixel[t].d.next = self.launch_pixel[t].val();
                }
            }
        }
    }

    fn splitting(&mut self) {
        for k in 0..self._splits {
            if self.split[k].val() || (self.wake[k].val() && !self.fault_split_sleeps[k].val()) {
                self.is_asleep[k].d.next = false;
                self.is_unsplit[k].d.next = false;
                self.is_locked[k].d.next = true;
                self.lanes_split[k].d.next = bits::<4>(0);
                self.lanes_covered[k].d.next = self.covers[k].val();
                self.running.d.next = bits::<4>(0);
                if (self.goes_on[k].val() & self.covers[k].val()).any() {
                    self.running.d.next = self.goes_on[k].val();
                    // There are no helpers behind a merge point, and lanes of two quads.
                    for t in 0..self._twins {
                        if self.is_both[t].q.val() {
                            self.running.d.next = self.goes_on[k].val() & self.covers[k].val();
                        }
                    }
                }
                self.known.d.next = false;
                self.dirty.d.next = true;
            }
        }
    }

    fn split_members(&mut self) {
        for k in 0..self._splits {
            if self.arrives[k].val() {
                self.to_come[k].d.next = self.to_come[k].q.val() - bits::<2>(1);
            }
            if !self.is_unsplit[k].q.val() {
                self.members[k].d.next = self.members[k].q.val() & !self.freed[k].val();
            }
            if self.launch.val() {
                self.is_asleep[k].d.next = false;
                self.is_unsplit[k].d.next = false;
                self.to_come[k].d.next = bits::<2>(0);
                self.members[k].d.next = bits::<3>(0);
                self.group_others[k].d.next = bits::<2>(0);
                self.lanes_split[k].d.next = bits::<4>(0);
                self.lanes_after[k].d.next = self.split_ports[k].launch_after.val();
                self.is_locked[k].d.next = false;
                if self.split_ports[k].launch_splits.val() {
                    if self.split_ports[k].launch_rank.val().any() {
                        self.is_asleep[k].d.next = true;
                        self.running.d.next = bits::<4>(0);
                    } else {
                        self.is_unsplit[k].d.next = true;
                        self.to_come[k].d.next = self.split_ports[k].launch_others.val();
                        self.group_others[k].d.next = self.split_ports[k].launch_others.val();
                        self.members[k].d.next = bits::<3>(7);
                        if self.split_ports[k].launch_others.val() == bits::<2>(2) {
                            self.members[k].d.next = bits::<3>(3);
                        }
                        if self.split_ports[k].launch_others.val() == bits::<2>(1) {
                            self.members[k].d.next = bits::<3>(1);
                        }
                        if self.split_ports[k].launch_others.val() == bits::<2>(0) {
                            self.members[k].d.next = bits::<3>(0);
                        }
                        if self.fault_split_free[k].val() {
                            self.members[k].d.next = bits::<3>(0);
                        }
                    }
                }
            }
        }
    }

    fn split_twins(&mut self) {
        for k in 0..self._splits {
            // Pairs of groups. The first sample of the second group sleeps from the merge on, and
            // all of its samples wake with the merged warp.
            for t in 0..self._twins {
                self.is_both[t].clock.next = self.clock.val();
                self.is_near[t].clock.next = self.clock.val();
                self.is_far[t].clock.next = self.clock.val();
                self.woken_by[t].clock.next = self.clock.val();
                self.is_both[t].d.next = self.is_both[t].q.val();
                self.is_near[t].d.next = self.is_near[t].q.val();
                self.is_far[t].d.next = self.is_far[t].q.val();
                self.woken_by[t].d.next = self.woken_by[t].q.val();
                for m in 0..self._merges {
                    if self.twins_merge[t].val() {
                        if self.take[m].val() {
                            self.is_near[t].d.next =
                                self.twins_kept[t].val().get_bit(2) == self.twins_gone[t].val().get_bit(2);
                            self.is_far[t].d.next =
                                self.twins_kept[t].val().get_bit(2) != self.twins_gone[t].val().get_bit(2);
                        }
                        if self.leave[m].val() {
                            self.is_asleep[k].d.next = true;
                            self.is_unsplit[k].d.next = false;
                        }
                        if (self.woken_by[t].q.val() == self.twins_gone[t].val()) && !self.fault_twin_sleeps[t].val() {
                            self.woken_by[t].d.next = self.twins_kept[t].val();
                        }
                    }
                    if self.split[k].val() {
                        self.lanes_mate[m].d.next = bits::<4>(0);
                        self.is_near[t].d.next = false;
                        self.is_far[t].d.next = false;
                    }
                }
                if self.launch.val() {
                    self.is_both[t].d.next = self.launch_both[t].val();
                    self.is_near[t].d.next = false;
                    self.is_far[t].d.next = false;
                    self.woken_by[t].d.next = self.launch_base[t].val();
                }
                self.asleep[t].next = self.is_asleep[k].q.val();
                self.waker[t].next = self.woken_by[t].q.val();
                self.near[t].next = self.is_near[t].q.val();
                self.far[t].next = self.is_far[t].q.val();
            }
        }
    }

    fn split_outputs(&mut self) {
        for k in 0..self._splits {
            self.split_lanes[k].next = self.lanes_split[k].q.val();
            self.others[k].next = self.group_others[k].q.val();
            self.locked[k].next = self.is_locked[k].q.val();
            self.split_pc0[k].next = self.pc0.q.val();
            self.split_pc1[k].next = self.pc1.q.val();
            self.split_pc2[k].next = self.pc2.q.val();
            self.split_pc3[k].next = self.pc3.q.val();
        }
    }
}
