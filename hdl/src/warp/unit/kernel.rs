//! The kernel of the warp unit: who is connected to whom, cycle by cycle of its pipeline
//! ([`super`]). It is a file of its own for its length.
//!
//! It can be wrong in a value that is taken from another cycle than the one that it is for.

use quadlock_hdl_macros::kernel;
use rust_hdl::prelude::*;

use super::WarpUnit;
use crate::base::{Nothing, Quiet};
use crate::comment;
use crate::ports::*;
use crate::warp::words::{Instruction, Kind, Request};

#[kernel(wired)]
impl WarpUnit {
    /// Everything has the clock, and registers keep what they have.
    fn clocks(&mut self) {
        comment!("module: warp_unit");
        dff_setup!(self, clock, second_global, second_shared, s3_function, s3_meta, functions_issued);
        clock!(self, clock, contexts, scheduler, icache, regfile, bank, special, operands, cross, pipe, s2, write_port);
        clock!(self, clock, global_queue, shared_queue, shared, messages);
        if self.functions.is_built() {
            clock!(self, clock, functions);
        }
        if self.encounters.is_built() {
            clock!(self, clock, encounters, late_results);
        }
    }

    /// A launch goes to the contexts and to the special values.
    fn launch(&mut self) {
        let contexts = &mut self.contexts;
        copy_fields!(self.launch => contexts.start_ports: valid as launch, warp as launch_warp);
        copy_fields!(self.launch => contexts.launch_ports: mask as launch_mask, pc as launch_pc, wait as launch_wait);
        copy_fields!(self.launch => contexts: first as launch_first, warps as launch_warps);
        self.slot_free.next = self.contexts.free.val();
        copy_fields!(self => self.special: unit, first_slot);
        copy_fields!(self.launch => self.special:
            valid as launch, warp as launch_warp, mask as launch_mask, group_x, group_y, group_z, shared_base
        );
        for i in 0..self._lanes {
            self.special.local_id[i].next = bit_cast::<32, 30>(self.launch.local_id[i].val());
            self.special.local_index[i].next = bit_cast::<32, 10>(self.launch.index[i].val());
        }
    }

    /// Tags of graphics warps go with the launch.
    fn tags(&mut self) {
        for k in 0..self._graphics {
            self.s2_covered[k].clock.next = self.clock.val();
            self.s2_covered[k].d.next = self.contexts.issue_covered[k].val();
            self.special.covered[k].next = self.s2_covered[k].q.val();
            TagsIn::link(&mut self.tags[k], &mut self.slot_tags.tags);
            if self.slot_tags.graphics.val() {
                copy_fields!(self.slot_tags => self.special: handles as group_x, handles_high as group_y);
                let tags = &mut self.tags[k];
                copy_fields!(for i in 0..4; tags => self.special: place[i] as local_id[i], depth[i] as local_index[i]);
            }
            copy_fields!(self.slot_tags => self.contexts: covered as launch_covered[k], window as launch_window[k]);
            copy_fields!(for i in 0..self._warps; self.contexts => self.slot_tags: covered[i] as slot[i]);
            self.covered[k].next = self.slot_tags.slots.val();
            self.slot_tags.issue_window.next = self.contexts.issue_window[k].val();
            self.slot_tags.issue_word.next = self.contexts.hi.val().get_bits::<8>(0);
        }
    }

    /// The instruction cache fills the contexts.
    fn fetch(&mut self) {
        // Cycles 3 and 4 of the instruction before: fetch and decode.
        self.icache.start.next = self.start.val();
        CodePlaceIn::link(&mut self.code, &mut self.icache.code);
        self.icache.need.next = self.contexts.need.val();
        copy_fields!(for i in 0..self._warps; self.contexts => self.icache: pc[i]);
        LineFetchOut::link(&mut self.f_req, &mut self.icache.f_req);
        LineIn::link(&mut self.f_rsp, &mut self.icache.f_rsp);
        copy_fields!(self.icache => self.contexts: fill_valid as fill, fill_warp);
        FilledInstructionOut::join(&mut self.icache.fill_ports, &mut self.contexts.fill_ports);
    }

