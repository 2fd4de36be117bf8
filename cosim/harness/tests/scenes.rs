//! Scene files from the command line: the examples beside the pictures of another renderer, orders
//! that give one picture, and files that cannot be used.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use quadlock_testkit::tier;

use crate::plain::plain_scene;

fn quadlock(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_quadlock")).args(args).output().expect("quadlock runs")
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

const SCENES: [&str; 12] = [
    "teapot/scene.toml",
    "depth-complexity/scene.toml",
    "depth-complexity/back-to-front.toml",
    "depth-complexity/shuffled.toml",
    "foliage/scene.toml",
    "particles/scene.toml",
    "outline/scene.toml",
    "msaa/scene.toml",
    "derivatives/scene.toml",
    "mesh/scene.toml",
    "gltf/scene.toml",
    "gltf/forms.toml",
];

/// Each has lavapipe's picture as what must come out.
#[test]
fn the_examples_are_another_renderers_pictures() {
    for scene in SCENES {
        let path = examples().join(scene);
        for size in [&["--small"][..], &[]] {
            let mut args = vec!["run", path.to_str().unwrap(), "--engine", "golden"];
            args.extend(size);
            let out = quadlock(&args);
            assert!(out.status.success(), "{scene} {size:?}: {}", text(&out));
        }
    }
}

/// The machine draws each of them as the model does: triangles, quads, samples, instructions, and
/// all memory at the end; with one core and with two, and with a memory that takes its time.
#[test]
fn the_rtl_draws_the_examples_in_lockstep() {
    let slow = ["--set", "memory.latency=20", "--set", "memory.jitter=20", "--set", "memory.stall=20"];
    let settings: [&[&str]; 3] = [&[], &["--set", "machine.cores=2"], &slow];
    // `make examples-check` draws all, in the first setting.
    for (n, scene) in tier::first(3, SCENES.into_iter().enumerate()) {
        let path = examples().join(scene);
        let mut args = vec!["run", path.to_str().unwrap(), "--small"];
        args.extend(settings[n % settings.len()]);
        let out = quadlock(&args);
        assert!(out.status.success(), "{args:?}: {}", text(&out));
        assert!(text(&out).contains("verdict                 PASS"), "{args:?}: {}", text(&out));
    }
}

/// Planted bugs of the RTL that scenes in lockstep show.
#[test]
fn planted_bugs_of_graphics_are_caught_in_lockstep() {
    let faults = [
        ("depth-complexity", "geometry-swap"),
        ("depth-complexity", "graphics-lane-swap"),
        ("depth-complexity", "graphics-wrong-program"),
        ("depth-complexity", "command-window"),
        ("depth-complexity", "raster-top-rule"),
        ("depth-complexity", "bary-sign"),
        ("depth-complexity", "attribute-equal"),
        ("depth-complexity", "attribute-order"),
        ("foliage", "graphics-end-early"),
    ];
    for (scene, fault) in tier::first(2, faults) {
        let path = examples().join(scene).join("scene.toml");
        let set = format!("machine.fault={fault}");
        let out = quadlock(&["run", path.to_str().unwrap(), "--small", "--set", &set]);
        assert_eq!(out.status.code(), Some(1), "{fault}: {}", text(&out));
    }
}

/// A wrong picture is seen: nearer boxes are drawn over by farther ones without the depth test.
#[test]
fn a_wrong_picture_fails() {
    let path = examples().join("depth-complexity/scene.toml");
    let out = quadlock(&[
        "run",
        path.to_str().unwrap(),
        "--engine",
        "golden",
        "--small",
        "--set",
        "draw.0.state.depth=always",
    ]);
    assert_eq!(out.status.code(), Some(1), "{}", text(&out));
    assert!(text(&out).contains("WRONG-OUTPUT") && text(&out).contains("the worst by"), "{}", text(&out));
}

#[test]
fn the_order_of_opaque_boxes_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let draw = |name: &str| {
        let png = dir.path().join(format!("{name}.png"));
        let path = examples().join(format!("depth-complexity/{name}.toml"));
        let out = quadlock(&["run", path.to_str().unwrap(), "--engine", "golden", "--png", png.to_str().unwrap()]);
        assert!(out.status.success(), "{}", text(&out));
        std::fs::read(png).unwrap()
    };
    let first = draw("scene");
    assert!(first == draw("back-to-front") && first == draw("shuffled"));
}

