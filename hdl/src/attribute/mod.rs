//! The attribute unit of a core: what vertex and fragment warps say to the attribute store and the
//! result store, and what they are told of their triangles. [`unit`] is the block; the others are
//! its parts.

pub mod back;
pub mod evaluator;
pub mod front;
pub mod queue;
pub mod unit;
pub(crate) mod words;

pub use unit::AttributeUnit;

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
