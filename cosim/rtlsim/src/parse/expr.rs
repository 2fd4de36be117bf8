//! Expressions, by precedence climbing. All binary operators associate to the left (`**` too), `?:`
//! to the right, unary operators bind tightest (`-a ** b` is `(-a) ** b`). A reduction such as `&a`
//! differs from binary `&` only by where it stands.

use super::fail::{Fail, Res};
use super::lexer::Tok;
use super::parser::Parser;
use super::{keywords, number};
use crate::ast::{BinaryOp, Expr, ExprKind, Span, UnaryOp};

/// Operator and precedence of a binary operator token; higher binds tighter.
fn binary(op: &str) -> Option<(BinaryOp, u32)> {
    use BinaryOp::*;
    Some(match op {
        "||" => (LogicalOr, 1),
        "&&" => (LogicalAnd, 2),
        "|" => (Or, 3),
        "^" => (Xor, 4),
        "^~" | "~^" => (Xnor, 4),
        "&" => (And, 5),
        "==" => (Eq, 6),
        "!=" => (Ne, 6),
        "===" => (CaseEq, 6),
        "!==" => (CaseNe, 6),
        "<" => (Lt, 7),
        "<=" => (Le, 7),
        ">" => (Gt, 7),
        ">=" => (Ge, 7),
        "<<" => (Shl, 8),
        ">>" => (Shr, 8),
        "<<<" => (ShlA, 8),
        ">>>" => (ShrA, 8),
        "+" => (Add, 9),
        "-" => (Sub, 9),
        "*" => (Mul, 10),
        "/" => (Div, 10),
        "%" => (Rem, 10),
        "**" => (Power, 11),
        _ => return None,
    })
}

fn unary(op: &str) -> Option<UnaryOp> {
    use UnaryOp::*;
    Some(match op {
        "+" => Plus,
        "-" => Minus,
        "~" => Not,
        "!" => LogicalNot,
        "&" => And,
        "~&" => Nand,
        "|" => Or,
        "~|" => Nor,
        "^" => Xor,
        "~^" | "^~" => Xnor,
        _ => return None,
    })
}

