//! A kernel's syntax tree with its loops written out: index expressions and loop variables become
//! numbers, an `if` whose condition is a number may be decided, and two connected bundles become an
//! assignment for each of their ports. `quadlock_hdl::base::wiring` says what for, and what index
//! expressions may hold.
//!
//! It can be wrong in the value of an index, which connects another port: the cross-check of the
//! exported text against the Rust kernel finds that.

use std::collections::HashMap;
use std::fmt::Write;

use ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogCase, VerilogConditional, VerilogExpression, VerilogLink,
    VerilogLinkDetails, VerilogLoop, VerilogMatch, VerilogOp, VerilogStatement,
};
use rust_hdl::prelude::*;

use crate::declared::Declared;

/// The kernel without loops and indices. Connections of bundles stay, and names stay paths of Rust:
/// [`without_loops`] does the rest, for it knows the ports.
///
/// # Panics
/// An index that is not made of what `quadlock_hdl::base::wiring` lists: a mistake in the kernel,
/// found when the block is exported for the first time.
pub fn unrolled(code: Verilog, sizes: &[(&'static str, usize)], tables: &[(&'static str, &[usize])]) -> Verilog {
    match code {
        Verilog::Combinatorial(block) => {
            let sizes = sizes.iter().map(|&(name, value)| (name.to_owned(), value as i64));
            let elements = |(name, list): &(&'static str, &[usize])| {
                let element = |(i, value): (usize, &usize)| (element_name(name, i as i64), *value as i64);
                list.iter().enumerate().map(element).collect::<Vec<_>>()
            };
            let values = sizes.chain(tables.iter().flat_map(elements)).collect();
            Verilog::Combinatorial(Unroll { values, decide: true, declared: None }.block(&block))
        }
        other => other,
    }
}

/// A kernel of `Logic`, of one index per path, with its loops written out and its connections as
/// assignments. Without connections the text that rust-hdl makes of it is the same.
///
/// # Panics
/// As [`unrolled`].
pub fn without_loops(code: Verilog, declared: &Declared) -> Verilog {
    match code {
        Verilog::Combinatorial(block) => Verilog::Combinatorial(
            Unroll { values: HashMap::new(), decide: false, declared: Some(declared) }.block(&block),
        ),
        other => other,
    }
}

/// What stands for element `i` of a list.
fn element_name(list: &str, i: i64) -> String {
    format!("{list}${i}")
}

/// Names with values: sizes, elements of lists, and the variables of the loops around.
struct Unroll<'a> {
    values: HashMap<String, i64>,
    /// Arithmetic on numbers becomes a number, and an `if` on numbers the branch it takes.
    decide: bool,
    /// What connections and paths are turned into; nothing if they stay.
    declared: Option<&'a Declared>,
}

/// A number as rust-hdl itself writes a loop variable: a name that consists of digits.
fn number(value: i64) -> VerilogExpression {
    VerilogExpression::Signal(value.to_string())
}

/// The value of an unrolled expression that is a number.
fn known(e: &VerilogExpression) -> Option<i64> {
    match e {
        VerilogExpression::Signal(name) => name.parse().ok(),
        VerilogExpression::Paren(inner) => known(inner),
        _ => None,
    }
}

