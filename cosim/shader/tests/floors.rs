//! The crate's files import from the floors below them, and nothing goes round.

use std::path::{Path, PathBuf};

#[test]
fn files_import_from_the_floors_below() {
    let problems = quadlock_testkit::floors::check(Path::new(env!("CARGO_MANIFEST_DIR")), &[]);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn rust_files(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => rust_files(&path, out),
            false => out.push(path),
        }
    }
}

/// `front/emit` is what every front end shares, so the IR of one of them is not known there.
#[test]
fn the_shared_part_of_the_front_ends_does_not_know_naga() {
    let mut files = vec![];
    rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/front/emit"), &mut files);
    assert!(!files.is_empty());
    let naga = |f: &PathBuf| std::fs::read_to_string(f).unwrap().contains("naga::");
    let named: Vec<PathBuf> = files.into_iter().filter(naga).collect();
    assert!(named.is_empty(), "naga is named in {named:?}");
}
