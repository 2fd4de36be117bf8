//! Lockstep: the RTL runs cycle by cycle, the golden model is stepped by its retirements, and checkers compare every effect (tandem
//! verification). What the machine may choose (which warp next, which slot, when memory answers) is taken from it, checked for legality, and
//! imposed on the model. The first mismatch or a hang ends the run. Without a model ([`Options::model`] off) only hangs are found. It would be wrong
//! to accept a record that no checker has seen: every record passes through `Lockstep::cycle` or is reported as left over.

pub mod alone;
pub mod checkers;
#[cfg(test)]
mod fake;
pub mod finding;
mod follow;
pub mod hang;
mod keeper;
pub mod mismatch;
mod model;
mod options;
pub mod ownership;
pub mod replay;
mod run;
pub mod sequencer;
pub mod witness;
pub mod wrong;

pub use model::{golden, grid};
pub use options::{Observer, Options, Quiet};
pub use replay::run_kept;
pub use run::{run, End, RunResult};
