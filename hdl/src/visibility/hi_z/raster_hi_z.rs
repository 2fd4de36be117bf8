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

use crate::base::parts::Part;
use crate::base::{vector, Each, Fitted, Planted};
use crate::config::{CullPipeline, GpuConfig};
use crate::fault::Fault;
use crate::ports::{
    CullEventOut, QuadDataIn, QuadGroupDataIn, QuadGroupIn, QuadIn, QuadOwner, StateWriteIn, TriangleFactsIn,
};
use crate::visibility::{DrawClasses, HiZ, HideParts, HideTest};
use crate::{comment, kernel_of};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct RasterHiZ {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state.
    pub state: StateWriteIn,
    /// A group is asked about.
    /// The group that the rasteriser has, asked about or empty.
    pub query: QuadGroupIn,
    /// Facts of its triangle.
    pub query_facts: TriangleFactsIn,
    /// The group is taken.
    pub query_taken: Signal<In, bool>,
    /// The answer is there.
    pub answer_valid: Signal<Out, bool>,
    /// It: nothing of the group can be seen.
    pub hidden: Signal<Out, bool>,
    // Parts of groups, with four levels: one each, or none.
    /// The group goes on to be covered.
    pub part_begins: Vec<Signal<In, bool>>,
    /// Of the group that is covered: quads that are hidden.
    pub part_hidden: Vec<Signal<Out, Bits<16>>>,
    /// Rows of quads of which that is known.
    pub part_known: Vec<Signal<Out, Bits<4>>>,
    /// There is a beat of the rasteriser.
    /// The beat. It goes on as it is.
    pub told: QuadIn,
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
    asker: DrawClasses,
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
            part_hidden: vector(parts),
            part_known: vector(parts),
            part_cull: Each::new(parts),
            parts: Fitted::new(HideParts::new(config), parts == 1),
            _parts: parts,
            // Draws that go past a cull pipeline are drawn here as all others.
            hi_z: HiZ::new(&GpuConfig { cull_pipeline: CullPipeline::Off, ..config.clone() }, 1, false),
            test: HideTest::new(config, false),
            classes: DrawClasses::new(config),
            asker: DrawClasses::new(config),
            fault_raster_hi_z_wait: planted(Fault::RasterHiZWait),
            fault_raster_hi_z_draw: planted(Fault::RasterHiZDraw),
            _active: true,
            ..Default::default()
        }
    }
}

impl Part<Beats> for RasterHiZ {
    #[kernel]
    fn update(&mut self) {
        comment!("module: raster_hi_z");
        dff_setup!(self, clock, context, compares, inside, within, raises, shrinks, grows);
        clock!(self, clock, hi_z, test, classes, asker);
        StateWriteIn::link(&mut self.state, &mut self.hi_z.state);
        self.sweeps.next = self.hi_z.sweeps.val();
        StateWriteIn::link(&mut self.state, &mut self.test.state);
        StateWriteIn::link(&mut self.state, &mut self.classes.state);
        StateWriteIn::link(&mut self.state, &mut self.asker.state);
        // Beats.
        self.same.next = (self.told.context.val() == self.context.q.val()) || self.fault_raster_hi_z_draw.val();
        if self.told.valid.val() && !self.compares.q.val() && !self.told.end.val() && !self.fault_raster_hi_z_draw.val()
        {
            self.context.d.next = self.told.context.val();
        }
        self.classes.context.next = self.context.q.val();
        self.hi_z.function.next = self.classes.function.val();
        self.hi_z.culls.next = self.classes.culls.val();
        self.hi_z.updates.next = self.classes.updates.val();
        self.hi_z.claims.next = self.classes.claims.val();
        self.hi_z.resets.next = self.classes.resets.val();
        self.hi_z.down.next = self.classes.down.val();
        self.hi_z.run.next = bits::<13>(0);
        QuadDataIn::link(&mut self.told, &mut self.hi_z.quad);
        self.hi_z.quad.valid.next =
            self.told.valid.val() && !self.told.end.val() && self.same.val() && self.quad_ready.val();
        self.goes.next = self.told.end.val() || (self.same.val() && self.hi_z.quad.ready.val());
        self.quad_valid.next = self.told.valid.val() && self.goes.val();
        self.told.ready.next = self.quad_ready.val() && self.goes.val();
        self.passes.next = self.told.valid.val() && self.quad_ready.val() && self.goes.val();
        self.compares.d.next = self.passes.val() && !self.told.end.val();
        // Nobody looks up pixels, or asks whether something is seen.
        self.hi_z.look_x.next = bits::<11>(0);
        self.hi_z.look_y.next = bits::<11>(0);
        self.hi_z.look_sample.next = bits::<2>(0);
    }
}

