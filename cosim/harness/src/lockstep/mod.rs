//! Lockstep: the RTL runs cycle by cycle, the golden model is stepped by its retirements, and
//! checkers compare every effect (tandem verification). What the machine may choose (which warp
//! next, which slot, when memory answers) is taken from it, checked for legality, and imposed on
//! the model. The first mismatch or a hang ends the run. Without a model ([`Options::model`] off)
//! only hangs are found. It would be wrong to accept a record that no checker has seen: every
//! record passes through `Lockstep::cycle` or is reported as left over.

pub(crate) mod alone;
pub(crate) mod checkers;
#[cfg(test)]
mod fake;
pub(crate) mod finding;
mod follow;
pub(crate) mod frame;
pub mod hang;
mod keeper;
pub(crate) mod mismatch;
mod model;
mod options;
pub(crate) mod ownership;
pub(crate) mod replay;
mod run;
pub(crate) mod sequencer;
pub(crate) mod stalled;
pub(crate) mod submitted;
mod tiles;
pub(crate) mod waits;
pub(crate) mod witness;
pub(crate) mod wrong;

pub use model::{golden, grid};
pub use options::{Observer, Options, Quiet};
pub use replay::run_kept;
pub use run::{run, End, RunResult};