#[test]
fn the_report_has_its_keys() {
    let dir = tempfile::tempdir().unwrap();
    let report = dir.path().join("report.json");
    let path = examples().join("teapot/scene.toml");
    let out = quadlock(&[
        "run",
        path.to_str().unwrap(),
        "--engine",
        "golden",
        "--small",
        "--report",
        report.to_str().unwrap(),
    ]);
    assert!(out.status.success(), "{}", text(&out));
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    assert_eq!(json["triangles"]["in"], 992);
    let of = |key: &str| json[key].as_u64().unwrap_or_else(|| panic!("{key}"));
    assert_eq!(json["verdict"], "pass");
    assert!(of("quads") > 100 && of("fragments_shaded") >= of("samples_written") && of("helper_lanes") > 0);
    for key in ["culled", "clipped", "set_up"] {
        assert!(json["triangles"][key].is_u64(), "{key}");
    }
}

const WGSL: &str = "
struct V { @builtin(position) p: vec4f, @location(0) c: vec3f }
@vertex fn vertex(@location(0) p: vec2f) -> V { return V(vec4f(p, 0.0, 1.0), vec3f(1.0)); }
@fragment fn fragment(v: V) -> @location(0) vec4f { return vec4f(v.c, 1.0); }
@fragment fn other(@location(4) c: vec3f) -> @location(0) vec4f { return vec4f(c, 1.0); }
@fragment fn endless(v: V) -> @location(0) vec4f { var n = 0u; loop { n += 1u; if (n == 0u) { n = 1u; } if (v.c.x > 2.0) { break; } } return vec4f(f32(n)); }
@vertex fn forever(@location(0) p: vec2f) -> V { var n = 0u; loop { n += 1u; if (n == 0u) { n = 1u; } if (p.x > 2.0) { break; } } return V(vec4f(p, f32(n), 1.0), vec3f(1.0)); }
";

/// A folder with a program, and a scene of that text.
fn scene(text: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.wgsl"), WGSL).unwrap();
    let path = dir.path().join("scene.toml");
    std::fs::write(&path, text).unwrap();
    (dir, path)
}

const PLAIN: &str = plain_scene!("[[-1, -1], [1, -1], [0, 1]]");

fn drawn(text_of: &str) -> (i32, String) {
    let (_dir, path) = scene(text_of);
    let out = quadlock(&["run", path.to_str().unwrap(), "--engine", "golden"]);
    (out.status.code().unwrap_or(-1), text(&out))
}

#[test]
fn what_cannot_be_drawn_is_refused_with_its_place() {
    assert_eq!(drawn(PLAIN).0, 0, "{}", drawn(PLAIN).1);
    let cases = [
        ("width = 16", "width = 0", "a target of 0 x 16 pixels"),
        ("width = 16", "width = 16\nsamples = 3", "scene.toml:4:1: error: 3 samples"),
        ("mesh = \"m\"", "mesh = \"m\"\ninstances = 4000000000", "4000000000 instances: more than"),
        ("width = 16", "widht = 16", "scene.toml:3:1: error: unknown field `widht`"),
        ("mesh = \"m\"", "mesh = \"n\"", "scene.toml:8:8: error: there is no mesh `n`"),
        ("[0, 1]]", "[0, nan]]", "scene.toml:5:1: error: mesh `m`: attribute `position`, vertex 2"),
        ("[0, 1]]", "[0, 1, 2]]", "element 2 has 3 numbers"),
        ("[0, 1]]", "[0, 1]]\nindices = [0, 1, 3]", "index 2 is 3, and there are 3 vertices"),
        ("attributes.position", "file = \"none.obj\" #", "none.obj"),
        ("\"fragment\" }", "\"other\" }", "a.wgsl:5:33: error: vertex program vertex"),
        ("\"fragment\" }", "\"vertex\" }", "is a vertex shader, not a fragment shader"),
        ("\"fragment\" }", "\"fragment\" }\nattributes = { normal = 0 }", "has no `normal`"),
        (
            "\"fragment\" }",
            "\"fragment\" }\nattributes = { position = { location = 0, format = \"float32x5\" } }",
            "there is no format",
        ),
        ("\"fragment\" }", "\"fragment\" }\nstate = { scissor = [0, 0, 17, 1] }", "a scissor beyond the target"),
        ("\"fragment\" }", "\"fragment\" }\ncount = 4", "4 indices from 0 on, the mesh has 3"),
        ("\"fragment\" }", "\"fragment\" }\nstate = { write = [\"rx\"] }", "write mask `rx`"),
    ];
    for (from, to, says) in cases {
        let (code, said) = drawn(&PLAIN.replacen(from, to, 1));
        assert!(code == 2 && said.contains(says), "{to}: {code} {said}");
        assert!(!said.contains("panicked"), "{said}");
    }
}

