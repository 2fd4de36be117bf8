//! When a run is given up: it has taken too many cycles, or nothing has happened for too many.

use serde::Deserialize;

/// When a run is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Cycles in all; at least 1.
    pub cycles: u64,
    /// Cycles without a retirement or a memory transaction; at least 1.
    pub idle: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { cycles: 10_000_000, idle: 20_000 }
    }
}

impl Limits {
    /// The first value out of its range, in words.
    ///
    /// # Errors
    /// A limit of 0, within which no run could end.
    pub fn check(&self) -> Result<(), String> {
        for (name, value) in [("cycles", self.cycles), ("idle", self.idle)] {
            if value == 0 {
                return Err(format!("limit {name} = 0 is out of range: at least 1 cycle"));
            }
        }
        Ok(())
    }
}
