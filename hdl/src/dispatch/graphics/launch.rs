//! The launch: what a batch or a quad says to its warp. It leaves through a register. It can be
//! wrong in the lane that a place, a depth or a covered sample goes to, if lanes change places or a
//! quad has several samples.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::{
    Covers, Flips, GraphicsDispatcher, LaneCoverage, Launch, LaunchSlot, LaunchWords, PixelLanes, Places, Tagged,
};

#[parts]
impl GraphicsDispatcher {
    fn launch_slot(&mut self) {
        self.launch_r_valid.d.next = self.take_batch.val() || self.take_cull.val() || self.take_quad.val();
        self.launch_r_unit.d.next = self.account.offer_ports.offer_unit.val();
        self.launch_r_warp.d.next = self.account.offer_ports.offer_warp.val();
        for k in 0..self._merges {
            if self.take_quad.val() && self.is_first.val() && self.pairing.mergeable.val() {
                self.second[k].d.next = true;
                self.second_unit[k].d.next = self.account.offer_ports.offer_unit.val();
                self.second_warp[k].d.next = self.account.offer_ports.offer_warp.val() + bits::<4>(1);
            }
            if self.take_quad.val() && self.is_second.val() && self.pairing.mergeable.val() {
                self.second[k].d.next = false;
                for _m in 0..self._threes {
                    self.second[k].d.next = self.pairing.member.val() != self.pairing.others.val();
                    self.second_warp[k].d.next = self.second_warp[k].q.val() + bits::<4>(1);
                }
                self.launch_r_unit.d.next = self.second_unit[k].q.val();
                self.launch_r_warp.d.next = self.second_warp[k].q.val();
            }
        }
        for k in 0..self._splits {
            if self.take_quad.val() && self.shade.splits.val() {
                self.more[k].d.next = self.rank_now.val() != self.group_others.val();
                if self.is_second.val() {
                    self.more_warp[k].d.next = self.more_warp[k].q.val() + bits::<4>(1);
                    self.launch_r_unit.d.next = self.more_unit[k].q.val();
                    self.launch_r_warp.d.next = self.more_warp[k].q.val();
                } else {
                    self.more_unit[k].d.next = self.account.offer_ports.offer_unit.val();
                    self.more_warp[k].d.next = self.account.offer_ports.offer_warp.val() + bits::<4>(1);
                }
            }
        }
    }

    fn launch(&mut self) {
        self.launch_r_pc.d.next = self.first.read_data.val().get_bits::<16>(0);
        self.launch_r_order.d.next = self.shade.order.val();
        self.launch_r_kind.d.next = bits::<2>(2);
        self.pairing_now.next = bit_cast::<13, 6>(self.pairing.pair.val())
            | (bit_cast::<13, 2>(self.pairing.member.val()) << bits::<13>(6))
            | (bit_cast::<13, 2>(self.pairing.others.val()) << bits::<13>(8))
            | (bit_cast::<13, 2>(self.pairing.flip.val()) << bits::<13>(10));
        self.launch_r_pairing.d.next = self.pairing_now.val();
        if self.pairing.mergeable.val() {
            self.launch_r_pairing.d.next = self.pairing_now.val() | bits::<13>(0x1000);
        }
        self.launch_r_events.d.next = self.events.read_data.val();
        for _k in 0..self._splits {
            self.launch_r_events.d.next = self.events.read_data.val() & bits::<32>(0xFFFF);
            if self.shade.splits.val() {
                self.launch_r_events.d.next = (self.events.read_data.val() & bits::<32>(0xFFFF)) | bits::<32>(0x1_0000);
                for _k in 0..self._splits_beside {
                    self.launch_r_events.d.next = self.events.read_data.val();
                }
                self.launch_r_pairing.d.next = bit_cast::<13, 6>(self.pairing.pair.val())
                    | (bit_cast::<13, 2>(self.rank_now.val()) << bits::<13>(6))
                    | (bit_cast::<13, 2>(self.group_others.val()) << bits::<13>(8));
            }
        }
        self.launch_r_cutoff.d.next = self.cutoffs.read_data.val().get_bits::<6>(8);
        if self.alone.val() {
            self.launch_r_cutoff.d.next = bits::<6>(63);
        }
        self.launch_r_context.d.next = self.shade.context.val();
    }

