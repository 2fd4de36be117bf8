//! The lines of a module as rust-hdl writes them, from a [record](crate::record) and a kernel
//! without loops. rust-hdl compares every port of a block with every port of the blocks in it, and
//! copies each piece of text several times; that was a large part of an export.
//!
//! It is wrong if a line differs from rust-hdl's: a test of the RTL's crate compares whole machines
//! with `ModuleDefines`. There are no connections left (`Verilog::Link`), so no wire is passed
//! through a block, and black boxes are refused before.

use std::collections::HashSet;
use std::fmt::Write;

use ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogConditional, VerilogExpression, VerilogMatch, VerilogOp,
    VerilogOpUnary, VerilogStatement,
};
use rust_hdl::prelude::*;

use crate::literals::sized_literals;
use crate::merge::Line;
use crate::record::{atoms, parts, AtomPart, Kind, LabelPart, Part};

/// The declarations of a module, sorted by the heading that they stand under.
#[derive(Default)]
struct Declarations<'a> {
    ports: Vec<AtomPart<'a>>,
    constants: Vec<AtomPart<'a>>,
    labels: Vec<LabelPart<'a>>,
    /// Wires to the blocks in it: the block's name and its port.
    stubs: Vec<(&'a str, AtomPart<'a>)>,
    locals: Vec<AtomPart<'a>>,
    /// Names and kinds of the blocks in it.
    children: Vec<(&'a str, &'a Kind)>,
}

impl<'a> Declarations<'a> {
    fn of(record: &'a [u8], kinds: &'a [Kind]) -> Self {
        let mut found = Self::default();
        for part in parts(record) {
            match part {
                Part::Label(label) => found.label(label),
                Part::Child { name, kind } => found.child(name, &kinds[kind]),
                Part::Atom(atom) => match atom.kind {
                    AtomKind::Constant => found.constants.push(atom),
                    AtomKind::LocalSignal => found.locals.push(atom),
                    _ => found.ports.push(atom),
                },
            }
        }
        found
    }

    fn label(&mut self, label: LabelPart<'a>) {
        if !self.labels.contains(&label) {
            self.labels.push(label);
        }
    }

    /// A block in it brings wires for its ports, and the enumerations of all its signals.
    fn child(&mut self, name: &'a str, kind: &'a Kind) {
        self.children.push((name, kind));
        for part in parts(&kind.record) {
            match part {
                Part::Atom(atom) if atom.is_port() => self.stubs.push((name, atom)),
                Part::Label(label) => self.label(label),
                _ => {}
            }
        }
    }
}

/// From the port list to before `endmodule`.
///
/// # Errors
/// A port that has the name of a wire to a block in it.
pub(crate) fn module(record: &[u8], kernel: &Verilog, kinds: &[Kind]) -> Result<Vec<Line>, String> {
    let found = Declarations::of(record, kinds);
    let mut printer = Printer { lines: Vec::new(), text: String::new(), indent: 1 };
    let names: Vec<_> = found.ports.iter().map(|p| p.name).collect();
    printer.lines.push(Line::Text(format!("({});", names.join(","))));
    printer.declarations(&found)?;
    if !found.children.is_empty() {
        printer.heading("// Sub module instances");
        found.children.iter().for_each(|(name, kind)| printer.instance(name, kind));
    }
    match kernel {
        Verilog::Combinatorial(block) => {
            printer.heading("// Update code");
            printer.text += "always @(*) ";
            printer.block(block);
            printer.line("");
        }
        Verilog::Custom(code) => {
            printer.heading("// Update code (custom)");
            code.split_terminator('\n').for_each(|line| printer.line(line));
        }
        Verilog::Empty | Verilog::Blackbox(_) | Verilog::Wrapper(_) => {}
    }
    Ok(printer.lines)
}

struct Printer {
    lines: Vec<Line>,
    /// The line that is being written.
    text: String,
    indent: usize,
}

impl Printer {
    /// A whole line.
    fn line(&mut self, text: &str) {
        let mut line = String::with_capacity(4 * self.indent + text.len());
        (0..self.indent).for_each(|_| line += "    ");
        line += text;
        line.truncate(line.trim_end().len());
        // rust-hdl prints a comment! with a part of its macro call.
        if line.contains('!') {
            line = line.replace("// comment! (\"", "// ");
        }
        self.lines.push(Line::Text(sized_literals(line)));
    }