impl Unroll<'_> {
    fn block(&mut self, block: &VerilogBlock) -> VerilogBlock {
        let mut out = Vec::with_capacity(block.len());
        for statement in block {
            self.statement(statement, &mut out);
        }
        out
    }

    fn statement(&mut self, statement: &VerilogStatement, out: &mut VerilogBlock) {
        match statement {
            VerilogStatement::Assignment(target, value) => {
                out.push(VerilogStatement::Assignment(self.expression(target), self.expression(value)));
            }
            VerilogStatement::SliceAssignment { base, width, offset, replacement } => {
                out.push(VerilogStatement::SliceAssignment {
                    base: self.expression(base),
                    width: *width,
                    offset: self.expression(offset),
                    replacement: self.expression(replacement),
                });
            }
            VerilogStatement::If(conditional) => self.conditional(conditional, out),
            VerilogStatement::Match(m) => {
                let case =
                    |c: &VerilogCase| VerilogCase { condition: c.condition.clone(), block: self.block(&c.block) };
                let cases = m.cases.iter().map(case).collect();
                out.push(VerilogStatement::Match(VerilogMatch { test: self.expression(&m.test), cases }));
            }
            VerilogStatement::Loop(l) => self.repeat(l, out),
            VerilogStatement::Macro(block) => block.iter().for_each(|s| self.statement(s, out)),
            VerilogStatement::Link(links) => match self.declared {
                Some(declared) => out.extend(links.iter().map(|link| self.link(link, declared))),
                None => out.push(VerilogStatement::Link(links.iter().map(|link| self.numbered(link)).collect())),
            },
            comment @ VerilogStatement::Comment(_) => out.push(comment.clone()),
        }
    }

    /// A port of two bundles that are connected, as the assignment that it is. rust-hdl itself
    /// would make the two one wire, and only where neither has an index.
    ///
    /// # Panics
    /// One of the two is not declared: the field is no bundle, or it is none of that type.
    fn link(&self, link: &VerilogLink, declared: &Declared) -> VerilogStatement {
        let (target, source, port) = match link {
            VerilogLink::Forward(l) => (&l.other_name, &l.owner_name, &l.my_name),
            VerilogLink::Backward(l) | VerilogLink::Bidirectional(l) => (&l.owner_name, &l.other_name, &l.my_name),
        };
        let signal = |bundle: &str| {
            let name = self.resolved(&format!("{bundle}${port}"));
            assert!(declared.has(&name), "`{name}` of a connection is not declared in the block");
            name
        };
        let value = match source.as_str() {
            // `Quiet`
            "" => number(0),
            source => VerilogExpression::Signal(signal(source)),
        };
        VerilogStatement::Assignment(VerilogExpression::Signal(signal(target) + "$next"), value)
    }

    /// A connection with numbers for its indices.
    fn numbered(&self, link: &VerilogLink) -> VerilogLink {
        let details = |l: &VerilogLinkDetails| VerilogLinkDetails {
            my_name: l.my_name.clone(),
            owner_name: self.resolved(&l.owner_name),
            other_name: self.resolved(&l.other_name),
        };
        match link {
            VerilogLink::Forward(l) => VerilogLink::Forward(details(l)),
            VerilogLink::Backward(l) => VerilogLink::Backward(details(l)),
            VerilogLink::Bidirectional(l) => VerilogLink::Bidirectional(details(l)),
        }
    }

    fn repeat(&mut self, l: &VerilogLoop, out: &mut VerilogBlock) {
        let shadowed = self.values.remove(&l.index);
        for value in l.from.as_usize()..l.to.as_usize() {
            self.values.insert(l.index.clone(), value as i64);
            l.block.iter().for_each(|s| self.statement(s, out));
        }
        self.values.remove(&l.index);
        self.values.extend(shadowed.map(|value| (l.index.clone(), value)));
    }

    fn conditional(&mut self, c: &VerilogConditional, out: &mut VerilogBlock) {
        let test = self.expression(&c.test);
        match (decided(&test).filter(|_| self.decide), &c.otherwise) {
            (Some(true), _) => c.then.iter().for_each(|s| self.statement(s, out)),
            (Some(false), VerilogBlockOrConditional::Block(b)) => b.iter().for_each(|s| self.statement(s, out)),
            (Some(false), VerilogBlockOrConditional::Conditional(s)) => self.statement(s, out),
            (Some(false), VerilogBlockOrConditional::None) => {}
            (None, otherwise) => {
                let then = self.block(&c.then);
                let otherwise = match otherwise {
                    VerilogBlockOrConditional::None => VerilogBlockOrConditional::None,
                    VerilogBlockOrConditional::Block(b) => VerilogBlockOrConditional::Block(self.block(b)),
                    // What is left of a decided condition is a block.
                    VerilogBlockOrConditional::Conditional(s) => {
                        let mut rest = Vec::new();
                        self.statement(s, &mut rest);
                        match (self.decide, rest.pop()) {
                            (false, Some(one)) => VerilogBlockOrConditional::Conditional(Box::new(one)),
                            (_, last) => {
                                rest.extend(last);
                                VerilogBlockOrConditional::Block(rest)
                            }
                        }
                    }
                };
                out.push(VerilogStatement::If(VerilogConditional { test, then, otherwise }));
            }
        }
    }

    fn boxed(&self, e: &VerilogExpression) -> Box<VerilogExpression> {
        Box::new(self.expression(e))
    }

    fn expression(&self, e: &VerilogExpression) -> VerilogExpression {
        match e {
            VerilogExpression::Signal(name) => match self.values.get(name) {
                Some(&value) => number(value),
                None => VerilogExpression::Signal(self.resolved(name)),
            },
            VerilogExpression::Literal(_) => e.clone(),
            VerilogExpression::Cast(inner, bits) => VerilogExpression::Cast(self.boxed(inner), *bits),
            VerilogExpression::Signed(inner) => VerilogExpression::Signed(self.boxed(inner)),
            VerilogExpression::Unsigned(inner) => VerilogExpression::Unsigned(self.boxed(inner)),
            VerilogExpression::Paren(inner) => {
                let inner = self.expression(inner);
                match known(&inner).filter(|_| self.decide) {
                    Some(value) => number(value),
                    None => VerilogExpression::Paren(Box::new(inner)),
                }
            }
            VerilogExpression::Binary(left, op, right) => self.binary(left, op, right),
            VerilogExpression::Unary(op, inner) => VerilogExpression::Unary(op.clone(), self.boxed(inner)),
            VerilogExpression::Index(base, index) => VerilogExpression::Index(self.boxed(base), self.boxed(index)),
            VerilogExpression::Slice(base, width, offset) => {
                VerilogExpression::Slice(self.boxed(base), *width, self.boxed(offset))
            }
            VerilogExpression::IndexReplace(base, index, value) => {
                VerilogExpression::IndexReplace(self.boxed(base), self.boxed(index), self.boxed(value))
            }
        }
    }

    /// Arithmetic of loop variables, sizes and literals becomes a number; everything else stays.
    fn binary(&self, left: &VerilogExpression, op: &VerilogOp, right: &VerilogExpression) -> VerilogExpression {
        let (l, r) = (self.expression(left), self.expression(right));
        let value = |e: &VerilogExpression| match e {
            VerilogExpression::Literal(literal) => Some(literal.as_usize() as i64),
            other => known(other),
        };
        // Two literals are the author's own arithmetic on constants.
        if self.decide && (known(&l).is_some() || known(&r).is_some()) {
            if let (Some(a), Some(b)) = (value(&l), value(&r)) {
                match op {
                    VerilogOp::Add => return number(a + b),
                    VerilogOp::Sub => return number(a - b),
                    VerilogOp::Mul => return number(a * b),
                    _ => {}
                }
            }
        }
        VerilogExpression::Binary(Box::new(l), op.clone(), Box::new(r))
    }

    /// `cores[c]$ret_valid[u + 1]` to `cores$2$ret_valid$1`, in the form in which that is declared.
    fn resolved(&self, name: &str) -> String {
        let mut out = String::new();
        let mut rest = name;
        while let Some((before, after)) = rest.split_once('[') {
            let Some((index, tail)) = closed(after) else { break };
            let value = Index { values: &self.values, rest: index }.value();
            let value = value.unwrap_or_else(|why| panic!("the index of `{name}`: {why}"));
            out += before;
            let _ = write!(out, "${value}");
            rest = tail;
        }
        out += rest;
        match self.declared {
            Some(declared) => declared.form(out),
            None => out,
        }
    }
}

