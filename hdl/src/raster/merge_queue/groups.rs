//! Groups of three and four quads (MS-6). The pair that goes has been chosen; if it does not fill
//! the warp, quads of one lane that wait go with it, the oldest first. Others cannot fit: the
//! pair's second member was the one with most active lanes.
//!
//! How many go is counted in the cycle behind the choice, so that the first member can say it.
//! Those that wait leave only by that choice until the group is complete, so they are there when
//! they are taken, one per cycle. The output gives a quad per cycle all the while.
//!
//! With flips a quad of one lane fits where any lane is free, so numbers of lanes are enough: the
//! lanes that are taken are kept as as many of the lowest. Each member is flipped against the lanes
//! of those before it, where these stand.
//!
//! A pair that fills a warp goes at once, a group does not: each of its members can still meet one
//! that fills a warp with it.
//!
//! It can be wrong in a member that is told and does not come, and in a flip that meets the third
//! member. Planted faults: `group-size`, `group-overlap`.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::{ExtraCount, Members, MergeQueue, MergeToken, Number, OldestSingle, Singles};

#[parts]
impl MergeQueue {
    fn singles(&mut self) {
        for k in 0..self._groups {
            self.fresh[k].clock.next = self.clock.val();
            self.extra[k].clock.next = self.clock.val();
            self.size[k].clock.next = self.clock.val();
            self.singles[k].next = self.waits.q.val() & self.token[4].q.val();
            if self.leaves.q.val() {
                self.singles[k].next = self.waits.q.val() & self.token[4].q.val() & !bits::<32>(1);
            }
            // All but the oldest one.
            self.rest[k].next = self.singles[k].val() & (self.singles[k].val() - bits::<32>(1));
            self.single_lanes[k].next = bits::<4>(0);
            for i in 0..4 {
                if (self.singles[k].val() & self.token[i].q.val()).any() {
                    self.single_lanes[k].next = self.single_lanes[k].val() | (bits::<4>(1) << i.to_bits::<4>());
                }
            }
            self.fillable[k].next = self.single_lanes[k].val();
            if self.flips.val().any() {
                // Any of one lane can fill any lane: the highest for the first, the next for two.
                self.fillable[k].next = bits::<4>(0);
                if self.singles[k].val().any() {
                    self.fillable[k].next = bits::<4>(8);
                }
                if self.rest[k].val().any() {
                    self.fillable[k].next = bits::<4>(12);
                }
            }
        }
    }

    fn extra_count(&mut self) {
        for k in 0..self._groups {
            self.offered[k].next = self.fillable[k].val() & !self.taken[k].q.val();
            self.more[k].next = bits::<2>(0);
            if self.offered[k].val().any() {
                self.more[k].next = bits::<2>(1);
            }
            if (self.offered[k].val() & (self.offered[k].val() - bits::<4>(1))).any() && self.fours.val().any() {
                self.more[k].next = bits::<2>(2);
            }
            self.others[k].next = self.size[k].q.val();
            if self.fresh[k].q.val() {
                self.others[k].next = self.more[k].val() + bits::<2>(1);
                if self.fault_group_size[k].val() {
                    self.others[k].next = bits::<2>(1);
                }
            }
            self.size[k].d.next = self.others[k].val();
        }
    }

    fn oldest_single(&mut self) {
        for k in 0..self._groups {
            self.fitting[k].next = self.singles[k].val();
            if !self.flips.val().any() {
                for i in 0..4 {
                    if self.taken[k].q.val().get_bit(i) {
                        self.fitting[k].next = self.fitting[k].val() & !self.token[i].q.val();
                    }
                }
            }
            self.from_single[k].next = bits::<32>(0) - self.fitting[k].val();
            self.single[k].next = self.fitting[k].val() & self.from_single[k].val();
            self.grows[k].next = self.extra[k].q.val().any() && (self.moves.val() || !self.second.q.val());
            self.extra[k].d.next = self.extra[k].q.val();
            if self.fresh[k].q.val() {
                self.extra[k].d.next = self.more[k].val();
            } else if self.grows[k].val() {
                self.extra[k].d.next = self.extra[k].q.val() - bits::<2>(1);
            }
        }
    }

