//! Hi-Z: what those hear who ask about groups, and who look up pixels. Memories answer a cycle
//! later, and the group that is here has newer facts in registers. It can be wrong by a fact of
//! another moment than the one beside it.

use quadlock_hdl_macros::kernel;
use rust_hdl::prelude::*;

use super::{GroupRecord, HiZ, LookAnswer, LookCopies, LookHere, LookPlace, Readers};
use crate::base::parts::Part;

impl Part<Readers> for HiZ {
    #[kernel]
    fn update(&mut self) {
        for r in 0..self._readers {
            self.asks[r].x.next = self.ask_x[r].val();
            self.asks[r].y.next = self.ask_y[r].val();
            self.asks[r].pitch.next = self.pitch.q.val();
            self.asks[r].samples.next = self.samples.q.val();
            self.bounds[r].read_address.next = self.asks[r].number.val().get_bits::<13>(0);
            self.ask_kept[r].clock.next = self.clock.val();
            self.ask_kept[r].d.next = self.asks[r].kept.val();
            self.bound_word[r].next = self.bounds[r].read_data.val().get_bits::<48>(0);
        }
        for r in 0..self._tagged {
            self.ask_slot[r].next = self.asks[r].number.val().get_bits::<13>(0) & self.low_mask[0].val();
            self.bounds[r].read_address.next = self.ask_slot[r].val();
            self.ask_tag[r].clock.next = self.clock.val();
            self.ask_tag[r].d.next = self.asks[r].number.val().get_bits::<16>(2);
        }
        for r in 0..self._part_readers {
            self.part_asked[r].next = self.asks[r].number.val().get_bits::<13>(0);
        }
        for r in 0..self._readers {
            self.known[r].next =
                self.ask_kept[r].q.val() && (self.bound_word[r].val().get_bits::<10>(37) == self.pass.q.val());
            for _m in 0..self._memory {
                self.known[r].next = (self.bound_word[r].val().get_bits::<10>(37) == self.pass.q.val())
                    && ((self.bounds[r].read_data.val().get_bits::<16>(48) == self.ask_tag[r].q.val())
                        || self.fault_hi_z_copy[0].val());
            }
            self.bound[r].next = self.bound_word[r].val().get_bits::<24>(0);
            self.bound_run[r].next = self.bound_word[r].val().get_bits::<13>(24);
            self.bound_down[r].next = self.bound_word[r].val().get_bit(47);
        }
    }
}

impl Part<LookPlace> for HiZ {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            look_kept,
            look_quad_r,
            look_here_r,
            look_valid_r,
            look_down_r,
            look_run_r,
            look_moves_r
        );
        self.looked.x.next = self.look_x.val().get_bits::<9>(2);
        self.looked.y.next = self.look_y.val().get_bits::<9>(2);
        self.looked.pitch.next = self.pitch.q.val();
        self.looked.samples.next = self.samples.q.val();
        self.look_quad.next = bit_cast::<4, 2>(self.look_x.val().get_bits::<2>(0))
            | (bit_cast::<4, 2>(self.look_y.val().get_bits::<2>(0)) << bits::<4>(2));
        self.look_group.next = (self.looked.number.val() << bits::<18>(4)) | bit_cast::<18, 4>(self.look_quad.val());
        for _m in 0..self._memory {
            self.look_slot[0].next = self.looked.number.val() & self.mask[0].val();
            self.look_group.next = (self.look_slot[0].val() << bits::<18>(4)) | bit_cast::<18, 4>(self.look_quad.val());
            self.look_tag[0].clock.next = self.clock.val();
            self.look_tag[0].d.next = self.looked.number.val();
        }
        self.look_word.next = (self.look_group.val() << bit_cast::<18, 2>(self.samples.q.val()))
            | bit_cast::<18, 2>(self.look_sample.val());
    }
}

