//! Draws bypass the cull pipeline for the reasons that docs/scenes.md lists, and position parts of
//! the examples give the positions of their vertices.

use std::path::{Path, PathBuf};

use quadlock_golden::{Config, Golden, Launch, Memory, Tags};

use crate::scene::Scene;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// A scene for a machine with that pipeline.
fn read(path: &Path, pipeline: &str, sets: &[&str]) -> Scene {
    let mut all = vec![format!("machine.cull-pipeline={pipeline}"), "machine.hi-z=visibility".into()];
    all.extend(sets.iter().map(|s| (*s).to_owned()));
    Scene::read(path, true, &all).unwrap_or_else(|e| panic!("{}", e.message()))
}

const SCENES: [&str; 13] = [
    "teapot/scene.toml",
    "depth-complexity/scene.toml",
    "depth-complexity/back-to-front.toml",
    "depth-complexity/shuffled.toml",
    "foliage/scene.toml",
    "particles/scene.toml",
    "outline/scene.toml",
    "msaa/scene.toml",
    "sample-rate/scene.toml",
    "derivatives/scene.toml",
    "mesh/scene.toml",
    "gltf/scene.toml",
    "hair/scene.toml",
];

/// Every vertex of every draw, shaded by the position part.
#[test]
fn hz_36_position_parts_of_the_examples_give_their_positions() {
    for name in SCENES {
        let scene = read(&example(name), "positions", &[]);
        let frame = scene.frame(&scene.compiler().unwrap()).unwrap();
        let options = scene.options(true, None).unwrap();
        let launch = frame.launch(name, &options).unwrap();
        let log = launch.frame.as_ref().and_then(|f| f.log.clone()).unwrap();
        assert!(!log.positions.is_empty(), "{name}");
        let mut bytes = vec![0; launch.image.base as usize];
        bytes.extend_from_slice(&launch.image.bytes);
        let config = Config { graphics: true, ..Config::default() };
        let mut golden = Golden::new(config, launch.code.clone(), vec![], Memory::from_bytes(bytes));
        let mut set = None;
        let mut all: Vec<_> = log.positions.iter().collect();
        all.sort_unstable();
        for (&(state, instance, index), expected) in all {
            let program = &log.programs[2 * state];
            if set.replace(state) != Some(state) {
                golden.set_logged_program(1, program);
            }
            let pc = program.position().unwrap_or_else(|| panic!("{name}: state {state} has no position part"));
            let tags = Tags { program: 1, vertex: [index; 4], instance: [instance; 4], ..Tags::default() };
            let graphics = Some(Box::new(tags));
            let launch = Launch { mask: 1, pc, warps_in_group: 1, graphics, ..Launch::default() };
            golden.launch(&launch).unwrap();
            while !golden.warp(0, 0).is_ended() {
                golden.step(0, 0).unwrap();
            }
            let seen: [u32; 4] = std::array::from_fn(|word| golden.warp(0, 0).output(word)[0]);
            assert_eq!(seen, *expected, "{name}: state {state}, instance {instance}, index {index}");
        }
    }
}

const VERTICES: &str = "
@group(0) @binding(0) var<storage, read> given: array<f32, 4>;
@vertex fn plain(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.5, 1.0); }
@vertex fn reads(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, given[1], 1.0); }
";

const FRAGMENTS: &str = "
@group(0) @binding(0) var<storage, read_write> kept: array<f32, 4>;
@fragment fn white() -> @location(0) vec4f { return vec4f(1.0); }
@fragment fn stores() -> @location(0) vec4f { kept[0] = 1.0; return vec4f(1.0); }
";

