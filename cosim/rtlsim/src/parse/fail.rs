//! Why a text is refused, and where, while lines are not counted yet.

use crate::ast::Span;
use crate::error::Error;
use crate::source::{place, Source};

/// An error before its offset is turned into line and column.
#[derive(Debug)]
pub(super) struct Fail {
    pub span: Span,
    /// The construct that is not supported.
    pub construct: Option<String>,
    pub message: String,
    /// No error yet: this file is included here and not read so far.
    pub wanted: Option<String>,
}

/// Of one step of reading.
pub(super) type Res<T> = Result<T, Fail>;

impl Fail {
    pub fn syntax(span: Span, message: impl Into<String>) -> Self {
        Self { span, construct: None, message: message.into(), wanted: None }
    }

    pub fn unsupported(span: Span, construct: impl Into<String>, help: impl Into<String>) -> Self {
        Self { span, construct: Some(construct.into()), message: help.into(), wanted: None }
    }

    pub fn at(self, sources: &[&Source]) -> Error {
        let place = place(sources, self.span);
        match self.construct {
            Some(construct) => Error::Unsupported { place, construct, help: self.message },
            None => Error::Syntax { place, message: self.message },
        }
    }
}
