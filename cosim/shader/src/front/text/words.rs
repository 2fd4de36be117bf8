//! Where a name stands in a text whose comments are blanked. For messages: SPIR-V that was made of
//! GLSL says lines and no columns, and variables have not even lines. Wrong would be a name that
//! stands twice where only one place is meant; the first is taken.

use super::edit::identifiers;

/// Line and column, both from 1 and in characters, of a byte.
pub fn position(text: &str, at: usize) -> (u32, u32) {
    let before = &text[..at];
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    (before.matches('\n').count() as u32 + 1, before[start..].chars().count() as u32 + 1)
}

/// Where a variable of GLSL is declared: the name's first place outside of all braces, else its
/// first place at all, as of a built-in variable or a member of a block.
pub fn declared(plain: &str, name: &str) -> Option<(u32, u32)> {
    let mut depth = 0;
    let (mut from, mut inside) = (0, None);
    for (at, word) in identifiers(plain) {
        for c in plain[from..at].bytes() {
            depth += i32::from(c == b'{') - i32::from(c == b'}');
        }
        from = at;
        match word == name {
            true if depth <= 0 => return Some(position(plain, at)),
            true => inside = inside.or(Some(at)),
            false => {}
        }
    }
    inside.map(|at| position(plain, at))
}

/// The column, from 1, of the first word of a line that a test takes.
pub fn column(line: &str, mut is: impl FnMut(&str) -> bool) -> Option<u32> {
    let (at, _) = identifiers(line).into_iter().find(|(_, word)| is(word))?;
    Some(position(line, at).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_is_outside_of_braces() {
        let text = "void f() { a = b; }\nout B { vec4 c; } x;\nin vec4 aa, a;";
        assert_eq!(declared(text, "a"), Some((3, 13)));
        assert_eq!(declared(text, "c"), Some((2, 14)));
        assert_eq!(declared(text, "x"), Some((2, 19)));
        assert_eq!(declared(text, "b"), Some((1, 16)));
        assert_eq!(declared(text, "d"), None);
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(column("  \u{b5} = aa + a;", |w| w == "a"), Some(12));
        assert_eq!(column("b", |w| w == "a"), None);
    }
}
