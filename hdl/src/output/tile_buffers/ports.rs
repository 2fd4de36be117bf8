//! Who is at the memories: ports of the block, and the engine.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::{Memories, TileBuffers, TileJob, TileStep};
use crate::ports::{LineDataOut, QuadReadIn, QuadWriteIn};

#[parts]
impl TileBuffers {
    fn memories(&mut self) {
        // The engine has the bank of its job, and nobody else is there.
        self.engine.next = (self.step.q.val() != TileStep::Idle)
            && (self.step.q.val() != TileStep::Wipe)
            && ((self.job.q.val() == TileJob::Fill) || (self.job.q.val() == TileJob::Store));
        self.memories.owned[0].next = !self.engine.val() || self.buffer.q.val().get_bit(0);
        self.memories.owned[1].next = !self.engine.val() || !self.buffer.q.val().get_bit(0);
        self.memories.slots.next = self.slots.q.val();
        QuadReadIn::link(&mut self.colour_read, &mut self.memories.colour_read);
        LineDataOut::link(&mut self.colour_line, &mut self.memories.colour_line);
        QuadWriteIn::link(&mut self.colour_write, &mut self.memories.colour_write);
        QuadReadIn::link(&mut self.depth_read, &mut self.memories.depth_read);
        LineDataOut::link(&mut self.depth_line, &mut self.memories.depth_line);
        QuadWriteIn::link(&mut self.depth_write, &mut self.memories.depth_write);
        self.memories.buffer.next = self.buffer.q.val();
        self.memories.is_depth.next = self.is_depth.val();
        // A word that waits at the port is shown again.
        self.memories.address.next = self.address_b.q.val();
        if self.enable.val() || self.fault_tile_stall.val() {
            self.memories.address.next = self.place.address.val();
        }
    }
}
