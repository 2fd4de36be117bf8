//! The golden model: what the machine must do, instruction by instruction, without cycles.
//!
//! Written from `docs/isa.md` and `docs/machine.md`; it shares the encoding table with the RTL and
//! nothing else. Two ways of use: [`Golden::issue`] / [`Golden::complete`] (or [`Golden::step`])
//! follow the retirements of the RTL, [`Golden::run_grid`] and [`Golden::run_threads`] run alone
//! and fast. It is wrong where its reading of the two pages is; tests compare every instruction
//! with values written down independently, and with `rustc_apfloat` for floating point.
//!
//! A module imports from rows above its own only, and no files import each other in a circle; the
//! kit's test of the house checks it.
//!
//! | module | what |
//! |---|---|
//! | [`config`] | the shape of the machine, and faults to plant |
//! | [`lanes`] | a value for each lane, masks of lanes |
//! | [`float`] | the float unit's operations |
//! | [`alu`] | what an instruction does to one register of all lanes |
//! | [`derived`] | uniforms that the host derives |
//! | [`cross_lane`] | instructions that read other lanes |
//! | [`semaphores`] | the semaphore entity |
//! | [`effect`] | what an instruction did |
//! | [`memory`] | bytes, and what is unmapped |
//! | [`graphics`] | triangles, targets and their records, without programs |
//! | [`grid`] | work groups and launches |
//! | [`program`] | instruction words, decoded |
//! | [`relevance`] | registers that a decision hangs on |
//! | [`access`] | performing one memory instruction |
//! | [`late`] | lanes that come late to a warp-wide atomic |
//! | [`warp`] | the state of one warp slot |
//! | [`vertices`] | what instructions of vertices and fragments give |
//! | [`watch`] | the log of words that somebody asks for |
//! | [`bounds`] | stores outside the regions that somebody names |
//! | [`model`] | the machine, one instruction at a time |
//! | [`start`] | a start of a machine that has run before |
//! | [`merge`] | two fragment warps that become one |
//! | [`split`] | a fragment warp of pixels that becomes one for each sample |
//! | [`twins`] | two quads of a program that merges and then splits |
//! | [`events`] | where lanes meet merge and split points |
//! | [`messages`] | instructions that send to the semaphore entity |
//! | [`spin`] | what a warp polls |
//! | [`run`] | the model alone |
//! | [`frame_log`] | what a frame did, for holding a machine to it |
//! | [`frame`] | a command list, in order |

#![warn(missing_docs)]

mod access;
mod alu;
mod bounds;
mod config;
mod cross_lane;
mod derived;
mod effect;
mod events;
pub mod float;
pub mod frame;
pub mod frame_log;
pub mod graphics;
mod grid;
mod lanes;
mod late;
mod memory;
mod merge;
mod messages;
mod model;
mod program;
mod relevance;
mod run;
pub mod semaphores;
mod spin;
mod split;
mod start;
mod twins;
mod vertices;
mod warp;
mod watch;

pub use alu::{lane_fn, LaneFn};
pub use bounds::Strays;
pub use config::{Config, Fault, UnitShape};
pub use derived::{derive, DerivedStep};
pub use effect::{Asked, Effect, MemEffect, MemKind, MemoryFault, ProtocolRecord, Trap, TrapRecord, Unreleased};
pub use graphics::records::Events;
pub use grid::{Grid, GroupMember, Launch, LaunchIds, Member, Tags, NO_MERGE_POINT};
pub use lanes::Lanes;
pub use memory::{Memory, UNMAPPED_BELOW};
pub use merge::Merged;
pub use model::{Golden, LaunchError, StepError};
pub use run::{RunError, RunStats};
pub use spin::Spin;
pub use split::{OpenGroup, Split};
pub use warp::{LaneState, Misuse, MisuseKind, Warp};
pub use watch::WordChange;