/// Reasons of draws, by pipeline, number of triangles, vertex and fragment program, keys of the
/// draw, and the state of one or two draws.
fn reasons(pipeline: &str, triangles: u32, programs: [&str; 2], keys: &str, states: &[&str]) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("v.wgsl"), VERTICES).unwrap();
    std::fs::write(dir.path().join("f.wgsl"), FRAGMENTS).unwrap();
    let corners = "[-1, -1], [1, -1], [0, 1], ".repeat(triangles as usize);
    let mut text =
        format!("name = \"s\"\n[target]\nwidth = 8\nheight = 8\n[mesh.m]\nattributes.position = [{corners}]\n");
    // Each draw has its own buffer: both files have one.
    let keys = format!("{keys}\nbinding = [{{ binding = 0, zero = 16 }}]");
    for state in states {
        let program = |file: &str, entry: &str| format!("{{ file = \"{file}.wgsl\", entry = \"{entry}\" }}");
        let (vertex, fragment) = (program("v", programs[0]), program("f", programs[1]));
        text += &format!(
            "[[draw]]\nmesh = \"m\"\nvertex = {vertex}\nfragment = {fragment}\n{keys}\nstate = {{ {state} }}\n"
        );
    }
    let path = dir.path().join("scene.toml");
    std::fs::write(&path, text).unwrap();
    let scene = read(&path, pipeline, &[]);
    let frame = scene.frame(&scene.compiler().unwrap()).unwrap_or_else(|e| panic!("{}", e.message()));
    frame.bypassed.unwrap_or_default().into_iter().map(|b| format!("{}: {}", b.draw, b.reason)).collect()
}

#[test]
fn hz_33_draws_bypass_for_a_reason() {
    const LESS: &str = "depth = \"less\"";
    const PLAIN: [&str; 2] = ["plain", "white"];
    let of = |keys, states: &[&str]| reasons("depth", 4, PLAIN, keys, states);
    assert_eq!(of("", &[LESS]), [""; 0]);
    assert_eq!(of("bypass = true", &[LESS]), ["0: the scene file asks for it"]);
    // Few triangles are no reason where they update bounds.
    let few = ["0: it has 3 triangles, fewer than 4"];
    assert_eq!(reasons("depth", 3, PLAIN, "", &[LESS]), [""; 0]);
    assert_eq!(reasons("positions", 3, PLAIN, "", &[LESS]), few);
    for state in ["depth = \"less\", depth-write = false", "depth = \"less\", stencil = { front = {} }"] {
        assert_eq!(reasons("depth", 3, PLAIN, "", &[state]), few, "{state}");
    }
    assert_eq!(reasons("depth", 3, PLAIN, "instances = 2", &[LESS]), [""; 0]);
    assert_eq!(reasons("depth", 3, PLAIN, "bypass = false", &[LESS]), [""; 0]);
    let visible = ["0: neither depth nor side can hide anything of it"];
    assert_eq!(of("", &[""]), visible);
    assert_eq!(of("", &["cull = \"back\""]), [""; 0]);
    assert_eq!(of("bypass = false", &[""]), [""; 0]);
    let always = "depth = \"always\", cull = \"back\"";
    assert_eq!(of("bypass = false", &[always]), ["0: it writes depth whatever is there"]);
    assert_eq!(reasons("positions", 4, PLAIN, "", &[always]), [""; 0]);
    let greater = "depth = \"greater\"";
    assert_eq!(of("", &[LESS, "depth = \"less-equal\""]), [""; 0]);
    assert_eq!(of("", &[LESS, greater]), ["1: it moves depth against the direction of its pass"]);
    assert_eq!(of("", &[LESS, "depth = \"greater\", depth-write = false"]), [""; 0]);
    // The first draw has fewer vertices than the others.
    assert_eq!(of("", &[greater, LESS, LESS]), ["0: it moves depth against the direction of its pass"]);
    let reads = "depth = \"less\", depth-write = false";
    assert_eq!(
        of("", &[greater, LESS, LESS, greater, reads]),
        ["1", "2"].map(|n| format!("{n}: it moves depth against the direction of its pass"))
    );
    assert_eq!(reasons("off", 1, PLAIN, "bypass = true", &[LESS]), [""; 0]);
}

#[test]
fn hz_33_draws_that_the_pipeline_cannot_know_bypass_it() {
    let of = |programs| reasons("positions", 4, programs, "bypass = false", &["depth = \"less\""]);
    assert_eq!(of(["reads", "stores"]), ["0: its vertices read `given`, which its fragments may write"]);
    assert_eq!(of(["reads", "white"]), [""; 0]);
    assert_eq!(of(["plain", "stores"]), [""; 0]);
}
