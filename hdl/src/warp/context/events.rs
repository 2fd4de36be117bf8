//! Points that stand beside a warp's program (MS-10, MS-35): a counter, or a number of instructions
//! that a lane has executed since the launch. Here they are kept, and instructions are counted;
//! what lanes do at a point is said in `merging.rs` and `splitting.rs`.
//!
//! It can be wrong in an instruction that is counted twice or for lanes that took no part.
//!
//! Planted faults: `event-counter`, `event-count`.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::{Points, WarpContext};
use crate::warp::words::Kind;

#[parts]
impl WarpContext {
    fn points(&mut self) {
        for k in 0..self._merges_beside {
            dff_setup!(self, clock, merge_at[k]);
            if self.launch.val() {
                self.merge_at[k].d.next = self.launch_merge_at[k].val();
            }
        }
        for k in 0..self._splits_beside {
            dff_setup!(self, clock, split_at[k]);
            if self.launch.val() {
                self.split_at[k].d.next = self.launch_split_at[k].val();
            }
        }
        for l in 0..self._counted {
            dff_setup!(self, clock, executed[l]);
            if self.issue.val() && self.lowest_mask.q.val().get_bit(l) {
                self.executed[l].d.next = self.executed[l].q.val() + bits::<16>(1);
            }
        }
        for f in 0..self._counts {
            self.counts[f].next = !self.fault_event_count[f].val()
                || !(self.buffer_kind.q.val().get_value_jumps() || self.buffer_kind.q.val().get_value_conditional());
            for l in 0..self._counted {
                if !self.counts[f].val() {
                    self.executed[l].d.next = self.executed[l].q.val();
                }
            }
        }
        for l in 0..self._counted {
            if self.launch.val() {
                self.executed[l].d.next = bits::<16>(0);
            }
        }
    }
}
