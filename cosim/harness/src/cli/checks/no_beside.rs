//! In place of `quadlock fuzz --beside`, where the feature `beside` is off: the first build of a
//! newcomer does without it. The option is refused with a message that names the feature.

use super::fuzz_args::FuzzArgs;
use crate::base::error::{bad, Input};
use crate::cli::outcome::Outcome;

pub(super) fn run(_: &FuzzArgs, _: u64) -> Input<Outcome> {
    bad(
        "--beside: this build draws on no other renderer: it is without the feature `beside`",
        "build without --no-default-features",
    )
}