    /// Ends the line that is being written.
    fn end_line(&mut self) {
        let text = std::mem::take(&mut self.text);
        text.split_terminator('\n').for_each(|line| self.line(line));
        self.text = text;
        self.text.clear();
    }

    fn heading(&mut self, text: &str) {
        self.line("");
        self.line(text);
    }

    fn declarations(&mut self, found: &Declarations) -> Result<(), String> {
        let wires: HashSet<String> = found.stubs.iter().map(|(block, port)| format!("{block}${}", port.name)).collect();
        if let Some(port) = found.ports.iter().find(|port| wires.contains(port.name)) {
            return Err(format!("port `{}` has the name of a port of a block in it", port.name));
        }
        if !found.ports.is_empty() {
            self.heading("// Module arguments");
            for port in &found.ports {
                let kind = match port.kind {
                    AtomKind::InputParameter => "input wire",
                    AtomKind::OutputParameter => "output reg",
                    _ => "inout wire",
                };
                self.declaration(kind, "", port);
            }
        }
        if !found.constants.is_empty() {
            self.heading("// Constant declarations");
            for c in &found.constants {
                self.line(&format!("localparam {} {} = {};", signed(c), c.name, c.value));
            }
        }
        if !found.labels.is_empty() {
            self.heading("// Enums");
            for l in &found.labels {
                self.line(&format!("localparam {} = {};", l.label.replace("::", "$"), l.value));
            }
        }
        if !found.stubs.is_empty() {
            self.heading("// Stub signals");
            for (block, port) in &found.stubs {
                let kind = if port.kind == AtomKind::InputParameter { "reg" } else { "wire" };
                self.declaration(kind, block, port);
            }
        }
        if !found.locals.is_empty() {
            self.heading("// Local signals");
            found.locals.iter().for_each(|local| self.declaration("reg", "", local));
        }
        Ok(())
    }

    /// A signal of this module or, with a name of `block`, the wire to a port of that.
    fn declaration(&mut self, kind: &str, block: &str, signal: &AtomPart) {
        let AtomPart { width, name, .. } = *signal;
        let mut text = format!("{kind} {} ", signed(signal));
        if width != 1 {
            let _ = write!(text, "[{}:0] ", width - 1);
        }
        if !block.is_empty() {
            text += block;
            text.push('$');
        }
        text += name;
        text.push(';');
        self.line(&text);
    }

    fn instance(&mut self, name: &str, kind: &Kind) {
        let indent = "    ".repeat(self.indent);
        self.lines.push(Line::Instance { indent, module: kind.module, name: name.to_owned() });
        self.indent += 1;
        let mut ports = atoms(&kind.record).filter(AtomPart::is_port).peekable();
        while let Some(port) = ports.next() {
            let comma = if ports.peek().is_some() { "," } else { "" };
            self.line(&format!(".{}({name}${}){comma}", port.name, port.name));
        }
        self.indent -= 1;
        self.line(");");
    }

    // The kernel.

    fn block(&mut self, block: &VerilogBlock) {
        self.text += "begin";
        self.end_line();
        self.indent += 1;
        block.iter().for_each(|statement| self.statement(statement));
        self.indent -= 1;
        self.line("end");
    }

    fn statement(&mut self, statement: &VerilogStatement) {
        match statement {
            VerilogStatement::Assignment(target, value) => {
                self.expression(target);
                self.text += " = ";
                self.expression(value);
                self.text.push(';');
                self.end_line();
            }
            VerilogStatement::SliceAssignment { base, width, offset, replacement } => {
                self.slice(base, *width, offset);
                self.text += " = ";
                self.expression(replacement);
                self.text.push(';');
                self.end_line();
            }
            VerilogStatement::If(conditional) => self.conditional(conditional),
            VerilogStatement::Match(m) => self.cases(m),
            VerilogStatement::Macro(block) => block.iter().for_each(|s| self.statement(s)),
            VerilogStatement::Comment(text) => {
                format!("// {text}").split_terminator('\n').for_each(|line| self.line(line));
            }
            VerilogStatement::Loop(_) | VerilogStatement::Link(_) => {
                unreachable!("loops and connections are written out before")
            }
        }
    }