/// A binding is one buffer: the elements of an array would all be the same memory.
#[test]
fn arrays_of_buffers_are_refused() {
    let text_of = PLAIN.replacen("{ file = \"a.wgsl\", entry = \"fragment\" }", "\"a.frag\"", 1);
    let (dir, path) = scene(&(text_of + "[[draw.binding]]\nbinding = 0\nzero = 16\n"));
    let frag = "#version 450\nlayout(binding = 0) buffer B { float x; } all[2];\nlayout(location = 0) out vec4 c;\n\
                void main() { all[0].x = 1.0; all[1].x = 2.0; c = vec4(all[0].x); }\n";
    std::fs::write(dir.path().join("a.frag"), frag).unwrap();
    let out = quadlock(&["run", path.to_str().unwrap(), "--engine", "golden"]);
    let said = text(&out);
    assert!(out.status.code() == Some(2) && said.contains("is of an array of buffers"), "{said}");
}

#[test]
fn a_program_without_end_is_found_and_named() {
    let (code, said) = drawn(&PLAIN.replacen("\"fragment\" }", "\"endless\" }", 1));
    assert!(code == 1 && said.contains("does not end") && said.contains("a.wgsl:6:"), "{code} {said}");
}

/// In lockstep too, of both stages; and on the machine alone, by the limit of cycles.
#[test]
fn a_program_without_end_is_a_hang_in_every_engine() {
    let vertex = PLAIN.replacen("entry = \"vertex\"", "entry = \"forever\"", 1);
    for (text_of, line) in [(PLAIN.replacen("\"fragment\" }", "\"endless\" }", 1), 6), (vertex, 7)] {
        let (dir, path) = scene(&text_of);
        for engine in ["lockstep", "golden"] {
            let out = quadlock(&["run", path.to_str().unwrap(), "--engine", engine]);
            let said = text(&out);
            assert_eq!(out.status.code(), Some(1), "{said}");
            assert!(
                said.contains("verdict                 HANG") && said.contains(&format!("a.wgsl:{line}:")),
                "{said}"
            );
        }
        let waves = dir.path().join("out").display().to_string();
        let limit = ["--engine", "rtl", "--set", "limits.cycles=20000", "--out", &waves];
        let out = quadlock(&[&["run", path.to_str().unwrap()], &limit[..]].concat());
        let said = text(&out);
        assert!(out.status.code() == Some(1) && said.contains("verdict                 HANG"), "{said}");
    }
}

/// Every byte of small meshes damaged somehow: drawn or refused, never a panic.
#[test]
fn damaged_meshes_are_no_panics() {
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nvt 0 0\nf 1/1/1 2/1/1 3/1/1\nf -1/-1/-1 -2/-1/-1 -3/1/1\n";
    let gltf = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
"buffers":[{"byteLength":44,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIAAAA="}],
"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":6}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]},
{"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"}]}"#;
    // A concave polygon with colours, without normals behind a face that has some; and a strip of
    // integers below a mirror, with a sparse accessor and a part without normals.
    let concave =
        "v 0 0 0 1 0 0\nv 2 0 0\nv 1 \\\n1 0\nv 2 2 0 0 0 1\nv 0 2 0\nvn 0 0 1\nf 1//1 2//1 3//1\nl 1 2\nf 1 2 3 4 5\n";
    let parts = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0,"scale":[-1,2,0]}],
