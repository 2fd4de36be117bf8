//! Hi-Z: the group that was here is written, and the memories of pixels, quads, records and bounds
//! get their words. A sweep of the records has the same ports. It can be wrong by a word of the
//! group that comes next, and by a copy that is not written.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::{BoundWrites, GroupBound, GroupRecord, HiZ, PartWrites, QuadWrites, Records, Sweep};

#[parts]
impl HiZ {
    fn records(&mut self) {
        self.record_new.next = bits::<41>(0);
        self.record_new.next.set_value_quads_known(self.valid.q.val());
        self.record_new.next.set_value_record_run(self.group_run.q.val());
        self.record_new.next.set_value_record_pass(self.pass.q.val());
        self.record_new.next.set_value_record_down(self.group_down.q.val());
        self.record_new.next.set_value_record_reset(self.reset.q.val());
        self.bound_new.next = bits::<48>(0);
        self.bound_new.next.set_value_bound_depth(self.eight.val());
        self.bound_new.next.set_value_bound_run(self.group_run.q.val());
        self.bound_new.next.set_value_bound_pass(self.pass.q.val());
        self.bound_new.next.set_value_bound_down(self.group_down.q.val());
        self.records[0].write_enable.next = (self.phase.q.val() == bits::<2>(3)) || self.sweeping.q.val();
        self.records[0].write_address.next = self.group.q.val().get_bits::<13>(0);
        self.records[0].write_data.next = bit_cast::<64, 41>(self.record_new.val());
        for _m in 0..self._memory {
            self.extra[0].next =
                (bit_cast::<64, 18>(self.group.q.val()) << bits::<64>(41)) | (bits::<64>(1) << bits::<64>(59));
            if self.dirty[0].q.val() {
                self.extra[0].next =
                    (bit_cast::<64, 18>(self.group.q.val()) << bits::<64>(41)) | (bits::<64>(3) << bits::<64>(59));
            }
            self.records[0].write_address.next = self.resident_slot[0].val();
            self.records[0].write_data.next = bit_cast::<64, 41>(self.record_new.val()) | self.extra[0].val();
            if self.spilled[0].q.val() {
                self.records[0].write_data.next =
                    bit_cast::<64, 41>(self.record_new.val()) | self.extra[0].val() | (bits::<64>(1) << bits::<64>(61));
            }
            // A group leaves: nobody has its place until that is written.
            if self.clears[0].val() {
                self.records[0].write_enable.next = true;
                self.records[0].write_address.next = self.at.val();
                self.records[0].write_data.next = bit_cast::<64, 10>(self.pass.q.val()) << bits::<64>(29);
                if self.now_spilled[0].val() {
                    self.records[0].write_data.next =
                        (bit_cast::<64, 10>(self.pass.q.val()) << bits::<64>(29)) | (bits::<64>(1) << bits::<64>(61));
                }
            }
            self.leaves[0].write_enable.next = self.phase.q.val() == bits::<2>(3);
            self.leaves[0].write_address.next = self.resident_slot[0].val();
            self.leaves[0].write_data.next = bit_cast::<64, 48>(self.bound_new.val());
            self.bases[0].write_enable.next = self.phase.q.val() == bits::<2>(3);
            self.bases[0].write_address.next = self.resident_slot[0].val();
            self.memory.base.next = self.base[0].q.val();
            self.memory.based.next = self.based[0].q.val();
            self.bases[0].write_data.next = self.memory.base_word.val();
        }
    }

    fn quad_writes(&mut self) {
        for k in 0..8 {
            self.quads[k].write_enable.next = self.phase.q.val() == bits::<2>(3);
            self.quads[k].write_address.next = self.group.q.val().get_bits::<13>(0);
            for _m in 0..self._memory {
                self.quads[k].write_address.next = self.resident_slot[0].val();
            }
        }
        self.quads[0].write_data.next =
            bit_cast::<64, 24>(self.even[0].q.val()) | (bit_cast::<64, 24>(self.odd[0].q.val()) << bits::<64>(24));
        self.quads[1].write_data.next =
            bit_cast::<64, 24>(self.even[1].q.val()) | (bit_cast::<64, 24>(self.odd[1].q.val()) << bits::<64>(24));
        self.quads[2].write_data.next =
            bit_cast::<64, 24>(self.even[2].q.val()) | (bit_cast::<64, 24>(self.odd[2].q.val()) << bits::<64>(24));
        self.quads[3].write_data.next =
            bit_cast::<64, 24>(self.even[3].q.val()) | (bit_cast::<64, 24>(self.odd[3].q.val()) << bits::<64>(24));
        self.quads[4].write_data.next =
            bit_cast::<64, 24>(self.even[4].q.val()) | (bit_cast::<64, 24>(self.odd[4].q.val()) << bits::<64>(24));
        self.quads[5].write_data.next =
            bit_cast::<64, 24>(self.even[5].q.val()) | (bit_cast::<64, 24>(self.odd[5].q.val()) << bits::<64>(24));
        self.quads[6].write_data.next =
            bit_cast::<64, 24>(self.even[6].q.val()) | (bit_cast::<64, 24>(self.odd[6].q.val()) << bits::<64>(24));
        self.quads[7].write_data.next =
            bit_cast::<64, 24>(self.even[7].q.val()) | (bit_cast::<64, 24>(self.odd[7].q.val()) << bits::<64>(24));
    }

