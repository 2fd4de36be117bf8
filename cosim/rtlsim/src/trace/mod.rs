//! Waves: VCD and FST files of a running simulation, for some scopes and some cycles.
//! [`Simulation::start_trace`](crate::Simulation::start_trace) plans the file (which signals, which
//! of them are one node and so one variable with aliases) and starts a thread that encodes and
//! writes; each sample then costs the simulation one list of changed values, sent in big buffers.
//! What the file holds depends on that list alone, so it is the same from run to run. The file gets
//! its name when it is finished: until then it is `NAME.XXXXXX.part` with a random part of its own,
//! and if it cannot be finished it is removed.
//!
//! Time: cycle `c` begins at time `2 c`. In a design of one-evaluation cycles
//! ([`Simulation::single_evaluation`](crate::Simulation::single_evaluation)) the values of the
//! cycle, as they are just before the edge that ends it, stand from `2 c` to `2 c + 2`, and the
//! clock, which the engine does not move, is drawn as 1 then 0. In other designs the clock is low
//! at `2 c` and high at `2 c + 1`. Memories are not traced. Beside the design's signals a trace may
//! have [`Note`]s: variables that the caller sets. FST files have tables of the names of values
//! ([`Enumeration`](crate::design::Enumeration)), one for each type; VCD has no such thing. How it
//! can be wrong: a change the engine does not report is a change that no wave shows; tests compare
//! files, as read by `wellen`, with peeks.

mod digits;
mod fst;
mod options;
mod plan;
mod sink;
mod tracer;
mod vcd;
mod worker;

pub use fst::{has_table, LONGEST_TABLE};
pub use options::{Note, TraceFormat, TraceOptions};
pub(crate) use tracer::Tracer;