    /// The scheduler chooses a warp. Its instruction goes to the next cycle and to the queues.
    fn issue(&mut self) {
        // Cycle 0: choice. No choice in the slot after an instruction of two beats, nor once for a
        // completion that has waited.
        self.hold.next = self.write_port.hold.val();
        if self.scheduler.valid.val() && self.contexts.kind.val().get_value_two_beats() {
            self.hold.next = true;
        }
        SlotStatesOut::join(&mut self.contexts.slot_ports, &mut self.scheduler.slot_ports);
        if self.encounters.is_built() {
            copy_fields!(self.launch => self.encounters: valid as launch, warp as launch_warp);
            self.encounters.issue.next = self.scheduler.valid.val() && self.contexts.kind.val().get_value_wide();
            self.encounters.issue_warp.next = self.scheduler.warp.val();
            copy_fields!(self.contexts => self.encounters: issue_pc, mask as issue_mask);
            // A late arrival of 64 bits writes in its own slot and the next one (opcode bit 5).
            if self.encounters.late.val() && self.contexts.lo.val().get_bit(5) {
                self.hold.next = true;
            }
        }
        self.scheduler.hold.next = self.hold.val();
        self.contexts.global_credit.next = self.global_queue.credit.val();
        self.contexts.shared_credit.next = self.shared_queue.credit.val();
        self.contexts.function_credit.next = self.functions_issued.q.val() < bits::<5>(14);
        self.contexts.message_credit.next = self.messages.credit.val();
        // Cycle 1: issue.
        copy_fields!(self.scheduler => self.contexts: valid as issue, warp as issue_warp);
        self.global_queue.issue.next = self.scheduler.valid.val() && self.contexts.kind.val().get_value_global();
        self.shared_queue.issue.next = self.scheduler.valid.val() && self.contexts.kind.val().get_value_shared();
        if self.encounters.is_built() && self.encounters.late.val() {
            self.global_queue.issue.next = false;
            self.shared_queue.issue.next = false;
        }
        fan_out!(self.contexts.sets => self.global_queue.issue_sets, self.shared_queue.issue_sets);
        self.global_queue.issue_wide.next = self.contexts.kind.val().get_value_wide();
        self.shared_queue.issue_wide.next = self.contexts.kind.val().get_value_wide();
        self.messages.issue.next = self.scheduler.valid.val() && self.contexts.kind.val().get_value_message();
        copy_fields!(self.scheduler => self.s2.issue: valid, warp);
        copy_fields!(self.contexts => self.s2.issue: seq, mask, lo, hi, kind);
        self.s2.issue.pc.next = self.contexts.issue_pc.val();
    }

    /// The instruction gives the numbers of the registers to read, for both beats.
    fn read_numbers(&mut self) {
        self.read_warp.next = self.scheduler.warp.val();
        self.regfile.read_a.next = self.contexts.lo.val().get_value_a();
        self.read_b.next = self.contexts.lo.val().get_value_b();
        self.read_c.next = self.contexts.lo.val().get_value_c();
        if self.contexts.kind.val().get_value_reads_pair() {
            self.read_c.next = self.contexts.lo.val().get_value_b() + bits::<5>(1);
        }
        // The second beat reads b+2 and b+3 of a store; c and c+1 of an exchange (opcode bit 7).
        self.second.next = self.s2.out.valid.val() && self.s2.out.kind.val().get_value_two_beats();
        if self.second.val() {
            self.read_warp.next = self.s2.out.warp.val();
            self.read_b.next = self.s2.out.lo.val().get_value_b() + bits::<5>(2);
            self.read_c.next = self.s2.out.lo.val().get_value_b() + bits::<5>(3);
            if self.s2.out.lo.val().get_bit(7) {
                self.read_b.next = self.s2.out.lo.val().get_value_c();
                self.read_c.next = self.s2.out.lo.val().get_value_c() + bits::<5>(1);
            }
        }
    }

