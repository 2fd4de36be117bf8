//! Signals of a simulated machine: the tree that an engine describes, and which part of it a trace
//! has. Both engines and traces speak of signals in these words. Wrong would be a scope that two of
//! them select differently: [`Window::selects`] is the one place that decides.

use quadlock_rtlsim::options::matches;

/// How the value of a signal is to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignalKind {
    /// A number.
    Bits,
    /// All clocks are one clock: a trace writes it once.
    Clock,
    /// Names of the states, by value.
    Enum {
        /// Name of the enumeration in the RTL.
        type_name: String,
        /// By value, from 0.
        states: Vec<String>,
    },
}

/// Receives the tree of signals: scopes nest, signals come in a fixed order.
pub trait SignalTree {
    /// What follows is in this scope, until it is left.
    fn enter(&mut self, scope: &str);
    /// Ends the innermost scope.
    fn leave(&mut self);
    /// A signal of the innermost scope; `width` in bits.
    fn signal(&mut self, name: &str, width: u32, kind: SignalKind);
}

/// What a trace contains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// First cycle.
    pub from: u64,
    /// Last cycle, inclusive.
    pub to: Option<u64>,
    /// Scopes as dotted paths (`quadlock.cores_0.units_0`, `*` and `**` as in [`matches`]); with
    /// what is inside them. Empty: all.
    pub scopes: Vec<String>,
    /// The most bytes; the trace ends with the cycle that reaches it.
    pub limit: Option<u64>,
}

impl Window {
    /// Whether signals of that scope, a dotted path, are in the trace.
    pub fn selects(&self, scope: &str) -> bool {
        let ends = scope.match_indices('.').map(|m| m.0).chain([scope.len()]);
        let mut prefixes = ends.map(|end| &scope[..end]);
        self.scopes.is_empty() || prefixes.any(|p| self.scopes.iter().any(|s| matches(s, p)))
    }
}
