//! Names of the exported text: `$` becomes `_`, words reserved in SystemVerilog get a `_`. Refuses
//! to give two names of one module the same new one.

use std::borrow::Cow;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use crate::names::{is_word, verilog_name};

/// Replaces `$` in the identifiers of one module. A name is made once per module: a kernel writes
/// the same one hundreds of times.
pub struct Renamer<'a> {
    module: &'a str,
    /// Old name to new.
    known: FxHashMap<&'a str, Cow<'a, str>>,
    /// New name to old.
    taken: FxHashMap<Cow<'a, str>, &'a str>,
}

impl<'a> Renamer<'a> {
    /// For the names of that module.
    pub fn new(module: &'a str) -> Self {
        Self { module, known: FxHashMap::default(), taken: FxHashMap::default() }
    }

    /// Appends the line with its new names to `out`.
    ///
    /// # Errors
    /// Two names that would become one.
    pub fn line(&mut self, line: &'a str, out: &mut String) -> Result<(), String> {
        let bytes = line.as_bytes();
        let word = |from: usize| bytes[from..].iter().position(|&b| !is_word(b)).map_or(bytes.len(), |n| n + from);
        // What lies between the last name and `at` is copied when the next name is found.
        let (mut copied, mut at) = (0, 0);
        while at < bytes.len() {
            match bytes[at] {
                b'/' if bytes.get(at + 1) == Some(&b'/') => break,
                // A number (with base and digits) or a system function.
                b'0'..=b'9' | b'\'' | b'$' => at = word(at + 1),
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                    let end = word(at + 1);
                    let name = &line[at..end];
                    out.push_str(&line[copied..at]);
                    // Behind a point stands a port of an instance: a name of that module, not of
                    // this one.
                    match out.ends_with('.') {
                        true => out.push_str(&verilog_name(name)),
                        false => out.push_str(self.identifier(name)?),
                    }
                    (copied, at) = (end, end);
                }
                _ => at += 1,
            }
        }
        out.push_str(&line[copied..]);
        Ok(())
    }

    /// The new name.
    ///
    /// # Errors
    /// Another name has become that one.
    pub fn identifier(&mut self, old: &'a str) -> Result<&str, String> {
        match self.known.entry(old) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => {
                let new = verilog_name(old);
                if let Some(other) = self.taken.insert(new.clone(), old) {
                    let module = self.module;
                    return Err(format!("module `{module}`: `{old}` and `{other}` would both be called `{new}`"));
                }
                Ok(place.insert(new))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_dollars() {
        let mut renamer = Renamer::new("m");
        let mut line = |line| {
            let mut out = String::new();
            renamer.line(line, &mut out).map(|()| out)
        };
        assert_eq!(
            line("a$0$q = $signed(b$next) + 32'hff; // x$y").unwrap(),
            "a_0_q = $signed(b_next) + 32'hff; // x$y"
        );
        assert!(line("a_0_q").unwrap_err().contains("would both be called"));
        assert_eq!(line("byte = 1'b1;").unwrap(), "byte_ = 1'b1;");
        assert_eq!(line(".req$op(f$req_op), .req_op(g$req$op)").unwrap(), ".req_op(f_req_op), .req_op(g_req_op)");
        assert_eq!(line("a / b$c").unwrap(), "a / b_c");
    }
}
