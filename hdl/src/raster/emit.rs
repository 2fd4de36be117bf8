//! Last part of the rasteriser: rows of quads wait in a queue of 16; their quads leave one by one,
//! each with a beat for every sample and, if there is more than one, a beat for the centre. Then
//! the `end` of a triangle, if the row says it. A row without quads and without `end` only marks
//! that a tile is done. It leaves the queue beside the quads of the row before; behind a row of one
//! beat it takes a cycle.
//!
//! ```text
//! cycle 0     next quad and sample of the row; its depth, from that of the row's first pixel
//! cycle 1     depths of the four lanes
//! cycle 2     held between the bounds, into the registers of the port
//! ```
//!
//! A beat in every cycle while rows wait. A row is taken out in the cycle in which the last beat of
//! the one before begins. If a beat is not taken all cycles stand still; only the queue fills.
//!
//! It can be wrong in the facts of depth, which are taken with the first row of a triangle in a
//! tile and must stay until its last beat, and in a queue that overflows: `room` leaves four places
//! for the two rows that are on their way.
//!
//! Planted faults: `raster-clamp`, `raster-no-centre`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::cell::{DepthClamp, DepthOffsets, LaneDepths, SampleDepth, SamplePlace};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::fields;
use crate::memory::LutRam;
use crate::ports::{DepthFactsIn, QuadCorners, QuadOut, QuadOwner, QuadRowIn};

/// Words of a row in the queue.
const WORDS: usize = 5;

fields! {
    /// Word 1 of a row in the queue; word 0 is bits 31:0 of its depth.
    trait RowHead: 32 {
        /// Depth, bits 46:32; the rest is in word 4.
        z_high: 15 @ 0,
        /// First quad in x.
        x: 11 @ 15,
        /// Quads that have a covered sample.
        filled: 4 @ 26,
        /// The facts of depth are new.
        fresh: bit @ 30,
        /// The triangle's last row.
        end: bit @ 31,
    }
}

