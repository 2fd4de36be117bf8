//! Numbers of a run, counted from the event ports: so they exist for every engine, with a model or
//! without.

pub(crate) mod counters;
pub(crate) mod grants;
pub(crate) mod handover;
