//! Changes of a source text and what they say about calls; comments and identifiers of a text. No
//! language is known here.
//!
//! An [`Edit`] keeps its place in the source, so that [`SourceMap`](super::map::SourceMap) can
//! undo it in messages. Wrong would be a text blanked to another length: every place behind it
//! would be off.

use crate::ssa::AtomicOp;

/// A change of the source text: at a byte offset of the source, how many bytes are left out, and
/// what stands there instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub at: usize,
    pub removed: usize,
    pub text: String,
    pub mark: Option<Mark>,
}

impl Edit {
    pub fn insert(at: usize, text: &str) -> Edit {
        Edit { at, removed: 0, text: text.into(), mark: None }
    }
}

/// What a call of the parsed text really is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// An atomic for the whole warp.
    Warp,
    /// `warpLock` (true) or `warpUnlock`, written as an exchange.
    Lock(bool),
    /// `subgroupElect`, written as a vote.
    Elect,
    /// An atomic for the whole warp on two words, written as a function of what its first argument
    /// points to.
    Wide(AtomicOp),
}

/// The text with the edits made (sorted by place), and the marks with their places in it.
pub fn apply(text: &str, edits: &[Edit]) -> (String, Vec<(u32, Mark)>) {
    let (mut out, mut from, mut marks) = (String::with_capacity(text.len()), 0, vec![]);
    for e in edits {
        out += &text[from..e.at];
        marks.extend(e.mark.map(|m| (out.len() as u32, m)));
        out += &e.text;
        from = e.at + e.removed;
    }
    (out + &text[from..], marks)
}

/// The WGSL text with comments blanked; places stay.
pub fn blank_comments(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let (mut i, mut depth) = (0, 0usize);
    while i < bytes.len() {
        let mut step = 1;
        if bytes[i..].starts_with(b"/*") {
            (depth, step) = (depth + 1, 2);
        } else if depth > 0 && bytes[i..].starts_with(b"*/") {
            out[i..i + 2].fill(b' ');
            (depth, step) = (depth - 1, 2);
        } else if depth == 0 && bytes[i..].starts_with(b"//") {
            step = text[i..].find('\n').unwrap_or(text.len() - i);
        }
        let comment = depth > 0 || step > 2 || bytes[i..].starts_with(b"//");
        if comment {
            out[i..i + step].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
        }
        i += step;
    }
    // Only whole comments were blanked, so this is text still.
    String::from_utf8_lossy(&out).into_owned()
}

/// The identifiers of a text and where they begin.
pub fn identifiers(plain: &str) -> Vec<(usize, &str)> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = vec![];
    let mut from = 0;
    while let Some(at) = plain[from..].find(part).map(|i| from + i) {
        let end = plain[at..].find(|c| !part(c)).map_or(plain.len(), |i| at + i);
        out.push((at, &plain[at..end]));
        from = end;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_blanked_in_their_places() {
        let text = "a // \u{b5}\nb /* c /* d */ e\n*/ f/g";
        let plain = blank_comments(text);
        assert_eq!((plain.len(), plain.split_whitespace().collect::<Vec<_>>()), (text.len(), vec!["a", "b", "f/g"]));
        assert_eq!(plain.matches('\n').count(), 2);
        assert_eq!(blank_comments("a/**/b /*"), "a    b   ");
        assert_eq!(blank_comments("/* /* a */ b"), " ".repeat(12));
    }
}
