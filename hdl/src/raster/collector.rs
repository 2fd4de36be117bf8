//! Collector: puts the beats of a quad together, drops quads of which nothing is covered any more,
//! gives the others a ticket, and sends them to be shaded (docs/graphics-blocks.md, "Results").
//!
//! Tickets go round: the collector counts them itself, and takes beats only while the result store
//! has room. The store hears of each sample as it comes, at the place of the next ticket, and of
//! the quad when it is complete. What it heard of a dropped quad is written over by the next one.
//! A quad of a context without a fragment program needs no warp. It gets a ticket and is not sent.
//! A quad whose samples are shaded one by one is sent once for each sample with coverage, when it
//! is complete; its depths wait in a small RAM, and no beat is taken meanwhile. If its program
//! splits each is told the coverage of all samples.
//!
//! With `split_shape` such a quad of four samples may be sent once for each covered pixel instead,
//! with the depths of the pixel's samples. So that both ways of four depths are read in one cycle,
//! that of sample s and lane l stands in RAM (s + l) mod 4, at s (MS-41).
//!
//! The collector also knows when a tile has got all its quads: it counts those between the
//! rasteriser and itself for each tile buffer, and says of which there are some (`waiting`). A quad
//! that enters (`tile_enter`) is told in the cycle in which it is no longer counted.
//!
//! Latency 1 cycle from the last beat to the quad, throughput a beat per cycle. `ready` is made of
//! registers. Two places keep quads while nobody takes them.
//!
//! It can be wrong in coverage that belongs to the quad before, and in a tile that is closed while
//! a quad is on its way to it. Planted faults: `collector-*`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::state;
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::cell::AsyncRam;
use crate::config::{GpuConfig, SplitShape};
use crate::fault::Fault;
use crate::ports::{CollectedOut, QuadIn, ShadeOut, StateWriteIn};
use crate::raster::modes::ContextModes;
use crate::{comment, fields};

fields! {
    /// What a quad to be shaded is, without place, coverage and depths.
    pub(super) trait ShadeName: 38 {
        /// Context.
        shade_context: 4 @ 0,
        /// Place of the triangle's record.
        shade_handle: 12 @ 4,
        /// Order number.
        shade_order: 16 @ 16,
        /// Back.
        shade_back: bit @ 32,
        /// Tile buffer.
        shade_buffer: 3 @ 33,
        /// End of a triangle.
        shade_end: bit @ 36,
        /// Shaded for one sample.
        shade_single: bit @ 37,
    }
}

