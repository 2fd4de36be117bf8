//! The store on disk: one file for each result, in a folder that belongs to the user alone.
//!
//! A file has its key and a checksum of everything in front. It is written under another name and
//! renamed, so that many processes may read and write at once, and a reader sees a whole file or
//! none. What is damaged, foreign or older than this format is ignored and written again. When the
//! folder outgrows its limit, the results that were not used for the longest time go. It can be
//! wrong where another user can write into the folder, since machine code is among the results: a
//! folder of another owner, or one that others may write to, is refused. A file of another owner is
//! ignored, because the folder may have been open to others before.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use xxhash_rust::xxh3::Xxh3;

use crate::{Key, Store};

/// Names the folder; empty or `off`: there is none.
pub const FOLDER_VARIABLE: &str = "QUADLOCK_CACHE";
/// The limit in MiB.
pub const LIMIT_VARIABLE: &str = "QUADLOCK_CACHE_MIB";
/// The limit without that variable, in MiB.
const LIMIT_MIB: u64 = 2048;

/// Begins every file; the last byte rises when the layout of the header changes.
const MAGIC: [u8; 8] = *b"quadloc\x01";
/// Magic, key, checksum.
const HEADER: usize = 8 + 16 + 16;
/// Ends the names of results.
const SUFFIX: &str = ".kept";
/// Ends the names of files that are being written.
const PENDING: &str = ".pending";
/// A file that nobody finished is removed after this time.
const ABANDONED: Duration = Duration::from_secs(3600);
/// A result that is used is marked as new at most this often.
const TOUCHED: Duration = Duration::from_secs(600);

/// A folder of results.
pub struct Folder {
    path: PathBuf,
    /// In bytes.
    limit: u64,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// What is in a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// By kind, in alphabetical order: kind, number of results, bytes.
    pub kinds: Vec<(String, u64, u64)>,
}

impl Usage {
    /// Number of results.
    pub fn results(&self) -> u64 {
        self.kinds.iter().map(|k| k.1).sum()
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.kinds.iter().map(|k| k.2).sum()
    }
}

/// A file of the folder.
struct Entry {
    path: PathBuf,
    kind: Option<String>,
    bytes: u64,
    used: SystemTime,
}

