//! Depths that were written, for whoever keeps bounds of depth (HZ-22, HZ-24): each word that the
//! test unit writes, with its place in the target. All four lanes are what the depth memory holds
//! from now on, also those that were not tested.
//!
//! The test unit knows a buffer and an address. Which tile a buffer holds is said when the tile is
//! opened, and does not change while quads of it are under way. Latency one cycle, a word per
//! cycle, never held back.
//!
//! It can be wrong in a place, and then a bound is another group's. Planted fault: `back-place`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::pass;
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::cell::AsyncRam;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{DepthUpdateOut, QuadWriteIn, StateWriteIn, TileOpenedIn};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct WrittenDepths {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state; the side of tiles is kept.
    pub state: StateWriteIn,
    /// A tile buffer is open for a tile.
    pub opened_ports: TileOpenedIn,
    /// The word that is written.
    pub write: QuadWriteIn,
    /// Depths were written.
    pub update: DepthUpdateOut,
    places: AsyncRam,
    side: DFF<Bits<3>>,
    valid: DFF<bool>,
    x: DFF<Bits<11>>,
    y: DFF<Bits<11>>,
    sample: DFF<Bits<2>>,
    lanes: DFF<Bits<4>>,
    depth: Vec<DFF<Bits<24>>>,
    place: Signal<Local, Bits<32>>,
    tile_x: Signal<Local, Bits<11>>,
    tile_y: Signal<Local, Bits<11>>,
    fault_back_place: Planted,
    _active: bool,
}

impl WrittenDepths {
    /// At rest, with the planted fault of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            places: AsyncRam::new(8, 18),
            depth: vector(4),
            fault_back_place: Planted::new(config.has(Fault::BackPlace)),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for WrittenDepths {
    #[kernel]
    fn update(&mut self) {
        comment!("module: written_depths");
        dff_setup!(self, clock, side, valid, x, y, sample, lanes);
        clock!(self, clock, places);
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::KIND)) {
            self.side.d.next = self.state.data.val().get_bits::<3>(4);
        }
        self.places.write_enable.next = self.opened_ports.opened.val();
        self.places.write_address.next = bit_cast::<6, 3>(self.opened_ports.opened_buffer.val());
        self.places.write_data.next = bit_cast::<32, 9>(self.opened_ports.opened_x.val())
            | (bit_cast::<32, 9>(self.opened_ports.opened_y.val()) << bits::<32>(9));
        self.places.read_address.next = bit_cast::<6, 3>(self.write.buffer.val());
        self.place.next = self.places.read_data.val();
        self.tile_x.next = bit_cast::<11, 9>(self.place.val().get_bits::<9>(0));
        self.tile_y.next = bit_cast::<11, 9>(self.place.val().get_bits::<9>(9));
        // A tile's side in quads: 4, 8 or 16.
        self.x.d.next =
            (self.tile_x.val() << bits::<11>(2)) | bit_cast::<11, 2>(self.write.address.val().get_bits::<2>(0));
        self.y.d.next =
            (self.tile_y.val() << bits::<11>(2)) | bit_cast::<11, 2>(self.write.address.val().get_bits::<2>(2));
        self.sample.d.next = self.write.address.val().get_bits::<2>(4);
        if self.side.q.val() == bits::<3>(4) {
            self.x.d.next =
                (self.tile_x.val() << bits::<11>(3)) | bit_cast::<11, 3>(self.write.address.val().get_bits::<3>(0));
            self.y.d.next =
                (self.tile_y.val() << bits::<11>(3)) | bit_cast::<11, 3>(self.write.address.val().get_bits::<3>(3));
            self.sample.d.next = self.write.address.val().get_bits::<2>(6);
        }
        if self.side.q.val() == bits::<3>(5) {
            self.x.d.next =
                (self.tile_x.val() << bits::<11>(4)) | bit_cast::<11, 4>(self.write.address.val().get_bits::<4>(0));
            self.y.d.next =
                (self.tile_y.val() << bits::<11>(4)) | bit_cast::<11, 4>(self.write.address.val().get_bits::<4>(4));
            self.sample.d.next = self.write.address.val().get_bits::<2>(8);
        }
        if self.fault_back_place.val() {
            self.y.d.next = self.tile_y.val() << bits::<11>(3);
        }
        self.valid.d.next = self.write.mask.val().any();
        self.lanes.d.next = self.write.mask.val();
        for k in 0..4 {
            self.depth[k].clock.next = self.clock.val();
            self.depth[k].d.next = self.write.data[k].val().get_bits::<24>(0);
            self.update.depth[k].next = self.depth[k].q.val();
        }
        self.update.valid.next = self.valid.q.val();
        self.update.x.next = self.x.q.val();
        self.update.y.next = self.y.q.val();
        self.update.sample.next = self.sample.q.val();
        self.update.lanes.next = self.lanes.q.val();
    }
}
