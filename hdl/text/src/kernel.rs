//! A kernel's syntax tree as bytes of a [`Record`], all of it: two kernels have the same bytes only
//! if rust-hdl writes the same text for both. It is wrong if a part of the tree is left out; every
//! variant is named here, so a new one does not compile.

use ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogConditional, VerilogExpression, VerilogLink, VerilogLiteral,
    VerilogOp, VerilogOpUnary, VerilogStatement,
};
use rust_hdl::prelude::*;

use crate::record::Record;

impl Record {
    /// Adds the kernel.
    pub(crate) fn verilog(&mut self, code: &Verilog) {
        match code {
            Verilog::Empty => self.tag(0),
            Verilog::Combinatorial(block) => {
                self.tag(1);
                self.block(block);
            }
            Verilog::Custom(text) => {
                self.tag(2);
                self.text(text);
            }
            Verilog::Blackbox(BlackBox { code, name }) => {
                self.tag(3);
                self.text(code);
                self.text(name);
            }
            Verilog::Wrapper(Wrapper { code, cores }) => {
                self.tag(4);
                self.text(code);
                self.text(cores);
            }
        }
    }

    fn block(&mut self, block: &VerilogBlock) {
        self.number(block.len());
        block.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &VerilogStatement) {
        match statement {
            VerilogStatement::Assignment(target, value) => {
                self.tag(0);
                self.expression(target);
                self.expression(value);
            }
            VerilogStatement::SliceAssignment { base, width, offset, replacement } => {
                self.tag(1);
                self.number(*width);
                [base, offset, replacement].into_iter().for_each(|e| self.expression(e));
            }
            VerilogStatement::If(conditional) => {
                self.tag(2);
                self.conditional(conditional);
            }
            VerilogStatement::Match(m) => {
                self.tag(3);
                self.expression(&m.test);
                self.number(m.cases.len());
                for case in &m.cases {
                    self.text(&case.condition);
                    self.block(&case.block);
                }
            }
            VerilogStatement::Loop(l) => {
                self.tag(4);
                self.text(&l.index);
                self.literal(&l.from);
                self.literal(&l.to);
                self.block(&l.block);
            }
            VerilogStatement::Comment(text) => {
                self.tag(5);
                self.text(text);
            }
            VerilogStatement::Link(links) => {
                self.tag(6);
                self.number(links.len());
                links.iter().for_each(|link| self.link(link));
            }
            VerilogStatement::Macro(block) => {
                self.tag(7);
                self.block(block);
            }
        }
    }

    fn conditional(&mut self, c: &VerilogConditional) {
        self.expression(&c.test);
        self.block(&c.then);
        match &c.otherwise {
            VerilogBlockOrConditional::None => self.tag(0),
            VerilogBlockOrConditional::Block(block) => {
                self.tag(1);
                self.block(block);
            }
            VerilogBlockOrConditional::Conditional(statement) => {
                self.tag(2);
                self.statement(statement);
            }
        }
    }

    fn link(&mut self, link: &VerilogLink) {
        let (tag, details) = match link {
            VerilogLink::Forward(details) => (0, details),
            VerilogLink::Backward(details) => (1, details),
            VerilogLink::Bidirectional(details) => (2, details),
        };
        self.tag(tag);
        [&details.my_name, &details.owner_name, &details.other_name].into_iter().for_each(|name| self.text(name));
    }

    fn literal(&mut self, literal: &VerilogLiteral) {
        // Its text has both that it consists of: the number of bits and the value.
        self.text(&literal.to_string());
    }

    fn expression(&mut self, e: &VerilogExpression) {
        match e {
            VerilogExpression::Signal(name) => {
                self.tag(0);
                self.text(name);
            }
            VerilogExpression::Literal(literal) => {
                self.tag(1);
                self.literal(literal);
            }
            VerilogExpression::Cast(inner, bits) => {
                self.tag(2);
                self.number(*bits);
                self.expression(inner);
            }
            VerilogExpression::Signed(inner) => self.tagged(3, &[inner]),
            VerilogExpression::Unsigned(inner) => self.tagged(4, &[inner]),
            VerilogExpression::Paren(inner) => self.tagged(5, &[inner]),
            VerilogExpression::Binary(left, op, right) => {
                self.tag(6);
                self.tag(binary(op));
                self.expression(left);
                self.expression(right);
            }
            VerilogExpression::Unary(op, inner) => {
                self.tag(7);
                self.tag(unary(op));
                self.expression(inner);
            }
            VerilogExpression::Index(base, index) => self.tagged(8, &[base, index]),
            VerilogExpression::Slice(base, width, offset) => {
                self.tag(9);
                self.number(*width);
                self.expression(base);
                self.expression(offset);
            }
            VerilogExpression::IndexReplace(base, index, value) => self.tagged(10, &[base, index, value]),
        }
    }

    fn tagged(&mut self, tag: u8, inner: &[&VerilogExpression]) {
        self.tag(tag);
        inner.iter().for_each(|e| self.expression(e));
    }
}

fn binary(op: &VerilogOp) -> u8 {
    match op {
        VerilogOp::Add => 0,
        VerilogOp::Sub => 1,
        VerilogOp::Mul => 2,
        VerilogOp::LogicalAnd => 3,
        VerilogOp::LogicalOr => 4,
        VerilogOp::BitXor => 5,
        VerilogOp::BitAnd => 6,
        VerilogOp::BitOr => 7,
        VerilogOp::Shl => 8,
        VerilogOp::Shr => 9,
        VerilogOp::Eq => 10,
        VerilogOp::Lt => 11,
        VerilogOp::Le => 12,
        VerilogOp::Ne => 13,
        VerilogOp::Ge => 14,
        VerilogOp::Gt => 15,
    }
}

fn unary(op: &VerilogOpUnary) -> u8 {
    match op {
        VerilogOpUnary::Not => 0,
        VerilogOpUnary::Neg => 1,
        VerilogOpUnary::All => 2,
        VerilogOpUnary::Any => 3,
        VerilogOpUnary::Xor => 4,
    }
}
