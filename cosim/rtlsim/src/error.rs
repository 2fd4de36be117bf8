//! What can go wrong between Verilog text and a running simulation, with the place in the text
//! where there is one.

use std::fmt;

/// A place in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Name of the source (a file's path).
    pub file: String,
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// An error of parsing, elaboration or compilation.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[allow(missing_docs)] // The message of each variant says what its fields mean.
pub enum Error {
    /// The text is not Verilog.
    #[error("{place}: {message}")]
    Syntax { place: Place, message: String },
    /// The text is Verilog outside the subset. `construct` is its name in the standard.
    #[error("{place}: {construct} is not supported: {help}")]
    Unsupported { place: Place, construct: String, help: String },
    /// The text contradicts itself: unknown name, two drivers, a width that is not constant, ...
    #[error("{place}: {message}")]
    Elaborate { place: Place, message: String },
    /// Signals that depend on themselves without a register between.
    #[error("combinational loop: {}", path.join(" -> "))]
    Loop { path: Vec<String>, place: Option<Place> },
    /// No module can be the top, or several can.
    #[error("{0}")]
    Top(String),
    /// A name that the design does not have, or a value that does not fit.
    #[error("{0}")]
    Name(String),
    /// Clocks that never come to rest.
    #[error("{0}")]
    Unstable(String),
    /// A design that is right, but too large for the engine.
    #[error("{0}")]
    TooLarge(String),
    /// Code generation failed: a bug of this crate.
    #[error("internal: {0}")]
    Internal(String),
    /// A file could not be read or written.
    #[error("{file}: {message}")]
    Io { file: String, message: String },
}

/// What should not happen, in the words of whatever it was.
pub(crate) fn internal(e: impl std::fmt::Display) -> Error {
    Error::Internal(e.to_string())
}

/// In words, for those whose errors are words.
impl From<Error> for String {
    fn from(error: Error) -> Self {
        error.to_string()
    }
}
