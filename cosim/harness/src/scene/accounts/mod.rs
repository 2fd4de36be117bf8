//! What the report says of a frame: figures from the machine's event ports and from the list that
//! was drawn. They are counted cycle by cycle and change nothing of the run.
//!
//! [`culls`] is what Hi-Z hides, [`ideal`] what windows of 1,024 triangles could hide, [`ahead`]
//! the cull pipeline, [`visits`] tiles in windows, [`merging`] and [`splitting`] warps,
//! [`matching`] what merging is measured against, [`account`] which stage each cycle belongs to,
//! [`occupancy`] cycles in which a unit issues, [`newest`] numbers of triangles. [`heat`] and
//! [`funnel`] are pictures too. [`report`] prints all of it. Failure modes: an event counted twice
//! or not at all; so sums of events are compared with the model's counts.

pub mod account;
pub mod ahead;
pub mod culls;
pub mod funnel;
pub mod heat;
pub mod ideal;
mod matching;
pub(super) mod merging;
mod newest;
pub(super) mod occupancy;
pub mod report;
pub(super) mod splitting;
pub mod visits;
