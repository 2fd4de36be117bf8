//! Quads that are shaded for each sample and split, in a machine in which those merge before
//! (MS-42). Such a quad comes once for each covered sample and waits as one: with the lanes that
//! cover any sample, at one place of the memories, with depths for each sample. At the output it is
//! said once for each sample again, in order. So all of one member follow each other, and all of
//! its partner's come right behind.
//!
//! It can be wrong in the sample that a depth belongs to. Planted fault: `twin-depth`.

use quadlock_hdl_macros::parts;
use quadlock_isa::records::state;
use rust_hdl::prelude::*;

use super::{Both, MergeKind, MergeQueue, SampleDepths, SampleOutput, Several};
use crate::raster::collector::ShadePlace;

#[parts]
impl MergeQueue {
    fn several(&mut self) {
        for t in 0..self._twins {
            self.sent[t].clock.next = self.clock.val();
            clock!(self, clock, both[t]);
            // Programs with both points: their merge point is told beside the split point.
            self.both[t].write_enable.next =
                self.state.valid.val() && !self.state.pass.val() && (self.state.word.val() == bits::<6>(state::EVENTS));
            self.both[t].write_address.next = bit_cast::<6, 4>(self.state.context.val());
            self.both[t].write_data.next = bits::<32>(0);
            if self.state.data.val().get_bits::<16>(0).any() {
                self.both[t].write_data.next = bits::<32>(1);
            }
            self.both[t].read_address.next = bit_cast::<6, 4>(self.in_quad.context.val());
            // It has come when its last sample has.
            self.comes[t].next =
                self.in_quad.valid.val() && self.places.ready.val() && !self.spare.q.val() && !self.in_quad.end.val();
            self.quad_samples[t].next = self.in_quad.coverage.val().get_bits::<4>(0)
                | self.in_quad.coverage.val().get_bits::<4>(4)
                | self.in_quad.coverage.val().get_bits::<4>(8)
                | self.in_quad.coverage.val().get_bits::<4>(12);
            self.above[t].next =
                self.quad_samples[t].val() & (bits::<4>(14) << bit_cast::<4, 2>(self.in_quad.sample.val()));
            if self.in_quad.splits.val() && self.above[t].val().any() {
                self.take.next = false;
                self.places.take.next = false;
            }
            // The first in the list goes when its last sample is at the output.
            self.list_samples[t].next = self.covers.read_data.val().get_bits::<4>(0)
                | self.covers.read_data.val().get_bits::<4>(4)
                | self.covers.read_data.val().get_bits::<4>(8)
                | self.covers.read_data.val().get_bits::<4>(12);
            self.unsent[t].next = self.list_samples[t].val() & !self.sent[t].q.val();
            self.sample_bit[t].next = self.unsent[t].val() & (bits::<4>(0) - self.unsent[t].val());
            self.sent[t].d.next = self.sent[t].q.val();
            if self.shows.val() && self.first.q.val() && self.spots.read_data.val().get_value_shade_splits() {
                self.sent[t].d.next = self.sent[t].q.val() | self.sample_bit[t].val();
                if self.unsent[t].val() == self.sample_bit[t].val() {
                    self.sent[t].d.next = bits::<4>(0);
                } else {
                    self.moves.next = false;
                    self.room.next = false;
                }
            }
        }
    }

    fn both(&mut self) {
        for t in 0..self._twins {
            if self.in_quad.splits.val() {
                self.new_kind.next.set_value_kind_sparse(
                    self.points.read_data.val().get_bit(0)
                        && self.both[t].read_data.val().get_bit(0)
                        && self.active.val().any()
                        && !self.active.val().all(),
                );
            }
        }
    }

