//! Attribute unit of a core: executes `OUT`, `BARY`, `ATTR` and `ATTR.FLAT` (docs/graphics.md,
//! "Programs") beside the warp units. It stands between the arbiter of the units' memory
//! instructions and the core's load/store/atomic pipeline (LSA), and knows the tags of every warp
//! slot, because it sees the launches. It says the words of vertices and of fragments, and asks the
//! store about triangles; answers go back to the warp units as completion beats.
//!
//! Everything else passes through in its cycle, in both directions. An instruction of which no lane
//! is left completes here, with one beat that writes nothing, and never reaches memory.
//!
//! A unit's instructions complete in their order: one goes to a side only when nothing of its unit
//! is left on the other side. Two counters for each unit know that. Beats of both sides take turns.
//! Those of this side may wait on their way; `own_done` says that the warp unit has the last one.
//!
//! Latency, from an instruction that is taken to its first beat, with a store that answers in the
//! cycle after the question: one without lanes 3 cycles; `OUT` 4 if its word is taken at once;
//! `ATTR` of one triangle 5, of four 8; `BARY` of four lanes 14. Rate: one without lanes in 2
//! cycles, `OUT` in 3, `ATTR.FLAT` of one triangle in 3, `ATTR` in 5, of four in 14, `BARY` of four
//! lanes in 13 or 14.
//!
//! It can be wrong in the order of a unit's completions, and by a beat for the wrong unit;
//! `tests/attribute_unit.rs` has both sides answer at random times.
//!
//! Planted fault: `attribute-order`, and those of its parts.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::back::AttributeBack;
use super::front::AttributeFront;
use crate::base::{vector, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{
    AttributeJobOut, BeatDataIn, BeatDataOut, BeatIn, BeatOut, RequestDataIn, RequestIn, ResultWordOut, StateWriteIn,
    StoreAnswerIn, StoreReadOut, TagsIn, UnitLaunchIn, VertexWordOut,
};

/// See the module documentation. Ports without a comment have the meaning of the pipeline's ports
/// of that name; see [`Lsa`](crate::memory::Lsa).
#[derive(Default, QuietBlock)]
pub struct AttributeUnit {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Number of the core.
    pub source: Signal<In, Bits<4>>,
    /// A warp of a unit of the core is launched.
    pub launch_ports: UnitLaunchIn,
    /// Merging: lanes of unit i's slots whose tags are those of member 1, bits 4 s + 3 : 4 s of
    /// slot s; none without it.
    pub mates: Vec<Signal<In, Bits<64>>>,
    /// Splitting into pixels: slots of unit i that stand for pixels and will be one of them.
    pub whole: Vec<Signal<In, Bits<16>>>,
    /// Pairs of groups: slots whose lanes have tags of the second group, two slots behind 15:0,
    /// four behind 31:16.
    pub twins: Vec<Signal<In, Bits<32>>>,
    /// Groups of more than two: bit 1 of the members' numbers, where `mates` is bit 0.
    pub mates_high: Vec<Signal<In, Bits<64>>>,
    /// What it is.
    pub tags: TagsIn,
    /// State of the pipeline: the pass's number of samples is kept.
    pub state: StateWriteIn,
    // Request of the granted warp unit.
    /// Warp unit that it comes from.
    pub req_unit: Signal<In, Bits<3>>,
    /// A request is offered.
    pub req: RequestIn,
    // To and from the load/store/atomic pipeline. What a request says goes past the attribute unit.
    /// The request is for the pipeline.
    pub lsa_req_valid: Signal<Out, bool>,
    /// The pipeline takes it.
    pub lsa_req_ready: Signal<In, bool>,
    /// Warp unit that it is for.
    pub lsa_rsp_unit: Signal<In, Bits<3>>,
    /// A beat of the pipeline is there.
    pub lsa_rsp: BeatIn,
    // Completion beats for the warp units.
    /// Warp unit that it is for.
    pub rsp_unit: Signal<Out, Bits<3>>,
    /// A beat is there.
    pub rsp: BeatOut,
    /// It is of this side, and not of the pipeline.
    pub rsp_own: Signal<Out, bool>,
    /// Warp unit i has received the last beat of an instruction of the attribute unit.
    pub own_done: Vec<Signal<In, bool>>,
    // Graphics.
    /// Word of vertices, written by a vertex warp.
    pub vertex_word: VertexWordOut,
    /// With a cull pipeline: the word is of the cull pipeline's vertices. One element, or none.
    pub vertex_word_cull: Vec<Signal<Out, bool>>,
    /// Word of fragments, written by a fragment warp.
    pub result_word: ResultWordOut,
    /// Request for an edge or a word of a triangle's record.
    pub store_req: StoreReadOut,
    /// Response of the set-up store, for the core whose number it carries. No back-pressure.
    pub store_rsp: StoreAnswerIn,
    front: AttributeFront,
    back: AttributeBack,
    /// Instructions of unit i that are on this side; that the pipeline has.
    own: Vec<DFF<Bits<5>>>,
    passed: Vec<DFF<Bits<5>>>,
    /// The last beat was of this side.
    turn: DFF<bool>,
    is_own: Signal<Local, bool>,
    own_left: Signal<Local, bool>,
    passed_left: Signal<Local, bool>,
    takes: Signal<Local, bool>,
    passes: Signal<Local, bool>,
    from_own: Signal<Local, bool>,
    passed_done: Signal<Local, bool>,
    /// By unit: a job of its own comes, is done; one that is passed on comes, is done.
    own_more: Vec<Signal<Local, bool>>,
    own_fewer: Vec<Signal<Local, bool>>,
    passed_more: Vec<Signal<Local, bool>>,
    passed_fewer: Vec<Signal<Local, bool>>,
    fault_attribute_order: Planted,
    _culls: bool,
    _mates: usize,
    _whole: usize,
    _mates_high: usize,
    _twins: usize,
    _units: usize,
    _active: bool,
}

impl AttributeUnit {
    /// The unit of a core of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let mates = if config.merges() { config.units } else { 0 };
        let whole = if config.turns() { config.units } else { 0 };
        Self {
            vertex_word_cull: vector(usize::from(config.culls())),
            _culls: config.culls(),
            mates: vector(mates),
            whole: vector(whole),
            _whole: whole,
            twins: vector(if config.twins() { config.units } else { 0 }),
            _twins: if config.twins() { config.units } else { 0 },
            mates_high: vector(if config.groups() { config.units } else { 0 }),
            _mates_high: if config.groups() { config.units } else { 0 },
            _mates: mates,
            front: AttributeFront::new(config),
            back: AttributeBack::new(config),
            own_done: vector(config.units),
            own_more: vector(config.units),
            own_fewer: vector(config.units),
            passed_more: vector(config.units),
            passed_fewer: vector(config.units),
            own: vector(config.units),
            passed: vector(config.units),
            fault_attribute_order: Planted::new(config.has(Fault::AttributeOrder)),
            _units: config.units,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl AttributeUnit {
    /// An instruction goes to a side only when nothing of its unit is on the other.
    fn admission(&mut self) {
        comment!("module: attribute_unit");
        dff_setup!(self, clock, turn);
        clock!(self, clock, front, back);
        // Opcodes 0x0B to 0x0E, and what has no lane.
        self.is_own.next = (self.req.op.val().get_bits::<4>(4) == bits::<4>(0)) || !self.req.mask.val().any();
        self.own_left.next = false;
        self.passed_left.next = false;
        for i in 0..self._units {
            if self.req_unit.val() == i.to_bits::<3>() {
                self.own_left.next = self.own[i].q.val().any() && !self.fault_attribute_order.val();
                self.passed_left.next = self.passed[i].q.val().any() && !self.fault_attribute_order.val();
            }
        }
        self.front.req.valid.next = self.req.valid.val() && self.is_own.val() && !self.passed_left.val();
        self.takes.next =
            self.req.valid.val() && self.is_own.val() && !self.passed_left.val() && self.front.req.ready.val();
        self.lsa_req_valid.next = self.req.valid.val() && !self.is_own.val() && !self.own_left.val();
        self.passes.next =
            self.req.valid.val() && !self.is_own.val() && !self.own_left.val() && self.lsa_req_ready.val();
        self.req.ready.next = self.lsa_req_ready.val() && !self.own_left.val();
        if self.is_own.val() {
            self.req.ready.next = self.front.req.ready.val() && !self.passed_left.val();
        }
    }

    /// The front half takes launches and instructions, and sends words and store reads.
    fn front_half(&mut self) {
        self.front.source.next = self.source.val();
        UnitLaunchIn::link(&mut self.launch_ports, &mut self.front.launch_ports);
        TagsIn::link(&mut self.tags, &mut self.front.tags);
        for i in 0..self._mates {
            self.front.mates[i].next = self.mates[i].val();
        }
        for i in 0..self._whole {
            self.front.whole[i].next = self.whole[i].val();
        }
        for i in 0..self._twins {
            self.front.twins[i].next = self.twins[i].val();
        }
        for i in 0..self._mates_high {
            self.front.mates_high[i].next = self.mates_high[i].val();
        }
        StateWriteIn::link(&mut self.state, &mut self.front.state);
        self.front.req_unit.next = self.req_unit.val();
        RequestDataIn::link(&mut self.req, &mut self.front.req);
        VertexWordOut::link(&mut self.vertex_word, &mut self.front.vertex_word);
        if self._culls {
            self.vertex_word_cull[0].next = self.front.vertex_word_cull[0].val();
        }
        ResultWordOut::link(&mut self.result_word, &mut self.front.result_word);
        StoreReadOut::link(&mut self.store_req, &mut self.front.store_req);
        self.front.used.next = self.back.used.val();
    }

    /// The second half gets jobs of the first one, and the store's answers.
    fn back_half(&mut self) {
        self.back.source.next = self.source.val();
        StoreAnswerIn::link(&mut self.store_rsp, &mut self.back.store_rsp);
        AttributeJobOut::join(&mut self.front.job, &mut self.back.job);
    }

    /// Beats of both sides take turns.
    fn beats(&mut self) {
        self.from_own.next = self.back.rsp.valid.val() && (!self.lsa_rsp.valid.val() || !self.turn.q.val());
        self.rsp.valid.next = self.back.rsp.valid.val() || self.lsa_rsp.valid.val();
        self.rsp_unit.next = self.lsa_rsp_unit.val();
        BeatDataIn::join(&mut self.lsa_rsp, &mut self.rsp);
        self.lsa_rsp.ready.next = self.rsp.ready.val() && !self.from_own.val();
        self.back.rsp.ready.next = self.rsp.ready.val() && self.from_own.val();
        if self.from_own.val() {
            self.rsp_unit.next = self.back.rsp_unit.val();
            BeatDataOut::link(&mut self.rsp, &mut self.back.rsp);
        }
        if self.rsp.valid.val() && self.rsp.ready.val() {
            self.turn.d.next = self.from_own.val();
        }
        self.rsp_own.next = self.from_own.val();
        self.passed_done.next =
            !self.from_own.val() && self.lsa_rsp.valid.val() && self.rsp.ready.val() && self.lsa_rsp.last.val();
    }

    /// Counters hold how many instructions are in flight on each side.
    fn in_flight(&mut self) {
        for i in 0..self._units {
            self.own[i].clock.next = self.clock.val();
            self.passed[i].clock.next = self.clock.val();
            self.own[i].d.next = self.own[i].q.val();
            self.passed[i].d.next = self.passed[i].q.val();
            self.own_more[i].next = self.takes.val() && (self.req_unit.val() == i.to_bits::<3>());
            self.own_fewer[i].next = self.own_done[i].val();
            if self.own_more[i].val() && !self.own_fewer[i].val() {
                self.own[i].d.next = self.own[i].q.val() + bits::<5>(1);
            }
            if !self.own_more[i].val() && self.own_fewer[i].val() {
                self.own[i].d.next = self.own[i].q.val() - bits::<5>(1);
            }
            self.passed_more[i].next = self.passes.val() && (self.req_unit.val() == i.to_bits::<3>());
            self.passed_fewer[i].next = self.passed_done.val() && (self.lsa_rsp_unit.val() == i.to_bits::<3>());
            if self.passed_more[i].val() && !self.passed_fewer[i].val() {
                self.passed[i].d.next = self.passed[i].q.val() + bits::<5>(1);
            }
            if !self.passed_more[i].val() && self.passed_fewer[i].val() {
                self.passed[i].d.next = self.passed[i].q.val() - bits::<5>(1);
            }
        }
    }
}
