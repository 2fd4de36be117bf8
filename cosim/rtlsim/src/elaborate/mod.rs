//! From syntax tree to graph, in two halves. First every module, once for each set of parameter
//! values, becomes a template (`unit`): parameters and ranges are numbers, processes are executed
//! symbolically (`process`, `always`), expressions have Verilog's widths and signs (`expr`,
//! `select`), and each bit of each net has its one driver. Then the hierarchy is flattened
//! (`flatten`): templates are copied for each instance while wires are resolved to what drives
//! them, on demand and by bit range, so that no order of declaration matters and a loop is one only
//! if its bits say so.
//!
//! Two-state decisions, where Verilog has x or z: division by zero, bits selected outside a vector
//! and words outside a memory are zero, as are undriven bits and open inputs. Registers without an
//! initial value start unknown ([`crate::graph::Start::Unknown`]).

mod always;
mod builder;
mod cover;
mod execution;
mod expr;
mod flatten;
mod function;
mod loop_variables;
mod module;
mod process;
mod select;
mod unit;

use std::collections::BTreeSet;

use rustc_hash::FxHashMap as HashMap;

use crate::ast::{Ast, Item, Module};
use crate::error::Error;
use crate::graph::Graph;
use crate::source::{self, Source};
use unit::{Elab, Result};

/// Elaborates a design: the hierarchy under `top` (or under the one module that no other
/// instantiates) as a flat graph.
///
/// # Errors
/// [`Error::Top`] if there is no single top module; [`Error::Elaborate`] and [`Error::Unsupported`]
/// with the place in the text; [`Error::Loop`] for a combinational loop; [`Error::Io`] for a memory
/// file.
pub fn elaborate(ast: &Ast, sources: &[Source], top: Option<&str>) -> Result<Graph> {
    let sources: Vec<Source> = sources.iter().chain(&ast.included).cloned().collect();
    let mut modules = HashMap::default();
    for m in &ast.modules {
        if let Some(first) = modules.insert(m.name.as_str(), m) {
            let message =
                format!("module {} is defined twice; first at {}", m.name, source::place(&sources, first.span));
            return Err(Error::Elaborate { place: source::place(&sources, m.span), message });
        }
    }
    let top = find_top(ast, &modules, top)?;
    let (templates, known, active) = (Vec::new(), HashMap::default(), Vec::new());
    let mut elab = Elab { sources: &sources, modules, templates, known, active };
    let root = elab.template(top, &[])?;
    flatten::flatten(&elab, root)
}

fn find_top<'a>(ast: &'a Ast, modules: &HashMap<&'a str, &'a Module>, top: Option<&str>) -> Result<&'a Module> {
    if let Some(name) = top {
        return modules.get(name).copied().ok_or_else(|| Error::Top(format!("there is no module {name}")));
    }
    let used: BTreeSet<&str> = ast
        .modules
        .iter()
        .flat_map(|m| &m.items)
        .filter_map(|i| match i {
            Item::Instance(i) => Some(i.module.as_str()),
            _ => None,
        })
        .collect();
    let free: Vec<&Module> = ast.modules.iter().filter(|m| !used.contains(m.name.as_str())).collect();
    match free[..] {
        [only] => Ok(only),
        [] => Err(Error::Top("no module can be the top: there is none, or each is instantiated by another".into())),
        _ => {
            let names: Vec<&str> = free.iter().map(|m| m.name.as_str()).collect();
            Err(Error::Top(format!("several modules can be the top, name one: {}", names.join(", "))))
        }
    }
}
