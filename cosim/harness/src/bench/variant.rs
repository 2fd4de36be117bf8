//! How the core of a row of the performance table is built.

use std::path::PathBuf;

/// How a core is to be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variant {
    /// As fast as it can, no waves.
    Plain,
    /// With all signals traced into this FST file, made anew by each pass.
    Waves(PathBuf),
}
