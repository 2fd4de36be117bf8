//! The tiers of checks: their page is made from the table in `scripts/tiers.py`, whose steps are
//! targets of the Makefile; tests of the night exist and have a reason; a lint that passed before
//! is not run again, and anything else is.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use crate::drawings::fresh;
use crate::root;

#[test]
fn the_page_of_tiers_is_that_of_the_table() {
    fresh("scripts/tiers.py");
}

/// Names in the filter of nextest, those that a comment explains, and both of them sorted.
fn of_the_night(config: &str) -> [BTreeSet<String>; 2] {
    let named = config.split("test(=").skip(1).filter_map(|rest| rest.split(')').next());
    let explained = config.lines().filter_map(|line| line.strip_prefix("# ")?.split_once(": "));
    let explained = explained.filter(|(name, why)| !name.contains(' ') && why.contains("; "));
    [named.map(str::to_owned).collect(), explained.map(|(name, _)| name.to_owned()).collect()]
}

#[test]
fn tests_of_the_night_exist_and_have_a_reason() {
    let config = std::fs::read_to_string(root().join(".config/nextest.toml")).unwrap();
    let [named, explained] = of_the_night(&config.replace("`test(=NAME)`", ""));
    assert_eq!(named, explained, "each test of the filter has a line `# NAME: why; what stays`");
    let mut sources = Vec::new();
    for folder in ["cosim", "hdl"] {
        crate::files(&root().join(folder), ".rs", &mut sources);
    }
    let texts: Vec<String> = sources.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
    for name in named {
        let function = format!("fn {}()", name.rsplit("::").next().unwrap());
        assert!(texts.iter().any(|text| text.contains(&function)), "{name}: no such test");
    }
}

#[test]
fn a_test_of_the_night_without_a_reason_is_noticed() {
    let config = "# a::dear: takes 90 s; a::little does the same for 3 seeds\n\
                  default-filter = \"not (test(=a::dear) | test(=b::other))\"";
    let [named, explained] = of_the_night(config);
    assert_eq!(named.difference(&explained).collect::<Vec<_>>(), ["b::other"]);
    assert_eq!(explained.len(), 1);
}