"extensionsUsed":["KHR_mesh_quantization"],"materials":[{}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0,"NORMAL":1,"_A":2},"mode":5},{"attributes":{"POSITION":0},"mode":6}]}],
"buffers":[{"byteLength":44,"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIAAAA%3D"}],
"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":6}],
"accessors":[{"bufferView":0,"componentType":5122,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0],
"sparse":{"count":2,"indices":{"bufferView":1,"byteOffset":1,"componentType":5121},"values":{"bufferView":0,"byteOffset":8}}},
{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},{"componentType":5121,"count":3,"type":"SCALAR"}]}"#;
    let spec = PLAIN.replacen("attributes.position = [[-1, -1], [1, -1], [0, 1]]", "file = \"m.EXT\"", 1);
    let spec = spec.replacen(
        "\"fragment\" }",
        "\"fragment\" }\nattributes = { position = { location = 0, format = \"float32x2\" } }",
        1,
    );
    for (ext, good) in [("obj", obj), ("gltf", gltf), ("obj", concave), ("gltf", parts)] {
        let (dir, path) = scene(&spec.replace("EXT", ext));
        let mesh = dir.path().join(format!("m.{ext}"));
        std::fs::write(&mesh, good).unwrap();
        let run = || quadlock(&["run", path.to_str().unwrap(), "--engine", "golden"]);
        assert_eq!(run().status.code(), Some(0), "{}", text(&run()));
        // A seeded generator of places and bytes.
        let mut seed = 12345u32;
        let mut next = |n: usize| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as usize % n
        };
        for _ in 0..150 {
            let mut bytes = good.as_bytes().to_vec();
            match next(3) {
                0 => bytes.truncate(next(good.len())),
                1 => bytes[next(good.len())] = b"0123456789-.,{}[]\"/ \n\0\xFF"[next(23)],
                _ => {
                    let (at, n) = (next(good.len()), next(9));
                    bytes.splice(at..at, b"99999999 "[..n].iter().copied());
                }
            }
            std::fs::write(&mesh, &bytes).unwrap();
            let out = run();
            let code = out.status.code();
            assert!(
                matches!(code, Some(0..=2)) && !text(&out).contains("panicked"),
                "{code:?} {} {bytes:?}",
                text(&out)
            );
        }
    }
}

/// A scene that fails leaves waves from before the failure, a view, and the command.
#[test]
fn a_failing_scene_is_drawn_again_with_waves() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    let path = examples().join("depth-complexity/scene.toml");
    let (out, report) = (at("out"), at("report.json"));
    let args = ["run", path.to_str().unwrap(), "--small", "--set", "machine.fault=geometry-swap"];
    let seen = quadlock(&[&args[..], &["--out", &out, "--report", &report]].concat());
    assert_eq!(seen.status.code(), Some(1), "{}", text(&seen));
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
    let mismatch = &json["mismatches"][0];
    let again = mismatch["reproduce"].as_str().unwrap();
    assert!(text(&seen).contains(again) && again.contains("--set machine.fault=geometry-swap"), "{again}");
    let view = std::fs::read_to_string(dir.path().join("out/failure.gtkw")).unwrap();
    // The clock has a period of 10 units; the view's marker is within the failing cycle.
    let marker = view.lines().find(|l| l.starts_with('*')).unwrap();
    let at: u64 = marker.split_whitespace().nth(1).unwrap().parse().unwrap();
    let cycle = mismatch["cycle"].as_u64().unwrap();
    assert!(at > 0 && cycle > 0, "{marker}, cycle {cycle}");
    assert!(dir.path().join("out/failure.fst").metadata().unwrap().len() > 1000);
}

