//! Commands that check the project itself: random programs and scenes, engines against each other,
//! float operations, folders of shaders, and speed. The feature `checks` brings them;
//! `no_checks.rs` stands here without it and must have the same names.

mod bench;
mod crosscheck;
mod float_check;
mod fuzz;
mod fuzz_args;
#[cfg_attr(not(feature = "beside"), path = "no_beside.rs")]
mod fuzz_beside;
mod fuzz_links;
mod fuzz_scenes;
mod shader_check;
mod share;

pub(super) use bench::{bench, BenchArgs};
pub(super) use crosscheck::{run as crosscheck, CrosscheckArgs};
pub(super) use float_check::{run as float_check, FloatCheckArgs};
pub(super) use fuzz::run as fuzz;
pub(super) use fuzz_args::FuzzArgs;
pub(super) use shader_check::{run as shader_check, work, ShaderCheckArgs, WorkerArgs};
