//! Hi-Z: depths beside bounds, and what follows for quads, blocks and the group. It can be wrong in
//! a lane that is not covered, and in a quad that is not known.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::{Blocks, Compares, Farthest, HiZ, LateQuads, Pixels, Quads, Updates};

#[parts]
impl HiZ {
    fn pixels(&mut self) {
        // Cycle 1: what is known of the pixels.
        self.pixels[0].clock.next = self.clock.val();
        self.pixels[1].clock.next = self.clock.val();
        self.pixels[0].read_address.next = self.word.val();
        self.pixels[1].read_address.next = self.word.val();
        self.blank.next = self.reset.q.val() || self.loads.q.val();
        self.far.next = self.clear.q.val();
        if self.group_down.q.val() {
            self.far.next = !self.clear.q.val();
        }
        if self.blank.val() && !self.fault_hi_z_reset.val() {
            self.far.next = bits::<24>(0xFF_FFFF);
        }
        for _m in 0..self._memory {
            if self.based[0].q.val() {
                self.far.next = self.base[0].q.val();
            }
        }
        self.one_bit.next = bits::<16>(1) << bit_cast::<16, 4>(self.one_quad.q.val());
        self.is_known.next = (self.valid.q.val() & self.one_bit.val()).any();
        self.foreign.next = (self.group_down.q.val() != self.class_ports.down.val())
            && (self.class_ports.function.val() != bits::<3>(2));
        self.old[0].next = self.pixels[0].read_data.val().get_bits::<24>(0);
        self.old[1].next = self.pixels[0].read_data.val().get_bits::<24>(24);
        self.old[2].next = self.pixels[1].read_data.val().get_bits::<24>(0);
        self.old[3].next = self.pixels[1].read_data.val().get_bits::<24>(24);
    }

    fn compares(&mut self) {
        self.less.next = bits::<4>(0);
        self.level.next = bits::<4>(0);
        for k in 0..4 {
            if !self.is_known.val() && !self.fault_hi_z_unknown.val() {
                self.old[k].next = self.far.val();
            }
            self.new[k].next = self.old[k].val();
            if self.one_depth[k].q.val() < self.old[k].val() {
                self.less.next = self.less.val() | (bits::<4>(1) << k.to_bits::<4>());
                if self.one_cover.q.val().get_bit(k) || self.fault_hi_z_uncovered.val() {
                    self.new[k].next = self.one_depth[k].q.val();
                }
            }
            if self.one_depth[k].q.val() == self.old[k].val() {
                self.level.next = self.level.val() | (bits::<4>(1) << k.to_bits::<4>());
            }
        }
        // Equal, less or equal, greater or equal.
        self.takes_level.next = (self.class_ports.function.val() == bits::<3>(2))
            || (self.class_ports.function.val() == bits::<3>(3))
            || (self.class_ports.function.val() == bits::<3>(6));
        self.passes.next = self.less.val();
        if self.takes_level.val() {
            self.passes.next = self.less.val() | self.level.val();
        }
        if !self.culls.val() || !self.one_kept.q.val() || self.foreign.val() {
            self.passes.next = bits::<4>(15);
        }
        self.seen.next = self.one.q.val() && (self.passes.val() & self.one_cover.q.val()).any();
        self.seen_buffer.next = self.one_buffer.q.val();
    }

    fn late_quads(&mut self) {
        for l in 0..self._late {
            // At most as many runs are newer as the list has contexts.
            self.run_step[l].next = self.group_run.q.val() - self.run.val();
            self.newer[l].next =
                self.run_step[l].val().any() && !self.run_step[l].val().get_bits::<7>(6).any() && self.late[l].val();
            self.moved[l].next = self.late[l].val()
                && (self.foreign.val() || (self.newer[l].val() && self.reset.q.val()))
                && !self.fault_late_update[l].val();
        }
    }

