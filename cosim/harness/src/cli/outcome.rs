//! What a command says: to standard output, and to the shell.

use crate::base::error::bad;
use crate::base::manners::{verbosity, Verbosity};
use crate::base::progress::above;

/// Whether a command found what it looks for: a mismatch, a hang, a wrong output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Pass,
    Fail,
}

/// Prints to standard output what the command was asked for, or what is wrong; a closed pipe ends
/// the program quietly as it does for other tools.
pub fn print(text: &str) {
    use std::io::Write;
    if above(|| std::io::stdout().write_all(text.as_bytes())).is_err() {
        std::process::exit(0);
    }
}

/// Prints to standard output what is good to know, not with `-q`.
pub fn say(text: &str) {
    if verbosity() > Verbosity::Quiet {
        print(text);
    }
}

/// An error of bad input, as [`bad`], in a command.
pub fn refuse<T>(message: impl Into<String>, help: impl Into<String>) -> anyhow::Result<T> {
    Ok(bad(message, help)?)
}
