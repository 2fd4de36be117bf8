//! Hi-Z: what those hear who ask about groups, and who look up pixels. Memories answer a cycle
//! later, and the group that is here has newer facts in registers. It can be wrong by a fact of
//! another moment than the one beside it.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::{GroupRecord, HiZ, LookAnswer, LookCopies, LookHere, LookPlace, Readers};
use crate::ports::GroupAskIn;

#[parts]
impl HiZ {
    fn readers(&mut self) {
        for r in 0..self._readers {
            GroupAskIn::link(&mut self.read[r], &mut self.read_place[r].place_ports);
            self.read_place[r].pitch.next = self.pitch.q.val();
            self.read_place[r].samples.next = self.samples.q.val();
            self.bounds[r].read_address.next = self.read_place[r].number.val().get_bits::<13>(0);
            self.read_kept[r].clock.next = self.clock.val();
            self.read_kept[r].d.next = self.read_place[r].kept.val();
            self.bound_word[r].next = self.bounds[r].read_data.val().get_bits::<48>(0);
        }
        for r in 0..self._tagged {
            self.read_slot[r].next = self.read_place[r].number.val().get_bits::<13>(0) & self.low_mask[0].val();
            self.bounds[r].read_address.next = self.read_slot[r].val();
            self.read_tag[r].clock.next = self.clock.val();
            self.read_tag[r].d.next = self.read_place[r].number.val().get_bits::<16>(2);
        }
        for r in 0..self._part_readers {
            self.part_asked[r].next = self.read_place[r].number.val().get_bits::<13>(0);
        }
        for r in 0..self._readers {
            self.bound_ports[r].known.next =
                self.read_kept[r].q.val() && (self.bound_word[r].val().get_bits::<10>(37) == self.pass.q.val());
            for _m in 0..self._memory {
                self.bound_ports[r].known.next = (self.bound_word[r].val().get_bits::<10>(37) == self.pass.q.val())
                    && ((self.bounds[r].read_data.val().get_bits::<16>(48) == self.read_tag[r].q.val())
                        || self.fault_hi_z_copy[0].val());
            }
            for l in 0..self._unknown {
                // A group that left the chip may be in memory.
                self.unknown[l].next =
                    self.read_kept[r].q.val() && (self.bound_word[r].val().get_bits::<10>(37) != self.pass.q.val());
                for _m in 0..self._memory {
                    self.unknown[l].next = false;
                }
            }
            self.bound_ports[r].bound.next = self.bound_word[r].val().get_bits::<24>(0);
            self.bound_ports[r].bound_run.next = self.bound_word[r].val().get_bits::<13>(24);
            self.bound_ports[r].bound_down.next = self.bound_word[r].val().get_bit(47);
        }
    }

    fn look_place(&mut self) {
        dff_setup!(
            self,
            clock,
            lookup_kept,
            lookup_quad_r,
            lookup_resident_r,
            lookup_valid_r,
            lookup_down_r,
            lookup_run_r,
            lookup_moves_r
        );
        self.lookup_place.place_ports.x.next = self.lookup_x.val().get_bits::<9>(2);
        self.lookup_place.place_ports.y.next = self.lookup_y.val().get_bits::<9>(2);
        self.lookup_place.pitch.next = self.pitch.q.val();
        self.lookup_place.samples.next = self.samples.q.val();
        self.lookup_quad.next = bit_cast::<4, 2>(self.lookup_x.val().get_bits::<2>(0))
            | (bit_cast::<4, 2>(self.lookup_y.val().get_bits::<2>(0)) << bits::<4>(2));
        self.lookup_group.next =
            (self.lookup_place.number.val() << bits::<18>(4)) | bit_cast::<18, 4>(self.lookup_quad.val());
        for _m in 0..self._memory {
            self.lookup_slot[0].next = self.lookup_place.number.val() & self.mask[0].val();
            self.lookup_group.next =
                (self.lookup_slot[0].val() << bits::<18>(4)) | bit_cast::<18, 4>(self.lookup_quad.val());
            self.lookup_tag[0].clock.next = self.clock.val();
            self.lookup_tag[0].d.next = self.lookup_place.number.val();
        }
        self.lookup_word.next = (self.lookup_group.val() << bit_cast::<18, 2>(self.samples.q.val()))
            | bit_cast::<18, 2>(self.lookup_sample.val());
    }