    fn members(&mut self) {
        for k in 0..self._groups {
            self.taken[k].clock.next = self.clock.val();
            self.lanes_at[k].clock.next = self.clock.val();
            self.lanes_behind[k].clock.next = self.clock.val();
            self.fresh[k].d.next = self.load.val() && self.pair.val();
            self.taken[k].d.next = self.taken[k].q.val();
            self.lanes_at[k].d.next = self.lanes_at[k].q.val();
            self.lanes_behind[k].d.next = self.lanes_behind[k].q.val();
            // Of the list, as the places are.
            if self.load.val() {
                self.lanes_at[k].d.next = self.head_token.q.val().get_value_token_lanes();
                self.lanes_behind[k].d.next = self.head_token.q.val().get_value_token_lanes();
                if self.pair.val() {
                    self.lanes_at[k].d.next = self.partner.val().get_value_token_lanes();
                }
                if self.by_oldest.val() {
                    self.lanes_at[k].d.next = self.oldest.val().get_value_token_lanes();
                    self.lanes_behind[k].d.next = self.partner.val().get_value_token_lanes();
                }
            } else if self.moves.val() {
                self.lanes_at[k].d.next = self.lanes_behind[k].q.val();
            }
            if self.grows[k].val() {
                if self.first.q.val() && (!self.moves.val() || self.second.q.val()) {
                    self.lanes_behind[k].d.next = self.partner.val().get_value_token_lanes();
                } else {
                    self.lanes_at[k].d.next = self.partner.val().get_value_token_lanes();
                }
            }
            // Lanes that are taken.
            self.one_first[k].next = self.head_token.q.val().get_value_token_one();
            self.lanes_first[k].next = self.head_token.q.val().get_value_token_lanes();
            self.three_first[k].next = self.head_token.q.val().get_value_token_three();
            if self.by_oldest.val() {
                self.one_first[k].next = self.oldest.val().get_value_token_one();
                self.lanes_first[k].next = self.oldest.val().get_value_token_lanes();
                self.three_first[k].next = self.oldest.val().get_value_token_three();
            }
            if self.load.val() {
                self.taken[k].d.next = self.lanes_first[k].val() | self.partner.val().get_value_token_lanes();
                if self.flips.val().any() {
                    self.taken[k].d.next = bits::<4>(15);
                    if self.one_first[k].val() && self.partner.val().get_value_token_one() {
                        self.taken[k].d.next = bits::<4>(3);
                    } else if !self.three_first[k].val()
                        && !self.partner.val().get_value_token_three()
                        && (self.one_first[k].val() || self.partner.val().get_value_token_one())
                    {
                        self.taken[k].d.next = bits::<4>(7);
                    }
                }
            } else if self.grows[k].val() {
                self.taken[k].d.next = self.taken[k].q.val() | self.partner.val().get_value_token_lanes();
                if self.flips.val().any() {
                    self.taken[k].d.next = (self.taken[k].q.val() << bits::<4>(1)) | bits::<4>(1);
                }
            }
        }
    }

    fn number(&mut self) {
        for k in 0..self._groups {
            self.joint[k].clock.next = self.clock.val();
            self.number_r[k].clock.next = self.clock.val();
            self.others_r[k].clock.next = self.clock.val();
            self.joint[k].d.next = self.joint[k].q.val();
            self.number_r[k].d.next = self.number_r[k].q.val();
            self.others_r[k].d.next = self.others_r[k].q.val();
            self.own[k].next = self.lanes_at[k].q.val();
            self.across[k].next = self.own[k].val();
            if self.fold.flip.val().get_bit(0) {
                self.across[k].next = ((self.own[k].val() & bits::<4>(5)) << bits::<4>(1))
                    | ((self.own[k].val() & bits::<4>(10)) >> bits::<4>(1));
            }
            self.placed[k].next = self.across[k].val();
            if self.fold.flip.val().get_bit(1) {
                self.placed[k].next = (self.across[k].val() << bits::<4>(2)) | (self.across[k].val() >> bits::<4>(2));
            }
            if self.moves.val() && self.first.q.val() {
                if self.later.q.val() {
                    self.joint[k].d.next = self.joint[k].q.val() | self.placed[k].val();
                    self.number_r[k].d.next = self.number_r[k].q.val() + bits::<2>(1);
                } else {
                    self.joint[k].d.next = self.own[k].val();
                    self.number_r[k].d.next = bits::<2>(0);
                    self.others_r[k].d.next = self.others[k].val();
                }
            }
            if self.paired_r.q.val() {
                self.pairing.member.next = self.number_r[k].q.val();
                self.pairing.others.next = self.others_r[k].q.val();
            }
        }
    }
}