    fn conditional(&mut self, c: &VerilogConditional) {
        self.text += "if (";
        self.expression(&c.test);
        self.text += ") ";
        self.block(&c.then);
        match &c.otherwise {
            VerilogBlockOrConditional::Block(block) => {
                self.text += "else ";
                self.block(block);
            }
            VerilogBlockOrConditional::Conditional(statement) => {
                self.text += "else ";
                self.statement(statement);
            }
            VerilogBlockOrConditional::None => {}
        }
    }

    fn cases(&mut self, m: &VerilogMatch) {
        self.text += "case (";
        self.expression(&m.test);
        self.text.push(')');
        self.end_line();
        self.indent += 1;
        for case in &m.cases {
            self.name(&case.condition);
            self.text.push(':');
            self.end_line();
            self.indent += 1;
            self.block(&case.block);
            self.indent -= 1;
        }
        self.indent -= 1;
        self.text += "endcase";
        self.end_line();
    }

    /// A name as rust-hdl writes it: with `$` for what separates its parts in Rust.
    fn name(&mut self, name: &str) {
        let name = name.strip_prefix('.').unwrap_or(name);
        match name.contains(['.', ':']) {
            true => self.text += name.replace('.', "$").replace("::", "$").trim_end_matches("$next"),
            false => self.text += name.trim_end_matches("$next"),
        }
    }

    /// Pieces of text with expressions between them.
    fn pieces(&mut self, first: &str, rest: &[(&VerilogExpression, &str)]) {
        self.text += first;
        for (e, text) in rest {
            self.expression(e);
            self.text += text;
        }
    }

    fn slice(&mut self, base: &VerilogExpression, width: usize, offset: &VerilogExpression) {
        self.pieces("", &[(base, "[("), (offset, ")+:(")]);
        let _ = write!(self.text, "{width})]");
    }

    fn expression(&mut self, e: &VerilogExpression) {
        match e {
            VerilogExpression::Signal(name) => self.name(name),
            VerilogExpression::Literal(literal) => {
                let _ = write!(self.text, "{literal}");
            }
            VerilogExpression::Cast(inner, bits) => {
                self.pieces("((", &[(inner, ") & ")]);
                let top = ["", "1", "3", "7"][bits % 4];
                let _ = write!(self.text, "{bits}'h{top}{})", "f".repeat(bits / 4));
            }
            VerilogExpression::Signed(inner) => self.pieces("$signed(", &[(inner, ")")]),
            VerilogExpression::Unsigned(inner) => self.pieces("$unsigned(", &[(inner, ")")]),
            VerilogExpression::Paren(inner) => self.pieces("(", &[(inner, ")")]),
            VerilogExpression::Binary(left, op, right) => self.pieces("", &[(left, binary(op)), (right, "")]),
            VerilogExpression::Unary(op, inner) => self.pieces(unary(op), &[(inner, "")]),
            VerilogExpression::Index(base, index) => self.pieces("", &[(base, "["), (index, "]")]),
            VerilogExpression::Slice(base, width, offset) => self.slice(base, *width, offset),
            VerilogExpression::IndexReplace(base, index, value) => {
                self.pieces("(", &[(base, " & ~(1 << ("), (index, ")) | (("), (value, ") << ("), (index, ")))")]);
            }
        }
    }
}

fn signed(atom: &AtomPart) -> &'static str {
    if atom.signed {
        "signed"
    } else {
        ""
    }
}

fn binary(op: &VerilogOp) -> &'static str {
    match op {
        VerilogOp::Add => " + ",
        VerilogOp::Sub => " - ",
        VerilogOp::Mul => " * ",
        VerilogOp::LogicalAnd => " && ",
        VerilogOp::LogicalOr => " || ",
        VerilogOp::BitXor => " ^ ",
        VerilogOp::BitAnd => " & ",
        VerilogOp::BitOr => " | ",
        VerilogOp::Shl => " << ",
        VerilogOp::Shr => " >> ",
        VerilogOp::Eq => " == ",
        VerilogOp::Lt => " < ",
        VerilogOp::Le => " <= ",
        VerilogOp::Ne => " != ",
        VerilogOp::Ge => " >= ",
        VerilogOp::Gt => " > ",
    }
}

fn unary(op: &VerilogOpUnary) -> &'static str {
    match op {
        VerilogOpUnary::Not => "~",
        VerilogOpUnary::Neg => "-",
        VerilogOpUnary::All => "&",
        VerilogOpUnary::Any => "|",
        VerilogOpUnary::Xor => "^",
    }
}
