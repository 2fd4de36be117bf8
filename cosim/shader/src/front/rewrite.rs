//! The source text as the parser is given it: names that naga does not know are replaced by ones that it does, before parsing, and the places are remembered.
//!
//! In WGSL `warpAtomicAdd(&x, v)` becomes `atomicAdd(&x, v)`, so that naga checks its operands and overloads; the call's place is a [`Mark`], by which the lowering knows that
//! the atomic it meets there is warp-wide. `subgroupElect()` becomes a vote with a mark. In GLSL the built-in variables of subgroups become calls of functions that are
//! declared to naga ([`super::subgroups`]). Positions in messages are those of the source: [`SourceMap`](super::diag::SourceMap) undoes the edits. Wrong would be a place that naga reports
//! otherwise than as the start of the call: the operation would silently be one of each lane. The tests would show it.

/// A change of the source text: at a byte offset of the source, how many bytes are left out, and what stands there instead.
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
}

/// Name in WGSL, what naga is given, text before the closing parenthesis, text behind it.
const WGSL: [(&str, &str, &str, &str, Mark); 12] = [
    ("warpAtomicAdd", "atomicAdd", "", "", Mark::Warp),
    ("warpAtomicSub", "atomicSub", "", "", Mark::Warp),
    ("warpAtomicAnd", "atomicAnd", "", "", Mark::Warp),
    ("warpAtomicOr", "atomicOr", "", "", Mark::Warp),
    ("warpAtomicXor", "atomicXor", "", "", Mark::Warp),
    ("warpAtomicMin", "atomicMin", "", "", Mark::Warp),
    ("warpAtomicMax", "atomicMax", "", "", Mark::Warp),
    ("warpAtomicExchange", "atomicExchange", "", "", Mark::Warp),
    ("warpAtomicCompareExchange", "atomicCompareExchangeWeak", "", ".old_value", Mark::Warp),
    ("warpLock", "atomicExchange", ", 1u", "", Mark::Lock(true)),
    ("warpUnlock", "atomicExchange", ", 0u", "", Mark::Lock(false)),
    ("subgroupElect", "subgroupAny", "true", "", Mark::Elect),
];

/// The edits of a WGSL text.
pub fn wgsl(text: &str) -> Vec<Edit> {
    if !text.contains("warp") && !text.contains("subgroupElect") {
        return vec![];
    }
    let plain = blank_comments(text);
    let mut edits = vec![];
    for (at, name) in identifiers(&plain) {
        let Some(&(_, new, before, behind, mark)) = WGSL.iter().find(|(n, ..)| *n == name) else { continue };
        let end = at + name.len();
        let (true, Some(close)) = (!plain[..at].trim_end().ends_with("fn"), closing(&plain, end)) else { continue };
        edits.push(Edit { at, removed: name.len(), text: new.into(), mark: Some(mark) });
        // Behind a trailing comma the parameter follows without one.
        let before = if plain[..close].trim_end().ends_with(',') { before.trim_start_matches(',') } else { before };
        edits.extend((!before.is_empty()).then(|| Edit::insert(close, before)));
        edits.extend((!behind.is_empty()).then(|| Edit::insert(close + 1, behind)));
    }
    edits.sort_by_key(|e| e.at);
    edits
}

/// The edits that put something in the place of identifiers.
pub fn names(text: &str, new: impl Fn(&str) -> Option<&'static str>) -> Vec<Edit> {
    let plain = blank_comments(text);
    let edit = |(at, name): (usize, &str)| {
        new(name).map(|text| Edit { at, removed: name.len(), text: text.into(), mark: None })
    };
    identifiers(&plain).into_iter().filter_map(edit).collect()
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

/// Whether the text calls or names `name`.
pub fn mentions(plain: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let whole = |(at, _): (usize, &str)| !plain[..at].ends_with(part) && !plain[at + name.len()..].starts_with(part);
    plain.match_indices(name).any(whole)
}

/// The text with comments blanked; places stay. (Block comments nest in WGSL; in GLSL they do not, which matters only to a text that looks as if they did.)
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
fn identifiers(plain: &str) -> Vec<(usize, &str)> {
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

/// Where the parenthesis closes that opens behind `from` (white space apart).
fn closing(plain: &str, from: usize) -> Option<usize> {
    let rest = plain[from..].trim_start();
    if !rest.starts_with('(') {
        return None;
    }
    let start = plain.len() - rest.len();
    let mut depth = 0usize;
    for (i, c) in rest.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(start + i),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_rewritten_and_their_places_known() {
        let text = "x = warpAtomicCompareExchange(&a, f(1), 2u) + warpLock( &l ); // warpLock(&l)\n/* warpLock(&m) */ fn warpLock(p: u32)";
        let (new, marks) = apply(text, &wgsl(text));
        assert_eq!(new, "x = atomicCompareExchangeWeak(&a, f(1), 2u).old_value + atomicExchange( &l , 1u); // warpLock(&l)\n/* warpLock(&m) */ fn warpLock(p: u32)");
        assert_eq!(marks, [(4, Mark::Warp), (new.find("atomicExchange").unwrap() as u32, Mark::Lock(true))]);
        let nested = "warpAtomicAdd(&a, warpUnlock(&l,)); notwarpLock(&l)";
        assert_eq!(apply(nested, &wgsl(nested)).0, "atomicAdd(&a, atomicExchange(&l, 0u)); notwarpLock(&l)");
    }

    #[test]
    fn comments_are_blanked_in_their_places() {
        let text = "a // \u{b5}\nb /* c /* d */ e\n*/ f/g";
        let plain = blank_comments(text);
        assert_eq!((plain.len(), plain.split_whitespace().collect::<Vec<_>>()), (text.len(), vec!["a", "b", "f/g"]));
        assert_eq!(plain.matches('\n').count(), 2);
        assert_eq!(blank_comments("a/**/b /*"), "a    b   ");
    }
}
