//! Visibility unit with Hi-Z: each triangle is rasterised to depth before it is binned, tile by
//! tile, and the binner gets a bit for each tile: may the triangle be seen in it (HZ-12)? The bit
//! is exact in two ways. It is 0 where the triangle covers no sample (HZ-11), and where all samples
//! that it covers fail their test against what was drawn before it.
//!
//! ```text
//! triangle -> walk over tiles -> depth rasteriser -> Hi-Z (pixels) -> a bit for each tile -> binner
//!                                    | group: hidden?     |
//!                                    +--- hide test ------+ bounds
//!             rasteriser's groups ------- hide test ------+
//! ```
//!
//! The rasteriser asks about its groups here (HZ-24). It is behind, so what it hears may come from
//! triangles that are drawn later. Each state has the number of its opaque run; the test uses it
//! (HZ-13). Neighbours of one class share it, so a run never ends within a state.
//!
//! The binner may ask about its pairs, too, at its output (`pair_*`, `tile_test`).
//!
//! Quads that the rasteriser gives come through here, too. The filter drops those of which every
//! pixel is known to be hidden.
//!
//! With `hi_z_structures = two` the rasteriser has bounds of its own quads (`raster_hi_z.rs`), and
//! asks them. Its groups are not asked about here, and its quads go through as they are.
//!
//! With `cull_pipeline = depth` the unit is the cull pipeline's. Then nobody hears of single tiles:
//! the record gets one bit, whether the triangle may be seen in any of them. It forgets all bounds
//! for a draw that goes past and moves depths against them. So it does when the direction of depths
//! changes within a pass. A run waits until the pipeline that draws is through with all triangles
//! before (`drained`). What a draw that went past has drawn is learned when its quads come through
//! here (`late_bounds.rs`). Such a draw is a run by itself, with each kind of cull pipeline.
//!
//! One triangle after the other: the next one begins when all of the one before is in the bounds.
//! So a draw that raises depths never meets a bound from before it. Up to seven tiles of a triangle
//! are in the rasteriser. Latency of a tile: 25 cycles and its quads.
//!
//! It can be wrong in a bit that is told before the last quad of its tile has been compared.
//! Planted faults: `hi-z-late`, `hi-z-runs`, `cull-forget`, `late-run`, `late-update`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::{pass, state};
use rust_hdl::prelude::*;

