//! A net for panics: naga's front ends have been seen to panic on odd input and on some valid
//! input. A caught panic prints nothing and comes back as text.
//!
//! The panic hook of the process is replaced once by one that looks first whether this thread
//! stands in the net, and else does what the former one did. Wrong would be a panic of our own code
//! inside the net: it would look like one of naga's; only naga is called in it.
//!
//! A build whose panics abort (the first build of a newcomer) has no net: the hook itself prints
//! the error, without a place in the shader, and ends the process as bad input does.

use std::any::Any;
use std::cell::Cell;
use std::panic::{catch_unwind, set_hook, take_hook, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// How many nets this thread stands in.
    static NETS: Cell<u32> = const { Cell::new(0) };
}

/// Installs the hook, once.
fn hook() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let former = take_hook();
        set_hook(Box::new(move |info| {
            if NETS.with(Cell::get) == 0 {
                former(info);
            } else if cfg!(panic = "abort") {
                eprintln!("error: naga failed inside on this shader: {info}");
                eprintln!("help: `cargo build --release` makes a program that says at which declaration");
                std::process::exit(2);
            }
        }));
    });
}

/// The net of this thread, as long as it lives.
struct Net;

impl Net {
    fn new() -> Net {
        hook();
        NETS.with(|n| n.set(n.get() + 1));
        Net
    }
}

impl Drop for Net {
    fn drop(&mut self) {
        NETS.with(|n| n.set(n.get() - 1));
    }
}

/// What `f` returns, or the message of its panic.
pub fn caught<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    let net = Net::new();
    let result = catch_unwind(AssertUnwindSafe(f));
    drop(net);
    result.map_err(|e| message(&*e))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| s.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_comes_back_as_its_message() {
        assert_eq!(caught(|| 3), Ok(3));
        assert_eq!(caught(|| panic!("plain")), Err::<(), _>("plain".into()));
        assert_eq!(caught(|| panic!("of {}", 2)), Err::<(), _>("of 2".into()));
        assert_eq!(caught(|| caught(|| panic!("inner")).unwrap_err()), Ok("inner".to_string()));
        assert_eq!(NETS.with(Cell::get), 0);
    }
}
