//! The crate's files import from the floors below them, and nothing goes round.

use std::path::Path;

#[test]
fn files_import_from_the_floors_below() {
    let problems = quadlock_testkit::floors::check(Path::new(env!("CARGO_MANIFEST_DIR")), &[]);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
