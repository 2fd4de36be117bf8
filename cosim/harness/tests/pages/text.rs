//! Links lead to files and headings that exist, `make` targets and tests exist, lines are at most
//! 100 characters, README is short.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use crate::{pages, root};

/// Longest line of a page, in characters.
const LONGEST: usize = 100;
/// Longest README, in lines.
const README: usize = 60;

/// The lines outside code blocks; those inside become empty.
fn prose(text: &str) -> Vec<&str> {
    let mut code = false;
    text.lines()
        .map(|line| {
            let fence = line.trim_start().starts_with("```");
            code ^= fence;
            if code || fence {
                ""
            } else {
                line
            }
        })
        .collect()
}

/// The anchors of a page's headings, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    prose(text)
        .into_iter()
        .filter(|line| line.starts_with('#'))
        .map(|line| {
            let heading = line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
            heading.chars().filter(|c| c.is_alphanumeric() || *c == '-' || *c == '_').collect()
        })
        .collect()
}

/// The targets of the links of a page, without those to other sites.
fn links(text: &str) -> Vec<String> {
    let text = prose(text).join("\n");
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|link| !link.contains("://") && !link.contains(char::is_whitespace))
        .map(str::to_owned)
        .collect()
}

/// What is wrong with a link of `page`, if anything. `text_of` gives the text of another page.
fn broken(page: &str, own: &str, link: &str, root: &Path) -> Option<String> {
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let mut path = PathBuf::new();
    for part in Path::new(page).parent().unwrap().join(file).components() {
        if part == Component::ParentDir {
            path.pop();
        } else {
            path.push(part);
        }
    }
    let target = root.join(&path);
    if !file.is_empty() && !target.exists() {
        return Some(format!("{page}: no file {link}"));
    }
    if anchor.is_empty() {
        return None;
    }
    let text = if file.is_empty() { own.to_owned() } else { std::fs::read_to_string(&target).ok()? };
    (!anchors(&text).contains(anchor)).then(|| format!("{page}: no heading {link}"))
}

#[test]
fn every_link_leads_somewhere() {
    let root = root();
    let mut wrong = Vec::new();
    for (page, text) in pages() {
        wrong.extend(links(&text).iter().filter_map(|link| broken(&page, &text, link, &root)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_link_to_nowhere_is_noticed() {
    let text = "# A page\n[a](no.md) [b](README.md#no) [c](#a-page)\n```\n[d](x.md)\n```\n";
    assert_eq!(links(text), ["no.md", "README.md#no", "#a-page"]);
    let root = root();
    let wrong: Vec<_> = links(text).iter().filter_map(|link| broken("x.md", text, link, &root)).collect();
    assert_eq!(wrong.len(), 2, "{wrong:?}");
}

/// Lines that are too long, with their numbers. A table, a code block and a link take what they
/// need.
fn long_lines(text: &str) -> Vec<usize> {
    prose(text)
        .into_iter()
        .enumerate()
        .filter(|(_, line)| line.chars().count() > LONGEST)
        .filter(|(_, line)| !line.trim_start().starts_with('|') && !line.starts_with("    ") && !line.contains("]("))
        .map(|(number, _)| number + 1)
        .collect()
}

#[test]
fn lines_of_pages_are_short() {
    let mut long = Vec::new();
    for (page, text) in pages() {
        long.extend(long_lines(&text).into_iter().map(|line| format!("{page}:{line}")));
    }
    assert!(long.is_empty(), "more than {LONGEST} characters:\n{}", long.join("\n"));
    assert_eq!(long_lines(&format!("short\n{}\n| {} |", "x".repeat(101), "x".repeat(101))), [2]);
}

#[test]
fn readme_is_one_screen() {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    assert!(text.lines().count() <= README, "README.md has {} lines", text.lines().count());
}

#[test]
fn every_make_target_on_a_page_exists() {
    let makefile = std::fs::read_to_string(root().join("Makefile")).unwrap();
    let targets: BTreeSet<&str> =
        makefile.lines().filter_map(|line| line.split_once(':')).map(|(name, _)| name).collect();
    let mut wrong = Vec::new();
    for (page, text) in pages() {
        for part in text.split(['`', '\n']) {
            let part = part.trim_start_matches("$ ").trim();
            let Some(target) = part.strip_prefix("make ").and_then(|rest| rest.split_whitespace().next()) else {
                continue;
            };
            let command = text.contains(&format!("`make {target}")) || text.contains(&format!("    make {target}"));
            if command && target.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !targets.contains(target) {
                wrong.push(format!("{page}: make {target}"));
            }
        }
    }
    assert!(wrong.is_empty(), "no such target:\n{}", wrong.join("\n"));
}

/// What a command of a page picks among the tests that is not there: programs (`--test NAME`) and
/// files (`NAME::`).
fn lost_tests(page: &str, text: &str, root: &Path) -> Vec<String> {
    let crates = [
        "cosim/glsl",
        "cosim/golden",
        "cosim/harness",
        "cosim/isa",
        "cosim/lavapipe",
        "cosim/rtlsim",
        "cosim/shader",
        "cosim/testkit",
        "hdl",
    ];
    let commands = text.split(['`', '\n']).filter(|part| part.trim().starts_with("cargo "));
    let mut wrong = Vec::new();
    for command in commands {
        let words: Vec<&str> = command.split_whitespace().collect();
        for (at, word) in words.iter().enumerate() {
            let known = |file: String| crates.iter().any(|c| root.join(c).join("tests").join(&file).exists());
            let there = match word.strip_suffix("::") {
                Some(name) => known(format!("{name}.rs")) || known(format!("{name}/mod.rs")),
                None if at > 0 && words[at - 1] == "--test" => {
                    known(format!("{word}.rs")) || known(format!("{word}/main.rs"))
                }
                None => true,
            };
            wrong.extend((!there).then(|| format!("{page}: {word}")));
        }
    }
    wrong
}

#[test]
fn tests_that_pages_run_exist() {
    let root = root();
    let wrong: Vec<String> = pages().iter().flat_map(|(page, text)| lost_tests(page, text, &root)).collect();
    assert!(wrong.is_empty(), "no such tests:\n{}", wrong.join("\n"));
    let text = "`cargo nextest run -p x --test must_fail waves::`\n    cargo nextest run -p x lost:: --test gone\n";
    assert_eq!(lost_tests("p", text, &root), ["p: lost::", "p: gone"]);
}