impl Folder {
    /// The folder of the environment: `QUADLOCK_CACHE`, or `quadlock` in `XDG_CACHE_HOME`, or
    /// `.cache/quadlock` in `HOME`. `None` if there is none of these, or it is switched off.
    ///
    /// # Errors
    /// As [`Folder::open`], or a limit that is no number.
    pub fn from_environment() -> Result<Option<Self>, String> {
        let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty());
        let path = match std::env::var_os(FOLDER_VARIABLE) {
            Some(value) if value.is_empty() || value == "off" => return Ok(None),
            Some(value) => PathBuf::from(value),
            // A relative path in this variable is to be ignored, as its specification says.
            None => match set("XDG_CACHE_HOME").map(PathBuf::from).filter(|p| p.is_absolute()) {
                Some(base) => base.join("quadlock"),
                None => match set("HOME") {
                    Some(home) => PathBuf::from(home).join(".cache").join("quadlock"),
                    None => return Ok(None),
                },
            },
        };
        Self::open(&path, limit(std::env::var_os(LIMIT_VARIABLE))?).map(Some)
    }

    /// A folder that holds at most `limit` bytes. It is made, for its user alone, if it is not
    /// there.
    ///
    /// # Errors
    /// A folder that cannot be made, is of another owner, or may be written to by others.
    pub fn open(path: &Path, limit: u64) -> Result<Self, String> {
        let failed = |e: std::io::Error| format!("cannot use the cache folder {}: {e}", path.display());
        if !path.is_dir() {
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent).map_err(failed)?;
            }
            match make(path) {
                // Another process was faster.
                Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => return Err(failed(e)),
                _ => {}
            }
        }
        if !path.is_dir() {
            return Err(format!("cannot use the cache folder {}: it is not a folder", path.display()));
        }
        refuse_others(path)?;
        Ok(Self { path: path.to_owned(), limit, hits: AtomicU64::new(0), misses: AtomicU64::new(0) })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How much it may hold, in bytes.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Results that were found and that were not, in this process.
    pub fn hits_and_misses(&self) -> (u64, u64) {
        (self.hits.load(Ordering::Relaxed), self.misses.load(Ordering::Relaxed))
    }

    /// What is in it.
    pub fn usage(&self) -> Usage {
        let mut usage = Usage::default();
        for entry in self.entries() {
            let Some(kind) = entry.kind else { continue };
            match usage.kinds.iter_mut().find(|k| k.0 == kind) {
                Some(known) => (known.1, known.2) = (known.1 + 1, known.2 + entry.bytes),
                None => usage.kinds.push((kind, 1, entry.bytes)),
            }
        }
        usage.kinds.sort();
        usage
    }

    /// Removes all results; other files stay. What was there.
    ///
    /// # Errors
    /// A file that cannot be removed, in words.
    pub fn clear(&self) -> Result<Usage, String> {
        let usage = self.usage();
        for entry in self.entries() {
            match std::fs::remove_file(&entry.path) {
                // Another process was faster.
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    return Err(format!("cannot remove {}: {e}", entry.path.display()));
                }
                _ => {}
            }
        }
        Ok(usage)
    }

    fn file(&self, kind: &str, key: Key) -> PathBuf {
        self.path.join(format!("{kind}-{key}{SUFFIX}"))
    }

    /// The results and unfinished files of the folder.
    fn entries(&self) -> Vec<Entry> {
        let Ok(list) = std::fs::read_dir(&self.path) else { return Vec::new() };
        let entry = |e: std::fs::DirEntry| {
            let name = e.file_name().into_string().ok()?;
            let kind = name.strip_suffix(SUFFIX).and_then(|n| n.rsplit_once('-')).map(|n| n.0.to_owned());
            if kind.is_none() && !name.ends_with(PENDING) {
                return None;
            }
            let data = e.metadata().ok().filter(std::fs::Metadata::is_file)?;
            let used = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            Some(Entry { path: e.path(), kind, bytes: data.len(), used })
        };
        list.flatten().filter_map(entry).collect()
    }

    /// Removes what was used least recently until a quarter of the limit is free.
    fn trim(&self) {
        let now = SystemTime::now();
        let old = |e: &Entry| now.duration_since(e.used).is_ok_and(|age| age > ABANDONED);
        let (results, pending): (Vec<Entry>, Vec<Entry>) = self.entries().into_iter().partition(|e| e.kind.is_some());
        let mut gone: Vec<&Entry> = pending.iter().filter(|e| old(e)).collect();
        let mut total: u64 = results.iter().map(|e| e.bytes).sum();
        let mut order: Vec<&Entry> = results.iter().collect();
        if total > self.limit {
            order.sort_by(|a, b| (a.used, &a.path).cmp(&(b.used, &b.path)));
            for entry in order {
                if total <= self.limit / 4 * 3 {
                    break;
                }
                total -= entry.bytes;
                gone.push(entry);
            }
        }
        for entry in gone {
            let _ = std::fs::remove_file(&entry.path);
        }
    }

    fn read(&self, kind: &str, key: Key) -> Option<Vec<u8>> {
        let path = self.file(kind, key);
        // Before it is opened: a pipe would wait for a writer.
        let data = std::fs::symlink_metadata(&path).ok()?;
        if !data.is_file() || !is_own(&data) || data.len() > self.limit {
            return None;
        }
        let mut file = std::fs::File::open(path).ok()?;
        let mut header = [0; HEADER];
        file.read_exact(&mut header).ok()?;
        if header[..24] != self::header(kind, key, &[])[..24] {
            return None;
        }
        let mut bytes = Vec::with_capacity((data.len() as usize).saturating_sub(HEADER));
        file.read_to_end(&mut bytes).ok()?;
        if header != self::header(kind, key, &bytes) {
            return None;
        }
        let used = data.modified().ok().and_then(|m| m.elapsed().ok());
        if used.is_some_and(|age| age > TOUCHED) {
            // A folder that cannot be written to can still be read.
            let _ = file.set_modified(SystemTime::now());
        }
        Some(bytes)
    }

    fn write(&self, kind: &str, key: Key, bytes: &[u8]) -> std::io::Result<()> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let pending = self.path.join(format!("{}-{number}{PENDING}", std::process::id()));
        // Two containers may have processes of one number: then the file is the other's, and stays.
        let mut file = create(&pending)?;
        let written = (|| {
            file.write_all(&header(kind, key, bytes))?;
            file.write_all(bytes)?;
            drop(file);
            std::fs::rename(&pending, self.file(kind, key))
        })();
        if written.is_err() {
            let _ = std::fs::remove_file(&pending);
        }
        written
    }
}