    fn lane_coverage(&mut self) {
        self.launch_r_mask.d.next = bits::<4>(15);
        self.one_sample.next = bits::<4>(0);
        self.lanes[0].next = self.shade.coverage.val().get_bits::<4>(0);
        self.lanes[1].next = self.shade.coverage.val().get_bits::<4>(4);
        self.lanes[2].next = self.shade.coverage.val().get_bits::<4>(8);
        self.lanes[3].next = self.shade.coverage.val().get_bits::<4>(12);
        for k in 0..self._splits {
            self.all_lanes[k].next = bits::<4>(0);
            for i in 0..4 {
                if self.shade.coverage.val().get_bits::<4>(4 * i).any() {
                    self.all_lanes[k].next = self.all_lanes[k].val() | (bits::<4>(1) << i.to_bits::<4>());
                }
            }
            if self.shade.splits.val() {
                self.one_sample.next = bits::<4>(1) << bit_cast::<4, 2>(self.shade.sample.val());
                self.lanes[0].next = self.shade.coverage.val().get_bits::<4>(0) & self.one_sample.val();
                self.lanes[1].next = self.shade.coverage.val().get_bits::<4>(4) & self.one_sample.val();
                self.lanes[2].next = self.shade.coverage.val().get_bits::<4>(8) & self.one_sample.val();
                self.lanes[3].next = self.shade.coverage.val().get_bits::<4>(12) & self.one_sample.val();
            }
        }
    }

    fn pixel_lanes(&mut self) {
        for t in 0..self._turns {
            self.own_samples[t].next = self.shade.coverage.val().get_bits::<4>(0);
            self.pixel_place[t].next = bits::<32>(0);
            self.own_ticket[t].next = bits::<32>(0);
            if self.shade.sample.val() == bits::<2>(1) {
                self.own_samples[t].next = self.shade.coverage.val().get_bits::<4>(4);
                self.pixel_place[t].next = bits::<32>(1);
                self.own_ticket[t].next = bits::<32>(0x0100_0000);
            }
            if self.shade.sample.val() == bits::<2>(2) {
                self.own_samples[t].next = self.shade.coverage.val().get_bits::<4>(8);
                self.pixel_place[t].next = bits::<32>(0x1000);
                self.own_ticket[t].next = bits::<32>(0x0200_0000);
            }
            if self.shade.sample.val() == bits::<2>(3) {
                self.own_samples[t].next = self.shade.coverage.val().get_bits::<4>(12);
                self.pixel_place[t].next = bits::<32>(0x1001);
                self.own_ticket[t].next = bits::<32>(0x0300_0000);
            }
            self.own_place[t].next = self.pixel_place[t].val() | (bits::<32>(1) << bits::<32>(31));
            if self.turned[t].val() {
                self.lanes[0].next = self.own_samples[t].val() & bits::<4>(1);
                self.lanes[1].next = self.own_samples[t].val() & bits::<4>(2);
                self.lanes[2].next = self.own_samples[t].val() & bits::<4>(4);
                self.lanes[3].next = self.own_samples[t].val() & bits::<4>(8);
            }
        }
    }

    fn places(&mut self) {
        self.lane_x.next = bit_cast::<32, 11>(self.shade.x.val()) << bits::<32>(1);
        self.lane_y.next = bit_cast::<32, 11>(self.shade.y.val()) << bits::<32>(13);
        self.front.next = bits::<32>(0x4000_0000);
        if self.shade.back.val() {
            self.front.next = bits::<32>(0);
        }
        self.one.next = bits::<32>(0);
        if self.shade.single.val() {
            self.one.next =
                (bit_cast::<32, 2>(self.shade.sample.val()) << bits::<32>(24)) | (bits::<32>(1) << bits::<32>(31));
        }
        self.common.next = self.lane_x.val() | self.lane_y.val() | self.front.val() | self.one.val();
        self.ticket.next = bit_cast::<32, 6>(self.shade.ticket.val()) << bits::<32>(26);
        self.cover.next = bits::<4>(0);
        for i in 0..4 {
            self.launch_r_place[i].clock.next = self.clock.val();
            self.launch_r_depth[i].clock.next = self.clock.val();
            self.launch_r_handle[i].clock.next = self.clock.val();
            self.launch_r_handle[i].d.next = self.shade.handle.val();
            if self.lanes[i].val().any() {
                self.cover.next = self.cover.val() | (bits::<4>(1) << i.to_bits::<4>());
            }
        }
        self.quad_place[0].next = self.common.val() | (bit_cast::<32, 4>(self.lanes[0].val()) << bits::<32>(26));
        self.quad_depth[0].next = bit_cast::<32, 24>(self.shade.depth[0].val()) | self.ticket.val();
        self.quad_place[1].next =
            self.common.val() | (bit_cast::<32, 4>(self.lanes[1].val()) << bits::<32>(26)) | bits::<32>(0x0001);
        self.quad_depth[1].next =
            bit_cast::<32, 24>(self.shade.depth[1].val()) | self.ticket.val() | bits::<32>(0x0100_0000);
        self.quad_place[2].next =
            self.common.val() | (bit_cast::<32, 4>(self.lanes[2].val()) << bits::<32>(26)) | bits::<32>(0x1000);
        self.quad_depth[2].next =
            bit_cast::<32, 24>(self.shade.depth[2].val()) | self.ticket.val() | bits::<32>(0x0200_0000);
        self.quad_place[3].next =
            self.common.val() | (bit_cast::<32, 4>(self.lanes[3].val()) << bits::<32>(26)) | bits::<32>(0x1001);
        self.quad_depth[3].next =
            bit_cast::<32, 24>(self.shade.depth[3].val()) | self.ticket.val() | bits::<32>(0x0300_0000);
    }

