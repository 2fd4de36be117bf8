//! Verilog text to syntax tree: a lexer of nom pieces ([`lexer`]) and a recursive-descent parser
//! with one token of look-ahead over its tokens, so that every error knows what was expected where.
//! The subset is that of [`crate::ast`]; Verilog outside it is refused by the name the standard
//! gives it. Linear in the text. Depth of nesting and the height of the tree are limited, because
//! the parser, and the copying, printing and dropping of trees, recurse.

mod cells;
mod expr;
mod fail;
mod include;
mod item;
mod keywords;
mod lexer;
mod number;
mod parser;
mod print;
mod spans;
mod stmt;

pub use print::{print, print_expr, print_module, print_stmt};
pub use spans::set_spans;

use std::path::PathBuf;

use crate::ast::Ast;
use crate::error::Error;
use crate::source::Source;
use fail::{Fail, Res};
use lexer::Lexer;
use parser::Parser;

/// Parses sources, in order, into one tree. Macros carry over from one source to the next. Cells of
/// yosys's simple library (`$_AND_`, `$_DFF_P_`, ...) that are instantiated and not defined are
/// added as modules.
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