use crate::base::stream::FlowIn;
use crate::base::{vector, Each, Fitted, Planted};
use crate::cell::AsyncRam;
use crate::comment;
use crate::config::{GpuConfig, HiZ as Use};
use crate::fault::Fault;
use crate::ports::{
    CullEventIn, CullEventOut, DrawClassOut, GroupAnswerOut, GroupAskOut, GroupBoundOut, LineIn, LineRequestOut,
    PartAnswerOut, PartBoundOut, QuadDataIn, QuadGroupDataIn, QuadGroupDataOut, QuadGroupOut, QuadOut, QuadOwner,
    StateWriteIn, TileVisibilityOut, TriangleDataIn, TriangleFactsIn, TriangleFactsOut, TriangleIn, TriangleOut,
};
use crate::raster::Rasteriser;
use crate::visibility::{DrawClasses, HiZ, HideParts, HideTest, LateBounds, QuadFilter, TileTest};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct DepthVisibility {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state.
    pub state: StateWriteIn,
    /// A triangle is offered. Held until `in_triangle_ready`.
    pub in_triangle: TriangleIn,
    /// There is a triangle for the binner.
    pub triangle: TriangleOut,
    /// Whether a triangle may be seen in a tile.
    pub visible_ports: TileVisibilityOut,
    // The rasteriser.
    /// Query whether a group is hidden. One element each, or none with two structures.
    pub query_valid: Vec<Signal<In, bool>>,
    /// The group.
    pub query: QuadGroupDataIn,
    /// Facts of its triangle.
    pub query_facts: TriangleFactsIn,
    /// The group is taken.
    pub query_taken: Vec<Signal<In, bool>>,
    /// Whether a group of quads is hidden.
    pub answer_ports: Each<GroupAnswerOut>,
    // Parts of groups, with four levels: one each, or none.
    /// The group goes on to be covered.
    pub part_begins: Vec<Signal<In, bool>>,
    /// Which parts of a group are hidden.
    pub part: Each<PartAnswerOut>,
    /// Beat of a quad from the rasteriser.
    pub raster_quad_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub raster_quad_ready: Signal<Out, bool>,
    /// The beat.
    pub raster_quad: QuadDataIn,
    /// The rasteriser has output all quads of a triangle in a tile.
    pub raster_done: Signal<In, bool>,
    /// There is a beat that may be seen.
    pub quad: QuadOut,
    /// A triangle has given all its quads in a tile.
    pub tile_done: Signal<Out, bool>,
    /// A triangle waits until all before it have given their quads: a window must end.
    pub holds: Signal<Out, bool>,
    /// With full binning: a triangle is in the window or being drawn. One element, or none.
    pub binner_busy: Vec<Signal<In, bool>>,
    // Of a cull pipeline: one each, or none.
    /// Context of the draw that bypasses the cull pipeline.
    pub bypass_context: Vec<Signal<In, Bits<4>>>,
    /// The draw bypasses in this cycle. With depth that is while the unit is idle.
    pub bypass: Vec<Signal<In, bool>>,
    // Of a cull pipeline with depth: one each, or none.
    /// All triangles before this one are drawn.
    pub drained: Vec<Signal<In, bool>>,
    /// The draw moves depths against the bounds: it may bypass only after all draws before it are
    /// drawn.
    pub bypass_waits: Vec<Signal<Out, bool>>,
    /// No triangle is here, and all bounds are written.
    pub idle: Vec<Signal<Out, bool>>,
    /// Cull event of the edge test: a tile of the bounding box that the triangle does not reach. It
    /// goes out as this unit's own.
    pub edge_cull: Each<CullEventIn>,
    /// The triangle may be visible in one of its tiles. Valid with `triangle_valid`.
    pub seen: Vec<Signal<Out, bool>>,
    // The binner's output: one, or none that asks.
    /// First pixel of the tile in x.
    pub pair_x: Vec<Signal<In, Bits<12>>>,
    /// In y.
    pub pair_y: Vec<Signal<In, Bits<12>>>,
    /// Query whether a triangle is hidden in a tile. Held until the pair is taken.
    pub pair: Each<FlowIn<TriangleDataIn>>,
    /// The pair is taken.
    pub pair_taken: Vec<Signal<In, bool>>,
    /// The answer is there.
    pub pair_answer: Vec<Signal<Out, bool>>,
    /// It: nothing of the triangle can be seen in the tile.
    pub pair_hidden: Vec<Signal<Out, bool>>,
    // Of bounds in memory: one each, or none.
    /// A line of memory is read or written.
    pub m_req: Each<LineRequestOut>,
    /// Memory answers, a write too; always taken.
    pub m_rsp: Each<LineIn>,
    // Events.
    /// A record of bounds is cleared.
    pub sweeps: Signal<Out, bool>,
    /// With two structures: cull events of the rasteriser's structure. One element, or none.
    pub raster_cull: Each<CullEventIn>,
    /// Cull events of parts of groups. One element, or none.
    pub raster_part_cull: Each<CullEventIn>,
    /// Event ports: culled tiles of this unit (0), groups of the rasteriser (1), quads of the
    /// rasteriser (2), tiles of the binner if it queries (3). The last element is parts of groups,
    /// if these are tested.
    pub culls: Each<CullEventOut>,
    rasteriser: Rasteriser,
    hi_z: HiZ,
    classes: DrawClasses,
    /// Of the depth rasteriser's groups, of the rasteriser's.
    box_test: HideTest,
    raster_test: Fitted<HideTest>,
    filter: Fitted<QuadFilter>,
    /// Parts of the same groups. The unit's are asked about if it culls.
    box_parts: Fitted<HideParts>,
    parts: Fitted<HideParts>,
    /// Runs of states, by context: a copy for each who asks.
    runs_unit: AsyncRam,
    runs: Fitted<AsyncRam>,
    runs_copy: Fitted<AsyncRam>,
    run_asked: Vec<DFF<Bits<13>>>,
    run_given: Vec<DFF<Bits<13>>>,
    /// Of pairs of the binner.
    tests: Vec<TileTest>,
    runs_tiles: Vec<AsyncRam>,
    run_tiles: Vec<DFF<Bits<13>>>,
    /// The state that came last: it is whole, its context, its class.
    new_state_whole: DFF<bool>,
    new_state_context: DFF<Bits<4>>,
    newest: DrawClasses,
    new_state_run: DFF<Bits<13>>,
    side: DFF<Bits<3>>,
    active: DFF<bool>,
    walking: DFF<bool>,
    x: DFF<Bits<12>>,
    y: DFF<Bits<12>>,
    /// Tiles that were given, that are done, that were told.
    issued_tiles: DFF<Bits<3>>,
    done: DFF<Bits<3>>,
    reported_tiles: DFF<Bits<3>>,
    bit_x: DFF<Bits<12>>,
    bit_y: DFF<Bits<12>>,
    done1: DFF<bool>,
    done2: DFF<bool>,
    done3: DFF<bool>,
    shows: DFF<Bits<8>>,
    // The run.
    run: DFF<Bits<13>>,
    run_opaque: DFF<bool>,
    run_function: DFF<Bits<3>>,
    /// Triangles that the binner has taken and whose `end` has not come.
    in_binner: DFF<Bits<14>>,
    fewer: Signal<Local, Bits<14>>,
    changes: Signal<Local, bool>,
    waits: Signal<Local, bool>,
    ended: Signal<Local, bool>,
    within: Signal<Local, Bits<12>>,
    step: Signal<Local, Bits<12>>,
    begin_x: Signal<Local, Bits<12>>,
    begin_y: Signal<Local, Bits<12>>,
    far_x: Signal<Local, Bits<12>>,
    far_y: Signal<Local, Bits<12>>,
    last_x: Signal<Local, bool>,
    last_y: Signal<Local, bool>,
    bit_end: Signal<Local, bool>,
    may_start: Signal<Local, bool>,
    starts: Signal<Local, bool>,
    gives: Signal<Local, bool>,
    reports: Signal<Local, bool>,
    next_run: Signal<Local, Bits<13>>,
    in_run: Signal<Local, Bits<13>>,
    issued_bit: Signal<Local, Bits<8>>,
    reported_bit: Signal<Local, Bits<8>>,
    begun: Signal<Local, Bits<8>>,
    is_seen: Signal<Local, bool>,
    room: Signal<Local, Bits<3>>,
    hides: Vec<Signal<Local, bool>>,
    fault_hi_z_late: Planted,
    fault_hi_z_runs: Planted,
    fault_hi_z_hold: Planted,
    /// A draw went past in the cycle before.
    went_past: Vec<DFF<bool>>,
    fault_late_run: Vec<Planted>,
    late: Fitted<LateBounds>,
    fault_late_update: Vec<Planted>,
    /// A state of this pass writes depths by an order: what it draws may never come here. Depths of
    /// the first one grow.
    past_moves: Vec<DFF<bool>>,
    past_down: Vec<DFF<bool>>,
    forgets: Vec<Signal<Local, bool>>,
    bypass_class: Vec<DrawClasses>,
    seen_any: Vec<DFF<bool>>,
    all_reported: Vec<DFF<bool>>,
    /// The direction of the pass is known; depths grow.
    turned: Vec<DFF<bool>>,
    turned_down: Vec<DFF<bool>>,
    other_way: Vec<Signal<Local, bool>>,
    bypass_moves: Vec<Signal<Local, bool>>,
    last_bit: Vec<Signal<Local, bool>>,
    fault_cull_forget: Vec<Planted>,
    /// 1: draws may go past a cull pipeline.
    _past: usize,
    /// 1: it is the cull pipeline's; it is not.
    _ahead: usize,
    _beside: usize,
    /// 1: full binning knows what is behind.
    _bins: bool,
    /// 1: the unit culls.
    _culls: usize,
    /// 1: the binner asks.
    _pairs: usize,
    /// The same, as the third who asks; as the second.
    _pairs_shared: usize,
    _pairs_apart: usize,
    /// 1: the rasteriser asks here; it has a structure of its own.
    _shared: bool,
    /// 1: nobody hides by later triangles, so no run waits.
    _plain: bool,
    /// 1: parts of groups are tested; of the unit's groups; only of the others.
    _parts: usize,
    _parts_before: usize,
    _parts_mute: usize,
    /// Events of parts: of those that are asked here, of those beside.
    _part_from: usize,
    _part_until: usize,
    _beside_from: usize,
    _part_to: usize,
    /// 1: bounds are in memory, too.
    _memory: usize,
    _active: bool,
}

