//! Unique modules with the names they ask for, each signal that leaves a combinational block
//! assigned once ([the crate's page](crate) says why). Can be wrong where two modules that differ
//! are taken for one, which needs equal text, or where the shadow variable of a signal is read
//! before it is written.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use crate::names::{is_word, word};
use crate::rename::Renamer;

/// A line of a module.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Line {
    /// Text that stands as it is but for its names.
    Text(String),
    /// The beginning of an instance of another unique module.
    Instance {
        /// White space before it.
        indent: String,
        /// Number of the module.
        module: usize,
        /// The instance's name.
        name: String,
    },
}

impl Line {
    /// The text; of the beginning of an instance, nothing.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Instance { .. } => "",
        }
    }
}

/// One module after merging.
#[derive(Clone)]
pub struct Module {
    /// From the port list to before `endmodule`.
    pub lines: Vec<Line>,
    /// The name it asks for.
    pub wish: String,
}

/// Modules without two of the same text, each after those that it has instances of.
#[derive(Default)]
pub struct Unique {
    /// The modules.
    pub modules: Vec<Module>,
    /// Numbers of the modules whose lines have this hash.
    by_hash: FxHashMap<u64, Vec<usize>>,
}

impl Unique {
    /// [`Self::intern`] of the lines of a block of that instance name, as rust-hdl has its kernel.
    pub fn add(&mut self, instance: &str, lines: Vec<Line>) -> usize {
        let lines = self.assign_once(lines);
        let wish = wish(instance, &lines);
        self.intern(lines, wish)
    }

    /// The number of the module with these lines: a known one, or a new one that would like to be
    /// called `wish`.
    pub fn intern(&mut self, lines: Vec<Line>, wish: String) -> usize {
        let mut hasher = FxHasher::default();
        lines.hash(&mut hasher);
        let same = self.by_hash.entry(hasher.finish()).or_default();
        if let Some(&known) = same.iter().find(|&&k| self.modules[k].lines == lines) {
            return known;
        }
        same.push(self.modules.len());
        self.modules.push(Module { wish, lines });
        self.modules.len() - 1
    }