    fn launch_words(&mut self) {
        for t in 0..self._turns {
            if self.turned[t].val() {
                self.quad_place[0].next = self.common.val()
                    | self.own_place[t].val()
                    | (bit_cast::<32, 4>(self.lanes[0].val()) << bits::<32>(26));
                self.quad_place[1].next = self.common.val()
                    | self.own_place[t].val()
                    | (bit_cast::<32, 4>(self.lanes[1].val()) << bits::<32>(26))
                    | bits::<32>(0x0100_0000);
                self.quad_place[2].next = self.common.val()
                    | self.own_place[t].val()
                    | (bit_cast::<32, 4>(self.lanes[2].val()) << bits::<32>(26))
                    | bits::<32>(0x0200_0000);
                self.quad_place[3].next = self.common.val()
                    | self.own_place[t].val()
                    | (bit_cast::<32, 4>(self.lanes[3].val()) << bits::<32>(26))
                    | bits::<32>(0x0300_0000);
                self.quad_depth[0].next =
                    bit_cast::<32, 24>(self.shade.depth[0].val()) | self.ticket.val() | self.own_ticket[t].val();
                self.quad_depth[1].next =
                    bit_cast::<32, 24>(self.shade.depth[1].val()) | self.ticket.val() | self.own_ticket[t].val();
                self.quad_depth[2].next =
                    bit_cast::<32, 24>(self.shade.depth[2].val()) | self.ticket.val() | self.own_ticket[t].val();
                self.quad_depth[3].next =
                    bit_cast::<32, 24>(self.shade.depth[3].val()) | self.ticket.val() | self.own_ticket[t].val();
            }
        }
        for i in 0..4 {
            self.launch_r_place[i].d.next = self.quad_place[i].val();
            self.launch_r_depth[i].d.next = self.quad_depth[i].val();
        }
        self.some.next = self.cover.val();
    }

    fn flips(&mut self) {
        // Lane i stands at place i, or at that place turned.
        for k in 0..self._merges {
            if (self.pairing.flip.val() == bits::<2>(1)) && !self.fault_pair_lanes[k].val() {
                self.some.next = ((self.cover.val() & bits::<4>(5)) << bits::<4>(1))
                    | ((self.cover.val() & bits::<4>(10)) >> bits::<4>(1));
                self.launch_r_place[0].d.next = self.quad_place[1].val();
                self.launch_r_place[1].d.next = self.quad_place[0].val();
                self.launch_r_place[2].d.next = self.quad_place[3].val();
                self.launch_r_place[3].d.next = self.quad_place[2].val();
                self.launch_r_depth[0].d.next = self.quad_depth[1].val();
                self.launch_r_depth[1].d.next = self.quad_depth[0].val();
                self.launch_r_depth[2].d.next = self.quad_depth[3].val();
                self.launch_r_depth[3].d.next = self.quad_depth[2].val();
            }
            if (self.pairing.flip.val() == bits::<2>(2)) && !self.fault_pair_lanes[k].val() {
                self.some.next = ((self.cover.val() & bits::<4>(3)) << bits::<4>(2))
                    | ((self.cover.val() & bits::<4>(12)) >> bits::<4>(2));
                self.launch_r_place[0].d.next = self.quad_place[2].val();
                self.launch_r_place[1].d.next = self.quad_place[3].val();
                self.launch_r_place[2].d.next = self.quad_place[0].val();
                self.launch_r_place[3].d.next = self.quad_place[1].val();
                self.launch_r_depth[0].d.next = self.quad_depth[2].val();
                self.launch_r_depth[1].d.next = self.quad_depth[3].val();
                self.launch_r_depth[2].d.next = self.quad_depth[0].val();
                self.launch_r_depth[3].d.next = self.quad_depth[1].val();
            }
            if (self.pairing.flip.val() == bits::<2>(3)) && !self.fault_pair_lanes[k].val() {
                self.some.next = ((self.cover.val() & bits::<4>(1)) << bits::<4>(3))
                    | ((self.cover.val() & bits::<4>(2)) << bits::<4>(1))
                    | ((self.cover.val() & bits::<4>(4)) >> bits::<4>(1))
                    | ((self.cover.val() & bits::<4>(8)) >> bits::<4>(3));
                self.launch_r_place[0].d.next = self.quad_place[3].val();
                self.launch_r_place[1].d.next = self.quad_place[2].val();
                self.launch_r_place[2].d.next = self.quad_place[1].val();
                self.launch_r_place[3].d.next = self.quad_place[0].val();
                self.launch_r_depth[0].d.next = self.quad_depth[3].val();
                self.launch_r_depth[1].d.next = self.quad_depth[2].val();
                self.launch_r_depth[2].d.next = self.quad_depth[1].val();
                self.launch_r_depth[3].d.next = self.quad_depth[0].val();
            }
        }
    }

