//! Order of quads at one place (MS-9): no quad goes before one that came to its place earlier and
//! waits. A quad at the head whose place is that of a waiting one is treated as one of another
//! draw: the oldest go until that one has gone. If it fills a warp with the head, the two go
//! together, the older one first. So of those that wait no two are at one place.
//!
//! Places of those that wait are vectors of a bit for each rank, as their tokens are, so they close
//! ranks with them. Of a quad that is shaded for one sample the sample belongs to the place.
//!
//! It can be wrong in a head that is let through although a quad of that place waits, and in one
//! that waits for a quad that has left. Planted fault: `merge-order`.

use rust_hdl::prelude::*;

use super::{MergeKind, MergeQueue, Order, Where};
use crate::base::parts::Part;

impl Part<Order> for MergeQueue {
    #[hdl_gen]
    fn update(&mut self) {
        self.clash.next = false;
        for k in 0..self._ordered {
            self.same[k].next = self.waits.q.val();
            if self.leaves.q.val() {
                self.same[k].next = self.waits.q.val() & !bits::<32>(1);
            }
            for p in 0..self._bits {
                if self.head_at[k].q.val().get_bit(p) {
                    self.same[k].next = self.same[k].val() & self.at[p].q.val();
                } else {
                    self.same[k].next = self.same[k].val() & !self.at[p].q.val();
                }
            }
            self.clash.next = self.same[k].val().any()
                && !(self.of_head.fills.val()
                    && (self.same[k].val() == self.of_head.best.val())
                    && self.head_kind.q.val().get_value_kind_sparse()
                    && !self.never.q.val())
                && !self.fault_merge_order[k].val();
        }
    }
}

impl Part<Where> for MergeQueue {
    #[hdl_gen]
    fn update(&mut self) {
        for k in 0..self._ordered {
            self.new_at[k].next =
                bit_cast::<24, 11>(self.told.x.val()) | (bit_cast::<24, 11>(self.told.y.val()) << bits::<24>(11));
            if self.told.single.val() {
                self.new_at[k].next = bit_cast::<24, 11>(self.told.x.val())
                    | (bit_cast::<24, 11>(self.told.y.val()) << bits::<24>(11))
                    | (bit_cast::<24, 2>(self.told.sample.val()) << bits::<24>(22));
            }
            // All samples of a quad that splits wait as one.
            for _t in 0..self._twins {
                if self.told.splits.val() {
                    self.new_at[k].next = bit_cast::<24, 11>(self.told.x.val())
                        | (bit_cast::<24, 11>(self.told.y.val()) << bits::<24>(11));
                }
            }
            self.head_at[k].clock.next = self.clock.val();
            self.spare_at[k].clock.next = self.clock.val();
            self.head_at[k].d.next = self.head_at[k].q.val();
            self.spare_at[k].d.next = self.spare_at[k].q.val();
            if self.gone.val() || !self.head.q.val() {
                self.head_at[k].d.next = self.new_at[k].val();
                if self.spare.q.val() {
                    self.head_at[k].d.next = self.spare_at[k].q.val();
                }
            }
            if !self.spare.q.val() {
                self.spare_at[k].d.next = self.new_at[k].val();
            }
        }
        for k in 0..self._ordered {
            for p in 0..self._bits {
                self.at[p].clock.next = self.clock.val();
                self.moved.next = (self.at[p].q.val() & self.stay.val())
                    | ((self.at[p].q.val() >> bits::<32>(1)) & !self.stay.val() & self.all.val());
                if self.head_at[k].q.val().get_bit(p) {
                    self.moved.next = self.moved.val() | self.put.val();
                }
                self.at[p].d.next = self.moved.val() & self.all.val();
            }
        }
    }
}