impl DepthVisibility {
    /// For that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        let pairs = usize::from(config.hi_z == Use::VisibilityBinner);
        let past = usize::from(config.culls());
        let ahead = usize::from(config.culls_depth());
        let shared = !config.hides_late();
        let tested = usize::from(config.tests_parts());
        let parts = tested * usize::from(shared);
        let culls = usize::from(matches!(config.hi_z, Use::Visibility | Use::VisibilityBinner));
        let memory = usize::from(config.spills());
        Self {
            m_req: Each::new(memory),
            m_rsp: Each::new(memory),
            _memory: memory,
            part_begins: vector(parts),
            part: Each::new(parts),
            box_parts: Fitted::new(HideParts::new(config), tested * culls == 1),
            parts: Fitted::new(HideParts::new(config), parts == 1),
            _parts: parts,
            _parts_before: tested * culls,
            _parts_mute: tested * (1 - culls),
            _part_from: 3 + pairs,
            _part_until: 3 + pairs + parts,
            _beside_from: 3 + pairs + parts,
            _part_to: 3 + pairs + tested,
            raster_part_cull: Each::new(tested - parts),
            rasteriser: Rasteriser::new(config),
            // Those who ask: the depth rasteriser, the rasteriser, the binner.
            hi_z: HiZ::new(config, 1 + usize::from(shared) + pairs, shared),
            classes: DrawClasses::new(config),
            box_test: HideTest::new(config, false),
            raster_test: Fitted::new(HideTest::new(config, true), shared),
            filter: Fitted::new(QuadFilter::new(config), shared),
            runs_unit: AsyncRam::new(config.contexts, 13),
            runs: Fitted::new(AsyncRam::new(config.contexts, 13), shared),
            runs_copy: Fitted::new(AsyncRam::new(config.contexts, 13), shared),
            run_asked: vector(usize::from(shared)),
            run_given: vector(usize::from(shared)),
            query_valid: vector(usize::from(shared)),
            query_taken: vector(usize::from(shared)),
            answer_ports: Each::new(usize::from(shared)),
            hides: vector(usize::from(shared)),
            raster_cull: Each::new(usize::from(!shared)),
            _shared: shared,
            _plain: !shared && pairs == 0,
            newest: DrawClasses::new(config),
            drained: vector(ahead),
            binner_busy: vector(usize::from(config.bins() && ahead == 0)),
            _bins: config.bins() && ahead == 0,
            bypass_context: vector(past),
            bypass: vector(past),
            went_past: vector(past),
            fault_late_run: (0..past).map(|_| planted(Fault::LateRun)).collect(),
            _past: past,
            late: Fitted::new(LateBounds::new(config), ahead == 1),
            fault_late_update: (0..ahead).map(|_| planted(Fault::LateUpdate)).collect(),
            past_moves: vector(ahead),
            past_down: vector(ahead),
            forgets: vector(ahead),
            bypass_waits: vector(ahead),
            idle: vector(ahead),
            seen: vector(ahead),
            edge_cull: Each::new(ahead),
            bypass_class: (0..ahead).map(|_| DrawClasses::new(config)).collect(),
            seen_any: vector(ahead),
            last_bit: vector(ahead),
            all_reported: vector(ahead),
            turned: vector(ahead),
            turned_down: vector(ahead),
            other_way: vector(ahead),
            bypass_moves: vector(ahead),
            fault_cull_forget: (0..ahead).map(|_| planted(Fault::CullForget)).collect(),
            _ahead: ahead,
            _beside: 1 - ahead,
            culls: Each::new(3 + pairs + tested),
            pair_x: vector(pairs),
            pair_y: vector(pairs),
            pair: Each::new(pairs),
            pair_taken: vector(pairs),
            pair_answer: vector(pairs),
            pair_hidden: vector(pairs),
            tests: (0..pairs).map(|_| TileTest::new(config)).collect(),
            runs_tiles: (0..pairs).map(|_| AsyncRam::new(config.contexts, 13)).collect(),
            run_tiles: vector(pairs),
            _pairs: pairs,
            _pairs_shared: if shared { pairs } else { 0 },
            _pairs_apart: if shared { 0 } else { pairs },
            fault_hi_z_late: planted(Fault::HiZLate),
            fault_hi_z_runs: planted(Fault::HiZRuns),
            fault_hi_z_hold: planted(Fault::HiZHold),
            _culls: culls,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl DepthVisibility {
    /// States, the triangle and memory are linked, and tiles have a size.
    fn links(&mut self) {
        comment!("module: depth_visibility");
        dff_setup!(self, clock, side, active, walking, x, y, issued_tiles, done, reported_tiles, bit_x, bit_y);
        dff_setup!(self, clock, done1, done2, done3, shows, run, run_opaque, run_function, in_binner);
        dff_setup!(self, clock, new_state_whole, new_state_context, new_state_run);
        clock!(self, clock, rasteriser, hi_z, classes, box_test, runs_unit, newest);
        StateWriteIn::link(&mut self.state, &mut self.newest.state);
        StateWriteIn::link(&mut self.state, &mut self.rasteriser.state);
        StateWriteIn::link(&mut self.state, &mut self.hi_z.state);
        StateWriteIn::link(&mut self.state, &mut self.classes.state);
        StateWriteIn::link(&mut self.state, &mut self.box_test.state);
        TriangleDataIn::join(&mut self.in_triangle, &mut self.triangle);
        TriangleDataIn::link(&mut self.in_triangle, &mut self.rasteriser.triangle);
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::KIND)) {
            self.side.d.next = self.state.data.val().get_bits::<3>(4);
        }
        self.within.next = bits::<12>(7);
        self.step.next = bits::<12>(8);
        if self.side.q.val() == bits::<3>(4) {
            self.within.next = bits::<12>(15);
            self.step.next = bits::<12>(16);
        }
        if self.side.q.val() == bits::<3>(5) {
            self.within.next = bits::<12>(31);
            self.step.next = bits::<12>(32);
        }
        for m in 0..self._memory {
            LineRequestOut::link(&mut self.m_req[m], &mut self.hi_z.m_req[m]);
            LineIn::link(&mut self.m_rsp[m], &mut self.hi_z.m_rsp[m]);
        }
    }

