//! Text to tokens, with compiler directives worked off on the way (``
//! `define `` without arguments, `` `ifdef `` and its kin, ``
//! `include ``). Tokens borrow from the text. Comments and attributes (`(*
//! ... *)`) vanish here, except that `(*)` is the sensitivity list it looks like. Single tokens are
//! recognised by nom; what this can get wrong is a directive's extent (to the end of its line,
//! continued by a backslash).

use rustc_hash::FxHashMap as HashMap;

use nom::branch::alt;
use nom::bytes::complete::{tag, take_until, take_while, take_while1};
use nom::character::complete::{one_of, satisfy};
use nom::combinator::{map, opt, recognize, value};
use nom::sequence::{pair, preceded};
use nom::{IResult, Parser as _};

use super::fail::{Fail, Res};
use crate::ast::Span;
use crate::source::Source;

/// One token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Tok<'a> {
    /// Identifier or keyword.
    Word(&'a str),
    /// Escaped identifier, without its backslash.
    Escaped(&'a str),
    /// `$name`, with the dollar sign.
    System(&'a str),
    /// Decimal digits and underscores; also the size before a base.
    Decimal(&'a str),
    /// From the apostrophe on: sign, base (lower case), digits.
    Based { signed: bool, base: char, digits: &'a str },
    /// What is between the quotes, escapes as written.
    Str(&'a str),
    /// Operator or punctuation.
    Op(&'static str),
    /// End of all sources.
    End,
}

/// A token and where it starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub tok: Tok<'a>,
    pub span: Span,
}

/// What was read of all sources.
pub(super) struct Tokens<'a> {
    pub tokens: Vec<Token<'a>>,
    /// Number of the first token after each `` `default_nettype ``, and whether nets may be
    /// implicit from there on.
    pub nettypes: Vec<(usize, bool)>,
    /// Number of the token after each `(* full_case *)`.
    pub full_cases: Vec<usize>,
}

/// Longest first.
const OPERATORS: [&str; 45] = [
    "<<<", ">>>", "===", "!==", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "**", "~&", "~|", "~^", "^~", "+:",
    "-:", "->", "(", ")", "[", "]", "{", "}", ";", ":", ",", ".", "?", "=", "+", "-", "*", "/", "%", "<", ">", "!",
    "~", "&", "|", "^", "@",
];

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

fn word(i: &str) -> IResult<&str, &str> {
    recognize(pair(satisfy(|c| c.is_ascii_alphabetic() || c == '_'), take_while(is_word))).parse(i)
}

fn escaped(i: &str) -> IResult<&str, Tok<'_>> {
    map(preceded(tag("\\"), take_while1(|c: char| c.is_ascii_graphic())), Tok::Escaped).parse(i)
}

fn system(i: &str) -> IResult<&str, Tok<'_>> {
    map(recognize(pair(tag("$"), take_while1(is_word))), Tok::System).parse(i)
}

fn decimal(i: &str) -> IResult<&str, Tok<'_>> {
    map(recognize(pair(satisfy(|c| c.is_ascii_digit()), take_while(|c: char| c.is_ascii_digit() || c == '_'))), |d| {
        Tok::Decimal(d)
    })
    .parse(i)
}

fn based(i: &str) -> IResult<&str, Tok<'_>> {
    let (i, (signed, base)) = sign_and_base(i)?;
    let (i, digits) = digits(i)?;
    Ok((i, Tok::Based { signed, base, digits }))
}

/// From the apostrophe up to the digits.
fn sign_and_base(i: &str) -> IResult<&str, (bool, char)> {
    let (i, _) = tag("'")(i)?;
    let (i, signed) = opt(one_of("sS")).parse(i)?;
    let (i, base) = one_of("bBoOdDhH")(i)?;
    Ok((skip_blank(i), (signed.is_some(), base.to_ascii_lowercase())))
}

fn digits(i: &str) -> IResult<&str, &str> {
    take_while1(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '?')(i)
}

/// A base whose digits a macro gives: the macro, and sign and base.
fn based_macro(i: &str) -> Option<(&str, (bool, char))> {
    sign_and_base(i).ok().filter(|(rest, _)| rest.starts_with('`'))
}

