//! Diagnostics of the compiler: where, what, and what to do about it. A diagnostic points at a
//! character of the source text, or at a word of a SPIR-V binary that says nothing of its source.

use std::fmt;

/// One message about a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// File of the place.
    pub file: String,
    /// From 1; 0 if the source has no lines (SPIR-V) or the position is not known.
    pub line: u32,
    /// In characters, from 1. For SPIR-V the number of the 32-bit word in the file, from 0.
    pub column: u32,
    /// What is wrong.
    pub message: String,
    /// What to do; may be empty.
    pub help: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, 0) => write!(f, "{}: {}", self.file, self.message)?,
            (0, word) => write!(f, "{}: word {word}: {}", self.file, self.message)?,
            (line, column) => write!(f, "{}:{line}:{column}: {}", self.file, self.message)?,
        }
        if !self.help.is_empty() {
            write!(f, " ({})", self.help)?;
        }
        Ok(())
    }
}

/// The messages that stopped a compilation; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, d) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{d}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

impl From<Diagnostic> for Diagnostics {
    fn from(d: Diagnostic) -> Self {
        Diagnostics(vec![d])
    }
}
