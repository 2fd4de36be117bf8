//! The pages for people, held to what they say: pictures are those of today's design, links lead
//! somewhere, lines are short, and each session printed on a page is what the command prints.
//!
//! It can be wrong by not seeing a page: `pages` walks the tree, and a test asks for the known
//! ones.

use std::path::{Path, PathBuf};

mod commands;
mod comments;
mod drawings;
mod english;
mod equivalence;
mod limits;
mod paths;
mod pictures;
mod reflow;
mod requirements;
mod sessions;
mod text;
mod tiers;

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Files with this ending under `folder`, without what is built and what tools leave.
fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && !name.starts_with('.') && !["target", "out", "vendor"].contains(&name) {
            files(&path, ending, found);
        } else if path.is_file() && name.ends_with(ending) {
            found.push(path);
        }
    }
}

/// Every Markdown page of the repository: its path from the root, and its text.
fn pages() -> Vec<(String, String)> {
    let (root, mut found) = (root(), Vec::new());
    files(&root, ".md", &mut found);
    found
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read_to_string(&path).unwrap())
        })
        .collect()
}

/// Code between single backquotes of each line outside code blocks, with the line's number.
fn code_spans(text: &str) -> Vec<(usize, &str)> {
    let mut fenced = false;
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && !line.starts_with("    ") {
            found.extend(line.split('`').skip(1).step_by(2).map(|code| (at + 1, code)));
        }
    }
    found
}

#[test]
fn the_walk_finds_the_pages() {
    let names: Vec<String> = pages().into_iter().map(|(name, _)| name).collect();
    for name in ["README.md", "docs/isa.md", "docs/blocks/lsa.md", "docs/tutorial/first-debug.md"] {
        assert!(names.iter().any(|n| n == name), "{name}");
    }
}
