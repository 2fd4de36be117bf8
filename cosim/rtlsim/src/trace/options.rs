//! What a trace is asked for: format, scopes, cycles, and variables beside the design's signals.

use std::sync::Arc;

use crate::design::Enumeration;
use crate::options::TraceScope;

/// File format of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFormat {
    /// Text, read by everything.
    Vcd,
    /// Compressed, an order of magnitude smaller.
    Fst,
}

/// A variable of a trace that is no signal of the design: its value is what `Simulation::note` said
/// last, 0 before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Scope inside the top scope, one that the design does not have. Notes of one scope are next
    /// to each other.
    pub scope: String,
    /// Of the signal inside its scope.
    pub name: String,
    /// In bits, at least 1.
    pub width: u32,
    /// Names of its values, for formats that have tables of them.
    pub names: Option<Arc<Enumeration>>,
}

/// What to trace. The signals must be among those the design was compiled for
/// ([`crate::Options::trace_scope`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceOptions {
    /// `None`: VCD for a name that ends in `.vcd`, else FST.
    pub format: Option<TraceFormat>,
    /// Which scopes.
    pub scopes: TraceScope,
    /// First cycle.
    pub from: u64,
    /// Cycle after the last.
    pub to: u64,
    /// Lines for the header of a VCD file, each a `$comment`. FST needs none: it has tables of the
    /// names of values.
    pub comments: Vec<String>,
    /// Variables that the caller sets, in any scope: `scopes` chooses among signals of the design
    /// only.
    pub notes: Vec<Note>,
}

impl Default for TraceOptions {
    fn default() -> Self {
        Self { format: None, scopes: TraceScope::All, from: 0, to: u64::MAX, comments: Vec::new(), notes: Vec::new() }
    }
}

impl TraceOptions {
    /// Chooses the format.
    pub fn format(mut self, format: TraceFormat) -> Self {
        self.format = Some(format);
        self
    }

    /// Takes in scopes that match (see [`crate::options::matches`]) and what is below them, instead
    /// of all.
    pub fn scope(mut self, pattern: &str) -> Self {
        match &mut self.scopes {
            TraceScope::Scopes(list) => list.push(pattern.to_owned()),
            TraceScope::None | TraceScope::All => self.scopes = TraceScope::Scopes(vec![pattern.to_owned()]),
        }
        self
    }

    /// Traces only these cycles.
    pub fn cycles(mut self, range: std::ops::Range<u64>) -> Self {
        (self.from, self.to) = (range.start, range.end);
        self
    }
}
