//! Who is at the memories: ports of the block, and the engine.

use rust_hdl::prelude::*;

use super::{BufferState, Memories, TileBuffers};
use crate::base::parts::Part;
use crate::ports::{LineOut, QuadReadIn, QuadWriteIn};

impl Part<Memories> for TileBuffers {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..2 {
            self.memories.owned[i].next = (self.buffer_state[i].q.val() == BufferState::Open)
                || (self.buffer_state[i].q.val() == BufferState::Closed);
        }
        QuadReadIn::link(&mut self.colour_read, &mut self.memories.colour_read);
        LineOut::link(&mut self.colour_line, &mut self.memories.colour_line);
        QuadWriteIn::link(&mut self.colour_write, &mut self.memories.colour_write);
        QuadReadIn::link(&mut self.depth_read, &mut self.memories.depth_read);
        LineOut::link(&mut self.depth_line, &mut self.memories.depth_line);
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
