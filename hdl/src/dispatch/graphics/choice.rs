//! Who is launched next, and into which slots: where programs begin, groups of quads that take
//! their slots together, and the turns of the clients. It can be wrong in an order that waits for
//! itself: a member that holds slots behind a client that has none.

use quadlock_hdl_macros::parts;
use quadlock_isa::records::state;
use rust_hdl::prelude::*;

use super::{GraphicsDispatcher, Groups, Lookup, Programs, Ranks, Turns, Waits};
use crate::comment;

#[parts]
impl GraphicsDispatcher {
    fn programs(&mut self) {
        comment!("module: graphics_dispatcher");
        dff_setup!(
            self,
            clock,
            launch_r_valid,
            launch_r_unit,
            launch_r_warp,
            launch_r_mask,
            launch_r_pc,
            launch_r_order,
            launch_r_kind,
            launch_r_context,
            launch_r_covered,
            launch_r_pairing,
            launch_r_events,
            launch_r_cutoff,
            cull_last,
            turn,
            reporting,
            report_unit,
            report_warp
        );
        clock!(self, clock, account, first, events, cutoffs, tickets, rest);

        // Where programs begin, merge and split.
        self.stage.next = bits::<6>(0);
        if self.state.word.val() == bits::<6>(state::FRAGMENT_FIRST) {
            self.stage.next = bits::<6>(16);
        }
        if self.state.word.val() == bits::<6>(state::VERTEX_SIZE) {
            self.stage.next = bits::<6>(32);
        }
        self.first.write_enable.next = self.state.valid.val()
            && !self.state.pass.val()
            && ((self.state.word.val() == bits::<6>(state::VERTEX_FIRST))
                || (self.state.word.val() == bits::<6>(state::FRAGMENT_FIRST))
                || (self.state.word.val() == bits::<6>(state::VERTEX_SIZE)));
        if self._alone {
            if self.state.word.val() == bits::<6>(state::UNPAIRED_FIRST) {
                self.stage.next = bits::<6>(48);
                self.first.write_enable.next = self.state.valid.val() && !self.state.pass.val();
            }
        }
        self.first.write_address.next = self.stage.val() | bit_cast::<6, 4>(self.state.context.val());
        fan_out!(self.state.data => self.first.write_data, self.events.write_data);
        // The position part stands beside the number of instructions.
        if self.state.word.val() == bits::<6>(state::VERTEX_SIZE) {
            self.first.write_data.next = self.state.data.val() >> bits::<32>(16);
        }
        self.events.write_enable.next =
            self.state.valid.val() && !self.state.pass.val() && (self.state.word.val() == bits::<6>(state::EVENTS));
        self.events.write_address.next = bit_cast::<6, 4>(self.state.context.val());
        self.cutoffs.write_enable.next =
            self.state.valid.val() && !self.state.pass.val() && (self.state.word.val() == bits::<6>(state::VARYINGS));
        self.cutoffs.write_address.next = bit_cast::<6, 4>(self.state.context.val());
        self.cutoffs.write_data.next = self.state.data.val() >> bits::<32>(8);
    }

    fn ranks(&mut self) {
        // Slots of both members are taken before the first is launched.
        self.is_first.next = false;
        self.is_second.next = false;
        self.rank_now.next = bits::<2>(0);
        self.group_others.next = bits::<2>(0);
        // Samples of a group: the number of one is that of the samples below it.
        self.samples_of_quad.next = bits::<4>(0);
        for k in 0..self._splits {
            self.samples_of_quad.next = self.shade.coverage.val().get_bits::<4>(0)
                | self.shade.coverage.val().get_bits::<4>(4)
                | self.shade.coverage.val().get_bits::<4>(8)
                | self.shade.coverage.val().get_bits::<4>(12);
            // Of pixels likewise.
            for t in 0..self._turns {
                self.turned[t].next = self.shade.splits.val() && !self.shade.single.val();
                self.pixels_of_quad[t].next = bits::<4>(0);
                for i in 0..4 {
                    if self.shade.coverage.val().get_bits::<4>(4 * i).any() {
                        self.pixels_of_quad[t].next = self.pixels_of_quad[t].val() | (bits::<4>(1) << i.to_bits::<4>());
                    }
                }
                if self.turned[t].val() {
                    self.samples_of_quad.next = self.pixels_of_quad[t].val();
                }
            }
            self.present[k].next = self.samples_of_quad.val();
            self.lower[k].next =
                self.present[k].val() & ((bits::<4>(1) << bit_cast::<4, 2>(self.shade.sample.val())) - bits::<4>(1));
            self.below[k].next = bits::<2>(0);
            self.others[k].next = bits::<2>(3);
            for i in 0..4 {
                if self.lower[k].val().get_bit(i) {
                    self.below[k].next = self.below[k].val() + bits::<2>(1);
                }
                // Modulo 4: of n samples n - 1 others.
                if self.present[k].val().get_bit(i) {
                    self.others[k].next = self.others[k].val() + bits::<2>(1);
                }
            }
            self.rank[k].next = self.below[k].val();
            if self.fault_split_rank[k].val() {
                self.rank[k].next = self.shade.sample.val();
            }
        }
    }