    /// Registers of warps that merge or split are mapped.
    fn mapping(&mut self) {
        if self._maps {
            clock!(self, clock, map);
            copy_fields!(self.launch => self.map: valid as launch, warp as launch_warp);
            for b in 0..self._bitmap {
                clock!(self, clock, bitmaps);
                StateWriteIn::link(&mut self.state[b], &mut self.bitmaps.state);
                self.bitmaps.context.next = self.slot_tags.window.val().get_bits::<4>(1);
                self.map.launch_bitmap[b].next = self.bitmaps.bitmap.val();
            }
            copy_fields!(for f in 0..self._fresh; self.map => self.regfile: third[f]);
            copy_fields!(self.slot_tags => self.map:
                cutoff as launch_cutoff, below as launch_guest, deep as launch_deep, owned as launch_owned
            );
            self.map.launch_flip.next = self.tags[0].flip.val();
            self.map.merge.next = false;
            self.map.merge_warp.next = bits::<4>(0);
            self.map.merge_owned.next = bits::<4>(0);
            self.map.locked.next = bits::<16>(0);
            copy_fields!(self => self.map: read_warp, read_b, read_c);
            self.map.read_a.next = self.contexts.lo.val().get_value_a();
            copy_fields!(self.map => self.regfile:
                fold_warp as _[0], fold as _[0], hide_a as _[0], hide_b as _[0], hide_c as _[0]
            );
        }
    }

    /// The contexts are told where warps merge and split, and a split is an event.
    fn splitting(&mut self) {
        let slot_tags = &mut self.slot_tags;
        copy_fields!(for k in 0..self._merges_beside; slot_tags => self.contexts: merge_at[k] as launch_merge_at[k]);
        copy_fields!(for k in 0..self._splits_beside; slot_tags => self.contexts: split_at[k] as launch_split_at[k]);
        if self._turns {
            fan_out!(self.slot_tags.turned[0] => self.contexts.launch_turned[0], self.map.launch_turned[0]);
            fan_out!(self.slot_tags.pixel[0] => self.contexts.launch_pixel[0], self.map.launch_pixel[0]);
            copy_fields!(self.map => self.regfile: spread[0], spread_lane[0]);
            fan_out!(self.contexts.whole[0] => self.special.whole[0], self.whole[0]);
        }
        if self._splits {
            self.map.locked.next = self.contexts.locked[0].val();
            copy_fields!(slot_tags => self.contexts.split_ports[0]: splits as launch_splits, after as launch_after);
            copy_fields!(self.tags[0] => self.contexts.split_ports[0]: member as launch_rank, others as launch_others);
            Quiet::<SplitEventOut>::join(&mut self.split[0], &mut Nothing);
            if self.trace.val() == bits::<1>(1) {
                self.split[0].unit.next = self.unit.val();
                copy_fields!(self.contexts => self.split[0]: split[0] as valid, split_warp[0] as warp,
                    split_others[0] as others, split_lanes[0] as lanes, split_covered[0] as covered
                );
            }
        }
    }

    /// Warps of a group merge, and a merge is an event.
    fn merging(&mut self) {
        for k in 0..self._merges {
            copy_fields!(self.contexts => self.map: merge[k] as _, merge_warp[k] as _, merge_owned[k] as _);
            self.s2_flip[k].clock.next = self.clock.val();
            self.s2_flip[k].d.next = self.map.flip.val();
            self.operands.flip[k].next = self.s2_flip[k].q.val();
            self.contexts.launch_member[k].next = self.slot_tags.member.val();
            fan_out!(self.slot_tags.guest => self.contexts.launch_guest[k], self.special.launch_guest[k]);
            self.special.read_mate[k].next = self.contexts.issue_mate[k].val();
            copy_fields!(for i in 0..self._warps; self.contexts => self.slot_tags: mate[i]);
            self.mates[k].next = self.slot_tags.mates.val();
            if self._threes {
                fan_out!(self.tags[0].member => self.contexts.launch_number[0], self.special.launch_number[0]);
                self.contexts.launch_group_others[0].next = self.tags[0].others.val();
                self.special.read_mate_high[0].next = self.contexts.issue_mate_high[0].val();
                copy_fields!(for i in 0..self._warps; self.contexts => self.slot_tags: mate_high[i]);
                self.mates_high[0].next = self.slot_tags.mates_high[0].val();
            }
            if self._twins {
                self.slot_tags.twin[0].next = self.twin[0].val();
                self.map.launch_far[0].next = self.slot_tags.far[0].val();
                self.contexts.launch_twin[0].next = bits::<2>(0);
                if self.slot_tags.of_pair[0].val() {
                    self.contexts.launch_twin[0].next = self.twin[0].val();
                }
                self.contexts.launch_both[0].next = self.slot_tags.merges_first[0].val();
                copy_fields!(self.contexts => self.special: issue_near[0] as read_near[0], issue_far[0] as read_far[0]);
                self.twins[0].next = self.contexts.twins[0].val();
            }
            Quiet::<MergeEventOut>::join(&mut self.merge[k], &mut Nothing);
            if self.trace.val() == bits::<1>(1) {
                self.merge[k].unit.next = self.unit.val();
                self.merge[k].gone.next = self.contexts.merge_warp[k].val() | bits::<4>(1);
                copy_fields!(self.contexts => self.merge[k]:
                    merge[k] as valid, merge_warp[k] as kept, merge_stayed[k] as stayed, merge_came[k] as came
                );
                if self._threes {
                    self.merge[k].gone.next = self.contexts.merge_gone[0].val();
                }
                if self._twins && self.contexts.twins_merge[0].val() {
                    self.merge[k].gone.next = self.contexts.twins_gone[0].val();
                }
            }
        }
    }

