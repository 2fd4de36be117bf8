//! A hash of source files, for build scripts: results of a crate are kept under the hash of the
//! sources that the crate was compiled from. Paths and contents of all files count, in the order of
//! their paths, so that a file that is renamed, added or removed changes the hash. Wrong if a file
//! that the crate is compiled from is in none of the places named; the crate's test compares the
//! places with what its files include.

use std::path::{Path, PathBuf};

use crate::key::{Key, KeyBuilder};

/// All files of a folder and below, or the file itself, in the order of their paths.
///
/// # Errors
/// A place that cannot be read, in words.
pub fn files(place: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |e: std::io::Error| format!("cannot read {}: {e}", place.display());
    if !place.is_dir() {
        return place.metadata().map(|_| vec![place.to_owned()]).map_err(failed);
    }
    let entries = std::fs::read_dir(place).map_err(failed)?;
    let mut paths = entries.map(|e| e.map(|e| e.path())).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    paths.sort();
    let inside = paths.iter().map(|p| files(p)).collect::<Result<Vec<_>, _>>()?;
    Ok(inside.concat())
}

/// The hash of the files of some places, which are relative to `root`.
///
/// # Errors
/// A place that cannot be read, in words.
pub fn hash(root: &Path, places: &[&str]) -> Result<Key, String> {
    let mut key = Key::builder();
    for place in places {
        for file in files(&root.join(place))? {
            key = add(key, root, &file)?;
        }
    }
    Ok(key.finish())
}

fn add(key: KeyBuilder, root: &Path, file: &Path) -> Result<KeyBuilder, String> {
    let text = std::fs::read(file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
    let name = file.strip_prefix(root).unwrap_or(file);
    Ok(key.part(&name.to_string_lossy(), text))
}

/// What a build script does with it: prints the hash as the environment variable `variable` of the
/// crate's compilation, and the places, so that a change of them runs the script again.
///
/// # Errors
/// A place that cannot be read, in words.
pub fn announce(variable: &str, root: &Path, places: &[&str]) -> Result<(), String> {
    for place in places {
        println!("cargo:rerun-if-changed={}", root.join(place).display());
    }
    println!("cargo:rustc-env={variable}={}", hash(root, places)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_any_file_is_another_hash() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        let write = |name: &str, text: &str| {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), text).unwrap();
        };
        write("src/a.rs", "fn a() {}\n");
        write("src/deep/b.rs", "fn b() {}\n");
        write("lock", "1");
        write("tests/t.rs", "");
        let now = || hash(root, &["src", "lock"]).unwrap();
        let first = now();
        assert_eq!(first, now());
        write("tests/t.rs", "not looked at");
        assert_eq!(first, now());
        let mut seen = vec![first];
        for (name, text) in [("src/deep/b.rs", "fn b() { }\n"), ("lock", "2"), ("src/c.rs", "")] {
            write(name, text);
            assert!(!seen.contains(&now()), "{name}");
            seen.push(now());
        }
        std::fs::rename(root.join("src/c.rs"), root.join("src/d.rs")).unwrap();
        assert!(!seen.contains(&now()));
        assert!(hash(root, &["nowhere"]).unwrap_err().contains("nowhere"));
    }
}
