//! Places of what glslang says of a GLSL text as a whole, which it says without one: that there is
//! no `main`, and that a function calls itself.
//!
//! The functions are found in the text as it stands, without its preprocessor. So a function that a
//! macro makes is not seen, and the place is then the beginning of the text. Nothing but the place
//! and the words of an error depends on it.

use super::text::edit::{blank_comments, identifiers};

/// An error with its place.
#[derive(Debug, PartialEq, Eq)]
pub struct Whole {
    /// Line and column, from 1.
    pub at: (u32, u32),
    pub message: String,
    pub help: String,
}

/// A function's name, and the bytes of its body.
struct Function<'t> {
    name: &'t str,
    at: usize,
    body: std::ops::Range<usize>,
}

/// What glslang's message says, at its place; nothing if it is another message.
pub fn placed(text: &str, message: &str) -> Option<Whole> {
    let plain = blank_comments(text);
    let functions = functions(&plain);
    if message.contains("Missing entry point") {
        let names: Vec<&str> = functions.iter().map(|f| f.name).collect();
        let has = if names.is_empty() { "no function".into() } else { names.join(", ") };
        let help = format!("write void main() {{ .. }}; the text has {has}");
        let at = functions.last().map_or((1, 1), |f| place(text, f.at));
        return Some(Whole { at, message: "the text has no entry point `main`".into(), help });
    }
    // `f(f1; calling g(f1;`: f has the call.
    let (caller, callee) = message.split_once("Recursion detected:")?.1.split_once(" calling ")?;
    let name = |mangled: &str| mangled.split('(').next().unwrap_or_default().trim().to_owned();
    let (caller, callee) = (name(caller), name(callee));
    let all = identifiers(&plain);
    let call = functions.iter().filter(|f| f.name == caller).find_map(|f| {
        all.iter().find(|(at, word)| f.body.contains(at) && *word == callee).map(|&(at, _)| place(text, at))
    });
    let cycle = if caller == callee { "itself".into() } else { format!("`{callee}`, which leads back to it") };
    let message = format!("function `{caller}` calls {cycle}: recursion is not supported");
    Some(Whole { at: call.unwrap_or((1, 1)), message, help: "use a loop".into() })
}

/// The functions of a text without comments: a name, parameters and a body outside of any other.
fn functions(plain: &str) -> Vec<Function<'_>> {
    let mut out: Vec<Function> = vec![];
    let (mut depth, mut round, mut name, mut open) = (0u32, 0u32, None, None);
    let all = identifiers(plain);
    for (at, c) in plain.char_indices() {
        match c {
            '(' => {
                let before = all.partition_point(|w| w.0 < at).checked_sub(1).map(|k| all[k]);
                if depth == 0 && round == 0 {
                    name = before.filter(|(from, word)| plain[from + word.len()..at].trim().is_empty());
                }
                round += 1;
            }
            ')' => round = round.saturating_sub(1),
            ';' if depth == 0 => name = None,
            '{' => {
                if depth == 0 {
                    open = name.take().map(|n| (n, at));
                }
                depth += 1;
            }
            '}' => {
                depth = depth.saturating_sub(1);
                if let (0, Some(((from, word), body))) = (depth, open) {
                    out.push(Function { name: word, at: from, body: body..at });
                    open = None;
                }
            }
            _ => {}
        }
    }
    // A layout qualifier looks like one.
    out.retain(|f| f.name != "layout");
    out
}

fn place(text: &str, at: usize) -> (u32, u32) {
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    (line as u32, before.chars().rev().take_while(|&c| c != '\n').count() as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "layout(binding = 0) uniform U { float a; };\nfloat g(float x);\n\
                        float f(float x) { return g(x); }\n/* g( */ float g(float x) {\n  return f(x) + µ; }\n";

    #[test]
    fn a_missing_main_lists_the_functions() {
        let whole = placed(TEXT, "Linking vertex stage: Missing entry point: Each stage requires one entry point");
        let help = "write void main() { .. }; the text has f, g".to_owned();
        assert_eq!(whole, Some(Whole { at: (4, 16), message: "the text has no entry point `main`".into(), help }));
        assert_eq!(placed("", "Missing entry point").unwrap().at, (1, 1));
    }

    #[test]
    fn a_function_that_calls_itself_is_found() {
        let whole = placed(TEXT, "Linking vertex stage: Recursion detected: g(f1; calling f(f1;").unwrap();
        assert_eq!(whole.at, (5, 10));
        assert!(whole.message.contains("function `g` calls `f`, which leads back to it"), "{}", whole.message);
        // What a macro makes is not seen.
        assert_eq!(placed(TEXT, "Recursion detected: h(f1; calling h(f1;").unwrap().at, (1, 1));
        assert_eq!(placed(TEXT, "other"), None);
    }
}
