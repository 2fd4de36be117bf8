//! Optimisation passes: one file each, beginning with its theory and ending with its tests. `pipeline` says in which order they run.

pub mod eval;
