//! Quads of the rasteriser that nobody sees are dropped here, before the depth test (HZ-13, HZ-20):
//! the level of pixels of the rasteriser's query. A quad goes if every sample that it covers is
//! strictly behind what Hi-Z knows of that sample, and its draw is of an opaque run of which
//! nothing later has changed the group. It is dropped whole: a program sees the coverage that it
//! would see without.
//!
//! ```text
//! cycle 0     a beat; bounds of its pixels are read
//! cycle 1     depths beside bounds
//! cycle 2     into the queue; with the quad's last beat it is known whether the quad stays
//! ```
//!
//! The queue has 16 beats. A quad that goes is taken back out of it before anybody has read it. So
//! one beat per cycle goes in and comes out; latency 3 cycles and the beats of the quad. `end` of a
//! triangle is never dropped. That a triangle is done in a tile (`in_done`) is told behind the
//! quads before it: a beat carries how many such tellings come before it.
//!
//! It can be wrong in a quad that is seen and goes, and in a tile that is told to be done while
//! quads of it are in the queue. Planted faults: `filter-level`, `filter-run`, `filter-uncovered`,
//! `filter-done`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::cell::AsyncRam;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::fields;
use crate::ports::{CullEventOut, QuadIn, QuadOut, StateWriteIn};
use crate::visibility::DrawClasses;

/// Beats of the queue.
const PLACES: usize = 16;

fields! {
    /// Whose quad a beat is of.
    trait BeatOwner: 32 {
        /// Context.
        beat_context: 4 @ 0,
        /// Place of the triangle's record.
        beat_handle: 12 @ 4,
        /// Order number.
        beat_order: 16 @ 16,
    }
}

fields! {
    /// Where it is.
    trait BeatPlace: 32 {
        /// In x, in units of two pixels.
        beat_x: 11 @ 0,
        /// In y.
        beat_y: 11 @ 11,
        /// Tile buffer.
        beat_buffer: 3 @ 22,
        /// Number of the sample.
        beat_sample: 3 @ 25,
        /// Covered lanes.
        beat_coverage: 4 @ 28,
    }
}

