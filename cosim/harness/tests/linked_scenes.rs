//! Scenes with linked programs give the pictures and buffers of the same scenes unlinked, while
//! uniforms change from draw to draw and variants run out (LP-14); and planted bugs do not.
//!
//! Machine and model run the same linked program, so lockstep cannot see a wrong one: every
//! comparison here is with the scene whose programs were compiled alone.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::link_variants::{counted, Uses};

/// Deselected arms store, count and discard; `other` decides one more branch in both stages.
const WGSL: &str = "
struct U { mode: f32, gain: f32, other: vec2f }
@group(0) @binding(1) var<uniform> u: U;
@group(0) @binding(2) var<storage, read_write> hits: array<atomic<u32>, 4>;
struct V { @builtin(position) p: vec4f, @location(0) c: vec4f, @location(1) k: f32, @location(2) s: f32 }
@vertex fn vertex(@location(0) p: vec3f, @location(1) w: vec2f, @location(2) c: vec3f) -> V {
  var c4 = vec4f(c, 1.0);
  if (u.other.x > u.other.y) { c4 = vec4f(c4.b, w, 1.0); }
  return V(vec4f(p, 1.0), c4, w.x * w.y, u.gain * 0.125);
}
@fragment fn fragment(v: V) -> @location(0) vec4f {
  var out = v.c * u.gain + vec4f(v.s);
  if (u.mode > 1.5) {
    atomicAdd(&hits[1], 1u);
    if (v.p.x < 8.0) { discard; }
    out = out + vec4f(v.k);
  } else if (u.mode > 0.5) {
    atomicAdd(&hits[0], 1u);
    out = v.c.bgra;
  }
  if (u.other.x > u.other.y) { if (v.p.y < 5.0) { discard; } }
  return out;
}
";

/// Uniforms of the draws: A B A C A.
const DRAWS: Uses =
    [[0.0, 0.5, 1.0, 2.0], [1.0, 0.5, 1.0, 2.0], [0.0, 0.75, 1.0, 2.0], [2.0, 1.0, 3.0, 2.0], [0.0, 0.5, 1.0, 2.0]];

fn scene() -> String {
    let mut text = "name = \"s\"\n[target]\nwidth = 24\nheight = 16\n[mesh.m]\n\
        attributes.position = [[-1, -1, 0], [3, -1, 0], [-1, 3, 0]]\n\
        attributes.weight = [[0.25, 1], [0.5, 0.5], [1, 0.75]]\n\
        attributes.colour = [[1, 0, 0.25], [0, 1, 0.5], [0.5, 0, 1]]\n"
        .to_owned();
    for (n, u) in DRAWS.iter().enumerate() {
        let x = 4 * n;
        text += &format!(
            "[[draw]]\nmesh = \"m\"\nvertex = {{ file = \"a.wgsl\", entry = \"vertex\" }}\n\
            fragment = {{ file = \"a.wgsl\", entry = \"fragment\" }}\n\
            attributes = {{ position = 0, weight = 1, colour = 2 }}\n\
            state = {{ scissor = [{x}, 0, 8, 16] }}\n\
            [[draw.binding]]\nbinding = 1\nvalues = {u:?}\n\
            [[draw.binding]]\nbinding = 2\nzero = 16\nout = {{ csv = \"hits{n}.csv\", columns = 4 }}\n"
        );
    }
    text
}

fn run(dir: &Path, more: &[&str]) -> (i32, String) {
    let args = ["run", "scene.toml", "--png", "p.png", "--out", "o", "--report", "r.json", "--exact"];
    let out = Command::new(env!("CARGO_BIN_EXE_quadlock")).args(args).args(more).current_dir(dir).output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    (out.status.code().unwrap_or(-1), text)
}

/// The picture, every buffer, and the report.
fn drawn(more: &[&str]) -> (Vec<Vec<u8>>, serde_json::Value) {
    drawn_of(WGSL, &scene(), more)
}

