//! Files of meshes: each form that is legal is drawn as its specification says, and what is not
//! drawn is warned of.
//!
//! Values are worked out by hand from glTF 2.0 and are in the tests: normals as vectors, coverage
//! by whole numbers. Wrong would be a picture that another rule gives, too; so nothing here is
//! symmetric.

use serde_json::{json, Value};

use super::{folder, refused, run};

/// Draws a mesh whose attribute at location 1 becomes the colour: red, green, blue are -1 to 1 of
/// three components, and alpha is 1 on fronts.
const SHOW: &str = "
struct V { @builtin(position) p: vec4f, @location(0) c: vec3f }
@vertex fn vertex(@location(0) p: vec3f, @location(1) c: vec3f) -> V { return V(vec4f(p.xy, 0.5, 1.0), c); }
@fragment fn fragment(v: V, @builtin(front_facing) front: bool) -> @location(0) vec4f {
    return vec4f(v.c * 0.5 + 0.5, select(0.25, 1.0, front));
}
";

/// A scene that draws the mesh of a file, with more keys of the draw.
fn scene(mesh: &str, keys: &str) -> String {
    format!(
        "name = \"s\"\n[target]\nwidth = 32\nheight = 32\n[mesh.m]\nfile = \"{mesh}\"\n[[draw]]\nmesh = \"m\"\n\
         vertex = {{ file = \"show.wgsl\", entry = \"vertex\" }}\n\
         fragment = {{ file = \"show.wgsl\", entry = \"fragment\" }}\n{keys}\n"
    )
}

/// What came of a scene: its pixels, rows from the top, and what was printed.
struct Seen {
    pixels: Vec<[u8; 4]>,
    said: String,
}

impl Seen {
    fn at(&self, x: usize, y: usize) -> [u8; 4] {
        self.pixels[32 * y + x]
    }

    /// Pixels that something was drawn to.
    fn drawn(&self) -> usize {
        self.pixels.iter().filter(|p| p[3] != 0).count()
    }
}

fn seen_with(scene: &str, files: &[(&str, &[u8])]) -> Seen {
    let dir = folder(scene, files);
    std::fs::write(dir.path().join("show.wgsl"), SHOW).unwrap();
    let (code, said) = run(dir.path(), &["run", "scene.toml", "--engine", "golden", "--png", "o.png"]);
    assert_eq!(code, 0, "{said}");
    let file = std::fs::read(dir.path().join("o.png")).unwrap();
    let picture = quadlock::job::picture::Picture::decode(&file).unwrap();
    Seen { pixels: picture.rgba8().collect(), said }
}

/// The byte of a number from -1 to 1.
fn byte(x: f64) -> i32 {
    (127.5 * x + 127.5).round() as i32
}

/// A colour is that of a vector, as near as eight bits are.
fn close(what: &str, got: [u8; 4], want: [f64; 3]) {
    for (k, w) in want.into_iter().enumerate() {
        assert!((i32::from(got[k]) - byte(w)).abs() <= 1, "{what}: {got:?}, not {want:?} ({})", byte(w));
    }
}

