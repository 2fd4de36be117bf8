//! What a scene's author can get wrong: mesh files, numbers that do not fit, keys that are not
//! known, options that no scene heeds. Each is told by name with exit status 2, never a panic. And
//! what is easily drawn wrong: the viewport's edges, the order of nodes, the side of tiles.
//!
//! Wrong would be a message that is matched by chance: each case must differ from a good file in
//! the one thing that its message names.

mod meshes;

use std::path::Path;
use std::process::Command;

use crate::plain::plain_scene;

const WGSL: &str = "
struct V { @builtin(position) p: vec4f, @location(0) c: vec3f }
@vertex fn vertex(@location(0) p: vec3f) -> V { return V(vec4f(p, 1.0), p); }
@fragment fn fragment(v: V) -> @location(0) vec4f { return vec4f(v.c.z, 0.0, 0.0, 1.0); }
";

const PLAIN: &str = plain_scene!("[[-1, -1, 0], [3, -1, 0], [-1, 3, 0]]");
const MESH: &str = "attributes.position = [[-1, -1, 0], [3, -1, 0], [-1, 3, 0]]";
const LAST: &str = "entry = \"fragment\" }\n";

/// Exit status and what is printed of a command in a folder.
fn run(dir: &Path, args: &[&str]) -> (i32, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_quadlock")).args(args).current_dir(dir).output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    (out.status.code().unwrap_or(-1), text)
}

/// A folder with a scene, its programs and other files.
fn folder(scene: &str, files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.wgsl"), WGSL).unwrap();
    std::fs::write(dir.path().join("scene.toml"), scene).unwrap();
    for (name, bytes) in files {
        std::fs::write(dir.path().join(name), bytes).unwrap();
    }
    dir
}

/// The model draws a scene, with more options.
fn drawn(scene: &str, files: &[(&str, &[u8])], more: &[&str]) -> (i32, String) {
    let dir = folder(scene, files);
    let mut args = vec!["run", "scene.toml", "--engine", "golden"];
    args.extend(more);
    run(dir.path(), &args)
}

/// It is refused, and all of these words are said.
fn refused(what: &str, (code, said): (i32, String), says: &[&str]) {
    assert!(code == 2 && !said.contains("panicked"), "{what}: {code} {said}");
    for part in says {
        assert!(said.contains(part), "{what}: no `{part}` in {said}");
    }
}

/// The scene with more keys of its draw.
fn with(keys: &str) -> String {
    PLAIN.replacen(LAST, &format!("{LAST}{keys}\n"), 1)
}

/// The scene with a mesh from a file.
fn with_mesh(file: &str) -> String {
    PLAIN.replacen(MESH, &format!("file = \"{file}\""), 1)
}

/// A glTF file of one triangle, its binary part beside it in `m.bin`: 36 bytes of positions, 6 of
/// indices, 2 of nothing.
const GLTF: &str = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
"buffers":[{"byteLength":44,"uri":"m.bin"}],
"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":8}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[-1,-1,0],"max":[3,3,0]},
{"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"}]}"#;

fn binary() -> Vec<u8> {
    let positions = [-1.0f32, -1.0, 0.0, 3.0, -1.0, 0.0, -1.0, 3.0, 0.0];
    let indices = [0u16, 1, 2, 0];
    positions.iter().flat_map(|x| x.to_le_bytes()).chain(indices.iter().flat_map(|x| x.to_le_bytes())).collect()
}

