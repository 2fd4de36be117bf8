//! Hi-Z in the rasteriser, alone or beside the visibility unit's (HZ-37): bounds come from the
//! quads that the rasteriser gives, in its order, and its groups are tested against them. A group
//! belongs to one tile, and inside a tile triangles come in order of submission. So a bound never
//! knows of a later triangle, and a group is hidden by the *earlier* rule: what fails its test now
//! fails it when it is drawn.
//!
//! ```text
//! rasteriser: groups -> hide test <- bounds <-+
//!                                  Hi-Z ------+
//!             quads  ---------------^---------> depth test
//! ```
//!
//! A bound that is too far hides less, and quads that are still on their way do no harm by that.
//! But a triangle on its way may raise depths: it writes by another rule, or in the other
//! direction. An answer waits in exactly this case, until all that is behind the query has given
//! its quads and all bounds are written. It waits for that at the beginning of a pass, too. Draws
//! of one direction never wait.
//!
//! A quad goes to Hi-Z and to the depth test in one cycle. A beat of another draw than the one
//! before waits for two cycles: Hi-Z needs the draw of what it compares.
//!
//! It can be wrong by an answer that does not wait, and by a beat that is compared as one of
//! another draw. Planted faults: `raster-hi-z-wait`, `raster-hi-z-draw`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Each, Fitted, Planted};
use crate::comment;
use crate::config::{CullPipeline, GpuConfig};
use crate::fault::Fault;
use crate::ports::{
    CullEventOut, DrawClassOut, GroupAnswerOut, GroupBoundOut, PartAnswerOut, PartBoundOut, QuadDataIn,
    QuadGroupDataIn, QuadGroupIn, QuadIn, QuadOwner, StateWriteIn, TriangleFactsIn,
};
use crate::visibility::{DrawClasses, HiZ, HideParts, HideTest};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct RasterHiZ {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state.
    pub state: StateWriteIn,
    /// Query whether a group of the rasteriser is hidden; empty groups pass as well.
    pub query: QuadGroupIn,
    /// Facts of its triangle.
    pub query_facts: TriangleFactsIn,
    /// The group is taken.
    pub query_taken: Signal<In, bool>,
    /// Whether a group of quads is hidden.
    pub answer_ports: GroupAnswerOut,
    // Parts of groups, with four levels: one each, or none.
    /// The group goes on to be covered.
    pub part_begins: Vec<Signal<In, bool>>,
    /// Which parts of a group are hidden.
    pub part: Each<PartAnswerOut>,
    /// A beat of the rasteriser is offered. It leaves unchanged.
    pub in_quad: QuadIn,
    /// It may go on.
    pub quad_valid: Signal<Out, bool>,
    /// It is taken in this cycle if valid.
    pub quad_ready: Signal<In, bool>,
    /// A triangle has given all its quads in a tile.
    pub tile_done: Signal<In, bool>,
    /// Event: a record of bounds is cleared.
    pub sweeps: Signal<Out, bool>,
    /// Event: a group is hidden, and taken.
    pub cull: CullEventOut,
    /// Event: a part of a group is hidden.
    pub part_cull: Each<CullEventOut>,
    parts: Fitted<HideParts>,
    hi_z: HiZ,
    test: HideTest,
    /// Of the beat, and of the group.
    classes: DrawClasses,
    query_class: DrawClasses,
    /// The draw whose beats are compared.
    context: DFF<Bits<4>>,
    /// A beat was taken in the cycle before.
    compares: DFF<bool>,
    /// Triangles that have given their last group, and not all of their quads.
    inside: DFF<Bits<6>>,
    /// A triangle has given a group, and has more.
    within: DFF<bool>,
    /// Of what is on its way: something raises depths; writes depths that shrink, that grow.
    raises: DFF<bool>,
    shrinks: DFF<bool>,
    grows: DFF<bool>,
    same: Signal<Local, bool>,
    goes: Signal<Local, bool>,
    passes: Signal<Local, bool>,
    drained: Signal<Local, bool>,
    waits: Signal<Local, bool>,
    fewer: Signal<Local, Bits<6>>,
    fault_raster_hi_z_wait: Planted,
    fault_raster_hi_z_draw: Planted,
    _parts: usize,
    _active: bool,
}

