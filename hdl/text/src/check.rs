//! rust-hdl's checks of a kernel, made once for each kind of block: that it reads no signal of its
//! own before it assigns it, and assigns no input. As in rust-hdl, only what is assigned is read: a
//! condition may look at anything.
//!
//! It is wrong if it passes what rust-hdl's `check_all` refuses; a test has a block for each.

use std::borrow::Cow;

use ast::{VerilogBlock, VerilogBlockOrConditional, VerilogExpression, VerilogStatement};
use rust_hdl::prelude::*;
use rustc_hash::FxHashSet;

use crate::record::atoms;

/// What is wrong with the kernel of the block of that path, in words.
pub(crate) fn kernel(path: &str, record: &[u8], kernel: &Verilog) -> Result<(), String> {
    let Verilog::Combinatorial(block) = kernel else { return Ok(()) };
    let mut order = Order::default();
    order.block(block);
    let names = |kinds: &[AtomKind], wanted: &FxHashSet<Cow<str>>| {
        let found = atoms(record).filter(|a| kinds.contains(&a.kind) && wanted.contains(a.name));
        found.map(|a| format!("`{}`", a.name)).collect::<Vec<_>>().join(", ")
    };
    let early = names(&[AtomKind::LocalSignal, AtomKind::OutputParameter], &order.early);
    if !early.is_empty() {
        return Err(format!("block `{path}` reads {early} before it assigns it (LogicLoops)"));
    }
    let inward = names(&[AtomKind::InputParameter], &order.assigned);
    if !inward.is_empty() {
        return Err(format!("block `{path}` assigns its input {inward} (WritesToInputs)"));
    }
    Ok(())
}

/// What a kernel assigns, and what it reads before.
#[derive(Default)]
struct Order<'a> {
    assigned: FxHashSet<Cow<'a, str>>,
    early: FxHashSet<Cow<'a, str>>,
}

impl<'a> Order<'a> {
    fn block(&mut self, block: &'a VerilogBlock) {
        block.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &'a VerilogStatement) {
        match statement {
            VerilogStatement::Assignment(target, value) => {
                self.expression(value, false);
                self.expression(target, true);
            }
            VerilogStatement::SliceAssignment { base, offset, replacement, .. } => {
                self.expression(offset, false);
                self.expression(replacement, false);
                self.expression(base, true);
            }
            VerilogStatement::If(c) => {
                self.block(&c.then);
                match &c.otherwise {
                    VerilogBlockOrConditional::Block(block) => self.block(block),
                    VerilogBlockOrConditional::Conditional(statement) => self.statement(statement),
                    VerilogBlockOrConditional::None => {}
                }
            }
            VerilogStatement::Match(m) => m.cases.iter().for_each(|case| self.block(&case.block)),
            VerilogStatement::Loop(l) => self.block(&l.block),
            VerilogStatement::Macro(block) => self.block(block),
            VerilogStatement::Comment(_) | VerilogStatement::Link(_) => {}
        }
    }

    fn signal(&mut self, name: &'a str, assigned: bool) {
        let name = match name.strip_suffix("$next").unwrap_or(name) {
            name if name.as_bytes().windows(5).any(|part| part == b"$next") => Cow::Owned(name.replace("$next", "")),
            name => Cow::Borrowed(name),
        };
        if assigned {
            self.assigned.insert(name);
        } else if !self.assigned.contains(&name) {
            self.early.insert(name);
        }
    }

    fn expression(&mut self, e: &'a VerilogExpression, assigned: bool) {
        match e {
            VerilogExpression::Signal(name) => self.signal(name, assigned),
            VerilogExpression::Literal(_) => {}
            VerilogExpression::Cast(inner, _)
            | VerilogExpression::Signed(inner)
            | VerilogExpression::Unsigned(inner)
            | VerilogExpression::Paren(inner)
            | VerilogExpression::Unary(_, inner) => self.expression(inner, assigned),
            VerilogExpression::Binary(a, _, b) | VerilogExpression::Index(a, b) | VerilogExpression::Slice(a, _, b) => {
                self.expression(a, assigned);
                self.expression(b, assigned);
            }
            VerilogExpression::IndexReplace(a, b, c) => {
                [a, b, c].into_iter().for_each(|e| self.expression(e, assigned))
            }
        }
    }
}