/// glTF 2.0, section 3.2: a later minor version draws if the file does not say that it needs one.
#[test]
fn a_version_that_is_not_2_0_is_refused() {
    let scene = with_mesh("m.gltf");
    for (asset, says) in [
        (r#""version":"2.0","minVersion":"2.0""#, None),
        (r#""version":"2.7""#, None),
        (r#""version":"2.7","minVersion":"2.1""#, Some("m.gltf: it is glTF 2.1")),
        (r#""version":"1.0""#, Some("m.gltf: it is glTF 1.0")),
        (r#""version":"3.0""#, Some("m.gltf: it is glTF 3.0")),
    ] {
        let gltf = GLTF.replacen(r#""version":"2.0""#, asset, 1);
        let done = drawn(&scene, &[("m.gltf", gltf.as_bytes()), ("m.bin", &binary())], &[]);
        match says {
            None => assert_eq!(done.0, 0, "{asset}: {}", done.1),
            Some(says) => refused(asset, done, &[says]),
        }
    }
}

#[test]
fn accessors_of_any_form_are_errors_with_file_and_part() {
    let scene = with_mesh("m.gltf");
    let draw = |gltf: &str| drawn(&scene, &[("m.gltf", gltf.as_bytes()), ("m.bin", &binary())], &[]);
    let (code, said) = draw(GLTF);
    assert_eq!(code, 0, "{said}");
    let position = r#""componentType":5126,"count":3,"type":"VEC3""#;
    let index = r#""componentType":5123,"count":3,"type":"SCALAR""#;
    let attributes = r#"{"POSITION":0}"#;
    let first_view = r#""byteLength":36}"#;
    let cases = [
        (position, r#""componentType":5121,"count":3,"type":"VEC3""#, "accessor 0 of position is Vec3 of U8"),
        (position, r#""componentType":5126,"count":3,"type":"VEC2""#, "accessor 0 of position is Vec2 of F32"),
        (index, r#""componentType":5126,"count":1,"type":"SCALAR""#, "accessor 1 of indices is Scalar of F32"),
        (index, r#""componentType":5120,"count":3,"type":"SCALAR""#, "accessor 1 of indices is Scalar of I8"),
        (index, r#""componentType":5123,"count":2,"type":"VEC2""#, "accessor 1 of indices is Vec2 of U16"),
        (attributes, r#"{"POSITION":7}"#, "accessor 7, and there are 2"),
        (r#""indices":1"#, r#""indices":9"#, "accessor 9, and there are 2"),
        (attributes, r#"{"POSITION":0,"NORMAL":1}"#, "accessor 1 of normal is Scalar of U16"),
        (attributes, r#"{"POSITION":0,"COLOR_0":1}"#, "accessor 1 of colour is Scalar of U16"),
        (attributes, r#"{"POSITION":0,"TEXCOORD_0":0}"#, "accessor 0 of uv is Vec3 of F32"),
        (position, r#""componentType":5126,"count":0,"type":"VEC3""#, "accessor 0 has no elements"),
        (index, r#""componentType":5123,"count":0,"type":"SCALAR""#, "accessor 1 has no elements"),
        (index, r#""componentType":5123,"count":4,"type":"SCALAR""#, "4 corners are no list"),
        (first_view, r#""byteLength":36,"byteStride":4}"#, "accessor 0 has elements of 12 bytes, 4 bytes"),
        (position, r#""byteOffset":18446744073709551615,"componentType":5126,"count":3,"type":"VEC3""#, "accessor 0"),
        (position, r#""componentType":5126,"count":99999999999,"type":"VEC3""#, "accessor 0 reaches beyond"),
    ];
    for (from, to, says) in cases {
        assert!(GLTF.contains(from), "{from}");
        refused(to, draw(&GLTF.replacen(from, to, 1)), &["m.gltf: ", "mesh 0, primitive 0: ", says]);
    }
    // Colours of u32 have the right shape.
    let colour = GLTF.replacen(attributes, r#"{"POSITION":0,"COLOR_0":2}"#, 1).replacen(
        r#""type":"SCALAR"}"#,
        r#""type":"SCALAR"},{"bufferView":0,"componentType":5125,"count":3,"type":"VEC3"}"#,
        1,
    );
    refused("u32", draw(&colour), &["mesh 0, primitive 0: accessor 2 of colour is Vec3 of U32"]);
    // A binary file whose header names fewer bytes than it has itself.
    let glb = drawn(&with_mesh("m.glb"), &[("m.glb", b"glTF\x02\0\0\0\x04\0\0\0")], &[]);
    refused("glb", glb, &["m.glb: its header"]);
}

/// The red of a picture's middle.
fn middle(dir: &Path) -> u8 {
    let file = std::fs::read(dir.join("o.png")).unwrap();
    let picture = quadlock::job::picture::Picture::decode(&file).unwrap();
    let at = (picture.height / 2 * picture.width + picture.width / 2) as usize;
    let pixels: Vec<[u8; 4]> = picture.rgba8().collect();
    pixels[at][0]
}

/// Later nodes are drawn over earlier ones, children after their parent.
#[test]
fn nodes_are_drawn_in_the_order_of_the_file() {
    let orders = [
        ("[0,1]", "", 0.75),
        ("[1,0]", "", 0.25),
        // The child is drawn after its parent and before its parent's neighbour.
        ("[0]", r#","children":[1,2]"#, 0.5),
        ("[0]", r#","children":[2,1]"#, 1.0),
    ];
    for (roots, children, red) in orders {
        let nodes = format!(
            r#""scenes":[{{"nodes":{roots}}}],"nodes":[{{"mesh":0,"translation":[0,0,0.25]{children}}},
            {{"mesh":0,"translation":[0,0,0.75]}},{{"mesh":0,"translation":[0,0,0.25]}}]"#
        );
        let gltf = GLTF.replacen(r#""scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}]"#, &nodes, 1);
        let dir = folder(&with_mesh("m.gltf"), &[("m.gltf", gltf.as_bytes()), ("m.bin", &binary())]);
        let (code, said) = run(dir.path(), &["run", "scene.toml", "--engine", "golden", "--png", "o.png"]);
        assert_eq!(code, 0, "{said}");
        let found = middle(dir.path());
        assert!((f64::from(found) - red * 255.0).abs() <= 1.0, "{roots}{children}: {found}");
    }
}

#[test]
fn lines_of_objects_that_cannot_be_drawn_are_named() {
    let good = "v -1 -1 0\nv 3 -1 0\nv -1 3 0\nvn 0 0 1\nvt 0 0\nf 1 2 3\n";
    let (code, said) = drawn(&with_mesh("m.obj"), &[("m.obj", good.as_bytes())], &[]);
    assert_eq!(code, 0, "{said}");
    let cases: [(&str, &[u8], &str); 14] = [
        ("f 1 2 3", b"f -9223372036854775808 1 2", "m.obj:6:3: error: corner `-9223372036854775808` names"),
        ("f 1 2 3", b"f 1/1 2/1 3/-2\nvt 0 0", "m.obj:6:11: error: corner `3/-2` names"),
        ("f 1 2 3", b"f 1 2 3 0", "m.obj:6:9: error: corner `0` names"),
        ("f 1 2 3", b"f 1 2 4\nx \\\nv 1 2 3", "m.obj:6:7: error: corner `4` names"),
        ("f 1 2 3", b"f 1/1/1/1 2 3", "m.obj:6:3: error: corner `1/1/1/1` names"),
        ("v 3 -1 0", b"v 3 -1", "m.obj:2:1: error: a position has 3, 4, 6 or 7 numbers, not 2"),
        ("v 3 -1 0", b"v 3 -1 0 0", "m.obj:2:10: error: a position of the weight 0"),
        ("v 3 -1 0", b"v 3 -1 nan", "m.obj:2:8: error: `nan` is no number"),
        ("vn 0 0 1", b"vn 0 0", "m.obj:4:1: error: `vn` has 3 numbers or more, not 2"),
        ("vt 0 0", b"vt", "m.obj:5:1: error: `vt` has 1 number or more, not 0"),
        ("f 1 2 3", b"f 1 2", "m.obj:6:1: error: a face of fewer than three corners"),
        ("f 1 2 3", b"f 1//1 2//1 3", "m.obj:6:13: error: corner `3` has no normal, others of its face have one"),
        ("f 1 2 3", b"f 1 2//1 3", "m.obj:6:5: error: corner `2//1` has a normal, others of its face have none"),
        ("f 1 2 3", b"f 1/1 2/1 3", "m.obj:6:11: error: corner `3` has no texture coordinate"),
    ];
    for (from, to, says) in cases {
        let at = good.find(from).unwrap();
        let bytes = [&good.as_bytes()[..at], to, &good.as_bytes()[at + from.len()..]].concat();
        refused(says, drawn(&with_mesh("m.obj"), &[("m.obj", &bytes)], &[]), &[says]);
    }
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    let far = PLAIN.replacen("[3, -1, 0]", "[1e300, -1, 0]", 1);
    refused("1e300", drawn(&far, &[], &[]), &["attribute `position`, vertex 1: 1e300 is no finite f32"]);
    let many = with("instances = 2\nfirst-instance = 4294967295\ninstance.q = [[0, 1]]");
    refused("instances", drawn(&many, &[], &[]), &["has 1 elements, 4294967297 are drawn"]);
    let endless = with("instance.q = [1e39]");
    refused("instance", drawn(&endless, &[], &[]), &["instance array `q`: 1e39 is no finite f32"]);
    let base = with("base-vertex = 5");
    refused("base", drawn(&base, &[], &[]), &["base-vertex 5 leads out of the mesh", "it has 3 vertices"]);
}

/// Each message stands at the line that gives the key.
#[test]
fn state_that_cannot_be_is_refused_at_its_key() {
    let line = PLAIN.lines().count() + 2;
    for (key, says) in [
        ("bias = [0, nan, 0]", "`bias` has a number that is no finite f32"),
        ("blend-constant = [0, inf, 0, 0]", "`blend-constant` has a number that is no finite f32"),
        ("sample-mask = 256", "sample mask 256: bits beyond the four samples"),
        ("write = [\"rr\"]", "write mask `rr`"),
        ("depth-range = [0, nan]", "a depth range beyond 0 to 1"),
        ("scissor = [0, 0, 99, 1]", "a scissor beyond the target"),
        ("viewport = [0, 0, 0, 1]", "a viewport without area"),
    ] {
        let scene = with(&format!("[draw.state]\n{key}"));
        refused(key, drawn(&scene, &[], &[]), &[says, &format!("scene.toml:{line}:1")]);
    }
    let clear = PLAIN.replacen("height = 16", "height = 16\nclear = [[0, nan, 0, 1]]", 1);
    refused("clear", drawn(&clear, &[], &[]), &["a clear colour with a number", "scene.toml:5:1"]);
    let bytes = PLAIN.replacen(MESH, &format!("{MESH}\nindices = [0, 1, 2]\nindex-bytes = 3"), 1);
    refused("index-bytes", drawn(&bytes, &[], &[]), &["indices of 3 bytes", "scene.toml:8:1"]);
}

#[test]
fn an_object_line_goes_on_behind_a_backslash() {
    let long = "v -1 -1 \\\n0\nv 3 -1 0\nv -1 3 0\nf 1 \\\n 2 \\\n 3\n";
    let (code, said) = drawn(&with_mesh("m.obj"), &[("m.obj", long.as_bytes())], &[]);
    assert_eq!(code, 0, "{said}");
    let wrong = format!("{long}f 1 2 9\n");
    refused("9", drawn(&with_mesh("m.obj"), &[("m.obj", wrong.as_bytes())], &[]), &["m.obj:8:7: error: corner `9`"]);
}

#[test]
fn keys_that_are_not_known_are_refused_in_every_table() {
    let cases: [(String, &[&str]); 9] = [
        (PLAIN.replacen("entry = \"vertex\"", "entry = \"vertex\", foo = 1", 1), &["unknown field `foo`"]),
        (PLAIN.replacen("vertex = { file = \"a.wgsl\",", "vertex = {", 1), &["missing field `file`"]),
        (
            PLAIN.replacen("vertex = { file = \"a.wgsl\", entry = \"vertex\" }", "vertex = 1", 1),
            &["the name of a file"],
        ),
        (with("attributes = { position = { location = 0, offset = 12 } }"), &["unknown field `offset`"]),
        (with("attributes = { position = { format = \"float32x3\" } }"), &["missing field `location`"]),
        (with("attributes = { position = -1 }"), &["integer `-1`", "a location, or"]),
        (with("state = { blend = [\"ad\"] }"), &["\"ad\"", "premultiplied"]),
        (with("state = { blend = [\"add\", \"none\"] }"), &["`blend` has 2 entries, and there are 1 colour targets"]),
        (with("state = { write = [\"r\", \"g\", \"b\"] }"), &["`write` has 3 entries"]),
    ];
    for (scene, says) in cases {
        refused(&scene, drawn(&scene, &[], &[]), says);
    }
    let equation = "{ src = \"one\", dst = \"one\" }";
    let extra = with(&format!("state = {{ blend = [{{ color = {equation}, alpha = {equation}, x = 1 }}] }}"));
    refused("blend", drawn(&extra, &[], &[]), &["unknown field `x`"]);
}

/// What may be left out or written short is drawn.
#[test]
fn short_forms_are_drawn() {
    let one = PLAIN.replace("\"a.wgsl\", entry = \"vertex\"", "\"v.wgsl\"");
    let plain = PLAIN.replace("{ file = \"a.wgsl\", entry = \"vertex\" }", "\"v.wgsl\"");
    let vertex: String = WGSL.lines().filter(|l| !l.contains("@fragment")).map(|l| format!("{l}\n")).collect();
    let blend = "{ src = \"one\", dst = \"one\" }";
    let scenes = [
        one,
        plain,
        with("attributes = { position = 0 }\nstate = { blend = [\"none\"], write = [\"r\"] }"),
        with("attributes = { position = { location = 0 } }\nstate = { blend = [\"alpha\"] }"),
        with(&format!("state = {{ blend = [{{ color = {blend}, alpha = {blend} }}] }}")),
    ];
    for scene in scenes {
        let (code, said) = drawn(&scene, &[("v.wgsl", vertex.as_bytes())], &[]);
        assert_eq!(code, 0, "{scene}{said}");
    }
    // The same keys go through another text when some are changed.
    let (code, said) = drawn(PLAIN, &[], &["--set", "draw.0.attributes.position=0", "--set", "target.width=8"]);
    assert_eq!(code, 0, "{said}");
}

#[test]
fn a_file_with_draws_is_a_scene_of_any_length() {
    let without = PLAIN.replacen("[target]\nwidth = 16\nheight = 16\n", "", 1);
    refused("target", drawn(&without, &[], &[]), &["missing field `target`", "add [target] with width and height"]);
    let long = format!("{PLAIN}{}", format!("# {}\n", "x".repeat(98)).repeat(12_000));
    assert!(long.len() > 1 << 20);
    let (code, said) = drawn(&long, &[], &[]);
    assert_eq!(code, 0, "{said}");
    // A text that is no TOML is told of as a scene.
    let broken = PLAIN.replacen("[3, -1, 0]", "[1e400, -1, 0]", 1);
    let (code, said) = drawn(&broken, &[], &[]);
    assert!(code == 2 && !said.contains("unknown field"), "{said}");
}

#[test]
fn options_that_no_scene_heeds_are_refused_by_name() {
    for (more, says) in [
        (&["--constant", "n=1"][..], "--constant n: no program has it"),
        (&["--fst", "w.fst"], "--fst: the golden model has no signals"),
        (&["--vcd", "w.vcd"], "--vcd: the golden model has no signals"),
        (&["--small"], "--small, and the scene has no [small]"),
        (&["--from", "10"], "--from, --to and --scope are of a trace"),
        (&["--set", "cycles=2"], "--set limits.cycles=.."),
        (&["--perfetto", "w.json"], "--perfetto: the golden model has no signals"),
    ] {
        refused(says, drawn(PLAIN, &[], more), &[says]);
    }
    let dir = folder(PLAIN, &[]);
    let window = ["run", "scene.toml", "--from", "10", "--to", "5", "--fst", "x.fst"];
    refused("window", run(dir.path(), &window), &["--to is before --from"]);
}

/// Samples that are written, from the report.
fn samples(scene: &str) -> u64 {
    let dir = folder(scene, &[]);
    let (code, said) = run(dir.path(), &["run", "scene.toml", "--engine", "golden", "--report", "r.json"]);
    assert_eq!(code, 0, "{said}");
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(dir.path().join("r.json")).unwrap()).unwrap();
    json["samples_written"].as_u64().unwrap()
}

/// A triangle over all of the viewport and more colours the viewport's pixels only.
#[test]
fn a_viewport_ends_at_its_edges() {
    let large = PLAIN.replacen(MESH, "attributes.position = [[-3, -3, 0], [9, -3, 0], [-3, 9, 0]]", 1);
    let with = |state: &str| samples(&large.replacen(LAST, &format!("{LAST}state = {{ {state} }}\n"), 1));
    assert_eq!(samples(&large), 256);
    assert_eq!(with("viewport = [4, 8, 8, 4]"), 32);
    assert_eq!(with("viewport = [-4, 12, 8, 8]"), 16);
    assert_eq!(with("viewport = [16, 0, 4, 4]"), 0);
    assert_eq!(with("viewport = [-4, -4, 24, 24]"), 256);
    assert_eq!(with("viewport = [4, 8, 8, 4], scissor = [0, 0, 6, 9]"), 2);
    assert_eq!(with("viewport = [4, 8, 8, 4], scissor = [0, 0, 4, 16]"), 0);
    // Centres of pixels count: 4.5 is inside, 11.5 is not.
    assert_eq!(with("viewport = [4.5, 0, 7, 16]"), 7 * 16);
    assert_eq!(with("viewport = [4.75, 0, 7, 16]"), 7 * 16);
    assert_eq!(with("viewport = [4.75, 0, 6.5, 16]"), 6 * 16);
}

#[test]
fn a_target_has_as_many_tiles_as_the_machine_counts() {
    let wide = PLAIN.replacen("width = 16\nheight = 16", "width = 4096\nheight = 72\ndepth = true", 1);
    let small = wide.replacen("depth = true", "tile = 8", 1);
    refused("tile", drawn(&small, &[], &[]), &["4608 tiles of 8 x 8 pixels", "set target.tile to 16"]);
    let huge = PLAIN.replacen("width = 16\nheight = 16", "width = 4096\nheight = 4096", 1);
    refused("huge", drawn(&huge, &[], &[]), &["16384 tiles of 32 x 32 pixels", "choose a smaller target"]);
    // With room for four tiles of 8 x 8 in a bank, and for one of 16 x 16, the larger one is
    // chosen.
    let many = wide.replacen("depth = true", "samples = 4\nformats = [\"rgba16float\"]", 1);
    let (code, said) = drawn(&many, &[], &[]);
    assert_eq!(code, 0, "{said}");
}
