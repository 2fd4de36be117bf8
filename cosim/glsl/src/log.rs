//! Errors out of glslang's log. A line of it is `ERROR: FILE:LINE:COLUMN: 'TOKEN' : MESSAGE`, where
//! FILE is 0 for the source and a name for an included file; others have no place.

use crate::Error;

/// The errors of a log. `path` is the source's. There is always one at least.
pub fn errors(log: &str, path: &str) -> Vec<Error> {
    let mut out: Vec<Error> = Vec::new();
    let mut lines = log.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(line) = line.trim().strip_prefix("ERROR: ") else { continue };
        let mut error = placed(line, path).unwrap_or_else(|| unplaced(path, line));
        // What is wrong follows on a line of its own.
        if error.message.ends_with(':') {
            let more = lines.next_if(|l| !l.trim().is_empty() && !l.trim().starts_with("ERROR:"));
            error.message += &more.map_or(String::new(), |l| format!(" {}", l.trim()));
        }
        if !closing(&error.message) && !out.contains(&error) {
            out.push(error);
        }
    }
    if out.is_empty() {
        let said =
            log.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or("glslang refuses it and does not say why");
        out.push(unplaced(path, said));
    }
    out
}

/// An error that names no place.
pub fn unplaced(path: &str, message: &str) -> Error {
    Error { file: path.to_string(), line: 0, column: 0, message: message.trim().to_string() }
}

/// The lines that only count the errors.
fn closing(message: &str) -> bool {
    message.ends_with("compilation errors.  No code generated.") || message == "compilation terminated"
}

fn placed(line: &str, path: &str) -> Option<Error> {
    // The first `:number:number: ` ends the place: a name may have colons.
    let (at, numbers) = line.match_indices(':').find_map(|(at, _)| Some((at, numbers(&line[at + 1..])?)))?;
    let (number, column, rest) = numbers;
    let file = match line[..at].trim_matches('"') {
        "0" | "" => path,
        name => name,
    };
    let message = rest.strip_prefix("'' : ").unwrap_or(rest).trim().to_string();
    Some(Error { file: file.to_string(), line: number, column: column.max(1), message })
}

fn numbers(text: &str) -> Option<(u32, u32, &str)> {
    let (line, rest) = text.split_once(':')?;
    let (column, rest) = rest.split_once(": ")?;
    Some((line.parse().ok()?, column.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found() {
        let log = "WARNING: 0:1:1: x\nERROR: 0:3:7: 'foo' : undeclared identifier \nERROR: a:b.glsl:2:1: '' : compilation terminated \n\
                   ERROR: 2 compilation errors.  No code generated.\n";
        let expected =
            Error { file: "s.comp".into(), line: 3, column: 7, message: "'foo' : undeclared identifier".into() };
        assert_eq!(errors(log, "s.comp"), [expected]);
        let named = errors("ERROR: a:b.glsl:2:1: '}' : syntax error", "s.comp");
        assert_eq!((named[0].file.as_str(), named[0].line), ("a:b.glsl", 2));
    }

    #[test]
    fn there_is_always_an_error() {
        assert_eq!(errors("", "s.comp").len(), 1);
        assert_eq!(errors("ERROR: Linking compute stage: Missing entry point", "s")[0].line, 0);
    }

    #[test]
    fn what_follows_a_colon_is_part_of_the_message() {
        let log =
            "ERROR: Linking fragment stage: Recursion detected:\n    f(f1; calling g(f1;\n\nERROR: b:\nERROR: c\n";
        let messages: Vec<String> = errors(log, "s").into_iter().map(|e| e.message).collect();
        assert_eq!(messages, ["Linking fragment stage: Recursion detected: f(f1; calling g(f1;", "b:", "c"]);
    }
}