impl Store for Folder {
    fn load(&self, kind: &str, key: Key) -> Option<Vec<u8>> {
        let found = self.read(kind, key);
        let counter = if found.is_some() { &self.hits } else { &self.misses };
        counter.fetch_add(1, Ordering::Relaxed);
        found
    }

    fn keep(&self, kind: &str, key: Key, bytes: &[u8]) {
        // What is larger than the folder may be would only push everything else out.
        if (bytes.len() + HEADER) as u64 <= self.limit / 4 * 3 && self.write(kind, key, bytes).is_ok() {
            self.trim();
        }
    }
}

/// The limit in bytes, by its variable.
fn limit(variable: Option<OsString>) -> Result<u64, String> {
    let Some(text) = variable else { return Ok(LIMIT_MIB << 20) };
    let mib: Option<u64> = text.to_str().and_then(|t| t.parse().ok());
    let bytes = mib.and_then(|mib| mib.checked_mul(1 << 20));
    bytes.ok_or_else(|| format!("{LIMIT_VARIABLE} is `{}`: give a number of MiB", text.to_string_lossy()))
}

/// What a file of these bytes begins with.
fn header(kind: &str, key: Key, bytes: &[u8]) -> [u8; HEADER] {
    let mut sum = Xxh3::new();
    for part in [&MAGIC, kind.as_bytes(), &key.0.to_le_bytes(), bytes] {
        sum.update(part);
    }
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..24].copy_from_slice(&key.0.to_le_bytes());
    header[24..].copy_from_slice(&sum.digest128().to_le_bytes());
    header
}

