//! Files that a user names. Inputs are regular files of a bounded length: a device or a pipe has no
//! end, and reading one would never return. Output files appear whole or not at all: everything is
//! written to a temporary file in the target's folder and renamed. A run that is interrupted leaves
//! the earlier output untouched, and no temporary file ([`Unfinished`]). Outputs that a job names
//! stay below the folder of its outputs ([`below`]).

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::NamedTempFile;

use crate::base::error::{bad, io, Input};

/// Most bytes of a text: a job, a shader, a program, a state of progress.
pub const MOST_TEXT: u64 = 1 << 24;

/// Opens a regular file for reading.
///
/// # Errors
/// There is none of that name, or it is a folder, a device or a pipe.
pub fn open(path: &Path) -> Input<File> {
    let kind = std::fs::metadata(path).map_err(|e| io(path, "read", &e))?;
    if !kind.is_file() {
        let what = if kind.is_dir() { "a folder" } else { "a device or a pipe, which has no end that could be known" };
        return bad(format!("cannot read {}: it is {what}", path.display()), "give a regular file");
    }
    without_waiting().open(path).map_err(|e| io(path, "read", &e))
}

/// Linux shows messages of the kernel as regular files whose reader waits for more (`/proc/kmsg`).
/// Opened like this it is told that there is no more.
#[cfg(target_os = "linux")]
fn without_waiting() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    const O_NONBLOCK: i32 = 0o4000;
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(O_NONBLOCK);
    options
}

#[cfg(not(target_os = "linux"))]
fn without_waiting() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    options
}

/// The contents of a regular file of at most that many bytes.
///
/// # Errors
/// As [`open`], or the file is longer.
pub fn read(path: &Path, most: u64) -> Input<Vec<u8>> {
    let mut bytes = Vec::new();
    // One byte more than allowed tells a longer file, also one that grows.
    open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|e| io(path, "read", &e))?;
    if bytes.len() as u64 > most {
        let what = format!("cannot read {}: it has more than the {most} bytes that it may have", path.display());
        return bad(what, "give a shorter file");
    }
    Ok(bytes)
}

/// The text of a regular file of at most [`MOST_TEXT`] bytes.
///
/// # Errors
/// As [`read`], or the file is not UTF-8.
pub fn read_text(path: &Path) -> Input<String> {
    let text = String::from_utf8(read(path, MOST_TEXT)?);
    text.or_else(|_| bad(format!("cannot read {}: it is not UTF-8 text", path.display()), "save it as UTF-8"))
}

/// Whether a path names a file below a folder without leaving it: no absolute path, no `..`.
pub fn stays_below(path: &Path) -> bool {
    let down = |c: Component| matches!(c, Component::Normal(_) | Component::CurDir);
    path.components().all(down) && path.file_name().is_some()
}

/// The file `path` below `folder`, neither of which need exist, and the file that it really is: two
/// paths to one file, by links or written in two ways, have the same.
///
/// # Errors
/// The path, or a symbolic link on it, leads out of the folder, or no file can be there.
pub fn below(folder: &Path, path: &Path) -> Input<(PathBuf, PathBuf)> {
    let help = "an output of a job is a file in the folder of its outputs";
    if !stays_below(path) {
        return bad(format!("{} leads out of the folder of the outputs", path.display()), help);
    }
    let file = folder.join(plain(path));
    if file.is_dir() && !file.is_symlink() {
        return bad(format!("{} is a folder", file.display()), help);
    }
    let parent = file.parent().unwrap_or(folder);
    // Links can only be where something exists.
    let deepest = parent.ancestors().take_while(|p| p.starts_with(folder)).find(|p| p.exists());
    let Some(deepest) = deepest else { return Ok((file.clone(), file)) };
    if !deepest.is_dir() {
        return bad(format!("{} would be in {}, which is no folder", file.display(), deepest.display()), help);
    }
    let real = |p: &Path| p.canonicalize().map_err(|e| io(p, "look into", &e));
    let there = real(deepest)?;
    if !there.starts_with(real(folder)?) {
        let what = format!("{}: a symbolic link leads out of the folder of the outputs", file.display());
        return bad(what, help);
    }
    let really = there.join(file.strip_prefix(deepest).unwrap_or(&file));
    Ok((file, really))
}

/// The path without what means nothing: `./x` and `a//x` are `x` and `a/x`.
pub fn plain(path: &Path) -> PathBuf {
    path.components().filter(|c| *c != Component::CurDir).collect()
}