    /// The register file and the shared results are read.
    fn register_reads(&mut self) {
        copy_fields!(self => self.regfile: read_warp, read_b, read_c);
        // With joined private sets a register may have another number where it stands.
        for j in 0..self._joins {
            copy_fields!(self.map => self.regfile: number_a[j] as read_a, number_b[j] as read_b, number_c[j] as read_c);
        }
        for k in 0..self._shared_results {
            clock!(self, clock, shared_result[k]);
            copy_fields!(self => self.shared_result[k]: read_warp, read_b, read_c);
            self.shared_result[k].read_a.next = self.contexts.lo.val().get_value_a();
        }
        self.second_global.d.next = self.second.val() && self.s2.out.kind.val().get_value_global();
        self.second_shared.d.next = self.second.val() && self.s2.out.kind.val().get_value_shared();
        if self.encounters.is_built() && self.encounters.stored.val() {
            self.second_global.d.next = false;
            self.second_shared.d.next = false;
        }
    }

    /// The constant bank and the special values are read. The operand stage gets the instruction
    /// and the word of the bank.
    fn bank_read(&mut self) {
        self.bank.read_address.next = bit_cast::<12, 32>(self.contexts.hi.val() & bits::<32>(0x3FF));
        self.bank.write_address.next = bit_cast::<12, 10>(self.constant_write.addr.val());
        copy_fields!(self.constant_write => self.bank: data as write_data, valid as write_enable);
        for k in 0..self._graphics {
            if self.contexts.issue_window[k].val().get_bit(5) {
                self.bank.read_address.next = bit_cast::<12, 13>(self.slot_tags.issue_address.val());
            }
            if self.window_write[k].valid.val() {
                self.bank.write_address.next = self.window_write[k].addr.val().get_bits::<12>(0);
                self.bank.write_data.next = self.window_write[k].data.val();
                self.bank.write_enable.next = !self.window_write[k].addr.val().get_bit(12);
            }
        }
        self.special.read_warp.next = self.scheduler.warp.val();
        self.special.read_number.next = bit_cast::<6, 32>(self.contexts.hi.val());
        // Cycle 2: operands.
        copy_fields!(self.s2.out => self.operands: lo, hi, kind, mask);
        self.operands.bank.next = self.bank.read_data.val();
        // Windows 16 and on have a RAM of their own.
        for k in 0..self._uppers {
            clock!(self, clock, upper[k]);
            self.upper[k].read_address.next = bit_cast::<12, 13>(self.slot_tags.issue_address.val());
            self.upper[k].write_address.next = self.window_write[k].addr.val().get_bits::<12>(0);
            self.upper[k].write_data.next = self.window_write[k].data.val();
            self.upper[k].write_enable.next =
                self.window_write[k].valid.val() && self.window_write[k].addr.val().get_bit(12);
            self.upper_read[k].clock.next = self.clock.val();
            self.upper_read[k].d.next =
                self.contexts.issue_window[k].val().get_bit(5) && self.contexts.issue_window[k].val().get_bit(4);
            if self.upper_read[k].q.val() {
                self.operands.bank.next = self.upper[k].read_data.val();
            }
        }
    }

