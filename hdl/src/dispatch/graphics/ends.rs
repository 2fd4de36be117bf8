//! Ends of warps: what is kept of a launch for them, which end is told next, and what becomes of
//! the slots of a pair. It can be wrong in an end that is told twice or never, and in a slot that
//! is free while the other member's public registers are in it.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::{Done, Eligible, EndPort, GraphicsDispatcher, Kept, LanesLeft, MemberTickets, Next, PairEnds, Told};

#[parts]
impl GraphicsDispatcher {
    fn kept(&mut self) {
        self.tickets.write_enable.next = self.launch_r_valid.q.val();
        self.launched.next = (bit_cast::<12, 6>(self.launch_r_unit.q.val()) << bits::<12>(4))
            | bit_cast::<12, 4>(self.launch_r_warp.q.val());
        self.tickets.write_address.next = self.launched.val();
        self.tickets.write_data.next = bit_cast::<32, 8>(self.launch_r_depth[0].q.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.launch_r_depth[1].q.val().get_bits::<8>(24)) << bits::<32>(8))
            | (bit_cast::<32, 8>(self.launch_r_depth[2].q.val().get_bits::<8>(24)) << bits::<32>(16))
            | (bit_cast::<32, 8>(self.launch_r_depth[3].q.val().get_bits::<8>(24)) << bits::<32>(24));
        self.rest.write_enable.next = self.launch_r_valid.q.val();
        self.rest.write_address.next = bit_cast::<13, 12>(self.launched.val());
        self.kept_entries.next = bit_cast::<64, 12>(self.launch_r_handle[0].q.val())
            | (bit_cast::<64, 12>(self.launch_r_handle[1].q.val()) << bits::<64>(12))
            | (bit_cast::<64, 12>(self.launch_r_handle[2].q.val()) << bits::<64>(24))
            | (bit_cast::<64, 12>(self.launch_r_handle[3].q.val()) << bits::<64>(36))
            | (bit_cast::<64, 4>(self.launch_r_mask.q.val()) << bits::<64>(48));
        self.rest.write_data.next = self.kept_entries.val();
        if self.launch_r_kind.q.val() == bits::<2>(3) {
            self.rest.write_data.next = self.kept_entries.val() | (bits::<64>(1) << bits::<64>(53));
        }
        if self.launch_r_kind.q.val() == bits::<2>(2) {
            self.rest.write_data.next = bit_cast::<64, 2>(self.launch_r_place[0].q.val().get_bits::<2>(24))
                | (bit_cast::<64, 2>(self.launch_r_place[1].q.val().get_bits::<2>(24)) << bits::<64>(2))
                | (bit_cast::<64, 2>(self.launch_r_place[2].q.val().get_bits::<2>(24)) << bits::<64>(4))
                | (bit_cast::<64, 2>(self.launch_r_place[3].q.val().get_bits::<2>(24)) << bits::<64>(6))
                | (bits::<64>(31) << bits::<64>(48));
        }
    }

    fn member_tickets(&mut self) {
        for k in 0..self._merges {
            clock!(self, clock, mate_tickets[k], mate_rest[k]);
            self.mate_tickets[k].write_enable.next = self.launch_r_valid.q.val()
                && self.launch_r_pairing.q.val().get_bit(12)
                && self.launch_r_pairing.q.val().get_bit(6);
            self.mate_rest[k].write_enable.next = self.launch_r_valid.q.val()
                && self.launch_r_pairing.q.val().get_bit(12)
                && self.launch_r_pairing.q.val().get_bit(6);
            self.mate_tickets[k].write_address.next = self.launched.val() & bits::<12>(0xFFE);
            self.mate_rest[k].write_address.next = self.launched.val() & bits::<12>(0xFFE);
            self.mate_tickets[k].write_data.next = bit_cast::<32, 8>(self.launch_r_depth[0].q.val().get_bits::<8>(24))
                | (bit_cast::<32, 8>(self.launch_r_depth[1].q.val().get_bits::<8>(24)) << bits::<32>(8))
                | (bit_cast::<32, 8>(self.launch_r_depth[2].q.val().get_bits::<8>(24)) << bits::<32>(16))
                | (bit_cast::<32, 8>(self.launch_r_depth[3].q.val().get_bits::<8>(24)) << bits::<32>(24));
            self.mate_rest[k].write_data.next = bit_cast::<32, 2>(self.launch_r_place[0].q.val().get_bits::<2>(24))
                | (bit_cast::<32, 2>(self.launch_r_place[1].q.val().get_bits::<2>(24)) << bits::<32>(2))
                | (bit_cast::<32, 2>(self.launch_r_place[2].q.val().get_bits::<2>(24)) << bits::<32>(4))
                | (bit_cast::<32, 2>(self.launch_r_place[3].q.val().get_bits::<2>(24)) << bits::<32>(6));
            // Of three or four members: each at its own slot, the fourth at that of member 0.
            for _m in 0..self._threes {
                self.mate_tickets[k].write_enable.next = self.launch_r_valid.q.val()
                    && self.launch_r_pairing.q.val().get_bit(12)
                    && self.launch_r_pairing.q.val().get_bits::<2>(6).any();
                self.mate_rest[k].write_enable.next = self.launch_r_valid.q.val()
                    && self.launch_r_pairing.q.val().get_bit(12)
                    && self.launch_r_pairing.q.val().get_bits::<2>(6).any();
                self.mate_tickets[k].write_address.next = self.launched.val();
                self.mate_rest[k].write_address.next = self.launched.val();
                if self.launch_r_pairing.q.val().get_bits::<2>(6).all() {
                    self.mate_tickets[k].write_address.next = self.launched.val() & bits::<12>(0xFFC);
                    self.mate_rest[k].write_address.next = self.launched.val() & bits::<12>(0xFFC);
                }
            }
        }
    }

    fn eligible(&mut self) {
        // Ends that may be told. The end of a merged warp waits until member 1 is told to be gone.
        for u in 0..self._units {
            self.eligible[u].next = self.ended[u].q.val();
        }
        for k in 0..self._merges {
            for u in 0..self._units {
                self.unit_mates[u].next = self.mates[u].val();
                for _m in 0..self._threes {
                    self.unit_mates[u].next = self.mates[u].val() | self.mates_high[u].val();
                }
                self.merged_pairs[u].next = bits::<16>(0);
                for p in 0..8 {
                    if self.unit_mates[u].val().get_bits::<4>(8 * p).any() && self.paired[u].q.val().get_bit(p) {
                        self.merged_pairs[u].next =
                            self.merged_pairs[u].val() | (bits::<16>(1) << (2 * p).to_bits::<4>());
                    }
                }
                self.merged[u].next = self.merged_pairs[u].val();
                for _m in 0..self._threes {
                    self.merged_guests[u].next = bits::<16>(0);
                    for q in 0..4 {
                        if self.unit_mates[u].val().get_bits::<4>(16 * q).any()
                            && (self.third[u].q.val().get_bit(q) || self.fourth[u].q.val().get_bit(q))
                        {
                            self.merged_guests[u].next =
                                self.merged_guests[u].val() | (bits::<16>(1) << (4 * q).to_bits::<4>());
                        }
                    }
                    self.merged[u].next = self.merged_pairs[u].val() | self.merged_guests[u].val();
                }
                self.eligible[u].next = self.ended[u].q.val() & !self.merged[u].val();
                if self.fault_pair_end[k].val() {
                    self.eligible[u].next = self.ended[u].q.val();
                }
            }
        }
    }

    fn next(&mut self) {
        // Ends: which one is told next.
        self.any.next = false;
        self.any_unit.next = bits::<6>(0);
        self.after.next = false;
        self.after_unit.next = bits::<6>(0);
        for u in 0..self._units {
            if self.eligible[u].val().any() {
                if !self.any.val() {
                    self.any.next = true;
                    self.any_unit.next = u.to_bits::<6>();
                }
                if !self.after.val() && (self.turn.q.val() < u.to_bits::<6>()) {
                    self.after.next = true;
                    self.after_unit.next = u.to_bits::<6>();
                }
            }
        }
        if self.after.val() {
            self.any_unit.next = self.after_unit.val();
        }
        self.slots.next = bits::<16>(0);
        for u in 0..self._units {
            if self.any_unit.val() == u.to_bits::<6>() {
                self.slots.next = self.eligible[u].val();
            }
        }
        self.slot.next = bits::<4>(0);
        self.chosen.next = bits::<16>(0);
        for w in 0..16 {
            if self.slots.val().get_bit(w) && !self.chosen.val().any() {
                self.slot.next = w.to_bits::<4>();
                self.chosen.next = bits::<16>(1) << w.to_bits::<4>();
            }
        }
    }

    fn pair_ends(&mut self) {
        // Of a pair: what has merged ends with member 0's slot, and is told for each member. Member
        // 1 that is gone is not told. A member 0 that ends alone keeps its slot while member 1 is
        // there, whose public registers are in it.
        self.odd.next = self.report_warp.q.val().get_bit(0);
        self.pair_bit.next = bits::<8>(1) << bit_cast::<8, 3>(self.report_warp.q.val().get_bits::<3>(1));
        self.mate_shift.next = bit_cast::<64, 4>(self.report_warp.q.val() & bits::<4>(14)) << bits::<64>(2);
        self.mate_words.next = bits::<64>(0);
        self.mate_lanes.next = bits::<4>(0);
        self.is_paired.next = false;
        self.is_kept.next = false;
        self.is_freed.next = false;
        self.silent.next = false;
        self.joined.next = false;
        self.keeps.next = false;
        self.frees.next = false;
        // Groups of up to four: `group_ends.rs`.
        for k in 0..self._pairs_only {
            for u in 0..self._units {
                if self.report_unit.q.val() == u.to_bits::<6>() {
                    self.mate_words.next = self.mates[u].val() >> self.mate_shift.val();
                    self.is_paired.next = (self.paired[u].q.val() & self.pair_bit.val()).any();
                    self.is_kept.next = (self.kept[u].q.val() & self.pair_bit.val()).any();
                    self.is_freed.next = (self.freed[u].q.val() & self.pair_bit.val()).any();
                }
            }
            self.mate_lanes.next = self.mate_words.val().get_bits::<4>(0);
            self.silent.next = (self.odd.val() && self.is_paired.val() && self.mate_lanes.val().any())
                || (!self.odd.val() && self.is_freed.val());
            self.joined.next =
                !self.odd.val() && !self.is_freed.val() && self.mate_lanes.val().any() && !self.fault_pair_end[k].val();
            self.keeps.next = !self.odd.val()
                && !self.is_freed.val()
                && self.is_paired.val()
                && !self.mate_lanes.val().any()
                && !self.fault_pair_free[k].val();
            self.frees.next = self.odd.val() && self.is_kept.val();
        }
        // Registers of member 1's slot are the merged warp's: it is told to be gone, and once more
        // when that has ended.
        for k in 0..self._joins {
            self.is_held[k].next = false;
            for u in 0..self._units {
                if self.report_unit.q.val() == u.to_bits::<6>() {
                    self.is_held[k].next = (self.held[u].q.val() & self.pair_bit.val()).any();
                }
            }
            if self.odd.val() && self.is_held[k].val() {
                self.silent.next = true;
            }
            self.holds[k].next =
                self.odd.val() && self.silent.val() && !self.is_held[k].val() && !self.fault_pair_joined[k].val();
        }
    }

    fn done(&mut self) {
        self.launch_bit.next =
            bits::<8>(1) << bit_cast::<8, 3>(self.account.offer_ports.offer_warp.val().get_bits::<3>(1));
        self.reported.next = self.reporting.q.val()
            && (!self.rest.read_data.val().get_bit(52) || self.fragment.ready.val() || self.silent.val());
        for k in 0..self._merges {
            dff_setup!(self, clock, beat[k]);
            if self.joined.val() && !self.beat[k].q.val() {
                self.reported.next = false;
                if self.reporting.q.val() && self.fragment.ready.val() {
                    self.beat[k].d.next = true;
                }
            }
            for m in 0..self._threes {
                self.reported.next = self.reporting.q.val()
                    && (!self.rest.read_data.val().get_bit(52) || self.fragment.ready.val() || self.silent.val());
                dff_setup!(self, clock, report_part[m]);
                if self.joined.val() && self.next_part[m].val().any() {
                    self.reported.next = false;
                    if self.reporting.q.val() && self.fragment.ready.val() {
                        self.report_part[m].d.next = self.next_part[m].val();
                        self.beat[k].d.next = true;
                    }
                }
                if self.reported.val() {
                    self.report_part[m].d.next = bits::<2>(0);
                }
            }
            if self.reported.val() {
                self.beat[k].d.next = false;
            }
        }
        self.go.next = self.any.val() && (!self.reporting.q.val() || self.reported.val());
        for m in 0..self._threes {
            self.launch_quartet[m].next =
                bits::<4>(1) << bit_cast::<4, 2>(self.account.offer_ports.offer_warp.val().get_bits::<2>(2));
        }
        for u in 0..self._units {
            self.ended[u].clock.next = self.clock.val();
            self.waiting_ends[u].next = self.ended[u].q.val();
            if self.go.val() && (self.any_unit.val() == u.to_bits::<6>()) {
                self.waiting_ends[u].next = self.ended[u].q.val() & (self.chosen.val() ^ bits::<16>(0xFFFF));
            }
            for r in 0..self._rows {
                if self.end[r].valid.val() && (self.end[r].unit.val() == u.to_bits::<6>()) {
                    self.waiting_ends[u].next = self.waiting_ends[u].val() | (bits::<16>(1) << self.end[r].warp.val());
                }
            }
            self.freed_ends[u].next = self.waiting_ends[u].val();
            for _k in 0..self._merges {
                self.paired[u].clock.next = self.clock.val();
                self.kept[u].clock.next = self.clock.val();
                self.freed[u].clock.next = self.clock.val();
                self.home_bit[u].next = bits::<16>(0);
                self.paired_was[u].next = self.paired[u].q.val();
                for _m in 0..self._threes {
                    self.third[u].clock.next = self.clock.val();
                    self.fourth[u].clock.next = self.clock.val();
                    self.third_was[u].next = self.third[u].q.val();
                    self.fourth_was[u].next = self.fourth[u].q.val();
                }
                self.kept[u].d.next = self.kept[u].q.val();
                self.freed[u].d.next = self.freed[u].q.val();
                if self.take_quad.val()
                    && self.is_first.val()
                    && self.pairing.mergeable.val()
                    && (self.account.offer_ports.offer_unit.val() == u.to_bits::<6>())
                {
                    self.paired_was[u].next = self.paired[u].q.val() | self.launch_bit.val();
                    for m in 0..self._threes {
                        if self.pairing.others.val().get_bit(1) {
                            self.third_was[u].next = self.third[u].q.val() | self.launch_quartet[m].val();
                        }
                        if self.pairing.others.val().all() {
                            self.fourth_was[u].next = self.fourth[u].q.val() | self.launch_quartet[m].val();
                        }
                    }
                }
                // Members of groups that split end by themselves.
                for _t in 0..self._twins {
                    if self.shade.splits.val() {
                        self.paired_was[u].next = self.paired[u].q.val();
                    }
                }
                self.paired_now[u].next = self.paired_was[u].val();
                for _m in 0..self._threes {
                    self.third_now[u].next = self.third_was[u].val();
                    self.fourth_now[u].next = self.fourth_was[u].val();
                }
                if self.reported.val() && (self.report_unit.q.val() == u.to_bits::<6>()) {
                    if self.odd.val() {
                        self.paired_now[u].next = self.paired_was[u].val() & !self.pair_bit.val();
                    }
                    // A third or fourth member is no member 1.
                    for m in 0..self._threes {
                        if self.is_third[m].val() {
                            self.paired_now[u].next = self.paired_was[u].val();
                            self.third_now[u].next = self.third_was[u].val() & !self.quartet[m].val();
                        }
                        if self.is_fourth[m].val() {
                            self.paired_now[u].next = self.paired_was[u].val();
                            self.fourth_now[u].next = self.fourth_was[u].val() & !self.quartet[m].val();
                        }
                    }
                    if self.keeps.val() {
                        self.kept[u].d.next = self.kept[u].q.val() | self.pair_bit.val();
                    }
                    if self.frees.val() {
                        self.kept[u].d.next = self.kept[u].q.val() & !self.pair_bit.val();
                        self.freed[u].d.next = self.freed[u].q.val() | self.pair_bit.val();
                        self.home_bit[u].next =
                            bits::<16>(1) << bit_cast::<16, 4>(self.report_warp.q.val() & bits::<4>(14));
                        for m in 0..self._threes {
                            if self.is_third[m].val() || self.is_fourth[m].val() {
                                self.home_bit[u].next =
                                    bits::<16>(1) << bit_cast::<16, 4>(self.report_warp.q.val() & bits::<4>(12));
                            }
                        }
                        self.freed_ends[u].next = self.waiting_ends[u].val() | self.home_bit[u].val();
                    }
                    if self.is_freed.val() && !self.odd.val() {
                        self.freed[u].d.next = self.freed[u].q.val() & !self.pair_bit.val();
                    }
                }
            }
            self.remaining[u].next = self.freed_ends[u].val();
            for k in 0..self._joins {
                dff_setup!(self, clock, held[u]);
                if self.reported.val() && (self.report_unit.q.val() == u.to_bits::<6>()) {
                    if self.holds[k].val() {
                        self.held[u].d.next = self.held[u].q.val() | self.pair_bit.val();
                    }
                    if self.odd.val() && self.is_held[k].val() {
                        self.held[u].d.next = self.held[u].q.val() & !self.pair_bit.val();
                    }
                    if self.joined.val() && self.is_held[k].val() {
                        self.remaining[u].next = self.freed_ends[u].val()
                            | (bits::<16>(1) << (bit_cast::<16, 4>(self.report_warp.q.val()) | bits::<16>(1)));
                    }
                }
            }
            for _k in 0..self._merges {
                self.paired[u].d.next = self.paired_now[u].val();
            }
            for _m in 0..self._threes {
                self.third[u].d.next = self.third_now[u].val();
                self.fourth[u].d.next = self.fourth_now[u].val();
            }
            self.ended[u].d.next = self.remaining[u].val();
        }
        if self.reported.val() {
            self.reporting.d.next = false;
        }
        // The RAMs keep what they read while their address stays.
        self.report_address.next = (bit_cast::<12, 6>(self.report_unit.q.val()) << bits::<12>(4))
            | bit_cast::<12, 4>(self.report_warp.q.val());
        if self.go.val() {
            self.reporting.d.next = true;
            self.turn.d.next = self.any_unit.val();
            self.report_unit.d.next = self.any_unit.val();
            self.report_warp.d.next = self.slot.val();
            self.report_address.next =
                (bit_cast::<12, 6>(self.any_unit.val()) << bits::<12>(4)) | bit_cast::<12, 4>(self.slot.val());
        }
        self.tickets.read_address.next = self.report_address.val();
        self.rest.read_address.next = bit_cast::<13, 12>(self.report_address.val());
    }

    fn lanes_left(&mut self) {
        // The end that is told; its slot is free from the next cycle on.
        self.left.next = bits::<64>(0);
        for u in 0..self._units {
            if self.report_unit.q.val() == u.to_bits::<6>() {
                self.left.next = self.covered[u].val();
            }
        }
        self.shift.next = bit_cast::<64, 4>(self.report_warp.q.val()) << bits::<64>(2);
        self.lowest.next = self.left.val() >> self.shift.val();
        self.fragment.covered.next = self.lowest.val().get_bits::<4>(0);
        for k in 0..self._merges {
            if self.joined.val() {
                self.fragment.covered.next = self.lowest.val().get_bits::<4>(0) & !self.mate_lanes.val();
                if self.beat[k].q.val() {
                    self.fragment.covered.next = self.lowest.val().get_bits::<4>(0) & self.mate_lanes.val();
                }
            }
        }
        if self.fault_graphics_end_early.val() {
            self.fragment.covered.next = bits::<4>(15);
        }
    }

    fn end_port(&mut self) {
        self.fragment.valid.next =
            self.reporting.q.val() && self.rest.read_data.val().get_bit(52) && !self.silent.val();
        self.fragment.ticket[0].next = self.tickets.read_data.val().get_bits::<8>(0);
        self.fragment.ticket[1].next = self.tickets.read_data.val().get_bits::<8>(8);
        self.fragment.ticket[2].next = self.tickets.read_data.val().get_bits::<8>(16);
        self.fragment.ticket[3].next = self.tickets.read_data.val().get_bits::<8>(24);
        self.fragment.sample[0].next = self.rest.read_data.val().get_bits::<2>(0);
        self.fragment.sample[1].next = self.rest.read_data.val().get_bits::<2>(2);
        self.fragment.sample[2].next = self.rest.read_data.val().get_bits::<2>(4);
        self.fragment.sample[3].next = self.rest.read_data.val().get_bits::<2>(6);
        for k in 0..self._merges {
            self.mate_tickets[k].read_address.next = self.report_address.val() & bits::<12>(0xFFE);
            self.mate_rest[k].read_address.next = self.report_address.val() & bits::<12>(0xFFE);
            if self.joined.val() && self.beat[k].q.val() {
                self.fragment.ticket[0].next = self.mate_tickets[k].read_data.val().get_bits::<8>(0);
                self.fragment.ticket[1].next = self.mate_tickets[k].read_data.val().get_bits::<8>(8);
                self.fragment.ticket[2].next = self.mate_tickets[k].read_data.val().get_bits::<8>(16);
                self.fragment.ticket[3].next = self.mate_tickets[k].read_data.val().get_bits::<8>(24);
                self.fragment.sample[0].next = self.mate_rest[k].read_data.val().get_bits::<2>(0);
                self.fragment.sample[1].next = self.mate_rest[k].read_data.val().get_bits::<2>(2);
                self.fragment.sample[2].next = self.mate_rest[k].read_data.val().get_bits::<2>(4);
                self.fragment.sample[3].next = self.mate_rest[k].read_data.val().get_bits::<2>(6);
            }
        }
    }

    fn told(&mut self) {
        self.shaded_ports.shaded_valid.next = self.reporting.q.val()
            && !self.rest.read_data.val().get_bit(52)
            && (!self.rest.read_data.val().get_bit(53) || self.fault_graphics_cull_end.val());
        self.cull_shaded_valid.next = self.reporting.q.val() && self.rest.read_data.val().get_bit(53);
        self.shaded_ports.shaded_mask.next = self.rest.read_data.val().get_bits::<4>(48);
        self.shaded_ports.shaded_entry[0].next = self.rest.read_data.val().get_bits::<12>(0);
        self.shaded_ports.shaded_entry[1].next = self.rest.read_data.val().get_bits::<12>(12);
        self.shaded_ports.shaded_entry[2].next = self.rest.read_data.val().get_bits::<12>(24);
        self.shaded_ports.shaded_entry[3].next = self.rest.read_data.val().get_bits::<12>(36);
        for r in 0..self._rows {
            self.account.end[r].valid.next = false;
            self.account.end[r].unit.next = self.report_unit.q.val();
            self.account.end[r].warp.next = self.report_warp.q.val();
        }
        self.account.end[0].valid.next = self.reported.val() && !self.keeps.val();
        for k in 0..self._joins {
            if self.holds[k].val() {
                self.account.end[0].valid.next = false;
            }
        }
        self.quiet.next = self.account.empty.val() && !self.launch_r_valid.q.val();
        self.idle.next = self.quiet.val();
    }
}