fn string(i: &str) -> IResult<&str, &str> {
    let (rest, _) = tag("\"")(i)?;
    let mut escape = false;
    for (n, c) in rest.char_indices() {
        match c {
            _ if escape => escape = false,
            '\\' => escape = true,
            '"' => return Ok((&rest[n + 1..], &rest[..n])),
            '\n' => break,
            _ => {}
        }
    }
    Err(nom::Err::Error(nom::error::Error::new(i, nom::error::ErrorKind::Char)))
}

fn line_comment(i: &str) -> IResult<&str, ()> {
    value((), pair(tag("//"), take_while(|c| c != '\n'))).parse(i)
}

fn block_comment(i: &str) -> IResult<&str, ()> {
    value((), (tag("/*"), take_until("*/"), tag("*/"))).parse(i)
}

/// Whether `= 0`, in any base, follows the name of an attribute.
fn is_zero(rest: &str) -> bool {
    let value = rest.trim_ascii_start().strip_prefix('=').map(str::trim_ascii_start);
    value.is_some_and(|v| {
        let sized = v.trim_start_matches(|c: char| c.is_ascii_digit()).trim_ascii_start();
        match based(sized) {
            Ok((_, Tok::Based { digits, .. })) => digits.bytes().all(|b| matches!(b, b'0' | b'_')),
            _ => decimal(v).is_ok_and(|v| v.1 == Tok::Decimal("0")),
        }
    })
}

/// `(* ... *)`, but not `(*)`, and whether it says `full_case`. Strings in it may contain anything.
fn attribute(i: &str) -> IResult<&str, bool> {
    let (mut i, _) = tag("(*")(i)?;
    let mut full_case = false;
    let miss = |i| nom::Err::Error(nom::error::Error::new(i, nom::error::ErrorKind::Not));
    if i.trim_start().starts_with(')') {
        return Err(miss(i));
    }
    loop {
        if let Some(rest) = i.strip_prefix("*)") {
            return Ok((rest, full_case));
        }
        i = match i.chars().next() {
            Some('"') => string(i)?.0,
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let (rest, name) = word(i)?;
                full_case |= name == "full_case" && !is_zero(rest);
                rest
            }
            Some(c) => &i[c.len_utf8()..],
            None => return Err(miss(i)),
        };
    }
}

/// Blanks, comments and attributes, as many as there are.
fn skip_blank(i: &str) -> &str {
    skip_attributes(i).0
}

/// The same, and whether one of the attributes is `full_case`.
fn skip_attributes(mut i: &str) -> (&str, bool) {
    let mut full_case = false;
    loop {
        i = i.trim_ascii_start();
        match i.as_bytes() {
            [b'/', b'/' | b'*', ..] | [b'(', b'*', ..] => {
                match alt((value(false, line_comment), value(false, block_comment), attribute)).parse(i) {
                    Ok((rest, full)) => (i, full_case) = (rest, full_case | full),
                    Err(_) => return (i, full_case),
                }
            }
            _ => return (i, full_case),
        }
    }
}

fn operator(i: &str) -> Option<&'static str> {
    let first = *i.as_bytes().first()?;
    // These begin no longer operator: most tokens are found at once.
    const SINGLE: &[u8] = b"()[]{};:,.?@";
    if let Some(at) = SINGLE.iter().position(|&b| b == first) {
        return ["(", ")", "[", "]", "{", "}", ";", ":", ",", ".", "?", "@"].get(at).copied();
    }
    OPERATORS.iter().find(|op| i.starts_with(**op)).copied()
}

/// Most bytes of text that macros may expand to, all uses together: macros that each use another
/// twice double the text.
const EXPANDED: usize = 1 << 24;

/// Most macros that use one another.
const DEEPEST_MACRO: u32 = 32;

/// Most files that include one another.
const DEEPEST_INCLUDE: usize = 32;

