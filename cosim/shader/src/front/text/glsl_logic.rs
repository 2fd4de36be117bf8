//! GLSL's `&&` and `||` with effects in the right operand. naga's GLSL front end puts every call of
//! an expression in front of it, so an atomic to the right of `&&` would be done whether or not the
//! left side is true, and by all lanes together. What it does right is `? :`, whose sides it lowers
//! as arms of an `if`; so, before parsing,
//!
//! ```text
//! a && f(x)   becomes   (a ? f(x) : false)
//! a || f(x)   becomes   (a ? true : f(x))
//! ```
//!
//! if the right operand names a function of the source, a function that is an atomic, of the warp
//! or of the subgroup, a macro that does, or assigns. Other operands have no effects and stay as
//! they are. The bodies of macros are treated like other text; their parameters count as having
//! effects. Wrong would be an operator that is not to be seen here because a macro stands for it:
//! such an operator stays as naga has it. An expression with a directive in its middle is refused.
//!
//! The same reading of the text finds functions of the source whose names are the compiler's
//! ([`taken`]).

use super::edit::Edit;
use super::{atomics, semaphores, subgroups};

/// A token: where it begins, its text.
pub type Token<'a> = (usize, &'a str);

/// A source, read.
struct Text<'a> {
    /// Of all that is no directive.
    tokens: Vec<Token<'a>>,
    macros: Vec<Macro<'a>>,
    /// Where directives begin.
    directives: Vec<usize>,
}

/// A `#define`. One without a name is none; naga says what is wrong with it.
pub struct Macro<'a> {
    pub name: &'a str,
    /// It has a list of parameters, which may be empty.
    pub with_parameters: bool,
    pub parameters: Vec<&'a str>,
    pub body: Vec<Token<'a>>,
}

impl<'a> Macro<'a> {
    /// The macro that a directive's tokens define.
    pub fn read(directive: &[Token<'a>]) -> Option<Macro<'a>> {
        let [(_, "#"), (_, "define"), (at, name), rest @ ..] = directive else { return None };
        if !is_name(name) {
            return None;
        }
        // The parenthesis of parameters follows without a space.
        let with = rest.first().is_some_and(|t| t.1 == "(" && t.0 == at + name.len());
        let close = rest.iter().position(|t| t.1 == ")").filter(|_| with).map_or(0, |i| i + 1);
        let parameters = rest[..close].iter().map(|t| t.1).filter(|t| is_name(t)).collect();
        Some(Macro { name, with_parameters: with, parameters, body: rest[close..].to_vec() })
    }
}

/// Operators of more than one character that matter, longest first; any other character is a token
/// of its own.
const OPERATORS: [&str; 20] = [
    "<<=", ">>=", "&&", "||", "^^", "++", "--", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
    "<<",
];

fn is_assignment(token: &str) -> bool {
    token.ends_with('=') && !matches!(token, "==" | "!=" | "<=" | ">=")
}

/// The tokens of a text without comments.
pub fn tokens(plain: &str, from: usize, to: usize) -> Vec<Token<'_>> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = vec![];
    let mut at = from;
    while let Some(first) = plain[at..to].chars().next() {
        let rest = &plain[at..to];
        let length = if part(first) {
            rest.find(|c| !part(c)).unwrap_or(rest.len())
        } else {
            OPERATORS.iter().find(|o| rest.starts_with(**o)).map_or(first.len_utf8(), |o| o.len())
        };
        // A line that goes on is one.
        if !first.is_whitespace() && first != '\\' {
            out.push((at, &rest[..length]));
        }
        at += length;
    }
    out
}

/// Behind the line that begins at `at`, with those that a backslash joins to it.
pub(super) fn line_end(plain: &str, at: usize) -> usize {
    let mut end = at;
    loop {
        end = plain[end..].find('\n').map_or(plain.len(), |n| end + n + 1);
        if end == plain.len() || !plain[at..end].trim_end().ends_with('\\') {
            return end;
        }
    }
}

/// Reads a text whose comments are blanked.
fn read(plain: &str) -> Text<'_> {
    let mut text = Text { tokens: vec![], macros: vec![], directives: vec![] };
    let (mut at, mut begin) = (0, 0);
    while at < plain.len() {
        let end = line_end(plain, at);
        if plain[at..end].trim_start().starts_with('#') {
            text.tokens.extend(tokens(plain, begin, at));
            text.directives.push(at);
            text.macros.extend(Macro::read(&tokens(plain, at, end)));
            begin = end;
        }
        at = end;
    }
    text.tokens.extend(tokens(plain, begin, plain.len()));
    text
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Names of functions that the source defines or declares, outside of all braces: behind a type,
/// before a parenthesis.
fn functions<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut depth = 0i32;
    let mut out = vec![];
    for (i, t) in tokens.iter().enumerate() {
        depth += i32::from(t.1 == "{") - i32::from(t.1 == "}");
        let before = i.checked_sub(1).is_some_and(|i| is_name(tokens[i].1) || tokens[i].1 == "]");
        let call = tokens.get(i + 1).is_some_and(|n| n.1 == "(");
        if depth == 0 && before && call && is_name(t.1) && t.1 != "layout" {
            out.push(*t);
        }
    }
    out
}

