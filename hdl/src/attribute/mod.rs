//! The attribute unit of a core: what vertex and fragment warps say to the attribute store and the
//! result store, and what they are told of their triangles. [`unit`] is the block; the others are
//! its parts.

pub mod back;
pub mod evaluator;
pub mod front;
pub mod queue;
pub mod unit;

pub use unit::AttributeUnit;

use crate::fields;

fields! {
    /// A completion beat that waits, without its values.
    pub(crate) trait BeatHead: 32 {
        /// Warp unit.
        unit: 3 @ 0,
        /// Warp slot.
        warp: 4 @ 3,
        /// Sequence number.
        seq: 8 @ 7,
        /// Lanes.
        mask: 4 @ 15,
        /// Register.
        dst: 5 @ 19,
        /// A register is written.
        wen: bit @ 24,
        /// Last beat of its instruction.
        last: bit @ 25,
    }
}

fields! {
    /// Tickets and handles of two lanes of a slot.
    pub(crate) trait TagPair: 64 {
        /// Ticket of the lower lane.
        ticket_low: 8 @ 0,
        /// Its handle or entry.
        handle_low: 12 @ 8,
        /// Ticket of the upper lane.
        ticket_high: 8 @ 20,
        /// Its handle or entry.
        handle_high: 12 @ 28,
        /// Kind of the warp.
        kind: 2 @ 40,
    }
}

crate::blocks! {
    "attribute_unit" "attribute/unit.rs" "AttributeUnit" "attribute unit of a core"
        |c| AttributeUnit::new(c);
    "attribute_front" "attribute/front.rs" "AttributeFront" "instructions and requests of the attribute unit"
        |c| front::AttributeFront::new(c);
    "attribute_back" "attribute/back.rs" "AttributeBack" "responses and beats of the attribute unit"
        |c| back::AttributeBack::new(c);
    "beat_queue" "attribute/queue.rs" "BeatQueue" "beats queued for a warp unit"
        |c| queue::BeatQueue::new(c);
    "edge_evaluator" "attribute/evaluator.rs" "EdgeEvaluator" "edge values as f32"
        |c| evaluator::EdgeEvaluator::new(c);
}