impl Part<Groups> for RasterHiZ {
    #[kernel]
    fn update(&mut self) {
        QuadGroupIn::link(&mut self.query, &mut self.test.query);
        TriangleFactsIn::link(&mut self.query_facts, &mut self.test.facts);
        self.test.query_taken.next = self.query_taken.val();
        self.test.run.next = bits::<13>(0);
        self.test.known.next = self.hi_z.known[0].val();
        self.test.bound.next = self.hi_z.bound[0].val();
        self.test.bound_down.next = self.hi_z.bound_down[0].val();
        self.test.bound_run.next = self.hi_z.bound_run[0].val();
        self.hi_z.ask_x[0].next = self.query.x.val().get_bits::<9>(2);
        self.hi_z.ask_y[0].next = self.query.y.val().get_bits::<9>(2);
    }
}

impl Part<OnTheWay> for RasterHiZ {
    #[kernel]
    fn update(&mut self) {
        // What is on its way behind the query.
        self.asker.context.next = self.query_facts.owner.val().get_value_context();
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
            if self.asker.resets.val() {
                self.raises.d.next = true;
            }
            if self.asker.claims.val() && !self.asker.down.val() {
                self.shrinks.d.next = true;
            }
            if self.asker.claims.val() && self.asker.down.val() {
                self.grows.d.next = true;
            }
        }
        if self.state.pass.val() {
            self.raises.d.next = true;
        }
    }
}

impl Part<Answer> for RasterHiZ {
    #[kernel]
    fn update(&mut self) {
        self.waits.next = self.raises.q.val() || self.grows.q.val();
        if self.asker.down.val() {
            self.waits.next = self.raises.q.val() || self.shrinks.q.val();
        }
        if !self.asker.culls.val() || self.fault_raster_hi_z_wait.val() {
            self.waits.next = false;
        }
        self.answer_valid.next = self.test.answer_valid.val() && !self.waits.val();
        self.hidden.next = self.test.hidden.val();
    }
}

impl Part<PartTests> for RasterHiZ {
    #[kernel]
    fn update(&mut self) {
        for k in 0..self._parts {
            self.parts.clock.next = self.clock.val();
            QuadGroupDataIn::link(&mut self.query, &mut self.parts.query);
            TriangleFactsIn::link(&mut self.query_facts, &mut self.parts.facts);
            self.parts.write.next = self.hi_z.part_write[k].val();
            self.parts.write_group.next = self.hi_z.part_group[k].val();
            for h in 0..8 {
                self.parts.part[h].next = self.hi_z.part[h].val();
            }
            self.parts.asked.next = self.hi_z.part_asked[k].val();
            self.parts.answer_valid.next = self.query.valid.val() && self.test.answer_valid.val() && !self.waits.val();
            self.parts.answer_hidden.next = self.test.hidden.val();
            self.parts.query_taken.next = self.query_taken.val();
            self.parts.begins.next = self.part_begins[k].val();
            self.parts.may.next = self.test.part_may[k].val();
            self.parts.level.next = self.test.part_level[k].val();
            self.parts.down.next = self.test.part_down[k].val();
            self.part_hidden[k].next = self.parts.hidden.val();
            self.part_known[k].next = self.parts.known.val();
            CullEventOut::link(&mut self.part_cull[k], &mut self.parts.cull);
        }
    }
}

impl Part<CullEvent> for RasterHiZ {
    #[kernel]
    fn update(&mut self) {
        self.cull.valid.next = self.query.valid.val()
            && self.query_taken.val()
            && self.test.answer_valid.val()
            && self.test.hidden.val()
            && !self.waits.val();
        self.cull.kind.next = bits::<2>(3);
        self.cull.order.next = self.query_facts.owner.val().get_value_order();
        self.cull.x.next = bit_cast::<12, 11>(self.query.x.val()) << bits::<12>(1);
        self.cull.y.next = bit_cast::<12, 11>(self.query.y.val()) << bits::<12>(1);
        self.cull.side.next = bits::<3>(3);
    }
}

kernel_of! { RasterHiZ:
    /// A beat goes to Hi-Z and to the depth test in one cycle.
    Beats,
    /// Groups of the rasteriser are tested against bounds.
    Groups,
    /// What is on its way behind the query is counted, and what it does to depths.
    OnTheWay,
    /// An answer waits while something on its way may raise depths.
    Answer,
    /// Parts of the groups are tested.
    PartTests,
    /// An event tells of a group that is hidden and taken.
    CullEvent,
}
