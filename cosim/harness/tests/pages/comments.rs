//! Lines of comments in Rust are at most 100 characters long; `make reflow` makes them so.
//!
//! A table, a code block, a line with a URL and a command that stands alone take what they need.
//! Comments behind code on one line are not looked at: rustfmt judges those lines.

use crate::{files, root};

/// Longest line of a comment, in characters, with its indent and marker.
const LONGEST: usize = 100;

/// Lines of comments that are too long, by number.
fn long_comments(text: &str) -> Vec<usize> {
    let mut code = false;
    let mut long = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some(comment) = line.trim_start().strip_prefix("//") else {
            code = false;
            continue;
        };
        let comment = comment.trim_start_matches(['/', '!']);
        let said = comment.trim();
        let fence = said.starts_with("```");
        code ^= fence;
        let command = said.len() > 2 && said.starts_with('`') && said.find('`') == said[..said.len() - 1].rfind('`');
        let free = code || fence || command || said.starts_with('|') || said.contains("://");
        if !free && !comment.starts_with("     ") && line.chars().count() > LONGEST {
            long.push(number + 1);
        }
    }
    long
}

#[test]
fn lines_of_comments_are_short() {
    let (root, mut found) = (root(), Vec::new());
    files(&root, ".rs", &mut found);
    assert!(found.len() > 500, "only {} files of Rust", found.len());
    let mut long = Vec::new();
    for path in found {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        long.extend(long_comments(&text).into_iter().map(|line| format!("{name}:{line}")));
    }
    assert!(long.is_empty(), "more than {LONGEST} characters (make reflow):\n{}", long.join("\n"));
}

#[test]
fn a_long_comment_is_noticed() {
    let long = "word ".repeat(20);
    let text = format!(
        "//! {long}\n/// short\n    // {long}\nlet x = 1; // {long}\n//! | {long} |\n//! ```\n//! {long}\n//! ```\n//! `{long}`\n"
    );
    assert_eq!(long_comments(&text), [1, 3]);
}