    fn look_copies(&mut self) {
        for l in 0..self._looks {
            self.left_copies[l].clock.next = self.clock.val();
            self.left_copies[l].read_address.next = self.lookup_word.val();
            self.left_copies[l].write_address.next = self.one_word.q.val();
            self.left_copies[l].write_enable.next = self.writes.val();
            self.left_copies[l].write_data.next =
                bit_cast::<64, 24>(self.new[0].val()) | (bit_cast::<64, 24>(self.new[1].val()) << bits::<64>(24));
            self.right_copies[l].clock.next = self.clock.val();
            self.right_copies[l].read_address.next = self.lookup_word.val();
            self.right_copies[l].write_address.next = self.one_word.q.val();
            self.right_copies[l].write_enable.next = self.writes.val();
            self.right_copies[l].write_data.next =
                bit_cast::<64, 24>(self.new[2].val()) | (bit_cast::<64, 24>(self.new[3].val()) << bits::<64>(24));
            clock!(self, clock, record_copies[l]);
            self.record_copies[l].read_address.next = self.lookup_place.number.val().get_bits::<13>(0);
            self.record_copies[l].write_enable.next = (self.phase.q.val() == bits::<2>(3)) || self.sweeping.q.val();
            self.record_copies[l].write_address.next = self.group.q.val().get_bits::<13>(0);
            self.record_copies[l].write_data.next = bit_cast::<64, 41>(self.record_new.val());
            for _m in 0..self._memory {
                self.record_copies[l].read_address.next = self.lookup_slot[0].val().get_bits::<13>(0);
                self.record_copies[l].write_address.next = self.resident_slot[0].val();
                self.record_copies[l].write_data.next = bit_cast::<64, 41>(self.record_new.val()) | self.extra[0].val();
                if self.clears[0].val() {
                    self.record_copies[l].write_enable.next = true;
                    self.record_copies[l].write_address.next = self.at.val();
                    self.record_copies[l].write_data.next = bits::<64>(0);
                }
            }
            if self.sweeping.q.val() {
                self.record_copies[l].write_address.next = self.sweep.q.val();
                self.record_copies[l].write_data.next = bits::<64>(0);
            }
        }
    }

    fn look_here(&mut self) {
        self.lookup_kept.d.next = self.lookup_place.kept.val();
        self.lookup_quad_r.d.next = self.lookup_quad.val();
        self.lookup_resident_r.d.next = self.resident.q.val() && (self.group.q.val() == self.lookup_place.number.val());
        self.lookup_bit.next = bits::<16>(1) << bit_cast::<16, 4>(self.lookup_quad.val());
        self.lookup_valid_r.d.next = (self.valid.q.val() & self.lookup_bit.val()).any();
        self.lookup_down_r.d.next = self.group_down.q.val();
        self.lookup_run_r.d.next = self.group_run.q.val();
        // The run is written a cycle behind pixels.
        self.lookup_moves_r.d.next = self.under_way.val();
    }

    fn look_answer(&mut self) {
        self.lookup_record.next = bits::<41>(0);
        self.lookup_bound[0].next = bits::<24>(0);
        self.lookup_bound[1].next = bits::<24>(0);
        self.lookup_bound[2].next = bits::<24>(0);
        self.lookup_bound[3].next = bits::<24>(0);
        for l in 0..self._looks {
            self.lookup_record.next = self.record_copies[l].read_data.val().get_bits::<41>(0);
            self.lookup_bound[0].next = self.left_copies[l].read_data.val().get_bits::<24>(0);
            self.lookup_bound[1].next = self.left_copies[l].read_data.val().get_bits::<24>(24);
            self.lookup_bound[2].next = self.right_copies[l].read_data.val().get_bits::<24>(0);
            self.lookup_bound[3].next = self.right_copies[l].read_data.val().get_bits::<24>(24);
        }
        self.lookup_valid.next =
            self.lookup_record.val().get_value_quads_known() >> bit_cast::<16, 4>(self.lookup_quad_r.q.val());
        self.lookup_known.next = self.lookup_kept.q.val()
            && self.lookup_valid.val().get_bit(0)
            && (self.lookup_record.val().get_value_record_pass() == self.pass.q.val());
        for _m in 0..self._memory {
            self.lookup_copy[0].next = self.record_copies[0].read_data.val().get_bits::<18>(41);
            self.lookup_known.next = self.lookup_valid.val().get_bit(0)
                && (self.lookup_record.val().get_value_record_pass() == self.pass.q.val())
                && ((self.lookup_copy[0].val() == self.lookup_tag[0].q.val()) || self.fault_hi_z_copy[0].val());
        }
        self.lookup_down.next = self.lookup_record.val().get_value_record_down();
        self.lookup_run.next = self.lookup_record.val().get_value_record_run();
        self.lookup_resident.next = self.lookup_resident_r.q.val() && self.lookup_moves_r.q.val();
        if self.lookup_resident_r.q.val() {
            self.lookup_known.next = self.lookup_valid_r.q.val();
            self.lookup_down.next = self.lookup_down_r.q.val();
            self.lookup_run.next = self.lookup_run_r.q.val();
        }
    }
}
