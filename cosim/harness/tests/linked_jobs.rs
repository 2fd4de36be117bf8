//! Jobs whose programs are linked give the buffers of the same jobs unlinked, while uniforms change
//! from dispatch to dispatch and variants run out (LP-13, LP-14); and planted bugs do not.
//!
//! Machine and model run the same program, so lockstep cannot see a wrong one: every comparison
//! here is with the job whose program was compiled alone, or with words that are reckoned here.

use std::path::Path;
use std::process::Command;

use crate::link_variants::{counted, Uses};

/// Deselected arms store and count; `other` decides one more branch.
const WGSL: &str = "
struct U { mode: f32, gain: f32, other: vec2f }
@group(0) @binding(0) var<uniform> u: U;
@group(0) @binding(1) var<storage, read_write> data: array<f32>;
@group(0) @binding(2) var<storage, read_write> hits: array<atomic<u32>, 4>;
@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  let k = abs(u.gain) * 3.0 + u.other.x * u.other.y;
  if (u.mode > 1.5) {
    atomicAdd(&hits[1], 1u);
    if (i < 3u) { return; }
    data[i] = data[i] + k;
  } else if (u.mode > 0.5) {
    atomicAdd(&hits[0], 1u);
    data[i] = data[i] * 0.5;
  }
  if (u.other.x > u.other.y) { data[i + 16u] = f32(i) * k; }
  data[i] = data[i] + u.gain * k;
}
";

/// The same with push constants.
const PUSH: &str = "#version 450
layout(local_size_x = 8) in;
layout(push_constant) uniform U { float mode; float gain; vec2 other; } u;
layout(set = 0, binding = 1, std430) buffer Data { float data[]; };
layout(set = 0, binding = 2, std430) buffer Hits { uint hits[4]; } hits;
void main() {
  uint i = gl_GlobalInvocationID.x;
  float k = abs(u.gain) * 3.0 + u.other.x * u.other.y;
  if (u.mode > 1.5) {
    atomicAdd(hits.hits[1], 1u);
    if (i < 3u) return;
    data[i] += k;
  } else if (u.mode > 0.5) {
    atomicAdd(hits.hits[0], 1u);
    data[i] *= 0.5;
  }
  if (u.other.x > u.other.y) data[i + 16u] = float(i) * k;
  data[i] += u.gain * k;
}
";

/// Uniforms of the dispatches: A B A C A.
const DISPATCHES: Uses =
    [[0.0, 0.5, 1.0, 2.0], [1.0, 0.5, 1.0, 2.0], [0.0, 0.75, 1.0, 2.0], [2.0, 1.0, 3.0, 2.0], [0.0, 0.5, 1.0, 2.0]];

fn job() -> String {
    let mut text = "name = \"j\"\nshader = \"a.wgsl\"\nthreads = [16, 1, 1]\n\
        [[uniform]]\nbinding = 0\nvalues = [0.0, 0.0, 0.0, 1.0]\n\
        [[buffer]]\nbinding = 1\nfrom = { iota = 32, type = \"f32\" }\nout = { raw = \"data.raw\" }\n\
        [[buffer]]\nname = \"hits\"\nfrom = { zero = 16 }\nout = { raw = \"hits.raw\" }\n"
        .to_owned();
    for u in DISPATCHES {
        text += &format!("[[dispatch]]\n[[dispatch.uniform]]\nbinding = 0\nvalues = {u:?}\n");
    }
    text
}

fn files(job: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.wgsl"), WGSL).unwrap();
    std::fs::write(dir.path().join("far.wgsl"), WGSL.replace("struct U {", "struct U { a: array<vec4f, 100>,"))
        .unwrap();
    std::fs::write(dir.path().join("push.comp"), PUSH).unwrap();
    std::fs::write(dir.path().join("job.toml"), job).unwrap();
    dir
}

fn run(dir: &Path, more: &[&str]) -> (i32, String) {
    run_plain(dir, &[&["--exact"], more].concat())
}