    /// Hi-Z has the rules of the triangle's draw.
    fn draw_rules(&mut self) {
        // The draw, and its run.
        self.classes.context.next = self.in_triangle.context.val();
        DrawClassOut::join(&mut self.classes.class_ports, &mut self.hi_z.class_ports);
        self.hi_z.culls.next = false;
        for _k in 0..self._culls {
            self.hi_z.culls.next = self.classes.culls.val();
        }
        for _k in 0..self._beside {
            self.hi_z.run.next = self.run.q.val();
        }
        for k in 0..self._ahead {
            // Of a late quad Hi-Z has the rules. It changes no group's direction.
            self.hi_z.late[k].next = self.late.here.val();
            if self.late.here.val() {
                self.classes.context.next = self.late.context.val();
                self.hi_z.class_ports.claims.next = false;
            }
        }
    }

    /// Each state has a run: that of the one before, if both are opaque and alike.
    fn state_runs(&mut self) {
        // Each state has a run: that of the one before, if both are opaque and of one function.
        // When this word comes, all words that the classes look at have come.
        self.new_state_whole.d.next = self.state.valid.val()
            && !self.state.pass.val()
            && (self.state.word.val() == bits::<6>(state::UNPAIRED_FIRST));
        self.new_state_context.d.next = self.state.context.val();
        self.newest.context.next = self.new_state_context.q.val();
        self.next_run.next = self.new_state_run.q.val() + bits::<13>(1);
        if self.newest.opaque.val()
            && self.run_opaque.q.val()
            && ((self.run_function.q.val() == self.newest.class_ports.function.val()) || self.fault_hi_z_runs.val())
        {
            self.next_run.next = self.new_state_run.q.val();
        }
        for k in 0..self._past {
            // A draw that goes past is a run by itself: its state gets another number.
            self.went_past[k].clock.next = self.clock.val();
            self.went_past[k].d.next = self.bypass[k].val() && !self.fault_late_run[k].val();
            if self.bypass[k].val() && !self.fault_late_run[k].val() {
                self.new_state_whole.d.next = true;
                self.new_state_context.d.next = self.bypass_context[k].val();
            }
            if self.went_past[k].q.val() {
                self.next_run.next = self.new_state_run.q.val() + bits::<13>(1);
            }
        }
        if self.new_state_whole.q.val() {
            self.new_state_run.d.next = self.next_run.val();
            self.run_opaque.d.next = self.newest.opaque.val();
            self.run_function.d.next = self.newest.class_ports.function.val();
        }
        if self.state.pass.val() {
            self.run_opaque.d.next = false;
        }
        for k in 0..self._past {
            if self.went_past[k].q.val() {
                self.run_opaque.d.next = false;
            }
        }
        self.runs_unit.write_enable.next = self.new_state_whole.q.val();
        self.runs_unit.write_address.next = bit_cast::<6, 4>(self.new_state_context.q.val());
        self.runs_unit.write_data.next = bit_cast::<32, 13>(self.next_run.val());
        self.runs_unit.read_address.next = bit_cast::<6, 4>(self.in_triangle.context.val());
        for _k in 0..self._ahead {
            if self.late.here.val() {
                self.runs_unit.read_address.next = bit_cast::<6, 4>(self.late.context.val());
            }
        }
        self.in_run.next = self.runs_unit.read_data.val().get_bits::<13>(0);
        for _k in 0..self._ahead {
            self.hi_z.run.next = self.run.q.val();
            if self.late.here.val() {
                self.hi_z.run.next = self.in_run.val();
            }
        }
    }

    /// A triangle begins when nothing of another run is left that it could harm.
    fn run_change(&mut self) {
        // Another run that changes depths begins when nothing of the one before is left: what is
        // known to be hidden in a run stays so to its end.
        self.changes.next = (self.in_run.val() != self.run.q.val())
            && (self.classes.class_ports.updates.val()
                || self.classes.class_ports.claims.val()
                || self.classes.class_ports.resets.val())
            && !self.fault_hi_z_hold.val();
        for _k in 0..self._beside {
            self.waits.next = self.in_triangle.valid.val()
                && !self.active.q.val()
                && self.changes.val()
                && self.in_binner.q.val().any();
        }
        if self._bins {
            self.waits.next =
                self.in_triangle.valid.val() && !self.active.q.val() && self.changes.val() && self.binner_busy[0].val();
        }
        for k in 0..self._ahead {
            self.waits.next = self.in_triangle.valid.val()
                && !self.active.q.val()
                && self.changes.val()
                && !self.drained[k].val()
                && !self.late.here.val();
        }
        if self._plain {
            self.waits.next = false;
        }
        self.holds.next = self.waits.val();
        self.may_start.next =
            self.in_triangle.valid.val() && !self.active.q.val() && self.hi_z.idle.val() && !self.waits.val();
        for _k in 0..self._ahead {
            self.may_start.next = self.in_triangle.valid.val()
                && !self.active.q.val()
                && self.hi_z.idle.val()
                && !self.waits.val()
                && !self.late.holds.val();
        }
        for _k in 0..self._beside {
            self.starts.next = self.may_start.val();
        }
    }