/// Temporary files of this process that have no name of their own yet.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A temporary file, while it is one: if a signal ends the process, it is removed.
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// Of a file that somebody else removes or renames otherwise.
    pub fn of(path: &Path) -> Self {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
    }
}

/// Removes all temporary files: the process ends.
pub fn remove_unfinished() {
    for path in UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        // One that has just got its name is not there any more.
        let _ = std::fs::remove_file(path);
    }
}

/// Refuses a folder in which no file could be made, before a run. It need not exist; nothing is
/// made.
///
/// # Errors
/// It is a file, or it cannot be made, or not be written to.
pub fn check_folder(option: &str, folder: &Path) -> Input<()> {
    let there = folder.ancestors().find(|p| p.exists()).filter(|p| !p.as_os_str().is_empty());
    let there = there.unwrap_or(Path::new("."));
    if !there.is_dir() {
        return bad(format!("{option}: {} is no folder", there.display()), "name a folder, or a file in one");
    }
    let made = tempfile::tempfile_in(there).map(drop);
    made.map_err(|e| Box::new(io(folder, "write to", &e).of(option)))
}

/// Refuses outputs that could not be written, and two in one file: before a run, so that they do
/// not cost the run.
///
/// # Errors
/// The first of them, which the message names by its option.
pub fn check_outputs(outputs: &[(&str, &Path)]) -> Input<()> {
    // A device or a pipe is opened once, by what writes to it: for a pipe's reader it ends then.
    let files =
        || outputs.iter().filter(|(_, path)| std::fs::metadata(path).map_or(true, |m| m.is_file() || m.is_dir()));
    for (k, (option, path)) in files().enumerate() {
        if let Some((other, _)) = files().take(k).find(|(_, before)| plain(before) == plain(path)) {
            return bad(format!("{}: {other} and {option} in one file", path.display()), "give each its own file");
        }
        if path.is_dir() {
            return bad(format!("{option}: {} is a folder", path.display()), "name a file");
        }
        check_folder(option, path.parent().unwrap_or(Path::new("")))?;
    }
    Ok(())
}

/// Refuses an output that would replace an input.
///
/// # Errors
/// It would.
pub fn refuse_input(option: &str, output: &Path, input: &Path) -> Input<()> {
    match (output.canonicalize(), input.canonicalize()) {
        (Ok(a), Ok(b)) if a == b => bad(format!("{option}: {} is the input", output.display()), "name another file"),
        _ => Ok(()),
    }
}

/// A file being written; it gets its name with [`AtomicFile::commit`], and is removed if dropped
/// before. A device or a pipe is written to as it is: to give its name to a file would replace it.
pub struct AtomicFile {
    file: BufWriter<Target>,
    path: PathBuf,
    written: u64,
}

enum Target {
    Temporary(NamedTempFile, Unfinished),
    There(File),
}

impl Write for Target {
    fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
        match self {
            Target::Temporary(file, _) => file.write(data),
            Target::There(file) => file.write(data),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Target::Temporary(file, _) => file.flush(),
            Target::There(file) => file.flush(),
        }
    }
}

impl AtomicFile {
    pub fn create(path: &Path) -> Input<Self> {
        let target = |file| Self { file: BufWriter::with_capacity(1 << 18, file), path: path.to_owned(), written: 0 };
        if std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
            let file = File::options().write(true).open(path).map_err(|e| io(path, "write", &e))?;
            return Ok(target(Target::There(file)));
        }
        let folder = match path.parent() {
            Some(p) if !p.as_os_str().is_empty() => p,
            _ => Path::new("."),
        };
        std::fs::create_dir_all(folder).map_err(|e| io(folder, "create folder", &e))?;
        let file = NamedTempFile::new_in(folder).map_err(|e| io(path, "write", &e))?;
        let unfinished = Unfinished::of(file.path());
        Ok(target(Target::Temporary(file, unfinished)))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes written so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    pub fn commit(self) -> Input<()> {
        let path = self.path;
        let file = self.file.into_inner().map_err(|e| io(&path, "write", e.error()))?;
        if let Target::Temporary(file, _unfinished) = file {
            allow_reading(&file);
            file.persist(&path).map_err(|e| io(&path, "write", &e.error))?;
        }
        Ok(())
    }
}

/// Temporary files are private to their owner; outputs have the usual permissions.
#[cfg(unix)]
fn allow_reading(file: &NamedTempFile) {
    use std::os::unix::fs::PermissionsExt;
    // A file system without permissions is no reason to fail.
    let _ = file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644));
}

#[cfg(not(unix))]
fn allow_reading(_file: &NamedTempFile) {}

