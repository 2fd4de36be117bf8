//! Writing an export into a folder that appears whole or not at all: it is written under another
//! name beside its place and renamed. A folder that holds anything but an earlier export is left
//! alone, so no export can delete somebody's work. Wrong if two exports into one folder run at
//! once: the later rename wins or fails.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::module::{FILE_LIST, MANIFEST};

/// Tells exports of one process apart.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// A folder under construction; what is left of it goes when it is dropped.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing can be done about a failure here, and nothing depends on it.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn failed<'a>(what: &'a str, path: &'a Path) -> impl Fn(std::io::Error) -> String + 'a {
    move |e| format!("cannot {what} {}: {e}", path.display())
}

/// Writes files, by name, into a folder; replaces an earlier export in it.
///
/// # Errors
/// A failure of the file system, or a folder that holds something else, in words.
pub fn write_folder(folder: &Path, files: &[(String, String)]) -> Result<(), String> {
    let replaces = folder.exists();
    if replaces {
        check_earlier_export(folder)?;
    }
    let parent = match folder.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let scratch = Scratch(parent.join(format!(".export-{}-{number}", std::process::id())));
    let fresh = scratch.0.join("new");
    std::fs::create_dir_all(&fresh).map_err(failed("create folder", &fresh))?;
    for (name, text) in files {
        let path = fresh.join(name);
        std::fs::write(&path, text).map_err(failed("write", &path))?;
    }
    put_in_place(&fresh, folder, replaces.then(|| scratch.0.join("old")).as_deref())
}

/// Renames a finished folder to its place. An earlier export there goes to `old` first, and comes
/// back if the second rename fails: whoever owns `old` deletes it.
pub fn put_in_place(fresh: &Path, folder: &Path, old: Option<&Path>) -> Result<(), String> {
    if let Some(old) = old {
        std::fs::rename(folder, old).map_err(failed("replace", folder))?;
    }
    let placed = std::fs::rename(fresh, folder).map_err(failed("write", folder));
    if let (Err(why), Some(old)) = (&placed, old) {
        std::fs::rename(old, folder).map_err(|e| format!("{why}; the earlier export cannot be put back: {e}"))?;
    }
    placed
}

/// Writes one file under another name beside its place, then renames it; a device as it is.
///
/// # Errors
/// A failure of the file system, in words.
pub fn write_file(path: &Path, text: &str) -> Result<(), String> {
    // To rename a file to a device would replace it.
    if std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        return std::fs::write(path, text).map_err(failed("write", path));
    }
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let fresh = path.with_file_name(format!(".export-{}-{number}", std::process::id()));
    let written = std::fs::write(&fresh, text).and_then(|()| std::fs::rename(&fresh, path));
    written.map_err(|e| {
        // Nothing can be done about a failure here, and nothing depends on it.
        let _ = std::fs::remove_file(&fresh);
        failed("write", path)(e)
    })
}

/// The folder is empty or holds an earlier export and nothing else.
fn check_earlier_export(folder: &Path) -> Result<(), String> {
    let list = std::fs::read_to_string(folder.join(FILE_LIST)).unwrap_or_default();
    let ours: BTreeSet<&str> = list.lines().chain([FILE_LIST, MANIFEST]).collect();
    for entry in std::fs::read_dir(folder).map_err(failed("read", folder))? {
        let name = entry.map_err(failed("read", folder))?.file_name().to_string_lossy().into_owned();
        if !ours.contains(name.as_str()) {
            return Err(format!(
                "{} holds `{name}`, which no export wrote: give an empty or a new folder",
                folder.display()
            ));
        }
    }
    Ok(())
}
