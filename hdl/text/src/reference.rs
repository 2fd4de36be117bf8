//! The unique modules of an export made the slow way: rust-hdl's own text of every instance, and
//! then what is equal becomes one. It is what [`modules`](crate::modules) is compared with, byte
//! for byte, by tests of the RTL's crate. It shares with it what is done to a module's lines.
//!
//! It would be no reference if it took anything from a [record](crate::record).

use std::collections::BTreeMap;

use rust_hdl::prelude::*;

use crate::declared::Declared;
use crate::literals::sized_literals;
use crate::merge::{Line, Unique};
use crate::unroll::without_loops;

/// As [`modules`](crate::modules), by rust-hdl's generator and checks.
///
/// # Errors
/// What rust-hdl's checks refuse.
pub fn modules_by_rust_hdl(block: &dyn Block) -> Result<(Unique, usize), String> {
    check_all(block).map_err(|e| format!("the design is not sound: {e:?}"))?;
    let all = split(&verilog(block));
    let mut unique = Unique::default();
    let root = add(&mut unique, "top", "top", &all)?;
    Ok((unique, root))
}

/// The Verilog of a block whose connections have been made, a module per instance. Only connections
/// of bundles, and paths with two indices, are written by this crate.
pub fn verilog(block: &dyn Block) -> String {
    let mut modules = Modules::default();
    block.accept("top", &mut modules);
    modules.0.defines()
}

/// rust-hdl's collector of modules, which is shown kernels without loops.
#[derive(Default)]
struct Modules(ModuleDefines);

impl Probe for Modules {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        self.0.visit_start_scope(name, &Kernel(node));
    }
    fn visit_start_namespace(&mut self, name: &str, node: &dyn Block) {
        self.0.visit_start_namespace(name, node);
    }
    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        self.0.visit_atom(name, signal);
    }
    fn visit_end_namespace(&mut self, name: &str, node: &dyn Block) {
        self.0.visit_end_namespace(name, node);
    }
    fn visit_end_scope(&mut self, name: &str, node: &dyn Block) {
        self.0.visit_end_scope(name, node);
    }
}

/// A block with only its kernel: all that the collector asks of a scope.
struct Kernel<'a>(&'a dyn Block);

impl Logic for Kernel<'_> {
    fn update(&mut self) {}
    fn hdl(&self) -> Verilog {
        without_loops(self.0.hdl(), &Declared::of(self.0))
    }
}

impl Block for Kernel<'_> {
    fn connect_all(&mut self) {}
    fn update_all(&mut self) {}
    fn has_changed(&self) -> bool {
        false
    }
    fn accept(&self, _name: &str, _probe: &mut dyn Probe) {}
}

/// The modules of rust-hdl's text: path name to lines (from the port list to before `endmodule`).
fn split(raw: &str) -> BTreeMap<String, Vec<String>> {
    let mut modules = BTreeMap::new();
    let mut open: Option<(String, Vec<String>)> = None;
    for line in raw.lines() {
        if let Some(rest) = line.strip_prefix("module ") {
            let (name, ports) = rest.split_once('(').unwrap_or((rest, ""));
            open = Some((name.to_string(), vec![format!("({ports}")]));
        } else if line.starts_with("endmodule") {
            modules.extend(open.take());
        } else if let Some((_, lines)) = &mut open {
            // rust-hdl prints a comment! with a part of its macro call.
            lines.push(line.trim_end().replace("// comment! (\"", "// "));
        }
    }
    modules
}

/// The number of the unique module that the block of that path is.
fn add(unique: &mut Unique, path: &str, instance: &str, all: &BTreeMap<String, Vec<String>>) -> Result<usize, String> {
    let source = all.get(path).ok_or_else(|| format!("module `{path}` is not in the generated text"))?;
    let mut lines = Vec::with_capacity(source.len());
    for text in source {
        let body = text.trim_start();
        let found = body.strip_suffix('(').and_then(|b| b.split_once(' ')).filter(|(kind, _)| all.contains_key(*kind));
        lines.push(match found {
            Some((kind, name)) => {
                let module = add(unique, kind, name, all)?;
                Line::Instance { indent: text[..text.len() - body.len()].into(), module, name: name.into() }
            }
            None => Line::Text(sized_literals(text.clone())),
        });
    }
    Ok(unique.add(instance, lines))
}
