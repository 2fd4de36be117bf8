//! Order of quads at one place (MS-9): no quad goes before one that came to its place earlier and
//! waits. A quad at the head whose place is that of a waiting one is treated as one of another
//! draw: the oldest go until that one has gone. If it fills a warp with the head, those two go
//! together, the older one first. So of those that wait no two are at one place.
//!
//! Places of those that wait are vectors of a bit for each rank, as their tokens are, so they close
//! ranks with them. Of a quad that is shaded for one sample the sample belongs to the place. Who
//! waits at a quad's place is found in the cycle before it is the head. So that search and the
//! head's search for a partner do not follow each other in one cycle.
//!
//! It can be wrong in a head that is let through although a quad of that place waits, and in one
//! that waits for a quad that has left. Planted fault: `merge-order`.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::{MergeKind, MergeQueue, NextHead, Order, OwnPlace, PositionShift};

#[parts]
impl MergeQueue {
    fn order(&mut self) {
        self.clash.next = false;
        self.head_best.next = self.of_head.best.val();
        self.head_behind.next = self.of_head.behind.val();
        for k in 0..self._ordered {
            self.beside[k].next = self.same[k].q.val();
            if self.leaves.q.val() {
                self.beside[k].next = self.same[k].q.val() & !bits::<32>(1);
            }
            self.suits[k].next = self.beside[k].val().any()
                && self.fits[k].q.val()
                && self.head_kind.q.val().get_value_kind_sparse()
                && !self.never.q.val();
            self.clash.next = self.beside[k].val().any() && !self.suits[k].val() && !self.fault_merge_order[k].val();
            if self.suits[k].val() {
                self.head_best.next = self.beside[k].val();
                self.head_behind.next = self.beside[k].val() | (bits::<32>(0) - self.beside[k].val());
            }
        }
    }

    fn own_place(&mut self) {
        for k in 0..self._ordered {
            self.new_at[k].next =
                bit_cast::<24, 11>(self.in_quad.x.val()) | (bit_cast::<24, 11>(self.in_quad.y.val()) << bits::<24>(11));
            if self.in_quad.single.val() {
                self.new_at[k].next = bit_cast::<24, 11>(self.in_quad.x.val())
                    | (bit_cast::<24, 11>(self.in_quad.y.val()) << bits::<24>(11))
                    | (bit_cast::<24, 2>(self.in_quad.sample.val()) << bits::<24>(22));
            }
            // All samples of a quad that splits wait as one.
            for _t in 0..self._twins {
                if self.in_quad.splits.val() {
                    self.new_at[k].next = bit_cast::<24, 11>(self.in_quad.x.val())
                        | (bit_cast::<24, 11>(self.in_quad.y.val()) << bits::<24>(11));
                }
            }
            self.head_at[k].clock.next = self.clock.val();
            self.spare_at[k].clock.next = self.clock.val();
            self.head_at[k].d.next = self.head_at[k].q.val();
            self.spare_at[k].d.next = self.spare_at[k].q.val();
            if self.head_leaves.val() || !self.head.q.val() {
                self.head_at[k].d.next = self.new_at[k].val();
                if self.spare.q.val() {
                    self.head_at[k].d.next = self.spare_at[k].q.val();
                }
            }
            if !self.spare.q.val() {
                self.spare_at[k].d.next = self.new_at[k].val();
            }
        }
    }

    fn next_head(&mut self) {
        // The quad that is the head next, if this one goes: who waits at its place, and whether the
        // two fill a warp. Both are known when it is the head, and close ranks as all do.
        for k in 0..self._ordered {
            self.same[k].clock.next = self.clock.val();
            self.fits[k].clock.next = self.clock.val();
            self.next_at[k].next = self.new_at[k].val();
            self.next_token[k].next = self.new_token.val();
            if self.spare.q.val() {
                self.next_at[k].next = self.spare_at[k].q.val();
                self.next_token[k].next = self.spare_token.q.val();
            }
            self.found[k].next = self.waits.q.val();
            for p in 0..self._bits {
                if self.next_at[k].val().get_bit(p) {
                    self.found[k].next = self.found[k].val() & self.at[p].q.val();
                } else {
                    self.found[k].next = self.found[k].val() & !self.at[p].q.val();
                }
            }
            self.fill_plain[k].next = self.found[k].val();
            for l in 0..4 {
                if self.next_token[k].val().get_bit(l) {
                    self.fill_plain[k].next = self.fill_plain[k].val() & !self.token[l].q.val();
                } else {
                    self.fill_plain[k].next = self.fill_plain[k].val() & self.token[l].q.val();
                }
            }
            self.opposite[k].next = (self.next_token[k].val() & bits::<14>(15))
                == ((self.head_token.q.val() & bits::<14>(15)) ^ bits::<14>(15));
            // With flips: one lane and three, or two of one shape.
            self.fill_shape[k].next = self.found[k].val() & !self.token[4].q.val() & !self.token[5].q.val();
            for p in 6..8 {
                if self.next_token[k].val().get_bit(p) {
                    self.fill_shape[k].next = self.fill_shape[k].val() & self.token[p].q.val();
                } else {
                    self.fill_shape[k].next = self.fill_shape[k].val() & !self.token[p].q.val();
                }
            }
            self.fill_next[k].next = self.fill_plain[k].val();
            if self.flips.val().any() {
                self.fill_next[k].next = self.fill_shape[k].val();
                self.opposite[k].next =
                    (self.next_token[k].val() & bits::<14>(0xF0)) == (self.head_token.q.val() & bits::<14>(0xF0));
                if self.next_token[k].val().get_bit(4) {
                    self.fill_next[k].next = self.found[k].val() & self.token[5].q.val();
                    self.opposite[k].next = self.head_token.q.val().get_bit(5);
                }
                if self.next_token[k].val().get_bit(5) {
                    self.fill_next[k].next = self.found[k].val() & self.token[4].q.val();
                    self.opposite[k].next = self.head_token.q.val().get_bit(4);
                }
            }
        }
    }

    fn position_shift(&mut self) {
        for k in 0..self._ordered {
            self.stays[k].next = self.same[k].q.val();
            self.fits[k].d.next = self.fits[k].q.val();
            if self.head_leaves.val() || !self.head.q.val() {
                self.stays[k].next = self.found[k].val();
                self.fits[k].d.next = self.fill_next[k].val().any();
            }
            self.stays_closed[k].next = (self.stays[k].val() & self.stay.val())
                | ((self.stays[k].val() >> bits::<32>(1)) & !self.stay.val() & self.all.val());
            self.same[k].d.next = self.stays_closed[k].val();
            if self.insert.val() && (self.next_at[k].val() == self.head_at[k].q.val()) {
                self.same[k].d.next = self.stays_closed[k].val() | self.put.val();
                self.fits[k].d.next = self.opposite[k].val();
            }
        }
        for k in 0..self._ordered {
            for p in 0..self._bits {
                self.at[p].clock.next = self.clock.val();
                self.at_closed[p].next = (self.at[p].q.val() & self.stay.val())
                    | ((self.at[p].q.val() >> bits::<32>(1)) & !self.stay.val() & self.all.val());
                self.at[p].d.next = self.at_closed[p].val() & self.all.val();
                if self.head_at[k].q.val().get_bit(p) {
                    self.at[p].d.next = (self.at_closed[p].val() | self.put.val()) & self.all.val();
                }
            }
        }
    }
}
