//! What holds for the crates of this house as texts: the floors of each, as the table in its
//! `lib.rs` says, and that every file of tests is in a test program. Here, so that it is checked
//! without building the crates.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use quadlock_testkit::floors::check;
use quote::ToTokens;

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
fn floors_of_the_text_of_the_rtl() {
    assert_floors("hdl/text", &[]);
}

#[test]
fn floors_of_the_harness() {
    assert_floors("cosim/harness", &[]);
}

/// What is wrong with the test programs of a crate that names them itself (`autotests = false`):
/// files below `tests` that no program has as a module.
fn lost_tests(dir: &Path) -> Vec<String> {
    let manifest = std::fs::read_to_string(dir.join("Cargo.toml")).unwrap();
    if !manifest.contains("\nautotests = false\n") {
        return vec![format!("{} finds its test programs by itself", dir.display())];
    }
    let tests = dir.join("tests");
    let mut found = BTreeSet::new();
    for entry in manifest.split("[[test]]\n").skip(1) {
        let value = |key: &str| {
            let text = entry.lines().find_map(|l| l.strip_prefix(key)?.strip_prefix(" = \""))?;
            text.strip_suffix('"').map(str::to_owned)
        };
        let name = value("name").unwrap();
        let root = dir.join(value("path").unwrap_or_else(|| format!("tests/{name}.rs")));
        read_module(root.clone(), root.parent().unwrap(), &mut found);
    }
    let mut files = Vec::new();
    rust_files(&tests, &mut files);
    files.retain(|f| !found.contains(f));
    files.iter().map(|f| format!("{} is in no test program; add a `mod` line", f.display())).collect()
}

/// Adds the file of a module and those of its modules, which are in `folder`.
fn read_module(file: PathBuf, folder: &Path, found: &mut BTreeSet<PathBuf>) {
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let items = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display())).items;
    let own = file.parent().unwrap().to_owned();
    found.insert(file);
    read_items(&items, &own, folder, found);
}

/// The modules among `items`. A `path` attribute is relative to `own`, the folder of the file.
fn read_items(items: &[syn::Item], own: &Path, folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for item in items {
        let syn::Item::Mod(module) = item else { continue };
        let name = module.ident.to_string();
        if let Some((_, items)) = &module.content {
            read_items(items, own, &folder.join(name), found);
            continue;
        }
        let path = module.attrs.iter().find_map(|a| match &a.meta {
            syn::Meta::NameValue(m) if m.path.is_ident("path") => Some(m.value.to_token_stream().to_string()),
            _ => None,
        });
        match path {
            Some(path) => read_module(own.join(path.trim_matches('"')), own, found),
            None if folder.join(&name).join("mod.rs").exists() => {
                read_module(folder.join(&name).join("mod.rs"), &folder.join(&name), found);
            }
            None => read_module(folder.join(&name).with_extension("rs"), &folder.join(&name), found),
        }
    }
}

/// Every Rust file of the folder and those below.
fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn every_file_of_tests_is_in_a_program() {
    for dir in ["cosim/glsl", "cosim/golden", "cosim/harness", "cosim/lavapipe", "cosim/rtlsim", "cosim/shader", "hdl"]
    {
        let lost = lost_tests(&root().join(dir));
        assert!(lost.is_empty(), "{dir}:\n{}", lost.join("\n"));
    }
}

#[test]
fn a_file_of_tests_in_no_program_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let manifest = "[package]\nautotests = false\n\n[[test]]\nname = \"all\"\n\n[[test]]\nname = \"other\"\npath = \"tests/other/main.rs\"\n";
    write("Cargo.toml", manifest);
    write("tests/all.rs", "#[path = \"far/b.rs\"]\nmod b;\nmod a;\nmod kit {\n    pub mod bench;\n}\n");
    for (file, text) in [("a/mod.rs", "mod inner;\n"), ("other/main.rs", "mod part;\n")] {
        write(&format!("tests/{file}"), text);
    }
    for file in ["a/inner.rs", "far/b.rs", "kit/bench.rs", "other/part.rs"] {
        write(&format!("tests/{file}"), "");
    }
    assert_eq!(lost_tests(dir.path()), Vec::<String>::new());
    write("tests/lost.rs", "");
    write("tests/other/lost.rs", "");
    assert_eq!(lost_tests(dir.path()).len(), 2);
    write("Cargo.toml", &manifest.replace("autotests = false\n", ""));
    assert!(lost_tests(dir.path())[0].contains("by itself"));
}