impl Part<LookCopies> for HiZ {
    #[kernel]
    fn update(&mut self) {
        for l in 0..self._looks {
            self.left_copies[l].clock.next = self.clock.val();
            self.left_copies[l].read_address.next = self.look_word.val();
            self.left_copies[l].write_address.next = self.one_word.q.val();
            self.left_copies[l].write_enable.next = self.writes.val();
            self.left_copies[l].write_data.next =
                bit_cast::<64, 24>(self.new[0].val()) | (bit_cast::<64, 24>(self.new[1].val()) << bits::<64>(24));
            self.right_copies[l].clock.next = self.clock.val();
            self.right_copies[l].read_address.next = self.look_word.val();
            self.right_copies[l].write_address.next = self.one_word.q.val();
            self.right_copies[l].write_enable.next = self.writes.val();
            self.right_copies[l].write_data.next =
                bit_cast::<64, 24>(self.new[2].val()) | (bit_cast::<64, 24>(self.new[3].val()) << bits::<64>(24));
            self.record_copies[l].clock.next = self.clock.val();
            self.record_copies[l].read_address.next = self.looked.number.val().get_bits::<13>(0);
            self.record_copies[l].write_enable.next = (self.phase.q.val() == bits::<2>(3)) || self.sweeping.q.val();
            self.record_copies[l].write_address.next = self.group.q.val().get_bits::<13>(0);
            self.record_copies[l].write_data.next = bit_cast::<64, 41>(self.record_new.val());
            for _m in 0..self._memory {
                self.record_copies[l].read_address.next = self.look_slot[0].val().get_bits::<13>(0);
                self.record_copies[l].write_address.next = self.here_slot[0].val();
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
}

impl Part<LookHere> for HiZ {
    #[kernel]
    fn update(&mut self) {
        self.look_kept.d.next = self.looked.kept.val();
        self.look_quad_r.d.next = self.look_quad.val();
        self.look_here_r.d.next = self.here.q.val() && (self.group.q.val() == self.looked.number.val());
        self.look_bit.next = bits::<16>(1) << bit_cast::<16, 4>(self.look_quad.val());
        self.look_valid_r.d.next = (self.valid.q.val() & self.look_bit.val()).any();
        self.look_down_r.d.next = self.group_down.q.val();
        self.look_run_r.d.next = self.group_run.q.val();
        // The run is written a cycle behind pixels.
        self.look_moves_r.d.next = self.under_way.val();
    }
}

impl Part<LookAnswer> for HiZ {
    #[kernel]
    fn update(&mut self) {
        self.look_record.next = bits::<41>(0);
        self.look_bound[0].next = bits::<24>(0);
        self.look_bound[1].next = bits::<24>(0);
        self.look_bound[2].next = bits::<24>(0);
        self.look_bound[3].next = bits::<24>(0);
        for l in 0..self._looks {
            self.look_record.next = self.record_copies[l].read_data.val().get_bits::<41>(0);
            self.look_bound[0].next = self.left_copies[l].read_data.val().get_bits::<24>(0);
            self.look_bound[1].next = self.left_copies[l].read_data.val().get_bits::<24>(24);
            self.look_bound[2].next = self.right_copies[l].read_data.val().get_bits::<24>(0);
            self.look_bound[3].next = self.right_copies[l].read_data.val().get_bits::<24>(24);
        }
        self.look_valid.next =
            self.look_record.val().get_value_quads_known() >> bit_cast::<16, 4>(self.look_quad_r.q.val());
        self.look_known.next = self.look_kept.q.val()
            && self.look_valid.val().get_bit(0)
            && (self.look_record.val().get_value_record_pass() == self.pass.q.val());
        for _m in 0..self._memory {
            self.look_copy[0].next = self.record_copies[0].read_data.val().get_bits::<18>(41);
            self.look_known.next = self.look_valid.val().get_bit(0)
                && (self.look_record.val().get_value_record_pass() == self.pass.q.val())
                && ((self.look_copy[0].val() == self.look_tag[0].q.val()) || self.fault_hi_z_copy[0].val());
        }
        self.look_down.next = self.look_record.val().get_value_record_down();
        self.look_run.next = self.look_record.val().get_value_record_run();
        self.look_here.next = self.look_here_r.q.val() && self.look_moves_r.q.val();
        if self.look_here_r.q.val() {
            self.look_known.next = self.look_valid_r.q.val();
            self.look_down.next = self.look_down_r.q.val();
            self.look_run.next = self.look_run_r.q.val();
        }
    }
}
