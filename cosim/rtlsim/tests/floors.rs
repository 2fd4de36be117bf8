//! The crate's files import from the floors below them, and only one recursion goes round.

use std::path::Path;

/// Adding a node simplifies it, and a simpler form is made by adding nodes.
const SIMPLIFICATION: &[&str] = &[
    "passes/builder.rs",
    "passes/simplify/arith.rs",
    "passes/simplify/bitwise.rs",
    "passes/simplify/compare.rs",
    "passes/simplify/mod.rs",
    "passes/simplify/select.rs",
    "passes/simplify/structure.rs",
];

#[test]
fn files_import_from_the_floors_below() {
    let problems = quadlock_testkit::floors::check(Path::new(env!("CARGO_MANIFEST_DIR")), &[SIMPLIFICATION]);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
