//! What to compile a design for: engine, optimisation, and which signals a trace may want. Read by
//! [`crate::Design::compile`], by the passes and by both backends. A signal that is not chosen here
//! can still be peeked, but not traced: the compiled engine keeps no record of its changes.

use crate::graph::{Graph, ScopeId, SignalId, Value};

/// What runs the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Native code: the product.
    #[default]
    Compiled,
    /// The reference interpreter: slow and plain.
    Interpreted,
}

/// Which signals can be traced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TraceScope {
    /// None: fastest.
    #[default]
    None,
    /// All signals but memories.
    All,
    /// Signals of scopes that match one of these patterns (see [`matches`]), and of scopes below
    /// such a scope.
    Scopes(Vec<String>),
}

/// How a design is compiled. Made by `Options::default()` and changed by its methods.
///
/// ```
/// use quadlock_rtlsim::{Engine, Options};
///
/// let options = Options::default().engine(Engine::Interpreted).seed(7).trace_all();
/// assert_eq!(options.seed, 7);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Compiled.
    pub engine: Engine,
    /// Run the optimising passes over the graph (on).
    pub optimize: bool,
    /// Skip regions whose inputs did not change (on; compiled engine only).
    pub gating: bool,
    /// Evaluate identical instances as vectors (on; compiled engine only).
    pub simd: bool,
    /// Signals that can be traced (none).
    pub trace: TraceScope,
    /// Seed of start values that the source leaves open (0).
    pub seed: u64,
    /// Settles after which the first code is replaced by code made for the activity it has counted
    /// ([`PROFILE`]; compiled engine with gating only). 0: never.
    pub profile: u32,
    /// Check the code that goes to Cranelift with its verifier. This crate's own tests do, and
    /// every process with `RTLSIM_VERIFY` in its environment: the night's runs. Results do not
    /// depend on it.
    #[doc(hidden)]
    pub verify: bool,
    /// A fault to plant in the compiled engine, to see that it is found.
    #[doc(hidden)]
    pub fault: Option<crate::fault::Fault>,
}

/// Settles that the first code counts, unless [`Options::profile`] says otherwise: with fewer there
/// are too few counts, and the second compile costs as much as the first.
pub const PROFILE: u32 = 8192;

impl Default for Options {
    fn default() -> Self {
        Self {
            engine: Engine::Compiled,
            optimize: true,
            gating: true,
            simd: true,
            trace: TraceScope::None,
            seed: 0,
            profile: PROFILE,
            verify: cfg!(test),
            fault: None,
        }
    }
}

impl Options {
    /// Chooses the engine.
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engine = engine;
        self
    }

    /// Switches the passes.
    pub fn optimize(mut self, on: bool) -> Self {
        self.optimize = on;
        self
    }

    /// Switches activity gating.
    pub fn gating(mut self, on: bool) -> Self {
        self.gating = on;
        self
    }

    /// Switches vectorisation.
    pub fn simd(mut self, on: bool) -> Self {
        self.simd = on;
        self
    }

    /// Makes every signal traceable.
    pub fn trace_all(mut self) -> Self {
        self.trace = TraceScope::All;
        self
    }

    /// Makes signals of matching scopes traceable, in addition to those chosen before.
    pub fn trace_scope(mut self, pattern: &str) -> Self {
        match &mut self.trace {
            TraceScope::All => {}
            TraceScope::Scopes(list) => list.push(pattern.to_owned()),
            TraceScope::None => self.trace = TraceScope::Scopes(vec![pattern.to_owned()]),
        }
        self
    }

    /// Seed of unknown start values.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Settles after which the code is replaced by one for the activity seen so far; 0: never.
    /// Results do not depend on it. Tests that run for a few hundred cycles set it low, or they
    /// would never reach the code that long runs spend their time in.
    pub fn profile(mut self, settles: u32) -> Self {
        self.profile = settles;
        self
    }

    /// Checks the code that goes to Cranelift.
    #[doc(hidden)]
    pub fn verify(mut self, on: bool) -> Self {
        self.verify = on;
        self
    }

    /// The signals that [`crate::backend::Backend::observed`] has: of each distinct node of a
    /// traceable signal the first signal.
    pub fn observed(&self, graph: &Graph) -> Vec<SignalId> {
        let inside = self.trace.scopes(graph);
        let mut seen = vec![false; graph.nodes.len()];
        let mut out = Vec::new();
        for (i, signal) in graph.signals.iter().enumerate() {
            if let (true, Value::Node(node)) = (inside[signal.scope.index()], signal.value) {
                if !std::mem::replace(&mut seen[node.index()], true) {
                    out.push(SignalId(i as u32));
                }
            }
        }
        out
    }
}

impl TraceScope {
    /// For each scope of the graph: are its signals meant?
    pub fn scopes(&self, graph: &Graph) -> Vec<bool> {
        let mut inside: Vec<bool> = Vec::with_capacity(graph.scopes.len());
        for (i, scope) in graph.scopes.iter().enumerate() {
            let above = scope.parent.is_some_and(|p| inside[p.index()]);
            inside.push(match self {
                Self::None => false,
                Self::All => true,
                Self::Scopes(patterns) => {
                    above || {
                        let path = graph.scope_path(ScopeId(i as u32));
                        patterns.iter().any(|p| matches(p, &path))
                    }
                }
            });
        }
        inside
    }
}

/// Does a path with dots match a pattern? `*` stands for any characters but dots, `**` for any
/// characters, `?` for one character but a dot.
///
/// ```
/// use quadlock_rtlsim::options::matches;
///
/// assert!(matches("top.warp*.alu", "top.warp3.alu"));
/// assert!(!matches("top.*", "top.warp3.alu"));
/// assert!(matches("top.**", "top.warp3.alu"));
/// ```
pub fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<char>, Vec<char>) = (pattern.chars().collect(), path.chars().collect());
    // row[j]: the pattern so far matches the first j characters
    let mut row = vec![false; path.len() + 1];
    row[0] = true;
    let mut i = 0;
    while i < pattern.len() {
        let star = pattern[i] == '*';
        let any = star && pattern.get(i + 1) == Some(&'*');
        let mut next = vec![false; path.len() + 1];
        next[0] = star && row[0];
        for (j, &c) in path.iter().enumerate() {
            next[j + 1] = if star {
                row[j + 1] || next[j] && (any || c != '.')
            } else {
                row[j] && (pattern[i] == c || pattern[i] == '?' && c != '.')
            };
        }
        row = next;
        i += if any { 2 } else { 1 };
    }
    row[path.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, path, expected) in [
            ("top", "top", true),
            ("top", "topx", false),
            ("", "", true),
            ("*", "top.a", false),
            ("**", "top.a", true),
            ("**.a", "top.b.a", true),
            ("t?p.*", "top.abc", true),
            ("t?p", "t.p", false),
            ("*a*a", "banana", true),
            ("*a*b", "banana", false),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }
}