impl Parser<'_> {
    /// An expression, conditional operator included.
    pub(super) fn expr(&mut self) -> Res<Expr> {
        self.nested(|p| p.chain(Self::conditional_expr))
    }

    /// The chain of `a ? b : c ? d : ...` is kept in a list, so that a long one does not recurse.
    fn conditional_expr(&mut self) -> Res<Expr> {
        let mut chain = Vec::new();
        let mut last = self.binary_expr(0)?;
        while self.eat_op("?") {
            let then = self.expr()?;
            self.expect_op(":", "the first alternative of a conditional expression")?;
            chain.push((last, then));
            self.too_long(chain.len())?;
            last = self.binary_expr(0)?;
        }
        self.links(chain.len())?;
        Ok(chain.into_iter().rev().fold(last, |otherwise, (condition, then)| {
            let span = condition.span;
            let kind = ExprKind::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise));
            Expr { kind, span }
        }))
    }

    fn binary_expr(&mut self, above: u32) -> Res<Expr> {
        self.chain(|p| p.operators(above))
    }

    fn operators(&mut self, above: u32) -> Res<Expr> {
        let mut left = self.unary_expr()?;
        let mut count = 0;
        loop {
            let Tok::Op(op) = self.peek() else { return Ok(left) };
            let Some((op, precedence)) = binary(op) else { return Ok(left) };
            if precedence <= above {
                return Ok(left);
            }
            self.skip();
            count += 1;
            self.too_long(count)?;
            let right = self.binary_expr(precedence)?;
            self.links(1)?;
            let span = left.span;
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
        }
    }

    fn unary_expr(&mut self) -> Res<Expr> {
        let span = self.span();
        if let Tok::Op(op) = self.peek() {
            if let Some(op) = unary(op) {
                self.skip();
                let operand = self.nested(Self::unary_expr)?;
                return Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), span });
            }
        }
        self.primary()
    }

    fn primary(&mut self) -> Res<Expr> {
        let span = self.span();
        let kind = match self.peek() {
            Tok::Word(w) if !keywords::is_keyword(w) => return self.selected(),
            Tok::Escaped(_) => return self.selected(),
            Tok::Decimal(digits) => {
                self.skip();
                match self.peek() {
                    Tok::Based { signed, base, digits: d } => {
                        self.skip();
                        ExprKind::Literal(number::based(Some(digits), signed, base, d, span)?)
                    }
                    _ => ExprKind::Literal(number::plain(digits, span)?),
                }
            }
            Tok::Based { signed, base, digits } => {
                self.skip();
                ExprKind::Literal(number::based(None, signed, base, digits, span)?)
            }
            Tok::Str(s) => {
                self.skip();
                ExprKind::Str(unescape(s))
            }
            Tok::System(name) => return self.call(name),
            Tok::Op("(") => {
                self.skip();
                let inner = self.expr()?;
                if self.is_op(":") {
                    return Err(self.unsupported("minimum, typical, maximum expression", "write one value"));
                }
                self.expect_op(")", "the expression in parentheses")?;
                return Ok(inner);
            }
            Tok::Op("{") => return self.concat(false),
            _ => return Err(self.expected("an expression")),
        };
        Ok(Expr { kind, span })
    }

    fn call(&mut self, name: &str) -> Res<Expr> {
        let span = self.span();
        if !matches!(name, "$signed" | "$unsigned" | "$clog2" | "$bits") && !self.in_task {
            let help = "only $signed, $unsigned, $clog2 and $bits can be used in expressions";
            return Err(Fail::unsupported(span, format!("system function {name}"), help));
        }
        self.skip();
        let mut arguments = Vec::new();
        if self.eat_op("(") {
            arguments = self.list("argument")?;
            self.expect_op(")", "the arguments")?;
        } else if !self.in_task {
            return Err(self.expected(&format!("`(` after {name}")));
        }
        Ok(Expr { kind: ExprKind::Call(name.to_string(), arguments), span })
    }

    /// Expressions with commas between, at least one.
    pub(super) fn list(&mut self, what: &str) -> Res<Vec<Expr>> {
        let mut list = vec![self.expr()?];
        while self.eat_op(",") {
            list.push(self.expr()?);
        }
        if matches!(self.peek(), Tok::Word(_) | Tok::Escaped(_) | Tok::Decimal(_) | Tok::End) {
            return Err(self.expected(&format!("`,` or the end of the list after the {what}")));
        }
        Ok(list)
    }

    /// `{a, b}` or, in values, `{n{a, b}}`.
    fn concat(&mut self, target: bool) -> Res<Expr> {
        self.nested(|p| {
            let span = p.span();
            p.expect_op("{", "here")?;
            if p.is_op("}") {
                return Err(p.expected("an expression"));
            }
            let first = if target { p.target()? } else { p.expr()? };
            if !target && p.eat_op("{") {
                let list = p.list("expression")?;
                p.expect_op("}", "the expressions to repeat")?;
                p.expect_op("}", "a replication")?;
                return Ok(Expr { kind: ExprKind::Repeat(Box::new(first), list), span });
            }
            let mut list = vec![first];
            while p.eat_op(",") {
                list.push(if target { p.target()? } else { p.expr()? });
            }
            if !p.eat_op("}") {
                return Err(p.expected("`,` or `}` in a concatenation"));
            }
            Ok(Expr { kind: ExprKind::Concat(list), span })
        })
    }

    /// A name with selects.
    fn selected(&mut self) -> Res<Expr> {
        let (name, span) = self.name("a name")?;
        if self.is_op(".") {
            return Err(Fail::unsupported(span, "hierarchical name", "bring the signal out through a port"));
        }
        if self.eat_op("(") {
            let arguments = self.list("argument")?;
            self.expect_op(")", "the arguments")?;
            return Ok(Expr { kind: ExprKind::Call(name, arguments), span });
        }
        let mut base = Expr { kind: ExprKind::Name(name), span };
        let mut count = 0;
        while self.eat_op("[") {
            count += 1;
            if count > 8 {
                return Err(self.unsupported("more than 8 selects of one name", "use one vector or memory"));
            }
            base = self.select(base, span)?;
        }
        if count > 0 && self.is_op(".") {
            return Err(Fail::unsupported(span, "hierarchical name", "bring the signal out through a port"));
        }
        Ok(base)
    }

    /// Behind `[`.
    fn select(&mut self, base: Expr, span: Span) -> Res<Expr> {
        let base = Box::new(base);
        let first = Box::new(self.expr()?);
        let kind = match self.peek() {
            Tok::Op(":") => {
                self.skip();
                ExprKind::Part(base, first, Box::new(self.expr()?))
            }
            Tok::Op(op @ ("+:" | "-:")) => {
                self.skip();
                ExprKind::Indexed { base, start: first, width: Box::new(self.expr()?), up: op == "+:" }
            }
            _ => ExprKind::Index(base, first),
        };
        if !self.eat_op("]") {
            return Err(self.expected("`]`, `:`, `+:` or `-:` in a select"));
        }
        Ok(Expr { kind, span })
    }

    /// What can be assigned to: a name with selects, or a concatenation of such.
    pub(super) fn target(&mut self) -> Res<Expr> {
        match self.peek() {
            Tok::Op("{") => self.concat(true),
            Tok::Word(w) if keywords::is_keyword(w) => Err(self.expected("a signal to assign to")),
            Tok::Word(_) | Tok::Escaped(_) => match self.selected()? {
                Expr { kind: ExprKind::Call(..), span } => {
                    Err(Fail::syntax(span, "a function call cannot be assigned to"))
                }
                target => Ok(target),
            },
            _ => Err(self.expected("a signal to assign to")),
        }
    }
}

/// Works off the escapes of a string.
fn unescape(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some(d) if d.is_digit(8) => {
                let mut code = d.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    let Some(d) = chars.peek().and_then(|c| c.to_digit(8)) else { break };
                    code = code * 8 + d;
                    chars.next();
                }
                out.push(char::from((code & 255) as u8));
            }
            Some(c) => out.push(c),
            None => {}
        }
    }
    out
}
