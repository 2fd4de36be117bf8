//! The key `bounds` of a job: what a store outside every buffer is. The file above this folder
//! counts such stores. It can be wrong by a default that hides them: it warns.

use serde::Deserialize;

/// What a store outside every buffer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bounds {
    /// A warning.
    #[default]
    Warn,
    /// A problem, and the verdict of a memory fault.
    Error,
}
