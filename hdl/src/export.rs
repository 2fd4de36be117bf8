//! Verilog export. rust-hdl writes one module per *instance*, named by its path, with `$` in identifiers and constants as masked 32-bit
//! literals. What ships is made readable here, without touching the logic:
//!
//! - identical modules become one (the same text after their children have been made one; leaves first);
//! - a module is called by the `// module: NAME` comment in it (see [`comment!`](crate::comment)), a flip-flop `dff_WIDTH`, anything else by its
//!   instance name; different modules of one name get `_2`, `_3`, ...;
//! - `a$0$b` becomes `a_0_b`, a reserved word of SystemVerilog gets a `_` (refused if two names of a module would collide);
//! - `((32'h5) & 8'hff)` becomes `8'h5`, which also makes Verilog's widths those of the Rust kernels: arithmetic wraps at the operands' width
//!   instead of being carried on in 32 bits.
//!
//! The text is the same byte for byte for the same configuration. It can be wrong where the last point changes a meaning or a rename captures
//! another name; the cross-check runs the exported text against rust-hdl's engine cycle by cycle.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use rust_hdl::prelude::*;

use crate::config::GpuConfig;
use crate::dispatch::Grid;
use crate::gpu::Gpu;
use crate::memory::{Lsa, MemoryArbiter, SharedStorage, UnitArbiter};
use crate::warp::lane::Lane;
use crate::warp::WarpUnit;

/// A comment in the generated Verilog; nothing in Rust. `comment!("module: lsa")` names the module in the export.
#[macro_export]
macro_rules! comment {
    ($text:literal) => {};
}

/// Blocks that [`export_named`] knows, with what they are.
pub const TOPS: &[(&str, &str)] = &[
    ("quadlock", "the whole core"),
    ("warp_unit", "one warp unit"),
    ("lane", "one lane"),
    ("lsa", "load/store/atomic pipeline"),
    ("shared_storage", "shared storage of a unit"),
    ("unit_arbiter", "arbiter of the units' memory instructions"),
    ("memory_arbiter", "arbiter of the memory port"),
    ("grid_dispatcher", "grid dispatcher"),
];

/// Exports the block of that name (one of [`TOPS`]) in that configuration.
///
/// # Errors
/// An unknown name or a parameter out of range, in words.
pub fn export_named(top: &str, config: &GpuConfig) -> Result<String, String> {
    config.check()?;
    match top {
        "quadlock" => export(&mut Gpu::new(config)?, top, config),
        "warp_unit" => export(&mut WarpUnit::new(config, 0), top, config),
        "lane" => export(&mut Lane::new(config), top, config),
        "lsa" => export(&mut Lsa::new(config), top, config),
        "shared_storage" => export(&mut SharedStorage::new(config), top, config),
        "unit_arbiter" => export(&mut UnitArbiter::new(config), top, config),
        "memory_arbiter" => export(&mut MemoryArbiter::new(config), top, config),
        "grid_dispatcher" => export(&mut Grid::new(config), top, config),
        _ => {
            let known: Vec<_> = TOPS.iter().map(|t| t.0).collect();
            Err(format!("no block is called `{top}`; known: {}", known.join(", ")))
        }
    }
}

/// Exports any block as Verilog with top module `top`. The configuration only goes into the header.
///
/// # Errors
/// An unconnected port or a combinational loop inside one kernel (rust-hdl's checks), or two names that would become one.
pub fn export<B: Block>(block: &mut B, top: &str, config: &GpuConfig) -> Result<String, String> {
    block.connect_all();
    check_all(block).map_err(|e| format!("the design is not sound: {e:?}"))?;
    let raw = generate_verilog(block);
    let modules = split(&raw);
    let mut unique = Unique::default();
    let root = unique.add("top", &modules)?;
    let names = unique.names(root, top);
    let mut text = header(config);
    for (index, module) in unique.modules.iter().enumerate() {
        text.push('\n');
        text += &module.print(&names, &names[index])?;
    }
    Ok(text)
}

fn header(config: &GpuConfig) -> String {
    let mut text =
        String::from("// Quadlock. Generated from the rust-hdl sources by `quadlock export`; do not edit.\n");
    let fault = config.fault.map_or("none".into(), |f| format!("{f:?}: NOT FOR USE"));
    let _ = writeln!(
        text,
        "// units = {}, warps = {}, icache_lines = {}, shared_words = {}, trace = {}, planted fault = {fault}",
        config.units, config.warps, config.icache_lines, config.shared_words, config.trace
    );
    text
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

/// A line of a module: text, or the beginning of an instance of another unique module.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Line {
    Text(String),
    Instance { indent: String, module: usize, name: String },
}

/// One module after merging.
#[derive(Clone)]
struct Module {
    lines: Vec<Line>,
    /// The name it asks for.
    wish: String,
}

#[derive(Default)]
struct Unique {
    modules: Vec<Module>,
    by_lines: HashMap<Vec<Line>, usize>,
}

