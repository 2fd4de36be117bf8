//! The syntax tree of a kernel from the lines that `#[kernel]` of `quadlock_hdl_macros` makes of
//! it, for the export. A line is one node: a character that says which, and what it has beside
//! further nodes, which follow it. `{2` is a block of two statements, `=` an assignment of the two
//! expressions that follow, `$a$q` the signal `a$q`.
//!
//! The lines are made with every build, so that none can be old. Wrong would be a node that is read
//! as another one: `tests/kernel.rs` compares the trees with rust-hdl's.

use rust_hdl::prelude::ast::{
    Verilog, VerilogBlock, VerilogBlockOrConditional, VerilogCase, VerilogConditional, VerilogExpression, VerilogLink,
    VerilogLiteral, VerilogLoop, VerilogMatch, VerilogOp, VerilogOpUnary, VerilogStatement,
};

/// The kernel of these lines. `numbers`, `literals` and `links` are what the lines take from the
/// compiler, in the order in which they do.
///
/// # Panics
/// On lines that the attribute does not make.
pub fn read(lines: &str, numbers: &[usize], literals: &[VerilogLiteral], links: &[Vec<VerilogLink>]) -> Verilog {
    let (numbers, literals, links) = (numbers.iter(), literals.iter(), links.iter());
    Verilog::Combinatorial(Reader { lines: lines.lines(), numbers, literals, links }.block())
}

/// Checks a `one_of!`, given whether each of its blocks is the one: ports that two blocks drive
/// would be the last one's.
///
/// # Panics
/// If two are.
pub fn at_most_one(built: &[bool]) {
    let count = built.iter().filter(|b| **b).count();
    assert!(count <= 1, "{count} blocks of a `one_of!` are built: {built:?}");
}

/// A number that constants of a kernel make, in a cast to so many bits: as wide as a number that is
/// written there.
///
/// # Panics
/// At compile time: the cast would cut the number.
pub const fn constant(number: u64, bits: usize) -> u32 {
    assert!(number < 1 << 32 && (bits >= 32 || number >> bits == 0), "the number has more bits than the cast");
    number as u32
}

struct Reader<'a> {
    lines: std::str::Lines<'a>,
    numbers: std::slice::Iter<'a, usize>,
    literals: std::slice::Iter<'a, VerilogLiteral>,
    links: std::slice::Iter<'a, Vec<VerilogLink>>,
}

/// What can only be a mistake in the attribute.
fn broken(line: &str) -> ! {
    panic!("#[kernel] made the line `{line}`, which its reader does not know here")
}

impl<'a> Reader<'a> {
    /// The next line: its kind, and the rest.
    fn line(&mut self) -> (char, &'a str) {
        let line = self.lines.next().unwrap_or_else(|| broken("(the end)"));
        let mut rest = line.chars();
        let kind = rest.next().unwrap_or_else(|| broken(line));
        (kind, rest.as_str())
    }

    /// The number of a line: written out, or the next of the compiler's.
    fn number(&mut self, rest: &str) -> usize {
        match rest {
            "@" => *self.numbers.next().unwrap_or_else(|| broken("@")),
            written => written.parse().unwrap_or_else(|_| broken(written)),
        }
    }

    fn block(&mut self) -> VerilogBlock {
        match self.line() {
            ('{', count) => (0..self.number(count)).map(|_| self.statement()).collect(),
            (_, rest) => broken(rest),
        }
    }

    fn statement(&mut self) -> VerilogStatement {
        match self.line() {
            ('=', _) => VerilogStatement::Assignment(self.value(), self.value()),
            ('s', width) => {
                let (width, base) = (self.number(width), self.value());
                VerilogStatement::SliceAssignment { base, width, offset: self.value(), replacement: self.value() }
            }
            ('?', _) => self.conditional(),
            ('m', count) => {
                let (count, test) = (self.number(count), self.value());
                VerilogStatement::Match(VerilogMatch { test, cases: (0..count).map(|_| self.case()).collect() })
            }
            ('f', index) => VerilogStatement::Loop(VerilogLoop {
                index: index.to_owned(),
                from: self.literal(),
                to: self.literal(),
                block: self.block(),
            }),
            ('c', text) => VerilogStatement::Comment(text.to_owned()),
            ('l', _) => VerilogStatement::Link(self.links.next().unwrap_or_else(|| broken("l")).clone()),
            ('M', _) => VerilogStatement::Macro(self.block()),
            (_, rest) => broken(rest),
        }
    }