/// Exports one module for each top, whose text is that of `text`.
const EXPORTER: &str = r#"#!/bin/sh
while [ $# -gt 0 ]; do case $1 in --out) out=$2 ;; --top) top=$2 ;; esac; shift; done
mkdir -p "$out" && echo "$top.v" >"$out/files.f" && { echo "$top"; cat "$HERE/text"; } >"$out/$top.v"
"#;
/// Note that they run, and fail if a file says so.
const VERILATOR: &str = r#"#!/bin/sh
[ "$1" = --version ] && { echo "Verilator $(cat "$HERE/version")"; exit; }
echo verilator >>"$HERE/log"
[ ! -e "$HERE/fail" ]
"#;
const YOSYS: &str = r#"#!/bin/sh
[ "$1" = -V ] && { echo "Yosys 0.1"; exit; }
echo yosys >>"$HERE/log"
echo done >"$3"
for file in $(echo "$5" | sed -n 's/.*tee -o \([^ ]*\) .*/\1/p'); do echo "SB_LUT4 7" >"$file"; done
"#;

/// The lints of a folder with tools that do nothing but count.
struct Lints(tempfile::TempDir);

impl Lints {
    fn new() -> Self {
        let lints = Self(tempfile::tempdir().unwrap());
        for (name, text) in [("exporter", EXPORTER), ("verilator", VERILATOR), ("yosys", YOSYS)] {
            let file = lints.path().join(name);
            std::fs::write(&file, text).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        lints.set("text", "one");
        lints.set("version", "5.0");
        lints
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn set(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap_or_default()
    }

    /// Output, and how often Verilator and yosys ran.
    fn run(&self, args: &[&str]) -> (Output, [usize; 2]) {
        self.set("log", "");
        let path = format!("{}:{}", self.path().display(), std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new("sh");
        command.arg(root().join("scripts/lint-rtl.sh")).args(args);
        command.env("PATH", path).env("HERE", self.path()).env("EXPORTER", self.path().join("exporter"));
        command.env("QUADLOCK_LINT_OUT", self.path().join("out")).env("QUADLOCK_LINT_HASHES", self.path());
        let out = command.output().unwrap();
        let log = self.read("log");
        (out, ["verilator", "yosys"].map(|tool| log.lines().filter(|line| *line == tool).count()))
    }
}

fn text(out: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
}

/// Five machines, each with Verilator and a search for loops; one with its synthesis and that of
/// nine blocks.
#[test]
fn a_lint_runs_again_when_text_or_tool_changed() {
    let (lints, all) = (Lints::new(), [5, 15]);
    let passes = |args: &[&str], runs: [usize; 2]| {
        let (out, ran) = lints.run(args);
        assert_eq!((out.status.code(), ran), (Some(0), runs), "{args:?}: {}", text(&out));
        text(&out)
    };
    // Nothing is known yet, and --known notes nothing.
    assert!(passes(&["--known"], all).contains("is not in"));
    assert_eq!(lints.read("hashes"), "");
    passes(&[], all);
    assert_eq!(lints.read("hashes").lines().filter(|line| line.ends_with(" passed")).count(), 12);
    assert_eq!(passes(&["--known"], [0, 0]).matches("passed before, hash ").count(), 12);
    lints.set("version", "5.1");
    passes(&["--known"], [5, 0]);
    // Lines of the other version stay.
    passes(&[], all);
    assert_eq!(lints.read("hashes").lines().filter(|line| line.ends_with(" passed")).count(), 17);
    assert!(passes(&["--changed"], [0, 0]).contains("not that of"));
    lints.set("text", "two");
    passes(&["--known"], all);
    assert!(passes(&["--changed"], [0, 0]).contains("  changed quadlock"));
}

#[test]
fn a_lint_that_fails_is_not_noted() {
    let lints = Lints::new();
    lints.set("fail", "");
    let (out, ran) = lints.run(&[]);
    assert!(out.status.code() == Some(1) && ran[0] > 0 && ran[1] == 0, "{ran:?}: {}", text(&out));
    assert!(text(&out).contains(": verilator fails"), "{}", text(&out));
    assert_eq!(lints.read("hashes"), "");
    assert_eq!(lints.run(&["--none"]).0.status.code(), Some(2));
}

/// A run begins with an empty folder of designs, or not at all.
#[test]
fn the_folder_of_designs_is_emptied_or_nothing_runs() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, link) = (dir.path().join("designs"), dir.path().join("link"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("one"), "").unwrap();
    std::os::unix::fs::symlink(&folder, &link).unwrap();
    let empty = |folder: &Path| {
        let program =
            "import pathlib, sys; sys.path.insert(0, 'scripts'); import tiers; tiers.empty(pathlib.Path(sys.argv[1]))";
        let out = Command::new("python3").args(["-c", program]).arg(folder).current_dir(root()).output();
        out.ok().map(|out| (out.status.code(), text(&out)))
    };
    let Some((status, said)) = empty(&link) else {
        assert!(std::env::var_os("QUADLOCK_REQUIRE_PEERS").is_none(), "python3 is not installed");
        return;
    };
    assert!(status == Some(1) && said.contains("cannot be emptied") && folder.join("one").exists(), "{said}");
    assert_eq!(empty(&folder), Some((Some(0), String::new())));
    assert!(!folder.exists());
    assert_eq!(empty(&folder), Some((Some(0), String::new())), "twice");
}

/// A part that does not exist, with those that do; and every part has an age.
#[test]
fn the_night_lists_its_parts() {
    let night = |args: &[&str]| {
        let out = Command::new("python3").arg("scripts/night.py").args(args).current_dir(root()).output();
        out.ok().map(|out| (out.status.code(), text(&out)))
    };
    let Some((status, ages)) = night(&["--part", "list"]) else {
        assert!(std::env::var_os("QUADLOCK_REQUIRE_PEERS").is_none(), "python3 is not installed");
        return;
    };
    let rows = std::fs::read_to_string(root().join("docs/night.json")).unwrap();
    assert_eq!((status, ages.lines().count()), (Some(0), rows.matches("\"part\"").count()), "{ages}");
    let (status, refused) = night(&["--part", "none"]).unwrap();
    assert!(status == Some(2) && refused.contains("no part none; there are tests, "), "{refused}");
}