/// The text before the `]` that closes a bracket opened before it, and the text behind it.
fn closed(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' if depth == 0 => return Some((&text[..at], &text[at + 1..])),
            ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// A comparison of numbers, of which one may be a literal.
fn decided(e: &VerilogExpression) -> Option<bool> {
    match e {
        VerilogExpression::Paren(inner) => decided(inner),
        VerilogExpression::Binary(l, op, r) => {
            let literal = |e: &VerilogExpression| match e {
                VerilogExpression::Literal(literal) => Some(literal.as_usize() as i64),
                _ => None,
            };
            let (l, r) = match (known(l), known(r)) {
                (None, None) => return None,
                (l_known, r_known) => (l_known.or_else(|| literal(l))?, r_known.or_else(|| literal(r))?),
            };
            match op {
                VerilogOp::Eq => Some(l == r),
                VerilogOp::Ne => Some(l != r),
                VerilogOp::Lt => Some(l < r),
                VerilogOp::Le => Some(l <= r),
                VerilogOp::Gt => Some(l > r),
                VerilogOp::Ge => Some(l >= r),
                _ => None,
            }
        }
        _ => None,
    }
}

/// An index expression, read from the left.
struct Index<'a> {
    values: &'a HashMap<String, i64>,
    rest: &'a str,
}

