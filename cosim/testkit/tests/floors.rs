//! The check of floors finds what it is for, in a small crate with one mistake at a time.

use std::path::Path;

use quadlock_testkit::floors::check;

const LIB: &str = "//! | [`low`] | below |\n//! | [`high`] | above |\npub mod high;\npub mod low;\n";
const HIGH: &str = "mod a;\nmod b;\npub use a::A;\npub use b::B;\n";

/// A crate whose files are the usual ones but for `changes`; what is wrong in it.
fn problems(changes: &[(&str, &str)], recursions: &[&[&str]]) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let usual = [
        ("lib.rs", LIB),
        ("low.rs", "pub struct Low;\n"),
        ("high/mod.rs", HIGH),
        ("high/a.rs", "use crate::low::Low;\npub struct A(pub Low);\n"),
        ("high/b.rs", "use super::A;\npub fn b() -> A { A(crate::low::Low) }\npub struct B;\n"),
    ];
    let write = |(name, text): &(&str, &str)| {
        let path = dir.path().join("src").join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new(""))).unwrap();
        std::fs::write(path, text).unwrap();
    };
    usual.iter().chain(changes).for_each(write);
    check(dir.path(), recursions)
}

#[test]
fn names_that_are_passed_on_are_no_circle() {
    assert_eq!(problems(&[], &[]), Vec::<String>::new());
}

#[test]
fn an_import_from_above_is_found_in_a_use_line_and_in_a_path() {
    let found = problems(&[("low.rs", "\nuse crate::high::B;\npub struct Low;\n")], &[]);
    assert!(found[0].starts_with("low.rs:2: `crate::high::B` is on floor `high`, above `low`"), "{found:?}");
    let found = problems(&[("low.rs", "pub struct Low;\nfn f() { let _ = vec![super::high::B]; }\n")], &[]);
    assert!(found[0].starts_with("low.rs:2: `crate::high::B`"), "{found:?}");
}

#[test]
fn tests_may_import_what_they_like() {
    let text = "pub struct Low;\n#[cfg(test)]\nmod tests { use crate::high::B; }\n";
    assert_eq!(problems(&[("low.rs", text)], &[]), Vec::<String>::new());
}

#[test]
fn a_circle_of_files_is_found_unless_it_is_a_recursion() {
    let circle = [("high/a.rs", "use super::B;\npub struct A(pub crate::low::Low);\nfn f(_: B) {}\n")];
    let found = problems(&circle, &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("circle of 2 files:"), "{found:?}");
    assert!(found[0].contains("high/a.rs:1 `crate::high::B`"), "{found:?}");
    let recursion: &[&[&str]] = &[&["high/a.rs", "high/b.rs"]];
    assert_eq!(problems(&circle, recursion), Vec::<String>::new());
    // One that is none any more must go from the list.
    assert_eq!(problems(&[], recursion).len(), 1);
}

#[test]
fn a_parent_and_its_child_may_be_a_circle_too() {
    let parent = "mod a;\nmod b;\npub use a::A;\npub use b::B;\npub fn all() { b::b(); }\npub struct X;\n";
    let child = "use super::{A, X};\npub fn b() -> X { X }\npub struct B(A);\n";
    let found = problems(&[("high/mod.rs", parent), ("high/b.rs", child)], &[]);
    assert!(found[0].contains("high/mod.rs:4 `crate::high::b::B`"), "{found:?}");
}

#[test]
fn a_folder_outside_the_table_is_found_and_a_row_without_folder() {
    let lib = "//! | [`low`] | below |\n//! | [`attic`] | none |\npub mod high;\npub mod low;\n";
    let found = problems(&[("lib.rs", lib)], &[]);
    assert!(found.iter().any(|f| f.contains("`attic`")), "{found:?}");
    assert!(found.iter().any(|f| f.starts_with("high/mod.rs")), "{found:?}");
}

/// A folder with a table of its own: `a` below `b`.
#[test]
fn a_folder_has_floors_of_its_own() {
    let high = format!("//! | floor | what |\n//! | --- | --- |\n//! | [`a`] | below |\n//! | [`b`] | above |\n{HIGH}");
    assert_eq!(problems(&[("high/mod.rs", &high)], &[]), Vec::<String>::new());
    let upside = high.replace("[`a`] | below |\n//! | [`b`]", "[`b`] | below |\n//! | [`a`]");
    let found = problems(&[("high/mod.rs", &upside)], &[]);
    assert_eq!(found, ["high/b.rs:1: `crate::high::A` is on floor `a`, above `b`"; 2][..found.len()]);
    assert!(!found.is_empty());
    let lost = high.replace("//! | [`b`] | above |\n", "");
    let found = problems(&[("high/mod.rs", &lost)], &[]);
    assert_eq!(found, ["high/b.rs: the table of floors in high/mod.rs does not have it"]);
}
