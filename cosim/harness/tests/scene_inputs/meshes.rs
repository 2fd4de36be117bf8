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
}

/// A triangle of no symmetry, seen from its front.
const PLACES: [[f32; 3]; 3] = [[-0.75, -0.5, 0.0], [0.75, -0.75, 0.0], [0.25, 0.75, 0.0]];
/// No colour: the position, as there is nothing else.
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
    // A mark of the byte order is no part of the first statement.
    assert_eq!(object(format!("\u{feff}{WALL}{faces}").as_bytes(), PLAIN).pixels, plain.pixels);
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
