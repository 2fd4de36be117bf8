//! The cull pipeline: it has positions alone, runs ahead of the pipeline that draws, and says of
//! each triangle whether that one need look at it (docs/blocks/cull-pipeline.md).

pub mod pipeline;
pub mod record;

pub use pipeline::CullPipeline;
pub use record::VisibilityRecord;

crate::blocks! {
    "cull_pipeline" "cull/pipeline.rs" "CullPipeline" "position-only pipeline, ahead of the draws"
        |c| CullPipeline::new(c);
    "visibility_record" "cull/record.rs" "VisibilityRecord" "visibility record, one bit per triangle"
        |c| VisibilityRecord::new(c);
}
