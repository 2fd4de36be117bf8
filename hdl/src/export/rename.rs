//! Names of the exported text: `$` becomes `_`, words reserved in SystemVerilog get a `_`. Refuses
//! to give two names of one module the same new one.

use std::collections::HashMap;

use crate::base::names::{is_word, verilog_name};

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
                    // Behind a point stands a port of an instance: a name of that module, not of
                    // this one.
                    match out.ends_with('.') {
                        true => out += &verilog_name(&rest[..end]),
                        false => out += &self.identifier(&rest[..end])?,
                    }
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
        assert_eq!(
            renamer.line(".req$op(f$req_op), .req_op(g$req$op)").unwrap(),
            ".req_op(f_req_op), .req_op(g_req_op)"
        );
    }
}
