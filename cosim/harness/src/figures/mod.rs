//! Numbers of a run, counted from the event ports: so they exist for every engine, with a model or without.

pub mod counters;
pub mod grants;
pub mod handover;