    fn bound_writes(&mut self) {
        for r in 0..self._readers {
            clock!(self, clock, bounds[r]);
            self.bounds[r].write_enable.next = (self.phase.q.val() == bits::<2>(3)) || self.sweeping.q.val();
            self.bounds[r].write_address.next = self.group.q.val().get_bits::<13>(0);
            self.bounds[r].write_data.next = bit_cast::<64, 48>(self.bound_new.val());
            for _m in 0..self._memory {
                self.bounds[r].write_address.next = self.resident_slot[0].val();
                self.bounds[r].write_data.next = bit_cast::<64, 48>(self.bound_new.val())
                    | (bit_cast::<64, 16>(self.group.q.val().get_bits::<16>(2)) << bits::<64>(48));
                if self.clears[0].val() {
                    self.bounds[r].write_enable.next = true;
                    self.bounds[r].write_address.next = self.at.val();
                    self.bounds[r].write_data.next = bits::<64>(0);
                }
            }
        }
    }

    fn part_writes(&mut self) {
        for k in 0..self._parts {
            self.part_write[k].next = self.phase.q.val() == bits::<2>(3);
            self.part_group[k].next = self.group.q.val().get_bits::<13>(0);
            self.part[0].next = bit_cast::<48, 24>(self.held_even[0].val())
                | (bit_cast::<48, 24>(self.held_odd[0].val()) << bits::<48>(24));
            self.part[1].next = bit_cast::<48, 24>(self.held_even[1].val())
                | (bit_cast::<48, 24>(self.held_odd[1].val()) << bits::<48>(24));
            self.part[2].next = bit_cast::<48, 24>(self.held_even[2].val())
                | (bit_cast::<48, 24>(self.held_odd[2].val()) << bits::<48>(24));
            self.part[3].next = bit_cast::<48, 24>(self.held_even[3].val())
                | (bit_cast::<48, 24>(self.held_odd[3].val()) << bits::<48>(24));
            self.part[4].next = bit_cast::<48, 24>(self.held_even[4].val())
                | (bit_cast::<48, 24>(self.held_odd[4].val()) << bits::<48>(24));
            self.part[5].next = bit_cast::<48, 24>(self.held_even[5].val())
                | (bit_cast::<48, 24>(self.held_odd[5].val()) << bits::<48>(24));
            self.part[6].next = bit_cast::<48, 24>(self.held_even[6].val())
                | (bit_cast::<48, 24>(self.held_odd[6].val()) << bits::<48>(24));
            self.part[7].next = bit_cast::<48, 24>(self.held_even[7].val())
                | (bit_cast::<48, 24>(self.held_odd[7].val()) << bits::<48>(24));
        }
    }

    fn sweep(&mut self) {
        if self.sweeping.q.val() {
            self.records[0].write_address.next = self.sweep.q.val();
            self.records[0].write_data.next = bits::<64>(0);
            for r in 0..self._readers {
                self.bounds[r].write_address.next = self.sweep.q.val();
                self.bounds[r].write_data.next = bits::<64>(0);
            }
        }
        if self.phase.q.val() == bits::<2>(3) {
            self.phase.d.next = bits::<2>(0);
            self.changed.d.next = false;
        }
        self.idle.next = (self.phase.q.val() == bits::<2>(0))
            && !self.under_way.val()
            && !self.changed.q.val()
            && !self.sweeping.q.val();
        for _m in 0..self._memory {
            if self.missing[0].q.val() {
                self.phase.d.next = bits::<2>(0);
                self.idle.next = false;
            }
        }
    }
}
