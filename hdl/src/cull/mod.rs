//! The cull pipeline: it has positions alone, runs ahead of the pipeline that draws, and says of
//! each triangle whether that one need look at it (docs/blocks/cull-pipeline.md).

pub mod pipeline;
pub mod record;

pub use pipeline::CullPipeline;
pub use record::VisibilityRecord;
