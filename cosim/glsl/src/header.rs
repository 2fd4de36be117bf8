//! What is put behind `#version`, for glslang: the functions of the machine that the text names, as
//! instructions of the set `Quadlock.1`, and the extensions for that and for `#include`. A `#line`
//! behind it keeps the numbers of the user's lines.
//!
//! A name in a comment or a string only declares a function that nobody calls. A function that the
//! text declares itself is left to it: a body without content is how a shader stays readable for
//! other tools, and its name (`OpName`) says what it is.

use crate::quadlock_set::{Instruction, Shape, INSTRUCTIONS, SET};
use std::fmt::Write;

/// The version of a text that names none.
const VERSION: &str = "#version 450\n";

/// The byte at which the directive `#version` stands: errors about it come without a place.
pub fn version_at(text: &str) -> Option<usize> {
    let word = version(text)?.word;
    text[..word].rfind('#')
}

/// The text as glslang gets it. Behind an included file glslang goes on with that file's name,
/// unless the text has one: with `#include` it gets its path.
pub fn add(text: &str, path: &str) -> String {
    let version = version(text);
    let includes = text.contains("include");
    let code = without_comments(text);
    let wanted: Vec<_> =
        INSTRUCTIONS.iter().filter(|i| (includes || mentions(&code, i.name)) && !declares(&code, i.name)).collect();
    let (head, body) = text.split_at(version.as_ref().map_or(0, |v| v.end));
    let mut out = String::with_capacity(text.len() + 4096);
    match &version {
        // The crate `glslang` looks for "#version " itself, and refuses without a place what it
        // does not know.
        Some(v) => out += &[&head[..v.word], " ", &head[v.word..]].concat(),
        None => out += VERSION,
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
    if includes {
        out += "#extension GL_GOOGLE_include_directive : enable\n";
    }
    if !wanted.is_empty() {
        out += "#extension GL_EXT_spirv_intrinsics : enable\n";
        wanted.iter().for_each(|i| declare(&mut out, i));
        out.push('\n');
    }
    // Before 3.30 the number is that of the directive's own line.
    let own = version.is_some_and(|v| v.own_line);
    let next = head.lines().count() + 1 - usize::from(own);
    let named = includes && !path.is_empty() && !path.contains(['"', '\\', '\n']);
    let _ = if named { writeln!(out, "#line {next} \"{path}\"") } else { writeln!(out, "#line {next}") };
    out + body
}

fn declare(out: &mut String, instruction: &Instruction) {
    let Instruction { id, name, .. } = instruction;
    let types = if instruction.types.is_empty() { &["void"] } else { instruction.types };
    for ty in types {
        let memory = format!("spirv_by_reference {ty} m");
        let (result, parameters) = match instruction.shape {
            Shape::Modify => (*ty, format!("{memory}, {ty} v")),
            Shape::Compare => (*ty, format!("{memory}, {ty} c, {ty} v")),
            Shape::Lock => (*ty, memory),
            Shape::Semaphore => ("void", format!("{ty} id")),
            Shape::Thread => ("void", String::new()),
        };
        let _ = write!(out, "spirv_instruction(set = \"{SET}\", id = {id}) {result} {name}({parameters}); ");
    }
}

struct Version {
    /// The word `version`.
    word: usize,
    /// Behind its line.
    end: usize,
    /// Whether `#line` gives its own line's number, not the next one's.
    own_line: bool,
}

/// The directive `#version`, which only comments and white space may precede.
fn version(text: &str) -> Option<Version> {
    let mut rest = text.trim_start_matches('\u{feff}');
    loop {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n')?.1;
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/")?.1;
        } else {
            break;
        }
    }
    let words = rest.strip_prefix('#')?.trim_start_matches([' ', '\t']).strip_prefix("version")?;
    let line = words.find('\n').map_or(words.len(), |at| at + 1);
    let end = text.len() - words.len() + line;
    let words = &words[..line];
    let number: u32 = words.split_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or(450);
    Some(Version { word: end - line - "version".len(), end, own_line: number < 330 && !words.contains("es") })
}

/// The text with a space for each comment.
fn without_comments(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        let (before, comment) = rest.split_at(at);
        out.push_str(before);
        out.push(' ');
        let end = match comment.starts_with("//") {
            true => comment.find('\n'),
            false => comment[2..].find("*/").map(|end| end + 4),
        };
        rest = &comment[end.unwrap_or(comment.len())..];
    }
    out + rest
}

fn part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The texts before and behind each place where the name stands as a word.
fn places<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = (&'t str, &'t str)> {
    let sides = text.match_indices(name).map(move |(at, _)| (&text[..at], &text[at + name.len()..]));
    sides.filter(|(before, behind)| !before.ends_with(part) && !behind.starts_with(part))
}

fn mentions(text: &str, name: &str) -> bool {
    places(text, name).next().is_some()
}

/// Whether the text declares a function of that name: a type stands before it.
fn declares(text: &str, name: &str) -> bool {
    places(text, name).any(|(before, _)| {
        let before = before.trim_end();
        ["void", "uint", "int", "uvec2"].iter().any(|ty| before.strip_suffix(ty).is_some_and(|b| !b.ends_with(part)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_is_declared() {
        assert_eq!(add("#version 450\nvoid main() {}", "a.comp"), "# version 450\n#line 2\nvoid main() {}");
        assert_eq!(add("void main() {}", "a.comp"), "#version 450\n#line 1\nvoid main() {}");
        let own = "#version 450\nvoid semaphoreWait() {}\nvoid main() { semaphoreWait(); }";
        assert!(!add(own, "a.comp").contains("spirv_instruction"));
        let called = add("// a\n/* b\n*/ #version 310 es\nvoid main() { warpLock(a); }", "a.comp");
        assert!(called.contains("id = 12) uint warpLock(spirv_by_reference uint m);"), "{called}");
        assert!(called.contains("#line 4\nvoid main"), "{called}");
        assert!(add("#version 150\nx", "a.comp").contains("#line 1\nx"));
        let noted = add(
            "#version 450\n// as uint warpLock(uint m), or /* void\n/* uint */ void main() { warpLock(a); }",
            "a.comp",
        );
        assert!(noted.contains("id = 12) uint warpLock("), "{noted}");
    }

    #[test]
    fn numbers_and_overloads_are_unambiguous() {
        for (i, a) in INSTRUCTIONS.iter().enumerate() {
            assert_eq!(crate::quadlock_set::by_id(a.id), Some(a));
            let same = INSTRUCTIONS[i + 1..].iter().filter(|b| b.name == a.name);
            assert!(same.into_iter().all(|b| b.types.iter().all(|t| !a.types.contains(t))), "{}", a.name);
        }
    }
}