/// Whether it is the name of an atomic, or of a function of the warp or the subgroup.
fn is_own(name: &str) -> bool {
    atomics::is_function(name) || subgroups::is_function(name)
}

/// A function of the source with a name that is the compiler's: where, and the name.
pub fn taken(plain: &str) -> Option<(usize, String)> {
    let found = functions(&read(plain).tokens).into_iter().find(|f| is_own(f.1));
    found.map(|(at, name)| (at, name.to_string()))
}

/// The edits, sorted by place; or the place of an operator that cannot be rewritten.
pub fn edits(plain: &str) -> Result<Vec<Edit>, usize> {
    if !plain.contains("&&") && !plain.contains("||") {
        return Ok(vec![]);
    }
    let text = read(plain);
    let mut effects: Vec<&str> = functions(&text.tokens).into_iter().map(|f| f.1).collect();
    // Macros may name macros that come later.
    for _ in 0..text.macros.len() {
        for m in &text.macros {
            if has_effects(&m.body, &effects) && !effects.contains(&m.name) {
                effects.push(m.name);
            }
        }
    }
    let mut out = found(&text.tokens, &effects);
    let broken = |w: &&Wrap| text.directives.iter().any(|d| (w.from..w.to).contains(d));
    if let Some(w) = out.iter().find(broken) {
        return Err(w.operator);
    }
    for m in &text.macros {
        let all: Vec<&str> = effects.iter().chain(&m.parameters).copied().collect();
        out.extend(found(&m.body, &all));
    }
    // Of several that end in one place the inner ones, which begin later, are closed first.
    out.sort_by_key(|w| std::cmp::Reverse(w.from));
    let mut edits: Vec<Edit> = vec![];
    for w in &out {
        let (middle, end) = if w.and { (" ? ", " : false)") } else { (" ? true : ", ")") };
        edits.push(Edit::insert(w.from, "("));
        edits.push(Edit { at: w.operator, removed: 2, text: middle.into(), mark: None });
        edits.push(Edit::insert(w.to, end));
    }
    edits.sort_by_key(|e| (e.at, e.removed));
    Ok(edits)
}

fn is_message(name: &str) -> bool {
    semaphores::by_name(name).is_some()
}

fn has_effects(tokens: &[Token], effects: &[&str]) -> bool {
    let effect =
        |t: &str| effects.contains(&t) || is_own(t) || is_message(t) || is_assignment(t) || t == "++" || t == "--";
    tokens.iter().any(|t| effect(t.1))
}

/// An operator to rewrite, with the extent of its operands.
struct Wrap {
    from: usize,
    operator: usize,
    to: usize,
    and: bool,
}

/// The operators whose right operands have effects.
fn found(tokens: &[Token], effects: &[&str]) -> Vec<Wrap> {
    let mut out = vec![];
    for (i, &(operator, text)) in tokens.iter().enumerate() {
        if text != "&&" && text != "||" {
            continue;
        }
        let and = text == "&&";
        let right = i + 1 + right_of(&tokens[i + 1..], and);
        let left = left_of(&tokens[..i], and);
        if left < i && i + 1 < right && has_effects(&tokens[i + 1..right], effects) {
            let last = tokens[right - 1];
            out.push(Wrap { from: tokens[left].0, operator, to: last.0 + last.1.len(), and });
        }
    }
    out
}

/// Whether an operand of `&&` or `||` ends before this token on either side.
fn ends(token: &str, and: bool) -> bool {
    is_assignment(token)
        || matches!(token, "?" | ":" | "," | ";" | "{" | "}")
        || and && matches!(token, "||" | "^^")
        || matches!(token, "return" | "else" | "do" | "case")
}

