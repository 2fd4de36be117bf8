//! What holds for the crates of this house as texts: the floors of each, as the table in its
//! `lib.rs` says, and that every file of tests is in a test program. Here, so that it is checked
//! without building the crates.

use std::path::{Path, PathBuf};

use quadlock_testkit::floors::check;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn assert_floors(crate_dir: &str, recursions: &[&[&str]]) {
    let problems = check(&root().join(crate_dir), recursions);
    assert!(problems.is_empty(), "{crate_dir}:\n{}", problems.join("\n"));
}

#[test]
fn floors_of_the_instruction_set() {
    assert_floors("cosim/isa", &[]);
}

#[test]
fn floors_of_the_model() {
    assert_floors("cosim/golden", &[]);
}

#[test]
fn floors_of_the_harness() {
    assert_floors("cosim/harness", &[]);
}

/// Files of tests of a crate that names its test programs itself (`autotests = false`), and the
/// modules and programs that it has.
fn files_and_modules(crate_dir: &str) -> (Vec<String>, Vec<String>) {
    let dir = root().join(crate_dir);
    let manifest = std::fs::read_to_string(dir.join("Cargo.toml")).unwrap();
    assert!(manifest.contains("autotests = false"), "{crate_dir} finds its test programs by itself");
    let name = |text: &str| text.split('"').next().unwrap_or_default().to_owned();
    let mut modules: Vec<String> = manifest.split("[[test]]\nname = \"").skip(1).map(name).collect();
    for program in modules.clone() {
        let text = std::fs::read_to_string(dir.join("tests").join(program).with_extension("rs")).unwrap();
        modules.extend(text.lines().filter_map(|l| Some(l.strip_prefix("mod ")?.strip_suffix(';')?.to_owned())));
    }
    let entries = std::fs::read_dir(dir.join("tests")).unwrap().map(|e| e.unwrap().path());
    let files = entries.filter(|p| p.extension().is_some_and(|e| e == "rs"));
    (files.map(|p| p.file_stem().unwrap().to_string_lossy().into_owned()).collect(), modules)
}

#[test]
fn every_file_of_tests_is_in_a_program() {
    let (files, modules) = files_and_modules("cosim/golden");
    assert!(files.len() > 10, "{files:?}");
    let lost: Vec<&String> = files.iter().filter(|f| !modules.contains(f)).collect();
    assert!(lost.is_empty(), "cosim/golden/tests: no program has {lost:?}; add a `mod` line");
}
