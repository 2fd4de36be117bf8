//! What `quadlock run` refuses before the machine starts, and stores outside every buffer of a job.

use std::path::Path;

use super::command::run;

const SHADER: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3u) {
    o[id.x] = id.x * 2u;
}
";

const JOB: &str = "name = \"good\"
shader = \"good.wgsl\"
grid = [8, 1, 1]
[[buffer]]
binding = 0
from = { zero = 512 }
";

const SCENE: &str = "name = \"s\"
target = { width = 8, height = 8 }
[mesh.m]
attributes.position = [[-1, -1], [1, -1], [-1, 1]]
[[draw]]
mesh = \"m\"
vertex = { file = \"s.wgsl\", entry = \"corner\" }
fragment = { file = \"s.wgsl\", entry = \"fill\" }
";

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let program = "@vertex fn corner(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.25, 1.0); }
@fragment fn fill() -> @location(0) vec4f { return vec4f(1.0); }\n";
    for (name, text) in [("good.wgsl", SHADER), ("job.toml", JOB), ("scene.toml", SCENE), ("s.wgsl", program)] {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    std::fs::write(dir.path().join("taken"), "").unwrap();
    dir
}

/// Refused with these words, and nothing was run.
fn refused(dir: &Path, args: &[&str], says: &str) {
    let (status, text) = run(dir, &[&["run"], args].concat());
    assert!(status == 2 && text.contains(says), "{args:?}: {status} {text}");
    assert!(!text.contains("verdict") && !dir.join("out").exists(), "{args:?}: the machine has run: {text}");
}

#[test]
fn outputs_are_checked_before_the_machine_starts() {
    let dir = folder();
    let dir = dir.path();
    for (option, file) in [("--report", "r.json"), ("--png", "p.png"), ("--perfetto", "p.json"), ("--fst", "w.fst")] {
        for job in ["job.toml", "scene.toml"] {
            refused(dir, &[job, option, &format!("taken/{file}")], &format!("{option}: taken is no folder"));
            refused(dir, &[job, option, &format!("taken/{file}"), "--engine", "rtl"], option);
        }
    }
    refused(dir, &["scene.toml", "--heatmap", "taken/h.png"], "--heatmap: taken is no folder");
    refused(dir, &["scene.toml", "--image", "0=taken/i.png"], "--image: taken is no folder");
    refused(dir, &["scene.toml", "--funnel", "taken/f.svg"], "--funnel: taken is no folder");
    refused(dir, &["job.toml", "--out", "taken"], "--out: taken is no folder");
    refused(dir, &["job.toml", "--report", "."], "--report: . is a folder");
    refused(dir, &["job.toml", "--report", "x", "--perfetto", "./x"], "--perfetto and --report in one file");
    refused(dir, &["job.toml", "--report", "./job.toml"], "--report: ./job.toml is the input");
    refused(dir, &["scene.toml", "--perfetto", "scene.toml"], "--perfetto: scene.toml is the input");
    refused(dir, &["job.toml", "--fst", "w.fst", "--report", "w.gtkw"], "the view of the waves in one file");
}

#[test]
fn what_is_compared_is_checked_before_the_first_run() {
    let dir = folder();
    for file in ["job.toml", "scene.toml"] {
        refused(dir.path(), &[file, "--compare", "merge"], "--compare merge: not KEY=VALUE");
    }
    refused(dir.path(), &["job.toml", "--compare", "mergers=on"], "there is no setting `mergers`");
    refused(dir.path(), &["scene.toml", "--compare", "machine.mergers=on"], "mergers");
}

/// Such a run would pass, as if nothing could find the bug.
#[test]
fn a_fault_in_what_does_not_run_is_refused() {
    let dir = folder();
    let dir = dir.path();
    for (file, key) in [("job.toml", "fault"), ("scene.toml", "machine.fault")] {
        let [rtl, model] = ["rtl:add-carry", "model:shift-mask"].map(|fault| format!("{key}={fault}"));
        refused(dir, &[file, "--engine", "golden", "--set", &rtl], "the planted fault is in the RTL");
        refused(dir, &[file, "--engine", "rtl", "--set", &model], "the planted fault is in the golden model");
        refused(dir, &[file, "--engine", "golden", "--compare", &rtl], "the planted fault is in the RTL");
    }
}

/// A planted bug that nothing finds is said to be none that was found.
#[test]
fn a_fault_that_is_not_found_is_told() {
    let dir = folder();
    for (file, key) in [("job.toml", "fault"), ("scene.toml", "machine.fault")] {
        let (status, text) = run(dir.path(), &["run", file, "--set", &format!("{key}=rtl:window-lost")]);
        assert!(status == 0 && text.contains("warning: the planted fault was not found"), "{text}");
        let (status, text) = run(dir.path(), &["run", file]);
        assert!(status == 0 && !text.contains("planted"), "{text}");
    }
}

/// Without the store outside, which lands in the last element, nobody ends the loop.
#[test]
fn a_store_outside_counts_if_the_program_does_not_end_without_it() {
    let dir = folder();
    let program = "@group(0) @binding(0) var<storage, read_write> o: array<atomic<u32>>;
@compute @workgroup_size(4)
fn main() {
    atomicStore(&o[99], 7u);
    while (atomicLoad(&o[15]) != 7u) {}
}
";
    std::fs::write(dir.path().join("good.wgsl"), program).unwrap();
    let job = "bounds = \"error\"\n".to_owned() + &JOB.replace("zero = 512", "zero = 64");
    std::fs::write(dir.path().join("job.toml"), job.replace("[8, 1, 1]", "[1, 1, 1]")).unwrap();
    let (status, text) = run(dir.path(), &["run", "job.toml"]);
    assert!(status == 1 && text.contains("outside every buffer; the first: good.wgsl:4"), "{text}");
}

/// The compiler keeps each store in its array, so the machine shows none outside; 64 of 128 would
/// be.
#[test]
fn stores_outside_every_buffer_are_told_with_their_line() {
    let dir = folder();
    let of = |bytes: u32, more: &str, args: &[&str]| {
        let job = more.to_owned() + &JOB.replace("zero = 512", &format!("zero = {bytes}"));
        std::fs::write(dir.path().join("job.toml"), job).unwrap();
        run(dir.path(), &[&["run", "job.toml"], args].concat())
    };
    for engine in ["lockstep", "rtl", "golden"] {
        let (status, text) = of(256, "", &["--engine", engine]);
        let says = "64 of 128 stores are outside every buffer; the first: good.wgsl:4";
        assert!(status == 0 && text.contains(says), "{engine}: {text}");
        let (status, text) = of(256, "bounds = \"error\"\n", &["--engine", engine]);
        assert!(status == 1 && text.contains(says) && text.contains("MEMORY-FAULT"), "{engine}: {text}");
        let (status, text) = of(512, "bounds = \"error\"\n", &["--engine", engine]);
        assert!(status == 0 && !text.contains("outside every buffer"), "{engine}: {text}");
    }
    let (status, text) = of(256, "bounds = \"errors\"\n", &[]);
    assert!(status == 2 && text.contains("job.toml:1:10: error: "), "{text}");
}

/// An assembly program keeps nothing inside. Its stack is its own.
#[test]
fn an_assembly_program_stores_where_it_likes() {
    let dir = folder();
    let program = "S2R r1, group_x\nSHL r2, r1, #2\nIADD r2, r2, c[8]\nST.32 [r2+OFFSET], r1\nEND\n";
    let of = |offset: &str, base: &str| {
        let text = program.replace("OFFSET", offset).replace("c[8]", base);
        std::fs::write(dir.path().join("p.qasm"), text).unwrap();
        let job = JOB.replace("good.wgsl", "p.qasm") + "[program]\ngroup-size = [4, 1, 1]\nstack-bytes = 64\n";
        std::fs::write(dir.path().join("job.toml"), job).unwrap();
        run(dir.path(), &["run", "job.toml"])
    };
    let (status, text) = of("512", "c[8]");
    assert!(status == 0 && text.contains("32 of 32 stores are outside every buffer"), "{text}");
    assert!(text.contains("p.qasm:4") && text.contains("0 bytes after the end of `buffer0`"), "{text}");
    for (offset, base) in [("0", "c[8]"), ("0", "c[3]")] {
        let (status, text) = of(offset, base);
        assert!(status == 0 && !text.contains("outside every buffer"), "{base}: {text}");
    }
}
