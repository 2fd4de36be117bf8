//! The kernel of the first half of the attribute unit, in the order of [`super`].

use quadlock_hdl_macros::parts;
use quadlock_isa::records::pass;
use rust_hdl::prelude::*;

use super::{
    AttributeFront, DeepTags, DeepWords, Job, LaneSamples, MateTags, MemberSlots, Places, Questions, Slots, SplitSlots,
    Tags, Take, Words,
};
use crate::attribute::words::{BeatHead, TagPair};
use crate::comment;

#[parts]
impl AttributeFront {
    fn slots(&mut self) {
        comment!("module: attribute_front");
        dff_setup!(self, clock, samples, busy, unit, warp, seq, mask, dst, op, number, out_sent, job_sent, reqs_sent);
        dff_setup!(self, clock, corner, todo, places_given);
        // The pass record's word 1 has the number of samples.
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::KIND)) {
            self.samples.d.next = self.state.data.val().get_bits::<2>(0);
        }
        // The slot of the instruction that is offered, then of the one that was taken.
        self.looked_unit.next = self.req_unit.val();
        self.looked_warp.next = self.req.warp.val();
        if self.busy.q.val() {
            self.looked_unit.next = self.unit.q.val();
            self.looked_warp.next = self.warp.q.val();
        }
        self.plain_slot.next =
            (bit_cast::<12, 3>(self.looked_unit.val()) << bits::<12>(4)) | bit_cast::<12, 4>(self.looked_warp.val());
        self.launched.next = (bit_cast::<12, 3>(self.launch_ports.launch_unit.val()) << bits::<12>(4))
            | bit_cast::<12, 4>(self.launch_ports.launch_warp.val());
        self.slot.next = self.plain_slot.val();
        self.second.next = self.plain_slot.val();
        self.mates_now.next = bits::<4>(0);
        self.mates_shifted.next = bits::<64>(0);
        // With merging a unit has 32 places.
        for k in 0..self._merges {
            self.slot.next = (bit_cast::<12, 3>(self.looked_unit.val()) << bits::<12>(5))
                | bit_cast::<12, 4>(self.looked_warp.val());
            self.second.next = (bit_cast::<12, 3>(self.looked_unit.val()) << bits::<12>(5))
                | bit_cast::<12, 4>(self.looked_warp.val() & bits::<4>(14))
                | bits::<12>(16);
            self.launched.next = (bit_cast::<12, 3>(self.launch_ports.launch_unit.val()) << bits::<12>(5))
                | bit_cast::<12, 4>(self.launch_ports.launch_warp.val());
            if self.tags.mergeable.val() && self.tags.member.val().any() {
                self.launched.next = (bit_cast::<12, 3>(self.launch_ports.launch_unit.val()) << bits::<12>(5))
                    | bit_cast::<12, 4>(self.launch_ports.launch_warp.val() & bits::<4>(14))
                    | bits::<12>(16);
            }
            for u in 0..self._mates {
                if self.looked_unit.val() == u.to_bits::<3>() {
                    self.mates_shifted.next =
                        self.mates[u].val() >> (bit_cast::<64, 4>(self.looked_warp.val()) << bits::<64>(2));
                }
            }
            self.mates_now.next = self.mates_shifted.val().get_bits::<4>(0);
            if self.fault_pair_attributes[k].val() {
                self.mates_now.next = bits::<4>(0);
            }
            self.mate[k].clock.next = self.clock.val();
            self.mate[k].d.next = self.mates_now.val();
        }
    }

    fn split_slots(&mut self) {
        // Splitting into pixels.
        for t in 0..self._turns {
            self.whole_shifted[t].next = bits::<16>(0);
            for u in 0..self._whole {
                if self.looked_unit.val() == u.to_bits::<3>() {
                    self.whole_shifted[t].next = (self.whole[u].val() >> self.looked_warp.val()) & bits::<16>(1);
                }
            }
            self.is_whole[t].clock.next = self.clock.val();
            self.is_whole[t].d.next = self.whole_shifted[t].val().any() && !self.fault_shape_bary[t].val();
        }
        // Before a split lanes of the second group have the tags that stand at its own slot.
        for t in 0..self._twins {
            self.twins_now[t].next = bits::<32>(0);
            for u in 0..self._twins_units {
                if self.looked_unit.val() == u.to_bits::<3>() {
                    self.twins_now[t].next = self.twins[u].val() >> bit_cast::<32, 4>(self.looked_warp.val());
                }
            }
            if self.fault_twin_attributes[t].val() {
                self.twins_now[t].next = bits::<32>(0);
            }
            if self.twins_now[t].val().get_bit(0) {
                self.second.next = self.slot.val() + bits::<12>(2);
            }
            if self.twins_now[t].val().get_bit(16) {
                self.second.next = self.slot.val() + bits::<12>(4);
            }
            if self.tags.split.val().any() {
                self.launched.next = (bit_cast::<12, 3>(self.launch_ports.launch_unit.val()) << bits::<12>(5))
                    | bit_cast::<12, 4>(self.launch_ports.launch_warp.val());
            }
        }
    }

    fn member_slots(&mut self) {
        for m in 0..self._threes {
            self.highs_now[m].next = bits::<4>(0);
            self.high_shifted[m].next = bits::<64>(0);
            self.third[m].next = (bit_cast::<12, 3>(self.looked_unit.val()) << bits::<12>(5))
                | bit_cast::<12, 4>(self.looked_warp.val())
                | bits::<12>(2)
                | bits::<12>(16);
            self.fourth[m].next = (bit_cast::<12, 3>(self.looked_unit.val()) << bits::<12>(5))
                | bit_cast::<12, 4>(self.looked_warp.val() & bits::<4>(12))
                | bits::<12>(16);
            self.deep[0].next = self.third[m].val();
            self.deep[1].next = self.fourth[m].val();
            self.second.next = (bit_cast::<12, 3>(self.looked_unit.val()) << bits::<12>(5))
                | bit_cast::<12, 4>(self.looked_warp.val())
                | bits::<12>(1)
                | bits::<12>(16);
            if self.tags.mergeable.val() && self.tags.member.val().any() {
                self.launched.next = (bit_cast::<12, 3>(self.launch_ports.launch_unit.val()) << bits::<12>(5))
                    | bit_cast::<12, 4>(self.launch_ports.launch_warp.val())
                    | bits::<12>(16);
                if self.tags.member.val().all() {
                    self.launched.next = (bit_cast::<12, 3>(self.launch_ports.launch_unit.val()) << bits::<12>(5))
                        | bit_cast::<12, 4>(self.launch_ports.launch_warp.val() & bits::<4>(12))
                        | bits::<12>(16);
                }
            }
            for u in 0..self._mates_high {
                if self.looked_unit.val() == u.to_bits::<3>() {
                    self.high_shifted[m].next =
                        self.mates_high[u].val() >> (bit_cast::<64, 4>(self.looked_warp.val()) << bits::<64>(2));
                }
            }
            self.highs_now[m].next = self.high_shifted[m].val().get_bits::<4>(0);
            self.high[m].clock.next = self.clock.val();
            self.high[m].d.next = self.highs_now[m].val();
        }
    }

    fn tags(&mut self) {
        for i in 0..self._lanes {
            clock!(self, clock, places[i]);
            self.places[i].read_address.next = self.slot.val();
            if self.mates_now.val().get_bit(i) {
                self.places[i].read_address.next = self.second.val();
            }
            for m in 0..self._threes {
                if self.highs_now[m].val().get_bit(i) {
                    self.places[i].read_address.next = self.third[m].val();
                    if self.mates_now.val().get_bit(i) {
                        self.places[i].read_address.next = self.fourth[m].val();
                    }
                }
            }
            self.places[i].write_address.next = self.launched.val();
            self.places[i].write_data.next = self.tags.place[i].val();
            self.places[i].write_enable.next = self.launch_ports.launch.val();
        }
        for i in 0..2 {
            clock!(self, clock, pairs[i]);
            self.pairs[i].read_address.next = bit_cast::<13, 12>(self.slot.val());
            self.pairs[i].write_address.next = bit_cast::<13, 12>(self.launched.val());
            self.pairs[i].write_enable.next = self.launch_ports.launch.val();
        }
        self.pair_low.next = bits::<64>(0);
        self.pair_low.next.set_value_ticket_low(self.tags.depth[0].val().get_bits::<8>(24));
        self.pair_low.next.set_value_handle_low(self.tags.handle[0].val());
        self.pair_low.next.set_value_ticket_high(self.tags.depth[1].val().get_bits::<8>(24));
        self.pair_low.next.set_value_handle_high(self.tags.handle[1].val());
        self.pair_low.next.set_value_kind(self.tags.kind.val());
        self.pair_high.next = bits::<64>(0);
        self.pair_high.next.set_value_ticket_low(self.tags.depth[2].val().get_bits::<8>(24));
        self.pair_high.next.set_value_handle_low(self.tags.handle[2].val());
        self.pair_high.next.set_value_ticket_high(self.tags.depth[3].val().get_bits::<8>(24));
        self.pair_high.next.set_value_handle_high(self.tags.handle[3].val());
        self.pairs[0].write_data.next = self.pair_low.val();
        self.pairs[1].write_data.next = self.pair_high.val();
        self.kind.next = self.pairs[0].read_data.val().get_value_kind();
        self.handle[0].next = self.pairs[0].read_data.val().get_value_handle_low();
        self.handle[1].next = self.pairs[0].read_data.val().get_value_handle_high();
        self.handle[2].next = self.pairs[1].read_data.val().get_value_handle_low();
        self.handle[3].next = self.pairs[1].read_data.val().get_value_handle_high();
        self.ticket[0].next = self.pairs[0].read_data.val().get_value_ticket_low();
        self.ticket[1].next = self.pairs[0].read_data.val().get_value_ticket_high();
        self.ticket[2].next = self.pairs[1].read_data.val().get_value_ticket_low();
        self.ticket[3].next = self.pairs[1].read_data.val().get_value_ticket_high();
    }

    fn mate_tags(&mut self) {
        self.word_low.next = bits::<64>(0);
        self.word_high.next = bits::<64>(0);
        for k in 0..self._merges {
            clock!(self, clock, mate_low[k], mate_high[k]);
            self.mate_low[k].read_address.next = bit_cast::<13, 12>(self.second.val());
            self.mate_high[k].read_address.next = bit_cast::<13, 12>(self.second.val());
            self.mate_low[k].write_address.next = bit_cast::<13, 12>(self.launched.val());
            self.mate_high[k].write_address.next = bit_cast::<13, 12>(self.launched.val());
            fan_out!(self.launch_ports.launch => self.mate_low[k].write_enable, self.mate_high[k].write_enable);
            self.mate_low[k].write_data.next = self.pair_low.val();
            self.mate_high[k].write_data.next = self.pair_high.val();
            self.word_low.next = self.mate_low[k].read_data.val();
            self.word_high.next = self.mate_high[k].read_data.val();
            if self.mate[k].q.val().get_bit(0) {
                self.kind.next = self.word_low.val().get_value_kind();
                self.handle[0].next = self.word_low.val().get_value_handle_low();
                self.ticket[0].next = self.word_low.val().get_value_ticket_low();
            }
            if self.mate[k].q.val().get_bit(1) {
                self.handle[1].next = self.word_low.val().get_value_handle_high();
                self.ticket[1].next = self.word_low.val().get_value_ticket_high();
            }
            if self.mate[k].q.val().get_bit(2) {
                self.handle[2].next = self.word_high.val().get_value_handle_low();
                self.ticket[2].next = self.word_high.val().get_value_ticket_low();
            }
            if self.mate[k].q.val().get_bit(3) {
                self.handle[3].next = self.word_high.val().get_value_handle_high();
                self.ticket[3].next = self.word_high.val().get_value_ticket_high();
            }
        }
    }

    fn deep_tags(&mut self) {
        for m in 0..self._threes {
            // Members are fragments.
            if self.high[m].q.val().get_bit(0) {
                self.kind.next = bits::<2>(2);
            }
            for j in 0..self._deep {
                clock!(self, clock, deep_low[j], deep_high[j]);
                self.deep_low[j].read_address.next = bit_cast::<13, 12>(self.deep[j].val());
                self.deep_high[j].read_address.next = bit_cast::<13, 12>(self.deep[j].val());
                self.deep_low[j].write_address.next = bit_cast::<13, 12>(self.launched.val());
                self.deep_high[j].write_address.next = bit_cast::<13, 12>(self.launched.val());
                fan_out!(self.launch_ports.launch => self.deep_low[j].write_enable, self.deep_high[j].write_enable);
                self.deep_low[j].write_data.next = self.pair_low.val();
                self.deep_high[j].write_data.next = self.pair_high.val();
            }
        }
    }

    fn deep_words(&mut self) {
        self.deep_word0.next = bits::<64>(0);
        self.deep_word1.next = bits::<64>(0);
        self.deep_word2.next = bits::<64>(0);
        self.deep_word3.next = bits::<64>(0);
        for m in 0..self._threes {
            for k in 0..self._merges {
                self.deep_word0.next = self.deep_low[0].read_data.val();
                if self.mate[k].q.val().get_bit(0) {
                    self.deep_word0.next = self.deep_low[1].read_data.val();
                }
                self.deep_word1.next = self.deep_low[0].read_data.val();
                if self.mate[k].q.val().get_bit(1) {
                    self.deep_word1.next = self.deep_low[1].read_data.val();
                }
                self.deep_word2.next = self.deep_high[0].read_data.val();
                if self.mate[k].q.val().get_bit(2) {
                    self.deep_word2.next = self.deep_high[1].read_data.val();
                }
                self.deep_word3.next = self.deep_high[0].read_data.val();
                if self.mate[k].q.val().get_bit(3) {
                    self.deep_word3.next = self.deep_high[1].read_data.val();
                }
                self.deep_ticket[0].next = self.deep_word0.val().get_value_ticket_low();
                self.deep_ticket[1].next = self.deep_word1.val().get_value_ticket_high();
                self.deep_ticket[2].next = self.deep_word2.val().get_value_ticket_low();
                self.deep_ticket[3].next = self.deep_word3.val().get_value_ticket_high();
                self.deep_handle[0].next = self.deep_word0.val().get_value_handle_low();
                self.deep_handle[1].next = self.deep_word1.val().get_value_handle_high();
                self.deep_handle[2].next = self.deep_word2.val().get_value_handle_low();
                self.deep_handle[3].next = self.deep_word3.val().get_value_handle_high();
                for i in 0..self._lanes {
                    if self.high[m].q.val().get_bit(i) {
                        self.ticket[i].next = self.deep_ticket[i].val();
                        self.handle[i].next = self.deep_handle[i].val();
                    }
                }
            }
        }
    }

    fn take(&mut self) {
        self.req.ready.next = !self.busy.q.val();
        self.take.next = self.req.valid.val() && !self.busy.q.val();
        for i in 0..self._lanes {
            dff_setup!(self, clock, data[i]);
            if self.take.val() {
                self.data[i].d.next = self.req.addr[i].val();
            }
        }
        if self.take.val() {
            self.busy.d.next = true;
            self.unit.d.next = self.req_unit.val();
            self.warp.d.next = self.req.warp.val();
            self.seq.d.next = self.req.seq.val();
            self.mask.d.next = self.req.mask.val();
            self.dst.d.next = self.req.dst.val();
            self.op.d.next = self.req.op.val();
            self.number.d.next = self.req.w0_[0].val().get_bits::<6>(0);
            self.out_sent.d.next = false;
            self.job_sent.d.next = false;
            self.reqs_sent.d.next = false;
            self.corner.d.next = bits::<2>(0);
            self.todo.d.next = self.req.mask.val();
        }
    }

    fn words(&mut self) {
        // Opcodes: 0x0B OUT, 0x0C BARY, 0x0D ATTR, 0x0E ATTR.FLAT. Fragments ask, and say results;
        // vertices say words.
        self.is_out.next = (self.op.q.val() == bits::<8>(0x0B)) && self.mask.q.val().any() && self.kind.val().any();
        self.needs_store.next =
            (self.op.q.val().get_bits::<6>(2) == bits::<6>(3)) && self.mask.q.val().any() && self.kind.val().get_bit(1);
        self.vertex_word.valid.next =
            self.busy.q.val() && self.is_out.val() && !self.out_sent.q.val() && !self.kind.val().get_bit(1);
        self.result_word.valid.next =
            self.busy.q.val() && self.is_out.val() && !self.out_sent.q.val() && self.kind.val().get_bit(1);
        if self._culls {
            // Kind 3 is a vertex, too, of another store.
            self.vertex_word_cull[0].next = self.kind.val().all();
            if self.kind.val().all() {
                self.needs_store.next = false;
                self.vertex_word.valid.next = self.busy.q.val() && self.is_out.val() && !self.out_sent.q.val();
                self.result_word.valid.next = false;
            }
        }
        self.vertex_word.mask.next = self.mask.q.val();
        self.vertex_word.word.next = self.number.q.val();
        self.result_word.mask.next = self.mask.q.val();
        self.result_word.word.next = self.number.q.val().get_bits::<4>(0);
        self.result_word.ticket[0].next = self.ticket[0].val();
        self.result_word.ticket[1].next = self.ticket[1].val();
        self.result_word.ticket[2].next = self.ticket[2].val();
        self.result_word.ticket[3].next = self.ticket[3].val();
        for i in 0..4 {
            self.vertex_word.entry[i].next = self.handle[i].val();
            self.vertex_word.data[i].next = self.data[i].q.val();
            self.result_word.data[i].next = self.data[i].q.val();
            self.result_word.sample[i].next = bits::<2>(0);
            if self.places[i].read_data.val().get_bit(31) {
                self.result_word.sample[i].next = self.places[i].read_data.val().get_bits::<2>(24);
                if self.fault_out_sample.val() {
                    self.result_word.sample[i].next = self.places[i].read_data.val().get_bits::<2>(24) + bits::<2>(1);
                }
            }
        }
        if (self.vertex_word.valid.val() && self.vertex_word.ready.val())
            || (self.result_word.valid.val() && self.result_word.ready.val())
        {
            self.out_sent.d.next = true;
        }
    }

    fn lane_samples(&mut self) {
        // Covered samples that are all of them.
        self.full.next = bits::<4>(1);
        if self.samples.q.val() == bits::<2>(1) {
            self.full.next = bits::<4>(3);
        }
        if self.samples.q.val().get_bit(1) {
            self.full.next = bits::<4>(15);
        }
        for i in 0..self._lanes {
            self.covered[i].next = self.places[i].read_data.val().get_bits::<4>(26);
            self.partly[i].next = self.covered[i].val().any() && (self.covered[i].val() != self.full.val());
            self.lane_sample[i].next = self.places[i].read_data.val().get_bits::<2>(24);
            self.place_cell[i].centre.next = self.number.q.val().get_bits::<2>(0) != bits::<2>(2);
            if self.number.q.val().get_bits::<2>(0) == bits::<2>(1) {
                self.place_cell[i].centre.next = !self.partly[i].val();
                if self.fault_bary_centroid.val() {
                    self.lane_sample[i].next = bits::<2>(0);
                    if self.covered[i].val().get_bit(1) {
                        self.lane_sample[i].next = bits::<2>(1);
                    }
                    if self.covered[i].val().get_bit(2) {
                        self.lane_sample[i].next = bits::<2>(2);
                    }
                    if self.covered[i].val().get_bit(3) {
                        self.lane_sample[i].next = bits::<2>(3);
                    }
                } else {
                    self.lane_sample[i].next = bits::<2>(3);
                    if self.covered[i].val().get_bit(2) {
                        self.lane_sample[i].next = bits::<2>(2);
                    }
                    if self.covered[i].val().get_bit(1) {
                        self.lane_sample[i].next = bits::<2>(1);
                    }
                    if self.covered[i].val().get_bit(0) {
                        self.lane_sample[i].next = bits::<2>(0);
                    }
                }
            }
            self.sample[i].next = self.lane_sample[i].val();
            if self.fault_bary_sample.val()
                && (self.lane_sample[i].val() == bits::<2>(1))
                && self.samples.q.val().get_bit(1)
            {
                self.sample[i].next = bits::<2>(2);
            }
        }
    }

    fn places(&mut self) {
        for i in 0..self._lanes {
            self.place_cell[i].pixel.next = self.places[i].read_data.val().get_bits::<24>(0);
            // Before the split lanes are the quad's pixels.
            for t in 0..self._turns {
                if self.is_whole[t].q.val() {
                    self.place_cell[i].pixel.next = (self.places[i].read_data.val().get_bits::<24>(0)
                        & bits::<24>(0xFF_EFFE))
                        | (i.to_bits::<24>() & bits::<24>(1))
                        | ((i.to_bits::<24>() & bits::<24>(2)) << bits::<24>(11));
                }
            }
            self.place_cell[i].samples.next = self.samples.q.val();
            self.place_cell[i].sample.next = self.sample[i].val();
            self.job.x[i].next = self.place_cell[i].x.val();
            self.job.y[i].next = self.place_cell[i].y.val();
        }
    }

    fn questions(&mut self) {
        // Whether the active lanes have one triangle, that of the lowest.
        self.first.next = false;
        self.first_handle.next = bits::<12>(0);
        self.same.next = true;
        for i in 0..self._lanes {
            if self.mask.q.val().get_bit(i) {
                if !self.first.val() {
                    self.first_handle.next = self.handle[i].val();
                }
                if self.handle[i].val() != self.first_handle.val() {
                    self.same.next = self.fault_attribute_handle.val();
                }
                self.first.next = true;
            }
        }
        self.lowest.next = self.todo.q.val() & (bits::<4>(0) - self.todo.q.val());
        self.left.next = self.todo.q.val() & !self.lowest.val();
        if self.same.val() {
            self.left.next = bits::<4>(0);
        }
        self.reqs_sent_handle.next = self.handle[0].val();
        for i in 0..self._lanes {
            if self.lowest.val().get_bit(i) {
                self.reqs_sent_handle.next = self.handle[i].val();
            }
        }
        // BARY three edges, ATTR three corners, of word 63 four words, ATTR.FLAT one.
        self.last_corner.next = bits::<2>(2);
        if (self.op.q.val().get_bits::<2>(0) == bits::<2>(1)) && (self.number.q.val() == bits::<6>(63)) {
            self.last_corner.next = bits::<2>(3);
        }
        if self.op.q.val().get_bits::<2>(0) == bits::<2>(2) {
            self.last_corner.next = bits::<2>(0);
        }
        self.room.next = !self.places_given.q.val().get_bit(4) || self.fault_attribute_overflow.val();
        self.requesting.next =
            self.busy.q.val() && self.needs_store.val() && !self.reqs_sent.q.val() && self.room.val();
        self.store_req.valid.next = self.requesting.val();
        self.store_req.source.next = self.source.val();
        self.store_req.handle.next = self.reqs_sent_handle.val();
        self.store_req.edge.next = self.op.q.val().get_bits::<2>(0) == bits::<2>(0);
        self.store_req.corner.next = self.corner.q.val();
        self.store_req.word.next = self.number.q.val();
        self.taken.next = self.requesting.val() && self.store_req.ready.val();
        if self.taken.val() {
            self.todo.d.next = self.left.val();
            if !self.left.val().any() {
                self.todo.d.next = self.mask.q.val();
                self.corner.d.next = self.corner.q.val() + bits::<2>(1);
                self.reqs_sent.d.next = self.corner.q.val() == self.last_corner.val();
            }
        }
        if self.taken.val() && !self.used.val() {
            self.places_given.d.next = self.places_given.q.val() + bits::<5>(1);
        }
        if !self.taken.val() && self.used.val() {
            self.places_given.d.next = self.places_given.q.val() - bits::<5>(1);
        }
    }

    fn job(&mut self) {
        self.offered.next =
            self.busy.q.val() && !self.job_sent.q.val() && (!self.is_out.val() || self.out_sent.q.val());
        self.job.valid.next = self.offered.val();
        self.job_given.next = self.job_sent.q.val();
        if self.offered.val() && self.job.ready.val() {
            self.job_given.next = true;
            self.job_sent.d.next = true;
        }
        self.job.head.next = bits::<32>(0);
        self.job.head.next.set_value_unit(self.unit.q.val());
        self.job.head.next.set_value_warp(self.warp.q.val());
        self.job.head.next.set_value_seq(self.seq.q.val());
        self.job.head.next.set_value_mask(self.mask.q.val());
        self.job.head.next.set_value_dst(self.dst.q.val());
        self.job.head.next.set_value_wen(self.needs_store.val());
        self.job.bary.next = self.needs_store.val() && (self.op.q.val().get_bits::<2>(0) == bits::<2>(0));
        self.job.attr.next = self.needs_store.val() && (self.op.q.val().get_bits::<2>(0) == bits::<2>(1));
        self.job.words.next = self.number.q.val() == bits::<6>(63);
        self.job.flat.next = self.needs_store.val() && (self.op.q.val().get_bits::<2>(0) == bits::<2>(2));
        self.job.same.next = self.same.val();
        if self.busy.q.val() && self.job_given.val() && (!self.needs_store.val() || self.reqs_sent.q.val()) {
            self.busy.d.next = false;
        }
    }
}
