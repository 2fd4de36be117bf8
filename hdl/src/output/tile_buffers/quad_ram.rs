//! A memory of 1,024 words of four lanes, with a write mask of lanes: the colours, or depth and
//! stencil, of a tile buffer.
//!
//! One read and one write per cycle; the word comes a cycle after its address. A lane that is read
//! and written at one address in one cycle gives nothing of use ([`super::tile_ram`]). It can be
//! wrong in a lane's mask; `tests/tile_buffers.rs` uses all.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::vector;
use crate::comment;
use crate::output::tile_buffers::tile_ram::TileRam;
use crate::ports::{LineDataIn, LineDataOut};

/// See the module documentation.
#[derive(QuietBlock)]
pub struct QuadRam {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Word that is read.
    pub read_address: Signal<In, Bits<10>>,
    /// Its lanes, a cycle later.
    pub read: LineDataOut,
    /// Word that is written.
    pub write_address: Signal<In, Bits<10>>,
    /// Lanes that are written.
    pub write_mask: Signal<In, Bits<4>>,
    /// Word of each lane.
    pub write: LineDataIn,
    lane: Vec<TileRam>,
    _active: bool,
}

impl Default for QuadRam {
    fn default() -> Self {
        Self {
            clock: Signal::default(),
            read_address: Signal::default(),
            read: Default::default(),
            write_address: Signal::default(),
            write_mask: Signal::default(),
            write: Default::default(),
            lane: vector(4),
            _active: true,
        }
    }
}

impl Logic for QuadRam {
    #[kernel]
    fn update(&mut self) {
        comment!("module: quad_ram");
        for i in 0..4 {
            clock!(self, clock, lane[i]);
            self.lane[i].read_address.next = self.read_address.val();
            self.lane[i].write_address.next = self.write_address.val();
            self.lane[i].write_enable.next = self.write_mask.val().get_bit(i);
        }
        for i in 0..4 {
            self.lane[i].write_data.next = self.write.data[i].val();
        }
        for i in 0..4 {
            self.read.data[i].next = self.lane[i].read_data.val();
        }
    }
}
