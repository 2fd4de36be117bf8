//! Ends of warps that are of a group of up to four (MS-6): the slot of member 0 is a multiple of
//! four if there are more than two, and those of the others follow it. Where pairs have one bit for
//! member 1, groups have one for each of the others.
//!
//! A merged warp is told once for each member that came to it, member 0 first. A guest is not told
//! if it has lanes in the slot of member 0. Tickets of members 1 and 2 are kept at their own slots,
//! those of member 3 at the slot of member 0: its own may be that of a pair's member 1 by then.
//!
//! It can be wrong in whose guest slot 4 q + 3 holds, and in an end that is told for the wrong
//! quad. Planted faults: `group-tags`, `group-free`.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::{GraphicsDispatcher, GroupEnds, MemberLanes, MemberTest, NextMember, ToldOfGroups};

#[parts]
impl GraphicsDispatcher {
    fn member_test(&mut self) {
        for k in 0..self._threes {
            self.quartet[k].next = bits::<4>(1) << bit_cast::<4, 2>(self.report_warp.q.val().get_bits::<2>(2));
            self.quartet_bits[k].next = bits::<4>(0);
            self.has_third[k].next = false;
            self.has_fourth[k].next = false;
            self.high_words[k].next = bits::<64>(0);
            self.high_lanes[k].next = bits::<4>(0);
            self.lanes_of_first[k].next = bits::<4>(0);
            self.lanes_of_second[k].next = bits::<4>(0);
            self.lanes_of_third[k].next = bits::<4>(0);
            self.others_there[k].next = false;
            for u in 0..self._units {
                if self.report_unit.q.val() == u.to_bits::<6>() {
                    self.has_third[k].next = (self.third[u].q.val() & self.quartet[k].val()).any();
                    self.has_fourth[k].next = (self.fourth[u].q.val() & self.quartet[k].val()).any();
                }
            }
            // Other guests that are there, as the slot that is told sees them.
            self.others_there[k].next = self.has_third[k].val() || self.has_fourth[k].val();
            if self.fault_group_free[k].val() {
                self.others_there[k].next = false;
            }
            self.is_third[k].next =
                self.has_third[k].val() && (self.report_warp.q.val().get_bits::<2>(0) == bits::<2>(2));
            self.is_fourth[k].next =
                self.has_fourth[k].val() && (self.report_warp.q.val().get_bits::<2>(0) == bits::<2>(3));
            if self.is_third[k].val() || self.is_fourth[k].val() {
                self.odd.next = true;
                self.mate_shift.next = bit_cast::<64, 4>(self.report_warp.q.val() & bits::<4>(12)) << bits::<64>(2);
                self.pair_bit.next =
                    bits::<8>(1) << (bit_cast::<8, 2>(self.report_warp.q.val().get_bits::<2>(2)) << bits::<8>(1));
            }
            // Slots 4 q + 2 and 4 q + 3 of a pair have nothing to do with guests of slot 4 q.
            if !self.is_third[k].val() && !self.is_fourth[k].val() && self.report_warp.q.val().get_bit(1) {
                self.others_there[k].next = false;
            }
        }
    }

    fn member_lanes(&mut self) {
        for k in 0..self._threes {
            for u in 0..self._units {
                if self.report_unit.q.val() == u.to_bits::<6>() {
                    self.mate_words.next = self.mates[u].val() >> self.mate_shift.val();
                    self.high_words[k].next = self.mates_high[u].val() >> self.mate_shift.val();
                    self.is_paired.next = (self.paired[u].q.val() & self.pair_bit.val()).any();
                    self.is_kept.next = (self.kept[u].q.val() & self.pair_bit.val()).any();
                    self.is_freed.next = (self.freed[u].q.val() & self.pair_bit.val()).any();
                }
            }
            self.low_lanes[k].next = self.mate_words.val().get_bits::<4>(0);
            self.high_lanes[k].next = self.high_words[k].val().get_bits::<4>(0);
            self.lanes_of_first[k].next = self.low_lanes[k].val() & !self.high_lanes[k].val();
            self.lanes_of_second[k].next = !self.low_lanes[k].val() & self.high_lanes[k].val();
            self.lanes_of_third[k].next = self.low_lanes[k].val() & self.high_lanes[k].val();
            self.mate_lanes.next = self.low_lanes[k].val() | self.high_lanes[k].val();
        }
    }