/// Makes a folder that only its user can open.
fn make(path: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Makes a file that only its user can open, whatever the umask is.
fn create(path: &Path) -> std::io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Refuses a folder into which others could put code.
#[cfg(unix)]
fn refuse_others(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    let name = path.display();
    let data = std::fs::metadata(path).map_err(|e| format!("cannot use the cache folder {name}: {e}"))?;
    if data.uid() != rustix::process::geteuid().as_raw() {
        return Err(format!(
            "the cache folder {name} belongs to another user: set {FOLDER_VARIABLE} to one of your own"
        ));
    }
    if data.mode() & 0o022 != 0 {
        return Err(format!("others may write to the cache folder {name}: run `chmod 700 {name}`"));
    }
    Ok(())
}

#[cfg(not(unix))]
fn refuse_others(_path: &Path) -> Result<(), String> {
    Ok(())
}

/// Whether a file is the user's, and nobody else may write to it.
#[cfg(unix)]
fn is_own(data: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    data.uid() == rustix::process::geteuid().as_raw() && data.mode() & 0o022 == 0
}

#[cfg(not(unix))]
fn is_own(_data: &std::fs::Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Key = Key(7);

    fn folder(limit: u64) -> (tempfile::TempDir, Folder) {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(&place.path().join("deep/cache"), limit).unwrap();
        (place, folder)
    }

    #[test]
    fn what_was_kept_is_found_again_under_its_kind_and_key() {
        let (_place, folder) = folder(1 << 20);
        assert_eq!(folder.load("text", KEY), None);
        folder.keep("text", KEY, b"one");
        folder.keep("code", KEY, b"three");
        assert_eq!(folder.load("text", KEY).as_deref(), Some(&b"one"[..]));
        assert_eq!(folder.load("code", KEY).as_deref(), Some(&b"three"[..]));
        assert_eq!(folder.load("text", Key(8)), None);
        assert_eq!(folder.hits_and_misses(), (2, 2));
        folder.keep("text", KEY, b"");
        assert_eq!(folder.load("text", KEY).as_deref(), Some(&b""[..]));
        let header = HEADER as u64;
        let kinds = vec![("code".to_owned(), 1, header + 5), ("text".to_owned(), 1, header)];
        assert_eq!(folder.usage(), Usage { kinds: kinds.clone() });
        std::fs::write(folder.path().join("notes.txt"), "not ours").unwrap();
        assert_eq!(folder.clear(), Ok(Usage { kinds }));
        assert_eq!((folder.usage().results(), folder.usage().bytes()), (0, 0));
        assert!(folder.path().join("notes.txt").exists());
    }

    /// Every byte of a file is covered: no changed, cut or lengthened file is taken, nor one of
    /// another kind or key, and it is made again.
    #[test]
    fn damaged_and_foreign_files_are_ignored() {
        let (_place, folder) = folder(1 << 20);
        folder.keep("code", KEY, b"machine code");
        let file = folder.file("code", KEY);
        let good = std::fs::read(&file).unwrap();
        let mut bad: Vec<Vec<u8>> = Vec::new();
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut wrong = good.clone();
                wrong[at] ^= 1 << bit;
                bad.push(wrong);
            }
            bad.push(good[..at].to_vec());
        }
        bad.push([&good[..], b"x"].concat());
        for wrong in bad {
            std::fs::write(&file, &wrong).unwrap();
            assert_eq!(folder.load("code", KEY), None, "{wrong:?}");
        }
        std::fs::write(folder.file("code", Key(8)), &good).unwrap();
        std::fs::write(folder.file("text", KEY), &good).unwrap();
        assert_eq!((folder.load("code", Key(8)), folder.load("text", KEY)), (None, None));
        folder.keep("code", KEY, b"machine code");
        assert_eq!(folder.load("code", KEY).as_deref(), Some(&b"machine code"[..]));
    }

    /// What is no file of the user's own is ignored: one that others may write to, a link, a
    /// folder, and a pipe, whose reader would wait.
    #[cfg(unix)]
    #[test]
    fn what_is_no_file_of_ones_own_is_ignored() {
        use std::os::unix::fs::{symlink, PermissionsExt};
        let (place, folder) = folder(1 << 20);
        let file = folder.file("code", KEY);
        folder.keep("code", KEY, b"machine code");
        let mode = |mode| std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        for (open, found) in [(0o622, false), (0o660, false), (0o644, true)] {
            mode(open);
            assert_eq!(folder.load("code", KEY).is_some(), found, "{open:o}");
        }
        std::fs::File::options().write(true).open(&file).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(folder.load("code", KEY), None, "larger than the folder may be");
        folder.keep("code", KEY, b"machine code");
        let elsewhere = place.path().join("elsewhere");
        std::fs::rename(&file, &elsewhere).unwrap();
        symlink(&elsewhere, &file).unwrap();
        assert_eq!(folder.load("code", KEY), None, "a link");
        std::fs::remove_file(&file).unwrap();
        std::fs::create_dir(&file).unwrap();
        folder.keep("code", KEY, b"machine code");
        assert_eq!(folder.load("code", KEY), None, "a folder");
        std::fs::remove_dir(&file).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&file).status();
        if made.is_ok_and(|status| status.success()) {
            assert_eq!(folder.load("code", KEY), None, "a pipe");
            folder.keep("code", KEY, b"machine code");
            assert!(folder.load("code", KEY).is_some(), "replaced");
        }
    }

    /// A process of the same number, elsewhere, is writing: its file stays.
    #[test]
    fn the_unfinished_file_of_another_stays() {
        let (_place, folder) = folder(1 << 20);
        let taken: Vec<PathBuf> =
            (0..1000).map(|n| folder.path().join(format!("{}-{n}{PENDING}", std::process::id()))).collect();
        taken.iter().for_each(|path| std::fs::write(path, "half").unwrap());
        folder.keep("code", KEY, b"machine code");
        assert_eq!(folder.load("code", KEY), None);
        assert!(taken.iter().all(|path| path.exists()));
    }

    #[test]
    fn a_limit_is_a_number_of_mib_that_fits() {
        assert_eq!(limit(None), Ok(LIMIT_MIB << 20));
        assert_eq!(limit(Some("3".into())), Ok(3 << 20));
        assert_eq!(limit(Some("17592186044415".into())), Ok((u64::MAX >> 20) << 20));
        for wrong in ["", "-1", "2 GiB", "17592186044416"] {
            assert!(limit(Some(wrong.into())).unwrap_err().contains("give a number of MiB"), "{wrong}");
        }
    }

    #[test]
    fn the_folder_keeps_its_limit_and_what_was_used_last() {
        let (_place, folder) = folder(10_000);
        let old = SystemTime::now() - Duration::from_secs(7200);
        for i in 0..8 {
            folder.keep("code", Key(i), &[i as u8; 1000]);
            // The file of the lowest number is the oldest.
            let file = std::fs::File::open(folder.file("code", Key(i))).unwrap();
            file.set_modified(old + Duration::from_secs(i as u64)).unwrap();
        }
        assert!(folder.load("code", Key(0)).is_some(), "used again");
        folder.keep("code", Key(8), &[8; 1900]);
        assert!(folder.usage().bytes() <= 7_500, "{:?}", folder.usage());
        let left: Vec<bool> = (0..9).map(|i| folder.load("code", Key(i)).is_some()).collect();
        assert_eq!(left, [true, false, false, false, true, true, true, true, true]);
        folder.keep("code", Key(9), &[9; 20_000]);
        assert_eq!(folder.load("code", Key(9)), None, "larger than the folder");
        assert!(folder.load("code", Key(8)).is_some());
    }

    #[test]
    fn files_that_nobody_finished_go() {
        let (_place, folder) = folder(10_000);
        let (young, dead) = (folder.path().join("1-0.pending"), folder.path().join("2-0.pending"));
        for path in [&young, &dead] {
            std::fs::write(path, "half").unwrap();
        }
        let file = std::fs::File::open(&dead).unwrap();
        file.set_modified(SystemTime::now() - ABANDONED * 2).unwrap();
        folder.keep("code", KEY, b"x");
        assert!(young.exists() && !dead.exists());
    }

    #[test]
    fn many_at_once_see_whole_results() {
        let (_place, folder) = folder(1 << 30);
        let value = |i: u8| vec![i; 50_000];
        folder.keep("code", KEY, &value(0));
        std::thread::scope(|scope| {
            for i in 0..4 {
                let (folder, value) = (&folder, &value);
                scope.spawn(move || (0..50).for_each(|_| folder.keep("code", KEY, &value(i))));
            }
            for _ in 0..200 {
                let seen = folder.load("code", KEY).expect("renamed, never removed");
                assert!((0..4).any(|i| seen == value(i)));
            }
        });
        assert_eq!(folder.entries().len(), 1, "nothing is left beside it");
    }

    #[cfg(unix)]
    #[test]
    fn it_is_the_users_alone() {
        use std::os::unix::fs::PermissionsExt;
        let (_place, folder) = folder(1 << 20);
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(folder.path()), 0o700);
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o770)).unwrap();
        let error = Folder::open(folder.path(), 1 << 20).err().unwrap();
        assert!(error.contains("chmod 700"), "{error}");
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(Folder::open(&file.join("in a file"), 1 << 20).is_err());
        assert!(Folder::open(&file, 1 << 20).err().unwrap().contains("it is not a folder"));
    }
}
