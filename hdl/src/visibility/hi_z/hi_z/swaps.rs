//! Hi-Z: places on the chip as a cache of groups in memory. It can be wrong by a group that is here
//! with what memory said of another one.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::{CachePlaces, HiZ, MemoryGroups};
use crate::ports::{LineIn, LineRequestOut, StateWriteIn};

#[parts]
impl HiZ {
    fn cache_places(&mut self) {
        for _m in 0..self._memory {
            clock!(self, clock, memory);
            StateWriteIn::link(&mut self.state, &mut self.memory.state);
            self.memory.forget.next = false;
            if self._forgets {
                self.memory.forget.next = self.forget[0].val();
            }
            LineRequestOut::link(&mut self.m_req[0], &mut self.memory.m_req);
            LineIn::link(&mut self.m_rsp[0], &mut self.memory.m_rsp);
            self.missing[0].clock.next = self.clock.val();
            self.spilled[0].clock.next = self.clock.val();
            self.dirty[0].clock.next = self.clock.val();
            self.based[0].clock.next = self.clock.val();
            self.base[0].clock.next = self.clock.val();
            self.missing[0].d.next = self.missing[0].q.val();
            self.spilled[0].d.next = self.spilled[0].q.val();
            self.dirty[0].d.next = self.dirty[0].q.val();
            self.based[0].d.next = self.based[0].q.val();
            self.base[0].d.next = self.base[0].q.val();
            // Places of the pass: a power of two.
            self.mask[0].next = self.words.val() >> bit_cast::<18, 2>(self.samples.q.val());
            self.low_mask[0].next = self.mask[0].val().get_bits::<13>(0);
            self.resident_slot[0].next = self.group.q.val().get_bits::<13>(0) & self.low_mask[0].val();
        }
    }

    fn memory_groups(&mut self) {
        for _m in 0..self._memory {
            if self.phase.q.val() == bits::<2>(1) {
                self.spilled[0].d.next = self.now_spilled[0].val();
                self.base[0].d.next = self.bases[0].read_data.val().get_bits::<24>(0);
                self.based[0].d.next = self.fits[0].val()
                    && self.bases[0].read_data.val().get_bit(24)
                    && !(self.other_way.val() && self.class_ports.claims.val());
                self.dirty[0].d.next = (self.fits[0].val() && self.slot_word[0].val().get_bit(19))
                    || ((!self.fits[0].val() || self.other_way.val()) && self.class_ports.claims.val());
                if self.fetches[0].val() {
                    self.missing[0].d.next = self.memory.usable.val();
                    // What is lost may be anything.
                    self.reset.d.next = !self.memory.usable.val();
                }
            }
            // The group as memory knows it. Its record is written before any other is looked at.
            if self.memory.done.val() {
                self.missing[0].d.next = false;
                if self.memory.found.val() {
                    self.changed.d.next = true;
                    self.dirty[0].d.next = false;
                    self.based[0].d.next = true;
                    self.base[0].d.next = self.memory.found_bound.val();
                    self.group_run.d.next = self.memory.found_run.val();
                    self.group_down.d.next = self.memory.found_down.val();
                    if self.class_ports.claims.val()
                        && (self.memory.found_down.val() != self.class_ports.down.val())
                        && (self.class_ports.function.val() != bits::<3>(2))
                    {
                        self.dirty[0].d.next = true;
                        self.based[0].d.next = false;
                        self.reset.d.next = true;
                        self.group_down.d.next = self.class_ports.down.val();
                    }
                }
            }
        }
    }
}