/// Programs that store, count and keep arrays of their own: what a helper does not do is not
/// compared, what the machine orders is done in its order, and stacks are nobody's.
#[test]
fn programs_with_memory_are_in_lockstep() {
    let buffer = "@group(0) @binding(0) var<storage, read_write> o: array<atomic<u32>>;";
    let at = "@builtin(position) p: vec4f";
    let programs = [
        // Stores of lanes that were discarded.
        format!("{buffer}\n@fragment fn f({at}) -> @location(0) vec4f {{ if (p.x < 5.0) {{ discard; }} atomicStore(&o[u32(p.y) * 16u + u32(p.x)], 7u); return vec4f(1.0); }}"),
        // Which of several stores is the last one is the machine's choice.
        format!("{buffer}\n@fragment fn f({at}) -> @location(0) vec4f {{ atomicStore(&o[u32(p.x) & 3u], u32(p.y) * 16u + u32(p.x)); return vec4f(1.0); }}"),
        // Atomics of helper lanes, before and after a discard.
        format!("{buffer}\n@fragment fn f({at}) -> @location(0) vec4f {{ atomicMax(&o[0], u32(p.x)); if (p.x < 5.0) {{ discard; }} atomicAdd(&o[1], 1u); atomicOr(&o[2], u32(dpdx(p.x)) << u32(p.x)); return vec4f(1.0); }}"),
        // An array that is indexed at run time.
        format!("@fragment fn f({at}) -> @location(0) vec4f {{ var s = array<f32, 8>(); for (var i = 0u; i < 8u; i++) {{ s[i] = p.y * f32(i) / 128.0; }} return vec4f(s[u32(p.x) % 8u], 0.0, 0.0, 1.0); }}"),
    ];
    for program in programs {
        let vertex =
            "@vertex fn vertex(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.5, 1.0); }";
        let binding = if program.contains("binding") { "[[draw.binding]]\nbinding = 0\nzero = 1024\n" } else { "" };
        let (dir, path) = scene(&(PLAIN.replacen("\"fragment\" }", "\"f\" }", 1) + binding));
        std::fs::write(dir.path().join("a.wgsl"), format!("{vertex}\n{program}\n")).unwrap();
        let out = quadlock(&["run", path.to_str().unwrap(), "--set", "machine.cores=2"]);
        assert!(
            out.status.success() && text(&out).contains("verdict                 PASS"),
            "{program}: {}",
            text(&out)
        );
    }
}

/// The counts of the event ports are the model's.
#[test]
fn machine_and_model_count_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let report = dir.path().join("report.json");
    let scenes = [
        ("teapot", "draw.0.state.cull=back"),
        ("msaa", "target.samples=2"),
        ("foliage", "target.samples=1"),
        ("depth-complexity", "draw.0.state.cull=front"),
    ];
    for (scene, set) in tier::first(2, scenes) {
        let path = examples().join(scene).join("scene.toml");
        let counts = ["lockstep", "golden"].map(|engine| {
            let args = ["run", path.to_str().unwrap(), "--small", "--engine", engine, "--set", set, "--report"];
            quadlock(&[&args[..], &[report.to_str().unwrap()]].concat());
            let json: serde_json::Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
            let keys = ["draws", "triangles", "quads", "helper_lanes", "fragments_shaded", "samples_written"];
            keys.map(|key| json[key].clone())
        });
        assert_eq!(counts[0], counts[1], "{scene}");
    }
}

/// A triangle that is cut by many planes with all its words shows nothing for some 13,000 cycles
/// but the clipper's steps. That is no hang.
#[test]
fn clipping_at_many_planes_is_no_hang() {
    let list = |of: &dyn Fn(usize) -> String, between: &str| (0..14).map(of).collect::<Vec<_>>().join(between);
    let program = format!(
        "struct V {{ @builtin(position) p: vec4f, {}, @location(14) last: vec3f }}\n\
         @vertex fn vertex(@location(0) p: vec4f) -> V {{ return V(p, {}, p.xyz); }}\n\
         @fragment fn fragment(v: V) -> @location(0) vec4f {{ return vec4f(v.last, 1.0) + {}; }}\n",
        list(&|n| format!("@location({n}) v{n}: vec4f"), ", "),
        list(&|n| format!("p + vec4f({n}.0)"), ", "),
        list(&|n| format!("v.v{n}"), " + "),
    );
    let corners = "[-9e5, -7e5, 0.5, 1], [8e5, -9e5, 3, 1], [1e5, 9e5, -2, 1], \
                   [-9e4, -7e4, 0.5, -1], [8e5, -9e5, 3, 1], [1e5, 9e5, -2, 1]";
    let (dir, path) = scene(&PLAIN.replacen("[-1, -1], [1, -1], [0, 1]", corners, 1));
    std::fs::write(dir.path().join("a.wgsl"), program).unwrap();
    let slow = ["--set", "memory.latency=100", "--set", "memory.jitter=50", "--set", "memory.stall=50"];
    let run = |more: &[&str]| quadlock(&[&["run", path.to_str().unwrap()], &slow[..], more].concat());
    let out = run(&[]);
    assert!(text(&out).contains("verdict                 PASS"), "{}", text(&out));
    let out = run(&["--set", "limits.idle=3000"]);
    assert!(text(&out).contains("verdict                 PASS"), "{}", text(&out));
}

