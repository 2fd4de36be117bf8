//! Folders of exports: one appears whole or not at all, and nothing of a user's is replaced.

use std::path::{Path, PathBuf};

use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::{build, put_in_place, write_file, write_folder, FILE_LIST, MANIFEST};

fn files(names: &[&str]) -> Vec<(String, String)> {
    let mut files: Vec<_> = names.iter().map(|n| ((*n).to_string(), format!("{n}\n"))).collect();
    files.push((FILE_LIST.into(), names.iter().map(|n| format!("{n}\n")).collect()));
    files.push((MANIFEST.into(), "{}\n".into()));
    files
}

/// A new folder for one test.
fn place(name: &str) -> PathBuf {
    let place = std::env::temp_dir().join(format!("quadlock-export-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&place);
    place
}

#[test]
fn an_export_replaces_an_earlier_one_and_nothing_else() {
    let place = place("replace");
    let folder = place.join("a/rtl");
    write_folder(&folder, &files(&["old.v", "both.v"])).unwrap();
    write_folder(&folder, &files(&["both.v"])).unwrap();
    assert!(!folder.join("old.v").exists() && folder.join("both.v").exists());
    assert_eq!(std::fs::read_dir(place.join("a")).unwrap().count(), 1, "nothing is left beside it");
    std::fs::write(folder.join("notes.txt"), "mine").unwrap();
    let error = write_folder(&folder, &files(&["both.v"])).unwrap_err();
    assert!(error.contains("notes.txt"), "{error}");
    assert!(folder.join("notes.txt").exists());
    std::fs::remove_dir_all(place).unwrap();
}

#[test]
fn a_failure_of_the_last_step_leaves_the_earlier_export() {
    let place = place("back");
    let folder = place.join("rtl");
    write_folder(&folder, &files(&["old.v"])).unwrap();
    let error = put_in_place(&place.join("not there"), &folder, Some(&place.join("old"))).unwrap_err();
    assert!(error.contains("cannot write"), "{error}");
    assert!(folder.join("old.v").exists() && !place.join("old").exists());
    std::fs::remove_dir_all(place).unwrap();
}

#[test]
fn a_file_appears_whole_or_not_at_all() {
    let place = place("file");
    std::fs::create_dir_all(place.join("taken.v")).unwrap();
    // A device is written to; by a link, so that a mistake replaces that.
    #[cfg(unix)]
    {
        let link = place.join("null.v");
        std::os::unix::fs::symlink("/dev/null", &link).unwrap();
        write_file(&link, "module\n").unwrap();
        assert!(link.is_symlink());
        std::fs::remove_file(link).unwrap();
    }
    write_file(&place.join("core.v"), "module\n").unwrap();
    assert_eq!(std::fs::read_to_string(place.join("core.v")).unwrap(), "module\n");
    assert!(write_file(&place.join("taken.v"), "module\n").unwrap_err().contains("cannot write"));
    assert_eq!(std::fs::read_dir(&place).unwrap().count(), 2, "nothing is left beside them");
    std::fs::remove_dir_all(place).unwrap();
}

#[test]
fn the_same_block_gives_the_same_bytes_in_every_file() {
    let config = GpuConfig { units: 1, ..GpuConfig::default() };
    let read = |folder: &Path| {
        let mut all: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        all.sort();
        all.iter().map(|p| (p.file_name().unwrap().to_owned(), std::fs::read(p).unwrap())).collect::<Vec<_>>()
    };
    let place = place("same");
    for name in ["one", "two"] {
        write_folder(&place.join(name), &build("quadlock", &config).unwrap().files()).unwrap();
    }
    assert_eq!(read(&place.join("one")), read(&place.join("two")));
    std::fs::remove_dir_all(place).unwrap();
}
