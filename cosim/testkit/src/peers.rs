//! Tools that tests compare with and that may be missing: Icarus, Verilator, yosys, python3. A test
//! that needs one asks here and ends early without it. With `QUADLOCK_REQUIRE_PEERS` set, as
//! `make unit` does, a missing tool is a failure: a check that is skipped everywhere would be none.

use std::process::Command;

/// Whether missing tools are failures.
pub fn required() -> bool {
    std::env::var_os("QUADLOCK_REQUIRE_PEERS").is_some()
}

/// Whether `tool` can be run; says so if it cannot.
///
/// # Panics
/// It cannot, and tools are [`required`].
pub fn installed(tool: &str) -> bool {
    let flag = if matches!(tool, "iverilog" | "yosys") { "-V" } else { "--version" };
    let found = Command::new(tool).arg(flag).output().is_ok();
    if !found {
        missing(tool);
    }
    found
}

/// Says that `what` is not installed.
///
/// # Panics
/// Tools are [`required`].
pub fn missing(what: &str) {
    assert!(!required(), "{what} is not installed, and QUADLOCK_REQUIRE_PEERS asks for it");
    eprintln!("skipped: {what} is not installed");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_does_not_exist_is_missing() {
        let asked = std::panic::catch_unwind(|| installed("no-such-tool-of-verilog"));
        assert_eq!(asked.ok(), (!required()).then_some(false));
    }
}
