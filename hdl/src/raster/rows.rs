//! Third part of the rasteriser: which pixels of a group are covered? A row of four quads in each
//! cycle, at one sample; a row of n samples takes n cycles. Then its quads go on together, if one
//! of them has a covered sample.
//!
//! ```text
//! cycle 0     edges at the sample, in both rows of pixels
//! cycle 1     edges at all 16 pixels, their signs, pixels that count
//! cycle 2     samples of the row together
//! ```
//!
//! Rows outside of the bounding box are not visited. `row_valid` needs no answer: `room` says
//! beforehand that two more rows will find a place.
//!
//! The facts of depth beside a row are those of its triangle in its tile. They change with the
//! first row of the next, which therefore waits until the part behind has taken them, with the
//! first row that it got (`fresh`). Between two triangles of one row there are 4 cycles at least.
//!
//! With four levels a row waits until it is known which of its quads are hidden (`part_*`). Their
//! columns do not count.
//!
//! A row that only says that a tile is done needs no facts and does not wait.
//!
//! It can be wrong in a row that is left out or belongs to the next triangle, and in the samples of
//! a row that are put together.
//!
//! Planted faults: `raster-sample-place`, `raster-row-depth`, `raster-stale-facts`,
//! `raster-part-row`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::stream::StreamIn;
use crate::base::{vector, Each, Planted};
use crate::cell::{DepthRow, EdgeOffsets, QuadCover, RowBase, RowSigns, RowStep, SamplePlace};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{DepthFactsOut, PartAnswerIn, QuadGroupDataIn, QuadRowOut, TriangleFactsIn};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct RasterRows {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// There is a group.
    pub group: StreamIn<QuadGroupDataIn>,
    /// Facts of its triangle.
    pub in_facts: TriangleFactsIn,
    /// There is a row; it is taken.
    pub row: QuadRowOut,
    /// There is a place for two rows and more.
    pub room: Signal<In, bool>,
    /// Facts of the row's depths.
    pub facts: DepthFactsOut,
    /// They are taken in this cycle.
    pub facts_taken: Signal<In, bool>,
    // With four levels: one each, or none.
    /// Which parts of a group are hidden.
    pub part: Each<PartAnswerIn>,
    sample_place: SamplePlace,
    offsets: Vec<EdgeOffsets>,
    base: Vec<RowBase>,
    step: Vec<RowStep>,
    depth: DepthRow,
    signs: Vec<RowSigns>,
    quads: QuadCover,
    // The group.
    busy: DFF<bool>,
    edge: Vec<DFF<Bits<32>>>,
    z: DFF<Bits<55>>,
    x: DFF<Bits<11>>,
    y: DFF<Bits<11>>,
    columns: DFF<Bits<8>>,
    /// Rows of pixels that do not count, from the one that is next.
    top: DFF<Bits<3>>,
    bottom: DFF<Bits<12>>,
    first: DFF<bool>,
    final_group: DFF<bool>,
    ends: DFF<bool>,
    line: DFF<Bits<2>>,
    sample: DFF<Bits<2>>,
    a: Vec<DFF<Bits<24>>>,
    b: Vec<DFF<Bits<24>>>,
    u: Vec<DFF<Bits<26>>>,
    v: Vec<DFF<Bits<26>>>,
    w: Vec<DFF<Bits<26>>>,
    gx: DFF<Bits<55>>,
    gy: DFF<Bits<55>>,
    low: DFF<Bits<24>>,
    high: DFF<Bits<24>>,
    owner: DFF<Bits<36>>,
    corners: DFF<Bits<36>>,
    samples: DFF<Bits<2>>,
    mask: DFF<Bits<4>>,
    // Cycle 1.
    valid1: DFF<bool>,
    upper1: Vec<DFF<Bits<29>>>,
    lower1: Vec<DFF<Bits<29>>>,
    a1: Vec<DFF<Bits<24>>>,
    columns1: DFF<Bits<8>>,
    above1: DFF<bool>,
    below1: DFF<bool>,
    counts1: DFF<bool>,
    sample1: DFF<Bits<2>>,
    whole1: DFF<bool>,
    first1: DFF<bool>,
    last1: DFF<bool>,
    end1: DFF<bool>,
    z1: DFF<Bits<55>>,
    x1: DFF<Bits<11>>,
    y1: DFF<Bits<11>>,
    kept_gx: DFF<Bits<55>>,
    kept_gy: DFF<Bits<55>>,
    kept_low: DFF<Bits<24>>,
    kept_high: DFF<Bits<24>>,
    kept_owner: DFF<Bits<36>>,
    kept_corners: DFF<Bits<36>>,
    kept_samples: DFF<Bits<2>>,
    // Cycle 2.
    valid2: DFF<bool>,
    cover2: DFF<Bits<16>>,
    sample2: DFF<Bits<2>>,
    whole2: DFF<bool>,
    first2: DFF<bool>,
    last2: DFF<bool>,
    end2: DFF<bool>,
    z2: DFF<Bits<55>>,
    x2: DFF<Bits<11>>,
    y2: DFF<Bits<11>>,
    /// Coverage of the samples before.
    cover: Vec<DFF<Bits<16>>>,
    filled: DFF<Bits<4>>,
    /// No row of the triangle in the tile has been given.
    fresh: DFF<bool>,
    /// Changes with each row that has new facts.
    facts_toggle: DFF<bool>,
    /// Changes when facts are taken. With one register for both, a process would go from
    /// `facts_taken` to `row_valid`.
    taken: DFF<bool>,
    /// A row with new facts has been given, and they are not taken.
    pending: Signal<Local, bool>,
    take: Signal<Local, bool>,
    ready: Signal<Local, bool>,
    issue: Signal<Local, bool>,
    last_sample: Signal<Local, bool>,
    on_bottom: Signal<Local, bool>,
    last_row: Signal<Local, bool>,
    last_step: Signal<Local, bool>,
    place_now: Signal<Local, Bits<3>>,
    counts: Signal<Local, bool>,
    quads_now: Signal<Local, Bits<4>>,
    filled_now: Signal<Local, Bits<4>>,
    fresh_now: Signal<Local, bool>,
    sends: Signal<Local, bool>,
    /// The first row of its tile for which facts are needed.
    needs: Signal<Local, bool>,
    /// The row is the first one with quads or an `end`.
    news: Signal<Local, bool>,
    part_at: Vec<Signal<Local, Bits<16>>>,
    part_rows: Vec<Signal<Local, Bits<16>>>,
    part_row: Vec<Signal<Local, Bits<4>>>,
    part_here: Vec<Signal<Local, Bits<4>>>,
    part_columns: Vec<Signal<Local, Bits<8>>>,
    fault_raster_part_row: Vec<Planted>,
    fault_raster_sample_place: Planted,
    fault_raster_row_depth: Planted,
    fault_raster_stale_facts: Planted,
    _parts: usize,
    _active: bool,
}

