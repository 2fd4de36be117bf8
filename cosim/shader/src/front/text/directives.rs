//! Directives of WGSL that naga refuses although it, or this compiler, does what they ask for. They
//! are blanked, or their names in a list of several, so that positions stay. What neither does is
//! left to naga, which names it.

use super::edit::{blank_comments, identifiers, Edit};
use std::ops::Range;

/// Directive, and the names that are left out of it.
const DONE: [(&str, &[&str]); 2] = [
    ("enable", &["subgroups"]),
    ("requires", &["unrestricted_pointer_parameters", "subgroup_id", "subgroup_uniformity"]),
];

/// The edits that leave them out.
pub fn without(text: &str) -> Vec<Edit> {
    let plain = blank_comments(text);
    let mut out = vec![];
    let mut from = 0;
    for statement in plain.split_inclusive(';') {
        let start = from + statement.len() - statement.trim_start().len();
        from += statement.len();
        let known = DONE.iter().find_map(|(word, done)| Some((plain[start..from].strip_prefix(word)?, done)));
        let Some((list, done)) = known.filter(|(list, _)| list.starts_with(char::is_whitespace)) else { continue };
        let names: Vec<&str> = list.trim_end_matches(';').split(',').map(str::trim).filter(|n| !n.is_empty()).collect();
        if !names.iter().any(|n| done.contains(n)) {
            continue;
        }
        let mut text = plain.as_bytes()[start..from].to_vec();
        let mut blank = |range: Range<usize>| {
            text[range].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
        };
        if names.iter().all(|n| done.contains(n)) {
            blank(0..from - start);
        } else {
            // With the comma behind it, or before it if it is the last.
            let statement = &plain[start..from];
            for (at, name) in identifiers(statement).into_iter().filter(|i| done.contains(&i.1)) {
                let end = at + name.len();
                let comma = statement[end..].find(',').map(|c| end + c).or(statement[..at].rfind(','));
                blank(at..end);
                comma.into_iter().for_each(|c| blank(c..c + 1));
            }
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        out.push(Edit { at: start, removed: from - start, text, mark: None });
    }
    out
}
