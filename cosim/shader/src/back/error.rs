//! Why the back end made no code, and for which place of the source.

use crate::ssa::Loc;

/// Why no code could be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BackError {
    /// What cannot be done.
    pub message: String,
    /// Source place.
    pub loc: Loc,
}
