//! Edge values as f32: a edge's record and a place in, in each cycle, the rounded value six cycles
//! later. Products in the first cycle, their sum and the constant in the second, then sign and
//! magnitude, two shifts, and one rounding.
//!
//! It never waits: who starts a value has a place for it. It can be wrong in a stage whose label is
//! not that of its value; `tests/attribute_unit.rs` compares every value with exact integers.
//!
//! Planted faults: `bary-round`, `bary-sign`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::cell::{CoarseShift, EdgeAt, EdgeMagnitude, EdgeProduct, EdgeRound, FineShift};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct EdgeEvaluator {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A value is requested.
    pub start: Signal<In, bool>,
    /// What comes out with it: its lane, one bit of 3:0; the beat is complete with it, bit 4.
    pub label: Signal<In, Bits<5>>,
    /// The edge's slope to the right.
    pub a: Signal<In, Bits<24>>,
    /// Its slope down.
    pub b: Signal<In, Bits<24>>,
    /// Its value at the target's corner.
    pub c: Signal<In, Bits<48>>,
    /// Place in eighths of a pixel, to the right.
    pub x: Signal<In, Bits<15>>,
    /// Place in eighths of a pixel, down.
    pub y: Signal<In, Bits<15>>,
    /// A value is there.
    pub valid: Signal<Out, bool>,
    /// Its label.
    pub done: Signal<Out, Bits<5>>,
    /// The value.
    pub word: Signal<Out, Bits<32>>,
    /// A value is inside, or there.
    pub busy: Signal<Out, bool>,
    across: EdgeProduct,
    down: EdgeProduct,
    at: EdgeAt,
    split: EdgeMagnitude,
    coarse: CoarseShift,
    fine: FineShift,
    round: EdgeRound,
    /// Bit i: a value is in stage i.
    inside: DFF<Bits<6>>,
    label1: DFF<Bits<5>>,
    label2: DFF<Bits<5>>,
    label3: DFF<Bits<5>>,
    label4: DFF<Bits<5>>,
    label5: DFF<Bits<5>>,
    label6: DFF<Bits<5>>,
    across1: DFF<Bits<39>>,
    down1: DFF<Bits<39>>,
    constant1: DFF<Bits<48>>,
    value2: DFF<Bits<48>>,
    negative3: DFF<bool>,
    magnitude3: DFF<Bits<48>>,
    negative4: DFF<bool>,
    magnitude4: DFF<Bits<48>>,
    groups4: DFF<Bits<3>>,
    negative5: DFF<bool>,
    magnitude5: DFF<Bits<48>>,
    distance5: DFF<Bits<6>>,
    word6: DFF<Bits<32>>,
    fault_bary_round: Planted,
    fault_bary_sign: Planted,
    _active: bool,
}

impl EdgeEvaluator {
    /// The evaluator of that configuration (only its planted fault matters here).
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            fault_bary_round: Planted::new(config.has(Fault::BaryRound)),
            fault_bary_sign: Planted::new(config.has(Fault::BarySign)),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for EdgeEvaluator {
    #[kernel]
    fn update(&mut self) {
        comment!("module: edge_evaluator");
        dff_setup!(self, clock, inside, label1, label2, label3, label4, label5, label6);
        dff_setup!(self, clock, across1, down1, constant1, value2, negative3, magnitude3, negative4, magnitude4);
        dff_setup!(self, clock, groups4, negative5, magnitude5, distance5, word6);
        self.inside.d.next = self.inside.q.val() << bits::<6>(1);
        if self.start.val() {
            self.inside.d.next = (self.inside.q.val() << bits::<6>(1)) | bits::<6>(1);
        }
        self.label1.d.next = self.label.val();
        self.label2.d.next = self.label1.q.val();
        self.label3.d.next = self.label2.q.val();
        self.label4.d.next = self.label3.q.val();
        self.label5.d.next = self.label4.q.val();
        self.label6.d.next = self.label5.q.val();
        // Products.
        self.across.slope.next = self.a.val();
        self.across.place.next = self.x.val();
        self.down.slope.next = self.b.val();
        self.down.place.next = self.y.val();
        self.across1.d.next = self.across.product.val();
        self.down1.d.next = self.down.product.val();
        self.constant1.d.next = self.c.val();
        // Value.
        self.at.across.next = self.across1.q.val();
        self.at.down.next = self.down1.q.val();
        self.at.constant.next = self.constant1.q.val();
        self.value2.d.next = self.at.value.val();
        // Sign and magnitude.
        self.split.value.next = self.value2.q.val();
        self.negative3.d.next = self.split.negative.val() && !self.fault_bary_sign.val();
        self.magnitude3.d.next = self.split.magnitude.val();
        // Up to the highest bit.
        self.coarse.magnitude.next = self.magnitude3.q.val();
        self.negative4.d.next = self.negative3.q.val();
        self.magnitude4.d.next = self.coarse.shifted.val();
        self.groups4.d.next = self.coarse.groups.val();
        self.fine.magnitude.next = self.magnitude4.q.val();
        self.negative5.d.next = self.negative4.q.val();
        self.magnitude5.d.next = self.fine.shifted.val();
        self.distance5.d.next =
            (bit_cast::<6, 3>(self.groups4.q.val()) << bits::<6>(3)) | bit_cast::<6, 3>(self.fine.places.val());
        // Rounding.
        self.round.negative.next = self.negative5.q.val();
        self.round.magnitude.next = self.magnitude5.q.val();
        self.round.distance.next = self.distance5.q.val();
        self.round.half_up.next = self.fault_bary_round.val();
        self.word6.d.next = self.round.word.val();
        self.valid.next = self.inside.q.val().get_bit(5);
        self.done.next = self.label6.q.val();
        self.word.next = self.word6.q.val();
        self.busy.next = self.inside.q.val().any();
    }
}