/// What is silent for long but for its steps of work is no hang: the depth rasteriser of the
/// visibility unit, binners whose triangles cover nothing, tiles that are cleared and passed over.
#[test]
fn long_work_is_no_hang() {
    let depth = PLAIN.replacen("width = 16", "width = 256\ndepth = true", 1);
    let depth =
        depth.replacen("height = 16", "height = 256", 1).replacen("fragment = ", "state = { depth = \"less\" }\n#", 1);
    let wall = depth.replacen("[[-1, -1], [1, -1], [0, 1]]", "[[-1, -1], [3, -1], [-1, 3]]", 1);
    // A sliver along the diagonal, whose box is all of the target.
    let sliver = depth.replacen("[[-1, -1], [1, -1], [0, 1]]", "[[-1, -1], [1, 1], [1, 0.999]]", 1);
    // Nothing of a pass is kept, whose tiles nobody opens.
    let discarded = "[[pass]]\nstore = [\"discard\"]\n[[pass.draw]]\n";
    let empty = PLAIN.replacen("width = 16", "width = 512\ntile = 8", 1).replacen("height = 16", "height = 512", 1);
    let empty = empty.replacen("[[draw]]\n", discarded, 1).replacen(
        "[[-1, -1], [1, -1], [0, 1]]",
        "[[5, 5], [6, 5], [5, 6]]",
        1,
    );
    let window = ["machine.hi-z=visibility", "machine.tbimr=window"];
    let full = ["machine.tbimr=full"];
    let cases: [(&str, &[&str]); 4] = [(&wall, &window), (&sliver, &full), (&sliver, &[]), (&empty, &[])];
    for (n, (text_of, sets)) in cases.into_iter().enumerate() {
        let (_dir, path) = scene(text_of);
        let mut args = vec!["run", path.to_str().unwrap(), "--set", "limits.idle=1500"];
        args.extend(sets.iter().flat_map(|s| ["--set", s]));
        let out = quadlock(&args);
        assert!(text(&out).contains("verdict                 PASS"), "case {n}: {args:?}: {}", text(&out));
    }
}

/// A machine that stands still is a hang, and its blocks say who waits for whom.
#[test]
fn a_hang_of_the_pipeline_names_who_waits_for_whom() {
    let many = PLAIN.replacen("entry = \"fragment\" }", "entry = \"fragment\" }\ninstances = 70", 1);
    let (dir, path) = scene(&many);
    let (waves, report) = (dir.path().join("out").display().to_string(), dir.path().join("r.json"));
    let fault = ["--set", "machine.fault=rtl:geometry-leak", "--set", "limits.idle=2000", "--out", &waves];
    let out = quadlock(&[&["run", path.to_str().unwrap(), "--report", report.to_str().unwrap()], &fault[..]].concat());
    let said = text(&out);
    assert!(out.status.code() == Some(1) && said.contains("hang: nothing has happened since cycle"), "{said}");
    let geometry = "quadlock.graphics_0.geometry";
    assert!(said.contains(&format!("{geometry}.assembly waits for {geometry}.fetch to take triangle")), "{said}");
    assert!(said.contains("nothing that they offer is refused: ") && said.contains("look there first"), "{said}");
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    let waits = json["hang"]["waits"].as_array().expect("waits");
    assert!(waits
        .iter()
        .any(|w| w["block"] == format!("{geometry}.assembly") && w["for"][0] == format!("{geometry}.fetch")));
    // A block that keeps what it has offers nothing: the merge queue is found by what it lacks.
    let pairs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/merging/scene.toml");
    let fault = ["--set", "merge=on", "--set", "machine.fault=rtl:merge-limit", "--set", "limits.idle=2000"];
    let out = quadlock(&[&["run", pairs.to_str().unwrap(), "--out", &waves], &fault[..]].concat());
    let said = text(&out);
    assert!(
        out.status.code() == Some(1) && said.contains(" quads are not shaded, the first: draw 0, triangle "),
        "{said}"
    );
    assert!(said.contains("they come from binner, rasteriser, early tests, merge queue"), "{said}");
}

