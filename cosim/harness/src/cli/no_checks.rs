//! In place of the commands that check the project itself, where the feature `checks` is off: the
//! first build of a newcomer does without them. Each command takes any arguments and is refused
//! with a message that names the feature. Wrong would be a name that `checks/mod.rs` has and this
//! has not: the first build would not compile.

use clap::Args;

use super::outcome::Outcome;
use crate::base::error::{bad, Input};

/// What is given to a command that is not in this build.
#[derive(Args)]
#[command(disable_help_flag = true)]
pub(super) struct Refused {
    /// Not read by this build
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _given: Vec<String>,
}

pub(super) type FuzzArgs = Refused;
pub(super) type BenchArgs = Refused;
pub(super) type CrosscheckArgs = Refused;
pub(super) type FloatCheckArgs = Refused;
pub(super) type ShaderCheckArgs = Refused;
pub(super) type WorkerArgs = Refused;

pub(super) fn fuzz(_: &Refused) -> Input<Outcome> {
    refuse("fuzz")
}

pub(super) fn bench(_: &Refused) -> Input<Outcome> {
    refuse("bench")
}

pub(super) fn crosscheck(_: &Refused) -> Input<Outcome> {
    refuse("crosscheck")
}

pub(super) fn float_check(_: &Refused) -> Input<Outcome> {
    refuse("float-check")
}

pub(super) fn shader_check(_: &Refused) -> Input<Outcome> {
    refuse("shader-check")
}

pub(super) fn work(_: &Refused) -> Input<Outcome> {
    refuse("shader-check-worker")
}

fn refuse(command: &str) -> Input<Outcome> {
    bad(
        format!("{command}: this build is without the feature `checks`, which brings the command"),
        "build without --no-default-features",
    )
}
