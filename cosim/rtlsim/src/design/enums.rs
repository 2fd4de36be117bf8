//! Names of values. Verilog 2001 has no enumerations; rust-hdl writes one as local parameters
//! `Type_Variant` in every module that uses the type, and says nowhere which signals have it. What
//! is certain, and used here:
//!
//! 1. Parameters of one scope with the same `Type_` before the first underscore, starting with a
//!    capital letter, with distinct values, are one type. Its width is that of its largest value
//!    (at least 1).
//! 2. A register cell (a module with signals `d` and `q`, no scopes below it, and exactly one type,
//!    as wide as `d` and `q`) holds that type: rust-hdl makes one cell for each type of register.
//! 3. A signal whose name is the type's in lower snake case (`float_path` for `FloatPath`), in a
//!    module that declares the type, and as wide, has that type.
//! 4. Every signal that is the same node of the graph before optimisation (a name connected to it,
//!    at any level) has the type too.
//!
//! A node that gets two different types by these rules gets none. Combinational enum signals with
//! other names that reach no register stay plain numbers: a missing name is better than a wrong
//! one.

use rustc_hash::FxHashMap as HashMap;

use crate::graph::{Graph, Scope, ScopeId, SignalId, Value};

/// A type with named values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Enumeration {
    /// `GridState`
    pub name: String,
    /// In bits.
    pub width: u32,
    /// Name without the type's, and value; in the order of the source.
    pub values: Vec<(String, u64)>,
}

impl Enumeration {
    /// Name of a value.
    pub fn name_of(&self, value: u64) -> Option<&str> {
        self.values.iter().find(|v| v.1 == value).map(|v| v.0.as_str())
    }
}

/// The types of a design, and which one each signal has.
#[derive(Debug)]
pub(super) struct Enumerations {
    pub types: Vec<Enumeration>,
    pub of_signal: Vec<Option<u32>>,
}

/// Rule 1: the types that a scope's parameters declare.
fn declared(scope: &Scope) -> Vec<Enumeration> {
    let mut types: Vec<Enumeration> = Vec::new();
    for (parameter, value) in &scope.constants {
        let Some((name, variant)) = parameter.split_once('_') else { continue };
        let (Some(value), true) = (value.small(), name.starts_with(|c: char| c.is_ascii_uppercase())) else { continue };
        match types.iter_mut().find(|t| t.name == name) {
            Some(t) => t.values.push((variant.to_owned(), value)),
            None => {
                types.push(Enumeration { name: name.to_owned(), width: 0, values: vec![(variant.to_owned(), value)] })
            }
        }
    }
    for t in &mut types {
        let largest = t.values.iter().map(|v| v.1).max().unwrap_or(0);
        t.width = (64 - largest.leading_zeros()).max(1);
    }
    types.retain(|t| {
        let mut values: Vec<u64> = t.values.iter().map(|v| v.1).collect();
        values.sort_unstable();
        values.windows(2).all(|w| w[0] != w[1])
    });
    types
}

/// `float_path` of `FloatPath`.
fn snake_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for (i, c) in name.chars().enumerate() {
        if c.is_ascii_uppercase() && i > 0 {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

impl Enumerations {
    pub fn new(graph: &Graph, children: &[Vec<ScopeId>], signals: &[Vec<SignalId>]) -> Self {
        let mut types: Vec<Enumeration> = Vec::new();
        let mut numbers: HashMap<Enumeration, u32> = HashMap::default();
        // type of each node; None after a conflict
        let mut of_node: HashMap<u32, Option<u32>> = HashMap::default();
        for (s, scope) in graph.scopes.iter().enumerate() {
            let declared = declared(scope);
            let has = |name: &str| signals[s].iter().any(|&i| graph.signals[i.index()].name == name);
            let cell = declared.len() == 1 && children[s].is_empty() && has("d") && has("q");
            for t in declared {
                let snake = snake_case(&t.name);
                let width = t.width;
                let number = *numbers.entry(t.clone()).or_insert_with(|| {
                    types.push(t);
                    types.len() as u32 - 1
                });
                for &id in &signals[s] {
                    let signal = &graph.signals[id.index()];
                    let meant = signal.name == snake || cell && matches!(signal.name.as_str(), "d" | "q");
                    let Value::Node(node) = signal.value else { continue };
                    // a constant node is shared by everything that has this value
                    if meant && signal.width == width && graph.as_const(node).is_none() {
                        let slot = of_node.entry(node.0).or_insert(Some(number));
                        if *slot != Some(number) {
                            *slot = None;
                        }
                    }
                }
            }
        }
        let of_signal = graph.signals.iter().map(|s| match s.value {
            Value::Node(node) => of_node.get(&node.0).copied().flatten(),
            Value::Memory(_) => None,
        });
        Self { of_signal: of_signal.collect(), types }
    }
}