fn run_plain(dir: &Path, more: &[&str]) -> (i32, String) {
    let args = ["run", "job.toml", "--out", "o", "--report", "r.json"];
    let out = Command::new(env!("CARGO_BIN_EXE_quadlock")).args(args).args(more).current_dir(dir).output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    (out.status.code().unwrap_or(-1), text)
}

/// The buffers, and the report.
fn done(more: &[&str]) -> (Vec<Vec<u8>>, serde_json::Value) {
    done_of(&job(), more)
}

fn done_of(job: &str, more: &[&str]) -> (Vec<Vec<u8>>, serde_json::Value) {
    let dir = files(job);
    let (code, said) = run(dir.path(), more);
    assert_eq!(code, 0, "{more:?}: {said}");
    let report = std::fs::read(dir.path().join("r.json")).unwrap();
    let buffers = ["data.raw", "hits.raw"].map(|name| std::fs::read(dir.path().join("o").join(name)).unwrap());
    (buffers.to_vec(), serde_json::from_slice(&report).unwrap())
}

/// What the dispatches leave, reckoned here.
fn reckoned() -> Vec<Vec<u8>> {
    let mut data: Vec<f32> = (0..32).map(|i| i as f32).collect();
    let mut hits = [0u32; 4];
    for [mode, gain, x, y] in DISPATCHES {
        let k = gain.abs() * 3.0 + x * y;
        for i in 0..16usize {
            if mode > 1.5 {
                hits[1] += 1;
                if i < 3 {
                    continue;
                }
                data[i] += k;
            } else if mode > 0.5 {
                hits[0] += 1;
                data[i] *= 0.5;
            }
            if x > y {
                data[i + 16] = i as f32 * k;
            }
            data[i] += gain * k;
        }
    }
    let bytes = |words: Vec<u32>| words.into_iter().flat_map(u32::to_le_bytes).collect();
    vec![bytes(data.into_iter().map(f32::to_bits).collect()), bytes(hits.to_vec())]
}

#[test]
fn changing_uniforms_get_the_right_programs() {
    let (alone, linked) = counted(&done);
    assert_eq!(alone["dispatches"], 5);
    for report in linked {
        assert!(report["link"]["derived"].as_u64().unwrap() >= 5, "{}", report["link"]);
        assert!(report["retired"].as_u64().unwrap() < alone["retired"].as_u64().unwrap());
    }
}

/// Words that stand behind what the constant bank takes of a buffer, and push constants.
#[test]
fn words_of_memory_and_push_constants_are_uniforms() {
    let (want, _) = done(&["--engine", "golden"]);
    let zeros = "0.0, ".repeat(400);
    let far = job().replace("a.wgsl", "far.wgsl").replace("values = [", &format!("values = [{zeros}"));
    let push = job().replace("a.wgsl", "push.comp").replace("uniform]]\nbinding = 0", "uniform]]\nname = \"u\"");
    for job in [far, push] {
        let (alone, report) = done_of(&job, &["--engine", "golden"]);
        assert!(alone == want && report["link"].is_null(), "{job}");
        let (got, linked) = done_of(&job, &["--set", "link=values"]);
        assert!(got == want, "{job}");
        assert_eq!((linked["link"]["variants"].as_u64(), linked["link"]["hits"].as_u64()), (Some(3), Some(2)));
        assert!(linked["link"]["derived"].as_u64().unwrap() >= 5);
        assert!(linked["retired"].as_u64().unwrap() < report["retired"].as_u64().unwrap());
    }
}

/// A uniform without all its words is refused if the host has to derive something of it.
#[test]
fn words_without_data_are_refused() {
    let zeros = "0.0, ".repeat(400);
    let text = job().replace("a.wgsl", "far.wgsl").replace("values = [0.0, 0.5", &format!("values = [{zeros}0.0, 0.5"));
    let dir = files(&text);
    let (code, said) = run(dir.path(), &["--engine", "golden", "--set", "link=on"]);
    assert!(code == 2 && said.contains("has no data") && said.contains("job.toml:2:"), "{code} {said}");
}