impl Unique {
    /// The number of the unique module that instance path `path` is; children come before it in `modules`.
    fn add(&mut self, path: &str, all: &BTreeMap<String, Vec<String>>) -> Result<usize, String> {
        let source = all.get(path).ok_or_else(|| format!("module `{path}` is not in the generated text"))?;
        let mut lines = Vec::with_capacity(source.len());
        for text in source {
            let body = text.trim_start();
            let instance =
                body.strip_suffix('(').and_then(|b| b.split_once(' ')).filter(|(kind, _)| all.contains_key(*kind));
            lines.push(match instance {
                Some((kind, name)) => {
                    let module = self.add(kind, all)?;
                    Line::Instance { indent: text[..text.len() - body.len()].into(), module, name: name.into() }
                }
                None => Line::Text(sized_literals(text)),
            });
        }
        if let Some(&known) = self.by_lines.get(&lines) {
            return Ok(known);
        }
        self.by_lines.insert(lines.clone(), self.modules.len());
        self.modules.push(Module { wish: wish(path, &lines), lines });
        Ok(self.modules.len() - 1)
    }

    /// Final names: the root gets `top`, the others their wish, made unique in order of appearance.
    fn names(&self, root: usize, top: &str) -> Vec<String> {
        let mut taken: BTreeMap<String, usize> = BTreeMap::from([(top.to_string(), 1)]);
        let name = |(index, module): (usize, &Module)| {
            if index == root {
                return top.to_string();
            }
            let mut name = module.wish.clone();
            loop {
                let count = taken.entry(name.clone()).or_insert(0);
                *count += 1;
                if *count == 1 {
                    return name;
                }
                name = format!("{}_{count}", module.wish);
            }
        };
        self.modules.iter().enumerate().map(name).collect()
    }
}

/// What a module would like to be called.
fn wish(path: &str, lines: &[Line]) -> String {
    let texts = || lines.iter().filter_map(|l| if let Line::Text(t) = l { Some(t.trim()) } else { None });
    if let Some(name) = texts().find_map(|t| t.strip_prefix("// module: ")) {
        return name.to_string();
    }
    if texts().any(|t| t == "q <= d;") {
        if let Some(state) = texts().find_map(|t| t.strip_prefix("localparam ")?.split_once('$')) {
            return format!("dff_{}", state.0.to_lowercase());
        }
        let width = texts().find_map(|t| {
            let high = t
                .strip_prefix("input wire")?
                .trim()
                .strip_suffix("d;")?
                .trim()
                .strip_prefix('[')?
                .strip_suffix(":0]")?;
            high.parse::<usize>().ok()
        });
        return format!("dff_{}", width.map_or(1, |high| high + 1));
    }
    let mut parts: Vec<&str> = path.split('$').collect();
    while parts.len() > 1 && parts.last().is_some_and(|p| p.chars().all(|c| c.is_ascii_digit())) {
        parts.pop();
    }
    parts.last().map_or("module".into(), |p| (*p).to_string())
}

impl Module {
    fn print(&self, names: &[String], name: &str) -> Result<String, String> {
        let mut renamer = Renamer { module: name, seen: HashMap::new() };
        let mut text = format!("module {name}");
        for line in &self.lines {
            match line {
                Line::Text(t) => text += &renamer.line(t)?,
                Line::Instance { indent, module, name } => {
                    let _ = write!(text, "{indent}{} {}(", names[*module], renamer.identifier(name)?);
                }
            }
            text.push('\n');
        }
        text += "endmodule\n";
        Ok(text)
    }
}

/// Replaces `$` in the identifiers of one module.
struct Renamer<'a> {
    module: &'a str,
    /// New name to old.
    seen: HashMap<String, String>,
}

impl Renamer<'_> {
    fn line(&mut self, line: &str) -> Result<String, String> {
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            let word = |from: usize| {
                rest[from..]
                    .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$'))
                    .map_or(rest.len(), |n| n + from)
            };
            if rest.starts_with("//") {
                return Ok(out + rest);
            }
            let end = match c {
                // A number (with base and digits), a system function, or punctuation stays.
                '0'..='9' | '\'' | '$' => word(1),
                'a'..='z' | 'A'..='Z' | '_' => {
                    let end = word(1);
                    out += &self.identifier(&rest[..end])?;
                    rest = &rest[end..];
                    continue;
                }
                other => other.len_utf8(),
            };
            out += &rest[..end];
            rest = &rest[end..];
        }
        Ok(out)
    }

    fn identifier(&mut self, old: &str) -> Result<String, String> {
        let mut new = old.replace('$', "_");
        if RESERVED.contains(&old) {
            new.push('_');
        }
        match self.seen.insert(new.clone(), old.to_string()) {
            Some(other) if other != old => {
                Err(format!("module `{}`: `{old}` and `{other}` would both be called `{new}`", self.module))
            }
            _ => Ok(new),
        }
    }
}

