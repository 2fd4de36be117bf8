//! How deep a source may be nested. Parsers and passes recurse over statements and expressions, so
//! a source that is nested deeply enough would end the process with a stack overflow, which cannot
//! be caught. Two measures together prevent it: a source deeper than [`MOST`] is refused before it
//! is parsed, and the compiler runs on a thread whose stack is large enough for that depth
//! ([`deep`]).
//!
//! Depth is estimated from above without a grammar: open brackets, and since the last `;`, `,`, `{`
//! or `}` every token that can begin a level by itself (an operator, `?`, `if`, `for`, `while`,
//! ...); a chain of `else if` counts as deep as it is long. Wrong would be a construct that
//! recurses without any of these tokens.

/// Most levels. An expression of that many operators is longer than any written by hand.
pub const MOST: usize = 2_000;

/// Bytes of stack: what [`MOST`] levels of the hungriest construct take in a build without
/// optimisation, and as much again. Untouched pages cost nothing.
const STACK: usize = 1 << 29;

/// Runs the compiler where it has the stack that it may need.
pub fn deep<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("compiler".into()).stack_size(STACK);
        match thread.spawn_scoped(scope, work) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(e) => panic!("cannot start a thread for the compiler: {e}"),
        }
    })
}

/// What stands open in one pair of brackets.
#[derive(Default)]
struct Level {
    /// Tokens that may each have begun a level since the statement or the argument began.
    links: usize,
    /// `else` of the chain that is being read.
    elses: usize,
    /// A statement has ended: the chain ends, unless an `else` follows.
    ended: bool,
}

/// Where a text without comments becomes nested deeper than [`MOST`].
pub fn too_deep(plain: &str) -> Option<usize> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let (mut outer, mut here): (Vec<Level>, Level) = Default::default();
    let (mut depth, mut at) = (0, 0);
    while let Some(first) = plain[at..].chars().next() {
        let length = match part(first) {
            true => plain[at..].find(|c| !part(c)).unwrap_or(plain.len() - at),
            false => first.len_utf8(),
        };
        let token = &plain[at..at + length];
        if !first.is_whitespace() && std::mem::take(&mut here.ended) && token != "else" {
            depth -= std::mem::take(&mut here.elses);
        }
        match token {
            "(" | "[" | "{" => {
                depth += 1;
                outer.push(std::mem::take(&mut here));
            }
            ")" | "]" | "}" => {
                depth -= here.links + here.elses;
                here = outer.pop().inspect(|_| depth -= 1).unwrap_or_default();
                // What follows may be a call or an index of what was in the brackets.
                (here.links, depth) = (here.links + 1, depth + 1);
            }
            "else" => (here.elses, depth) = (here.elses + 1, depth + 1),
            "if" | "for" | "while" | "do" | "switch" | "case" | "loop" => {
                (here.links, depth) = (here.links + 1, depth + 1)
            }
            _ if !part(first) && !first.is_whitespace() => (here.links, depth) = (here.links + 1, depth + 1),
            _ => {}
        }
        if matches!(token, ";" | "," | "}") {
            depth -= std::mem::take(&mut here.links);
            here.ended = token != ",";
        }
        if depth > MOST {
            return Some(at);
        }
        at += length;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nested_too_deeply_is_found_where_it_becomes_so() {
        let n = MOST + 1;
        for (level, rest) in [
            ("(", "1"),
            ("{", ""),
            ("[", "0"),
            ("!", "x"),
            ("- ", "x"),
            ("x+", "x"),
            ("x?1:", "2"),
            ("if(x)", ";"),
            ("x[0]", ""),
            ("x.", "x"),
            ("if(x)y;else ", "z;"),
        ] {
            let at = too_deep(&level.repeat(n)).unwrap();
            assert!(at <= level.len() * n, "{level}");
            assert_eq!(too_deep(&format!("{}{rest}", level.repeat(500))), None, "{level}");
        }
        assert!(too_deep(&format!("{{{}", "if(x){y=1;} else ".repeat(n))).is_some());
    }

    #[test]
    fn long_is_not_deep() {
        for part in [
            "x = y * (a + b) - c[i];",
            "if (x) { y; } else { z; }",
            "if (x) y; else if (v) w; else z;",
            "1.0, 2.0, -3.0,",
            "f(a, b); ",
            "} ",
        ] {
            assert_eq!(too_deep(&part.repeat(50_000)), None, "{part}");
        }
    }
}