impl Write for AtomicFile {
    fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
        let n = self.file.write(data)?;
        self.written += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

/// Writes `data` to `path`, whole or not at all.
pub fn write_atomic(path: &Path, data: &[u8]) -> Input<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(data).map_err(|e| io(path, "write", &e))?;
    file.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By a link, so that a mistake replaces that and not the device.
    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to_and_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        std::os::unix::fs::symlink("/dev/null", &path).unwrap();
        write_atomic(&path, b"x").unwrap();
        assert!(path.is_symlink());
    }

    #[test]
    fn only_regular_files_of_bounded_length_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        std::fs::write(&path, b"12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        assert!(read(&path, 4).unwrap_err().to_string().contains("more than the 4 bytes"));
        assert!(read(dir.path(), 4).unwrap_err().to_string().contains("a folder"));
        assert!(read(&dir.path().join("none"), 4).unwrap_err().to_string().contains("cannot read"));
        #[cfg(unix)]
        assert!(read(Path::new("/dev/zero"), 4).unwrap_err().to_string().contains("a device or a pipe"));
        std::fs::write(&path, b"\xff").unwrap();
        assert!(read_text(&path).unwrap_err().to_string().contains("UTF-8"));
    }

    #[test]
    fn outputs_stay_below_their_folder() {
        for path in ["x", "a/b/x", "./x", "..x"] {
            assert!(stays_below(Path::new(path)), "{path}");
        }
        for path in ["../x", "a/../../x", "a/..", "/x", "", ".", "a/../x"] {
            assert!(!stays_below(Path::new(path)), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_does_not_lead_out_of_the_folder() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("out");
        // The folder itself may be a link, as the user made it.
        std::fs::create_dir_all(dir.path().join("elsewhere/in")).unwrap();
        symlink(dir.path().join("elsewhere"), &folder).unwrap();
        assert_eq!(below(&folder, Path::new("./new//x")).unwrap().0, folder.join("new/x"));
        symlink("in", folder.join("inner")).unwrap();
        let one = below(&folder, Path::new("inner/x")).unwrap().1;
        assert_eq!(one, below(&folder, Path::new("in/x")).unwrap().1);
        assert_ne!(one, below(&folder, Path::new("x")).unwrap().1);
        std::fs::write(folder.join("file"), "").unwrap();
        for (path, what) in [("in", "is a folder"), ("file/x", "which is no folder"), ("file/a/x", "no folder")] {
            assert!(below(&folder, Path::new(path)).unwrap_err().to_string().contains(what), "{path}");
        }
        symlink(dir.path(), folder.join("outer")).unwrap();
        for path in ["outer/x", "outer/new/x", "outer/../x"] {
            assert!(below(&folder, Path::new(path)).is_err(), "{path}");
        }
    }

    /// Each is refused by the name of its option, and what is there stays as it is.
    #[test]
    fn outputs_that_cannot_be_written_are_refused_before() {
        let dir = tempfile::tempdir().unwrap();
        let (file, under) = (dir.path().join("x"), dir.path().join("x/y"));
        std::fs::write(&file, b"old").unwrap();
        assert!(check_outputs(&[("--report", &file), ("--png", &dir.path().join("new/z"))]).is_ok());
        assert_eq!(std::fs::read(&file).unwrap(), b"old");
        let refused = |outputs: &[(&str, &Path)]| check_outputs(outputs).unwrap_err().to_string();
        assert!(refused(&[("--png", dir.path())]).starts_with("--png: "), "a folder");
        assert!(refused(&[("--report", &under)]).contains("x is no folder"), "below a file");
        assert!(!dir.path().join("new").exists(), "a check makes nothing");
        let twice = refused(&[("--png", &file), ("--report", &dir.path().join("./x"))]);
        assert!(twice.contains("--png and --report in one file"), "{twice}");
    }

    /// A signal removes what has no name of its own, and nothing else.
    #[test]
    fn temporary_files_are_known_until_they_have_their_name() {
        let dir = tempfile::tempdir().unwrap();
        let known = || {
            let all = UNFINISHED.lock().unwrap();
            all.iter().filter(|path| path.starts_with(dir.path())).count()
        };
        let file = AtomicFile::create(&dir.path().join("x")).unwrap();
        let other = AtomicFile::create(&dir.path().join("y")).unwrap();
        assert_eq!(known(), 2);
        file.commit().unwrap();
        drop(other);
        assert_eq!(known(), 0);
    }

    #[test]
    fn a_dropped_file_leaves_the_old_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sub/x.txt");
        write_atomic(&path, b"old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        drop(file);
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }
}
