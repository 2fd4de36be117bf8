//! The parser's place in its tokens, what it may look at, and the limits on nesting. The grammar is
//! in [`super::item`], [`super::stmt`] and [`super::expr`].

use super::fail::{Fail, Res};
use super::keywords;
use super::lexer::{Lexer, Tok, Token, Tokens};
use crate::ast::Span;

/// Deepest nesting of statements and expressions.
const DEEPEST: u32 = 200;
/// Longest chain of `else if`, `?:` or one operator: each link is a level of the tree.
const LONGEST: u32 = 2000;
/// Most links on one path down a statement or expression, those of chains inside chains together.
const TALLEST: u32 = 2400;

/// The parser: tokens and where it is.
pub(super) struct Parser<'a> {
    pub tokens: Vec<Token<'a>>,
    pub at: usize,
    pub depth: u32,
    /// Most links of chains on one path down the part of the tree that is being read (see
    /// [`Parser::chain`]).
    pub height: u32,
    /// In the arguments of a system task, where any system function may stand.
    pub in_task: bool,
    /// Number of the first token after each `` `default_nettype ``, and whether nets may be
    /// implicit from there on.
    pub nettypes: Vec<(usize, bool)>,
    /// Numbers of the tokens before which `(* full_case *)` stands, ascending.
    pub full_cases: Vec<usize>,
}

impl<'a> Parser<'a> {
    pub fn new(lexer: Lexer<'a>) -> Self {
        let Tokens { tokens, nettypes, full_cases } = lexer.finish();
        Self { tokens, at: 0, depth: 0, height: 0, in_task: false, nettypes, full_cases }
    }

    /// May undeclared names be wires here?
    pub fn implicit_nets(&self) -> bool {
        self.nettypes.iter().take_while(|n| n.0 <= self.at).last().is_none_or(|n| n.1)
    }

    pub fn peek(&self) -> Tok<'a> {
        self.tokens[self.at].tok
    }

    pub fn peek_after(&self) -> Tok<'a> {
        self.tokens.get(self.at + 1).map_or(Tok::End, |t| t.tok)
    }

    pub fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// Moves on, never past the end.
    pub fn skip(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    pub fn is_op(&self, op: &str) -> bool {
        matches!(self.peek(), Tok::Op(o) if o == op)
    }

    pub fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Tok::Word(w) if w == word)
    }

    pub fn eat_op(&mut self, op: &str) -> bool {
        let found = self.is_op(op);
        if found {
            self.skip();
        }
        found
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.skip();
        }
        found
    }

    /// The error at this token: something else was expected.
    pub fn expected(&self, what: &str) -> Fail {
        let found = match self.peek() {
            Tok::Word(w) if keywords::is_keyword(w) => format!("the keyword `{w}`"),
            Tok::Word(w) | Tok::Escaped(w) | Tok::System(w) | Tok::Decimal(w) => format!("`{w}`"),
            Tok::Based { digits, .. } => format!("the number {digits}"),
            Tok::Str(s) => format!("the string \"{s}\""),
            Tok::Op(o) => format!("`{o}`"),
            Tok::End => "the end of the text".into(),
        };
        Fail::syntax(self.span(), format!("expected {what}, found {found}"))
    }

    pub fn unsupported(&self, construct: &str, help: &str) -> Fail {
        Fail::unsupported(self.span(), construct, help)
    }

    /// A token that must follow; `after` says in the error what it follows.
    pub fn expect_op(&mut self, op: &str, after: &str) -> Res<()> {
        if self.eat_op(op) {
            return Ok(());
        }
        Err(self.expected(&format!("`{op}` after {after}")))
    }

    /// A name that is no keyword.
    pub fn name(&mut self, what: &str) -> Res<(String, Span)> {
        let span = self.span();
        match self.peek() {
            Tok::Word(w) if !keywords::is_keyword(w) => {
                self.skip();
                Ok((w.to_string(), span))
            }
            Tok::Escaped(w) => {
                self.skip();
                Ok((w.to_string(), span))
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Runs `f` one level deeper.
    pub fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        if self.depth >= DEEPEST {
            return Err(Fail::syntax(self.span(), format!("nested more than {DEEPEST} deep: split it")));
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// Runs `f`, which reads a chain (`a + b + ...`, `?:`, `else if`) and calls [`Parser::links`].
    /// Chains inside chains add up, those side by side do not.
    pub fn chain<T>(&mut self, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let beside = std::mem::take(&mut self.height);
        let result = f(self);
        self.height = self.height.max(beside);
        result
    }

    /// What the present chain has read so far is `count` levels deeper.
    pub fn links(&mut self, count: usize) -> Res<()> {
        self.height += count as u32;
        if self.height > TALLEST {
            let message = format!("chains inside chains with more than {TALLEST} operators: split them");
            return Err(Fail::syntax(self.span(), message));
        }
        Ok(())
    }

    /// The error of a chain that is too long.
    pub fn too_long(&self, count: usize) -> Res<()> {
        if count > LONGEST as usize {
            return Err(Fail::syntax(self.span(), format!("a chain of more than {LONGEST} operators: split it")));
        }
        Ok(())
    }
}