    fn group_ends(&mut self) {
        for k in 0..self._threes {
            // A guest that went to member 0 is not told.
            self.silent.next = !self.odd.val() && self.is_freed.val();
            if self.is_third[k].val() {
                self.silent.next = self.lanes_of_second[k].val().any();
            } else if self.is_fourth[k].val() {
                self.silent.next = self.lanes_of_third[k].val().any();
            } else if self.odd.val() {
                self.silent.next = self.is_paired.val() && self.lanes_of_first[k].val().any();
            }
            self.joined.next = !self.odd.val() && !self.is_freed.val() && self.mate_lanes.val().any();
            self.keeps.next = !self.odd.val()
                && !self.is_freed.val()
                && (self.is_paired.val() || self.others_there[k].val())
                && !self.mate_lanes.val().any();
            // The last guest of a member 0 that has ended frees its slot.
            self.frees.next = self.odd.val() && self.is_kept.val() && !self.others_there[k].val();
            if self.is_third[k].val() || self.is_fourth[k].val() {
                self.quartet_bits[k].next = bits::<4>(0);
                for u in 0..self._units {
                    if self.report_unit.q.val() == u.to_bits::<6>() {
                        self.quartet_bits[k].next = self.third[u].q.val() & self.quartet[k].val();
                        if self.is_third[k].val() {
                            self.quartet_bits[k].next = self.fourth[u].q.val() & self.quartet[k].val();
                        }
                    }
                }
                self.frees.next = self.is_kept.val() && !self.is_paired.val() && !self.quartet_bits[k].val().any();
            }
        }
    }

    fn next_member(&mut self) {
        for k in 0..self._threes {
            self.next_part[k].next = bits::<2>(0);
            if self.lanes_of_third[k].val().any() && !self.report_part[k].q.val().all() {
                self.next_part[k].next = bits::<2>(3);
            }
            if self.lanes_of_second[k].val().any() && !self.report_part[k].q.val().get_bit(1) {
                self.next_part[k].next = bits::<2>(2);
            }
            if self.lanes_of_first[k].val().any() && !self.report_part[k].q.val().any() {
                self.next_part[k].next = bits::<2>(1);
            }
        }
    }

    fn told_of_groups(&mut self) {
        for m in 0..self._threes {
            self.part_next[m].next = self.report_part[m].q.val();
            if self.joined.val() && self.next_part[m].val().any() && self.reporting.q.val() && self.fragment.ready.val()
            {
                self.part_next[m].next = self.next_part[m].val();
            }
            if self.reported.val() {
                self.part_next[m].next = bits::<2>(0);
            }
            for k in 0..self._merges {
                self.mate_tickets[k].read_address.next = self.report_address.val();
                self.mate_rest[k].read_address.next = self.report_address.val();
                if self.part_next[m].val() == bits::<2>(1) {
                    self.mate_tickets[k].read_address.next = self.report_address.val() | bits::<12>(1);
                    self.mate_rest[k].read_address.next = self.report_address.val() | bits::<12>(1);
                }
                if self.part_next[m].val() == bits::<2>(2) {
                    self.mate_tickets[k].read_address.next = self.report_address.val() | bits::<12>(2);
                    self.mate_rest[k].read_address.next = self.report_address.val() | bits::<12>(2);
                }
                if self.part_next[m].val().all() {
                    self.mate_tickets[k].read_address.next = self.report_address.val() & bits::<12>(0xFFC);
                    self.mate_rest[k].read_address.next = self.report_address.val() & bits::<12>(0xFFC);
                }
                if self.fault_group_tags[m].val() {
                    self.mate_tickets[k].read_address.next = self.report_address.val() | bits::<12>(1);
                }
            }
            if self.joined.val() && !self.fault_graphics_end_early.val() {
                self.fragment.covered.next = self.lowest.val().get_bits::<4>(0) & !self.mate_lanes.val();
                if self.report_part[m].q.val() == bits::<2>(1) {
                    self.fragment.covered.next = self.lowest.val().get_bits::<4>(0) & self.lanes_of_first[m].val();
                }
                if self.report_part[m].q.val() == bits::<2>(2) {
                    self.fragment.covered.next = self.lowest.val().get_bits::<4>(0) & self.lanes_of_second[m].val();
                }
                if self.report_part[m].q.val() == bits::<2>(3) {
                    self.fragment.covered.next = self.lowest.val().get_bits::<4>(0) & self.lanes_of_third[m].val();
                }
            }
        }
    }
}