/// Words of SystemVerilog that rust-hdl does not write itself: as a name they get a `_`.
const RESERVED: &[&str] = &[
    "accept_on",
    "alias",
    "and",
    "assert",
    "assume",
    "automatic",
    "before",
    "bind",
    "bins",
    "bit",
    "break",
    "buf",
    "byte",
    "casex",
    "casez",
    "cell",
    "chandle",
    "checker",
    "class",
    "clocking",
    "const",
    "constraint",
    "context",
    "continue",
    "cover",
    "covergroup",
    "cross",
    "deassign",
    "defparam",
    "design",
    "disable",
    "dist",
    "do",
    "edge",
    "enum",
    "event",
    "expect",
    "export",
    "extends",
    "extern",
    "final",
    "first_match",
    "force",
    "foreach",
    "forever",
    "fork",
    "function",
    "generate",
    "genvar",
    "global",
    "iff",
    "implies",
    "import",
    "inside",
    "int",
    "interface",
    "intersect",
    "join",
    "let",
    "library",
    "local",
    "logic",
    "longint",
    "macromodule",
    "matches",
    "medium",
    "modport",
    "nand",
    "new",
    "nor",
    "not",
    "null",
    "or",
    "package",
    "packed",
    "parameter",
    "primitive",
    "priority",
    "program",
    "property",
    "protected",
    "pull0",
    "pull1",
    "pure",
    "rand",
    "randc",
    "real",
    "ref",
    "release",
    "repeat",
    "restrict",
    "return",
    "scalared",
    "sequence",
    "shortint",
    "solve",
    "specify",
    "static",
    "string",
    "strong",
    "struct",
    "super",
    "supply0",
    "supply1",
    "table",
    "tagged",
    "task",
    "this",
    "throughout",
    "time",
    "tri",
    "type",
    "typedef",
    "union",
    "unique",
    "unique0",
    "until",
    "untyped",
    "use",
    "var",
    "vectored",
    "virtual",
    "void",
    "wait",
    "wand",
    "weak",
    "while",
    "wildcard",
    "with",
    "within",
    "wor",
    "xnor",
    "xor",
];

/// `((32'h5) & 8'hff)` to `8'h5`, everywhere in a line.
fn sized_literals(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("((") {
        let (before, candidate) = rest.split_at(at);
        out += before;
        match masked_literal(candidate) {
            Some((literal, used)) => {
                out += &literal;
                rest = &candidate[used..];
            }
            None => {
                out.push('(');
                rest = &candidate[1..];
            }
        }
    }
    out + rest
}

/// A masked literal at the beginning of `text`: its sized form and the length of what it replaces.
fn masked_literal(text: &str) -> Option<(String, usize)> {
    let inner = text.strip_prefix("((")?;
    let (literal, tail) = inner.split_once(") & ")?;
    let (mask, after) = tail.split_once(')')?;
    let (_, value) = hex_literal(literal)?;
    let (width, mask) = hex_literal(mask)?;
    Some((format!("{width}'h{:x}", value & mask), text.len() - after.len()))
}

/// Width and value of `32'h1f`.
fn hex_literal(text: &str) -> Option<(u32, u128)> {
    let (width, digits) = text.split_once("'h")?;
    Some((width.parse().ok()?, u128::from_str_radix(digits, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masked_literals_get_their_width() {
        assert_eq!(
            sized_literals("q = ((32'h5) & 8'hff) + (a & ((64'hfffffff0) & 32'hffffffff));"),
            "q = 8'h5 + (a & 32'hfffffff0);"
        );
        assert_eq!(sized_literals("q = ((x) & 8'hff) << 32'h2;"), "q = ((x) & 8'hff) << 32'h2;");
        assert_eq!(sized_literals("if (((((32'h1) & 4'hf)))) "), "if (((4'h1))) ");
    }

    #[test]
    fn names_lose_their_dollars() {
        let mut renamer = Renamer { module: "m", seen: HashMap::new() };
        assert_eq!(
            renamer.line("a$0$q = $signed(b$next) + 32'hff; // x$y").unwrap(),
            "a_0_q = $signed(b_next) + 32'hff; // x$y"
        );
        assert!(renamer.line("a_0_q").unwrap_err().contains("would both be called"));
        assert_eq!(renamer.line("byte = 1'b1;").unwrap(), "byte_ = 1'b1;");
    }

    #[test]
    fn identical_modules_are_merged_and_the_text_is_reproducible() {
        let config = GpuConfig::default();
        let text = export_named("shared_storage", &config).unwrap();
        assert_eq!(text, export_named("shared_storage", &config).unwrap());
        let count = |name: &str| text.lines().filter(|l| l.starts_with("module ") && l.contains(name)).count();
        assert_eq!(count("module dff_32("), 1);
        assert_eq!(count("module lutram("), 1);
        assert_eq!(count("module lsa("), 1);
        assert!(text.lines().any(|l| l.starts_with("module shared_storage(")));
        assert!(export_named("nonsense", &config).unwrap_err().contains("known: quadlock"));
    }
}
