//! The folders of the RTL as floors: none imports from one above it, and no files import each other
//! in a circle. The order is the table in `lib.rs`.

use std::path::Path;

#[test]
fn every_import_is_from_below_and_no_files_make_a_circle() {
    let found = quadlock_testkit::floors::check(Path::new(env!("CARGO_MANIFEST_DIR")), &[]);
    assert!(found.is_empty(), "{}", found.join("\n"));
}