/// Numbers of triangles have 16 bits. 66,000 triangles are one window of full binning but for what
/// the guard of numbers ends: of the first and of the last three instances one triangle each is in
/// the picture, all others are culled early, and the last ones have the numbers of the first again.
#[test]
fn numbers_of_triangles_wrap_and_change_no_picture() {
    let culled = vec!["3, 4, 5"; 109].join(", ");
    let mesh = format!(
        "[[-0.5, -0.5], [0.5, -0.5], [0, 0.5], [-9, -0.5], [-8, -0.5], [-8, 0.5]]\nindices = [0, 1, 2, {culled}]"
    );
    let many = PLAIN.replacen("[[-1, -1], [1, -1], [0, 1]]", &mesh, 1);
    let (dir, path) = scene(&many.replacen("entry = \"fragment\" }", "entry = \"fragment\" }\ninstances = 600", 1));
    let program = "
struct V { @builtin(position) p: vec4f, @location(0) c: vec3f }
@vertex fn vertex(@location(0) p: vec2f, @builtin(instance_index) n: u32) -> V {
    let beside = select(0.0, -9.0, n > 2u && n < 597u);
    return V(vec4f(p.x + beside + f32(n) * 0.001, p.y, 0.0, 1.0), vec3f(f32(n & 3u) * 0.25));
}
@fragment fn fragment(v: V) -> @location(0) vec4f { return vec4f(v.c, 1.0); }
";
    std::fs::write(dir.path().join("a.wgsl"), program).unwrap();
    let sets = ["machine.tbimr=full", "machine.setup-rate=4", "machine.units=1"];
    let mut args = vec!["run", path.to_str().unwrap()];
    args.extend(sets.iter().flat_map(|s| ["--set", s]));
    let out = quadlock(&args);
    assert!(text(&out).contains("verdict                 PASS"), "{args:?}: {}", text(&out));
}

/// HZ-10, HZ-34: a fan of several hundred triangles around one vertex is one window, if the stores
/// hold it; and many with small ones. Both are drawn as the model does, and so it is without a
/// window.
#[test]
fn a_fan_around_one_vertex_changes_no_picture() {
    let rim: Vec<String> = (0..12)
        .map(|k| (f64::from(k) / 12.0 * std::f64::consts::TAU).sin_cos())
        .map(|(y, x)| format!("[{:.3}, {:.3}]", 0.3 * x, 0.3 * y))
        .collect();
    let indices: Vec<String> = (0..400).map(|k| format!("0, {}, {}", 1 + k % 12, 1 + (k + 1) % 12)).collect();
    let mesh = format!("[[0, 0], {}]\nindices = [{}]", rim.join(", "), indices.join(", "));
    let (_dir, path) = scene(&PLAIN.replacen("[[-1, -1], [1, -1], [0, 1]]", &mesh, 1));
    let small = ["machine.store-triangles=64", "machine.store-vertices=64"];
    let runs: [&[&str]; 3] = [&[], &["machine.tbimr=window"], &[&["machine.tbimr=window"], &small[..]].concat()];
    for sets in tier::first(2, runs) {
        let mut args = vec!["run", path.to_str().unwrap()];
        args.extend(sets.iter().flat_map(|s| ["--set", s]));
        let out = quadlock(&args);
        assert!(text(&out).contains("verdict                 PASS"), "{args:?}: {}", text(&out));
    }
}

