//! The cache of compiled designs as a user meets it: a run gives the same with it, without it, and
//! after every file in it was damaged; what a second run finds; `quadlock cache`; a folder that
//! cannot be used. The files themselves: the tests of `quadlock-cache`, and `kept.rs` of rtlsim.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

struct Bench {
    dir: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    fn folder(&self) -> PathBuf {
        self.dir.path().join("cache")
    }

    fn quadlock(&self, args: &[&str]) -> Output {
        self.quadlock_with(&self.folder().display().to_string(), args)
    }

    fn quadlock_with(&self, cache: &str, args: &[&str]) -> Output {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut command = Command::new(env!("CARGO_BIN_EXE_quadlock"));
        command.args(args).current_dir(root).env("QUADLOCK_CACHE", cache).env_remove("QUADLOCK_CACHE_MIB");
        command.output().unwrap()
    }

    /// The report of a small job in lockstep, without what takes time.
    fn report(&self, more: &[&str]) -> Value {
        let path = self.dir.path().join("report.json");
        let out = self.dir.path().join("out");
        let (path, out) = (path.display().to_string(), out.display().to_string());
        let args =
            ["run", "examples/edge-detect/job.toml", "--small", "--set", "units=1", "--out", &out, "--report", &path];
        let result = self.quadlock(&[&args[..], more].concat());
        assert!(result.status.success(), "{}", String::from_utf8_lossy(&result.stderr));
        let mut report: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        without_times(&mut report);
        report
    }

    fn kinds(&self) -> Vec<String> {
        let result = self.quadlock(&["cache", "--json"]);
        assert!(result.status.success());
        let value: Value = serde_json::from_slice(&result.stdout).unwrap();
        assert_eq!(value["folder"], self.folder().display().to_string());
        value["kinds"]
            .as_array()
            .unwrap()
            .iter()
            .map(|k| format!("{} {}", k["kind"].as_str().unwrap(), k["results"]))
            .collect()
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<_> = std::fs::read_dir(self.folder()).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        files
    }
}

fn without_times(report: &mut Value) {
    match report {
        Value::Object(map) => {
            map.retain(|key, _| !key.contains("second") && !key.contains("speed") && !key.contains("rate"));
            map.values_mut().for_each(without_times);
        }
        Value::Array(list) => list.iter_mut().for_each(without_times),
        _ => {}
    }
}

#[test]
fn a_run_is_the_same_with_and_without_it_and_after_damage() {
    let bench = Bench::new();
    let expected = bench.report(&["--no-cache"]);
    assert!(!bench.folder().exists(), "`--no-cache` writes nothing");
    assert_eq!(bench.report(&[]), expected);
    let kinds = bench.kinds();
    assert!(kinds.contains(&"code 1".to_owned()) && kinds.contains(&"text 1".to_owned()), "{kinds:?}");
    let files = bench.files();
    let whole: Vec<Vec<u8>> = files.iter().map(|f| std::fs::read(f).unwrap()).collect();
    assert_eq!(bench.report(&[]), expected);
    assert_eq!(bench.kinds(), kinds, "the second run finds everything");
    // One byte of each file, at places all over them; then each cut in half.
    for round in 0..3 {
        for (i, (file, bytes)) in files.iter().zip(&whole).enumerate() {
            let mut damaged = bytes.clone();
            let at = (bytes.len() / 3 * round + 41 * i) % bytes.len();
            damaged[at] ^= 0x10;
            std::fs::write(file, &damaged[..if round == 2 { at.max(1) } else { bytes.len() }]).unwrap();
        }
        assert_eq!(bench.report(&[]), expected, "round {round}");
        let again: Vec<Vec<u8>> = files.iter().map(|f| std::fs::read(f).unwrap()).collect();
        assert!(again == whole, "round {round}: made again, byte for byte");
    }
    // Another configuration is another design.
    bench.report(&["--set", "warps=4"]);
    assert!(bench.kinds().contains(&"code 2".to_owned()), "{:?}", bench.kinds());
}

#[test]
fn the_cross_check_agrees_both_ways() {
    let bench = Bench::new();
    let check = |more: &[&str]| {
        let blocks = ["--block", "message_queue", "--block", "lane", "--block", "warp_scheduler"];
        let args = ["crosscheck", "--quick", "--engine", "rtlsim", "--engine", "rust-hdl", "--engine", "interpreter"];
        let result = bench.quadlock(&[&args[..], &blocks, more].concat());
        let text = String::from_utf8_lossy(&result.stdout).into_owned() + &String::from_utf8_lossy(&result.stderr);
        assert_eq!(result.status.code(), Some(0), "{text}");
    };
    check(&["--no-cache"]);
    check(&[]);
    let files = bench.files();
    check(&[]);
    for file in &files {
        let mut bytes = std::fs::read(file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(file, bytes).unwrap();
    }
    check(&[]);
}

#[test]
fn the_command_shows_and_clears_it() {
    let bench = Bench::new();
    bench.report(&[]);
    let text = |out: Output| String::from_utf8_lossy(&out.stdout).into_owned();
    let shown = text(bench.quadlock(&["cache"]));
    for wanted in ["folder   ", "limit    2048 MiB", "machine code of designs", "which Verilog a configuration gives"] {
        assert!(shown.contains(wanted), "{wanted}: {shown}");
    }
    let cleared = text(bench.quadlock(&["cache", "--clear"]));
    assert!(cleared.contains("removed"), "{cleared}");
    assert!(bench.kinds().is_empty() && bench.files().is_empty());
}

/// Each says which variable it is about.
#[test]
fn a_cache_that_cannot_be_shown_is_bad_input() {
    let bench = Bench::new();
    let folder = bench.folder().display().to_string();
    let refused = |set: &[(&str, &str)], words: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quadlock"));
        for name in ["QUADLOCK_CACHE", "QUADLOCK_CACHE_MIB", "XDG_CACHE_HOME", "HOME"] {
            command.env_remove(name);
        }
        let result = command.arg("cache").envs(set.iter().copied()).output().unwrap();
        let told = String::from_utf8_lossy(&result.stderr).into_owned();
        assert!(result.status.code() == Some(2) && told.contains(words), "{set:?}: {told}");
    };
    refused(&[("QUADLOCK_CACHE", "off")], "QUADLOCK_CACHE is empty or `off`");
    refused(&[("XDG_CACHE_HOME", "relative")], "none of QUADLOCK_CACHE, XDG_CACHE_HOME and HOME is set");
    for limit in ["2 GiB", "-1", "17592186044416"] {
        refused(&[("QUADLOCK_CACHE", &folder), ("QUADLOCK_CACHE_MIB", limit)], "QUADLOCK_CACHE_MIB is `");
    }
}

/// The run goes on without a cache.
#[test]
fn a_folder_that_cannot_be_used_is_said_once() {
    let bench = Bench::new();
    let file = bench.dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let args = ["run", "examples/edge-detect/job.toml", "--small", "--engine", "rtl", "--set", "units=1"];
    let out = bench.dir.path().join("out").display().to_string();
    let result = bench.quadlock_with(&file.display().to_string(), &[&args[..], &["--out", &out]].concat());
    let told = String::from_utf8_lossy(&result.stderr).into_owned();
    assert_eq!(result.status.code(), Some(0), "{told}");
    assert_eq!(told.matches("warning: no cache: cannot use the cache folder").count(), 1, "{told}");
}