    fn sample_depths(&mut self) {
        for t in 0..self._twins {
            // Depths of samples 1 to 3; those of sample 0, and of quads that do not split, where
            // all stand.
            for j in 0..12 {
                clock!(self, clock, depths_of[j]);
                self.depths_of[j].write_address.next = self.places.place.val();
                self.depths_of[j].read_address.next = self.first_place.q.val();
                self.depths_of[j].write_enable.next = false;
            }
            self.depths_of[0].write_data.next = bit_cast::<32, 24>(self.in_quad.depth[0].val());
            self.depths_of[1].write_data.next = bit_cast::<32, 24>(self.in_quad.depth[1].val());
            self.depths_of[2].write_data.next = bit_cast::<32, 24>(self.in_quad.depth[2].val());
            self.depths_of[3].write_data.next = bit_cast::<32, 24>(self.in_quad.depth[3].val());
            self.depths_of[4].write_data.next = bit_cast::<32, 24>(self.in_quad.depth[0].val());
            self.depths_of[5].write_data.next = bit_cast::<32, 24>(self.in_quad.depth[1].val());
            self.depths_of[6].write_data.next = bit_cast::<32, 24>(self.in_quad.depth[2].val());
            self.depths_of[7].write_data.next = bit_cast::<32, 24>(self.in_quad.depth[3].val());
            self.depths_of[8].write_data.next = bit_cast::<32, 24>(self.in_quad.depth[0].val());
            self.depths_of[9].write_data.next = bit_cast::<32, 24>(self.in_quad.depth[1].val());
            self.depths_of[10].write_data.next = bit_cast::<32, 24>(self.in_quad.depth[2].val());
            self.depths_of[11].write_data.next = bit_cast::<32, 24>(self.in_quad.depth[3].val());
            for k in 0..4 {
                self.depths[k].write_enable.next = self.comes[t].val()
                    && (!self.in_quad.splits.val()
                        || (self.in_quad.sample.val() == bits::<2>(0))
                        || self.fault_twin_depth[t].val());
                self.depths_of[k].write_enable.next = self.comes[t].val()
                    && ((self.in_quad.sample.val() == bits::<2>(1)) || self.fault_twin_depth[t].val());
                self.depths_of[4 + k].write_enable.next = self.comes[t].val()
                    && ((self.in_quad.sample.val() == bits::<2>(2)) || self.fault_twin_depth[t].val());
                self.depths_of[8 + k].write_enable.next = self.comes[t].val()
                    && ((self.in_quad.sample.val() == bits::<2>(3)) || self.fault_twin_depth[t].val());
            }
        }
    }

    fn sample_output(&mut self) {
        for t in 0..self._twins {
            self.spot_now[t].next = bits::<32>(0);
            if self.shows.val() && self.first.q.val() && self.spots.read_data.val().get_value_shade_splits() {
                self.spot_now[t].next = self.spots.read_data.val() & !bits::<32>(0x3000_0000);
                if self.sample_bit[t].val().get_bit(1) {
                    self.spot_now[t].next =
                        (self.spots.read_data.val() & !bits::<32>(0x3000_0000)) | bits::<32>(0x1000_0000);
                    for k in 0..4 {
                        self.depth_r[k].d.next = self.depths_of[k].read_data.val().get_bits::<24>(0);
                    }
                }
                if self.sample_bit[t].val().get_bit(2) {
                    self.spot_now[t].next =
                        (self.spots.read_data.val() & !bits::<32>(0x3000_0000)) | bits::<32>(0x2000_0000);
                    for k in 0..4 {
                        self.depth_r[k].d.next = self.depths_of[4 + k].read_data.val().get_bits::<24>(0);
                    }
                }
                if self.sample_bit[t].val().get_bit(3) {
                    self.spot_now[t].next =
                        (self.spots.read_data.val() & !bits::<32>(0x3000_0000)) | bits::<32>(0x3000_0000);
                    for k in 0..4 {
                        self.depth_r[k].d.next = self.depths_of[8 + k].read_data.val().get_bits::<24>(0);
                    }
                }
                self.spot_r.d.next = self.spot_now[t].val();
            }
        }
    }
}