    /// With a cull pipeline, bounds are cleared when the direction of depths changes.
    fn past_draws(&mut self) {
        for k in 0..self._ahead {
            self.turned[k].clock.next = self.clock.val();
            self.turned_down[k].clock.next = self.clock.val();
            self.seen_any[k].clock.next = self.clock.val();
            self.all_reported[k].clock.next = self.clock.val();
            clock!(self, clock, bypass_class[k]);
            self.turned[k].d.next = self.turned[k].q.val();
            self.turned_down[k].d.next = self.turned_down[k].q.val();
            self.seen_any[k].d.next = self.seen_any[k].q.val();
            self.all_reported[k].d.next = self.all_reported[k].q.val();
            StateWriteIn::link(&mut self.state, &mut self.bypass_class[k].state);
            self.bypass_class[k].context.next = self.bypass_context[k].val();
            self.bypass_moves[k].next = self.bypass_class[k].class_ports.resets.val()
                || (self.bypass_class[k].class_ports.claims.val()
                    && self.turned[k].q.val()
                    && (self.turned_down[k].q.val() != self.bypass_class[k].class_ports.down.val()));
            self.idle[k].next = !self.active.q.val() && self.hi_z.idle.val() && !self.late.here.val();
            self.bypass_waits[k].next =
                self.bypass_moves[k].val() && !self.fault_cull_forget[k].val() && !self.fault_late_update[k].val();
            self.past_moves[k].clock.next = self.clock.val();
            self.past_moves[k].d.next = self.past_moves[k].q.val();
            self.hi_z.past_moves[k].next = self.past_moves[k].q.val();
            self.hi_z.past_down[k].next = self.past_down[k].q.val();
            self.past_down[k].clock.next = self.clock.val();
            self.past_down[k].d.next = self.past_down[k].q.val();
            if self.new_state_whole.q.val() && self.newest.class_ports.claims.val() && !self.past_moves[k].q.val() {
                self.past_moves[k].d.next = true;
                self.past_down[k].d.next = self.newest.class_ports.down.val();
            }
            if self.bypass[k].val() && self.bypass_class[k].class_ports.claims.val() {
                self.turned[k].d.next = true;
                self.turned_down[k].d.next = self.bypass_class[k].class_ports.down.val();
            }
            // The first triangle of the other direction begins a cycle later.
            self.other_way[k].next = self.classes.class_ports.claims.val()
                && self.turned[k].q.val()
                && (self.turned_down[k].q.val() != self.classes.class_ports.down.val());
            self.starts.next = self.may_start.val() && !self.other_way[k].val();
            self.forgets[k].next =
                (self.bypass[k].val() && self.bypass_moves[k].val() && !self.fault_cull_forget[k].val())
                    || (self.may_start.val() && self.other_way[k].val());
            self.hi_z.forget[k].next = self.forgets[k].val();
            if self.may_start.val() {
                if self.classes.class_ports.claims.val() {
                    self.turned[k].d.next = true;
                    self.turned_down[k].d.next = self.classes.class_ports.down.val();
                }
                self.seen_any[k].d.next = false;
                self.all_reported[k].d.next = false;
            }
            if self.state.pass.val() {
                self.turned[k].d.next = false;
                self.past_moves[k].d.next = false;
            }
        }
    }

    /// Triangles are counted from the binner to their end.
    fn behind_count(&mut self) {
        if self._shared {
            self.ended.next = self.filter.quad.valid.val() && self.quad.ready.val() && self.filter.quad.end.val();
        }
        if !self._shared {
            self.ended.next = self.raster_quad_valid.val() && self.quad.ready.val() && self.raster_quad.end.val();
        }
        self.fewer.next = self.in_binner.q.val();
        if self.ended.val() {
            self.fewer.next = self.in_binner.q.val() - bits::<14>(1);
        }
        self.in_binner.d.next = self.fewer.val();
        if self.in_triangle.valid.val() && self.triangle.ready.val() {
            self.in_binner.d.next = self.fewer.val() + bits::<14>(1);
        }
        for _k in 0..self._ahead {
            self.in_binner.d.next = bits::<14>(0);
        }
        if self._bins {
            self.in_binner.d.next = bits::<14>(0);
        }
    }

    /// A triangle begins, and its tiles go to the depth rasteriser.
    fn walk(&mut self) {
        self.begin_x.next = self.in_triangle.x0.val() & !self.within.val();
        self.begin_y.next = self.in_triangle.y0.val() & !self.within.val();
        if self.starts.val() {
            self.active.d.next = true;
            self.walking.d.next = true;
            self.x.d.next = self.begin_x.val();
            self.y.d.next = self.begin_y.val();
            self.bit_x.d.next = self.begin_x.val();
            self.bit_y.d.next = self.begin_y.val();
            self.run.d.next = self.in_run.val();
        }
        // Tiles go to the depth rasteriser.
        self.far_x.next = self.x.q.val() | self.within.val();
        self.far_y.next = self.y.q.val() | self.within.val();
        self.last_x.next = self.far_x.val() >= self.in_triangle.x1.val();
        self.last_y.next = self.far_y.val() >= self.in_triangle.y1.val();
        self.room.next = self.issued_tiles.q.val() - self.reported_tiles.q.val();
        self.rasteriser.triangle.valid.next = self.walking.q.val() && !self.room.val().all();
        self.rasteriser.tile.x.next = self.x.q.val();
        self.rasteriser.tile.y.next = self.y.q.val();
        self.rasteriser.tile.buffer.next = self.issued_tiles.q.val();
        self.rasteriser.tile.last.next = false;
        self.rasteriser.tile.hidden.next = false;
        self.gives.next = self.walking.q.val() && !self.room.val().all() && self.rasteriser.triangle.ready.val();
        self.issued_bit.next = bits::<8>(1) << bit_cast::<8, 3>(self.issued_tiles.q.val());
        self.begun.next = self.shows.q.val();
        if self.gives.val() {
            self.begun.next = self.shows.q.val() & !self.issued_bit.val();
            self.issued_tiles.d.next = self.issued_tiles.q.val() + bits::<3>(1);
            self.x.d.next = self.x.q.val() + self.step.val();
            if self.last_x.val() {
                self.x.d.next = self.begin_x.val();
                self.y.d.next = self.y.q.val() + self.step.val();
                if self.last_y.val() {
                    self.walking.d.next = false;
                }
            }
        }
    }