    /// Gives every signal that leaves the module's combinational block one assignment. Inputs of
    /// flip-flops may stay: nothing waits for them.
    fn assign_once(&self, lines: Vec<Line>) -> Vec<Line> {
        let Some(begin) = lines.iter().position(|l| l.text().trim() == "always @(*) begin") else { return lines };
        let indent = lines[begin].text().len() - lines[begin].text().trim_start().len();
        let last = format!("{}end", " ".repeat(indent));
        let Some(end) = (begin..lines.len()).find(|&k| lines[k].text() == last) else { return lines };
        let shadows = self.shadows(&lines, begin, end);
        if shadows.is_empty() {
            return lines;
        }
        let mut out = Vec::with_capacity(lines.len() + 2 * shadows.len());
        for (index, line) in lines.into_iter().enumerate() {
            match &line {
                Line::Text(t) if (begin..end).contains(&index) => {
                    if index == begin {
                        let declarations = shadows
                            .iter()
                            .map(|(name, register)| register.replace(&format!(" {name};"), &format!(" {name}$_next;")));
                        out.extend(declarations.map(|d| Line::Text(format!("{}{d}", " ".repeat(indent)))));
                    }
                    out.push(shadowed(t, &shadows).map_or(line, Line::Text));
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

    /// The signals that leave the block between these lines and are assigned more than once in it,
    /// with their declarations.
    fn shadows(&self, lines: &[Line], begin: usize, end: usize) -> Vec<(String, String)> {
        let mut count: FxHashMap<&str, usize> = FxHashMap::default();
        for target in lines[begin..end].iter().filter_map(|line| assigned(line.text())) {
            *count.entry(target).or_default() += 1;
        }
        let flip_flop = |line: &Line, input: &str| match line {
            Line::Instance { module, name, .. } => {
                input.strip_suffix("$d") == Some(name.as_str()) && self.modules[*module].wish.starts_with("dff_")
            }
            Line::Text(_) => false,
        };
        let mut local = false;
        let mut shadows = Vec::new();
        for line in &lines[..begin] {
            let declaration = line.text().trim();
            if declaration.starts_with("// ") {
                local = declaration == "// Local signals";
            }
            let Some(name) = declaration.strip_suffix(';').and_then(|d| d.rsplit(' ').next()) else { continue };
            let register = declaration.strip_prefix("output ").unwrap_or(declaration);
            if !local
                && register.starts_with("reg ")
                && count.get(name).is_some_and(|&n| n > 1)
                && !(name.ends_with("$d") && lines.iter().any(|line| flip_flop(line, name)))
            {
                shadows.push((name.to_string(), register.to_string()));
            }
        }
        shadows
    }

    /// Final names: the root gets `top`, the others their wish, made unique in order of appearance.
    pub fn names(&self, root: usize, top: &str) -> Vec<String> {
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
pub(crate) fn assigned(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let name = word(line);
    let rest = &line[name.len()..];
    // As rust-hdl writes slices, and `single_bits` bits; text of cells has plain numbers.
    let part = (rest.starts_with("[(") || rest.starts_with("[32'h")) && rest.contains("] = ");
    (!name.is_empty() && (rest.starts_with(" = ") || part)).then_some(name)
}

/// The line with the shadowed signals replaced by their variables; nothing if it has none of them.
fn shadowed(line: &str, shadows: &[(String, String)]) -> Option<String> {
    if line.trim_start().starts_with("//") {
        return None;
    }
    let mut out = String::new();
    let (mut copied, mut at) = (0, 0);
    while at < line.len() {
        let name = word(&line[at..]);
        if !name.is_empty() {
            at += name.len();
            if shadows.iter().any(|(shadow, _)| shadow == name) {
                out += &line[copied..at];
                out += "$_next";
                copied = at;
            }
        }
        at += line.as_bytes()[at..].iter().position(|&b| is_word(b)).unwrap_or(line.len() - at);
    }
    (copied > 0).then(|| out + &line[copied..])
}

/// What a module would like to be called.
fn wish(instance: &str, lines: &[Line]) -> String {
    let texts = || lines.iter().map(|l| l.text().trim());
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
    let mut name = instance;
    while let Some((before, _)) = name.rsplit_once('$').filter(|n| n.1.bytes().all(|b| b.is_ascii_digit())) {
        name = before;
    }
    name.rsplit('$').next().unwrap_or(name).to_string()
}

/// A module with its final names.
pub struct Text {
    /// `module` to `endmodule`.
    pub text: String,
    /// Instances in it: name, module.
    pub instances: Vec<(String, String)>,
}

/// A port as a module declares it.
pub struct DeclaredPort {
    /// The block's field; of a bundle, that.
    pub field: String,
    /// Its element, or the port of the bundle with its element; may be empty.
    pub element: String,
    /// Name in the Verilog.
    pub name: String,
    /// `input` or `output`.
    pub direction: &'static str,
    /// Bits.
    pub width: usize,
}

impl Module {
    /// The module called `name`; `names` are those of all modules.
    ///
    /// # Errors
    /// Two names that would become one.
    pub fn named(&self, names: &[String], name: &str) -> Result<Text, String> {
        let mut renamer = Renamer::new(name);
        let length: usize = self.lines.iter().map(|line| line.text().len() + 1).sum();
        let mut text = String::with_capacity(length + length / 16 + 64);
        let _ = write!(text, "module {name}");
        let mut instances = Vec::new();
        for line in &self.lines {
            match line {
                Line::Text(line) => renamer.line(line, &mut text)?,
                Line::Instance { indent, module, name } => {
                    let instance = renamer.identifier(name)?;
                    let _ = write!(text, "{indent}{} {instance}(", names[*module]);
                    instances.push((instance.to_owned(), names[*module].clone()));
                }
            }
            text.push('\n');
        }
        text += "endmodule\n";
        Ok(Text { text, instances })
    }

    /// The ports of the module called `name`.
    ///
    /// # Errors
    /// As [`Self::named`].
    pub fn ports(&self, name: &str) -> Result<Vec<DeclaredPort>, String> {
        let mut renamer = Renamer::new(name);
        let mut ports = Vec::new();
        for (direction, port, width) in self.lines.iter().filter_map(|line| port(line.text())) {
            let (field, element) = port.split_once('$').unwrap_or((port, ""));
            let name = renamer.identifier(port)?.to_owned();
            ports.push(DeclaredPort { field: field.into(), element: element.into(), name, direction, width });
        }
        Ok(ports)
    }
}

/// Direction, name and width of the port that a line declares.
pub(crate) fn port(line: &str) -> Option<(&'static str, &str, usize)> {
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
        let texts: Vec<_> = lines.iter().map(|l| l.text().trim()).collect();
        assert!(
            texts.contains(&"reg [3:0] x$_next;")
                && texts.contains(&"x$_next = x$_next + 4'h1;")
                && texts.contains(&"x = x$_next;")
        );
        assert!(texts.contains(&"y = a;") && texts.contains(&"z = a;"));
        assert_eq!(texts.iter().filter(|t| t.starts_with("x = ")).count(), 1);
    }
}
