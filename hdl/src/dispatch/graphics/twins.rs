//! Two quads whose samples are launched as a pair of groups: they merge, and then they split
//! (MS-42). The first group stands at slot h = 4 q or 8 q, the second one 2 or 4 slots behind: as
//! many as the pass has samples. The merge queue says all samples of the first quad, then all of
//! the second.
//!
//! It can be wrong in slots that are given back while a sample of the second group is to come.

use quadlock_hdl_macros::parts;
use quadlock_isa::records::pass;
use rust_hdl::prelude::*;

use super::{GraphicsDispatcher, TwinFlips, TwinLaunch, Twins};

#[parts]
impl GraphicsDispatcher {
    fn twins(&mut self) {
        for t in 0..self._twins {
            self.launch_r_twin[t].clock.next = self.clock.val();
            self.wide_pass[t].clock.next = self.clock.val();
            dff_setup!(self, clock, wide_pair[t]);
            self.wide_pass[t].d.next = self.wide_pass[t].q.val();
            if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::KIND)) {
                self.wide_pass[t].d.next = self.state.data.val().get_bit(1);
            }
            self.in_twins[t].next = self.shade.splits.val() && self.pairing.mergeable.val();
            self.last_of_group[t].next = self.in_twins[t].val() && (self.rank_now.val() == self.group_others.val());
            // Slots of the second group are taken.
            if self.in_twins[t].val() && self.pairing.member.val().any() {
                self.is_first.next = false;
                self.is_second.next = true;
            }
            self.wide[t].next = self.wide_pair[t].q.val();
            if self.in_twins[t].val() && !self.pairing.member.val().any() && self.is_first.val() {
                self.wide[t].next = self.wide_pass[t].q.val()
                    || self.samples_of_quad.val().get_bit(2)
                    || self.samples_of_quad.val().get_bit(3);
            }
        }
    }

    fn twin_launch(&mut self) {
        for t in 0..self._twins {
            self.launch_r_twin[t].d.next = bits::<2>(0);
            self.account.release_unit[t].next = self.account.offer_ports.offer_unit.val();
            self.account.release[t].next = bits::<16>(0);
            self.sample_slot[t].next = self.account.offer_ports.offer_warp.val();
            for k in 0..self._splits {
                if self.is_second.val() {
                    self.account.release_unit[t].next = self.more_unit[k].q.val();
                    self.sample_slot[t].next = self.more_warp[k].q.val();
                }
            }
            self.group_base[t].next = self.sample_slot[t].val() - bit_cast::<4, 2>(self.rank_now.val());
            // Behind the last sample, up to the end of the group's slots.
            self.unneeded[t].next =
                (bits::<16>(4) << self.group_base[t].val()) - (bits::<16>(2) << self.sample_slot[t].val());
            if self.wide[t].val() {
                self.unneeded[t].next =
                    (bits::<16>(16) << self.group_base[t].val()) - (bits::<16>(2) << self.sample_slot[t].val());
            }
            if self.take_quad.val() && self.in_twins[t].val() {
                self.launch_r_twin[t].d.next = bits::<2>(1);
                if self.pairing.member.val().any() {
                    self.launch_r_twin[t].d.next = bits::<2>(2);
                    if self.wide[t].val() {
                        self.launch_r_twin[t].d.next = bits::<2>(3);
                    }
                }
                self.wide_pair[t].d.next = self.wide[t].val();
                if self.last_of_group[t].val() {
                    self.account.release[t].next = self.unneeded[t].val();
                    for k in 0..self._splits {
                        self.more_warp[k].d.next = self.group_base[t].val() + bits::<4>(2);
                        if self.wide[t].val() {
                            self.more_warp[k].d.next = self.group_base[t].val() + bits::<4>(4);
                        }
                    }
                }
            }
            // It is no pair of two warps.
            for k in 0..self._merges {
                if self.shade.splits.val() {
                    self.second[k].d.next = self.second[k].q.val();
                }
            }
            if self.in_twins[t].val() {
                self.launch_r_pairing.d.next = bit_cast::<13, 6>(self.pairing.pair.val())
                    | (bit_cast::<13, 2>(self.rank_now.val()) << bits::<13>(6))
                    | (bit_cast::<13, 2>(self.group_others.val()) << bits::<13>(8))
                    | (bit_cast::<13, 2>(self.pairing.flip.val()) << bits::<13>(10))
                    | bits::<13>(0x1000);
            }
            self.launch_twin[t].next = self.launch_r_twin[t].q.val();
        }
    }

    fn twin_flips(&mut self) {
        for t in 0..self._twins {
            self.spread[t].next = bits::<4>(0);
            for k in 0..self._splits {
                self.spread[t].next = self.all_lanes[k].val();
                for m in 0..self._merges {
                    if (self.pairing.flip.val() == bits::<2>(1)) && !self.fault_pair_lanes[m].val() {
                        self.spread[t].next = ((self.all_lanes[k].val() & bits::<4>(5)) << bits::<4>(1))
                            | ((self.all_lanes[k].val() & bits::<4>(10)) >> bits::<4>(1));
                    }
                    if (self.pairing.flip.val() == bits::<2>(2)) && !self.fault_pair_lanes[m].val() {
                        self.spread[t].next = ((self.all_lanes[k].val() & bits::<4>(3)) << bits::<4>(2))
                            | ((self.all_lanes[k].val() & bits::<4>(12)) >> bits::<4>(2));
                    }
                    if (self.pairing.flip.val() == bits::<2>(3)) && !self.fault_pair_lanes[m].val() {
                        self.spread[t].next = ((self.all_lanes[k].val() & bits::<4>(1)) << bits::<4>(3))
                            | ((self.all_lanes[k].val() & bits::<4>(2)) << bits::<4>(1))
                            | ((self.all_lanes[k].val() & bits::<4>(4)) >> bits::<4>(1))
                            | ((self.all_lanes[k].val() & bits::<4>(8)) >> bits::<4>(3));
                    }
                }
            }
        }
    }
}
