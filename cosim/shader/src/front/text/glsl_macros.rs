//! How long a GLSL text becomes when its macros are expanded. A few lines of macros that name one
//! another can stand for more text than any memory holds, and naga's preprocessor would begin to
//! make it. So the tokens that expansion makes are counted before parsing, without making them, and
//! a text with more than [`MOST`] is refused.
//!
//! The count is an estimate: of definitions of one name under `#if` the longest counts, `##` is not
//! looked at, and a macro that is put together from the end of one and the beginning of another is
//! not seen. Wrong would be a count that is far too small, and the parser would not end.

use super::glsl_logic::{line_end, tokens, Macro, Token};
use std::collections::HashMap;

/// Most tokens that macros may stand for, all uses together: a hundred times what the longest
/// public shader needs.
pub const MOST: usize = 1 << 20;

/// The definitions of each name that may hold.
type Macros<'a> = HashMap<&'a str, Vec<Macro<'a>>>;

/// A use that takes the count beyond [`MOST`].
struct TooLong;

/// Counts what one use stands for.
struct Count<'m, 'a> {
    macros: &'m Macros<'a>,
    /// Names that are being expanded: they stand for themselves.
    active: Vec<&'a str>,
    /// Tokens looked at so far.
    work: usize,
}

impl<'a> Count<'_, 'a> {
    /// Tokens that these tokens become; `arguments` are the lengths of the parameters that they
    /// name.
    fn length(&mut self, body: &[Token<'a>], arguments: &HashMap<&'a str, usize>) -> Result<usize, TooLong> {
        let (mut total, mut at) = (0usize, 0);
        while let Some(&(_, token)) = body.get(at) {
            at += 1;
            self.work += 1;
            let one = match (arguments.get(token), self.macros.get(token)) {
                (Some(length), _) => *length,
                (None, Some(_)) if self.active.contains(&token) => 1,
                (None, Some(definitions)) => {
                    let call = call(&body[at..]).filter(|_| definitions.iter().any(|d| d.with_parameters));
                    let mut lengths = vec![];
                    for argument in call.iter().flatten() {
                        lengths.push(self.length(argument, arguments)?);
                        at += argument.len() + 1;
                    }
                    at += usize::from(call.is_some());
                    let mut longest = 1;
                    for definition in definitions.iter().filter(|d| call.is_some() || !d.with_parameters) {
                        longest = longest.max(self.expansion(definition, &lengths)?);
                    }
                    longest
                }
                (None, None) => 1,
            };
            total = total.saturating_add(one);
            if total > MOST || self.work > MOST {
                return Err(TooLong);
            }
        }
        Ok(total)
    }

    /// Tokens that one use of a macro becomes, with arguments of these lengths.
    fn expansion(&mut self, definition: &Macro<'a>, lengths: &[usize]) -> Result<usize, TooLong> {
        let arguments = definition.parameters.iter().copied().zip(lengths.iter().copied()).collect();
        self.active.push(definition.name);
        let length = self.length(&definition.body, &arguments);
        self.active.pop();
        length
    }
}

