//! Names of the exported text: `$` becomes `_`, words reserved in SystemVerilog get a `_`. Refuses to give two names of one module the same new one.

use std::collections::HashMap;

use super::merge::is_word;

/// Replaces `$` in the identifiers of one module.
pub(super) struct Renamer<'a> {
    module: &'a str,
    /// New name to old.
    seen: HashMap<String, String>,
}

impl<'a> Renamer<'a> {
    pub(super) fn new(module: &'a str) -> Self {
        Self { module, seen: HashMap::new() }
    }
    pub(super) fn line(&mut self, line: &str) -> Result<String, String> {
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

    pub(super) fn identifier(&mut self, old: &str) -> Result<String, String> {
        let new = verilog_name(old);
        match self.seen.insert(new.clone(), old.to_string()) {
            Some(other) if other != old => {
                Err(format!("module `{}`: `{old}` and `{other}` would both be called `{new}`", self.module))
            }
            _ => Ok(new),
        }
    }
}

/// The name that a field of a block (`a$0` for element 0 of a vector) has in the exported Verilog.
pub fn verilog_name(field: &str) -> String {
    let mut name = field.replace('$', "_");
    if RESERVED.contains(&field) {
        name.push('_');
    }
    name
}

/// Words of SystemVerilog that rust-hdl does not write itself, and the classes of its package `std`: as a name they get a `_`.
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
    "mailbox",
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
    "process",
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
    "semaphore",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_dollars() {
        let mut renamer = Renamer::new("m");
        assert_eq!(
            renamer.line("a$0$q = $signed(b$next) + 32'hff; // x$y").unwrap(),
            "a_0_q = $signed(b_next) + 32'hff; // x$y"
        );
        assert!(renamer.line("a_0_q").unwrap_err().contains("would both be called"));
        assert_eq!(renamer.line("byte = 1'b1;").unwrap(), "byte_ = 1'b1;");
    }
}