    fn updates(&mut self) {
        self.writes.next = self.one.q.val() && self.one_kept.q.val() && self.class_ports.updates.val();
        for l in 0..self._late {
            self.writes.next =
                self.one.q.val() && self.one_kept.q.val() && self.class_ports.updates.val() && !self.moved[l].val();
        }
        self.pixels[0].write_address.next = self.one_word.q.val();
        self.pixels[1].write_address.next = self.one_word.q.val();
        self.pixels[0].write_enable.next = self.writes.val();
        self.pixels[1].write_enable.next = self.writes.val();
        self.pixels[0].write_data.next =
            bit_cast::<64, 24>(self.new[0].val()) | (bit_cast::<64, 24>(self.new[1].val()) << bits::<64>(24));
        self.pixels[1].write_data.next =
            bit_cast::<64, 24>(self.new[2].val()) | (bit_cast::<64, 24>(self.new[3].val()) << bits::<64>(24));
        // Bounds that hold no longer.
        if self.one.q.val() && self.one_kept.q.val() && self.class_ports.resets.val() && self.one_cover.q.val().any() {
            self.valid.d.next = bits::<16>(0);
            self.reset.d.next = true;
            self.group_run.d.next = self.run.val();
            self.changed.d.next = true;
        }
        // Depths may be written that nothing is known of: the group's record says which direction.
        if self.one.q.val() && self.one_kept.q.val() && self.class_ports.claims.val() && !self.fault_hi_z_claimed.val()
        {
            self.changed.d.next = true;
            for _m in 0..self._memory {
                self.dirty[0].d.next = true;
            }
        }
        for _m in 0..self._memory {
            self.lower[0].next = self.less.val() & self.one_cover.q.val();
            if self.writes.val() && self.lower[0].val().any() {
                self.dirty[0].d.next = true;
            }
            if self.one.q.val()
                && self.one_kept.q.val()
                && self.class_ports.resets.val()
                && self.one_cover.q.val().any()
            {
                self.based[0].d.next = false;
                self.dirty[0].d.next = true;
            }
        }
    }

    fn farthest(&mut self) {
        self.pair[0].next = self.new[0].val();
        if self.new[1].val() > self.new[0].val() {
            self.pair[0].next = self.new[1].val();
        }
        self.pair[1].next = self.new[2].val();
        if self.new[3].val() > self.new[2].val() {
            self.pair[1].next = self.new[3].val();
        }
        self.four.next = self.pair[0].val();
        if self.pair[1].val() > self.pair[0].val() {
            self.four.next = self.pair[1].val();
        }
        self.two.d.next = self.writes.val();
        self.two_quad.d.next = self.one_quad.q.val();
        self.two_first.d.next = self.one_first.q.val();
        self.two_last.d.next = self.one_last.q.val();
        self.two_most.d.next = self.four.val();
    }

    fn quads(&mut self) {
        // Cycle 2: of all its samples.
        self.total.next = self.two_most.q.val();
        if !self.two_first.q.val() && (self.so_far.q.val() > self.two_most.q.val()) && !self.fault_hi_z_quad.val() {
            self.total.next = self.so_far.q.val();
        }
        if self.two.q.val() {
            self.so_far.d.next = self.total.val();
            self.changed.d.next = true;
            self.group_run.d.next = self.run.val();
            for l in 0..self._late {
                // The newest change of the group stays that of the later draw.
                if self.newer[l].val() {
                    self.group_run.d.next = self.group_run.q.val();
                }
            }
            if self.two_last.q.val() {
                self.valid.d.next = self.valid.q.val() | (bits::<16>(1) << bit_cast::<16, 4>(self.two_quad.q.val()));
            }
        }
        self.two_half.next = self.two_quad.q.val().get_bits::<3>(1);
        for h in 0..8 {
            if self.two.q.val() && self.two_last.q.val() && (self.two_half.val() == h.to_bits::<3>()) {
                if self.two_quad.q.val().get_bit(0) {
                    self.odd[h].d.next = self.total.val();
                } else {
                    self.even[h].d.next = self.total.val();
                }
            }
            self.held_even[h].next = self.far.val();
            self.held_odd[h].next = self.far.val();
            if self.valid.q.val().get_bit(2 * h) {
                self.held_even[h].next = self.even[h].q.val();
            }
            if self.valid.q.val().get_bit(2 * h + 1) {
                self.held_odd[h].next = self.odd[h].q.val();
            }
            self.half[h].next = self.held_even[h].val();
            if self.held_odd[h].val() > self.held_even[h].val() {
                self.half[h].next = self.held_odd[h].val();
            }
        }
    }

    fn blocks(&mut self) {
        for b in 0..4 {
            self.block[b].clock.next = self.clock.val();
        }
        self.block[0].d.next = self.half[0].val();
        if self.half[2].val() > self.half[0].val() {
            self.block[0].d.next = self.half[2].val();
        }
        self.block[1].d.next = self.half[1].val();
        if self.half[3].val() > self.half[1].val() {
            self.block[1].d.next = self.half[3].val();
        }
        self.block[2].d.next = self.half[4].val();
        if self.half[6].val() > self.half[4].val() {
            self.block[2].d.next = self.half[6].val();
        }
        self.block[3].d.next = self.half[5].val();
        if self.half[7].val() > self.half[5].val() {
            self.block[3].d.next = self.half[7].val();
        }
        self.eight.next = self.block[0].q.val();
        for b in 1..4 {
            if self.block[b].q.val() > self.eight.val() {
                self.eight.next = self.block[b].q.val();
            }
        }
    }
}
