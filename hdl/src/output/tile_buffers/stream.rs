//! Lines between the buffers and memory: a step of the walk is a request, whose word of the buffer
//! comes a cycle later, and then stands at the port until memory takes it. Answers are taken as
//! they come; a ring says which word each is for.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::target::TargetFlags;
use super::{ByteMask, LineAnswers, LinePort, LineStages, TileAction, TileBuffers, TileJob, TileStep, WalkStep};
use crate::ports::LineDataIn;

#[parts]
impl TileBuffers {
    fn walk_step(&mut self) {
        self.enable.next = !self.valid_c.q.val() || self.m_req.ready.val();
        self.used.next = self.tail.q.val() - self.head.q.val();
        self.room.next = (self.used.val() != bits::<5>(16)) || self.fault_tile_room.val();
        self.asks.next = self.action.q.val() != TileAction::Clear;
        self.moves.next =
            (self.step.q.val() == TileStep::Walk) && (!self.asks.val() || (self.enable.val() && self.room.val()));
        self.walk.step.next = self.moves.val();
        self.place.side.next = self.side.q.val();
        self.place.index.next = self.walk.index.val();
        self.place.x.next = self.walk.x.val();
        self.place.y.next = self.walk.y.val();
        // The second words of colours stand behind the first words of all samples.
        self.word_of_plane.next = self.walk.plane.val() >> self.samples.q.val();
        self.second.next = self.word_of_plane.val().get_bit(0);
        self.clear_word.next = self.low.q.val();
        if self.second.val() {
            self.clear_word.next = self.high.q.val();
        }
    }

    fn byte_mask(&mut self) {
        self.bytes.next = bits::<4>(0xF);
        self.keep.next = bits::<32>(0);
        if self.is_depth.val() && self.flags.val().get_value_load() && !self.was_opened.q.val() {
            self.bytes.next = bits::<4>(0x8);
            self.keep.next = !bits::<32>(0x00FF_FFFF);
        }
        if self.is_depth.val() && self.flags.val().get_value_resolve() && !self.was_opened.q.val() {
            self.bytes.next = bits::<4>(0x7);
            self.keep.next = bits::<32>(0x00FF_FFFF);
        }
        if self.is_depth.val() && self.flags.val().get_value_resolve() && self.flags.val().get_value_load() {
            self.keep.next = bits::<32>(0);
        }
        if (self.action.q.val() == TileAction::Store) || !self.is_depth.val() {
            self.bytes.next = bits::<4>(0xF);
        }
        self.mask.next = bit_cast::<16, 4>(self.bytes.val())
            | (bit_cast::<16, 4>(self.bytes.val()) << bits::<4>(4))
            | (bit_cast::<16, 4>(self.bytes.val()) << bits::<4>(8))
            | (bit_cast::<16, 4>(self.bytes.val()) << bits::<4>(12));
        if self.fault_tile_stencil.val() {
            self.keep.next = bits::<32>(0);
        }
    }

    fn line_stages(&mut self) {
        self.job_kind.next = bits::<3>(0);
        if self.action.q.val() == TileAction::Store {
            self.job_kind.next = bits::<3>(1);
        }
        self.kind.next = self.job_kind.val();
        if self.is_depth.val() {
            self.kind.next = self.job_kind.val() | bits::<3>(2);
        }
        if self.job.q.val() == TileJob::Sweep {
            self.kind.next = bits::<3>(4);
            if self.is_depth.val() {
                self.kind.next = bits::<3>(5);
            }
        }
        self.places.write_enable.next = self.moves.val() && self.asks.val();
        self.places.write_address.next = self.tail.q.val().get_bits::<4>(0);
        self.places.write_data.next = bit_cast::<32, 10>(self.place.address.val());
        if self.moves.val() && self.asks.val() {
            self.tail.d.next = self.tail.q.val() + bits::<5>(1);
        }
        if self.enable.val() {
            self.valid_b.d.next = self.moves.val() && self.asks.val();
            self.write_b.d.next = self.action.q.val() != TileAction::Load;
            self.stored_b.d.next = self.action.q.val() == TileAction::Store;
            self.line_b.d.next = self.walk.line.val();
            self.address_b.d.next = self.place.address.val();
            self.clear_b.d.next = self.clear_word.val();
            self.valid_c.d.next = self.valid_b.q.val();
            self.write_c.d.next = self.write_b.q.val();
            self.line_c.d.next = self.line_b.q.val();
            self.kind_c.d.next = self.kind.val();
            self.mask_c.d.next = self.mask.val();
            for i in 0..4 {
                self.data_c[i].d.next = self.clear_b.q.val();
            }
            if self.stored_b.q.val() {
                for i in 0..4 {
                    self.data_c[i].d.next = self.memories.line.data[i].val();
                }
            }
        }
    }

    fn line_port(&mut self) {
        self.resolving.next = self.step.q.val() == TileStep::Resolve;
        if self.resolve.is_built() {
            self.resolve.req.ready.next = self.enable.val();
            if self.enable.val() && self.resolving.val() {
                self.valid_c.d.next = self.resolve.req.valid.val();
                self.write_c.d.next = self.resolve.req_write.val();
                self.line_c.d.next = self.resolve.req_line.val();
                self.mask_c.d.next = bits::<16>(0xFFFF);
                self.kind_c.d.next = bits::<3>(6);
                if self.resolve.req_write.val() {
                    self.kind_c.d.next = bits::<3>(7);
                }
                for i in 0..4 {
                    self.data_c[i].d.next = self.resolve.req.data[i].val();
                }
            }
        }
        self.m_req.valid.next = self.valid_c.q.val();
        self.m_req.addr.next = bit_cast::<32, 28>(self.line_c.q.val()) << bits::<5>(4);
        self.m_req.write.next = self.write_c.q.val();
        self.m_req.lock.next = false;
        self.m_req.mask.next = self.mask_c.q.val();
        for i in 0..4 {
            self.m_req.data[i].next = self.data_c[i].q.val();
        }
        self.line_moved.next = self.valid_c.q.val() && self.m_req.ready.val();
        self.line_kind.next = self.kind_c.q.val();
    }

    fn line_answers(&mut self) {
        self.m_rsp.ready.next = true;
        self.rsp_valid.d.next = self.m_rsp.valid.val() && !self.resolving.val();
        if self.resolve.is_built() {
            self.resolve.rsp.valid.next = self.m_rsp.valid.val() && self.resolving.val();
            LineDataIn::link(&mut self.m_rsp, &mut self.resolve.rsp);
        }
        for i in 0..4 {
            self.rsp_data[i].d.next = self.m_rsp.data[i].val();
        }
        self.places.read_address.next = self.head.q.val().get_bits::<4>(0);
        if self.rsp_valid.q.val() {
            self.head.d.next = self.head.q.val() + bits::<5>(1);
        }
        self.memories.fill.next = self.rsp_valid.q.val() && (self.action.q.val() == TileAction::Load);
        self.memories.fill_address.next = self.places.read_data.val().get_bits::<10>(0);
        // A word is that of the clear value where `take` has a bit, else what memory had.
        self.fill_word.next = self.clear_word.val();
        self.take.next = !bits::<32>(0);
        if self.asks.val() {
            self.fill_word.next = self.low.q.val();
            self.take.next = self.keep.val();
        } else {
            self.memories.fill.next = self.moves.val();
            self.memories.fill_address.next = self.place.address.val();
        }
        for i in 0..4 {
            self.memories.fill_line.data[i].next =
                (self.fill_word.val() & self.take.val()) | (self.rsp_data[i].q.val() & !self.take.val());
        }
    }
}
