//! The command as tests of scenes run it: in a folder, with what it says as one line of words.
//!
//! Drawings of errors break lines by the length of a path, so their bars and line ends go. Wrong
//! would be a test that means to see these.

use std::path::Path;
use std::process::Command;

/// Exit status and what is printed, one space between words.
pub fn run(dir: &Path, args: &[&str]) -> (i32, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_quadlock")).args(args).current_dir(dir).output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    let text = text.replace("= help:", "");
    let words: Vec<&str> = text.split_whitespace().filter(|w| *w != "│").collect();
    (out.status.code().unwrap_or(-1), words.join(" "))
}