impl Index<'_> {
    fn value(mut self) -> Result<i64, String> {
        let value = self.sum()?;
        match self.rest.trim_start() {
            "" if value >= 0 => Ok(value),
            "" => Err(format!("it is {value}")),
            rest => Err(format!("`{rest}` is not understood")),
        }
    }

    /// Takes one of these characters.
    fn take(&mut self, wanted: &[char]) -> Option<char> {
        let rest = self.rest.trim_start();
        let first = rest.chars().next().filter(|c| wanted.contains(c))?;
        self.rest = &rest[first.len_utf8()..];
        Some(first)
    }

    fn sum(&mut self) -> Result<i64, String> {
        let mut value = self.product()?;
        while let Some(op) = self.take(&['+', '-']) {
            let other = self.product()?;
            value = if op == '+' { value + other } else { value - other };
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<i64, String> {
        let mut value = self.atom()?;
        while let Some(op) = self.take(&['*', '/']) {
            let other = self.atom()?;
            value = match (op, other) {
                ('*', _) => value * other,
                (_, 0) => return Err("it divides by zero".to_owned()),
                _ => value / other,
            };
        }
        Ok(value)
    }

    fn atom(&mut self) -> Result<i64, String> {
        if self.take(&['(']).is_some() {
            let value = self.sum()?;
            return self.take(&[')']).map(|_| value).ok_or_else(|| "a `)` is missing".to_owned());
        }
        let text = self.rest.trim_start();
        let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        if let Some(after) = rest.strip_prefix('[') {
            let (index, tail) = closed(after).ok_or("a `]` is missing")?;
            let i = Index { values: self.values, rest: index }.value()?;
            self.rest = tail;
            let value = self.values.get(&element_name(word, i)).copied();
            return value.ok_or_else(|| format!("`{word}` has no element {i}: it is not in `tables`, or too short"));
        }
        let value = word.trim_end_matches("usize").parse().ok().or_else(|| self.values.get(word).copied());
        value.ok_or_else(|| format!("`{word}` has no value: it is neither a loop variable nor in `sizes`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(text: &str) -> Result<i64, String> {
        let values = [("c", 3), ("_units", 4), ("_of$0", 7), ("_of$3", 2)].map(|(n, v)| (n.to_owned(), v));
        let values = HashMap::from(values);
        Index { values: &values, rest: text }.value()
    }

    #[test]
    fn index_expressions_are_evaluated() {
        for (text, value) in [
            ("7", 7),
            ("c", 3),
            ("c*_units+1", 13),
            ("(c - 1) * (2+_units)", 12),
            ("9/c-1", 2),
            ("8-2-1", 5),
            ("_of[c]+_of[c-3]", 9),
            ("_of[_of[3]-2]", 7),
        ] {
            assert_eq!(index(text), Ok(value), "{text}");
        }
        for (text, why) in [
            ("d", "`d` has no value"),
            ("_of[1]", "no element 1"),
            ("c-4", "it is -1"),
            ("(c", "`)` is missing"),
            ("c/0", "zero"),
            ("c%2", "`%2`"),
        ] {
            assert!(index(text).unwrap_err().contains(why), "{text}: {:?}", index(text));
        }
    }
}