    /// Groups of the depth rasteriser are tested, and parts of them.
    fn unit_groups(&mut self) {
        // Its groups and quads.
        QuadGroupOut::join(&mut self.rasteriser.query, &mut self.box_test.query);
        TriangleFactsOut::join(&mut self.rasteriser.query_facts, &mut self.box_test.facts);
        self.box_test.query_taken.next = self.rasteriser.query_taken.val();
        self.box_test.run.next = bits::<13>(0);
        GroupBoundOut::join(&mut self.hi_z.bound_ports[0], &mut self.box_test.bound_ports);
        self.hi_z.read[0].x.next = self.rasteriser.query.x.val().get_bits::<9>(2);
        self.hi_z.read[0].y.next = self.rasteriser.query.y.val().get_bits::<9>(2);
        self.rasteriser.answer_ports.answer_valid.next = self.box_test.answer_ports.answer_valid.val();
        self.rasteriser.answer_ports.hidden.next = false;
        for _k in 0..self._culls {
            self.rasteriser.answer_ports.hidden.next = self.box_test.answer_ports.hidden.val();
        }
        for k in 0..self._parts_before {
            clock!(self, clock, box_parts);
            QuadGroupDataOut::join(&mut self.rasteriser.query, &mut self.box_parts.query);
            TriangleFactsOut::join(&mut self.rasteriser.query_facts, &mut self.box_parts.facts);
            self.box_parts.write.next = self.hi_z.part_write[k].val();
            self.box_parts.write_group.next = self.hi_z.part_group[k].val();
            for h in 0..8 {
                self.box_parts.part[h].next = self.hi_z.part[h].val();
            }
            self.box_parts.asked.next = self.hi_z.part_asked[0].val();
            self.box_parts.answer_valid.next =
                self.rasteriser.query.valid.val() && self.box_test.answer_ports.answer_valid.val();
            self.box_parts.answer_hidden.next = self.box_test.answer_ports.hidden.val();
            self.box_parts.query_taken.next = self.rasteriser.query_taken.val();
            self.box_parts.begins.next = self.rasteriser.part_begins[k].val();
            PartBoundOut::join(&mut self.box_test.part[k], &mut self.box_parts.test_ports);
            PartAnswerOut::join(&mut self.box_parts.answer_ports, &mut self.rasteriser.part[k]);
        }
        for k in 0..self._parts_mute {
            self.rasteriser.part[k].hidden.next = bits::<16>(0);
            self.rasteriser.part[k].known.next = bits::<4>(15);
        }
    }

    /// A tile is done when its last quad is compared, and its bit is sent.
    fn tile_bits(&mut self) {
        for _k in 0..self._beside {
            QuadOut::join(&mut self.rasteriser.quad, &mut self.hi_z.quad);
        }
        self.shows.d.next = self.begun.val();
        if self.hi_z.seen.val() {
            self.shows.d.next = self.begun.val() | (bits::<8>(1) << bit_cast::<8, 3>(self.hi_z.seen_buffer.val()));
        }
        // A tile is done when its last quad has been compared.
        self.done1.d.next = self.rasteriser.tile_done.val();
        self.done2.d.next = self.done1.q.val();
        self.done3.d.next = self.done2.q.val();
        if self.done3.q.val() || (self.fault_hi_z_late.val() && self.gives.val()) {
            self.done.d.next = self.done.q.val() + bits::<3>(1);
        }
        // Bits for the binner.
        self.reported_bit.next = bits::<8>(1) << bit_cast::<8, 3>(self.reported_tiles.q.val());
        self.is_seen.next = (self.shows.q.val() & self.reported_bit.val()).any();
        self.visible_ports.visible_valid.next = self.done.q.val() != self.reported_tiles.q.val();
        self.visible_ports.visible.next = self.is_seen.val();
        self.reports.next =
            (self.done.q.val() != self.reported_tiles.q.val()) && self.visible_ports.visible_ready.val();
        self.bit_end.next = (self.bit_x.q.val() | self.within.val()) >= self.in_triangle.x1.val();
        if self.reports.val() {
            self.reported_tiles.d.next = self.reported_tiles.q.val() + bits::<3>(1);
            self.bit_x.d.next = self.bit_x.q.val() + self.step.val();
            if self.bit_end.val() {
                self.bit_x.d.next = self.begin_x.val();
                self.bit_y.d.next = self.bit_y.q.val() + self.step.val();
            }
        }
    }

