//! The output of the merge queue: a list of two places, of the quads that go next, and behind it a
//! register with all that is said of the first of them. A pair fills the list, the older quad
//! first. A quad of the list is shown when the register is free or taken, and leaves the list then;
//! one that splits stays until its last sample is shown ([`twins`](super::twins)).
//!
//! It can be wrong by a second member that another quad comes before: the list takes nobody while
//! both of its places are full. Planted faults: `merge-place`, `merge-flip`.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::fit::MergeToken;
use super::{List, MergeQueue, OutputPort, OutputRead, OutputRegister};
use crate::raster::collector::{ShadeName, ShadePlace};

#[parts]
impl MergeQueue {
    fn list(&mut self) {
        self.partner.next = bits::<14>(0);
        for p in 0..14 {
            if (self.token[p].q.val() & self.chosen.val()).any() {
                self.partner.next = self.partner.val() | (bits::<14>(1) << p.to_bits::<4>());
            }
        }
        if self.load.val() {
            self.first.d.next = true;
            self.second.d.next = self.pair.val();
            self.paired.d.next = self.pair.val();
            self.later.d.next = false;
            self.first_place.d.next = self.head_token.q.val().get_value_token_place();
            self.second_place.d.next = self.head_token.q.val().get_value_token_place();
            self.first_lanes.d.next = self.partner.val().get_value_token_lanes();
            self.second_lanes.d.next = self.head_token.q.val().get_value_token_lanes();
            if self.pair.val() {
                self.first_place.d.next = self.partner.val().get_value_token_place();
            }
            if self.by_oldest.val() {
                self.first_place.d.next = self.oldest.val().get_value_token_place();
                self.first_lanes.d.next = self.oldest.val().get_value_token_lanes();
                self.second_lanes.d.next = self.partner.val().get_value_token_lanes();
                self.second_place.d.next = self.partner.val().get_value_token_place();
                if self.fault_merge_place.val() {
                    self.second_place.d.next = self.oldest.val().get_value_token_place();
                }
            }
        } else if self.moves.val() {
            self.first.d.next = self.second.q.val();
            self.first_place.d.next = self.second_place.q.val();
            self.second.d.next = false;
            self.later.d.next = true;
        }
        // A further member takes the first place in the list that is free.
        for k in 0..self._groups {
            if self.grows[k].val() {
                if self.first.q.val() && (!self.moves.val() || self.second.q.val()) {
                    self.second.d.next = true;
                    self.second_place.d.next = self.partner.val().get_value_token_place();
                } else {
                    self.first.d.next = true;
                    self.first_place.d.next = self.partner.val().get_value_token_place();
                }
            }
        }
    }

    fn output_read(&mut self) {
        self.places.back.next = self.moves.val() && self.first.q.val();
        self.places.back_place.next = self.first_place.q.val();
        self.names.read_address.next = self.first_place.q.val();
        self.names_high.read_address.next = self.first_place.q.val();
        self.spots.read_address.next = self.first_place.q.val();
        self.covers.read_address.next = self.first_place.q.val();
        self.fold.first.next = self.first_lanes.q.val();
        self.fold.second.next = self.second_lanes.q.val();
        for k in 0..self._groups {
            self.fold.first.next = self.joint[k].q.val();
            self.fold.second.next = self.lanes_at[k].q.val();
            if self.fault_group_overlap[k].val() {
                self.fold.first.next = self.first_lanes.q.val();
            }
        }
        self.turned.next = self.fold.flip.val();
        if self.fault_merge_flip.val() {
            self.turned.next = (self.fold.flip.val() << bits::<2>(1)) | (self.fold.flip.val() >> bits::<2>(1));
        }
    }

    fn output_register(&mut self) {
        if self.shows.val() {
            self.valid_r.d.next = self.first.q.val();
        }
        if self.shows.val() && self.first.q.val() {
            self.name_r.d.next = bit_cast::<38, 32>(self.names.read_data.val())
                | (bit_cast::<38, 6>(self.names_high.read_data.val().get_bits::<6>(0)) << bits::<38>(32));
            self.spot_r.d.next = self.spots.read_data.val();
            self.cover_r.d.next = self.covers.read_data.val().get_bits::<16>(0);
            self.paired_r.d.next = self.paired.q.val();
            self.later_r.d.next = self.paired.q.val() && self.later.q.val();
            self.pair_r.d.next = bits::<6>(0);
            self.flip_r.d.next = bits::<2>(0);
            if self.paired.q.val() && self.later.q.val() {
                self.pair_r.d.next = self.pair_r.q.val();
                self.flip_r.d.next = self.turned.val();
            } else if self.paired.q.val() {
                self.pair_r.d.next = self.spots.read_data.val().get_value_shade_ticket();
            }
        }
        for k in 0..4 {
            self.depths[k].read_address.next = self.first_place.q.val();
            dff_setup!(self, clock, depth_r[k]);
            if self.shows.val() && self.first.q.val() {
                self.depth_r[k].d.next = self.depths[k].read_data.val().get_bits::<24>(0);
            }
            self.shade.depth[k].next = self.depth_r[k].q.val();
        }
    }

    fn output_port(&mut self) {
        self.shade.valid.next = self.valid_r.q.val();
        self.shade.end.next = false;
        self.shade.context.next = self.name_r.q.val().get_value_shade_context();
        self.shade.handle.next = self.name_r.q.val().get_value_shade_handle();
        self.shade.order.next = self.name_r.q.val().get_value_shade_order();
        self.shade.back.next = self.name_r.q.val().get_value_shade_back();
        self.shade.buffer.next = self.name_r.q.val().get_value_shade_buffer();
        self.shade.single.next = self.name_r.q.val().get_value_shade_single();
        self.shade.sample.next = self.spot_r.q.val().get_value_shade_sample();
        self.shade.splits.next = self.spot_r.q.val().get_value_shade_splits();
        self.shade.x.next = self.spot_r.q.val().get_value_shade_x();
        self.shade.y.next = self.spot_r.q.val().get_value_shade_y();
        self.shade.ticket.next = self.spot_r.q.val().get_value_shade_ticket();
        self.shade.coverage.next = self.cover_r.q.val();
        self.pairing.mergeable.next = self.paired_r.q.val();
        self.pairing.pair.next = self.pair_r.q.val();
        self.pairing.member.next = bits::<2>(0);
        self.pairing.others.next = bits::<2>(0);
        if self.paired_r.q.val() {
            self.pairing.others.next = bits::<2>(1);
        }
        if self.later_r.q.val() {
            self.pairing.member.next = bits::<2>(1);
        }
        self.pairing.flip.next = self.flip_r.q.val();
    }
}
