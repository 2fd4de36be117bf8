//! Diagnostics of the compiler: where, what, and what to do about it. A diagnostic points at a character of the source text, or for SPIR-V
//! at a word of the binary. It can be wrong in one way: a span of naga that does not belong to the file it is resolved against, which gives a
//! position outside the text; such positions are clamped to its end.

use crate::ssa::Loc;
use naga::Span;
use std::fmt;

/// One message about a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub file: String,
    /// From 1; 0 if the source has no lines (SPIR-V) or the position is not known.
    pub line: u32,
    /// In characters, from 1. For SPIR-V the number of the 32-bit word in the file, from 0.
    pub column: u32,
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

/// Resolves byte offsets of one source file.
#[derive(Clone, Debug)]
pub struct SourceMap {
    pub path: String,
    /// The text; empty for SPIR-V.
    text: String,
    /// Byte offset at which each line begins.
    lines: Vec<u32>,
    binary: bool,
}

impl SourceMap {
    pub fn text(path: &str, text: &str) -> Self {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i as u32 + 1)).collect();
        SourceMap { path: path.into(), text: text.into(), lines, binary: false }
    }

    pub fn binary(path: &str) -> Self {
        SourceMap { path: path.into(), text: String::new(), lines: vec![0], binary: true }
    }

    /// Line and column, both from 1, of a byte offset.
    pub fn position(&self, offset: usize) -> (u32, u32) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.lines.partition_point(|&start| start as usize <= offset);
        let start = self.lines[line - 1] as usize;
        (line as u32, self.text[start..offset].chars().count() as u32 + 1)
    }

    /// Position of a span in the source text; unknown for SPIR-V and for undefined spans.
    pub fn loc(&self, file: u16, span: Span) -> Loc {
        match span.to_range() {
            Some(range) if !self.binary => {
                let (line, col) = self.position(range.start);
                Loc { file, line, col }
            }
            _ => Loc { file, line: 0, col: 0 },
        }
    }

    pub fn diagnostic(&self, span: Span, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        let (line, column) = match span.to_range() {
            Some(range) if self.binary => (0, range.start as u32 / 4),
            Some(range) => self.position(range.start),
            None => (0, 0),
        };
        Diagnostic { file: self.path.clone(), line, column, message: message.into(), help: help.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let map = SourceMap::text("a.wgsl", "ab\nµx\n");
        assert_eq!(map.position(0), (1, 1));
        assert_eq!(map.position(1), (1, 2));
        assert_eq!(map.position(3), (2, 1));
        assert_eq!(map.position(5), (2, 2));
        assert_eq!(map.position(999), (3, 1));
    }

    #[test]
    fn a_diagnostic_prints_place_message_and_help() {
        let map = SourceMap::text("a.wgsl", "let x;");
        let d = map.diagnostic(Span::new(4, 5), "no", "yes");
        assert_eq!(d.to_string(), "a.wgsl:1:5: no (yes)");
        let d = SourceMap::binary("a.spv").diagnostic(Span::new(40, 44), "no", "");
        assert_eq!(d.to_string(), "a.spv: word 10: no");
    }
}