    /// The triangle goes on to the binner, or to the record when all bits are sent.
    fn triangle_given(&mut self) {
        // Until it has begun the binner knows nothing of it, and can end its window.
        self.triangle.valid.next = self.in_triangle.valid.val() && self.active.q.val();
        self.in_triangle.ready.next = self.triangle.ready.val();
        if self.in_triangle.valid.val() && self.triangle.ready.val() {
            self.active.d.next = false;
        }
        // The record hears of all tiles at once.
        for k in 0..self._ahead {
            self.last_bit[k].next = self.reports.val()
                && self.bit_end.val()
                && ((self.bit_y.q.val() | self.within.val()) >= self.in_triangle.y1.val());
            self.active.d.next = self.active.q.val() || self.starts.val();
            self.triangle.valid.next =
                self.in_triangle.valid.val() && self.active.q.val() && self.all_reported[k].q.val();
            self.in_triangle.ready.next =
                self.active.q.val() && self.all_reported[k].q.val() && self.triangle.ready.val();
            self.seen[k].next = self.seen_any[k].q.val();
            if self.reports.val() && self.is_seen.val() {
                self.seen_any[k].d.next = true;
            }
            if self.last_bit[k].val() {
                self.all_reported[k].d.next = true;
            }
            if self.active.q.val() && self.all_reported[k].q.val() && self.triangle.ready.val() {
                self.active.d.next = false;
                self.all_reported[k].d.next = false;
            }
        }
    }

    /// Tests of the binner's pairs ask for bounds.
    fn pair_bounds(&mut self) {
        for t in 0..self._pairs_shared {
            GroupAskOut::join(&mut self.tests[t].read, &mut self.hi_z.read[2]);
            GroupBoundOut::join(&mut self.hi_z.bound_ports[2], &mut self.tests[t].bound_ports);
        }
        for t in 0..self._pairs_apart {
            GroupAskOut::join(&mut self.tests[t].read, &mut self.hi_z.read[1]);
            GroupBoundOut::join(&mut self.hi_z.bound_ports[1], &mut self.tests[t].bound_ports);
        }
    }

    /// The rasteriser's groups are tested against bounds.
    fn group_tests(&mut self) {
        // The rasteriser's groups and quads.
        if self._shared {
            clock!(self, clock, raster_test, filter, runs, runs_copy);
            self.run_asked[0].clock.next = self.clock.val();
            self.run_given[0].clock.next = self.clock.val();
            StateWriteIn::link(&mut self.state, &mut self.raster_test.state);
            StateWriteIn::link(&mut self.state, &mut self.filter.state);
            self.runs.write_enable.next = self.new_state_whole.q.val();
            self.runs.write_address.next = bit_cast::<6, 4>(self.new_state_context.q.val());
            self.runs.write_data.next = bit_cast::<32, 13>(self.next_run.val());
            self.runs_copy.write_enable.next = self.new_state_whole.q.val();
            self.runs_copy.write_address.next = bit_cast::<6, 4>(self.new_state_context.q.val());
            self.runs_copy.write_data.next = bit_cast::<32, 13>(self.next_run.val());
            QuadGroupDataIn::link(&mut self.query, &mut self.raster_test.query);
            TriangleFactsIn::link(&mut self.query_facts, &mut self.raster_test.facts);
            self.raster_test.query.valid.next = self.query_valid[0].val();
            self.raster_test.query_taken.next = self.query_taken[0].val();
            self.runs.read_address.next = bit_cast::<6, 4>(self.query_facts.owner.val().get_value_context());
            self.run_asked[0].d.next = self.runs.read_data.val().get_bits::<13>(0);
            self.raster_test.run.next = self.run_asked[0].q.val();
            GroupBoundOut::join(&mut self.hi_z.bound_ports[1], &mut self.raster_test.bound_ports);
            self.hi_z.read[1].x.next = self.query.x.val().get_bits::<9>(2);
            self.hi_z.read[1].y.next = self.query.y.val().get_bits::<9>(2);
            GroupAnswerOut::link(&mut self.answer_ports[0], &mut self.raster_test.answer_ports);
            self.hides[0].next =
                self.raster_test.answer_ports.answer_valid.val() && self.raster_test.answer_ports.hidden.val();
        }
    }

    /// The rasteriser's quads go through the filter.
    fn raster_quads(&mut self) {
        if self._shared {
            QuadDataIn::link(&mut self.raster_quad, &mut self.filter.in_quad);
            self.filter.in_quad.valid.next = self.raster_quad_valid.val();
            self.raster_quad_ready.next = self.filter.in_quad.ready.val();
            self.filter.in_done.next = self.raster_done.val();
            self.hi_z.lookup_x.next = self.raster_quad.x.val();
            self.hi_z.lookup_y.next = self.raster_quad.y.val();
            self.hi_z.lookup_sample.next = self.raster_quad.sample.val().get_bits::<2>(0);
            self.filter.known.next = self.hi_z.lookup_known.val();
            for k in 0..4 {
                self.filter.bound[k].next = self.hi_z.lookup_bound[k].val();
            }
            self.filter.bound_down.next = self.hi_z.lookup_down.val();
            self.filter.bound_run.next = self.hi_z.lookup_run.val();
            self.filter.bound_resident.next = self.hi_z.lookup_resident.val();
            self.runs_copy.read_address.next = bit_cast::<6, 4>(self.raster_quad.context.val());
            self.run_given[0].d.next = self.runs_copy.read_data.val().get_bits::<13>(0);
            self.filter.run.next = self.run_given[0].q.val();
            self.filter.newest_run.next = self.run.q.val();
            for _k in 0..self._beside {
                QuadOut::link(&mut self.quad, &mut self.filter.quad);
            }
            for _k in 0..self._ahead {
                QuadOut::join(&mut self.filter.quad, &mut self.late.in_quad);
            }
            self.tile_done.next = self.filter.tile_done.val();
            CullEventOut::link(&mut self.culls[2], &mut self.filter.cull);
            self.culls[1].valid.next = self.hides[0].val() && self.query_valid[0].val() && self.query_taken[0].val();
            self.culls[1].kind.next = bits::<2>(3);
            self.culls[1].order.next = self.query_facts.owner.val().get_value_order();
            self.culls[1].x.next = bit_cast::<12, 11>(self.query.x.val()) << bits::<12>(1);
            self.culls[1].y.next = bit_cast::<12, 11>(self.query.y.val()) << bits::<12>(1);
            self.culls[1].side.next = bits::<3>(3);
        }
    }

