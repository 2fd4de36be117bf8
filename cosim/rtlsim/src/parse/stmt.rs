//! Statements of processes. Delays, event controls and loops other than `for` are refused: they
//! have no meaning in a cycle.

use super::fail::{Fail, Res};
use super::keywords;
use super::lexer::Tok;
use super::parser::Parser;
use crate::ast::{CaseArm, CaseKind, EdgeOf, Expr, ExprKind, Net, Sensitivity, Span, Stmt, StmtKind};

impl Parser<'_> {
    /// Behind `always`: `@...`.
    pub(super) fn sensitivity(&mut self) -> Res<Sensitivity> {
        if self.is_op("#") {
            return Err(self.unsupported("delay", "clocks are driven from outside"));
        }
        if !self.eat_op("@") {
            return Err(self.unsupported("always without event control", "write always @(*) or @(posedge clock)"));
        }
        if self.eat_op("*") {
            return Ok(Sensitivity::Combinational);
        }
        if !self.eat_op("(") {
            let (name, span) = self.name("`*`, `(` or a name after `@`")?;
            return Ok(Sensitivity::Levels(vec![Expr { kind: ExprKind::Name(name), span }]));
        }
        if self.eat_op("*") {
            self.expect_op(")", "`@(*`")?;
            return Ok(Sensitivity::Combinational);
        }
        let start = self.span();
        let (mut edges, mut levels) = (Vec::new(), Vec::new());
        loop {
            let (rising, falling) = (self.eat_word("posedge"), self.eat_word("negedge"));
            let signal = self.expr()?;
            if rising || falling {
                edges.push(EdgeOf { rising, signal });
            } else {
                levels.push(signal);
            }
            if !self.eat_op(",") && !self.eat_word("or") {
                break;
            }
        }
        if !self.eat_op(")") {
            return Err(self.expected("`or`, `,` or `)` in an event control"));
        }
        match (edges.is_empty(), levels.is_empty()) {
            (true, _) => Ok(Sensitivity::Levels(levels)),
            (false, true) => Ok(Sensitivity::Edges(edges)),
            _ => {
                Err(Fail::unsupported(start, "event control with edges and levels", "write posedge or negedge to each"))
            }
        }
    }

    /// A statement or `;`.
    pub(super) fn stmt(&mut self) -> Res<Stmt> {
        self.nested(Self::stmt_inner)
    }

    fn stmt_inner(&mut self) -> Res<Stmt> {
        let span = self.span();
        let kind = match self.peek() {
            Tok::Op(";") => {
                self.skip();
                StmtKind::Null
            }
            Tok::Op("#") => return Err(self.unsupported("delay", "remove it: time advances by clock edges")),
            Tok::Op("@") => return Err(self.unsupported("event control in a process", "use one process per edge")),
            Tok::Op("->") => return Err(self.unsupported("event trigger", "use a reg")),
            Tok::System(name) => self.task(name)?,
            Tok::Word("begin") => self.block()?,
            Tok::Word("if") => return self.if_chain(),
            Tok::Word("case") => self.case(CaseKind::Case)?,
            Tok::Word("casez") => self.case(CaseKind::Casez)?,
            Tok::Word("casex") => self.case(CaseKind::Casex)?,
            Tok::Word("for") => self.for_loop()?,
            Tok::Word(w) => {
                if let Some((construct, help)) = keywords::refused_statement(w) {
                    return Err(self.unsupported(construct, help));
                }
                if let (Some((construct, help)), Tok::Word(_)) = (keywords::refused_sv(w), self.peek_after()) {
                    return Err(self.unsupported(construct, help));
                }
                if keywords::is_keyword(w) {
                    return Err(self.expected("a statement"));
                }
                self.assignment(true)?
            }
            Tok::Escaped(_) | Tok::Op("{") => self.assignment(true)?,
            _ => return Err(self.expected("a statement")),
        };
        Ok(Stmt { kind, span })
    }

    /// `target = value` or, if `any`, `target <= value` and the semicolon.
    fn assignment(&mut self, any: bool) -> Res<StmtKind> {
        if let (Tok::Word(_) | Tok::Escaped(_), Tok::Op(";" | "(")) = (self.peek(), self.peek_after()) {
            return Err(self.unsupported("task call", "write the statements out"));
        }
        let target = self.target()?;
        let blocking = match self.peek() {
            Tok::Op("=") => true,
            Tok::Op("<=") if any => false,
            Tok::Op("+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" | "<<" | ">>") => {
                return Err(self.unsupported("SystemVerilog assignment operator", "write a = a + 1"));
            }
            _ => return Err(self.expected(if any { "`=` or `<=` after the target" } else { "`=` after the target" })),
        };
        self.skip();
        if self.is_op("#") || self.is_op("@") {
            return Err(self.unsupported("delay in an assignment", "remove it: time advances by clock edges"));
        }
        let value = self.expr()?;
        if any {
            self.expect_op(";", "the assignment")?;
        }
        Ok(StmtKind::Assign { target, value, blocking })
    }

    fn task(&mut self, name: &str) -> Res<StmtKind> {
        self.skip();
        let mut arguments = Vec::new();
        if self.eat_op("(") {
            self.in_task = true;
            if !self.is_op(")") {
                arguments = self.arguments()?;
            }
            self.in_task = false;
            self.expect_op(")", "the arguments")?;
        }
        self.expect_op(";", "the system task")?;
        Ok(StmtKind::Task { name: name.to_string(), arguments })
    }

    /// Of a system task: any may be left out.
    fn arguments(&mut self) -> Res<Vec<Expr>> {
        let mut list = Vec::new();
        loop {
            let span = self.span();
            let left_out = self.is_op(",") || self.is_op(")");
            list.push(if left_out { Expr { kind: ExprKind::Null, span } } else { self.expr()? });
            if !self.eat_op(",") {
                return Ok(list);
            }
        }
    }

    fn block(&mut self) -> Res<StmtKind> {
        self.skip();
        let mut name = None;
        let mut nets: Vec<Net> = Vec::new();
        if self.eat_op(":") {
            name = Some(self.name("the block's name")?.0);
            while self.is_word("reg") || self.is_word("integer") {
                self.variables(None, &mut nets)?;
            }
        }
        let mut body = Vec::new();
        while !self.eat_word("end") {
            body.push(self.stmt()?);
        }
        Ok(StmtKind::Block { name, nets, body })
    }

    fn condition(&mut self, after: &str) -> Res<Expr> {
        self.expect_op("(", after)?;
        let condition = self.expr()?;
        self.expect_op(")", "the condition")?;
        Ok(condition)
    }

    /// `if ... else if ... else`: a list, so that a long chain does not recurse.
    fn if_chain(&mut self) -> Res<Stmt> {
        self.chain(Self::if_links)
    }

    fn if_links(&mut self) -> Res<Stmt> {
        let mut chain: Vec<(Span, Expr, Stmt)> = Vec::new();
        let mut last = None;
        loop {
            let span = self.span();
            self.skip();
            let condition = self.condition("if")?;
            chain.push((span, condition, self.stmt()?));
            self.too_long(chain.len())?;
            if !self.eat_word("else") {
                break;
            }
            if !self.is_word("if") {
                last = Some(Box::new(self.stmt()?));
                break;
            }
        }
        self.links(chain.len())?;
        let mut result: Option<Box<Stmt>> = last;
        for (span, condition, then) in chain.into_iter().rev() {
            let kind = StmtKind::If { condition, then: Box::new(then), otherwise: result };
            result = Some(Box::new(Stmt { kind, span }));
        }
        result.map(|b| *b).ok_or_else(|| self.expected("`if`"))
    }

    fn case(&mut self, kind: CaseKind) -> Res<StmtKind> {
        let full = self.full_cases.binary_search(&self.at).is_ok();
        self.skip();
        let subject = self.condition("case")?;
        if self.is_word("inside") {
            return Err(self.unsupported("SystemVerilog case inside", "use casez"));
        }
        let mut arms = Vec::new();
        let mut has_default = false;
        while !self.eat_word("endcase") {
            let labels = if self.is_word("default") {
                if has_default {
                    return Err(Fail::syntax(self.span(), "this case has a default already"));
                }
                has_default = true;
                self.skip();
                self.eat_op(":");
                Vec::new()
            } else {
                let labels = self.list("label")?;
                self.expect_op(":", "the labels of a case")?;
                labels
            };
            arms.push(CaseArm { labels, body: self.stmt()? });
        }
        Ok(StmtKind::Case { kind, subject, arms, full })
    }

    fn for_loop(&mut self) -> Res<StmtKind> {
        self.skip();
        self.expect_op("(", "for")?;
        if let Tok::Word("integer" | "int" | "reg" | "genvar") = self.peek() {
            if !matches!(self.peek_after(), Tok::Op(_)) {
                return Err(self.unsupported("declaration in a for loop", "declare an integer in the module"));
            }
        }
        let part = |p: &mut Self| -> Res<Box<Stmt>> {
            let span = p.span();
            Ok(Box::new(Stmt { kind: p.assignment(false)?, span }))
        };
        let init = part(self)?;
        self.expect_op(";", "the first part of a for loop")?;
        let condition = self.expr()?;
        self.expect_op(";", "the condition of a for loop")?;
        let step = part(self)?;
        self.expect_op(")", "the step of a for loop")?;
        Ok(StmtKind::For { init, condition, step, body: Box::new(self.stmt()?) })
    }
}