/// Number of tokens of the right operand.
fn right_of(tokens: &[Token], and: bool) -> usize {
    let (mut depth, same) = (0, if and { "&&" } else { "||" });
    for (i, t) in tokens.iter().enumerate() {
        match t.1 {
            "(" | "[" => depth += 1,
            ")" | "]" if depth == 0 => return i,
            ")" | "]" => depth -= 1,
            t if depth == 0 && (ends(t, and) || t == same) => return i,
            _ => {}
        }
    }
    tokens.len()
}

/// Index of the first token of the left operand, which ends with the last of `tokens`.
fn left_of(tokens: &[Token], and: bool) -> usize {
    let mut depth = 0;
    for (i, t) in tokens.iter().enumerate().rev() {
        match t.1 {
            ")" | "]" => depth += 1,
            "(" | "[" if depth == 0 => return i + 1,
            "(" | "[" => depth -= 1,
            t if depth == 0 && ends(t, and) => return i + 1,
            // What stood in the parentheses was no operand: `if (x) a && f();`.
            "if" | "while" | "for" | "switch" if depth == 0 => {
                let close = closing(&tokens[i + 1..]);
                return i + 1 + close;
            }
            _ => {}
        }
    }
    0
}

/// Number of tokens up to and with the parenthesis that closes the first.
fn closing(tokens: &[Token]) -> usize {
    let mut depth = 0i32;
    for (i, t) in tokens.iter().enumerate() {
        depth += i32::from(t.1 == "(") - i32::from(t.1 == ")");
        if depth == 0 {
            return i + 1;
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::super::edit::apply;
    use super::*;

    fn rewritten(text: &str) -> String {
        apply(text, &edits(text).unwrap()).0
    }

    #[test]
    fn right_operands_with_effects_become_arms() {
        let cases = [
            ("b = i > 1u && atomicAdd(c[0], 1u) < 9u;", "b = (i > 1u  ?  atomicAdd(c[0], 1u) < 9u : false);"),
            ("b = i > 1u || warpLock(c) == 0u;", "b = (i > 1u  ? true :  warpLock(c) == 0u);"),
            ("if (x && y || subgroupAny(z)) d();", "if ((x && y  ? true :  subgroupAny(z))) d();"),
            ("f(a || b && k++ < 3, e)", "f((a  ? true :  (b  ?  k++ < 3 : false)), e)"),
            ("t = a && k++ < 3 && b ? 1 : 2;", "t = (a  ?  k++ < 3 : false) && b ? 1 : 2;"),
            (
                "t = a&&subgroupElect()&&subgroupElect();",
                "t = ((a ? subgroupElect() : false) ? subgroupElect() : false);",
            ),
            ("bool f(int x) { return (a || b) && f(1); }", "bool f(int x) { return ((a || b)  ?  f(1) : false); }"),
            ("if (x) a && subgroupElect();", "if (x) (a  ?  subgroupElect() : false);"),
            ("#define T(x) (a && x)\nb = T(1);", "#define T(x) ((a  ?  x : false))\nb = T(1);"),
            ("#define N atomicOr(c, 1u)\nb = a || N == 2u;", "#define N atomicOr(c, 1u)\nb = (a  ? true :  N == 2u);"),
        ];
        for (text, want) in cases {
            assert_eq!(rewritten(text), want);
        }
    }

    #[test]
    fn what_has_no_effects_stays() {
        for text in [
            "b = i > 1u && c[i] < max(3u, i);",
            "#if defined(A) && defined(B)\n#endif\nb = x || y;",
            "b = atomicAdd(c, 1u) == 0u && x;",
            "bool f(int x) { return a && b; }",
        ] {
            assert_eq!(rewritten(text), text);
        }
    }

    #[test]
    fn a_define_without_a_name_is_no_macro() {
        for define in ["#define", "#define 1", "#define (x) x && 1", "#define  0, q = a && b", "# define \\\n2"] {
            let text = format!("{define}\nb = x && atomicOr(c, 1u) == 0u;");
            let want = format!("{define}\nb = (x  ?  atomicOr(c, 1u) == 0u : false);");
            assert_eq!(rewritten(&text), want);
        }
    }

    #[test]
    fn a_directive_inside_is_refused() {
        assert_eq!(edits("b = a\n#ifdef X\n&& subgroupElect()\n#endif\n;"), Err(15));
    }

    #[test]
    fn functions_with_the_compilers_names_are_found() {
        assert_eq!(
            taken("uint f(uint x) { return warpLock(x); }\nuint warpLock (uint a) {}"),
            Some((44, "warpLock".into()))
        );
        assert_eq!(taken("void main() { warpLock(c); }"), None);
    }
}