    /// With a separate Hi-Z for the rasteriser its quads pass through.
    fn separate_hi_z(&mut self) {
        if !self._shared {
            self.hi_z.lookup_x.next = bits::<11>(0);
            self.hi_z.lookup_y.next = bits::<11>(0);
            self.hi_z.lookup_sample.next = bits::<2>(0);
            for _k in 0..self._beside {
                QuadDataIn::join(&mut self.raster_quad, &mut self.quad);
                self.quad.valid.next = self.raster_quad_valid.val();
                self.raster_quad_ready.next = self.quad.ready.val();
            }
            for _k in 0..self._ahead {
                QuadDataIn::link(&mut self.raster_quad, &mut self.late.in_quad);
                self.late.in_quad.valid.next = self.raster_quad_valid.val();
                self.raster_quad_ready.next = self.late.in_quad.ready.val();
            }
            self.tile_done.next = self.raster_done.val();
            CullEventIn::join(&mut self.raster_cull[0], &mut self.culls[1]);
            self.culls[2].valid.next = false;
            self.culls[2].kind.next = bits::<2>(0);
            self.culls[2].order.next = bits::<16>(0);
            self.culls[2].x.next = bits::<12>(0);
            self.culls[2].y.next = bits::<12>(0);
            self.culls[2].side.next = bits::<3>(0);
        }
    }

    /// Quads that are drawn pass by, and those of draws that went past are learned.
    fn late_quads(&mut self) {
        for k in 0..self._ahead {
            clock!(self, clock, late);
            StateWriteIn::link(&mut self.state, &mut self.late.state);
            self.late.past.next = self.bypass[k].val();
            self.late.past_context.next = self.bypass_context[k].val();
            self.late.forgets.next = self.forgets[k].val();
            self.late.busy.next = self.active.q.val();
            self.late.calm.next = self.hi_z.idle.val();
            QuadOut::link(&mut self.quad, &mut self.late.quad);
            QuadOut::join(&mut self.rasteriser.quad, &mut self.late.own);
            QuadOut::join(&mut self.late.learned, &mut self.hi_z.quad);
        }
    }

    /// Parts of the rasteriser's groups are tested.
    fn raster_parts(&mut self) {
        for k in 0..self._parts {
            clock!(self, clock, parts);
            QuadGroupDataIn::link(&mut self.query, &mut self.parts.query);
            TriangleFactsIn::link(&mut self.query_facts, &mut self.parts.facts);
            self.parts.write.next = self.hi_z.part_write[k].val();
            self.parts.write_group.next = self.hi_z.part_group[k].val();
            for h in 0..8 {
                self.parts.part[h].next = self.hi_z.part[h].val();
            }
            self.parts.asked.next = self.hi_z.part_asked[1].val();
            self.parts.answer_valid.next =
                self.query_valid[k].val() && self.raster_test.answer_ports.answer_valid.val();
            self.parts.answer_hidden.next = self.raster_test.answer_ports.hidden.val();
            self.parts.query_taken.next = self.query_taken[k].val();
            self.parts.begins.next = self.part_begins[k].val();
            PartBoundOut::join(&mut self.raster_test.part[k], &mut self.parts.test_ports);
            PartAnswerOut::link(&mut self.part[k], &mut self.parts.answer_ports);
        }
        for e in self._part_from..self._part_until {
            CullEventOut::link(&mut self.culls[e], &mut self.parts.cull);
        }
        for e in self._beside_from..self._part_to {
            CullEventIn::join(&mut self.raster_part_cull[0], &mut self.culls[e]);
        }
    }

    /// The binner asks about its pairs.
    fn binner_pairs(&mut self) {
        for t in 0..self._pairs {
            clock!(self, clock, tests[t], runs_tiles[t]);
            StateWriteIn::link(&mut self.state, &mut self.tests[t].state);
            TriangleDataIn::link(&mut self.pair[t], &mut self.tests[t].triangle);
            self.tests[t].query_valid.next = self.pair[t].valid.val();
            self.tests[t].query_x.next = self.pair_x[t].val();
            self.tests[t].query_y.next = self.pair_y[t].val();
            self.tests[t].query_taken.next = self.pair_taken[t].val();
            self.pair_answer[t].next = self.tests[t].answer_valid.val();
            self.pair_hidden[t].next = self.tests[t].hidden.val();
            self.run_tiles[t].clock.next = self.clock.val();
            self.runs_tiles[t].write_enable.next = self.new_state_whole.q.val();
            self.runs_tiles[t].write_address.next = bit_cast::<6, 4>(self.new_state_context.q.val());
            self.runs_tiles[t].write_data.next = bit_cast::<32, 13>(self.next_run.val());
            self.runs_tiles[t].read_address.next = self.tests[t].read_run.val();
            self.run_tiles[t].d.next = self.runs_tiles[t].read_data.val().get_bits::<13>(0);
            self.tests[t].run.next = self.run_tiles[t].q.val();
            CullEventOut::link(&mut self.culls[3], &mut self.tests[t].cull);
            for k in 0..self._ahead {
                self.tests[t].unknown[k].next = self.hi_z.unknown[k].val();
                self.late.lacks[t].next = self.tests[t].lacks[k].val();
                self.late.lacks_order[t].next = self.pair[t].order.val();
            }
        }
    }

    /// Events tell of tiles that are not drawn, and of records that are cleared.
    fn events(&mut self) {
        self.sweeps.next = self.hi_z.sweeps.val();
        self.culls[0].valid.next = self.reports.val() && !self.is_seen.val();
        self.culls[0].kind.next = bits::<2>(1);
        self.culls[0].order.next = self.in_triangle.order.val();
        self.culls[0].x.next = self.bit_x.q.val();
        self.culls[0].y.next = self.bit_y.q.val();
        self.culls[0].side.next = self.side.q.val();
        for k in 0..self._ahead {
            CullEventIn::join(&mut self.edge_cull[k], &mut self.culls[0]);
        }
    }
}