    fn groups(&mut self) {
        for k in 0..self._merges {
            self.second[k].clock.next = self.clock.val();
            self.second_unit[k].clock.next = self.clock.val();
            self.second_warp[k].clock.next = self.clock.val();
            self.second[k].d.next = self.second[k].q.val();
            self.second_unit[k].d.next = self.second_unit[k].q.val();
            self.second_warp[k].d.next = self.second_warp[k].q.val();
            self.is_first.next = self.pairing.mergeable.val() && !self.second[k].q.val();
            self.is_second.next = self.pairing.mergeable.val() && self.second[k].q.val();
            self.group_others.next = bits::<2>(1);
        }
        for _k in 0..self._threes {
            self.group_others.next = self.pairing.others.val();
        }
        for k in 0..self._splits {
            self.more[k].clock.next = self.clock.val();
            self.more_unit[k].clock.next = self.clock.val();
            self.more_warp[k].clock.next = self.clock.val();
            self.more[k].d.next = self.more[k].q.val();
            self.more_unit[k].d.next = self.more_unit[k].q.val();
            self.more_warp[k].d.next = self.more_warp[k].q.val();
            if self.shade.splits.val() {
                self.is_first.next = !self.more[k].q.val();
                self.is_second.next = self.more[k].q.val();
                self.group_others.next = self.others[k].val();
                self.rank_now.next = self.rank[k].val();
            }
        }
    }

    fn waits(&mut self) {
        // Who is launched.
        self.quad_waits.next = self.shade.valid.val() && !self.shade.end.val();
        // A member whose slot is taken goes before all: who has slots gives none back without it.
        self.member_first.next = self.quad_waits.val() && self.is_second.val();
        for k in 0..self._groups {
            if self.fault_group_waits[k].val() {
                self.member_first.next = false;
            }
        }
        self.batch_first.next = self.batch.valid.val() && !self.member_first.val();
        self.cull_first.next = !self.batch.valid.val()
            && !self.member_first.val()
            && !(self.quad_waits.val() && (self.cull_last.q.val() || self.fault_graphics_cull_starves.val()));
        self.quad_first.next = self.member_first.val()
            || (!self.batch.valid.val()
                && (!self.cull.valid.val() || self.cull_last.q.val() || self.fault_graphics_cull_starves.val()));
        self.take_batch.next = self.batch_first.val() && self.account.offer_ports.offer.val();
        self.take_cull.next = self.cull.valid.val() && self.cull_first.val() && self.account.offer_ports.offer.val();
    }

    fn turns(&mut self) {
        self.quad_slot.next = self.account.offer_ports.offer.val();
        for k in 0..self._groups {
            self.account.group[k].next = bits::<2>(0);
            if self.quad_waits.val() && self.quad_first.val() && self.is_first.val() {
                self.account.group[k].next = self.group_others.val();
            }
            self.quad_slot.next = self.account.offer_ports.offer.val() || self.is_second.val();
        }
        // Four slots of a pair of groups, or eight.
        for t in 0..self._twins {
            self.account.eight[t].next = false;
            for k in 0..self._groups {
                if self.quad_waits.val() && self.quad_first.val() && self.is_first.val() && self.in_twins[t].val() {
                    self.account.group[k].next = bits::<2>(3);
                    self.account.eight[t].next = self.wide[t].val();
                }
            }
        }
        self.take_quad.next = self.quad_waits.val() && self.quad_first.val() && self.quad_slot.val();
        if self.take_cull.val() {
            self.cull_last.d.next = true;
        }
        if self.take_quad.val() {
            self.cull_last.d.next = false;
        }
        self.batch.ready.next = self.account.offer_ports.offer.val() && !self.member_first.val();
        self.cull.ready.next = self.account.offer_ports.offer.val() && self.cull_first.val();
        self.shade.ready.next = self.shade.end.val() || (self.quad_slot.val() && self.quad_first.val());
        self.account.start.next = self.start.val();
        self.account.pinned.next = false;
        // A draw's record does not say whether its programs need the function unit: the host gives
        // none that does to a machine in which a core has none.
        if self._mixed {
            self.account.functions[0].next = false;
        }
        self.account.group_warps.next = bits::<5>(1);
        self.account.group_slots.next = bits::<5>(1);
        self.account.shared_bytes.next = bits::<16>(0);
        self.account.seek.next = false;
        self.account.take.next =
            self.take_batch.val() || self.take_cull.val() || (self.take_quad.val() && !self.is_second.val());
    }

    fn lookup(&mut self) {
        self.who.next = bit_cast::<6, 4>(self.shade.context.val());
        self.part.next = bits::<6>(16);
        if self.take_cull.val() {
            self.who.next = bit_cast::<6, 4>(self.cull.context.val());
            self.part.next = bits::<6>(32);
        }
        if self.batch_first.val() {
            self.who.next = bit_cast::<6, 4>(self.batch.context.val());
            self.part.next = bits::<6>(0);
        }
        self.events.read_address.next = self.who.val();
        self.cutoffs.read_address.next = self.who.val();
        // A fragment warp that is no member of a pair may have a program of its own (MS-12).
        self.alone.next = false;
        if self._alone {
            self.alone.next = self.cutoffs.read_data.val().get_bit(14)
                && !self.pairing.mergeable.val()
                && (self.part.val() == bits::<6>(16))
                && !self.fault_pair_alone[0].val();
        }
        self.first.read_address.next = self.who.val() | self.part.val();
        if self.alone.val() {
            self.first.read_address.next = self.who.val() | bits::<6>(48);
        }
        if self.fault_graphics_wrong_program.val() {
            self.first.read_address.next = bit_cast::<6, 4>(self.batch.context.val());
        }
    }
}
