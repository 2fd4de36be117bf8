//! Source texts and places in them. Spans of the syntax tree are byte offsets, which are cheap to
//! carry; line and column are computed only when an error is printed. Columns count characters, so
//! a tab is one column.

use crate::error::Place;

/// Where something starts: source number and byte offset in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// By the order in which sources are given; included texts come after them.
    pub source: u32,
    /// In bytes from the start of the text.
    pub offset: u32,
}

/// One Verilog source text with the name that error messages use (a file's path).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Name in error messages.
    pub name: String,
    /// The whole text.
    pub text: String,
}

impl Source {
    /// A source of that name and text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// Line and column of a byte offset (the end of the text for anything past it).
    pub fn place(&self, offset: u32) -> Place {
        let mut end = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &self.text[..end];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        Place {
            file: self.name.clone(),
            line: before.bytes().filter(|&b| b == b'\n').count() as u32 + 1,
            column: before[line_start..].chars().count() as u32 + 1,
        }
    }
}

/// Place of a span in the sources that were parsed.
pub fn place<S: std::borrow::Borrow<Source>>(sources: &[S], span: Span) -> Place {
    match sources.get(span.source as usize) {
        Some(source) => source.borrow().place(span.offset),
        None => Place { file: "(no source)".into(), line: 1, column: 1 },
    }
}
