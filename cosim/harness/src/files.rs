//! Output files appear whole or not at all: everything is written to a temporary file in the target's folder and renamed. A run that is
//! interrupted leaves the earlier output untouched.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{io, Input};

/// A file being written; it gets its name with [`AtomicFile::commit`], and is removed if dropped before.
pub struct AtomicFile {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
    written: u64,
}

impl AtomicFile {
    pub fn create(path: &Path) -> Input<Self> {
        let folder = match path.parent() {
            Some(p) if !p.as_os_str().is_empty() => p,
            _ => Path::new("."),
        };
        std::fs::create_dir_all(folder).map_err(|e| io(folder, "create folder", &e))?;
        let file = NamedTempFile::new_in(folder).map_err(|e| io(path, "write", &e))?;
        Ok(Self { file: BufWriter::with_capacity(1 << 18, file), path: path.to_owned(), written: 0 })
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
        allow_reading(&file);
        file.persist(&path).map_err(|e| io(&path, "write", &e.error))?;
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