fields! {
    /// The rest of it, without depths.
    trait BeatRest: 10 {
        /// How often a triangle was done before it.
        beat_dones: 7 @ 0,
        /// No quad: the triangle's end.
        beat_end: bit @ 7,
        /// The triangle shows its back.
        beat_back: bit @ 8,
        /// The quad's last beat.
        beat_last: bit @ 9,
    }
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct QuadFilter {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state.
    pub state: StateWriteIn,
    /// A beat is offered. Held until `in_quad_ready`.
    pub in_quad: QuadIn,
    /// A triangle has given all its quads in a tile; in order, never before its last beat is taken.
    pub in_done: Signal<In, bool>,
    /// There is a beat.
    pub quad: QuadOut,
    /// A triangle has given all its quads in a tile; in order.
    pub tile_done: Signal<Out, bool>,
    // What Hi-Z knows of the beat at the port, a cycle later.
    /// The quad is known.
    pub known: Signal<In, bool>,
    /// Bound of lane i.
    pub bound: Vec<Signal<In, Bits<24>>>,
    /// Bounds are minima, inverted.
    pub bound_down: Signal<In, bool>,
    /// The run of the triangle that changed the group last.
    pub bound_run: Signal<In, Bits<13>>,
    /// Bounds may be newer than that: the group is resident.
    pub bound_resident: Signal<In, bool>,
    /// The run of the triangle, a cycle after the beat.
    pub run: Signal<In, Bits<13>>,
    /// The run of the triangle that Hi-Z learns of.
    pub newest_run: Signal<In, Bits<13>>,
    /// A quad is dropped.
    pub cull: CullEventOut,
    classes: DrawClasses,
    words: Vec<AsyncRam>,
    // Cycle 1.
    a_valid: DFF<bool>,
    a_done: DFF<bool>,
    a_owner: DFF<Bits<32>>,
    a_place: DFF<Bits<32>>,
    a_rest: DFF<Bits<10>>,
    a_depth: Vec<DFF<Bits<24>>>,
    // Cycle 2.
    b_valid: DFF<bool>,
    b_done: DFF<bool>,
    b_hidden: DFF<bool>,
    b_owner: DFF<Bits<32>>,
    b_place: DFF<Bits<32>>,
    b_rest: DFF<Bits<10>>,
    b_depth: Vec<DFF<Bits<24>>>,
    // The queue: the next place, the first place of the quad that comes, the beat that leaves.
    put: DFF<Bits<5>>,
    kept: DFF<Bits<5>>,
    take: DFF<Bits<5>>,
    /// All beats of the quad that comes are hidden, up to now.
    all_hidden: DFF<bool>,
    /// Triangles that were done and that no beat carries; those that the quad that comes carries.
    dones: DFF<Bits<7>>,
    carried: DFF<Bits<7>>,
    /// Those of the beat that leaves that have been told.
    dones_sent: DFF<Bits<7>>,
    used: Signal<Local, Bits<5>>,
    owner_now: Signal<Local, Bits<32>>,
    place_now: Signal<Local, Bits<32>>,
    rest_now: Signal<Local, Bits<10>>,
    near: Vec<Signal<Local, Bits<24>>>,
    shows: Signal<Local, Bits<4>>,
    of_run: Signal<Local, bool>,
    fits: Signal<Local, bool>,
    is_end: Signal<Local, bool>,
    starts: Signal<Local, bool>,
    hidden: Signal<Local, bool>,
    drops: Signal<Local, bool>,
    commits: Signal<Local, bool>,
    brings: Signal<Local, Bits<7>>,
    rest_new: Signal<Local, Bits<10>>,
    lost: Signal<Local, Bits<7>>,
    come: Signal<Local, Bits<7>>,
    empty: Signal<Local, bool>,
    alone: Signal<Local, bool>,
    head_owner: Signal<Local, Bits<32>>,
    head_place: Signal<Local, Bits<32>>,
    head_rest: Signal<Local, Bits<10>>,
    owes: Signal<Local, bool>,
    gives: Signal<Local, bool>,
    at: Signal<Local, Bits<6>>,
    from: Signal<Local, Bits<6>>,
    fault_filter_level: Planted,
    fault_filter_run: Planted,
    fault_filter_uncovered: Planted,
    fault_filter_done: Planted,
    _active: bool,
}

impl QuadFilter {
    /// For the contexts of that configuration, with its planted fault.
    pub fn new(config: &GpuConfig) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        let widths = [32, 32, 10, 24, 24, 24, 24];
        Self {
            bound: vector(4),
            classes: DrawClasses::new(config),
            words: widths.map(|width| AsyncRam::new(PLACES, width)).into(),
            a_depth: vector(4),
            b_depth: vector(4),
            near: vector(4),
            fault_filter_level: planted(Fault::FilterLevel),
            fault_filter_run: planted(Fault::FilterRun),
            fault_filter_uncovered: planted(Fault::FilterUncovered),
            fault_filter_done: planted(Fault::FilterDone),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl QuadFilter {
    /// A beat is taken while the queue has room for those on their way.
    fn intake(&mut self) {
        comment!("module: quad_filter");
        dff_setup!(self, clock, a_valid, a_done, a_owner, a_place, a_rest, b_valid, b_done, b_hidden, b_owner);
        dff_setup!(self, clock, b_place, b_rest, put, kept, take, all_hidden, dones, carried, dones_sent);
        clock!(self, clock, classes);
        StateWriteIn::link(&mut self.state, &mut self.classes.state);
        // Cycle 0. Three beats may be on their way.
        self.used.next = self.put.q.val() - self.take.q.val();
        self.in_quad.ready.next = self.used.val() <= bits::<5>(12);
        self.owner_now.next = bits::<32>(0);
        self.owner_now.next.set_value_beat_context(self.in_quad.context.val());
        self.owner_now.next.set_value_beat_handle(self.in_quad.handle.val());
        self.owner_now.next.set_value_beat_order(self.in_quad.order.val());
        self.place_now.next = bits::<32>(0);
        self.place_now.next.set_value_beat_x(self.in_quad.x.val());
        self.place_now.next.set_value_beat_y(self.in_quad.y.val());
        self.place_now.next.set_value_beat_buffer(self.in_quad.buffer.val());
        self.place_now.next.set_value_beat_sample(self.in_quad.sample.val());
        self.place_now.next.set_value_beat_coverage(self.in_quad.coverage.val());
        self.rest_now.next = bits::<10>(0);
        self.rest_now.next.set_value_beat_end(self.in_quad.end.val());
        self.rest_now.next.set_value_beat_back(self.in_quad.back.val());
        self.rest_now.next.set_value_beat_last(self.in_quad.last.val());
        self.a_valid.d.next = self.in_quad.valid.val() && (self.used.val() <= bits::<5>(12));
        self.a_done.d.next = self.in_done.val();
        self.a_owner.d.next = self.owner_now.val();
        self.a_place.d.next = self.place_now.val();
        self.a_rest.d.next = self.rest_now.val();
    }

    /// In cycle 1 it is found whether the beat is strictly behind.
    fn comparison(&mut self) {
        self.classes.context.next = self.a_owner.q.val().get_value_beat_context();
        self.shows.next = bits::<4>(0);
        for k in 0..4 {
            self.a_depth[k].clock.next = self.clock.val();
            self.a_depth[k].d.next = self.in_quad.depth[k].val();
            self.near[k].next = self.a_depth[k].q.val();
            if self.classes.class_ports.down.val() {
                self.near[k].next = !self.a_depth[k].q.val();
            }
            if (self.near[k].val() < self.bound[k].val())
                || ((self.near[k].val() == self.bound[k].val()) && !self.fault_filter_level.val())
            {
                self.shows.next = self.shows.val() | (bits::<4>(1) << k.to_bits::<4>());
            }
            self.b_depth[k].clock.next = self.clock.val();
            self.b_depth[k].d.next = self.a_depth[k].q.val();
        }
        self.of_run.next = (self.newest_run.val() == self.run.val())
            || ((self.bound_run.val() == self.run.val()) && !self.bound_resident.val())
            || self.fault_filter_run.val();
        self.fits.next = self.classes.opaque.val()
            && self.known.val()
            && (self.bound_down.val() == self.classes.class_ports.down.val())
            && self.of_run.val();
        self.b_hidden.d.next = self.fits.val()
            && (!(self.shows.val() & self.a_place.q.val().get_value_beat_coverage()).any()
                || (self.fault_filter_uncovered.val() && !self.shows.val().all()));
        self.b_valid.d.next = self.a_valid.q.val();
        self.b_done.d.next = self.a_done.q.val();
        self.b_owner.d.next = self.a_owner.q.val();
        self.b_place.d.next = self.a_place.q.val();
        self.b_rest.d.next = self.a_rest.q.val();
    }

    /// In cycle 2 a beat goes into the queue, and a hidden quad is taken back.
    fn queue_write(&mut self) {
        self.is_end.next = self.b_rest.q.val().get_value_beat_end();
        self.starts.next = self.is_end.val() || !self.b_place.q.val().get_value_beat_sample().any();
        self.hidden.next = self.b_hidden.q.val() && (self.starts.val() || self.all_hidden.q.val());
        self.drops.next = self.b_valid.q.val()
            && !self.is_end.val()
            && self.b_rest.q.val().get_value_beat_last()
            && self.hidden.val();
        self.commits.next = self.b_valid.q.val()
            && (self.is_end.val() || (self.b_rest.q.val().get_value_beat_last() && !self.hidden.val()));
        self.brings.next = bits::<7>(0);
        if self.starts.val() {
            self.brings.next = self.dones.q.val();
        }
        self.rest_new.next = self.b_rest.q.val();
        self.rest_new.next.set_value_beat_dones(self.brings.val());
        self.at.next = bit_cast::<6, 5>(self.put.q.val());
        self.from.next = bit_cast::<6, 5>(self.take.q.val());
        for w in 0..7 {
            clock!(self, clock, words[w]);
            self.words[w].write_enable.next = self.b_valid.q.val();
            self.words[w].write_address.next = self.at.val();
            self.words[w].read_address.next = self.from.val();
        }
        self.words[0].write_data.next = self.b_owner.q.val();
        self.words[1].write_data.next = self.b_place.q.val();
        self.words[2].write_data.next = bit_cast::<32, 10>(self.rest_new.val());
        self.words[3].write_data.next = bit_cast::<32, 24>(self.b_depth[0].q.val());
        self.words[4].write_data.next = bit_cast::<32, 24>(self.b_depth[1].q.val());
        self.words[5].write_data.next = bit_cast::<32, 24>(self.b_depth[2].q.val());
        self.words[6].write_data.next = bit_cast::<32, 24>(self.b_depth[3].q.val());
        if self.b_valid.q.val() {
            self.put.d.next = self.put.q.val() + bits::<5>(1);
            self.all_hidden.d.next = self.hidden.val();
        }
        if self.drops.val() {
            self.put.d.next = self.kept.q.val();
        }
        if self.commits.val() {
            self.kept.d.next = self.put.q.val() + bits::<5>(1);
        }
    }

    /// The oldest beat leaves when all reports due before it are made.
    fn queue_head(&mut self) {
        self.head_owner.next = self.words[0].read_data.val();
        self.head_place.next = self.words[1].read_data.val();
        self.head_rest.next = self.words[2].read_data.val().get_bits::<10>(0);
        self.empty.next = self.take.q.val() == self.kept.q.val();
        self.owes.next = !self.empty.val() && (self.dones_sent.q.val() != self.head_rest.val().get_value_beat_dones());
        self.gives.next = !self.empty.val() && !self.owes.val();
        if self.owes.val() {
            self.dones_sent.d.next = self.dones_sent.q.val() + bits::<7>(1);
        }
        if self.gives.val() && self.quad.ready.val() {
            self.take.d.next = self.take.q.val() + bits::<5>(1);
            self.dones_sent.d.next = bits::<7>(0);
        }
    }

    /// Triangles that are done are counted, and reported in order.
    fn done_reports(&mut self) {
        // Nothing is in the queue, and nothing goes into it.
        self.alone.next = self.empty.val()
            && (self.put.q.val() == self.kept.q.val())
            && !self.b_valid.q.val()
            && self.dones.q.val().any();
        self.lost.next = bits::<7>(0);
        if self.commits.val() {
            self.lost.next = self.carried.q.val();
            if self.starts.val() {
                self.lost.next = self.dones.q.val();
            }
        }
        if self.alone.val() {
            self.lost.next = bits::<7>(1);
        }
        if self.b_valid.q.val() && self.starts.val() {
            self.carried.d.next = self.dones.q.val();
        }
        self.come.next = bits::<7>(0);
        if self.b_done.q.val() && !self.fault_filter_done.val() {
            self.come.next = bits::<7>(1);
        }
        self.dones.d.next = (self.dones.q.val() - self.lost.val()) + self.come.val();
        self.tile_done.next =
            self.owes.val() || self.alone.val() || (self.in_done.val() && self.fault_filter_done.val());
    }

    /// The beat that leaves stands at the port.
    fn quad_port(&mut self) {
        self.quad.valid.next = self.gives.val();
        self.quad.end.next = self.head_rest.val().get_value_beat_end();
        self.quad.context.next = self.head_owner.val().get_value_beat_context();
        self.quad.handle.next = self.head_owner.val().get_value_beat_handle();
        self.quad.order.next = self.head_owner.val().get_value_beat_order();
        self.quad.back.next = self.head_rest.val().get_value_beat_back();
        self.quad.buffer.next = self.head_place.val().get_value_beat_buffer();
        self.quad.x.next = self.head_place.val().get_value_beat_x();
        self.quad.y.next = self.head_place.val().get_value_beat_y();
        self.quad.sample.next = self.head_place.val().get_value_beat_sample();
        self.quad.last.next = self.head_rest.val().get_value_beat_last();
        self.quad.coverage.next = self.head_place.val().get_value_beat_coverage();
        self.quad.depth[0].next = self.words[3].read_data.val().get_bits::<24>(0);
        self.quad.depth[1].next = self.words[4].read_data.val().get_bits::<24>(0);
        self.quad.depth[2].next = self.words[5].read_data.val().get_bits::<24>(0);
        self.quad.depth[3].next = self.words[6].read_data.val().get_bits::<24>(0);
    }

    /// The event says that a quad is dropped.
    fn cull_event(&mut self) {
        self.cull.valid.next = self.drops.val();
        self.cull.kind.next = bits::<2>(3);
        self.cull.order.next = self.b_owner.q.val().get_value_beat_order();
        self.cull.x.next = bit_cast::<12, 11>(self.b_place.q.val().get_value_beat_x()) << bits::<12>(1);
        self.cull.y.next = bit_cast::<12, 11>(self.b_place.q.val().get_value_beat_y()) << bits::<12>(1);
        self.cull.side.next = bits::<3>(0);
    }
}
