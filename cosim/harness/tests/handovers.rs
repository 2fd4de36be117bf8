//! Hand-overs of semaphores in real lockstep runs through the command line: the report's figures
//! are those that follow from the graph, and the Perfetto trace draws an arrow for each hand-over
//! that the report counts, no more and no fewer.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Depends, locks one of two semaphores (or one of its own, with LOCK = g.x), and says that it is
/// done.
const SHADER: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(workgroup_id) g: vec3<u32>, @builtin(local_invocation_index) i: u32) {
    WAIT
    semaphoreAcquire(20u + (LOCK));
    o[4u * g.x + i] = g.x;
    semaphoreRelease(20u + (LOCK));
    DONE
}
";

const BUFFER: &str = "[[buffer]]\nname = \"o\"\nfrom = { zero = 256 }\n";

/// Beside threads in this shape.
fn job(shape: &str) -> String {
    format!("name = \"locks\"\nshader = \"locks.wgsl\"\n{shape}\n{BUFFER}")
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Runs with `--perfetto` and these arguments: exit status, report, events of the trace.
fn run(shader: &str, job: &str, args: &[&str]) -> (i32, Value, Vec<Value>) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("locks.wgsl"), shader).unwrap();
    std::fs::write(dir.path().join("job.toml"), job).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_quadlock"))
        .args(["run", "job.toml", "--report", "r.json", "--perfetto", "p.json"])
        .args(args)
        .current_dir(dir.path())
        .output()
        .unwrap();
    let status = out.status.code().unwrap();
    assert!(status < 2, "{}", String::from_utf8_lossy(&out.stderr));
    let trace = json(&dir.path().join("p.json"));
    (status, json(&dir.path().join("r.json")), trace["traceEvents"].as_array().unwrap().clone())
}

fn shader(wait: &str, lock: &str, done: &str) -> String {
    SHADER.replace("WAIT", wait).replace("LOCK", lock).replace("DONE", done)
}

/// Hand-overs of the report, which must be the arrows of the trace.
fn handovers(shader: &str, shape: &str, args: &[&str]) -> u64 {
    let (status, report, events) = run(shader, &job(shape), args);
    assert_eq!((status, &report["verdict"]), (0, &"pass".into()), "{shape}: {report}");
    for (phase, end) in [("s", "release"), ("f", "acknowledgement")] {
        let arrows = events.iter().filter(|e| e["cat"] == "hand-over" && e["ph"] == phase).count();
        assert_eq!(report["handovers"], arrows, "{shape}: {end}s");
    }
    for arrow in events.iter().filter(|e| e["ph"] == "s") {
        let end = events.iter().find(|e| e["ph"] == "f" && e["id"] == arrow["id"]).unwrap();
        assert!(arrow["ts"].as_u64() < end["ts"].as_u64(), "{shape}: {arrow} {end}");
    }
    report["handovers"].as_u64().unwrap()
}

/// With locks of their own nobody waits for a lock, so the hand-overs are those of the graph.
#[test]
fn every_graph_has_an_arrow_for_each_hand_over() {
    let graph = |shape: &str| handovers(&shader("dependencyWait();", "g.x", "dependencyDone();"), shape, &[]);
    let graph = |shape: &str| graph(&format!("[graph]\nreserve = [\"20-63\"]\n{shape}"));
    assert_eq!(graph("pattern = \"chain\"\nlength = 6"), 5);
    // 1:N: a single release, N acknowledgements.
    assert_eq!(graph("pattern = \"fan-out\"\ncount = 10"), 10);
    // N:1: N releases, one acknowledgement.
    assert_eq!(graph("pattern = \"fan-in\"\ncount = 6"), 1);
}

/// One thread after the other: each lock is free again before it is wanted. And locks of their own;
/// and one for all, which is not free.
#[test]
fn a_free_lock_is_no_hand_over() {
    let chain = "[graph]\nreserve = [20, 21]\npattern = \"chain\"\nlength = 6";
    // The lock of two threads in turn, released before the dependency is: the 5 are the chain's.
    assert_eq!(handovers(&shader("dependencyWait();", "g.x & 1u", "dependencyDone();"), chain, &[]), 5);
    // Twelve threads, each with a lock of its own, two at a time.
    let slow = ["--set", "units=1", "--set", "warps=2"];
    assert_eq!(handovers(&shader("", "g.x", ""), "grid = [12, 1, 1]", &slow), 0);
    assert!(handovers(&shader("", "0u", ""), "grid = [12, 1, 1]", &[]) > 0);
}

/// Two threads, each with one semaphore, that want the other's.
#[test]
fn a_deadlock_shows_what_its_threads_wait_for_to_the_end() {
    let text = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(workgroup_id) g: vec3<u32>, @builtin(local_invocation_index) i: u32) {
    semaphoreAcquire(g.x);
    for (var n = 0u; n < 40u; n++) { o[i] = o[i] + n; }
    semaphoreAcquire(1u - g.x);
    semaphoreRelease(1u - g.x);
    semaphoreRelease(g.x);
}
";
    let (status, report, events) = run(text, &job("grid = [2, 1, 1]\n[limits]\nidle = 500"), &[]);
    assert_eq!((status, &report["verdict"]), (1, &"hang".into()), "{report}");
    let last = report["hang"]["cycle"].as_u64().unwrap();
    for (thread, wanted) in [("thread 0", 1), ("thread 1", 0)] {
        let slice = events.iter().find(|e| e["name"] == thread).unwrap();
        let end = |e: &Value| e["ts"].as_u64().unwrap() + e["dur"].as_u64().unwrap();
        let mut waits: Vec<&Value> = events.iter().filter(|e| e["cat"] == "wait" && e["tid"] == slice["tid"]).collect();
        waits.sort_by_key(|e| end(e));
        let wait = waits.last().unwrap();
        assert_eq!(wait["name"], format!("waits for semaphore {wanted}"), "{thread}");
        assert_eq!((end(slice), end(wait)), (last + 1, last + 1), "{thread}");
        assert!(wait["dur"].as_u64() >= Some(500), "{wait}");
    }
}