    /// Lanes and queues get the operands.
    fn lane_operands(&mut self) {
        let global_queue = &mut self.global_queue;
        let shared_queue = &mut self.shared_queue;
        for i in 0..self._lanes {
            self.operands.a[i].next = self.regfile.a[i].val();
            fan_out!(self.regfile.b[i] => self.operands.b[i], global_queue.push_b[i], shared_queue.push_b[i]);
            fan_out!(self.regfile.c[i] => self.operands.c[i], global_queue.push_c[i], shared_queue.push_c[i]);
            self.operands.special[i].next = self.special.value[i].val();
            clock!(self, clock, lanes[i]);
            copy_fields!(self.operands => self.lanes[i]: lane_op as op, lane_a[i] as a, lane_b[i] as b, lane_c[i] as c);
            fan_out!(self.operands.address[i] => global_queue.push_address[i], shared_queue.push_address[i]);
            for k in 0..self._shared_results {
                let read = &mut self.shared_result[k];
                if read.shared_a.val().get_bit(i) {
                    self.operands.a[i].next = read.word_a.val();
                }
                if read.shared_b.val().get_bit(i) {
                    fan_out!(read.word_b => self.operands.b[i], global_queue.push_b[i], shared_queue.push_b[i]);
                }
                if read.shared_c.val().get_bit(i) {
                    fan_out!(read.word_c => self.operands.c[i], global_queue.push_c[i], shared_queue.push_c[i]);
                }
            }
        }
        for k in 0..self._graphics {
            // Opcodes 0x0B to 0x0E have the number in the upper half, and no address.
            self.for_attributes[k].next =
                self.s2.out.kind.val().get_value_global() && (self.s2.out.lo.val().get_bits::<4>(4) == bits::<4>(0));
            if self.for_attributes[k].val() {
                self.operands.hi.next = bits::<32>(0);
                global_queue.push_b[0].next = self.s2.out.hi.val();
            }
        }
    }

    /// The contexts learn of a branch, and a request is pushed.
    fn pushes(&mut self) {
        let issued = &mut self.s2.out;
        self.contexts.branch.next = issued.valid.val() && issued.kind.val().get_value_conditional();
        self.contexts.branch_warp.next = issued.warp.val();
        self.contexts.branch_taken.next = self.operands.taken.val();
        self.push_global.next = issued.valid.val() && issued.kind.val().get_value_global();
        self.push_shared.next = issued.valid.val() && issued.kind.val().get_value_shared();
        if self.encounters.is_built() {
            if self.encounters.stored.val() {
                self.push_global.next = false;
                self.push_shared.next = false;
            }
            copy_fields!(issued => self.encounters: valid as step, warp as step_warp, pc as step_pc, mask as step_mask);
            unpack_fields!(issued.kind => self.encounters: wide as step_wide, barrier as step_bar);
            self.encounters.step_taken.next = self.operands.taken.val();
            self.encounters.step_target.next = issued.hi.val().get_bits::<16>(0);
        }
        self.global_queue.push.next = self.push_global.val();
        self.shared_queue.push.next = self.push_shared.val();
        self.global_queue.push_two.next = issued.kind.val().get_value_two_beats();
        self.shared_queue.push_two.next = issued.kind.val().get_value_two_beats();
        self.global_queue.push_second.next = self.second_global.q.val();
        self.shared_queue.push_second.next = self.second_shared.q.val();
    }

