//! Which contexts are named by something in geometry: draws that come in, triangles on their way,
//! and live records. The command streamer gives a context anew when nobody names it.
//!
//! For each context what has come is counted, and what has gone, one of each per cycle. The context
//! is in use while they differ. It can be wrong in a pair of counts of one cycle.
//!
//! Planted fault: `geometry-context`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::cell::AsyncRam;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct GeometryContexts {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A draw comes in; counted in this cycle.
    pub opens: Signal<In, bool>,
    /// Its context.
    pub opens_context: Signal<In, Bits<4>>,
    /// A triangle goes on.
    pub triangle_valid: Signal<In, bool>,
    /// It is counted in this cycle if valid.
    pub triangle_ready: Signal<Out, bool>,
    /// Its context.
    pub triangle_context: Signal<In, Bits<4>>,
    /// A draw has given its last corner.
    pub end_valid: Signal<In, bool>,
    /// It is counted in this cycle if valid.
    pub end_ready: Signal<Out, bool>,
    /// Its context.
    pub end_context: Signal<In, Bits<4>>,
    /// A triangle was culled; counted in this cycle.
    pub culled: Signal<In, bool>,
    /// Its context.
    pub culled_context: Signal<In, Bits<4>>,
    /// A record is free.
    pub record_release_valid: Signal<In, bool>,
    /// It is counted in this cycle if valid.
    pub record_release_ready: Signal<Out, bool>,
    /// Its context.
    pub record_release_context: Signal<In, Bits<4>>,
    /// Contexts that are named.
    pub contexts: Signal<Out, Bits<16>>,
    ups: AsyncRam,
    ups_copy: AsyncRam,
    downs: AsyncRam,
    live: DFF<Bits<16>>,
    up: Signal<Local, bool>,
    up_context: Signal<Local, Bits<4>>,
    up_new: Signal<Local, Bits<14>>,
    up_bit: Signal<Local, Bits<16>>,
    down: Signal<Local, bool>,
    down_context: Signal<Local, Bits<4>>,
    down_new: Signal<Local, Bits<14>>,
    down_bit: Signal<Local, Bits<16>>,
    last: Signal<Local, bool>,
    fault_geometry_context: Planted,
    _active: bool,
}

impl GeometryContexts {
    /// None is named; with that configuration's planted faults.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            ups: AsyncRam::new(config.contexts, 14),
            ups_copy: AsyncRam::new(config.contexts, 14),
            downs: AsyncRam::new(config.contexts, 14),
            fault_geometry_context: Planted::new(config.has(Fault::GeometryContext)),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for GeometryContexts {
    #[kernel]
    fn update(&mut self) {
        comment!("module: geometry_contexts");
        dff_setup!(self, clock, live);
        clock!(self, clock, ups, ups_copy, downs);
        self.triangle_ready.next = !self.opens.val();
        self.up.next = self.opens.val() || self.triangle_valid.val();
        self.up_context.next = self.triangle_context.val();
        if self.opens.val() {
            self.up_context.next = self.opens_context.val();
        }
        self.ups.read_address.next = bit_cast::<6, 4>(self.up_context.val());
        self.up_new.next = self.ups.read_data.val().get_bits::<14>(0) + bits::<14>(1);
        self.ups.write_enable.next = self.up.val();
        self.ups.write_address.next = bit_cast::<6, 4>(self.up_context.val());
        self.ups.write_data.next = bit_cast::<32, 14>(self.up_new.val());
        self.ups_copy.write_enable.next = self.up.val();
        self.ups_copy.write_address.next = bit_cast::<6, 4>(self.up_context.val());
        self.ups_copy.write_data.next = bit_cast::<32, 14>(self.up_new.val());

        self.end_ready.next = !self.culled.val();
        self.record_release_ready.next = !self.culled.val() && !self.end_valid.val();
        self.down.next = self.culled.val() || self.end_valid.val() || self.record_release_valid.val();
        self.down_context.next = self.record_release_context.val();
        if self.end_valid.val() {
            self.down_context.next = self.end_context.val();
        }
        if self.culled.val() {
            self.down_context.next = self.culled_context.val();
        }
        self.downs.read_address.next = bit_cast::<6, 4>(self.down_context.val());
        self.ups_copy.read_address.next = bit_cast::<6, 4>(self.down_context.val());
        self.down_new.next = self.downs.read_data.val().get_bits::<14>(0) + bits::<14>(1);
        self.downs.write_enable.next = self.down.val();
        self.downs.write_address.next = bit_cast::<6, 4>(self.down_context.val());
        self.downs.write_data.next = bit_cast::<32, 14>(self.down_new.val());
        self.last.next = self.down.val() && (self.down_new.val() == self.ups_copy.read_data.val().get_bits::<14>(0));
        if self.fault_geometry_context.val() && self.end_valid.val() {
            self.last.next = self.down.val();
        }

        // One that comes in the cycle in which the last one goes keeps the context.
        self.up_bit.next = bits::<16>(0);
        if self.up.val() {
            self.up_bit.next = bits::<16>(1) << bit_cast::<16, 4>(self.up_context.val());
        }
        self.down_bit.next = bits::<16>(0);
        if self.last.val() {
            self.down_bit.next = bits::<16>(1) << bit_cast::<16, 4>(self.down_context.val());
        }
        self.live.d.next = (self.live.q.val() & (self.down_bit.val() ^ bits::<16>(0xFFFF))) | self.up_bit.val();
        self.contexts.next = self.live.q.val();
    }
}