/// The state of the preprocessor, which carries on from source to source.
#[derive(Default)]
pub(super) struct Lexer<'a> {
    tokens: Vec<Token<'a>>,
    /// Texts for the `` `include `` directives in their order, as far as they are known, and the
    /// number of the first.
    included: &'a [Source],
    first_included: u32,
    /// How many of them were read.
    taken: usize,
    /// Names of the texts being read, each included by the one before.
    files: Vec<&'a str>,
    /// Number of the first token after each `` `default_nettype ``, and whether nets may be
    /// implicit from there on.
    nettypes: Vec<(usize, bool)>,
    /// Number of the token after each `(* full_case *)`.
    full_cases: Vec<usize>,
    /// Body text of each macro.
    macros: HashMap<&'a str, &'a str>,
    /// Bytes of text that macros have expanded to.
    expanded: usize,
    /// Open `` `ifdef ``: (text of this branch is taken, some branch was taken, where).
    conditions: Vec<(bool, bool, Span)>,
}

impl<'a> Lexer<'a> {
    /// A lexer that knows these texts of included files, whose numbers begin with `first`.
    pub fn new(first: u32, included: &'a [Source]) -> Self {
        Self { included, first_included: first, ..Self::default() }
    }

    /// Reads one source.
    pub fn source(&mut self, number: u32, source: &'a Source) -> Res<()> {
        let text = source.text.as_str();
        let open = self.conditions.len();
        self.tokens.reserve(text.len() / 5);
        self.files.push(&source.name);
        self.text(text, &|offset| Span { source: number, offset: offset as u32 }, 0)?;
        self.files.pop();
        match self.conditions.pop() {
            Some((_, _, span)) if self.conditions.len() >= open => {
                Err(Fail::syntax(span, "this conditional has no `endif"))
            }
            Some(outside) => {
                self.conditions.push(outside);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// All tokens, closed by [`Tok::End`].
    pub fn finish(mut self) -> Tokens<'a> {
        let span = self.tokens.last().map_or(Span::default(), |t| t.span);
        self.tokens.push(Token { tok: Tok::End, span });
        Tokens { tokens: self.tokens, nettypes: self.nettypes, full_cases: self.full_cases }
    }

    /// `"file"` behind the directive: its tokens come here.
    fn include(&mut self, line: &str, span: Span) -> Res<()> {
        let line = line.trim();
        let quoted = |open: char, close: char| line.strip_prefix(open)?.split_once(close);
        let Some((file, rest)) = quoted('"', '"').or_else(|| quoted('<', '>')).filter(|f| !f.0.is_empty()) else {
            return Err(Fail::syntax(span, "expected a file name in quotes after `include"));
        };
        if !skip_blank(rest).is_empty() {
            return Err(Fail::syntax(span, "nothing else may stand on the line of an `include"));
        }
        if self.files.len() > DEEPEST_INCLUDE {
            let last = self.files[self.files.len() - 1];
            let again = self.files[..self.files.len() - 1].iter().rposition(|f| *f == last);
            let message = match again {
                Some(at) => {
                    let chain: Vec<&str> = self.files[at..].to_vec();
                    format!("circular `include: {}; guard it with `ifndef", chain.join(" > "))
                }
                None => format!("`include more than {DEEPEST_INCLUDE} deep: give the files as sources of their own"),
            };
            return Err(Fail::syntax(span, message));
        }
        let Some(source) = self.included.get(self.taken) else {
            return Err(Fail { wanted: Some(file.to_string()), ..Fail::syntax(span, "") });
        };
        let number = self.first_included + self.taken as u32;
        self.taken += 1;
        self.source(number, source)
    }

    fn skipping(&self) -> bool {
        self.conditions.iter().any(|c| !c.0)
    }

    /// Reads a text whose offsets `at` turns into spans (for the body of a macro: all the same, the
    /// place of its use).
    fn text(&mut self, text: &'a str, at: &dyn Fn(usize) -> Span, depth: u32) -> Res<()> {
        let mut rest = text;
        loop {
            let full_case;
            (rest, full_case) = skip_attributes(rest);
            if full_case && !self.skipping() {
                self.full_cases.push(self.tokens.len());
            }
            let span = at(text.len() - rest.len());
            let Some(first) = rest.chars().next() else { return Ok(()) };
            // The backslash that continues a line of a macro's body.
            if first == '\\' && rest[1..].starts_with(['\n', '\r']) {
                rest = &rest[1..];
                continue;
            }
            if first == '`' {
                rest = self.directive(&rest[1..], span, depth)?;
                continue;
            }
            if self.skipping() {
                rest = string(rest).map_or(&rest[first.len_utf8()..], |r| r.0);
                continue;
            }
            if let Some((after, base)) = based_macro(rest) {
                rest = self.digits(after, base, span, depth)?;
                continue;
            }
            let (r, tok) = one(rest, first, span)?;
            rest = r;
            self.tokens.push(Token { tok, span });
        }
    }

    /// Counts a use of a macro against both limits.
    fn expand(&mut self, name: &str, body: &str, depth: u32, span: Span) -> Res<()> {
        if depth > DEEPEST_MACRO {
            return Err(Fail::syntax(span, format!("the macro `{name} expands without end")));
        }
        self.expanded += body.len() + 1;
        if self.expanded > EXPANDED {
            return Err(Fail::syntax(span, format!("macros expand to more than {EXPANDED} bytes: write smaller ones")));
        }
        Ok(())
    }

    /// Reads the digits that a macro gives after sign and base. The rest of its body follows them,
    /// then the rest of each macro in which it stands.
    fn digits(&mut self, rest: &'a str, (signed, base): (bool, char), span: Span, depth: u32) -> Res<&'a str> {
        // The text after each macro's name, outermost first.
        let (mut body, mut behinds) = (rest, Vec::new());
        while let Some(name) = body.strip_prefix('`') {
            let Ok((behind, name)) = word(name) else { break };
            let Some(&text) = self.macros.get(name) else {
                return Err(Fail::syntax(span, format!("the macro `{name} is not defined")));
            };
            self.expand(name, text, depth + behinds.len() as u32, span)?;
            behinds.push(behind);
            body = skip_blank(text);
            while let Some(next) = body.strip_prefix('\\').filter(|r| r.starts_with(['\n', '\r'])) {
                body = skip_blank(next);
            }
        }
        match (behinds.split_first(), digits(body)) {
            (Some((&after, inner)), Ok((more, digits))) => {
                self.tokens.push(Token { tok: Tok::Based { signed, base, digits }, span });
                let depth = depth + behinds.len() as u32;
                self.text(more, &|_| span, depth)?;
                for &behind in inner.iter().rev() {
                    self.text(behind, &|_| span, depth)?;
                }
                Ok(after)
            }
            _ => Err(Fail::syntax(span, "expected a macro of digits after the base, as in 8'd`WIDTH")),
        }
    }

    /// Behind the backquote.
    fn directive(&mut self, rest: &'a str, span: Span, depth: u32) -> Res<&'a str> {
        let Ok((after, name)) = word(rest) else {
            return Err(Fail::syntax(span, "expected the name of a directive or macro after the backquote"));
        };
        if let Some(rest) = self.conditional(name, after, span)? {
            return Ok(rest);
        }
        if self.skipping() {
            return Ok(after);
        }
        match name {
            "define" => {
                let (line, rest) = logical_line(after);
                let Ok((body, macro_name)) = word(line.trim_start()) else {
                    return Err(Fail::syntax(span, "expected a name after `define"));
                };
                if body.starts_with('(') {
                    return Err(Fail::unsupported(span, "macro with arguments", "write the text out"));
                }
                self.macros.insert(macro_name, body);
                Ok(rest)
            }
            "undef" => {
                let (line, rest) = logical_line(after);
                self.macros.remove(line.split_whitespace().next().unwrap_or(""));
                Ok(rest)
            }
            "default_nettype" | "resetall" => {
                let (line, rest) = logical_line(after);
                let none = name == "default_nettype" && line.split_whitespace().next() == Some("none");
                self.nettypes.push((self.tokens.len(), !none));
                Ok(rest)
            }
            "timescale"
            | "celldefine"
            | "endcelldefine"
            | "line"
            | "pragma"
            | "nounconnected_drive"
            | "unconnected_drive"
            | "begin_keywords"
            | "end_keywords" => Ok(logical_line(after).1),
            "include" => {
                let (line, rest) = logical_line(after);
                self.include(line, span)?;
                Ok(rest)
            }
            _ => {
                let Some(&body) = self.macros.get(name) else {
                    return Err(Fail::syntax(span, format!("the macro `{name} is not defined")));
                };
                self.expand(name, body, depth, span)?;
                self.text(body, &|_| span, depth + 1)?;
                Ok(after)
            }
        }
    }

    /// Conditional directives, which also count inside skipped text.
    fn conditional(&mut self, name: &str, after: &'a str, span: Span) -> Res<Option<&'a str>> {
        let lone = || Fail::syntax(span, format!("`{name} without `ifdef"));
        match name {
            "ifdef" | "ifndef" | "elsif" => {
                let Ok((rest, what)) = word(after.trim_start()) else {
                    return Err(Fail::syntax(span, format!("expected a name after `{name}")));
                };
                let holds = self.macros.contains_key(what) != (name == "ifndef");
                if name == "elsif" {
                    let open = self.conditions.last_mut().ok_or_else(lone)?;
                    open.0 = holds && !open.1;
                    open.1 |= holds;
                } else {
                    self.conditions.push((holds, holds, span));
                }
                Ok(Some(rest))
            }
            "else" => {
                let open = self.conditions.last_mut().ok_or_else(lone)?;
                open.0 = !open.1;
                open.1 = true;
                Ok(Some(after))
            }
            "endif" => self.conditions.pop().map(|_| Some(after)).ok_or_else(lone),
            _ => Ok(None),
        }
    }
}

/// Splits at the end of the line, lines that end with a backslash continuing; a line comment is no
/// part of the first half.
fn logical_line(text: &str) -> (&str, &str) {
    let mut from = 0;
    loop {
        let end = text[from..].find('\n').map_or(text.len(), |i| from + i);
        if end < text.len() && text[..end].trim_end_matches('\r').ends_with('\\') {
            from = end + 1;
            continue;
        }
        let line = &text[..end];
        return (line.find("//").map_or(line, |c| &line[..c]), &text[end..]);
    }
}

/// One token of plain text that begins with `first`.
fn one(rest: &str, first: char, span: Span) -> Res<(&str, Tok<'_>)> {
    let found = match first {
        'a'..='z' | 'A'..='Z' | '_' => word(rest).map(|(r, w)| (r, Tok::Word(w))),
        '0'..='9' => {
            let found = decimal(rest);
            if let Ok((r, _)) = found {
                let mut next = r.chars();
                if (next.next() == Some('.') && next.next().is_some_and(|c| c.is_ascii_digit()))
                    || r.starts_with(['e', 'E'])
                {
                    return Err(Fail::unsupported(span, "real number", "use integers"));
                }
            }
            found
        }
        '\\' => escaped(rest),
        '$' => system(rest),
        '"' => string(rest).map(|(r, s)| (r, Tok::Str(s))),
        '\'' => match based(rest) {
            Err(_) if rest[1..].starts_with(['0', '1', 'x', 'z', '{']) => {
                let help = "write the size and base, as in 8'hff";
                return Err(Fail::unsupported(span, "SystemVerilog literal", help));
            }
            found => found,
        },
        '#' => Ok((&rest[1..], Tok::Op("#"))),
        '/' if rest.starts_with("/*") => return Err(Fail::syntax(span, "this comment has no end")),
        _ => match operator(rest) {
            Some(op) => Ok((&rest[op.len()..], Tok::Op(op))),
            None => return Err(Fail::syntax(span, format!("the character {first:?} has no meaning here"))),
        },
    };
    found.map_err(|_| {
        let what = match first {
            '"' => "this string has no end on its line",
            '\'' => "expected a base and digits after the apostrophe, as in 8'hff",
            '\\' => "expected an escaped identifier after the backslash",
            _ => "expected a name after the dollar sign",
        };
        Fail::syntax(span, what)
    })
}
