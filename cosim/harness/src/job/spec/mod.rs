//! Parts of a job file as they are written. What they mean is said one folder up, where the whole
//! job is known.

pub mod bounds;
pub(crate) mod claims;
pub mod constants;
pub(crate) mod dispatch;
pub(crate) mod graph;
pub mod litmus;
pub(crate) mod rows;
