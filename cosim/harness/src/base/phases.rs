//! The phases of the work with their times, for `-v`: on standard error, beside the report. Wrong
//! would be a phase that contains another one: its time would be told twice.

use std::time::Instant;

use super::manners::{verbosity, Verbosity};
use super::progress::tell;

/// Does a part of the work; with `-v` its name and its wall-clock time are printed when it is done.
pub fn phase<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    remark(name, &format!("{:.3} s", start.elapsed().as_secs_f64()));
    done
}

/// Prints a line with `-v`, in the columns of the phases.
pub fn remark(name: &str, text: &str) {
    if verbosity() == Verbosity::Verbose {
        tell(&format!("{name:<24}{text}\n"));
    }
}