fn drawn_of(wgsl: &str, scene: &str, more: &[&str]) -> (Vec<Vec<u8>>, serde_json::Value) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.wgsl"), wgsl).unwrap();
    std::fs::write(dir.path().join("scene.toml"), scene).unwrap();
    let (code, said) = run(dir.path(), more);
    assert_eq!(code, 0, "{more:?}: {said}");
    let report = std::fs::read(dir.path().join("r.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    let mut all = vec![];
    for output in report["outputs"].as_array().unwrap() {
        all.push(std::fs::read(dir.path().join(output.as_str().unwrap())).unwrap());
    }
    assert_eq!(all.len(), 1 + DRAWS.len(), "{report}");
    (all, report)
}

#[test]
fn changing_uniforms_get_the_right_programs() {
    let (alone, _) = counted(&drawn);
    let (want, _) = drawn(&["--engine", "golden"]);
    let (got, report) = drawn(&["--engine", "golden", "--set", "link=on"]);
    assert!(got == want, "another picture or buffer");
    assert!(report["retired"].as_u64().unwrap() < alone["retired"].as_u64().unwrap());
}

/// Uniforms that stand behind a stage's window of the constant bank are uniforms, too.
#[test]
fn words_behind_the_window_are_uniforms() {
    let (want, _) = drawn(&["--engine", "golden"]);
    let zeros = "0.0, ".repeat(240);
    let far = scene().replace("binding = 1\nvalues = [", &format!("binding = 1\nvalues = [{zeros}"));
    let wgsl = WGSL.replace("struct U {", "struct U { a: array<vec4f, 60>,");
    let (alone, before) = drawn_of(&wgsl, &far, &["--engine", "golden"]);
    let (got, linked) = drawn_of(&wgsl, &far, &["--set", "link=values"]);
    assert!(alone == want && got == want, "another picture or buffer");
    assert_eq!((linked["link"]["variants"].as_u64(), linked["link"]["hits"].as_u64()), (Some(3), Some(2)));
    assert!(linked["retired"].as_u64().unwrap() < before["retired"].as_u64().unwrap());
}

/// Bytes of a line of memory.
const LINE: u32 = 16;
/// An attribute's element and stride, in bytes.
const POSITION: u32 = 12;
const WEIGHT: u32 = 8;
const COLOUR: u32 = 12;

/// Bytes at the memory port for some bytes of an attribute, of the mesh's three vertices, which are
/// lanes of one warp. A load is as wide as the stride keeps aligned, and its warp takes each line
/// that it touches once. Buffers begin at a line.
fn fetched(stride: u32, bytes: std::ops::Range<u32>) -> u32 {
    let width = (1 << stride.trailing_zeros()).min(LINE);
    let loads = bytes.step_by(width as usize);
    let lines = loads.map(|at| (0..3).map(|v| (v * stride + at) / LINE).collect::<BTreeSet<u32>>().len() as u32);
    LINE * lines.sum::<u32>()
}

/// What linking takes away is not read from memory: every byte that programs read and write at the
/// machine's memory port is accounted for, by strides, formats and vertices.
#[test]
fn attributes_that_nobody_needs_are_not_fetched() {
    let (want, alone) = drawn(&[]);
    let (got, linked) = drawn(&["--set", "link=values"]);
    assert!(got == want, "another picture or buffer");
    let programs = |r: &serde_json::Value| r["bytes"]["programs"].as_u64().unwrap();
    // B and C count their fragments, 8 by 16 pixels: a read and a write of a line for each.
    let atomics = 2 * 8 * 16 * 2 * LINE;
    let (position, weight) = (fetched(POSITION, 0..POSITION), fetched(WEIGHT, 0..WEIGHT));
    let (colour, blue) = (fetched(COLOUR, 0..COLOUR), fetched(COLOUR, 8..COLOUR));
    assert_eq!([position, weight, colour, blue].map(|bytes| bytes / LINE), [7, 2, 7, 3]);
    assert_eq!(programs(&alone), u64::from(atomics + 5 * (position + weight + colour)));
    // A and B read no weight, and C of the colour blue only.
    let needed = 4 * (position + colour) + (position + weight + blue);
    assert_eq!(programs(&linked), u64::from(atomics + needed));
}

/// A draw that gets a variant for other uniforms is refused by the golden model's judge of
/// assumptions.
#[test]
fn a_stale_variant_is_caught() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.wgsl"), WGSL).unwrap();
    std::fs::write(dir.path().join("scene.toml"), scene()).unwrap();
    let stale = ["--engine", "golden", "--set", "link=values", "--set", "fault=compiler:variant-stale"];
    let (code, said) = run(dir.path(), &stale);
    assert!(code != 0 && said.contains("is right while"), "{code} {said}");
}

/// A branch that is decided against its uniform gives another picture.
#[test]
fn a_branch_decided_wrongly_is_seen() {
    let (want, _) = drawn(&["--engine", "golden"]);
    let wrong = ["--engine", "golden", "--set", "link=values", "--set", "fault=compiler:link-other-arm"];
    assert!(drawn(&wrong).0 != want);
}

#[test]
fn words_of_link_are_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.wgsl"), WGSL).unwrap();
    std::fs::write(dir.path().join("scene.toml"), scene()).unwrap();
    for (set, says) in [("link=some", "some"), ("variants=-1", "-1")] {
        let (code, said) = run(dir.path(), &["--set", set]);
        assert!(code == 2 && said.contains(says), "{code} {said}");
    }
}