/// What the host derives is in the binary, and `quadlock disasm` shows it.
#[test]
fn a_linked_binary_runs_as_its_source() {
    let (want, _) = done(&["--engine", "golden", "--set", "link=on"]);
    let dir = files(&job().replace("a.wgsl", "a.elf"));
    let quadlock = |args: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_quadlock")).args(args).current_dir(dir.path()).output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8_lossy(&out.stdout).into_owned()
    };
    quadlock(&["compile", "a.wgsl", "--exact", "--set", "link=on"]);
    assert!(quadlock(&["disasm", "a.elf"]).contains("derived"), "{}", quadlock(&["disasm", "a.elf"]));
    let (code, said) = run_plain(dir.path(), &["--engine", "golden"]);
    assert_eq!(code, 0, "{said}");
    let got = ["data.raw", "hits.raw"].map(|name| std::fs::read(dir.path().join("o").join(name)).unwrap());
    assert!(got.to_vec() == want);
    // Linking it again cannot be.
    let (code, said) = run_plain(dir.path(), &["--set", "link=on"]);
    assert!(code == 2 && said.contains("link changes nothing"), "{code} {said}");
}

/// RTL and model in lockstep, unlinked and linked.
#[test]
fn lockstep_holds_and_nothing_changes() {
    let (want, alone) = done(&[]);
    for link in ["on", "values"] {
        let (got, linked) = done(&["--set", &format!("link={link}")]);
        assert!(got == want, "link={link}: another buffer");
        for key in ["retired", "cycles"] {
            assert!(linked[key].as_u64().unwrap() < alone[key].as_u64().unwrap(), "link={link}: {key}");
        }
    }
}

/// A dispatch that gets a variant for other uniforms is refused by the golden model's judge of
/// assumptions.
#[test]
fn a_stale_variant_is_caught() {
    let dir = files(&job());
    let stale = ["--engine", "golden", "--set", "link=values", "--set", "fault=compiler:variant-stale"];
    let (code, said) = run(dir.path(), &stale);
    assert!(code == 2 && said.contains("is right while") && said.contains("job.toml:2:"), "{code} {said}");
}

/// A branch that is decided against its uniform gives other buffers.
#[test]
fn a_branch_decided_wrongly_is_seen() {
    let (want, _) = done(&["--engine", "golden"]);
    let wrong = ["--engine", "golden", "--set", "link=values", "--set", "fault=compiler:link-other-arm"];
    assert!(done(&wrong).0 != want);
}

#[test]
fn wrong_keys_are_refused_with_their_place() {
    let whole = |key: &str| format!("name = \"j\"\n{key}\n{}", job().split_once('\n').unwrap().1);
    for (key, place) in [
        ("link = \"some\"", "job.toml:2:8"),
        ("variants = -1", "job.toml:2:12"),
        ("variants = \"many\"", "job.toml:2:12"),
    ] {
        let dir = files(&whole(key));
        let (code, said) = run(dir.path(), &[]);
        assert!(code == 2 && said.contains(place), "{key}: {code} {said}");
    }
    for (from, to, says) in [
        ("[[dispatch]]\n", "[[dispatch]]\ngrid = [1, 1, 1]\nthreads = [1, 1, 1]\n", "not both"),
        ("[[dispatch]]\n", "[[dispatch]]\nvalues = 1\n", "unknown field `values`"),
        ("[[dispatch.uniform]]\nbinding = 0", "[[dispatch.uniform]]\nbinding = 7", "no buffer group 0 binding 7"),
        ("threads = [16, 1, 1]", "[[thread]]\n", "has one dispatch"),
    ] {
        let text = job().replacen(from, to, 1);
        let dir = files(&text);
        let (code, said) = run(dir.path(), &["--engine", "golden"]);
        assert!(code == 2 && said.contains(says) && said.contains("job.toml:"), "{to}: {code} {said}");
    }
    for (set, says) in [("link=some", "off, on, values"), ("variants=-1", "whole numbers")] {
        let dir = files(&job());
        let (code, said) = run(dir.path(), &["--set", set]);
        assert!(code == 2 && said.contains(says), "{code} {said}");
    }
}

#[test]
fn dispatches_find_what_those_before_left() {
    assert!(done(&["--engine", "golden"]).0 == reckoned());
}
