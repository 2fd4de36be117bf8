//! `quadlock export`: the Verilog of the core or of one block in a folder, one file per module with a file list and a manifest. The folder appears whole or
//! not at all: it is written under another name beside its place and renamed. A folder that holds anything but an earlier export is left alone, so the
//! command cannot delete somebody's work. Wrong if two exports into one folder run at once: the later rename wins or fails.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::{build, FILE_LIST, MANIFEST, TOPS};

use super::{print, Outcome};
use crate::error::{bad, io, Input};
use crate::files::write_atomic;

#[derive(Args, Debug)]
pub struct ExportArgs {
    /// Folder to write: NAME.v per module, files.f, manifest.json; an earlier export in it is replaced
    #[arg(long, value_name = "DIR", default_value = "out/rtl")]
    out: PathBuf,
    /// Block to export: quadlock is the whole core
    #[arg(long, value_name = "BLOCK", default_value = "quadlock")]
    top: String,
    /// Change a build parameter: units (1 to 8), warps (2 to 16), icache_lines, shared_words, trace (on, off), fault
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// List the blocks instead
    #[arg(long)]
    list: bool,
}

pub fn export(args: &ExportArgs) -> Input<Outcome> {
    if args.list {
        print(&TOPS.iter().map(|(name, what)| format!("{name:<20}{what}\n")).collect::<String>());
        return Ok(Outcome::Pass);
    }
    let mut config = GpuConfig::default();
    for set in &args.set {
        let Some((key, value)) = set.split_once('=') else {
            return bad(format!("--set {set}: not KEY=VALUE"), "for example --set units=1");
        };
        config.set(key, value).or_else(|e| bad(format!("--set {set}: {e}"), "correct the setting"))?;
    }
    config.check().or_else(|e| bad(e, "correct --set"))?;
    let known: Vec<&str> = TOPS.iter().map(|t| t.0).collect();
    let block = build(&args.top, &config).or_else(|e| bad(e, format!("blocks: {}", known.join(", "))))?;
    write_folder(&args.out, &block.files())?;
    let lines: usize = block.modules.iter().map(|m| m.text.lines().count()).sum();
    print(&format!("{}: {} modules, {lines} lines\n", args.out.display(), block.modules.len()));
    Ok(Outcome::Pass)
}

/// Writes files into a folder that appears whole or not at all.
fn write_folder(folder: &Path, files: &[(String, String)]) -> Input<()> {
    let old = if folder.exists() { Some(earlier_export(folder)?) } else { None };
    let parent = match folder.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(parent).map_err(|e| io(parent, "create folder", &e))?;
    let scratch =
        tempfile::Builder::new().prefix(".export-").tempdir_in(parent).map_err(|e| io(parent, "write", &e))?;
    let fresh = scratch.path().join("new");
    for (name, text) in files {
        write_atomic(&fresh.join(name), text.as_bytes())?;
    }
    // The scratch folder takes the old export with it when it is dropped.
    if old.is_some() {
        std::fs::rename(folder, scratch.path().join("old")).map_err(|e| io(folder, "replace", &e))?;
    }
    std::fs::rename(&fresh, folder).map_err(|e| io(folder, "write", &e))
}

/// Checks that the folder is empty or holds an earlier export and nothing else.
fn earlier_export(folder: &Path) -> Input<()> {
    let entries = std::fs::read_dir(folder).map_err(|e| io(folder, "read", &e))?;
    let present: Vec<String> = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    let list = std::fs::read_to_string(folder.join(FILE_LIST)).unwrap_or_default();
    let ours: BTreeSet<&str> = list.lines().chain([FILE_LIST, MANIFEST]).collect();
    match present.iter().find(|p| !ours.contains(p.as_str())) {
        None => Ok(()),
        Some(foreign) => bad(
            format!("{} holds `{foreign}`, which no export wrote", folder.display()),
            "give an empty or a new folder with --out",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &[&str]) -> Vec<(String, String)> {
        let mut files: Vec<_> = names.iter().map(|n| ((*n).to_string(), format!("{n}\n"))).collect();
        files.push((FILE_LIST.into(), names.iter().map(|n| format!("{n}\n")).collect()));
        files.push((MANIFEST.into(), "{}\n".into()));
        files
    }

    #[test]
    fn an_export_replaces_an_earlier_one_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("a/rtl");
        write_folder(&folder, &files(&["old.v", "both.v"])).unwrap();
        write_folder(&folder, &files(&["both.v"])).unwrap();
        assert!(!folder.join("old.v").exists() && folder.join("both.v").exists());
        assert_eq!(std::fs::read_dir(place.path().join("a")).unwrap().count(), 1, "nothing is left beside it");
        std::fs::write(folder.join("notes.txt"), "mine").unwrap();
        let error = write_folder(&folder, &files(&["both.v"])).unwrap_err();
        assert!(error.to_string().contains("notes.txt"), "{error}");
        assert!(folder.join("notes.txt").exists());
    }

    #[test]
    fn the_same_block_gives_the_same_bytes_in_every_file() {
        let config = GpuConfig { units: 1, ..GpuConfig::default() };
        let read = |folder: &Path| {
            let mut all: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
            all.sort();
            all.iter().map(|p| (p.file_name().unwrap().to_owned(), std::fs::read(p).unwrap())).collect::<Vec<_>>()
        };
        let place = tempfile::tempdir().unwrap();
        for name in ["one", "two"] {
            write_folder(&place.path().join(name), &build("quadlock", &config).unwrap().files()).unwrap();
        }
        assert_eq!(read(&place.path().join("one")), read(&place.path().join("two")));
    }
}
