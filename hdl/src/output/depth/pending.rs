//! How many quads of a place are still to be tested late: who went by the early side, less those
//! whose last beat came to the late side. A place is a tile buffer and the lowest four bits of a
//! quad's x and y. Tiles have at most 16 quads in a row, and a buffer has one tile at a time.
//!
//! Two RAMs of counts modulo 256, one written by each side, so neither waits for the other. At most
//! a ticket for each can be on its way, and there are at most 64. What the late side counts is seen
//! up to three cycles later, so the early side may wait too long but never too short.
//!
//! It can be wrong where a place is counted twice in a row, before the RAM has the first.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::cell::Ram;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// Places: eight tile buffers of 16 times 16 quads.
const PLACES: usize = 2048;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct PendingLate {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// The place that is looked up in the next cycle.
    pub next_place: Signal<In, Bits<11>>,
    /// The place that is looked up in this cycle.
    pub place: Signal<In, Bits<11>>,
    /// A quad of it is still to be tested late.
    pub pending: Signal<Out, bool>,
    /// One more, of that place.
    pub up: Signal<In, bool>,
    /// One less, of `down_place`.
    pub down: Signal<In, bool>,
    /// Its place.
    pub down_place: Signal<In, Bits<11>>,
    ups: Ram,
    downs: Ram,
    /// The same as `downs`, for the late side.
    own_downs: Ram,
    // What was written in the last cycle.
    up_wrote: DFF<bool>,
    up_place: DFF<Bits<11>>,
    up_value: DFF<Bits<8>>,
    down_now: DFF<bool>,
    down_now_place: DFF<Bits<11>>,
    down_wrote: DFF<bool>,
    down_wrote_place: DFF<Bits<11>>,
    down_value: DFF<Bits<8>>,
    up_count: Signal<Local, Bits<8>>,
    down_count: Signal<Local, Bits<8>>,
    more: Signal<Local, Bits<8>>,
    fewer: Signal<Local, Bits<8>>,
    fault_depth_pending_twice: Planted,
    _active: bool,
}

impl PendingLate {
    /// Nobody is pending.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            ups: Ram::new(PLACES),
            downs: Ram::new(PLACES),
            own_downs: Ram::new(PLACES),
            fault_depth_pending_twice: Planted::new(config.has(Fault::DepthPendingTwice)),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for PendingLate {
    #[kernel]
    fn update(&mut self) {
        comment!("module: pending_late");
        dff_setup!(
            self,
            clock,
            up_wrote,
            up_place,
            up_value,
            down_now,
            down_now_place,
            down_wrote,
            down_wrote_place,
            down_value
        );
        clock!(self, clock, ups, downs, own_downs);
        self.ups.read_address.next = bit_cast::<12, 11>(self.next_place.val());
        self.downs.read_address.next = bit_cast::<12, 11>(self.next_place.val());
        self.up_count.next = self.ups.read_data.val().get_bits::<8>(0);
        if self.up_wrote.q.val() && (self.up_place.q.val() == self.place.val()) && !self.fault_depth_pending_twice.val()
        {
            self.up_count.next = self.up_value.q.val();
        }
        self.pending.next = self.up_count.val() != self.downs.read_data.val().get_bits::<8>(0);
        self.more.next = self.up_count.val() + bits::<8>(1);
        self.up_wrote.d.next = self.up.val();
        self.up_place.d.next = self.place.val();
        self.up_value.d.next = self.more.val();
        self.ups.write_enable.next = self.up.val();
        self.ups.write_address.next = bit_cast::<12, 11>(self.place.val());
        self.ups.write_data.next = bit_cast::<32, 8>(self.more.val());
        // The late side: read in one cycle, written in the next.
        self.own_downs.read_address.next = bit_cast::<12, 11>(self.down_place.val());
        self.down_now.d.next = self.down.val();
        self.down_now_place.d.next = self.down_place.val();
        self.down_count.next = self.own_downs.read_data.val().get_bits::<8>(0);
        if self.down_wrote.q.val() && (self.down_wrote_place.q.val() == self.down_now_place.q.val()) {
            self.down_count.next = self.down_value.q.val();
        }
        self.fewer.next = self.down_count.val() + bits::<8>(1);
        self.down_wrote.d.next = self.down_now.q.val();
        self.down_wrote_place.d.next = self.down_now_place.q.val();
        self.down_value.d.next = self.fewer.val();
        self.downs.write_enable.next = self.down_now.q.val();
        self.downs.write_address.next = bit_cast::<12, 11>(self.down_now_place.q.val());
        self.downs.write_data.next = bit_cast::<32, 8>(self.fewer.val());
        self.own_downs.write_enable.next = self.down_now.q.val();
        self.own_downs.write_address.next = bit_cast::<12, 11>(self.down_now_place.q.val());
        self.own_downs.write_data.next = bit_cast::<32, 8>(self.fewer.val());
    }
}
