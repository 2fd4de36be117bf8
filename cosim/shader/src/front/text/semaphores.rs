//! The semaphore functions of WGSL, by name (docs/semaphores.md). A shader that calls one need not
//! declare it: the declaration is added behind the end of the text that the parser sees, so
//! positions stay right. A shader may declare it itself, with an empty body, for the sake of other
//! tools; a body that does something is refused, because it would never run.

use super::edit::blank_comments;
use crate::front::emit::semaphores::{Call, FUNCTIONS};

/// The function of that name; compilers of GLSL to SPIR-V write its parameters' types behind it.
pub fn by_name(name: &str) -> Option<Call> {
    let name = name.split('(').next().unwrap_or(name);
    FUNCTIONS.iter().find(|(n, _)| *n == name).map(|&(_, call)| call)
}

/// The declarations that a WGSL text lacks.
pub fn declare_wgsl(text: &str) -> String {
    if !text.contains("semaphore") && !text.contains("dependency") {
        return String::new();
    }
    let text = blank_comments(text);
    let mut out = String::new();
    for (name, call) in FUNCTIONS {
        if !occurrences(&text, name).any(|(_, rest)| rest.starts_with('(')) || is_declared(&text, name) {
            continue;
        }
        out += &match call.takes_id() {
            true => format!("\nfn {name}(id: u32) {{}}"),
            false => format!("\nfn {name}() {{}}"),
        };
    }
    out
}

/// The places where `name` stands as a whole word: the text before it and the text behind it,
/// without the white space between.
fn occurrences<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = (&'t str, &'t str)> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name)
        .map(move |(at, _)| (&text[..at], &text[at + name.len()..]))
        .filter(move |(before, behind)| !before.ends_with(part) && !behind.starts_with(part))
        .map(|(before, behind)| (before.trim_end(), behind.trim_start()))
}

/// Whether the text declares a function of that name itself.
fn is_declared(text: &str, name: &str) -> bool {
    occurrences(text, name).any(|(before, _)| before.ends_with("fn"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ssa::MessageOp;

    #[test]
    fn only_what_is_called_and_not_defined_is_declared() {
        assert_eq!(declare_wgsl("fn main() { semaphoreWait(); }"), "\nfn semaphoreWait() {}");
        assert_eq!(declare_wgsl("// semaphoreWait()\n/* dependencyDone() */ fn f() {}"), "");
        assert_eq!(declare_wgsl("fn semaphoreWait() {} fn main() { semaphoreWait (); }"), "");
        assert_eq!(declare_wgsl("// fn semaphoreWait()\nfn main() { semaphoreWait(); }"), "\nfn semaphoreWait() {}");
        assert_eq!(declare_wgsl("fn main() { let semaphoreWait = 1; mysemaphoreWait(); }"), "");
        assert_eq!(declare_wgsl("fn main() { semaphoreAcquire(3); }"), "\nfn semaphoreAcquire(id: u32) {}");
    }

    #[test]
    fn names_of_spirv_carry_their_parameters() {
        assert_eq!(by_name("semaphoreRelease(u1;"), Some(Call::Message(MessageOp::Release)));
        assert_eq!(by_name("semaphoreReleases"), None);
    }
}