fields! {
    /// Word 2 of a row in the queue. Word 3 has samples 1 and 2, word 4 sample 3
    /// and bits 54:47 of the depth.
    trait RowPlace: 32 {
        /// Place in y.
        y: 11 @ 0,
        /// The triangle's last row in the tile.
        last: bit @ 11,
        /// Coverage of sample 0.
        cover: 16 @ 16,
    }
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct RasterEmit {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// There is a row; it is taken.
    pub row: QuadRowIn,
    /// There is a place for four rows.
    pub room: Signal<Out, bool>,
    /// Facts of the depths of the first row that is fresh and waits.
    pub in_facts: DepthFactsIn,
    /// They are taken in this cycle.
    pub facts_taken: Signal<Out, bool>,
    /// There is a beat.
    pub quad: QuadOut,
    /// Entry of corner i of its triangle in the attribute store.
    pub quad_vertex: Vec<Signal<Out, Bits<12>>>,
    /// A triangle has given all its quads in a tile; in order of triangles and tiles.
    pub tile_done: Signal<Out, bool>,
    queue: Vec<LutRam>,
    offsets: DepthOffsets,
    sample_place: SamplePlace,
    sample_depth: SampleDepth,
    lane_depths: LaneDepths,
    clamp: Vec<DepthClamp>,
    head: DFF<Bits<4>>,
    tail: DFF<Bits<4>>,
    count: DFF<Bits<5>>,
    // The row whose quads leave.
    busy: DFF<bool>,
    z: DFF<Bits<55>>,
    x: DFF<Bits<11>>,
    y: DFF<Bits<11>>,
    filled: DFF<Bits<4>>,
    cover: Vec<DFF<Bits<16>>>,
    last_row: DFF<bool>,
    /// Marks behind the row that have left the queue already.
    marks: DFF<Bits<3>>,
    ends: DFF<bool>,
    beat: DFF<Bits<3>>,
    // Facts of its depths.
    gx: DFF<Bits<55>>,
    gy: DFF<Bits<55>>,
    triple: DFF<Bits<55>>,
    u: DFF<Bits<55>>,
    v: DFF<Bits<55>>,
    w: DFF<Bits<55>>,
    low: DFF<Bits<24>>,
    high: DFF<Bits<24>>,
    owner: DFF<Bits<36>>,
    corners: DFF<Bits<36>>,
    samples: DFF<Bits<2>>,
    // Cycle 1.
    valid1: DFF<bool>,
    done1: DFF<Bits<3>>,
    end1: DFF<bool>,
    x1: DFF<Bits<11>>,
    y1: DFF<Bits<11>>,
    sample1: DFF<Bits<3>>,
    last1: DFF<bool>,
    cover1: DFF<Bits<4>>,
    value1: DFF<Bits<55>>,
    gx1: DFF<Bits<55>>,
    gy1: DFF<Bits<55>>,
    w1: DFF<Bits<55>>,
    low1: DFF<Bits<24>>,
    high1: DFF<Bits<24>>,
    owner1: DFF<Bits<36>>,
    corners1: DFF<Bits<36>>,
    // Cycle 2.
    valid2: DFF<bool>,
    done2: DFF<Bits<3>>,
    end2: DFF<bool>,
    x2: DFF<Bits<11>>,
    y2: DFF<Bits<11>>,
    sample2: DFF<Bits<3>>,
    last2: DFF<bool>,
    cover2: DFF<Bits<4>>,
    lane2: Vec<DFF<Bits<37>>>,
    low2: DFF<Bits<24>>,
    high2: DFF<Bits<24>>,
    owner2: DFF<Bits<36>>,
    corners2: DFF<Bits<36>>,
    // The beat at the port.
    valid3: DFF<bool>,
    done3: DFF<Bits<3>>,
    /// Tiles that are done and not told.
    dones_pending: DFF<Bits<6>>,
    end3: DFF<bool>,
    x3: DFF<Bits<11>>,
    y3: DFF<Bits<11>>,
    sample3: DFF<Bits<3>>,
    last3: DFF<bool>,
    cover3: DFF<Bits<4>>,
    depth3: Vec<DFF<Bits<24>>>,
    owner3: DFF<Bits<36>>,
    corners3: DFF<Bits<36>>,
    go: Signal<Local, bool>,
    head_word: Signal<Local, Bits<32>>,
    place_word: Signal<Local, Bits<32>>,
    new_head: Signal<Local, Bits<32>>,
    new_place: Signal<Local, Bits<32>>,
    pop: Signal<Local, bool>,
    /// The first row in the queue only says that a tile is done, and leaves beside the row before.
    absorb: Signal<Local, bool>,
    /// A row leaves the queue.
    leave: Signal<Local, bool>,
    fresh_now: Signal<Local, bool>,
    done_now: Signal<Local, Bits<3>>,
    dones_left: Signal<Local, Bits<6>>,
    /// No quad is left: the beat is the `end`, or there is none.
    is_end: Signal<Local, bool>,
    /// Its number in the row.
    number: Signal<Local, Bits<2>>,
    /// The same for the depth; with one signal a process would go from the depth to itself.
    depth_number: Signal<Local, Bits<2>>,
    left: Signal<Local, Bits<4>>,
    last_beat: Signal<Local, bool>,
    finished: Signal<Local, bool>,
    covered: Signal<Local, Bits<16>>,
    lanes: Signal<Local, Bits<4>>,
    fault_raster_clamp: Planted,
    fault_raster_no_centre: Planted,
    _words: usize,
    _active: bool,
}

impl RasterEmit {
    /// The part with that configuration's planted fault.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            quad_vertex: vector(3),
            queue: vector(WORDS),
            clamp: vector(4),
            cover: vector(4),
            lane2: vector(4),
            depth3: vector(4),
            fault_raster_clamp: Planted::new(config.has(Fault::RasterClamp)),
            fault_raster_no_centre: Planted::new(config.has(Fault::RasterNoCentre)),
            _words: WORDS,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl RasterEmit {
    /// Every register keeps what it has.
    fn registers(&mut self) {
        comment!("module: raster_emit");
        dff_setup!(self, clock, head, tail, count, busy, z, x, y, filled, last_row, ends, beat);
        dff_setup!(self, clock, gx, gy, triple, u, v, w, low, high, owner, corners, samples);
        dff_setup!(
            self, clock, valid1, end1, x1, y1, sample1, last1, cover1, value1, gx1, gy1, w1, low1, high1, owner1,
            corners1
        );
        dff_setup!(self, clock, valid2, end2, x2, y2, sample2, last2, cover2, low2, high2, owner2, corners2);
        dff_setup!(self, clock, done1, done2, done3, dones_pending, marks);
        dff_setup!(self, clock, valid3, end3, x3, y3, sample3, last3, cover3, owner3, corners3);
        for s in 0..4 {
            dff_setup!(self, clock, cover[s], lane2[s], depth3[s]);
        }
    }

    /// Rows are written to the queue, and the first one is read.
    fn row_queue(&mut self) {
        self.new_head.next = bits::<32>(0);
        self.new_head.next.set_value_z_high(self.row.z.val().get_bits::<15>(32));
        self.new_head.next.set_value_x(self.row.x.val());
        self.new_head.next.set_value_filled(self.row.filled.val());
        self.new_head.next.set_value_fresh(self.row.fresh.val());
        self.new_head.next.set_value_end(self.row.end.val());
        self.new_place.next = bits::<32>(0);
        self.new_place.next.set_value_y(self.row.y.val());
        self.new_place.next.set_value_last(self.row.last.val());
        self.new_place.next.set_value_cover(self.row.cover[0].val());
        for k in 0..self._words {
            clock!(self, clock, queue[k]);
            self.queue[k].write_enable.next = self.row.valid.val();
            self.queue[k].write_address.next = self.tail.q.val();
            self.queue[k].read_address.next = self.head.q.val();
        }
        self.queue[0].write_data.next = self.row.z.val().get_bits::<32>(0);
        self.queue[1].write_data.next = self.new_head.val();
        self.queue[2].write_data.next = self.new_place.val();
        self.queue[3].write_data.next = bit_cast::<32, 16>(self.row.cover[1].val())
            | (bit_cast::<32, 16>(self.row.cover[2].val()) << bits::<32>(16));
        self.queue[4].write_data.next = bit_cast::<32, 16>(self.row.cover[3].val())
            | (bit_cast::<32, 8>(self.row.z.val().get_bits::<8>(47)) << bits::<32>(16));
        self.head_word.next = self.queue[1].read_data.val();
        self.place_word.next = self.queue[2].read_data.val();
        self.room.next = self.count.q.val() < bits::<5>(12);
    }

    /// The next quad of the row has a beat, which may be its last one.
    fn beat_choice(&mut self) {
        // The beat of the row, and whether it is its last one.
        self.go.next = !self.valid3.q.val() || self.quad.ready.val();
        self.is_end.next = !self.filled.q.val().any();
        self.number.next = bits::<2>(3);
        self.depth_number.next = bits::<2>(3);
        if self.filled.q.val().get_bit(2) {
            self.number.next = bits::<2>(2);
            self.depth_number.next = bits::<2>(2);
        }
        if self.filled.q.val().get_bit(1) {
            self.number.next = bits::<2>(1);
            self.depth_number.next = bits::<2>(1);
        }
        if self.filled.q.val().get_bit(0) {
            self.number.next = bits::<2>(0);
            self.depth_number.next = bits::<2>(0);
        }
        self.left.next = self.filled.q.val() & (self.filled.q.val() - bits::<4>(1));
        self.last_beat.next = self.beat.q.val() == bits::<3>(4);
        if self.samples.q.val() == bits::<2>(0) {
            self.last_beat.next = true;
        }
        if self.samples.q.val() == bits::<2>(1) {
            self.last_beat.next = self.beat.q.val() == bits::<3>(2);
        }
        if self.fault_raster_no_centre.val() && (self.beat.q.val() == bits::<3>(3)) {
            self.last_beat.next = true;
        }
    }

    /// A row leaves when the last beat of the one before begins, or beside it.
    fn row_end(&mut self) {
        self.finished.next =
            self.is_end.val() || (self.last_beat.val() && !self.left.val().any() && !self.ends.q.val());
        self.pop.next = self.count.q.val().any() && (!self.busy.q.val() || (self.go.val() && self.finished.val()));
        self.absorb.next = self.count.q.val().any()
            && self.busy.q.val()
            && !self.head_word.val().get_value_filled().any()
            && !self.head_word.val().get_value_end()
            && !self.marks.q.val().get_bit(2);
        if self.go.val() && self.finished.val() {
            self.absorb.next = false;
        }
        self.leave.next = self.pop.val() || self.absorb.val();
        if self.absorb.val() {
            self.marks.d.next = self.marks.q.val() + bits::<3>(1);
        }
        if self.go.val() && self.busy.q.val() {
            self.beat.d.next = self.beat.q.val() + bits::<3>(1);
            if self.last_beat.val() || self.is_end.val() {
                self.beat.d.next = bits::<3>(0);
                self.filled.d.next = self.left.val();
            }
            if self.finished.val() {
                self.busy.d.next = false;
            }
        }
    }

    /// The next row comes out of the queue, with new facts of depth if it has them.
    fn next_row(&mut self) {
        if self.row.valid.val() {
            self.tail.d.next = self.tail.q.val() + bits::<4>(1);
        }
        if self.row.valid.val() && !self.leave.val() {
            self.count.d.next = self.count.q.val() + bits::<5>(1);
        }
        if !self.row.valid.val() && self.leave.val() {
            self.count.d.next = self.count.q.val() - bits::<5>(1);
        }
        self.offsets.x.next = self.in_facts.gx.val();
        self.offsets.y.next = self.in_facts.gy.val();
        self.facts_taken.next = self.leave.val() && self.head_word.val().get_value_fresh();
        self.fresh_now.next = self.pop.val() && self.head_word.val().get_value_fresh();
        if self.leave.val() {
            self.head.d.next = self.head.q.val() + bits::<4>(1);
        }
        if self.pop.val() {
            self.marks.d.next = bits::<3>(0);
            self.busy.d.next = true;
            self.beat.d.next = bits::<3>(0);
            self.z.d.next = bit_cast::<55, 32>(self.queue[0].read_data.val())
                | (bit_cast::<55, 15>(self.head_word.val().get_value_z_high()) << bits::<55>(32))
                | (bit_cast::<55, 8>(self.queue[4].read_data.val().get_bits::<8>(16)) << bits::<55>(47));
            self.x.d.next = self.head_word.val().get_value_x();
            self.y.d.next = self.place_word.val().get_value_y();
            self.filled.d.next = self.head_word.val().get_value_filled();
            self.last_row.d.next = self.place_word.val().get_value_last();
            self.ends.d.next = self.head_word.val().get_value_end();
            self.cover[0].d.next = self.place_word.val().get_value_cover();
            self.cover[1].d.next = self.queue[3].read_data.val().get_bits::<16>(0);
            self.cover[2].d.next = self.queue[3].read_data.val().get_bits::<16>(16);
            self.cover[3].d.next = self.queue[4].read_data.val().get_bits::<16>(0);
        }
        if self.fresh_now.val() {
            self.gx.d.next = self.in_facts.gx.val();
            self.gy.d.next = self.in_facts.gy.val();
            self.triple.d.next = self.offsets.triple.val();
            self.u.d.next = self.offsets.u.val();
            self.v.d.next = self.offsets.v.val();
            self.w.d.next = self.offsets.w.val();
            self.low.d.next = self.in_facts.low.val();
            self.high.d.next = self.in_facts.high.val();
            self.owner.d.next = self.in_facts.owner.val();
            self.corners.d.next = self.in_facts.corners.val();
            self.samples.d.next = self.in_facts.samples.val();
        }
    }

    /// The sample has a depth in lane 0, and lanes that it covers.
    fn sample_cover(&mut self) {
        // Cycle 0 to 1: depth of the sample in lane 0, coverage.
        self.sample_place.samples.next = self.samples.q.val();
        self.sample_place.sample.next = self.beat.q.val();
        self.sample_depth.value.next = self.z.q.val();
        self.sample_depth.x.next = self.gx.q.val();
        self.sample_depth.triple.next = self.triple.q.val();
        self.sample_depth.u.next = self.u.q.val();
        self.sample_depth.v.next = self.v.q.val();
        self.sample_depth.w.next = self.w.q.val();
        self.sample_depth.quad.next = self.depth_number.val();
        self.sample_depth.place.next = self.sample_place.place.val();
        self.covered.next = self.cover[0].q.val();
        for s in 1..4 {
            if self.beat.q.val() == s.to_bits::<3>() {
                self.covered.next = self.cover[s].q.val();
            }
        }
        self.lanes.next = self.covered.val().get_bits::<4>(0);
        if self.number.val() == bits::<2>(1) {
            self.lanes.next = self.covered.val().get_bits::<4>(4);
        }
        if self.number.val() == bits::<2>(2) {
            self.lanes.next = self.covered.val().get_bits::<4>(8);
        }
        if self.number.val() == bits::<2>(3) {
            self.lanes.next = self.covered.val().get_bits::<4>(12);
        }
        if self.is_end.val() || ((self.beat.q.val() == bits::<3>(2)) && (self.samples.q.val() == bits::<2>(1))) {
            self.lanes.next = bits::<4>(0);
        }
        if self.beat.q.val().get_bit(2) {
            self.lanes.next = bits::<4>(0);
        }
    }

    /// The beat goes from cycle 0 to 1, with the tiles that are done.
    fn beat_stage(&mut self) {
        self.done_now.next = bits::<3>(0);
        if self.busy.q.val() && self.finished.val() {
            self.done_now.next = self.marks.q.val();
            if self.last_row.q.val() {
                self.done_now.next = self.marks.q.val() + bits::<3>(1);
            }
        }
        if self.go.val() {
            self.valid1.d.next = self.busy.q.val() && (!self.is_end.val() || self.ends.q.val());
            self.done1.d.next = self.done_now.val();
            self.end1.d.next = self.is_end.val();
            self.x1.d.next = self.x.q.val() + bit_cast::<11, 2>(self.number.val());
            self.y1.d.next = self.y.q.val();
            self.sample1.d.next = self.beat.q.val();
            self.last1.d.next = self.last_beat.val();
            self.cover1.d.next = self.lanes.val();
            self.value1.d.next = self.sample_depth.sample.val();
            self.gx1.d.next = self.gx.q.val();
            self.gy1.d.next = self.gy.q.val();
            self.w1.d.next = self.w.q.val();
            self.low1.d.next = self.low.q.val();
            self.high1.d.next = self.high.q.val();
            self.owner1.d.next = self.owner.q.val();
            self.corners1.d.next = self.corners.q.val();
        }
    }

    /// Depths of the lanes are calculated from cycle 1 to 2.
    fn lane_stage(&mut self) {
        self.lane_depths.value.next = self.value1.q.val();
        self.lane_depths.x.next = self.gx1.q.val();
        self.lane_depths.y.next = self.gy1.q.val();
        self.lane_depths.w.next = self.w1.q.val();
        if self.go.val() {
            self.done2.d.next = self.done1.q.val();
            self.valid2.d.next = self.valid1.q.val();
            self.end2.d.next = self.end1.q.val();
            self.x2.d.next = self.x1.q.val();
            self.y2.d.next = self.y1.q.val();
            self.sample2.d.next = self.sample1.q.val();
            self.last2.d.next = self.last1.q.val();
            self.cover2.d.next = self.cover1.q.val();
            self.lane2[0].d.next = self.lane_depths.lane0.val();
            self.lane2[1].d.next = self.lane_depths.lane1.val();
            self.lane2[2].d.next = self.lane_depths.lane2.val();
            self.lane2[3].d.next = self.lane_depths.lane3.val();
            self.low2.d.next = self.low1.q.val();
            self.high2.d.next = self.high1.q.val();
            self.owner2.d.next = self.owner1.q.val();
            self.corners2.d.next = self.corners1.q.val();
        }
    }

    /// Depths are held between the bounds from cycle 2 to the port.
    fn bounds_stage(&mut self) {
        for k in 0..4 {
            self.clamp[k].value.next = self.lane2[k].q.val();
            self.clamp[k].low.next = self.low2.q.val();
            self.clamp[k].high.next = self.high2.q.val();
            if self.fault_raster_clamp.val() {
                self.clamp[k].high.next = bits::<24>(0xFF_FFFF);
            }
        }
        if self.go.val() {
            self.done3.d.next = self.done2.q.val();
            self.valid3.d.next = self.valid2.q.val();
            self.end3.d.next = self.end2.q.val();
            self.x3.d.next = self.x2.q.val();
            self.y3.d.next = self.y2.q.val();
            self.sample3.d.next = self.sample2.q.val();
            self.last3.d.next = self.last2.q.val();
            self.cover3.d.next = self.cover2.q.val();
            self.owner3.d.next = self.owner2.q.val();
            self.corners3.d.next = self.corners2.q.val();
            for k in 0..4 {
                self.depth3[k].d.next = self.clamp[k].depth.val();
            }
        }
    }

    /// The beat stands at the port, and an output reports tiles that are done.
    fn quad_port(&mut self) {
        self.dones_left.next = self.dones_pending.q.val();
        if self.dones_pending.q.val().any() {
            self.dones_left.next = self.dones_pending.q.val() - bits::<6>(1);
        }
        self.dones_pending.d.next = self.dones_left.val();
        if self.go.val() {
            self.dones_pending.d.next = self.dones_left.val() + bit_cast::<6, 3>(self.done3.q.val());
        }
        self.tile_done.next = self.dones_pending.q.val().any();
        self.quad.valid.next = self.valid3.q.val();
        self.quad.end.next = self.end3.q.val();
        self.quad.context.next = self.owner3.q.val().get_value_context();
        self.quad.handle.next = self.owner3.q.val().get_value_handle();
        self.quad.order.next = self.owner3.q.val().get_value_order();
        self.quad.back.next = self.owner3.q.val().get_value_back();
        self.quad.buffer.next = self.owner3.q.val().get_value_buffer();
        self.quad_vertex[0].next = self.corners3.q.val().get_value_vertex0();
        self.quad_vertex[1].next = self.corners3.q.val().get_value_vertex1();
        self.quad_vertex[2].next = self.corners3.q.val().get_value_vertex2();
        self.quad.x.next = self.x3.q.val();
        self.quad.y.next = self.y3.q.val();
        self.quad.sample.next = self.sample3.q.val();
        self.quad.last.next = self.last3.q.val();
        self.quad.coverage.next = self.cover3.q.val();
        for k in 0..4 {
            self.quad.depth[k].next = self.depth3[k].q.val();
        }
    }
}
