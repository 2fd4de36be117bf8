//! Visibility unit with Hi-Z by back-propagation (HZ-22, HZ-24): bounds of depth come from what was
//! written to the tile buffers. The pixel back end alone updates them. This unit, the binner and
//! the rasteriser only ask.
//!
//! ```text
//! triangle -> walk over tiles -> tile test -> a bit for each tile -> binner -> rasteriser
//!                                   | bounds     | tile test           | hide test
//!                             written depths <---+---------------------+   <- pixel back end
//! ```
//!
//! What was written is older than what is asked about. So all of them ask by one rule: what fails
//! against the depths that are there fails in its turn. That is right if what lies between, from
//! here to the tile buffers, only brings depths nearer. [`InFlight`] knows what lies between. While
//! it holds a triangle that may move depths against the bounds, nothing is hidden. Nobody waits.
//!
//! There is no depth rasteriser. A tile of a box is tested by the triangle's nearest vertex, as at
//! the binner's output. So a tile that the triangle does not cover is seen, if nothing hides it.
//!
//! A tile's bit takes 3 cycles and more, by its groups; 2 if the draw may not be culled.
//!
//! It can be wrong in a triangle that enters unseen, and in a bit of another tile. Planted faults:
//! `back-tile`, and those of its parts.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::pass;
use rust_hdl::prelude::*;

