//! The four memories of the tile buffers, two in each bank, and who has which: blending and the
//! depth test those of a bank in which a tile is open, the engine that fills and writes out the
//! others. A slot of a bank is a half or a quarter of its memories.
//!
//! Latency 1 cycle. It can be wrong where a buffer changes hands: nobody may have a read or a write
//! under way then, which the steps of a job see to.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::quad_ram::QuadRam;
use crate::base::vector;
use crate::comment;
use crate::ports::{LineDataIn, LineDataOut, QuadReadIn, QuadWriteIn};

/// See the module documentation. Memory 2 b has the colours of bank b, 2 b + 1 its depth.
#[derive(Default, QuietBlock)]
pub struct TileMemories {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Log2 of the slots of a bank.
    pub slots: Signal<In, Bits<2>>,
    /// Bank b is not the engine's.
    pub owned: Vec<Signal<In, bool>>,
    /// Blending reads.
    pub colour_read: QuadReadIn,
    /// What stood there a cycle ago.
    pub colour_line: LineDataOut,
    /// Blending writes.
    pub colour_write: QuadWriteIn,
    /// The depth test reads.
    pub depth_read: QuadReadIn,
    /// What stood there a cycle ago.
    pub depth_line: LineDataOut,
    /// The depth test writes.
    pub depth_write: QuadWriteIn,
    /// The engine's buffer.
    pub buffer: Signal<In, Bits<3>>,
    /// It is at the depth memory, else at the colours.
    pub is_depth: Signal<In, bool>,
    /// Word that the engine reads.
    pub address: Signal<In, Bits<10>>,
    /// What stood there a cycle ago.
    pub line: LineDataOut,
    /// The engine writes.
    pub fill: Signal<In, bool>,
    /// Word that it writes.
    pub fill_address: Signal<In, Bits<10>>,
    /// Its words.
    pub fill_line: LineDataIn,
    memory: Vec<QuadRam>,
    colour_bank: DFF<Bits<1>>,
    depth_bank: DFF<Bits<1>>,
    /// Slot at each port: colours read, written, depth read, written, the engine's.
    port_slot: Vec<Signal<Local, Bits<10>>>,
    /// First word of its slot.
    offset: Vec<Signal<Local, Bits<10>>>,
    bank: Signal<Local, Bits<1>>,
    read_bank: Signal<Local, Bits<1>>,
    depth_read_bank: Signal<Local, Bits<1>>,
    write_bank: Signal<Local, Bits<1>>,
    depth_write_bank: Signal<Local, Bits<1>>,
    _active: bool,
}

impl TileMemories {
    /// Four memories of zeros.
    pub fn new() -> Self {
        Self {
            owned: vector(2),
            memory: vector(4),
            port_slot: vector(5),
            offset: vector(5),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel(wired)]
impl TileMemories {
    /// Each port has a bank, and the first word of its slot in it.
    fn slots(&mut self) {
        comment!("module: tile_memories");
        dff_setup!(self, clock, colour_bank, depth_bank);
        self.port_slot[0].next = bit_cast::<10, 2>(self.colour_read.buffer.val().get_bits::<2>(1));
        self.port_slot[1].next = bit_cast::<10, 2>(self.colour_write.buffer.val().get_bits::<2>(1));
        self.port_slot[2].next = bit_cast::<10, 2>(self.depth_read.buffer.val().get_bits::<2>(1));
        self.port_slot[3].next = bit_cast::<10, 2>(self.depth_write.buffer.val().get_bits::<2>(1));
        self.port_slot[4].next = bit_cast::<10, 2>(self.buffer.val().get_bits::<2>(1));
        for p in 0..5 {
            self.offset[p].next = bits::<10>(0);
            if self.slots.val() == bits::<2>(1) {
                self.offset[p].next = self.port_slot[p].val() << bits::<10>(9);
            }
            if self.slots.val() == bits::<2>(2) {
                self.offset[p].next = self.port_slot[p].val() << bits::<10>(8);
            }
        }
        self.read_bank.next = self.colour_read.buffer.val().get_bits::<1>(0);
        self.write_bank.next = self.colour_write.buffer.val().get_bits::<1>(0);
        self.depth_read_bank.next = self.depth_read.buffer.val().get_bits::<1>(0);
        self.depth_write_bank.next = self.depth_write.buffer.val().get_bits::<1>(0);
        self.bank.next = self.buffer.val().get_bits::<1>(0);
        self.colour_bank.d.next = self.read_bank.val();
        self.depth_bank.d.next = self.depth_read_bank.val();
    }

    /// Blending and the depth test have the memories of a bank, or the engine.
    fn owners(&mut self) {
        for m in 0..4 {
            clock!(self, clock, memory[m]);
            self.memory[m].read_address.next = self.address.val() | self.offset[4].val();
            self.memory[m].write_address.next = self.fill_address.val() | self.offset[4].val();
            self.memory[m].write_mask.next = bits::<4>(0);
            LineDataIn::link(&mut self.fill_line, &mut self.memory[m].write);
        }
        for b in 0..2 {
            if self.fill.val() && (self.bank.val() == b.to_bits::<1>()) {
                if self.is_depth.val() {
                    self.memory[2 * b + 1].write_mask.next = bits::<4>(0xF);
                } else {
                    self.memory[2 * b].write_mask.next = bits::<4>(0xF);
                }
            }
            if self.owned[b].val() {
                self.memory[2 * b].read_address.next = self.colour_read.address.val() | self.offset[0].val();
                self.memory[2 * b].write_address.next = self.colour_write.address.val() | self.offset[1].val();
                self.memory[2 * b].write_mask.next = bits::<4>(0);
                if self.write_bank.val() == b.to_bits::<1>() {
                    self.memory[2 * b].write_mask.next = self.colour_write.mask.val();
                }
                self.memory[2 * b + 1].read_address.next = self.depth_read.address.val() | self.offset[2].val();
                self.memory[2 * b + 1].write_address.next = self.depth_write.address.val() | self.offset[3].val();
                self.memory[2 * b + 1].write_mask.next = bits::<4>(0);
                if self.depth_write_bank.val() == b.to_bits::<1>() {
                    self.memory[2 * b + 1].write_mask.next = self.depth_write.mask.val();
                }
                for k in 0..4 {
                    self.memory[2 * b].write.data[k].next = self.colour_write.data[k].val();
                    self.memory[2 * b + 1].write.data[k].next = self.depth_write.data[k].val();
                }
            }
        }
    }

    /// Each port gets the line that it read a cycle ago.
    fn lines(&mut self) {
        for k in 0..4 {
            fan_out!(self.memory[0].read.data[k] => self.colour_line.data[k], self.line.data[k]);
            if self.colour_bank.q.val() == bits::<1>(1) {
                self.colour_line.data[k].next = self.memory[2].read.data[k].val();
            }
            self.depth_line.data[k].next = self.memory[1].read.data[k].val();
            if self.depth_bank.q.val() == bits::<1>(1) {
                self.depth_line.data[k].next = self.memory[3].read.data[k].val();
            }
            if self.is_depth.val() {
                self.line.data[k].next = self.memory[1].read.data[k].val();
            }
            if self.bank.val() == bits::<1>(1) {
                self.line.data[k].next = self.memory[2].read.data[k].val();
                if self.is_depth.val() {
                    self.line.data[k].next = self.memory[3].read.data[k].val();
                }
            }
        }
    }
}
