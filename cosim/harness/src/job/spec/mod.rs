//! Parts of a job file as they are written. What they mean is said one folder up, where the whole job is known.

pub mod claims;
pub mod graph;
pub mod litmus;
pub mod rows;
