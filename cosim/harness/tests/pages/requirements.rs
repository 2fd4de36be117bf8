//! The page of requirements: every row has one of three states, and every test, property and
//! planted fault that it names exists. A state other than *done* says what is missing.
//!
//! It can be wrong by taking a proof for one: whether a test shows what its row says is for the eye
//! of a reader. A name counts as one of a test if it has two underscores or more.

use std::collections::BTreeSet;

use quadlock::simulate::AnyFault;

use crate::{files, root};

/// A row: its id, the line it is on, and its cells.
struct Row<'a> {
    line: usize,
    cells: Vec<&'a str>,
}

/// The rows of a table of requirements, `| WW-1 | ... |`.
fn rows(text: &str) -> Vec<Row<'_>> {
    let is_id = |cell: &str| {
        let parts = cell.split_once('-');
        parts.is_some_and(|(page, number)| page.len() == 2 && number.parse::<u32>().is_ok())
    };
    let lines = text.lines().enumerate().filter_map(|(at, line)| {
        let cells: Vec<&str> = line.strip_prefix('|')?.split('|').map(str::trim).collect();
        is_id(cells[0]).then_some(Row { line: at + 1, cells })
    });
    lines.collect()
}

/// Names of tests and properties in a cell: those with two underscores or more, without the star
/// that stands for several.
fn tests_of(cell: &str) -> impl Iterator<Item = &str> {
    let names = cell.split('`').skip(1).step_by(2).map(|name| name.trim_end_matches('*'));
    names.filter(|name| {
        let plain = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        plain && name.matches('_').count() >= 2
    })
}

/// Names of faults in a cell: those in the list behind the word *planted*.
fn faults_of(cell: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for list in cell.split("planted ").skip(1) {
        let mut parts = list.split('`');
        // Between two names of a list is a comma or an `and`.
        let mut between = parts.next();
        while between.is_some_and(|text| ["", ", ", " and "].contains(&text)) {
            found.extend(parts.next());
            between = parts.next();
        }
    }
    found
}

/// What is wrong with the rows of the page. `sources` is the text of all sources.
fn wrong(text: &str, sources: &str, faults: &BTreeSet<&str>) -> Vec<String> {
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    for Row { line, cells } in rows(text) {
        let id = cells[0];
        let mut tell = |what: String| found.push(format!("docs/requirements.md:{line}: {id}: {what}"));
        if !seen.insert(id) {
            tell("is there twice".into());
        }
        let state = cells.get(1).copied().unwrap_or_default();
        let is_part = state.strip_prefix("part: ").is_some_and(|missing| !missing.is_empty());
        let is_done = state == "done" || ["done;", "done:", "done."].iter().any(|done| state.starts_with(done));
        if !(is_part || is_done || state == "open") {
            tell(format!("the state is `{state}`: write done, `part: what is missing`, or open"));
        }
        for cell in cells.iter().skip(2) {
            let lost = tests_of(cell).filter(|name| !sources.contains(name));
            lost.for_each(|name| tell(format!("no test {name}")));
            for name in faults_of(cell) {
                let known = match name.strip_suffix('*') {
                    Some(start) => faults.iter().any(|fault| fault.starts_with(start)),
                    None => faults.contains(name),
                };
                if !known {
                    tell(format!("no planted fault {name}"));
                }
            }
        }
    }
    found
}

#[test]
fn proofs_of_requirements_exist() {
    let (root, mut paths) = (root(), Vec::new());
    [".rs", ".sv", ".svh"].iter().for_each(|ending| files(&root, ending, &mut paths));
    // This file names tests that do not exist.
    paths.retain(|path| !path.ends_with("pages/requirements.rs"));
    let sources: String = paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let all = AnyFault::all();
    let faults: BTreeSet<&str> = all.iter().map(|(_, _, name, _)| *name).collect();
    let text = std::fs::read_to_string(root.join("docs/requirements.md")).unwrap();
    assert_eq!(rows(&text).len(), 123, "as many as the specification has requirements");
    let wrong = wrong(&text, &sources, &faults);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_row_without_proof_is_noticed() {
    let faults = BTreeSet::from(["one-fault", "two-fault"]);
    let text =
        "| id | state |\n|---|---|\n| AA-1 | done | `a.rs` | `there_it_is`, planted `one-fault`, `two-*` and `x` |\n\
                | AA-2 | partly | | `not_here_now` |\n| AA-1 | part: more | | planted faults of `y` |\n";
    let found = wrong(text, "fn there_it_is() {}", &faults);
    let parts =
        ["3: AA-1: no planted fault x", "4: AA-2: the state is", "4: AA-2: no test not_here_now", "5: AA-1: is there"];
    assert_eq!(found.len(), parts.len(), "{found:?}");
    for (seen, part) in found.iter().zip(parts) {
        assert!(seen.starts_with(&format!("docs/requirements.md:{part}")), "{seen}");
    }
}
