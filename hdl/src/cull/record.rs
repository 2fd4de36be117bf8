//! Visibility record: a bit for each triangle that the cull pipeline has looked at, until the
//! pipeline that draws has read it (HZ-31). Its size says how far one may be ahead of the other.
//!
//! Triangles have numbers in the order of the draws. A triangle that is culled by its position may
//! be known before an older one whose depth is still compared. So each word stands at its number,
//! and says by a second bit in which round through the memory it was written. The reader waits at
//! its place for the word of its round. Nothing is ever cleared: words begin at 0, and the bit of
//! the first round is 1.
//!
//! | source of a bit | when |
//! | --- | --- |
//! | geometry's event | culled, or cut by a clip plane; without depth also what may be seen |
//! | visibility unit | all tiles of a triangle were told |
//!
//! Geometry's event cannot wait. The visibility unit waits for it. `room` is told a cycle late, and
//! up to 64 corners are behind it, and triangles that are set up: 128 places are kept. One bit in
//! and one out per cycle, latency 2 cycles.
//!
//! It can be wrong in a word that is written before the old one at its place is read. Planted
//! fault: `cull-record`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{Parameter, Planted};
use crate::cell::DeepRam;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{AheadEventOut, TriangleBitOut, TriangleEventIn};

/// Places that are kept for triangles whose corners are taken: 64 of those that wait, each of which
/// may complete one of a strip, and those that are set up.
const KEPT: u64 = 128;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct VisibilityRecord {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Triangle events of geometry.
    pub triangle_event: TriangleEventIn,
    /// There is room for what corners make that are taken now.
    pub room: Signal<Out, bool>,
    /// The visibility unit is done with a triangle.
    pub done_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub done_ready: Signal<Out, bool>,
    /// Its number.
    pub done_order: Signal<In, Bits<16>>,
    /// It may be seen.
    pub done_shows: Signal<In, bool>,
    /// Whether a triangle is to be drawn, in order.
    pub cull_bit_ports: TriangleBitOut,
    /// Event: what was found.
    pub ahead: AheadEventOut,
    /// Two bits: the round; the triangle may be seen.
    bits_kept: DeepRam,
    /// Triangles of which geometry has told; the next one that is read.
    tail: DFF<Bits<16>>,
    head: DFF<Bits<16>>,
    room_r: DFF<bool>,
    // What is written.
    w_valid: DFF<bool>,
    w_order: DFF<Bits<16>>,
    w_what: DFF<Bits<3>>,
    of_event: Signal<Local, bool>,
    next: Signal<Local, Bits<16>>,
    used: Signal<Local, Bits<16>>,
    shows: Signal<Local, bool>,
    first_round: Signal<Local, bool>,
    of_round: Signal<Local, bool>,
    later_round: Signal<Local, bool>,
    size: Parameter<16>,
    most: Parameter<16>,
    fault_cull_record: Planted,
    /// 1: the visibility unit decides about what geometry leaves.
    _depth: bool,
    _active: bool,
}

impl VisibilityRecord {
    /// Of that configuration's size, with its planted fault.
    pub fn new(config: &GpuConfig) -> Self {
        let size = config.cull_record as u64;
        Self {
            bits_kept: DeepRam::new(config.cull_record, 2),
            size: Parameter::new(size),
            most: Parameter::new(size - KEPT),
            fault_cull_record: Planted::new(config.has(Fault::CullRecord)),
            _depth: config.culls_depth(),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for VisibilityRecord {
    #[kernel]
    fn update(&mut self) {
        comment!("module: visibility_record");
        dff_setup!(self, clock, tail, head, room_r, w_valid, w_order, w_what);
        clock!(self, clock, bits_kept);
        // What is found.
        self.of_event.next = self.triangle_event.valid.val();
        if self._depth {
            self.of_event.next = self.triangle_event.valid.val() && self.triangle_event.what.val().any();
        }
        self.done_ready.next = !self.of_event.val();
        self.w_valid.d.next = self.of_event.val() || self.done_valid.val();
        self.w_order.d.next = self.done_order.val();
        self.w_what.d.next = bits::<3>(6);
        if self.done_shows.val() {
            self.w_what.d.next = bits::<3>(0);
        }
        if self.of_event.val() {
            self.w_order.d.next = self.triangle_event.order.val();
            self.w_what.d.next = self.triangle_event.what.val();
        }
        self.shows.next = !self.w_what.q.val().any() || self.w_what.q.val().all();
        self.first_round.next = !(self.w_order.q.val() & self.size.val()).any();
        self.bits_kept.write_enable.next = self.w_valid.q.val();
        self.bits_kept.write_address.next = self.w_order.q.val().get_bits::<13>(0);
        self.bits_kept.write_data.next = bits::<64>(0);
        if self.first_round.val() {
            self.bits_kept.write_data.next = bits::<64>(1);
        }
        if self.shows.val() {
            self.bits_kept.write_data.next = bits::<64>(2);
            if self.first_round.val() {
                self.bits_kept.write_data.next = bits::<64>(3);
            }
        }
        self.ahead.valid.next = self.w_valid.q.val();
        self.ahead.order.next = self.w_order.q.val();
        self.ahead.what.next = self.w_what.q.val();
        // The next one is read in every cycle.
        self.next.next = self.head.q.val();
        if self.cull_bit_ports.bit_take.val() {
            self.next.next = self.head.q.val() + bits::<16>(1);
        }
        self.head.d.next = self.next.val();
        self.bits_kept.read_address.next = self.next.val().get_bits::<13>(0);
        self.later_round.next = (self.head.q.val() & self.size.val()).any();
        self.of_round.next = self.bits_kept.read_data.val().get_bit(0) != self.later_round.val();
        self.cull_bit_ports.bit_valid.next = self.of_round.val();
        self.cull_bit_ports.bit_order.next = self.head.q.val();
        self.cull_bit_ports.bit_shows.next = self.bits_kept.read_data.val().get_bit(1);
        // How many are kept.
        if self.triangle_event.valid.val() {
            self.tail.d.next = self.tail.q.val() + bits::<16>(1);
        }
        self.used.next = self.tail.q.val() - self.head.q.val();
        self.room_r.d.next = (self.used.val() < self.most.val()) || self.fault_cull_record.val();
        self.room.next = self.room_r.q.val();
    }
}