/// HZ-10, HZ-35: triangles sorted by tile, in windows of several sizes, are drawn as the model
/// does, which has no tiles. Tiles of small windows are loaded again. A triangle that is lost is
/// found.
#[test]
fn windows_of_triangles_change_no_picture() {
    let small = ["machine.tbimr-window=16", "machine.tbimr-pairs=64", "machine.tbimr-tiles=16", "machine.merge=true"];
    let lost = ["machine.tbimr-pairs=64", "machine.fault=rtl:window-lost"];
    let place = ["machine.tbimr-tiles=16", "machine.fault=rtl:window-place"];
    let runs: [(&str, &[&str], i32, &str); 6] = [
        ("msaa/scene.toml", &small, 0, "verdict                 PASS"),
        ("depth-complexity/scene.toml", &lost, 1, "found by checker `quad`"),
        ("msaa/scene.toml", &[], 0, "verdict                 PASS"),
        ("depth-complexity/shuffled.toml", &small, 0, "verdict                 PASS"),
        ("teapot/scene.toml", &["machine.cores=2"], 0, "verdict                 PASS"),
        ("depth-complexity/scene.toml", &place, 1, "found by checker `"),
    ];
    for (name, sets, status, words) in tier::first(2, runs) {
        let path = examples().join(name);
        let mut args = vec!["run", path.to_str().unwrap(), "--small", "--set", "machine.tbimr=window"];
        args.extend(sets.iter().flat_map(|s| ["--set", s]));
        let out = quadlock(&args);
        assert_eq!(out.status.code(), Some(status), "{args:?}: {}", text(&out));
        assert!(text(&out).contains(words), "{args:?}: {}", text(&out));
    }
}

/// What Hi-Z hides is not drawn, and memory at the end is the model's (HZ-21, HZ-35). A bound that
/// is too near is found.
#[test]
fn hi_z_changes_no_picture() {
    let window = ["machine.tbimr=window"];
    let few = ["machine.hi-z=update-only", "machine.hi-z-groups=16", "machine.tbimr=window"];
    let run = ["machine.tbimr=window", "machine.fault=rtl:hi-z-uncovered"];
    let binner = ["machine.hi-z=visibility+binner", "machine.tbimr=window"];
    let lost = ["machine.hi-z=visibility+binner", "machine.tbimr=window", "machine.fault=rtl:tile-test-group"];
    let late = ["machine.hi-z=rasteriser"];
    let two = ["machine.hi-z-structures=two", "machine.tbimr=window"];
    let runs: [(&str, &[&str], i32, &str); 14] = [
        ("depth-complexity/back-to-front.toml", &binner, 0, "pixels that could be (100.0 %)"),
        ("depth-complexity/back-to-front.toml", &lost, 1, "checker `"),
        ("depth-complexity/shuffled.toml", &two, 0, "verdict                 PASS"),
        ("msaa/scene.toml", &window, 0, "verdict                 PASS"),
        ("msaa/scene.toml", &two, 0, "verdict                 PASS"),
        ("msaa/scene.toml", &binner, 0, "verdict                 PASS"),
        ("depth-complexity/scene.toml", &late, 0, "verdict                 PASS"),
        ("msaa/scene.toml", &late, 0, "verdict                 PASS"),
        ("depth-complexity/back-to-front.toml", &[], 0, "verdict                 PASS"),
        ("depth-complexity/back-to-front.toml", &window, 0, "pixels that could be (100.0 %)"),
        ("depth-complexity/shuffled.toml", &window, 0, "pixels that could be (100.0 %)"),
        ("depth-complexity/shuffled.toml", &few, 0, "verdict                 PASS"),
        ("foliage/scene.toml", &window, 0, "verdict                 PASS"),
        ("depth-complexity/shuffled.toml", &run, 1, "checker `"),
    ];
    for (name, sets, status, words) in tier::first(2, runs) {
        let path = examples().join(name);
        let mut args = vec!["run", path.to_str().unwrap(), "--small", "--set", "machine.hi-z=visibility"];
        args.extend(sets.iter().flat_map(|s| ["--set", s]));
        let out = quadlock(&args);
        assert_eq!(out.status.code(), Some(status), "{args:?}: {}", text(&out));
        assert!(text(&out).contains(words), "{args:?}: {}", text(&out));
    }
}
