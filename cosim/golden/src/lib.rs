//! The golden model: what the machine must do, instruction by instruction, without cycles.
//!
//! Written from `docs/isa.md` and `docs/machine.md`; it shares the encoding table with the RTL and
//! nothing else. Two ways of use: [`Golden::issue`] / [`Golden::complete`] (or [`Golden::step`])
//! follow the retirements of the RTL, [`Golden::run_grid`] and [`Golden::run_threads`] run alone
//! and fast. It is wrong where its reading of the two pages is; tests compare every instruction
//! with values written down independently, and with `rustc_apfloat` for floating point.

#![warn(missing_docs)]

mod access;
mod alu;
mod config;
mod cross_lane;
mod effect;
pub mod float;
mod grid;
mod late;
mod memory;
mod messages;
mod model;
mod program;
mod relevance;
mod run;
pub mod semaphores;
mod spin;
mod warp;
mod watch;

pub use alu::{lane_fn, LaneFn, Lanes};
pub use config::{Config, Fault, UnitShape};
pub use effect::{Asked, Effect, MemEffect, MemKind, MemoryFault, ProtocolRecord, Trap, TrapRecord, Unreleased};
pub use grid::{Grid, Launch, LaunchIds};
pub use memory::{Memory, UNMAPPED_BELOW};
pub use model::{Golden, LaunchError, StepError};
pub use run::{RunError, RunStats};
pub use spin::Spin;
pub use warp::{LaneState, Warp};
pub use watch::WordChange;
