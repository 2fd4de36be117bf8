//! From rust-hdl's text, one module per instance, to unique modules with the names they ask for,
//! each signal that leaves a combinational block assigned once ([the module's page](super) says
//! why). Can be wrong where two modules that differ are taken for one, which needs equal text, or
//! where the shadow variable of a signal is read before it is written.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use super::literals::sized_literals;
use super::meaning::meaning;
use super::module::{ExportedModule, Port, Source};
use super::rename::Renamer;
use crate::base::names::is_word;

/// The modules of rust-hdl's text: path name to lines (from the port list to before `endmodule`).
pub(super) fn split(raw: &str) -> BTreeMap<String, Vec<String>> {
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
pub(super) enum Line {
    Text(String),
    Instance { indent: String, module: usize, name: String },
}

/// One module after merging.
#[derive(Clone)]
pub(super) struct Module {
    pub(super) lines: Vec<Line>,
    /// The name it asks for.
    pub(super) wish: String,
}

#[derive(Default)]
pub(super) struct Unique {
    pub(super) modules: Vec<Module>,
    by_lines: HashMap<Vec<Line>, usize>,
}

impl Unique {
    /// The number of the unique module that instance path `path` is; children come before it in
    /// `modules`.
    pub(super) fn add(&mut self, path: &str, all: &BTreeMap<String, Vec<String>>) -> Result<usize, String> {
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
        let wish = wish(path, &lines);
        Ok(self.intern(lines, wish))
    }

    /// The number of the module with these lines: a known one, or a new one that would like to be
    /// called `wish`.
    pub(super) fn intern(&mut self, lines: Vec<Line>, wish: String) -> usize {
        if let Some(&known) = self.by_lines.get(&lines) {
            return known;
        }
        self.by_lines.insert(lines.clone(), self.modules.len());
        self.modules.push(Module { wish, lines });
        self.modules.len() - 1
    }

    /// Gives every signal that leaves the module's combinational block one assignment. Inputs of
    /// flip-flops may stay: nothing waits for them.
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
    pub(super) fn names(&self, root: usize, top: &str) -> Vec<String> {
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
pub(super) fn assigned(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let end = line.find(|c: char| !is_word(c))?;
    let rest = &line[end..];
    // As rust-hdl writes slices, and `single_bits` bits; text of cells has plain numbers.
    let part = (rest.starts_with("[(") || rest.starts_with("[32'h")) && rest.contains("] = ");
    (end > 0 && (rest.starts_with(" = ") || part)).then(|| &line[..end])
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
    /// The module with its final name; `names` are those of all modules.
    pub(super) fn exported(
        &self,
        names: &[String],
        name: &str,
        source: Option<&'static Source>,
    ) -> Result<ExportedModule, String> {
        let mut renamer = Renamer::new(name);
        let mut text = format!("module {name}");
        let mut instances = Vec::new();
        for line in &self.lines {
            match line {
                Line::Text(t) => text += &renamer.line(t)?,
                Line::Instance { indent, module, name } => {
                    let instance = renamer.identifier(name)?;
                    let _ = write!(text, "{indent}{} {instance}(", names[*module]);
                    instances.push((instance, names[*module].clone()));
                }
            }
            text.push('\n');
        }
        text += "endmodule\n";
        Ok(ExportedModule { name: name.into(), text, source, instances })
    }

    /// The ports of the module, with the meanings that its source gives them.
    pub(super) fn ports(&self, name: &str, source: Option<&Source>) -> Result<Vec<Port>, String> {
        let mut renamer = Renamer::new(name);
        let mut ports = Vec::new();
        for line in &self.lines {
            let Line::Text(text) = line else { continue };
            let Some((direction, name, width)) = port(text) else { continue };
            let (field, element) = name.split_once('$').unwrap_or((name, ""));
            let meaning = source.and_then(|s| meaning(s.text, s.rust, field, element)).unwrap_or_default();
            ports.push(Port { name: renamer.identifier(name)?, direction, width, meaning });
        }
        Ok(ports)
    }
}

/// Direction, name and width of the port that a line declares.
pub(super) fn port(line: &str) -> Option<(&'static str, &str, usize)> {
    let line = line.trim().strip_suffix(';')?;
    let (direction, rest) = match line.split_once(' ')? {
        ("input", rest) => ("input", rest),
        ("output", rest) => ("output", rest),
        _ => return None,
    };
    let name = rest.rsplit(' ').next()?;
    let high = rest.split_once('[').and_then(|r| r.1.split_once(":0]")).map(|r| r.0.parse::<usize>());
    let width = match high {
        None => 1,
        Some(high) => high.ok()? + 1,
    };
    Some((direction, name, width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_signals_slices_and_bits_are_assigned() {
        for line in ["  q = a;", "q[(32'h3)+:(2)] = a;", "q[32'h3] = a;"] {
            assert_eq!(assigned(line), Some("q"), "{line}");
        }
        for line in ["if (q == a) begin", "q[32'h3] == a", ".q(a)", "q[3] = a;"] {
            assert_eq!(assigned(line), None, "{line}");
        }
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
}