    /// The mask of a request has the lanes that it is for.
    fn request_mask(&mut self) {
        let issued = &mut self.s2.out;
        // A representative is the lowest active lane.
        self.request_mask.next = issued.mask.val();
        if issued.kind.val().get_value_wide()
            && (self.representative.val() == bits::<1>(1))
            && !self.fault_wide_twice.val()
        {
            self.request_mask.next = issued.mask.val() & (bits::<4>(0) - issued.mask.val());
        }
        // A kept result goes to all of them.
        if self.encounters.is_built() && self.encounters.stored.val() {
            self.request_mask.next = issued.mask.val();
        }
        for k in 0..self._graphics {
            // Opcode bit 7: atomics. Of the others with bit 3 stores; ST.OWN has bit 30.
            self.gives_word[k].next =
                self.for_attributes[k].val() && (issued.lo.val().get_bits::<4>(0) == bits::<4>(11));
            self.writes_memory[k].next = self.gives_word[k].val()
                || (!self.for_attributes[k].val()
                    && (issued.lo.val().get_bit(7)
                        || (issued.lo.val().get_bit(3)
                            && (!issued.lo.val().get_bit(30) || self.fault_own_masked[k].val()))));
            self.covered_only[k].next = (issued.kind.val().get_value_global() || issued.kind.val().get_value_shared())
                && self.writes_memory[k].val()
                && (!self.fault_helper_stores[k].val() || self.gives_word[k].val())
                && (!self.fault_out_helper[k].val() || !self.gives_word[k].val());
            if self.covered_only[k].val() {
                self.request_mask.next = issued.mask.val() & self.s2_covered[k].q.val();
            }
        }
    }

    /// Queues and the control pipe get the facts of the instruction.
    fn instruction_facts(&mut self) {
        self.push_meta.next = bits::<32>(0);
        self.push_meta.next.set_value_warp(self.s2.out.warp.val());
        self.push_meta.next.set_value_seq(self.s2.out.seq.val());
        self.push_meta.next.set_value_mask(self.request_mask.val());
        self.push_meta.next.set_value_dst(self.s2.out.lo.val().get_value_d());
        self.push_meta.next.set_value_op(self.s2.out.lo.val().get_value_opcode());
        fan_out!(self.push_meta => self.global_queue.push_meta, self.shared_queue.push_meta);
        if self.encounters.is_built() {
            self.late_results.push.next = self.encounters.stored.val();
            self.late_results.push_two.next = self.s2.out.lo.val().get_bit(5);
            self.late_results.push_shared.next = self.s2.out.kind.val().get_value_shared();
            self.late_results.push_meta.next = self.push_meta.val();
        }
        self.messages.push.next = self.s2.out.valid.val() && self.s2.out.kind.val().get_value_message();
        self.message_kind.next = self.s2.out.lo.val().get_bits::<2>(0);
        if self.fault_auto_lost.val() && (self.s2.out.lo.val().get_bits::<2>(0) == bits::<2>(1)) {
            self.message_kind.next = bits::<2>(0);
        }
        self.messages.push_kind.next = self.message_kind.val();
        self.messages.push_warp.next = self.s2.out.warp.val();
        self.messages.push_sem.next = self.operands.sem.val();
        IssuedOut::join(&mut self.s2.out, &mut self.pipe.issued);
        self.pipe.in_taken.next = self.operands.taken.val();
    }

    /// The function unit and the cross-lane unit get their operands. Function instructions on their
    /// way are counted.
    fn function_feed(&mut self) {
        // Cycle 3: function unit, beside the lanes. It has a slot for every instruction with
        // credit.
        self.s3_function.d.next = self.s2.out.valid.val() && self.s2.out.kind.val().get_value_function();
        self.s3_meta.d.next = self.push_meta.val();
        if self.functions.is_built() {
            self.functions.req.valid.next = self.s3_function.q.val();
            unpack_fields!(self.s3_meta.q => self.functions.req: warp, seq, mask, dst, op);
            copy_fields!(for i in 0..4; self.operands => self.functions.req: lane_a[i] as a[i], lane_b[i] as b[i]);
        }
        self.cross.op.next = self.operands.lane_op.val();
        self.cross.mask.next = self.s3_meta.q.val().get_value_mask();
        copy_fields!(for i in 0..self._lanes; self.operands => self.cross: lane_a[i] as a[i]);
        self.issue_function.next = self.scheduler.valid.val() && self.contexts.kind.val().get_value_function();
        if self.issue_function.val() && !self.write_port.take_function.val() {
            self.functions_issued.d.next = self.functions_issued.q.val() + bits::<5>(1);
        }
        if !self.issue_function.val() && self.write_port.take_function.val() {
            self.functions_issued.d.next = self.functions_issued.q.val() - bits::<5>(1);
        }
    }