    /// Behind the line that says so.
    fn conditional(&mut self) -> VerilogStatement {
        let (test, then) = (self.value(), self.block());
        let otherwise = match self.line() {
            ('.', _) => VerilogBlockOrConditional::None,
            ('e', _) => VerilogBlockOrConditional::Block(self.block()),
            ('i', _) => VerilogBlockOrConditional::Conditional(Box::new(self.statement())),
            (_, rest) => broken(rest),
        };
        VerilogStatement::If(VerilogConditional { test, then, otherwise })
    }

    fn case(&mut self) -> VerilogCase {
        match self.line() {
            ('a', condition) => VerilogCase { condition: condition.to_owned(), block: self.block() },
            (_, rest) => broken(rest),
        }
    }

    fn literal(&mut self) -> VerilogLiteral {
        match self.line() {
            ('#', rest) => written(rest),
            ('v', _) => self.literals.next().unwrap_or_else(|| broken("v")).clone(),
            (_, rest) => broken(rest),
        }
    }

    fn boxed(&mut self) -> Box<VerilogExpression> {
        Box::new(self.value())
    }

    fn value(&mut self) -> VerilogExpression {
        match self.line() {
            ('$', name) => VerilogExpression::Signal(name.to_owned()),
            ('#', rest) => VerilogExpression::Literal(written(rest)),
            ('v', _) => VerilogExpression::Literal(self.literals.next().unwrap_or_else(|| broken("v")).clone()),
            ('C', width) => {
                let width = self.number(width);
                VerilogExpression::Cast(self.boxed(), width)
            }
            ('S', _) => VerilogExpression::Signed(self.boxed()),
            ('U', _) => VerilogExpression::Unsigned(self.boxed()),
            ('(', _) => VerilogExpression::Paren(self.boxed()),
            ('b', op) => VerilogExpression::Binary(self.boxed(), binary(op), self.boxed()),
            ('u', op) => VerilogExpression::Unary(unary(op), self.boxed()),
            ('[', _) => VerilogExpression::Index(self.boxed(), self.boxed()),
            (':', width) => {
                let (width, of) = (self.number(width), self.boxed());
                VerilogExpression::Slice(of, width, self.boxed())
            }
            ('r', _) => VerilogExpression::IndexReplace(self.boxed(), self.boxed(), self.boxed()),
            (_, rest) => broken(rest),
        }
    }
}

/// `32 5`: bits and value.
fn written(rest: &str) -> VerilogLiteral {
    let (bits, value) = rest.split_once(' ').unwrap_or_else(|| broken(rest));
    let value: u128 = value.parse().unwrap_or_else(|_| broken(rest));
    match bits {
        "1" => (value != 0).into(),
        "8" => (value as u8).into(),
        "16" => (value as u16).into(),
        "32" => (value as u32).into(),
        "64" => (value as u64).into(),
        "128" => value.into(),
        _ => broken(rest),
    }
}

fn binary(op: &str) -> VerilogOp {
    match op {
        "+" => VerilogOp::Add,
        "-" => VerilogOp::Sub,
        "*" => VerilogOp::Mul,
        "&&" => VerilogOp::LogicalAnd,
        "||" => VerilogOp::LogicalOr,
        "^" => VerilogOp::BitXor,
        "&" => VerilogOp::BitAnd,
        "|" => VerilogOp::BitOr,
        "<<" => VerilogOp::Shl,
        ">>" => VerilogOp::Shr,
        "==" => VerilogOp::Eq,
        "<" => VerilogOp::Lt,
        "<=" => VerilogOp::Le,
        "!=" => VerilogOp::Ne,
        ">=" => VerilogOp::Ge,
        ">" => VerilogOp::Gt,
        _ => broken(op),
    }
}

fn unary(op: &str) -> VerilogOpUnary {
    match op {
        "!" => VerilogOpUnary::Not,
        "-" => VerilogOpUnary::Neg,
        "all" => VerilogOpUnary::All,
        "any" => VerilogOpUnary::Any,
        "xor" => VerilogOpUnary::Xor,
        _ => broken(op),
    }
}