impl RasterRows {
    /// The part with that configuration's planted fault.
    pub fn new(config: &GpuConfig) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        let parts = usize::from(config.tests_parts());
        Self {
            part: Each::new(parts),
            part_at: vector(parts),
            part_rows: vector(parts),
            part_row: vector(parts),
            part_here: vector(parts),
            part_columns: vector(parts),
            fault_raster_part_row: (0..parts).map(|_| planted(Fault::RasterPartRow)).collect(),
            _parts: parts,
            offsets: vector(3),
            base: vector(3),
            step: vector(3),
            signs: vector(3),
            edge: vector(3),
            a: vector(3),
            b: vector(3),
            u: vector(3),
            v: vector(3),
            w: vector(3),
            upper1: vector(3),
            lower1: vector(3),
            a1: vector(3),
            cover: vector(3),
            fault_raster_sample_place: planted(Fault::RasterSamplePlace),
            fault_raster_row_depth: planted(Fault::RasterRowDepth),
            fault_raster_stale_facts: planted(Fault::RasterStaleFacts),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl RasterRows {
    /// Edges and covers keep what they have.
    fn registers(&mut self) {
        comment!("module: raster_rows");
        dff_setup!(self, clock, busy, z, x, y, columns, top, bottom, first, final_group, ends, line, sample);
        dff_setup!(self, clock, gx, gy, low, high, owner, corners, samples, mask);
        dff_setup!(
            self, clock, valid1, columns1, above1, below1, counts1, sample1, whole1, first1, last1, end1, z1, x1, y1
        );
        dff_setup!(self, clock, kept_gx, kept_gy, kept_low, kept_high, kept_owner, kept_corners, kept_samples);
        dff_setup!(
            self,
            clock,
            valid2,
            cover2,
            sample2,
            whole2,
            first2,
            last2,
            end2,
            z2,
            x2,
            y2,
            filled,
            fresh,
            facts_toggle,
            taken
        );
        for e in 0..3 {
            dff_setup!(self, clock, edge[e], a[e], b[e], u[e], v[e], w[e]);
            self.upper1[e].clock.next = self.clock.val();
            self.lower1[e].clock.next = self.clock.val();
            self.a1[e].clock.next = self.clock.val();
            dff_setup!(self, clock, cover[e]);
        }
    }

    /// A row begins at a sample if there is room and its facts have a place.
    fn issue(&mut self) {
        self.last_sample.next = self.sample.q.val() == bits::<2>(3);
        if self.samples.q.val() == bits::<2>(0) {
            self.last_sample.next = true;
        }
        if self.samples.q.val() == bits::<2>(1) {
            self.last_sample.next = self.sample.q.val().get_bit(0);
        }
        self.on_bottom.next = self.y.q.val() == self.bottom.q.val().get_bits::<11>(1);
        self.last_row.next = self.line.q.val().all() || self.on_bottom.val() || !self.columns.q.val().any();
        self.last_step.next = self.last_sample.val() && self.last_row.val();
        self.pending.next = self.facts_toggle.q.val() != self.taken.q.val();
        self.issue.next = self.busy.q.val() && self.room.val();
        self.needs.next = self.first.q.val() && (self.columns.q.val().any() || self.ends.q.val());
        if self.needs.val()
            && (self.valid1.q.val() || self.valid2.q.val() || self.pending.val())
            && !self.fault_raster_stale_facts.val()
        {
            self.issue.next = false;
        }
    }

    /// Columns of hidden quads of the row do not count.
    fn hidden_quads(&mut self) {
        for k in 0..self._parts {
            self.part_at[k].next = bit_cast::<16, 2>(self.line.q.val()) << bits::<16>(2);
            if self.fault_raster_part_row[k].val() {
                self.part_at[k].next = bits::<16>(0);
            }
            self.part_rows[k].next = self.part[k].hidden.val() >> self.part_at[k].val();
            self.part_row[k].next = self.part_rows[k].val().get_bits::<4>(0);
            self.part_here[k].next = self.part[k].known.val() >> bit_cast::<4, 2>(self.line.q.val());
            self.part_columns[k].next = bits::<8>(0);
            for i in 0..4 {
                if self.part_row[k].val().get_bit(i) {
                    self.part_columns[k].next = self.part_columns[k].val() | (bits::<8>(3) << (2 * i).to_bits::<3>());
                }
            }
            if !self.part_here[k].val().get_bit(0) && self.columns.q.val().any() {
                self.issue.next = false;
            }
        }
    }

    /// Edges step to the next row behind the last sample.
    fn next_row(&mut self) {
        self.ready.next = !self.busy.q.val() || (self.issue.val() && self.last_step.val());
        self.group.ready.next = self.ready.val();
        self.take.next = self.group.valid.val() && self.ready.val();
        self.sample_place.samples.next = self.samples.q.val();
        self.sample_place.sample.next = bit_cast::<3, 2>(self.sample.q.val());
        self.place_now.next = self.sample_place.place.val();
        if self.fault_raster_sample_place.val() && (self.sample_place.place.val() == bits::<3>(3)) {
            self.place_now.next = bits::<3>(7);
        }
        for e in 0..3 {
            self.base[e].value.next = self.edge[e].q.val();
            self.base[e].u.next = self.u[e].q.val();
            self.base[e].v.next = self.v[e].q.val();
            self.base[e].w.next = self.w[e].q.val();
            self.base[e].b.next = self.b[e].q.val();
            self.base[e].place.next = self.place_now.val();
            self.step[e].value.next = self.edge[e].q.val();
            self.step[e].b.next = self.b[e].q.val();
        }
        self.depth.value.next = self.z.q.val();
        self.depth.y.next = self.gy.q.val();
        if self.issue.val() {
            self.first.d.next = false;
            self.sample.d.next = self.sample.q.val() + bits::<2>(1);
            if self.last_sample.val() {
                self.sample.d.next = bits::<2>(0);
                self.top.d.next = self.top.q.val() - bits::<3>(2);
                if !self.top.q.val().get_bits::<2>(1).any() {
                    self.top.d.next = bits::<3>(0);
                }
                self.line.d.next = self.line.q.val() + bits::<2>(1);
                self.y.d.next = self.y.q.val() + bits::<11>(1);
                if !self.fault_raster_row_depth.val() {
                    self.z.d.next = self.depth.onward.val();
                }
                for e in 0..3 {
                    self.edge[e].d.next = self.step[e].onward.val();
                }
            }
            if self.last_step.val() {
                self.busy.d.next = false;
            }
        }
    }

    /// A new group is taken with the facts of its triangle.
    fn new_group(&mut self) {
        for e in 0..3 {
            self.offsets[e].a.next = self.in_facts.a[e].val();
            self.offsets[e].b.next = self.in_facts.b[e].val();
        }
        if self.take.val() {
            self.busy.d.next = true;
            self.z.d.next = self.group.z.val();
            self.x.d.next = self.group.x.val();
            self.y.d.next = self.group.y.val();
            self.columns.d.next = self.group.columns.val();
            self.top.d.next = self.group.top.val();
            self.bottom.d.next = self.group.bottom.val();
            self.first.d.next = self.group.first.val();
            self.final_group.d.next = self.group.last.val();
            self.ends.d.next = self.group.end.val();
            self.line.d.next = bits::<2>(0);
            self.sample.d.next = bits::<2>(0);
            self.gx.d.next = self.in_facts.gx.val();
            self.gy.d.next = self.in_facts.gy.val();
            self.low.d.next = self.in_facts.low.val();
            self.high.d.next = self.in_facts.high.val();
            self.owner.d.next = self.in_facts.owner.val();
            self.corners.d.next = self.in_facts.corners.val();
            self.samples.d.next = self.in_facts.samples.val();
            self.mask.d.next = self.in_facts.mask.val();
            for e in 0..3 {
                self.edge[e].d.next = self.group.near[e].val();
                self.a[e].d.next = self.in_facts.a[e].val();
                self.b[e].d.next = self.in_facts.b[e].val();
                self.u[e].d.next = self.offsets[e].u.val();
                self.v[e].d.next = self.offsets[e].v.val();
                self.w[e].d.next = self.offsets[e].w.val();
            }
        }
    }

    /// Cycle 1 has edges at the sample, and what counts of the row.
    fn sample_edges(&mut self) {
        self.counts.next = self.mask.q.val().get_bit(0);
        for s in 1..4 {
            if self.sample.q.val() == s.to_bits::<2>() {
                self.counts.next = self.mask.q.val().get_bit(s);
            }
        }
        self.valid1.d.next = self.issue.val();
        for e in 0..3 {
            self.upper1[e].d.next = self.base[e].top.val();
            self.lower1[e].d.next = self.base[e].bottom.val();
            self.a1[e].d.next = self.a[e].q.val();
        }
        self.columns1.d.next = self.columns.q.val();
        for k in 0..self._parts {
            self.columns1.d.next = self.columns.q.val() & !self.part_columns[k].val();
        }
        self.above1.d.next = !self.top.q.val().any();
        self.below1.d.next =
            (!self.on_bottom.val() || self.bottom.q.val().get_bit(0)) && !self.top.q.val().get_bits::<2>(1).any();
        self.counts1.d.next = self.counts.val();
        self.sample1.d.next = self.sample.q.val();
        self.whole1.d.next = self.last_sample.val();
        self.first1.d.next = self.first.q.val();
        self.last1.d.next = self.final_group.q.val() && self.last_step.val();
        self.end1.d.next = self.ends.q.val() && self.last_step.val();
        self.z1.d.next = self.z.q.val();
        self.x1.d.next = self.x.q.val();
        self.y1.d.next = self.y.q.val();
        if self.issue.val() && self.needs.val() {
            self.kept_gx.d.next = self.gx.q.val();
            self.kept_gy.d.next = self.gy.q.val();
            self.kept_low.d.next = self.low.q.val();
            self.kept_high.d.next = self.high.q.val();
            self.kept_owner.d.next = self.owner.q.val();
            self.kept_corners.d.next = self.corners.q.val();
            self.kept_samples.d.next = self.samples.q.val();
        }
    }

    /// Signs of edges say which pixels are covered.
    fn pixel_signs(&mut self) {
        for e in 0..3 {
            self.signs[e].top.next = self.upper1[e].q.val();
            self.signs[e].bottom.next = self.lower1[e].q.val();
            self.signs[e].a.next = self.a1[e].q.val();
        }
        self.quads.upper0.next = self.signs[0].upper.val();
        self.quads.upper1.next = self.signs[1].upper.val();
        self.quads.upper2.next = self.signs[2].upper.val();
        self.quads.lower0.next = self.signs[0].lower.val();
        self.quads.lower1.next = self.signs[1].lower.val();
        self.quads.lower2.next = self.signs[2].lower.val();
        self.quads.columns.next = self.columns1.q.val();
        self.quads.above.next = self.above1.q.val() && self.counts1.q.val();
        self.quads.below.next = self.below1.q.val() && self.counts1.q.val();
    }

    /// Cycle 2 puts samples of the row together.
    fn samples(&mut self) {
        self.valid2.d.next = self.valid1.q.val();
        self.cover2.d.next = self.quads.cover.val();
        self.sample2.d.next = self.sample1.q.val();
        self.whole2.d.next = self.whole1.q.val();
        self.first2.d.next = self.first1.q.val();
        self.last2.d.next = self.last1.q.val();
        self.end2.d.next = self.end1.q.val();
        self.z2.d.next = self.z1.q.val();
        self.x2.d.next = self.x1.q.val();
        self.y2.d.next = self.y1.q.val();
        self.quads_now.next = bits::<4>(0);
        for q in 0..4 {
            if self.cover2.q.val().get_bits::<4>(4 * q).any() {
                self.quads_now.next = self.quads_now.val() | (bits::<4>(1) << q.to_bits::<4>());
            }
        }
        self.filled_now.next = self.quads_now.val();
        if self.sample2.q.val().any() {
            self.filled_now.next = self.quads_now.val() | self.filled.q.val();
        }
        self.fresh_now.next = self.first2.q.val() || self.fresh.q.val();
        self.sends.next =
            self.valid2.q.val() && self.whole2.q.val() && (self.filled_now.val().any() || self.last2.q.val());
        self.news.next = self.fresh_now.val() && (self.filled_now.val().any() || self.end2.q.val());
        if self.facts_taken.val() {
            self.taken.d.next = !self.taken.q.val();
        }
        if self.valid2.q.val() {
            self.filled.d.next = self.filled_now.val();
            self.fresh.d.next = self.fresh_now.val() && !self.sends.val();
            if self.sends.val() && self.news.val() {
                self.facts_toggle.d.next = !self.facts_toggle.q.val();
            }
            for s in 0..3 {
                if self.sample2.q.val() == s.to_bits::<2>() {
                    self.cover[s].d.next = self.cover2.q.val();
                }
            }
        }
    }

    /// The ports give the row and the facts beside it.
    fn outputs(&mut self) {
        self.row.valid.next = self.sends.val();
        self.row.z.next = self.z2.q.val();
        self.row.x.next = self.x2.q.val();
        self.row.y.next = self.y2.q.val();
        self.row.filled.next = self.filled_now.val();
        self.row.fresh.next = self.news.val();
        self.row.last.next = self.last2.q.val();
        self.row.end.next = self.end2.q.val();
        self.row.cover[3].next = self.cover2.q.val();
        for s in 0..3 {
            self.row.cover[s].next = self.cover[s].q.val();
            if self.sample2.q.val() == s.to_bits::<2>() {
                self.row.cover[s].next = self.cover2.q.val();
            }
        }
        self.facts.gx.next = self.kept_gx.q.val();
        self.facts.gy.next = self.kept_gy.q.val();
        self.facts.low.next = self.kept_low.q.val();
        self.facts.high.next = self.kept_high.q.val();
        self.facts.owner.next = self.kept_owner.q.val();
        self.facts.corners.next = self.kept_corners.q.val();
        self.facts.samples.next = self.kept_samples.q.val();
    }
}
