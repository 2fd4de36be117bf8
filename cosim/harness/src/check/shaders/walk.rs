//! The shaders of a folder and of the folders in it, sorted by path.
//!
//! Links are followed. A folder that several paths lead to is walked once, by the first of them, so
//! a circle of links ends.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use quadlock_shader::front::Lang;

use crate::base::error::{bad, io, Input};

/// What a folder has.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Shaders by their path below the folder, sorted.
    pub shaders: Vec<PathBuf>,
    /// Files of other kinds.
    pub ignored: usize,
    /// Folders that cannot be listed, below the folder, and why.
    pub closed: Vec<(PathBuf, String)>,
}

/// The language of a shader by its name; of GLSL the name says the stage too. A plain `.glsl` may
/// be a part that others include, and does not count.
pub fn language(path: &Path) -> Option<Lang> {
    let lang = Lang::from_path(&path.to_string_lossy())?;
    let plain = |p: &Path| p.extension().is_some_and(|e| e.eq_ignore_ascii_case("glsl"));
    match plain(path) && Lang::from_path(&path.with_extension("").to_string_lossy()).is_none() {
        true => None,
        false => Some(lang),
    }
}

/// The shaders below a folder.
///
/// # Errors
/// It is no folder, or cannot be listed.
pub fn shaders(folder: &Path) -> Input<Found> {
    let kind = std::fs::metadata(folder).map_err(|e| io(folder, "read", &e))?;
    if !kind.is_dir() {
        return bad(format!("{} is no folder", folder.display()), "name the folder that the shaders are in");
    }
    std::fs::read_dir(folder).map_err(|e| io(folder, "list", &e))?;
    let (mut found, mut seen) = (Found::default(), HashSet::new());
    let mut open = vec![PathBuf::new()];
    // Depth first in the order of names, so that a folder with several paths has always the same.
    while let Some(here) = open.pop() {
        let full = folder.join(&here);
        let entries = full.canonicalize().and_then(|real| match seen.insert(real) {
            true => std::fs::read_dir(&full).and_then(Iterator::collect::<Result<Vec<_>, _>>),
            false => Ok(vec![]),
        });
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(e) => {
                found.closed.push((here, e.to_string()));
                continue;
            }
        };
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries.into_iter().rev() {
            let path = here.join(entry.file_name());
            // A link to nothing with a shader's name is a shader that cannot be read.
            if folder.join(&path).is_dir() {
                open.push(path);
            } else if language(&path).is_some() {
                found.shaders.push(path);
            } else {
                found.ignored += 1;
            }
        }
    }
    found.shaders.sort();
    found.closed.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_language_and_stage() {
        for name in ["a.wgsl", "a.comp", "a.vert", "a.frag", "A.SPV", "a.comp.glsl", "a.asm.frag"] {
            assert!(language(Path::new(name)).is_some(), "{name}");
        }
        for name in ["a.glsl", "a.geom", "a.txt", "wgsl", "a.comp.bak", "comp"] {
            assert!(language(Path::new(name)).is_none(), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_circles_end() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        std::fs::create_dir_all(at("b/c")).unwrap();
        std::fs::create_dir_all(at("a")).unwrap();
        for name in ["b/c/x.wgsl", "b/y.comp", "b/readme.txt"] {
            std::fs::write(at(name), "").unwrap();
        }
        symlink(at("b"), at("a/b")).unwrap();
        symlink(at("a"), at("b/c/a")).unwrap();
        symlink("nothing", at("gone.spv")).unwrap();
        let found = shaders(dir.path()).unwrap();
        let want: Vec<PathBuf> = ["a/b/c/x.wgsl", "a/b/y.comp", "gone.spv"].map(PathBuf::from).into();
        assert_eq!(found, Found { shaders: want, ignored: 1, closed: vec![] });
        assert!(shaders(&at("b/y.comp")).unwrap_err().to_string().contains("is no folder"));
        assert!(shaders(&at("none")).unwrap_err().to_string().contains("cannot read"));
    }
}