impl RasterHiZ {
    /// For that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        let parts = usize::from(config.tests_parts());
        Self {
            part_begins: vector(parts),
            part: Each::new(parts),
            part_cull: Each::new(parts),
            parts: Fitted::new(HideParts::new(config), parts == 1),
            _parts: parts,
            // Draws that go past a cull pipeline are drawn here as all others.
            hi_z: HiZ::new(&GpuConfig { cull_pipeline: CullPipeline::Off, ..config.clone() }, 1, false),
            test: HideTest::new(config, false),
            classes: DrawClasses::new(config),
            query_class: DrawClasses::new(config),
            fault_raster_hi_z_wait: planted(Fault::RasterHiZWait),
            fault_raster_hi_z_draw: planted(Fault::RasterHiZDraw),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl RasterHiZ {
    /// A beat goes to Hi-Z and to the depth test in one cycle.
    fn beats(&mut self) {
        comment!("module: raster_hi_z");
        dff_setup!(self, clock, context, compares, inside, within, raises, shrinks, grows);
        clock!(self, clock, hi_z, test, classes, query_class);
        StateWriteIn::link(&mut self.state, &mut self.hi_z.state);
        self.sweeps.next = self.hi_z.sweeps.val();
        StateWriteIn::link(&mut self.state, &mut self.test.state);
        StateWriteIn::link(&mut self.state, &mut self.classes.state);
        StateWriteIn::link(&mut self.state, &mut self.query_class.state);
        // Beats.
        self.same.next = (self.in_quad.context.val() == self.context.q.val()) || self.fault_raster_hi_z_draw.val();
        if self.in_quad.valid.val()
            && !self.compares.q.val()
            && !self.in_quad.end.val()
            && !self.fault_raster_hi_z_draw.val()
        {
            self.context.d.next = self.in_quad.context.val();
        }
        self.classes.context.next = self.context.q.val();
        DrawClassOut::join(&mut self.classes.class_ports, &mut self.hi_z.class_ports);
        self.hi_z.culls.next = self.classes.culls.val();
        self.hi_z.run.next = bits::<13>(0);
        QuadDataIn::link(&mut self.in_quad, &mut self.hi_z.quad);
        self.hi_z.quad.valid.next =
            self.in_quad.valid.val() && !self.in_quad.end.val() && self.same.val() && self.quad_ready.val();
        self.goes.next = self.in_quad.end.val() || (self.same.val() && self.hi_z.quad.ready.val());
        self.quad_valid.next = self.in_quad.valid.val() && self.goes.val();
        self.in_quad.ready.next = self.quad_ready.val() && self.goes.val();
        self.passes.next = self.in_quad.valid.val() && self.quad_ready.val() && self.goes.val();
        self.compares.d.next = self.passes.val() && !self.in_quad.end.val();
        // Nobody looks up pixels, or asks whether something is seen.
        self.hi_z.lookup_x.next = bits::<11>(0);
        self.hi_z.lookup_y.next = bits::<11>(0);
        self.hi_z.lookup_sample.next = bits::<2>(0);
    }

    /// Groups of the rasteriser are tested against bounds.
    fn groups(&mut self) {
        QuadGroupIn::link(&mut self.query, &mut self.test.query);
        TriangleFactsIn::link(&mut self.query_facts, &mut self.test.facts);
        self.test.query_taken.next = self.query_taken.val();
        self.test.run.next = bits::<13>(0);
        GroupBoundOut::join(&mut self.hi_z.bound_ports[0], &mut self.test.bound_ports);
        self.hi_z.read[0].x.next = self.query.x.val().get_bits::<9>(2);
        self.hi_z.read[0].y.next = self.query.y.val().get_bits::<9>(2);
    }

    /// What is on its way behind the query is counted, and what it does to depths.
    fn on_the_way(&mut self) {
        // What is on its way behind the query.
        self.query_class.context.next = self.query_facts.owner.val().get_value_context();
        self.fewer.next = self.inside.q.val();
        if self.tile_done.val() {
            self.fewer.next = self.inside.q.val() - bits::<6>(1);
        }
        self.inside.d.next = self.fewer.val();
        if self.query_taken.val() {
            self.within.d.next = !self.query.last.val();
            if self.query.last.val() {
                self.inside.d.next = self.fewer.val() + bits::<6>(1);
            }
        }
        // The triangle that is asked about may have given groups itself.
        self.drained.next =
            !self.inside.q.val().any() && self.hi_z.idle.val() && (!self.within.q.val() || self.query.valid.val());
        if self.drained.val() {
            self.raises.d.next = false;
            self.shrinks.d.next = false;
            self.grows.d.next = false;
        }
        if self.query.valid.val() && (self.query_taken.val() || (self.drained.val() && self.within.q.val())) {
            if self.query_class.class_ports.resets.val() {
                self.raises.d.next = true;
            }
            if self.query_class.class_ports.claims.val() && !self.query_class.class_ports.down.val() {
                self.shrinks.d.next = true;
            }
            if self.query_class.class_ports.claims.val() && self.query_class.class_ports.down.val() {
                self.grows.d.next = true;
            }
        }
        if self.state.pass.val() {
            self.raises.d.next = true;
        }
    }

    /// An answer waits while something on its way may raise depths.
    fn answer(&mut self) {
        self.waits.next = self.raises.q.val() || self.grows.q.val();
        if self.query_class.class_ports.down.val() {
            self.waits.next = self.raises.q.val() || self.shrinks.q.val();
        }
        if !self.query_class.culls.val() || self.fault_raster_hi_z_wait.val() {
            self.waits.next = false;
        }
        self.answer_ports.answer_valid.next = self.test.answer_ports.answer_valid.val() && !self.waits.val();
        self.answer_ports.hidden.next = self.test.answer_ports.hidden.val();
    }

    /// Parts of the groups are tested.
    fn part_tests(&mut self) {
        for k in 0..self._parts {
            clock!(self, clock, parts);
            QuadGroupDataIn::link(&mut self.query, &mut self.parts.query);
            TriangleFactsIn::link(&mut self.query_facts, &mut self.parts.facts);
            self.parts.write.next = self.hi_z.part_write[k].val();
            self.parts.write_group.next = self.hi_z.part_group[k].val();
            for h in 0..8 {
                self.parts.part[h].next = self.hi_z.part[h].val();
            }
            self.parts.asked.next = self.hi_z.part_asked[k].val();
            self.parts.answer_valid.next =
                self.query.valid.val() && self.test.answer_ports.answer_valid.val() && !self.waits.val();
            self.parts.answer_hidden.next = self.test.answer_ports.hidden.val();
            self.parts.query_taken.next = self.query_taken.val();
            self.parts.begins.next = self.part_begins[k].val();
            PartBoundOut::join(&mut self.test.part[k], &mut self.parts.test_ports);
            PartAnswerOut::link(&mut self.part[k], &mut self.parts.answer_ports);
            CullEventOut::link(&mut self.part_cull[k], &mut self.parts.cull);
        }
    }

    /// An event tells of a group that is hidden and taken.
    fn cull_event(&mut self) {
        self.cull.valid.next = self.query.valid.val()
            && self.query_taken.val()
            && self.test.answer_ports.answer_valid.val()
            && self.test.answer_ports.hidden.val()
            && !self.waits.val();
        self.cull.kind.next = bits::<2>(3);
        self.cull.order.next = self.query_facts.owner.val().get_value_order();
        self.cull.x.next = bit_cast::<12, 11>(self.query.x.val()) << bits::<12>(1);
        self.cull.y.next = bit_cast::<12, 11>(self.query.y.val()) << bits::<12>(1);
        self.cull.side.next = bits::<3>(3);
    }
}
