//! What a command says: to standard output, and to the shell.

use crate::base::error::{bad, complain};
use crate::base::files::remove_unfinished;
use crate::base::manners::{verbosity, Verbosity};
use crate::base::progress::above;

/// Whether a command found what it looks for: a mismatch, a hang, a wrong output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Pass,
    Fail,
}

/// Prints to standard output what the command was asked for, or what is wrong; a closed pipe ends
/// the program quietly as it does for other tools. What cannot be written for another reason, as on
/// a full disk, ends it with exit status 2.
pub fn print(text: &str) {
    use std::io::Write;
    let mut out = std::io::stdout();
    let written = above(|| out.write_all(text.as_bytes()).and_then(|()| out.flush()));
    match written {
        Ok(()) => {}
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => {
            remove_unfinished();
            std::process::exit(0);
        }
        Err(e) => {
            remove_unfinished();
            complain(&format!("error: cannot write to standard output: {e}\n"));
            std::process::exit(2);
        }
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
