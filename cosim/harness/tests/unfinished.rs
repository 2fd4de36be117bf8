//! Runs that do not come to their end, or share a file: no temporary file stays, and a file is of
//! one run.

use std::path::Path;
use std::process::{Command, Stdio};

const SHADER: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var x = id.x;
    for (var k = 0u; k < TURNS; k++) { x = x * 1664525u + o[k & 7u]; }
    o[id.x] = x;
}
";

fn folder(turns: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let job = "name = \"turns\"\nshader = \"turns.wgsl\"\ngrid = [2, 1, 1]
[[buffer]]\nbinding = 0\nfrom = { iota = 8 }\n[limits]\ncycles = 4000000000\nidle = 4000000000\n";
    std::fs::write(dir.path().join("turns.wgsl"), SHADER.replace("TURNS", turns)).unwrap();
    std::fs::write(dir.path().join("job.toml"), job).unwrap();
    dir
}

/// What is in a folder beside the job.
fn files(dir: &Path) -> Vec<String> {
    let names = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name != "job.toml" && name != "turns.wgsl").collect();
    names.sort();
    names
}

fn run(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadlock"));
    command.args(["run", "job.toml"]).args(args).current_dir(dir).stdout(Stdio::null());
    command
}

/// Before, both wrote into one file with `.part` at its end.
#[test]
fn two_runs_with_one_file_of_waves_leave_that_of_one() {
    let dir = folder("2000u");
    let out = |name: &str| ["--fst", "w.fst", "--scope", "quadlock.cores_0.units_0", "--out", name].map(str::to_owned);
    let start = |name: &str| {
        let args = out(name);
        run(dir.path(), &args.each_ref().map(String::as_str)).spawn().unwrap()
    };
    let both = [start("one"), start("other")];
    for mut child in both {
        assert!(child.wait().unwrap().success());
    }
    let together = std::fs::read(dir.path().join("w.fst")).unwrap();
    assert!(files(dir.path()).iter().all(|name| !name.ends_with(".part")), "{:?}", files(dir.path()));
    assert!(start("again").wait().unwrap().success());
    assert!(together == std::fs::read(dir.path().join("w.fst")).unwrap(), "the file is of two runs");
}

/// A limit of the size of files stands for a full disk: a write fails in the same way.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_temporary_file() {
    for file in ["--fst w.fst", "--vcd w.vcd"] {
        let dir = folder("200u");
        let quadlock = env!("CARGO_BIN_EXE_quadlock");
        let script = format!("trap '' XFSZ; ulimit -f 4; exec '{quadlock}' --no-cache run job.toml {file}");
        let out = Command::new("sh").args(["-c", &script]).current_dir(dir.path()).output().unwrap();
        let error = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{file}: {error}");
        assert!(error.contains("File too large"), "{file}: {error}");
        assert_eq!(files(dir.path()), Vec::<String>::new(), "{file}");
    }
}

/// The run writes waves and is asked to end: its temporary file goes with it.
#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_no_temporary_file() {
    use std::os::unix::process::ExitStatusExt;
    let dir = folder("4000000000u");
    let mut child = run(dir.path(), &["--fst", "w.fst", "--to", "100000000"]).spawn().unwrap();
    let begun = std::time::Instant::now();
    while !files(dir.path()).iter().any(|name| name.starts_with("w.fst.") && name.ends_with(".part")) {
        assert!(begun.elapsed().as_secs() < 60, "no waves: {:?}", files(dir.path()));
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    // The file is there before the run knows of it.
    std::thread::sleep(std::time::Duration::from_millis(200));
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(15));
    assert_eq!(files(dir.path()), Vec::<String>::new());
}
