//! Verilog text to syntax tree: a lexer of nom pieces ([`lexer`]) and a recursive-descent parser with one token of look-ahead over its tokens, so that
//! every error knows what was expected where. The subset is that of [`crate::ast`]; Verilog outside it is refused by the name the standard gives it.
//! Linear in the text. Depth of nesting and the height of the tree are limited, because the parser, and the
//! copying, printing and dropping of trees, recurse.

mod cells;
mod expr;
mod include;
mod item;
mod keywords;
mod lexer;
mod number;
mod print;
mod spans;
mod stmt;

pub use print::{print, print_expr, print_module, print_stmt};
pub use spans::set_spans;

use std::path::PathBuf;

use crate::ast::{Ast, Span};
use crate::error::Error;
use crate::source::{place, Source};
use lexer::{Lexer, Tok, Token};

/// Deepest nesting of statements and expressions.
const DEEPEST: u32 = 200;
/// Longest chain of `else if`, `?:` or one operator: each link is a level of the tree.
const LONGEST: u32 = 2000;
/// Most links on one path down a statement or expression, those of chains inside chains together.
const TALLEST: u32 = 2400;

/// Parses sources, in order, into one tree. Macros carry over from one source to the next. Cells of yosys's simple library (`$_AND_`, `$_DFF_P_`, ...)
/// that are instantiated and not defined are added as modules.
///
/// # Errors
/// [`Error::Syntax`] and [`Error::Unsupported`], at the first offending token.
///
/// ```
/// use quadlock_rtlsim::{parse::parse, source::Source};
/// let ast = parse(&[Source::new("inv.v", "module inv(input a, output y); assign y = ~a; endmodule")])?;
/// assert_eq!(ast.modules[0].ports, ["a", "y"]);
/// let error = parse(&[Source::new("bad.v", "module m;\n  wire = 3;\nendmodule")]).unwrap_err();
/// assert_eq!(error.to_string(), "bad.v:2:8: expected a name of a net, found `=`");
/// # Ok::<(), quadlock_rtlsim::Error>(())
/// ```
pub fn parse(sources: &[Source]) -> Result<Ast, Error> {
    parse_with(sources, &[])
}

/// The same; files that the text includes and that are not beside the including one are looked for
/// in these folders, in order.
///
/// # Errors
/// As [`parse`], and [`Error::Io`] for an included file that cannot be read.
pub fn parse_with(sources: &[Source], folders: &[PathBuf]) -> Result<Ast, Error> {
    let mut included = Vec::new();
    loop {
        let all: Vec<&Source> = sources.iter().chain(&included).collect();
        let run = || -> Res<Ast> {
            let mut lexer = Lexer::new(sources.len() as u32, &included);
            for (number, source) in sources.iter().enumerate() {
                lexer.source(number as u32, source)?;
            }
            let mut ast = Parser::new(lexer).file()?;
            cells::add_missing(&mut ast)?;
            Ok(ast)
        };
        match run() {
            Ok(mut ast) => {
                ast.included = included;
                return Ok(ast);
            }
            // Texts are borrowed while they are read: the file is brought in, and all is read
            // again.
            Err(Fail { span, wanted: Some(file), .. }) => {
                let found = include::find(&all, span, &file, folders)?;
                included.push(found);
            }
            Err(fail) => return Err(fail.at(&all)),
        }
    }
}

/// An error before its offset is turned into line and column.
#[derive(Debug)]
pub(crate) struct Fail {
    span: Span,
    /// The construct that is not supported.
    construct: Option<String>,
    message: String,
    /// No error yet: this file is included here and not read so far.
    wanted: Option<String>,
}

type Res<T> = Result<T, Fail>;

impl Fail {
    fn syntax(span: Span, message: impl Into<String>) -> Self {
        Self { span, construct: None, message: message.into(), wanted: None }
    }

    fn unsupported(span: Span, construct: impl Into<String>, help: impl Into<String>) -> Self {
        Self { span, construct: Some(construct.into()), message: help.into(), wanted: None }
    }

    fn at(self, sources: &[&Source]) -> Error {
        let place = place(sources, self.span);
        match self.construct {
            Some(construct) => Error::Unsupported { place, construct, help: self.message },
            None => Error::Syntax { place, message: self.message },
        }
    }
}

/// The parser: tokens and where it is.
struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    depth: u32,
    /// Most links of chains on one path down the part of the tree that is being read (see [`Parser::chain`]).
    height: u32,
    /// In the arguments of a system task, where any system function may stand.
    in_task: bool,
    /// Number of the first token after each `` `default_nettype ``, and whether nets may be
    /// implicit from there on.
    nettypes: Vec<(usize, bool)>,
}

impl<'a> Parser<'a> {
    fn new(lexer: Lexer<'a>) -> Self {
        let (tokens, nettypes) = lexer.finish();
        Self { tokens, at: 0, depth: 0, height: 0, in_task: false, nettypes }
    }

    /// May undeclared names be wires here?
    fn implicit_nets(&self) -> bool {
        self.nettypes.iter().take_while(|n| n.0 <= self.at).last().is_none_or(|n| n.1)
    }

    fn peek(&self) -> Tok<'a> {
        self.tokens[self.at].tok
    }

    fn peek_after(&self) -> Tok<'a> {
        self.tokens.get(self.at + 1).map_or(Tok::End, |t| t.tok)
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// Moves on, never past the end.
    fn skip(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    fn is_op(&self, op: &str) -> bool {
        matches!(self.peek(), Tok::Op(o) if o == op)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Tok::Word(w) if w == word)
    }

    fn eat_op(&mut self, op: &str) -> bool {
        let found = self.is_op(op);
        if found {
            self.skip();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.skip();
        }
        found
    }

    /// The error at this token: something else was expected.
    fn expected(&self, what: &str) -> Fail {
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

    fn unsupported(&self, construct: &str, help: &str) -> Fail {
        Fail::unsupported(self.span(), construct, help)
    }

    /// A token that must follow; `after` says in the error what it follows.
    fn expect_op(&mut self, op: &str, after: &str) -> Res<()> {
        if self.eat_op(op) {
            return Ok(());
        }
        Err(self.expected(&format!("`{op}` after {after}")))
    }

    /// A name that is no keyword.
    fn name(&mut self, what: &str) -> Res<(String, Span)> {
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
    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        if self.depth >= DEEPEST {
            return Err(Fail::syntax(self.span(), format!("nested more than {DEEPEST} deep: split it")));
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// Runs `f`, which reads a chain (`a + b + ...`, `?:`, `else if`) and calls [`Parser::links`]. Chains inside chains add up, those side by side do not.
    fn chain<T>(&mut self, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let beside = std::mem::take(&mut self.height);
        let result = f(self);
        self.height = self.height.max(beside);
        result
    }

    /// What the present chain has read so far is `count` levels deeper.
    fn links(&mut self, count: usize) -> Res<()> {
        self.height += count as u32;
        if self.height > TALLEST {
            let message = format!("chains inside chains with more than {TALLEST} operators: split them");
            return Err(Fail::syntax(self.span(), message));
        }
        Ok(())
    }

    /// The error of a chain that is too long.
    fn too_long(&self, count: usize) -> Res<()> {
        if count > LONGEST as usize {
            return Err(Fail::syntax(self.span(), format!("a chain of more than {LONGEST} operators: split it")));
        }
        Ok(())
    }
}
