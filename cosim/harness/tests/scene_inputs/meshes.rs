//! Meshes, and what is drawn of them.
//!
//! Values are worked out by hand and are in the tests. Wrong would be a picture that another rule
//! gives, too; so nothing here is symmetric.

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

/// What came of a scene: its pixels, rows from the top.
struct Seen {
    pixels: Vec<[u8; 4]>,
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
    Seen { pixels: picture.rgba8().collect() }
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