use crate::base::stream::FlowIn;
use crate::base::{vector, Each, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{
    CullEventOut, DepthUpdateIn, FreedHandleIn, GroupAnswerOut, GroupAskOut, QuadGroupIn, QuadOwner, StateWriteIn,
    TileVisibilityOut, TriangleDataIn, TriangleFactsIn, TriangleIn, TriangleOut,
};
use crate::visibility::{BackLevels, DrawClasses, HideTest, InFlight, TileTest};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct BackVisibility {
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
    // The pixel back end.
    /// Depths were written. No back-pressure.
    pub update: DepthUpdateIn,
    /// More may be written.
    pub update_room: Signal<Out, bool>,
    /// The record of a triangle is free again.
    pub free_ports: FreedHandleIn,
    // The rasteriser.
    /// Query whether a group is hidden.
    pub query: QuadGroupIn,
    /// Facts of its triangle.
    pub query_facts: TriangleFactsIn,
    /// The group is taken.
    pub query_taken: Signal<In, bool>,
    /// Whether a group of quads is hidden.
    pub answer_ports: GroupAnswerOut,
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
    // Events.
    /// A record of bounds is cleared.
    pub sweeps: Signal<Out, bool>,
    /// Event ports: culled groups of the rasteriser (0); then culled tiles of the unit, if it
    /// culls; then those of the binner, if it queries.
    pub culls: Each<CullEventOut>,
    levels: BackLevels,
    flight: InFlight,
    classes: DrawClasses,
    test: HideTest,
    /// Of the unit's tiles, if it culls.
    tiles: Vec<TileTest>,
    /// Of the binner's pairs, if it asks.
    pairs: Vec<TileTest>,
    side: DFF<Bits<3>>,
    // The walk, if the unit culls.
    walking: DFF<bool>,
    walked: DFF<bool>,
    x: DFF<Bits<12>>,
    y: DFF<Bits<12>>,
    within: Signal<Local, Bits<12>>,
    step: Signal<Local, Bits<12>>,
    begin_x: Signal<Local, Bits<12>>,
    begin_y: Signal<Local, Bits<12>>,
    now_x: Signal<Local, Bits<12>>,
    now_y: Signal<Local, Bits<12>>,
    last_x: Signal<Local, bool>,
    last_y: Signal<Local, bool>,
    reports: Signal<Local, bool>,
    enters: Signal<Local, bool>,
    raises: Signal<Local, bool>,
    /// What reader i hears counts.
    holds: Vec<Signal<Local, bool>>,
    fault_back_tile: Planted,
    _readers: usize,
    /// 1: the unit culls; it does not.
    _culls: usize,
    _blind: usize,
    /// 1: the binner asks.
    _pairs: usize,
    _active: bool,
}

impl BackVisibility {
    /// For that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let culls = usize::from(config.unit_culls());
        let pairs = usize::from(config.binner_asks());
        let readers = 1 + culls + pairs;
        Self {
            // Those who ask: the rasteriser, the unit, the binner.
            levels: BackLevels::new(config, readers),
            flight: InFlight::new(config),
            classes: DrawClasses::new(config),
            test: HideTest::new(config, false),
            tiles: (0..culls).map(|_| TileTest::earlier(config, true)).collect(),
            pairs: (0..pairs).map(|_| TileTest::earlier(config, false)).collect(),
            culls: Each::new(readers),
            holds: vector(readers),
            pair_x: vector(pairs),
            pair_y: vector(pairs),
            pair: Each::new(pairs),
            pair_taken: vector(pairs),
            pair_answer: vector(pairs),
            pair_hidden: vector(pairs),
            fault_back_tile: Planted::new(config.has(Fault::BackTile)),
            _readers: readers,
            _culls: culls,
            _blind: 1 - culls,
            _pairs: pairs,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl BackVisibility {
    /// State words go to all who want them, and the pass tells the side of a tile.
    fn tile_size(&mut self) {
        comment!("module: back_visibility");
        dff_setup!(self, clock, side, walking, walked, x, y);
        clock!(self, clock, levels, flight, classes, test);
        StateWriteIn::link(&mut self.state, &mut self.levels.state);
        self.sweeps.next = self.levels.sweeps.val();
        StateWriteIn::link(&mut self.state, &mut self.classes.state);
        StateWriteIn::link(&mut self.state, &mut self.test.state);
        TriangleIn::join(&mut self.in_triangle, &mut self.triangle);
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
    }

    /// The triangle passes, and is on its way from then on.
    fn entry(&mut self) {
        self.enters.next = self.in_triangle.valid.val() && self.triangle.ready.val();
        self.classes.context.next = self.in_triangle.context.val();
        // By an order a depth only comes nearer, whoever made it.
        self.raises.next = self.classes.class_ports.resets.val()
            && ((self.classes.class_ports.function.val() == bits::<3>(5))
                || (self.classes.class_ports.function.val() == bits::<3>(7)));
        self.flight.enter.next = self.enters.val();
        self.flight.enter_handle.next = self.in_triangle.handle.val();
        self.flight.enter_raises.next = self.raises.val();
        self.flight.enter_shrinks.next = self.classes.class_ports.claims.val() && !self.classes.class_ports.down.val();
        self.flight.enter_grows.next = self.classes.class_ports.claims.val() && self.classes.class_ports.down.val();
        self.flight.free.next = self.free_ports.free_valid.val();
        self.flight.free_handle.next = self.free_ports.free_handle.val();
        self.levels.settle.next = self.flight.settle.val();
        self.flight.settled.next = self.levels.settled.val();
        self.levels.way.next = self.enters.val() && self.classes.class_ports.claims.val();
        self.levels.way_down.next = self.classes.class_ports.down.val();
    }

    /// A bound counts if nothing on its way moves depths against it.
    fn bounds(&mut self) {
        // What was written.
        DepthUpdateIn::link(&mut self.update, &mut self.levels.update);
        self.update_room.next = self.levels.room.val();
        // A bound counts if nothing that was on its way when it was read moves depths against it.
        for r in 0..self._readers {
            self.holds[r].next = self.levels.known[r].val() && !self.flight.may_rise.val();
            if self.levels.bound_down[r].val() {
                self.holds[r].next = self.levels.known[r].val() && !self.flight.may_fall.val();
            }
        }
    }

    /// The rasteriser's groups are tested.
    fn groups(&mut self) {
        QuadGroupIn::link(&mut self.query, &mut self.test.query);
        TriangleFactsIn::link(&mut self.query_facts, &mut self.test.facts);
        self.test.query_taken.next = self.query_taken.val();
        self.test.run.next = bits::<13>(0);
        self.test.bound_ports.known.next = self.holds[0].val();
        self.test.bound_ports.bound.next = self.levels.bound[0].val();
        self.test.bound_ports.bound_down.next = self.levels.bound_down[0].val();
        self.test.bound_ports.bound_run.next = bits::<13>(0);
        self.levels.read[0].x.next = self.query.x.val().get_bits::<9>(2);
        self.levels.read[0].y.next = self.query.y.val().get_bits::<9>(2);
        GroupAnswerOut::link(&mut self.answer_ports, &mut self.test.answer_ports);
    }

    /// The tiles of a triangle's box are tested.
    fn box_tiles(&mut self) {
        self.begin_x.next = self.in_triangle.x0.val() & !self.within.val();
        self.begin_y.next = self.in_triangle.y0.val() & !self.within.val();
        self.now_x.next = self.begin_x.val();
        self.now_y.next = self.begin_y.val();
        if self.walking.q.val() {
            self.now_x.next = self.x.q.val();
            self.now_y.next = self.y.q.val();
        }
        self.last_x.next = (self.now_x.val() | self.within.val()) >= self.in_triangle.x1.val();
        self.last_y.next = (self.now_y.val() | self.within.val()) >= self.in_triangle.y1.val();
        self.reports.next = false;
        for _k in 0..self._blind {
            self.visible_ports.visible_valid.next = self.in_triangle.valid.val();
            self.visible_ports.visible.next = true;
        }
        for t in 0..self._culls {
            clock!(self, clock, tiles[t]);
            StateWriteIn::link(&mut self.state, &mut self.tiles[t].state);
            TriangleDataIn::link(&mut self.in_triangle, &mut self.tiles[t].triangle);
            self.tiles[t].query_valid.next = self.in_triangle.valid.val() && !self.walked.q.val();
            self.tiles[t].query_x.next = self.now_x.val();
            self.tiles[t].query_y.next = self.now_y.val();
            self.visible_ports.visible_valid.next =
                self.in_triangle.valid.val() && !self.walked.q.val() && self.tiles[t].answer_valid.val();
            self.visible_ports.visible.next = !self.tiles[t].hidden.val();
            self.reports.next = self.in_triangle.valid.val()
                && !self.walked.q.val()
                && self.tiles[t].answer_valid.val()
                && self.visible_ports.visible_ready.val();
            self.tiles[t].query_taken.next = self.reports.val() && !self.fault_back_tile.val();
            self.tiles[t].run.next = bits::<13>(0);
            self.tiles[t].bound_ports.known.next = self.holds[1].val();
            self.tiles[t].bound_ports.bound.next = self.levels.bound[1].val();
            self.tiles[t].bound_ports.bound_down.next = self.levels.bound_down[1].val();
            self.tiles[t].bound_ports.bound_run.next = bits::<13>(0);
            GroupAskOut::join(&mut self.tiles[t].read, &mut self.levels.read[1]);
            CullEventOut::link(&mut self.culls[1], &mut self.tiles[t].cull);
        }
    }

    /// The walk goes to the next tile of the box when a tile has been reported.
    fn box_walk(&mut self) {
        if self.reports.val() {
            self.walking.d.next = true;
            self.x.d.next = self.now_x.val() + self.step.val();
            self.y.d.next = self.now_y.val();
            if self.last_x.val() {
                self.x.d.next = self.begin_x.val();
                self.y.d.next = self.now_y.val() + self.step.val();
                self.walked.d.next = self.last_y.val();
            }
        }
        if self.enters.val() {
            self.walking.d.next = false;
            self.walked.d.next = false;
        }
    }

    /// The binner's pairs are tested.
    fn pairs(&mut self) {
        for t in 0..self._pairs {
            clock!(self, clock, pairs[t]);
            StateWriteIn::link(&mut self.state, &mut self.pairs[t].state);
            TriangleDataIn::link(&mut self.pair[t], &mut self.pairs[t].triangle);
            self.pairs[t].query_valid.next = self.pair[t].valid.val();
            self.pairs[t].query_x.next = self.pair_x[t].val();
            self.pairs[t].query_y.next = self.pair_y[t].val();
            self.pairs[t].query_taken.next = self.pair_taken[t].val();
            self.pair_answer[t].next = self.pairs[t].answer_valid.val();
            self.pair_hidden[t].next = self.pairs[t].hidden.val();
            self.pairs[t].run.next = bits::<13>(0);
            self.pairs[t].bound_ports.known.next = self.holds[2].val();
            self.pairs[t].bound_ports.bound.next = self.levels.bound[2].val();
            self.pairs[t].bound_ports.bound_down.next = self.levels.bound_down[2].val();
            self.pairs[t].bound_ports.bound_run.next = bits::<13>(0);
            GroupAskOut::join(&mut self.pairs[t].read, &mut self.levels.read[2]);
            CullEventOut::link(&mut self.culls[2], &mut self.pairs[t].cull);
        }
    }

    /// The event tells of a hidden group.
    fn cull_event(&mut self) {
        self.culls[0].valid.next = self.query.valid.val()
            && self.query_taken.val()
            && self.test.answer_ports.answer_valid.val()
            && self.test.answer_ports.hidden.val();
        self.culls[0].kind.next = bits::<2>(3);
        self.culls[0].order.next = self.query_facts.owner.val().get_value_order();
        self.culls[0].x.next = bit_cast::<12, 11>(self.query.x.val()) << bits::<12>(1);
        self.culls[0].y.next = bit_cast::<12, 11>(self.query.y.val()) << bits::<12>(1);
        self.culls[0].side.next = bits::<3>(3);
    }
}