/// The arguments of a call whose parenthesis is the first token.
fn call<'t, 'a>(rest: &'t [Token<'a>]) -> Option<Vec<&'t [Token<'a>]>> {
    let (mut depth, mut begin, mut out) = (0usize, 1, vec![]);
    for (at, token) in rest.iter().enumerate() {
        match token.1 {
            "(" => depth += 1,
            _ if depth == 0 => return None,
            ")" if depth == 1 => {
                out.push(&rest[begin..at]);
                return Some(out);
            }
            ")" => depth -= 1,
            "," if depth == 1 => {
                out.push(&rest[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    None
}

/// Where a text whose comments are blanked uses the macro with which the count goes beyond
/// [`MOST`].
pub fn too_long(plain: &str) -> Option<usize> {
    if !plain.contains("define") {
        return None;
    }
    let mut macros = Macros::new();
    let (mut at, mut begin, mut conditions, mut total) = (0, 0, 0usize, 0);
    while at < plain.len() {
        let end = line_end(plain, at);
        if plain[at..end].trim_start().starts_with('#') {
            if let Some(place) = text(&tokens(plain, begin, at), &macros, &mut total) {
                return Some(place);
            }
            begin = end;
            let line = tokens(plain, at, end);
            match line.get(1).map_or("", |t| t.1) {
                "define" => {
                    if let Some(definition) = Macro::read(&line) {
                        let known = macros.entry(definition.name).or_default();
                        if conditions == 0 {
                            known.clear();
                        }
                        known.push(definition);
                    }
                }
                "undef" if conditions == 0 => {
                    line.get(2).map(|name| macros.remove(name.1));
                }
                directive => {
                    conditions += usize::from(directive.starts_with("if"));
                    conditions = conditions.saturating_sub(usize::from(directive == "endif"));
                    let condition = line.get(2..).filter(|_| matches!(directive, "if" | "elif"));
                    if let Some(place) = condition.and_then(|line| text(line, &macros, &mut total)) {
                        return Some(place);
                    }
                }
            }
        }
        at = end;
    }
    text(&tokens(plain, begin, plain.len()), &macros, &mut total)
}

/// Adds what the macros in a piece of text stand for; the place of the use that is too much.
fn text<'a>(tokens: &[Token<'a>], macros: &Macros<'a>, total: &mut usize) -> Option<usize> {
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let mut end = at + 1;
        if let Some(definitions) = macros.get(token.1) {
            // Arguments are looked at as a part of the use.
            let call = call(&tokens[end..]).filter(|_| definitions.iter().any(|d| d.with_parameters));
            end += call.map_or(0, |c| c.iter().map(|a| a.len() + 1).sum::<usize>() + 1);
            let mut count = Count { macros, active: vec![], work: 0 };
            let length = count.length(&tokens[at..end], &HashMap::new());
            *total = total.saturating_add(length.unwrap_or(usize::MAX));
            if *total > MOST {
                return Some(token.0);
            }
        }
        at = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `X0` to `Xn`, each twice the one before.
    fn doubled(n: usize, parameters: &str) -> String {
        let line = |i: usize| format!("#define X{}{parameters} (X{i}{parameters} + X{i}{parameters})\n", i + 1);
        format!("#define X0{parameters} 1u\n") + &(0..n).map(line).collect::<String>()
    }

    #[test]
    fn macros_that_stand_for_too_much_are_found_at_their_use() {
        let nested = "#define E(x) x x x x x x x x\n#define F(x) E(E(E(x)))\n#define G(x) F(F(F(x)))\n";
        for (definitions, used) in [
            (doubled(40, ""), "X40"),
            (doubled(40, "(a)"), "X40(1u)"),
            (doubled(40, "(a)").replace("+", "+ a *"), "X40(X8(1u))"),
            (nested.to_string(), "G(1u)"),
            // Lines that a backslash joins, as one definition.
            (doubled(40, "").replace(" (", " \\\n ("), "X40"),
            (format!("#ifdef A\n{}#else\n#define X40 1\n#endif\n", doubled(40, "")), "X40"),
        ] {
            let text = format!("{definitions}const uint a = {used};\n");
            assert_eq!(too_long(&text), Some(definitions.len() + 15), "{text}");
            let text = format!("{definitions}#if {used} > 1\n#endif\n");
            assert_eq!(too_long(&text), Some(definitions.len() + 4), "{text}");
        }
        // Many uses of one that is long but not too long.
        let text = format!("{}{}", doubled(12, ""), "X12;".repeat(200));
        assert!(too_long(&text).is_some());
    }

    #[test]
    fn macros_that_stand_for_little_are_left_alone() {
        for text in [
            doubled(40, ""),
            format!("{}X10 X10(1)", doubled(10, "")),
            format!("#if 1\n#define M(a) (a)\n#else\n#define M(a) a\n#endif\n{}1{}", "M(".repeat(900), ")".repeat(900)),
            format!("{}#undef X40\nX40", doubled(40, "")),
            "#define A A B\n#define B A A\nA B A(1)".to_string(),
            "#define A(x) A(A(x)) x\nA(A(A(A(1))))".to_string(),
            "#define F(x, y) (x + y)\nF(F(1, 2), F(3, (4, 5))) F".to_string(),
            "#define 1\n#define\n#define A(\nA( A(1".to_string(),
        ] {
            assert_eq!(too_long(&text), None, "{text}");
        }
    }
}
