//! Verilog export. rust-hdl writes one module per *instance*, named by its path, with `$` in identifiers and constants as masked 32-bit
//! literals. What ships is made readable here, without touching the logic:
//!
//! - identical modules become one (the same text after their children have been made one; leaves first);
//! - a module is called by the `// module: NAME` comment in it (see [`comment!`](crate::comment)), a flip-flop `dff_WIDTH`, anything else by its
//!   instance name; different modules of one name get `_2`, `_3`, ...;
//! - `a$0$b` becomes `a_0_b`, a reserved word of SystemVerilog gets a `_` (refused if two names of a module would collide);
//! - `((32'h5) & 8'hff)` becomes `8'h5`, which also makes Verilog's widths those of the Rust kernels: arithmetic wraps at the operands' width
//!   instead of being carried on in 32 bits;
//! - a signal that leaves a combinational block and is assigned more than once in it (default first, then overridden) is computed in a variable
//!   `NAME__next` and assigned once, at the end. Otherwise an event-driven simulator sees the default as a pulse, and two modules that are
//!   connected both ways wake each other for ever without time passing.
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
        "warp_unit" => export(&mut WarpUnit::new(config), top, config),
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
        let lines = self.assign_once(lines);
        if let Some(&known) = self.by_lines.get(&lines) {
            return Ok(known);
        }
        self.by_lines.insert(lines.clone(), self.modules.len());
        self.modules.push(Module { wish: wish(path, &lines), lines });
        Ok(self.modules.len() - 1)
    }

    /// Gives every signal that leaves the module's combinational block one assignment. Inputs of flip-flops may stay: nothing waits for them.
    fn assign_once(&self, lines: Vec<Line>) -> Vec<Line> {
        let text = |line: &Line| if let Line::Text(t) = line { t.clone() } else { String::new() };
        let Some(begin) = lines.iter().position(|l| text(l).trim() == "always @(*) begin") else { return lines };
        let indent = text(&lines[begin]).len() - text(&lines[begin]).trim_start().len();
        let Some(end) = (begin..lines.len()).find(|&k| text(&lines[k]) == format!("{}end", " ".repeat(indent))) else {
            return lines;
        };
        let mut count: BTreeMap<String, usize> = BTreeMap::new();
        for line in &lines[begin..end] {
            if let Some(target) = assigned(&text(line)) {
                *count.entry(target.to_string()).or_default() += 1;
            }
        }
        let flip_flops: Vec<String> = lines
            .iter()
            .filter_map(|l| match l {
                Line::Instance { module, name, .. } if self.modules[*module].wish.starts_with("dff_") => {
                    Some(format!("{name}$d"))
                }
                _ => None,
            })
            .collect();
        let mut local = false;
        let mut shadows = Vec::new();
        for line in &lines[..begin] {
            let declaration = text(line);
            let declaration = declaration.trim();
            if declaration.starts_with("// ") {
                local = declaration == "// Local signals";
            }
            let Some(name) = declaration.strip_suffix(';').and_then(|d| d.rsplit(' ').next()) else { continue };
            let register = declaration.strip_prefix("output ").unwrap_or(declaration);
            if !local
                && register.starts_with("reg ")
                && count.get(name).is_some_and(|&n| n > 1)
                && !flip_flops.iter().any(|f| f == name)
            {
                shadows.push((name.to_string(), register.to_string()));
            }
        }
        let mut out = Vec::with_capacity(lines.len() + 2 * shadows.len());
        for (index, line) in lines.into_iter().enumerate() {
            match &line {
                Line::Text(t) if (begin..end).contains(&index) => {
                    if index == begin && !shadows.is_empty() {
                        let declarations = shadows
                            .iter()
                            .map(|(name, register)| register.replace(&format!(" {name};"), &format!(" {name}$_next;")));
                        out.extend(declarations.map(|d| Line::Text(format!("{}{d}", " ".repeat(indent)))));
                    }
                    out.push(Line::Text(shadowed(t, &shadows)));
                }
                _ => {
                    if index == end {
                        let settle =
                            shadows.iter().map(|(name, _)| format!("{}{name} = {name}$_next;", " ".repeat(indent + 4)));
                        out.extend(settle.map(Line::Text));
                    }
                    out.push(line);
                }
            }
        }
        out
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

/// The signal that a line assigns.
fn assigned(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let end = line.find(|c: char| !is_word(c))?;
    let rest = &line[end..];
    (end > 0 && (rest.starts_with(" = ") || (rest.starts_with("[(") && rest.contains("] = ")))).then(|| &line[..end])
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// The line with the shadowed signals replaced by their variables.
fn shadowed(line: &str, shadows: &[(String, String)]) -> String {
    if shadows.is_empty() || line.trim_start().starts_with("//") {
        return line.to_string();
    }
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while !rest.is_empty() {
        let word = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        if word > 0 {
            out += &rest[..word];
            if shadows.iter().any(|(name, _)| *name == rest[..word]) {
                out += "$_next";
            }
            rest = &rest[word..];
        } else {
            let gap = rest.find(is_word).unwrap_or(rest.len());
            out += &rest[..gap];
            rest = &rest[gap..];
        }
    }
    out
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
            let word = |from: usize| rest[from..].find(|c| !is_word(c)).map_or(rest.len(), |n| n + from);
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
    fn outgoing_signals_are_assigned_once() {
        let source = [
            "    output reg [3:0] x;",
            "    output reg y;",
            "    // Local signals",
            "    reg z;",
            "    always @(*) begin",
            "        z = 1'b0;",
            "        z = a;",
            "        x = 4'h0;",
            "        y = a;",
            "        if (a) begin",
            "            x = x + 4'h1;",
            "        end",
            "    end",
        ];
        let lines = Unique::default().assign_once(source.iter().map(|l| Line::Text((*l).into())).collect());
        let texts: Vec<_> = lines.iter().map(|l| if let Line::Text(t) = l { t.trim() } else { "" }).collect();
        assert!(
            texts.contains(&"reg [3:0] x$_next;")
                && texts.contains(&"x$_next = x$_next + 4'h1;")
                && texts.contains(&"x = x$_next;")
        );
        assert!(texts.contains(&"y = a;") && texts.contains(&"z = a;"));
        assert_eq!(texts.iter().filter(|t| t.starts_with("x = ")).count(), 1);
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