/// A glTF file that is put together.
#[derive(Default)]
struct Gltf {
    bin: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

const F32: u32 = 5126;

impl Gltf {
    fn view(&mut self, bytes: &[u8]) -> usize {
        self.views.push(json!({ "buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len() }));
        self.bin.extend(bytes);
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        self.views.len() - 1
    }

    fn accessor(&mut self, kind: u32, shape: &str, count: usize, bytes: &[u8]) -> usize {
        let view = self.view(bytes);
        // Bounds have to be there; nobody looks at them.
        self.accessors.push(json!({
            "bufferView": view, "componentType": kind, "type": shape, "count": count, "min": [0, 0, 0], "max": [0, 0, 0]
        }));
        self.accessors.len() - 1
    }

    fn floats<const N: usize>(&mut self, rows: &[[f32; N]]) -> usize {
        let bytes: Vec<u8> = rows.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        self.accessor(F32, ["SCALAR", "VEC2", "VEC3", "VEC4"][N - 1], rows.len(), &bytes)
    }

    fn indices(&mut self, all: &[u16]) -> usize {
        let bytes: Vec<u8> = all.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.accessor(5123, "SCALAR", all.len(), &bytes)
    }

    /// The document, whose binary part is in `m.bin`; with more keys.
    fn document(&self, primitives: Value, nodes: Value, more: Value) -> Value {
        let mut all = json!({
            "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": nodes,
            "meshes": [{ "primitives": primitives }], "accessors": self.accessors, "bufferViews": self.views,
            "buffers": [{ "byteLength": self.bin.len(), "uri": "m.bin" }]
        });
        for (key, value) in more.as_object().into_iter().flatten() {
            all[key] = value.clone();
        }
        all
    }

    fn seen(&self, document: &Value, keys: &str) -> Seen {
        seen_with(&scene("m.gltf", keys), &[("m.gltf", document.to_string().as_bytes()), ("m.bin", &self.bin)])
    }

    fn refused(&self, document: &Value, says: &[&str]) {
        let dir = folder(&scene("m.gltf", ""), &[("m.gltf", document.to_string().as_bytes()), ("m.bin", &self.bin)]);
        std::fs::write(dir.path().join("show.wgsl"), SHOW).unwrap();
        refused(says[0], run(dir.path(), &["run", "scene.toml", "--engine", "golden"]), says);
    }
}

/// A triangle of no symmetry, seen from its front.
const PLACES: [[f32; 3]; 3] = [[-0.75, -0.5, 0.0], [0.75, -0.75, 0.0], [0.25, 0.75, 0.0]];
/// Keys of a draw that shows normals.
const PLAIN: &str = "attributes = { position = 0, normal = 1 }";

/// A file of one triangle with a normal, below nodes of these transforms.
fn triangle(normal: [f32; 3], transforms: &[Value]) -> (Gltf, Value) {
    let mut file = Gltf::default();
    let (p, n) = (file.floats(&PLACES), file.floats(&[normal; 3]));
    let last = transforms.len() - 1;
    let node = |(k, t): (usize, &Value)| {
        let mut node = t.clone();
        node[if k == last { "mesh" } else { "children" }] = if k == last { json!(0) } else { json!([k + 1]) };
        node
    };
    let nodes: Vec<Value> = transforms.iter().enumerate().map(node).collect();
    let primitives = json!([{ "attributes": { "POSITION": p, "NORMAL": n } }]);
    let document = file.document(primitives, json!(nodes), json!({}));
    (file, document)
}

/// glTF 2.0, 3.7.4: a determinant below zero turns the winding round. Two of them do not.
#[test]
fn a_mirrored_node_shows_its_front() {
    let mirror = json!({ "scale": [-1, 1, 1] });
    let matrix = json!({ "matrix": [0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] });
    let cases = [
        vec![json!({})],
        vec![mirror.clone()],
        vec![mirror.clone(), mirror.clone()],
        vec![mirror.clone(), json!({ "rotation": [0, 0, 0.6, 0.8] })],
        vec![matrix.clone()],
        vec![matrix, mirror],
        vec![json!({ "scale": [-1, -1, 1] })],
        // A determinant of 0 is not below it.
        vec![json!({ "scale": [1, 1, 0] })],
    ];
    for transforms in cases {
        let (file, document) = triangle([0.0, 0.0, 1.0], &transforms);
        let drawn = |cull: &str| {
            let keys = format!("{PLAIN}\nstate = {{ cull = \"{cull}\" }}");
            file.seen(&document, &keys).drawn()
        };
        let all = drawn("none");
        assert!(all > 150 && drawn("back") == all && drawn("front") == 0, "{transforms:?}");
    }
}

/// What it is, a normal, the transforms of nodes, and the normal that comes out.
type Upright = (&'static str, [f32; 3], Vec<Value>, [f64; 3]);

/// Normals by hand: the cofactor matrix times the sign of the determinant, of length 1.
#[test]
fn normals_stand_upright_on_what_a_node_scales_turns_and_mirrors() {
    let half = 0.5f32.sqrt();
    let slanted = [half, half, 0.0];
    let five = 5f64.sqrt();
    let quarter = json!({ "rotation": [0, 0, half, half] });
    let cases: [Upright; 9] = [
        ("as it is", slanted, vec![json!({})], [0.5f64.sqrt(), 0.5f64.sqrt(), 0.0]),
        ("scaled", slanted, vec![json!({ "scale": [2, 1, 1] })], [1.0 / five, 2.0 / five, 0.0]),
        ("mirrored", slanted, vec![json!({ "scale": [-2, 1, 1] })], [-1.0 / five, 2.0 / five, 0.0]),
        (
            "twice",
            slanted,
            vec![json!({ "scale": [-1, 1, 1] }), json!({ "scale": [-2, 1, 1] })],
            [1.0 / five, 2.0 / five, 0.0],
        ),
        // The columns of scale after turn: (-1, 1, 0) becomes (-1, 1/3, 0).
        (
            "turned, scaled",
            slanted,
            vec![json!({ "scale": [1, 3, 1] }), quarter],
            [-3.0 / 10f64.sqrt(), 1.0 / 10f64.sqrt(), 0.0],
        ),
        // Pressed flat, each surface that is not upright looks along z.
        ("flat", [0.6, 0.0, 0.8], vec![json!({ "scale": [1, 1, 0] })], [0.0, 0.0, 1.0]),
        ("flat from below", [0.6, 0.0, -0.8], vec![json!({ "scale": [1, 1, 0] })], [0.0, 0.0, -1.0]),
        ("flat, and no direction is left", slanted, vec![json!({ "scale": [1, 1, 0] })], [0.0, 0.0, 0.0]),
        ("long", [0.0, 0.0, 4.0], vec![json!({})], [0.0, 0.0, 1.0]),
    ];
    for (what, normal, transforms, want) in cases {
        let (file, document) = triangle(normal, &transforms);
        let seen = file.seen(&document, PLAIN);
        let at = seen.pixels.iter().find(|p| p[3] != 0).unwrap_or_else(|| panic!("{what}: nothing is drawn"));
        close(what, *at, want);
    }
}

/// The finding: an L that begins at its outer end. As a fan it covers the hollow, too.
#[test]
fn a_concave_polygon_covers_what_is_inside_of_it() {
    let corners = [[8, -8], [8, -4], [-4, -4], [-4, 8], [-8, 8], [-8, -8]];
    for first in 0..6 {
        let mut text: String = corners.map(|[x, y]| format!("v 0.{x} 0.{y} 0\n").replace("0.-", "-0.")).concat();
        let order: Vec<String> = (0..6).map(|k| (1 + (first + k) % 6).to_string()).collect();
        text += &format!("f {}\n", order.join(" "));
        let seen = seen_with(
            &scene("m.obj", "attributes = { position = { location = 0 } }").replace("show.wgsl", "a.wgsl"),
            &[("m.obj", text.as_bytes())],
        );
        // Pixel centres in tenths of a pixel: x becomes 16 (x + 1) pixels, y goes down.
        let [xs, ys] = [0, 1].map(|axis| corners.map(|c| 160 + 16 * if axis == 0 { c[0] } else { -c[1] }));
        let inside = |x: i32, y: i32| {
            let crossed = |k: usize| {
                let (l, flat) = ((k + 1) % 6, ys[k] == ys[(k + 1) % 6]);
                !flat && (ys[k] > y) != (ys[l] > y) && xs[k] > x
            };
            (0..6).filter(|&k| crossed(k)).count() % 2 == 1
        };
        let mut count = 0;
        for y in 0..32 {
            for x in 0..32 {
                let want = inside(10 * x + 5, 10 * y + 5);
                count += usize::from(want);
                assert_eq!(seen.at(x as usize, y as usize)[3] != 0, want, "first {first}: {x}, {y}");
            }
        }
        assert_eq!((count, seen.drawn()), (COVERED, COVERED));
    }
}

/// Pixels whose centres are in the L: 26 by 7 and 7 by 19.
const COVERED: usize = 26 * 7 + 7 * 19;

/// A strip of a bent sheet: read by threes its normals would cancel, or point anywhere.
#[test]
fn smooth_normals_know_strips() {
    let strip = |draws: &str| {
        let column = |(x, z): (f64, f64)| format!("[{x:?}, 1, {z:?}], [{x:?}, -1, {z:?}], ");
        let columns = [(-1.0, 0.0), (-0.5, 0.0), (0.0, 0.0), (0.5, -0.5), (1.0, -1.0)].map(column).concat();
        let mesh = format!("attributes.position = [{columns}]\nnormals = \"smooth\"");
        scene("m.obj", "").replacen("file = \"m.obj\"", &mesh, 1) + draws
    };
    let seen = seen_with(&strip("state = { topology = \"strip\" }"), &[]);
    assert_eq!(seen.drawn(), 32 * 32);
    // Flat on the left, and falling by 1 over 1 on the right.
    close("left", seen.at(4, 16), [0.0, 0.0, 1.0]);
    close("right", seen.at(28, 16), [0.5f64.sqrt(), 0.0, 0.5f64.sqrt()]);
    let twice = strip("state = { topology = \"strip\" }\n[[draw]]\nmesh = \"m\"\nvertex = { file = \"show.wgsl\", entry = \"vertex\" }\nfragment = { file = \"show.wgsl\", entry = \"fragment\" }\n");
    let dir = folder(&twice, &[("show.wgsl", SHOW.as_bytes())]);
    let said = run(dir.path(), &["run", "scene.toml", "--engine", "golden"]);
    refused(
        "two ways",
        said,
        &[
            "mesh `m` has smooth normals, draw 0 takes it as a strip, draw 1 as a list",
            "a mesh of its own",
            "scene.toml:15:",
        ],
    );
    // Without smooth normals, or with both alike, nothing is against it.
    let alike = twice.clone() + "state = { topology = \"strip\" }\n";
    assert_eq!(seen_with(&alike, &[]).drawn(), 32 * 32);
}

/// Two primitives, of which one has nothing but positions, two triangles that slope by 1 over 2.
fn parts() -> (Gltf, Value) {
    let mut file = Gltf::default();
    let left = [[-1.0, -1.0, 0.0], [0.0, -1.0, 0.0], [-1.0, 1.0, 0.0f32]];
    let right = [[0.0, -1.0, 0.0], [1.0, -1.0, 0.5], [0.0, 1.0, 0.0], [1.0, 1.0, 0.5f32]];
    let (a, b) = (file.floats(&left), file.floats(&right));
    let n = file.floats(&[[0.0, 1.0, 0.0]; 3]);
    let c = file.floats(&[[0.25, 0.5, 0.75]; 3]);
    let uv = file.floats(&[[0.5, -0.5]; 3]);
    let own = file.floats(&[[-0.25], [-0.25], [-0.25]]);
    let i = file.indices(&[0, 1, 2, 2, 1, 3]);
    let primitives = json!([
        { "attributes": { "POSITION": a, "NORMAL": n, "COLOR_0": c, "TEXCOORD_0": uv, "_WEIGHT": own } },
        { "attributes": { "POSITION": b }, "indices": i },
    ]);
    let document = file.document(primitives, json!([{ "mesh": 0 }]), json!({}));
    (file, document)
}

/// The finding `gltf-parts`, and what stands for what a part has not.
#[test]
fn parts_of_a_file_have_attributes_of_their_own() {
    let (file, document) = parts();
    let slope = 5f64.sqrt();
    let cases = [
        ("normal", [0.0, 1.0, 0.0], [-1.0 / slope, 0.0, 2.0 / slope]),
        ("colour", [0.25, 0.5, 0.75], [1.0, 1.0, 1.0]),
        ("uv", [0.5, -0.5, 0.0], [0.0, 0.0, 0.0]),
        ("_WEIGHT", [-0.25, 0.0, 0.0], [0.0, 0.0, 0.0]),
    ];
    for (name, left, right) in cases {
        let seen = file.seen(&document, &format!("attributes = {{ position = 0, {name} = 1 }}"));
        close(name, seen.at(2, 28), left);
        [(20, 4), (30, 30)].iter().for_each(|&(x, y)| close(name, seen.at(x, y), right));
        assert!(!seen.said.contains("warning"), "{}", seen.said);
    }
    // Smooth ones for the part that has none, and those of the other part stay.
    let smooth = scene("m.gltf", "attributes = { position = 0, normal = 1 }").replacen(
        "m.gltf\"",
        "m.gltf\"\nnormals = \"smooth\"",
        1,
    );
    let seen = seen_with(&smooth, &[("m.gltf", document.to_string().as_bytes()), ("m.bin", &file.bin)]);
    close("smooth, left", seen.at(2, 28), cases[0].1);
    close("smooth, right", seen.at(20, 4), cases[0].2);
}

#[test]
fn buffers_have_names_with_any_characters() {
    let (file, document) = triangle([0.0, 0.0, 1.0], &[json!({})]);
    let with = |uri: &str| {
        let mut document = document.clone();
        document["buffers"][0]["uri"] = json!(uri);
        document.to_string()
    };
    for (uri, name) in [
        ("inter%202.bin", "inter 2.bin"),
        ("a..b.bin", "a..b.bin"),
        ("%C3%A4.bin", "ä.bin"),
        ("./50%25.bin", "50%.bin"),
    ] {
        let files = [("m.gltf", with(uri)), (name, String::new())].map(|(name, text)| (name, text.into_bytes()));
        let seen = seen_with(&scene("m.gltf", PLAIN), &[("m.gltf", &files[0].1), (name, &file.bin)]);
        assert!(seen.drawn() > 150, "{uri}");
    }
    for uri in ["../m.bin", "%2e%2e/m.bin", "x/..%2Fm.bin", "/m.bin", "%2Fm.bin", "http:m.bin", "", "%FF.bin"] {
        let mut wrong = document.clone();
        wrong["buffers"][0]["uri"] = json!(uri);
        file.refused(&wrong, &["m.gltf: buffer 0: `", "is not a file beside the mesh's"]);
    }
    // The padding of base64 may be written so, too.
    let bytes: String = file.bin.iter().map(|b| format!("{b:08b}")).collect();
    let bits: Vec<u8> = bytes.bytes().chain(std::iter::repeat_n(b'0', 4)).collect();
    let digit = |six: &[u8]| {
        let n = six.iter().fold(0, |n, b| 2 * n + usize::from(b - b'0'));
        char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[n])
    };
    let digits: String = bits.chunks_exact(6).map(digit).collect();
    let data = with(&format!("data:application/octet-stream;base64,{digits}%3D%3D"));
    assert!(seen_with(&scene("m.gltf", PLAIN), &[("m.gltf", data.as_bytes())]).drawn() > 150);
}

/// Strips and fans are the triangles of 3.7.2.1, each with its front in front.
#[test]
fn strips_and_fans_are_lists_of_triangles() {
    let around = [[-0.75, -0.75, 0.0], [0.75, -0.75, 0.0], [0.5, 0.5, 0.0], [-0.25, 0.75, 0.0f32]];
    for (mode, order, list) in
        [(5, vec![3, 0, 2, 1], vec![3, 0, 2, 2, 0, 1u16]), (6, vec![0, 1, 2, 3], vec![0, 1, 2, 0, 2, 3])]
    {
        let draw = |mode: u32, order: &[u16], cull: &str| {
            let mut file = Gltf::default();
            let (p, n, i) = (file.floats(&around), file.floats(&[[0.0, 0.0, 1.0]; 4]), file.indices(order));
            let primitives = json!([{ "attributes": { "POSITION": p, "NORMAL": n }, "indices": i, "mode": mode }]);
            let document = file.document(primitives, json!([{ "mesh": 0 }]), json!({}));
            file.seen(&document, &format!("{PLAIN}\nstate = {{ cull = \"{cull}\" }}")).pixels
        };
        let want = draw(4, &list, "none");
        assert!(want.iter().filter(|p| p[3] == 255).count() > 300);
        assert_eq!(draw(mode, &order, "none"), want, "mode {mode}");
        assert_eq!(draw(mode, &order, "back"), want, "mode {mode}");
        // Without indices the vertices are the strip.
        let mut file = Gltf::default();
        let rows: Vec<[f32; 3]> = order.iter().map(|&k| around[k as usize]).collect();
        let (p, n) = (file.floats(&rows), file.floats(&[[0.0, 0.0, 1.0]; 4]));
        let primitives = json!([{ "attributes": { "POSITION": p, "NORMAL": n }, "mode": mode }]);
        let document = file.document(primitives, json!([{ "mesh": 0 }]), json!({}));
        assert_eq!(file.seen(&document, PLAIN).pixels, want, "mode {mode}");
    }
    let mut file = Gltf::default();
    let (p, i) = (file.floats(&PLACES), file.indices(&[0, 1]));
    for (mode, kind) in [(4, "list"), (5, "strip"), (6, "fan")] {
        let primitives = json!([{ "attributes": { "POSITION": p }, "indices": i, "mode": mode }]);
        let document = file.document(primitives, json!([{ "mesh": 0 }]), json!({}));
        file.refused(&document, &["mesh 0, primitive 0: 2 corners are no ", kind]);
    }
}

/// Sparse accessors replace some elements of a view, or of zeros.
#[test]
fn sparse_accessors_replace_elements() {
    let mut file = Gltf::default();
    let zeros = [[0.0f32; 3]; 3];
    let p = file.floats(&[PLACES[0], [9.0; 3], PLACES[2]]);
    let (n, none) = (file.floats(&zeros), file.floats(&zeros));
    let list = file.view(&[1]);
    let values = file.view(&PLACES[1].map(f32::to_le_bytes).concat());
    let several = file.view(&[0u16, 1, 2].map(u16::to_le_bytes).concat());
    let ups =
        file.view(&[[0.0f32, 1.0, 0.0]; 3].as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>());
    let sparse = |count: u32, (list, kind): (usize, u32), values: usize| json!({ "count": count, "indices": { "bufferView": list, "componentType": kind }, "values": { "bufferView": values } });
    file.accessors[p]["sparse"] = sparse(1, (list, 5121), values);
    file.accessors[n]["sparse"] = sparse(3, (several, 5123), ups);
    file.accessors[n].as_object_mut().unwrap().remove("bufferView");
    file.accessors[none].as_object_mut().unwrap().remove("bufferView");
    let document = |file: &Gltf, normal: usize| {
        file.document(json!([{ "attributes": { "POSITION": p, "NORMAL": normal } }]), json!([{ "mesh": 0 }]), json!({}))
    };
    let (plain, plain_document) = triangle([0.0, 1.0, 0.0], &[json!({})]);
    let want = plain.seen(&plain_document, PLAIN);
    assert_eq!(file.seen(&document(&file, n), PLAIN).pixels, want.pixels);
    // Neither a view nor a list: zeros.
    let zero = file.seen(&document(&file, none), PLAIN);
    assert_eq!(zero.drawn(), want.drawn());
    close("zeros", zero.at(18, 16), [0.0; 3]);
    let wrong = [
        (sparse(0, (list, 5121), values), "is sparse with 0 of 3 elements"),
        (sparse(4, (list, 5121), values), "is sparse with 4 of 3 elements"),
        (sparse(1, (several, 5125), values), "index 0 of its list is 65536: they increase, up to 2"),
        (sparse(2, (several, 5121), ups), "index 1 of its list is 0: they increase"),
        (sparse(2, (list, 5121), ups), "its list reaches beyond its buffer"),
        (sparse(2, (several, 5123), values), "its list of values reaches beyond its buffer"),
    ];
    for (sparse, says) in wrong {
        let mut file = Gltf { bin: file.bin.clone(), views: file.views.clone(), accessors: file.accessors.clone() };
        file.accessors[p]["sparse"] = sparse;
        file.refused(&document(&file, n), &["m.gltf: mesh 0, primitive 0: accessor 0 ", says]);
    }
}

/// Integers of KHR_mesh_quantization: as parts of 1 if they are normalized, else as they are.
#[test]
fn quantized_meshes_are_their_numbers() {
    let name = "KHR_mesh_quantization";
    let extension = json!({ "extensionsUsed": [name], "extensionsRequired": [name] });
    let (plain, plain_document) = triangle([0.0, 0.6, -0.8], &[json!({})]);
    let want = plain.seen(&plain_document, PLAIN);
    // Corners of PLACES in 4096ths and in 4ths, which a node's scale makes out of them.
    let cases: [(u32, f32, f32); 2] = [(5122, 4096.0, 1.0 / 4096.0), (5120, 4.0, 0.25)];
    for (kind, unit, scale) in cases {
        let mut file = Gltf::default();
        let row = |v: [f32; 3]| -> Vec<u8> {
            let all = v.map(|x| (unit * x) as i16);
            match kind {
                5120 => all.iter().map(|&n| n as i8 as u8).chain([0]).collect(),
                _ => all.iter().flat_map(|n| n.to_le_bytes()).chain([0, 0]).collect(),
            }
        };
        let p = file.accessor(kind, "VEC3", 3, &PLACES.map(row).concat());
        file.views[p]["byteStride"] = json!(if kind == 5120 { 4 } else { 8 });
        // 76 and -102 of 127 are 0.598 and -0.803; -128 is -1 as -127 is.
        let n = file.accessor(5120, "VEC3", 3, &[[0, 76, -102i8 as u8, 0]; 3].concat());
        (file.views[n]["byteStride"], file.accessors[n]["normalized"]) = (json!(4), json!(true));
        let uv = file.accessor(
            5122,
            "VEC2",
            3,
            &[[-32768i16, 16384]; 3].as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>(),
        );
        file.accessors[uv]["normalized"] = json!(true);
        let primitives = json!([{ "attributes": { "POSITION": p, "NORMAL": n, "TEXCOORD_0": uv } }]);
        let nodes = json!([{ "mesh": 0, "scale": [scale, scale, scale] }]);
        let document = file.document(primitives.clone(), nodes.clone(), extension.clone());
        let seen = file.seen(&document, PLAIN);
        assert_eq!(seen.drawn(), want.drawn(), "{kind}");
        close("normal", seen.at(18, 16), [0.0, 0.6, -0.8]);
        close("uv", file.seen(&document, "attributes = { position = 0, uv = 1 }").at(18, 16), [-1.0, 0.5, 0.0]);
        assert!(!seen.said.contains("warning"), "{}", seen.said);
        let without = file.document(primitives, nodes, json!({}));
        file.refused(
            &without,
            &["m.gltf: mesh 0, primitive 0: accessor", "extensionsRequired has to name KHR_mesh_quantization"],
        );
    }
}

/// Everything that is not drawn stands in one warning, once for each file.
#[test]
fn what_a_file_has_and_nobody_draws_is_warned_of_once() {
    let (mut file, _) = triangle([0.0, 0.0, 1.0], &[json!({})]);
    let tangents = file.floats(&[[1.0, 0.0, 0.0, 1.0]; 3]);
    let primitives = json!([
        { "attributes": { "POSITION": 0, "NORMAL": 1, "TANGENT": tangents, "TEXCOORD_1": tangents, "JOINTS_0": tangents },
          "material": 0, "targets": [{ "POSITION": 0 }] },
        { "attributes": { "POSITION": 0 }, "mode": 0 },
        { "attributes": { "POSITION": 0 }, "mode": 3 },
    ]);
    let more = json!({
        "materials": [{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }],
        // As KHR_texture_basisu has it, without an image of its own.
        "textures": [{ "extensions": { "KHR_texture_basisu": { "source": 0 } } }],
        "skins": [{ "joints": [0] }],
        "cameras": [{ "type": "perspective", "perspective": { "yfov": 1, "znear": 1 } }],
        "extensionsUsed": ["KHR_texture_basisu", "KHR_materials_unlit", "EXT_thing"],
        "extensionsRequired": ["KHR_texture_basisu"],
    });
    let mut document = file.document(primitives, json!([{ "mesh": 0 }]), more);
    let text = scene("m.gltf", PLAIN).replacen("[[draw]]", "[mesh.n]\nfile = \"m.gltf\"\n[[draw]]", 1);
    let files = [("m.gltf", document.to_string().into_bytes()), ("m.bin", file.bin.clone())];
    let seen = seen_with(&text, &[("m.gltf", &files[0].1), ("m.bin", &files[1].1)]);
    let warnings: Vec<&str> = seen.said.lines().filter(|l| l.contains("warning")).collect();
    assert_eq!(
        warnings,
        ["warning: m.gltf: not drawn: materials, skins, morph targets, cameras, the extension EXT_thing, \
          the extension KHR_materials_unlit, the extension KHR_texture_basisu, the attribute TANGENT, \
          the attribute TEXCOORD_1, the attribute JOINTS_0, 2 primitives of lines or points"],
        "{}",
        seen.said
    );
    assert!(seen.drawn() > 150);
    document["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
    file.refused(&document, &["m.gltf: it requires the extension KHR_draco_mesh_compression", "convert the mesh"]);
}

/// Each node that is named is counted when it is named: a circle takes no memory.
#[test]
fn nodes_in_a_circle_are_refused() {
    let (file, mut circle) = triangle([0.0, 0.0, 1.0], &[json!({})]);
    circle["nodes"] = json!([{ "children": vec![0; 3000] }]);
    file.refused(&circle, &["more than 100,000 nodes, or nodes in a circle"]);
}

#[test]
fn a_file_of_lines_alone_is_refused() {
    let mut file = Gltf::default();
    let p = file.floats(&PLACES);
    let document =
        file.document(json!([{ "attributes": { "POSITION": p }, "mode": 1 }]), json!([{ "mesh": 0 }]), json!({}));
    file.refused(&document, &["m.gltf: it has no triangles, only lines and points"]);
    let dir = folder(&scene("m.obj", ""), &[("m.obj", b"v 0 0 0\nv 1 0 0\nl 1 2\n")]);
    refused("obj", run(dir.path(), &["run", "scene.toml"]), &["m.obj: it has no faces"]);
}

/// A wall of two rectangles, left and right.
const WALL: &str = "v -1 -1 0\nv 0 -1 0\nv 0 1 0\nv -1 1 0\nv 1 -1 -0.5\nv 1 1 -0.5\nvn 0 1 0\nvn 0.6 0 0.8\n";

fn object(text: &[u8], keys: &str) -> Seen {
    seen_with(&scene("m.obj", keys), &[("m.obj", text)])
}

#[test]
fn objects_with_lines_points_and_names_of_any_kind_are_drawn() {
    let faces = "f 1//2 2//2 3//2 4//2\nf 2//2 5//2 6//2 3//2\n";
    let plain = object(format!("{WALL}{faces}").as_bytes(), PLAIN);
    assert!(!plain.said.contains("warning"), "{}", plain.said);
    assert_eq!(plain.drawn(), 32 * 32);
    let kinds: [(&[u8], &str); 6] = [
        (b"l 1 2 3\np 1\nl 4 99\n", "2 `l`, 1 `p`"),
        (b"# \xe4\xf6\xfc\no Stra\xdfe\n", ""),
        (b"usemtl\nusemtl   \n", ""),
        (b"mtllib a b.mtl\nusemtl red\ns 1\ng a b\no\n", "1 `mtllib`, 1 `usemtl`"),
        ("o Straße\n".as_bytes(), ""),
        (b"v 9 9 9 # a corner that nobody names\n#v 1 \\\ncurv 1 2\n", "1 `curv`"),
    ];
    for (more, says) in kinds {
        for before in [true, false] {
            let all =
                [WALL.as_bytes(), if before { more } else { b"" }, faces.as_bytes(), if before { b"" } else { more }]
                    .concat();
            let seen = object(&all, PLAIN);
            assert_eq!(seen.pixels, plain.pixels, "{says}");
            let warning = format!("warning: m.obj: statements that are not drawn: {says}");
            let found: Vec<&str> = seen.said.lines().filter(|l| l.contains("warning")).collect();
            assert_eq!(found, if says.is_empty() { vec![] } else { vec![warning.as_str()] });
        }
    }
    // A mark of the byte order is no part of the first statement, in Latin-1 either.
    assert_eq!(object(format!("\u{feff}{WALL}{faces}").as_bytes(), PLAIN).pixels, plain.pixels);
    let latin = [b"\xEF\xBB\xBF", WALL.as_bytes(), faces.as_bytes(), b"# \xe9\n"].concat();
    assert_eq!(object(&latin, PLAIN).pixels, plain.pixels);
    // Lines of old programs, numbers that others leave out or add, and a part that is empty.
    let all = format!("{WALL}{faces}");
    assert_eq!(object(all.replace('\n', "\r").as_bytes(), PLAIN).pixels, plain.pixels);
    assert_eq!(object(format!("vt 0.5\n{all}").as_bytes(), PLAIN).pixels, plain.pixels);
    let coloured = all.replace("v 0 -1 0\n", "v 0 -1 0 1 0.5 0 1\n");
    assert_eq!(object(coloured.as_bytes(), PLAIN).pixels, plain.pixels);
    let [uv, bare] = ["f 1/1/ 2/1/ 3/1/ 4/1/", "f 1 2 3 4"]
        .map(|face| object(format!("vt 0 0\n{WALL}{face}\nf 2//2 5//2 6//2 3//2\n").as_bytes(), PLAIN).pixels);
    assert_eq!(uv, bare);
}

#[test]
fn colours_of_vertices_are_an_attribute() {
    let text = "v -1 -1 0 1 0 0\nv 3 -1 0 1 0 0\nv -1 3 0 1 0 0\nv -1 -1 0\nv 1 -1 0\nv -1 1 0\nf 1 2 3\n";
    let keys = "attributes = { position = 0, colour = 1 }";
    close("red", object(text.as_bytes(), keys).at(4, 28), [1.0, 0.0, 0.0]);
    // A position without a colour is white among others that have one.
    let both = object(format!("{text}f 4 5 6\n").as_bytes(), keys);
    close("white", both.at(4, 28), [1.0, 1.0, 1.0]);
    close("red", both.at(28, 4), [1.0, 0.0, 0.0]);
    let dir = folder(
        &scene("m.obj", keys),
        &[("m.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), ("show.wgsl", SHOW.as_bytes())],
    );
    refused("none", run(dir.path(), &["run", "scene.toml"]), &["the mesh `m` has no `colour`"]);
}

/// A face without normals has its own, or smooth ones; one without texture coordinates has 0.
#[test]
fn faces_have_normals_and_texture_coordinates_of_their_own() {
    let some = format!("{WALL}vt 0.5 -0.5\nf 1//1 2//1 3//1 4//1\nf 2/1 5/1 6/1 3/1\n");
    let slope = [1.0 / 5f64.sqrt(), 0.0, 2.0 / 5f64.sqrt()];
    let seen = object(some.as_bytes(), PLAIN);
    close("given", seen.at(4, 16), [0.0, 1.0, 0.0]);
    [(17, 2), (30, 30)].iter().for_each(|&(x, y)| close("own", seen.at(x, y), slope));
    let uv = object(some.as_bytes(), "attributes = { position = 0, uv = 1 }");
    close("no uv", uv.at(4, 16), [0.0, 0.0, 0.0]);
    close("uv", uv.at(24, 16), [0.5, -0.5, 0.0]);
    // The other way round: the first face has none.
    let other = format!("{WALL}f 1 2 3 4\nf 2//2 5//2 6//2 3//2\n");
    let seen = object(other.as_bytes(), PLAIN);
    close("own", seen.at(4, 16), [0.0, 0.0, 1.0]);
    close("given", seen.at(24, 16), [0.6, 0.0, 0.8]);
    let smooth = scene("m.obj", PLAIN).replacen("m.obj\"", "m.obj\"\nnormals = \"smooth\"", 1);
    close("smooth", seen_with(&smooth, &[("m.obj", some.as_bytes())]).at(24, 16), slope);
}

#[test]
fn a_polygon_that_crosses_itself_is_warned_of() {
    let text =
        "v 0 0.9 0\nv 0.5 -0.7 0\nv -0.8 0.3 0\nv 0.8 0.3 0\nv -0.5 -0.7 0\nvn 0 0 1\nf 1//1 2//1 3//1 4//1 5//1\n";
    let seen = object(text.as_bytes(), PLAIN);
    assert!(seen.said.contains("m.obj: 1 polygons cross themselves") && seen.said.contains("line 7"), "{}", seen.said);
}

#[test]
fn places_in_objects_have_line_and_column() {
    let dir = folder(&scene("m.obj", ""), &[("m.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 \\\n  2 7\n")]);
    refused("column", run(dir.path(), &["run", "scene.toml"]), &["m.obj:5:5: error: corner `7`"]);
}