fields! {
    /// Where it is, and its ticket.
    pub(super) trait ShadePlace: 32 {
        /// Place in x.
        shade_x: 11 @ 0,
        /// Place in y.
        shade_y: 11 @ 11,
        /// Ticket.
        shade_ticket: 6 @ 22,
        /// The sample that it is shaded for.
        shade_sample: 2 @ 28,
        /// Its program splits.
        shade_splits: bit @ 30,
    }
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct Collector {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state: 3 and 6 of contexts.
    pub state: StateWriteIn,
    /// A beat comes from the early tests.
    pub quad: QuadIn,
    /// A quad, or the end of a triangle, is to be shaded.
    pub shade: ShadeOut,
    /// The result store has room for two more quads than those that have been collected.
    pub room: Signal<In, bool>,
    /// Quads and ends of triangles for the result store.
    pub collected: CollectedOut,
    /// The last beat of a quad leaves the rasteriser in this cycle.
    pub rastered: Signal<In, bool>,
    /// Tile buffer of that quad.
    pub rastered_buffer: Signal<In, Bits<3>>,
    /// Tile buffers of which quads are between the rasteriser and here.
    pub waiting: Signal<Out, Bits<8>>,
    /// A quad gets a ticket.
    pub tile_enter: Signal<Out, bool>,
    /// Tile buffer of that quad.
    pub tile_enter_buffer: Signal<Out, Bits<3>>,
    /// Nothing is here, or on its way from the rasteriser.
    pub idle: Signal<Out, bool>,
    modes: ContextModes,
    /// Whether a context has a fragment program.
    programs: AsyncRam,
    ticket: DFF<Bits<6>>,
    /// Coverage of the samples that have come, bit 4 * lane + sample.
    gathered: DFF<Bits<16>>,
    /// Samples of them with something covered.
    some: DFF<Bits<4>>,
    // What the result store is told.
    sample: DFF<bool>,
    keep: DFF<bool>,
    ends: DFF<bool>,
    out_ticket: DFF<Bits<6>>,
    number: DFF<Bits<2>>,
    lanes: DFF<Bits<4>>,
    out_name: DFF<Bits<38>>,
    out_place: DFF<Bits<32>>,
    out_depth: Vec<DFF<Bits<24>>>,
    warps: DFF<Bits<3>>,
    alone: DFF<bool>,
    enter: DFF<bool>,
    enter_buffer: DFF<Bits<3>>,
    // The quad that leaves, and the place behind it.
    valid_r: DFF<bool>,
    name_r: DFF<Bits<38>>,
    place_r: DFF<Bits<32>>,
    cover_r: DFF<Bits<16>>,
    depth_r: Vec<DFF<Bits<24>>>,
    spare: DFF<bool>,
    name_s: DFF<Bits<38>>,
    place_s: DFF<Bits<32>>,
    cover_s: DFF<Bits<16>>,
    depth_s: Vec<DFF<Bits<24>>>,
    // A quad whose samples are shaded one by one: depths by sample, and what is still to be sent.
    depths: Vec<AsyncRam>,
    left: DFF<Bits<4>>,
    name_l: DFF<Bits<38>>,
    place_l: DFF<Bits<32>>,
    cover_l: DFF<Bits<16>>,
    splits_l: DFF<bool>,
    // Warps of pixels: each is one or four, or none.
    /// The quad is sent by pixels; the one that is complete, and the one that is sent.
    turned: Vec<Signal<Local, bool>>,
    turned_l: Vec<DFF<bool>>,
    /// Pixels with something covered, and their number.
    pixels: Vec<Signal<Local, Bits<4>>>,
    pixel_count: Vec<Signal<Local, Bits<3>>>,
    /// Of each RAM of depths the place that is read, and what stands there.
    bank_at: Vec<Signal<Local, Bits<6>>>,
    bank: Vec<Signal<Local, Bits<24>>>,
    beat_sample: Vec<Signal<Local, Bits<2>>>,
    // Tiles.
    /// Quads between the rasteriser and here, of each tile buffer.
    between: Vec<DFF<Bits<8>>>,
    take: Signal<Local, bool>,
    spread: Signal<Local, Bits<16>>,
    now: Signal<Local, Bits<16>>,
    samples: Signal<Local, Bits<4>>,
    covered: Signal<Local, bool>,
    complete: Signal<Local, bool>,
    kept: Signal<Local, bool>,
    /// Samples that are covered somewhere; warps of the quad.
    sample_count: Signal<Local, Bits<3>>,
    count: Signal<Local, Bits<3>>,
    runs: Signal<Local, bool>,
    name: Signal<Local, Bits<38>>,
    place: Signal<Local, Bits<32>>,
    several: Signal<Local, bool>,
    splits: Signal<Local, bool>,
    which: Signal<Local, Bits<2>>,
    next_name: Signal<Local, Bits<38>>,
    next_place: Signal<Local, Bits<32>>,
    next_cover: Signal<Local, Bits<16>>,
    next_depth: Vec<Signal<Local, Bits<24>>>,
    sends: Signal<Local, bool>,
    moves: Signal<Local, bool>,
    /// By tile buffer: a quad of it comes from the rasteriser; one is complete here.
    comes: Vec<Signal<Local, bool>>,
    goes: Vec<Signal<Local, bool>>,
    fault_collector_drop: Planted,
    fault_collector_stale: Planted,
    fault_collector_ticket: Planted,
    fault_collector_room: Planted,
    fault_collector_close_early: Planted,
    fault_collector_enter: Planted,
    fault_collector_end_lost: Planted,
    fault_collector_bypass: Planted,
    fault_collector_warps: Planted,
    fault_shape_depth: Vec<Planted>,
    fault_shape_count: Vec<Planted>,
    fault_shape_choice: Vec<Planted>,
    _turns: usize,
    /// 1: what makes fewer warps.
    _either: bool,
    _groups: bool,
    _active: bool,
}

impl Collector {
    /// At rest, with the planted faults of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        let turns = usize::from(config.turns());
        Self {
            turned: vector(turns),
            turned_l: vector(turns),
            pixels: vector(turns),
            pixel_count: vector(turns),
            comes: vector(8),
            goes: vector(8),
            bank_at: vector(4 * turns),
            bank: vector(4 * turns),
            beat_sample: vector(turns),
            fault_shape_depth: config.of_turning(Fault::ShapeDepth),
            fault_shape_count: config.of_turning(Fault::ShapeCount),
            fault_shape_choice: config.of_turning(Fault::ShapeChoice),
            _turns: turns,
            _either: config.turns() && config.split_shape == SplitShape::Either,
            modes: ContextModes::new(config),
            programs: AsyncRam::new(config.contexts, 1),
            out_depth: vector(4),
            depth_r: vector(4),
            depth_s: vector(4),
            depths: (0..4).map(|_| AsyncRam::new(4, 24)).collect(),
            next_depth: vector(4),
            between: vector(8),
            fault_collector_drop: planted(Fault::CollectorDrop),
            fault_collector_stale: planted(Fault::CollectorStale),
            fault_collector_ticket: planted(Fault::CollectorTicket),
            fault_collector_room: planted(Fault::CollectorRoom),
            fault_collector_close_early: planted(Fault::CollectorCloseEarly),
            fault_collector_enter: planted(Fault::CollectorEnter),
            fault_collector_end_lost: planted(Fault::CollectorEndLost),
            fault_collector_bypass: planted(Fault::CollectorBypass),
            fault_collector_warps: planted(Fault::CollectorWarps),
            _groups: config.splits(),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl Collector {
    /// Clocks, state, and whether a beat is taken.
    fn take(&mut self) {
        comment!("module: collector");
        clock!(self, clock, modes, programs);
        StateWriteIn::link(&mut self.state, &mut self.modes.state);
        self.modes.context.next = self.quad.context.val();
        self.programs.write_enable.next = self.state.valid.val()
            && !self.state.pass.val()
            && (self.state.word.val() == bits::<6>(state::FRAGMENT_LENGTH));
        self.programs.write_address.next = bit_cast::<6, 4>(self.state.context.val());
        self.programs.write_data.next = bits::<32>(0);
        if self.state.data.val().any() {
            self.programs.write_data.next = bits::<32>(1);
        }
        self.programs.read_address.next = bit_cast::<6, 4>(self.quad.context.val());
        self.runs.next = self.programs.read_data.val().get_bit(0);
        self.several.next = self.left.q.val().any();
        self.quad.ready.next =
            !self.spare.q.val() && !self.several.val() && (self.room.val() || self.fault_collector_room.val());
        self.take.next = self.quad.valid.val()
            && !self.spare.q.val()
            && !self.several.val()
            && (self.room.val() || self.fault_collector_room.val());
    }

    /// Coverage of the quad is put together, and a quad that is kept gets a ticket.
    fn gather(&mut self) {
        dff_setup!(self, clock, gathered, some, ticket);
        // A lane's bits are at its place times four, a sample's within.
        self.spread.next = bits::<16>(0);
        for k in 0..4 {
            if self.quad.coverage.val().get_bit(k) {
                self.spread.next = self.spread.val() | (bits::<16>(1) << (4 * k).to_bits::<4>());
            }
        }
        self.now.next = self.gathered.q.val() | (self.spread.val() << self.quad.sample.val());
        self.samples.next = self.some.q.val();
        if self.quad.coverage.val().any() {
            self.samples.next = self.some.q.val() | (bits::<4>(1) << self.quad.sample.val());
        }
        self.covered.next = self.now.val().any();
        if self.fault_collector_drop.val() {
            self.covered.next = self.samples.val().get_bit(0);
        }
        self.complete.next = self.take.val() && !self.quad.end.val() && self.quad.last.val();
        self.kept.next = self.complete.val() && self.covered.val();
        if self.take.val() && !self.quad.end.val() {
            self.gathered.d.next = self.now.val();
            self.some.d.next = self.samples.val();
        }
        if self.complete.val() {
            if !self.fault_collector_stale.val() {
                self.gathered.d.next = bits::<16>(0);
            }
            self.some.d.next = bits::<4>(0);
        }
        if self.kept.val() || (self.complete.val() && self.fault_collector_ticket.val()) {
            self.ticket.d.next = self.ticket.q.val() + bits::<6>(1);
        }
    }

    /// Warps of the quad are counted: one, or one for each sample or pixel.
    fn warp_count(&mut self) {
        // Warps: one, or one for each sample that is covered somewhere.
        self.sample_count.next = bits::<3>(0);
        for i in 0..4 {
            if self.samples.val().get_bit(i) || self.fault_collector_warps.val() {
                self.sample_count.next = self.sample_count.val() + bits::<3>(1);
            }
        }
        self.count.next = self.sample_count.val();
        // Or one for each covered pixel.
        for t in 0..self._turns {
            self.pixels[t].next = bits::<4>(0);
            for i in 0..4 {
                if self.now.val().get_bits::<4>(4 * i).any() {
                    self.pixels[t].next = self.pixels[t].val() | (bits::<4>(1) << i.to_bits::<4>());
                }
            }
            self.pixel_count[t].next = bits::<3>(0);
            for i in 0..4 {
                if self.pixels[t].val().get_bit(i) {
                    self.pixel_count[t].next = self.pixel_count[t].val() + bits::<3>(1);
                }
            }
            self.turned[t].next = self.modes.single.val()
                && self.modes.splits.val()
                && self.modes.apart[t].val()
                && (self.modes.last_sample.val() == bits::<2>(3));
            if self._either {
                if (self.pixel_count[t].val() >= self.sample_count.val()) && !self.fault_shape_choice[t].val() {
                    self.turned[t].next = false;
                }
            }
            if self.turned[t].val() && !self.fault_shape_count[t].val() {
                self.count.next = self.pixel_count[t].val();
            }
        }
        if !self.modes.single.val() {
            self.count.next = bits::<3>(1);
        }
        if !self.runs.val() {
            self.count.next = bits::<3>(0);
        }
    }

    /// The report to the result store goes into registers.
    fn report_registers(&mut self) {
        dff_setup!(
            self,
            clock,
            sample,
            keep,
            ends,
            out_ticket,
            number,
            lanes,
            out_name,
            out_place,
            warps,
            alone,
            enter,
            enter_buffer
        );
        self.name.next = bits::<38>(0);
        self.name.next.set_value_shade_context(self.quad.context.val());
        self.name.next.set_value_shade_handle(self.quad.handle.val());
        self.name.next.set_value_shade_order(self.quad.order.val());
        self.name.next.set_value_shade_back(self.quad.back.val());
        self.name.next.set_value_shade_buffer(self.quad.buffer.val());
        self.name.next.set_value_shade_end(self.quad.end.val());
        self.place.next = bits::<32>(0);
        self.place.next.set_value_shade_x(self.quad.x.val());
        self.place.next.set_value_shade_y(self.quad.y.val());
        self.place.next.set_value_shade_ticket(self.ticket.q.val());
        // The centre's beat of four samples would be sample 4; of two it is kept and never read.
        self.sample.d.next = self.take.val() && !self.quad.end.val() && !self.quad.sample.val().get_bit(2);
        self.keep.d.next = self.kept.val();
        self.ends.d.next = self.take.val() && self.quad.end.val() && !self.fault_collector_end_lost.val();
        self.out_ticket.d.next = self.ticket.q.val();
        self.number.d.next = self.quad.sample.val().get_bits::<2>(0);
        self.lanes.d.next = self.quad.coverage.val();
        self.out_name.d.next = self.name.val();
        self.out_place.d.next = self.place.val();
        self.warps.d.next = self.count.val();
        self.alone.d.next = self.modes.single.val();
        self.enter.d.next = self.kept.val() || (self.complete.val() && self.fault_collector_enter.val());
        self.enter_buffer.d.next = self.quad.buffer.val();
    }

    /// The registered report stands at the result store's port.
    fn report_port(&mut self) {
        self.collected.sample.next = self.sample.q.val();
        self.collected.keep.next = self.keep.q.val();
        self.collected.end.next = self.ends.q.val();
        self.collected.ticket.next = self.out_ticket.q.val();
        self.collected.number.next = self.number.q.val();
        self.collected.lanes.next = self.lanes.q.val();
        self.collected.context.next = self.out_name.q.val().get_value_shade_context();
        self.collected.handle.next = self.out_name.q.val().get_value_shade_handle();
        self.collected.order.next = self.out_name.q.val().get_value_shade_order();
        self.collected.back.next = self.out_name.q.val().get_value_shade_back();
        self.collected.buffer.next = self.out_name.q.val().get_value_shade_buffer();
        self.collected.x.next = self.out_place.q.val().get_value_shade_x();
        self.collected.y.next = self.out_place.q.val().get_value_shade_y();
        self.collected.warps.next = self.warps.q.val();
        self.collected.alone.next = self.alone.q.val();
        for k in 0..4 {
            self.out_depth[k].clock.next = self.clock.val();
            self.out_depth[k].d.next = self.quad.depth[k].val();
            self.collected.depth[k].next = self.out_depth[k].q.val();
        }
        self.tile_enter.next = self.enter.q.val();
        self.tile_enter_buffer.next = self.enter_buffer.q.val();
    }

    /// A quad that is sent several times is kept, with what is left to be sent.
    fn split(&mut self) {
        dff_setup!(self, clock, left, name_l, place_l, cover_l, splits_l);
        self.splits.next = self.kept.val() && self.runs.val() && self.modes.single.val();
        self.which.next = bits::<2>(3);
        if self.left.q.val().get_bit(2) {
            self.which.next = bits::<2>(2);
        }
        if self.left.q.val().get_bit(1) {
            self.which.next = bits::<2>(1);
        }
        if self.left.q.val().get_bit(0) {
            self.which.next = bits::<2>(0);
        }
        if self.several.val() && !self.spare.q.val() {
            self.left.d.next = self.left.q.val() & (self.left.q.val() - bits::<4>(1));
        }
        if self.splits.val() {
            self.left.d.next = self.samples.val();
            self.name_l.d.next = self.name.val();
            self.place_l.d.next = self.place.val();
            self.cover_l.d.next = self.now.val();
            self.splits_l.d.next = self.modes.splits.val();
        }
        for t in 0..self._turns {
            dff_setup!(self, clock, turned_l[t]);
            if self.splits.val() {
                self.turned_l[t].d.next = self.turned[t].val();
                if self.turned[t].val() {
                    self.left.d.next = self.pixels[t].val();
                }
            }
        }
    }

    /// The quad that comes is given, or one sample or pixel of the one that is kept.
    fn given_quad(&mut self) {
        self.next_name.next = self.name.val();
        self.next_place.next = self.place.val();
        self.next_cover.next = self.now.val();
        if self.several.val() {
            self.next_name.next = self.name_l.q.val();
            self.next_name.next.set_value_shade_single(true);
            self.next_place.next = self.place_l.q.val();
            self.next_place.next.set_value_shade_sample(self.which.val());
            self.next_cover.next = self.cover_l.q.val() & (bits::<16>(0x1111) << self.which.val());
            if self._groups {
                if self.splits_l.q.val() {
                    self.next_cover.next = self.cover_l.q.val();
                    self.next_place.next.set_value_shade_splits(true);
                }
            }
            // A quad that splits and is of no one sample is of one pixel.
            for t in 0..self._turns {
                if self.turned_l[t].q.val() {
                    self.next_name.next.set_value_shade_single(false);
                }
            }
        }
    }

    /// Depths of the samples are written into four RAMs, turned by the sample.
    fn depth_write(&mut self) {
        for k in 0..4 {
            clock!(self, clock, depths[k]);
            self.depths[k].write_enable.next = self.take.val() && !self.quad.sample.val().get_bit(2);
            self.depths[k].write_address.next = bit_cast::<6, 3>(self.quad.sample.val());
            self.depths[k].read_address.next = bit_cast::<6, 2>(self.which.val());
            self.next_depth[k].next = self.quad.depth[k].val();
            if self.several.val() {
                self.next_depth[k].next = self.depths[k].read_data.val().get_bits::<24>(0);
            }
        }
        self.depths[0].write_data.next = bit_cast::<32, 24>(self.quad.depth[0].val());
        self.depths[1].write_data.next = bit_cast::<32, 24>(self.quad.depth[1].val());
        self.depths[2].write_data.next = bit_cast::<32, 24>(self.quad.depth[2].val());
        self.depths[3].write_data.next = bit_cast::<32, 24>(self.quad.depth[3].val());
        for t in 0..self._turns {
            self.beat_sample[t].next = self.quad.sample.val().get_bits::<2>(0);
            if self.beat_sample[t].val() == bits::<2>(1) {
                self.depths[0].write_data.next = bit_cast::<32, 24>(self.quad.depth[3].val());
                self.depths[1].write_data.next = bit_cast::<32, 24>(self.quad.depth[0].val());
                self.depths[2].write_data.next = bit_cast::<32, 24>(self.quad.depth[1].val());
                self.depths[3].write_data.next = bit_cast::<32, 24>(self.quad.depth[2].val());
            }
            if self.beat_sample[t].val() == bits::<2>(2) {
                self.depths[0].write_data.next = bit_cast::<32, 24>(self.quad.depth[2].val());
                self.depths[1].write_data.next = bit_cast::<32, 24>(self.quad.depth[3].val());
                self.depths[2].write_data.next = bit_cast::<32, 24>(self.quad.depth[0].val());
                self.depths[3].write_data.next = bit_cast::<32, 24>(self.quad.depth[1].val());
            }
            if self.beat_sample[t].val() == bits::<2>(3) {
                self.depths[0].write_data.next = bit_cast::<32, 24>(self.quad.depth[1].val());
                self.depths[1].write_data.next = bit_cast::<32, 24>(self.quad.depth[2].val());
                self.depths[2].write_data.next = bit_cast::<32, 24>(self.quad.depth[3].val());
                self.depths[3].write_data.next = bit_cast::<32, 24>(self.quad.depth[0].val());
            }
        }
    }

    /// Depths of a sample or of a pixel are read, and turned back.
    fn depth_read(&mut self) {
        for t in 0..self._turns {
            for k in 0..4 {
                self.bank_at[k].next = bit_cast::<6, 2>(self.which.val());
            }
            if self.turned_l[t].q.val() && !self.fault_shape_depth[t].val() {
                self.bank_at[0].next = (bits::<6>(4) - bit_cast::<6, 2>(self.which.val())) & bits::<6>(3);
                self.bank_at[1].next = (bits::<6>(5) - bit_cast::<6, 2>(self.which.val())) & bits::<6>(3);
                self.bank_at[2].next = (bits::<6>(6) - bit_cast::<6, 2>(self.which.val())) & bits::<6>(3);
                self.bank_at[3].next = (bits::<6>(7) - bit_cast::<6, 2>(self.which.val())) & bits::<6>(3);
            }
            for k in 0..4 {
                self.depths[k].read_address.next = self.bank_at[k].val();
                self.bank[k].next = self.depths[k].read_data.val().get_bits::<24>(0);
            }
            if self.several.val() && (self.which.val() == bits::<2>(1)) {
                self.next_depth[0].next = self.bank[1].val();
                self.next_depth[1].next = self.bank[2].val();
                self.next_depth[2].next = self.bank[3].val();
                self.next_depth[3].next = self.bank[0].val();
            }
            if self.several.val() && (self.which.val() == bits::<2>(2)) {
                self.next_depth[0].next = self.bank[2].val();
                self.next_depth[1].next = self.bank[3].val();
                self.next_depth[2].next = self.bank[0].val();
                self.next_depth[3].next = self.bank[1].val();
            }
            if self.several.val() && (self.which.val() == bits::<2>(3)) {
                self.next_depth[0].next = self.bank[3].val();
                self.next_depth[1].next = self.bank[0].val();
                self.next_depth[2].next = self.bank[1].val();
                self.next_depth[3].next = self.bank[2].val();
            }
        }
    }

    /// The quad to be shaded.
    fn give(&mut self) {
        dff_setup!(self, clock, valid_r, name_r, place_r, cover_r, spare, name_s, place_s, cover_s);
        self.sends.next =
            (self.kept.val() && !self.splits.val() && (self.runs.val() || self.fault_collector_bypass.val()))
                || (self.take.val() && self.quad.end.val())
                || (self.several.val() && !self.spare.q.val());
        self.moves.next = self.shade.ready.val() || !self.valid_r.q.val();
        if self.moves.val() {
            self.valid_r.d.next = self.sends.val() || self.spare.q.val();
            self.spare.d.next = false;
            self.name_r.d.next = self.next_name.val();
            self.place_r.d.next = self.next_place.val();
            self.cover_r.d.next = self.next_cover.val();
            if self.spare.q.val() {
                self.name_r.d.next = self.name_s.q.val();
                self.place_r.d.next = self.place_s.q.val();
                self.cover_r.d.next = self.cover_s.q.val();
            }
        } else if self.sends.val() {
            self.spare.d.next = true;
        }
        if !self.spare.q.val() {
            self.name_s.d.next = self.next_name.val();
            self.place_s.d.next = self.next_place.val();
            self.cover_s.d.next = self.next_cover.val();
        }
        for k in 0..4 {
            self.depth_r[k].clock.next = self.clock.val();
            self.depth_s[k].clock.next = self.clock.val();
            self.depth_r[k].d.next = self.depth_r[k].q.val();
            self.depth_s[k].d.next = self.depth_s[k].q.val();
            if self.moves.val() {
                self.depth_r[k].d.next = self.next_depth[k].val();
                if self.spare.q.val() {
                    self.depth_r[k].d.next = self.depth_s[k].q.val();
                }
            }
            if !self.spare.q.val() {
                self.depth_s[k].d.next = self.next_depth[k].val();
            }
            self.shade.depth[k].next = self.depth_r[k].q.val();
        }
        self.shade.valid.next = self.valid_r.q.val();
        self.shade.end.next = self.name_r.q.val().get_value_shade_end();
        self.shade.context.next = self.name_r.q.val().get_value_shade_context();
        self.shade.handle.next = self.name_r.q.val().get_value_shade_handle();
        self.shade.order.next = self.name_r.q.val().get_value_shade_order();
        self.shade.back.next = self.name_r.q.val().get_value_shade_back();
        self.shade.buffer.next = self.name_r.q.val().get_value_shade_buffer();
        self.shade.single.next = self.name_r.q.val().get_value_shade_single();
        self.shade.sample.next = self.place_r.q.val().get_value_shade_sample();
        self.shade.splits.next = self.place_r.q.val().get_value_shade_splits();
        self.shade.x.next = self.place_r.q.val().get_value_shade_x();
        self.shade.y.next = self.place_r.q.val().get_value_shade_y();
        self.shade.ticket.next = self.place_r.q.val().get_value_shade_ticket();
        self.shade.coverage.next = self.cover_r.q.val();
    }

    /// Quads that a tile still has to come.
    fn tiles(&mut self) {
        self.waiting.next = bits::<8>(0);
        self.idle.next = !self.valid_r.q.val()
            && !self.spare.q.val()
            && !self.several.val()
            && !self.keep.q.val()
            && !self.ends.q.val();
        for i in 0..8 {
            dff_setup!(self, clock, between[i]);
            self.comes[i].next = self.rastered.val() && (self.rastered_buffer.val() == i.to_bits::<3>());
            self.goes[i].next = self.complete.val() && (self.quad.buffer.val() == i.to_bits::<3>());
            if self.comes[i].val() && !self.goes[i].val() {
                self.between[i].d.next = self.between[i].q.val() + bits::<8>(1);
            }
            if !self.comes[i].val() && self.goes[i].val() {
                self.between[i].d.next = self.between[i].q.val() - bits::<8>(1);
            }
            if self.between[i].q.val().any() {
                self.idle.next = false;
                if !self.fault_collector_close_early.val() {
                    self.waiting.next = self.waiting.val() | (bits::<8>(1) << i.to_bits::<3>());
                }
            }
        }
    }
}