    /// Messages and requests go out, and acknowledgements come.
    fn requests(&mut self) {
        copy_fields!(self.messages => self.sem_msg: valid, kind, warp, sem);
        self.contexts.sent_warp.next = self.messages.warp.val();
        self.messages.ready.next = self.sem_msg.ready.val();
        self.contexts.sent.next = self.messages.valid.val() && self.sem_msg.ready.val();
        copy_fields!(self => self.contexts: ack_valid as acknowledge, ack_warp as acknowledge_warp);
        // Requests.
        RequestOut::link(&mut self.global_req, &mut self.global_queue.req);
        RequestOut::join(&mut self.shared_queue.req, &mut self.shared.req);
        self.shared.req_unit.next = bits::<3>(0);
    }

    /// The scoreboard learns of writes, and results of the lanes retire. They or a completion have
    /// the write port of the register file.
    fn retirement(&mut self) {
        // Two cycles before retirement: the scoreboard.
        copy_fields!(self.pipe => self.contexts:
            early_write as clear, early_warp as clear_warp, early_register as clear_register
        );
        // Cycle 8: retirement. The lanes give 0 for instructions of the cross-lane unit, and it for
        // theirs.
        for i in 0..self._lanes {
            self.result[i].next = self.lanes[i].value.val() | self.cross.value[i].val();
            fan_out!(self.result[i] => self.pipe.result[i], self.write_port.lane_value[i]);
        }
        copy_fields!(self.pipe => self.contexts: retire, warp as retire_warp);
        copy_fields!(self.pipe => self.write_port:
            write as lane_write, warp as lane_warp, destination as lane_register, mask as lane_mask
        );
        if self.late_results.is_built() && self.late_results.write.val() {
            let late = &mut self.late_results;
            self.write_port.lane_write.next = true;
            copy_fields!(late => self.write_port: warp as lane_warp, dst as lane_register, mask as lane_mask);
            copy_fields!(for i in 0..self._lanes; late => self.write_port: value as lane_value[i]);
        }
        BeatIn::link(&mut self.global_rsp, &mut self.write_port.global);
        BeatOut::join(&mut self.shared.rsp, &mut self.write_port.shared);
        if self.functions.is_built() {
            FunctionResultOut::join(&mut self.functions.rsp, &mut self.write_port.function);
        } else {
            Quiet::<FunctionResultIn>::join(&mut self.write_port.function, &mut Nothing);
        }
    }

    /// A result goes to all lanes of its warp that wait for it, and makes registers available.
    fn completion(&mut self) {
        self.contexts.result_warp.next = self.shared.rsp.warp.val();
        self.contexts.result_wide.next = self.shared_queue.oldest_wide.val();
        if self.global_rsp.valid.val() {
            self.contexts.result_warp.next = self.global_rsp.warp.val();
            self.contexts.result_wide.next = self.global_queue.oldest_wide.val();
        }
        copy_fields!(self.contexts => self.write_port: broadcast, saved);
        copy_fields!(self.write_port => self.contexts: result_done, done_warp);
        // The result on which the warp waits, for its lanes that come late.
        if self.late_results.is_built() && self.late_results.freed.val() {
            self.contexts.result_done.next = true;
            self.contexts.done_warp.next = self.late_results.freed_warp.val();
        }
        self.wide_result.next = (self.write_port.take_global.val() && self.global_queue.oldest_wide.val())
            || (self.shared.rsp.valid.val()
                && self.write_port.shared.ready.val()
                && self.shared_queue.oldest_wide.val());
        self.global_queue.complete.next = self.write_port.done_global.val();
        self.shared_queue.complete.next = self.write_port.done_shared.val();
        self.contexts.complete.next = self.write_port.done_global.val()
            || self.write_port.done_shared.val()
            || self.write_port.take_function.val();
        self.contexts.complete_warp.next = self.write_port.complete_warp.val();
        self.contexts.complete_sets.next = self.shared_queue.oldest_sets.val();
        if self.write_port.take_global.val() {
            self.contexts.complete_sets.next = self.global_queue.oldest_sets.val();
        }
        if self.functions.is_built() && self.write_port.take_function.val() {
            self.contexts.complete_sets.next = bits::<32>(1) << self.functions.rsp.dst.val();
        }
        if self.encounters.is_built() {
            self.late_results.keep.next = self.wide_result.val();
            self.late_results.keep_warp.next = self.write_port.complete_warp.val();
            self.late_results.keep_shared.next = !self.write_port.take_global.val();
            self.late_results.keep_last.next = self.write_port.done_global.val() || self.write_port.done_shared.val();
            self.late_results.keep_value.next = self.write_port.first_value.val();
            // While a kept word is written no completion is taken.
            if self.late_results.write.val() {
                copy_fields!(self.late_results => self.contexts:
                    last as complete, warp as complete_warp, sets as complete_sets
                );
            }
        }
    }

