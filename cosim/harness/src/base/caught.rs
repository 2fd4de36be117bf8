//! A panic of one case of many as the failure of that case.
//!
//! A suite or a campaign runs cases that have nothing in common but the process. A panic in one of
//! them is a bug, found by that case, and the others still run. Failure mode: state that the panic
//! left half changed; a case owns all that it changes but the pool of compiled designs, and a
//! design from there gets its start state before it is used.

use std::panic::{catch_unwind, AssertUnwindSafe};

/// What the work gave, or the message of its panic.
///
/// # Errors
/// It panicked.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or(panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
        format!("panic: {}", text.unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_message() {
        assert_eq!(caught(|| 3), Ok(3));
        assert_eq!(caught(|| -> u32 { panic!("on purpose: {}", 4) }), Err("panic: on purpose: 4".into()));
    }
}
