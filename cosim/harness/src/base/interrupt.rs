//! Ctrl-C, and the request to end that a supervisor sends (SIGINT, SIGTERM).
//!
//! Without anything else the process removes the files that it has not finished ([`super::files`])
//! and ends by the signal, as a shell expects of it. A command that has results to save finishes by
//! itself: it holds a [`Finishing`], and the first signal then only sets [`asked`]. The second one
//! ends the process at once. A signal that the process was started to ignore stays ignored, as of a
//! job in the background of a script. Failure mode: a command that holds a `Finishing` and never
//! looks at `asked`; the second signal still ends it.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// The signal that asked the process to end; 0: none.
static ASKED: AtomicI32 = AtomicI32::new(0);
/// A command finishes by itself.
static FINISHES: AtomicBool = AtomicBool::new(false);

/// Whether the process was asked to end while a command finishes by itself.
pub fn asked() -> bool {
    ASKED.load(Ordering::Acquire) != 0
}

/// While it lives, the first signal does not end the process.
pub struct Finishing(());

impl Finishing {
    /// From now on the command looks at [`asked`].
    pub fn new() -> Self {
        FINISHES.store(true, Ordering::Release);
        Self(())
    }
}

impl Drop for Finishing {
    fn drop(&mut self) {
        FINISHES.store(false, Ordering::Release);
    }
}

/// Watches for signals, in a thread of its own. Without one, signals end the process as usual.
#[cfg(unix)]
pub fn watch() {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let wanted: Vec<i32> = [SIGINT, SIGTERM].into_iter().filter(|&signal| !is_ignored(signal)).collect();
    let Ok(mut signals) = signal_hook::iterator::Signals::new(wanted) else { return };
    let handle = signals.handle();
    let wait = move || signals.forever().for_each(received);
    if std::thread::Builder::new().name("signals".into()).spawn(wait).is_err() {
        handle.close();
    }
}

#[cfg(not(unix))]
pub fn watch() {}

#[cfg(unix)]
fn received(signal: i32) {
    let first = ASKED.swap(signal, Ordering::AcqRel) == 0;
    if first && FINISHES.load(Ordering::Acquire) {
        super::progress::tell("interrupted: saving what is done; once more ends at once\n");
        return;
    }
    end(signal);
}

/// Ends the process by the signal that asked for it, if one did.
pub fn end_if_asked() {
    match ASKED.load(Ordering::Acquire) {
        0 => {}
        #[cfg(unix)]
        signal => end(signal),
        #[cfg(not(unix))]
        _ => {}
    }
}

#[cfg(unix)]
fn end(signal: i32) {
    super::files::remove_unfinished();
    // It returns only if the signal's usual effect does not end a process.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    std::process::exit(128 + signal);
}

/// Whether the process was started with that signal ignored. Known on Linux alone.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().find_map(|line| line.strip_prefix("SigIgn:")).is_some_and(|mask| has(mask, signal))
}

/// Whether a mask of signals, in hexadecimal digits, has that one.
#[cfg(unix)]
fn has(mask: &str, signal: i32) -> bool {
    u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_mask_has_signal_n_in_bit_n_minus_1() {
        assert!(has("\t0000000000000002", 2) && !has("\t0000000000000002", 1));
        assert!(has("0000000000004000", 15) && !has("none", 2));
    }
}