    fn covers(&mut self) {
        self.launch_r_covered.d.next = self.some.val();
        for k in 0..self._splits {
            if self.shade.splits.val() && !self.rank[k].val().any() && !self.fault_split_union[k].val() {
                self.launch_r_covered.d.next = self.all_lanes[k].val();
                for t in 0..self._twins {
                    self.launch_r_covered.d.next = self.spread[t].val();
                }
            }
        }
        if self.fault_graphics_lane_swap.val() {
            self.launch_r_covered.d.next = (self.some.val() >> bits::<4>(1)) | (self.some.val() << bits::<4>(3));
        }
        if self.take_cull.val() {
            self.launch_r_kind.d.next = bits::<2>(3);
            self.launch_r_context.d.next = self.cull.context.val();
            self.launch_r_mask.d.next = self.cull.mask.val();
            self.launch_r_covered.d.next = self.cull.mask.val();
            for i in 0..4 {
                self.launch_r_place[i].d.next = self.cull.index[i].val();
                self.launch_r_depth[i].d.next = self.cull.instance[i].val();
                self.launch_r_handle[i].d.next = self.cull.entry[i].val();
            }
        }
        if self.batch_first.val() {
            self.launch_r_kind.d.next = bits::<2>(1);
            self.launch_r_context.d.next = self.batch.context.val();
            self.launch_r_mask.d.next = self.batch.mask.val();
            self.launch_r_covered.d.next = self.batch.mask.val();
            for i in 0..4 {
                self.launch_r_place[i].d.next = self.batch.index[i].val();
                self.launch_r_depth[i].d.next = self.batch.instance[i].val();
                self.launch_r_handle[i].d.next = self.batch.entry[i].val();
            }
        }
        // Vertices neither merge nor split.
        if self.batch_first.val() || self.take_cull.val() {
            self.launch_r_events.d.next = bits::<32>(0);
            self.launch_r_cutoff.d.next = self.cutoffs.read_data.val().get_bits::<6>(0);
            if !self.fault_graphics_pairing.val() {
                self.launch_r_pairing.d.next = bits::<13>(0);
            }
        }
    }

    fn tagged(&mut self) {
        self.launch.valid.next = self.launch_r_valid.q.val();
        self.launch.unit.next = self.launch_r_unit.q.val();
        self.launch.warp.next = self.launch_r_warp.q.val();
        self.launch.mask.next = self.launch_r_mask.q.val();
        self.launch.pc.next = self.launch_r_pc.q.val();
        self.launch.order.next = self.launch_r_order.q.val();
        self.tags.kind.next = self.launch_r_kind.q.val();
        self.tags.mergeable.next = self.launch_r_pairing.q.val().get_bit(12);
        self.tags.pair.next = self.launch_r_pairing.q.val().get_bits::<6>(0);
        self.tags.member.next = self.launch_r_pairing.q.val().get_bits::<2>(6);
        self.tags.others.next = self.launch_r_pairing.q.val().get_bits::<2>(8);
        self.tags.flip.next = self.launch_r_pairing.q.val().get_bits::<2>(10);
        self.tags.merge.next = self.launch_r_events.q.val().get_bits::<16>(0);
        self.tags.split.next = self.launch_r_events.q.val().get_bits::<16>(16);
        self.tags.cutoff.next = self.launch_r_cutoff.q.val();
        self.tags.context.next = self.launch_r_context.q.val();
        self.tags.covered.next = self.launch_r_covered.q.val();
        for i in 0..4 {
            self.tags.place[i].next = self.launch_r_place[i].q.val();
            self.tags.depth[i].next = self.launch_r_depth[i].q.val();
            self.tags.handle[i].next = self.launch_r_handle[i].q.val();
        }
    }
}