    /// The register file and the shared results are written.
    fn register_writes(&mut self) {
        RegisterWriteOut::join(&mut self.write_port.write_ports, &mut self.regfile.write_ports);
        copy_fields!(for i in 0..self._lanes; self.write_port => self.regfile: write_value[i]);
        for k in 0..self._odd {
            OddRegisterWriteOut::join(&mut self.write_port.odd_ports[k], &mut self.regfile.odd_ports[k]);
            copy_fields!(for i in 0..self._lanes; self.write_port => self.regfile: odd_value[i]);
        }
        for k in 0..self._shared_results {
            RegisterWriteOut::join(&mut self.write_port.write_ports, &mut self.shared_result[k].write_ports);
            self.shared_result[k].write_wide.next = self.wide_result.val();
            self.shared_result[k].value.next = self.write_port.first_value.val();
            self.regfile.write_ports.write_mask.next = self.shared_result[k].lanes.val();
        }
        // Registers of warps that merge or split are written where they stand.
        if self._maps {
            let port = &mut self.write_port;
            copy_fields!(port.write_ports => self.map: write_warp as _[0], write_register as _[0], write_mask as _[0]);
            copy_fields!(self.map => self.regfile.write_ports: home[0] as write_warp, lanes[0] as write_mask);
            copy_fields!(for _j in 0..self._joins; self.map => self.regfile.write_ports: number[0] as write_register);
            copy_fields!(for f in 0..self._fresh; self.map => self.regfile: third_home[f] as third_write[f]);
            let file = &mut self.regfile;
            for o in 0..self._odd {
                let odd = &mut file.odd_ports[o];
                copy_fields!(self.write_port.odd_ports[o] => self.map: odd_warp as write_warp[o + 1],
                    odd_register as write_register[o + 1], odd_mask as write_mask[o + 1]
                );
                copy_fields!(self.map => odd: home[o + 1] as odd_warp, lanes[o + 1] as odd_mask);
                copy_fields!(for _j in 0..self._joins; self.map => odd: number[o + 1] as odd_register);
                copy_fields!(for _f in 0..self._fresh; self.map => file: third_home[o + 1] as third_write[o + 1]);
            }
        }
    }

    /// Traps and events go out.
    fn events(&mut self) {
        TrapOut::link(&mut self.trap, &mut self.pipe.trap);
        // Events.
        RetireOut::link(&mut self.ret, &mut self.pipe.ret);
        CompletionOut::link(&mut self.mret, &mut self.write_port.mret);
        if self.late_results.is_built() && (self.trace.val() == bits::<1>(1)) && self.late_results.write.val() {
            self.mret.valid.next = true;
            self.mret.shared.next = true;
            self.mret.function.next = true;
            copy_fields!(self.late_results => self.mret: warp, seq, mask, dst, last);
            self.mret.wen.next = true;
            copy_fields!(for i in 0..4; self.late_results => self.mret: value as value[i]);
        }
        self.stall.next = self.scheduler.stall.val();
        Quiet::<SharedWriteOut>::join(&mut self.shw, &mut Nothing);
        self.issue_valid.next = false;
        self.issue_warp.next = bits::<4>(0);
        self.waiting.next = bits::<16>(0);
        if self.trace.val() == bits::<1>(1) {
            SharedWriteOut::link(&mut self.shw, &mut self.shared.shw);
            copy_fields!(self.scheduler => self: valid as issue_valid, warp as issue_warp);
            self.waiting.next = self.contexts.slot_ports.waits.val();
        }
    }
}
