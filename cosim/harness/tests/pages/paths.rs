//! Every file and folder of the repository that a page names in `code` exists. A page names it by
//! its whole path from the root; a name without a folder is that of some file.
//!
//! It can be wrong by not seeing a path: a name counts as one if it ends like a file, ends with `/`
//! or begins with a folder of the root, and has no other signs than those of names.

use std::collections::BTreeSet;
use std::path::Path;

use crate::{code_spans, pages, root};

/// Endings of the files that pages name.
const ENDINGS: &[&str] = &[
    "comp", "frag", "glsl", "json", "lock", "md", "png", "py", "qasm", "rs", "sh", "sv", "svg", "svh", "toml", "vert",
    "vlt", "wgsl",
];

/// Endings of sources. A source that a page names without its folder exists somewhere.
const SOURCES: &[&str] = &["py", "rs", "sv", "svh"];

/// Where files are that commands make, and what is no path from the root.
const ELSEWHERE: &[&str] = &["out/", "target/", "/", "./", "../", "~/"];

fn ending(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// A path that should exist, without the item of Rust after `::`. The files named `toy` on pages of
/// howtos are those that the reader adds.
fn path_of<'a>(code: &'a str, folders: &BTreeSet<String>) -> Option<&'a str> {
    let name = code.split("::").next().unwrap_or(code);
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-/".contains(c));
    if !plain || ELSEWHERE.iter().any(|start| name.starts_with(start)) {
        return None;
    }
    let last = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name);
    if last.starts_with("toy.") {
        return None;
    }
    let Some((first, _)) = name.split_once('/') else {
        return SOURCES.contains(&ending(name)).then_some(name);
    };
    let is_path = name.ends_with('/') || ENDINGS.contains(&ending(last)) || folders.contains(first);
    is_path.then_some(name)
}

/// Folders of the root, without those of builds.
fn folders_of(root: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap());
    let folders = entries.filter(|entry| entry.path().is_dir());
    let names = folders.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| !["out", "target"].contains(&name.as_str()) && name != ".git").collect()
}

/// Names of all sources.
fn sources_of(root: &Path) -> BTreeSet<String> {
    let mut found = Vec::new();
    for end in SOURCES {
        crate::files(root, &format!(".{end}"), &mut found);
    }
    found.iter().filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect()
}

/// Paths of a page that do not exist, with their lines.
fn lost(page: &str, text: &str, root: &Path, folders: &BTreeSet<String>, sources: &BTreeSet<String>) -> Vec<String> {
    // A README may name what stands beside it.
    let beside = root.join(page);
    let beside = beside.parent().filter(|_| page.ends_with("README.md") && !page.starts_with("docs/"));
    let below = |name: &str| root.join(name).exists() || beside.is_some_and(|folder| folder.join(name).exists());
    let exists = |name: &str| if name.contains('/') { below(name) } else { sources.contains(name) };
    let paths = code_spans(text).into_iter().filter_map(|(line, code)| Some((line, path_of(code, folders)?)));
    paths.filter(|(_, name)| !exists(name)).map(|(line, name)| format!("{page}:{line}: no {name}")).collect()
}

#[test]
fn paths_on_pages_exist() {
    let root = root();
    let (folders, sources) = (folders_of(&root), sources_of(&root));
    // The log of changes names files as they were; the foreign designs have pages of their own.
    let pages = pages().into_iter().filter(|(page, _)| page != "CHANGELOG.md" && !page.contains("/foreign/"));
    let lost: Vec<String> = pages.flat_map(|(page, text)| lost(&page, &text, &root, &folders, &sources)).collect();
    assert!(lost.is_empty(), "a page names what does not exist (write the path from the root):\n{}", lost.join("\n"));
}

#[test]
fn a_path_to_nowhere_is_noticed() {
    let root = root();
    let (folders, sources) = (folders_of(&root), sources_of(&root));
    let text = "`hdl/src/lib.rs` `hdl/src/gone.rs`\n`passes/mod.rs::run` `gone/` `a/b` `out/x.png` `hdl/toy.rs`\n\
                ```\n`hdl/no.rs`\n```\n    `hdl/no.rs`\n`lib.rs` `gone_for_good.rs` `hdl/none` `x.toml`\n";
    let found = lost("p.md", text, &root, &folders, &sources);
    let want =
        ["1: no hdl/src/gone.rs", "2: no passes/mod.rs", "2: no gone/", "7: no gone_for_good.rs", "7: no hdl/none"];
    assert_eq!(found, want.map(|what| format!("p.md:{what}")));
}
