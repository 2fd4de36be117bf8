//! The floors of the crates of this house, each as the table in its `lib.rs` says. Here, so that they are checked
//! without building the crates.

use std::path::Path;

use quadlock_testkit::floors::check;

fn assert_floors(crate_dir: &str, recursions: &[&[&str]]) {
    let problems = check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(crate_dir), recursions);
    assert!(problems.is_empty(), "{crate_dir}:\n{}", problems.join("\n"));
}

#[test]
fn harness() {
    assert_floors("cosim/harness", &[]);
}
